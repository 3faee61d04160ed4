/* along.c -- reading and writing places of one axis: whole slices by a vector of
 * indices, and elements by a tensor of indices, where values that meet are added,
 * multiplied, or the extreme one stays. */
#include "functions/functions.h"

#include <math.h>

/* x with axis k at the given places: all other axes full. */
static wf_index *slices_at(wf_tensor index, uint32_t k, wf_index *ix)
{
    for (uint32_t i = 0; i < k; i++)
        ix[i] = wf_at_all();
    ix[k] = wf_at_tensor(index);
    return ix;
}

typedef wf_tensor (*Assign)(wf_ctx *c, wf_tensor x, const wf_index *ix, int n,
                            wf_tensor v);

static wf_tensor assign_slices(wf_ctx *c, const char *fn, Assign assign, wf_tensor x,
                               wf_tensor index, wf_tensor v, int axis)
{
    wf_index ix[MAX_RANK];
    Shape s, t;
    uint32_t k;

    if (!shape_of(c, x, fn, &s) || !axis_of(c, fn, axis, s.rank, &k) ||
        !shape_of(c, index, fn, &t))
        return WF_NONE;
    if (t.rank > 1 || !dtype_is_int(wf_dtype_of(c, index)))
        return tensor_fail(c, WF_ERR_SHAPE,
                     "%s: the index must be a vector of integers, got %s", fn,
                     shape_text(c, tensor_get(c, index, fn)));
    scope_open(c);
    if (t.rank == 0)
        index = wf_expand_dims(c, index, 0);
    return scope_close(c, assign(c, x, slices_at(index, k, ix), (int)k + 1, v));
}

wf_tensor wf_add_slices(wf_ctx *c, wf_tensor x, wf_tensor index, wf_tensor v, int axis)
{
    return assign_slices(c, "wf_add_slices", wf_index_add, x, index, v, axis);
}

wf_tensor wf_put_slices(wf_ctx *c, wf_tensor x, wf_tensor index, wf_tensor v, int axis)
{
    return assign_slices(c, "wf_put_slices", wf_index_set, x, index, v, axis);
}

/* v without what lies beyond index along any axis. */
static wf_tensor cut_to(wf_ctx *c, const char *fn, wf_tensor v, wf_tensor index)
{
    Shape s, t;

    if (!shape_of(c, v, fn, &s) || !shape_of(c, index, fn, &t) || s.rank != t.rank)
        return v;
    for (uint32_t i = 0; i < s.rank && !failed(c); i++)
        if (s.d[i] > t.d[i] && t.d[i] >= 0)
            v = slice_axis(c, v, i, 0, t.d[i]);
    return v;
}

/* What stays where nothing may: the identity of the op, at the places that are written
 * to. */
static wf_tensor cleared(wf_ctx *c, const char *fn, wf_tensor x, wf_tensor index,
                         int axis, wf_scatter_kind kind)
{
    wf_dtype d = wf_dtype_of(c, x);
    double huge = dtype_is_float(d) ? (double)INFINITY : 0,
           v = kind == WF_SCATTER_MUL ? 1 : 0;
    wf_tensor e;

    if (kind == WF_SCATTER_MAX || kind == WF_SCATTER_MIN) {
        if (huge == 0) /* integers have no infinity: their extremes */
            return tensor_fail(c, WF_ERR_UNSUPPORTED,
                         "%s: the old value of integers must count", fn);
        v = kind == WF_SCATTER_MAX ? -huge : huge;
    }
    e = wf_full(c, d, NULL, 0, v);
    return index_put_along(c, fn, OP_scatter, x, index, e, axis);
}

wf_tensor wf_scatter_along(wf_ctx *c, wf_tensor x, wf_tensor index, wf_tensor v, int axis,
                           wf_scatter_kind kind, bool with_old)
{
    static const uint16_t ops[] = {OP_scatter,     OP_scatter_add, OP_scatter_mul,
                                   OP_scatter_max, OP_scatter_min, OP_scatter_add};
    const char *fn = "wf_scatter_along";
    wf_tensor y, n, one;

    if (kind < WF_SCATTER_SET || kind > WF_SCATTER_MEAN)
        return tensor_fail(c, WF_ERR_ARG, "%s: %d is no kind", fn, (int)kind);
    scope_open(c);
    v = cut_to(c, fn, v, index);
    if (!with_old && kind != WF_SCATTER_SET)
        x = cleared(c, fn, x, index, axis, kind);
    y = index_put_along(c, fn, (OpCode)ops[kind], x, index, v, axis);
    if (kind == WF_SCATTER_MEAN) {
        one = wf_full(c, wf_dtype_of(c, x), NULL, 0, 1);
        n = with_old ? wf_ones_like(c, x) : wf_zeros_like(c, x);
        n = wf_maximum(c, index_put_along(c, fn, OP_scatter_add, n, index, one, axis), one);
        y = dtype_is_float(wf_dtype_of(c, x)) ? wf_div(c, y, n) : wf_floor_div(c, y, n);
    }
    return scope_close(c, y);
}
