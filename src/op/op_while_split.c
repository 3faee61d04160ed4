/* op_while_split.c -- while split into what is known and the rest: how reverse mode comes
 * through it.
 *
 * The known part, the condition with it, runs first, and stacks, besides the residuals, a
 * flag: this turn was made. The rest is then a scan over what was stacked, whose turns do
 * nothing where the flag is not set: past the end of a bounded loop, and, under vmap, in
 * rows that finished early. Without a bound the known loop defines how many turns there
 * are, which is the length of the scan.
 */
#include "op/control.h"

static const WhileAttr *attr_of(const EqnView *e) { return e->attr; }

/* Can the known part decide when to stop? */
static bool cond_is_known(PartitionRule *r, const LoopSplit *ls)
{
    const WhileAttr *a = attr_of(&r->ek);
    bool *used = NEW(r->known, a->cond.p->nin, bool);

    op_used_inputs(a->cond.p, used);
    for (uint32_t i = 0; i < a->cond.p->nin; i++)
        if (used[i] && (i < a->ncond ? r->ek.in[i] == VAL_NONE
                                     : !ls->in_known[a->nbody + i - a->ncond]))
            return false;
    return true;
}

static bool all_in_rest(PartitionRule *r)
{
    Val *in = NEW(r->rest, r->er.nin, Val), *out;
    uint32_t n;

    for (uint32_t i = 0; i < r->er.nin; i++)
        in[i] =
            r->ek.in[i] != VAL_NONE ? partition_residual(r, r->ek.in[i]) : r->er.in[i];
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

/* The known loop: known results of the body, the stacked residuals, and true for every
 * turn made. */
static Val *emit_known(PartitionRule *r, const Loop *l, const LoopSplit *ls, bool rest)
{
    Builder *b = r->known;
    WhileAttr a = *attr_of(&r->ek);
    const Program *known = ls->s.known;
    uint32_t nc = (uint32_t)a.ncond, n = 0, nin = 0, nout = ls->nknown;
    Sub s = sub_like(b, l->body, known);
    Val *in = NEW(b, r->ek.nin, Val), *v = NEW(b, r->ek.nin, Val),
        *out = NEW(b, known->nout + 1, Val);
    Nest nest;

    if (rest && a.bound == DIM_NONE && b->cx->semantics->bounded_loops) {
        fail(b->cx, WF_ERR_NORULE, r->ek.place,
             "reverse-mode differentiation does not work for a while loop of unknown length: "
             "needs scan, or fori_loop with bounds that are known");
        return NULL;
    }
    if (rest && a.bound == DIM_NONE && a.trips == DIM_NONE) {
        a.trips = b_symbol(b, "trips");
        a.padded = true; /* rest looks at the flags */
    }
    a.cond = known_cond(r, ls, in, &n);
    if (!a.cond.p)
        return NULL;
    a.ncond = n;
    a.nbody = count_true(ls->in_known, l->nconst);
    nest_begin(&nest, b, known->name, r->ek.place);
    for (uint32_t i = 0; i < l->nconst + l->ncarry; i++)
        if (ls->in_known[i]) {
            v[nin++] =
                nest_input(&nest, r->ek.in_type[nc + i], input_name(l->body->p, i));
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

/* scan over (residuals.., flag):  x.., y_t.. = flag_t ? rest(residuals_t.., x..) : x..,
 * 0.. */
static bool emit_rest(PartitionRule *r, const Loop *l, const LoopSplit *ls,
                      const Val *res, Val made)
{
    Builder *b = r->rest;
    const WhileAttr *a = attr_of(&r->ek);
    const Program *rest = ls->s.rest;
    uint32_t nc = (uint32_t)a->ncond, nin = l->nconst + l->ncarry, nu = 0, n;
    Sub here = op_sub_rest(r, l->body), s = sub_like(b, &here, rest);
    LoopArgs w = {.arg = NEW(b, nin + ls->s.nres + 1, Val),
                  .in = NEW(b, nin + ls->s.nres + 1, Val)};
    Val *x = NEW(b, rest->nin, Val), *out = NEW(b, rest->nout, Val), flag;
    ScanAttr ra = {.length = b_dim(b, made, 0)};

    nest_begin(&w.nest, b, rest->name, r->er.place);
    for (uint32_t k = 0; k < ls->s.nres; k++)
        if (ls->res[k] != RES_STACKED)
            x[k] = loop_arg(&w, res[k], false, NULL);
    for (uint32_t i = 0, k = ls->s.nres; i < nin; i++) {
        if (ls->in_known[i])
            continue;
        Val v =
            r->ek.in[nc + i] ? partition_residual(r, r->ek.in[nc + i]) : r->er.in[nc + i];
        if (i == l->nconst || (i > l->nconst && !nu))
            ra.nconst = w.n;
        nu += i >= l->nconst;
        x[k++] = loop_arg(&w, v, false, input_name(l->body->p, i));
    }
    if (!nu)
        ra.nconst = w.n;
    ra.ncarry = nu;
    for (uint32_t k = 0; k < ls->s.nres; k++)
        if (ls->res[k] == RES_STACKED)
            x[k] = loop_arg(&w, res[k], true, NULL);
    flag = loop_arg(&w, made, true, "made");
    if (failed(r->cx) || !loop_guarded_turn(&w.nest, flag, &s, x, rest->nin,
                                            rest->nin - nu, nu, r->er.place, out))
        return false;
    ra.body = nest_end(&w.nest, out, rest->nout);
    if (!ra.body.p)
        return false;
    return loop_rest(r, ls->s.out_known, b_eqn_n(b, OP_scan, w.arg, w.n, &ra, &n));
}

bool partition_while(PartitionRule *r)
{
    const WhileAttr *a = attr_of(&r->ek);
    Loop l = while_loop(r->known, a, r->ek.nin);
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
    op_spread(out, ls.s.out_known, r->ek.nout, r->out_known);
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
