/* op_slice.c -- parts of arrays and arrays with more around them: slice pad.
 *
 * Each is the other's transpose. Bounds may be symbolic: what is provably wrong is
 * refused by the type rule, what a symbol leaves open is checked by eval when sizes are
 * known.
 */
#include "op/shape.h"

#include <stddef.h>

/* ---- slice ------------------------------------------------------------------------- */

static bool type_slice(TypeRule *t)
{
    const SliceAttr *a = t->attr;
    Type x = t->in[0];
    Dim dims[MAX_RANK];

    if (!check_entries(t, "start", a->start, false) ||
        !check_entries(t, "limit", a->limit, false) ||
        !check_entries(t, "stride", a->stride, true) ||
        !check_at_least(t, "stride", a->stride, 1))
        return false;
    for (uint32_t i = 0; i < x.rank; i++) {
        Dim start = a->start.v[i], limit = a->limit.v[i],
            n = dim_sub(t->dims, limit, start);
        int64_t s = entry(a->stride, i, 1);
        if (is_negative(t, start) || is_negative(t, n) ||
            is_negative(t, dim_sub(t->dims, x.dims[i], limit)))
            return type_fail(
                t, WF_ERR_SHAPE,
                "%s to %s of axis %u, but 0 <= start <= limit <= %s is needed for %s",
                dim_show(t, start), dim_show(t, limit), i, dim_show(t, x.dims[i]),
                type_show(t, x));
        if (s > 1) /* ceil(n / s) */
            n = dim_div(t->dims, dim_add(t->dims, n, dim_const(t->dims, s - 1)), s);
        dims[i] = n;
    }
    type_out(t, (wf_dtype)x.dtype, dims, x.rank);
    return true;
}

static bool eval_slice(Eval *e)
{
    const SliceAttr *a = e->attr;
    const Nd *x = &e->in[0];
    int64_t step[MAX_RANK], base = 0;

    nd_strides(x->dims, x->rank, step);
    for (uint32_t i = 0; i < x->rank; i++) {
        int64_t start = a->start.v[i], limit = a->limit.v[i];
        if (start < 0 || limit < start || limit > x->dims[i])
            return eval_fail(
                e, WF_ERR_SHAPE, "%lld to %lld of axis %u, which has size %lld",
                (long long)start, (long long)limit, i, (long long)x->dims[i]);
        base += start * step[i];
        step[i] *= e->out[0].dims[i] > 1 ? entry(a->stride, i, 1) : 0;
    }
    copy_affine(&e->out[0], x, base, step);
    return true;
}

/* The size of n elements with `interior` more between neighbours: n + (n-1)*interior, 0
 * for none. */
static Dim dilated(Dims *t, Dim n, int64_t interior)
{
    Dim d;

    if (!interior || n == 0)
        return n;
    d = dim_sub(t, dim_mul(t, n, dim_add(t, interior, 1)), interior);
    return dim_is_const(d) ? d : dim_max(t, d, 0);
}

/*   y[j] = x[start + j*stride]
 *   gx = gy with stride-1 zeros between neighbours, `start` zeros before, and zeros after
 *        up to x's size
 */
static void transpose_slice(Builder *b, const EqnView *e, const Val *gy, Val *gx)
{
    const SliceAttr *a = e->attr;
    Type x = e->in_type[0], y = e->out_type[0];
    Dim hi[MAX_RANK];
    int64_t interior[MAX_RANK];

    for (uint32_t i = 0; i < x.rank; i++) {
        interior[i] = entry(a->stride, i, 1) - 1;
        hi[i] = dim_sub(&b->dims, dim_sub(&b->dims, x.dims[i], a->start.v[i]),
                        dilated(&b->dims, y.dims[i], interior[i]));
    }
    gx[0] = b_pad(b, gy[0], b_scalar(b, (wf_dtype)x.dtype, 0), a->start.v, hi, interior);
}

static void batch_slice(Builder *b, const EqnView *e, const Batch *bt, Val *out,
                        int *out_axis)
{
    const SliceAttr *a = e->attr;
    uint32_t k = (uint32_t)bt->axis[0];
    int64_t start[MAX_RANK + 1], limit[MAX_RANK + 1], stride[MAX_RANK + 1];
    SliceAttr to = {
        .start = insert_entry(a->start, k, 0, start),
        .limit = insert_entry(a->limit, k, bt->size, limit),
        .stride = insert_optional(a->stride, k, 1, stride),
    };

    out[0] = b_eqn1(b, OP_slice, e->in, 1, &to);
    out_axis[0] = (int)k;
}

/* All of x. */
static bool fold_slice(Builder *b, const EqnView *e, Val *out)
{
    const SliceAttr *a = e->attr;

    for (uint32_t i = 0; i < e->in_type[0].rank; i++)
        if (a->start.v[i] != 0 || a->limit.v[i] != e->in_type[0].dims[i] ||
            entry(a->stride, i, 1) != 1)
            return fold_splat(b, e, out);
    out[0] = e->in[0];
    return true;
}

static const AttrField attrs_slice[] = {
    FIELD(SliceAttr, start, A_DIMS, 0),
    FIELD(SliceAttr, limit, A_DIMS, 0),
    FIELD(SliceAttr, stride, A_INTS, 0),
    FIELD_END,
};

const OpRow op_row_slice = {
    .attrs = attrs_slice,
    .attr_size = sizeof(SliceAttr),
    .type = type_slice,
    .eval = eval_slice,
    .along = along_slice,
    .fold = fold_slice,
    .lower = {.kind = LOWER_INDEX},
};
const OpRules op_rules_slice = {
    .doc = DOC("y[j] = x[start + j*stride] on every axis, up to limit (not included),\n"
               "any dtype; the size is ceil((limit - start) / stride). 0 <= start <=\n"
               "limit <= size: what a symbol leaves open is checked at run time. stride\n"
               "left out: 1."),
    .jvp = jvp_linear,
    .transpose = transpose_slice,
    .batch = batch_slice,
};

/* ---- pad --------------------------------------------------------------------------- */

static bool type_pad(TypeRule *t)
{
    const PadAttr *a = t->attr;
    Type x = t->in[0], value = t->in[1];
    Dim dims[MAX_RANK];

    if (value.rank || value.dtype != x.dtype)
        return type_fail(t, value.rank ? WF_ERR_SHAPE : WF_ERR_TYPE,
                         "the padding value is %s, but must be a scalar %s",
                         type_show(t, value), wf_dtype_name((wf_dtype)x.dtype));
    if (!check_entries(t, "lo", a->lo, false) || !check_entries(t, "hi", a->hi, false) ||
        !check_entries(t, "interior", a->interior, true) ||
        !check_at_least(t, "interior", a->interior, 0))
        return false;
    for (uint32_t i = 0; i < x.rank; i++) {
        Dim ends = dim_add(t->dims, a->lo.v[i], a->hi.v[i]);
        dims[i] =
            dim_add(t->dims, ends, dilated(t->dims, x.dims[i], entry(a->interior, i, 0)));
        if (is_negative(t, dims[i]))
            return type_fail(
                t, WF_ERR_SHAPE, "lo %s and hi %s cut more than axis %u of %s has",
                dim_show(t, a->lo.v[i]), dim_show(t, a->hi.v[i]), i, type_show(t, x));
    }
    type_out(t, (wf_dtype)x.dtype, dims, x.rank);
    return true;
}

static bool eval_pad(Eval *e)
{
    const PadAttr *a = e->attr;
    const Nd *x = &e->in[0], *y = &e->out[0];
    int64_t at[MAX_RANK] = {0}, stride[MAX_RANK], i = 0;

    nd_fill(y, e->in[1].data);
    nd_strides(y->dims, y->rank, stride);
    if (!x->count)
        return true;
    do {
        int64_t to = 0;
        bool inside = true;
        for (uint32_t k = 0; k < x->rank; k++) {
            int64_t p = at[k] * (entry(a->interior, k, 0) + 1);
            inside = inside && add_i64(p, a->lo.v[k], &p) && p >= 0 && p < y->dims[k];
            to += inside ? p * stride[k] : 0;
        }
        if (inside)
            nd_copy(y, to, x, i);
        i++;
    } while (nd_next(x->dims, x->rank, at));
    return true;
}

/* pad with a value that is true where the result is padding: false elements padded with
 * true */
static Val padding_mask(Builder *b, const EqnView *e)
{
    const PadAttr *a = e->attr;
    Type x = b_make_type(b, WF_BOOL, e->in_type[0].dims, e->in_type[0].rank);

    return b_eqn1(b, OP_pad, (Val[]){b_full(b, x, 0), b_int(b, WF_BOOL, 1)}, 2, a);
}

/*   y[lo + j*(interior+1)] = x[j], all else is the value
 *   gx[j] = gy[lo + j*(interior+1)], 0 where that was cut off
 *   gvalue = sum of gy over the padding
 * gx: gy with its ends cut (or filled up with zeros where pad had cut) to
 * size*(interior+1), every (interior+1)-th element taken. That size is exact for symbolic
 * sizes and for size 0.
 */
static void transpose_pad(Builder *b, const EqnView *e, const Val *gy, Val *gx)
{
    const PadAttr *a = e->attr;
    Type x = e->in_type[0], y = e->out_type[0];
    Val zero = b_scalar(b, (wf_dtype)x.dtype, 0);
    Dim lo[MAX_RANK], hi[MAX_RANK], start[MAX_RANK] = {0}, limit[MAX_RANK];
    int64_t stride[MAX_RANK];

    for (uint32_t i = 0; i < x.rank; i++) {
        stride[i] = entry(a->interior, i, 0) + 1;
        limit[i] = dim_mul(&b->dims, x.dims[i], stride[i]);
        lo[i] = dim_sub(&b->dims, 0, a->lo.v[i]);
        hi[i] = dim_sub(&b->dims, limit[i], dim_add(&b->dims, y.dims[i], lo[i]));
    }
    if (e->in[0] == VAL_NONE)
        gx[0] = b_slice(b, b_pad(b, gy[0], zero, lo, hi, NULL), start, limit, stride);
    if (e->in[1] == VAL_NONE) {
        Val none = b_zeros(b, y);

        gx[1] = b_sum_all(b, b_select(b, padding_mask(b, e), gy[0], none));
    }
}

/* With a value for each row, the padding is selected in: pad with 0, then value where
 * there is padding. */
static void batch_pad(Builder *b, const EqnView *e, const Batch *bt, Val *out,
                      int *out_axis)
{
    const PadAttr *a = e->attr;
    uint32_t k = bt->axis[0] < 0 ? 0 : (uint32_t)bt->axis[0];
    int64_t lo[MAX_RANK + 1], hi[MAX_RANK + 1], interior[MAX_RANK + 1],
        shape[MAX_RANK + 1];
    int64_t dims[MAX_RANK + 1];
    Type y = e->out_type[0];
    Val x = e->in[0], value = e->in[1], mask;
    PadAttr to;

    if (bt->axis[1] >= 0) {
        x = bt->axis[0] < 0 ? b_broadcast_axis(b, x, 0, bt->size)
                            : b_move_axis(b, x, k, 0);
        k = 0;
        value = b_scalar(b, (wf_dtype)y.dtype, 0);
    }
    to.lo = insert_entry(a->lo, k, 0, lo);
    to.hi = insert_entry(a->hi, k, 0, hi);
    to.interior = insert_optional(a->interior, k, 0, interior);
    out[0] = b_eqn1(b, OP_pad, (Val[]){x, value}, 2, &to);
    out_axis[0] = (int)k;
    if (bt->axis[1] < 0)
        return;
    insert_entry((Ints){y.rank, y.dims}, 0, bt->size, shape);
    for (uint32_t i = 0; i < y.rank; i++)
        dims[i] = i + 1;
    mask = b_broadcast(b, padding_mask(b, e), shape, y.rank + 1u, dims);
    value = b_broadcast(b, e->in[1], shape, y.rank + 1u, (const int64_t[]){0});
    out[0] = b_select(b, mask, value, out[0]);
}

static bool fold_pad(Builder *b, const EqnView *e, Val *out)
{
    const PadAttr *a = e->attr;

    (void)b;
    for (uint32_t i = 0; i < e->in_type[0].rank; i++)
        if (a->lo.v[i] != 0 || a->hi.v[i] != 0 || entry(a->interior, i, 0) != 0)
            return false;
    out[0] = e->in[0];
    return true;
}

static const AttrField attrs_pad[] = {
    FIELD(PadAttr, lo, A_DIMS, 0),
    FIELD(PadAttr, hi, A_DIMS, 0),
    FIELD(PadAttr, interior, A_INTS, 0),
    FIELD_END,
};

const OpRow op_row_pad = {
    .attrs = attrs_pad,
    .attr_size = sizeof(PadAttr),
    .type = type_pad,
    .eval = eval_pad,
    .along = along_pad,
    .fold = fold_pad,
    .lower = {.kind = LOWER_INDEX},
};
const OpRules op_rules_pad = {
    .doc =
        DOC("x with a scalar value put before (lo), after (hi) and between (interior)\n"
            "its elements on each axis, any dtype. Negative lo and hi cut elements\n"
            "off, after the interior padding. Linear in x and the value together.\n"
            "interior left out: 0."),
    .jvp = jvp_linear,
    .transpose = transpose_pad,
    .batch = batch_pad,
};
