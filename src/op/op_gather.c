/* op_gather.c -- windows of an array at computed places: gather, and the numbering it
 * shares with scatter.
 *
 *   y[b.., o..] = x[start(b..) + o..]      start from the index vector indices[b..,:]
 *
 * index.h says which axes are which. The transpose of reading is adding: scatter_add.
 */
#include "op/index.h"

#include <stddef.h>

const char *const op_index_modes[] = {"clip", "fill", "drop", "promised", NULL};

/* ---- rows -------------------------------------------------------------------------- */

bool gather_is_rows(const GatherAttr *a, Type x, Type indices, uint32_t *out_axis)
{
    uint32_t axis = *out_axis = a->start_index_map.n == 1 ? (uint32_t)a->start_index_map.v[0] : 0;
    bool rows = a->start_index_map.n == 1 && a->collapsed.n == 1 && a->collapsed.v[0] == axis && !a->operand_batching.n &&
                a->mode != INDEX_FILL && indices.rank && indices.dims[indices.rank - 1] == 1 && x.dims[axis] != 0;

    for (uint32_t i = 0; rows && i < x.rank; i++)
        rows = a->slice_sizes.v[i] == (i == axis ? 1 : x.dims[i]);
    return rows;
}

void gather_rows_order(const GatherAttr *a, uint32_t axis, uint32_t nb, uint32_t rank, int64_t *out_from)
{
    uint32_t no = 0, nn = 0;

    for (uint32_t i = 0; i < rank; i++) {
        if (ints_have(a->offset_dims, i)) {
            out_from[i] = no < axis ? no : no + nb;
            no++;
        } else {
            out_from[i] = axis + nn++;
        }
    }
}

/* ---- numbering --------------------------------------------------------------------- */

Numbering numbering_gather(const GatherAttr *a)
{
    return (Numbering){a->offset_dims,      a->collapsed,       a->operand_batching,
                       a->indices_batching, a->start_index_map, "offset_dims",
                       "collapsed",         "start_index_map"};
}

Numbering numbering_scatter(const ScatterAttr *a)
{
    return (Numbering){a->update_window,    a->inserted,     a->operand_batching,
                       a->indices_batching, a->operand_dims, "update_window",
                       "inserted",          "operand_dims"};
}

/* The batching axes come in pairs of equal size. */
static bool check_batching(TypeRule *t, const Numbering *m, Type x, Type indices)
{
    if (!check_axes(t, "operand_batching", m->operand_batching, x.rank, true) ||
        !check_axes(t, "indices_batching", m->indices_batching, indices.rank - 1u, false))
        return false;
    if (m->operand_batching.n != m->indices_batching.n)
        return type_fail(t, WF_ERR_VALUE,
                         "operand_batching has %u entries, but indices_batching %u",
                         m->operand_batching.n, m->indices_batching.n);
    for (uint32_t i = 0; i < m->operand_batching.n; i++) {
        int64_t p = m->operand_batching.v[i], q = m->indices_batching.v[i];
        if (ints_have(m->collapsed, p) || ints_have(m->map, p))
            return type_fail(t, WF_ERR_VALUE,
                             "axis %lld is in operand_batching and in %s", (long long)p,
                             ints_have(m->map, p) ? m->map_key : m->collapsed_key);
        if (x.dims[p] != indices.dims[q])
            return type_fail(
                t, WF_ERR_SHAPE, "batching axis %lld of %s and %lld of %s differ in size",
                (long long)p, type_show(t, x), (long long)q, type_show(t, indices));
    }
    return true;
}

bool numbering_check(TypeRule *t, const Numbering *m, Type x, Type indices)
{
    uint32_t parts = m->window.n + m->collapsed.n + m->operand_batching.n;

    if (!dtype_is_int((wf_dtype)indices.dtype))
        return type_fail(t, WF_ERR_TYPE, "indices are %s, but must be integers",
                         type_show(t, indices));
    if (!indices.rank || indices.dims[indices.rank - 1] != (Dim)m->map.n)
        return type_fail(t, WF_ERR_SHAPE,
                         "indices are %s, but need a last axis of size %u for %s",
                         type_show(t, indices), m->map.n, m->map_key);
    if (m->window.n > MAX_RANK || indices.rank - 1u + m->window.n > MAX_RANK)
        return type_fail(t, WF_ERR_LIMIT,
                         "%s with %u entries and indices %s make more than %d axes",
                         m->window_key, m->window.n, type_show(t, indices), MAX_RANK);
    if (!check_axes(t, m->window_key, m->window, indices.rank - 1u + m->window.n, true) ||
        !check_axes(t, m->collapsed_key, m->collapsed, x.rank, true) ||
        !check_axes(t, m->map_key, m->map, x.rank, false) ||
        !check_batching(t, m, x, indices))
        return false;
    if (parts != x.rank)
        return type_fail(
            t, WF_ERR_VALUE,
            "%s, %s and operand_batching have %u entries together, but %s has %u axes",
            m->window_key, m->collapsed_key, parts, type_show(t, x), x.rank);
    return true;
}

void numbering_axes(const Numbering *m, uint32_t operand_rank, uint32_t result_rank,
                    Axes *out)
{
    out->nwindow = out->nbatch = 0;
    for (uint32_t i = 0; i < operand_rank; i++)
        if (!ints_have(m->collapsed, i) && !ints_have(m->operand_batching, i))
            out->operand[out->nwindow++] = i;
    for (uint32_t i = 0; i < result_rank; i++)
        if (!ints_have(m->window, i))
            out->batch[out->nbatch++] = i;
}

/* clip: moved so that the window fits. fill, drop: out if any part of the window is.
 * promised: a window that does not fit is an error. */
Fit op_window_start(Eval *e, const Numbering *m, const Axes *ax, const Nd *x,
                    const Nd *indices, int32_t mode, const int64_t *size,
                    const int64_t *at, int64_t *start)
{
    int64_t row = 0;

    for (uint32_t i = 0; i < x->rank; i++)
        start[i] = 0;
    for (uint32_t i = 0; i < ax->nbatch; i++)
        row = row * indices->dims[i] + at[ax->batch[i]];
    for (uint32_t k = 0; k < m->map.n; k++)
        start[m->map.v[k]] = nd_int(indices, row * (int64_t)m->map.n + k);
    for (uint32_t j = 0; j < m->operand_batching.n; j++)
        start[m->operand_batching.v[j]] = at[ax->batch[m->indices_batching.v[j]]];
    for (uint32_t i = 0; i < x->rank; i++) {
        int64_t last = x->dims[i] - size[i];
        if (start[i] >= 0 && start[i] <= last)
            continue;
        if (mode == INDEX_FILL || mode == INDEX_DROP)
            return FIT_OUT;
        if (last < 0 || mode == INDEX_PROMISED) {
            eval_fail(
                e, WF_ERR_INDEX,
                "a window of %lld at %lld does not fit axis %u, which has size %lld",
                (long long)size[i], (long long)start[i], i, (long long)x->dims[i]);
            return FIT_ERROR;
        }
        start[i] = start[i] < 0 ? 0 : last;
    }
    return FIT_IN;
}

Ints ints_shifted(Builder *b, Ints a)
{
    int64_t *v = arena_array(&b->arena, a.n, sizeof *v);

    for (uint32_t i = 0; i < a.n; i++)
        v[i] = a.v[i] + 1;
    return (Ints){a.n, v};
}

Ints ints_shifted_after(Builder *b, Ints a, int64_t first)
{
    int64_t *v = arena_array(&b->arena, a.n + 1u, sizeof *v);

    v[0] = first;
    for (uint32_t i = 0; i < a.n; i++)
        v[i + 1] = a.v[i] + 1;
    return (Ints){a.n + 1, v};
}

/* ---- gather ------------------------------------------------------------------------ */

/* Every window can lie inside x. fill: if none can, all is filled; and no window is no
 * problem. */
static bool check_windows(TypeRule *t, const GatherAttr *a, Type x, const Dim *dims,
                          uint32_t rank)
{
    bool empty = false;

    for (uint32_t i = 0; i < rank; i++)
        empty = empty || dims[i] == 0;
    for (uint32_t i = 0; i < x.rank; i++) {
        Dim n = a->slice_sizes.v[i];
        bool single = ints_have(a->collapsed, i),
             batching = ints_have(a->operand_batching, i);
        if ((single || batching) && n != 1)
            return type_fail(t, WF_ERR_VALUE,
                             "slice_sizes[%u] is %s, but axis %u is in %s: 1 is needed",
                             i, dim_show(t, n), i,
                             single ? "collapsed" : "operand_batching");
        if (is_negative(t, n))
            return type_fail(t, WF_ERR_VALUE,
                             "slice_sizes[%u] is %s, but sizes are not negative", i,
                             dim_show(t, n));
        if (!batching && !empty && a->mode != INDEX_FILL &&
            is_negative(t, dim_sub(t->dims, x.dims[i], n)))
            return type_fail(t, WF_ERR_SHAPE,
                             "slice_sizes[%u] is %s, but axis %u of %s has size %s", i,
                             dim_show(t, n), i, type_show(t, x), dim_show(t, x.dims[i]));
    }
    return true;
}

static bool type_gather(TypeRule *t)
{
    const GatherAttr *a = t->attr;
    Numbering m = numbering_gather(a);
    Type x = t->in[0], indices = t->in[1];
    uint32_t rank;
    Dim dims[MAX_RANK];
    Axes ax;

    if (a->mode == INDEX_DROP)
        return type_fail(t, WF_ERR_VALUE,
                         "mode is drop, but clip, fill or promised is needed");
    if (!numbering_check(t, &m, x, indices) ||
        !check_entries(t, "slice_sizes", a->slice_sizes, false))
        return false;
    rank = indices.rank - 1u + a->offset_dims.n;
    numbering_axes(&m, x.rank, rank, &ax);
    for (uint32_t i = 0; i < ax.nwindow; i++)
        dims[a->offset_dims.v[i]] = a->slice_sizes.v[ax.operand[i]];
    for (uint32_t i = 0; i < ax.nbatch; i++)
        dims[ax.batch[i]] = indices.dims[i];
    if (!check_windows(t, a, x, dims, rank))
        return false;
    type_out(t, (wf_dtype)x.dtype, dims, rank);
    return true;
}

static bool eval_gather(Eval *e)
{
    const GatherAttr *a = e->attr;
    Numbering m = numbering_gather(a);
    const Nd *x = &e->in[0], *y = &e->out[0];
    int64_t at[MAX_RANK] = {0}, start[MAX_RANK], stride[MAX_RANK], i = 0;
    Scalar fill = scalar_cast(WF_F64, y->dtype, (Scalar){.f = a->fill});
    Axes ax;

    numbering_axes(&m, x->rank, y->rank, &ax);
    nd_strides(x->dims, x->rank, stride);
    if (!y->count)
        return true;
    do {
        Fit fit = op_window_start(e, &m, &ax, x, &e->in[1], a->mode, a->slice_sizes.v, at,
                                  start);
        if (fit == FIT_ERROR)
            return false;
        for (uint32_t k = 0; k < ax.nwindow; k++)
            start[ax.operand[k]] += at[a->offset_dims.v[k]];
        if (fit == FIT_IN)
            nd_copy(y, i, x, nd_flat(start, stride, x->rank));
        else
            scalar_store(y->dtype, y->data, i, fill);
        i++;
    } while (nd_next(y->dims, y->rank, at));
    return true;
}

/* dy = gather dx, where windows out of range are the constant `fill`: 0 */
static void jvp_gather(Builder *b, const EqnView *e, const Val *dx, Val *dy)
{
    GatherAttr a = *(const GatherAttr *)e->attr;

    a.fill = 0;
    if (dx[0] != VAL_NONE)
        dy[0] = b_gather(b, dx[0], e->in[1], &a);
}

/*   y[b.., o..] = x[start(b..) + o..]
 *   gx = zeros with gy[b.., o..] added at start(b..) + o..
 */
static void transpose_gather(Builder *b, const EqnView *e, const Val *gy, Val *gx)
{
    const GatherAttr *a = e->attr;
    ScatterAttr s = {
        .update_window = a->offset_dims,
        .inserted = a->collapsed,
        .operand_batching = a->operand_batching,
        .indices_batching = a->indices_batching,
        .operand_dims = a->start_index_map,
        .mode = a->mode == INDEX_FILL ? INDEX_DROP : a->mode,
    };

    gx[0] = b_scatter(b, OP_scatter_add, b_zeros(b, e->in_type[0]), e->in[1], gy[0], &s);
}

/* Only x: the batch is one more window axis, taken whole. Only indices: one more batch
 * axis. Both: a pair of batching axes. All come first. */
static void batch_gather(Builder *b, const EqnView *e, const Batch *bt, Val *out,
                         int *out_axis)
{
    const GatherAttr *a = e->attr;
    bool x = bt->axis[0] >= 0, indices = bt->axis[1] >= 0;
    int64_t sizes[MAX_RANK + 1];
    GatherAttr to = *a;
    Val in[2];

    batch_front(b, e, bt, false, in);
    to.offset_dims = x && !indices ? ints_shifted_after(b, a->offset_dims, 0)
                                   : ints_shifted(b, a->offset_dims);
    if (x) {
        to.collapsed = ints_shifted(b, a->collapsed);
        to.operand_batching = ints_shifted(b, a->operand_batching);
        to.start_index_map = ints_shifted(b, a->start_index_map);
        to.slice_sizes = insert_entry(a->slice_sizes, 0, indices ? 1 : bt->size, sizes);
    }
    if (indices)
        to.indices_batching = ints_shifted(b, a->indices_batching);
    if (x && indices) {
        to.operand_batching = ints_shifted_after(b, a->operand_batching, 0);
        to.indices_batching = ints_shifted_after(b, a->indices_batching, 0);
    }
    out[0] = b_gather(b, in[0], in[1], &to);
    out_axis[0] = 0;
}

static const AttrField attrs_gather[] = {
    FIELD(GatherAttr, offset_dims, A_INTS, 0),
    FIELD(GatherAttr, collapsed, A_INTS, 0),
    FIELD(GatherAttr, operand_batching, A_INTS, 0),
    FIELD(GatherAttr, indices_batching, A_INTS, 0),
    FIELD(GatherAttr, start_index_map, A_INTS, 0),
    FIELD(GatherAttr, slice_sizes, A_DIMS, 0),
    FIELD_ENUM(GatherAttr, mode, INDEX_CLIP, op_index_modes),
    FIELD(GatherAttr, fill, A_F64, 0),
    FIELD_END,
};

const OpRow op_row_gather = {
    .attrs = attrs_gather,
    .attr_size = sizeof(GatherAttr),
    .type = type_gather,
    .eval = eval_gather,
    .along = along_gather,
    .lower = {.kind = LOWER_INDEX},
};
const OpRules op_rules_gather = {
    .doc =
        DOC("y[b.., o..] = x[start(b..) + o..]: windows of x, any dtype, of\n"
            "slice_sizes, starting where the index vectors (the last axis of the\n"
            "integer indices) say; axes are numbered as StableHLO's gather does. A\n"
            "window that does not fit: mode clip (the standard) moves it inside, fill\n"
            "gives the number `fill` (cast to the dtype, 0 if left out) for the whole\n"
            "window, promised says it does not happen: eval reports it as an index\n"
            "error."),
    .jvp = jvp_gather,
    .transpose = transpose_gather,
    .batch = batch_gather,
};
