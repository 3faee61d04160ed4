/* fuse.c -- equations that share loops become one sub-program, called where they stood.
 *
 *   requires   a program after the optimiser: no calls that could be inlined
 *   keeps      values (floats may be contracted by the C compiler), types, effects and
 *              their order
 *   method     Every elementwise op and reduction starts as a group of its own, in order,
 *              and joins the groups of what it reads, as long as one loop nest can
 *              compute them all (space.c), and no path leads out of the group and back.
 *              Values that are read outside are results of the group, so nothing is
 *              computed twice, unless the target has it cheaper than to store and read
 *              (recompute). Constants, iotas, and ops that only say where elements
 *              are, go along as copies to every group that reads through them. Groups
 *              side by side that read the same arrays in the same loops join at the end.
 *              A group of elementwise ops that reads a product or a convolution takes it
 *              in, and becomes what its kernel does with every finished piece
 *              (epilogue.c).
 */
#include "codegen/fuse.h"
#include "opt/recognise.h"

#include <stdlib.h>

typedef struct Shared { /* by all programs fused together */
    wf_ctx *cx;
    const Target *target;
    Arena *a;
    bool products; /* are taken in */
    PtrMap done;               /* program -> fused */
    VEC(const Program *) made; /* fused sub-programs */
} Shared;

static bool is_compute(const Fuser *f, uint32_t e) { return f->kind[e] >= FUSE_MAP; }

/* ---- a group and what goes along with it ------------------------------------------- */

static bool is_member(const Fuser *f, uint32_t e, uint32_t g1, uint32_t g2)
{
    return e != EQN_INPUT && (f->group[e] == g1 || f->group[e] == g2);
}

/* Is the slice's operand an array from outside, or the same in another shape? */
bool fuse_slice_is_load(const Fuser *f, uint32_t e, uint32_t g1, uint32_t g2)
{
    uint32_t d = def_of(f, eqn_in(f->p, &f->p->eqns[e])[0]);

    return d == EQN_INPUT || (!is_member(f, d, g1, g2) && f->kind[d] != FUSE_INDEX);
}

static bool goes_along(const Fuser *f, uint32_t e, uint32_t g1, uint32_t g2)
{
    if (e != EQN_INPUT && f->again[e])
        return true;
    if (e == EQN_INPUT || is_compute(f, e) || f->kind[e] <= FUSE_PRODUCT)
        return false;
    return f->p->eqns[e].op != OP_slice || fuse_slice_is_load(f, e, g1, g2);
}

static void add_copies(Fuser *f, Closure *c, uint32_t e, uint32_t g1, uint32_t g2)
{
    uint32_t n;
    const Val *in = reads(f, e, &n);

    if (f->kind[e] == FUSE_PRODUCT) /* its operands are arrays */
        return;
    for (uint32_t i = f->kind[e] == FUSE_GATHER; i < n; i++) { /* of an array, too */
        uint32_t d = def_of(f, in[i]);

        if (is_member(f, d, g1, g2) || !goes_along(f, d, g1, g2) || f->mark[d] == f->walk)
            continue;
        f->mark[d] = f->walk;
        vec_push(f->a, &c->eqns, d);
        add_copies(f, c, d, g1, g2);
    }
}

static int by_number(const void *x, const void *y)
{
    uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;

    return (a > b) - (a < b);
}

/* Is v read by a copy, in another group, of what is computed again? */
static bool read_by_copy(Fuser *f, Val v, uint32_t g1, uint32_t g2)
{
    for (uint32_t k = f->user_at[v]; k < f->user_at[v + 1]; k++) {
        uint32_t e = f->users[k];
        bool member = is_member(f, e, g1, g2);

        if (f->copy_mark[e] == f->copy_walk || (member && !f->again[e]))
            continue;
        f->copy_mark[e] = f->copy_walk;
        if (!member && f->group[e] != NO_GROUP)
            return true;
        if (goes_along(f, e, g1, g2) && read_by_copy(f, f->p->eqns[e].out, g1, g2))
            return true;
    }
    return false;
}

/* Does a member of a group need v in memory, whatever can be computed? */
bool fuse_reads_array(const Fuser *f, uint32_t e, Val v)
{
    return f->kind[e] == FUSE_PRODUCT ||
           (f->kind[e] == FUSE_GATHER && eqn_in(f->p, &f->p->eqns[e])[0] == v);
}

/* Is v, made of a value of a member, read by others: directly or through what is copied?
 * again: they compute it themselves. */
static bool read_elsewhere(const Fuser *f, Val v, bool again, uint32_t g1, uint32_t g2)
{
    if (f->is_out[v])
        return true;
    for (uint32_t k = f->user_at[v]; k < f->user_at[v + 1]; k++) {
        uint32_t e = f->users[k];

        if ((is_member(f, e, g1, g2) || (again && f->group[e] != NO_GROUP)) &&
            !(again && fuse_reads_array(f, e, v)))
            continue;
        if (!goes_along(f, e, g1, g2) || fuse_reads_array(f, e, v))
            return true;
        if (read_elsewhere(f, f->p->eqns[e].out, again, g1, g2))
            return true;
    }
    return false;
}

/* Is v, a value of a member, a result of the group? */
static bool read_outside(Fuser *f, Val v, uint32_t g1, uint32_t g2)
{
    bool again = f->again[def_of(f, v)];

    f->copy_walk++;
    return read_elsewhere(f, v, again, g1, g2) ||
           (!again && f->any_again && read_by_copy(f, v, g1, g2));
}

static void add_inputs(Fuser *f, Closure *c)
{
    f->walk++;
    for (uint32_t k = 0; k < c->eqns.n; k++)
        f->mark[c->eqns.v[k]] = f->walk;
    for (uint32_t k = 0; k < c->eqns.n; k++) {
        uint32_t n;
        const Val *in = reads(f, c->eqns.v[k], &n);

        for (uint32_t i = 0; i < n; i++) {
            uint32_t d = def_of(f, in[i]);

            if ((d == EQN_INPUT || f->mark[d] != f->walk) &&
                !in_list(c->ins.v, c->ins.n, in[i]))
                vec_push(f->a, &c->ins, in[i]);
        }
    }
}

/* Of one group, or of two as if they were one (g1 == g2: one). */
Closure fuse_closure(Fuser *f, uint32_t g1, uint32_t g2)
{
    Closure c = {0};

    f->walk++;
    for (int part = 0; part < 1 + (g1 != g2); part++) {
        const FuseGroup *g = &f->groups.v[part ? g2 : g1];

        for (uint32_t i = 0; i < g->n; i++) {
            const Eqn *e = &f->p->eqns[g->v[i]];

            vec_push(f->a, &c.eqns, g->v[i]);
            add_copies(f, &c, g->v[i], g1, g2);
            for (uint32_t j = 0; j < e->nout; j++)
                if (read_outside(f, e->out + j, g1, g2))
                    vec_push(f->a, &c.outs, e->out + j);
        }
    }
    qsort(c.eqns.v, c.eqns.n, sizeof *c.eqns.v, by_number);
    if (c.outs.n)
        qsort(c.outs.v, c.outs.n, sizeof *c.outs.v, by_number);
    add_inputs(f, &c);
    return c;
}

/* ---- joining ----------------------------------------------------------------------- */

/* Does v depend on a member? Groups count as one. */
static bool depends(Fuser *f, Val v, uint32_t g1, uint32_t g2)
{
    VEC(uint32_t) todo = {0};

    if (def_of(f, v) == EQN_INPUT)
        return false;
    vec_push(f->a, &todo, def_of(f, v));
    while (todo.n) {
        uint32_t e = todo.v[--todo.n], g = f->group[e], n;
        const FuseGroup *grp = g == NO_GROUP ? NULL : &f->groups.v[g];

        if (is_member(f, e, g1, g2))
            return true;
        if (f->mark[e] == f->walk || (grp && f->gmark[g] == f->walk))
            continue;
        f->mark[e] = f->walk;
        if (grp)
            f->gmark[g] = f->walk;
        for (uint32_t k = 0; k < (grp ? grp->n : 1); k++) {
            const Val *in = reads(f, grp ? grp->v[k] : e, &n);

            for (uint32_t i = 0; i < n; i++)
                if (def_of(f, in[i]) != EQN_INPUT)
                    vec_push(f->a, &todo, def_of(f, in[i]));
        }
    }
    return false;
}

/* Product of the constant sizes of some loops; symbols count as many. */
static double count_of(const Space *s, AxisSet set)
{
    double n = 1;

    for (uint32_t i = 0; i < s->nleaves; i++) {
        const LoopAxis *a = &s->axes.v[s->leaves[i]];

        if (set >> a->leaf & 1)
            n *= a->size >= 0 ? (double)a->size : 64;
    }
    return n;
}

static bool pays(const Target *t, const Space *s)
{
    return s->form != FORM_ROWS || count_of(s, s->row) >= (double)t->few_rows ||
           count_of(s, s->col) <= (double)t->one_row;
}

bool fuse_can_be_one(Fuser *f, uint32_t g1, uint32_t g2)
{
    ArenaMark mark = arena_mark(f->a);
    Closure c = fuse_closure(f, g1, g2);
    Space s;
    bool ok = c.ins.n + c.outs.n <= f->target->fuse_arrays;

    f->walk++;
    for (uint32_t i = 0; ok && i < c.ins.n; i++)
        ok = !depends(f, c.ins.v[i], g1, g2);
    ok = ok &&
         space_make(&s, f->cx, f->a, f->target, f->p, c.eqns.v, c.eqns.n, c.outs.v,
                    c.outs.n) &&
         pays(f->target, &s);
    arena_reset(f->a, mark);
    return ok && !failed(f->cx);
}

/* Members of both in order, in g1. */
static void join(Fuser *f, uint32_t g1, uint32_t g2)
{
    FuseGroup *x = &f->groups.v[g1], *y = &f->groups.v[g2];
    uint32_t *v = arena_array(f->a, x->n + y->n, sizeof *v);

    memcpy(v, x->v, x->n * sizeof *v);
    memcpy(v + x->n, y->v, y->n * sizeof *v);
    qsort(v, x->n + y->n, sizeof *v, by_number);
    for (uint32_t i = 0; i < y->n; i++)
        f->group[y->v[i]] = g1;
    *x = (FuseGroup){v, x->n + y->n, x->segment, NO_GROUP, false};
    y->n = 0;
}

static uint32_t find_product(const Fuser *f, uint32_t e, int depth);

/* The product of integers whose sums the group reads, or EQN_INPUT. */
static uint32_t sums_of(const Fuser *f, uint32_t g)
{
    const FuseGroup *x = &f->groups.v[g];

    for (uint32_t i = 0, z; i < x->n; i++)
        if ((z = find_product(f, x->v[i], 0)) != EQN_INPUT && product_is_apart(f->p, &f->p->eqns[z]))
            return z;
    return EQN_INPUT;
}

/* A kernel goes on with the sums of one product. */
static bool have_two_sums(const Fuser *f, uint32_t g1, uint32_t g2)
{
    uint32_t x = sums_of(f, g1), y = x == EQN_INPUT ? x : sums_of(f, g2);

    return y != EQN_INPUT && x != y;
}

/* Elementwise throughout? */
static bool is_elementwise(const Fuser *f, uint32_t g)
{
    for (uint32_t i = 0; i < f->groups.v[g].n; i++)
        if (f->kind[f->groups.v[g].v[i]] != FUSE_MAP)
            return false;
    return true;
}

/* Does `to` widen bytes that `from` rounds floats to? Joined too early, they would leave the kernel once as bytes and once
 * as floats, which are four times as much to write and to read; join_rounded joins what has no need of them. */
static bool reads_rounded(const Fuser *f, uint32_t from, uint32_t to)
{
    const FuseGroup *g = &f->groups.v[to];

    for (uint32_t i = 0; i < g->n; i++) {
        Val x = widened_bytes(f->p, &f->p->eqns[g->v[i]]);
        uint32_t d = x ? def_of(f, x) : EQN_INPUT;

        if (d != EQN_INPUT && f->group[d] == from && rounds_to_bytes(f->p, &f->p->eqns[d]))
            return true;
    }
    return false;
}

/* Is v a product that does what follows it in the same call? Sizes that are symbols are not known. */
static bool has_tail(const Fuser *f, Val v)
{
    const Eqn *e = def_of(f, v) == EQN_INPUT ? NULL : &f->p->eqns[def_of(f, v)];
    double flops = 0, bytes;

    if (f->target->tail_flops <= 0 || !e || e->op != OP_dot_general || f->p->dims.syms.n)
        return false;
    eqn_cost(f->cx, f->p, e, NULL, &flops, &bytes);
    return flops >= f->target->tail_flops;
}

/* Elementwise, of such a product: side by side with others, it would have to wait for theirs. */
static bool is_tail(const Fuser *f, uint32_t g)
{
    bool any = false;

    for (uint32_t i = 0; i < f->groups.v[g].n; i++) {
        uint32_t n;
        const Val *in = reads(f, f->groups.v[g].v[i], &n);

        if (f->kind[f->groups.v[g].v[i]] != FUSE_MAP)
            return false;
        for (uint32_t j = 0; j < n; j++)
            any = any || has_tail(f, in[j]);
    }
    return any;
}

static bool try_join(Fuser *f, uint32_t g1, uint32_t g2)
{
    if (g1 == g2 || f->groups.v[g1].segment != f->groups.v[g2].segment ||
        f->groups.v[g1].n + f->groups.v[g2].n > f->target->fuse_members || reads_rounded(f, g1, g2) ||
        reads_rounded(f, g2, g1) || have_two_sums(f, g1, g2) || !fuse_can_be_one(f, g1, g2))
        return false;
    join(f, g1, g2);
    return true;
}

/* Groups whose values equation e reads, through what is copied. */
static void join_producers(Fuser *f, uint32_t e, uint32_t through, int depth)
{
    uint32_t n;
    const Val *in = reads(f, through, &n);

    for (uint32_t i = 0; i < n && depth < 64; i++) {
        uint32_t d = def_of(f, in[i]);

        if (d == EQN_INPUT)
            continue;
        if (f->group[d] != NO_GROUP)
            try_join(f, f->group[d], f->group[e]);
        else if (f->kind[d] == FUSE_INDEX)
            join_producers(f, e, d, depth + 1);
    }
}

static void make_groups(Fuser *f)
{
    for (uint32_t e = 0; e < f->p->neqns; e++) {
        uint32_t *v;

        if (!is_compute(f, e))
            continue;
        v = arena_array(f->a, 1, sizeof *v);
        *v = e;
        vec_push(f->a, &f->groups, ((FuseGroup){v, 1, f->segment[e], NO_GROUP, false}));
        f->group[e] = f->groups.n - 1;
        if (!fuse_can_be_one(f, f->group[e], f->group[e])) {
            f->group[e] = NO_GROUP;
            f->groups.v[f->groups.n - 1].n = 0;
        } else {
            join_producers(f, e, e, 0);
        }
    }
}

/* Groups that read value v, next to each other. */
static void join_readers(Fuser *f, Val v)
{
    uint32_t first = NO_GROUP;

    for (uint32_t k = f->user_at[v]; k < f->user_at[v + 1]; k++) {
        uint32_t g = f->group[f->users[k]];

        if (g == NO_GROUP || g == first || is_tail(f, g))
            continue;
        if (first == NO_GROUP || !try_join(f, first, g))
            first = g;
    }
}

static void join_neighbours(Fuser *f)
{
    for (Val v = 1; v < f->p->nvals; v++)
        if (val_type(f->p, v).rank && f->user_at[v + 1] - f->user_at[v] > 1)
            join_readers(f, v);
}

/* Bytes that equation e of group g rounds floats to: is one group all that reads them? Then both are one, and the bytes are
 * not stored. So the sum of two branches of a quantised network is part of what follows one of their convolutions. */
static void join_rounded(Fuser *f, uint32_t g, uint32_t e)
{
    ArenaMark mark = arena_mark(f->a);
    Val bytes = f->p->eqns[e].out;
    uint32_t h = f->user_at[bytes] < f->user_at[bytes + 1] ? f->group[f->users[f->user_at[bytes]]] : NO_GROUP;
    Closure c;
    bool ok = h != NO_GROUP && h != g && f->groups.v[h].segment == f->groups.v[g].segment &&
              f->groups.v[g].n + f->groups.v[h].n <= f->target->fuse_members && sums_of(f, h) == EQN_INPUT &&
              (sums_of(f, g) == EQN_INPUT || (is_elementwise(f, g) && is_elementwise(f, h)));

    if (ok) {
        c = fuse_closure(f, g, h);
        ok = !in_list(c.outs.v, c.outs.n, bytes) && fuse_can_be_one(f, g, h);
    }
    arena_reset(f->a, mark);
    if (ok)
        join(f, g, h);
}

static void join_all_rounded(Fuser *f)
{
    for (uint32_t e = f->p->neqns; e-- > 0;)
        if (f->group[e] != NO_GROUP && rounds_to_bytes(f->p, &f->p->eqns[e]))
            join_rounded(f, f->group[e], e);
}

bool fuse_is_worth(const Fuser *f, const FuseGroup *g)
{
    return (g->n && g->n >= f->least) || (g->n && f->kind[g->v[0]] == FUSE_SCALAR);
}

/* ---- the new program --------------------------------------------------------------- */

typedef struct Emit {
    Fuser *f;
    Shared *sh;
    Builder *b;
    Copier c;
    bool *done; /* equations, groups by their first member */
} Emit;

static const Program *share_kernel(Shared *sh, const Program *q)
{
    for (uint32_t i = 0; i < sh->made.n; i++)
        if (hash_eq(sh->made.v[i]->hash, q->hash) && program_equal(sh->made.v[i], q))
            return sh->made.v[i];
    vec_push(sh->a, &sh->made, q);
    return q;
}

static const Program *build_kernel(Emit *m, const Closure *c)
{
    const Program *p = m->f->p;
    Builder *b = builder_new(m->f->cx, "fused", B_VERBATIM);
    Dim *none = arena_array(m->f->a, p->dims.syms.n + 1, sizeof *none);
    Copier k;
    Val *outs = arena_array(m->f->a, c->outs.n + 1, sizeof *outs);

    for (uint32_t i = 0; i < p->dims.syms.n; i++)
        none[i] = DIM_NONE;
    copier_init(&k, b, p, p->dims.guards.n ? NULL : none, NULL);
    for (uint32_t i = 0; i < c->ins.n; i++)
        k.val[c->ins.v[i]] = b_input(b, NULL, copier_type(&k, val_type(p, c->ins.v[i])));
    for (uint32_t i = 0; i < c->eqns.n; i++)
        if (!copier_eqn(&k, &p->eqns[c->eqns.v[i]]))
            return NULL;
    for (uint32_t j = 0; j < c->outs.n; j++)
        outs[j] = k.val[c->outs.v[j]];
    return builder_finish(b, outs, c->outs.n);
}

/* ---- products ---------------------------------------------------------------------- */

static void to_front(uint32_t *v, uint32_t at)
{
    uint32_t x = v[at];

    memmove(v + 1, v, at * sizeof *v);
    v[0] = x;
}

static uint32_t index_of(const uint32_t *v, uint32_t n, uint32_t x)
{
    uint32_t i;

    for (i = 0; i < n && v[i] != x;)
        i++;
    return i;
}

/* The product first, its operands first among the inputs, and first among the results one
 * that takes its place. False: an operand is made inside, or there is no such result. */
static bool order_product(Fuser *f, Closure *c, const FuseGroup *g)
{
    const Eqn *e = &f->p->eqns[g->product];
    uint32_t x = index_of(c->ins.v, c->ins.n, eqn_in(f->p, e)[0]),
             y = index_of(c->ins.v, c->ins.n, eqn_in(f->p, e)[1]), out;

    if (x == c->ins.n || y == c->ins.n)
        return false;
    to_front(c->ins.v, y);
    to_front(c->ins.v, x + (x < y));
    to_front(c->eqns.v, index_of(c->eqns.v, c->eqns.n, g->product));
    out = index_of(c->outs.v, c->outs.n, e->out);
    if (out == c->outs.n && g->keeps)
        vec_push(f->a, &c->outs, e->out);
    else if (out == c->outs.n)
        for (out = 0; out < c->outs.n; out++)
            if (product_takes(f->p, c->outs.v[out], e))
                break;
    if (out == c->outs.n)
        return false;
    to_front(c->outs.v, out);
    return true;
}

/* Is the group, product and all, one that a kernel can be made of? */
static bool is_epilogue(Fuser *f, uint32_t g)
{
    ArenaMark mark = arena_mark(f->a);
    Closure c = fuse_closure(f, g, g);
    Emit m = {.f = f};
    const Program *q;
    const Kernel *k;
    bool ok = false;

    if (order_product(f, &c, &f->groups.v[g]) && (q = build_kernel(&m, &c))) {
        k = kernel_make(f->cx, f->a, f->target, q, false, 0);
        ok = k && epilogue_pays(k);
    }
    arena_reset(f->a, mark);
    return ok && !failed(f->cx);
}

/* The product that equation e reads, if need be in another shape. */
static uint32_t find_product(const Fuser *f, uint32_t e, int depth)
{
    uint32_t n;
    const Val *in = reads(f, e, &n);

    for (uint32_t i = 0; i < n; i++) {
        uint32_t d = def_of(f, in[i]);

        if (d != EQN_INPUT && f->kind[d] == FUSE_INDEX && depth < 8)
            d = find_product(f, d, depth + 1);
        if (d != EQN_INPUT && f->kind[d] == FUSE_PRODUCT && f->group[d] == NO_GROUP &&
            product_pays(f->target, f->p, &f->p->eqns[d]))
            return d;
    }
    return EQN_INPUT;
}

static bool take_product(Fuser *f, uint32_t g, uint32_t product)
{
    FuseGroup old = f->groups.v[g], *now = &f->groups.v[g];

    if (f->segment[product] != old.segment)
        return false;
    now->v = arena_array(f->a, old.n + 1, sizeof *now->v);
    memcpy(now->v, old.v, old.n * sizeof *now->v);
    now->v[now->n++] = product;
    qsort(now->v, now->n, sizeof *now->v, by_number);
    now->product = product;
    f->group[product] = g;
    if (fuse_can_be_one(f, g, g)) {
        if (is_epilogue(f, g))
            return true;
        f->groups.v[g].keeps = true;
        if (is_epilogue(f, g))
            return true;
    }
    f->groups.v[g] = old;
    f->group[product] = NO_GROUP;
    return false;
}

/* A group of elementwise ops takes in a product that it reads. */
static void join_product(Fuser *f, uint32_t g)
{
    if (!is_elementwise(f, g))
        return;
    for (uint32_t i = 0; i < f->groups.v[g].n; i++) {
        uint32_t d = find_product(f, f->groups.v[g].v[i], 0);

        if (d != EQN_INPUT && take_product(f, g, d))
            return;
    }
}

/* What the symbols of q, which have the names they have in p, are here. */
static Sub sub_of(Emit *m, const Program *q)
{
    const Dims *t = &m->f->p->dims;
    Dim *binds = arena_array(&m->b->arena, q->dims.syms.n + 1, sizeof *binds);

    for (uint32_t i = 0; i < q->dims.syms.n; i++) {
        binds[i] = DIM_NONE;
        for (uint32_t k = 0; k < t->syms.n; k++)
            if (!strcmp(t->syms.v[k].name, q->dims.syms.v[i].name))
                binds[i] = copier_dim(&m->c, t->syms.v[k].dim);
    }
    return (Sub){q, {q->dims.syms.n, binds}};
}

static bool emit_eqn(Emit *m, uint32_t e);

static bool emit_inputs(Emit *m, const Val *v, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (def_of(m->f, v[i]) != EQN_INPUT && !emit_eqn(m, def_of(m->f, v[i])))
            return false;
    return true;
}

static bool emit_group(Emit *m, uint32_t g)
{
    Fuser *f = m->f;
    Closure c = fuse_closure(f, g, g);
    Val *in = arena_array(f->a, c.ins.n + 1, sizeof *in), *out;
    const Program *q;
    CallAttr a;
    uint32_t n;

    if (f->groups.v[g].product != NO_GROUP)
        order_product(f, &c, &f->groups.v[g]);
    if (!emit_inputs(m, c.ins.v, c.ins.n) || !(q = build_kernel(m, &c)))
        return false;
    a = (CallAttr){.body = sub_of(m, q)};
    a.body.p = share_kernel(m->sh, q); /* symbols are in the same order */
    for (uint32_t i = 0; i < c.ins.n; i++)
        in[i] = m->c.val[c.ins.v[i]];
    copier_place(&m->c, &f->p->eqns[f->groups.v[g].v[f->groups.v[g].n - 1]]);
    out = b_eqn_n(m->b, OP_call, in, c.ins.n, &a, &n);
    for (uint32_t j = 0; j < n && j < c.outs.n; j++)
        m->c.val[c.outs.v[j]] = out[j];
    return !b_failed(m->b);
}

static const Program *fuse_program(void *shared, const Program *p);

/* Sub-programs of control flow are fused too. */
static bool emit_control(Emit *m, const Eqn *e)
{
    Val *in = arena_array(&m->b->arena, e->nin + 1u, sizeof *in);
    void *attr = copier_attr(&m->c, e);

    for (uint32_t i = 0; i < e->nin; i++)
        in[i] = m->c.val[eqn_in(m->f->p, e)[i]];
    if (!(e->op == OP_call && opt_has_step(m->sh->a, e->attr)) &&
        !replace_subs(m->b, op_row(e->op), attr, fuse_program, m->sh))
        return false;
    copier_place(&m->c, e);
    b_eqn(m->b, (OpCode)e->op, in, e->nin, attr, m->c.val + e->out, e->nout);
    return !b_failed(m->b);
}

static bool emit_eqn(Emit *m, uint32_t i)
{
    Fuser *f = m->f;
    uint32_t g = f->group[i], n;
    const Eqn *e = &f->p->eqns[i];
    const Val *in = reads(f, i, &n);

    if (g != NO_GROUP && !fuse_is_worth(f, &f->groups.v[g]))
        g = NO_GROUP;
    if (g != NO_GROUP)
        i = f->groups.v[g].v[0];
    if (m->done[i])
        return true;
    m->done[i] = true;
    if (g != NO_GROUP)
        return emit_group(m, g);
    if (!emit_inputs(m, in, n))
        return false;
    return op_has(e->op, OPF_CONTROL) ? emit_control(m, e) : copier_eqn(&m->c, e);
}

/* Can it be had of what was emitted? */
static bool is_there(const Emit *m, Val v)
{
    const Fuser *f = m->f;
    uint32_t e = def_of(f, v), n;
    const Val *in;

    if (e == EQN_INPUT || m->c.val[v])
        return true;
    if (f->kind[e] != FUSE_FREE && f->kind[e] != FUSE_INDEX)
        return false;
    in = reads(f, e, &n);
    for (uint32_t i = 0; i < n; i++)
        if (!is_there(m, in[i]))
            return false;
    return true;
}

/* Elementwise, in the same segment, and waits for nothing? */
static bool follows(const Emit *m, uint32_t g, uint32_t product)
{
    const FuseGroup *x = &m->f->groups.v[g];
    Closure c;

    if (!fuse_is_worth(m->f, x) || x->segment != m->f->segment[product])
        return false;
    if (!is_elementwise(m->f, g))
        return false;
    c = fuse_closure(m->f, g, g);
    for (uint32_t i = 0; i < c.ins.n; i++)
        if (!is_there(m, c.ins.v[i]))
            return false;
    return true;
}

/* What reads v, of a product, and can stand directly behind it. */
static bool emit_behind(Emit *m, Val v, uint32_t product)
{
    Fuser *f = m->f;

    for (uint32_t k = f->user_at[v]; k < f->user_at[v + 1]; k++) {
        uint32_t u = f->users[k], g = f->group[u];

        if (g == NO_GROUP ? f->p->eqns[u].op == OP_reshape && !emit_behind(m, f->p->eqns[u].out, product)
                          : follows(m, g, product) && !emit_eqn(m, u))
            return false;
    }
    return true;
}

/* A group stands where its last member stood, or where it is needed first, or directly behind a product. */
static const Program *emit_program(Fuser *f, Shared *sh)
{
    const Program *p = f->p;
    Emit m = {.f = f, .sh = sh, .b = builder_new(f->cx, p->name, B_OPTIMISE)};
    Val *outs = arena_array(f->a, p->nout + 1, sizeof *outs);

    m.done = arena_zalloc(f->a, p->neqns + 1);
    copier_init(&m.c, m.b, p, NULL, NULL);
    copier_inputs(&m.c);
    for (uint32_t i = 0; i < p->neqns; i++) {
        const FuseGroup *g = f->group[i] == NO_GROUP ? NULL : &f->groups.v[f->group[i]];

        if (f->kind[i] == FUSE_FREE || f->kind[i] == FUSE_INDEX ||
            (f->again[i] && f->group[i] == NO_GROUP)) /* if it is needed */
            continue;
        if (g && fuse_is_worth(f, g) && g->v[g->n - 1] != i)
            continue;
        if (!emit_eqn(&m, i) || (f->target->tail_flops > 0 && p->eqns[i].op == OP_dot_general &&
                                 !emit_behind(&m, p->eqns[i].out, i)))
            return NULL;
    }
    if (!emit_inputs(&m, p->outs, p->nout))
        return NULL;
    for (uint32_t j = 0; j < p->nout; j++)
        outs[j] = m.c.val[p->outs[j]];
    return builder_finish(m.b, outs, p->nout);
}

/* ---- a program --------------------------------------------------------------------- */

static bool is_border(const Program *p, const Eqn *e)
{
    if (e->op == OP_while)
        return ((const WhileAttr *)e->attr)->trips != DIM_NONE || p->effects;
    return op_has(e->op, OPF_DEFINES) || op_has(e->op, OPF_EFFECT) ||
           (op_has(e->op, OPF_CONTROL) && p->effects);
}

static void list_users(Fuser *f)
{
    const Program *p = f->p;
    uint32_t *at = arena_zalloc(f->a, (p->nvals + 2) * sizeof *at), n;

    for (uint32_t i = 0; i < p->nargs; i++)
        at[p->args[i] + 1]++;
    for (uint32_t v = 0; v < p->nvals; v++)
        at[v + 1] += at[v];
    f->users = arena_array(f->a, p->nargs + 1, sizeof *f->users);
    f->user_at = arena_dup(f->a, at, (p->nvals + 2) * sizeof *at);
    for (uint32_t e = 0; e < p->neqns; e++) {
        const Val *in = reads(f, e, &n);

        for (uint32_t i = 0; i < n; i++)
            f->users[at[in[i]]++] = e;
    }
}

static void init_fuser(Fuser *f, const Shared *sh, const Program *p)
{
    uint32_t segment = 0;
    bool small = target_forms(sh->target, RENDER_STRAIGHT) &&
                 codegen_is_small(sh->cx, sh->target, p);

    *f = (Fuser){.cx = sh->cx,
                 .target = sh->target,
                 .p = p,
                 .a = sh->a,
                 .least = sh->target->fuse_least};
    if (small) /* all of it is to be compiled; products by themselves (render_dot.c) */
        f->least = 1;
    f->kind = arena_zalloc(f->a, p->neqns + 1);
    f->group = arena_array(f->a, p->neqns + 1, sizeof *f->group);
    f->segment = arena_array(f->a, p->neqns + 1, sizeof *f->segment);
    f->mark = arena_zalloc(f->a, (p->neqns + 1) * sizeof *f->mark);
    f->gmark = arena_zalloc(f->a, (p->neqns + 1) * sizeof *f->gmark);
    f->is_out = arena_zalloc(f->a, p->nvals + 1);
    f->again = arena_zalloc(f->a, p->neqns + 1);
    f->copy_mark = arena_zalloc(f->a, (p->neqns + 1) * sizeof *f->copy_mark);
    for (uint32_t e = 0; e < p->neqns; e++) {
        f->kind[e] = (uint8_t)fuse_kind(f->target, p, &p->eqns[e]);
        if (small && f->kind[e] == FUSE_PRODUCT)
            f->kind[e] = FUSE_NO;
        if (p->eqns[e].op == OP_slice && p->dims.syms.n &&
            !space_slice_fits(f->cx, f->a, p, &p->eqns[e]))
            f->kind[e] = FUSE_NO;
        f->group[e] = NO_GROUP;
        segment += is_border(p, &p->eqns[e]);
        f->segment[e] = segment;
        segment += is_border(p, &p->eqns[e]);
    }
    for (uint32_t j = 0; j < p->nout; j++)
        f->is_out[p->outs[j]] = true;
    list_users(f);
}

static const Program *fuse_program(void *shared, const Program *p)
{
    Shared *sh = shared;
    const Program *q = ptrmap_get(&sh->done, p);
    Fuser f;

    if (q)
        return q;
    init_fuser(&f, sh, p);
    make_groups(&f);
    join_neighbours(&f);
    if (f.target->recompute > 0)
        fuse_again(&f);
    join_all_rounded(&f);
    for (uint32_t g = 0; sh->products && g < f.groups.n; g++)
        join_product(&f, g);
    q = emit_program(&f, sh);
    if (q)
        ptrmap_put(&sh->done, p, q);
    return q;
}

/* An arena for one call: dims are computed in scratch, and may not live there. */
typedef struct OwnArena {
    Arena a;
    wf_allocator al;
} OwnArena;

static void free_arena(void *x)
{
    OwnArena *o = x;
    wf_allocator al = o->al;

    arena_free(&o->a);
    mem_free(&al, o, sizeof *o);
}

Arena *codegen_arena(wf_ctx *cx)
{
    OwnArena *o = mem_alloc(&cx->al, sizeof *o);

    if (!o)
        ctx_out_of_memory(cx);
    o->al = cx->al;
    arena_init(&o->a, &cx->al, cx);
    pool_defer(cx, free_arena, o);
    return &o->a;
}

bool codegen_fuse(wf_ctx *cx, const Target *t, const Program *p, bool products,
                  Fused *out)
{
    Arena *a = codegen_arena(cx);
    Shared sh = {.cx = cx, .target = t, .a = a, .products = products, .done.a = a};

    *out = (Fused){.p = fuse_program(&sh, p)};
    out->kernels = sh.made.v;
    out->nkernels = sh.made.n;
    if (out->p && !sh.made.n)
        out->p = p;
    return out->p != NULL && !failed(cx);
}
