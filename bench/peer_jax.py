"""peer_jax.py -- the rows in JAX, under jit."""

import os
import sys

threads = int(sys.argv[2])
os.sched_setaffinity(0, set(sorted(os.sched_getaffinity(0))[:threads]))  # the only way to limit its threads
os.environ["JAX_PLATFORMS"] = "cpu"

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from jax import lax  # noqa: E402
from rows import GPT  # noqa: E402
from worker import serve  # noqa: E402

ROWS = {}


def row(f):
    ROWS[f.__name__.rstrip("_")] = lambda arrays: f(*[jnp.asarray(a) for a in arrays])
    return f


def wait(xs):
    for x in xs:
        x.block_until_ready()
    return xs


def forward(f, *x):
    f, x = jax.jit(f), jax.block_until_ready(x)

    def run():
        y = f(*x)
        return wait(list(y) if isinstance(y, (list, tuple)) else [y])

    return run


@row
def ew(x, w, b):
    return forward(lambda x, w, b: jnp.tanh(x) * jax.nn.sigmoid(x) + jnp.exp(-x * x) * w + b, x, w, b)


@row
def softmax(x):
    return forward(lambda x: jax.nn.softmax(x, -1), x)


def norm(x, w, b):
    m = x.mean(-1, keepdims=True)
    d = x - m
    return d * lax.rsqrt((d * d).mean(-1, keepdims=True) + 1e-5) * w + b


@row
def layernorm(x, w, b):
    return forward(norm, x, w, b)


@row
def layernorm_grad(x, w, b):
    f = jax.value_and_grad(lambda x, w, b: (norm(x, w, b) ** 2).sum(), (0, 1, 2))
    return forward(lambda *a: (lambda y, g: [y, *g])(*f(*a)), x, w, b)


@row
def matmul(x, y):
    return forward(lambda x, y: x @ y, x, y)


@row
def eigh(x):
    return forward(lambda x: jnp.linalg.eigh(x)[0], x)


@row
def svd(x):
    return forward(lambda x: jnp.linalg.svd(x, full_matrices=False)[1], x)


@row
def qr(x):
    return forward(lambda x: jnp.abs(jnp.linalg.qr(x)[1]), x)


@row
def solve(a, b):
    return forward(lambda a, b: jnp.linalg.solve(a, b) + jnp.linalg.cholesky(a), a, b)


def linear(x, w, b):
    return x @ w.T + b


def net(p, x):
    for i in range(0, len(p) - 2, 2):
        x = jax.nn.relu(linear(x, p[i], p[i + 1]))
    return linear(x, p[-2], p[-1])


def cross_entropy(z, y):
    z = jax.nn.log_softmax(z)
    return -jnp.take_along_axis(z, y[..., None], -1).mean()


def loss_of(p, x, y):
    return cross_entropy(net(p, x), y)


def training(loss, params, data, state=(), lr=0.01):
    """loss(params, state, *data) -> (loss, state); the old parameters are given away"""

    def step(p, s, *data):
        (y, s), g = jax.value_and_grad(loss, has_aux=True)(p, s, *data)
        return y, [a - lr * b for a, b in zip(p, g)], s

    step = jax.jit(step, donate_argnums=(0, 1))
    held = [[jnp.array(p) for p in params], [jnp.array(s) for s in state]]

    def run():
        y, held[0], held[1] = step(*held, *data)
        return wait([y, *held[0]])

    return run


@row
def mlp_train(*a):
    return training(lambda p, s, x, y: (loss_of(p, x, y), s), a[:-2], a[-2:])


@row
def tiny_train(*a):
    return mlp_train(*a)


@row
def tiny_infer(*a):
    return forward(lambda *a: net(a[:-1], a[-1]), *a)


def conv(x, w, padding=0):
    return lax.conv_general_dilated(x, w, (1, 1), [(padding, padding)] * 2, dimension_numbers=("NCHW", "OIHW", "NCHW"))


def pool(x, k, stride, padding=0):
    pads = [(0, 0)] * 2 + [(padding, padding)] * 2
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, 1, k, k), (1, 1, stride, stride), pads)


class Parts:
    def __init__(self, params, buffers):
        self.p, self.b, self.out = iter(params), iter(buffers), []

    def basic(self, x, padding=0):
        x = conv(x, next(self.p), padding)
        w, b, mean, var = next(self.p), next(self.p), next(self.b), next(self.b)
        m = x.mean((0, 2, 3))
        d = x - m[:, None, None]
        v = (d * d).mean((0, 2, 3))
        n = x.size // x.shape[1]
        self.out += [0.9 * mean + 0.1 * m, 0.9 * var + 0.1 * v * (n / (n - 1))]
        return jax.nn.relu(d * (w * lax.rsqrt(v + 0.001))[:, None, None] + b[:, None, None])

    def inception(self, x):
        a = self.basic(x)
        b = self.basic(self.basic(x), 1)
        c = self.basic(self.basic(x), 1)
        return jnp.concatenate([a, b, c, self.basic(pool(x, 3, 1, 1))], 1)

    def head(self, x):
        return linear(x.mean((2, 3)), next(self.p), next(self.p))


@row
def inception_train(*a):
    def loss(p, s, x, y):
        m = Parts(p, s)
        x = pool(m.basic(x, 1), 2, 2)
        x = pool(m.inception(x), 2, 2)
        return cross_entropy(m.head(m.inception(x)), y), m.out

    return training(loss, a[:41], a[-2:], a[41:-2])


def gpt_loss(p, s, tokens, target):
    p = iter(p)
    take = lambda: (next(p), next(p))
    d, h = GPT["size"], GPT["heads"]
    n, t = tokens.shape
    x = next(p)[tokens] + next(p)
    mask = jnp.tril(jnp.ones((t, t), bool))
    for _ in range(GPT["layers"]):
        ln1, qkv, proj, ln2, up, down = [take() for _ in range(6)]
        q, k, v = linear(norm(x, *ln1), *qkv).reshape(n, t, 3, h, d // h).transpose(2, 0, 3, 1, 4)
        w = jnp.where(mask, q @ k.swapaxes(-1, -2) * (d // h) ** -0.5, -jnp.inf)
        y = (jax.nn.softmax(w, -1) @ v).swapaxes(1, 2).reshape(n, t, d)
        x = x + linear(y, *proj)
        x = x + linear(jax.nn.gelu(linear(norm(x, *ln2), *up), approximate=False), *down)
    ln, head = take(), take()
    return cross_entropy(linear(norm(x, *ln), *head).reshape(n * t, -1), target), s


@row
def transformer_train(*a):
    return training(gpt_loss, a[:-2], a[-2:])


def lstm_forward(x, wi, wh, bi, bh):
    a = linear(x, wi, bi + bh)
    zeros = jnp.zeros((32, 256), jnp.float32)

    def step(state, a):
        h, c = state
        i, f, g, o = jnp.split(a + h @ wh.T, 4, -1)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), h

    return lax.scan(step, (zeros, zeros), a)[1]


@row
def lstm(*a):
    return forward(lstm_forward, *a)


@row
def lstm_train(x, *w):
    f = jax.value_and_grad(lambda *w: (lstm_forward(x, *w) ** 2).sum(), (0, 1, 2, 3))
    return forward(lambda *w: (lambda y, g: [y, *g])(*f(*w)), *w)


@row
def hvp(*a):
    p, x, y, v = list(a[:4]), a[4], a[5], list(a[6:])
    return forward(lambda p, v: jax.jvp(jax.grad(lambda p: loss_of(p, x, y)), (p,), (v,))[1], p, v)


@row
def persample(*a):
    p, x, y = list(a[:4]), a[4], a[5]
    one = jax.grad(lambda p, x, y: -jax.nn.log_softmax(net(p, x))[y])
    return forward(jax.vmap(one, (None, 0, 0)), p, x, y)


@row
def while_(x):
    return forward(lambda x: lax.while_loop(lambda x: x > 1, lambda x: x * 0.99999, x), x)


serve("jax", ROWS, np.asarray)
