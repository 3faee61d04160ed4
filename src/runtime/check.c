/* check.c -- do the uses of steps agree with each other?
 *
 *   requires   a frame that has run, so that all that it reached is bound
 *   method     The steps are gone through as if they ran, and it is written down what
 *              every piece of memory holds: a value, a workspace of an equation, or
 *              nothing. A step must find what its reads name; that includes that nothing
 *              was written over a value that is still wanted. Sub-programs are gone
 *              through for every way in which their results lie in the memory of their
 *              inputs.
 *
 * A use may have gaps; here it is all that lies between its ends. So a step that writes
 * too little of a result with gaps is not seen.
 */
#include "runtime/runtime.h"

#define SCRATCH ((uint64_t)1 << 32) /* + equation: its workspace */
#define NOTHING UINT64_MAX

typedef struct Held {
    uint32_t base;
    int64_t low, high;
    uint64_t what; /* a value, SCRATCH + equation, or NOTHING */
} Held;

typedef struct Check {
    wf_ctx *cx;
    Arena *a;
    Frame *f;
    const Program *p;
    uint32_t *def;  /* equation of each value */
    uint32_t *same; /* base of an input -> that of the result in whose memory it lies */
    VEC(Held) held;
} Check;

/* ---- what values are the same memory ------------------------------------------------ */

/* The value whose equation wrote what v is, or is a view of. */
static Val owner(const Check *k, Val v)
{
    while (v > k->p->nin && k->f->plan->val[v].kind != VAL_OWN) {
        const Eqn *e = &k->p->eqns[k->def[v]];

        if (!e->nin)
            break; /* a constant */
        v = eqn_in(k->p, e)[e->op == OP_opt_barrier ? v - e->out : 0];
    }
    return v;
}

/* Is memory that holds `what` as good as one that holds v? Parts of a concatenation are
 * written by others. */
static bool serves(const Check *k, Val v, uint64_t what)
{
    const Eqn *e;

    v = owner(k, v);
    if (v == what)
        return true;
    if (v <= k->p->nin || k->p->eqns[k->def[v]].op != OP_concat)
        return false;
    e = &k->p->eqns[k->def[v]];
    for (uint32_t i = 0; i < e->nin; i++)
        if (serves(k, eqn_in(k->p, e)[i], what))
            return true;
    return false;
}

/* ---- memory ------------------------------------------------------------------------- */

static Held place_of(const Check *k, const Use *u)
{
    int64_t high = u->high == USE_TO_END ? USE_TO_END : u->at.off + u->high;

    return (Held){k->same[u->at.base], u->at.off + u->low, high, 0};
}

static bool overlaps(const Held *a, const Held *b)
{
    return a->base == b->base && a->low < b->high && b->low < a->high;
}

static bool is_empty(const Use *u) { return !u->kind || u->high <= u->low; }

static void set(Check *k, Held h)
{
    uint32_t n = k->held.n;

    for (uint32_t i = 0; i < n; i++) {
        Held old = k->held.v[i];

        if (!overlaps(&old, &h))
            continue;
        if (old.low < h.low && old.high > h.high) {
            Held right = old;

            right.low = h.high;
            vec_push(k->a, &k->held, right);
            k->held.v[i].high = h.low;
        } else if (old.low < h.low) {
            k->held.v[i].high = h.low;
        } else if (old.high > h.high) {
            k->held.v[i].low = h.high;
        } else {
            k->held.v[i].base = UINT32_MAX; /* gone */
        }
    }
    for (uint32_t i = 0; i < n; i++)
        if (k->held.v[i].base == UINT32_MAX) {
            k->held.v[i] = h;
            return;
        }
    vec_push(k->a, &k->held, h);
}

/* The first part of h that does not hold v (0: a workspace of equation eqn); true: none. */
static bool holds(const Check *k, Held h, Val v, uint32_t eqn, Held *out_bad)
{
    while (h.low < h.high) {
        const Held *at = NULL;

        for (uint32_t i = 0; i < k->held.n && !at; i++)
            if (k->held.v[i].base == h.base && k->held.v[i].low <= h.low &&
                k->held.v[i].high > h.low)
                at = &k->held.v[i];
        if (!at || !(v ? serves(k, v, at->what) : at->what == SCRATCH + eqn)) {
            *out_bad = h;
            out_bad->what = at ? at->what : NOTHING;
            return false;
        }
        h.low = at->high;
    }
    return true;
}

/* ---- steps -------------------------------------------------------------------------- */

static const char *what_text(const Check *k, uint64_t what)
{
    if (what == NOTHING)
        return "nothing";
    if (what >= SCRATCH)
        return arena_printf(k->a, "a workspace of equation %u",
                            (uint32_t)(what - SCRATCH));
    return arena_printf(k->a, "value %u", (uint32_t)what);
}

static bool bad_use(const Check *k, const Op *op, uint32_t use, const char *why)
{
    const Use *u = &op->use.v[use];

    return fail(k->cx, WF_ERR_INTERNAL, op_place(k->f, op),
                "plan of '%s': equation %u (%s): use %u of value %u, base %u, bytes %lld "
                "to %lld: %s",
                k->p->name, op->eqn, op_name(k->p->eqns[op->eqn].op), use, u->val,
                u->at.base, (long long)(u->at.off + u->low),
                (long long)(u->at.off + u->high), why);
}

static bool is_const(const Check *k, const Use *u)
{
    return u->at.base == base_const(k->f->plan);
}

/* Constants are where the program has them. */
static bool check_extent(const Check *k, const Op *op, uint32_t use)
{
    const Use *u = &op->use.v[use];
    int64_t bytes = frame_base_bytes(k->f, u->at.base), low = u->at.off + u->low,
            high = u->at.off + u->high;
    Val v = u->val ? owner(k, u->val) : 0;

    if (is_const(k, u) && v > k->p->nin && k->p->eqns[k->def[v]].op == OP_const) {
        const ConstAttr *a = k->p->eqns[k->def[v]].attr;

        low -= (int64_t)(uintptr_t)a->data->data;
        high -= (int64_t)(uintptr_t)a->data->data;
        bytes = (int64_t)a->data->size;
    }
    if (is_const(k, u) && u->kind != USE_READ)
        return bad_use(k, op, use, "a constant is written");
    if (bytes < 0 || u->high == USE_TO_END || (low >= 0 && high <= bytes))
        return true;
    return bad_use(k, op, use,
                   arena_printf(k->a, "the base has %lld bytes", (long long)bytes));
}

static bool check_read(const Check *k, const Op *op, uint32_t use)
{
    const Use *u = &op->use.v[use];
    Held bad;

    if (!(u->kind & USE_READ) || is_const(k, u) ||
        holds(k, place_of(k, u), u->val, op->eqn, &bad))
        return true;
    return bad_use(k, op, use,
                   arena_printf(k->a, "from byte %lld on there is %s", (long long)bad.low,
                                what_text(k, bad.what)));
}

/* Within a step, a result may lie where an operand does, begin to begin; nothing lies in
 * a workspace. */
static bool check_apart(const Check *k, const Op *op, uint32_t use)
{
    const Use *u = &op->use.v[use];
    Held h = place_of(k, u);

    for (uint32_t i = 0; i < op->use.n && u->kind != USE_READ; i++) {
        const Use *w = &op->use.v[i];
        Held g = place_of(k, w);

        if (i == use || is_empty(w) || !overlaps(&h, &g) ||
            (u->gaps && w->gaps && u->kind == USE_WRITE && w->kind == USE_WRITE)) /* each in the other's gaps */
            continue;
        if (u->kind & (USE_WORK | USE_KEPT) || w->kind & (USE_WORK | USE_KEPT))
            return bad_use(k, op, use, "a workspace overlaps another use");
        if (h.low != g.low || (w->kind & USE_WRITE && u->val != w->val))
            return bad_use(k, op, use,
                           "it overlaps another use, but does not begin there");
    }
    return true;
}

static void do_writes(Check *k, const Op *op)
{
    for (uint32_t i = 0; i < op->use.n; i++) {
        const Use *u = &op->use.v[i];
        Held h = place_of(k, u);

        if (is_empty(u) || u->kind == USE_READ || u->kind == USE_KEPT)
            continue;
        h.what = u->kind == USE_WORK ? NOTHING : u->val ? u->val : SCRATCH + op->eqn;
        set(k, h);
    }
}

static bool check_callees(Check *k, const Op *op);

static bool check_step(Check *k, const Op *op)
{
    for (uint32_t i = 0; i < op->use.n; i++)
        if (!is_empty(&op->use.v[i]) &&
            (!check_extent(k, op, i) || !check_read(k, op, i) || !check_apart(k, op, i)))
            return false;
    do_writes(k, op);
    return check_callees(k, op);
}

/* What a step keeps is used by no other. */
static bool check_kept(const Check *k, const Segment *s, const Op *op)
{
    for (uint32_t i = 0; i < op->use.n; i++) {
        Held h = place_of(k, &op->use.v[i]);

        for (uint32_t n = 0; n < s->ops.n && op->use.v[i].kind == USE_KEPT; n++)
            for (uint32_t j = 0; j < s->ops.v[n].use.n; j++) {
                Held g = place_of(k, &s->ops.v[n].use.v[j]);

                if (&s->ops.v[n] != op && !is_empty(&s->ops.v[n].use.v[j]) &&
                    overlaps(&h, &g))
                    return bad_use(k, op, i, "another step uses what this one keeps");
            }
    }
    return true;
}

/* ---- frames ------------------------------------------------------------------------- */

static bool check_result(const Check *k, uint32_t j)
{
    const Plan *plan = k->f->plan;
    Val v = k->p->outs[j];
    int64_t bytes = frame_base_bytes(k->f, base_out(plan, j));
    Ref at = k->f->loc[v].at;
    Held bad, h;

    if (plan->out_direct[j])
        at = (Ref){plan->out_from[j] ? base_in(plan, plan->out_from[j] - 1)
                                     : base_out(plan, j),
                   0};
    h = (Held){k->same[at.base], at.off, at.off + bytes, 0};
    if (bytes <= 0 || at.base == base_const(plan) || holds(k, h, v, 0, &bad))
        return true;
    return fail(k->cx, WF_ERR_INTERNAL, NOWHERE,
                "plan of '%s': where result %u (value %u) must be there is %s",
                k->p->name, j, v, what_text(k, bad.what));
}

static bool is_whole(const Frame *f)
{
    for (uint32_t s = 0; s < f->plan->nsegs; s++)
        if (!f->seg[s].bound || f->seg[s].failed)
            return false;
    return true;
}

/* same: of each base, that which is the same memory. */
static bool check_frame(wf_ctx *cx, Frame *f, uint32_t *same)
{
    const Program *p = f->plan->p;
    Arena *a = &cx->scratch;
    ArenaMark mark = arena_mark(a);
    Check k = {.cx = cx, .a = a, .f = f, .p = p, .same = same};
    bool ok = true;

    if (!is_whole(f))
        return true;
    k.def = arena_array(a, p->nvals + 1, sizeof *k.def);
    for (uint32_t n = 0; n < p->neqns; n++)
        for (uint32_t j = 0; j < p->eqns[n].nout; j++)
            k.def[p->eqns[n].out + j] = n;
    for (uint32_t i = 0; i < p->nin; i++)
        set(&k, (Held){same[base_in(f->plan, i)], 0, INT64_MAX, i + 1});
    for (uint32_t s = 0; s < f->plan->nsegs; s++)
        for (uint32_t i = 0; i < f->seg[s].uploads.n; i++) {
            const Upload *u = &f->seg[s].uploads.v[i];

            set(&k, (Held){u->to.base, u->to.off, u->to.off + u->bytes, u->val});
        }
    for (uint32_t s = 0; s < f->plan->nsegs && ok; s++)
        for (uint32_t i = 0; i < f->seg[s].ops.n && ok; i++)
            ok = check_step(&k, &f->seg[s].ops.v[i]) &&
                 check_kept(&k, &f->seg[s], &f->seg[s].ops.v[i]);
    for (uint32_t j = 0; j < p->nout && ok; j++)
        ok = check_result(&k, j);
    arena_reset(a, mark);
    return ok;
}

static uint32_t *own_bases(Arena *a, const Plan *plan)
{
    uint32_t n = base_dyn(plan, plan->ndyn), *same = arena_array(a, n + 1, sizeof *same);

    for (uint32_t i = 0; i < n; i++)
        same[i] = i;
    return same;
}

/* Every sub-program, with those of its inputs and results made one that are here. */
static bool check_callees(Check *k, const Op *op)
{
    for (uint32_t n = 0; n < op->ncallees; n++) {
        const Callee *c = &op->callee[n];
        Frame *g = root_find(k->f->root, c->plan, c->symvals);
        uint32_t *same = g ? own_bases(k->a, c->plan) : NULL;

        for (uint32_t i = 0; g && i < c->plan->p->nin; i++)
            for (uint32_t j = 0; j < c->plan->p->nout; j++) {
                const Use *x = &op->use.v[c->in[i]];
                Held in = place_of(k, x), out;

                if (c->out[j] == NO_USE || is_empty(x))
                    continue;
                out = place_of(k, &op->use.v[c->out[j]]);
                if (overlaps(&in, &out))
                    same[base_in(c->plan, i)] = base_out(c->plan, j);
            }
        if (g && !check_frame(k->cx, g, same))
            return false;
    }
    return true;
}

bool plan_check(Frame *f)
{
    wf_ctx *cx = f->root->cx;

    return check_frame(cx, f, own_bases(&cx->scratch, f->plan));
}

bool root_check(Root *r, Frame *f)
{
    bool due = false;

    for (size_t i = 0; i < (size_t)r->nplans * ROOT_FRAMES; i++)
        for (uint32_t s = 0; r->frames[i] && s < r->frames[i]->plan->nsegs; s++) {
            Segment *g = &r->frames[i]->seg[s];

            due = due || (g->bound && !g->checked);
            g->checked = true;
        }
    return !due || plan_check(f);
}
