# Keys of the generators that hash a counter: seeds, keys of keys, bits of all widths, what is drawn, under jit and vmap.
import jax
import jax.numpy as jnp

for impl in ("philox2x32", "philox4x32", "threefry4x32"):
    key = jax.random.key(3, impl=impl)
    print(impl, jax.random.key_data(key), key.dtype, jax.random.key_impl(key), jax.random.key_data(jax.random.key(-5, impl=impl)))
    print(jax.random.key_data(jax.random.split(key)), jax.random.key_data(jax.random.split(key, (2, 2))).shape, jax.random.key_data(jax.random.fold_in(key, 5)))
    print(jax.random.bits(key, (5,)), jax.random.bits(key, (3,), jnp.uint8), jax.random.bits(key, (2, 2), jnp.uint16), jax.random.bits(key))
    print(jax.random.uniform(key, (2, 2)).round(4), jax.random.randint(key, (4,), 0, 100), jax.random.permutation(key, 6), jax.random.bernoulli(key, 0.5, (5,)))
    print((jax.random.normal(key, (3,)) * 1000).astype(int), jax.random.categorical(key, jnp.zeros(4), shape=(5,)), jax.random.choice(key, 5, (3,)), jax.random.uniform(key, (3,), jnp.float16))
    print(jax.jit(lambda k: jax.random.uniform(jax.random.split(k)[1]))(key).round(4), jax.vmap(lambda k: jax.random.bits(k, (2,)))(jax.random.split(key, 3)))
    print(jax.vmap(lambda i: jax.random.key_data(jax.random.fold_in(key, i)))(jnp.arange(2)), jax.random.key_data(jax.random.wrap_key_data(jax.random.key_data(key), impl=impl)))
    print(jax.random.PRNGKey(7, impl=impl), jax.random.clone(key).shape)
try:
    jax.random.key(0, impl="philox")
except ValueError as e:
    print(e)
jax.config.update("jax_enable_x64", True)
for impl in ("philox2x32", "philox4x32", "threefry4x32"):
    key = jax.random.key(2 ** 40 + 7, impl=impl)
    print(jax.random.bits(key, (2,), jnp.uint64), jax.random.uniform(key, (2,), jnp.float64), jax.random.key_data(key))
