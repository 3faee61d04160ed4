/* numbers.c -- counting and comparing: unique values, histograms, the k-th and the most
 * frequent, distances, differences and integrals along an axis, products of vectors. */
#include "functions/functions.h"

#include <math.h>

/* ---- counting ---- */

/* Sorted, each once; *out_inverse: where each element of x is among them; *out_counts:
 * how often each occurs. */
wf_status wf_unique(wf_ctx *c, wf_tensor x, wf_tensor *out_values, wf_tensor *out_inverse,
                    wf_tensor *out_counts)
{
    wf_tensor v[3] = {WF_NONE, WF_NONE, WF_NONE}, flat, sorted, order, first, rank,
              places;
    Shape s;
    Dim n;
    wf_tensor sliced;

    if (!NEEDS(c, out_values))
        return ctx_status(c);
    *out_values = WF_NONE;
    if (out_inverse)
        *out_inverse = WF_NONE;
    if (out_counts)
        *out_counts = WF_NONE;
    if (!shape_of(c, x, "wf_unique", &s))
        return ctx_status(c);
    n = size_prod(c, s.d, s.rank);
    scope_open(c);
    flat = wf_reshape(c, x, &n, 1);
    wf_sort(c, flat, 0, false, &sorted, &order);
    sliced = slice_axis(c, sorted, 0, 0, n ? size_sub(c, n, 1) : 0);
    first = wf_ne(c, slice_axis(c, sorted, 0, n ? 1 : 0, n), sliced);
    first = wf_concat(
        c, (wf_tensor[]){wf_ones(c, WF_BOOL, (int64_t[]){n ? 1 : 0}, 1), first}, 2, 0);
    v[0] = wf_index_get(c, sorted, (wf_index[]){wf_at_tensor(first)}, 1);
    rank = wf_sub(c, wf_cumsum(c, wf_cast(c, first, WF_I64), 0, false), wf_int(c, 1));
    if (out_inverse) {
        v[1] = wf_put_along(c, wf_zeros_like(c, rank), order, rank, 0);
        v[1] = wf_reshape(c, v[1], s.d, (int)s.rank);
    }
    if (out_counts) {
        places = wf_zeros(c, WF_I64, (int64_t[]){wf_size(c, v[0], 0)}, 1);
        v[2] = wf_index_add(c, places, (wf_index[]){wf_at_tensor(rank)}, 1, wf_int(c, 1));
    }
    scope_close_n(c, v, failed(c) ? 0 : 3);
    if (!failed(c)) {
        *out_values = v[0];
        if (out_inverse)
            *out_inverse = v[1];
        if (out_counts)
            *out_counts = v[2];
    }
    return ctx_status(c);
}

wf_tensor wf_bincount(wf_ctx *c, wf_tensor x, wf_tensor weights, int64_t least,
                      int64_t length)
{
    Shape s;
    wf_tensor zero, y;

    if (!shape_of(c, x, "wf_bincount", &s))
        return WF_NONE;
    if (s.rank != 1 || !dtype_is_int(wf_dtype_of(c, x)))
        return tensor_fail(c, WF_ERR_TYPE, "wf_bincount: needs a vector of integers, got %s",
                     shape_text(c, tensor_get(c, x, "wf_bincount")));
    scope_open(c);
    if (length < 0) { /* as long as the values ask for */
        int64_t top = s.d[0] == 0 ? -1 : wf_item_int(c, wf_max(c, x, NULL, 0, false));
        if (!failed(c) && s.d[0] != 0 && wf_item_int(c, wf_min(c, x, NULL, 0, false)) < 0)
            tensor_fail(c, WF_ERR_VALUE, "wf_bincount: a value is negative");
        length = MAX(top + 1, least);
    }
    if (failed(c))
        return scope_close(c, WF_NONE);
    zero =
        wf_zeros(c, wf_is_none(weights) ? WF_I64 : wf_dtype_of(c, weights), &length, 1);
    y = s.d[0] == 0 ? zero
                    : wf_index_add(c, zero, (wf_index[]){wf_at_tensor(x)}, 1,
                                   wf_is_none(weights) ? wf_int(c, 1) : weights);
    return scope_close(c, y);
}

/* floor((x - lo) / (hi - lo) * bins), hi itself in the last bin; others do not count */
wf_tensor wf_histogram(wf_ctx *c, wf_tensor x, int64_t bins, double lo, double hi)
{
    wf_tensor place, in, y, at_most;
    Shape s;
    Dim n;

    if (!shape_of(c, x, "wf_histogram", &s))
        return WF_NONE;
    if (bins < 1 || !(lo <= hi))
        return tensor_fail(c, WF_ERR_VALUE,
                     "wf_histogram: needs at least one bin, and bounds in order");
    n = size_prod(c, s.d, s.rank);
    scope_open(c);
    x = float_cast(c, wf_reshape(c, x, &n, 1), "wf_histogram");
    if (lo == hi && n > 0) { /* those of the numbers */
        lo = wf_item(c, wf_min(c, x, NULL, 0, false));
        hi = wf_item(c, wf_max(c, x, NULL, 0, false));
    }
    if (lo == hi) {
        lo -= 1;
        hi += 1;
    }
    at_most = wf_le(c, x, num(c, hi));
    in = wf_logical_and(c, wf_ge(c, x, num(c, lo)), at_most);
    place = wf_floor(c, wf_mul(c, wf_div(c, wf_sub(c, x, num(c, lo)), num(c, hi - lo)),
                               num(c, (double)bins)));
    place = wf_clip(c, place, num(c, 0), num(c, (double)bins - 1));
    place = wf_cast(c, wf_where(c, in, place, num(c, 0)), WF_I64);
    y = wf_bincount(c, place, wf_cast(c, in, wf_dtype_of(c, x)), 0, bins);
    return scope_close(c, y);
}

/* ---- selecting ---- */

/* The k-th smallest along the axis, k from 1, and where it is. */
wf_status wf_kth_value(wf_ctx *c, wf_tensor x, int64_t k, int axis, bool keep,
                       wf_tensor *out_values, wf_tensor *out_index)
{
    wf_tensor v[2] = {WF_NONE, WF_NONE};
    Shape s;
    uint32_t a;

    if (!NEEDS(c, out_values && out_index))
        return ctx_status(c);
    *out_values = *out_index = WF_NONE;
    if (!shape_of(c, x, "wf_kth_value", &s) ||
        !axis_of(c, "wf_kth_value", axis, s.rank, &a))
        return ctx_status(c);
    if (k < 1 || (s.d[a] >= 0 && k > s.d[a])) {
        tensor_fail(c, WF_ERR_VALUE, "wf_kth_value: there is no %lld-th along axis %d of %s",
              (long long)k, axis, shape_text(c, tensor_get(c, x, "wf_kth_value")));
        return ctx_status(c);
    }
    scope_open(c);
    wf_sort(c, x, (int)a, false, &v[0], &v[1]);
    for (int i = 0; i < 2 && !failed(c); i++) {
        v[i] = slice_axis(c, v[i], a, k - 1, k);
        v[i] = keep ? v[i] : wf_squeeze(c, v[i], (int[]){(int)a}, 1);
    }
    scope_close_n(c, v, failed(c) ? 0 : 2);
    if (!failed(c)) {
        *out_values = v[0];
        *out_index = v[1];
    }
    return ctx_status(c);
}

/* The most frequent value along the axis, the smallest of several, and the last place
 * where it is. */
wf_status wf_mode(wf_ctx *c, wf_tensor x, int axis, bool keep, wf_tensor *out_values,
                  wf_tensor *out_index)
{
    wf_tensor v[2] = {WF_NONE, WF_NONE}, sorted, count, at, same, place;
    Shape s;
    uint32_t k;
    int a;
    wf_tensor column;

    if (!NEEDS(c, out_values && out_index))
        return ctx_status(c);
    *out_values = *out_index = WF_NONE;
    if (!shape_of(c, x, "wf_mode", &s) || !axis_of(c, "wf_mode", axis, s.rank, &k))
        return ctx_status(c);
    a = (int)k;
    scope_open(c);
    wf_sort(c, x, a, false, &sorted, NULL);
    column = wf_expand_dims(c, sorted, a + 1);
    count = wf_eq(c, wf_expand_dims(c, sorted, a), column);
    count = wf_sum(c, wf_cast(c, count, WF_I64), &a, 1, false);
    at = wf_argmax(c, count, &a, true);
    v[0] = wf_take_along(c, sorted, wf_cast(c, at, WF_I64), a);
    same = wf_eq(c, x, v[0]);
    place = wf_where(c, same, wf_iota(c, WF_I64, s.d, (int)s.rank, a), wf_int(c, -1));
    v[1] = wf_max(c, place, &a, 1, true);
    for (int i = 0; i < 2 && !keep; i++)
        v[i] = wf_squeeze(c, v[i], &a, 1);
    scope_close_n(c, v, failed(c) ? 0 : 2);
    if (!failed(c)) {
        *out_values = v[0];
        *out_index = v[1];
    }
    return ctx_status(c);
}

/* ---- along an axis ---- */

wf_tensor wf_logcumsumexp(wf_ctx *c, wf_tensor x, int axis)
{
    Shape s;
    uint32_t k;

    if (!shape_of(c, x, "wf_logcumsumexp", &s) ||
        !axis_of(c, "wf_logcumsumexp", axis, s.rank, &k))
        return WF_NONE;
    scope_open(c);
    return scope_close(c, op_1(c, OP_cumlogsumexp, float_cast(c, x, "wf_logcumsumexp"),
                               &(CumAttr){k, false}));
}

/* x[1:] - x[:-1], n times */
wf_tensor wf_diff(wf_ctx *c, wf_tensor x, int n, int axis)
{
    Shape s;
    uint32_t k;

    if (!shape_of(c, x, "wf_diff", &s) || !axis_of(c, "wf_diff", axis, s.rank, &k))
        return WF_NONE;
    scope_open(c);
    for (int i = 0; i < n && s.d[k] != 0 && !failed(c); i++) {
        wf_tensor hi = slice_axis(c, x, k, 1, s.d[k]),
                  lo = slice_axis(c, x, k, 0, size_sub(c, s.d[k], 1));
        x = wf_dtype_of(c, x) == WF_BOOL ? wf_logical_xor(c, hi, lo) : wf_sub(c, hi, lo);
        s.d[k] = size_sub(c, s.d[k], 1);
    }
    return scope_close(c, x);
}

/* sum of (y_i + y_(i+1)) / 2 times the distance: dx, or that of the places x */
wf_tensor wf_trapezoid(wf_ctx *c, wf_tensor y, wf_tensor x, double dx, int axis)
{
    Shape s;
    uint32_t k;
    wf_tensor mid, step, sliced;
    int a;

    if (!shape_of(c, y, "wf_trapezoid", &s) ||
        !axis_of(c, "wf_trapezoid", axis, s.rank, &k))
        return WF_NONE;
    a = (int)k;
    scope_open(c);
    y = float_cast(c, y, "wf_trapezoid");
    sliced = slice_axis(c, y, k, 0, s.d[k] ? size_sub(c, s.d[k], 1) : 0);
    mid = wf_mul(c, wf_add(c, slice_axis(c, y, k, s.d[k] ? 1 : 0, s.d[k]), sliced), num(c, 0.5));
    step = num(c, dx);
    if (!wf_is_none(x)) {
        step = wf_diff(c, x, 1, wf_rank(c, x) == 1 ? 0 : a);
        for (uint32_t i = k + 1; i < s.rank && wf_rank(c, x) == 1; i++)
            step = wf_expand_dims(c, step, -1);
    }
    return scope_close(c, wf_sum(c, wf_mul(c, mid, step), &a, 1, false));
}

/* ---- vectors ---- */

static wf_tensor component(wf_ctx *c, wf_tensor x, uint32_t k, Dim i)
{
    return slice_axis(c, x, k, i, i + 1);
}

wf_tensor wf_cross(wf_ctx *c, wf_tensor x, wf_tensor y, int axis)
{
    wf_tensor v[2] = {x, y}, part[3];
    Shape s;
    uint32_t k = 0;

    scope_open(c);
    if (!unify_types(c, "wf_cross", v, 2, MATH_ANY) || !shape_of(c, v[0], "wf_cross", &s) ||
        !axis_of(c, "wf_cross", axis, s.rank, &k))
        return scope_close(c, WF_NONE);
    if (!size_same(c, s.d[k], 3))
        return scope_close(c, tensor_fail(c, WF_ERR_SHAPE,
                                    "wf_cross: needs axis %d of size 3, got %s", axis,
                                    shape_text(c, tensor_get(c, v[0], "wf_cross"))));
    for (int i = 0; i < 3; i++) {
        wf_tensor product, other, third;
        int j = (i + 1) % 3, l = (i + 2) % 3;
        other = component(c, v[1], k, j);
        product = wf_mul(c, component(c, v[0], k, l), other);
        third = component(c, v[1], k, l);
        part[i] = wf_sub(c, wf_mul(c, component(c, v[0], k, j), third), product);
    }
    return scope_close(c, wf_concat(c, part, 3, (int)k));
}

/* x . y / max(|x| |y|, eps), each norm at least eps */
wf_tensor wf_cosine_similarity(wf_ctx *c, wf_tensor x, wf_tensor y, int axis, double eps)
{
    wf_tensor v[2] = {x, y}, n[2], dot;
    wf_tensor ratio;

    scope_open(c);
    if (!unify_types(c, "wf_cosine_similarity", v, 2, MATH_FLOAT))
        return scope_close(c, WF_NONE);
    for (int i = 0; i < 2; i++)
        n[i] = wf_maximum(c, wf_norm(c, v[i], 2, &axis, 1, true), num(c, eps));
    ratio = wf_div(c, v[1], n[1]);
    dot = wf_mul(c, wf_div(c, v[0], n[0]), ratio);
    return scope_close(c, wf_sum(c, dot, &axis, 1, false));
}

wf_tensor wf_normalize(wf_ctx *c, wf_tensor x, double p, int axis, double eps)
{
    scope_open(c);
    x = float_cast(c, x, "wf_normalize");
    return scope_close(
        c, wf_div(c, x, wf_maximum(c, wf_norm(c, x, p, &axis, 1, true), num(c, eps))));
}

/* z[..,i,j] = |x[..,i,:] - y[..,j,:]|_p */
wf_tensor wf_cdist(wf_ctx *c, wf_tensor x, wf_tensor y, double p)
{
    int last = -1;
    wf_tensor column;

    if (wf_rank(c, x) < 2 || wf_rank(c, y) < 2)
        return failed(c) ? WF_NONE : tensor_fail(c, WF_ERR_SHAPE, "wf_cdist: needs matrices");
    scope_open(c);
    column = wf_expand_dims(c, y, -3);
    x = wf_sub(c, wf_expand_dims(c, x, -2), column);
    return scope_close(c, wf_norm(c, x, p, &last, 1, false));
}
