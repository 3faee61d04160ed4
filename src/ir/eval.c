/* eval.c -- runs a program by the eval rules alone: the slow, obvious oracle that everything else is
 * checked against.
 *
 *   method   One equation after the other; every value is a row-major array that lives until the program
 *            ends. Each level of sub-programs has an arena of its own, emptied for every run, so a loop
 *            takes constant memory.
 */
#include "ir/ir.h"

#include <stdio.h>

typedef struct EvalEnv {
    wf_ctx *cx;
    const Program *p;
    int64_t *symvals;
    Arena arena;
    struct EvalEnv *child; /* for the sub-programs of this level, reused */
} EvalEnv;

static void free_env(void *obj)
{
    EvalEnv *env = obj;
    wf_allocator al = env->arena.al;

    arena_free(&env->arena);
    mem_free(&al, env, sizeof *env);
}

static EvalEnv *new_env(wf_ctx *cx)
{
    EvalEnv *env = mem_alloc(&cx->al, sizeof *env);

    if (!env)
        ctx_out_of_memory(cx);
    memset(env, 0, sizeof *env);
    env->cx = cx;
    arena_init(&env->arena, &cx->al, cx);
    pool_defer(cx, free_env, env);
    return env;
}

bool eval_fail(Eval *e, wf_status status, const char *fmt, ...)
{
    char text[1024];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return fail(e->cx, status, e->place, "%s: %s", op_name(e->op), text);
}

/* The concrete array type of t; data NULL. False if a dim is not known yet. */
static bool concrete(EvalEnv *env, Type t, Arena *a, Nd *out)
{
    int64_t *dims = arena_array(a, t.rank, sizeof *dims), bytes;

    *out = (Nd){.dtype = (wf_dtype)t.dtype, .rank = t.rank, .dims = dims};
    for (uint32_t k = 0; k < t.rank; k++)
        if (!dim_eval(&env->p->dims, t.dims[k], env->symvals, &dims[k]))
            return false;
    return type_size(out->dtype, dims, t.rank, &out->count, &bytes);
}

static void allocate(Nd *x, Arena *a)
{
    x->data = arena_array(a, (size_t)x->count, wf_dtype_size(x->dtype));
}

static bool make_outputs(Eval *e, const Eqn *eqn, bool must)
{
    for (uint32_t j = 0; j < e->nout; j++) {
        Type t = val_type(e->env->p, eqn->out + j);
        if (e->out[j].data)
            continue;
        if (concrete(e->env, t, e->a, &e->out[j]))
            allocate(&e->out[j], e->a);
        else if (must)
            return eval_fail(e, WF_ERR_SHAPE, "the size of result %u cannot be computed", j);
    }
    return true;
}

bool eval_define(Eval *e, Dim sym, int64_t value)
{
    EvalEnv *env = e->env;

    if (value < 0)
        return eval_fail(e, WF_ERR_VALUE, "a size must not be negative, got %lld", (long long)value);
    env->symvals[dim_node(&env->p->dims, sym)->sym] = value;
    return make_outputs(e, e->eqn, true);
}

static bool eval_eqn(EvalEnv *env, const Eqn *eqn, Nd *vals)
{
    const OpRow *row = op_row(eqn->op);
    bool (*rule)(Eval *) = op_has(eqn->op, OPF_CONTROL) ? op_rules(eqn->op)->eval : row->eval;
    const Val *args = eqn_in(env->p, eqn);
    Nd *in = arena_array(&env->arena, eqn->nin, sizeof *in);
    void *attr;
    Eval e = {.cx = env->cx, .a = &env->arena, .row = row, .op = eqn->op, .nin = eqn->nin, .nout = eqn->nout,
              .in = in, .out = vals + eqn->out, .place = eqn_place(env->p, eqn), .env = env, .eqn = eqn};

    if (!rule)
        return eval_fail(&e, WF_ERR_NORULE, "cannot be evaluated: %s", op_rules(eqn->op)->doc);
    for (uint32_t i = 0; i < eqn->nin; i++)
        in[i] = vals[args[i]];
    if (!attr_concrete(row, eqn->attr, &env->arena, &env->p->dims, env->symvals, &attr))
        return eval_fail(&e, WF_ERR_SHAPE, "a size in its attributes cannot be computed");
    e.attr = attr;
    if (!make_outputs(&e, eqn, !op_has(eqn->op, OPF_DEFINES)))
        return false;
    return rule(&e);
}

/* p, symvals and inputs are in place; results are left in the environment's arena. */
static bool run(EvalEnv *env, const Nd *in, Nd *out)
{
    const Program *p = env->p;
    Nd *vals = arena_zalloc(&env->arena, p->nvals * sizeof *vals);

    for (uint32_t i = 0; i < p->nin; i++)
        vals[i + 1] = in[i];
    for (uint32_t i = 0; i < p->neqns; i++) {
        if (env->cx->cancelled)
            return fail(env->cx, WF_ERR_CANCELLED, NOWHERE, "the run was cancelled");
        if (!eval_eqn(env, &p->eqns[i], vals))
            return false;
    }
    for (uint32_t i = 0; i < p->nout; i++)
        out[i] = vals[p->outs[i]];
    return true;
}

static void copy_out(const Nd *from, Nd *to, Arena *a)
{
    size_t bytes = (size_t)from->count * wf_dtype_size(from->dtype);

    if (!to->data) {
        *to = *from;
        to->dims = arena_dup(a, from->dims, from->rank * sizeof *from->dims);
        allocate(to, a);
    }
    if (bytes)
        memcpy(to->data, from->data, bytes);
}

bool eval_sub(Eval *e, const Sub *s, const Nd *in, Nd *out)
{
    EvalEnv *env = e->env->child;
    Nd *results;

    if (!env)
        env = e->env->child = new_env(e->cx);
    arena_reset(&env->arena, (ArenaMark){0});
    env->p = s->p;
    env->symvals = arena_array(&env->arena, s->p->dims.syms.n, sizeof *env->symvals);
    for (uint32_t i = 0; i < s->p->dims.syms.n; i++)
        env->symvals[i] = s->p->dims.syms.v[i].origin == SYM_EQN ? -1 : s->binds.v[i];
    results = arena_array(&env->arena, s->p->nout, sizeof *results);
    if (!run(env, in, results))
        return false;
    for (uint32_t j = 0; j < s->p->nout; j++)
        copy_out(&results[j], &out[j], e->a);
    return true;
}

static bool check_inputs(wf_ctx *cx, const Program *p, const Nd *in)
{
    for (uint32_t i = 0; i < p->nin; i++) {
        Type t = val_type(p, i + 1);
        if (in[i].dtype != (wf_dtype)t.dtype || in[i].rank != t.rank)
            return fail(cx, WF_ERR_TYPE, NOWHERE, "%s: input %u needs %s, got %s of rank %u", p->name, i,
                        type_str(&p->dims, t, &cx->errors), wf_dtype_name(in[i].dtype), in[i].rank);
    }
    return true;
}

bool eval_program(wf_ctx *cx, const Program *p, const Nd *in, Nd *out, Arena *a)
{
    EvalEnv *env = new_env(cx);
    const int64_t **dims = arena_array(&env->arena, p->nin, sizeof *dims);
    Nd *results = arena_array(&env->arena, p->nout, sizeof *results);

    env->p = p;
    env->symvals = arena_array(&env->arena, p->dims.syms.n, sizeof *env->symvals);
    if (!check_inputs(cx, p, in))
        return false;
    for (uint32_t i = 0; i < p->nin; i++)
        dims[i] = in[i].dims;
    if (!program_bind(cx, p, dims, env->symvals) || !run(env, in, results))
        return false;
    for (uint32_t j = 0; j < p->nout; j++) {
        out[j] = (Nd){0};
        copy_out(&results[j], &out[j], a);
    }
    return true;
}
