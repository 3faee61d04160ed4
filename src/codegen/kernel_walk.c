/* kernel_walk.c -- how the vectors of the target go through a kernel's loops.
 *
 *   method   A walk over a row takes so many vectors at a time: more where sums wait for
 *            each other, fewer where much is computed. The part of a row that fills no
 *            vector is a loop of its own, or every vector may be a part. Rows shorter than
 *            a vector are taken side by side, a lane for each.
 */
#include "codegen/codegen.h"

#define LAST(k) ((k)->nloops - 1)

/* Sums of so little computation that their additions would wait for each other. */
#define COST_UNROLL_4 10
#define COST_UNROLL_2 24

bool kernel_out_is_each(const Kernel *k, const KernelOut *o)
{
    for (uint32_t l = k->nrows; l < k->nloops; l++)
        if (o->at.stride[l])
            return true;
    return false;
}

bool kernel_stores_in(const Kernel *k, const KernelOut *o, uint32_t stage)
{
    const Node *n = &k->nodes[o->node];

    return !node_is_part(n) && kernel_out_is_each(k, o) && n->stage == stage;
}

static void need_node(const Kernel *k, uint32_t stage, uint32_t i, bool *need)
{
    const Node *n = &k->nodes[i];

    if (!node_is_each(n) || need[i])
        return;
    need[i] = true;
    if (n->saved >= 0 && n->stage < stage)
        return;
    for (uint32_t j = 0; j < n->nin; j++)
        need_node(k, stage, n->in[j], need);
}

bool kernel_walk_needs(const Kernel *k, uint32_t stage, bool *need)
{
    bool any = false;

    for (uint32_t i = 0; i < k->nnodes; i++) {
        const Node *n = &k->nodes[i];
        bool sums = node_reduces_in(n, stage);

        if (!sums && !(n->saved >= 0 && n->stage == stage))
            continue;
        need_node(k, stage, sums ? n->in[0] : i, need);
        any = true;
    }
    for (uint32_t j = 0; j < k->p->nout; j++)
        if (kernel_stores_in(k, &k->outs[j], stage)) {
            need_node(k, stage, k->outs[j].node, need);
            any = true;
        }
    return any;
}

static void plan_walk(const Kernel *k, uint32_t stage, bool *need, KernelWalk *w)
{
    Dim last = k->product ? -1 : k->loops[LAST(k)].size; /* of a piece: not known */
    double cost = 0;
    bool sums = false;

    w->any = kernel_walk_needs(k, stage, need);
    for (uint32_t i = 0; i < k->nnodes; i++) {
        const Node *n = &k->nodes[i];

        sums = sums || (node_reduces_in(n, stage) && n->over != OVER_ROWS);
        if (need[i])
            cost += node_cost(n);
    }
    w->unroll = !sums ? 1 : cost <= COST_UNROLL_4 ? 4 : cost <= COST_UNROLL_2 ? 2 : 1;
    while (w->unroll > 1 && last >= 0 && last < (Dim)k->lanes * w->unroll)
        w->unroll /= 2;
    w->whole = k->lanes == 1 || (last >= 0 && last % k->lanes == 0);
    w->apart = w->unroll > 1 || (!w->whole && cost <= COST_UNROLL_2);
    if (last >= 0 && (last < k->lanes || last % ((Dim)k->lanes * w->unroll) == 0))
        w->apart = false;
}

/* Results this large are gone from the caches before anybody reads them: they are
 * written past those, which spares reading the memory first. Is result o of that kind,
 * and every vector of it at its own alignment if the array is? */
static bool is_streamed(const Kernel *k, const KernelOut *o)
{
    wf_dtype t = (wf_dtype)k->nodes[o->node].dtype;
    int64_t size = (int64_t)wf_dtype_size(t), bytes = size;

    if (!k->target->vector || k->narrow || k->product || t != (k->wide ? WF_F64 : WF_F32))
        return false;
    if (node_is_part(&k->nodes[o->node]) || o->at.offset < 0 ||
        o->at.offset * size % 64 != 0 || o->at.stride[LAST(k)] != 1)
        return false;
    for (uint32_t l = 0; l < k->nloops; l++) {
        Dim n = k->loops[l].size, step = o->at.stride[l];

        if (n < 0 || step < 0 || (l != LAST(k) && step * size % 64 != 0))
            return false;
        if (step && !mul_i64(bytes, n, &bytes))
            return false;
    }
    return bytes >= k->target->cached_bytes;
}

/* Rows of an array that do not follow each other are no stream to the processor, if they
 * are short. (Longer ones it finds by itself in time.) */
static bool is_scattered(const Kernel *k, const Node *n)
{
    int64_t size = (int64_t)wf_dtype_size((wf_dtype)n->dtype);
    Dim last = k->loops[LAST(k)].size;

    return n->kind == NODE_LOAD && !n->nin && n->level == LEVEL_EACH && k->nloops > 1 &&
           n->at.stride[LAST(k)] == 1 && n->at.stride[LAST(k) - 1] > last &&
           last * size >= 256 && last * size < k->target->stream_bytes;
}

/* Pieces of a convolution follow each other along the pixels, and what else is read for them would not be asked for before
 * the sums of each are there. */
static bool is_beside(const Kernel *k, const Node *n)
{
    return k->product->op == OP_conv_general && n->kind == NODE_LOAD && !n->nin && n->level == LEVEL_EACH &&
           n->at.array != k->p->nin + k->p->nout && n->at.stride[LAST(k)] == 1;
}

static bool is_narrow(const Kernel *k)
{
    Dim rows, cols;

    if (!target_forms(k->target, RENDER_NARROW) || k->form != FORM_ROWS ||
        k->nrows != 1 || k->nloops != 2)
        return false;
    rows = k->loops[0].size;
    cols = k->loops[1].size;
    return cols >= 2 && cols < k->lanes && (rows < 0 || rows >= k->lanes / 2);
}

void kernel_plan_walks(Kernel *k, Arena *a)
{
    Dim rows, last;

    k->wide = k->wide && k->target->vector; /* single elements are as wide as they are */
    k->lanes = MAX(1, k->target->vector / (k->wide ? 8 : 4));
    if (k->scalar || k->dot)
        return;
    rows = k->loops[0].size;
    last = k->loops[LAST(k)].size;
    k->narrow = !k->product && is_narrow(k);
    k->whole_rows = k->narrow && rows >= 0 && rows % k->lanes == 0 &&
                    (double)rows * (double)last * k->cost < k->target->task;
    k->blocks = k->form == FORM_MAP && !(last >= 0 && last <= k->target->block);
    k->walks = arena_zalloc(a, (k->nstages + 1) * sizeof *k->walks);
    for (uint32_t s = 0; s < k->nstages; s++)
        plan_walk(k, s, arena_zalloc(a, k->nnodes + 1), &k->walks[s]);
    for (uint32_t j = 0; j < k->p->nout; j++)
        k->outs[j].stream = is_streamed(k, &k->outs[j]);
    for (uint32_t i = 0; i < k->nnodes; i++)
        k->nodes[i].fetch = k->product ? is_beside(k, &k->nodes[i]) : is_scattered(k, &k->nodes[i]);
}
