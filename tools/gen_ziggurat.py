#!/usr/bin/env python3
"""gen_ziggurat.py -- write src/random/ziggurat.h: 256 layers of equal area under exp(-x*x/2), and under exp(-x).

Marsaglia and Tsang, "The Ziggurat Method for Generating Random Variables" (2000). With V the area
of a layer and R where the tail begins: x[255] = R, f(x[i]) = f(x[i+1]) + V/x[i+1], x[0] = 0. The
recurrence runs in doubles, as it did for the tables that NumPy's stream is defined by; at one step
their f was an ulp above what is computed here, and every later layer depends on it.

    python3 tools/gen_ziggurat.py > src/random/ziggurat.h
"""
import math
from decimal import Decimal, getcontext

R = 3.6541528853610088
V = 0.0049286732339746519
ULP_STEPS = {38: 1}  # layer: ulps to add to f there


def f(i, x):
    y = math.exp(-0.5 * x * x)
    return y + ULP_STEPS.get(i, 0) * math.ulp(y)


x = [0.0] * 256
x[255] = R
for i in range(254, 0, -1):
    x[i] = math.sqrt(-2 * math.log(f(i + 1, x[i + 1]) + V / x[i + 1]))
scale = 2.0**52
k = [round(R * f(255, R) / V * scale)] + [round(x[i - 1] / x[i] * scale) for i in range(1, 256)]
w = [V / f(255, R) / scale] + [v / scale for v in x[1:]]
y = [1.0] + [f(i, x[i]) for i in range(1, 256)]


# The same of the exponential density, of 53 bits; NumPy's tables are what this V gives without rounding.
getcontext().prec = 50
EXP_R, EXP_V = Decimal("7.69711747013104972"), Decimal("0.00394965982258155722")
ex = [Decimal(0)] * 256
ex[255] = EXP_R
for i in range(254, 0, -1):
    ex[i] = -(EXP_V / ex[i + 1] + (-ex[i + 1]).exp()).ln()
ek = [round(EXP_R * (-EXP_R).exp() / EXP_V * 2**53)] + [round(ex[i - 1] / ex[i] * 2**53) for i in range(1, 256)]
ew = [float(EXP_V / (-EXP_R).exp()) / 2**53] + [float(v) / 2**53 for v in ex[1:]]
ey = [1.0] + [float((-v).exp()) for v in ex[1:]]


def table(ctype, name, items, per_line, note):
    print(f"static const {ctype} {name}[256] = {{ /* {note} */")
    for i in range(0, 256, per_line):
        print("    " + " ".join(v + "," for v in items[i : i + per_line]))
    print("};\n")


print("/* ziggurat.h -- layers of the normal and the exponential density, made by tools/gen_ziggurat.py. */")
print("#ifndef WEFT_ZIGGURAT_H\n#define WEFT_ZIGGURAT_H\n\n#include <stdint.h>\n")
print(f"#define ZIGGURAT_R {R!r} /* where the tail begins */\n")
table("uint64_t", "ziggurat_k", [f"{v}u" for v in k], 4, "2^52 times x[i-1]/x[i]: surely inside")
table("double", "ziggurat_w", [v.hex() for v in w], 3, "x[i] * 2^-52")
table("double", "ziggurat_f", [v.hex() for v in y], 3, "exp(-x[i]*x[i]/2)")
print(f"#define ZIGGURAT_EXP_R {EXP_R}\n")
table("uint64_t", "ziggurat_exp_k", [f"{v}u" for v in ek], 4, "2^53 times x[i-1]/x[i]")
table("double", "ziggurat_exp_w", [v.hex() for v in ew], 3, "x[i] * 2^-53")
table("double", "ziggurat_exp_f", [v.hex() for v in ey], 3, "exp(-x[i])")
print("#endif")
