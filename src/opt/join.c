/* join.c -- two loops that go through the same states, or two choices by one predicate,
 * become one.
 *
 *   requires   nothing
 *   keeps      values bit for bit
 *   breaks     nothing
 *
 * Who asks for a value and its gradient has a scan that gives the value and another that
 * also gives what the backward loop needs: their carries begin alike, and what a turn
 * makes of them is one value when both bodies are copied into one program. One scan then
 * gives the rows of both. Two conds need only decide by the same value.
 *
 * The first of the two becomes the joint one, so the second's operands must be there.
 */
#include "opt/opt.h"

typedef struct Pair { /* operands and body inputs behind the predicate, in groups: constants, carries, rows */
    const EqnView *x, *y;
    uint32_t skip;        /* operands before them */
    uint32_t nx[3], ny[3];
    Val *in;              /* of the joint equation */
    uint32_t *at_x, *at_y; /* the place there of each */
    uint32_t n[3];        /* of each group */
} Pair;

static void find_groups(const EqnView *e, uint32_t *n)
{
    const ScanAttr *a = e->attr;

    n[0] = e->op == OP_cond ? e->nin - 1 : (uint32_t)a->nconst;
    n[1] = e->op == OP_cond ? 0 : (uint32_t)a->ncarry;
    n[2] = e->nin - (e->op == OP_cond) - n[0] - n[1];
}

static Subs subs_of(const EqnView *e)
{
    return e->op == OP_cond ? ((const CondAttr *)e->attr)->branches
                            : (Subs){1, &((const ScanAttr *)e->attr)->body};
}

/* May they be joined, for all that their attributes say? */
static bool fit(const EqnView *x, const EqnView *y)
{
    const ScanAttr *a = x->attr, *b = y->attr;
    Subs s = subs_of(x), t = subs_of(y);

    for (uint32_t k = 0; k < s.n; k++)
        if (s.n != t.n || s.v[k].p->effects || t.v[k].p->effects)
            return false;
    return x->op == OP_cond ? x->in[0] == y->in[0]
                            : a->ncarry == b->ncarry && a->length == b->length && a->reverse == b->reverse &&
                                  !memcmp(x->in + a->nconst, y->in + b->nconst, (size_t)a->ncarry * sizeof *x->in);
}

/* The operands of both, each once. */
static void join_operands(Builder *b, Pair *p)
{
    uint32_t n = p->skip, i = p->skip, k = p->skip;

    find_groups(p->x, p->nx);
    find_groups(p->y, p->ny);
    p->in = NEW(b, p->x->nin + p->y->nin, Val);
    p->at_x = NEW(b, p->x->nin, uint32_t);
    p->at_y = NEW(b, p->y->nin, uint32_t);
    memcpy(p->in, p->x->in, p->skip * sizeof *p->in);
    for (uint32_t g = 0; g < 3; g++) {
        uint32_t first = n, end_x = i + p->nx[g], end_y = k + p->ny[g];

        for (; i < end_x; i++) {
            p->at_x[i - p->skip] = n - p->skip;
            p->in[n++] = p->x->in[i];
        }
        for (; k < end_y; k++) {
            uint32_t at = g == 1 ? n - (end_y - k) : first; /* carries are in their order, also where two begin alike */

            while (at < n && p->in[at] != p->y->in[k])
                at++;
            p->at_y[k - p->skip] = at - p->skip;
            if (at == n)
                p->in[n++] = p->y->in[k];
        }
        p->n[g] = n - first;
    }
}

static bool has_numbers(Type t)
{
    for (uint32_t i = 0; i < t.rank; i++)
        if (!dim_is_const(t.dims[i]))
            return false;
    return true;
}

/* The symbols of y, each the one of x, copied by c, that stands for the same size. */
static bool find_symbols(const Copier *c, const Sub *x, const Sub *y, Dim *binds)
{
    if (x->binds.n != x->p->dims.syms.n || y->binds.n != y->p->dims.syms.n)
        return false;
    for (uint32_t k = 0; k < y->binds.n; k++) {
        binds[k] = DIM_NONE;
        if (y->p->dims.syms.v[k].origin == SYM_EQN) /* its equation makes it anew */
            continue;
        for (uint32_t i = 0; i < x->binds.n && binds[k] == DIM_NONE; i++)
            if (x->binds.v[i] == y->binds.v[k])
                binds[k] = c->sym[i];
        if (binds[k] == DIM_NONE)
            return false;
    }
    return true;
}

/* Both bodies as one, the first `same` results once; NULL, without an error: they are not the same. */
static const Program *join_bodies(wf_ctx *cx, const Pair *p, const Sub *sx, const Sub *sy, uint32_t same)
{
    const Program *x = sx->p, *y = sy->p;
    Builder *b = builder_new(cx, x->name, B_OPTIMISE);
    uint32_t n = p->n[0] + p->n[1] + p->n[2];
    Dim *binds = NEW(b, y->dims.syms.n + 1, Dim);
    Val *in = NEW(b, n + 1, Val), *out = NEW(b, x->nout + y->nout + 1, Val);
    Copier c, d;

    copier_init(&c, b, x, NULL, NULL);
    for (uint32_t m = 0, i = 0, k; m < n; m++) {
        if (i < x->nin && p->at_x[i] == m) {
            in[m] = c.val[i + 1] = b_input(b, input_name(x, i), copier_type(&c, val_type(x, i + 1)));
            i++;
            continue;
        }
        for (k = 0; p->at_y[k] != m; k++)
            ;
        if (!has_numbers(val_type(y, k + 1))) /* the joint body may have no name for its sizes yet */
            return NULL;
        in[m] = b_input(b, input_name(y, k), val_type(y, k + 1));
    }
    if (!find_symbols(&c, sx, sy, binds))
        return NULL;
    copier_init(&d, b, y, binds, NULL);
    for (uint32_t k = 0; k < y->nin; k++) {
        d.val[k + 1] = in[p->at_y[k]];
        if (!type_eq(copier_type(&d, val_type(y, k + 1)), b_type(b, d.val[k + 1]))) /* a number here, a symbol there */
            return NULL;
    }
    for (uint32_t i = 0; i < x->neqns + y->neqns; i++)
        if (!(i < x->neqns ? copier_eqn(&c, &x->eqns[i]) : copier_eqn(&d, &y->eqns[i - x->neqns])))
            return NULL;
    for (uint32_t j = 0; j < x->nout; j++)
        out[j] = c.val[x->outs[j]];
    for (uint32_t j = 0; j < y->nout; j++)
        out[x->nout + j] = d.val[y->outs[j]];
    for (uint32_t j = 0; j < same; j++)
        if (out[j] != out[x->nout + j])
            return NULL;
    memmove(out + x->nout, out + x->nout + same, (y->nout - same) * sizeof *out);
    return builder_finish(b, out, x->nout + y->nout - same);
}

/* The joint equation: results of x, then those of y that x has not. */
static bool make_joint(Rewriter *r, Pair *p, Val *out)
{
    Builder *b = r->b;
    const EqnView *x = p->x, *y = p->y;
    Subs s = subs_of(x), t = subs_of(y);
    Sub *joint = NEW(b, s.n, Sub);
    uint32_t same, n;
    CondAttr cond;
    ScanAttr scan;

    join_operands(b, p);
    same = p->n[1];
    for (uint32_t k = 0; k < s.n; k++) {
        const Program *q = join_bodies(r->o->cx, p, &s.v[k], &t.v[k], same);

        if (!q)
            return false;
        joint[k] = sub_like(b, &s.v[k], q);
    }
    n = p->skip + p->n[0] + p->n[1] + p->n[2];
    if (x->op == OP_cond) {
        cond = (CondAttr){{s.n, joint}};
        return b_eqn(b, OP_cond, p->in, n, &cond, out, x->nout + y->nout) == x->nout + y->nout;
    }
    scan = *(const ScanAttr *)x->attr;
    scan.body = joint[0];
    scan.nconst = p->n[0];
    return b_eqn(b, OP_scan, p->in, n, &scan, out, x->nout + y->nout - same) == x->nout + y->nout - same;
}

/* Operands of a later equation are there already. */
static bool is_ready(const Rewriter *r, const Eqn *e)
{
    for (uint32_t i = 0; i < e->nin; i++)
        if (r->c->val[eqn_in(r->from, e)[i]] == VAL_NONE)
            return false;
    return true;
}

/* joined: of later equations their results, which are there already. */
bool opt_join(Rewriter *r, PtrMap *joined, const EqnView *x, Val *out)
{
    const Eqn *end = r->from->eqns + r->from->neqns;
    const Val *done = ptrmap_get(joined, r->at);

    if (done) {
        memcpy(out, done, x->nout * sizeof *out);
        return true;
    }
    if (x->op != OP_scan && x->op != OP_cond)
        return false;
    for (const Eqn *e = r->at + 1; e < end; e++) {
        uint32_t same = x->op == OP_scan ? (uint32_t)((const ScanAttr *)x->attr)->ncarry : 0;
        Val *all, *later;
        EqnView y;
        Pair p = {.x = x, .y = &y, .skip = x->op == OP_cond};

        if (e->op != x->op || !is_ready(r, e) || ptrmap_get(joined, e))
            continue;
        copier_view(r->c, e, &y);
        if (!fit(x, &y))
            continue;
        all = NEW(r->b, x->nout + y.nout, Val);
        if (!make_joint(r, &p, all)) {
            if (b_failed(r->b))
                return false;
            continue;
        }
        later = NEW(r->b, y.nout, Val);
        memcpy(out, all, x->nout * sizeof *out);
        memcpy(later, all, same * sizeof *later);
        memcpy(later + same, all + x->nout, (y.nout - same) * sizeof *later);
        ptrmap_put(joined, e, later);
        return true;
    }
    return false;
}
