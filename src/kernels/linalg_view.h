/* linalg_view.h -- matrices by strides, their products by the kernels of k_matmul_*.c, and
 * loops over vectors, for one REAL. */
#ifndef WEFT_KERNEL_LINALG_VIEW_H
#define WEFT_KERNEL_LINALG_VIEW_H

#include "linalg.h"
#include "real.h"

extern const KMatmulTable REAL_NAME(matmul_table);

#if REAL_F64
#define EPS           0x1p-53
#define TINY          0x1p-900 /* squares below and above these may have lost something */
#define HUGE_         0x1p900
#define SMALLEST      0x1p-900 /* reflections of less than this are scaled first */
#define real_abs      __builtin_fabs
#define real_sqrt     __builtin_sqrt
#define real_copysign __builtin_copysign
#else
#define EPS           0x1p-24f
#define TINY          0x1p-100f
#define HUGE_         0x1p100f
#define SMALLEST      0x1p-90f
#define real_abs      __builtin_fabsf
#define real_sqrt     __builtin_sqrtf
#define real_copysign __builtin_copysignf
#endif

typedef struct View { /* of a matrix: element (i, j) is p[i*row + j*col] */
    REAL *p;
    int64_t row, col;
} View;

INLINE View view(REAL *p, int64_t row) { return (View){p, row, 1}; }
INLINE View turned(View a) { return (View){a.p, a.col, a.row}; }
INLINE View from(View a, int64_t i, int64_t j)
{
    return (View){a.p + i * a.row + j * a.col, a.row, a.col};
}

typedef struct Work {
    const KPar *par;
    void *products; /* workspace of the largest */
} Work;

/* c [m,n] = a [m,k] b [k,n], added to c or taken from it if accumulate is 1 or -1. */
static void product(const Work *w, int64_t m, int64_t n, int64_t k, View a, View b,
                    View c, int accumulate)
{
    KMatmul x = {.a_type = REAL_TYPE, .b_type = REAL_TYPE, .c_type = REAL_TYPE};

    if (m <= 0 || n <= 0 || (k <= 0 && accumulate))
        return;
    x.accumulate = accumulate;
    x.m = m, x.n = n, x.k = k;
    x.a = a.p, x.a_row = a.row, x.a_col = a.col;
    x.b = b.p, x.b_row = b.row, x.b_col = b.col;
    x.c = c.p, x.c_row = c.row, x.c_col = c.col;
    REAL_NAME(matmul_table).run(&x, w->par, w->products);
}

/* ---- memory ------------------------------------------------------------------------- */

/* Arrays one after the other in a workspace; with base NULL only their size is found. */
typedef struct Room {
    char *base;
    size_t used;
} Room;

INLINE void *room_bytes(Room *r, size_t size)
{
    char *p = r->base ? r->base + r->used : NULL;

    r->used += (size + 63) & ~(size_t)63;
    return p;
}
INLINE REAL *room_reals(Room *r, int64_t n)
{
    return room_bytes(r, (size_t)n * sizeof(REAL));
}

/* ---- vectors ------------------------------------------------------------------------ */

INLINE REAL add_lanes(V x)
{
    REAL s[VL];

    memcpy(s, &x, sizeof s);
    for (int half = VL / 2; half > 0; half /= 2)
        for (int i = 0; i < half; i++)
            s[i] += s[i + half];
    return s[0];
}

INLINE V load_some(const REAL *p, int64_t n)
{
    return n >= VL ? real_load(p) : real_load_n(p, (int)n);
}
INLINE void store_some(REAL *p, V x, int64_t n)
{
    if (n >= VL)
        real_store(p, x);
    else
        real_store_n(p, x, (int)n);
}

static REAL dot(const REAL *x, const REAL *y, int64_t n)
{
    V s = {0}, t = {0};
    int64_t i = 0;

    for (; i + 2 * VL <= n; i += 2 * VL) {
        s += real_load(x + i) * real_load(y + i);
        t += real_load(x + i + VL) * real_load(y + i + VL);
    }
    for (; i < n; i += VL)
        s += load_some(x + i, n - i) * load_some(y + i, n - i);
    return add_lanes(s + t);
}

/* y += c x */
static void axpy(REAL c, const REAL *x, REAL *y, int64_t n)
{
    for (int64_t i = 0; i < n; i += VL)
        store_some(y + i, load_some(y + i, n - i) + c * load_some(x + i, n - i), n - i);
}

static void scale(REAL c, REAL *x, int64_t n)
{
    for (int64_t i = 0; i < n; i += VL)
        store_some(x + i, c * load_some(x + i, n - i), n - i);
}

/* x, y = c x + s y, c y - s x */
static void rotate(REAL *x, REAL *y, int64_t n, REAL c, REAL s)
{
    for (int64_t i = 0; i < n; i += VL) {
        V a = load_some(x + i, n - i), b = load_some(y + i, n - i);

        store_some(x + i, c * a + s * b, n - i);
        store_some(y + i, c * b - s * a, n - i);
    }
}

static REAL largest(const REAL *x, int64_t n)
{
    REAL m = 0;

    for (int64_t i = 0; i < n; i++)
        m = real_abs(x[i]) > m ? real_abs(x[i]) : m;
    return m;
}

/* A power of two that brings x [n] near 1, where squares and their differences are safe. */
static REAL safe_scale(const REAL *x, int64_t n)
{
    REAL big = largest(x, n), c = 1;

    for (; big * c > 1024; c *= (REAL)0.5)
        ;
    for (; big * c < 1 / (REAL)1024 && big > 0 && c < HUGE_; c *= 2)
        ;
    return c;
}

static REAL hypotenuse(REAL x, REAL y)
{
    REAL a = real_abs(x), b = real_abs(y), big = a > b ? a : b, t;

    if (big == 0)
        return 0;
    t = (a > b ? b : a) / big;
    return big * real_sqrt(1 + t * t);
}

/* The root of the sum of squares, which may be out of range. */
static REAL norm(const REAL *x, int64_t n)
{
    REAL s = dot(x, x, n), big, sum = 0;

    if (s > TINY && s < HUGE_)
        return real_sqrt(s);
    big = largest(x, n);
    if (big == 0)
        return 0;
    for (int64_t i = 0; i < n; i++)
        sum += (x[i] / big) * (x[i] / big);
    return big * real_sqrt(sum);
}

/* to [n, m] = the transpose of a [m, n] */
static void copy_turned(const REAL *a, int64_t ld, int64_t m, int64_t n, REAL *to,
                        int64_t to_ld)
{
    for (int64_t i0 = 0; i0 < m; i0 += 32)
        for (int64_t j0 = 0; j0 < n; j0 += 32)
            for (int64_t i = i0; i < min64(m, i0 + 32); i++)
                for (int64_t j = j0; j < min64(n, j0 + 32); j++)
                    to[j * to_ld + i] = a[i * ld + j];
}

static void copy_rows(const REAL *a, int64_t ld, int64_t m, int64_t n, REAL *to,
                      int64_t to_ld)
{
    for (int64_t i = 0; i < m && n; i++)
        memcpy(to + i * to_ld, a + i * ld, (size_t)n * sizeof *a);
}

static void fill(REAL *x, int64_t n, REAL v)
{
    for (int64_t i = 0; i < n; i++)
        x[i] = v;
}

static void fill_identity(REAL *x, int64_t m, int64_t n)
{
    memset(x, 0, (size_t)(m * n) * sizeof *x);
    for (int64_t i = 0; i < min64(m, n); i++)
        x[i * n + i] = 1;
}

static int is_finite(const REAL *x, int64_t n)
{
    V s = {0};

    for (int64_t i = 0; i < n; i += VL) /* 0 but for infinities and NaN */
        s += load_some(x + i, n - i) * 0;
    return add_lanes(s) == 0;
}

#endif
