/* run.c -- graphs and functions, node by node. */
#include "onnx/onnx.h"

#define DEEPEST 40         /* functions and bodies inside one another */
#define MOST_NODES 4000000 /* run in one import: functions may use others many times */

/* ---- names -------------------------------------------------------------------------------- */

static uint32_t name_hash(const char *s)
{
    uint32_t h = 2166136261u;

    for (; *s; s++)
        h = (h ^ (unsigned char)*s) * 16777619u;
    return h;
}

static OxSlot *slot_of(const OxGraph *g, const char *name)
{
    uint32_t k = name_hash(name) & g->mask;

    while (g->slots[k].name && strcmp(g->slots[k].name, name) != 0)
        k = (k + 1) & g->mask;
    return &g->slots[k];
}

static void add_name(OxGraph *g, const char *name)
{
    OxSlot *s;

    if (!name || !*name)
        return;
    s = slot_of(g, name);
    if (!s->name)
        *s = (OxSlot){name, g->nnames++};
}

bool ox_names(OxRun *r, OxGraph *g)
{
    size_t n = g->in.n + g->init.n + g->sparse_init.n, room = 16;

    if (g->slots)
        return true;
    for (size_t i = 0; i < g->nodes.n; i++)
        n += g->nodes.v[i]->out.n;
    while (room < 2 * n)
        room *= 2;
    if (room > UINT32_MAX / 2)
        return ox_fail(r, WF_ERR_LIMIT, "too many names");
    if (!(g->slots = ox_alloc(&r->mem, room, sizeof *g->slots)))
        return false;
    g->mask = (uint32_t)room - 1;
    for (size_t i = 0; i < g->in.n; i++)
        add_name(g, g->in.v[i]->name);
    for (size_t i = 0; i < g->init.n; i++)
        add_name(g, g->init.v[i]->name);
    for (size_t i = 0; i < g->sparse_init.n; i++)
        add_name(g, g->sparse_init.v[i]->values ? g->sparse_init.v[i]->values->name : NULL);
    for (size_t i = 0; i < g->nodes.n; i++)
        for (size_t k = 0; k < g->nodes.v[i]->out.n; k++)
            add_name(g, g->nodes.v[i]->out.v[k]);
    return ox_order(r, g);
}

uint32_t ox_name_number(const OxGraph *g, const char *name)
{
    const OxSlot *s = slot_of(g, name);

    return s->name ? s->number : UINT32_MAX;
}

OxValue *ox_name_value(OxEnv *env, const char *name)
{
    OxSlot *s = slot_of(env->graph, name);

    return s->name ? &env->v[s->number] : NULL;
}

/* The value of a name: of this graph or one around it. One that is not there yet is an error. */
OxValue *ox_lookup(OxRun *r, const char *name)
{
    for (OxEnv *e = r->env; e; e = e->outer) {
        OxValue *v = ox_name_value(e, name);

        if (v && (v->kind != OX_NOTHING || v->optional))
            return v;
    }
    ox_fail(r, WF_ERR_FORMAT, "'%.80s' has no value here", name);
    return NULL;
}

OxEnv *ox_env(OxRun *r, OxGraph *g, OxEnv *outer)
{
    OxEnv *e = ox_names(r, g) ? ox_alloc(&r->mem, 1, sizeof *e) : NULL;

    if (!e || !(e->v = ox_alloc(&r->mem, (size_t)g->nnames + 1, sizeof *e->v)))
        return NULL;
    e->graph = g;
    e->outer = outer;
    return e;
}

/* ---- functions ------------------------------------------------------------------------------ */

static const char *text(const char *s) { return s ? s : ""; }

static OxFunction *find_function(OxRun *r, const OxNode *n)
{
    for (size_t i = 0; i < r->model->functions.n; i++) {
        OxFunction *f = r->model->functions.v[i];

        if (f->name && strcmp(f->name, n->op) == 0 && strcmp(text(f->domain), text(n->domain)) == 0 &&
            strcmp(text(f->overload), text(n->overload)) == 0)
            return f;
    }
    return NULL;
}

static bool function_graph(OxRun *r, OxFunction *f)
{
    OxInfo *infos;

    if (f->graph)
        return true;
    f->graph = ox_alloc(&r->mem, 1, sizeof *f->graph);
    infos = ox_alloc(&r->mem, f->in.n + 1, sizeof *infos);
    if (!f->graph || !infos || !(f->graph->in.v = ox_alloc(&r->mem, f->in.n + 1, sizeof *f->graph->in.v)))
        return false;
    for (size_t i = 0; i < f->in.n; i++) {
        infos[i].name = f->in.v[i];
        f->graph->in.v[i] = &infos[i];
    }
    f->graph->in.n = f->in.n;
    f->graph->nodes.v = f->nodes.v;
    f->graph->nodes.n = f->nodes.n;
    return true;
}

static bool run_function(OxRun *r, OxFunction *f)
{
    const OxNode *call = r->node;
    OxEnv *caller = r->env, *env;
    OxValue *results;
    int number = r->number;

    if (!function_graph(r, f) || !(env = ox_env(r, f->graph, NULL)) ||
        !(results = ox_alloc(&r->mem, f->out.n + 1, sizeof *results)))
        return false;
    env->call = call;
    env->function = f;
    env->caller = caller;
    for (size_t i = 0; i < f->in.n && i < call->in.n; i++)
        if (*f->in.v[i]) {
            OxValue v = *ox_value(r, i);

            v.optional = v.optional || v.kind == OX_NOTHING; /* an input that was left out has no value here */
            *ox_name_value(env, f->in.v[i]) = v;
        }
    for (size_t i = call->in.n; i < f->in.n; i++)
        if (*f->in.v[i])
            ox_name_value(env, f->in.v[i])->optional = true;
    if (!ox_run_graph(r, env))
        return false;
    r->env = env;
    for (size_t i = 0; i < f->out.n; i++) {
        const OxValue *v = ox_lookup(r, f->out.v[i]);

        if (!v)
            break;
        results[i] = *v;
    }
    r->env = caller;
    r->node = call;
    r->number = number;
    for (size_t i = 0; i < f->out.n && ox_ok(r); i++)
        ox_put_value(r, i, results[i]);
    return ox_ok(r);
}

/* ---- nodes ------------------------------------------------------------------------------------- */

static bool run_node(OxRun *r, const OxNode *n)
{
    const OxOp *op;
    OxFunction *f;

    if (!n->op)
        return ox_fail(r, WF_ERR_FORMAT, "a node without an op");
    for (size_t i = 0; i < n->in.n; i++)
        if (*n->in.v[i] && !ox_lookup(r, n->in.v[i]))
            return false;
    if ((f = find_function(r, n)))
        return run_function(r, f);
    if (!(op = r->dialect->find(text(n->domain), n->op)))
        return ox_fail(r, WF_ERR_UNSUPPORTED, "there is no op %s%s%s", text(n->domain), *text(n->domain) ? "." : "",
                       n->op);
    return ox_try_nums(r) || (ox_ok(r) && op->run(r, op) && ox_ok(r));
}

static void note_node(OxRun *r)
{
    char where[300];

    snprintf(where, sizeof where, "in node %d '%.80s' (%.40s) of %.150s", r->number, text(r->node->name),
             text(r->node->op), r->file);
    wf_note(r->c, where);
}

static bool set_constants(OxRun *r, OxEnv *env)
{
    const OxGraph *g = env->graph;
    wf_array *a;

    for (size_t i = 0; i < g->init.n; i++) {
        OxValue *v = g->init.v[i]->name ? ox_name_value(env, g->init.v[i]->name) : NULL;

        if (v && v->kind == OX_NOTHING)
            *v = ox_constant(r, g->init.v[i]);
    }
    for (size_t i = 0; i < g->sparse_init.n && ox_ok(r); i++) {
        const OxTensor *t = g->sparse_init.v[i]->values;
        OxValue *v = t && t->name ? ox_name_value(env, t->name) : NULL;

        if (v && v->kind == OX_NOTHING && (a = ox_sparse(r, g->sparse_init.v[i]))) {
            *v = (OxValue){.kind = OX_TENSOR, .t = wf_from_array(r->c, a)};
            wf_array_release(a);
        }
    }
    return ox_ok(r);
}

bool ox_run_graph(OxRun *r, OxEnv *env)
{
    OxEnv *outer = r->env;
    const OxNode *node = r->node;
    int number = r->number;
    static const int most = MOST_NODES;

    if (r->depth == DEEPEST)
        return ox_fail(r, WF_ERR_LIMIT, "functions and bodies are nested too deep");
    r->depth++;
    r->env = env;
    if (set_constants(r, env))
        for (size_t i = 0; i < env->graph->nodes.n && ox_ok(r); i++) {
            r->node = env->graph->nodes.v[i];
            r->number = (int)i;
            if (++r->nodes > most)
                ox_fail(r, WF_ERR_LIMIT, "more than %d nodes are run", most);
            wf_set_place(r->c, r->file, (int)i + 1, 1);
            if (ox_ok(r) && !run_node(r, r->node))
                note_node(r);
        }
    r->depth--;
    r->env = outer;
    if (ox_ok(r)) {
        r->node = node;
        r->number = number;
    }
    return ox_ok(r);
}

bool ox_run_body(OxRun *r, OxGraph *g, OxEnv *outer, const OxValue *in, size_t nin, OxValue *out)
{
    OxEnv *env = g ? ox_env(r, g, outer) : NULL, *saved = r->env;

    if (!env)
        return ox_ok(r) ? ox_fail(r, WF_ERR_FORMAT, "a body is missing") : false;
    if (g->in.n < nin)
        return ox_fail(r, WF_ERR_FORMAT, "a body of %zu inputs gets %zu", g->in.n, nin);
    for (size_t i = 0; i < nin; i++) {
        OxValue v = in[i];

        v.optional = v.optional || v.kind == OX_NOTHING;
        if (g->in.v[i]->name && *g->in.v[i]->name)
            *ox_name_value(env, g->in.v[i]->name) = v;
    }
    if (!ox_run_graph(r, env))
        return false;
    r->env = env;
    for (size_t i = 0; i < g->out.n; i++) {
        const OxValue *v = g->out.v[i]->name ? ox_lookup(r, g->out.v[i]->name) : NULL;

        if (v)
            out[i] = *v;
    }
    r->env = saved;
    return ox_ok(r);
}
