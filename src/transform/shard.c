/* shard.c -- how the values of a program lie on a mesh, given how its inputs do.
 *
 *   requires   a verified program; specs of its inputs (op/mesh.h)
 *   gives      specs of its results
 *
 * Forwards, by the column `along` of the op table: an axis of a result is divided as the axis
 * of an operand that it runs along is. Where two operands disagree the first that divides has
 * its way, and an axis of the mesh divides one axis of a result at most. `shard` says itself
 * how its result lies. What has no rule is whole on all devices.
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

bool xf_spmd_within(wf_ctx *cx, const Mesh *m, const Program *p, const Eqn *e, uint32_t *out_axes, Spec *in, Spec *out)
{
    const SpmdAttr *a = e->attr;
    Arena *s = &cx->scratch;
    const char **ins = specs_split(s, a->in, e->nin), **outs = specs_split(s, a->out, e->nout);
    Mesh own;

    *out_axes = 0;
    if (!ins || !outs || mesh_parse(s, a->mesh, &own))
        return false;
    for (uint32_t i = 0; i < own.n; i++) {
        uint32_t k = 0;

        while (k < m->n && strcmp(m->name[k], own.name[i]))
            k++;
        if (k == m->n || m->size[k] != own.size[i])
            return false;
        *out_axes |= 1u << k;
    }
    for (uint32_t i = 0; i < e->nin; i++)
        if (spec_parse(s, m, ins[i], val_type(p, eqn_in(p, e)[i]).rank, &in[i]))
            return false;
    for (uint32_t j = 0; j < e->nout; j++)
        if (spec_parse(s, m, outs[j], val_type(p, e->out + j).rank, &out[j]))
            return false;
    return true;
}

/* ---- rules ---- */

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

/* Axes of results that axes of operands run along, the first operand first. */
static void run_all_along(const Layer *l, const Eqn *e, const Spec *const *in, Spec *out)
{
    for (uint32_t j = 0; j < e->nout; j++)
        for (uint32_t i = 0; i < e->nin; i++)
            for (uint32_t k = 0; k < in[i]->rank; k++) {
                Along a = op_along(l->p, e, i, k);
                Type y = val_type(l->p, e->out + j);

                if ((a.kind == ALONG_EACH || a.kind == ALONG_MIXED) && a.to < y.rank)
                    run_along(l, &out[j], a.to, y.dims[a.to], in[i], k);
            }
}

/* ---- sub-programs ---- */

static bool layer_run(wf_ctx *cx, const Mesh *m, const Program *p, const Spec *in,
                      Spec *out);

/* Carries that begin whole and come out of a turn divided are divided from the start. */
static bool settle(const Layer *l, const Program *body, Spec *in, uint32_t first, uint32_t n, Spec *out)
{
    for (bool more = true; more;) {
        more = false;
        if (!layer_run(l->cx, l->mesh, body, in, out))
            return false;
        for (uint32_t j = 0; j < n; j++)
            if (!in[first + j].used && out[j].used) {
                in[first + j] = out[j];
                more = true;
            }
    }
    return true;
}

static bool rule_scan(const Layer *l, const Eqn *e, const Spec *const *in, Spec *out)
{
    const ScanAttr *a = e->attr;
    uint32_t n = a->body.p->nin, first = (uint32_t)(a->nconst + a->ncarry);
    Spec *x = arena_array(&l->cx->scratch, n + 1, sizeof *x);

    for (uint32_t i = 0; i < n; i++)
        x[i] = i < first ? *in[i] : spec_row(in[i]);
    if (!settle(l, a->body.p, x, (uint32_t)a->nconst, (uint32_t)a->ncarry, out))
        return false;
    for (uint32_t j = 0; j < e->nout; j++)
        out[j] = j < (uint32_t)a->ncarry ? x[a->nconst + j] : spec_stack(&out[j]);
    return true;
}

static bool rule_while(const Layer *l, const Eqn *e, const Spec *const *in, Spec *out)
{
    const WhileAttr *w = e->attr;
    uint32_t nc = (uint32_t)w->ncond, nb = (uint32_t)w->nbody, n = e->nin - nc - nb;
    Spec *x = arena_array(&l->cx->scratch, e->nin + 1u, sizeof *x);
    Spec *y = arena_array(&l->cx->scratch, w->body.p->nout + 1u, sizeof *y);

    for (uint32_t i = 0; i < nb + n; i++)
        x[i] = *in[nc + i];
    if (!settle(l, w->body.p, x, nb, n, y))
        return false;
    memcpy(out, x + nb, n * sizeof *out); /* what it stacks is whole */
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

/* Axes of the mesh that are not those of the spmd's own divide what its devices have. */
static bool rule_spmd(const Layer *l, const Eqn *e, const Spec *const *in, Spec *out)
{
    const SpmdAttr *a = e->attr;
    Arena *s = &l->cx->scratch;
    Spec *own_in = arena_array(s, e->nin + 1u, sizeof *own_in), *own = arena_array(s, e->nout + 1u, sizeof *own);
    uint32_t axes;

    if (!xf_spmd_within(l->cx, l->mesh, l->p, e, &axes, own_in, own))
        return true; /* another mesh: whole */
    for (uint32_t i = 0; i < e->nin; i++)
        own_in[i] = spec_without(in[i], axes);
    if (!layer_run(l->cx, l->mesh, a->body.p, own_in, out))
        return false;
    for (uint32_t j = 0; j < e->nout; j++)
        out[j] = spec_over(&own[j], &out[j]);
    return true;
}

static bool rule_control(const Layer *l, const Eqn *e, const Spec *const *in, Spec *out)
{
    switch (e->op) {
    case OP_call:
    case OP_checkpoint:
    case OP_custom_jvp:
    case OP_custom_vjp: return rule_sub(l, e, &((const CallAttr *)e->attr)->body, in, 0, out);
    case OP_cond:
        return rule_sub(l, e, &((const CondAttr *)e->attr)->branches.v[0], in, 1, out);
    case OP_scan: return rule_scan(l, e, in, out);
    case OP_while: return rule_while(l, e, in, out);
    case OP_spmd: return rule_spmd(l, e, in, out);
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
    if (e->op == OP_shard) {
        if (spec_parse(&l->cx->scratch, l->mesh, ((const ShardAttr *)e->attr)->spec, out->rank, out))
            *out = whole(val_type(l->p, e->out).rank);
    } else if (op_hands_on(e->op)) {
        for (uint32_t j = 0; j < e->nout; j++)
            out[j] = *in[j];
    } else {
        run_all_along(l, e, in, out);
        if (e->nin)
            xf_explicit_result(l->mesh, l->p, e, in[0], out);
    }
    return true;
}

static bool layer_all(Layer *l, const Spec *in)
{
    memcpy(l->spec + 1, in, l->p->nin * sizeof *in);
    for (uint32_t i = 0; i < l->p->neqns && !failed(l->cx); i++)
        layer_eqn(l, &l->p->eqns[i]);
    return !failed(l->cx);
}

static bool layer_run(wf_ctx *cx, const Mesh *m, const Program *p, const Spec *in,
                      Spec *out)
{
    Layer l = {cx, m, p, arena_zalloc(&cx->scratch, (p->nvals + 1u) * sizeof(Spec))};

    layer_all(&l, in);
    for (uint32_t j = 0; j < p->nout; j++)
        out[j] = l.spec[p->outs[j]];
    return !failed(cx);
}

bool xf_layout_eqn(wf_ctx *cx, const Mesh *m, const Program *p, const Eqn *e, const Spec *in, Spec *out)
{
    Layer l = {cx, m, p, arena_zalloc(&cx->scratch, (p->nvals + 1u) * sizeof(Spec))};

    for (uint32_t i = 0; i < e->nin; i++)
        l.spec[eqn_in(p, e)[i]] = in[i];
    if (!layer_eqn(&l, e))
        return false;
    memcpy(out, l.spec + e->out, e->nout * sizeof *out);
    return true;
}

const char *xf_spec_text(Arena *a, const Mesh *m, const Spec *s)
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

bool xf_layouts_parse(wf_ctx *cx, const Program *p, const char *mesh, const char *specs, bool inputs, Mesh *m, Spec *out)
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

const char *xf_layouts(wf_ctx *cx, const Program *p, const char *mesh, const char *typed, const char *specs, bool all)
{
    Arena *a = &cx->scratch;
    uint32_t n = all ? p->nvals : p->nout;
    const char **out = arena_array(a, n + 1u, sizeof *out);
    Spec *s = arena_array(a, p->nin + 1u, sizeof *s);
    Mesh m;
    AxisList axes;
    const char *rest;
    Layer l = {cx, &m, p, arena_zalloc(a, (p->nvals + 1u) * sizeof(Spec))};

    if (!xf_layouts_parse(cx, p, mesh, specs, true, &m, s))
        return NULL;
    m.typed = *typed ? mesh_find(a, &m, typed, &axes, &rest) : 0;
    if (!layer_all(&l, s))
        return NULL;
    for (uint32_t j = 0; j < n; j++)
        out[j] = xf_spec_text(a, &m, &l.spec[all ? j + 1 : p->outs[j]]);
    return specs_join(a, out, n);
}
