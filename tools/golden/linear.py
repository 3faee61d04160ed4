"""Golden cases of dot_general, conv_general and the factorisations.

Contractions come from JAX in f64 (integers: NumPy, exact, then wrapped), factorisations from
SciPy's LAPACK and NumPy.
"""

import itertools
import math
import random

import jax
import jax.numpy as jnp
import numpy as np
import scipy.linalg
from jax import lax

from core import (
    DTYPES,
    FLOATS,
    INTS,
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


# ---- dot_general ----


def contract(x, y, lhs, rhs, lb, rb, acc):
    dims = ((tuple(lhs), tuple(rhs)), (tuple(lb), tuple(rb)))
    if acc in FLOATS:
        z = np.asarray(
            lax.dot_general(jnp.asarray(x, jnp.float64), jnp.asarray(y, jnp.float64), dims)
        )
        return array(acc, [float(v) for v in z.reshape(-1)], z.shape)
    big = [np.vectorize(int, otypes=[object])(v) if v.size else v.astype(object) for v in (x, y)]
    xf = [i for i in range(x.ndim) if i not in lhs and i not in lb]
    yf = [i for i in range(y.ndim) if i not in rhs and i not in rb]
    batch, m = [x.shape[i] for i in lb], [x.shape[i] for i in xf]
    n, k = [y.shape[i] for i in yf], [x.shape[i] for i in lhs]
    out = []
    for b, i, j in itertools.product(
        *(list(itertools.product(*map(range, s))) for s in (batch, m, n))
    ):
        total = 0
        for c in itertools.product(*map(range, k)):
            at_x = dict(zip(list(lb) + xf + list(lhs), b + i + c))
            at_y = dict(zip(list(rb) + yf + list(rhs), b + j + c))
            total += (
                big[0][tuple(at_x[a] for a in range(x.ndim))]
                * big[1][tuple(at_y[a] for a in range(y.ndim))]
            )
        out.append(wrap(total, acc))
    return array(acc, out, batch + m + n)


def dot_case(f, name, x, y, lhs=(), rhs=(), lb=(), rb=(), acc=None):
    acc = acc or name_of(x)
    text = ""
    for key, v in (("lhs", lhs), ("rhs", rhs), ("lhs_batch", lb), ("rhs_batch", rb)):
        text += f" {key}={ints_text(v)}" if len(v) else ""
    f.case(
        name,
        {"x": x, "y": y},
        f"z = dot_general x y{text} acc={acc}",
        {"z": contract(x, y, lhs, rhs, lb, rb, acc)},
        SUM_TOL[acc] if acc in FLOATS else None,
    )


def dots(f, rng):
    for t in FLOATS + INTS:
        x, y = sample(rng, t, (3, 4)), sample(rng, t, (4, 2))
        dot_case(f, f"dot_{t}", x, y, (1,), (0,))
        f.case(
            f"dot_short_{t}",
            {"x": x, "y": y},
            "z = dot x y",
            {"z": contract(x, y, (1,), (0,), (), (), t)},
            SUM_TOL.get(t),
        )
        if t in INTS:
            lo, hi = int_range(t)
            x, y = array(t, [lo, hi, hi, 3], (2, 2)), array(t, [hi, lo, 2, hi], (2, 2))
            dot_case(f, f"dot_wraps_{t}", x, y, (1,), (0,))
            dot_case(f, f"dot_{t}_in_i32", x, y, (1,), (0,), acc="i32")
            dot_case(
                f,
                f"dot_{t}_in_f32",
                sample(rng, t, (2, 3)),
                sample(rng, t, (3, 2)),
                (1,),
                (0,),
                acc="f32",
            )
    for a, b, acc in (
        ("f16", "f16", "f32"),
        ("bf16", "bf16", "f32"),
        ("f32", "f16", "f32"),
        ("f32", "f64", "f64"),
        ("f32", "f32", "f16"),
        ("i8", "f32", "f32"),
        ("u8", "i8", "i32"),
        ("i8", "i8", "i64"),
        ("i32", "i32", "f64"),
    ):
        dot_case(
            f,
            f"dot_{a}_{b}_to_{acc}",
            sample(rng, a, (2, 5)),
            sample(rng, b, (5, 3)),
            (1,),
            (0,),
            acc=acc,
        )
    big = array("f16", [60000, 60000, 1, 1], (2, 2))
    dot_case(f, "dot_f16_overflow", big, big, (1,), (0,))
    dot_case(f, "dot_f16_no_overflow_in_f32", big, big, (1,), (0,), acc="f32")
    special = array("f64", [math.inf, 0, math.nan, 1, -math.inf, 2], (3, 2))
    dot_case(f, "dot_special", special, array("f64", [0, 1, 2, -1], (2, 2)), (1,), (0,))
    for name, sx, sy, lhs, rhs, lb, rb in (
        ("inner", (4,), (4,), (0,), (0,), (), ()),
        ("outer", (2,), (3,), (), (), (), ()),
        ("scalars", (), (), (), (), (), ()),
        ("batch", (2, 3, 4), (2, 4, 3), (2,), (1,), (0,), (0,)),
        ("batch_inside", (3, 2, 4), (4, 3, 2), (2,), (0,), (1,), (2,)),
        ("two_batches", (2, 3, 2, 4), (3, 4, 2, 2), (3,), (1,), (1, 0), (0, 2)),
        ("crossed", (3, 2, 4), (4, 5, 3), (0, 2), (2, 0), (), ()),
        ("everything", (2, 3, 2, 2, 3), (3, 2, 2, 2), (3, 1), (2, 0), (0,), (3,)),
        ("empty_sum", (2, 0), (0, 3), (1,), (0,), (), ()),
        ("empty_rows", (0, 2), (2, 3), (1,), (0,), (), ()),
        ("empty_batch", (0, 2), (0, 2), (1,), (1,), (0,), (0,)),
    ):
        dot_case(f, f"dot_{name}", sample(rng, "f64", sx), sample(rng, "f64", sy), lhs, rhs, lb, rb)
        dot_case(
            f, f"dot_{name}_i32", sample(rng, "i32", sx), sample(rng, "i32", sy), lhs, rhs, lb, rb
        )


# ---- conv_general ----


def convolve(x, k, p):
    """The sum of the definition, for integers; for floats the check of JAX."""
    n = x.ndim
    ls, rs, os_ = p["lhs"], p["rhs"], p["out"]
    X, K = x.transpose(ls), k.transpose(rs)
    groups, bgroups = p["groups"], p["batch_groups"]
    span = [0 if s == 0 else (s - 1) * d + 1 for s, d in zip(X.shape[2:], p["ldil"])]
    wide = [0 if s == 0 else (s - 1) * d + 1 for s, d in zip(K.shape[2:], p["rdil"])]
    size = [
        max(0, (s + a + b - w) // st + 1)
        for s, a, b, w, st in zip(span, p["lo"], p["hi"], wide, p["stride"])
    ]
    N, O, I = X.shape[0] // bgroups, K.shape[0], K.shape[1]
    z = np.zeros([N, O] + size, object)
    for at in itertools.product(*map(range, z.shape)):
        b, o, q = at[0], at[1], at[2:]
        total = 0
        for i, s in itertools.product(range(I), itertools.product(*map(range, K.shape[2:]))):
            pos = [
                a * st + c * d - lo
                for a, st, c, d, lo in zip(q, p["stride"], s, p["rdil"], p["lo"])
            ]
            if all(
                v >= 0 and v % d == 0 and v // d < m for v, d, m in zip(pos, p["ldil"], X.shape[2:])
            ):
                row = o // (O // bgroups) * N + b
                col = o // (O // groups) * I + i
                total += (
                    X[(row, col) + tuple(v // d for v, d in zip(pos, p["ldil"]))] * K[(o, i) + s]
                )
        z[at] = total
    back = [0] * n
    for i, a in enumerate(os_):
        back[a] = i
    return z.transpose(back)


def conv_case(f, name, x, k, acc=None, jax_agrees=True, **given):
    n = x.ndim - 2
    same = list(range(n + 2))
    p = {
        "lhs": same,
        "rhs": same,
        "out": same,
        "stride": [1] * n,
        "lo": [0] * n,
        "hi": [0] * n,
        "ldil": [1] * n,
        "rdil": [1] * n,
        "groups": 1,
        "batch_groups": 1,
    } | given
    acc = acc or name_of(x)
    keys = {
        "lhs": "lhs_spec",
        "rhs": "rhs_spec",
        "out": "out_spec",
        "stride": "stride",
        "lo": "pad_lo",
        "hi": "pad_hi",
        "ldil": "lhs_dilation",
        "rdil": "rhs_dilation",
    }
    text = "".join(
        f" {keys[q]}={ints_text(v)}" if q in keys else f" {q}={v}" for q, v in given.items()
    )
    as_float = acc in FLOATS
    conv = np.vectorize(float if as_float else int, otypes=[object])
    z = convolve(*(conv(v) if v.size else v.astype(object) for v in (x, k)), p)
    if jax_agrees and as_float:
        other = lax.conv_general_dilated(
            jnp.asarray(x, jnp.float64),
            jnp.asarray(k, jnp.float64),
            p["stride"],
            list(zip(p["lo"], p["hi"])),
            p["ldil"],
            p["rdil"],
            lax.ConvDimensionNumbers(tuple(p["lhs"]), tuple(p["rhs"]), tuple(p["out"])),
            p["groups"],
            p["batch_groups"],
        )
        assert other.shape == z.shape and np.allclose(np.asarray(other), z.astype(np.float64)), name
    flat = [round_to(acc, float(v)) if as_float else wrap(v, acc) for v in z.reshape(-1)]
    f.case(
        name,
        {"x": x, "k": k},
        f"z = conv_general x k{text} acc={acc}",
        {"z": array(acc, flat, z.shape)},
        SUM_TOL[acc] if as_float else None,
    )


def convs(f, rng):
    for t in FLOATS + ["i8", "i32", "i64", "u8", "u32", "u64"]:
        conv_case(
            f,
            f"conv_{t}",
            sample(rng, t, (2, 3, 6)),
            sample(rng, t, (2, 3, 3)),
            stride=[2],
            lo=[1],
            hi=[2],
        )
    conv_case(
        f, "conv_f16_to_f32", sample(rng, "f16", (1, 2, 5)), sample(rng, "f16", (2, 2, 3)), "f32"
    )
    conv_case(
        f,
        "conv_i8_to_i32",
        array("i8", [127, -128] * 5, (1, 2, 5)),
        array("i8", [127, -128, 5] * 4, (2, 2, 3)),
        "i32",
    )

    def s(*shape):
        return sample(rng, "f64", shape)

    conv_case(f, "conv_0d", s(2, 3), s(4, 3))
    conv_case(f, "conv_2d", s(2, 2, 5, 4), s(3, 2, 2, 3), stride=[1, 2], lo=[1, 0], hi=[0, 2])
    conv_case(
        f,
        "conv_3d",
        s(1, 2, 3, 4, 3),
        s(2, 2, 2, 1, 2),
        stride=[1, 2, 1],
        lo=[1, 0, 0],
        hi=[0, 0, 1],
    )
    conv_case(
        f,
        "conv_nhwc",
        s(2, 4, 5, 3),
        s(2, 2, 3, 2),
        lhs=[0, 3, 1, 2],
        rhs=[3, 2, 0, 1],
        out=[0, 3, 1, 2],
    )
    conv_case(
        f,
        "conv_odd_layout",
        s(4, 2, 5, 3),
        s(2, 3, 2, 4),
        lhs=[3, 1, 2, 0],
        rhs=[3, 0, 1, 2],
        out=[2, 1, 3, 0],
    )
    conv_case(f, "conv_negative_pad", s(1, 2, 7), s(2, 2, 2), lo=[-1], hi=[-2])
    conv_case(
        f, "conv_dilated", s(1, 2, 4), s(2, 2, 2), stride=[2], lo=[1], hi=[2], ldil=[3], rdil=[2]
    )
    conv_case(f, "conv_transposed", s(1, 2, 4), s(3, 2, 3), lo=[2], hi=[2], ldil=[2])
    conv_case(f, "conv_groups", s(2, 4, 4), s(6, 2, 2), groups=2)
    conv_case(f, "conv_depthwise", s(1, 3, 4, 4), s(6, 1, 2, 2), stride=[2, 1], groups=3)
    conv_case(f, "conv_batch_groups", s(4, 3, 4), s(6, 3, 2), batch_groups=2)
    conv_case(f, "conv_too_large", s(1, 2, 2), s(2, 2, 3))
    conv_case(f, "conv_empty_batch", s(0, 2, 4), s(2, 2, 3))
    conv_case(f, "conv_empty_features", s(2, 0, 4), s(2, 0, 3), jax_agrees=False)
    conv_case(f, "conv_empty_window", s(1, 2, 3), s(2, 2, 0), stride=[2], jax_agrees=False)
    conv_case(f, "conv_empty_input", s(1, 2, 0), s(2, 2, 2), lo=[2], hi=[1])
    special = array("f64", [math.inf, 0, math.nan, 1, 2, 3], (1, 1, 6))
    conv_case(f, "conv_special", special, array("f64", [1, 0], (1, 1, 2)), jax_agrees=False, lo=[1])


# ---- linear algebra ----

TOL = {"f64": "rel=1e-12", "f32": "rel=1e-5"}


def choleskys(f, rng):
    for t in ("f32", "f64"):
        for n in (1, 2, 5):
            x = sample(rng, t, (n, n)).astype(np.float64)
            a = (x @ x.T + np.eye(n)).astype(DTYPES[t])
            ragged = a + np.triu(np.full((n, n), 7, a.dtype), 1)  # the upper triangle is not read
            f.case(
                f"cholesky_{t}_{n}",
                {"x": ragged},
                "l = cholesky x",
                {
                    "l": np.linalg.cholesky(
                        np.tril(a, -1).T.astype(np.float64) + np.tril(a)
                    ).astype(DTYPES[t])
                },
                TOL[t],
            )
        bad = array(t, [1, 2, 2, 1, 4, 0, 2, 9, 0, 0, 0, 1, math.nan, 0, 0, 1], (4, 2, 2))
        n = math.nan
        f.case(
            f"cholesky_{t}_indefinite",
            {"x": bad},
            "l = cholesky x",
            {"l": array(t, [n, 0, n, n, 2, 0, 1, math.sqrt(8), n, 0, n, n, n, 0, n, n], (4, 2, 2))},
            TOL[t],
        )
        f.case(
            f"cholesky_{t}_empty",
            {"x": np.zeros((2, 0, 0), DTYPES[t])},
            "l = cholesky x",
            {"l": np.zeros((2, 0, 0), DTYPES[t])},
        )


def solves(f, rng):
    for t in ("f32", "f64"):
        for left, lower, trans, unit in itertools.product((True, False), repeat=4):
            a = sample(rng, t, (4, 4)) + np.diag([5, -6, 7, 5]).astype(DTYPES[t])
            b = sample(rng, t, (4, 2) if left else (2, 4))
            tri = (np.tril if lower else np.triu)(a).astype(np.float64)
            if unit:
                np.fill_diagonal(tri, 1)
            op = tri.T if trans else tri
            x = (
                np.linalg.solve(op, b.astype(np.float64))
                if left
                else np.linalg.solve(op.T, b.astype(np.float64).T).T
            )
            flags = f"left={left} lower={lower} trans={trans} unit={unit}".lower()
            f.case(
                f"solve_{t}_{'LR'[not left]}{'LU'[not lower]}{'NT'[trans]}{'nu'[unit]}",
                {"a": a, "b": b},
                f"x = triangular_solve a b {flags}",
                {"x": x.astype(DTYPES[t])},
                TOL[t],
            )
        a = sample(rng, t, (3, 2, 2)) + 6 * np.eye(2, dtype=DTYPES[t])
        b = sample(rng, t, (3, 2, 1))
        x = np.linalg.solve(np.tril(a).astype(np.float64), b.astype(np.float64)).astype(DTYPES[t])
        f.case(f"solve_{t}_batch", {"a": a, "b": b}, "x = triangular_solve a b", {"x": x}, TOL[t])
        a = array(t, [0, 0, 1, 2], (2, 2))
        f.case(
            f"solve_{t}_zero_diagonal",
            {"a": a, "b": array(t, [1, 0, 1, 1], (2, 2))},
            "x = triangular_solve a b",
            {"x": array(t, [math.inf, math.nan, -math.inf, math.nan], (2, 2))},
        )
        f.case(
            f"solve_{t}_empty",
            {"a": a, "b": np.zeros((2, 0), DTYPES[t])},
            "x = triangular_solve a b",
            {"x": np.zeros((2, 0), DTYPES[t])},
        )


def lu_packed(a):
    """LAPACK's getrf, and the permutation its row exchanges make."""
    lu, piv, _ = scipy.linalg.lapack.dgetrf(a.astype(np.float64))
    perm = list(range(a.shape[0]))
    for i, p in enumerate(piv):
        perm[i], perm[p] = perm[p], perm[i]
    return lu, piv.astype(np.int32), np.array(perm, np.int32)


def lus(f, rng):
    for t in ("f32", "f64"):
        for m, n in ((1, 1), (3, 3), (5, 5), (4, 2), (2, 4)):
            a = sample(rng, t, (m, n))
            lu, piv, perm = lu_packed(a)
            f.case(
                f"lu_{t}_{m}x{n}",
                {"x": a},
                "f, p, q = lu x",
                {"f": lu.astype(DTYPES[t]), "p": piv, "q": perm},
                {"f": TOL[t]},
            )
        a = sample(rng, t, (2, 3, 3))
        parts = [lu_packed(v) for v in a]
        outs = {k: np.stack([q[i] for q in parts]) for i, k in enumerate("fpq")}
        f.case(
            f"lu_{t}_batch",
            {"x": a},
            "f, p, q = lu x",
            outs | {"f": outs["f"].astype(DTYPES[t])},
            {"f": TOL[t]},
        )
        a = array(t, [1, 2, 3, 2, 4, 6, 0, 0, 0], (3, 3))
        f.case(
            f"lu_{t}_singular",
            {"x": a},
            "f, p, q = lu x",
            {
                "f": array(t, [2, 4, 6, 0.5, 0, 0, 0, 0, 0], (3, 3)),
                "p": np.array([1, 1, 2], np.int32),
                "q": np.array([1, 0, 2], np.int32),
            },
        )
        a = np.zeros((2, 2), DTYPES[t])
        f.case(
            f"lu_{t}_zero",
            {"x": a},
            "f, p, q = lu x",
            {"f": a, "p": np.array([0, 1], np.int32), "q": np.array([0, 1], np.int32)},
        )
        a = np.zeros((0, 3), DTYPES[t])
        f.case(
            f"lu_{t}_no_rows",
            {"x": a},
            "f, p, q = lu x",
            {"f": a, "p": np.zeros(0, np.int32), "q": np.zeros(0, np.int32)},
        )
        a = np.zeros((3, 0), DTYPES[t])
        f.case(
            f"lu_{t}_no_columns",
            {"x": a},
            "f, p, q = lu x",
            {"f": a, "p": np.zeros(0, np.int32), "q": np.arange(3, dtype=np.int32)},
        )


def upright(v):
    """the factor that makes the largest element of each column positive"""
    return np.where(v[np.abs(v).argmax(0), range(v.shape[1])] < 0, -1.0, 1.0) if v.shape[0] else np.ones(v.shape[1])


def factors_qr(a, full):
    return scipy.linalg.qr(a.astype(np.float64), mode="full" if full else "economic")


def factors_eigh(a):
    w, v = np.linalg.eigh(a.astype(np.float64), UPLO="L")
    return w, v * upright(v)


def factors_svd(a):
    u, s, vt = np.linalg.svd(a.astype(np.float64), full_matrices=False)
    sign = upright(u) if a.shape[0] >= a.shape[1] else upright(vt.T)
    return u * sign, s, vt * sign[:, None]


def spectral(f, rng):
    """qr, eigh and svd: by LAPACK, signs as the ops say"""
    for t in ("f32", "f64"):
        kinds = [("qr", "q, r", lambda a: factors_qr(a, False), ((3, 3), (5, 5), (4, 2), (2, 4), (1, 1))),
                 ("qr", "q, r", lambda a: factors_qr(a, True), ((3, 3), (4, 2), (2, 4))),
                 ("eigh", "w, v", factors_eigh, ((1, 1), (2, 2), (3, 3), (6, 6))),
                 ("svd", "u, s, v", factors_svd, ((3, 3), (6, 6), (4, 2), (2, 4), (1, 1)))]
        for i, (op, outs, factor, shapes) in enumerate(kinds):
            names = outs.split(", ")
            text = f"{outs} = {op} x" + (" full=true" if i == 1 else "")
            for m, n in shapes:
                a = sample(rng, t, (m, n))
                parts = factor(a)
                f.case(f"{op}{'_full' * (i == 1)}_{t}_{m}x{n}", {"x": a}, text,
                       {k: v.astype(DTYPES[t]) for k, v in zip(names, parts)}, {k: TOL[t] for k in names})
            a = sample(rng, t, (2, 3, 3))
            parts = [factor(v) for v in a]
            f.case(f"{op}{'_full' * (i == 1)}_{t}_batch", {"x": a}, text,
                   {k: np.stack([v[j] for v in parts]).astype(DTYPES[t]) for j, k in enumerate(names)},
                   {k: TOL[t] for k in names})
        nan = np.full((2, 2), math.nan, DTYPES[t])
        bad = array(t, [1, 0, math.inf, 2], (2, 2))
        f.case(f"qr_{t}_not_finite", {"x": bad}, "q, r = qr x", {"q": nan, "r": nan})
        f.case(f"eigh_{t}_not_finite", {"x": bad}, "w, v = eigh x", {"w": nan[0], "v": nan})
        f.case(f"svd_{t}_not_finite", {"x": bad}, "u, s, v = svd x", {"u": nan, "s": nan[0], "v": nan})
        f.case(f"eigh_{t}_lower_only", {"x": array(t, [2, math.inf, 0, 1], (2, 2))}, "w, v = eigh x",
               {"w": array(t, [1, 2], (2,)), "v": array(t, [0, 1, 1, 0], (2, 2))})
        f.case(f"svd_{t}_zero", {"x": np.zeros((3, 2), DTYPES[t])}, "u, s, v = svd x",
               {"u": array(t, [1, 0, 0, 1, 0, 0], (3, 2)), "s": np.zeros(2, DTYPES[t]), "v": np.eye(2, dtype=DTYPES[t])})


def eigs(f, rng):
    """eig: its values by LAPACK, in an order of their own; that the vectors belong to them is for the laws"""
    text = "w, v = eig x\n  r = real w\n  i = imag w\n  a = sort r axis=0\n  b = sort i axis=0"
    for t in ("f32", "f64"):
        for n in (1, 2, 3, 6):
            x = sample(rng, t, (n, n))
            w = np.linalg.eigvals(x.astype(np.float64))
            f.case(f"eig_{t}_{n}x{n}", {"x": x}, text, {"a": np.sort(w.real).astype(DTYPES[t]), "b": np.sort(w.imag).astype(DTYPES[t])},
                   {"a": TOL[t], "b": TOL[t]})


def write(directory):
    rng = random.Random(3)
    with File(directory, "contract", "dot_general and conv_general.") as f:
        dots(f, rng)
        convs(f, rng)
    with File(directory, "linalg", "cholesky, triangular_solve, lu, qr, eigh, svd and eig.") as f:
        choleskys(f, rng)
        solves(f, rng)
        lus(f, rng)
        spectral(f, rng)
        eigs(f, rng)
