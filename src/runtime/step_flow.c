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

/* The binds of s are numbers here. */
static Callee callee_of(Bind *b, const Sub *s)
{
    return (Callee){plan_sub(b->plan, s->p),
                    arena_dup(b->a, s->binds.v, s->binds.n * sizeof(int64_t))};
}

static Ref *refs_of_inputs(Bind *b, uint32_t first)
{
    Ref *r = arena_array(b->a, b->e->nin - first + 1, sizeof *r);

    for (uint32_t i = first; i < b->e->nin; i++)
        r[i - first] = bind_ref(b, bind_in(b, i));
    return r;
}

static Ref *refs_of_outputs(Bind *b)
{
    Ref *r = arena_array(b->a, b->e->nout + 1u, sizeof *r);

    for (uint32_t j = 0; j < b->e->nout; j++)
        r[j] = bind_ref(b, bind_out(b, j));
    return r;
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

static bool run_callee(Frame *f, const Op *op, const CallStep *s, const Callee *c)
{
    Frame *g = open_callee(f, c);

    for (uint32_t i = 0; i < s->nin; i++)
        set_in(g, i, frame_at(f, s->in[i]));
    for (uint32_t j = 0; j < s->nout; j++)
        set_out(g, j, frame_at(f, s->out[j]));
    return frame_run(g) || called_here(f, op, c);
}

static bool run_call(Frame *f, const Op *op)
{
    const CallStep *s = op->data;

    return run_callee(f, op, s, &s->callee[0]);
}

static bool run_cond(Frame *f, const Op *op)
{
    const CallStep *s = op->data;
    const void *p = frame_at(f, op->in[0]);
    int32_t i;

    if (s->index_dtype == WF_BOOL)
        i = *(const uint8_t *)p != 0;
    else
        memcpy(&i, p, sizeof i);
    return run_callee(f, op, s, &s->callee[i < 0 ? 0 : MIN((uint32_t)i, s->n - 1)]);
}

static CallStep *call_step(Bind *b, const Sub *subs, uint32_t n, uint32_t first)
{
    CallStep *s = arena_zalloc(b->a, sizeof *s + n * sizeof *s->callee);

    s->nin = b->e->nin - first;
    s->nout = b->e->nout;
    s->in = refs_of_inputs(b, first);
    s->out = refs_of_outputs(b);
    s->n = n;
    for (uint32_t i = 0; i < n; i++)
        s->callee[i] = callee_of(b, &subs[i]);
    return s;
}

/* Operands in whose memory a result lies are copied first. */
static void keep_operands(Bind *b, CallStep *s)
{
    for (uint32_t i = 0; i < s->nin; i++)
        for (uint32_t j = 0; j < s->nout; j++) {
            Ref from = s->in[i];

            if (from.base != s->out[j].base || from.off != s->out[j].off)
                continue;
            s->in[i] = bind_workspace(b, (size_t)bind_bytes(b, bind_in(b, i)));
            bind_copy_to(b, bind_in(b, i), s->in[i]);
        }
}

bool bind_call(Bind *b)
{
    const Sub *body = call_body(b->e->op, b->attr);
    const PlanCode *code = plan_sub(b->plan, body->p)->code;
    CallStep *s;

    if (code && bind_kernel(b, code, body))
        return true;
    if (!code && recognised_name(body->p->name) &&
        (bind_attention(b, body->p) || bind_rows(b, body->p)))
        return true;
    s = call_step(b, body, 1, 0);
    if (code) /* the kernel could have written in place, its equations may not */
        keep_operands(b, s);
    bind_op(b, run_call, s)->kind = OP_RUNS_CALL;
    return true;
}

bool bind_cond(Bind *b)
{
    Subs branches = ((const CondAttr *)b->attr)->branches;
    CallStep *s = call_step(b, branches.v, branches.n, 1);
    Op *op;

    s->index_dtype = bind_dtype(b, bind_in(b, 0));
    op = bind_op(b, run_cond, s);
    op->kind = OP_RUNS_COND;
    op->in[0] = bind_ref(b, bind_in(b, 0));
    return true;
}

/* ---- loops ------------------------------------------------------------------------- */

static LoopStep *loop_step(Bind *b, const Sub *body, uint32_t first_const,
                           uint32_t nconst, uint32_t ncarry)
{
    LoopStep *s = arena_zalloc(b->a, sizeof *s);
    uint32_t first = first_const + nconst;

    s->body = callee_of(b, body);
    s->nconst = nconst;
    s->ncarry = ncarry;
    s->nxs = b->e->nin - first - ncarry;
    s->nys = b->e->nout - ncarry;
    s->consts = refs_of_inputs(b, first_const);
    s->known = arena_array(b->a, nconst + 1, sizeof *s->known);
    for (uint32_t i = 0; i < nconst; i++)
        s->known[i] = s->consts[i].base == base_const(b->plan);
    s->carry = arena_array(b->a, ncarry + 1, sizeof *s->carry);
    s->xs = arena_array(b->a, s->nxs + 1, sizeof *s->xs);
    s->ys = arena_array(b->a, s->nys + 1, sizeof *s->ys);
    for (uint32_t i = 0; i < ncarry; i++) {
        Carry *c = &s->carry[i];
        c->start = bind_ref(b, bind_in(b, first + i));
        c->out = c->spare = bind_ref(b, bind_out(b, i));
        c->bytes = bind_bytes(b, bind_out(b, i));
        if (!plan_carry_in_place(s->body.plan, nconst + i, i))
            c->spare = bind_workspace(b, (size_t)c->bytes);
    }
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

static char *at(Frame *f, Ref r) { return frame_at(f, r); }

static void copy_bytes(void *to, const void *from, int64_t n)
{
    if (to != from && n)
        memcpy(to, from, (size_t)n);
}

/* ---- scan -------------------------------------------------------------------------- */

/* The result of turn t lies so that the last one is in place. */
static char *carry_after(Frame *f, const LoopStep *s, const Carry *c, int64_t t)
{
    return at(f, (s->length - 1 - t) % 2 ? c->spare : c->out);
}

static bool scan_turn(Frame *f, const Op *op, Frame *g, int64_t t)
{
    const LoopStep *s = op->data;
    int64_t row = s->reverse ? s->length - 1 - t : t;
    uint32_t first = s->nconst + s->ncarry;

    for (uint32_t i = 0; i < s->nconst; i++)
        set_in(g, i, at(f, s->consts[i]));
    for (uint32_t i = 0; i < s->ncarry; i++) {
        const Carry *c = &s->carry[i];
        set_in(g, s->nconst + i, t ? carry_after(f, s, c, t - 1) : at(f, c->start));
        set_out(g, i, carry_after(f, s, c, t));
    }
    for (uint32_t i = 0; i < s->nxs; i++)
        set_in(g, first + i, at(f, s->xs[i].at) + row * s->xs[i].bytes);
    for (uint32_t j = 0; j < s->nys; j++)
        set_out(g, s->ncarry + j, at(f, s->ys[j].at) + row * s->ys[j].bytes);
    return frame_run(g) || called_here(f, op, &s->body);
}

#define MANY_TURNS 16 /* of a loop: it pays to pack what is the same in all */

static bool run_scan(Frame *f, const Op *op)
{
    const LoopStep *s = op->data;
    Frame *g = s->length > 0 ? open_callee(f, &s->body) : NULL;

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
        copy_bytes(at(f, s->carry[i].out), at(f, s->carry[i].start), s->carry[i].bytes);
    return true;
}

bool bind_scan(Bind *b)
{
    const ScanAttr *a = b->attr;
    LoopStep *s = loop_step(b, &a->body, 0, (uint32_t)a->nconst, (uint32_t)a->ncarry);
    uint32_t first = s->nconst + s->ncarry;

    s->length = a->length;
    s->reverse = a->reverse;
    for (uint32_t i = 0; i < s->nxs; i++)
        s->xs[i] = (Rows){bind_ref(b, bind_in(b, first + i)),
                          row_bytes(b, bind_in(b, first + i)), 0};
    for (uint32_t j = 0; j < s->nys; j++)
        s->ys[j] = (Rows){bind_ref(b, bind_out(b, s->ncarry + j)),
                          row_bytes(b, bind_out(b, s->ncarry + j)), 0};
    bind_op(b, run_scan, s)->kind = OP_RUNS_SCAN;
    return true;
}

/* ---- while ------------------------------------------------------------------------- */

/* Where the carry is before turn t. */
static char *carry_before(Frame *f, const Carry *c, int64_t t)
{
    return at(f, t == 0 ? c->start : t % 2 ? c->out : c->spare);
}

static bool go_on(Frame *f, const Op *op, Frame *h, int64_t t, uint8_t *out_flag)
{
    const LoopStep *s = op->data;

    for (uint32_t i = 0; i < s->ncond; i++)
        set_in(h, i, at(f, s->cond_const[i]));
    for (uint32_t i = 0; i < s->ncarry; i++)
        set_in(h, s->ncond + i, carry_before(f, &s->carry[i], t));
    set_out(h, 0, out_flag);
    return frame_run(h) || called_here(f, op, &s->cond);
}

/* Room for row t of every stacked result, twice as much each time. */
static void reserve_rows(Frame *f, const LoopStep *s, int64_t t)
{
    for (uint32_t j = 0; j < s->nys; j++) {
        const Rows *y = &s->ys[j];
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
        set_in(g, i, at(f, s->consts[i]));
    for (uint32_t i = 0; i < s->ncarry; i++) {
        set_in(g, s->nconst + i, carry_before(f, &s->carry[i], t));
        set_out(g, i, at(f, t % 2 ? s->carry[i].spare : s->carry[i].out));
    }
    if (s->trips != DIM_NONE)
        reserve_rows(f, s, t);
    for (uint32_t j = 0; j < s->nys; j++)
        set_out(g, s->ncarry + j, at(f, s->ys[j].at) + t * s->ys[j].bytes);
    return frame_run(g) || called_here(f, op, &s->body);
}

/* Carries to their results; rows that were not reached are zero. */
static void end_while(Frame *f, const LoopStep *s, int64_t turns)
{
    for (uint32_t i = 0; i < s->ncarry; i++)
        copy_bytes(at(f, s->carry[i].out), carry_before(f, &s->carry[i], turns),
                   s->carry[i].bytes);
    for (uint32_t j = 0; j < s->nys && s->length >= 0; j++)
        memset(at(f, s->ys[j].at) + turns * s->ys[j].bytes, 0,
               (size_t)((s->length - turns) * s->ys[j].bytes));
    for (uint32_t j = 0; j < s->nys && s->trips != DIM_NONE && !turns; j++)
        frame_dyn_reserve(f, s->ys[j].block, 0, 0);
    if (s->trips != DIM_NONE)
        frame_define(f, s->trips, turns);
}

static bool run_while(Frame *f, const Op *op)
{
    const LoopStep *s = op->data;
    Frame *h = open_callee(f, &s->cond), *g = open_callee(f, &s->body);
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
    end_while(f, s, t);
    return true;
}

bool bind_while(Bind *b)
{
    const WhileAttr *a = b->attr;
    uint32_t ncond = (uint32_t)a->ncond, nbody = (uint32_t)a->nbody;
    LoopStep *s = loop_step(b, &a->body, ncond, nbody, b->e->nin - ncond - nbody);

    s->cond = callee_of(b, &a->cond);
    s->ncond = ncond;
    s->cond_const = refs_of_inputs(b, 0);
    s->length = a->bound == DIM_NONE ? -1 : a->bound;
    s->trips = ((const WhileAttr *)b->e->attr)->trips;
    for (uint32_t j = 0; j < s->nys; j++) {
        Val v = bind_out(b, s->ncarry + j);
        s->ys[j] = (Rows){bind_ref(b, v), row_bytes(b, v),
                          b->plan->store[b->plan->val[v].store].index};
        if (s->ys[j].bytes < 0)
            return bind_fail(b, WF_ERR_SHAPE, "the size of a row cannot be computed");
    }
    bind_op(b, run_while, s)->kind = OP_RUNS_WHILE;
    return true;
}
