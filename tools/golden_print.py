#!/usr/bin/env python3
"""golden_print.py -- arrays as the real libraries print them, for tests/test_print.c.

    python3 tools/golden_print.py LIBRARY [COUNT [SEED [FILE]]]

LIBRARY is numpy, torch, jax or tf; writes tests/golden/print/LIBRARY.txt: a fixed list of cases, then COUNT
random ones. A case is

    case STYLE DTYPE SHAPE [OPTION=VALUE ..]
    data BITS ..                 hexadecimal, row-major; or `data ramp START STEP`: start + i*step
    |what is printed, one line
    |each
"""
import os
import random
import struct
import sys

import numpy as np

lines = []
NUMPY = {"f64": "f8", "f32": "f4", "f16": "f2", "i64": "i8", "i32": "i4", "i16": "i2", "i8": "i1", "u64": "u8",
         "u32": "u4", "u16": "u2", "u8": "u1", "bool": "?"}


def make(dtype, shape, bits):
    """A NumPy array (bf16: of ml_dtypes) with these bits."""
    if dtype == "bf16":
        import ml_dtypes

        return np.array(bits, dtype="u2").view(ml_dtypes.bfloat16).reshape(shape)
    size = np.dtype(NUMPY[dtype]).itemsize
    return np.array(bits, dtype=f"u{size}").view(NUMPY[dtype]).reshape(shape)


def to_bits(dtype, values):
    if dtype == "bf16":
        import ml_dtypes

        with np.errstate(all="ignore"):
            return [int(v) for v in np.array(values, dtype="f8").astype(ml_dtypes.bfloat16).view("u2").reshape(-1)]
    with np.errstate(all="ignore"):
        a = np.array(values, dtype=NUMPY[dtype]) if dtype[0] in "iu" else np.array(values).astype(NUMPY[dtype])
    return [int(v) for v in a.view(f"u{a.dtype.itemsize}").reshape(-1)]


# ---- what the libraries say ----------------------------------------------------------------------------


def show_numpy(style, a, options):
    with np.printoptions(**{k: v for k, v in options.items() if k in ("precision", "threshold", "edgeitems",
                                                                      "linewidth", "suppress")}):
        return str(a) if style == "numpy_str" else repr(a) if style == "numpy_repr" else repr(a[()])


def show_jax(style, a, options):
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
    x = jnp.asarray(a)
    if style == "jax_weak":
        x = jax.lax_internal._convert_element_type(x, weak_type=True) if hasattr(jax, "lax_internal") else weak(x)
    return repr(x)


def weak(x):
    from jax._src.lax import lax

    return lax._convert_element_type(x, weak_type=True)


def show_tf(style, a, options):
    import tensorflow as tf

    if style == "tf_variable":
        return repr(tf.Variable(a, name="v"))
    x = tf.constant(a)
    return str(x) if style == "tf_str" else repr(x)


def show_torch(style, a, options, dtype, bits, shape):
    import torch

    kinds = {"f64": torch.float64, "f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16,
             "i64": torch.int64, "i32": torch.int32, "i16": torch.int16, "i8": torch.int8, "u8": torch.uint8,
             "u16": torch.uint16, "u32": torch.uint32, "u64": torch.uint64, "bool": torch.bool}
    size = kinds[dtype].itemsize
    raw = b"".join(v.to_bytes(size, "little") for v in bits)
    t = torch.frombuffer(bytearray(raw), dtype=kinds[dtype]).reshape(shape) if raw else torch.empty(shape, dtype=kinds[dtype])
    torch.set_printoptions(profile="default")
    chosen = {k: v for k, v in options.items() if k in ("precision", "threshold", "edgeitems", "linewidth", "sci_mode")}
    if chosen:
        if "sci_mode" in chosen:
            chosen["sci_mode"] = bool(chosen["sci_mode"])
        torch.set_printoptions(**chosen)
    try:
        if options.get("parameter"):
            return repr(torch.nn.Parameter(t.clone(), requires_grad=dtype[0] in "fb" and dtype != "bool"))
        if options.get("requires_grad"):
            return repr(t.clone().requires_grad_())
        if options.get("grad_fn"):
            return repr(t.clone().requires_grad_() * 1)
        return repr(t)
    finally:
        torch.set_printoptions(profile="default")


def case(style, dtype, shape, bits, options=None, ramp=None):
    options = options or {}
    a = make(dtype, shape, bits)
    if style == "torch":
        text = show_torch(style, a, options, dtype, bits, shape)
    elif style.startswith("jax"):
        text = show_jax(style, a, options)
    elif style.startswith("tf"):
        text = show_tf(style, a, options)
    else:
        text = show_numpy(style, a, options)
    if options.get("grad_fn"):
        options = dict(options, grad_fn="MulBackward0")
    head = ["case", style, dtype, "x".join(map(str, shape)) or "-"] + [f"{k}={int(v) if v is True else v}"
                                                                       for k, v in options.items()]
    lines.append(" ".join(head))
    lines.append(f"data ramp {ramp[0].hex()} {ramp[1].hex()}" if ramp else ("data " + " ".join(format(v, "x") for v in bits)).rstrip())
    lines.extend("|" + l for l in text.split("\n"))


# ---- cases ---------------------------------------------------------------------------------------------------

LIMITS = {"i64": (-(2**63), 2**63 - 1), "i32": (-(2**31), 2**31 - 1), "i16": (-(2**15), 2**15 - 1), "i8": (-128, 127),
          "u64": (0, 2**64 - 1), "u32": (0, 2**32 - 1), "u16": (0, 2**16 - 1), "u8": (0, 255)}
FLOATS = ["f32", "f64", "f16", "bf16"]
INTS = list(LIMITS)


def float_values(r, n):
    kind = r.randrange(12)
    if kind == 0:
        return [r.gauss(0, 1) for _ in range(n)]
    if kind == 1:
        scale = 10 ** r.uniform(-12, 12)
        return [r.gauss(0, 1) * scale for _ in range(n)]
    if kind == 2:
        return [float(r.randint(-9, 9)) for _ in range(n)]
    if kind == 3:
        return [float(r.randint(-(10**6), 10**6)) for _ in range(n)]
    if kind == 4:
        return [round(r.uniform(-100, 100), r.randrange(5)) for _ in range(n)]
    if kind == 5:
        return [r.choice([0.0, -0.0, 1.0, float("nan"), float("inf"), -float("inf"), r.gauss(0, 3)]) for _ in range(n)]
    if kind == 6:
        return [r.choice([-1, 1]) * 10 ** r.uniform(-8, 8) for _ in range(n)]
    if kind == 7:
        return [r.choice([float("nan"), float("inf"), -float("inf")]) for _ in range(n)]
    if kind == 8:
        return [r.choice([0.0, -0.0]) for _ in range(n)]
    if kind == 9:
        return [r.choice([999.5, 1000.0, 1001.0, 0.0001, 0.00009999, 1e8, 99999999.0, 1e6, 999999.0, 0.5, 1.0]) for _ in range(n)]
    if kind == 10:
        return [struct.unpack("<d", struct.pack("<Q", r.getrandbits(64)))[0] for _ in range(n)]
    return [r.uniform(0, 1) for _ in range(n)]


def random_bits(r, dtype, n):
    if dtype == "bool":
        return [r.randrange(2) for _ in range(n)]
    if dtype in LIMITS:
        lo, hi = LIMITS[dtype]
        if r.random() < 0.5:
            lo, hi = max(lo, -r.choice([1, 9, 100])), min(hi, r.choice([1, 9, 100]))
        return to_bits(dtype, [r.randint(lo, hi) for _ in range(n)])
    if dtype in ("f32", "f16") and r.random() < 0.1:
        return [r.getrandbits(32 if dtype == "f32" else 16) for _ in range(n)]
    return to_bits(dtype, float_values(r, n))


def random_shape(r):
    rank = r.choice([0, 1, 1, 1, 2, 2, 2, 3, 3, 4, 5])
    top = {0: 1, 1: 40, 2: 9, 3: 5, 4: 3, 5: 3}[rank]
    return tuple(r.choice([0, 1, r.randint(1, top)]) if r.random() < 0.15 else r.randint(1, top) for _ in range(rank))


def styles_of(library):
    return {"numpy": ["numpy_str", "numpy_repr"], "torch": ["torch"], "jax": ["jax_repr"],
            "tf": ["tf_str", "tf_repr"]}[library]


def dtypes_of(library):
    return ["f32", "f32", "f64", "f16", "bool"] + INTS + (["bf16"] if library in ("torch", "jax") else [])


def fixed_cases(library):
    for style in styles_of(library):
        for d in dict.fromkeys(dtypes_of(library)):
            one = to_bits(d, [1])
            for shape in ((), (1,), (0,), (0, 3), (2, 0), (1, 1), (1, 1, 1), (3,), (2, 3), (2, 2, 2), (2, 1, 2, 1, 2)):
                case(style, d, shape, one * int(np.prod(shape)) if shape else one)
        for d in ("f32", "f64", "i64", "i32"):
            for shape in ((1000,), (6, 6, 6, 6)) * (d == "i32") + ((1001,), (40, 26), (7, 200), (2, 3, 200), (7, 2, 80), (1001, 1),
                          (1, 1001), (2000, 2)):
                for start, step in ((0.0, 1.0), (-3.0, 0.125)) if d[0] == "f" else ((-5.0, 3.0),):
                    n = int(np.prod(shape))
                    case(style, d, shape, to_bits(d, [start + step * i for i in range(n)]), ramp=(start, step))
        for d in ("f32", "f64"):
            for v in (0.0, -0.0, 1.0, -1.5, 0.1, 1 / 3, 1e5, 999999.0, 1e6, 123456.789, 1e7, 1e8, 1.5e8, 1e15, 1e16, 1e-4,
                      9.9e-5, 1e-5, 5e-324, 1e300, float("nan"), float("inf"), -float("inf")):
                case(style, d, (), to_bits(d, [v]))
                case(style, d, (2,), to_bits(d, [v, 1.0]))
    if library == "numpy":
        for d in dict.fromkeys(dtypes_of(library)):
            case("numpy_scalar", d, (), to_bits(d, [1]))
        for options in ({"precision": 3}, {"precision": 0}, {"precision": 12}, {"suppress": True}, {"threshold": 5},
                        {"threshold": 5, "edgeitems": 1}, {"linewidth": 40}, {"linewidth": 10}):
            for style in styles_of(library):
                case(style, "f64", (12,), to_bits("f64", [10 ** (i / 3 - 3) for i in range(12)]), options)
                case(style, "f32", (3, 4), to_bits("f32", [i * 1.37 for i in range(12)]), options)
    if library == "torch":
        f = to_bits("f32", [0.5, 1.25, -3.0])
        case("torch", "f32", (3,), f, {"requires_grad": True})
        case("torch", "f32", (3,), f, {"grad_fn": True})
        case("torch", "f32", (3,), f, {"parameter": True})
        case("torch", "f64", (3,), to_bits("f64", [0.5, 1.25, -3.0]), {"grad_fn": True})
        case("torch", "f32", (), to_bits("f32", [2.0]), {"grad_fn": True})
        case("torch", "f32", (0, 2), [], {"requires_grad": True})
        for n in range(5, 12):
            case("torch", "f64", (n,), to_bits("f64", [0.5 * i for i in range(n)]), {"requires_grad": True})
            case("torch", "f32", (2, n), to_bits("f32", [0.5 * i for i in range(2 * n)]), {"grad_fn": True})
        for options in ({"precision": 2}, {"precision": 0}, {"precision": 10}, {"sci_mode": 1}, {"sci_mode": 0}, {"threshold": 5},
                        {"threshold": 5, "edgeitems": 1}, {"linewidth": 40}, {"linewidth": 10}):
            case("torch", "f32", (12,), to_bits("f32", [10 ** (i / 3 - 3) for i in range(12)]), options)
            case("torch", "f32", (3, 4), to_bits("f32", [i * 1.37 for i in range(12)]), options)
            case("torch", "i64", (12,), to_bits("i64", list(range(12))), options)
            case("torch", "f32", (3,), to_bits("f32", [1, 2, 3]), options)
    if library == "jax":
        for d in ("f32", "i32", "f64"):
            case("jax_weak", d, (), to_bits(d, [1]))
            case("jax_weak", d, (3,), to_bits(d, [1, 2, 3]))
        for n in range(10, 30):
            case("jax_repr", "f32", (n,), to_bits("f32", [i + 0.5 for i in range(n)]))
    if library == "tf":
        case("tf_variable", "f32", (2,), to_bits("f32", [1, 2.5]), {"name": "v:0"})
        case("tf_variable", "f32", (2, 2), to_bits("f32", [1, 2.5, 3, 4]), {"name": "v:0"})
        case("tf_variable", "i32", (), to_bits("i32", [3]), {"name": "v:0"})


def random_cases(library, count, seed):
    r = random.Random(seed)
    for _ in range(count):
        dtype, shape = r.choice(dtypes_of(library)), random_shape(r)
        bits = random_bits(r, dtype, int(np.prod(shape)) if shape else 1)
        options = {}
        if r.random() < 0.25:
            options["threshold"] = r.choice([3, 10, 30])
            options["edgeitems"] = r.choice([1, 2, 3])
        if r.random() < 0.15:
            options["linewidth"] = r.choice([20, 40, 60, 100])
        if r.random() < 0.15:
            options["precision"] = r.choice([1, 2, 3, 6, 10])
        if library in ("jax", "tf"):
            options = {}
        case(r.choice(styles_of(library)), dtype, shape, bits, options)


def main():
    library = sys.argv[1]
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 80
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    where = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "golden", "print")
    path = sys.argv[4] if len(sys.argv) > 4 else os.path.join(where, library + ".txt")
    if len(sys.argv) <= 4:
        fixed_cases(library)
    random_cases(library, count, seed)
    with open(path, "w") as f:
        f.write(f"# {library}: made by tools/golden_print.py, which explains the lines\n" + "\n".join(lines) + "\n")


main()
