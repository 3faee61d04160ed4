"""weft.from_jax(f, *args): a JAX function as a program, by the primitives of its jaxpr.

Each primitive is a function of the lowering `c` (c.b is the builder), its operands and its parameters. One that has none is refused
by name. Shapes are those of the arguments.
"""
import math
import string

from . import _weft
from ._errors import UnsupportedError

PRIMS = {}


def prim(*names):
    def put(f):
        for n in names:
            PRIMS[n] = f
        return f
    return put


for name, own in {
        "neg": "neg", "sign": "sign", "floor": "floor", "ceil": "ceil", "exp": "exp", "exp2": "exp2", "log": "log", "log1p": "log1p",
        "expm1": "expm1", "tanh": "tanh", "sin": "sin", "cos": "cos", "tan": "tan", "asin": "asin", "acos": "acos", "atan": "atan",
        "sinh": "sinh", "cosh": "cosh", "asinh": "asinh", "acosh": "acosh", "atanh": "atanh", "erf": "erf", "erfc": "erfc",
        "erf_inv": "erf_inv", "logistic": "sigmoid", "rsqrt": "rsqrt", "sqrt": "sqrt", "abs": "abs", "square": "square",
        "is_finite": "is_finite", "real": "real", "imag": "imag", "conj": "conj", "stop_gradient": "stop_gradient"}.items():
    PRIMS[name] = lambda c, x, own=own, **_: getattr(c.b, own)(x)
for name, own in {
        "add": "add", "sub": "sub", "mul": "mul", "rem": "fmod", "pow": "pow", "max": "maximum", "min": "minimum", "atan2": "atan2",
        "eq": "eq", "ne": "ne", "lt": "lt", "le": "le", "gt": "gt", "ge": "ge", "shift_left": "shift_left", "complex": "complex",
        "add_any": "add", "shift_right_arithmetic": "shift_right"}.items():
    PRIMS[name] = lambda c, x, y, own=own, **_: getattr(c.b, own)(x, y)
for name in ("and", "or", "xor"):
    PRIMS[name] = lambda c, x, y, own=name, **_: getattr(c.b, ("logical_" if x.dtype == "bool" else "bitwise_") + own)(x, y)
for name in ("copy", "copy_p", "optimization_barrier", "sharding_constraint", "pvary"):
    PRIMS[name] = lambda c, *x, **_: x if len(x) > 1 else x[0]
for name, own in {"reduce_sum": "sum", "reduce_max": "max", "reduce_min": "min", "reduce_prod": "prod", "reduce_and": "all", "reduce_or": "any"}.items():
    PRIMS[name] = lambda c, x, axes, own=own, **_: getattr(c.b, own)(x, list(axes), False) if axes else x


@prim("not")
def not_(c, x):
    return c.b.logical_not(x) if x.dtype == "bool" else c.b.bitwise_not(x)


@prim("div")
def div(c, x, y):
    b = c.b
    if x.dtype[0] in "fbc":
        return b.div(x, y)
    q = b.floor_div(x, y)  # and towards zero: one more where it is negative with a rest
    up = b.logical_and(b.ne(b.mul(q, y), x), b.ne(b.lt(x, 0), b.lt(y, 0)))
    return b.where(up, b.add(q, 1), q)


@prim("round")
def round_(c, x, rounding_method):
    if int(rounding_method) == 0:  # halves away from zero
        return c.b.mul(c.b.sign(x), c.b.floor(c.b.add(c.b.abs(x), 0.5)))
    return c.b.round(x)


@prim("cbrt")
def cbrt(c, x, **_):
    return c.b.mul(c.b.sign(x), c.b.pow(c.b.abs(x), 1.0 / 3.0))


@prim("integer_pow")
def integer_pow(c, x, y):
    return c.b.pow(x, y if y >= 0 or x.dtype[0] != "f" else float(y))


@prim("shift_right_logical")
def shift_right_logical(c, x, y):
    if not x.dtype.startswith("u"):
        raise UnsupportedError("from_jax: shift_right_logical of signed integers")
    return c.b.shift_right(x, y)


@prim("select_n")
def select_n(c, which, *cases):
    if len(cases) > 2:
        out = cases[0]
        for k, case in enumerate(cases[1:], 1):
            out = c.b.where(c.b.eq(which, k), case, out)
        return out
    return c.b.where(which if which.dtype == "bool" else c.b.ne(which, 0), cases[1], cases[0])


@prim("clamp")
def clamp(c, lo, x, hi):
    return c.b.clip(x, lo, hi)


@prim("convert_element_type")
def convert(c, x, new_dtype, **_):
    return c.b.cast(x, _weft.dtype_name(new_dtype))


@prim("bitcast_convert_type")
def bitcast(c, x, new_dtype):
    return c.b.bitcast(x, _weft.dtype_name(new_dtype))


@prim("broadcast_in_dim")
def broadcast_in_dim(c, x, *dyn, shape, broadcast_dimensions, **_):
    dims = [1] * len(shape)
    for k, d in enumerate(broadcast_dimensions):
        dims[d] = x.dims[k]
    return c.b.broadcast_to(c.b.reshape(x, dims), list(shape))


@prim("reshape", "expand_dims", "squeeze")
def reshape(c, x, *dyn, **_):
    return c.b.reshape(x, list(c.out[0].shape))


@prim("transpose")
def transpose(c, x, permutation):
    return c.b.permute(x, list(permutation))


@prim("concatenate")
def concatenate(c, *xs, dimension):
    return c.b.concat(list(xs), dimension)


@prim("split")
def split(c, x, sizes, axis):
    out, at = [], 0
    for n in sizes:
        out.append(c.b.narrow(x, axis, at, int(n)))
        at += int(n)
    return out


@prim("rev")
def rev(c, x, dimensions):
    return c.b.flip(x, list(dimensions)) if dimensions else x


@prim("iota")
def iota(c, dtype, shape, dimension, **_):
    return c.b.iota(_weft.dtype_name(dtype), list(shape), dimension)


@prim("slice")
def slice_(c, x, start_indices, limit_indices, strides):
    return c.b.index_get(x, [slice(a, b, s) for a, b, s in zip(start_indices, limit_indices, strides or [1] * len(start_indices))]) \
        if x.dims else x


def number(v):
    """Of a value that is a constant; None: it is not."""
    return None if v.symbolic else v.array().numpy().item()


def spread(c, x, axis, k):
    """k zeros between neighbours."""
    b, dims = c.b, list(x.dims)
    rank = len(dims)
    wide = b.pad(b.expand_dims(x, axis + 1), [0] * (rank + 1), [k if i == axis + 1 else 0 for i in range(rank + 1)], 0.0)
    dims[axis] *= k + 1
    return b.narrow(b.reshape(wide, dims), axis, 0, dims[axis] - k)


@prim("pad")
def pad(c, x, value, padding_config):
    b, v = c.b, number(value)
    if v is None or (v != 0 and any(p[2] for p in padding_config)):
        ones = pad(c, b.ones_like(x), b.constant(0), padding_config=padding_config)
        return b.where(b.ne(ones, 0), pad(c, x, b.constant(0), padding_config=padding_config), value)
    for axis, (_, _, k) in enumerate(padding_config):
        x = spread(c, x, axis, k) if k and x.dims[axis] else x
    cut = [slice(max(-lo, 0), n + min(hi, 0)) for (lo, hi, _), n in zip(padding_config, x.dims)]
    x = b.index_get(x, cut) if any(p[0] < 0 or p[1] < 0 for p in padding_config) else x
    return b.cast(b.pad(x, [max(p[0], 0) for p in padding_config], [max(p[1], 0) for p in padding_config], float(v)), x.dtype)


@prim("argmax", "argmin")
def argmax(c, x, axes, index_dtype):
    return (c.b.argmax if c.name == "argmax" else c.b.argmin)(x, axes[0], False)


@prim("cumsum", "cumprod", "cummax", "cummin", "cumlogsumexp")
def cumulative(c, x, axis, reverse):
    if c.name == "cumsum":
        return c.b.cumsum(x, axis, reverse)
    x = c.b.flip(x, [axis]) if reverse else x
    y = getattr(c.b, "logcumsumexp" if c.name == "cumlogsumexp" else c.name)(x, axis)
    return c.b.flip(y, [axis]) if reverse else y


@prim("sort")
def sort(c, *xs, dimension, is_stable, num_keys):
    if num_keys != 1:
        raise UnsupportedError("from_jax: sort by several keys")
    values, order = c.b.sort(xs[0], dimension, False)
    return [values] + [c.b.take_along(x, order, dimension) for x in xs[1:]]


@prim("top_k")
def top_k(c, x, k, axis=-1, **_):
    return list(c.b.top_k(x, k, axis, True))


@prim("dot_general")
def dot_general(c, x, y, dimension_numbers, preferred_element_type=None, **_):
    (xc, yc), (xb, yb) = dimension_numbers
    letters = iter(string.ascii_letters)
    xs, ys = [next(letters) for _ in x.dims], [next(letters) for _ in y.dims]
    for i, j in list(zip(xc, yc)) + list(zip(xb, yb)):
        ys[j] = xs[i]
    out = [xs[i] for i in xb] + [s for i, s in enumerate(xs) if i not in xb and i not in xc] + \
        [s for j, s in enumerate(ys) if j not in yb and j not in yc]
    return c.b.einsum(f"{''.join(xs)},{''.join(ys)}->{''.join(out)}", [x, y])


@prim("conv_general_dilated")
def convolution(c, x, w, window_strides, padding, lhs_dilation, rhs_dilation, dimension_numbers, feature_group_count,
                batch_group_count, **_):
    if batch_group_count != 1:
        raise UnsupportedError("from_jax: convolutions with groups of the batch")
    b, d, n = c.b, dimension_numbers, len(window_strides)
    x, w = b.permute(x, list(d.lhs_spec)), b.permute(w, list(d.rhs_spec))
    x = pad(c, x, b.constant(0), padding_config=[(0, 0, 0), (0, 0, 0)] + [(lo, hi, k - 1) for (lo, hi), k in zip(padding, lhs_dilation)])
    y = b.conv(x, w, None, n, list(window_strides), [0] * n, list(rhs_dilation), feature_group_count)
    return b.permute(y, [d.out_spec.index(i) for i in range(n + 2)])


def windows(c, x, value, window_dimensions, window_strides, padding, base_dilation, window_dilation, combine):
    """A reduction over windows as one over shifted slices."""
    if any(k != 1 for k in base_dilation) or math.prod(window_dimensions) > 256:
        raise UnsupportedError("from_jax: windows that are dilated or large")
    x = pad(c, x, c.b.constant(value, x.dtype), padding_config=[(lo, hi, 0) for lo, hi in padding])
    out = None
    for place in range(math.prod(window_dimensions)):
        at, ix = place, []
        for n, k, s, dil, size in zip(c.out[0].shape, window_dimensions, window_strides, window_dilation, x.dims):
            at, offset = divmod(at, k)
            ix.append(slice(offset * dil, offset * dil + (n - 1) * s + 1, s))
        part = c.b.index_get(x, ix)
        out = part if out is None else combine(out, part)
    return out


@prim("reduce_window_sum")
def reduce_window_sum(c, x, **p):
    return windows(c, x, 0, combine=c.b.add, **p)


@prim("reduce_window_max")
def reduce_window_max(c, x, **p):
    return windows(c, x, -math.inf if x.dtype[0] in "fb" else -2 ** 31, combine=c.b.maximum, **p)


@prim("dynamic_slice")
def dynamic_slice(c, x, *starts, slice_sizes, **_):
    for axis, (i, n) in enumerate(zip(starts, slice_sizes)):
        if n != x.dims[axis] or number(i) != 0:
            i = c.b.clip(c.b.cast(i, "i64"), 0, x.dims[axis] - n)
            x = c.b.take(x, c.b.add(c.b.iota("i64", [n], 0), i), axis)
    return x


@prim("dynamic_update_slice")
def dynamic_update_slice(c, x, update, *starts):
    b, places = c.b, []
    rank = len(x.dims)
    if not rank:
        return update
    for axis, i in enumerate(starts):
        i = b.clip(b.cast(i, "i64"), 0, x.dims[axis] - update.dims[axis])
        places.append(b.add(b.iota("i64", [n if k == axis else 1 for k, n in enumerate(update.dims)], axis), i))
    return b.index_set(x, places, update)


def places_of(c, x, indices, window, collapsed, index_map, operand_batch, indices_batch, shape, offsets):
    """For each axis of x where every element of the result stands, and whether its window fits; of the result's shape."""
    b, places, fits = c.b, [], None
    batch = [k for k in range(len(shape)) if k not in offsets]
    inside = [d for d in range(len(x.dims)) if d not in collapsed and d not in operand_batch]

    def place(v):  # of the batch axes, in their places
        dims = [1] * len(shape)
        for k, axis in enumerate(batch):
            dims[axis] = v.dims[k]
        return b.reshape(v, dims)
    for d in range(len(x.dims)):
        at = None
        if d in index_map:
            start = b.cast(b.index_get(indices, [Ellipsis, index_map.index(d)]), "i64")
            ok = b.logical_and(b.ge(start, 0), b.le(start, x.dims[d] - window[d]))
            fits = ok if fits is None else b.logical_and(fits, ok)
            at = place(b.clip(start, 0, x.dims[d] - window[d]))
        elif d in operand_batch:
            axis = indices_batch[operand_batch.index(d)]
            at = place(b.broadcast_to(b.iota("i64", [n if k == axis else 1 for k, n in enumerate(indices.dims[:-1])], axis),
                                      list(indices.dims[:-1])))
        if d in inside:
            axis = offsets[inside.index(d)]
            own = b.iota("i64", [window[d] if k == axis else 1 for k in range(len(shape))], axis)
            at = own if at is None else b.add(at, own)
        places.append(at if at is not None else b.zeros("i64", [1] * len(shape)))
    return places, None if fits is None else place(fits)


def is_mode(mode, name):
    return mode is not None and name in str(mode).upper()


@prim("gather")
def gather(c, x, indices, dimension_numbers, slice_sizes, mode=None, fill_value=None, **_):
    d, shape = dimension_numbers, list(c.out[0].shape)
    places, fits = places_of(c, x, indices, list(slice_sizes), d.collapsed_slice_dims, list(d.start_index_map),
                             list(d.operand_batching_dims), list(d.start_indices_batching_dims), shape, list(d.offset_dims))
    b = c.b
    y = b.broadcast_to(b.index_get(x, places), shape) if places else b.broadcast_to(x, shape)
    if is_mode(mode, "FILL") and fits is not None:
        fill = fill_value if fill_value is not None else math.nan if x.dtype[0] in "fb" and x.dtype != "bool" else 0
        y = b.where(fits, y, b.constant(fill, x.dtype))
    return y


@prim("scatter", "scatter-add", "scatter_add", "scatter-mul", "scatter_mul", "scatter-min", "scatter_min", "scatter-max", "scatter_max")
def scatter(c, x, indices, updates, dimension_numbers, mode=None, **_):
    kind = {"add": 1, "mul": 2, "max": 3, "min": 4}.get(c.name[8:], 0)
    d, b, shape = dimension_numbers, c.b, list(updates.dims)
    window, it = [], iter(d.update_window_dims)
    for k in range(len(x.dims)):
        window.append(1 if k in d.inserted_window_dims or k in d.operand_batching_dims else shape[next(it)])
    places, fits = places_of(c, x, indices, window, d.inserted_window_dims, list(d.scatter_dims_to_operand_dims),
                             list(d.operand_batching_dims), list(d.scatter_indices_batching_dims), shape, list(d.update_window_dims))
    total = math.prod(x.dims)
    flat = b.zeros("i64", [1] * len(shape))
    for p, n in zip(places, x.dims):
        flat = b.add(b.mul(flat, n), p)
    if not is_mode(mode, "CLIP") and fits is not None:
        flat = b.where(fits, flat, total)  # one place more, for what is dropped
    one = b.pad(b.reshape(x, [total]), [0], [1], 0.0)
    n = math.prod(shape)
    y = b.scatter_along(one, b.reshape(b.broadcast_to(flat, shape), [n]), b.reshape(updates, [n]), 0, kind, True)
    return b.reshape(b.narrow(y, 0, 0, total), list(x.dims))


# ---- bodies

@prim("jit", "pjit", "closed_call", "core_call", "custom_jvp_call", "custom_vjp_call", "custom_vjp_call_jaxpr", "remat", "checkpoint", "remat2")
def call(c, *xs, **p):
    body = p.get("jaxpr") or p.get("call_jaxpr") or p.get("fun_jaxpr")
    if hasattr(body, "jaxpr"):
        return c.run(body.jaxpr, body.consts, xs)
    return c.run(body, [], xs)


@prim("cond")
def cond(c, index, *xs, branches, **_):
    index = index if index.dtype == "bool" else c.b.cast(index, "i32")
    return c.b.cond(index, [lambda v, j=j: c.run(j.jaxpr, j.consts, v) for j in branches], list(xs))


@prim("while")
def while_(c, *xs, cond_jaxpr, cond_nconsts, body_jaxpr, body_nconsts):
    cc, bc, carry = xs[:cond_nconsts], xs[cond_nconsts:cond_nconsts + body_nconsts], xs[cond_nconsts + body_nconsts:]
    return c.b.while_loop(lambda v: c.run(cond_jaxpr.jaxpr, cond_jaxpr.consts, [*cc, *v]),
                          lambda v: c.run(body_jaxpr.jaxpr, body_jaxpr.consts, [*bc, *v]), list(carry))


@prim("scan")
def scan(c, *xs, jaxpr, num_consts, num_carry, length, reverse, **_):
    consts = xs[:num_consts]
    return c.b.scan(lambda v: c.run(jaxpr.jaxpr, jaxpr.consts, [*consts, *v]), num_carry, list(xs[num_consts:]), length, reverse)


class Lowering:
    def __init__(self, name):
        self.b = _weft.Builder(name, "jax", "f32")
        self.name, self.out = None, None

    def run(self, jaxpr, consts, args):
        """The results of a jaxpr of Values."""
        env = dict(zip(jaxpr.constvars, (self.constant(x) for x in consts)))
        env.update(zip(jaxpr.invars, args))

        def read(v):
            return self.constant(v.val, v.aval) if hasattr(v, "val") else env[v]
        for e in jaxpr.eqns:
            name = e.primitive.name
            if name not in PRIMS:
                raise UnsupportedError(f"from_jax: the primitive '{name}' has no lowering")
            operands = [read(v) for v in e.invars]
            self.name, self.out = name, [v.aval for v in e.outvars]
            out = PRIMS[name](self, *operands, **e.params)
            out = list(out) if isinstance(out, (list, tuple)) else [out]
            for v, x in zip(e.outvars, out):
                want = _weft.dtype_name(v.aval.dtype)
                env[v] = x if x.dtype == want else self.b.cast(x, want)
        return [read(v) for v in jaxpr.outvars]

    def constant(self, x, aval=None):
        import numpy as np
        if isinstance(x, _weft.Value):
            return x
        return self.b.constant(np.asarray(x, None if aval is None else aval.dtype))


def from_function(f, *args, **kwargs):
    import jax
    closed = jax.make_jaxpr(lambda *a: f(*a, **kwargs))(*args)
    name = getattr(f, "__name__", "f")
    c = Lowering(name if name.isidentifier() else "f")
    try:
        inputs = [c.b.symbol(f"x{i}", f"{_weft.dtype_name(v.aval.dtype)}[{','.join(map(str, v.aval.shape))}]")
                  for i, v in enumerate(closed.jaxpr.invars)]
        return c.b.finish(inputs, c.run(closed.jaxpr, closed.consts, inputs))
    finally:
        c.b.close()
