/* shard.c -- how the values of a program lie on a mesh, given how its inputs do.
 *
 *   requires   a verified program; specs of its inputs (op/mesh.h)
 *   gives      specs of its results
 *
 * Forwards, one rule for ops that treat axes alike: an axis of a result is divided as the
 * axis of an operand that it runs along is. Where two operands disagree the first that
 * divides has its way, and an axis of the mesh divides one axis of a result at most. Axes
 * that an op mixes (contracts, reduces, sorts, cuts) are whole in the result. `shard` says
 * itself how its result lies. What has no rule is whole on all devices.
 */
#include "op/control.h"
#include "op/mesh.h"
#include "transform/transform.h"

typedef struct Layer { /* specs of all values of a program */
    wf_ctx *cx;
    const Mesh *mesh;
    const Program *p;
    Spec *spec;
} Layer;

static Spec whole(uint32_t rank) { return (Spec){.rank = rank}; }

/* Axis k of y is divided as axis i of x; not by axes of the mesh that are taken, nor if it does not come out even. */
static void run_along(const Layer *l, Spec *y, uint32_t k, Dim size, const Spec *x,
                      uint32_t i)
{
    AxisList *to = &y->dim[k];

    if (to->n)
        return;
    for (uint32_t a = 0; a < x->dim[i].n; a++) {
        uint8_t axis = x->dim[i].v[a];
        int64_t n = mesh_count(l->mesh, *to) * l->mesh->size[axis];

        if (y->used & 1u << axis || (dim_is_const(size) && size % n))
            break;
        y->used |= 1u << axis;
        to->v[to->n++] = axis;
    }
}

/* ---- rules ---- */

static void rule_same(const Layer *l, const Eqn *e, const Spec *const *in, Spec *out)
{
    Type y = val_type(l->p, e->out);

    for (uint32_t i = 0; i < e->nin; i++)
        for (uint32_t k = 0; k < y.rank && in[i]->rank == y.rank; k++)
            run_along(l, out, k, y.dims[k], in[i], k);
}

/* Axes that keep their size, in order. */
static void rule_kept(const Layer *l, const Eqn *e, const Spec *x, Spec *out)
{
    Type y = val_type(l->p, e->out), t = val_type(l->p, eqn_in(l->p, e)[0]);

    for (uint32_t k = 0; k < y.rank && t.rank == y.rank; k++)
        if (y.dims[k] == t.dims[k])
            run_along(l, out, k, y.dims[k], x, k);
}

static bool has(Ints v, int64_t x)
{
    for (uint32_t i = 0; i < v.n; i++)
        if (v.v[i] == x)
            return true;
    return false;
}

static void rule_without(const Layer *l, const Eqn *e, Ints gone, const Spec *x,
                         Spec *out)
{
    Type y = val_type(l->p, e->out);

    for (uint32_t i = 0, k = 0; i < x->rank; i++)
        if (!has(gone, i))
            run_along(l, out, k, y.dims[k], x, i), k++;
}

/* Groups of axes with the same number of elements on both sides: the first of one as the first of the other. */
static void rule_reshape(const Layer *l, const Eqn *e, const Spec *x, Spec *out)
{
    Type y = val_type(l->p, e->out), t = val_type(l->p, eqn_in(l->p, e)[0]);
    uint32_t i = 0, k = 0;

    while (i < t.rank && k < y.rank) {
        int64_t a = t.dims[i], b = y.dims[k];
        uint32_t i0 = i++, k0 = k++;

        if (a < 0 || b < 0) {
            if (a != b)
                return;
        } else {
            while (a != b && (a < b ? i < t.rank : k < y.rank)) {
                Dim *side = a < b ? &a : &b;
                Dim d = a < b ? t.dims[i++] : y.dims[k++];

                if (d < 0)
                    return;
                *side *= d;
            }
        }
        while (i0 + 1 < i && t.dims[i0] == 1)
            i0++;
        while (k0 + 1 < k && y.dims[k0] == 1)
            k0++;
        run_along(l, out, k0, y.dims[k0], x, i0);
    }
}

static void rule_dot(const Layer *l, const Eqn *e, const Spec *const *in, Spec *out)
{
    const DotAttr *a = e->attr;
    Type y = val_type(l->p, e->out);
    uint32_t k = 0;

    for (uint32_t i = 0; i < a->lhs_batch.n; i++, k++) {
        run_along(l, out, k, y.dims[k], in[0], (uint32_t)a->lhs_batch.v[i]);
        run_along(l, out, k, y.dims[k], in[1], (uint32_t)a->rhs_batch.v[i]);
    }
    for (uint32_t side = 0; side < 2; side++)
        for (uint32_t i = 0; i < in[side]->rank; i++)
            if (!has(side ? a->rhs : a->lhs, i) &&
                !has(side ? a->rhs_batch : a->lhs_batch, i))
                run_along(l, out, k, y.dims[k], in[side], i), k++;
}

static void rule_conv(const Layer *l, const Eqn *e, const Spec *const *in, Spec *out)
{
    const ConvAttr *a = e->attr;
    Type y = val_type(l->p, e->out);
    uint32_t batch = conv_axis(a->out_spec, 0), feature = conv_axis(a->out_spec, 1);

    if (a->batch_groups == 1)
        run_along(l, out, batch, y.dims[batch], in[0], conv_axis(a->lhs_spec, 0));
    run_along(l, out, feature, y.dims[feature], in[1], conv_axis(a->rhs_spec, 0));
}

/* Batch axes of the indices are those of the result that are no offsets. */
static void rule_gather(const Layer *l, const Eqn *e, const Spec *indices, Spec *out)
{
    const GatherAttr *a = e->attr;
    Type y = val_type(l->p, e->out);

    for (uint32_t k = 0, i = 0; k < y.rank && !a->operand_batching.n; k++)
        if (!has(a->offset_dims, k))
            run_along(l, out, k, y.dims[k], indices, i++);
}

/* ---- sub-programs ---- */

static bool layer_run(wf_ctx *cx, const Mesh *m, const Program *p, const Spec *in,
                      Spec *out);

static bool rule_scan(const Layer *l, const Eqn *e, const Spec *const *in, Spec *out)
{
    const ScanAttr *a = e->attr;
    uint32_t n = a->body.p->nin, first = (uint32_t)(a->nconst + a->ncarry);
    Spec *x = arena_array(&l->cx->scratch, n + 1, sizeof *x);

    for (uint32_t i = 0; i < n; i++) {
        x[i] = *in[i];
        if (i >= first) { /* a row */
            x[i].rank--;
            for (uint32_t k = 0; k < in[i]->dim[0].n; k++)
                x[i].used &= ~(1u << in[i]->dim[0].v[k]);
            memmove(x[i].dim, x[i].dim + 1, x[i].rank * sizeof *x[i].dim);
        }
    }
    if (!layer_run(l->cx, l->mesh, a->body.p, x, out))
        return false;
    for (uint32_t j = 0; j < e->nout; j++) {
        if (j < (uint32_t)a->ncarry) { /* as it began */
            out[j] = *in[a->nconst + j];
            continue;
        }
        memmove(out[j].dim + 1, out[j].dim, out[j].rank * sizeof *out[j].dim);
        out[j].dim[0].n = 0;
        out[j].rank++;
    }
    return true;
}

static bool rule_sub(const Layer *l, const Eqn *e, const Sub *s, const Spec *const *in,
                     uint32_t first, Spec *out)
{
    Spec *x = arena_array(&l->cx->scratch, e->nin + 1u, sizeof *x);

    for (uint32_t i = first; i < e->nin; i++)
        x[i - first] = *in[i];
    return layer_run(l->cx, l->mesh, s->p, x, out);
}

static bool rule_control(const Layer *l, const Eqn *e, const Spec *const *in, Spec *out)
{
    const SpmdAttr *a = e->attr;
    const WhileAttr *w = e->attr;
    const char **text;
    Mesh m;

    switch (e->op) {
    case OP_call:
    case OP_checkpoint:
    case OP_custom_jvp:
    case OP_custom_vjp: return rule_sub(l, e, &a->body, in, 0, out);
    case OP_cond:
        return rule_sub(l, e, &((const CondAttr *)e->attr)->branches.v[0], in, 1, out);
    case OP_scan: return rule_scan(l, e, in, out);
    case OP_while:
        for (uint32_t j = 0; j < e->nin - (uint32_t)(w->ncond + w->nbody); j++)
            out[j] = *in[w->ncond + w->nbody + j];
        return true;
    case OP_spmd:
        text = specs_split(&l->cx->scratch, a->out, e->nout);
        for (uint32_t j = 0; j < e->nout && !mesh_parse(&l->cx->scratch, a->mesh, &m);
             j++)
            if (spec_parse(&l->cx->scratch, l->mesh, text[j],
                           val_type(l->p, e->out + j).rank, &out[j]))
                out[j] = whole(val_type(l->p, e->out + j).rank);
        return true;
    default: return true;
    }
}

/* ---- programs ---- */

static bool layer_eqn(Layer *l, const Eqn *e)
{
    const Spec **in = arena_array(&l->cx->scratch, e->nin + 1u, sizeof *in);
    Spec *out = &l->spec[e->out];

    for (uint32_t i = 0; i < e->nin; i++)
        in[i] = &l->spec[eqn_in(l->p, e)[i]];
    for (uint32_t j = 0; j < e->nout; j++)
        out[j] = whole(val_type(l->p, e->out + j).rank);
    if (op_has(e->op, OPF_CONTROL))
        return rule_control(l, e, in, out);
    switch (e->op) {
    case OP_shard:
        return !spec_parse(&l->cx->scratch, l->mesh, ((const ShardAttr *)e->attr)->spec,
                           out->rank, out) ||
               (*out = whole(val_type(l->p, e->out).rank), true);
    case OP_reshape: rule_reshape(l, e, in[0], out); return true;
    case OP_broadcast:
        for (uint32_t i = 0; i < in[0]->rank; i++) {
            uint32_t k = (uint32_t)((const BroadcastAttr *)e->attr)->dims.v[i];

            run_along(l, out, k, val_type(l->p, e->out).dims[k], in[0], i);
        }
        return true;
    case OP_transpose:
        for (uint32_t k = 0; k < out->rank; k++)
            run_along(l, out, k, val_type(l->p, e->out).dims[k], in[0],
                      (uint32_t)((const TransposeAttr *)e->attr)->perm.v[k]);
        return true;
    case OP_dot_general: rule_dot(l, e, in, out); return true;
    case OP_conv_general: rule_conv(l, e, in, out); return true;
    case OP_gather: rule_gather(l, e, in[1], out); return true;
    case OP_argmax:
    case OP_argmin:
        rule_without(l, e, INTS(1, ((const ArgAttr *)e->attr)->axis), in[0], out);
        return true;
    case OP_slice:
    case OP_pad:
    case OP_concat:
    case OP_dynamic_slice:
    case OP_rev:
    case OP_dynamic_update_slice:
    case OP_scatter:
    case OP_scatter_add: rule_kept(l, e, in[0], out); return true;
    default: break;
    }
    if (op_row(e->op)->lower.kind == LOWER_REDUCE)
        rule_without(l, e, ((const ReduceAttr *)e->attr)->axes, in[0], out);
    else if (op_row(e->op)->lower.kind == LOWER_MAP)
        rule_same(l, e, in, out);
    else if (op_has(e->op, OPF_SAME))
        for (uint32_t j = 0; j < e->nout; j++)
            out[j] = *in[j];
    return true;
}

static bool layer_run(wf_ctx *cx, const Mesh *m, const Program *p, const Spec *in,
                      Spec *out)
{
    Layer l = {cx, m, p, arena_zalloc(&cx->scratch, (p->nvals + 1u) * sizeof(Spec))};

    memcpy(l.spec + 1, in, p->nin * sizeof *in);
    for (uint32_t i = 0; i < p->neqns && !failed(cx); i++)
        layer_eqn(&l, &p->eqns[i]);
    for (uint32_t j = 0; j < p->nout; j++)
        out[j] = l.spec[p->outs[j]];
    return !failed(cx);
}

bool layout_eqn(wf_ctx *cx, const Mesh *m, const Program *p, const Eqn *e, const Spec *in, Spec *out)
{
    Layer l = {cx, m, p, arena_zalloc(&cx->scratch, (p->nvals + 1u) * sizeof(Spec))};

    for (uint32_t i = 0; i < e->nin; i++)
        l.spec[eqn_in(p, e)[i]] = in[i];
    if (!layer_eqn(&l, e))
        return false;
    memcpy(out, l.spec + e->out, e->nout * sizeof *out);
    return true;
}

const char *spec_text(Arena *a, const Mesh *m, const Spec *s)
{
    Text t;

    text_init(&t, a);
    for (uint32_t k = 0; k < s->rank; k++) {
        text_add(&t, k ? "," : "");
        for (uint32_t i = 0; i < s->dim[k].n; i++)
            text_printf(&t, "%s%s", i ? "+" : "", m->name[s->dim[k].v[i]]);
        if (!s->dim[k].n)
            text_char(&t, '-');
    }
    return text_str(&t);
}

/* Does every part have as many elements? */
static bool is_even(wf_ctx *cx, const Mesh *m, Type t, const Spec *s, const char *what, uint32_t i)
{
    for (uint32_t k = 0; k < t.rank; k++)
        if (dim_is_const(t.dims[k]) && t.dims[k] % mesh_count(m, s->dim[k]))
            return fail(cx, WF_ERR_SHAPE, NOWHERE, "layouts: %s %u has %lld elements along axis %u, for %lld devices", what, i,
                        (long long)t.dims[k], k, (long long)mesh_count(m, s->dim[k]));
    return true;
}

bool layouts_parse(wf_ctx *cx, const Program *p, const char *mesh, const char *specs, bool inputs, Mesh *m, Spec *out)
{
    Arena *a = &cx->scratch;
    uint32_t n = inputs ? p->nin : p->nout;
    const char **text = specs_split(a, specs, n), *why = mesh_parse(a, mesh, m), *what = inputs ? "input" : "result";

    if (why || !text)
        return fail(cx, WF_ERR_VALUE, NOWHERE, "layouts: mesh \"%s\": %s", mesh,
                    why ? why : inputs ? "needs one spec for each input" : "needs one spec for each result");
    for (uint32_t i = 0; i < n; i++) {
        Type t = val_type(p, inputs ? program_in(p, i) : p->outs[i]);

        if ((why = spec_parse(a, m, text[i], t.rank, &out[i])))
            return fail(cx, WF_ERR_VALUE, NOWHERE, "layouts: \"%s\" of %s %u: %s", text[i], what, i, why);
        if (!is_even(cx, m, t, &out[i], what, i))
            return false;
    }
    return true;
}

const char *xf_layouts(wf_ctx *cx, const Program *p, const char *mesh, const char *specs)
{
    Arena *a = &cx->scratch;
    const char **out = arena_array(a, p->nout + 1u, sizeof *out);
    Spec *s = arena_array(a, p->nin + p->nout + 1u, sizeof *s);
    Mesh m;

    if (!layouts_parse(cx, p, mesh, specs, true, &m, s) || !layer_run(cx, &m, p, s, s + p->nin))
        return NULL;
    for (uint32_t j = 0; j < p->nout; j++)
        out[j] = spec_text(a, &m, &s[p->nin + j]);
    return specs_join(a, out, p->nout);
}
