/* product.c -- products by cuBLASLt.
 *
 * Matrices there are by columns: a row-major C = A B is C' = B' A' with the operands as
 * they lie. An operand whose rows and columns both have gaps is read by a kernel of our own (dot.c).
 *
 *   method   A plan (descriptors and an algorithm) is made for each shape when it is first
 *            met, and kept. For products worth it, the algorithms the library proposes and our own kernel for narrow
 *            ones are timed on the operands at hand; the fastest is taken, and kept in the cache of code for later processes.
 */
#include "cuda/cuda.h"
#include "runtime/compiler.h"
#include "runtime/step.h"

#include <stdio.h>

enum { /* of the library's headers */
    TYPE_F32 = 0,
    TYPE_F64 = 1,
    TYPE_F16 = 2,
    TYPE_BF16 = 14,
    COMPUTE_F32 = 68,
    COMPUTE_F64 = 70,
    COMPUTE_TF32 = 77,
    COMPUTE_BF16 = 75,
    DESC_TRANSA = 3,
    DESC_TRANSB = 4,
    DESC_EPILOGUE = 7,
    DESC_BIAS = 8,
    DESC_AUX = 11,
    DESC_AUX_LD = 12,
    EPILOGUE_RELU = 2, /* flags, from here on */
    EPILOGUE_BIAS = 4,
    EPILOGUE_GELU = 32,
    EPILOGUE_DGELU = 64,
    EPILOGUE_AUX = 128,
    LAYOUT_BATCH = 5,
    LAYOUT_STRIDE = 6,
    PREFERENCE_WORK = 1
};

#define WORK_BYTES  ((size_t)64 << 20)
#define PROPOSALS   24
#define TIMED_FLOPS 1e7 /* products of more are worth a search */
#define TIMED_RUNS  5
#define TIMED_VAIN  8       /* proposals in a row that are no better, after which the others are not tried, */
#define TIMED_ALL   5e11    /* but for products of more: among these the best one came late */
#define TIMED_FAR   1.3F /* times the best, from which on one run is enough: */
#define TIMED_LONG  2.5F /* where TIMED_RUNS take so many ms, a run is timed well enough */
#define TIMED_NEAR  1.04F /* to tell this much */

typedef struct Heuristic { /* as the library fills it */
    uint64_t algo[8];
    size_t work;
    int state;
    float waves;
    int reserved[4];
} Heuristic;

typedef struct Choice { /* how a product is done; as the cache of code keeps it */
    int64_t own; /* by our kernel, else by */
    Heuristic h;
} Choice;

typedef struct Shape { /* what a plan is for; no padding between, it is compared whole */
    int64_t m, n, k, lda, ldb, ldc, a_batch, b_batch, c_batch, batch;
    int32_t a_type, b_type, c_type, ta, tb, compute;
    int32_t epilogue, adds; /* EPILOGUE_; a third matrix is added */
    int64_t own;            /* we have a kernel for it, as its operands lie */
} Shape;

typedef struct ProductPlan {
    Shape shape;
    CuHandle desc, a, b, c;
    Choice best;
    bool usable;
    struct ProductPlan *next;
} ProductPlan;

struct CudaPlans {
    ProductPlan *bucket[256];
};

static int type_of(KType t)
{
    switch (t) {
    case KT_F32: return TYPE_F32;
    case KT_F64: return TYPE_F64;
    case KT_F16: return TYPE_F16;
    default: return TYPE_BF16;
    }
}

bool cuda_has_product(const Cuda *d, const Program *p, const Eqn *e)
{
    unsigned x = val_type(p, eqn_in(p, e)[0]).dtype, y = val_type(p, eqn_in(p, e)[1]).dtype,
             z = val_type(p, e->out).dtype;

    (void)d;
    if (x != y)
        return false;
    switch (x) {
    case WF_F32:
    case WF_F64: return z == x;
    case WF_F16:
    case WF_BF16: return z == x || z == WF_F32;
    default: return false;
    }
}

/* ---- plans --------------------------------------------------------------------------- */

static void free_plan(Cuda *d, ProductPlan *p)
{
    const CudaBlas *lt = &d->l->lt;

    if (p->desc)
        lt->cublasLtMatmulDescDestroy(p->desc);
    for (int i = 0; i < 3; i++) {
        CuHandle layout = i == 0 ? p->a : i == 1 ? p->b : p->c;

        if (layout)
            lt->cublasLtMatrixLayoutDestroy(layout);
    }
    mem_free(&d->al, p, sizeof *p);
}

void cuda_free_plans(Cuda *d)
{
    for (int i = 0; d->plans && i < 256; i++)
        for (ProductPlan *p = d->plans->bucket[i], *next; p; p = next) {
            next = p->next;
            free_plan(d, p);
        }
    if (d->plans)
        mem_free(&d->al, d->plans, sizeof *d->plans);
    d->plans = NULL;
}

static bool make_layout(const CudaBlas *lt, CuHandle *out, int type, int64_t rows,
                        int64_t cols, int64_t ld, int64_t batch, int64_t stride)
{
    int32_t count = (int32_t)batch;

    return lt->cublasLtMatrixLayoutCreate(out, type, (uint64_t)rows, (uint64_t)cols, ld) ==
               0 &&
           lt->cublasLtMatrixLayoutSetAttribute(*out, LAYOUT_BATCH, &count, sizeof count) ==
               0 &&
           lt->cublasLtMatrixLayoutSetAttribute(*out, LAYOUT_STRIDE, &stride,
                                                sizeof stride) == 0;
}

/* B' and A' as the library's first and second operand. */
static bool describe(Cuda *d, ProductPlan *p)
{
    const CudaBlas *lt = &d->l->lt;
    const Shape *s = &p->shape;
    int scale = s->compute == COMPUTE_F64 ? TYPE_F64 : TYPE_F32;

    return lt->cublasLtMatmulDescCreate(&p->desc, s->compute, scale) == 0 &&
           lt->cublasLtMatmulDescSetAttribute(p->desc, DESC_TRANSA, &s->tb,
                                              sizeof s->tb) == 0 &&
           lt->cublasLtMatmulDescSetAttribute(p->desc, DESC_TRANSB, &s->ta,
                                              sizeof s->ta) == 0 &&
           make_layout(lt, &p->b, s->b_type, s->tb ? s->k : s->n, s->tb ? s->n : s->k,
                       s->ldb, s->batch, s->b_batch) &&
           make_layout(lt, &p->a, s->a_type, s->ta ? s->m : s->k, s->ta ? s->k : s->m,
                       s->lda, s->batch, s->a_batch) &&
           make_layout(lt, &p->c, s->c_type, s->n, s->m, s->ldc, s->batch, s->c_batch);
}

typedef struct Operands {
    const void *a, *b;
    void *c;
    const TailCall *tail; /* NULL: none */
    const CudaDot *own;   /* a kernel of our own that may be better; NULL: none */
} Operands;

static bool run_plan(CudaQueue *q, const ProductPlan *p, const Choice *by, Operands x)
{
    double alpha_64 = x.tail ? x.tail->alpha : 1, beta_64 = x.tail ? x.tail->beta : 0;
    float alpha = (float)alpha_64, beta = (float)beta_64;
    bool wide = p->shape.compute == COMPUTE_F64;
    const void *added = p->shape.adds ? x.tail->other : x.c;

    if (by->own)
        return cuda_put_dot(q, x.own, x.a, x.b, x.c);
    return q->d->l->lt.cublasLtMatmul(
               q->d->blas, p->desc, wide ? (const void *)&alpha_64 : &alpha, x.b, p->b, x.a,
               p->a, wide ? (const void *)&beta_64 : &beta, added, p->c, x.c, p->c, by->h.algo,
               (void *)(uintptr_t)cuda_work(q, 0), q->work_size, q->stream) == 0;
}

/* Which of the library's epilogues; 0: none is needed. */
static int32_t epilogue_of(const TailCall *t)
{
    int32_t row = t->row ? EPILOGUE_BIAS : 0;

    switch (t->tail->kind) {
    case TAIL_ROW: return EPILOGUE_BIAS;
    case TAIL_RELU: return EPILOGUE_RELU | row;
    case TAIL_GELU: return EPILOGUE_GELU | row | (t->keeps ? EPILOGUE_AUX : 0);
    case TAIL_GELU_GRADIENT: return EPILOGUE_DGELU | EPILOGUE_AUX;
    default: return 0;
    }
}

/* Addresses are part of the description, so that who uses it holds the device's lock. */
static bool set_epilogue(Cuda *d, const ProductPlan *p, const TailCall *t)
{
    const CudaBlas *lt = &d->l->lt;
    int32_t kind = p->shape.epilogue;
    const void *aux = t->keeps ? t->product : t->other;
    int64_t ld = p->shape.ldc;

    if (!kind)
        return true;
    if (lt->cublasLtMatmulDescSetAttribute(p->desc, DESC_EPILOGUE, &kind, sizeof kind) != 0)
        return false;
    if (kind & EPILOGUE_BIAS &&
        lt->cublasLtMatmulDescSetAttribute(p->desc, DESC_BIAS, &t->row, sizeof t->row) != 0)
        return false;
    return !(kind & EPILOGUE_AUX) ||
           (lt->cublasLtMatmulDescSetAttribute(p->desc, DESC_AUX, &aux, sizeof aux) == 0 &&
            lt->cublasLtMatmulDescSetAttribute(p->desc, DESC_AUX_LD, &ld, sizeof ld) == 0);
}

/* Milliseconds of so many runs, or a negative number. */
static float time_runs(CudaQueue *q, const ProductPlan *p, const Choice *by,
                       Operands x, int n)
{
    const CudaDriver *cu = &q->d->l->cu;
    CuHandle from = NULL, to = NULL;
    float ms = -1;
    bool ok = cu->cuEventCreate(&from, 0) == 0 && cu->cuEventCreate(&to, 0) == 0 &&
              cu->cuEventRecord(from, q->stream) == 0;

    for (int i = 0; i < n && ok; i++)
        ok = run_plan(q, p, by, x);
    if (!ok || cu->cuEventRecord(to, q->stream) != 0 || cu->cuEventSynchronize(to) != 0 ||
        cu->cuEventElapsedTime(&ms, from, to) != 0)
        ms = -1;
    if (from)
        cu->cuEventDestroy_v2(from);
    if (to)
        cu->cuEventDestroy_v2(to);
    return ms;
}

/* Milliseconds of a few runs, or a negative number: it does not work, or the second run (the first loads it) is much
 * slower than one of the best so far. */
static float time_choice(CudaQueue *q, const ProductPlan *p, const Choice *by, Operands x, float best)
{
    float one = run_plan(q, p, by, x) ? time_runs(q, p, by, x, 1) : -1;

    if (one < 0 || (best > 0 && one > (best > TIMED_LONG ? TIMED_NEAR : TIMED_FAR) * best / TIMED_RUNS))
        return -1;
    return time_runs(q, p, by, x, TIMED_RUNS);
}

/* What the library proposes, its favourite first. */
static int propose(CudaQueue *q, const ProductPlan *p, Heuristic *found)
{
    const CudaBlas *lt = &q->d->l->lt;
    CuHandle preference = NULL;
    size_t work = q->work_size;
    int n = 0;

    if (lt->cublasLtMatmulPreferenceCreate(&preference) != 0)
        return 0;
    lt->cublasLtMatmulPreferenceSetAttribute(preference, PREFERENCE_WORK, &work,
                                             sizeof work);
    if (lt->cublasLtMatmulAlgoGetHeuristic(q->d->blas, p->desc, p->b, p->a, p->c, p->c,
                                           preference, PROPOSALS, found, &n) != 0)
        n = 0;
    lt->cublasLtMatmulPreferenceDestroy(preference);
    return n;
}

static double flops_of(const Shape *s) { return 2.0 * (double)s->m * (double)s->n * (double)s->k * (double)s->batch; }

/* The fastest of them and of our own, if it can be told. */
static bool search(CudaQueue *q, wf_ctx *cx, ProductPlan *p, Operands x)
{
    const Shape *s = &p->shape;
    Heuristic found[PROPOSALS];
    int n = propose(q, p, found), vain = 0, most = flops_of(s) < TIMED_ALL ? TIMED_VAIN : PROPOSALS;
    float least = -1, own = -1;

    for (int i = x.own ? -1 : 0; i < n && vain < most; i++) {
        Choice by = {.own = i < 0};
        float ms;

        if (i >= 0)
            by.h = found[i];
        ms = by.h.state == 0 ? time_choice(q, p, &by, x, least) : -1;
        if (i < 0)
            own = ms;
        vain++;
        if (ms >= 0 && (least < 0 || ms < least)) {
            p->best = by;
            least = ms;
            vain = 0;
        }
    }
    ctx_log(cx, WF_LOG_DEBUG, "product %lld x %lld of %lld by %s: %.4f ms (our kernel %.4f)", (long long)s->m, (long long)s->n,
            (long long)s->k, p->best.own ? "our kernel" : "the library", least / TIMED_RUNS, own / TIMED_RUNS);
    return least >= 0;
}

/* A choice that an earlier process made. */
static bool recall(CudaQueue *q, ProductPlan *p, Operands x, CodeCache *cache, const CodeKey *key)
{
    size_t size = 0, work = 0;
    Choice *kept = codecache_read(cache, key, &size);
    Heuristic now;
    bool ok = kept && size == sizeof *kept;

    if (ok && kept->own)
        ok = x.own;
    else if (ok)
        ok = q->d->l->lt.cublasLtMatmulAlgoCheck(q->d->blas, p->desc, p->b, p->a, p->c, p->c, kept->h.algo, &now) == 0 &&
             now.state == 0 && (work = now.work) <= q->work_size;
    if (ok)
        p->best = *kept;
    if (kept)
        mem_free(&cache->al, kept, size);
    return ok;
}

/* By the choice that is kept, or a search; small products, and those that are first met where nothing can be timed, are done the
 * way that is said to be best. */
static bool choose(CudaQueue *q, wf_ctx *cx, ProductPlan *p, Operands x)
{
    const Shape *s = &p->shape;
    CodeUnit unit = {(const char *)s, sizeof *s};
    Heuristic first[PROPOSALS];
    CodeCache cache;
    CodeKey key;
    char head[200];
    bool ok;

    if (flops_of(s) < TIMED_FLOPS || q->branches) {
        p->best.own = x.own != NULL;
        if (!p->best.own && propose(q, p, first) > 0)
            p->best.h = first[0];
        else if (!p->best.own)
            return false;
        return true;
    }
    snprintf(head, sizeof head, "product 1, cublasLt %d, %s", q->d->l->lt.cublasLtGetVersion(), q->d->label);
    key = code_key(head, strlen(head), &unit);
    codecache_open(cx, &cache);
    cache.al = q->d->al;
    ok = recall(q, p, x, &cache, &key);
    if (!ok && (ok = search(q, cx, p, x)))
        codecache_write(&cache, &key, &p->best, sizeof p->best);
    codecache_close(&cache);
    return ok;
}

static uint64_t shape_hash(const Shape *s)
{
    Hasher h;

    hash_init(&h, 7);
    hash_bytes(&h, s, sizeof *s);
    return hash_done(&h).lo;
}

/* The plan for a shape, made if there is none yet. NULL: the library cannot do it. */
static const ProductPlan *plan_for(CudaQueue *q, wf_ctx *cx, const Shape *s, Operands x)
{
    Cuda *d = q->d;
    ProductPlan *p = NULL, **at;

    pthread_mutex_lock(&d->lock);
    if (!d->plans && (d->plans = mem_alloc(&d->al, sizeof *d->plans)))
        memset(d->plans, 0, sizeof *d->plans);
    if (!d->blas && d->l->lt.cublasLtCreate(&d->blas) != 0)
        d->blas = NULL;
    if (d->plans && d->blas) {
        at = &d->plans->bucket[shape_hash(s) % 256];
        for (p = *at; p && memcmp(&p->shape, s, sizeof *s) != 0;)
            p = p->next;
        if (!p && (p = mem_alloc(&d->al, sizeof *p))) {
            *p = (ProductPlan){.shape = *s, .next = *at};
            p->usable = describe(d, p) && (!x.tail || set_epilogue(d, p, x.tail)) && choose(q, cx, p, x);
            *at = p;
        }
    }
    pthread_mutex_unlock(&d->lock);
    return p && p->usable ? p : NULL;
}

/* ---- steps ----------------------------------------------------------------------------- */

static int compute_of(const KMatmul *m, int precision)
{
    if (m->c_type == KT_F64)
        return COMPUTE_F64;
    if (m->a_type != KT_F32)
        return COMPUTE_F32;
    switch (precision) {
    case WF_PRECISION_DEFAULT:
    case WF_PRECISION_TF32: return COMPUTE_TF32;
    case WF_PRECISION_BF16: return COMPUTE_BF16;
    default: return COMPUTE_F32; /* more exact than BF16X3 asks for, and as fast */
    }
}

/* A matrix [rows, cols] by its strides, as the library wants it: neighbours along the
 * columns or, turned, along the rows, and the other stride. False: it is neither. */
static bool orient(int64_t rows, int64_t cols, int64_t row, int64_t col, int32_t *turned,
                   int64_t *ld)
{
    *turned = 0;
    *ld = rows == 1 ? cols : row;
    if ((cols == 1 || col == 1) && *ld >= cols)
        return true;
    *turned = 1;
    *ld = cols == 1 ? rows : col;
    return (rows == 1 || row == 1) && *ld >= rows;
}

/* The product and the step behind it, in one call. False: nothing was done. */
static bool put_with_tail(CudaQueue *q, wf_ctx *cx, const Shape *plain, Operands x, const TailCall *t)
{
    const ProductPlan *p;
    Shape s = *plain;
    bool ok;

    s.epilogue = epilogue_of(t);
    s.adds = t->tail->kind == TAIL_SUM;
    s.own = false;
    x.tail = t;
    p = plan_for(q, cx, &s, x); /* algorithms are tried on the product's own memory, which nobody reads yet, */
    if (!p || (t->keeps && t->out == t->product))
        return false;
    x.c = t->out; /* and then it is done where it belongs */
    pthread_mutex_lock(&q->d->lock);
    ok = set_epilogue(q->d, p, t) && run_plan(q, p, &p->best, x);
    pthread_mutex_unlock(&q->d->lock);
    if (ok)
        q->merged = t->next;
    return ok;
}

static bool put_one(CudaQueue *q, wf_ctx *cx, const KMatmul *m, Shape *s, Operands x,
                    const TailCall *tail)
{
    const ProductPlan *p = NULL;
    CudaDot own;

    s->m = m->m;
    s->n = m->n;
    s->k = m->k;
    if (s->batch == 1 && cuda_dot(q->d, cx, m, true, &own))
        x.own = &own;
    s->own = x.own != NULL;
    if (q->d->l->has_lt && orient(m->m, m->k, m->a_row, m->a_col, &s->ta, &s->lda) &&
        orient(m->k, m->n, m->b_row, m->b_col, &s->tb, &s->ldb) &&
        cuda_work(q, WORK_BYTES)) {
        if (tail && put_with_tail(q, cx, s, (Operands){x.a, x.b, x.c, NULL, NULL}, tail))
            return true;
        p = plan_for(q, cx, s, x);
    }
    if (p && run_plan(q, p, &p->best, x))
        return true;
    if (x.own)
        return cuda_put_dot(q, x.own, x.a, x.b, x.c);
    cuda_dot(q->d, cx, m, false, &own);
    for (int64_t i = 0; i < s->batch; i++)
        if (!cuda_put_dot(q, &own, (const char *)x.a + i * s->a_batch * (int64_t)k_size(m->a_type),
                          (const char *)x.b + i * s->b_batch * (int64_t)k_size(m->b_type),
                          (char *)x.c + i * s->c_batch * (int64_t)k_size(m->c_type)))
            return false;
    return true;
}

bool cuda_put_product(CudaQueue *q, const Frame *f, const Op *op)
{
    const KMatmul *m = &((const DotStep *)op->data)->m;
    const DotAttr *a = f->plan->p->eqns[op->eqn].attr;
    int64_t size = (int64_t)k_size(m->c_type), outer = 1;
    int inner = m->nbatch - 1; /* the batch axis that the library takes */
    TailCall tail;
    bool has_tail;
    Shape s;

    if (!m->m || !m->n)
        return true;
    for (int i = 0; i < m->nbatch; i++)
        outer *= i < inner ? m->batch[i] : 1;
    has_tail = outer == 1 && (inner < 0 || m->batch[inner] == 1) && q->d->l->has_lt &&
               2.0 * (double)m->m * (double)m->n * (double)m->k >= target_cuda.tail_flops &&
               cuda_tail_behind(f, op, m, &tail);
    memset(&s, 0, sizeof s);
    s.a_type = type_of(m->a_type);
    s.b_type = type_of(m->b_type);
    s.c_type = type_of(m->c_type);
    s.compute = compute_of(m, a->precision);
    s.ldc = m->n;
    s.batch = inner >= 0 ? m->batch[inner] : 1;
    s.a_batch = inner >= 0 ? m->a_batch[inner] : 0;
    s.b_batch = inner >= 0 ? m->b_batch[inner] : 0;
    s.c_batch = inner >= 0 ? m->c_batch[inner] : 0;
    if (!s.batch) /* which the library would divide by */
        return true;
    for (int64_t i = 0; i < outer; i++) {
        Operands x = {op_at(f, op, DOT_X), op_at(f, op, DOT_Y), op_at(f, op, DOT_OUT), NULL, NULL};
        int64_t rest = i;

        for (int j = inner - 1; j >= 0; j--) {
            int64_t at = rest % m->batch[j];

            rest /= m->batch[j];
            x.a = (const char *)x.a + at * m->a_batch[j] * (int64_t)k_size(m->a_type);
            x.b = (const char *)x.b + at * m->b_batch[j] * (int64_t)k_size(m->b_type);
            x.c = (char *)x.c + at * m->c_batch[j] * size;
        }
        if (!m->k ? !cuda_ok(q->d,
                             q->d->l->cu.cuMemsetD8Async((CuPtr)(uintptr_t)x.c, 0,
                                                         (size_t)(s.batch * m->m * m->n *
                                                                  size),
                                                         q->stream),
                             "clearing memory")
                  : !put_one(q, f->root->cx, m, &s, x, has_tail ? &tail : NULL))
            return false;
    }
    return true;
}
