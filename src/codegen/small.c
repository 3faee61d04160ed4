/* small.c -- is a program so little work that what is between its steps matters? */
#include "codegen/codegen.h"

static bool is_small_value(const Target *to, const Program *p, Val v)
{
    Type t = val_type(p, v);
    int64_t n = 1;

    for (uint32_t i = 0; i < t.rank; i++)
        if (!dim_is_const(t.dims[i]) || !mul_i64(n, t.dims[i], &n))
            return false;
    return n <= to->small_value;
}

/* Adds the work of p, of loops that of one turn, to *work. */
static bool add_work(wf_ctx *cx, const Target *t, const Program *p, double *work)
{
    double flops, bytes;

    if (p->dims.syms.n)
        return false;
    for (Val v = 1; v < p->nvals; v++)
        if (!is_small_value(t, p, v))
            return false;
    for (uint32_t i = 0; i < p->neqns; i++) {
        const Eqn *e = &p->eqns[i];

        if (op_has(e->op, OPF_CONTROL))
            continue;
        eqn_cost(cx, p, e, NULL, &flops, &bytes);
        *work += flops;
        if (flops > t->small_eqn || *work > t->small_program)
            return false;
    }
    for (uint32_t i = 0; i < p->nsubs; i++)
        if (!add_work(cx, t, p->subs[i], work))
            return false;
    return true;
}

bool codegen_is_small(wf_ctx *cx, const Target *t, const Program *p)
{
    double work = 0;

    return add_work(cx, t, p, &work);
}
