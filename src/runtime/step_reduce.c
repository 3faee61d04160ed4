/* step_reduce.c -- reductions, places of extremes, running sums, windows.
 * Uses, if nothing else is said: the operand, the result. */
#include "runtime/step.h"

/* ---- reductions -------------------------------------------------------------------- */

static KFoldOp fold_op(unsigned op)
{
    switch (op_row(op)->lower.combine) {
    case OP_add: return KF_SUM;
    case OP_mul: return KF_PROD;
    case OP_max: return KF_MAX;
    case OP_min: return KF_MIN;
    case OP_and: return KF_AND;
    default: return KF_OR;
    }
}

/* Uses: the operand, the result, the workspace if there is one. */
static bool run_reduce(Frame *f, const Op *op)
{
    kreduce_run(op->data, op_at(f, op, 0), op_at(f, op, 1), &f->root->par,
                op->use.n > 2 ? op_at(f, op, 2) : NULL);
    return true;
}

bool bind_reduce(Bind *b)
{
    Ints axes = ((const ReduceAttr *)b->attr)->axes;
    Val x = bind_in(b, 0);
    uint8_t reduced[MAX_RANK] = {0};
    int64_t room[MAX_RANK];
    KReduce *r = arena_alloc(b->a, sizeof *r);
    Op *op;

    for (uint32_t i = 0; i < axes.n; i++)
        reduced[axes.v[i]] = 1;
    kreduce_init(r, b->root->loops, fold_op(b->e->op), (KType)bind_dtype(b, x),
                 (int)bind_rank(b, x), bind_dims(b, x), bind_strides(b, x, room),
                 reduced);
    op = bind_op(b, run_reduce, r);
    bind_use(b, op, x, USE_READ);
    bind_use(b, op, bind_out(b, 0), USE_WRITE);
    if (r->workspace)
        bind_use_bytes(b, op, bind_workspace(b, r->workspace), (int64_t)r->workspace, 0,
                       USE_WORK);
    return true;
}

/* ---- along one axis ---------------------------------------------------------------- */

static LineStep *line_step(Bind *b, int64_t axis, bool flag)
{
    Val x = bind_in(b, 0);
    const int64_t *dims = bind_dims(b, x);
    LineStep *s = arena_alloc(b->a, sizeof *s);

    *s = (LineStep){(KType)bind_dtype(b, x),
                    (KType)bind_dtype(b, bind_out(b, 0)),
                    0,
                    dims[axis],
                    1,
                    flag};
    if (bind_count(b, x)) {
        s->outer = k_count((int)axis, dims);
        s->inner = k_count((int)(bind_rank(b, x) - axis - 1), dims + axis + 1);
    }
    return s;
}

static bool add_line(Bind *b, bool (*run)(Frame *f, const Op *op), OpKind kind,
                     LineStep *s)
{
    Op *op = bind_op(b, run, s);

    op->kind = (uint8_t)kind;
    bind_use(b, op, bind_in(b, 0), USE_READ);
    bind_use(b, op, bind_out(b, 0), USE_WRITE);
    return true;
}

static bool run_arg(Frame *f, const Op *op)
{
    const LineStep *s = op->data;

    k_arg(s->flag, s->type, s->out_type, s->outer, s->n, s->inner, op_at(f, op, 0),
          op_at(f, op, 1), &f->root->par);
    return true;
}

bool bind_arg(Bind *b)
{
    int64_t axis = ((const ArgAttr *)b->attr)->axis;
    LineStep *s = line_step(b, axis, b->e->op == OP_argmax);

    if (s->n == 0)
        return bind_fail(b, WF_ERR_SHAPE, "axis %lld is empty, needs an element",
                         (long long)axis);
    return add_line(b, run_arg, OP_RUNS_ARG, s);
}

static bool is_read(const Program *p, Val v)
{
    for (uint32_t i = 0; i < p->neqns; i++)
        for (uint32_t k = 0; k < p->eqns[i].nin; k++)
            if (eqn_in(p, &p->eqns[i])[k] == v)
                return true;
    for (uint32_t j = 0; j < p->nout; j++)
        if (p->outs[j] == v)
            return true;
    return false;
}

static KCumOp cum_op(unsigned op)
{
    switch (op) {
    case OP_cumprod: return KC_PROD;
    case OP_cumlogsumexp: return KC_LOG_SUM;
    case OP_cummax: return KC_MAX;
    case OP_cummin: return KC_MIN;
    case OP_recur: return KC_RECUR;
    default: return KC_SUM;
    }
}

/* Uses: the operands, the result, the places if they are wanted. */
static bool run_cum(Frame *f, const Op *op)
{
    const LineStep *s = op->data;
    KCum c = {
        cum_op(f->plan->p->eqns[op->eqn].op), s->type, s->flag, s->outer, s->n, s->inner};
    uint32_t nin = c.op == KC_RECUR ? 2 : 1;

    k_cumulate(&c, op_at(f, op, 0), nin > 1 ? op_at(f, op, 1) : NULL, op_at(f, op, nin),
               op->use.n > nin + 1 ? op_at(f, op, nin + 1) : NULL, &f->root->par);
    return true;
}

bool bind_cum(Bind *b)
{
    const CumAttr *a = b->attr;
    Op *op = bind_op(b, run_cum, line_step(b, a->axis, a->reverse));

    op->kind = OP_RUNS_CUM;
    for (uint32_t i = 0; i < b->e->nin; i++)
        bind_use(b, op, bind_in(b, i), USE_READ);
    bind_use(b, op, bind_out(b, 0), USE_WRITE);
    if (b->e->nout > 1 && is_read(b->p, bind_out(b, 1)))
        bind_use(b, op, bind_out(b, 1), USE_WRITE);
    return true;
}

/* ---- windows ----------------------------------------------------------------------- */

/* Uses: the operand, the result, and the places of maxima if they are wanted. */
static bool run_window(Frame *f, const Op *op)
{
    const void *x = op_at(f, op, 0);
    void *y = op_at(f, op, 1);

    if (f->plan->p->eqns[op->eqn].op == OP_reduce_window_sum)
        k_window_sum(op->data, x, y, &f->root->par);
    else
        k_window_max(op->data, x, y, op->use.n > 2 ? op_at(f, op, 2) : NULL,
                     &f->root->par);
    return true;
}

static int64_t entry(Ints a, uint32_t i, int64_t standard)
{
    return a.n ? a.v[i] : standard;
}

bool bind_window(Bind *b)
{
    const WindowAttr *a = b->attr;
    Val x = bind_in(b, 0);
    KWindow *w = arena_zalloc(b->a, sizeof *w);
    Op *op;

    w->loops = b->root->loops;
    w->type = (KType)bind_dtype(b, x);
    w->rank = (int)bind_rank(b, x);
    for (uint32_t i = 0; i < bind_rank(b, x); i++) {
        w->x[i] = bind_dims(b, x)[i];
        w->y[i] = bind_dims(b, bind_out(b, 0))[i];
        w->window[i] = a->window.v[i];
        w->stride[i] = entry(a->stride, i, 1);
        w->lo[i] = entry(a->pad_lo, i, 0);
        w->base[i] = entry(a->base_dilation, i, 1);
        w->dilation[i] = entry(a->window_dilation, i, 1);
    }
    op = bind_op(b, run_window, w);
    op->kind = OP_RUNS_REDUCE_WINDOW;
    bind_use(b, op, x, USE_READ);
    bind_use(b, op, bind_out(b, 0), USE_WRITE);
    if (b->e->nout > 1 && is_read(b->p, bind_out(b, 1)))
        bind_use(b, op, bind_out(b, 1), USE_WRITE);
    return true;
}
