/* op_host.c -- host: a kernel that the host registered, by its name; callback: the same as an effect.
 *
 * A name with CALLBACK_MARK is that of a function of whoever runs the context, a script's: it knows which names it gave out,
 * and a file cannot guess one.
 *
 * The equation says the types of its results, so that a program can be read, transformed and optimised where the kernel
 * is not there. It cannot be run there; and where it is run, the kernel's own type rule has the last word, since a file may
 * say anything. Derivatives are not the op's: wf_kernel_call makes a custom_vjp around it.
 */
#include "op/op.h"

static bool type_host(TypeRule *t)
{
    const HostAttr *a = t->attr;
    uint32_t at = 0;

    if (a->dtypes.n != a->ranks.n)
        return type_fail(t, WF_ERR_VALUE, "%u dtypes, but %u ranks", a->dtypes.n,
                         a->ranks.n);
    for (uint32_t i = 0; i < a->ranks.n; i++) {
        if (a->dtypes.v[i] <= 0 || a->dtypes.v[i] >= WF_DTYPE_COUNT ||
            !dtype_is_usable((wf_dtype)a->dtypes.v[i]))
            return type_fail(t, WF_ERR_VALUE, "%lld is no dtype",
                             (long long)a->dtypes.v[i]);
        if (a->ranks.v[i] < 0 || a->ranks.v[i] > WF_MAX_RANK ||
            a->ranks.v[i] > (int64_t)(a->dims.n - at))
            return type_fail(t, WF_ERR_VALUE,
                             "result %u has %lld axes, found sizes of %u", i,
                             (long long)a->ranks.v[i], a->dims.n - at);
        type_out(t, (wf_dtype)a->dtypes.v[i], a->dims.v + at, (uint32_t)a->ranks.v[i]);
        at += (uint32_t)a->ranks.v[i];
    }
    return at == a->dims.n ||
           type_fail(t, WF_ERR_VALUE, "%u sizes, but the ranks need %u", a->dims.n, at);
}

static wf_kernel_value value_of(const Nd *x)
{
    wf_kernel_value v = {.dtype = x->dtype, .rank = (int)x->rank, .data = x->data};

    memcpy(v.dims, x->dims, x->rank * sizeof *v.dims);
    return v;
}

static bool is_type(const wf_kernel_value *v, const Nd *x)
{
    return v->dtype == x->dtype && v->rank == (int)x->rank &&
           !memcmp(v->dims, x->dims, x->rank * sizeof *v->dims);
}

/* A callback's status, with its own words where it had some. */
static bool check_status(Eval *e, const char *name, wf_status status)
{
    if (status != WF_OK && !failed(e->cx))
        return eval_fail(e, status, "the kernel '%s' failed", name);
    return !failed(e->cx);
}

static void take_values(const Nd *x, uint32_t n, wf_kernel_value *v)
{
    for (uint32_t i = 0; i < n; i++)
        v[i] = value_of(&x[i]);
}

static bool call_back(Eval *e, const char *name, wf_kernel_value *in, wf_kernel_value *out)
{
    wf_ctx *cx = e->cx;

    if (!cx->call_back)
        return eval_fail(e, WF_ERR_NAME, "it calls a function of a script, and there is none here");
    take_values(e->in, e->nin, in);
    take_values(e->out, e->nout, out);
    return check_status(e, name, cx->call_back(cx, cx->call_user, name, in, (int)e->nin, out, (int)e->nout));
}

static bool eval_host(Eval *e)
{
    const HostAttr *a = e->attr;
    const wf_kernel *k;
    wf_kernel_value *v = arena_array(e->a, 2 * ((size_t)e->nin + e->nout) + 1, sizeof *v),
                    *out = v + e->nin, *want = out + e->nout;

    if (a->kernel[0] == CALLBACK_MARK)
        return call_back(e, a->kernel, v, out);
    if (!(k = runtime_find_kernel(ctx_runtime(e->cx), a->kernel)))
        return eval_fail(e, WF_ERR_NAME, "the kernel '%s' is not registered", a->kernel);
    if (k->inputs != (int)e->nin || k->outputs != (int)e->nout)
        return eval_fail(e, WF_ERR_ARG,
                         "the kernel '%s' takes %d and gives %d, found %u and %u",
                         k->name, k->inputs, k->outputs, e->nin, e->nout);
    take_values(e->in, e->nin, v);
    for (uint32_t i = 0; i < e->nin; i++)
        v[i].data = NULL;
    memset(want, 0, e->nout * sizeof *want);
    if (!check_status(e, k->name, k->type(e->cx, k->user, v, k->inputs, want, k->outputs)))
        return false;
    for (uint32_t j = 0; j < e->nout; j++) {
        if (!is_type(&want[j], &e->out[j]))
            return eval_fail(
                e, WF_ERR_TYPE,
                "the kernel '%s' gives another type as result %u than the program says",
                k->name, j);
    }
    take_values(e->in, e->nin, v);
    take_values(e->out, e->nout, out);
    return check_status(e, k->name, k->run(e->cx, k->user, v, k->inputs, out, k->outputs));
}

static void jvp_host(Builder *b, const EqnView *e, const Val *dx, Val *dy)
{
    (void)dx, (void)dy;
    if (((const HostAttr *)e->attr)->kernel[0] == CALLBACK_MARK)
        fail(b->cx, WF_ERR_UNSUPPORTED, e->place, "%s: a function of a script has no derivative", op_name(e->op));
    else
        fail(b->cx, WF_ERR_NORULE, e->place, "%s: the kernel '%s' was registered without a vjp, so it has no derivative",
             op_name(e->op), ((const HostAttr *)e->attr)->kernel);
}

static void batch_host(Builder *b, const EqnView *e, const Batch *bt, Val *out,
                       int *out_axis)
{
    const HostAttr *a = e->attr;
    HostAttr n = *a;
    Val *in = arena_array(&b->arena, e->nin + 1u, sizeof *in);
    int64_t *ranks = arena_array(&b->arena, a->ranks.n + 1u, sizeof *ranks);
    int64_t *dims = arena_array(&b->arena, a->dims.n + a->ranks.n + 1u, sizeof *dims);
    uint32_t at = 0, from = 0;

    if (a->alone) {
        fail(b->cx, WF_ERR_UNSUPPORTED, e->place, "%s: there is no call of it for a batch", op_name(e->op));
        return;
    }
    if (!a->leading) {
        batch_loop(b, e, bt, out, out_axis);
        return;
    }
    for (uint32_t i = 0; i < a->ranks.n; i++) {
        ranks[i] = a->ranks.v[i] + 1;
        dims[at++] = bt->size;
        for (int64_t k = 0; k < a->ranks.v[i]; k++)
            dims[at++] = a->dims.v[from++];
        out_axis[i] = 0;
    }
    n.ranks = (Ints){a->ranks.n, ranks};
    n.dims = (Ints){at, dims};
    batch_front(b, e, bt, !a->single, in);
    for (uint32_t i = 0; i < e->nin && a->single; i++)
        if (bt->axis[i] < 0)
            in[i] = b_expand(b, in[i], 0);
    b_eqn(b, (OpCode)e->op, in, e->nin, &n, out, e->nout);
}

static const AttrField attrs_host[] = {
    FIELD(HostAttr, kernel, A_STR, ATTR_REQUIRED),
    FIELD(HostAttr, dtypes, A_INTS, 0),
    FIELD(HostAttr, ranks, A_INTS, 0),
    FIELD(HostAttr, dims, A_DIMS, 0),
    FIELD(HostAttr, leading, A_BOOL, 0),
    FIELD(HostAttr, single, A_BOOL, 0),
    FIELD(HostAttr, alone, A_BOOL, 0),
    FIELD_END,
};

#define HOST_ROW {.attrs = attrs_host, .attr_size = sizeof(HostAttr), .type = type_host, .eval = eval_host, .lower = {.kind = LOWER_LIBRARY}}

const OpRow op_row_host = HOST_ROW;
const OpRow op_row_callback = HOST_ROW;

const OpRules op_rules_host = {
    .doc = DOC("y.. = kernel(x..): a function that the host registered under that name "
               "(wf_kernel_register). dtypes (numbers of "
               "wf_dtype), ranks and dims: the types of the results, one after the "
               "other. leading: it takes a batch as one axis more "
               "in front of all operands; single: which is of size 1 where an operand has no batch; alone: "
               "it takes no batch. Fails where the kernel is not registered, "
               "gives other types, or fails. Its derivative is "
               "that of the custom_vjp around it. A name that begins with @ is that of a function of the "
               "script that made the program, and is of use there alone."),
    .jvp = jvp_host,
    .batch = batch_host,
};
const OpRules op_rules_callback = {
    .doc = DOC("y.. = kernel(x..) as host, with the effects of the function: it is called once, in order, whoever uses "
               "the results. In forward mode of the primals only, where it has no results; in reverse mode with the forward "
               "pass."),
    .jvp = jvp_host,
    .batch = batch_host,
};
