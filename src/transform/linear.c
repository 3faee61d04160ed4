/* linear.c -- which values of a builder depend on its linear inputs.
 *
 * Reverse mode works in one builder: forward mode is emitted into it, the equations that
 * depend on the tangent inputs are marked here, transpose.c runs those backwards into the
 * same builder, and when it is finished the forward tangents are dead and go. So what is
 * known (all that is not marked) is never copied.
 *
 * Only control flow needs more. A scan made by forward mode has results of both kinds, y
 * and dy; it is split by its partition rule into a scan that gives the y and the
 * residuals, and one that is linear.
 */
#include "transform/transform.h"

void linear_init(Linear *l, Builder *b)
{
    memset(l, 0, sizeof *l);
    l->b = b;
}

static void cover_values(Linear *l)
{
    uint32_t n = l->b->vals.n;

    if (l->is.n < n) {
        uint32_t more = n - l->is.n;

        memset(vec_extend(&l->b->arena, &l->is, more), 0, more * sizeof *l->is.v);
    }
}

void linear_add(Linear *l, Val v)
{
    cover_values(l);
    l->is.v[v] = true;
}

void linear_mark(Linear *l)
{
    Builder *b = l->b;

    cover_values(l);
    for (; l->eqn < b->eqns.n; l->eqn++) {
        const Eqn *e = &b->eqns.v[l->eqn];
        const Val *in = e->nin ? b->args.v + e->args : NULL;
        bool any = false;

        for (uint32_t i = 0; i < e->nin && !any; i++)
            any = l->is.v[in[i]];
        if (any)
            memset(l->is.v + e->out, true, e->nout * sizeof *l->is.v);
    }
}

/* How many operands of e (of c->from) are linear? */
static uint32_t count_linear(const Linear *l, const Copier *c, const Eqn *e)
{
    const Val *in = eqn_in(c->from, e);
    uint32_t n = 0;

    for (uint32_t i = 0; i < e->nin; i++)
        n += is_linear(l, c->val[in[i]]);
    return n;
}

static Val *copy_vals(Arena *a, const Val *v, uint32_t n)
{
    return arena_dup(a, v, n * sizeof *v);
}

/* Split e by its partition rule, with l->b on both sides. */
static bool split_eqn(Linear *l, Copier *c, const Eqn *e)
{
    Builder *b = l->b;
    PartitionRule r = {.cx = b->cx, .known = b, .rest = b};
    Val *known, *rest;

    copier_place(c, e);
    copier_view(c, e, &r.ek);
    r.er = r.ek;
    known = copy_vals(&b->arena, r.ek.in, e->nin);
    rest = copy_vals(&b->arena, r.ek.in, e->nin);
    for (uint32_t i = 0; i < e->nin; i++)
        *(is_linear(l, known[i]) ? &known[i] : &rest[i]) = VAL_NONE;
    r.ek.in = known;
    r.er.in = rest;
    r.out_known = arena_zalloc(&b->arena, e->nout * sizeof(Val) + 1);
    r.out_rest = arena_zalloc(&b->arena, e->nout * sizeof(Val) + 1);
    if (!op_rules(r.ek.op)->partition(&r) || b_failed(b))
        return false;
    for (uint32_t j = 0; j < e->nout; j++)
        c->val[e->out + j] = r.out_known[j] ? r.out_known[j] : r.out_rest[j];
    return true;
}

bool linear_copy(Linear *l, Copier *c)
{
    const Program *p = c->from;

    for (uint32_t i = 0; i < p->neqns && !b_failed(l->b); i++) {
        const Eqn *e = &p->eqns[i];

        if (op_has(e->op, OPF_CONTROL) && op_rules(e->op)->partition) {
            linear_mark(l);
            if (count_linear(l, c, e)) {
                split_eqn(l, c, e);
                continue;
            }
        }
        copier_eqn(c, e);
    }
    return !b_failed(l->b);
}
