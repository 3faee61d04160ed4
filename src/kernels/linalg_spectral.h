/* linalg_spectral.h -- eigh and svd of one matrix, for one REAL: to tridiagonal or bidiagonal
 * form, that by divide and conquer, and its vectors back through the reflections. A matrix
 * with more rows than columns is first brought to its R. Vectors are rows until the end. */
#ifndef WEFT_KERNEL_LINALG_SPECTRAL_H
#define WEFT_KERNEL_LINALG_SPECTRAL_H

#include "linalg_divide.h"
#include "linalg_reduce.h"

/* -1 where the largest element (the first of those that are equal but for rounding) of a
 * vector is negative: vectors are given with that positive. */
static REAL sign_of(const REAL *x, int64_t n)
{
    REAL best = 0;
    int64_t at = 0;

    for (int64_t i = 0; i < n; i++)
        if (real_abs(x[i]) > best) {
            best = real_abs(x[i]) * (1 + 4096 * EPS);
            at = i;
        }
    return x[at] < 0 ? (REAL)-1 : 1;
}

/* Rows of x [n, width] in the given order. */
static void gather_rows(const REAL *x, int64_t n, int64_t width, const int64_t *order,
                        REAL *to)
{
    for (int64_t i = 0; i < n; i++)
        memcpy(to + i * width, x + order[i] * width, (size_t)width * sizeof *to);
}

/* ---- eigh --------------------------------------------------------------------------- */

typedef struct Eigh {
    Tridiagonal t;
    Divide c;
} Eigh;

static Eigh eigh_room(const Work *w, Room *r, int64_t n)
{
    Eigh e;
    int64_t rest = max64(n - 1, 0);

    e.c = divide_room(w, r, n, 0);
    e.t = (Tridiagonal){.w = w, .n = n, .a = e.c.gap, .d = e.c.d, .e = e.c.e};
    e.t.q = reflections(w, r, rest, rest, n);
    e.t.x = room_reals(r, REFLECT * n);
    e.t.pair = room_reals(r, 3 * REFLECT * n);
    e.t.c = room_reals(r, REFLECT);
    return e;
}

static void run_eigh(const KLinalg *k, const Work *w, const REAL *a, REAL *values,
                     REAL *vectors, Room *room)
{
    int64_t n = k->n;
    Eigh e = eigh_room(w, room, n);
    REAL *x = e.t.a, c;

    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++)
            x[i * n + j] = x[j * n + i] = a[i * n + j];
    if (!is_finite(x, n * n)) {
        fill(values, n, (REAL)__builtin_nan(""));
        fill(vectors, n * n, (REAL)__builtin_nan(""));
        return;
    }
    c = safe_scale(x, n * n);
    scale(c, x, n * n);
    reduce_symmetric(&e.t);
    memset(e.c.u, 0, (size_t)(n * n) * sizeof(REAL));
    divide_eigen(&e.c, 0, n);
    apply_all(&e.t.q, turned(view(e.c.u + 1, n)), n, 0);
    sort_values(e.c.d, n, -1, e.c.order);
    gather_rows(e.c.u, n, n, e.c.order, e.c.basis);
    for (int64_t i = 0; i < n; i++) {
        values[i] = e.c.d[e.c.order[i]] / c;
        scale(sign_of(e.c.basis + i * n, n), e.c.basis + i * n, n);
    }
    copy_turned(e.c.basis, n, n, n, vectors, n);
}

/* ---- svd ---------------------------------------------------------------------------- */

typedef struct Svd {
    int64_t m, n; /* m >= n: of the matrix, or its transpose */
    Bidiagonal t;
    Divide c;
    REAL *x, *q;   /* [m,n] the matrix; its Q if m > n */
    REAL *ut, *vt; /* [n,m] [n,n] in order */
    Reflections r; /* of its QR */
} Svd;

static Svd svd_room(const Work *w, Room *r, int64_t rows, int64_t cols)
{
    Svd s = {.m = max64(rows, cols), .n = min64(rows, cols)};
    int64_t n = s.n, rest = max64(n - 1, 0);

    s.c = divide_room(w, r, n, 1);
    s.t = (Bidiagonal){.w = w, .n = n, .a = s.c.gap, .d = s.c.d, .e = s.c.e};
    s.t.q = reflections(w, r, n, n, n);
    s.t.p = reflections(w, r, rest, rest, n);
    s.t.x = room_reals(r, REFLECT * n);
    s.t.y = room_reals(r, REFLECT * n);
    s.t.c = room_reals(r, REFLECT);
    s.x = room_reals(r, s.m * n);
    s.ut = room_reals(r, s.m * n);
    s.vt = s.c.s;
    if (s.m > n) {
        s.q = room_reals(r, s.m * n);
        s.r = reflections(w, r, n, s.m, n);
    }
    return s;
}

/* The square matrix that is reduced: x, or R of x = Q R. */
static void svd_start(const Svd *s)
{
    int64_t n = s->n;

    if (s->m > n) {
        factor_qr(&s->r, view(s->x, n), n);
        for (int64_t i = 1; i < n; i++)
            memset(s->x + i * n, 0, (size_t)i * sizeof(REAL));
        fill_identity(s->q, s->m, n);
        apply_all(&s->r, view(s->q, n), n, 1);
    }
    memcpy(s->t.a, s->x, (size_t)(n * n) * sizeof(REAL));
    reduce_square(&s->t);
    memset(s->c.u, 0, (size_t)(n * n) * sizeof(REAL));
    memset(s->c.v, 0, (size_t)(n * n) * sizeof(REAL));
}

/* Values from the largest on, and the vectors with them. */
static void svd_finish(const Svd *s, REAL c, REAL *values)
{
    int64_t n = s->n, *order = s->c.order;

    scale(-1, s->c.d, n);
    sort_values(s->c.d, n, -1, order);
    for (int64_t i = 0; i < n; i++)
        values[i] = -s->c.d[order[i]] / c;
    gather_rows(s->c.v, n, n, order, s->vt);
    if (s->m > n) {
        gather_rows(s->c.u, n, n, order, s->c.basis);
        product(s->c.w, n, s->m, n, view(s->c.basis, n), turned(view(s->q, n)),
                view(s->ut, s->m), 0);
    } else {
        gather_rows(s->c.u, n, n, order, s->ut);
    }
    for (int64_t i = 0; i < n; i++) {
        REAL sign = sign_of(s->ut + i * s->m, s->m);

        scale(sign, s->ut + i * s->m, s->m);
        scale(sign, s->vt + i * n, n);
    }
}

static void run_svd(const KLinalg *k, const Work *w, const REAL *a, void *const *out,
                    Room *room)
{
    int64_t rows = k->m, cols = k->n;
    Svd s = svd_room(w, room, rows, cols);
    int64_t m = s.m, n = s.n;
    REAL *u = out[0], *values = out[1], *vt = out[2], c;

    if (!is_finite(a, m * n)) {
        fill(u, rows * n, (REAL)__builtin_nan(""));
        fill(values, n, (REAL)__builtin_nan(""));
        fill(vt, n * cols, (REAL)__builtin_nan(""));
        return;
    }
    if (rows < cols)
        copy_turned(a, cols, rows, cols, s.x, rows);
    else
        copy_rows(a, n, m, n, s.x, n);
    c = safe_scale(s.x, m * n);
    scale(c, s.x, m * n);
    svd_start(&s);
    divide_blocks(&s.c);
    apply_all(&s.t.q, turned(view(s.c.u, n)), n, 0);
    apply_all(&s.t.p, turned(view(s.c.v + 1, n)), n, 0);
    svd_finish(&s, c, values);
    if (rows < cols) {
        copy_turned(s.vt, n, n, n, u, n);
        copy_rows(s.ut, m, n, m, vt, m);
    } else {
        copy_turned(s.ut, m, n, m, u, n);
        copy_rows(s.vt, n, n, n, vt, n);
    }
}

#endif
