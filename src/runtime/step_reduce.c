/* step_reduce.c -- reductions, places of extremes, running sums, windows. */
#include "runtime/runtime.h"

/* ---- reductions -------------------------------------------------------------------- */

static KFoldOp fold_op(unsigned op)
{
    switch (op) {
    case OP_reduce_sum: return KF_SUM;
    case OP_reduce_prod: return KF_PROD;
    case OP_reduce_max: return KF_MAX;
    case OP_reduce_min: return KF_MIN;
    case OP_reduce_and: return KF_AND;
    default: return KF_OR;
    }
}

/* in[1] is the workspace */
static bool run_reduce(Frame *f, const Op *op)
{
    kreduce_run(op->data, frame_at(f, op->in[0]), frame_at(f, op->out), &f->root->par,
                frame_at(f, op->in[1]));
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
    op->out = bind_ref(b, bind_out(b, 0));
    op->in[0] = bind_ref(b, x);
    op->in[1] = r->workspace ? bind_workspace(b, r->workspace) : op->out;
    return true;
}

/* ---- along one axis ---------------------------------------------------------------- */

typedef struct LineStep {
    KType type, out_type;
    int64_t outer, n, inner;
    bool flag; /* largest; reverse */
} LineStep;

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

static bool add_line(Bind *b, bool (*run)(Frame *f, const Op *op), LineStep *s)
{
    Op *op = bind_op(b, run, s);

    op->out = bind_ref(b, bind_out(b, 0));
    op->in[0] = bind_ref(b, bind_in(b, 0));
    return true;
}

static bool run_arg(Frame *f, const Op *op)
{
    const LineStep *s = op->data;

    k_arg(s->flag, s->type, s->out_type, s->outer, s->n, s->inner, frame_at(f, op->in[0]),
          frame_at(f, op->out), &f->root->par);
    return true;
}

bool bind_arg(Bind *b)
{
    int64_t axis = ((const ArgAttr *)b->attr)->axis;
    LineStep *s = line_step(b, axis, b->e->op == OP_argmax);

    if (s->n == 0)
        return bind_fail(b, WF_ERR_SHAPE, "axis %lld is empty, needs an element",
                         (long long)axis);
    return add_line(b, run_arg, s);
}

static bool run_cumsum(Frame *f, const Op *op)
{
    const LineStep *s = op->data;

    k_cumsum(s->type, s->flag, s->outer, s->n, s->inner, frame_at(f, op->in[0]),
             frame_at(f, op->out), &f->root->par);
    return true;
}

bool bind_cumsum(Bind *b)
{
    const CumAttr *a = b->attr;

    return add_line(b, run_cumsum, line_step(b, a->axis, a->reverse));
}

/* ---- windows ----------------------------------------------------------------------- */

/* in[1] is the place of maxima; n: whether it is wanted */
static bool run_window(Frame *f, const Op *op)
{
    const void *x = frame_at(f, op->in[0]);
    void *y = frame_at(f, op->out);

    if (f->plan->p->eqns[op->eqn].op == OP_reduce_window_sum)
        k_window_sum(op->data, x, y, &f->root->par);
    else
        k_window_max(op->data, x, y, op->n ? frame_at(f, op->in[1]) : NULL,
                     &f->root->par);
    return true;
}

static int64_t entry(Ints a, uint32_t i, int64_t standard)
{
    return a.n ? a.v[i] : standard;
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
    op->out = bind_ref(b, bind_out(b, 0));
    op->in[0] = bind_ref(b, x);
    if (b->e->nout > 1) {
        op->in[1] = bind_ref(b, bind_out(b, 1));
        op->n = is_read(b->p, bind_out(b, 1));
    }
    return true;
}
