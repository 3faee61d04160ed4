/* sort.c -- sorting and selecting. NaN comes last, and counts as largest. */
#include "functions/functions.h"

/* out_index may be NULL. */
wf_status wf_sort(wf_ctx *c, wf_tensor x, int axis, bool descending,
                  wf_tensor *out_values, wf_tensor *out_index)
{
    Shape s;
    uint32_t k;
    wf_tensor in[2], out[2] = {WF_NONE, WF_NONE};
    int64_t down = descending;

    if (!NEEDS(c, out_values))
        out_values = &out[0];
    *out_values = WF_NONE;
    if (out_index)
        *out_index = WF_NONE;
    if (!shape_of(c, x, "wf_sort", &s) || !axis_of(c, "wf_sort", axis, s.rank, &k))
        return ctx_status(c);
    scope_open(c);
    in[0] = x;
    in[1] = wf_iota(c, WF_I64, s.d, (int)s.rank, (int)k);
    tensor_op(c, OP_sort, in, out_index ? 2 : 1,
              &(SortAttr){.axis = k, .keys = 1, .descending = {1, &down}}, out,
              out_index ? 2 : 1);
    *out_values = out[0];
    if (out_index)
        *out_index = out[1];
    scope_close_n(c, out, 2);
    return ctx_status(c);
}

wf_tensor wf_argsort(wf_ctx *c, wf_tensor x, int axis, bool descending)
{
    wf_tensor v, i;

    scope_open(c);
    wf_sort(c, x, axis, descending, &v, &i);
    return scope_close(c, i);
}

wf_status wf_top_k(wf_ctx *c, wf_tensor x, int64_t k, int axis, bool largest,
                   wf_tensor *out_values, wf_tensor *out_index)
{
    Shape s;
    uint32_t a;
    wf_tensor both[2] = {WF_NONE, WF_NONE};

    if (!NEEDS(c, out_values && out_index))
        return ctx_status(c);
    *out_values = *out_index = WF_NONE;
    if (!shape_of(c, x, "wf_top_k", &s) || !axis_of(c, "wf_top_k", axis, s.rank, &a))
        return ctx_status(c);
    if (k < 0 || (s.d[a] >= 0 && k > s.d[a])) {
        tensor_fail(c, WF_ERR_VALUE, "wf_top_k: %lld of axis %d of %s", (long long)k, axis,
              shape_text(c, tensor_get(c, x, "wf_top_k")));
        return ctx_status(c);
    }
    scope_open(c);
    tensor_op(c, OP_top_k, &x, 1, &(TopAttr){a, k, largest}, both, 2);
    *out_values = both[0];
    *out_index = both[1];
    scope_close_n(c, both, 2);
    return ctx_status(c);
}

/* Of n sorted numbers how many stand before each of v, by halving: in the steps n/2, n/4 .. 1 as powers of two, each is
 * taken where the element it leads to stands before v. */
static wf_tensor search_by_halves(wf_ctx *c, wf_tensor x, wf_tensor v, bool right, int64_t n)
{
    wf_tensor count = wf_cast(c, wf_zeros_like(c, v), WF_I64);
    int64_t step = 1;

    while (step <= n / 2)
        step *= 2;
    for (; step; step /= 2) {
        wf_tensor end = wf_add(c, count, wf_int(c, step)), at, less;

        at = wf_take(c, x, wf_minimum(c, wf_sub(c, end, wf_int(c, 1)), wf_int(c, n - 1)), 0);
        less = right ? wf_le(c, at, v) : wf_lt(c, at, v);
        count = wf_where(c, wf_logical_and(c, less, wf_le(c, end, wf_int(c, n))), end, count);
    }
    return count;
}

/* For each of v the place in the sorted vector x where it belongs: how many are smaller (or equal, with right). */
wf_tensor wf_searchsorted(wf_ctx *c, wf_tensor x, wf_tensor v, bool right)
{
    Shape s;
    wf_tensor col, less;

    if (!shape_of(c, x, "wf_searchsorted", &s))
        return WF_NONE;
    if (s.rank != 1)
        return tensor_fail(c, WF_ERR_SHAPE, "wf_searchsorted: needs a sorted vector, got %s",
                     shape_text(c, tensor_get(c, x, "wf_searchsorted")));
    scope_open(c);
    if (s.d[0] >= 32)
        return scope_close(c, search_by_halves(c, x, v, right, s.d[0]));
    col = wf_expand_dims(c, v, -1);
    less = right ? wf_le(c, x, col) : wf_lt(c, x, col);
    return scope_close(c, wf_sum(c, wf_cast(c, less, WF_I64), (int[]){-1}, 1, false));
}

/* The middle one; the lower of two in the middle, as PyTorch does, or their mean, as NumPy does. */
wf_tensor wf_median(wf_ctx *c, wf_tensor x, int axis, bool lower, bool keep)
{
    Shape s;
    uint32_t k;
    wf_tensor v, m, hi;

    if (!shape_of(c, x, "wf_median", &s) || !axis_of(c, "wf_median", axis, s.rank, &k))
        return WF_NONE;
    if (s.d[k] <= 0)
        return tensor_fail(c, WF_ERR_SHAPE, "wf_median: needs a constant size > 0 of axis %d",
                     axis);
    scope_open(c);
    wf_sort(c, x, (int)k, false, &v, NULL);
    m = slice_axis(c, v, k, (s.d[k] - 1) / 2, (s.d[k] - 1) / 2 + 1);
    if (!lower) {
        wf_tensor cast;

        hi = slice_axis(c, v, k, s.d[k] / 2, s.d[k] / 2 + 1);
        cast = float_cast(c, hi, "wf_median");
        m = wf_mul(c, wf_float(c, 0.5), wf_add(c, float_cast(c, m, "wf_median"), cast));
    }
    if (!keep)
        m = wf_squeeze(c, m, (int[]){(int)k}, 1);
    return scope_close(c, m);
}
