/* tier.c -- which executable serves a run.
 *
 * A program is interpreted until it has been run often enough to be worth a compiler
 * (wf_options.compile_after); a small one with symbols is then compiled for the sizes of
 * that run, any other for all sizes. What was prepared stays, and hands its runs on.
 */
#include "compile/compile.h"
#include "runtime/compiler.h"

#include <pthread.h>

#define COMPILE_LEAST 8 /* equations worth a compiler; of updates, which are few and go through memory at each step of training, any */

/* Those of a loop may run any number of times: one is enough. */
static uint32_t count_equations(const Program *p, uint32_t enough)
{
    uint32_t n = p->neqns;

    for (uint32_t i = 0; i < p->neqns; i++)
        if (p->eqns[i].op == OP_while || p->eqns[i].op == OP_scan)
            return enough;
    for (uint32_t i = 0; i < p->nsubs && n < enough; i++)
        n += count_equations(p->subs[i], enough - n);
    return n;
}

static bool compile_tier(wf_ctx *cx, const wf_exec *e, wf_exec **out)
{
    wf_exec *plain;
    int *inputs, n = 0;

    if (!e->donated)
        return wf_compile(cx, e->p, 0, out) == WF_OK;
    if (e->updates) {
        /* exact: what is in memory between steps must not tell when its program was compiled */
        if (wf_compile(cx, e->p, WF_COMPILE_EXACT, &plain) == WF_OK)
            exec_updating(cx, plain, e->updates, out);
        wf_exec_release(plain);
        return !failed(cx);
    }
    inputs = mem_alloc(&cx->al, e->p->nin * sizeof *inputs);
    if (!inputs)
        return fail_memory(cx);
    for (uint32_t i = 0; i < e->p->nin; i++)
        if (e->donated[i])
            inputs[n++] = (int)i;
    if (wf_compile(cx, e->p, 0, &plain) == WF_OK)
        wf_donate(cx, plain, inputs, n, out);
    wf_exec_release(plain);
    mem_free(&cx->al, inputs, e->p->nin * sizeof *inputs);
    return !failed(cx);
}

/* Two threads that come here at once do the same work; the first to end is taken. No lock
 * is held meanwhile, since memory may run out. Whatever keeps e from being compiled, it
 * goes on itself. */
static void compile_now(wf_ctx *cx, wf_exec *e)
{
    bool worth = e->updates || count_equations(e->p, COMPILE_LEAST) >= COMPILE_LEAST;
    wf_exec *fast = NULL;

    if (worth)
        ctx_log(cx, WF_LOG_DEBUG, "'%s' is compiled: it has been run %d times",
                e->p->name, e->after);
    if (worth &&
        !compile_tier(cx, e, &fast) && cx->status != WF_ERR_MEMORY)
        wf_clear(cx);
    pthread_mutex_lock(e->lock);
    if (!atomic_load(&e->settled)) {
        e->fast = fast;
        fast = NULL;
        atomic_store(&e->settled, !failed(cx));
    }
    pthread_mutex_unlock(e->lock);
    wf_exec_release(fast);
}

/* Has special, made for the sizes of one run, the sizes of these inputs? */
static bool has_sizes(const wf_exec *special, wf_array *const *in)
{
    const Program *p = special->p;

    for (uint32_t i = 0; i < p->nin; i++) {
        Type t = val_type(p, i + 1);

        if (!in || !in[i] || in[i]->rank != t.rank)
            return false;
        for (uint32_t k = 0; k < t.rank; k++)
            if (array_dims(in[i])[k] != t.dims[k])
                return false;
    }
    return true;
}

/* The program at the sizes of these inputs; NULL if they do not fit, or it is not small
 * then: one function is worth most to small programs (straight.c), and needs sizes. */
static const Program *small_at(wf_ctx *cx, const Program *p, wf_array *const *in)
{
    uint32_t n = p->dims.syms.n;
    const char **names = arena_array(&cx->scratch, n + 1, sizeof *names);
    int64_t *sizes = arena_array(&cx->scratch, n + 1, sizeof *sizes);
    const int64_t **dims = arena_array(&cx->scratch, p->nin + 1, sizeof *dims);
    const Program *q;

    for (uint32_t i = 0; i < p->nin; i++) {
        if (!in || !in[i] || in[i]->rank != val_type(p, i + 1).rank)
            return NULL;
        dims[i] = array_dims(in[i]);
    }
    for (uint32_t i = 0; i < n; i++) {
        names[i] = p->dims.syms.v[i].name;
        if (p->dims.syms.v[i].origin == SYM_EQN)
            return NULL;
    }
    if (!program_bind(cx, p, dims, sizes))
        return NULL;
    q = program_specialise(cx, p, names, sizes, n);
    return q && codegen_is_small(cx, target_cpu(), q) ? q : NULL;
}

static wf_status specialise(wf_ctx *cx, const wf_exec *e, wf_array *const *in,
                            wf_exec **out)
{
    const Program *q;

    *out = NULL;
    API_ENTER(cx);
    q = small_at(cx, e->p, in);
    if (q)
        *out = wf_exec_retain(exec_compile(cx, q, false));
    API_RETURN(cx);
}

/* Before a program with symbols is compiled for all sizes, it is for those that it is run
 * with now, if it is small; the others have their own runs to wait for. */
static wf_exec *special_now(wf_ctx *cx, wf_exec *e, wf_array *const *in)
{
    wf_exec *special = NULL;

    if (atomic_exchange(&e->tried, true) || !e->p->dims.syms.n || e->donated ||
        !code_possible(cx) || count_equations(e->p, COMPILE_LEAST) < COMPILE_LEAST)
        return NULL;
    if (specialise(cx, e, in, &special) != WF_OK && cx->status != WF_ERR_MEMORY)
        wf_clear(cx);
    if (failed(cx) || !special) {
        wf_exec_release(special);
        return NULL;
    }
    ctx_log(
        cx, WF_LOG_DEBUG,
        "'%s' is compiled for the sizes of one run: others wait for %d runs of their own",
        e->p->name, e->after);
    atomic_store(&e->special, special);
    atomic_store(&e->runs, 0);
    return special;
}

/* The tier that serves this run: by its number, and sizes. */
wf_exec *exec_serving(wf_ctx *cx, wf_exec *e, wf_array *const *in)
{
    wf_exec *special = atomic_load(&e->special);

    if (special && has_sizes(special, in))
        return special;
    if (!e->after)
        return e;
    if (!atomic_load(&e->settled)) {
        if (atomic_fetch_add(&e->runs, 1) < e->after)
            return e;
        special = special_now(cx, e, in);
        if (special || failed(cx))
            return special ? special : e;
        compile_now(cx, e);
    }
    return e->fast ? e->fast : e;
}
