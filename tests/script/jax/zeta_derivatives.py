# Derivatives of the zeta function are the sum's own below 1, too, where zeta is NaN.
import jax
import jax.numpy as jnp

zeta = jax.scipy.special.zeta
for s, q in ((0.11, 0.11), (0.5, 1.0), (1.04, 2.92), (-1.0, 1.0), (1.69, 1.32), (-2.38, 2.69)):
    print(s, q, f"{float(jax.grad(zeta, 0)(s, q)):.3g} {float(jax.grad(zeta, 1)(s, q)):.3g} {float(jax.jvp(zeta, (s, q), (1.0, 0.5))[1]):.3g}")
print(jax.jit(zeta)(0.5, 1.0), jax.vmap(zeta)(jnp.array([0.5, 2.0]), jnp.array([1.0, 1.0])))
