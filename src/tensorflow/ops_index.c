/* ops_index.c -- gathers, scatters, diagonals, segments, the largest elements. */
#include "tensorflow/ops.h"

static wf_tensor i64(OxRun *r, int64_t v) { return wf_from(r->c, WF_I64, NULL, 0, &v); }

/* ---- gathers -------------------------------------------------------------------------------------------------- */

/* [B.., P, inner..], [B.., I..] -> [B.., I.., inner..]: the batches are put one after the other. */
static wf_tensor gather_batched(OxRun *r, wf_tensor x, wf_tensor ix, int batch)
{
    wf_ctx *c = r->c;
    int64_t d[WF_MAX_RANK], e[WF_MAX_RANK], to[2 * WF_MAX_RANK], nb = 1, inner = 1,
                                                                 ni = 1;
    int rank = wf_rank(c, x), ri = wf_rank(c, ix), n = 0;
    wf_tensor base, factor;

    wf_shape(c, x, d, rank);
    wf_shape(c, ix, e, ri);
    for (int i = 0; i < batch; i++)
        nb = wf_size_mul(c, nb, d[i]);
    for (int i = batch; i < ri; i++)
        ni = wf_size_mul(c, ni, e[i]);
    for (int i = batch + 1; i < rank; i++)
        inner = wf_size_mul(c, inner, d[i]);
    factor = ox_num_tensor(r, ox_num_size(d[batch]));
    base = wf_mul(c, wf_reshape(c, ox_iota(r, nb), (int64_t[]){nb, 1}, 2), factor);
    ix = wf_add(c, wf_reshape(c, wf_cast(c, ix, WF_I64), (int64_t[]){nb, ni}, 2), base);
    x = wf_take(c, wf_reshape(c, x, (int64_t[]){wf_size_mul(c, nb, d[batch]), inner}, 2),
                ix, 0);
    for (int i = 0; i < ri; i++)
        to[n++] = e[i];
    for (int i = batch + 1; i < rank; i++)
        to[n++] = d[i];
    if (n > WF_MAX_RANK)
        return ox_fail(r, WF_ERR_LIMIT, "rank %d", n), WF_NONE;
    return wf_reshape(c, x, to, n);
}

/* arg 1: without an axis */
TG_RULE(gather)
{
    wf_tensor x = ox_in(r, 0), ix = ox_in(r, 1);
    int axis = 0, batch = (int)tg_int(r, "batch_dims", 0);

    if (!ox_ok(r) || (!op->arg && !tg_axis_in(r, 2, wf_rank(r->c, x), &axis)))
        return false;
    batch = batch < 0 ? batch + wf_rank(r->c, ix) : batch;
    if (batch > 0 && (batch != axis || batch > wf_rank(r->c, ix)))
        return ox_fail(r, WF_ERR_UNSUPPORTED, "%d batch axes and axis %d", batch, axis);
    return ox_put(r, 0,
                  batch > 0 ? gather_batched(r, x, ix, batch)
                            : wf_take(r->c, x, wf_cast(r->c, ix, WF_I64), axis));
}

/* ---- scatters --------------------------------------------------------------------------------------------------- */

/* The last axis of ix holds places in the first axes of x. */
static int places(OxRun *r, wf_tensor x, wf_tensor ix, wf_index *at)
{
    wf_ctx *c = r->c;
    int n = wf_rank(c, ix);
    int64_t depth = n ? wf_size(c, ix, n - 1) : -1;

    if (depth < 1 || depth > wf_rank(c, x))
        return ox_fail(r, WF_ERR_SHAPE, "indices of %lld axes", (long long)depth), -1;
    for (int i = 0; i < depth; i++)
        at[i] = wf_at_tensor(wf_cast(
            c, wf_index_get(c, ix, (wf_index[]){wf_at_rest(), wf_at_int(i)}, 2), WF_I64));
    return (int)depth;
}

TG_RULE(scatter_nd)
{
    wf_tensor ix = ox_in(r, 0), v = ox_in(r, 1), x;
    int64_t dims[WF_MAX_RANK];
    wf_index at[WF_MAX_RANK];
    int rank, n;

    (void)op;
    if (!ox_ok(r) || !tg_dims(r, 2, dims, &rank))
        return false;
    x = tg_zeros(r, wf_dtype_of(r->c, v), dims, rank);
    n = ox_ok(r) ? places(r, x, ix, at) : -1;
    return n >= 0 && ox_put(r, 0, wf_index_add(r->c, x, at, n, v));
}

/* arg: 0 set, 1 add, 2 subtract */
TG_RULE(tensor_scatter)
{
    wf_tensor x = ox_in(r, 0), ix = ox_in(r, 1), v = ox_in(r, 2);
    wf_index at[WF_MAX_RANK];
    int n = ox_ok(r) ? places(r, x, ix, at) : -1;

    if (n < 0)
        return false;
    return ox_put(r, 0,
                  op->arg
                      ? wf_index_add(r->c, x, at, n, op->arg == 2 ? wf_neg(r->c, v) : v)
                      : wf_index_set(r->c, x, at, n, v));
}

TG_RULE(one_hot)
{
    wf_ctx *c = r->c;
    wf_tensor ix = ox_in(r, 0), on = ox_in(r, 2), off = ox_in(r, 3), hit;
    int rank = ox_ok(r) ? wf_rank(c, ix) : 0, n, axis = (int)tg_int(r, "axis", -1);
    const OxNum *depth = ox_nums(r, 1, &n);
    int64_t dims[WF_MAX_RANK], size;
    wf_tensor shaped;

    (void)op;
    axis = axis < 0 ? rank : axis;
    if (!depth || n != 1 || !ox_ok(r) || axis > rank || rank + 1 > WF_MAX_RANK)
        return ox_ok(r) ? ox_fail(r, WF_ERR_SHAPE, "axis %d of rank %d", axis, rank)
                        : false;
    size = ox_size(r, depth[0]);
    wf_shape(c, ix, dims, rank);
    dims[rank] = size;
    if (!ox_bounded(r, dims, rank + 1, OX_FILLED))
        return false;
    for (int i = 0; i <= rank; i++)
        dims[i] = i == axis ? size : 1;
    shaped = wf_reshape(c, ox_iota(r, size), dims, rank + 1);
    hit = wf_eq(c, wf_expand_dims(c, wf_cast(c, ix, WF_I64), axis), shaped);
    return ox_put(r, 0, wf_where(c, hit, on, off));
}

TG_RULE(where)
{
    (void)op;
    return ox_put(r, 0, wf_nonzero(r->c, ox_in(r, 0)));
}

TG_RULE(unique)
{
    const TgAttr *a = tg_attr(r, "out_idx");
    wf_dtype d = a && tg_dtype(a->type) == WF_I64 ? WF_I64 : WF_I32;
    wf_tensor x = ox_in(r, 0), values = WF_NONE;

    (void)op, (void)d;
    /* TensorFlow keeps the order in which values come first; sorted ones are the same only if x is concrete */
    if (!ox_ok(r))
        return false;
    if (!ox_concrete(r, ox_value(r, 0), &values))
        return ox_fail(
            r, WF_ERR_UNSUPPORTED,
            "of a tensor that depends on inputs: how many values there are is not known");
    int64_t n = wf_count(r->c, x), kept = 0, *v, *first, *index, *count;
    if (n < 0 || n > OX_FILLED || wf_dtype_is_float(wf_dtype_of(r->c, x)))
        return ox_fail(r, WF_ERR_UNSUPPORTED, "of other than integers");
    v = ox_alloc(&r->mem, (size_t)n + 1, 8);
    first = ox_alloc(&r->mem, (size_t)n + 1, 8);
    index = ox_alloc(&r->mem, (size_t)n + 1, 8);
    count = ox_alloc(&r->mem, (size_t)n + 1, 8);
    if (!v || !first || !index || !count || n > 65536 ||
        wf_read(r->c, wf_copy(r->c, wf_cast(r->c, values, WF_I64)), v, (size_t)n * 8))
        return ox_ok(r) ? ox_fail(r, WF_ERR_LIMIT, "of %lld elements", (long long)n)
                        : false;
    for (int64_t i = 0; i < n; i++) {
        int64_t k = 0;

        while (k < kept && first[k] != v[i])
            k++;
        first[k] = v[i];
        kept += k == kept;
        index[i] = k;
        count[k]++;
    }
    ox_put(r, 0,
           wf_cast(r->c, wf_from(r->c, WF_I64, &kept, 1, first), wf_dtype_of(r->c, x)));
    ox_put(r, 1, wf_cast(r->c, wf_from(r->c, WF_I64, &n, 1, index), d));
    ox_put(r, 2, wf_cast(r->c, wf_from(r->c, WF_I64, &kept, 1, count), d));
    return ox_ok(r);
}

/* ---- the largest -------------------------------------------------------------------------------------------------- */

/* arg 1: k is an attribute */
TG_RULE(top_k)
{
    wf_tensor x = ox_in(r, 0), values = WF_NONE, index = WF_NONE;
    int n;
    const OxNum *k = op->arg ? NULL : ox_nums(r, 1, &n);

    if (!ox_ok(r) || wf_rank(r->c, x) < 1)
        return ox_ok(r) ? ox_fail(r, WF_ERR_SHAPE, "a scalar") : false;
    wf_top_k(r->c, x, k ? ox_size(r, k[0]) : tg_int(r, "k", 1), wf_rank(r->c, x) - 1,
             true, &values, &index);
    ox_put(r, 0, values);
    return ox_put(r, 1, wf_cast(r->c, index, WF_I32));
}

/* Is the target among the k best? Those that are as good count as worse. */
TG_RULE(in_top_k)
{
    wf_ctx *c = r->c;
    wf_tensor x = ox_in(r, 0), target = ox_in(r, 1), own, better;
    int last = 1;

    if (!ox_ok(r))
        return false;
    own = wf_take_along(c, x, wf_expand_dims(c, wf_cast(c, target, WF_I64), 1), 1);
    better = wf_sum(c, wf_cast(c, wf_gt(c, x, own), WF_I64), &last, 1, false);
    return ox_put(
        r, 0,
        wf_lt(c, better,
              op->arg ? i64(r, tg_int(r, "k", 1)) : wf_cast(c, ox_in(r, 2), WF_I64)));
}

/* ---- diagonals ------------------------------------------------------------------------------------------------------ */

/* arg: 0 of a vector (or more: batches) a matrix, 1 of matrices their diagonal, 2 matrices with another diagonal */
TG_RULE(diagonal)
{
    wf_ctx *c = r->c;
    wf_tensor x = ox_in(r, 0), v = op->arg == 2 ? ox_in(r, 1) : x, eye;
    int rank = ox_ok(r) ? wf_rank(c, x) : 0, axes[2] = {rank - 2, rank - 1};
    int64_t k[2] = {0, 0}, m, n;
    int given = 0;

    if (ox_nin(r) > 1 && op->arg != 2 &&
        (!ox_numbers(r, 1, k, 2, &given) || k[0] || (given > 1 && k[1])))
        return ox_ok(r) ? ox_fail(r, WF_ERR_UNSUPPORTED, "diagonals beside the main one")
                        : false;
    if (rank < (op->arg ? 2 : 1))
        return ox_ok(r) ? ox_fail(r, WF_ERR_SHAPE, "rank %d", rank) : false;
    if (op->arg == 0) {
        n = wf_size(c, x, rank - 1);
        eye = wf_eye(c, WF_BOOL, n, n, 0);
        return ox_put(r, 0,
                      wf_where(c, eye, wf_expand_dims(c, x, rank), ox_like(r, 0, x)));
    }
    m = wf_size(c, x, rank - 2);
    n = wf_size(c, x, rank - 1);
    if (op->arg == 1) {
        (void)axes;
        return ox_put(r, 0, wf_diagonal(c, x, 0));
    }
    eye = wf_eye(c, WF_BOOL, m, n, 0);
    if (!wf_size_equal(c, m, n))
        return ox_fail(r, WF_ERR_UNSUPPORTED, "of matrices that are not square");
    return ox_put(r, 0, wf_where(c, eye, wf_expand_dims(c, v, rank - 1), x));
}

/* Elements with i - j <= lower and j - i <= upper; below 0: all of that side. */
TG_RULE(band_part)
{
    wf_ctx *c = r->c;
    wf_tensor x = ox_in(r, 0), i, j, keep;
    int64_t lower, upper, dims[2];
    int rank = ox_ok(r) ? wf_rank(c, x) : 0, n;

    (void)op;
    if (rank < 2 || !ox_numbers(r, 1, &lower, 1, &n) || !ox_numbers(r, 2, &upper, 1, &n))
        return ox_ok(r) ? ox_fail(r, WF_ERR_SHAPE, "rank %d", rank) : false;
    dims[0] = wf_size(c, x, rank - 2);
    dims[1] = wf_size(c, x, rank - 1);
    i = wf_iota(c, WF_I64, dims, 2, 0);
    j = wf_iota(c, WF_I64, dims, 2, 1);
    keep = wf_full_like(c, wf_eq(c, i, i), 1);
    if (lower >= 0)
        keep = wf_logical_and(c, keep, wf_le(c, wf_sub(c, i, j), i64(r, lower)));
    if (upper >= 0)
        keep = wf_logical_and(c, keep, wf_le(c, wf_sub(c, j, i), i64(r, upper)));
    return ox_put(r, 0, wf_where(c, keep, x, ox_like(r, 0, x)));
}

/* ---- segments ---------------------------------------------------------------------------------------------------------- */

/* Of segments in order there are as many as the last id says: a size that a run finds, if the ids come out of data. */
static int64_t sorted_segments(OxRun *r, wf_tensor ids)
{
    wf_ctx *c = r->c;
    wf_tensor n = wf_add(c, wf_maximum(c, wf_max(c, wf_cast(c, ids, WF_I64), NULL, 0, false), wf_int(c, -1)), wf_int(c, 1));

    return wf_size_from(c, n);
}

/* How many rows each segment has. */
static wf_tensor segment_counts(OxRun *r, wf_tensor ids, int64_t count, wf_dtype d, int rank)
{
    int64_t n = wf_size(r->c, ids, 0), dims[WF_MAX_RANK];
    wf_tensor ones = wf_broadcast_to(r->c, wf_scalar(r->c, d, 1), &n, 1);
    wf_tensor cast;

    for (int i = 0; i < rank; i++)
        dims[i] = i ? 1 : count;
    cast = wf_cast(r->c, ids, WF_I64);
    return wf_reshape(r->c, wf_add_slices(r->c, tg_zeros(r, d, &count, 1), cast, ones, 0), dims, rank);
}

#define SORTED 8 /* segments without a row are 0, but products, which are 1 */
#define MEAN   4

/* Rows of x added (0), multiplied (1), the largest (2), the least (3) by segment; as many as input 2 says. */
TG_RULE(segment)
{
    wf_ctx *c = r->c;
    static const wf_scatter_kind kinds[] = {WF_SCATTER_ADD, WF_SCATTER_MUL,
                                            WF_SCATTER_MAX, WF_SCATTER_MIN};
    wf_tensor x = ox_in(r, 0), ids = ox_in(r, 1), to, ix;
    int64_t dims[WF_MAX_RANK], one[WF_MAX_RANK];
    int n, rank, ri, kind = op->arg & 3;
    const OxNum *count = op->arg & SORTED ? NULL : ox_nums(r, 2, &n);
    wf_dtype d;

    if (!ox_ok(r) || (!count && !(op->arg & SORTED)))
        return false;
    d = wf_dtype_of(c, x);
    rank = wf_rank(c, x);
    ri = wf_rank(c, ids);
    if (ri != 1)
        return ox_fail(r, WF_ERR_UNSUPPORTED, "segments of rank %d", ri);
    wf_shape(c, x, dims, rank);
    for (int i = 0; i < rank; i++)
        one[i] = i ? 1 : dims[0];
    ix =
        wf_broadcast_to(c, wf_reshape(c, wf_cast(c, ids, WF_I64), one, rank), dims, rank);
    dims[0] = count ? ox_size(r, count[0]) : sorted_segments(r, ids);
    if (!ox_bounded(r, dims, rank, OX_FILLED))
        return false;
    if (kind == 0) {
        wf_tensor cast = wf_cast(c, ids, WF_I64);
        wf_tensor sum = wf_add_slices(c, tg_zeros(r, d, dims, rank), cast, x, 0);

        return ox_put(r, 0, op->arg & MEAN ? wf_div(c, sum, wf_maximum(c, segment_counts(r, ids, dims[0], d, rank), wf_scalar(c, d, 1))) : sum);
    }
    to = wf_broadcast_to(c,
                         wf_scalar(c, d,
                                   kind == 1   ? 1
                                   : kind == 2 ? -3.4028234663852886e38
                                               : 3.4028234663852886e38),
                         dims, rank);
    to = wf_scatter_along(c, to, ix, x, 0, kinds[kind], true);
    if (kind > 1 && (op->arg & SORTED))
        to = wf_where(c, wf_gt(c, segment_counts(r, ids, dims[0], d, rank), wf_scalar(c, d, 0)), to, wf_scalar(c, d, 0));
    return ox_put(r, 0, to);
}

/* out[indices[k][i]] = data[k][i], for indices that are known */
TG_RULE(dynamic_stitch)
{
    wf_ctx *c = r->c;
    size_t n = ox_nin(r) / 2;
    int64_t size = 0, v[OX_MAX];
    wf_tensor out = WF_NONE;

    (void)op;
    for (size_t k = 0; k < n; k++) {
        int count;

        if (!ox_numbers(r, k, v, OX_MAX, &count))
            return false;
        for (int i = 0; i < count; i++) {
            if (v[i] < 0 || v[i] >= OX_MAX)
                return ox_fail(r, WF_ERR_VALUE, "index %lld", (long long)v[i]);
            size = MAX(size, v[i] + 1);
        }
    }
    for (size_t k = 0; k < n && ox_ok(r); k++) {
        wf_tensor ix = wf_cast(c, ox_in(r, k), WF_I64), x = ox_in(r, n + k);
        int64_t dims[WF_MAX_RANK];
        int ri = wf_rank(c, ix), rank = wf_rank(c, x);

        if (!ox_ok(r) || ri > 1)
            return ox_ok(r) ? ox_fail(r, WF_ERR_UNSUPPORTED, "indices of rank %d", ri)
                            : false;
        if (ri == 0) {
            ix = wf_expand_dims(c, ix, 0);
            x = wf_expand_dims(c, x, 0);
            rank++;
        }
        if (!k) {
            wf_shape(c, x, dims, rank);
            dims[0] = size;
            out = tg_zeros(r, wf_dtype_of(c, x), dims, rank);
        }
        out = wf_put_slices(c, out, ix, x, 0);
    }
    return ox_put(r, 0, out);
}

TG_RULE(reverse_sequence)
{
    OxAttr attrs[] = {tg_attr_int("time_axis", tg_int(r, "seq_dim", 0)),
                      tg_attr_int("batch_axis", tg_int(r, "batch_dim", 0))};

    (void)op;
    return tg_as(r, oxr_reverse_sequence, 0, (int[]){0, 1}, 2, attrs, 2);
}
