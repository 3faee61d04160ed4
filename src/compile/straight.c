/* straight.c -- small programs as calls of straight functions.
 *
 *   requires   a fused program; its kernels
 *   keeps      values, types, effects and their order
 *   method     In a program that is small (small.c), equations that C can do in one
 *              function become one sub-program, called where they stood: all of them, or
 *              every run of them between others. What it takes to know what C can do is
 *              to plan and bind the sub-program (flatten.c); where it cannot, the
 *              equations stay as they are. In larger programs the bodies of loops and
 *              the branches are looked at in turn. Constants, and ops that only say where
 *              elements are, go along with who reads them. A check (assert) ends no run: it
 *              waits for its end, since nothing in a run can be seen before that.
 */
#include "compile/compile.h"
#include "opt/recognise.h"

typedef struct Shared { /* by all programs looked at together */
    wf_ctx *cx;
    Arena *a;
    const Target *target;
    bool exact;
    Kernel *const *k;
    uint32_t n;
    PtrMap done;         /* program -> with calls */
    PtrMap known; /* bodies of recognised calls */
    VEC(Kernel *) made;  /* straight functions */
} Shared;

typedef enum ValueClass {
    CLASS_OTHER, /* not for a straight function */
    CLASS_FREE,  /* goes along with who reads it */
    CLASS_STEP
} ValueClass;

typedef struct Splitter {
    Shared *sh;
    const Program *p;
    Builder *b;
    Copier c;
    uint8_t *class;  /* of each equation */
    bool *done;      /* equations in the new program */
    uint32_t *run;   /* equations of the run so far, and what goes along */
    uint32_t nrun;
    bool *in_run;
    uint32_t *waiting; /* checks that stand in the run */
    uint32_t nwaiting;
    bool *is_out;
    uint32_t *user_at, *users; /* equations that read value v: users[user_at[v] ..] */
} Splitter;

/* ---- what an equation is ----------------------------------------------------------- */

static bool is_kernel(const Shared *sh, const Program *p)
{
    for (uint32_t i = 0; i < sh->n; i++)
        if (sh->k[i]->p == p)
            return true;
    return false;
}

static ValueClass class_of(const Shared *sh, const Program *p, const Eqn *e);

/* Are the sub-programs such that all of their equations can be in a function? */
static void check_sub(void *user, const Sub *s)
{
    const Shared **ok = user;

    for (uint32_t i = 0; *ok && i < s->p->neqns; i++)
        if (class_of(*ok, s->p, &s->p->eqns[i]) == CLASS_OTHER)
            *ok = NULL;
}

/* Does the product read so much that several cores, each with its caches, are worth more than a function of all? */
static bool is_long(const Shared *sh, const Program *p, const Eqn *e)
{
    double flops, bytes;

    if (p->dims.syms.n) /* not small: nobody asks */
        return false;
    eqn_cost(sh->cx, p, e, NULL, &flops, &bytes);
    return bytes >= sh->target->straight_reads;
}

static ValueClass class_of(const Shared *sh, const Program *p, const Eqn *e)
{
    const Shared *ok = sh;

    if (e->op == OP_const || (op_has(e->op, OPF_VIEW | OPF_SAME) && e->nout == 1))
        return CLASS_FREE;
    switch (e->op) {
    case OP_dot_general: return is_long(sh, p, e) ? CLASS_OTHER : CLASS_STEP;
    case OP_real:
    case OP_imag:
    case OP_complex:
    case OP_pad:
    case OP_dim:
    case OP_concat: return CLASS_STEP;
    case OP_call:
        if (is_kernel(sh, ((const CallAttr *)e->attr)->body.p))
            return CLASS_STEP;
        break;
    case OP_cond:
    case OP_scan:
    case OP_while: break;
    default: return CLASS_OTHER;
    }
    attr_each_sub(op_row(e->op), e->attr, check_sub, &ok);
    return ok ? CLASS_STEP : CLASS_OTHER;
}

static bool is_flow(unsigned op)
{
    return op == OP_cond || op == OP_scan || op == OP_while;
}

/* ---- a run ------------------------------------------------------------------------- */

static uint32_t def_of(const Splitter *s, Val v) { return s->p->vals[v].eqn; }

static void add_to_run(Splitter *s, uint32_t e)
{
    if (s->in_run[e])
        return;
    s->in_run[e] = true;
    for (uint32_t i = 0; i < s->p->eqns[e].nin; i++) {
        uint32_t d = def_of(s, eqn_in(s->p, &s->p->eqns[e])[i]);

        if (d != EQN_INPUT && s->class[d] == CLASS_FREE)
            add_to_run(s, d);
    }
    s->run[s->nrun++] = e;
}

/* Is v, a value of a step of the run, read by others: directly, or through what goes
 * along with them? */
static bool read_outside(const Splitter *s, Val v)
{
    if (s->is_out[v])
        return true;
    for (uint32_t k = s->user_at[v]; k < s->user_at[v + 1]; k++) {
        uint32_t e = s->users[k];

        if (s->class[e] == CLASS_FREE ? read_outside(s, s->p->eqns[e].out)
                                      : !s->in_run[e])
            return true;
    }
    return false;
}

typedef struct Border {
    VEC(Val) ins, outs;
} Border;

static void find_border(Splitter *s, Border *b)
{
    Arena *a = s->sh->a;
    bool *seen = arena_zalloc(a, s->p->nvals + 1);

    for (uint32_t k = 0; k < s->nrun; k++) {
        const Eqn *e = &s->p->eqns[s->run[k]];

        for (uint32_t i = 0; i < e->nin; i++) {
            Val v = eqn_in(s->p, e)[i];

            if (!seen[v] && (def_of(s, v) == EQN_INPUT || !s->in_run[def_of(s, v)]))
                vec_push(a, &b->ins, v);
            seen[v] = true;
        }
        for (uint32_t j = 0; j < e->nout && s->class[s->run[k]] == CLASS_STEP; j++)
            if (read_outside(s, e->out + j))
                vec_push(a, &b->outs, e->out + j);
    }
}

static const Program *build_run(Splitter *s, const Border *d)
{
    Builder *b = builder_new(s->sh->cx, "straight", B_VERBATIM);
    Val *outs = arena_array(s->sh->a, d->outs.n + 1, sizeof *outs);
    Copier k;

    copier_init(&k, b, s->p, NULL, NULL);
    for (uint32_t i = 0; i < d->ins.n; i++)
        k.val[d->ins.v[i]] =
            b_input(b, NULL, copier_type(&k, val_type(s->p, d->ins.v[i])));
    for (uint32_t i = 0; i < s->nrun; i++)
        if (!copier_eqn(&k, &s->p->eqns[s->run[i]]))
            return NULL;
    for (uint32_t j = 0; j < d->outs.n; j++)
        outs[j] = k.val[d->outs.v[j]];
    return builder_finish(b, outs, d->outs.n);
}

/* The function of q, which may have been made before. NULL: C cannot do it. */
static const Program *function_of(Shared *sh, const Program *q)
{
    const Straight *flat;
    Kernel *k;

    for (uint32_t i = 0; i < sh->made.n; i++)
        if (hash_eq(sh->made.v[i]->p->hash, q->hash) &&
            program_equal(sh->made.v[i]->p, q))
            return sh->made.v[i]->p;
    flat = flatten_program(sh->cx, sh->a, sh->target, q, sh->exact, sh->k, sh->n);
    if (!flat)
        return NULL;
    k = kernel_new(sh->a, sh->target, q, sh->exact);
    k->straight = flat;
    vec_push(sh->a, &sh->made, k);
    return q;
}

/* ---- the new program --------------------------------------------------------------- */

static bool emit(Splitter *s, uint32_t i);

static bool emit_operands(Splitter *s, const Val *v, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (def_of(s, v[i]) != EQN_INPUT && !emit(s, def_of(s, v[i])))
            return false;
    return true;
}

static const Program *split_program(void *shared, const Program *p);

static bool emit(Splitter *s, uint32_t i)
{
    const Eqn *e = &s->p->eqns[i];
    Val *in = arena_array(&s->b->arena, e->nin + 1u, sizeof *in);
    void *attr;

    if (s->done[i])
        return true;
    s->done[i] = true;
    if (!emit_operands(s, eqn_in(s->p, e), e->nin))
        return false;
    if (!op_has(e->op, OPF_CONTROL))
        return copier_eqn(&s->c, e);
    attr = copier_attr(&s->c, e);
    for (uint32_t k = 0; k < e->nin; k++)
        in[k] = s->c.val[eqn_in(s->p, e)[k]];
    if (!replace_subs(s->b, op_row(e->op), attr, split_program, s->sh))
        return false;
    copier_place(&s->c, e);
    b_eqn(s->b, (OpCode)e->op, in, e->nin, attr, s->c.val + e->out, e->nout);
    return !b_failed(s->b);
}

static bool emit_call(Splitter *s, const Program *q, const Border *d)
{
    CallAttr attr = {.body = {q, {0}}};
    Val *in = arena_array(s->sh->a, d->ins.n + 1, sizeof *in), *out;
    uint32_t n;

    if (!emit_operands(s, d->ins.v, d->ins.n))
        return false;
    for (uint32_t i = 0; i < d->ins.n; i++)
        in[i] = s->c.val[d->ins.v[i]];
    copier_place(&s->c, &s->p->eqns[s->run[s->nrun - 1]]);
    out = b_eqn_n(s->b, OP_call, in, d->ins.n, &attr, &n);
    for (uint32_t j = 0; j < n && j < d->outs.n; j++)
        s->c.val[d->outs.v[j]] = out[j];
    return !b_failed(s->b);
}

static bool end_run(Splitter *s)
{
    const Program *q = NULL;
    Border d = {0};
    uint32_t steps = 0, least = s->sh->target->straight_least;
    bool ok = true;

    for (uint32_t i = 0; i < s->nrun; i++)
        if (s->class[s->run[i]] == CLASS_STEP)
            steps += is_flow(s->p->eqns[s->run[i]].op) ? least : 1;
    find_border(s, &d);
    if (steps >= least && d.outs.n) {
        q = build_run(s, &d);
        if (!q)
            return false;
        q = function_of(s->sh, q);
    }
    if (q)
        ok = emit_call(s, q, &d);
    for (uint32_t i = 0; i < s->nrun && ok; i++) {
        uint32_t e = s->run[i];

        if (s->class[e] == CLASS_STEP)
            ok = q ? (s->done[e] = true) : emit(s, e);
    }
    for (uint32_t i = 0; i < s->nrun; i++)
        s->in_run[s->run[i]] = false;
    s->nrun = 0;
    for (uint32_t i = 0; i < s->nwaiting && ok; i++)
        ok = emit(s, s->waiting[i]);
    s->nwaiting = 0;
    return ok && !failed(s->sh->cx);
}

static void list_users(Splitter *s)
{
    const Program *p = s->p;
    Arena *a = s->sh->a;
    uint32_t *at = arena_zalloc(a, (p->nvals + 2) * sizeof *at);

    for (uint32_t i = 0; i < p->nargs; i++)
        at[p->args[i] + 1]++;
    for (uint32_t v = 0; v < p->nvals; v++)
        at[v + 1] += at[v];
    s->users = arena_array(a, p->nargs + 1, sizeof *s->users);
    s->user_at = arena_dup(a, at, (p->nvals + 2) * sizeof *at);
    for (uint32_t e = 0; e < p->neqns; e++)
        for (uint32_t i = 0; i < p->eqns[e].nin; i++)
            s->users[at[eqn_in(p, &p->eqns[e])[i]]++] = e;
}

/* Of a small program: a step goes into the run, a check waits for its end. A loop without a bound does not run before a
 * check that stands before it. */
static bool take(Splitter *s, uint32_t i)
{
    unsigned op = s->p->eqns[i].op;

    if (s->class[i] == CLASS_STEP) {
        if (s->nwaiting && op == OP_while && !end_run(s))
            return false;
        add_to_run(s, i);
        return true;
    }
    if (s->class[i] == CLASS_FREE)
        return true;
    if (op == OP_assert && s->nrun) {
        s->waiting[s->nwaiting++] = i;
        return true;
    }
    return end_run(s) && emit(s, i);
}

static const Program *emit_program(Splitter *s, bool small)
{
    const Program *p = s->p;
    Val *outs = arena_array(s->sh->a, p->nout + 1, sizeof *outs);

    copier_init(&s->c, s->b, p, NULL, NULL);
    copier_inputs(&s->c);
    for (uint32_t i = 0; i < p->neqns; i++) {
        if (!(small ? take(s, i) : emit(s, i)))
            return NULL;
    }
    if (!end_run(s) || !emit_operands(s, p->outs, p->nout))
        return NULL;
    for (uint32_t j = 0; j < p->nout; j++)
        outs[j] = s->c.val[p->outs[j]];
    return builder_finish(s->b, outs, p->nout);
}

/* Has p, or a program it runs, anything to be made straight? */
static bool is_worth(Shared *sh, const Program *p)
{
    if (is_kernel(sh, p) || opt_has_step(sh->a, ptrmap_get(&sh->known, p)))
        return false;
    if (codegen_is_small(sh->cx, sh->target, p))
        return true;
    for (uint32_t i = 0; i < p->nsubs; i++)
        if (is_worth(sh, p->subs[i]))
            return true;
    return false;
}

static const Program *split_program(void *shared, const Program *p)
{
    Shared *sh = shared;
    const Program *q = ptrmap_get(&sh->done, p);
    Splitter s = {.sh = sh, .p = p};

    if (q || is_kernel(sh, p) || !is_worth(sh, p))
        return q ? q : p;
    s.b = builder_new(sh->cx, p->name, B_OPTIMISE);
    s.class = arena_zalloc(sh->a, p->neqns + 1);
    s.done = arena_zalloc(sh->a, p->neqns + 1);
    s.in_run = arena_zalloc(sh->a, p->neqns + 1);
    s.run = arena_array(sh->a, p->neqns + 1, sizeof *s.run);
    s.waiting = arena_array(sh->a, p->neqns + 1, sizeof *s.waiting);
    s.is_out = arena_zalloc(sh->a, p->nvals + 1);
    for (uint32_t i = 0; i < p->neqns; i++)
        s.class[i] = (uint8_t)class_of(sh, p, &p->eqns[i]);
    for (uint32_t j = 0; j < p->nout; j++) {
        uint32_t e = def_of(&s, p->outs[j]);

        s.is_out[p->outs[j]] = true;
        if (e != EQN_INPUT && s.class[e] == CLASS_FREE && p->eqns[e].op != OP_const)
            s.class[e] = CLASS_STEP; /* it is carried out anyway */
    }
    list_users(&s);
    q = emit_program(&s, codegen_is_small(sh->cx, sh->target, p));
    if (q)
        ptrmap_put(&sh->done, p, q);
    return q;
}

/* ---- the kernels that are left ----------------------------------------------------- */

typedef struct Left {
    VEC(Kernel *) k;
} Left;

static void leave(Shared *sh, Left *l, Kernel *k)
{
    for (uint32_t i = 0; i < l->k.n; i++)
        if (l->k.v[i] == k)
            return;
    vec_push(sh->a, &l->k, k);
}

static void leave_called(Shared *sh, const Program *p, Left *l)
{
    for (uint32_t i = 0; i < sh->n; i++)
        if (sh->k[i]->p == p)
            leave(sh, l, sh->k[i]);
    for (uint32_t i = 0; i < sh->made.n; i++) {
        const Straight *s = sh->made.v[i]->straight;

        if (sh->made.v[i]->p != p)
            continue;
        for (uint32_t j = 0; j < s->nparts && !s->loops; j++)
            leave(sh, l, s->part[j]);
        leave(sh, l, sh->made.v[i]);
        return;
    }
    for (uint32_t i = 0; i < p->nsubs; i++)
        leave_called(sh, p->subs[i], l);
}

const Program *straight_program(wf_ctx *cx, Arena *a, const Target *t, const Program *p,
                                bool exact, Kernel ***k, uint32_t *n, uint32_t first)
{
    Shared sh = {.cx = cx,
                 .a = a,
                 .target = t,
                 .exact = exact,
                 .k = *k,
                 .n = *n,
                 .done.a = a,
                 .known.a = a};
    Left left = {0};
    const Program *q;

    recognised_bodies(p, &sh.known);
    q = split_program(&sh, p);
    if (!q || !sh.made.n)
        return q ? p : NULL;
    leave_called(&sh, q, &left);
    for (uint32_t i = 0; i < left.k.n; i++) {
        const Straight *s = left.k.v[i]->straight;

        left.k.v[i]->id = first + i;
        for (uint32_t j = 0; s && s->loops && j < s->nparts; j++)
            s->part[j]->id = first + i;
    }
    *k = left.k.v;
    *n = left.k.n;
    return q;
}
