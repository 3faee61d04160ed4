/* layers_window.c -- layers that move a window: convolutions and pooling, of 1 to 3 axes.
 *
 * A number of a window (kernel, stride, ..) is one for all axes, or one for each where
 * the options give that; it is printed as PyTorch prints what it was given. */
#include "nn/nn.h"

#include <stdio.h>
#include <string.h>

#define L(x) ((long long)(x))

typedef struct Numbers { /* of each axis */
    int64_t v[3];
} Numbers;

static Numbers numbers(int64_t all, const int64_t *each, int64_t standard)
{
    Numbers n;

    for (int i = 0; i < 3; i++)
        n.v[i] = each[i] ? each[i] : all ? all : standard;
    return n;
}

static bool out_of_range(const Numbers *n, int axes, int64_t least)
{
    for (int i = 0; i < axes; i++)
        if (n->v[i] < least)
            return true;
    return false;
}

typedef struct TupleText {
    char s[72];
} TupleText;

/* "(3, 3)", "(3,)" */
static TupleText tuple(const Numbers *n, int axes)
{
    TupleText t = {"("};
    size_t k = 1;

    for (int i = 0; i < axes; i++)
        k += (size_t)snprintf(t.s + k, sizeof t.s - k, "%s%lld", i ? ", " : "",
                              L(n->v[i]));
    snprintf(t.s + k, sizeof t.s - k, axes == 1 ? ",)" : ")");
    return t;
}

/* "3", or a tuple where the axes had numbers of their own */
static TupleText number(const Numbers *n, const int64_t *each, int axes)
{
    TupleText t;

    for (int i = 0; i < axes; i++)
        if (each[i])
            return tuple(n, axes);
    snprintf(t.s, sizeof t.s, "%lld", L(n->v[0]));
    return t;
}

/* ---- convolutions ------------------------------------------------------------------ */

typedef struct ConvLayer {
    int axes;
    bool transposed;
    Numbers kernel, stride, padding, output_padding, dilation;
    int64_t groups;
} ConvLayer;

static wf_status forward_conv(wf_ctx *c, wf_module *m, const wf_tensor *in, int nin,
                              wf_tensor *out, int nout)
{
    const ConvLayer *v = wf_module_data(m);
    wf_tensor w = wf_module_value(m, 0), bias = wf_module_value(m, 1);

    if (nin != 1 || nout != 1)
        return nn_gave_up(c);
    out[0] = v->transposed ? wf_conv_transpose(c, in[0], w, bias, v->axes, v->stride.v,
                                               v->padding.v, v->output_padding.v,
                                               v->dilation.v, v->groups)
                           : wf_conv(c, in[0], w, bias, v->axes, v->stride.v,
                                     v->padding.v, v->dilation.v, v->groups);
    return WF_OK;
}

static void text_conv(wf_ctx *c, wf_module *m, const ConvLayer *v, int64_t in, int64_t out,
                      bool bias)
{
    const struct {
        const char *name;
        const Numbers *value;
        int64_t standard;
    } rest[] = {{"padding", &v->padding, 0},
                {"dilation", &v->dilation, 1},
                {"output_padding", &v->output_padding, 0}};
    char text[360], groups[40] = "";
    size_t n;

    n = (size_t)snprintf(text, sizeof text, "%lld, %lld, kernel_size=%s, stride=%s",
                         L(in), L(out), tuple(&v->kernel, v->axes).s,
                         tuple(&v->stride, v->axes).s);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < v->axes; k++)
            if (rest[i].value->v[k] != rest[i].standard) {
                n += (size_t)snprintf(text + n, sizeof text - n, ", %s=%s", rest[i].name,
                                      tuple(rest[i].value, v->axes).s);
                break;
            }
    if (v->groups != 1)
        snprintf(groups, sizeof groups, ", groups=%lld", L(v->groups));
    nn_text(c, m, "%s%s%s", text, groups, bias ? "" : ", bias=False");
}

static wf_module *new_conv(wf_ctx *c, wf_generator *g, const char *type, int axes,
                           bool transposed, int64_t in, int64_t out, int64_t kernel,
                           const wf_conv_options *given)
{
    wf_conv_options o;
    bool well = nn_options(c, type, given, &o, sizeof o);
    ConvLayer v = {.axes = axes,
              .transposed = transposed,
              .kernel = numbers(kernel, o.kernels, 0),
              .stride = numbers(o.stride, o.strides, 1),
              .padding = numbers(o.padding, o.paddings, 0),
              .output_padding = numbers(o.output_padding, o.output_paddings, 0),
              .dilation = numbers(o.dilation, o.dilations, 1),
              .groups = o.groups ? o.groups : 1};
    int64_t dims[5] = {transposed ? in : out};
    wf_module *m;

    if (!well ||
        nn_refuse(
            c,
            in <= 0 || out <= 0 || v.groups < 1 || in % v.groups || out % v.groups ||
                out_of_range(&v.kernel, axes, 1) || out_of_range(&v.stride, axes, 1) ||
                out_of_range(&v.padding, axes, 0) || out_of_range(&v.dilation, axes, 1) ||
                out_of_range(&v.output_padding, axes, 0),
            "convolution: sizes must be positive, and channels multiples of groups"))
        return NULL;
    dims[1] = (transposed ? out : in) / v.groups;
    memcpy(dims + 2, v.kernel.v, (size_t)axes * sizeof *dims);
    m = wf_module_new(c, type, forward_conv, sizeof v);
    if (!m)
        return NULL;
    *(ConvLayer *)wf_module_data(m) = v;
    wf_scope_begin(c);
    nn_add_weights(c, g, m, dims, axes + 2, out, !o.no_bias);
    wf_scope_end(c);
    text_conv(c, m, &v, in, out, !o.no_bias);
    return nn_done(c, m);
}

#define CONV(name, type, axes, transposed)                                               \
    wf_module *name(wf_ctx *c, wf_generator *g, int64_t in, int64_t out, int64_t kernel, \
                    const wf_conv_options *o)                                            \
    {                                                                                    \
        return new_conv(c, g, type, axes, transposed, in, out, kernel, o);               \
    }
CONV(wf_nn_conv1d, "Conv1d", 1, false)
CONV(wf_nn_conv2d, "Conv2d", 2, false)
CONV(wf_nn_conv3d, "Conv3d", 3, false)
CONV(wf_nn_conv_transpose1d, "ConvTranspose1d", 1, true)
CONV(wf_nn_conv_transpose2d, "ConvTranspose2d", 2, true)
CONV(wf_nn_conv_transpose3d, "ConvTranspose3d", 3, true)

/* ---- pooling ----------------------------------------------------------------------- */

typedef struct PoolLayer {
    char kind; /* 'm'ax, 'a'verage; adaptive 'M', 'A' */
    int axes;
    Numbers window, stride, padding, dilation; /* window: results, if adaptive */
    bool ceil_mode, count_padding;
} PoolLayer;

static wf_status forward_pool(wf_ctx *c, wf_module *m, const wf_tensor *in, int nin,
                              wf_tensor *out, int nout)
{
    const PoolLayer *v = wf_module_data(m);
    const int64_t *w = v->window.v, *s = v->stride.v, *p = v->padding.v;

    if (nin != 1 || nout != 1)
        return nn_gave_up(c);
    switch (v->kind) {
    case 'M': out[0] = wf_adaptive_max_pool(c, in[0], v->axes, w); break;
    case 'A': out[0] = wf_adaptive_avg_pool(c, in[0], v->axes, w); break;
    case 'a':
        out[0] = wf_avg_pool_with(c, in[0], v->axes, w, s, p, v->ceil_mode,
                                  v->count_padding, 0);
        break;
    default:
        out[0] = wf_max_pool_with(c, in[0], v->axes, w, s, p, v->dilation.v, v->ceil_mode,
                                  NULL);
    }
    return WF_OK;
}

static wf_module *new_pool(wf_ctx *c, const char *type, const PoolLayer *v)
{
    char name[32];
    wf_module *m;
    bool bad = v->axes < 1 || v->axes > 3 || out_of_range(&v->window, v->axes, 1) ||
               out_of_range(&v->stride, v->axes, 1) ||
               out_of_range(&v->padding, v->axes, 0) ||
               out_of_range(&v->dilation, v->axes, 1);

    for (int i = 0; !bad && i < v->axes; i++)
        bad = v->padding.v[i] > v->window.v[i] / 2;
    if (nn_refuse(c, bad,
                  "pooling: needs a window >= 1 and a padding of at most half of it"))
        return NULL;
    snprintf(name, sizeof name, "%s%dd", type, v->axes);
    m = wf_module_new(c, name, forward_pool, sizeof *v);
    if (m)
        *(PoolLayer *)wf_module_data(m) = *v;
    return m;
}

static PoolLayer pool_of(char kind, int axes, const wf_pool_options *o)
{
    PoolLayer v = {.kind = kind,
              .axes = axes,
              .window = numbers(o->window, o->windows, 0),
              .padding = numbers(o->padding, o->paddings, 0),
              .dilation = numbers(o->dilation, o->dilations, 1),
              .ceil_mode = o->ceil_mode,
              .count_padding = !o->no_padding_count};

    v.stride = o->stride || o->strides[0] || o->strides[1] || o->strides[2]
                   ? numbers(o->stride, o->strides, 0)
                   : v.window;
    return v;
}

wf_module *wf_nn_max_pool(wf_ctx *c, int axes, const wf_pool_options *given)
{
    wf_pool_options o;
    bool well = nn_options(c, "MaxPool", given, &o, sizeof o),
         own = o.stride || o.strides[0];
    PoolLayer v = pool_of('m', axes, &o);
    wf_module *m = well ? new_pool(c, "MaxPool", &v) : NULL;

    if (!m)
        return NULL;
    nn_text(c, m, "kernel_size=%s, stride=%s, padding=%s, dilation=%s, ceil_mode=%s",
            number(&v.window, o.windows, axes).s,
            number(&v.stride, own ? o.strides : o.windows, axes).s,
            number(&v.padding, o.paddings, axes).s,
            number(&v.dilation, o.dilations, axes).s, o.ceil_mode ? "True" : "False");
    return nn_done(c, m);
}

wf_module *wf_nn_avg_pool(wf_ctx *c, int axes, const wf_pool_options *given)
{
    static const int64_t always[3] = {1, 1, 1}; /* of one axis: PyTorch makes tuples */
    wf_pool_options o;
    bool well = nn_options(c, "AvgPool", given, &o, sizeof o),
         own = o.stride || o.strides[0], one = axes == 1;
    PoolLayer v = pool_of('a', axes, &o);
    wf_module *m;

    if (!well || nn_refuse(c, o.dilation || o.dilations[0], "AvgPool: has no dilation"))
        return NULL;
    if (!(m = new_pool(c, "AvgPool", &v)))
        return NULL;
    nn_text(c, m, "kernel_size=%s, stride=%s, padding=%s",
            number(&v.window, one ? always : o.windows, axes).s,
            number(&v.stride,
                   one   ? always
                   : own ? o.strides
                         : o.windows,
                   axes)
                .s,
            number(&v.padding, one ? always : o.paddings, axes).s);
    return nn_done(c, m);
}

static wf_module *adaptive(wf_ctx *c, const char *type, char kind, int axes,
                           const int64_t *sizes)
{
    PoolLayer v = {.kind = kind, .axes = axes};
    wf_module *m;
    bool same = true;

    if (nn_refuse(c, axes < 1 || axes > 3 || !sizes,
                  "adaptive pooling: needs sizes of 1 to 3 axes"))
        return NULL;
    v.stride = v.dilation = v.window = numbers(1, v.padding.v, 1);
    for (int i = 0; i < axes && i < 3; i++) {
        v.window.v[i] = sizes[i];
        same &= sizes[i] == sizes[0];
    }
    m = new_pool(c, type, &v);
    nn_text(c, m, "output_size=%s",
            same ? number(&v.window, v.padding.v, axes).s : tuple(&v.window, axes).s);
    return nn_done(c, m);
}

wf_module *wf_nn_adaptive_avg_pool(wf_ctx *c, int axes, const int64_t *sizes)
{
    return adaptive(c, "AdaptiveAvgPool", 'A', axes, sizes);
}

wf_module *wf_nn_adaptive_max_pool(wf_ctx *c, int axes, const int64_t *sizes)
{
    return adaptive(c, "AdaptiveMaxPool", 'M', axes, sizes);
}

wf_module *wf_nn_max_pool2d(wf_ctx *c, int64_t window, int64_t stride, int64_t padding,
                            bool ceil_mode)
{
    return wf_nn_max_pool(c, 2,
                          &(wf_pool_options){.size = sizeof(wf_pool_options),
                                             .window = window,
                                             .stride = stride,
                                             .padding = padding,
                                             .ceil_mode = ceil_mode});
}

wf_module *wf_nn_avg_pool2d(wf_ctx *c, int64_t window, int64_t stride, int64_t padding)
{
    return wf_nn_avg_pool(c, 2,
                          &(wf_pool_options){.size = sizeof(wf_pool_options),
                                             .window = window,
                                             .stride = stride,
                                             .padding = padding});
}

wf_module *wf_nn_adaptive_avg_pool2d(wf_ctx *c, int64_t size)
{
    return wf_nn_adaptive_avg_pool(c, 2, (int64_t[]){size, size});
}
