/* special.h -- functions of one number that C's math.h lacks, or has with a global variable.
 *
 * Read by the evaluator, by the kernels, and as text by generated code, which has the
 * functions of math.h declared and nothing else.
 */
#ifndef WEFT_SPECIAL_H
#define WEFT_SPECIAL_H

#include <math.h>

double lgamma_r(double x, int *sign); /* POSIX: lgamma without signgam */

/* y with erf(y) = x, to a few ulp. +-1 gives +-inf, outside [-1, 1] NaN.
 *
 * Newton's method with Halley's correction (cubic: 2e-3, 1e-8, 1e-24) on erf(y) = x, or
 * on erfc(y) = 1-x where that is exact and better conditioned, from the approximation
 *   y = sqrt(sqrt(m*m - l/a) - m),  l = log(1 - x*x),  m = 2/(pi*a) + l/2,  a = 0.147. */
static inline double erf_inverse(double x)
{
    const double root = 0.88622692545275801365; /* sqrt(pi)/2 */
    double ax = fabs(x), l, m, y;

    if (!(ax < 1))
        return ax == 1 ? x * (double)INFINITY : (double)NAN;
    if (ax < 1e-8) /* the next term is x*x*pi/12 smaller */
        return x * root;
    l = log1p(-ax) + log1p(ax);
    m = 4.3307467508 + l / 2;
    y = sqrt(sqrt(m * m - l / 0.147) - m);
    for (int i = 0; i < 3; i++) {
        double r = (ax < 0.5 ? erf(y) - ax : (1 - ax) - erfc(y)) * root * exp(y * y);

        y -= r / (1 + y * r);
    }
    return copysign(y, x);
}

/* log |gamma(x)|: inf at 0, -1, -2 .. and both infinities. */
static inline double log_gamma(double x)
{
    int sign;

    return lgamma_r(x, &sign);
}

/* The derivative of log_gamma: -inf at 0, inf at -0, NaN at -1, -2 .. and -inf.
 *
 *   psi(x) = psi(1 - x) - pi / tan(pi x)   for x < 0
 *   psi(x) = psi(x + 1) - 1/x              up to 10, then
 *   psi(x) = log(x) - 1/(2x) - sum of B_2k / (2k x^2k) */
static inline double psi(double x)
{
    double shift = 0, z;

    if (x == 0)
        return -copysign((double)INFINITY, x);
    if (x < 0) {
        double part = x - rint(x); /* tan has period pi */

        if (!(fabs(part) > 0))
            return (double)NAN;
        shift = -3.14159265358979323846 / tan(3.14159265358979323846 * part);
        x = 1 - x;
    }
    for (; x < 10; x += 1)
        shift -= 1 / x;
    z = 1 / (x * x);
    z *= 1 / 12.0 -
         z * (1 / 120.0 -
              z * (1 / 252.0 -
                   z * (1 / 240.0 - z * (1 / 132.0 - z * (691 / 32760.0 - z / 12.0)))));
    return log(x) - 0.5 / x - z + shift;
}

#endif
