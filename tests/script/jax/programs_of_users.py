# Optimisers, simulations, Gaussian processes, loops: short programs as users write them.
import jax
import jax.numpy as jnp
from jax import lax, random
from functools import partial
from typing import NamedTuple
import dataclasses


class State(NamedTuple):
    params: dict
    mu: dict
    nu: dict
    step: int


def adam(lr=0.05, b1=0.9, b2=0.999, eps=1e-8):
    def init(params):
        z = jax.tree.map(jnp.zeros_like, params)
        return State(params, z, z, 0)

    def update(state, grads):
        t = state.step + 1
        mu = jax.tree.map(lambda m, g: b1 * m + (1 - b1) * g, state.mu, grads)
        nu = jax.tree.map(lambda v, g: b2 * v + (1 - b2) * g ** 2, state.nu, grads)
        params = jax.tree.map(lambda p, m, v: p - lr * (m / (1 - b1 ** t)) / (jnp.sqrt(v / (1 - b2 ** t)) + eps), state.params, mu, nu)
        return State(params, mu, nu, t)

    return init, jax.jit(update)


init, update = adam()
st = init({"a": jnp.array([1.0, 2.0]), "b": jnp.array(0.5)})
loss = lambda p: jnp.sum((p["a"] - 3) ** 2) + jnp.cos(p["b"])
for _ in range(3):
    st = update(st, jax.grad(loss)(st.params))
print(st.params, st.step)


@jax.tree_util.register_dataclass
@dataclasses.dataclass
class Body:
    pos: jax.Array
    vel: jax.Array


def energy(b):
    return 0.5 * jnp.sum(b.vel ** 2) + 0.5 * jnp.sum(b.pos ** 2)


@partial(jax.jit, static_argnames="n")
def leap(b, dt, n):
    def step(b, _):
        v = b.vel - 0.5 * dt * b.pos
        p = b.pos + dt * v
        return Body(p, v - 0.5 * dt * p), energy(Body(p, v))
    return lax.scan(step, b, None, length=n)


b, e = leap(Body(jnp.array([1.0, 0.0]), jnp.array([0.0, 1.0])), 0.1, 5)
print(b.pos, b.vel, e)
print(jax.grad(lambda q: leap(Body(q, jnp.zeros(2)), 0.1, 3)[1][-1])(jnp.array([1.0, 2.0])))


def attention(q, k, v, mask=None):
    s = jnp.einsum("...qd,...kd->...qk", q, k) / jnp.sqrt(q.shape[-1])
    if mask is not None:
        s = jnp.where(mask, s, -jnp.inf)
    return jax.nn.softmax(s, -1) @ v


key = random.key(1)
q = random.normal(key, (2, 4, 3))
print(attention(q, q, q, jnp.tril(jnp.ones((4, 4), bool)))[0])
ln = lambda x, g, b: (x - x.mean(-1, keepdims=True)) / jnp.sqrt(x.var(-1, keepdims=True) + 1e-5) * g + b
print(ln(q[0], jnp.ones(3), 0.0))


def gp(xs, ys, xt, ls=1.0, noise=0.1):
    k = lambda a, b: jnp.exp(-0.5 * (a - b) ** 2 / ls ** 2)
    K = jax.vmap(lambda a: jax.vmap(lambda b: k(a, b))(xs))(xs) + noise ** 2 * jnp.eye(len(xs))
    Ks = jax.vmap(lambda a: jax.vmap(lambda b: k(a, b))(xs))(xt)
    L = jax.scipy.linalg.cho_factor(K, lower=True)
    return Ks @ jax.scipy.linalg.cho_solve(L, ys)


xs = jnp.linspace(-2, 2, 5)
print(gp(xs, jnp.sin(xs), jnp.array([0.0, 0.5])))
print(jax.grad(lambda l: gp(xs, jnp.sin(xs), jnp.array([0.5]), l).sum())(1.0))


@jax.jit
def mandel(c):
    def body(s):
        z, i = s
        zr, zi = z
        return (zr * zr - zi * zi + c[0], 2 * zr * zi + c[1]), i + 1
    return lax.while_loop(lambda s: (s[0][0] ** 2 + s[0][1] ** 2 < 4) & (s[1] < 30), body, ((0.0, 0.0), 0))[1]


grid = jnp.stack(jnp.meshgrid(jnp.linspace(-2, 0.5, 6), jnp.linspace(-1, 1, 3)), -1)
print(jax.vmap(jax.vmap(mandel))(grid))


def viterbi(logA, logB, obs):
    def step(d, o):
        s = d[:, None] + logA
        return s.max(0) + logB[:, o], s.argmax(0)
    d, back = lax.scan(step, logB[:, obs[0]], obs[1:])
    last = d.argmax()
    _, path = lax.scan(lambda s, bp: (bp[s], s), last, back, reverse=True)
    return path, last, d.max()


A = jnp.log(jnp.array([[0.7, 0.3], [0.4, 0.6]])); B = jnp.log(jnp.array([[0.5, 0.4, 0.1], [0.1, 0.3, 0.6]]))
print(viterbi(A, B, jnp.array([0, 1, 2, 2])))
print(jax.jit(lambda x, *, flip: -x if flip else x, static_argnames="flip")(2.0, flip=True))
with jax.disable_jit():
    print(jax.jit(lambda x: x + 1)(1))
jax.debug.print("x = {x} {y:.2f}", x=jnp.arange(2), y=0.5)
print(jax.named_call(lambda x: x)(1) if False else jax.device_count() >= 1, jax.default_backend())
print(jax.tree.map(jnp.shape, jax.jacrev(lambda p: p["w"] @ p["x"])({"w": jnp.ones((2, 3)), "x": jnp.ones(3)})))
f = jax.vmap(lambda p, x: p["w"] * x + p["b"], in_axes=({"w": 0, "b": None}, None))
print(f({"w": jnp.arange(3.0), "b": 1.0}, 2.0))
print(jax.block_until_ready(jnp.ones(2)), jnp.ones(2).block_until_ready().sum(), jax.device_get(jnp.arange(2)), jax.device_put(3.0))
