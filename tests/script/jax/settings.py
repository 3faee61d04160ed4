# jax.config's options as contexts and as decorators; NaN and infinities that are looked for.
import contextlib
import io
import jax
import jax.numpy as jnp


def caught(f, *args):
    try:
        with contextlib.redirect_stdout(io.StringIO()):     # JAX says that it tries again without jit
            r = f(*args)
        print(r)
    except (AttributeError, FloatingPointError, ValueError) as e:
        print(type(e).__name__, str(e)[:60])


divide = jax.jit(lambda x, y: x / y)
zero = jnp.zeros(())
with jax.debug_nans(True):
    caught(jnp.log, jnp.float32(-1.0))
    caught(jnp.sqrt, jnp.float32(4.0))
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            divide(zero, zero)
    except FloatingPointError as e:
        print(str(e)[:32])
print(jnp.log(-1.0), divide(zero, zero))
with jax.debug_infs(True):
    caught(lambda: 1.0 / jnp.zeros(2))
    caught(lambda: jnp.log(jnp.float32(-1.0)))


@jax.debug_nans(True)
def root(x):
    return jnp.sqrt(x)


caught(root, jnp.float32(-1.0))
print(jax.debug_nans.value, jax.config.jax_debug_nans)


@jax.enable_x64(True)
def wide():
    return jnp.arange(3.0).dtype


print(wide(), jnp.arange(3.0).dtype)


@jax.default_matmul_precision("float32")
def product(a):
    return a @ a


print(product(jnp.eye(2)))
caught(jax.config.update, "jax_no_such_option", 1)
caught(jax.config.update, "jax_numpy_rank_promotion", 3)
print(jnp.float32.__name__, jnp.zeros(2, jnp.bool).dtype)

from jax.test_util import check_grads
check_grads(lambda x: x * x, (jnp.bfloat16(1.5),), 1, atol={jnp.bfloat16: 0.5, jnp.float32: 1e-3}, rtol={jnp.bfloat16: 0.5}, eps=0.5)
try:
    check_grads(lambda x: jax.lax.stop_gradient(x) * x, (jnp.float32(1.5),), 1, atol={jnp.float32: 1e-3}, rtol={jnp.float32: 1e-3})
except AssertionError:
    print("differs")
