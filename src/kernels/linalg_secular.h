/* linalg_secular.h -- the equation that divide and conquer comes down to, for one REAL:
 *
 *   f(x) = 1/rho + sum_j z[j]^2 / (d[j] - x) = 0          eigenvalues of D + rho z z^T
 *   f(s) = 1     + sum_j z[j]^2 / (d[j]^2 - s^2) = 0      squared: singular values of D
 *                                                         with z for its first row (d[0] = 0)
 *
 * There is one root above each d[j]. It is found as its distance from the nearest of them,
 * by fitting a function with the two poles beside it (Li, 1993), kept inside a bracket. Then
 * z is found again as that of which these are the roots (Gu and Eisenstat, 1994), and so the
 * vectors are orthogonal whatever the roots' errors. */
#ifndef WEFT_KERNEL_LINALG_SECULAR_H
#define WEFT_KERNEL_LINALG_SECULAR_H

#include "linalg_view.h"

#define ROOTS    16 /* of a task */
#define ATTEMPTS 80 /* steps for a root; some five do */

typedef struct Secular {
    APART int64_t k;
    const REAL *d, *z; /* [k] ascending; not 0 */
    REAL inverse;      /* 1/rho */
    int squared;
    REAL *root; /* [k] */
    REAL *gap;  /* [k,k]: d[j] - root i, or d[j]^2 - root i^2 */
    REAL *zhat; /* [k] */
} Secular;

typedef struct
    Sums { /* of the poles below the root and above it, and their derivatives */
    REAL below, above, d_below, d_above;
} Sums;

/* At a distance from pole `at`; the gaps go to g. Terms below the root are negative. */
static Sums sum_terms(const Secular *s, REAL at, REAL distance, REAL *g)
{
    V lo = {0}, hi = {0}, dlo = {0}, dhi = {0};
    Sums r;

    for (int64_t j = 0; j < s->k; j += VL) {
        int n = (int)min64(VL, s->k - j);
        V d = real_load_n(s->d + j, n), z = real_load_n(s->z + j, n);
        V x = (d - at) - distance, t, u;
        VI under;

        if (s->squared)
            x *= (d + at) + distance;
        real_store_n(g + j, x, n);
        if (n < VL) /* lanes beyond the end: any pole, of weight 0 */
            for (int q = n; q < VL; q++)
                x[q] = 1;
        t = z * z / x;
        u = t / x;
        under = (VI)(t < 0);
        lo += (V)((VI)t & under);
        hi += (V)((VI)t & ~under);
        dlo += (V)((VI)u & under);
        dhi += (V)((VI)u & ~under);
    }
    r.below = add_lanes(lo), r.above = add_lanes(hi);
    r.d_below = add_lanes(dlo), r.d_above = add_lanes(dhi);
    return r;
}

/* A step, in x or in s^2, to the zero of the function c + a/(p - h) + b/(q - h) that fits
 * value and derivatives, p and q being the gaps of the poles beside the root; of its two
 * zeros the one that is between lo and hi; 0: neither is. */
static REAL fit_step(REAL f, const Sums *t, REAL p, REAL q, REAL lo, REAL hi)
{
    REAL c = f - p * t->d_below - q * t->d_above;
    REAL a = (p + q) * f - p * q * (t->d_below + t->d_above), b = p * q * f;
    REAL under = a * a - 4 * b * c, root, h;

    if (!(under >= 0))
        return 0;
    root = real_sqrt(under);
    h = a > 0 ? a + root : a - root; /* without cancellation: h / 2c and 2b / h */
    if (h == 0)
        return 0;
    if (2 * b / h > lo && 2 * b / h < hi)
        return 2 * b / h;
    if (c != 0 && h / (2 * c) > lo && h / (2 * c) < hi)
        return h / (2 * c);
    return 0;
}

/* Between lo and hi, which lie on one side of 0, or one of them there: on their scale. */
static REAL between(REAL lo, REAL hi)
{
    if (lo == 0 || hi == 0)
        return (lo + hi) / 1024;
    if (lo * 4 > hi && lo > 0)
        return lo + (hi - lo) / 2;
    if (hi * 4 < lo && hi < 0)
        return lo + (hi - lo) / 2;
    return real_copysign(real_sqrt(real_abs(lo)) * real_sqrt(real_abs(hi)), lo);
}

/* How far x (or s^2) is from the present one when the distance is t. */
INLINE REAL step_to(const Secular *s, REAL at, REAL now, REAL t)
{
    return s->squared ? (t - now) * ((at + now) + (at + t)) : t - now;
}

static void find_root(const Secular *s, int64_t i)
{
    REAL *g = s->gap + i * s->k, lo = 0, hi, at = s->d[i], t, f;
    int64_t last = s->k - 1, p = i < last ? i : max64(0, last - 1);
    Sums sums;

    if (i < last) {
        hi = (s->d[i + 1] - s->d[i]) / 2;
        sums = sum_terms(s, at, hi, g);
        if (s->inverse + sums.below + sums.above < 0) { /* it is nearer to the next */
            lo = -hi;
            hi = 0;
            at = s->d[i + 1];
        }
        t = lo + hi;
    } else {
        hi = dot(s->z, s->z, s->k) / s->inverse;
        if (s->squared)
            hi /= at + real_sqrt(at * at + hi);
        t = s->k > 1 ? hi / 2 : hi;
        hi *= 1 + 8 * EPS;
    }
    for (int n = 0;; n++) {
        REAL h;

        sums = sum_terms(s, at, t, g);
        f = s->inverse + sums.below + sums.above;
        if (real_abs(f) <= 4 * EPS * (s->inverse - sums.below + sums.above) ||
            n == ATTEMPTS)
            break;
        if (f < 0)
            lo = t;
        else
            hi = t;
        if (i == last && s->k > 1) { /* both poles are below */
            sums.d_above = s->z[last] / g[last] * (s->z[last] / g[last]);
            sums.d_below -= sums.d_above;
        }
        h = s->k > 1 ? fit_step(f, &sums, g[p], g[p + 1], step_to(s, at, t, lo),
                                step_to(s, at, t, hi))
                     : 0;
        if (h != 0 && s->squared)
            h /= (at + t) + real_sqrt((at + t) * (at + t) + h);
        if (h == 0 || !(t + h > lo && t + h < hi))
            h = between(lo, hi) - t;
        if (real_abs(h) <= EPS * real_abs(t) || t + h == t)
            break;
        t += h;
    }
    s->root[i] = at + t;
}

static void find_roots(void *user, int task)
{
    const Secular *s = user;

    for (int64_t i = (int64_t)task * ROOTS; i < min64(s->k, (task + 1) * (int64_t)ROOTS);
         i++)
        find_root(s, i);
}

/* zhat[i]^2 = |gap[i][i] prod_j!=i gap[j][i] / (d[i] - d[j])|, squares for squared. */
static void find_weights(void *user, int task)
{
    const Secular *s = user;
    int64_t first = (int64_t)task * 8 * VL, n = min64(8 * VL, s->k - first);

    for (int64_t i = first; i < first + n; i++)
        s->zhat[i] = 1;
    for (int64_t j = 0; j < s->k; j++) {
        const REAL *g = s->gap + j * s->k;

        for (int64_t i = first; i < first + n; i += VL) {
            int m = (int)min64(VL, first + n - i);
            V d = real_load_n(s->d + i, m), x = d - s->d[j];

            if (s->squared)
                x *= d + s->d[j];
            if (j >= i && j < i + m)
                x[j - i] = 1;
            for (int q = m; q < VL; q++)
                x[q] = 1;
            real_store_n(s->zhat + i,
                         real_load_n(s->zhat + i, m) * real_load_n(g + i, m) / x, m);
        }
    }
    for (int64_t i = first; i < first + n; i++)
        s->zhat[i] = real_copysign(real_sqrt(real_abs(s->zhat[i])), s->z[i]);
}

static void solve_secular(const Work *w, Secular *s)
{
    KPar serial = {NULL, 1, NULL};
    const KPar *par = s->k < 64 ? &serial : w->par;

    par_run(par, ceil_div(s->k, ROOTS), find_roots, s);
    par_run(par, ceil_div(s->k, 8 * VL), find_weights, s);
}

#endif
