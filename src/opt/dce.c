/* dce.c -- what nobody reads is dropped, in sub-programs and between them and users.
 *
 *   requires   nothing
 *   keeps      order, types and places of what stays; effects; inputs and results of the
 *              program itself; definitions of symbols still in use
 *   breaks     nothing
 *
 * Equations by ir/dce.c. Where an equation has sub-programs, results that nobody reads
 * are no longer made and operands that are not needed no longer passed. A carry of a loop
 * is alive if its last value is read, or if a result that is alive needs it: carries that
 * only feed themselves go.
 */
#include "opt/opt.h"

/* ---- programs with fewer inputs and results ---------------------------------------- */

static bool *live_of(wf_ctx *cx, const Program *p, const Val *outs, uint32_t nouts)
{
    LiveView v = {p->eqns,  p->neqns, p->args, p->vals, p->nvals,
                  p->types, &p->dims, outs,    nouts};
    bool *keep = arena_zalloc(&cx->scratch, p->neqns + 1u);

    live_equations(&cx->scratch, &v, keep);
    return keep;
}

static Val *pick_outs(wf_ctx *cx, const Program *p, const uint32_t *outs, uint32_t n)
{
    Val *v = arena_array(&cx->scratch, n + 1u, sizeof *v);

    for (uint32_t j = 0; j < n; j++)
        v[j] = p->outs[outs[j]];
    return v;
}

void opt_needed_inputs(wf_ctx *cx, const Program *p, const uint32_t *outs, uint32_t nouts,
                       bool *need)
{
    Val *vals = pick_outs(cx, p, outs, nouts);
    bool *keep = live_of(cx, p, vals, nouts);

    memset(need, 0, p->nin);
    for (uint32_t j = 0; j < nouts; j++)
        if (vals[j] <= p->nin)
            need[vals[j] - 1] = true;
    for (uint32_t i = 0; i < p->neqns; i++)
        for (uint32_t k = 0; keep[i] && k < p->eqns[i].nin; k++)
            if (eqn_in(p, &p->eqns[i])[k] <= p->nin)
                need[eqn_in(p, &p->eqns[i])[k] - 1] = true;
}

const Program *opt_reshape_sub(wf_ctx *cx, const Program *p, const bool *keep,
                               const int32_t *same, const uint32_t *outs, uint32_t nouts)
{
    Builder *b = builder_new(cx, p->name, B_OPTIMISE);
    Val *vals = pick_outs(cx, p, outs, nouts);
    bool *live = live_of(cx, p, vals, nouts);
    Copier c;

    copier_init(&c, b, p, NULL, NULL);
    for (uint32_t i = 0; i < p->nin; i++)
        if (keep[i])
            c.val[i + 1] =
                b_input(b, input_name(p, i), copier_type(&c, val_type(p, i + 1)));
        else if (same && same[i] >= 0)
            c.val[i + 1] = c.val[same[i] + 1];
    for (uint32_t i = 0; i < p->neqns; i++)
        if (live[i] && !copier_eqn(&c, &p->eqns[i]))
            return NULL;
    for (uint32_t j = 0; j < nouts; j++)
        vals[j] = c.val[vals[j]];
    return builder_finish(b, vals, nouts);
}

/* ---- what an equation with sub-programs needs -------------------------------------- */

typedef struct Dce {
    wf_ctx *cx;
    PtrMap done; /* by content: programs made on the way are often equal */
} Dce;

typedef struct Done {
    const Program *from, *to;
} Done;

static const Program *dce_program(Dce *d, const Program *p);

/* A sub-program with the results in outs; its inputs are counted later. */
static bool prune_outs(Dce *d, Builder *b, Sub *s, const uint32_t *outs, uint32_t nouts)
{
    const Program *q = s->p;

    if (nouts != q->nout) {
        bool *all = arena_alloc(&d->cx->scratch, q->nin + 1u);
        memset(all, 1, q->nin + 1u);
        if (!(q = opt_reshape_sub(d->cx, q, all, NULL, outs, nouts)))
            return false;
    }
    if (!(q = dce_program(d, q)))
        return false;
    if (q != s->p)
        *s = sub_like(b, s, q);
    return true;
}

static bool prune_ins(Dce *d, Builder *b, Sub *s, const bool *keep)
{
    const Program *p = s->p, *q;
    uint32_t *outs = arena_array(&d->cx->scratch, p->nout + 1u, sizeof *outs);

    for (uint32_t j = 0; j < p->nout; j++)
        outs[j] = j;
    if (count_true(keep, p->nin) == p->nin)
        return true;
    if (!(q = opt_reshape_sub(d->cx, p, keep, NULL, outs, p->nout)))
        return false;
    *s = sub_like(b, s, q);
    return true;
}

static void all_needed(Dce *d, const Program *p, bool *need)
{
    uint32_t *outs = arena_array(&d->cx->scratch, p->nout + 1u, sizeof *outs);

    for (uint32_t j = 0; j < p->nout; j++)
        outs[j] = j;
    opt_needed_inputs(d->cx, p, outs, p->nout, need);
}

/* One equation being pruned: which operands and results stay. */
typedef struct Prune {
    Dce *d;
    Builder *b;
    uint32_t nin, nout;
    bool *in, *out; /* which stay; out comes in as what is read */
    uint32_t *outs; /* those, in order */
    uint32_t nouts;
    void *attr; /* changed in place */
} Prune;

static void list_outs(Prune *x)
{
    x->nouts = 0;
    for (uint32_t j = 0; j < x->nout; j++)
        if (x->out[j])
            x->outs[x->nouts++] = j;
}

/* call, cond: subs on the operands from `first` on */
static bool prune_branches(Prune *x, Sub *subs, uint32_t n, uint32_t first)
{
    bool *need = NEW(x->b, x->nin, bool);

    list_outs(x);
    for (uint32_t k = 0; k < n; k++) {
        if (!prune_outs(x->d, x->b, &subs[k], x->outs, x->nouts))
            return false;
        all_needed(x->d, subs[k].p, need);
        for (uint32_t i = first; i < x->nin; i++)
            x->in[i] |= need[i - first];
    }
    for (uint32_t k = 0; k < n; k++)
        if (!prune_ins(x->d, x->b, &subs[k], x->in + first))
            return false;
    return true;
}

/* Carries that live results need live too. nconst: constants of the body. need: inputs of
 * the body. */
static void live_carries(Prune *x, const Program *body, uint32_t nconst, uint32_t ncarry,
                         bool *need)
{
    bool more = true;

    while (more) {
        more = false;
        list_outs(x);
        opt_needed_inputs(x->d->cx, body, x->outs, x->nouts, need);
        for (uint32_t i = 0; i < ncarry; i++)
            if (need[nconst + i] && !x->out[i])
                more = x->out[i] = true;
    }
    for (uint32_t i = 0; i < ncarry; i++)
        need[nconst + i] = x->out[i];
}

static bool prune_scan(Prune *x, ScanAttr *a)
{
    uint32_t nconst = (uint32_t)a->nconst, ncarry = (uint32_t)a->ncarry;
    bool *need = NEW(x->b, x->nin, bool);

    live_carries(x, a->body.p, nconst, ncarry, need);
    if (!prune_outs(x->d, x->b, &a->body, x->outs, x->nouts))
        return false;
    all_needed(x->d, a->body.p, need);
    for (uint32_t i = 0; i < x->nin; i++)
        x->in[i] = i >= nconst && i < nconst + ncarry ? x->out[i - nconst] : need[i];
    a->nconst = count_true(x->in, nconst);
    a->ncarry = count_true(x->out, ncarry);
    return prune_ins(x->d, x->b, &a->body, x->in);
}

static bool prune_while(Prune *x, WhileAttr *a)
{
    uint32_t nc = (uint32_t)a->ncond, nb = (uint32_t)a->nbody;
    uint32_t ncarry = x->nin - nc - nb;
    bool *need = NEW(x->b, x->nin, bool), *cond = NEW(x->b, x->nin, bool);
    uint32_t test = 0;

    if (!prune_outs(x->d, x->b, &a->cond, &test, 1))
        return false;
    all_needed(x->d, a->cond.p, cond);
    for (uint32_t i = 0; i < ncarry; i++)
        x->out[i] |= cond[nc + i];
    for (uint32_t j = ncarry; j < x->nout; j++)
        x->out[j] |= a->trips != DIM_NONE; /* rows that define a size stay */
    live_carries(x, a->body.p, nb, ncarry, need);
    if (!prune_outs(x->d, x->b, &a->body, x->outs, x->nouts))
        return false;
    all_needed(x->d, a->body.p, need);
    for (uint32_t i = 0; i < nb; i++)
        x->in[nc + i] = need[i];
    for (uint32_t i = 0; i < nc; i++)
        x->in[i] = cond[i];
    for (uint32_t i = 0; i < ncarry; i++)
        x->in[nc + nb + i] = need[nb + i] = cond[nc + i] = x->out[i];
    if (!prune_ins(x->d, x->b, &a->cond, cond) || !prune_ins(x->d, x->b, &a->body, need))
        return false;
    a->ncond = count_true(x->in, nc);
    a->nbody = count_true(x->in + nc, nb);
    return true;
}

/* Other ops with sub-programs keep their operands; only the insides are looked at. */
static bool prune_inside(Dce *d, Builder *b, const OpRow *row, void *attr)
{
    for (const AttrField *f = row->attrs; f && f->name; f++) {
        Sub *s = (Sub *)((char *)attr + f->offset);
        const Program *q;

        if (f->kind != A_SUB || !s->p)
            continue;
        if (!(q = dce_program(d, s->p)))
            return false;
        if (q != s->p)
            *s = sub_like(b, s, q);
    }
    return true;
}

static bool prune_attr(Prune *x, unsigned op)
{
    CondAttr *c = x->attr;

    switch (op) {
    case OP_call: return prune_branches(x, &((CallAttr *)x->attr)->body, 1, 0);
    case OP_cond:
        c->branches.v =
            arena_dup(&x->b->arena, c->branches.v, c->branches.n * sizeof(Sub));
        x->in[0] = true;
        return prune_branches(x, (Sub *)(uintptr_t)c->branches.v, c->branches.n, 1);
    case OP_scan: return prune_scan(x, x->attr);
    case OP_while: return prune_while(x, x->attr);
    default:
        memset(x->in, 1, x->nin);
        memset(x->out, 1, x->nout);
        return prune_inside(x->d, x->b, op_row(op), x->attr);
    }
}

static bool copy_pruned(Dce *d, Copier *c, const Eqn *e, const bool *used)
{
    Builder *b = c->b;
    Prune x = {.d = d, .b = b, .nin = e->nin, .nout = e->nout};
    Val *in = NEW(b, e->nin, Val), *out = NEW(b, e->nout, Val);
    uint32_t n = 0, k = 0;

    copier_place(c, e);
    x.attr = copier_attr(c, e);
    x.in = NEW(b, e->nin, bool);
    x.out = NEW(b, e->nout, bool);
    x.outs = NEW(b, e->nout, uint32_t);
    for (uint32_t j = 0; j < e->nout; j++)
        x.out[j] = used[e->out + j];
    if (!prune_attr(&x, e->op))
        return false;
    for (uint32_t i = 0; i < e->nin; i++)
        if (x.in[i])
            in[n++] = c->val[eqn_in(c->from, e)[i]];
    b_eqn(b, (OpCode)e->op, in, n, x.attr, out, count_true(x.out, e->nout));
    for (uint32_t j = 0; j < e->nout && !b_failed(b); j++) {
        uint32_t name = c->from->vals[e->out + j].name;
        if (!x.out[j])
            continue;
        c->val[e->out + j] = out[k++];
        if (name)
            b_name(b, c->val[e->out + j], c->from->names[name]);
    }
    return !b_failed(b);
}

/* ---- programs ---------------------------------------------------------------------- */

static const Program *dce_anew(Dce *d, const Program *p)
{
    Builder *b = builder_new(d->cx, p->name, B_OPTIMISE);
    bool *keep = live_of(d->cx, p, p->outs, p->nout);
    bool *used = arena_zalloc(&d->cx->scratch, p->nvals + 1u);
    Val *outs = arena_array(&d->cx->scratch, p->nout + 1u, sizeof *outs);
    Copier c;

    for (uint32_t j = 0; j < p->nout; j++)
        used[p->outs[j]] = true;
    for (uint32_t i = 0; i < p->neqns; i++)
        for (uint32_t k = 0; keep[i] && k < p->eqns[i].nin; k++)
            used[eqn_in(p, &p->eqns[i])[k]] = true;
    copier_init(&c, b, p, NULL, NULL);
    copier_inputs(&c);
    for (uint32_t i = 0; i < p->neqns; i++) {
        const Eqn *e = &p->eqns[i];
        if (keep[i] && !(op_has(e->op, OPF_CONTROL) ? copy_pruned(d, &c, e, used)
                                                    : copier_eqn(&c, e)))
            return NULL;
    }
    for (uint32_t j = 0; j < p->nout; j++)
        outs[j] = c.val[p->outs[j]];
    return same_or(p, builder_finish(b, outs, p->nout));
}

static const Program *dce_program(Dce *d, const Program *p)
{
    const void *key = (const void *)(uintptr_t)(p->hash.lo | 1);
    const Done *done = ptrmap_get(&d->done, key);
    Done *now;

    if (done && program_equal(done->from, p))
        return done->to == done->from ? p : done->to;
    now = arena_alloc(&d->cx->scratch, sizeof *now);
    now->from = p;
    if (!(now->to = dce_anew(d, p)))
        return NULL;
    ptrmap_put(&d->done, key, now);
    return now->to;
}

const Program *opt_dce(const Opt *o, const Program *p)
{
    Dce d = {.cx = o->cx, .done.a = &o->cx->scratch};

    return dce_program(&d, p);
}
