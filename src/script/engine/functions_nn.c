/* functions_nn.c -- natives that are one tensor function each: neural networks. */
#include <stdio.h>

#include "script/engine/engine.h"

/* ---- neural networks --------------------------------------------------------------- */

static Value n_linear(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x, w, y, b = WF_NONE;

    if (!en_tensor(&e, a->v[0], &x) || !en_tensor(&e, a->v[1], &w) ||
        !en_tensor_opt(&e, a->v[2], &b))
        return en_fail(&e);
    if (!en_alike(&e, "linear", x, w))
        return en_fail(&e);
    e.label = wf_is_none(b) ? "mm" : "addmm";
    y = wf_linear(e.c, x, w, b);
    if (!failed(e.c) && wf_rank(e.c, x) != 2)
        e.label = wf_rank(e.c, x) == 1 && wf_is_none(b) ? "squeeze4" : "unsafe_view";
    return en_end(&e, y);
}

/* ---- activations of several ops ---- */

static Value activation(Vm *vm, const Args *a, ComposedCall fn, int64_t form)
{
    En e = en_begin(vm, a);
    wf_tensor x;

    return en_tensor(&e, a->v[0], &x) ? en_end_composed(&e, fn, &x, 1, &form, sizeof form) : en_fail(&e);
}

static void gelu(wf_ctx *c, const wf_tensor *in, const void *with_tanh, wf_tensor *out)
{
    *out = wf_gelu(c, in[0], *(const int64_t *)with_tanh != 0);
}
static Value n_gelu(Vm *vm, const Args *a)
{
    bool with_tanh = false;
    En e = en_begin(vm, a);

    return en_bool(&e, a->v[1], &with_tanh) ? activation(vm, a, gelu, with_tanh) : en_fail(&e);
}

static void silu(wf_ctx *c, const wf_tensor *in, const void *form, wf_tensor *out)
{
    (void)form;
    *out = wf_silu(c, in[0]);
}
static Value n_silu(Vm *vm, const Args *a) { return activation(vm, a, silu, 0); }

/* x tanh(softplus(x)) */
static void mish(wf_ctx *c, const wf_tensor *in, const void *form, wf_tensor *out)
{
    (void)form;
    *out = wf_mul(c, in[0], wf_tanh(c, wf_softplus(c, in[0], 1)));
}
static Value n_mish(Vm *vm, const Args *a) { return activation(vm, a, mish, 0); }

/* x (x + 3) / 6 between -3 and 3, 0 x without a slope below (NaN at -inf), x above and for NaN; numbers of 16 bits by
   those of 32 */
static void hardswish(wf_ctx *c, const wf_tensor *in, const void *form, wf_tensor *out)
{
    wf_dtype d = wf_dtype_of(c, in[0]);
    wf_tensor x = d == WF_F16 || d == WF_BF16 ? wf_cast(c, in[0], WF_F32) : in[0];
    wf_tensor low = wf_le(c, x, wf_float(c, -3)), above = wf_gt(c, x, wf_float(c, -3)), zero = wf_zeros_like(c, x);
    wf_tensor inside = wf_logical_and(c, above, wf_lt(c, x, wf_float(c, 3))), y = wf_where(c, inside, x, zero);

    (void)form;
    y = wf_div(c, wf_mul(c, y, wf_add(c, y, wf_float(c, 3))), wf_float(c, 6));
    zero = wf_stop_gradient(c, wf_mul(c, x, zero));
    y = wf_where(c, inside, y, wf_where(c, low, zero, x));
    *out = d == WF_F16 || d == WF_BF16 ? wf_cast(c, y, d) : y;
}
static Value n_hardswish(Vm *vm, const Args *a) { return activation(vm, a, hardswish, 0); }

/* What the norms below have besides tensors, as bytes that tell one trace from another: no gaps. */
typedef struct NormForm {
    int64_t n; /* axes, or groups */
    double eps;
    int64_t has_weight, has_bias; /* which tensors follow x */
} NormForm;

static wf_tensor norm_weight(const NormForm *f, const wf_tensor *in) { return f->has_weight ? in[1] : WF_NONE; }
static wf_tensor norm_bias(const NormForm *f, const wf_tensor *in)
{
    return f->has_bias ? in[1 + f->has_weight] : WF_NONE;
}

static void layer_norm(wf_ctx *c, const wf_tensor *in, const void *statics, wf_tensor *out)
{
    const NormForm *f = statics;

    *out = wf_layer_norm(c, in[0], (int)f->n, norm_weight(f, in), norm_bias(f, in), f->eps);
}
static void rms_norm(wf_ctx *c, const wf_tensor *in, const void *statics, wf_tensor *out)
{
    const NormForm *f = statics;

    *out = wf_rms_norm(c, in[0], (int)f->n, norm_weight(f, in), f->eps);
}
static void group_norm(wf_ctx *c, const wf_tensor *in, const void *statics, wf_tensor *out)
{
    const NormForm *f = statics;

    *out = wf_group_norm(c, in[0], f->n, norm_weight(f, in), norm_bias(f, in), f->eps);
}

/* PyTorch takes parameters of x's dtype, and of f32 beside a narrow x. */
static bool norm_alike(En *e, const char *norm, wf_tensor x, wf_tensor parameter)
{
    wf_dtype d = wf_dtype_of(e->c, x);

    return wf_is_none(parameter) || ((d == WF_F16 || d == WF_BF16) && wf_dtype_of(e->c, parameter) == WF_F32) ||
           en_alike(e, norm, x, parameter);
}

static Value end_norm(En *e, ComposedCall norm, wf_tensor x, wf_tensor w, wf_tensor b, int64_t n, double eps)
{
    NormForm f = {n, eps, !wf_is_none(w), !wf_is_none(b)};
    wf_tensor in[3] = {x, w, b};

    if (!f.has_weight)
        in[1] = b;
    return en_end_composed(e, norm, in, 1 + (int)(f.has_weight + f.has_bias), &f, sizeof f);
}

/* layer_norm(x, n, weight, bias, eps), group_norm */
static Value weighted_norm(Vm *vm, const Args *a, const char *name, ComposedCall norm)
{
    En e = en_begin(vm, a);
    wf_tensor x, w = WF_NONE, b = WF_NONE;
    int64_t n = 1;
    double eps = 1e-5;

    if (!en_tensor(&e, a->v[0], &x) || !en_int(&e, a->v[1], &n) ||
        !en_tensor_opt(&e, a->v[2], &w) || !en_tensor_opt(&e, a->v[3], &b) ||
        !en_float(&e, a->v[4], &eps))
        return en_fail(&e);
    if (!norm_alike(&e, name, x, w) || !norm_alike(&e, name, x, b))
        return en_fail(&e);
    return end_norm(&e, norm, x, w, b, n, eps);
}
static Value n_layer_norm(Vm *vm, const Args *a) { return weighted_norm(vm, a, "layer_norm", layer_norm); }
static Value n_group_norm(Vm *vm, const Args *a) { return weighted_norm(vm, a, "group_norm", group_norm); }

static Value n_rms_norm(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x, w = WF_NONE;
    int64_t n = 1;
    double eps = 1e-5;

    if (!en_tensor(&e, a->v[0], &x) || !en_int(&e, a->v[1], &n) ||
        !en_tensor_opt(&e, a->v[2], &w) || !en_float(&e, a->v[3], &eps))
        return en_fail(&e);
    return end_norm(&e, rms_norm, x, w, WF_NONE, n, eps);
}

static void batch_norm(wf_ctx *c, const wf_tensor *in, const void *statics, wf_tensor *out)
{
    const NormForm *f = statics;

    out[0] = wf_batch_norm(c, in[0], WF_NONE, WF_NONE, norm_weight(f, in), norm_bias(f, in), true, f->eps, &out[1], &out[2]);
}

/* batch_norm(x, mean, var, weight, bias, training, eps): (y, batch mean, batch variance) */
static Value n_batch_norm(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x, m = WF_NONE, v = WF_NONE, w = WF_NONE, b = WF_NONE, out[3];
    bool training = false;
    double eps = 1e-5;

    if (!en_tensor(&e, a->v[0], &x) || !en_tensor_opt(&e, a->v[1], &m) ||
        !en_tensor_opt(&e, a->v[2], &v) || !en_tensor_opt(&e, a->v[3], &w) ||
        !en_tensor_opt(&e, a->v[4], &b) || !en_bool(&e, a->v[5], &training) ||
        !en_float(&e, a->v[6], &eps))
        return en_fail(&e);
    if (!norm_alike(&e, "batch_norm", x, m) || !norm_alike(&e, "batch_norm", x, v) ||
        !norm_alike(&e, "batch_norm", x, w) || !norm_alike(&e, "batch_norm", x, b))
        return en_fail(&e);
    if (training) {
        NormForm f = {0, eps, !wf_is_none(w), !wf_is_none(b)};

        en_composed(&e, batch_norm, (wf_tensor[]){x, f.has_weight ? w : b, b}, 1 + (int)(f.has_weight + f.has_bias), &f, sizeof f, out, 3);
    } else {
        out[0] = wf_batch_norm(e.c, x, m, v, w, b, false, eps, NULL, NULL);
    }
    return en_end_tuple(&e, out, training ? 3 : 1);
}

static bool reduction_of(En *e, Value v, wf_reduction *out)
{
    const char *s = "mean";

    if (!en_str(e, v, &s))
        return false;
    *out = !strcmp(s, "none") ? WF_NO_REDUCTION : !strcmp(s, "sum") ? WF_SUM : WF_MEAN;
    return !strcmp(s, "none") || !strcmp(s, "sum") || !strcmp(s, "mean") ||
           sc_fail(e->vm, C_ValueError, "%s is not a valid value for reduction", s);
}

/* loss(x, y, reduction) */
static Value loss(Vm *vm, const Args *a,
                  wf_tensor (*fn)(wf_ctx *, wf_tensor, wf_tensor, wf_reduction))
{
    En e = en_begin(vm, a);
    wf_tensor x, y;
    wf_reduction how;

    if (!en_tensor(&e, a->v[0], &x) || !en_tensor(&e, a->v[1], &y) ||
        !reduction_of(&e, a->v[2], &how))
        return en_fail(&e);
    if (fn == wf_bce_loss && !en_alike(&e, "bce_loss", x, y))
        return en_fail(&e);
    return en_end(&e, fn(e.c, x, y, how));
}
static Value n_mse_loss(Vm *vm, const Args *a) { return loss(vm, a, wf_mse_loss); }
static Value n_l1_loss(Vm *vm, const Args *a) { return loss(vm, a, wf_l1_loss); }
static Value n_bce_loss(Vm *vm, const Args *a) { return loss(vm, a, wf_bce_loss); }
static Value n_bce_with_logits(Vm *vm, const Args *a) { return loss(vm, a, wf_bce_with_logits); }
static Value n_kl_div(Vm *vm, const Args *a) { return loss(vm, a, wf_kl_div); }

static Value n_smooth_l1_loss(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x, y;
    wf_reduction how;
    double beta = 1;

    if (!en_tensor(&e, a->v[0], &x) || !en_tensor(&e, a->v[1], &y) ||
        !reduction_of(&e, a->v[2], &how) || !en_float(&e, a->v[3], &beta))
        return en_fail(&e);
    return en_end(&e, wf_smooth_l1_loss(e.c, x, y, beta, how));
}

typedef struct LossForm {
    int64_t ignore;
    double smoothing;
    int64_t how; /* a wf_reduction */
    int64_t weighted;
} LossForm;

static void cross_entropy(wf_ctx *c, const wf_tensor *in, const void *statics, wf_tensor *out)
{
    const LossForm *f = statics;

    *out = wf_cross_entropy(c, in[0], in[1], f->weighted ? in[2] : WF_NONE, f->ignore, f->smoothing, (wf_reduction)f->how);
}

/* cross_entropy(x, target, weight, ignore, smoothing, reduction). PyTorch has looked at the classes before. */
static Value n_cross_entropy(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x, y, w = WF_NONE;
    int64_t ignore = -100;
    double smoothing = 0;
    wf_reduction how;
    LossForm form;

    if (!en_tensor(&e, a->v[0], &x) || !en_tensor(&e, a->v[1], &y) ||
        !en_tensor_opt(&e, a->v[2], &w) || !en_int(&e, a->v[3], &ignore) ||
        !en_float(&e, a->v[4], &smoothing) || !reduction_of(&e, a->v[5], &how))
        return en_fail(&e);
    if (e.f != &vm->engine->front[FRONT_TORCH])
        return en_end(&e, wf_cross_entropy(e.c, x, y, w, ignore, smoothing, how));
    form = (LossForm){ignore, smoothing, how, !wf_is_none(w)};
    return en_end_composed(&e, cross_entropy, (wf_tensor[]){x, y, w}, 2 + (int)form.weighted, &form, sizeof form);
}

static Value n_nll_loss(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x, y, w = WF_NONE;
    int64_t ignore = -100;
    wf_reduction how;

    if (!en_tensor(&e, a->v[0], &x) || !en_tensor(&e, a->v[1], &y) ||
        !en_tensor_opt(&e, a->v[2], &w) || !en_int(&e, a->v[3], &ignore) ||
        !reduction_of(&e, a->v[4], &how))
        return en_fail(&e);
    return en_end(&e, wf_nll_loss(e.c, x, y, w, ignore, how));
}

/* n numbers, one standing for all; NULL when left out */
static bool spatial(En *e, Value v, int n, int64_t *room, const int64_t **out)
{
    int got = 0;

    *out = NULL;
    if (n < 1 || n > 3)
        return sc_fail(e->vm, C_ValueError, "1 to 3 spatial axes, not %d", n);
    if (!en_ints(e, v, room, &got, 3))
        return false;
    if (got == 0)
        return true;
    if (got != 1 && got != n)
        return sc_fail(e->vm, C_ValueError, "%d numbers were given for %d axes", got, n);
    for (int i = got; i < n; i++)
        room[i] = room[0];
    *out = room;
    return true;
}

/* "(2 x 3)": sizes with a word between them. */
static const char *sizes_text(char *out, size_t room, const char *between, const int64_t *v, int n)
{
    size_t at = 0;

    for (int i = 0; i < n; i++)
        at += (size_t)snprintf(out + at, room - at, "%s%lld", i ? between : "(", (long long)v[i]);
    snprintf(out + at, room - at, ")");
    return out;
}

/* PyTorch refuses windows that do not fit into what is there, padding counted; others answer with nothing. Not in traces. */
static bool windows_fit(En *e, wf_tensor x, int n, const int64_t *window, const int64_t *stride, const int64_t *padding,
                        const int64_t *dilation, bool conv, bool max)
{
    const Tensor *t = tensor_get(e->c, x, "window");
    int64_t in[4], span[3], out[4], wide[3];
    char a[100], b[100];
    bool fit = true;

    if (!t || t->symbolic || e->f != &e->vm->engine->front[FRONT_TORCH] || (int)t->rank != n + 2)
        return t != NULL;
    in[0] = out[0] = t->dims[1];
    for (int i = 0; conv && i < n; i++)
        if ((padding && padding[i] < 0) || (stride && stride[i] < 1))
            return sc_fail(e->vm, C_RuntimeError, padding && padding[i] < 0 ? "negative padding is not supported"
                                                                            : "non-positive stride is not supported");
    for (int i = 0; i < n; i++) {
        in[i + 1] = t->dims[i + 2];
        wide[i] = in[i + 1] + 2 * (padding ? padding[i] : 0);
        span[i] = (dilation ? dilation[i] : 1) * (window[i] - 1) + 1;
        out[i + 1] = wide[i] < span[i] ? 0 : (wide[i] - span[i]) / MAX(stride ? stride[i] : conv ? 1 : window[i], 1) + 1;
        fit &= wide[i] >= span[i];
    }
    if (fit)
        return true;
    if (conv)
        return sc_fail(e->vm, C_RuntimeError,
                       "Calculated padded input size per channel: %s. Kernel size: %s. Kernel size can't be greater than actual "
                       "input size",
                       sizes_text(a, sizeof a, " x ", wide, n), sizes_text(b, sizeof b, " x ", span, n));
    if (n == 1 && max)
        return sc_fail(e->vm, C_RuntimeError, "max_pool1d() Invalid computed output size: 0");
    if (n == 1) { /* as an image of one row */
        in[2] = in[1];
        out[2] = out[1];
        in[1] = out[1] = 1;
    }
    n = n == 1 ? 2 : n;
    return sc_fail(e->vm, C_RuntimeError, "Given input size: %s. Calculated output size: %s. Output size is too small",
                   sizes_text(a, sizeof a, "x", in, n + 1), sizes_text(b, sizeof b, "x", out, n + 1));
}

/* conv(x, w, bias, n, stride, padding, dilation, groups) */
static Value n_conv(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x, w, b = WF_NONE;
    int64_t n = 2, groups = 1, r[3][3];
    const int64_t *stride, *padding, *dilation;
    const Tensor *v;

    if (!en_tensor(&e, a->v[0], &x) || !en_tensor(&e, a->v[1], &w) ||
        !en_tensor_opt(&e, a->v[2], &b) || !en_int(&e, a->v[3], &n) ||
        !spatial(&e, a->v[4], (int)n, r[0], &stride) ||
        !spatial(&e, a->v[5], (int)n, r[1], &padding) ||
        !spatial(&e, a->v[6], (int)n, r[2], &dilation) || !en_int(&e, a->v[7], &groups))
        return en_fail(&e);
    if ((!wf_is_none(b) && !en_alike(&e, "conv: bias", x, b)) || !en_alike(&e, "conv", x, w))
        return en_fail(&e);
    if ((v = tensor_get(e.c, w, "conv")) == NULL || v->symbolic || (int)v->rank != n + 2 || n > 3)
        ;
    else if (!windows_fit(&e, x, (int)n, v->dims + 2, stride, padding, dilation, true, false))
        return en_fail(&e);
    return en_end(&e, wf_conv(e.c, x, w, b, (int)n, stride, padding, dilation, groups));
}

/* conv_transpose(x, w, bias, n, stride, padding, output_padding, dilation, groups) */
static Value n_conv_transpose(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x, w, b = WF_NONE;
    int64_t n = 2, groups = 1, r[4][3];
    const int64_t *stride, *padding, *more, *dilation;

    if (!en_tensor(&e, a->v[0], &x) || !en_tensor(&e, a->v[1], &w) ||
        !en_tensor_opt(&e, a->v[2], &b) || !en_int(&e, a->v[3], &n) ||
        !spatial(&e, a->v[4], (int)n, r[0], &stride) ||
        !spatial(&e, a->v[5], (int)n, r[1], &padding) ||
        !spatial(&e, a->v[6], (int)n, r[2], &more) ||
        !spatial(&e, a->v[7], (int)n, r[3], &dilation) || !en_int(&e, a->v[8], &groups))
        return en_fail(&e);
    if (!en_alike(&e, "conv", x, w) || (!wf_is_none(b) && !en_alike(&e, "conv", x, b)))
        return en_fail(&e);
    return en_end(&e, wf_conv_transpose(e.c, x, w, b, (int)n, stride, padding, more, dilation,
                                        groups));
}

/* max_pool(x, n, window, stride, padding, dilation) */
static Value n_max_pool(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x;
    int64_t n = 2, r[4][3];
    const int64_t *window, *stride, *padding, *dilation;

    if (!en_tensor(&e, a->v[0], &x) || !en_int(&e, a->v[1], &n) ||
        !spatial(&e, a->v[2], (int)n, r[0], &window) ||
        !spatial(&e, a->v[3], (int)n, r[1], &stride) ||
        !spatial(&e, a->v[4], (int)n, r[2], &padding) ||
        !spatial(&e, a->v[5], (int)n, r[3], &dilation))
        return en_fail(&e);
    if (!windows_fit(&e, x, (int)n, window, stride, padding, dilation, false, true))
        return en_fail(&e);
    return en_end(&e, wf_max_pool(e.c, x, (int)n, window, stride, padding, dilation));
}

/* avg_pool(x, n, window, stride, padding, count_padding) */
static Value n_avg_pool(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x;
    int64_t n = 2, r[3][3];
    const int64_t *window, *stride, *padding;
    bool count = true;

    if (!en_tensor(&e, a->v[0], &x) || !en_int(&e, a->v[1], &n) ||
        !spatial(&e, a->v[2], (int)n, r[0], &window) ||
        !spatial(&e, a->v[3], (int)n, r[1], &stride) ||
        !spatial(&e, a->v[4], (int)n, r[2], &padding) || !en_bool(&e, a->v[5], &count))
        return en_fail(&e);
    if (!windows_fit(&e, x, (int)n, window, stride, padding, NULL, false, false))
        return en_fail(&e);
    return en_end(&e, wf_avg_pool(e.c, x, (int)n, window, stride, padding, count));
}

static Value adaptive(Vm *vm, const Args *a,
                      wf_tensor (*fn)(wf_ctx *, wf_tensor, int, const int64_t *))
{
    En e = en_begin(vm, a);
    wf_tensor x;
    int64_t n = 2, r[3];
    const int64_t *sizes;

    if (!en_tensor(&e, a->v[0], &x) || !en_int(&e, a->v[1], &n) ||
        !spatial(&e, a->v[2], (int)n, r, &sizes))
        return en_fail(&e);
    return en_end(&e, fn(e.c, x, (int)n, sizes));
}
static Value n_adaptive_avg_pool(Vm *vm, const Args *a) { return adaptive(vm, a, wf_adaptive_avg_pool); }
static Value n_adaptive_max_pool(Vm *vm, const Args *a) { return adaptive(vm, a, wf_adaptive_max_pool); }

static Value n_dropout(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x, m;
    double p = 0.5;

    if (!en_tensor(&e, a->v[0], &x) || !en_tensor(&e, a->v[1], &m) || !en_float(&e, a->v[2], &p))
        return en_fail(&e);
    return en_end(&e, wf_dropout(e.c, x, m, p));
}

/* attention(q, k, v, mask, causal, scale): scale 0 is 1/sqrt(size) */
static Value n_attention(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor q, k, v, m = WF_NONE;
    bool causal = false;
    double scale = 0;

    if (!en_tensor(&e, a->v[0], &q) || !en_tensor(&e, a->v[1], &k) ||
        !en_tensor(&e, a->v[2], &v) || !en_tensor_opt(&e, a->v[3], &m) ||
        !en_bool(&e, a->v[4], &causal) || !en_float(&e, a->v[5], &scale))
        return en_fail(&e);
    return en_end(&e, wf_attention(e.c, q, k, v, m, causal, scale));
}

const NativeDef engine_nn[] = {
    {"linear", n_linear, "x,w|bias"},
    {"layer_norm", n_layer_norm, "x,n|weight,bias,eps"},
    {"rms_norm", n_rms_norm, "x,n|weight,eps"},
    {"group_norm", n_group_norm, "x,groups|weight,bias,eps"},
    {"gelu", n_gelu, "x|tanh"},
    {"silu", n_silu, "x"},
    {"mish", n_mish, "x"},
    {"hardswish", n_hardswish, "x"},
    {"batch_norm", n_batch_norm, "x|mean,var,weight,bias,training,eps"},
    {"mse_loss", n_mse_loss, "x,y|reduction"},
    {"l1_loss", n_l1_loss, "x,y|reduction"},
    {"smooth_l1_loss", n_smooth_l1_loss, "x,y|reduction,beta"},
    {"bce_loss", n_bce_loss, "x,y|reduction"},
    {"bce_with_logits", n_bce_with_logits, "x,y|reduction"},
    {"kl_div", n_kl_div, "x,y|reduction"},
    {"cross_entropy", n_cross_entropy, "x,target|weight,ignore,smoothing,reduction"},
    {"nll_loss", n_nll_loss, "x,target|weight,ignore,reduction"},
    {"conv", n_conv, "x,w|bias,n,stride,padding,dilation,groups"},
    {"conv_transpose", n_conv_transpose,
     "x,w|bias,n,stride,padding,output_padding,dilation,groups"},
    {"max_pool", n_max_pool, "x,n,window|stride,padding,dilation"},
    {"avg_pool", n_avg_pool, "x,n,window|stride,padding,count_padding"},
    {"adaptive_avg_pool", n_adaptive_avg_pool, "x,n,sizes"},
    {"adaptive_max_pool", n_adaptive_max_pool, "x,n,sizes"},
    {"dropout", n_dropout, "x,mask|p"},
    {"attention", n_attention, "q,k,v|mask,causal,scale"},
    {0},
};
