"""ATen's ops as Weft's functions of tensors: OPS maps a name (of an overload, or of all overloads) to a function.

A function gets `c`, the graph that is being lowered (weft.torch.Lowering): c.b is the builder, c.meta what torch says of the result. Values are
Values of the builder, sizes int or Size. What a function gives is cast to the dtype that torch says, by who calls it.
"""
import math

from ._weft import Value

OPS = {}
INFER = -2 ** 63 + 1
FAR = 2 ** 62
MEAN_KINDS = {"sum": 1, "prod": 2, "amax": 3, "amin": 4, "mean": 5}


class Refuse(Exception):
    """An op, or a use of one, that has no lowering; the text says why."""


def op(*names):
    def put(f):
        for n in names:
            OPS[n] = f
        return f
    return put


for name, own in {
        "abs": "abs", "acos": "acos", "acosh": "acosh", "asin": "asin", "asinh": "asinh", "atan": "atan", "atanh": "atanh", "ceil": "ceil",
        "cos": "cos", "cosh": "cosh", "erf": "erf", "erfc": "erfc", "erfinv": "erf_inv", "exp": "exp", "exp2": "exp2", "expm1": "expm1",
        "floor": "floor", "frac": "frac", "isinf": "is_inf", "isnan": "is_nan", "isfinite": "is_finite", "log": "log", "log10": "log10",
        "log1p": "log1p", "log2": "log2", "logical_not": "logical_not", "bitwise_not": "bitwise_not", "neg": "neg",
        "reciprocal": "reciprocal", "relu": "relu", "rsqrt": "rsqrt", "sigmoid": "sigmoid", "sign": "sign", "sgn": "sign", "sin": "sin",
        "sinh": "sinh", "sqrt": "sqrt", "square": "square", "tan": "tan", "tanh": "tanh", "trunc": "trunc", "positive": "positive",
        "silu": "silu", "log_sigmoid": "log_sigmoid", "_conj": "conj", "conj_physical": "conj", "deg2rad": "deg2rad",
        "rad2deg": "rad2deg", "real": "real", "imag": "imag", "angle": "angle"}.items():
    OPS[name] = lambda c, x, own=own: getattr(c.b, own)(x)
for name, own in {
        "mul": "mul", "maximum": "maximum", "minimum": "minimum", "atan2": "atan2", "fmod": "fmod", "remainder": "remainder",
        "pow": "pow", "eq": "eq", "ne": "ne", "lt": "lt", "le": "le", "gt": "gt", "ge": "ge", "logical_and": "logical_and",
        "logical_or": "logical_or", "logical_xor": "logical_xor", "bitwise_and": "bitwise_and", "bitwise_or": "bitwise_or",
        "bitwise_xor": "bitwise_xor", "hypot": "hypot", "logaddexp": "logaddexp", "floor_divide": "floor_div",
        "bitwise_left_shift": "shift_left", "bitwise_right_shift": "shift_right", "__lshift__": "shift_left",
        "__rshift__": "shift_right", "complex": "complex", "polar": "polar"}.items():
    OPS[name] = lambda c, x, y, own=own: getattr(c.b, own)(x, y)


@op("alias", "clone", "detach", "lift_fresh_copy", "lift_fresh", "contiguous", "_to_copy")
def same(c, x, **_):
    return x


@op("convert_element_type")
def convert_element_type(c, x, dtype):
    return c.b.cast(x, c.dtype())


@op("_trilinear")
def trilinear(c, x, y, z, expand1, expand2, expand3, sumdim, unroll_dim=1):
    # the product of all three, each spread along its new axes, summed
    for i, (v, new) in enumerate(((x, expand1), (y, expand2), (z, expand3))):
        for a in sorted(new):
            v = c.b.expand_dims(v, a)
        out = v if i == 0 else c.b.mul(out, v)
    return c.b.sum(out, list(sumdim), False)


@op("round")
def round_(c, x, decimals=0):
    return c.b.round(x) if not decimals else c.b.div(c.b.round(c.b.mul(x, 10.0 ** decimals)), 10.0 ** decimals)


@op("add")
def add(c, x, y, alpha=1):
    return c.b.logical_or(x, y) if c.dtype() == "bool" else c.b.add(x, y if alpha == 1 else c.b.mul(y, alpha))


@op("sub")
def sub(c, x, y, alpha=1):
    return c.b.sub(x, y if alpha == 1 else c.b.mul(y, alpha))


@op("rsub")
def rsub(c, x, y, alpha=1):
    return sub(c, y, x, alpha)


@op("div", "true_divide")
def div(c, x, y, rounding_mode=None):
    if rounding_mode == "floor":
        return c.b.floor_div(x, y)
    z = c.b.div(x, y)
    return c.b.trunc(z) if rounding_mode == "trunc" else z


@op("copy")
def copy(c, x, src, non_blocking=False):
    return c.b.broadcast_to(src, list(x.dims))


@op("view_as_complex")
def view_as_complex(c, x):
    b, last = c.b, [slice(None)] * (len(x.dims) - 1)
    return b.complex(b.index_get(x, last + [0]), b.index_get(x, last + [1]))


@op("view_as_real")
def view_as_real(c, x):
    return c.b.concat([c.b.expand_dims(part, -1) for part in (c.b.real(x), c.b.imag(x))], len(x.dims))


@op("_assert_async")
def assert_async(c, ok, message="Expected Tensor with single nonzero value, but got zero"):
    c.b.check(c.b.ne(ok, 0) if ok.dtype != "bool" else ok, message, [])


@op("where")
def where(c, cond, x=None, y=None):
    if x is None:
        raise Refuse("where(condition): the size of its result depends on numbers")
    return c.b.where(cond, x, y)


@op("clamp")
def clamp(c, x, lo=None, hi=None):
    return c.b.clip(x, lo, hi)


@op("clamp_min")
def clamp_min(c, x, lo):
    return c.b.clip(x, lo, None)


@op("clamp_max")
def clamp_max(c, x, hi):
    return c.b.clip(x, None, hi)


@op("hardtanh")
def hardtanh(c, x, lo=-1, hi=1):
    return c.b.clip(x, lo, hi)


@op("fmax")
def fmax(c, x, y):
    b = c.b
    return b.where(b.is_nan(x), y, b.where(b.is_nan(y), x, b.maximum(x, y)))


@op("fmin")
def fmin(c, x, y):
    b = c.b
    return b.where(b.is_nan(x), y, b.where(b.is_nan(y), x, b.minimum(x, y)))


@op("gelu")
def gelu(c, x, approximate="none"):
    return c.b.gelu(x, approximate == "tanh")


@op("gelu_backward")
def gelu_backward(c, gy, x, approximate="none"):
    b, w = c.b, wide(c, x)
    if approximate == "tanh":
        return backward_of(c, lambda v: b.gelu(v, True), w, wide(c, gy))
    below = b.mul(b.add(b.erf(b.mul(w, math.sqrt(0.5))), 1.0), 0.5)
    density = b.mul(b.exp(b.mul(b.mul(w, w), -0.5)), 1 / math.sqrt(2 * math.pi))
    return b.mul(wide(c, gy), b.add(below, b.mul(w, density)))


@op("elu")
def elu(c, x, alpha=1, scale=1, input_scale=1):
    b = c.b
    y = b.elu(x, float(alpha)) if input_scale == 1 else b.where(b.gt(x, 0), x, b.mul(b.expm1(b.mul(x, input_scale)), alpha))
    return y if scale == 1 else b.mul(y, scale)


@op("leaky_relu")
def leaky_relu(c, x, slope=0.01):
    return c.b.leaky_relu(x, float(slope))


@op("softplus")
def softplus(c, x, beta=1, threshold=20):
    b = c.b
    return b.where(b.gt(b.mul(x, beta), threshold), x, b.div(b.log1p(b.exp(b.mul(x, beta))), beta))


@op("_softmax", "softmax")
def softmax(c, x, dim, half=False):
    return c.b.softmax(x, dim) if x.dims else c.b.div(x, x)


@op("_log_softmax", "log_softmax")
def log_softmax(c, x, dim, half=False):
    return c.b.log_softmax(x, dim) if x.dims else c.b.sub(x, x)


# ---- making

def filled(c, size, value):
    return c.b.broadcast_to(c.b.constant(value, c.dtype()), c.sizes(size))


@op("full")
def full(c, size, value, **_):
    return filled(c, size, value)


@op("full_like")
def full_like(c, x, value, **_):
    return filled(c, x.dims, value)


@op("zeros", "empty", "empty_strided")
def zeros(c, size, *_, **__):
    return filled(c, size, 0)


@op("ones")
def ones(c, size, **_):
    return filled(c, size, 1)


@op("zeros_like", "empty_like", "new_zeros", "new_empty", "new_empty_strided", "empty_permuted")
def zeros_like(c, x, *_, **__):
    return filled(c, c.meta.shape, 0)


@op("ones_like", "new_ones")
def ones_like(c, x, *_, **__):
    return filled(c, c.meta.shape, 1)


@op("new_full")
def new_full(c, x, size, value, **_):
    return filled(c, size, value)


@op("fill")
def fill(c, x, value):
    return filled(c, x.dims, value) if not isinstance(value, Value) else c.b.broadcast_to(value, list(x.dims))


@op("scalar_tensor")
def scalar_tensor(c, value, **_):
    return c.b.constant(value, c.dtype()) if isinstance(value, (int, float, bool)) else c.b.size_tensor(value)


@op("arange")
def arange(c, *args, **_):
    start, end, step = (0, *args, 1) if len(args) == 1 else (*args, 1) if len(args) == 2 else args
    b, n = c.b, c.sizes(c.meta.shape)
    if not c.meta.dtype.is_floating_point and any(isinstance(a, float) and a != int(a) for a in (start, step)):
        raise Refuse("arange of integers by fractions")
    i = b.iota(c.dtype() if c.meta.dtype.is_floating_point else "i64", n, 0)
    return b.add(b.mul(i, step) if step != 1 else i, start)


@op("linspace")
def linspace(c, start, end, steps, **_):
    if not c.meta.dtype.is_floating_point:  # numbers cut off at whole ones: torch's own, whose steps are those of f32
        import torch
        if not isinstance(steps, int) or isinstance(start, Value) or isinstance(end, Value):
            raise Refuse("linspace of integers between what is not known, or of so many")
        return c.b.constant(torch.linspace(start, end, steps, dtype=c.meta.dtype))
    return c.b.linspace(c.dtype(), float(start), float(end), steps, True)


@op("eye")
def eye(c, n, m=None, **_):
    return c.b.eye(c.dtype(), n, n if m is None else m, 0)


# ---- shape

@op("view", "reshape", "_unsafe_view", "_reshape_alias", "view_copy")
def view(c, x, size, *_):
    if not isinstance(size, (list, tuple)):
        raise Refuse("view as another dtype")
    return c.b.reshape(x, c.sizes(c.meta.shape))


@op("flatten")
def flatten(c, x, start=0, end=-1):
    return c.b.flatten(x, start, end)


@op("expand", "broadcast_to")
def expand(c, x, size, **_):
    return c.b.broadcast_to(x, c.sizes(c.meta.shape))


@op("repeat")
def repeat(c, x, reps):
    b = c.b
    while len(x.dims) < len(reps):
        x = b.expand_dims(x, 0)
    dims = [c.size_of(b, d) for d in x.dims]
    apart = b.reshape(x, [n for d in dims for n in (1, d)])
    return b.reshape(b.broadcast_to(apart, [n for pair in zip(c.sizes(reps), dims) for n in pair]), c.sizes(c.meta.shape))


@op("permute")
def permute(c, x, dims):
    return c.b.permute(x, [d % len(dims) for d in dims])


@op("t")
def t(c, x):
    return c.b.permute(x, None) if len(x.dims) == 2 else x


@op("transpose")
def transpose(c, x, a, b):
    return c.b.swap_axes(x, a, b)


@op("unsqueeze")
def unsqueeze(c, x, dim):
    return c.b.expand_dims(x, dim)


@op("squeeze")
def squeeze(c, x, dims=None):
    return c.b.reshape(x, c.sizes(c.meta.shape))


@op("select")
def select(c, x, dim, index):
    if not isinstance(index, int):
        return c.b.take(x, c.b.size_tensor(index), dim % len(x.dims))
    return c.b.index_get(x, [slice(None)] * (dim % len(x.dims)) + [index])


def stepped(c, start, length, step):
    return c.b.add(c.b.mul(c.b.iota("i64", [length], 0), step), start if isinstance(start, int) else c.b.size_tensor(start))


@op("slice")
def slice_(c, x, dim=0, start=None, end=None, step=1):
    dim %= len(x.dims)
    known = isinstance(start, (int, type(None))) and isinstance(end, (int, type(None))) and x.dims[dim] >= 0
    if known:
        end = None if end is None or end >= FAR else end
        return c.b.index_get(x, [slice(None)] * dim + [slice(start, end, step)])
    n, length, start = c.size_of(c.b, x.dims[dim]), c.size(c.meta.shape[dim]), 0 if start is None else start
    if step == 1 and n == length:
        return x
    if isinstance(start, int) and start < 0:
        start = n + start
    if step != 1:
        return c.b.take(x, stepped(c, start, length, step), dim)
    return c.b.index_sizes(x, dim, start, start + length)


@op("slice_scatter")
def slice_scatter(c, x, src, dim=0, start=None, end=None, step=1):
    dim %= len(x.dims)
    end = None if end is None or (isinstance(end, int) and end >= FAR) else end
    if isinstance(start, (int, type(None))) and isinstance(end, (int, type(None))) and x.dims[dim] >= 0:
        return c.b.index_set(x, [slice(None)] * dim + [slice(start, end, step)], src)
    start = 0 if start is None else start
    if isinstance(start, int) and start < 0:
        start = c.size_of(c.b, x.dims[dim]) + start
    if step != 1:
        return c.b.index_set(x, [slice(None)] * dim + [stepped(c, start, c.size_of(c.b, src.dims[dim]), step)], src)
    after = c.b.size("add", start, src.dims[dim])
    parts = [c.b.index_sizes(x, dim, 0, start)] if not isinstance(start, int) or start else []
    parts.append(src)
    if not c.b.size("equal", after, x.dims[dim]):
        parts.append(c.b.index_sizes(x, dim, c.size_of(c.b, after), None))
    return c.b.concat(parts, dim) if len(parts) > 1 else src


@op("select_scatter")
def select_scatter(c, x, src, dim, index):
    return c.b.index_set(x, [slice(None)] * (dim % len(x.dims)) + [index], src)


def put_back(c, gy, sizes, dim, start):
    """What a slice from start on was taken from, with zeros around it."""
    return constant_pad_nd(c, gy, [0, 0] * (len(sizes) - 1 - dim) + [start, sizes[dim] - start - gy.dims[dim]])


@op("select_backward")
def select_backward(c, gy, sizes, dim, index):
    dim %= len(sizes)
    if isinstance(index, int) and isinstance(sizes[dim], int):
        return put_back(c, c.b.expand_dims(gy, dim), sizes, dim, index % sizes[dim])
    return select_scatter(c, filled(c, sizes, 0), gy, dim, index)


@op("slice_backward")
def slice_backward(c, gy, sizes, dim, start, end, step):
    dim %= len(sizes)
    if step == 1 and all(isinstance(n, int) for n in (sizes[dim], start, end)):
        return put_back(c, gy, sizes, dim, slice(start, end).indices(sizes[dim])[0])
    return slice_scatter(c, filled(c, sizes, 0), gy, dim, start, end, step)


@op("diagonal", "diagonal_copy")
def diagonal(c, x, offset=0, dim1=0, dim2=1):
    n = len(x.dims)
    rest = [i for i in range(n) if i not in (dim1 % n, dim2 % n)]
    return c.b.diagonal(c.b.permute(x, rest + [dim1 % n, dim2 % n]), offset)


def strided_places(c, x, size, stride, offset):
    """Where in x's memory, taken as row-major, the elements of such a view are."""
    if not c.node.args[0].meta["val"].is_contiguous():
        raise Refuse("as_strided of memory that is not row-major")
    b, dims, offset = c.b, c.sizes(size), 0 if offset is None else offset

    def number(n):
        return n if isinstance(n, int) else b.size_tensor(n)
    places = b.broadcast_to(b.cast(b.constant(number(offset)) if isinstance(offset, int) else number(offset), "i64"), dims)
    for k, step in enumerate(c.sizes(stride)):
        places = b.add(places, b.mul(b.iota("i64", dims, k), number(step)))
    return places


@op("as_strided", "as_strided_copy")
def as_strided(c, x, size, stride, offset=None):
    return c.b.take(c.b.reshape(x, [INFER]), strided_places(c, x, size, stride, offset), 0)


@op("as_strided_scatter")
def as_strided_scatter(c, x, src, size, stride, offset=None):
    places = strided_places(c, x, size, stride, offset)
    flat = scatter_kind(c, c.b.reshape(x, [INFER]), 0, c.b.reshape(places, [INFER]), c.b.reshape(src, [INFER]), 0)
    return c.b.reshape(flat, list(x.dims))


@op("cat", "concatenate")
def cat(c, xs, dim=0):
    xs = [x for x in xs if x.dims != (0,)] or xs[:1]
    return c.b.concat([c.b.cast(x, c.dtype()) for x in xs], dim)


@op("stack")
def stack(c, xs, dim=0):
    return c.b.stack([c.b.cast(x, c.dtype()) for x in xs], dim)


@op("split_with_sizes", "split_with_sizes_copy", "unsafe_split_with_sizes")
def split_with_sizes(c, x, sizes, dim=0):
    out, at = [], 0
    for n in sizes:
        out.append(c.b.narrow(x, dim % len(x.dims), at, n))
        at = at + n
    return tuple(out)


@op("split", "unsafe_split")
def split(c, x, size, dim=0):
    return split_with_sizes(c, x, [m.shape[dim] for m in c.meta], dim)


@op("unbind")
def unbind(c, x, dim=0):
    return tuple(select(c, x, dim, i) for i in range(len(c.meta)))


@op("flip")
def flip(c, x, dims):
    return c.b.flip(x, list(dims)) if dims else x


@op("roll")
def roll(c, x, shifts, dims=()):
    shifts = shifts if isinstance(shifts, (list, tuple)) else [shifts]
    if not dims:
        return c.b.reshape(c.b.roll(c.b.reshape(x, [INFER]), shifts[0], 0), list(x.dims))
    for s, d in zip(shifts, dims if isinstance(dims, (list, tuple)) else [dims]):
        x = c.b.roll(x, s, d)
    return x


@op("tril")
def tril(c, x, k=0):
    return c.b.tril(x, k)


@op("triu")
def triu(c, x, k=0):
    return c.b.triu(x, k)


def padding(x, pad):
    n, k = len(x.dims), len(pad) // 2
    lo, hi = [0] * n, [0] * n
    for i in range(k):
        lo[n - 1 - i], hi[n - 1 - i] = pad[2 * i], pad[2 * i + 1]
    return lo, hi


@op("constant_pad_nd")
def constant_pad_nd(c, x, pad, value=0):
    lo, hi = padding(x, pad)
    if any(isinstance(p, int) and p < 0 for p in lo + hi):  # cuts
        ends = [(-min(a, 0), min(b, 0) or None) for a, b in zip(lo, hi)]
        x = c.b.index_get(x, [slice(a, b) for a, b in ends])
        lo, hi = [max(p, 0) for p in lo], [max(p, 0) for p in hi]
    return c.b.pad(x, lo, hi, float(value))


def padded(kind):
    def pad(c, x, pad):
        return c.b.pad_with(x, *padding(x, pad), kind, 0.0)
    return pad


for d in "123":
    OPS[f"reflection_pad{d}d"] = padded(1)
    OPS[f"replication_pad{d}d"] = padded(2)


# ---- reductions

def axes(x, dim):
    if dim is None or (isinstance(dim, (list, tuple)) and not dim):
        return None
    return [d % max(len(x.dims), 1) for d in (dim if isinstance(dim, (list, tuple)) else [dim])] if x.dims else None


@op("sum")
def sum_(c, x, dim=None, keepdim=False, dtype=None):
    return c.b.sum(c.b.cast(x, c.dtype()), axes(x, dim), keepdim) if x.dims else c.b.cast(x, c.dtype())


@op("mean")
def mean(c, x, dim=None, keepdim=False, dtype=None):
    return c.b.mean(c.b.cast(x, c.dtype()), axes(x, dim), keepdim)


@op("prod")
def prod(c, x, dim=None, keepdim=False, dtype=None):
    return c.b.prod(c.b.cast(x, c.dtype()), axes(x, dim), keepdim)


@op("amax")
def amax(c, x, dim=(), keepdim=False):
    return c.b.max(x, axes(x, dim), keepdim)


@op("amin")
def amin(c, x, dim=(), keepdim=False):
    return c.b.min(x, axes(x, dim), keepdim)


@op("any")
def any_(c, x, dim=None, keepdim=False):
    return c.b.any(c.b.cast(x, "bool"), axes(x, dim), keepdim)


@op("all")
def all_(c, x, dim=None, keepdim=False):
    return c.b.all(c.b.cast(x, "bool"), axes(x, dim), keepdim)


@op("argmax")
def argmax(c, x, dim=None, keepdim=False):
    return c.b.argmax(x, dim, keepdim)


@op("argmin")
def argmin(c, x, dim=None, keepdim=False):
    return c.b.argmin(x, dim, keepdim)


@op("max.dim")
def max_dim(c, x, dim, keepdim=False):
    return (c.b.max(x, axes(x, dim), keepdim), c.b.argmax(x, dim, keepdim)) if x.dims else (x, c.b.zeros("i64", []))


@op("min.dim")
def min_dim(c, x, dim, keepdim=False):
    return (c.b.min(x, axes(x, dim), keepdim), c.b.argmin(x, dim, keepdim)) if x.dims else (x, c.b.zeros("i64", []))


OPS["max"] = lambda c, x: c.b.max(x, None, False)
OPS["min"] = lambda c, x: c.b.min(x, None, False)


def wide(c, x):
    """Means and variances of 16-bit floats are computed in 32 bits."""
    return c.b.cast(x, "f32") if x.dtype in ("f16", "bf16") else x


@op("var")
def var(c, x, dim=None, correction=1, keepdim=False, unbiased=None):
    if isinstance(correction, bool):
        correction = int(correction)
    return c.b.var(wide(c, x), axes(x, dim), float(1 if correction is None else correction), keepdim)


@op("std")
def std(c, x, dim=None, correction=1, keepdim=False):
    return c.b.sqrt(var(c, x, dim, correction, keepdim))


@op("var_mean")
def var_mean(c, x, dim=None, correction=1, keepdim=False):
    return var(c, x, dim, correction, keepdim), c.b.mean(wide(c, x), axes(x, dim), keepdim)


@op("logsumexp")
def logsumexp(c, x, dim, keepdim=False):
    return c.b.logsumexp(x, axes(x, dim), keepdim)


@op("cumsum")
def cumsum(c, x, dim, dtype=None):
    return c.b.cumsum(c.b.cast(x, c.dtype()), dim, False) if x.dims else x


@op("cumprod")
def cumprod(c, x, dim, dtype=None):
    return c.b.cumprod(c.b.cast(x, c.dtype()), dim) if x.dims else x


@op("logcumsumexp")
def logcumsumexp(c, x, dim):
    return c.b.logcumsumexp(x, dim) if x.dims else x


@op("sort")
def sort(c, x, dim=-1, descending=False, stable=None):
    return c.b.sort(x, dim, descending) if x.dims else (x, c.b.zeros("i64", []))


OPS["sort.stable"] = lambda c, x, stable=None, dim=-1, descending=False: c.b.sort(x, dim, descending)


@op("argsort")
def argsort(c, x, dim=-1, descending=False, stable=None):
    return c.b.argsort(x, dim, descending)


@op("topk")
def topk(c, x, k, dim=-1, largest=True, sorted=True):
    return c.b.top_k(x, k, dim, largest) if x.dims else (x, c.b.zeros("i64", []))


# ---- indexing

@op("index", "_unsafe_index")
def index(c, x, indices):
    if any(i is not None and i.dtype == "bool" for i in indices):
        raise Refuse("an index that is a mask: the size of its result depends on numbers")
    return c.b.index_get(x, [slice(None) if i is None else i for i in indices])


@op("index_put", "_unsafe_index_put")
def index_put(c, x, indices, values, accumulate=False, unsafe=False):
    if len(indices) == 1 and indices[0] is not None and indices[0].dtype == "bool":
        if accumulate or math.prod(values.dims) != 1:
            raise Refuse("index_put by a mask with many values")
        mask = indices[0]
        while len(mask.dims) < len(x.dims):
            mask = c.b.expand_dims(mask, -1)
        return c.b.where(mask, c.b.cast(c.b.reshape(values, []), x.dtype), x)
    ix = [slice(None) if i is None else i for i in indices]
    return (c.b.index_add if accumulate else c.b.index_set)(x, ix, values)


@op("gather")
def gather(c, x, dim, index, sparse_grad=False):
    if not x.dims or len(index.dims) != len(x.dims):
        return c.b.reshape(x, list(index.dims)) if not x.dims else c.b.zeros(x.dtype, list(index.dims))
    n = len(x.dims)
    narrow = [slice(0, i) if k != dim % n and i != d and i >= 0 else slice(None) for k, (d, i) in enumerate(zip(x.dims, index.dims))]
    return c.b.take_along(c.b.index_get(x, narrow) if any(s != slice(None) for s in narrow) else x, index, dim)


@op("index_select")
def index_select(c, x, dim, index):
    return c.b.take(x, index, dim)


@op("embedding")
def embedding(c, weight, indices, *_):
    return c.b.embedding(weight, indices)


def scatter_kind(c, x, dim, index, src, kind, with_old=True):
    if not isinstance(src, Value):
        src = c.b.broadcast_to(c.b.constant(src, x.dtype), list(index.dims))
    return c.b.scatter_along(x, index, src, dim, kind, with_old)


OPS["scatter"] = lambda c, x, dim, index, src: scatter_kind(c, x, dim, index, src, 0)
OPS["scatter_add"] = lambda c, x, dim, index, src: scatter_kind(c, x, dim, index, src, 1)
OPS["scatter_reduce"] = lambda c, x, dim, index, src, reduce, include_self=True: scatter_kind(
    c, x, dim, index, src, MEAN_KINDS[reduce], include_self)


@op("index_add")
def index_add(c, x, dim, index, source, alpha=1):
    return c.b.add_slices(x, index, source if alpha == 1 else c.b.mul(source, alpha), dim)


@op("searchsorted", "bucketize")
def searchsorted(c, a, v, *, out_int32=False, right=False, side=None, sorter=None):
    a, v = (v, a) if c.node.target.overloadpacket.__name__ == "bucketize" else (a, v)
    if sorter is not None or len(a.dims) != 1:
        raise Refuse("searchsorted of rows, or with a sorter")
    return c.b.searchsorted(a, v, right or side == "right")


@op("masked_fill")
def masked_fill(c, x, mask, value):
    return c.b.where(mask, c.b.cast(value, x.dtype) if isinstance(value, Value) else value, x)


@op("masked_scatter")
def masked_scatter(c, x, mask, source):
    return c.b.masked_scatter(x, mask, source)


# ---- products

@op("mm", "bmm", "matmul", "dot", "mv")
def mm(c, x, y):
    return c.b.matmul(x, y)


@op("addmm", "baddbmm", "addmv")
def addmm(c, bias, x, y, beta=1, alpha=1):
    b = c.b
    if not c.meta.dtype.is_floating_point and not c.meta.dtype.is_complex:
        alpha, beta = int(alpha), int(beta)
    z = b.matmul(x, y)
    z = z if alpha == 1 else b.mul(z, alpha)
    return z if beta == 0 else b.add(bias if beta == 1 else b.mul(bias, beta), z)


@op("_weight_norm_interface_backward")
def weight_norm_backward(c, gw, v, g, norms, dim):
    # w = g v / |v|, the norm over all axes but dim
    b, rest = c.b, [a for a in range(len(v.dims)) if a != dim]
    along = b.div(b.sum(b.mul(gw, v), rest, True), norms)
    return b.mul(b.div(g, norms), b.sub(gw, b.mul(v, b.div(along, norms)))), along


@op("linear")
def linear(c, x, w, bias=None):
    return c.b.linear(x, w, bias)


def spread(v, n):
    v = list(v)
    return v * n if len(v) == 1 else v


def convolve(b, x, w, bias, stride, pad, dilation, transposed, out_pad, groups):
    n = len(x.dims) - 2
    stride, pad, dilation, out_pad = (spread(v, n) for v in (stride, pad, dilation, out_pad))
    if transposed:
        return b.conv_transpose(x, w, bias, n, stride, pad, out_pad, dilation, groups)
    return b.conv(x, w, bias, n, stride, pad, dilation, groups)


@op("convolution")
def convolution(c, x, w, bias, stride, pad, dilation, transposed, out_pad, groups):
    return convolve(c.b, x, w, bias, stride, pad, dilation, transposed, out_pad, groups)


@op("convolution_backward")
def convolution_backward(c, gy, x, w, bias_sizes, stride, pad, dilation, transposed, out_pad, groups, mask):
    wrt = [i for i in (0, 1) if mask[i]]
    out = [None, None, None]
    if wrt:
        fn = lambda v: [convolve(c.b, v[0], v[1], None, stride, pad, dilation, transposed, out_pad, groups)]
        for i, g in zip(wrt, c.b.vjp(fn, [x, w], wrt, [gy])[1]):
            out[i] = g
    if mask[2]:
        out[2] = c.b.sum(gy, [0, *range(2, len(gy.dims))], False)
    return tuple(out)


def backward_of(c, f, x, gy):
    return c.b.vjp(lambda v: [f(v[0])], [x], [0], [gy])[1][0]


@op("_scaled_dot_product_flash_attention_for_cpu")
def attention(c, q, k, v, dropout=0.0, causal=False, attn_mask=None, scale=None):
    if dropout:
        raise Refuse("attention with dropout")
    b, s = c.b, scale or 1.0 / math.sqrt(q.dims[-1])
    y = b.attention(q, k, v, attn_mask, causal, float(s))
    scores = b.mul(b.matmul(wide(c, q), b.swap_axes(wide(c, k), -1, -2)), s)
    if causal:
        rows, cols = (b.iota("i64", [q.dims[-2], k.dims[-2]], a) for a in (0, 1))
        scores = b.where(b.ge(rows, cols), scores, -math.inf)
    if attn_mask is not None:
        scores = b.where(attn_mask, scores, -math.inf) if attn_mask.dtype == "bool" else b.add(scores, attn_mask)
    return y, b.logsumexp(scores, [-1], False)


@op("_scaled_dot_product_flash_attention_for_cpu_backward")
def attention_backward(c, gy, q, k, v, out, lse, dropout, causal, attn_mask=None, scale=None):
    if dropout:
        raise Refuse("attention with dropout")
    s = scale or 1.0 / math.sqrt(q.dims[-1])
    return tuple(c.b.vjp(lambda x: [c.b.attention(x[0], x[1], x[2], attn_mask, causal, float(s))], [q, k, v], [0, 1, 2], [gy])[1])


def heads_of(c, x, width, heads, qkv_weight, qkv_bias, weight, bias, mask, mask_type):
    """Attention of a sequence with itself, [batch, time, width]. mask, where true (or not 0) nobody looks: 0 [time, time], 1 [batch, time],
    2 [batch, heads, time, time]."""
    b, (n, time) = c.b, c.sizes(c.meta.shape[:2])
    qkv = b.reshape(affine(c, x, qkv_weight, qkv_bias), c.sizes([n, time, 3, heads, width // heads]))
    q, k, v = (b.index_get(b.permute(qkv, [2, 0, 3, 1, 4]), [i]) for i in range(3))
    if mask is not None:
        mask = b.logical_not(mask) if mask.dtype == "bool" else b.eq(mask, 0)
        mask = b.expand_dims(b.expand_dims(mask, 1), 1) if mask_type == 1 else mask
    y = b.attention(q, k, v, mask, False, 1 / math.sqrt(width // heads))
    return affine(c, b.reshape(b.permute(y, [0, 2, 1, 3]), c.sizes([n, time, width])), weight, bias)


def affine(c, x, weight, bias):
    return c.b.add(c.b.matmul(x, c.b.swap_axes(weight, 0, 1)), bias)


@op("_transformer_encoder_layer_fwd")
def encoder_layer(c, x, width, heads, qkv_weight, qkv_bias, weight, bias, gelu, norm_first, eps, w1, b1, w2, b2, up, up_bias, down, down_bias,
                  mask=None, mask_type=None):
    b = c.b

    def attend(x):
        return heads_of(c, x, width, heads, qkv_weight, qkv_bias, weight, bias, mask, mask_type)

    def feed(x):
        h = affine(c, x, up, up_bias)
        return affine(c, b.gelu(h, False) if gelu else b.relu(h), down, down_bias)
    for part, w, shift in ((attend, w1, b1), (feed, w2, b2)):
        if norm_first:
            x = b.add(x, part(b.layer_norm(x, 1, w, shift, float(eps))))
        else:
            x = b.layer_norm(b.add(x, part(x)), 1, w, shift, float(eps))
    return x


# ---- pools

def window(c, x, kernel, stride, pad, n):
    return spread(kernel, n), spread(stride, n) if stride else spread(kernel, n), spread(pad, n)


def batched(c, x, n, f):
    """Images without a batch get one."""
    if len(x.dims) == n + 2:
        return f(x)
    y = f(c.b.expand_dims(x, 0))
    return tuple(c.b.squeeze(v, [0]) for v in y) if isinstance(y, tuple) else c.b.squeeze(y, [0])


def max_pool(n):
    def pool(c, x, kernel, stride=(), pad=(0,), dilation=(1,), ceil_mode=False):
        k, s, p = window(c, x, kernel, stride, pad, n)
        return batched(c, x, n, lambda x: c.b.max_pool_with(x, n, k, s, p, spread(dilation, n), ceil_mode))
    return pool


def avg_pool(n):
    def pool(c, x, kernel, stride=(), pad=(0,), ceil_mode=False, count_pad=True, divisor=None):
        k, s, p = window(c, x, kernel, stride, pad, n)
        return batched(c, x, n, lambda x: c.b.avg_pool_with(x, n, k, s, p, ceil_mode, count_pad, divisor or 0))
    return pool


for n in (1, 2, 3):
    OPS[f"max_pool{n}d_with_indices"] = max_pool(n)
    OPS[f"avg_pool{n}d"] = avg_pool(n)
    OPS[f"avg_pool{n}d_backward"] = lambda c, gy, x, *rest, n=n: backward_of(c, lambda v: avg_pool(n)(c, v, *rest), x, gy)
    OPS[f"_adaptive_avg_pool{n}d"] = lambda c, x, size, n=n: batched(c, x, n, lambda x: c.b.adaptive_avg_pool(x, n, c.sizes(size)))
    OPS[f"_adaptive_avg_pool{n}d_backward"] = lambda c, gy, x, n=n: backward_of(
        c, lambda v: batched(c, v, n, lambda u: c.b.adaptive_avg_pool(u, n, list(gy.dims[-n:]))), x, gy)
OPS["adaptive_avg_pool1d"] = OPS["_adaptive_avg_pool1d"]


def max_pool_backward(n):
    def back(c, gy, x, kernel, stride, pad, dilation, ceil_mode, indices):
        b, lead = c.b, list(x.dims[:-n])
        flat = b.reshape(b.zeros(x.dtype, list(x.dims)), lead + [INFER])
        g = b.scatter_along(flat, b.reshape(indices, lead + [INFER]), b.reshape(gy, lead + [INFER]), len(lead), 1, True)
        return b.reshape(g, list(x.dims))
    return back


OPS["max_pool2d_with_indices_backward"] = max_pool_backward(2)
OPS["max_pool3d_with_indices_backward"] = max_pool_backward(3)


def resize(n, linear):
    def up(c, x, size=None, *rest):
        sizes, corners = c.sizes(c.meta.shape[2:]), bool(rest[0]) if linear and rest else False
        factors = rest[-1] if rest and isinstance(rest[-1], (list, tuple)) else None
        return c.b.interpolate(x, n, sizes, [float(f) for f in factors] if factors else None, linear, corners)
    return up


def resize_backward(n, linear):
    def back(c, gy, out_size, in_size, *rest):
        corners, scales = (bool(rest[0]), rest[1:]) if linear else (False, rest)
        factors = [float(s) for s in scales] if scales and all(s is not None for s in scales) else None
        x = c.b.zeros(gy.dtype, c.sizes(in_size))
        return backward_of(c, lambda v: c.b.interpolate(v, n, c.sizes(out_size), factors, linear, corners), x, gy)
    return back


for n, kind in ((1, "linear"), (2, "bilinear"), (3, "trilinear")):
    OPS[f"upsample_nearest{n}d"] = resize(n, False)
    OPS[f"upsample_{kind}{n}d"] = resize(n, True)
    OPS[f"upsample_nearest{n}d_backward"] = resize_backward(n, False)
    OPS[f"upsample_{kind}{n}d_backward"] = resize_backward(n, True)


# ---- normalisation

@op("native_layer_norm")
def native_layer_norm(c, x, shape, weight, bias, eps):
    n = len(shape)
    ax = list(range(len(x.dims) - n, len(x.dims)))
    b, w = c.b, wide(c, x)
    mean, var = b.mean(w, ax, True), b.var(w, ax, 0.0, True)
    return b.layer_norm(x, n, weight, bias, float(eps)), mean, b.rsqrt(b.add(var, eps))


@op("native_layer_norm_backward")
def native_layer_norm_backward(c, gy, x, shape, mean, rstd, weight, bias, mask):
    """xn = (x - mean) * rstd, g = gy * weight:  gx = rstd * (g - mean of g - xn * mean of g * xn),  gw = sum gy * xn,  gb = sum gy"""
    b, rank = c.b, len(x.dims)
    outer, inner = list(range(rank - len(shape))), list(range(rank - len(shape), rank))
    gy, g = wide(c, gy), wide(c, gy)
    xn = b.mul(b.sub(wide(c, x), mean), rstd)
    if weight is not None:
        g = b.mul(g, wide(c, weight))
    gx = b.sub(b.sub(g, b.mean(g, inner, True)), b.mul(xn, b.mean(b.mul(g, xn), inner, True)))
    out = (b.mul(rstd, gx), b.mul(gy, xn), gy)
    return tuple(None if not m else b.sum(v, outer, False) if i and outer else v for i, (m, v) in enumerate(zip(mask, out)))


@op("native_group_norm")
def native_group_norm(c, x, weight, bias, n, channels, space, groups, eps):
    b = c.b
    rows = b.reshape(wide(c, x), c.sizes([n, groups, INFER]))
    mean, var = b.mean(rows, [2], False), b.var(rows, [2], 0.0, False)
    return b.group_norm(x, groups, weight, bias, float(eps)), mean, b.rsqrt(b.add(var, eps))


def channels(c, v, x):
    return None if v is None else c.b.reshape(v, [1, INFER] + [1] * (len(x.dims) - 2))


def batch_norm(c, x, weight, bias, mean, var, training, momentum, eps):
    """(y, mean of the batch, 1 / deviation of the batch, new running mean, new running variance)"""
    b, ax = c.b, [0, *range(2, len(x.dims))]
    if not training:
        return b.batch_norm(x, mean, var, weight, bias, False, float(eps))[0], b.zeros("f32", [0]), b.zeros("f32", [0]), mean, var
    y, m, v = b.batch_norm(x, None, None, weight, bias, True, float(eps))
    count = b.cast(b.size_tensor(_count(c, x)), v.dtype)
    new_mean = new_var = None
    if mean is not None:
        new_mean = b.add(b.mul(mean, 1 - momentum), b.mul(m, momentum))
        new_var = b.add(b.mul(var, 1 - momentum), b.mul(b.mul(v, b.div(count, b.sub(count, 1.0))), momentum))
    return y, m, b.rsqrt(b.add(v, eps)), new_mean, new_var


def _count(c, x):
    n = x.dims[0]
    for d in x.dims[2:]:
        n = c.b.size("mul", n, d)
    return n


OPS["_native_batch_norm_legit_functional"] = lambda c, x, w, b, m, v, training, momentum, eps: batch_norm(
    c, x, w, b, m, v, training, momentum, eps)
OPS["_native_batch_norm_legit.no_stats"] = lambda c, x, w, b, training, momentum, eps: batch_norm(
    c, x, w, b, None, None, True, momentum, eps)[:3]
OPS["_native_batch_norm_legit_no_training"] = lambda c, x, w, b, m, v, momentum, eps: batch_norm(
    c, x, w, b, m, v, False, momentum, eps)[:3]
OPS["native_batch_norm"] = OPS["_native_batch_norm_legit"] = lambda c, x, w, b, m, v, training, momentum, eps: batch_norm(
    c, x, w, b, m, v, training, momentum, eps)[:3]
OPS["_batch_norm_with_update_functional"] = lambda c, x, w, b, m, v, momentum, eps: _with_update(
    c, batch_norm(c, x, w, b, m, v, True, momentum, eps))
OPS["_batch_norm_no_update"] = lambda c, x, w, b, m, v, momentum, eps: (
    *batch_norm(c, x, w, b, m, v, False, momentum, eps)[:3], c.b.zeros("u8", [0]))


def _with_update(c, r):
    return (*r[:3], c.b.zeros("u8", [0]), *r[3:])


# ---- the rest

@op("_cdist_forward")
def cdist(c, x, y, p, mode=None):
    return c.b.cdist(x, y, float(p))


@op("_pdist_forward")
def pdist(c, x, p=2.0):
    import numpy as np
    i, j = np.triu_indices(x.dims[0], 1)
    b = c.b
    return b.norm(b.sub(b.take(x, i.astype(np.int64), 0), b.take(x, j.astype(np.int64), 0)), float(p), [1], False)


# torch numbers what a transform divides by: 0 nothing, 1 the root, 2 the count; Weft says which direction divides
THERE, BACK = {0: 0, 1: 1, 2: 2}, {0: 2, 1: 1, 2: 0}


@op("_fft_r2c")
def fft_r2c(c, x, dim, normalization, onesided):
    if not onesided:
        return fft_c2c(c, c.b.cast(x, c.dtype()), dim, normalization, True)
    return c.b.fft(x, 2, list(dim), None, THERE[normalization])


@op("_fft_c2r")
def fft_c2r(c, x, dim, normalization, last):
    lengths = [x.dims[d] for d in dim[:-1]] + [last]
    return c.b.fft(x, 3, list(dim), lengths, BACK[normalization])


@op("_fft_c2c")
def fft_c2c(c, x, dim, normalization, forward):
    return c.b.fft(x, 0 if forward else 1, list(dim), None, (THERE if forward else BACK)[normalization])


@op("col2im")
def col2im(c, x, size, kernel, dilation, pad, stride):
    return c.b.fold(x, 2, list(size), list(kernel), list(dilation), list(pad), list(stride))


@op("im2col")
def im2col(c, x, kernel, dilation, pad, stride):
    return c.b.unfold(x, 2, list(kernel), list(dilation), list(pad), list(stride))


@op("pixel_shuffle")
def pixel_shuffle(c, x, r):
    return c.b.pixel_shuffle(x, r)


for name, why in {"_local_scalar_dense": "the number of a tensor decides what comes next", "nonzero": "the size of its result depends on numbers",
                  "_embedding_bag": "bags of embeddings have no lowering", "resize_": "memory of another size"}.items():
    def refuse(c, *_, why=why, **__):
        raise Refuse(why)
    OPS[name] = refuse
