/* step_eval.c -- whatever has no kernel: by the op's eval rule, on row-major arrays. */
#include "runtime/runtime.h"

typedef struct EvalStep {
    Eval e;
    Nd *in, *out;
    Ref *in_at, *out_at;
} EvalStep;

static bool run_eval(Frame *f, const Op *op)
{
    EvalStep *s = op->data;
    Root *r = f->root;
    ArenaMark mark = arena_mark(&r->scratch);
    bool ok;

    for (uint32_t i = 0; i < s->e.nin; i++)
        s->in[i].data = frame_at(f, s->in_at[i]);
    for (uint32_t j = 0; j < s->e.nout; j++)
        s->out[j].data = frame_at(f, s->out_at[j]);
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
static Ref dense_ref(Bind *b, Val v)
{
    Ref at;

    if (bind_is_dense(b, v))
        return bind_ref(b, v);
    at = bind_workspace(b, (size_t)bind_bytes(b, v));
    bind_copy_to(b, v, at);
    return at;
}

bool bind_eval(Bind *b)
{
    const Eqn *e = b->e;
    const OpRow *row = op_row(e->op);
    EvalStep *s = arena_zalloc(b->a, sizeof *s);

    if (!row->eval)
        return bind_fail(b, WF_ERR_NORULE, "cannot be evaluated: %s", row->doc);
    s->in = arena_array(b->a, e->nin + 1u, sizeof *s->in);
    s->in_at = arena_array(b->a, e->nin + 1u, sizeof *s->in_at);
    s->out = arena_array(b->a, e->nout + 1u, sizeof *s->out);
    s->out_at = arena_array(b->a, e->nout + 1u, sizeof *s->out_at);
    for (uint32_t i = 0; i < e->nin; i++) {
        s->in[i] = nd_of(b, bind_in(b, i));
        s->in_at[i] = dense_ref(b, bind_in(b, i));
    }
    for (uint32_t j = 0; j < e->nout; j++) {
        s->out[j] = nd_of(b, bind_out(b, j));
        s->out_at[j] = bind_ref(b, bind_out(b, j));
    }
    s->e = (Eval){.row = row,
                  .op = e->op,
                  .nin = e->nin,
                  .nout = e->nout,
                  .in = s->in,
                  .out = s->out,
                  .attr = b->attr,
                  .place = eqn_place(b->p, e),
                  .eqn = e};
    bind_op(b, run_eval, s);
    return true;
}
