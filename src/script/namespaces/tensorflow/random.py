# tensorflow.random -- random tensors, with TensorFlow's numbers: Philox by seeds.
#
# An operation has two seeds, of its graph and its own, and goes on where its last draw ended. Eagerly, operations of the
# same kind and seeds are one; in a function and in a session each is itself. Without any seed a generator gets one at random.
import os as _os
import random as _python

import _tf as _w
from tensorflow._base import drawn, op, ints, as_tensor, float32, int32, int64, dtype_of, state

_MAX = 2 ** 31 - 1
_global = [None, None]      # the seed, and the numbers that seeds of operations are drawn from
_streams = {}               # eager: by kind, dtype and seeds


def _signed(x):
    x &= 2 ** 64 - 1
    return x - 2 ** 64 if x >= 2 ** 63 else x


def _any_seed():
    return int.from_bytes(_os.urandom(8), "little") >> 1


class _Stream:
    # a key and a counter that goes up
    def __init__(self, seed, seed2):
        self.key, self.at = seed, (seed2 & (2 ** 64 - 1)) << 64

    def take(self, samples):
        lo, hi = _signed(self.at), _signed(self.at >> 64)
        self.at = (self.at + samples) % 2 ** 128
        return _signed(self.key), lo, hi


class Words:
    # the words of a stream one by one, 32 bits each
    def __init__(self, seed, seed2):
        self.seeds, self._stream, self._kept = (seed, seed2), _Stream(seed, seed2), []

    def next(self):
        if not self._kept:
            self._kept = _w.philox(3, [256], "uint32", *self._stream.take(64), 0, 0).tolist()[::-1]
        return self._kept.pop()


def set_seed(seed):
    seed = int(seed)
    _global[0], _global[1] = seed, _python.Random(seed)
    _streams.clear()
    _w.manual_seed(seed)
    if state.graph is not None:
        state.graph.seed = seed


def set_random_seed(seed):
    # version 1: of the graph, while one is built
    if state.graph is not None:
        state.graph.seed = int(seed)
    else:
        set_seed(seed)


def get_seed(op_seed):
    where = state.funcs[-1] if state.funcs else state.graph
    first = _global[0] if where is None or state.funcs else where.seed
    if first is None:
        seeds = (None, None) if op_seed is None else (87654321, op_seed % _MAX)
    else:
        if op_seed is None and where is None:
            op_seed = _global[1].randint(0, _MAX)
        elif op_seed is None:
            op_seed = getattr(where, "drawing_ops", 0)
            where.drawing_ops = op_seed + 1
        seeds = (first % _MAX, op_seed % _MAX)
    return (0, _MAX) if seeds == (0, 0) else seeds


def words_from(a, b):
    # what a dataset draws from: seeds that nobody gave are any
    return Words(_any_seed(), _any_seed()) if a is None else Words(a, b)


class _Source:
    # What one operation draws from.
    def __init__(self, kind, seed):
        self.kind = kind
        self.seeds = get_seed(seed)
        self.eager = not state.funcs and state.graph is None
        self.own = None

    def fresh(self):
        if self.seeds[0] is None:
            return _Stream(_any_seed(), _any_seed())
        return _Stream(*self.seeds)

    def stream(self, dtype):
        if self.eager and self.seeds[0] is not None:
            key = (self.kind, dtype.name, self.seeds)
            if key not in _streams:
                _streams[key] = self.fresh()
            return _streams[key]
        if state.run is not None:           # of a session: each has its own
            kept = state.run.session.streams
            if self not in kept:
                kept[self] = self.fresh()
            return kept[self]
        if self.own is None:
            self.own = self.fresh()
        return self.own


def _count(shape):
    n = 1
    for s in shape:
        n *= int(s)
    return n


_KINDS = {"uniform": 0, "normal": 1, "truncated": 2}


def _floats(kind, shape, dtype, key):
    # numbers of a distribution at a key and counter
    d = dtype_of(dtype)
    if not d.is_floating:
        raise TypeError(f"Invalid dtype {d.name}: random numbers are floats here")
    as_ = d if d.name == "float64" and kind != "truncated" else float32
    return _w.cast(_w.philox(_KINDS[kind], shape, as_, *key, 0, 0), d)


def _integers(shape, lo, hi, dtype, key):
    if hi is None:
        raise ValueError("Must specify maxval for integer dtype " + repr(dtype_of(dtype)))
    if int(lo) >= int(hi):
        raise ValueError(f"Need minval < maxval, got {int(lo)} >= {int(hi)}")
    return _w.philox(3, shape, dtype, *key, int(lo), int(hi))


def _scaled(x, scale, shift):
    # numbers of NumPy are numbers: they take x's dtype
    scale, shift = [v.item() if type(v).__module__ == "numpy" and v.ndim == 0 else v for v in (scale, shift)]
    return x * as_tensor(scale, x.dtype) + as_tensor(shift, x.dtype)


def _draw(source, kind, shape, dtype, lo=None, hi=None):
    def make():
        sizes, d = ints(shape), dtype_of(dtype)
        key = source.stream(d).take(_count(sizes) * 256)
        return _integers(sizes, lo, hi, d, key) if kind == "int" else _floats(kind, sizes, d, key)
    return drawn(make, shape, dtype)


@op("random_uniform")
def _uniform(shape, minval, maxval, dtype, source):
    if not dtype_of(dtype).is_floating:
        if maxval is None:
            raise ValueError("Must specify maxval for integer dtype " + repr(dtype_of(dtype)))
        return _draw(source, "int", shape, dtype, minval, maxval)
    x = _draw(source, "uniform", shape, dtype)
    hi = 1 if maxval is None else maxval
    return _scaled(x, hi - minval, minval)


def uniform(shape, minval=0, maxval=None, dtype=float32, seed=None, name=None):
    kind = "RandomUniform" if dtype_of(dtype).is_floating else "RandomUniformInt"
    return _uniform(shape, minval, maxval, dtype, _Source(kind, seed), name=name)


def source(kind, seed):
    # of an operation that draws among other things
    return _Source(kind, seed)


@op("random_normal")
def _normal(shape, mean, stddev, dtype, source):
    return _scaled(_draw(source, "normal", shape, dtype), stddev, mean)


def normal(shape, mean=0.0, stddev=1.0, dtype=float32, seed=None, name=None):
    return _normal(shape, mean, stddev, dtype, _Source("RandomStandardNormal", seed), name=name)


@op("truncated_normal")
def _truncated(shape, mean, stddev, dtype, source):
    return _scaled(_draw(source, "truncated", shape, dtype), stddev, mean)


def truncated_normal(shape, mean=0.0, stddev=1.0, dtype=float32, seed=None, name=None):
    return _truncated(shape, mean, stddev, dtype, _Source("TruncatedNormal", seed), name=name)


@op("RandomShuffle")
def _shuffle(value, source):
    x = as_tensor(value)
    n = x.shape[0]
    order = drawn(lambda: _w.philox_order(int(n), *source.stream(int64).take((max(int(n) - 1, 0) + 3) // 4)), [n], int64)
    return _w.take(x, order, 0)


def shuffle(value, seed=None, name=None):
    return _shuffle(value, _Source("RandomShuffle", seed), name=name)


def _choose(x, u, dtype):
    # the class whose part of the sum u falls into
    x = _w.cast(x, "float64")
    p = _w.cumsum(_w.exp(x - _w.max(x, 1, True)), 1)
    at = u * p[:, -1:]
    return _w.cast(_w.sum(_w.cast(_w.expand_dims(p, 1) <= _w.expand_dims(at, 2), "int64"), 2), dtype)


@op("categorical")
def _categorical(logits, num_samples, dtype, source):
    x = as_tensor(logits)
    sizes = [x.shape[0], num_samples]

    def make():
        rows, n = int(x.shape[0]), int(num_samples)
        key = source.stream(dtype_of(dtype)).take(rows * ((n + 3) // 4 * 4) * 256)
        return _w.philox(0, [rows, n], "float64", *key, 0, 0)
    return _choose(x, drawn(make, sizes, "float64"), dtype)


def categorical(logits, num_samples, dtype=None, seed=None, name=None):
    return _categorical(logits, num_samples, int64 if dtype is None else dtype, _Source("Multinomial", seed), name=name)


def multinomial(logits, num_samples, seed=None, name=None, output_dtype=None):
    return categorical(logits, num_samples, output_dtype, seed, name)


def crop(value, size, seed=None, name=None):
    # a part of this size, at a place drawn for each axis
    from tensorflow import _ops
    sizes = _ops.convert_to_tensor(size, dtype_hint=int32)
    value = _ops.convert_to_tensor(value)
    limit = _ops.shape(value, out_type=sizes.dtype) - sizes + 1
    offset = uniform(_ops.shape(sizes), dtype=sizes.dtype, maxval=sizes.dtype.max, seed=seed) % limit
    return _ops.slice_(value, offset, sizes)


def _other_numbers(name):
    def call(*args, **kw):
        raise NotImplementedError(f"{name}: the library's way to draw these numbers is not there")
    return call


gamma, poisson, poisson_v1 = _other_numbers("tf.random.gamma"), _other_numbers("tf.random.poisson"), _other_numbers("tf.random_poisson")


# ---- stateless: by the seed alone, also in a function ----

def _key(seed):
    a, b = ints(seed)
    return tuple(_w.philox_mix(_signed(a), _signed(b)).tolist())


def stateless_uniform(shape, seed, minval=0, maxval=None, dtype=float32, name=None, alg="auto_select"):
    _philox(alg)
    d = dtype_of(dtype)
    if not d.is_floating:
        if minval is None and maxval is None:
            return _w.philox(3, ints(shape), d, *_key(seed), 0, 0)
        return _integers(ints(shape), minval, maxval, d, _key(seed))
    hi = 1 if maxval is None else maxval
    return _scaled(_floats("uniform", ints(shape), d, _key(seed)), hi - minval, minval)


def stateless_normal(shape, seed, mean=0.0, stddev=1.0, dtype=float32, name=None, alg="auto_select"):
    _philox(alg)
    return _scaled(_floats("normal", ints(shape), dtype, _key(seed)), stddev, mean)


def stateless_truncated_normal(shape, seed, mean=0.0, stddev=1.0, dtype=float32, name=None, alg="auto_select"):
    _philox(alg)
    return _scaled(_floats("truncated", ints(shape), dtype, _key(seed)), stddev, mean)


def stateless_categorical(logits, num_samples, seed, dtype=int64, name=None):
    x = as_tensor(logits)
    return _choose(x, _w.philox(0, [x.shape[0], num_samples], "float64", *_key(seed), 0, 0), dtype)


def _philox(alg):
    if alg not in (None, 1, "philox", "auto_select"):
        raise NotImplementedError(f"tf.random: algorithm {alg!r}; there is philox")


def split(seed, num=2, alg="auto_select"):
    _philox(alg)
    # seeds of their own, made of one
    bits = stateless_uniform([num, 2], seed, None, None, dtype_of(as_tensor(seed).dtype))
    return bits


class Generator:
    # A key and a counter of its own: state [counter, its upper half, key].
    def __init__(self, copy_from=None, state=None, alg=None):
        self._s = _Stream(0, 0)
        if copy_from is not None:
            self._s.key, self._s.at = copy_from._s.key, copy_from._s.at
        elif state is not None:
            self.reset(state)

    @classmethod
    def from_seed(cls, seed, alg=None):
        _philox(alg)
        g = cls()
        g.reset_from_seed(seed)
        return g

    @classmethod
    def from_state(cls, state, alg=None):
        _philox(alg)
        return cls(state=state)

    @classmethod
    def from_non_deterministic_state(cls, alg=None):
        return cls.from_seed(_any_seed(), alg)

    @classmethod
    def from_key_counter(cls, key, counter, alg=None):
        _philox(alg)
        lo, hi = ints(counter)
        return cls(state=[lo, hi, int(ints([key])[0])])

    def reset(self, state):
        lo, hi, key = ints(state)
        self._s.key, self._s.at = key, (lo & (2 ** 64 - 1)) | (hi & (2 ** 64 - 1)) << 64

    def reset_from_seed(self, seed):
        words = [seed] if isinstance(seed, int) else ints(seed)
        self.reset(([_signed(w) for w in words] + [0] * 3)[:3])

    def reset_from_key_counter(self, key, counter):
        lo, hi = ints(counter)
        self.reset([lo, hi, int(key)])

    @property
    def state(self):
        return _w.tensor([_signed(self._s.at), _signed(self._s.at >> 64), _signed(self._s.key)], "int64")

    @property
    def key(self):
        return self.state[2]

    @property
    def algorithm(self):
        return 1

    def skip(self, delta):
        before = self.state
        self._s.take(int(delta) * 256)
        return before

    def _draw(self, kind, shape, dtype, lo=None, hi=None):
        def make():
            sizes = ints(shape)
            key = self._s.take(_count(sizes) * 256)
            if kind == "any":       # all bits
                return _w.philox(3, sizes, dtype, *key, 0, 0)
            return _integers(sizes, lo, hi, dtype, key) if kind == "int" else _floats(kind, sizes, dtype, key)
        return drawn(make, shape, dtype)

    def uniform_full_int(self, shape, dtype=dtype_of("uint64"), name=None):
        return self._draw("any", shape, dtype)

    def normal(self, shape, mean=0.0, stddev=1.0, dtype=float32, name=None):
        return _scaled(self._draw("normal", shape, dtype), stddev, mean)

    def truncated_normal(self, shape, mean=0.0, stddev=1.0, dtype=float32, name=None):
        return _scaled(self._draw("truncated", shape, dtype), stddev, mean)

    def uniform(self, shape, minval=0, maxval=None, dtype=float32, name=None):
        if not dtype_of(dtype).is_floating:
            return self._draw("int", shape, dtype, minval, maxval)
        hi = 1 if maxval is None else maxval
        return _scaled(self._draw("uniform", shape, dtype), hi - minval, minval)

    def make_seeds(self, count=1):
        keys = self._draw("any", [count], int64)
        return _w.stack([keys, _w.zeros_like(keys)])

    def split(self, count=1):
        return [Generator(state=[0, 0, k]) for k in self.make_seeds(count)[0].tolist()]


class experimental:
    stateless_split = staticmethod(split)

    @staticmethod
    def stateless_fold_in(seed, data, alg="auto_select"):
        return fold_in(seed, data, alg)


def fold_in(seed, data, alg="auto_select"):
    # another seed, made of one and a number
    d = as_tensor(data)
    return _w.stack([stateless_uniform([], seed, None, None, d.dtype, None, alg), d])


_own = []


def get_global_generator():
    if not _own:
        _own.append(Generator.from_non_deterministic_state())
    return _own[0]


def set_global_generator(generator):
    _own[:] = [generator]
