/* branch.c -- which steps of a captured run wait for which.
 *
 * A stream does one step after the other. A graph need not: while a run is captured, a step is
 * made to wait only for those before it that wrote what it touches, or touched what it writes,
 * so that branches of a program which have nothing to do with each other run side by side.
 * What a step touches are its uses, by address: memory that serves one value after the other is
 * seen, too. Memory of library calls is not among the uses: there are a few pieces, and a step
 * that may call a library waits for who had its piece before.
 *
 * Of steps that could run at the same time, those on the longest way to the end come first: their kernels have the
 * higher priority. How long a step takes is guessed from its operations and bytes.
 */
#include "cuda/cuda.h"
#include "runtime/step.h"

#define STEPS         4096 /* of a graph that branches; later ones come one after the other */
#define WORDS         (STEPS / 64)
#define SPANS         (8 * STEPS)
#define NODES         (4 * STEPS)
#define SPANS_OF_STEP 512
#define SET_WAITS     1 /* cuStreamUpdateCaptureDependencies: these, not more of them */
#define KERNEL_NODE   0 /* of cuGraphNodeGetType */
#define PRIORITY      8 /* an attribute of a node */
#define STEP_SECONDS  3e-6 /* of a step that does nothing; */
#define FLOPS         2e14 /* in a second, guessed; */
#define BYTES         3e12
#define SLACK_SECONDS 2e-6 /* a step that could wait for no longer is on the longest way */
#define SPARE_MOST    ((size_t)256 << 20) /* bytes of a piece of which there are several */

typedef struct Span { /* bytes from low to high */
    uintptr_t low, high;
    bool written;
} Span;

typedef struct Step {
    uint32_t span, nspans, node, nnodes;
    size_t end; /* nodes of the graph up to its last one */
    double seconds, from, left; /* it takes; before it can begin; from its begin to the end of all */
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
    b->step[b->nsteps] = (Step){.span = b->nspans, .node = b->nnodes, .seconds = STEP_SECONDS};
    return b->open = true;
}

static double guess_seconds(const Frame *f, const Op *op)
{
    double flops = 0, bytes = 0;

    if (op->eqn < f->plan->p->neqns)
        eqn_cost(f->root->cx, f->plan->p, &f->plan->p->eqns[op->eqn], f->symvals, &flops, &bytes);
    return flops / FLOPS + bytes / BYTES;
}

bool cuda_branch_step(CudaQueue *q, const Frame *f, const Op *op)
{
    bool works = false;
    TailCall tail;

    if (!begin(q->branches))
        return true;
    add_uses(q->branches, f, op);
    q->branches->step[q->branches->nsteps].seconds += guess_seconds(f, op);
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
    CuHandle graph = NULL;
    size_t n = 0;
    int status;

    if (!b || !b->open)
        return true;
    b->open = false;
    if (q->d->l->cu.cuStreamGetCaptureInfo_v2(q->stream, &status, NULL, &graph, &nodes,
                                              &n) != 0 ||
        q->d->l->cu.cuGraphGetNodes(graph, NULL, &b->step[b->nsteps].end) != 0)
        return false;
    if (n > NODES - b->nnodes)
        return false;
    memcpy(b->node + b->nnodes, nodes, n * sizeof *nodes);
    b->step[b->nsteps++].nnodes = (uint32_t)n;
    b->nnodes += (uint32_t)n;
    return true;
}

/* When each step can begin, and how long it takes from there to the end of all. */
static double find_ways(CudaBranches *b)
{
    double longest = 0;

    for (uint32_t i = 0; i < b->nsteps; i++) {
        Step *s = &b->step[i];

        s->from = 0;
        for (uint32_t j = 0; j < i; j++)
            if (has_bit(b->before[i], j))
                s->from = MAX(s->from, b->step[j].from + b->step[j].seconds);
        longest = MAX(longest, s->from + s->seconds);
    }
    for (uint32_t i = b->nsteps; i-- > 0;) {
        double most = 0;

        for (uint32_t j = i + 1; j < b->nsteps; j++)
            if (has_bit(b->before[j], i))
                most = MAX(most, b->step[j].left);
        b->step[i].left = b->step[i].seconds + most;
    }
    return longest;
}

static void hurry(const CudaDriver *cu, CuHandle node, int priority)
{
    int64_t value[8] = {0}; /* as large as a value of the driver's can be; the first 32 bits are a priority */
    int kind = -1;

    memcpy(value, &priority, sizeof priority);
    if (cu->cuGraphNodeGetType(node, &kind) == 0 && kind == KERNEL_NODE)
        cu->cuGraphKernelNodeSetAttribute(node, PRIORITY, value);
}

void cuda_branch_priorities(CudaQueue *q, CuHandle graph)
{
    const CudaDriver *cu = &q->d->l->cu;
    CudaBranches *b = q->branches;
    double longest = find_ways(b);
    int least = 0, greatest = 0;
    size_t n = 0;

    if (cu->cuCtxGetStreamPriorityRange(&least, &greatest) != 0 || least == greatest || cu->cuGraphGetNodes(graph, NULL, &n) != 0 ||
        n > NODES || cu->cuGraphGetNodes(graph, b->waits, &n) != 0)
        return;
    for (uint32_t i = 0; i < b->nsteps; i++) /* nodes are in the order in which they came: else nothing is said */
        if (b->step[i].end > n || !b->step[i].end || (b->step[i].nnodes == 1 && b->waits[b->step[i].end - 1] != b->node[b->step[i].node]))
            return;
    for (uint32_t i = 0; i < b->nsteps; i++)
        if (b->step[i].from + b->step[i].left > longest - SLACK_SECONDS)
            for (size_t at = i ? b->step[i - 1].end : 0; at < b->step[i].end; at++)
                hurry(cu, b->waits[at], greatest);
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
