/* layers_simple.c -- layers without weights, and containers. */
#include "nn/nn.h"

#include <math.h>
#include <stdarg.h>

#define L(x) ((long long)(x))

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
    SOFTMAX,
    LOG_SOFTMAX,
    FLATTEN,
    IDENTITY
} Kind;

typedef struct Simple {
    Kind kind;
    double x;     /* alpha, slope */
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
    case SOFTMAX: return wf_softmax(c, x, v->from);
    case LOG_SOFTMAX: return wf_log_softmax(c, x, v->from);
    case FLATTEN: return wf_flatten(c, x, v->from, v->to);
    case IDENTITY: return x;
    }
    return WF_NONE;
}

static bool forward_simple(wf_ctx *c, wf_module *m, const wf_tensor *in, int nin,
                           wf_tensor *out, int nout)
{
    if (nin != 1 || nout != 1)
        return false;
    out[0] = apply(c, wf_module_data(m), in[0]);
    return true;
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

/* ---- pooling ----------------------------------------------------------------------- */

typedef struct Pool {
    char kind; /* 'm'ax, 'a'verage, a'd'aptive average */
    int64_t window[2], stride[2], padding[2];
    bool ceil_mode;
} Pool;

/* With ceil_mode the last window may reach beyond the (padded) end, as long as it begins
 * before the end of x and its left padding. What is missing there is padded with -inf. */
static wf_tensor pad_to_ceil(wf_ctx *c, const Pool *v, wf_tensor x)
{
    int64_t lo[WF_MAX_RANK] = {0}, hi[WF_MAX_RANK] = {0};
    int rank = wf_rank(c, x);
    bool any = false;

    for (int i = 0; i < 2 && !wf_ctx_status(c); i++) {
        int64_t n = wf_size(c, x, rank - 2 + i), rest, steps;
        if (nn_refuse(c, n < 0, "MaxPool2d: ceil_mode needs sizes that are constants"))
            break;
        rest = n + 2 * v->padding[i] - v->window[i];
        if (rest < 0)
            continue;
        steps = (rest + v->stride[i] - 1) / v->stride[i];
        if (steps * v->stride[i] >= n + v->padding[i])
            steps--;
        hi[rank - 2 + i] =
            steps * v->stride[i] - rest > 0 ? steps * v->stride[i] - rest : 0;
        any |= hi[rank - 2 + i] > 0;
    }
    return any ? wf_pad(c, x, lo, hi, -INFINITY) : x;
}

static bool forward_pool(wf_ctx *c, wf_module *m, const wf_tensor *in, int nin,
                         wf_tensor *out, int nout)
{
    const Pool *v = wf_module_data(m);

    if (nin != 1 || nout != 1 || wf_rank(c, in[0]) < 2)
        return false;
    if (v->kind == 'd')
        out[0] = wf_adaptive_avg_pool(c, in[0], 2, v->window);
    else if (v->kind == 'a')
        out[0] = wf_avg_pool(c, in[0], 2, v->window, v->stride, v->padding, true);
    else
        out[0] = wf_max_pool(c, v->ceil_mode ? pad_to_ceil(c, v, in[0]) : in[0], 2,
                             v->window, v->stride, v->padding, NULL);
    return true;
}

static wf_module *pool(wf_ctx *c, const char *type, char kind, int64_t window,
                       int64_t stride, int64_t padding)
{
    wf_module *m;

    if (nn_refuse(c, window < 1 || stride < 0 || padding < 0 || padding > window / 2,
                  "pooling: needs a window >= 1 and a padding of at most half of it"))
        return NULL;
    m = wf_module_new(c, type, forward_pool, sizeof(Pool));
    if (m)
        *(Pool *)wf_module_data(m) =
            (Pool){kind, {window, window}, {stride, stride}, {padding, padding}, false};
    return m;
}

wf_module *wf_nn_max_pool2d(wf_ctx *c, int64_t window, int64_t stride, int64_t padding,
                            bool ceil_mode)
{
    wf_module *m = pool(c, "MaxPool2d", 'm', window, stride ? stride : window, padding);

    if (m)
        ((Pool *)wf_module_data(m))->ceil_mode = ceil_mode;
    nn_text(c, m, "kernel_size=%lld, stride=%lld, padding=%lld, dilation=1, ceil_mode=%s",
            L(window), L(stride ? stride : window), L(padding),
            ceil_mode ? "True" : "False");
    return m;
}

wf_module *wf_nn_avg_pool2d(wf_ctx *c, int64_t window, int64_t stride, int64_t padding)
{
    wf_module *m = pool(c, "AvgPool2d", 'a', window, stride ? stride : window, padding);

    nn_text(c, m, "kernel_size=%lld, stride=%lld, padding=%lld", L(window),
            L(stride ? stride : window), L(padding));
    return m;
}

wf_module *wf_nn_adaptive_avg_pool2d(wf_ctx *c, int64_t size)
{
    wf_module *m = pool(c, "AdaptiveAvgPool2d", 'd', size, 1, 0);

    nn_text(c, m, "output_size=%lld", L(size));
    return m;
}

/* ---- containers -------------------------------------------------------------------- */

static bool forward_sequential(wf_ctx *c, wf_module *m, const wf_tensor *in, int nin,
                               wf_tensor *out, int nout)
{
    wf_tensor x;

    if (nin != 1 || nout != 1)
        return false;
    x = in[0];
    for (int i = 0; i < wf_module_children(m) && !wf_ctx_status(c); i++)
        x = wf_forward_one(c, wf_module_child(m, i), x);
    out[0] = x;
    return true;
}

/* Takes all n references, whatever happens. */
static wf_module *holding(wf_ctx *c, wf_module *m, int n, va_list ap)
{
    for (int i = 0; i < n; i++) {
        wf_module *child = va_arg(ap, wf_module *);
        if (m && child && !wf_ctx_status(c))
            wf_module_append(c, m, child);
        else if (child)
            wf_module_free(c, child);
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
