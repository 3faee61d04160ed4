# Running reductions, choices, histograms and softmax: axes and arguments that JAX refuses.
import jax, jax.numpy as jnp, numpy as np
def t(f):
    try: r=f(); print(r, getattr(r,'dtype',''))
    except Exception as e: print(type(e).__name__)
x=jnp.arange(6.).reshape(2,3); s=jnp.float32(2)
for f in (lambda: jax.lax.cumsum(x,-1), lambda: jax.lax.cumprod(x,2), lambda: jax.lax.cummax(x,1,True), lambda: jnp.choose(jnp.array([True,False]),[x[0,:2],x[1,:2]]), lambda: jnp.choose(jnp.array([1,0]),[x[0,:2],x[1,:2]]), lambda: jnp.min(x,where=x>1), lambda: jnp.max(x,axis=1,where=x>1,initial=-5.), lambda: jnp.histogram(x,bins=[-2.,0.,2.]), lambda: jnp.histogram(x,bins=np.array([-2.,0.,2.]))[0], lambda: jax.nn.softmax(s,axis=0), lambda: jax.nn.softmax(s,axis=-1), lambda: jax.nn.softmax(s), lambda: jnp.moveaxis(s,0,0), lambda: jnp.roll(s,3,axis=0), lambda: s[None,0], lambda: s[-1], lambda: jax.nn.softmax(x,axis=1).shape): t(f)
x=jnp.arange(6.).reshape(2,3)
from jax.scipy import special as s
print(s.softmax(x), s.log_softmax(x), s.softmax(x,axis=1), s.softmax(jnp.float32(2)), s.log_softmax(jnp.float32(2)), s.log_softmax(x,axis=0))
print(jnp.cumulative_sum(jnp.array([200,100],'uint8')).dtype, jnp.cumulative_sum(jnp.array([100,100],'int8')), jnp.cumulative_prod(jnp.array([True,True])))
