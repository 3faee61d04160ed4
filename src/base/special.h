/* special.h -- functions of one number that C's math.h lacks, or has with a global variable.
 *
 * Read by the evaluator, by the kernels, and as text by generated code, which has the
 * functions of math.h declared and nothing else.
 */
#ifndef WEFT_SPECIAL_H
#define WEFT_SPECIAL_H

#include <math.h>

double lgamma_r(double x, int *sign); /* POSIX: lgamma without signgam */

/* y with erf(y) = x, to a few ulp. +-1 gives +-inf, outside [-1, 1] NaN. Rational functions of x, or of the root of -log of the distance to 1 in
 * the tails (Wichura's PPND16, algorithm AS 241, relative error about 1e-16), for the quantile of x/2 over sqrt(2). */
static inline double erf_inverse(double x)
{
    const double half_root = 0.70710678118654752440, q = x / 2;
    double ax = fabs(x), r, n, d;

    if (!(ax < 1))
        return ax == 1 ? x * (double)INFINITY : (double)NAN;
    if (ax <= 0.85) {
        r = 0.180625 - q * q;
        n = 8.87094069625455176720e+2;
        n = n * r + 1.18194933470622945606e+4;
        n = n * r + 2.37820413821143847599e+4;
        n = n * r + 1.62358625151675751113e+4;
        n = n * r + 4.85488688938438826881e+3;
        n = n * r + 6.97062665343896014747e+2;
        n = n * r + 4.70726881123839788756e+1;
        n = n * r + 1.19753231156709127880e+0;
        d = 5.2264952788528545610e+3;
        d = d * r + 2.8729085735721942674e+4;
        d = d * r + 3.9307895800092710610e+4;
        d = d * r + 2.1213794301586595867e+4;
        d = d * r + 5.3941960214247511077e+3;
        d = d * r + 6.8718700749205790830e+2;
        d = d * r + 4.2313330701600911252e+1;
        return x * (n / (d * r + 1)); /* coefficients of n have sqrt(2)/4 in them, which would round once more */
    }
    r = sqrt(-log((1 - ax) / 2));
    if (r <= 5) {
        r -= 1.6;
        n = 7.74545014278341407640e-4;
        n = n * r + 2.27238449892691845833e-2;
        n = n * r + 2.41780725177450611770e-1;
        n = n * r + 1.27045825245236838258e+0;
        n = n * r + 3.64784832476320460504e+0;
        n = n * r + 5.76949722146069140550e+0;
        n = n * r + 4.63033784615654529590e+0;
        n = n * r + 1.42343711074968357734e+0;
        d = 1.05075007164441684324e-9;
        d = d * r + 5.47593808499534494600e-4;
        d = d * r + 1.51986665636164571966e-2;
        d = d * r + 1.48103976427480074590e-1;
        d = d * r + 6.89767334985100004550e-1;
        d = d * r + 1.67638483018380384940e+0;
        d = d * r + 2.05319162663775882187e+0;
    } else {
        r -= 5;
        n = 2.01033439929228813265e-7;
        n = n * r + 2.71155556874348757815e-5;
        n = n * r + 1.24266094738807843860e-3;
        n = n * r + 2.65321895265761230930e-2;
        n = n * r + 2.96560571828504891230e-1;
        n = n * r + 1.78482653991729133580e+0;
        n = n * r + 5.46378491116411436990e+0;
        n = n * r + 6.65790464350110377720e+0;
        d = 2.04426310338993978564e-15;
        d = d * r + 1.42151175831644588870e-7;
        d = d * r + 1.84631831751005468180e-5;
        d = d * r + 7.86869131145613259100e-4;
        d = d * r + 1.48753612908506148525e-2;
        d = d * r + 1.36929880922735805310e-1;
        d = d * r + 5.99832206555887937690e-1;
    }
    return copysign(half_root * n / (d * r + 1), x);
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
