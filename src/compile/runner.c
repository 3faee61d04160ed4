/* runner.c -- other ways to run an executable: into arrays of the caller's, with inputs by name, and
 * again and again with what stays kept. */
#include "compile/compile.h"

#include <string.h>

/* ---- into arrays of the caller's ---------------------------------------------------- */

typedef struct Span { /* the bytes an array touches */
    uintptr_t from, to;
} Span;

static Span span_of(const Array *a)
{
    intptr_t size = (intptr_t)wf_dtype_size((wf_dtype)a->dtype);
    uintptr_t at = (uintptr_t)array_at(a);
    Span s = {at, at + (uintptr_t)size};

    if (!a->count)
        return (Span){0, 0};
    for (uint32_t k = 0; k < a->rank; k++) {
        intptr_t reach = (array_dims(a)[k] - 1) * array_strides(a)[k] * size;

        *(reach < 0 ? &s.from : &s.to) += (uintptr_t)reach;
    }
    return s;
}

static bool meet(Span a, Span b) { return a.from < b.to && b.from < a.to; }

static bool may_take(wf_ctx *cx, const wf_exec *e, wf_array *const *in,
                     wf_array *const *out, uint32_t j)
{
    const char *name = e->p->name;
    Span s;

    if (!out[j])
        return fail(cx, WF_ERR_ARG, NOWHERE, "%s: the array for result %u is NULL", name,
                    j);
    if (array_is_gone(out[j]) || out[j]->buf->read_only || !array_is_dense(out[j]) ||
        out[j]->buf->device != e->device)
        return fail(
            cx, WF_ERR_ARG, NOWHERE,
            "%s: the array for result %u must be row-major, writable, and on device '%s'",
            name, j, e->device->name);
    s = span_of(out[j]);
    for (uint32_t i = 0; i < e->p->nin; i++)
        if (in[i] && meet(s, span_of(in[i])))
            return fail(cx, WF_ERR_ARG, NOWHERE,
                        "%s: the array for result %u shares memory with input %u", name,
                        j, i);
    for (uint32_t k = 0; k < j; k++)
        if (meet(s, span_of(out[k])))
            return fail(cx, WF_ERR_ARG, NOWHERE,
                        "%s: the arrays for results %u and %u share memory", name, k, j);
    return true;
}

wf_status wf_run_into(wf_ctx *cx, wf_exec *e, wf_array *const *in, int nin,
                      wf_array *const *out, int nout)
{
    if (!NEEDS(cx, e) || !has_count(cx, "wf_run_into", "inputs", in, nin, e->p->nin) ||
        !has_count(cx, "wf_run_into", "arrays for results", out, nout, e->p->nout))
        return ctx_status(cx);
    if (e->donated || e->device != e->plan->device) {
        fail(cx, WF_ERR_ARG, NOWHERE,
             "%s: results of this executable %s, and cannot go elsewhere", e->p->name,
             e->donated ? "take the memory of donated inputs" : "come from the host");
        return ctx_status(cx);
    }
    for (uint32_t j = 0; j < e->p->nout; j++)
        if (!may_take(cx, e, in, out, j))
            return ctx_status(cx);
    return exec_run(cx, e, in, (wf_array **)(uintptr_t)out, true);
}

/* ---- inputs by name ----------------------------------------------------------------- */

static int find_input(wf_ctx *cx, const char *fn, const Program *p, const char *name)
{
    int i = wf_program_find_input(p, name);

    if (i < 0)
        fail(cx, WF_ERR_NAME, NOWHERE, "%s: '%s' has no input '%s'", fn, p->name,
             name ? name : "");
    return i;
}

wf_status wf_run_named(wf_ctx *cx, wf_exec *e, const char *const *names,
                       wf_array *const *in, int nin, wf_array **out, int nout)
{
    wf_array *few[16] = {0}, **all = few;
    size_t room;

    for (int j = 0; out && j < nout; j++)
        out[j] = NULL;
    if (!NEEDS(cx, e) || !has_count(cx, "wf_run_named", "inputs", in, nin, e->p->nin) ||
        !NEEDS(cx, has_n(names, nin)))
        return ctx_status(cx);
    room = (size_t)nin * sizeof *all;
    if (nin > COUNT(few)) {
        if (!(all = mem_alloc(&cx->al, room))) {
            fail_memory(cx);
            return ctx_status(cx);
        }
        memset(all, 0, room);
    }
    for (int k = 0; k < nin && !failed(cx); k++) {
        int i = find_input(cx, "wf_run_named", e->p, names[k]);

        if (i >= 0 && all[i])
            fail(cx, WF_ERR_NAME, NOWHERE, "wf_run_named: input '%s' comes twice",
                 names[k]);
        else if (i >= 0)
            all[i] = in[k];
    }
    if (!failed(cx))
        wf_run(cx, e, all, nin, out, nout);
    if (all != few)
        mem_free(&cx->al, all, room);
    return ctx_status(cx);
}

/* ---- a call made ready -------------------------------------------------------------- */

struct wf_runner {
    wf_allocator al;
    wf_exec *e;
    uint32_t nin, nout;
    bool
        fresh; /* results are new arrays at each run: donated ones, and those of sizes that a run defines */
    wf_array **out; /* of the last run; NULL before */
    wf_array *in[]; /* then the results */
};

static size_t runner_size(uint32_t nin, uint32_t nout)
{
    return sizeof(wf_runner) + ((size_t)nin + nout) * sizeof(wf_array *);
}

wf_status wf_runner_new(wf_ctx *cx, wf_exec *e, wf_runner **out_runner)
{
    wf_runner *r;
    size_t size;

    if (!SET_OUT(cx, out_runner) || !NEEDS(cx, e))
        return ctx_status(cx);
    size = runner_size(e->p->nin, e->p->nout);
    if (!(r = mem_alloc(&cx->al, size))) {
        fail_memory(cx);
        return ctx_status(cx);
    }
    memset(r, 0, size);
    r->al = cx->al;
    r->e = wf_exec_retain(e);
    r->nin = e->p->nin;
    r->nout = e->p->nout;
    r->out = r->in + r->nin;
    r->fresh = e->donated || e->device != e->plan->device || plan_defines_sizes(e->p);
    *out_runner = r;
    return ctx_status(cx);
}

static void release_results(wf_runner *r)
{
    for (uint32_t j = 0; j < r->nout; j++) {
        wf_array_release(r->out[j]);
        r->out[j] = NULL;
    }
}

void wf_runner_free(wf_runner *r)
{
    wf_allocator al;

    if (!r)
        return;
    al = r->al;
    release_results(r);
    for (uint32_t i = 0; i < r->nin; i++)
        wf_array_release(r->in[i]);
    wf_exec_release(r->e);
    mem_free(&al, r, runner_size(r->nin, r->nout));
}

wf_status wf_runner_set(wf_ctx *cx, wf_runner *r, int input, wf_array *a)
{
    bool other;

    if (!NEEDS(cx, r && a))
        return ctx_status(cx);
    if (input < 0 || (uint32_t)input >= r->nin) {
        fail(cx, WF_ERR_INDEX, NOWHERE, "wf_runner_set: input %d, but '%s' has %u", input,
             r->e->p->name, r->nin);
        return ctx_status(cx);
    }
    wf_array_retain(a);
    /* other sizes, or memory that results lie in: new arrays */
    other = !r->in[input] || a->rank != r->in[input]->rank ||
            (a->rank && memcmp(array_dims(a), array_dims(r->in[input]),
                               a->rank * sizeof(int64_t)) != 0);
    for (uint32_t j = 0; j < r->nout && !other; j++)
        other = !r->out[j] || a->buf == r->out[j]->buf;
    if (other)
        release_results(r);
    wf_array_release(r->in[input]);
    r->in[input] = a;
    return ctx_status(cx);
}

wf_status wf_runner_set_named(wf_ctx *cx, wf_runner *r, const char *name, wf_array *a)
{
    int i = NEEDS(cx, r && a) ? find_input(cx, "wf_runner_set_named", r->e->p, name) : -1;

    return i < 0 ? ctx_status(cx) : wf_runner_set(cx, r, i, a);
}

/* Results go where those of the last run lie, if these are the runner's alone. */
static bool is_own(const wf_runner *r)
{
    for (uint32_t j = 0; j < r->nout; j++)
        if (!r->out[j] || !array_is_sole(r->out[j]) || array_is_gone(r->out[j]))
            return false;
    return !r->fresh;
}

wf_status wf_runner_run(wf_ctx *cx, wf_runner *r)
{
    if (!NEEDS(cx, r))
        return ctx_status(cx);
    if (!is_own(r)) {
        release_results(r);
        return wf_run(cx, r->e, r->in, (int)r->nin, r->out, (int)r->nout);
    }
    if (exec_run(cx, r->e, r->in, r->out, true) != WF_OK)
        release_results(r); /* they hold nothing that is defined */
    return ctx_status(cx);
}

wf_array *wf_runner_output(const wf_runner *r, int i)
{
    return r && i >= 0 && (uint32_t)i < r->nout ? r->out[i] : NULL;
}
