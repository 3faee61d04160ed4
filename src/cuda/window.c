/* window.c -- windows reduced, and the gradient of the largest of each.
 *
 * That gradient is a scatter by the places that the reduction gives. Where a step finds the windows whose
 * places it has, it asks for each element which windows it is the largest of: no lists of rows
 * that go to one place, and no duplicates to bring in order.
 */
#include "cuda/cuda.h"
#include "codegen/render.h"
#include "op/scalar.h"
#include "runtime/step.h"

#include <stdio.h>

typedef struct NReduceWindow { /* as in windows.cuh */
    const void *x;
    void *y;
    int64_t *place;
    int64_t rank, count, sum;
    int64_t xs[CUDA_RANK], ys[CUDA_RANK], window[CUDA_RANK], stride[CUDA_RANK],
        lo[CUDA_RANK], base[CUDA_RANK], dilation[CUDA_RANK];
} NReduceWindow;

typedef struct NWindowBack {
    const void *x, *g;
    const int64_t *place;
    void *y;
    int64_t count;
    int64_t xs[CUDA_RANK], ys[CUDA_RANK], window[CUDA_RANK], stride[CUDA_RANK],
        lo[CUDA_RANK], base[CUDA_RANK], dilation[CUDA_RANK];
} NWindowBack;

/* Are 32 bits enough for its indices? */
static bool is_small(const KWindow *w)
{
    bool small = k_count(w->rank, w->y) < INT32_MAX && k_count(w->rank, w->x) < INT32_MAX;

    for (int i = 0; i < w->rank; i++)
        small = small && w->lo[i] < 1 << 29 && w->x[i] * w->base[i] < 1 << 29 &&
                w->window[i] * w->dilation[i] < 1 << 29 && w->stride[i] < 1 << 29;
    return small;
}

/* Elements that a thread has: nothing happens along the last axis, or it is one. */
static int neighbours(const KWindow *w)
{
    int last = w->rank - 1, v = (int)MIN(16 / k_size(w->type), 8);

    if (last < 0 || w->window[last] != 1 || w->stride[last] != 1 || w->lo[last] ||
        w->base[last] != 1 || w->x[last] != w->y[last])
        return 1;
    while (w->x[last] % v)
        v /= 2;
    return v;
}

#define OWN_SIZES ((int64_t)1 << 20) /* elements, from which on sizes are in the code */
#define TEXT_MOST 2048
#define WINDOW_MOST 16 /* elements, that are written out */

/* What sets the sizes in the code of a large one. */
static const char *sizes_text(const KWindow *w, char *text)
{
    int n = 0;

    text[0] = 0;
    if (k_count(w->rank, w->x) < OWN_SIZES)
        return text;
    for (int i = 0; i < w->rank; i++)
        n += snprintf(text + n, (size_t)(TEXT_MOST - n),
                      "n.xs[%d] = %lld; n.ys[%d] = %lld; n.window[%d] = %lld; n.stride[%d] = %lld; "
                      "n.lo[%d] = %lld; n.base[%d] = %lld; n.dilation[%d] = %lld; ",
                      i, (long long)w->x[i], i, (long long)w->y[i], i, (long long)w->window[i], i,
                      (long long)w->stride[i], i, (long long)w->lo[i], i, (long long)w->base[i], i,
                      (long long)w->dilation[i]);
    return text;
}

static bool launch(CudaQueue *q, const Frame *f, const char *what, int64_t n, void *args)
{
    return cuda_launch(q, cuda_native(q->d, f->root->cx, what),
                       (n + CUDA_BLOCK - 1) / CUDA_BLOCK, 1, CUDA_BLOCK, args);
}

bool cuda_put_reduce_window(CudaQueue *q, const Frame *f, const Op *op)
{
    const KWindow *w = op->data;
    wf_dtype t = (wf_dtype)w->type;
    NReduceWindow n = {.x = op_at(f, op, 0),
                       .y = op_at(f, op, 1),
                       .place = op->use.n > 2 ? op_at(f, op, 2) : NULL,
                       .rank = MAX(w->rank, 1),
                       .xs = {1}, /* of a single number */
                       .ys = {1},
                       .window = {1},
                       .stride = {1},
                       .base = {1},
                       .dilation = {1},
                       .count = k_count(w->rank, w->y),
                       .sum = f->plan->p->eqns[op->eqn].op == OP_reduce_window_sum};
    uint64_t lowest = 0;
    const char *index = is_small(w) ? "int" : "int64_t";
    int v = neighbours(w);
    char sizes[TEXT_MOST], what[TEXT_MOST + 128];
    int64_t elements = k_count(w->rank, w->window);

    for (int i = 0; i < w->rank; i++) {
        n.xs[i] = w->x[i], n.ys[i] = w->y[i], n.window[i] = w->window[i];
        n.stride[i] = w->stride[i], n.lo[i] = w->lo[i], n.base[i] = w->base[i];
        n.dilation[i] = w->dilation[i];
    }
    sizes_text(w, sizes);
    if (!sizes[0] || elements > WINDOW_MOST)
        elements = 0;
    scalar_store(t, &lowest, 0, scalar_identity(OP_max, t));
    if (t == WF_F32 || t == WF_F64)
        snprintf(what, sizeof what, "REDUCE_WINDOW(%s, %s, %d, %d, %d, %s, s_bits_%s(0x%llxu), %s)",
                 wf_dtype_name(t), render_type(t), (int)n.rank, v, (int)elements, index, wf_dtype_name(t),
                 (unsigned long long)lowest, sizes);
    else
        snprintf(what, sizeof what, "REDUCE_WINDOW(%s, %s, %d, %d, %d, %s, (%s)0x%llxu, %s)",
                 wf_dtype_name(t), render_type(t), (int)n.rank, v, (int)elements, index, render_type(t),
                 (unsigned long long)lowest, sizes);
    return launch(q, f, what, n.count / v, &n);
}

/* ---- back --------------------------------------------------------------------------------- */

/* The windows whose places are the indices of a scatter into one axis; NULL: they are others. */
static const KWindow *windows_of(const Frame *f, const Op *op)
{
    const Program *p = f->plan->p;
    const Eqn *e = &p->eqns[op->eqn];
    Val v = eqn_in(p, e)[1];
    uint32_t i = p->vals[v].eqn;

    while (i != EQN_INPUT && p->eqns[i].op == OP_reshape) {
        v = eqn_in(p, &p->eqns[i])[0];
        i = p->vals[v].eqn;
    }
    if (i == EQN_INPUT || p->eqns[i].op != OP_reduce_window_max || v != p->eqns[i].out + 1)
        return NULL;
    for (uint32_t s = 0; s <= f->now; s++)
        for (uint32_t k = 0; k < f->seg[s].ops.n; k++) {
            const Op *o = &f->seg[s].ops.v[k];

            if (o->eqn == i && o->kind == OP_RUNS_REDUCE_WINDOW)
                return o->data;
        }
    return NULL;
}

static bool is_zeros(const Program *p, Val v)
{
    uint32_t i = p->vals[v].eqn;
    const ConstAttr *c = i != EQN_INPUT && p->eqns[i].op == OP_const ? p->eqns[i].attr : NULL;

    return c && c->splat &&
           !memcmp(c->data->data, (char[16]){0}, wf_dtype_size((wf_dtype)c->type.dtype));
}

bool cuda_is_window_back(const Frame *f, const Op *op)
{
    const IndexStep *s = op->data;
    const KWindow *w;

    if (!op_row(f->plan->p->eqns[op->eqn].op)->lower.combine || s->rank != 1 ||
        s->nmap != 1 || s->npairs || s->m.count != 1 || s->mode != INDEX_DROP ||
        s->itype != WF_I64 || !(w = windows_of(f, op)))
        return false;
    return w->rank && k_count(w->rank, w->x) == s->last[0] + 1 &&
           k_count(w->rank, w->y) == s->rows && (KType)s->vtype == w->type;
}

/* Zeros that nobody reads but such scatters, which know that they are zeros? */
bool cuda_is_window_start(const Frame *f, const Op *op)
{
    const Program *p = f->plan->p;
    Val v = p->eqns[op->eqn].out;
    const Segment *s = &f->seg[f->now];
    uint32_t uses = 0, backs = 0;

    if (!is_zeros(p, v))
        return false;
    for (uint32_t i = 0; i < p->neqns; i++)
        for (uint32_t k = 0; k < p->eqns[i].nin; k++)
            uses += eqn_in(p, &p->eqns[i])[k] == v;
    for (uint32_t i = 0; i < p->nout; i++)
        uses += p->outs[i] == v;
    for (uint32_t i = 0; i < s->ops.n; i++) {
        const Op *o = &s->ops.v[i];

        backs += o->kind == OP_RUNS_SCATTER && eqn_in(p, &p->eqns[o->eqn])[0] == v &&
                 cuda_is_window_back(f, o);
    }
    return uses == backs;
}

bool cuda_put_window_back(CudaQueue *q, const Frame *f, const Op *op)
{
    const Program *p = f->plan->p;
    const Eqn *e = &p->eqns[op->eqn];
    const IndexStep *s = op->data;
    const KWindow *w = windows_of(f, op);
    NWindowBack n = {.x = is_zeros(p, eqn_in(p, e)[0]) ? NULL : op_at(f, op, 0),
                     .place = op_at(f, op, 1),
                     .g = op_at(f, op, 2),
                     .y = op_at(f, op, 3),
                     .count = s->last[0] + 1};
    int v = neighbours(w);
    char sizes[TEXT_MOST], what[TEXT_MOST + 128];

    for (int i = 0; i < w->rank; i++) {
        n.xs[i] = w->x[i], n.ys[i] = w->y[i], n.window[i] = w->window[i];
        n.stride[i] = w->stride[i], n.lo[i] = w->lo[i], n.base[i] = w->base[i];
        n.dilation[i] = w->dilation[i];
    }
    snprintf(what, sizeof what, "WINDOW_BACK(%s, %s, %s, %s, %d, %d, %s, %s)",
             wf_dtype_name(s->vtype), render_type(s->vtype), wf_dtype_name(kept_dtype(s->vtype)),
             op_name(op_row(e->op)->lower.combine), w->rank, v,
             is_small(w) ? "int" : "int64_t", sizes_text(w, sizes));
    return launch(q, f, what, n.count / v, &n);
}
