"""How far a result may be from the correctly rounded one, by op and dtype.

Two limits: of the oracle (eval), which computes in f64 and rounds once, and of anything
that runs a program (interpreter, compiled code), which is allowed faster arithmetic.
"""

from core import FLOATS

# op -> limits of the oracle in f64
ORACLE = {
    "exp": 1,
    "expm1": 1,
    "log": 1,
    "log1p": 1,
    "sin": 1,
    "cos": 1,
    "tan": 1,
    "tanh": 2,
    "asin": 1,
    "acos": 1,
    "atan": 1,
    "sinh": 2,
    "cosh": 2,
    "asinh": 2,
    "acosh": 2,
    "atanh": 2,
    "exp2": 1,
    "cbrt": 2,
    "lgamma": 8,
    "digamma": 128,
    "erf": 1,
    "erfc": 4,
    "erf_inv": 4,
    "rsqrt": 1,
    "logistic": 2,
    "pow": 1,
    "atan2": 1,
}
# Narrower dtypes are exact there but for results so near the middle between two numbers that
# f64 cannot tell: atan2 of tiny numbers.
ORACLE_NARROW = {"atan2": 1}
# op -> limits of a run: f32, f64
RUN = {
    "exp": (2, 2),
    "expm1": (3, 3),
    "log": (2, 2),
    "log1p": (3, 3),
    "sin": (2, 2),
    "cos": (2, 2),
    "tan": (4, 4),
    "tanh": (4, 4),
    "asin": (1, 1),
    "acos": (1, 1),
    "atan": (1, 1),
    "sinh": (1, 2),
    "cosh": (1, 2),
    "asinh": (1, 2),
    "acosh": (1, 2),
    "atanh": (1, 2),
    "exp2": (1, 1),
    "cbrt": (1, 2),
    "lgamma": (1, 8),
    "digamma": (1, 128),
    "erf": (4, 4),
    "erfc": (4, 4),
    "erf_inv": (8, 8),
    "rsqrt": (2, 2),
    "logistic": (4, 4),
    "pow": (4, 4),
    "atan2": (4, 4),
}
NARROW = 1  # f16 and bf16, computed in f32: rounded twice at worst


def limits(op, t):
    """(oracle, run) in units in the last place."""
    if op not in ORACLE:
        return 0, 0
    if t in ("f16", "bf16"):
        return ORACLE_NARROW.get(op, 0), NARROW
    return (ORACLE_NARROW.get(op, 0), RUN[op][0]) if t == "f32" else (ORACLE[op], RUN[op][1])


def text(op, t):
    oracle, run = limits(op, t) if t in FLOATS else (0, 0)
    return f"ulps={oracle} run={run}" if oracle or run else "ulps=0"


def write(path):
    lines = [
        "# Tolerances",
        "",
        "How far a result may lie from the correctly rounded one, in units in the last place. *Oracle* is `eval`,",
        "which computes in f64 and rounds once; *run* is everything that runs a program. Written by",
        "`tools/golden/make.py` from `tools/golden/tolerances.py`; the golden tests hold both to it.",
        "",
        "Ops that are not listed are exact: `add sub mul div rem sqrt` are correctly rounded in every dtype, and",
        "what compares, rounds to whole numbers, copies, moves or works on bits has one right answer. Denormals",
        "are kept, rounding is to nearest even, and the sign of zero counts.",
        "",
        "| op | oracle f64 | oracle f32 f16 bf16 | run f64 | run f32 | run f16 bf16 |",
        "|---|---|---|---|---|---|",
    ]
    for op in ORACLE:
        lines.append(
            f"| {op} | {ORACLE[op]} | {ORACLE_NARROW.get(op, 0)} | {RUN[op][1]} | {RUN[op][0]} | {NARROW} |"
        )
    lines += [
        "",
        "Sums of products and of many numbers depend on the order of addition, so their bound is relative to the",
        "largest magnitude in the result (`rel=` in the golden files): reductions, cumsum, window sums, dot_general and",
        "conv_general 1e-14 in f64 and 1e-6 in f32 for the sizes tested; the factorisations 1e-12 and",
        "1e-5 for well-conditioned matrices. f16 and bf16 sums are accumulated in f32 or better and rounded once.",
        "",
    ]
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join(lines))
