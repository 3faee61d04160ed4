# Models: a convolutional network, an LSTM, states, hidden Markov chains, integrators, samplers.
import jax, jax.numpy as jnp
from jax import lax, random
import dataclasses
from functools import partial

# CNN with pooling, trained
def conv(x, w, b):
    y = lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
    return jax.nn.relu(y + b)
def pool(x):
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
def net(p, x):
    x = pool(conv(x, p["c1"], p["b1"]))
    x = conv(x, p["c2"], p["b2"])
    x = x.mean(axis=(1, 2))
    return x @ p["w"] + p["b"]
k = random.split(random.key(0), 4)
p = {"c1": random.normal(k[0], (3, 3, 1, 4)) * 0.3, "b1": jnp.zeros(4), "c2": random.normal(k[1], (3, 3, 4, 4)) * 0.3,
     "b2": jnp.zeros(4), "w": random.normal(k[2], (4, 3)), "b": jnp.zeros(3)}
x = random.normal(k[3], (6, 8, 8, 1)); y = jnp.array([0, 1, 2, 0, 1, 2])
def loss(p, x, y):
    logp = jax.nn.log_softmax(net(p, x))
    return -jnp.take_along_axis(logp, y[:, None], axis=1).mean()
@partial(jax.jit, donate_argnums=(0,))
def step(p, x, y):
    l, g = jax.value_and_grad(loss)(p, x, y)
    return jax.tree.map(lambda a, b: a - 0.5 * b, p, g), l
for i in range(5):
    p, l = step(p, x, y)
    print(i, f"{l:.5f}")

# LSTM
def lstm_cell(p, carry, x):
    h, c = carry
    z = p["wx"] @ x + p["wh"] @ h + p["b"]
    i, f, g, o = jnp.split(z, 4)
    c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
    h = jax.nn.sigmoid(o) * jnp.tanh(c)
    return (h, c), h
def run(p, xs):
    (h, c), hs = lax.scan(partial(lstm_cell, p), (jnp.zeros(3), jnp.zeros(3)), xs)
    return hs
key = random.PRNGKey(1)
k1, k2, k3 = random.split(key, 3)
lp = {"wx": random.normal(k1, (12, 2)), "wh": random.normal(k2, (12, 3)) * 0.1, "b": jnp.zeros(12)}
seq = random.normal(k3, (5, 2))
print(run(lp, seq).shape, run(lp, seq)[-1])
print(jax.tree.map(lambda g: round(float(jnp.linalg.norm(g)), 4), jax.grad(lambda p: run(p, seq).sum())(lp)))
print(jax.vmap(run, in_axes=(None, 0))(lp, jnp.stack([seq, -seq])).sum(axis=(1, 2)))

@jax.tree_util.register_dataclass
@dataclasses.dataclass
class State:
    pos: jax.Array
    vel: jax.Array
    dt: float = dataclasses.field(metadata=dict(static=True), default=0.1)

@jax.jit
def leap(s):
    acc = -s.pos
    vel = s.vel + s.dt * acc
    return dataclasses.replace(s, pos=s.pos + s.dt * vel, vel=vel)
s = State(jnp.array([1.0, 0.0]), jnp.array([0.0, 1.0]))
for _ in range(10):
    s = leap(s)
print(s.pos, s.vel, s.dt, jax.tree.leaves(s))

# HMM forward algorithm in log space
def forward(log_pi, log_a, log_b, obs):
    def step(alpha, o):
        alpha = jax.nn.logsumexp(alpha[:, None] + log_a, axis=0) + log_b[:, o]
        return alpha, alpha
    a0 = log_pi + log_b[:, obs[0]]
    last, _ = lax.scan(step, a0, obs[1:])
    return jax.nn.logsumexp(last)
A = jnp.array([[0.7, 0.3], [0.4, 0.6]]); B = jnp.array([[0.5, 0.4, 0.1], [0.1, 0.3, 0.6]]); pi = jnp.array([0.6, 0.4])
obs = jnp.array([0, 1, 2, 1, 0])
print(forward(jnp.log(pi), jnp.log(A), jnp.log(B), obs), jax.grad(lambda l: forward(jnp.log(pi), l, jnp.log(B), obs))(jnp.log(A)))

# Sinkhorn, RK4 ODE, metropolis
def sinkhorn(c, eps=0.1, n=50):
    kk = jnp.exp(-c / eps)
    u, v = lax.fori_loop(0, n, lambda i, uv: (1 / (kk @ uv[1]), 1 / (kk.T @ (1 / (kk @ uv[1])))), (jnp.ones(3), jnp.ones(3)))
    return u[:, None] * kk * v[None]
print(sinkhorn(jnp.abs(jnp.arange(3.0)[:, None] - jnp.arange(3.0)[None])))
def rk4(f, y, t, h):
    k1 = f(y, t); k2 = f(y + h / 2 * k1, t + h / 2); k3 = f(y + h / 2 * k2, t + h / 2); k4 = f(y + h * k3, t + h)
    return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
def solve(theta, y0):
    f = lambda y, t: jnp.array([y[1], -theta * jnp.sin(y[0])])
    ts = jnp.arange(0, 1, 0.1)
    return lax.scan(lambda y, t: (rk4(f, y, t, 0.1), y), y0, ts)
print(solve(9.81, jnp.array([0.5, 0.0]))[0], jax.grad(lambda th: solve(th, jnp.array([0.5, 0.0]))[0][0])(9.81))
def metropolis(key, logp, x0, n):
    def step(c, key):
        x, lp = c
        k1, k2 = random.split(key)
        prop = x + random.normal(k1, x.shape)
        lpp = logp(prop)
        acc = jnp.log(random.uniform(k2)) < lpp - lp
        x, lp = jnp.where(acc, prop, x), jnp.where(acc, lpp, lp)
        return (x, lp), x
    return lax.scan(step, (x0, logp(x0)), random.split(key, n))[1]
smp = metropolis(random.key(5), lambda x: -0.5 * jnp.sum(x ** 2), jnp.zeros(2), 50)
print(smp.mean(0), smp.std(0), smp[-1])
