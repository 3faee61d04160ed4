/* mask.c -- masks: filling, selecting and assigning where they are true.
 *
 * x[mask] = v needs no places where v is the same for all of them: it is a select. Where
 * v has a row for each true element, row k goes to the k-th: the running count of the
 * mask says which. So both work in programs, where the number of true elements is not
 * known.
 */
#include "functions/functions.h"

wf_tensor wf_masked_fill(wf_ctx *c, wf_tensor x, wf_tensor mask, double value)
{
    wf_tensor v;

    scope_open(c);
    v = wf_full(c, wf_dtype_of(c, x), NULL, 0, value);
    return scope_close(c, wf_where(c, mask, v, x));
}

wf_tensor wf_masked_select(wf_ctx *c, wf_tensor x, wf_tensor mask)
{
    wf_tensor in[2] = {x, mask}, y = WF_NONE;

    scope_open(c);
    if (wf_dtype_of(c, mask) != WF_BOOL)
        tensor_fail(c, WF_ERR_TYPE, "wf_masked_select: needs a mask of bools");
    if (!failed(c) && broadcast_all(c, "wf_masked_select", in, 2))
        y = wf_index_get(c, in[0], &(wf_index){.kind = WF_INDEX_TENSOR, .tensor = in[1]},
                         1);
    return scope_close(c, y);
}

/* Row k of v (its first axis) goes to the k-th true element of mask, in row-major order;
 * mask has the shape of x's first axes. */
static wf_tensor spread_rows(wf_ctx *c, wf_tensor x, wf_tensor mask, wf_tensor v)
{
    Shape m;
    Dim n;
    wf_tensor count, rows;

    if (!shape_of(c, mask, "wf_masked_scatter", &m))
        return WF_NONE;
    n = size_prod(c, m.d, m.rank);
    count = wf_cumsum(c, wf_cast(c, wf_reshape(c, mask, &n, 1), WF_I64), 0, false);
    count = wf_maximum(c, wf_sub(c, count, wf_int(c, 1)), wf_int(c, 0));
    rows = wf_take(c, v, wf_reshape(c, count, m.d, (int)m.rank), 0);
    for (int k = wf_rank(c, x) - (int)m.rank; k > 0; k--)
        mask = wf_expand_dims(c, mask, -1);
    return wf_where(c, mask, rows, x);
}

wf_tensor wf_masked_scatter(wf_ctx *c, wf_tensor x, wf_tensor mask, wf_tensor source)
{
    wf_tensor in[2] = {x, mask}, y = WF_NONE;
    Shape s;
    Dim n;

    scope_open(c);
    if (wf_dtype_of(c, mask) != WF_BOOL)
        tensor_fail(c, WF_ERR_TYPE, "wf_masked_scatter: needs a mask of bools");
    if (!failed(c) && broadcast_all(c, "wf_masked_scatter", in, 2) &&
        shape_of(c, source, "wf_masked_scatter", &s)) {
        n = size_prod(c, s.d, s.rank);
        if (!wf_is_symbolic(c, in[1]) && n >= 0 &&
            wf_item(c, wf_count_nonzero(c, in[1], NULL, 0)) > (double)n)
            tensor_fail(
                c, WF_ERR_SHAPE,
                "wf_masked_scatter: the mask has more true elements than the %lld given",
                (long long)n);
        else if (n == 0)
            y = in[0];
        else
            y = spread_rows(c, in[0], in[1],
                            wf_cast(c, wf_reshape(c, source, &n, 1), wf_dtype_of(c, x)));
    }
    return scope_close(c, y);
}

/* Is the index full slices, one mask, and nothing else? *before: how many axes come
 * before it. */
static bool find_mask(wf_ctx *c, const Shape *s, const wf_index *ix, int n, int *at,
                      uint32_t *before)
{
    int masks = 0;
    uint32_t axes = 0;

    *at = -1;
    for (int i = 0; ix && i < n; i++) {
        bool all = ix[i].kind == WF_INDEX_SLICE && !ix[i].has_start && !ix[i].has_stop &&
                   (!ix[i].has_step || ix[i].step == 1);
        if (ix[i].kind == WF_INDEX_TENSOR && wf_dtype_of(c, ix[i].tensor) == WF_BOOL) {
            masks++;
            *at = i;
            *before = axes;
        } else if (ix[i].kind == WF_INDEX_ELLIPSIS ? i != n - 1 : !all) {
            return false;
        }
        axes++;
    }
    return masks == 1 && !failed(c) &&
           *before + (uint32_t)wf_rank(c, ix[*at].tensor) <= s->rank;
}

bool mask_assign(wf_ctx *c, const char *fn, OpCode op, wf_tensor x, const Shape *s,
                 const wf_index *ix, int n, wf_tensor v, wf_tensor *out)
{
    Shape m, t, wide = {0};
    uint32_t before = 0, after;
    wf_tensor mask;
    int at;

    *out = WF_NONE;
    if ((op != OP_scatter && op != OP_scatter_add) ||
        !find_mask(c, s, ix, n, &at, &before) || !shape_of(c, ix[at].tensor, fn, &m) ||
        !shape_of(c, v, fn, &t))
        return failed(c);
    mask = ix[at].tensor;
    for (uint32_t k = 0; k < m.rank; k++)
        if (!size_same(c, m.d[k], s->d[before + k]))
            return failed(c); /* the other way says what is wrong */
    after = s->rank - before - m.rank;
    if (t.rank > after &&
        t.d[t.rank - after - 1] != 1) { /* a row for each true element */
        if (!wf_is_symbolic(c, mask) || before || op != OP_scatter || t.rank != after + 1)
            return false;
        *out = spread_rows(c, x, mask, wf_cast(c, v, wf_dtype_of(c, x)));
        return true;
    }
    if (t.rank > after) { /* the axis of true elements stands for those of the mask */
        for (uint32_t k = 0; k < t.rank - after - 1; k++)
            wide.d[wide.rank++] = t.d[k];
        for (uint32_t k = 0; k < m.rank; k++)
            wide.d[wide.rank++] = 1;
        for (uint32_t k = 0; k < after; k++)
            wide.d[wide.rank++] = t.d[t.rank - after + k];
        v = wf_reshape(c, v, wide.d, (int)wide.rank);
    }
    for (uint32_t k = 0; k < after; k++)
        mask = wf_expand_dims(c, mask, -1);
    v = broadcast_to(c, fn, wf_cast(c, v, wf_dtype_of(c, x)), s->d, s->rank);
    *out = wf_where(c, mask, op == OP_scatter ? v : wf_add(c, x, v), x);
    return true;
}
