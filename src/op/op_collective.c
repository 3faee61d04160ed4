/* op_collective.c -- collectives over named vmap axes: psum pmax all_gather ppermute
 * axis_index.
 *
 * A collective speaks of the rows of a batch it is part of: psum x axis="i" is the sum of
 * x over all rows of the vmap whose axis is named i. The batch rule of that vmap turns it
 * into an ordinary reduction, broadcast or shuffle along the batch axis; every other vmap
 * passes it by. One that is left when a program is run has no rows to speak of: an error
 * that names the axis.
 *
 * As maps of all rows together they are linear:   y_j = sum_i x_i (psum),  y_j[k] = x_k
 * (all_gather), y_target = x_source (ppermute), and transpose to   gx_i = sum_j gy_j,
 * gx_k = sum_j gy_j[k],  and the inverse shuffle.
 */
#include "op/op.h"

#include <stddef.h>

/* ---- who speaks of an axis ---- */

static bool is_over(const Eqn *e, const char *axis)
{
    switch ((OpCode)e->op) {
    case OP_psum:
    case OP_pmax:
    case OP_all_gather:
    case OP_ppermute:
    case OP_axis_index: return !strcmp(((const CollectiveAttr *)e->attr)->axis, axis);
    default: return false;
    }
}

bool program_uses_axis(const Program *p, const char *axis)
{
    for (uint32_t i = 0; i < p->neqns; i++)
        if (is_over(&p->eqns[i], axis))
            return true;
    for (uint32_t i = 0; i < p->nsubs; i++)
        if (program_uses_axis(p->subs[i], axis))
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

    q->found = q->found || program_uses_axis(s->p, q->axis);
}

bool eqn_uses_axis(const Eqn *e, const char *axis)
{
    Search q = {axis, is_over(e, axis)};

    if (op_has(e->op, OPF_CONTROL))
        attr_each_sub(op_row(e->op), e->attr, search_sub, &q);
    return q.found;
}

/* ---- shared ---- */

static const CollectiveAttr *attr_of(const EqnView *e) { return e->attr; }

static bool is_here(const EqnView *e, const Batch *bt)
{
    return bt->name && !strcmp(bt->name, attr_of(e)->axis);
}

static bool eval_unbound(Eval *e)
{
    return eval_fail(e, WF_ERR_NAME,
                     "axis '%s' is not bound: needs a vmap over an axis of that name",
                     ((const CollectiveAttr *)e->attr)->axis);
}

static bool check_axis(TypeRule *t, bool sized)
{
    const CollectiveAttr *a = t->attr;

    if (!*a->axis)
        return type_fail(t, WF_ERR_VALUE, "the axis has no name");
    if (sized && a->size == DIM_NONE)
        return type_fail(t, WF_ERR_VALUE, "needs size=, that of the axis");
    return true;
}

static bool check_number(TypeRule *t)
{
    if (t->in[0].dtype == WF_BOOL)
        return type_fail(t, WF_ERR_TYPE, "operand is %s, needs a number",
                         type_show(t, t->in[0]));
    return true;
}

/* The size said in the equation is that of the vmap. */
static bool check_size(Builder *b, const EqnView *e, const Batch *bt)
{
    const CollectiveAttr *a = attr_of(e);

    if (a->size == bt->size)
        return true;
    return fail(b->cx, WF_ERR_SHAPE, e->place, "%s: axis '%s' has %s rows, needs size=%s",
                op_name(e->op), a->axis, dim_str(&b->dims, bt->size, &b->arena),
                dim_str(&b->dims, a->size, &b->arena));
}

/* A vmap over another axis, of an op that works element by element. */
static void pass_by(Builder *b, const EqnView *e, const Batch *bt, Val *out,
                    int *out_axis)
{
    out[0] = b_eqn1(b, (OpCode)e->op, e->in, e->nin, e->attr);
    out_axis[0] = bt->axis[0];
}

static const AttrField attrs_reduce[] = {
    FIELD(CollectiveAttr, axis, A_STR, ATTR_REQUIRED), FIELD_END};

/* ---- psum ---- */

static bool type_reduced(TypeRule *t)
{
    ((CollectiveAttr *)t->attr)->size = DIM_NONE;
    if (!check_axis(t, false) || !check_number(t))
        return false;
    type_out_like(t, t->in[0]);
    return true;
}

/* gx_i = sum_j gy_j */
static void transpose_psum(Builder *b, const EqnView *e, const Val *gy, Val *gx)
{
    gx[0] = b_eqn1(b, OP_psum, gy, 1, e->attr);
}

static void batch_psum(Builder *b, const EqnView *e, const Batch *bt, Val *out,
                       int *out_axis)
{
    Type t = e->in_type[0];

    if (!is_here(e, bt)) {
        pass_by(b, e, bt, out, out_axis);
        return;
    }
    out_axis[0] = -1;
    if (bt->axis[0] >= 0) {
        out[0] = b_reduce_axis(b, OP_reduce_sum, e->in[0], (uint32_t)bt->axis[0]);
    } else { /* the same in every row */
        Val n = b_cast(b, b_dim_value(b, bt->size), (wf_dtype)t.dtype);
        out[0] = b_mul(b, e->in[0], b_broadcast_scalar(b, n, t.dims, t.rank));
    }
}

const OpRow op_row_psum = {
    .doc = "y = sum of x over all rows of the vmap whose axis has that name, the same in "
           "every row; any number dtype, "
           "integers wrap. Has no eval: an axis that no vmap binds is an error.",
    .attrs = attrs_reduce,
    .attr_size = sizeof(CollectiveAttr),
    .type = type_reduced,
    .eval = eval_unbound,
    .jvp = jvp_linear,
    .transpose = transpose_psum,
    .batch = batch_psum,
    .lower = {.kind = LOWER_NONE},
};

/* ---- pmax:  dy = sum_i [x_i == y] dx_i / sum_i [x_i == y]: ties share equally ---- */

static void jvp_pmax(Builder *b, const EqnView *e, const Val *dx, Val *dy)
{
    Val is = b_eq(b, e->in[0], e->out[0]), hit = b_cast(b, is, b_dtype(b, dx[0]));
    Val sum = b_select(b, is, dx[0], b_zeros_like(b, dx[0]));

    sum = b_eqn1(b, OP_psum, &sum, 1, e->attr);
    hit = b_eqn1(b, OP_psum, &hit, 1, e->attr);
    dy[0] = b_div(b, sum, hit);
}

static void batch_pmax(Builder *b, const EqnView *e, const Batch *bt, Val *out,
                       int *out_axis)
{
    if (!is_here(e, bt)) {
        pass_by(b, e, bt, out, out_axis);
        return;
    }
    out_axis[0] = -1;
    out[0] = bt->axis[0] < 0
                 ? e->in[0]
                 : b_reduce_axis(b, OP_reduce_max, e->in[0], (uint32_t)bt->axis[0]);
}

const OpRow op_row_pmax = {
    .doc = "y = largest x over all rows of the vmap whose axis has that name, the same "
           "in every row; NaN if any is. Its "
           "derivative is shared equally by ties. Has no eval: an axis that no vmap "
           "binds is an error.",
    .attrs = attrs_reduce,
    .attr_size = sizeof(CollectiveAttr),
    .type = type_reduced,
    .eval = eval_unbound,
    .jvp = jvp_pmax,
    .batch = batch_pmax,
    .lower = {.kind = LOWER_NONE},
};

/* ---- all_gather ---- */

static bool type_all_gather(TypeRule *t)
{
    const CollectiveAttr *a = t->attr;
    Type x = t->in[0];
    Dim dims[MAX_RANK + 1];

    if (!check_axis(t, true))
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

/* gx = (sum_j gy_j)[.. own row ..] */
static void transpose_all_gather(Builder *b, const EqnView *e, const Val *gy, Val *gx)
{
    CollectiveAttr a = *attr_of(e), s = {.axis = a.axis, .size = DIM_NONE};
    Val sum = b_eqn1(b, OP_psum, gy, 1, &s);
    Val me = b_eqn1(b, OP_axis_index, NULL, 0,
                    &(CollectiveAttr){.axis = a.axis, .size = a.size});

    gx[0] = b_row(b, b_move_axis(b, sum, (uint32_t)a.at, 0), me);
}

static void batch_all_gather(Builder *b, const EqnView *e, const Batch *bt, Val *out,
                             int *out_axis)
{
    CollectiveAttr a = *attr_of(e);

    if (is_here(e, bt)) {
        if (!check_size(b, e, bt))
            return;
        out_axis[0] = -1;
        out[0] = bt->axis[0] < 0
                     ? b_broadcast_axis(b, e->in[0], (uint32_t)a.at, bt->size)
                     : b_move_axis(b, e->in[0], (uint32_t)bt->axis[0], (uint32_t)a.at);
        return;
    }
    Val x = b_move_axis(b, e->in[0], (uint32_t)bt->axis[0], 0);
    a.at++;
    out[0] = b_eqn1(b, OP_all_gather, &x, 1, &a);
    out_axis[0] = 0;
}

static const AttrField attrs_all_gather[] = {
    FIELD(CollectiveAttr, axis, A_STR, ATTR_REQUIRED),
    FIELD(CollectiveAttr, size, A_DIM, ATTR_REQUIRED),
    FIELD(CollectiveAttr, at, A_INT, 0),
    FIELD_END,
};

const OpRow op_row_all_gather = {
    .doc = "y[.., k, ..] = x of row k, along a new axis `at` of that size, the same in "
           "every row; any dtype. Has no eval: "
           "an axis that no vmap binds is an error.",
    .attrs = attrs_all_gather,
    .attr_size = sizeof(CollectiveAttr),
    .type = type_all_gather,
    .eval = eval_unbound,
    .jvp = jvp_linear,
    .transpose = transpose_all_gather,
    .batch = batch_all_gather,
    .lower = {.kind = LOWER_NONE},
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

    if (!is_here(e, bt)) {
        pass_by(b, e, bt, out, out_axis);
        return;
    }
    if (!check_size(b, e, bt))
        return;
    x = bt->axis[0] < 0 ? b_broadcast_axis(b, e->in[0], 0, bt->size)
                        : b_move_axis(b, e->in[0], (uint32_t)bt->axis[0], 0);
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
    zero = b_zeros_like(b, b_slice_axis(b, x, 0, 0, 1));
    for (int64_t i = 0; i < a->size; i++)
        rows[i] = source[i] < 0 ? zero : b_slice_axis(b, x, 0, source[i], source[i] + 1);
    out[0] = b_concat(b, rows, (uint32_t)a->size, 0);
}

static const AttrField attrs_ppermute[] = {
    FIELD(CollectiveAttr, axis, A_STR, ATTR_REQUIRED),
    FIELD(CollectiveAttr, size, A_DIM, ATTR_REQUIRED),
    FIELD(CollectiveAttr, perm, A_INTS, 0),
    FIELD_END,
};

const OpRow op_row_ppermute = {
    .doc = "y of row target = x of row source for each pair source, target of perm; rows "
           "that are no target get 0; any "
           "dtype. Each row is source and target at most once. Has no eval: an axis that "
           "no vmap binds is an error.",
    .attrs = attrs_ppermute,
    .attr_size = sizeof(CollectiveAttr),
    .type = type_ppermute,
    .eval = eval_unbound,
    .jvp = jvp_linear,
    .transpose = transpose_ppermute,
    .batch = batch_ppermute,
    .lower = {.kind = LOWER_NONE},
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
    const CollectiveAttr *a = attr_of(e);

    if (!is_here(e, bt)) {
        out[0] = b_eqn1(b, OP_axis_index, NULL, 0, a);
        out_axis[0] = -1;
        return;
    }
    if (a->size != DIM_NONE && !check_size(b, e, bt))
        return;
    out[0] = b_iota(b, WF_I32, &bt->size, 1, 0);
    out_axis[0] = 0;
}

static const AttrField attrs_axis_index[] = {
    FIELD(CollectiveAttr, axis, A_STR, ATTR_REQUIRED),
    FIELD(CollectiveAttr, size, A_DIM, DIM_NONE),
    FIELD_END,
};

const OpRow op_row_axis_index = {
    .doc = "The number of this row, an i32 scalar, in the vmap whose axis has that name; "
           "size, if given, must be that of "
           "the axis. Has no eval: an axis that no vmap binds is an error.",
    .attrs = attrs_axis_index,
    .attr_size = sizeof(CollectiveAttr),
    .type = type_axis_index,
    .eval = eval_unbound,
    .batch = batch_axis_index,
    .lower = {.kind = LOWER_NONE},
};
