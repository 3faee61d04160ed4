"""NumPy's functions of traced values: what __array_ufunc__ and __array_function__ find."""
import builtins
import functools

import numpy as np

from ._errors import TraceError
from ._trace import Size, Tensor

UFUNCS = {
    "add": "add", "subtract": "sub", "multiply": "mul", "divide": "div", "true_divide": "div", "floor_divide": "floor_div",
    "negative": "neg", "positive": "positive", "power": "pow", "remainder": "remainder", "mod": "remainder", "fmod": "fmod",
    "absolute": "abs", "fabs": "abs", "rint": "round", "sign": "sign", "conjugate": "conj", "exp": "exp", "exp2": "exp2",
    "log": "log", "log2": "log2", "log10": "log10", "expm1": "expm1", "log1p": "log1p", "sqrt": "sqrt", "square": "square",
    "reciprocal": "reciprocal", "sin": "sin", "cos": "cos", "tan": "tan", "arcsin": "asin", "arccos": "acos",
    "arctan": "atan", "arctan2": "atan2", "hypot": "hypot", "sinh": "sinh", "cosh": "cosh", "tanh": "tanh", "arcsinh": "asinh",
    "arccosh": "acosh", "arctanh": "atanh", "deg2rad": "deg2rad", "radians": "deg2rad", "rad2deg": "rad2deg",
    "degrees": "rad2deg", "bitwise_and": "bitwise_and", "bitwise_or": "bitwise_or", "bitwise_xor": "bitwise_xor",
    "invert": "bitwise_not", "left_shift": "shift_left", "right_shift": "shift_right", "greater": "gt", "greater_equal": "ge",
    "less": "lt", "less_equal": "le", "not_equal": "ne", "equal": "eq", "logical_and": "logical_and", "logical_or": "logical_or",
    "logical_xor": "logical_xor", "logical_not": "logical_not", "maximum": "maximum", "minimum": "minimum",
    "isfinite": "is_finite", "isinf": "is_inf", "isnan": "is_nan", "floor": "floor", "ceil": "ceil", "trunc": "trunc",
    "matmul": "matmul", "logaddexp": "logaddexp",
}


def first(*xs):
    for x in xs:
        if isinstance(x, Tensor):
            return x
        if isinstance(x, (tuple, list)) and (t := first(*x)) is not None:
            return t
    return None


def op(name, *args):
    return first(*args)._op(name, *args)


def tensor(x, like):
    return x if isinstance(x, Tensor) else Tensor(like._b.constant(x))


# ---- ufuncs with more than a name

def fmax(x, y):
    return where(np.isnan(x), y, where(np.isnan(y), x, op("maximum", x, y)))


def fmin(x, y):
    return where(np.isnan(x), y, where(np.isnan(y), x, op("minimum", x, y)))


def logaddexp2(x, y):
    return op("logaddexp", x * np.log(2.0), y * np.log(2.0)) / np.log(2.0)


def heaviside(x, y):
    return where(x == 0, y, where(x > 0, 1.0, where(x < 0, 0.0, x)))


def cbrt(x):
    return np.sign(x) * np.abs(x) ** (1.0 / 3.0)


MADE = {"fmax": fmax, "fmin": fmin, "logaddexp2": logaddexp2, "heaviside": heaviside, "cbrt": cbrt,
        "divmod": lambda x, y: (op("floor_div", x, y), op("remainder", x, y)),
        "float_power": lambda x, y: op("pow", op("mul", x, np.float64(1)), y),
        "modf": lambda x: (x - np.trunc(x), np.trunc(x)), "copysign": lambda x, y: where(y < 0, -np.abs(x), np.abs(x))}


def ufunc(self, f, method, inputs, kwargs):
    name = f.__name__
    kwargs = {k: v for k, v in kwargs.items() if v is not None}
    if kwargs.pop("out", None) is not None:
        raise TraceError(f"np.{name}(out=..): a traced value is not written to")
    dtype = kwargs.pop("dtype", None)
    if method == "__call__" and (name in UFUNCS or name in MADE):
        if kwargs.get("where", True) is not True or set(kwargs) - {"where", "casting", "subok"}:
            raise TraceError(f"np.{name} of a traced value takes no {', '.join(kwargs)}")
        out = op(UFUNCS[name], *inputs) if name in UFUNCS else MADE[name](*inputs)
        return out if dtype is None else out.astype(dtype)
    if method == "reduce" and name in ("add", "multiply", "maximum", "minimum", "logical_and", "logical_or"):
        return REDUCE[name](inputs[0], axis=kwargs.get("axis", 0), keepdims=kwargs.get("keepdims", False))
    if method == "accumulate" and name in ("add", "multiply"):
        return (cumsum if name == "add" else cumprod)(inputs[0], kwargs.get("axis", 0))
    if method == "outer" and name in UFUNCS:
        x, y = inputs
        rank = np.ndim(y)
        return op(UFUNCS[name], tensor(x, self)[(Ellipsis,) + (None,) * rank], y)
    raise TraceError(f"np.{name}.{method}: Weft has no such function of traced values" if method != "__call__" else
                     f"np.{name}: Weft has no such function of traced values")


# ---- functions

FUNCTIONS = {}


def of(*names):
    def put(f):
        for n in names:
            found = functools.reduce(lambda m, k: getattr(m, k, None), n.split("."), np)
            if found is not None:
                FUNCTIONS[found] = f
        return f
    return put


def function(f, args, kwargs):
    if f not in FUNCTIONS:
        name = f"{getattr(f, '__module__', 'numpy')}.{f.__name__}".replace("numpy", "np", 1)
        raise TraceError(f"{name}: Weft has no such function of traced values")
    if kwargs.pop("out", None) is not None:
        raise TraceError(f"np.{f.__name__}(out=..): a traced value is not written to")
    return FUNCTIONS[f](*args, **kwargs)


def axes_of(x, axis):
    return None if axis is None else [axis] if isinstance(axis, int) else list(axis)


def whole(x):
    """Sums of small integers and bools are of 64 bits."""
    kind = x.dtype.kind
    return x.astype("int64") if kind == "b" or (kind == "i" and x.dtype.itemsize < 8) else \
        x.astype("uint64") if kind == "u" and x.dtype.itemsize < 8 else x


def reduction(name, widen=False):
    def reduce(x, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=None):
        if out is not None or where not in (None, True, np._NoValue):
            raise TraceError(f"np.{name} of a traced value takes no out or where")
        x = x if dtype is None else x.astype(dtype)
        y = op(name, whole(x) if widen and dtype is None else x, axes_of(x, axis), keepdims is not np._NoValue and keepdims)
        if initial not in (None, np._NoValue):
            y = {"sum": lambda: y + initial, "prod": lambda: y * initial, "max": lambda: np.maximum(y, initial),
                 "min": lambda: np.minimum(y, initial)}[name]()
        return y
    return reduce


sum_ = of("sum")(reduction("sum", True))
prod = of("prod")(reduction("prod", True))
max_ = of("max", "amax")(lambda x, axis=None, out=None, keepdims=False, initial=None, where=None:
                         reduction("max")(x, axis, None, out, keepdims, initial, where))
min_ = of("min", "amin")(lambda x, axis=None, out=None, keepdims=False, initial=None, where=None:
                         reduction("min")(x, axis, None, out, keepdims, initial, where))
all_ = of("all")(lambda x, axis=None, out=None, keepdims=False: reduction("all")(x.astype(bool), axis, None, out, keepdims))
any_ = of("any")(lambda x, axis=None, out=None, keepdims=False: reduction("any")(x.astype(bool), axis, None, out, keepdims))
REDUCE = {"add": sum_, "multiply": prod, "maximum": max_, "minimum": min_, "logical_and": all_, "logical_or": any_}


def keep(k):
    return k is not np._NoValue and bool(k)


@of("mean")
def mean(x, axis=None, dtype=None, out=None, keepdims=False):
    return op("mean", x if dtype is None else x.astype(dtype), axes_of(x, axis), keep(keepdims))


@of("var")
def var(x, axis=None, dtype=None, out=None, ddof=0, keepdims=False):
    return op("var", x if dtype is None else x.astype(dtype), axes_of(x, axis), float(ddof), keep(keepdims))


@of("std")
def std(x, axis=None, dtype=None, out=None, ddof=0, keepdims=False):
    return op("std", x if dtype is None else x.astype(dtype), axes_of(x, axis), float(ddof), keep(keepdims))


@of("average")
def average(x, axis=None, weights=None):
    if weights is None:
        return mean(x, axis)
    w = np.broadcast_to(weights, tuple(x.shape)) if np.ndim(weights) == x.ndim else np.reshape(
        weights, [-1 if i == axis % x.ndim else 1 for i in range(x.ndim)])
    return np.sum(x * w, axis=axis) / np.sum(w * np.ones_like(x), axis=axis)


@of("ptp")
def ptp(x, axis=None):
    return max_(x, axis) - min_(x, axis)


@of("median")
def median(x, axis=None, out=None, overwrite_input=False, keepdims=False):
    return op("median", ravel(x) if axis is None else x, 0 if axis is None else axis, False, keep(keepdims))


@of("argmax")
def argmax(x, axis=None, out=None, keepdims=False):
    return op("argmax", x, axis, keep(keepdims)).astype("int64")


@of("argmin")
def argmin(x, axis=None, out=None, keepdims=False):
    return op("argmin", x, axis, keep(keepdims)).astype("int64")


@of("cumsum")
def cumsum(x, axis=None, dtype=None):
    x = whole(x) if dtype is None else x.astype(dtype)
    return op("cumsum", ravel(x) if axis is None else x, 0 if axis is None else axis, False)


@of("cumprod")
def cumprod(x, axis=None, dtype=None):
    x = whole(x) if dtype is None else x.astype(dtype)
    return op("cumprod", ravel(x) if axis is None else x, 0 if axis is None else axis)


@of("diff")
def diff(x, n=1, axis=-1):
    return op("diff", x, n, axis)


@of("trapezoid", "trapz")
def trapezoid(y, x=None, dx=1.0, axis=-1):
    return op("trapezoid", y, x, float(dx), axis)


@of("count_nonzero")
def count_nonzero(x, axis=None):
    return op("count_nonzero", x, axes_of(x, axis)).astype("int64")


@of("reshape")
def reshape(x, shape=None, order="C", newshape=None):
    shape = newshape if shape is None else shape
    if order != "C":
        raise TraceError("np.reshape of a traced value: order is 'C'")
    dims = [shape] if isinstance(shape, (int, Size)) else list(shape)
    return op("reshape", x, [INFER if isinstance(d, int) and d == -1 else d for d in dims])


INFER = -2 ** 63 + 1


@of("ravel")
def ravel(x, order="C"):
    return reshape(x, -1, order)


@of("transpose", "permute_dims")
def transpose(x, axes=None):
    return op("permute", x, axes)


@of("swapaxes")
def swapaxes(x, a, b):
    return op("swap_axes", x, a, b)


@of("moveaxis")
def moveaxis(x, source, destination):
    source = [source] if isinstance(source, int) else source
    destination = [destination] if isinstance(destination, int) else destination
    source, destination = [s % x.ndim for s in source], [d % x.ndim for d in destination]
    order = [i for i in range(x.ndim) if i not in source]
    for d, s in sorted(zip(destination, source)):
        order.insert(d, s)
    return transpose(x, order)


@of("squeeze")
def squeeze(x, axis=None):
    return op("squeeze", x, [] if axis is None else axes_of(x, axis))


@of("expand_dims")
def expand_dims(x, axis):
    for a in sorted(a % (x.ndim + len(axes_of(x, axis))) for a in axes_of(x, axis)):
        x = op("expand_dims", x, a)
    return x


@of("broadcast_to")
def broadcast_to(x, shape):
    return op("broadcast_to", x, [shape] if isinstance(shape, int) else list(shape))


@of("concatenate", "concat")
def concatenate(xs, axis=0, dtype=None):
    like = first(xs)
    xs = [tensor(x, like) for x in xs]
    return op("concat", [ravel(x) for x in xs] if axis is None else common(xs), 0 if axis is None else axis)


def common(xs):
    """Values of one dtype, as NumPy promotes them."""
    zero = functools.reduce(lambda a, b: op("add", a, b), [op("zeros_like", x).ravel()[:1].sum().astype(x.dtype) for x in xs]) \
        if len({x.dtype for x in xs}) > 1 else None
    return xs if zero is None else [x.astype(zero.dtype) for x in xs]


@of("stack")
def stack(xs, axis=0):
    like = first(xs)
    return op("stack", common([tensor(x, like) for x in xs]), axis)


@of("vstack")
def vstack(xs):
    like = first(xs)
    return concatenate([atleast_2d(tensor(x, like)) for x in xs], 0)


@of("hstack")
def hstack(xs):
    like = first(xs)
    xs = [atleast_1d(tensor(x, like)) for x in xs]
    return concatenate(xs, 0 if xs[0].ndim == 1 else 1)


@of("column_stack")
def column_stack(xs):
    like = first(xs)
    return concatenate([x[:, None] if x.ndim == 1 else x for x in (tensor(x, like) for x in xs)], 1)


@of("atleast_1d")
def atleast_1d(x):
    return x if x.ndim else x[None]


@of("atleast_2d")
def atleast_2d(x):
    return x if x.ndim > 1 else x[None] if x.ndim else x[None, None]


@of("split")
def split(x, parts, axis=0):
    n = x.shape[axis]
    if isinstance(parts, int):
        if n % parts:
            raise ValueError("np.split: not an equal division")
        parts = [n // parts * k for k in range(1, parts)]
    ends = [0, *parts, n]
    return [op("narrow", x, axis, a, b - a) for a, b in zip(ends, ends[1:])]


@of("where")
def where(c, x=None, y=None):
    if x is None:
        raise TraceError("np.where(condition) of a traced value: the result has no size yet; give both values")
    return op("where", c, x, y)


@of("clip")
def clip(x, a_min=None, a_max=None, out=None, *, min=None, max=None):
    return op("clip", x, a_min if min is None else min, a_max if max is None else max)


@of("round", "around")
def round_(x, decimals=0, out=None):
    return op("round", x) if decimals == 0 else op("round", x * 10.0 ** decimals) / 10.0 ** decimals


@of("nan_to_num")
def nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None):
    info = np.finfo(x.dtype)
    x = where(np.isnan(x), nan, x)
    x = where(x == np.inf, float(info.max) if posinf is None else posinf, x)
    return where(x == -np.inf, float(info.min) if neginf is None else neginf, x)


@of("dot")
def dot(x, y):
    if np.ndim(x) == 0 or np.ndim(y) == 0:
        return op("mul", x, y)
    return op("tensordot", x, y, [np.ndim(x) - 1], [builtins.max(np.ndim(y) - 2, 0)])


@of("vdot")
def vdot(x, y):
    return dot(ravel(np.conj(x)), ravel(y))


@of("inner")
def inner(x, y):
    if np.ndim(x) == 0 or np.ndim(y) == 0:
        return op("mul", x, y)
    return op("tensordot", x, y, [np.ndim(x) - 1], [np.ndim(y) - 1])


@of("outer")
def outer(x, y):
    return op("outer", np.ravel(x), np.ravel(y))


@of("tensordot")
def tensordot(x, y, axes=2):
    if isinstance(axes, int):
        axes = (list(range(np.ndim(x) - axes, np.ndim(x))), list(range(axes)))
    a, b = ([k] if isinstance(k, int) else list(k) for k in axes)
    return op("tensordot", x, y, a, b)


@of("einsum")
def einsum(spec, *xs, optimize=False):
    if not isinstance(spec, str):
        raise TraceError("np.einsum of traced values needs the form with letters")
    like = first(xs)
    return op("einsum", spec.replace(" ", ""), [tensor(x, like) for x in xs])


@of("trace")
def trace(x, offset=0, axis1=0, axis2=1):
    return sum_(diagonal(x, offset, axis1, axis2), -1)


@of("diagonal")
def diagonal(x, offset=0, axis1=0, axis2=1):
    return op("diagonal", moveaxis(x, (axis1, axis2), (-2, -1)), offset)


@of("diag")
def diag(x, k=0):
    return op("diag", x, k)


@of("tril")
def tril(x, k=0):
    return op("tril", x, k)


@of("triu")
def triu(x, k=0):
    return op("triu", x, k)


@of("cross")
def cross(x, y, axis=-1):
    return op("cross", x, y, axis)


@of("sort")
def sort(x, axis=-1, kind=None, order=None, stable=None):
    return op("sort", ravel(x) if axis is None else x, -1 if axis is None else axis, False)[0]


@of("argsort")
def argsort(x, axis=-1, kind=None, order=None, stable=None):
    return op("argsort", ravel(x) if axis is None else x, -1 if axis is None else axis, False).astype("int64")


@of("searchsorted")
def searchsorted(a, v, side="left", sorter=None):
    return op("searchsorted", a, v, side == "right").astype("int64")


@of("take")
def take(x, indices, axis=None, out=None, mode=None):
    return op("take", np.ravel(x) if axis is None else x, indices, 0 if axis is None else axis)


@of("take_along_axis")
def take_along_axis(x, indices, axis=-1):
    return op("take_along", x, indices, axis)


@of("flip")
def flip(x, axis=None):
    return op("flip", x, [] if axis is None else axes_of(x, axis))


@of("roll")
def roll(x, shift, axis=None):
    if axis is None:
        return reshape(op("roll", ravel(x), shift, 0), tuple(x.shape))
    for s, a in zip(*([shift], [axis]) if isinstance(axis, int) else (shift, axis)):
        x = op("roll", x, s, a)
    return x


@of("tile")
def tile(x, reps):
    reps = [reps] if isinstance(reps, int) else list(reps)
    while x.ndim < len(reps):
        x = x[None]
    return op("tile", x, [1] * (x.ndim - len(reps)) + reps)


@of("repeat")
def repeat(x, repeats, axis=None):
    return op("repeat", ravel(x) if axis is None else x, repeats, 0 if axis is None else axis)


@of("pad")
def pad(x, pad_width, mode="constant", constant_values=0):
    kinds = {"constant": 0, "reflect": 1, "edge": 2, "wrap": 3}
    if mode not in kinds or not np.isscalar(constant_values):
        raise TraceError(f"np.pad of a traced value: mode '{mode}' is not one of {', '.join(kinds)} with one number")
    width = np.broadcast_to(np.asarray(pad_width), (x.ndim, 2))
    return op("pad_with", x, [int(a) for a in width[:, 0]], [int(a) for a in width[:, 1]], kinds[mode], float(constant_values))


def like(name):
    def make(x, *args, dtype=None, order="K", subok=True, shape=None, **kwargs):
        value = args[0] if args else kwargs.get("fill_value", {"zeros_like": 0, "ones_like": 1, "empty_like": 0}.get(name))
        y = op("broadcast_to", tensor(value, x).astype(x.dtype if dtype is None else dtype), list(x.shape if shape is None else shape))
        return y
    return make


for n in ("zeros_like", "ones_like", "full_like", "empty_like"):
    of(n)(like(n))
of("shape")(lambda x: tuple(x.shape))
of("ndim")(lambda x: x.ndim)
of("size")(lambda x, axis=None: x.size if axis is None else x.shape[axis])
of("copy")(lambda x, order="K", subok=False: x)
of("real")(lambda x: x.real)
of("imag")(lambda x: x.imag)
of("angle")(lambda x, deg=False: op("angle", x))
of("isclose")(lambda x, y, rtol=1e-5, atol=1e-8, equal_nan=False: op("is_close", x, y, float(rtol), float(atol)))
of("iscomplexobj")(lambda x: x.dtype.kind == "c")
of("result_type")(lambda *xs: np.result_type(*[x.dtype if isinstance(x, Tensor) else x for x in xs]))

# ---- linear algebra, Fourier transforms

of("linalg.inv")(lambda a: op("inv", a))
of("linalg.det")(lambda a: op("det", a))
of("linalg.cholesky")(lambda a, upper=False: op("cholesky", a).T if upper else op("cholesky", a))
of("linalg.solve")(lambda a, b: op("solve", a, b))
of("linalg.svd")(lambda a, full_matrices=False, compute_uv=True: _svd(a, full_matrices, compute_uv))
of("linalg.eigh")(lambda a, UPLO="L": op("eigh", a))
of("linalg.eigvalsh")(lambda a, UPLO="L": op("eigh", a)[0])
of("linalg.qr")(lambda a, mode="reduced": op("qr", a, mode == "complete"))
of("linalg.matrix_transpose")(lambda a: op("swap_axes", a, -1, -2))


def _svd(a, full, uv):
    if full and uv and a.shape[-1] != a.shape[-2]:
        raise TraceError("np.linalg.svd of a traced value: full_matrices=False is needed")
    u, s, vt = op("svd", a)
    return (u, s, vt) if uv else s


@of("linalg.norm")
def norm(x, ord=None, axis=None, keepdims=False):
    if ord not in (None, 2, 1, np.inf, "fro") or (axis is None and x.ndim > 1 and ord not in (None, "fro")):
        raise TraceError(f"np.linalg.norm of a traced value: ord {ord!r} of these axes")
    return op("norm", x, 2.0 if ord in (None, "fro") else float(ord), axes_of(x, axis), keepdims)


NORMS = {None: 0, "backward": 0, "ortho": 1, "forward": 2}
for n, kind in (("fft", 0), ("ifft", 1), ("rfft", 2), ("irfft", 3)):
    of("fft." + n)(lambda x, n=None, axis=-1, norm=None, out=None, kind=kind:
                   op("fft", x, kind, [axis], None if n is None else [n], NORMS[norm]))


# ---- methods

def astype(x, dtype, copy=True, **_):
    return op("cast", x, np.dtype(dtype).name if not isinstance(dtype, str) else dtype)


METHODS = {
    "astype": astype, "sum": sum_, "prod": prod, "mean": mean, "var": var, "std": std, "max": max_, "min": min_, "all": all_,
    "any": any_, "argmax": argmax, "argmin": argmin, "cumsum": cumsum, "cumprod": cumprod, "ravel": ravel, "flatten": ravel,
    "squeeze": squeeze, "swapaxes": swapaxes, "clip": clip, "round": round_, "dot": dot, "trace": trace,
    "diagonal": diagonal, "take": take, "repeat": repeat, "ptp": ptp, "copy": lambda x, order="C": x,
    "conj": lambda x: op("conj", x), "conjugate": lambda x: op("conj", x), "argsort": argsort, "searchsorted": searchsorted,
    "reshape": lambda x, *s, order="C": reshape(x, s[0] if len(s) == 1 and not isinstance(s[0], (int, Size)) else s, order),
    "transpose": lambda x, *a: transpose(x, None if not a or a == (None,) else a[0] if not isinstance(a[0], int) else a),
}
