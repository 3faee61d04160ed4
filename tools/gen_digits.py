#!/usr/bin/env python3
"""gen_digits.py -- src/nn/digits.h from the digits as CSV (64 pixels 0..16 and the label in each row).

    gzip -dc digits.csv.gz | python3 tools/gen_digits.py > src/nn/digits.h
"""
import sys

HEADER = """/* digits.h -- 1797 handwritten digits of 8x8 pixels. Written by tools/gen_digits.py.
 *
 * Source: the test part of "Optical Recognition of Handwritten Digits", E. Alpaydin and C. Kaynak, UCI Machine Learning
 * Repository, 1998, https://doi.org/10.24432/C50P49, licence CC BY 4.0; the form scikit-learn ships.
 * A row is 64 pixels, 'A' for 0 .. 'Q' for 16, then the label as a digit.
 */
static const char digits[1797][66] = {"""

print(HEADER)
for line in sys.stdin:
    v = [int(x) for x in line.split(",")]
    assert len(v) == 65 and max(v[:64]) <= 16
    print('"' + "".join(chr(65 + x) for x in v[:64]) + str(v[64]) + '",')
print("};")
