# Special functions of jax.scipy: values where series, fractions and far away meet.
import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy import special as s

x = jnp.array([0.05, 0.5, 0.99, 1.01, 1.6, 3.9, 4.1, 12.0, 30.0])
both = jnp.concatenate([-x[::-1], x])


def show(name, *values):
    for v in values:
        v = np.asarray(v, np.complex128) if jnp.iscomplexobj(v) else np.asarray(v, np.float64)
        print(name, [f"{c:.4g}" for c in v.ravel()])


show("i0", s.i0(both), s.i0e(both))
show("i1", s.i1(both), s.i1e(both))
show("exp1", s.exp1(x), s.expn(3, x), s.expn(jnp.array([0, 1, 2, 5]), 0.7))
show("expi", s.expi(both))
show("sici", *s.sici(both))
show("fresnel", *s.fresnel(both))
show("dawsn", s.dawsn(both))
show("erfcx", s.erfcx(both[4:]))
show("wofz", s.wofz(jnp.array([0.3 + 0.4j, -2.0 + 0.1j, 1.0 - 0.5j, 8.0 + 3.0j])))
show("spence", s.spence(x), s.spence(jnp.array([0.0, 1.0, 2.0])))
show("owens_t", s.owens_t(0.7, both), s.owens_t(jnp.array([-2.0, 3.0]), 1e30))
show("gammasgn", s.gammasgn(jnp.array([-3.5, -2.5, -0.5, 0.5, 3.0])))
show("poch", s.poch(2.5, jnp.array([0.0, 1.0, 3.5])))
show("comb", s.comb(jnp.array([5.0, 10.0, 3.0]), jnp.array([2.0, 3.0, 4.0])), s.comb(5.0, 2.0, repetition=True))
show("boxcox", s.boxcox(x, 0.5), s.boxcox(x, 0.0), s.boxcox1p(x, -0.5))
show("hyp1f1", s.hyp1f1(1.5, 2.5, both[3:-2]))
show("betaln", s.betaln(0.5, jnp.array([0.1, 7.9, 8.1, 1e6, 1e20])), s.betaln(9.0, 10.0), s.beta(-0.5, 1.25))
show("bernoulli", s.bernoulli(12))
show("bessel_jn", s.bessel_jn(jnp.array([5.0, 8.0]), v=3))
show("gammainc", s.gammainc(2.0, jnp.array([-1.0, 0.0, 1.0, jnp.inf])), s.gammainc(-1.0, 2.0), s.betainc(1.0, -1.0, 0.5))
show("entr", jax.grad(s.entr)(0.0), jax.grad(s.entr)(0.5))
show("logsumexp", s.logsumexp(jnp.array([-1000.0, -2.0]), b=jnp.array([1.0, 0.0])), *s.logsumexp(jnp.array([1.0, 2.0]), b=jnp.array([1.0, -3.0]),
     return_sign=True), *s.logsumexp(jnp.array([1 + 1j, 2 - 1j, -2 + 3j]), return_sign=True))
show("factorial", s.factorial(jnp.array([-1.0, 0.0, 4.0])), s.softmax(jnp.float32(2.0)), s.log_softmax(jnp.float32(2.0)))
show("slopes", jax.grad(s.dawsn)(0.7), jax.grad(s.expi)(1.5), jax.grad(lambda v: s.sici(v)[0])(5.0), jax.grad(s.i0e)(20.0))
