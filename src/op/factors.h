/* factors.h -- factorisations of one real matrix, row by row in doubles: the plain textbook loops.
 *
 * Op rules evaluate by them (op_linalg.c, op_spectral.c), and exported C has them as text: a section begins with
 * a line that names it, and has the function wx_ of that name, which may call those of other sections
 * (export/routine.c). C99, and nothing but math.h.
 */
#ifndef WEFT_FACTORS_H
#define WEFT_FACTORS_H

#include <math.h>
#include <stdint.h>

/* @ cholesky */
/* Row by row:  l[i,j] = (a[i,j] - sum_k<j l[i,k] l[j,k]) / l[j,j],  l[i,i] = sqrt(..), 0 above the diagonal; NaN
 * on and below it if a is not positive definite. */
static inline void wx_cholesky(double *a, int64_t n)
{
    int wrong = 0;

    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            double s = a[i * n + j];

            for (int64_t k = 0; k < j && j <= i; k++)
                s -= a[i * n + k] * a[j * n + k];
            wrong = wrong || (i == j && !(s > 0));
            a[i * n + j] = j > i ? 0 : i == j ? sqrt(s) : s / a[j * n + j];
        }
    for (int64_t i = 0; i < n && wrong; i++)
        for (int64_t j = 0; j <= i; j++)
            a[i * n + j] = NAN;
}

/* @ substitute */
/* op(a) x = x in place, op(a) being a or its transpose, for `count` right-hand sides side by side, the elements of
 * each `step` apart. forward: op(a) is lower triangular. unit: its diagonal counts as 1. */
static inline void wx_substitute(const double *a, int64_t n, int trans, int forward, int unit, double *x, int64_t step, int64_t count)
{
    for (int64_t t = 0; t < n; t++) {
        const int64_t i = forward ? t : n - 1 - t;

        for (int64_t u = 0; u < t; u++) {
            const int64_t j = forward ? u : n - 1 - u;
            const double c = trans ? a[j * n + i] : a[i * n + j];

            for (int64_t k = 0; k < count; k++)
                x[i * step + k] -= c * x[j * step + k];
        }
        for (int64_t k = 0; k < count && !unit; k++)
            x[i * step + k] /= a[i * n + i];
    }
}

/* @ lu */
/* Column by column: the largest element on or below the diagonal (the first of equals; a NaN on the diagonal stays)
 * comes to the diagonal; a column of zeros is left. */
static inline void wx_lu(double *a, int64_t m, int64_t n, int32_t *pivot, int32_t *perm)
{
    for (int64_t i = 0; i < m; i++)
        perm[i] = (int32_t)i;
    for (int64_t k = 0; k < m && k < n; k++) {
        int64_t p = k;
        int32_t t = perm[k];

        for (int64_t i = k + 1; i < m; i++)
            if (fabs(a[i * n + k]) > fabs(a[p * n + k]))
                p = i;
        pivot[k] = (int32_t)p;
        perm[k] = perm[p];
        perm[p] = t;
        for (int64_t j = 0; j < n && p != k; j++) {
            const double v = a[k * n + j];

            a[k * n + j] = a[p * n + j];
            a[p * n + j] = v;
        }
        for (int64_t i = k + 1; i < m && a[k * n + k] != 0; i++) {
            a[i * n + k] /= a[k * n + k];
            for (int64_t j = k + 1; j < n; j++)
                a[i * n + j] -= a[i * n + k] * a[k * n + j];
        }
    }
}

/* @ finite */
/* Are all finite? Else they become NaN. */
static inline int wx_finite(double *a, int64_t n)
{
    int all = 1;

    for (int64_t i = 0; i < n; i++)
        all = all && isfinite(a[i]);
    for (int64_t i = 0; i < n && !all; i++)
        a[i] = NAN;
    return all;
}

/* @ reflect */
/* Rows from.. of the columns first.. of a [m, n], reflected: a -= tau v (v^T a), where v is 1 at row `from` and then
 * stands below row `from` of column `from` of r [m, rn]. */
static inline void wx_reflect(double *a, int64_t m, int64_t n, int64_t first, const double *r, int64_t rn, int64_t from, double tau)
{
    for (int64_t j = first; j < n; j++) {
        double s = a[from * n + j];

        for (int64_t i = from + 1; i < m; i++)
            s += r[i * rn + from] * a[i * n + j];
        s *= tau;
        a[from * n + j] -= s;
        for (int64_t i = from + 1; i < m; i++)
            a[i * n + j] -= s * r[i * rn + from];
    }
}

/* @ reflection */
/* Column c of r: its part below the diagonal becomes the reflection's vector (divided by its first element, 1), its
 * diagonal element the new one, of the sign opposite to the old. A column that is 0 below the diagonal stays:
 * tau 0. */
static inline double wx_reflection(double *r, int64_t m, int64_t n, int64_t c)
{
    const double head = r[c * n + c];
    double below = 0, norm;

    for (int64_t i = c + 1; i < m; i++)
        below = hypot(below, r[i * n + c]);
    if (!(below > 0))
        return 0;
    norm = -copysign(hypot(head, below), head);
    for (int64_t i = c + 1; i < m; i++)
        r[i * n + c] /= head - norm;
    r[c * n + c] = norm;
    return (norm - head) / norm;
}

/* @ qr */
/* r [m, n] becomes R over the reflections; q [m, k] the product of all of them. NaN if r is not finite. */
static inline void wx_qr(double *r, int64_t m, int64_t n, double *q, int64_t k, double *tau)
{
    const int64_t steps = m < n ? m : n;
    const int all = wx_finite(r, m * n);

    for (int64_t c = 0; c < steps && all; c++) {
        tau[c] = wx_reflection(r, m, n, c);
        wx_reflect(r, m, n, c + 1, r, n, c, tau[c]);
    }
    for (int64_t i = 0; i < m * k; i++)
        q[i] = !all ? NAN : i / k == i % k ? 1 : 0;
    for (int64_t c = steps; c-- > 0 && all;)
        wx_reflect(q, m, k, c, r, n, c, tau[c]);
    for (int64_t i = 0; i < m && all; i++)
        for (int64_t j = 0; j < i && j < n; j++)
            r[i * n + j] = 0;
}

/* @ rotation */
/* The rotation (cosine, sine) that makes [[p, o], [o, q]] diagonal. */
static inline void wx_rotation(double p, double q, double o, double *cosine, double *sine)
{
    const double tau = (q - p) / (2 * o);
    const double t = copysign(1, tau) / (fabs(tau) + hypot(1, tau));

    *cosine = 1 / hypot(1, t);
    *sine = t * *cosine;
}

/* @ turn */
/* Columns x and y, n numbers `step` apart, turned. */
static inline void wx_turn(double *x, double *y, int64_t n, int64_t step, double c, double s)
{
    for (int64_t k = 0; k < n * step; k += step) {
        const double u = x[k], v = y[k];

        x[k] = c * u - s * v;
        y[k] = s * u + c * v;
    }
}

/* @ sort_order */
/* order: the numbers of w from the smallest (down: the largest) on. */
static inline void wx_sort_order(const double *w, int64_t n, int down, int64_t *order)
{
    for (int64_t i = 0; i < n; i++) {
        int64_t at = i;

        for (; at > 0 && (down ? w[order[at - 1]] < w[i] : w[order[at - 1]] > w[i]); at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
}

/* @ column_sign */
/* The sign that makes the largest element (the first of equals) of column c positive. */
static inline double wx_column_sign(const double *v, int64_t n, int64_t step, int64_t c)
{
    int64_t top = 0;

    for (int64_t i = 1; i < n; i++)
        if (fabs(v[i * step + c]) > fabs(v[top * step + c]) * (1 + 1e-12))
            top = i;
    return n && v[top * step + c] < 0 ? -1 : 1;
}

/* @ eigh */
/* a [n, n], of which the lower triangle is read, becomes its eigenvectors, w its eigenvalues; v [n, n], key [n] and
 * order [n] are workspace. Jacobi: sweeps over the pairs (i, j) until what is off the diagonal vanishes beside it. */
static inline void wx_eigh(double *a, int64_t n, double *w, double *v, double *key, int64_t *order)
{
    int done;

    for (int64_t i = 0; i < n * n; i++) {
        v[i] = i / n == i % n;
        if (i % n > i / n)
            a[i] = a[i % n * n + i / n];
    }
    done = !wx_finite(a, n * n);
    for (int64_t i = 0; i < n && done; i++)
        w[i] = NAN;
    if (done)
        return;
    for (int sweep = 0; sweep < 60 && !done; sweep++) { /* some ten do for anything */
        done = 1;
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = i + 1; j < n; j++) {
                const double o = a[i * n + j], p = a[i * n + i], q = a[j * n + j];
                double c, s;

                if (fabs(o) <= 1e-17 * sqrt(fabs(p)) * sqrt(fabs(q)) || fabs(o) < 1e-300)
                    continue;
                done = 0;
                wx_rotation(p, q, o, &c, &s);
                wx_turn(a + i, a + j, n, n, c, s);
                wx_turn(a + i * n, a + j * n, n, 1, c, s);
                a[i * n + j] = a[j * n + i] = 0;
                wx_turn(v + i, v + j, n, n, c, s);
            }
    }
    for (int64_t i = 0; i < n; i++)
        key[i] = a[i * n + i];
    wx_sort_order(key, n, 0, order);
    for (int64_t j = 0; j < n; j++) {
        const double sign = wx_column_sign(v, n, n, order[j]);

        w[j] = key[order[j]];
        for (int64_t i = 0; i < n; i++)
            a[i * n + j] = sign * v[i * n + order[j]];
    }
}

/* @ orthogonal */
/* Sweeps over the pairs of columns of g [m, n] until all are orthogonal; v [n, n] turns along: g = A v. */
static inline void wx_orthogonal(double *g, double *v, int64_t m, int64_t n)
{
    int done = 0;

    for (int sweep = 0; sweep < 60 && !done; sweep++) {
        done = 1;
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = i + 1; j < n; j++) {
                double p = 0, q = 0, o = 0, c, s;

                for (int64_t k = 0; k < m; k++) {
                    p += g[k * n + i] * g[k * n + i];
                    q += g[k * n + j] * g[k * n + j];
                    o += g[k * n + i] * g[k * n + j];
                }
                if (fabs(o) <= 1e-16 * sqrt(p) * sqrt(q) || fabs(o) < 1e-300)
                    continue;
                done = 0;
                wx_rotation(p, q, o, &c, &s);
                wx_turn(g + i, g + j, m, n, c, s);
                wx_turn(v + i, v + j, n, n, c, s);
            }
    }
}

/* @ complete_column */
/* Column c of u that is 0 (of a matrix of lower rank) becomes one orthogonal to those before it: of the unit vectors
 * the one that lies least in their span. */
static inline void wx_complete_column(double *u, int64_t m, int64_t n, int64_t c)
{
    double best = -1;
    int64_t axis = 0;

    for (int64_t i = 0; i < m; i++) {
        double left = 1;

        for (int64_t j = 0; j < c; j++)
            left -= u[i * n + j] * u[i * n + j];
        if (left > best) {
            best = left;
            axis = i;
        }
    }
    for (int64_t i = 0; i < m; i++)
        u[i * n + c] = i == axis;
    for (int pass = 0; pass < 2; pass++)
        for (int64_t j = 0; j < c; j++) {
            double d = 0;

            for (int64_t i = 0; i < m; i++)
                d += u[i * n + j] * u[i * n + c];
            for (int64_t i = 0; i < m; i++)
                u[i * n + c] -= d * u[i * n + j];
        }
    best = 0;
    for (int64_t i = 0; i < m; i++)
        best = hypot(best, u[i * n + c]);
    for (int64_t i = 0; i < m; i++)
        u[i * n + c] /= best;
}

/* @ svd */
/* g [m, n], m >= n: u [m, n], s and (in g [n, n]) v, in descending order of s; v [n, n], key [n] and order [n] are
 * workspace. */
static inline void wx_svd(double *g, int64_t m, int64_t n, double *u, double *s, double *v, double *key, int64_t *order)
{
    const int all = wx_finite(g, m * n);

    for (int64_t i = 0; i < m * n && !all; i++)
        u[i] = NAN;
    for (int64_t i = 0; i < n && !all; i++)
        s[i] = NAN;
    if (!all)
        return;
    for (int64_t i = 0; i < n * n; i++)
        v[i] = i / n == i % n;
    wx_orthogonal(g, v, m, n);
    for (int64_t j = 0; j < n; j++) {
        key[j] = 0;
        for (int64_t i = 0; i < m; i++)
            key[j] = hypot(key[j], g[i * n + j]);
    }
    wx_sort_order(key, n, 1, order);
    for (int64_t j = 0; j < n; j++) {
        const int64_t from = order[j];
        const int zero = key[from] <= 1e-15 * key[order[0]] * (double)m;
        const double sign = wx_column_sign(g, m, n, from);

        s[j] = key[from];
        for (int64_t i = 0; i < m; i++)
            u[i * n + j] = zero ? 0 : sign * g[i * n + from] / key[from];
        if (zero)
            wx_complete_column(u, m, n, j);
        for (int64_t i = 0; i < n; i++)
            v[i * n + from] *= sign;
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            g[i * n + j] = v[i * n + order[j]];
}

/* @ transpose */
/* to [n, m] = from [m, n] transposed. */
static inline void wx_transpose(const double *from, int64_t m, int64_t n, double *to)
{
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++)
            to[j * m + i] = from[i * n + j];
}

/* @ end */
#endif
