/* pair.h -- complex numbers: what the ops are on one element, in double precision.
 *
 * Products and quotients are written out, without the search for lost infinities that C's
 * own have: they are what a target computes with two real planes (opt/planes.c).
 */
#ifndef WEFT_PAIR_H
#define WEFT_PAIR_H

#include <complex.h>
#include <math.h>
#include <string.h>

typedef double _Complex Pair;

/* As CMPLX, which not every compiler has: no arithmetic, so infinities and -0 stay. */
static inline Pair pair(double re, double im)
{
    Pair z;

    memcpy(&z, (double[2]){re, im}, sizeof z);
    return z;
}

static inline Pair pair_mul(Pair x, Pair y)
{
    double a = creal(x), b = cimag(x), c = creal(y), d = cimag(y);

    return pair(a * c - b * d, a * d + b * c);
}

/* By the larger part of y, so that nothing overflows on the way. x / 0: each part by 0. */
static inline Pair pair_div(Pair x, Pair y)
{
    double a = creal(x), b = cimag(x), c = creal(y), d = cimag(y), r, scale;

    if (c == 0 && d == 0)
        return pair(a / fabs(c), b / fabs(d));
    if (fabs(c) >= fabs(d)) {
        r = d / c;
        scale = 1 / (c + d * r);
        return pair((a + b * r) * scale, (b - a * r) * scale);
    }
    r = c / d;
    scale = 1 / (d + c * r);
    return pair((a * r + b) * scale, (b * r - a) * scale);
}

/* Whole powers, as far as they are cheap, by products; 0^0 is 1. */
static inline Pair pair_pow(Pair x, Pair y)
{
    double n = creal(y);
    Pair r = 1;

    if (cimag(y) != 0 || n != floor(n) || fabs(n) > 100)
        return x == 0 ? (creal(y) > 0 ? pair(0, 0) : pair(NAN, NAN)) : cpow(x, y);
    for (int k = (int)fabs(n); k; k >>= 1, x = pair_mul(x, x))
        if (k & 1)
            r = pair_mul(r, x);
    return n < 0 ? pair_div(1, r) : r;
}

static inline Pair pair_expm1(Pair x)
{
    double a = creal(x), b = cimag(x), s = sin(b / 2);

    return pair(expm1(a) * cos(b) - 2 * s * s, exp(a) * sin(b));
}

static inline Pair pair_log1p(Pair x)
{
    double a = creal(x), b = cimag(x);

    if (fabs(a) > 0.5 || fabs(b) > 0.5)
        return clog(pair(1 + a, b));
    return pair(0.5 * log1p(a * (2 + a) + b * b), atan2(b, 1 + a));
}

#endif
