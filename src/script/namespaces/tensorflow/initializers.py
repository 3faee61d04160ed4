# tensorflow.initializers -- first values of variables: f(shape, dtype).
#
# Those that draw have a seed, of Python's random module where none is given: so the same numbers come out each time.
import _tf as _w
import math as _math
import random as _python
from tensorflow._base import float32, ints, as_tensor
from tensorflow.random import stateless_uniform, stateless_normal, stateless_truncated_normal


class Initializer:
    def __call__(self, shape, dtype=float32, partition_info=None, **kw):
        return _w.cast(self.make(ints(shape)), dtype if dtype is not None else float32)


class Zeros(Initializer):
    def make(self, shape):
        return _w.full(shape, 0.0)


class Ones(Initializer):
    def make(self, shape):
        return _w.full(shape, 1.0)


class Constant(Initializer):
    def __init__(self, value=0, dtype=None, verify_shape=False):
        self.value = value

    def make(self, shape):
        x = as_tensor(self.value)
        n = 1
        for s in shape:
            n *= s
        return _w.reshape(x, shape) if _w.about(x, "count") == n else _w.copy(_w.broadcast_to(x, shape))


class _Random(Initializer):
    def _seeded(self, seed):
        self.seed = _python.randint(1, 10 ** 9) if seed is None else int(seed)

    def key(self):
        return [self.seed, 0]


class RandomUniform(_Random):
    def __init__(self, minval=-0.05, maxval=0.05, seed=None, dtype=None):
        self.low, self.high = minval, maxval
        self._seeded(seed)

    def make(self, shape):
        return stateless_uniform(shape, self.key(), float(self.low), float(self.high))


class RandomNormal(_Random):
    def __init__(self, mean=0.0, stddev=0.05, seed=None, dtype=None):
        self.mean, self.std = mean, stddev
        self._seeded(seed)

    def make(self, shape):
        return stateless_normal(shape, self.key(), float(self.mean), float(self.std))


class TruncatedNormal(RandomNormal):
    def make(self, shape):
        return stateless_truncated_normal(shape, self.key(), float(self.mean), float(self.std))


class VarianceScaling(_Random):
    def __init__(self, scale=1.0, mode="fan_in", distribution="truncated_normal", seed=None, dtype=None):
        self.scale, self.mode, self.distribution = scale, mode, distribution
        self._seeded(seed)

    def make(self, shape):
        field = 1
        for s in shape[:-2]:
            field *= s
        fan_in = shape[-2] * field if len(shape) > 1 else shape[0]
        fan_out = shape[-1] * field
        n = {"fan_in": fan_in, "fan_out": fan_out, "fan_avg": (fan_in + fan_out) / 2}[self.mode]
        v = self.scale / max(n, 1.0)
        if self.distribution == "uniform":
            limit = _math.sqrt(3.0 * v)
            return stateless_uniform(shape, self.key(), -limit, limit)
        if self.distribution == "untruncated_normal":
            return stateless_normal(shape, self.key(), 0.0, _math.sqrt(v))
        return stateless_truncated_normal(shape, self.key(), 0.0, _math.sqrt(v) / 0.87962566103423978)


class GlorotUniform(VarianceScaling):
    def __init__(self, seed=None, dtype=None):
        super().__init__(1.0, "fan_avg", "uniform", seed)


class GlorotNormal(VarianceScaling):
    def __init__(self, seed=None, dtype=None):
        super().__init__(1.0, "fan_avg", "normal", seed)


class HeNormal(VarianceScaling):
    def __init__(self, seed=None, dtype=None):
        super().__init__(2.0, "fan_in", "normal", seed)


class HeUniform(VarianceScaling):
    def __init__(self, seed=None, dtype=None):
        super().__init__(2.0, "fan_in", "uniform", seed)


class LecunNormal(VarianceScaling):
    def __init__(self, seed=None, dtype=None):
        super().__init__(1.0, "fan_in", "normal", seed)


class Identity(Initializer):
    def __init__(self, gain=1.0):
        self.gain = gain

    def make(self, shape):
        return _w.eye(shape[0], shape[1]) * self.gain


zeros, ones, constant, random_uniform, random_normal, glorot_uniform = Zeros, Ones, Constant, RandomUniform, RandomNormal, GlorotUniform
by_name = {"zeros": Zeros, "ones": Ones, "random_normal": RandomNormal, "random_uniform": RandomUniform, "glorot_uniform": GlorotUniform,
           "glorot_normal": GlorotNormal, "he_normal": HeNormal, "he_uniform": HeUniform, "lecun_normal": LecunNormal, "truncated_normal": TruncatedNormal}


def get(name):
    return by_name[name]() if isinstance(name, str) else name() if isinstance(name, type) else name
