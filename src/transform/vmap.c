/* vmap.c -- a batch axis through every equation.
 *
 *   requires   a verified program
 *   gives      the program that does f for every element of a batch at once
 *   keeps      order, names, places (with a note: via vmap), effects
 *
 * Method: each value has a batch axis, or none (-1). An equation none of whose operands
 * is batched is copied as it is; else the op's batch rule emits one that works on the
 * whole batch and says where the batch axis of each result is. With a named axis,
 * collectives over that name, and control flow in which there are some, go to their rules
 * even when no operand is batched. The size is a constant or a symbol: rules do not care.
 */
#include "transform/transform.h"

typedef struct Vmap {
    Copier c;
    Batch batch;
    int *axis;     /* of each value of the program, -1: not batched */
    int *in_axis;  /* room for the operands of one equation */
    int *out_axis; /* .. and its results */
} Vmap;

/* ---- equations --------------------------------------------------------------------- */

/* Is t the type of one element, with the batch axis put in at axis? */
static bool is_batch_of(Type t, int axis, Type element, Dim size)
{
    uint32_t k = 0;

    if (axis < 0)
        return type_eq(t, element);
    if (t.dtype != element.dtype || t.rank != element.rank + 1 || axis >= t.rank ||
        t.dims[axis] != size)
        return false;
    for (uint32_t i = 0; i < t.rank; i++)
        if (i != (uint32_t)axis && t.dims[i] != element.dims[k++])
            return false;
    return true;
}

static bool batch_eqn(Vmap *v, const Eqn *e)
{
    Copier *c = &v->c;
    Builder *b = c->b;
    EqnView view;
    Val *out = &c->val[e->out];

    copier_place(c, e);
    if (!op_rules(e->op)->batch)
        return fail(b->cx, WF_ERR_NORULE, b->places.v[b->place],
                    "vmap: %s has no batch rule", op_name(e->op));
    copier_view(c, e, &view);
    v->batch.axis = v->in_axis;
    for (uint32_t j = 0; j < e->nout; j++)
        v->out_axis[j] = -1;
    op_rules(e->op)->batch(b, &view, &v->batch, out, v->out_axis);
    if (b_failed(b))
        return false;
    for (uint32_t j = 0; j < e->nout; j++) {
        if (!is_batch_of(b_type(b, out[j]), v->out_axis[j], view.out_type[j],
                         v->batch.size))
            return xf_bad_rule(b, e->op, "batch", view.place, b_type(b, out[j]),
                               view.out_type[j]);
        v->axis[e->out + j] = v->out_axis[j];
    }
    return true;
}

static bool vmap_eqn(Vmap *v, const Eqn *e)
{
    const Val *in = eqn_in(v->c.from, e);
    bool any = false;

    for (uint32_t i = 0; i < e->nin; i++) {
        v->in_axis[i] = v->axis[in[i]];
        any |= v->in_axis[i] >= 0;
    }
    if (v->batch.name && !any)
        any = op_eqn_uses_axis(e, v->batch.name);
    return any ? batch_eqn(v, e) : copier_eqn(&v->c, e);
}

/* ---- the whole program ------------------------------------------------------------- */

static void make_room(Vmap *v)
{
    const Program *p = v->c.from;
    Arena *a = &v->c.b->arena;
    uint32_t nin = 1, nout = 1;

    for (uint32_t i = 0; i < p->neqns; i++) {
        nin = MAX(nin, p->eqns[i].nin);
        nout = MAX(nout, p->eqns[i].nout);
    }
    v->in_axis = arena_array(a, nin, sizeof *v->in_axis);
    v->out_axis = arena_array(a, nout, sizeof *v->out_axis);
    v->axis = arena_array(a, p->nvals + 1u, sizeof *v->axis);
    memset(v->axis, -1, (p->nvals + 1) * sizeof *v->axis);
}

static void add_input(Vmap *v, uint32_t i, int axis)
{
    const Program *p = v->c.from;
    Builder *b = v->c.b;
    Val x = program_in(p, i);
    Type t = copier_type(&v->c, val_type(p, x));
    Dim dims[MAX_RANK + 1];

    if (axis >= 0) {
        for (uint32_t k = 0; k < t.rank; k++)
            dims[k + (k >= (uint32_t)axis)] = t.dims[k];
        dims[axis] = v->batch.size;
        t = b_make_type(b, (wf_dtype)t.dtype, dims, t.rank + 1u);
    }
    v->c.val[x] = b_input(b, p->names[p->vals[x].name], t);
    v->axis[x] = axis;
}

const Program *xf_batch(wf_ctx *cx, const Program *p, int64_t size, const char *size_name,
                        const char *axis_name, const int *in_axis, const bool *want,
                        int *out_axis)
{
    Builder *b = builder_new(cx, xf_name(cx, p->name, "vmap"), B_OPTIMISE);
    Val *outs = arena_array(&b->arena, p->nout + 1u, sizeof *outs);
    Vmap v = {.batch = {.name = axis_name}};

    copier_init(&v.c, b, p, NULL, "vmap");
    v.batch.size = size >= 0 ? size : b_symbol(b, size_name);
    make_room(&v);
    for (uint32_t i = 0; i < p->nin && !b_failed(b); i++)
        add_input(&v, i, in_axis[i]);
    for (uint32_t i = 0; i < p->neqns && !b_failed(b); i++)
        vmap_eqn(&v, &p->eqns[i]);
    if (b_failed(b))
        return NULL;
    b->place = 0;
    for (uint32_t j = 0; j < p->nout; j++) {
        int axis = v.axis[p->outs[j]];
        Val y = v.c.val[p->outs[j]];

        out_axis[j] = axis >= 0 || (want && want[j]) ? 0 : -1;
        if (axis > 0)
            y = b_move_axis(b, y, (uint32_t)axis, 0);
        else if (axis < 0 && out_axis[j] == 0)
            y = b_broadcast_axis(b, y, 0, v.batch.size);
        outs[j] = y;
    }
    return builder_finish(b, outs, p->nout);
}

const Program *xf_vmap(wf_ctx *cx, const Program *p, const int *axes,
                       const char *axis_name, int64_t size, const bool *want)
{
    int *out_axis = arena_array(&cx->scratch, p->nout + 1u, sizeof *out_axis);
    bool any = false;

    for (uint32_t i = 0; i < p->nin; i++) {
        Type t = val_type(p, program_in(p, i));

        if (axes[i] < -1 || axes[i] > t.rank) {
            fail(cx, WF_ERR_INDEX, NOWHERE,
                 "vmap: axis %d of input %u, which is %s; needs 0 to %u, or - for none",
                 axes[i], i, type_str(&p->dims, t, &cx->scratch), t.rank);
            return NULL;
        }
        any |= axes[i] >= 0;
    }
    if (!any && size < 0) {
        fail(cx, WF_ERR_VALUE, NOWHERE,
             "vmap: no input is batched, needs one, or the size of the batch");
        return NULL;
    }
    if (!want) {
        bool *all = arena_alloc(&cx->scratch, p->nout + 1u);

        memset(all, true, p->nout + 1u);
        want = all;
    }
    return xf_batch(cx, p, size, axis_name ? axis_name : "B", axis_name, axes, want,
                    out_axis);
}
