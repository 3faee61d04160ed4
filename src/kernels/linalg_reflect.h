/* linalg_reflect.h -- Householder reflections in blocks, for one REAL.
 *
 *   H = 1 - tau v v^T,  v[first] = 1      H1 H2 .. Hk = 1 - V T V^T,  T upper triangular
 *
 * (Schreiber and Van Loan, 1989). The vectors are rows of an array, 0 before their first
 * element: V^T as it stands. */
#ifndef WEFT_KERNEL_LINALG_REFLECT_H
#define WEFT_KERNEL_LINALG_REFLECT_H

#include "linalg_view.h"

#define REFLECT 32 /* reflections of a block */

typedef struct Reflections {
    const Work *w;
    int64_t count, len;
    REAL *v;    /* [count, len] */
    REAL *tau;  /* [count] */
    REAL *t;    /* [REFLECT, REFLECT] */
    REAL *rows; /* [2, REFLECT, most columns they are applied to] */
} Reflections;

static Reflections reflections(const Work *w, Room *room, int64_t count, int64_t len,
                               int64_t cols)
{
    return (Reflections){w,
                         count,
                         len,
                         room_reals(room, count * len),
                         room_reals(room, count),
                         room_reals(room, REFLECT * REFLECT),
                         room_reals(room, 2 * REFLECT * max64(cols, REFLECT))};
}

/* x [n] becomes the vector that takes it to (head, 0, ..), head of the sign opposite to
 * x[0]; if all below x[0] is 0, it stays. Gives tau. */
static REAL make_reflection(REAL *x, int64_t n, REAL *head)
{
    REAL below = norm(x + 1, n - 1), first = x[0], whole;

    if (below > 0 && below < SMALLEST && real_abs(first) < SMALLEST) {
        scale(1 / SMALLEST, x, n); /* where numbers lose digits */
        whole = make_reflection(x, n, head);
        *head *= SMALLEST;
        return whole;
    }
    *head = first;
    x[0] = 1;
    if (below == 0)
        return 0;
    *head = whole = -real_copysign(hypotenuse(first, below), first);
    for (int64_t i = 1; i < n; i += VL)
        store_some(x + i, load_some(x + i, n - i) / (first - whole), n - i);
    return (whole - first) / whole;
}

/* T of reflections first .. first+k-1:  T[:i,i] = -tau[i] T[:i,:i] V[:,:i]^T v[i]. */
static void make_block(const Reflections *r, int64_t first, int64_t k)
{
    View v = view(r->v + first * r->len + first, r->len);
    REAL *g = r->rows, *t = r->t;

    product(r->w, k, k, r->len - first, v, turned(v), view(g, k), 0);
    for (int64_t i = 0; i < k; i++) {
        REAL tau = r->tau[first + i];

        for (int64_t j = 0; j < k; j++)
            t[j * k + i] = 0;
        t[i * k + i] = tau;
        for (int64_t j = 0; j < i; j++) {
            REAL s = 0;

            for (int64_t q = j; q < i; q++)
                s += t[j * k + q] * g[q * k + i];
            t[j * k + i] = -tau * s;
        }
    }
}

/* c [len-first, cols], rows from `first` on, = H1 .. Hk c; or its transpose, Hk .. H1 c. */
static void apply_block(const Reflections *r, int64_t first, int64_t k, int trans, View c,
                        int64_t cols)
{
    View v = view(r->v + first * r->len + first, r->len), t = view(r->t, k);
    View w = view(r->rows, cols), u = view(r->rows + REFLECT * cols, cols);
    int64_t len = r->len - first;

    product(r->w, k, cols, len, v, c, w, 0);
    product(r->w, k, cols, k, trans ? turned(t) : t, w, u, 0);
    product(r->w, len, cols, k, turned(v), u, c, -1);
}

/* c [len, cols] = H1 .. Hcount c, where c is 0 in what block i leaves alone before its row
 * and column i if `square` (c begins as the identity). */
static void apply_all(const Reflections *r, View c, int64_t cols, int square)
{
    for (int64_t i = (r->count - 1) / REFLECT * REFLECT; i >= 0 && r->count;
         i -= REFLECT) {
        int64_t k = min64(REFLECT, r->count - i), j = square ? i : 0;

        make_block(r, i, k);
        apply_block(r, i, k, 0, from(c, i, j), cols - j);
    }
}

/* ---- qr ----------------------------------------------------------------------------- */

/* Columns first .. first+k-1 of a, as they stand in the rows of v from first on. */
static void factor_panel(const Reflections *r, int64_t first, int64_t k, View a)
{
    int64_t len = r->len;
    REAL *v = r->v + first * len;

    copy_turned(a.p + first, a.row, len, k, v, len);
    for (int64_t i = 0; i < k; i++) {
        int64_t at = first + i;
        REAL *x = v + i * len, head, tau = make_reflection(x + at, len - at, &head);

        r->tau[at] = tau;
        for (int64_t j = 0; j < at; j++) {
            a.p[j * a.row + at] = x[j];
            x[j] = 0;
        }
        a.p[at * a.row + at] = head;
        for (int64_t j = i + 1; j < k && tau != 0; j++) {
            REAL *y = v + j * len + at;

            axpy(-tau * dot(x + at, y, len - at), x + at, y, len - at);
        }
    }
}

/* a [m,n] becomes R (what is below the diagonal has no meaning); r: the reflections. */
static void factor_qr(const Reflections *r, View a, int64_t n)
{
    for (int64_t i = 0; i < r->count; i += REFLECT) {
        int64_t k = min64(REFLECT, r->count - i), next = i + k;

        factor_panel(r, i, k, a);
        if (next == n)
            continue;
        make_block(r, i, k);
        apply_block(r, i, k, 1, from(a, i, next), n - next);
    }
}

static void run_qr(const KLinalg *k, const Work *w, const REAL *a, REAL *q, REAL *r,
                   Room *room)
{
    int64_t m = k->m, n = k->n, c = k->k;
    REAL *x = room_reals(room, m * n);
    Reflections s = reflections(w, room, min64(m, n), m, max64(n, c));

    if (!is_finite(a, m * n)) {
        fill(q, m * c, (REAL)__builtin_nan(""));
        fill(r, c * n, (REAL)__builtin_nan(""));
        return;
    }
    copy_rows(a, n, m, n, x, n);
    factor_qr(&s, view(x, n), n);
    for (int64_t i = 0; i < c; i++) {
        int64_t from_col = min64(i, n);

        memset(r + i * n, 0, (size_t)from_col * sizeof *r);
        memcpy(r + i * n + from_col, x + i * n + from_col,
               (size_t)(n - from_col) * sizeof *r);
    }
    fill_identity(q, m, c);
    apply_all(&s, view(q, c), c, 1);
}

#endif
