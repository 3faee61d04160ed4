# rows_jax.py -- the rows of the GPU table in plain JAX: run by real JAX and, as it is, by `weft run`.
#   python rows_jax.py [ROW,ROW..]     milliseconds a call, back to back, seconds of the first call, and a number that tells results apart
import sys
import time

import jax
import jax.numpy as jnp
from jax import lax

if jax.default_backend() == "gpu":
    jax.config.update("jax_default_matmul_precision", "tensorfloat32")


def normal(seed, *shape, dtype=jnp.float32, scale=1.0):
    return (jax.random.normal(jax.random.PRNGKey(seed), shape, jnp.float32) * scale).astype(dtype)


def ew():
    x = normal(0, 256 << 20)
    return jax.jit(lambda x, w, b: jnp.tanh(x) * jax.nn.sigmoid(x) + jnp.exp(-x * x) * w + b), (x, x, x)


def softmax():
    return jax.jit(lambda x: jax.nn.softmax(x, axis=-1)), (normal(0, 65536, 4096),)


def layernorm(x, w, b):
    m = jnp.mean(x, -1, keepdims=True)
    v = jnp.mean((x - m) ** 2, -1, keepdims=True)
    return (x - m) * lax.rsqrt(v + 1e-5) * w + b


def layernorm_grad():
    f = jax.value_and_grad(lambda x, w, b: jnp.sum(layernorm(x, w, b) ** 2), argnums=(0, 1, 2))
    return jax.jit(f), (normal(0, 65536, 4096), normal(1, 4096), normal(2, 4096))


def matmul():
    return jax.jit(lambda a, b: a @ b), (normal(0, 8192, 8192, dtype=jnp.bfloat16), normal(1, 8192, 8192, dtype=jnp.bfloat16))


def sgd(loss, donate=True):
    def step(params, *data):
        g = jax.grad(loss)(params, *data)
        return jax.tree_util.tree_map(lambda p, d: p - 0.01 * d.astype(p.dtype), params, g)
    return jax.jit(step)


def mlp_train():
    bf = jnp.bfloat16
    params = (normal(0, 4096, 16384, dtype=bf, scale=0.01), normal(1, 16384, 4096, dtype=bf, scale=0.01))

    def loss(p, x, y):
        h = jax.nn.gelu(x @ p[0])
        return jnp.mean(((h @ p[1]) - y).astype(jnp.float32) ** 2)
    return sgd(loss), (params, normal(2, 8192, 4096, dtype=bf), normal(3, 8192, 4096, dtype=bf))


def nll(logits, y):
    return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(logits), y[:, None], 1))


def classes(seed, n, k):
    return jax.random.randint(jax.random.PRNGKey(seed), (n,), 0, k)


def tiny_train():
    params = (normal(0, 64, 128, scale=0.1), jnp.zeros(128), normal(1, 128, 10, scale=0.1), jnp.zeros(10))

    def loss(p, x, y):
        h = jax.nn.relu(x @ p[0] + p[1])
        return nll(h @ p[2] + p[3], y)
    return sgd(loss), (params, normal(2, 32, 64), classes(3, 32, 10))


def two_layers():
    params = (normal(0, 784, 2048, scale=0.03), jnp.zeros(2048), normal(1, 2048, 10, scale=0.02), jnp.zeros(10))

    def loss(p, x, y):
        h = jnp.tanh(x @ p[0] + p[1])
        return nll(h @ p[2] + p[3], y)
    return params, loss, normal(2, 512, 784), classes(3, 512, 10)


def hvp():
    params, loss, x, y = two_layers()
    v = tuple([jnp.ones(p.shape) for p in params])
    return jax.jit(lambda p, v, x, y: jax.jvp(lambda q: jax.grad(loss)(q, x, y), (p,), (v,))[1]), (params, v, x, y)


def persample():
    params, loss, x, y = two_layers()
    g = jax.vmap(lambda p, x, y: jax.grad(loss)(p, x[None], y[None]), (None, 0, 0))
    return jax.jit(g), (params, x, y)


def attention(q, k, v):
    s = jnp.einsum("bhqd,bhkd->bhqk", q, k).astype(jnp.float32) / (q.shape[-1] ** 0.5)
    t = q.shape[2]
    s = jnp.where(jnp.tril(jnp.ones((t, t), bool)), s, -jnp.inf)
    return jnp.einsum("bhqk,bhkd->bhqd", jax.nn.softmax(s, -1).astype(q.dtype), v)


def attention_grad():
    q = [normal(i, 4, 16, 4096, 128, dtype=jnp.bfloat16) for i in range(3)]
    f = jax.grad(lambda q, k, v: jnp.sum(attention(q, k, v).astype(jnp.float32)), argnums=(0, 1, 2))
    return jax.jit(f), tuple(q)


def transformer_train():
    bf, d, layers, heads, b, t, vocab = jnp.bfloat16, 1024, 6, 16, 16, 1024, 256
    block = [[jnp.ones(d, bf), jnp.zeros(d, bf), normal(10 * i, d, 3 * d, dtype=bf, scale=0.02),
              normal(10 * i + 1, d, d, dtype=bf, scale=0.02), jnp.ones(d, bf), jnp.zeros(d, bf),
              normal(10 * i + 2, d, 4 * d, dtype=bf, scale=0.02), normal(10 * i + 3, 4 * d, d, dtype=bf, scale=0.02)]
             for i in range(layers)]
    params = [normal(100, vocab, d, dtype=bf, scale=0.02), block, normal(101, d, vocab, dtype=bf, scale=0.02)]

    def ln(x, w, c):
        return layernorm(x.astype(jnp.float32), w.astype(jnp.float32), c.astype(jnp.float32)).astype(bf)

    def loss(p, ids, y):
        x = p[0][ids]
        for w1, c1, qkv, o, w2, c2, up, down in p[1]:
            h = (ln(x, w1, c1) @ qkv).reshape(b, t, 3, heads, d // heads).transpose(2, 0, 3, 1, 4)
            a = attention(h[0], h[1], h[2]).transpose(0, 2, 1, 3).reshape(b, t, d)
            x = x + a @ o
            x = x + jax.nn.gelu(ln(x, w2, c2) @ up) @ down
        return nll((x @ p[2]).astype(jnp.float32).reshape(b * t, vocab), y.reshape(-1))
    ids = jax.random.randint(jax.random.PRNGKey(7), (b, t), 0, vocab)
    return sgd(loss), (params, ids, ids)


def lstm_train():
    n = 512
    params = (normal(0, n, 4 * n, scale=0.04), normal(1, n, 4 * n, scale=0.04), jnp.zeros(4 * n))

    def loss(p, xs):
        gates = xs @ p[0] + p[2]

        def turn(carry, g):
            h, c = carry
            i, f, u, o = jnp.split(g + h @ p[1], 4, -1)
            c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(u)
            h = jax.nn.sigmoid(o) * jnp.tanh(c)
            return (h, c), h
        zero = jnp.zeros((64, n))
        return jnp.mean(lax.scan(turn, (zero, zero), gates)[1] ** 2)
    return sgd(loss), (params, normal(2, 128, 64, n))


def conv(x, w, pad=0):
    return lax.conv_general_dilated(x, w, (1, 1), [(pad, pad)] * 2, dimension_numbers=("NCHW", "OIHW", "NCHW"))


def pool(x, k, stride, pad=0):
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, 1, k, k), (1, 1, stride, stride), [(0, 0)] * 2 + [(pad, pad)] * 2)


def basic(p, x, pad=0):
    w, scale, shift = p
    x = conv(x, w, pad)
    d = x - x.mean((0, 2, 3))[:, None, None]
    v = (d * d).mean((0, 2, 3))
    return jax.nn.relu(d * (scale * lax.rsqrt(v + 0.001))[:, None, None] + shift[:, None, None])


def inception(p, x):
    return jnp.concatenate([basic(p[0], x), basic(p[2], basic(p[1], x), 1), basic(p[4], basic(p[3], x), 1),
                            basic(p[5], pool(x, 3, 1, 1))], 1)


def inception_train():
    def parts(seed, inp, ch1, r3, ch3, r5, ch5, ch6):
        shapes = [(ch1, inp, 1), (r3, inp, 1), (ch3, r3, 3), (r5, inp, 1), (ch5, r5, 3), (ch6, inp, 1)]
        return [(normal(seed + i, o, n, k, k, scale=(2 / (n * k * k)) ** 0.5), jnp.ones(o), jnp.zeros(o))
                for i, (o, n, k) in enumerate(shapes)]
    params = ((normal(0, 32, 1, 3, 3, scale=0.4), jnp.ones(32), jnp.zeros(32)), parts(1, 32, 16, 16, 24, 4, 8, 16),
              parts(11, 64, 32, 32, 48, 8, 16, 24), normal(21, 120, 10, scale=0.1), jnp.zeros(10))

    def loss(p, x, y):
        x = pool(basic(p[0], x, 1), 2, 2)
        x = inception(p[2], pool(inception(p[1], x), 2, 2))
        return nll(x.mean((2, 3)) @ p[3] + p[4], y)
    return sgd(loss), (params, normal(22, 2048, 1, 28, 28), classes(23, 2048, 10))


def while_():
    f = jax.jit(lambda x: lax.while_loop(lambda x: x > 1.0, lambda x: x * 0.999, x))
    return f, (jnp.float32(2.717),)


ROWS = {"ew": ew, "softmax": softmax, "layernorm_grad": layernorm_grad, "matmul": matmul, "mlp_train": mlp_train,
        "tiny_train": tiny_train, "inception_train": inception_train, "transformer_train": transformer_train, "attention_grad": attention_grad,
        "lstm_train": lstm_train, "hvp": hvp, "persample": persample, "while": while_}


def wait(x):
    jax.block_until_ready(x)
    return x


def digest(y, x):
    """The sum of all magnitudes in y; of a step of training, of what it changes in x."""
    y, x = jax.tree_util.tree_leaves(y), jax.tree_util.tree_leaves(x)
    step = len(y) > 1 and [a.shape for a in y] == [a.shape for a in x]
    parts = [a.astype(jnp.float32) - b.astype(jnp.float32) if step else a.astype(jnp.float32) for a, b in zip(y, x if step else y)]
    return sum([float(jnp.sum(jnp.abs(p))) for p in parts])


def measure(name):
    f, args = ROWS[name]()
    wait(args)
    t0 = time.perf_counter()
    y = wait(f(*args))
    first = time.perf_counter() - t0
    told = digest(y, args[0])
    n = 1
    for _ in range(3):
        wait(f(*args))
    while True:
        t0 = time.perf_counter()
        for _ in range(n):
            y = f(*args)
        wait(y)
        spent = time.perf_counter() - t0
        if spent > 0.3 or n >= 10000:
            break
        n = max(n + 1, min(int(n * 0.4 / max(spent, 1e-6)) + 1, n * 20))
    print(f"{name:18} {spent / n * 1e3:10.4f} ms   first {first:6.2f} s   digest {told:.6g}", flush=True)


for name in (sys.argv[1].split(",") if len(sys.argv) > 1 else ROWS):
    try:
        measure(name)
    except Exception as e:
        print(f"{name:18} {type(e).__name__}: {str(e)[:300]}", flush=True)
