/* linalg_reduce.h -- a symmetric matrix to tridiagonal form, a square one to bidiagonal form,
 * by reflections, a block of columns at a time, for one REAL: half the work is in products
 * with the rest of the matrix once for each column, half in one product for each block.
 * (Dongarra, Sorensen and Hammarling, 1989.) */
#ifndef WEFT_KERNEL_LINALG_REDUCE_H
#define WEFT_KERNEL_LINALG_REDUCE_H

#include "linalg_reflect.h"

/* y [n] -= the sum over k vectors, rows ld apart, of c[i] times vector i; c step apart. */
static void subtract(const Work *w, int64_t n, int64_t k, REAL *vectors, int64_t ld,
                     REAL *c, int64_t step, REAL *y)
{
    product(w, 1, n, k, (View){c, 0, step}, view(vectors, ld), view(y, n), -1);
}

/* c[i] = vector i . x */
static void project(const Work *w, int64_t n, int64_t k, REAL *vectors, int64_t ld,
                    REAL *x, REAL *c)
{
    product(w, k, 1, n, view(vectors, ld), (View){x, 1, 0}, (View){c, 1, 0}, 0);
}

/* ---- tridiagonal -------------------------------------------------------------------- */

typedef struct Tridiagonal {
    const Work *w;
    int64_t n;
    REAL *a;       /* [n,n], both triangles; destroyed */
    Reflections q; /* [n-1, n-1]: number i is of rows and columns i+1 .. */
    REAL *d, *e;   /* [n] diagonal; beside it */
    REAL *x;       /* [REFLECT, n] */
    REAL *pair;    /* [3 REFLECT, n]: v, x and v of a block, for one product */
    REAL *c;       /* [REFLECT] */
} Tridiagonal;

/* Column i, the c-th of a block: with those before it taken away, reflected; x[c] so that
 * the block's change of the rest is v x^T + x v^T:
 *   x = tau (A v - V X^T v - X V^T v),  less tau/2 (x . v) v */
static void reduce_column(const Tridiagonal *t, int64_t i, int64_t c)
{
    int64_t n = t->n, len = n - i - 1, first = i - c;
    REAL *v = t->q.v + i * (n - 1), *vs = t->q.v + first * (n - 1), *x = t->x + c * n;
    REAL *col = t->a + i * n + i, tau;

    /* the vectors lack row 0 of the matrix */
    subtract(t->w, len + 1, c, vs + i - 1, n - 1, t->x + i, n, col);
    subtract(t->w, len + 1, c, t->x + i, n, vs + i - 1, n - 1, col);
    t->d[i] = col[0];
    memset(v, 0, (size_t)i * sizeof *v);
    memcpy(v + i, col + 1, (size_t)len * sizeof *v);
    tau = t->q.tau[i] = make_reflection(v + i, len, &t->e[i]);
    x += i + 1;
    product(t->w, len, 1, len, view(t->a + (i + 1) * n + i + 1, n), (View){v + i, 1, 0},
            (View){x, 1, 0}, 0);
    project(t->w, len, c, t->x + i + 1, n, v + i, t->c);
    subtract(t->w, len, c, vs + i, n - 1, t->c, 1, x);
    project(t->w, len, c, vs + i, n - 1, v + i, t->c);
    subtract(t->w, len, c, t->x + i + 1, n, t->c, 1, x);
    scale(tau, x, len);
    axpy(-tau / 2 * dot(x, v + i, len), v + i, x, len);
}

static void reduce_symmetric(const Tridiagonal *t)
{
    int64_t n = t->n;

    for (int64_t first = 0; first < n - 1; first += REFLECT) {
        int64_t k = min64(REFLECT, n - 1 - first), next = first + k, len = n - next;

        for (int64_t c = 0; c < k; c++)
            reduce_column(t, first + c, c);
        copy_rows(t->q.v + first * (n - 1) + next - 1, n - 1, k, len, t->pair, len);
        copy_rows(t->x + next, n, k, len, t->pair + k * len, len);
        copy_rows(t->q.v + first * (n - 1) + next - 1, n - 1, k, len,
                  t->pair + 2 * k * len, len);
        product(t->w, len, len, 2 * k, (View){t->pair, 1, len},
                view(t->pair + k * len, len), view(t->a + next * n + next, n), -1);
    }
    t->d[n - 1] = t->a[n * n - 1];
}

/* ---- bidiagonal --------------------------------------------------------------------- */

typedef struct Bidiagonal {
    const Work *w;
    int64_t n;
    REAL *a;       /* [n,n]; destroyed */
    Reflections q; /* [n,n]: of rows i .. */
    Reflections p; /* [n-1,n-1]: of columns i+1 .. */
    REAL *d, *e;   /* [n] diagonal; above it */
    REAL *x, *y;   /* [REFLECT, n] */
    REAL *c;       /* [REFLECT] */
} Bidiagonal;

/* Column i and row i, the c-th of a block, with those before them taken away, reflected by v
 * and u; x[c], y[c] so that the block's change of the rest is v y^T + x u^T:
 *   y = tau (A^T v - Y V^T v - U X^T v),  x = tau (A u - V Y^T u - X U^T u) */
static void reduce_cross(const Bidiagonal *t, int64_t i, int64_t c)
{
    int64_t n = t->n, len = n - i, rest = len - 1, first = i - c;
    REAL *v = t->q.v + i * n, *vs = t->q.v + first * n, *us = t->p.v + first * (n - 1);
    REAL *x = t->x + c * n + i + 1, *y = t->y + c * n + i + 1, *u = t->p.v + i * (n - 1);
    REAL *row = t->a + i * n + i + 1, tau;

    for (int64_t j = 0; j < len; j++)
        v[i + j] = t->a[(i + j) * n + i];
    memset(v, 0, (size_t)i * sizeof *v);
    subtract(t->w, len, c, vs + i, n, t->y + i, n, v + i);
    subtract(t->w, len, c, t->x + i, n, us + i - 1, n - 1, v + i);
    tau = t->q.tau[i] = make_reflection(v + i, len, &t->d[i]);
    if (rest == 0)
        return;
    product(t->w, 1, rest, len, view(v + i, len), view(row, n), view(y, rest), 0);
    project(t->w, len, c, vs + i, n, v + i, t->c);
    subtract(t->w, rest, c, t->y + i + 1, n, t->c, 1, y);
    project(t->w, len, c, t->x + i, n, v + i, t->c);
    subtract(t->w, rest, c, us + i, n - 1, t->c, 1, y);
    scale(tau, y, rest);

    memset(u, 0, (size_t)i * sizeof *u);
    memcpy(u + i, row, (size_t)rest * sizeof *u);
    subtract(t->w, rest, c + 1, t->y + i + 1, n, vs + i, n, u + i);
    subtract(t->w, rest, c, us + i, n - 1, t->x + i, n, u + i);
    tau = t->p.tau[i] = make_reflection(u + i, rest, &t->e[i]);
    product(t->w, rest, 1, rest, view(row + n, n), (View){u + i, 1, 0}, (View){x, 1, 0},
            0);
    project(t->w, rest, c + 1, t->y + i + 1, n, u + i, t->c);
    subtract(t->w, rest, c + 1, vs + i + 1, n, t->c, 1, x);
    project(t->w, rest, c, us + i, n - 1, u + i, t->c);
    subtract(t->w, rest, c, t->x + i + 1, n, t->c, 1, x);
    scale(tau, x, rest);
}

static void reduce_square(const Bidiagonal *t)
{
    int64_t n = t->n;

    for (int64_t first = 0; first < n; first += REFLECT) {
        int64_t k = min64(REFLECT, n - first), next = first + k, len = n - next;
        View rest = view(t->a + next * n + next, n);

        for (int64_t c = 0; c < k; c++)
            reduce_cross(t, first + c, c);
        if (len == 0)
            return;
        product(t->w, len, len, k, (View){t->q.v + first * n + next, 1, n},
                view(t->y + next, n), rest, -1);
        product(t->w, len, len, k, (View){t->x + next, 1, n},
                view(t->p.v + first * (n - 1) + next - 1, n - 1), rest, -1);
    }
}

#endif
