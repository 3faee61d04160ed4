/* strided.c -- views that strides alone can give: diagonals, sliding windows, any sizes
 * and strides.
 *
 * Concrete   the same memory, seen with other strides (view_strided)
 * Symbolic   there is no memory: a gather, into whose base writes are scattered (view.c)
 */
#include "functions/functions.h"

/* The tensor, if it is concrete. */
static const Tensor *memory_of(wf_ctx *c, wf_tensor x, const char *fn)
{
    const Tensor *t = tensor_get(c, x, fn);

    return t && !t->symbolic ? t : NULL;
}

/* The diagonal of the last two axes, k above the main one. */
wf_tensor wf_diagonal(wf_ctx *c, wf_tensor x, int k)
{
    Shape s;
    int64_t n, up = MAX(k, 0), down = MAX(-(int64_t)k, 0), strides[MAX_RANK];
    uint32_t row, col;
    const Tensor *t;
    wf_tensor i;

    if (!shape_of(c, x, "wf_diagonal", &s))
        return WF_NONE;
    if (s.rank < 2 || ((s.d[s.rank - 1] < 0 || s.d[s.rank - 2] < 0) &&
                       s.d[s.rank - 1] != s.d[s.rank - 2]))
        return tensor_fail(c, WF_ERR_SHAPE,
                     "wf_diagonal: needs two last axes of constant or equal size, got %s",
                     shape_text(c, tensor_get(c, x, "wf_diagonal")));
    row = s.rank - 2;
    col = s.rank - 1;
    n = s.d[row] < 0 ? size_sub_or_zero(c, s.d[row], up + down)
                     : MAX(MIN(s.d[row] - down, s.d[col] - up), 0);
    if ((t = memory_of(c, x, "wf_diagonal")) != NULL) {
        memcpy(strides, t->strides, row * sizeof *strides);
        strides[row] = t->strides[row] + t->strides[col];
        s.d[row] = n;
        return view_strided(c, x, (wf_dtype)t->dtype, s.d, strides, col,
                            t->offset + (n ? up * t->strides[col] + down * t->strides[row] : 0));
    }
    scope_open(c);
    i = wf_iota(c, WF_I64, &n, 1, 0);
    return scope_close(
        c, index_get(c, x,
                     (wf_index[]){{.kind = WF_INDEX_ELLIPSIS},
                                  wf_at_tensor(wf_add(c, i, wf_int(c, down))),
                                  wf_at_tensor(wf_add(c, i, wf_int(c, up)))},
                     3, true));
}

/* Windows of `size` along an axis, one every `step`: their number stands on the axis, their
 * elements on a new last one. */
wf_tensor strided_unfold(wf_ctx *c, wf_tensor x, int axis, int64_t size, int64_t step)
{
    Shape s;
    Dim n;
    int64_t strides[MAX_RANK];
    uint32_t k;
    const Tensor *t;
    wf_index ix[MAX_RANK];
    wf_tensor first, in, y;

    if (!shape_of(c, x, "unfold", &s) || !axis_of(c, "unfold", axis, s.rank, &k))
        return WF_NONE;
    if (size < 0 || step <= 0 || s.rank == MAX_RANK || (s.d[k] >= 0 && size > s.d[k]))
        return tensor_fail(c, WF_ERR_VALUE, "unfold: windows of %lld, one every %lld, of %s",
                     (long long)size, (long long)step,
                     shape_text(c, tensor_get(c, x, "unfold")));
    n = size_add(c, size_div(c, size_sub(c, s.d[k], size), step), 1);
    if ((t = memory_of(c, x, "unfold")) != NULL) {
        memcpy(strides, t->strides, s.rank * sizeof *strides);
        strides[s.rank] = strides[k];
        strides[k] *= step;
        s.d[k] = n;
        s.d[s.rank] = size;
        return view_strided(c, x, (wf_dtype)t->dtype, s.d, strides, s.rank + 1, t->offset);
    }
    scope_open(c);
    first = wf_mul(c, wf_iota(c, WF_I64, &n, 1, 0), wf_int(c, step));
    in = wf_iota(c, WF_I64, &size, 1, 0);
    for (uint32_t i = 0; i < k; i++)
        ix[i] = wf_at_all();
    ix[k] = wf_at_tensor(wf_add(c, wf_expand_dims(c, first, 1), in));
    y = index_get(c, x, ix, (int)k + 1, true);
    if (size > step && !failed(c)) /* a place is in several windows */
        tensor_get(c, y, "unfold")->view_unsure = true;
    return scope_close(c, wf_move_axis(c, y, (int)k + 1, -1));
}

/* First and last place of t in its memory. */
static void extent(const Tensor *t, int64_t *lo, int64_t *hi)
{
    *lo = *hi = t->offset;
    for (uint32_t k = 0; k < t->rank; k++)
        *(t->strides[k] < 0 ? lo : hi) += (t->dims[k] - 1) * t->strides[k];
}

static wf_tensor strided_memory(wf_ctx *c, wf_tensor x, const Tensor *t, const int64_t *dims,
                                const int64_t *strides, uint32_t rank, int64_t offset)
{
    int64_t lo, hi, last = offset, count = 1;

    extent(t->root ? t->root : t, &lo, &hi);
    for (uint32_t k = 0; k < rank; k++) {
        last += (dims[k] - 1) * strides[k];
        count *= dims[k];
    }
    if (count && (offset < lo || last > hi || !t->count))
        return tensor_fail(c, WF_ERR_INDEX,
                     "as_strided: places %lld to %lld are not all in the memory of %s",
                     (long long)offset, (long long)last, shape_text(c, t));
    return view_strided(c, x, (wf_dtype)t->dtype, dims, strides, rank, offset);
}

/* Any sizes and strides over the memory of x, from a place of it on; from < 0: that of x. */
wf_tensor strided_view(wf_ctx *c, wf_tensor x, const int64_t *dims,
                            const int64_t *strides, uint32_t rank, int64_t from)
{
    IN_CALL(c);
    Tensor *t = tensor_get(c, x, "as_strided");
    wf_tensor places, flat;

    if (!t)
        return WF_NONE;
    for (uint32_t k = 0; k < rank; k++)
        if (strides[k] < 0 || (dims[k] < 0 && !t->symbolic))
            return tensor_fail(c, WF_ERR_VALUE, "as_strided: a size or stride is negative");
    if (!t->symbolic)
        return strided_memory(c, x, t, dims, strides, rank, from < 0 ? t->offset : from);
    if (from < 0 && t->base)
        return tensor_fail(c, WF_ERR_UNSUPPORTED,
                     "as_strided: of a view in a program, needs the offset");
    scope_open(c);
    places = wf_full(c, WF_I64, dims, (int)rank, (double)MAX(from, 0));
    for (uint32_t k = 0; k < rank; k++)
        places = wf_add(c, places,
                        wf_mul(c, wf_iota(c, WF_I64, dims, (int)rank, (int)k),
                               wf_int(c, strides[k])));
    flat = wf_reshape(c, tensor_handle(c, tensor_retain(view_top(t))),
                      (int64_t[]){WF_INFER}, 1);
    return scope_close(c,
                       index_get(c, flat, (wf_index[]){wf_at_tensor(places)}, 1, true));
}

/* Has it a history, or may it get one? */
static bool is_followed(const Tensor *t)
{
    return t->node || t->need || t->wants_grad || (t->root && t->root->node);
}

/* The memory of x as elements of another dtype: smaller ones stand on a new last axis, larger ones are made of the last. WF_NONE, and no
 * failure, where that is no view: where elements do not lie side by side, and, of programs and of what is recorded, where it is not complex
 * numbers as real ones or the other way round (histories know no other bits). */
wf_tensor strided_as_dtype(wf_ctx *c, wf_tensor x, wf_dtype dtype)
{
    IN_CALL(c);
    Tensor *t = tensor_get(c, x, "view"), *v;
    int64_t strides[MAX_RANK], dims[MAX_RANK], offset, old, new;
    bool parts;
    uint32_t rank;

    if (!t)
        return WF_NONE;
    parts = dtype_is_complex(dtype) != dtype_is_complex((wf_dtype)t->dtype) && dtype_part(dtype) == dtype_part((wf_dtype)t->dtype);
    if (t->symbolic)
        return parts && (!dtype_is_complex(dtype) || (t->rank && t->dims[t->rank - 1] == 2))
                   ? view_of_parts(c, x, dtype_is_complex(dtype)) : WF_NONE;
    if ((!parts && is_followed(t)) || !tensor_is_here(t))
        return WF_NONE;
    old = (int64_t)wf_dtype_size((wf_dtype)t->dtype);
    new = (int64_t)wf_dtype_size(dtype);
    rank = t->rank + (uint32_t)(new < old) - (uint32_t)(new > old);
    if (new > old && (!t->rank || t->dims[rank] != new / old || t->strides[rank] != 1 || t->offset % (new / old)))
        return WF_NONE;
    if (rank > MAX_RANK || (new < old && rank == MAX_RANK))
        return WF_NONE;
    offset = new > old ? t->offset / (new / old) : t->offset * (old / new);
    for (uint32_t k = 0; k < rank && k < t->rank; k++) {
        if (new > old && t->strides[k] % (new / old))
            return WF_NONE;
        dims[k] = t->dims[k];
        strides[k] = new > old ? t->strides[k] / (new / old) : t->strides[k] * (old / new);
    }
    if (new < old) {
        dims[t->rank] = old / new;
        strides[t->rank] = 1;
    }
    if (parts)
        return view_strided(c, x, dtype, dims, strides, rank, offset);
    v = tensor_view(c, t, dtype, dims, strides, rank, offset);
    return v ? tensor_handle(c, v) : WF_NONE;
}
