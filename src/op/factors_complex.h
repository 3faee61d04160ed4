/* factors_complex.h -- factorisations of one complex matrix, row by row in doubles, as those of real ones in factors.h.
 *
 * Where a factor may be multiplied by a number of modulus 1, the choice is LAPACK's as far as its algorithm fixes it: the
 * diagonal of R is real; the first elements of the vectors of eigh, and of the shorter side's of svd, are real.
 */
#ifndef WEFT_FACTORS_COMPLEX_H
#define WEFT_FACTORS_COMPLEX_H

#include "op/factors.h"

#include <complex.h>
#include <string.h>

/* @ z */
typedef double _Complex wx_z;

/* @ z_of */
/* As CMPLX, which not every compiler has: no arithmetic, so infinities and -0 stay. */
static inline wx_z wx_z_of(double re, double im)
{
    const double parts[2] = {re, im};
    wx_z z;

    memcpy(&z, parts, sizeof z);
    return z;
}

/* @ z_mul */
/* Products and quotients are written out, without the search for lost infinities that C's own have. */
static inline wx_z wx_z_mul(wx_z x, wx_z y)
{
    const double a = creal(x), b = cimag(x), c = creal(y), d = cimag(y);

    return wx_z_of(a * c - b * d, a * d + b * c);
}

/* @ z_div */
/* By the larger part of y, so that nothing overflows on the way. x / 0: each part by 0. */
static inline wx_z wx_z_div(wx_z x, wx_z y)
{
    const double a = creal(x), b = cimag(x), c = creal(y), d = cimag(y);
    double r, scale;

    if (c == 0 && d == 0)
        return wx_z_of(a / fabs(c), b / fabs(d));
    if (fabs(c) >= fabs(d)) {
        r = d / c;
        scale = 1 / (c + d * r);
        return wx_z_of((a + b * r) * scale, (b - a * r) * scale);
    }
    r = c / d;
    scale = 1 / (d + c * r);
    return wx_z_of((a * r + b) * scale, (b * r - a) * scale);
}

/* @ z_square */
static inline double wx_z_square(wx_z z)
{
    return creal(z) * creal(z) + cimag(z) * cimag(z);
}

/* @ z_finite */
static inline int wx_z_finite(const wx_z *a, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (!isfinite(creal(a[i])) || !isfinite(cimag(a[i])))
            return 0;
    return 1;
}

/* @ z_nan */
static inline void wx_z_nan(wx_z *a, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        a[i] = wx_z_of(NAN, NAN);
}

/* @ z_cholesky */
/* As cholesky of a real one, of a hermitian matrix. */
static inline void wx_z_cholesky(wx_z *a, int64_t n)
{
    int wrong = 0;

    for (int64_t i = 0; i < n && !wrong; i++)
        for (int64_t j = 0; j <= i; j++) {
            wx_z s = a[i * n + j];

            for (int64_t k = 0; k < j; k++)
                s -= wx_z_mul(a[i * n + k], conj(a[j * n + k]));
            wrong = wrong || (i == j && !(creal(s) > 0));
            a[i * n + j] = i == j ? sqrt(creal(s)) : wx_z_div(s, a[j * n + j]);
        }
    if (wrong)
        wx_z_nan(a, n * n);
    for (int64_t i = 0; i < n * n; i++)
        a[i] = i % n > i / n ? 0 : a[i];
}

/* @ z_substitute */
/* As substitute of a real one. */
static inline void wx_z_substitute(const wx_z *a, int64_t n, int trans, int forward, int unit, wx_z *x, int64_t step, int64_t count)
{
    for (int64_t t = 0; t < n; t++) {
        int64_t i = forward ? t : n - 1 - t;

        for (int64_t u = 0; u < t; u++) {
            int64_t j = forward ? u : n - 1 - u;
            wx_z c = trans ? a[j * n + i] : a[i * n + j];

            for (int64_t k = 0; k < count; k++)
                x[i * step + k] -= wx_z_mul(c, x[j * step + k]);
        }
        for (int64_t k = 0; k < count && !unit; k++)
            x[i * step + k] = wx_z_div(x[i * step + k], a[i * n + i]);
    }
}

/* @ z_size */
/* What pivots are chosen by: as LAPACK, |re| + |im|. */
static inline double wx_z_size(wx_z z)
{
    return fabs(creal(z)) + fabs(cimag(z));
}

/* @ z_lu */
/* As lu of a real one. */
static inline void wx_z_lu(wx_z *a, int64_t m, int64_t n, int32_t *pivot, int32_t *perm)
{
    for (int64_t i = 0; i < m; i++)
        perm[i] = (int32_t)i;
    for (int64_t k = 0; k < m && k < n; k++) {
        int64_t p = k;
        int32_t t = perm[k];

        for (int64_t i = k + 1; i < m; i++)
            if (wx_z_size(a[i * n + k]) > wx_z_size(a[p * n + k]))
                p = i;
        pivot[k] = (int32_t)p;
        perm[k] = perm[p];
        perm[p] = t;
        for (int64_t j = 0; j < n && p != k; j++) {
            wx_z v = a[k * n + j];

            a[k * n + j] = a[p * n + j];
            a[p * n + j] = v;
        }
        for (int64_t i = k + 1; i < m && a[k * n + k] != 0; i++) {
            a[i * n + k] = wx_z_div(a[i * n + k], a[k * n + k]);
            for (int64_t j = k + 1; j < n; j++)
                a[i * n + j] -= wx_z_mul(a[i * n + k], a[k * n + j]);
        }
    }
}

/* @ z_reflect */
/* Columns first.. of a [m, n]: a -= tau v (v^H a), v as for a real one. */
static inline void wx_z_reflect(wx_z *a, int64_t m, int64_t n, int64_t first, const wx_z *r, int64_t rn, int64_t from, wx_z tau)
{
    for (int64_t j = first; j < n; j++) {
        wx_z s = a[from * n + j];

        for (int64_t i = from + 1; i < m; i++)
            s += wx_z_mul(conj(r[i * rn + from]), a[i * n + j]);
        s = wx_z_mul(s, tau);
        a[from * n + j] -= s;
        for (int64_t i = from + 1; i < m; i++)
            a[i * n + j] -= wx_z_mul(s, r[i * rn + from]);
    }
}

/* @ z_reflection */
/* The new diagonal element is real, of the sign opposite to the old one's real part. */
static inline wx_z wx_z_reflection(wx_z *r, int64_t m, int64_t n, int64_t c)
{
    wx_z head = r[c * n + c];
    double below = 0, norm;

    for (int64_t i = c + 1; i < m; i++)
        below = hypot(below, cabs(r[i * n + c]));
    if (below == 0 && cimag(head) == 0)
        return 0;
    norm = -copysign(hypot(cabs(head), below), creal(head));
    for (int64_t i = c + 1; i < m; i++)
        r[i * n + c] = wx_z_div(r[i * n + c], head - norm);
    r[c * n + c] = norm;
    return wx_z_of((norm - creal(head)) / norm, -cimag(head) / norm);
}

/* @ z_qr */
/* As qr of a real one. */
static inline void wx_z_qr(wx_z *r, int64_t m, int64_t n, wx_z *q, int64_t k, wx_z *tau)
{
    const int64_t steps = m < n ? m : n;

    if (!wx_z_finite(r, m * n)) {
        wx_z_nan(r, m * n);
        wx_z_nan(q, m * k);
        return;
    }
    for (int64_t c = 0; c < steps; c++) {
        tau[c] = wx_z_reflection(r, m, n, c);
        wx_z_reflect(r, m, n, c + 1, r, n, c, conj(tau[c]));
    }
    for (int64_t i = 0; i < m * k; i++)
        q[i] = i / k == i % k;
    for (int64_t c = steps; c-- > 0;)
        wx_z_reflect(q, m, k, c, r, n, c, tau[c]);
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < i && j < n; j++)
            r[i * n + j] = 0;
}

/* @ z_turning */
/* The rotation of columns i and j, the second first multiplied by the unit number d. */
typedef struct wx_z_turning {
    int64_t i, j;
    double c, s;
    wx_z d;
} wx_z_turning;

/* @ z_turn_of */
static inline wx_z_turning wx_z_turn_of(int64_t i, int64_t j, double p, double q, wx_z off)
{
    double o = cabs(off), tau = (q - p) / (2 * o);
    double t = copysign(1, tau) / (fabs(tau) + hypot(1, tau)), c = 1 / hypot(1, t);

    return (wx_z_turning){i, j, c, t * c, conj(off) / o};
}

/* @ z_turn */
/* `n` rows of a, `step` apart, elements of a row `by` apart. */
static inline void wx_z_turn(wx_z *a, int64_t n, int64_t step, int64_t by, wx_z_turning t)
{
    for (int64_t k = 0; k < n; k++) {
        wx_z *x = a + k * step + t.i * by, *y = a + k * step + t.j * by;
        wx_z u = *x, v = wx_z_mul(*y, t.d);

        *x = t.c * u - t.s * v;
        *y = t.s * u + t.c * v;
    }
}

/* @ z_diagonal */
static inline void wx_z_diagonal(wx_z *a, wx_z *v, int64_t n)
{
    int done = 0;

    for (int sweep = 0; sweep < 60 && !done; sweep++) {
        done = 1;
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = i + 1; j < n; j++) {
                double p = creal(a[i * n + i]), q = creal(a[j * n + j]),
                       o = cabs(a[i * n + j]);
                wx_z_turning t;

                if (o <= 1e-17 * sqrt(fabs(p)) * sqrt(fabs(q)) || o < 1e-300)
                    continue;
                done = 0;
                t = wx_z_turn_of(i, j, p, q, a[i * n + j]);
                wx_z_turn(a, n, n, 1, t);
                wx_z_turn(v, n, n, 1, t);
                t.d = conj(t.d);
                wx_z_turn(a, n, 1, n, t);
                a[i * n + j] = a[j * n + i] = 0;
                a[i * n + i] = creal(a[i * n + i]);
                a[j * n + j] = creal(a[j * n + j]);
            }
    }
}

/* @ z_phase */
/* The unit number that makes the first element of column c of v [n, step] real (the
 * largest, where the first is 0), and the real part of the largest not negative. */
static inline wx_z wx_z_phase(const wx_z *v, int64_t n, int64_t step, int64_t c)
{
    int64_t top = 0;
    wx_z first, phase;

    for (int64_t i = 1; i < n; i++)
        if (cabs(v[i * step + c]) > cabs(v[top * step + c]) * (1 + 1e-12))
            top = i;
    first = v[c];
    if (cabs(first) <= 1e-14 * cabs(v[top * step + c]))
        first = v[top * step + c];
    if (first == 0)
        return 1;
    phase = conj(first) / cabs(first);
    return creal(wx_z_mul(phase, v[top * step + c])) < 0 ? -phase : phase;
}

/* @ z_eigh */
/* As eigh of a real one, of a hermitian matrix. */
static inline void wx_z_eigh(wx_z *a, int64_t n, double *w, wx_z *v, double *key, int64_t *order)
{
    for (int64_t i = 0; i < n * n; i++) {
        if (i % n >= i / n)
            a[i] = i % n > i / n ? conj(a[i % n * n + i / n]) : creal(a[i]);
        v[i] = i % n == i / n;
    }
    if (!wx_z_finite(a, n * n)) {
        wx_z_nan(a, n * n);
        for (int64_t i = 0; i < n; i++)
            w[i] = NAN;
        return;
    }
    wx_z_diagonal(a, v, n);
    for (int64_t i = 0; i < n; i++)
        key[i] = creal(a[i * n + i]);
    wx_sort_order(key, n, 0, order);
    for (int64_t j = 0; j < n; j++) {
        const wx_z phase = wx_z_phase(v, n, n, order[j]);

        w[j] = key[order[j]];
        for (int64_t i = 0; i < n; i++)
            a[i * n + j] = wx_z_mul(phase, v[i * n + order[j]]);
    }
}

/* @ z_orthogonal */
static inline void wx_z_orthogonal(wx_z *g, wx_z *v, int64_t m, int64_t n)
{
    int done = 0;

    for (int sweep = 0; sweep < 60 && !done; sweep++) {
        done = 1;
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = i + 1; j < n; j++) {
                double p = 0, q = 0;
                wx_z o = 0;
                wx_z_turning t;

                for (int64_t k = 0; k < m; k++) {
                    p += wx_z_square(g[k * n + i]);
                    q += wx_z_square(g[k * n + j]);
                    o += wx_z_mul(conj(g[k * n + i]), g[k * n + j]);
                }
                if (cabs(o) <= 1e-16 * sqrt(p) * sqrt(q) || cabs(o) < 1e-300)
                    continue;
                done = 0;
                t = wx_z_turn_of(i, j, p, q, o);
                wx_z_turn(g, m, n, 1, t);
                wx_z_turn(v, n, n, 1, t);
            }
    }
}

/* @ z_complete */
/* A column of u that is 0 becomes one orthogonal to those before it. */
static inline void wx_z_complete(wx_z *u, int64_t m, int64_t n, int64_t c)
{
    double best = -1;
    int64_t axis = 0;

    for (int64_t i = 0; i < m; i++) {
        double left = 1;

        for (int64_t j = 0; j < c; j++)
            left -= wx_z_square(u[i * n + j]);
        if (left > best) {
            best = left;
            axis = i;
        }
    }
    for (int64_t i = 0; i < m; i++)
        u[i * n + c] = i == axis;
    for (int pass = 0; pass < 2; pass++)
        for (int64_t j = 0; j < c; j++) {
            wx_z d = 0;

            for (int64_t i = 0; i < m; i++)
                d += wx_z_mul(conj(u[i * n + j]), u[i * n + c]);
            for (int64_t i = 0; i < m; i++)
                u[i * n + c] -= wx_z_mul(d, u[i * n + j]);
        }
    best = 0;
    for (int64_t i = 0; i < m; i++)
        best = hypot(best, cabs(u[i * n + c]));
    for (int64_t i = 0; i < m; i++)
        u[i * n + c] /= best;
}

/* @ z_svd */
/* As svd of a real one. */
static inline void wx_z_svd(wx_z *g, int64_t m, int64_t n, wx_z *u, double *s, wx_z *v, double *key, int64_t *order)
{
    if (!wx_z_finite(g, m * n)) {
        wx_z_nan(u, m * n);
        wx_z_nan(g, n * n);
        for (int64_t i = 0; i < n; i++)
            s[i] = NAN;
        return;
    }
    for (int64_t i = 0; i < n * n; i++)
        v[i] = i / n == i % n;
    wx_z_orthogonal(g, v, m, n);
    for (int64_t j = 0; j < n; j++) {
        key[j] = 0;
        for (int64_t i = 0; i < m; i++)
            key[j] = hypot(key[j], cabs(g[i * n + j]));
    }
    wx_sort_order(key, n, 1, order);
    for (int64_t j = 0; j < n; j++) {
        int64_t from = order[j];
        int zero = key[from] <= 1e-15 * key[order[0]] * (double)m;
        wx_z phase = wx_z_phase(v, n, n, from);

        s[j] = key[from];
        for (int64_t i = 0; i < m; i++)
            u[i * n + j] = zero ? 0 : wx_z_mul(phase, g[i * n + from]) / key[from];
        if (zero)
            wx_z_complete(u, m, n, j);
        for (int64_t i = 0; i < n; i++)
            v[i * n + from] = wx_z_mul(phase, v[i * n + from]);
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            g[i * n + j] = v[i * n + order[j]];
}

/* @ z_adjoint */
/* to [n, m] = from [m, n], conjugate and transposed. */
static inline void wx_z_adjoint(const wx_z *from, int64_t m, int64_t n, wx_z *to)
{
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++)
            to[j * m + i] = conj(from[i * n + j]);
}

/* @ end */
#endif
