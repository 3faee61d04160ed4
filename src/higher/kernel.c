/* kernel.c -- kernels of the host as functions of tensors.
 *
 * The op (op/op_host.c) knows the kernel by name. One with a vjp stands in a custom_vjp whose rules are traced here, so that
 * what a program needs of the host, in a file too, is the kernel's numbers alone.
 *
 *   forward    x.. -> (y.., x.., y..)       backward   (x.., y.., gy..) -> gx..
 */
#include "higher/higher.h"

static bool is_name(const char *s)
{
    size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._");

    return n > 0 && n < 200 && !s[n];
}

wf_status wf_kernel_register(wf_ctx *c, const wf_kernel *kernel)
{
    wf_kernel k;
    wf_runtime *r;
    const char *why;

    if (!NEEDS(c, kernel && kernel->size >= sizeof k))
        return ctx_status(c);
    k = *kernel;
    API_ENTER(c);
    if (!k.name || !is_name(k.name) || !k.type || !k.run || k.inputs < 0 || k.outputs < 1 || k.inputs > UINT16_MAX ||
        k.outputs > UINT16_MAX)
        fail(c, WF_ERR_ARG, NOWHERE, "wf_kernel_register: needs a name of letters, digits, . and _, a result, type and run");
    else if (!(r = ctx_runtime(c)))
        fail_memory(c);
    else if ((why = runtime_add_kernel(r, &k)))
        fail(c, WF_ERR_NAME, NOWHERE, "wf_kernel_register: '%s': %s", k.name, why);
    API_RETURN(c);
}

/* The types of the results, as the kernel says. */
static bool ask_types(wf_ctx *c, const wf_kernel *k, const wf_tensor *in, wf_kernel_value *v)
{
    wf_kernel_value *out = v + k->inputs;
    wf_status s;
    Shape sh;

    memset(out, 0, (size_t)k->outputs * sizeof *out);
    for (int i = 0; i < k->inputs; i++) {
        if (!shape_of(c, in[i], k->name, &sh))
            return false;
        v[i] = (wf_kernel_value){.dtype = wf_dtype_of(c, in[i]), .rank = (int)sh.rank};
        memcpy(v[i].dims, sh.d, sh.rank * sizeof *sh.d);
    }
    s = k->type(c, k->user, v, k->inputs, out, k->outputs);
    if (s != WF_OK && !failed(c))
        tensor_fail(c, s, "%s: the kernel takes no operands of these types", k->name);
    for (int j = 0; j < k->outputs && !failed(c); j++) {
        if (!dtype_is_usable(out[j].dtype) || out[j].rank < 0 || out[j].rank > WF_MAX_RANK)
            tensor_fail(c, WF_ERR_TYPE, "%s: its type rule does not say what result %d is", k->name, j);
        for (int i = 0; i < out[j].rank && !failed(c); i++)
            if (out[j].dims[i] < 0 && !size_is_known(c, out[j].dims[i]))
                tensor_fail(c, WF_ERR_SHAPE, "%s: its type rule gives axis %d of result %d the size %lld", k->name, i, j,
                      (long long)out[j].dims[i]);
    }
    return !failed(c);
}

/* The op itself. */
static wf_status call_op(wf_ctx *c, void *user, const wf_tensor *in, int nin, wf_tensor *out, int nout)
{
    const wf_kernel *k = user;
    size_t n = (size_t)nin + (size_t)nout, bytes = n * sizeof(wf_kernel_value);
    size_t numbers = (size_t)nout * (WF_MAX_RANK + 2) * sizeof(int64_t);
    wf_kernel_value *v = mem_alloc(&c->al, bytes);
    int64_t *dtypes = mem_alloc(&c->al, numbers), *ranks, *dims;
    HostAttr a = {.kernel = k->name, .leading = k->leading};
    uint32_t at = 0;

    if (!v || !dtypes) {
        fail_memory(c);
    } else if (ask_types(c, k, in, v)) {
        ranks = dtypes + nout;
        dims = ranks + nout;
        for (int j = 0; j < nout; j++) {
            dtypes[j] = v[nin + j].dtype;
            ranks[j] = v[nin + j].rank;
            for (int i = 0; i < v[nin + j].rank; i++)
                dims[at++] = v[nin + j].dims[i];
        }
        a.dtypes = (Ints){(uint32_t)nout, dtypes};
        a.ranks = (Ints){(uint32_t)nout, ranks};
        a.dims = (Ints){at, dims};
        tensor_op(c, OP_host, in, (uint32_t)nin, &a, out, (uint32_t)nout);
    }
    mem_free(&c->al, v, bytes);
    mem_free(&c->al, dtypes, numbers);
    return ctx_status(c);
}

static wf_status call_forward(wf_ctx *c, void *user, const wf_tensor *in, int nin, wf_tensor *out, int nout)
{
    int k = ((const wf_kernel *)user)->outputs;

    (void)nout;
    if (call_op(c, user, in, nin, out, k) != WF_OK)
        return ctx_status(c);
    memcpy(out + k, in, (size_t)nin * sizeof *in);
    memcpy(out + k + nin, out, (size_t)k * sizeof *out);
    return WF_OK;
}

/* in: operands, results, cotangents of float results */
static wf_status call_backward(wf_ctx *c, void *user, const wf_tensor *in, int nin, wf_tensor *out, int nout)
{
    const wf_kernel *k = user;
    wf_status s = k->vjp(c, k->user, in, k->inputs, in + k->inputs, k->outputs, in + k->inputs + k->outputs,
                         nin - k->inputs - k->outputs, out, nout);

    if (s != WF_OK && !failed(c))
        tensor_fail(c, s, "%s: its vjp failed", k->name);
    return ctx_status(c);
}

static int count_floats(wf_ctx *c, const wf_tensor *in, int n)
{
    int floats = 0;

    for (int i = 0; i < n; i++)
        floats += dtype_is_differentiable(wf_dtype_of(c, in[i]));
    return floats;
}

wf_status wf_kernel_call(wf_ctx *c, const char *name, const wf_tensor *in, int nin, wf_tensor *out, int nout)
{
    const wf_kernel *k;
    wf_runtime *r;
    void *user;

    IN_GRAPH_(graph_enter_handles(c, in, nin));
    for (int j = 0; out && j < nout; j++)
        out[j] = WF_NONE;
    if (!NEEDS(c, name && has_n(in, nin) && has_n(out, nout)) || !ts(c))
        return ctx_status(c);
    if (!(r = ctx_runtime(c)))
        return fail_memory(c), ctx_status(c);
    if (!(k = runtime_find_kernel(r, name)))
        return tensor_fail(c, WF_ERR_NAME, "wf_kernel_call: the kernel '%s' is not registered", name), ctx_status(c);
    if (!has_count(c, k->name, "operands", in, nin, k->inputs) || !has_count(c, k->name, "results", out, nout, k->outputs))
        return ctx_status(c);
    user = (void *)(uintptr_t)k;
    if (!k->vjp)
        return call_op(c, user, in, nin, out, nout);
    wf_function f = WF_FUNCTION(call_op, user, nin, nout, k->name);
    wf_function forward = WF_FUNCTION(call_forward, user, nin, 2 * nout + nin, k->name);
    wf_function backward = WF_FUNCTION(call_backward, user, WF_ANY, count_floats(c, in, nin), k->name);
    return wf_custom_vjp_call(c, &f, &forward, &backward, in, nin, out, nout);
}
