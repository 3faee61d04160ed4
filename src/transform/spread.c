/* spread.c -- a program as what each device of a mesh does: the same inputs and results around one spmd.
 *
 *   requires   a verified program of constant sizes, without print; how its inputs lie (op/mesh.h)
 *   gives      inputs -> spmd -> results; equal values, but for the order of sums
 *
 * How values are to lie is what shard.c says. An op is done on parts along the axes that go from its operands to its result
 * element by element (op/along.c); operands are brought to lie as the result does there, and whole elsewhere. What is
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
    start[k] = b_int(s->b, WF_I32, size[k]);
    start[k] = b_mul(s->b, b_eqn1(s->b, OP_axis_index, NULL, 0, &a), start[k]);
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

/* ---- equations --------------------------------------------------------------------------------- */

static double bytes(const Spread *s, Type t, const Spec *spec)
{
    double n = (double)wf_dtype_size((wf_dtype)t.dtype);

    for (uint32_t k = 0; k < t.rank; k++)
        n *= (double)(t.dims[k] / mesh_count(s->mesh, spec->dim[k]));
    return n;
}

/* Is bringing operands together along an axis that goes dearer than adding up the result? x: all operands. */
static bool summing_pays(const Spread *s, const Program *p, const Eqn *e, const Local *x, Along gone, AxisList by,
                         const Spec *result)
{
    double n = (double)mesh_count(s->mesh, by), gather = 0;

    for (uint32_t o = 0; o < e->nin; o++)
        for (uint32_t i = 0; i < x[o].s.rank; i++) {
            Along a = op_along(p, e, o, i);

            if (a.kind == gone.kind && a.to == gone.to && x[o].s.dim[i].n)
                gather += (n - 1) * bytes(s, val_type(p, eqn_in(p, e)[o]), &x[o].s);
        }
    return 2 * (n - 1) / n * bytes(s, val_type(p, e->out), result) <= gather;
}

/* Axes of the mesh by which an axis that goes stays divided; need: of the operands. by: what adds the parts up. */
static AxisList stay_divided(const Spread *s, const Program *p, const Eqn *e, const Local *x, const Spec *result, Spec *need,
                             OpCode *by)
{
    AxisList all = {0};

    for (uint32_t o = 0; o < e->nin; o++)
        for (uint32_t i = 0; i < x[o].s.rank; i++) {
            Along gone = op_along(p, e, o, i);
            AxisList axes = x[o].s.dim[i];

            if (gone.kind < ALONG_SUM || !axes.n || need[o].dim[i].n || bits(axes) & (result->used | bits(all)) ||
                (e->nin > 1 && !summing_pays(s, p, e, x, gone, axes, result)))
                continue;
            for (uint32_t q = 0; q < e->nin; q++)
                for (uint32_t k = 0; k < x[q].s.rank; k++) {
                    Along other = op_along(p, e, q, k);

                    if (other.kind == gone.kind && other.to == gone.to)
                        spec_divide(&need[q], k, axes);
                }
            for (uint32_t k = 0; k < axes.n; k++)
                all.v[all.n++] = axes.v[k];
            *by = gone.kind == ALONG_MAX ? OP_pmax : gone.kind == ALONG_MIN ? OP_pmin : OP_psum;
        }
    return all;
}

/* The equation on parts that lie as `result` says: what its attribute says of sizes is of parts. */
static void emit(const Spread *s, Copier *c, const Eqn *e, const Val *in, const Spec *need, const Spec *result, Val *out)
{
    Type y = e->nout ? local_type(s, val_type(c->from, e->out), result) : (Type){0}, x = e->nin ? b_type(s->b, in[0]) : y;
    SliceAttr cut;
    DynamicSliceAttr sizes;
    BroadcastAttr wide;
    ShapeAttr shape;
    GatherAttr taken;
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
    case OP_gather: /* an axis that is divided is taken whole */
        taken = *(const GatherAttr *)attr;
        for (uint32_t k = 0; k < x.rank; k++)
            limit[k] = need[0].dim[k].n ? x.dims[k] : taken.slice_sizes.v[k];
        taken.slice_sizes = (Ints){x.rank, limit};
        attr = &taken;
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

    if (e->op == OP_shard) {
        out[0] = (Local){lie_as(s, x[0], &want[0]), want[0]};
        return;
    }
    if (op_hands_on(e->op)) { /* each operand for itself */
        for (uint32_t o = 0; o < e->nin; o++)
            in[o] = x[o].v;
        emit(s, c, e, in, need, &result, made);
        for (uint32_t j = 0; j < e->nout && !failed(s->cx); j++)
            out[j] = (Local){made[j], x[j].s};
        return;
    }
    for (uint32_t o = 0; o < e->nin && e->nout; o++)
        for (uint32_t i = 0; i < x[o].s.rank; i++) {
            Along a = op_along(p, e, o, i);

            if (a.kind == ALONG_EACH && want[0].dim[a.to].n && !result.dim[a.to].n)
                spec_divide(&result, a.to, want[0].dim[a.to]);
        }
    for (uint32_t o = 0; o < e->nin; o++) {
        need[o].rank = x[o].s.rank;
        for (uint32_t i = 0; i < x[o].s.rank; i++) {
            Along a = op_along(p, e, o, i);

            if (a.kind == ALONG_EACH)
                spec_divide(&need[o], i, result.dim[a.to]);
        }
    }
    sum = e->nin ? stay_divided(s, p, e, x, &result, need, &by) : (AxisList){0};
    for (uint32_t o = 0; o < e->nin; o++)
        in[o] = lie_as(s, x[o], &need[o]);
    emit(s, c, e, in, need, &result, made);
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

/* want: how shard.c would have the results; carries begin so. */
static bool spread_scan(const Spread *s, const Eqn *e, const Local *x, const Spec *want, Local *out)
{
    ScanAttr a = *(const ScanAttr *)e->attr;
    uint32_t carries = (uint32_t)a.ncarry, first = (uint32_t)a.nconst + carries, n = e->nin;
    Spec *in = arena_array(s->a, n + 1u, sizeof *in), *res = arena_array(s->a, e->nout + 1u, sizeof *res);
    Val *v = arena_array(s->a, n + 1u, sizeof *v), *made = arena_array(s->a, e->nout + 1u, sizeof *made);
    Sub body;

    for (uint32_t i = 0; i < n; i++) {
        bool carry = i >= (uint32_t)a.nconst && i < first;
        Spec to = i < first ? carry ? want[i - (uint32_t)a.nconst] : x[i].s : spec_row(&x[i].s);

        in[i] = to;
        if (i >= first)
            to = spec_stack(&to); /* every device has all turns */
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
        out[j] = (Local){made[j], j < carries ? res[j] : spec_stack(&res[j])};
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

/* Without stacked results; carries lie as wanted from the start, conditions are whole. */
static bool spread_while(const Spread *s, const Eqn *e, const Local *x, const Spec *want, Local *out)
{
    WhileAttr a = *(const WhileAttr *)e->attr;
    uint32_t nc = (uint32_t)a.ncond, nb = (uint32_t)a.nbody, carries = e->nin - nc - nb;
    Spec *in = arena_array(s->a, e->nin + 1u, sizeof *in), *res = arena_array(s->a, carries + 1u, sizeof *res), one = {0};
    Val *v = arena_array(s->a, e->nin + 1u, sizeof *v), *y = arena_array(s->a, e->nout + 1u, sizeof *y);

    for (uint32_t i = 0; i < e->nin; i++)
        v[i] = i < nc + nb ? x[i].v : lie_as(s, x[i], &want[i - nc - nb]);
    for (uint32_t i = 0; i < nc + carries; i++)
        in[i] = i < nc ? x[i].s : want[i - nc];
    if (!spread_sub(s, &a.cond, in, &one, true, &a.cond))
        return false;
    for (uint32_t i = 0; i < nb + carries; i++)
        in[i] = i < nb ? x[nc + i].s : want[i - nb];
    memcpy(res, want, carries * sizeof *res);
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

/* One over axes of this mesh: its body on what its devices have, which the other axes may divide further. */
static bool spread_spmd(const Spread *s, const Program *p, const Eqn *e, const Local *x, Local *out)
{
    const Program *body = concrete(s, &((const SpmdAttr *)e->attr)->body);
    Spec *own_in = arena_array(s->a, e->nin + 1u, sizeof *own_in), *own = arena_array(s->a, e->nout + 1u, sizeof *own);
    Local *in = arena_array(s->a, e->nin + 1u, sizeof *in);
    uint32_t axes;

    if (!body)
        return false;
    if (!xf_spmd_within(s->cx, s->mesh, p, e, &axes, own_in, own))
        return fail(s->cx, WF_ERR_NORULE, eqn_place(p, e), "spread: the program has an spmd over another mesh");
    for (uint32_t i = 0; i < e->nin; i++) {
        Spec rest = spec_without(&x[i].s, axes), to = spec_over(&own_in[i], &rest);
        Type t = val_type(body, program_in(body, i));

        for (uint32_t k = 0; k < t.rank; k++)
            if (t.dims[k] % mesh_count(s->mesh, rest.dim[k]))
                rest = (Spec){.rank = t.rank}, to = own_in[i];
        in[i] = (Local){lie_as(s, x[i], &to), rest};
    }
    if (!spread_program(s, body, in, out))
        return false;
    for (uint32_t j = 0; j < e->nout; j++)
        out[j].s = spec_over(&own[j], &out[j].s);
    return true;
}

static bool spread_control(const Spread *s, Copier *c, const Eqn *e, const Local *x, const Spec *want, Local *out)
{
    const WhileAttr *w = e->attr;

    switch (e->op) {
    case OP_call:
    case OP_checkpoint:
    case OP_custom_jvp:
    case OP_custom_vjp: return spread_call(s, e, x, out);
    case OP_scan: return spread_scan(s, e, x, want, out);
    case OP_cond: return spread_cond(s, e, x, out);
    case OP_while:
        if (e->nout == e->nin - (uint32_t)(w->ncond + w->nbody))
            return spread_while(s, e, x, want, out);
        break;
    case OP_spmd: return spread_spmd(s, c->from, e, x, out);
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
        if (op_has(e->op, OPF_EFFECT) && e->op != OP_assert)
            return fail(s->cx, WF_ERR_NORULE, eqn_place(p, e), "spread: %s, which every device would do", op_name(e->op));
        if (!xf_layout_eqn(s->cx, s->mesh, p, e, have, want))
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

    if (!xf_layouts_parse(cx, p, mesh, in_specs, true, &m, in) ||
        (out_specs && !xf_layouts_parse(cx, p, mesh, out_specs, false, &m, out)) ||
        !spread_sub(&s, &(Sub){p, {0}}, in, out, out_specs != NULL, &body))
        return NULL;
    for (uint32_t j = 0; j < p->nout; j++)
        texts[j] = xf_spec_text(a, &m, &out[j]);
    return around(cx, p, &body, mesh, in_specs, specs_join(a, texts, p->nout));
}
