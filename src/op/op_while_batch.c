/* op_while_batch.c -- vmap of while.
 *
 * A condition that is the same for all rows: the body is batched. A condition for each
 * row: the loop goes on as long as any row is active. A row that has finished keeps its
 * carries, and its stacked rows are zero; the body is a cond on the flag of the row, so
 * that it is never run on the operands of a finished row (op_cond.c). A loop with effects
 * inside is run row by row instead, unless it stacks as many rows as there are turns:
 * then the rows of the batch turn together, and effects come turn by turn.
 */
#include "op/control.h"

static const WhileAttr *attr_of(const EqnView *e) { return e->attr; }

typedef struct WhileBatch {
    Builder *b;
    const EqnView *e;
    const Batch *bt;
    Loop l;
    uint32_t nc;    /* constants of cond */
    bool *carry;    /* which carries are batched */
    bool flag;      /* the condition is */
    Sub cond, body; /* batched */
    int *out_axis;  /* of the body */
} WhileBatch;

static bool batch_condition(WhileBatch *w)
{
    const WhileAttr *a = attr_of(w->e);
    int *axis = NEW(w->b, w->nc + w->l.ncarry, int), out;

    memcpy(axis, w->bt->axis, w->nc * sizeof *axis);
    for (uint32_t i = 0; i < w->l.ncarry; i++)
        axis[w->nc + i] = w->carry[i] ? 0 : -1;
    w->cond = op_sub_batch(w->b, &a->cond, w->bt, axis, w->flag ? &w->flag : NULL, &out);
    w->flag = w->flag || out >= 0;
    return w->cond.p != NULL;
}

/* Which carries are batched, when all rows make the same turns. */
static bool batch_carries(WhileBatch *w)
{
    int *axis = NEW(w->b, w->l.nconst + w->l.ncarry, int);
    bool *want = NEW(w->b, w->l.body->p->nout, bool), more;

    memcpy(axis, w->bt->axis + w->nc, w->l.nconst * sizeof *axis);
    do {
        more = false;
        for (uint32_t i = 0; i < w->l.ncarry; i++)
            axis[w->l.nconst + i] = w->carry[i] ? 0 : -1;
        memcpy(want, w->carry, w->l.ncarry);
        w->body = op_sub_batch(w->b, w->l.body, w->bt, axis, want, w->out_axis);
        if (!w->body.p)
            return false;
        for (uint32_t i = 0; i < w->l.ncarry; i++) {
            more |= w->out_axis[i] >= 0 && !w->carry[i];
            w->carry[i] |= w->out_axis[i] >= 0;
        }
    } while (more);
    return batch_condition(w);
}

static void batch_together(WhileBatch *w, Val *out, int *out_axis)
{
    WhileAttr a = *attr_of(w->e);
    uint32_t first = w->nc + w->l.nconst;
    Val *in = arena_dup(&w->b->arena, w->e->in, w->e->nin * sizeof *in);

    a.cond = w->cond;
    a.body = w->body;
    for (uint32_t i = first; i < w->e->nin; i++)
        in[i] =
            batch_to_front(w->b, in[i], w->bt->axis[i], w->bt->size, w->carry[i - first]);
    b_eqn(w->b, OP_while, in, w->e->nin, &a, out, w->e->nout);
    for (uint32_t j = 0; j < w->e->nout; j++)
        out_axis[j] = w->out_axis[j] < 0 ? -1 : j < w->l.ncarry ? 0 : 1;
}

/* One turn of one row: (b.., flag, x..) -> (x.., y..), nothing done if not flag. */
static Sub row_turn(WhileBatch *w)
{
    const EqnView *e = w->e;
    uint32_t nb = w->l.nconst, nx = w->l.ncarry;
    Val *in = NEW(w->b, nb + nx, Val), *out = NEW(w->b, e->nout, Val), flag;
    Nest n;

    nest_begin(&n, w->b, w->l.body->p->name, e->place);
    for (uint32_t i = 0; i < nb; i++)
        in[i] = nest_input(&n, e->in_type[w->nc + i], input_name(w->l.body->p, i));
    flag = b_input(n.b, "active", b_make_type(n.b, WF_BOOL, NULL, 0));
    for (uint32_t i = nb; i < nb + nx; i++)
        in[i] = nest_input(&n, e->in_type[w->nc + i], input_name(w->l.body->p, i));
    if (b_failed(w->b) ||
        !loop_guarded_turn(&n, flag, w->l.body, in, nb + nx, nb, nx, e->place, out))
        return (Sub){0};
    return nest_end(&n, out, e->nout);
}

/* cond:  (active, x..) -> any(active)
 * body:  (c.., b.., active, x..) -> (active and cond(c.., x'..), x'.., y..),  x', y =
 * turn(b.., active, x..) */
static bool build_rows(WhileBatch *w, const Val *in, const Sub *turn, WhileAttr *a)
{
    Builder *b = w->b;
    uint32_t nc = w->nc, nb = w->l.nconst, nx = w->l.ncarry, nall = nc + nb + 1 + nx;
    Val *v = NEW(b, nall, Val), *args = NEW(b, nall, Val),
        *out = NEW(b, w->e->nout + 1, Val), go;
    Nest n;

    nest_begin(&n, b, "any", w->e->place);
    for (uint32_t i = 0; i < 1 + nx; i++)
        v[i] = nest_input(&n, b_type(b, in[nc + nb + i]), i ? NULL : "active");
    go = b_reduce_axis(n.b, OP_reduce_or, v[0], 0);
    a->cond = nest_end(&n, &go, 1);
    if (!a->cond.p)
        return false;
    nest_begin(&n, b, w->l.body->p->name, w->e->place);
    for (uint32_t i = 0; i < nall; i++)
        v[i] = nest_input(&n, b_type(b, in[i]), i == nc + nb ? "active" : NULL);
    if (b_failed(b) || !nest_inline(&n, turn, v + nc, out + 1))
        return false;
    memcpy(args, v, nc * sizeof *v);
    memcpy(args + nc, out + 1, nx * sizeof *v);
    if (!nest_inline(&n, &w->cond, args, &go))
        return false;
    out[0] = b_and(n.b, v[nc + nb], go);
    a->body = nest_end(&n, out, w->e->nout + 1);
    a->ncond = 0;
    a->nbody = nc + nb;
    return a->body.p != NULL;
}

static void batch_by_row(WhileBatch *w, Val *out, int *out_axis)
{
    Builder *b = w->b;
    const EqnView *e = w->e;
    WhileAttr a = *attr_of(e);
    uint32_t nc = w->nc, nb = w->l.nconst, nx = w->l.ncarry;
    Val *in = NEW(b, e->nin + 1, Val), *args = NEW(b, e->nin + 1, Val), *res,
        go = VAL_NONE;
    int *axis = NEW(b, nb + nx + 1, int);
    bool *all = NEW(b, e->nout, bool);
    uint32_t n;

    memset(w->carry, 1, nx);
    memset(all, 1, e->nout);
    if (!batch_condition(w))
        return;
    Sub turn = row_turn(w);
    memcpy(axis, w->bt->axis + nc, nb * sizeof *axis);
    memset(axis + nb, 0, (nx + 1) * sizeof *axis);
    if (turn.p)
        turn = op_sub_batch(b, &turn, w->bt, axis, all, out_axis);
    if (!turn.p)
        return;
    memcpy(in, e->in, (nc + nb) * sizeof *in);
    for (uint32_t i = nc + nb; i < e->nin; i++)
        in[i + 1] = batch_to_front(b, e->in[i], w->bt->axis[i], w->bt->size, true);
    memcpy(args, in, nc * sizeof *in);
    memcpy(args + nc, in + nc + nb + 1, nx * sizeof *in);
    if (b_failed(b) || !b_inline_sub(b, &w->cond, args, &go, NULL))
        return;
    in[nc + nb] = go;
    if (!build_rows(w, in, &turn, &a))
        return;
    res = b_eqn_n(b, OP_while, in, e->nin + 1, &a, &n);
    if (b_failed(b))
        return;
    memcpy(out, res + 1, e->nout * sizeof *out);
    for (uint32_t j = 0; j < e->nout; j++)
        out_axis[j] = j < nx ? 0 : 1;
}

void batch_while(Builder *b, const EqnView *e, const Batch *bt, Val *out, int *out_axis)
{
    const WhileAttr *a = attr_of(e);
    WhileBatch w = {.b = b,
                    .e = e,
                    .bt = bt,
                    .l = while_loop(b, a, e->nin),
                    .nc = (uint32_t)a->ncond};

    w.carry = NEW(b, w.l.ncarry, bool);
    w.out_axis = NEW(b, e->nout, int);
    for (uint32_t i = 0; i < w.l.ncarry; i++)
        w.carry[i] = bt->axis[w.nc + w.l.nconst + i] >= 0;
    if (!batch_carries(&w))
        return;
    if (!w.flag) {
        batch_together(&w, out, out_axis);
        return;
    }
    if (bt->name && op_program_uses_axis(a->body.p, bt->name))
        fail(b->cx, WF_ERR_NORULE, e->place,
             "while: the body communicates over axis '%s', but rows along it make "
             "different numbers of turns",
             bt->name);
    else if (a->trips != DIM_NONE && !a->padded)
        fail(b->cx, WF_ERR_SHAPE, e->place,
             "while: %s would differ from row to row of the batch, but arrays are "
             "rectangular; needs a bound, or padded=true",
             dim_str(&b->dims, a->trips, &b->arena));
    else if (a->cond.p->effects && a->trips != DIM_NONE)
        fail(b->cx, WF_ERR_NORULE, e->place,
             "while: the condition has effects, and each row of the batch would stack "
             "another number of rows");
    else if ((a->body.p->effects || a->cond.p->effects) && a->trips == DIM_NONE)
        batch_loop(b, e, bt, out, out_axis);
    else
        batch_by_row(&w, out, out_axis);
}
