/* linalg.c -- factorisations of batches of matrices: which are done whole by one thread each,
 * and which by all threads one after the other; small ones of f32 by way of f64, so that
 * they are rounded once.
 */
#include "linalg.h"

#include <string.h>

#define SMALL  32        /* rows and columns of a matrix that is widened */
#define SHARED (1 << 18) /* multiply-adds of a matrix that threads share */

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* Elements of operand i and of result j of one matrix. */
static int64_t in_size(const KLinalg *x, int i)
{
    if (x->op == KL_SOLVE)
        return i ? x->m * x->n : x->n * x->n;
    return i ? 0 : x->m * x->n;
}

static int64_t out_size(const KLinalg *x, int j)
{
    switch (x->op) {
    case KL_CHOLESKY:
    case KL_SOLVE: return j ? 0 : x->m * x->n;
    case KL_LU: return j == 0 ? x->m * x->n : j == 1 ? least(x->m, x->n) : x->m;
    case KL_QR: return j == 0 ? x->m * x->k : j == 1 ? x->k * x->n : 0;
    case KL_EIGH: return j == 0 ? x->n : j == 1 ? x->n * x->n : 0;
    case KL_SVD: return j == 0 ? x->m * x->k : j == 1 ? x->k : x->k * x->n;
    }
    return 0;
}

static int is_whole(const KLinalg *x, int j) { return x->op == KL_LU && j > 0; }

static size_t size_of(KType t) { return t == KT_F64 ? 8 : 4; }

static const KLinalgTable *table_of(const Kernels *k, KType t)
{
    return t == KT_F64 ? k->linalg_f64 : k->linalg_f32;
}

static size_t aligned(int64_t n) { return ((size_t)n + 63) & ~(size_t)63; }

/* Bytes of the widened operands and results. */
static size_t wide_bytes(const KLinalg *x)
{
    size_t n = 0;

    if (x->work == x->type)
        return 0;
    for (int i = 0; i < KL_IN; i++)
        n += aligned(in_size(x, i) * 8);
    for (int j = 0; j < KL_OUT; j++)
        n += aligned(out_size(x, j) * 8);
    return n;
}

void klinalg_init(KLinalg *x, const Kernels *k, int threads)
{
    int64_t most = x->m > x->n ? x->m : x->n, work = x->m * x->n * least(x->m, x->n);

    if (threads < 1)
        threads = 1;
    x->work = x->type == KT_F32 && most <= SMALL ? KT_F64 : x->type;
    x->workers = 1;
    if (threads > 1 && (x->count >= 2 * threads || work < SHARED))
        x->workers = (int)least(threads, x->count * work >> 14) + 1;
    if (x->workers > threads)
        x->workers = threads;
    if (x->workers > x->count)
        x->workers = x->count > 1 ? (int)x->count : 1;
    x->each = table_of(k, x->work)->workspace(x, x->workers > 1 ? 1 : threads);
    x->each = aligned((int64_t)(x->each + wide_bytes(x))) + 64;
    x->workspace = x->each * (size_t)x->workers + 64;
}

static void widen(const float *from, int64_t n, double *to)
{
    for (int64_t i = 0; i < n; i++)
        to[i] = from[i];
}

static void narrow(const double *from, int64_t n, float *to)
{
    for (int64_t i = 0; i < n; i++)
        to[i] = (float)from[i];
}

typedef struct MatrixBatch {
    _Alignas(64) const KLinalg *x;
    const KLinalgTable *table;
    const void *const *in;
    void *const *out;
    const KPar *par;
    char *workspace;
    _Alignas(64) int64_t next;
} MatrixBatch;

static void run_one(const MatrixBatch *b, int64_t index, const KPar *par, char *ws)
{
    const KLinalg *x = b->x;
    const void *in[KL_IN];
    void *out[KL_OUT], *narrow_out[KL_OUT];
    int wide = x->work != x->type;

    for (int i = 0; i < KL_IN; i++) {
        int64_t n = in_size(x, i);

        in[i] =
            n ? (const char *)b->in[i] + (size_t)(index * n) * size_of(x->type) : NULL;
        if (wide && n) {
            widen(in[i], n, (double *)ws);
            in[i] = ws;
            ws += aligned(n * 8);
        }
    }
    for (int j = 0; j < KL_OUT; j++) {
        int64_t n = out_size(x, j);
        size_t size = is_whole(x, j) ? 4 : size_of(x->type);

        out[j] = narrow_out[j] =
            n ? (char *)b->out[j] + (size_t)(index * n) * size : NULL;
        if (wide && n && !is_whole(x, j)) {
            out[j] = ws;
            ws += aligned(n * 8);
        }
    }
    b->table->run(x, in, out, par, ws);
    for (int j = 0; j < KL_OUT && wide; j++)
        if (out[j] != narrow_out[j])
            narrow(out[j], out_size(x, j), narrow_out[j]);
}

static void run_some(void *user, int worker)
{
    static const KPar serial = {NULL, 1, NULL};
    MatrixBatch *b = user;
    int64_t i;

    while ((i = __atomic_fetch_add(&b->next, 1, __ATOMIC_RELAXED)) < b->x->count)
        run_one(b, i, b->x->workers > 1 ? &serial : b->par,
                b->workspace + b->x->each * (size_t)worker);
}

void klinalg_run(const KLinalg *x, const Kernels *k, const void *const *in,
                 void *const *out, const KPar *par, void *workspace)
{
    MatrixBatch b = {.x = x,
               .table = table_of(k, x->work),
               .in = in,
               .out = out,
               .par = par,
               .workspace = (char *)workspace + (-(uintptr_t)workspace & 63)};

    if (x->workers > 1 && par->run)
        par->run(par->ctx, x->workers, run_some, &b);
    else
        run_some(&b, 0);
}
