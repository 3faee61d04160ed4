/* ops_index.c -- taking, putting, sorting, choosing. */
#include "onnx/ops.h"

static wf_tensor i64(OxRun *r, int64_t v) { return wf_from(r->c, WF_I64, NULL, 0, &v); }
static wf_tensor size_i64(OxRun *r, int64_t size) { return ox_num_tensor(r, ox_num_size(size)); }

OX_RULE(gather)
{
    const OxValue *v = ox_value(r, 0);
    wf_tensor x = ox_tensor_of(r, v), ix = ox_in(r, 1);
    int axis = ox_ok(r) ? ox_axis(r, ox_int(r, "axis", 0), wf_rank(r->c, x)) : -1;

    (void)op;
    if (axis < 0)
        return false;
    ix = ox_wrap(r, ix, wf_size(r->c, x, axis));
    return ox_put_value(r, 0, (OxValue){.kind = OX_TENSOR, .narrow = v->narrow, .t = wf_take(r->c, x, ix, axis)});
}

OX_RULE(gather_elements)
{
    wf_tensor x = ox_in(r, 0), ix = ox_in(r, 1);
    int axis = ox_ok(r) ? ox_axis(r, ox_int(r, "axis", 0), wf_rank(r->c, x)) : -1;

    (void)op;
    return axis >= 0 && ox_put(r, 0, wf_take_along(r->c, x, ox_wrap(r, ix, wf_size(r->c, x, axis)), axis));
}

/* Columns of an index tensor [..,k] as indices of the first k axes of x behind the batches, those of the batches before. */
static int nd_index(OxRun *r, wf_tensor x, wf_tensor ix, int batch, wf_index *out)
{
    int rank = wf_rank(r->c, ix);
    int64_t k = wf_size(r->c, ix, rank - 1), dims[WF_MAX_RANK];

    if (!ox_ok(r) || rank < 1 || k < 0 || batch < 0 || batch >= rank || batch + k > wf_rank(r->c, x))
        return ox_fail(r, WF_ERR_SHAPE, "indices of %lld axes for a tensor of rank %d", (long long)k,
                       wf_rank(r->c, x)),
               -1;
    wf_shape(r->c, ix, dims, wf_rank(r->c, ix));
    for (int i = 0; i < batch; i++)
        out[i] = wf_at_tensor(wf_iota(r->c, WF_I64, dims, rank - 1, i));
    for (int64_t i = 0; i < k; i++) {
        wf_tensor col = wf_index_get(r->c, ix, (wf_index[]){wf_at_rest(), wf_at_int(i)}, 2);
        out[batch + i] = wf_at_tensor(ox_wrap(r, col, wf_size(r->c, x, batch + (int)i)));
    }
    return batch + (int)k;
}

OX_RULE(gather_nd)
{
    wf_tensor x = ox_in(r, 0), ix = ox_in(r, 1);
    wf_index at[WF_MAX_RANK];
    int n = ox_ok(r) ? nd_index(r, x, ix, (int)ox_int(r, "batch_dims", 0), at) : -1;

    (void)op;
    return n >= 0 && ox_put(r, 0, wf_index_get(r->c, x, at, n));
}

static wf_scatter_kind scatter_kind(OxRun *r)
{
    static const char *const names[] = {"none", "add", "mul", "max", "min"};
    const char *name = ox_text(r, "reduction", "none");

    for (int i = 0; i < 5; i++)
        if (strcmp(name, names[i]) == 0)
            return (wf_scatter_kind)i;
    ox_fail(r, WF_ERR_VALUE, "there is no reduction '%.20s'", name);
    return WF_SCATTER_SET;
}

OX_RULE(scatter_elements)
{
    wf_tensor x = ox_in(r, 0), ix = ox_in(r, 1), v = ox_in(r, 2);
    int axis = ox_ok(r) ? ox_axis(r, ox_int(r, "axis", 0), wf_rank(r->c, x)) : -1;

    (void)op;
    if (axis < 0)
        return false;
    return ox_put(r, 0, wf_scatter_along(r->c, x, ox_wrap(r, ix, wf_size(r->c, x, axis)), v, axis, scatter_kind(r), true));
}

/* As rows: x [P, R], index [M], v [M, R]. */
static wf_tensor scatter_rows(OxRun *r, wf_tensor x, const wf_index *at, int n, wf_tensor v, wf_scatter_kind kind)
{
    wf_ctx *c = r->c;
    int rank = wf_rank(c, x), rv = wf_rank(c, v);
    int64_t dims[WF_MAX_RANK], rows[2] = {1, 1}, many[2] = {1, 1};
    wf_tensor ix = i64(r, 0);
    wf_tensor shaped;

    wf_shape(c, x, dims, wf_rank(c, x));
    for (int i = 0; i < rank; i++)
        rows[i >= n] = wf_size_mul(c, rows[i >= n], dims[i]);
    for (int i = 0; i < rv; i++)
        many[i >= rv - (rank - n)] = wf_size_mul(c, many[i >= rv - (rank - n)], wf_size(c, v, i));
    for (int i = 0; i < n; i++)
        ix = wf_add(c, wf_mul(c, ix, size_i64(r, dims[i])), at[i].tensor);
    ix = wf_broadcast_to(c, wf_reshape(c, ix, (int64_t[]){many[0], 1}, 2), many, 2);
    shaped = wf_reshape(c, v, many, 2);
    x = wf_scatter_along(c, wf_reshape(c, x, rows, 2), ix, shaped, 0, kind, true);
    return wf_reshape(c, x, dims, rank);
}

OX_RULE(scatter_nd)
{
    wf_tensor x = ox_in(r, 0), ix = ox_in(r, 1), v = ox_in(r, 2);
    wf_scatter_kind kind = scatter_kind(r);
    wf_index at[WF_MAX_RANK];
    int n = ox_ok(r) ? nd_index(r, x, ix, 0, at) : -1;

    (void)op;
    if (n < 0)
        return false;
    if (kind == WF_SCATTER_SET)
        return ox_put(r, 0, wf_index_set(r->c, x, at, n, v));
    if (kind == WF_SCATTER_ADD)
        return ox_put(r, 0, wf_index_add(r->c, x, at, n, v));
    return ox_put(r, 0, scatter_rows(r, x, at, n, v, kind));
}

OX_RULE(one_hot)
{
    wf_ctx *c = r->c;
    wf_tensor ix = ox_in(r, 0), values = ox_in(r, 2), hit, depth;
    int rank = ox_ok(r) ? wf_rank(c, ix) : 0, n, axis = ox_axis(r, ox_int(r, "axis", -1), rank + 1);
    const OxNum *num = NULL;
    int64_t size, dims[WF_MAX_RANK];
    wf_tensor sum, off;

    (void)op;
    if (axis < 0 || rank + 1 > WF_MAX_RANK)
        return false;
    if (wf_dtype_is_float(wf_dtype_of(c, ox_in(r, 1)))) {
        double d;
        if (!ox_floats(r, 1, &d, 1, &n) || n != 1)
            return ox_ok(r) ? ox_fail(r, WF_ERR_SHAPE, "the depth is one number") : false;
        size = (int64_t)d;
    } else {
        if (!(num = ox_nums(r, 1, &n)) || n != 1)
            return ox_ok(r) ? ox_fail(r, WF_ERR_SHAPE, "the depth is one number") : false;
        size = ox_size(r, num[0]);
    }
    wf_shape(c, ix, dims, wf_rank(c, ix));
    dims[rank] = size;
    if (size < 0 && num && num[0].kind == OX_NUMBER)
        return ox_fail(r, WF_ERR_VALUE, "a depth of %lld", (long long)size);
    if (!ox_bounded(r, dims, rank + 1, OX_FILLED))
        return false;
    depth = size_i64(r, size);
    ix = wf_expand_dims(c, wf_cast(c, ix, WF_I64), axis);
    sum = wf_add(c, ix, depth);
    ix = wf_where(c, wf_lt(c, ix, i64(r, 0)), sum, ix);
    for (int i = 0; i <= rank; i++)
        dims[i] = i == axis ? size : 1;
    hit = wf_eq(c, ix, wf_reshape(c, ox_iota(r, size), dims, rank + 1));
    off = wf_index_get(c, values, (wf_index[]){wf_at_int(0)}, 1);
    return ox_put(r, 0, wf_where(c, hit, wf_index_get(c, values, (wf_index[]){wf_at_int(1)}, 1), off));
}

OX_RULE(compress)
{
    wf_tensor x = ox_in(r, 0), mask = ox_in(r, 1), at;
    int axis = 0;

    (void)op;
    if (!ox_ok(r))
        return false;
    if (ox_attr(r, "axis"))
        axis = ox_axis(r, ox_int(r, "axis", 0), wf_rank(r->c, x));
    else
        x = wf_reshape(r->c, x, (int64_t[]){WF_INFER}, 1);
    if (axis < 0)
        return false;
    at = wf_index_get(r->c, wf_nonzero(r->c, mask), (wf_index[]){wf_at_all(), wf_at_int(0)}, 2);
    return ox_put(r, 0, wf_take(r->c, x, at, axis));
}

OX_RULE(nonzero)
{
    wf_tensor x = ox_in(r, 0);

    (void)op;
    if (ox_ok(r) && wf_rank(r->c, x) == 0)
        x = wf_reshape(r->c, x, (int64_t[]){1}, 1);
    return ox_put(r, 0, wf_permute(r->c, wf_nonzero(r->c, x), (int[]){1, 0}, 2));
}

/* ---- unique ---------------------------------------------------------------------------------- */

/* Of the numbers x [n], sorted: where a new one begins; groups of equal ones, counted in that order. A stable sort has
 * the first of each group in front. */
static bool unique_numbers(OxRun *r, wf_tensor x, bool sorted)
{
    wf_ctx *c = r->c;
    int64_t n[] = {wf_size(c, x, 0)};
    wf_tensor order = wf_argsort(c, x, 0, false), s = wf_take(c, x, order, 0);
    wf_tensor unequal = wf_ne(c, s, wf_roll(c, s, 1, 0));
    wf_tensor is_new = wf_logical_or(c, wf_eq(c, wf_iota(c, WF_I64, n, 1, 0), i64(r, 0)), unequal);
    wf_tensor group = wf_sub(c, wf_cumsum(c, wf_cast(c, is_new, WF_I64), 0, false), i64(r, 1));
    wf_tensor zeros = wf_zeros(c, WF_I64, n, 1), inverse = wf_put_along(c, zeros, order, group, 0);
    wf_tensor counts = wf_add_along(c, zeros, group, wf_ones(c, WF_I64, n, 1), 0);
    wf_tensor begins = wf_index_get(c, wf_nonzero(c, is_new), (wf_index[]){wf_at_all(), wf_at_int(0)}, 2);
    wf_tensor first = wf_take(c, order, begins, 0), by_place;

    counts = wf_take(c, counts, wf_take(c, group, begins, 0), 0);
    if (!sorted) { /* in the order in which they come first */
        by_place = wf_argsort(c, first, 0, false);
        first = wf_take(c, first, by_place, 0);
        counts = wf_take(c, counts, by_place, 0);
        inverse = wf_take(c, wf_argsort(c, by_place, 0, false), inverse, 0);
    }
    ox_put(r, 0, wf_take(c, x, first, 0));
    ox_put(r, 1, wf_cast(c, first, WF_I64));
    ox_put(r, 2, inverse);
    return ox_put(r, 3, counts);
}

/* Rows of x [n, m] compared with all others: a row is new if none before it is equal; its place among the sorted new
 * ones is how many of those are less. */
OX_RULE(unique)
{
    wf_ctx *c = r->c;
    wf_tensor x = ox_in(r, 0), flat, a, b, differ, at, less, same, n1, is_new, first, before, order, places;
    int rank = ox_ok(r) ? wf_rank(c, x) : 0, axis = 0, last = 2, two[] = {1};
    bool sorted = ox_int(r, "sorted", 1) != 0;
    int64_t n, n2[2];
    wf_tensor rows;

    (void)op;
    if (!ox_ok(r))
        return false;
    if (!ox_attr(r, "axis"))
        return unique_numbers(r, wf_reshape(c, x, (int64_t[]){WF_INFER}, 1), sorted);
    if ((axis = ox_axis(r, ox_int(r, "axis", 0), rank)) < 0)
        return false;
    n = wf_size(c, x, axis);
    n2[0] = n2[1] = n;
    flat = wf_reshape(c, wf_move_axis(c, x, axis, 0), (int64_t[]){n, WF_INFER}, 2);
    a = wf_expand_dims(c, flat, 1);
    b = wf_expand_dims(c, flat, 0);
    differ = wf_ne(c, a, b);                                  /* [i, j, m] */
    at = wf_argmax(c, wf_cast(c, differ, WF_I32), &last, true); /* the first that differs */
    less = wf_squeeze(c, wf_take_along(c, wf_cast(c, wf_lt(c, a, b), WF_I32), at, 2), (int[]){2}, 1); /* x[i] < x[j] */
    same = wf_logical_not(c, wf_any(c, differ, &last, 1, false));
    rows = wf_iota(c, WF_I64, n2, 2, 0);
    n1 = wf_lt(c, wf_iota(c, WF_I64, n2, 2, 1), rows); /* j < i */
    is_new = wf_logical_not(c, wf_any(c, wf_logical_and(c, same, n1), two, 1, false));
    first = wf_argmax(c, wf_cast(c, same, WF_I32), two, false); /* of each row: the first equal one */
    if (sorted) { /* how many new rows are less */
        wf_tensor column = wf_expand_dims(c, wf_cast(c, is_new, WF_I64), 1);

        before = wf_sum(c, wf_mul(c, wf_cast(c, less, WF_I64), column), (int[]){0}, 1, false);
    } else /* how many new rows come earlier */
        before = wf_take(c, wf_sub(c, wf_cumsum(c, wf_cast(c, is_new, WF_I64), 0, false), i64(r, 1)), first, 0);
    places = wf_index_get(c, wf_nonzero(c, is_new), (wf_index[]){wf_at_all(), wf_at_int(0)}, 2);
    order = wf_take(c, places, wf_argsort(c, wf_take(c, before, places, 0), 0, false), 0);
    ox_put(r, 0, wf_take(c, x, order, axis));
    ox_put(r, 1, order);
    ox_put(r, 2, wf_cast(c, before, WF_I64));
    return ox_put(r, 3, wf_take(c, wf_sum(c, wf_cast(c, same, WF_I64), two, 1, false), order, 0));
}

/* ---- order -------------------------------------------------------------------------------------- */

OX_RULE(top_k)
{
    wf_tensor x = ox_in(r, 0), values = WF_NONE, places = WF_NONE;
    int axis = ox_ok(r) ? ox_axis(r, ox_int(r, "axis", -1), wf_rank(r->c, x)) : -1, n;
    bool largest = ox_int(r, "largest", 1) != 0;
    OxNum attr = ox_number(ox_int(r, "k", 0));
    const OxNum *k = &attr;
    int64_t v;

    (void)op;
    if (axis < 0 || (ox_has(r, 1) && (!(k = ox_nums(r, 1, &n)) || n != 1)))
        return ox_ok(r) ? ox_fail(r, WF_ERR_SHAPE, "k is one number") : false;
    if (ox_is_number(*k, &v) && wf_size(r->c, x, axis) >= 0) {
        wf_top_k(r->c, x, v, axis, largest, &values, &places);
    } else {
        wf_tensor at = ox_iota(r, ox_size(r, *k));
        wf_sort(r->c, x, axis, largest, &values, &places);
        values = wf_take(r->c, values, at, axis);
        places = wf_take(r->c, places, at, axis);
    }
    ox_put(r, 0, values);
    return ox_put(r, 1, wf_cast(r->c, places, WF_I64));
}

OX_RULE(reverse_sequence)
{
    wf_ctx *c = r->c;
    wf_tensor x = ox_in(r, 0), lens = ox_in(r, 1), t, b;
    int64_t time = ox_int(r, "time_axis", 0), batch = ox_int(r, "batch_axis", 1), dims[WF_MAX_RANK];
    bool time_first = time == 0;
    wf_tensor difference;

    (void)op;
    if (!ox_ok(r) || wf_rank(c, x) < 2 || time + batch != 1 || time * batch != 0)
        return ox_ok(r) ? ox_fail(r, WF_ERR_VALUE, "axes other than 0 and 1") : false;
    wf_shape(c, x, dims, wf_rank(c, x));
    t = wf_iota(c, WF_I64, dims, 2, (int)time);
    b = wf_iota(c, WF_I64, dims, 2, (int)batch);
    lens = wf_expand_dims(c, lens, time_first ? 0 : 1);
    difference = wf_sub(c, wf_sub(c, lens, i64(r, 1)), t);
    t = wf_where(c, wf_lt(c, t, lens), difference, t);
    return ox_put(r, 0, wf_index_get(c, x, (wf_index[]){wf_at_tensor(time_first ? t : b),
                                                        wf_at_tensor(time_first ? b : t)}, 2));
}

/* cache[b, .., start[b] + i, ..] = update[b, .., i, ..]; circular: places wrap around */
OX_RULE(tensor_scatter)
{
    wf_ctx *c = r->c;
    wf_tensor x = ox_in(r, 0), u = ox_in(r, 1), start = ox_opt(r, 2), at, b;
    int rank = ox_ok(r) ? wf_rank(c, x) : 0, axis = ox_axis(r, ox_int(r, "axis", -2), rank);
    int64_t n, dims[2];

    (void)op;
    if (axis < 1)
        return ox_ok(r) ? ox_fail(r, WF_ERR_VALUE, "axis 0 is that of batches") : false;
    n = wf_size(c, x, axis);
    dims[0] = wf_size(c, u, 0);
    dims[1] = wf_size(c, u, axis);
    at = wf_iota(c, WF_I64, dims, 2, 1);
    if (!wf_is_none(start))
        at = wf_add(c, at, wf_expand_dims(c, start, 1));
    if (ox_text_is(r, "mode", "linear", "circular"))
        at = wf_remainder(c, at, size_i64(r, n));
    b = wf_iota(c, WF_I64, dims, 2, 0);
    x = wf_move_axis(c, x, axis, 1);
    x = wf_index_set(c, x, (wf_index[]){wf_at_tensor(b), wf_at_tensor(at)}, 2, wf_move_axis(c, u, axis, 1));
    return ox_put(r, 0, wf_move_axis(c, x, 1, axis));
}

/* ---- non-maximum suppression ---------------------------------------------------------------------- */

/* The best box that is left is kept, and those that overlap it are left no more; until none is. All in order of scores. */
typedef struct Nms {
    wf_tensor lo[2], hi[2], area; /* [B,C,N] */
    wf_tensor iou, most;
} Nms;

static wf_status nms_goes_on(wf_ctx *c, void *user, const wf_tensor *in, int nin, wf_tensor *out, int nout)
{
    (void)user, (void)nin, (void)nout;
    out[0] = wf_any(c, in[0], NULL, 0, false);
    return wf_ctx_status(c);
}

static wf_status nms_step(wf_ctx *c, void *user, const wf_tensor *in, int nin, wf_tensor *out, int nout)
{
    const Nms *s = user; /* in: left, kept, bool [B,C,N] */
    wf_tensor at = wf_argmax(c, wf_cast(c, in[0], WF_I32), (int[]){2}, true), any = wf_any(c, in[0], (int[]){2}, 1, true), here,
              inter = WF_NONE, together, hit, room;
    int64_t n = wf_size(c, in[0], 2);
    wf_tensor cast;

    (void)nin, (void)nout;
    cast = wf_cast(c, at, WF_I64);
    here = wf_logical_and(c, wf_eq(c, wf_iota(c, WF_I64, &n, 1, 0), cast), any);
    for (int k = 0; k < 2; k++) {
        wf_tensor larger = wf_maximum(c, s->lo[k], wf_take_along(c, s->lo[k], at, 2));
        wf_tensor d = wf_sub(c, wf_minimum(c, s->hi[k], wf_take_along(c, s->hi[k], at, 2)), larger);
        d = wf_maximum(c, d, wf_zeros_like(c, d));
        inter = k ? wf_mul(c, inter, d) : d;
    }
    together = wf_sub(c, wf_add(c, s->area, wf_take_along(c, s->area, at, 2)), inter);
    hit = wf_logical_or(c, here, wf_gt(c, wf_div(c, inter, together), s->iou));
    out[1] = wf_logical_or(c, in[1], here);
    room = wf_lt(c, wf_sum(c, wf_cast(c, out[1], WF_I64), (int[]){2}, 1, true), s->most);
    out[0] = wf_logical_and(c, wf_logical_and(c, in[0], wf_logical_not(c, hit)), room);
    return wf_ctx_status(c);
}

static wf_tensor corner(OxRun *r, wf_tensor boxes, int64_t k)
{
    return wf_index_get(r->c, boxes, (wf_index[]){wf_at_rest(), wf_at_int(k)}, 2);
}

OX_RULE(nms)
{
    wf_ctx *c = r->c;
    wf_tensor boxes = ox_in(r, 0), scores = ox_in(r, 1), sorted = WF_NONE, order = WF_NONE, carry[2], kept[2], box, b;
    wf_tensor most = ox_has(r, 2) ? wf_reshape(c, ox_in(r, 2), NULL, 0) : i64(r, 0);
    Nms s = {.most = wf_cast(c, most, WF_I64)};
    bool center = ox_int(r, "center_point_box", 0) != 0;
    int64_t dims[4];
    wf_function step = WF_FUNCTION(nms_step, &s, 2, 2, "nms"), goes_on = WF_FUNCTION(nms_goes_on, &s, 2, 1, "left");
    wf_tensor difference;

    (void)op;
    if (!ox_ok(r) || wf_rank(c, boxes) != 3 || wf_rank(c, scores) != 3)
        return ox_ok(r) ? ox_fail(r, WF_ERR_SHAPE, "boxes and scores are of rank 3") : false;
    wf_shape(c, scores, dims, wf_rank(c, scores));
    wf_sort(c, scores, 2, true, &sorted, &order);
    b = wf_iota(c, WF_I64, dims, 3, 0);
    box = wf_index_get(c, boxes, (wf_index[]){wf_at_tensor(b), wf_at_tensor(order)}, 2); /* [B,C,N,4] */
    for (int k = 0; k < 2; k++) {
        wf_tensor p = corner(r, box, center ? 1 - k : k), q = corner(r, box, k + 2);
        if (center) { /* x, y, width, height */
            wf_tensor half = wf_mul(c, corner(r, box, 3 - k), ox_like(r, 0.5, box));
            q = wf_add(c, p, half);
            p = wf_sub(c, p, half);
        }
        s.lo[k] = wf_minimum(c, p, q);
        s.hi[k] = wf_maximum(c, p, q);
    }
    difference = wf_sub(c, s.hi[1], s.lo[1]);
    s.area = wf_mul(c, wf_sub(c, s.hi[0], s.lo[0]), difference);
    s.iou = ox_has(r, 3) ? wf_reshape(c, ox_in(r, 3), NULL, 0) : wf_scalar(c, WF_F32, 0);
    carry[0] = ox_has(r, 4) ? wf_gt(c, sorted, wf_reshape(c, ox_in(r, 4), NULL, 0))
                            : wf_broadcast_to(c, wf_scalar(c, WF_BOOL, 1), dims, 3);
    carry[0] = wf_logical_and(c, carry[0], wf_gt(c, s.most, i64(r, 0)));
    carry[1] = wf_broadcast_to(c, wf_scalar(c, WF_BOOL, 0), dims, 3);
    wf_while_call(c, &goes_on, &step, carry, 2, WF_UNBOUNDED, kept, 2);
    kept[0] = wf_nonzero(c, kept[1]); /* [K, 3]: batch, class, number in order */
    order = wf_index_get(c, order, (wf_index[]){wf_at_tensor(corner(r, kept[0], 0)), wf_at_tensor(corner(r, kept[0], 1)),
                                                wf_at_tensor(corner(r, kept[0], 2))}, 3);
    order = wf_expand_dims(c, wf_cast(c, order, WF_I64), 1);
    kept[0] = wf_narrow(c, kept[0], 1, 0, 2);
    return ox_put(r, 0, wf_concat(c, (wf_tensor[]){kept[0], order}, 2, 1));
}
