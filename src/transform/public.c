/* public.c -- the transforms of weft.h: arguments checked, results handed to the
 * caller. */
#include "transform/transform.h"

typedef const Program *Transform(wf_ctx *cx, const Program *p, const int *wrt, int nwrt);

static wf_status bad_arg(wf_ctx *cx, const char *name, const char *what)
{
    if (!cx)
        return WF_ERR_ARG;
    fail(cx, WF_ERR_ARG, NOWHERE, "%s: %s", name, what);
    return ctx_status(cx);
}

static const Program *keep(wf_ctx *cx, const Program *p)
{
    return p && !failed(cx) ? program_retain(p) : NULL;
}

static const int first_input[] = {0}; /* what wrt NULL and n 0 mean */

static wf_status apply(wf_ctx *cx, const char *name, Transform *fn, const wf_program *f,
                       const int *wrt, int n, const wf_program **out)
{
    if (!wrt && n == 0)
        return apply(cx, name, fn, f, first_input, 1, out);
    if (out)
        *out = NULL;
    if (!cx || !f || !out)
        return bad_arg(cx, name, "an argument is NULL");
    if (!wrt || n <= 0)
        return bad_arg(cx, name, "wrt is empty");
    API_ENTER(cx);
    *out = keep(cx, fn(cx, f, wrt, n));
    API_RETURN(cx);
}

static const Program *grad(wf_ctx *cx, const Program *p, const int *wrt, int n)
{
    return xf_grad(cx, p, wrt, n, false);
}

static const Program *value_and_grad(wf_ctx *cx, const Program *p, const int *wrt, int n)
{
    return xf_grad(cx, p, wrt, n, true);
}

wf_status wf_jvp(wf_ctx *cx, const wf_program *f, const int *wrt, int n,
                 const wf_program **out)
{
    return apply(cx, "wf_jvp", xf_jvp_user, f, wrt, n, out);
}

wf_status wf_vjp(wf_ctx *cx, const wf_program *f, const int *wrt, int n,
                 const wf_program **out)
{
    return apply(cx, "wf_vjp", xf_vjp, f, wrt, n, out);
}

wf_status wf_grad(wf_ctx *cx, const wf_program *f, const int *wrt, int n,
                  const wf_program **out)
{
    return apply(cx, "wf_grad", grad, f, wrt, n, out);
}

wf_status wf_value_and_grad(wf_ctx *cx, const wf_program *f, const int *wrt, int n,
                            const wf_program **out)
{
    return apply(cx, "wf_value_and_grad", value_and_grad, f, wrt, n, out);
}

wf_status wf_jacfwd(wf_ctx *cx, const wf_program *f, const int *wrt, int n,
                    const wf_program **out)
{
    return apply(cx, "wf_jacfwd", xf_jacfwd, f, wrt, n, out);
}

wf_status wf_jacrev(wf_ctx *cx, const wf_program *f, const int *wrt, int n,
                    const wf_program **out)
{
    return apply(cx, "wf_jacrev", xf_jacrev, f, wrt, n, out);
}

wf_status wf_hessian(wf_ctx *cx, const wf_program *f, const int *wrt, int n,
                     const wf_program **out)
{
    return apply(cx, "wf_hessian", xf_hessian, f, wrt, n, out);
}

wf_status wf_hvp(wf_ctx *cx, const wf_program *f, const int *wrt, int n,
                 const wf_program **out)
{
    return apply(cx, "wf_hvp", xf_hvp, f, wrt, n, out);
}

/* ---- those that give two
 * ------------------------------------------------------------ */

typedef bool Transform2(wf_ctx *cx, const Program *p, const int *wrt, int nwrt,
                        const Program **out_a, const Program **out_b);

static wf_status apply2(wf_ctx *cx, const char *name, Transform2 *fn, const wf_program *f,
                        const int *wrt, int n, const wf_program **out_a,
                        const wf_program **out_b)
{
    const Program *a, *b;

    if (!wrt && n == 0)
        return apply2(cx, name, fn, f, first_input, 1, out_a, out_b);
    if (out_a)
        *out_a = NULL;
    if (out_b)
        *out_b = NULL;
    if (!cx || !f || !out_a || !out_b)
        return bad_arg(cx, name, "an argument is NULL");
    if (!wrt || n <= 0)
        return bad_arg(cx, name, "wrt is empty");
    API_ENTER(cx);
    if (fn(cx, f, wrt, n, &a, &b)) {
        *out_a = keep(cx, a);
        *out_b = keep(cx, b);
    }
    API_RETURN(cx);
}

wf_status wf_linearize(wf_ctx *cx, const wf_program *f, const int *wrt, int n,
                       const wf_program **out_forward, const wf_program **out_linear)
{
    return apply2(cx, "wf_linearize", xf_linearize, f, wrt, n, out_forward, out_linear);
}

wf_status wf_partition(wf_ctx *cx, const wf_program *f, const int *wrt, int n,
                       const wf_program **out_forward, const wf_program **out_backward)
{
    return apply2(cx, "wf_partition", xf_split, f, wrt, n, out_forward, out_backward);
}

/* ---- the others -------------------------------------------------------------------- */

wf_status wf_vmap(wf_ctx *cx, const wf_program *f, const int *axes, int n,
                  const char *axis_name, int64_t size, const wf_program **out)
{
    if (out)
        *out = NULL;
    if (!cx || !f || !out)
        return bad_arg(cx, "wf_vmap", "an argument is NULL");
    if (!has_count(cx, "wf_vmap", "axes", axes, n, f->nin))
        return ctx_status(cx);
    API_ENTER(cx);
    *out = keep(cx, xf_vmap(cx, f, axes, axis_name, size, NULL));
    API_RETURN(cx);
}

wf_status wf_spread(wf_ctx *cx, const wf_program *f, const char *mesh, const char *in_specs,
                    const char *out_specs, const wf_program **out)
{
    if (out)
        *out = NULL;
    if (!cx || !f || !out || !mesh || !in_specs)
        return bad_arg(cx, "wf_spread", "an argument is NULL");
    API_ENTER(cx);
    *out = keep(cx, xf_spread(cx, f, mesh, in_specs, out_specs));
    API_RETURN(cx);
}

wf_status wf_specialise(wf_ctx *cx, const wf_program *f, const char *const *symbols,
                        const int64_t *values, int n, const wf_program **out)
{
    if (out)
        *out = NULL;
    if (!cx || !f || !out || n < 0 || (n && (!symbols || !values)))
        return bad_arg(cx, "wf_specialise", "an argument is NULL");
    for (int i = 0; i < n; i++)
        if (!symbols[i] || values[i] < 0)
            return bad_arg(cx, "wf_specialise", "a symbol is NULL or a size negative");
    API_ENTER(cx);
    *out = keep(cx, program_specialise(cx, f, symbols, values, (uint32_t)n));
    API_RETURN(cx);
}

wf_status wf_bind(wf_ctx *cx, const wf_program *f, const int *which,
                  wf_array *const *arrays, int n, const wf_program **out)
{
    if (out)
        *out = NULL;
    if (!cx || !f || !out || n < 0 || (n && (!which || !arrays)))
        return bad_arg(cx, "wf_bind", "an argument is NULL");
    API_ENTER(cx);
    *out = keep(cx, xf_bind(cx, f, which, arrays, n));
    API_RETURN(cx);
}

wf_status wf_mixed(wf_ctx *cx, const wf_program *f, wf_dtype dtype, const wf_program **out)
{
    if (out)
        *out = NULL;
    if (!cx || !f || !out)
        return bad_arg(cx, "wf_mixed", "an argument is NULL");
    API_ENTER(cx);
    if (dtype != WF_F16 && dtype != WF_BF16)
        fail(cx, WF_ERR_TYPE, NOWHERE, "mixed: f16 or bf16 is needed, found %s", wf_dtype_name(dtype));
    else
        *out = keep(cx, xf_mixed(cx, f, dtype));
    API_RETURN(cx);
}

wf_status wf_prune(wf_ctx *cx, const wf_program *f, const wf_program **out)
{
    if (out)
        *out = NULL;
    if (!cx || !f || !out)
        return bad_arg(cx, "wf_prune", "an argument is NULL");
    API_ENTER(cx);
    *out = keep(cx, program_dce(cx, f));
    API_RETURN(cx);
}
