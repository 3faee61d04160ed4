/* ops_flow.c -- If, Loop, Scan; sequences and optional values.
 *
 * A condition or a number of turns that is known is not part of the program: the branch is
 * run, the turns are made one after the other. So sequences, and values whose shapes change
 * from turn to turn, are what they are in the file as long as that holds.
 */
#include "onnx/ops.h"

#define MOST_TURNS 4096 /* made one after the other */
#define FEW_TURNS 16    /* of a loop that could be one */

typedef struct OxBody {
    OxRun *r;
    OxGraph *graph;
    OxEnv *outer;
    int first; /* of its results, this one is the first that counts */
    int nout;
    wf_tensor most; /* of a while: turns at most, or WF_NONE */
    int ncarry;
    const int *place;       /* of a loop: which results of the node its carries and rows are; NULL: in order */
    const wf_tensor *lists; /* what carries are at first that the last rows make longer */
    int nlists;
} OxBody;

/* The error; where none is recorded, that there is one. */
static wf_status gave_up(wf_ctx *c) { return wf_ctx_status(c) ? wf_ctx_status(c) : WF_ERR_VALUE; }

/* The same as a function of tensors: results from b->first on. */
static wf_status call_body(wf_ctx *c, void *user, const wf_tensor *in, int nin, wf_tensor *out, int nout)
{
    OxBody *b = user;
    OxRun *r = b->r;
    OxValue *args = ox_alloc(&r->mem, (size_t)b->ncarry + 1, sizeof *args);
    OxValue *results = ox_alloc(&r->mem, b->graph->out.n + 1, sizeof *results);

    (void)nin;
    if (!args || !results)
        return gave_up(c);
    for (int i = 0; i < b->ncarry; i++)
        args[i] = (OxValue){.kind = OX_TENSOR, .t = in[i]};
    if (!ox_run_body(r, b->graph, b->outer, args, (size_t)b->ncarry, results))
        return gave_up(c);
    for (int i = 0; i < b->nout; i++)
        out[i] = ox_tensor_of(r, &results[b->first + i]);
    for (int i = 0; i < b->nlists && ox_ok(r); i++) { /* sizes that only the turn knows are those of the list */
        wf_tensor v[2] = {b->lists[i], out[nout - b->nlists + i]};

        ox_agree(r, v, 2, wf_rank(c, v[0]));
        out[nout - b->nlists + i] = v[1];
    }
    return wf_ctx_status(c);
}

static OxGraph *graph_attr(OxRun *r, const char *name)
{
    const OxAttr *a = ox_attr(r, name);

    if (!a || !a->g)
        return ox_fail(r, WF_ERR_FORMAT, "there is no %s", name), NULL;
    return a->g;
}

static wf_tensor scalar_of(OxRun *r, wf_tensor t) { return wf_reshape(r->c, t, NULL, 0); }

/* ---- If ---------------------------------------------------------------------------------------- */

/* c ? a : b of sizes that differ along one axis: both, one behind the other, and of those the half that c says. */
static wf_tensor joined(OxRun *r, wf_tensor c, wf_tensor a, wf_tensor b)
{
    wf_ctx *cx = r->c;
    int rank = ox_ok(r) ? wf_rank(cx, a) : 0, axis = -1;
    wf_tensor is[2], at;

    if (!ox_ok(r) || rank != wf_rank(cx, b) || wf_dtype_of(cx, a) != wf_dtype_of(cx, b))
        return ox_ok(r) ? (ox_fail(r, WF_ERR_SHAPE, "branches whose results differ in rank or type"), WF_NONE) : WF_NONE;
    for (int i = 0; i < rank; i++)
        if (!wf_size_equal(cx, wf_size(cx, a, i), wf_size(cx, b, i))) {
            if (axis >= 0)
                return ox_fail(r, WF_ERR_SHAPE, "branches whose results differ in more than one size"), WF_NONE;
            axis = i;
        }
    if (axis < 0)
        return wf_where(cx, c, a, b);
    is[0] = wf_broadcast_to(cx, c, (int64_t[]){wf_size(cx, a, axis)}, 1);
    is[1] = wf_broadcast_to(cx, wf_logical_not(cx, c), (int64_t[]){wf_size(cx, b, axis)}, 1);
    at = wf_index_get(cx, wf_nonzero(cx, wf_concat(cx, is, 2, 0)), (wf_index[]){wf_at_all(), wf_at_int(0)}, 2);
    return wf_take(cx, wf_concat(cx, (wf_tensor[]){a, b}, 2, axis), at, axis);
}

/* Sizes that a branch finds out are known only inside it: then both are computed, and one is taken. */
static bool both_branches(OxRun *r, OxGraph *then, OxGraph *other, size_t n, OxValue *out)
{
    OxValue *more = ox_alloc(&r->mem, other->out.n + 1, sizeof *more);
    wf_tensor c = scalar_of(r, ox_in(r, 0));

    if (!more || !ox_run_body(r, then, r->env, NULL, 0, out) || !ox_run_body(r, other, r->env, NULL, 0, more))
        return false;
    for (size_t i = 0; i < n; i++) {
        wf_tensor tensor_of = ox_tensor_of(r, &more[i]);

        ox_put(r, i, joined(r, c, ox_tensor_of(r, &out[i]), tensor_of));
    }
    return ox_ok(r);
}

OX_RULE(if)
{
    OxGraph *then = graph_attr(r, "then_branch"), *other = graph_attr(r, "else_branch");
    size_t n = r->node->out.n;
    OxValue *out = ox_alloc(&r->mem, n + (then ? then->out.n : 0) + (other ? other->out.n : 0) + 1, sizeof *out);
    wf_tensor known = WF_NONE, *t = ox_alloc(&r->mem, n + 1, sizeof *t);

    (void)op;
    if (!then || !other || !out || !t)
        return false;
    if (then->out.n < n || other->out.n < n)
        return ox_fail(r, WF_ERR_FORMAT, "branches with fewer results than the node has");
    if (ox_concrete(r, ox_value(r, 0), &known)) {
        if (!ox_run_body(r, wf_item(r->c, known) != 0 ? then : other, r->env, NULL, 0, out))
            return false;
        for (size_t i = 0; i < n; i++)
            ox_put_value(r, i, out[i]);
        return ox_ok(r);
    }
    OxBody bodies[] = {{.r = r, .graph = other, .outer = r->env, .nout = (int)n},
                     {.r = r, .graph = then, .outer = r->env, .nout = (int)n}};
    wf_function branches[] = {WF_FUNCTION(call_body, &bodies[0], 0, (int)n, "else"), WF_FUNCTION(call_body, &bodies[1], 0, (int)n, "then")};
    const OxNode *node = r->node;
    int number = r->number;

    if (wf_cond_call(r->c, scalar_of(r, ox_in(r, 0)), branches, 2, NULL, 0, t, (int)n) == WF_ERR_SHAPE) {
        wf_clear(r->c);
        r->node = node; /* an error leaves the node that it is of */
        r->number = number;
        return both_branches(r, then, other, n, out);
    }
    for (size_t i = 0; i < n; i++)
        ox_put(r, i, t[i]);
    return ox_ok(r);
}

/* ---- Loop ---------------------------------------------------------------------------------------- */

/* Is the condition that the body gives always true? That it got, or a constant. */
static bool goes_on(OxRun *r, const OxGraph *g)
{
    const char *out = g->out.n && g->out.v[0]->name ? g->out.v[0]->name : "";

    for (int depth = 0; depth < 4; depth++) {
        const OxNode *from = NULL;

        if (g->in.n > 1 && g->in.v[1]->name && strcmp(out, g->in.v[1]->name) == 0)
            return true;
        for (size_t i = 0; i < g->init.n; i++)
            if (g->init.v[i]->name && strcmp(out, g->init.v[i]->name) == 0)
                return (g->init.v[i]->raw.size == 1 && g->init.v[i]->raw.data[0]) ||
                       (g->init.v[i]->ints32.n == 1 && g->init.v[i]->ints32.v[0]);
        for (size_t i = 0; i < g->nodes.n; i++)
            for (size_t k = 0; k < g->nodes.v[i]->out.n; k++)
                if (strcmp(g->nodes.v[i]->out.v[k], out) == 0)
                    from = g->nodes.v[i];
        if (!from) { /* of the graph around it */
            const OxValue *v = *out ? ox_lookup(r, out) : NULL;
            wf_tensor known;

            return v && ox_concrete(r, v, &known) && wf_item(r->c, known) != 0;
        }
        if (!from->op)
            return false;
        if (strcmp(from->op, "Constant") == 0)
            return from->attrs.n == 1 && from->attrs.v[0]->t &&
                   ((from->attrs.v[0]->t->raw.size == 1 && from->attrs.v[0]->t->raw.data[0]) ||
                    (from->attrs.v[0]->t->ints32.n == 1 && from->attrs.v[0]->t->ints32.v[0]));
        if (strcmp(from->op, "Identity") != 0 || from->in.n != 1)
            return false;
        out = from->in.v[0];
    }
    return false;
}

typedef struct Turns { /* a loop being made turn by turn */
    OxGraph *g;
    OxValue *in, *out; /* iteration, condition, carries; condition, carries, rows */
    int ncarry, nrows;
    wf_tensor **rows; /* of each turn */
    int64_t n;
} Turns;

/* One turn; *on: shall there be another? *known: can it be said? */
static bool one_turn(OxRun *r, Turns *t, bool *on, bool *known)
{
    wf_tensor cond = WF_NONE;
    OxNum *i = ox_alloc(&r->mem, 1, sizeof *i);

    if (!i)
        return false;
    *i = ox_number(t->n);
    t->in[0] = (OxValue){.kind = OX_TENSOR, .nums = i, .nnums = 1, .num_elem = OX_INT64};
    if (!ox_run_body(r, t->g, r->env, t->in, 2 + (size_t)t->ncarry, t->out))
        return false;
    *known = ox_concrete(r, &t->out[0], &cond);
    *on = *known && wf_item(r->c, cond) != 0;
    if (!*known)
        return ox_ok(r);
    for (int k = 0; k < t->ncarry; k++)
        t->in[2 + k] = t->out[1 + k];
    t->in[1] = t->out[0];
    if (t->nrows) {
        if (!(t->rows[t->n] = ox_alloc(&r->mem, (size_t)t->nrows, sizeof **t->rows)))
            return false;
        for (int k = 0; k < t->nrows; k++)
            t->rows[t->n][k] = ox_tensor_of(r, &t->out[1 + t->ncarry + k]);
    }
    t->n++;
    return ox_ok(r);
}

static bool put_turns(OxRun *r, const Turns *t)
{
    wf_tensor *col = ox_alloc(&r->mem, (size_t)t->n + 1, sizeof *col);

    for (int k = 0; col && k < t->ncarry; k++)
        ox_put_value(r, (size_t)k, t->in[2 + k]);
    for (int k = 0; col && k < t->nrows; k++) {
        for (int64_t i = 0; i < t->n; i++)
            col[i] = t->rows[i][k];
        if (!t->n && ox_wants(r, (size_t)(t->ncarry + k)))
            return ox_fail(r, WF_ERR_UNSUPPORTED, "no turn is made, so that the type of result %d is not known",
                           t->ncarry + k);
        if (t->n)
            ox_put(r, (size_t)(t->ncarry + k), wf_stack(r->c, col, (int)t->n, 0));
    }
    return col && ox_ok(r);
}

/* Turn by turn. *done false without an error: the condition depends on inputs of the model. */
static bool unroll(OxRun *r, OxGraph *g, int ncarry, int64_t most, bool on, bool *done)
{
    Turns t = {.g = g, .ncarry = ncarry, .nrows = (int)g->out.n - 1 - ncarry};
    bool known = true;

    *done = false;
    t.in = ox_alloc(&r->mem, (size_t)ncarry + 2, sizeof *t.in);
    t.out = ox_alloc(&r->mem, g->out.n + 1, sizeof *t.out);
    t.rows = ox_alloc(&r->mem, (size_t)MIN(most, MOST_TURNS) + 1, sizeof *t.rows);
    if (!t.in || !t.out || !t.rows)
        return false;
    t.in[1] = (OxValue){.kind = OX_TENSOR, .t = wf_scalar(r->c, WF_BOOL, 1)};
    for (int k = 0; k < ncarry; k++)
        t.in[2 + k] = *ox_value(r, 2 + (size_t)k);
    while (on && t.n < most) {
        if (t.n == MOST_TURNS)
            return ox_fail(r, WF_ERR_LIMIT, "more than %d turns", MOST_TURNS);
        if (!one_turn(r, &t, &on, &known))
            return false;
        if (!known)
            return t.n ? ox_fail(r, WF_ERR_UNSUPPORTED, "the condition is known in some turns only") : true;
    }
    *done = true;
    return put_turns(r, &t);
}

static wf_status loop_cond(wf_ctx *c, void *user, const wf_tensor *in, int nin, wf_tensor *out, int nout)
{
    const OxBody *b = user;

    (void)nin, (void)nout;
    out[0] = wf_is_none(b->most) ? in[1] : wf_logical_and(c, in[1], wf_lt(c, in[0], b->most));
    return wf_ctx_status(c);
}

/* i, cond, carries, rows so far: the same after one more turn. Counted (no rows): i, carries -> i, carries, rows. */
static wf_status loop_turn(wf_ctx *c, void *user, const wf_tensor *in, int nin, wf_tensor *out, int nout)
{
    OxBody *b = user;
    int rows = b->nout - 1 - b->ncarry;
    wf_tensor *results = ox_alloc(&b->r->mem, (size_t)b->nout + 1, sizeof *results);
    OxBody turn = *b;

    (void)nin, (void)nout;
    turn.nout = b->nout;
    turn.ncarry = b->ncarry + 2;
    if (!results || call_body(c, &turn, in, turn.ncarry, results, turn.nout) != WF_OK)
        return gave_up(c);
    out[0] = wf_add(c, in[0], wf_scalar(c, WF_I64, 1));
    out[1] = scalar_of(b->r, results[0]);
    for (int k = 0; k < b->ncarry; k++)
        out[2 + k] = results[1 + k];
    for (int k = 0; k < rows; k++)
        out[2 + b->ncarry + k] = wf_index_set(c, in[2 + b->ncarry + k], (wf_index[]){wf_at_tensor(in[0])}, 1,
                                              results[1 + b->ncarry + k]);
    return wf_ctx_status(c);
}

static wf_status counted_turn(wf_ctx *c, void *user, const wf_tensor *in, int nin, wf_tensor *out, int nout)
{
    OxBody *b = user;
    wf_tensor *args = ox_alloc(&b->r->mem, (size_t)b->ncarry + 2, sizeof *args);
    wf_tensor *results = ox_alloc(&b->r->mem, (size_t)b->nout + 1, sizeof *results);
    OxBody turn = *b;

    (void)nin, (void)nout;
    if (!args || !results)
        return gave_up(c);
    args[0] = in[0];
    args[1] = wf_scalar(c, WF_BOOL, 1);
    for (int k = 0; k < b->ncarry; k++)
        args[2 + k] = in[1 + k];
    turn.ncarry = b->ncarry + 2;
    if (call_body(c, &turn, args, turn.ncarry, results, turn.nout) != WF_OK)
        return gave_up(c);
    out[0] = wf_add(c, in[0], wf_scalar(c, WF_I64, 1));
    for (int k = 1; k < b->nout; k++)
        out[k] = results[k];
    return wf_ctx_status(c);
}

/* ---- lists: carries that a turn only makes longer ---- */

static size_t uses_of(OxNode *const *v, size_t n, const char *name, int depth)
{
    size_t uses = 0;

    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < v[i]->in.n; k++)
            uses += v[i]->in.v[k] && strcmp(v[i]->in.v[k], name) == 0;
        for (size_t k = 0; k < v[i]->attrs.n; k++) {
            const OxGraph *g = v[i]->attrs.v[k]->g;

            for (size_t o = 0; g && o < g->out.n; o++)
                uses += g->out.v[o]->name && strcmp(g->out.v[o]->name, name) == 0;
            uses += !g ? 0 : depth < 32 ? uses_of(g->nodes.v, g->nodes.n, name, depth + 1) : 2;
        }
    }
    return uses;
}

static size_t outputs_of(const OxGraph *g, const char *name)
{
    size_t n = 0;

    for (size_t i = 0; i < g->out.n; i++)
        n += g->out.v[i]->name && strcmp(g->out.v[i]->name, name) == 0;
    return n;
}

static size_t maker_of(const OxGraph *g, const char *name)
{
    for (size_t i = 0; i < g->nodes.n; i++)
        for (size_t k = 0; k < g->nodes.v[i]->out.n; k++)
            if (strcmp(g->nodes.v[i]->out.v[k], name) == 0)
                return i;
    return SIZE_MAX;
}

static bool read_once(const OxGraph *g, const char *name)
{
    return uses_of(g->nodes.v, g->nodes.n, name, 0) == 1 && !outputs_of(g, name);
}

/* The place of the node out = Concat(in, t) along axis 0, where nothing else in the body reads in or out; SIZE_MAX: none. A cast of in
 * is one to the type it has, as out has that. */
static size_t appends(const OxGraph *g, const char *in, const char *out)
{
    size_t i = in && out && outputs_of(g, out) == 1 && !uses_of(g->nodes.v, g->nodes.n, out, 0) ? maker_of(g, out) : SIZE_MAX, cast;
    const OxNode *n = i != SIZE_MAX ? g->nodes.v[i] : NULL, *from;

    if (!n || !n->op || strcmp(n->op, "Concat") != 0 || n->in.n != 2 || n->attrs.n != 1 || !n->attrs.v[0]->name ||
        strcmp(n->attrs.v[0]->name, "axis") != 0 || n->attrs.v[0]->i != 0 || !read_once(g, n->in.v[0]) || !read_once(g, in))
        return SIZE_MAX;
    if (strcmp(n->in.v[0], in) == 0)
        return i;
    if ((cast = maker_of(g, n->in.v[0])) == SIZE_MAX)
        return SIZE_MAX;
    from = g->nodes.v[cast];
    return from->op && (strcmp(from->op, "Cast") == 0 || strcmp(from->op, "Identity") == 0) && from->in.n == 1 &&
                   strcmp(from->in.v[0], in) == 0
               ? i
               : SIZE_MAX;
}

/* Lists among the carries become rows, so that the others keep their sizes: the body's graph without them. */
static bool lists_as_rows(OxRun *r, OxBody *b, wf_tensor *carry)
{
    OxGraph *old = b->graph, *g = ox_alloc(&r->mem, 1, sizeof *g);
    size_t nrows = old->out.n - 1 - (size_t)b->ncarry, nout = 1, nnodes = 0, ncarry = 0, lists = 0;
    OxInfo *row = ox_alloc(&r->mem, (size_t)b->ncarry + 1, sizeof *row);
    size_t *at = ox_alloc(&r->mem, (size_t)b->ncarry + 1, sizeof *at);
    int *place = ox_alloc(&r->mem, old->out.n + 1, sizeof *place);
    wf_tensor *first = ox_alloc(&r->mem, (size_t)b->ncarry + 1, sizeof *first);

    if (!g || !row || !at || !place || !first)
        return false;
    *g = *old;
    g->in.v = ox_alloc(&r->mem, old->in.n + 1, sizeof *g->in.v);
    g->out.v = ox_alloc(&r->mem, old->out.n + 1, sizeof *g->out.v);
    g->nodes.v = ox_alloc(&r->mem, old->nodes.n + 1, sizeof *g->nodes.v);
    if (!g->in.v || !g->out.v || !g->nodes.v)
        return false;
    g->in.v[0] = old->in.v[0], g->in.v[1] = old->in.v[1], g->out.v[0] = old->out.v[0];
    for (int k = 0; k < b->ncarry; k++) {
        if ((at[k] = appends(old, old->in.v[2 + k]->name, old->out.v[1 + k]->name)) != SIZE_MAX) {
            first[lists++] = carry[k];
            continue;
        }
        carry[ncarry] = carry[k];
        g->in.v[2 + ncarry] = old->in.v[2 + k];
        place[ncarry++] = k;
        g->out.v[nout++] = old->out.v[1 + k];
    }
    if (!lists)
        return true;
    for (size_t k = 0; k < nrows; k++) {
        place[nout - 1] = b->ncarry + (int)k;
        g->out.v[nout++] = old->out.v[1 + (size_t)b->ncarry + k];
    }
    for (int k = 0; k < b->ncarry; k++)
        if (at[k] != SIZE_MAX) {
            row[k] = *old->out.v[1 + k];
            row[k].name = old->nodes.v[at[k]]->in.v[1];
            place[nout - 1] = k;
            g->out.v[nout++] = &row[k];
        }
    for (size_t i = 0; i < old->nodes.n; i++) {
        bool kept = old->nodes.v[i]->out.n > 0;

        for (int k = 0; k < b->ncarry && kept; k++)
            kept = kept && (at[k] == SIZE_MAX || (at[k] != i && strcmp(old->nodes.v[at[k]]->in.v[0], old->nodes.v[i]->out.v[0]) != 0));
        if (kept)
            g->nodes.v[nnodes++] = old->nodes.v[i];
    }
    g->nodes.n = nnodes;
    g->in.n = 2 + ncarry;
    b->graph = g, b->ncarry = (int)ncarry, b->place = place, b->lists = first, b->nlists = (int)lists;
    return true;
}

/* Carry or row k of a loop as a result of the node; rows of a list [n,m,..] stand behind what it was at first. */
static bool put_result(OxRun *r, const OxBody *b, int k, wf_tensor t)
{
    int list = k - (b->nout - 1 - b->nlists), n = ox_ok(r) ? wf_rank(r->c, t) : 0;
    int64_t dims[WF_MAX_RANK];

    if (list >= 0 && n > 1) {
        wf_tensor all[2] = {b->lists[list], WF_NONE};

        wf_shape(r->c, t, dims, n);
        dims[1] = wf_size_mul(r->c, dims[0], dims[1]);
        all[1] = wf_reshape(r->c, t, dims + 1, n - 1);
        ox_agree(r, all, 2, n - 1);
        t = wf_concat(r->c, all, 2, 0);
    }
    return ox_put(r, (size_t)(b->place ? b->place[k] : k), t);
}

/* As many turns as said: a scan. */
static bool loop_counted(OxRun *r, OxBody *b, const wf_tensor *carry, OxNum most)
{
    wf_function turn = WF_FUNCTION(counted_turn, b, b->ncarry + 1, b->nout, "turn");
    wf_tensor *in = ox_alloc(&r->mem, (size_t)b->ncarry + 1, sizeof *in);
    wf_tensor *out = ox_alloc(&r->mem, (size_t)b->nout + 1, sizeof *out);

    if (!in || !out)
        return false;
    in[0] = wf_scalar(r->c, WF_I64, 0);
    for (int k = 0; k < b->ncarry; k++)
        in[1 + k] = carry[k];
    wf_scan_call(r->c, &turn, b->ncarry + 1, in, turn.inputs, ox_size(r, most), false, out, b->nout);
    for (int k = 1; k < b->nout; k++)
        put_result(r, b, k - 1, out[k]);
    return ox_ok(r);
}

/* Until the condition says no; rows go into memory for as many turns as there may be. */
static bool loop_while(OxRun *r, OxBody *b, const wf_tensor *carry, const OxNum *most, wf_tensor cond)
{
    wf_ctx *c = r->c;
    int rows = b->nout - 1 - b->ncarry, n = 2 + b->ncarry + rows;
    wf_tensor *in = ox_alloc(&r->mem, (size_t)n + 1, sizeof *in), *out = ox_alloc(&r->mem, (size_t)n + 1, sizeof *out);
    wf_tensor *probe = ox_alloc(&r->mem, (size_t)b->nout + 1, sizeof *probe);
    wf_function once = WF_FUNCTION(counted_turn, b, b->ncarry + 1, b->nout, "turn");
    int64_t dims[WF_MAX_RANK], size;

    if (!in || !out || !probe)
        return false;
    b->most = most ? ox_num_tensor(r, *most) : WF_NONE;
    in[0] = wf_scalar(c, WF_I64, 0);
    for (int k = 0; k < b->ncarry; k++)
        in[1 + k] = carry[k];
    if (rows) { /* a turn that nobody reads, for the types of the rows */
        if (!most)
            return ox_fail(r, WF_ERR_UNSUPPORTED, "rows of a loop whose number of turns has no bound");
        wf_scan_call(c, &once, b->ncarry + 1, in, once.inputs, 1, false, probe, b->nout);
        size = ox_size(r, *most);
        for (int k = 0; k < rows && ox_ok(r); k++) {
            wf_tensor row = probe[1 + b->ncarry + k];
            wf_shape(c, row, dims, wf_rank(c, row));
            dims[0] = size;
            in[2 + b->ncarry + k] = wf_broadcast_to(c, ox_like(r, 0, row), dims, wf_rank(c, row));
        }
    }
    for (int k = 0; k < b->ncarry; k++)
        in[2 + k] = carry[k];
    in[1] = cond;
    wf_while_call(c, &(wf_function)WF_FUNCTION(loop_cond, b, n, 1, "more"), &(wf_function)WF_FUNCTION(loop_turn, b, n, n, "turn"), in, n,
                  WF_UNBOUNDED, out, n);
    for (int k = 0; k < b->ncarry && ox_ok(r); k++)
        put_result(r, b, k, out[2 + k]);
    for (int k = 0; k < rows && ox_ok(r); k++)
        put_result(r, b, b->ncarry + k, wf_take(c, out[2 + b->ncarry + k], ox_iota(r, wf_size_from(c, out[0])), 0));
    return ox_ok(r);
}

OX_RULE(loop)
{
    OxGraph *g = graph_attr(r, "body");
    size_t nin = ox_nin(r);
    int ncarry = nin > 2 ? (int)nin - 2 : 0, n;
    wf_tensor first = WF_NONE, *carry = ox_alloc(&r->mem, (size_t)ncarry + 1, sizeof *carry);
    const OxNum *most = ox_has(r, 0) ? ox_nums(r, 0, &n) : NULL;
    bool cond_known = !ox_has(r, 1) || ox_concrete(r, ox_value(r, 1), &first), on = true, plain = true, concrete = true, done;
    int64_t turns = INT64_MAX;

    (void)op;
    if (!g || !carry || !ox_ok(r))
        return false;
    if (g->out.n < (size_t)ncarry + 1 || g->in.n < (size_t)ncarry + 2)
        return ox_fail(r, WF_ERR_FORMAT, "a body that does not fit its loop");
    for (int k = 0; k < ncarry; k++) {
        const OxValue *v = ox_value(r, 2 + (size_t)k);
        wf_tensor t;

        plain = plain && v->kind == OX_TENSOR && !v->narrow;
        concrete = concrete && ox_concrete(r, v, &t) && !v->state;
    }
    on = !ox_has(r, 1) || !cond_known || wf_item(r->c, first) != 0;
    if (cond_known && (!most || ox_is_number(most[0], &turns)) && ox_ok(r) &&
        (!plain || !on || concrete || turns <= FEW_TURNS)) {
        if (!unroll(r, g, ncarry, turns, on, &done) || done)
            return ox_ok(r);
    }
    if (!plain)
        return ox_fail(r, WF_ERR_UNSUPPORTED, "sequences are carried, and the turns are known only when it runs");
    for (int k = 0; k < ncarry; k++)
        carry[k] = ox_in(r, 2 + (size_t)k);
    OxBody b = {.r = r, .graph = g, .outer = r->env, .nout = (int)g->out.n, .ncarry = ncarry};
    if (!lists_as_rows(r, &b, carry))
        return false;
    if (most && cond_known && on && goes_on(r, g))
        return loop_counted(r, &b, carry, most[0]);
    return loop_while(r, &b, carry, most, ox_has(r, 1) ? scalar_of(r, ox_in(r, 1)) : wf_scalar(r->c, WF_BOOL, 1));
}

/* ---- Scan ------------------------------------------------------------------------------------------ */

static int64_t at_or(const int64_t *v, int n, int i, int64_t otherwise) { return v && i < n ? v[i] : otherwise; }

typedef struct ScanCall {
    OxBody body;
    int ncarry, nxs, nout;
} ScanCall;

/* Axis 0 of each x is that of the turns; x as the node has them otherwise. */
static wf_status scan_all(wf_ctx *c, void *user, const wf_tensor *in, int nin, wf_tensor *out, int nout)
{
    ScanCall *s = user;
    OxRun *r = s->body.r;
    int na, nd, no, nf, base = ox_opset(r) < 9 ? -1 : 0; /* version 8 had no axes */
    const int64_t *axes = ox_ints(r, "scan_input_axes", &na);
    const int64_t *ways = ox_ints(r, base ? "directions" : "scan_input_directions", &nd);
    const int64_t *out_axes = ox_ints(r, "scan_output_axes", &no);
    const int64_t *out_ways = ox_ints(r, "scan_output_directions", &nf);
    wf_tensor *args = ox_alloc(&r->mem, (size_t)(s->ncarry + s->nxs) + 1, sizeof *args);
    wf_function step = WF_FUNCTION(call_body, &s->body, s->ncarry + s->nxs, s->nout, "step");

    (void)nin;
    if (!args)
        return gave_up(c);
    for (int i = 0; i < s->ncarry + s->nxs; i++) {
        int k = i - s->ncarry, zero = 0;
        args[i] = in[i];
        if (k < 0)
            continue;
        int axis = ox_axis(r, at_or(axes, na, k, 0), wf_rank(c, in[i]));
        if (axis < 0)
            return gave_up(c);
        args[i] = wf_move_axis(c, args[i], axis, 0);
        if (at_or(ways, nd, k, 0))
            args[i] = wf_flip(c, args[i], &zero, 1);
    }
    wf_scan_call(c, &step, s->ncarry, args, step.inputs, s->nxs ? WF_UNBOUNDED : 0, false, out, nout);
    for (int i = s->ncarry; i < s->nout && ox_ok(r); i++) {
        int k = i - s->ncarry, zero = 0, axis = ox_axis(r, at_or(out_axes, no, k, 0), wf_rank(c, out[i]));
        if (axis < 0)
            return gave_up(c);
        if (at_or(out_ways, nf, k, 0))
            out[i] = wf_flip(c, out[i], &zero, 1);
        out[i] = wf_move_axis(c, out[i], 0, axis);
    }
    return ox_ok(r) ? WF_OK : gave_up(c);
}

OX_RULE(scan)
{
    OxGraph *g = graph_attr(r, "body");
    int64_t nxs = ox_int(r, "num_scan_inputs", 0);
    bool old = ox_opset(r) < 9;
    size_t from = old, n = ox_nin(r) < from ? 0 : ox_nin(r) - from;
    wf_tensor *in = ox_alloc(&r->mem, n + 1, sizeof *in);
    int *axes = ox_alloc(&r->mem, n + 1, sizeof *axes);
    wf_tensor *out = ox_alloc(&r->mem, g ? g->out.n + 1 : 1, sizeof *out);

    (void)op;
    if (!g || !in || !out || !axes)
        return false;
    if (nxs < 0 || (size_t)nxs > n || g->in.n != n || g->out.n != r->node->out.n || g->out.n < n - (size_t)nxs)
        return ox_fail(r, WF_ERR_FORMAT, "a body that does not fit its scan");
    for (size_t i = 0; i < n; i++)
        in[i] = ox_in(r, from + i);
    if (old && ox_has(r, 0))
        return ox_fail(r, WF_ERR_UNSUPPORTED, "sequences of several lengths");
    ScanCall s = {.ncarry = (int)n - (int)nxs, .nxs = (int)nxs, .nout = (int)g->out.n};
    s.body = (OxBody){.r = r, .graph = g, .outer = r->env, .nout = s.nout, .ncarry = (int)n};
    if (old)
        wf_vmap_call(r->c, &(wf_function)WF_FUNCTION(scan_all, &s, (int)n, s.nout, "scan"), in, axes, (int)n, NULL, NULL, out, s.nout);
    else
        scan_all(r->c, &s, in, (int)n, out, s.nout);
    for (size_t i = 0; i < g->out.n; i++)
        ox_put(r, i, out[i]);
    return ox_ok(r);
}

/* ---- sequences --------------------------------------------------------------------------------------- */

enum { CONCAT, AT, CONSTRUCT, EMPTY, ERASE, INSERT, LENGTH, SPLIT };

static bool sequence_in(OxRun *r, size_t i, const OxValue **out)
{
    *out = ox_value(r, i);
    return (*out)->kind == OX_SEQUENCE || ox_fail(r, WF_ERR_TYPE, "input %zu is not a sequence", i);
}

static bool place_in(OxRun *r, size_t i, int n, int otherwise, int *out)
{
    int64_t v = otherwise;
    int count;

    if (ox_has(r, i) && !ox_numbers(r, i, &v, 1, &count))
        return false;
    v = v < 0 ? v + n : v;
    *out = (int)v;
    return (v >= 0 && v <= n) || ox_fail(r, WF_ERR_INDEX, "place %lld of a sequence of %d", (long long)v, n);
}

static bool concat_sequence(OxRun *r)
{
    const OxValue *s;
    wf_tensor *t;
    bool new_axis = ox_int(r, "new_axis", 0) != 0;
    int axis;

    if (!sequence_in(r, 0, &s) || !(t = ox_alloc(&r->mem, (size_t)s->nitems + 1, sizeof *t)))
        return false;
    if (!s->nitems)
        return ox_fail(r, WF_ERR_VALUE, "an empty sequence");
    for (int i = 0; i < s->nitems; i++)
        t[i] = ox_tensor_of(r, &s->items[i]);
    if (!ox_ok(r) || (axis = ox_axis(r, ox_int(r, "axis", 0), wf_rank(r->c, t[0]) + new_axis)) < 0)
        return false;
    return ox_put(r, 0, new_axis ? wf_stack(r->c, t, s->nitems, axis) : wf_concat(r->c, t, s->nitems, axis));
}

static bool split_sequence(OxRun *r)
{
    wf_tensor x = ox_in(r, 0), *parts;
    int axis = ox_ok(r) ? ox_axis(r, ox_int(r, "axis", 0), wf_rank(r->c, x)) : -1, n = 0;
    int64_t size, *sizes;
    const OxNum *given = ox_has(r, 1) ? ox_nums(r, 1, &n) : NULL;
    bool scalar = ox_has(r, 1) && !ox_value(r, 1)->num_rank && wf_rank(r->c, ox_in(r, 1)) == 0,
         keep = ox_has(r, 1) || ox_int(r, "keepdims", 1) != 0;
    OxValue *items;

    if (axis < 0 || !ox_ok(r))
        return false;
    size = wf_size(r->c, x, axis);
    if (!given || scalar) {
        int64_t part = 1;
        if (size < 0 || size > OX_MAX || (given && (!ox_is_number(given[0], &part) || part < 1)))
            return ox_fail(r, WF_ERR_UNSUPPORTED, "a sequence of unknown length");
        n = (int)((size + part - 1) / part);
        if (!(sizes = ox_alloc(&r->mem, (size_t)n + 1, sizeof *sizes)))
            return false;
        for (int i = 0; i < n; i++)
            sizes[i] = MIN(part, size - i * part);
    } else {
        if (!(sizes = ox_alloc(&r->mem, (size_t)n + 1, sizeof *sizes)))
            return false;
        for (int i = 0; i < n; i++)
            sizes[i] = ox_size(r, given[i]);
    }
    parts = ox_alloc(&r->mem, (size_t)n + 1, sizeof *parts);
    items = ox_alloc(&r->mem, (size_t)n + 1, sizeof *items);
    if (!parts || !items || wf_split_sizes(r->c, x, sizes, n, axis, parts))
        return false;
    for (int i = 0; i < n; i++)
        items[i] = (OxValue){.kind = OX_TENSOR, .t = keep ? parts[i] : wf_squeeze(r->c, parts[i], &axis, 1)};
    return ox_put_value(r, 0, (OxValue){.kind = OX_SEQUENCE, .items = items, .nitems = n});
}

static bool change_sequence(OxRun *r, int kind)
{
    const OxValue *s;
    OxValue *items;
    int at, n = 0, insert = kind == INSERT;

    if (!sequence_in(r, 0, &s) || !place_in(r, insert ? 2 : 1, s->nitems, insert ? s->nitems : s->nitems - 1, &at))
        return false;
    if (at == s->nitems && !insert)
        return ox_fail(r, WF_ERR_INDEX, "place %d of a sequence of %d", at, s->nitems);
    if (!(items = ox_alloc(&r->mem, (size_t)s->nitems + 1, sizeof *items)))
        return false;
    for (int i = 0; i <= s->nitems; i++) {
        if (insert && i == at)
            items[n++] = *ox_value(r, 1);
        if (i < s->nitems && (insert || i != at))
            items[n++] = s->items[i];
    }
    return ox_put_value(r, 0, (OxValue){.kind = OX_SEQUENCE, .items = items, .nitems = n});
}

OX_RULE(sequence)
{
    size_t n = ox_nin(r);
    const OxValue *s;
    OxValue *items;
    OxNum *length;
    int at;

    switch (op->arg) {
    case CONCAT: return concat_sequence(r);
    case SPLIT: return split_sequence(r);
    case AT:
        if (!sequence_in(r, 0, &s) || !place_in(r, 1, s->nitems, 0, &at))
            return false;
        return at < s->nitems ? ox_put_value(r, 0, s->items[at]) : ox_fail(r, WF_ERR_INDEX, "a place behind the end");
    case LENGTH:
        if (!sequence_in(r, 0, &s) || !(length = ox_alloc(&r->mem, 1, sizeof *length)))
            return false;
        *length = ox_number(s->nitems);
        ox_set_nums(r, 0, length, 1, 0, OX_INT64);
        return ox_ok(r);
    case ERASE:
    case INSERT: return change_sequence(r, op->arg);
    default:
        items = ox_alloc(&r->mem, n + 1, sizeof *items);
        for (size_t i = 0; items && i < n; i++)
            items[i] = *ox_value(r, i);
        return items && ox_put_value(r, 0, (OxValue){.kind = OX_SEQUENCE, .items = items, .nitems = (int)n});
    }
}

OX_RULE(sequence_map)
{
    OxGraph *g = graph_attr(r, "body");
    size_t nin = ox_nin(r);
    const OxValue *s;
    OxValue *in = ox_alloc(&r->mem, nin + 1, sizeof *in), *out, *items;
    int n;

    (void)op;
    if (!g || !in || !sequence_in(r, 0, &s))
        return false;
    n = s->nitems;
    out = ox_alloc(&r->mem, g->out.n + 1, sizeof *out);
    items = ox_alloc(&r->mem, g->out.n * (size_t)n + 1, sizeof *items);
    for (int i = 0; out && items && i < n; i++) {
        for (size_t k = 0; k < nin; k++) {
            const OxValue *v = ox_value(r, k);
            if (v->kind == OX_SEQUENCE && i >= v->nitems)
                return ox_fail(r, WF_ERR_SHAPE, "sequences of %d and %d items", n, v->nitems);
            in[k] = v->kind == OX_SEQUENCE ? v->items[i] : *v;
        }
        if (!ox_run_body(r, g, r->env, in, nin, out))
            return false;
        for (size_t k = 0; k < g->out.n; k++)
            items[k * (size_t)n + (size_t)i] = out[k];
    }
    for (size_t k = 0; out && items && k < g->out.n; k++)
        ox_put_value(r, k, (OxValue){.kind = OX_SEQUENCE, .items = items + k * (size_t)n, .nitems = n});
    return out && items && ox_ok(r);
}

/* Optional, OptionalGetElement, OptionalHasElement */
OX_RULE(optional)
{
    OxValue v = *ox_value(r, 0);
    bool there = v.kind != OX_NOTHING;

    if (op->arg == 2)
        return ox_put(r, 0, wf_scalar(r->c, WF_BOOL, there));
    if (op->arg == 1 && !there)
        return ox_fail(r, WF_ERR_VALUE, "there is no element");
    v.optional = op->arg == 0;
    return ox_put_value(r, 0, v);
}
