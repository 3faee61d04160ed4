/* custom.c -- C functions with derivative rules of their own: custom_jvp and custom_vjp.
 *
 * With concrete operands that nobody records the function is just called. Otherwise it
 * and its rules are traced, and the op is applied. What they use from outside counts as
 * constant: it becomes operands whose tangents the rules ignore.
 *
 *   captures k..      f(x.., k..)    rule(x.., k.., dx.., dk..)
 *                     forward(x.., k..) -> (y.., saved.., k..)
 *                     backward(saved.., k.., gy..) -> (gx.., 0..)
 *
 * A rule that calls its own function (the same call and user) gets an equation marked
 * `self`, without rules: it means the function whose rule it stands in (op_custom.c).
 */
#include "higher/flow.h"

typedef struct Rule { /* a function whose rule is being traced */
    struct Rule *outer;
    const wf_function *f;
    const InType *types;
} Rule;

static bool is_followed(wf_ctx *c, const wf_tensor *in, int n)
{
    Tensors *s = c->tensors;

    if (s->trace)
        return true;
    for (int i = 0; i < n && !s->no_grad; i++) {
        Tensor *t = tensor_get(c, in[i], "wf_custom");
        if (!t || t->need & s->recorders)
            return true;
    }
    return false;
}

/* Call f now, or put it into the current program, without its rules. */
static void call_plainly(wf_ctx *c, const wf_function *f, const wf_tensor *in,
                         wf_tensor *out)
{
    Results r;

    scope_open(c);
    if (function_call(c, f, in, &r)) {
        scope_close_n(c, r.v, (int)r.n);
        results_deliver(c, f, r.v, r.n, out);
        results_free(c, &r);
    } else {
        scope_close_n(c, NULL, 0);
    }
}

static bool same_function(const wf_function *a, const wf_function *b)
{
    return a->call == b->call && a->user == b->user;
}

static bool same_types(const InType *a, const InType *b, int n)
{
    for (int i = 0; i < n; i++) {
        if (a[i].dtype != b[i].dtype || a[i].s.rank != b[i].s.rank)
            return false;
        for (uint32_t k = 0; k < a[i].s.rank; k++)
            if (a[i].s.d[k] != b[i].s.d[k] && (a[i].s.d[k] >= 0 || b[i].s.d[k] >= 0))
                return false;
    }
    return true;
}

typedef enum Own { OWN_NO, OWN_SELF, OWN_DEEPER } Own;

/* Does f stand inside a rule of its own? */
static Own stands_in_own_rule(const wf_ctx *c, const wf_function *f, const InType *t)
{
    const Rule *r = c->tensors->rule;

    if (r && same_function(r->f, f) && same_types(r->types, t, f->inputs))
        return OWN_SELF;
    for (; r; r = r->outer)
        if (same_function(r->f, f))
            return OWN_DEEPER;
    return OWN_NO;
}

static bool is_float_type(Type t) { return dtype_is_differentiable((wf_dtype)t.dtype); }

/* ---- tracing rules ---- */

/* A type of a traced program as one of the current program, or of plain numbers. */
static bool type_outside(wf_ctx *c, const Program *p, Type t, bool weak, InType *out)
{
    Trace *tr = c->tensors->trace;
    Dim *map;

    T_ENTER(c, false)
    *out = (InType){.dtype = (wf_dtype)t.dtype, .weak = weak, .s.rank = t.rank};
    map = arena_array(&c->scratch, p->dims.syms.n + 1, sizeof *map);
    for (uint32_t i = 0; i < p->dims.syms.n; i++)
        map[i] = tr && p->dims.syms.v[i].origin != SYM_EQN
                     ? dim_find(&tr->b->dims, p->dims.syms.v[i].name)
                     : DIM_NONE;
    for (uint32_t k = 0; k < t.rank && !failed(c); k++) {
        Dim d = t.dims[k];
        out->s.d[k] = d >= 0 ? d
                      : tr   ? dim_subst(&tr->b->dims, &p->dims, d, map)
                             : DIM_NONE;
        if (out->s.d[k] == DIM_NONE && !failed(c))
            tensor_fail(c, WF_ERR_SHAPE, "%s: the size %s of a result is known only inside it",
                  p->name, dim_str(&p->dims, d, &c->errors));
    }
    T_LEAVE(c);
    return !failed(c);
}

static bool trace_rule(wf_ctx *c, const wf_function *f, const InType *in,
                       const wf_function *rule, InType *types, uint32_t n, Body *out)
{
    Rule here = {c->tensors->rule, f, in};
    wf_function g = *rule;
    bool ok;

    if (g.inputs != WF_ANY && g.inputs != (int)n) {
        tensor_fail(c, WF_ERR_ARG, "%s: takes %d inputs, but gets %u", g.name ? g.name : "rule",
              g.inputs, n);
        return false;
    }
    g.inputs = (int)n;
    c->tensors->rule = &here;
    ok = function_trace(c, &g, types, TRACE_OPEN, NULL, &out->t);
    c->tensors->rule = here.outer;
    return ok;
}

/* ---- the shared part ---- */

typedef struct Custom {
    const char *fn;
    const wf_function *f;
    InType *types; /* of the inputs, f->inputs + 1 */
    Body b[3];     /* f; rule or forward; backward */
    Tensor **caps;
    uint32_t ncaps, nbodies;
    bool self;
} Custom;

static bool check_rule(wf_ctx *c, const wf_function *g, const char *fn)
{
    if (g && g->call && (g->outputs >= 0 || g->outputs == WF_ANY))
        return true;
    tensor_fail(c, WF_ERR_ARG, "%s: a rule is missing", fn);
    return false;
}

/* (x.., k.., [dx.., dk..]) */
static bool make_body(wf_ctx *c, Custom *u, Body *b, bool tangents, bool give_captures)
{
    uint32_t n = (uint32_t)u->f->inputs, d = n;
    BodyLayout l;
    bool ok;

    if (!body_layout_new(c, &l, 2 * (n + u->ncaps)))
        return false;
    body_layout_add(&l, IN_OWN, 0, n);
    body_layout_add(&l, IN_CAPTURE, 0, u->ncaps);
    for (uint32_t i = 0; i < n && tangents; i++)
        if (dtype_is_differentiable(u->types[i].dtype))
            body_layout_add(&l, IN_OWN, d++, 1);
    for (uint32_t k = 0; k < u->ncaps && tangents; k++)
        if (dtype_is_differentiable((wf_dtype)u->caps[k]->dtype))
            body_layout_add(&l, IN_UNUSED, k, 1);
    l.give_captures = give_captures;
    ok = body_make(c, b, u->caps, u->ncaps, &l);
    body_layout_free(c, &l);
    return ok;
}

/* (saved.., k.., gy..) -> (gx.., 0..) */
static bool make_backward_body(wf_ctx *c, Custom *u, uint32_t nsaved)
{
    Body *b = &u->b[2];
    BodyLayout l;
    bool ok;

    if (!body_layout_new(c, &l, b->t.nin + u->ncaps))
        return false;
    body_layout_add(&l, IN_OWN, 0, nsaved);
    body_layout_add(&l, IN_CAPTURE, 0, u->ncaps);
    body_layout_add(&l, IN_OWN, nsaved, b->t.nin - nsaved);
    l.give_zeros = true;
    ok = body_make(c, b, u->caps, u->ncaps, &l);
    body_layout_free(c, &l);
    return ok;
}

static void apply_custom(wf_ctx *c, const Custom *u, OpCode op, const void *attr,
                         const wf_tensor *in, wf_tensor *out)
{
    FlowOperands o = {
        .in = in, .nin = (uint32_t)u->f->inputs, .after = u->caps, .nafter = u->ncaps};

    body_apply(c, op, attr, &o, u->b[0].t.nout, u->b[0].t.weak, u->f, out);
}

static wf_status custom_call(wf_ctx *c, Custom *u, const wf_tensor *in, int nin,
                             wf_tensor *out, int nout,
                             void (*finish)(wf_ctx *c, Custom *u, const wf_tensor *in,
                                            void *user, wf_tensor *out),
                             void *user)
{
    Own own;

    if (!function_check_call(c, u->f, in, nin, out, nout, u->fn))
        return ctx_status(c);
    if (!is_followed(c, in, u->f->inputs)) {
        call_plainly(c, u->f, in, out);
        return ctx_status(c);
    }
    if (!(u->types = function_types(c, u->fn, in, u->f->inputs)))
        return ctx_status(c);
    own = stands_in_own_rule(c, u->f, u->types);
    u->self = own == OWN_SELF;
    if (own == OWN_DEEPER) /* inside a rule that its own rule uses: as plain code */
        call_plainly(c, u->f, in, out);
    else if (function_trace_on(c, u->fn, u->f, in, TRACE_OPEN, &u->b[0].t))
        finish(c, u, in, user, out);
    body_captures_free(c, u->b, u->nbodies, u->caps);
    for (int k = 0; k < COUNT(u->b); k++)
        body_free(c, &u->b[k]);
    mem_free(&c->al, u->types, ((size_t)u->f->inputs + 1) * sizeof *u->types);
    return ctx_status(c);
}

static bool take_all_captures(wf_ctx *c, Custom *u, uint32_t nbodies)
{
    u->nbodies = nbodies;
    return body_captures(c, u->b, nbodies, &u->caps, &u->ncaps);
}

/* ---- custom_jvp ---- */

static bool trace_jvp_rule(wf_ctx *c, Custom *u, const wf_function *rule)
{
    uint32_t nin = (uint32_t)u->f->inputs, n = nin;
    size_t room = (2 * (size_t)nin + 1) * sizeof(InType);
    InType *t = mem_alloc(&c->al, room);
    bool ok;

    if (!t)
        return fail_memory(c);
    memcpy(t, u->types, nin * sizeof *t);
    for (uint32_t i = 0; i < nin; i++)
        if (dtype_is_differentiable(t[i].dtype)) {
            t[n] = t[i];
            t[n++].weak = false;
        }
    ok = trace_rule(c, u->f, u->types, rule, t, n, &u->b[1]);
    mem_free(&c->al, t, room);
    return ok;
}

static void finish_jvp(wf_ctx *c, Custom *u, const wf_tensor *in, void *user,
                       wf_tensor *out)
{
    CustomJvpAttr a = {.self = u->self};

    if ((!u->self && !trace_jvp_rule(c, u, user)) ||
        !take_all_captures(c, u, u->self ? 1 : 2) ||
        !make_body(c, u, &u->b[0], false, false))
        return;
    a.primal = body_sub(&u->b[0]);
    if (!u->self) {
        if (!make_body(c, u, &u->b[1], true, false))
            return;
        a.rule = body_sub(&u->b[1]);
    }
    apply_custom(c, u, OP_custom_jvp, &a, in, out);
}

wf_status wf_custom_jvp_call(wf_ctx *c, const wf_function *f, const wf_function *rule,
                             const wf_tensor *in, int nin, wf_tensor *out, int nout)
{
    Custom u = {.fn = "wf_custom_jvp_call", .f = f};

    IN_GRAPH_(graph_enter_handles(c, in, nin));

    if (failed(c) || !ts(c) || !check_rule(c, rule, u.fn))
        return ctx_status(c);
    return custom_call(c, &u, in, nin, out, nout, finish_jvp, (void *)(uintptr_t)rule);
}

/* ---- custom_vjp ---- */

typedef struct VjpRules {
    const wf_function *forward, *backward;
} VjpRules;

/* Trace forward, then backward on what it saves and the cotangents of float results. */
static bool trace_vjp_rules(wf_ctx *c, Custom *u, const VjpRules *r)
{
    const Program *p, *f = u->b[0].t.p;
    size_t room = ((size_t)u->f->inputs + 1) * sizeof(InType);
    uint32_t n = 0, nout = u->b[0].t.nout;
    InType *t;
    bool ok;

    if (!(t = mem_alloc(&c->al, room)))
        return fail_memory(c);
    memcpy(t, u->types, room);
    ok = trace_rule(c, u->f, u->types, r->forward, t, (uint32_t)u->f->inputs, &u->b[1]);
    mem_free(&c->al, t, room);
    if (!ok)
        return false;
    p = u->b[1].t.p;
    if (p->nout < nout) {
        tensor_fail(c, WF_ERR_ARG,
              "%s: forward has %u results, needs at least the %u of the function", u->fn,
              p->nout, nout);
        return false;
    }
    room = ((size_t)p->nout + 1) * sizeof *t;
    if (!(t = mem_alloc(&c->al, room)))
        return fail_memory(c);
    ok = true;
    for (uint32_t j = nout; j < p->nout && ok; j++)
        ok = type_outside(c, p, val_type(p, p->outs[j]), false, &t[n++]);
    for (uint32_t j = 0; j < nout && ok; j++)
        if (is_float_type(val_type(f, f->outs[j])))
            ok = type_outside(c, f, val_type(f, f->outs[j]), false, &t[n++]);
    ok = ok && trace_rule(c, u->f, u->types, r->backward, t, n, &u->b[2]);
    mem_free(&c->al, t, room);
    return ok;
}

static void finish_vjp(wf_ctx *c, Custom *u, const wf_tensor *in, void *user,
                       wf_tensor *out)
{
    CustomVjpAttr a = {.self = u->self};

    if ((!u->self && !trace_vjp_rules(c, u, user)) ||
        !take_all_captures(c, u, u->self ? 1 : 3) ||
        !make_body(c, u, &u->b[0], false, false))
        return;
    a.primal = body_sub(&u->b[0]);
    if (!u->self) {
        if (!make_body(c, u, &u->b[1], false, true) ||
            !make_backward_body(c, u, u->b[1].t.nout - u->b[0].t.nout))
            return;
        a.fwd = body_sub(&u->b[1]);
        a.bwd = body_sub(&u->b[2]);
    }
    apply_custom(c, u, OP_custom_vjp, &a, in, out);
}

wf_status wf_custom_vjp_call(wf_ctx *c, const wf_function *f, const wf_function *forward,
                             const wf_function *backward, const wf_tensor *in, int nin,
                             wf_tensor *out, int nout)
{
    VjpRules r = {forward, backward};
    Custom u = {.fn = "wf_custom_vjp_call", .f = f};

    IN_GRAPH_(graph_enter_handles(c, in, nin));

    if (failed(c) || !ts(c) || !check_rule(c, forward, u.fn) ||
        !check_rule(c, backward, u.fn))
        return ctx_status(c);
    return custom_call(c, &u, in, nin, out, nout, finish_vjp, &r);
}
