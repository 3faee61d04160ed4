import jax, jax.numpy as jnp
x = jnp.array([[1+2j, 0.5j, 2], [-1+1j, 1-3j, 0.25]], jnp.complex64)
s = x[:, :2]
for r in (jnp.linalg.norm(x), jnp.linalg.norm(x, axis=1), jnp.linalg.norm(x, 0, axis=1), jnp.linalg.inv(s), jnp.cov(x), jnp.vdot(x, x), jnp.vecdot(x, x),
          jnp.correlate(x[0], x[1]), jax.grad(lambda v: jnp.linalg.norm(v))(x)):
    print(r.dtype, [round(float(v), 3) + 0.0 for v in jnp.real(r).ravel()], [round(float(v), 3) + 0.0 for v in jnp.imag(r).ravel()])
print(jax.lax.cond(True, lambda _: 1.0, lambda _: 2.0, operand=None))
st = jax.ShapeDtypeStruct((2, 2), jnp.float32)
print(jnp.zeros_like(st), jnp.ones_like(st, dtype=int), jnp.iscomplexobj(st))
from jax.experimental import checkify
def f(v):
    checkify.check(jnp.all(v > 0), "must be positive: {}", v[0])
    return jnp.log(v)
err, out = jax.jit(checkify.checkify(f))(jnp.array([-1.0, 2.0]))
print(err.get(), checkify.checkify(f)(jnp.array([1.0]))[0].get())
try: err.throw()
except checkify.JaxRuntimeError as e: print("raised")
from jax.test_util import check_grads
check_grads(lambda v: jnp.sum(jnp.sin(v) * v), (jnp.arange(3.0),), order=2)
try: check_grads(jax.custom_jvp(lambda v: v * 2.0), (1.0,), order=1)
except Exception as e: print(type(e).__name__)
print(isinstance(jnp.ones(2), jax.core.Tracer))
jax.jit(lambda x: print(isinstance(x, jax.core.Tracer)))(1.0)
jax.grad(lambda x: (print(isinstance(x, jax.core.Tracer)), x)[1])(1.0)
