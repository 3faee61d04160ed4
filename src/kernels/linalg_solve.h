/* linalg_solve.h -- triangular systems, Cholesky and LU, for one REAL: each cut in half
 * again and again, so that nearly all work is in products, down to blocks that fit the
 * nearest cache. Where they are cut depends on sizes alone. */
#ifndef WEFT_KERNEL_LINALG_SOLVE_H
#define WEFT_KERNEL_LINALG_SOLVE_H

#include "linalg_view.h"

#define BLOCK  32       /* rows of a triangle that is solved as it stands */
#define SIDES  (8 * VL) /* right-hand sides of a task there: registers hold a row */
#define PANEL  16       /* columns factored as they stand by LU */
#define UPDATE 128      /* rows and columns of a piece on the diagonal of a - x x^T */

INLINE int64_t half_of(int64_t n, int64_t unit) { return round_up(n / 2, unit); }

/* ---- triangular systems ------------------------------------------------------------- */

typedef struct Triangle {
    APART int64_t n;
    View t, x;
    int lower, unit;
    int64_t cols;
} Triangle;

/* Row i of x: less c[j] times row j for each of the rows j before it, over the diagonal. */
INLINE void solve_row(const REAL *c, int64_t first, int64_t last, REAL *xs, int64_t i,
                      REAL diagonal, int unit)
{
    V s[8];

    UNROLL
    for (int v = 0; v < 8; v++)
        s[v] = real_load(xs + i * SIDES + v * VL);
    for (int64_t j = first; j < last; j++) {
        UNROLL
        for (int v = 0; v < 8; v++)
            s[v] -= c[j] * real_load(xs + j * SIDES + v * VL);
    }
    UNROLL
    for (int v = 0; v < 8; v++)
        real_store(xs + i * SIDES + v * VL, unit ? s[v] : s[v] / diagonal);
}

static void solve_block(void *user, int task)
{
    const Triangle *s = user;
    int64_t n = s->n, j0 = (int64_t)task * SIDES, w = min64(SIDES, s->cols - j0);
    View x = from(s->x, 0, j0);
    REAL t[BLOCK][BLOCK], xs[BLOCK * SIDES] = {0};

    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            t[i][j] = s->t.p[i * s->t.row + j * s->t.col];
    if (x.col == 1)
        copy_rows(x.p, x.row, n, w, xs, SIDES);
    else
        for (int64_t j = 0; j < w; j++)
            for (int64_t i = 0; i < n; i++)
                xs[i * SIDES + j] = x.p[i * x.row + j * x.col];
    for (int64_t at = 0; at < n; at++) {
        int64_t i = s->lower ? at : n - 1 - at;

        solve_row(t[i], s->lower ? 0 : i + 1, s->lower ? i : n, xs, i, t[i][i], s->unit);
    }
    if (x.col == 1)
        copy_rows(xs, SIDES, n, w, x.p, x.row);
    else
        for (int64_t j = 0; j < w; j++)
            for (int64_t i = 0; i < n; i++)
                x.p[i * x.row + j * x.col] = xs[i * SIDES + j];
}

/* t x = x in place: t [n,n] triangular, x [n,cols]. */
static void solve_triangle(const Work *w, int64_t n, View t, int lower, int unit,
                           int64_t cols, View x)
{
    int64_t h;

    if (n <= BLOCK) {
        Triangle s = {n, t, x, lower, unit, cols};
        KPar serial = {NULL, 1, NULL};

        par_run(n * n * cols < (1 << 16) ? &serial : w->par, ceil_div(cols, SIDES),
                solve_block, &s);
        return;
    }
    h = half_of(n, BLOCK);
    if (lower) {
        solve_triangle(w, h, t, lower, unit, cols, x);
        product(w, n - h, cols, h, from(t, h, 0), x, from(x, h, 0), -1);
        solve_triangle(w, n - h, from(t, h, h), lower, unit, cols, from(x, h, 0));
    } else {
        solve_triangle(w, n - h, from(t, h, h), lower, unit, cols, from(x, h, 0));
        product(w, h, cols, n - h, from(t, 0, h), from(x, h, 0), x, -1);
        solve_triangle(w, h, t, lower, unit, cols, x);
    }
}

/* x op(a) = y is op(a)^T x^T = y^T. */
static void run_solve(const KLinalg *k, const Work *w, const REAL *a, const REAL *y,
                      REAL *x)
{
    View t = {(REAL *)(uintptr_t)a, k->n, 1}, xs = view(x, k->left ? k->m : k->n);
    int trans = k->trans != !k->left;

    copy_rows(y, k->m * k->n, 1, k->m * k->n, x, 0);
    solve_triangle(w, k->n, trans ? turned(t) : t, k->lower != trans, k->unit, k->m,
                   k->left ? xs : turned(xs));
}

/* ---- cholesky ----------------------------------------------------------------------- */

/* Of a block, as the upper factor's rows: each scaled, and taken from those below. */
static int cholesky_block(int64_t n, View a)
{
    REAL u[BLOCK][BLOCK];

    for (int64_t i = 0; i < n; i++)
        for (int64_t j = i; j < n; j++)
            u[i][j] = a.p[j * a.row + i];
    for (int64_t k = 0; k < n; k++) {
        REAL d = u[k][k];

        if (!(d > 0))
            return 0;
        d = u[k][k] = real_sqrt(d);
        for (int64_t j = k + 1; j < n; j++)
            u[k][j] /= d;
        for (int64_t i = k + 1; i < n; i++)
            axpy(-u[k][i], u[k] + i, u[i] + i, n - i);
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = i; j < n; j++)
            a.p[j * a.row + i] = u[i][j];
    return 1;
}

/* The lower triangle of a [n,n], less that of x x^T, x [n,k]. */
static void update_lower(const Work *w, int64_t n, int64_t k, View x, View a)
{
    int64_t h;

    if (n <= UPDATE) {
        product(w, n, n, k, x, turned(x), a, -1);
        return;
    }
    h = half_of(n, UPDATE / 2);
    update_lower(w, h, k, x, a);
    product(w, n - h, h, k, from(x, h, 0), turned(x), from(a, h, 0), -1);
    update_lower(w, n - h, k, from(x, h, 0), from(a, h, h));
}

/* In the lower triangle; what stands above it is of no meaning. 0: not positive definite. */
static int factor_cholesky(const Work *w, int64_t n, View a)
{
    int64_t h;

    if (n <= BLOCK)
        return cholesky_block(n, a);
    h = half_of(n, BLOCK);
    if (!factor_cholesky(w, h, a))
        return 0;
    solve_triangle(w, h, a, 1, 0, n - h, turned(from(a, h, 0)));
    update_lower(w, n - h, h, from(a, h, 0), from(a, h, h));
    return factor_cholesky(w, n - h, from(a, h, h));
}

static void run_cholesky(const KLinalg *k, const Work *w, const REAL *a, REAL *l)
{
    int64_t n = k->n;
    int good;

    copy_rows(a, n, n, n, l, n);
    good = factor_cholesky(w, n, view(l, n));
    for (int64_t i = 0; i < n; i++) {
        memset(l + i * n + i + 1, 0, (size_t)(n - i - 1) * sizeof *l);
        if (!good)
            fill(l + i * n, i + 1, (REAL)__builtin_nan(""));
    }
}

/* ---- lu ----------------------------------------------------------------------------- */

typedef struct Lu {
    const Work *w;
    REAL *panel; /* [PANEL, m]: columns */
} Lu;

static void swap_rows(View a, int64_t i, int64_t j, int64_t cols)
{
    REAL *x = a.p + i * a.row, *y = a.p + j * a.row;

    if (i == j)
        return;
    for (int64_t c = 0; c < cols; c += VL) {
        V u = load_some(x + c, cols - c), v = load_some(y + c, cols - c);

        store_some(x + c, v, cols - c);
        store_some(y + c, u, cols - c);
    }
}

/* The first of the largest magnitudes from element k of a column on; a NaN at k stays. */
static int64_t find_pivot(const REAL *x, int64_t k, int64_t m)
{
    int64_t p = k;
    REAL best = real_abs(x[k]);

    for (int64_t i = k + 1; i < m; i++)
        if (real_abs(x[i]) > best) {
            best = real_abs(x[i]);
            p = i;
        }
    return p;
}

static void lu_panel(const Lu *s, int64_t m, int64_t n, View a, int32_t *pivot)
{
    REAL *c = s->panel;

    copy_turned(a.p, a.row, m, n, c, m);
    for (int64_t k = 0; k < min64(m, n); k++) {
        REAL *x = c + k * m, d;
        int64_t p = find_pivot(x, k, m);

        pivot[k] = (int32_t)p;
        for (int64_t j = 0; j < n && p != k; j++) {
            REAL t = c[j * m + k];

            c[j * m + k] = c[j * m + p];
            c[j * m + p] = t;
        }
        d = x[k];
        if (d == 0)
            continue;
        for (int64_t i = k + 1; i < m; i += VL)
            store_some(x + i, load_some(x + i, m - i) / d, m - i);
        for (int64_t j = k + 1; j < n; j++)
            axpy(-c[j * m + k], x + k + 1, c + j * m + k + 1, m - k - 1);
    }
    copy_turned(c, m, n, m, a.p, a.row);
}

/* The left half; then, with its rows exchanged, the right half above and below. */
static void factor_lu(const Lu *s, int64_t m, int64_t n, View a, int32_t *pivot)
{
    int64_t h, k;

    if (n <= PANEL) {
        lu_panel(s, m, n, a, pivot);
        return;
    }
    h = half_of(n, PANEL);
    k = min64(m, h);
    factor_lu(s, m, h, a, pivot);
    for (int64_t i = 0; i < k; i++)
        swap_rows(from(a, 0, h), i, pivot[i], n - h);
    solve_triangle(s->w, k, a, 1, 1, n - h, from(a, 0, h));
    if (m <= h)
        return;
    product(s->w, m - h, n - h, h, from(a, h, 0), from(a, 0, h), from(a, h, h), -1);
    factor_lu(s, m - h, n - h, from(a, h, h), pivot + h);
    for (int64_t i = h; i < min64(m, n); i++) {
        pivot[i] += (int32_t)h;
        swap_rows(a, i, pivot[i], h);
    }
}

static void run_lu(const KLinalg *k, const Work *w, const REAL *a, REAL *lu,
                   int32_t *pivot, int32_t *perm, Room *room)
{
    Lu s = {w, room_reals(room, PANEL * k->m)};

    copy_rows(a, k->n, k->m, k->n, lu, k->n);
    factor_lu(&s, k->m, k->n, view(lu, k->n), pivot);
    for (int64_t i = 0; i < k->m; i++)
        perm[i] = (int32_t)i;
    for (int64_t i = 0; i < min64(k->m, k->n); i++) {
        int32_t t = perm[i];

        perm[i] = perm[pivot[i]];
        perm[pivot[i]] = t;
    }
}

#endif
