# What is read outside an array with mode="fill", by dtype.
import jax.numpy as jnp

i = jnp.array([-6, -5, 0, 4, 5])
for d in ("int8", "int16", "int32", "uint8", "uint16", "uint32", "float16", "bfloat16", "float32", "complex64", "bool"):
    x = (jnp.arange(5) + 1).astype(d)
    print(d, x.at[i].get(mode="fill"), x.at[i].get(mode="fill", fill_value=1), x.at[i].get(mode="clip"), jnp.take(x, i))
