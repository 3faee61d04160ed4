/* reuse.c -- may an equation write a result into the memory of an operand?
 *
 *   elementwise ops    of any operand of the same size, for each element is read just
 *                      before it is written
 *   updates            of the first: only the window is touched
 *   compiled code      as the kernel's addresses say (kernel_place.c), or the plan of a
 *                      straight function (flatten.c)
 *   cond, loops        of an input that the body reads for the last time before it
 *                      writes the result, or in the equation that writes it, by these
 *                      same rules; of a cond, if all branches do; of a loop, carries
 *                      whose bodies do
 *
 * It is asked of the last equation that reads the operand. That the operand is as large
 * as the result, and a whole array, is looked at by who asks.
 */
#include "runtime/runtime.h"

const Plan *plan_sub(const Plan *plan, const Program *p)
{
    for (uint32_t i = 0; i < plan->p->nsubs; i++)
        if (plan->p->subs[i] == p)
            return plan->sub[i];
    return NULL;
}

const Sub *reuse_call_body(unsigned op, const void *attr)
{
    switch (op) {
    case OP_checkpoint: return &((const CheckpointAttr *)attr)->body;
    case OP_custom_jvp: return &((const CustomJvpAttr *)attr)->primal;
    case OP_custom_vjp: return &((const CustomVjpAttr *)attr)->primal;
    default: return &((const CallAttr *)attr)->body;
    }
}

/* Does the sub-program read input `in` as result `out` may be written there? */
static bool body_allows(const Plan *plan, const Sub *body, uint32_t in, uint32_t out)
{
    const Plan *sub = plan_sub(plan, body->p);

    return sub && plan_carry_in_place(sub, in, out);
}

/* Calls that are left are of compiled code, or of what a step knows by name: how that
 * reads its operands, the body does not tell. */
static Reuse reuse_call(const Plan *plan, const Eqn *e, uint32_t i, uint32_t j)
{
    const Plan *sub = plan_sub(plan, reuse_call_body(e->op, e->attr)->p);
    const Kernel *k = sub && sub->code ? sub->code->kernel : NULL;

    if (k && k->straight)
        return k->straight->in_place[i * e->nout + j] ? REUSE_ALONE : REUSE_NOT;
    return k && kernel_in_place(k, i, j) ? REUSE_IN_STEP : REUSE_NOT;
}

static Reuse reuse_cond(const Plan *plan, const Eqn *e, uint32_t i, uint32_t j)
{
    Subs branches = ((const CondAttr *)e->attr)->branches;

    for (uint32_t b = 0; b < branches.n; b++)
        if (!i || !body_allows(plan, &branches.v[b], i - 1, j))
            return REUSE_NOT;
    return REUSE_ALONE;
}

/* nconst: of the body, the last of them is operand first - 1. */
static Reuse reuse_loop(const Plan *plan, const Sub *body, uint32_t nconst,
                        uint32_t first, uint32_t ncarry, uint32_t i, uint32_t j)
{
    return j < ncarry && i == first + j && body_allows(plan, body, nconst + j, j)
               ? REUSE_ALONE
               : REUSE_NOT;
}

static Reuse reuse_body(const Plan *plan, const Eqn *e, uint32_t i, uint32_t j)
{
    const ScanAttr *s = e->attr;
    const WhileAttr *w = e->attr;
    uint32_t first;

    switch (e->op) {
    case OP_cond: return reuse_cond(plan, e, i, j);
    case OP_scan:
        first = (uint32_t)s->nconst;
        return reuse_loop(plan, &s->body, first, first, (uint32_t)s->ncarry, i, j);
    case OP_while:
        first = (uint32_t)(w->ncond + w->nbody);
        return reuse_loop(plan, &w->body, (uint32_t)w->nbody, first, e->nin - first, i,
                          j);
    default: return reuse_call(plan, e, i, j);
    }
}

Reuse reuse_of(const Plan *plan, const Eqn *e, uint32_t operand, uint32_t result)
{
    switch ((InPlace)bind_row(e->op).in_place) {
    case PLACE_ANY: return e->nout == 1 ? REUSE_IN_STEP : REUSE_NOT;
    case PLACE_FIRST: return e->nout == 1 && operand == 0 ? REUSE_ALONE : REUSE_NOT;
    case PLACE_BODY: return reuse_body(plan, e, operand, result);
    default: return REUSE_NOT;
    }
}

/* Equation n of the plan writes result store y first, and reads input store x for the
 * last time. */
static bool written_over(const Plan *plan, uint32_t n, uint32_t x, uint32_t y)
{
    const Program *p = plan->p;
    const Eqn *e = &p->eqns[n];
    uint32_t j = 0, found = 0;
    bool alone = false;

    while (j < e->nout && plan->val[e->out + j].store != y)
        j++;
    if (j == e->nout)
        return false;
    for (uint32_t i = 0; i < e->nin; i++) {
        Val v = eqn_in(p, e)[i];
        Reuse rule;

        if (plan->val[v].store != x)
            continue;
        rule = reuse_of(plan, e, i, j);
        if (rule == REUSE_NOT || plan->val[v].part ||
            !plan_same_size(val_type(p, v), val_type(p, e->out + j)))
            return false;
        alone = alone || rule == REUSE_ALONE;
        found++;
    }
    return found == 1 || !alone;
}

bool plan_carry_in_place(const Plan *plan, uint32_t in, uint32_t out)
{
    const Program *p = plan->p;
    Val x = in + 1, y = p->outs[out];
    const Store *sx = &plan->store[plan->val[x].store],
                *sy = &plan->store[plan->val[y].store];
    uint32_t same = 0;

    if (sx == sy) { /* the body gives the carry back as it is, and to nobody else */
        for (uint32_t j = 0; j < p->nout; j++)
            same += plan->val[p->outs[j]].store == plan->val[x].store;
        return y == x && same == 1;
    }
    if (!plan->out_direct[out] || sy->kind != STORE_OUT || sy->index != out)
        return false;
    if (sx->last != sy->first)
        return sx->last < sy->first;
    return written_over(plan, sy->first, plan->val[x].store, plan->val[y].store);
}
