"""Golden cases of reductions, running combinations, sort, top_k and windows.

Sums, products and windows are plain loops, argmax is NumPy's. sort differs from NumPy's in
that NaN stays last in descending order too and equal keys keep their order.
"""

import functools
import itertools
import math
import random

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

import exact
from core import (
    DTYPES,
    FLOATS,
    INTS,
    NUMBERS,
    SUM_TOL,
    File,
    array,
    int_range,
    ints_text,
    name_of,
    round_to,
    sample,
    wrap,
)

jax.config.update("jax_enable_x64", True)


# ---- reductions ----


def fold_float(op, t, values):
    """sum and prod in higher precision, rounded once; max and min with NaN winning."""
    if op in ("sum", "prod"):
        acc = np.float64(0 if op == "sum" else 1)
        with np.errstate(all="ignore"):
            if op == "sum" and all(map(math.isfinite, values)):
                return round_to(t, math.fsum(values)) + 0.0
            for v in values:
                acc = acc + v if op == "sum" else acc * v
        return round_to(t, float(acc))
    if any(map(math.isnan, values)):
        return math.nan
    start = -math.inf if op == "max" else math.inf
    return functools.reduce(exact.maximum if op == "max" else exact.minimum, values, start)


def fold_int(op, t, values):
    lo, hi = int_range(t)
    if t == "bool":
        return any(values) if op in ("or", "max") else all(values)
    start = {"sum": 0, "prod": 1, "max": lo, "min": hi, "and": -1, "or": 0}[op]
    f = {
        "sum": lambda a, b: a + b,
        "prod": lambda a, b: a * b,
        "max": max,
        "min": min,
        "and": lambda a, b: a & b,
        "or": lambda a, b: a | b,
    }[op]
    return wrap(functools.reduce(f, values, start), t)


def fold(op, t, values):
    if t in FLOATS:
        return fold_float(op, t, [float(v) for v in values])
    return fold_int(op, t, [int(v) for v in values])


def reduced(op, x, axes):
    t = name_of(x)
    keep = [i for i in range(x.ndim) if i not in axes]
    shape = [x.shape[i] for i in keep]
    out = []
    for at in itertools.product(*(range(n) for n in shape)):
        index = [slice(None)] * x.ndim
        for i, k in zip(keep, at):
            index[i] = k
        out.append(fold(op, t, x[tuple(index)].reshape(-1)))
    return array(t, out, shape)


def reductions(f, rng):
    for t in DTYPES:
        ops = (
            ["max", "min", "and", "or"]
            if t == "bool"
            else ["sum", "prod", "max", "min"] + (["and", "or"] if t in INTS else [])
        )
        for shape, axes, special in (
            ((2, 3, 4), (1,), False),
            ((2, 3, 4), (0, 2), False),
            ((3, 4), (0, 1), True),
            ((5, 3), (0,), True),
            ((2, 3), (), False),
            ((0, 2), (0,), False),
            ((2, 0, 3), (0, 1), False),
            ((2, 0), (0,), False),
            ((), (), False),
        ):
            x = sample(rng, t, shape, special)
            outs = {f"{op}_": reduced(op, x, axes) for op in ops}
            tol = {f"{op}_": SUM_TOL[t] for op in ("sum", "prod")} if t in FLOATS and axes else None
            name = f"reduce_{t}_{'x'.join(map(str, shape)) or 'scalar'}_{''.join(map(str, axes)) or 'none'}"
            f.case(
                name,
                {"x": x},
                [f"{op}_ = reduce_{op} x axes={ints_text(axes)}" for op in ops],
                outs,
                tol,
            )
        for shape, axis in (((7,), 0), ((3, 4), 0), ((2, 3, 2), 1), ((1, 3), 0)):
            x = sample(rng, t, shape, True)
            wide = x.astype(np.float32) if t == "bf16" else x
            outs = {"a": np.argmax(wide, axis).astype(np.int32), "b": np.argmin(wide, axis)}
            f.case(
                f"arg_{t}_{'x'.join(map(str, shape))}",
                {"x": x},
                [f"a = argmax x axis={axis} dtype=i32", f"b = argmin x axis={axis} dtype=i64"],
                outs,
            )
    f.case(
        "arg_ties",
        {"x": array("i32", [1, 3, 3, 0, 0])},
        ["a = argmax x axis=0 dtype=i64", "b = argmin x axis=0 dtype=i64"],
        {"a": np.int64(1), "b": np.int64(3)},
    )
    f.case(
        "arg_nan",
        {"x": array("f32", [1, math.nan, math.inf, math.nan])},
        ["a = argmax x axis=0 dtype=i64", "b = argmin x axis=0 dtype=i64"],
        {"a": np.int64(1), "b": np.int64(1)},
    )
    f.case(
        "arg_zeros",
        {"x": array("f32", [-0.0, 0.0, -0.0])},
        ["a = argmax x axis=0 dtype=i64", "b = argmin x axis=0 dtype=i64"],
        {"a": np.int64(0), "b": np.int64(0)},
    )


def cumsums(f, rng):
    for t in NUMBERS:
        for shape, axis in (((6,), 0), ((2, 4), 1), ((3, 2), 0), ((0,), 0), ((2, 0), 1)):
            x = sample(rng, t, shape)
            fwd, bwd = np.zeros_like(x), np.zeros_like(x)
            for at in itertools.product(*(range(n) for n in shape)):
                line = [at[:axis] + (k,) + at[axis + 1 :] for k in range(shape[axis])]
                fwd[at] = fold("sum", t, [x[i] for i in line[: at[axis] + 1]])
                bwd[at] = fold("sum", t, [x[i] for i in line[at[axis] :]])
            f.case(
                f"cumsum_{t}_{'x'.join(map(str, shape))}_{axis}",
                {"x": x},
                [f"y = cumsum x axis={axis}", f"z = cumsum x axis={axis} reverse=true"],
                {"y": fwd, "z": bwd},
                SUM_TOL[t] if t in FLOATS else None,
            )


# ---- sort ----


def order(keys, descending):
    """Stable, lexicographic, NaN last in both directions, -0 equal to 0."""

    def part(v, down):
        v = float(v) if isinstance(v, (float, np.floating)) or "float" in str(type(v)) else int(v)
        nan = v != v
        return (nan, 0 if nan else -v if down else v)

    return sorted(
        range(len(keys[0])), key=lambda i: tuple(part(k[i], d) for k, d in zip(keys, descending))
    )


def sorts(f, rng):
    for t in DTYPES:
        x = sample(rng, t, (9,), True)
        n = np.arange(9, dtype=np.int32)
        for down in (0, 1):
            p = order([x], [down])
            f.case(
                f"sort_{t}_{'down' if down else 'up'}",
                {"x": x, "n": n},
                f"y, i = sort x n axis=0 descending=[{down}]",
                {"y": x[p], "i": n[p]},
            )
    x, y = array("i32", [2, 1, 2, 1, 2]), array("f64", [0.5, -1, math.nan, -0.0, -3])
    for d in itertools.product((0, 1), repeat=2):
        p = order([x, y], d)
        f.case(
            f"sort_two_keys_{d[0]}{d[1]}",
            {"x": x, "y": y},
            f"a, b = sort x y axis=0 keys=2 descending={ints_text(d)}",
            {"a": x[p], "b": y[p]},
        )
    x = sample(rng, "f32", (3, 4, 2))
    for axis in range(3):
        f.case(f"sort_axis_{axis}", {"x": x}, f"y = sort x axis={axis}", {"y": np.sort(x, axis)})
    for shape, axis in (((0,), 0), ((2, 0), 1), ((0, 2), 1), ((1,), 0)):
        x = sample(rng, "f32", shape)
        f.case(f"sort_{'x'.join(map(str, shape))}", {"x": x}, f"y = sort x axis={axis}", {"y": x})


# ---- windows ----


def windows(x, window, stride, lo, hi, base, dil):
    """For each result position, the list of (flat position in x, element) that its window covers."""
    span = [0 if n == 0 else (n - 1) * d + 1 for n, d in zip(x.shape, base)]
    wide = [(w - 1) * d + 1 for w, d in zip(window, dil)]
    size = [max(0, (s + a + b - w) // st + 1) for s, a, b, w, st in zip(span, lo, hi, wide, stride)]
    for q in itertools.product(*(range(n) for n in size)):
        found = []
        for k in itertools.product(*(range(n) for n in window)):
            p = [a * s + b * d - l for a, s, b, d, l in zip(q, stride, k, dil, lo)]
            if all(v >= 0 and v % d == 0 and v // d < n for v, d, n in zip(p, base, x.shape)):
                at = tuple(v // d for v, d in zip(p, base))
                found.append((int(np.ravel_multi_index(at, x.shape)), x[at]))
        yield size, found


def window_case(f, name, x, window, stride=None, lo=None, hi=None, base=None, dil=None):
    n = x.ndim
    t = name_of(x)
    text = f"window={ints_text(window)}"
    for key, v in (
        ("stride", stride),
        ("pad_lo", lo),
        ("pad_hi", hi),
        ("base_dilation", base),
        ("window_dilation", dil),
    ):
        if v is not None:
            text += f" {key}={ints_text(v)}"
    args = [
        window,
        stride or [1] * n,
        lo or [0] * n,
        hi or [0] * n,
        base or [1] * n,
        dil or [1] * n,
    ]
    size, best, where, sums = None, [], [], []
    for size, found in windows(x, *args):
        top = -1
        for i, v in found:
            if (
                top < 0
                or v > x.reshape(-1)[top]
                or (v != v and x.reshape(-1)[top] == x.reshape(-1)[top])
            ):
                top = i
        best.append(fold("max", t, []) if top < 0 else x.reshape(-1)[top])
        where.append(top)
        sums.append(fold("sum", t, [v for _, v in found]) if t != "bool" else False)
    if size is None:
        size = np.asarray(
            lax.reduce_window(
                jnp.zeros(x.shape),
                0.0,
                lax.add,
                window,
                args[1],
                list(zip(args[2], args[3])),
                args[4],
                args[5],
            )
        ).shape
    outs = {"v": array(t, best, size), "i": array("i64", where, size), "s": array(t, sums, size)}
    if t in FLOATS:
        check = lax.reduce_window(
            jnp.asarray(x, jnp.float64),
            0.0,
            lax.add,
            window,
            args[1],
            list(zip(args[2], args[3])),
            args[4],
            args[5],
        )
        assert np.allclose(
            np.asarray(check), outs["s"].astype(np.float64), rtol=0.1, atol=0.1, equal_nan=True
        )
    f.case(
        name,
        {"x": x},
        [f"v, i = reduce_window_max x {text}", f"s = reduce_window_sum x {text}"],
        outs,
        {"s": SUM_TOL[t]} if t in FLOATS else None,
    )


def window_cases(f, rng):
    for t in NUMBERS:
        window_case(f, f"window_{t}", sample(rng, t, (7,)), [3], [2], [1], [1])
    x = sample(rng, "f64", (5, 6))
    window_case(f, "window_2d", x, [2, 3])
    window_case(f, "window_2d_all", x, [2, 2], [2, 3], [1, 0], [0, 2], [2, 1], [1, 2])
    window_case(f, "window_negative_pad", x, [2, 2], None, [-1, 1], [1, -2])
    window_case(f, "window_only_padding", x[:2, :2], [1, 1], None, [2, 0], [0, 1])
    window_case(f, "window_too_large", x[:2], [3, 2])
    window_case(f, "window_empty", x[:0], [1, 2])
    window_case(f, "window_empty_padded", x[:0], [2, 2], None, [1, 0], [2, 0])
    window_case(
        f, "window_nan", array("f32", [1, math.nan, 2, math.inf, -math.inf, 0, -0.0, 0]), [2]
    )
    window_case(f, "window_i32_padding", array("i32", [-5, -6, -7]), [2], [2], [2], [1])


# ---- running combinations, the first few ----


def along(x, reverse, step):
    """Lines of x along its last axis, each element by step(what was before, element, place)."""
    y = [np.empty(x.shape, dtype=object) for _ in range(2)]
    for at in np.ndindex(*x.shape[:-1]):
        acc = None
        n = x.shape[-1]
        for k in reversed(range(n)) if reverse else range(n):
            acc = step(acc, x[at + (k,)], k)
            y[0][at + (k,)], y[1][at + (k,)] = acc
    return y


def extreme(down):
    def step(acc, v, k):
        if acc is None or v != v:
            return v, k
        if acc[0] == acc[0] and (v >= acc[0] if not down else v <= acc[0]):
            return v, k
        return acc

    return step


def running(f, rng):
    for t in ("f64", "f32", "i32", "u8"):
        x, b = sample(rng, t, (3, 5)), sample(rng, t, (3, 5))
        tol = SUM_TOL[t] if t in FLOATS else None
        wide = x.astype(np.float64) if t in FLOATS else x
        bs = b.astype(np.float64) if t in FLOATS else b
        with np.errstate(over="ignore"):
            out = {
                "p": np.cumprod(wide, 1, dtype=wide.dtype),
                "r": np.cumprod(wide[:, ::-1], 1, dtype=wide.dtype)[:, ::-1],
                "a": np.empty_like(wide),
            }
            for i in range(3):
                acc = wide.dtype.type(0)
                for k in range(5):
                    acc = wide.dtype.type(wide[i, k] * acc + bs[i, k]) if k else bs[i, k]
                    out["a"][i, k] = acc
        f.case(
            f"cumprod_recur_{t}",
            {"x": x, "b": b},
            ["p = cumprod x axis=1", "r = cumprod x axis=1 reverse=true", "a = recur x b axis=1"],
            {k: v.astype(x.dtype) for k, v in out.items()},
            tol,
        )
    for t in FLOATS:
        x = sample(rng, t, (2, 6))
        y = np.logaddexp.accumulate(x.astype(np.float64), 1)
        f.case(f"cumlogsumexp_{t}", {"x": x}, "y = cumlogsumexp x axis=1", {"y": y.astype(x.dtype)}, SUM_TOL[t])
    x = array("f64", [-math.inf, -math.inf, 1, math.inf, 2])
    f.case("cumlogsumexp_inf", {"x": x}, "y = cumlogsumexp x axis=0", {"y": np.logaddexp.accumulate(x)})
    for t in DTYPES:
        x = sample(rng, t, (2, 7), True)
        for name, down in (("cummax", False), ("cummin", True)):
            for reverse in (False, True):
                v, i = along(x, reverse, extreme(down))
                f.case(
                    f"{name}_{t}_{'back' if reverse else 'on'}",
                    {"x": x},
                    f"y, i = {name} x axis=1" + (" reverse=true" if reverse else ""),
                    {"y": v.astype(x.dtype), "i": i.astype(np.int64)},
                )
        for largest in (True, False):
            pick = []
            for row in x:
                key = [(v != v, 0 if v != v else float(v)) for v in row]
                places = sorted(range(7), key=lambda i: key[i])
                if largest:
                    places = sorted(range(7), key=lambda i: (not key[i][0], -key[i][1]))
                pick.append(places[:4])
            pick = np.array(pick)
            f.case(
                f"top_k_{t}_{'largest' if largest else 'smallest'}",
                {"x": x},
                "y, i = top_k x axis=1 k=4" + ("" if largest else " largest=false"),
                {"y": np.take_along_axis(x, pick, 1), "i": pick.astype(np.int64)},
            )


def write(directory):
    rng = random.Random(2)
    with File(directory, "reduce", "Reductions, running combinations, sort, top_k and windows.") as f:
        reductions(f, rng)
        cumsums(f, rng)
        sorts(f, rng)
        window_cases(f, rng)
        running(f, random.Random(3))
