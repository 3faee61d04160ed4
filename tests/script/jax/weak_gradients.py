# Which gradients are weak, and more of what does not fit.
import re
from collections import namedtuple

import jax, jax.numpy as jnp
from jax import grad


def s(f, *a):
    try:
        print(repr(f(*a)))
    except Exception as e:
        print(type(e).__name__, re.sub(r"0x[0-9a-f]+", "0x", re.sub(r" at [^ ]*\.py:\d+", "", str(e))))


one = jnp.float32(1.)
P, Q = namedtuple("P", "a b"), namedtuple("Q", "c d")
m = lambda x, y: x


class T:
    pass


s(grad(lambda z: jnp.real(z)**2 + jnp.imag(z)**2), 3. + 4j)
s(grad(lambda z: z**2, holomorphic=True), 3. + 4j)
s(grad(lambda z: jnp.abs(z)), 3. + 4j)
s(grad(lambda z: (z * jnp.conj(z)).real), 3. + 4j)
s(grad(lambda z: jnp.real(z)), 3. + 4j)
s(lambda z: jnp.real(z), 3. + 4j)
s(lambda z: jax.vjp(jnp.real, z)[1](jnp.float32(1.)), 3. + 4j)
s(lambda z: jax.vjp(jnp.imag, z)[1](jnp.float32(1.)), 3. + 4j)
s(lambda z: jax.vjp(jnp.conj, z)[1](jnp.complex64(1.)), 3. + 4j)
s(lambda z: jax.vjp(lambda z: z * 2, z)[1](1. + 0j), 3. + 4j)
s(lambda z: jax.vjp(lambda z: z * 2, z)[1](jnp.complex64(1.)), 3. + 4j)
s(lambda z: jax.jvp(jnp.real, (z,), (1.+0j,)), 3. + 4j)
s(jax.tree.map, lambda x: x + 1, {1: 7, "y": 42})
s(jax.tree.leaves, {1: 2, "a": 3})
s(jax.vjp(lambda x: x*2, 3.)[1], one)
s(jax.vjp(jnp.sin, 3.)[1], one)
s(jax.vjp(jnp.sin, 3.)[1], 1.)
s(jax.vjp(lambda x: x, 3.)[1], one)
s(jax.vjp(lambda x: x*jnp.float32(2), 3.)[1], 1.)
s(grad(lambda x: jnp.float32(2)*x), 3.)
s(grad(lambda x: (x * jnp.array([1., 2.])).sum()), 3.)
s(grad(lambda x: jnp.abs(x * 1j)), 3.)
s(grad(lambda x: jnp.real(x * 1j*x)), 3.)
s(jax.vjp(lambda x: x, 1.)[1], 1)
s(jax.vjp(lambda x: x, 1.)[1])
s(jax.tree.map, lambda x, y: x, [1, 2], [1])
s(jax.tree.map, lambda x, y: x, [1, 2], (1, 2))
s(jax.tree.map, lambda x, y: x, {"a": 1}, {"b": 1})
s(jax.tree.unflatten, jax.tree.structure([1, 2]), [1])
s(jax.tree.map, lambda x, y: x, [1, [2]], [1, 2])
s(jax.tree.map, lambda x: x, None)
s(jax.tree.map, lambda x, y: x, None, 1)
s(jax.tree.map, m, {"a": 1}, {"a": 1, "b": 2})
s(jax.tree.map, m, {"a": 1, "c": 2}, {"a": 1, "b": 2})
s(jax.tree.map, m, {"a": [1, 2]}, {"a": [1]})
s(jax.tree.map, m, P(1, 2), Q(1, 2))
s(jax.tree.map, m, P(1, 2), (1, 2))
s(jax.tree.map, m, [1], None)
s(jax.tree.map, m, [1], 3)
s(jax.tree.map, m, (1, 2), (1, 2, 3))
s(jax.tree.map, m, [jnp.ones(2)], jnp.ones(2))
s(jax.tree.map, m, [], [1])
s(jax.tree.map, lambda x, y, z: x, [1, 2], [1, 2], [1])
