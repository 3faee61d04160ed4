/* graph.c -- programs built by hand: symbols, expressions, partial derivatives of one expression by another,
 * substitution; and sessions, which feed and fetch.
 *
 * A graph owns a trace that stays open, and any number of graphs are open at a time; what is done with its tensors goes to
 * it (tensor/open.c). What is asked of a graph (a derivative, a fetch) is answered by closing it over the expressions in
 * question, cutting it at others (they become inputs), and putting the transformed program back in, or running it.
 *
 * A variable is an input of the graph with a first value; what it holds is the session's.
 */
#include "higher/higher.h"

typedef struct Variable {
    Tensor *initial;
    uint32_t input; /* of the graph */
} Variable;

typedef struct Assign {
    Val val;
    uint32_t var;
} Assign;

typedef struct Fetch { /* the sub-program for some fetches and feeds */
    struct Fetch *next;
    Val *key; /* fetches, then feeds */
    uint32_t nfetch, nfeed;
    const Program *p;
    bool *used; /* inputs of the graph */
    uint32_t ninput;
} Fetch;

struct wf_graph {
    int refs; /* its owner, and its sessions */
    Trace *tr;
    Variable *vars;
    uint32_t nvars, var_cap;
    Assign *assigns;
    uint32_t nassigns, assign_cap;
    Fetch *fetches;
    int nfetches;
};

/* ---- life ---- */

static void free_fetch(wf_ctx *c, Fetch *f)
{
    program_release(f->p);
    mem_free(&c->al, f->key, ((size_t)f->nfetch + f->nfeed + 1) * sizeof *f->key);
    mem_free(&c->al, f->used, (size_t)f->ninput + 1);
    mem_free(&c->al, f, sizeof *f);
}

static void graph_release(wf_ctx *c, wf_graph *g)
{
    Trace **at = &c->tensors->open;

    if (--g->refs)
        return;
    while (*at != g->tr)
        at = &(*at)->next_open;
    *at = g->tr->next_open;
    for (Fetch *f; (f = g->fetches) != NULL;) {
        g->fetches = f->next;
        free_fetch(c, f);
    }
    for (uint32_t i = 0; i < g->nvars; i++)
        tensor_release(c, g->vars[i].initial);
    mem_free(&c->al, g->vars, g->var_cap * sizeof *g->vars);
    mem_free(&c->al, g->assigns, g->assign_cap * sizeof *g->assigns);
    trace_free(c, g->tr);
    mem_free(&c->al, g, sizeof *g);
}

static void free_graphs(wf_ctx *c)
{
    for (Trace *tr; (tr = c->tensors->open) != NULL;) {
        tr->graph->refs = 1;
        graph_release(c, tr->graph);
    }
}

wf_status wf_graph_new(wf_ctx *c, const char *name, const wf_graph_options *o,
                       wf_graph **out)
{
    IN_CALL(c);
    wf_graph *g;

    if (!SET_OUT(c, out) || !ts(c))
        return ctx_status(c);
    if (o && o->size < sizeof *o)
        return tensor_fail(c, WF_ERR_ARG, "wf_graph_new: the options do not say their size"), ctx_status(c);
    if (!(g = mem_alloc(&c->al, sizeof *g))) {
        fail_memory(c);
        return ctx_status(c);
    }
    memset(g, 0, sizeof *g);
    if (!(g->tr = trace_new(c, name ? name : "graph"))) {
        mem_free(&c->al, g, sizeof *g);
        return ctx_status(c);
    }
    g->refs = 1;
    g->tr->graph = g;
    g->tr->kind = TRACE_CLOSED;
    g->tr->b->dims.base = (Dim)g->tr->id << DIM_BITS; /* a size tells whose it is */
    g->tr->guarded = o && o->size_guards;
    g->tr->next_open = c->tensors->open;
    c->tensors->open = g->tr;
    c->tensors->open_free = free_graphs;
    *out = g;
    return ctx_status(c);
}

void wf_graph_free(wf_ctx *c, wf_graph *g)
{
    IN_CALL(c);
    if (!c || ctx_elsewhere(c) || !g)
        return;
    for (Trace *tr = c->tensors->trace; tr; tr = tr->outer)
        if (tr == g->tr) {
            tensor_fail(c, WF_ERR_ARG, "wf_graph_free: graph '%s' is entered", tr->b->name);
            return;
        }
    graph_release(c, g);
}

/* ---- where things go ---- */

wf_status wf_graph_enter(wf_ctx *c, wf_graph *g)
{
    IN_CALL(c);
    Tensors *s;

    if (!NEEDS(c, g))
        return ctx_status(c);
    s = c->tensors;
    if (s->trace == g->tr) {
        g->tr->entered++;
        return ctx_status(c);
    }
    for (Trace *tr = s->trace; tr; tr = tr->outer)
        if (tr == g->tr) {
            tensor_fail(c, WF_ERR_ARG, "wf_graph_enter: graph '%s' is entered further out",
                  tr->b->name);
            return ctx_status(c);
        }
    g->tr->outer = s->trace;
    s->trace = g->tr;
    return ctx_status(c);
}

void wf_graph_leave(wf_ctx *c, wf_graph *g)
{
    IN_CALL(c);
    if (!c || ctx_elsewhere(c) || !g)
        return;
    if (c->tensors->trace != g->tr)
        tensor_fail(c, WF_ERR_ARG, "wf_graph_leave: graph '%s' is not the innermost",
              g->tr->b->name);
    else if (g->tr->entered)
        g->tr->entered--;
    else
        trace_end(c);
}

wf_graph *wf_graph_of(wf_ctx *c, wf_tensor h)
{
    Tensor *t = tensor_get(c, h, "wf_graph_of");
    Trace *tr = t && t->symbolic ? graph_find(c, t->trace) : NULL;

    return tr ? tr->graph : NULL;
}

/* The trace that an expression belongs to, or the innermost of functions being traced; NULL with an error. */
static Trace *trace_of(wf_ctx *c, wf_tensor h, const char *fn)
{
    Tensor *t = tensor_get(c, h, fn);
    Trace *tr = t ? c->tensors->trace : NULL;

    if (t && !tr && t->symbolic)
        tr = trace_find(c, t->trace);
    if (t && !tr)
        tensor_fail(c, WF_ERR_ARG, "%s: needs an expression of a graph", fn);
    return tr;
}

/* ---- symbols ---- */

wf_tensor wf_symbol(wf_ctx *c, wf_graph *g, const char *name, const char *type)
{
    IN_CALL(c);
    char room[SPEC_NAME];
    const char *own = function_spec_name(&type, room);
    wf_dtype dtype;
    Shape s;

    if (!NEEDS(c, g && type) || !function_spec(c, g->tr, "wf_symbol", type, &dtype, &s))
        return WF_NONE;
    return trace_input(c, g->tr, own ? own : name, dtype, s.d, s.rank);
}

/* ---- cutting ---- */

/* The program with inputs (those of the graph.., cut..) and results out; cut values are taken from the inputs. Used:
 * which of the graph's inputs it still needs; others are left out if drop. All inside a region. */
static const Program *cut_program(wf_ctx *c, Trace *tr, const Val *out, uint32_t nout,
                                  const Val *cut, uint32_t ncut, bool drop, bool *used)
{
    Val *outs = arena_array(&c->scratch, nout + ncut + 1, sizeof *outs), *ins;
    const Program *p;
    Builder *b;
    Copier cp;
    Val *x;
    uint32_t nin = 0;

    memcpy(outs, out, nout * sizeof *outs);
    if (ncut)
        memcpy(outs + nout, cut, ncut * sizeof *outs);
    if (!(p = builder_finish(tr->b, outs, nout + ncut)))
        return NULL;
    b = builder_new(c, p->name, B_OPTIMISE);
    copier_init(&cp, b, p, NULL, NULL);
    copier_inputs(&cp);
    x = arena_array(&b->arena, ncut + 1, sizeof *x);
    ins = arena_array(&b->arena, p->nin + ncut + 1, sizeof *ins);
    for (uint32_t i = 0; i < p->nin; i++)
        ins[i] = cp.val[program_in(p, i)];
    for (uint32_t k = 0; k < ncut && !failed(c); k++)
        x[k] = b_input(b, NULL, copier_type(&cp, val_type(p, p->outs[nout + k])));
    for (uint32_t k = 0; k < ncut; k++) /* cut at an input */
        if (p->outs[nout + k] <= p->nin)
            cp.val[p->outs[nout + k]] = x[k];
    for (uint32_t e = 0; e < p->neqns && !failed(c); e++) {
        const Eqn *eqn = &p->eqns[e];
        copier_eqn(&cp, eqn);
        for (uint32_t k = 0; k < ncut; k++)
            if (p->outs[nout + k] >= eqn->out && p->outs[nout + k] < eqn->out + eqn->nout)
                cp.val[p->outs[nout + k]] = x[k];
    }
    if (failed(c))
        return NULL;
    for (uint32_t j = 0; j < nout; j++)
        outs[j] = cp.val[p->outs[j]];
    if (drop) {
        bool *u = used_values(b, outs, nout);
        for (uint32_t i = 0; i < p->nin; i++) {
            used[i] = u[ins[i]];
            if (used[i])
                ins[nin++] = ins[i];
        }
    } else {
        nin = p->nin;
    }
    for (uint32_t k = 0; k < ncut; k++)
        ins[nin++] = x[k];
    return builder_finish_as(b, ins, nin, outs, nout);
}

static Val symbolic_val(wf_ctx *c, Trace *tr, wf_tensor h, const char *fn)
{
    Tensor *t = tensor_get(c, h, fn);

    return t ? trace_value(c, tr, t) : VAL_NONE;
}

/* ---- derivatives, substitution ---- */

wf_tensor wf_partial(wf_ctx *c, wf_tensor y, wf_tensor x, wf_tensor gy)
{
    IN_CALL(c);
    Trace *tr = trace_of(c, y, "wf_partial");
    Tensor *out = NULL;

    if (!tr)
        return WF_NONE;
    T_ENTER(c, WF_NONE)
    Val vy = symbolic_val(c, tr, y, "wf_partial"),
        vx = symbolic_val(c, tr, x, "wf_partial"), seed = VAL_NONE;
    const Program *p, *g;
    if (!failed(c))
        seed = wf_is_none(gy) ? b_one_like(tr->b, vy)
                              : symbolic_val(c, tr, gy, "wf_partial");
    if (!failed(c) &&
        (!dtype_is_differentiable(b_dtype(tr->b, vy)) || !dtype_is_differentiable(b_dtype(tr->b, vx))))
        tensor_fail(c, WF_ERR_TYPE, "wf_partial: derivatives need float expressions");
    p = failed(c) ? NULL : cut_program(c, tr, &vy, 1, &vx, 1, false, NULL);
    g = p ? xf_vjp(c, p, (int[]){(int)p->nin - 1}, 1) : NULL;
    if (g) {
        Val *in = arena_array(&c->scratch, g->nin + 1, sizeof *in), res[2] = {0};
        for (uint32_t i = 0; i < p->nin - 1; i++)
            in[i] = tr->b->inputs.v[i];
        in[p->nin - 1] = vx;
        in[p->nin] = seed;
        if (b_inline(tr->b, g, xf_binds(tr->b, g, NULL, DIM_NONE), in, res, "partial"))
            out = tensor_symbol(c, tr, res[1]);
    }
    trace_hold(tr);
    T_LEAVE(c);
    return failed(c) ? WF_NONE : tensor_handle(c, out);
}

/* Does p read its input i? */
static bool reads_input(const Program *p, uint32_t i)
{
    Val v = program_in(p, i);

    for (uint32_t e = 0; e < p->neqns; e++)
        for (uint32_t k = 0; k < p->eqns[e].nin; k++)
            if (p->args[p->eqns[e].args + k] == v)
                return true;
    for (uint32_t j = 0; j < p->nout; j++)
        if (p->outs[j] == v)
            return true;
    return false;
}

bool derive_partials(wf_ctx *c, const wf_tensor *y, const wf_tensor *gy, uint32_t ny,
                    const wf_tensor *x, uint32_t nx, wf_tensor *out)
{
    Trace *tr = ny ? trace_of(c, y[0], "gradient") : NULL;
    Tensor **t;

    if (!tr)
        return false;
    T_ENTER(c, false)
    Val *vy = arena_array(&c->scratch, ny + 1, sizeof *vy),
        *vx = arena_array(&c->scratch, nx + 1, sizeof *vx);
    int *wrt = arena_array(&c->scratch, nx + 1, sizeof *wrt);
    const Program *p, *g;
    t = arena_array(&c->scratch, nx + 1, sizeof *t);
    for (uint32_t j = 0; j < ny && !failed(c); j++)
        vy[j] = symbolic_val(c, tr, y[j], "gradient");
    for (uint32_t i = 0; i < nx && !failed(c); i++)
        vx[i] = symbolic_val(c, tr, x[i], "gradient");
    p = failed(c) ? NULL : cut_program(c, tr, vy, ny, vx, nx, false, NULL);
    for (uint32_t i = 0; p && i < nx; i++)
        wrt[i] = (int)(p->nin - nx + i);
    g = p ? xf_vjp(c, p, wrt, (int)nx) : NULL;
    if (g) {
        Val *in = arena_array(&c->scratch, g->nin + 1, sizeof *in),
            *res = arena_array(&c->scratch, g->nout + 1, sizeof *res);
        for (uint32_t i = 0; i < p->nin; i++)
            in[i] = i < p->nin - nx ? tr->b->inputs.v[i] : vx[i - (p->nin - nx)];
        for (uint32_t j = 0; j < ny && !failed(c); j++)
            in[p->nin + j] = symbolic_val(c, tr, gy[j], "gradient");
        if (!failed(c) &&
            b_inline(tr->b, g, xf_binds(tr->b, g, NULL, DIM_NONE), in, res, "gradient"))
            for (uint32_t i = 0; i < nx; i++)
                t[i] = reads_input(p, p->nin - nx + i) ? tensor_symbol(c, tr, res[ny + i])
                                                       : NULL;
    }
    for (uint32_t i = 0; i < nx && !failed(c); i++)
        out[i] = t[i] ? tensor_handle(c, t[i]) : WF_NONE;
    trace_hold(tr);
    T_LEAVE(c);
    return !failed(c);
}

wf_tensor wf_substitute(wf_ctx *c, wf_tensor y, const wf_tensor *from,
                        const wf_tensor *to, int n)
{
    IN_CALL(c);
    Trace *tr = trace_of(c, y, "wf_substitute");
    Tensor *out = NULL;

    if (!tr)
        return WF_NONE;
    T_ENTER(c, WF_NONE)
    Val vy = symbolic_val(c, tr, y, "wf_substitute"), res;
    Val *f = arena_array(&c->scratch, (size_t)n + 1, sizeof *f),
        *t = arena_array(&c->scratch, (size_t)n + 1, sizeof *t), *in;
    const Program *p;
    for (int i = 0; i < n && !failed(c); i++) {
        f[i] = symbolic_val(c, tr, from[i], "wf_substitute");
        t[i] = symbolic_val(c, tr, to[i], "wf_substitute");
        if (!failed(c) && !type_eq(b_type(tr->b, f[i]), b_type(tr->b, t[i])))
            tensor_fail(c, WF_ERR_TYPE, "wf_substitute: %s cannot stand for %s",
                  type_str(&tr->b->dims, b_type(tr->b, t[i]), &c->errors),
                  type_str(&tr->b->dims, b_type(tr->b, f[i]), &c->errors));
    }
    p = failed(c) ? NULL : cut_program(c, tr, &vy, 1, f, (uint32_t)n, false, NULL);
    if (p) {
        in = arena_array(&c->scratch, p->nin + 1, sizeof *in);
        for (uint32_t i = 0; i < p->nin; i++)
            in[i] = i + (uint32_t)n < p->nin ? tr->b->inputs.v[i]
                                             : t[i + (uint32_t)n - p->nin];
        if (b_inline(tr->b, p, xf_binds(tr->b, p, NULL, DIM_NONE), in, &res, NULL))
            out = tensor_symbol(c, tr, res);
    }
    trace_hold(tr);
    T_LEAVE(c);
    return failed(c) ? WF_NONE : tensor_handle(c, out);
}

wf_status wf_partials(wf_ctx *c, const wf_tensor *y, const wf_tensor *gy, int ny,
                      const wf_tensor *x, int nx, wf_tensor *out)
{
    IN_CALL(c);
    wf_tensor *ones = NULL;
    size_t room = ((size_t)ny + 1) * sizeof *ones;

    for (int i = 0; x && out && i < nx; i++)
        out[i] = WF_NONE;
    if (NEEDS(c, has_n(y, ny) && has_n(x, nx) && has_n(out, nx)) && !gy) {
        if (!(ones = mem_alloc(&c->al, room)))
            fail_memory(c);
        for (int j = 0; j < ny && !failed(c); j++)
            ones[j] = wf_ones_like(c, y[j]);
    }
    if (!failed(c))
        derive_partials(c, y, gy ? gy : ones, (uint32_t)ny, x, (uint32_t)nx, out);
    if (ones)
        mem_free(&c->al, ones, room);
    return ctx_status(c);
}

wf_status wf_graph_close(wf_ctx *c, wf_graph *g, const wf_tensor *in, int nin,
                         const wf_tensor *out, int nout, const wf_program **program)
{
    IN_CALL(c);
    Trace *tr = g ? g->tr : NULL;

    if (!SET_OUT(c, program) || !NEEDS(c, g && has_n(in, nin) && has_n(out, nout)))
        return ctx_status(c);
    T_ENTER(c, ctx_status(c))
    Val *i = arena_array(&c->scratch, (size_t)nin + 1, sizeof *i),
        *o = arena_array(&c->scratch, (size_t)nout + 1, sizeof *o);
    bool *listed = arena_zalloc(&c->scratch, tr->b->vals.n + 1), *used;
    for (int k = 0; k < nin && !failed(c); k++) {
        i[k] = symbolic_val(c, tr, in[k], "wf_graph_close");
        if (!failed(c) && tr->b->vals.v[i[k]].eqn != EQN_INPUT)
            tensor_fail(c, WF_ERR_ARG, "wf_graph_close: input %d is not a symbol", k);
        listed[failed(c) ? 0 : i[k]] = true;
    }
    for (int k = 0; k < nout && !failed(c); k++)
        o[k] = symbolic_val(c, tr, out[k], "wf_graph_close");
    if (!failed(c)) {
        used = used_values(tr->b, o, (uint32_t)nout);
        for (uint32_t k = 0; k < tr->b->inputs.n; k++)
            if (used[tr->b->inputs.v[k]] && !listed[tr->b->inputs.v[k]])
                tensor_fail(
                    c, WF_ERR_NAME,
                    "wf_graph_close: the results need symbol '%s', which is not an input",
                    tr->b->names.v[tr->b->vals.v[tr->b->inputs.v[k]].name]);
    }
    trace_hold(tr);
    if (!failed(c))
        *program =
            program_retain(builder_finish_as(tr->b, i, (uint32_t)nin, o, (uint32_t)nout));
    T_LEAVE(c);
    return ctx_status(c);
}

/* ---- variables ---- */

wf_tensor wf_variable(wf_ctx *c, wf_graph *g, const char *name, wf_tensor initial)
{
    IN_CALL(c);
    Tensor *t = tensor_get(c, initial, "wf_variable"), *copy;
    wf_tensor v, h;

    if (!t || !NEEDS(c, g))
        return WF_NONE;
    if (t->symbolic)
        return tensor_fail(c, WF_ERR_VALUE, "wf_variable: the first value must be concrete");
    if (g->nvars == g->var_cap) {
        void *w = tensors_grow(c, g->vars, g->nvars, &g->var_cap, sizeof *g->vars);
        if (!w)
            return WF_NONE;
        g->vars = w;
    }
    h = wf_copy(c, initial);
    if (failed(c))
        return WF_NONE;
    copy = tensor_retain(tensor_get(c, h, "wf_variable"));
    v = trace_input(c, g->tr, name, (wf_dtype)t->dtype, t->dims, t->rank);
    if (failed(c)) {
        tensor_release(c, copy);
        return WF_NONE;
    }
    g->vars[g->nvars++] = (Variable){copy, g->tr->b->inputs.n - 1};
    return v;
}

static int find_var(wf_ctx *c, const wf_graph *g, wf_tensor v, const char *fn)
{
    Tensor *t = tensor_get(c, v, fn);

    for (uint32_t i = 0; t && g && i < g->nvars; i++)
        if (t->symbolic && t->trace == g->tr->id &&
            g->tr->b->inputs.v[g->vars[i].input] == t->val)
            return (int)i;
    if (t)
        tensor_fail(c, WF_ERR_ARG, "%s: the tensor is not a variable of the graph", fn);
    return -1;
}

/* value as an equation of its own, to be fetched */
static wf_tensor named_value(wf_ctx *c, wf_graph *g, Tensor *value)
{
    Tensor *out;
    char name[32] = "assign";

    number_i64(name + 6, (int64_t)g->nassigns);
    T_ENTER(c, WF_NONE)
    out = NULL;
    Val v = trace_value(c, g->tr, value);
    if (!failed(c))
        out =
            tensor_symbol(c, g->tr, b_eqn1(g->tr->b, OP_name, &v, 1, &(NameAttr){name}));
    trace_hold(g->tr);
    T_LEAVE(c);
    return tensor_handle(c, out);
}

wf_tensor wf_assign(wf_ctx *c, wf_tensor var, wf_tensor value)
{
    IN_CALL(c);
    wf_graph *g = wf_graph_of(c, var);
    int k = failed(c) ? -1 : find_var(c, g, var, "wf_assign");
    Tensor *t, *v;
    wf_tensor r;

    if (k < 0 || !(t = tensor_get(c, value, "wf_assign")))
        return WF_NONE;
    v = g->vars[k].initial;
    if (t->dtype != v->dtype || t->rank != v->rank ||
        (t->rank && memcmp(t->dims, v->dims, t->rank * sizeof *t->dims)))
        return tensor_fail(c, WF_ERR_TYPE,
                     "wf_assign: %s cannot be assigned to a variable of type %s",
                     shape_text(c, t), shape_text(c, v));
    if (g->nassigns == g->assign_cap) {
        void *w = tensors_grow(c, g->assigns, g->nassigns, &g->assign_cap, sizeof *g->assigns);
        if (!w)
            return WF_NONE;
        g->assigns = w;
    }
    r = named_value(c, g, t);
    if (!failed(c))
        g->assigns[g->nassigns++] =
            (Assign){tensor_get(c, r, "wf_assign")->val, (uint32_t)k};
    return r;
}

/* ---- sessions ---- */

struct wf_session {
    wf_graph *g;
    Tensor **values; /* of the graph's variables; NULL: still the first */
    uint32_t nvalues;
};

wf_status wf_session_new(wf_ctx *c, wf_graph *g, wf_session **out)
{
    IN_CALL(c);
    if (!SET_OUT(c, out) || !NEEDS(c, g))
        return ctx_status(c);
    if (!(*out = mem_alloc(&c->al, sizeof **out))) {
        fail_memory(c);
        return ctx_status(c);
    }
    **out = (wf_session){.g = g};
    g->refs++;
    return ctx_status(c);
}

void wf_session_free(wf_ctx *c, wf_session *s)
{
    IN_CALL(c);
    if (!c || ctx_elsewhere(c) || !s)
        return;
    for (uint32_t i = 0; i < s->nvalues; i++)
        tensor_release(c, s->values[i]);
    mem_free(&c->al, s->values, s->nvalues * sizeof *s->values);
    graph_release(c, s->g);
    mem_free(&c->al, s, sizeof *s);
}

int wf_session_plans(const wf_session *s) { return s ? s->g->nfetches : 0; }

/* Room for the variables there are now. */
static bool cover_values(wf_ctx *c, wf_session *s)
{
    uint32_t n = s ? s->g->nvars : 0;
    Tensor **v;

    if (!NEEDS(c, s) || s->nvalues == n)
        return !failed(c);
    if (!(v = mem_alloc(&c->al, n * sizeof *v)))
        return fail_memory(c);
    memset(v, 0, n * sizeof *v);
    if (s->nvalues)
        memcpy(v, s->values, s->nvalues * sizeof *v);
    mem_free(&c->al, s->values, s->nvalues * sizeof *v);
    s->values = v;
    s->nvalues = n;
    return true;
}

static Tensor *value_of(const wf_session *s, uint32_t var)
{
    return s->values[var] ? s->values[var] : s->g->vars[var].initial;
}

wf_tensor wf_variable_value(wf_ctx *c, wf_session *s, wf_tensor var)
{
    IN_CALL(c);
    int k = cover_values(c, s) ? find_var(c, s->g, var, "wf_variable_value") : -1;

    return k < 0 ? WF_NONE : tensor_handle(c, tensor_retain(value_of(s, (uint32_t)k)));
}

static void set_value(wf_ctx *c, wf_session *s, uint32_t var, Tensor *t)
{
    Tensor *old = s->values[var];

    s->values[var] = tensor_retain(t);
    tensor_release(c, old);
}

wf_status wf_set_variable(wf_ctx *c, wf_session *s, wf_tensor var, wf_tensor value)
{
    IN_CALL(c);
    int k = cover_values(c, s) ? find_var(c, s->g, var, "wf_set_variable") : -1;
    Tensor *t, *v;
    wf_tensor own;

    if (k < 0 || !(t = tensor_get(c, value, "wf_set_variable")))
        return ctx_status(c);
    v = s->g->vars[k].initial;
    if (t->symbolic || t->dtype != v->dtype || t->rank != v->rank ||
        (t->rank && memcmp(t->dims, v->dims, t->rank * sizeof *t->dims))) {
        tensor_fail(c, WF_ERR_TYPE,
              "wf_set_variable: %s cannot be the value of a variable of type %s",
              shape_text(c, t), shape_text(c, v));
        return ctx_status(c);
    }
    scope_open(c);
    own = wf_copy(c, value);
    if (!failed(c))
        set_value(c, s, (uint32_t)k, tensor_get(c, own, "wf_set_variable"));
    scope_close_n(c, NULL, 0);
    return ctx_status(c);
}

static bool close_fetch(wf_ctx *c, wf_graph *g, Fetch *f)
{
    T_ENTER(c, false)
    f->p = program_retain(cut_program(c, g->tr, f->key, f->nfetch, f->key + f->nfetch,
                                      f->nfeed, true, f->used));
    trace_hold(g->tr);
    T_LEAVE(c);
    return !failed(c);
}

static Fetch *make_fetch(wf_ctx *c, wf_graph *g, const Val *key, uint32_t nfetch,
                         uint32_t nfeed)
{
    Fetch *f = mem_alloc(&c->al, sizeof *f);

    if (!f) {
        fail_memory(c);
        return NULL;
    }
    *f = (Fetch){.nfetch = nfetch, .nfeed = nfeed, .ninput = g->tr->b->inputs.n};
    f->key = mem_alloc(&c->al, ((size_t)nfetch + nfeed + 1) * sizeof *f->key);
    f->used = mem_alloc(&c->al, (size_t)f->ninput + 1);
    if (f->key && f->used) {
        memcpy(f->key, key, ((size_t)nfetch + nfeed) * sizeof *key);
        memset(f->used, 0, (size_t)f->ninput + 1);
        close_fetch(c, g, f);
    } else {
        fail_memory(c);
    }
    if (failed(c)) {
        if (f->key)
            mem_free(&c->al, f->key, ((size_t)nfetch + nfeed + 1) * sizeof *f->key);
        if (f->used)
            mem_free(&c->al, f->used, (size_t)f->ninput + 1);
        program_release(f->p);
        mem_free(&c->al, f, sizeof *f);
        return NULL;
    }
    f->next = g->fetches;
    g->fetches = f;
    g->nfetches++;
    return f;
}

static bool is_assigned(const wf_graph *g, const Fetch *f, uint32_t var)
{
    for (uint32_t j = 0; j < f->nfetch; j++)
        for (uint32_t a = 0; a < g->nassigns; a++)
            if (g->assigns[a].val == f->key[j] && g->assigns[a].var == var)
                return true;
    return false;
}

/* Inputs of the program: variables by value, those that are assigned donated; a placeholder that is needed and not fed is
 * an error. */
static bool fetch_inputs(wf_ctx *c, wf_session *s, const Fetch *f,
                         const wf_tensor *values, wf_tensor *in, bool *donated)
{
    const wf_graph *g = s->g;
    const Builder *b = g->tr->b;
    uint32_t n = 0;

    for (uint32_t i = 0; i < f->ninput && !failed(c); i++) {
        uint32_t v = 0;
        if (!f->used[i])
            continue;
        while (v < g->nvars && g->vars[v].input != i)
            v++;
        if (v == g->nvars) {
            tensor_fail(
                c, WF_ERR_NAME,
                "wf_session_run: placeholder '%s' is needed for a fetch and was not fed",
                b->names.v[b->vals.v[b->inputs.v[i]].name]);
            return false;
        }
        donated[n] = s->values[v] && is_assigned(g, f, v);
        in[n++] = tensor_handle(c, tensor_retain(value_of(s, v)));
    }
    for (uint32_t k = 0; k < f->nfeed; k++) {
        donated[n] = false;
        in[n++] = values[k];
    }
    return !failed(c);
}

static void do_assigns(wf_ctx *c, wf_session *s, const Fetch *f, const wf_tensor *out)
{
    for (uint32_t j = 0; j < f->nfetch; j++)
        for (uint32_t a = 0; a < s->g->nassigns; a++)
            if (s->g->assigns[a].val == f->key[j])
                set_value(c, s, s->g->assigns[a].var,
                          tensor_get(c, out[j], "wf_session_run"));
}

/* The values of fetches and feeds in the graph. */
static Val *fetch_key(wf_ctx *c, const wf_graph *g, const wf_tensor *fetches,
                      uint32_t nfetch, const wf_tensor *feeds, uint32_t n)
{
    Val *key = mem_alloc(&c->al, ((size_t)n + 1) * sizeof *key);

    if (!key)
        fail_memory(c);
    for (uint32_t k = 0; k < n && !failed(c); k++) {
        Tensor *t =
            tensor_get(c, k < nfetch ? fetches[k] : feeds[k - nfetch], "wf_session_run");
        if (t && (!t->symbolic || t->trace != g->tr->id))
            tensor_fail(c, WF_ERR_ARG,
                  "wf_session_run: a fetch or feed is not an expression of graph '%s'",
                  g->tr->b->name);
        key[k] = t ? t->val : VAL_NONE;
    }
    return key;
}

static Fetch *find_fetch(wf_ctx *c, wf_graph *g, const Val *key, uint32_t nfetch,
                         uint32_t nfeed)
{
    for (Fetch *f = g->fetches; f; f = f->next)
        if (f->nfetch == nfetch && f->nfeed == nfeed &&
            !memcmp(f->key, key, (nfetch + nfeed) * sizeof *key))
            return f;
    return make_fetch(c, g, key, nfetch, nfeed);
}

static void run_fetch(wf_ctx *c, wf_session *s, const Fetch *f, const wf_tensor *values,
                      wf_tensor *out)
{
    size_t n = f->p->nin + 1, room = n * (sizeof(wf_tensor) + sizeof(bool));
    wf_tensor *in = mem_alloc(&c->al, room);
    bool *donated;

    if (!in) {
        fail_memory(c);
        return;
    }
    donated = (bool *)(in + n);
    if (fetch_inputs(c, s, f, values, in, donated) &&
        tensor_call_donating(c, f->p, in, f->p->nin, donated, 2, out, f->p->nout))
        do_assigns(c, s, f, out);
    mem_free(&c->al, in, room);
}

wf_status wf_session_run(wf_ctx *c, wf_session *s, const wf_tensor *feeds,
                         const wf_tensor *values, int nfeed, const wf_tensor *fetches,
                         int nfetch, wf_tensor *out)
{
    IN_CALL(c);
    uint32_t n = (uint32_t)nfetch + (uint32_t)nfeed;
    Trace *outer;
    Fetch *f;
    Val *key;

    for (int j = 0; fetches && out && j < nfetch; j++)
        out[j] = WF_NONE;
    if (!NEEDS(c, has_n(feeds, nfeed) && has_n(values, nfeed) && has_n(fetches, nfetch) &&
                      has_n(out, nfetch)) ||
        !cover_values(c, s))
        return ctx_status(c);
    outer = c->tensors->trace;
    if (!(key = fetch_key(c, s->g, fetches, (uint32_t)nfetch, feeds, n)))
        return ctx_status(c);
    f = failed(c) ? NULL : find_fetch(c, s->g, key, (uint32_t)nfetch, (uint32_t)nfeed);
    mem_free(&c->al, key, ((size_t)n + 1) * sizeof *key);
    scope_open(c);
    if (outer && outer->graph)
        c->tensors->trace = NULL; /* what is run is no part of the graph that is built */
    if (f)
        run_fetch(c, s, f, values, out);
    c->tensors->trace = outer;
    scope_close_n(c, out, failed(c) ? 0 : nfetch);
    return ctx_status(c);
}
