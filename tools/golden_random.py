#!/usr/bin/env python3
"""golden_random.py -- random numbers of the real libraries, for tests/test_random.c.

    python3 tools/golden_random.py LIBRARY... > /dev/null      writes tests/golden/random/LIBRARY.txt

LIBRARY is torch, numpy, python or jax (the latter with and without 64-bit types). A line is one call on
the generator that the last `seed` line made:

    FUNCTION DTYPE N ARGUMENT.. = BITS ..          hexadecimal bits of all N elements; of more than 40 the
                                                   first and last 8, then #CHECKSUM of all
    FUNCTION DTYPE N ARGUMENT.. ~ BITS ..          the same where a last bit may differ (no checksum): the
                                                   first and the last 24

The checksum is c = c*0x9E3779B97F4A7C15 + bits (mod 2^64) over the elements.
"""
import os
import struct
import sys

SIZES = [0, 1, 2, 15, 16, 17, 31, 32, 33, 100, 1000]
lines = []


def show(values, exact):
    full = 40 if exact else 48
    words = [format(v, "x") for v in values]
    if len(words) <= full:
        return " ".join(words)
    if not exact:
        return " ".join(words[:24] + ["..."] + words[-24:])
    c = 0
    for v in values:
        c = (c * 0x9E3779B97F4A7C15 + v) % 2**64
    return " ".join(words[:8] + ["..."] + words[-8:] + [f"#{c:x}"])


def case(call, values, exact=True):
    lines.append(f"{call} {'=' if exact else '~'} {show(list(values), exact)}".rstrip())


def bits_of(array):
    """Elements of a NumPy array as unsigned integers."""
    import numpy as np

    a = np.ascontiguousarray(array).reshape(-1)
    return [int(v) for v in a.view(f"u{a.dtype.itemsize}")]


def f64(x):
    return struct.unpack("<Q", struct.pack("<d", x))[0]


def h(x):
    return float(x).hex()


# ---- torch ----------------------------------------------------------------------------------------


def torch_cases():
    import torch

    names = {"f64": torch.float64, "f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16,
             "i64": torch.int64, "i32": torch.int32, "i16": torch.int16, "i8": torch.int8, "u8": torch.uint8,
             "bool": torch.bool}
    ints = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}

    def bits(t):
        size = t.element_size()
        if t.numel() == 0:
            return []
        return [v % 2 ** (8 * size) for v in t.reshape(-1).contiguous().view(ints[size]).tolist()]

    def seed(s):
        torch.manual_seed(s)
        lines.append(f"seed {s}")

    for s in (0, 42, 2**40 + 7):
        seed(s)
        for d in ("f32", "f64", "f16", "bf16"):
            for n in SIZES:
                case(f"uniform {d} {n} {h(0)} {h(1)}", bits(torch.rand(n, dtype=names[d])))
            case(f"uniform {d} 33 {h(-0.3)} {h(2.7)}", bits(torch.empty(33, dtype=names[d]).uniform_(-0.3, 2.7)))
    for s in (0, 42):
        for d in ("f32", "f64", "f16", "bf16"):
            seed(s)
            for n in SIZES:
                case(f"normal {d} {n} {h(0)} {h(1)}", bits(torch.randn(n, dtype=names[d])), exact=False)
                case(f"normal {d} {n} {h(1.5)} {h(0.3)}", bits(torch.empty(n, dtype=names[d]).normal_(1.5, 0.3)),
                     exact=False)
        seed(s)  # the pending half of a pair, across calls
        case(f"normal f32 1 {h(0)} {h(1)}", bits(torch.randn(1)), exact=False)
        case(f"uniform f32 2 {h(0)} {h(1)}", bits(torch.rand(2)))
        case(f"normal f32 2 {h(0)} {h(1)}", bits(torch.randn(2)), exact=False)
        case(f"normal f32 20 {h(0)} {h(1)}", bits(torch.randn(20)), exact=False)
        case(f"normal f64 2 {h(0)} {h(1)}", bits(torch.randn(2, dtype=torch.float64)), exact=False)
    seed(7)
    for d in ("f32", "f64", "f16"):
        for n in (1, 5, 100):
            t = torch.empty(n, dtype=names[d])
            case(f"exponential {d} {n} {h(1.5)}", bits(t.exponential_(1.5)), exact=False)
            case(f"cauchy {d} {n} {h(0.5)} {h(2)}", bits(t.cauchy_(0.5, 2)), exact=False)
            case(f"log_normal {d} {n} {h(0.5)} {h(0.25)}", bits(t.log_normal_(0.5, 0.25)), exact=False)
            case(f"geometric {d} {n} {h(0.2)}", bits(t.geometric_(0.2)))
    for d in ("f32", "f64", "bool", "i64", "u8"):
        for n in SIZES:
            case(f"bernoulli {d} {n} {h(0.3)}", bits(torch.empty(n, dtype=names[d]).bernoulli_(0.3)))
    for n in SIZES:
        p32 = (torch.arange(n, dtype=torch.float32) + 0.5) / max(n, 1)
        case(f"bernoulli_each f32 {n} f32", bits(torch.bernoulli(p32)))
        case(f"bernoulli_each f64 {n} f64", bits(torch.bernoulli(p32.double())))
    for n in SIZES:
        ones = torch.nn.functional.dropout(torch.ones(n), 0.4)
        case(f"bernoulli f32 {n} {h(1 - 0.4)}", bits((ones != 0).float()))
    for lo, hi in ((0, 10), (-5, 5), (0, 1), (0, 2**31), (-(2**31), 2**31), (0, 2**32), (0, 2**40), (-(2**62), 2**62),
                   (-(2**63), 2**63 - 1)):
        for n in (1, 5, 100):
            case(f"randint i64 {n} {lo} {hi}", bits(torch.randint(lo, hi, (n,))))
    case("randint i8 100 -128 127", bits(torch.randint(-128, 127, (100,), dtype=torch.int8)))
    case("randint u8 100 0 256", bits(torch.randint(0, 256, (100,), dtype=torch.uint8)))
    case("randint i16 100 -9 300", bits(torch.randint(-9, 300, (100,), dtype=torch.int16)))
    case("randint i32 100 -9 300", bits(torch.randint(-9, 300, (100,), dtype=torch.int32)))
    case("randint f32 100 -9 300", bits(torch.randint(-9, 300, (100,), dtype=torch.float32)))
    for d in names:
        case(f"random {d} 33", bits(torch.empty(33, dtype=names[d]).random_()))
    for n in SIZES:
        case(f"randperm i64 {n}", bits(torch.randperm(n)))
    seed(11)
    for d in ("f32", "f64"):
        w = torch.tensor([0.1, 3.0, 0.0, 2.0, 0.7, 1.0, 5.5], dtype=names[d])
        for m in (1, 3, 6):
            case(f"multinomial {d} {m} 0", bits(torch.multinomial(w, m)))
        for m in (1, 5, 100):
            case(f"multinomial {d} {m} 1", bits(torch.multinomial(w, m, replacement=True)))
    for k in (0, 1, 622, 1, 1, 3):
        seed_now = torch.rand(k)
        case(f"uniform f32 {k} {h(0)} {h(1)}", bits(seed_now))
        case("state u8 5056", torch.get_rng_state().tolist())
    torch.randn(1, dtype=torch.float64)
    seed(3)
    case(f"normal f64 1 {h(0)} {h(1)}", bits(torch.randn(1, dtype=torch.float64)), exact=False)
    case("uniform f32 0 0x0p+0 0x1p+0", [])


# ---- numpy ------------------------------------------------------------------------------------------


def numpy_cases():
    import numpy as np

    kinds = {"bool": np.bool_, "i8": np.int8, "u8": np.uint8, "i16": np.int16, "u16": np.uint16, "i32": np.int32,
             "u32": np.uint32, "i64": np.int64, "u64": np.uint64}
    ranges = {"bool": [(0, 2)], "i8": [(0, 10), (-128, 128), (-5, 5)], "u8": [(0, 256), (3, 4), (0, 200)],
              "i16": [(-300, 300), (-(2**15), 2**15)], "u16": [(0, 2**16), (5, 1000)],
              "i32": [(0, 10), (-(2**31), 2**31), (-(2**30), 2**31 - 5)], "u32": [(0, 2**32), (0, 3 * 2**30)],
              "i64": [(0, 1), (0, 10), (0, 2**32), (0, 2**33 + 5), (-(2**63), 2**63), (-(2**62), 2**62 + 9)],
              "u64": [(0, 2**64), (7, 3 * 2**61)]}
    weights = np.array([0.1, 0.3, 0.0, 0.2, 0.25, 0.15])
    for s in (0, 42, 123456789, 2**32 + 5, 2**63 + 11):
        r = np.random.default_rng(s)
        lines.append(f"seed {s}")
        for n in SIZES:
            case(f"uniform f64 {n} {h(0)} {h(1)}", bits_of(r.random(n)))
            case(f"uniform f32 {n} {h(0)} {h(1)}", bits_of(r.random(n, dtype=np.float32)))
            case(f"normal f64 {n} {h(0)} {h(1)}", bits_of(r.standard_normal(n)))
            case(f"normal f32 {n} {h(0)} {h(1)}", bits_of(r.standard_normal(n, dtype=np.float32)))
            case(f"permutation i64 {n}", bits_of(r.permutation(n)))
        case(f"normal f64 20000 {h(0)} {h(1)}", bits_of(r.standard_normal(20000)))
        case(f"normal f32 20000 {h(0)} {h(1)}", bits_of(r.standard_normal(20000, dtype=np.float32)))
        case(f"uniform f64 33 {h(-2.5)} {h(7.25)}", bits_of(r.uniform(-2.5, 7.25, 33)))
        case(f"normal f64 33 {h(3)} {h(0.5)}", bits_of(r.normal(3, 0.5, 33)))
        for d, pairs in ranges.items():
            for lo, hi in pairs:
                for n in (1, 7, 33, 1000):
                    case(f"integers {d} {n} {lo} {hi - 1}", bits_of(r.integers(lo, hi, n, dtype=kinds[d])))
        for pop, m, shuffle in ((10, 10, 1), (10, 3, 1), (10, 3, 0), (1000, 100, 1), (20000, 30, 1), (20000, 1000, 1),
                                (20000, 1000, 0), (20000, 1001, 0), (1, 1, 1), (5, 0, 1)):
            case(f"choice i64 {m} {pop} 0 {shuffle} 0", bits_of(r.choice(pop, m, replace=False, shuffle=bool(shuffle))))
            case(f"choice i64 {m} {pop} 1 1 0", bits_of(r.choice(pop, m)))
        for m in (1, 5):
            case(f"choice i64 {m} 6 0 1 1", bits_of(r.choice(6, m, replace=False, p=weights)))
            case(f"choice i64 {m * 7} 6 1 1 1", bits_of(r.choice(6, m * 7, p=weights)))
        x = np.arange(50)
        r.shuffle(x)
        case("permutation i64 50", bits_of(x))
    r = np.random.default_rng([1, 2**40, 3])
    lines.append("seed_words 1 0 100 3")
    case(f"uniform f64 5 {h(0)} {h(1)}", bits_of(r.random(5)))
    r = np.random.default_rng(10**60)
    lines.append("seed_words " + " ".join(format(10**60 >> 32 * i & 0xFFFFFFFF, "x") for i in range(7)))
    case(f"uniform f64 5 {h(0)} {h(1)}", bits_of(r.random(5)))

    for s in (0, 42, 2**32 - 1):
        r = np.random.RandomState(s)
        lines.append(f"legacy {s}")
        for n in SIZES:
            case(f"uniform f64 {n} {h(0)} {h(1)}", bits_of(r.random_sample(n)))
            case(f"normal f64 {n} {h(0)} {h(1)}", bits_of(r.randn(n)))
            case(f"permutation i64 {n}", bits_of(r.permutation(n)))
        case(f"uniform f64 33 {h(-2.5)} {h(7.25)}", bits_of(r.uniform(-2.5, 7.25, 33)))
        case(f"normal f64 33 {h(3)} {h(0.5)}", bits_of(r.normal(3, 0.5, 33)))
        case(f"exponential f64 33 {h(2)}", bits_of(r.exponential(2, 33)))
        for d, pairs in ranges.items():
            for lo, hi in pairs:
                for n in (1, 7, 33, 1000):
                    case(f"integers {d} {n} {lo} {hi - 1}", bits_of(r.randint(lo, hi, n, dtype=kinds[d])))
        for pop, m in ((10, 10), (10, 3), (1000, 100), (20000, 30)):
            case(f"choice i64 {m} {pop} 0 1 0", bits_of(r.choice(pop, m, replace=False)))
            case(f"choice i64 {m} {pop} 1 1 0", bits_of(r.choice(pop, m)))
        for m in (1, 5):
            case(f"choice i64 {m} 6 0 1 1", bits_of(r.choice(6, m, replace=False, p=weights)))
            case(f"choice i64 {m * 7} 6 1 1 1", bits_of(r.choice(6, m * 7, p=weights)))
        x = list(range(50))
        r.shuffle(x)
        case("permutation i64 50", x)
    r = np.random.RandomState([5, 6, 7])
    lines.append("legacy_words 5 6 7")
    case(f"uniform f64 5 {h(0)} {h(1)}", bits_of(r.random_sample(5)))


# ---- python -----------------------------------------------------------------------------------------------


def python_cases():
    import random as r

    def all_of():
        def many(n, f):
            return [f() for _ in range(n)]

        m64 = 2**64
        case("random f64 33", map(f64, many(33, r.random)))
        for k in (0, 1, 5, 32, 33, 64):
            case(f"bits u64 9 {k}", many(9, lambda: r.getrandbits(k)))
        for a, b in ((0, 9), (-5, 5), (7, 7), (0, 2**40), (-(2**63), 2**63 - 1)):
            case(f"randint i64 40 {a} {b}", [v % m64 for v in many(40, lambda: r.randint(a, b))])
        for a, b, c in ((0, 10, 1), (0, 10, 3), (10, 0, -3), (-7, 100, 10), (5, -6, -1)):
            case(f"randrange i64 40 {a} {b} {c}", [v % m64 for v in many(40, lambda: r.randrange(a, b, c))])
        case(f"uniform f64 9 {h(-1.5)} {h(4)}", map(f64, many(9, lambda: r.uniform(-1.5, 4))))
        case(f"triangular f64 9 {h(0)} {h(3)} {h(1)}", map(f64, many(9, lambda: r.triangular(0, 3, 1))))
        case(f"gauss f64 9 {h(1)} {h(2)}", map(f64, many(9, lambda: r.gauss(1, 2))))
        case(f"normalvariate f64 9 {h(1)} {h(2)}", map(f64, many(9, lambda: r.normalvariate(1, 2))))
        case(f"expovariate f64 9 {h(2)}", map(f64, many(9, lambda: r.expovariate(2))))
        for n in SIZES:
            x = list(range(n))
            r.shuffle(x)
            case(f"shuffle i64 {n}", x)
        for n, k in ((0, 0), (1, 1), (10, 3), (10, 10), (21, 5), (22, 5), (85, 6), (86, 6), (1000, 20), (100000, 400)):
            case(f"sample i64 {k} {n}", r.sample(range(n), k))
        case("choices i64 40 7 0", r.choices(range(7), k=40))
        case("choices i64 40 4 1", r.choices(range(4), [1, 0, 2.5, 4], k=40))

    for s in (0, 1, 42, -42, 2**32, 2**62 + 12345):
        r.seed(s)
        lines.append(f"seed {s}")
        all_of()
    for s in ("", "hello", "x" * 63, "y" * 64, "z" * 111, "a" * 112, "b" * 128, "c" * 300, "größe"):
        r.seed(s)
        lines.append("seed_text " + (s.encode().hex() or "-"))
        case("random f64 5", [f64(r.random()) for _ in range(5)])
    for s in (0.0, 1.0, -1.0, 0.5, -0.1, 3.14159, 1e300, 5e-324, float("inf"), 2.0**61):
        r.seed(s)
        lines.append("seed_float " + s.hex())
        case("random f64 5", [f64(r.random()) for _ in range(5)])
    r.seed(10**40)
    lines.append("seed_words " + " ".join(format(10**40 >> 32 * i & 0xFFFFFFFF, "x") for i in range(5)))
    case("random f64 5", [f64(r.random()) for _ in range(5)])


# ---- jax --------------------------------------------------------------------------------------------------


def jax_cases():
    import jax
    import jax.numpy as jnp
    import numpy as np
    from jax import random

    def shape_name(s):
        return "x".join(map(str, s)) if s else "-"

    shapes = [(n,) for n in SIZES] + [(), (3, 5), (2, 3, 4), (2, 0)]
    floats = {"f32": jnp.float32, "f16": jnp.float16, "bf16": jnp.bfloat16}
    for wide in (False, True):
        jax.config.update("jax_enable_x64", wide)
        if wide:
            floats = {"f64": jnp.float64}
            uints = {"u64": jnp.uint64}
            ints = {"i64": jnp.int64, "u64": jnp.uint64}
        else:
            uints = {"u32": jnp.uint32, "u16": jnp.uint16, "u8": jnp.uint8}
            ints = {"i32": jnp.int32, "u32": jnp.uint32, "i16": jnp.int16, "u16": jnp.uint16, "i8": jnp.int8,
                    "u8": jnp.uint8}
        for s in (0, 42, 2**31 - 1) + ((2**40 + 5,) if wide else ()):
            k = random.PRNGKey(s)
            lines.append(f"seed {s}")
            if not wide:
                case("key u32 2", bits_of(k))
                for shape in ((1,), (2,), (3,), (2, 3), (100,)):
                    case(f"split u32 {shape_name(shape)}", bits_of(random.split(k, shape if len(shape) > 1 else shape[0])))
                for d in (0, 1, 7, 2**31 - 1):
                    case(f"fold_in u32 - {d}", bits_of(random.fold_in(k, d)))
            for name, d in uints.items():
                for shape in shapes:
                    case(f"bits {name} {shape_name(shape)}", bits_of(random.bits(k, shape, d)))
            for name, d in floats.items():
                for shape in shapes:
                    n = shape_name(shape)
                    case(f"uniform {name} {n} {h(0)} {h(1)}", bits_of(random.uniform(k, shape, d)))
                    case(f"normal {name} {n}", bits_of(random.normal(k, shape, d)), exact=False)
                for shape in ((100,), (3, 5)):
                    n = shape_name(shape)
                    case(f"uniform {name} {n} {h(-1.5)} {h(2.25)}",
                         bits_of(random.uniform(k, shape, d, d(-1.5), d(2.25))), exact=False)
                    case(f"truncated_normal {name} {n} {h(-2)} {h(2)}",
                         bits_of(random.truncated_normal(k, -2, 2, shape, d)), exact=False)
                    case(f"truncated_normal {name} {n} {h(0)} {h(0.5)}",
                         bits_of(random.truncated_normal(k, 0, 0.5, shape, d)), exact=False)
                    case(f"bernoulli {name} {n} {h(0.25)}", bits_of(random.bernoulli(k, d(0.25), shape)))
                    for f in ("exponential", "gumbel", "laplace", "logistic", "cauchy"):
                        case(f"{f} {name} {n}", bits_of(getattr(random, f)(k, shape, d)), exact=False)
            for name, d in ints.items():
                info = jnp.iinfo(d)
                low, high = int(info.min), int(info.max)
                for lo, hi in ((0, 10), (5, 100), (3, 3), (low, high), (0, high)):
                    for shape in ((100,), (3, 5)):
                        case(f"randint {name} {shape_name(shape)} {lo} {hi}",
                             bits_of(random.randint(k, shape, d(lo), d(hi), d)))
            for n in SIZES + [5000]:
                case(f"permutation_n {'i64' if wide else 'i32'} {n}", bits_of(random.permutation(k, n)))
            x = jnp.arange(60, dtype=jnp.float32).reshape(3, 20)
            for axis in (0, 1):
                case(f"permutation f32 3x20 {axis}", bits_of(random.permutation(k, x, axis)))
            if not wide:
                case("rademacher f32 100", bits_of(random.rademacher(k, (100,), jnp.float32)))
                logits = jnp.sin(jnp.arange(24, dtype=jnp.float32)).reshape(4, 6)
                for axis, prefix in ((1, ()), (0, ()), (1, (5,)), (0, (2, 3))):
                    batch = (4,) if axis == 1 else (6,)
                    case(f"categorical i32 {shape_name(prefix + batch)} {axis}",
                         bits_of(random.categorical(k, logits, axis, prefix + batch)))


def main():
    where = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "golden", "random")
    os.makedirs(where, exist_ok=True)
    for name in sys.argv[1:]:
        lines.clear()
        globals()[name + "_cases"]()
        with open(os.path.join(where, name + ".txt"), "w") as f:
            f.write(f"# {name}: made by tools/golden_random.py, which explains the lines\n" + "\n".join(lines) + "\n")


main()
