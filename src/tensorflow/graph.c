/* graph.c -- nodes in the order they run.
 *
 * A GraphDef and the body of a function are sets of nodes; inputs say who needs whom:
 *
 *     graph      "node" (its first result)   "node:2"          "^node" (it must have run)
 *     function   "argument"                  "node:name:0"     "^node"
 *
 * What is wanted is put in order, the rest is left out; names of results become "node:0" in both. Loops and branches of the
 * old kind are nodes with bodies then (frames.c), which are put in order by the same walk.
 */
#include "tensorflow/tensorflow.h"

#define MOST_WORK (INT64_C(1) << 27) /* marks of nodes in all bodies */

/* ---- names ---------------------------------------------------------------------------------------- */

static uint32_t hash_name(const char *s, size_t n)
{
    uint32_t h = 2166136261u;

    for (size_t i = 0; i < n; i++)
        h = (h ^ (unsigned char)s[i]) * 16777619u;
    return h;
}

static OxSlot *slot_of(const TgSource *s, const char *name, size_t n)
{
    uint32_t k = hash_name(name, n) & s->mask;

    while (s->slots[k].name &&
           (strncmp(s->slots[k].name, name, n) != 0 || s->slots[k].name[n]))
        k = (k + 1) & s->mask;
    return &s->slots[k];
}

bool tg_source(OxRun *r, TgSource *s, TgNode **nodes, size_t n, const TgFunction *f)
{
    size_t room = 16;

    *s = (TgSource){.function = f};
    s->nodes.v = nodes;
    s->nodes.n = n;
    while (room < 2 * n)
        room *= 2;
    if (room > UINT32_MAX / 4)
        return ox_fail(r, WF_ERR_LIMIT, "too many nodes");
    s->slots = ox_alloc(&r->mem, room, sizeof *s->slots);
    s->outs = ox_alloc(&r->mem, n + 1, sizeof *s->outs);
    if (!s->slots || !s->outs)
        return false;
    s->mask = (uint32_t)room - 1;
    for (size_t i = 0; i < n; i++) {
        OxSlot *k;

        if (!nodes[i]->name || !nodes[i]->op)
            return ox_fail(r, WF_ERR_FORMAT, "node %zu has no name or no op", i);
        k = slot_of(s, nodes[i]->name, strlen(nodes[i]->name));
        if (k->name)
            return ox_fail(r, WF_ERR_FORMAT, "two nodes are called '%.80s'",
                           nodes[i]->name);
        *k = (OxSlot){nodes[i]->name, (uint32_t)i};
    }
    return true;
}

static bool is_argument(const TgSource *s, const char *name)
{
    const TgOpDef *d = s->function ? s->function->signature : NULL;

    for (size_t i = 0; d && i < d->in.n; i++)
        if (d->in.v[i]->name && strcmp(d->in.v[i]->name, name) == 0)
            return true;
    return false;
}

static char *result_name(OxRun *r, const char *node, int out)
{
    size_t n = strlen(node) + 16;
    char *s = ox_alloc(&r->mem, n, 1);

    if (s)
        snprintf(s, n, "%s:%d", node, out);
    return s;
}

/* The number of a result of a function that is called like an op. */
static int function_output(OxRun *r, const char *op, const char *name)
{
    const TgFunction *f = tg_find_function(r, op);

    for (size_t i = 0; f && f->signature && i < f->signature->out.n; i++)
        if (f->signature->out.v[i]->name &&
            strcmp(f->signature->out.v[i]->name, name) == 0)
            return (int)i;
    return f ? 0 : tg_output(op, name);
}

TgPoint tg_point(OxRun *r, TgSource *s, const char *name)
{
    const char *colon = strchr(name, ':'), *last = strrchr(name, ':');
    size_t n = colon ? (size_t)(colon - name) : strlen(name);
    TgPoint p = {-2, 0, NULL};
    long out = last ? strtol(last + 1, NULL, 10) : 0;
    OxSlot *k;
    char kind[64];

    if (*name == '^') {
        k = slot_of(s, name + 1, strlen(name + 1));
        if (k->name)
            p = (TgPoint){(int)k->number, -1, NULL};
        else if (!is_argument(s, name + 1))
            ox_fail(r, WF_ERR_FORMAT, "there is no node '%.80s'", name);
        else
            p.node = -1;
        return p;
    }
    if (!colon && is_argument(s, name))
        return (TgPoint){-1, 0, name};
    k = slot_of(s, name, n);
    if (!k->name || out < 0 || out > 65535)
        return ox_fail(r, WF_ERR_FORMAT, "there is no result '%.80s'", name), p;
    p.node = (int)k->number;
    if (colon && last != colon) {
        snprintf(kind, sizeof kind, "%.*s",
                 (int)MIN((size_t)(last - colon - 1), sizeof kind - 1), colon + 1);
        out += function_output(r, s->nodes.v[p.node]->op, kind);
    }
    p.out = (int)out;
    p.name = result_name(r, k->name, p.out);
    s->outs[p.node] = MAX(s->outs[p.node], p.out + 1);
    return p;
}

/* ---- attributes --------------------------------------------------------------------------------------- */

const TgAttr *tg_node_attr(const TgNode *n, const char *name)
{
    for (size_t i = 0; n && i < n->attrs.n; i++)
        if (n->attrs.v[i]->key && strcmp(n->attrs.v[i]->key, name) == 0)
            return n->attrs.v[i]->value;
    return NULL;
}

const TgAttr *tg_attr(OxRun *r, const char *name)
{
    return tg_node_attr(r->node->source, name);
}

int64_t tg_int(OxRun *r, const char *name, int64_t otherwise)
{
    const TgAttr *a = tg_attr(r, name);

    return a ? a->i : otherwise;
}

bool tg_bool(OxRun *r, const char *name, bool otherwise)
{
    const TgAttr *a = tg_attr(r, name);

    return a ? a->b != 0 : otherwise;
}

double tg_float(OxRun *r, const char *name, double otherwise)
{
    const TgAttr *a = tg_attr(r, name);

    return a ? (double)a->f : otherwise;
}

const char *tg_text(OxRun *r, const char *name, const char *otherwise)
{
    const TgAttr *a = tg_attr(r, name);
    const char *s = a ? ox_string(&r->mem, a->s.data, a->s.size) : otherwise;

    return s ? s : "";
}

wf_dtype tg_type_attr(OxRun *r, const char *name)
{
    const TgAttr *a = tg_attr(r, name);
    wf_dtype d = a ? tg_dtype(a->type) : WF_INVALID;

    if (d == WF_INVALID)
        ox_fail(r, a ? WF_ERR_UNSUPPORTED : WF_ERR_FORMAT, "%s is %s", name,
                a ? tg_type_name(a->type) : "missing");
    return d;
}

const int64_t *tg_ints(OxRun *r, const char *name, int *n)
{
    static const int64_t none[1] = {0};
    const TgAttr *a = tg_attr(r, name);

    *n = a && a->list ? (int)MIN(a->list->i.n, (size_t)OX_MAX) : 0;
    return !a ? NULL : *n ? a->list->i.v : none;
}

/* ---- order ---------------------------------------------------------------------------------------------- */

bool tg_body_init(TgBody *b, OxRun *r, TgSource *s, TgBody *outer)
{
    *b = (TgBody){.r = r, .s = s, .outer = outer, .pred = {-2, 0, NULL}};
    if ((s->work += (int64_t)s->nodes.n + 16) > MOST_WORK || s->depth > 32)
        return ox_fail(r, WF_ERR_LIMIT, "too many loops and branches");
    return (b->seen = ox_alloc(&r->mem, s->nodes.n + 1, 1)) != NULL;
}

static bool emit(TgBody *b, OxNode *n)
{
    if (b->n == b->room) {
        size_t room = b->room * 2 + 64;
        OxNode **more = ox_alloc(&b->r->mem, room, sizeof *more);

        if (!more)
            return false;
        if (b->n)
            memcpy(more, b->nodes, b->n * sizeof *more);
        b->nodes = more;
        b->room = room;
    }
    b->nodes[b->n++] = n;
    return true;
}

/* A name that is looked up around the body. */
static bool note_outside(TgBody *b, const char *name)
{
    if (b->outside.n == b->outside_room) {
        size_t room = b->outside_room * 2 + 16;
        const char **more = ox_alloc(&b->r->mem, room, sizeof *more);

        if (!more)
            return false;
        if (b->outside.n)
            memcpy(more, b->outside.v, b->outside.n * sizeof *more);
        b->outside.v = more;
        b->outside_room = room;
    }
    b->outside.v[b->outside.n++] = name;
    return true;
}

typedef struct Visit { /* a node whose inputs are being gone through */
    int node;
    TgPoint *deps;
    size_t ndeps, next;
    OxNode *made;
} Visit;

/* The node as it is: its inputs are what it waits for. */
static bool plain_node(TgBody *b, int number, Visit *v)
{
    OxRun *r = b->r;
    const TgNode *n = b->s->nodes.v[number];
    OxNode *o = ox_alloc(&r->mem, 1, sizeof *o);

    v->deps = ox_alloc(&r->mem, n->in.n + 1, sizeof *v->deps);
    if (!o || !v->deps || !(o->in.v = ox_alloc(&r->mem, n->in.n + 1, sizeof *o->in.v)))
        return false;
    o->name = n->name;
    o->op = tg_find_function(r, n->op) ? "PartitionedCall" : n->op;
    o->domain = "";
    o->source = n;
    for (size_t i = 0; i < n->in.n; i++) {
        TgPoint p = tg_point(r, b->s, n->in.v[i]);

        if (!ox_ok(r))
            return false;
        if (p.out >= 0 && p.node != -2)
            o->in.v[o->in.n++] = p.name;
        if (p.node >= 0)
            v->deps[v->ndeps++] = p;
    }
    v->made = o;
    return true;
}

/* What enters a body: its inputs are there already, outside. */
static bool leaf_node(TgBody *b, int number)
{
    Visit v = {.node = number};

    if (!plain_node(b, number, &v))
        return false;
    v.made->op = "Identity";
    v.made->in.n = MIN(v.made->in.n, 1);
    if (b->s->outs[number] == 0)
        b->s->outs[number] = 1;
    if (v.made->in.n && !note_outside(b, v.made->in.v[0]))
        return false;
    return emit(b, v.made);
}

static bool enter_node(TgBody *b, int number, Visit *v)
{
    *v = (Visit){.node = number};
    b->seen[number] = 1;
    b->r->node = NULL;
    if (!tg_is_flow(b->s, number))
        return plain_node(b, number, v);
    v->made = tg_flow_node(b, number, &v->deps, &v->ndeps);
    return v->made != NULL;
}

bool tg_order(TgBody *b, const TgPoint *roots, size_t n)
{
    OxRun *r = b->r;
    size_t room = 64, top = 0;
    Visit *stack = ox_alloc(&r->mem, room, sizeof *stack);

    for (size_t i = 0; i < n && stack && ox_ok(r); i++) {
        TgPoint want = roots[i];

        for (;;) {
            int leaf;

            if (want.node >= 0 && !b->seen[want.node]) {
                if ((leaf = tg_leaf(b, want.node)) != 0) {
                    b->seen[want.node] = 2;
                    if (leaf == 2 && !leaf_node(b, want.node))
                        return false;
                } else {
                    if (top == room) {
                        Visit *more = ox_alloc(&r->mem, room * 2, sizeof *more);

                        if (!more)
                            return false;
                        stack = memcpy(more, stack, room * sizeof *more);
                        room *= 2;
                    }
                    if (!enter_node(b, want.node, &stack[top++]))
                        return false;
                }
            } else if (want.node >= 0 && b->seen[want.node] == 1) {
                return ox_fail(r, WF_ERR_FORMAT, "node '%.80s' waits for itself",
                               b->s->nodes.v[want.node]->name);
            }
            while (top && stack[top - 1].next == stack[top - 1].ndeps) {
                Visit *v = &stack[--top];

                b->seen[v->node] = 2;
                if (!emit(b, v->made))
                    return false;
            }
            if (!top)
                break;
            want = stack[top - 1].deps[stack[top - 1].next++];
        }
    }
    return stack && ox_ok(r);
}

OxGraph *tg_body_graph(TgBody *b, const char *const *in, size_t nin,
                       const char *const *out, size_t nout)
{
    OxRun *r = b->r;
    OxGraph *g = ox_alloc(&r->mem, 1, sizeof *g);
    OxInfo *infos = ox_alloc(&r->mem, nin + nout + 1, sizeof *infos);

    if (!g || !infos || !(g->in.v = ox_alloc(&r->mem, nin + 1, sizeof *g->in.v)) ||
        !(g->out.v = ox_alloc(&r->mem, nout + 1, sizeof *g->out.v)))
        return NULL;
    for (size_t i = 0; i < nin + nout; i++) {
        infos[i].name = i < nin ? in[i] : out[i - nin];
        *(i < nin ? &g->in.v[i] : &g->out.v[i - nin]) = &infos[i];
    }
    g->in.n = nin;
    g->out.n = nout;
    g->nodes.v = b->nodes;
    g->nodes.n = b->n;
    return g;
}

/* Names of the results that somebody uses. */
static bool name_results(OxRun *r, TgSource *s, OxNode **nodes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        OxNode *o = nodes[i];
        const OxSlot *k = slot_of(s, o->name, strlen(o->name));
        int count = k->name ? s->outs[k->number] : 0;

        for (size_t a = 0; a < o->attrs.n; a++) /* bodies */
            if (o->attrs.v[a]->g &&
                !name_results(r, s, o->attrs.v[a]->g->nodes.v, o->attrs.v[a]->g->nodes.n))
                return false;
        if (o->out.n || !count)
            continue;
        if (!(o->out.v = ox_alloc(&r->mem, (size_t)count, sizeof *o->out.v)))
            return false;
        for (int j = 0; j < count; j++)
            if (!(o->out.v[j] = result_name(r, o->name, j)))
                return false;
        o->out.n = (size_t)count;
    }
    return true;
}

OxGraph *tg_graph(OxRun *r, TgSource *s, const char *const *in, size_t nin,
                  const TgPoint *out, size_t nout, const TgPoint *also, size_t nalso)
{
    const char **names = ox_alloc(&r->mem, nout + 1, sizeof *names);
    int *stops = ox_alloc(&r->mem, nin + 1, sizeof *stops);
    TgBody b;
    OxGraph *g;

    if (!names || !stops || !tg_body_init(&b, r, s, NULL))
        return NULL;
    for (size_t i = 0; i < nin; i++) {
        TgPoint p = tg_point(r, s, in[i]);

        stops[i] = p.node;
    }
    b.inputs = stops;
    b.ninputs = (int)nin;
    for (size_t i = 0; i < nout; i++)
        names[i] = out[i].name;
    if (!ox_ok(r) || !tg_order(&b, out, nout) || !tg_order(&b, also, nalso) ||
        !(g = tg_body_graph(&b, in, nin, names, nout)) ||
        !name_results(r, s, g->nodes.v, g->nodes.n))
        return NULL;
    return g;
}

/* ---- functions --------------------------------------------------------------------------------------------- */

static int by_signature(const void *name, const void *f)
{
    return strcmp(name, (*(TgFunction *const *)f)->signature->name);
}

TgFunction *tg_find_function(OxRun *r, const char *name)
{
    const TgFile *f = tg_file(r);
    TgFunction **p = f->nfunctions ? bsearch(name, f->functions, f->nfunctions,
                                             sizeof *f->functions, by_signature)
                                   : NULL;

    return p ? *p : NULL;
}

static TgPoint return_point(OxRun *r, TgSource *s, const TgFunction *f, const char *name)
{
    for (size_t i = 0; i < f->ret.n; i++)
        if (f->ret.v[i]->key && f->ret.v[i]->value && strcmp(f->ret.v[i]->key, name) == 0)
            return tg_point(r, s, f->ret.v[i]->value);
    ox_fail(r, WF_ERR_FORMAT, "function '%.80s' does not say what '%.80s' is",
            f->signature->name, name);
    return (TgPoint){-2, 0, NULL};
}

static OxGraph *make_function(OxRun *r, TgFunction *f)
{
    const TgOpDef *d = f->signature;
    const char **in = ox_alloc(&r->mem, d->in.n + 1, sizeof *in);
    TgPoint *out = ox_alloc(&r->mem, d->out.n + 1, sizeof *out);
    TgPoint *also = ox_alloc(&r->mem, f->control_ret.n + 1, sizeof *also);
    TgSource *s = ox_alloc(&r->mem, 1, sizeof *s);
    size_t nalso = 0;

    if (!in || !out || !also || !s || !tg_source(r, s, f->nodes.v, f->nodes.n, f))
        return NULL;
    for (size_t i = 0; i < d->in.n; i++)
        in[i] = d->in.v[i]->name ? d->in.v[i]->name : "";
    for (size_t i = 0; i < d->out.n && ox_ok(r); i++)
        out[i] = return_point(r, s, f, d->out.v[i]->name ? d->out.v[i]->name : "");
    for (size_t i = 0; i < f->control_ret.n && ox_ok(r); i++) {
        const char *name = f->control_ret.v[i]->value;
        OxSlot *k = name ? slot_of(s, name, strlen(name)) : NULL;

        if (k && k->name)
            also[nalso++] = (TgPoint){(int)k->number, -1, NULL};
    }
    return ox_ok(r) ? tg_graph(r, s, in, d->in.n, out, d->out.n, also, nalso) : NULL;
}

OxGraph *tg_function_graph(OxRun *r, const char *name)
{
    TgFunction *f = tg_find_function(r, name);
    const OxNode *node = r->node;

    if (!f)
        return ox_fail(r, WF_ERR_FORMAT, "there is no function '%.80s'", name), NULL;
    if (!f->graph) {
        if (f->busy)
            return ox_fail(r, WF_ERR_UNSUPPORTED, "function '%.80s' calls itself", name),
                   NULL;
        f->busy = true;
        f->graph = make_function(r, f);
        f->busy = false;
        r->node = node;
    }
    return f->graph;
}
