/* effect.c -- print and assert: at once, or when the program that is being built runs. */
#include "tensor/tensor.h"

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
