"""Golden cases of the elementwise ops, casts and random bits."""

import itertools
import math
import random

import numpy as np
import scipy.special

import exact
from core import DTYPES, FLOATS, INTS, NUMBERS, File, array, int_range, round_to, width
from tolerances import text

BINARY_FLOAT = ["add", "sub", "mul", "div", "rem", "max", "min", "pow", "atan2", "nextafter"]
BINARY_INT = ["add", "sub", "mul", "div", "rem", "pow", "max", "min", "and", "or", "xor"]
SHIFTS = ["shl", "shr_logical", "shr_arith"]

NUMPY = {  # the second oracle
    "exp": np.exp,
    "expm1": np.expm1,
    "log": np.log,
    "log1p": np.log1p,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "tanh": np.tanh,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
    "exp2": np.exp2,
    "cbrt": np.cbrt,
    "lgamma": scipy.special.gammaln,
    "digamma": scipy.special.digamma,
    "nextafter": np.nextafter,
    "erf": scipy.special.erf,
    "erfc": scipy.special.erfc,
    "erf_inv": scipy.special.erfinv,
    "sqrt": np.sqrt,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "logistic": scipy.special.expit,
    "floor": np.floor,
    "ceil": np.ceil,
    "round": np.rint,
    "neg": np.negative,
    "abs": np.abs,
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "rem": np.fmod,
    "pow": np.power,
    "atan2": np.arctan2,
    "max": np.maximum,
    "min": np.minimum,
}


def check_numpy(op, t, ins, out):
    """Both oracles agree to a few units in the last place, in f64."""
    if t != "f64" or op not in NUMPY:
        return
    slack = 256 if op == "erfc" else 16  # SciPy's is inexact far out
    with np.errstate(all="ignore"):
        other = NUMPY[op](*ins)
    for args in zip(*ins, out, other):
        want, got = float(args[-2]), float(args[-1])
        same = want == got or (math.isnan(want) and math.isnan(got))
        if op in ("lgamma", "digamma"):  # SciPy's fail next to poles and cancel at zeros
            same = same or args[0] < 1e-300 or abs(want - got) < 1e-14
        if not same and not abs(want - got) <= slack * math.ulp(want):
            raise AssertionError(f"{op} {args}")


def equations(ops, operands):
    return [f"{op}_ = {op} {operands}" for op in ops]


def unary_floats(f, rng):
    ops = list(exact.UNARY)
    for t in FLOATS:
        values = exact.edge_floats(t)
        values += [
            round_to(t, v)
            for v in (0.25, -0.999, 0.9999999, 5e-9, -20.0, 700.0, -745.0, 1e6, 1e22, math.pi)
        ]
        values += [round_to(t, rng.uniform(-1, 1) * 10 ** rng.uniform(-4, 2)) for _ in range(24)]
        x = array(t, values)
        outs = {f"{op}_": array(t, [exact.unary(op, t, float(v)) for v in x]) for op in ops}
        for op in ops:
            check_numpy(op, t, [x], outs[f"{op}_"])
        tol = {f"{op}_": text(op, t) for op in ops}
        finite = np.array([math.isfinite(float(v)) for v in x])
        f.case(
            f"unary_{t}",
            {"x": x},
            equations(ops, "x") + ["finite = is_finite x"],
            outs | {"finite": finite},
            tol,
        )
        for op in ops:
            f.case(f"{op}_{t}_empty", {"x": x[:0]}, f"y = {op} x", {"y": x[:0]})


def unary_ints(f):
    for t in INTS:
        ops = ["neg", "abs", "sign", "not", "popcount", "clz"]
        lo, hi = int_range(t)
        x = array(t, [lo, lo + 1, 0, 1, 2, 100, hi - 1, hi] + ([-1, -100] if lo else []))
        outs = {f"{op}_": array(t, [exact.unary_int(op, t, int(v)) for v in x]) for op in ops}
        f.case(f"unary_{t}", {"x": x}, equations(ops, "x"), outs)
    f.case(
        "not_bool",
        {"x": array("bool", [False, True])},
        "y = not x",
        {"y": array("bool", [True, False])},
    )


def pairs(values):
    xs, ys = zip(*itertools.product(values, values))
    return list(xs), list(ys)


def binary_floats(f, rng):
    for t in FLOATS:
        edges = exact.edge_floats(t)
        chosen = [v for v in edges if not v < 0] + [
            -0.0,
            -1.0,
            round_to(t, -2.5),
            -math.inf,
            min(edges),
            -3.0,
        ]
        chosen = [v for v in chosen if v not in (round_to(t, 88.5), 10.0, 2.5, 1.5)]
        xs, ys = pairs(chosen)
        for _ in range(40):
            xs.append(round_to(t, rng.uniform(-8, 8)))
            ys.append(round_to(t, rng.uniform(-8, 8)))
        x, y = array(t, xs), array(t, ys)
        outs, tol = {}, {}
        for op in BINARY_FLOAT:
            outs[f"{op}_"] = array(
                t, [exact.binary_float(op, t, float(a), float(b)) for a, b in zip(x, y)]
            )
            tol[f"{op}_"] = text(op, t)
            check_numpy(op, t, [x, y], outs[f"{op}_"])
        for op, g in exact.COMPARE.items():
            outs[f"{op}_"] = np.array([g(float(a), float(b)) for a, b in zip(x, y)])
        f.case(
            f"binary_{t}",
            {"x": x, "y": y},
            equations(BINARY_FLOAT + list(exact.COMPARE), "x y"),
            outs,
            tol,
        )


def binary_ints(f):
    for t in INTS + ["bool"]:
        lo, hi = int_range(t)
        edges = sorted(
            {v for v in (lo, lo + 1, -7, -2, -1, 0, 1, 2, 3, 10, hi - 1, hi) if lo <= v <= hi}
        )
        xs, ys = pairs(edges)
        x, y = array(t, xs), array(t, ys)
        ops = BINARY_INT if t != "bool" else ["and", "or", "xor", "max", "min"]
        outs = {
            f"{op}_": array(t, [exact.binary_int(op, t, a, b) for a, b in zip(xs, ys)])
            for op in ops
        }
        for op, g in exact.COMPARE.items():
            outs[f"{op}_"] = np.array([g(a, b) for a, b in zip(xs, ys)])
        f.case(f"binary_{t}", {"x": x, "y": y}, equations(ops + list(exact.COMPARE), "x y"), outs)
        if t == "bool":
            continue
        w = width(t)
        amounts = [0, 1, w - 1, w, w + 1, hi] + ([-1, lo] if lo else [])
        xs, ys = zip(
            *itertools.product([lo, 0, 1, 37, hi - 1, hi] + ([-1, -2] if lo else []), amounts)
        )
        outs = {
            f"{op}_": array(t, [exact.binary_int(op, t, a, b) for a, b in zip(xs, ys)])
            for op in SHIFTS
        }
        f.case(f"shift_{t}", {"x": array(t, xs), "y": array(t, ys)}, equations(SHIFTS, "x y"), outs)


def select_clamp(f):
    p = np.array([True, False, True, False])
    for t in DTYPES:
        x = array(t, [1, 0, 1, 0]) if t == "bool" else array(t, [1, 2, 3, 4])
        y = array(t, [0, 1, 1, 0]) if t == "bool" else array(t, [5, 6, 7, 8])
        if t in FLOATS:
            x, y = array(t, [math.nan, 2, -0.0, 4]), array(t, [5, math.inf, 7, math.nan])
        f.case(
            f"select_{t}", {"p": p, "x": x, "y": y}, "z = select p x y", {"z": np.where(p, x, y)}
        )
    for t in NUMBERS:
        lo, x, hi = (array(t, v) for v in ([1, 1, 1, 3, 2], [0, 2, 9, 5, 2], [4, 4, 4, 2, 2]))
        z = array(t, [1, 2, 4, 2, 2])
        f.case(f"clamp_{t}", {"lo": lo, "x": x, "hi": hi}, "z = clamp lo x hi", {"z": z})
    for t in FLOATS:
        n, i = math.nan, math.inf
        lo, x, hi = [n, 0, 0, -0.0, -i, -1], [1, n, 1, 0.0, i, -i], [2, 2, n, 0.0, i, 1]
        f.case(
            f"clamp_special_{t}",
            {"lo": array(t, lo), "x": array(t, x), "hi": array(t, hi)},
            "z = clamp lo x hi",
            {"z": array(t, [n, n, n, 0.0, i, -1])},
        )
        f.case(
            f"clamp_scalars_{t}",
            {"lo": array(t, [-1], ()), "x": array(t, [-3, 0, 3]), "hi": array(t, [2], ())},
            "z = clamp lo x hi",
            {"z": array(t, [-1, 0, 2])},
        )


def casts(f):
    for src in DTYPES:
        if src in FLOATS:
            values = exact.edge_floats(src)
            values += [
                s * v
                for s in (1, -1)
                for v in (
                    0.999,
                    126.5,
                    127.5,
                    128.0,
                    255.5,
                    256.0,
                    32767.5,
                    65504.0,
                    65519.0,
                    65520.0,
                    2.0**31,
                    2.0**32,
                    2.0**63,
                    2.0**64,
                    2.0**53 - 1,
                    16777217.0,
                    1e-8,
                    3e-5,
                    1e-40,
                    1e39,
                    257.0,
                    2049.0,
                )
            ]
        else:
            lo, hi = int_range(src)
            values = [lo, lo + 1, hi - 1, hi] + [
                s * v
                for s in (1, -1)
                for v in (
                    0,
                    1,
                    127,
                    128,
                    255,
                    256,
                    257,
                    259,
                    2049,
                    2051,
                    65519,
                    65520,
                    65535,
                    65536,
                    2**24 + 1,
                    2**24 + 3,
                    2**31 - 1,
                    2**31,
                    2**32,
                    2**53 + 1,
                    2**53 + 3,
                    2**60 + 2**36,
                    2**60 + 2**36 + 1,
                    2**63,
                )
            ]
            values = sorted({v for v in values if lo <= v <= hi})
        x = array(src, values)
        pys = [float(v) for v in x] if src in FLOATS else [int(v) for v in x]
        outs = {f"to_{dst}": array(dst, [exact.cast(src, dst, v) for v in pys]) for dst in DTYPES}
        f.case(f"cast_{src}", {"x": x}, [f"to_{dst} = cast x {dst}" for dst in DTYPES], outs)


def bitcasts(f):
    groups = [
        ["i8", "u8"],
        ["i16", "u16", "f16", "bf16"],
        ["i32", "u32", "f32"],
        ["i64", "u64", "f64"],
    ]
    for group in groups:
        w = width(group[0])
        bits = [
            0,
            1,
            2 ** (w - 1),
            2 ** (w - 1) + 1,
            2**w - 1,
            2 ** (w - 2),
            2 ** (w - 2) - 1,
            0x3C,
        ]
        for src in group:
            x = np.array(bits, DTYPES[f"u{w}"]).view(DTYPES[src])
            if src in FLOATS:  # NaN bits are not kept by the text
                x = x[[math.isfinite(float(v)) for v in x]]
            outs = {f"to_{dst}": x.view(DTYPES[dst]) for dst in group}
            f.case(
                f"bitcast_{src}", {"x": x}, [f"to_{dst} = bitcast x {dst}" for dst in group], outs
            )
    f.case(
        "bitcast_bool",
        {"x": array("bool", [False, True])},
        ["a = bitcast x u8", "b = bitcast x i8"],
        {"a": array("u8", [0, 1]), "b": array("i8", [0, 1])},
    )


# ---- random bits: the published algorithms, checked against the authors' known answers ----

M32 = 2**32 - 1


def threefry2x32(key, counter):
    rot = [(13, 15, 26, 6), (17, 29, 16, 24)]
    ks = [key[0], key[1], 0x1BD11BDA ^ key[0] ^ key[1]]
    x0, x1 = (counter[0] + ks[0]) & M32, (counter[1] + ks[1]) & M32
    for block in range(5):
        for r in rot[block % 2]:
            x0 = (x0 + x1) & M32
            x1 = ((x1 << r) | (x1 >> (32 - r))) & M32
            x1 ^= x0
        x0 = (x0 + ks[(block + 1) % 3]) & M32
        x1 = (x1 + ks[(block + 2) % 3] + block + 1) & M32
    return [x0, x1]


def philox4x32(key, counter):
    k0, k1 = key
    c = list(counter)
    for _ in range(10):
        a, b = c[0] * 0xD2511F53, c[2] * 0xCD9E8D57
        c = [(b >> 32) ^ c[1] ^ k0, b & M32, (a >> 32) ^ c[3] ^ k1, a & M32]
        k0, k1 = (k0 + 0x9E3779B9) & M32, (k1 + 0xBB67AE85) & M32
    return c


def check_known_answers():
    pi = [0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344, 0xA4093822, 0x299F31D0]
    assert threefry2x32([0, 0], [0, 0]) == [0x6B200159, 0x99BA4EFE]
    assert threefry2x32([M32, M32], [M32, M32]) == [0x1CB996FC, 0xBB002BE7]
    assert threefry2x32(pi[2:4], pi[:2]) == [0xC4923A9C, 0x483DF7A0]
    assert philox4x32([0, 0], [0] * 4) == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]
    assert philox4x32([M32, M32], [M32] * 4) == [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]
    assert philox4x32(pi[4:], pi[:4]) == [0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1]
    return pi


def random_bits(f, rng):
    pi = check_known_answers()
    for name, g, nkey, ncount in (
        ("threefry2x32", threefry2x32, 2, 2),
        ("philox4x32", philox4x32, 2, 4),
    ):
        n = nkey + ncount
        rows = [[0] * n, [M32] * n]
        rows.append(pi[2:4] + pi[:2] if n == 4 else pi[4:] + pi[:4])
        rows += [[rng.randrange(2**32) for _ in range(n)] for _ in range(13)]
        out = [g(r[:nkey], r[nkey:]) for r in rows]
        names = [f"k{i}" for i in range(nkey)] + [f"c{i}" for i in range(ncount)]
        ins = {k: array("u32", [r[i] for r in rows]) for i, k in enumerate(names)}
        outs = {"abcd"[i]: array("u32", [r[i] for r in out]) for i in range(ncount)}
        f.case(name, ins, f"{', '.join(outs)} = {name} {' '.join(names)}", outs)


def write(directory):
    rng = random.Random(1)
    with File(directory, "float", "Elementwise ops on floats.") as f:
        unary_floats(f, rng)
        binary_floats(f, rng)
    with File(directory, "int", "Elementwise ops on integers and bool, and random bits.") as f:
        unary_ints(f)
        binary_ints(f)
        random_bits(f, rng)
    with File(directory, "cast", "cast, bitcast, select and clamp.") as f:
        casts(f)
        bitcasts(f)
        select_clamp(f)
