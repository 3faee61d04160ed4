/* op_shape.c -- ops that move elements without computing: reshape broadcast transpose
 * concat rev.
 *
 * All are linear in all operands together, so their jvp is the op on the tangents
 * (jvp_linear). Shapes go through dim_*, constant or symbolic alike.
 */
#include "op/shape.h"

#include <stddef.h>

/* ---- reshape ----------------------------------------------------------------------- */

/* The product of the dims y is provably n: dividing the constants out first lets guards
 * such as N % 8 == 0 help (dim_exact). */
static bool divides_out(TypeRule *t, Dim n, const Dim *y, uint32_t rank)
{
    Dim rest = 1;

    for (uint32_t i = 0; i < rank; i++)
        if (dim_is_const(y[i])) {
            if (y[i] == 0 || !dim_exact(t->dims, n, y[i], &n))
                return false;
        } else {
            rest = dim_mul(t->dims, rest, y[i]);
        }
    return n == rest;
}

static bool type_reshape(TypeRule *t)
{
    const ShapeAttr *a = t->attr;
    Type x = t->in[0];
    Dim have, need;
    Text to;

    if (!check_sizes(t, a->dims))
        return false;
    have = dim_prod(t->dims, x.dims, x.rank);
    need = dim_prod(t->dims, a->dims.v, a->dims.n);
    if (have == DIM_NONE || need == DIM_NONE)
        return type_fail(t, WF_ERR_LIMIT, "the number of elements of %s is too large",
                         type_show(t, x));
    if (have != need && !divides_out(t, have, a->dims.v, a->dims.n) &&
        !divides_out(t, need, x.dims, x.rank)) {
        text_init(&to, &t->b->cx->scratch);
        text_char(&to, '[');
        for (uint32_t i = 0; i < a->dims.n; i++) {
            text_add(&to, i ? "," : "");
            dim_print(t->dims, a->dims.v[i], &to);
        }
        text_char(&to, ']');
        return type_fail(t, WF_ERR_SHAPE, "%s has %s elements, but %s needs %s",
                         type_show(t, x), dim_show(t, have), text_str(&to),
                         dim_show(t, need));
    }
    type_out(t, (wf_dtype)x.dtype, a->dims.v, a->dims.n);
    return true;
}

static bool eval_reshape(Eval *e)
{
    if (e->in[0].count != e->out[0].count)
        return eval_fail(e, WF_ERR_SHAPE, "%lld elements, but the result needs %lld",
                         (long long)e->in[0].count, (long long)e->out[0].count);
    memcpy(e->out[0].data, e->in[0].data,
           (size_t)e->in[0].count * wf_dtype_size(e->in[0].dtype));
    return true;
}

static void transpose_reshape(Builder *b, const EqnView *e, const Val *gy, Val *gx)
{
    gx[0] = b_reshape(b, gy[0], e->in_type[0].dims, e->in_type[0].rank);
}

static void batch_reshape(Builder *b, const EqnView *e, const Batch *bt, Val *out,
                          int *out_axis)
{
    const ShapeAttr *a = e->attr;
    Val x = b_move_axis(b, e->in[0], (uint32_t)bt->axis[0], 0);
    int64_t dims[MAX_RANK + 1];
    Ints to = insert_entry(a->dims, 0, bt->size, dims);

    out[0] = b_reshape(b, x, to.v, to.n);
    out_axis[0] = 0;
}

/* Back to the operand's own shape, or to that of what the operand was reshaped from. */
static bool fold_reshape(Builder *b, const EqnView *e, Val *out)
{
    const Eqn *inner = made_by(b, e->in[0], OP_reshape);

    if (type_eq(e->in_type[0], e->out_type[0]))
        out[0] = e->in[0];
    else if (inner && type_eq(b_type(b, b->args.v[inner->args]), e->out_type[0]))
        out[0] = b->args.v[inner->args];
    else
        return fold_splat(b, e, out);
    return true;
}

static const AttrField attrs_reshape[] = {FIELD_POS(ShapeAttr, dims, A_DIMS), FIELD_END};

const OpRow op_row_reshape = {
    .attrs = attrs_reshape,
    .attr_size = sizeof(ShapeAttr),
    .type = type_reshape,
    .eval = eval_reshape,
    .along = along_reshape,
    .fold = fold_reshape,
    .lower = {.kind = LOWER_INDEX},
};
const OpRules op_rules_reshape = {
    .doc = DOC("The same elements in row-major order with another shape, any dtype. The\n"
               "number of elements must provably stay the same, for symbolic sizes too\n"
               "(f32[N,28,28] to [N,784])."),
    .jvp = jvp_linear,
    .transpose = transpose_reshape,
    .batch = batch_reshape,
};

/* ---- broadcast --------------------------------------------------------------------- */

static bool type_broadcast(TypeRule *t)
{
    const BroadcastAttr *a = t->attr;
    Type x = t->in[0];

    if (!check_sizes(t, a->shape) || !check_entries(t, "dims", a->dims, false) ||
        !check_axes(t, "dims", a->dims, a->shape.n, true))
        return false;
    for (uint32_t i = 0; i < x.rank; i++) {
        Dim to = a->shape.v[a->dims.v[i]];
        if (x.dims[i] != to && x.dims[i] != 1)
            return type_fail(
                t, WF_ERR_SHAPE,
                "axis %u of %s has size %s, but axis %lld of the result has %s", i,
                type_show(t, x), dim_show(t, x.dims[i]), (long long)a->dims.v[i],
                dim_show(t, to));
    }
    type_out(t, (wf_dtype)x.dtype, a->shape.v, a->shape.n);
    return true;
}

static bool eval_broadcast(Eval *e)
{
    const BroadcastAttr *a = e->attr;
    const Nd *x = &e->in[0];
    int64_t stride[MAX_RANK], step[MAX_RANK] = {0};

    nd_strides(x->dims, x->rank, stride);
    for (uint32_t i = 0; i < x->rank; i++)
        step[a->dims.v[i]] = x->dims[i] == 1 ? 0 : stride[i];
    copy_affine(&e->out[0], x, 0, step);
    return true;
}

/*   y[j..] = x[j[dims[0]], j[dims[1]], ..]        0 where an axis of size 1 stretches
 *   gx = sum of gy over the axes that are new or stretched, these last kept with size 1
 */
static void transpose_broadcast(Builder *b, const EqnView *e, const Val *gy, Val *gx)
{
    const BroadcastAttr *a = e->attr;
    Type x = e->in_type[0];
    bool keep[MAX_RANK] = {false};
    int64_t axes[MAX_RANK];
    uint32_t n = 0;

    for (uint32_t i = 0; i < x.rank; i++)
        keep[a->dims.v[i]] = x.dims[i] == a->shape.v[a->dims.v[i]];
    for (uint32_t i = 0; i < a->shape.n; i++)
        if (!keep[i])
            axes[n++] = i;
    gx[0] = n ? b_reduce(b, OP_reduce_sum, gy[0], axes, n) : gy[0];
    gx[0] = b_reshape(b, gx[0], x.dims, x.rank);
}

static void batch_broadcast(Builder *b, const EqnView *e, const Batch *bt, Val *out,
                            int *out_axis)
{
    const BroadcastAttr *a = e->attr;
    Val x = b_move_axis(b, e->in[0], (uint32_t)bt->axis[0], 0);
    int64_t shape[MAX_RANK + 1], dims[MAX_RANK + 1] = {0};
    Ints to = insert_entry(a->shape, 0, bt->size, shape);

    for (uint32_t i = 0; i < a->dims.n; i++)
        dims[i + 1] = a->dims.v[i] + 1;
    out[0] = b_broadcast(b, x, to.v, to.n, dims);
    out_axis[0] = 0;
}

static bool fold_broadcast(Builder *b, const EqnView *e, Val *out)
{
    if (!type_eq(e->in_type[0], e->out_type[0]))
        return fold_splat(b, e, out);
    out[0] = e->in[0];
    return true;
}

static const AttrField attrs_broadcast[] = {
    FIELD_POS(BroadcastAttr, shape, A_DIMS),
    FIELD(BroadcastAttr, dims, A_INTS, 0),
    FIELD_END,
};

const OpRow op_row_broadcast = {
    .attrs = attrs_broadcast,
    .attr_size = sizeof(BroadcastAttr),
    .type = type_broadcast,
    .eval = eval_broadcast,
    .along = along_broadcast,
    .fold = fold_broadcast,
    .lower = {.kind = LOWER_INDEX},
};
const OpRules op_rules_broadcast = {
    .doc =
        DOC("x repeated to the given shape, any dtype: axis i of x is axis dims[i] of\n"
            "the result (dims increasing), and the other axes are new. An axis of x\n"
            "of constant size 1 stretches; a symbolic size is never taken for 1."),
    .jvp = jvp_linear,
    .transpose = transpose_broadcast,
    .batch = batch_broadcast,
};

/* ---- transpose --------------------------------------------------------------------- */

static bool type_transpose(TypeRule *t)
{
    const TransposeAttr *a = t->attr;
    Type x = t->in[0];
    Dim dims[MAX_RANK];

    if (!check_entries(t, "perm", a->perm, false) ||
        !check_axes(t, "perm", a->perm, x.rank, false))
        return false;
    for (uint32_t i = 0; i < x.rank; i++)
        dims[i] = x.dims[a->perm.v[i]];
    type_out(t, (wf_dtype)x.dtype, dims, x.rank);
    return true;
}

static bool eval_transpose(Eval *e)
{
    const TransposeAttr *a = e->attr;
    const Nd *x = &e->in[0];
    int64_t stride[MAX_RANK], step[MAX_RANK];

    nd_strides(x->dims, x->rank, stride);
    for (uint32_t i = 0; i < x->rank; i++)
        step[i] = stride[a->perm.v[i]];
    copy_affine(&e->out[0], x, 0, step);
    return true;
}

/* gx = gy by the inverse permutation */
static void transpose_transpose(Builder *b, const EqnView *e, const Val *gy, Val *gx)
{
    const TransposeAttr *a = e->attr;
    int64_t inverse[MAX_RANK];

    for (uint32_t i = 0; i < a->perm.n; i++)
        inverse[a->perm.v[i]] = i;
    gx[0] = b_transpose(b, gy[0], inverse);
}

/* The batch axis comes first in the result, wherever it was. */
static void batch_transpose(Builder *b, const EqnView *e, const Batch *bt, Val *out,
                            int *out_axis)
{
    const TransposeAttr *a = e->attr;
    int64_t perm[MAX_RANK + 1] = {bt->axis[0]};

    for (uint32_t i = 0; i < a->perm.n; i++)
        perm[i + 1] = a->perm.v[i] + (a->perm.v[i] >= bt->axis[0]);
    out[0] = b_transpose(b, e->in[0], perm);
    out_axis[0] = 0;
}

/* The identity, or the inverse of a transpose that made the operand. */
static bool fold_transpose(Builder *b, const EqnView *e, Val *out)
{
    Ints p = ((const TransposeAttr *)e->attr)->perm, q = p;
    const Eqn *inner = made_by(b, e->in[0], OP_transpose);
    bool identity = true, undone = inner != NULL;

    if (inner)
        q = ((const TransposeAttr *)inner->attr)->perm;
    for (uint32_t i = 0; i < p.n; i++) {
        identity = identity && p.v[i] == i;
        undone = undone && q.v[p.v[i]] == i;
    }
    if (!identity && !undone)
        return fold_splat(b, e, out);
    out[0] = identity ? e->in[0] : b->args.v[inner->args];
    return true;
}

static const AttrField attrs_transpose[] = {FIELD(TransposeAttr, perm, A_INTS, 0),
                                            FIELD_END};

const OpRow op_row_transpose = {
    .attrs = attrs_transpose,
    .attr_size = sizeof(TransposeAttr),
    .type = type_transpose,
    .eval = eval_transpose,
    .along = along_transpose,
    .fold = fold_transpose,
    .lower = {.kind = LOWER_INDEX},
};
const OpRules op_rules_transpose = {
    .doc = DOC("The axes of x in another order, any dtype: axis i of the result is axis\n"
               "perm[i] of x."),
    .jvp = jvp_linear,
    .transpose = transpose_transpose,
    .batch = batch_transpose,
};

/* ---- concat ------------------------------------------------------------------------ */

static bool type_concat(TypeRule *t)
{
    int64_t axis = ((const AxisAttr *)t->attr)->axis;
    Type x;
    Dim dims[MAX_RANK];

    if (!t->nin)
        return type_fail(t, WF_ERR_VALUE, "no operands, but at least one is needed");
    x = t->in[0];
    if (!check_axis(t, axis, x))
        return false;
    memcpy(dims, x.dims, x.rank * sizeof *dims);
    for (uint32_t k = 1; k < t->nin; k++) {
        Type y = t->in[k];
        bool fits = y.rank == x.rank;
        if (y.dtype != x.dtype)
            return type_fail(t, WF_ERR_TYPE, "operand %u is %s, but operand 0 is %s", k,
                             type_show(t, y), type_show(t, x));
        for (uint32_t i = 0; fits && i < x.rank; i++)
            fits = i == axis || y.dims[i] == x.dims[i];
        if (!fits)
            return type_fail(
                t, WF_ERR_SHAPE,
                "operand %u is %s, but operand 0 is %s: only axis %lld may differ", k,
                type_show(t, y), type_show(t, x), (long long)axis);
        dims[axis] = dim_add(t->dims, dims[axis], y.dims[axis]);
    }
    type_out(t, (wf_dtype)x.dtype, dims, x.rank);
    return true;
}

/* Seen as [outer, n, inner], operand k fills n_k * inner elements of each outer row. */
static bool eval_concat(Eval *e)
{
    int64_t axis = ((const AxisAttr *)e->attr)->axis, outer = 1, inner = 1, row = 0,
            at = 0;
    const Nd *y = &e->out[0];
    size_t size = wf_dtype_size(y->dtype);

    for (uint32_t i = 0; i < y->rank; i++) {
        outer *= i < axis ? y->dims[i] : 1;
        inner *= i > axis ? y->dims[i] : 1;
    }
    if (!y->count)
        return true;
    row = y->dims[axis] * inner;
    for (uint32_t k = 0; k < e->nin; k++) {
        int64_t n = e->in[k].dims[axis] * inner;
        for (int64_t o = 0; o < outer && n; o++)
            memcpy(nd_at(y, o * row + at), nd_at(&e->in[k], o * n), (size_t)n * size);
        at += n;
    }
    return true;
}

/* gx_k = the part of gy where x_k lies */
static void transpose_concat(Builder *b, const EqnView *e, const Val *gy, Val *gx)
{
    uint32_t axis = (uint32_t)((const AxisAttr *)e->attr)->axis;
    Dim at = 0;

    for (uint32_t k = 0; k < e->nin; k++) {
        Dim end = dim_add(&b->dims, at, e->in_type[k].dims[axis]);
        if (e->in[k] == VAL_NONE)
            gx[k] = b_slice_axis(b, gy[0], axis, at, end);
        at = end;
    }
}

static void batch_concat(Builder *b, const EqnView *e, const Batch *bt, Val *out,
                         int *out_axis)
{
    Val *in = arena_array(&b->arena, e->nin, sizeof *in);

    batch_front(b, e, bt, true, in);
    out[0] = b_concat(b, in, e->nin, (uint32_t)((const AxisAttr *)e->attr)->axis + 1);
    out_axis[0] = 0;
}

static bool fold_concat(Builder *b, const EqnView *e, Val *out)
{
    (void)b;
    if (e->nin != 1)
        return false;
    out[0] = e->in[0];
    return true;
}

static const AttrField attrs_axis[] = {FIELD(AxisAttr, axis, A_INT, 0), FIELD_END};

const OpRow op_row_concat = {
    .attrs = attrs_axis,
    .attr_size = sizeof(AxisAttr),
    .type = type_concat,
    .eval = eval_concat,
    .along = along_axis,
    .fold = fold_concat,
    .lower = {.kind = LOWER_INDEX},
};
const OpRules op_rules_concat = {
    .doc = DOC("Operands one after the other along an axis, any dtype; the other sizes\n"
               "are equal. At least one operand; empty ones add nothing."),
    .jvp = jvp_linear,
    .transpose = transpose_concat,
    .batch = batch_concat,
};

/* ---- rev --------------------------------------------------------------------------- */

static bool type_rev(TypeRule *t)
{
    if (!check_axes(t, "axes", ((const AxesAttr *)t->attr)->axes, t->in[0].rank, false))
        return false;
    type_out_like(t, t->in[0]);
    return true;
}

static bool eval_rev(Eval *e)
{
    Ints axes = ((const AxesAttr *)e->attr)->axes;
    const Nd *x = &e->in[0];
    int64_t step[MAX_RANK], base = 0;

    nd_strides(x->dims, x->rank, step);
    for (uint32_t i = 0; i < axes.n; i++) {
        base += (x->dims[axes.v[i]] - 1) * step[axes.v[i]];
        step[axes.v[i]] *= -1;
    }
    copy_affine(&e->out[0], x, base, step);
    return true;
}

static void transpose_rev(Builder *b, const EqnView *e, const Val *gy, Val *gx)
{
    gx[0] = b_eqn1(b, OP_rev, gy, 1, e->attr);
}

static void batch_rev(Builder *b, const EqnView *e, const Batch *bt, Val *out,
                      int *out_axis)
{
    Ints axes = ((const AxesAttr *)e->attr)->axes;
    int64_t to[MAX_RANK];

    for (uint32_t i = 0; i < axes.n; i++)
        to[i] = axes.v[i] + (axes.v[i] >= bt->axis[0]);
    out[0] = b_rev(b, e->in[0], to, axes.n);
    out_axis[0] = bt->axis[0];
}

/* Axes of size 0 or 1 read the same both ways; twice the same reversal is none. */
static bool fold_rev(Builder *b, const EqnView *e, Val *out)
{
    Ints axes = ((const AxesAttr *)e->attr)->axes;
    const Eqn *inner = made_by(b, e->in[0], OP_rev);
    bool nothing = true;

    for (uint32_t i = 0; i < axes.n; i++)
        nothing = nothing && dim_is_const(e->in_type[0].dims[axes.v[i]]) &&
                  e->in_type[0].dims[axes.v[i]] <= 1;
    if (nothing)
        out[0] = e->in[0];
    else if (inner && attr_equal(e->row, inner->attr, e->attr))
        out[0] = b->args.v[inner->args];
    else
        return fold_splat(b, e, out);
    return true;
}

static const AttrField attrs_rev[] = {FIELD(AxesAttr, axes, A_INTS, 0), FIELD_END};

const OpRow op_row_rev = {
    .attrs = attrs_rev,
    .attr_size = sizeof(AxesAttr),
    .type = type_rev,
    .eval = eval_rev,
    .along = along_rev,
    .fold = fold_rev,
    .lower = {.kind = LOWER_INDEX},
};
const OpRules op_rules_rev = {
    .doc = DOC("x with the order of elements along the given axes reversed, any dtype."),
    .jvp = jvp_linear,
    .transpose = transpose_rev,
    .batch = batch_rev,
};
