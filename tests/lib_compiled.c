/* lib_compiled.c -- see lib_compiled.h. */
#include "lib_compiled.h"
#include "runtime/runtime.h"

static double tolerance(wf_dtype t)
{
    t = dtype_part(t);
    return t == WF_F16 ? 8e-3 : t == WF_BF16 ? 6e-2 : t == WF_F32 ? 1e-5 : 1e-12;
}

double tolerance_by(const Program *p)
{
    double most = 0;

    for (Val v = 1; v < p->nvals; v++) {
        wf_dtype t = (wf_dtype)val_type(p, v).dtype;

        if (dtype_is_inexact(t))
            most = MAX(most, tolerance(t));
    }
    for (uint32_t i = 0; i < p->nsubs; i++)
        most = MAX(most, tolerance_by(p->subs[i]));
    return most;
}

static wf_array **to_arrays(wf_ctx *cx, const Program *p, const Nd *in)
{
    wf_array **x = arena_zalloc(&cx->scratch, (p->nin + 1) * sizeof *x);

    for (uint32_t i = 0; i < p->nin; i++)
        wf_array_from(cx, in[i].dtype, in[i].dims, (int)in[i].rank, in[i].data, &x[i]);
    return x;
}

static const char *compare_results(wf_ctx *cx, const Program *p, wf_array **got,
                                   wf_array **need, double least)
{
    for (uint32_t j = 0; j < p->nout; j++) {
        Nd x = nd_new(cx, wf_array_dtype(got[j]), wf_array_dims(got[j]),
                      (uint32_t)wf_array_rank(got[j]));
        Nd y = nd_new(cx, wf_array_dtype(need[j]), wf_array_dims(need[j]),
                      (uint32_t)wf_array_rank(need[j]));
        const char *why;

        array_copy_out(cx, got[j], x.data);
        array_copy_out(cx, need[j], y.data);
        why = nd_differ(cx, &x, &y, MAX(least, tolerance(x.dtype)));
        if (why)
            return arena_printf(&cx->scratch, "result %u: %s", j, why);
    }
    return NULL;
}

const char *compare_compiled(wf_ctx *cx, const Program *p, wf_exec *e, const Nd *in,
                             double least)
{
    wf_array **x = to_arrays(cx, p, in);
    wf_array **got = arena_zalloc(&cx->scratch, (p->nout + 1) * sizeof *got);
    wf_array **need = arena_zalloc(&cx->scratch, (p->nout + 1) * sizeof *need);
    wf_status a = wf_eval(cx, p, x, wf_program_inputs(p), need, wf_program_outputs(p)), b;
    const char *why = NULL;

    wf_clear(cx);
    b = wf_run(cx, e, x, wf_exec_inputs(e), got, wf_exec_outputs(e));
    if (a != b)
        why = arena_printf(&cx->scratch, "interpreted: %s, compiled: %s %s",
                           wf_status_name(a), wf_status_name(b), wf_ctx_message(cx));
    wf_clear(cx);
    if (a == WF_OK && b == WF_OK)
        why = compare_results(cx, p, got, need, least);
    for (uint32_t i = 0; i < p->nin; i++)
        wf_array_release(x[i]);
    for (uint32_t j = 0; j < p->nout; j++) {
        wf_array_release(got[j]);
        wf_array_release(need[j]);
    }
    return why;
}

const Program *derive_program(wf_ctx *cx, const Program *p, int how, const char **what)
{
    int *wrt = arena_array(&cx->scratch, p->nin + 1, sizeof *wrt), n = 0;
    int *axes = arena_zalloc(&cx->scratch, (p->nin + 1) * sizeof *axes);
    const Program *q = NULL;

    *what = how == 1 ? "vjp" : how == 2 ? "vmap" : "as it is";
    for (uint32_t i = 0; i < p->nin; i++)
        if (dtype_is_float((wf_dtype)val_type(p, i + 1).dtype))
            wrt[n++] = (int)i;
    if (how == 1 && n)
        q = xf_vjp(cx, p, wrt, n);
    else if (how == 2 && p->nin)
        q = xf_vmap(cx, p, axes, NULL, 3, NULL);
    wf_clear(cx);
    return q ? q : p;
}
