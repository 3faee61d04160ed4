/* loop.c -- loops that count, as scans.
 *
 *   while t < T: x = f(dynamic_slice(xs, t, 0..), ..)           scan: f(xs_t, ..), xs a slice of it
 *                ys = dynamic_update_slice(ys, y, t, 0..)        ys: what the scan stacks
 *
 * for t from 0 and xs, ys of T rows, xs read in no other way, ys neither read nor written in another way, nor used behind: so
 * JAX's scan, which is such a while in the text, is a scan again.
 */
#include "stablehlo/loop.h"

typedef struct HloLoop {
    Builder *b; /* of the new body */
    const Program *p;
    uint32_t nconst, ncarry;
    Val counter;
    int64_t turns;
    bool *sliced;    /* by input: only read by row */
    uint32_t *row_of; /* by equation: 1 + the input whose row it reads */
    uint32_t *fill;  /* by carry: 1 + the equation that fills its row */
} HloLoop;

static const Eqn *maker(const Program *p, Val v) { return p->vals[v].eqn == EQN_INPUT ? NULL : &p->eqns[p->vals[v].eqn]; }

static bool is_zero(const Program *p, Val v)
{
    const Eqn *e = maker(p, v);
    const ConstAttr *a = e && e->op == OP_const ? e->attr : NULL;

    return a && a->splat && element_as_f64((wf_dtype)a->type.dtype, a->data->data) == 0;
}

/* Starts at the counter, then 0: starts[0 .. rank-1]. */
static bool at_row(const HloLoop *l, const Val *starts, uint32_t rank)
{
    for (uint32_t i = 1; i < rank; i++)
        if (!is_zero(l->p, starts[i]))
            return false;
    return rank && starts[0] == l->counter;
}

static bool has_rows(const HloLoop *l, Val v)
{
    Type t = val_type(l->p, v);

    return t.rank && t.dims[0] == l->turns;
}

/* Is e a whole row of input v, of T rows, by the counter? */
static bool reads_row(const HloLoop *l, const Eqn *e, Val v)
{
    Type t = val_type(l->p, v), y = val_type(l->p, e->out);

    if (e->op != OP_dynamic_slice || eqn_in(l->p, e)[0] != v || y.dims[0] != 1 || !at_row(l, eqn_in(l->p, e) + 1, t.rank))
        return false;
    for (uint32_t i = 1; i < t.rank; i++)
        if (y.dims[i] != t.dims[i])
            return false;
    return true;
}

static bool fills_row(const HloLoop *l, const Eqn *e, Val v)
{
    const Val *in = eqn_in(l->p, e);
    Type t = val_type(l->p, v), u;

    if (e->op != OP_dynamic_update_slice || in[0] != v)
        return false;
    u = val_type(l->p, in[1]);
    if (in[1] == v || u.dims[0] != 1 || !at_row(l, in + 2, t.rank))
        return false;
    for (uint32_t i = 1; i < t.rank; i++)
        if (u.dims[i] != t.dims[i])
            return false;
    return true;
}

/* What becomes a slice, and what a result. */
static void find(HloLoop *l)
{
    const Program *p = l->p;
    uint32_t *uses = arena_zalloc(&l->b->arena, (p->nvals + 1) * sizeof *uses);

    for (uint32_t i = 0; i < p->nargs; i++)
        uses[p->args[i]]++;
    for (uint32_t i = 0; i < p->nout; i++)
        uses[p->outs[i]]++;
    for (uint32_t v = 1; v <= l->nconst + l->ncarry; v++) {
        uint32_t reads = 0, fill = 0;

        for (uint32_t i = 0; has_rows(l, v) && i < p->neqns; i++) {
            reads += reads_row(l, &p->eqns[i], v);
            fill = fills_row(l, &p->eqns[i], v) ? i + 1 : fill;
        }
        if (v <= l->nconst)
            l->sliced[v - 1] = reads && reads == uses[v];
        else if (fill && uses[v] == 1 && p->outs[v - 1 - l->nconst] == p->eqns[fill - 1].out && uses[p->eqns[fill - 1].out] == 1)
            l->fill[v - 1 - l->nconst] = fill;
    }
    for (uint32_t i = 0; i < p->neqns; i++)
        for (uint32_t v = 0; v < l->nconst; v++)
            if (l->sliced[v] && reads_row(l, &p->eqns[i], v + 1))
                l->row_of[i] = v + 1;
}

static Val row_shaped(Builder *b, Val v, const Program *p, Val like)
{
    Type t = val_type(p, like);

    return b_reshape(b, v, t.dims, t.rank);
}

/* The body with the inputs constants, carries, slices, and the results carries, rows. */
static const Program *make_body(HloLoop *l)
{
    const Program *p = l->p;
    Builder *b = l->b;
    Copier c;
    VEC(Val) outs = {0};

    copier_init(&c, b, p, NULL, NULL);
    for (int turn = 0; turn < 3; turn++) /* constants, carries, slices */
        for (uint32_t v = 1; v <= l->nconst + l->ncarry; v++) {
            Type t = val_type(p, v);
            bool is_const = v <= l->nconst, slice = is_const && l->sliced[v - 1], filled = !is_const && l->fill[v - 1 - l->nconst];

            if (turn == 2 ? slice : turn ? !is_const && !filled : is_const && !slice)
                c.val[v] = b_input(b, NULL, b_make_type(b, (wf_dtype)t.dtype, t.dims + slice, t.rank - slice));
        }
    for (uint32_t i = 0; i < p->neqns; i++) {
        bool filling = false;

        for (uint32_t k = 0; k < l->ncarry; k++)
            filling |= l->fill[k] == i + 1;
        if (l->row_of[i])
            c.val[p->eqns[i].out] = row_shaped(b, c.val[l->row_of[i]], p, p->eqns[i].out);
        else if (!filling && !copier_eqn(&c, &p->eqns[i]))
            return NULL;
    }
    for (uint32_t k = 0; k < l->ncarry; k++)
        if (!l->fill[k])
            vec_push(&b->arena, &outs, c.val[p->outs[k]]);
    for (uint32_t k = 0; k < l->ncarry; k++)
        if (l->fill[k]) {
            Val row = eqn_in(p, &p->eqns[l->fill[k] - 1])[1];
            Type t = val_type(p, row);

            vec_push(&b->arena, &outs, b_reshape(b, c.val[row], t.dims + 1, t.rank - 1u));
        }
    return builder_finish(b, outs.v, outs.n);
}

Val *hlo_loop_scan(Builder *b, const Program *body, const Val *consts, uint32_t nconst, const Val *carry, uint32_t ncarry, const LoopCount *count)
{
    Arena *a = &b->arena;
    HloLoop l = {builder_new(b->cx, "body", B_OPTIMISE), body, nconst, ncarry, nconst + count->which + 1, count->turns,
              arena_zalloc(a, nconst + 1), arena_zalloc(a, (body->neqns + 1) * sizeof(uint32_t)), arena_zalloc(a, (ncarry + 1) * sizeof(uint32_t))};
    VEC(Val) args = {0};
    ScanAttr s = {.length = count->turns};
    uint32_t got, at = 0;
    Val *out, *all = arena_array(a, ncarry, sizeof *all);

    if (!count->from && count->turns)
        find(&l);
    for (uint32_t i = 0; i < nconst; i++)
        if (!l.sliced[i])
            vec_push(a, &args, consts[i]);
    s.nconst = args.n;
    for (uint32_t i = 0; i < ncarry; i++)
        if (!l.fill[i])
            vec_push(a, &args, carry[i]);
    s.ncarry = args.n - s.nconst;
    for (uint32_t i = 0; i < nconst; i++)
        if (l.sliced[i])
            vec_push(a, &args, consts[i]);
    if (!(s.body.p = make_body(&l)) || !(out = b_eqn_n(b, OP_scan, args.v, args.n, &s, &got)) || got != ncarry)
        return NULL; /* its values are not what the body gives, which is said */
    for (uint32_t i = 0; i < ncarry; i++)
        if (!l.fill[i])
            all[i] = out[at++];
    for (uint32_t i = 0; i < ncarry; i++)
        if (l.fill[i])
            all[i] = out[at++];
    return all;
}
