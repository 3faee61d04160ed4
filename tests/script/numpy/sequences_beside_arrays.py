# A sequence beside an array, a scalar of NumPy or an object with rules of its own: who is asked first.
import numpy as np
def t(f):
    try: print(repr(f()))
    except Exception as e: print(type(e).__name__, e)
t(lambda: [1,2]*np.int64(2)); t(lambda: np.int64(2)*[1,2]); t(lambda: [1,2]*np.float64(2)); t(lambda: np.float64(2)*[1,2])
t(lambda: (1,2)*np.int32(2)); t(lambda: np.int64(2)*(1,2)); t(lambda: 'ab'*np.int64(2)); t(lambda: np.int64(2)*'ab')
t(lambda: [1,2]*np.array(2)); t(lambda: [1,2]*np.array([2])); t(lambda: (1,2)*np.array([3,4])); t(lambda: np.array(2)*[1,2]); t(lambda: [1,2]*np.array([2.,3.]))
t(lambda: [1, 2] + np.int64(1)); t(lambda: [1,2]*np.array([[2],[3]]))
t(lambda: b'ab'*np.int64(2)); t(lambda: [[1, 2]]*np.array(2)); t(lambda: [[1,2],[3,4]]*np.array([[2],[3]]))
x = [1, 2]; x *= np.int64(2); print(x)
x = [1, 2]; x *= np.array(2); print(x)
x = [1, 2]; x += np.array([2, 3]); print(x)
class R:
    def __index__(self): return 3
    def __rmul__(self, o): return NotImplemented
class Q:
    def __index__(self): return 3
    def __rmul__(self, o): return 'rmul'
print([1]*R(), [1]*Q(), (1,)*R(), 'a'*R(), 'a'*Q(), b'a'*R())
class L(list):
    def __mul__(self, o): return 'Lmul'
print(L([1])*R(), L([1])*Q())
x = [1]; x *= Q(); print(x)
