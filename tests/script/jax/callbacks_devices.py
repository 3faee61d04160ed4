# Programs on several devices call functions of Python, which run one at a time.
import os
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"
import jax, jax.numpy as jnp, numpy as np

seen = []

@jax.pmap
def f(x):
    jax.debug.callback(lambda a: seen.append(float(a)), x)
    y = jax.pure_callback(lambda a: np.float32(a * 10), jax.ShapeDtypeStruct((), jnp.float32), x)
    return y + 1

print(f(jnp.arange(4.0)))
jax.effects_barrier()
print(sorted(seen))

@jax.pmap
def bad(x):
    jax.debug.callback(lambda a: 1 / 0 if a > 1 else None, x)
    return x

try:
    print(bad(jnp.arange(4.0)))
    jax.effects_barrier()
except Exception as e:
    print(type(e).__name__, str(e).strip().split("\n")[-1])
print(f(jnp.arange(4.0)))
