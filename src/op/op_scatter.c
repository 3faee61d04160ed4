/* op_scatter.c -- an array with windows of it changed at computed places: scatter (set),
 * scatter_add, _mul, _min, _max.
 *
 *   y = x, then for each index vector in row-major order of the indices:
 *       y[start(b..) + o..] = combine(y[start(b..) + o..], updates[b.., o..])
 *
 * index.h says which axes are which. Windows that meet apply in that order, each rounding
 * to the dtype, so the last one sets. For fixed indices scatter is linear in x and the
 * updates together, with or without duplicates, and so is scatter_add; scatter_mul is
 * linear in x for fixed updates.
 */
#include "op/index.h"

#include <stddef.h>

/* ---- type -------------------------------------------------------------------------- */

/* The dtypes each combination makes sense for: add and mul need numbers. */
static bool check_scatter_dtypes(TypeRule *t)
{
    Type x = t->in[0], u = t->in[2];

    if (x.dtype != u.dtype)
        return type_fail(t, WF_ERR_TYPE, "updates are %s, but the operand is %s",
                         type_show(t, u), type_show(t, x));
    if (x.dtype == WF_BOOL && (t->op == OP_scatter_add || t->op == OP_scatter_mul))
        return type_fail(t, WF_ERR_TYPE, "%s, but a number dtype is needed",
                         type_show(t, x));
    return true;
}

static bool type_scatter(TypeRule *t)
{
    const ScatterAttr *a = t->attr;
    Numbering m = numbering_scatter(a);
    Type x = t->in[0], indices = t->in[1], u = t->in[2];
    Axes ax;

    if (a->mode == INDEX_FILL)
        return type_fail(t, WF_ERR_VALUE,
                         "mode is fill, but clip, drop or promised is needed");
    if (!check_scatter_dtypes(t) || !numbering_check(t, &m, x, indices))
        return false;
    if (u.rank != indices.rank - 1u + a->update_window.n)
        return type_fail(t, WF_ERR_SHAPE,
                         "updates are %s, but indices %s and update_window need %u axes",
                         type_show(t, u), type_show(t, indices),
                         indices.rank - 1u + a->update_window.n);
    numbering_axes(&m, x.rank, u.rank, &ax);
    for (uint32_t i = 0; i < ax.nbatch; i++)
        if (u.dims[ax.batch[i]] != indices.dims[i])
            return type_fail(
                t, WF_ERR_SHAPE,
                "axis %lld of the updates %s and axis %u of the indices %s differ",
                (long long)ax.batch[i], type_show(t, u), i, type_show(t, indices));
    for (uint32_t i = 0; i < ax.nwindow && a->mode != INDEX_DROP; i++) {
        Dim have = x.dims[ax.operand[i]], need = u.dims[a->update_window.v[i]];
        if (is_negative(t, dim_sub(t->dims, have, need)))
            return type_fail(t, WF_ERR_SHAPE,
                             "windows of the updates %s do not fit axis %lld of %s",
                             type_show(t, u), (long long)ax.operand[i], type_show(t, x));
    }
    type_out_like(t, x);
    return true;
}

/* ---- eval -------------------------------------------------------------------------- */

static void combine_element(Eval *e, const Nd *y, int64_t i, const Nd *u, int64_t j)
{
    static const struct {
        uint16_t op, combine;
    } table[] = {{OP_scatter_add, OP_add},
                 {OP_scatter_mul, OP_mul},
                 {OP_scatter_min, OP_min},
                 {OP_scatter_max, OP_max}};
    wf_dtype t = y->dtype;

    if (e->op == OP_scatter)
        nd_copy(y, i, u, j);
    for (int k = 0; k < COUNT(table); k++)
        if (table[k].op == e->op) {
            Scalar xy[2] = {scalar_load(t, y->data, i), scalar_load(t, u->data, j)};
            unsigned op = table[k].combine;
            if (t == WF_BOOL)
                op = op == OP_min ? OP_and : OP_or;
            scalar_store(t, y->data, i, scalar_apply(op, t, xy));
        }
}

/* The outer loop runs over index vectors, the inner over their windows: at holds both
 * parts of the multi-index of the updates. */
static bool eval_scatter(Eval *e)
{
    const ScatterAttr *a = e->attr;
    Numbering m = numbering_scatter(a);
    const Nd *x = &e->in[0], *indices = &e->in[1], *u = &e->in[2], *y = &e->out[0];
    int64_t size[MAX_RANK], start[MAX_RANK], ystride[MAX_RANK], ustride[MAX_RANK];
    int64_t at[MAX_RANK] = {0}, b[MAX_RANK] = {0}, o[MAX_RANK], odims[MAX_RANK];
    Axes ax;

    if (y->data != x->data)
        memcpy(y->data, x->data, (size_t)x->count * wf_dtype_size(x->dtype));
    if (!u->count)
        return true;
    numbering_axes(&m, x->rank, u->rank, &ax);
    nd_strides(y->dims, y->rank, ystride);
    nd_strides(u->dims, u->rank, ustride);
    for (uint32_t i = 0; i < x->rank; i++)
        size[i] = 1;
    for (uint32_t i = 0; i < ax.nwindow; i++)
        size[ax.operand[i]] = odims[i] = u->dims[a->update_window.v[i]];
    do {
        Fit fit;
        for (uint32_t i = 0; i < ax.nbatch; i++)
            at[ax.batch[i]] = b[i];
        fit = op_window_start(e, &m, &ax, x, indices, a->mode, size, at, start);
        if (fit == FIT_ERROR)
            return false;
        memset(o, 0, sizeof o);
        if (fit == FIT_IN)
            do {
                int64_t to = nd_flat(start, ystride, y->rank);
                for (uint32_t i = 0; i < ax.nwindow; i++) {
                    at[a->update_window.v[i]] = o[i];
                    to += o[i] * ystride[ax.operand[i]];
                }
                combine_element(e, y, to, u, nd_flat(at, ustride, u->rank));
            } while (nd_next(odims, ax.nwindow, o));
    } while (nd_next(indices->dims, ax.nbatch, b));
    return true;
}

/* ---- what the other rules share ---------------------------------------------------- */

GatherAttr gather_of_scatter(const ScatterAttr *a, Type x, Type updates, Dim *sizes)
{
    Numbering m = numbering_scatter(a);
    Axes ax;

    numbering_axes(&m, x.rank, updates.rank, &ax);
    for (uint32_t i = 0; i < x.rank; i++)
        sizes[i] = 1;
    for (uint32_t i = 0; i < ax.nwindow; i++)
        sizes[ax.operand[i]] = updates.dims[a->update_window.v[i]];
    return (GatherAttr){
        .offset_dims = a->update_window,
        .collapsed = a->inserted,
        .operand_batching = a->operand_batching,
        .indices_batching = a->indices_batching,
        .start_index_map = a->operand_dims,
        .slice_sizes = {x.rank, sizes},
        .mode = a->mode == INDEX_DROP ? INDEX_FILL : a->mode,
    };
}

/* What lies in y (of the operand's shape) where each update goes: of the shape of the
 * updates, 0 where an update is dropped. */
static Val read_back(Builder *b, const EqnView *e, Val y)
{
    Dim sizes[MAX_RANK];
    GatherAttr g = gather_of_scatter(e->attr, e->in_type[0], e->in_type[2], sizes);

    return b_gather(b, y, e->in[1], &g);
}

static Val scatter_like(Builder *b, const EqnView *e, OpCode op, Val x, Val updates)
{
    return b_scatter(b, op, x, e->in[1], updates, e->attr);
}

static Val or_zeros(Builder *b, Val v, Type type)
{
    return v != VAL_NONE ? v : b_zeros(b, type);
}

/* Indices not batched: the batch is one more window axis. Indices batched: a pair of
 * batching axes. Either way operand and updates both get the batch, first. */
static void batch_scatter(Builder *b, const EqnView *e, const Batch *bt, Val *out,
                          int *out_axis)
{
    const ScatterAttr *a = e->attr;
    bool indices = bt->axis[1] >= 0;
    ScatterAttr to = *a;
    Val in[3];

    batch_front(b, e, bt, false, in);
    for (int i = 0; i < 3; i += 2)
        if (bt->axis[i] < 0)
            in[i] = b_broadcast_axis(b, in[i], 0, bt->size);
    to.inserted = ints_shifted(b, a->inserted);
    to.operand_dims = ints_shifted(b, a->operand_dims);
    if (indices) {
        to.update_window = ints_shifted(b, a->update_window);
        to.operand_batching = ints_shifted_after(b, a->operand_batching, 0);
        to.indices_batching = ints_shifted_after(b, a->indices_batching, 0);
    } else {
        to.update_window = ints_shifted_after(b, a->update_window, 0);
        to.operand_batching = ints_shifted(b, a->operand_batching);
    }
    out[0] = b_scatter(b, (OpCode)e->op, in[0], in[1], in[2], &to);
    out_axis[0] = 0;
}

static const AttrField attrs_scatter[] = {
    FIELD(ScatterAttr, update_window, A_INTS, 0),
    FIELD(ScatterAttr, inserted, A_INTS, 0),
    FIELD(ScatterAttr, operand_batching, A_INTS, 0),
    FIELD(ScatterAttr, indices_batching, A_INTS, 0),
    FIELD(ScatterAttr, operand_dims, A_INTS, 0),
    FIELD_ENUM(ScatterAttr, mode, INDEX_CLIP, op_index_modes),
    FIELD(ScatterAttr, unique, A_BOOL, 0),
    FIELD_END,
};

/* ---- scatter (set) ----------------------------------------------------------------- */

/* linear in x and the updates together: dy = scatter dx du */
static void jvp_scatter(Builder *b, const EqnView *e, const Val *dx, Val *dy)
{
    Val du;

    if (dx[0] == VAL_NONE && dx[2] == VAL_NONE)
        return;
    du = or_zeros(b, dx[2], e->in_type[2]);
    dy[0] = scatter_like(b, e, OP_scatter, or_zeros(b, dx[0], e->in_type[0]), du);
}

/* true for each update whose element is still there at the end: number the updates from
 * 1, scatter the numbers, and see who finds his own */
static Val winners(Builder *b, const EqnView *e)
{
    Type x = e->in_type[0], u = e->in_type[2];
    Dim count = dim_prod(&b->dims, u.dims, u.rank);
    Val one = b_full(b, b_make_type(b, WF_I64, u.dims, u.rank), 1);
    Val ids = b_reshape(b, b_iota(b, WF_I64, &count, 1, 0), u.dims, u.rank);
    Val left;

    ids = b_add(b, ids, one);
    left = scatter_like(b, e, OP_scatter,
                        b_zeros(b, b_make_type(b, WF_I64, x.dims, x.rank)), ids);
    return b_eq(b, read_back(b, e, left), ids);
}

/*   y[p] = the last update written to p, or x[p] if there is none
 *   gx[p] = gy[p] where nothing is written, else 0
 *   gu[j] = gy where j is written, if it is the last there, else 0
 */
static void transpose_scatter(Builder *b, const EqnView *e, const Val *gy, Val *gx)
{
    const ScatterAttr *a = e->attr;
    Val zeros = b_zeros(b, e->in_type[2]);

    if (e->in[0] == VAL_NONE)
        gx[0] = scatter_like(b, e, OP_scatter, gy[0], zeros);
    if (e->in[2] == VAL_NONE) {
        gx[2] = read_back(b, e, gy[0]);
        if (!a->unique)
            gx[2] = b_select(b, winners(b, e), gx[2], zeros);
    }
}

#define SCATTER_DOC                                                                      \
    "for each index vector in row-major order; axes are numbered as\n"                   \
    "StableHLO's scatter does, the index vector is the last axis of the\n"               \
    "integer indices. A window that does not fit: mode clip (the standard)\n"            \
    "moves it inside, drop leaves the whole window out, promised says it does\n"         \
    "not happen: eval reports it as an index error. unique promises that no\n"           \
    "element is written twice."

const OpRow op_row_scatter = {
    .attrs = attrs_scatter,
    .attr_size = sizeof(ScatterAttr),
    .type = type_scatter,
    .eval = eval_scatter,
    .along = along_scatter,
    .lower = {.kind = LOWER_LIBRARY},
};
const OpRules op_rules_scatter = {
    .doc = DOC("y = x with y[start(b..) + o..] = updates[b.., o..], any dtype, the last\n"
               "one staying,\n" SCATTER_DOC),
    .jvp = jvp_scatter,
    .transpose = transpose_scatter,
    .batch = batch_scatter,
};

/* ---- scatter_add ------------------------------------------------------------------- */

/* dy = dx + du added at its places */
static void jvp_scatter_add(Builder *b, const EqnView *e, const Val *dx, Val *dy)
{
    if (dx[2] == VAL_NONE)
        dy[0] = dx[0];
    else
        dy[0] =
            scatter_like(b, e, OP_scatter_add, or_zeros(b, dx[0], e->in_type[0]), dx[2]);
}

/*   y = x + sum of updates at their places
 *   gx = gy        gu = gy read at those places, 0 for what was dropped
 */
static void transpose_scatter_add(Builder *b, const EqnView *e, const Val *gy, Val *gx)
{
    if (e->in[0] == VAL_NONE)
        gx[0] = gy[0];
    if (e->in[2] == VAL_NONE)
        gx[2] = read_back(b, e, gy[0]);
}

const OpRow op_row_scatter_add = {
    .attrs = attrs_scatter,
    .attr_size = sizeof(ScatterAttr),
    .type = type_scatter,
    .eval = eval_scatter,
    .along = along_scatter,
    .lower = {.kind = LOWER_LIBRARY, .combine = OP_add},
};
const OpRules op_rules_scatter_add = {
    .doc = DOC("y = x with updates[b.., o..] added to y[start(b..) + o..], number\n"
               "dtypes, integers wrapping,\n" SCATTER_DOC),
    .jvp = jvp_scatter_add,
    .transpose = transpose_scatter_add,
    .batch = batch_scatter,
};

/* ---- scatter_mul ------------------------------------------------------------------- */

/* The same scatter with one index vector a row: indices [R, k] (i64), updates [R,
 * window..]. Batching axes become entries of the index vectors. */
typedef struct Rows {
    Val indices, updates, tangents;
    Dim n;
    ScatterAttr a; /* for one row: indices [k], updates [window..] */
} Rows;

static Val rows_of(Builder *b, Val v, const Axes *ax, Ints window, Type u, Dim n)
{
    int64_t perm[MAX_RANK], dims[MAX_RANK + 1] = {n};

    for (uint32_t i = 0; i < ax->nbatch; i++)
        perm[i] = ax->batch[i];
    for (uint32_t i = 0; i < window.n; i++) {
        perm[ax->nbatch + i] = window.v[i];
        dims[i + 1] = u.dims[window.v[i]];
    }
    return b_reshape(b, b_transpose(b, v, perm), dims, window.n + 1);
}

/* Index vectors with the position along each batching axis put at their ends. */
static Val full_indices(Builder *b, const EqnView *e)
{
    const ScatterAttr *a = e->attr;
    Type t = e->in_type[1];
    Val part[MAX_RANK + 1] = {e->in[1]};
    Dim dims[MAX_RANK];

    if (t.dtype == WF_U64) /* beyond i64 is beyond every axis */
        part[0] =
            b_min(b, part[0],
                  b_broadcast_scalar(b, b_int(b, WF_U64, INT64_MAX), t.dims, t.rank));
    part[0] = b_cast(b, part[0], WF_I64);
    memcpy(dims, t.dims, t.rank * sizeof *dims);
    dims[t.rank - 1] = 1;
    for (uint32_t j = 0; j < a->operand_batching.n; j++)
        part[j + 1] = b_iota(b, WF_I64, dims, t.rank, (uint32_t)a->indices_batching.v[j]);
    return b_concat(b, part, a->operand_batching.n + 1, t.rank - 1u);
}

static void split_rows(Builder *b, const EqnView *e, Val du, Rows *r)
{
    const ScatterAttr *a = e->attr;
    Numbering m = numbering_scatter(a);
    Type x = e->in_type[0], indices = e->in_type[1], u = e->in_type[2];
    uint32_t k = a->operand_dims.n + a->operand_batching.n, ninserted = 0;
    int64_t *window = arena_array(&b->arena, MAX_RANK, 3 * sizeof *window);
    int64_t *inserted = window + MAX_RANK, *map = inserted + MAX_RANK;
    Axes ax;

    numbering_axes(&m, x.rank, u.rank, &ax);
    for (uint32_t i = 0; i < a->update_window.n; i++)
        window[i] = i;
    for (uint32_t i = 0; i < x.rank; i++)
        if (ints_have(a->inserted, i) || ints_have(a->operand_batching, i))
            inserted[ninserted++] = i;
    for (uint32_t i = 0; i < k; i++)
        map[i] = i < a->operand_dims.n ? a->operand_dims.v[i]
                                       : a->operand_batching.v[i - a->operand_dims.n];
    r->a = (ScatterAttr){.update_window = {a->update_window.n, window},
                         .inserted = {ninserted, inserted},
                         .operand_dims = {k, map},
                         .mode = a->mode,
                         .unique = true};
    r->n = dim_prod(&b->dims, indices.dims, indices.rank - 1u);
    r->indices = b_reshape(b, full_indices(b, e), (const Dim[]){r->n, k}, 2);
    r->updates = rows_of(b, e->in[2], &ax, a->update_window, u, r->n);
    r->tangents = rows_of(b, du, &ax, a->update_window, u, r->n);
}

/* A builder for the body of a scan over rows: inputs of the types of v in b, the first a
 * carry, the others without their first axis. Symbols keep their names. */
static Builder *begin_step(Builder *b, const char *name, const Val *v, uint32_t n,
                           Val *in)
{
    Builder *s = builder_new(b->cx, name, B_OPTIMISE);
    Dim *map = arena_array(&b->arena, b->dims.syms.n + 1u, sizeof *map), dims[MAX_RANK];

    for (uint32_t i = 0; i < b->dims.syms.n; i++)
        map[i] = b_symbol(s, b->dims.syms.v[i].name);
    for (uint32_t i = 0; i < n; i++) {
        Type t = b_type(b, v[i]);
        uint32_t row = i > 0;
        for (uint32_t k = row; k < t.rank; k++)
            dims[k - row] = dim_subst(&s->dims, &b->dims, t.dims[k], map);
        in[i] = b_input(s, NULL, b_make_type(s, (wf_dtype)t.dtype, dims, t.rank - row));
    }
    return s;
}

/* Result `want` of the scan of the step with these operands. */
static Val scan_rows(Builder *b, const Program *step, Dim length, const Val *in,
                     uint32_t n, uint32_t want)
{
    ScanAttr a = {.ncarry = 1, .length = length};
    Val out[2] = {VAL_NONE, VAL_NONE};
    Dim *binds;

    if (!step)
        return VAL_NONE;
    binds = arena_array(&b->arena, step->dims.syms.n, sizeof *binds);
    for (uint32_t i = 0; i < step->dims.syms.n; i++)
        binds[i] = dim_find(&b->dims, step->dims.syms.v[i].name);
    a.body = (Sub){step, {step->dims.syms.n, binds}};
    b_eqn(b, OP_scan, in, n, &a, out, 2);
    return out[want];
}

/* Where updates may meet: one index vector after the other, by the product rule. No
 * division, so right where factors are 0, to every order. Two scans, so that the second
 * is linear: w_t = y_t at i_t         y_t+1 = y_t with u_t multiplied in at i_t dy_t+1 =
 * dy_t with u_t multiplied in at i_t, then w_t * du_t added there
 */
static Val jvp_mul_in_order(Builder *b, const EqnView *e, Val dx, Val du)
{
    Val v[5], in[5], out[2];
    Dim sizes[MAX_RANK];
    GatherAttr g;
    Builder *s;
    Rows r;

    split_rows(b, e, du, &r);
    memcpy(v, (const Val[]){e->in[0], r.indices, r.updates}, 3 * sizeof *v);
    s = begin_step(b, "scatter_mul_before", v, 3, in);
    if (b_failed(s))
        return VAL_NONE;
    g = gather_of_scatter(&r.a, b_type(s, in[0]), b_type(s, in[2]), sizes);
    out[0] = b_scatter(s, OP_scatter_mul, in[0], in[1], in[2], &r.a);
    out[1] = b_gather(s, in[0], in[1], &g);
    v[3] = scan_rows(b, builder_finish(s, out, 2), r.n, v, 3, 1);

    v[0] = or_zeros(b, dx, e->in_type[0]);
    v[4] = r.tangents;
    s = begin_step(b, "scatter_mul_tangent", v, 5, in);
    out[0] = b_scatter(s, OP_scatter_mul, in[0], in[1], in[2], &r.a);
    out[0] = b_scatter(s, OP_scatter_add, out[0], in[1], b_mul(s, in[3], in[4]), &r.a);
    return scan_rows(b, builder_finish(s, out, 1), r.n, v, 5, 0);
}

/*   y = x * product of the updates at each place
 *   dy = dx * that product  +  sum over updates j of du_j * x * product of the other
 * updates there Where no place is written twice the last sum is x * du, put in its place.
 */
static void jvp_scatter_mul(Builder *b, const EqnView *e, const Val *dx, Val *dy)
{
    const ScatterAttr *a = e->attr;
    Val du;

    if (dx[2] != VAL_NONE && !a->unique) {
        dy[0] = jvp_mul_in_order(b, e, dx[0], dx[2]);
        return;
    }
    if (dx[0] != VAL_NONE)
        dy[0] = scatter_like(b, e, OP_scatter_mul, dx[0], e->in[2]);
    if (dx[2] == VAL_NONE)
        return;
    du = scatter_like(b, e, OP_scatter, b_zeros(b, e->in_type[0]), dx[2]);
    du = b_mul(b, e->in[0], du);
    dy[0] = dx[0] == VAL_NONE ? du : b_add(b, dy[0], du);
}

/* linear in x for fixed updates: gx = gy * product of the updates */
static void transpose_scatter_mul(Builder *b, const EqnView *e, const Val *gy, Val *gx)
{
    if (e->in[2] == VAL_NONE)
        fail(b->cx, WF_ERR_NORULE, e->place, "scatter_mul: is not linear in its updates");
    else
        gx[0] = scatter_like(b, e, OP_scatter_mul, gy[0], e->in[2]);
}

const OpRow op_row_scatter_mul = {
    .attrs = attrs_scatter,
    .attr_size = sizeof(ScatterAttr),
    .type = type_scatter,
    .eval = eval_scatter,
    .along = along_scatter,
    .lower = {.kind = LOWER_LIBRARY, .combine = OP_mul},
};
const OpRules op_rules_scatter_mul = {
    .doc = DOC("y = x with y[start(b..) + o..] multiplied by updates[b.., o..], number\n"
               "dtypes, integers wrapping,\n" SCATTER_DOC),
    .jvp = jvp_scatter_mul,
    .transpose = transpose_scatter_mul,
    .batch = batch_scatter,
};

/* ---- scatter_min, scatter_max ------------------------------------------------------ */

/*   y[p] = max(x[p], updates at p)
 *   dy[p] = mean of the tangents of those among x[p] and the updates that equal y[p]:
 * ties share, as reduce_max does it
 */
static void jvp_scatter_extreme(Builder *b, const EqnView *e, const Val *dx, Val *dy)
{
    wf_dtype dtype = (wf_dtype)e->in_type[0].dtype;
    Val y = e->out[0], zx = b_zeros(b, e->in_type[0]), zu = b_zeros(b, e->in_type[2]);
    Val x_is = b_eq(b, e->in[0], y), u_is = b_eq(b, e->in[2], read_back(b, e, y));
    Val us = b_cast(b, u_is, dtype), n = scatter_like(b, e, OP_scatter_add, b_cast(b, x_is, dtype), us);
    Val sum = dx[0] != VAL_NONE ? b_select(b, x_is, dx[0], zx) : zx;

    if (dx[2] != VAL_NONE)
        sum = scatter_like(b, e, OP_scatter_add, sum, b_select(b, u_is, dx[2], zu));
    dy[0] = b_div(b, sum, n);
}

const OpRow op_row_scatter_min = {
    .attrs = attrs_scatter,
    .attr_size = sizeof(ScatterAttr),
    .type = type_scatter,
    .eval = eval_scatter,
    .along = along_scatter,
    .lower = {.kind = LOWER_LIBRARY, .combine = OP_min},
};
const OpRules op_rules_scatter_min = {
    .doc = DOC("y = x with y[start(b..) + o..] the smaller of itself and updates[b..,\n"
               "o..], any dtype, NaN winning, bool as and; where several are the\n"
               "smallest the derivative is shared equally;\n" SCATTER_DOC),
    .jvp = jvp_scatter_extreme,
    .batch = batch_scatter,
};

const OpRow op_row_scatter_max = {
    .attrs = attrs_scatter,
    .attr_size = sizeof(ScatterAttr),
    .type = type_scatter,
    .eval = eval_scatter,
    .along = along_scatter,
    .lower = {.kind = LOWER_LIBRARY, .combine = OP_max},
};
const OpRules op_rules_scatter_max = {
    .doc = DOC("y = x with y[start(b..) + o..] the larger of itself and updates[b..,\n"
               "o..], any dtype, NaN winning, bool as or; where several are the largest\n"
               "the derivative is shared equally;\n" SCATTER_DOC),
    .jvp = jvp_scatter_extreme,
    .batch = batch_scatter,
};
