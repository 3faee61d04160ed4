# Under a derivative the value of a function with a rule of its own is the rule's, in bodies of control flow and under checkpoint, too;
# reverse derivatives of a function with a rule for vmap are refused.
import jax
import jax.numpy as jnp
from jax import lax


@jax.custom_jvp
def f(x):
    return x * 2.0


@f.defjvp
def _(primals, tangents):
    return primals[0] * 5.0, tangents[0] * 7.0      # another value


@jax.custom_vjp
def g(x):
    return x * 2.0


g.defvjp(lambda x: (x * 5.0, None), lambda r, t: (t * 7.0,))


def shown(tree):
    return jax.tree.map(lambda v: v.tolist() if hasattr(v, "tolist") else v, tree)


for h in (f, g):
    scan = lambda x: lax.scan(lambda c, _: (h(c), c), x, None, length=3)[0]
    loop = lambda x: lax.fori_loop(0, 2, lambda i, c: h(c) * c, x)
    cond = lambda x: lax.cond(x > 0, lambda v: h(v) ** 2, lambda v: v, x)
    switch = lambda x: lax.switch(1, [lambda v: v, lambda v: h(v) * 3], x)
    held = lambda x: lax.scan(lambda c, a: (c + h(x * a), None), 0.0, jnp.arange(1.0, 3.0))[0]      # by what the body closes over
    kept = jax.checkpoint(lambda v: h(v) ** 2)
    for k in (scan, loop, cond, switch, held, kept):
        print(shown([k(1.0), jax.value_and_grad(k)(1.0), jax.value_and_grad(jax.jit(k))(1.0), jax.jit(jax.value_and_grad(k))(1.0),
                     jax.jit(jax.value_and_grad(jax.jit(k)))(1.0), jax.vjp(k, 1.0)[0], k(1.0), jax.jit(k)(1.0)]))
    total = lambda x: lax.map(h, x).sum()
    print(shown([total(jnp.arange(3.0)), jax.value_and_grad(total)(jnp.arange(3.0)), jax.vmap(jax.value_and_grad(scan))(jnp.arange(3.0))]))
    print(shown(jax.value_and_grad(lambda x: x * scan(2.0))(3.0)))          # nothing is taken of the loop
turns = lambda x: lax.while_loop(lambda c: c[1] < 3, lambda c: (f(c[0]), c[1] + 1), (x, 0))[0]
print(shown([turns(1.0), jax.jvp(turns, (1.0,), (1.0,)), jax.linearize(turns, 1.0)[0], jax.jit(lambda x: jax.jvp(turns, (x,), (x,)))(1.0)]))


@jax.custom_batching.custom_vmap
def k(x):
    return x * 2


@k.def_vmap
def _(n, batched, x):
    return x * 3, batched[0]


def t(fn):
    try:
        print(shown(fn()))
    except Exception as e:
        print(type(e).__name__, str(e)[:100])


t(lambda: jax.vmap(k)(jnp.ones(2)))
t(lambda: jax.jvp(k, (1.0,), (1.0,)))
t(lambda: jax.grad(k)(1.0))
t(lambda: jax.vmap(jax.grad(k))(jnp.ones(2)))
t(lambda: jax.grad(lambda x: jax.vmap(k)(x).sum())(jnp.ones(2)))
