/* attention.c -- attention and its gradient: by cuDNN where it has them, else by kernels of our own.
 *
 * The library knows half floats, a factor and a triangle; everything else (masks, f32, f64, any
 * strides) is attention.cuh's. Of a row's softmax it keeps the logarithm of the sum, the program a shift and
 * a sum: both are made of each other, so that either may follow on either.
 *
 * dQ of the library is summed in whatever order its blocks come; WEFT_CUDA_EXACT=1 keeps to our own
 * kernels, whose results are the same in every run.
 */
#include "cuda/dnn_graph.h"
#include "codegen/render.h"
#include "runtime/step.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define N_BATCH   4
#define MASKED    -1e9 /* scores from here on have no weight */
#define ALIGNMENT 16

typedef struct NPlane { /* as in attention.cuh */
    void *p;
    int64_t batch[N_BATCH], row, col;
} NPlane;

typedef struct NScore {
    int64_t kind, keep_if, offset, type;
    double value;
    NPlane at;
} NScore;

typedef struct NAttention {
    int64_t mode, queries, keys, depth, width, entries, stat_type, skip;
    int64_t nops, nbatch, batch[N_BATCH];
    double times;
    NPlane q, k, v, out, shift, sum, dout, to;
    NScore op[K_SCORE_OPS];
} NAttention;

enum { N_OUT, N_DQ, N_DK, N_DV };

typedef struct NStats {
    int64_t queries, count, type, to_log, nbatch, batch[N_BATCH];
    float *log_sum;
    NPlane shift, sum;
} NStats;

bool cuda_has_attention(const Program *p, const Eqn *e)
{
    for (uint32_t i = 0; i < e->nin; i++) {
        unsigned t = val_type(p, eqn_in(p, e)[i]).dtype;

        if (t != WF_F16 && t != WF_BF16 && t != WF_F32 && t != WF_F64 && t != WF_BOOL)
            return false;
    }
    return true;
}

/* ---- by kernels of our own ------------------------------------------------------------- */

static NPlane plane_of(const KPlane *m)
{
    NPlane n = {.p = m->p, .row = m->row, .col = m->col};

    memcpy(n.batch, m->batch, sizeof n.batch);
    return n;
}

/* A triangle that leaves every query a key, and what it masks masked: its number, or -1. */
static int skipped(const KAttention *x)
{
    for (int i = 0; i < x->nops; i++)
        if (x->op[i].kind == KS_CAUSAL && x->op[i].offset >= 0 && x->op[i].value <= MASKED) {
            for (int j = i + 1; j < x->nops; j++)
                if (x->op[j].kind == KS_SCALE || x->op[j].kind == KS_ADD)
                    return -1;
            return i;
        }
    return -1;
}

static NAttention arguments(const KAttention *x)
{
    NAttention n = {.queries = x->queries,
                    .keys = x->keys,
                    .depth = x->depth,
                    .width = x->width,
                    .entries = 1,
                    .stat_type = x->stat_type,
                    .skip = skipped(x),
                    .nops = x->nops,
                    .nbatch = x->nbatch,
                    .q = plane_of(&x->q),
                    .k = plane_of(&x->k),
                    .v = plane_of(&x->v),
                    .out = plane_of(&x->out),
                    .shift = plane_of(&x->shift),
                    .sum = plane_of(&x->sum),
                    .dout = plane_of(&x->dout)};

    for (int i = 0; i < x->nbatch; i++) {
        n.batch[i] = x->batch[i];
        n.entries *= x->batch[i];
    }
    for (int i = 0; i < x->nops; i++)
        n.op[i] = (NScore){x->op[i].kind,  x->op[i].keep_if, x->op[i].offset,
                           x->op[i].type,  x->op[i].value,   plane_of(&x->op[i].at)};
    return n;
}

static bool put_one(CudaQueue *q, wf_ctx *cx, const KAttention *x, NAttention *n, int mode,
                    const KPlane *to, double times)
{
    wf_dtype t = (wf_dtype)x->type;
    bool wide = t == WF_F64;
    int64_t rows = mode == N_OUT || mode == N_DQ ? x->queries : x->keys,
            cols = mode == N_OUT || mode == N_DV ? x->width : x->depth,
            tile = wide ? 32 : 64, each = wide || cols <= 64 ? 64 : 128;
    char what[96];

    if (!to->p || !rows || !cols || !n->entries)
        return true;
    n->mode = mode;
    n->to = plane_of(to);
    n->times = times;
    snprintf(what, sizeof what, "ATTENTION(%s, %s, %s, %d, %d)", wf_dtype_name(t), render_type(t),
             wide ? "double" : "float", (int)tile, (int)each);
    return cuda_launch(q, cuda_native(q->d, cx, what),
                       (rows + tile - 1) / tile * n->entries, (cols + each - 1) / each, 256, n);
}

static bool put_plain(CudaQueue *q, wf_ctx *cx, const KAttention *x)
{
    NAttention n = arguments(x);

    if (!x->dout.p)
        return put_one(q, cx, x, &n, N_OUT, &x->out, 1);
    return put_one(q, cx, x, &n, N_DQ, &x->dq, x->dq_times) &&
           put_one(q, cx, x, &n, N_DK, &x->dk, x->dk_times) &&
           put_one(q, cx, x, &n, N_DV, &x->dv, x->dv_times);
}

/* ---- what the library can do ------------------------------------------------------------- */

enum { /* tensors by number, in this order in Layout */
    T_Q = 1,
    T_K,
    T_V,
    T_OUT,
    T_DOUT,
    T_DQ,
    T_DK,
    T_DV,
    T_COUNT,
    T_LOG_SUM = T_COUNT,
    T_SCALE,
    T_LOW,
    T_ONE,
    T_MEAN,
    T_DQ_SUM
};

typedef struct Layout { /* what a plan is for; no padding between, it is compared whole */
    int64_t batch, heads, queries, keys, depth, width;
    int64_t stride[T_COUNT][4]; /* batch, head, row, col */
    int32_t type, causal, gradient, unused;
} Layout;

struct CudaAttention {
    Layout key;
    DnnGraph graph;
    DnnPlan plan;
    bool usable;
    CudaAttention *next;
};

/* All batch axes as two; false: they cannot be. Planes that are not there do not matter. */
static bool two_axes(const KAttention *x, const KPlane *const *plane, Layout *l)
{
    int64_t size[K_BATCH];
    int axis[K_BATCH], n = 0; /* the innermost axis of each group */

    for (int i = 0; i < x->nbatch; i++) {
        bool joins = n > 0;

        if (x->batch[i] == 1)
            continue;
        for (int k = T_Q; k < T_COUNT && joins; k++)
            joins = !plane[k]->p ||
                    plane[k]->batch[axis[n - 1]] == plane[k]->batch[i] * x->batch[i];
        size[n - joins] = x->batch[i] * (joins ? size[n - 1] : 1);
        axis[n - joins] = i;
        n += !joins;
    }
    if (n > 2)
        return false;
    l->batch = n > 1 ? size[0] : 1;
    l->heads = n > 0 ? size[n - 1] : 1;
    for (int k = T_Q; k < T_COUNT; k++) {
        const KPlane *m = plane[k];
        int64_t rows = k == T_K || k == T_V || k == T_DK || k == T_DV ? x->keys : x->queries;

        if (!m->p)
            continue;
        l->stride[k][1] = n > 0 ? m->batch[axis[n - 1]] : rows * m->row;
        l->stride[k][0] = n > 1 ? m->batch[axis[0]] : l->stride[k][1] * l->heads;
        l->stride[k][2] = m->row;
        l->stride[k][3] = 1;
        for (int i = 0; i < 3; i++)
            if (l->stride[k][i] <= 0 || l->stride[k][i] % 8)
                return false;
        if (m->col != 1 || (uintptr_t)m->p % ALIGNMENT)
            return false;
    }
    return true;
}

/* Nothing but a factor, then a triangle? */
static bool reads_ops(const KAttention *x, Layout *l, float *scale)
{
    double by = 1;

    for (int i = 0; i < x->nops; i++) {
        const KScoreOp *o = &x->op[i];

        if (o->kind == KS_SCALE && !l->causal)
            by *= o->value;
        else if (o->kind == KS_CAUSAL && !l->causal && !o->offset && o->value <= MASKED &&
                 x->queries == x->keys)
            l->causal = 1;
        else
            return false;
    }
    *scale = (float)by;
    return by > 0 && isfinite(by);
}

static bool is_known(const KAttention *x, Layout *l, float *scale)
{
    static const KPlane none;
    const KPlane *const plane[T_COUNT] = {&none,    &x->q,  &x->k,  &x->v, &x->out,
                                          &x->dout, &x->dq, &x->dk, &x->dv};

    memset(l, 0, sizeof *l);
    l->queries = x->queries;
    l->keys = x->keys;
    l->depth = x->depth;
    l->width = x->width;
    l->gradient = x->dout.p != NULL;
    l->type = x->type == KT_F16 ? DNN_F16 : DNN_BF16;
    if (x->type != KT_F16 && x->type != KT_BF16)
        return false;
    if (l->gradient && (!x->dq.p || !x->dk.p || !x->dv.p || x->dq_times != 1 ||
                        x->dk_times != 1 || x->dv_times != 1))
        return false;
    return x->depth % 8 == 0 && x->width % 8 == 0 && x->depth && x->width && x->keys &&
           x->queries && two_axes(x, plane, l) && reads_ops(x, l, scale);
}

/* ---- its graphs ---------------------------------------------------------------------------- */

typedef struct Drawing {
    DnnGraph *g;
    const Layout *l;
    int64_t square[4], column[4]; /* scores; one number a query */
} Drawing;

static void row_major(const int64_t *dims, int64_t *strides)
{
    strides[3] = 1;
    for (int i = 2; i >= 0; i--)
        strides[i] = strides[i + 1] * dims[i + 1];
}

/* One of the program's; turned: its last two axes changed. */
static CuHandle given(Drawing *d, int number, bool turned)
{
    const Layout *l = d->l;
    bool of_keys = number == T_K || number == T_V || number == T_DK || number == T_DV,
         deep = number == T_Q || number == T_K || number == T_DQ || number == T_DK;
    int64_t dims[4] = {l->batch, l->heads, of_keys ? l->keys : l->queries,
                       deep ? l->depth : l->width},
            strides[4];

    memcpy(strides, l->stride[number], sizeof strides);
    if (turned) {
        int64_t swap = dims[2];

        dims[2] = dims[3], dims[3] = swap;
        swap = strides[2], strides[2] = strides[3], strides[3] = swap;
    }
    return dnn_tensor(d->g, number, l->type, dims, strides, false);
}

static CuHandle dense(Drawing *d, int number, int type, const int64_t *dims)
{
    int64_t strides[4];

    row_major(dims, strides);
    return dnn_tensor(d->g, number, type, dims, strides, false);
}

static CuHandle square(Drawing *d, int type) { return dense(d, 0, type, d->square); }

static CuHandle number(Drawing *d, int which)
{
    static const int64_t ones[4] = {1, 1, 1, 1};

    return dnn_tensor(d->g, which, DNN_F32, ones, ones, true);
}

static CuHandle map(Drawing *d, int mode, CuHandle x, CuHandle b, CuHandle y)
{
    dnn_map(d->g, mode, x, b, NULL, y, 0);
    return y;
}

/* Scores behind their queries become low. */
static CuHandle triangle(Drawing *d, CuHandle s)
{
    CuHandle col, row, keep, y;

    if (!d->l->causal)
        return s;
    col = square(d, DNN_I32);
    dnn_map(d->g, DNN_GEN_INDEX, s, NULL, NULL, col, 3);
    row = square(d, DNN_I32);
    dnn_map(d->g, DNN_GEN_INDEX, s, NULL, NULL, row, 2);
    keep = map(d, DNN_CMP_GE, row, col, square(d, DNN_BOOL));
    y = square(d, DNN_F32);
    dnn_map(d->g, DNN_SELECT, s, number(d, T_LOW), keep, y, 0);
    return y;
}

static CuHandle product(Drawing *d, CuHandle a, CuHandle b, CuHandle c)
{
    dnn_matmul(d->g, a, b, c);
    return c;
}

static CuHandle reduced(Drawing *d, int mode, CuHandle x)
{
    CuHandle y = dense(d, 0, DNN_F32, d->column);

    dnn_reduce(d->g, mode, x, y);
    return y;
}

static void draw_forward(Drawing *d)
{
    CuHandle s = product(d, given(d, T_Q, false), given(d, T_K, true), square(d, DNN_F32));
    CuHandle most, e, sum, log_sum;

    s = triangle(d, map(d, DNN_MUL, s, number(d, T_SCALE), square(d, DNN_F32)));
    most = reduced(d, DNN_REDUCE_MAX, s);
    e = map(d, DNN_EXP, map(d, DNN_SUB, s, most, square(d, DNN_F32)), NULL,
            square(d, DNN_F32));
    sum = reduced(d, DNN_REDUCE_ADD, e);
    log_sum = map(d, DNN_LOG, sum, NULL, dense(d, 0, DNN_F32, d->column));
    map(d, DNN_ADD, most, log_sum, dense(d, T_LOG_SUM, DNN_F32, d->column));
    product(d, map(d, DNN_DIV, e, sum, square(d, d->l->type)), given(d, T_V, false),
            given(d, T_OUT, false));
}

/* x [.., queries, keys] as halves of [.., keys, queries] */
static CuHandle turned(Drawing *d, CuHandle x)
{
    const Layout *l = d->l;
    int64_t dims[4] = {l->batch, l->heads, l->keys, l->queries}, strides[4];
    CuHandle y;

    row_major(d->square, strides);
    strides[2] = 1;
    strides[3] = l->keys;
    y = dnn_tensor(d->g, 0, l->type, dims, strides, false);
    dnn_reshape(d->g, x, y);
    return y;
}

static void draw_gradient(Drawing *d)
{
    const Layout *l = d->l;
    int64_t wide[4] = {l->batch, l->heads, l->queries, l->width},
            deep[4] = {l->batch, l->heads, l->queries, l->depth},
            keys[4] = {l->batch, l->heads, l->keys, l->depth};
    CuHandle q = given(d, T_Q, false), kt = given(d, T_K, true), dout = given(d, T_DOUT, false),
             scale = number(d, T_SCALE), dp, s, p, mean, ds, k, dq;

    dp = product(d, dout, given(d, T_V, true), square(d, DNN_F32));
    s = product(d, q, kt, square(d, DNN_F32));
    mean = map(d, DNN_MUL, dout, given(d, T_OUT, false), dense(d, 0, DNN_F32, wide));
    k = dnn_tensor(d->g, 0, DNN_F32, keys, l->stride[T_K], false);
    dnn_reshape(d->g, kt, k);
    s = map(d, DNN_MUL, s, scale, square(d, DNN_F32));
    s = map(d, DNN_SUB, s, dense(d, T_LOG_SUM, DNN_F32, d->column), square(d, DNN_F32));
    p = map(d, DNN_EXP, triangle(d, s), NULL, square(d, DNN_F32));
    product(d, turned(d, p), dout, given(d, T_DV, false));
    mean = reduced(d, DNN_REDUCE_ADD, mean);
    mean = map(d, DNN_MUL, mean, number(d, T_ONE), dense(d, T_MEAN, DNN_F32, d->column));
    ds = map(d, DNN_SUB, dp, mean, square(d, DNN_F32));
    ds = map(d, DNN_MUL, ds, p, square(d, DNN_F32));
    ds = map(d, DNN_MUL, ds, scale, square(d, DNN_F32));
    dq = product(d, ds, k, dense(d, T_DQ_SUM, DNN_F32, deep));
    map(d, DNN_IDENTITY, dq, NULL, given(d, T_DQ, false));
    product(d, turned(d, ds), q, given(d, T_DK, false));
}

static bool draw(DnnGraph *g, const CudaDnn *dnn, const Layout *l)
{
    Drawing d = {g, l, {l->batch, l->heads, l->queries, l->keys}, {l->batch, l->heads, l->queries, 1}};

    dnn_graph_open(g, dnn);
    if (l->gradient)
        draw_gradient(&d);
    else
        draw_forward(&d);
    return g->ok;
}

/* ---- calls of it ------------------------------------------------------------------------------ */

void cuda_free_attentions(Cuda *d)
{
    for (CudaAttention *a = d->attentions, *next; a; a = next) {
        next = a->next;
        dnn_plan_free(&d->l->dnn, &a->plan);
        dnn_graph_close(&a->graph);
        mem_free(&d->al, a, sizeof *a);
    }
    d->attentions = NULL;
}

/* The plan for a layout, made if there is none yet; NULL: the library cannot do it. */
static const DnnPlan *plan_for(CudaQueue *q, const Layout *l)
{
    Cuda *d = q->d;
    CudaAttention *a;

    pthread_mutex_lock(&d->lock);
    for (a = d->attentions; a && memcmp(&a->key, l, sizeof *l) != 0;)
        a = a->next;
    if (!a && (a = mem_alloc(&d->al, sizeof *a))) {
        *a = (CudaAttention){.key = *l, .next = d->attentions};
        a->usable = draw(&a->graph, &d->l->dnn, l) && dnn_plan(&a->graph, q->dnn, &a->plan);
        d->attentions = a;
    }
    pthread_mutex_unlock(&d->lock);
    return a && a->usable ? &a->plan : NULL;
}

static bool put_stats(CudaQueue *q, wf_ctx *cx, const KAttention *x, const Layout *l,
                      float *log_sum, bool to_log)
{
    NStats n = {.queries = x->queries,
                .count = l->batch * l->heads * l->queries,
                .type = x->stat_type,
                .to_log = to_log,
                .nbatch = x->nbatch,
                .log_sum = log_sum,
                .shift = plane_of(&x->shift),
                .sum = plane_of(&x->sum)};

    for (int i = 0; i < x->nbatch; i++)
        n.batch[i] = x->batch[i];
    if (!x->shift.p || !x->sum.p)
        return true;
    return cuda_launch(q, cuda_native(q->d, cx, "STATS"), (n.count + 255) / 256, 1, 256, &n);
}

static void give(DnnData *data, int number, const void *at)
{
    data->number[data->n] = number;
    data->at[data->n++] = (void *)(uintptr_t)at;
}

/* False: the library cannot do it, and nothing was done. */
static bool put_library(CudaQueue *q, wf_ctx *cx, const KAttention *x, bool *out_ok)
{
    static float low = -INFINITY, one = 1;
    const KPlane *const plane[T_COUNT] = {NULL,     &x->q,  &x->k,  &x->v, &x->out,
                                          &x->dout, &x->dq, &x->dk, &x->dv};
    size_t rows, deep, start = 0;
    float scale, *log_sum;
    const DnnPlan *p;
    DnnData data = {0};
    char *work;
    Layout l;

    if (!is_known(x, &l, &scale) || !cuda_dnn(q) || !(p = plan_for(q, &l)))
        return false;
    rows = (size_t)(l.batch * l.heads * l.queries) * sizeof(float);
    rows = (rows + 255) / 256 * 256;
    deep = l.gradient ? rows * (size_t)l.depth : 0;
    work = (char *)(uintptr_t)cuda_work(q, 2 * rows + deep + (size_t)p->memory + 256);
    if (!work)
        return false;
    log_sum = (float *)work;
    start = 2 * rows + deep;
    for (int k = T_Q; k < T_COUNT; k++)
        if (plane[k]->p)
            give(&data, k, plane[k]->p);
    give(&data, T_LOG_SUM, log_sum);
    give(&data, T_SCALE, &scale);
    if (l.causal)
        give(&data, T_LOW, &low);
    if (l.gradient) {
        give(&data, T_ONE, &one);
        give(&data, T_MEAN, work + rows);
        give(&data, T_DQ_SUM, work + 2 * rows);
    }
    *out_ok = (!l.gradient || put_stats(q, cx, x, &l, log_sum, true)) &&
              cuda_ok(q->d, !dnn_run(&q->d->l->dnn, q->dnn, p, &data, work + start),
                      "attention by cuDNN") &&
              (l.gradient || put_stats(q, cx, x, &l, log_sum, false));
    return true;
}

static bool is_exact(void)
{
    const char *exact = getenv("WEFT_CUDA_EXACT");

    return exact && *exact && strcmp(exact, "0") != 0;
}

bool cuda_put_attention(CudaQueue *q, const Frame *f, const Op *op)
{
    KAttention x = bind_attention_at(f, op);
    bool ok = true;

    return !is_exact() && put_library(q, f->root->cx, &x, &ok) ? ok
                                                                : put_plain(q, f->root->cx, &x);
}
