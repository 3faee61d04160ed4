/* ops_ms.c -- ops of the domain com.microsoft that exporters, optimisers and quantisers write. */
#include "onnx/ops.h"

static wf_tensor i64(OxRun *r, int64_t v) { return wf_from(r->c, WF_I64, NULL, 0, &v); }
static wf_tensor size_i64(OxRun *r, int64_t size) { return ox_num_tensor(r, ox_num_size(size)); }
static wf_tensor plus(OxRun *r, wf_tensor x, wf_tensor y) { return wf_is_none(y) ? x : wf_add(r->c, x, y); }

/* ---- fused forms ------------------------------------------------------------------------------ */

/* activation_params: alpha, beta */
static wf_tensor fused_activation(OxRun *r, wf_tensor x)
{
    const OxAttr *p = ox_attr(r, "activation_params");
    const char *name = ox_text(r, "activation", "");
    double a = p && p->floats.n > 0 ? (double)p->floats.v[0] : ox_float(r, "activation_alpha", NAN);
    double b = p && p->floats.n > 1 ? (double)p->floats.v[1] : ox_float(r, "activation_beta", NAN);

    if (strcmp(name, "Clip") == 0)
        return wf_minimum(r->c, wf_maximum(r->c, x, ox_like(r, a, x)), ox_like(r, b, x));
    return *name ? ox_map_activation(r, name, x, a, b) : x;
}

/* conv(x) + z, then the activation */
OX_RULE(fused_conv)
{
    wf_tensor x = ox_in(r, 0), w = ox_in(r, 1), b = ox_opt(r, 2), z = ox_opt(r, 3), y;
    int64_t kernel[WF_MAX_RANK];
    OxWindow win;

    (void)op;
    if (!ox_ok(r) || wf_rank(r->c, w) != wf_rank(r->c, x) || wf_rank(r->c, x) < 3)
        return ox_ok(r) ? ox_fail(r, WF_ERR_SHAPE, "the weight does not fit the input") : false;
    wf_shape(r->c, w, kernel, wf_rank(r->c, w));
    if (!ox_window(r, x, kernel + 2, &win))
        return false;
    y = plus(r, ox_conv_with(r, x, w, b, &win, ox_int(r, "group", 1)), z);
    return ox_put(r, 0, fused_activation(r, y));
}

OX_RULE(fused_gemm)
{
    wf_tensor a = ox_in(r, 0), b = ox_in(r, 1), y;
    double alpha = ox_float(r, "alpha", 1), beta = ox_float(r, "beta", 1);

    (void)op;
    if (ox_int(r, "transA", 0))
        a = wf_swap_axes(r->c, a, 0, 1);
    if (ox_int(r, "transB", 0))
        b = wf_swap_axes(r->c, b, 0, 1);
    y = wf_matmul(r->c, a, b);
    y = alpha == 1 ? y : wf_mul(r->c, y, ox_like(r, alpha, y));
    if (ox_has(r, 2))
        y = wf_add(r->c, y, beta == 1 ? ox_in(r, 2) : wf_mul(r->c, ox_in(r, 2), ox_like(r, beta, y)));
    return ox_put(r, 0, fused_activation(r, y));
}

OX_RULE(fused_matmul)
{
    wf_tensor a = ox_in(r, 0), b = ox_in(r, 1), y;
    double alpha = ox_float(r, "alpha", 1);

    (void)op;
    if (!ox_ok(r) || ox_int(r, "transBatchA", 0) || ox_int(r, "transBatchB", 0))
        return ox_ok(r) ? ox_fail(r, WF_ERR_UNSUPPORTED, "transBatchA and transBatchB") : false;
    if (ox_int(r, "transA", 0))
        a = wf_swap_axes(r->c, a, -1, -2);
    if (ox_int(r, "transB", 0))
        b = wf_swap_axes(r->c, b, -1, -2);
    y = ox_product(r, a, b);
    return ox_put(r, 0, alpha == 1 ? y : wf_mul(r->c, y, ox_like(r, alpha, y)));
}

enum { GELU, BIAS_GELU, FAST_GELU, QUICK_GELU };

OX_RULE(gelu_of)
{
    wf_tensor x = ox_in(r, 0), a;

    if (op->arg == BIAS_GELU || op->arg == FAST_GELU)
        x = plus(r, x, ox_opt(r, 1));
    if (op->arg == QUICK_GELU) {
        a = ox_like(r, ox_float(r, "alpha", 1.702), x);
        return ox_put(r, 0, wf_mul(r->c, x, wf_sigmoid(r->c, wf_mul(r->c, x, a))));
    }
    return ox_put(r, 0, wf_gelu(r->c, x, op->arg == FAST_GELU));
}

/* (x + skip + bias), normalised: arg 1 by its root mean square. The sum is the last result. */
OX_RULE(skip_norm)
{
    double eps = ox_float(r, "epsilon", 1e-12);
    wf_tensor x = wf_add(r->c, ox_in(r, 0), ox_in(r, 1)), w = ox_in(r, 2);

    x = plus(r, x, ox_opt(r, op->arg ? 3 : 4));
    ox_put(r, 3, x);
    return ox_put(r, 0, op->arg ? wf_rms_norm(r->c, x, 1, w, eps) : wf_layer_norm(r->c, x, 1, w, ox_opt(r, 3), eps));
}

/* ---- attention ------------------------------------------------------------------------------------ */

static wf_tensor heads(OxRun *r, wf_tensor x, int64_t n) /* [B,S,H*D] -> [B,H,S,D] */
{
    wf_ctx *c = r->c;
    int64_t b, s;

    if (!ox_ok(r) || wf_rank(c, x) != 3)
        return x;
    b = wf_size(c, x, 0), s = wf_size(c, x, 1);
    x = wf_reshape(c, x, (int64_t[]){b, s, n, wf_size_div(c, wf_size(c, x, 2), n)}, 4);
    return wf_permute(c, x, (int[]){0, 2, 1, 3}, 4);
}

/* softmax(scale q kᵀ + bias) v as [B,S,H*D]; seen: what may be looked at, or WF_NONE */
static wf_tensor attend(OxRun *r, wf_tensor q, wf_tensor k, wf_tensor v, wf_tensor bias, wf_tensor seen)
{
    wf_ctx *c = r->c;
    int64_t d = wf_size(c, q, 3), dims[4];
    double scale = ox_float(r, "scale", 0), cap = ox_float(r, "softcap", 0);
    wf_tensor s, y;

    scale = scale != 0 ? scale : 1 / sqrt((double)(d < 1 ? 1 : d));
    s = wf_matmul(c, wf_mul(c, q, ox_like(r, scale, q)), wf_swap_axes(c, k, 2, 3));
    if (cap > 0)
        s = wf_mul(c, wf_tanh(c, wf_div(c, s, ox_like(r, cap, s))), ox_like(r, cap, s));
    s = plus(r, s, bias);
    if (!wf_is_none(seen))
        s = wf_where(c, seen, s, ox_like(r, ox_float(r, "mask_filter_value", -10000), s));
    y = wf_matmul(c, wf_softmax(c, s, 3), v);
    wf_shape(c, y, dims, wf_rank(c, y));
    y = wf_permute(c, y, (int[]){0, 2, 1, 3}, 4);
    return wf_reshape(c, y, (int64_t[]){dims[0], dims[2], wf_size_mul(c, dims[1], dims[3])}, 3);
}

/* Which keys a mask of rank 1 (lengths) or 2 ([B,T], not 0) shows, as [B,1,1,T]. */
static wf_tensor shown_keys(OxRun *r, wf_tensor mask, int64_t keys)
{
    wf_ctx *c = r->c;
    int64_t b = wf_size(c, mask, 0);

    if (wf_rank(c, mask) == 1)
        return wf_lt(c, ox_iota(r, keys), wf_reshape(c, wf_cast(c, mask, WF_I64), (int64_t[]){b, 1, 1, 1}, 4));
    if (wf_rank(c, mask) == 2)
        return wf_ne(c, wf_reshape(c, wf_cast(c, mask, WF_I64), (int64_t[]){b, 1, 1, wf_size(c, mask, 1)}, 4), i64(r, 0));
    if (wf_rank(c, mask) == 3)
        return wf_ne(c, wf_expand_dims(c, wf_cast(c, mask, WF_I64), 1), i64(r, 0));
    return ox_fail(r, WF_ERR_UNSUPPORTED, "a mask of rank %d", wf_rank(c, mask)), WF_NONE;
}

static wf_tensor also(OxRun *r, wf_tensor a, wf_tensor b)
{
    return wf_is_none(a) ? b : wf_is_none(b) ? a : wf_logical_and(r->c, a, b);
}

/* j <= i + past */
static wf_tensor causal(OxRun *r, int64_t queries, int64_t keys)
{
    int64_t dims[2] = {queries, keys};
    wf_tensor past = wf_sub(r->c, size_i64(r, keys), size_i64(r, queries));

    return wf_le(r->c, wf_iota(r->c, WF_I64, dims, 2, 1), wf_add(r->c, wf_iota(r->c, WF_I64, dims, 2, 0), past));
}

/* query, key, value, bias [3 H D], key_padding_mask, attention_bias, past key and value */
OX_RULE(multi_head)
{
    wf_ctx *c = r->c;
    wf_tensor in[3] = {ox_in(r, 0), ox_opt(r, 1), ox_opt(r, 2)}, bias = ox_opt(r, 3), seen = WF_NONE;
    int64_t n = ox_int(r, "num_heads", 0), at = 0, size;

    (void)op;
    if (!ox_ok(r) || n < 1 || wf_is_none(in[1]) || wf_is_none(in[2]) || wf_rank(c, in[0]) != 3)
        return ox_ok(r) ? ox_fail(r, WF_ERR_UNSUPPORTED, "packed queries, keys and values") : false;
    for (int k = 0; k < 3; k++) {
        if (!wf_is_none(bias) && wf_rank(c, in[k]) == 3) {
            size = wf_size(c, in[k], 2);
            in[k] = wf_add(c, in[k], wf_narrow(c, bias, 0, at, size));
            at += size;
        }
        in[k] = heads(r, in[k], n);
    }
    for (size_t k = 1; k < 3; k++) {
        if (ox_has(r, 5 + k))
            in[k] = wf_concat(c, (wf_tensor[]){ox_in(r, 5 + k), in[k]}, 2, 2);
        ox_put(r, k, in[k]);
    }
    if (!ox_ok(r))
        return false;
    size = wf_size(c, in[1], 2);
    if (ox_has(r, 4))
        seen = shown_keys(r, ox_in(r, 4), size);
    if (ox_int(r, "unidirectional", 0))
        seen = also(r, seen, causal(r, wf_size(c, in[0], 2), size));
    return ox_put(r, 0, attend(r, in[0], in[1], in[2], ox_opt(r, 5), seen));
}

/* input [B,S,I], weights [I,3*H*D], bias [3*H*D], mask, past [2,B,H,P,D], attention_bias */
OX_RULE(ms_attention)
{
    wf_ctx *c = r->c;
    wf_tensor x = ox_in(r, 0), all, part[3], past = ox_opt(r, 4), seen = WF_NONE;
    int64_t n = ox_int(r, "num_heads", 0), sizes[3], at = 0;
    int given;
    const int64_t *hidden = ox_ints(r, "qkv_hidden_sizes", &given);

    (void)op;
    all = plus(r, ox_product(r, x, ox_in(r, 1)), ox_opt(r, 2));
    if (!ox_ok(r) || n < 1 || (hidden && given != 3))
        return ox_ok(r) ? ox_fail(r, WF_ERR_FORMAT, "needs num_heads") : false;
    for (int k = 0; k < 3; k++) {
        sizes[k] = hidden ? hidden[k] : wf_size(c, all, 2) / 3;
        part[k] = heads(r, wf_narrow(c, all, 2, at, sizes[k]), n);
        at += sizes[k];
    }
    for (int64_t k = 1; k < 3 && !wf_is_none(past); k++)
        part[k] = wf_concat(c, (wf_tensor[]){wf_index_get(c, past, (wf_index[]){wf_at_int(k - 1)}, 1), part[k]}, 2, 2);
    if (ox_wants(r, 1))
        ox_put(r, 1, wf_stack(c, part + 1, 2, 0));
    if (!ox_ok(r))
        return false;
    if (ox_has(r, 3))
        seen = shown_keys(r, ox_in(r, 3), wf_size(c, part[1], 2));
    if (ox_int(r, "unidirectional", 0))
        seen = also(r, seen, causal(r, wf_size(c, part[0], 2), wf_size(c, part[1], 2)));
    return ox_put(r, 0, attend(r, part[0], part[1], part[2], ox_opt(r, 5), seen));
}
