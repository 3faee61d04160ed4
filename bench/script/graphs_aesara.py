# Steps of training a second in the style of Aesara: functions with updates. Runs in Weft and in Python with Aesara.
# Prints a line for each network: name, steps a second (the best of some rounds). The real Aesara needs a BLAS to be a
# match: AESARA_FLAGS=blas__ldflags=-lopenblas (without one its matrix products are seven times slower).
import os
import sys
import time

import aesara
import aesara.tensor as at
import numpy as np
from aesara.tensor.nnet import conv2d

try:
    import aesara.tensor.nnet.corr as corr

    class AnyTuple(type):
        def __instancecheck__(cls, x):
            return isinstance(x, tuple)

    class Tuple(metaclass=AnyTuple):
        def __new__(cls, *items):
            return tuple(items[0] if len(items) == 1 else items)

    corr.tuple = Tuple  # Aesara 2.9 calls tuple(a, b, c, d) there, which Python refuses, and so has no convolution
except ImportError:
    pass  # not the real Aesara

now = time.process_time if os.environ.get("WEFT_THREADS") == "1" else time.perf_counter  # others may use the machine
seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 2.0
aesara.config.floatX = "float32"
rng = np.random.RandomState(0)


def weights(*shape, fan=None):
    return aesara.shared((rng.randn(*shape) / np.sqrt(fan or np.prod(shape[:-1]))).astype("float32"))


def train(name, inputs, loss, params, values):
    updates = [(p, p - np.float32(0.01) * g) for p, g in zip(params, aesara.grad(loss, params))]
    step = aesara.function(inputs, loss, updates=updates)
    for _ in range(3):
        step(*values)
    best = 0.0
    for _ in range(3):
        n, start = 0, now()
        while now() - start < seconds / 3:
            step(*values)
            n += 1
        best = max(best, n / (now() - start))
    print(name, round(best, 1))


def loss_of(out, y):
    p = at.special.softmax(out, axis=1)
    return -at.log(p[at.arange(y.shape[0]), y]).mean()


def mlp():
    x, y = at.fmatrix("x"), at.lvector("y")
    w, b, v, c = weights(784, 128), aesara.shared(np.zeros(128, "float32")), weights(128, 10), aesara.shared(np.zeros(10, "float32"))
    out = at.dot(at.maximum(at.dot(x, w) + b, 0), v) + c
    train("aesara_mlp", [x, y], loss_of(out, y), [w, b, v, c], [rng.randn(32, 784).astype("float32"), rng.randint(0, 10, 32)])


def conv():
    x, y = at.tensor4("x"), at.lvector("y")
    w, u, v = weights(8, 1, 3, 3, fan=9), weights(16, 8, 3, 3, fan=72), weights(16 * 7 * 7, 10)
    h = at.maximum(conv2d(x, w, border_mode="half", subsample=(2, 2)), 0)
    h = at.maximum(conv2d(h, u, border_mode="half", subsample=(2, 2)), 0)
    out = at.dot(h.flatten(2), v)
    train("aesara_conv", [x, y], loss_of(out, y), [w, u, v], [rng.randn(32, 1, 28, 28).astype("float32"), rng.randint(0, 10, 32)])


def rnn():
    x = at.ftensor3("x")
    w, u = weights(32, 64), weights(64, 64)
    hs, _ = aesara.scan(lambda row, h: at.tanh(at.dot(row, w) + at.dot(h, u)), sequences=x,
                        outputs_info=at.zeros((x.shape[1], 64), dtype="float32"))
    train("aesara_rnn", [x], at.mean(at.square(hs[-1])), [w, u], [rng.randn(20, 16, 32).astype("float32")])


for net in (mlp, conv, rnn):
    net()
