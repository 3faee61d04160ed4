/* graph.c -- a run as one CUDA graph: captured when it comes again, then replayed.
 *
 * A frame whose steps need no answer from the device puts the same launches into the stream
 * every time; only addresses of inputs and results may differ. A graph is kept for each of
 * the last few sets of addresses that came twice. Before the first capture the run has been
 * done once, so that everything is compiled, bound and allocated; what cannot be captured
 * after all is launched step by step for ever.
 */
#include "cuda/cuda.h"

#define GRAPHS       4     /* kept for a frame */
#define SEEN         8     /* sets of addresses remembered */
#define NODES_MOST   20000 /* launches of a graph */
#define THREAD_LOCAL 1     /* capture mode: other threads go on */

typedef struct Replay {
    Hash key; /* of the addresses */
    CuHandle exec;
    uint64_t used;
} Replay;

typedef struct CudaReplays { /* of a frame */
    bool looked, hopeless;
    Replay graph[GRAPHS];
    Hash seen[SEEN];
    uint64_t clock;
} CudaReplays;

/* ---- which frames ---------------------------------------------------------------------- */

/* Steps that the host does, or must read something for, and too many of them. */
typedef struct Look {
    int64_t steps;
    bool ok;
} Look;

static bool look_at(void *user, Frame *f, const Op *op)
{
    Look *l = user;

    if (!f->plan->device->host_reads && f->plan->staged && f->plan->staged[op->eqn])
        l->ok = false;
    if (f->plan->device->host_reads || op->kind == OP_RUNS_COND ||
        op->kind == OP_RUNS_WHILE || (op->ncallees && op->kind == OP_RUNS_OTHER) ||
        !op->use.n)
        l->ok = false;
    l->steps += op->kind == OP_RUNS_SCAN ? 200 : 1;
    return l->ok;
}

static bool can_capture(Frame *f)
{
    Look l = {.ok = true};

    return frame_walk(f, look_at, &l) && l.ok && l.steps > 1 && l.steps < NODES_MOST;
}

static Hash addresses(const Frame *f)
{
    Hasher h;

    hash_init(&h, 11);
    hash_bytes(&h, f->base, base_dyn(f->plan, 0) * sizeof *f->base);
    return hash_done(&h);
}

/* ---- graphs ---------------------------------------------------------------------------- */

static Replay *find(CudaReplays *r, Hash key)
{
    for (int i = 0; i < GRAPHS; i++)
        if (r->graph[i].exec && hash_eq(r->graph[i].key, key))
            return &r->graph[i];
    return NULL;
}

static bool was_seen(CudaReplays *r, Hash key)
{
    for (int i = 0; i < SEEN; i++)
        if (hash_eq(r->seen[i], key))
            return true;
    r->seen[r->clock++ % SEEN] = key;
    return false;
}

static Replay *oldest(CudaReplays *r)
{
    Replay *o = &r->graph[0];

    for (int i = 1; i < GRAPHS; i++)
        if (r->graph[i].used < o->used)
            o = &r->graph[i];
    return o;
}

/* The steps as a graph in place of the oldest. NULL: they cannot be captured, and nothing
 * was done. */
static Replay *capture(CudaQueue *q, CudaReplays *r, Frame *f, Hash key)
{
    const CudaDriver *cu = &q->d->l->cu;
    CuHandle graph = NULL, exec = NULL;
    Replay *to = oldest(r);
    bool begun, ok;

    if (!cuda_branches_open(q))
        return NULL;
    begun = cu->cuStreamBeginCapture_v2(q->stream, THREAD_LOCAL) == 0;
    ok = begun && frame_steps(f);
    ok = begun && cu->cuStreamEndCapture(q->stream, &graph) == 0 && ok && graph;
    if (ok)
        cuda_branch_priorities(q, graph);
    cuda_branches_close(q);
    ok = ok && cu->cuGraphInstantiateWithFlags(&exec, graph, 0) == 0;
    if (graph)
        cu->cuGraphDestroy(graph);
    if (!ok)
        return NULL;
    if (to->exec)
        cu->cuGraphExecDestroy(to->exec);
    *to = (Replay){.key = key, .exec = exec};
    return to;
}

bool cuda_put_frame(Device *device, void *queue, Frame *f)
{
    Cuda *d = (Cuda *)device;
    CudaQueue *q = queue;
    CudaReplays *r = f->replay;
    Replay *g;
    Hash key;

    if (!r && (r = f->replay = mem_alloc(&d->al, sizeof *r)))
        *r = (CudaReplays){0};
    if (!r || r->hopeless || f->root->cx->profile || !cuda_enter(d))
        return frame_steps(f);
    key = addresses(f);
    g = find(r, key);
    if (!g && (!was_seen(r, key) || r->hopeless))
        return frame_steps(f);
    if (!g && !r->looked) {
        r->looked = true;
        r->hopeless = !can_capture(f);
        if (r->hopeless)
            return frame_steps(f);
    }
    if (!g && !(g = capture(q, r, f, key))) {
        r->hopeless = true;
        wf_clear(f->root->cx);
        return frame_steps(f);
    }
    g->used = ++r->clock;
    return cuda_ok(d, d->l->cu.cuGraphLaunch(g->exec, q->stream), "a graph") ||
           device_fail(f->root->cx, device, "a run failed");
}

void cuda_forget(Device *device, Frame *f)
{
    Cuda *d = (Cuda *)device;
    CudaReplays *r = f->replay;

    for (int i = 0; r && i < GRAPHS; i++)
        if (r->graph[i].exec && cuda_enter(d))
            d->l->cu.cuGraphExecDestroy(r->graph[i].exec);
    if (r)
        mem_free(&d->al, r, sizeof *r);
    f->replay = NULL;
}
