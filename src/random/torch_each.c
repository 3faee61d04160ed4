/* torch_each.c -- numbers of PyTorch's CPU generator whose distribution has a parameter for each element.
 *
 *   gamma      Marsaglia and Tsang, "A simple method for generating gamma variables" (2000); a shape below 1 by
 *              that of one more, times a power of a uniform number
 *   poisson    Hoermann, "The transformed rejection method for generating Poisson random variables" (1993), from a
 *              rate of 10 on; below, by a product of uniform numbers
 *   binomial   Hoermann, "The generation of binomial random variates" (1993), from 10 expected on; below, by sums
 *              of geometric numbers
 *
 * All draw f64 numbers, one element after the other, so that a seeded sequence of calls gives PyTorch's numbers.
 */
#include "random/random.h"

#include <float.h>
#include <math.h>

/* Of dtype f32 what PyTorch computes with the shape alone is rounded to f32. */
static double gamma_one(TorchRng *r, double alpha, bool narrow)
{
    double scale = 1, d, c, third = (double)(1.0f / 3.0f);

    if (alpha < 1) {
        if (alpha == 0)
            return 0;
        scale = pow(1 - torch_unit(r), narrow ? (double)(1.0f / (float)alpha) : 1 / alpha);
        alpha = narrow ? (double)((float)alpha + 1.0f) : alpha + 1;
    }
    d = narrow ? (double)((float)alpha - (float)third) : alpha - third;
    c = 1 / sqrt(9 * d);
    for (;;) {
        double x, y, v, u, xx;

        do {
            x = torch_normal_unit(r);
            y = 1 + c * x;
        } while (y <= 0);
        v = y * y * y;
        u = 1 - torch_unit(r);
        xx = x * x;
        if (u < 1 - (double)0.0331f * xx * xx || log(u) < 0.5 * xx + d * (1 - v + log(v)))
            return scale * d * v;
    }
}

static double poisson_one(TorchRng *r, double rate)
{
    double root = sqrt(rate), b = 0.931 + 2.53 * root, a = -0.059 + 0.02483 * b;
    double inverse = 1.1239 + 1.1328 / (b - 3.4), bound = 0.9277 - 3.6224 / (b - 2);

    if (rate < 10) {
        double end = exp(-rate), product = 1, count = 0;

        for (; rate > 0; count++)
            if ((product *= torch_unit(r)) <= end)
                return count;
        return 0;
    }
    for (;;) {
        double u = torch_unit(r) - 0.5, v = torch_unit(r), us = 0.5 - fabs(u);
        double k = floor((2 * a / us + b) * u + rate + 0.43);

        if (us >= 0.07 && v <= bound)
            return k;
        if (k < 0 || (us < 0.013 && v > us))
            continue;
        if (log(v) + log(inverse) - log(a / (us * us) + b) <= -rate + k * log(rate) - lgamma(k + 1))
            return k;
    }
}

/* log k! less Stirling's approximation of it. */
static double stirling_rest(double k)
{
    double n = k + 1, q = n * n;

    if (k <= 9)
        return lgamma(n) - (0.5 * log(2 * 3.14159265358979323846) + (k + 0.5) * log(n) - n);
    return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / q) / q) / n;
}

static double binomial_by_rejection(TorchRng *r, double n, double p)
{
    double dev = sqrt(n * p * (1 - p)), b = 1.15 + 2.53 * dev, a = -0.0873 + 0.0248 * b + 0.01 * p;
    double c = n * p + 0.5, bound = 0.92 - 4.2 / b, odds = p / (1 - p), alpha = (2.83 + 5.1 / b) * dev;
    double m = floor((n + 1) * p);

    for (;;) {
        double u = torch_unit(r) - 0.5, v = torch_unit(r), us = 0.5 - fabs(u);
        double k = floor((2 * a / us + b) * u + c);

        if (us >= 0.07 && v <= bound)
            return k;
        if (k < 0 || k > n)
            continue;
        v = log(v * alpha / (a / (us * us) + b));
        if (v <= (m + 0.5) * log((m + 1) / (odds * (n - m + 1))) + (n + 1) * log((n - m + 1) / (n - k + 1)) +
                     (k + 0.5) * log(odds * (n - k + 1) / (k + 1)) + stirling_rest(m) + stirling_rest(n - m) -
                     stirling_rest(k) - stirling_rest(n - k))
            return k;
    }
}

static double binomial_one(TorchRng *r, double n, double p)
{
    double sum = 0, count = 0, slope;

    if (!(n > 0) || !(p > 0))
        return isnan(n) || isnan(p) ? (double)NAN : 0;
    if (p >= 1)
        return n;
    if (p > 0.5)
        return n - binomial_one(r, n, 1 - p);
    if (n * p >= 10)
        return binomial_by_rejection(r, n, p);
    slope = log1p(-p);
    for (;; count++) {
        sum += ceil(log(torch_unit(r)) / slope);
        if (sum > n)
            return count;
    }
}

static double number_at(wf_dtype t, const void *p, int64_t i)
{
    return t == WF_F64 ? ((const double *)p)[i] : (double)((const float *)p)[i];
}

bool torch_draw_each(TorchRng *r, TorchEach kind, wf_dtype dtype, wf_dtype wide, void *out, int64_t n,
                     const void *a, const void *b)
{
    for (int64_t i = 0; i < n; i++) {
        double x = number_at(wide, a, i), y;

        switch (kind) {
        case TORCH_GAMMA:
            y = gamma_one(r, x, wide == WF_F32);
            y = fmax(y, dtype == WF_F64 ? DBL_MIN : dtype == WF_F16 ? 0x1p-14 : (double)FLT_MIN);
            break;
        case TORCH_POISSON:
            if (!(x >= 0))
                return false;
            y = poisson_one(r, x);
            break;
        default: y = binomial_one(r, x, number_at(wide, b, i)); break;
        }
        torch_put_real(dtype, out, i, y);
    }
    return true;
}
