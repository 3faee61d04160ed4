/* frames.c -- control flow of version 1: loops and branches made of nodes that pass a value on, or do not.
 *
 *     loop     x0 ─ Enter ─▶ Merge ─▶ Switch ─ 0 ─▶ Exit             one such row for each variable of the loop;
 *                             ▲         │ 1                          LoopCond tells all Switches, from the Merges,
 *                             └── NextIteration ◀─ .. body ..        whether there is another turn
 *     branch   x ─ Switch(pred) ─ 0 ─▶ .. ─┐
 *                          └─ 1 ─▶ .. ─▶ Merge
 *
 * A loop becomes one node, "_Loop", named after its LoopCond, with a body for the condition (inputs: the Merges) and one for a
 * turn (inputs: the Switches). A Merge of a branch becomes "_Cond" (of _SwitchN: "_Case"), with a body for each side. What enters a body unchanged
 * (a constant Enter; the data of a Switch) is looked up around it.
 */
#include "tensorflow/tensorflow.h"

#define LOOP "@loop"

static const char *op_of(const TgSource *s, int node)
{
    return node >= 0 ? s->nodes.v[node]->op : "";
}

/* "Switch" also as "RefSwitch". */
static bool is_op(const TgSource *s, int node, const char *op)
{
    const char *name = op_of(s, node);

    return strcmp(strncmp(name, "Ref", 3) == 0 ? name + 3 : name, op) == 0;
}

/* The node that gives the i-th input; -1: none. Loops of the old kind are in graphs, and in bodies of functions. */
static int input_node(OxRun *r, TgSource *s, int node, size_t i)
{
    const TgNode *n = s->nodes.v[node];

    return i < n->in.n ? tg_point(r, s, n->in.v[i]).node : -1;
}

static const char *frame_of(OxRun *r, const TgNode *enter)
{
    const TgAttr *a = tg_node_attr(enter, "frame_name");

    return a ? ox_string(&r->mem, a->s.data, a->s.size) : "";
}

static bool is_constant(const TgNode *enter)
{
    const TgAttr *a = tg_node_attr(enter, "is_constant");

    return a && a->b;
}

bool tg_is_flow(const TgSource *s, int node)
{
    return is_op(s, node, "Exit") || is_op(s, node, "Merge") ||
           is_op(s, node, "LoopCond");
}

int tg_leaf(TgBody *b, int node)
{
    TgSource *s = b->s;

    for (const TgBody *o = b; o; o = o->outer) {
        for (int i = 0; i < o->ninputs; i++)
            if (o->inputs[i] == node)
                return 1;
        if (o->frame && is_op(s, node, "Enter") && is_constant(s->nodes.v[node]) &&
            strcmp(frame_of(b->r, s->nodes.v[node]), o->frame) == 0)
            return 2;
    }
    if (b->pred.node != -2 && (is_op(s, node, "Switch") || is_op(s, node, "_SwitchN"))) {
        TgPoint p = s->nodes.v[node]->in.n > 1
                        ? tg_point(b->r, s, s->nodes.v[node]->in.v[1])
                        : b->pred;

        return p.node == b->pred.node && p.out == b->pred.out && p.name &&
                       strcmp(p.name, b->pred.name) == 0
                   ? 2
                   : 0;
    }
    return 0;
}

static OxNode *new_node(OxRun *r, const char *name, const char *op,
                        const char *const *bodies)
{
    OxNode *o = ox_alloc(&r->mem, 1, sizeof *o);
    OxAttr *a = ox_alloc(&r->mem, 2, sizeof *a);

    if (!o || !a)
        return NULL;
    *o = (OxNode){.name = name, .op = op, .domain = ""};
    if (bodies && (o->attrs.v = ox_alloc(&r->mem, 2, sizeof *o->attrs.v))) {
        for (int i = 0; i < 2; i++) {
            a[i].name = bodies[i];
            o->attrs.v[i] = &a[i];
        }
        o->attrs.n = 2;
    }
    return o;
}

/* ---- loops ------------------------------------------------------------------------------------------------ */

typedef struct FrameLoop {
    int n; /* variables */
    int *merges, *switches;
    TgPoint *first, *next; /* what enters, what the next turn gets */
    const char *frame;
} FrameLoop;

/* The rows of the loop that a LoopCond belongs to. */
static bool find_rows(TgBody *b, int cond, FrameLoop *l)
{
    OxRun *r = b->r;
    TgSource *s = b->s;
    size_t room = 0;

    *l = (FrameLoop){0};
    for (size_t i = 0; i < s->nodes.n; i++)
        room += is_op(s, (int)i, "Switch");
    l->merges = ox_alloc(&r->mem, room + 1, sizeof *l->merges);
    l->switches = ox_alloc(&r->mem, room + 1, sizeof *l->switches);
    l->first = ox_alloc(&r->mem, room + 1, sizeof *l->first);
    l->next = ox_alloc(&r->mem, room + 1, sizeof *l->next);
    if (!l->merges || !l->switches || !l->first || !l->next)
        return false;
    s->work += (int64_t)s->nodes.n;
    for (size_t i = 0; i < s->nodes.n && ox_ok(r); i++) {
        int merge, enter, next;

        if (!is_op(s, (int)i, "Switch") || input_node(r, s, (int)i, 1) != cond)
            continue;
        merge = input_node(r, s, (int)i, 0);
        enter = merge >= 0 && is_op(s, merge, "Merge") ? input_node(r, s, merge, 0) : -1;
        next = enter >= 0 ? input_node(r, s, merge, 1) : -1;
        if (enter >= 0 && is_op(s, enter, "NextIteration")) {
            int swap = enter;
            enter = next;
            next = swap;
        }
        if (next < 0 || !is_op(s, enter, "Enter") || !is_op(s, next, "NextIteration") ||
            !s->nodes.v[enter]->in.n || !s->nodes.v[next]->in.n)
            return ox_fail(r, WF_ERR_FORMAT,
                           "the loop at '%.80s' is not made as loops are",
                           s->nodes.v[cond]->name);
        l->merges[l->n] = merge;
        l->switches[l->n] = (int)i;
        l->first[l->n] = tg_point(r, s, s->nodes.v[enter]->in.v[0]);
        l->next[l->n] = tg_point(r, s, s->nodes.v[next]->in.v[0]);
        l->frame = frame_of(r, s->nodes.v[enter]);
        l->n++;
    }
    return ox_ok(r);
}

/* A body of the loop: inputs are result `out` of these nodes. */
static OxGraph *loop_body(TgBody *b, const FrameLoop *l, const int *inputs, int out,
                          const TgPoint *roots, size_t n, TgBody *made)
{
    OxRun *r = b->r;
    const char **in = ox_alloc(&r->mem, (size_t)l->n + 1, sizeof *in),
               **results = ox_alloc(&r->mem, n + 1, sizeof *results);

    if (!in || !results || !tg_body_init(made, r, b->s, b))
        return NULL;
    made->inputs = inputs;
    made->ninputs = l->n;
    made->frame = l->frame;
    for (int i = 0; i < l->n; i++) {
        const char *name = b->s->nodes.v[inputs[i]]->name;
        size_t size = strlen(name) + 8;
        char *text = ox_alloc(&r->mem, size, 1);

        if (!text)
            return NULL;
        snprintf(text, size, "%s:%d", name, out);
        in[i] = text;
    }
    for (size_t i = 0; i < n; i++)
        results[i] = roots[i].name;
    b->s->depth++;
    bool ok = tg_order(made, roots, n);
    b->s->depth--;
    return ok ? tg_body_graph(made, in, (size_t)l->n, results, n) : NULL;
}

static bool add_points(OxRun *r, TgSource *s, TgPoint **deps, size_t *n,
                       const char *const *names, size_t count)
{
    TgPoint *all = ox_alloc(&r->mem, *n + count + 1, sizeof *all);

    if (!all)
        return false;
    if (*n)
        memcpy(all, *deps, *n * sizeof *all);
    for (size_t i = 0; i < count; i++) {
        TgPoint p = tg_point(r, s, names[i]);

        if (p.node >= 0)
            all[(*n)++] = p;
    }
    *deps = all;
    return ox_ok(r);
}

/* The loop of an Exit: the first Exit that is met makes the node, the others read its results. */
static OxNode *loop_node(TgBody *b, int cond, TgPoint **deps, size_t *ndeps)
{
    static const char *const bodies[] = {"cond", "body"};
    OxRun *r = b->r;
    const TgNode *c = b->s->nodes.v[cond];
    OxNode *o = new_node(r, c->name, "_Loop", bodies);
    TgPoint pred;
    TgBody made[2];
    FrameLoop l;

    if (!o || !c->in.n || !find_rows(b, cond, &l))
        return NULL;
    pred = tg_point(r, b->s, c->in.v[0]);
    if (!ox_ok(r) ||
        !(o->attrs.v[0]->g = loop_body(b, &l, l.merges, 0, &pred, 1, &made[0])) ||
        !(o->attrs.v[1]->g =
              loop_body(b, &l, l.switches, 1, l.next, (size_t)l.n, &made[1])) ||
        !(o->in.v = ox_alloc(&r->mem, (size_t)l.n + 1, sizeof *o->in.v)) ||
        !(o->out.v = ox_alloc(&r->mem, (size_t)l.n + 1, sizeof *o->out.v)))
        return NULL;
    for (int i = 0; i < l.n; i++) {
        const char *name = b->s->nodes.v[l.switches[i]]->name;
        size_t size = strlen(name) + 16;
        char *text = ox_alloc(&r->mem, size, 1);

        if (!text)
            return NULL;
        snprintf(text, size, "%s" LOOP, name);
        o->out.v[i] = text;
        o->in.v[i] = l.first[i].name;
    }
    o->in.n = o->out.n = (size_t)l.n;
    return add_points(r, b->s, deps, ndeps, o->in.v, o->in.n) &&
                   add_points(r, b->s, deps, ndeps, made[0].outside.v,
                              made[0].outside.n) &&
                   add_points(r, b->s, deps, ndeps, made[1].outside.v, made[1].outside.n)
               ? o
               : NULL;
}

static OxNode *exit_node(TgBody *b, int node, TgPoint **deps, size_t *ndeps)
{
    OxRun *r = b->r;
    TgSource *s = b->s;
    int from = input_node(r, s, node, 0),
        cond = from >= 0 && is_op(s, from, "Switch") ? input_node(r, s, from, 1) : -1;
    OxNode *o = new_node(r, s->nodes.v[node]->name, "Identity", NULL);
    char *text;
    size_t size;

    if (cond < 0 || !is_op(s, cond, "LoopCond"))
        return ox_ok(r) ? (ox_fail(r, WF_ERR_FORMAT, "'%.80s' leaves no loop",
                                   s->nodes.v[node]->name),
                           NULL)
                        : NULL;
    size = strlen(s->nodes.v[from]->name) + 16;
    text = ox_alloc(&r->mem, size, 1);
    if (!o || !text || !(o->in.v = ox_alloc(&r->mem, 1, sizeof *o->in.v)) ||
        !(*deps = ox_alloc(&r->mem, 1, sizeof **deps)))
        return NULL;
    snprintf(text, size, "%s" LOOP, s->nodes.v[from]->name);
    o->in.v[0] = text;
    o->in.n = 1;
    **deps = (TgPoint){cond, -1, NULL};
    *ndeps = 1;
    return o;
}

/* ---- branches ---------------------------------------------------------------------------------------------- */

/* The Switch that an input of a Merge comes from, and on which side: back through inputs, over branches inside. */
static bool find_switch(OxRun *r, TgSource *s, const char *input, int *out_switch,
                        int *out_side)
{
    TgPoint p = tg_point(r, s, input);
    int inside = 0;

    for (size_t steps = 0; p.node >= 0 && steps <= s->nodes.n && ox_ok(r); steps++) {
        const TgNode *n = s->nodes.v[p.node];

        if ((is_op(s, p.node, "Switch") || is_op(s, p.node, "_SwitchN")) &&
            inside-- == 0) {
            *out_switch = p.node;
            *out_side = MAX(p.out, 0);
            return true;
        }
        inside += is_op(s, p.node, "Merge");
        if (!n->in.n)
            return false;
        p = tg_point(r, s, n->in.v[0]);
        s->work++;
    }
    return false;
}

static OxGraph *branch_body(TgBody *b, const TgPoint *root, TgPoint pred, int side,
                            TgBody *made)
{
    bool ok;

    if (!tg_body_init(made, b->r, b->s, b))
        return NULL;
    made->pred = pred;
    made->side = side;
    b->s->depth++;
    ok = tg_order(made, root, 1);
    b->s->depth--;
    return ok ? tg_body_graph(made, NULL, 0, &root->name, 1) : NULL;
}

/* What joins n values, by the conditions they were passed on by: "_Cond" with bodies for true and false, or "_Case". */
static OxNode *merge_node(TgBody *b, int node, TgPoint **deps, size_t *ndeps)
{
    OxRun *r = b->r;
    TgSource *s = b->s;
    const TgNode *n = s->nodes.v[node];
    size_t count = 0, open = SIZE_MAX;
    OxNode *o;
    OxAttr *a;
    TgBody made;
    TgPoint pred;
    int *sides, from = -1, found;

    while (count < n->in.n && *n->in.v[count] != '^')
        count++;
    if (count < 2 || !(sides = ox_alloc(&r->mem, count, sizeof *sides)))
        return ox_ok(r) ? (ox_fail(r, WF_ERR_UNSUPPORTED, "'%.80s' joins no branches",
                                   n->name),
                           NULL)
                        : NULL;
    for (size_t i = 0; i < count; i++) {
        sides[i] = -1;
        if (find_switch(r, s, n->in.v[i], &found, &sides[i]))
            from = found;
        else
            open = i;
    }
    for (int k = 0; open != SIZE_MAX && k < (int)count;
         k++) { /* one that comes from no Switch is what is left over */
        bool taken = false;

        for (size_t i = 0; i < count; i++)
            taken = taken || sides[i] == k;
        if (!taken)
            sides[open] = k;
    }
    if (from < 0 || !ox_ok(r) || s->nodes.v[from]->in.n < 2 ||
        is_op(s, input_node(r, s, from, 1), "LoopCond"))
        return ox_ok(r) ? (ox_fail(r, WF_ERR_UNSUPPORTED,
                                   "'%.80s' joins values of no one condition", n->name),
                           NULL)
                        : NULL;
    pred = tg_point(r, s, s->nodes.v[from]->in.v[1]);
    o = ox_alloc(&r->mem, 1, sizeof *o);
    a = ox_alloc(&r->mem, count, sizeof *a);
    if (!o || !a || !(o->attrs.v = ox_alloc(&r->mem, count, sizeof *o->attrs.v)) ||
        !(o->in.v = ox_alloc(&r->mem, 1, sizeof *o->in.v)))
        return NULL;
    *o = (OxNode){.name = n->name,
                  .op = is_op(s, from, "_SwitchN") ? "_Case" : "_Cond",
                  .domain = "",
                  .in = o->in,
                  .attrs = o->attrs};
    o->in.v[0] = pred.name;
    o->in.n = 1;
    o->attrs.n = count;
    if (!add_points(r, s, deps, ndeps, o->in.v, 1))
        return NULL;
    for (size_t i = 0; i < count; i++) {
        TgPoint root = tg_point(r, s, n->in.v[i]);

        if (!ox_ok(r) || sides[i] < 0 || sides[i] >= (int)count || o->attrs.v[sides[i]])
            return ox_ok(r)
                       ? (ox_fail(r, WF_ERR_UNSUPPORTED,
                                  "'%.80s' joins values of no one condition", n->name),
                          NULL)
                       : NULL;
        o->attrs.v[sides[i]] = &a[i];
        if (!(a[i].g = branch_body(b, &root, pred, sides[i], &made)) ||
            !add_points(r, s, deps, ndeps, made.outside.v, made.outside.n))
            return NULL;
    }
    return o;
}

OxNode *tg_flow_node(TgBody *b, int node, TgPoint **deps, size_t *ndeps)
{
    *deps = NULL;
    *ndeps = 0;
    return is_op(b->s, node, "Exit")       ? exit_node(b, node, deps, ndeps)
           : is_op(b->s, node, "LoopCond") ? loop_node(b, node, deps, ndeps)
                                           : merge_node(b, node, deps, ndeps);
}
