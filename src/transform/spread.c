/* spread.c -- a program as what each device of a mesh does: the same inputs and results around one spmd.
 *
 *   requires   a verified program of constant sizes, without print; how its inputs lie (op/mesh.h)
 *   gives      inputs -> spmd -> results; equal values, but for the order of sums
 *
 * How values are to lie is what shard.c says. An op is done on parts along the axes that it carries from its operands to its
 * result, each element for itself; operands are brought to lie as the result does there, and whole elsewhere. What is
 * contracted or reduced may stay in parts, too: then the parts of the result are added up, if that moves fewer bytes than
 * bringing the operands together. An op that carries nothing is done by every device on the whole.
 *
 * Loops and branches are spread inside: carries lie as they began, results of branches as the first one's.
 */
#include "op/control.h"
#include "op/mesh.h"
#include "transform/transform.h"

typedef struct Spread {
    wf_ctx *cx;
    Arena *a;
    const Mesh *mesh;
    Builder *b; /* of the body that is being made */
} Spread;

typedef struct Local { /* a value as a device has it */
    Val v;
    Spec s;
} Local;

/* ---- layouts --------------------------------------------------------------------------- */

static bool same_axes(AxisList a, AxisList b) { return a.n == b.n && !memcmp(a.v, b.v, a.n); }

static uint32_t bits(AxisList a)
{
    uint32_t r = 0;

    for (uint32_t i = 0; i < a.n; i++)
        r |= 1u << a.v[i];
    return r;
}

static void divide(Spec *s, uint32_t k, AxisList axes)
{
    s->dim[k] = axes;
    s->used |= bits(axes);
}

static const char *names(const Spread *s, AxisList axes)
{
    Text t;

    text_init(&t, s->a);
    for (uint32_t i = 0; i < axes.n; i++)
        text_printf(&t, "%s%s", i ? "," : "", s->mesh->name[axes.v[i]]);
    return text_str(&t);
}

static AxisList part_of(AxisList a, uint32_t from)
{
    AxisList r = {0};

    for (; from < a.n; from++)
        r.v[r.n++] = a.v[from];
    return r;
}

static Type local_type(const Spread *s, Type t, const Spec *spec)
{
    Dim d[MAX_RANK];

    for (uint32_t k = 0; k < t.rank; k++)
        d[k] = t.dims[k] / mesh_count(s->mesh, spec->dim[k]);
    return b_make_type(s->b, (wf_dtype)t.dtype, d, t.rank);
}

/* ---- bringing values to lie elsewhere ----------------------------------------------------- */

/* Axis k split in two, the first of n elements. */
static Val split_axis(const Spread *s, Val v, uint32_t k, int64_t n)
{
    Type t = b_type(s->b, v);
    Dim d[MAX_RANK + 1];

    for (uint32_t i = 0; i < t.rank; i++)
        d[i + (i > k)] = t.dims[i];
    d[k + 1] = t.dims[k] / n;
    d[k] = n;
    return b_reshape(s->b, v, d, t.rank + 1);
}

/* Axes k and k + 1 as one. */
static Val join_axes(const Spread *s, Val v, uint32_t k)
{
    Type t = b_type(s->b, v);
    Dim d[MAX_RANK];

    for (uint32_t i = 0; i + 1 < t.rank; i++)
        d[i] = i == k ? t.dims[k] * t.dims[k + 1] : t.dims[i + (i > k)];
    return b_reshape(s->b, v, d, t.rank - 1);
}

static Val gather_axis(const Spread *s, Val v, uint32_t k, AxisList axes)
{
    CollectiveAttr a = {.axis = names(s, axes), .size = mesh_count(s->mesh, axes), .at = k};

    return join_axes(s, b_eqn1(s->b, OP_all_gather, &v, 1, &a), k);
}

/* This device's part of axis k, which is whole on all that differ in `axes` alone. */
static Val take_part(const Spread *s, Val v, uint32_t k, AxisList axes)
{
    Type t = b_type(s->b, v);
    CollectiveAttr a = {.axis = names(s, axes), .size = mesh_count(s->mesh, axes)};
    Dim size[MAX_RANK];
    Val start[MAX_RANK];
    const void *element;

    for (uint32_t i = 0; i < t.rank; i++) {
        size[i] = i == k ? t.dims[i] / a.size : t.dims[i];
        start[i] = b_int(s->b, WF_I32, 0);
    }
    if (b_splat(s->b, v, &element))
        return b_splat_bits(s->b, b_make_type(s->b, (wf_dtype)t.dtype, size, t.rank), element);
    start[k] = b_mul(s->b, b_eqn1(s->b, OP_axis_index, NULL, 0, &a), b_int(s->b, WF_I32, size[k]));
    return b_dynamic_slice(s->b, v, start, size);
}

/* One axis that was divided becomes whole, another that was whole is divided by the same: parts change places. */
static bool change_places(const Spread *s, Local *x, const Spec *to)
{
    uint32_t from = MAX_RANK, k = MAX_RANK;
    CollectiveAttr a = {0};

    for (uint32_t i = 0; i < to->rank; i++) {
        if (same_axes(x->s.dim[i], to->dim[i]))
            continue;
        if (!to->dim[i].n && from == MAX_RANK)
            from = i;
        else if (!x->s.dim[i].n && k == MAX_RANK)
            k = i;
        else
            return false;
    }
    if (from == MAX_RANK || k == MAX_RANK || !same_axes(x->s.dim[from], to->dim[k]))
        return false;
    a.axis = names(s, to->dim[k]);
    a.size = mesh_count(s->mesh, to->dim[k]);
    x->v = split_axis(s, x->v, k, a.size);
    a.at = k;
    a.to = from;
    x->v = join_axes(s, b_eqn1(s->b, OP_all_to_all, &x->v, 1, &a), from);
    x->s = *to;
    return true;
}

static Val lie_as(const Spread *s, Local x, const Spec *to)
{
    if (change_places(s, &x, to))
        return x.v;
    for (uint32_t k = 0; k < to->rank; k++) {
        uint32_t same = 0;

        while (same < x.s.dim[k].n && same < to->dim[k].n && x.s.dim[k].v[same] == to->dim[k].v[same])
            same++;
        if (same < x.s.dim[k].n)
            x.v = gather_axis(s, x.v, k, part_of(x.s.dim[k], same));
        x.s.dim[k].n = (uint8_t)same;
    }
    for (uint32_t k = 0; k < to->rank; k++)
        if (x.s.dim[k].n < to->dim[k].n)
            x.v = take_part(s, x.v, k, part_of(to->dim[k], x.s.dim[k].n));
    return x.v;
}

/* ---- what ops carry ------------------------------------------------------------------------- */

static bool has(Ints v, int64_t x)
{
    for (uint32_t i = 0; i < v.n; i++)
        if (v.v[i] == x)
            return true;
    return false;
}

static int carried_dot(const DotAttr *a, Type x, uint32_t operand, uint32_t axis)
{
    Ints batch = operand ? a->rhs_batch : a->lhs_batch, sum = operand ? a->rhs : a->lhs;
    uint32_t k = a->lhs_batch.n;

    for (uint32_t i = 0; i < batch.n; i++)
        if (batch.v[i] == axis)
            return (int)i;
    if (has(sum, axis))
        return -1;
    if (operand)
        k += x.rank - a->lhs.n - a->lhs_batch.n; /* x: the first operand, whose free axes come first */
    for (uint32_t i = 0; i < axis; i++)
        k += !has(batch, i) && !has(sum, i);
    return (int)k;
}

static int carried_conv(const ConvAttr *a, uint32_t operand, uint32_t axis)
{
    if (!operand && a->batch_groups == 1 && axis == conv_axis(a->lhs_spec, 0))
        return (int)conv_axis(a->out_spec, 0);
    if (operand && a->groups == 1 && a->batch_groups == 1 && axis == conv_axis(a->rhs_spec, 0))
        return (int)conv_axis(a->out_spec, 1);
    return -1;
}

/* Groups of axes with as many elements on both sides: the first of one is the first of the other. */
static int carried_reshape(Type x, Type y, uint32_t axis)
{
    uint32_t i = 0, k = 0;

    while (i < x.rank && k < y.rank) {
        int64_t a = x.dims[i], b = y.dims[k];
        uint32_t i0 = i++, k0 = k++;

        while (a != b && (a < b ? i < x.rank : k < y.rank))
            *(a < b ? &a : &b) *= a < b ? x.dims[i++] : y.dims[k++];
        while (i0 + 1 < i && x.dims[i0] == 1)
            i0++;
        while (k0 + 1 < k && y.dims[k0] == 1)
            k0++;
        if (axis == i0 && x.dims[i0] && y.dims[k0])
            return (int)k0;
    }
    return -1;
}

static int carried_without(Ints gone, uint32_t axis)
{
    int k = 0;

    for (uint32_t i = 0; i < axis; i++)
        k += !has(gone, i);
    return has(gone, axis) ? -1 : k;
}

/* Batch axes of the indices are those of the result that are no offsets. */
static int carried_gather(const GatherAttr *a, uint32_t operand, Type indices, uint32_t axis)
{
    uint32_t k = 0;

    if (!operand || axis + 1 == indices.rank || a->operand_batching.n)
        return -1;
    for (uint32_t n = axis;; k++)
        if (!has(a->offset_dims, k) && n-- == 0)
            return (int)k;
}

/* The axis of the result that this axis of an operand is, element by element; -1: none. */
static int carried(const Program *p, const Eqn *e, uint32_t operand, uint32_t axis)
{
    const Val *in = eqn_in(p, e);
    Type x = val_type(p, in[operand]), y = val_type(p, e->out);
    const SliceAttr *cut = e->attr;
    const PadAttr *pad = e->attr;

    switch (e->op) {
    case OP_reshape: return carried_reshape(x, y, axis);
    case OP_broadcast: {
        int64_t k = ((const BroadcastAttr *)e->attr)->dims.v[axis];

        return x.dims[axis] == y.dims[k] ? (int)k : -1;
    }
    case OP_transpose:
        for (uint32_t k = 0; k < y.rank; k++)
            if (((const TransposeAttr *)e->attr)->perm.v[k] == axis)
                return (int)k;
        return -1;
    case OP_dot_general: return carried_dot(e->attr, val_type(p, in[0]), operand, axis);
    case OP_conv_general: return carried_conv(e->attr, operand, axis);
    case OP_argmax:
    case OP_argmin: return carried_without(INTS(1, ((const ArgAttr *)e->attr)->axis), axis);
    case OP_cumsum:
    case OP_cumprod:
    case OP_cummax:
    case OP_cummin:
    case OP_cumlogsumexp: return axis == ((const CumAttr *)e->attr)->axis ? -1 : (int)axis;
    case OP_concat: return axis == ((const AxisAttr *)e->attr)->axis ? -1 : (int)axis;
    case OP_rev: return has(((const AxesAttr *)e->attr)->axes, axis) ? -1 : (int)axis;
    case OP_slice:
        return cut->start.v[axis] || cut->limit.v[axis] != x.dims[axis] || (cut->stride.n && cut->stride.v[axis] != 1)
                   ? -1
                   : (int)axis;
    case OP_pad:
        return operand || pad->lo.v[axis] || pad->hi.v[axis] || (pad->interior.n && pad->interior.v[axis]) ? -1
                                                                                                     : (int)axis;
    case OP_dynamic_slice: return operand || x.dims[axis] != y.dims[axis] ? -1 : (int)axis;
    case OP_dynamic_update_slice: {
        Type u = val_type(p, in[1]);

        return operand > 1 || u.dims[axis] != y.dims[axis] ? -1 : (int)axis;
    }
    case OP_gather: return carried_gather(e->attr, operand, x, axis);
    default: break;
    }
    if (op_row(e->op)->lower.kind == LOWER_REDUCE)
        return carried_without(((const ReduceAttr *)e->attr)->axes, axis);
    if (op_row(e->op)->lower.kind == LOWER_MAP || op_has(e->op, OPF_SAME))
        return x.rank == y.rank && x.dims[axis] == y.dims[axis] ? (int)axis : -1;
    return -1;
}

/* ---- equations --------------------------------------------------------------------------------- */

/* A reduction over axis `axis` of operand 0 that may be of parts: what adds them up. */
static OpCode adds_up(const Eqn *e, uint32_t axis)
{
    if (e->op == OP_dot_general)
        return has(((const DotAttr *)e->attr)->lhs, axis) ? OP_psum : OP_COUNT;
    if (e->op != OP_reduce_sum && e->op != OP_reduce_max && e->op != OP_reduce_min)
        return OP_COUNT;
    if (!has(((const ReduceAttr *)e->attr)->axes, axis))
        return OP_COUNT;
    return e->op == OP_reduce_max ? OP_pmax : e->op == OP_reduce_min ? OP_pmin : OP_psum;
}

static double bytes(const Spread *s, Type t, const Spec *spec)
{
    double n = (double)wf_dtype_size((wf_dtype)t.dtype);

    for (uint32_t k = 0; k < t.rank; k++)
        n *= (double)(t.dims[k] / mesh_count(s->mesh, spec->dim[k]));
    return n;
}

/* Is bringing both operands together along a contracted axis dearer than adding up the result? */
static bool summing_pays(const Spread *s, const Program *p, const Eqn *e, const Local *x, const uint32_t *axis, AxisList by,
                         const Spec *result)
{
    double n = (double)mesh_count(s->mesh, by), gather = 0;

    for (uint32_t i = 0; i < e->nin; i++)
        if (x[i].s.dim[axis[i]].n)
            gather += (n - 1) * bytes(s, val_type(p, eqn_in(p, e)[i]), &x[i].s);
    return 2 * (n - 1) / n * bytes(s, val_type(p, e->out), result) < gather;
}

/* Axes of the mesh by which a contracted or reduced axis stays divided; need: of the operands. */
static AxisList stay_divided(const Spread *s, const Program *p, const Eqn *e, const Local *x, const Spec *result, Spec *need,
                             OpCode *by)
{
    AxisList all = {0};

    for (uint32_t i = 0; i < x[0].s.rank; i++) {
        uint32_t axis[2] = {i, i};
        const DotAttr *d = e->attr;
        AxisList axes = x[0].s.dim[i];
        OpCode how = adds_up(e, i);

        if (how == OP_COUNT)
            continue;
        for (uint32_t k = 0; e->op == OP_dot_general && k < d->lhs.n; k++)
            if (d->lhs.v[k] == i)
                axis[1] = (uint32_t)d->rhs.v[k];
        if (!axes.n && e->op == OP_dot_general)
            axes = x[1].s.dim[axis[1]];
        if (!axes.n || bits(axes) & (result->used | bits(all)) ||
            (e->op == OP_dot_general && !summing_pays(s, p, e, x, axis, axes, result)))
            continue;
        for (uint32_t o = 0; o < e->nin; o++)
            divide(&need[o], axis[o], axes);
        for (uint32_t k = 0; k < axes.n; k++)
            all.v[all.n++] = axes.v[k];
        *by = how;
    }
    return all;
}

/* The equation on parts that lie as `result` says: what its attribute says of sizes is of parts. */
static void emit(const Spread *s, Copier *c, const Eqn *e, const Val *in, const Spec *result, Val *out)
{
    Type y = e->nout ? local_type(s, val_type(c->from, e->out), result) : (Type){0}, x = e->nin ? b_type(s->b, in[0]) : y;
    SliceAttr cut;
    DynamicSliceAttr sizes;
    BroadcastAttr wide;
    ShapeAttr shape;
    Dim limit[MAX_RANK];
    const void *attr = copier_attr(c, e);

    if (y.rank)
        memcpy(limit, y.dims, y.rank * sizeof *limit);
    switch (e->op) {
    case OP_reshape:
        shape = *(const ShapeAttr *)attr;
        shape.dims = (Ints){y.rank, y.dims};
        attr = &shape;
        break;
    case OP_broadcast:
        wide = *(const BroadcastAttr *)attr;
        wide.shape = (Ints){y.rank, y.dims};
        attr = &wide;
        break;
    case OP_slice:
        cut = *(const SliceAttr *)attr;
        for (uint32_t k = 0; k < y.rank; k++)
            limit[k] = result->dim[k].n ? x.dims[k] : cut.limit.v[k];
        cut.limit = (Ints){y.rank, limit};
        attr = &cut;
        break;
    case OP_dynamic_slice:
        sizes.sizes = (Ints){y.rank, y.dims};
        attr = &sizes;
        break;
    default: break;
    }
    b_eqn(s->b, (OpCode)e->op, in, e->nin, attr, out, e->nout);
}

/* want: how shard.c would have the results. What has none (assert) is done by all, on the whole. */
static void spread_eqn(const Spread *s, Copier *c, const Eqn *e, const Local *x, const Spec *want, Local *out)
{
    const Program *p = c->from;
    Spec *need = arena_zalloc(s->a, (e->nin + 1u) * sizeof *need), result = {.rank = e->nout ? want[0].rank : 0};
    Val *in = arena_array(s->a, e->nin + 1u, sizeof *in), *made = arena_array(s->a, e->nout + 1u, sizeof *made);
    OpCode by = OP_COUNT;
    AxisList sum;

    for (uint32_t o = 0; o < e->nin && e->nout; o++)
        for (uint32_t i = 0; i < x[o].s.rank; i++) {
            int k = carried(p, e, o, i);

            if (k >= 0 && want[0].dim[k].n && !result.dim[k].n)
                divide(&result, (uint32_t)k, want[0].dim[k]);
        }
    for (uint32_t o = 0; o < e->nin; o++) {
        need[o].rank = x[o].s.rank;
        for (uint32_t i = 0; i < x[o].s.rank; i++) {
            int k = e->nout ? carried(p, e, o, i) : -1;

            if (k >= 0)
                divide(&need[o], i, result.dim[k]);
        }
    }
    sum = e->nin ? stay_divided(s, p, e, x, &result, need, &by) : (AxisList){0};
    for (uint32_t o = 0; o < e->nin; o++)
        in[o] = lie_as(s, x[o], &need[o]);
    emit(s, c, e, in, &result, made);
    for (uint32_t j = 0; j < e->nout && !failed(s->cx); j++) {
        if (sum.n)
            made[j] = b_eqn1(s->b, by, &made[j], 1, &(CollectiveAttr){.axis = names(s, sum), .size = DIM_NONE});
        out[j] = (Local){lie_as(s, (Local){made[j], result}, &want[j]), want[j]};
    }
}

/* ---- programs ----------------------------------------------------------------------------------- */

static bool spread_program(const Spread *s, const Program *p, const Local *in, Local *out);

/* A sub-program whose sizes are the numbers that they stand for where it is used. */
static const Program *concrete(const Spread *s, const Sub *sub)
{
    const Program *p = sub->p;
    const Symbol *left;
    uint32_t n = 0, all = p->dims.syms.n;
    const char **names_of = arena_array(s->a, all + 1u, sizeof *names_of);
    int64_t *sizes = arena_array(s->a, all + 1u, sizeof *sizes);

    for (uint32_t i = 0; i < all && i < sub->binds.n; i++)
        if (dim_is_const(sub->binds.v[i])) {
            names_of[n] = p->dims.syms.v[i].name;
            sizes[n++] = sub->binds.v[i];
        }
    p = n ? program_specialise(s->cx, p, names_of, sizes, n) : p;
    if (!p || !p->dims.syms.n)
        return p;
    left = &p->dims.syms.v[0];
    fail(s->cx, WF_ERR_NORULE, NOWHERE,
         left->origin == SYM_EQN ? "spread: '%s' finds size %s when it runs" : "spread: '%s' has size %s: needs a number",
         p->name, left->name);
    return NULL;
}

/* A sub-program on parts. in: how its inputs lie; out: how results are to lie where `fixed`, else how they do. */
static bool spread_body(const Spread *s, const Program *p, const Spec *in, Spec *out, bool fixed, Sub *made)
{
    Spread inner = {s->cx, s->a, s->mesh, builder_new(s->cx, p->name, B_OPTIMISE)};
    Local *x = arena_array(s->a, p->nin + 1u, sizeof *x), *y = arena_array(s->a, p->nout + 1u, sizeof *y);
    Val *outs = arena_array(s->a, p->nout + 1u, sizeof *outs);

    for (uint32_t i = 0; i < p->nin; i++)
        x[i] = (Local){b_input(inner.b, input_name(p, i), local_type(&inner, val_type(p, program_in(p, i)), &in[i])), in[i]};
    if (!spread_program(&inner, p, x, y))
        return false;
    for (uint32_t j = 0; j < p->nout; j++) {
        if (!fixed)
            out[j] = y[j].s;
        outs[j] = lie_as(&inner, y[j], &out[j]);
    }
    *made = (Sub){builder_finish(inner.b, outs, p->nout), {0}};
    return made->p != NULL;
}

static bool spread_sub(const Spread *s, const Sub *sub, const Spec *in, Spec *out, bool fixed, Sub *made)
{
    const Program *p = concrete(s, sub);

    return p && spread_body(s, p, in, out, fixed, made);
}

static Spec without_first(const Spec *s)
{
    Spec r = {.rank = s->rank - 1};

    for (uint32_t k = 0; k < r.rank; k++)
        divide(&r, k, s->dim[k + 1]);
    return r;
}

static Spec with_first(const Spec *s)
{
    Spec r = {.rank = s->rank + 1};

    for (uint32_t k = 0; k < s->rank; k++)
        divide(&r, k + 1, s->dim[k]);
    return r;
}

static bool spread_scan(const Spread *s, const Eqn *e, const Local *x, Local *out)
{
    ScanAttr a = *(const ScanAttr *)e->attr;
    uint32_t carries = (uint32_t)a.ncarry, first = (uint32_t)a.nconst + carries, n = e->nin;
    Spec *in = arena_array(s->a, n + 1u, sizeof *in), *res = arena_array(s->a, e->nout + 1u, sizeof *res);
    Val *v = arena_array(s->a, n + 1u, sizeof *v), *made = arena_array(s->a, e->nout + 1u, sizeof *made);
    Sub body;

    for (uint32_t i = 0; i < n; i++) {
        Spec to = i < first ? x[i].s : without_first(&x[i].s);

        in[i] = to;
        if (i >= first)
            to = with_first(&to); /* every device has all turns */
        v[i] = lie_as(s, x[i], &to);
    }
    /* once to see how stacked results lie, then with carries that end as they began */
    if (!spread_sub(s, &a.body, in, res, false, &body))
        return false;
    for (uint32_t j = 0; j < carries; j++)
        res[j] = in[a.nconst + j];
    if (!spread_sub(s, &a.body, in, res, true, &a.body))
        return false;
    b_eqn(s->b, OP_scan, v, n, &a, made, e->nout);
    for (uint32_t j = 0; j < e->nout; j++)
        out[j] = (Local){made[j], j < carries ? res[j] : with_first(&res[j])};
    return !failed(s->cx);
}

static bool spread_cond(const Spread *s, const Eqn *e, const Local *x, Local *out)
{
    const CondAttr *a = e->attr;
    Sub *made = arena_array(s->a, a->branches.n + 1u, sizeof *made);
    CondAttr b = {{a->branches.n, made}};
    Spec *in = arena_array(s->a, e->nin + 1u, sizeof *in), *res = arena_array(s->a, e->nout + 1u, sizeof *res);
    Val *v = arena_array(s->a, e->nin + 1u, sizeof *v), *y = arena_array(s->a, e->nout + 1u, sizeof *y);

    for (uint32_t i = 0; i < e->nin; i++) {
        v[i] = x[i].v;
        if (i)
            in[i - 1] = x[i].s;
    }
    for (uint32_t k = 0; k < a->branches.n; k++)
        if (!spread_sub(s, &a->branches.v[k], in, res, k > 0, &made[k]))
            return false;
    b_eqn(s->b, OP_cond, v, e->nin, &b, y, e->nout);
    for (uint32_t j = 0; j < e->nout; j++)
        out[j] = (Local){y[j], res[j]};
    return !failed(s->cx);
}

/* Without stacked results; carries lie as they began, conditions are whole. */
static bool spread_while(const Spread *s, const Eqn *e, const Local *x, Local *out)
{
    WhileAttr a = *(const WhileAttr *)e->attr;
    uint32_t nc = (uint32_t)a.ncond, nb = (uint32_t)a.nbody, carries = e->nin - nc - nb;
    Spec *in = arena_array(s->a, e->nin + 1u, sizeof *in), *res = arena_array(s->a, carries + 1u, sizeof *res), one = {0};
    Val *v = arena_array(s->a, e->nin + 1u, sizeof *v), *y = arena_array(s->a, e->nout + 1u, sizeof *y);

    for (uint32_t i = 0; i < e->nin; i++)
        v[i] = x[i].v;
    for (uint32_t i = 0; i < nc + carries; i++)
        in[i] = x[i < nc ? i : i + nb].s;
    if (!spread_sub(s, &a.cond, in, &one, true, &a.cond))
        return false;
    for (uint32_t i = 0; i < nb + carries; i++)
        in[i] = x[nc + i].s;
    for (uint32_t j = 0; j < carries; j++)
        res[j] = x[nc + nb + j].s;
    if (!spread_sub(s, &a.body, in, res, true, &a.body))
        return false;
    b_eqn(s->b, OP_while, v, e->nin, &a, y, e->nout);
    for (uint32_t j = 0; j < e->nout; j++)
        out[j] = (Local){y[j], res[j]};
    return !failed(s->cx);
}

/* The body of a call, among the equations around it. */
static bool spread_call(const Spread *s, const Eqn *e, const Local *x, Local *out)
{
    const Program *p = concrete(s, &((const CallAttr *)e->attr)->body); /* all calls begin with it */

    return p && spread_program(s, p, x, out);
}

static bool spread_control(const Spread *s, Copier *c, const Eqn *e, const Local *x, const Spec *want, Local *out)
{
    const WhileAttr *w = e->attr;

    switch (e->op) {
    case OP_call:
    case OP_checkpoint:
    case OP_custom_jvp:
    case OP_custom_vjp: return spread_call(s, e, x, out);
    case OP_scan: return spread_scan(s, e, x, out);
    case OP_cond: return spread_cond(s, e, x, out);
    case OP_while:
        if (e->nout == e->nin - (uint32_t)(w->ncond + w->nbody))
            return spread_while(s, e, x, out);
        break;
    case OP_spmd:
        return fail(s->cx, WF_ERR_VALUE, eqn_place(c->from, e), "spread: the program has an spmd already");
    default: break;
    }
    spread_eqn(s, c, e, x, want, out);
    return !failed(s->cx);
}

static bool spread_program(const Spread *s, const Program *p, const Local *in, Local *out)
{
    Local *all = arena_zalloc(s->a, (p->nvals + 1u) * sizeof *all);
    Copier c;

    copier_init(&c, s->b, p, NULL, NULL);
    memcpy(all + 1, in, p->nin * sizeof *in);
    for (uint32_t i = 0; i < p->neqns && !failed(s->cx); i++) {
        const Eqn *e = &p->eqns[i];
        Local *x = arena_array(s->a, e->nin + 1u, sizeof *x);
        Spec *have = arena_array(s->a, e->nin + 1u, sizeof *have), *want = arena_array(s->a, e->nout + 1u, sizeof *want);

        for (uint32_t k = 0; k < e->nin; k++) {
            x[k] = all[eqn_in(p, e)[k]];
            have[k] = x[k].s;
        }
        copier_place(&c, e);
        if (e->op == OP_print)
            return fail(s->cx, WF_ERR_NORULE, eqn_place(p, e), "spread: print, which every device would do");
        if (!layout_eqn(s->cx, s->mesh, p, e, have, want))
            return false;
        if (op_has(e->op, OPF_CONTROL))
            spread_control(s, &c, e, x, want, all + e->out);
        else
            spread_eqn(s, &c, e, x, want, all + e->out);
    }
    for (uint32_t j = 0; j < p->nout; j++)
        out[j] = all[p->outs[j]];
    return !failed(s->cx);
}

/* The whole program around the body. */
static const Program *around(wf_ctx *cx, const Program *p, const Sub *body, const char *mesh, const char *in, const char *out)
{
    Builder *b = builder_new(cx, p->name, B_OPTIMISE);
    SpmdAttr a = {.body = *body, .mesh = mesh, .in = in, .out = out};
    Val *v = arena_array(&cx->scratch, p->nin + 1u, sizeof *v), *y;
    Copier c;
    uint32_t n;

    copier_init(&c, b, p, NULL, NULL);
    copier_inputs(&c);
    for (uint32_t i = 0; i < p->nin; i++)
        v[i] = c.val[program_in(p, i)];
    y = b_eqn_n(b, OP_spmd, v, p->nin, &a, &n);
    return failed(cx) ? NULL : builder_finish(b, y, p->nout);
}

const Program *xf_spread(wf_ctx *cx, const Program *p, const char *mesh, const char *in_specs, const char *out_specs)
{
    Arena *a = &cx->scratch;
    Spec *in = arena_array(a, p->nin + 1u, sizeof *in), *out = arena_array(a, p->nout + 1u, sizeof *out);
    const char **texts = arena_array(a, p->nout + 1u, sizeof *texts);
    Mesh m;
    Spread s = {cx, a, &m, NULL};
    Sub body;

    if (!layouts_parse(cx, p, mesh, in_specs, true, &m, in) ||
        (out_specs && !layouts_parse(cx, p, mesh, out_specs, false, &m, out)) ||
        !spread_sub(&s, &(Sub){p, {0}}, in, out, out_specs != NULL, &body))
        return NULL;
    for (uint32_t j = 0; j < p->nout; j++)
        texts[j] = spec_text(a, &m, &out[j]);
    return around(cx, p, &body, mesh, in_specs, specs_join(a, texts, p->nout));
}
