/* step_collective.c -- collectives of a device among others: the group it talks to, the
 * sizes, and the arithmetic. Who brings the devices together is the context's Comm; without
 * one the axis is not bound. Uses: the operand (none of axis_index), the result. */
#include "runtime/comm.h"

typedef struct CollectiveStep {
    const CollectiveAttr *a;
    Exchange x; /* what does not depend on the device */
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

static bool run_collective(Frame *f, const Op *op)
{
    const CollectiveStep *s = op->data;
    Arena *scratch = &f->root->cx->scratch;
    ArenaMark mark = arena_mark(scratch);
    Exchange x = s->x;
    bool ok;

    if (!find_group(f, op, s->a, &x))
        return false;
    x.in = op_at(f, op, 0);
    x.out = op_at(f, op, 1);
    x.place = op_place(f, op);
    x.what = hash_mix(hash_mix((uint64_t)x.op << 8 | x.dtype, (uint64_t)x.count),
                      f->plan->p->hash.lo + op->eqn);
    x.source = -1;
    for (uint32_t i = 0; i < s->a->perm.n; i += 2)
        if (s->a->perm.v[i + 1] == x.me)
            x.source = s->a->perm.v[i];
    ok = f->root->cx->comm->exchange(f->root->cx->comm, f->root->cx, &x);
    arena_reset(scratch, mark);
    return ok;
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
    bind_use(b, op, v, USE_READ);
    bind_use(b, op, y, USE_WRITE);
    return true;
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

/* ---- arithmetic --------------------------------------------------------------------- */

/* Element i of out; of a reduce_scatter [outer, me, inner] of in. */
static int64_t place_in(const Exchange *x, int64_t i)
{
    return x->op == OP_reduce_scatter
               ? (i / x->inner * x->n + x->me) * x->inner + i % x->inner
               : i;
}

#define LARGER(a, b)  ((a) != (a) || (a) > (b) ? (a) : (b))
#define SMALLER(a, b) ((a) != (a) || (a) < (b) ? (a) : (b))
#define SUM(a, b)     ((a) + (b))

/* load and store: of element k at p, as an S */
#define REDUCE(name, S, load, store)                                                     \
    static void reduce_##name(const Exchange *x, const Exchange *const *all,             \
                              int64_t from, int64_t to, void *const *out)                \
    {                                                                                    \
        for (int64_t i = from; i < to; i++) {                                            \
            int64_t at = place_in(x, i);                                                 \
            S s = load(all[0]->in, at);                                                  \
                                                                                         \
            for (int64_t k = 1; k < x->n; k++) {                                         \
                S v = load(all[k]->in, at);                                              \
                                                                                         \
                s = x->op == OP_pmax   ? LARGER(s, v)                                    \
                    : x->op == OP_pmin ? SMALLER(s, v)                                   \
                                       : (S)SUM(s, v);                                   \
            }                                                                            \
            for (int64_t k = 0; k < (x->op == OP_reduce_scatter ? 1 : x->n); k++)        \
                store(out[k], i, s);                                                     \
        }                                                                                \
    }
#define GET(T) ((const T *)p)[i]
#define PLAIN(name, T)                                                                   \
    static T get_##name(const void *p, int64_t i) { return GET(T); }                     \
    static void set_##name(void *p, int64_t i, T v) { ((T *)p)[i] = v; }                 \
    REDUCE(name, T, get_##name, set_##name)
#define HALF(name, to_float, from_float)                                                 \
    static float get_##name(const void *p, int64_t i)                                    \
    {                                                                                    \
        return to_float(GET(uint16_t));                                                  \
    }                                                                                    \
    static void set_##name(void *p, int64_t i, float v)                                  \
    {                                                                                    \
        ((uint16_t *)p)[i] = from_float(v);                                              \
    }                                                                                    \
    REDUCE(name, float, get_##name, set_##name)
PLAIN(f32, float)
PLAIN(f64, double)
PLAIN(i8, int8_t)
PLAIN(i16, int16_t)
PLAIN(i32, int32_t)
PLAIN(i64, int64_t)
PLAIN(u8, uint8_t)
PLAIN(u16, uint16_t)
PLAIN(u32, uint32_t)
PLAIN(u64, uint64_t)
HALF(f16, f16_to_f32, f16_from_f32)
HALF(bf16, bf16_to_f32, bf16_from_f32)

bool exchange_reduce(const Exchange *x, const Exchange *const *all, int64_t from,
                     int64_t to, void *const *out)
{
    wf_dtype t = x->dtype;
    Exchange pairs = *x;

    if (t == WF_C64 || t == WF_C128) { /* two numbers each */
        pairs.dtype = t == WF_C64 ? WF_F32 : WF_F64;
        pairs.inner *= 2;
        return exchange_reduce(&pairs, all, 2 * from, 2 * to, out);
    }
    /* sums of integers wrap */
    if (x->op != OP_pmax && x->op != OP_pmin)
        t = t == WF_I8    ? WF_U8
            : t == WF_I16 ? WF_U16
            : t == WF_I32 ? WF_U32
            : t == WF_I64 ? WF_U64
                          : t;
    switch (t) {
    case WF_F32: reduce_f32(x, all, from, to, out); return true;
    case WF_F64: reduce_f64(x, all, from, to, out); return true;
    case WF_F16: reduce_f16(x, all, from, to, out); return true;
    case WF_BF16: reduce_bf16(x, all, from, to, out); return true;
    case WF_I8: reduce_i8(x, all, from, to, out); return true;
    case WF_I16: reduce_i16(x, all, from, to, out); return true;
    case WF_I32: reduce_i32(x, all, from, to, out); return true;
    case WF_I64: reduce_i64(x, all, from, to, out); return true;
    case WF_U8: reduce_u8(x, all, from, to, out); return true;
    case WF_U16: reduce_u16(x, all, from, to, out); return true;
    case WF_U32: reduce_u32(x, all, from, to, out); return true;
    case WF_U64: reduce_u64(x, all, from, to, out); return true;
    default: return false;
    }
}

static void copy(void *to, int64_t i, const void *from, int64_t j, int64_t n, size_t size)
{
    if (n)
        memcpy((char *)to + (size_t)i * size, (const char *)from + (size_t)j * size,
               (size_t)n * size);
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
