/* ops_norm.c -- normalisations and dropout. */
#include "onnx/ops.h"

/* old momentum + new (1 - momentum) */
static wf_tensor running(OxRun *r, wf_tensor old, wf_tensor new, double momentum)
{
    wf_tensor product;

    new = wf_cast(r->c, new, wf_dtype_of(r->c, old));
    product = wf_mul(r->c, new, ox_like(r, 1 - momentum, old));
    return wf_add(r->c, wf_mul(r->c, old, ox_like(r, momentum, old)), product);
}

OX_RULE(batch_norm)
{
    wf_tensor x = ox_in(r, 0), scale = ox_in(r, 1), bias = ox_in(r, 2), mean = ox_in(r, 3), var = ox_in(r, 4), y,
              new_mean = WF_NONE, new_var = WF_NONE;
    double eps = ox_float(r, "epsilon", 1e-5), momentum = ox_float(r, "momentum", 0.9);
    bool asked = ox_opset(r) < 14 ? ox_opset(r) >= 7 ? r->node->out.n > 1 : r->node->out.n > 1 && !ox_int(r, "is_test", 0)
                                  : ox_int(r, "training_mode", 0) != 0;
    bool training = asked || r->training;
    OxState *states[2];
    wf_tensor cast;

    (void)op;
    if (!ox_ok(r))
        return false;
    if (wf_dtype_of(r->c, x) != wf_dtype_of(r->c, scale)) {
        scale = wf_cast(r->c, scale, wf_dtype_of(r->c, x));
        bias = wf_cast(r->c, bias, wf_dtype_of(r->c, x));
    }
    cast = wf_cast(r->c, var, wf_dtype_of(r->c, x));
    y = wf_batch_norm(r->c, x, wf_cast(r->c, mean, wf_dtype_of(r->c, x)), cast, scale,
                      bias, training, eps, &new_mean, &new_var);
    ox_put(r, 0, y);
    if (!training || !ox_ok(r))
        return ox_ok(r);
    new_mean = running(r, mean, wf_stop_gradient(r->c, new_mean), momentum);
    new_var = running(r, var, wf_stop_gradient(r->c, new_var), momentum);
    ox_put(r, 1, new_mean);
    ox_put(r, 2, new_var);
    if (r->training && (states[0] = ox_value(r, 3)->state) && (states[1] = ox_value(r, 4)->state)) {
        states[0]->update = new_mean;
        states[1]->update = new_var;
    }
    return ox_ok(r);
}

OX_RULE(instance_norm)
{
    wf_tensor x = ox_in(r, 0), scale = ox_in(r, 1), bias = ox_in(r, 2);

    (void)op;
    if (!ox_ok(r))
        return false;
    return ox_put(r, 0, wf_group_norm(r->c, x, wf_size(r->c, x, 1), scale, bias, ox_float(r, "epsilon", 1e-5)));
}

/* In f32 unless x is wider: stash_type. */
static wf_tensor to_stash(OxRun *r, wf_tensor x)
{
    wf_dtype d = wf_dtype_of(r->c, x);

    return (d == WF_F16 || d == WF_BF16) && ox_int(r, "stash_type", 1) == 1 ? wf_cast(r->c, x, WF_F32) : x;
}

static int last_axes(OxRun *r, wf_tensor x, int *axes)
{
    int rank = ox_ok(r) ? wf_rank(r->c, x) : 0, from = ox_axis(r, ox_int(r, "axis", -1), rank), n = 0;

    for (int i = from; from >= 0 && i < rank; i++)
        axes[n++] = i;
    return n;
}

/* Have weights the shape of the last n axes? */
static bool fits_last(OxRun *r, wf_tensor x, wf_tensor w, int n)
{
    int rank = wf_rank(r->c, x);

    if (wf_is_none(w))
        return true;
    if (wf_rank(r->c, w) != n)
        return false;
    for (int i = 0; i < n; i++)
        if (!wf_size_equal(r->c, wf_size(r->c, w, i), wf_size(r->c, x, rank - n + i)))
            return false;
    return true;
}

OX_RULE(layer_norm)
{
    wf_ctx *c = r->c;
    wf_tensor x = ox_in(r, 0), scale = ox_in(r, 1), bias = ox_opt(r, 2), v, mean, inv, y;
    double eps = ox_float(r, "epsilon", 1e-5);
    int axes[WF_MAX_RANK], n = last_axes(r, x, axes);
    wf_dtype dtype = wf_dtype_of(c, x);

    (void)op;
    if (!n || !ox_ok(r))
        return false;
    if (!ox_wants(r, 1) && !ox_wants(r, 2) && fits_last(r, x, scale, n) && fits_last(r, x, bias, n) &&
        wf_dtype_of(c, scale) == dtype)
        return ox_put(r, 0, wf_layer_norm(c, x, n, scale, bias, eps));
    v = to_stash(r, x);
    mean = wf_mean(c, v, axes, n, true);
    v = wf_sub(c, v, mean);
    inv = wf_reciprocal(c, wf_sqrt(c, wf_add(c, wf_mean(c, wf_square(c, v), axes, n, true), ox_like(r, eps, v))));
    y = wf_mul(c, wf_cast(c, wf_mul(c, v, inv), dtype), scale);
    ox_put(r, 1, mean);
    ox_put(r, 2, inv);
    return ox_put(r, 0, wf_is_none(bias) ? y : wf_add(c, y, bias));
}

OX_RULE(rms_norm)
{
    wf_ctx *c = r->c;
    wf_tensor x = ox_in(r, 0), scale = ox_in(r, 1), v, inv;
    double eps = ox_float(r, "epsilon", 1e-5);
    int axes[WF_MAX_RANK], n = last_axes(r, x, axes);

    (void)op;
    if (!n || !ox_ok(r))
        return false;
    if (fits_last(r, x, scale, n) && wf_dtype_of(c, scale) == wf_dtype_of(c, x) && wf_dtype_of(c, x) == WF_F32)
        return ox_put(r, 0, wf_rms_norm(c, x, n, scale, eps));
    v = to_stash(r, x);
    inv = wf_rsqrt(c, wf_add(c, wf_mean(c, wf_square(c, v), axes, n, true), ox_like(r, eps, v)));
    return ox_put(r, 0, wf_mul(c, wf_cast(c, wf_mul(c, v, inv), wf_dtype_of(c, scale)), scale));
}

OX_RULE(group_norm)
{
    wf_tensor x = ox_in(r, 0), scale = ox_in(r, 1), bias = ox_in(r, 2);
    int64_t groups = ox_int(r, "num_groups", 1), channels = ox_ok(r) ? wf_size(r->c, x, 1) : -1;

    (void)op;
    if (!ox_ok(r) || groups < 1 || channels < 0 || channels % groups)
        return ox_ok(r) ? ox_fail(r, WF_ERR_SHAPE, "%lld groups of %lld channels", (long long)groups, (long long)channels)
                        : false;
    if (ox_opset(r) < 21 && wf_size(r->c, scale, 0) == groups && groups != channels) { /* one number a group */
        scale = wf_repeat(r->c, scale, channels / groups, 0);
        bias = wf_repeat(r->c, bias, channels / groups, 0);
    }
    return ox_put(r, 0, wf_group_norm(r->c, x, groups, scale, bias, ox_float(r, "epsilon", 1e-5)));
}

OX_RULE(mvn)
{
    wf_ctx *c = r->c;
    wf_tensor x = ox_in(r, 0), v, var;
    int axes[WF_MAX_RANK] = {0, 2, 3}, n, rank = ox_ok(r) ? wf_rank(c, x) : 0;

    (void)op;
    if (!ox_axes(r, SIZE_MAX, "axes", rank, axes, &n))
        return false;
    if (n < 0)
        n = 3, axes[0] = 0, axes[1] = 2, axes[2] = 3;
    v = wf_sub(c, x, wf_mean(c, x, axes, n, true));
    var = wf_mean(c, wf_square(c, v), axes, n, true);
    return ox_put(r, 0, wf_div(c, v, wf_add(c, wf_sqrt(c, var), ox_like(r, 1e-9, x))));
}

/* x / (bias + alpha / size * sum of squares over `size` channels around) ^ beta */
OX_RULE(lrn)
{
    wf_ctx *c = r->c;
    wf_tensor x = ox_in(r, 0), s;
    int64_t size = ox_int(r, "size", 1), dims[WF_MAX_RANK], flat[4] = {0, 1, 0, 1}, lo[4] = {0}, hi[4] = {0};
    double alpha = ox_float(r, "alpha", 1e-4), beta = ox_float(r, "beta", 0.75), bias = ox_float(r, "bias", 1);
    int rank = ox_ok(r) ? wf_rank(c, x) : 0;

    (void)op;
    if (rank < 2 || size < 1 || size > 65536)
        return ox_ok(r) ? ox_fail(r, WF_ERR_SHAPE, "needs channels and a positive size") : false;
    wf_shape(c, x, dims, wf_rank(c, x));
    flat[0] = dims[0];
    flat[2] = dims[1];
    for (int i = 2; i < rank; i++)
        flat[3] = wf_size_mul(c, flat[3], dims[i]);
    lo[2] = (size - 1) / 2;
    hi[2] = size - 1 - lo[2];
    s = wf_pad(c, wf_reshape(c, wf_square(c, x), flat, 4), lo, hi, 4, 0);
    s = wf_reshape(c, wf_avg_pool(c, s, 2, (int64_t[]){size, 1}, (int64_t[]){1, 1}, NULL, true), dims, rank);
    s = wf_add(c, wf_mul(c, s, ox_like(r, alpha, s)), ox_like(r, bias, s));
    return ox_put(r, 0, wf_div(c, x, wf_pow(c, s, ox_like(r, beta, s))));
}

OX_RULE(dropout)
{
    wf_ctx *c = r->c;
    wf_tensor x = ox_in(r, 0), on = WF_NONE, mask;
    double p = ox_opset(r) < 12 ? ox_float(r, "ratio", 0.5) : 0.5;
    int64_t dims[WF_MAX_RANK];
    bool training = false;
    int n;

    (void)op;
    if (!ox_ok(r))
        return false;
    if (ox_opset(r) >= 12) {
        if (ox_has(r, 1) && !ox_floats(r, 1, &p, 1, &n))
            return false;
        if (ox_has(r, 2)) {
            if (!ox_concrete(r, ox_value(r, 2), &on))
                return ox_fail(r, WF_ERR_UNSUPPORTED, "training_mode must be known when the model is opened");
            training = wf_item(c, on) != 0;
        }
    } else if (ox_opset(r) < 7) {
        training = false;
    }
    wf_shape(c, x, dims, wf_rank(c, x));
    if ((training || r->training) && p > 0) {
        mask = wf_ge(c, wf_key_uniform(c, ox_key(r), WF_F32, dims, wf_rank(c, x), 0, 1), wf_scalar(c, WF_F32, p));
        ox_put(r, 0, wf_dropout(c, x, mask, p));
    } else {
        mask = wf_broadcast_to(c, wf_scalar(c, WF_BOOL, 1), dims, wf_rank(c, x));
        ox_put(r, 0, x);
    }
    return ox_put(r, 1, ox_opset(r) < 10 ? wf_cast(c, mask, wf_dtype_of(c, x)) : mask);
}

