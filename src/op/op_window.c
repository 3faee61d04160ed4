/* op_window.c -- reductions over sliding windows: reduce_window_max, reduce_window_sum.
 *
 * On each axis, with window w, stride s, padding lo and hi, base dilation c and window
 * dilation d:
 *
 *   y[o] = reduce over k in 0..w-1 of x[(o*s + k*d - lo) / c]
 *
 * What does not divide (the gaps that base dilation opens) or lies outside (padding) does
 * not take part. The padded size is P = lo + hi + (n-1)*c + 1 (without the last two terms
 * if n = 0), a window covers D = (w-1)*d + 1, and there are floor((P - D) / s) + 1
 * results, none if P < D. Negative padding cuts.
 *
 * max gives the position of the maximum too, so that its derivative is a gather and the
 * transpose of that a scatter. sum is linear, and its transpose a window sum again.
 */
#include "op/shape.h"

#include <stddef.h>

/* ---- shared ------------------------------------------------------------------------ */

/* The size n elements take when `dilation` apart. */
static Dim dilated_size(Dims *t, Dim n, int64_t dilation)
{
    Dim d;

    if (dilation == 1 || n == 0)
        return n;
    d = dim_add(t, dim_mul(t, dim_sub(t, n, 1), dilation), 1);
    return dim_is_const(d) ? d : dim_max(t, d, 0);
}

/* How many windows there are on axis i. */
static Dim window_count(Dims *t, const WindowAttr *a, uint32_t i, Dim n)
{
    Dim ends = dim_add(t, entry(a->pad_lo, i, 0), entry(a->pad_hi, i, 0));
    Dim padded = dim_add(t, ends, dilated_size(t, n, entry(a->base_dilation, i, 1)));
    Dim covered = dilated_size(t, a->window.v[i], entry(a->window_dilation, i, 1));
    Dim room = dim_sub(t, padded, covered);

    return dim_max(t, 0, dim_add(t, dim_div(t, room, entry(a->stride, i, 1)), 1));
}

static bool window_dims(TypeRule *t, Dim *dims)
{
    const WindowAttr *a = t->attr;
    Type x = t->in[0];

    if (!check_entries(t, "window", a->window, false) ||
        !check_entries(t, "stride", a->stride, true) ||
        !check_entries(t, "pad_lo", a->pad_lo, true) ||
        !check_entries(t, "pad_hi", a->pad_hi, true) ||
        !check_entries(t, "base_dilation", a->base_dilation, true) ||
        !check_entries(t, "window_dilation", a->window_dilation, true))
        return false;
    if (!check_at_least(t, "window", a->window, 1) ||
        !check_at_least(t, "stride", a->stride, 1) ||
        !check_at_least(t, "base_dilation", a->base_dilation, 1) ||
        !check_at_least(t, "window_dilation", a->window_dilation, 1))
        return false;
    for (uint32_t i = 0; i < x.rank; i++)
        dims[i] = window_count(t->dims, a, i, x.dims[i]);
    return true;
}

/* The flat position in x of element k.. of window o.., or -1 if nothing of x is there. */
static int64_t window_element(const WindowAttr *a, const Nd *x, const int64_t *o,
                              const int64_t *k)
{
    int64_t flat = 0;

    for (uint32_t i = 0; i < x->rank; i++) {
        int64_t c = entry(a->base_dilation, i, 1);
        int64_t p =
            o[i] * entry(a->stride, i, 1) + k[i] * entry(a->window_dilation, i, 1);
        if (!add_i64(p, -entry(a->pad_lo, i, 0), &p) || p < 0 || p % c ||
            p / c >= x->dims[i])
            return -1;
        flat = flat * x->dims[i] + p / c;
    }
    return flat;
}

/* The attribute for an operand with one more axis, k, on which windows are single
 * elements. */
typedef struct WiderWindow {
    WindowAttr a;
    int64_t v[6][MAX_RANK + 1];
} WiderWindow;

static const WindowAttr *widen_window(const WindowAttr *a, uint32_t k, WiderWindow *w)
{
    w->a.window = insert_entry(a->window, k, 1, w->v[0]);
    w->a.stride = insert_optional(a->stride, k, 1, w->v[1]);
    w->a.pad_lo = insert_optional(a->pad_lo, k, 0, w->v[2]);
    w->a.pad_hi = insert_optional(a->pad_hi, k, 0, w->v[3]);
    w->a.base_dilation = insert_optional(a->base_dilation, k, 1, w->v[4]);
    w->a.window_dilation = insert_optional(a->window_dilation, k, 1, w->v[5]);
    return &w->a;
}

static const AttrField attrs_window[] = {
    FIELD(WindowAttr, window, A_INTS, 0),
    FIELD(WindowAttr, stride, A_INTS, 0),
    FIELD(WindowAttr, pad_lo, A_DIMS, 0),
    FIELD(WindowAttr, pad_hi, A_DIMS, 0),
    FIELD(WindowAttr, base_dilation, A_INTS, 0),
    FIELD(WindowAttr, window_dilation, A_INTS, 0),
    FIELD_END,
};

/* ---- reduce_window_max ------------------------------------------------------------- */

static bool type_window_max(TypeRule *t)
{
    Dim dims[MAX_RANK];

    if (!window_dims(t, dims))
        return false;
    type_out(t, (wf_dtype)t->in[0].dtype, dims, t->in[0].rank);
    type_out(t, WF_I64, dims, t->in[0].rank);
    return true;
}

/* The flat position of the first largest element of the window, NaN being largest; -1 if
 * it is empty. */
static int64_t window_argmax(const WindowAttr *a, const Nd *x, const int64_t *o)
{
    int64_t k[MAX_RANK] = {0}, best = -1;

    do {
        int64_t i = window_element(a, x, o, k);
        if (i < 0)
            continue;
        if (best < 0 || scalar_compare(x->dtype, scalar_load(x->dtype, x->data, i),
                                       scalar_load(x->dtype, x->data, best)) > 0)
            best = i;
    } while (nd_next(a->window.v, x->rank, k));
    return best;
}

static bool eval_window_max(Eval *e)
{
    const WindowAttr *a = e->attr;
    const Nd *x = &e->in[0], *y = &e->out[0];
    int64_t o[MAX_RANK] = {0}, *index = e->out[1].data;
    Scalar lowest = scalar_identity(x->dtype == WF_BOOL ? OP_or : OP_max, x->dtype);

    for (int64_t i = 0; i < y->count; i++, nd_next(y->dims, y->rank, o)) {
        index[i] = window_argmax(a, x, o);
        if (index[i] < 0)
            scalar_store(y->dtype, y->data, i, lowest);
        else
            nd_copy(y, i, x, index[i]);
    }
    return true;
}

/* dy = dx (flat) at the index of the maximum, 0 where there is none (index -1 is filled)
 */
static void jvp_window_max(Builder *b, const EqnView *e, const Val *dx, Val *dy)
{
    Type x = e->in_type[0], y = e->out_type[0];
    Dim count = dim_prod(&b->dims, x.dims, x.rank), dims[MAX_RANK + 1];
    GatherAttr g = {
        .collapsed = INTS(1, 0),
        .start_index_map = INTS(1, 0),
        .slice_sizes = INTS(1, 1),
        .mode = INDEX_FILL,
    };
    Val at;

    if (dx[0] == VAL_NONE)
        return;
    at = b_reshape(b, e->out[1], insert_entry((Ints){y.rank, y.dims}, y.rank, 1, dims).v,
                   y.rank + 1u);
    dy[0] = b_gather(b, b_reshape(b, dx[0], &count, 1), at, &g);
}

/* The batch goes first, so position i of row r is r * (elements of a row) + i there. */
static void batch_window_max(Builder *b, const EqnView *e, const Batch *bt, Val *out,
                             int *out_axis)
{
    Type x = e->in_type[0], y = e->out_type[0];
    Val in = b_move_axis(b, e->in[0], (uint32_t)bt->axis[0], 0), base, row;
    Dim dims[MAX_RANK + 1];
    uint32_t rank = insert_entry((Ints){y.rank, y.dims}, 0, bt->size, dims).n;
    WiderWindow w;

    out_axis[0] = out_axis[1] = 0;
    b_eqn(b, OP_reduce_window_max, &in, 1, widen_window(e->attr, 0, &w), out, 2);
    row = b_broadcast_scalar(b, b_dim_value(b, dim_prod(&b->dims, x.dims, x.rank)), dims,
                             rank);
    base = b_mul(b, b_iota(b, WF_I64, dims, rank, 0), row);
    if (b_failed(b))
        return;
    base = b_sub(b, out[1], base);
    out[1] = b_select(b, b_lt(b, out[1], b_zeros_like(b, out[1])), out[1], base);
}

/* One for each element of each window. */
static double flops_window(const SizedEqn *s)
{
    const WindowAttr *w = s->e->attr;
    Type y = val_type(s->p, s->e->out);
    double n = dtype_is_float((wf_dtype)y.dtype) ? sized_count(s, y) : 0;

    for (uint32_t i = 0; i < w->window.n; i++)
        n *= (double)w->window.v[i];
    return n;
}

const OpRow op_row_reduce_window_max = {
    .attrs = attrs_window,
    .attr_size = sizeof(WindowAttr),
    .type = type_window_max,
    .eval = eval_window_max,
    .along = along_window,
    .flops = flops_window,
    .lower = {.kind = LOWER_WINDOW, .combine = OP_max},
};
const OpRules op_rules_reduce_window_max = {
    .doc =
        DOC("The largest element of each window, and its position: the flat row-major\n"
            "index in x (i64) of the first largest one; any dtype. NaN is largest, -0\n"
            "equals 0. window, stride, pad_lo, pad_hi, base_dilation and\n"
            "window_dilation have one entry for each axis or are left out (1, pads\n"
            "0). Padding and the gaps of base dilation take no part; a window with\n"
            "nothing else gives -inf or the lowest integer, and -1."),
    .jvp = jvp_window_max,
    .batch = batch_window_max,
};

/* ---- reduce_window_sum ------------------------------------------------------------- */

static bool type_window_sum(TypeRule *t)
{
    Dim dims[MAX_RANK];

    if (t->in[0].dtype == WF_BOOL)
        return type_fail(t, WF_ERR_TYPE, "%s, but a number dtype is needed",
                         type_show(t, t->in[0]));
    if (!window_dims(t, dims))
        return false;
    type_out(t, (wf_dtype)t->in[0].dtype, dims, t->in[0].rank);
    return true;
}

static bool eval_window_sum(Eval *e)
{
    const WindowAttr *a = e->attr;
    const Nd *x = &e->in[0], *y = &e->out[0];
    wf_dtype acc = dtype_is_float(x->dtype) ? WF_F64 : x->dtype;
    int64_t o[MAX_RANK] = {0};

    for (int64_t i = 0; i < y->count; i++, nd_next(y->dims, y->rank, o)) {
        int64_t k[MAX_RANK] = {0};
        Scalar sum[2] = {scalar_int(acc, 0)};
        do {
            int64_t j = window_element(a, x, o, k);
            if (j < 0)
                continue;
            sum[1] = scalar_load(x->dtype, x->data, j);
            sum[0] = scalar_apply(OP_add, acc, sum);
        } while (nd_next(a->window.v, x->rank, k));
        scalar_store(y->dtype, y->data, i, sum[0]);
    }
    return true;
}

/*   y[o] = sum_k x[(o*s + k*d - lo) / c]
 * so x[j] takes part in y[o] when o*s = j*c + lo - k*d, and with k counted from the other
 * end gx[j] = sum_k gy[(j*c + k*d - lo') / s],      lo' = (w-1)*d - lo the same sum with
 * stride and base dilation exchanged. hi' makes the number of results n: the padded size
 * must be (n-1)*c + D.
 */
static void transpose_window_sum(Builder *b, const EqnView *e, const Val *gy, Val *gx)
{
    const WindowAttr *a = e->attr;
    Type x = e->in_type[0], y = e->out_type[0];
    Dims *t = &b->dims;
    Dim lo[MAX_RANK], hi[MAX_RANK];
    WindowAttr to = {
        .window = a->window,
        .stride = a->base_dilation,
        .base_dilation = a->stride,
        .window_dilation = a->window_dilation,
        .pad_lo = {x.rank, lo},
        .pad_hi = {x.rank, hi},
    };

    for (uint32_t i = 0; i < x.rank; i++) {
        Dim covered = dilated_size(t, a->window.v[i], entry(a->window_dilation, i, 1));
        Dim size = dilated_size(t, y.dims[i], entry(a->stride, i, 1));
        Dim padded = dim_mul(t, dim_sub(t, x.dims[i], 1), entry(a->base_dilation, i, 1));
        lo[i] = dim_sub(t, dim_sub(t, covered, 1), entry(a->pad_lo, i, 0));
        hi[i] = dim_sub(t, dim_sub(t, dim_add(t, padded, covered), lo[i]), size);
    }
    gx[0] = b_eqn1(b, OP_reduce_window_sum, gy, 1, &to);
}

static void batch_window_sum(Builder *b, const EqnView *e, const Batch *bt, Val *out,
                             int *out_axis)
{
    WiderWindow w;

    out[0] = b_eqn1(b, OP_reduce_window_sum, e->in, 1,
                    widen_window(e->attr, (uint32_t)bt->axis[0], &w));
    out_axis[0] = bt->axis[0];
}

/* Windows of one element, each once. */
static bool fold_window_sum(Builder *b, const EqnView *e, Val *out)
{
    const WindowAttr *a = e->attr;

    (void)b;
    for (uint32_t i = 0; i < e->in_type[0].rank; i++)
        if (a->window.v[i] != 1 || entry(a->stride, i, 1) != 1 ||
            entry(a->base_dilation, i, 1) != 1 || entry(a->pad_lo, i, 0) != 0 ||
            entry(a->pad_hi, i, 0) != 0)
            return false;
    out[0] = e->in[0];
    return true;
}

const OpRow op_row_reduce_window_sum = {
    .attrs = attrs_window,
    .attr_size = sizeof(WindowAttr),
    .type = type_window_sum,
    .eval = eval_window_sum,
    .along = along_window,
    .fold = fold_window_sum,
    .flops = flops_window,
    .lower = {.kind = LOWER_WINDOW, .combine = OP_add},
};
const OpRules op_rules_reduce_window_sum = {
    .doc = DOC("The sum of each window, number dtypes; integers wrap, floats accumulate\n"
               "wide and round once. window, stride, pad_lo, pad_hi, base_dilation and\n"
               "window_dilation have one entry for each axis or are left out (1, pads\n"
               "0). Padding and the gaps of base dilation count as 0; padding may be\n"
               "negative (cuts)."),
    .jvp = jvp_linear,
    .transpose = transpose_window_sum,
    .batch = batch_window_sum,
};
