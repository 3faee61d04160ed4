"""Golden cases of control flow: values only, derivatives have tests of their own."""

import random

import numpy as np

from core import File, sample


def lines(text):
    return [line for line in text.strip("\n").split("\n")]


def control(f, rng):
    x = sample(rng, "f64", (3,))
    twice = lines("""
twice(x: f64[N]) {
  y = add x x
  ret y
}""")
    negate = lines("""
negate(x: f64[N]) {
  y = neg x
  ret y
}""")
    for op, more in (("call", ""), ("checkpoint", ""), ("checkpoint", " policy=dots")):
        f.case(
            f"{op}{'_dots' if more else ''}",
            {"x": x},
            f"y = {op} x body=twice{more}",
            {"y": x + x},
            before=twice,
        )
    f.case(
        "identities",
        {"x": x},
        ["a = stop_gradient x", 'b = name x as="hidden"', "c, d = opt_barrier x a"],
        {"a": x, "b": x, "c": x, "d": x},
    )
    for i in (-5, 0, 1, 2, 9):
        f.case(
            f"cond_{i}".replace("-", "minus_"),
            {"i": np.int32(i), "x": x},
            "y = cond i x branches=[twice,negate,negate]",
            {"y": x + x if i <= 0 else -x},
            before=twice + negate,
        )
    for p in (False, True):
        f.case(
            f"cond_{str(p).lower()}",
            {"p": np.bool_(p), "x": x},
            "y = cond p x branches=[negate,twice]",
            {"y": x + x if p else -x},
            before=twice + negate,
        )
    step = lines("""
step(k: f64[], c: f64[], s: f64[2]) {
  z = const f64[] 0
  a = reduce_sum s axes=[0]
  m = mul k c
  n = add m a
  ret n, c
}""")
    xs = sample(rng, "f64", (4, 2))
    for reverse in (False, True):
        c, ys = 1.0, [0.0] * 4
        for t in (reversed(range(4)) if reverse else range(4)):
            ys[t] = c
            c = 0.5 * c + float(xs[t].sum())
        f.case(
            f"scan_{'backwards' if reverse else 'forwards'}",
            {"k": np.float64(0.5), "c": np.float64(1), "x": xs},
            f"l, y = scan k c x body=step nconst=1 ncarry=1 length=4{' reverse=true' if reverse else ''}",
            {"l": np.float64(c), "y": np.array(ys)},
            "rel=1e-14",
            before=step,
        )
    f.case(
        "scan_nothing",
        {"k": np.float64(0.5), "c": np.float64(1), "x": xs[:0]},
        "l, y = scan k c x body=step nconst=1 ncarry=1 length=0",
        {"l": np.float64(1), "y": np.zeros(0)},
        before=step,
    )
    loop = lines("""
less(n: i64[], i: i64[], a: i64[]) {
  p = lt i n
  ret p
}
fib(i: i64[], a: i64[]) {
  o = const i64[] 1
  j = add i o
  t = add a a
  b = add t i
  ret j, b, b
}""")
    for n in (0, 1, 5):
        i, a, ys = 0, 1, []
        while i < n:
            a = 2 * a + i
            i += 1
            ys.append(a)
        f.case(
            f"while_{n}_turns",
            {"n": np.int64(n), "i": np.int64(0), "a": np.int64(1)},
            "j, b, y = while n i a cond=less body=fib ncond=1 trips=K",
            {"j": np.int64(i), "b": np.int64(a), "y": np.array(ys, np.int64)},
            before=loop,
        )
        kept = (ys + [0] * 3)[:3]
        f.case(
            f"while_{n}_turns_of_3",
            {"n": np.int64(n), "i": np.int64(0), "a": np.int64(1)},
            "j, b, y = while n i a cond=less body=fib ncond=1 bound=3",
            {
                "j": np.int64(min(n, 3)),
                "b": np.int64(([1] + ys)[min(n, 3)]),
                "y": np.array(kept, np.int64),
            },
            before=loop,
        )
    rule = lines("""
sine(x: f64[3]) {
  y = add x x
  ret y
}
rule(x: f64[3], d: f64[3]) {
  y = add x x
  e = add d d
  ret y, e
}
forward(x: f64[3]) {
  y = add x x
  ret y, x
}
backward(r: f64[3], g: f64[3]) {
  h = mul r g
  ret h
}""")
    f.case(
        "custom_rules",
        {"x": x},
        [
            "a = custom_jvp x primal=sine rule=rule",
            "b = custom_vjp x primal=sine fwd=forward bwd=backward",
        ],
        {"a": x + x, "b": x + x},
        before=rule,
    )


def write(directory):
    with File(directory, "control", "Sub-programs.") as f:
        control(f, random.Random(4))
