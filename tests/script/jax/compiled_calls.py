# What jit checks of its arguments, and lowered and compiled functions: trees, types, donations, and calls that do not fit.
import jax, jax.numpy as jnp
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__)
f=lambda x,y: {'a':x*2,'b':y}
l=jax.jit(f,donate_argnums=1).lower(1.,{'k':jnp.ones(3)}); c=l.compile()
print(c.in_tree, c.out_tree, l.in_avals)
print([(i.donated,i.shape) for i in jax.tree.leaves(l.args_info)])
g=jax.jit(lambda x,n: x*n,static_argnums=1).lower(jnp.ones(2),3).compile()
for q in (lambda: c(2.,{'k':jnp.ones(3)}), lambda: c([2.],{'k':jnp.ones(3)}), lambda: c(2.), lambda: c(jnp.int32(2),{'k':jnp.ones(3)}), lambda: c(2.,{'k':jnp.ones(4)}), lambda: g(jnp.ones(2)), lambda: jax.vmap(lambda v: g(v))(jnp.ones((3,2))), lambda: jax.grad(lambda v: g(v).sum())(jnp.ones(2)), lambda: jax.jit(lambda v: g(v))(jnp.ones(2)), lambda: jax.jit(lambda a: a,static_argnums=3), lambda: jax.jit(lambda a: a,donate_argnums=-2), lambda: jax.jit(lambda a: a,donate_argnames='b'), lambda: jax.jit(lambda a: a,static_argnames='a',donate_argnames='a'), lambda: jax.jit(lambda a,*r: a,static_argnums=9)(1), lambda: l.args_info[0][0].donated):
    t(q)
