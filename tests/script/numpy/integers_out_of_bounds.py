# A Python int that the dtype does not hold is an error where it becomes an element, and keeps its digits where it fits.
import numpy as np


def show(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)


def put(a, i, v):
    a[i] = v
    return a


for v in (300, -1, 255):
    show(lambda: np.array([1, v], dtype=np.uint8))
    show(lambda: np.full((2,), v, dtype=np.uint8))
    show(lambda: put(np.zeros(3, np.uint8), 0, v))
    show(lambda: put(np.zeros(3, np.uint8), slice(0, 2), [1, v]))
    show(lambda: np.zeros(2, np.uint8) + v)
show(lambda: np.array(2**40, dtype=np.int32))
show(lambda: np.array([-1], dtype=np.uint64))
show(lambda: np.array([2**63 + 1], dtype=np.uint64))
show(lambda: np.full(2, 2**62 + 1))
show(lambda: np.array([300.0, -1.5]).astype(np.int16))
show(lambda: np.uint8(300))
show(lambda: repr(np.int8(-128)))
show(lambda: repr(np.uint64(2**63)))
show(lambda: np.int16(-2**20))
