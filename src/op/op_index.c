/* op_index.c -- dynamic_slice, dynamic_update_slice: one window at a computed place;
 * nonzero: places computed from values, as many as there are.
 *
 *   dynamic_slice x i0 i1 ..           y[o..] = x[i.. + o..]
 *   dynamic_update_slice x u i0 i1 ..  y = x with y[i.. + o..] = u[o..]
 *
 * Starts are clamped so that the window fits, which makes both total. With a start for
 * each row of a batch they become gather and scatter.
 */
#include "op/index.h"

#include <stddef.h>

/* ---- shared ------------------------------------------------------------------------ */

/* Operands from first on are integer scalars, one for each axis of x. */
static bool check_starts(TypeRule *t, uint32_t first)
{
    if (t->nin < first)
        return type_fail(t, WF_ERR_VALUE, "%u operands, but at least %u are needed",
                         t->nin, first);
    if (t->nin - first != t->in[0].rank)
        return type_fail(t, WF_ERR_VALUE, "%u starts, but %s has %u axes", t->nin - first,
                         type_show(t, t->in[0]), t->in[0].rank);
    for (uint32_t i = first; i < t->nin; i++) {
        if (!dtype_is_int((wf_dtype)t->in[i].dtype))
            return type_fail(t, WF_ERR_TYPE, "start %u is %s, but must be an integer",
                             i - first, type_show(t, t->in[i]));
        if (t->in[i].rank)
            return type_fail(t, WF_ERR_SHAPE, "start %u is %s, but must be a scalar",
                             i - first, type_show(t, t->in[i]));
    }
    return true;
}

static bool check_fits(TypeRule *t, const Dim *sizes)
{
    Type x = t->in[0];

    for (uint32_t i = 0; i < x.rank; i++)
        if (is_negative(t, sizes[i]) ||
            is_negative(t, dim_sub(t->dims, x.dims[i], sizes[i])))
            return type_fail(
                t, WF_ERR_SHAPE,
                "a window of %s does not fit axis %u of %s, which has size %s",
                dim_show(t, sizes[i]), i, type_show(t, x), dim_show(t, x.dims[i]));
    return true;
}

/* The flat position where the window starts in x. */
static bool window_base(Eval *e, uint32_t first, const int64_t *sizes,
                        const int64_t *stride, int64_t *out)
{
    const Nd *x = &e->in[0];

    *out = 0;
    for (uint32_t i = 0; i < x->rank; i++) {
        int64_t at = nd_int(&e->in[first + i], 0), last = x->dims[i] - sizes[i];
        if (sizes[i] < 0 || last < 0)
            return eval_fail(e, WF_ERR_SHAPE,
                             "a window of %lld does not fit axis %u, which has size %lld",
                             (long long)sizes[i], i, (long long)x->dims[i]);
        *out += MAX(0, MIN(at, last)) * stride[i];
    }
    return true;
}

static bool any_batched(const EqnView *e, const Batch *bt, uint32_t first)
{
    for (uint32_t i = first; i < e->nin; i++)
        if (bt->axis[i] >= 0)
            return true;
    return false;
}

Val stack_starts(Builder *b, const Val *starts, const int *axis, uint32_t n, Dim size)
{
    Val *column = arena_array(&b->arena, n, sizeof *column);

    for (uint32_t i = 0; i < n; i++) {
        Val v = axis[i] < 0 ? b_broadcast_scalar(b, starts[i], &size, 1) : starts[i];
        if (!b_failed(b) && b_dtype(b, v) == WF_U64) /* beyond i64 is beyond every axis */
            v = b_min(b, v, b_broadcast_scalar(b, b_int(b, WF_U64, INT64_MAX), &size, 1));
        v = b_cast(b, v, WF_I64);
        column[i] = b_reshape(b, v, (const Dim[]){size, 1}, 2);
    }
    return b_concat(b, column, n, 1);
}

/* 0, 1, .. n-1 plus first */
static Ints axes_from(int64_t first, uint32_t n, int64_t *buf)
{
    for (uint32_t i = 0; i < n; i++)
        buf[i] = first + i;
    return (Ints){n, buf};
}

/* ---- dynamic_slice ----------------------------------------------------------------- */

static bool type_dynamic_slice(TypeRule *t)
{
    Ints sizes = ((const DynamicSliceAttr *)t->attr)->sizes;

    if (!check_starts(t, 1) || !check_entries(t, "sizes", sizes, false) ||
        !check_fits(t, sizes.v))
        return false;
    type_out(t, (wf_dtype)t->in[0].dtype, sizes.v, sizes.n);
    return true;
}

static bool eval_dynamic_slice(Eval *e)
{
    int64_t stride[MAX_RANK], base;

    nd_strides(e->in[0].dims, e->in[0].rank, stride);
    if (!window_base(e, 1, e->out[0].dims, stride, &base))
        return false;
    copy_affine(&e->out[0], &e->in[0], base, stride);
    return true;
}

static void jvp_dynamic_slice(Builder *b, const EqnView *e, const Val *dx, Val *dy)
{
    if (dx[0] != VAL_NONE)
        dy[0] = b_dynamic_slice(b, dx[0], e->in + 1,
                                ((const DynamicSliceAttr *)e->attr)->sizes.v);
}

/* gx = zeros, with gy where y was read */
static void transpose_dynamic_slice(Builder *b, const EqnView *e, const Val *gy, Val *gx)
{
    gx[0] = b_dynamic_update_slice(b, b_zeros(b, e->in_type[0]), gy[0], e->in + 1);
}

static void batch_dynamic_slice(Builder *b, const EqnView *e, const Batch *bt, Val *out,
                                int *out_axis)
{
    Ints sizes = ((const DynamicSliceAttr *)e->attr)->sizes;
    uint32_t rank = e->in_type[0].rank, k = bt->axis[0] < 0 ? 0 : (uint32_t)bt->axis[0];
    int64_t from[MAX_RANK], offset[MAX_RANK], size[MAX_RANK + 1];
    Ints front = INTS(1, 0);
    Val x = e->in[0], starts[MAX_RANK + 1];
    GatherAttr g = {.mode = INDEX_CLIP, .offset_dims = axes_from(1, rank, offset)};

    if (!any_batched(e, bt, 1)) {
        for (uint32_t i = 0; i <= rank; i++)
            starts[i] = i == k ? b_int(b, WF_I64, 0) : e->in[1 + i - (i > k)];
        out[0] = b_dynamic_slice(b, x, starts, insert_entry(sizes, k, bt->size, size).v);
        out_axis[0] = (int)k;
        return;
    }
    g.slice_sizes = sizes;
    g.start_index_map = axes_from(bt->axis[0] >= 0, rank, from);
    if (bt->axis[0] >= 0) {
        x = b_move_axis(b, x, k, 0);
        g.operand_batching = g.indices_batching = front;
        g.slice_sizes = insert_entry(sizes, 0, 1, size);
    }
    out[0] = b_gather(b, x, stack_starts(b, e->in + 1, bt->axis + 1, rank, bt->size), &g);
    out_axis[0] = 0;
}

/* A window as large as x can only start at 0. */
static bool fold_dynamic_slice(Builder *b, const EqnView *e, Val *out)
{
    (void)b;
    if (!type_eq(e->in_type[0], e->out_type[0]))
        return false;
    out[0] = e->in[0];
    return true;
}

static const AttrField attrs_dynamic_slice[] = {FIELD(DynamicSliceAttr, sizes, A_DIMS, 0),
                                                FIELD_END};

const OpRow op_row_dynamic_slice = {
    .attrs = attrs_dynamic_slice,
    .attr_size = sizeof(DynamicSliceAttr),
    .type = type_dynamic_slice,
    .eval = eval_dynamic_slice,
    .along = along_dynamic_slice,
    .fold = fold_dynamic_slice,
    .lower = {.kind = LOWER_INDEX},
};
const OpRules op_rules_dynamic_slice = {
    .doc = DOC("y[o..] = x[i.. + o..]: the window of the given sizes starting at the\n"
               "integer scalars i.., one for each axis, each clamped to [0, size of x -\n"
               "size of the window]; any dtype. Negative starts do not count from the\n"
               "end."),
    .jvp = jvp_dynamic_slice,
    .transpose = transpose_dynamic_slice,
    .batch = batch_dynamic_slice,
};

/* ---- dynamic_update_slice ---------------------------------------------------------- */

static bool type_dynamic_update_slice(TypeRule *t)
{
    if (!check_starts(t, 2))
        return false;
    if (t->in[1].dtype != t->in[0].dtype)
        return type_fail(t, WF_ERR_TYPE, "the update is %s, but x is %s",
                         type_show(t, t->in[1]), type_show(t, t->in[0]));
    if (t->in[1].rank != t->in[0].rank)
        return type_fail(t, WF_ERR_SHAPE,
                         "the update is %s, but x is %s: equal ranks are needed",
                         type_show(t, t->in[1]), type_show(t, t->in[0]));
    if (!check_fits(t, t->in[1].dims))
        return false;
    type_out_like(t, t->in[0]);
    return true;
}

static bool eval_dynamic_update_slice(Eval *e)
{
    const Nd *x = &e->in[0], *u = &e->in[1], *y = &e->out[0];
    int64_t stride[MAX_RANK], at[MAX_RANK] = {0}, base, i = 0;

    if (y->data != x->data)
        memcpy(y->data, x->data, (size_t)x->count * wf_dtype_size(x->dtype));
    nd_strides(x->dims, x->rank, stride);
    if (!window_base(e, 2, u->dims, stride, &base))
        return false;
    if (!u->count)
        return true;
    do
        nd_copy(y, base + nd_flat(at, stride, u->rank), u, i++);
    while (nd_next(u->dims, u->rank, at));
    return true;
}

/* linear in x and the update together */
static void jvp_dynamic_update_slice(Builder *b, const EqnView *e, const Val *dx, Val *dy)
{
    Val x = dx[0] != VAL_NONE ? dx[0] : b_zeros(b, e->in_type[0]);
    Val u = dx[1] != VAL_NONE ? dx[1] : b_zeros(b, e->in_type[1]);

    if (dx[0] != VAL_NONE || dx[1] != VAL_NONE)
        dy[0] = b_dynamic_update_slice(b, x, u, e->in + 2);
}

/* gx = gy with 0 where the update went; gu = gy there */
static void transpose_dynamic_update_slice(Builder *b, const EqnView *e, const Val *gy,
                                           Val *gx)
{
    Type u = e->in_type[1];

    if (e->in[0] == VAL_NONE)
        gx[0] = b_dynamic_update_slice(b, gy[0], b_zeros(b, u), e->in + 2);
    if (e->in[1] == VAL_NONE)
        gx[1] = b_dynamic_slice(b, gy[0], e->in + 2, u.dims);
}

static void batch_dynamic_update_slice(Builder *b, const EqnView *e, const Batch *bt,
                                       Val *out, int *out_axis)
{
    uint32_t rank = e->in_type[0].rank;
    int64_t window[MAX_RANK], to[MAX_RANK];
    Val in[2], starts[MAX_RANK + 1];
    ScatterAttr s = {
        .update_window = axes_from(1, rank, window),
        .operand_batching = INTS(1, 0),
        .indices_batching = INTS(1, 0),
        .operand_dims = axes_from(1, rank, to),
        .mode = INDEX_CLIP,
        .unique = true,
    };

    for (int i = 0; i < 2; i++)
        in[i] = bt->axis[i] < 0 ? b_broadcast_axis(b, e->in[i], 0, bt->size)
                                : b_move_axis(b, e->in[i], (uint32_t)bt->axis[i], 0);
    out_axis[0] = 0;
    if (any_batched(e, bt, 2)) {
        Val rows = stack_starts(b, e->in + 2, bt->axis + 2, rank, bt->size);
        out[0] = b_scatter(b, OP_scatter, in[0], rows, in[1], &s);
        return;
    }
    starts[0] = b_int(b, WF_I64, 0);
    for (uint32_t i = 0; i < rank; i++)
        starts[i + 1] = e->in[2 + i];
    out[0] = b_dynamic_update_slice(b, in[0], in[1], starts);
}

/* An update as large as x replaces it. */
static bool fold_dynamic_update_slice(Builder *b, const EqnView *e, Val *out)
{
    (void)b;
    if (!type_eq(e->in_type[0], e->in_type[1]))
        return false;
    out[0] = e->in[1];
    return true;
}

const OpRow op_row_dynamic_update_slice = {
    .type = type_dynamic_update_slice,
    .eval = eval_dynamic_update_slice,
    .along = along_dynamic_update_slice,
    .fold = fold_dynamic_update_slice,
    .lower = {.kind = LOWER_INDEX},
};
const OpRules op_rules_dynamic_update_slice = {
    .doc = DOC("y = x with y[i.. + o..] = update[o..]: the window starts at the integer\n"
               "scalars i.., one for each axis, each clamped to [0, size of x - size of\n"
               "the update]; any dtype."),
    .jvp = jvp_dynamic_update_slice,
    .transpose = transpose_dynamic_update_slice,
    .batch = batch_dynamic_update_slice,
};

/* ---- nonzero ----------------------------------------------------------------------- */

static bool type_nonzero(TypeRule *t)
{
    Dim sym = ((const SymAttr *)t->attr)->sym;

    if (sym == DIM_NONE)
        return type_fail(t, WF_ERR_VALUE, "no symbol is given: as=NAME");
    type_out(t, WF_I64, (const Dim[]){sym, t->in[0].rank}, 2);
    return true;
}

static bool is_zero(const Nd *x, int64_t i)
{
    Scalar v = scalar_load(x->dtype, x->data, i);

    return dtype_is_inexact(x->dtype) ? v.f == 0 && v.im == 0 : v.u == 0;
}

static bool eval_nonzero(Eval *e)
{
    const Nd *x = &e->in[0];
    int64_t at[MAX_RANK] = {0}, n = 0, *to;

    for (int64_t i = 0; i < x->count; i++)
        n += !is_zero(x, i);
    if (!eval_define(e, ((const SymAttr *)e->attr)->sym, n))
        return false;
    to = e->out[0].data;
    for (int64_t i = 0; i < x->count; i++, nd_next(x->dims, x->rank, at))
        if (!is_zero(x, i) && x->rank) {
            memcpy(to, at, x->rank * sizeof *to);
            to += x->rank;
        }
    return true;
}

static void batch_nonzero(Builder *b, const EqnView *e, const Batch *bt, Val *out,
                          int *out_axis)
{
    (void)bt, (void)out, (void)out_axis;
    fail(b->cx, WF_ERR_SHAPE, e->place,
         "nonzero: the result has a different size for each row of the batch, but arrays "
         "are rectangular");
}

static const AttrField attrs_nonzero[] = {
    FIELD_AS("as", SymAttr, sym, A_SYM, ATTR_REQUIRED), FIELD_END};

const OpRow op_row_nonzero = {
    .attrs = attrs_nonzero,
    .attr_size = sizeof(SymAttr),
    .type = type_nonzero,
    .eval = eval_nonzero,
    .lower = {.kind = LOWER_LIBRARY},
};
const OpRules op_rules_nonzero = {
    .doc =
        DOC("The places of the elements that are not 0 (NaN is not, -0 is), any\n"
            "dtype, in row-major order: i64[K,rank], where K, defined here (as=K), is\n"
            "their number. No vmap: each row would have a result of another size, and\n"
            "arrays are rectangular."),
    .batch = batch_nonzero,
};
