/* flatten.c -- bound frames as data: the steps of a small program, one after another.
 *
 *   requires   all sizes are known; the kernels it calls are given
 *   gives      a Straight (codegen.h), or NULL where a step is nothing that C can do
 *   method     The program is planned and bound as if it were to be run by one thread.
 *              That says which memory every step reads and writes: views, results in
 *              place, memory used again. Sub-programs are bound in turn, and their memory
 *              comes after that of the others. Each step is written down with its places.
 */
#include "compile/compile.h"
#include "runtime/step.h"

typedef struct FrameAt { /* where in block 0 the memory of a frame is */
    const Frame *f;
    int64_t off;
} FrameAt;

typedef struct Flatten {
    wf_ctx *cx;
    Arena *a;
    const Target *target;
    bool exact;
    Root *root;
    Straight *s;
    VEC(FrameAt) frames;
    VEC(Kernel *) parts;
    VEC(const void *) consts;
    uint32_t first_const; /* block of the first */
    uint32_t steps;
    int64_t pack;
} Flatten;

/* The places of a frame's bases. */
typedef struct Bases {
    Frame *f;
    Spot *in, *out;
    int64_t mem;
} Bases;

static uint32_t new_block(Flatten *x) { return x->s->nblocks++; }

static Spot take(Flatten *x, int64_t bytes)
{
    Spot s = {0, x->s->tmp_bytes};

    x->s->tmp_bytes += (bytes + ALIGN - 1) / ALIGN * ALIGN;
    return s;
}

static int64_t segment_bytes(const Frame *f, uint32_t s)
{
    return ((int64_t)f->seg[s].mem_size + ALIGN - 1) / ALIGN * ALIGN;
}

/* One segment after the other. */
static int64_t frame_memory(Flatten *x, const Frame *f)
{
    FrameAt at = {f, 0};
    int64_t bytes = 0;

    for (uint32_t i = 0; i < x->frames.n; i++)
        if (x->frames.v[i].f == f)
            return x->frames.v[i].off;
    for (uint32_t s = 0; s < f->plan->nsegs; s++)
        bytes += segment_bytes(f, s);
    at.off = take(x, bytes).off;
    vec_push(x->a, &x->frames, at);
    return at.off;
}

static uint32_t const_block(Flatten *x, const void *p)
{
    for (uint32_t i = 0; i < x->consts.n; i++)
        if (x->consts.v[i] == p)
            return x->first_const + i;
    vec_push(x->a, &x->consts, p);
    return x->first_const + x->consts.n - 1;
}

static Spot spot_of(Flatten *x, const Bases *b, Ref r)
{
    const Plan *plan = b->f->plan;
    Spot s;

    if (r.base < base_const(plan)) {
        s = (Spot){0, b->mem + r.off};
        for (uint32_t i = 0; i < r.base; i++)
            s.off += segment_bytes(b->f, i);
        return s;
    }
    if (r.base == base_const(plan))
        return (Spot){const_block(x, (const void *)(uintptr_t)r.off), 0};
    s = r.base < base_out(plan, 0) ? b->in[r.base - base_in(plan, 0)]
                                   : b->out[r.base - base_out(plan, 0)];
    s.off += r.off;
    return s;
}

static Spot use_spot(Flatten *x, const Bases *b, const Op *op, uint32_t use)
{
    return spot_of(x, b, op->use.v[use].at);
}

static bool flat_frame(Flatten *x, Frame *f, Spot *in, Spot *out, FlatList *to);

/* ---- steps ------------------------------------------------------------------------- */

static uint32_t part_of(Flatten *x, const Kernel *k)
{
    for (uint32_t i = 0; i < x->parts.n; i++)
        if (x->parts.v[i]->p == k->p && (k->p || render_dot_equal(x->parts.v[i]->dot, k->dot)))
            return i;
    vec_push(x->a, &x->parts, (Kernel *)(uintptr_t)k);
    return x->parts.n - 1;
}

static bool flat_kernel(Flatten *x, const Bases *b, const Op *op, Flat *f)
{
    const KernelStep *s = op->data;
    Spot *array = arena_array(x->a, s->narrays + 1, sizeof *array);

    if (s->tasks != 1 || s->code->kernel->nparams || s->code->kernel->straight)
        return false;
    for (uint32_t i = 0; i < s->narrays; i++)
        array[i] = use_spot(x, b, op, i);
    x->s->loops = x->s->loops || s->code->kernel->scalar;
    f->kind = FLAT_KERNEL;
    f->n = part_of(x, s->code->kernel);
    f->units = s->code->kernel->scalar ? 1 : s->size.units;
    f->array = array;
    f->narrays = s->narrays;
    f->with = use_spot(x, b, op, s->narrays);
    f->from = use_spot(x, b, op, s->narrays + 1);
    return true;
}

/* One column is one row, the other way round. */
static void turn_column(KMatmul *m, Flat *f)
{
    Spot s = f->from;
    int64_t row = m->a_row, col = m->a_col;

    if (m->n != 1 || m->m == 1 || m->c_row != 1)
        return;
    f->from = f->with;
    f->with = s;
    m->a_row = m->b_col;
    m->a_col = m->b_row;
    m->b_row = col;
    m->b_col = row;
    m->n = m->c_row = m->m;
    m->m = 1;
    for (int i = 0; i < m->nbatch; i++) {
        int64_t step = m->a_batch[i];

        m->a_batch[i] = m->b_batch[i];
        m->b_batch[i] = step;
    }
}

static bool flat_dot(Flatten *x, const Bases *b, const Op *op, Flat *f)
{
    const DotStep *s = op->data;
    KMatmul *m = arena_dup(x->a, &s->m, sizeof *m);
    Kernel *k = kernel_new(x->a, x->target, NULL, x->exact);

    if (!x->target->has_dot || !x->target->has_dot(x->target, m))
        return false;
    f->kind = FLAT_DOT;
    f->to = use_spot(x, b, op, DOT_OUT);
    f->from = use_spot(x, b, op, DOT_X);
    f->with = use_spot(x, b, op, DOT_Y);
    turn_column(m, f);
    k->dot = m;
    k->wide = m->c_type == KT_F64;
    kernel_plan_walks(k, x->a);
    f->n = part_of(x, k);
    x->pack = MAX(x->pack, render_dot_scratch(m));
    return true;
}

static bool flat_plain(Flatten *x, const Bases *b, const Op *op, Flat *f)
{
    const Program *p = b->f->plan->p;

    f->to = use_spot(x, b, op, op->use.n - 1);
    f->n = op->n;
    switch (op->kind) {
    case OP_RUNS_SET: f->kind = FLAT_SET; return true;
    case OP_RUNS_MOVE:
        f->kind = FLAT_MOVE;
        f->move = arena_dup(x->a, op->data, sizeof(KMove));
        break;
    default:
        f->kind = FLAT_FILL;
        f->size = wf_dtype_size((wf_dtype)val_type(p, p->eqns[op->eqn].out).dtype);
        break;
    }
    f->from = use_spot(x, b, op, 0);
    return true;
}

/* ---- sub-programs ------------------------------------------------------------------ */

static bool flat_callee(Flatten *x, const Callee *c, Spot *in, Spot *out, FlatList *to)
{
    return !c->plan->code &&
           flat_frame(x, root_frame(x->root, c->plan, c->symvals), in, out, to);
}

/* Of a call or a branch, which gets all that it uses as it is. */
static bool flat_branch(Flatten *x, const Bases *b, const Op *op, const Callee *c,
                        FlatList *to)
{
    const Program *p = c->plan->p;
    Spot *in = arena_array(x->a, p->nin + 1, sizeof *in);
    Spot *out = arena_array(x->a, p->nout + 1, sizeof *out);

    for (uint32_t i = 0; i < p->nin; i++)
        in[i] = use_spot(x, b, op, c->in[i]);
    for (uint32_t j = 0; j < p->nout; j++)
        out[j] = use_spot(x, b, op, c->out[j]);
    return flat_callee(x, c, in, out, to);
}

static bool flat_cond(Flatten *x, const Bases *b, const Op *op, Flat *f)
{
    f->kind = FLAT_COND;
    f->dtype = val_type(b->f->plan->p, op->use.v[0].val).dtype;
    f->from = use_spot(x, b, op, 0);
    f->n = op->ncallees;
    f->branch = arena_zalloc(x->a, (op->ncallees + 1) * sizeof *f->branch);
    for (uint32_t i = 0; i < op->ncallees; i++)
        if (!flat_branch(x, b, op, &op->callee[i], &f->branch[i]))
            return false;
    return true;
}

static void flat_rows(Flatten *x, const Bases *b, const Op *op, const StepRows *r, uint32_t n,
                      FlatRows *rows, Spot *spots)
{
    for (uint32_t i = 0; i < n; i++) {
        rows[i] = (FlatRows){use_spot(x, b, op, r[i].use), r[i].bytes, new_block(x)};
        spots[i] = (Spot){rows[i].block, 0};
    }
}

static FlatLoop *flat_loop(Flatten *x, const Bases *b, const Op *op)
{
    const LoopStep *s = op->data;
    FlatLoop *l = arena_zalloc(x->a, sizeof *l);

    l->length = s->length;
    l->reverse = s->reverse;
    l->ncarry = s->ncarry;
    l->nxs = s->nxs;
    l->nys = s->nys;
    l->carry = arena_array(x->a, s->ncarry + 1, sizeof *l->carry);
    l->rows = arena_array(x->a, s->nxs + s->nys + 1, sizeof *l->rows);
    for (uint32_t i = 0; i < s->ncarry; i++) {
        const Carry *c = &s->carry[i];

        l->carry[i] = (FlatCarry){use_spot(x, b, op, c->start),
                                  use_spot(x, b, op, c->out),
                                  use_spot(x, b, op, c->spare),
                                  c->bytes,
                                  new_block(x),
                                  new_block(x)};
    }
    return l;
}

/* Carries of a scan that takes no turn are copied. */
static void copy_carries(Flatten *x, const FlatLoop *l, FlatList *to)
{
    for (uint32_t i = 0; i < l->ncarry; i++)
        vec_push(x->a, to,
                 ((Flat){.kind = FLAT_COPY,
                         .to = l->carry[i].out,
                         .from = l->carry[i].start,
                         .n = l->carry[i].bytes}));
}

static bool flat_body(Flatten *x, const Bases *b, const Op *op, FlatLoop *l)
{
    const LoopStep *s = op->data;
    uint32_t nin = s->nconst + s->ncarry + s->nxs, nout = s->ncarry + s->nys;
    Spot *in = arena_array(x->a, nin + 1, sizeof *in);
    Spot *out = arena_array(x->a, nout + 1, sizeof *out);

    for (uint32_t i = 0; i < s->nconst; i++)
        in[i] = use_spot(x, b, op, s->consts + i);
    for (uint32_t i = 0; i < s->ncarry; i++) {
        in[s->nconst + i] = (Spot){l->carry[i].before, 0};
        out[i] = (Spot){l->carry[i].after, 0};
    }
    flat_rows(x, b, op, s->xs, s->nxs, l->rows, in + s->nconst + s->ncarry);
    flat_rows(x, b, op, s->ys, s->nys, l->rows + s->nxs, out + s->ncarry);
    return flat_callee(x, op->callee, in, out, &l->body);
}

static bool flat_scan(Flatten *x, const Bases *b, const Op *op, Flat *f, FlatList *to)
{
    const LoopStep *s = op->data;
    FlatLoop *l = flat_loop(x, b, op);

    f->kind = FLAT_LOOP;
    f->loop = l;
    x->s->loops = true;
    if (s->length > 0)
        return flat_body(x, b, op, l);
    copy_carries(x, l, to);
    *f = (Flat){.kind = FLAT_COPY};
    return true;
}

static bool flat_while(Flatten *x, const Bases *b, const Op *op, Flat *f)
{
    const LoopStep *s = op->data;
    FlatLoop *l = flat_loop(x, b, op);
    Spot *in = arena_array(x->a, s->ncond + s->ncarry + 1, sizeof *in);

    if (s->trips != DIM_NONE)
        return false;
    f->kind = FLAT_LOOP;
    f->loop = l;
    x->s->loops = true;
    l->is_while = true;
    l->flag = take(x, 1);
    for (uint32_t i = 0; i < s->ncond; i++)
        in[i] = use_spot(x, b, op, s->cond_const + i);
    for (uint32_t i = 0; i < s->ncarry; i++)
        in[s->ncond + i] = (Spot){l->carry[i].before, 0};
    return flat_callee(x, &op->callee[1], in, &l->flag, &l->cond) &&
           flat_body(x, b, op, l);
}

/* ---- frames ------------------------------------------------------------------------ */

static bool flat_op(Flatten *x, const Bases *b, const Op *op, FlatList *to)
{
    Flat f = {0};
    bool ok = false;

    if (++x->steps > x->target->straight_most)
        return false;
    switch ((OpKind)op->kind) {
    case OP_RUNS_KERNEL: ok = flat_kernel(x, b, op, &f); break;
    case OP_RUNS_DOT: ok = flat_dot(x, b, op, &f); break;
    case OP_RUNS_MOVE:
    case OP_RUNS_FILL:
    case OP_RUNS_SET: ok = flat_plain(x, b, op, &f); break;
    case OP_RUNS_COND: ok = flat_cond(x, b, op, &f); break;
    case OP_RUNS_SCAN: ok = flat_scan(x, b, op, &f, to); break;
    case OP_RUNS_WHILE: ok = flat_while(x, b, op, &f); break;
    case OP_RUNS_CALL: return flat_branch(x, b, op, op->callee, to);
    default: break;
    }
    if (ok && (f.kind != FLAT_COPY || f.n))
        vec_push(x->a, to, f);
    return ok;
}

/* Results that no equation writes to their places. */
static void flat_results(Flatten *x, const Bases *b, FlatList *to)
{
    const Plan *plan = b->f->plan;

    for (uint32_t j = 0; j < plan->p->nout; j++) {
        Val v = plan->p->outs[j];
        Type t = val_type(plan->p, v);
        int64_t bytes = k_count(t.rank, b->f->dims[plan->p->vals[v].type]) *
                        (int64_t)wf_dtype_size((wf_dtype)t.dtype);

        if (!plan->out_direct[j] && bytes)
            vec_push(x->a, to,
                     ((Flat){.kind = FLAT_COPY,
                             .to = b->out[j],
                             .from = spot_of(x, b, b->f->loc[v].at),
                             .n = bytes}));
    }
}

static bool flat_frame(Flatten *x, Frame *f, Spot *in, Spot *out, FlatList *to)
{
    Bases b = {f, in, out, 0};

    if (f->plan->p->dims.syms.n || f->plan->ndyn)
        return false;
    frame_bind(f);
    b.mem = frame_memory(x, f);
    for (uint32_t s = 0; s < f->plan->nsegs; s++)
        for (uint32_t i = 0; i < f->seg[s].ops.n; i++)
            if (!flat_op(x, &b, &f->seg[s].ops.v[i], to))
                return false;
    flat_results(x, &b, to);
    return true;
}

/* ---- a program --------------------------------------------------------------------- */

static void no_run(const KernelArgs *k, int64_t begin, int64_t end)
{
    (void)k;
    (void)begin;
    (void)end;
}

static void no_end(const KernelArgs *k, int64_t n)
{
    (void)k;
    (void)n;
}

static void free_root(void *r) { root_free(r); }

static Root *one_thread(wf_ctx *cx, uint32_t nplans)
{
    Root *r = root_new(cx, &cx->al, nplans, 0, 0);

    if (!r)
        ctx_out_of_memory(cx);
    pool_defer(cx, free_root, r);
    r->threads = 1;
    r->par.threads = 1;
    return r;
}

/* In loops parts are called often: they are copies, compiled with the function. */
static void take_inside(Flatten *x)
{
    for (uint32_t i = 0; x->s->loops && i < x->parts.n; i++) {
        Kernel *k = arena_dup(x->a, x->parts.v[i], sizeof *k);

        k->part = arena_printf(x->a, "_%u", i);
        k->code = k;
        x->parts.v[i] = k;
    }
}

/* As the plan has it that the steps follow. */
static const bool *find_in_place(Flatten *x, const Plan *plan)
{
    uint32_t nin = plan->p->nin, nout = plan->p->nout;
    bool *ok = arena_zalloc(x->a, (size_t)nin * nout + 1);

    for (uint32_t i = 0; i < nin; i++)
        for (uint32_t j = 0; j < nout; j++)
            ok[i * nout + j] = plan_carry_in_place(plan, i, j);
    return ok;
}

const Straight *flatten_program(wf_ctx *cx, Arena *a, const Target *t, const Program *p,
                                bool exact, Kernel *const *k, uint32_t n)
{
    PlanCode *codes = arena_zalloc(a, (n + 1) * sizeof *codes);
    Plans plans = {.a = a, .codes = codes, .ncodes = n};
    Flatten x = {.cx = cx,
                 .a = a,
                 .target = t,
                 .exact = exact,
                 .s = arena_zalloc(a, sizeof(Straight))};
    uint32_t arrays = p->nin + p->nout;
    Spot *spots = arena_array(a, arrays + 1, sizeof *spots);
    const Plan *plan;

    for (uint32_t i = 0; i < n; i++)
        codes[i] =
            (PlanCode){.kernel = k[i], .run = no_run, .end = k[i]->parts ? no_end : NULL};
    plan = plan_make(cx, &plans, p, NULL, &device_host);
    x.root = one_thread(cx, plans.v.n);
    for (uint32_t i = 0; i < arrays; i++)
        spots[i] = (Spot){i + 1, 0};
    x.first_const = arrays + 1;
    x.s->nblocks = x.first_const + STRAIGHT_ARRAYS; /* room for constants */
    if (!flat_frame(&x, root_frame(x.root, plan, NULL), spots, spots + p->nin,
                    &x.s->steps) ||
        failed(cx) || arrays + x.consts.n > STRAIGHT_ARRAYS)
        return NULL;
    take_inside(&x);
    x.s->in_place = find_in_place(&x, plan);
    x.s->pack = take(&x, x.pack).off;
    x.s->part = x.parts.v;
    x.s->nparts = x.parts.n;
    x.s->consts = x.consts.v;
    x.s->nconsts = x.consts.n;
    return x.s->tmp_bytes <= t->straight_bytes ? x.s : NULL;
}
