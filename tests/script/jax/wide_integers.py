# Integers of 64 bits without a sign, dtypes of functions of integers with and without x64.
import jax
import jax.numpy as jnp
import numpy as np
import torch

print(torch.tensor([-5]).to(torch.uint64).tolist())
for x64 in (False, True):
    jax.config.update("jax_enable_x64", x64)
    for f in (jnp.sin, jnp.mean, jnp.angle, jnp.rint, jnp.linalg.norm, jax.nn.sigmoid):
        row = []
        for d in (bool, jnp.int8, jnp.int32, jnp.uint8, jnp.float16, jnp.float32):
            try:
                row.append(str(f(jnp.ones(2, d)).dtype))
            except TypeError as e:
                row.append("TypeError")
        print(x64, f.__name__, row)
x = jnp.array([-5]).astype(jnp.uint64)
print(x.tolist(), x, x[0].item(), int(x[0]), np.asarray(x))
