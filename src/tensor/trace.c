/* trace.c -- programs from calls: emitting equations into the program that is being built.
 *
 * Traces nest. Equations always go to the innermost. An operand that belongs to an outer trace, or a
 * recorded concrete one, is captured: it becomes an input behind the others and is handed in where the
 * finished program is applied, so that derivatives and batches flow through it. Other concrete operands
 * become constants (see TraceKind).
 *
 * The builder outlives the calls, whose pools release constants and sub-programs: trace_hold keeps a
 * reference for each equation.
 */
#include "tensor/tensor.h"

/* ---- life ---- */

static void nothing(void *obj) { (void)obj; }

/* Take the builder out of the pool of the current call. */
static void keep_builder(wf_ctx *c, Builder *b)
{
    for (uint32_t i = c->pool.n; i-- > 0;)
        if (c->pool.v[i].obj == b) {
            c->pool.v[i].fn = nothing;
            return;
        }
}

static bool make_builder(wf_ctx *c, Trace *tr, const char *name)
{
    T_ENTER(c, false)
    tr->b = builder_new(c, name, B_OPTIMISE);
    keep_builder(c, tr->b);
    T_LEAVE(c);
    return true;
}

Trace *trace_new(wf_ctx *c, const char *name)
{
    Tensors *s = ts(c);
    Trace *tr = s && !failed(c) ? mem_alloc(&c->al, sizeof *tr) : NULL;

    if (!tr) {
        fail_memory(c);
        return NULL;
    }
    memset(tr, 0, sizeof *tr);
    if (!make_builder(c, tr, name)) {
        mem_free(&c->al, tr, sizeof *tr);
        return NULL;
    }
    tr->no_grad = s->no_grad;
    tr->id = s->next_trace++;
    return tr;
}

Trace *trace_begin(wf_ctx *c, const char *name)
{
    Trace *tr = trace_new(c, name);

    if (tr) {
        tr->outer = c->tensors->trace;
        c->tensors->trace = tr;
    }
    return tr;
}

static void retain_sub(void *user, const Sub *sub)
{
    (void)user;
    program_retain(sub->p);
}

static void release_sub(void *user, const Sub *sub)
{
    (void)user;
    program_release(sub->p);
}

void trace_hold(Trace *tr)
{
    for (; tr->held < tr->b->eqns.n; tr->held++) {
        const Eqn *e = &tr->b->eqns.v[tr->held];
        if (e->op == OP_const)
            const_data_retain(((const ConstAttr *)e->attr)->data);
        else if (op_has(e->op, OPF_CONTROL))
            attr_each_sub(op_row(e->op), e->attr, retain_sub, NULL);
    }
}

void trace_free(wf_ctx *c, Trace *tr)
{
    for (uint32_t i = 0; i < tr->held; i++) {
        const Eqn *e = &tr->b->eqns.v[i];
        if (e->op == OP_const)
            const_data_release(((const ConstAttr *)e->attr)->data);
        else if (op_has(e->op, OPF_CONTROL))
            attr_each_sub(op_row(e->op), e->attr, release_sub, NULL);
    }
    for (uint32_t i = 0; i < tr->ncaptures; i++)
        tensor_release(c, tr->captures[i].t);
    mem_free(&c->al, tr->captures, tr->capture_cap * sizeof *tr->captures);
    mem_free(&c->al, tr->vary, tr->nvary * sizeof *tr->vary);
    arena_free(&tr->b->arena);
    mem_free(&c->al, tr->b, sizeof *tr->b);
    mem_free(&c->al, tr, sizeof *tr);
}

void trace_end(wf_ctx *c)
{
    Trace *tr = c->tensors->trace;

    c->tensors->trace = tr->outer;
    if (tr->graph)
        tr->outer = NULL; /* entered, and left open */
    else
        trace_free(c, tr);
}

/* Not inlined: its callers set jumps, across which a walking pointer would not be kept. */
__attribute__((noinline)) Trace *trace_find(wf_ctx *c, uint64_t id)
{
    Trace *tr = c->tensors->trace;

    while (tr && tr->id != id)
        tr = tr->outer;
    return tr ? tr : graph_find(c, id);
}

Trace *trace_of_size(Trace *tr, Dim d)
{
    while (d < 0 && tr && !dim_is_of(&tr->b->dims, d))
        tr = tr->graph ? NULL : tr->outer;
    return tr;
}

__attribute__((noinline)) bool trace_size(wf_ctx *c, Trace *tr, Dim *d) /* as trace_find */
{
    Trace *from = trace_of_size(tr, *d);

    if (*d < 0 && from)
        *d = trace_dim(c, tr->b, from, *d);
    return from != NULL;
}

/* ---- values ---- */

Dim trace_dim(wf_ctx *c, Builder *to, Trace *from, Dim d)
{
    const Dims *f = &from->b->dims;
    Dim *map;

    if (d >= 0 || to == from->b)
        return d;
    map = arena_array(&c->scratch, f->syms.n + 1, sizeof *map);
    for (uint32_t i = 0; i < f->syms.n; i++) {
        map[i] = dim_find(&to->dims, f->syms.v[i].name);
        if (map[i] == DIM_NONE) {
            map[i] = b_symbol(to, f->syms.v[i].name);
            to->dims.syms.v[to->dims.syms.n - 1].hint = f->syms.v[i].hint;
        }
    }
    return dim_subst(&to->dims, f, d, map);
}

static Val capture(wf_ctx *c, Trace *tr, Tensor *t, Trace *from)
{
    Dim dims[MAX_RANK];
    Tensor *held;
    Val v;

    for (uint32_t i = 0; i < tr->ncaptures; i++)
        if (tr->captures[i].t == t ||
            (t->symbolic && tr->captures[i].t->symbolic &&
             tr->captures[i].t->trace == t->trace && tr->captures[i].t->val == t->val))
            return tr->captures[i].val;
    if (tr->ncaptures == tr->capture_cap) {
        uint32_t cap = tr->capture_cap ? tr->capture_cap * 2 : 8;
        Capture *v2 = mem_alloc(&c->al, cap * sizeof *v2);
        if (!v2)
            ctx_out_of_memory(c);
        if (tr->ncaptures)
            memcpy(v2, tr->captures, tr->ncaptures * sizeof *v2);
        mem_free(&c->al, tr->captures, tr->capture_cap * sizeof *v2);
        tr->captures = v2;
        tr->capture_cap = cap;
    }
    for (uint32_t i = 0; i < t->rank; i++)
        dims[i] = from ? trace_dim(c, tr->b, from, t->dims[i]) : t->dims[i];
    v = b_input(tr->b, NULL, b_make_type(tr->b, (wf_dtype)t->dtype, dims, t->rank));
    held = from ? tensor_symbol(c, from, t->val) : tensor_retain(t);
    if (!held) /* a symbol of its own: t may be written to in this trace, and then is one of it */
        return VAL_NONE;
    held->weak = t->weak;
    trace_set_vary(c, tr, v, tensor_vary(c, t));
    tr->captures[tr->ncaptures++] = (Capture){held, v};
    return v;
}

Val trace_capture(wf_ctx *c, Trace *tr, Tensor *t) { return capture(c, tr, t, NULL); }

/* Elements as a constant. Those that a view repeats stand there once, and are broadcast. */
static Val constant(wf_ctx *c, Trace *tr, const Tensor *t)
{
    wf_dtype dtype = (wf_dtype)t->dtype;
    Type type = b_make_type(tr->b, dtype, t->dims, t->rank);
    int64_t dims[MAX_RANK], strides[MAX_RANK], map[MAX_RANK];
    Tensor once = *t;
    void *data;
    Val v;

    once.array = NULL; /* on a device: of t's own sizes */
    once.dims = dims;
    once.strides = strides;
    once.rank = 0;
    once.count = 1;
    once.packed = t->packed;
    for (uint32_t i = 0; i < t->rank; i++) {
        if (t->dims[i] > 1 && t->strides[i] == 0) {
            once.packed = false;
            continue;
        }
        map[once.rank] = i;
        dims[once.rank] = t->dims[i];
        strides[once.rank++] = t->strides[i];
        once.count *= t->dims[i];
    }
    data = arena_alloc(&c->scratch, (size_t)once.count * wf_dtype_size(dtype));
    tensor_read(&once, data);
    wf_array_release(once.array);
    if (once.rank == t->rank)
        return b_const(tr->b, type, data);
    if (once.count == 1)
        return b_splat_bits(tr->b, type, data);
    v = b_const(tr->b, b_make_type(tr->b, dtype, dims, once.rank), data);
    return b_broadcast(tr->b, v, t->dims, t->rank, map);
}

Val trace_value(wf_ctx *c, Trace *tr, Tensor *t)
{
    Tensors *s = c->tensors;
    Trace *from;

    if (t->symbolic && t->base)
        view_make_again(c, t);
    if (t->symbolic && t->trace == tr->id)
        return t->val;
    if (t->symbolic && tr->graph) {
        tensor_fail(c, WF_ERR_ARG, "a tensor of another graph or trace is used in graph '%s'",
              tr->b->name);
        return VAL_NONE;
    }
    if (t->symbolic) {
        if (!(from = trace_find(c, t->trace))) {
            tensor_fail(c, WF_ERR_ARG,
                  "a symbolic tensor is used after the trace that made it has ended");
            return VAL_NONE;
        }
        return capture(c, tr, t, from);
    }
    if ((tr->kind == TRACE_BODY && !t->weak) || (tr->kind != TRACE_CLOSED && tensor_is_parted(t)) ||
        (tr->kind != TRACE_CLOSED && !s->no_grad && t->need & s->recorders))
        return capture(c, tr, t, NULL);
    if (tr->graph && !s->no_grad && t->need & s->recorders & ~(uint64_t)1) {
        tensor_fail(c, WF_ERR_VALUE,
              "a tensor that is being differentiated would be a constant in graph '%s'; "
              "enter the graph before the derivative is taken",
              tr->b->name);
        return VAL_NONE;
    }
    return constant(c, tr, t);
}

static bool can_build(wf_ctx *c, const Trace *tr)
{
    if (!tr)
        tensor_fail(c, WF_ERR_ARG,
              "a symbolic tensor is used after the trace that made it has ended");
    else if (tr->broken)
        tensor_fail(c, WF_ERR_MEMORY, "the program being built ran out of memory");
    return !failed(c);
}

static Trace *innermost(wf_ctx *c)
{
    return can_build(c, c->tensors->trace) ? c->tensors->trace : NULL;
}

static bool take_values(wf_ctx *c, Trace *tr, const Val *v, Tensor **out, uint32_t n)
{
    for (uint32_t j = 0; j < n && !failed(c); j++)
        if (!(out[j] = tensor_symbol(c, tr, v[j])))
            break;
    if (!failed(c))
        return true;
    for (uint32_t j = 0; j < n; j++) {
        tensor_release(c, out[j]);
        out[j] = NULL;
    }
    return false;
}

typedef struct Foreign {
    const Trace *tr;
    Dim d; /* one that is not of tr; 0: none */
    bool own;
} Foreign;

static void find_foreign(void *user, Dim d, bool defines)
{
    Foreign *f = user;

    (void)defines;
    if (d >= 0 || d == DIM_NONE)
        return;
    if (dim_is_of(&f->tr->b->dims, d))
        f->own = true;
    else
        f->d = d;
}

/* Inside a region: the attribute with sizes of tr, where it has some of a trace around it. NULL with an error: of another
 * graph, or of none that is open. */
static const void *own_sizes(wf_ctx *c, Trace *tr, OpCode op, const void *attr)
{
    Foreign f = {tr, 0, false};
    Trace *from;
    Dim *map;

    if (attr)
        attr_each_dim(op_row(op), attr, find_foreign, &f);
    if (!f.d)
        return attr;
    from = trace_of_size(tr, f.d);
    if (!from || f.own) {
        tensor_fail(c, WF_ERR_ARG, "%s: a size of another graph or trace is used in '%s'",
              op_name(op), tr->b->name);
        return NULL;
    }
    map = arena_array(&c->scratch, from->b->dims.syms.n + 1, sizeof *map);
    for (uint32_t i = 0; i < from->b->dims.syms.n; i++)
        map[i] = trace_dim(c, tr->b, from, from->b->dims.syms.v[i].dim);
    return attr_copy(op_row(op), attr, &c->scratch, &tr->b->dims, &from->b->dims, map);
}

/* In a hinted trace an op that does not take its operands gets them with the sizes of the example. */
static Val *emit_eqn(wf_ctx *c, Trace *tr, OpCode op, const Val *in, uint32_t nin,
                     const void *attr, uint32_t *n)
{
    Val *out;

    if (!hinted_trace(c))
        return b_eqn_n(tr->b, op, in, nin, joining_trace(c) ? hint_attr(c, tr, op, attr) : attr, n);
    out = b_eqn_n(tr->b, op, in, nin, hint_attr(c, tr, op, attr), n);
    if (c->status != WF_ERR_SHAPE && c->status != WF_ERR_TYPE &&
        c->status != WF_ERR_GUARD)
        return out;
    wf_clear(c);
    for (uint32_t i = 0; i < nin && !failed(c); i++)
        for (uint32_t k = 0; k < b_rank(tr->b, in[i]) && !failed(c); k++)
            hint_pin(c, b_dim(tr->b, in[i], k));
    return b_eqn_n(tr->b, op, in, nin, hint_attr(c, tr, op, attr), n);
}

bool trace_emit(wf_ctx *c, OpCode op, Tensor *const *in, uint32_t nin, const void *attr,
                Tensor **out, uint32_t nout)
{
    Trace *tr = innermost(c);
    const void *own; /* attr, its sizes those of this trace */
    Val *vals, *res;
    uint32_t n = 0;
    bool ok = false;

    if (!tr)
        return false;
    T_ENTER(c, false)
    tr->broken = true;
    b_at(tr->b, c->tensors->place);
    vals = arena_array(&c->scratch, nin + 1, sizeof *vals);
    for (uint32_t i = 0; i < nin && !failed(c); i++)
        vals[i] = trace_value(c, tr, in[i]);
    own = failed(c) ? NULL : own_sizes(c, tr, op, attr);
    res = failed(c) ? NULL : emit_eqn(c, tr, op, vals, nin, own, &n);
    /* what a function computes without a gradient, in a place of its own */
    for (uint32_t j = 0; c->tensors->no_grad > tr->no_grad && !tr->hinted && j < n && !failed(c); j++)
        if (dtype_is_differentiable(b_dtype(tr->b, res[j])))
            res[j] = b_eqn1(tr->b, OP_stop_gradient, &res[j], 1, NULL);
    trace_hold(tr);
    tr->broken = false;
    if (!failed(c) && n != nout)
        fail(c, WF_ERR_INTERNAL, NOWHERE, "%s gives %u results, %u were asked for",
             op_name(op), n, nout);
    ok = !failed(c) && take_values(c, tr, res, out, nout);
    if (ok && (op_has(op, OPF_VIEW | OPF_SAME) || op == OP_real || op == OP_imag) && op != OP_name &&
        op != OP_opt_barrier && in[0]->symbolic && in[0]->trace == tr->id) {
        Sharing how = op == OP_reshape
                          ? view_reshapes(tr->b, in[0], out[0]->dims, out[0]->rank)
                          : SHARES;
        if (how != COPIES)
            view_remember(tr, in[0], out[0], (int)op, own);
        out[0]->view_unsure = how == UNSURE;
    }
    T_LEAVE(c);
    return ok;
}

bool trace_call(wf_ctx *c, const Program *p, Tensor *const *in, uint32_t nin,
                Tensor **out, uint32_t nout)
{
    Trace *tr = innermost(c);
    Val *vals, *res;
    bool ok = false, plain;

    if (!tr)
        return false;
    T_ENTER(c, false)
    tr->broken = true;
    b_at(tr->b, c->tensors->place);
    vals = arena_array(&c->scratch, nin + 1, sizeof *vals);
    res = arena_array(&c->scratch, nout + 1, sizeof *res);
    plain = p->dims.syms.n == 0;
    for (uint32_t i = 0; i < nin && !failed(c); i++) {
        vals[i] = trace_value(c, tr, in[i]);
        plain = plain && vals[i] &&
                type_same_shape(b_type(tr->b, vals[i]), val_type(p, program_in(p, i))) &&
                b_dtype(tr->b, vals[i]) == (wf_dtype)val_type(p, program_in(p, i)).dtype;
    }
    if (!failed(c)) {
        uint32_t n = nout;
        if (plain)
            b_inline(tr->b, p, NULL, vals, res, NULL);
        else if (defines_sizes(p))
            b_inline_sub(tr->b, &(Sub){.p = p}, vals, res, NULL);
        else
            res = b_call(tr->b, &(Sub){.p = p}, vals, nin,
                         &n); /* matches types, binds symbols */
    }
    trace_hold(tr);
    tr->broken = false;
    ok = !failed(c) && take_values(c, tr, res, out, nout);
    T_LEAVE(c);
    return ok;
}

wf_tensor trace_input(wf_ctx *c, Trace *tr, const char *name, wf_dtype dtype,
                      const Dim *dims, uint32_t rank)
{
    Tensor *t = NULL;

    if (!can_build(c, tr))
        return WF_NONE;
    T_ENTER(c, WF_NONE)
    tr->broken = true;
    Val v = b_input(tr->b, name, b_make_type(tr->b, dtype, dims, rank));
    tr->broken = false;
    t = failed(c) ? NULL : tensor_symbol(c, tr, v);
    T_LEAVE(c);
    return tensor_handle(c, t);
}

const Program *trace_finish(wf_ctx *c, const wf_tensor *out, uint32_t nout)
{
    Trace *tr = innermost(c);
    const Program *p = NULL;
    Val *vals;

    if (!tr)
        return NULL;
    T_ENTER(c, NULL)
    tr->broken = true;
    vals = arena_array(&c->scratch, nout + 1, sizeof *vals);
    for (uint32_t j = 0; j < nout && !failed(c); j++) {
        Tensor *t = tensor_get(c, out[j], "a traced function's result");
        vals[j] = t ? trace_value(c, tr, t) : VAL_NONE;
    }
    trace_hold(tr);
    if (!failed(c))
        p = program_retain(builder_finish(tr->b, vals, nout));
    tr->broken = false;
    T_LEAVE(c);
    return p;
}

/* ---- sizes ---- */

bool shape_of(wf_ctx *c, wf_tensor h, const char *fn, Shape *out)
{
    Tensor *t = tensor_get(c, h, fn);
    Trace *from, *to;
    bool plain = true;

    if (!t)
        return false;
    out->rank = t->rank;
    for (uint32_t i = 0; i < t->rank; i++) {
        out->d[i] = t->dims[i];
        plain = plain && t->dims[i] >= 0;
    }
    to = c->tensors->trace;
    if (plain || (to && t->trace == to->id))
        return true;
    from = trace_find(c, t->trace);
    if (from && !to)
        return true; /* of its graph */
    if (!from) {
        tensor_fail(c, WF_ERR_ARG,
              "%s: a symbolic tensor is used after the trace that made it has ended", fn);
        return false;
    }
    T_ENTER(c, false)
    for (uint32_t i = 0; i < t->rank; i++)
        out->d[i] = trace_dim(c, to->b, from, t->dims[i]);
    T_LEAVE(c);
    return !failed(c);
}

static void no_size(wf_ctx *c, Dim a, Dim b, const char *what)
{
    tensor_fail(c, WF_ERR_ARG, "%s: a symbolic size means nothing outside its program%s", what,
          a == -1 || b == -1 ? "; for the size that is left over say WF_INFER, not -1" : "");
}

static Dim size_op(wf_ctx *c, Dim a, Dim b, Dim (*fn)(Dims *, Dim, Dim), const char *what)
{
    IN_GRAPH_OF_SIZE(c, MIN(a, b));
    Trace *tr = c->tensors ? c->tensors->trace : NULL;
    Dim r = 0;

    if (failed(c))
        return 0;
    if (!tr) {
        no_size(c, a, b, what);
        return 0;
    }
    T_ENTER(c, 0)
    if (trace_size(c, tr, &a) && trace_size(c, tr, &b))
        r = fn(&tr->b->dims, a, b);
    else
        no_size(c, a, b, what);
    T_LEAVE(c);
    return r;
}

Dim size_add(wf_ctx *c, Dim a, Dim b)
{
    int64_t r;
    return a >= 0 && b >= 0 && add_i64(a, b, &r) ? r : size_op(c, a, b, dim_add, "size");
}

/* The result of a - b must not be negative where both are numbers. */
Dim size_sub(wf_ctx *c, Dim a, Dim b)
{
    return a >= 0 && b >= 0 && a >= b ? a - b : size_op(c, a, b, dim_sub, "size");
}

static Dim sub_or_zero(Dims *t, Dim a, Dim b)
{
    Dim d = dim_sub(t, a, b);
    int64_t v;

    return dim_value(t, d, &v) && v < 0 ? 0 : d;
}

Dim size_sub_or_zero(wf_ctx *c, Dim a, Dim b)
{
    if (a >= 0 && b >= 0)
        return MAX(a - b, 0);
    return size_op(c, a, b, sub_or_zero, "size");
}

Dim size_mul(wf_ctx *c, Dim a, Dim b)
{
    int64_t r;

    if (a >= 0 && b >= 0) {
        if (mul_i64(a, b, &r))
            return r;
        tensor_fail(c, WF_ERR_LIMIT, "a shape has too many elements");
        return 0;
    }
    return size_op(c, a, b, dim_mul, "size");
}

Dim size_div(wf_ctx *c, Dim a, Dim b)
{
    return a >= 0 && b > 0 ? a / b : size_op(c, a, b, dim_div, "size");
}

Dim size_prod(wf_ctx *c, const Dim *d, uint32_t n)
{
    Dim r = 1;

    for (uint32_t i = 0; i < n; i++)
        r = size_mul(c, r, d[i]);
    return r;
}

static bool divided(wf_ctx *c, Dim a, Dim b, bool by_hint, Dim *out_q)
{
    IN_GRAPH_OF_SIZE(c, MIN(a, b));
    Trace *tr = c->tensors ? c->tensors->trace : NULL;
    bool ok;

    if (a >= 0 && b > 0) {
        *out_q = a / b;
        return a % b == 0;
    }
    if ((a >= 0 && b >= 0) || !tr)
        return false;
    T_ENTER(c, false)
    ok = trace_size(c, tr, &a) && trace_size(c, tr, &b);
    a = hint_size(c, tr, a);
    b = hint_size(c, tr, b);
    ok = ok && (dim_exact(&tr->b->dims, a, b, out_q) || (by_hint && hint_exact(c, a, b, out_q)));
    T_LEAVE(c);
    return ok;
}

bool size_exact(wf_ctx *c, Dim a, Dim b, Dim *out_q) { return divided(c, a, b, true, out_q); }

bool size_quotient(wf_ctx *c, Dim a, Dim b, Dim *out_q) { return divided(c, a, b, false, out_q); }

bool axis_of(wf_ctx *c, const char *fn, int axis, uint32_t rank, uint32_t *out)
{
    if (axis < -(int)rank || axis >= (int)rank) {
        tensor_fail(c, WF_ERR_INDEX, "%s: axis %d is out of range for a tensor of rank %u", fn,
              axis, rank);
        return false;
    }
    *out = (uint32_t)(axis < 0 ? axis + (int)rank : axis);
    return true;
}

wf_tensor size_tensor(wf_ctx *c, Dim d)
{
    Tensor *t = NULL;
    wf_tensor h;

    IN_GRAPH_OF_SIZE(c, d);
    if (d >= 0)
        return wf_int(c, d);
    if (!trace_emit(c, OP_dim, NULL, 0, &(DimAttr){d}, &t, 1))
        return WF_NONE;
    t->weak = true;
    h = tensor_handle(c, t);
    return h;
}
