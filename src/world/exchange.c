/* exchange.c -- collectives of programs, and exchanges of the public header, as jobs of an engine.
 *
 * A program's collectives speak of axes of a mesh whose devices are the processes. What an engine moves is parts one after
 * the other; where a collective has them along an inner axis they are put in order before, or after. */
#include "world/world.h"

static int *ranks_of(Arena *a, const Exchange *x)
{
    int *r = arena_array(a, (size_t)x->n, sizeof *r);

    for (int64_t k = 0; k < x->n; k++)
        r[k] = (int)x->member[k];
    return r;
}

static size_t bytes_of(const Exchange *x, int64_t n) { return (size_t)n * wf_dtype_size(x->dtype); }

/* in[outer, n, inner] as parts[n][outer, inner] */
static void *parts_of(Arena *a, const Exchange *x)
{
    const size_t run = bytes_of(x, x->inner);
    char *parts = arena_alloc(a, bytes_of(x, x->count) + 1), *to = parts;

    for (int64_t k = 0; k < x->n && run; k++)
        for (int64_t o = 0; o < x->outer; o++, to += run)
            memcpy(to, (const char *)x->in + (size_t)(o * x->n + k) * run, run);
    return parts;
}

/* What came of each, as exchange_move reads it: parts[k] is what k brought. */
static void move_parts(Arena *a, const Exchange *x, const char *parts, size_t each)
{
    Exchange *all = arena_array(a, (size_t)x->n, sizeof *all);
    const Exchange **at = arena_array(a, (size_t)x->n, sizeof *at);

    for (int64_t k = 0; k < x->n; k++) {
        all[k] = *x;
        all[k].in = parts + (size_t)k * each;
        at[k] = &all[k];
    }
    exchange_move(x, at);
}

/* Every part to its member. */
static void prepare_all_to_all(Arena *a, const Exchange *x, Job *j)
{
    int64_t each = (int64_t)bytes_of(x, x->outer * x->inner), *sizes = arena_array(a, (size_t)x->n, sizeof *sizes);

    for (int64_t k = 0; k < x->n; k++)
        sizes[k] = each;
    j->kind = JOB_ALL_TO_ALL;
    j->in = parts_of(a, x);
    j->out = arena_alloc(a, bytes_of(x, x->count) + 1);
    j->give = j->take = sizes;
}

/* out[outer2, n, inner2] of parts[k][outer2, inner2] */
static void arrange_all_to_all(const Exchange *x, const char *from)
{
    const size_t run = bytes_of(x, x->inner2);

    for (int64_t k = 0; k < x->n && run; k++)
        for (int64_t o = 0; o < x->outer2; o++, from += run)
            memcpy((char *)x->out + (size_t)(o * x->n + k) * run, from, run);
}

static void prepare_ppermute(Arena *a, const Exchange *x, Job *j)
{
    int64_t *give = arena_zalloc(a, (size_t)x->n * sizeof *give), *take = arena_zalloc(a, (size_t)x->n * sizeof *take);

    if (x->target >= 0)
        give[x->target] = (int64_t)bytes_of(x, x->count);
    if (x->source >= 0)
        take[x->source] = (int64_t)bytes_of(x, x->count);
    else if (x->count)
        memset(x->out, 0, bytes_of(x, x->count));
    j->kind = JOB_ALL_TO_ALL;
    j->give = give;
    j->take = take;
}

bool world_prepare(WorldComm *c, wf_ctx *cx, Arena *a, const Exchange *x, Job *j)
{
    *j = (Job){.what = x->what, .how = exchange_how(x), .dtype = x->dtype, .in = x->in, .out = x->out, .count = x->count,
               .root = -1};
    if (!(j->group = world_group(cx, c->world, ranks_of(a, x), (int)x->n)))
        return false;
    switch (x->op) {
    case OP_reduce_scatter:
        j->kind = JOB_SCATTER_REDUCE;
        j->in = x->outer == 1 ? x->in : parts_of(a, x);
        j->count = x->outer * x->inner;
        break;
    case OP_all_gather:
        j->kind = JOB_GATHER;
        j->count = (int64_t)bytes_of(x, x->count);
        if (x->outer != 1)
            j->out = arena_alloc(a, (size_t)(j->count * x->n) + 1);
        break;
    case OP_all_to_all: prepare_all_to_all(a, x, j); break;
    case OP_ppermute: prepare_ppermute(a, x, j); break;
    default: break;
    }
    return true;
}

void world_arrange(Arena *a, const Exchange *x, const Job *j)
{
    if (x->op == OP_all_gather && x->outer != 1)
        move_parts(a, x, j->out, (size_t)j->count);
    else if (x->op == OP_all_to_all)
        arrange_all_to_all(x, j->out);
}

static bool world_exchange(Comm *comm, wf_ctx *cx, const Exchange *x)
{
    WorldComm *c = (WorldComm *)(void *)comm;
    Job j;

    if (!world_prepare(c, cx, &cx->scratch, x, &j) || !world_do(cx, c->world, &j, x->place))
        return false;
    world_arrange(&cx->scratch, x, &j);
    return true;
}

/* ---- of memory of a device --------------------------------------------------------------- */

typedef struct Away { /* an exchange of a device's memory, and what it takes of it */
    wf_ctx *cx;
    Queue *q;
    const Exchange *x;
    void *before, *after; /* parts, in order; NULL: none are needed */
} Away;

static size_t away_bytes(const Away *a) { return (size_t)(a->x->count * (a->x->op == OP_all_gather ? a->x->n : 1)) * wf_dtype_size(a->x->dtype); }

static void *away_alloc(const Away *a)
{
    void *p = device_alloc(a->q->device, a->q, &a->cx->al, away_bytes(a));

    if (!p)
        device_no_memory(a->cx, a->q->device, away_bytes(a));
    return p;
}

/* [outer, n, inner] as [n, outer, inner], or back */
static bool away_turn(const Away *a, void *to, const void *from, int64_t outer, int64_t inner, bool back)
{
    const int64_t n = a->x->n, dims[3] = {n, outer, inner}, parts[3] = {outer * inner, inner, 1}, whole[3] = {inner, n * inner, 1};
    Device *d = a->q->device;
    bool done = false;
    KMove m;

    kmove_init(&m, wf_dtype_size(a->x->dtype), 3, dims, back ? whole : parts, back ? parts : whole);
    return d->put_move(d, a->q->impl, a->cx, &m, to, from, &done) || device_fail(a->cx, d, "an exchange's parts");
}

static bool away_before(Away *a, Job *j)
{
    const Exchange *x = a->x;

    if ((x->op == OP_reduce_scatter || x->op == OP_all_to_all) && x->outer != 1) {
        if (!(a->before = away_alloc(a)) || !away_turn(a, a->before, x->in, x->outer, x->inner, false))
            return false;
        j->in = a->before;
    }
    if ((x->op == OP_all_gather && x->outer != 1) || (x->op == OP_all_to_all && x->outer2 != 1)) {
        if (!(a->after = away_alloc(a)))
            return false;
        j->out = a->after;
    }
    return x->op != OP_ppermute || x->source >= 0 || !x->count ||
           a->q->device->put_zero(a->q->device, a->q->impl, x->out, away_bytes(a)) ||
           device_fail(a->cx, a->q->device, "its memory cannot be written");
}

/* Moves are between elements of one size: n parts of every member. */
static void away_sizes(const Exchange *x, Arena *a, Job *j)
{
    int64_t *give = arena_zalloc(a, (size_t)x->n * sizeof *give), *take = arena_zalloc(a, (size_t)x->n * sizeof *take);

    for (int64_t k = 0; k < x->n && x->op == OP_all_to_all; k++)
        give[k] = take[k] = (int64_t)bytes_of(x, x->outer * x->inner);
    if (x->op == OP_ppermute && x->target >= 0)
        give[x->target] = (int64_t)bytes_of(x, x->count);
    if (x->op == OP_ppermute && x->source >= 0)
        take[x->source] = (int64_t)bytes_of(x, x->count);
    j->give = give;
    j->take = take;
}

static bool world_exchange_on(Comm *comm, wf_ctx *cx, Queue *q, const Exchange *x, bool *out_done)
{
    WorldComm *c = (WorldComm *)(void *)comm;
    Job j = {.kind = JOB_REDUCE, .what = x->what, .how = exchange_how(x), .dtype = x->dtype, .in = x->in, .out = x->out,
             .count = x->count, .root = -1};
    Away a = {cx, q, x, NULL, NULL};
    bool ok;

    *out_done = false;
    if (!q->device->link || !q->device->put_move)
        return true;
    if (x->op == OP_reduce_scatter) {
        j.kind = JOB_SCATTER_REDUCE;
        j.count = x->outer * x->inner;
    } else if (x->op == OP_all_gather) {
        j.kind = JOB_GATHER;
        j.count = (int64_t)bytes_of(x, x->count);
    } else if (x->op == OP_all_to_all || x->op == OP_ppermute) {
        j.kind = JOB_ALL_TO_ALL;
        away_sizes(x, &cx->scratch, &j);
    }
    if (!(j.group = world_group(cx, c->world, ranks_of(&cx->scratch, x), (int)x->n)))
        return false;
    ok = away_before(&a, &j) && link_do(cx, c->world, &j, q, x->place, out_done);
    if (ok && *out_done && a.after)
        ok = x->op == OP_all_gather ? away_turn(&a, x->out, a.after, x->outer, x->inner, true)
                                    : away_turn(&a, x->out, a.after, x->outer2, x->inner2, true);
    if (a.before)
        device_free(q->device, q, &cx->al, a.before, away_bytes(&a));
    if (a.after)
        device_free(q->device, q, &cx->al, a.after, away_bytes(&a));
    return ok;
}

void world_leave(wf_ctx *cx)
{
    Arena own;

    if (!cx->comm)
        return;
    own = ((WorldComm *)(void *)cx->comm)->a; /* which holds it, too */
    going_settle(cx->comm);
    cx->comm = NULL;
    arena_free(&own);
}

wf_status wf_comm_use(wf_ctx *cx, wf_comm *w, const char *mesh)
{
    WorldComm *c;
    const char *why;

    API_ENTER(cx);
    if (cx->comm && cx->comm->exchange != world_exchange) {
        fail(cx, WF_ERR_ARG, NOWHERE, "wf_comm_use: this context runs as a device of an spmd");
        API_RETURN(cx);
    }
    world_leave(cx);
    if (w) {
        Arena a = {0};

        arena_init(&a, &cx->al, cx);
        c = arena_zalloc(&a, sizeof *c);
        why = mesh ? mesh_parse(&a, mesh, &c->mesh) : "there is none";
        if (why || c->mesh.devices != wf_comm_size(w)) {
            if (why)
                fail(cx, WF_ERR_VALUE, NOWHERE, "wf_comm_use: mesh \"%s\": %s", mesh ? mesh : "", why);
            else
                fail(cx, WF_ERR_VALUE, NOWHERE, "wf_comm_use: mesh \"%s\" has %lld devices, there are %d processes", mesh,
                     (long long)c->mesh.devices, wf_comm_size(w));
            arena_free(&a);
        } else {
            c->comm = (Comm){wf_comm_rank(w), &c->mesh, world_exchange, going_begin, going_finish, going_settle, world_exchange_on};
            c->world = w;
            c->a = a;
            cx->comm = &c->comm;
        }
    }
    API_RETURN(cx);
}

/* ---- of memory ------------------------------------------------------------------------ */

static wf_status exchange(wf_ctx *cx, wf_comm *w, Job *j, const char *fn, bool good)
{
    int *all;

    API_ENTER(cx);
    if (!w || !good || j->count < 0) {
        fail(cx, WF_ERR_ARG, NOWHERE, "%s: %s", fn, !w ? "no comm" : "memory or a count is missing");
        API_RETURN(cx);
    }
    all = arena_array(&cx->scratch, (size_t)wf_comm_size(w), sizeof *all);
    for (int k = 0; k < wf_comm_size(w); k++)
        all[k] = k;
    j->what = hash_mix(hash_mix((uint64_t)j->kind << 8 | j->dtype, (uint64_t)j->count), (uint64_t)j->root);
    if ((j->group = world_group(cx, w, all, wf_comm_size(w))))
        world_do(cx, w, j, NOWHERE);
    API_RETURN(cx);
}

wf_status wf_comm_all_reduce(wf_ctx *cx, wf_comm *w, wf_dtype dtype, void *data, int64_t count, wf_combine how)
{
    Job j = {.kind = JOB_REDUCE, .how = (Combine)how, .dtype = dtype, .in = data, .out = data, .count = count, .root = -1};

    return exchange(cx, w, &j, "wf_comm_all_reduce",
                    (data || !count) && how >= WF_COMBINE_SUM && how <= WF_COMBINE_MIN && wf_dtype_size(dtype) > 0);
}

wf_status wf_comm_all_gather(wf_ctx *cx, wf_comm *w, const void *data, int64_t bytes, void *out_all, int64_t out_bytes)
{
    Job j = {.kind = JOB_GATHER, .in = data, .out = out_all, .count = bytes, .root = -1};

    return exchange(cx, w, &j, "wf_comm_all_gather",
                    ((data && out_all) || !bytes) && (!w || bytes < 0 || out_bytes / wf_comm_size(w) >= bytes));
}

wf_status wf_comm_broadcast(wf_ctx *cx, wf_comm *w, void *data, int64_t bytes, int root)
{
    Job j = {.kind = JOB_BROADCAST, .out = data, .count = bytes, .root = root};

    return exchange(cx, w, &j, "wf_comm_broadcast", (data || !bytes) && root >= 0 && root < wf_comm_size(w));
}

wf_status wf_comm_barrier(wf_ctx *cx, wf_comm *w)
{
    Job j = {.kind = JOB_GATHER, .root = -1};

    return exchange(cx, w, &j, "wf_comm_barrier", true);
}
