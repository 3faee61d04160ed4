/* pair.h -- complex numbers: what the ops are on one element, in double precision.
 *
 * Products and quotients are written out, without the search for lost infinities that C's
 * own have: they are what a target computes with two real planes (opt/planes.c).
 */
#ifndef WEFT_PAIR_H
#define WEFT_PAIR_H

#include "op/factors_complex.h"

typedef wx_z Pair;

static inline Pair pair(double re, double im) { return wx_z_of(re, im); }
static inline Pair pair_mul(Pair x, Pair y) { return wx_z_mul(x, y); }
static inline Pair pair_div(Pair x, Pair y) { return wx_z_div(x, y); }

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
