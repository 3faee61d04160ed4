/* step_eval.c -- whatever has no kernel: by the op's eval rule, on row-major arrays.
 * Uses: the operands, the results. */
#include "runtime/runtime.h"

typedef struct EvalStep {
    Eval e;
    Nd *in, *out;
} EvalStep;

static bool run_eval(Frame *f, const Op *op)
{
    EvalStep *s = op->data;
    Root *r = f->root;
    ArenaMark mark = arena_mark(&r->scratch);
    bool ok;

    for (uint32_t i = 0; i < s->e.nin; i++)
        s->in[i].data = op_at(f, op, i);
    for (uint32_t j = 0; j < s->e.nout; j++)
        s->out[j].data = op_at(f, op, s->e.nin + j);
    s->e.cx = r->cx;
    s->e.a = &r->scratch;
    ok = s->e.row->eval(&s->e);
    arena_reset(&r->scratch, mark);
    return ok;
}

static Nd nd_of(Bind *b, Val v)
{
    return (Nd){bind_dtype(b, v), bind_rank(b, v), bind_dims(b, v), bind_count(b, v),
                NULL};
}

/* Row-major: where it is, or a copy. */
static Use dense_use(Bind *b, Val v)
{
    Ref at;

    if (bind_is_dense(b, v))
        return bind_use_of(b, v, USE_READ);
    at = bind_workspace(b, (size_t)bind_bytes(b, v));
    bind_copy_to(b, v, at);
    return (Use){at, 0, bind_bytes(b, v), 0, USE_READ, false};
}

bool bind_eval(Bind *b)
{
    const Eqn *e = b->e;
    const OpRow *row = op_row(e->op);
    EvalStep *s = arena_zalloc(b->a, sizeof *s);
    Use *use = arena_array(b->a, e->nin + 1u, sizeof *use);
    Op *op;

    if (!row->eval)
        return bind_fail(b, WF_ERR_NORULE, "%s cannot be evaluated", op_name(e->op));
    s->in = arena_array(b->a, e->nin + 1u, sizeof *s->in);
    s->out = arena_array(b->a, e->nout + 1u, sizeof *s->out);
    for (uint32_t i = 0; i < e->nin; i++) {
        s->in[i] = nd_of(b, bind_in(b, i));
        use[i] = dense_use(b, bind_in(b, i));
    }
    for (uint32_t j = 0; j < e->nout; j++)
        s->out[j] = nd_of(b, bind_out(b, j));
    s->e = (Eval){.row = row,
                  .op = e->op,
                  .nin = e->nin,
                  .nout = e->nout,
                  .in = s->in,
                  .out = s->out,
                  .attr = b->attr,
                  .place = eqn_place(b->p, e),
                  .eqn = e};
    op = bind_op(b, run_eval, s);
    for (uint32_t i = 0; i < e->nin; i++)
        bind_use_at(b, op, use[i]);
    for (uint32_t j = 0; j < e->nout; j++)
        bind_use(b, op, bind_out(b, j), USE_WRITE);
    return true;
}
