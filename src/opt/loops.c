/* loops.c -- what every turn of a loop computes alike is computed once, before it.
 *
 *   requires   nothing
 *   keeps      values, but for the order of additions of accumulate.c; what may fail at
 *              run time stays in a loop that may make no turn
 *   breaks     nothing
 *
 *   a carry that the body hands on unchanged                     a constant of the loop
 *   equations of the body (of a while: its condition too)        before the loop, their
 *   that depend on constants of the loop only                    results constants of it
 *   y_t = dot(s_t, w), s_t a slice of a scan, w constant         one product of all s_t,
 *   in it: the projections of a recurrent network                y_t a slice of it
 *   carries to which products are added                          accumulate.c
 *   constant matrices contracted in their last axis              loops_scan.c
 *
 * Constants, iotas and broadcasts stay inside: they are cheaper to make than to pass.
 */
#include "opt/loops.h"

/* ---- carries that stay as they are ------------------------------------------------- */

/* p with its inputs in another order, and the results outs */
static const Program *reordered(wf_ctx *cx, const Program *p, const uint32_t *order,
                                const uint32_t *outs, uint32_t nouts)
{
    Builder *b = builder_new(cx, p->name, B_OPTIMISE);
    Val *vals = NEW(b, nouts, Val);
    Copier c;

    copier_init(&c, b, p, NULL, NULL);
    for (uint32_t k = 0; k < p->nin; k++)
        c.val[order[k] + 1] = b_input(b, input_name(p, order[k]),
                                      copier_type(&c, val_type(p, order[k] + 1)));
    for (uint32_t i = 0; i < p->neqns; i++)
        if (!copier_eqn(&c, &p->eqns[i]))
            return NULL;
    for (uint32_t j = 0; j < nouts; j++)
        vals[j] = c.val[p->outs[outs[j]]];
    return builder_finish(b, vals, nouts);
}

/* Inputs first .. first+n-1 are carries, fixed ones are to stand behind the constants. */
static uint32_t *fixed_first(Builder *b, uint32_t nin, uint32_t first, uint32_t n,
                             const bool *fixed)
{
    uint32_t *order = NEW(b, nin, uint32_t), k = 0;

    for (uint32_t i = 0; i < first; i++)
        order[k++] = i;
    for (uint32_t i = 0; i < n; i++)
        if (fixed[i])
            order[k++] = first + i;
    for (uint32_t i = first; i < nin; i++)
        if (i >= first + n || !fixed[i - first])
            order[k++] = i;
    return order;
}

static bool is_fixed(const Program *body, uint32_t nconst, uint32_t i)
{
    return body->outs[i] == nconst + i + 1;
}

typedef struct Carries { /* of a loop */
    uint32_t n, nfixed;
    bool *fixed;
    uint32_t *outs, nouts; /* results of the body but the fixed carries */
} Carries;

static Carries find_fixed(Builder *b, const Program *body, uint32_t nconst, uint32_t n)
{
    Carries c = {.n = n, .fixed = NEW(b, n, bool), .outs = NEW(b, body->nout, uint32_t)};

    for (uint32_t j = 0; j < body->nout; j++)
        if (j < n && is_fixed(body, nconst, j))
            c.fixed[j] = true, c.nfixed++;
        else
            c.outs[c.nouts++] = j;
    return c;
}

/* Results in their old places: a fixed carry ends as it began. */
static bool spread_results(const Carries *c, const Val *first, const Val *made, Val *out)
{
    for (uint32_t i = 0; i < c->n; i++)
        if (c->fixed[i])
            out[i] = first[i];
    for (uint32_t k = 0; k < c->nouts; k++)
        out[c->outs[k]] = made[k];
    return true;
}

static bool fix_scan(Rewriter *r, const EqnView *e, Val *out)
{
    Builder *b = r->b;
    ScanAttr a = *(const ScanAttr *)e->attr;
    uint32_t nconst = (uint32_t)a.nconst, n = (uint32_t)a.ncarry, *order;
    Carries c = find_fixed(b, a.body.p, nconst, n);
    Val *in = NEW(b, e->nin, Val), *made = NEW(b, e->nout, Val);
    const Program *q;

    if (!c.nfixed)
        return false;
    order = fixed_first(b, e->nin, nconst, n, c.fixed);
    if (!(q = reordered(b->cx, a.body.p, order, c.outs, c.nouts)))
        return false;
    for (uint32_t k = 0; k < e->nin; k++)
        in[k] = e->in[order[k]];
    a.body = sub_like(b, &a.body, q);
    a.nconst += c.nfixed;
    a.ncarry -= c.nfixed;
    b_eqn(b, OP_scan, in, e->nin, &a, made, c.nouts);
    return !b_failed(b) && spread_results(&c, e->in + nconst, made, out);
}

static bool fix_while(Rewriter *r, const EqnView *e, Val *out)
{
    Builder *b = r->b;
    WhileAttr a = *(const WhileAttr *)e->attr;
    uint32_t nc = (uint32_t)a.ncond, nb = (uint32_t)a.nbody, n = e->nin - nc - nb, k = 0;
    Carries c = find_fixed(b, a.body.p, nb, n);
    const Val *x = e->in + nc + nb;
    Val *in = NEW(b, e->nin + n, Val), *made = NEW(b, e->nout, Val);
    uint32_t test = 0;
    const Program *cond, *body;

    if (!c.nfixed)
        return false;
    cond = reordered(b->cx, a.cond.p, fixed_first(b, nc + n, nc, n, c.fixed), &test, 1);
    body = cond ? reordered(b->cx, a.body.p, fixed_first(b, nb + n, nb, n, c.fixed),
                            c.outs, c.nouts)
                : NULL;
    if (!body)
        return false;
    for (int part = 0; part < 2; part++) { /* constants of cond, of body */
        for (uint32_t i = 0; i < (part ? nb : nc); i++)
            in[k++] = e->in[part ? nc + i : i];
        for (uint32_t i = 0; i < n; i++)
            if (c.fixed[i])
                in[k++] = x[i];
    }
    for (uint32_t i = 0; i < n; i++)
        if (!c.fixed[i])
            in[k++] = x[i];
    a.cond = sub_like(b, &a.cond, cond);
    a.body = sub_like(b, &a.body, body);
    a.ncond += c.nfixed;
    a.nbody += c.nfixed;
    b_eqn(b, OP_while, in, k, &a, made, c.nouts);
    return !b_failed(b) && spread_results(&c, x, made, out);
}

/* ---- equations that do not change -------------------------------------------------- */

typedef struct Hoist {
    Rewriter *r;
    const Sub *s; /* inputs: nconst constants, then others */
    uint32_t nconst;
    const Val *consts; /* their values outside */
    bool surely;       /* at least one turn is made */
    bool *fixed;       /* values of s->p that no turn changes */
    bool *out;         /* equations of s->p computed outside */
    bool *root;        /* values that become constants of the loop */
    bool *row;         /* values that become slices of the scan */
    uint32_t nroots, nrows;
    Copier c;             /* copies equations outside */
    VEC(Val) extra, rows; /* outside: values of the roots, of the stacked rows */
} Hoist;

static void find_effects(void *user, const Sub *s) { *(bool *)user |= s->p->effects; }

static bool may_move(const Hoist *h, const Eqn *e)
{
    const Program *p = h->s->p;
    bool effects = false;

    if (!op_has(e->op, OPF_PURE) || op_has(e->op, OPF_DEFINES) ||
        e->op == OP_opt_barrier || op_has(e->op, OPF_NOEVAL) ||
        (!h->surely && op_may_fail(e->op, e->nin ? val_type(p, eqn_in(p, e)[0]) : (Type){0},
                                   e->nout ? val_type(p, e->out) : (Type){0})))
        return false;
    for (uint32_t j = 0; j < e->nout; j++)
        if (type_has_symbol(p, val_type(p, e->out + j), SYM_EQN))
            return false;
    if (op_has(e->op, OPF_CONTROL))
        attr_each_sub(op_row(e->op), e->attr, find_effects, &effects);
    return !effects;
}

/* Equations that mention a size which the body defines stay in it. */
typedef struct OwnSize {
    const Program *p;
    bool any;
} OwnSize;

static void see_dim(void *user, Dim d, bool defines)
{
    OwnSize *o = user;
    Dim one[1] = {d};

    (void)defines;
    o->any |=
        d < 0 && d != DIM_NONE && type_has_symbol(o->p, (Type){WF_F32, 1, one}, SYM_EQN);
}

static void find_moving(Hoist *h)
{
    const Program *p = h->s->p;

    for (uint32_t i = 0; i < h->nconst; i++)
        h->fixed[i + 1] = true;
    for (uint32_t i = 0; i < p->neqns; i++) {
        const Eqn *e = &p->eqns[i];
        OwnSize own = {p, false};
        bool moves = may_move(h, e);

        for (uint32_t k = 0; k < e->nin && moves; k++)
            moves = h->fixed[eqn_in(p, e)[k]];
        if (moves)
            attr_each_dim(op_row(e->op), e->attr, see_dim, &own);
        h->out[i] = moves && !own.any;
        for (uint32_t j = 0; j < e->nout; j++)
            h->fixed[e->out + j] = h->out[i];
    }
}

/* y_t = dot(s_t, w): s_t an input behind ncarry carries, w fixed, no batch axes */
static bool is_projection(const Hoist *h, const Eqn *e, uint32_t ncarry)
{
    const Program *p = h->s->p;
    const Val *in = eqn_in(p, e);

    return e->op == OP_dot_general && ((const DotAttr *)e->attr)->lhs_batch.n == 0 &&
           in[0] <= p->nin && in[0] > h->nconst + ncarry && h->fixed[in[1]];
}

static bool is_row(const Hoist *h, const Eqn *e) { return e->nout && h->row[e->out]; }

/* Backwards: an equation computed outside whose result is read inside is a root, unless
 * it is better made again inside. */
static void find_roots(Hoist *h, bool *inside)
{
    const Program *p = h->s->p;
    bool *read = NEW(h->r->b, p->nvals, bool);

    for (uint32_t j = 0; j < p->nout; j++)
        read[p->outs[j]] = true;
    for (uint32_t i = p->neqns; i-- > 0;) {
        const Eqn *e = &p->eqns[i];
        inside[i] = !h->out[i];
        for (uint32_t j = 0; j < e->nout && h->out[i]; j++) {
            if (!read[e->out + j])
                continue;
            if (e->nin == 0 || e->op == OP_broadcast)
                inside[i] = true;
            else if (!h->root[e->out + j])
                h->nroots++, h->root[e->out + j] = true;
        }
        for (uint32_t k = 0; k < e->nin && inside[i] && !is_row(h, e); k++)
            read[eqn_in(p, e)[k]] = true;
    }
}

static bool copy_outside(Hoist *h)
{
    const Program *p = h->s->p;
    Builder *b = h->r->b;
    uint32_t place = b->place;

    copier_init(&h->c, b, p, h->s->binds.n ? h->s->binds.v : NULL, NULL);
    for (uint32_t i = 0; i < h->nconst; i++)
        h->c.val[i + 1] = h->consts[i];
    for (uint32_t i = 0; i < p->neqns; i++)
        if (h->out[i] && !copier_eqn(&h->c, &p->eqns[i]))
            return false;
    for (Val v = 1; v < p->nvals; v++)
        if (h->root[v])
            vec_push(&b->arena, &h->extra, h->c.val[v]);
    b->place = place;
    return true;
}

static Val new_input(Copier *c, Val v)
{
    const Program *p = c->from;

    return b_input(c->b, p->names[p->vals[v].name], copier_type(c, val_type(p, v)));
}

/* The program with roots and rows as inputs: constants, roots, the others, rows. */
static const Program *without_moved(Hoist *h, const bool *inside)
{
    const Program *p = h->s->p;
    Builder *b = builder_new(h->r->o->cx, p->name, B_OPTIMISE);
    Val *outs = NEW(b, p->nout, Val);
    Copier c;

    copier_init(&c, b, p, NULL, NULL);
    for (uint32_t i = 0; i < h->nconst; i++)
        c.val[i + 1] = new_input(&c, i + 1);
    for (Val v = 1; v < p->nvals; v++)
        if (h->root[v])
            c.val[v] = new_input(&c, v);
    for (uint32_t i = h->nconst; i < p->nin; i++)
        c.val[i + 1] = new_input(&c, i + 1);
    for (Val v = 1; v < p->nvals; v++)
        if (h->row[v])
            c.val[v] = new_input(&c, v);
    for (uint32_t i = 0; i < p->neqns; i++)
        if (inside[i] && !is_row(h, &p->eqns[i]) && !copier_eqn(&c, &p->eqns[i]))
            return NULL;
    for (uint32_t j = 0; j < p->nout; j++)
        outs[j] = c.val[p->outs[j]];
    return builder_finish(b, outs, p->nout);
}

/* All s_t at once: dot of [T, ..] with the contracted axes one further. */
static bool copy_projections(Hoist *h, const Val *in)
{
    const Program *p = h->s->p;
    Builder *b = h->r->b;

    for (Val v = 1; v < p->nvals; v++) {
        const Eqn *e;
        DotAttr a;
        int64_t axes[MAX_RANK];

        if (!h->row[v])
            continue;
        e = &p->eqns[p->vals[v].eqn];
        a = *(const DotAttr *)e->attr;
        for (uint32_t i = 0; i < a.lhs.n; i++)
            axes[i] = a.lhs.v[i] + 1;
        a.lhs.v = axes;
        copier_place(&h->c, e);
        Val y = b_dot(b, in[eqn_in(p, e)[0] - 1], h->c.val[eqn_in(p, e)[1]], &a);
        vec_push(&b->arena, &h->rows, y);
    }
    return !b_failed(b);
}

static Hoist begin(Rewriter *r, const Sub *s, uint32_t nconst, const Val *consts,
                   bool surely)
{
    const Program *p = s->p;
    Hoist h = {.r = r, .s = s, .nconst = nconst, .consts = consts, .surely = surely};

    h.fixed = NEW(r->b, p->nvals, bool);
    h.out = NEW(r->b, p->neqns, bool);
    h.root = NEW(r->b, p->nvals, bool);
    h.row = NEW(r->b, p->nvals, bool);
    find_moving(&h);
    return h;
}

static bool hoist_scan(Rewriter *r, const EqnView *e, Val *out)
{
    Builder *b = r->b;
    ScanAttr a = *(const ScanAttr *)e->attr;
    const Program *p = a.body.p, *q;
    uint32_t nconst = (uint32_t)a.nconst, n = 0;
    Hoist h = begin(r, &a.body, nconst, e->in, dim_known_ge(&b->dims, a.length, 1));
    bool *inside = NEW(b, p->neqns, bool);
    Val *in;

    for (uint32_t i = 0; i < p->neqns; i++)
        if (is_projection(&h, &p->eqns[i], (uint32_t)a.ncarry))
            h.row[p->eqns[i].out] = true, h.nrows++;
    find_roots(&h, inside);
    if ((!h.nroots && !h.nrows) || !copy_outside(&h) || !copy_projections(&h, e->in) ||
        !(q = without_moved(&h, inside)))
        return false;
    in = NEW(b, e->nin + h.nroots + h.nrows, Val);
    for (uint32_t i = 0; i < e->nin; i++) {
        for (uint32_t k = 0; i == nconst && k < h.nroots; k++)
            in[n++] = h.extra.v[k];
        in[n++] = e->in[i];
    }
    for (uint32_t k = 0; e->nin == nconst && k < h.nroots; k++)
        in[n++] = h.extra.v[k];
    for (uint32_t k = 0; k < h.nrows; k++)
        in[n++] = h.rows.v[k];
    a.body = sub_like(b, &a.body, q);
    a.nconst += h.nroots;
    b_eqn(b, OP_scan, in, n, &a, out, e->nout);
    return !b_failed(b);
}

static bool hoist_while(Rewriter *r, const EqnView *e, Val *out)
{
    Builder *b = r->b;
    WhileAttr a = *(const WhileAttr *)e->attr;
    uint32_t nc = (uint32_t)a.ncond, nb = (uint32_t)a.nbody, n = 0;
    /* the condition is asked at least once, the body perhaps never */
    Hoist c = begin(r, &a.cond, nc, e->in, a.bound == DIM_NONE);
    Hoist h = begin(r, &a.body, nb, e->in + nc, false);
    bool *in_cond = NEW(b, a.cond.p->neqns, bool),
         *in_body = NEW(b, a.body.p->neqns, bool);
    const Program *cond, *body;
    Val *in;

    find_roots(&c, in_cond);
    find_roots(&h, in_body);
    if ((!c.nroots && !h.nroots) || !copy_outside(&c) || !copy_outside(&h) ||
        !(cond = without_moved(&c, in_cond)) || !(body = without_moved(&h, in_body)))
        return false;
    in = NEW(b, e->nin + c.nroots + h.nroots, Val);
    for (uint32_t i = 0; i < nc; i++)
        in[n++] = e->in[i];
    for (uint32_t k = 0; k < c.nroots; k++)
        in[n++] = c.extra.v[k];
    for (uint32_t i = 0; i < nb; i++)
        in[n++] = e->in[nc + i];
    for (uint32_t k = 0; k < h.nroots; k++)
        in[n++] = h.extra.v[k];
    for (uint32_t i = nc + nb; i < e->nin; i++)
        in[n++] = e->in[i];
    a.cond = sub_like(b, &a.cond, cond);
    a.body = sub_like(b, &a.body, body);
    a.ncond += c.nroots;
    a.nbody += h.nroots;
    b_eqn(b, OP_while, in, n, &a, out, e->nout);
    return !b_failed(b);
}

/* One step at a time; the next round takes the next. */
static bool loops_eqn(Rewriter *r, const EqnView *e, Val *out)
{
    if (e->op == OP_scan)
        return fix_scan(r, e, out) || hoist_scan(r, e, out) ||
               accumulate_scan(r, e, out) || opt_scan_turns(r, e, out);
    if (e->op == OP_while)
        return fix_while(r, e, out) || hoist_while(r, e, out);
    return false;
}

const Program *opt_loops(const Opt *o, const Program *p)
{
    return rewrite_with(o, p, NULL, loops_eqn);
}
