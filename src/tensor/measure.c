/* measure.c -- numbers of a program as sizes: what `dim` made of a size is that size again, and so are sums, differences
 * and products of such numbers and elements of vectors of them (a shape); any other number defines a symbol when the program runs (`size`), one for
 * each value.
 */
#include "tensor/tensor.h"

/* The equation that makes v, or NULL: an input. */
static const Eqn *maker(const Builder *b, Val v)
{
    uint32_t e = b->vals.v[v].eqn;

    return e == EQN_INPUT ? NULL : &b->eqns.v[e];
}

static Dim element(Builder *b, Val v, int64_t i, int depth);

/* Of a concatenation of vectors, all but the last of sizes that are known. */
static Dim element_of_parts(Builder *b, const Eqn *e, int64_t i, int depth)
{
    for (uint32_t k = 0; k < e->nin; k++) {
        Val x = b->args.v[e->args + k];
        Dim n = b_dim(b, x, 0);

        if (n < 0 || i < n)
            return n < 0 ? DIM_NONE : element(b, x, i, depth);
        i -= n;
    }
    return DIM_NONE;
}

static Dim element_product(Builder *b, Val x, int depth)
{
    Dim r = 1, n = b_rank(b, x) == 1 ? b_dim(b, x, 0) : DIM_NONE;

    for (int64_t k = 0; k < n && r != DIM_NONE; k++) {
        Dim d = element(b, x, k, depth);

        r = d == DIM_NONE ? d : dim_mul(&b->dims, r, d);
    }
    return n < 0 ? DIM_NONE : r;
}

static Dim element_of_two(Builder *b, const Eqn *e, int64_t i, int depth)
{
    Dim x = element(b, b->args.v[e->args], i, depth), y;

    y = x == DIM_NONE ? x : element(b, b->args.v[e->args + 1], i, depth);
    if (y == DIM_NONE)
        return y;
    return e->op == OP_add   ? dim_add(&b->dims, x, y)
           : e->op == OP_sub ? dim_sub(&b->dims, x, y)
                             : dim_mul(&b->dims, x, y);
}

/* Element i of v, integers of rank 0 or 1, as an expression of sizes; DIM_NONE: it is none. Inside a region. */
static Dim element(Builder *b, Val v, int64_t i, int depth)
{
    const Eqn *e = maker(b, v);
    const ConstAttr *k;
    const SliceAttr *s;
    Val x;

    if (!e || depth > 32 || b_rank(b, v) > 1 || !dtype_is_int(b_dtype(b, v)))
        return DIM_NONE;
    x = e->nin ? b->args.v[e->args] : VAL_NONE;
    switch (e->op) {
    case OP_const:
        k = e->attr;
        return dim_const(
            &b->dims,
            (int64_t)element_as_f64(b_dtype(b, v), (const char *)k->data->data +
                                                       (k->splat ? 0 : (size_t)i) *
                                                           wf_dtype_size(b_dtype(b, v))));
    case OP_dim: return ((const DimAttr *)e->attr)->dim;
    case OP_cast:
    case OP_reshape: return element(b, x, i, depth + 1);
    case OP_broadcast: return element(b, x, b_rank(b, x) ? i : 0, depth + 1);
    case OP_concat: return element_of_parts(b, e, i, depth + 1);
    case OP_reduce_prod: return element_product(b, x, depth + 1);
    case OP_slice:
        s = e->attr;
        return s->start.v[0] < 0
                   ? DIM_NONE
                   : element(b, x, s->start.v[0] + i * (s->stride.n ? s->stride.v[0] : 1),
                             depth + 1);
    case OP_add:
    case OP_sub:
    case OP_mul: return element_of_two(b, e, i, depth + 1);
    default: return DIM_NONE;
    }
}

/* The symbol that an earlier `size` gave v. */
static Dim defined(const Builder *b, Val v)
{
    for (uint32_t e = 0; e < b->eqns.n; e++)
        if (b->eqns.v[e].op == OP_size && b->args.v[b->eqns.v[e].args] == v)
            return ((const SymAttr *)b->eqns.v[e].attr)->sym;
    return DIM_NONE;
}

bool tensor_measure(wf_ctx *c, wf_tensor h, bool define, int64_t *number, Dim *size)
{
    Tensor *t = tensor_get(c, h, "size");
    Trace *tr;
    Dim d = DIM_NONE;
    int64_t v;

    *size = DIM_NONE;
    *number = INT64_MIN;
    if (!t)
        return false;
    if (!t->symbolic) {
        *number = wf_item_int(c, h);
        return !failed(c);
    }
    if (t->rank || !dtype_is_int((wf_dtype)t->dtype)) {
        tensor_fail(c, WF_ERR_TYPE, "size: needs an integer scalar, got %s", shape_text(c, t));
        return false;
    }
    IN_GRAPH_(graph_enter_tensors(c, &t, 1));
    if (!(tr = c->tensors->trace)) {
        tensor_fail(c, WF_ERR_ARG, "size: the tensor's trace has ended");
        return false;
    }
    h = wf_cast(c, h, WF_I64);
    if (failed(c))
        return false;
    T_ENTER(c, false)
    Val x = trace_value(c, tr, tensor_get(c, h, "size"));
    if (!failed(c))
        d = element(tr->b, x, 0, 0);
    if (!failed(c) && d != DIM_NONE && d < 0 && !dim_value(&tr->b->dims, d, &v)) {
        if (!dim_mentions(&tr->b->dims, d, SYM_EQN))
            dim_guard(&tr->b->dims, d, false, 0, c->tensors->place);
        else if (!dim_known_ge(&tr->b->dims, d, 0))
            d = DIM_NONE; /* checked when it runs */
    }
    if (!failed(c) && define && d == DIM_NONE && (d = defined(tr->b, x)) == DIM_NONE) {
        d = b_symbol(tr->b, "K");
        b_eqn(tr->b, OP_size, &x, 1, &(SymAttr){d}, NULL, 0);
    }
    trace_hold(tr);
    if (!failed(c) && d != DIM_NONE && dim_value(&tr->b->dims, d, &v)) {
        *number = v;
        d = DIM_NONE;
    }
    T_LEAVE(c);
    *size = d;
    return !failed(c);
}
