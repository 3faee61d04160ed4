/* norm.c -- normalisations: y = (x - mean) / sqrt(var + eps) * weight + bias over various axes. Weight and bias may
 * be WF_NONE.
 */
#include "functions/functions.h"

/* (x - mean) * rsqrt(var + eps), mean and var over the axes */
static wf_tensor standardise(wf_ctx *c, wf_tensor x, const int *axes, int n, double eps,
                             wf_tensor *mean, wf_tensor *var)
{
    wf_tensor d;

    *mean = wf_mean(c, x, axes, n, true);
    d = wf_sub(c, x, *mean);
    *var = wf_mean(c, wf_square(c, d), axes, n, true);
    return wf_mul(c, d, wf_rsqrt(c, wf_add(c, *var, num(c, eps))));
}

static wf_tensor scale_shift(wf_ctx *c, wf_tensor y, wf_tensor weight, wf_tensor bias)
{
    if (!wf_is_none(weight))
        y = wf_mul(c, y, weight);
    return wf_is_none(bias) ? y : wf_add(c, y, bias);
}

static bool last_axes(wf_ctx *c, const char *fn, wf_tensor x, int n, int *axes)
{
    int rank = wf_rank(c, x);

    if (failed(c) || n < 1 || n > rank) {
        if (!failed(c))
            tensor_fail(c, WF_ERR_ARG, "%s: cannot normalise %d axes of %s", fn, n,
                  shape_text(c, tensor_get(c, x, fn)));
        return false;
    }
    for (int i = 0; i < n; i++)
        axes[i] = rank - n + i;
    return true;
}

wf_tensor wf_layer_norm(wf_ctx *c, wf_tensor x, int n, wf_tensor weight, wf_tensor bias,
                        double eps)
{
    int axes[MAX_RANK];
    wf_tensor m, v, y;

    IN_F32(c, x, wf_layer_norm(c, x, n, weight, bias, eps))
    if (!last_axes(c, "wf_layer_norm", x, n, axes))
        return WF_NONE;
    scope_open(c);
    y = standardise(c, float_cast(c, x, "wf_layer_norm"), axes, n, eps, &m, &v);
    return scope_close(c, scale_shift(c, y, weight, bias));
}

/* x / sqrt(mean(x²) + eps) */
wf_tensor wf_rms_norm(wf_ctx *c, wf_tensor x, int n, wf_tensor weight, double eps)
{
    int axes[MAX_RANK];
    wf_tensor v;

    IN_F32(c, x, wf_rms_norm(c, x, n, weight, eps))
    if (!last_axes(c, "wf_rms_norm", x, n, axes))
        return WF_NONE;
    scope_open(c);
    x = float_cast(c, x, "wf_rms_norm");
    v = wf_mean(c, wf_square(c, x), axes, n, true);
    return scope_close(
        c, scale_shift(c, wf_mul(c, x, wf_rsqrt(c, wf_add(c, v, num(c, eps)))), weight,
                       WF_NONE));
}

/* A vector [C] as [C,1,1..] for x [N,C,..]. */
static wf_tensor per_channel(wf_ctx *c, wf_tensor v, uint32_t rank)
{
    Dim dims[MAX_RANK];
    Shape s;

    if (wf_is_none(v) || !shape_of(c, v, "norm", &s))
        return WF_NONE;
    if (s.rank != 1)
        return tensor_fail(c, WF_ERR_SHAPE, "norm: needs one number for each channel, got %s",
                     shape_text(c, tensor_get(c, v, "norm")));
    dims[0] = s.d[0];
    for (uint32_t i = 1; i < rank - 1; i++)
        dims[i] = 1;
    return wf_reshape(c, v, dims, (int)rank - 1);
}

wf_tensor wf_batch_norm(wf_ctx *c, wf_tensor x, wf_tensor mean, wf_tensor var,
                        wf_tensor weight, wf_tensor bias, bool training, double eps,
                        wf_tensor *out_mean, wf_tensor *out_var)
{
    Shape s;
    int axes[MAX_RANK], n = 0;
    wf_tensor y, keep[3] = {WF_NONE, WF_NONE, WF_NONE}, m, v;
    wf_tensor shift;

    if (out_mean)
        *out_mean = WF_NONE;
    if (out_var)
        *out_var = WF_NONE;
    if (!shape_of(c, x, "wf_batch_norm", &s))
        return WF_NONE;
    if (s.rank < 2)
        return tensor_fail(c, WF_ERR_SHAPE, "wf_batch_norm: needs [N,C,..], got %s",
                     shape_text(c, tensor_get(c, x, "wf_batch_norm")));
    for (uint32_t i = 0; i < s.rank; i++)
        if (i != 1)
            axes[n++] = (int)i;
    scope_open(c);
    x = float_cast(c, x, "wf_batch_norm");
    if (training) {
        y = standardise(c, x, axes, n, eps, &m, &v);
        keep[1] = wf_reshape(c, m, &s.d[1], 1);
        keep[2] = wf_reshape(c, v, &s.d[1], 1);
    } else {
        wf_tensor inverse;

        m = per_channel(c, mean, s.rank);
        v = per_channel(c, var, s.rank);
        if (wf_is_none(mean) || wf_is_none(var))
            tensor_fail(c, WF_ERR_ARG,
                  "wf_batch_norm: needs mean and variance when not training");
        inverse = wf_rsqrt(c, wf_add(c, v, num(c, eps)));
        y = wf_mul(c, wf_sub(c, x, m), inverse);
    }
    shift = per_channel(c, bias, s.rank);
    keep[0] = scale_shift(c, y, per_channel(c, weight, s.rank), shift);
    if (failed(c))
        keep[0] = keep[1] = keep[2] = WF_NONE;
    if (out_mean)
        *out_mean = keep[1];
    if (out_var)
        *out_var = keep[2];
    scope_close_n(c, keep, 3);
    return keep[0];
}

wf_tensor wf_group_norm(wf_ctx *c, wf_tensor x, int64_t groups, wf_tensor weight,
                        wf_tensor bias, double eps)
{
    Shape s, g;
    int axes[MAX_RANK], n = 0;
    wf_tensor y, m, v, shift;
    Dim q;

    IN_F32(c, x, wf_group_norm(c, x, groups, weight, bias, eps))
    if (!shape_of(c, x, "wf_group_norm", &s))
        return WF_NONE;
    if (s.rank < 2 || s.rank == MAX_RANK || groups < 1 ||
        !size_exact(c, s.d[1], groups, &q))
        return tensor_fail(
            c, WF_ERR_SHAPE,
            "wf_group_norm: the channels of %s cannot be divided into %lld groups",
            shape_text(c, tensor_get(c, x, "wf_group_norm")), (long long)groups);
    g.rank = s.rank + 1;
    g.d[0] = s.d[0];
    g.d[1] = groups;
    g.d[2] = q;
    for (uint32_t i = 2; i < s.rank; i++)
        g.d[i + 1] = s.d[i];
    for (uint32_t i = 2; i < g.rank; i++)
        axes[n++] = (int)i;
    scope_open(c);
    y = wf_reshape(c, float_cast(c, x, "wf_group_norm"), g.d, (int)g.rank);
    y = wf_reshape(c, standardise(c, y, axes, n, eps, &m, &v), s.d, (int)s.rank);
    shift = per_channel(c, bias, s.rank);
    y = scale_shift(c, y, per_channel(c, weight, s.rank), shift);
    return scope_close(c, y);
}
