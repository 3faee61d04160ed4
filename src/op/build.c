/* build.c -- builders: the vocabulary in which rules and fronts write equations.
 *
 * Each checks nothing itself: type rules do. After an error all give VAL_NONE.
 */
#include "op/op.h"

static Type type_of(Builder *b, Val v) { return b_type(b, v); }

/* ---- elementwise ---- */

Val b_stop_gradient(Builder *b, Val x) { return b_eqn1(b, OP_stop_gradient, &x, 1, NULL); }

Val b_select(Builder *b, Val pred, Val on_true, Val on_false)
{
    return b_eqn1(b, OP_select, (Val[]){pred, on_true, on_false}, 3, NULL);
}

Val b_clamp(Builder *b, Val lo, Val x, Val hi)
{
    return b_eqn1(b, OP_clamp, (Val[]){lo, x, hi}, 3, NULL);
}

Val b_cast(Builder *b, Val x, wf_dtype to)
{
    if (b_failed(b) || b_dtype(b, x) == to)
        return x;
    return b_eqn1(b, OP_cast, &x, 1, &(DtypeAttr){(int32_t)to});
}

Val b_bitcast(Builder *b, Val x, wf_dtype to)
{
    if (b_failed(b) || b_dtype(b, x) == to)
        return x;
    return b_eqn1(b, OP_bitcast, &x, 1, &(DtypeAttr){(int32_t)to});
}

/* ---- constants ---- */

Val b_const_data(Builder *b, Type type, const ConstData *data)
{
    ConstAttr a = {type, data, data->size == wf_dtype_size((wf_dtype)type.dtype)};

    return b_eqn1(b, OP_const, NULL, 0, &a);
}

Val b_const(Builder *b, Type type, const void *data)
{
    int64_t count, bytes;

    if (b_failed(b))
        return VAL_NONE;
    if (!type_size((wf_dtype)type.dtype, type.dims, type.rank, &count, &bytes)) {
        fail(b->cx, WF_ERR_SHAPE, NOWHERE, "const: a dense constant needs a constant shape");
        return VAL_NONE;
    }
    if (count > 1 && elements_repeat(data, (size_t)bytes, (size_t)(bytes / count)))
        bytes /= count;
    return b_const_data(b, type, const_data_new(b->cx, data, (size_t)bytes, NULL, NULL, NULL));
}

Val b_splat_bits(Builder *b, Type type, const void *element)
{
    size_t size = wf_dtype_size((wf_dtype)type.dtype);

    if (b_failed(b))
        return VAL_NONE;
    return b_const_data(b, type, const_data_new(b->cx, element, size, NULL, NULL, NULL));
}

Val b_full(Builder *b, Type type, double x)
{
    uint64_t bits[2] = {0};

    element_from_f64((wf_dtype)type.dtype, x, bits);
    return b_splat_bits(b, type, bits);
}

Val b_scalar(Builder *b, wf_dtype dtype, double x) { return b_full(b, b_make_type(b, dtype, NULL, 0), x); }

Val b_int(Builder *b, wf_dtype dtype, int64_t x)
{
    if (dtype == WF_I64 || dtype == WF_U64)
        return b_splat_bits(b, b_make_type(b, dtype, NULL, 0), &x);
    return b_scalar(b, dtype, (double)x);
}

Val b_full_like(Builder *b, Val v, double x) { return b_full(b, type_of(b, v), x); }
Val b_zeros(Builder *b, Type type) { return b_full(b, type, 0); }
Val b_zeros_like(Builder *b, Val v) { return b_full(b, type_of(b, v), 0); }
Val b_one_like(Builder *b, Val v) { return b_full(b, type_of(b, v), 1); }

/* ---- shape ---- */

Val b_reshape(Builder *b, Val x, const Dim *dims, uint32_t rank)
{
    return b_eqn1(b, OP_reshape, &x, 1, &(ShapeAttr){{rank, dims}});
}

Val b_broadcast(Builder *b, Val x, const Dim *shape, uint32_t rank, const int64_t *dims)
{
    return b_eqn1(b, OP_broadcast, &x, 1, &(BroadcastAttr){{rank, shape}, {type_of(b, x).rank, dims}});
}

Val b_broadcast_scalar(Builder *b, Val x, const Dim *shape, uint32_t rank)
{
    return b_broadcast(b, x, shape, rank, NULL);
}

Val b_broadcast_axis(Builder *b, Val x, uint32_t axis, Dim size)
{
    Type t = type_of(b, x);
    Dim shape[MAX_RANK + 1];
    int64_t dims[MAX_RANK];

    for (uint32_t i = 0; i < t.rank; i++) {
        uint32_t to = i < axis ? i : i + 1;
        dims[i] = to;
        shape[to] = t.dims[i];
    }
    shape[axis] = size;
    return b_broadcast(b, x, shape, t.rank + 1u, dims);
}

Val b_transpose(Builder *b, Val x, const int64_t *perm)
{
    return b_eqn1(b, OP_transpose, &x, 1, &(TransposeAttr){{type_of(b, x).rank, perm}});
}

Val b_move_axis(Builder *b, Val x, uint32_t from, uint32_t to)
{
    uint32_t rank = type_of(b, x).rank, k = 0;
    int64_t perm[MAX_RANK];

    if (from == to || b_failed(b))
        return x;
    for (uint32_t i = 0; i < rank; i++) {
        if (k == from)
            k++;
        perm[i] = i == to ? from : k++;
    }
    return b_transpose(b, x, perm);
}

Val b_slice(Builder *b, Val x, const Dim *start, const Dim *limit, const int64_t *stride)
{
    uint32_t rank = type_of(b, x).rank;

    return b_eqn1(b, OP_slice, &x, 1, &(SliceAttr){{rank, start}, {rank, limit}, {stride ? rank : 0, stride}});
}

Val b_slice_axis(Builder *b, Val x, uint32_t axis, Dim start, Dim limit)
{
    Type t = type_of(b, x);
    Dim lo[MAX_RANK] = {0}, hi[MAX_RANK];

    for (uint32_t i = 0; i < t.rank; i++)
        hi[i] = t.dims[i];
    lo[axis] = start;
    hi[axis] = limit;
    return b_slice(b, x, lo, hi, NULL);
}

Val b_pad(Builder *b, Val x, Val value, const Dim *lo, const Dim *hi, const int64_t *interior)
{
    uint32_t rank = type_of(b, x).rank;

    return b_eqn1(b, OP_pad, (Val[]){x, value}, 2, &(PadAttr){{rank, lo}, {rank, hi}, {interior ? rank : 0, interior}});
}

Val b_concat(Builder *b, const Val *x, uint32_t n, uint32_t axis)
{
    return b_eqn1(b, OP_concat, x, n, &(AxisAttr){axis});
}

Val b_rev(Builder *b, Val x, const int64_t *axes, uint32_t n)
{
    return b_eqn1(b, OP_rev, &x, 1, &(AxesAttr){{n, axes}});
}

Val b_iota(Builder *b, wf_dtype dtype, const Dim *dims, uint32_t rank, uint32_t axis)
{
    return b_eqn1(b, OP_iota, NULL, 0, &(IotaAttr){b_make_type(b, dtype, dims, rank), axis});
}

Val b_dim_value(Builder *b, Dim d)
{
    int64_t v;

    if (dim_value(&b->dims, d, &v))
        return b_int(b, WF_I64, v);
    return b_eqn1(b, OP_dim, NULL, 0, &(DimAttr){d});
}

Val b_expand(Builder *b, Val x, uint32_t axis)
{
    Type t = type_of(b, x);
    Dim dims[MAX_RANK + 1];

    if (b_failed(b))
        return VAL_NONE;
    for (uint32_t i = 0; i <= t.rank; i++)
        dims[i] = i < axis ? t.dims[i] : i == axis ? 1 : t.dims[i - 1];
    return b_reshape(b, x, dims, t.rank + 1u);
}

Val b_squeeze(Builder *b, Val x, uint32_t axis)
{
    Type t = type_of(b, x);
    Dim dims[MAX_RANK];
    uint32_t n = 0;

    for (uint32_t i = 0; i < t.rank; i++)
        if (i != axis)
            dims[n++] = t.dims[i];
    return b_reshape(b, x, dims, n);
}

/* ---- reductions ---- */

Val b_reduce(Builder *b, OpCode op, Val x, const int64_t *axes, uint32_t n)
{
    return b_eqn1(b, op, &x, 1, &(ReduceAttr){{n, axes}});
}

Val b_reduce_axis(Builder *b, OpCode op, Val x, uint32_t axis)
{
    return b_reduce(b, op, x, (int64_t[]){axis}, 1);
}

Val b_sum_all(Builder *b, Val x)
{
    uint32_t rank = type_of(b, x).rank;
    int64_t axes[MAX_RANK];

    for (uint32_t i = 0; i < rank; i++)
        axes[i] = i;
    return b_reduce(b, OP_reduce_sum, x, axes, rank);
}

Val b_cumsum(Builder *b, Val x, uint32_t axis, bool reverse)
{
    return b_eqn1(b, OP_cumsum, &x, 1, &(CumAttr){axis, reverse});
}

/* ---- indexing ---- */

Val b_gather(Builder *b, Val x, Val indices, const GatherAttr *a)
{
    return b_eqn1(b, OP_gather, (Val[]){x, indices}, 2, a);
}

Val b_scatter(Builder *b, OpCode op, Val x, Val indices, Val updates, const ScatterAttr *a)
{
    return b_eqn1(b, op, (Val[]){x, indices, updates}, 3, a);
}

Val b_dynamic_slice(Builder *b, Val x, const Val *starts, const Dim *sizes)
{
    uint32_t rank = type_of(b, x).rank;
    Val in[MAX_RANK + 1];

    in[0] = x;
    memcpy(in + 1, starts, rank * sizeof *in);
    return b_eqn1(b, OP_dynamic_slice, in, rank + 1, &(DynamicSliceAttr){{rank, sizes}});
}

Val b_dynamic_update_slice(Builder *b, Val x, Val update, const Val *starts)
{
    uint32_t rank = type_of(b, x).rank;
    Val in[MAX_RANK + 2];

    in[0] = x;
    in[1] = update;
    memcpy(in + 2, starts, rank * sizeof *in);
    return b_eqn1(b, OP_dynamic_update_slice, in, rank + 2, NULL);
}

static void row_starts(Builder *b, Val x, Val i, Val *starts)
{
    starts[0] = i;
    for (uint32_t k = 1; k < type_of(b, x).rank; k++)
        starts[k] = b_int(b, b_failed(b) ? WF_I64 : b_dtype(b, i), 0);
}

Val b_row(Builder *b, Val x, Val i)
{
    Type t = type_of(b, x);
    Val starts[MAX_RANK];
    Dim sizes[MAX_RANK];

    if (b_failed(b))
        return VAL_NONE;
    row_starts(b, x, i, starts);
    for (uint32_t k = 0; k < t.rank; k++)
        sizes[k] = k ? t.dims[k] : 1;
    return b_squeeze(b, b_dynamic_slice(b, x, starts, sizes), 0);
}

Val b_set_row(Builder *b, Val x, Val row, Val i)
{
    Val starts[MAX_RANK];

    if (b_failed(b))
        return VAL_NONE;
    row_starts(b, x, i, starts);
    return b_dynamic_update_slice(b, x, b_expand(b, row, 0), starts);
}

/* ---- contractions ---- */

Val b_dot(Builder *b, Val x, Val y, const DotAttr *a)
{
    DotAttr d = *a;

    if (!d.acc && !b_failed(b))
        d.acc = (int32_t)b_dtype(b, x);
    return b_eqn1(b, OP_dot_general, (Val[]){x, y}, 2, &d);
}

Val b_matmul(Builder *b, Val x, Val y)
{
    uint32_t rank = type_of(b, x).rank;
    int64_t batch[MAX_RANK];

    if (b_failed(b))
        return VAL_NONE;
    for (uint32_t i = 0; i + 2 < rank; i++)
        batch[i] = i;
    uint32_t nb = rank - 2;
    return b_dot(b, x, y, &(DotAttr){INTS(1, (int64_t)rank - 1), INTS(1, (int64_t)rank - 2), {nb, batch}, {nb, batch}, 0, 0});
}

Val b_conv(Builder *b, Val x, Val k, const ConvAttr *a)
{
    ConvAttr c = *a;

    if (!c.acc && !b_failed(b))
        c.acc = (int32_t)b_dtype(b, x);
    c.groups = c.groups ? c.groups : 1;
    c.batch_groups = c.batch_groups ? c.batch_groups : 1;
    return b_eqn1(b, OP_conv_general, (Val[]){x, k}, 2, &c);
}

/* ---- sub-programs ---- */

Val *b_call(Builder *b, const Sub *body, const Val *in, uint32_t nin, uint32_t *out_n)
{
    return b_eqn_n(b, OP_call, in, nin, &(CallAttr){*body, KIND_PLAIN}, out_n);
}
