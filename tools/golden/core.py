"""Golden files: dtypes, correct rounding, and writing cases.

A case is a program, its inputs and the results it must give:

    add_f32(x: f32[3], y: f32[3]) {
      z = add x y
      ret z
    }
    in: 1 -0 nan
    in: 2 -0 1
    out: 3 -0 nan
    tol: ulps=0

`in` and `out` stand in the order of the program's inputs and results, elements in row-major
order. An input of symbolic shape says its dims: `in [2,3]: ..`. `tol`, one for each result,
is left out where the bits must agree (every NaN equals every NaN; 0 and -0 always differ):
ulps=N  at most N representable numbers apart; rel=R  at most R times the largest magnitude
of that result away. A blank line ends the case; # begins a comment line.
"""

import math
from fractions import Fraction

import ml_dtypes
import numpy as np

DTYPES = {
    "bool": np.bool_,
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
    "u8": np.uint8,
    "u16": np.uint16,
    "u32": np.uint32,
    "u64": np.uint64,
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f32": np.float32,
    "f64": np.float64,
}
FLOATS = ["f16", "bf16", "f32", "f64"]
SIGNED = ["i8", "i16", "i32", "i64"]
UNSIGNED = ["u8", "u16", "u32", "u64"]
INTS = SIGNED + UNSIGNED
NUMBERS = INTS + FLOATS
# precision in bits, exponent of the smallest denormal, exponent of the first number too large
FORMAT = {
    "f16": (11, -24, 16),
    "bf16": (8, -133, 128),
    "f32": (24, -149, 128),
    "f64": (53, -1074, 1024),
}


def name_of(a):
    for name, t in DTYPES.items():
        if a.dtype == t:
            return name
    raise TypeError(a.dtype)


def width(t):
    return np.dtype(DTYPES[t]).itemsize * 8


def int_range(t):
    if t == "bool":
        return 0, 1
    return (
        (0, 2 ** width(t) - 1) if t[0] == "u" else (-(2 ** (width(t) - 1)), 2 ** (width(t) - 1) - 1)
    )


def wrap(v, t):
    """The integer v modulo 2^width, in the range of t."""
    lo, _ = int_range(t)
    return (int(v) - lo) % 2 ** width(t) + lo


def round_to(t, x):
    """A Fraction, int or float rounded once, to nearest even, to float dtype t; as a Python float."""
    if not isinstance(x, (int, Fraction)):
        x = float(x)
        if math.isnan(x) or math.isinf(x) or x == 0:
            return x
        x = Fraction(x)
    x = Fraction(x)
    if x == 0:
        return 0.0
    bits, least, top = FORMAT[t]
    exp = x.numerator.bit_length() - x.denominator.bit_length()  # 2^(exp-1) < |x| < 2^(exp+1)
    if abs(x) < Fraction(2) ** exp:
        exp -= 1
    quantum = max(exp - bits + 1, least)
    n = round(abs(x) / Fraction(2) ** quantum)  # Fraction rounds halves to even
    sign = -1.0 if x < 0 else 1.0
    if n * Fraction(2) ** quantum >= Fraction(2) ** top:
        return sign * math.inf
    return sign * math.ldexp(n, quantum)


def array(t, values, shape=None):
    """Values (rounded to t if they are floats) as an array."""
    if t in FLOATS:
        a = np.array([round_to(t, v) for v in values], np.float64).astype(DTYPES[t])
    else:
        a = np.array(list(values), DTYPES[t])
    return a if shape is None else a.reshape(shape)


def number(t, v):
    """The shortest decimal that reads back as v."""
    if t == "bool":
        return "true" if v else "false"
    if t not in FLOATS:
        return str(int(v))
    v = float(v)
    if math.isnan(v):
        return "nan"
    if math.isinf(v):
        return "inf" if v > 0 else "-inf"
    if t == "f64":
        s = repr(v)
    else:
        for digits in range(1, 18):
            s = f"{v:.{digits}g}"
            if round_to(t, Fraction(s)) == v:
                break
    s = s.replace("e+0", "e").replace("e-0", "e-").replace("e+", "e")
    plain = repr(v)
    s = plain if len(plain) <= len(s) + 2 and "e" not in plain else s
    return s[:-2] if s.endswith(".0") else s


def type_text(a):
    return f"{name_of(a)}[{','.join(map(str, a.shape))}]"


class File:
    """One golden file; a with-statement writes it."""

    def __init__(self, directory, name, title):
        self.path = directory / f"{name}.txt"
        self.lines = [
            f"# {title}",
            "# Written by tools/golden/make.py; the format is described in tools/golden/core.py.",
            "",
        ]
        self.names = set()

    def __enter__(self):
        return self

    def __exit__(self, kind, *rest):
        if kind is None:
            self.path.write_text("\n".join(self.lines))

    def case(self, name, ins, body, outs, tol=None, types=None, before=()):
        """ins, outs: name -> array. body: equations. tol: one text for all results, or name -> text.
        types: name -> symbolic type. before: lines of programs that the body refers to."""
        if name in self.names:
            raise ValueError(name)
        self.names.add(name)
        types = types or {}
        params = ", ".join(f"{k}: {types.get(k) or type_text(a)}" for k, a in ins.items())
        self.lines += list(before)
        self.lines.append(f"{name}({params}) {{")
        self.lines += [f"  {line}" for line in ([body] if isinstance(body, str) else body)]
        self.lines.append(f"  ret {', '.join(outs)}" if outs else "  ret")
        self.lines.append("}")
        for k, a in ins.items():
            dims = f" [{','.join(map(str, a.shape))}]" if k in types else ""
            self.lines.append(self.data(f"in{dims}:", a))
        for k, a in outs.items():
            self.lines.append(self.data("out:", np.asarray(a)))
        if tol:
            self.lines += [
                f"tol: {tol if isinstance(tol, str) else tol.get(k, 'ulps=0')}" for k in outs
            ]
        self.lines.append("")

    @staticmethod
    def data(head, a):
        t = name_of(a)
        return " ".join([head] + [number(t, v) for v in a.reshape(-1)])


# How far sums may be off: they depend on the order of addition.
SUM_TOL = {"f64": "rel=1e-14", "f32": "rel=1e-6", "f16": "ulps=0 run=1", "bf16": "ulps=0 run=1"}


def ints_text(v):
    return "[" + ",".join(str(int(i)) for i in v) + "]"


def sample(rng, t, shape, special=False):
    """Random elements: small numbers; with the ends of the range, NaN, inf and -0 if special."""
    n = int(np.prod(shape))
    if t == "bool":
        return np.array([rng.random() < 0.5 for _ in range(n)], np.bool_).reshape(shape)
    if t not in FLOATS:
        lo, hi = int_range(t)
        odd = [lo, hi, 0]
        draw = lambda: rng.randrange(max(lo, -9), 10)  # noqa: E731
    else:
        odd = [math.nan, math.inf, -math.inf, -0.0, 0.0]
        draw = lambda: round_to(t, rng.uniform(-4, 4))  # noqa: E731
    values = [rng.choice(odd) if special and rng.random() < 0.25 else draw() for _ in range(n)]
    return array(t, values, shape)
