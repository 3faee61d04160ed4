# Matrices and factors of jax.scipy.linalg and jax.lax.linalg; answers of jax.numpy that were others once.
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.scipy import linalg as sl


def show(name, *values):
    for v in jax.tree.leaves(values):
        v = np.asarray(v)
        v = v.astype(np.complex128 if v.dtype.kind == "c" else np.float64)
        print(name, v.shape, (np.round(v, 3) + 0).ravel().tolist())


c, r = jnp.array([1.0, 2.0, 3.0, 5.0]), jnp.array([1.0, 7.0, 8.0])
show("toeplitz", sl.toeplitz(c), sl.toeplitz(c, r), sl.toeplitz(jnp.stack([c, 2 * c]), r), sl.hankel(c), sl.hankel(c, r))
show("circulant", sl.circulant(c), sl.companion(c), sl.leslie(c, r / 10), sl.fiedler(c), sl.fiedler_companion(c), sl.fiedler_companion(jnp.arange(1.0, 8.0)))
for mode in ("full", "same", "valid"):
    show(f"convolution {mode}", sl.convolution_matrix(c, 3, mode), sl.convolution_matrix(r, 5, mode))
show("dft", sl.dft(3), sl.dft(4, "sqrtn"), sl.hadamard(4), sl.helmert(4), sl.helmert(3, full=True), sl.hilbert(3), sl.invhilbert(3))
for kind in (None, "lower", "upper"):
    show(f"pascal {kind}", sl.pascal(4, kind), sl.invpascal(4, kind))
a = jnp.sin(jnp.arange(9.0)).reshape(3, 3) + 2 * jnp.eye(3)
b = jnp.cos(jnp.arange(4.0)).reshape(2, 2)
show("expm", sl.expm(a), sl.expm(30 * a) / 1e30, sl.expm(jnp.stack([a, 100 * a, 0 * a]))[2], sl.expm(jnp.triu(a), upper_triangular=True), sl.expm(a * 1j))
show("frechet", sl.expm_frechet(a, jnp.eye(3) + a, compute_expm=False))
for side in ("right", "left"):
    u, p = sl.polar(a, side, method="svd")
    show(f"polar {side}", u, p)
q, rr = sl.qr_multiply(a, jnp.arange(3.0))
show("qr_multiply", jnp.abs(q), jnp.abs(rr))
show("sylvester", sl.solve_sylvester(a, b, jnp.arange(6.0).reshape(3, 2)))
v, w = lax.linalg.eigh(a + a.T)
show("lax.eigh", w, jnp.abs(v), lax.linalg.svd(a, compute_uv=False), lax.linalg.lu_pivots_to_permutation(jnp.array([2, 2, 3], jnp.int32), 4))
dl, d, du = jnp.array([0.0, 1.0, 2.0, 3.0]), jnp.array([0.0, 2.0, 1e-8, 4.0]), jnp.array([1.0, 3.0, 1.0, 0.0])
full = jnp.diag(d) + jnp.diag(du[:-1], 1) + jnp.diag(dl[1:], -1)
x = lax.linalg.tridiagonal_solve(dl, d, du, jnp.ones((4, 2)))
show("tridiagonal", full @ x, jax.vmap(lambda m: lax.linalg.tridiagonal_solve(dl, m + 1, du, jnp.ones((4, 1))))(jnp.stack([d, 2 * d])))
show("lstsq", jnp.linalg.lstsq(a[:, :2], jnp.arange(3.0), numpy_resid=True)[1], jnp.linalg.lstsq(a, jnp.arange(3.0), numpy_resid=True)[1])
for wrong in (lambda: jnp.linalg.pinv(a, rtol=0.1, rcond=0.1), lambda: jnp.linalg.matrix_rank(a, rtol=0.1, tol=0.1), lambda: sl.hadamard(3),
              lambda: sl.companion(jnp.ones(1)), lambda: sl.dft(3, "half")):
    try:
        wrong()
    except ValueError:
        print("ValueError")

m = np.array([[1, 1], [2, 2], [3, 3]])
show("insert", jnp.insert(m, 1, np.array([1, 2, 3]), axis=1), jnp.insert(m, jnp.array([1]), np.array([[1], [2], [3]]), axis=1), jnp.insert(m, slice(0, 2), 7),
     jnp.insert(m, jnp.array([2, 0, 2]), jnp.array([[7], [8], [9]]), axis=0))
show("indices", jnp.indices((3, 2), sparse=True), jnp.block(3), jnp.logspace(jnp.array([0.0, 1.0]), jnp.array([2.0, 3.0]), 2, axis=1))
show("ldexp", jnp.ldexp(np.array([1.0, 0.0, 3.0, 2.0 ** -120, 2.0 ** 120], np.float32), np.array([128, 1000, 2, 200, -200])), jnp.ldexp(np.float16(0.5), np.array([3, 16])))
show("frexp", jnp.frexp(np.array([0.0, 1.0, -3.5, np.inf, np.nan, 8.0, 0.1], np.float32)), jax.grad(lambda t: jnp.frexp(t)[0])(12.0))
