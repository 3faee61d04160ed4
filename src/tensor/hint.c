/* hint.c -- traces whose sizes are symbols with the example's sizes as hints; and sizes
 * as hosts see them.
 *
 * Every size of the example but 0 becomes a symbol of its own; a 1 that is broadcast
 * stays 1. Where the computation needs two sizes to be equal that agree in the example,
 * one symbol is replaced by the other or by the number, in everything traced so far;
 * where a host needs a number (a loop over an axis, a branch), the symbols take their
 * hints. What was replaced by a number stands as a number in the types of the inputs,
 * and is checked where the program is bound. All other sizes stay symbols, so that one
 * trace serves them all.
 *
 * Graphs and traces with named symbols join sizes in the same way where
 * wf_semantics.size_guards asks for it, without hints: what was joined is checked where the
 * program is bound.
 *
 * Symbols have the same names in the traces inside a hinted one, and are replaced in all
 * of them. A dim that somebody still holds keeps its meaning: it is translated where it
 * enters an equation (alias).
 */
#include "tensor/tensor.h"

Trace *hinted_trace(wf_ctx *c)
{
    Trace *tr = c->tensors ? c->tensors->trace : NULL;

    while (tr && !tr->hinted)
        tr = tr->outer;
    return tr;
}

Trace *joining_trace(wf_ctx *c)
{
    Trace *tr = c->tensors ? c->tensors->trace : NULL;

    while (tr && !tr->hinted && !tr->guarded)
        tr = tr->outer;
    return tr;
}

/* ---- what symbols were replaced by ---- */

static const Dim *alias_of(Trace *tr)
{
    const Dims *d = &tr->b->dims;

    if (tr->nalias < d->syms.n) {
        Dim *v = arena_array(&tr->b->arena, d->syms.n, sizeof *v);
        for (uint32_t i = 0; i < d->syms.n; i++)
            v[i] = i < tr->nalias ? tr->alias[i] : d->syms.v[i].dim;
        tr->alias = v;
        tr->nalias = d->syms.n;
    }
    return tr->alias;
}

static Dim settled(Trace *tr, Dim d)
{
    return d >= 0 ? d : dim_subst(&tr->b->dims, &tr->b->dims, d, alias_of(tr));
}

Dim hint_size(wf_ctx *c, Trace *tr, Dim d) { return joining_trace(c) ? settled(tr, d) : d; }

const void *hint_attr(wf_ctx *c, Trace *tr, OpCode op, const void *attr)
{
    return attr ? attr_copy(op_row(op), attr, &c->scratch, &tr->b->dims, &tr->b->dims,
                            alias_of(tr))
                : NULL;
}

static void substitute_dims(Trace *tr, Tensor *t, const Dim *map)
{
    for (; t && t->symbolic; t = t->base)
        for (uint32_t i = 0; i < t->rank && t->trace == tr->id; i++)
            if (t->dims[i] < 0)
                t->dims[i] = dim_subst(&tr->b->dims, &tr->b->dims, t->dims[i], map);
}

static void substitute_in(wf_ctx *c, Trace *tr, uint32_t sym, Dim to)
{
    Dims *d = &tr->b->dims;
    Dim *map = arena_array(&tr->b->arena, d->syms.n, sizeof *map);

    alias_of(tr);
    for (uint32_t i = 0; i < d->syms.n; i++)
        map[i] = i == sym ? to : d->syms.v[i].dim;
    b_substitute(tr->b, map);
    for (uint32_t i = 0; i < tr->nalias; i++)
        tr->alias[i] =
            tr->alias[i] >= 0 ? tr->alias[i] : dim_subst(d, d, tr->alias[i], map);
    for (uint32_t i = 0; i < c->tensors->nslots; i++)
        substitute_dims(tr, c->tensors->slots[i].t, map);
    for (Trace *in = c->tensors->trace; in; in = in->outer) /* symbols that bodies hold of it */
        for (uint32_t i = 0; i < in->ncaptures; i++)
            substitute_dims(tr, in->captures[i].t, map);
    for (Trace *in = c->tensors->trace; in && in != tr; in = in->outer)
        if (in->outer == tr && in->axis.name && in->axis.size < 0)
            in->axis.size = dim_subst(d, d, in->axis.size, map);
}

/* Symbol sym of the innermost trace becomes `to`, a dim of that trace, in all traces up
 * to the hinted one. */
static void substitute(wf_ctx *c, uint32_t sym, Dim to)
{
    Trace *in = c->tensors->trace, *root = joining_trace(c);
    const char *name = in->b->dims.syms.v[sym].name;

    for (Trace *tr = root->outer; in && in != tr; in = in->outer) {
        Trace *first = c->tensors->trace;
        Dim d = dim_find(&in->b->dims, name);
        if (d != DIM_NONE && !failed(c))
            substitute_in(c, in, dim_node(&in->b->dims, d)->sym,
                          trace_dim(c, in->b, first, to));
    }
}

/* ---- by hints ---- */

static bool hint_of(wf_ctx *c, Trace *tr, Dim d, int64_t *out)
{
    const Dims *t = &tr->b->dims;
    int64_t *v = arena_array(&c->scratch, t->syms.n + 1, sizeof *v);

    for (uint32_t i = 0; i < t->syms.n; i++)
        v[i] = t->syms.v[i].hint > 0 ? t->syms.v[i].hint : -1;
    return dim_eval(t, d, v, out);
}

static bool is_symbol(const Trace *tr, Dim d)
{
    return d < 0 && d != DIM_NONE && dim_node(&tr->b->dims, d)->kind == DIM_SYM;
}

/* d with the symbol replaced by a number: not d, where d mentions it. */
static bool mentions(Trace *tr, Dim d, uint32_t sym)
{
    Dims *t = &tr->b->dims;
    Dim *map = arena_array(&t->cx->scratch, t->syms.n, sizeof *map);

    for (uint32_t i = 0; i < t->syms.n; i++)
        map[i] = i == sym ? MAX(t->syms.v[i].hint, 1) : t->syms.v[i].dim;
    return d < 0 && dim_subst(t, t, d, map) != d;
}

void hint_pin(wf_ctx *c, Dim d)
{
    Trace *tr = c->tensors->trace;

    d = settled(tr, d);
    for (uint32_t i = 0; i < tr->b->dims.syms.n && d < 0 && !failed(c); i++)
        if (tr->b->dims.syms.v[i].hint > 0 && mentions(tr, d, i)) {
            substitute(c, i, tr->b->dims.syms.v[i].hint);
            d = settled(tr, d);
        }
}

/* A symbol that an input has, not one that an equation defines. */
static bool is_free(wf_ctx *c, const Trace *tr, Dim d)
{
    Trace *root = joining_trace(c);
    Dim there;

    if (!is_symbol(tr, d) ||
        tr->b->dims.syms.v[dim_node(&tr->b->dims, d)->sym].origin == SYM_EQN)
        return false;
    there =
        dim_find(&root->b->dims, tr->b->dims.syms.v[dim_node(&tr->b->dims, d)->sym].name);
    return there != DIM_NONE &&
           root->b->dims.syms.v[dim_node(&root->b->dims, there)->sym].origin != SYM_EQN;
}

static bool replace_by(wf_ctx *c, Trace *tr, Dim symbol, Dim by)
{
    uint32_t sym;

    if (!is_free(c, tr, symbol) || dim_mentions(&tr->b->dims, by, SYM_EQN))
        return false;
    sym = dim_node(&tr->b->dims, symbol)->sym;
    if (mentions(tr, by, sym))
        return false;
    substitute(c, sym, by);
    return true;
}

/* Inside a region, symbols only. */
static bool make_same(wf_ctx *c, Dim a, Dim b)
{
    Trace *tr = c->tensors->trace;
    int64_t x, y;

    if (!trace_size(c, tr, &a) || !trace_size(c, tr, &b))
        return false;
    if (a == b)
        return true;
    if (!joining_trace(c))
        return false;
    a = settled(tr, a);
    b = settled(tr, b);
    if (a == b)
        return true;
    if (hinted_trace(c) && (!hint_of(c, tr, a, &x) || !hint_of(c, tr, b, &y) || x != y))
        return false;
    if (is_symbol(tr, a) && is_symbol(tr, b) &&
        a < b) { /* the older one stays: nodes count down */
        Dim t = a;
        a = b;
        b = t;
    }
    if (!replace_by(c, tr, b, a) && !replace_by(c, tr, a, b) && hinted_trace(c)) {
        hint_pin(c, a);
        hint_pin(c, b);
    }
    return !failed(c) && settled(tr, a) == settled(tr, b);
}

bool size_same(wf_ctx *c, Dim a, Dim b)
{
    IN_GRAPH_OF_SIZE(c, MIN(a, b));
    bool ok;

    if (a == b)
        return true;
    if ((a >= 0 && b >= 0) || failed(c) || !c->tensors->trace)
        return false;
    T_ENTER(c, false)
    ok = make_same(c, a, b);
    T_LEAVE(c);
    return ok;
}

bool size_same_or_guarded(wf_ctx *c, Dim a, Dim b)
{
    IN_GRAPH_OF_SIZE(c, MIN(a, b));
    bool ok = false;
    int64_t x, y;
    Trace *tr;
    Dims *d;

    if (a == b || failed(c) || !joining_trace(c))
        return a == b;
    T_ENTER(c, false)
    tr = c->tensors->trace;
    d = &tr->b->dims;
    if (trace_size(c, tr, &a) && trace_size(c, tr, &b)) {
        a = settled(tr, a);
        b = settled(tr, b);
        if (is_symbol(tr, a) && is_symbol(tr, b))
            ok = make_same(c, a, b);
        else if (tr == joining_trace(c) && !dim_mentions(d, a, SYM_EQN) && !dim_mentions(d, b, SYM_EQN) &&
                 !dim_value(d, dim_sub(d, a, b), &x) && (!tr->hinted || (hint_of(c, tr, a, &x) && hint_of(c, tr, b, &y) && x == y)))
            ok = dim_guard(d, a, true, b, c->tensors->place);
    }
    T_LEAVE(c);
    return ok;
}

bool size_is_found(wf_ctx *c, Dim d)
{
    IN_GRAPH_OF_SIZE(c, d);
    bool found = false;
    Trace *tr;

    if (d >= 0 || failed(c) || !joining_trace(c))
        return false;
    T_ENTER(c, false)
    tr = c->tensors->trace;
    for (uint32_t i = 0; trace_size(c, tr, &d) && i < tr->b->dims.syms.n && !found; i++)
        found = mentions(tr, d, i) && !is_free(c, tr, tr->b->dims.syms.v[i].dim);
    T_LEAVE(c);
    return found;
}

bool size_one(wf_ctx *c, Dim d)
{
    IN_GRAPH_OF_SIZE(c, d);
    int64_t v = 0;

    if (d >= 0)
        return d == 1;
    if (failed(c) || !hinted_trace(c))
        return false;
    T_ENTER(c, false)
    if (trace_size(c, c->tensors->trace, &d) &&
        hint_of(c, c->tensors->trace, settled(c->tensors->trace, d), &v) && v == 1)
        hint_pin(c, d);
    T_LEAVE(c);
    return v == 1 && !failed(c);
}

/* Symbols of b that a has not become those of a with the same hint that b has not: less than numbers for both. */
static void join_alike(wf_ctx *c, Trace *tr, Dim a, Dim b)
{
    const Dims *d = &tr->b->dims;

    for (uint32_t i = 0; i < d->syms.n && !failed(c); i++)
        for (uint32_t k = 0; k < d->syms.n && !failed(c) && d->syms.v[i].hint > 0; k++)
            if (d->syms.v[k].hint == d->syms.v[i].hint && mentions(tr, b, i) && !mentions(tr, a, i) && mentions(tr, a, k) &&
                !mentions(tr, b, k)) {
                make_same(c, d->syms.v[k].dim, d->syms.v[i].dim);
                a = settled(tr, a);
                b = settled(tr, b);
            }
}

bool hint_exact(wf_ctx *c, Dim a, Dim b, Dim *out_q)
{
    Trace *tr = c->tensors->trace;
    Dims *d = &tr->b->dims;
    int64_t x, y;

    if (!hinted_trace(c))
        return false;
    a = settled(tr, a);
    b = settled(tr, b);
    if (dim_exact(d, a, b, out_q))
        return true;
    if (!hint_of(c, tr, a, &x) || !hint_of(c, tr, b, &y) || y <= 0 || x % y)
        return false;
    if (b > 0 && is_symbol(tr, a) &&
        dim_guard(d, dim_mod(d, a, b), true, 0, c->tensors->place) &&
        dim_exact(d, a, b, out_q))
        return true;
    join_alike(c, tr, a, b);
    a = settled(tr, a);
    b = settled(tr, b);
    if (dim_exact(d, a, b, out_q))
        return true;
    hint_pin(c, b);
    b = settled(tr, b);
    if (dim_exact(d, settled(tr, a), b, out_q))
        return true;
    hint_pin(c, a);
    return dim_exact(d, settled(tr, a), b, out_q);
}

/* ---- sizes, for hosts ---- */

int64_t wf_size_value(wf_ctx *c, int64_t size)
{
    IN_GRAPH_OF_SIZE(c, size);
    Dim d;

    if (size >= 0)
        return size;
    if (failed(c) || !ts(c))
        return -1;
    if (!hinted_trace(c)) {
        tensor_fail(c, WF_ERR_VALUE,
              "wf_size_value: the size %s is symbolic and has no value yet",
              size_text(c, size));
        return -1;
    }
    T_ENTER(c, -1)
    if (!trace_size(c, c->tensors->trace, &size))
        tensor_fail(c, WF_ERR_ARG,
              "wf_size_value: a symbolic size means nothing outside its program");
    else
        hint_pin(c, size);
    d = failed(c) ? -1 : settled(c->tensors->trace, size);
    if (d < 0 && !failed(c))
        tensor_fail(c, WF_ERR_VALUE,
              "wf_size_value: the size %s is known only when the program runs",
              size_text(c, d));
    T_LEAVE(c);
    return failed(c) ? -1 : d;
}

int64_t wf_size_hint(wf_ctx *c, int64_t size)
{
    IN_GRAPH_OF_SIZE(c, size);
    int64_t v = size;

    if (size >= 0 || failed(c) || !ts(c) || !c->tensors->trace)
        return size >= 0 ? size : -1;
    T_ENTER(c, -1)
    if (!trace_size(c, c->tensors->trace, &size) ||
        !hint_of(c, c->tensors->trace, settled(c->tensors->trace, size), &v))
        v = -1;
    T_LEAVE(c);
    return v;
}

static bool in_program(wf_ctx *c, const char *fn)
{
    if (failed(c) || !ts(c))
        return false;
    if (!c->tensors->trace)
        tensor_fail(c, WF_ERR_ARG, "%s: a symbolic size means nothing outside its program", fn);
    return !failed(c);
}

bool wf_size_equal(wf_ctx *c, int64_t a, int64_t b)
{
    IN_GRAPH_OF_SIZE(c, MIN(a, b));
    bool same = a == b;

    if (same || (a >= 0 && b >= 0) || !in_program(c, "wf_size_equal"))
        return same;
    T_ENTER(c, false)
    same = trace_size(c, c->tensors->trace, &a) && trace_size(c, c->tensors->trace, &b) &&
           settled(c->tensors->trace, a) == settled(c->tensors->trace, b);
    T_LEAVE(c);
    return same;
}

/* Symbols of a hinted trace are 1 or more, but for those of equations; sums and products of such are. */
static bool is_positive(const Dims *t, Dim d)
{
    const DimNode *n;

    if (dim_is_const(d))
        return d > 0;
    n = dim_node(t, d);
    if (n->kind == DIM_SYM)
        return true;
    if (n->kind != DIM_POLY || n->constant < 0 || !n->nterms)
        return false;
    for (uint32_t i = 0; i < n->nterms; i++) {
        if (n->terms[i].coef < 0)
            return false;
        for (uint32_t k = 0; k < n->terms[i].natoms; k++)
            if (!is_positive(t, n->terms[i].atoms[k]))
                return false;
    }
    return true;
}

bool size_is_positive(wf_ctx *c, int64_t size)
{
    IN_GRAPH_OF_SIZE(c, size);
    bool positive = size > 0;

    if (size >= 0 || !in_program(c, "size_is_positive"))
        return positive;
    T_ENTER(c, false)
    positive = trace_size(c, c->tensors->trace, &size) &&
               is_positive(&c->tensors->trace->b->dims, settled(c->tensors->trace, size));
    T_LEAVE(c);
    return positive;
}

typedef Dim (*DimOp)(Dims *d, Dim a, Dim b);

/* v: the result of plain numbers, if there is one */
static int64_t size_of_two(wf_ctx *c, const char *fn, DimOp op, int64_t a, int64_t b,
                           bool plain, int64_t v)
{
    IN_GRAPH_OF_SIZE(c, MIN(a, b));
    Trace *tr;
    Dim r;

    if (plain && a >= 0 && b >= 0)
        return v;
    if (!in_program(c, fn))
        return -1;
    tr = c->tensors->trace;
    T_ENTER(c, -1)
    r = 0;
    if (trace_size(c, tr, &a) && trace_size(c, tr, &b))
        r = op(&tr->b->dims, settled(tr, a), settled(tr, b));
    else
        tensor_fail(c, WF_ERR_ARG, "%s: a symbolic size means nothing outside its program", fn);
    T_LEAVE(c);
    return failed(c) ? -1 : r;
}

int64_t wf_size_add(wf_ctx *c, int64_t a, int64_t b)
{
    int64_t v = 0;
    bool plain = add_i64(a, b, &v);

    return size_of_two(c, "wf_size_add", dim_add, a, b, plain, v);
}

int64_t wf_size_sub(wf_ctx *c, int64_t a, int64_t b)
{
    return size_of_two(c, "wf_size_sub", dim_sub, a, b, a >= b,
                       a >= 0 && b >= 0 ? a - b : 0);
}

int64_t wf_size_mul(wf_ctx *c, int64_t a, int64_t b)
{
    int64_t v = 0;
    bool plain = mul_i64(a, b, &v);

    return size_of_two(c, "wf_size_mul", dim_mul, a, b, plain, v);
}

static bool divides(wf_ctx *c, const char *fn, int64_t b)
{
    if (b == 0 && !failed(c) && ts(c))
        tensor_fail(c, WF_ERR_VALUE, "%s: division by 0", fn);
    return b != 0;
}

int64_t wf_size_div(wf_ctx *c, int64_t a, int64_t b)
{
    return divides(c, "wf_size_div", b)
               ? size_of_two(c, "wf_size_div", dim_div, a, b, b > 0, b > 0 ? a / b : 0)
               : -1;
}

int64_t wf_size_mod(wf_ctx *c, int64_t a, int64_t b)
{
    return divides(c, "wf_size_mod", b)
               ? size_of_two(c, "wf_size_mod", dim_mod, a, b, b > 0, b > 0 ? a % b : 0)
               : -1;
}

wf_tensor wf_size_tensor(wf_ctx *c, int64_t size)
{
    return size < 0 && !in_program(c, "wf_size_tensor") ? WF_NONE : size_tensor(c, size);
}

int64_t wf_size_from(wf_ctx *c, wf_tensor x)
{
    wf_tensor wide = wf_cast(c, x, WF_I64);
    Tensor *t = tensor_get(c, wide, "wf_size_from"), *none = NULL;
    Trace *tr;
    Dim sym;

    if (!t)
        return -1;
    if (t->rank || dtype_is_float((wf_dtype)wf_dtype_of(c, x)))
        return tensor_fail(c, WF_ERR_TYPE, "wf_size_from: needs an integer scalar, found %s%s",
                     wf_dtype_name(wf_dtype_of(c, x)), shape_text(c, t)),
               -1;
    if (!t->symbolic) {
        int64_t v = wf_item_int(c, wide);
        if (v < 0 && !failed(c))
            tensor_fail(c, WF_ERR_VALUE, "wf_size_from: a size of %lld", (long long)v);
        return failed(c) ? -1 : v;
    }
    IN_GRAPH_(graph_enter_tensors(c, &t, 1));
    tr = c->tensors->trace;
    if (!tr)
        return tensor_fail(c, WF_ERR_ARG, "wf_size_from: the tensor's trace has ended"), -1;
    {
        T_ENTER(c, -1)
        sym = b_symbol(tr->b, "K");
        T_LEAVE(c);
    }
    return trace_emit(c, OP_size, &t, 1, &(SymAttr){sym}, &none, 0) ? sym : -1;
}
