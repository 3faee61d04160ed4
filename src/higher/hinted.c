/* hinted.c -- tracing with an example: every open size becomes a symbol that knows the example's size (tensor/hint.c), so
 * that one trace serves all sizes for which nothing in it would be different.
 */
#include "higher/higher.h"

/* Types of the example with a symbol for each size but 0 that is open (a bit an axis), in the innermost trace. */
static bool hinted_shape(wf_ctx *c, const Shape *s, uint64_t open, uint32_t *count,
                         Shape *out)
{
    Trace *tr = c->tensors->trace;

    T_ENTER(c, false)
    *out = *s;
    for (uint32_t k = 0; k < s->rank; k++)
        if (s->d[k] > 0 && open >> k & 1) {
            out->d[k] = b_symbol(tr->b, arena_printf(&c->scratch, "s%u", (*count)++));
            tr->b->dims.syms.v[tr->b->dims.syms.n - 1].hint = s->d[k];
        }
    T_LEAVE(c);
    return !failed(c);
}

typedef struct Hinted {
    const wf_tensor *example;
    const bool *fixed;    /* inputs whose sizes stay; NULL: none */
    const uint64_t *open; /* axes of each input that become symbols; NULL: all */
} Hinted;

static bool hinted_inputs(wf_ctx *c, const wf_function *f, void *user, wf_tensor *in)
{
    const Hinted *h = user;
    uint32_t count = 0;
    Shape s, sym;

    c->tensors->trace->hinted = true;
    c->tensors->trace->example = h->example;
    for (int i = 0; i < f->inputs; i++) {
        if (!shape_of(c, h->example[i], "wf_trace_hinted", &s) ||
            !hinted_shape(c, &s, h->fixed && h->fixed[i] ? 0 : h->open ? h->open[i] : UINT64_MAX, &count, &sym))
            return false;
        in[i] = trace_input(c, c->tensors->trace, NULL, wf_dtype_of(c, h->example[i]), sym.d, sym.rank);
        if (failed(c))
            return false;
        tensor_get(c, in[i], "wf_trace_hinted")->weak = wf_is_weak(c, h->example[i]);
    }
    return true;
}

wf_tensor wf_trace_value(wf_ctx *c, wf_tensor t)
{
    Trace *tr = ts(c) ? c->tensors->trace : NULL;
    wf_tensor r = WF_NONE;
    const Program *p = NULL;

    if (failed(c) || !wf_is_symbolic(c, t))
        return t;
    if (tr && tr->example)
        p = trace_finish(c, &t, 1);
    if (p) {
        wf_no_grad_begin(c);
        tensor_call(c, p, tr->example, p->nin, &r, 1);
        wf_no_grad_end(c);
        program_release(p);
    }
    if (!failed(c) && (!p || wf_is_symbolic(c, r)))
        tensor_fail(c, WF_ERR_VALUE, "wf_trace_value: the value is not known while tracing");
    return failed(c) ? WF_NONE : r;
}

/* Built again: what became an identity by substitution goes. */
static const Program *tidied(wf_ctx *c, const Program *p)
{
    const Program *q;

    T_ENTER(c, NULL)
    q = program_retain(program_specialise(c, p, NULL, NULL, 0));
    T_LEAVE(c);
    return q;
}

wf_status wf_trace_hinted(wf_ctx *c, const wf_function *f, const wf_tensor *example,
                          const bool *fixed, int n, const wf_program **out)
{
    return function_trace_hinted(c, f, example, fixed, NULL, n, out);
}

wf_status function_trace_hinted(wf_ctx *c, const wf_function *f, const wf_tensor *example, const bool *fixed,
                              const uint64_t *open, int n, const wf_program **out)
{
    Hinted h = {example, fixed, open};
    Traced t = {0};

    if (!SET_OUT(c, out))
        return ctx_status(c);
    if (!function_check(c, f, "wf_trace_hinted") ||
        !has_count(c, "wf_trace_hinted", "inputs", example, n, f->inputs))
        return ctx_status(c);
    for (int i = 0; i < f->inputs; i++)
        if (wf_is_symbolic(c, example[i]))
            tensor_fail(c, WF_ERR_VALUE, "wf_trace_hinted: the example must be concrete");
    if (!failed(c) && function_trace_closed(c, "wf_trace_hinted", f, hinted_inputs, &h, &t))
        *out = tidied(c, t.p);
    traced_free(c, &t);
    return ctx_status(c);
}
