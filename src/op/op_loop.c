/* op_loop.c -- what scan and while do alike: a body (constants.., carries.., slices..) ->
 * (carries.., rows..) run again and again.
 *
 * Whether a carry has a tangent, is known or is batched depends on what the body makes of
 * it: start from the operands, transform the body, add the carries it says, until nothing
 * is added. Each time adds a carry, so there are at most as many times as carries.
 */
#include "op/control.h"

const Program *loop_jvp(const Loop *l, bool *in_nz, bool *out_nz)
{
    bool *want = NEW(l->b, l->body->p->nout, bool);
    bool *carry = in_nz + l->nconst;

    for (;;) {
        bool more = false;
        memcpy(want, carry, l->ncarry);
        const Program *p = xf_jvp(l->b->cx, l->body->p, in_nz, want, out_nz);
        if (!p)
            return NULL;
        for (uint32_t i = 0; i < l->ncarry; i++) {
            more |= out_nz[i] && !carry[i];
            carry[i] |= out_nz[i];
        }
        if (!more)
            return p;
    }
}

Sub loop_jvp_body(const Loop *l, const Program *jvp, const Type *in_type,
                  const bool *in_nz, const bool *out_nz, Place place)
{
    const Program *body = l->body->p;
    Sub s = sub_like(l->b, l->body, jvp);
    uint32_t part_end[3] = {l->nconst, l->nconst + l->ncarry, body->nin}, n = 0;
    Val *x = NEW(l->b, body->nin, Val), *dx = NEW(l->b, body->nin, Val),
        *in = NEW(l->b, 2 * body->nin, Val);
    Val *y = NEW(l->b, jvp->nout, Val), *dy = NEW(l->b, body->nout, Val),
        *out = NEW(l->b, jvp->nout, Val);
    Nest nest;

    nest_begin(&nest, l->b, jvp->name, place);
    for (uint32_t part = 0, i = 0, d = 0; part < 3; part++) {
        for (; i < part_end[part]; i++)
            x[i] = nest_input(&nest, in_type[i], input_name(body, i));
        for (; d < part_end[part]; d++)
            if (in_nz[d])
                dx[d] = nest_input(&nest, in_type[d],
                                   xf_val_name(l->b->cx, body, "d", program_in(body, d)));
    }
    join_nonzero(x, body->nin, dx, in);
    if (!nest_inline(&nest, &s, in, y))
        return (Sub){0};
    op_spread(y + body->nout, out_nz, body->nout, dy);
    for (uint32_t part = 0; part < 2; part++) {
        uint32_t from = part ? l->ncarry : 0, to = part ? body->nout : l->ncarry;
        for (uint32_t j = from; j < to; j++)
            out[n++] = y[j];
        for (uint32_t j = from; j < to; j++)
            if (dy[j])
                out[n++] = dy[j];
    }
    return nest_end(&nest, out, n);
}

/* ---- partition ---- */

/* Which values of p depend on nothing but constants (its first nconst inputs)? */
static bool *find_invariant(const Loop *l, const Program *p, uint32_t nconst)
{
    bool *fixed = NEW(l->b, p->nvals, bool);

    for (uint32_t i = 0; i < nconst; i++)
        fixed[program_in(p, i)] = true;
    for (uint32_t i = 0; i < p->dims.syms.n; i++)
        if (p->dims.syms.v[i].origin ==
            SYM_EQN) /* a value may depend on it without an operand */
            return fixed;
    for (uint32_t i = 0; i < p->neqns && !p->effects;
         i++) { /* nor are effects to be had once more */
        const Eqn *e = &p->eqns[i];
        bool all = true;
        for (uint32_t k = 0; k < e->nin; k++)
            all &= fixed[eqn_in(p, e)[k]];
        memset(fixed + e->out, all, e->nout);
    }
    return fixed;
}

bool loop_split(const Loop *l, const bool *known, LoopSplit *out)
{
    const Program *body = l->body->p;
    bool *unknown = NEW(l->b, body->nout, bool), *fixed;
    Split *s = &out->s;
    bool more;

    out->in_known = arena_dup(&l->b->arena, known, body->nin + 1);
    do {
        more = false;
        for (uint32_t i = 0; i < l->ncarry; i++)
            unknown[i] = !out->in_known[l->nconst + i];
        if (!split_sub(l->b->cx, body, out->in_known, unknown, s))
            return false;
        for (uint32_t i = 0; i < l->ncarry; i++)
            if (out->in_known[l->nconst + i] && !s->out_known[i])
                more = true, out->in_known[l->nconst + i] = false;
    } while (more);
    out->nknown = count_true(s->out_known, body->nout);
    out->res = NEW(l->b, s->nres, uint8_t);
    out->nstacked = 0;
    fixed = find_invariant(l, s->known, count_true(out->in_known, l->nconst));
    for (uint32_t k = 0; k < s->nres; k++) {
        int32_t i = s->res_input[k];
        bool is_carry = i >= (int32_t)l->nconst && i < (int32_t)(l->nconst + l->ncarry);
        if (i >= 0 && !is_carry)
            out->res[k] = RES_INPUT;
        else
            out->res[k] =
                fixed[s->known->outs[out->nknown + k]] ? RES_INVARIANT : RES_STACKED;
        out->nstacked += out->res[k] == RES_STACKED;
    }
    return true;
}

void loop_invariants(const Loop *l, const LoopSplit *ls, const Val *in, Val *out)
{
    const Program *p = ls->s.known;
    Sub s = sub_like(l->b, l->body, p);
    Copier c;

    copier_init(&c, l->b, p, s.binds.n ? s.binds.v : NULL, NULL);
    for (uint32_t i = 0, k = 0; i < l->nconst; i++)
        if (ls->in_known[i])
            c.val[program_in(p, k++)] = in[i];
    bool any = false, *fixed = find_invariant(l, p, count_true(ls->in_known, l->nconst));
    for (uint32_t k = 0; k < ls->s.nres; k++)
        any |= ls->res[k] == RES_INVARIANT;
    for (uint32_t i = 0; any && i < p->neqns && !b_failed(l->b); i++)
        if (p->eqns[i].nout && fixed[p->eqns[i].out])
            copier_eqn(&c, &p->eqns[i]);
    for (uint32_t k = 0; k < ls->s.nres; k++)
        out[k] = ls->res[k] == RES_INVARIANT ? c.val[p->outs[ls->nknown + k]] : VAL_NONE;
}

/* ---- a turn that may not be made ---- */

/* (consts.., carries..) -> (carries.., zeros for rows..) */
static Sub hold_branch(Nest *outer, const Type *in, uint32_t nin, uint32_t first,
                       uint32_t ncarry, const Type *row, uint32_t nys, Place place)
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

bool loop_guarded_turn(Nest *n, Val flag, const Sub *s, const Val *x, uint32_t nin,
                       uint32_t first, uint32_t ncarry, Place place, Val *out)
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
        row[j] = op_sub_type(b, &two[1], val_type(s->p, s->p->outs[ncarry + j]));
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

/* ---- operands of a new loop ---- */

bool loop_rest(PartitionRule *r, const bool *known, const Val *out)
{
    for (uint32_t j = 0, k = 0; j < r->er.nout && !failed(r->cx); j++)
        if (!known[j])
            r->out_rest[j] = out[k++];
    return !failed(r->cx);
}

Val loop_arg(LoopArgs *w, Val v, bool slice, const char *name)
{
    Type t = b_type(w->nest.outer, v);

    w->arg[w->n] = v;
    w->in[w->n] = nest_input(&w->nest, slice ? elem_type(t) : t, name);
    return w->in[w->n++];
}
