"""rows.py -- what is measured: for each row its inputs, its limits and its tolerance.

A row's inputs are made here once, from a seed, and given to all systems as .npy files. Parameters come in
PyTorch's order. `flops` and `bytes` are what the row cannot do without: contractions, and the inputs and
results that do not stay in a cache (0: they do).
"""

import math

import numpy as np

ROWS = {}  # name -> Row, in the order of the table


class Row:
    def __init__(self, name, inputs, work, flops=0, bytes=0, tol=2e-4, compute=True, target=0.97, train=False):
        self.name, self.inputs, self.work = name, inputs, work
        self.flops, self.bytes, self.tol = flops, bytes, tol
        self.compute = compute  # counts in the geometric mean
        self.target = target  # ratio to the best peer, at least
        self.train = train  # first call and peak memory are reported
        ROWS[name] = self


def normal(rng, *shape, scale=1.0):
    return (rng.standard_normal(shape) * scale).astype(np.float32)


def linear(rng, out, inp):
    """weight [out, in] and bias [out]"""
    return [normal(rng, out, inp, scale=1 / math.sqrt(inp)), normal(rng, out, scale=0.1)]


def classes(rng, n, *shape):
    return rng.integers(0, n, shape, dtype=np.int64)


MI = 1 << 20
EW = 16 * MI
Row("ew", lambda r: [normal(r, EW), normal(r, EW), normal(r, EW)],
    "tanh(x)*sigmoid(x)+exp(-x*x)*w+b, 16 Mi elements", bytes=4 * 4 * EW, target=3)
Row("softmax", lambda r: [normal(r, 4096, 1024)], "rows 4096x1024", bytes=2 * 4 * 4 * MI)
Row("layernorm", lambda r: [normal(r, 4096, 1024), normal(r, 1024), normal(r, 1024)],
    "rows 4096x1024, weight and bias", bytes=2 * 4 * 4 * MI)
Row("layernorm_grad", lambda r: [normal(r, 4096, 1024), normal(r, 1024), normal(r, 1024)],
    "value and three gradients of sum(ln(x)**2)", bytes=2 * 4 * 4 * MI, target=3)
Row("matmul", lambda r: [normal(r, 1024, 1024), normal(r, 1024, 1024)], "1024 cubed", flops=2 * 1024**3)


# ---- factorisations: results that do not depend on signs; LAPACK is the peer of PyTorch and JAX --------------


def factored(rng):
    """a symmetric matrix and a definite one"""
    a = normal(rng, 512, 512)
    return [a + a.T, (a @ a.T / 512 + np.eye(512)).astype(np.float32)]


Row("eigh", lambda r: factored(r)[:1], "512x512, vectors too", compute=False, target=0.5, tol=1e-3)
Row("svd", lambda r: [normal(r, 512, 512)], "512x512, vectors too", compute=False, target=0.5, tol=1e-3)
Row("qr", lambda r: [normal(r, 512, 512)], "512x512", compute=False, target=0.5, tol=1e-3)
Row("solve", lambda r: factored(r)[1:] + [normal(r, 512, 512)], "512x512, LU and Cholesky", compute=False, target=0.5, tol=1e-3)


# ---- multilayer perceptrons: parameters, x, y ---------------------------------------------------------------


def mlp(sizes, batch):
    def inputs(rng):
        params = [p for a, b in zip(sizes, sizes[1:]) for p in linear(rng, b, a)]
        return params + [normal(rng, batch, sizes[0]), classes(rng, sizes[-1], batch)]

    return inputs


def mlp_flops(sizes, batch, train):
    """forward, gradients of weights, gradients of inputs but the first"""
    each = [2 * batch * a * b for a, b in zip(sizes, sizes[1:])]
    return sum(each) * (3 if train else 1) - (each[0] if train else 0)


BIG, TINY, TWO = (784, 512, 512, 10), (64, 128, 10), (784, 512, 10)
Row("mlp_train", mlp(BIG, 64), "784-512-512-10, batch 64, SGD step", flops=mlp_flops(BIG, 64, True), target=1.1,
    train=True)
Row("tiny_train", mlp(TINY, 32), "64-128-10, batch 32, SGD step", flops=mlp_flops(TINY, 32, True), target=5, train=True)
Row("tiny_infer", lambda r: mlp(TINY, 1)(r)[:-1], "64-128-10, batch 1", flops=mlp_flops(TINY, 1, False), target=3)

# ---- convolutions: parameters, batch-norm buffers (mean, variance), x, y ------------------------------------


def basic(out, inp, k):
    """convolution without bias, and batch norm"""
    return [("conv", (out, inp, k, k)), ("bn", (out,))]


def inception(inp, ch1, r3, ch3, r5, ch5, pool):
    return (basic(ch1, inp, 1) + basic(r3, inp, 1) + basic(ch3, r3, 3) + basic(r5, inp, 1) + basic(ch5, r5, 3) +
            basic(pool, inp, 1))


SMALL = basic(32, 1, 3) + inception(32, 16, 16, 24, 4, 8, 16) + inception(64, 32, 32, 48, 8, 16, 24)
GOOGLENET = [
    (192, 64, 96, 128, 16, 32, 32), (256, 128, 128, 192, 32, 96, 64), (480, 192, 96, 208, 16, 48, 64),
    (512, 160, 112, 224, 24, 64, 64), (512, 128, 128, 256, 24, 64, 64), (512, 112, 144, 288, 32, 64, 64),
    (528, 256, 160, 320, 32, 128, 128), (832, 256, 160, 320, 32, 128, 128), (832, 384, 192, 384, 48, 128, 128)]
LARGE = basic(64, 3, 7) + basic(64, 64, 1) + basic(192, 64, 3) + [p for b in GOOGLENET for p in inception(*b)]


def conv_net(parts, features, labels):
    def inputs(rng):
        params, buffers = [], []
        for kind, shape in parts:
            if kind == "conv":
                params.append(normal(rng, *shape, scale=math.sqrt(2 / np.prod(shape[1:]))))
            else:
                params += [1 + normal(rng, *shape, scale=0.1), normal(rng, *shape, scale=0.1)]
                buffers += [normal(rng, *shape, scale=0.1), 0.5 + rng.random(shape, dtype=np.float32)]
        return params + linear(rng, labels, features) + buffers

    return inputs


def conv_flops(parts, sizes):
    """sizes: the number of pixels of each convolution's result"""
    convs = [s for k, s in parts if k == "conv"]
    return sum(2 * int(np.prod(s)) * n for s, n in zip(convs, sizes))


SMALL_PIXELS = [784] + [196] * 6 + [49] * 6
LARGE_PIXELS = [112**2, 56**2, 56**2] + [28**2] * 12 + [14**2] * 30 + [7**2] * 12
Row("inception_train",
    lambda r: conv_net(SMALL, 120, 10)(r) + [normal(r, 64, 1, 28, 28), classes(r, 10, 64)],
    "conv3x3(32), two inception blocks (64, 120 channels), 28x28, batch 64, SGD step",
    flops=3 * 64 * conv_flops(SMALL, SMALL_PIXELS), target=1.5, tol=2e-3, train=True)
Row("googlenet", lambda r: conv_net(LARGE, 1024, 1000)(r) + [normal(r, 1, 3, 224, 224)],
    "224x224, batch 1, inference", flops=conv_flops(LARGE, LARGE_PIXELS), bytes=4 * 6.6e6, tol=2e-3)

# ---- transformer: tok, pos, 4 x (ln1, in_proj, out_proj, ln2, up, down), ln_f, head, tokens, targets --------

GPT = dict(vocab=256, time=128, size=256, heads=4, layers=4, batch=8)


def gpt_inputs(rng):
    d, v = GPT["size"], GPT["vocab"]
    ln = lambda: [1 + normal(rng, d, scale=0.1), normal(rng, d, scale=0.1)]
    p = [normal(rng, v, d, scale=0.5), normal(rng, GPT["time"], d, scale=0.5)]
    for _ in range(GPT["layers"]):
        p += ln() + linear(rng, 3 * d, d) + linear(rng, d, d) + ln() + linear(rng, 4 * d, d) + linear(rng, d, 4 * d)
    p += ln() + linear(rng, v, d)
    return p + [classes(rng, v, GPT["batch"], GPT["time"]), classes(rng, v, GPT["batch"] * GPT["time"])]


def gpt_flops():
    d, n, t = GPT["size"], GPT["batch"] * GPT["time"], GPT["time"]
    layer = 2 * n * d * 12 * d + 2 * 2 * n * t * d
    return 3 * (GPT["layers"] * layer + 2 * n * d * GPT["vocab"])


Row("transformer_train", gpt_inputs, "4 layers, d 256, 4 heads, T 128, batch 8, vocabulary 256, SGD step",
    flops=gpt_flops(), target=1.1, tol=1e-3, train=True)

# ---- recurrent: x, w_ih, w_hh, b_ih, b_hh ----------------------------------------------------------------------


def lstm_inputs(rng):
    return [normal(rng, 128, 32, 256)] + [normal(rng, 1024, 256, scale=1 / 16) for _ in range(2)] + [
        normal(rng, 1024, scale=1 / 16) for _ in range(2)]


LSTM_FLOPS = 2 * 128 * 32 * 1024 * 512
Row("lstm", lstm_inputs, "128 steps, batch 32, 256 to 256", flops=LSTM_FLOPS)
Row("lstm_train", lstm_inputs, "the same, gradient of sum(y**2) by the weights",
    flops=3 * LSTM_FLOPS - LSTM_FLOPS // 2, target=1.1, tol=1e-3, train=True)

# ---- derivatives of derivatives, and of each sample -------------------------------------------------------------


def hvp_inputs(rng):
    inputs = mlp(TWO, 64)(rng)
    return inputs + [normal(rng, *p.shape, scale=0.1) for p in inputs[:4]]


Row("hvp", hvp_inputs, "Hessian-vector product of a 784-512-10 loss, batch 64",
    flops=2 * mlp_flops(TWO, 64, True), tol=1e-3)
Row("persample", mlp(TWO, 64), "per-sample gradients (vmap of grad) of the same", flops=mlp_flops(TWO, 64, False),
    bytes=4 * 64 * (784 * 512 + 512 + 5130), target=3)
Row("while", lambda r: [np.float32(math.e).reshape(())], "scalar `while x > 1: x *= 0.99999`, 100 000 turns, compiled",
    tol=1e-2)

# ---- overheads -----------------------------------------------------------------------------------------------------
Row("dispatch", lambda r: [normal(r, 1)], "1000 adds of one-element tensors", compute=False, target=10)
Row("tape", lambda r: [np.full(1, 0.999, np.float32)], "1000 x `y*x+x` on one element, then backward", compute=False,
    target=10, tol=1e-3)
