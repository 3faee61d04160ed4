/* simplify_window.c -- sums over windows that are plain sums or repetitions: average
 * pooling over all of an image, or without overlap, and its gradient.
 *
 *   window_of_tiles    windows side by side (stride = window, no padding):
 *                      x as [.., n/w, w, ..], summed over w
 *   window_of_spread   windows as long as the gaps put into x: each meets one element,
 *                      x as [.., n, c, ..] by a broadcast
 *
 * Only the axes that the window covers need constant sizes.
 */
#include "opt/simplify.h"

static int64_t entry(Ints list, uint32_t i, int64_t standard)
{
    return list.n ? list.v[i] : standard;
}

/* An axis on which nothing happens. */
static bool is_idle(const WindowAttr *a, uint32_t i)
{
    return a->window.v[i] == 1 && entry(a->stride, i, 1) == 1 &&
           entry(a->base_dilation, i, 1) == 1 && entry(a->pad_lo, i, 0) == 0 &&
           entry(a->pad_hi, i, 0) == 0;
}

Val window_of_tiles(Rewriter *r, Val v, Eqn e)
{
    Builder *b = r->b;
    const WindowAttr *a = e.attr;
    Val x = b->args.v[e.args];
    Type t = b_type(b, x);
    Dim shape[2 * MAX_RANK];
    int64_t axes[MAX_RANK];
    uint32_t n = 0, naxes = 0;

    (void)v;
    for (uint32_t i = 0; i < t.rank; i++) {
        int64_t w = a->window.v[i];

        if (is_idle(a, i)) {
            shape[n++] = t.dims[i];
            continue;
        }
        if (!dim_is_const(t.dims[i]) || w < 1 || t.dims[i] % w || t.dims[i] == 0 ||
            entry(a->stride, i, 1) != w || entry(a->window_dilation, i, 1) != 1 ||
            entry(a->base_dilation, i, 1) != 1 || entry(a->pad_lo, i, 0) != 0 ||
            entry(a->pad_hi, i, 0) != 0)
            return VAL_NONE;
        shape[n++] = t.dims[i] / w;
        axes[naxes++] = n;
        shape[n++] = w;
    }
    if (!naxes || n > MAX_RANK)
        return VAL_NONE;
    x = rw_reshape(r, x, shape, n);
    return b_failed(b) ? VAL_NONE
                       : rw_eqn(r, OP_reduce_sum, &x, 1, &(ReduceAttr){{naxes, axes}});
}

Val window_of_spread(Rewriter *r, Val v, Eqn e)
{
    Builder *b = r->b;
    const WindowAttr *a = e.attr;
    Val x = b->args.v[e.args];
    Type t = b_type(b, x), out = b_type(b, v);
    Dim shape[2 * MAX_RANK];
    int64_t dims[MAX_RANK];
    uint32_t n = 0;

    for (uint32_t i = 0; i < t.rank; i++) {
        int64_t c = entry(a->base_dilation, i, 1);

        dims[i] = n;
        shape[n++] = t.dims[i];
        if (is_idle(a, i))
            continue;
        if (!dim_is_const(t.dims[i]) || t.dims[i] == 0 || c < 2 || a->window.v[i] != c ||
            entry(a->stride, i, 1) != 1 || entry(a->window_dilation, i, 1) != 1 ||
            entry(a->pad_lo, i, 0) != c - 1 || entry(a->pad_hi, i, 0) != c - 1)
            return VAL_NONE;
        shape[n++] = c;
    }
    if (n == t.rank || n > MAX_RANK)
        return VAL_NONE;
    x = rw_broadcast(r, x, (Ints){n, shape}, dims);
    return b_failed(b) ? VAL_NONE : rw_reshape(r, x, out.dims, out.rank);
}
