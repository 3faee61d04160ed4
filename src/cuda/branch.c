/* branch.c -- which steps of a captured run wait for which.
 *
 * A stream does one step after the other. A graph need not: while a run is captured, a step is
 * made to wait only for those before it that wrote what it touches, or touched what it writes,
 * so that branches of a program which have nothing to do with each other run side by side.
 * What a step touches are its uses, by address: memory that serves one value after the other is
 * seen, too. Memory of library calls is not among the uses: there are a few pieces, and a step
 * that may call a library waits for who had its piece before.
 */
#include "cuda/cuda.h"
#include "runtime/step.h"

#define STEPS         4096 /* of a graph that branches; later ones come one after the other */
#define WORDS         (STEPS / 64)
#define SPANS         (8 * STEPS)
#define NODES         (4 * STEPS)
#define SPANS_OF_STEP 512
#define SET_WAITS     1 /* cuStreamUpdateCaptureDependencies: these, not more of them */
#define SPARE_MOST    ((size_t)256 << 20) /* bytes of a piece of which there are several */

typedef struct Span { /* bytes from low to high */
    uintptr_t low, high;
    bool written;
} Span;

typedef struct Step {
    uint32_t span, nspans, node, nnodes;
} Step;

struct CudaBranches {
    uint64_t before[STEPS]
                   [WORDS]; /* the steps that each waits for, directly or not, as bits */
    Step step[STEPS];
    Span span[SPANS];
    CuHandle node[NODES];  /* of the graph, which those wait for that wait for the step */
    CuHandle waits[NODES]; /* of the step being begun */
    uint32_t nsteps, nspans, nnodes, nwaits;
    uint32_t last[CUDA_WORKS]; /* the step that has each piece of memory, + 1 */
    bool open, full; /* between begin and end; from now on one after the other */
};

static bool has_bit(const uint64_t *bits, uint32_t i)
{
    return bits[i / 64] >> i % 64 & 1;
}

static bool touch(const CudaBranches *b, const Step *x, const Step *y)
{
    for (uint32_t i = x->span; i < x->span + x->nspans; i++)
        for (uint32_t j = y->span; j < y->span + y->nspans; j++)
            if (b->span[i].low < b->span[j].high && b->span[j].low < b->span[i].high &&
                (b->span[i].written || b->span[j].written))
                return true;
    return false;
}

/* The step being begun waits for this one, and so for all that this one waits for. */
static void wait_for(CudaBranches *b, uint32_t j)
{
    uint64_t *mine = b->before[b->nsteps];

    memcpy(b->waits + b->nwaits, b->node + b->step[j].node,
           b->step[j].nnodes * sizeof *b->node);
    b->nwaits += b->step[j].nnodes;
    for (uint32_t w = 0; w < WORDS; w++)
        mine[w] |= b->before[j][w];
    mine[j / 64] |= (uint64_t)1 << j % 64;
}

/* A piece of memory for library calls, best one whose owner is waited for anyway. */
static void take_work(CudaQueue *q, CudaBranches *b)
{
    const uint64_t *mine = b->before[b->nsteps];
    uint32_t best = 0;

    for (uint32_t i = 0; i < CUDA_WORKS && q->works[i]; i++) {
        if (!b->last[i] || has_bit(mine, b->last[i] - 1)) {
            best = i;
            break;
        }
        best = b->last[i] < b->last[best] ? i : best;
    }
    if (b->last[best] && !has_bit(mine, b->last[best] - 1))
        wait_for(b, b->last[best] - 1);
    b->last[best] = b->nsteps + 1;
    q->piece = best;
}

static void add_span(CudaBranches *b, uintptr_t low, uintptr_t high, bool written)
{
    Step *s = &b->step[b->nsteps];

    if (b->nspans == SPANS || s->nspans == SPANS_OF_STEP) {
        b->full = true;
        return;
    }
    b->span[b->nspans++] = (Span){low, high, written};
    s->nspans++;
}

static void add_uses(CudaBranches *b, const Frame *f, const Op *op)
{
    for (uint32_t i = 0; i < op->use.n; i++) {
        const Use *u = &op->use.v[i];
        uintptr_t at = (uintptr_t)frame_at(f, u->at);

        add_span(b, at + (uintptr_t)u->low,
                 u->high == USE_TO_END ? UINTPTR_MAX : at + (uintptr_t)u->high,
                 u->kind != USE_READ);
    }
}

/* Its spans are known: what must be done before it? */
static bool find_waits(CudaQueue *q, bool works)
{
    CudaBranches *b = q->branches;
    uint64_t *mine = b->before[b->nsteps];

    b->nwaits = 0;
    memset(mine, 0, sizeof b->before[0]);
    for (uint32_t j = b->nsteps; j-- > 0;) /* the last first: it waits for most */
        if (!has_bit(mine, j) && (b->full || touch(b, &b->step[b->nsteps], &b->step[j])))
            wait_for(b, j);
    if (works && q->works[0])
        take_work(q, b);
    return q->d->l->cu.cuStreamUpdateCaptureDependencies(q->stream, b->waits, b->nwaits,
                                                         SET_WAITS) == 0;
}

static bool begin(CudaBranches *b)
{
    if (!b || b->full)
        return false;
    b->full = b->nsteps + 1 == STEPS || b->nnodes + 64 > NODES;
    b->step[b->nsteps] = (Step){.span = b->nspans, .node = b->nnodes};
    return b->open = true;
}

bool cuda_branch_step(CudaQueue *q, const Frame *f, const Op *op)
{
    bool works = false;
    TailCall tail;

    if (!begin(q->branches))
        return true;
    add_uses(q->branches, f, op);
    switch ((OpKind)op->kind) {
    case OP_RUNS_DOT: /* which may do the next step in the same call (tail.c) */
        if (cuda_tail_behind(f, op, &((const DotStep *)op->data)->m, &tail))
            add_uses(q->branches, f, tail.next);
        works = true;
        break;
    case OP_RUNS_KERNEL:
    case OP_RUNS_MOVE:
    case OP_RUNS_FILL:
    case OP_RUNS_SET:
    case OP_RUNS_WINDOW:
    case OP_RUNS_WINDOW_UPDATE:
    case OP_RUNS_ARG:
    case OP_RUNS_CUM:
    case OP_RUNS_GATHER:
    case OP_RUNS_REDUCE_WINDOW: break;
    default: works = true;
    }
    return find_waits(q, works);
}

bool cuda_branch_copy(CudaQueue *q, const void *to, const void *from, size_t size)
{
    if (!begin(q->branches))
        return true;
    add_span(q->branches, (uintptr_t)to, (uintptr_t)to + size, true);
    if (from)
        add_span(q->branches, (uintptr_t)from, (uintptr_t)from + size, false);
    return find_waits(q, false);
}

bool cuda_branch_end(CudaQueue *q)
{
    CudaBranches *b = q->branches;
    const CuHandle *nodes = NULL;
    size_t n = 0;
    int status;

    if (!b || !b->open)
        return true;
    b->open = false;
    if (q->d->l->cu.cuStreamGetCaptureInfo_v2(q->stream, &status, NULL, NULL, &nodes,
                                              &n) != 0)
        return false;
    if (n > NODES - b->nnodes)
        return false;
    memcpy(b->node + b->nnodes, nodes, n * sizeof *nodes);
    b->step[b->nsteps++].nnodes = (uint32_t)n;
    b->nnodes += (uint32_t)n;
    return true;
}

bool cuda_branches_open(CudaQueue *q)
{
    CudaBranches *b = mem_alloc(&q->d->al, sizeof *b);

    if (!b)
        return false;
    b->nsteps = b->nspans = b->nnodes = 0;
    b->open = b->full = false;
    memset(b->last, 0, sizeof b->last);
    for (int i = 1; i < CUDA_WORKS && q->works[0] && q->work_size <= SPARE_MOST; i++)
        if (!q->works[i] &&
            q->d->l->cu.cuMemAllocAsync(&q->works[i], q->work_size, q->stream) != 0) {
            q->works[i] = 0; /* fewer will do */
            break;
        }
    q->branches = b;
    q->captured = true;
    return true;
}

void cuda_branches_close(CudaQueue *q)
{
    mem_free(&q->d->al, q->branches, sizeof *q->branches);
    q->branches = NULL;
    q->piece = 0;
}
