# Factors of one triangle: their values are of the triangle that is read, their slopes are JAX's, of all of a tangent.
# Reductions by bits, counts, sorted complex numbers, polygamma of orders that are not there.
import jax
import jax.numpy as jnp
import numpy as np

a = jnp.array([[4., .3, .2], [.5, 3., -.7], [.1, .6, 5.]])
s = (a + a.T) / 2


def W(y):
    return jnp.sum(y * jnp.cos(jnp.arange(9.).reshape(3, 3) + 1))


def show(*xs):
    print(*[np.round(np.asarray(x, np.float64), 2) + 0.0 for x in xs])


for lower in (True, False):
    for m in (a, s):
        show(jax.scipy.linalg.cholesky(m, lower=lower), jax.grad(lambda m: W(jax.scipy.linalg.cholesky(m, lower=lower)))(m))
        show(jax.jvp(lambda m: jax.scipy.linalg.cholesky(m, lower=lower), (m,), (m.T * m[0],))[1])
    show(jax.grad(lambda m: jax.scipy.linalg.cho_solve(jax.scipy.linalg.cho_factor(m, lower), m[0]).sum())(s))
    show(jax.grad(lambda m: W(jnp.linalg.cholesky(m, upper=lower, symmetrize_input=False)))(a))
show(jax.jit(jax.grad(lambda m: W(jax.scipy.linalg.cholesky(m) ** 2)))(s), jax.hessian(lambda m: jax.scipy.linalg.cholesky(m).sum())(s).sum((0, 1)))
show(jax.vmap(jax.grad(lambda m: W(jax.scipy.linalg.cholesky(m, lower=True))))(jnp.stack([s, 2 * s])))
show(jax.grad(lambda m: W(jnp.linalg.cholesky(m)))(a), jax.scipy.linalg.eigh(a)[0], jnp.linalg.eigh(a, symmetrize_input=False)[0])

bits = jnp.array([[5, 3], [7, 2]])
print(jax.lax.reduce_and(bits, (0,)), jax.lax.reduce_or(bits.astype(jnp.int8), (1,)), jax.lax.reduce_and(bits > 2, (0, 1)))
print(jax.lax.reduce_or(jnp.zeros((0, 2), jnp.uint8), (0,)), jax.lax.reduce_and(jnp.zeros((0, 2), jnp.uint8), (0,)))
print(jax.jit(lambda x: jax.lax.reduce_and(x, (0, 1)))(bits), jax.lax.full_like(bits > 2, 0.5), jnp.full_like(bits, 2.7))
print([x.dtype for x in jax.scipy.special.fresnel(jnp.array([1., 2.], jnp.float16))])
for shape, dtype in (((0, 2), "float32"), ((0, 2), "bfloat16"), ((2, 0), "bfloat16"), ((0, 2), "int32"), ((2, 0), "int32")):
    print(jax.scipy.stats.mode(jnp.zeros(shape, dtype)))
print(jnp.sort_complex(jnp.array([2., 1.])), jnp.sort_complex(jnp.array([2, 1])), jnp.sort_complex(jnp.array([[2, 1]], jnp.float16)).dtype)
show(jax.lax.polygamma(jnp.array([0., 1., 2., .5, -1.]), jnp.full(5, 1.5)), jax.scipy.special.multigammaln(jnp.array([3., 4.]), 2))
for f in (lambda: jax.scipy.special.polygamma(jnp.array([0., 1.]), 1.5), lambda: jax.lax.reduce_and(jnp.ones((2, 2)), (0,))):
    try:
        print(f())
    except (TypeError, ValueError) as e:
        print(type(e).__name__, e)
