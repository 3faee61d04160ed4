/* exec.c -- executables: the plans of a program, its code where there is some, and the
 * frames kept for the next run.
 *
 * One is made of a program (wf_prepare), for a device (wf_prepare_on), with machine code
 * (wf_compile), or of another, to which inputs are given away (wf_donate). run.c runs it.
 */
#include "compile/compile.h"
#include "opt/recognise.h"
#include "runtime/compiler.h"

#include <pthread.h>

static void free_exec(wf_exec *e)
{
    wf_allocator al = e->al;

    for (Root *r = e->idle, *next; r; r = next) {
        next = r->next;
        root_free(r);
    }
    arena_free(&e->arena);
    program_release(e->p);
    code_release(e->code);
    if (e->there)
        e->device->unload(e->device, e->there);
    wf_exec_release(e->fast);
    wf_exec_release(atomic_load(&e->special));
    wf_exec_release(e->base);
    wf_runtime_release(e->runtime);
    if (e->lock) {
        pthread_mutex_destroy(e->lock);
        mem_free(&al, e->lock, sizeof(pthread_mutex_t));
    }
    mem_free(&al, e, sizeof *e);
}

wf_exec *wf_exec_retain(wf_exec *e)
{
    if (e)
        atomic_fetch_add(&e->refs, 1);
    return e;
}

void wf_exec_release(wf_exec *e)
{
    if (e && atomic_fetch_sub(&e->refs, 1) == 1)
        free_exec(e);
}

int exec_holds(const wf_exec *e, const Program *p)
{
    return e ? (e->p == p) + exec_holds(e->fast, p) + exec_holds(atomic_load(&e->special), p) : 0;
}

static void release_exec(void *e) { wf_exec_release(e); }

/* Belongs to the call's pool. */
static wf_exec *new_exec(wf_ctx *cx, const Program *p)
{
    wf_exec *e = mem_alloc(&cx->al, sizeof *e);

    if (!e)
        ctx_out_of_memory(cx);
    *e = (wf_exec){.al = cx->al, .p = program_retain(p), .device = &device_host};
    atomic_init(&e->refs, 1);
    arena_init(&e->arena, &cx->al, cx);
    pool_defer(cx, release_exec, e);
    e->lock = mem_alloc(&cx->al, sizeof(pthread_mutex_t));
    if (!e->lock)
        ctx_out_of_memory(cx);
    pthread_mutex_init(e->lock, NULL);
    e->plans.a = &e->arena;
    return e;
}

static void set_device(wf_ctx *cx, wf_exec *e, Device *d)
{
    e->device = d;
    if (d != &device_host)
        e->runtime = wf_runtime_retain(ctx_runtime(cx));
}

/* For a device that programs are compiled for: p with calls of kernels, and their code. */
static bool compile_there(wf_ctx *cx, wf_exec *e, const Program *p, bool general)
{
    Device *d = e->device;
    Lowered l;
    const void **there;
    PlanCode *codes;

    if (!compile_lower(cx, &e->arena, d->target, p, false, 0, &l))
        return false;
    for (uint32_t i = 0; i < l.n && general; i++)
        kernel_generalise(cx, &e->arena, l.k[i]);
    there = arena_zalloc(&e->arena, (l.n + 1) * sizeof *there);
    if (!d->load(d, cx, &e->arena, l.k, l.n, there, &e->there))
        return !failed(cx);
    codes = arena_zalloc(&e->arena, (l.n + 1) * sizeof *codes);
    for (uint32_t i = 0; i < l.n; i++)
        codes[i] = (PlanCode){.kernel = l.k[i], .there = there[i]};
    program_release(e->p);
    e->p = program_retain(l.fused.p);
    e->plans.codes = codes;
    e->plans.ncodes = l.n;
    return true;
}

static wf_exec *make_exec(wf_ctx *cx, const Program *p, Device *d, bool general)
{
    wf_exec *e;

    if (!(p = opt_planes(&(Opt){.cx = cx}, p)) || (d->host_reads && !(p = opt_recognise_codes(&(Opt){.cx = cx}, p))))
        return NULL;
    e = new_exec(cx, p);
    set_device(cx, e, d);
    if (d->blank) {
        e->arena.cx = NULL;
        return e;
    }
    if (d->load && !compile_there(cx, e, p, general))
        return NULL;
    p = e->p;
    e->plan = plan_make(cx, &e->plans, p, NULL, d);
    e->after = d->host_reads ? cx->options.compile_after : 0;
    e->arena.cx = NULL; /* nothing is added any more */
    return e;
}

static void set_compiled(wf_ctx *cx, wf_exec *e, const Compiled *c)
{
    program_release(e->p);
    e->p = program_retain(c->p);
    e->code = c->code ? code_retain(c->code) : NULL;
    e->plans.codes = c->codes;
    e->plans.ncodes = c->ncodes;
    e->plan = plan_make(cx, &e->plans, c->p, NULL, e->device);
}

wf_exec *exec_compiled(wf_ctx *cx, const Compiled *c)
{
    wf_exec *e = new_exec(cx, c->p);

    set_compiled(cx, e, c);
    e->arena.cx = NULL;
    return e;
}

wf_exec *exec_compile(wf_ctx *cx, const Program *p, bool exact)
{
    wf_exec *e = new_exec(cx, p);
    Compiled c;

    if (!compile_program(cx, &e->arena, p, exact, &c))
        return NULL;
    set_compiled(cx, e, &c);
    e->arena.cx = NULL;
    return e;
}

static bool has_device(wf_ctx *cx, const Device *d)
{
    wf_runtime *r = ctx_runtime(cx);

    return r && d->ordinal >= 1 && d->ordinal <= runtime_devices(r) &&
           runtime_device(r, d->ordinal) == d;
}

wf_status wf_prepare(wf_ctx *cx, const wf_program *p, wf_exec **out_exec)
{
    if (!SET_OUT(cx, out_exec))
        return ctx_status(cx);
    API_ENTER(cx);
    if (!p)
        fail(cx, WF_ERR_ARG, NOWHERE, "wf_prepare: the program is NULL");
    else
        *out_exec = wf_exec_retain(make_exec(cx, p, &device_host, false));
    API_RETURN(cx);
}

wf_status exec_prepare_plain(wf_ctx *cx, const wf_program *p, wf_exec **out_exec)
{
    if (wf_prepare(cx, p, out_exec) == WF_OK)
        (*out_exec)->after = 0;
    return ctx_status(cx);
}

wf_status wf_prepare_on(wf_ctx *cx, const wf_program *p, wf_device *d, wf_exec **out_exec)
{
    return exec_prepare_on(cx, p, d, false, out_exec);
}

wf_status exec_prepare_on(wf_ctx *cx, const wf_program *p, wf_device *d, bool general,
                          wf_exec **out_exec)
{
    if (!SET_OUT(cx, out_exec))
        return ctx_status(cx);
    API_ENTER(cx);
    if (!p || !d)
        fail(cx, WF_ERR_ARG, NOWHERE, "wf_prepare_on: the %s is NULL",
             p ? "device" : "program");
    else if (d != &device_host && !d->blank && !has_device(cx, d))
        fail(cx, WF_ERR_ARG, NOWHERE,
             "wf_prepare_on: device '%s' is not one of the context's runtime", d->name);
    else
        *out_exec = wf_exec_retain(make_exec(cx, p, d, general));
    API_RETURN(cx);
}

wf_device *wf_exec_device(const wf_exec *e) { return e ? e->device : NULL; }

wf_status wf_compile(wf_ctx *cx, const wf_program *p, unsigned flags, wf_exec **out_exec)
{
    if (!SET_OUT(cx, out_exec))
        return ctx_status(cx);
    API_ENTER(cx);
    if (!p)
        fail(cx, WF_ERR_ARG, NOWHERE, "wf_compile: the program is NULL");
    else
        *out_exec = wf_exec_retain(exec_compile(cx, p, flags & WF_COMPILE_EXACT));
    API_RETURN(cx);
}

static wf_exec *donating_exec(wf_ctx *cx, wf_exec *base, const bool *inputs, uint32_t updates)
{
    wf_exec *e = new_exec(cx, base->p);
    bool *donated = arena_zalloc(&e->arena, base->p->nin + 1);
    uint32_t *heir = arena_zalloc(&e->arena, (base->p->nin + 1) * sizeof *heir);

    for (uint32_t i = 0; i < base->p->nin; i++) {
        donated[i] = i < updates || (inputs && inputs[i]);
        heir[i] = i < updates ? i + 1 : 0;
    }
    e->updates = updates;
    e->plans.heir = updates ? heir : NULL;
    e->base = wf_exec_retain(base);
    e->code = base->code ? code_retain(base->code) : NULL;
    e->plans.codes = base->plans.codes;
    e->plans.ncodes = base->plans.ncodes;
    e->donated = donated;
    e->after = base->after;
    set_device(cx, e, base->device);
    if (!base->device->blank)
        e->plan = plan_make(cx, &e->plans, base->p, donated, base->device);
    e->arena.cx = NULL;
    return e;
}

wf_status wf_donate(wf_ctx *cx, wf_exec *e, const int *inputs, int n, wf_exec **out_exec)
{
    if (!SET_OUT(cx, out_exec))
        return ctx_status(cx);
    API_ENTER(cx);
    if (!e || (n && !inputs))
        fail(cx, WF_ERR_ARG, NOWHERE, "wf_donate: %s is NULL",
             e ? "the list of inputs" : "the executable");
    if (n < 0)
        fail(cx, WF_ERR_ARG, NOWHERE, "wf_donate: %d inputs", n);
    if (!failed(cx)) {
        bool *given = arena_zalloc(&cx->scratch, e->p->nin + 1);

        for (int i = 0; i < n && !failed(cx); i++)
            if (inputs[i] < 0 || (uint32_t)inputs[i] >= e->p->nin)
                fail(cx, WF_ERR_ARG, NOWHERE, "wf_donate: input %d, but '%s' has %u inputs",
                     inputs[i], e->p->name, e->p->nin);
            else
                given[inputs[i]] = true;
        if (!failed(cx))
            *out_exec = wf_exec_retain(donating_exec(cx, e, given, 0));
    }
    API_RETURN(cx);
}

wf_status exec_updating(wf_ctx *cx, wf_exec *e, uint32_t n, wf_exec **out_exec)
{
    *out_exec = NULL;
    API_ENTER(cx);
    *out_exec = wf_exec_retain(donating_exec(cx, e, NULL, n));
    API_RETURN(cx);
}

bool wf_exec_is_compiled(const wf_exec *e) { return e && (e->code || e->there); }
