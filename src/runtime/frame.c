/* frame.c -- plans with sizes: memory is laid out, steps are bound to addresses, and run.
 *
 * Binding walks the equations of a segment in order: places the operands' memory is
 * known, results get memory (first the smallest free part that fits, else more at the
 * end), and the op's binder makes a step. What a plan says is free after an equation
 * returns to the free parts. The memory is allocated at the end, when its size is known;
 * addresses are offsets to it.
 *
 * A mistake found while binding (a slice beyond its operand, a size that overflows)
 * becomes a step that fails: it is reported if and when it is reached, as if sizes had
 * been looked at in order.
 */
#include "runtime/comm.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- messages ---------------------------------------------------------------------- */

bool op_fail(Frame *f, const Op *op, wf_status status, const char *fmt, ...)
{
    char text[1024];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return fail(f->root->cx, status, op_place(f, op), "%s: %s",
                op_name(f->plan->p->eqns[op->eqn].op), text);
}

static bool run_failure(Frame *f, const Op *op)
{
    return op_fail(f, op, (wf_status)op->n, "%s", (const char *)op->data);
}

bool bind_fail(Bind *b, wf_status status, const char *fmt, ...)
{
    va_list ap;
    const char *text;

    va_start(ap, fmt);
    text = arena_vprintf(b->a, fmt, ap);
    va_end(ap);
    bind_op(b, run_failure, (void *)(uintptr_t)text)->n = status;
    b->failed = true;
    return false;
}

/* ---- memory of a segment ----------------------------------------------------------- */

static int64_t take_memory(Bind *b, int64_t size)
{
    return parts_take(b->root->cx, &b->mem, size);
}

Ref bind_workspace(Bind *b, size_t size)
{
    int64_t off;

    if (size > INT64_MAX - ALIGN)
        ctx_out_of_memory(b->root->cx);
    off = take_memory(b, (int64_t)size);
    vec_push(b->a, &b->temps, ((BlockPart){off, (int64_t)size}));
    return (Ref){b->seg_index, off};
}

/* From the top: what steps before this one use is theirs in the next run, too. */
Ref bind_kept(Bind *b, size_t size)
{
    int64_t off = b->mem.top;

    if (size > INT64_MAX - ALIGN ||
        !add_i64(b->mem.top, (int64_t)((size + ALIGN - 1) / ALIGN * ALIGN), &b->mem.top))
        ctx_out_of_memory(b->root->cx);
    return (Ref){b->seg_index, off};
}

Ref bind_constant(Bind *b, const void *data, size_t size, Val v)
{
    Ref at = {base_const(b->plan), (int64_t)(uintptr_t)data};

    if (frame_is_away(b->f)) {
        at = bind_kept(b, size);
        vec_push(b->a, &b->seg->uploads, ((Upload){at, data, (int64_t)size, v}));
    }
    return at;
}

/* ---- what binders ask -------------------------------------------------------------- */

/* NULL, with a step that fails, if a size is negative or too large. */
static const int64_t *find_dims(Bind *b, uint32_t type)
{
    Frame *f = b->f;
    Type t = b->p->types[type];
    int64_t *dims, count, bytes;
    bool fixed = true;

    if (f->dims[type])
        return f->dims[type];
    for (uint32_t i = 0; i < t.rank; i++)
        fixed = fixed && t.dims[i] >= 0;
    dims = fixed ? (int64_t *)(uintptr_t)t.dims
                 : arena_array(b->a, t.rank + 1u, sizeof *dims);
    if (!t.rank)
        dims = (int64_t *)(uintptr_t)f->symvals; /* any address */
    for (uint32_t i = 0; i < t.rank && !fixed; i++) {
        dims[i] = t.dims[i] >= 0 ? t.dims[i] : f->nodes[-t.dims[i] - 1];
        if (dims[i] < 0)
            return NULL;
    }
    if (!type_size((wf_dtype)t.dtype, dims, t.rank, &count, &bytes))
        return NULL;
    f->dims[type] = dims;
    f->dims_seg[type] = b->seg_index;
    return dims;
}

const int64_t *bind_dims(Bind *b, Val v) { return b->f->dims[b->p->vals[v].type]; }

int64_t bind_count(Bind *b, Val v)
{
    return k_count((int)bind_rank(b, v), bind_dims(b, v));
}

int64_t bind_bytes(Bind *b, Val v)
{
    return bind_count(b, v) * (int64_t)wf_dtype_size(bind_dtype(b, v));
}

const int64_t *bind_strides(Bind *b, Val v, int64_t *room)
{
    if (b->f->loc[v].stride)
        return b->f->loc[v].stride;
    if (!bind_count(b, v)) /* products of the other sizes may overflow */
        return memset(room, 0, MAX_RANK * sizeof *room);
    k_row_major((int)bind_rank(b, v), bind_dims(b, v), room);
    return room;
}

Op *bind_op(Bind *b, bool (*run)(Frame *f, const Op *op), void *data)
{
    vec_push(b->a, &b->seg->ops, ((Op){.run = run, .data = data, .eqn = b->eqn}));
    return &b->seg->ops.v[b->seg->ops.n - 1];
}

Use use_strided(Ref at, size_t size, uint32_t rank, const int64_t *dims,
                const int64_t *stride, Val v, UseKind kind)
{
    Use u = {at, 0, 0, v, (uint8_t)kind, false};

    if (!k_count((int)rank, dims))
        return u;
    if (!stride) {
        u.high = k_count((int)rank, dims) * (int64_t)size;
        return u;
    }
    for (uint32_t i = 0; i < rank; i++) {
        int64_t reach = (dims[i] - 1) * stride[i] * (int64_t)size;
        *(reach < 0 ? &u.low : &u.high) += reach;
    }
    u.high += (int64_t)size;
    u.gaps = u.high - u.low != k_count((int)rank, dims) * (int64_t)size;
    return u;
}

uint32_t bind_use_at(Bind *b, Op *op, Use use)
{
    vec_push(b->a, &op->use, use);
    return op->use.n - 1;
}

uint32_t bind_use_bytes(Bind *b, Op *op, Ref at, int64_t bytes, Val v, UseKind kind)
{
    return bind_use_at(b, op, (Use){at, 0, bytes, v, (uint8_t)kind, false});
}

/* Of a size that is not known yet: all of its block. */
Use bind_use_of(Bind *b, Val v, UseKind kind)
{
    Loc at = b->f->loc[v];

    if (!bind_dims(b, v))
        return (Use){at.at, 0, USE_TO_END, v, (uint8_t)kind, false};
    return use_strided(at.at, wf_dtype_size(bind_dtype(b, v)), bind_rank(b, v),
                       bind_dims(b, v), at.stride, v, kind);
}

uint32_t bind_use(Bind *b, Op *op, Val v, UseKind kind)
{
    return bind_use_at(b, op, bind_use_of(b, v, kind));
}

/* ---- binding ----------------------------------------------------------------------- */

/* Bytes from the first element of the concatenation a store is part of to its own; -1:
 * sizes are beyond bounds, and the concatenation will say so. */
static int64_t part_offset(Bind *b, const Store *s)
{
    const Eqn *e = &b->p->eqns[s->concat];
    int64_t off = 0;

    if (!find_dims(b, b->p->vals[e->out].type))
        return -1;
    for (uint32_t i = 0; i < s->operand; i++) {
        Val x = eqn_in(b->p, e)[i];
        if (!find_dims(b, b->p->vals[x].type))
            return -1;
        off += bind_bytes(b, x);
    }
    if (s->spread) /* which begin within the first of what comes before the joined axis */
        for (int64_t a = 0; a < ((const AxisAttr *)e->attr)->axis && off; a++)
            off /= bind_dims(b, e->out)[a];
    return off;
}

/* Strides of a value that lies in a concatenation with gaps; NULL: it has none. */
static const int64_t *spread_strides(Bind *b, Val v)
{
    const Store *s = &b->plan->store[b->plan->val[v].store];
    int64_t all[MAX_RANK], to[MAX_RANK];
    const Eqn *e;
    Val x;

    if (!s->inside || !s->spread || part_offset(b, s) < 0)
        return NULL;
    e = &b->p->eqns[s->concat];
    x = eqn_in(b->p, e)[s->operand];
    if (!find_dims(b, b->p->vals[x].type))
        return NULL;
    k_row_major((int)bind_rank(b, e->out), bind_dims(b, e->out), all);
    if (!bind_reshaped(bind_rank(b, x), bind_dims(b, x), all, bind_rank(b, v), bind_dims(b, v), to))
        return NULL;
    return arena_dup(b->a, to, bind_rank(b, v) * sizeof *to);
}

/* Does an earlier result of this equation lie in the store, too? */
static bool is_placed(const Bind *b, Val v, uint32_t s)
{
    for (Val u = b->e->out; u < v; u++) {
        uint32_t t = b->plan->val[u].store;
        while (t != s && b->plan->store[t].inside)
            t = b->plan->store[t].inside - 1;
        if (t == s)
            return true;
    }
    return false;
}

/* The home of a value its equation writes: a new one, unless the store is written again,
 * in place, or another part of it was written before. */
static Ref find_home(Bind *b, Val v)
{
    uint32_t s = b->plan->val[v].store;
    const Store *st = &b->plan->store[s];
    int64_t off = 0, more;
    Home *h;

    while (st->inside && (more = part_offset(b, st)) >= 0) {
        off += more;
        s = st->inside - 1;
        st = &b->plan->store[s];
    }
    h = &b->f->home[s];
    if (st->kind == STORE_DYN)
        return (Ref){base_dyn(b->plan, st->index), 0};
    if (st->kind == STORE_OUT)
        return (Ref){base_out(b->plan, st->index), off};
    if (st->kind == STORE_IN)
        return (Ref){base_in(b->plan, st->index), off};
    if (st->first == b->eqn && !is_placed(b, v, s)) {
        h->size = bind_bytes(b, st->val);
        h->at = (Ref){b->seg_index, take_memory(b, h->size)};
    }
    return (Ref){h->at.base, h->at.off + off};
}

/* Where results go. Aliases are where their operand is; views and constants are placed by
 * their binder. */
static bool place_results(Bind *b)
{
    const Eqn *e = b->e;

    for (uint32_t j = 0; j < e->nout; j++) {
        Val v = e->out + j;
        ValKind kind = (ValKind)b->plan->val[v].kind;
        bool dyn = b->plan->store[b->plan->val[v].store].kind == STORE_DYN;

        if (!find_dims(b, b->p->vals[v].type) && !(dyn && kind == VAL_OWN))
            return bind_fail(b, WF_ERR_SHAPE, "the size of result %u cannot be computed",
                             j);
        if (kind == VAL_ALIAS && e->nin)
            b->f->loc[v] = b->f->loc[bind_in(b, j)];
        else if (kind == VAL_OWN)
            b->f->loc[v] = (Loc){find_home(b, v), spread_strides(b, v)};
    }
    return true;
}

/* An equation that only makes empty results, and cannot fail or be seen otherwise. */
static bool is_nothing(Bind *b)
{
    if (!bind_row(b->e->op).total)
        return false;
    for (uint32_t j = 0; j < b->e->nout; j++)
        if (bind_count(b, bind_out(b, j)))
            return false;
    return true;
}

static void bind_equation(Bind *b)
{
    const OpRow *row = op_row(b->e->op);
    void *attr = (void *)(uintptr_t)b->e->attr;
    bool (*binder)(Bind * b) = bind_row(b->e->op).bind;

    /* operands may be of types whose size became known by a symbol defined meanwhile */
    for (uint32_t i = 0; i < b->e->nin; i++)
        if (!find_dims(b, b->p->vals[bind_in(b, i)].type)) {
            bind_fail(b, WF_ERR_SHAPE, "the size of operand %u cannot be computed", i);
            return;
        }
    if (b->p->dims.nodes.n && attr &&
        !attr_concrete(row, b->e->attr, b->a, &b->p->dims, b->f->symvals, &attr)) {
        bind_fail(b, WF_ERR_SHAPE, "a size in its attributes cannot be computed");
        return;
    }
    b->attr = attr;
    if (eqn_is_odd(b->p, b->e) && !bind_row(b->e->op).pairs)
        binder = bind_eval;
    if (place_results(b) && !is_nothing(b))
        (binder ? binder : bind_eval)(b);
}

/* Steps that may run side by side do not, if one has the memory of the other. */
static void give_memory(Bind *b, int64_t off, int64_t size)
{
    const Target *t = b->plan->device->target;

    if (!t || !t->apart_bytes) {
        parts_give(&b->mem, off, size);
        return;
    }
    vec_push(b->a, &b->late, ((BlockPart){off, size}));
    b->late_bytes += size;
    while (b->late_bytes > t->apart_bytes) {
        BlockPart *p = &b->late.v[b->nlate++];

        parts_give(&b->mem, p->off, p->size);
        b->late_bytes -= p->size;
    }
}

static void free_after(Bind *b)
{
    const Plan *plan = b->plan;

    for (uint32_t i = 0; i < b->temps.n; i++)
        give_memory(b, b->temps.v[i].off, b->temps.v[i].size);
    b->temps.n = 0;
    for (uint32_t i = plan->free_at[b->eqn]; i < plan->free_at[b->eqn + 1]; i++) {
        const Home *h = &b->f->home[plan->free_list[i]];
        give_memory(b, h->at.off, h->size);
    }
}

/* A device may still read what steps hold. */
static void free_segment(Root *r, Device *d, Segment *s)
{
    if (s->mem && d->sync)
        d->sync(
            d, r->queue->impl); /* that it failed will be said by who waits for results */
    arena_free(&s->arena);
    device_free(d, r->queue, &r->al, s->mem, s->mem_size);
    s->mem = NULL;
    s->mem_size = 0;
    s->bound = false;
}

static void forget_replay(Frame *f)
{
    if (f->replay)
        f->plan->device->forget(f->plan->device, f);
}

/* Types whose sizes were found in this segment, or later, the last time are to be found
 * again. */
static void forget_dims(Frame *f, uint32_t seg)
{
    for (uint32_t i = 0; i < f->plan->p->ntypes; i++)
        if (f->dims[i] && f->dims_seg[i] >= seg)
            f->dims[i] = NULL;
}

/* Results that are inputs, or were made in an earlier segment. */
static void find_result_dims(Bind *b)
{
    b->eqn = MAX(b->p->neqns, 1) - 1;
    for (uint32_t j = 0; j < b->p->nout; j++)
        if (!find_dims(b, b->p->vals[b->p->outs[j]].type)) {
            bind_fail(b, WF_ERR_SHAPE, "the size of result %u of '%s' cannot be computed",
                      j, b->p->name);
            return;
        }
}

static bool upload(Frame *f, const Segment *s)
{
    Root *r = f->root;

    for (uint32_t i = 0; i < s->uploads.n; i++) {
        const Upload *u = &s->uploads.v[i];

        if (!queue_copy(r->cx, f->plan->device, r->queue, frame_at(f, u->to), u->from,
                        (size_t)u->bytes, COPY_IN))
            return false;
    }
    return true;
}

#define WORK_OF_STEP 1024 /* bytes that could be moved while one is begun */

/* What a compiler would spare in part: loops and calls count by what they run, and products, which are kernels anyway, not. */
static int64_t segment_work(const Segment *s)
{
    int64_t work = 0;

    for (uint32_t i = 0; i < s->ops.n; i++) {
        const Op *op = &s->ops.v[i];

        work += WORK_OF_STEP;
        if (op->ncallees || op->kind == OP_RUNS_DOT || op->kind == OP_RUNS_CONV || op->kind == OP_RUNS_ATTENTION)
            continue;
        for (uint32_t j = 0; j < op->use.n; j++)
            if (op->use.v[j].kind != USE_WORK && op->use.v[j].high != USE_TO_END)
                work += op->use.v[j].high - op->use.v[j].low;
    }
    return work;
}

/* Those that must be over before the current equation; at the end, all that go on. */
static void bind_finishes(Bind *b)
{
    for (uint32_t g = 0; g < b->plan->ngoing; g++)
        if (b->plan->going[g].before == b->eqn && b->begun[g])
            bind_finish(b, g);
}

static void bind_segment(Frame *f, uint32_t index)
{
    Root *r = f->root;
    Segment *s = &f->seg[index];
    uint32_t first = index ? f->plan->seg_end[index - 1] : 0;
    BlockPart free[PARTS_MOST];
    Bind b = {.f = f,
              .plan = f->plan,
              .p = f->plan->p,
              .root = r,
              .seg = s,
              .seg_index = index,
              .a = &s->arena,
              .mem.free = free};

    forget_replay(f);
    free_segment(r, f->plan->device, s);
    arena_init(&s->arena, &r->al, r->cx);
    s->ops.v = NULL;
    s->ops.n = s->ops.cap = 0;
    s->uploads.v = NULL;
    s->uploads.n = s->uploads.cap = 0;
    forget_dims(f, index);
    dims_eval_all(&b.p->dims, f->symvals, f->nodes);
    b.begun = arena_zalloc(b.a, (f->plan->ngoing + 1) * sizeof *b.begun);
    for (b.eqn = first; b.eqn < f->plan->seg_end[index] && !b.failed; b.eqn++) {
        b.e = &b.p->eqns[b.eqn];
        bind_finishes(&b);
        bind_equation(&b);
        free_after(&b);
    }
    if (!b.failed)
        bind_finishes(&b);
    if (index == f->plan->nsegs - 1 && !b.failed)
        find_result_dims(&b);
    s->mem = device_alloc(f->plan->device, r->queue, &r->al, (size_t)b.mem.top);
    if (!s->mem) {
        device_no_memory(r->cx, f->plan->device, (size_t)b.mem.top);
        ctx_out_of_memory(r->cx);
    }
    s->mem_size = (size_t)b.mem.top;
    f->base[index] = (uintptr_t)s->mem;
    if (frame_is_away(f))
        frame_make_mirrors(f, index);
    s->bound = upload(f, s);
    s->work = segment_work(s);
    s->failed = b.failed;
    s->checked = false;
}

void frame_bind(Frame *f)
{
    for (uint32_t s = 0; s < f->plan->nsegs; s++)
        if (!f->seg[s].bound)
            bind_segment(f, s);
}

/* ---- running ----------------------------------------------------------------------- */

void frame_define(Frame *f, Dim sym, int64_t value)
{
    int64_t *at = &f->symvals[dim_node(&f->plan->p->dims, sym)->sym];
    uint32_t now = f->now;

    if (*at == value)
        return;
    *at = value;
    for (uint32_t s = now + 1; s < f->plan->nsegs; s++)
        f->seg[s].bound = false;
}

void frame_dyn_reserve(Frame *f, uint32_t block, size_t size, size_t keep)
{
    Block *k = &f->dyn[block];
    Root *r = f->root;

    if (!k->p || k->size < size) {
        void *p = device_alloc(&device_host, NULL, &r->al, size);
        if (!p)
            ctx_out_of_memory(r->cx);
        if (keep)
            memcpy(p, k->p, keep);
        device_free(&device_host, NULL, &r->al, k->p, k->size);
        *k = (Block){p, size};
    }
    f->base[base_dyn(f->plan, block)] = (uintptr_t)k->p;
}

bool frame_steps(Frame *f)
{
    wf_ctx *cx = f->root->cx;
    bool away = frame_is_away(f);

    for (f->now = 0; f->now < f->plan->nsegs; f->now++) {
        Segment *s = &f->seg[f->now];
        if (!s->bound) {
            bind_segment(f, f->now);
            if (!s->bound)
                return false;
        }
        for (uint32_t i = 0; i < s->ops.n; i++) {
            const Op *op = &s->ops.v[i];
            if (cancelled(cx))
                return fail(cx, WF_ERR_CANCELLED, op_place(f, op),
                            "the run was cancelled");
            if (!(UNLIKELY(cx->profile != NULL) ? profile_op(f, op)
                  : UNLIKELY(away)              ? frame_run_op(f, op)
                                                : op->run(f, op)))
                return false;
        }
        f->root->work += s->work;
    }
    return true;
}

static int64_t val_bytes(const Frame *f, Val v)
{
    Type t = val_type(f->plan->p, v);

    return k_count(t.rank, f->dims[f->plan->p->vals[v].type]) *
           (int64_t)wf_dtype_size((wf_dtype)t.dtype);
}

bool frame_results(Frame *f)
{
    const Plan *plan = f->plan;

    for (uint32_t j = 0; j < plan->p->nout; j++) {
        Val v = plan->p->outs[j];

        if (!plan->out_direct[j] &&
            !frame_copy(f, (void *)f->base[base_out(plan, j)], frame_at(f, f->loc[v].at),
                        val_bytes(f, v)))
            return false;
    }
    return true;
}

bool frame_run(Frame *f) { return frame_steps(f) && frame_results(f); }

/* ---- frames ------------------------------------------------------------------------ */

static void free_frame(Root *r, Frame *f)
{
    if (!f)
        return;
    forget_replay(f);
    for (uint32_t s = 0; f->seg && s < f->plan->nsegs; s++)
        free_segment(r, f->plan->device, &f->seg[s]);
    for (uint32_t k = 0; f->dyn && k < f->plan->ndyn; k++)
        device_free(&device_host, NULL, &r->al, f->dyn[k].p, f->dyn[k].size);
    for (uint32_t k = 0; f->mirrors && k < base_dyn(f->plan, 0); k++)
        device_free(&device_host, NULL, &r->al, f->mirrors[k].p, f->mirrors[k].size);
    arena_free(&f->arena);
    mem_free(&r->al, f, sizeof *f);
}

/* Everything in it is in the frame's own arena; *slot holds it from the start. */
static Frame *new_frame(Root *r, const Plan *plan, Frame **slot)
{
    const Program *p = plan->p;
    Frame *f = mem_alloc(&r->al, sizeof *f);
    Arena *a;

    if (!f)
        ctx_out_of_memory(r->cx);
    *f = (Frame){.root = r, .plan = plan};
    *slot = f;
    a = &f->arena;
    arena_init(a, &r->al, r->cx);
    f->seg = arena_zalloc(a, plan->nsegs * sizeof *f->seg);
    f->dyn = arena_zalloc(a, (plan->ndyn + 1) * sizeof *f->dyn);
    f->symvals = arena_array(a, p->dims.syms.n + 1, sizeof *f->symvals);
    f->nodes = arena_array(a, p->dims.nodes.n + 1, sizeof *f->nodes);
    f->dims = arena_zalloc(a, (p->ntypes + 1) * sizeof *f->dims);
    f->dims_seg = arena_zalloc(a, (p->ntypes + 1) * sizeof *f->dims_seg);
    f->loc = arena_zalloc(a, (p->nvals + 1) * sizeof *f->loc);
    f->home = arena_array(a, plan->nstores + 1, sizeof *f->home);
    f->base = arena_zalloc(a, (base_dyn(plan, plan->ndyn) + 1) * sizeof *f->base);
    if (!plan->device->host_reads) {
        f->mirror = arena_zalloc(a, (base_dyn(plan, 0) + 1) * sizeof *f->mirror);
        f->mirrors = arena_zalloc(a, (base_dyn(plan, 0) + 1) * sizeof *f->mirrors);
    }
    for (uint32_t i = 0; i < p->nin; i++)
        f->loc[i + 1].at = (Ref){base_in(plan, i), 0};
    return f;
}

static bool has_sizes(const Frame *f, const int64_t *symvals)
{
    const Dims *d = &f->plan->p->dims;

    for (uint32_t i = 0; i < d->syms.n; i++)
        if (d->syms.v[i].origin != SYM_EQN && f->symvals[i] != symvals[i])
            return false;
    return true;
}

static void set_sizes(Frame *f, const int64_t *symvals)
{
    const Dims *d = &f->plan->p->dims;

    for (uint32_t i = 0; i < d->syms.n; i++)
        f->symvals[i] = d->syms.v[i].origin == SYM_EQN ? -1 : symvals[i];
    for (uint32_t s = 0; s < f->plan->nsegs; s++)
        f->seg[s].bound = false;
}

Frame *root_find(const Root *r, const Plan *plan, const int64_t *symvals)
{
    Frame **at = r->frames + (size_t)plan->index * ROOT_FRAMES;

    for (int i = 0; i < ROOT_FRAMES && at[i]; i++)
        if (has_sizes(at[i], symvals))
            return at[i];
    return NULL;
}

Frame *root_frame(Root *r, const Plan *plan, const int64_t *symvals)
{
    Frame **at = r->frames + (size_t)plan->index * ROOT_FRAMES, **oldest = at;

    for (int i = 0; i < ROOT_FRAMES; i++) {
        if (!at[i]) {
            oldest = &at[i];
            break;
        }
        if (has_sizes(at[i], symvals)) {
            at[i]->used = ++r->clock;
            return at[i];
        }
        if (at[i]->used < (*oldest)->used)
            oldest = &at[i];
    }
    if (!*oldest)
        new_frame(r, plan, oldest);
    set_sizes(*oldest, symvals);
    (*oldest)->used = ++r->clock;
    return *oldest;
}

/* The pool is made when work is first split. */
static void run_parallel(void *ctx, int n, void (*fn)(void *user, int i), void *user)
{
    Root *r = ctx;

    pool_run_most(ctx_threads(r->cx), r->threads, n, fn, user);
}

Root *root_new(wf_ctx *cx, const wf_allocator *al, uint32_t nplans, uint32_t nins,
               uint32_t nouts)
{
    Root *r = mem_alloc(al, sizeof *r);
    size_t size = (size_t)nplans * ROOT_FRAMES * sizeof(Frame *);
    size_t kept = (size_t)nouts * KEPT * sizeof(Buffer *);
    size_t copies = (size_t)nins * sizeof(Array *);

    if (!r)
        return NULL;
    *r = (Root){.cx = cx,
                .al = *al,
                .nplans = nplans,
                .nins = nins,
                .nouts = nouts,
                .loops = k_loops(),
                .kernels = kernels_best()};
    r->frames = mem_alloc(al, size + 1);
    r->kept = mem_alloc(al, kept + 1);
    r->copies = mem_alloc(al, copies + 1);
    if (!r->frames || !r->kept || !r->copies) {
        mem_free(al, r->frames, size + 1);
        mem_free(al, r->kept, kept + 1);
        mem_free(al, r->copies, copies + 1);
        mem_free(al, r, sizeof *r);
        return NULL;
    }
    memset(r->frames, 0, size);
    memset(r->kept, 0, kept);
    memset(r->copies, 0, copies);
    arena_init(&r->scratch, al, cx);
    r->checks = getenv("WEFT_CHECK_PLANS") != NULL;
    r->wish = ctx_wish(cx);
    r->threads = r->wish ? MIN(r->wish, THREADS_MAX) : cpu_count();
    r->par = (KPar){r, r->threads, run_parallel};
    return r;
}

size_t root_bytes(const Root *r)
{
    size_t n = 0;

    for (size_t i = 0; i < (size_t)r->nplans * ROOT_FRAMES; i++) {
        const Frame *f = r->frames[i];

        for (uint32_t s = 0; f && s < f->plan->nsegs; s++)
            n += f->seg[s].mem_size;
        for (uint32_t k = 0; f && k < f->plan->ndyn; k++)
            n += f->dyn[k].size;
    }
    return n;
}

void root_free(Root *r)
{
    size_t n;
    wf_allocator al;

    if (!r)
        return;
    teams_free(r);
    n = (size_t)r->nplans * ROOT_FRAMES;
    for (size_t i = 0; i < n; i++)
        free_frame(r, r->frames[i]);
    al = r->al;
    for (size_t i = 0; i < (size_t)r->nouts * KEPT; i++)
        buffer_unkeep(r->kept[i]);
    mem_free(&al, r->kept, (size_t)r->nouts * KEPT * sizeof(Buffer *) + 1);
    mem_free(&al, r->copies, (size_t)r->nins * sizeof(Array *) + 1);
    queue_release(r->queue);
    arena_free(&r->scratch);
    mem_free(&al, r->frames, n * sizeof(Frame *) + 1);
    mem_free(&al, r, sizeof *r);
}
