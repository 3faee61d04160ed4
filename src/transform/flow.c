/* flow.c -- maximum flow by Dinic's algorithm: breadth-first levels, then blocking flows
 * along them.
 *
 * Graphs come from programs: long and thin, capacities in bytes. Nothing recurses; a
 * budget bounds the work.
 */
#include "transform/transform.h"

#define UNSEEN UINT32_MAX

void flow_init(Flow *f, Arena *a, uint32_t nnodes)
{
    *f = (Flow){.a = a, .nnodes = nnodes};
    f->head = arena_zalloc(a, nnodes * sizeof *f->head);
}

void flow_edge(Flow *f, uint32_t from, uint32_t to, int64_t capacity)
{
    vec_push(f->a, &f->edges, ((FlowEdge){to, f->head[from], capacity}));
    f->head[from] = f->edges.n;
    vec_push(f->a, &f->edges, ((FlowEdge){from, f->head[to], 0}));
    f->head[to] = f->edges.n;
}

typedef struct Search {
    Flow *f;
    uint32_t source, sink;
    uint32_t *level; /* distance from the source, UNSEEN */
    uint32_t *at;    /* next edge to try, + 1 */
    uint32_t *list;  /* the queue of a breadth-first walk; the edges of the path */
    uint64_t budget;
} Search;

static bool spend(Search *s)
{
    s->budget -= s->budget > 0;
    return s->budget > 0;
}

/* Levels of the nodes that can be reached; is the sink among them? */
static bool find_levels(Search *s)
{
    Flow *f = s->f;
    uint32_t n = 0;

    memset(s->level, 0xff, f->nnodes * sizeof *s->level);
    s->level[s->source] = 0;
    s->list[n++] = s->source;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = f->head[s->list[i]]; k; k = f->edges.v[k - 1].next) {
            const FlowEdge *e = &f->edges.v[k - 1];

            if (e->room > 0 && s->level[e->to] == UNSEEN) {
                s->level[e->to] = s->level[s->list[i]] + 1;
                s->list[n++] = e->to;
            }
            spend(s);
        }
    return s->level[s->sink] != UNSEEN;
}

/* Push as much as the path of n edges holds; returns how long a piece of it can still be
 * used. */
static uint32_t push_path(Search *s, uint32_t n)
{
    FlowEdge *e = s->f->edges.v;
    int64_t least = FLOW_INFINITE;
    uint32_t cut = 0;

    for (uint32_t i = n; i-- > 0;)
        if (e[s->list[i]].room <= least) {
            least = e[s->list[i]].room;
            cut = i;
        }
    for (uint32_t i = 0; i < n; i++) {
        e[s->list[i]].room -= least;
        e[s->list[i] ^ 1].room += least;
        spend(s);
    }
    return cut;
}

/* A blocking flow: walk down the levels, edge by edge, back up where there is no way on.
 */
static bool block_flow(Search *s)
{
    Flow *f = s->f;
    uint32_t n = 0;

    memcpy(s->at, f->head, f->nnodes * sizeof *s->at);
    while (spend(s)) {
        uint32_t node = n ? f->edges.v[s->list[n - 1]].to : s->source;
        uint32_t k = s->at[node];

        if (node == s->sink) {
            n = push_path(s, n);
        } else if (!k) { /* dead end */
            if (n == 0)
                return true;
            n--;
            node = f->edges.v[s->list[n] ^ 1].to;
            s->at[node] = f->edges.v[s->at[node] - 1].next;
        } else if (f->edges.v[k - 1].room > 0 &&
                   s->level[f->edges.v[k - 1].to] == s->level[node] + 1) {
            s->list[n++] = k - 1;
        } else {
            s->at[node] = f->edges.v[k - 1].next;
        }
    }
    return false;
}

bool flow_run(Flow *f, uint32_t source, uint32_t sink, uint64_t budget)
{
    Search s = {.f = f, .source = source, .sink = sink, .budget = budget};

    s.level = arena_array(f->a, f->nnodes, sizeof *s.level);
    s.at = arena_array(f->a, f->nnodes, sizeof *s.at);
    s.list = arena_array(f->a, f->nnodes + 1u, sizeof *s.list);
    while (find_levels(&s))
        if (!block_flow(&s))
            return false;
    return true;
}

bool *flow_sink_side(Flow *f, uint32_t sink)
{
    bool *side = arena_zalloc(f->a, f->nnodes + 1u);
    uint32_t *list = arena_array(f->a, f->nnodes + 1u, sizeof *list), n = 0;

    side[sink] = true;
    list[n++] = sink;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = f->head[list[i]]; k; k = f->edges.v[k - 1].next) {
            uint32_t from = f->edges.v[k - 1].to;

            if (f->edges.v[(k - 1) ^ 1].room > 0 && !side[from]) {
                side[from] = true;
                list[n++] = from;
            }
        }
    return side;
}
