#!/usr/bin/env python3
"""Write src/base/pow10.h: powers of ten to 128 bits, for numbers to and from text.

    python3 tools/gen_pow10.py > src/base/pow10.h

Also proves the integer formulas for logarithms that number.h and number.c use, over the
ranges they use them in.
"""
from math import floor, log

LOW, HIGH = -342, 324  # POW10_MIN and POW10_MAX of number.h


def log2_floor(num, den):
    """floor(log2(num / den)), exactly."""
    e = num.bit_length() - den.bit_length()
    if (num << max(-e, 0)) < (den << max(e, 0)):
        e -= 1
    return e


def log10_floor(num, den):
    """floor(log10(num / den)), exactly."""
    k = floor(log(2) / log(10) * log2_floor(num, den)) - 1
    while num * 10 ** max(-k - 1, 0) >= den * 10 ** max(k + 1, 0):
        k += 1
    return k


def ratio(base, e):
    return (base**e, 1) if e >= 0 else (1, base**-e)


def prove():
    for k in range(-400, 401):
        assert k * 1741647 >> 19 == log2_floor(*ratio(10, k)), k
    for q in range(-1100, 1000):
        n, d = ratio(2, q)
        assert q * 1262611 >> 22 == log10_floor(n, d), q
        assert q * 1262611 - 524031 >> 22 == log10_floor(3 * n, 4 * d), q


def significand(k):
    """ceil(10^k / 2^(floor(log2(10^k)) - 127)), of exactly 128 bits."""
    num, den = ratio(10, k)
    e = log2_floor(num, den) - 127
    g = -(-(num << max(-e, 0)) // (den << max(e, 0)))
    assert g.bit_length() == 128
    return g


def main():
    prove()
    print("/* pow10.h -- 10^k to 128 bits, rounded up, for k = POW10_MIN .. POW10_MAX.")
    print(" *")
    print(" * {hi, lo} with 2^127 <= hi*2^64 + lo < 2^128. Exact for 0 <= k <= 55.")
    print(" * Included by number.c. Made by tools/gen_pow10.py; edit that. */")
    print("const uint64_t pow10_bits[POW10_MAX - POW10_MIN + 1][2] = {")
    for k in range(LOW, HIGH + 1):
        g = significand(k)
        print(f"    {{0x{g >> 64:016x}, 0x{g & (1 << 64) - 1:016x}}}, /* 1e{k} */")
    print("};")


main()
