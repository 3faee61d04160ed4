/* op_const.c -- arrays and sizes made from nothing but types: const iota dim size.
 */
#include "op/shape.h"

#include <stddef.h>

/* ---- const ------------------------------------------------------------------------- */

static bool type_const(TypeRule *t)
{
    ConstAttr *a = t->attr;
    size_t one = wf_dtype_size((wf_dtype)a->type.dtype);
    int64_t count, bytes;
    bool fixed = true;

    if (!dtype_is_usable((wf_dtype)a->type.dtype))
        return type_fail(t, WF_ERR_TYPE, "%s is not a dtype of arrays",
                         wf_dtype_name((wf_dtype)a->type.dtype));
    if (!check_sizes(t, (Ints){a->type.rank, a->type.dims}))
        return false;
    for (uint32_t i = 0; i < a->type.rank; i++)
        fixed = fixed && dim_is_const(a->type.dims[i]);
    a->splat = a->data->size == one;
    if (!a->splat && !fixed)
        return type_fail(t, WF_ERR_SHAPE,
                         "%s depends on a symbol, so the constant must be one number",
                         type_show(t, a->type));
    if (!a->splat) {
        if (!type_size((wf_dtype)a->type.dtype, a->type.dims, a->type.rank, &count,
                       &bytes))
            return type_fail(t, WF_ERR_LIMIT, "%s is too large", type_show(t, a->type));
        if ((uint64_t)bytes != a->data->size)
            return type_fail(t, WF_ERR_SHAPE, "%s has %lld elements, but %lld were given",
                             type_show(t, a->type), (long long)count,
                             (long long)(a->data->size / one));
    }
    type_out(t, (wf_dtype)a->type.dtype, a->type.dims, a->type.rank);
    return true;
}

static bool eval_const(Eval *e)
{
    const ConstAttr *a = e->attr;

    if (a->data->size == wf_dtype_size(e->out[0].dtype))
        nd_fill(&e->out[0], a->data->data);
    else
        memcpy(e->out[0].data, a->data->data, a->data->size);
    return true;
}

static const AttrField attrs_const[] = {
    FIELD_POS(ConstAttr, type, A_TYPE),
    FIELD_POS(ConstAttr, data, A_CONST),
    FIELD_END,
};

const OpRow op_row_const = {
    .attrs = attrs_const,
    .attr_size = sizeof(ConstAttr),
    .type = type_const,
    .eval = eval_const,
    .lower = {.kind = LOWER_INDEX},
};
const OpRules op_rules_const = {
    .doc = DOC("A constant, any dtype: all elements in row-major order, or one number\n"
               "that fills the shape. Only the latter may have symbolic sizes."),
    .batch = batch_nothing,
};

/* ---- iota -------------------------------------------------------------------------- */

static bool type_iota(TypeRule *t)
{
    const IotaAttr *a = t->attr;

    if (!dtype_is_int((wf_dtype)a->type.dtype) &&
        !dtype_is_float((wf_dtype)a->type.dtype))
        return type_fail(t, WF_ERR_TYPE, "%s, but an integer or float dtype is needed",
                         wf_dtype_name((wf_dtype)a->type.dtype));
    if (!check_sizes(t, (Ints){a->type.rank, a->type.dims}) ||
        !check_axis(t, a->axis, a->type))
        return false;
    type_out(t, (wf_dtype)a->type.dtype, a->type.dims, a->type.rank);
    return true;
}

static bool eval_iota(Eval *e)
{
    uint32_t axis = (uint32_t)((const IotaAttr *)e->attr)->axis;
    const Nd *y = &e->out[0];
    int64_t stride[MAX_RANK];

    nd_strides(y->dims, y->rank, stride);
    for (int64_t i = 0; i < y->count; i++) {
        int64_t v = i / stride[axis] % y->dims[axis];
        scalar_store(y->dtype, y->data, i, scalar_int(y->dtype, v));
    }
    return true;
}

static const AttrField attrs_iota[] = {
    FIELD_POS(IotaAttr, type, A_TYPE),
    FIELD(IotaAttr, axis, A_INT, 0),
    FIELD_END,
};

const OpRow op_row_iota = {
    .attrs = attrs_iota,
    .attr_size = sizeof(IotaAttr),
    .type = type_iota,
    .eval = eval_iota,
    .lower = {.kind = LOWER_INDEX},
};
const OpRules op_rules_iota = {
    .doc = DOC("y[..,i,..] = i, the position along an axis; integer and float dtypes.\n"
               "Integers wrap, floats round to nearest (a position too large for f16\n"
               "becomes inf)."),
    .batch = batch_nothing,
};

/* ---- dim, size: from sizes to numbers and back ------------------------------------- */

static bool type_dim(TypeRule *t)
{
    if (((const DimAttr *)t->attr)->dim == DIM_NONE)
        return type_fail(t, WF_ERR_VALUE, "no dim is given");
    type_out(t, WF_I64, NULL, 0);
    return true;
}

static bool eval_dim(Eval *e)
{
    memcpy(e->out[0].data, &((const DimAttr *)e->attr)->dim, sizeof(int64_t));
    return true;
}

/* A constant dim is a constant. */
static bool fold_dim(Builder *b, const EqnView *e, Val *out)
{
    int64_t v;

    if (!dim_value(&b->dims, ((const DimAttr *)e->attr)->dim, &v))
        return false;
    out[0] = b_int(b, WF_I64, v);
    return true;
}

static const AttrField attrs_dim[] = {FIELD_POS(DimAttr, dim, A_DIM), FIELD_END};

const OpRow op_row_dim = {
    .attrs = attrs_dim,
    .attr_size = sizeof(DimAttr),
    .type = type_dim,
    .eval = eval_dim,
    .fold = fold_dim,
    .lower = {.kind = LOWER_INDEX},
};
const OpRules op_rules_dim = {
    .doc = DOC("The value of a dimension expression (N, N*2-1, floor(N/2)) as an i64\n"
               "scalar."),
    .batch = batch_nothing,
};

static bool type_size_op(TypeRule *t)
{
    if (t->in[0].dtype != WF_I64)
        return type_fail(t, WF_ERR_TYPE, "%s, but an i64 scalar is needed",
                         type_show(t, t->in[0]));
    if (t->in[0].rank)
        return type_fail(t, WF_ERR_SHAPE, "%s, but a scalar is needed",
                         type_show(t, t->in[0]));
    if (((const SymAttr *)t->attr)->sym == DIM_NONE)
        return type_fail(t, WF_ERR_VALUE, "no symbol is given: as=NAME");
    return true;
}

static bool eval_size(Eval *e)
{
    int64_t n;

    memcpy(&n, e->in[0].data, sizeof n);
    if (n < 0)
        return eval_fail(e, WF_ERR_VALUE, "the size is %lld, but sizes are not negative",
                         (long long)n);
    return eval_define(e, ((const SymAttr *)e->attr)->sym, n);
}

static void batch_size(Builder *b, const EqnView *e, const Batch *bt, Val *out,
                       int *out_axis)
{
    (void)bt, (void)out, (void)out_axis;
    fail(b->cx, WF_ERR_SHAPE, e->place,
         "size: the size would be different for each row of the batch, but arrays are "
         "rectangular");
}

static const AttrField attrs_size[] = {FIELD_AS("as", SymAttr, sym, A_SYM, ATTR_REQUIRED),
                                       FIELD_END};

const OpRow op_row_size = {
    .attrs = attrs_size,
    .attr_size = sizeof(SymAttr),
    .type = type_size_op,
    .eval = eval_size,
    .lower = {.kind = LOWER_LIBRARY},
};
const OpRules op_rules_size = {
    .doc =
        DOC("Defines a symbol as the value of an i64 scalar, for the shapes that\n"
            "follow. A negative number is a value error at run time. No vmap over the\n"
            "number: arrays are rectangular, so a size for each row has no meaning."),
    .batch = batch_size,
};
