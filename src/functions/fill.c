/* fill.c -- tensors with a pattern: ranges, diagonals, triangles, one-hot rows. */
#include "functions/functions.h"

#include <math.h>

/* Element i is start + i*step, computed in double (exactly for integers below 2^53) and rounded once. */
static wf_tensor progression(wf_ctx *c, wf_dtype dtype, double start, double step,
                             int64_t n)
{
    Tensor *t = tensor_new(c, dtype, &n, 1);
    size_t size = wf_dtype_size(dtype);

    for (int64_t i = 0; t && i < n; i++)
        element_from_f64(dtype, start + (double)i * step,
                         (char *)tensor_data(t) + (size_t)i * size);
    return tensor_handle(c, t);
}

wf_tensor wf_arange(wf_ctx *c, wf_dtype dtype, double start, double stop, double step)
{
    IN_CALL(c);
    bool symbolic;
    double n;

    if (!tensor_check_shape(c, "wf_arange", dtype, NULL, 0, &symbolic))
        return WF_NONE;
    n = ceil((stop - start) / step);
    if (step == 0 || !isfinite(n) || n > 1e15)
        return tensor_fail(c, WF_ERR_VALUE,
                     "wf_arange: the number of steps is not a size (is the step 0?)");
    return progression(c, dtype, start, step, n > 0 ? (int64_t)n : 0);
}

wf_tensor wf_linspace(wf_ctx *c, wf_dtype dtype, double start, double stop, int64_t n,
                      bool endpoint)
{
    IN_CALL(c);
    bool symbolic;
    double step;
    wf_tensor t;

    if (!tensor_check_shape(c, "wf_linspace", dtype, NULL, 0, &symbolic))
        return WF_NONE;
    if (n < 0)
        return tensor_fail(c, WF_ERR_VALUE,
                     "wf_linspace: needs a number of points >= 0, got %lld",
                     (long long)n);
    step = (stop - start) / (double)(endpoint ? (n > 1 ? n - 1 : 1) : (n ? n : 1));
    t = progression(c, dtype, start, step, n);
    if (!wf_is_none(t) && endpoint && n > 1) /* the last point exactly */
        element_from_f64(dtype, stop,
                         (char *)tensor_data(tensor_get(c, t, "wf_linspace")) +
                             (size_t)(n - 1) * wf_dtype_size(dtype));
    return t;
}

#define NUMBERED_MOST 16384 /* places along an axis that are numbered by one line */

/* row + k `cmp` column. In programs these are fused, and recognised, as they are; at once they are numbered by a column and a row, but
 * where the matrix is so large that there is no room for it, which its numbers say before any of them is written. */
static wf_tensor compare_places(wf_ctx *c, wf_dtype dtype, int64_t rows, int64_t cols,
                                int k, OpCode cmp)
{
    const bool whole = (c && c->tensors && c->tensors->trace) || rows > NUMBERED_MOST || cols > NUMBERED_MOST;
    int64_t down[2] = {rows, whole ? cols : 1}, across[2] = {whole ? rows : 1, cols};
    wf_tensor r, q, t;

    scope_open(c);
    r = wf_add(c, wf_iota(c, WF_I64, down, 2, 0), wf_int(c, k));
    q = wf_iota(c, WF_I64, across, 2, 1);
    if (!whole) {
        r = wf_broadcast_to(c, r, (int64_t[]){rows, cols}, 2);
        q = wf_broadcast_to(c, q, (int64_t[]){rows, cols}, 2);
    }
    t = wf_cast(c, op_2(c, cmp, r, q, NULL), dtype);
    return scope_close(c, t);
}

wf_tensor wf_eye(wf_ctx *c, wf_dtype dtype, int64_t rows, int64_t cols, int k)
{
    return compare_places(c, dtype, rows, cols, k, OP_eq);
}

wf_tensor wf_tri(wf_ctx *c, wf_dtype dtype, int64_t rows, int64_t cols, int k)
{
    return compare_places(c, dtype, rows, cols, k, OP_ge);
}

wf_tensor wf_one_hot(wf_ctx *c, wf_tensor index, int64_t classes, wf_dtype dtype)
{
    Shape s;
    wf_tensor t;

    if (!shape_of(c, index, "wf_one_hot", &s))
        return WF_NONE;
    if (!dtype_is_int(wf_dtype_of(c, index)))
        return tensor_fail(c, WF_ERR_TYPE, "wf_one_hot: needs integers, got %s",
                     shape_text(c, tensor_get(c, index, "wf_one_hot")));
    if (s.rank == MAX_RANK)
        return tensor_fail(c, WF_ERR_LIMIT, "wf_one_hot: the result would have rank %d",
                     MAX_RANK + 1);
    scope_open(c);
    s.d[s.rank] = 1;
    t = wf_reshape(c, index, s.d, (int)s.rank + 1);
    s.d[s.rank] = classes;
    t = wf_eq(c, t, wf_iota(c, wf_dtype_of(c, index), s.d, (int)s.rank + 1, -1));
    return scope_close(c, wf_cast(c, t, dtype));
}
