#!/usr/bin/env python3
"""golden_functions.py -- what the real libraries make of the functions of weft_tensor.h, for test_tensor_golden.c.

    python3 tools/golden_functions.py torch|torch_more|numpy|jax

Each library is asked where it is installed; files go to tests/golden/tensor/. A case is

    case FUNCTION [edge] [:TEXT] [NUMBERS [/ NUMBERS ..]]   arguments, in groups; `-`: an empty group
    in TYPE VALUES ..                                 `in none`: left out. Floats are exact in f32
    out TYPE VALUES ..                                one line for each result
    grad K VALUES ..                                  of sum(y_i w_i), w_i = ((7i + 3) mod 11 - 4) / 8, by input K

Floats are given in f64; the test runs each case in f32 too. `edge`: the sign of zeros counts. A promotion line is
`A B RESULT`, operands as DTYPE, DTYPEz (rank 0) or DTYPEw (a host number).
"""
import os
import random
import sys
import warnings

import numpy as np

warnings.filterwarnings("ignore")
HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
rng = np.random.default_rng(4)
lines = []
NAMES = {"float64": "f64", "float32": "f32", "int64": "i64", "int32": "i32", "bool": "bool", "uint8": "u8"}


def number(v):
    if isinstance(v, (bool, np.bool_, int, np.integer)):
        return str(int(v))
    return "nan" if v != v else f"{float(v):.13g}"


def array(a):
    a = np.asarray(a)
    return f"{NAMES[a.dtype.name]}[{','.join(map(str, a.shape))}] {' '.join(number(v) for v in a.reshape(-1))}".rstrip()


def group(g):
    if isinstance(g, str):
        return ":" + g
    if g is None or (isinstance(g, (list, tuple)) and not g):
        return "-"
    return " ".join(number(v) for v in (g if isinstance(g, (list, tuple)) else [g]))


def emit(name, groups, ins, outs, grads=None, edge=False):
    rest = [g for g in groups if not isinstance(g, str)]
    head = ["case", name] + (["edge"] if edge else []) + [group(t) for t in groups if isinstance(t, str)]
    lines.append(" ".join(head + ([" / ".join(group(g) for g in rest)] if rest else [])))
    for a in ins:
        lines.append("in none" if a is None else "in " + array(a))
    for a in outs:
        lines.append("out " + array(a))
    for k, g in (grads or {}).items():
        lines.append(f"grad {k} " + " ".join(number(v) for v in np.asarray(g).reshape(-1)))


def real(*shape, lo=-2.0, hi=2.0):
    """Multiples of 1/64, none of them zero."""
    v = np.floor(rng.uniform(lo, hi, int(np.prod(shape))) * 64) / 64
    v[v == 0] = 1 / 64
    return v.reshape(shape)


def distinct(*shape, step=1 / 16):
    n = int(np.prod(shape))
    return ((rng.permutation(n) - n // 2 + 0.5) * step).reshape(shape)


def ints(*shape, lo=-5, hi=6, dtype="i8"):
    return rng.integers(lo, hi, shape).astype(dtype)


def bools(*shape):
    return rng.integers(0, 2, shape).astype(bool)


def weights(shape):
    n = int(np.prod(shape))
    return np.array([((7 * i + 3) % 11 - 4) / 8 for i in range(n)]).reshape(shape)


def write(file):
    path = os.path.join(HERE, "tests", "golden", "tensor", file)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as f:
        f.write("\n".join(lines) + "\n")
    print(f"{file}: {sum(l.startswith('case') for l in lines)} cases, {os.path.getsize(path)} bytes")
    lines.clear()


# ---- PyTorch ---------------------------------------------------------------------------------------------


def by_torch(name, groups, ins, f, edge=False, grad=True, wrt=None):
    """One case: f of torch tensors (None stays None), one result or a tuple of them."""
    import torch

    ts = [None if a is None else torch.tensor(a) for a in ins]
    live = [k for k, t in enumerate(ts) if t is not None and t.is_floating_point() and grad and (wrt is None or k in wrt)]
    for k in live:
        ts[k].requires_grad_(True)
    ys = f(*ts)
    ys = list(ys) if isinstance(ys, (tuple, list)) else [ys]
    loss = None
    for y in ys:
        if y.is_floating_point() and y.requires_grad:
            part = (y * torch.tensor(weights(y.shape), dtype=y.dtype)).sum()
            loss = part if loss is None else loss + part
    grads = {}
    if loss is not None:
        for k, g in zip(live, torch.autograd.grad(loss, [ts[k] for k in live], allow_unused=True)):
            grads[k] = np.zeros(ts[k].shape) if g is None else g.numpy()
    emit(name, groups, ins, [y.detach().numpy() for y in ys], grads, edge)


SHAPES = [(), (1,), (5,), (2, 3), (2, 0, 3)]
PAIRS = [((), ()), ((3,), ()), ((2, 3), (3,)), ((2, 1), (1, 4)), ((0, 3), (1,)), ((2, 3), (2, 3))]
EDGE = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5])


def torch_elementwise():
    import torch
    F = torch.nn.functional

    domain = {"log": (0.1, 4), "log2": (0.1, 4), "log10": (0.1, 4), "log1p": (-0.7, 4), "asin": (-0.9, 0.9),
              "acos": (-0.9, 0.9), "acosh": (1.1, 4), "atanh": (-0.9, 0.9), "erf_inv": (-0.9, 0.9), "sqrt": (0.1, 4),
              "rsqrt": (0.1, 4), "tan": (-1.2, 1.2)}
    renamed = {"erf_inv": torch.erfinv, "is_finite": torch.isfinite, "is_nan": torch.isnan, "is_inf": torch.isinf,
               "stop_gradient": torch.detach, "silu": F.silu, "log_sigmoid": F.logsigmoid}
    names = """neg abs sign positive square reciprocal exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan
        sinh cosh tanh asinh acosh atanh erf erf_inv sqrt rsqrt sigmoid floor ceil round trunc frac is_finite is_nan
        is_inf logical_not stop_gradient deg2rad rad2deg relu silu log_sigmoid""".split()
    unary = {n: renamed.get(n) or getattr(torch, n) for n in names}
    for name, f in unary.items():
        for s in SHAPES:
            lo, hi = domain.get(name, (-2, 2))
            by_torch(name, [], [real(*s, lo=lo, hi=hi)], f)
        if name == "sign":  # PyTorch's sign of NaN is 0
            emit(name, [], [EDGE], [np.sign(EDGE)])
        else:  # which zero comes out of max(-0, 0) and the like is nobody's promise
            by_torch(name, [], [EDGE], f, edge=name not in ("relu", "log_sigmoid"), grad=False)
    by_torch("bitwise_not", [], [ints(2, 3)], torch.bitwise_not)
    by_torch("bitwise_not", [], [bools(4)], torch.bitwise_not)
    for name in ("neg", "abs", "sign", "square"):
        by_torch(name, [], [ints(2, 3)], unary[name])
    for name in ("exp", "sin", "sqrt", "reciprocal", "sigmoid"):  # integers become the default float, f32
        by_torch(name, [], [ints(5, lo=1)], unary[name])
    names = """add sub mul div pow atan2 maximum minimum hypot logaddexp eq ne lt le gt ge floor_div remainder fmod
        logical_and logical_or logical_xor""".split()
    ex, ey = np.meshgrid(EDGE[:9], EDGE[:9])
    for name in names:
        f = torch.floor_divide if name == "floor_div" else getattr(torch, name)
        rest = name in ("remainder", "fmod", "floor_div")
        for s, t in PAIRS:
            x, y = real(*s, lo=0.2, hi=3) if name == "pow" else real(*s), real(*t)
            if rest:
                x, y = real(*s, lo=-9, hi=9), np.where(real(*t) < 0, -1.375, 2.625)
            by_torch(name, [], [x, y], f, grad=name != "floor_div")
        if not rest:
            by_torch(name, [], [ex.reshape(-1), ey.reshape(-1)], f, edge=name not in ("maximum", "minimum"),
                     grad=False)
        if name not in ("hypot", "logaddexp"):
            by_torch(name, [], [ints(2, 3), ints(3, lo=1)], f)
    for name in ("bitwise_and", "bitwise_or", "bitwise_xor"):
        by_torch(name, [], [ints(2, 3), ints(3)], getattr(torch, name))
        by_torch(name, [], [bools(2, 3), bools(2, 1)], getattr(torch, name))
    for name, f in {"shift_left": torch.bitwise_left_shift, "shift_right": torch.bitwise_right_shift}.items():
        by_torch(name, [], [ints(2, 3), ints(3, lo=0)], f)
        by_torch(name, [], [ints(7, dtype="i4"), ints(7, lo=0, dtype="i4")], f)
    by_torch("where", [], [bools(2, 3), real(2, 3), real(3)], torch.where)
    by_torch("where", [], [bools(2, 1), real(), real(4)], torch.where)
    by_torch("where", [], [bools(0), real(), real(0)], torch.where)
    for lo, hi in ((-1.0, 0.75), (None, 0.5), (-0.5, None)):
        b = [None if v is None else np.array(v) for v in (lo, hi)]
        by_torch("clip", [], [real(2, 5) + 1 / 128, b[0], b[1]], torch.clamp)
        by_torch("clip", [], [EDGE, b[0], b[1]], torch.clamp, edge=True, grad=False)
    by_torch("clip", [], [real(2, 3) + 1 / 128, real(3, lo=-1, hi=-0.5), real(2, 1, lo=0.5, hi=1)], torch.clamp)
    by_torch("lerp", [], [real(2, 3), real(2, 3), np.array(0.25)], torch.lerp)
    by_torch("lerp", [], [real(2, 3), real(2, 3), real(2, 3)], torch.lerp)
    a = np.array([1.0, 2, 3, np.inf, np.nan, -1, np.inf])
    b = np.array([1.0009765625, 2.5, 3, np.inf, np.nan, 1, -np.inf])
    by_torch("is_close", [1e-2, 1e-8], [a, b], lambda x, y: torch.isclose(x, y, 1e-2, 1e-8), grad=False)
    for ap in (False, True):
        for s in ((3, 4), (0,), ()):
            by_torch("gelu", [ap], [real(*s)], lambda x: F.gelu(x, approximate="tanh" if ap else "none"))
    for v in (1.0, 2.0, 0.5):
        by_torch("softplus", [v], [real(3, 4)], lambda x: F.softplus(x, v))
        by_torch("elu", [v], [real(3, 4)], lambda x: F.elu(x, v))
        by_torch("leaky_relu", [v / 8], [real(3, 4)], lambda x: F.leaky_relu(x, v / 8))
    by_torch("softplus", [1], [real(7, lo=-90, hi=90)], lambda x: F.softplus(x, 1, 1e9))
    for s, ax in (((5,), 0), ((2, 3), -1), ((2, 3), 0), ((2, 3, 4), 1), ((0, 3), 1), ((2, 1), 1)):
        by_torch("softmax", [ax], [real(*s)], lambda x: torch.softmax(x, ax))
        by_torch("log_softmax", [ax], [real(*s)], lambda x: torch.log_softmax(x, ax))
    big = np.array([1000.0, -1000, 999, 0])
    by_torch("softmax", [0], [big], lambda x: torch.softmax(x, 0))
    by_torch("log_softmax", [0], [big], lambda x: torch.log_softmax(x, 0))


def torch_creation():
    import torch

    f8 = torch.float64
    for s in ((), (3,), (2, 0), (2, 3)):
        by_torch("full", [list(s), 2.5], [], lambda: torch.full(s, 2.5, dtype=f8))
        by_torch("zeros", [list(s)], [], lambda: torch.zeros(s, dtype=f8))
        by_torch("ones", [list(s)], [], lambda: torch.ones(s, dtype=f8))
        x = real(*s)
        by_torch("full_like", [1.5], [x], lambda t: torch.full_like(t, 1.5), grad=False)
        by_torch("zeros_like", [], [x], torch.zeros_like, grad=False)
        by_torch("ones_like", [], [x], torch.ones_like, grad=False)
        by_torch("copy", [], [x], torch.clone)
        by_torch("detach", [], [x], torch.detach)
    for a in ((0, 5, 1), (2, -3, -1), (0, 1, 0.25), (1, 1, 1), (0.5, 3, 1)):
        by_torch("arange", [list(a)], [], lambda: torch.arange(*a, dtype=f8))
    for a, b, n in ((0, 1, 5), (-1, 3, 1), (2, -2, 9), (0, 1, 0)):
        for end in (True, False):
            emit("linspace", [[a, b, n], end], [], [np.linspace(a, b, n, endpoint=end)])
    for s, ax in (((4,), 0), ((2, 3), 0), ((2, 3), 1), ((2, 0, 3), -1)):
        emit("iota", [list(s), ax], [], [np.indices(s).astype("f8")[ax]])
    for r, c, k in ((3, 3, 0), (2, 4, 1), (4, 2, -1), (0, 3, 0), (3, 3, 5)):
        emit("eye", [[r, c, k]], [], [np.eye(r, c, k)])
        emit("tri", [[r, c, k]], [], [np.tri(r, c, k)])
    for s in ((), (4,), (2, 3), (0,)):
        by_torch("one_hot", [3], [ints(*s, lo=0, hi=3)], lambda t: torch.nn.functional.one_hot(t, 3).to(f8))
    for x in (real(2, 3), ints(4), bools(3)):
        by_torch("cast", ["i64"], [x], lambda t: t.long())
        by_torch("cast", ["bool"], [x], lambda t: t.bool())
        by_torch("cast", ["u8"], [np.abs(x)], lambda t: t.to(torch.uint8))
        by_torch("cast", ["f64"], [x], lambda t: t.to(f8))
    emit("bitcast", ["i32"], [ints(3, dtype="i4")], [])
    lines.append(lines[-1].replace("in ", "out "))
    z = np.array([0.0, -0.0, 2.0 ** -1000, np.inf])
    emit("bitcast", ["f64"], [(z[:1]).view("i8")], [z[:1]])


def torch_shape():
    import torch

    x = real(2, 3, 4)
    for d in ([6, 4], [24], [-1, 2], [2, 3, 4, 1], [3, -1, 2]):
        by_torch("reshape", [d], [x], lambda t: t.reshape(d))
    by_torch("reshape", [[]], [real(1)], lambda t: t.reshape(()))
    by_torch("reshape", [[0, 5]], [real(2, 0)], lambda t: t.reshape(0, 5))
    for a, b in ((0, -1), (1, 2), (0, 1), (1, 1)):
        by_torch("flatten", [[a, b]], [x], lambda t: t.flatten(a, b))
    for p in ([0, 1, 2], [2, 0, 1], [1, -1, 0]):
        by_torch("permute", [p], [x], lambda t: t.permute(p))
    by_torch("permute", [None], [x], lambda t: t.permute(2, 1, 0))
    for a, b in ((0, 1), (0, -1), (1, 1)):
        by_torch("swap_axes", [[a, b]], [x], lambda t: t.swapaxes(a, b))
        by_torch("move_axis", [[a, b]], [x], lambda t: torch.movedim(t, a, b))
    y = real(1, 3, 1)
    by_torch("squeeze", [None], [y], lambda t: t.squeeze())
    by_torch("squeeze", [[0]], [y], lambda t: t.squeeze(0))
    by_torch("squeeze", [[0, -1]], [y], lambda t: t.squeeze((0, -1)))
    for a in (0, 1, -1, 2):
        by_torch("expand_dims", [a], [real(2, 3)], lambda t: t.unsqueeze(a))
    by_torch("expand_dims", [0], [real()], lambda t: t.unsqueeze(0))
    for s, d in (((3,), [2, 3]), ((), [2, 2]), ((2, 1), [2, 4]), ((1,), [0]), ((1, 3), [2, 2, 3])):
        by_torch("broadcast_to", [d], [real(*s)], lambda t: t.broadcast_to(d))
    by_torch("flip", [None], [x], lambda t: t.flip([0, 1, 2]))
    by_torch("flip", [[1]], [x], lambda t: t.flip([1]))
    by_torch("flip", [[0, -1]], [x], lambda t: t.flip([0, -1]))
    for ax, st, n in ((0, 1, 1), (1, 0, 2), (-1, 1, 3), (2, 4, 0)):
        by_torch("narrow", [[ax, st, n]], [x], lambda t: t.narrow(ax, st, n))
    by_torch("concat", [0], [real(2, 3), real(1, 3), real(0, 3)], lambda *t: torch.cat(t, 0))
    by_torch("concat", [-1], [real(2, 3), real(2, 1)], lambda *t: torch.cat(t, -1))
    by_torch("concat", [0], [real(3), ints(2)], lambda *t: torch.cat(t, 0))
    for ax in (0, 1, -1):
        by_torch("stack", [ax], [real(2, 3), real(2, 3)], lambda *t: torch.stack(t, ax))
    by_torch("split_sizes", [[1, 0, 3], 2], [x], lambda t: torch.split(t, [1, 0, 3], 2))
    by_torch("split_equal", [[3, 1]], [x], lambda t: torch.tensor_split(t, 3, 1))
    by_torch("split_equal", [[2, -1]], [x], lambda t: torch.tensor_split(t, 2, -1))
    for r in ([2], [2, 1, 3], [2, 2, 1, 1], [0]):
        by_torch("tile", [r], [x], lambda t: torch.tile(t, r))
    for n, ax in ((2, 0), (3, -1), (0, 1), (1, 1)):
        by_torch("repeat", [[n, ax]], [real(2, 3)], lambda t: t.repeat_interleave(n, ax))
    for n, ax in ((1, 0), (-2, 1), (7, -1), (0, 0)):
        by_torch("roll", [[n, ax]], [x], lambda t: torch.roll(t, n, ax))
    for lo, hi, v in (([1, 0], [0, 2], 0.0), ([0, 0], [0, 0], 1.0), ([2, 1], [1, 1], -1.5)):
        by_torch("pad", [lo, hi, v], [real(2, 3)],
                 lambda t: torch.nn.functional.pad(t, (lo[1], hi[1], lo[0], hi[0]), value=v))
    for s in ((3, 4), (2, 3, 3)):
        for k in (0, 1, -1, 9):
            by_torch("tril", [k], [real(*s)], lambda t: torch.tril(t, k))
            by_torch("triu", [k], [real(*s)], lambda t: torch.triu(t, k))


def torch_reduce():
    import torch

    def fold(f, t, ax, keep):
        for a in sorted((a % t.dim() for a in ax), reverse=True):
            t = f(t, a, keepdim=keep)
        return t

    plans = [((5,), None), ((2, 3, 4), None), ((2, 3, 4), [1]), ((2, 3, 4), [0, -1]), ((1, 3), [0]), ((), None)]
    empty = [((0,), None), ((2, 0, 3), [1]), ((2, 0, 3), [0])]
    for s, axes in plans + empty:
        for keep in (False, True):
            ax = list(range(len(s))) if axes is None else axes
            x, g = distinct(*s), [axes, keep]
            by_torch("sum", g, [x], lambda t: t.sum(ax, keepdim=keep))
            by_torch("prod", g, [real(*s, lo=0.5, hi=1.5)], lambda t: fold(torch.prod, t, ax, keep))
            by_torch("all", g, [bools(*s)], lambda t: fold(torch.all, t, ax, keep))
            by_torch("any", g, [bools(*s)], lambda t: fold(torch.any, t, ax, keep))
            by_torch("sum", g, [ints(*s)], lambda t: t.sum(ax, keepdim=keep))
            if ax:
                by_torch("logsumexp", g, [x], lambda t: torch.logsumexp(t, ax, keepdim=keep))
            if not keep:
                by_torch("count_nonzero", [axes], [ints(*s, lo=0, hi=2)],
                         lambda t: torch.count_nonzero(t, ax) if ax else (t != 0).long())
            if (s, axes) in empty:
                continue
            by_torch("mean", g, [x], lambda t: t.mean(ax, keepdim=keep))
            by_torch("max", g, [x], lambda t: torch.amax(t, ax, keepdim=keep))
            by_torch("min", g, [x], lambda t: torch.amin(t, ax, keepdim=keep))
            by_torch("max", g, [ints(*s)], lambda t: torch.amax(t, ax, keepdim=keep))
            if len(s) == 0:
                continue
            for corr in (0, 1):
                if s != (1, 3):
                    by_torch("var", [axes, corr, keep], [x], lambda t: torch.var(t, ax, correction=corr, keepdim=keep))
                    by_torch("std", [axes, corr, keep], [x], lambda t: torch.std(t, ax, correction=corr, keepdim=keep))
            for p in (1, 2, 3, np.inf, -np.inf, 0):
                z = np.abs(x) if np.isinf(p) else x
                by_torch("norm", [p, axes, keep], [z if not np.isinf(p) else distinct(*s) + 40],
                         lambda t: torch.linalg.vector_norm(t, p, ax, keepdim=keep), grad=p != 0)
    tied = np.array([[2.0, 2, 1], [0, 3, 3]])
    for name, f in (("max", torch.amax), ("min", torch.amin)):
        by_torch(name, [[1], False], [tied], lambda t: f(t, 1))
        by_torch(name, [[0], False], [np.array([[1.0, np.nan], [2.0, 0.0]])], lambda t: f(t, 0), grad=False)
    nans = np.array([1.0, np.nan, 2, np.nan])
    for name, f, nf in (("argmax", torch.argmax, np.argmax), ("argmin", torch.argmin, np.argmin)):
        for s, ax in (((5,), 0), ((2, 3, 4), 1), ((2, 3, 4), -1)):
            for keep in (False, True):
                by_torch(name, [ax, keep], [distinct(*s)], lambda t: f(t, ax, keep), grad=False)
        by_torch(name, [None, False], [distinct(2, 3)], f, grad=False)
        emit(name, [1, False], [tied], [nf(tied, 1)])
        emit(name, [0, False], [nans], [np.array(nf(nans, 0))])
    for s, ax in (((5,), 0), ((2, 3, 4), 1), ((2, 3), -1), ((0, 2), 0), ((1,), 0)):
        x = distinct(*s)
        by_torch("cumsum", [ax, False], [x], lambda t: t.cumsum(ax))
        by_torch("cumsum", [ax, True], [x], lambda t: t.flip([ax]).cumsum(ax).flip([ax]))
        by_torch("cumprod", [ax], [real(*s, lo=0.5, hi=1.5)], lambda t: t.cumprod(ax))
        by_torch("cumsum", [ax, False], [ints(*s)], lambda t: t.cumsum(ax))
        if s != (0, 2):
            by_torch("cummax", [ax], [x], lambda t: t.cummax(ax)[0])
            by_torch("cummin", [ax], [x], lambda t: t.cummin(ax)[0])


def torch_select():
    import torch

    x = real(4, 3, 2)
    for s, ax, top in (((2,), 0, 4), ((2, 2), 1, 3), ((), -1, 2), ((0,), 0, 4)):
        by_torch("take", [ax], [x, ints(*s, lo=0, hi=top)], lambda t, ix: torch.index_select(t, ax, ix.reshape(-1)).reshape(
            t.shape[:ax % 3] + ix.shape + t.shape[ax % 3 + 1:]))
    y = real(3, 4)
    for ax, s in ((0, (2, 4)), (1, (3, 2)), (-1, (3, 6))):
        i = ints(*s, lo=0, hi=3)
        by_torch("take_along", [ax], [y, i], lambda t, ix: torch.take_along_dim(t, ix, ax))
        by_torch("add_along", [ax], [y, i, real(*s)], lambda t, ix, v: t.scatter_add(ax, ix, v))
        if s[ax] < 4:
            u = np.argsort(rng.random(y.shape), axis=ax)
            u = u[:2] if ax == 0 else u[:, :2]
            by_torch("put_along", [ax], [y, u, real(*s)], lambda t, ix, v: t.scatter(ax, ix, v))
    by_torch("masked_fill", [-1.5], [y, bools(3, 4)], lambda t, m: t.masked_fill(m, -1.5))
    by_torch("masked_fill", [7], [y, bools(4)], lambda t, m: t.masked_fill(m, 7))
    by_torch("masked_select", [], [y, bools(3, 4)], torch.masked_select)
    by_torch("masked_select", [], [y, np.zeros((3, 4), bool)], torch.masked_select)
    by_torch("nonzero", [], [ints(3, 4, lo=0, hi=2)], torch.nonzero)
    by_torch("nonzero", [], [np.zeros(3, "i8")], torch.nonzero)
    for k in (0, 1, -2, 3, -1):
        by_torch("diagonal", [k], [y], lambda t: torch.diagonal(t, k, -2, -1))
        by_torch("diagonal", [k], [real(2, 4, 4)], lambda t: torch.diagonal(t, k, -2, -1))
        by_torch("diag", [k], [y], lambda t: torch.diag(t, k))
        by_torch("diag", [k], [real(3)], lambda t: torch.diag(t, k))
    ties = np.array([[2.0, 1, 2, 1, 3, 0], [0, 0, 0, 5, 4, 5]])
    for z in (distinct(6), distinct(3, 4), ties, ints(3, 4), real(0), real(1)):
        for ax in (0, -1):
            for d in (False, True):
                by_torch("sort", [ax, d], [z], lambda t: tuple(torch.sort(t, dim=ax, descending=d, stable=True)))
                by_torch("argsort", [ax, d], [z], lambda t: torch.argsort(t, dim=ax, descending=d, stable=True), grad=False)
    nans = np.array([2.0, np.nan, -np.inf, 1, np.inf, np.nan, 0])
    by_torch("sort", [0, False], [nans], lambda t: tuple(torch.sort(t, stable=True)), grad=False)
    for z, k, ax in ((distinct(6), 3, 0), (distinct(3, 5), 2, 1), (distinct(5, 3), 4, 0), (distinct(4), 0, 0), (distinct(4), 4, 0)):
        for largest in (True, False):
            by_torch("top_k", [[k, ax], largest], [z], lambda t: tuple(torch.topk(t, k, ax, largest)))
    flat = np.array([1.0, 3, 3, 2, 3, 1])  # ties: the lower place first, as in JAX
    o = np.argsort(-flat, kind="stable")[:4]
    emit("top_k", [[4, 0], True], [flat], [flat[o], o])
    grid = np.array([-1.0, 0, 0, 1.5, 2])
    for right in (False, True):
        by_torch("searchsorted", [right], [grid, np.array([[-2.0, -1, 0], [1, 2, 3]])],
                 lambda a, v: torch.searchsorted(a, v, right=right), grad=False)
    for s, ax in (((5,), 0), ((4, 6), 1), ((4, 6), 0)):
        for keep in (False, True):
            by_torch("median", [ax, True, keep], [distinct(*s)], lambda t: torch.median(t, ax, keep)[0])
            by_torch("median", [ax, False, keep], [distinct(*s)], lambda t: torch.quantile(t, 0.5, ax, keep))


def torch_linalg():
    import torch

    for s, t in (((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 4)), ((2, 3), (3, 4)), ((5, 2, 3), (3, 4)), ((5, 2, 3), (5, 3, 1)),
                 ((2, 1, 2, 3), (3, 3, 2)), ((5, 2, 3), (3,)), ((0, 3), (3, 2)), ((2, 0), (0, 2))):
        by_torch("matmul", [], [real(*s), real(*t)], torch.matmul)
    by_torch("matmul", [], [ints(2, 3), ints(3, 2)], torch.matmul)
    for a, b in (([1], [0]), ([0, 1], [2, 0]), ([-1], [-1]), ([], [])):
        s, t = [3, 4], [2, 3, 2]
        for i, j in zip(a, b):
            t[j] = s[i]
        by_torch("tensordot", [a, b], [real(*s), real(*t)], lambda x, y: torch.tensordot(x, y, dims=(a, b)))
    by_torch("outer", [], [real(3), real(4)], torch.outer)
    by_torch("outer", [], [real(0), real(4)], torch.outer)
    by_torch("diagonal_sum", [], [real(3, 3)], torch.trace)
    by_torch("diagonal_sum", [], [real(2, 4)], torch.trace)
    for s in ((3, 3), (2, 4, 4), (1, 1)):
        m = real(*s)
        spd = np.floor((m @ np.swapaxes(m, -1, -2) + 2 * np.eye(s[-1])) * 64) / 64
        spd = np.tril(spd) + np.swapaxes(np.tril(spd, -1), -1, -2)
        # only the lower triangle is read, and only it has a derivative
        by_torch("cholesky", [], [spd], lambda t: torch.linalg.cholesky(torch.tril(t) + torch.tril(t, -1).mT))
        a, b = real(*s, lo=-1, hi=1) + 3 * np.eye(s[-1]), real(*s[:-1], 2)
        for lower in (True, False):
            for trans in (False, True):
                for unit in (False, True):
                    def solve(t, v):
                        low = torch.tril(t) if lower else torch.triu(t)
                        if unit:
                            low = low - torch.diag_embed(torch.diagonal(low, 0, -2, -1)) + torch.eye(s[-1], dtype=t.dtype)
                        return torch.linalg.solve_triangular(low.mT if trans else low, v, upper=lower == trans)
                    by_torch("solve_triangular", [[lower, trans, unit]], [np.tril(a) if lower else np.triu(a), b], solve)
        by_torch("solve", [], [a, b], torch.linalg.solve)
        by_torch("inv", [], [a], torch.linalg.inv)
        by_torch("det", [], [a], torch.linalg.det)
    by_torch("solve", [], [real(3, 3, lo=-1, hi=1) + 3 * np.eye(3), real(3)], torch.linalg.solve)
    specs = [("ij,jk->ik", (2, 3), (3, 4)), ("ij,jk", (2, 3), (3, 4)), ("ii->i", (3, 3)), ("ii", (3, 3)), ("ij->ji", (2, 3)),
             ("i,j->ij", (2,), (3,)), ("b...i,ij->b...j", (2, 3, 4), (4, 2)), ("...ij->...ji", (2, 3, 4)), ("ijk->", (2, 3, 2)),
             ("ij,ij->", (2, 3), (2, 3)), ("bi,bj,bk->bijk", (2, 2), (2, 3), (2, 2)), ("i,i,i->i", (3,), (3,), (3,)),
             ("...,...->...", (2, 3), (3,)), ("ba", (2, 3)), ("iij->j", (2, 2, 3)), ("i->", (0,)), ("ij,jk->ik", (2, 0), (0, 3)),
             ("bhqd,bhkd->bhqk", (2, 1, 3, 2), (2, 1, 4, 2)), (",ij->ij", (), (2, 3)), ("ij,kl->", (2, 2), (2, 3))]
    pick = random.Random(9)
    while len(specs) < 70:
        size = {c: pick.choice([1, 2, 3]) for c in "abcde"}
        ops = ["".join(pick.choice("abcde") for _ in range(pick.randint(0, 3))) for _ in range(pick.randint(1, 3))]
        used = sorted(set("".join(ops)))
        out = "".join(pick.sample(used, pick.randint(0, len(used))))
        if len(out) <= 3:
            specs.append((",".join(ops) + "->" + out, *[tuple(size[c] for c in o) for o in ops]))
    for spec, *shapes in specs:
        by_torch("einsum", [spec], [real(*s) for s in shapes], lambda *t: torch.einsum(spec, *t))


def torch_norms():
    import torch
    F = torch.nn.functional

    x = real(2, 3, 4)
    for n in (1, 2):
        s = x.shape[-n:]
        for aff in (True, False):
            w, b = (real(*s), real(*s)) if aff else (None, None)
            by_torch("layer_norm", [n, 1e-5], [x, w, b], lambda t, w_, b_: F.layer_norm(t, s, w_, b_))
            by_torch("rms_norm", [n, 1e-6], [x, w], lambda t, w_: F.rms_norm(t, s, w_, 1e-6))
    for s in ((4, 3), (2, 3, 5), (2, 3, 2, 3), (2, 3, 2, 2, 1)):
        for aff in (True, False):
            t, w, b = real(*s), *((real(3), real(3)) if aff else (None, None))
            m, v = real(3), real(3, lo=0.5, hi=2)
            ax = [a for a in range(len(s)) if a != 1]
            by_torch("batch_norm", [False, 1e-5], [t, m, v, w, b], F.batch_norm, wrt=[0, 3, 4])
            by_torch("batch_norm", [True, 1e-5], [t, None, None, w, b], lambda t_, m_, v_, w_, b_: (
                F.batch_norm(t_, None, None, w_, b_, True), t_.mean(ax), t_.var(ax, unbiased=False)))
    for s, g in (((2, 4, 3), 2), ((2, 4, 2, 2), 4), ((3, 4), 1)):
        by_torch("group_norm", [g, 1e-5], [real(*s), real(4), real(4)], lambda t, w, b: F.group_norm(t, g, w, b))
        by_torch("group_norm", [g, 1e-5], [real(*s), None, None], lambda t, w, b: F.group_norm(t, g))


def torch_losses():
    import torch
    F = torch.nn.functional

    for red, h in {"none": 0, "mean": 1, "sum": 2}.items():
        for s in ((3, 4), (5,), ()):
            a, b = distinct(*s, step=0.25), real(*s) + 1 / 128
            p, q = real(*s, lo=0.1, hi=0.9), real(*s, lo=0.1, hi=0.9)
            by_torch("mse_loss", [h], [a, b], lambda u, v: F.mse_loss(u, v, reduction=red))
            by_torch("l1_loss", [h], [a, b], lambda u, v: F.l1_loss(u, v, reduction=red))
            for beta in (1.0, 0.5):
                by_torch("smooth_l1_loss", [beta, h], [a, b], lambda u, v: F.smooth_l1_loss(u, v, reduction=red, beta=beta))
            by_torch("bce_loss", [h], [p, q], lambda u, v: F.binary_cross_entropy(u, v, reduction=red), wrt=[0])
            by_torch("bce_with_logits", [h], [a, q], lambda u, v: F.binary_cross_entropy_with_logits(u, v, reduction=red))
            by_torch("kl_div", [h], [a, p], lambda u, v: F.kl_div(u, v, reduction=red))
        by_torch("bce_loss", [h], [np.array([0.0, 1, 0, 1]), np.array([0.0, 1, 1, 0])],
                 lambda u, v: F.binary_cross_entropy(u, v, reduction=red), grad=False)
        by_torch("kl_div", [h], [real(3), np.array([0.0, 0.5, 0.5])], lambda u, v: F.kl_div(u, v, reduction=red), wrt=[0])
        for s in ((4, 3), (3,), (2, 3, 2)):
            a = real(*s)
            ts = (s[:1] + s[2:]) if len(s) > 1 else ()
            cls = ints(*ts, lo=0, hi=3)
            ign = cls.copy()
            if ts:
                ign.reshape(-1)[0] = -100
            for w in (None, real(3, lo=0.5, hi=2)):
                for t in (cls, ign) if ts else (cls,):
                    for smooth in (0.0, 0.125):
                        by_torch("cross_entropy", [-100, smooth, h], [a, t, w],
                                 lambda u, v, w_: F.cross_entropy(u, v, w_, reduction=red, label_smoothing=smooth), wrt=[0])
                    by_torch("nll_loss", [-100, h], [a, t, w], lambda u, v, w_: F.nll_loss(u, v, w_, reduction=red), wrt=[0])
                prob = real(*s, lo=0.1, hi=1)
                for smooth in (0.0, 0.125):
                    by_torch("cross_entropy", [-100, smooth, h], [a, prob, w],
                             lambda u, v, w_: F.cross_entropy(u, v, w_, reduction=red, label_smoothing=smooth), wrt=[0, 1])


def torch_conv():
    import torch
    F = torch.nn.functional

    convs = {1: (F.conv1d, F.conv_transpose1d), 2: (F.conv2d, F.conv_transpose2d), 3: (F.conv3d, F.conv_transpose3d)}
    for n, (conv, convt) in convs.items():
        size = {1: [7], 2: [5, 4], 3: [3, 4, 3]}[n]
        kern = {1: [3], 2: [2, 3], 3: [2, 2, 1]}[n]
        for st, pad, dil, gr in ((1, 0, 1, 1), (2, 1, 1, 1), (1, 1, 2, 2), (2, 0, 1, 4), (3, 2, 2, 1)):
            if n == 3 and gr != 1:
                continue
            sp, pp, dp = [st] * n, [pad] * n, [dil] * n
            ch = 4 if gr > 1 else 2
            bias = real(4) if gr != 4 else None
            by_torch("conv", [n, sp, pp, dp, gr], [real(2 if n < 2 else 1, ch, *size), real(4, ch // gr, *kern), bias],
                     lambda t, w, b: conv(t, w, b, sp, pp, dp, gr))
            for op in (0, 1) if st > 1 else (0,):
                small = [max(2, s - 2) + (n == 3) for s in size]
                by_torch("conv_transpose", [n, sp, pp, [op] * n, dp, gr], [real(1, ch, *small), real(ch, 4 // gr, *kern), bias],
                         lambda t, w, b: convt(t, w, b, sp, pp, [op] * n, gr, dp))
        by_torch("conv", [n, None, None, None, 1], [real(1, 2, *size), real(1, 2, *kern), None], lambda t, w, b: conv(t, w))
    by_torch("conv", [2, [1, 2], [0, 1], [2, 1], 1], [real(1, 2, 5, 4), real(3, 2, 2, 3), real(3)],
             lambda t, w, b: F.conv2d(t, w, b, (1, 2), (0, 1), (2, 1)))
    mp = {1: F.max_pool1d, 2: F.max_pool2d, 3: F.max_pool3d}
    ap = {1: F.avg_pool1d, 2: F.avg_pool2d, 3: F.avg_pool3d}
    aa = {1: F.adaptive_avg_pool1d, 2: F.adaptive_avg_pool2d, 3: F.adaptive_avg_pool3d}
    am = {1: F.adaptive_max_pool1d, 2: F.adaptive_max_pool2d, 3: F.adaptive_max_pool3d}
    for n in (1, 2, 3):
        t = distinct(2 if n < 2 else 1, 2, *{1: [7], 2: [5, 6], 3: [3, 4, 3]}[n])
        for win, st, pad, dil in ((2, None, 0, 1), (3, 2, 1, 1), (2, 1, 0, 2), (2, 2, 1, 1)):
            g = [[win] * n, None if st is None else [st] * n, [pad] * n]
            by_torch("max_pool", [n, *g, [dil] * n], [t], lambda u: mp[n](u, win, st, pad, dil))
            if dil == 1:
                for cp in (True, False):
                    by_torch("avg_pool", [n, *g, cp], [t], lambda u: ap[n](u, win, st, pad, False, cp))
        for o in (1, 2, 3):
            by_torch("adaptive_avg_pool", [n, [o] * n], [t], lambda u: aa[n](u, [o] * n))
            by_torch("adaptive_max_pool", [n, [o] * n], [t], lambda u: am[n](u, [o] * n))


def torch_layers():
    import torch
    F = torch.nn.functional

    for s in ((2, 3), (3,), (2, 2, 3), (0, 3)):
        by_torch("linear", [], [real(*s), real(4, 3), real(4)], F.linear)
        by_torch("linear", [], [real(*s), real(4, 3), None], lambda t, w, b: F.linear(t, w))
    for s in ((), (3,), (2, 2), (0,)):
        by_torch("embedding", [], [real(5, 3), ints(*s, lo=0, hi=5)], lambda w, i: F.embedding(i, w))
    for p in (0.25, 0.5):
        by_torch("dropout", [p], [real(3, 4), bools(3, 4)], lambda t, k: t * k / (1 - p))
    for s, kv in (((3, 4), 3), ((2, 3, 4), 5), ((2, 2, 3, 4), 3)):
        q, k, v = real(*s), real(*s[:-2], kv, 4), real(*s[:-2], kv, 2)
        seen = bools(3, kv)
        seen[:, 0] = seen[:, -1] = True
        for scale in (0.0, 0.5):
            for causal in (False, True):
                by_torch("attention", [causal, scale], [q, k, v, None], lambda a, b, c, d: F.scaled_dot_product_attention(
                    a, b, c, is_causal=causal, scale=scale or None))
        by_torch("attention", [False, 0], [q, k, v, seen], F.scaled_dot_product_attention)
        by_torch("attention", [False, 0], [q, k, v, real(3, kv)], F.scaled_dot_product_attention)


# ---- promotion -------------------------------------------------------------------------------------------

LONG = {"bool": "bool", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64", "u8": "uint8", "u16": "uint16",
        "u32": "uint32", "u64": "uint64", "f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64"}
SHORT = {v: k for k, v in LONG.items()}
HOST = {"boolw": True, "i64w": 1, "f32w": 1.0}


def promotion(file, kinds, make, result):
    for a in kinds:
        for b in kinds:
            if not (a in HOST and b in HOST):
                lines.append(f"{a} {b} {result(HOST.get(a) if a in HOST else make(a), HOST.get(b) if b in HOST else make(b))}")
    write(file)


def promote_torch():
    import torch

    def make(a):
        return torch.ones(() if a[-1] == "z" else 1, dtype=getattr(torch, LONG[a.rstrip("z")]))

    def result(a, b):
        try:
            return SHORT[str(torch.result_type(a, b)).split(".")[1]]
        except RuntimeError:
            return "invalid"
    promotion("promote_torch.txt", list(LONG) + [d + "z" for d in LONG] + list(HOST), make, result)


def promote_jax():
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)

    def result(a, b):  # a weak float is the default float: f32
        dtype, weak = jax.dtypes.result_type(a, b, return_weak_type_flag=True)
        return "f32" if weak and dtype.kind == "f" else SHORT[dtype.name]
    promotion("promote_jax.txt", list(LONG) + list(HOST), lambda a: jnp.ones(1, LONG[a]), result)


def promote_numpy():
    promotion("promote_numpy.txt", [d for d in LONG if d != "bf16"] + list(HOST), lambda a: np.ones(1, LONG[a]),
              lambda a, b: SHORT[np.result_type(a, b).name])


# ---- NumPy's indexing --------------------------------------------------------------------------------------


def random_index(pick, shape):
    """(text, arrays, index): parts iK, sA:B:C (`_`: left out), e, n, t (the next array)."""
    text, arrays, index = [], [], []
    axis, ellipsis = 0, False
    fancy = pick.choice([None, (2,), (2, 1), (3,), ()])
    while axis < len(shape) and pick.random() < 0.9:
        d, kind = shape[axis], pick.choice("iisssssnettm")
        if kind == "i" and d:
            k = pick.randrange(-d, d)
            text.append(f"i{k}")
            index.append(k)
            axis += 1
        elif kind == "s":
            a, b = (pick.choice([None, pick.randint(-d - 2, d + 2)]) for _ in range(2))
            c = pick.choice([None, None, 1, 2, -1, -2, 3])
            text.append("s" + ":".join("_" if v is None else str(v) for v in (a, b, c)))
            index.append(slice(a, b, c))
            axis += 1
        elif kind == "n" and len(index) < 6:
            text.append("n")
            index.append(None)
        elif kind == "e" and not ellipsis:
            text.append("e")
            index.append(Ellipsis)
            ellipsis = True
            axis += pick.randint(0, len(shape) - axis)
        elif (kind == "t" and d and fancy is not None) or (kind == "m" and d and fancy is None):
            t = bools(d) if kind == "m" else rng.integers(-d, d, pick.choice([fancy, (1,)])).astype("i8")
            text.append("t")
            arrays.append(t)
            index.append(t)
            axis += 1
            if kind == "m":
                break
    return text, arrays, tuple(index)


def numpy_indexing():
    pick = random.Random(11)
    done = 0
    while done < 300:
        s = pick.choice([(5,), (3, 4), (2, 3, 4), (2, 1, 3), (0, 3), ()])
        text, arrays, index = random_index(pick, s)
        x = real(*s)
        try:
            y = np.array(x[index])
        except IndexError:
            continue
        if y.size > 16 or not text:
            continue
        t = ",".join(text)
        gx = np.zeros(s)
        np.add.at(gx, index, weights(y.shape))
        emit("index_get", [t], [x] + arrays, [y], {0: gx})
        done += 1
        if done % 2:
            continue
        w, v = weights(s), real(*y.shape) if done % 3 else real()
        gv = w[index] if done % 3 else np.array(np.sum(w[index]))
        z = x.copy()
        np.add.at(z, index, v)
        emit("index_add", [t], [x] + arrays + [v], [z], {0: w, len(arrays) + 1: gv})
        places = np.arange(x.size).reshape(s)[index]
        z, keep = x.copy(), np.ones(s)
        z[index] = v
        keep[index] = 0
        once = np.unique(places).size == places.size  # else the last one stays; derivatives differ by library
        emit("index_set", [t], [x] + arrays + [v], [z], {0: w * keep, len(arrays) + 1: gv} if once else {})
    mask, x = bools(3, 4), real(3, 4, 2)
    emit("index_get", ["t"], [x, mask], [x[mask]])
    emit("index_get", ["t,i1"], [x, mask], [x[mask, 1]])
    x = real(2, 3, 4)
    emit("index_get", ["i1,t"], [x, mask], [x[1, mask]])
    emit("index_get", ["s_:_:_,t"], [x, mask], [x[:, mask]])
    write("numpy_index.txt")


# ---- PyTorch, what came later: numbers of its own, so that it can be made alone ---------------------------


def torch_more():
    import torch
    global rng
    F = torch.nn.functional
    rng = np.random.default_rng(5)

    for s in SHAPES:
        by_torch("erfc", [], [real(*s)], torch.erfc)
    by_torch("erfc", [], [EDGE], torch.erfc, edge=True, grad=False)
    modes = ["constant", "reflect", "replicate", "circular"]
    for k, mode in enumerate(modes):
        for lo, hi in [((0, 0, 2, 1), (0, 0, 1, 2)), ((0, 0, 0, 3), (0, 0, 1, 0))]:
            pads = [lo[3], hi[3], lo[2], hi[2]]
            by_torch("pad_with", [lo, hi, k, 1.5], [real(2, 1, 4, 5)],
                     lambda x: F.pad(x, pads, mode, *([1.5] if mode == "constant" else [])))
    for axis in (0, -1):
        by_torch("logcumsumexp", [axis], [real(3, 5, lo=-9, hi=9)], lambda x: torch.logcumsumexp(x, axis))
        by_torch("diff", [[1, axis]], [real(3, 5)], lambda x: torch.diff(x, dim=axis))
        by_torch("diff", [[2, axis]], [real(3, 5)], lambda x: torch.diff(x, 2, dim=axis))
        by_torch("trapezoid", [0.5, axis], [real(3, 5), None], lambda x, y: torch.trapezoid(x, dx=0.5, dim=axis))
    by_torch("trapezoid", [1, 1], [real(3, 5), np.sort(real(5))], lambda y, x: torch.trapezoid(y, x, dim=1))
    by_torch("trapezoid", [1, 1], [real(3, 5), np.sort(real(3, 5), 1)], lambda y, x: torch.trapezoid(y, x, dim=1))
    index = np.array([2, 0, 2])
    by_torch("add_slices", [1], [real(2, 4), index, real(2, 3)], lambda x, i, v: x.index_add(1, i, v))
    by_torch("add_slices", [0], [real(3, 2), index, real(3, 2)], lambda x, i, v: x.index_add(0, i, v))
    by_torch("put_slices", [1], [real(2, 4), index[:2], real(2, 2)], lambda x, i, v: x.index_copy(1, i, v))
    by_torch("put_slices", [1], [real(2, 4), index[:2], real()], lambda x, i, v: x.index_fill(1, i, v))
    for kind, name in enumerate([None, "sum", "prod", "amax", "amin", "mean"]):
        x, v, i = distinct(3, 4), real(2, 3, lo=0.3), np.array([[0, 1, 0], [3, 3, 2]])
        if name is None:
            by_torch("scatter_along", [1, kind, 1], [x, np.array([[0, 1], [3, 2]]), v[:, :2]],
                     lambda x, i, v: x.scatter(1, i, v))
            continue
        for old in (True, False):
            by_torch("scatter_along", [1, kind, int(old)], [x, i, v],
                     lambda x, i, v: x.scatter_reduce(1, i, v, name, include_self=old))
    by_torch("scatter_along", [1, 1, 1], [real(3, 4), np.array([[0, 1], [3, 3]]), real(3, 3)],
             lambda x, i, v: x.scatter_add(1, i, v), grad=False)
    mask = bools(3, 4)
    by_torch("masked_scatter", [], [real(3, 4), mask, real(12)], lambda x, m, v: x.masked_scatter(m, v))
    by_torch("masked_scatter", [], [real(2, 3, 4), mask, real(5, 6)], lambda x, m, v: x.masked_scatter(m, v))
    for axis in (0, 1):
        by_torch("kth_value", [2, axis, 0], [distinct(3, 4)], lambda x: torch.kthvalue(x, 2, axis))
        by_torch("kth_value", [3, axis, 1], [distinct(3, 4)], lambda x: torch.kthvalue(x, 3, axis, True))
    many = ints(4, 5, lo=0, hi=3)
    by_torch("mode", [1, 0], [many], lambda x: torch.mode(x, 1))
    by_torch("mode", [0, 1], [many], lambda x: torch.mode(x, 0, True))
    for x in (ints(3, 4, lo=0, hi=5), ints(1), ints(0), ints(7, lo=2, hi=3)):
        by_torch("unique", [], [x], lambda x: torch.unique(x, return_inverse=True, return_counts=True))
    by_torch("unique", [], [np.array([2.5, -1, 2.5, 0.5])],
             lambda x: torch.unique(x, return_inverse=True, return_counts=True), grad=False)
    by_torch("bincount", [0, -1], [ints(9, lo=0, hi=5), None], lambda x, w: torch.bincount(x))
    by_torch("bincount", [8, -1], [ints(9, lo=0, hi=5), real(9)], lambda x, w: torch.bincount(x, w.detach(), 8), grad=False)
    by_torch("bincount", [3, -1], [ints(0), None], lambda x, w: torch.bincount(x, minlength=3))
    for lo, hi in ((0, 0), (-1, 1.5), (0.5, 0.5)):
        by_torch("histogram", [5, lo, hi], [real(20)], lambda x: torch.histc(x, 5, lo, hi), grad=False)
    by_torch("cross", [-1], [real(2, 3), real(2, 3)], lambda x, y: torch.linalg.cross(x, y, dim=-1))
    by_torch("cross", [0], [real(3, 4), real(3, 1)], lambda x, y: torch.linalg.cross(x, y, dim=0))
    by_torch("cosine_similarity", [1, 1e-8], [real(3, 4), real(3, 4)], lambda x, y: F.cosine_similarity(x, y))
    by_torch("cosine_similarity", [0, 0.5], [real(3, 4), real(3, 1)], lambda x, y: F.cosine_similarity(x, y, 0, 0.5))
    by_torch("normalize", [2, 1, 1e-12], [real(3, 4)], F.normalize)
    by_torch("normalize", [1, 0, 1e-12], [real(3, 4)], lambda x: F.normalize(x, 1, 0))
    for p in (1, 2, 3, np.inf):
        by_torch("cdist", [p], [real(2, 3, 4), real(2, 5, 4)], lambda x, y: torch.cdist(x, y, p))
    for size, w, st, pad, dil in [((5, 7), (2, 3), (2, 2), (0, 1), (1, 1)), ((6, 6), (3, 3), (2, 2), (1, 1), (1, 1)),
                                  ((5, 5), (2, 2), (3, 3), (1, 1), (1, 1)), ((7, 7), (2, 2), (2, 3), (0, 0), (2, 1))]:
        for ceil in (False, True):
            by_torch("max_pool_with", [2, w, st, pad, dil, ceil], [distinct(1, 2, *size)],
                     lambda x: F.max_pool2d(x, w, st, pad, dil, ceil, return_indices=True))
            if dil == (1, 1):
                for inside, div in ((True, 0), (False, 0), (True, 3)):
                    by_torch("avg_pool_with", [2, w, st, pad, [ceil, inside, div]], [real(1, 1, *size)],
                             lambda x: F.avg_pool2d(x, w, st, pad, ceil, inside, div or None))
    for w, dil, pad, st in [((2, 3), (1, 1), (0, 0), (1, 1)), ((2, 2), (2, 1), (1, 0), (1, 2))]:
        x = real(1, 2, 5, 6)
        by_torch("unfold", [w, dil, pad, st], [x], lambda x: F.unfold(x, w, dil, pad, st))
        shape = F.unfold(torch.tensor(x), w, dil, pad, st).shape
        by_torch("fold", [[5, 6], w, dil, pad, st], [real(*shape)], lambda x: F.fold(x, (5, 6), w, dil, pad, st))
    by_torch("pixel_shuffle", [2], [real(2, 8, 2, 3)], lambda x: F.pixel_shuffle(x, 2))
    by_torch("pixel_unshuffle", [2], [real(2, 4, 6)], lambda x: F.pixel_unshuffle(x, 2))
    for n, size, out in [(1, (5,), (8,)), (2, (4, 5), (8, 3)), (2, (3, 3), (1, 7)), (3, (2, 3, 2), (4, 2, 3))]:
        mode = ["linear", "bilinear", "trilinear"][n - 1]
        x = real(1, 2, *size)
        by_torch("interpolate", [n, out, None, [0, 0]], [x], lambda x: F.interpolate(x, out, mode="nearest"))
        for corners in (False, True):
            by_torch("interpolate", [n, out, None, [1, corners]], [x],
                     lambda x: F.interpolate(x, out, mode=mode, align_corners=corners))
    x = real(1, 2, 4, 6)
    out = F.interpolate(torch.tensor(x), scale_factor=(1.6, 2.3)).shape[2:]
    by_torch("interpolate", [2, list(out), [1.6, 2.3], [0, 0]], [x], lambda x: F.interpolate(x, scale_factor=(1.6, 2.3)))
    by_torch("interpolate", [2, list(out), [1.6, 2.3], [1, 0]], [x],
             lambda x: F.interpolate(x, scale_factor=(1.6, 2.3), mode="bilinear"))

    def upright(v):  # the largest element of every column positive
        v = v.detach()
        return torch.where(torch.gather(v, -2, v.abs().argmax(-2, keepdim=True)) < 0, -1.0, 1.0).double()

    def eigh(t):
        w, v = torch.linalg.eigh(torch.tril(t) + torch.tril(t, -1).mT)
        return w, v * upright(v)

    def svd(t):
        u, s, vt = torch.linalg.svd(t, full_matrices=False)
        sign = upright(u) if t.shape[-2] >= t.shape[-1] else upright(vt.mT)
        return u * sign, s, vt * sign.mT

    for s in ((3, 3), (4, 2), (2, 4), (2, 3, 3), (1, 1)):
        by_torch("qr", [False], [real(*s)], torch.linalg.qr)
        by_torch("svd", [], [real(*s)], svd)
        if s[-1] == s[-2]:
            by_torch("eigh", [], [real(*s)], eigh)
    by_torch("qr", [True], [real(4, 2)], lambda t: torch.linalg.qr(t, mode="complete"), grad=False)


# ---- JAX: where its derivative is the rule -----------------------------------------------------------------


def jax_singular():
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)

    def by_jax(name, groups, ins, f):
        def loss(*a):
            y = f(*a)
            return jnp.sum(y * weights(y.shape))
        grads = jax.grad(loss, tuple(range(len(ins))))(*ins)
        emit(name, groups, ins, [np.asarray(f(*ins))], {k: np.asarray(g) for k, g in enumerate(grads)})
    kinks, other = np.array([0.0, 1, -1, 0, 2]), np.array([0.0, 1, 1, -1, 2])
    by_jax("abs", [], [kinks], jnp.abs)
    by_jax("sign", [], [kinks], jnp.sign)
    by_jax("relu", [], [kinks], jax.nn.relu)
    by_jax("maximum", [], [kinks, other], jnp.maximum)
    by_jax("minimum", [], [kinks, other], jnp.minimum)
    tied = np.array([[2.0, 2, 1], [0, 3, 3], [1, 1, 1]])
    by_jax("max", [[1], False], [tied], lambda x: jnp.max(x, 1))
    by_jax("min", [[1], False], [tied], lambda x: jnp.min(x, 1))
    zero = np.array([[0.0, 2, 1], [0, 3, 0], [1, 1, 1]])
    by_jax("prod", [[1], False], [zero], lambda x: jnp.prod(x, 1))
    by_jax("cumprod", [1], [zero], lambda x: jnp.cumprod(x, 1))
    by_jax("pow", [], [np.array([0.0, 0, 2, 3.5]), np.array([2.0, 1, 0, 2])], lambda x, y: x ** y)
    for name, f in {"exp2": jnp.exp2, "log1p": jnp.log1p, "expm1": jnp.expm1, "sigmoid": jax.nn.sigmoid,
                    "silu": jax.nn.silu, "log_sigmoid": jax.nn.log_sigmoid}.items():
        by_jax(name, [], [real(3, 4, lo=0.1)], f)
    by_jax("logsumexp", [[1], False], [real(2, 5)], lambda x: jax.scipy.special.logsumexp(x, 1))
    by_jax("softmax", [1], [real(2, 5)], lambda x: jax.nn.softmax(x, 1))
    write("jax.txt")


if __name__ == "__main__":
    which = sys.argv[1] if len(sys.argv) > 1 else ""
    if which == "torch":
        for part in (torch_elementwise, torch_creation, torch_shape, torch_reduce, torch_select, torch_linalg, torch_norms,
                     torch_losses, torch_conv, torch_layers, torch_more):
            part()
            write(part.__name__ + ".txt")
        promote_torch()
    elif which == "torch_more":
        torch_more()
        write("torch_more.txt")
    elif which == "numpy":
        numpy_indexing()
        promote_numpy()
    elif which == "jax":
        jax_singular()
        promote_jax()
    else:
        sys.exit(__doc__)
