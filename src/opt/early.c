/* early.c -- exchanges stand where what they send is there.
 *
 *   requires   nothing
 *   keeps      values, bit for bit; the order of everything else
 *   breaks     nothing
 *
 * An exchange that is not read at once goes on while other equations run (Plan.going), the longer the earlier it begins: a
 * sum of gradients behind the product that makes them, not at the end. What a gather brings takes memory until it is read,
 * so it moves before one product and no further: what the next product needs comes while this one runs.
 */
#include "opt/opt.h"

typedef struct Early {
    const Opt *o;
    PtrMap done; /* program -> what it became */
} Early;

static bool is_exchange(unsigned op) { return op_is_collective(op) && op != OP_axis_index && op != OP_pvary; }

static bool has_exchange(const Program *p)
{
    for (uint32_t i = 0; i < p->neqns; i++)
        if (is_exchange(p->eqns[i].op))
            return true;
    for (uint32_t i = 0; i < p->nsubs; i++)
        if (has_exchange(p->subs[i]))
            return true;
    return false;
}

static bool is_product(unsigned op)
{
    return op == OP_dot_general || op == OP_conv_general || op_has(op, OPF_CONTROL);
}

/* Equation n can stand behind this one, counted from 1; 0: before all. from: that of its operand; reader: who reads it first. */
static uint32_t find_place(const Program *p, uint32_t n, uint32_t from, uint32_t reader)
{
    uint32_t at = reader, products = 0;

    if (p->eqns[n].op != OP_all_gather)
        return from;
    while (at > from && products < 2)
        products += is_product(p->eqns[--at].op);
    return products == 2 ? MIN(at + 1, n) : from;
}

/* Behind those that stand there already: what needs not move stays. */
static uint32_t behind_others(const Program *p, uint32_t at, uint32_t n, const bool *moved)
{
    for (uint32_t i = at; i < n && is_exchange(p->eqns[i].op); i++) {
        if (!moved[i])
            at = i + 1;
        if (i + 1 == n)
            return n;
    }
    return at;
}

static const Program *early_program(void *user, const Program *p);

static bool copy_eqn(Early *x, Copier *c, const Eqn *e)
{
    Val *in, *out = c->val + e->out;
    void *attr;

    if (!op_has(e->op, OPF_CONTROL))
        return copier_eqn(c, e);
    in = NEW(c->b, e->nin, Val);
    for (uint32_t i = 0; i < e->nin; i++)
        in[i] = c->val[eqn_in(c->from, e)[i]];
    copier_place(c, e);
    attr = copier_attr(c, e);
    if (!replace_subs(c->b, op_row(e->op), attr, early_program, x))
        return false;
    b_eqn(c->b, (OpCode)e->op, in, e->nin, attr, out, e->nout);
    for (uint32_t j = 0; j < e->nout && !b_failed(c->b); j++)
        if (c->from->vals[e->out + j].name)
            b_name(c->b, out[j], c->from->names[c->from->vals[e->out + j].name]);
    return !b_failed(c->b);
}

/* Equation n - 1, unless n is 0, and the exchanges that stand behind it, in their order. next: 1 + the next of the same place. */
static bool copy_from(Early *x, Copier *c, uint32_t n, const uint32_t *first, const uint32_t *next)
{
    if (n && !copy_eqn(x, c, &c->from->eqns[n - 1]))
        return false;
    for (uint32_t k = first[n]; k; k = next[k])
        if (!copy_from(x, c, k, first, next))
            return false;
    return true;
}

static const Program *reorder(Early *x, const Program *p)
{
    Builder *b = builder_new(x->o->cx, p->name, B_OPTIMISE);
    uint32_t *def = NEW(b, p->nvals + 1, uint32_t), *first = NEW(b, p->neqns + 1, uint32_t);
    uint32_t *reader = NEW(b, p->nvals + 1, uint32_t); /* 1 + the first */
    uint32_t *next = NEW(b, p->neqns + 1, uint32_t), *last = NEW(b, p->neqns + 1, uint32_t);
    uint32_t ordered = 0; /* behind which the last of those stands that processes exchange in order */
    bool *moved = NEW(b, p->neqns + 1, bool);
    Val *outs = NEW(b, p->nout + 1, Val);
    Copier c;

    for (uint32_t i = p->neqns; i-- > 0;)
        for (uint32_t k = 0; k < p->eqns[i].nin; k++)
            reader[eqn_in(p, &p->eqns[i])[k]] = i + 1;
    for (uint32_t i = 0; i < p->neqns; i++) {
        bool in_order;
        uint32_t at, read = reader[p->eqns[i].out];

        for (uint32_t j = 0; j < p->eqns[i].nout; j++)
            def[p->eqns[i].out + j] = i + 1;
        if (!is_exchange(p->eqns[i].op))
            continue;
        at = find_place(p, i, def[eqn_in(p, &p->eqns[i])[0]], read ? read - 1 : p->neqns);
        in_order = ((const CollectiveAttr *)p->eqns[i].attr)->order != 0;
        at = behind_others(p, in_order ? MAX(at, ordered) : at, i, moved);
        if (in_order)
            ordered = at < i ? at : i + 1;
        if (at >= i)
            continue;
        moved[i] = true;
        *(last[at] ? &next[last[at]] : &first[at]) = i + 1;
        last[at] = i + 1;
    }
    copier_init(&c, b, p, NULL, NULL);
    copier_inputs(&c);
    if (!copy_from(x, &c, 0, first, next))
        return NULL;
    for (uint32_t i = 0; i < p->neqns; i++)
        if (!moved[i] && !copy_from(x, &c, i + 1, first, next))
            return NULL;
    for (uint32_t j = 0; j < p->nout; j++)
        outs[j] = c.val[p->outs[j]];
    return same_or(p, builder_finish(b, outs, p->nout));
}

static const Program *early_program(void *user, const Program *p)
{
    Early *x = user;
    const Program *q = ptrmap_get(&x->done, p);

    if (q || !has_exchange(p))
        return q ? q : p;
    if ((q = reorder(x, p)))
        ptrmap_put(&x->done, p, q);
    return q;
}

const Program *opt_early(const Opt *o, const Program *p)
{
    Early x = {.o = o, .done.a = &o->cx->scratch};

    return early_program(&x, p);
}
