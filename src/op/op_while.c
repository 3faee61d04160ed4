/* op_while.c -- while: a body run as long as a condition holds, with carries and stacked rows.
 *
 *   while cond(c.., x..):   x.., y_t.. = body(b.., x..)
 *
 * The rows y are stacked to the bound, rows not reached zero, or, without a bound, to as many turns as were
 * made, which defines the symbol `trips`.
 *
 * jvp        the body's jvp; the condition sees the primals only
 * partition  the known part (with the condition) runs first and stacks, besides the residuals, a flag: this
 *            turn was made. The rest is then a scan over what was stacked, whose turns do nothing where the flag is not set:
 *            past the end of a bounded loop, and, under vmap, in rows that finished early. That is how reverse mode
 *            comes through a while.
 * batch      a condition for each row: the loop goes on as long as any row is active. A row that has finished keeps
 *            its carries; the body is a cond on the flag of the row, so that it is never run on the operands of a
 *            finished row (op_cond.c).
 */
#include "op/control.h"

static const WhileAttr *attr_of(const EqnView *e) { return e->attr; }

/* The operands from the body's constants on are the inputs of the body. */
static Loop loop_of(Builder *b, const WhileAttr *a, uint32_t nin)
{
    uint32_t ncarry = nin - (uint32_t)(a->ncond + a->nbody);

    return (Loop){b, &a->body, (uint32_t)a->nbody, ncarry, 0, a->body.p->nout - ncarry};
}

/* ---- type ---- */

static bool check_counts(TypeRule *t, const WhileAttr *a)
{
    int64_t max = t->nin;

    if (!a->cond.p || !a->body.p)
        return type_fail(t, WF_ERR_VALUE, "%s is missing", a->cond.p ? "body" : "cond");
    if (a->ncond < 0 || a->nbody < 0 || a->ncond > max || a->nbody > max - a->ncond)
        return type_fail(t, WF_ERR_VALUE, "ncond=%lld nbody=%lld, but there are %u operands", (long long)a->ncond,
                         (long long)a->nbody, t->nin);
    if (a->body.p->nout < t->nin - (uint32_t)(a->ncond + a->nbody))
        return type_fail(t, WF_ERR_TYPE, "body '%s' has %u results, needs at least the %lld carries", a->body.p->name,
                         a->body.p->nout, (long long)(max - a->ncond - a->nbody));
    return true;
}

static bool check_cond(TypeRule *t, WhileAttr *a)
{
    uint32_t ncarry = t->nin - (uint32_t)(a->ncond + a->nbody);
    Type *in = NEW(t->b, t->nin, Type), *out = NEW(t->b, a->cond.p->nout, Type);

    memcpy(in, t->in, (size_t)a->ncond * sizeof *in);
    memcpy(in + a->ncond, t->in + a->ncond + a->nbody, ncarry * sizeof *in);
    if (!sub_bind(t, &a->cond, "cond", in, (uint32_t)a->ncond + ncarry, out))
        return false;
    if (a->cond.p->nout != 1 || out[0].dtype != WF_BOOL || out[0].rank != 0)
        return type_fail(t, WF_ERR_TYPE, "cond '%s' gives %s, needs one bool[]", a->cond.p->name,
                         a->cond.p->nout == 1 ? type_show(t, out[0]) : "not one result");
    return true;
}

static bool type_while(TypeRule *t)
{
    WhileAttr *a = t->attr;
    Type *out;
    uint32_t first, ncarry, nys;
    Dim length;

    if (!check_counts(t, a) || !check_cond(t, a))
        return false;
    first = (uint32_t)(a->ncond + a->nbody);
    ncarry = t->nin - first;
    nys = a->body.p->nout - ncarry;
    out = NEW(t->b, a->body.p->nout, Type);
    if (!sub_bind(t, &a->body, "body", t->in + a->ncond, t->nin - (uint32_t)a->ncond, out))
        return false;
    for (uint32_t i = 0; i < ncarry; i++)
        if (!type_eq(t->in[first + i], out[i]))
            return type_fail(t, t->in[first + i].dtype == out[i].dtype ? WF_ERR_SHAPE : WF_ERR_TYPE,
                             "carry %u begins as %s, but the body makes it %s", i, type_show(t, t->in[first + i]),
                             type_show(t, out[i]));
    if (a->bound != DIM_NONE && a->bound < 0 && dim_value(t->dims, a->bound, &length))
        return type_fail(t, WF_ERR_VALUE, "bound %s is negative", dim_show(t, a->bound));
    if (a->bound != DIM_NONE && a->trips != DIM_NONE)
        return type_fail(t, WF_ERR_VALUE, "has a bound, so it cannot define trips as well");
    if (nys && a->bound == DIM_NONE && a->trips == DIM_NONE)
        return type_fail(t, WF_ERR_VALUE, "stacks %u rows a turn without a bound, so it needs trips=", nys);
    length = a->bound != DIM_NONE ? a->bound : a->trips;
    for (uint32_t j = 0; j < a->body.p->nout; j++)
        type_out_like(t, j < ncarry ? out[j] : stack_type(t->b, out[j], length));
    return true;
}

/* ---- eval ---- */

typedef struct WhileRun {
    Eval *e;
    const WhileAttr *a;
    uint32_t ncond, nbody, ncarry, nys;
    Nd *cond_in, *body_in; /* constants.., carries.. */
    Nd *out;               /* where a turn writes: carries, rows */
    char **rows;           /* without a bound: rows so far, room for cap turns */
    size_t *row_bytes;
    int64_t turns, cap;
    ArenaMark mark;        /* what a turn leaves in the arena is dropped */
} WhileRun;

static void copy_nd(Nd *to, const Nd *from)
{
    if (from->count)
        memcpy(to->data, from->data, (size_t)from->count * wf_dtype_size(from->dtype));
}

static void run_begin(WhileRun *w, Eval *e)
{
    const WhileAttr *a = e->attr;
    uint32_t first = (uint32_t)(a->ncond + a->nbody);

    *w = (WhileRun){.e = e, .a = a, .ncond = (uint32_t)a->ncond, .nbody = (uint32_t)a->nbody, .ncarry = e->nin - first};
    w->nys = e->nout - w->ncarry;
    w->cond_in = arena_array(e->a, w->ncond + w->ncarry, sizeof(Nd));
    w->body_in = arena_array(e->a, w->nbody + w->ncarry, sizeof(Nd));
    w->out = arena_zalloc(e->a, (e->nout + 1) * sizeof(Nd));
    w->rows = arena_zalloc(e->a, (w->nys + 1) * sizeof *w->rows);
    w->row_bytes = arena_zalloc(e->a, (w->nys + 1) * sizeof *w->row_bytes);
    memcpy(w->cond_in, e->in, w->ncond * sizeof(Nd));
    memcpy(w->body_in, e->in + w->ncond, w->nbody * sizeof(Nd));
    for (uint32_t i = 0; i < w->ncarry; i++) {
        Nd x = e->in[first + i];
        w->out[i] = x;
        w->out[i].data = arena_array(e->a, (size_t)x.count, wf_dtype_size(x.dtype));
        x.data = arena_array(e->a, (size_t)x.count, wf_dtype_size(x.dtype));
        copy_nd(&x, &e->in[first + i]);
        w->cond_in[w->ncond + i] = w->body_in[w->nbody + i] = x;
    }
    for (uint32_t j = w->ncarry; j < e->nout; j++) /* rows that are not reached */
        if (a->bound != DIM_NONE)
            memset(e->out[j].data, 0, (size_t)e->out[j].count * wf_dtype_size(e->out[j].dtype));
    w->mark = arena_mark(e->a);
}

static bool run_cond(WhileRun *w, bool *out_go_on)
{
    uint8_t flag = 0;
    Nd out = {.dtype = WF_BOOL, .count = 1, .data = &flag};

    if (w->a->bound != DIM_NONE && w->turns >= w->a->bound) {
        *out_go_on = false;
        return true;
    }
    if (!eval_sub(w->e, &w->a->cond, w->cond_in, &out))
        return false;
    *out_go_on = flag != 0;
    return true;
}

/* Copy the rows of this turn behind the others; what else the turn left is dropped. */
static void keep_rows(WhileRun *w)
{
    Eval *e = w->e;

    if (w->turns == w->cap) {
        char *row[64], **rows = w->nys <= 64 ? row : arena_array(e->a, w->nys, sizeof *rows);
        w->cap = w->cap ? w->cap * 2 : 4;
        for (uint32_t j = 0; j < w->nys; j++) {
            const Nd *y = &w->out[w->ncarry + j];
            w->row_bytes[j] = (size_t)y->count * wf_dtype_size(y->dtype);
            rows[j] = arena_array(e->a, (size_t)w->cap, w->row_bytes[j]);
            if (w->turns)
                memcpy(rows[j], w->rows[j], (size_t)w->turns * w->row_bytes[j]);
            memcpy(rows[j] + (size_t)w->turns * w->row_bytes[j], y->data, w->row_bytes[j]);
        }
        memcpy(w->rows, rows, w->nys * sizeof *rows);
        w->mark = arena_mark(e->a);
        return;
    }
    for (uint32_t j = 0; j < w->nys; j++)
        memcpy(w->rows[j] + (size_t)w->turns * w->row_bytes[j], w->out[w->ncarry + j].data, w->row_bytes[j]);
}

static bool run_turn(WhileRun *w)
{
    Eval *e = w->e;
    bool bounded = w->a->bound != DIM_NONE;

    for (uint32_t j = 0; j < w->nys; j++) {
        Nd *y = &w->out[w->ncarry + j], all = e->out[w->ncarry + j];
        *y = (Nd){0};
        if (bounded) {
            int64_t count = all.count / all.dims[0]; /* the bound is not 0 in a turn */
            *y = (Nd){all.dtype, all.rank - 1, all.dims + 1, count,
                      (char *)all.data + (size_t)(w->turns * count) * wf_dtype_size(all.dtype)};
        }
    }
    if (!eval_sub(e, &w->a->body, w->body_in, w->out))
        return false;
    if (!bounded && w->nys)
        keep_rows(w);
    arena_reset(e->a, w->mark);
    for (uint32_t i = 0; i < w->ncarry; i++) {
        void *now = w->out[i].data;
        w->out[i].data = w->body_in[w->nbody + i].data;
        w->body_in[w->nbody + i].data = w->cond_in[w->ncond + i].data = now;
    }
    w->turns++;
    return true;
}

static bool eval_while(Eval *e)
{
    WhileRun w;
    bool go_on;

    run_begin(&w, e);
    while (run_cond(&w, &go_on) && go_on) {
        if (cancelled(e->cx))
            return eval_fail(e, WF_ERR_CANCELLED, "the run was cancelled");
        if (!run_turn(&w))
            return false;
    }
    if (failed(e->cx))
        return false;
    if (w.a->trips != DIM_NONE) {
        if (!eval_define(e, w.a->trips, w.turns))
            return false;
        for (uint32_t j = 0; j < w.nys && w.turns; j++)
            memcpy(e->out[w.ncarry + j].data, w.rows[j], (size_t)w.turns * w.row_bytes[j]);
    }
    for (uint32_t i = 0; i < w.ncarry; i++)
        copy_nd(&e->out[i], &w.body_in[w.nbody + i]);
    return true;
}

/* ---- jvp ---- */

/* The condition with further carries, which it does not see. */
static Sub cond_with(Builder *b, const EqnView *e, const Sub *cond, uint32_t ncond, const Val *carry, uint32_t ncarry,
                     uint32_t nseen)
{
    Val *in = NEW(b, ncond + ncarry, Val), out = VAL_NONE;
    Nest n;

    nest_begin(&n, b, cond->p->name, e->place);
    for (uint32_t i = 0; i < ncond; i++)
        in[i] = nest_input(&n, e->in_type[i], input_name(cond->p, i));
    for (uint32_t i = 0; i < ncarry; i++)
        in[ncond + i] = nest_input(&n, b_type(b, carry[i]), i < nseen ? input_name(cond->p, ncond + i) : NULL);
    if (b_failed(b) || !nest_inline(&n, cond, in, &out))
        return (Sub){0};
    return nest_end(&n, &out, 1);
}

static void jvp_while(Builder *b, const EqnView *e, const Val *dx, Val *dy)
{
    const WhileAttr *a = attr_of(e);
    Loop l = loop_of(b, a, e->nin);
    uint32_t nc = (uint32_t)a->ncond, nb = l.nconst + l.ncarry, n;
    bool *in_nz = NEW(b, nb, bool), *out_nz = NEW(b, e->nout, bool);
    Val *in = NEW(b, 2 * e->nin, Val), *out;
    WhileAttr ja = *a;
    const Program *jvp;

    nonzero_of(dx + nc, nb, in_nz);
    jvp = loop_jvp(&l, in_nz, out_nz);
    if (!jvp)
        return;
    ja.body = loop_jvp_body(&l, jvp, e->in_type + nc, in_nz, out_nz, e->place);
    if (!ja.body.p)
        return;
    memcpy(in, e->in, (nc + l.nconst) * sizeof *in);
    n = nc + l.nconst;
    for (uint32_t i = 0; i < l.nconst; i++)
        if (in_nz[i])
            in[n++] = dx[nc + i];
    ja.nbody = n - nc;
    for (uint32_t i = 0; i < l.ncarry; i++)
        in[n++] = e->in[nc + l.nconst + i];
    for (uint32_t i = l.nconst; i < nb; i++)
        if (in_nz[i])
            in[n++] = zeros_if_none(b, dx[nc + i], e->in_type[nc + i]);
    ja.cond = cond_with(b, e, &a->cond, nc, in + nc + ja.nbody, n - nc - (uint32_t)ja.nbody, l.ncarry);
    if (!ja.cond.p)
        return;
    out = b_eqn_n(b, OP_while, in, n, &ja, &n);
    if (b_failed(b))
        return;
    for (uint32_t part = 0, k = 0; part < 2; part++) { /* x.., dx.., y.., dy.. */
        uint32_t from = part ? l.ncarry : 0, to = part ? e->nout : l.ncarry;
        memcpy(dy + e->nout + from, out + k, (to - from) * sizeof *out);
        k += to - from;
        k += spread(out + k, out_nz + from, to - from, dy + from);
    }
}

static void transpose_while(Builder *b, const EqnView *e, const Val *gy, Val *gx)
{
    if (!transpose_by_split(b, e, gy, gx))
        fail(b->cx, WF_ERR_NORULE, e->place, "transpose: the condition of while depends on a tangent");
}

/* ---- a turn that may not be made ---- */

/* (consts.., carries..) -> (carries.., zeros for rows..) */
static Sub hold_branch(Nest *outer, const Type *in, uint32_t nin, uint32_t first, uint32_t ncarry, const Type *row,
                       uint32_t nys, Place place)
{
    Val *v = NEW(outer->b, nin, Val), *out = NEW(outer->b, ncarry + nys, Val);
    Nest n;

    nest_begin(&n, outer->b, "hold", place);
    for (uint32_t i = 0; i < nin; i++)
        v[i] = nest_input(&n, in[i], NULL);
    memcpy(out, v + first, ncarry * sizeof *v);
    for (uint32_t j = 0; j < nys; j++)
        out[ncarry + j] = b_zeros(n.b, nest_type(&n, row[j]));
    return nest_end(&n, out, ncarry + nys);
}

/* In n->b: cond(flag, x..) of [hold, s], s: (x..) -> (carries.., rows..), its carries x[first ..]. binds of s are of
 * n->outer. Results into out. */
static bool guarded_turn(Nest *n, Val flag, const Sub *s, const Val *x, uint32_t nin, uint32_t first,
                         uint32_t ncarry, Place place, Val *out)
{
    Builder *b = n->b;
    uint32_t nys = s->p->nout - ncarry;
    Type *in = NEW(b, nin, Type), *row = NEW(b, nys, Type);
    Val *args = NEW(b, nin + 1, Val);
    Sub two[2];

    two[1] = nest_sub(n, s);
    for (uint32_t i = 0; i < nin; i++)
        in[i] = b_type(b, x[i]);
    for (uint32_t j = 0; j < nys; j++)
        row[j] = sub_type(b, &two[1], val_type(s->p, s->p->outs[ncarry + j]));
    if (b_failed(b))
        return false;
    two[0] = hold_branch(n, in, nin, first, ncarry, row, nys, place);
    if (!two[0].p)
        return false;
    args[0] = flag;
    memcpy(args + 1, x, nin * sizeof *x);
    b_eqn(b, OP_cond, args, nin + 1, &(CondAttr){{2, two}}, out, ncarry + nys);
    return !b_failed(b);
}

/* ---- batch ---- */

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
    w->cond = sub_batch(w->b, &a->cond, w->bt, axis, w->flag ? &w->flag : NULL, &out);
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
        w->body = sub_batch(w->b, w->l.body, w->bt, axis, want, w->out_axis);
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
        in[i] = batch_to_front(w->b, in[i], w->bt->axis[i], w->bt->size, w->carry[i - first]);
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
    if (b_failed(w->b) || !guarded_turn(&n, flag, w->l.body, in, nb + nx, nb, nx, e->place, out))
        return (Sub){0};
    return nest_end(&n, out, e->nout);
}

/* cond:  (active, x..) -> any(active)
 * body:  (c.., b.., active, x..) -> (active and cond(c.., x'..), x'.., y..),  x', y = turn(b.., active, x..) */
static bool build_rows(WhileBatch *w, const Val *in, const Sub *turn, WhileAttr *a)
{
    Builder *b = w->b;
    uint32_t nc = w->nc, nb = w->l.nconst, nx = w->l.ncarry, nall = nc + nb + 1 + nx;
    Val *v = NEW(b, nall, Val), *args = NEW(b, nall, Val), *out = NEW(b, w->e->nout + 1, Val), go;
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
    Val *in = NEW(b, e->nin + 1, Val), *args = NEW(b, e->nin + 1, Val), *res, go = VAL_NONE;
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
        turn = sub_batch(b, &turn, w->bt, axis, all, out_axis);
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

static void batch_while(Builder *b, const EqnView *e, const Batch *bt, Val *out, int *out_axis)
{
    const WhileAttr *a = attr_of(e);
    WhileBatch w = {.b = b, .e = e, .bt = bt, .l = loop_of(b, a, e->nin), .nc = (uint32_t)a->ncond};

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
    if (bt->name && program_uses_axis(a->body.p, bt->name))
        fail(b->cx, WF_ERR_NORULE, e->place,
             "while: the body communicates over axis '%s', but rows along it make different numbers of turns",
             bt->name);
    else if (a->body.p->effects || a->cond.p->effects)
        batch_loop(b, e, bt, out, out_axis);
    else
        batch_by_row(&w, out, out_axis);
}

/* ---- partition ---- */

/* Can the known part decide when to stop? */
static bool cond_is_known(PartitionRule *r, const LoopSplit *ls)
{
    const WhileAttr *a = attr_of(&r->ek);
    bool *used = NEW(r->known, a->cond.p->nin, bool);

    program_used_inputs(a->cond.p, used);
    for (uint32_t i = 0; i < a->cond.p->nin; i++)
        if (used[i] && (i < a->ncond ? r->ek.in[i] == VAL_NONE : !ls->in_known[a->nbody + i - a->ncond]))
            return false;
    return true;
}

static bool all_in_rest(PartitionRule *r)
{
    Val *in = NEW(r->rest, r->er.nin, Val), *out;
    uint32_t n;

    for (uint32_t i = 0; i < r->er.nin; i++)
        in[i] = r->ek.in[i] != VAL_NONE ? partition_residual(r, r->ek.in[i]) : r->er.in[i];
    out = b_eqn_n(r->rest, OP_while, in, r->er.nin, r->er.attr, &n);
    if (!failed(r->cx))
        memcpy(r->out_rest, out, n * sizeof *out);
    return !failed(r->cx);
}

/* The condition on known operands and carries only. */
static Sub known_cond(PartitionRule *r, const LoopSplit *ls, Val *in, uint32_t *out_n)
{
    Builder *b = r->known;
    const WhileAttr *a = attr_of(&r->ek);
    uint32_t nc = (uint32_t)a->ncond, nb = (uint32_t)a->nbody;
    Val *v = NEW(b, a->cond.p->nin, Val), out = VAL_NONE;
    Nest n;

    nest_begin(&n, b, a->cond.p->name, r->ek.place);
    for (uint32_t i = 0; i < a->cond.p->nin; i++) {
        uint32_t at = i < nc ? i : i + nb;
        if (i < nc ? r->ek.in[i] == VAL_NONE : !ls->in_known[nb + i - nc]) {
            v[i] = b_zeros(n.b, nest_type(&n, r->ek.in_type[at])); /* not used */
            continue;
        }
        v[i] = nest_input(&n, r->ek.in_type[at], input_name(a->cond.p, i));
        if (i < nc)
            in[(*out_n)++] = r->ek.in[i];
    }
    if (b_failed(b) || !nest_inline(&n, &a->cond, v, &out))
        return (Sub){0};
    return nest_end(&n, &out, 1);
}

/* The known loop: known results of the body, the stacked residuals, and true for every turn made. */
static Val *emit_known(PartitionRule *r, const Loop *l, const LoopSplit *ls, bool rest)
{
    Builder *b = r->known;
    WhileAttr a = *attr_of(&r->ek);
    const Program *known = ls->s.known;
    uint32_t nc = (uint32_t)a.ncond, n = 0, nin = 0, nout = ls->nknown;
    Sub s = sub_like(b, l->body, known);
    Val *in = NEW(b, r->ek.nin, Val), *v = NEW(b, r->ek.nin, Val), *out = NEW(b, known->nout + 1, Val);
    Nest nest;

    if (rest && a.bound == DIM_NONE && a.trips == DIM_NONE)
        a.trips = b_symbol(b, "trips");
    a.cond = known_cond(r, ls, in, &n);
    if (!a.cond.p)
        return NULL;
    a.ncond = n;
    a.nbody = count_true(ls->in_known, l->nconst);
    nest_begin(&nest, b, known->name, r->ek.place);
    for (uint32_t i = 0; i < l->nconst + l->ncarry; i++)
        if (ls->in_known[i]) {
            v[nin++] = nest_input(&nest, r->ek.in_type[nc + i], input_name(l->body->p, i));
            in[n++] = r->ek.in[nc + i];
        }
    if (b_failed(b) || !nest_inline(&nest, &s, v, out))
        return NULL;
    for (uint32_t k = 0; k < ls->s.nres; k++)
        if (ls->res[k] == RES_STACKED)
            out[nout++] = out[ls->nknown + k];
    if (rest)
        out[nout++] = b_scalar(nest.b, WF_BOOL, 1);
    a.body = nest_end(&nest, out, nout);
    if (!a.body.p)
        return NULL;
    out = b_eqn_n(b, OP_while, in, n, &a, &n);
    return failed(r->cx) ? NULL : out;
}

typedef struct RestScan {
    Nest nest;
    Val *arg, *in; /* operands, and inputs of the body */
    uint32_t n;
} RestScan;

static Val add_arg(RestScan *w, Val v, bool slice, const char *name)
{
    Type t = b_type(w->nest.outer, v);

    w->arg[w->n] = v;
    w->in[w->n] = nest_input(&w->nest, slice ? elem_type(t) : t, name);
    return w->in[w->n++];
}

/* scan over (residuals.., flag):  x.., y_t.. = flag_t ? rest(residuals_t.., x..) : x.., 0.. */
static bool emit_rest(PartitionRule *r, const Loop *l, const LoopSplit *ls, const Val *res, Val made)
{
    Builder *b = r->rest;
    const WhileAttr *a = attr_of(&r->ek);
    const Program *rest = ls->s.rest;
    uint32_t nc = (uint32_t)a->ncond, nin = l->nconst + l->ncarry, nu = 0, n;
    Sub here = sub_rest(r, l->body), s = sub_like(b, &here, rest);
    RestScan w = {.arg = NEW(b, nin + ls->s.nres + 1, Val), .in = NEW(b, nin + ls->s.nres + 1, Val)};
    Val *x = NEW(b, rest->nin, Val), *out = NEW(b, rest->nout, Val), flag;
    ScanAttr ra = {.length = b_dim(b, made, 0)};

    nest_begin(&w.nest, b, rest->name, r->er.place);
    for (uint32_t k = 0; k < ls->s.nres; k++)
        if (ls->res[k] != RES_STACKED)
            x[k] = add_arg(&w, res[k], false, NULL);
    for (uint32_t i = 0, k = ls->s.nres; i < nin; i++) {
        if (ls->in_known[i])
            continue;
        Val v = r->ek.in[nc + i] ? partition_residual(r, r->ek.in[nc + i]) : r->er.in[nc + i];
        if (i == l->nconst || (i > l->nconst && !nu))
            ra.nconst = w.n;
        nu += i >= l->nconst;
        x[k++] = add_arg(&w, v, false, input_name(l->body->p, i));
    }
    if (!nu)
        ra.nconst = w.n;
    ra.ncarry = nu;
    for (uint32_t k = 0; k < ls->s.nres; k++)
        if (ls->res[k] == RES_STACKED)
            x[k] = add_arg(&w, res[k], true, NULL);
    flag = add_arg(&w, made, true, "made");
    if (failed(r->cx) ||
        !guarded_turn(&w.nest, flag, &s, x, rest->nin, rest->nin - nu, nu, r->er.place, out))
        return false;
    ra.body = nest_end(&w.nest, out, rest->nout);
    if (!ra.body.p)
        return false;
    out = b_eqn_n(b, OP_scan, w.arg, w.n, &ra, &n);
    for (uint32_t j = 0, k = 0; j < r->er.nout && !failed(r->cx); j++)
        if (!ls->s.out_known[j])
            r->out_rest[j] = out[k++];
    return !failed(r->cx);
}

static bool partition_while(PartitionRule *r)
{
    const WhileAttr *a = attr_of(&r->ek);
    Loop l = loop_of(r->known, a, r->ek.nin);
    uint32_t nc = (uint32_t)a->ncond;
    bool *known = NEW(r->known, r->ek.nin, bool), rest;
    LoopSplit ls;
    Val *out, *res, made;

    nonzero_of(r->ek.in + nc, l.nconst + l.ncarry, known);
    if (!loop_split(&l, known, &ls))
        return false;
    if (!cond_is_known(r, &ls))
        return all_in_rest(r);
    rest = ls.nknown < r->ek.nout;
    if (!(out = emit_known(r, &l, &ls, rest)))
        return false;
    spread(out, ls.s.out_known, r->ek.nout, r->out_known);
    if (!rest)
        return true;
    res = NEW(r->known, ls.s.nres, Val);
    loop_invariants(&l, &ls, r->ek.in + nc, res);
    for (uint32_t k = 0, at = ls.nknown; k < ls.s.nres && !failed(r->cx); k++) {
        if (ls.res[k] == RES_INPUT)
            res[k] = r->ek.in[nc + (uint32_t)ls.s.res_input[k]];
        else if (ls.res[k] == RES_STACKED)
            res[k] = out[at++];
        res[k] = partition_residual(r, res[k]);
    }
    made = failed(r->cx) ? VAL_NONE : partition_residual(r, out[ls.nknown + ls.nstacked]);
    return !failed(r->cx) && emit_rest(r, &l, &ls, res, made);
}

static const AttrField attrs_while[] = {
    FIELD(WhileAttr, cond, A_SUB, ATTR_REQUIRED),
    FIELD(WhileAttr, body, A_SUB, ATTR_REQUIRED),
    FIELD(WhileAttr, ncond, A_INT, 0),
    FIELD(WhileAttr, nbody, A_INT, 0),
    FIELD(WhileAttr, bound, A_DIM, DIM_NONE),
    FIELD(WhileAttr, trips, A_SYM, DIM_NONE),
    FIELD_END,
};

const OpRow op_row_while = {
    .doc = "Operands c.. (ncond) b.. (nbody) x..: while cond(c.., x..): x.., y_t.. = body(b.., x..). Results: the "
           "last x.., then the y stacked along a new first axis: with a bound to bound rows, those not reached "
           "zero, and at most bound turns are made; else to as many rows as turns were made, which defines "
           "trips. vmap: goes on while any row does, finished rows keep their x and have zero rows y.",
    .attrs = attrs_while,
    .attr_size = sizeof(WhileAttr),
    .type = type_while,
    .eval = eval_while,
    .jvp = jvp_while,
    .transpose = transpose_while,
    .batch = batch_while,
    .partition = partition_while,
    .lower = {LOWER_CONTROL, 0},
};
