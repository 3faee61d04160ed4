# jax lives on the first GPU, unless it is told otherwise.
# GPU_FAKE: devices=1
import jax
import jax.numpy as jnp

assert str(jax.devices()) == "[CudaDevice(id=0)]" and jax.default_backend() == "gpu" and jax.device_count() == 1
x = jnp.arange(3.0)
assert str(x.device) == "cuda:0" and x.devices() == {jax.devices()[0]}
cpu = jax.devices("cpu")[0]
c = jax.device_put(x, cpu)
assert str(c.device) == "cpu:0" and str(jax.device_put(c, jax.devices()[0]).device) == "cuda:0"
with jax.default_device(cpu):
    assert str(jnp.ones(2).device) == "cpu:0"
assert str(jnp.ones(2).device) == "cuda:0"
y = jax.jit(lambda x: jnp.sort(-x).sum())(x)
assert str(y.device) == "cuda:0" and float(y) == -3
print("ok")
