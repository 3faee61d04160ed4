/* step_collective.c -- collectives of a device among others: the group it talks to, the
 * sizes, and the arithmetic. Who brings the devices together is the context's Comm; without
 * one the axis is not bound. Uses: the operand (none of axis_index), the result. */
#include "runtime/comm.h"

typedef struct CollectiveStep {
    const CollectiveAttr *a;
    Exchange x; /* what does not depend on the device */
    void *going; /* what the Comm began; NULL: nothing */
} CollectiveStep;

/* ---- the group ---------------------------------------------------------------------- */

static bool unbound(Frame *f, const Op *op, const char *axis)
{
    return op_fail(f, op, WF_ERR_NAME,
                   "axis '%s' is not bound: needs a vmap over an axis of that name",
                   axis);
}

/* The devices along the axes from this one, in order; *me: which of them this is. */
static int64_t *devices_along(Arena *a, const Comm *c, AxisList axes, uint32_t bits,
                              int64_t *n, int64_t *me)
{
    int64_t *v;

    *n = mesh_count(c->mesh, axes);
    *me = mesh_position(c->mesh, c->rank, axes);
    v = arena_array(a, (size_t)*n, sizeof *v);
    for (int64_t d = 0; d < c->mesh->devices; d++) {
        bool here = true;

        for (uint32_t k = 0; k < c->mesh->n; k++)
            here = here && (bits & 1u << k || mesh_coordinate(c->mesh, d, k) ==
                                                  mesh_coordinate(c->mesh, c->rank, k));
        if (here)
            v[mesh_position(c->mesh, d, axes)] = d;
    }
    return v;
}

/* Of those, the ones in the same group. */
static bool pick_group(Arena *a, const CollectiveAttr *at, Exchange *x)
{
    uint32_t first = 0;

    if (at->groups.n != x->n)
        return false;
    for (uint32_t g = 0; g < at->parts.n; first += (uint32_t)at->parts.v[g++])
        for (int64_t i = 0; i < at->parts.v[g]; i++)
            if (at->groups.v[first + i] == x->me) {
                int64_t *v = arena_array(a, (size_t)at->parts.v[g], sizeof *v);

                for (int64_t k = 0; k < at->parts.v[g]; k++)
                    v[k] = x->member[at->groups.v[first + k]];
                x->member = v;
                x->n = at->parts.v[g];
                x->me = i;
                return true;
            }
    return false;
}

static bool find_group(Frame *f, const Op *op, const CollectiveAttr *a, Exchange *x)
{
    Comm *c = f->root->cx->comm;
    Arena *ar = &f->root->cx->scratch;
    const char *rest;
    AxisList axes;

    if (!c)
        return unbound(f, op, a->axis);
    x->axes = mesh_find(ar, c->mesh, a->axis, &axes, &rest);
    if (rest)
        return unbound(f, op, rest);
    x->member = devices_along(ar, c, axes, x->axes, &x->n, &x->me);
    if (a->groups.n && !pick_group(ar, a, x))
        return op_fail(f, op, WF_ERR_SHAPE, "groups have %u members, axis '%s' has %lld",
                       a->groups.n, a->axis, (long long)x->n);
    if (a->size >= 0 && a->size != x->n)
        return op_fail(f, op, WF_ERR_SHAPE, "axis '%s' has %lld devices, needs size=%lld",
                       a->axis, (long long)x->n, (long long)a->size);
    return true;
}

/* ---- steps -------------------------------------------------------------------------- */

/* The step's exchange as this device takes part in it; its group is in the context's scratch. */
static bool exchange_of(Frame *f, const Op *op, Exchange *x)
{
    const CollectiveStep *s = op->data;

    *x = s->x;
    if (!find_group(f, op, s->a, x))
        return false;
    x->in = op_at(f, op, 0);
    x->out = op_at(f, op, 1);
    x->place = op_place(f, op);
    x->what = hash_mix(hash_mix((uint64_t)x->op << 8 | x->dtype, (uint64_t)x->count),
                       s->a->order ? (uint64_t)s->a->order : f->plan->p->hash.lo + op->eqn);
    x->source = -1;
    x->target = -1;
    for (uint32_t i = 0; i < s->a->perm.n; i += 2) {
        if (s->a->perm.v[i + 1] == x->me)
            x->source = s->a->perm.v[i];
        if (s->a->perm.v[i] == x->me)
            x->target = s->a->perm.v[i + 1];
    }
    return true;
}

bool frame_exchange(Frame *f, const Op *op, bool *out_done)
{
    wf_ctx *cx = f->root->cx;
    Comm *c = cx->comm;
    ArenaMark mark = arena_mark(&cx->scratch);
    Exchange x;
    bool ok = true;

    *out_done = false;
    if (c && c->exchange_on && f->plan->device->link)
        ok = exchange_of(f, op, &x) && c->exchange_on(c, cx, f->root->queue, &x, out_done);
    arena_reset(&cx->scratch, mark);
    return ok;
}

static bool run_exchange(Frame *f, const Op *op, bool goes_on)
{
    CollectiveStep *s = op->data;
    Comm *c = f->root->cx->comm;
    Arena *scratch = &f->root->cx->scratch;
    ArenaMark mark = arena_mark(scratch);
    Exchange x;
    bool ok;

    if (!exchange_of(f, op, &x))
        return false;
    ok = goes_on && c->begin ? c->begin(c, f->root->cx, &x, &s->going) : c->exchange(c, f->root->cx, &x);
    arena_reset(scratch, mark);
    return ok;
}

static bool run_collective(Frame *f, const Op *op) { return run_exchange(f, op, false); }
static bool run_begin(Frame *f, const Op *op) { return run_exchange(f, op, true); }

static bool run_finish(Frame *f, const Op *op)
{
    CollectiveStep *s = op->data;
    wf_ctx *cx = f->root->cx;
    void *going = s->going;
    JobSpan span = {0};

    s->going = NULL;
    if (!going)
        return true;
    if (!cx->comm->finish(cx->comm, cx, going, op_place(f, op), &span))
        return false;
    if (cx->profile && span.start > 0)
        profile_beside(f, op, span.start, span.end);
    return true;
}

static int64_t product(const int64_t *dims, uint32_t from, uint32_t to)
{
    int64_t n = 1;

    for (uint32_t i = from; i < to; i++)
        n *= dims[i];
    return n;
}

bool bind_collective(Bind *b)
{
    CollectiveStep *s = arena_zalloc(b->a, sizeof *s);
    const CollectiveAttr *a = b->attr;
    Val v = bind_in(b, 0), y = bind_out(b, 0);
    const int64_t *dims = bind_dims(b, v), *out = bind_dims(b, y);
    uint32_t rank = bind_rank(b, v), at = (uint32_t)a->at, to = (uint32_t)a->to;
    Op *op;

    s->a = a;
    s->x = (Exchange){
        .op = (OpCode)b->e->op, .dtype = bind_dtype(b, v), .count = bind_count(b, v)};
    if (b->e->op == OP_all_gather) {
        s->x.outer = product(dims, 0, at);
        s->x.inner = product(dims, at, rank);
    } else if (b->e->op == OP_reduce_scatter || b->e->op == OP_all_to_all) {
        s->x.outer = product(dims, 0, at);
        s->x.inner = product(dims, at + 1, rank);
        s->x.outer2 = product(out, 0, to);
        s->x.inner2 = product(out, to + 1, bind_rank(b, y));
    }
    op = bind_op(b, run_collective, s);
    op->kind = OP_RUNS_COLLECTIVE;
    for (uint32_t g = 0; g < b->plan->ngoing; g++)
        if (b->plan->going[g].eqn == b->eqn) {
            op->run = run_begin;
            b->begun[g] = s;
        }
    bind_use(b, op, v, USE_READ);
    bind_use(b, op, y, USE_WRITE);
    return true;
}

/* Uses: the operand, which nothing may be written over, and the result. */
void bind_finish(Bind *b, uint32_t going)
{
    const uint32_t n = b->plan->going[going].eqn;
    const Eqn *e = &b->p->eqns[n];
    Op *op = bind_op(b, run_finish, b->begun[going]);

    op->eqn = n;
    if (b->plan->val[eqn_in(b->p, e)[0]].store != b->plan->val[e->out].store) /* the result is in its place */
        bind_use(b, op, eqn_in(b->p, e)[0], USE_READ);
    bind_use(b, op, e->out, USE_READ);
}

static bool run_axis_index(Frame *f, const Op *op)
{
    const CollectiveStep *s = op->data;
    Arena *scratch = &f->root->cx->scratch;
    ArenaMark mark = arena_mark(scratch);
    Exchange x = {0};
    bool ok = find_group(f, op, s->a, &x);

    if (ok)
        *(int32_t *)op_at(f, op, 0) = (int32_t)x.me;
    arena_reset(scratch, mark);
    return ok;
}

bool bind_axis_index(Bind *b)
{
    CollectiveStep *s = arena_zalloc(b->a, sizeof *s);
    Op *op;

    s->a = b->attr;
    op = bind_op(b, run_axis_index, s);
    bind_use(b, op, bind_out(b, 0), USE_WRITE);
    return true;
}

/* ---- what devices compute of what they brought --------------------------------------- */

static void copy(void *to, int64_t i, const void *from, int64_t j, int64_t n, size_t size)
{
    if (n)
        memcpy((char *)to + (size_t)i * size, (const char *)from + (size_t)j * size,
               (size_t)n * size);
}

Combine exchange_how(const Exchange *x)
{
    return x->op == OP_pmax ? COMBINE_MAX : x->op == OP_pmin ? COMBINE_MIN : COMBINE_SUM;
}

/* n elements of all, from element `from` on, into out from element `to` on. */
static bool reduce_run(const Exchange *x, const Exchange *const *all, int64_t from,
                       int64_t n, void *out, int64_t to)
{
    const size_t size = wf_dtype_size(x->dtype);
    const void *in[64];
    int m = 0;

    out = (char *)out + (size_t)to * size;
    for (int64_t k = 0; k < x->n; k++) {
        in[m++] = (const char *)all[k]->in + (size_t)from * size;
        if (m < 64 && k + 1 < x->n)
            continue;
        if (!comm_combine(exchange_how(x), x->dtype, out, in, m, n))
            return false;
        in[0] = out;
        m = 1;
    }
    return true;
}

bool exchange_reduce(const Exchange *x, const Exchange *const *all)
{
    const size_t size = wf_dtype_size(x->dtype);
    int64_t from = x->count * x->me / x->n, to = x->count * (x->me + 1) / x->n;

    if (x->op == OP_reduce_scatter) {
        for (int64_t o = 0; o < x->outer; o++)
            if (!reduce_run(x, all, (o * x->n + x->me) * x->inner, x->inner, x->out, o * x->inner))
                return false;
        return true;
    }
    if (!reduce_run(x, all, from, to - from, x->out, from))
        return false;
    for (int64_t k = 0; k < x->n; k++)
        if (k != x->me)
            copy(all[k]->out, from, x->out, from, to - from, size);
    return true;
}

/* y[q_o, k, q_i] = x_k[r_o, me, r_i], where q and r count the same elements */
static void move_all_to_all(const Exchange *x, const Exchange *const *all, size_t size)
{
    int64_t run = MIN(x->inner, x->inner2);

    for (int64_t k = 0; k < x->n && run; k++)
        for (int64_t r = 0; r < x->outer * x->inner; r += run)
            copy(x->out, (r / x->inner2 * x->n + k) * x->inner2 + r % x->inner2,
                 all[k]->in, (r / x->inner * x->n + x->me) * x->inner + r % x->inner, run,
                 size);
}

void exchange_move(const Exchange *x, const Exchange *const *all)
{
    size_t size = wf_dtype_size(x->dtype);

    if (x->op == OP_all_gather) {
        for (int64_t o = 0; o < x->outer; o++)
            for (int64_t k = 0; k < x->n; k++)
                copy(x->out, (o * x->n + k) * x->inner, all[k]->in, o * x->inner,
                     x->inner, size);
    } else if (x->op == OP_all_to_all) {
        move_all_to_all(x, all, size);
    } else if (x->source >= 0) {
        copy(x->out, 0, all[x->source]->in, 0, x->count, size);
    } else if (x->count) {
        memset(x->out, 0, (size_t)x->count * size);
    }
}
