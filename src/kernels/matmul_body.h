/* matmul_body.h -- matrix multiplication for one REAL: batches, and the choice of method.
 *
 *   thin     few rows (or, transposed, few columns): matmul_thin.h, at the speed of
 *   memory others   gemm_body.h
 *
 * Small products of a batch are dealt out to the threads whole; large ones are done one
 * after another with all threads.
 */
#include "matmul_thin.h"

#define LOW_ROWS   (4 * VL)          /* what two tiles have room for */
#define TILE_TURNS (KERNEL_ISA == 2) /* tiles are large enough to be turned at the end */
#define BATCH_WORK                                                                       \
    (1 << 22) /* multiply-adds of one product above which threads share it */

typedef struct Batch {
    APART const KMatmul *x;
    const Gemm *g; /* of the first entry */
    int swapped;   /* A and B in it */
    int64_t count;
    char *ws;
    size_t each; /* workspace of one worker */
    APART int64_t next;
} Batch;

static void swap_gemm(Gemm *g)
{
    Operand o = g->a;
    const REAL *bias = g->bias_m;
    int64_t t = g->m;

    g->a = g->b;
    g->b = o;
    g->m = g->n;
    g->n = t;
    t = g->c_row;
    g->c_row = g->c_col;
    g->c_col = t;
    g->bias_m = g->bias_n;
    g->bias_n = bias;
}

/* Few rows times a large B that is contiguous along k: as B's transpose times A's, only
 * the small A is packed, and B is read once where it stands. */
static int is_low(const Gemm *g)
{
    return TILE_TURNS && g->m > THIN_ROWS && g->m <= LOW_ROWS && g->n >= 8 * g->m &&
           g->b.sk == 1 && g->b.type == REAL_TYPE && g->c_type == REAL_TYPE &&
           8 * round_up(g->m, VL) <= 9 * g->m && /* few idle lanes */
           g->k >= 64 && g->b.si * (int64_t)sizeof(REAL) % 4096 != 0 && !g->accumulate;
}

/* C's transpose is B's transpose times A's: taken when C's columns are the contiguous
 * ones, to make a thin product one of few rows, and for low ones. Returns whether it
 * was. */
static int make_gemm(Gemm *g, const KMatmul *x)
{
    int thin, swapped;

    memset(g, 0, sizeof *g);
    g->m = x->m, g->n = x->n, g->k = x->k;
    g->a.type = x->a_type, g->a.p = x->a, g->a.si = x->a_row, g->a.sk = x->a_col;
    g->b.type = x->b_type, g->b.p = x->b, g->b.si = x->b_col, g->b.sk = x->b_row;
    g->c_type = x->c_type, g->c = x->c, g->c_row = x->c_row, g->c_col = x->c_col;
    g->accumulate = x->accumulate;
    g->panels = x->packed;
    g->scale = (REAL)x->epilogue.scale;
    g->bias_m = x->epilogue.bias_m;
    g->bias_n = x->epilogue.bias_n;
    g->relu = x->epilogue.relu;
    g->tile = x->epilogue.tile;
    g->tile_user = x->epilogue.user;
    if (g->k == 1) /* the stride is never used: let it look contiguous only along i */
        g->a.sk = g->b.sk = 0;
    thin =
        g->n <= THIN_ROWS && g->n < g->m && (g->a.sk == 1 || (g->n == 1 && g->a.si == 1));
    swapped = !g->tile && !g->panels &&
              (thin || (g->c_col != 1 && g->c_row == 1 && g->n > 1) || is_low(g));
    if (swapped)
        swap_gemm(g);
    return swapped;
}

static size_t one_workspace(const Gemm *g, int threads)
{
    Thin t;

    if (thin_plan(g, &t))
        return t.size + 64;
    return REAL_NAME(gemm_workspace)(g, threads);
}

static void one_run(const Gemm *g, const KPar *par, char *ws)
{
    Thin t;

    if (g->m == 0 || g->n == 0)
        return;
    if (thin_plan(g, &t))
        thin_run(&t, par, ws + (-(uintptr_t)ws & 63));
    else
        REAL_NAME(gemm)(g, par, ws);
}

static int64_t batch_count(const KMatmul *x)
{
    int64_t count = 1;

    for (int d = 0; d < x->nbatch; d++)
        count *= x->batch[d];
    return count;
}

static int shares_threads(const Gemm *g, int64_t count)
{
    return count == 1 || (g->m * g->n >= 4096 && g->m * g->n * g->k >= BATCH_WORK);
}

static size_t matmul_workspace(const KMatmul *x, int threads)
{
    Gemm g;
    int64_t count = batch_count(x);

    if (threads < 1)
        threads = 1;
    if (count == 0)
        return 0;
    make_gemm(&g, x);
    if (shares_threads(&g, count))
        return one_workspace(&g, threads);
    return (one_workspace(&g, 1) + 64) * (size_t)min64(threads, count) + 64;
}

/* Move g, of the first entry, to another. */
static void batch_entry(Gemm *g, const KMatmul *x, int swapped, int64_t index)
{
    int64_t a = 0, b = 0, c = 0;

    g->batch = index;
    for (int d = x->nbatch - 1; d >= 0; d--) {
        int64_t i = index % x->batch[d];

        index /= x->batch[d];
        a += i * x->a_batch[d];
        b += i * x->b_batch[d];
        c += i * x->c_batch[d];
    }
    if (swapped) {
        int64_t t = a;

        a = b;
        b = t;
    }
    g->a.p = (const char *)g->a.p + a * (int64_t)real_type_size(g->a.type);
    g->b.p = (const char *)g->b.p + b * (int64_t)real_type_size(g->b.type);
    g->c = (char *)g->c + c * (int64_t)real_type_size(g->c_type);
}

static void batch_task(void *user, int worker)
{
    Batch *b = user;
    KPar serial = {NULL, 1, NULL};
    int64_t t;

    while ((t = __atomic_fetch_add(&b->next, 1, __ATOMIC_RELAXED)) < b->count) {
        Gemm g = *b->g;

        batch_entry(&g, b->x, b->swapped, t);
        one_run(&g, &serial, b->ws + b->each * (size_t)worker);
    }
}

static void matmul_run(const KMatmul *x, const KPar *par, void *workspace)
{
    Gemm g;
    Batch b = {.x = x, .g = &g, .swapped = make_gemm(&g, x), .count = batch_count(x)};
    int threads = par->run && par->threads > 1 ? par->threads : 1;

    if (b.count == 1) {
        one_run(&g, par, workspace);
        return;
    }
    if (shares_threads(&g, b.count)) {
        for (int64_t i = 0; i < b.count; i++) {
            Gemm e = g;

            batch_entry(&e, x, b.swapped, i);
            one_run(&e, par, workspace);
        }
        return;
    }
    b.ws = (char *)workspace + (-(uintptr_t)workspace & 63);
    b.each = (one_workspace(&g, 1) + 63) & ~(size_t)63;
    if (b.count * g.m * g.n * g.k < (1 << 17))
        threads = 1;
    par_run(par, min64(threads, b.count), batch_task, &b);
}

/* ---- B packed once ---------------------------------------------------------------- */

#define KNOWN_B (64 << 10) /* bytes of B: less stays in the nearest caches as it is */

/* Not for batches, thin products and a C that is written along its columns. */
static size_t matmul_packed_size(const KMatmul *x)
{
    if (x->nbatch || x->c_col != 1 || x->m <= THIN_ROWS || x->n <= THIN_ROWS ||
        x->n * x->k * (int64_t)sizeof(REAL) < KNOWN_B)
        return 0;
    return REAL_NAME(gemm_packed_size)(x->n, x->k);
}

static void matmul_pack(const KMatmul *x, const KPar *par, void *to)
{
    Gemm g;
    KMatmul y = *x;

    y.packed = to; /* A and B are not swapped */
    make_gemm(&g, &y);
    REAL_NAME(gemm_pack_b)(&g, par, to);
}

/* ---- workspace of products not known beforehand ------------------------------------ */

static size_t matmul_most(int64_t m, int64_t n, int64_t k, int threads)
{
    int64_t thin = THIN_ROWS * (8 * round_up(max64(m, n), VL) + k) * (int64_t)sizeof(REAL);
    size_t one, other;

    if (threads < 1)
        threads = 1;
    one = REAL_NAME(gemm_most)(m, n, k, threads);
    other = REAL_NAME(gemm_most)(n, m, k, threads);
    return (one > other ? one : other) + (size_t)thin + 128;
}
