# Keys of every generator: their words, what is drawn by them, and what is refused.
import jax, jax.numpy as jnp, numpy as np
from jax import lax, random
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__)
key=jnp.array([1,2,3,4],jnp.uint32)
for dt in ('uint8','uint16','uint32'): print(*lax.rng_bit_generator(key,(3,3),dtype=dt))
for impl in ('threefry2x32','rbg','unsafe_rbg'):
    k=random.key(7,impl=impl); print(k, k.dtype, k.shape, random.key_impl(k), random.key_data(random.split(k,3)).tolist(), random.key_data(random.fold_in(k,3)), random.key_data(random.split(k,(2,2))).shape)
    print(random.PRNGKey(3,impl=impl))
    for f in (lambda: random.bits(k,(3,)), lambda: random.uniform(k,(3,)), lambda: random.uniform(k,(3,),'bfloat16'), lambda: random.uniform(k,(3,),'float16',-1,2), lambda: random.normal(k,(3,)), lambda: random.bernoulli(k,.3,(6,)), lambda: random.randint(k,(5,),0,10), lambda: random.randint(k,(5,),-3,100,'int8'), lambda: random.permutation(k,5), lambda: random.permutation(k,jnp.arange(6).reshape(3,2),independent=True), lambda: random.gumbel(k,(3,)), lambda: random.exponential(k,(3,)), lambda: random.laplace(k,(3,)), lambda: random.logistic(k,(3,)), lambda: random.cauchy(k,(3,)), lambda: random.truncated_normal(k,-1.,1.,(3,)), lambda: random.rademacher(k,(5,)), lambda: random.categorical(k,jnp.arange(4.),shape=(5,)), lambda: random.choice(k,10,(4,),replace=False), lambda: random.gamma(k,2.5,(3,)), lambda: random.poisson(k,3.,(4,)), lambda: random.beta(k,2.,3.,(2,)), lambda: random.dirichlet(k,jnp.ones(3)), lambda: random.split(k)[0]==random.split(k), lambda: hash(k), lambda: np.asarray(k), lambda: k[0], lambda: k+1, lambda: jax.jit(lambda q: random.normal(q,(2,)))(k), lambda: jax.vmap(lambda q: random.uniform(q))(random.split(k,3))): t(f)
for f in (lambda: random.key(0,impl='foo'), lambda: random.key(jnp.arange(3)), lambda: random.key(1.5), lambda: random.key(random.key(1)), lambda: random.split(random.split(random.key(0))), lambda: random.wrap_key_data(jnp.arange(3,dtype='uint32')), lambda: random.wrap_key_data(jnp.arange(4,dtype='uint32'),impl='rbg'), lambda: random.normal(jnp.arange(4,dtype='uint32')), lambda: random.normal(3), lambda: random.key(0,dtype=random.key_dtype('rbg')), lambda: random.fold_in(random.key(0),jnp.arange(2))): t(f)
with jax.default_prng_impl('rbg'):
    print(random.PRNGKey(1), random.normal(random.PRNGKey(1),(2,)), random.key(1).dtype)
