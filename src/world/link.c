/* link.c -- exchanges between devices of the processes: who has a link, and what goes over it.
 *
 * The members of a group tell each other over the engine which device each uses and whether it can be linked; if all can, and no
 * device is there twice, one makes an id, which the engine brings to the others, and all join. Else none of them links, and
 * exchanges go through the host's memory. What an exchange means is compared by the engine when it is first seen.
 */
#include "world/world.h"

#include <stdio.h>
#include <stdlib.h>

#define SEEN 1024 /* exchanges that were compared, by hash */

typedef struct LinkOf {
    struct LinkOf *next;
    Device *device;
    wf_runtime *runtime; /* held: it has the device */
    void *link;          /* NULL: there is none, and none is made */
    CommEngine *e;
    const Group *group;
    uint64_t seen[SEEN];
} LinkOf;

typedef struct Hello { /* what members tell each other first */
    unsigned char who[16], can;
} Hello;

typedef struct Invitation {
    char id[LINK_ID], why[128]; /* why: there is none */
} Invitation;

/* Of a link: while this process waits in it. */
static bool ask(const void *user, double waited, char *why, size_t n)
{
    const LinkOf *l = user;

    if (l->e->alive && !l->e->alive(l->e, l->group, why, n))
        return false;
    if (l->e->stopped(l->e->stop_user))
        return snprintf(why, n, "cancelled"), false;
    if (l->e->timeout > 0 && waited > l->e->timeout)
        return snprintf(why, n, "waited %g seconds (WEFT_COMM_TIMEOUT)", l->e->timeout),
               false;
    return true;
}

static bool gather(wf_ctx *cx, wf_comm *w, Group *g, const void *mine, void *all,
                   int64_t bytes, uint64_t what, Place place)
{
    Job j = {.kind = JOB_GATHER,
             .group = g,
             .what = what,
             .in = mine,
             .out = all,
             .count = bytes,
             .root = -1};

    return world_do(cx, w, &j, place);
}

/* Can all, each on a device of its own? The log says why not. */
static bool all_can(wf_ctx *cx, const Group *g, const Hello *all)
{
    for (int k = 0; k < g->n; k++) {
        if (!all[k].can) {
            ctx_log(cx, WF_LOG_WARN,
                    "rank %d cannot link its device: exchanges go through the host",
                    g->rank[k]);
            return false;
        }
        for (int i = 0; i < k; i++)
            if (!memcmp(all[i].who, all[k].who, sizeof all[k].who)) {
                ctx_log(cx, WF_LOG_WARN,
                        "ranks %d and %d use one device: exchanges go through the host",
                        g->rank[i], g->rank[k]);
                return false;
            }
    }
    return true;
}

/* All open it, or all say who could not. */
static bool join(wf_ctx *cx, wf_comm *w, LinkOf *l, Group *g, Place place)
{
    Device *d = l->device;
    Invitation v = {0}, *all = arena_array(&cx->scratch, (size_t)g->n, sizeof *all);
    Job j = {.kind = JOB_BROADCAST,
             .group = g,
             .what = 0x11A2,
             .out = &v,
             .count = (int64_t)sizeof v,
             .root = 0};

    if (g->me == 0 && !d->link->id(d, v.id, v.why, sizeof v.why) && !*v.why)
        snprintf(v.why, sizeof v.why, "no id");
    if (!world_do(cx, w, &j, place))
        return false;
    if (!*v.why &&
        !(l->link = d->link->open(d, v.id, g->n, g->me, (LinkWatch){ask, l}, v.why,
                                  sizeof v.why)) &&
        !*v.why)
        snprintf(v.why, sizeof v.why, "it cannot be opened");
    if (!gather(cx, w, g, &v, all, (int64_t)sizeof v, 0x11A3, place))
        return false;
    for (int k = 0; k < g->n; k++)
        if (*all[k].why) {
            if (l->link)
                d->link->close(l->link, true);
            l->link = NULL;
            return fail(cx, WF_ERR_COMM, place,
                        "rank %d of %d: a link of %d devices: rank %d: %.127s",
                        wf_comm_rank(w), wf_comm_size(w), g->n, g->rank[k], all[k].why);
        }
    return true;
}

static LinkOf *make_link(wf_ctx *cx, wf_comm *w, Group *g, Device *d, Place place)
{
    LinkOf *l = calloc(1, sizeof *l);
    Hello mine = {0}, *all = arena_array(&cx->scratch, (size_t)g->n, sizeof *all);
    char why[256] = "";

    if (!l) {
        fail_memory(cx);
        return NULL;
    }
    *l = (LinkOf){.device = d, .e = world_engine(w), .group = g};
    mine.can = d->link->ready(d, cx, mine.who, why, sizeof why);
    if (!gather(cx, w, g, &mine, all, (int64_t)sizeof mine, 0x11A1, place) ||
        (all_can(cx, g, all) && !join(cx, w, l, g, place))) {
        free(l);
        return NULL;
    }
    l->runtime = wf_runtime_retain(ctx_runtime(cx));
    l->next = g->links;
    return g->links = l;
}

void links_close(Group *g, bool broken)
{
    while (g->links) {
        LinkOf *l = g->links;

        g->links = l->next;
        if (l->link)
            l->device->link->close(l->link, broken);
        wf_runtime_release(l->runtime);
        free(l);
    }
}

/* The engine holds what this exchange means against what the others mean, once. */
static bool compare(wf_ctx *cx, wf_comm *w, LinkOf *l, const Job *j, Place place)
{
    uint64_t *seen = &l->seen[j->what % SEEN];
    char one = 0, *all = arena_alloc(&cx->scratch, (size_t)j->group->n);

    if (*seen == (j->what | 1))
        return true;
    *seen = j->what | 1;
    return gather(cx, w, j->group, &one, all, 1, j->what, place);
}

bool link_do(wf_ctx *cx, wf_comm *w, Job *j, Queue *q, Place place, bool *out_done)
{
    Device *d = q->device;
    LinkOf *l = j->group ? j->group->links : NULL;
    char why[512] = "", text[640];

    *out_done = false;
    if (!j->group || !d->link || !d->link->has(j))
        return true;
    while (l && l->device != d)
        l = l->next;
    if (!l && !(l = make_link(cx, w, j->group, d, place)))
        return false;
    if (!l->link)
        return true;
    if (!compare(cx, w, l, j, place))
        return false;
    l->e->stop_user = cx;
    j->span.start = clock_seconds();
    j->ok = d->link->put(l->link, q->impl, j, why, sizeof why);
    j->span.end = clock_seconds();
    l->e->stop_user = NULL;
    j->done = *out_done = true;
    if (j->ok)
        return true;
    *out_done = false;
    snprintf(text, sizeof text, "%s: %s", job_name(j->kind), why);
    world_fail(w, text);
    return fail(cx, WF_ERR_COMM, place, "%s: rank %d of %d: %s", job_name(j->kind),
                l->e->rank, l->e->size, why);
}
