/* ops_flow.c -- calls, branches, loops.
 *
 * A condition or a number of turns that is known is not part of the program, as in onnx/ops_flow.c. A loop that counts up to a
 * limit which stays the same is a scan, so that it has derivatives; any other is a while. What a turn gives back as it got it
 * (limits, weights, variables) is no carry: bodies see it as it is outside. Lists go through as a tensor and a length;
 * variables that a body assigns are further carries.
 */
#include "tensorflow/ops.h"

#define MOST_TURNS 4096 /* made one after the other */
#define FEW_TURNS  8    /* of a loop that could be one */

/* ---- functions ------------------------------------------------------------------------------------------------------ */

static OxGraph *function_attr(OxRun *r, const char *name)
{
    const TgAttr *a = tg_attr(r, name);

    if (!a || !a->func || !a->func->name)
        return ox_fail(r, WF_ERR_FORMAT, "there is no function %s", name), NULL;
    return tg_function_graph(r, a->func->name);
}

static OxValue *inputs_of(OxRun *r, size_t from, size_t *n)
{
    size_t all = r->node->in.n;
    OxValue *v = ox_alloc(&r->mem, all + 1, sizeof *v);

    *n = all > from ? all - from : 0;
    for (size_t i = from; v && i < all; i++)
        v[i - from] = *ox_value(r, i);
    return v;
}

TG_RULE(call)
{
    const TgAttr *a = tg_attr(r, "f");
    const TgNode *source = r->node->source;
    OxGraph *g =
        tg_function_graph(r, a && a->func && a->func->name ? a->func->name : source->op);
    size_t n;
    OxValue *in = g ? inputs_of(r, 0, &n) : NULL,
            *out = g ? ox_alloc(&r->mem, g->out.n + 1, sizeof *out) : NULL;

    (void)op;
    if (!in || !out || !ox_run_body(r, g, NULL, in, n, out))
        return false;
    for (size_t i = 0; i < g->out.n; i++)
        ox_put_value(r, i, out[i]);
    return ox_ok(r);
}

/* ---- variables that bodies assign --------------------------------------------------------------------------------------- */

static bool assigns(OxRun *r, const OxGraph *g, int depth)
{
    if (!g || depth > 20)
        return depth > 20;
    for (size_t i = 0; i < g->nodes.n; i++) {
        const OxNode *n = g->nodes.v[i];
        const TgNode *source = n->source;

        if (strncmp(n->op, "Assign", 6) == 0 || strstr(n->op, "Apply") ||
            strncmp(n->op, "ResourceScatter", 15) == 0)
            return true;
        for (size_t k = 0; k < n->attrs.n; k++)
            if (n->attrs.v[k]->g && assigns(r, n->attrs.v[k]->g, depth + 1))
                return true;
        for (size_t k = 0; source && k < source->attrs.n; k++) {
            const TgAttr *a = source->attrs.v[k]->value;

            if (a && a->func && a->func->name && tg_find_function(r, a->func->name) &&
                assigns(r, tg_function_graph(r, a->func->name), depth + 1))
                return true;
        }
    }
    return false;
}

typedef struct States { /* that go through a body */
    OxState **v;
    wf_tensor *kept;
    int n;
} States;

static bool find_states(OxRun *r, States *s, OxGraph *const *bodies, int n)
{
    bool any = false;

    *s = (States){0};
    for (int i = 0; i < n; i++)
        any = any || assigns(r, bodies[i], 0);
    if (!any || !ox_ok(r))
        return ox_ok(r);
    s->v = ox_alloc(&r->mem, (size_t)r->nstate + 1, sizeof *s->v);
    s->kept = ox_alloc(&r->mem, (size_t)r->nstate + 1, sizeof *s->kept);
    if (!s->v || !s->kept)
        return false;
    for (int i = 0; i < r->nstate; i++)
        if (r->state[i].place && *r->state[i].place == '^' && r->state[i].array)
            s->v[s->n++] = &r->state[i];
    return true;
}

static void enter_states(States *s, const wf_tensor *in)
{
    for (int i = 0; i < s->n; i++) {
        s->kept[i] = s->v[i]->update;
        s->v[i]->update = in[i];
    }
}

static void leave_states(States *s, wf_tensor *out)
{
    for (int i = 0; i < s->n; i++) {
        out[i] = s->v[i]->update;
        s->v[i]->update = s->kept[i];
    }
}

/* ---- values as tensors ----------------------------------------------------------------------------------------------------- */

/* One tensor, or two for a list; a value of another kind is none. */
static int parts_of(OxRun *r, const OxValue *v, wf_tensor *out)
{
    if (v->kind == OX_TENSOR || (v->kind == OX_RESOURCE && v->is_ref)) {
        out[0] = ox_tensor_of(r, v);
        return 1;
    }
    if (v->kind == OX_LIST) {
        out[0] = tg_list_tensor(r, v);
        out[1] = ox_num_tensor(r, tg_list_length(r, v));
        if (wf_is_none(out[0]) && ox_ok(r))
            ox_fail(r, WF_ERR_UNSUPPORTED,
                    "a list whose elements are not known goes through a loop or branch");
        return 2;
    }
    return 0;
}

static OxValue value_of(OxRun *r, const OxValue *like, const wf_tensor *in, int *used)
{
    if (like->kind == OX_LIST) {
        *used += 2;
        return tg_list_of(r, in[0], (OxNum){OX_DYNAMIC, 0, in[1]});
    }
    if (like->kind == OX_TENSOR || (like->kind == OX_RESOURCE && like->is_ref)) {
        *used += 1;
        return (OxValue){.kind = OX_TENSOR, .t = in[0]};
    }
    return *like;
}

static wf_status gave_up(wf_ctx *c)
{
    return wf_ctx_status(c) ? wf_ctx_status(c) : WF_ERR_VALUE;
}

/* ---- branches ----------------------------------------------------------------------------------------------------------------- */

typedef struct Branch {
    OxRun *r;
    OxGraph *graph;
    OxEnv *outer;
    const OxValue *in;
    size_t nin, nout;
    States *states;
    OxValue *form; /* of results, as the first branch that was traced gave them */
} Branch;

static wf_status branch_call(wf_ctx *c, void *user, const wf_tensor *in, int nin,
                             wf_tensor *out, int nout)
{
    Branch *b = user;
    OxRun *r = b->r;
    OxValue *results = ox_alloc(&r->mem, b->graph->out.n + 1, sizeof *results);
    wf_tensor *all =
        ox_alloc(&r->mem, 2 * b->nout + (size_t)b->states->n + 1, sizeof *all);
    bool ok;
    int n = 0;

    (void)nin, (void)out, (void)nout;
    if (!results || !all)
        return gave_up(c);
    enter_states(b->states, in);
    ok = ox_run_body(r, b->graph, b->outer, b->in, b->nin, results);
    for (size_t i = 0; ok && i < b->nout; i++)
        n += parts_of(r, &results[i], all + n);
    leave_states(b->states, all + n);
    if (!ok || !ox_ok(r))
        return gave_up(c);
    memcpy(b->form, results, b->nout * sizeof *results);
    return wf_give(c, all, n + b->states->n);
}

static bool run_branches(OxRun *r, wf_tensor index, OxGraph **graphs, int n, OxEnv *outer,
                         const OxValue *in, size_t nin)
{
    size_t nout = r->node->out.n;
    Branch *b = ox_alloc(&r->mem, (size_t)n, sizeof *b);
    wf_function *f = ox_alloc(&r->mem, (size_t)n, sizeof *f);
    OxValue *form = ox_alloc(&r->mem, nout + 1, sizeof *form);
    wf_tensor *state;
    const wf_tensor *given;
    States s;
    int count = 0, used = 0;

    if (!b || !f || !form || !find_states(r, &s, graphs, n) ||
        !(state = ox_alloc(&r->mem, (size_t)s.n + 1, sizeof *state)))
        return false;
    for (int i = 0; i < s.n; i++)
        state[i] = ox_state_value(r, s.v[i]);
    for (int i = 0; i < n; i++) {
        if (graphs[i]->out.n < nout)
            return ox_fail(r, WF_ERR_FORMAT,
                           "branches with fewer results than the node has");
        b[i] = (Branch){r, graphs[i], outer, in, nin, nout, &s, form};
        f[i] = (wf_function)WF_FUNCTION(branch_call, &b[i], s.n, WF_ANY, "branch");
    }
    if (wf_cond_call(r->c, index, f, n, state, s.n, NULL, 0))
        return false;
    given = wf_given(r->c, &count);
    for (size_t i = 0; i < nout && used < count; i++) {
        int before = used;
        ox_put_value(r, i, value_of(r, &form[i], given + before, &used));
    }
    for (int i = 0; i < s.n && used + i < count; i++)
        s.v[i]->update = given[used + i];
    return ox_ok(r);
}

static bool run_one(OxRun *r, OxGraph *g, OxEnv *outer, const OxValue *in, size_t nin)
{
    OxValue *out = ox_alloc(&r->mem, g->out.n + 1, sizeof *out);

    if (!out || !ox_run_body(r, g, outer, in, nin, out))
        return false;
    for (size_t i = 0; i < r->node->out.n && i < g->out.n; i++)
        ox_put_value(r, i, out[i]);
    return ox_ok(r);
}

/* arg 1: of the old kind, whose branches look things up around them */
TG_RULE(if)
{
    OxGraph *then = op->arg ? r->node->attrs.v[1]->g : function_attr(r, "then_branch");
    OxGraph *other = op->arg ? r->node->attrs.v[0]->g : function_attr(r, "else_branch");
    OxGraph *graphs[2] = {other, then};
    size_t n = 0;
    OxValue *in = inputs_of(r, 1, &n);
    wf_tensor known = WF_NONE, cond;

    if (!then || !other || !in)
        return false;
    if (ox_concrete(r, ox_value(r, 0), &known))
        return run_one(r, wf_item(r->c, known) != 0 ? then : other,
                       op->arg ? r->env : NULL, in, n);
    cond = ox_in(r, 0);
    if (ox_ok(r) && wf_dtype_of(r->c, cond) != WF_BOOL)
        cond = wf_ne(r->c, cond, ox_like(r, 0, cond));
    return ox_ok(r) && run_branches(r, wf_reshape(r->c, cond, NULL, 0), graphs, 2,
                                    op->arg ? r->env : NULL, in, n);
}

TG_RULE(case)
{
    const TgAttr *a = tg_attr(r, "branches");
    size_t n = 0, count = op->arg ? r->node->attrs.n : a && a->list ? a->list->func.n : 0;
    OxGraph **graphs = ox_alloc(&r->mem, count + 1, sizeof *graphs);
    OxValue *in = inputs_of(r, 1, &n);

    if (!graphs || !in || !count || count > 1024)
        return ox_ok(r) ? ox_fail(r, WF_ERR_FORMAT, "%zu branches", count) : false;
    for (size_t i = 0; i < count; i++)
        if (!(graphs[i] = op->arg ? r->node->attrs.v[i]->g
                                  : tg_function_graph(r, a->list->func.v[i]->name
                                                             ? a->list->func.v[i]->name
                                                             : "")))
            return false;
    /* an index out of range is the last branch; below 0, too */
    wf_tensor at = wf_cast(r->c, ox_in(r, 0), WF_I32),
              last = wf_scalar(r->c, WF_I32, (double)count - 1);
    at = wf_where(r->c, wf_lt(r->c, at, wf_scalar(r->c, WF_I32, 0)), last, at);
    return ox_ok(r) && run_branches(r, wf_reshape(r->c, at, NULL, 0), graphs, (int)count,
                                    op->arg ? r->env : NULL, in, n);
}

/* ---- loops: how many turns ------------------------------------------------------------------------------------------------------ */

typedef struct TgLoop {
    OxRun *r;
    OxGraph *cond, *body;
    OxEnv *outer;
    OxValue *v; /* as it begins */
    int n;
    bool *same; /* a turn gives it back as it got it */
    States states;
    int ncarry; /* tensors */
} TgLoop;

static const OxNode *maker(const OxGraph *g, const char *name)
{
    for (size_t i = 0; i < g->nodes.n; i++)
        for (size_t k = 0; k < g->nodes.v[i]->out.n; k++)
            if (strcmp(g->nodes.v[i]->out.v[k], name) == 0)
                return g->nodes.v[i];
    return NULL;
}

/* The name that a value is only passed on from. */
static const char *origin(const OxGraph *g, const char *name)
{
    for (int depth = 0; depth < 16; depth++) {
        const OxNode *n = maker(g, name);

        if (!n || (strcmp(n->op, "Identity") != 0 && strcmp(n->op, "LoopCond") != 0) ||
            n->in.n != 1)
            break;
        name = n->in.v[0];
    }
    return name;
}

static int input_number(const OxGraph *g, const char *name)
{
    for (size_t i = 0; i < g->in.n; i++)
        if (g->in.v[i]->name && strcmp(g->in.v[i]->name, name) == 0)
            return (int)i;
    return -1;
}

static bool is_one(const OxNode *n)
{
    const TgAttr *a =
        n && strcmp(n->op, "Const") == 0 ? tg_node_attr(n->source, "value") : NULL;
    const TgTensor *t = a ? a->tensor : NULL;
    int64_t v = 0;

    if (!t || (t->shape && t->shape->dims.n))
        return false;
    if (t->content.size == 4 || t->content.size == 8)
        memcpy(&v, t->content.data, t->content.size);
    else
        v = t->ints.n ? t->ints.v[0] : t->longs.n ? t->longs.v[0] : 0;
    return v == 1 && (tg_dtype(t->type) == WF_I32 || tg_dtype(t->type) == WF_I64);
}

/* Does a turn add 1 to carry i? */
static bool counts_up(const TgLoop *l, int i)
{
    const OxNode *n = maker(l->body, origin(l->body, l->body->out.v[i]->name));

    if (!n || (strcmp(n->op, "AddV2") != 0 && strcmp(n->op, "Add") != 0) || n->in.n != 2)
        return false;
    for (int k = 0; k < 2; k++)
        if (input_number(l->body, origin(l->body, n->in.v[k])) == i &&
            is_one(maker(l->body, origin(l->body, n->in.v[1 - k]))))
            return true;
    return false;
}

/* Turns that "a < b" allows, a counting up and b the same for ever. */
static bool turns_of(TgLoop *l, OxEnv *env, const char *cond, int depth, OxNum *out)
{
    OxRun *r = l->r;
    const OxNode *n = maker(l->cond, origin(l->cond, cond));
    const char *limit;
    const OxNum *a, *b;
    OxEnv *kept = r->env;
    OxNum x, y;
    int i, k, count;

    if (!n || n->in.n != 2 || depth > 4)
        return false;
    if (strcmp(n->op, "LogicalAnd") == 0) {
        if (!turns_of(l, env, n->in.v[0], depth + 1, &x) ||
            !turns_of(l, env, n->in.v[1], depth + 1, &y))
            return false;
        *out = x.kind == OX_NUMBER && x.v >= INT32_MAX - 1   ? y
               : y.kind == OX_NUMBER && y.v >= INT32_MAX - 1 ? x
               : x.kind != OX_DYNAMIC && y.kind != OX_DYNAMIC &&
                       wf_size_equal(r->c, x.v, y.v)
                   ? x
                   : ox_num_min(r, x, y);
        return ox_ok(r);
    }
    if (strcmp(n->op, "Less") != 0)
        return false;
    i = input_number(l->cond, origin(l->cond, n->in.v[0]));
    limit = origin(l->cond, n->in.v[1]);
    k = input_number(l->cond, limit);
    if (i < 0 || !counts_up(l, i) || (k >= 0 && !l->same[k]) ||
        (k < 0 && maker(l->cond, limit) &&
         strcmp(maker(l->cond, limit)->op, "Const") != 0))
        return false;
    if (l->v[i].kind != OX_TENSOR ||
        (!l->v[i].nums && wf_dtype_is_float(wf_dtype_of(r->c, l->v[i].t))))
        return false;
    r->env = env;
    const OxValue *lv = ox_lookup(r, limit);
    r->env = kept;
    if (!lv || !(a = ox_nums_of(r, &l->v[i], &count)) || !(b = ox_nums_of(r, lv, &count)))
        return false;
    *out = ox_num_sub(r, b[0], a[0]);
    if (out->kind == OX_NUMBER)
        out->v = MAX(0, out->v);
    else if (out->kind == OX_DYNAMIC)
        out->t = wf_maximum(r->c, out->t, wf_scalar(r->c, WF_I64, 0));
    return ox_ok(r);
}

/* The condition at first: its value, and how many turns it allows if that can be told. */
static bool look_at_cond(TgLoop *l, OxValue *first, OxNum *turns, bool *counted)
{
    OxRun *r = l->r;
    OxEnv *env = ox_env(r, l->cond, l->outer), *kept = r->env;
    const OxValue *v;

    if (!env)
        return false;
    for (int i = 0; i < l->n; i++)
        if (l->cond->in.v[i]->name && *l->cond->in.v[i]->name)
            *ox_name_value(env, l->cond->in.v[i]->name) = l->v[i];
    if (!ox_run_graph(r, env))
        return false;
    r->env = env;
    v = ox_lookup(r, l->cond->out.v[0]->name);
    r->env = kept;
    if (!v)
        return false;
    *first = *v;
    *counted = turns_of(l, env, l->cond->out.v[0]->name, 0, turns);
    return ox_ok(r);
}

/* ---- loops: turn by turn ----------------------------------------------------------------------------------------------------------- */

static bool put_all(TgLoop *l)
{
    for (int i = 0; i < l->n; i++)
        ox_put_value(l->r, (size_t)i, l->v[i]);
    return ox_ok(l->r);
}

/* known false: the condition can not be said any more; nothing was done then, if that is at first. */
static bool unroll(TgLoop *l, OxValue cond, bool *known)
{
    OxRun *r = l->r;
    OxValue *out = ox_alloc(&r->mem, l->body->out.n + 1, sizeof *out);
    wf_tensor t = WF_NONE;

    for (int turn = 0; out && turn <= MOST_TURNS; turn++) {
        if (!(*known = ox_concrete(r, &cond, &t)))
            return ox_ok(r) &&
                   (turn == 0 || ox_fail(r, WF_ERR_UNSUPPORTED,
                                         "the condition is known in some turns only"));
        if (wf_item(r->c, t) == 0)
            return put_all(l);
        if (!ox_run_body(r, l->body, l->outer, l->v, (size_t)l->n, out))
            return false;
        memcpy(l->v, out, (size_t)l->n * sizeof *out);
        if (!ox_run_body(r, l->cond, l->outer, l->v, (size_t)l->n, &cond))
            return false;
    }
    return out ? ox_fail(r, WF_ERR_LIMIT, "more than %d turns", MOST_TURNS) : false;
}

/* ---- loops: as part of the program --------------------------------------------------------------------------------------------------- */

/* Carries as values: those that change from in, the others as they are outside. */
static OxValue *values_in(TgLoop *l, const wf_tensor *in)
{
    OxValue *v = ox_alloc(&l->r->mem, (size_t)l->n + 1, sizeof *v);
    int used = 0;

    for (int i = 0; v && i < l->n; i++) {
        int before = used;
        v[i] = l->same[i] ? l->v[i] : value_of(l->r, &l->v[i], in + before, &used);
    }
    return v;
}

static wf_status turn_call(wf_ctx *c, void *user, const wf_tensor *in, int nin,
                           wf_tensor *out, int nout)
{
    TgLoop *l = user;
    OxRun *r = l->r;
    OxValue *v = values_in(l, in),
            *results = ox_alloc(&r->mem, l->body->out.n + 1, sizeof *results);
    wf_tensor *all =
        ox_alloc(&r->mem, 2 * (size_t)l->n + (size_t)l->states.n + 1, sizeof *all);
    bool ok;
    int n = 0;

    (void)nin;
    if (!v || !results || !all)
        return gave_up(c);
    enter_states(&l->states, in + l->ncarry - l->states.n);
    ok = ox_run_body(r, l->body, l->outer, v, (size_t)l->n, results);
    for (int i = 0; ok && i < l->n; i++)
        if (!l->same[i])
            n += parts_of(r, &results[i], all + n);
    leave_states(&l->states, all + n);
    n += l->states.n;
    if (!ok || !ox_ok(r))
        return gave_up(c);
    if (n != nout) {
        ox_fail(r, WF_ERR_UNSUPPORTED, "a turn changes what a value of the loop is");
        return gave_up(c);
    }
    for (int i = 0; i < n; i++)
        out[i] = wf_dtype_of(c, all[i]) == wf_dtype_of(c, in[i])
                     ? all[i]
                     : wf_cast(c, all[i], wf_dtype_of(c, in[i]));
    return wf_ctx_status(c);
}

static wf_status cond_call(wf_ctx *c, void *user, const wf_tensor *in, int nin,
                           wf_tensor *out, int nout)
{
    TgLoop *l = user;
    OxValue *v = values_in(l, in), result = {0};
    wf_tensor dummy[1];
    bool ok;

    (void)nin, (void)nout, (void)dummy;
    if (!v)
        return gave_up(c);
    enter_states(&l->states, in + l->ncarry - l->states.n);
    ok = ox_run_body(l->r, l->cond, l->outer, v, (size_t)l->n, &result);
    wf_tensor *left = ox_alloc(&l->r->mem, (size_t)l->states.n + 1, sizeof *left);
    if (left)
        leave_states(&l->states, left);
    if (!ok || !left)
        return gave_up(c);
    out[0] = wf_reshape(c, ox_tensor_of(l->r, &result), NULL, 0);
    return wf_ctx_status(c);
}

/* Lists of which nothing is known get room, by what a turn that nobody reads puts into them. */
static bool make_room(TgLoop *l, OxNum turns, bool counted)
{
    OxRun *r = l->r;
    OxValue *out = ox_alloc(&r->mem, l->body->out.n + 1, sizeof *out);
    bool any = false;

    for (int i = 0; i < l->n; i++)
        any = any || (!l->same[i] && l->v[i].kind == OX_LIST &&
                      (wf_is_none(l->v[i].t) || l->v[i].items));
    if (!any)
        return true;
    if (!out || !ox_run_body(r, l->body, l->outer, l->v, (size_t)l->n, out))
        return false;
    for (int i = 0; i < l->n && ox_ok(r); i++) {
        wf_tensor t;
        int64_t dims[WF_MAX_RANK];
        OxNum n = l->v[i].kind == OX_LIST ? tg_list_length(r, &l->v[i]) : ox_number(0);
        int grows = l->v[i].items && out[i].items ? out[i].nitems - l->v[i].nitems : 0;

        if (l->same[i] || l->v[i].kind != OX_LIST ||
            (!wf_is_none(l->v[i].t) && !l->v[i].items))
            continue;
        if (out[i].kind != OX_LIST || wf_is_none(t = tg_list_tensor(r, &out[i])))
            return ox_ok(r) ? ox_fail(r, WF_ERR_UNSUPPORTED,
                                      "a list that no turn puts anything into")
                            : false;
        if (grows > 0 && !counted)
            return ox_fail(r, WF_ERR_UNSUPPORTED,
                           "a list grows in a loop whose turns cannot be counted");
        OxNum room = n;
        for (int k = 0; k < grows; k++)
            room = ox_num_add(r, room, turns);
        wf_shape(r->c, t, dims, wf_rank(r->c, t));
        dims[0] = ox_size(r, room);
        wf_tensor zeros = tg_zeros(r, wf_dtype_of(r->c, t), dims, wf_rank(r->c, t));
        for (int k = 0; k < (l->v[i].items ? l->v[i].nitems : 0); k++)
            zeros = wf_index_set(r->c, zeros, (wf_index[]){wf_at_int(k)}, 1,
                                 ox_tensor_of(r, &l->v[i].items[k]));
        l->v[i] = tg_list_of(r, zeros, n);
    }
    return ox_ok(r);
}

static bool run_loop(TgLoop *l, OxNum turns, bool counted)
{
    OxRun *r = l->r;
    wf_tensor *in, *out;
    int n = 0, used = 0;

    if (!find_states(r, &l->states, (OxGraph *[]){l->cond, l->body}, 2) ||
        !make_room(l, turns, counted) ||
        !(in = ox_alloc(&r->mem, 2 * (size_t)l->n + (size_t)l->states.n + 1,
                        sizeof *in)) ||
        !(out =
              ox_alloc(&r->mem, 2 * (size_t)l->n + (size_t)l->states.n + 1, sizeof *out)))
        return false;
    for (int i = 0; i < l->n; i++)
        if (!l->same[i])
            n += parts_of(r, &l->v[i], in + n);
    for (int i = 0; i < l->states.n; i++)
        in[n++] = ox_state_value(r, l->states.v[i]);
    if (!ox_ok(r))
        return false;
    l->ncarry = n;
    wf_function turn = WF_FUNCTION(turn_call, l, n, n, "turn"),
                more = WF_FUNCTION(cond_call, l, n, 1, "more");
    if (counted)
        wf_scan_call(r->c, &turn, n, in, n, ox_size(r, turns), false, out, n);
    else
        wf_while_call(r->c, &more, &turn, in, n, WF_UNBOUNDED, out, n);
    if (!ox_ok(r))
        return false;
    for (int i = 0; i < l->n; i++) {
        int before = used;
        OxValue v = l->same[i] ? l->v[i] : value_of(r, &l->v[i], out + before, &used);

        if (v.kind == OX_LIST && !l->same[i] && counted) { /* as long as its room is */
            OxNum length = ox_num_size(wf_size(r->c, v.t, 0));
            v = tg_list_of(r, v.t, length);
        }
        ox_put_value(r, (size_t)i, v);
    }
    for (int i = 0; i < l->states.n; i++)
        l->states.v[i]->update = out[used + i];
    return ox_ok(r);
}

/* arg 1: of the old kind */
TG_RULE(while)
{
    TgLoop l = {.r = r, .outer = op->arg ? r->env : NULL};
    OxValue first;
    OxNum turns = ox_number(0);
    size_t n = 0;
    bool counted = false, known = false, few;
    int64_t number;

    l.cond = op->arg ? r->node->attrs.v[0]->g : function_attr(r, "cond");
    l.body = op->arg ? r->node->attrs.v[1]->g : function_attr(r, "body");
    l.v = inputs_of(r, 0, &n);
    l.n = (int)n;
    if (!l.cond || !l.body || !l.v ||
        !(l.same = ox_alloc(&r->mem, n + 1, sizeof *l.same)))
        return false;
    if (l.cond->in.n != n || l.body->in.n != n || l.body->out.n != n ||
        l.cond->out.n != 1)
        return ox_fail(r, WF_ERR_FORMAT, "a body that does not fit its loop");
    for (int i = 0; i < l.n; i++)
        l.same[i] = input_number(l.body, origin(l.body, l.body->out.v[i]->name)) == i ||
                    (l.v[i].kind == OX_RESOURCE && !l.v[i].is_ref) ||
                    l.v[i].kind == OX_STRINGS;
    if (!look_at_cond(&l, &first, &turns, &counted))
        return false;
    few = counted && ox_is_number(turns, &number) && number <= FEW_TURNS;
    if (!counted || few) {
        bool concrete = true;
        wf_tensor t;

        for (int i = 0; i < l.n; i++)
            concrete =
                concrete &&
                (l.same[i] || (l.v[i].kind == OX_TENSOR && ox_concrete(r, &l.v[i], &t)));
        if (few || concrete) {
            if (!unroll(&l, first, &known) || known)
                return ox_ok(r);
        }
    }
    return run_loop(&l, turns, counted);
}
