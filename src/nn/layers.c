/* layers.c -- linear, normalisations, embedding, dropout.
 *
 * Places are weight, bias, then buffers, each in PyTorch's order; weights and biases draw
 * from the generator in the order PyTorch draws them. */
#include "nn/nn.h"

#include <math.h>
#include <stdio.h>

#define L(x) ((long long)(x))

void nn_add_weights(wf_ctx *c, wf_generator *g, wf_module *m, const int64_t *dims,
                    int rank, int64_t out, bool bias)
{
    double fan = (double)dims[1];
    double bound;

    for (int i = 2; i < rank; i++)
        fan *= (double)dims[i];
    bound = fan > 0 ? 1 / sqrt(fan) : 0;
    wf_module_add_param(c, m, "weight",
                        wf_init_kaiming_uniform(c, g, dims, rank, sqrt(5.0)));
    wf_module_add_param(c, m, "bias",
                        bias ? wf_init_uniform(c, g, &out, 1, -bound, bound) : WF_NONE);
}

/* ---- linear ------------------------------------------------------------------------ */

static wf_status forward_linear(wf_ctx *c, wf_module *m, const wf_tensor *in, int nin,
                                wf_tensor *out, int nout)
{
    if (nin != 1 || nout != 1)
        return nn_gave_up(c);
    out[0] = wf_linear(c, in[0], wf_module_value(m, 0), wf_module_value(m, 1));
    return WF_OK;
}

wf_module *nn_linear(wf_ctx *c, wf_generator *g, const char *type, int64_t in,
                     int64_t out, bool bias)
{
    wf_module *m;

    if (nn_refuse(c, in < 0 || out < 0, "Linear: sizes are negative"))
        return NULL;
    m = wf_module_new(c, type, forward_linear, 0);
    wf_scope_begin(c);
    nn_add_weights(c, g, m, (int64_t[]){out, in}, 2, out, bias);
    wf_scope_end(c);
    nn_text(c, m, "in_features=%lld, out_features=%lld, bias=%s", L(in), L(out),
            bias ? "True" : "False");
    return nn_done(c, m);
}

wf_module *wf_nn_linear(wf_ctx *c, wf_generator *g, int64_t in, int64_t out, bool bias)
{
    return nn_linear(c, g, "Linear", in, out, bias);
}

/* ---- batch norm -----------------------------------------------------------------------
 *
 * Running numbers move by momentum towards those of the batch, the variance with n/(n-1):
 *   running = (1 - momentum) * running + momentum * batch */

typedef struct BatchNorm {
    double eps, momentum;
    int axes; /* 1: x has rank 2 or 3; 2: 4; 3: 5 */
} BatchNorm;

enum { BN_WEIGHT, BN_BIAS, BN_MEAN, BN_VAR, BN_COUNT };

static wf_tensor moved(wf_ctx *c, wf_tensor old, wf_tensor batch, double momentum)
{
    wf_tensor product = wf_mul(c, batch, wf_float(c, momentum));

    return wf_add(c, wf_mul(c, old, wf_float(c, 1 - momentum)), product);
}

/* n / (n - 1), n the numbers of a channel, which may be symbolic */
static wf_tensor unbiased(wf_ctx *c, wf_tensor x, wf_tensor var)
{
    int axes[WF_MAX_RANK], n = 0;
    wf_tensor count;

    for (int i = 0; i < wf_rank(c, x); i++)
        if (i != 1)
            axes[n++] = i;
    count = wf_sum(c, wf_ones_like(c, wf_stop_gradient(c, x)), axes, n, false);
    return wf_mul(c, var, wf_div(c, count, wf_sub(c, count, wf_float(c, 1))));
}

static wf_status forward_batch_norm(wf_ctx *c, wf_module *m, const wf_tensor *in, int nin,
                                    wf_tensor *out, int nout)
{
    static const char *const needs[] = {"", "BatchNorm1d: needs [N,C] or [N,C,L]",
                                        "BatchNorm2d: needs [N,C,H,W]",
                                        "BatchNorm3d: needs [N,C,D,H,W]"};
    const BatchNorm *v = wf_module_data(m);
    wf_tensor mean = wf_module_value(m, BN_MEAN), var = wf_module_value(m, BN_VAR), bm,
              bv;
    int rank = nin == 1 ? wf_rank(c, in[0]) : 0;

    if (nin != 1 || nout != 1)
        return nn_gave_up(c);
    if (nn_refuse(c, rank != v->axes + 2 && !(v->axes == 1 && rank == 2), needs[v->axes]))
        return nn_gave_up(c);
    out[0] = wf_batch_norm(c, in[0], mean, var, wf_module_value(m, BN_WEIGHT),
                           wf_module_value(m, BN_BIAS), wf_module_training(m), v->eps,
                           &bm, &bv);
    if (!wf_module_training(m) || wf_ctx_status(c))
        return WF_OK;
    bm = wf_stop_gradient(c, bm);
    bv = unbiased(c, in[0], wf_stop_gradient(c, bv));
    wf_module_set_value(c, m, BN_MEAN, moved(c, mean, bm, v->momentum));
    wf_module_set_value(c, m, BN_VAR, moved(c, var, bv, v->momentum));
    wf_module_set_value(c, m, BN_COUNT,
                        wf_add(c, wf_module_value(m, BN_COUNT), wf_int(c, 1)));
    return WF_OK;
}

static wf_module *new_batch_norm(wf_ctx *c, const char *type, int axes, int64_t channels,
                                 double eps, double momentum)
{
    wf_module *m = wf_module_new(c, type, forward_batch_norm, sizeof(BatchNorm));

    if (!m)
        return NULL;
    *(BatchNorm *)wf_module_data(m) = (BatchNorm){eps, momentum, axes};
    wf_scope_begin(c);
    wf_module_add_param(c, m, "weight", wf_ones(c, WF_F32, &channels, 1));
    wf_module_add_param(c, m, "bias", wf_zeros(c, WF_F32, &channels, 1));
    wf_module_add_buffer(c, m, "running_mean", wf_zeros(c, WF_F32, &channels, 1));
    wf_module_add_buffer(c, m, "running_var", wf_ones(c, WF_F32, &channels, 1));
    wf_module_add_buffer(c, m, "num_batches_tracked", wf_zeros(c, WF_I64, NULL, 0));
    wf_scope_end(c);
    nn_text(c, m,
            "%lld, eps=%s, momentum=%s, affine=True, bias=True, track_running_stats=True",
            L(channels), nn_float(eps).s, nn_float(momentum).s);
    return nn_done(c, m);
}

wf_module *wf_nn_batch_norm1d(wf_ctx *c, int64_t channels, double eps, double momentum)
{
    return new_batch_norm(c, "BatchNorm1d", 1, channels, eps, momentum);
}

wf_module *wf_nn_batch_norm2d(wf_ctx *c, int64_t channels, double eps, double momentum)
{
    return new_batch_norm(c, "BatchNorm2d", 2, channels, eps, momentum);
}

wf_module *wf_nn_batch_norm3d(wf_ctx *c, int64_t channels, double eps, double momentum)
{
    return new_batch_norm(c, "BatchNorm3d", 3, channels, eps, momentum);
}

/* ---- layer norm, RMS norm, group norm ---------------------------------------------- */

typedef struct Norm {
    char kind; /* 'l'ayer, 'r'ms, 'g'roup */
    double eps;
    int64_t groups;
    int rank;
} Norm;

static wf_status forward_norm(wf_ctx *c, wf_module *m, const wf_tensor *in, int nin,
                              wf_tensor *out, int nout)
{
    const Norm *v = wf_module_data(m);
    wf_tensor w = wf_module_value(m, 0), b = wf_module_value(m, 1);

    if (nin != 1 || nout != 1)
        return nn_gave_up(c);
    out[0] = v->kind == 'g'   ? wf_group_norm(c, in[0], v->groups, w, b, v->eps)
             : v->kind == 'r' ? wf_rms_norm(c, in[0], v->rank, w, v->eps)
                              : wf_layer_norm(c, in[0], v->rank, w, b, v->eps);
    return WF_OK;
}

static wf_module *new_norm(wf_ctx *c, const char *type, const int64_t *dims, Norm v)
{
    wf_module *m = wf_module_new(c, type, forward_norm, sizeof v);

    if (!m)
        return NULL;
    *(Norm *)wf_module_data(m) = v;
    wf_scope_begin(c);
    wf_module_add_param(c, m, "weight", wf_ones(c, WF_F32, dims, v.rank));
    if (v.kind != 'r')
        wf_module_add_param(c, m, "bias", wf_zeros(c, WF_F32, dims, v.rank));
    wf_scope_end(c);
    return m;
}

static wf_module *over_last_axes(wf_ctx *c, const char *type, char kind,
                                 const int64_t *dims, int rank, double eps)
{
    wf_module *m = nn_count(c, dims, rank, type)
                       ? new_norm(c, type, dims, (Norm){kind, eps, 0, rank})
                       : NULL;
    char shape[160] = "(";
    int n = 1;

    if (!m)
        return NULL;
    for (int i = 0; i < rank && n < 130; i++)
        n += snprintf(shape + n, sizeof shape - (size_t)n, "%s%lld%s", i ? ", " : "",
                      L(dims[i]), rank == 1 ? "," : "");
    nn_text(c, m, "%s), eps=%s, elementwise_affine=True%s", shape, nn_float(eps).s,
            kind == 'r' ? "" : ", bias=True");
    return nn_done(c, m);
}

wf_module *wf_nn_layer_norm(wf_ctx *c, const int64_t *dims, int rank, double eps)
{
    return over_last_axes(c, "LayerNorm", 'l', dims, rank, eps);
}

wf_module *wf_nn_rms_norm(wf_ctx *c, const int64_t *dims, int rank, double eps)
{
    return over_last_axes(c, "RMSNorm", 'r', dims, rank, eps);
}

wf_module *wf_nn_group_norm(wf_ctx *c, int64_t groups, int64_t channels, double eps)
{
    wf_module *m;

    if (nn_refuse(c, groups < 1 || channels < 1 || channels % groups,
                  "GroupNorm: channels are no multiple of groups"))
        return NULL;
    m = new_norm(c, "GroupNorm", &channels, (Norm){'g', eps, groups, 1});
    nn_text(c, m, "%lld, %lld, eps=%s, affine=True, bias=True", L(groups), L(channels),
            nn_float(eps).s);
    return nn_done(c, m);
}

/* ---- embedding, dropout ------------------------------------------------------------ */

static wf_status forward_embedding(wf_ctx *c, wf_module *m, const wf_tensor *in, int nin,
                                   wf_tensor *out, int nout)
{
    if (nin != 1 || nout != 1)
        return nn_gave_up(c);
    out[0] = wf_embedding(c, wf_module_value(m, 0), in[0]);
    return WF_OK;
}

wf_module *wf_nn_embedding(wf_ctx *c, wf_generator *g, int64_t count, int64_t size)
{
    wf_module *m;

    if (nn_refuse(c, count < 1 || size < 1, "Embedding: sizes must be positive"))
        return NULL;
    m = wf_module_new(c, "Embedding", forward_embedding, 0);
    wf_scope_begin(c);
    wf_module_add_param(c, m, "weight",
                        wf_init_normal(c, g, (int64_t[]){count, size}, 2, 0, 1));
    wf_scope_end(c);
    nn_text(c, m, "%lld, %lld", L(count), L(size));
    return nn_done(c, m);
}

typedef struct Dropout {
    double p;
    wf_generator *g; /* borrowed; NULL: the context's */
} Dropout;

static wf_status forward_dropout(wf_ctx *c, wf_module *m, const wf_tensor *in, int nin,
                                 wf_tensor *out, int nout)
{
    const Dropout *v = wf_module_data(m);
    int64_t dims[WF_MAX_RANK];
    wf_tensor key;
    int rank;

    if (nin != 1 || nout != 1)
        return nn_gave_up(c);
    out[0] = in[0];
    if (!wf_module_training(m) || v->p == 0)
        return WF_OK;
    key = wf_random_key_next(c);
    if (nn_refuse(c, wf_is_none(key) && wf_is_symbolic(c, in[0]),
                  "Dropout: in a program that is no method it needs a key: call it between "
                  "wf_random_key_begin and wf_random_key_end, or in eval mode") ||
        (rank = wf_rank(c, in[0])) < 0 || wf_shape(c, in[0], dims, rank))
        return nn_gave_up(c);
    out[0] = wf_dropout(
        c, in[0],
        wf_is_none(key)
            ? wf_bernoulli(c, v->g, WF_BOOL, dims, rank, 1 - v->p)
            : wf_key_bernoulli(c, key, wf_scalar(c, WF_F32, 1 - v->p), dims, rank),
        v->p);
    return WF_OK;
}

wf_module *wf_nn_dropout(wf_ctx *c, wf_generator *g, double p)
{
    wf_module *m;

    if (nn_refuse(c, !(p >= 0 && p <= 1), "Dropout: the probability is not in 0..1"))
        return NULL;
    m = wf_module_new(c, "Dropout", forward_dropout, sizeof(Dropout));
    if (!m)
        return NULL;
    *(Dropout *)wf_module_data(m) = (Dropout){p, g};
    nn_text(c, m, "p=%s, inplace=False", nn_float(p).s);
    return nn_done(c, m);
}
