/* launch.c -- a kernel into the stream.
 *
 * A graph of a single kernel whose arguments are set before each launch costs the host little more than half of what a
 * launch costs; one that is given another shape costs as much. So a kernel that comes again and again in the same shape, as in
 * eager work, gets a graph of its own, which is kept in a small table of the queue.
 */
#include "cuda/cuda.h"

#define OFTEN 12 /* launches, from which on a graph is worth making: that costs as much as 20 */

typedef struct Single { /* a kernel in a shape */
    CuHandle function, graph, node, exec; /* exec NULL: it has no graph yet */
    unsigned gx, gy, threads, seen;
} Single;

struct CudaSingles {
    Single at[128];
    uint32_t unloads; /* of the device, when they were made */
    bool hopeless;    /* the driver makes no such graphs */
};

static void drop(const CudaDriver *cu, Single *s)
{
    if (s->exec)
        cu->cuGraphExecDestroy(s->exec);
    if (s->graph)
        cu->cuGraphDestroy(s->graph);
    *s = (Single){0};
}

void cuda_free_singles(CudaQueue *q)
{
    if (!q->singles)
        return;
    for (int i = 0; i < COUNT(q->singles->at); i++)
        drop(&q->d->l->cu, &q->singles->at[i]);
    mem_free(&q->d->al, q->singles, sizeof *q->singles);
    q->singles = NULL;
}

/* Where the kernel stands in the table. NULL: another has its place for now. Code that was unloaded may have left its
 * addresses to other code, so that all are forgotten. */
static Single *find(CudaQueue *q, const Single *what)
{
    uint32_t unloads = atomic_load(&q->d->unloads);
    uint64_t h = (uintptr_t)what->function / 16 + what->gx * 31ULL + what->gy * 1009ULL + what->threads * 17ULL;
    Single *s;

    if (q->singles && q->singles->unloads != unloads)
        cuda_free_singles(q);
    if (!q->singles) {
        if (!(q->singles = mem_alloc(&q->d->al, sizeof *q->singles)))
            return NULL;
        *q->singles = (CudaSingles){.unloads = unloads};
    }
    s = &q->singles->at[h % (uint64_t)COUNT(q->singles->at)];
    if (s->function == what->function && s->gx == what->gx && s->gy == what->gy && s->threads == what->threads) {
        s->seen = MIN(s->seen + 1, 2 * OFTEN);
        return s;
    }
    if (s->seen && --s->seen)
        return NULL;
    drop(&q->d->l->cu, s);
    *s = *what;
    return s;
}

/* The graph stays: its node is what the arguments are set of. */
static bool make(CudaQueue *q, Single *s, const CudaNode *node)
{
    const CudaDriver *cu = &q->d->l->cu;

    if (cu->cuGraphCreate(&s->graph, 0) != 0)
        s->graph = NULL;
    if (!s->graph || cu->cuGraphAddKernelNode_v2(&s->node, s->graph, NULL, 0, node) != 0 ||
        cu->cuGraphInstantiateWithFlags(&s->exec, s->graph, 0) != 0) {
        s->exec = NULL;
        q->singles->hopeless = true;
    }
    return s->exec != NULL;
}

/* By its graph, if it has one or is worth one. */
static bool launch_single(CudaQueue *q, const CudaNode *node)
{
    const CudaDriver *cu = &q->d->l->cu;
    Single what = {.function = node->function, .gx = node->grid[0], .gy = node->grid[1], .threads = node->block[0], .seen = 1};
    Single *s = q->branches || (q->singles && q->singles->hopeless) ? NULL : find(q, &what);

    return s && (s->exec || (s->seen >= OFTEN && make(q, s, node))) &&
           cu->cuGraphExecKernelNodeSetParams_v2(s->exec, s->node, node) == 0 && cu->cuGraphLaunch(s->exec, q->stream) == 0;
}

bool cuda_launch(CudaQueue *q, CuHandle function, int64_t gx, int64_t gy, unsigned threads, void *args)
{
    void *params[] = {args};
    CudaNode n = {function, {(unsigned)MIN(gx, 1 << 30), (unsigned)MIN(gy, 65535), 1}, {threads, 1, 1}, 0, params, NULL, NULL, NULL};

    if (!function)
        return cuda_ok(q->d, 1, "a kernel that could not be compiled");
    if (gx <= 0 || gy <= 0)
        return true;
    return launch_single(q, &n) ||
           cuda_ok(q->d,
                   q->d->l->cu.cuLaunchKernel(function, n.grid[0], n.grid[1], 1, threads, 1, 1, 0, q->stream, params, NULL),
                   "a launch");
}
