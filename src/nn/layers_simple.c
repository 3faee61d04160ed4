/* layers_simple.c -- layers without weights, and containers. */
#include "nn/nn.h"

#include <stdarg.h>

/* ---- one function of one tensor ---------------------------------------------------- */

typedef enum Kind {
    RELU,
    GELU,
    GELU_TANH,
    SILU,
    TANH,
    SIGMOID,
    ELU,
    LEAKY,
    SOFTPLUS,
    SOFTMAX,
    LOG_SOFTMAX,
    FLATTEN,
    IDENTITY
} Kind;

typedef struct Simple {
    Kind kind;
    double x;     /* alpha, slope, beta */
    int from, to; /* axes */
} Simple;

static wf_tensor apply(wf_ctx *c, const Simple *v, wf_tensor x)
{
    switch (v->kind) {
    case RELU: return wf_relu(c, x);
    case GELU: return wf_gelu(c, x, false);
    case GELU_TANH: return wf_gelu(c, x, true);
    case SILU: return wf_silu(c, x);
    case TANH: return wf_tanh(c, x);
    case SIGMOID: return wf_sigmoid(c, x);
    case ELU: return wf_elu(c, x, v->x);
    case LEAKY: return wf_leaky_relu(c, x, v->x);
    case SOFTPLUS: return wf_softplus(c, x, v->x);
    case SOFTMAX: return wf_softmax(c, x, v->from);
    case LOG_SOFTMAX: return wf_log_softmax(c, x, v->from);
    case FLATTEN: return wf_flatten(c, x, v->from, v->to);
    case IDENTITY: return x;
    }
    return WF_NONE;
}

static wf_status forward_simple(wf_ctx *c, wf_module *m, const wf_tensor *in, int nin,
                                wf_tensor *out, int nout)
{
    if (nin != 1 || nout != 1)
        return nn_gave_up(c);
    out[0] = apply(c, wf_module_data(m), in[0]);
    return WF_OK;
}

static wf_module *simple(wf_ctx *c, const char *type, Simple v)
{
    wf_module *m = wf_module_new(c, type, forward_simple, sizeof v);

    if (m)
        *(Simple *)wf_module_data(m) = v;
    return m;
}

wf_module *wf_nn_relu(wf_ctx *c) { return simple(c, "ReLU", (Simple){.kind = RELU}); }
wf_module *wf_nn_silu(wf_ctx *c) { return simple(c, "SiLU", (Simple){.kind = SILU}); }
wf_module *wf_nn_tanh(wf_ctx *c) { return simple(c, "Tanh", (Simple){.kind = TANH}); }
wf_module *wf_nn_sigmoid(wf_ctx *c)
{
    return simple(c, "Sigmoid", (Simple){.kind = SIGMOID});
}
wf_module *wf_nn_identity(wf_ctx *c)
{
    return simple(c, "Identity", (Simple){.kind = IDENTITY});
}

wf_module *wf_nn_gelu(wf_ctx *c, bool with_tanh)
{
    wf_module *m = simple(c, "GELU", (Simple){.kind = with_tanh ? GELU_TANH : GELU});

    nn_text(c, m, "approximate='%s'", with_tanh ? "tanh" : "none");
    return m;
}

wf_module *wf_nn_elu(wf_ctx *c, double alpha)
{
    wf_module *m = simple(c, "ELU", (Simple){.kind = ELU, .x = alpha});

    nn_text(c, m, "alpha=%s", nn_float(alpha).s);
    return m;
}

wf_module *wf_nn_leaky_relu(wf_ctx *c, double slope)
{
    wf_module *m = simple(c, "LeakyReLU", (Simple){.kind = LEAKY, .x = slope});

    nn_text(c, m, "negative_slope=%s", nn_float(slope).s);
    return m;
}

wf_module *wf_nn_softplus(wf_ctx *c, double beta)
{
    wf_module *m = simple(c, "Softplus", (Simple){.kind = SOFTPLUS, .x = beta});

    nn_text(c, m, "beta=%s, threshold=20.0", nn_float(beta).s);
    return m;
}

wf_module *wf_nn_softmax(wf_ctx *c, int axis)
{
    wf_module *m = simple(c, "Softmax", (Simple){.kind = SOFTMAX, .from = axis});

    nn_text(c, m, "dim=%d", axis);
    return m;
}

wf_module *wf_nn_log_softmax(wf_ctx *c, int axis)
{
    wf_module *m = simple(c, "LogSoftmax", (Simple){.kind = LOG_SOFTMAX, .from = axis});

    nn_text(c, m, "dim=%d", axis);
    return m;
}

wf_module *wf_nn_flatten(wf_ctx *c, int from, int to)
{
    wf_module *m =
        simple(c, "Flatten", (Simple){.kind = FLATTEN, .from = from, .to = to});

    nn_text(c, m, "start_dim=%d, end_dim=%d", from, to);
    return m;
}

/* ---- containers -------------------------------------------------------------------- */

static wf_status forward_sequential(wf_ctx *c, wf_module *m, const wf_tensor *in, int nin,
                                    wf_tensor *out, int nout)
{
    wf_tensor x;

    if (nin != 1 || nout != 1)
        return nn_gave_up(c);
    x = in[0];
    for (int i = 0; i < wf_module_children(m) && !wf_ctx_status(c); i++)
        x = wf_forward_one(c, wf_module_child(m, i), x);
    out[0] = x;
    return WF_OK;
}

/* Takes all n references, whatever happens. */
static wf_module *holding(wf_ctx *c, wf_module *m, int n, va_list ap)
{
    if (n < 0 && !wf_ctx_status(c))
        wf_raise(c, WF_ERR_ARG, "a list of a negative number of modules");
    for (int i = 0; i < n; i++) {
        wf_module *child = va_arg(ap, wf_module *);
        if (m && child && !wf_ctx_status(c))
            wf_module_append(c, m, child);
        else if (child)
            wf_module_release(c, child);
        else if (!wf_ctx_status(c))
            wf_raise(c, WF_ERR_ARG, "a module of the list is NULL");
    }
    return nn_done(c, m);
}

wf_module *wf_nn_sequential(wf_ctx *c, int n, ...)
{
    wf_module *m = wf_module_new(c, "Sequential", forward_sequential, 0);
    va_list ap;

    va_start(ap, n);
    m = holding(c, m, n, ap);
    va_end(ap);
    return m;
}

wf_module *wf_nn_list(wf_ctx *c, int n, ...)
{
    wf_module *m = wf_module_new(c, "ModuleList", NULL, 0);
    va_list ap;

    va_start(ap, n);
    m = holding(c, m, n, ap);
    va_end(ap);
    return m;
}

wf_module *wf_nn_dict(wf_ctx *c) { return wf_module_new(c, "ModuleDict", NULL, 0); }
