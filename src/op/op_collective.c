/* op_collective.c -- collectives over named axes: psum pmax pmin all_gather reduce_scatter
 * all_to_all ppermute axis_index pvary.
 *
 * A collective speaks of the rows of a batch it is part of, or of the devices of a mesh
 * (spmd): psum x axis="i" is the sum of x over all rows of the vmap whose axis is named i.
 * The batch rule of that vmap turns it into an ordinary reduction, broadcast or shuffle
 * along the batch axis; every other vmap passes it by. A batch may be a mesh, x:4,y:2, its
 * rows the devices in row-major order; then the rows of a collective over some of the axes
 * are those that differ in them alone. One that is left when a program is run has no rows
 * to speak of: an error that names the axis.
 *
 * As maps of all rows together they are linear:   y_j = sum_i x_i (psum),  y_j[k] = x_k
 * (all_gather), y_k = sum_i x_i[k] (reduce_scatter), y_j[k] = x_k[j] (all_to_all), y_target
 * = x_source (ppermute), and transpose to   gx_i = sum_j gy_j,  reduce_scatter and
 * all_gather each to the other,  gx_k[j] = gy_j[k],  and the inverse shuffle. Where what is
 * the same in all rows is counted once (inv, pvary; spmd's check), y = sum_i x_i has the
 * cotangent gx_i = gy, and  x_i = y (pvary), which does nothing,  gy = sum_i gx_i.
 */
#include "op/mesh.h"
#include "op/op.h"

#include <stddef.h>

/* ---- who speaks of an axis ---- */

bool op_is_collective(unsigned op)
{
    switch ((OpCode)op) {
    case OP_psum:
    case OP_pmax:
    case OP_pmin:
    case OP_all_gather:
    case OP_reduce_scatter:
    case OP_all_to_all:
    case OP_ppermute:
    case OP_pvary:
    case OP_axis_index: return true;
    default: return false;
    }
}

/* Is one of these axes among those of a batch, i or x:4,y:2? */
static bool names_meet(const char *axes, const char *batch)
{
    while (batch) {
        size_t n = strcspn(batch, ":,");

        if (axes_have(axes, batch, n))
            return true;
        batch = strchr(batch, ',');
        batch = batch ? batch + 1 : NULL;
    }
    return false;
}

static bool is_over(const Eqn *e, const char *axis)
{
    return op_is_collective(e->op) &&
           names_meet(((const CollectiveAttr *)e->attr)->axis, axis);
}

bool op_program_uses_axis(const Program *p, const char *axis)
{
    for (uint32_t i = 0; i < p->neqns; i++)
        if (is_over(&p->eqns[i], axis))
            return true;
    for (uint32_t i = 0; i < p->nsubs; i++)
        if (op_program_uses_axis(p->subs[i], axis))
            return true;
    return false;
}

typedef struct Search {
    const char *axis;
    bool found;
} Search;

static void search_sub(void *user, const Sub *s)
{
    Search *q = user;

    q->found = q->found || op_program_uses_axis(s->p, q->axis);
}

bool op_eqn_uses_axis(const Eqn *e, const char *axis)
{
    Search q = {axis, is_over(e, axis)};

    if (op_has(e->op, OPF_CONTROL))
        attr_each_sub(op_row(e->op), e->attr, search_sub, &q);
    return q.found;
}

/* ---- types ---- */

static const CollectiveAttr *attr_of(const EqnView *e) { return e->attr; }

static bool eval_unbound(Eval *e)
{
    return eval_fail(e, WF_ERR_NAME,
                     "axis '%s' is not bound: needs a vmap over an axis of that name",
                     ((const CollectiveAttr *)e->attr)->axis);
}

static bool check_axis(TypeRule *t, bool sized)
{
    const CollectiveAttr *a = t->attr;

    for (const char *s = a->axis; s; s = strchr(s, ',') ? strchr(s, ',') + 1 : NULL)
        if (!*s || *s == ',')
            return type_fail(t, WF_ERR_VALUE, "the axis has no name");
    if (sized && a->size == DIM_NONE)
        return type_fail(t, WF_ERR_VALUE, "needs size=, that of the axis");
    return true;
}

static bool check_number(TypeRule *t)
{
    if (!dtype_is_arithmetic((wf_dtype)t->in[0].dtype))
        return type_fail(t, WF_ERR_TYPE, "operand is %s, needs a number",
                         type_show(t, t->in[0]));
    return true;
}

/* Every row is in one group; even: they are as large as size says. */
static bool check_groups(TypeRule *t, bool even)
{
    const CollectiveAttr *a = t->attr;
    int64_t n = 0;

    for (uint32_t i = 0; i < a->parts.n; i++) {
        if (a->parts.v[i] < 1 || a->parts.v[i] > a->groups.n)
            return type_fail(t, WF_ERR_VALUE, "a group has %lld members",
                             (long long)a->parts.v[i]);
        if (even && a->parts.v[i] != a->size)
            return type_fail(t, WF_ERR_VALUE, "a group has %lld members, needs size=%s",
                             (long long)a->parts.v[i], dim_show(t, a->size));
        n += a->parts.v[i];
    }
    if (n != a->groups.n)
        return type_fail(t, WF_ERR_VALUE, "the parts of groups are %lld of %u members",
                         (long long)n, a->groups.n);
    for (uint32_t i = 0; i < a->groups.n; i++)
        for (uint32_t k = 0; k <= i; k++)
            if (a->groups.v[i] < 0 || a->groups.v[i] >= a->groups.n ||
                (k < i && a->groups.v[k] == a->groups.v[i]))
                return type_fail(t, WF_ERR_VALUE,
                                 "groups must cover all indices exactly once");
    if (a->inv && a->groups.n)
        return type_fail(t, WF_ERR_VALUE, "with groups the result varies over the axis");
    return true;
}

/* ---- the rows of a collective in a batch ---- */

typedef struct Rows {
    Builder *b;
    const EqnView *e;
    const Batch *bt;
    Mesh mesh;        /* of the batch; one axis of any size for a plain vmap */
    AxisList here;    /* axes of the collective that are in it */
    const char *rest; /* and those that are not; NULL: none */
    Dim n;            /* rows of here; of a group, if there are groups */
    Dim outer;        /* batch size / n */
    uint32_t lead;    /* 0: the rows are the whole batch; 1: [outer, n, ..] */
} Rows;

/* Does e speak of this batch? */
static bool find_rows(Builder *b, const EqnView *e, const Batch *bt, Rows *r)
{
    const CollectiveAttr *a = attr_of(e);

    memset(r, 0, sizeof *r);
    if (!bt->name || !names_meet(a->axis, bt->name))
        return false;
    r->b = b;
    r->e = e;
    r->bt = bt;
    if (strchr(bt->name, ':')) {
        mesh_parse(&b->arena, bt->name, &r->mesh);
    } else {
        r->mesh.n = 1;
        r->mesh.name[0] = bt->name;
    }
    mesh_find(&b->arena, &r->mesh, a->axis, &r->here, &r->rest);
    if (r->mesh.n == 1) {
        r->n = bt->size;
        r->outer = 1;
    } else {
        r->n = mesh_count(&r->mesh, r->here);
        r->outer = r->mesh.devices / r->n;
        r->lead = 1;
    }
    if (a->groups.n) {
        r->lead = 1;
        if (dim_is_const(r->n) && r->n != a->groups.n)
            fail(b->cx, WF_ERR_SHAPE, e->place,
                 "%s: groups have %u members, axis '%s' has %s", op_name(e->op),
                 a->groups.n, a->axis, dim_str(&b->dims, r->n, &b->arena));
    }
    return true;
}

static bool one_batch(const Rows *r)
{
    const CollectiveAttr *a = attr_of(r->e);
    Dim n = a->groups.n ? a->parts.v[0] : r->n;

    if (r->rest)
        return fail(r->b->cx, WF_ERR_NORULE, r->e->place,
                    "%s: axes '%s' belong to several vmaps", op_name(r->e->op), a->axis);
    if (a->size == n || (r->e->op == OP_axis_index && a->size == DIM_NONE))
        return true;
    return fail(r->b->cx, WF_ERR_SHAPE, r->e->place,
                "%s: axis '%s' has %s rows, needs size=%s", op_name(r->e->op), a->axis,
                dim_str(&r->b->dims, n, &r->b->arena),
                dim_str(&r->b->dims, a->size, &r->b->arena));
}

/* x with axis `axis` of `size` rows in another order: row i is row order[i] of x. */
static Val reorder(Builder *b, Val x, uint32_t axis, const int64_t *order, uint32_t n)
{
    Val *rows = arena_array(&b->arena, n + 1u, sizeof *rows);

    for (uint32_t i = 0; i < n; i++)
        rows[i] = b_slice_axis(b, x, axis, order[i], order[i] + 1);
    return b_failed(b) ? VAL_NONE : b_concat(b, rows, n, axis);
}

/* x with its first `from` axes replaced by these. */
static Val reshape_front(Builder *b, Val x, uint32_t from, const Dim *dims, uint32_t n)
{
    Dim all[MAX_RANK + MESH_AXES];
    Type t;

    if (b_failed(b))
        return VAL_NONE;
    t = b_type(b, x);
    memcpy(all, dims, n * sizeof *dims);
    memcpy(all + n, t.dims + from, (t.rank - from) * sizeof *dims);
    return b_reshape(b, x, all, n + t.rank - from);
}

/* The axes of the mesh in the order: those not of the collective, then its own. */
static uint32_t mesh_order(const Rows *r, int64_t *perm, Dim *dims)
{
    uint32_t n = 0, used = 0;

    for (uint32_t i = 0; i < r->here.n; i++)
        used |= 1u << r->here.v[i];
    for (uint32_t k = 0; k < r->mesh.n; k++)
        if (!(used & 1u << k))
            perm[n++] = k;
    for (uint32_t i = 0; i < r->here.n; i++)
        perm[n++] = r->here.v[i];
    for (uint32_t k = 0; k < n; k++)
        dims[k] = r->mesh.size[perm[k]];
    return n;
}

static Val permute_front(Builder *b, Val x, const int64_t *perm, uint32_t n)
{
    int64_t all[MAX_RANK + MESH_AXES];

    if (b_failed(b))
        return VAL_NONE;
    for (uint32_t i = 0; i < b_rank(b, x); i++)
        all[i] = i < n ? perm[i] : i;
    return b_transpose(b, x, all);
}

/* The operand, batched in front, as [n, ..] or [outer, n, ..]. */
static Val to_rows(const Rows *r)
{
    const CollectiveAttr *a = attr_of(r->e);
    Builder *b = r->b;
    Val x = r->bt->axis[0] < 0 ? b_broadcast_axis(b, r->e->in[0], 0, r->bt->size)
                               : b_move_axis(b, r->e->in[0], (uint32_t)r->bt->axis[0], 0);
    int64_t perm[MESH_AXES];
    Dim dims[MESH_AXES];

    if (r->mesh.n > 1) {
        uint32_t n = mesh_order(r, perm, dims);

        x = reshape_front(b, x, 1, r->mesh.size, r->mesh.n);
        x = permute_front(b, x, perm, n);
        x = reshape_front(b, x, n, (Dim[]){r->outer, r->n}, 2);
    } else if (r->lead) {
        x = reshape_front(b, x, 0, (Dim[]){1}, 1);
    }
    return a->groups.n ? reorder(b, x, 1, a->groups.v, a->groups.n) : x;
}

/* And back, batched in front. */
static Val from_rows(const Rows *r, Val y)
{
    const CollectiveAttr *a = attr_of(r->e);
    Builder *b = r->b;
    int64_t perm[MESH_AXES], back[MESH_AXES];
    Dim dims[MESH_AXES];

    if (a->groups.n) {
        int64_t *order = arena_array(&b->arena, a->groups.n, sizeof *order);

        for (uint32_t i = 0; i < a->groups.n; i++)
            order[a->groups.v[i]] = i;
        y = reorder(b, y, 1, order, a->groups.n);
    }
    if (r->mesh.n == 1)
        return r->lead ? reshape_front(b, y, 2, &r->n, 1) : y;
    uint32_t n = mesh_order(r, perm, dims);

    for (uint32_t k = 0; k < n; k++)
        back[perm[k]] = k;
    y = reshape_front(b, y, 2, dims, n);
    y = permute_front(b, y, back, n);
    return reshape_front(b, y, n, &r->mesh.devices, 1);
}

/* Groups of one size as rows of their own: [outer, n, ..] -> [outer * n/m, m, ..]. */
static Val split_groups(const Rows *r, Val x, bool back)
{
    const CollectiveAttr *a = attr_of(r->e);
    int64_t m;

    if (!a->groups.n)
        return x;
    m = a->parts.v[0];
    if (back)
        return reshape_front(r->b, x, 2, (Dim[]){r->outer, r->n}, 2);
    return reshape_front(r->b, x, 2, (Dim[]){r->outer * (a->groups.n / m), m}, 2);
}

/* A vmap over another axis, of an op that works element by element. */
static void pass_by(Builder *b, const EqnView *e, const Batch *bt, Val *out,
                    int *out_axis)
{
    out[0] = b_eqn1(b, (OpCode)e->op, e->in, e->nin, e->attr);
    out_axis[0] = bt->axis[0];
}

/* The same of one whose attribute counts axes. */
static void pass_by_front(Builder *b, const EqnView *e, const Batch *bt, Val *out,
                          int *out_axis)
{
    CollectiveAttr a = *attr_of(e);
    Val x = b_move_axis(b, e->in[0], (uint32_t)bt->axis[0], 0);

    a.at++;
    a.to++;
    out[0] = b_eqn1(b, (OpCode)e->op, &x, 1, &a);
    out_axis[0] = 0;
}

/* ---- psum, pmax, pmin ---- */

static bool type_reduced(TypeRule *t)
{
    ((CollectiveAttr *)t->attr)->size = DIM_NONE;
    if (!check_axis(t, false) || !check_number(t) || !check_groups(t, false))
        return false;
    if (t->op != OP_psum && dtype_is_complex((wf_dtype)t->in[0].dtype))
        return type_fail(t, WF_ERR_TYPE, "operand is %s, needs a real number",
                         type_show(t, t->in[0]));
    type_out_like(t, t->in[0]);
    return true;
}

static OpCode reduction_of(unsigned op)
{
    return op == OP_psum ? OP_reduce_sum : op == OP_pmax ? OP_reduce_max : OP_reduce_min;
}

/* What is the same in every row. */
static Val reduce_same(const Rows *r)
{
    Builder *b = r->b;
    Type t = r->e->in_type[0];
    Val n;

    if (r->e->op != OP_psum)
        return r->e->in[0];
    n = b_cast(b, b_dim_value(b, r->n), (wf_dtype)t.dtype);
    return b_mul(b, r->e->in[0], b_broadcast_scalar(b, n, t.dims, t.rank));
}

/* [outer, n, ..] -> the result of its group in every row */
static Val reduce_groups(const Rows *r, Val x)
{
    const CollectiveAttr *a = attr_of(r->e);
    Ints parts = a->groups.n ? a->parts : INTS(1, r->n);
    Val *v = arena_array(&r->b->arena, parts.n + 1u, sizeof *v);
    int64_t at = 0;

    for (uint32_t k = 0; k < parts.n && !b_failed(r->b); k++) {
        Val part = parts.n == 1 ? x : b_slice_axis(r->b, x, 1, at, at + parts.v[k]);

        v[k] = b_broadcast_axis(
            r->b, b_reduce_axis(r->b, reduction_of(r->e->op), part, 1), 1, parts.v[k]);
        at += parts.v[k];
    }
    return b_failed(r->b) ? VAL_NONE : b_concat(r->b, v, parts.n, 1);
}

static void batch_reduced(Builder *b, const EqnView *e, const Batch *bt, Val *out,
                          int *out_axis)
{
    CollectiveAttr a = *attr_of(e);
    Rows r;

    if (!find_rows(b, e, bt, &r)) {
        pass_by(b, e, bt, out, out_axis);
        return;
    }
    out_axis[0] = -1;
    if (bt->axis[0] < 0 && !a.groups.n) {
        out[0] = reduce_same(&r);
    } else if (!r.lead) {
        out[0] = b_reduce_axis(b, reduction_of(e->op), e->in[0], (uint32_t)bt->axis[0]);
    } else {
        out[0] = from_rows(&r, reduce_groups(&r, to_rows(&r)));
        out_axis[0] = 0;
    }
    if (!r.rest)
        return;
    if (a.groups.n) {
        one_batch(&r);
        return;
    }
    a.axis = r.rest;
    out[0] = b_eqn1(b, (OpCode)e->op, out, 1, &a);
}

/* gx_i = sum_j gy_j; or gy, of what does not vary */
static void transpose_psum(Builder *b, const EqnView *e, const Val *gy, Val *gx)
{
    CollectiveAttr a = *attr_of(e);

    a.inv = false;
    gx[0] = b_eqn1(b, attr_of(e)->inv ? OP_pvary : OP_psum, gy, 1, &a);
}

static const AttrField attrs_reduce[] = {
    FIELD(CollectiveAttr, axis, A_STR, ATTR_REQUIRED),
    FIELD(CollectiveAttr, groups, A_INTS, 0),
    FIELD(CollectiveAttr, parts, A_INTS, 0),
    FIELD(CollectiveAttr, inv, A_BOOL, false),
    FIELD(CollectiveAttr, order, A_INT, 0),
    FIELD_END,
};

#define UNBOUND " Has no eval: an axis that neither vmap nor spmd binds is an error."

const OpRow op_row_psum = {
    .attrs = attrs_reduce,
    .attr_size = sizeof(CollectiveAttr),
    .type = type_reduced,
    .eval = eval_unbound,
    .along = along_collective,
    .lower = {.kind = LOWER_LIBRARY},
};
const OpRules op_rules_psum = {
    .doc = DOC(
        "y = sum of x over all rows of the vmap, or devices of the mesh, whose axis has "
        "that name (several: axis=\"x,y\"), the same in "
        "every row; any number dtype, "
        "integers wrap. groups, parts: members and sizes of groups of rows, each with a "
        "sum of its own. inv: the cotangent is that of the one value, not of each row's "
        "copy. order: processes that run different programs do those that have one in its "
        "order." UNBOUND),
    .jvp = jvp_linear,
    .transpose = transpose_psum,
    .batch = batch_reduced,
};

/* ---- pmax, pmin:  dy = sum_i [x_i == y] dx_i / sum_i [x_i == y]: ties share equally ---- */

static void jvp_extreme(Builder *b, const EqnView *e, const Val *dx, Val *dy)
{
    Val is = b_eq(b, e->in[0], e->out[0]), hit = b_cast(b, is, b_dtype(b, dx[0]));
    Val sum = b_select(b, is, dx[0], b_zeros_like(b, dx[0]));

    sum = b_eqn1(b, OP_psum, &sum, 1, e->attr);
    hit = b_eqn1(b, OP_psum, &hit, 1, e->attr);
    dy[0] = b_div(b, sum, hit);
}

#define EXTREME(name, which)                                                             \
    const OpRow op_row_##name = {                                                        \
        .attrs = attrs_reduce,                                                           \
        .attr_size = sizeof(CollectiveAttr),                                             \
        .type = type_reduced,                                                            \
        .eval = eval_unbound,                                                            \
        .along = along_collective,                                                       \
        .lower = {.kind = LOWER_LIBRARY},                                                \
    };                                                                                   \
    const OpRules op_rules_##name = {                                                    \
        .doc =                                                                           \
            DOC("y = " which " x over all rows of the vmap, or devices of the mesh, "    \
                "whose axis has that name, the same in every row; NaN if any is. Its "   \
                "derivative is shared equally by ties. groups, parts, inv, order as of "        \
                "psum." UNBOUND),                                                        \
        .jvp = jvp_extreme,                                                              \
        .batch = batch_reduced,                                                          \
    }
EXTREME(pmax, "largest");
EXTREME(pmin, "smallest");

/* ---- pvary:  y = x;  gx = sum_j gy_j ---- */

static bool type_pvary(TypeRule *t)
{
    if (!check_axis(t, false))
        return false;
    type_out_like(t, t->in[0]);
    return true;
}

static bool eval_pvary(Eval *e)
{
    if (e->in[0].count)
        memcpy(e->out[0].data, e->in[0].data,
               (size_t)e->in[0].count * wf_dtype_size(e->in[0].dtype));
    return true;
}

static void transpose_pvary(Builder *b, const EqnView *e, const Val *gy, Val *gx)
{
    gx[0] = b_eqn1(b, OP_psum, gy, 1,
                   &(CollectiveAttr){.axis = attr_of(e)->axis, .inv = true});
}

static void batch_pvary(Builder *b, const EqnView *e, const Batch *bt, Val *out,
                        int *out_axis)
{
    CollectiveAttr a = *attr_of(e);
    Rows r;

    out_axis[0] = bt->axis[0];
    out[0] = e->in[0];
    if (find_rows(b, e, bt, &r))
        a.axis = r.rest;
    if (a.axis)
        out[0] = b_eqn1(b, OP_pvary, e->in, 1, &a);
}

static const AttrField attrs_pvary[] = {FIELD(CollectiveAttr, axis, A_STR, ATTR_REQUIRED),
                                        FIELD_END};

const OpRow op_row_pvary = {
    .attrs = attrs_pvary,
    .attr_size = sizeof(CollectiveAttr),
    .type = type_pvary,
    .eval = eval_pvary,
    .lower = {.kind = LOWER_ALIAS},
};
const OpRules op_rules_pvary = {
    .doc = DOC(
        "y = x, any dtype, of which every row of the axis has its own from now on: the "
        "cotangent of x is the sum of those of all rows."),
    .jvp = jvp_linear,
    .transpose = transpose_pvary,
    .batch = batch_pvary,
};

/* ---- all_gather ---- */

static bool type_all_gather(TypeRule *t)
{
    const CollectiveAttr *a = t->attr;
    Type x = t->in[0];
    Dim dims[MAX_RANK + 1];

    if (!check_axis(t, true) || !check_groups(t, true))
        return false;
    if (a->at < 0 || a->at > x.rank)
        return type_fail(t, WF_ERR_VALUE, "at=%lld, but the operand is %s; needs 0 to %u",
                         (long long)a->at, type_show(t, x), x.rank);
    for (uint32_t k = 0; k < x.rank; k++)
        dims[k + (k >= a->at)] = x.dims[k];
    dims[a->at] = a->size;
    type_out(t, (wf_dtype)x.dtype, dims, x.rank + 1u);
    return true;
}

/* gx = (sum_j gy_j)[.. own row ..]; of what does not vary gy[.. own row ..] */
static void transpose_all_gather(Builder *b, const EqnView *e, const Val *gy, Val *gx)
{
    CollectiveAttr a = *attr_of(e);

    if (a.inv) {
        CollectiveAttr me = {.axis = a.axis, .size = a.size};
        Val g = b_eqn1(b, OP_pvary, gy, 1, &me), mine = b_eqn1(b, OP_axis_index, NULL, 0, &me);

        gx[0] = b_row(b, b_move_axis(b, g, (uint32_t)a.at, 0), mine);
    } else {
        gx[0] = b_eqn1(b, OP_reduce_scatter, gy, 1, &a);
    }
}

static void batch_all_gather(Builder *b, const EqnView *e, const Batch *bt, Val *out,
                             int *out_axis)
{
    uint32_t at = (uint32_t)attr_of(e)->at;
    Rows r;
    Val x;

    if (!find_rows(b, e, bt, &r)) {
        pass_by_front(b, e, bt, out, out_axis);
        return;
    }
    out_axis[0] = -1;
    if (!one_batch(&r))
        return;
    if (bt->axis[0] < 0) {
        out[0] = b_broadcast_axis(b, e->in[0], at, attr_of(e)->size);
    } else if (!r.lead) {
        out[0] = b_move_axis(b, e->in[0], (uint32_t)bt->axis[0], at);
    } else { /* [outer, n, ..] -> [outer, a copy for each of n, .. n ..] */
        x = split_groups(&r, to_rows(&r), false);
        x = b_broadcast_axis(b, x, 1, attr_of(e)->size);
        out[0] = from_rows(&r, split_groups(&r, b_move_axis(b, x, 2, 2 + at), true));
        out_axis[0] = 0;
    }
}

static const AttrField attrs_all_gather[] = {
    FIELD(CollectiveAttr, axis, A_STR, ATTR_REQUIRED),
    FIELD(CollectiveAttr, size, A_DIM, ATTR_REQUIRED),
    FIELD(CollectiveAttr, at, A_INT, 0),
    FIELD(CollectiveAttr, groups, A_INTS, 0),
    FIELD(CollectiveAttr, parts, A_INTS, 0),
    FIELD(CollectiveAttr, inv, A_BOOL, false),
    FIELD_END,
};

const OpRow op_row_all_gather = {
    .attrs = attrs_all_gather,
    .attr_size = sizeof(CollectiveAttr),
    .type = type_all_gather,
    .eval = eval_unbound,
    .along = along_collective,
    .lower = {.kind = LOWER_LIBRARY},
};
const OpRules op_rules_all_gather = {
    .doc = DOC(
        "y[.., k, ..] = x of row k, along a new axis `at` of that size, the same in "
        "every row; any dtype. groups, parts: of the rows of its own group, all of one "
        "size. inv as of psum." UNBOUND),
    .jvp = jvp_linear,
    .transpose = transpose_all_gather,
    .batch = batch_all_gather,
};

/* ---- reduce_scatter, all_to_all: an axis dealt out to the rows ---- */

/* The dims of x without axis `at`, which is as long as there are rows. */
static bool deal_out(TypeRule *t, Dim *dims)
{
    const CollectiveAttr *a = t->attr;
    Type x = t->in[0];

    if (!check_axis(t, true) || !check_groups(t, true))
        return false;
    if (a->at < 0 || a->at >= x.rank || x.dims[a->at] != a->size)
        return type_fail(t, WF_ERR_SHAPE,
                         "operand is %s, needs %s elements along axis %lld",
                         type_show(t, x), dim_show(t, a->size), (long long)a->at);
    for (uint32_t k = 0, n = 0; k < x.rank; k++)
        if (k != a->at)
            dims[n++] = x.dims[k];
    return true;
}

static bool type_reduce_scatter(TypeRule *t)
{
    Dim dims[MAX_RANK];

    if (!check_number(t) || !deal_out(t, dims))
        return false;
    type_out(t, (wf_dtype)t->in[0].dtype, dims, t->in[0].rank - 1u);
    return true;
}

static void transpose_reduce_scatter(Builder *b, const EqnView *e, const Val *gy, Val *gx)
{
    gx[0] = b_eqn1(b, OP_all_gather, gy, 1, e->attr);
}

static void batch_reduce_scatter(Builder *b, const EqnView *e, const Batch *bt, Val *out,
                                 int *out_axis)
{
    uint32_t at = (uint32_t)attr_of(e)->at;
    Rows r;
    Val x;

    if (!find_rows(b, e, bt, &r)) {
        pass_by_front(b, e, bt, out, out_axis);
        return;
    }
    if (!one_batch(&r))
        return;
    x = split_groups(&r, to_rows(&r), false); /* [outer, n, .. n ..] */
    x = b_reduce_axis(b, OP_reduce_sum, x, r.lead);
    x = b_move_axis(b, x, r.lead + at, r.lead);
    out[0] = from_rows(&r, split_groups(&r, x, true));
    out_axis[0] = 0;
}

static const AttrField attrs_reduce_scatter[] = {
    FIELD(CollectiveAttr, axis, A_STR, ATTR_REQUIRED),
    FIELD(CollectiveAttr, size, A_DIM, ATTR_REQUIRED),
    FIELD(CollectiveAttr, at, A_INT, 0),
    FIELD(CollectiveAttr, groups, A_INTS, 0),
    FIELD(CollectiveAttr, parts, A_INTS, 0),
    FIELD_END,
};

const OpRow op_row_reduce_scatter = {
    .attrs = attrs_reduce_scatter,
    .attr_size = sizeof(CollectiveAttr),
    .type = type_reduce_scatter,
    .eval = eval_unbound,
    .along = along_collective,
    .lower = {.kind = LOWER_LIBRARY},
};
const OpRules op_rules_reduce_scatter = {
    .doc =
        DOC("y = sum over all rows j of x_j[.., k, ..], k being the own row, along axis "
            "`at`, which has that size and is gone from the result; any number dtype. "
            "groups, parts as of all_gather." UNBOUND),
    .jvp = jvp_linear,
    .transpose = transpose_reduce_scatter,
    .batch = batch_reduce_scatter,
};

static bool type_all_to_all(TypeRule *t)
{
    const CollectiveAttr *a = t->attr;
    uint32_t rank = t->in[0].rank;
    Dim dims[MAX_RANK];

    if (!deal_out(t, dims))
        return false;
    if (a->to < 0 || a->to >= rank)
        return type_fail(t, WF_ERR_VALUE, "to=%lld, needs 0 to %u", (long long)a->to,
                         rank - 1);
    memmove(dims + a->to + 1, dims + a->to, (rank - 1 - (size_t)a->to) * sizeof *dims);
    dims[a->to] = a->size;
    type_out(t, (wf_dtype)t->in[0].dtype, dims, rank);
    return true;
}

/* gx_k[j] = gy_j[k] */
static void transpose_all_to_all(Builder *b, const EqnView *e, const Val *gy, Val *gx)
{
    CollectiveAttr a = *attr_of(e);

    a.at = attr_of(e)->to;
    a.to = attr_of(e)->at;
    gx[0] = b_eqn1(b, OP_all_to_all, gy, 1, &a);
}

static void batch_all_to_all(Builder *b, const EqnView *e, const Batch *bt, Val *out,
                             int *out_axis)
{
    const CollectiveAttr *a = attr_of(e);
    Rows r;
    Val x;

    if (!find_rows(b, e, bt, &r)) {
        pass_by_front(b, e, bt, out, out_axis);
        return;
    }
    if (!one_batch(&r))
        return;
    x = split_groups(&r, to_rows(&r), false); /* [outer, source, .. target ..] */
    x = b_move_axis(b, x, r.lead + 1 + (uint32_t)a->at, r.lead);
    x = b_move_axis(b, x, r.lead + 1, r.lead + 1 + (uint32_t)a->to);
    out[0] = from_rows(&r, split_groups(&r, x, true));
    out_axis[0] = 0;
}

static const AttrField attrs_all_to_all[] = {
    FIELD(CollectiveAttr, axis, A_STR, ATTR_REQUIRED),
    FIELD(CollectiveAttr, size, A_DIM, ATTR_REQUIRED),
    FIELD(CollectiveAttr, at, A_INT, 0),
    FIELD(CollectiveAttr, to, A_INT, 0),
    FIELD(CollectiveAttr, groups, A_INTS, 0),
    FIELD(CollectiveAttr, parts, A_INTS, 0),
    FIELD_END,
};

const OpRow op_row_all_to_all = {
    .attrs = attrs_all_to_all,
    .attr_size = sizeof(CollectiveAttr),
    .type = type_all_to_all,
    .eval = eval_unbound,
    .along = along_collective,
    .lower = {.kind = LOWER_LIBRARY},
};
const OpRules op_rules_all_to_all = {
    .doc = DOC(
        "y_j[.., k, ..] = x_k[.., j, ..]: row j gets element j of every row, along axis "
        "`at` of x, which has that size, and along axis `to` of y; any dtype. groups, "
        "parts as of all_gather." UNBOUND),
    .jvp = jvp_linear,
    .transpose = transpose_all_to_all,
    .batch = batch_all_to_all,
};

/* ---- ppermute ---- */

static bool type_ppermute(TypeRule *t)
{
    const CollectiveAttr *a = t->attr;

    if (!check_axis(t, true))
        return false;
    if (!dim_is_const(a->size))
        return type_fail(t, WF_ERR_VALUE, "size %s is not a constant, which perm needs",
                         dim_show(t, a->size));
    if (a->perm.n % 2)
        return type_fail(t, WF_ERR_VALUE,
                         "perm has %u numbers, needs pairs of source and target",
                         a->perm.n);
    for (uint32_t i = 0; i < a->perm.n; i++) {
        if (a->perm.v[i] < 0 || a->perm.v[i] >= a->size)
            return type_fail(t, WF_ERR_VALUE, "perm has row %lld of %lld",
                             (long long)a->perm.v[i], (long long)a->size);
        for (uint32_t k = i % 2; k < i; k += 2)
            if (a->perm.v[k] == a->perm.v[i])
                return type_fail(t, WF_ERR_VALUE, "perm has row %lld twice as a %s",
                                 (long long)a->perm.v[i], i % 2 ? "target" : "source");
    }
    type_out_like(t, t->in[0]);
    return true;
}

/* the inverse: source and target change places */
static void transpose_ppermute(Builder *b, const EqnView *e, const Val *gy, Val *gx)
{
    CollectiveAttr a = *attr_of(e);
    int64_t *perm = arena_array(&b->arena, a.perm.n, sizeof *perm);

    for (uint32_t i = 0; i < a.perm.n; i++)
        perm[i] = a.perm.v[i ^ 1];
    a.perm.v = perm;
    gx[0] = b_eqn1(b, OP_ppermute, gy, 1, &a);
}

static void batch_ppermute(Builder *b, const EqnView *e, const Batch *bt, Val *out,
                           int *out_axis)
{
    const CollectiveAttr *a = attr_of(e);
    int64_t *source;
    Val *rows, x, zero;
    Rows r;

    if (!find_rows(b, e, bt, &r)) {
        pass_by(b, e, bt, out, out_axis);
        return;
    }
    if (!one_batch(&r))
        return;
    x = to_rows(&r);
    out_axis[0] = 0;
    out[0] = x;
    if (a->size == 0)
        return;
    source = arena_array(&b->arena, (size_t)a->size, sizeof *source);
    rows = arena_array(&b->arena, (size_t)a->size, sizeof *rows);
    for (int64_t i = 0; i < a->size; i++)
        source[i] = -1;
    for (uint32_t i = 0; i < a->perm.n; i += 2)
        source[a->perm.v[i + 1]] = a->perm.v[i];
    zero = b_zeros_like(b, b_slice_axis(b, x, r.lead, 0, 1));
    for (int64_t i = 0; i < a->size; i++)
        rows[i] =
            source[i] < 0 ? zero : b_slice_axis(b, x, r.lead, source[i], source[i] + 1);
    if (!b_failed(b))
        out[0] = from_rows(&r, b_concat(b, rows, (uint32_t)a->size, r.lead));
}

static const AttrField attrs_ppermute[] = {
    FIELD(CollectiveAttr, axis, A_STR, ATTR_REQUIRED),
    FIELD(CollectiveAttr, size, A_DIM, ATTR_REQUIRED),
    FIELD(CollectiveAttr, perm, A_INTS, 0),
    FIELD_END,
};

const OpRow op_row_ppermute = {
    .attrs = attrs_ppermute,
    .attr_size = sizeof(CollectiveAttr),
    .type = type_ppermute,
    .eval = eval_unbound,
    .along = along_collective,
    .lower = {.kind = LOWER_LIBRARY},
};
const OpRules op_rules_ppermute = {
    .doc = DOC(
        "y of row target = x of row source for each pair source, target of perm; rows "
        "that are no target get 0; any "
        "dtype. Each row is source and target at most once." UNBOUND),
    .jvp = jvp_linear,
    .transpose = transpose_ppermute,
    .batch = batch_ppermute,
};

/* ---- axis_index ---- */

static bool type_axis_index(TypeRule *t)
{
    if (!check_axis(t, false))
        return false;
    type_out(t, WF_I32, NULL, 0);
    return true;
}

static void batch_axis_index(Builder *b, const EqnView *e, const Batch *bt, Val *out,
                             int *out_axis)
{
    Rows r;

    if (!find_rows(b, e, bt, &r)) {
        out[0] = b_eqn1(b, OP_axis_index, NULL, 0, e->attr);
        out_axis[0] = -1;
        return;
    }
    if (!one_batch(&r))
        return;
    out_axis[0] = 0;
    if (r.mesh.n == 1) {
        out[0] = b_iota(b, WF_I32, &bt->size, 1, 0);
        return;
    }
    int32_t *at = arena_array(&b->arena, (size_t)r.mesh.devices, sizeof *at);

    for (int64_t d = 0; d < r.mesh.devices; d++)
        at[d] = (int32_t)mesh_position(&r.mesh, d, r.here);
    out[0] = b_const(b, b_make_type(b, WF_I32, &r.mesh.devices, 1), at);
}

static const AttrField attrs_axis_index[] = {
    FIELD(CollectiveAttr, axis, A_STR, ATTR_REQUIRED),
    FIELD(CollectiveAttr, size, A_DIM, DIM_NONE),
    FIELD_END,
};

const OpRow op_row_axis_index = {
    .attrs = attrs_axis_index,
    .attr_size = sizeof(CollectiveAttr),
    .type = type_axis_index,
    .eval = eval_unbound,
    .lower = {.kind = LOWER_LIBRARY},
};
const OpRules op_rules_axis_index = {
    .doc = DOC(
        "The number of this row, an i32 scalar, in the vmap, or of this device along the "
        "axis of the mesh, of that name; size, if given, must be that of "
        "the axis." UNBOUND),
    .batch = batch_axis_index,
};
