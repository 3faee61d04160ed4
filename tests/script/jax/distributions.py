# Densities where they are none, and functions outside of their domain.
import jax, jax.numpy as jnp
import jax.scipy.stats as st
xs = jnp.array([-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 5.0, jnp.inf, jnp.nan])
P = {"norm": (), "uniform": (), "expon": (), "laplace": (), "logistic": (), "cauchy": (), "gamma": (2.0,), "beta": (2.0, 3.0), "t": (3.0,), "bernoulli": (0.3,),
     "poisson": (2.0,), "binom": (3, 0.4)}
for n, a in P.items():
    d = getattr(st, n)
    for f in ("pmf", "logpmf") if n in ("bernoulli", "poisson", "binom") else ("pdf", "logpdf"):
        for loc in (0, 1):
            print(n, f, loc, [float("%.4g" % (v + 0.0)) for v in getattr(d, f)(xs, *a, loc).tolist()])
print(jax.scipy.special.gammainc(jnp.array([-1.0, 2.0, 2.0]), jnp.array([1.0, -1.0, 1.0])))
print(jax.scipy.special.gammaincc(jnp.array([-1.0, 2.0, 2.0]), jnp.array([1.0, -1.0, 1.0])))
print(jax.scipy.special.betainc(jnp.array([-1.0, 2.0, 2.0]), 1.5, jnp.array([0.5, 1.5, 0.25])))
print(jnp.mean(jnp.array([1, 2, 4]), dtype=jnp.int32), jnp.histogram(jnp.arange(4, dtype=jnp.bfloat16), bins=3, range=(-2, 2))[1].dtype)
print(jnp.prod(jnp.array([-1, 2], jnp.int8), dtype=jnp.bool_), jnp.sum(jnp.array([0.5, 1.0]), dtype=jnp.bool_), jnp.sum(jnp.array([True, True])))
print(jnp.float_power(jnp.array([1.5, -2.0], jnp.float16), jnp.array([2, 3])).dtype, jnp.float_power(2, 3), jnp.float_power(jnp.float32(2), jnp.float16(3)).dtype)
