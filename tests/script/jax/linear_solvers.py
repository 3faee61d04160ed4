# Solvers of linear systems that ask for products alone, and their derivatives, beside a direct solution.
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.scipy.sparse.linalg import bicgstab, cg, gmres

rng = np.random.RandomState(0)
A = rng.randn(6, 6).astype(np.float32) + 6 * np.eye(6, dtype=np.float32)
S = A @ A.T
b = rng.randn(6).astype(np.float32)


def near(x, y, tolerance=1e-3):
    return bool(np.abs(np.asarray(x) - np.asarray(y)).max() < tolerance)


for solver, m in ((cg, S), (bicgstab, A), (gmres, A)):
    x = solver(m, b)[0]
    direct = np.linalg.solve(m, b)
    print(solver.__name__, near(x, direct), near(jax.jit(solver)(m, b)[0], direct), near(solver(lambda v: m @ v, b, x0=direct)[0], direct))
    got = jax.grad(lambda v, w: jnp.sum(solver(w, v)[0] ** 2), argnums=(0, 1))(b, m)
    want = jax.grad(lambda v, w: jnp.sum(jnp.linalg.solve(w, v) ** 2), argnums=(0, 1))(b, m)
    print(near(got[0], want[0]), near(got[1], want[1]), near(jax.vmap(lambda v: solver(m, v)[0])(jnp.stack([b, 2 * b]))[1], 2 * direct))
    print(near(solver(m, b, M=lambda v: v / np.diag(m))[0], direct))
    for wrong in (lambda: solver(A[:3], b), lambda: solver([[1.0]], b)):
        try:
            wrong()
            print("accepted")
        except (TypeError, ValueError) as e:
            print(type(e).__name__)

C = (A + 1j * A[::-1]).astype(np.complex64)
for solver in (bicgstab, gmres):
    print(near(C @ solver(C, b.astype(np.complex64), maxiter=50)[0], b, 1e-2))
tree = gmres(lambda t: {"a": A @ t["a"], "b": 2 * t["b"]}, {"a": b, "b": b[:2]})[0]
print(near(tree["a"], np.linalg.solve(A, b)), near(tree["b"], b[:2] / 2))


# derivatives of derivatives, at once and in programs
def system(t):
    a = A * (1 + t) + jnp.eye(6) * t * t
    return lax.custom_linear_solve(lambda v: a @ v, b * (1 + t * t), lambda _, r: jnp.linalg.solve(a, r), lambda _, r: jnp.linalg.solve(a.T, r))


def plain(t):
    return jnp.linalg.solve(A * (1 + t) + jnp.eye(6) * t * t, b * (1 + t * t))


push = lambda f: lambda t: jax.jvp(f, (t,), (1.0,))[1]
want = push(push(plain))(0.3)
print(near(push(push(system))(0.3), want), near(jax.jit(push(push(system)))(0.3), want))
print(near(jax.vmap(push(push(system)))(jnp.array([0.3, 0.1]))[0], want), near(push(jax.jacrev(system))(0.3), want))
