/* collective.c -- talking over the named axis of a vmap; and the two effects, print and
 * assert.
 *
 * A vmap traces its function with the name and size of its axis on the trace; a
 * collective looks for the name from the innermost trace outwards and enters the
 * program, also when its operand is concrete.
 *
 * Effects with a trace open are part of the program, whatever their operands are.
 */
#include "tensor/tensor.h"

/* The size of the axis in the innermost trace; false with an error. */
static bool find_axis(wf_ctx *c, const char *fn, const char *axis, Dim *out)
{
    Trace *to, *tr;

    if (failed(c) || !ts(c))
        return false;
    to = c->tensors->trace;
    for (tr = to; tr; tr = tr->outer)
        if (tr->axis.name && axis && !strcmp(tr->axis.name, axis)) {
            *out = tr->axis.size;
            if (*out >= 0 || !tr->outer)
                return true;
            T_ENTER(c, false)
            *out = trace_dim(c, to->b, tr->outer, *out);
            T_LEAVE(c);
            return !failed(c);
        }
    tfail(c, WF_ERR_NAME,
          "%s: axis '%s' is not bound: needs a vmap over an axis of that name", fn,
          axis ? axis : "(null)");
    return false;
}

static wf_tensor emit(wf_ctx *c, OpCode op, const wf_tensor *in, uint32_t nin,
                      const void *attr, const char *fn)
{
    Tensor *x = nin ? tensor_get(c, in[0], fn) : NULL, *out = NULL;
    bool weak;

    if (failed(c) || (nin && !x))
        return WF_NONE;
    weak = x && x->weak;
    if (!trace_emit(c, op, &x, nin, attr, &out, 1))
        return WF_NONE;
    out->weak = weak;
    return tensor_handle(c, out);
}

static wf_tensor over_axis(wf_ctx *c, OpCode op, wf_tensor x, const char *axis,
                           const char *fn)
{
    CollectiveAttr a = {.axis = axis, .size = DIM_NONE};
    Dim size;

    return find_axis(c, fn, axis, &size) ? emit(c, op, &x, 1, &a, fn) : WF_NONE;
}

wf_tensor wf_psum(wf_ctx *c, wf_tensor x, const char *axis)
{
    if (wf_dtype_of(c, x) == WF_BOOL)
        x = wf_cast(c, x, WF_I32);
    return over_axis(c, OP_psum, x, axis, "wf_psum");
}

wf_tensor wf_pmean(wf_ctx *c, wf_tensor x, const char *axis)
{
    Dim size;

    if (!find_axis(c, "wf_pmean", axis, &size))
        return WF_NONE;
    x = as_float(c, x, "wf_pmean");
    return wf_div(
        c, wf_psum(c, x, axis),
        wf_set_weak(c, wf_cast(c, size_tensor(c, size), wf_dtype_of(c, x)), true));
}

wf_tensor wf_pmax(wf_ctx *c, wf_tensor x, const char *axis)
{
    return over_axis(c, OP_pmax, x, axis, "wf_pmax");
}

/* -max(-x); of integers ~max(~x), which has no overflow */
wf_tensor wf_pmin(wf_ctx *c, wf_tensor x, const char *axis)
{
    bool real = dtype_is_inexact(wf_dtype_of(c, x));

    x = real ? wf_neg(c, x) : wf_bitwise_not(c, x);
    x = over_axis(c, OP_pmax, x, axis, "wf_pmin");
    return real ? wf_neg(c, x) : wf_bitwise_not(c, x);
}

wf_tensor wf_all_gather(wf_ctx *c, wf_tensor x, const char *axis, int at)
{
    CollectiveAttr a = {.axis = axis};
    uint32_t k;

    if (!find_axis(c, "wf_all_gather", axis, &a.size) ||
        !axis_of(c, "wf_all_gather", at, (uint32_t)wf_rank(c, x) + 1, &k))
        return WF_NONE;
    a.at = k;
    return emit(c, OP_all_gather, &x, 1, &a, "wf_all_gather");
}

wf_tensor wf_ppermute(wf_ctx *c, wf_tensor x, const char *axis, const int64_t *pairs,
                      int n)
{
    CollectiveAttr a = {.axis = axis, .perm = {2 * (uint32_t)n, pairs}};

    if (!find_axis(c, "wf_ppermute", axis, &a.size))
        return WF_NONE;
    return emit(c, OP_ppermute, &x, 1, &a, "wf_ppermute");
}

wf_tensor wf_axis_index(wf_ctx *c, const char *axis)
{
    CollectiveAttr a = {.axis = axis};

    if (!find_axis(c, "wf_axis_index", axis, &a.size))
        return WF_NONE;
    return emit(c, OP_axis_index, NULL, 0, &a, "wf_axis_index");
}

int64_t wf_axis_size(wf_ctx *c, const char *axis)
{
    Dim size;

    return find_axis(c, "wf_axis_size", axis, &size) ? size : -1;
}

/* ---- effects ---- */

wf_status wf_print(wf_ctx *c, const char *format, const wf_tensor *t, int n)
{
    if (NEEDS(c, format && has_n(t, n)))
        tensor_op(c, OP_print, t, (uint32_t)n, &(PrintAttr){format}, NULL, 0);
    return ctx_status(c);
}

wf_status wf_assert(wf_ctx *c, wf_tensor ok, const char *message, const wf_tensor *t,
                    int n)
{
    size_t room = ((size_t)n + 1) * sizeof *t;
    wf_tensor *v;

    if (!NEEDS(c, message && has_n(t, n)))
        return ctx_status(c);
    if (!(v = mem_alloc(&c->al, room))) {
        fail_memory(c);
    } else {
        v[0] = ok;
        if (n)
            memcpy(v + 1, t, (size_t)n * sizeof *t);
        tensor_op(c, OP_assert, v, (uint32_t)n + 1, &(PrintAttr){message}, NULL, 0);
        mem_free(&c->al, v, room);
    }
    return ctx_status(c);
}
