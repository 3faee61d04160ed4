# tensorflow.initializers -- first values of variables: f(shape, dtype).
import _tf as _w
import math as _math
from tensorflow._base import float32, ints, as_tensor


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


class RandomUniform(Initializer):
    def __init__(self, minval=-0.05, maxval=0.05, seed=None, dtype=None):
        self.low, self.high = minval, maxval

    def make(self, shape):
        return _w.uniform(shape, float(self.low), float(self.high))


class RandomNormal(Initializer):
    def __init__(self, mean=0.0, stddev=0.05, seed=None, dtype=None):
        self.mean, self.std = mean, stddev

    def make(self, shape):
        return _w.normal(shape, float(self.mean), float(self.std))


class VarianceScaling(Initializer):
    def __init__(self, scale=1.0, mode="fan_in", distribution="uniform", seed=None, dtype=None):
        self.scale, self.mode, self.distribution = scale, mode, distribution

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
            return _w.uniform(shape, -limit, limit)
        return _w.normal(shape, 0.0, _math.sqrt(v))


class GlorotUniform(VarianceScaling):
    def __init__(self, seed=None, dtype=None):
        super().__init__(1.0, "fan_avg", "uniform")


class GlorotNormal(VarianceScaling):
    def __init__(self, seed=None, dtype=None):
        super().__init__(1.0, "fan_avg", "normal")


class HeNormal(VarianceScaling):
    def __init__(self, seed=None, dtype=None):
        super().__init__(2.0, "fan_in", "normal")


class HeUniform(VarianceScaling):
    def __init__(self, seed=None, dtype=None):
        super().__init__(2.0, "fan_in", "uniform")


class LecunNormal(VarianceScaling):
    def __init__(self, seed=None, dtype=None):
        super().__init__(1.0, "fan_in", "normal")


class Identity(Initializer):
    def __init__(self, gain=1.0):
        self.gain = gain

    def make(self, shape):
        return _w.eye(shape[0], shape[1]) * self.gain


TruncatedNormal = RandomNormal
zeros, ones, constant, random_uniform, random_normal, glorot_uniform = Zeros, Ones, Constant, RandomUniform, RandomNormal, GlorotUniform
by_name = {"zeros": Zeros, "ones": Ones, "random_normal": RandomNormal, "random_uniform": RandomUniform, "glorot_uniform": GlorotUniform,
           "glorot_normal": GlorotNormal, "he_normal": HeNormal, "he_uniform": HeUniform, "lecun_normal": LecunNormal}


def get(name):
    return by_name[name]() if isinstance(name, str) else name() if isinstance(name, type) else name
