# Corners of NumPy's functions: halves of complex numbers, polynomials, orders in memory, views by einsum.
import numpy as np
print(np.arange(0, 5, 0.5, dtype=int), np.arange(-3, 3, 0.5, dtype=int), np.arange(1, 2, 0.25, dtype=np.int8), np.arange(0.5, 5.5, 1, dtype=int), np.arange(5, 0, -1.5, dtype=int))
y = np.array([complex(np.inf, np.nan), np.nan, complex(np.nan, np.inf)])
print(np.nan_to_num(y), np.nan_to_num(y, nan=111111, posinf=222222), np.nan_to_num(y.astype(np.complex64)))
print(repr(np.fabs(-1)), np.fabs([1, -2]), repr(np.rint(3)), np.fabs(np.int8(-3)).dtype, np.rint(np.array([1, 2], np.int16)).dtype)
p = np.poly1d([1, 1, 1, 1]); q = np.poly1d([2, 0])
print(np.polyadd(p, q)); print(np.polysub(p, [1])); print(np.polymul(p, q)); print(repr(np.polyder(p)), repr(np.polyder(p, 2)), repr(np.polyder(p, 4)))
print(repr(np.polyval([3, 0, 1], np.poly1d(5))), repr(np.polyval(p, q)), np.polyval(p, [1, 2]))
P = np.polyint(p); print(np.polyder(P) == p, P.order)
from fractions import Fraction
print(np.isscalar(Fraction(5, 17)), np.isscalar(b"a"), np.isscalar([1]), np.isscalar(np.array(3)), np.isscalar(np.float32(1)), np.isscalar("x"), np.isscalar(None))
x = np.array([[1, 2, 3], [4, 5, 6]])
print(np.ravel(x.T, order="A"), x.T.ravel("K"), x.ravel("A"), np.ravel(x, "F"), x[:, ::-1].ravel("K"), x.T.flatten("A"))
a = np.arange(12).reshape(2, 3, 2).swapaxes(1, 2)
print(a.ravel(order="C"), a.ravel(order="K"))
print(np.trim_zeros([0, 1, 2, 0]), np.trim_zeros((0, 0, 1)), np.trim_zeros(np.array([0, 3, 0])), np.trim_zeros([]))
print(repr(np.char.islower("ghc")), repr(np.strings.isupper("GHC")), np.char.find("abc", "b"), np.char.isalpha(["a", "1"]))
a = np.zeros((3, 3))
np.einsum("ii->i", a)[:] = 1
print(a)
b = np.arange(24).reshape(2, 3, 4)
v = np.einsum("ijk->kij", b)
v[0] = -1
print(b, v.shape, np.shares_memory(v, b))
c = np.arange(27).reshape(3, 3, 3)
print(np.einsum("iii->i", c), np.einsum("iij->ji", c), np.einsum("iji->j", c), np.einsum("ii", a), np.einsum(a, [0, 0], [0]), np.einsum(b, [0, 1, 2], [2, 0]), np.einsum(a, [0, 1], a, [1, 2]).shape, np.einsum(b, [0, Ellipsis], [Ellipsis, 0]).shape)
try:
    np.einsum("ii->i", np.zeros((2, 3)))
except ValueError as e:
    print(e)
