/* op_while.c -- while: a body run as long as a condition holds, with carries and stacked
 * rows.
 *
 *   while cond(c.., x..):   x.., y_t.. = body(b.., x..)
 *
 * The rows y are stacked to the bound, rows not reached zero, or, without a bound, to as
 * many turns as were made, which defines the symbol `trips`.
 *
 * jvp        the body's jvp; the condition sees the primals only
 * transpose  by splitting off what is not linear, which leaves a scan
 * partition  op_while_split.c
 * batch      op_while_batch.c
 */
#include "op/control.h"

static const WhileAttr *attr_of(const EqnView *e) { return e->attr; }

Loop while_loop(Builder *b, const WhileAttr *a, uint32_t nin)
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
        return type_fail(t, WF_ERR_VALUE,
                         "ncond=%lld nbody=%lld, but there are %u operands",
                         (long long)a->ncond, (long long)a->nbody, t->nin);
    if (a->body.p->nout < t->nin - (uint32_t)(a->ncond + a->nbody))
        return type_fail(
            t, WF_ERR_TYPE, "body '%s' has %u results, needs at least the %lld carries",
            a->body.p->name, a->body.p->nout, (long long)(max - a->ncond - a->nbody));
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
        return type_fail(t, WF_ERR_TYPE, "cond '%s' gives %s, needs one bool[]",
                         a->cond.p->name,
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
    if (!sub_bind(t, &a->body, "body", t->in + a->ncond, t->nin - (uint32_t)a->ncond,
                  out))
        return false;
    for (uint32_t i = 0; i < ncarry; i++)
        if (!type_eq(t->in[first + i], out[i]))
            return type_fail(
                t, t->in[first + i].dtype == out[i].dtype ? WF_ERR_SHAPE : WF_ERR_TYPE,
                "carry %u begins as %s, but the body makes it %s", i,
                type_show(t, t->in[first + i]), type_show(t, out[i]));
    if (a->bound != DIM_NONE && a->bound < 0 && dim_value(t->dims, a->bound, &length))
        return type_fail(t, WF_ERR_VALUE, "bound %s is negative", dim_show(t, a->bound));
    if (a->bound != DIM_NONE && a->trips != DIM_NONE)
        return type_fail(t, WF_ERR_VALUE,
                         "has a bound, so it cannot define trips as well");
    if (a->padded && a->trips == DIM_NONE)
        return type_fail(t, WF_ERR_VALUE, "is padded, but defines no trips");
    if (nys && a->bound == DIM_NONE && a->trips == DIM_NONE)
        return type_fail(
            t, WF_ERR_VALUE,
            "stacks %u rows a turn without a bound, so it needs trips=", nys);
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
    ArenaMark mark; /* what a turn leaves in the arena is dropped */
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

    *w = (WhileRun){.e = e,
                    .a = a,
                    .ncond = (uint32_t)a->ncond,
                    .nbody = (uint32_t)a->nbody,
                    .ncarry = e->nin - first};
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
            memset(e->out[j].data, 0,
                   (size_t)e->out[j].count * wf_dtype_size(e->out[j].dtype));
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
        char *row[64],
            **rows = w->nys <= 64 ? row : arena_array(e->a, w->nys, sizeof *rows);
        w->cap = w->cap ? w->cap * 2 : 4;
        for (uint32_t j = 0; j < w->nys; j++) {
            const Nd *y = &w->out[w->ncarry + j];
            w->row_bytes[j] = (size_t)y->count * wf_dtype_size(y->dtype);
            rows[j] = arena_array(e->a, (size_t)w->cap, w->row_bytes[j]);
            if (w->turns)
                memcpy(rows[j], w->rows[j], (size_t)w->turns * w->row_bytes[j]);
            memcpy(rows[j] + (size_t)w->turns * w->row_bytes[j], y->data,
                   w->row_bytes[j]);
        }
        memcpy(w->rows, rows, w->nys * sizeof *rows);
        w->mark = arena_mark(e->a);
        return;
    }
    for (uint32_t j = 0; j < w->nys; j++)
        memcpy(w->rows[j] + (size_t)w->turns * w->row_bytes[j],
               w->out[w->ncarry + j].data, w->row_bytes[j]);
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
                      (char *)all.data +
                          (size_t)(w->turns * count) * wf_dtype_size(all.dtype)};
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
            memcpy(e->out[w.ncarry + j].data, w.rows[j],
                   (size_t)w.turns * w.row_bytes[j]);
    }
    for (uint32_t i = 0; i < w.ncarry; i++)
        copy_nd(&e->out[i], &w.body_in[w.nbody + i]);
    return true;
}

/* ---- jvp ---- */

/* The condition with further carries, which it does not see. */
static Sub cond_with(Builder *b, const EqnView *e, const Sub *cond, uint32_t ncond,
                     const Val *carry, uint32_t ncarry, uint32_t nseen)
{
    Val *in = NEW(b, ncond + ncarry, Val), out = VAL_NONE;
    Nest n;

    nest_begin(&n, b, cond->p->name, e->place);
    for (uint32_t i = 0; i < ncond; i++)
        in[i] = nest_input(&n, e->in_type[i], input_name(cond->p, i));
    for (uint32_t i = 0; i < ncarry; i++)
        in[ncond + i] = nest_input(&n, b_type(b, carry[i]),
                                   i < nseen ? input_name(cond->p, ncond + i) : NULL);
    if (b_failed(b) || !nest_inline(&n, cond, in, &out))
        return (Sub){0};
    return nest_end(&n, &out, 1);
}

static void jvp_while(Builder *b, const EqnView *e, const Val *dx, Val *dy)
{
    const WhileAttr *a = attr_of(e);
    Loop l = while_loop(b, a, e->nin);
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
    ja.cond = cond_with(b, e, &a->cond, nc, in + nc + ja.nbody,
                        n - nc - (uint32_t)ja.nbody, l.ncarry);
    if (!ja.cond.p)
        return;
    out = b_eqn_n(b, OP_while, in, n, &ja, &n);
    if (b_failed(b))
        return;
    for (uint32_t part = 0, k = 0; part < 2; part++) { /* x.., dx.., y.., dy.. */
        uint32_t from = part ? l.ncarry : 0, to = part ? e->nout : l.ncarry;
        memcpy(dy + e->nout + from, out + k, (to - from) * sizeof *out);
        k += to - from;
        k += op_spread(out + k, out_nz + from, to - from, dy + from);
    }
}

static void transpose_while(Builder *b, const EqnView *e, const Val *gy, Val *gx)
{
    if (!transpose_by_split(b, e, gy, gx))
        fail(b->cx, WF_ERR_NORULE, e->place,
             "transpose: the condition of while depends on a tangent");
}

static const AttrField attrs_while[] = {
    FIELD(WhileAttr, cond, A_SUB, ATTR_REQUIRED),
    FIELD(WhileAttr, body, A_SUB, ATTR_REQUIRED),
    FIELD(WhileAttr, ncond, A_INT, 0),
    FIELD(WhileAttr, nbody, A_INT, 0),
    FIELD(WhileAttr, bound, A_DIM, DIM_NONE),
    FIELD(WhileAttr, trips, A_SYM, DIM_NONE),
    FIELD(WhileAttr, padded, A_BOOL, false),
    FIELD_END,
};

const OpRow op_row_while = {
    .attrs = attrs_while,
    .attr_size = sizeof(WhileAttr),
    .type = type_while,
    .lower = {.kind = LOWER_CONTROL},
};
const OpRules op_rules_while = {
    .doc = DOC(
        "Operands c.. (ncond) b.. (nbody) x..: while cond(c.., x..): x.., y_t.. = "
        "body(b.., x..). Results: the "
        "last x.., then the y stacked along a new first axis: with a bound to bound "
        "rows, those not reached "
        "zero, and at most bound turns are made; else to as many rows as turns were "
        "made, which defines "
        "trips. vmap: goes on while any row of the batch does, finished ones keep their "
        "x. trips may then not differ from row to row, unless padded: it is the "
        "largest, and y are zero past a row's own end."),
    .eval = eval_while,
    .jvp = jvp_while,
    .transpose = transpose_while,
    .batch = batch_while,
    .partition = partition_while,
};
