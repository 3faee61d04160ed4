/* op_reduce.c -- reductions over axes, the place of an extreme.
 *
 * The oracle reads elements in row-major order. Floats are summed and multiplied in f64
 * and rounded once at the end, integers wrap.
 */
#include "op/nd.h"
#include "op/op_map.h"

static const AttrField reduce_attrs[] = {FIELD(ReduceAttr, axes, A_INTS, ATTR_REQUIRED),
                                         FIELD_END};

/* The axes of a rank-`rank` operand that stay, in order. Returns how many. */
static uint32_t kept_axes(Ints axes, uint32_t rank, int64_t *out)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < rank; i++)
        if (!ints_have(axes, i))
            out[n++] = i;
    return n;
}

/* ---- reduce_*: types, oracle, batch ------------------------------------------------ */

static bool type_reduce(TypeRule *t)
{
    Type x = t->in[0];
    Ints axes = ((const ReduceAttr *)t->attr)->axes;
    int64_t kept[MAX_RANK];
    Dim dims[MAX_RANK];
    uint32_t n;

    for (uint32_t i = 0; i < axes.n; i++) {
        if (axes.v[i] < 0 || axes.v[i] >= x.rank)
            return type_fail(t, WF_ERR_VALUE, "axis %lld of %s, needs 0 <= axis < %d",
                             (long long)axes.v[i], type_show(t, x), x.rank);
        if (i && axes.v[i] <= axes.v[i - 1])
            return type_fail(t, WF_ERR_VALUE,
                             "axis %lld after axis %lld, needs increasing axes",
                             (long long)axes.v[i], (long long)axes.v[i - 1]);
    }
    n = kept_axes(axes, x.rank, kept);
    for (uint32_t i = 0; i < n; i++)
        dims[i] = x.dims[kept[i]];
    type_out(t, (wf_dtype)x.dtype, dims, n);
    return true;
}

static bool type_reduce_number(TypeRule *t)
{
    wf_dtype x = (wf_dtype)t->in[0].dtype;

    if (!dtype_is_arithmetic(x))
        return type_fail(t, WF_ERR_TYPE, "operand is %s, needs an integer or float dtype",
                         type_show(t, t->in[0]));
    return type_reduce(t);
}

static bool type_reduce_ordered(TypeRule *t)
{
    if (!dtype_is((wf_dtype)t->in[0].dtype, DT_USED | DT_ORDERED))
        return type_fail(t, WF_ERR_TYPE, "operand is %s, needs a dtype with an order",
                         type_show(t, t->in[0]));
    return type_reduce(t);
}

static bool type_reduce_bits(TypeRule *t)
{
    wf_dtype x = (wf_dtype)t->in[0].dtype;

    if (!dtype_is_int(x) && x != WF_BOOL)
        return type_fail(t, WF_ERR_TYPE, "operand is %s, needs bool or an integer dtype",
                         type_show(t, t->in[0]));
    return type_reduce(t);
}

/* By the scalar op of the row's `lower`. Of one element the result is that element. */
static bool eval_reduce(Eval *e)
{
    const Nd *x = &e->in[0];
    Nd *y = &e->out[0];
    unsigned op = e->row->lower.combine;
    Ints axes = ((const ReduceAttr *)e->attr)->axes;
    ArenaMark mark = arena_mark(e->a);
    Scalar *acc = arena_array(e->a, (size_t)y->count, sizeof *acc);
    bool *begun = arena_array(e->a, (size_t)y->count, sizeof *begun);
    int64_t kept[MAX_RANK], stride[MAX_RANK] = {0}, stride_y[MAX_RANK],
                            at[MAX_RANK] = {0};

    nd_strides(y->dims, y->rank, stride_y);
    for (uint32_t i = kept_axes(axes, x->rank, kept); i-- > 0;)
        stride[kept[i]] = stride_y[i];
    for (int64_t k = 0; k < y->count; k++) {
        acc[k] = scalar_identity(op, y->dtype);
        begun[k] = false;
    }
    for (int64_t i = 0; i < x->count; i++, nd_next(x->dims, x->rank, at)) {
        int64_t k = nd_flat(at, stride, x->rank);
        Scalar v = scalar_load(x->dtype, x->data, i);

        acc[k] = begun[k] ? scalar_apply(op, x->dtype, (Scalar[]){acc[k], v}) : v;
        begun[k] = true;
    }
    for (int64_t k = 0; k < y->count; k++)
        scalar_store(y->dtype, y->data, k, acc[k]);
    arena_reset(e->a, mark);
    return true;
}

/* The batch axis stays where it is; the others move by one behind it. */
static void batch_reduce(Builder *b, const EqnView *e, const Batch *bt, Val *out,
                         int *out_axis)
{
    Ints axes = ((const ReduceAttr *)e->attr)->axes;
    int64_t moved[MAX_RANK], at = bt->axis[0];

    out_axis[0] = (int)at;
    for (uint32_t i = 0; i < axes.n; i++) {
        moved[i] = axes.v[i] + (axes.v[i] >= at);
        out_axis[0] -= moved[i] < at;
    }
    out[0] = b_reduce(b, (OpCode)e->op, e->in[0], moved, axes.n);
}

/* Over no axes, or axes of one element: x itself, reshaped. */
static bool fold_reduce(Builder *b, const EqnView *e, Val *out)
{
    Ints axes = ((const ReduceAttr *)e->attr)->axes;

    for (uint32_t i = 0; i < axes.n; i++)
        if (e->in_type[0].dims[axes.v[i]] != 1)
            return false;
    out[0] = axes.n ? b_reshape(b, e->in[0], e->out_type[0].dims, e->out_type[0].rank)
                    : e->in[0];
    return true;
}

/* y (without the reduced axes) repeated along them, to the type of x */
static Val spread(Builder *b, Val y, Type x, Ints axes)
{
    int64_t kept[MAX_RANK];

    kept_axes(axes, x.rank, kept);
    return b_broadcast(b, y, x.dims, x.rank, kept);
}

/* One for each element combined. */
static double flops_reduce(const SizedEqn *s)
{
    Type x = val_type(s->p, eqn_in(s->p, s->e)[0]);

    return dtype_is_inexact((wf_dtype)x.dtype) ? sized_count(s, x) : 0;
}

#define REDUCE_ROW(name, doc_, type_, jvp_, transpose_, fold_, combine_)                 \
    const OpRow op_row_##name = {                                                        \
        .attrs = reduce_attrs,                                                           \
        .attr_size = sizeof(ReduceAttr),                                                 \
        .type = type_,                                                                   \
        .eval = eval_reduce,                                                             \
        .along = along_reduce,                                                           \
        .fold = fold_,                                                                   \
        .flops = flops_reduce,                                                           \
        .lower = {.kind = LOWER_REDUCE, .combine = combine_},                            \
    };                                                                                   \
    const OpRules op_rules_##name = {                                                    \
        .doc = DOC(doc_),                                                                \
        .jvp = jvp_,                                                                     \
        .transpose = transpose_,                                                         \
        .batch = batch_reduce,                                                           \
    }

/* ---- reduce_sum:  dy = sum(dx),  gx = gy repeated along the axes ---- */

static void jvp_reduce_sum(Builder *b, const EqnView *e, const Val *dx, Val *dy)
{
    Ints axes = ((const ReduceAttr *)e->attr)->axes;

    dy[0] = b_reduce(b, OP_reduce_sum, dx[0], axes.v, axes.n);
}

static void transpose_reduce_sum(Builder *b, const EqnView *e, const Val *gy, Val *gx)
{
    if (gy[0])
        gx[0] = spread(b, gy[0], e->in_type[0], ((const ReduceAttr *)e->attr)->axes);
}

/* a sum of zeros is 0 */
static bool fold_reduce_sum(Builder *b, const EqnView *e, Val *out)
{
    if (!op_is_splat(b, e->in[0], 0))
        return fold_reduce(b, e, out);
    out[0] = b_zeros(b, e->out_type[0]);
    return true;
}

REDUCE_ROW(
    reduce_sum,
    "y = the sum of x over the axes, which are gone from the result: reduce_sum x "
    "axes=[0,2]. Integers (wrapping) and floats; f16 and bf16 are summed in f32 or "
    "better and rounded once. No elements: 0.",
    type_reduce_number, jvp_reduce_sum, transpose_reduce_sum, fold_reduce_sum, OP_add);

/* ---- reduce_prod:  dy = sum_i dx_i * prod_{j != i} x_j
 *
 * The products of the others are made without division, so that zeros are no trouble, not
 * to higher derivatives either: along one axis, products of what is before times products
 * of what is behind.
 * Over several axes, with X the product along the last one:
 *   others(x, axes) = others(x, last) * others(X, axes but last) ---- */

/* x moved by k places along the axis (towards the end if k > 0), ones moved in */
static Val shift_ones(Builder *b, Val x, uint32_t axis, int64_t k)
{
    Dim lo[MAX_RANK] = {0}, hi[MAX_RANK] = {0};

    lo[axis] = dim_const(&b->dims, k);
    hi[axis] = dim_const(&b->dims, -k);
    return b_pad(b, x, b_scalar(b, b_dtype(b, x), 1), lo, hi, NULL);
}

/* p_i = product of x_j for j before i (behind i if back), constant size n: the span of
 * each product doubles at every step. */
static Val products_by_doubling(Builder *b, Val x, uint32_t axis, int64_t n, bool back)
{
    Val p = shift_ones(b, x, axis, back ? -1 : 1);

    for (int64_t k = 1; k < n - 1; k *= 2)
        p = b_mul(b, p, shift_ones(b, p, axis, back ? -k : k));
    return p;
}

/* The program (carry, x) -> (carry * x, carry) for rows of m elements. */
static const Program *product_step(Builder *b, wf_dtype dtype, Dim m)
{
    Builder *s = builder_new(b->cx, "products", B_OPTIMISE);
    Dim dim = dim_is_const(m) ? m : b_symbol(s, "M");
    Type row = b_make_type(s, dtype, &dim, 1);
    Val carry = b_input(s, "carry", row), x = b_input(s, "x", row);
    Val outs[2] = {b_mul(s, carry, x), carry};

    return builder_finish(s, outs, 2);
}

/* The same for rows x[n,m] and any n, by a scan. */
static Val products_by_scan(Builder *b, Val x, bool back)
{
    Type t = b_type(b, x);
    Type row = b_make_type(b, (wf_dtype)t.dtype, t.dims + 1, 1);
    const Program *step = product_step(b, (wf_dtype)t.dtype, t.dims[1]);
    ScanAttr attr = {
        .body = {step, {0, NULL}}, .ncarry = 1, .length = t.dims[0], .reverse = back};
    Val in[2] = {b_full(b, row, 1), x}, out[2] = {VAL_NONE, VAL_NONE};

    if (step)
        b_eqn(b, OP_scan, in, 2, &attr, out, 2);
    return out[1];
}

/* For each element the product of all others along the axis. */
static Val others_along(Builder *b, Val x, uint32_t axis)
{
    Type t = b_type(b, x), front;
    Dim n, flat[2];
    Val behind;

    if (b_failed(b))
        return VAL_NONE;
    n = flat[0] = t.dims[axis];
    if (dim_is_const(n)) {
        if (n <= 1)
            return b_one_like(b, x);
        behind = products_by_doubling(b, x, axis, n, true);
        return b_mul(b, products_by_doubling(b, x, axis, n, false), behind);
    }
    x = b_move_axis(b, x, axis, 0); /* [n, ..] -> [n, m] and back */
    if (b_failed(b))
        return VAL_NONE;
    front = b_type(b, x);
    flat[1] = dim_prod(&b->dims, front.dims + 1, front.rank - 1u);
    x = b_reshape(b, x, flat, 2);
    if (b_failed(b))
        return VAL_NONE;
    behind = products_by_scan(b, x, true);
    x = b_mul(b, products_by_scan(b, x, false), behind);
    return b_move_axis(b, b_reshape(b, x, front.dims, front.rank), 0, axis);
}

static Val others(Builder *b, Val x, Ints axes)
{
    Ints rest = {axes.n - 1, axes.v};
    uint32_t last = (uint32_t)axes.v[axes.n - 1];
    Val along = others_along(b, x, last), product;

    if (!rest.n || b_failed(b))
        return along;
    product = others(b, b_reduce_axis(b, OP_reduce_prod, x, last), rest);
    return b_mul(b, along, b_broadcast_axis(b, product, last, b_dim(b, x, last)));
}

static void jvp_reduce_prod(Builder *b, const EqnView *e, const Val *dx, Val *dy)
{
    Ints axes = ((const ReduceAttr *)e->attr)->axes;

    if (axes.n == 0)
        dy[0] = dx[0];
    else
        dy[0] = b_reduce(b, OP_reduce_sum, b_mul(b, dx[0], others(b, e->in[0], axes)),
                         axes.v, axes.n);
}

REDUCE_ROW(
    reduce_prod,
    "y = the product of x over the axes. Integers (wrapping) and floats; f16 and bf16 "
    "are multiplied in f32 or better and rounded once. No elements: 1. Derivatives of "
    "any order are right where elements are 0.",
    type_reduce_number, jvp_reduce_prod, NULL, fold_reduce, OP_mul);

/* ---- reduce_max, reduce_min:  dy = mean of dx over the places where x equals y ----
 *
 * Over no elements y is constant: there the count is taken as 1, so that dy is 0 and not
 * 0/0. If y is NaN no place equals it and dy is NaN, and so is gx: a product, not a choice,
 * takes the 1/0 to all places. */

/* 1 if no elements are reduced, else 0, of that dtype; VAL_NONE if it is known to be 0 */
static Val is_empty(Builder *b, wf_dtype dtype, Type x, Ints axes)
{
    Dim n = 1;
    Val zero;

    for (uint32_t i = 0; i < axes.n; i++)
        n = dim_mul(&b->dims, n, x.dims[axes.v[i]]);
    if (dim_known_ge(&b->dims, n, 1))
        return VAL_NONE;
    zero = b_int(b, WF_I64, 0);
    return b_cast(b, b_eq(b, b_dim_value(b, n), zero), dtype);
}

static void jvp_reduce_extreme(Builder *b, const EqnView *e, const Val *dx, Val *dy)
{
    Ints axes = ((const ReduceAttr *)e->attr)->axes;
    Type x = e->in_type[0], y = e->out_type[0];
    wf_dtype wide = x.dtype == WF_F64 ? WF_F64 : WF_F32; /* for counts beyond f16 */
    Val taken = b_eq(b, e->in[0], spread(b, e->out[0], x, axes));
    Val count = b_reduce(b, OP_reduce_sum, b_cast(b, taken, wide), axes.v, axes.n);
    Val empty = is_empty(b, wide, x, axes);
    Val sum =
        b_reduce(b, OP_reduce_sum, b_mul(b, b_cast(b, taken, (wf_dtype)x.dtype), dx[0]),
                 axes.v, axes.n);

    if (empty)
        count = b_max(b, count, b_broadcast_scalar(b, empty, y.dims, y.rank));
    dy[0] = b_div(b, sum, b_cast(b, count, (wf_dtype)x.dtype));
}

REDUCE_ROW(
    reduce_max,
    "y = the largest of x over the axes. Every dtype; NaN if any is NaN, 0 is larger "
    "than -0. No elements: -inf, the lowest integer, false. Equal largest elements share "
    "the derivative equally.",
    type_reduce_ordered, jvp_reduce_extreme, NULL, fold_reduce, OP_max);
REDUCE_ROW(
    reduce_min,
    "y = the smallest of x over the axes. Every dtype; NaN if any is NaN, -0 is smaller "
    "than 0. No elements: inf, the highest integer, true. Equal smallest elements share "
    "the derivative equally.",
    type_reduce_ordered, jvp_reduce_extreme, NULL, fold_reduce, OP_min);

/* ---- reduce_and, reduce_or ---- */

REDUCE_ROW(
    reduce_and,
    "y = all of x over the axes, of integers bit by bit. No elements: true, all bits "
    "set.",
    type_reduce_bits, NULL, NULL, fold_reduce, OP_and);
REDUCE_ROW(reduce_or,
           "y = any of x over the axes, of integers bit by bit. No elements: false, 0.",
           type_reduce_bits, NULL, NULL, fold_reduce, OP_or);

/* ---- argmax, argmin ---------------------------------------------------------------- */

static const AttrField arg_attrs[] = {FIELD(ArgAttr, axis, A_INT, ATTR_REQUIRED),
                                      FIELD(ArgAttr, dtype, A_DTYPE, ATTR_REQUIRED),
                                      FIELD_END};

static bool type_arg(TypeRule *t)
{
    const ArgAttr *a = t->attr;
    Type x = t->in[0];
    Dim dims[MAX_RANK], size;
    uint32_t n = 0;

    if (!dtype_is((wf_dtype)x.dtype, DT_USED | DT_ORDERED))
        return type_fail(t, WF_ERR_TYPE, "operand is %s, needs a dtype with an order",
                         type_show(t, x));
    if (a->dtype != WF_I32 && a->dtype != WF_I64)
        return type_fail(t, WF_ERR_TYPE, "index dtype is %s, needs i32 or i64",
                         wf_dtype_name((wf_dtype)a->dtype));
    if (!type_axis(t, a->axis))
        return false;
    size = x.dims[a->axis];
    if (size == 0)
        return type_fail(t, WF_ERR_SHAPE, "axis %lld of %s is empty, needs an element",
                         (long long)a->axis, type_show(t, x));
    if (a->dtype == WF_I32 && size > INT32_MAX)
        return type_fail(t, WF_ERR_VALUE,
                         "axis %lld of %s is too long for i32, needs dtype=i64",
                         (long long)a->axis, type_show(t, x));
    for (uint32_t i = 0; i < x.rank; i++)
        if (i != a->axis)
            dims[n++] = x.dims[i];
    type_out(t, (wf_dtype)a->dtype, dims, n);
    return true;
}

/* x is to be preferred to y: NaN first of all, then the larger (argmin: smaller). */
static bool is_better(unsigned op, wf_dtype t, Scalar x, Scalar y)
{
    if (scalar_is_nan(t, x) || scalar_is_nan(t, y))
        return !scalar_is_nan(t, y);
    return op == OP_argmax ? scalar_compare(t, x, y) > 0 : scalar_compare(t, x, y) < 0;
}

static bool eval_arg(Eval *e)
{
    const Nd *x = &e->in[0];
    int64_t axis = ((const ArgAttr *)e->attr)->axis;
    Lines l = nd_lines(x, axis);

    if (l.n == 0)
        return eval_fail(e, WF_ERR_SHAPE, "axis %lld is empty, needs an element",
                         (long long)axis);
    for (int64_t j = 0; j < l.outer * l.inner; j++) {
        int64_t first = j / l.inner * l.n * l.inner + j % l.inner, best = 0;

        for (int64_t k = 1; k < l.n; k++)
            if (is_better(e->op, x->dtype,
                          scalar_load(x->dtype, x->data, first + k * l.inner),
                          scalar_load(x->dtype, x->data, first + best * l.inner)))
                best = k;
        scalar_store(e->out[0].dtype, e->out[0].data, j,
                     scalar_int(e->out[0].dtype, best));
    }
    return true;
}

static void batch_arg(Builder *b, const EqnView *e, const Batch *bt, Val *out,
                      int *out_axis)
{
    ArgAttr a = *(const ArgAttr *)e->attr;

    a.axis += a.axis >= bt->axis[0];
    out[0] = b_eqn1(b, (OpCode)e->op, e->in, 1, &a);
    out_axis[0] = bt->axis[0] - (a.axis < bt->axis[0]);
}

#define ARG_ROW(name, doc_)                                                              \
    const OpRow op_row_##name = {                                                        \
        .attrs = arg_attrs,                                                              \
        .attr_size = sizeof(ArgAttr),                                                    \
        .type = type_arg,                                                                \
        .eval = eval_arg,                                                                \
        .along = along_arg,                                                              \
        .flops = flops_reduce,                                                           \
        .lower = {.kind = LOWER_LIBRARY},                                                \
    };                                                                                   \
    const OpRules op_rules_##name = {                                                    \
        .doc = DOC(doc_),                                                                \
        .batch = batch_arg,                                                              \
    }

ARG_ROW(
    argmax,
    "y = the place of the largest of x along the axis, the first of equal ones: argmax x "
    "axis=1 dtype=i64. Every dtype; the first NaN if there is one. An empty axis is an "
    "error. Derivative zero.");
ARG_ROW(
    argmin,
    "y = the place of the smallest of x along the axis, the first of equal ones: argmin "
    "x axis=1 dtype=i64. Every dtype; the first NaN if there is one. An empty axis is an "
    "error. Derivative zero.");
