/* fuse_again.c -- values that the groups which read them compute again, where the target has that cheaper than to store
 * and read them.
 */
#include "codegen/fuse.h"

typedef struct Again { /* a value of a group that its readers could compute */
    VEC(uint32_t) eqns;    /* all that has to be computed for it */
    VEC(Val) arrays;       /* what of */
    VEC(uint32_t) readers; /* groups */
    double cost, saved;    /* of an element; bytes that are not moved */
    bool ok;
} Again;

static double bytes_of(const Fuser *f, Val v)
{
    Type t = val_type(f->p, v);
    double n = (double)wf_dtype_size((wf_dtype)t.dtype);

    for (uint32_t i = 0; i < t.rank; i++)
        n *= t.dims[i] >= 0 ? (double)t.dims[i] : 64;
    return n;
}

/* What v is made of: down to what is in memory anyway. top: it is what shall be. */
static void unfold(Fuser *f, const Closure *c, Val v, bool top, Again *a)
{
    uint32_t d = def_of(f, v), n;
    bool computed = d != EQN_INPUT && f->kind[d] == FUSE_MAP &&
                    (top || f->again[d] ||
                     (in_list(c->eqns.v, c->eqns.n, d) && !in_list(c->outs.v, c->outs.n, v)));
    const Val *in;

    if (d != EQN_INPUT && f->mark[d] == f->walk)
        return;
    if (d != EQN_INPUT)
        f->mark[d] = f->walk;
    if (!computed && (d == EQN_INPUT || (f->kind[d] != FUSE_FREE && f->kind[d] != FUSE_INDEX))) {
        if (!in_list(a->arrays.v, a->arrays.n, v))
            vec_push(f->a, &a->arrays, v);
        return;
    }
    if (computed) {
        vec_push(f->a, &a->eqns, d);
        a->cost += op_cost(f->p->eqns[d].op, (wf_dtype)val_type(f->p, v).dtype);
    }
    in = reads(f, d, &n);
    if (f->p->eqns[d].op == OP_slice && !fuse_slice_is_load(f, d, NO_GROUP, NO_GROUP))
        a->ok = false;
    for (uint32_t i = 0; i < n; i++)
        unfold(f, c, in[i], false, a);
}

/* Groups that read v, also by a copy of what is computed again; and whether anything else
 * does. */
static bool list_readers(Fuser *f, uint32_t g, Val v, Again *a)
{
    bool others = f->is_out[v];

    for (uint32_t k = f->user_at[v]; k < f->user_at[v + 1]; k++) {
        uint32_t e = f->users[k], r = f->group[e];
        bool along = f->again[e] || (r == NO_GROUP && f->kind[e] == FUSE_INDEX);

        others = others || fuse_reads_array(f, e, v) || (r == NO_GROUP && !along);
        if (r != NO_GROUP && r != g && !in_list(a->readers.v, a->readers.n, r))
            vec_push(f->a, &a->readers, r);
        if (along && f->copy_mark[e] != f->copy_walk) {
            f->copy_mark[e] = f->copy_walk;
            others = list_readers(f, g, f->p->eqns[e].out, a) || others;
        }
    }
    return others;
}

static void weigh(Fuser *f, uint32_t g, const Closure *c, Val v, Again *a)
{
    double bytes = bytes_of(f, v);

    *a = (Again){.ok = true};
    f->copy_walk++;
    a->saved = list_readers(f, g, v, a) ? 0 : bytes;
    f->walk++;
    unfold(f, c, v, true, a);
    for (uint32_t r = 0; r < a->readers.n && a->ok; r++) {
        Closure reader = fuse_closure(f, a->readers.v[r], a->readers.v[r]);

        a->saved += bytes;
        for (uint32_t i = 0; i < a->arrays.n; i++)
            if (!in_list(reader.ins.v, reader.ins.n, a->arrays.v[i]))
                a->saved -= bytes_of(f, a->arrays.v[i]);
    }
    for (uint32_t i = 0; i < a->arrays.n; i++) { /* of the group's own, kept for this alone */
        uint32_t d = def_of(f, a->arrays.v[i]);

        if (d != EQN_INPUT && f->group[d] == g && !in_list(c->outs.v, c->outs.n, a->arrays.v[i]))
            a->saved -= bytes_of(f, a->arrays.v[i]);
    }
    a->ok = a->ok && a->readers.n && a->saved > 0 && a->cost <= f->target->recompute;
}

/* Sets the marks; they stay if every group is still one. */
static bool mark_again(Fuser *f, const Again *a)
{
    bool *old = arena_dup(f->a, f->again, f->p->neqns + 1), ok = true;

    for (uint32_t i = 0; i < a->eqns.n; i++)
        f->any_again = f->again[a->eqns.v[i]] = true;
    for (uint32_t r = 0; r < a->readers.n && ok; r++)
        ok = fuse_can_be_one(f, a->readers.v[r], a->readers.v[r]);
    if (!ok)
        memcpy(f->again, old, f->p->neqns + 1);
    return ok;
}

/* The last results first: they are made of the others. */
static void compute_again(Fuser *f, uint32_t g)
{
    Closure c = fuse_closure(f, g, g);

    for (uint32_t j = c.outs.n; j-- > 0;) {
        Val v = c.outs.v[j];
        Again a;

        if (f->kind[def_of(f, v)] != FUSE_MAP || f->is_out[v] || !val_type(f->p, v).rank)
            continue;
        weigh(f, g, &c, v, &a);
        if (a.ok && mark_again(f, &a))
            c = fuse_closure(f, g, g);
        j = MIN(j, c.outs.n);
    }
}

/* Groups nobody reads any more are none. */
static void drop_unread(Fuser *f)
{
    for (uint32_t g = 0; g < f->groups.n; g++) {
        FuseGroup *x = &f->groups.v[g];
        bool all = x->n > 0;

        for (uint32_t i = 0; i < x->n; i++)
            all = all && f->again[x->v[i]];
        if (!all || fuse_closure(f, g, g).outs.n)
            continue;
        for (uint32_t i = 0; i < x->n; i++)
            f->group[x->v[i]] = NO_GROUP;
        x->n = 0;
    }
}

/* Has every group what it reads, and can be one? */
static bool is_sound(Fuser *f)
{
    for (uint32_t g = 0; g < f->groups.n; g++) {
        Closure c = {0};

        if (f->groups.v[g].n)
            c = fuse_closure(f, g, g);
        for (uint32_t i = 0; i < c.ins.n; i++) {
            uint32_t d = def_of(f, c.ins.v[i]), from = d == EQN_INPUT ? NO_GROUP : f->group[d];

            if (from != NO_GROUP) {
                Closure other = fuse_closure(f, from, from);

                if (!in_list(other.outs.v, other.outs.n, c.ins.v[i]))
                    return false;
            }
        }
        if (f->groups.v[g].n && !fuse_can_be_one(f, g, g))
            return false;
    }
    return true;
}

/* Groups that are too small to be kernels are none from here on: equations that stand for themselves read what is in
 * memory, and compute nothing again. */
static void drop_small(Fuser *f)
{
    for (uint32_t g = 0; g < f->groups.n; g++) {
        FuseGroup *x = &f->groups.v[g];

        if (fuse_is_worth(f, x))
            continue;
        for (uint32_t i = 0; i < x->n; i++)
            f->group[x->v[i]] = NO_GROUP;
        x->n = 0;
    }
}

void fuse_again(Fuser *f)
{
    drop_small(f);
    for (uint32_t g = 0; g < f->groups.n; g++)
        if (f->groups.v[g].n)
            compute_again(f, g);
    if (f->any_again && !is_sound(f)) {
        memset(f->again, 0, f->p->neqns + 1);
        f->any_again = false;
    }
    drop_unread(f);
}
