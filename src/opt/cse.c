/* cse.c -- equal equations become one.
 *
 *   requires   nothing
 *   keeps      values bit for bit
 *   breaks     nothing
 *
 * Within a program this is the builder's value numbering. Across sub-programs: where two
 * operands of an equation with sub-programs are the same value, the sub-program gets it
 * once and sees that what it computes from either is equal; two results that are the
 * same value inside are the same outside; and join.c.
 */
#include "opt/opt.h"

/* The operands of e by kind: 0 is never merged, others within their kind. Carries are
 * not: equal at the start, they may part. */
static bool operand_kinds(const EqnView *e, uint8_t *kind)
{
    uint32_t nconst, ncarry;

    memset(kind, 0, e->nin);
    switch (e->op) {
    case OP_call: memset(kind, 1, e->nin); return true;
    case OP_cond: memset(kind + 1, 1, e->nin - 1); return true;
    case OP_scan:
        nconst = (uint32_t)((const ScanAttr *)e->attr)->nconst;
        ncarry = (uint32_t)((const ScanAttr *)e->attr)->ncarry;
        memset(kind, 1, nconst);
        memset(kind + nconst + ncarry, 2, e->nin - nconst - ncarry);
        return true;
    default: return false;
    }
}

/* Sizes may have two names inside that stand for one outside: then types differ. */
static bool same_input(const EqnView *e, uint32_t i, uint32_t j)
{
    const Program *p;

    if (e->op == OP_cond) {
        const Subs *s = &((const CondAttr *)e->attr)->branches;
        for (uint32_t k = 0; k < s->n; k++)
            if (!type_eq(val_type(s->v[k].p, i), val_type(s->v[k].p, j)))
                return false;
        return true;
    }
    p = e->op == OP_call ? ((const CallAttr *)e->attr)->body.p
                         : ((const ScanAttr *)e->attr)->body.p;
    return type_eq(val_type(p, i + 1), val_type(p, j + 1));
}

/* keep[i] and, for operands that repeat an earlier one of their kind, same[i]. */
static bool find_repeated(const EqnView *e, const uint8_t *kind, bool *keep,
                          int32_t *same)
{
    bool any = false;

    for (uint32_t i = 0; i < e->nin; i++) {
        keep[i] = true;
        same[i] = -1;
        for (uint32_t j = 0; kind[i] && j < i && keep[i]; j++)
            if (keep[j] && kind[j] == kind[i] && e->in[j] == e->in[i] &&
                same_input(e, i, j)) {
                keep[i] = false;
                same[i] = (int32_t)j;
                any = true;
            }
    }
    return any;
}

static bool make_merged(Rewriter *r, const EqnView *e, bool *keep, int32_t *same,
                        Val *out)
{
    Builder *b = r->b;
    uint32_t skip = e->op == OP_cond, n = 0, nconst = 0;
    Val *in = NEW(b, e->nin, Val);
    void *attr = arena_dup(&b->arena, e->attr, e->row->attr_size);
    Sub one, *subs = &one;
    uint32_t nsubs = 1;

    if (e->op == OP_cond) {
        CondAttr *c = attr;
        subs = arena_dup(&b->arena, c->branches.v, c->branches.n * sizeof *subs);
        nsubs = c->branches.n;
        c->branches.v = subs;
    } else {
        subs = e->op == OP_call ? &((CallAttr *)attr)->body : &((ScanAttr *)attr)->body;
    }
    for (uint32_t i = 0; i < e->nin; i++) {
        if (keep[i])
            in[n++] = e->in[i];
        if (e->op == OP_scan && i < (uint32_t)((ScanAttr *)attr)->nconst)
            nconst += keep[i];
        if (same[i] >= 0)
            same[i] -= (int32_t)skip;
    }
    for (uint32_t k = 0; k < nsubs; k++) {
        const Program *p = subs[k].p, *q;
        uint32_t *outs = NEW(b, p->nout, uint32_t);
        for (uint32_t j = 0; j < p->nout; j++)
            outs[j] = j;
        if (!(q = opt_reshape_sub(b->cx, p, keep + skip, same + skip, outs, p->nout)))
            return false;
        subs[k] = sub_like(b, &subs[k], q);
    }
    if (e->op == OP_scan)
        ((ScanAttr *)attr)->nconst = nconst;
    return b_eqn(b, (OpCode)e->op, in, n, attr, out, e->nout) == e->nout;
}

/* Results that are one value in the (every) sub-program. */
static void merge_results(const EqnView *e, Val *out)
{
    const Sub *subs;
    uint32_t n = 1, first = 0;

    switch (e->op) {
    case OP_call: subs = &((const CallAttr *)e->attr)->body; break;
    case OP_cond:
        subs = ((const CondAttr *)e->attr)->branches.v;
        n = ((const CondAttr *)e->attr)->branches.n;
        break;
    case OP_scan: /* rows; last carries of no turn are the first ones */
        subs = &((const ScanAttr *)e->attr)->body;
        first = (uint32_t)((const ScanAttr *)e->attr)->ncarry;
        break;
    default: return;
    }
    for (uint32_t j = first; j < e->nout; j++)
        for (uint32_t i = first; i < j; i++) {
            bool equal = true;
            for (uint32_t k = 0; k < n; k++)
                equal = equal && subs[k].p->outs[i] == subs[k].p->outs[j];
            if (equal) {
                out[j] = out[i];
                break;
            }
        }
}

static bool cse_eqn(Rewriter *r, const EqnView *e, Val *out)
{
    uint8_t *kind;
    bool *keep;
    int32_t *same;

    if (!op_has(e->op, OPF_CONTROL) || e->nin + e->nout > 512)
        return false;
    if (opt_join(r, r->user, e, out))
        return true;
    kind = NEW(r->b, e->nin, uint8_t);
    keep = NEW(r->b, e->nin, bool);
    same = NEW(r->b, e->nin, int32_t);
    if (!operand_kinds(e, kind))
        return false;
    if (find_repeated(e, kind, keep, same)) {
        if (!make_merged(r, e, keep, same, out))
            return false;
    } else if (b_eqn(r->b, (OpCode)e->op, e->in, e->nin, e->attr, out, e->nout) !=
               e->nout) {
        return false;
    }
    merge_results(e, out);
    return true;
}

const Program *opt_cse(const Opt *o, const Program *p)
{
    Arena *a = &o->cx->scratch;
    PtrMap joined = {.a = a};
    Rewriter r = {.o = o, .before = cse_eqn, .user = &joined, .done.a = a, .origin.a = a};

    return rewrite_apply(&r, p);
}
