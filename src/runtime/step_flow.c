/* step_flow.c -- sub-programs: call cond while scan.
 *
 * A sub-program runs in a frame of its own, one for each program and sizes, whichever
 * equation calls it: programs do not call themselves, so it is never in use twice.
 * Operands and results are passed by address. Carries of a loop are written into one of
 * two buffers in turn, never copied; or into one, where the body reads the carry for the
 * last time before it writes it (plan_carry_in_place). Rows of scanned arrays are passed
 * where they are.
 */
#include "opt/recognise.h"
#include "runtime/step.h"

/* ---- a sub-program and its sizes --------------------------------------------------- */

/* The binds of s are numbers here. Which uses its inputs and results are is to be said. */
static Callee callee_of(Bind *b, const Sub *s, uint32_t **in, uint32_t **out)
{
    Callee c = {plan_sub(b->plan, s->p),
                arena_dup(b->a, s->binds.v, s->binds.n * sizeof(int64_t)), NULL, NULL};

    c.in = *in = arena_array(b->a, s->p->nin + 1, sizeof **in);
    c.out = *out = arena_array(b->a, s->p->nout + 1, sizeof **out);
    return c;
}

static Frame *open_callee(Frame *f, const Callee *c)
{
    Frame *g = root_frame(f->root, c->plan, c->symvals);

    g->nfixed = 0;
    return g;
}
static void set_in(Frame *g, uint32_t i, const void *p)
{
    g->base[base_in(g->plan, i)] = (uintptr_t)p;
}
static void set_out(Frame *g, uint32_t j, void *p)
{
    g->base[base_out(g->plan, j)] = (uintptr_t)p;
}

/* An error inside was recorded; say where it was called from. */
static bool called_here(Frame *f, const Op *op, const Callee *c)
{
    if (f->root->cx->status != WF_ERR_MEMORY)
        fail_note(f->root->cx, op_place(f, op), "in %s of '%s'",
                  op_name(f->plan->p->eqns[op->eqn].op), c->plan->p->name);
    return false;
}

/* ---- call, cond -------------------------------------------------------------------- */

static bool run_callee(Frame *f, const Op *op, const Callee *c)
{
    Frame *g = open_callee(f, c);

    for (uint32_t i = 0; i < c->plan->p->nin; i++)
        set_in(g, i, op_at(f, op, c->in[i]));
    for (uint32_t j = 0; j < c->plan->p->nout; j++)
        set_out(g, j, op_at(f, op, c->out[j]));
    return frame_run(g) || called_here(f, op, c);
}

/* What use 0 holds. */
static bool read_here(Frame *f, const Op *op, void *to, size_t n)
{
    return frame_read(f, op_at(f, op, 0), n, to);
}

static bool run_call(Frame *f, const Op *op) { return run_callee(f, op, op->callee); }

static bool run_cond(Frame *f, const Op *op)
{
    bool flag = val_type(f->plan->p, op->use.v[0].val).dtype == WF_BOOL;
    uint8_t byte;
    int32_t i;

    if (!(flag ? read_here(f, op, &byte, 1) : read_here(f, op, &i, sizeof i)))
        return false;
    if (flag)
        i = byte != 0;
    return run_callee(f, op, &op->callee[i < 0 ? 0 : MIN((uint32_t)i, op->ncallees - 1)]);
}

/* Operands from `first` on are the callees' inputs: one use each, in[i]; then results. */
static Op *add_call(Bind *b, bool (*run)(Frame *f, const Op *op), const Sub *subs,
                    uint32_t n, uint32_t first, const Use *in)
{
    Callee *callee = arena_array(b->a, n + 1, sizeof *callee);
    uint32_t nin = b->e->nin, *to, *from;
    Op *op = bind_op(b, run, NULL);

    for (uint32_t i = 0; i < nin; i++)
        bind_use_at(b, op, in[i]);
    for (uint32_t j = 0; j < b->e->nout; j++)
        bind_use(b, op, bind_out(b, j), USE_WRITE);
    for (uint32_t k = 0; k < n; k++) {
        callee[k] = callee_of(b, &subs[k], &to, &from);
        for (uint32_t i = first; i < nin; i++)
            to[i - first] = i;
        for (uint32_t j = 0; j < b->e->nout; j++)
            from[j] = nin + j;
    }
    op->callee = callee;
    op->ncallees = n;
    return op;
}

static Use *operand_uses(Bind *b)
{
    Use *in = arena_array(b->a, b->e->nin + 1u, sizeof *in);

    for (uint32_t i = 0; i < b->e->nin; i++)
        in[i] = bind_use_of(b, bind_in(b, i), USE_READ);
    return in;
}

/* Operands in whose memory a result lies are copied first. */
static void keep_operands(Bind *b, Use *in)
{
    for (uint32_t i = 0; i < b->e->nin; i++)
        for (uint32_t j = 0; j < b->e->nout; j++) {
            Ref from = in[i].at, to = bind_ref(b, bind_out(b, j));

            if (from.base != to.base || from.off != to.off)
                continue;
            in[i].at = bind_workspace(b, (size_t)in[i].high);
            in[i].val = 0;
            bind_copy_to(b, bind_in(b, i), in[i].at);
        }
}

bool bind_call(Bind *b)
{
    const Sub *body = reuse_call_body(b->e->op, b->attr);
    const PlanCode *code = plan_sub(b->plan, body->p)->code;
    Use *in;

    if (code && bind_kernel(b, code, body))
        return true;
    if (!code && b->e->op == OP_call && ((const CallAttr *)b->attr)->kind != KIND_PLAIN &&
        (bind_attention(b, b->attr) || (!frame_is_away(b->f) && (bind_rows(b, b->attr) || bind_codes(b, b->attr)))))
        return true;
    in = operand_uses(b);
    if (code) /* the kernel could have written in place, its equations may not */
        keep_operands(b, in);
    add_call(b, run_call, body, 1, 0, in)->kind = OP_RUNS_CALL;
    return true;
}

bool bind_cond(Bind *b)
{
    Subs branches = ((const CondAttr *)b->attr)->branches;

    add_call(b, run_cond, branches.v, branches.n, 1, operand_uses(b))->kind =
        OP_RUNS_COND;
    return true;
}

/* ---- loops ------------------------------------------------------------------------- */

/* Uses: the operands in their order, the results, second buffers of carries. */
static Op *add_loop(Bind *b, bool (*run)(Frame *f, const Op *op), LoopStep *s,
                    const Sub *body)
{
    uint32_t first = s->consts + s->nconst;
    const Plan *plan = plan_sub(b->plan, body->p);
    Op *op = bind_op(b, run, s);

    for (uint32_t i = 0; i < b->e->nin; i++)
        bind_use(b, op, bind_in(b, i), USE_READ);
    for (uint32_t j = 0; j < b->e->nout; j++)
        bind_use(b, op, bind_out(b, j), USE_WRITE);
    for (uint32_t i = 0; i < s->ncarry; i++) {
        Carry *c = &s->carry[i];

        *c = (Carry){first + i, b->e->nin + i, b->e->nin + i,
                     bind_bytes(b, bind_out(b, i))};
        if (!plan_carry_in_place(plan, s->nconst + i, i))
            c->spare = bind_use_bytes(b, op, bind_workspace(b, (size_t)c->bytes),
                                      c->bytes, 0, USE_WORK);
    }
    for (uint32_t i = 0; i < s->nconst; i++)
        s->known[i] = op->use.v[s->consts + i].at.base == base_const(b->plan);
    return op;
}

/* A carry that has one buffer is where the body writes it. */
static uint32_t carry_in(const Carry *c)
{
    return c->spare == c->out ? c->out : c->start;
}

/* The body; n: of callees, for the condition too. */
static Callee *add_body(Bind *b, Op *op, const Sub *body, uint32_t n)
{
    const LoopStep *s = op->data;
    Callee *c = arena_array(b->a, n, sizeof *c);
    uint32_t *in, *out, first = s->nconst + s->ncarry;

    c[0] = callee_of(b, body, &in, &out);
    for (uint32_t i = 0; i < s->nconst; i++)
        in[i] = s->consts + i;
    for (uint32_t i = 0; i < s->ncarry; i++) {
        in[s->nconst + i] = carry_in(&s->carry[i]);
        out[i] = s->carry[i].out;
    }
    for (uint32_t i = 0; i < s->nxs; i++)
        in[first + i] = s->xs[i].use;
    for (uint32_t j = 0; j < s->nys; j++)
        out[s->ncarry + j] = s->ys[j].use;
    op->callee = c;
    op->ncallees = n;
    return c;
}

static LoopStep *loop_step(Bind *b, uint32_t first_const, uint32_t nconst,
                           uint32_t ncarry)
{
    LoopStep *s = arena_zalloc(b->a, sizeof *s);

    s->consts = first_const;
    s->nconst = nconst;
    s->ncarry = ncarry;
    s->nxs = b->e->nin - first_const - nconst - ncarry;
    s->nys = b->e->nout - ncarry;
    s->known = arena_array(b->a, nconst + 1, sizeof *s->known);
    s->carry = arena_array(b->a, ncarry + 1, sizeof *s->carry);
    s->xs = arena_array(b->a, s->nxs + 1, sizeof *s->xs);
    s->ys = arena_array(b->a, s->nys + 1, sizeof *s->ys);
    return s;
}

/* Bytes of a row of v, whose first axis is the loop's. */
static int64_t row_bytes(Bind *b, Val v)
{
    const Dim *dims = val_type(b->p, v).dims;
    int64_t row[MAX_RANK], count, bytes;

    for (uint32_t i = 1; i < bind_rank(b, v); i++)
        if (!dim_eval(&b->p->dims, dims[i], b->f->symvals, &row[i]) || row[i] < 0)
            return -1;
    return type_size(bind_dtype(b, v), row + 1, bind_rank(b, v) - 1, &count, &bytes)
               ? bytes
               : -1;
}

/* ---- scan -------------------------------------------------------------------------- */

/* The result of turn t lies so that the last one is in place. */
static char *carry_after(Frame *f, const Op *op, const Carry *c, int64_t t)
{
    const LoopStep *s = op->data;

    return op_at(f, op, (s->length - 1 - t) % 2 ? c->spare : c->out);
}

static char *row_at(Frame *f, const Op *op, const StepRows *r, int64_t row)
{
    return (char *)op_at(f, op, r->use) + row * r->bytes;
}

static bool scan_turn(Frame *f, const Op *op, Frame *g, int64_t t)
{
    const LoopStep *s = op->data;
    int64_t row = s->reverse ? s->length - 1 - t : t;
    uint32_t first = s->nconst + s->ncarry;

    for (uint32_t i = 0; i < s->nconst; i++)
        set_in(g, i, op_at(f, op, s->consts + i));
    for (uint32_t i = 0; i < s->ncarry; i++) {
        const Carry *c = &s->carry[i];
        set_in(g, s->nconst + i,
               t ? carry_after(f, op, c, t - 1) : op_at(f, op, c->start));
        set_out(g, i, carry_after(f, op, c, t));
    }
    for (uint32_t i = 0; i < s->nxs; i++)
        set_in(g, first + i, row_at(f, op, &s->xs[i], row));
    for (uint32_t j = 0; j < s->nys; j++)
        set_out(g, s->ncarry + j, row_at(f, op, &s->ys[j], row));
    return frame_run(g) || called_here(f, op, op->callee);
}

#define MANY_TURNS 16 /* of a loop: it pays to pack what is the same in all */

static bool run_scan(Frame *f, const Op *op)
{
    const LoopStep *s = op->data;
    Frame *g = s->length > 0 ? open_callee(f, op->callee) : NULL;

    if (s->length >= MANY_TURNS) {
        g->nfixed = s->nconst;
        g->known = s->known;
        g->entry = ++f->root->entries;
    }
    for (int64_t t = 0; t < s->length; t++) {
        if (cancelled(f->root->cx))
            return op_fail(f, op, WF_ERR_CANCELLED, "the run was cancelled");
        if (!scan_turn(f, op, g, t))
            return false;
    }
    for (uint32_t i = 0; i < s->ncarry && s->length <= 0; i++)
        if (!frame_copy(f, op_at(f, op, s->carry[i].out), op_at(f, op, s->carry[i].start),
                        s->carry[i].bytes))
            return false;
    return true;
}

bool bind_scan(Bind *b)
{
    const ScanAttr *a = b->attr;
    LoopStep *s = loop_step(b, 0, (uint32_t)a->nconst, (uint32_t)a->ncarry);
    uint32_t first = s->nconst + s->ncarry;
    Op *op;

    s->length = a->length;
    s->reverse = a->reverse;
    for (uint32_t i = 0; i < s->nxs; i++)
        s->xs[i] = (StepRows){first + i, row_bytes(b, bind_in(b, first + i)), 0};
    for (uint32_t j = s->ncarry; j < b->e->nout; j++)
        s->ys[j - s->ncarry] = (StepRows){b->e->nin + j, row_bytes(b, bind_out(b, j)), 0};
    op = add_loop(b, run_scan, s, &a->body);
    op->kind = OP_RUNS_SCAN;
    add_body(b, op, &a->body, 1);
    return true;
}

/* ---- while ------------------------------------------------------------------------- */

/* Where the carry is before turn t. */
static char *carry_before(Frame *f, const Op *op, const Carry *c, int64_t t)
{
    return op_at(f, op, t == 0 ? c->start : t % 2 ? c->out : c->spare);
}

static bool go_on(Frame *f, const Op *op, Frame *h, int64_t t, uint8_t *out_flag)
{
    const LoopStep *s = op->data;

    for (uint32_t i = 0; i < s->ncond; i++)
        set_in(h, i, op_at(f, op, s->cond_const + i));
    for (uint32_t i = 0; i < s->ncarry; i++)
        set_in(h, s->ncond + i, carry_before(f, op, &s->carry[i], t));
    set_out(h, 0, s->flag == NO_USE ? out_flag : op_at(f, op, s->flag));
    if (!frame_run(h))
        return called_here(f, op, &op->callee[1]);
    return s->flag == NO_USE || frame_read(f, op_at(f, op, s->flag), 1, out_flag);
}

/* Room for row t of every stacked result, twice as much each time. */
static void reserve_rows(Frame *f, const LoopStep *s, int64_t t)
{
    for (uint32_t j = 0; j < s->nys; j++) {
        const StepRows *y = &s->ys[j];
        int64_t used = t * y->bytes, need;
        if (!mul_i64(t + 1, y->bytes, &need) || need > INT64_MAX / 2)
            ctx_out_of_memory(f->root->cx);
        if (!t || f->dyn[y->block].size < (size_t)need)
            frame_dyn_reserve(f, y->block, (size_t)(t ? 2 * need : need), (size_t)used);
    }
}

static bool while_turn(Frame *f, const Op *op, Frame *g, int64_t t)
{
    const LoopStep *s = op->data;

    for (uint32_t i = 0; i < s->nconst; i++)
        set_in(g, i, op_at(f, op, s->consts + i));
    for (uint32_t i = 0; i < s->ncarry; i++) {
        set_in(g, s->nconst + i, carry_before(f, op, &s->carry[i], t));
        set_out(g, i, op_at(f, op, t % 2 ? s->carry[i].spare : s->carry[i].out));
    }
    if (s->trips != DIM_NONE)
        reserve_rows(f, s, t);
    for (uint32_t j = 0; j < s->nys; j++)
        set_out(g, s->ncarry + j, row_at(f, op, &s->ys[j], t));
    return frame_run(g) || called_here(f, op, op->callee);
}

/* Carries to their results; rows that were not reached are zero. */
static bool end_while(Frame *f, const Op *op, int64_t turns)
{
    const LoopStep *s = op->data;

    for (uint32_t i = 0; i < s->ncarry; i++)
        if (!frame_copy(f, op_at(f, op, s->carry[i].out),
                        carry_before(f, op, &s->carry[i], turns), s->carry[i].bytes))
            return false;
    for (uint32_t j = 0; j < s->nys && s->length >= 0; j++)
        if (!frame_zero(f, row_at(f, op, &s->ys[j], turns),
                        (s->length - turns) * s->ys[j].bytes))
            return false;
    for (uint32_t j = 0; j < s->nys && s->trips != DIM_NONE && !turns; j++)
        frame_dyn_reserve(f, s->ys[j].block, 0, 0);
    if (s->trips != DIM_NONE)
        frame_define(f, s->trips, turns);
    return true;
}

static bool run_while(Frame *f, const Op *op)
{
    const LoopStep *s = op->data;
    Frame *h = open_callee(f, &op->callee[1]), *g = open_callee(f, op->callee);
    int64_t t = 0;

    for (; s->length < 0 || t < s->length; t++) {
        uint8_t flag = 0;
        if (cancelled(f->root->cx))
            return op_fail(f, op, WF_ERR_CANCELLED, "the run was cancelled");
        if (!go_on(f, op, h, t, &flag))
            return false;
        if (!flag)
            break;
        if (!while_turn(f, op, g, t))
            return false;
    }
    return end_while(f, op, t);
}

/* The condition gives a bool: nowhere in the frame if the host can write it. */
static void add_condition(Bind *b, Op *op, const Sub *cond, Callee *to)
{
    LoopStep *s = op->data;
    uint32_t *in, *out;

    s->flag = NO_USE;
    if (frame_is_away(b->f))
        s->flag = bind_use_bytes(b, op, bind_workspace(b, 1), 1, 0, USE_WORK);

    *to = callee_of(b, cond, &in, &out);
    for (uint32_t i = 0; i < s->ncond; i++)
        in[i] = s->cond_const + i;
    for (uint32_t i = 0; i < s->ncarry; i++)
        in[s->ncond + i] = carry_in(&s->carry[i]);
    out[0] = s->flag;
}

bool bind_while(Bind *b)
{
    const WhileAttr *a = b->attr;
    uint32_t ncond = (uint32_t)a->ncond, nbody = (uint32_t)a->nbody;
    LoopStep *s = loop_step(b, ncond, nbody, b->e->nin - ncond - nbody);
    Op *op;

    s->ncond = ncond;
    s->length = a->bound == DIM_NONE ? -1 : a->bound;
    s->trips = ((const WhileAttr *)b->e->attr)->trips;
    for (uint32_t j = 0; j < s->nys; j++) {
        Val v = bind_out(b, s->ncarry + j);
        s->ys[j] = (StepRows){b->e->nin + s->ncarry + j, row_bytes(b, v),
                          b->plan->store[b->plan->val[v].store].index};
        if (s->ys[j].bytes < 0)
            return bind_fail(b, WF_ERR_SHAPE, "the size of a row cannot be computed");
    }
    op = add_loop(b, run_while, s, &a->body);
    op->kind = OP_RUNS_WHILE;
    add_condition(b, op, &a->cond, &add_body(b, op, &a->body, 2)[1]);
    return true;
}
