/* ops_shape.c -- ops that make, join, cut and rearrange.
 *
 * Sizes and places may be numbers, sizes, or integers out of data. What the tensor functions
 * do with sizes is done by them; the rest by taking elements along an axis, at places that
 * are computed, which works for integers of any kind.
 */
#include "functions/functions.h"
#include "onnx/ops.h"

int ox_axis(OxRun *r, int64_t axis, int rank)
{
    int64_t a = axis < 0 ? axis + rank : axis;

    if (ox_ok(r) && a >= 0 && a < rank)
        return (int)a;
    ox_fail(r, WF_ERR_VALUE, "axis %lld of a tensor of rank %d", (long long)axis, rank);
    return -1;
}

wf_tensor ox_iota(OxRun *r, int64_t size) { return wf_iota(r->c, WF_I64, &size, 1, 0); }
wf_tensor ox_take_axis(OxRun *r, wf_tensor x, wf_tensor idx, int axis) { return wf_take(r->c, x, idx, axis); }

wf_tensor ox_reshape_to(OxRun *r, wf_tensor x, const int64_t *dims, int rank)
{
    return wf_reshape(r->c, x, dims, rank);
}

static wf_tensor i64(OxRun *r, int64_t v) { return wf_from(r->c, WF_I64, NULL, 0, &v); }
static wf_tensor size_i64(OxRun *r, int64_t size) { return ox_num_tensor(r, ox_num_size(size)); }

/* ---- what a tensor is ------------------------------------------------------------------------ */

OX_RULE(shape)
{
    wf_tensor x = ox_tensor_of(r, ox_value(r, 0));
    int rank = ox_ok(r) ? wf_rank(r->c, x) : 0;
    int64_t from = ox_int(r, "start", 0), to = ox_int(r, "end", rank);
    OxNum *v = ox_alloc(&r->mem, (size_t)rank + 1, sizeof *v);

    (void)op;
    from = MAX(0, MIN(rank, from < 0 ? from + rank : from));
    to = MAX(from, MIN(rank, to < 0 ? to + rank : to));
    for (int64_t i = from; v && i < to; i++)
        v[i - from] = ox_num_size(wf_size(r->c, x, (int)i));
    if (v && ox_ok(r))
        ox_set_nums(r, 0, v, (int)(to - from), 1, OX_INT64);
    return ox_ok(r);
}

OX_RULE(size_op)
{
    wf_tensor x = ox_tensor_of(r, ox_value(r, 0));
    OxNum *v = ox_alloc(&r->mem, 1, sizeof *v);
    int64_t n = 1;

    (void)op;
    for (int i = 0; ox_ok(r) && i < wf_rank(r->c, x); i++)
        n = wf_size_mul(r->c, n, wf_size(r->c, x, i));
    if (v && ox_ok(r)) {
        *v = ox_num_size(n);
        ox_set_nums(r, 0, v, 1, 0, OX_INT64);
    }
    return ox_ok(r);
}

/* ---- reshape --------------------------------------------------------------------------------- */

static int64_t elements(OxRun *r, const int64_t *dims, int n)
{
    int64_t all = 1;

    for (int i = 0; i < n; i++)
        all = wf_size_mul(r->c, all, dims[i]);
    return all;
}

/* Sizes that come out of data, or of which it cannot be said that they fit: 0 is the size there was, -1 what is left over. dims: those
 * that are known, and WF_INFER. */
static wf_tensor reshape_dynamic(OxRun *r, wf_tensor x, const OxNum *to, int64_t *dims, int n, bool allow_zero)
{
    wf_ctx *c = r->c;
    int rank = wf_rank(c, x);
    wf_tensor d[WF_MAX_RANK], known = i64(r, 1), all, made;
    int64_t old[WF_MAX_RANK], flat;

    wf_shape(c, x, old, rank);
    flat = elements(r, old, rank);
    all = size_i64(r, flat);
    for (int k = 0; k < n; k++) {
        d[k] = dims[k] != WF_INFER ? size_i64(r, dims[k]) : ox_num_tensor(r, to[k]);
        if (dims[k] == WF_INFER && !allow_zero && k < rank) {
            wf_tensor same = size_i64(r, old[k]);

            d[k] = wf_where(c, wf_eq(c, d[k], i64(r, 0)), same, d[k]);
        }
        known = wf_mul(c, known, wf_where(c, wf_eq(c, d[k], i64(r, -1)), i64(r, 1), d[k]));
    }
    for (int k = 0; k < n && ox_ok(r); k++)
        if (dims[k] == WF_INFER) {
        wf_tensor floor_div = wf_floor_div(c, all, wf_maximum(c, known, i64(r, 1)));

        dims[k] = wf_size_from(c, wf_where(c, wf_eq(c, d[k], i64(r, -1)), floor_div, d[k]));
    }
    flat = elements(r, dims, n);
    made = size_i64(r, flat);
    wf_assert(c, wf_eq(c, made, all), "Reshape: the sizes {} do not fit the elements", &made, 1);
    x = wf_narrow(c, wf_reshape(c, x, (int64_t[]){WF_INFER}, 1), 0, 0, flat);
    return wf_reshape(c, x, dims, n);
}

/* Can it be said that the sizes fit, or may symbols of inputs be joined so that they do? */
static bool surely_fits(OxRun *r, wf_tensor x, const int64_t *to, int n)
{
    wf_ctx *c = r->c;
    int rank = wf_rank(c, x), infer = -1;
    int64_t from[WF_MAX_RANK], known[WF_MAX_RANK], all, rest;

    wf_shape(c, x, from, rank);
    for (int i = 0; i < n; i++) {
        known[i] = to[i] == WF_INFER ? 1 : to[i];
        infer = to[i] == WF_INFER ? i : infer;
    }
    all = elements(r, from, rank), rest = elements(r, known, n);
    if (infer >= 0)
        rest = wf_size_mul(c, rest, wf_size_div(c, all, rest));
    if (!ox_ok(r) || (all >= 0 && rest >= 0) || wf_size_equal(c, all, rest))
        return true;
    return !size_is_found(c, all) && !size_is_found(c, rest);
}

/* A number in the shape that stands for a size which the file leaves open elsewhere, as exporters leave them behind: it
 * becomes what is left over, where that is whole. */
static void loosen(OxRun *r, wf_tensor x, int64_t *dims, int n)
{
    int64_t all = 1, to = 1, rest, q;
    bool symbolic = false;

    for (int i = 0; i < wf_rank(r->c, x); i++) {
        all = wf_size_mul(r->c, all, wf_size(r->c, x, i));
        symbolic = symbolic || wf_size(r->c, x, i) < 0;
    }
    for (int i = 0; i < n; i++) {
        if (dims[i] == WF_INFER || dims[i] == 0)
            return;
        to = wf_size_mul(r->c, to, dims[i]);
    }
    if (!symbolic || !ox_ok(r) || wf_size_equal(r->c, all, to))
        return;
    for (int k = 0; k < n; k++) {
        if (dims[k] < 2)
            continue;
        rest = 1;
        for (int i = 0; i < n; i++)
            rest = i == k ? rest : wf_size_mul(r->c, rest, dims[i]);
        q = wf_size_div(r->c, all, rest);
        if (wf_size_equal(r->c, wf_size_mul(r->c, q, rest), all)) {
            dims[k] = q;
            return;
        }
    }
}

static wf_tensor reshape_value(OxRun *r, wf_tensor x)
{
    bool allow_zero = ox_int(r, "allowzero", 0) != 0, dynamic = false;
    int64_t dims[WF_MAX_RANK], v;
    OxNum given[WF_MAX_RANK];
    const OxNum *to = given;
    const int64_t *attr;
    int n;

    if (ox_has(r, 1)) {
        to = ox_nums(r, 1, &n);
    } else if ((attr = ox_ints(r, "shape", &n)) && n <= WF_MAX_RANK) { /* before opset 5 */
        for (int k = 0; k < n; k++)
            given[k] = ox_number(attr[k]);
    } else {
        return ox_fail(r, WF_ERR_FORMAT, "no shape is given"), WF_NONE;
    }
    if (!to || n > WF_MAX_RANK)
        return ox_ok(r) ? (ox_fail(r, WF_ERR_LIMIT, "rank %d", n), WF_NONE) : WF_NONE;
    for (int k = 0; k < n; k++) {
        dims[k] = to[k].kind == OX_DYNAMIC ? WF_INFER : to[k].v;
        dynamic = dynamic || to[k].kind == OX_DYNAMIC;
        if (!ox_is_number(to[k], &v))
            continue;
        if (v == 0 && !allow_zero && k < wf_rank(r->c, x))
            dims[k] = wf_size(r->c, x, k);
        else if (v < 0)
            dims[k] = WF_INFER;
        if (v < -1)
            return ox_fail(r, WF_ERR_SHAPE, "a size of %lld", (long long)v), WF_NONE;
    }
    if (!dynamic)
        loosen(r, x, dims, n);
    return dynamic || !surely_fits(r, x, dims, n) ? reshape_dynamic(r, x, to, dims, n, allow_zero) : wf_reshape(r->c, x, dims, n);
}

OX_RULE(reshape)
{
    OxValue v = *ox_value(r, 0); /* of any type */

    (void)op;
    v.t = reshape_value(r, ox_tensor_of(r, &v));
    return ox_put_value(r, 0, (OxValue){.kind = OX_TENSOR, .t = v.t, .narrow = v.narrow});
}

OX_RULE(flatten)
{
    wf_tensor x = ox_in(r, 0);
    int rank = ox_ok(r) ? wf_rank(r->c, x) : 0;
    int64_t axis = ox_int(r, "axis", 1), dims[2] = {1, 1};

    (void)op;
    axis = axis < 0 ? axis + rank : axis;
    if (axis < 0 || axis > rank)
        return ox_fail(r, WF_ERR_VALUE, "axis %lld of a tensor of rank %d", (long long)axis, rank);
    for (int i = 0; i < rank; i++)
        dims[i >= axis] = wf_size_mul(r->c, dims[i >= axis], wf_size(r->c, x, i));
    return ox_put(r, 0, wf_reshape(r->c, x, dims, 2));
}

OX_RULE(transpose)
{
    const OxValue *v = ox_value(r, 0);
    wf_tensor x = ox_tensor_of(r, v);
    int axes[WF_MAX_RANK], n, rank = ox_ok(r) ? wf_rank(r->c, x) : 0;

    (void)op;
    if (!ox_axes(r, SIZE_MAX, "perm", rank, axes, &n))
        return false;
    if (n >= 0 && n != rank)
        return ox_fail(r, WF_ERR_VALUE, "%d axes of a tensor of rank %d", n, rank);
    return ox_put_value(r, 0, (OxValue){.kind = OX_TENSOR,
                                        .narrow = v->narrow,
                                        .t = wf_permute(r->c, x, n < 0 ? NULL : axes, n < 0 ? 0 : n)});
}

OX_RULE(squeeze)
{
    const OxValue *v = ox_value(r, 0);
    wf_tensor x = ox_tensor_of(r, v);
    int axes[WF_MAX_RANK], n, rank = ox_ok(r) ? wf_rank(r->c, x) : 0;

    (void)op;
    if (!ox_axes(r, 1, "axes", rank, axes, &n))
        return false;
    if (n < 0)
        n = 0;
    else if (n == 0)
        return ox_put_value(r, 0, *v);
    return ox_put_value(r, 0, (OxValue){.kind = OX_TENSOR, .narrow = v->narrow, .t = wf_squeeze(r->c, x, axes, n)});
}

OX_RULE(unsqueeze)
{
    const OxValue *v = ox_value(r, 0);
    wf_tensor x = ox_tensor_of(r, v);
    int64_t dims[WF_MAX_RANK];
    int axes[WF_MAX_RANK], n, k, rank = ox_ok(r) ? wf_rank(r->c, x) : 0;
    const int64_t *attr = ox_ints(r, "axes", &n);
    bool is_new[WF_MAX_RANK] = {false};

    (void)op;
    if (ox_has(r, 1)) {
        int64_t given[WF_MAX_RANK];
        if (!ox_numbers(r, 1, given, WF_MAX_RANK, &n))
            return false;
    } else if (!attr) {
        return ox_fail(r, WF_ERR_FORMAT, "no axes are given");
    }
    if (rank + n > WF_MAX_RANK)
        return ox_fail(r, WF_ERR_LIMIT, "rank %d", rank + n);
    if (!ox_axes(r, 1, "axes", rank + n, axes, &n))
        return false;
    for (int i = 0; i < n; i++) {
        if (is_new[axes[i]])
            return ox_fail(r, WF_ERR_VALUE, "axis %d is given twice", axes[i]);
        is_new[axes[i]] = true;
    }
    k = 0;
    for (int i = 0; i < rank + n; i++)
        dims[i] = is_new[i] ? 1 : wf_size(r->c, x, k++);
    return ox_put_value(r, 0, (OxValue){.kind = OX_TENSOR, .narrow = v->narrow,
                                        .t = wf_reshape(r->c, x, dims, rank + n)});
}

/* ---- expand, tile ------------------------------------------------------------------------------ */

static wf_tensor expand_axis(OxRun *r, wf_tensor x, int axis, wf_tensor size)
{
    wf_ctx *c = r->c;
    wf_tensor old = size_i64(r, wf_size(c, x, axis)), one = i64(r, 1);
    wf_tensor new = wf_where(c, wf_eq(c, size, one), old, size);
    wf_tensor at = ox_iota(r, wf_size_from(c, new));
    wf_tensor zero = wf_zeros_like(c, at);

    return wf_take(c, x, wf_where(c, wf_eq(c, old, one), zero, at), axis);
}

OX_RULE(expand)
{
    wf_tensor x = ox_in(r, 0);
    int n, rank = ox_ok(r) ? wf_rank(r->c, x) : 0, out;
    const OxNum *to = ox_nums(r, 1, &n);
    int64_t dims[WF_MAX_RANK], v;
    bool plain = true;

    (void)op;
    if (!to)
        return false;
    out = MAX(n, rank);
    if (out > WF_MAX_RANK)
        return ox_fail(r, WF_ERR_LIMIT, "rank %d", out);
    for (int i = 0; i < out; i++)
        dims[i] = i < out - rank ? 1 : wf_size(r->c, x, i - (out - rank));
    x = wf_reshape(r->c, x, dims, out);
    for (int i = out - n; i < out; i++) {
        OxNum t = to[i - (out - n)];

        if (t.kind == OX_DYNAMIC && dims[i] != 1) {
            x = expand_axis(r, x, i, t.t);
            dims[i] = wf_size(r->c, x, i);
        } else if (!(ox_is_number(t, &v) && v == 1)) {
            if (dims[i] == 1 || ox_is_number(t, &v))
                dims[i] = ox_size(r, t);
            plain = false;
        }
    }
    if (!ox_bounded(r, dims, out, OX_SPREAD))
        return false;
    return ox_put(r, 0, plain ? x : wf_broadcast_to(r->c, x, dims, out));
}

OX_RULE(tile)
{
    wf_tensor x = ox_in(r, 0);
    int n, rank = ox_ok(r) ? wf_rank(r->c, x) : 0;
    const OxNum *to = ox_nums(r, 1, &n);
    int64_t reps[WF_MAX_RANK], dims[WF_MAX_RANK];
    bool known = true;

    (void)op;
    if (!to)
        return false;
    if (n != rank)
        return ox_fail(r, WF_ERR_SHAPE, "%d repeats for a tensor of rank %d", n, rank);
    for (int i = 0; i < n; i++) {
        known = ox_is_number(to[i], &reps[i]) && known;
        dims[i] = wf_size(r->c, x, i);
        if (to[i].kind == OX_NUMBER && dims[i] > 0)
            dims[i] = reps[i] < 0 || reps[i] > INT32_MAX ? INT64_MAX : dims[i] * reps[i];
    }
    if (!ox_bounded(r, dims, n, OX_FILLED))
        return false;
    if (known)
        return ox_put(r, 0, wf_tile(r->c, x, reps, n));
    for (int i = 0; i < n; i++) {
        int64_t size = wf_size(r->c, x, i), all, v;
        wf_tensor wide;

        if (ox_is_number(to[i], &v) && v == 1)
            continue;
        if (to[i].kind == OX_DYNAMIC) {
            wide = size_i64(r, size);
            all = wf_size_from(r->c, wf_mul(r->c, ox_num_tensor(r, to[i]), wide));
        } else {
            all = wf_size_mul(r->c, to[i].v, size);
        }
        if (size == 1) {
            wf_shape(r->c, x, dims, n);
            dims[i] = all;
            x = wf_broadcast_to(r->c, x, dims, n);
            continue;
        }
        wide = size_i64(r, size);
        x = wf_take(r->c, x, wf_remainder(r->c, ox_iota(r, all), wide), i);
    }
    return ox_put(r, 0, x);
}

/* ---- concat, split ------------------------------------------------------------------------------- */

OX_RULE(concat)
{
    size_t n = ox_nin(r);
    wf_tensor *x = ox_alloc(&r->mem, n + 1, sizeof *x);
    int axis;

    (void)op;
    for (size_t i = 0; x && i < n; i++)
        x[i] = ox_in(r, i);
    if (!x || !ox_ok(r) || (axis = ox_axis(r, ox_int(r, "axis", 1), wf_rank(r->c, x[0]))) < 0)
        return false;
    ox_agree(r, x, n, wf_rank(r->c, x[0]) - axis);
    return ox_put(r, 0, wf_concat(r->c, x, (int)n, axis));
}

OX_RULE(split)
{
    wf_tensor x = ox_in(r, 0), *y;
    int n = (int)r->node->out.n, given = 0, axis = ox_axis(r, ox_int(r, "axis", 0), ox_ok(r) ? wf_rank(r->c, x) : 1);
    int64_t *sizes = ox_alloc(&r->mem, (size_t)n + 1, sizeof *sizes), size, part, left;
    const OxNum *nums = ox_has(r, 1) ? ox_nums(r, 1, &given) : NULL;
    const int64_t *attr = nums ? NULL : ox_ints(r, "split", &given);

    (void)op;
    y = ox_alloc(&r->mem, (size_t)n + 1, sizeof *y);
    if (axis < 0 || !sizes || !y || !ox_ok(r))
        return false;
    size = wf_size(r->c, x, axis);
    if ((nums || attr) && given != n)
        return ox_fail(r, WF_ERR_FORMAT, "%d sizes for %d results", given, n);
    if (!nums && !attr && size < 0) { /* symbolic: equal parts */
        wf_split_equal(r->c, x, axis, y, n);
    } else {
        part = size < 0 ? 0 : (size + n - 1) / n;
        left = size;
        for (int i = 0; i < n; i++) {
            sizes[i] = nums ? ox_size(r, nums[i]) : attr ? attr[i] : MIN(part, left);
            left -= MIN(part, left);
        }
        wf_split_sizes(r->c, x, sizes, n, axis, y);
    }
    for (int i = 0; i < n; i++)
        ox_put(r, (size_t)i, y[i]);
    return ox_ok(r);
}

/* ---- slice ----------------------------------------------------------------------------------------- */

/* Python's slice.indices on tensors. */
static wf_tensor slice_dynamic(OxRun *r, wf_tensor x, int axis, OxNum start, OxNum stop, OxNum step)
{
    wf_ctx *c = r->c;
    wf_tensor n = size_i64(r, wf_size(c, x, axis)), zero = i64(r, 0), one = i64(r, 1), d = ox_num_tensor(r, step),
              down = wf_lt(c, d, zero), lo = wf_where(c, down, i64(r, -1), zero),
              hi = wf_where(c, down, wf_sub(c, n, one), n), ends[2], count;

    for (int k = 0; k < 2; k++) {
        wf_tensor larger;
        wf_tensor v = ox_num_tensor(r, k ? stop : start);
        larger = wf_maximum(c, wf_add(c, v, n), i64(r, -1));
        v = wf_where(c, wf_lt(c, v, zero), larger, v);
        ends[k] = wf_minimum(c, wf_maximum(c, v, lo), hi);
    }
    /* ceil((stop - start) / step) */
    count = wf_neg(c, wf_floor_div(c, wf_sub(c, ends[0], ends[1]), d));
    count = wf_maximum(c, count, zero);
    return wf_take(c, x, wf_add(c, ends[0], wf_mul(c, ox_iota(r, wf_size_from(c, count)), d)), axis);
}

#define MANY 16 /* first elements of an axis of open size: so many are a limit, fewer are there */

/* Of an axis of symbolic size, with bounds that are sizes. False: it cannot be written so. */
static bool slice_sizes(OxRun *r, wf_tensor *x, int axis, OxNum start, OxNum stop, int64_t step)
{
    int64_t n = wf_size(r->c, *x, axis), from = start.v, to = stop.v;
    wf_index ix[WF_MAX_RANK];

    if (step < 1 || (start.kind == OX_NUMBER && from == 0 && stop.kind == OX_NUMBER && to >= MANY && to < INT32_MAX))
        return false;
    if (start.kind == OX_NUMBER && from < 0)
        from = wf_size_sub(r->c, n, -from);
    if (stop.kind == OX_NUMBER && to < 0)
        to = wf_size_sub(r->c, n, -to);
    else if (stop.kind == OX_NUMBER && to >= INT32_MAX)
        to = n;
    for (int i = 0; i < axis; i++)
        ix[i] = wf_at_all();
    ix[axis] = wf_at_sizes(from, to);
    *x = wf_index_get(r->c, *x, ix, axis + 1);
    ix[axis] = wf_at_slice_step(WF_NOT, WF_NOT, step);
    if (step > 1)
        *x = wf_index_get(r->c, *x, ix, axis + 1);
    return true;
}

static wf_tensor slice_one(OxRun *r, wf_tensor x, int axis, OxNum start, OxNum stop, OxNum step)
{
    int64_t from, to, by, n = wf_size(r->c, x, axis);
    wf_index ix[WF_MAX_RANK];

    if (start.kind == OX_DYNAMIC || stop.kind == OX_DYNAMIC || !ox_is_number(step, &by))
        return slice_dynamic(r, x, axis, start, stop, step);
    if (by == 0)
        return ox_fail(r, WF_ERR_VALUE, "a step of 0"), WF_NONE;
    if (!ox_is_number(start, &from) || !ox_is_number(stop, &to) || n < 0)
        return slice_sizes(r, &x, axis, start, stop, by) ? x : slice_dynamic(r, x, axis, start, stop, step);
    for (int i = 0; i < axis; i++)
        ix[i] = wf_at_all();
    /* Python's bounds: what lies before the beginning stays before it */
    ix[axis] = wf_at_slice_step(from < -n ? (by < 0 ? -n - 1 : 0) : MIN(from, n),
                                to < -n ? -n - 1 : MIN(to, n), MAX(-INT32_MAX, MIN(by, INT32_MAX)));
    if (ix[axis].stop == -n - 1 && by < 0)
        ix[axis] = wf_at_slice_step(ix[axis].start, WF_NOT, ix[axis].step);
    return wf_index_get(r->c, x, ix, axis + 1);
}

OX_RULE(slice)
{
    const OxValue *value = ox_value(r, 0);
    wf_tensor x = ox_tensor_of(r, value);
    int rank = ox_ok(r) ? wf_rank(r->c, x) : 0, axes[WF_MAX_RANK], n, na, k;
    const OxNum *starts, *stops, *steps = NULL;
    OxNum given[2][WF_MAX_RANK];
    const int64_t *a, *b;

    (void)op;
    if (ox_opset(r) < 10 && !ox_has(r, 1)) {
        a = ox_ints(r, "starts", &n);
        b = ox_ints(r, "ends", &k);
        if (!a || !b || n != k || n > rank)
            return ox_fail(r, WF_ERR_FORMAT, "needs starts and ends");
        for (int i = 0; i < n; i++) {
            given[0][i] = ox_number(a[i]);
            given[1][i] = ox_number(b[i]);
        }
        starts = given[0];
        stops = given[1];
    } else {
        starts = ox_nums(r, 1, &n);
        stops = starts ? ox_nums(r, 2, &k) : NULL;
        if (!stops || n != k || n > rank)
            return ox_ok(r) ? ox_fail(r, WF_ERR_FORMAT, "needs as many ends as starts") : false;
    }
    if (ox_has(r, 4) && (!(steps = ox_nums(r, 4, &k)) || k != n))
        return ox_ok(r) ? ox_fail(r, WF_ERR_FORMAT, "needs as many steps as starts") : false;
    if (!ox_axes(r, 3, "axes", rank, axes, &na))
        return false;
    if (na >= 0 && na != n)
        return ox_fail(r, WF_ERR_FORMAT, "needs as many axes as starts");
    for (int i = 0; i < n && ox_ok(r); i++)
        x = slice_one(r, x, na < 0 ? i : axes[i], starts[i], stops[i], steps ? steps[i] : ox_number(1));
    return ox_put_value(r, 0, (OxValue){.kind = OX_TENSOR, .narrow = value->narrow, .t = x});
}

/* ---- pad --------------------------------------------------------------------------------------------- */

/* Element i of the result is element f(i - lo) of x. */
static wf_tensor pad_axis(OxRun *r, wf_tensor x, int axis, OxNum lo, OxNum hi, const char *mode, wf_tensor value)
{
    wf_ctx *c = r->c;
    wf_tensor n = size_i64(r, wf_size(c, x, axis)), zero = i64(r, 0), one = i64(r, 1), last = wf_sub(c, n, one),
              before = ox_num_tensor(r, lo);
    wf_tensor factor = ox_num_tensor(r, hi);
    wf_tensor all = wf_add(c, wf_add(c, n, before), factor), at, inside,
              period;
    int64_t dims[WF_MAX_RANK], v, w, size;
    wf_tensor below;

    size = ox_is_number(lo, &v) && ox_is_number(hi, &w) && wf_size(c, x, axis) >= 0 ? wf_size(c, x, axis) + v + w
                                                                                  : wf_size_from(c, all);
    at = wf_sub(c, ox_iota(r, size), before);
    below = wf_lt(c, at, n);
    inside = wf_logical_and(c, wf_ge(c, at, zero), below);
    if (strcmp(mode, "wrap") == 0) {
        at = wf_remainder(c, at, n);
    } else if (strcmp(mode, "reflect") == 0) {
        period = wf_maximum(c, wf_mul(c, last, i64(r, 2)), one);
        at = wf_sub(c, last, wf_abs(c, wf_sub(c, wf_remainder(c, at, period), last)));
    }
    x = wf_take(c, x, wf_maximum(c, wf_minimum(c, at, last), zero), axis);
    if (wf_is_none(value))
        return x;
    for (int i = 0; i < wf_rank(c, x); i++)
        dims[i] = i == axis ? wf_size(c, x, axis) : 1;
    return wf_where(c, wf_reshape(c, inside, dims, wf_rank(c, x)), x, value);
}

/* By numbers, positive or negative, with a number that is known. */
static wf_tensor pad_known(OxRun *r, wf_tensor x, const int64_t *pads, const int *axes, int n, double value)
{
    int64_t lo[WF_MAX_RANK] = {0}, hi[WF_MAX_RANK] = {0};
    bool any = false;

    for (int i = 0; i < n; i++) {
        int64_t cut = MAX(0, -pads[i]), end = MAX(0, -pads[n + i]);

        if (cut || end)
            x = wf_narrow(r->c, x, axes[i], cut, wf_size_sub(r->c, wf_size(r->c, x, axes[i]), cut + end));
        lo[axes[i]] = MAX(0, pads[i]);
        hi[axes[i]] = MAX(0, pads[n + i]);
        any = any || lo[axes[i]] || hi[axes[i]];
    }
    return any ? wf_pad(r->c, x, lo, hi, wf_rank(r->c, x), value) : x;
}

OX_RULE(pad)
{
    wf_tensor x = ox_in(r, 0), fill;
    int rank = ox_ok(r) ? wf_rank(r->c, x) : 0, axes[WF_MAX_RANK], na, n;
    const char *mode = ox_text(r, "mode", "constant");
    bool constant = strcmp(mode, "constant") == 0, numbers = constant;
    int64_t v[2 * WF_MAX_RANK], dims[WF_MAX_RANK];
    OxNum given[2 * WF_MAX_RANK];
    const OxNum *pads = given;
    const int64_t *attr = ox_ints(r, ox_opset(r) < 2 ? "paddings" : "pads", &n);

    (void)op;
    if (ox_has(r, 1))
        pads = ox_nums(r, 1, &n);
    else if (attr && n <= 2 * WF_MAX_RANK)
        for (int i = 0; i < n; i++)
            given[i] = ox_number(attr[i]);
    else
        return ox_fail(r, WF_ERR_FORMAT, "no pads are given");
    if (!pads || !ox_axes(r, 3, "", rank, axes, &na))
        return false;
    for (int i = 0; na < 0 && i < rank; i++)
        axes[i] = i;
    na = na < 0 ? rank : na;
    if (n != 2 * na)
        return ox_fail(r, WF_ERR_SHAPE, "%d pads for %d axes", n, na);
    fill = constant ? (ox_has(r, 2) ? ox_in(r, 2) : ox_like(r, ox_float(r, "value", 0), x)) : WF_NONE;
    for (int i = 0; i < n; i++) {
        numbers = ox_is_number(pads[i], &v[i]) && numbers;
        if (pads[i].kind == OX_NUMBER && (v[i] > INT32_MAX || v[i] < INT32_MIN))
            return ox_fail(r, WF_ERR_LIMIT, "a padding of %lld", (long long)v[i]);
    }
    for (int i = 0; i < rank; i++)
        dims[i] = wf_size(r->c, x, i);
    for (int i = 0; i < na; i++)
        if (dims[axes[i]] >= 0 && pads[i].kind == OX_NUMBER && pads[na + i].kind == OX_NUMBER)
            dims[axes[i]] = MAX(0, dims[axes[i]] + v[i] + v[na + i]);
    if (!ox_bounded(r, dims, rank, OX_FILLED))
        return false;
    if (numbers && !wf_is_symbolic(r->c, fill) && wf_count(r->c, fill) == 1)
        return ox_put(r, 0, pad_known(r, x, v, axes, na, wf_item(r->c, fill)));
    if (constant && wf_rank(r->c, fill) == 1)
        fill = wf_reshape(r->c, fill, NULL, 0);
    if (numbers) { /* a number that is not known, where there was nothing */
        wf_tensor there = pad_known(r, wf_cast(r->c, wf_ones_like(r->c, x), WF_BOOL), v, axes, na, 0);
        return ox_put(r, 0, wf_where(r->c, there, pad_known(r, x, v, axes, na, 0), fill));
    }
    for (int i = 0; i < na && ox_ok(r); i++)
        x = pad_axis(r, x, axes[i], pads[i], pads[na + i], mode, fill);
    return ox_put(r, 0, x);
}

/* ---- constants --------------------------------------------------------------------------------------- */

OX_RULE(constant)
{
    const OxAttr *a;
    wf_array *array;
    wf_tensor t = WF_NONE;
    int64_t n;

    (void)op;
    if ((a = ox_attr(r, "value")) && a->t)
        return ox_put_value(r, 0, ox_constant(r, a->t));
    if ((a = ox_attr(r, "sparse_value")) && a->sparse) {
        if (!(array = ox_sparse(r, a->sparse)))
            return false;
        t = wf_from_array(r->c, array);
        wf_array_release(array);
    } else if ((a = ox_attr(r, "value_int"))) {
        t = i64(r, a->i);
    } else if ((a = ox_attr(r, "value_float"))) {
        t = wf_from(r->c, WF_F32, NULL, 0, &a->f);
    } else if ((a = ox_attr(r, "value_ints"))) {
        n = (int64_t)a->ints.n;
        t = wf_from(r->c, WF_I64, &n, 1, a->ints.v);
    } else if ((a = ox_attr(r, "value_floats"))) {
        n = (int64_t)a->floats.n;
        t = wf_from(r->c, WF_F32, &n, 1, a->floats.v);
    } else if (ox_attr(r, "value_string") || ox_attr(r, "value_strings")) {
        return ox_put_value(r, 0, (OxValue){.kind = OX_STRINGS});
    } else {
        return ox_fail(r, WF_ERR_FORMAT, "no value is given");
    }
    return ox_put(r, 0, t);
}

OX_RULE(constant_of_shape)
{
    const OxAttr *a = ox_attr(r, "value");
    OxValue v = {.kind = OX_TENSOR};
    int64_t dims[WF_MAX_RANK];
    int n;
    const OxNum *to = ox_nums(r, 0, &n);

    (void)op;
    if (!to || n > WF_MAX_RANK)
        return ox_ok(r) ? ox_fail(r, WF_ERR_LIMIT, "rank %d", n) : false;
    for (int i = 0; i < n; i++)
        dims[i] = ox_size(r, to[i]);
    if (!ox_bounded(r, dims, n, OX_SPREAD))
        return false;
    if (a && a->t) {
        v = ox_constant(r, a->t);
        if (v.kind != OX_TENSOR || !ox_ok(r))
            return ox_ok(r) ? ox_fail(r, WF_ERR_UNSUPPORTED, "strings") : false;
        v.t = wf_reshape(r->c, v.t, NULL, 0);
    } else {
        v.t = wf_scalar(r->c, WF_F32, 0);
    }
    v.t = wf_broadcast_to(r->c, v.t, dims, n);
    return ox_put_value(r, 0, v);
}

/* How many numbers there are from one size to another, by 1: where the difference is a symbol, as in past .. past + new, or
 * the first is 0. -1: it cannot be said. */
static int64_t count_of(OxRun *r)
{
    OxNum ends[3], diff;
    int64_t first, by;
    wf_tensor known;

    for (size_t i = 0; i < 3; i++) {
        const OxValue *v = ox_value(r, i);

        if (v->nums && v->nnums == 1)
            ends[i] = v->nums[0];
        else if (ox_concrete(r, v, &known) && wf_count(r->c, known) == 1)
            ends[i] = ox_number(wf_item_int(r->c, wf_reshape(r->c, known, NULL, 0)));
        else
            return -1;
    }
    if (!ox_is_number(ends[2], &by) || by != 1 || ends[0].kind == OX_DYNAMIC || ends[1].kind != OX_SIZE)
        return -1;
    if (ox_is_number(ends[0], &first))
        return first == 0 ? ox_size(r, ends[1]) : -1;
    diff = ox_num_sub(r, ends[1], ends[0]);
    return diff.kind == OX_NUMBER ? MAX(diff.v, 0) : diff.kind == OX_SIZE ? ox_size(r, diff) : -1;
}

OX_RULE(range)
{
    wf_tensor v[3], steps, count;
    bool known = true, whole = true;
    double num[3];
    int64_t size;
    int n;

    (void)op;
    for (size_t i = 0; i < 3; i++) {
        const OxValue *in = ox_value(r, i);

        v[i] = ox_in(r, i);
        if (!ox_ok(r))
            return false;
        whole = whole && !wf_dtype_is_float(wf_dtype_of(r->c, v[i]));
        if (in->nums && in->nnums == 1)
            known = known && in->nums[0].kind == OX_NUMBER && ((num[i] = (double)in->nums[0].v), true);
        else
            known = known && ox_concrete(r, in, &v[i]) && ox_floats(r, i, &num[i], 1, &n) && n == 1;
    }
    for (int i = 0; i < 3; i++)
        v[i] = wf_reshape(r->c, v[i], NULL, 0);
    if (known && num[2] == 0)
        return ox_fail(r, WF_ERR_VALUE, "a step of 0");
    if (known) {
        double k = ceil((num[1] - num[0]) / num[2]);
        size = k > 0 ? (int64_t)fmin(k, 1e15) : 0;
        if (!ox_bounded(r, &size, 1, OX_FILLED))
            return false;
    } else if (whole && (size = count_of(r)) != -1) {
    } else {
        steps = wf_sub(r->c, v[1], v[0]);
        if (whole) /* ceil(a / b) = -floor(-a / b) */
            count = wf_neg(r->c, wf_floor_div(r->c, wf_neg(r->c, steps), v[2]));
        else
            count = wf_ceil(r->c, wf_div(r->c, steps, v[2]));
        size = wf_size_from(r->c, wf_maximum(r->c, wf_cast(r->c, count, WF_I64), i64(r, 0)));
    }
    steps = wf_cast(r->c, ox_iota(r, size), wf_dtype_of(r->c, v[0]));
    return ox_put(r, 0, wf_add(r->c, v[0], wf_mul(r->c, steps, v[2])));
}

OX_RULE(eye_like)
{
    wf_tensor x = ox_tensor_of(r, ox_value(r, 0));
    int64_t to = ox_int(r, "dtype", 0), dims[2];
    wf_dtype dtype = to ? ox_dtype(to) : wf_dtype_of(r->c, x);
    wf_tensor k = i64(r, ox_int(r, "k", 0));
    wf_tensor places;

    (void)op;
    if (!ox_ok(r) || wf_rank(r->c, x) != 2 || dtype == WF_INVALID)
        return ox_ok(r) ? ox_fail(r, WF_ERR_TYPE, "needs a matrix of numbers") : false;
    wf_shape(r->c, x, dims, wf_rank(r->c, x));
    places = wf_iota(r->c, WF_I64, dims, 2, 0);
    return ox_put(r, 0, wf_cast(r->c, wf_eq(r->c, wf_sub(r->c, wf_iota(r->c, WF_I64, dims, 2, 1),
                                                         places), k), dtype));
}

OX_RULE(trilu)
{
    wf_tensor x = ox_in(r, 0), k = ox_has(r, 1) ? wf_reshape(r->c, ox_in(r, 1), NULL, 0) : i64(r, 0), d;
    int rank = ox_ok(r) ? wf_rank(r->c, x) : 0;
    int64_t dims[WF_MAX_RANK];
    wf_tensor places;

    (void)op;
    if (rank < 2)
        return ox_ok(r) ? ox_fail(r, WF_ERR_SHAPE, "needs matrices") : false;
    wf_shape(r->c, x, dims, wf_rank(r->c, x));
    places = wf_iota(r->c, WF_I64, dims + rank - 2, 2, 0);
    d = wf_sub(r->c, wf_iota(r->c, WF_I64, dims + rank - 2, 2, 1), places);
    d = ox_int(r, "upper", 1) ? wf_ge(r->c, d, k) : wf_le(r->c, d, k);
    return ox_put(r, 0, wf_where(r->c, d, x, ox_like(r, 0, x)));
}

/* ---- blocks ------------------------------------------------------------------------------------------- */

OX_RULE(depth_to_space)
{
    wf_tensor x = ox_in(r, 0);
    int64_t b = ox_int(r, "blocksize", 1), d[4];
    bool crd = ox_text_is(r, "mode", "DCR", "CRD");

    (void)op;
    if (!ox_ok(r) || wf_rank(r->c, x) != 4 || b < 1 || b > 65536)
        return ox_ok(r) ? ox_fail(r, WF_ERR_SHAPE, "needs rank 4 and a positive blocksize") : false;
    wf_shape(r->c, x, d, wf_rank(r->c, x));
    int64_t deep = wf_size_div(r->c, d[1], b * b);
    int64_t dcr[] = {d[0], b, b, deep, d[2], d[3]}, cr[] = {d[0], deep, b, b, d[2], d[3]};
    int64_t to[] = {d[0], deep, wf_size_mul(r->c, d[2], b), wf_size_mul(r->c, d[3], b)};
    x = wf_reshape(r->c, x, crd ? cr : dcr, 6);
    x = wf_permute(r->c, x, crd ? (int[]){0, 1, 4, 2, 5, 3} : (int[]){0, 3, 4, 1, 5, 2}, 6);
    return ox_put(r, 0, wf_reshape(r->c, x, to, 4));
}

OX_RULE(space_to_depth)
{
    wf_tensor x = ox_in(r, 0);
    int64_t b = ox_int(r, "blocksize", 1), d[4];
    bool crd = ox_text_is(r, "mode", "DCR", "CRD");

    (void)op;
    if (!ox_ok(r) || wf_rank(r->c, x) != 4 || b < 1 || b > 65536)
        return ox_ok(r) ? ox_fail(r, WF_ERR_SHAPE, "needs rank 4 and a positive blocksize") : false;
    wf_shape(r->c, x, d, wf_rank(r->c, x));
    int64_t h = wf_size_div(r->c, d[2], b), w = wf_size_div(r->c, d[3], b);
    x = wf_reshape(r->c, x, (int64_t[]){d[0], d[1], h, b, w, b}, 6);
    x = wf_permute(r->c, x, crd ? (int[]){0, 1, 3, 5, 2, 4} : (int[]){0, 3, 5, 1, 2, 4}, 6);
    return ox_put(r, 0, wf_reshape(r->c, x, (int64_t[]){d[0], wf_size_mul(r->c, d[1], b * b), h, w}, 4));
}

OX_RULE(center_crop_pad)
{
    wf_tensor x = ox_in(r, 0);
    int rank = ox_ok(r) ? wf_rank(r->c, x) : 0, axes[WF_MAX_RANK], na, n;
    const OxNum *to = ox_nums(r, 1, &n);

    (void)op;
    if (!to || !ox_axes(r, SIZE_MAX, "axes", rank, axes, &na))
        return false;
    for (int i = 0; i < n && ox_ok(r); i++) {
        int axis = na < 0 ? i : axes[MIN(i, na - 1)];
        wf_tensor have = size_i64(r, wf_size(r->c, x, axis)), want = ox_num_tensor(r, to[i]), two = i64(r, 2),
                  extra = wf_sub(r->c, want, have), lo;
        OxNum before, after;
        int64_t v, size = wf_size(r->c, x, axis);

        if (axis >= rank)
            return ox_fail(r, WF_ERR_SHAPE, "%d sizes for a tensor of rank %d", n, rank);
        if (ox_is_number(to[i], &v) && size >= 0) {
            int64_t e = v - size, half = e >= 0 ? e / 2 : -((-e) / 2);
            before = ox_number(half);
            after = ox_number(e - half);
        } else {
            lo = ox_trunc_div(r->c, extra, two);
            before = (OxNum){OX_DYNAMIC, 0, lo};
            after = (OxNum){OX_DYNAMIC, 0, wf_sub(r->c, extra, lo)};
        }
        x = pad_axis(r, x, axis, before, after, "constant", ox_like(r, 0, x));
    }
    return ox_put(r, 0, x);
}
