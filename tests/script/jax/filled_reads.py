# What is read outside an array with mode="fill", by dtype; functions of places that are named twice.
import jax
import jax.numpy as jnp

i = jnp.array([-6, -5, 0, 4, 5])
for d in ("int8", "int16", "int32", "uint8", "uint16", "uint32", "float16", "bfloat16", "float32", "complex64", "bool"):
    x = (jnp.arange(5) + 1).astype(d)
    print(d, x.at[i].get(mode="fill"), x.at[i].get(mode="fill", fill_value=1), x.at[i].get(mode="clip"), jnp.take(x, i))
x=jnp.arange(4.)+1
for i in (jnp.array([0,0,2]), jnp.array([0,0,0]), jnp.array([-1,3,9]), (slice(1,3),), 2):
    print(x.at[i].apply(lambda v: v*2), x.at[i].apply(jnp.sin))
m=jnp.arange(6.).reshape(2,3)
print(m.at[jnp.array([0,0]),jnp.array([1,1])].apply(lambda v: v+10), m.at[jnp.array([1,1])].apply(lambda v: v*2), m.at[m>3].apply(jnp.negative))
print(jax.jit(lambda x: x.at[jnp.array([0,0,2])].apply(lambda v: v*2))(x))
