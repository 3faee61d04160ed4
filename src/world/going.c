/* going.c -- exchanges with the processes that go on while a program runs.
 *
 * A program begins an exchange when what it sends is there, and finishes it before its result is read (Plan.going). In between
 * it is a job of the lane of exchanges, which has a thread. Sums, maxima and minima of one kind are put together in a bucket,
 * so that many small ones are not many messages: it is on its way when it is large enough, or somebody waits for one of
 * them, who then carries it out himself. When that is follows from the program alone, so that all processes exchange the
 * same in the same order.
 */
#include "world/world.h"

#define BUCKET (1 << 20) /* bytes */

struct GoingJob {
    GoingJob *next;
    Arena a; /* which holds it, too */
    Job job;
    Exchange x; /* but of a bucket */
    VEC(void *) parts;
    VEC(const void *) from;
    VEC(int64_t) counts;
    int64_t bytes;
    uint32_t unfinished;
    bool bucket, started;
};

static GoingJob *new_job(WorldComm *c, wf_ctx *cx, const Exchange *x)
{
    Arena a = {0};
    GoingJob *g;

    arena_init(&a, &cx->al, cx);
    g = arena_zalloc(&a, sizeof *g);
    g->a = a;
    g->x = *x;
    g->next = c->going;
    c->going = g;
    return g;
}

static void free_job(WorldComm *c, GoingJob *g)
{
    GoingJob **at = &c->going;
    Arena own = g->a;

    while (*at != g)
        at = &(*at)->next;
    *at = g->next;
    if (c->open == g)
        c->open = NULL;
    arena_free(&own);
}

/* A bucket takes no more. */
static void seal(WorldComm *c, GoingJob *g)
{
    g->started = true;
    if (c->open == g)
        c->open = NULL;
    g->job.parts = g->parts.v;
    g->job.from = g->from.v;
    g->job.counts = g->counts.v;
    g->job.nparts = (int)g->parts.n;
}

static void start(WorldComm *c, GoingJob *g)
{
    seal(c, g);
    world_start(c->world, &g->job);
}

static bool is_sum(const Exchange *x) { return x->op == OP_psum || x->op == OP_pmax || x->op == OP_pmin; }

static bool fits(const GoingJob *g, const Job *j)
{
    return g && g->job.group == j->group && g->job.dtype == j->dtype && g->job.how == j->how;
}

static GoingJob *begin_sum(WorldComm *c, wf_ctx *cx, const Exchange *x, const Job *j)
{
    GoingJob *g = c->open;

    if (!fits(g, j)) {
        if (g)
            start(c, g);
        g = new_job(c, cx, x);
        g->bucket = true;
        g->job = *j;
        g->job.timed = cx->profile != NULL;
        g->job.count = 0;
        c->open = g;
    }
    vec_push(&g->a, &g->parts, x->out);
    vec_push(&g->a, &g->from, x->in);
    vec_push(&g->a, &g->counts, x->count);
    g->job.what = hash_mix(g->job.what, x->what);
    g->job.count += x->count;
    g->bytes += x->count * (int64_t)wf_dtype_size(x->dtype);
    g->unfinished++;
    if (g->bytes >= BUCKET)
        start(c, g);
    return g;
}

bool going_begin(Comm *comm, wf_ctx *cx, const Exchange *x, void **out_going)
{
    WorldComm *c = (WorldComm *)(void *)comm;
    GoingJob *g;
    Job j;

    if (is_sum(x)) {
        if (!world_prepare(c, cx, &cx->scratch, x, &j))
            return false;
        g = begin_sum(c, cx, x, &j);
    } else {
        g = new_job(c, cx, x);
        if (!world_prepare(c, cx, &g->a, x, &g->job)) {
            free_job(c, g);
            return false;
        }
        g->job.timed = cx->profile != NULL;
        g->unfinished = 1;
        g->started = true;
        world_start(c->world, &g->job);
    }
    *out_going = g;
    return true;
}

bool going_finish(Comm *comm, wf_ctx *cx, void *going, Place place, JobSpan *span)
{
    WorldComm *c = (WorldComm *)(void *)comm;
    GoingJob *g = going;

    if (!g->started) {
        seal(c, g);
        if (!world_do(cx, c->world, &g->job, place))
            return false;
    } else if (!world_wait(cx, c->world, &g->job, place)) {
        return false;
    }
    *span = g->job.span;
    if (!g->bucket)
        world_arrange(&g->a, &g->x, &g->job);
    if (--g->unfinished == 0)
        free_job(c, g);
    return true;
}

void going_settle(Comm *comm)
{
    WorldComm *c = (WorldComm *)(void *)comm;

    while (c->going) {
        if (c->going->started)
            world_settle(c->world, &c->going->job);
        free_job(c, c->going);
    }
}
