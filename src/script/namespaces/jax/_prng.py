# jax._prng -- keys and what is drawn by them. Threefry's numbers are natives; those of the other generators (rbg, unsafe_rbg)
# come from bits of Philox 4x32-10, as XLA makes them on a CPU, by the same formulas; philox2x32, philox4x32 and threefry4x32
# are the functions of a key and a counter of Random123 (Salmon and others, 2011).
import math
import _jax as _w
import _tree
from jax._dtypes import as_dtype as _as_dtype, finfo as _finfo


class Impl:
    # A kind of generator: its name, its tag in dtypes, how many uint32 make a key.
    def __init__(self, name, tag, words):
        self.name, self.tag, self.key_shape = name, tag, (words,)

    def __repr__(self):
        return f"PRNGImpl(name={self.name!r}, tag={self.tag!r}, key_shape={self.key_shape})"


fry, rbg, unsafe = Impl("threefry2x32", "fry", 2), Impl("rbg", "rbg", 4), Impl("unsafe_rbg", "urbg", 4)
phx2, phx4, fry4 = Impl("philox2x32", "phx2", 1), Impl("philox4x32", "phx4", 2), Impl("threefry4x32", "fry4", 4)
impls = {i.name: i for i in (phx2, phx4, fry, rbg, unsafe, fry4)}


class KeyDtype:
    itemsize = 8

    def __init__(self, impl=fry):
        self._impl = impl
        self.name = f"key<{impl.tag}>"
        self.itemsize = 4 * impl.key_shape[0]

    def __repr__(self):
        return self.name

    def __eq__(self, other):
        return isinstance(other, KeyDtype) and self._impl is other._impl

    def __hash__(self):
        return hash(self.name)


_dtypes = {i.name: KeyDtype(i) for i in impls.values()}


def impl_of(spec):
    # by a name, a dtype of keys, or the default
    from jax._config import config
    if spec is None:
        spec = config.values["jax_default_prng_impl"]
    if isinstance(spec, KeyDtype):
        return spec._impl
    if isinstance(spec, Impl):
        return spec
    if not isinstance(spec, str):
        raise TypeError(f"unrecognized type {type(spec)} for specifying PRNG implementation.")
    if spec not in impls:
        names = ", ".join([f'"{name}"' for name in impls])
        raise ValueError(f'unrecognized PRNG implementation "{spec}". Did you mean one of: {names}?')
    if impls[spec] in (rbg, unsafe):
        from jax._api import kit
        kit.named_batches = True
    return impls[spec]


def dtype_of(impl):
    return _dtypes[impl.name]


class KeyArray:
    # Keys as values of their own: data has one more axis, of the words of a key.
    def __init__(self, data, impl=fry):
        self.data, self.impl = data, impl

    def _made(self, data):
        return KeyArray(data, self.impl)

    @property
    def shape(self):
        return tuple(self.data.shape)[:-1]

    @property
    def ndim(self):
        return len(self.data.shape) - 1

    @property
    def size(self):
        return _w.about(self.data, "count") // self.impl.key_shape[0]

    @property
    def dtype(self):
        return _dtypes[self.impl.name]

    @property
    def aval(self):
        from jax._jaxpr import ShapedArray
        return ShapedArray(self.shape, self.dtype, False)

    @property
    def weak_type(self):
        return False

    def __len__(self):
        if len(self.data.shape) == 1:
            raise TypeError("len() of unsized object")
        return self.data.shape[0]

    def __hash__(self):
        raise TypeError("unhashable type: 'PRNGKeyArray'")

    def __array__(self, dtype=None):
        raise TypeError("JAX array with PRNGKey dtype cannot be converted to a NumPy array. Use jax.random.key_data(arr) if you wish "
                        "to extract the underlying integer array.")

    def __bool__(self):
        raise TypeError("keys have no truth value")

    def __eq__(self, other):
        if not isinstance(other, KeyArray):
            return NotImplemented
        if other.impl is not self.impl:
            raise ValueError(f"Incompatible key types: {self.dtype.name} and {other.dtype.name}")
        return _w.all(_w.eq(self.data, other.data), -1)

    def __ne__(self, other):
        same = self.__eq__(other)
        return same if same is NotImplemented else _w.logical_not(same)

    def _no_arithmetic(self, other):
        raise TypeError(f"add does not accept dtypes {self.dtype.name}, {getattr(other, 'dtype', type(other).__name__)}.")

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __lt__ = __gt__ = __le__ = __ge__ = _no_arithmetic

    def __getitem__(self, key):
        key = key if isinstance(key, tuple) else (key,)
        used = [k for k in key if k is not None and k is not Ellipsis]
        if len(used) > self.ndim and not any([getattr(k, "ndim", 0) > 1 for k in used]):
            raise IndexError(f"Too many indices: array is {self.ndim}-dimensional, but {len(used)} were indexed")
        whole = any([k is Ellipsis for k in key]) or len(key) == self.ndim
        return self._made(self.data[key + (slice(None),)] if whole else self.data[key])

    def __iter__(self):
        if self.ndim == 0:
            raise TypeError("iteration over a 0-d key array")
        for i in range(len(self)):
            yield self._made(self.data[i])

    def reshape(self, *shape, order="C"):
        if order != "C":
            raise NotImplementedError(f"reshape of keys: order={order!r}")
        shape = shape[0] if len(shape) == 1 and not isinstance(shape[0], int) else shape
        return self._made(_w.reshape(self.data, tuple(shape) + self.impl.key_shape))

    def moved(self, f):
        # What moves elements, of numbers that stand for keys.
        at = f(_w.reshape(_w.iota(_w.int32, (self.size,)), self.shape))
        rows = _w.reshape(self.data, (-1,) + self.impl.key_shape)
        return self._made(_w.take(rows, at, 0) if len(at.shape) else rows[at])

    def flatten(self):
        return self.reshape(-1)

    ravel = flatten

    def squeeze(self, axis=None):
        return self.moved(lambda x: x.squeeze(axis))

    def transpose(self, *axes):
        return self.moved(lambda x: x.transpose(*axes))

    @property
    def T(self):
        return self.transpose()

    def swapaxes(self, a, b):
        return self.moved(lambda x: x.swapaxes(a, b))

    def take(self, *args, **kwargs):
        return self.moved(lambda x: x.take(*args, **kwargs))

    def copy(self):
        return self._made(_w.copy(self.data))

    def block_until_ready(self):
        return self

    def is_deleted(self):
        return _w.is_donated(self.data)

    @property
    def itemsize(self):
        return self.dtype.itemsize

    @property
    def nbytes(self):
        return self.size * self.dtype.itemsize

    @property
    def device(self):
        return self.data.device

    @property
    def sharding(self):
        return self.data.sharding

    @property
    def is_fully_addressable(self):
        return self.data.is_fully_addressable

    @property
    def at(self):
        return _KeysAt(self)

    def __repr__(self):
        return f"Array({self.shape}, dtype={self.dtype.name}) overlaying:\n{self.data}"


class _KeysAt:
    def __init__(self, keys, index=None):
        self.keys, self.index = keys, index

    def __getitem__(self, index):
        return _KeysAt(self.keys, index if isinstance(index, tuple) else (index,))

    def _whole(self):
        return self.index if Ellipsis in self.index else self.index + (Ellipsis,)

    def set(self, values, **options):
        if not isinstance(values, KeyArray):
            raise TypeError(f"keys are set to keys, not to {type(values).__name__}")
        return self.keys._made(self.keys.data.at[self._whole() + (slice(None),)].set(values.data, **options))

    def get(self, **options):
        return self.keys._made(self.keys.data.at[self._whole() + (slice(None),)].get(**options))

    def _refused(self, *args, **kwargs):
        raise TypeError("keys have no arithmetic")

    add = multiply = mul = divide = power = min = max = apply = subtract = _refused


_tree.register(KeyArray, lambda k: ((k.data,), k.impl.name), lambda name, kids: KeyArray(kids[0], impls[name]))


# ---- bits of Philox, and of Threefry with four words


def _philox2(counter, key):
    # Ten rounds; 2 words of counter, 1 of key, each an array.
    from jax.lax._elementwise import _high_word
    c0, c1 = counter
    k = key[0]
    word = lambda v: _w.full(c0.shape, v, _w.uint32)
    m = word(0xD256D193)
    for i in range(10):
        k = k + word(0x9E3779B9) if i else k
        c0, c1 = _w.bitwise_xor(_w.bitwise_xor(_high_word(m, c0), c1), k), m * c0
    return [c0, c1]


_TURNS = ((10, 26), (11, 21), (13, 27), (23, 5), (6, 20), (17, 11), (25, 10), (18, 20))


def _threefry4(counter, key):
    # Twenty rounds; 4 words of counter, 4 of key.
    word = lambda v: _w.full(counter[0].shape, v, _w.uint32)
    xor = _w.bitwise_xor
    turned = lambda x, n: _w.bitwise_or(_w.op("shl", [x, word(n)])[0], _w.op("shr_logical", [x, word(32 - n)])[0])
    k = list(key) + [xor(xor(xor(key[0], key[1]), xor(key[2], key[3])), word(0x1BD11BDA))]
    x = [c + a for c, a in zip(counter, k)]
    for i in range(20):
        p, q = (1, 3) if i % 2 == 0 else (3, 1)     # which words are mixed into the first and the third
        for to, of, n in ((0, p, _TURNS[i % 8][0]), (2, q, _TURNS[i % 8][1])):
            x[to] = x[to] + x[of]
            x[of] = xor(x[to], turned(x[of], n))
        if i % 4 == 3:
            at = i // 4 + 1
            x = [v + k[(at + j) % 5] for j, v in enumerate(x)]
            x[3] = x[3] + word(at)
    return x


def _philox(counter, key):
    # Ten rounds; 4 words of counter, 2 of key, each an array.
    from jax.lax._elementwise import _high_word
    c0, c1, c2, c3 = counter
    k0, k1 = key
    word = lambda v: _w.full(c0.shape, v, _w.uint32)
    m0, m1 = word(0xD2511F53), word(0xCD9E8D57)
    for i in range(10):
        if i:
            k0, k1 = k0 + word(0x9E3779B9), k1 + word(0xBB67AE85)
        c0, c1, c2, c3 = (_w.bitwise_xor(_w.bitwise_xor(_high_word(m1, c2), c1), k0), m1 * c2,
                          _w.bitwise_xor(_w.bitwise_xor(_high_word(m0, c0), c3), k1), m0 * c0)
    return [c0, c1, c2, c3]


def bit_generator(key, shape, dtype):
    # (the key for the next draw, bits). Under vmap the first key draws for all, as JAX has it.
    from jax._api import kit
    if not kit.batches:
        return _generated(key, shape, dtype)
    from jax.custom_batching import custom_vmap
    f = custom_vmap(lambda k: _generated(k, shape, dtype))

    def rule(size, _, keys):
        new, bits = bit_generator(keys[0], (size,) + tuple(shape), dtype)
        return (_w.concat([_w.expand_dims(new, 0), keys[1:]], 0), bits), (True, True)

    f.def_vmap(rule)
    return f(key)


def _generated(key, shape, dtype):
    # A key is two words of key and two of a counter, which goes on by one for four numbers.
    dtype = _as_dtype(dtype)
    n = 1
    for d in shape:
        n *= d
    if dtype.itemsize == 8:
        key, halves = _generated(key, (n, 2), _w.uint32)
        from jax.numpy._core import core
        return key, _w.reshape(core.bitcast(halves, dtype), shape)
    blocks = (n + 3) // 4
    spread = lambda v: _w.broadcast_to(v, (blocks,))
    low = spread(key[2]) + _w.iota(_w.uint32, (blocks,))
    high = spread(key[3]) + _w.cast(_w.lt(low, spread(key[2])), _w.uint32)
    k0, k1 = spread(key[0]), spread(key[1])
    bits = _w.reshape(_w.stack(_philox((low, high, k0, k1), (k0, k1)), 1), (4 * blocks,))
    bits = _w.reshape(_w.narrow(bits, 0, 0, n), shape)
    after = key[2] + _w.full((), blocks, _w.uint32)
    carry = _w.cast(_w.lt(after, key[2]), _w.uint32)
    new = _w.stack([key[0], key[1], after, key[3] + carry], 0)
    if dtype.itemsize < 4:
        mask = _w.full(bits.shape, (1 << 8 * dtype.itemsize) - 1, _w.uint32)
        bits = _w.cast(_w.bitwise_and(bits, mask), {1: _w.uint8, 2: _w.uint16}[dtype.itemsize])
    return new, _w.bitcast(bits, dtype)


# ---- keys that are hashed with a counter: what is new is at its end for keys, at its beginning for bits

_hashes = {phx2: (_philox2, 2), phx4: (_philox, 4), fry4: (_threefry4, 4)}


def _hashed(k, low, at_end):
    # the words of the hash of a key and of counters below 2^32, each an array
    fn, words = _hashes[k.impl]
    zero = _w.zeros_like(low)
    counter = [zero, low] + [zero] * (words - 2)
    if at_end:
        counter = counter[2:] + counter[:2]
    return fn(counter, [_w.broadcast_to(k.data[i], low.shape) for i in range(k.impl.key_shape[0])])


def _hashed_bits(k, shape, dtype):
    dtype = _as_dtype(dtype)
    n = 1
    for d in shape:
        n *= d
    x = _hashed(k, _w.iota(_w.uint32, (n,)), False)
    if dtype.itemsize == 8:
        halves = [_w.bitwise_xor(x[0], x[2]), _w.bitwise_xor(x[1], x[3])] if k.impl is fry4 else x[:2]
        high, low = [_w.cast(v, _w.uint64) for v in halves]
        bits = _w.bitwise_or(_w.op("shl", [high, _w.full(high.shape, 32, _w.uint64)])[0], low)
    else:
        bits = x[0]
        for v in x[1:]:
            bits = _w.bitwise_xor(bits, v)
        if dtype.itemsize < 4:
            mask = _w.full(bits.shape, (1 << 8 * dtype.itemsize) - 1, _w.uint32)
            bits = _w.cast(_w.bitwise_and(bits, mask), {1: _w.uint8, 2: _w.uint16}[dtype.itemsize])
    return _w.bitcast(_w.reshape(bits, shape), dtype)


def _hashed_seed(halves, impl):
    high, low = halves[0], halves[1]
    zero = _w.zeros_like(low)
    if impl is fry4:
        return _w.stack(_threefry4([zero] * 4, [high, low, zero, zero]), 0)
    if impl is phx4:
        return _w.stack(_philox([high, low, zero, zero], [zero, zero])[:2], 0)
    return _w.stack(_philox2([high, low], [zero])[:1], 0)


# ---- keys of keys


def seeded(halves, impl):
    # a key of a seed, whose threefry key is known
    if impl in _hashes:
        return KeyArray(_hashed_seed(halves, impl), impl)
    return KeyArray(halves if impl is fry else _w.concat([halves, halves], 0), impl)


def key_split(k, n):
    if k.impl is fry:
        return k._made(_w.key_split(k.data, n))
    if k.impl in _hashes:
        return k._made(_w.stack(_hashed(k, _w.iota(_w.uint32, (n,)), True)[:k.impl.key_shape[0]], 1))
    if k.impl is unsafe:
        return k._made(bit_generator(k.data, (10 * n, 4), _w.uint32)[1][::10])
    both = [_w.key_split(half, n) for half in (k.data[:2], k.data[2:])]
    return k._made(_w.concat(both, 1))


def key_fold_in(k, data):
    if k.impl is fry:
        return k._made(_w.key_fold_in(k.data, data))
    if k.impl in _hashes:
        return k._made(_w.stack(_hashed(k, _seed_of(data)[1], True)[:k.impl.key_shape[0]], 0))
    if k.impl is unsafe:
        own = _seed_of(data)
        mask = bit_generator(_w.concat([own, own], 0), (10, 4), _w.uint32)[1][-1]
        return k._made(_w.bitwise_xor(k.data, mask))
    return k._made(_w.concat([_w.key_fold_in(half, data) for half in (k.data[:2], k.data[2:])], 0))


def _seed_of(data):
    low = _w.cast(_w.wrap(data), _w.uint32) if not isinstance(data, int) else _w.full((), data & 0xffffffff, _w.uint32)
    return _w.stack([_w.zeros_like(low), low], 0)


# ---- draws: natives for threefry, the same formulas from bits for the others


def key_bits(k, shape, dtype):
    if k.impl in _hashes:
        return _hashed_bits(k, shape, dtype)
    return _w.key_bits(k.data, shape, dtype) if k.impl is fry else bit_generator(k.data, shape, dtype)[1]


_layouts = {"float16": (16, 10, 0x3c00), "bfloat16": (16, 7, 0x3f80), "float32": (32, 23, 0x3f800000),
            "float64": (64, 52, 0x3ff0000000000000)}
_unsigned = {8: _w.uint8, 16: _w.uint16, 32: _w.uint32, 64: _w.uint64}


def key_uniform(k, shape, dtype, minval=0.0, maxval=1.0):
    if k.impl is fry:
        return _w.key_uniform(k.data, shape, dtype, minval, maxval)
    width, mantissa, one = _layouts[dtype.name]
    drawn = width if mantissa >= 8 else 8
    bits = _w.cast(key_bits(k, shape, _unsigned[drawn]), _unsigned[width])
    shift = _w.full(bits.shape, drawn - mantissa, _unsigned[width])
    bits = _w.bitwise_or(_w.op("shr_logical", [bits, shift])[0], _w.full(bits.shape, one, _unsigned[width]))
    floats = _w.bitcast(bits, dtype) - _w.full((), 1, dtype)
    lo, hi = _w.full((), minval, dtype), _w.full((), maxval, dtype)
    return _w.maximum(lo, floats * (hi - lo) + lo)


def _formula(name, draw):
    native = getattr(_w, "key_" + name)

    def call(k, shape, dtype):
        return native(k.data, shape, dtype) if k.impl is fry else draw(k, shape, dtype)
    return call


def _below_minus_one(d):
    # the number next to -1 on the side of 0
    return -1.0 + {"float16": 2.0 ** -11, "bfloat16": 2.0 ** -8, "float32": 2.0 ** -24, "float64": 2.0 ** -53}[d.name]


def _tiny(d):
    return float(_finfo(d).tiny)


def _logistic(k, shape, d):
    x = key_uniform(k, shape, d, float(_finfo(d).eps), 1.0)
    return _w.log(x / (1 - x))


def _laplace(k, shape, d):
    u = key_uniform(k, shape, d, -1.0 + float(_finfo(d).eps) / 2, 1.0)
    return _w.sign(u) * _w.log1p(-_w.abs(u))


key_normal = _formula("normal", lambda k, shape, d: _w.full((), math.sqrt(2), d) *
                      _w.erf_inv(key_uniform(k, shape, d, _below_minus_one(d), 1.0)))
key_exponential = _formula("exponential", lambda k, shape, d: -_w.log1p(-key_uniform(k, shape, d)))
key_gumbel = _formula("gumbel", lambda k, shape, d: -_w.log(-_w.log(key_uniform(k, shape, d, _tiny(d), 1.0))))
key_cauchy = _formula("cauchy", lambda k, shape, d: _w.tan(_w.full((), math.pi, d) *
                      (key_uniform(k, shape, d, float(_finfo(d).eps), 1.0) - _w.full((), 0.5, d))))
key_laplace, key_logistic = _formula("laplace", _laplace), _formula("logistic", _logistic)


def key_truncated_normal(k, shape, dtype, lower, upper):
    if k.impl is fry:
        return _w.key_truncated_normal(k.data, shape, dtype, lower, upper)
    from jax.numpy._core import core
    lo, hi, r2 = [_w.full((), v, dtype) for v in (lower, upper, math.sqrt(2))]
    a, b = _w.erf(lo / r2), _w.erf(hi / r2)
    u = key_uniform(k, shape, dtype)
    y = r2 * _w.erf_inv(_w.maximum(a, u * (b - a) + a))
    end = lambda v, to: core.nextafter(v, _w.full((), to, dtype))
    return _w.clip(y, end(lo, float("inf")), end(hi, float("-inf")))


def key_bernoulli(k, p, shape):
    return _w.key_bernoulli(k.data, p, shape) if k.impl is fry else _w.lt(key_uniform(k, shape, p.dtype), p)


def key_rademacher(k, shape, dtype):
    if k.impl is fry:
        return _w.key_rademacher(k.data, shape, dtype)
    b = key_bernoulli(k, _w.full((), 0.5, _w.float32), shape)
    return _w.cast(2 * _w.cast(b, dtype) - _w.full((), 1, dtype), dtype)


def key_randint(k, shape, dtype, lo, hi):
    if k.impl is fry:
        return _w.key_randint(k.data, shape, dtype, lo, hi)
    if dtype.itemsize < 4:      # in 32 bits at least
        return _w.cast(key_randint(k, shape, _w.int32 if dtype.kind == "i" else _w.uint32, lo, hi), dtype)
    bits = 8 * dtype.itemsize
    u = _unsigned[bits]
    pair = key_split(k, 2)
    high, low = key_bits(pair[0], shape, u), key_bits(pair[1], shape, u)
    size = max(hi - lo, 1)
    span = _w.full((), size % (1 << bits), u)
    factor = _w.full((), ((1 << bits // 2) % size) ** 2 % (1 << bits) % size, u)
    if size == 1 << bits:
        offset = low
    else:
        offset = _w.remainder(_w.remainder(high, span) * factor + _w.remainder(low, span), span)
    return _w.full((), lo, dtype) + _w.bitcast(offset, dtype)


def shuffled(k, x, axis):
    # By sorting with random keys, so often that ties do not matter; every row for itself.
    n = max(_w.about(x, "count"), 1)
    for _ in range(math.ceil(3 * math.log(n) / math.log(4294967295.0))):
        pair = key_split(k, 2)
        k = pair[0]
        x = _w.op("sort", [key_bits(pair[1], tuple(x.shape), _w.uint32), x], {"axis": axis, "keys": 1})[1]
    return x


def key_permutation(k, x, axis):
    return _w.key_permutation(k.data, x, axis) if k.impl is fry else shuffled(k, x, axis)


def key_categorical(k, logits, axis, shape):
    if k.impl is fry:
        return _w.key_categorical(k.data, logits, axis, shape)
    rank = len(logits.shape)
    more = tuple(shape)[:len(shape) - (rank - 1)]
    g = key_gumbel(k, more + tuple(logits.shape), logits.dtype)
    return _w.cast(_w.argmax(g + logits, axis), int)
