# tensorflow.random -- random tensors. The numbers are Weft's own for a seed, not TensorFlow's.
import _tf as _w
from tensorflow._base import op, ints, as_tensor, float32, int32, int64, dtype_of


def set_seed(seed):
    _w.manual_seed(int(seed))


set_random_seed = set_seed


def _seeded(seed):
    if seed is not None:
        s = ints(seed) if not isinstance(seed, int) else [seed]
        _w.manual_seed((s[0] * 1000003 + (s[1] if len(s) > 1 else 0)) % 4294967296)


@op("random_uniform")
def uniform(shape, minval=0, maxval=None, dtype=float32, seed=None):
    if dtype_of(dtype).is_floating:
        hi = 1.0 if maxval is None else maxval
        return _w.cast(_w.uniform(ints(shape), float(minval), float(hi)), dtype)
    return _w.cast(_w.randint(int(minval), int(maxval), ints(shape)), dtype)


@op("random_normal")
def normal(shape, mean=0.0, stddev=1.0, dtype=float32, seed=None):
    return _w.cast(_w.normal(ints(shape), float(mean), float(stddev)), dtype)


@op("truncated_normal")
def truncated_normal(shape, mean=0.0, stddev=1.0, dtype=float32, seed=None):
    x = _w.normal(ints(shape), 0.0, 1.0)
    while _w.any(_w.abs(x) > 2.0).item():
        x = _w.where(_w.abs(x) > 2.0, _w.normal(ints(shape), 0.0, 1.0), x)
    return _w.cast(x * float(stddev) + float(mean), dtype)


def stateless_uniform(shape, seed, minval=0, maxval=None, dtype=float32, alg=None):
    _seeded(seed)
    return uniform(shape, minval, maxval, dtype)


def stateless_normal(shape, seed, mean=0.0, stddev=1.0, dtype=float32, alg=None):
    _seeded(seed)
    return normal(shape, mean, stddev, dtype)


@op("RandomShuffle")
def shuffle(value, seed=None):
    x = as_tensor(value)
    return _w.take(x, _w.randperm(x.shape[0]), 0)


@op("categorical")
def categorical(logits, num_samples, dtype=int64, seed=None):
    x = as_tensor(logits)
    u = _w.uniform([x.shape[0], int(num_samples), x.shape[1]], 1e-12, 1.0)
    return _w.cast(_w.argmax(_w.expand_dims(x, 1) - _w.log(-_w.log(u)), 2), dtype)


class Generator:
    def __init__(self, seed=None):
        _seeded(seed)

    @staticmethod
    def from_seed(seed, alg=None):
        return Generator(seed)

    def normal(self, shape, mean=0.0, stddev=1.0, dtype=float32):
        return normal(shape, mean, stddev, dtype)

    def uniform(self, shape, minval=0, maxval=None, dtype=float32):
        return uniform(shape, minval, maxval, dtype)
