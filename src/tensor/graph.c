/* graph.c -- programs built by hand: symbols, expressions, partial derivatives of one expression by another,
 * substitution; and sessions, which feed and fetch.
 *
 * A graph is a trace that stays open. What is asked of it (a derivative, a fetch) is answered by
 * closing the graph over the expressions in question, cutting it at others (they become inputs), and
 * putting the transformed program back in, or running it.
 */
#include "tensor/tensor.h"

wf_status wf_graph_begin(wf_ctx *c, const char *name)
{
    Trace *tr;

    if (!failed(c) && ts(c) && (tr = trace_begin(c, name ? name : "graph")) != NULL) {
        tr->is_graph = true;
        tr->kind = TRACE_CLOSED;
        tr->guarded = c->tensors->size_guards;
    }
    return c->status;
}

void wf_graph_end(wf_ctx *c)
{
    if (c->tensors && c->tensors->trace && c->tensors->trace->is_graph)
        trace_end(c);
    else if (!failed(c))
        tfail(c, WF_ERR_ARG, "wf_graph_end: no graph is open");
}

static Trace *graph_of(wf_ctx *c, const char *fn)
{
    if (failed(c) || !ts(c))
        return NULL;
    if (!c->tensors->trace) {
        tfail(c, WF_ERR_ARG, "%s: no graph is open", fn);
        return NULL;
    }
    return c->tensors->trace;
}

wf_tensor wf_symbol(wf_ctx *c, const char *name, const char *type)
{
    wf_dtype dtype;
    Shape s;

    if (!graph_of(c, "wf_symbol") || !spec_shape(c, "wf_symbol", type, &dtype, &s))
        return WF_NONE;
    return trace_input(c, name, dtype, s.d, s.rank);
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
    Trace *tr = graph_of(c, "wf_partial");
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
        (!dtype_is_float(b_dtype(tr->b, vy)) || !dtype_is_float(b_dtype(tr->b, vx))))
        tfail(c, WF_ERR_TYPE, "wf_partial: derivatives need float expressions");
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

bool trace_partials(wf_ctx *c, const wf_tensor *y, const wf_tensor *gy, uint32_t ny,
                    const wf_tensor *x, uint32_t nx, wf_tensor *out)
{
    Trace *tr = graph_of(c, "gradient");
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
    Trace *tr = graph_of(c, "wf_substitute");
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
            tfail(c, WF_ERR_TYPE, "wf_substitute: %s cannot stand for %s",
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

wf_status wf_graph_close(wf_ctx *c, const wf_tensor *in, int nin, const wf_tensor *out,
                         int nout, const wf_program **program)
{
    Trace *tr = graph_of(c, "wf_graph_close");

    *program = NULL;
    if (!tr)
        return c->status;
    T_ENTER(c, c->status)
    Val *i = arena_array(&c->scratch, (size_t)nin + 1, sizeof *i),
        *o = arena_array(&c->scratch, (size_t)nout + 1, sizeof *o);
    bool *listed = arena_zalloc(&c->scratch, tr->b->vals.n + 1), *used;
    for (int k = 0; k < nin && !failed(c); k++) {
        i[k] = symbolic_val(c, tr, in[k], "wf_graph_close");
        if (!failed(c) && tr->b->vals.v[i[k]].eqn != EQN_INPUT)
            tfail(c, WF_ERR_ARG, "wf_graph_close: input %d is not a symbol", k);
        listed[failed(c) ? 0 : i[k]] = true;
    }
    for (int k = 0; k < nout && !failed(c); k++)
        o[k] = symbolic_val(c, tr, out[k], "wf_graph_close");
    if (!failed(c)) {
        used = used_values(tr->b, o, (uint32_t)nout);
        for (uint32_t k = 0; k < tr->b->inputs.n; k++)
            if (used[tr->b->inputs.v[k]] && !listed[tr->b->inputs.v[k]])
                tfail(
                    c, WF_ERR_NAME,
                    "wf_graph_close: the results need symbol '%s', which is not an input",
                    tr->b->names.v[tr->b->vals.v[tr->b->inputs.v[k]].name]);
    }
    trace_hold(tr);
    if (!failed(c))
        *program =
            program_retain(builder_finish_as(tr->b, i, (uint32_t)nin, o, (uint32_t)nout));
    T_LEAVE(c);
    return c->status;
}

/* ---- sessions ---- */

typedef struct Variable {
    Tensor *value;
    uint32_t input; /* of the graph */
} Variable;

typedef struct Assign {
    Val val;
    uint32_t var;
} Assign;

typedef struct Plan {
    struct Plan *next;
    Val *key; /* fetches, then feeds */
    uint32_t nfetch, nfeed;
    const Program *p;
    bool *used; /* inputs of the graph */
    uint32_t ninput;
} Plan;

struct wf_session {
    uint64_t trace;
    Variable *vars;
    uint32_t nvars, var_cap;
    Assign *assigns;
    uint32_t nassigns, assign_cap;
    Plan *plans;
    int nplans;
};

static void free_plan(wf_ctx *c, Plan *p)
{
    program_release(p->p);
    mem_free(&c->al, p->key, ((size_t)p->nfetch + p->nfeed + 1) * sizeof *p->key);
    mem_free(&c->al, p->used, (size_t)p->ninput + 1);
    mem_free(&c->al, p, sizeof *p);
}

static void *grown(wf_ctx *c, void *v, uint32_t n, uint32_t *cap, size_t elem)
{
    uint32_t more = *cap ? *cap * 2 : 8;
    void *w = mem_alloc(&c->al, more * elem);

    if (!w) {
        fail_memory(c);
        return NULL;
    }
    if (n)
        memcpy(w, v, n * elem);
    mem_free(&c->al, v, *cap * elem);
    *cap = more;
    return w;
}

wf_status wf_session_new(wf_ctx *c, wf_session **out)
{
    *out = NULL;
    if (wf_graph_begin(c, "session") != WF_OK)
        return c->status;
    *out = mem_alloc(&c->al, sizeof **out);
    if (!*out) {
        trace_end(c);
        fail_memory(c);
        return c->status;
    }
    memset(*out, 0, sizeof **out);
    (*out)->trace = c->tensors->trace->id;
    return c->status;
}

void wf_session_free(wf_ctx *c, wf_session *s)
{
    if (!s)
        return;
    for (Plan *p; (p = s->plans) != NULL;) {
        s->plans = p->next;
        free_plan(c, p);
    }
    for (uint32_t i = 0; i < s->nvars; i++)
        tensor_release(c, s->vars[i].value);
    mem_free(&c->al, s->vars, s->var_cap * sizeof *s->vars);
    mem_free(&c->al, s->assigns, s->assign_cap * sizeof *s->assigns);
    if (c->tensors->trace && c->tensors->trace->id == s->trace)
        trace_end(c);
    mem_free(&c->al, s, sizeof *s);
}

int wf_session_plans(const wf_session *s) { return s->nplans; }

static Trace *session_graph(wf_ctx *c, const wf_session *s, const char *fn)
{
    Trace *tr = graph_of(c, fn);

    if (tr && tr->id != s->trace) {
        tfail(c, WF_ERR_ARG, "%s: another graph or trace was opened inside the session's",
              fn);
        return NULL;
    }
    return tr;
}

wf_tensor wf_variable(wf_ctx *c, wf_session *s, const char *name, wf_tensor initial)
{
    Trace *tr = session_graph(c, s, "wf_variable");
    Tensor *t = tr ? tensor_get(c, initial, "wf_variable") : NULL, *copy;
    wf_tensor v, h;

    if (!t)
        return WF_NONE;
    if (t->symbolic)
        return tfail(c, WF_ERR_VALUE, "wf_variable: the first value must be concrete");
    if (s->nvars == s->var_cap) {
        void *w = grown(c, s->vars, s->nvars, &s->var_cap, sizeof *s->vars);
        if (!w)
            return WF_NONE;
        s->vars = w;
    }
    h = wf_copy(c, initial);
    if (failed(c))
        return WF_NONE;
    copy = tensor_retain(tensor_get(c, h, "wf_variable"));
    v = trace_input(c, name, (wf_dtype)t->dtype, t->dims, t->rank);
    if (failed(c)) {
        tensor_release(c, copy);
        return WF_NONE;
    }
    s->vars[s->nvars++] = (Variable){copy, tr->b->inputs.n - 1};
    return v;
}

static int find_var(wf_ctx *c, const wf_session *s, const Trace *tr, wf_tensor v,
                    const char *fn)
{
    Tensor *t = tensor_get(c, v, fn);

    for (uint32_t i = 0; t && i < s->nvars; i++)
        if (t->symbolic && t->trace == s->trace &&
            tr->b->inputs.v[s->vars[i].input] == t->val)
            return (int)i;
    if (t)
        tfail(c, WF_ERR_ARG, "%s: the tensor is not a variable of this session", fn);
    return -1;
}

wf_tensor wf_assign(wf_ctx *c, wf_session *s, wf_tensor var, wf_tensor value)
{
    Trace *tr = session_graph(c, s, "wf_assign");
    int k = tr ? find_var(c, s, tr, var, "wf_assign") : -1;
    wf_tensor r;
    char name[32] = "assign";
    Tensor *t, *v;

    if (k < 0 || !(t = tensor_get(c, value, "wf_assign")))
        return WF_NONE;
    v = s->vars[k].value;
    if (t->dtype != v->dtype || t->rank != v->rank ||
        (t->rank && memcmp(t->dims, v->dims, t->rank * sizeof *t->dims)))
        return tfail(c, WF_ERR_TYPE,
                     "wf_assign: %s cannot be assigned to a variable of type %s",
                     shape_text(c, t), shape_text(c, v));
    if (s->nassigns == s->assign_cap) {
        void *w = grown(c, s->assigns, s->nassigns, &s->assign_cap, sizeof *s->assigns);
        if (!w)
            return WF_NONE;
        s->assigns = w;
    }
    number_i64(name + 6, (int64_t)s->nassigns); /* a value of its own, to be fetched */
    if (!t->symbolic) {
        Tensor *out = NULL;
        T_ENTER(c, WF_NONE)
        Val cv = trace_value(c, tr, t);
        out =
            failed(c)
                ? NULL
                : tensor_symbol(c, tr, b_eqn1(tr->b, OP_name, &cv, 1, &(NameAttr){name}));
        trace_hold(tr);
        T_LEAVE(c);
        r = tensor_handle(c, out);
    } else {
        r = op_1(c, OP_name, value, &(NameAttr){name});
    }
    if (!failed(c))
        s->assigns[s->nassigns++] =
            (Assign){tensor_get(c, r, "wf_assign")->val, (uint32_t)k};
    return r;
}

wf_tensor wf_variable_value(wf_ctx *c, wf_session *s, wf_tensor var)
{
    Trace *tr = session_graph(c, s, "wf_variable_value");
    int k = tr ? find_var(c, s, tr, var, "wf_variable_value") : -1;

    return k < 0 ? WF_NONE : tensor_handle(c, tensor_retain(s->vars[k].value));
}

static Plan *make_session_plan(wf_ctx *c, wf_session *s, Trace *tr, const Val *key,
                               uint32_t nfetch, uint32_t nfeed)
{
    Plan *p = mem_alloc(&c->al, sizeof *p);

    if (!p) {
        fail_memory(c);
        return NULL;
    }
    memset(p, 0, sizeof *p);
    p->nfetch = nfetch;
    p->nfeed = nfeed;
    p->ninput = tr->b->inputs.n;
    p->key = mem_alloc(&c->al, ((size_t)nfetch + nfeed + 1) * sizeof *p->key);
    p->used = mem_alloc(&c->al, (size_t)p->ninput + 1);
    if (!p->key || !p->used) {
        fail_memory(c);
    } else {
        memcpy(p->key, key, ((size_t)nfetch + nfeed) * sizeof *key);
        memset(p->used, 0, (size_t)p->ninput + 1);
        Region r;
        api_enter_(c, &r);
        if (setjmp(r.jump))
            api_out_of_memory(c, &r);
        else {
            p->p = program_retain(cut_program(c, tr, p->key, nfetch, p->key + nfetch,
                                              nfeed, true, p->used));
            trace_hold(tr);
            (void)api_leave(c, &r);
        }
    }
    if (failed(c)) {
        if (p->key)
            mem_free(&c->al, p->key, ((size_t)nfetch + nfeed + 1) * sizeof *p->key);
        if (p->used)
            mem_free(&c->al, p->used, (size_t)p->ninput + 1);
        program_release(p->p);
        mem_free(&c->al, p, sizeof *p);
        return NULL;
    }
    p->next = s->plans;
    s->plans = p;
    s->nplans++;
    return p;
}

/* Inputs of the plan: variables by value; a placeholder that is needed and not fed is an error. */
static bool plan_inputs(wf_ctx *c, wf_session *s, Trace *tr, const Plan *p,
                        const wf_tensor *values, wf_tensor *in)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < p->ninput && !failed(c); i++) {
        uint32_t v = 0;
        if (!p->used[i])
            continue;
        while (v < s->nvars && s->vars[v].input != i)
            v++;
        if (v == s->nvars) {
            const char *name = tr->b->names.v[tr->b->vals.v[tr->b->inputs.v[i]].name];
            tfail(
                c, WF_ERR_NAME,
                "wf_session_run: placeholder '%s' is needed for a fetch and was not fed",
                name);
            return false;
        }
        in[n++] = tensor_handle(c, tensor_retain(s->vars[v].value));
    }
    for (uint32_t k = 0; k < p->nfeed; k++)
        in[n++] = values[k];
    return !failed(c);
}

static void do_assigns(wf_ctx *c, wf_session *s, const Val *fetch, uint32_t n,
                       const wf_tensor *out)
{
    for (uint32_t j = 0; j < n; j++)
        for (uint32_t a = 0; a < s->nassigns; a++)
            if (s->assigns[a].val == fetch[j]) {
                Tensor *old = s->vars[s->assigns[a].var].value;
                s->vars[s->assigns[a].var].value =
                    tensor_retain(tensor_get(c, out[j], "wf_session_run"));
                tensor_release(c, old);
            }
}

wf_status wf_session_run(wf_ctx *c, wf_session *s, const wf_tensor *feeds,
                         const wf_tensor *values, int nfeed, const wf_tensor *fetches,
                         int nfetch, wf_tensor *out)
{
    Trace *tr = session_graph(c, s, "wf_session_run");
    uint32_t n = (uint32_t)(nfetch + nfeed);
    Val *key;
    Plan *p = NULL;
    wf_tensor *in;
    size_t room;

    for (int j = 0; j < nfetch; j++)
        out[j] = WF_NONE;
    if (!tr)
        return c->status;
    if (!(key = mem_alloc(&c->al, (n + 1) * sizeof *key))) {
        fail_memory(c);
        return c->status;
    }
    for (uint32_t k = 0; k < n && !failed(c); k++) {
        Tensor *t =
            tensor_get(c, k < (uint32_t)nfetch ? fetches[k] : feeds[k - (uint32_t)nfetch],
                       "wf_session_run");
        if (t && (!t->symbolic || t->trace != s->trace))
            tfail(c, WF_ERR_ARG,
                  "wf_session_run: a fetch or feed is not an expression of this session");
        key[k] = t ? t->val : VAL_NONE;
    }
    for (p = failed(c) ? NULL : s->plans; p; p = p->next)
        if (p->nfetch == (uint32_t)nfetch && p->nfeed == (uint32_t)nfeed &&
            !memcmp(p->key, key, n * sizeof *key))
            break;
    if (!p && !failed(c))
        p = make_session_plan(c, s, tr, key, (uint32_t)nfetch, (uint32_t)nfeed);
    room = p ? ((size_t)p->ninput + p->nfeed + 1) * sizeof *in : 0;
    scope_open(c);
    if (p && !(in = mem_alloc(&c->al, room)))
        fail_memory(c);
    else if (p) {
        if (plan_inputs(c, s, tr, p, values, in) &&
            tensor_call(c, p->p, in, p->p->nin, out, p->p->nout))
            do_assigns(c, s, key, (uint32_t)nfetch, out);
        mem_free(&c->al, in, room);
    }
    scope_close_n(c, out, failed(c) ? 0 : nfetch);
    mem_free(&c->al, key, (n + 1) * sizeof *key);
    return c->status;
}
