/* accumulate.c -- sums of products that a scan carries along become one product behind
 * it.
 *
 *   requires   nothing
 *   keeps      values but for the order of additions
 *   breaks     nothing
 *
 *   c_t+1 = c_t + f(dot(x_t, y_t))          c_T = c_0 + f(dot(x, y)) with x, y the x_t,
 *   c read by nothing else, f slices        y_t of all turns, and the turns contracted
 *   and transposes                          together with the axes of the dot
 *
 * So the gradient of a recurrent network's weights, which its backward loop adds up turn
 * by turn, is one product of the size that products like. The x_t and y_t become results
 * of the loop, where they are not slices of its inputs anyway. It pays where those are
 * smaller than what would be added.
 */
#include "opt/opt.h"

typedef struct Sum {
    uint32_t carry;
    uint32_t add; /* equations of the body: c + v, */
    Val v;        /* v = f(dot) */
    uint32_t dot;
} Sum;

typedef struct Work {
    Rewriter *r;
    const EqnView *e;
    ScanAttr a;
    const Program *p; /* the body */
    uint32_t nconst, ncarry;
    Sum *sums;
    uint32_t nsums;
    uint32_t *stacked; /* body value -> 1 + its number among the new results */
    Val *new_out;      /* body values that become results */
    uint32_t nnew;
    Copier outside; /* what stands behind the loop */
} Work;

static uint32_t *count_uses(Builder *b, const Program *p)
{
    uint32_t *n = NEW(b, p->nvals, uint32_t);

    for (uint32_t i = 0; i < p->neqns; i++)
        for (uint32_t k = 0; k < p->eqns[i].nin; k++)
            n[eqn_in(p, &p->eqns[i])[k]]++;
    for (uint32_t j = 0; j < p->nout; j++)
        n[p->outs[j]]++;
    return n;
}

static const Eqn *maker(const Program *p, Val v)
{
    return p->vals[v].eqn == EQN_INPUT ? NULL : &p->eqns[p->vals[v].eqn];
}

/* Elements, if all sizes are numbers; -1: not known. */
static int64_t elements(const Program *p, Val v)
{
    Type t = val_type(p, v);
    int64_t n = 1;

    for (uint32_t i = 0; i < t.rank; i++)
        if (t.dims[i] < 0 || !mul_i64(n, t.dims[i], &n))
            return -1;
    return n;
}

/* Are the operands of the dot smaller than its result, and made anew in each turn? */
static bool pays(const Work *w, const Eqn *dot)
{
    const Program *p = w->p;
    Val x = eqn_in(p, dot)[0], y = eqn_in(p, dot)[1];
    int64_t nx = elements(p, x), ny = elements(p, y), n = elements(p, dot->out);

    return x > w->nconst && y > w->nconst && nx >= 0 && ny >= 0 && n >= 0 && nx + ny <= n;
}

static bool find_sum(const Work *w, const uint32_t *uses, uint32_t i, Sum *s)
{
    const Program *p = w->p;
    Val c = w->nconst + i + 1, out = p->outs[i];
    const Eqn *e = maker(p, out);

    if (uses[c] != 1 || uses[out] != 1 || !e || e->op != OP_add ||
        !dtype_is_float((wf_dtype)val_type(p, out).dtype))
        return false;
    if (eqn_in(p, e)[0] != c && eqn_in(p, e)[1] != c)
        return false;
    *s = (Sum){.carry = i, .add = p->vals[out].eqn};
    s->v = eqn_in(p, e)[eqn_in(p, e)[0] == c];
    for (Val v = s->v; (e = maker(p, v)); v = eqn_in(p, e)[0])
        if (e->op != OP_slice && e->op != OP_transpose)
            break;
    if (!e || e->op != OP_dot_general || ((const DotAttr *)e->attr)->lhs_batch.n ||
        !pays(w, e))
        return false;
    s->dot = (uint32_t)(e - p->eqns);
    return true;
}

static bool is_slice_of_input(const Work *w, Val v)
{
    return v <= w->p->nin && v > w->nconst + w->ncarry;
}

static void need_stacked(Work *w, Val v)
{
    if (is_slice_of_input(w, v) || w->stacked[v])
        return;
    w->new_out[w->nnew++] = v;
    w->stacked[v] = w->nnew;
}

static bool is_sum(const Work *w, uint32_t carry)
{
    for (uint32_t k = 0; k < w->nsums; k++)
        if (w->sums[k].carry == carry)
            return true;
    return false;
}

/* The body without the sums, with the operands of their dots as further results. */
static const Program *without_sums(Work *w)
{
    const Program *p = w->p;
    Builder *b = builder_new(w->r->o->cx, p->name, B_OPTIMISE);
    Val *outs = NEW(b, p->nout + w->nnew, Val);
    uint32_t n = 0;
    Copier c;

    copier_init(&c, b, p, NULL, NULL);
    for (uint32_t i = 0; i < p->nin; i++)
        if (i < w->nconst || i >= w->nconst + w->ncarry || !is_sum(w, i - w->nconst))
            c.val[i + 1] = b_input(b, p->names[p->vals[i + 1].name],
                                   copier_type(&c, val_type(p, i + 1)));
    for (uint32_t i = 0; i < p->neqns; i++) {
        bool is_add = false;

        for (uint32_t k = 0; k < w->nsums; k++)
            is_add |= w->sums[k].add == i;
        if (!is_add && !copier_eqn(&c, &p->eqns[i]))
            return NULL;
    }
    for (uint32_t j = 0; j < p->nout; j++)
        if (j >= w->ncarry || !is_sum(w, j))
            outs[n++] = c.val[p->outs[j]];
    for (uint32_t k = 0; k < w->nnew; k++)
        outs[n++] = c.val[w->new_out[k]];
    return builder_finish(b, outs, n);
}

static Val of_all_turns(const Work *w, Val v, const Val *new_results)
{
    return w->stacked[v] ? new_results[w->stacked[v] - 1] : w->e->in[v - 1];
}

/* dot(x, y) with the turns, axis 0 of both, contracted too. */
static Val product(Work *w, const Eqn *dot, const Val *new_results)
{
    DotAttr a = *(const DotAttr *)dot->attr;
    int64_t lhs[MAX_RANK + 1], rhs[MAX_RANK + 1];

    lhs[0] = rhs[0] = 0;
    for (uint32_t i = 0; i < a.lhs.n; i++) {
        lhs[i + 1] = a.lhs.v[i] + 1;
        rhs[i + 1] = a.rhs.v[i] + 1;
    }
    a.lhs = (Ints){a.lhs.n + 1, lhs};
    a.rhs = (Ints){a.rhs.n + 1, rhs};
    copier_place(&w->outside, dot);
    return b_dot(w->r->b, of_all_turns(w, eqn_in(w->p, dot)[0], new_results),
                 of_all_turns(w, eqn_in(w->p, dot)[1], new_results), &a);
}

/* The equations between the dot and v, behind the loop. */
static Val follow(Work *w, Val v)
{
    const Eqn *e = maker(w->p, v);

    if (w->outside.val[v])
        return w->outside.val[v];
    if (!follow(w, eqn_in(w->p, e)[0]) || !copier_eqn(&w->outside, e))
        return VAL_NONE;
    return w->outside.val[v];
}

static bool add_up(Work *w, const Val *made, Val *out)
{
    const Program *p = w->p;
    Builder *b = w->r->b;
    uint32_t place = b->place, n = 0;
    const Val *new_results = made + (w->e->nout - w->nsums);

    copier_init(&w->outside, b, p, w->a.body.binds.n ? w->a.body.binds.v : NULL, NULL);
    for (uint32_t k = 0; k < w->nsums; k++) {
        const Eqn *dot = &p->eqns[w->sums[k].dot];
        Val v;

        if (!w->outside.val[dot->out])
            w->outside.val[dot->out] = product(w, dot, new_results);
        if (b_failed(b) || !(v = follow(w, w->sums[k].v)))
            return false;
        copier_place(&w->outside, &p->eqns[w->sums[k].add]);
        out[w->sums[k].carry] = b_add(b, w->e->in[w->nconst + w->sums[k].carry], v);
    }
    for (uint32_t j = 0; j < w->e->nout; j++)
        if (j >= w->ncarry || !is_sum(w, j))
            out[j] = made[n++];
    b->place = place;
    return !b_failed(b);
}

bool accumulate_scan(Rewriter *r, const EqnView *e, Val *out)
{
    Builder *b = r->b;
    Work w = {.r = r, .e = e, .a = *(const ScanAttr *)e->attr};
    uint32_t *uses, n = 0;
    const Program *q;
    Val *in, *made;

    w.p = w.a.body.p;
    w.nconst = (uint32_t)w.a.nconst;
    w.ncarry = (uint32_t)w.a.ncarry;
    uses = count_uses(b, w.p);
    w.sums = NEW(b, w.ncarry, Sum);
    w.stacked = NEW(b, w.p->nvals, uint32_t);
    w.new_out = NEW(b, 2 * w.ncarry, Val);
    for (uint32_t i = 0; i < w.ncarry; i++)
        w.nsums += find_sum(&w, uses, i, &w.sums[w.nsums]);
    if (!w.nsums)
        return false;
    for (uint32_t k = 0; k < w.nsums; k++)
        for (uint32_t i = 0; i < 2; i++)
            need_stacked(&w, eqn_in(w.p, &w.p->eqns[w.sums[k].dot])[i]);
    if (!(q = without_sums(&w)))
        return false;
    in = NEW(b, e->nin, Val);
    made = NEW(b, e->nout + w.nnew, Val);
    for (uint32_t i = 0; i < e->nin; i++)
        if (i < w.nconst || i >= w.nconst + w.ncarry || !is_sum(&w, i - w.nconst))
            in[n++] = e->in[i];
    w.a.body = sub_like(b, &w.a.body, q);
    w.a.ncarry -= w.nsums;
    b_eqn(b, OP_scan, in, n, &w.a, made, e->nout - w.nsums + w.nnew);
    return !b_failed(b) && add_up(&w, made, out);
}
