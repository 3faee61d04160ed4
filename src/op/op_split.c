/* op_split.c -- splitting a sub-program into known and rest, where what rest needs must
 * leave it.
 *
 * What the known part computes and rest needs (the residuals) leaves the sub-program as
 * further results, is carried by the equation around it (stacked, by a loop), and enters
 * rest as further inputs. Two cases want less to be carried: a residual whose size only
 * the sub-program knows (the trips of a while inside a scan: a ragged array) cannot be;
 * and checkpoint asks for it. Then rest is made to compute the residuals again from the
 * known inputs.
 */
#include "op/control.h"

static uint32_t known_outs(const Program *p, const Split *s)
{
    return count_true(s->out_known, p->nout);
}

bool split_sub(wf_ctx *cx, const Program *p, const bool *in_known,
               const bool *want_unknown, Split *out)
{
    uint32_t nk;

    if (!xf_partition(cx, p, in_known, want_unknown, out))
        return false;
    nk = known_outs(p, out);
    for (uint32_t k = 0; k < out->nres; k++)
        if (type_has_symbol(out->known, val_type(out->known, out->known->outs[nk + k]),
                            SYM_EQN))
            return split_recompute(cx, p, in_known, SAVE_NOTHING, out);
    return true;
}

/* Which values may be kept: results of contractions, or what is given a name (the operand
 * of name, since rules of the op that made it may use it so). */
static bool *find_kept(Builder *b, const Program *known, int policy)
{
    bool *keep = NEW(b, known->nvals, bool);

    for (uint32_t i = 0; i < known->neqns; i++) {
        const Eqn *e = &known->eqns[i];
        Val v = e->op == OP_name ? eqn_in(known, e)[0] : e->out;
        bool is = policy == SAVE_DOTS
                      ? e->op == OP_dot_general || e->op == OP_conv_general
                      : policy == SAVE_NAMED && e->op == OP_name;
        if (is && v > known->nin && !type_has_symbol(known, val_type(known, v), SYM_EQN))
            keep[v] = true;
    }
    return keep;
}

typedef struct Recompute {
    Builder *b;   /* of the new rest */
    Copier known; /* into it */
    Copier rest;
    Val *kept;    /* values of the known program that are kept */
    Val *kept_in; /* the inputs of rest they become */
    uint32_t nkept;
} Recompute;

/* The known equations again, the kept ones as inputs. */
static void copy_known(Recompute *r, const Program *known, int policy)
{
    const bool *keep = find_kept(r->b, known, policy);

    r->kept = NEW(r->b, known->nvals, Val);
    r->kept_in = NEW(r->b, known->nvals, Val);
    copier_init(&r->known, r->b, known, NULL, NULL);
    copier_inputs(&r->known);
    for (uint32_t i = 0; i < known->neqns && !b_failed(r->b); i++) {
        const Eqn *e = &known->eqns[i];
        xf_copy_pure(&r->known, e); /* effects are had once, in known */
        for (Val v = e->out; v < e->out + e->nout && !b_failed(r->b); v++)
            if (keep[v]) {
                r->kept[r->nkept] = v;
                r->kept_in[r->nkept] =
                    b_input(r->b, "kept", copier_type(&r->known, val_type(known, v)));
                r->known.val[v] = r->kept_in[r->nkept++];
            }
    }
}

/* The old rest behind them. Symbols are shared by name: those of rest that known defines
 * are free in it. */
static void copy_rest(Recompute *r, const Split *s, uint32_t nk)
{
    const Program *rest = s->rest;
    Dim *binds = NEW(r->b, rest->dims.syms.n, Dim);

    for (uint32_t i = 0; i < rest->dims.syms.n; i++) {
        const Symbol *sym = &rest->dims.syms.v[i];
        binds[i] = sym->origin == SYM_EQN ? DIM_NONE : dim_find(&r->b->dims, sym->name);
    }
    copier_init(&r->rest, r->b, rest, binds, NULL);
    for (uint32_t k = 0; k < s->nres; k++)
        r->rest.val[program_in(rest, k)] = r->known.val[s->known->outs[nk + k]];
    for (uint32_t i = s->nres; i < rest->nin && !b_failed(r->b); i++)
        r->rest.val[program_in(rest, i)] =
            b_input(r->b, input_name(rest, i),
                    copier_type(&r->rest, val_type(rest, program_in(rest, i))));
    for (uint32_t i = 0; i < rest->neqns && !b_failed(r->b); i++)
        copier_eqn(&r->rest, &rest->eqns[i]);
}

/* Which inputs of a builder something depends on, given the results. */
static bool *live_inputs(Builder *b, const Val *outs, uint32_t nouts)
{
    LiveView v = {b->eqns.v,  b->eqns.n, b->args.v, b->vals.v, b->vals.n,
                  b->types.v, &b->dims,  outs,      nouts};
    bool *keep = NEW(b, b->eqns.n, bool), *live = NEW(b, b->vals.n, bool);

    live_equations(&b->arena, &v, keep);
    for (uint32_t i = 0; i < b->eqns.n; i++)
        for (uint32_t k = 0; keep[i] && k < b->eqns.v[i].nin; k++)
            live[b->args.v[b->eqns.v[i].args + k]] = true;
    for (uint32_t i = 0; i < nouts; i++)
        live[outs[i]] = true;
    return live;
}

/* A copy of p with these results (values of p) in place of its own. */
static const Program *with_results(wf_ctx *cx, const Program *p, const Val *outs,
                                   uint32_t nouts)
{
    Builder *b = builder_new(cx, p->name, B_OPTIMISE);
    Val *mapped = NEW(b, nouts, Val);
    Copier c;

    copier_init(&c, b, p, NULL, NULL);
    copier_inputs(&c);
    for (uint32_t i = 0; i < p->neqns && !b_failed(b); i++)
        copier_eqn(&c, &p->eqns[i]);
    for (uint32_t i = 0; i < nouts; i++)
        mapped[i] = c.val[outs[i]];
    return builder_finish(b, mapped, nouts);
}

bool split_recompute(wf_ctx *cx, const Program *p, const bool *in_known, int policy,
                     Split *s)
{
    uint32_t nk = known_outs(p, s), n = 0, nres = 0;
    Recompute r = {.b = builder_new(cx, s->rest->name, B_OPTIMISE)};
    Val *outs = NEW(r.b, s->rest->nout, Val), *ins, *res;
    int32_t *res_input;
    bool *live;

    copy_known(&r, s->known, policy);
    if (!b_failed(r.b))
        copy_rest(&r, s, nk);
    if (b_failed(r.b))
        return false;
    for (uint32_t j = 0; j < s->rest->nout; j++)
        outs[j] = r.rest.val[s->rest->outs[j]];
    live = live_inputs(r.b, outs, s->rest->nout);
    ins = NEW(r.b, r.b->inputs.n, Val);
    res = NEW(r.b, nk + p->nin + r.nkept, Val); /* results of the new known program */
    res_input = arena_array(&cx->scratch, p->nin + r.nkept + 1, sizeof *res_input);
    memcpy(res, s->known->outs, nk * sizeof *res);
    for (uint32_t i = 0, k = 0; i < p->nin; i++) { /* known inputs that rest needs */
        Val v = in_known[i] ? program_in(s->known, k++) : VAL_NONE;
        if (v == VAL_NONE || !live[r.known.val[v]])
            continue;
        res_input[nres] = (int32_t)i;
        res[nk + nres++] = v;
        ins[n++] = r.known.val[v];
    }
    for (uint32_t k = 0; k < r.nkept; k++) /* kept values that it needs */
        if (live[r.kept_in[k]]) {
            res_input[nres] = -1;
            res[nk + nres++] = r.kept[k];
            ins[n++] = r.kept_in[k];
        }
    for (uint32_t i = s->nres; i < s->rest->nin; i++)
        ins[n++] = r.rest.val[program_in(s->rest, i)];
    s->rest = builder_finish_as(r.b, ins, n, outs, s->rest->nout);
    s->known = with_results(cx, s->known, res, nk + nres);
    s->nres = nres;
    s->res_input = res_input;
    return s->known && s->rest;
}
