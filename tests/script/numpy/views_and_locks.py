# Arrays that share memory: parts of complex numbers, other dtypes, what may only be read, results written elsewhere.
import numpy as np


def t(name, f):
    try:
        print(name, f())
    except Exception as e:
        print(name, type(e).__name__, e)


c = np.zeros(3, dtype=complex)
c.real[1] = 2
c.imag[2] = 3
print(c)
c.real = [7, 8, 9]
c.imag += 1
print(c, c[0].real, c[::2].imag)
c = np.zeros((2, 2), dtype=np.complex64)
c.view(np.float32)[0, 1] = 5
print(c)
x = np.zeros(3, dtype=np.int32)
x.view(np.int16)[0] = 1
x.view(np.uint8)[4] = 255
print(x, x.view(np.int64) if x.size % 2 == 0 else x[:2].view(np.int64))
t("steps", lambda: x[::2].view(np.int16))
x = np.arange(12).reshape(3, 4)
t("diagonal", lambda: np.diagonal(x).__setitem__(0, 9))
t("broadcast", lambda: np.broadcast_to(np.arange(3), (2, 3)).__setitem__((0, 0), 9))
w = np.lib.stride_tricks.sliding_window_view(x[1], 2)
t("windows", lambda: w.__setitem__((0, 0), 9))
x[1, 0] = 40
print(w.tolist(), np.lib.stride_tricks.as_strided(x[2], (2, 2), (8, 8)).tolist())
a = np.arange(5)
t("out", lambda: np.add(a, 1.5, out=a))


def step(v):
    v += 1.5


t("in place", lambda: step(a))
print(a)
a.setflags(write=False)
t("locked", lambda: a.__setitem__(0, 1))
t("a view", lambda: a[1:].__setitem__(0, 1))
print(a.flags.writeable, a.copy().flags.writeable, a.flags["C_CONTIGUOUS"], x.T.flags.c_contiguous, x.T.flags.f_contiguous)
a.flags.writeable = True
a[0] = 7
b = a.copy()
b.resize(7)
print(a, b, a.astype(int, copy=False) is a, a.astype(int) is a)
np.putmask(x, x > 5, [1, 2, 3])
print(x)
