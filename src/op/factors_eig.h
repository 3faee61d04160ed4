/* factors_eig.h -- eigenvalues and eigenvectors of one square matrix of any kind, in doubles.
 *
 * Householder reflections bring the matrix to Hessenberg form, QR steps that to Schur form: steps with two shifts at once for
 * real matrices, whose pairs of complex eigenvalues stay 2 by 2 blocks of a real matrix, with one for complex ones.
 * Eigenvectors are found by substitution backwards and turned back. The order of the eigenvalues is that of the Schur form,
 * and vectors are scaled as LAPACK does: of length 1, the largest element of a complex one real. Golub and Van Loan, Matrix
 * Computations, 7.4 and 7.5. At most 60 QR steps are made for an eigenvalue; two or three do.
 */
#ifndef WEFT_FACTORS_EIG_H
#define WEFT_FACTORS_EIG_H

#include "op/factors_complex.h"

/* @ reflect_rows */
/* Rows (of the columns from..n-1) and columns (of the rows 0..upto-1) at.. of h reflected by
 * 1 - tau v v^T of size k, and the columns of q. */
static inline void wx_reflect_rows(double *h, double *q, int64_t n, int64_t at, int64_t k, const double *v, double tau, int64_t from,
                                   int64_t upto)
{
    for (int64_t j = from; j < n; j++) {
        double s = 0;

        for (int64_t i = 0; i < k; i++)
            s += v[i] * h[(at + i) * n + j];
        for (int64_t i = 0; i < k; i++)
            h[(at + i) * n + j] -= tau * s * v[i];
    }
    for (int64_t r = 0; r < n; r++) {
        double s = 0, t = 0;

        for (int64_t i = 0; i < k; i++) {
            s += r < upto ? v[i] * h[r * n + at + i] : 0;
            t += v[i] * q[r * n + at + i];
        }
        for (int64_t i = 0; i < k; i++) {
            if (r < upto)
                h[r * n + at + i] -= tau * s * v[i];
            q[r * n + at + i] -= tau * t * v[i];
        }
    }
}

/* @ reflect_vector */
/* v [k] becomes the reflection's vector that takes it to (result, 0, ..); tau. */
static inline double wx_reflect_vector(double *v, int64_t k, double *tau)
{
    double below = 0, norm, head = v[0];

    for (int64_t i = 1; i < k; i++)
        below = hypot(below, v[i]);
    *tau = 0;
    if (below == 0)
        return head;
    norm = -copysign(hypot(head, below), head);
    *tau = (norm - head) / norm;
    for (int64_t i = 1; i < k; i++)
        v[i] /= head - norm;
    v[0] = 1;
    return norm;
}

/* @ exchange */
static inline void wx_exchange(double *h, double *q, int64_t n, int64_t a, int64_t b)
{
    for (int64_t i = 0; i < n; i++) {
        double x = h[i * n + a], y = q[i * n + a];

        h[i * n + a] = h[i * n + b];
        h[i * n + b] = x;
        q[i * n + a] = q[i * n + b];
        q[i * n + b] = y;
    }
    for (int64_t j = 0; j < n; j++) {
        double x = h[a * n + j];

        h[a * n + j] = h[b * n + j];
        h[b * n + j] = x;
    }
}

/* @ stands_alone */
/* Is all beside the diagonal 0 in row r (column r) of the part lo..hi of h? */
static inline int wx_stands_alone(const double *h, int64_t n, int64_t r, int64_t lo, int64_t hi, int row)
{
    for (int64_t j = lo; j <= hi; j++)
        if (j != r && (row ? h[r * n + j] : h[j * n + r]) != 0)
            return 0;
    return 1;
}

/* @ set_apart */
/* Rows that hold an eigenvalue by themselves go to the end, such columns to the front. */
static inline void wx_set_apart(double *h, double *q, int64_t n)
{
    int64_t lo = 0, hi = n - 1, j;

    for (int64_t i = 0; i < n * n; i++)
        q[i] = i / n == i % n;
    for (j = hi; j >= 0; j--)
        if (wx_stands_alone(h, n, j, 0, hi, 1)) {
            wx_exchange(h, q, n, j, hi);
            j = hi--; /* from the new end on again */
        }
    for (j = lo; j <= hi; j++)
        if (wx_stands_alone(h, n, j, lo, hi, 0)) {
            wx_exchange(h, q, n, j, lo);
            j = lo++;
        }
}

/* @ hessenberg */
static inline void wx_hessenberg(double *h, double *q, int64_t n, double *v)
{
    wx_set_apart(h, q, n);
    for (int64_t c = 0; c + 2 < n; c++) {
        int64_t k = n - c - 1;
        double tau, head;

        for (int64_t i = 0; i < k; i++)
            v[i] = h[(c + 1 + i) * n + c];
        head = wx_reflect_vector(v, k, &tau);
        if (tau == 0)
            continue;
        wx_reflect_rows(h, q, n, c + 1, k, v, tau, c + 1, n);
        for (int64_t i = 0; i < k; i++)
            h[(c + 1 + i) * n + c] = i ? 0 : head;
    }
}

/* @ schur_start */
/* The start of the part that ends in row i and does not fall apart. */
static inline int64_t wx_schur_start(const double *h, int64_t n, int64_t i)
{
    int64_t k;

    for (k = i; k > 0; k--) {
        double near = fabs(h[k * n + k]) + fabs(h[(k - 1) * n + k - 1]);

        if (fabs(h[k * n + k - 1]) <= 0x1p-52 * near ||
            fabs(h[k * n + k - 1]) < 0x1p-1022)
            break;
    }
    return k;
}

/* @ double_step */
/* One QR step with the two eigenvalues of the last block as shifts, or twice with the one of
 * two real ones that is nearer to the last element, of rows l..i. */
static inline void wx_double_step(double *h, double *q, int64_t n, int64_t l, int64_t i, int its)
{
    double p = h[(i - 1) * n + i - 1], d = h[i * n + i], s = p + d, tau, head;
    double off = h[(i - 1) * n + i] * h[i * n + i - 1], t = p * d - off;
    double gap = (p - d) / 2 * ((p - d) / 2) + off, v[3], a = h[l * n + l], b = h[l * n + l + 1], c = h[(l + 1) * n + l];

    if (its % 10 == 9) { /* it goes round in circles */
        double w = fabs(h[i * n + i - 1]) + fabs(h[(i - 1) * n + i - 2]);

        s = 1.5 * w;
        t = w * w;
    } else if (gap > 0) {
        double shift = s / 2 + (p > d ? -sqrt(gap) : sqrt(gap));

        s = 2 * shift;
        t = shift * shift;
    }
    v[0] = a * a + b * c - s * a + t;
    v[1] = c * (a + h[(l + 1) * n + l + 1] - s);
    v[2] = c * h[(l + 2) * n + l + 1];
    for (int64_t k = l; k < i; k++) {
        int64_t size = i - k > 1 ? 3 : 2;

        if (k > l)
            for (int64_t j = 0; j < size; j++)
                v[j] = h[(k + j) * n + k - 1];
        head = wx_reflect_vector(v, size, &tau);
        wx_reflect_rows(h, q, n, k, size, v, tau, k > l ? k - 1 : k, (i < k + 3 ? i : k + 3) + 1);
        if (k > l)
            for (int64_t j = 0; j < size; j++)
                h[(k + j) * n + k - 1] = j ? 0 : head;
    }
}

/* @ standard_rotation */
/* The rotation (cosine, sine) that makes the block (a, b; c, d) upper triangular or, if its
 * eigenvalues are not real, its diagonal one number. */
static inline void wx_standard_rotation(double a, double b, double c, double d, double *cs, double *sn)
{
    double p = (a - d) / 2, big = fmax(fabs(b), fabs(c)),
           small = copysign(fmin(fabs(b), fabs(c)), b) * copysign(1, c),
           scale = fmax(fabs(p), big), z = scale > 0 ? p / scale * p + big / scale * small : 0;

    *cs = 1;
    *sn = 0;
    if (c == 0 || (p == 0 && b != 0 && (b > 0) != (c > 0)))
        return;
    if (b == 0) {
        *cs = 0;
        *sn = 1;
    } else if (z >= 0) {
        double root = p + copysign(sqrt(scale) * sqrt(z), p), r = hypot(c, root);

        *cs = root / r;
        *sn = c / r;
    } else {
        double sigma = b + c, r = hypot(sigma, a - d);

        *cs = sqrt((1 + fabs(sigma) / r) / 2);
        *sn = -p / (r * *cs) * copysign(1, sigma);
    }
}

/* @ finish_block */
/* The block at rows k, k+1, done: its eigenvalues. */
static inline void wx_finish_block(double *h, double *q, int64_t n, int64_t k, wx_z *w)
{
    double *a = &h[k * n + k], *b = a + 1, *c = a + n, *d = c + 1, cs, sn, mean;

    wx_standard_rotation(*a, *b, *c, *d, &cs, &sn);
    for (int64_t j = k; j < n; j++) {
        double x = h[k * n + j], y = h[(k + 1) * n + j];

        h[k * n + j] = cs * x + sn * y;
        h[(k + 1) * n + j] = cs * y - sn * x;
    }
    for (int64_t r = 0; r < n; r++) {
        double x = h[r * n + k], y = h[r * n + k + 1], u = q[r * n + k], v = q[r * n + k + 1];

        if (r < k + 2) {
            h[r * n + k] = cs * x + sn * y;
            h[r * n + k + 1] = cs * y - sn * x;
        }
        q[r * n + k] = cs * u + sn * v;
        q[r * n + k + 1] = cs * v - sn * u;
    }
    if (*b != 0 && *c != 0 && (*b > 0) != (*c > 0) &&
        fabs(*a - *d) <= 8 * 0x1p-52 * (fabs(*a) + fabs(*d) + fabs(*b) + fabs(*c))) {
        mean = (*a + *d) / 2;
        *a = *d = mean;
        w[k] = wx_z_of(mean, sqrt(fabs(*b)) * sqrt(fabs(*c)));
        w[k + 1] = conj(w[k]);
        return;
    }
    *c = 0;
    w[k] = *a;
    w[k + 1] = *d;
}

/* @ schur */
/* h becomes its Schur form q^T h q. False: no convergence. */
static inline int wx_schur(double *h, double *q, int64_t n, wx_z *w, double *v)
{
    wx_hessenberg(h, q, n, v);
    for (int64_t i = n - 1; i >= 0;) {
        int its = 0;
        int64_t l = wx_schur_start(h, n, i);

        for (; l < i - 1 && its < 60; its++, l = wx_schur_start(h, n, i))
            wx_double_step(h, q, n, l, i, its);
        if (l < i - 1)
            return 0;
        if (l > 0)
            h[l * n + l - 1] = 0;
        if (l == i)
            w[i] = h[i * n + i];
        else
            wx_finish_block(h, q, n, l, w);
        i = l - 1;
    }
    return 1;
}

/* @ z_givens */
/* Rows k, k+1 (columns from..) times (c, s; -conj(s), c), or columns (rows 0..upto-1) times
 * its adjoint. */
typedef struct wx_z_givens {
    double c;
    wx_z s;
} wx_z_givens;

/* @ z_givens_of */
static inline wx_z_givens wx_z_givens_of(wx_z f, wx_z g)
{
    double r = hypot(cabs(f), cabs(g)), size = cabs(f);

    if (g == 0)
        return (wx_z_givens){1, 0};
    if (size == 0)
        return (wx_z_givens){0, conj(g) / cabs(g)};
    return (wx_z_givens){size / r, wx_z_mul(f / size, conj(g)) / r};
}

/* @ z_turn_rows */
static inline void wx_z_turn_rows(wx_z *h, int64_t n, int64_t k, int64_t from, wx_z_givens g)
{
    for (int64_t j = from; j < n; j++) {
        wx_z x = h[k * n + j], y = h[(k + 1) * n + j];

        h[k * n + j] = g.c * x + wx_z_mul(g.s, y);
        h[(k + 1) * n + j] = g.c * y - wx_z_mul(conj(g.s), x);
    }
}

/* @ z_turn_columns */
static inline void wx_z_turn_columns(wx_z *h, int64_t n, int64_t k, int64_t upto, wx_z_givens g)
{
    for (int64_t i = 0; i < upto; i++) {
        wx_z x = h[i * n + k], y = h[i * n + k + 1];

        h[i * n + k] = g.c * x + wx_z_mul(conj(g.s), y);
        h[i * n + k + 1] = g.c * y - wx_z_mul(g.s, x);
    }
}

/* @ z_hessenberg */
/* By rotations: element (i, c) is taken into the one above it. */
static inline void wx_z_hessenberg(wx_z *h, wx_z *q, int64_t n)
{
    for (int64_t i = 0; i < n * n; i++)
        q[i] = i / n == i % n;
    for (int64_t c = 0; c + 2 < n; c++)
        for (int64_t i = n - 1; i > c + 1; i--) {
            wx_z_givens g = wx_z_givens_of(h[(i - 1) * n + c], h[i * n + c]);

            wx_z_turn_rows(h, n, i - 1, c, g);
            wx_z_turn_columns(h, n, i - 1, n, g);
            wx_z_turn_columns(q, n, i - 1, n, g);
            h[i * n + c] = 0;
        }
}

/* @ z_shift */
/* The eigenvalue of the last block that is nearer to its last element. */
static inline wx_z wx_z_shift(const wx_z *h, int64_t n, int64_t i)
{
    wx_z a = h[(i - 1) * n + i - 1], d = h[i * n + i],
         bc = wx_z_mul(h[(i - 1) * n + i], h[i * n + i - 1]), p = (a - d) / 2,
         root = csqrt(wx_z_mul(p, p) + bc);

    if (creal(wx_z_mul(p, conj(root))) < 0)
        root = -root;
    return p + root == 0 ? d : d - wx_z_div(bc, p + root);
}

/* @ z_schur_start */
static inline int64_t wx_z_schur_start(const wx_z *h, int64_t n, int64_t i)
{
    int64_t k;

    for (k = i; k > 0; k--) {
        double near = cabs(h[k * n + k]) + cabs(h[(k - 1) * n + k - 1]);

        if (cabs(h[k * n + k - 1]) <= 0x1p-52 * near || cabs(h[k * n + k - 1]) < 0x1p-1022)
            break;
    }
    return k;
}

/* @ z_single_step */
static inline void wx_z_single_step(wx_z *h, wx_z *q, int64_t n, int64_t l, int64_t i, int its, wx_z_givens *turns)
{
    wx_z shift = its % 10 == 9 ? cabs(h[i * n + i - 1]) + h[i * n + i] : wx_z_shift(h, n, i);

    for (int64_t k = l; k <= i; k++)
        h[k * n + k] -= shift;
    for (int64_t k = l; k < i; k++) {
        turns[k] = wx_z_givens_of(h[k * n + k], h[(k + 1) * n + k]);
        wx_z_turn_rows(h, n, k, k, turns[k]);
        h[(k + 1) * n + k] = 0;
    }
    for (int64_t k = l; k < i; k++) {
        wx_z_turn_columns(h, n, k, k + 2, turns[k]);
        wx_z_turn_columns(q, n, k, n, turns[k]);
    }
    for (int64_t k = l; k <= i; k++)
        h[k * n + k] += shift;
}

/* @ z_schur */
static inline int wx_z_schur(wx_z *h, wx_z *q, int64_t n, wx_z *w, wx_z_givens *turns)
{
    wx_z_hessenberg(h, q, n);
    for (int64_t i = n - 1; i >= 0; i--) {
        int its = 0;
        int64_t l;

        for (; (l = wx_z_schur_start(h, n, i)) < i && its < 60; its++)
            wx_z_single_step(h, q, n, l, i, its, turns);
        if (l < i)
            return 0;
        if (i > 0)
            h[i * n + i - 1] = 0;
        w[i] = h[i * n + i];
    }
    return 1;
}

/* @ z_upwards */
/* x with (T - w) x = 0, its elements from `top` on given; T has blocks of 2 by 2. */
static inline void wx_z_upwards(const wx_z *t, int64_t n, wx_z w, int64_t top, int64_t end, wx_z *x)
{
    double least = fmax(0x1p-52 * cabs(w), 0x1p-1022 / 0x1p-52);

    for (int64_t i = top - 1; i >= 0; i--) {
        wx_z s[2] = {0, 0}, a, b, c, d, det;
        int64_t rows = i > 0 && t[i * n + i - 1] != 0 ? 2 : 1;

        for (int64_t r = 0; r < rows; r++)
            for (int64_t j = i + 1; j < end; j++)
                s[r] -= wx_z_mul(t[(i - r) * n + j], x[j]);
        a = t[i * n + i] - w;
        if (rows == 1) {
            x[i] = wx_z_div(s[0], cabs(a) < least ? least : a);
            continue;
        }
        b = t[i * n + i - 1];
        c = t[(i - 1) * n + i];
        d = t[(i - 1) * n + i - 1] - w;
        det = wx_z_mul(a, d) - wx_z_mul(b, c);
        if (cabs(det) < least * least)
            det = least * least;
        x[i] = wx_z_div(wx_z_mul(s[0], d) - wx_z_mul(b, s[1]), det);
        x[i - 1] = wx_z_div(wx_z_mul(a, s[1]) - wx_z_mul(c, s[0]), det);
        i--;
    }
}

/* @ z_put_vector */
/* Column c of v: q x of length 1. A complex one is turned so that its largest element is
 * real: positive or, for real matrices, of the sign of its real part. */
static inline void wx_z_put_vector(const wx_z *q, const wx_z *x, int64_t n, int64_t end, wx_z *v, int64_t c, int is_real, int turns)
{
    double length = 0, sign = 1;
    int64_t top = 0;

    for (int64_t i = 0; i < n; i++) {
        wx_z s = 0;

        for (int64_t j = 0; j < end; j++)
            s += wx_z_mul(q[i * n + j], x[j]);
        v[i * n + c] = s;
        length = hypot(length, cabs(s));
        if (cabs(s) > cabs(v[top * n + c]))
            top = i;
    }
    if (is_real && creal(v[top * n + c]) < 0)
        sign = -1;
    for (int64_t i = 0; i < n; i++)
        v[i * n + c] /= length;
    if (turns) {
        wx_z phase = sign * conj(v[top * n + c]) / cabs(v[top * n + c]);

        for (int64_t i = 0; i < n; i++)
            v[i * n + c] = i == top ? sign * cabs(v[i * n + c]) : wx_z_mul(phase, v[i * n + c]);
    }
}

/* @ z_eigenvectors */
static inline void wx_z_eigenvectors(const wx_z *t, const wx_z *q, int64_t n, const wx_z *w, int is_real, wx_z *x, wx_z *v)
{
    for (int64_t k = n - 1; k >= 0; k--) {
        if (k > 0 && t[k * n + k - 1] != 0) {
            wx_z b = t[(k - 1) * n + k], c = t[k * n + k - 1];
            double im = cimag(w[k - 1]);

            x[k - 1] = cabs(b) >= cabs(c) ? 1 : -im / creal(c);
            x[k] = cabs(b) >= cabs(c) ? wx_z_of(0, im / creal(b)) : wx_z_of(0, 1);
            wx_z_upwards(t, n, w[k - 1], k - 1, k + 1, x);
            wx_z_put_vector(q, x, n, k + 1, v, k - 1, 1, 1);
            for (int64_t i = 0; i < n; i++)
                v[i * n + k] = conj(v[i * n + k - 1]);
            k--;
            continue;
        }
        x[k] = 1;
        wx_z_upwards(t, n, w[k], k, k + 1, x);
        wx_z_put_vector(q, x, n, k + 1, v, k, is_real, !is_real);
    }
}

/* @ eig */
/* w [n] and the columns of v [n, n] of the real h [n, n]; NaN where it is not finite or nothing converges. q [n, n], some [n];
 * t [n, n], turned [n, n] and x [n] are workspace. */
static inline void wx_eig(double *h, int64_t n, wx_z *w, wx_z *v, double *q, double *some, wx_z *t, wx_z *turned, wx_z *x)
{
    int ok = 1;

    for (int64_t i = 0; i < n * n; i++)
        ok = ok && isfinite(h[i]);
    if (!ok || !wx_schur(h, q, n, w, some)) {
        wx_z_nan(w, n);
        wx_z_nan(v, n * n);
        return;
    }
    for (int64_t i = 0; i < n * n; i++) {
        t[i] = h[i];
        turned[i] = q[i];
    }
    wx_z_eigenvectors(t, turned, n, w, 1, x, v);
}

/* @ z_eig */
/* The same of a complex matrix a [n, n]; q [n, n], x [n] and turns [n] are workspace. */
static inline void wx_z_eig(wx_z *a, int64_t n, wx_z *w, wx_z *v, wx_z *q, wx_z *x, wx_z_givens *turns)
{
    if (wx_z_finite(a, n * n) && wx_z_schur(a, q, n, w, turns)) {
        wx_z_eigenvectors(a, q, n, w, 0, x, v);
        return;
    }
    wx_z_nan(w, n);
    wx_z_nan(v, n * n);
}

/* @ end */
#endif
