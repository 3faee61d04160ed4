/* flow.c -- control flow of C functions: cond, while, scan, checkpoint.
 *
 * The functions are traced into bodies; what they captured from outside becomes
 * operands. The op is then applied like any other, so it runs, is recorded, or enters
 * the current program, and derivatives and batches come from its rules.
 *
 * A body's program has its captures behind the inputs. Where several bodies share
 * operands (branches, rules) or an op wants constants in front, the program is made
 * again with the inputs so (BodyLayout).
 */
#include "higher/flow.h"

/* ---- bodies ---- */

void body_free(wf_ctx *c, Body *b)
{
    if (b->binds)
        mem_free(&c->al, b->binds, (b->p->dims.syms.n + 1) * sizeof *b->binds);
    program_release(b->p);
    traced_free(c, &b->t);
    memset(b, 0, sizeof *b);
}

Sub body_sub(const Body *b) { return (Sub){b->p, {b->p->dims.syms.n, b->binds}}; }

static bool same_tensor(const Tensor *a, const Tensor *b)
{
    return a == b ||
           (a->symbolic && b->symbolic && a->trace == b->trace && a->val == b->val);
}

static Type capture_type(wf_ctx *c, Builder *b, const Tensor *t)
{
    Trace *from = t->symbolic ? trace_find(c, t->trace) : NULL;
    Dim dims[MAX_RANK];

    for (uint32_t i = 0; i < t->rank; i++)
        dims[i] = from ? trace_dim(c, b, from, t->dims[i]) : t->dims[i];
    return b_make_type(b, (wf_dtype)t->dtype, dims, t->rank);
}

/* Inside a region. */
static const Program *remade(wf_ctx *c, const Traced *t, Tensor *const *caps,
                             uint32_t ncaps, const BodyLayout *l)
{
    const Program *p = t->p;
    Builder *b = builder_new(c, p->name, B_OPTIMISE);
    Val *ins = arena_array(&b->arena, l->n + 1, sizeof *ins);
    Val *outs = arena_array(&b->arena, p->nout + 2 * ncaps + 1, sizeof *outs);
    Val *cap = arena_array(&b->arena, ncaps + 1, sizeof *cap);
    uint32_t nouts = p->nout;
    Copier cp;

    copier_init(&cp, b, p, NULL, NULL);
    for (uint32_t i = 0; i < p->dims.guards.n; i++) {
        Guard g = p->dims.guards.v[i];
        dim_guard(&b->dims, copier_dim(&cp, g.lhs), g.is_eq, copier_dim(&cp, g.rhs),
                  NOWHERE);
    }
    for (uint32_t i = 0; i < l->n && !failed(c); i++) {
        uint32_t k = l->v[i].index;
        if (l->v[i].kind == IN_OWN) {
            ins[i] = b_input(b, NULL, copier_type(&cp, val_type(p, program_in(p, k))));
            cp.val[program_in(p, k)] = ins[i];
        } else {
            ins[i] = b_input(b, NULL, capture_type(c, b, caps[k]));
            if (l->v[i].kind == IN_CAPTURE)
                cap[k] = ins[i];
        }
    }
    for (uint32_t k = 0; k < ncaps; k++)
        for (uint32_t i = 0; i < t->ncaptures; i++)
            if (same_tensor(t->captures[i], caps[k]))
                cp.val[program_in(p, t->nin + i)] = cap[k];
    for (uint32_t e = 0; e < p->neqns && !failed(c); e++)
        copier_eqn(&cp, &p->eqns[e]);
    if (failed(c))
        return NULL;
    for (uint32_t j = 0; j < p->nout; j++)
        outs[j] = cp.val[p->outs[j]];
    for (uint32_t k = 0; k < ncaps && l->give_captures; k++)
        outs[nouts++] = cap[k];
    for (uint32_t k = 0; k < ncaps && l->give_zeros; k++)
        if (dtype_is_differentiable((wf_dtype)caps[k]->dtype))
            outs[nouts++] = b_zeros_like(b, cap[k]);
    return builder_finish_as(b, ins, l->n, outs, nouts);
}

static bool make_program(wf_ctx *c, Body *b, Tensor *const *caps, uint32_t ncaps,
                         const BodyLayout *l)
{
    T_ENTER(c, false)
    b->p = program_retain(remade(c, &b->t, caps, ncaps, l));
    T_LEAVE(c);
    return !failed(c);
}

bool body_make(wf_ctx *c, Body *b, Tensor *const *caps, uint32_t ncaps, const BodyLayout *l)
{
    Trace *tr = c->tensors->trace;
    const Dims *d;

    if (!make_program(c, b, caps, ncaps, l))
        return false;
    d = &b->p->dims;
    if (!(b->binds = mem_alloc(&c->al, (d->syms.n + 1) * sizeof *b->binds)))
        return fail_memory(c);
    for (uint32_t i = 0; i < d->syms.n;
         i++) /* symbols keep their names from trace to trace */
        b->binds[i] = d->syms.v[i].origin == SYM_EQN || !tr
                          ? DIM_NONE
                          : dim_find(&tr->b->dims, d->syms.v[i].name);
    return true;
}

bool body_layout_new(wf_ctx *c, BodyLayout *l, uint32_t cap)
{
    memset(l, 0, sizeof *l);
    l->cap = cap + 1;
    l->v = mem_alloc(&c->al, l->cap * sizeof *l->v);
    return l->v || fail_memory(c);
}

void body_layout_free(wf_ctx *c, BodyLayout *l)
{
    if (l->v)
        mem_free(&c->al, l->v, l->cap * sizeof *l->v);
}

void body_layout_add(BodyLayout *l, InKind kind, uint32_t from, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        l->v[l->n++] = (InFrom){kind, from + i};
}

bool body_close(wf_ctx *c, Body *b, Tensor *const *caps, uint32_t ncaps, bool first)
{
    BodyLayout l;
    bool ok;

    if (!body_layout_new(c, &l, b->t.nin + ncaps))
        return false;
    if (first)
        body_layout_add(&l, IN_CAPTURE, 0, ncaps);
    body_layout_add(&l, IN_OWN, 0, b->t.nin);
    if (!first)
        body_layout_add(&l, IN_CAPTURE, 0, ncaps);
    ok = body_make(c, b, caps, ncaps, &l);
    body_layout_free(c, &l);
    return ok;
}

bool body_captures(wf_ctx *c, const Body *b, uint32_t n, Tensor ***out, uint32_t *out_n)
{
    uint32_t room = 1;
    Tensor **v;

    *out_n = 0;
    for (uint32_t k = 0; k < n; k++)
        room += b[k].t.ncaptures;
    if (!(v = mem_alloc(&c->al, room * sizeof *v)))
        return fail_memory(c);
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t i = 0; i < b[k].t.ncaptures; i++) {
            uint32_t at = 0;
            while (at < *out_n && !same_tensor(v[at], b[k].t.captures[i]))
                at++;
            if (at == *out_n)
                v[(*out_n)++] = b[k].t.captures[i];
        }
    *out = v;
    return true;
}

void body_captures_free(wf_ctx *c, const Body *b, uint32_t n, Tensor **v)
{
    uint32_t room = 1;

    for (uint32_t k = 0; k < n; k++)
        room += b[k].t.ncaptures;
    if (v)
        mem_free(&c->al, v, room * sizeof *v);
}

/* ---- applying ---- */

bool body_apply(wf_ctx *c, OpCode op, const void *attr, const FlowOperands *o, uint32_t nout,
                const bool *weak, const wf_function *f, wf_tensor *out)
{
    uint32_t n = 0, total = o->nhead + o->nbefore + o->nin + o->nafter;
    wf_tensor *v, *res;
    size_t room = ((size_t)total + nout + 2) * sizeof *v;

    if (!(v = mem_alloc(&c->al, room)))
        return fail_memory(c);
    res = v + total + 1;
    scope_open(c);
    for (uint32_t i = 0; i < o->nhead; i++)
        v[n++] = o->head[i];
    for (uint32_t i = 0; i < o->nbefore; i++)
        v[n++] = tensor_handle(c, tensor_retain(o->before[i]));
    for (uint32_t i = 0; i < o->nin; i++)
        v[n++] = o->in[i];
    for (uint32_t i = 0; i < o->nafter; i++)
        v[n++] = tensor_handle(c, tensor_retain(o->after[i]));
    if (!failed(c) && tensor_op(c, op, v, n, attr, res, nout))
        for (uint32_t j = 0; j < nout; j++)
            tensor_get(c, res[j], "")->weak = weak[j];
    scope_close_n(c, res, failed(c) ? 0 : (int)nout);
    results_deliver(c, f, res, nout, out);
    mem_free(&c->al, v, room);
    return !failed(c);
}

/* ---- cond ---- */

/* false, true or 0..n-1 as the op wants it */
static wf_tensor branch_index(wf_ctx *c, wf_tensor index, int n)
{
    Tensor *t = tensor_get(c, index, "wf_cond_call");

    if (!t)
        return WF_NONE;
    if (t->rank || (t->dtype != WF_BOOL && !dtype_is_int((wf_dtype)t->dtype)))
        return tensor_fail(c, WF_ERR_TYPE,
                     "wf_cond_call: the index must be a bool or integer scalar, got %s",
                     shape_text(c, t));
    if (t->dtype == WF_BOOL || t->dtype == WF_I32)
        return index;
    index = wf_minimum(c, index, wf_scalar(c, (wf_dtype)t->dtype, n - 1));
    if (dtype_is_signed((wf_dtype)t->dtype))
        index = wf_maximum(c, index, wf_scalar(c, (wf_dtype)t->dtype, 0));
    return wf_cast(c, index, WF_I32);
}

static bool trace_branches(wf_ctx *c, const wf_function *f, int n, const wf_tensor *in,
                           Body *b)
{
    for (int k = 0; k < n; k++) {
        if (!function_check(c, &f[k], "wf_cond_call"))
            return false;
        if (f[k].inputs != f[0].inputs) {
            tensor_fail(c, WF_ERR_ARG, "wf_cond_call: branch %d takes %d inputs, branch 0 %d",
                  k, f[k].inputs, f[0].inputs);
            return false;
        }
        if (!function_trace_on(c, "wf_cond_call", &f[k], in, TRACE_BODY, &b[k].t))
            return false;
        if (b[k].t.nout != b[0].t.nout) {
            tensor_fail(c, WF_ERR_TYPE, "wf_cond_call: branch %d has %u results, branch 0 %u",
                  k, b[k].t.nout, b[0].t.nout);
            return false;
        }
        for (uint32_t j = 0; j < b[k].t.nout; j++) /* weak in all, or not */
            b[0].t.weak[j] = b[0].t.weak[j] && b[k].t.weak[j];
    }
    return true;
}

static void apply_cond(wf_ctx *c, wf_tensor index, const wf_function *f, Body *b,
                       Sub *subs, uint32_t n, const wf_tensor *in, wf_tensor *out)
{
    FlowOperands o = {.head = &index, .nhead = 1, .in = in, .nin = (uint32_t)f->inputs};
    Tensor **caps = NULL;

    if (body_captures(c, b, n, &caps, &o.nafter)) {
        o.after = caps;
        for (uint32_t k = 0; k < n && !failed(c); k++)
            if (body_close(c, &b[k], caps, o.nafter, false))
                subs[k] = body_sub(&b[k]);
    }
    if (!failed(c))
        body_apply(c, OP_cond, &(CondAttr){{n, subs}}, &o, b[0].t.nout, b[0].t.weak, f,
                   out);
    body_captures_free(c, b, n, caps);
}

wf_status wf_cond_call(wf_ctx *c, wf_tensor index, const wf_function *branches, int n,
                       const wf_tensor *in, int nin, wf_tensor *out, int nout)
{
    size_t room = (size_t)MAX(n, 0) * (sizeof(Body) + sizeof(Sub));
    Body *b;

    IN_GRAPH_(graph_enter_call(c, index, in, nin));
    if (failed(c) || !ts(c))
        return ctx_status(c);
    if (n < 1 || !branches) {
        tensor_fail(c, WF_ERR_ARG, "wf_cond_call: needs at least one branch");
        return ctx_status(c);
    }
    if (!function_check_call(c, branches, in, nin, out, nout, "wf_cond_call"))
        return ctx_status(c);
    if (!(b = mem_alloc(&c->al, room))) {
        fail_memory(c);
        return ctx_status(c);
    }
    memset(b, 0, room);
    scope_open(c);
    index = branch_index(c, index, n);
    index = scope_close(c, index);
    if (!failed(c) && trace_branches(c, branches, n, in, b))
        apply_cond(c, index, branches, b, (Sub *)(void *)(b + n), (uint32_t)n, in, out);
    for (int k = 0; k < n; k++)
        body_free(c, &b[k]);
    mem_free(&c->al, b, room);
    return ctx_status(c);
}

/* ---- loops ---- */

typedef struct LoopCall {
    const char *fn;
    const wf_function *cond; /* of a while */
    const wf_function *body;
    uint32_t ncarry;
    wf_tensor *in; /* a copy: weak carries may be cast */
    Body c, b;
} LoopCall;

/* The types of the body's inputs: carries, and slices of xs. */
static InType *loop_types(wf_ctx *c, const LoopCall *l)
{
    InType *t = function_types(c, l->fn, l->in, l->body->inputs);

    for (int i = (int)l->ncarry; t && i < l->body->inputs && !failed(c); i++) {
        if (t[i].s.rank == 0) {
            tensor_fail(c, WF_ERR_SHAPE, "%s: input %d is a scalar, needs an axis to go along",
                  l->fn, i);
        } else {
            t[i].s.rank--;
            t[i].layout = layout_row(c, t[i].layout, 0);
            memmove(t[i].s.d, t[i].s.d + 1, t[i].s.rank * sizeof(Dim));
        }
    }
    return t;
}

static bool trace_bodies(wf_ctx *c, LoopCall *l)
{
    InType *t = loop_types(c, l);
    size_t room = ((size_t)l->body->inputs + 1) * sizeof *t;

    if (!t)
        return false;
    if (!failed(c) && l->cond &&
        function_trace_on(c, l->fn, l->cond, l->in, TRACE_BODY, &l->c.t)) {
        const Program *p = l->c.t.p;
        Type y = p->nout ? val_type(p, p->outs[0]) : (Type){0};
        if (p->nout != 1 || y.rank || y.dtype != WF_BOOL)
            tensor_fail(c, WF_ERR_TYPE, "%s: the condition must give one bool scalar, got %s",
                  l->fn,
                  p->nout == 1 ? type_str(&p->dims, y, &c->errors)
                               : "another number of results");
    }
    if (!failed(c) && function_trace(c, l->body, t, TRACE_BODY, NULL, &l->b.t) &&
        l->b.t.nout < l->ncarry)
        tensor_fail(c, WF_ERR_ARG, "%s: the body has %u results, needs at least the %u carries",
              l->fn, l->b.t.nout, l->ncarry);
    mem_free(&c->al, t, room);
    return !failed(c);
}

/* Inside a region: a size of a body's program as one of the trace around it; DIM_NONE: it is the body's own. */
static Dim outer_dim(wf_ctx *c, const Program *p, Dim d)
{
    Dims *to = &c->tensors->trace->b->dims;
    Dim *map = arena_array(&c->scratch, p->dims.syms.n + 1, sizeof *map);

    for (uint32_t i = 0; i < p->dims.syms.n; i++)
        if ((map[i] = dim_find(to, p->dims.syms.v[i].name)) == DIM_NONE)
            return DIM_NONE;
    return dim_subst(to, &p->dims, d, map);
}

static Dim outer_size(wf_ctx *c, const Program *p, Dim d)
{
    if (d >= 0)
        return d;
    T_ENTER(c, DIM_NONE)
    d = outer_dim(c, p, d);
    T_LEAVE(c);
    return d;
}

/* Can the sizes of carry i be made those the body gives it? */
static bool join_sizes(wf_ctx *c, LoopCall *l, uint32_t i, Type y)
{
    bool same = true;
    Shape s;

    if (!joining_trace(c) || !shape_of(c, l->in[i], l->fn, &s) || s.rank != y.rank)
        return false;
    for (uint32_t k = 0; k < s.rank && same && !failed(c); k++) {
        Dim d = outer_size(c, l->b.t.p, y.dims[k]);

        same = d != DIM_NONE && size_same(c, s.d[k], d);
    }
    return same && !failed(c);
}

/* Carries come out as they went in, or can be made to: sizes join, and weak ones are cast. Then *again. */
static bool join_carries(wf_ctx *c, LoopCall *l, bool *again)
{
    const Program *p = l->b.t.p;

    *again = false;
    for (uint32_t i = 0; i < l->ncarry && !failed(c); i++) {
        Type x = val_type(p, program_in(p, i)), y = val_type(p, p->outs[i]);
        bool weak = wf_is_weak(c, l->in[i]);
        wf_dtype to;
        if (type_eq(x, y)) {
            l->b.t.weak[i] = l->b.t.weak[i] && weak;
            continue;
        }
        if (x.dtype == y.dtype && join_sizes(c, l, i, y)) {
            *again = true;
            continue;
        }
        to = tensor_promoted(c, (wf_dtype)x.dtype, weak, x.rank == 0, (wf_dtype)y.dtype,
                      l->b.t.weak[i], y.rank == 0);
        if (!weak || !type_same_shape(x, y) || !to || to == (wf_dtype)x.dtype) {
            tensor_fail(c, x.dtype == y.dtype ? WF_ERR_SHAPE : WF_ERR_TYPE,
                  "%s: carry %u begins as %s, but the body makes it %s", l->fn, i,
                  type_str(&p->dims, x, &c->errors), type_str(&p->dims, y, &c->errors));
        } else {
            l->in[i] = wf_set_weak(c, wf_cast(c, l->in[i], to), false);
            *again = true;
        }
    }
    return !failed(c);
}

static bool settle_loop(wf_ctx *c, LoopCall *l)
{
    for (bool again = true; again;) {
        body_free(c, &l->c);
        body_free(c, &l->b);
        if (!trace_bodies(c, l) || !join_carries(c, l, &again))
            return false;
    }
    return true;
}

/* Trace until carries have settled types, then let finish apply the op. in is copied. */
static wf_status loop_call(wf_ctx *c, LoopCall *l, const wf_tensor *in,
                           void (*finish)(wf_ctx *c, LoopCall *l, void *user), void *user)
{
    size_t n = (size_t)l->body->inputs, room = (n + 1) * sizeof *l->in;

    if (!(l->in = mem_alloc(&c->al, room))) {
        fail_memory(c);
        return ctx_status(c);
    }
    if (n)
        memcpy(l->in, in, n * sizeof *in);
    if (settle_loop(c, l))
        finish(c, l, user);
    body_free(c, &l->c);
    body_free(c, &l->b);
    mem_free(&c->al, l->in, room);
    return ctx_status(c);
}

typedef struct ScanCall {
    ScanAttr a;
    wf_tensor *out;
} ScanCall;

static void finish_scan(wf_ctx *c, LoopCall *l, void *user)
{
    ScanCall *s = user;
    Traced *t = &l->b.t;
    FlowOperands o = {.before = t->captures,
                  .nbefore = t->ncaptures,
                  .in = l->in,
                  .nin = (uint32_t)l->body->inputs};
    Shape x;

    for (uint32_t i = l->ncarry; i < o.nin && !failed(c); i++) {
        if (!shape_of(c, l->in[i], l->fn, &x))
            return;
        if (s->a.length == DIM_NONE)
            s->a.length = x.d[0];
        if (!size_same(c, x.d[0], s->a.length))
            tensor_fail(c, WF_ERR_SHAPE,
                  "%s: input %u is %s along its first axis, needs length %s", l->fn, i,
                  size_text(c, x.d[0]), size_text(c, s->a.length));
    }
    if (!failed(c) && s->a.length == DIM_NONE)
        tensor_fail(c, WF_ERR_ARG, "%s: there is nothing to go along, so it needs a length",
              l->fn);
    if (failed(c) || !body_close(c, &l->b, t->captures, t->ncaptures, true))
        return;
    s->a.body = body_sub(&l->b);
    s->a.nconst = t->ncaptures;
    s->a.ncarry = l->ncarry;
    body_apply(c, OP_scan, &s->a, &o, t->nout, t->weak, l->body, s->out);
}

wf_status wf_scan_call(wf_ctx *c, const wf_function *body, int ncarry,
                       const wf_tensor *in, int nin, int64_t length, bool reverse,
                       wf_tensor *out, int nout)
{
    ScanCall s = {{.length = length, .reverse = reverse}, out};
    LoopCall l = {.fn = "wf_scan_call", .body = body, .ncarry = (uint32_t)ncarry};

    IN_GRAPH_(graph_enter_handles(c, in, nin));
    if (!function_check_call(c, body, in, nin, out, nout, l.fn))
        return ctx_status(c);
    if (ncarry < 0 || ncarry > body->inputs) {
        tensor_fail(c, WF_ERR_ARG, "wf_scan_call: %d carries, but the body has %d inputs",
              ncarry, body->inputs);
        return ctx_status(c);
    }
    return loop_call(c, &l, in, finish_scan, &s);
}

typedef struct WhileCall {
    Dim bound;
    wf_tensor *out;
} WhileCall;

static void finish_while(wf_ctx *c, LoopCall *l, void *user)
{
    WhileCall *w = user;
    Traced *t = &l->b.t, *q = &l->c.t;
    WhileAttr a = {.ncond = q->ncaptures,
                   .nbody = t->ncaptures,
                   .bound = w->bound,
                   .trips = DIM_NONE};
    FlowOperands o = {.in = l->in, .nin = l->ncarry};
    Tensor **caps;
    size_t room = ((size_t)q->ncaptures + t->ncaptures + 1) * sizeof *caps;

    if (t->nout != l->ncarry) {
        tensor_fail(c, WF_ERR_ARG, "%s: the body has %u results, needs the %u carries", l->fn,
              t->nout, l->ncarry);
        return;
    }
    if (!body_close(c, &l->c, q->captures, q->ncaptures, true) ||
        !body_close(c, &l->b, t->captures, t->ncaptures, true))
        return;
    if (!(caps = mem_alloc(&c->al, room))) {
        fail_memory(c);
        return;
    }
    a.cond = body_sub(&l->c);
    a.body = body_sub(&l->b);
    for (uint32_t i = 0; i < q->ncaptures; i++)
        caps[o.nbefore++] = q->captures[i];
    for (uint32_t i = 0; i < t->ncaptures; i++)
        caps[o.nbefore++] = t->captures[i];
    o.before = caps;
    body_apply(c, OP_while, &a, &o, t->nout, t->weak, l->body, w->out);
    mem_free(&c->al, caps, room);
}

wf_status wf_while_call(wf_ctx *c, const wf_function *cond, const wf_function *body,
                        const wf_tensor *in, int nin, int64_t bound, wf_tensor *out,
                        int nout)
{
    WhileCall w = {bound, out};
    LoopCall l = {.fn = "wf_while_call", .cond = cond, .body = body};

    IN_GRAPH_(graph_enter_handles(c, in, nin));
    if (!function_check_call(c, body, in, nin, out, nout, l.fn) || !function_check(c, cond, l.fn))
        return ctx_status(c);
    if (cond->inputs != body->inputs) {
        tensor_fail(c, WF_ERR_ARG, "wf_while_call: the condition takes %d inputs, the body %d",
              cond->inputs, body->inputs);
        return ctx_status(c);
    }
    l.ncarry = (uint32_t)body->inputs;
    return loop_call(c, &l, in, finish_while, &w);
}

/* ---- checkpoint ---- */

wf_status wf_checkpoint_call(wf_ctx *c, const wf_function *f, const wf_tensor *in,
                             int nin, bool keep_dots, wf_tensor *out, int nout)
{
    Body b = {0};

    IN_GRAPH_(graph_enter_handles(c, in, nin));
    if (!function_check_call(c, f, in, nin, out, nout, "wf_checkpoint_call"))
        return ctx_status(c);
    if (function_trace_on(c, "wf_checkpoint_call", f, in, TRACE_BODY, &b.t) &&
        body_close(c, &b, b.t.captures, b.t.ncaptures, false)) {
        FlowOperands o = {
            .in = in, .nin = b.t.nin, .after = b.t.captures, .nafter = b.t.ncaptures};
        CheckpointAttr a = {body_sub(&b), keep_dots ? SAVE_DOTS : SAVE_NOTHING};
        body_apply(c, OP_checkpoint, &a, &o, b.t.nout, b.t.weak, f, out);
    }
    body_free(c, &b);
    return ctx_status(c);
}
