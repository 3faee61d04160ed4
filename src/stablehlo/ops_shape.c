/* ops_shape.c -- constants, ops that move elements, gather and scatter. */
#include "stablehlo/stablehlo.h"

bool hlo_constant_op(Hlo *h, const HloRule *r)
{
    const HloAttr *a = hlo_get(h, "");

    (void)r;
    a = a ? a : hlo_get(h, "value");
    if (!a || a->kind != HLO_DENSE)
        return hlo_op_fail(h, WF_ERR_FORMAT, "no numbers");
    return hlo_out(h, hlo_constant(h, a));
}

bool hlo_iota(Hlo *h, const HloRule *r)
{
    int64_t axis;
    Type t = hlo_out_type(h, 0);

    (void)r;
    if (failed(h->cx) || !hlo_int(h, hlo_get(h, "dim") ? "dim" : "iota_dimension", 0, &axis))
        return false;
    if (axis < 0 || axis >= t.rank)
        return hlo_op_fail(h, WF_ERR_FORMAT, "axis %lld of a value of %d", (long long)axis, t.rank);
    if (dtype_is_complex((wf_dtype)t.dtype))
        return hlo_out(h, b_cast(h->s->b, b_iota(h->s->b, dtype_part((wf_dtype)t.dtype), t.dims, t.rank, (uint32_t)axis), (wf_dtype)t.dtype));
    return hlo_out(h, b_iota(h->s->b, (wf_dtype)t.dtype, t.dims, t.rank, (uint32_t)axis));
}

bool hlo_broadcast(Hlo *h, const HloRule *r)
{
    Builder *b = h->s->b;
    int64_t dims[2 * MAX_RANK], sorted[MAX_RANK], perm[MAX_RANK];
    uint32_t n, rank;
    Val x = hlo_in(h, 0);
    Type to = hlo_out_type(h, 0);

    (void)r;
    if (failed(h->cx) || !hlo_ints(h, hlo_get(h, "dims") ? "dims" : "broadcast_dimensions", dims, &n))
        return false;
    rank = b_rank(b, x);
    if (n != rank)
        return hlo_op_fail(h, WF_ERR_FORMAT, "%u axes of a value of %u", n, rank);
    for (uint32_t i = 0; i < n; i++) { /* put into increasing order */
        uint32_t at = 0;

        if (dims[i] < 0 || dims[i] >= to.rank)
            return hlo_op_fail(h, WF_ERR_FORMAT, "axis %lld of a value of %d", (long long)dims[i], to.rank);
        for (uint32_t k = 0; k < n; k++)
            at += dims[k] < dims[i] || (dims[k] == dims[i] && k < i);
        sorted[at] = dims[i];
        perm[at] = i;
    }
    return hlo_out(h, b_broadcast(b, b_transpose(b, x, perm), to.dims, to.rank, sorted));
}

bool hlo_reshape(Hlo *h, const HloRule *r)
{
    Val x = hlo_in(h, 0);
    Type to = hlo_out_type(h, 0);

    (void)r;
    return !failed(h->cx) && hlo_out(h, b_reshape(h->s->b, x, to.dims, to.rank));
}

/* A list of axes of operand 0, each in range. */
static bool axes_of(Hlo *h, const char *key, const char *other, uint32_t rank, int64_t *v, uint32_t *n)
{
    if (!hlo_ints(h, hlo_get(h, key) ? key : other, v, n))
        return false;
    for (uint32_t i = 0; i < *n; i++)
        if (v[i] < 0 || v[i] >= rank)
            return hlo_op_fail(h, WF_ERR_FORMAT, "axis %lld of a value of %u", (long long)v[i], rank);
    return true;
}

bool hlo_transpose(Hlo *h, const HloRule *r)
{
    int64_t perm[2 * MAX_RANK];
    uint32_t n;
    Val x = hlo_in(h, 0);

    (void)r;
    if (failed(h->cx) || !axes_of(h, "dims", "permutation", b_rank(h->s->b, x), perm, &n))
        return false;
    if (n != b_rank(h->s->b, x))
        return hlo_op_fail(h, WF_ERR_FORMAT, "%u axes of a value of %u", n, b_rank(h->s->b, x));
    return hlo_out(h, b_transpose(h->s->b, x, perm));
}

bool hlo_reverse(Hlo *h, const HloRule *r)
{
    int64_t axes[2 * MAX_RANK];
    uint32_t n;
    Val x = hlo_in(h, 0);

    (void)r;
    if (failed(h->cx) || !axes_of(h, "dims", "dimensions", b_rank(h->s->b, x), axes, &n))
        return false;
    for (uint32_t i = 1; i < n; i++)
        for (uint32_t k = i; k && axes[k - 1] > axes[k]; k--) {
            int64_t t = axes[k];
            axes[k] = axes[k - 1];
            axes[k - 1] = t;
        }
    return hlo_out(h, b_rev(h->s->b, x, axes, n));
}

/* %x [0:2, 1:5:2] */
bool hlo_slice(Hlo *h, const HloRule *r)
{
    int64_t start[2 * MAX_RANK], limit[2 * MAX_RANK], stride[2 * MAX_RANK], one[2 * MAX_RANK];
    uint32_t n, k, rank;
    const HloAttr *a = hlo_get(h, "");
    Val x = hlo_in(h, 0);

    (void)r;
    if (failed(h->cx))
        return false;
    rank = b_rank(h->s->b, x);
    if (!a && !(hlo_ints(h, "start_indices", start, &n) && hlo_ints(h, "limit_indices", limit, &k) && n == rank && k == rank &&
                hlo_ints(h, "strides", stride, &k) && k == rank))
        return failed(h->cx) ? false : hlo_op_fail(h, WF_ERR_FORMAT, "needed a range for each of %u axes", rank);
    if (a && (a->kind != HLO_LIST || a->items.n != rank))
        return hlo_op_fail(h, WF_ERR_FORMAT, "needed a range for each of %u axes", rank);
    for (uint32_t i = 0; a && i < rank; i++) {
        if (!hlo_ints_of(h, a->items.v[i], one, &k))
            return false;
        if (k < 2 || k > 3)
            return hlo_op_fail(h, WF_ERR_FORMAT, "a range of %u numbers", k);
        start[i] = one[0];
        limit[i] = one[1];
        stride[i] = k == 3 ? one[2] : 1;
    }
    for (uint32_t i = 0; i < rank; i++)
        if (start[i] < 0 || limit[i] < start[i] || stride[i] < 1)
            return hlo_op_fail(h, WF_ERR_FORMAT, "range %lld:%lld:%lld", (long long)start[i], (long long)limit[i], (long long)stride[i]);
    return hlo_out(h, b_slice(h->s->b, x, start, limit, stride));
}

bool hlo_dynamic_slice(Hlo *h, const HloRule *r)
{
    int64_t sizes[2 * MAX_RANK];
    uint32_t n;
    Val x = hlo_in(h, 0), starts[MAX_RANK];

    (void)r;
    if (failed(h->cx) || !hlo_ints(h, hlo_get(h, "sizes") ? "sizes" : "slice_sizes", sizes, &n))
        return false;
    if (n != b_rank(h->s->b, x) || h->op->in.n != n + 1)
        return hlo_op_fail(h, WF_ERR_FORMAT, "%u starts and %u sizes of a value of %u axes", h->op->in.n - 1, n, b_rank(h->s->b, x));
    for (uint32_t i = 0; i < n; i++)
        if (starts[i] = hlo_in(h, i + 1), sizes[i] < 0)
            return hlo_op_fail(h, WF_ERR_FORMAT, "size %lld", (long long)sizes[i]);
    return !failed(h->cx) && hlo_out(h, b_dynamic_slice(h->s->b, x, starts, sizes));
}

bool hlo_dynamic_update_slice(Hlo *h, const HloRule *r)
{
    Val x = hlo_in(h, 0), update = hlo_in(h, 1), starts[MAX_RANK];

    (void)r;
    if (failed(h->cx))
        return false;
    if (h->op->in.n != b_rank(h->s->b, x) + 2)
        return hlo_op_fail(h, WF_ERR_FORMAT, "%u starts of a value of %u axes", h->op->in.n - 2, b_rank(h->s->b, x));
    for (uint32_t i = 0; i < b_rank(h->s->b, x); i++)
        starts[i] = hlo_in(h, i + 2);
    return !failed(h->cx) && hlo_out(h, b_dynamic_update_slice(h->s->b, x, update, starts));
}

bool hlo_concatenate(Hlo *h, const HloRule *r)
{
    uint32_t n = h->op->in.n;
    Val *in = arena_array(h->t->a, n, sizeof *in);
    int64_t axis;

    (void)r;
    for (uint32_t i = 0; i < n; i++)
        in[i] = hlo_in(h, i);
    if (failed(h->cx) || !hlo_int(h, hlo_get(h, "dim") ? "dim" : "dimension", 0, &axis))
        return false;
    if (axis < 0 || axis >= b_rank(h->s->b, in[0]))
        return hlo_op_fail(h, WF_ERR_FORMAT, "axis %lld of a value of %u", (long long)axis, b_rank(h->s->b, in[0]));
    return hlo_out(h, b_concat(h->s->b, in, n, (uint32_t)axis));
}

bool hlo_pad(Hlo *h, const HloRule *r)
{
    int64_t lo[2 * MAX_RANK], hi[2 * MAX_RANK], inner[2 * MAX_RANK];
    uint32_t n, k, m, rank;
    Val x = hlo_in(h, 0), value = hlo_in(h, 1);
    Dim dlo[MAX_RANK], dhi[MAX_RANK];

    (void)r;
    if (failed(h->cx) || !hlo_ints(h, hlo_get(h, "low") ? "low" : "edge_padding_low", lo, &n) ||
        !hlo_ints(h, hlo_get(h, "high") ? "high" : "edge_padding_high", hi, &k) ||
        !hlo_ints(h, hlo_get(h, "interior") ? "interior" : "interior_padding", inner, &m))
        return false;
    rank = b_rank(h->s->b, x);
    if (n != rank || k != rank || m != rank)
        return hlo_op_fail(h, WF_ERR_FORMAT, "needed three numbers for each of %u axes", rank);
    for (uint32_t i = 0; i < rank; i++) {
        dlo[i] = dim_const(&h->s->b->dims, lo[i]);
        dhi[i] = dim_const(&h->s->b->dims, hi[i]);
    }
    return hlo_out(h, b_pad(h->s->b, x, value, dlo, dhi, inner));
}

/* ---- gather, scatter ----------------------------------------------------------------------------------------------- */

/* The indices with their vectors along the last axis. */
static Val last_vectors(Hlo *h, Val indices, const HloAttr *dims)
{
    Builder *b = h->s->b;
    const HloAttr *a = hlo_field(dims, "index_vector_dim");
    int64_t at = a && a->kind == HLO_INT ? a->i : 0;
    uint32_t rank = b_rank(b, indices);

    if (at < 0 || at > rank)
        return hlo_op_fail(h, WF_ERR_FORMAT, "index vectors along axis %lld of %u", (long long)at, rank), VAL_NONE;
    return at == rank ? b_expand(b, indices, rank) : b_move_axis(b, indices, (uint32_t)at, rank - 1);
}

typedef struct IndexDims { /* lists of the attribute, with room for them */
    int64_t v[6][2 * MAX_RANK];
    Ints list[6];
} IndexDims;

static bool index_dims(Hlo *h, const HloAttr *a, const char *const *keys, uint32_t n, IndexDims *out)
{
    if (!a || a->kind != HLO_DICT)
        return hlo_op_fail(h, WF_ERR_FORMAT, "no dimension numbers");
    for (uint32_t i = 0; i < n; i++) {
        uint32_t count;

        if (!hlo_ints_of(h, hlo_field(a, keys[i]), out->v[i], &count))
            return false;
        out->list[i] = (Ints){count, out->v[i]};
    }
    return true;
}

bool hlo_gather(Hlo *h, const HloRule *r)
{
    static const char *const keys[] = {"offset_dims", "collapsed_slice_dims", "operand_batching_dims", "start_indices_batching_dims",
                                       "start_index_map"};
    const HloAttr *dims = hlo_get(h, "dimension_numbers");
    int64_t sizes[2 * MAX_RANK];
    uint32_t n;
    IndexDims d;
    Val x = hlo_in(h, 0), indices = hlo_in(h, 1);

    (void)r;
    if (failed(h->cx) || !index_dims(h, dims, keys, 5, &d) || !hlo_ints(h, "slice_sizes", sizes, &n))
        return false;
    indices = last_vectors(h, indices, dims);
    for (uint32_t i = 0; i < n; i++)
        if (sizes[i] < 0)
            return hlo_op_fail(h, WF_ERR_FORMAT, "size %lld", (long long)sizes[i]);
    return !failed(h->cx) &&
           hlo_out(h, b_gather(h->s->b, x, indices,
                               &(GatherAttr){.offset_dims = d.list[0], .collapsed = d.list[1], .operand_batching = d.list[2],
                                             .indices_batching = d.list[3], .start_index_map = d.list[4], .slice_sizes = {n, sizes},
                                             .mode = INDEX_CLIP}));
}

/* What a scatter of unique indices does to each element: its region, of the element there and the update. */
static Val scatter_any(Hlo *h, const Program *p, Val x, Val indices, Val updates, const ScatterAttr *a)
{
    Builder *b = h->s->b;
    Type t = b_type(b, x), u = b_type(b, updates);
    int64_t sizes[MAX_RANK], offsets[MAX_RANK];
    uint32_t k = 0;
    GatherAttr g = {.collapsed = a->inserted, .operand_batching = a->operand_batching, .indices_batching = a->indices_batching,
                    .start_index_map = a->operand_dims, .mode = INDEX_CLIP};
    Val in[2], out[1];

    for (uint32_t i = 0; i < t.rank; i++) {
        bool gone = false;

        for (uint32_t j = 0; j < a->inserted.n; j++)
            gone |= a->inserted.v[j] == i;
        for (uint32_t j = 0; j < a->operand_batching.n; j++)
            gone |= a->operand_batching.v[j] == i;
        if (!gone && (k >= a->update_window.n || a->update_window.v[k] < 0 || a->update_window.v[k] >= u.rank))
            return hlo_op_fail(h, WF_ERR_FORMAT, "windows that do not fit"), VAL_NONE;
        offsets[k] = gone ? 0 : a->update_window.v[k];
        sizes[i] = gone ? 1 : u.dims[a->update_window.v[k++]];
    }
    g.offset_dims = (Ints){k, offsets};
    g.slice_sizes = (Ints){t.rank, sizes};
    in[0] = b_gather(b, x, indices, &g);
    in[1] = updates;
    if (failed(h->cx) || !hlo_apply(h, p, in, 2, out))
        return VAL_NONE;
    return b_scatter(b, OP_scatter, x, indices, out[0], a);
}

/* Any region, indices that may be equal: one window after the other, in order. */
static Val scatter_each(Hlo *h, const Program *p, Val x, Val indices, Val updates, const ScatterAttr *a)
{
    Builder *b = h->s->b;
    Type t = b_type(b, x), u = b_type(b, updates), ix = b_type(b, indices);
    int64_t perm[MAX_RANK], window[MAX_RANK];
    Dim rows = 1, dims[MAX_RANK];
    uint32_t k = 0, nw = a->update_window.n, got;
    HloScope body = {.outer = h->s, .b = builder_new(h->cx, "window", B_OPTIMISE)};
    ScatterAttr one = {.update_window = {nw, window}, .inserted = a->inserted, .operand_dims = a->operand_dims, .mode = INDEX_DROP, .unique = true};
    ScanAttr scan = {.ncarry = 1};
    Val in[3], y, *out;

    for (uint32_t i = 0; i + 1 < ix.rank; i++)
        rows *= ix.dims[i];
    if (a->operand_batching.n || nw >= u.rank + 1u || u.rank != ix.rank - 1u + nw)
        return hlo_op_fail(h, WF_ERR_UNSUPPORTED, "a region that is no primitive, on indices with batches"), VAL_NONE;
    for (uint32_t i = 0, w = 0; i < u.rank; i++)
        if (w < nw && a->update_window.v[w] == i)
            w++;
        else
            perm[k++] = i;
    dims[0] = rows;
    for (uint32_t w = 0; w < nw; w++) {
        if (k >= u.rank || a->update_window.v[w] < 0 || a->update_window.v[w] >= u.rank)
            return hlo_op_fail(h, WF_ERR_FORMAT, "windows that do not fit"), VAL_NONE;
        perm[k++] = a->update_window.v[w];
        window[w] = w;
        dims[w + 1] = u.dims[a->update_window.v[w]];
    }
    in[0] = x;
    in[1] = b_reshape(b, indices, (Dim[]){rows, ix.dims[ix.rank - 1]}, 2);
    in[2] = b_reshape(b, b_transpose(b, updates, perm), dims, nw + 1);
    h->s = &body;
    Val at = b_input(body.b, NULL, b_make_type(body.b, (wf_dtype)t.dtype, t.dims, t.rank));
    Val index = b_input(body.b, NULL, b_make_type(body.b, (wf_dtype)ix.dtype, ix.dims + ix.rank - 1, 1));
    Val update = b_input(body.b, NULL, b_make_type(body.b, (wf_dtype)u.dtype, dims + 1, nw));
    y = failed(h->cx) ? VAL_NONE : scatter_any(h, p, at, index, update, &one);
    h->s = body.outer;
    scan.length = rows;
    if (failed(h->cx) || !(scan.body.p = builder_finish(body.b, &y, 1)) || !(out = b_eqn_n(b, OP_scan, in, 3, &scan, &got)))
        return VAL_NONE;
    return out[0];
}

bool hlo_scatter(Hlo *h, const HloRule *r)
{
    static const char *const keys[] = {"update_window_dims", "inserted_window_dims", "input_batching_dims",
                                       "scatter_indices_batching_dims", "scatter_dims_to_operand_dims"};
    const HloAttr *dims = hlo_get(h, "scatter_dimension_numbers");
    Builder *b = h->s->b;
    IndexDims d;
    Val x = hlo_in(h, 0), indices = hlo_in(h, 1), updates = hlo_in(h, 2);
    const Program *p;
    ScatterAttr a;
    int kind;

    (void)r;
    if (failed(h->cx) || !index_dims(h, dims, keys, 5, &d))
        return false;
    if (h->op->in.n != 3 || h->op->regions.n != 1)
        return hlo_op_fail(h, WF_ERR_UNSUPPORTED, "several operands at once");
    indices = last_vectors(h, indices, dims);
    if (failed(h->cx) || !(p = hlo_region_program(h, h->op->regions.v[0])))
        return false;
    if (p->nin != 2 || p->nout != 1)
        return hlo_op_fail(h, WF_ERR_FORMAT, "its region is not one of two scalars");
    a = (ScatterAttr){d.list[0], d.list[1], d.list[2], d.list[3], d.list[4], INDEX_DROP, hlo_is_true(h, "unique_indices")};
    kind = hlo_kind(p);
    if (b_dtype(b, x) == WF_BOOL)
        kind = kind == OP_or ? OP_max : kind == OP_and ? OP_min : kind;
    if (kind == OP_const || kind == OP_add || kind == OP_mul || kind == OP_min || kind == OP_max)
        return hlo_out(h, b_scatter(b, kind == OP_const ? OP_scatter : kind == OP_add ? OP_scatter_add : kind == OP_mul ? OP_scatter_mul
                                       : kind == OP_min ? OP_scatter_min : OP_scatter_max, x, indices, updates, &a));
    if (kind == OP_sub)
        return hlo_out(h, b_scatter(b, OP_scatter_add, x, indices, b_neg(b, updates), &a));
    return hlo_out(h, a.unique ? scatter_any(h, p, x, indices, updates, &a) : scatter_each(h, p, x, indices, updates, &a));
}

/* ---- tuples --------------------------------------------------------------------------------------------------------- */

bool hlo_tuple(Hlo *h, const HloRule *r)
{
    (void)r;
    return hlo_op_fail(h, WF_ERR_UNSUPPORTED, "tuples");
}

bool hlo_get_tuple_element(Hlo *h, const HloRule *r) { return hlo_tuple(h, r); }
