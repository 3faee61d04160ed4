# Control flow under grad, vmap and jit, with trees, closures and weak carries.
import jax
import jax.numpy as jnp
from jax import lax

xs = jnp.array([0.5, -1.0, 2.0, 0.25])


def show(*values):
    for v in values:
        print(repr(v))


# cond: closures, several operands, trees out, nested
a = jnp.array([1.0, 2.0])
f = lambda p, t: lax.cond(p, lambda t: {"y": t * a, "n": 1}, lambda t: {"y": t - a, "n": 2}, t)
show(f(True, a), f(False, a), jax.jit(f)(True, a))
show(jax.grad(lambda t: lax.cond(t > 0, lambda t: t ** 3, lambda t: -t, t))(2.0))
show(jax.vmap(lambda t: lax.cond(t > 0, jnp.sqrt, lambda t: 0.0 * t, t))(xs))
show(jax.vmap(jax.grad(lambda t: lax.cond(t > 0, jnp.sqrt, lambda t: 0.0 * t, t)))(xs))
show(lax.cond(1 > 0, lambda: 1.0, lambda: 2.0))
nested = lambda t: lax.cond(t > 0, lambda t: lax.cond(t > 1, lambda t: t * 10, lambda t: t * 2, t), lambda t: t, t)
show(jax.vmap(nested)(xs), jax.vmap(jax.grad(nested))(xs))
show(lax.switch(jnp.array(2), [lambda t: t, lambda t: -t, lambda t: t * t], 3.0))
show(jax.vmap(lambda i, t: lax.switch(i, [lambda t: t, lambda t: -t, lambda t: t * t], t))(jnp.array([0, 1, 2, 7]), xs))

# while: several carries, a condition that closes over values, under vmap and jvp
def collatz(n):
    return lax.while_loop(lambda s: s[0] > 1, lambda s: (jnp.where(s[0] % 2 == 0, s[0] // 2, 3 * s[0] + 1), s[1] + 1), (n, 0))


show(collatz(6), jax.vmap(collatz)(jnp.array([1, 2, 3, 7])))
limit = jnp.float32(50.0)
doubling = lambda t: lax.while_loop(lambda s: s < limit, lambda s: s * 2, t)
show(doubling(3.0), jax.jvp(doubling, (3.0,), (1.0,)), jax.jit(doubling)(1.5))

# fori: static and traced bounds, gradients
show(lax.fori_loop(0, 5, lambda i, s: s * 2 + i, 1), jax.grad(lambda t: lax.fori_loop(0, 4, lambda i, s: s * t, 1.0))(3.0))
show(jax.jit(lambda n: lax.fori_loop(0, n, lambda i, s: s + i, 0))(5))
show(lax.fori_loop(0, 3, lambda i, s: s.at[i].set(i * 2.0), jnp.zeros(4)))
show(jax.vmap(lambda n: lax.fori_loop(0, n, lambda i, s: s + 1.0, 0.0))(jnp.array([0, 3, 5])))

# scan: trees, lengths, reverse, gradients by carry, inputs and closures
def cell(c, t):
    h, n = c
    h = jnp.tanh(h * 0.5 + t)
    return (h, n + 1), {"h": h, "sq": h * h}


(h, n), ys = lax.scan(cell, (0.0, 0), xs)
show(h, n, ys)
show(jax.grad(lambda t: lax.scan(cell, (0.0, 0), t)[0][0])(xs), jax.grad(lambda c: lax.scan(cell, (c, 0), xs)[1]["sq"].sum())(0.3))
w = jnp.array([[0.1, 0.2], [0.3, -0.4]])
roll = lambda w: lax.scan(lambda h, t: (jnp.tanh(w @ h + t), h), jnp.ones(2), xs)
show(roll(w)[1], jax.grad(lambda w: roll(w)[0].sum())(w), jax.jacfwd(lambda w: roll(w)[0])(w).shape)
show(lax.scan(lambda c, t: (c + t, c), 0.0, xs, reverse=True), lax.scan(lambda c, _: (c * 2, None), 1, None, length=5))
show(jax.vmap(lambda t: lax.scan(lambda c, a: (c + a, c * a), 0.0, t))(jnp.stack([xs, -xs])))
show(jax.jit(lambda t: lax.scan(lambda c, a: (c + a, a), jnp.zeros(()), t))(xs))
outer = lambda m: lax.scan(lambda c, row: (c + lax.scan(lambda d, e: (d + e * e, None), 0.0, row)[0], None), 0.0, m)[0]
show(outer(w), jax.grad(outer)(w), jax.hessian(outer)(w)[0, 0])

# map and associative_scan
show(lax.map(lambda r: r.sum(), w), lax.associative_scan(jnp.multiply, xs), lax.associative_scan(jnp.maximum, xs, reverse=True))
show(jax.grad(lambda t: lax.map(jnp.sin, t).sum())(xs))

# what is refused
for bad in (lambda: lax.scan(lambda c, t: (c.astype(int), t), 0.5, xs),
            lambda: lax.cond(True, lambda: 1.0, lambda: (1.0, 2.0)),
            lambda: lax.while_loop(lambda s: s, lambda s: s, 1.0),
            lambda: lax.scan(lambda c, t: c, 0.0, xs),
            lambda: lax.fori_loop(0, 3, lambda i, s: (s, s), 1.0)):
    try:
        bad()
        print("accepted")
    except TypeError:
        print("TypeError")
