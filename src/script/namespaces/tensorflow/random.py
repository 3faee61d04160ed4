# tensorflow.random -- random tensors. The numbers are Weft's own for a seed, not TensorFlow's: a
# seed gives the same numbers again, an operation with a seed has numbers of its own.
import _tf as _w
import _torch as _t
from tensorflow._base import drawn, op, ints, as_tensor, float32, int32, int64, dtype_of

_main = _t.Generator()
_by_seed = {}       # of an operation with a seed: its generator
_global = [0]


def set_seed(seed):
    _global[0] = int(seed)
    _main.manual_seed(_global[0])
    _by_seed.clear()
    _w.manual_seed(_global[0])


set_random_seed = set_seed
_main.manual_seed(int(_w.randint(0, 2147483647, [1]).item()))


def _mixed(*seeds):
    n = 0
    for s in seeds:
        n = (n * 1000003 + int(s)) % 4294967296
    return n


def _generator(seed):
    if isinstance(seed, _t.Generator):
        return seed
    if seed is None:
        return _main
    if seed not in _by_seed:
        _by_seed[seed] = _t.Generator().manual_seed(_mixed(_global[0], seed))
    return _by_seed[seed]


def _numbers(kind, shape, a, b, seed):
    return _w.wrap(_t.draw(kind, ints(shape), "float32", float(a), float(b), _generator(seed)))


def _uniform(shape, minval, maxval, dtype, seed):
    if dtype_of(dtype).is_floating:
        return _w.cast(_numbers("uniform", shape, minval, 1.0 if maxval is None else maxval, seed), dtype)
    if maxval is None:
        raise ValueError("Must specify maxval for integer dtype")
    return _w.cast(_w.wrap(_t.draw_int(int(minval), int(maxval), ints(shape), "int64", _generator(seed))), dtype)


def _truncated(shape, mean, stddev, dtype, seed):
    x = _numbers("normal", shape, 0.0, 1.0, seed)
    while _w.any(_w.abs(x) > 2.0).item():
        x = _w.where(_w.abs(x) > 2.0, _numbers("normal", shape, 0.0, 1.0, seed), x)
    return _w.cast(x * float(stddev) + float(mean), dtype)


@op("random_uniform")
def uniform(shape, minval=0, maxval=None, dtype=float32, seed=None):
    return drawn(lambda: _uniform(shape, minval, maxval, dtype, seed), shape, dtype)


@op("random_normal")
def normal(shape, mean=0.0, stddev=1.0, dtype=float32, seed=None):
    return drawn(lambda: _w.cast(_numbers("normal", shape, mean, stddev, seed), dtype), shape, dtype)


@op("truncated_normal")
def truncated_normal(shape, mean=0.0, stddev=1.0, dtype=float32, seed=None):
    return drawn(lambda: _truncated(shape, mean, stddev, dtype, seed), shape, dtype)


def _of_seed(seed):
    # Stateless: by the seed alone, also in a function.
    return _t.Generator().manual_seed(_mixed(*ints(seed)))


def stateless_uniform(shape, seed, minval=0, maxval=None, dtype=float32, alg=None):
    return _uniform(shape, minval, maxval, dtype, _of_seed(seed))


def stateless_normal(shape, seed, mean=0.0, stddev=1.0, dtype=float32, alg=None):
    return _w.cast(_numbers("normal", shape, mean, stddev, _of_seed(seed)), dtype)


def stateless_truncated_normal(shape, seed, mean=0.0, stddev=1.0, dtype=float32, alg=None):
    return _truncated(shape, mean, stddev, dtype, _of_seed(seed))


@op("RandomShuffle")
def shuffle(value, seed=None):
    x = as_tensor(value)
    n = x.shape[0]
    return _w.take(x, drawn(lambda: _w.wrap(_t.draw_permutation(int(n), _generator(seed))), [n], int64), 0)


@op("categorical")
def categorical(logits, num_samples, dtype=int64, seed=None):
    x = as_tensor(logits)
    sizes = [x.shape[0], num_samples, x.shape[1]]
    u = drawn(lambda: _numbers("uniform", sizes, 1e-12, 1.0, seed), sizes, float32)
    return _w.cast(_w.argmax(_w.expand_dims(x, 1) - _w.log(-_w.log(u)), 2), dtype)


class Generator:
    # Numbers of its own.
    def __init__(self, seed):
        self._g = _t.Generator().manual_seed(_mixed(*seed) if isinstance(seed, (list, tuple)) else int(seed))

    @staticmethod
    def from_seed(seed, alg=None):
        return Generator(seed)

    @staticmethod
    def from_non_deterministic_state(alg=None):
        return Generator(int(_w.randint(0, 2147483647, [1]).item()))

    def reset_from_seed(self, seed):
        self._g.manual_seed(int(seed))

    def normal(self, shape, mean=0.0, stddev=1.0, dtype=float32):
        return normal(shape, mean, stddev, dtype, self._g)

    def uniform(self, shape, minval=0, maxval=None, dtype=float32):
        return uniform(shape, minval, maxval, dtype, self._g)

    def truncated_normal(self, shape, mean=0.0, stddev=1.0, dtype=float32):
        return truncated_normal(shape, mean, stddev, dtype, self._g)
