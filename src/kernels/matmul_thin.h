/* matmul_thin.h -- products with at most THIN_ROWS rows, where B is read once and speed
 * is that of memory: B is never copied.
 *
 *   axpy form   B's columns contiguous, one row:  sums[:] += a[k] * B[k,:], eight k at a
 *               time, so that B is read in long runs and the sums stay in the nearest
 *               cache
 *   dot form    B contiguous along k:  sums[i][j] = A[i,:]·B[:,j], vectors along k
 *
 * Columns are cut into chunks and long k into parts, both by shape alone; parts are
 * summed in order. A is first copied to contiguous REAL rows when it is not so already.
 */
#ifndef WEFT_KERNEL_MATMUL_THIN_H
#define WEFT_KERNEL_MATMUL_THIN_H

#include "gemm.h"

#define THIN_ROWS 8
#define THIN_WORK (1 << 16) /* elements of B below which threads do not pay */
#define THIN_PART 4096      /* least k of a part in dot form */
#define AXPY_ROWS 8         /* k at a time in axpy form */
#define AXPY_CHUNK 8192     /* columns of a task there: their sums stay in L1 */

typedef struct Thin {
    APART const Gemm *g;
    int dot;
    int64_t chunk, chunks; /* columns of a task; how many */
    int64_t part, parts;   /* k of a task; how many */
    int64_t ld;            /* row stride of sums */
    const REAL *a;         /* rows of A, k contiguous (a_ld between rows) */
    int64_t a_ld;
    int copy_a;
    REAL *sums;  /* [parts][m][ld] */
    size_t size; /* bytes of workspace */
} Thin;

/* Whether g is thin, and how it is cut up. */
static int thin_plan(const Gemm *g, Thin *t)
{
    int axpy = g->m == 1 && g->b.si == 1 && g->b.type == REAL_TYPE;

    *t = (Thin){.g = g};
#ifdef KERNEL_SMALL
    if (g->b.type != REAL_TYPE) /* halves are packed, as for wider products */
        return 0;
#endif
    t->dot = g->b.sk == 1 && !axpy;
    if (g->m > THIN_ROWS || g->k < 8 || g->a.pack || g->b.pack || !(axpy || t->dot))
        return 0;
    t->chunk = axpy ? AXPY_CHUNK : max64(16, min64(1024, THIN_WORK / g->k) & ~(int64_t)3);
    t->chunks = ceil_div(g->n, t->chunk);
    t->parts = 1;
    if (t->chunks <
        8) /* axpy reads long rows: it shares out k; dot only when n is short */
        t->parts = max64(1, min64(8, axpy ? min64(g->n * g->k / THIN_WORK, g->k / 64)
                                          : g->k / THIN_PART));
    t->part = ceil_div(g->k, t->parts);
    t->ld = round_up(g->n, VL);
    t->copy_a = g->a.type != REAL_TYPE || g->a.sk != 1;
    t->a_ld = t->copy_a ? g->k : g->a.si;
    t->size = (size_t)(t->parts * g->m * t->ld) * sizeof(REAL);
    if (t->copy_a)
        t->size += (size_t)(g->m * g->k) * sizeof(REAL);
    return 1;
}

/* ---- axpy form -------------------------------------------------------------------- */

/* y[0..n-1] += sum over rows of a[r] * b[r*sk + j]; n a multiple of VL but for the last
 * vector */
INLINE void axpy_rows(int rows, const REAL *a, const REAL *b, int64_t sk, REAL *y,
                      int64_t n)
{
    V x[AXPY_ROWS];
    int64_t j = 0;

    UNROLL
    for (int r = 0; r < rows; r++)
        x[r] = real_splat(a[r]);
    for (; j + VL <= n; j += VL) {
        V s = real_load(y + j);

        UNROLL
        for (int r = 0; r < rows; r++)
            s += x[r] * real_load(b + r * sk + j);
        real_store(y + j, s);
    }
    if (j < n) {
        V s = real_load(y + j); /* sums are padded to whole vectors */

        UNROLL
        for (int r = 0; r < rows; r++)
            s += x[r] * real_load_n(b + r * sk + j, (int)(n - j));
        real_store(y + j, s);
    }
}

NOINLINE void thin_axpy(const Thin *t, int64_t j0, int64_t n, int64_t k0, int64_t k1,
                        REAL *y)
{
    const Operand *o = &t->g->b;
    const REAL *b = (const REAL *)o->p + j0;
    int64_t k = k0;

    for (int64_t j = 0; j < n; j += VL)
        real_store(y + j, (V){0});
    for (; k + AXPY_ROWS <= k1; k += AXPY_ROWS)
        axpy_rows(AXPY_ROWS, t->a + k, b + k * o->sk, o->sk, y, n);
    for (; k < k1; k++)
        axpy_rows(1, t->a + k, b + k * o->sk, o->sk, y, n);
}

/* ---- dot form --------------------------------------------------------------------- */

INLINE REAL sum_lanes(V x)
{
#if defined(__clang__)
    REAL s[VL];

    memcpy(s, &x, sizeof s);
    for (int half = VL / 2; half > 0; half /= 2) {
        for (int i = 0; i < half; i++)
            s[i] += s[i + half];
    }
    return s[0];
#else /* the same sums, a few instructions: there are a hundred of these */
    VI lane = {0};

    UNROLL
    for (int i = 0; i < VL; i++)
        lane[i] = i;
    UNROLL
    for (int half = VL / 2; half > 0; half /= 2)
        x += __builtin_shuffle(x, (lane + half) & (VL - 1));
    return x[0];
#endif
}

#define DOT_COLS 4
#define DOT_ROWS 4
#define DOT_WIDE 8         /* columns for one row when B comes from memory */
#define DOT_FAR  (1 << 21) /* elements of such a B */

/* Sums for one row are kept apart for even and odd vectors of k, which hides the latency
 * of one; more rows have enough sums as it is. */
INLINE void dot_tile(KType type, int mr, int nc, const REAL *a, int64_t a_ld,
                     const void *b, int64_t b0, int64_t b_ld, int64_t k, REAL *y,
                     int64_t y_ld)
{
    int halves = mr == 1 ? 2 : 1;
    V s[2][DOT_ROWS][DOT_WIDE];

    UNROLL
    for (int h = 0; h < halves; h++) {
        UNROLL
        for (int i = 0; i < mr; i++) {
            UNROLL
            for (int j = 0; j < nc; j++)
                s[h][i][j] = (V){0};
        }
    }
    for (int64_t kk = 0; kk < k; kk += halves * VL) {
        int whole = k - kk >= halves * VL;

        UNROLL
        for (int h = 0; h < halves; h++) {
            int64_t at = kk + h * VL;
            int n = whole ? VL : k - at >= VL ? VL : k - at < 0 ? 0 : (int)(k - at);
            V x[DOT_ROWS];

            UNROLL
            for (int i = 0; i < mr; i++)
                x[i] = whole ? real_load(a + i * a_ld + at)
                             : real_load_n(a + i * a_ld + at, n);
            UNROLL
            for (int j = 0; j < nc; j++) {
                V z = whole ? real_load_as(type, b, b0 + j * b_ld + at, VL)
                            : real_load_as(type, b, b0 + j * b_ld + at, n);

                UNROLL
                for (int i = 0; i < mr; i++)
                    s[h][i][j] += x[i] * z;
            }
        }
    }
    UNROLL
    for (int i = 0; i < mr; i++) {
        UNROLL
        for (int j = 0; j < nc; j++)
            y[i * y_ld + j] =
                sum_lanes(halves == 2 ? s[0][i][j] + s[1][i][j] : s[0][i][j]);
    }
}

INLINE void thin_dot_as(KType type, const Thin *t, int64_t j0, int64_t n, int64_t k0,
                        int64_t k1, REAL *y)
{
    const Gemm *g = t->g;
    int64_t ld = t->ld, k = k1 - k0, a_ld = t->a_ld, b_ld = g->b.si,
            m4 = g->m & ~(int64_t)3;
    const REAL *a = t->a + k0;
    int64_t j = 0;

    if (g->m == 1 && g->n * g->k >= DOT_FAR) {
        for (; j + DOT_WIDE <= n; j += DOT_WIDE)
            dot_tile(type, 1, DOT_WIDE, a, 0, g->b.p, (j0 + j) * b_ld + k0, b_ld, k,
                     y + j, ld);
    }
    for (; j + DOT_COLS <= n; j += DOT_COLS) {
        int64_t b0 = (j0 + j) * b_ld + k0, i = 0;

        for (; i < m4; i += DOT_ROWS)
            dot_tile(type, 4, DOT_COLS, a + i * a_ld, a_ld, g->b.p, b0, b_ld, k,
                     y + i * ld + j, ld);
        if (i + 2 <= g->m) {
            dot_tile(type, 2, DOT_COLS, a + i * a_ld, a_ld, g->b.p, b0, b_ld, k,
                     y + i * ld + j, ld);
            i += 2;
        }
        if (i < g->m)
            dot_tile(type, 1, DOT_COLS, a + i * a_ld, 0, g->b.p, b0, b_ld, k,
                     y + i * ld + j, ld);
    }
    for (; j < n; j++) {
        for (int64_t i = 0; i < g->m; i++)
            dot_tile(type, 1, 1, a + i * a_ld, 0, g->b.p, (j0 + j) * b_ld + k0, 0, k,
                     y + i * ld + j, 0);
    }
}

NOINLINE void thin_dot(const Thin *t, int64_t j0, int64_t n, int64_t k0, int64_t k1,
                       REAL *y)
{
#if !REAL_F64 && !defined(KERNEL_SMALL)
    if (t->g->b.type == KT_F16) {
        thin_dot_as(KT_F16, t, j0, n, k0, k1, y);
        return;
    }
    if (t->g->b.type == KT_BF16) {
        thin_dot_as(KT_BF16, t, j0, n, k0, k1, y);
        return;
    }
#endif
    thin_dot_as(REAL_TYPE, t, j0, n, k0, k1, y);
}

/* ---- tasks ------------------------------------------------------------------------ */

/* The sums of the parts of columns j0.. into the first part's, then into C. */
static void thin_emit(const Thin *t, int64_t j0, int64_t n)
{
    const Gemm *g = t->g;
    int64_t each = g->m * t->ld;

    for (int64_t i = 0; i < g->m; i++) {
        for (int64_t part = 1; part < t->parts; part++) {
            REAL *y = t->sums + i * t->ld + j0;

            for (int64_t j = 0; j < n; j++)
                y[j] += y[part * each + j];
        }
    }
    REAL_NAME(gemm_emit)(g, t->sums + j0, t->ld, 0, g->m, j0, n);
}

static void thin_task(void *user, int i)
{
    const Thin *t = user;
    const Gemm *g = t->g;
    int64_t part = i % t->parts, j0 = i / t->parts * t->chunk;
    int64_t n = min64(t->chunk, g->n - j0);
    int64_t k0 = part * t->part, k1 = min64(g->k, k0 + t->part);
    REAL *y = t->sums + part * g->m * t->ld + j0;

    if (t->dot)
        thin_dot(t, j0, n, k0, k1, y);
    else
        thin_axpy(t, j0, n, k0, k1, y);
    if (t->parts == 1)
        thin_emit(t, j0, n);
}

static void thin_run(Thin *t, const KPar *par, char *ws)
{
    const Gemm *g = t->g;
    KPar serial = {NULL, 1, NULL};

    t->sums = (REAL *)ws;
    t->a = g->a.p;
    if (t->copy_a) {
        REAL *a = t->sums + t->parts * g->m * t->ld;

        t->a = a;
        for (int64_t i = 0; i < g->m; i++) {
            for (int64_t k = 0; k < g->k; k++)
                a[i * g->k + k] =
                    real_get_as(g->a.type, g->a.p, i * g->a.si + k * g->a.sk);
        }
    }
    par_run(g->n * g->k < THIN_WORK ? &serial : par, t->chunks * t->parts, thin_task, t);
    if (t->parts > 1)
        thin_emit(t, 0, g->n);
}

#endif
