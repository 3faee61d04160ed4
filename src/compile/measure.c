/* measure.c -- runs of an executable on the clock, for reports. */
#include "compile/compile.h"

/* Inputs that e wants donated are held, so that they are there for the next run. */
static bool run_once(wf_ctx *cx, wf_exec *e, wf_array *const *in, wf_array **out)
{
    bool ok;

    for (uint32_t i = 0; in && i < e->p->nin; i++)
        wf_array_retain(in[i]);
    ok = wf_run(cx, e, in, (int)e->p->nin, out, (int)e->p->nout) == WF_OK;
    for (uint32_t i = 0; in && i < e->p->nin; i++)
        wf_array_release(in[i]);
    for (uint32_t j = 0; j < e->p->nout; j++)
        wf_array_release(out[j]);
    return ok;
}

/* Once to bind and warm up, then by the clock alone, then every step of it. */
static bool measure(wf_ctx *cx, wf_exec *e, wf_array *const *in, wf_array **out, int runs,
                    wf_profile **p)
{
    double start, seconds;
    bool ok = run_once(cx, e, in, out);

    start = clock_seconds();
    for (int i = 0; ok && i < runs; i++)
        ok = run_once(cx, e, in, out);
    seconds = clock_seconds() - start;
    if (!ok || wf_profile_begin(cx, p) != WF_OK)
        return false;
    for (int i = 0; ok && i < runs; i++)
        ok = run_once(cx, e, in, out);
    wf_profile_end(cx, *p);
    profile_of_runs(*p, runs, seconds / runs);
    return ok;
}

wf_status wf_profile_new(wf_ctx *cx, wf_exec *e, wf_array *const *in, int nin, int runs,
                         wf_profile **out_profile)
{
    size_t size = e ? (e->p->nout + 1) * sizeof(wf_array *) : 0;
    wf_array **out;

    if (!SET_OUT(cx, out_profile))
        return ctx_status(cx);
    if (!e || runs < 1) {
        fail(cx, WF_ERR_ARG, NOWHERE, "wf_profile_new: needs an executable and a run");
        return ctx_status(cx);
    }
    if (!has_count(cx, "wf_profile_new", "inputs", in, nin, e->p->nin))
        return ctx_status(cx);
    out = mem_alloc(&cx->al, size);
    if (!out) {
        fail_memory(cx);
        return ctx_status(cx);
    }
    if (!measure(cx, e, in, out, runs, out_profile)) {
        wf_profile_free(*out_profile);
        *out_profile = NULL;
    }
    mem_free(&cx->al, out, size);
    return ctx_status(cx);
}
