/* loops_scan.c -- the constant matrices of a scan are laid out as its products read them.
 *
 *   dot(x_t, w), w constant and      dot(x_t, u), u = transpose w outside: every turn reads
 *   contracted in its last axis      rows of it as they are, and nothing is packed
 *
 * For constant sizes, x_t of some rows and matrices that are not small.
 */
#include "opt/loops.h"

static bool static_count(Type t, int64_t *out)
{
    int64_t bytes;

    for (uint32_t i = 0; i < t.rank; i++)
        if (!dim_is_const(t.dims[i]))
            return false;
    return type_size((wf_dtype)t.dtype, t.dims, t.rank, out, &bytes);
}

static int64_t rows_of(const Target *to, const Program *p, const Eqn *e)
{
    const DotAttr *a = e->attr;
    Type x = val_type(p, eqn_in(p, e)[0]);
    int64_t rows = 1;

    for (uint32_t i = 0; i < x.rank; i++) {
        bool summed = false;

        for (uint32_t k = 0; k < a->lhs.n; k++)
            summed |= a->lhs.v[k] == i;
        if (!summed)
            rows *= dim_is_const(x.dims[i]) ? x.dims[i] : to->turn_rows;
    }
    return rows;
}

/* Is constant v only read as the right operand of products over its last axis? */
static bool wants_turn(const Target *to, const Program *p, Val v)
{
    Type t = val_type(p, v);
    int64_t count;
    bool any = false;

    if (t.rank != 2 || !static_count(t, &count) || count < to->turn_least)
        return false;
    for (uint32_t j = 0; j < p->nout; j++)
        if (p->outs[j] == v)
            return false;
    for (uint32_t i = 0; i < p->neqns; i++) {
        const Eqn *e = &p->eqns[i];

        for (uint32_t k = 0; k < e->nin; k++) {
            const DotAttr *a = e->attr;

            if (eqn_in(p, e)[k] != v)
                continue;
            if (e->op != OP_dot_general || k != 1 || a->rhs_batch.n || a->rhs.n != 1 ||
                a->rhs.v[0] != 1 || rows_of(to, p, e) < to->turn_rows)
                return false;
            any = true;
        }
    }
    return any;
}

static const Program *body_turned(Rewriter *r, const Program *p, const bool *turn)
{
    static const int64_t first = 0, swap[2] = {1, 0};
    Builder *b = builder_new(r->o->cx, p->name, B_OPTIMISE);
    Val *outs = NEW(b, p->nout, Val);
    Copier c;

    copier_init(&c, b, p, NULL, NULL);
    for (uint32_t i = 0; i < p->nin; i++) {
        Type t = copier_type(&c, val_type(p, i + 1));
        Dim dims[2];

        if (turn[i]) {
            dims[0] = t.dims[swap[0]], dims[1] = t.dims[swap[1]];
            t = b_make_type(b, (wf_dtype)t.dtype, dims, 2);
        }
        c.val[i + 1] = b_input(b, input_name(p, i), t);
    }
    for (uint32_t i = 0; i < p->neqns; i++) {
        const Eqn *e = &p->eqns[i];
        Val w = e->op == OP_dot_general ? eqn_in(p, e)[1] : VAL_NONE;

        if (w && w <= p->nin && turn[w - 1]) {
            DotAttr a = *(const DotAttr *)e->attr;

            a.rhs = (Ints){1, &first};
            copier_place(&c, e);
            c.val[e->out] = b_dot(b, c.val[eqn_in(p, e)[0]], c.val[w], &a);
        } else if (!copier_eqn(&c, e)) {
            return NULL;
        }
    }
    for (uint32_t j = 0; j < p->nout; j++)
        outs[j] = c.val[p->outs[j]];
    return builder_finish(b, outs, p->nout);
}

bool opt_scan_turns(Rewriter *r, const EqnView *e, Val *out)
{
    static const int64_t swap[2] = {1, 0};
    Builder *b = r->b;
    ScanAttr a = *(const ScanAttr *)e->attr;
    const Program *p = a.body.p, *q;
    bool *turn = NEW(b, p->nin, bool), any = false;
    Val *in = NEW(b, e->nin, Val);

    if (!dim_is_const(a.length) || a.length < opt_target(r->o)->turn_trips)
        return false;
    for (uint32_t i = 0; i < (uint32_t)a.nconst; i++)
        any |= turn[i] = wants_turn(opt_target(r->o), p, i + 1);
    if (!any || !(q = body_turned(r, p, turn)))
        return false;
    for (uint32_t i = 0; i < e->nin; i++)
        in[i] = turn[i] ? rw_transpose(r, e->in[i], swap) : e->in[i];
    a.body = sub_like(b, &a.body, q);
    b_eqn(b, OP_scan, in, e->nin, &a, out, e->nout);
    return !b_failed(b);
}
