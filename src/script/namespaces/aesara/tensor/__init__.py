# aesara.tensor -- tensor types and the functions that build expressions.
import _aesara as _w
import _special
import numpy as _np
from aesara._graph import (Op, Apply, TensorType, Variable, TensorVariable, TensorConstant, TensorSharedVariable, apply, constant,
                           as_variable, stack_of, config, shared)
from aesara.gradient import grad, jacobian, hessian, Rop, Lop

_abs, _sum, _min, _max, _round, _range, _pow, _any, _all, _int, _float = abs, sum, min, max, round, range, pow, any, all, int, float

as_tensor_variable = as_tensor = as_variable
Tensor = TensorVariable
pi, e, inf, nan, newaxis = _np.pi, _np.e, _np.inf, _np.nan, None
TensorLike = object
lscalar_type = None


# ---- types ----

def _type_maker(prefix, kind, dtype):
    shapes = {"scalar": (), "vector": (None,), "matrix": (None, None), "row": (1, None), "col": (None, 1), "tensor3": (None,) * 3,
              "tensor4": (None,) * 4, "tensor5": (None,) * 5}
    shape = shapes[kind]

    def make(name=None, dtype_=None, **kw):
        d = kw.get("dtype", dtype_)
        return TensorType(d or dtype or config.floatX, shape)(name)

    def many(*names):
        if len(names) == 1 and isinstance(names[0], _int):
            return [make() for _ in _range(names[0])]
        return [make(n) for n in names]
    return make, many


for _p, _d in (("", None), ("b", "int8"), ("w", "int16"), ("i", "int32"), ("l", "int64"), ("f", "float32"), ("d", "float64")):
    for _k in ("scalar", "vector", "matrix", "row", "col", "tensor3", "tensor4", "tensor5"):
        _make, _many = _type_maker(_p, _k, _d)
        globals()[_p + _k] = _make
        globals()[_p + {"vector": "vectors", "matrix": "matrices", "scalar": "scalars", "row": "rows", "col": "cols"}.get(_k, _k + "s")] = _many


def tensor(dtype=None, shape=None, name=None, broadcastable=None):
    return TensorType(dtype or config.floatX, shape, broadcastable=broadcastable)(name)


def TensorVariableOf(type, name=None):
    return type(name)


def patternbroadcast(x, broadcastable):
    return x


def specify_shape(x, shape):
    # x, if it has these sizes; None is any
    x = as_variable(x)
    sizes = [None if d is None else d for d in (shape if isinstance(shape, (list, tuple)) else [shape])]
    if len(sizes) != x.ndim:
        raise ValueError(f"Input `x` is {x.ndim}-dimensional and will never match a shape of length {len(sizes)}.")
    known = [d if isinstance(d, _int) else None for d in sizes]
    others = [as_variable(d) for d in sizes if d is not None and not isinstance(d, _int)]

    def run(p, x, *more):
        for i, (have, want) in enumerate(zip(x.shape, p)):
            if isinstance(have, _int) and want is not None and have != want:
                raise AssertionError(f"SpecifyShape: dim {i} of input has shape {have}, expected {want}.")
        given = [_w.size_of(_w.cast(m, "int64")) for m in more]
        return _w.reshape(x, [given.pop(0) if have is None else have for have in
                              [None if f else want if want is not None else have for f, want, have in zip(free, p, x.shape)]])
    free = [d is not None and not isinstance(d, _int) for d in sizes]
    return apply(Op("SpecifyShape", run, "SpecifyShape"), [x] + others, known, x.ndim, x.dtype)


def unbroadcast(x, *axes):
    return x


# ---- elementwise ----

def _float_out(fn):
    # functions of real numbers: integers become floatX
    def run(params, *xs):
        if _all([x.dtype.kind in "iub" for x in xs]):
            xs = [_w.cast(x, config.floatX) for x in xs]
        return fn(*xs)
    return run


def _plain(fn):
    return lambda params, *xs: fn(*xs)


def _cast_bool(x):
    return _w.cast(x, _w.int8) if x.dtype.kind == "b" else x


def _arith(fn):
    return lambda params, *xs: fn(*[_cast_bool(x) for x in xs])


def _true_div(x, y):
    if x.dtype.kind in "iub" and y.dtype.kind in "iub":
        x, y = _w.cast(x, "float64"), _w.cast(y, "float64")
    return _w.div(x, y)


def _sgn(x):
    return _w.sign(x)


# Where a derivative is not unique, Aesara's: 0 for abs at 0; all of the largest elements count
# as the largest.
def _abs_of(x):
    return x * _w.stop_gradient(_w.sign(x)) if x.dtype.is_floating else _w.abs(x)


def _tied(x, y, ahead):
    both = x + (y - _w.stop_gradient(y))
    return _w.where(ahead(x, y), x + y * 0 if x.ndim < y.ndim else x, _w.where(x == y, both, y))


def _larger(x, y):
    return _tied(x, y, _w.gt) if (x.dtype.is_floating and x.dtype == y.dtype) else _w.maximum(x, y)


def _smaller(x, y):
    return _tied(x, y, _w.lt) if (x.dtype.is_floating and x.dtype == y.dtype) else _w.minimum(x, y)


def _extreme(fn):
    def run(x, axis, keep):
        if not x.dtype.is_floating:
            return fn(x, axis, keep)
        top = _w.stop_gradient(fn(x, axis, True))
        hit = _w.logical_and(x == top, _w.is_finite(x))
        rest = _w.sum(_w.where(hit, x - _w.stop_gradient(x), _w.zeros_like(x)), axis, keep)
        return _w.stop_gradient(fn(x, axis, keep)) + rest
    return run


def _unary(name, op):
    def fn(a):
        return apply(op, [a])
    return fn


def _binary(op):
    def fn(a, b):
        return apply(op, [a, b])
    return fn


_real_functions = {
    "exp": _w.exp, "exp2": _w.exp2, "expm1": _w.expm1, "log": _w.log, "log2": _w.log2, "log10": _w.log10, "log1p": _w.log1p,
    "sqrt": _w.sqrt, "sin": _w.sin, "cos": _w.cos, "tan": _w.tan, "arcsin": _w.asin, "arccos": _w.acos, "arctan": _w.atan,
    "sinh": _w.sinh, "cosh": _w.cosh, "tanh": _w.tanh, "arcsinh": _w.asinh, "arccosh": _w.acosh, "arctanh": _w.atanh,
    "erf": _w.erf, "erfc": lambda x: 1 - _w.erf(x), "erfinv": _w.erf_inv, "sigmoid": _w.sigmoid, "reciprocal": lambda x: 1 / x,
    "softplus": lambda x: _w.softplus(x), "deg2rad": _w.deg2rad, "rad2deg": _w.rad2deg,
    "log1mexp": lambda x: _w.log(-_w.expm1(x)),
}
_other_functions = {
    "neg": _w.neg, "abs": _abs_of, "sgn": _sgn, "sqr": _w.square, "floor": _w.floor, "ceil": _w.ceil, "trunc": _w.trunc,
    "round_half_to_even": _w.round, "isnan": _w.is_nan, "isinf": _w.is_inf, "invert": _w.bitwise_not,
}
for _n, _f in _real_functions.items():
    globals()[_n] = _unary(_n, Op(_n, _float_out(_f)))
for _n, _f in _other_functions.items():
    globals()[_n] = _unary(_n, Op(_n, _plain(_f) if _n == "invert" else _arith(_f), None, "(-{0})" if _n == "neg" else None))
square = sqr
sign = sgn
absolute = abs_ = abs
negative = neg
inv_elemwise = reciprocal
gammaln = _unary("gammaln", Op("gammaln", _float_out(lambda x: _special.gammaln(_w, x))))
gamma = _unary("gamma", Op("gamma", _float_out(lambda x: _special.gamma(_w, x))))
psi = digamma = _unary("psi", Op("psi", _float_out(lambda x: _special.digamma(_w, x))))
log1pexp = softplus


def round(a, mode="half_to_even"):
    return round_half_to_even(a)


def iround(a):
    return cast(round(a), "int64")


def isfinite(a):
    return apply(Op("isfinite", _plain(_w.is_finite)), [a])


for _n, _f, _pp in (("add", _w.add, "({0} + {1})"), ("sub", _w.sub, "({0} - {1})"), ("mul", _w.mul, "({0} * {1})"),
                    ("pow", _w.pow, "({0} ** {1})"), ("int_div", _w.floor_div, "({0} // {1})"), ("mod", _w.remainder, "({0} % {1})"),
                    ("maximum", _larger, "scalar_maximum"), ("minimum", _smaller, "scalar_minimum")):
    globals()[_n] = _binary(Op(_n, _arith(_f), None, _pp))
for _n, _f in (("gt", _w.gt), ("lt", _w.lt), ("ge", _w.ge), ("le", _w.le), ("eq", _w.eq), ("neq", _w.ne), ("and_", _w.bitwise_and),
               ("or_", _w.bitwise_or), ("xor", _w.bitwise_xor)):
    globals()[_n] = _binary(Op(_n, _plain(_f)))
for _n, _f in (("arctan2", _w.atan2), ("hypot", _w.hypot), ("logaddexp", _w.logaddexp)):
    globals()[_n] = _binary(Op(_n, _float_out(_f)))
true_div = _binary(Op("true_div", _plain(_true_div), None, "({0} / {1})"))
div_proxy = divide = true_div
floor_div = floor_divide = int_div
power, multiply, subtract = pow, mul, sub
not_equal, equal, greater, less, greater_equal, less_equal = neq, eq, gt, lt, ge, le
logical_and, logical_or, bitwise_and, bitwise_or, bitwise_xor = and_, or_, and_, or_, xor
bitwise_not = invert
logical_not = invert


def _n_ary(fn):
    def call(*args):
        r = args[0]
        for a in args[1:]:
            r = fn(r, a)
        return as_variable(r)
    return call


_add2, _mul2 = add, mul
add, mul = _n_ary(_add2), _n_ary(_mul2)


def switch(cond, ift, iff):
    return apply(Op("switch", lambda p, c, a, b: _w.where(c, a, b)), [cond, ift, iff])


def where(cond, ift=None, iff=None):
    if ift is None:
        return nonzero(cond)
    return switch(cond, ift, iff)


def clip(x, min, max):
    return apply(Op("clip", lambda p, x, lo, hi: _w.minimum(_w.maximum(x, lo), hi)), [x, min, max])


def cast(x, dtype):
    x = as_variable(x)
    dtype = config.floatX if dtype == "floatX" else dtype
    if x.dtype == dtype:
        return x
    name = "Cast{" + str(dtype) + "}"
    return apply(Op(name, lambda p, x: _w.cast(x, p), "Elemwise{" + name + "}"), [x], dtype)


def isclose(a, b, rtol=1e-5, atol=1e-8, equal_nan=False):
    def run(p, a, b):
        near = _w.is_close(a, b, p[0], p[1])
        return _w.logical_or(near, _w.logical_and(a != a, b != b)) if p[2] else near
    return apply(Op("isclose", run), [a, b], (rtol, atol, equal_nan))


def allclose(a, b, rtol=1e-5, atol=1e-8, equal_nan=False):
    return all(isclose(a, b, rtol, atol, equal_nan))


def identity(x):
    return apply(Op("identity", lambda p, x: _w.positive(x)), [x], None, x.ndim, x.dtype)


tensor_copy = identity


def fill(a, b):
    return apply(Op("second", lambda p, a, b: _w.broadcast_to(b, (a + b).shape) if a.ndim >= b.ndim else b, None, "fill"), [a, b])


second = fill


# ---- reductions ----

def _axes(axis, ndim):
    if axis is None:
        return None
    if isinstance(axis, (_int, _np.integer)):
        axis = [axis]
    out = []
    for a in axis:
        a = _int(a.data_.item() if isinstance(a, TensorConstant) else a)
        if not -ndim <= a < ndim:
            raise ValueError(f"axis {a} is out of bounds for array of dimension {ndim}")
        out.append(a)
    return out


def _wide(x):
    if x.dtype.kind == "b" or x.dtype.kind == "i" and x.dtype.itemsize < 8:
        return _w.cast(x, "int64")
    return _w.cast(x, "uint64") if x.dtype.kind == "u" and x.dtype.itemsize < 8 else x


def _reduction(name, show, fn, wide=False, real=False):
    def run(params, x):
        axis, keep, dtype = params
        if dtype is not None:
            x = _w.cast(x, dtype)
        if wide:
            x = _wide(x)
        if real and x.dtype.kind != "f":
            x = _w.cast(x, "float64")
        return fn(x, axis, keep)

    def call(x, axis=None, dtype=None, keepdims=False, acc_dtype=None):
        x = as_variable(x)
        axis = _axes(axis, x.ndim)
        label = show
        if show == "Sum":
            label = "Sum{" + ("" if axis is None else f"axis={[a % _max(x.ndim, 1) for a in axis]}, ") + f"acc_dtype={'float64' if x.dtype.startswith('float') else 'int64'}" + "}"
        return apply(Op(name, run, label, name), [x], (axis, keepdims, dtype))
    return call


sum = _reduction("sum", "Sum", _w.sum, wide=True)
prod = _reduction("prod", "Prod", _w.prod, wide=True)
mean = _reduction("mean", "Mean", _w.mean, real=True)
logsumexp = _reduction("logsumexp", "LogSumExp", _w.logsumexp, real=True)
_all_of, _any_of = _reduction("all", "All", _w.all), _reduction("any", "Any", _w.any)
_max_of, _min_of = _reduction("max", "Max", _extreme(_w.max)), _reduction("min", "Min", _extreme(_w.min))


def all(x, axis=None, keepdims=False):
    return _all_of(x, axis, None, keepdims)


def any(x, axis=None, keepdims=False):
    return _any_of(x, axis, None, keepdims)


def max(x, axis=None, keepdims=False):
    return _max_of(x, axis, None, keepdims)


def min(x, axis=None, keepdims=False):
    return _min_of(x, axis, None, keepdims)


amax, amin = max, min


def var(input, axis=None, ddof=0, keepdims=False, corrected=False):
    x = as_variable(input)
    run = lambda p, x: _w.var(x if x.dtype.kind == "f" else _w.cast(x, "float64"), p[0], p[1], p[2])
    return apply(Op("var", run, "Var"), [x], (_axes(axis, x.ndim), ddof, keepdims))


def std(input, axis=None, ddof=0, keepdims=False, corrected=False):
    return sqrt(var(input, axis, ddof, keepdims))


def ptp(a, axis=None):
    return max(a, axis) - min(a, axis)


def argmax(x, axis=None, keepdims=False):
    return apply(Op("argmax", lambda p, x: _w.argmax(x, p[0], p[1]), "Argmax"), [x], (axis, keepdims))


def argmin(x, axis=None, keepdims=False):
    return apply(Op("argmin", lambda p, x: _w.argmin(x, p[0], p[1]), "Argmin"), [x], (axis, keepdims))


def max_and_argmax(x, axis=None, keepdims=False):
    return max(x, axis, keepdims), argmax(x, axis, keepdims)


def _flat(x):
    return _w.reshape(x, (-1,))


def cumsum(x, axis=None):
    return apply(Op("cumsum", lambda p, x: _w.cumsum(_flat(x), 0) if p is None else _w.cumsum(x, p), f"CumOp{{{axis}, add}}"), [x], axis)


def cumprod(x, axis=None):
    return apply(Op("cumprod", lambda p, x: _w.cumprod(_flat(x), 0) if p is None else _w.cumprod(x, p), f"CumOp{{{axis}, mul}}"), [x], axis)


def diff(x, n=1, axis=-1):
    def run(p, x):
        n, axis = p
        for _ in _range(n):
            m = x.shape[axis]
            x = _w.narrow(x, axis, 1, m - 1) - _w.narrow(x, axis, 0, m - 1)
        return x
    x = as_variable(x)
    return apply(Op("diff", run, "Diff"), [x], (n, axis), x.ndim, x.dtype)


def median(x, axis=None):
    return apply(Op("median", lambda p, x: _w.median(_flat(x), 0) if p is None else _w.median(x, p), "Median"), [x], axis)


def bincount(x, weights=None, minlength=None, assert_nonneg=False):
    if assert_nonneg:
        raise NotImplementedError("bincount: assert_nonneg")
    def run(p, x, *w):
        x = _w.cast(x, "int64")
        n = _w.size_of(_w.maximum(_w.max(_w.concat([x, _w.full((1,), -1, "int64")], 0)) + 1, p))
        one = _w.cast(w[0], "float64") if w else _w.full(x.shape, 1, "int64")
        return _w.index_add(_w.full((n,), 0, one.dtype), (x,), one)
    return apply(Op("bincount", run, "Bincount"), [x] + ([] if weights is None else [weights]), minlength or 0, 1, "int64" if weights is None else "float64")


# ---- products ----

def _dot(params, x, y):
    if x.ndim == 0 or y.ndim == 0:
        return x * y
    n, m = x.shape[-1], y.shape[_max(y.ndim - 2, 0)]
    if isinstance(n, _int) and isinstance(m, _int) and n != m:
        if x.ndim == 2 and y.ndim == 2:
            raise ValueError(f"Shape mismatch: x has {x.shape[1]} cols (and {x.shape[0]} rows) but y has {y.shape[0]} rows (and {y.shape[1]} cols)")
        raise ValueError(f"shapes {tuple(x.shape)} and {tuple(y.shape)} not aligned: {x.shape[-1]} (dim {x.ndim - 1}) != {y.shape[_max(y.ndim - 2, 0)]} (dim {_max(y.ndim - 2, 0)})")
    if y.ndim <= 2:
        return _w.matmul(x, y)
    return _w.tensordot(x, y, [x.ndim - 1], [y.ndim - 2])


_dot_op = Op("dot", _dot, "dot", "({0} \\dot {1})")


def dot(a, b):
    return apply(_dot_op, [a, b])


def matmul(x1, x2, dtype=None):
    y = apply(Op("matmul", lambda p, x, y: _w.matmul(x, y), "MatMul"), [x1, x2])
    return y if dtype is None else cast(y, dtype)


def tensordot(a, b, axes=2):
    a, b = as_variable(a), as_variable(b)
    if isinstance(axes, _int):
        axes = (list(_range(a.ndim - axes, a.ndim)), list(_range(axes)))
    p, q = axes
    p, q = [p] if isinstance(p, _int) else list(p), [q] if isinstance(q, _int) else list(q)
    return apply(Op("tensordot", lambda pr, x, y: _w.tensordot(x, y, pr[0], pr[1]), "tensordot"), [a, b], (p, q))


def outer(x, y):
    return apply(Op("outer", lambda p, x, y: _w.outer(_flat(x), _flat(y)), "outer"), [x, y])


def batched_dot(a, b):
    def run(p, x, y):
        if x.ndim == 2 and y.ndim == 2:
            return _w.sum(x * y, 1)
        if y.ndim == 2:
            return _w.squeeze(_w.matmul(x, _w.expand_dims(y, -1)), -1)
        if x.ndim == 2:
            return _w.squeeze(_w.matmul(_w.expand_dims(x, 1), y), 1)
        return _w.matmul(x, y)
    return apply(Op("BatchedDot", run, "BatchedDot"), [a, b])


def batched_tensordot(x, y, axes=2):
    # the first axis of both is the batch; axes: how many, or which of each, are summed over
    x, y = as_variable(x), as_variable(y)
    if isinstance(axes, _int):
        p, q = list(_range(x.ndim - axes, x.ndim)), list(_range(1, axes + 1))
    else:
        p, q = [[a] if isinstance(a, _int) else list(a) for a in axes]
    if 0 in p or 0 in q:
        raise ValueError("Cannot sum over batch axis (0); got axes=%s" % (axes,))
    names = "abcdefghijklmnopqrstuvwxyz"
    left = names[:x.ndim]
    right = ["A" if i == 0 else None for i in _range(y.ndim)]
    for i, j in zip(p, q):
        right[j] = left[i]
    fresh = names[x.ndim:]
    right = [left[0] if i == 0 else r if r is not None else fresh[i] for i, r in enumerate(right)]
    kept = [left[i] for i in _range(x.ndim) if i not in p] + [r for i, r in enumerate(right) if i > 0 and i not in q]
    return einsum(left + "," + "".join(right) + "->" + "".join(kept), x, y)


def einsum(spec, *xs):
    return apply(Op("einsum", lambda p, *v: _w.einsum(p, list(v)), "einsum"), list(xs), spec)


# ---- shapes ----

def shape(x):
    x = as_variable(x)
    return apply(Op("Shape", lambda p, x: _w.tensor(list(x.shape), "int64"), "Shape", "Shape"), [x], None, 1, "int64")


def shape_i(x, i):
    return apply(Op("Shape_i", lambda p, x: _w.tensor(x.shape[p], "int64"), "Shape_i{" + str(i) + "}"), [x], i, 0, "int64")


def size(x):
    return apply(Op("size", lambda p, x: _w.tensor(_w.about(x, "count"), "int64"), "size"), [x], None, 0, "int64")


def _sizes(shape):
    # a shape of ints and expressions: (operands, how many), or one vector
    if isinstance(shape, TensorVariable) and shape.ndim > 0:
        made = shape.owner
        if isinstance(shape, TensorConstant):
            shape = [_int(d) for d in shape.data]
        elif made is not None and made.op.name == "Shape":
            shape = [shape_i(made.inputs[0], i) for i in _range(made.inputs[0].ndim)]
        elif made is not None and made.op.name == "MakeVector":
            shape = made.inputs
        elif shape.type.shape[0] is not None:
            shape = [shape[i] for i in _range(shape.type.shape[0])]
        else:
            return [shape], None
    if isinstance(shape, (_int, TensorVariable)) and not isinstance(shape, (list, tuple)):
        shape = [shape]
    return [as_variable(s) for s in shape], len(shape)


def _ints(n, values):
    # sizes: numbers, or expressions of the program's sizes
    if n is None:
        return [_w.size_of(values[0][i]) for i in _range(values[0].shape[0])]
    return [_w.size_of(v) for v in values]


def reshape(x, newshape, ndim=None):
    x = as_variable(x)
    sizes, n = _sizes(newshape)
    rank = n if n is not None else ndim
    if rank is None:
        raise ValueError("reshape: the length of the shape is not known; give ndim")
    op = Op("Reshape", lambda p, x, *s: _reshaped(x, _ints(p, s)), "Reshape{" + str(rank) + "}")
    return apply(op, [x] + sizes, n, rank, x.dtype)


def _reshaped(x, sizes):
    # Of an axis whose size only the run knows (a slice between two expressions), the shape says what it must be.
    open_ = [i for i, n in enumerate(x.shape) if not isinstance(n, _int)]
    if len(open_) == 1 and _all([isinstance(n, _int) and n > 0 for n in sizes]):
        rest = 1
        for i, n in enumerate(x.shape):
            rest *= 1 if i in open_ else n
        want = 1
        for n in sizes:
            want *= n
        if rest and want % rest == 0:
            have = _w.tensor(x.shape[open_[0]], "int64")
            _w.assert_now(have == want // rest, f"reshape: cannot reshape an array of another size than {want} into shape {tuple(sizes)}")
            x = _w.take(x, _w.iota("int64", (want // rest,)), open_[0])
    return _w.reshape(x, sizes)


def flatten(x, ndim=1):
    x = as_variable(x)
    return apply(Op("Flatten", lambda p, x: _w.reshape(x, tuple(x.shape)[:p - 1] + (-1,)), "Flatten"), [x], ndim, ndim, x.dtype)


def _shuffle(p, x):
    keep = [a for a in p if a != "x"]
    gone = [a for a in _range(x.ndim) if a not in keep]
    if gone:
        x = _w.squeeze(x, gone)
        keep = [a - len([g for g in gone if g < a]) for a in keep]
    x = _w.permute(x, keep) if keep else x
    for at, a in enumerate(p):
        if a == "x":
            x = _w.expand_dims(x, at)
    return x


def dimshuffle(x, *pattern):
    x = as_variable(x)
    if len(pattern) == 1 and isinstance(pattern[0], (list, tuple)):
        pattern = pattern[0]
    for a in pattern:
        if a != "x" and not 0 <= a < x.ndim:
            raise ValueError(f"new_order[{a}] is {a}, but the input only has {x.ndim} axes.")
    show = "InplaceDimShuffle{" + ",".join([str(a) for a in pattern]) + "}"
    return apply(Op("dimshuffle", _shuffle, show, "DimShuffle"), [x], tuple(pattern), len(pattern), x.dtype)


def transpose(x, axes=None):
    x = as_variable(x)
    if axes is None:
        axes = list(_range(x.ndim))[::-1]
    r = dimshuffle(x, *[a % x.ndim for a in axes])
    if x.name is not None:
        r.name = x.name + ".T"
    return r


def swapaxes(x, axis1, axis2):
    x = as_variable(x)
    axes = list(_range(x.ndim))
    axes[axis1], axes[axis2] = axes[axis2], axes[axis1]
    return dimshuffle(x, *axes)


def moveaxis(x, source, destination):
    x = as_variable(x)
    return apply(Op("moveaxis", lambda p, x: _w.move_axis(x, p[0], p[1]), "moveaxis"), [x], (source, destination), x.ndim, x.dtype)


def expand_dims(x, axis):
    x = as_variable(x)
    return apply(Op("expand_dims", lambda p, x: _w.expand_dims(x, p), "expand_dims"), [x], axis)


def atleast_nd(x, n, left=True):
    x = as_variable(x)
    while x.ndim < n:
        x = expand_dims(x, 0 if left else x.ndim)
    return x


def atleast_1d(x):
    return atleast_nd(x, 1)


def atleast_2d(x):
    return atleast_nd(x, 2)


def shape_padleft(x, n_ones=1):
    return dimshuffle(x, *(["x"] * n_ones + list(_range(as_variable(x).ndim))))


def shape_padright(x, n_ones=1):
    return dimshuffle(x, *(list(_range(as_variable(x).ndim)) + ["x"] * n_ones))


def shape_padaxis(x, axis):
    return expand_dims(x, axis)


def squeeze(x, axis=None):
    x = as_variable(x)
    return apply(Op("squeeze", lambda p, x: _w.squeeze(x, p), "squeeze"), [x], axis, x.ndim - 1 if axis is None or isinstance(axis, _int) else x.ndim - len(axis), x.dtype)


def broadcast_to(x, shape):
    x = as_variable(x)
    sizes, n = _sizes(shape)
    rank = n if n is not None else x.ndim
    return apply(Op("BroadcastTo", lambda p, x, *s: _w.broadcast_to(x, _ints(p, s)), "BroadcastTo"), [x] + sizes, n, rank, x.dtype)


def concatenate(tensor_list, axis=0):
    xs = [as_variable(x) for x in tensor_list]
    for x in xs:
        if x.ndim != xs[0].ndim or x.ndim == 0:
            raise TypeError(f"Join cannot handle scalar arguments or arguments of different ranks: {[y.ndim for y in xs]}")
    return apply(Op("join", lambda p, *v: _w.concat(list(v), p), "Join", "join"), xs, axis)


def join(axis, *tensors):
    return concatenate(tensors, axis)


def stack(*tensors, axis=0):
    if len(tensors) == 2 and isinstance(tensors[1], _int) and isinstance(tensors[0], (list, tuple)):
        tensors, axis = tensors[:1], tensors[1]
    xs = list(tensors[0]) if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)) else list(tensors)
    return stack_of([as_variable(x) for x in xs], axis)


def vertical_stack(*xs):
    return concatenate(xs, 0)


def horizontal_stack(*xs):
    return concatenate(xs, 1)


def split(x, splits_size, n_splits=None, axis=0):
    x = as_variable(x)
    sizes, n = _sizes(splits_size)
    k = n if n is not None else n_splits
    op = Op("Split", lambda p, x, *s: list(_w.split(x, _ints(p[0], s), p[1])), "Split{" + str(k) + "}", nout=k)
    r = apply(op, [x] + sizes, (n, axis), x.ndim, x.dtype)
    return r if isinstance(r, list) else [r]


def tile(x, reps, ndim=None):
    x = as_variable(x)
    reps = [reps] if isinstance(reps, _int) else list(reps)
    if ndim is not None:
        if ndim < len(reps):
            raise ValueError("if specified, ndim must be equal or greater than len(reps)")
        reps = [1] * (ndim - len(reps)) + reps
    rank = _max(x.ndim, len(reps))
    return apply(Op("tile", lambda p, x: _w.tile(_w.reshape(x, [1] * (len(p) - x.ndim) + list(x.shape)), [1] * (x.ndim - len(p)) + p), "Tile"), [x], reps, rank, x.dtype)


def repeat(x, repeats, axis=None):
    x = as_variable(x)
    if isinstance(repeats, _int):
        run = lambda p, x: _w.repeat(_flat(x), p[0], 0) if p[1] is None else _w.repeat(x, p[0], p[1])
        return apply(Op("Repeat", run, "Repeat"), [x], (repeats, axis), 1 if axis is None else x.ndim, x.dtype)

    def run(p, x, n):
        x, axis = (_flat(x), 0) if p is None else (x, p)
        ends = _w.cumsum(_w.broadcast_to(_w.cast(n, "int64"), (x.shape[axis],)), 0)
        places = _w.iota("int64", (_w.size_of(ends[-1]),))
        return _w.take(x, _w.searchsorted(ends, places, True), axis)
    return apply(Op("Repeat", run, "Repeat"), [x, repeats], axis, 1 if axis is None else x.ndim, x.dtype)


def roll(x, shift, axis=None):
    x = as_variable(x)
    def run(p, x, s):
        y, axis = (_flat(x), 0) if p is None else (x, p)
        n = _w.tensor(y.shape[axis], "int64")
        at = _w.remainder(_w.iota("int64", (y.shape[axis],)) - _w.cast(s, "int64"), n)
        return _w.reshape(_w.take(y, at, axis), x.shape)
    return apply(Op("Roll", run, "Roll"), [x, shift], axis, x.ndim, x.dtype)


def flip(x, axis=None):
    x = as_variable(x)
    return apply(Op("flip", lambda p, x: _w.flip(x, p), "Flip"), [x], axis, x.ndim, x.dtype)


def diag(v, k=0):
    return apply(Op("diag", lambda p, x: _w.diag(x, p), "Diag"), [v], k, 3 - as_variable(v).ndim, as_variable(v).dtype)


def diagonal(a, offset=0, axis1=0, axis2=1):
    def run(p, x):
        k, i, j = p
        if x.ndim > 2:
            x = _w.permute(x, [d for d in _range(x.ndim) if d not in (i % x.ndim, j % x.ndim)] + [i % x.ndim, j % x.ndim])
        elif i % 2 > j % 2:
            x = _w.permute(x, [1, 0])
        return _w.diagonal(x, k)
    return apply(Op("ExtractDiag", run, "ExtractDiag"), [a], (offset, axis1, axis2))


def tril(m, k=0):
    return apply(Op("tril", lambda p, x: _w.tril(x, p), "Tril"), [m], k)


def triu(m, k=0):
    return apply(Op("triu", lambda p, x: _w.triu(x, p), "Triu"), [m], k)


# ---- creation ----

def _float(dtype):
    return config.floatX if dtype is None else str(_w.full((1,), 0, dtype).dtype)


def alloc(value, *shape):
    value = as_variable(value)
    sizes = [as_variable(s) for s in shape]
    return apply(Op("Alloc", lambda p, v, *s: _w.copy(_w.broadcast_to(v, _ints(0, s))), "Alloc"), [value] + sizes, None, len(sizes), value.dtype)


def _filled(value, shape, dtype):
    sizes, n = _sizes(shape)
    if n is None:
        raise ValueError("the length of the shape is not known")
    return apply(Op("Alloc", lambda p, *s: _w.full(_ints(p[0], s), p[1], p[2]), "Alloc"), sizes, (n, value, _float(dtype)))


def zeros(shape, dtype=None):
    return _filled(0, shape, dtype)


def ones(shape, dtype=None):
    return _filled(1, shape, dtype)


def full(shape, fill_value, dtype=None):
    x = as_variable(fill_value)
    sizes, n = _sizes(shape)
    r = apply(Op("Alloc", lambda p, v, *s: _w.copy(_w.broadcast_to(v, _ints(p, s))), "Alloc"), [x] + sizes, n, n, x.dtype)
    return r if dtype is None else cast(r, dtype)


empty = zeros


def _like(value):
    def fn(model, dtype=None, opt=False):
        x = as_variable(model)
        d = x.dtype if dtype is None else dtype
        return apply(Op("second", lambda p, x: _w.full(x.shape, p[0], p[1]), None, "fill"), [x], (value, d), x.ndim, d)
    return fn


zeros_like, ones_like = _like(0), _like(1)
empty_like = zeros_like


def full_like(a, fill_value, dtype=None):
    return cast(fill(a, fill_value), dtype or as_variable(a).dtype)


def eye(n, m=None, k=0, dtype=None):
    def run(p, n, m, k):
        shape = (_w.size_of(n), _w.size_of(m))
        return _w.cast(_w.iota("int64", shape, 0) + _w.cast(k, "int64") == _w.iota("int64", shape, 1), p)
    dtype = _float(dtype)
    return apply(Op("Eye", run, f"Eye{{dtype='{dtype}'}}"), [n, n if m is None else m, k], dtype)


def identity_like(x, dtype=None):
    return eye(x.shape[0], x.shape[1], 0, dtype or x.dtype)


def _arange(dtype, a, b, c):
    if _all([x.dtype.kind in "iub" for x in (a, b, c)]):
        a, b, c = [_w.cast(x, "int64") for x in (a, b, c)]
        n = b - a
        if _w.size_of(c, False) != 1 or _w.size_of(n, False) is None:
            n = _w.maximum(_w.floor_div(n + c - _w.sign(c), c), 0)
    else:
        a, b, c = [_w.cast(x, "float64") for x in (a, b, c)]
        n = _w.cast(_w.maximum(_w.ceil((b - a) / c), 0), "int64")
    return _w.cast(a + c * _w.cast(_w.iota("int64", (_w.size_of(n),)), a.dtype), dtype)


def arange(start, stop=None, step=1, dtype=None):
    if stop is None:
        start, stop = 0, start
    xs = [as_variable(v) for v in (start, stop, step)]
    if dtype is None:
        dtype = "int64" if _all([x.dtype.startswith(("int", "uint")) for x in xs]) else "float64"
    return apply(Op("ARange", _arange, f"ARange{{dtype='{dtype}'}}"), xs, dtype, 1, dtype)


def linspace(start, stop, num=50, endpoint=True, dtype=None):
    def run(p, a, b):
        num, endpoint = p
        a, b = _w.cast(a, "float64"), _w.cast(b, "float64")
        step = (b - a) / _max(num - 1 if endpoint else num, 1)
        return a + step * _w.cast(_w.iota("int64", (num,)), "float64")
    r = apply(Op("linspace", run, "Linspace"), [start, stop], (num, endpoint))
    return r if dtype is None else cast(r, dtype)


def tri(N, M=None, k=0, dtype=None):
    return constant(_np.tri(N, M, k), dtype=_float(dtype))


class _MGrid:
    def __getitem__(self, key):
        return [constant(g) for g in _np.mgrid[key]]


mgrid = _MGrid()


def to_one_hot(y, nb_class, dtype=None):
    return apply(Op("OneHot", lambda p, y: _w.one_hot(y, p[0], p[1]), "OneHot"), [y], (nb_class, _float(dtype)), 2, _float(dtype))


extra_one_hot = to_one_hot


# ---- indexing ----

from aesara.tensor.subtensor import getitem, set_subtensor, inc_subtensor, take, take_along_axis


def nonzero(a, return_matrix=False):
    a = as_variable(a)
    def run(p, x):
        places = _w.nonzero(x)      # once: the sizes of all its columns are one
        return [places[:, i] for i in _range(x.ndim)]
    op = Op("Nonzero", run, "Nonzero", nout=a.ndim)
    r = apply(op, [a], None, 1, "int64")
    r = tuple(r) if isinstance(r, list) else (r,)
    return stack(list(r), 0) if return_matrix else r


def flatnonzero(a):
    return nonzero(flatten(a))[0]


def nonzero_values(a):
    a = as_variable(a)
    return getitem(flatten(a), flatnonzero(a))

from aesara.tensor._order import sort, argsort, topk, unique, searchsorted, trace, _norm


# ---- operators and methods ----

def _reflected(fn):
    return lambda self, other: fn(other, self)


def _checked(fn):
    def call(self, other):
        if isinstance(other, (str, dict)) or other is None:
            return NotImplemented
        return fn(self, other)
    return call


_operators = {"__neg__": neg, "__invert__": invert, "__abs__": abs, "__getitem__": getitem}
for _n, _f in (("add", _add2), ("sub", sub), ("mul", _mul2), ("truediv", true_div), ("floordiv", int_div), ("mod", mod), ("pow", pow),
               ("matmul", matmul), ("and", and_), ("or", or_), ("xor", xor)):
    _operators[f"__{_n}__"] = _checked(_f)
    _operators[f"__r{_n}__"] = _checked(_reflected(_f))


def _comparison(fn):
    def call(a, b):
        r = fn(a, b)
        r.compared = True
        return r
    return _checked(call)


for _n, _f in (("lt", lt), ("le", le), ("gt", gt), ("ge", ge)):
    _operators[f"__{_n}__"] = _comparison(_f)
TensorVariable.T = property(lambda self: transpose(self))
TensorVariable.shape = property(lambda self: shape(self))
TensorVariable.size = property(lambda self: size(self))
TensorVariable.real = property(lambda self: self)


def _no_iteration(self):
    raise TypeError("TensorType does not support iteration. Maybe you are using builtins.sum instead of aesara.tensor.math.sum? "
                    "(Maybe .max?)")


_operators["__iter__"] = _no_iteration
for _c in (TensorVariable, TensorConstant, TensorSharedVariable):
    for _n, _f in _operators.items():
        setattr(_c, _n, _f)
TensorVariable.norm = lambda self, L, axis=None, keepdims=False: _norm(self, L, axis)
TensorVariable.astype = cast
TensorVariable.copy = lambda self, name=None: identity(self)
TensorVariable.dimshuffle = dimshuffle
TensorVariable.reshape = lambda self, *shape, ndim=None: reshape(self, shape[0] if len(shape) == 1 else shape, ndim)
TensorVariable.transpose = lambda self, *axes: transpose(self, (axes[0] if len(axes) == 1 and isinstance(axes[0], (list, tuple)) else axes) or None)
TensorVariable.set = lambda self, y: set_subtensor(self, y)
TensorVariable.inc = lambda self, y: inc_subtensor(self, y)
TensorVariable.ravel = lambda self: flatten(self)
TensorVariable.fill = lambda self, v: fill(self, v)
for _n, _f in (("sum", sum), ("prod", prod), ("mean", mean), ("max", max), ("min", min), ("all", all), ("any", any), ("var", var),
               ("std", std), ("argmax", argmax), ("argmin", argmin), ("flatten", flatten), ("dot", dot), ("clip", clip), ("sort", sort),
               ("argsort", argsort), ("cumsum", cumsum), ("cumprod", cumprod), ("repeat", repeat), ("round", round), ("take", take),
               ("nonzero", nonzero), ("diagonal", diagonal), ("trace", trace), ("squeeze", squeeze), ("swapaxes", swapaxes), ("ptp", ptp),
               ("zeros_like", zeros_like), ("ones_like", ones_like)):
    setattr(TensorVariable, _n, _f)

from aesara.tensor import linalg, special, nnet, nlinalg, slinalg, math, basic, sharedvar, signal, type, xlogx, var as _var_module
from aesara.tensor.special import softmax, log_softmax
