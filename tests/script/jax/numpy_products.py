# jax.numpy: products, polynomials, linear algebra.
import jax
import jax.numpy as jnp


def show(*values):
    for v in values:
        print(repr(v))


x = jnp.array([[1.0, -2.0, 3.0], [4.0, 5.0, -6.0]])
v = jnp.array([3.0, 1.0, 2.0, 1.0])
i = jnp.array([3, 1, 2, 1])
b = jnp.array([True, False, True, True])
u = jnp.array([1, 200, 30], dtype=jnp.uint8)
h = jnp.array([1.5, 2.5], dtype=jnp.float16)
n = jnp.array([1.0, jnp.nan, 3.0, jnp.inf])

show(jnp.dot(v, v), jnp.vdot(x, x), jnp.inner(v, v), jnp.outer(v, i), jnp.matmul(x, x.T))
show(jnp.tensordot(x, x, axes=((1,), (1,))), jnp.kron(v[:2], v[:2]))
show(jnp.einsum("ij,kj->ik", x, x), jnp.einsum("ij->j", x), jnp.einsum("i,i", v, v))
show(jnp.einsum("ij,j->i", x, v[:3]))
show(jnp.cross(v[:3], v[1:]), jnp.trace(x), jnp.diag(v), jnp.diag(x), jnp.diagonal(x), jnp.tril(x))
show(jnp.triu(x, 1), jnp.diagflat(v[:2], 1))
show(jnp.polyval(v, 2.0), jnp.polyadd(v, v[:2]), jnp.polymul(v, v), jnp.polyder(v), jnp.polyint(v))
show(jnp.convolve(v, v[:2], "same"), jnp.correlate(v, v[:2]))
show(jnp.interp(jnp.array([0.5, 1.5, 9.0]), jnp.array([0., 1., 2.]), jnp.array([0., 10., 5.])))
show(jnp.vander(v[:3]))
show(jnp.linalg.norm(v), jnp.linalg.norm(x), jnp.linalg.norm(x, axis=1), jnp.linalg.norm(v, 1))
show(jnp.linalg.norm(v, jnp.inf), jnp.linalg.norm(x, 'fro'), jnp.linalg.norm(v, 3), jnp.linalg.norm(x, 1))
show(jnp.linalg.det(x @ x.T), jnp.linalg.inv(x @ x.T), jnp.linalg.solve(x @ x.T, v[:2]))
show(jnp.linalg.slogdet(x @ x.T), jnp.linalg.cholesky(x @ x.T), jnp.linalg.matrix_power(x @ x.T, 3))
show(jnp.linalg.multi_dot([x, x.T, x]))
