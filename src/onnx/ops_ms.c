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
    wf_tensor operand = ox_in(r, 1);
    wf_tensor x = wf_add(r->c, ox_in(r, 0), operand), w = ox_in(r, 2);

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

/* [B,H,S,D] -> [B,S,H*D] */
static wf_tensor joined_heads(OxRun *r, wf_tensor y)
{
    wf_ctx *c = r->c;
    int64_t dims[4];

    wf_shape(c, y, dims, wf_rank(c, y));
    return wf_reshape(c, wf_permute(c, y, (int[]){0, 2, 1, 3}, 4),
                      (int64_t[]){dims[0], dims[2], wf_size_mul(c, dims[1], dims[3])}, 3);
}

/* softmax(scale q kᵀ + bias) v as [B,S,H*D]; seen: what may be looked at, or WF_NONE; hidden: scores of the rest. sink [H]: a score
 * of each head that takes its part and gives nothing, or WF_NONE */
static wf_tensor attend_to(OxRun *r, wf_tensor q, wf_tensor k, wf_tensor v, wf_tensor bias, wf_tensor seen, double hidden,
                           wf_tensor sink)
{
    wf_ctx *c = r->c;
    int64_t d = wf_size(c, q, 3);
    double scale = ox_float(r, "scale", 0), cap = ox_float(r, "softcap", 0);
    wf_tensor s, swapped;

    scale = scale != 0 ? scale : 1 / sqrt((double)(d < 1 ? 1 : d));
    swapped = wf_swap_axes(c, k, 2, 3);
    s = wf_matmul(c, wf_mul(c, q, ox_like(r, scale, q)), swapped);
    if (cap > 0)
        s = wf_mul(c, wf_tanh(c, wf_div(c, s, ox_like(r, cap, s))), ox_like(r, cap, s));
    s = plus(r, s, bias);
    if (!wf_is_none(seen))
        s = wf_where(c, seen, s, ox_like(r, hidden, s));
    if (!wf_is_none(sink)) {
        int64_t dims[4], keys = wf_size(c, s, 3);

        wf_shape(c, s, dims, 4);
        dims[3] = 1;
        sink = wf_reshape(c, wf_cast(c, sink, wf_dtype_of(c, s)), (int64_t[]){1, wf_size(c, sink, 0), 1, 1}, 4);
        s = wf_concat(c, (wf_tensor[]){s, wf_broadcast_to(c, sink, dims, 4)}, 2, 3);
        return joined_heads(r, wf_matmul(c, wf_narrow(c, wf_softmax(c, s, 3), 3, 0, keys), v));
    }
    return joined_heads(r, wf_matmul(c, wf_softmax(c, s, 3), v));
}

static wf_tensor attend(OxRun *r, wf_tensor q, wf_tensor k, wf_tensor v, wf_tensor bias, wf_tensor seen)
{
    return attend_to(r, q, k, v, bias, seen, ox_float(r, "mask_filter_value", -10000), WF_NONE);
}

/* Which keys a mask of rank 1 (lengths) or 2 ([B,T], not 0) shows, as [B,1,1,T]. */
static wf_tensor shown_keys(OxRun *r, wf_tensor mask, int64_t keys)
{
    wf_ctx *c = r->c;
    int64_t b = wf_size(c, mask, 0);

    if (wf_rank(c, mask) == 1) {
        wf_tensor shaped = wf_reshape(c, wf_cast(c, mask, WF_I64), (int64_t[]){b, 1, 1, 1}, 4);

        return wf_lt(c, ox_iota(r, keys), shaped);
    }
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
    wf_tensor size = size_i64(r, queries);
    wf_tensor past = wf_sub(r->c, size_i64(r, keys), size);
    wf_tensor sum = wf_add(r->c, wf_iota(r->c, WF_I64, dims, 2, 0), past);

    return wf_le(r->c, wf_iota(r->c, WF_I64, dims, 2, 1), sum);
}

/* Queries, keys and values side by side, [B,S,H,3,D] or the last two [B,T,H,2,D], as three of [B,S,H*D]. */
static bool unpacked_heads(OxRun *r, wf_tensor in[3])
{
    wf_ctx *c = r->c;
    int from = wf_rank(c, in[0]) == 5 ? 0 : 1, n = 3 - from;
    wf_tensor all = in[from];
    int64_t dims[5];

    if (from && (wf_rank(c, in[0]) != 3 || wf_is_none(all)))
        return false;
    if (wf_rank(c, all) != 5)
        return !wf_is_none(in[2]);
    wf_shape(c, all, dims, 5);
    if (dims[3] != n)
        return false;
    for (int k = 0; k < n; k++)
        in[from + k] = wf_reshape(c, wf_narrow(c, all, 3, k, 1), (int64_t[]){dims[0], dims[1], wf_size_mul(c, dims[2], dims[4])}, 3);
    return ox_ok(r);
}

/* query, key, value, bias [3 H D], key_padding_mask, attention_bias, past key and value */
OX_RULE(multi_head)
{
    wf_ctx *c = r->c;
    wf_tensor in[3] = {ox_in(r, 0), ox_opt(r, 1), ox_opt(r, 2)}, bias = ox_opt(r, 3), seen = WF_NONE;
    int64_t n = ox_int(r, "num_heads", 0), at = 0, size;

    (void)op;
    if (!ox_ok(r) || n < 1 || !unpacked_heads(r, in))
        return ox_ok(r) ? ox_fail(r, WF_ERR_SHAPE, "queries, keys and values that do not fit") : false;
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

/* input [B,S,I] weights [I,3*H*D]: floats, or the product of integers */
static wf_tensor projected(OxRun *r, bool quantised)
{
    wf_ctx *c = r->c;
    OxQuant x, w;
    wf_tensor y, scaled, second;

    if (!quantised) {
        wf_tensor operand = ox_in(r, 1);

        return ox_product(r, ox_in(r, 0), operand);
    }
    x = ox_quant_of(r, 0, 6, -2), w = ox_quant_of(r, 1, 7, -1);
    y = ox_quant_matmul(r, &x, &w);
    second = ox_in(r, 4);
    scaled = wf_mul(c, ox_in(r, 3), second);
    return wf_mul(c, wf_cast(c, y, WF_F32), scaled);
}

/* input, weights, bias [3*H*D], mask, past [2,B,H,P,D], attention_bias; arg 1: input, weights, bias, the scales of both, mask, their
 * zero points, past */
OX_RULE(ms_attention)
{
    wf_ctx *c = r->c;
    wf_tensor opt = ox_opt(r, 2);
    wf_tensor all = plus(r, projected(r, op->arg == 1), opt), part[3];
    wf_tensor mask = ox_opt(r, op->arg ? 5 : 3), past = ox_opt(r, op->arg ? 8 : 4), seen = WF_NONE;
    int64_t n = ox_int(r, "num_heads", 0), sizes[3], at = 0;
    int given;
    const int64_t *hidden = ox_ints(r, "qkv_hidden_sizes", &given);

    if (!ox_ok(r) || n < 1 || (hidden && given != 3))
        return ox_ok(r) ? ox_fail(r, WF_ERR_FORMAT, "needs num_heads") : false;
    if (ox_int(r, "do_rotary", 0))
        return ox_fail(r, WF_ERR_UNSUPPORTED, "do_rotary");
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
    if (!wf_is_none(mask))
        seen = shown_keys(r, mask, wf_size(c, part[1], 2));
    if (ox_int(r, "unidirectional", 0))
        seen = also(r, seen, causal(r, wf_size(c, part[0], 2), wf_size(c, part[1], 2)));
    return ox_put(r, 0, attend(r, part[0], part[1], part[2], op->arg ? WF_NONE : ox_opt(r, 5), seen));
}

/* ---- rotary embeddings, and attention with few heads of keys ---- */

/* x [B,S,H*D] or [B,H,S,D], position_ids [1] (of the first) or [B,S], caches of cosines and sines [most, dim/2] */
OX_RULE(ms_rotary)
{
    wf_ctx *c = r->c;
    wf_tensor x = ox_in(r, 0), ids = ox_in(r, 1), cs = ox_in(r, 2), sn = ox_in(r, 3);
    bool packed = ox_ok(r) && wf_rank(c, x) == 3;
    int64_t dim = ox_int(r, "rotary_embedding_dim", 0), n = ox_int(r, "num_heads", 0), half;
    wf_tensor taken;

    (void)op;
    if (!ox_ok(r) || (half = wf_size(c, cs, 1)) < 1 || (dim && !n && packed))
        return ox_ok(r) ? ox_fail(r, WF_ERR_FORMAT, "needs num_heads") : false;
    if (packed)
        x = heads(r, x, n ? n : wf_size_div(c, wf_size(c, x, 2), 2 * half));
    if (!ox_ok(r))
        return false;
    if (wf_rank(c, ids) == 1) { /* of the first; the others follow */
        wf_tensor places = ox_iota(r, wf_size(c, x, 2));

        ids = wf_expand_dims(c, wf_add(c, wf_cast(c, ids, WF_I64), places), 0);
    }
    taken = wf_take(c, sn, ids, 0);
    x = ox_rotated(r, x, wf_take(c, cs, ids, 0), taken, 2 * half, ox_int(r, "interleaved", 0) != 0);
    return ox_ok(r) && ox_put(r, 0, packed ? joined_heads(r, x) : x);
}

/* Keys or values so far, then the new ones from place past[b] on: [B,H,T,D], 0 behind them. */
static wf_tensor appended(OxRun *r, wf_tensor old, wf_tensor new, wf_tensor past, int64_t total)
{
    wf_ctx *c = r->c;
    int64_t dims[4], s = wf_size(c, new, 2);
    wf_tensor at, from, y, sum;

    if (wf_size(c, old, 2) == 0)
        return new;
    wf_shape(c, new, dims, 4);
    dims[2] = total;
    at = wf_reshape(c, ox_iota(r, total), (int64_t[]){1, 1, total, 1}, 4);
    from = wf_sub(c, at, past);
    y = wf_concat(c, (wf_tensor[]){old, new}, 2, 2); /* new ones begin at the size of old */
    sum = wf_add(c, from, size_i64(r, wf_size(c, old, 2)));
    from = wf_where(c, wf_lt(c, from, i64(r, 0)), at, sum);
    from = wf_minimum(c, from, wf_sub(c, size_i64(r, wf_size(c, y, 2)), i64(r, 1)));
    y = wf_take_along(c, y, wf_broadcast_to(c, from, dims, 4), 2);
    return wf_where(c, wf_lt(c, at, wf_add(c, past, size_i64(r, s))), y, ox_like(r, 0, y));
}

/* query [B,S,Hq*D] (or all three side by side), key, value, past key and value [B,Hk,P,D], seqlens_k [B] (all tokens of a
 * row, less 1), total_sequence_length, caches of cosines and sines, places, a bias of the scores, sinks of the heads. Rows may be of different lengths. */
OX_RULE(group_query)
{
    wf_ctx *c = r->c;
    int64_t n = ox_int(r, "num_heads", 0), nk = ox_int(r, "kv_num_heads", 0), window = ox_int(r, "local_window_size", -1), s, d,
            total, known[1];
    wf_tensor q = ox_in(r, 0), kv[2] = {ox_opt(r, 1), ox_opt(r, 2)}, sink = ox_opt(r, 11), past, place, seen, keys;
    int found;

    (void)op;
    if (!ox_ok(r) || n < 1 || nk < 1 || n % nk || (!wf_is_none(sink) && (wf_rank(c, sink) != 1 || wf_size(c, sink, 0) != n)))
        return ox_ok(r) ? ox_fail(r, WF_ERR_UNSUPPORTED, "heads or sinks that do not fit") : false;
    if (wf_is_none(sink) && ox_int(r, "smooth_softmax", 0) > 0)
        sink = wf_zeros(c, WF_F32, &n, 1);
    if (wf_is_none(kv[0])) {
        d = wf_size(c, q, 2) / (n + 2 * nk);
        kv[0] = wf_narrow(c, q, 2, n * d, nk * d);
        kv[1] = wf_narrow(c, q, 2, (n + nk) * d, nk * d);
        q = wf_narrow(c, q, 2, 0, n * d);
    }
    q = heads(r, q, n);
    kv[0] = heads(r, kv[0], nk);
    kv[1] = heads(r, kv[1], nk);
    if (!ox_ok(r))
        return false;
    s = wf_size(c, q, 2), d = wf_size(c, q, 3), total = s;
    past = wf_scalar(c, WF_I64, 0);
    if (ox_has(r, 3) && wf_size(c, ox_in(r, 3), 2) != 0) {
        wf_tensor size = size_i64(r, s);

        past = wf_sub(c, wf_add(c, wf_cast(c, ox_in(r, 5), WF_I64), i64(r, 1)), size);
        past = wf_reshape(c, past, (int64_t[]){wf_size(c, q, 0), 1, 1, 1}, 4);
        total = wf_size_add(c, wf_size(c, ox_in(r, 3), 2), s);
        if (ox_concrete(r, ox_value(r, 6), &keys) && ox_numbers(r, 6, known, 1, &found) && found == 1)
            total = MAX(known[0], wf_size(c, ox_in(r, 3), 2));
    }
    place = wf_add(c, past, wf_reshape(c, ox_iota(r, s), (int64_t[]){1, 1, s, 1}, 4)); /* of each query */
    if (ox_int(r, "do_rotary", 0)) {
        wf_tensor ids = ox_has(r, 9) ? wf_cast(c, ox_in(r, 9), WF_I64)
                                     : wf_reshape(c, place, (int64_t[]){wf_size(c, place, 0), s}, 2),
                  cs = wf_take(c, ox_in(r, 7), ids, 0), sn = wf_take(c, ox_in(r, 8), ids, 0);
        bool mixed = ox_int(r, "rotary_interleaved", 0) != 0;
        int64_t dim = ox_ok(r) ? 2 * wf_size(c, cs, 2) : 0;

        q = ox_rotated(r, q, cs, sn, dim, mixed);
        kv[0] = ox_rotated(r, kv[0], cs, sn, dim, mixed);
    }
    for (size_t k = 0; k < 2 && ox_ok(r); k++) {
        if (ox_has(r, 3 + k))
            kv[k] = appended(r, ox_in(r, 3 + k), kv[k], past, total);
        ox_put(r, 1 + k, kv[k]);
        kv[k] = wf_repeat(c, kv[k], n / nk, 1);
    }
    if (!ox_ok(r))
        return false;
    keys = wf_reshape(c, ox_iota(r, wf_size(c, kv[0], 2)), (int64_t[]){1, 1, 1, wf_size(c, kv[0], 2)}, 4);
    seen = wf_le(c, keys, place);
    if (window > 0)
        seen = wf_logical_and(c, seen, wf_gt(c, keys, wf_sub(c, place, i64(r, window))));
    return ox_put(r, 0, attend_to(r, q, kv[0], kv[1], ox_opt(r, 10), seen, -INFINITY, sink));
}

/* ---- embeddings; ops that are functions of tensors --------------------------------------------- */

/* Rows of the table that is input i: floats, or bytes whose scale and zero point are inputs i+6 and i+11. */
static wf_tensor rows_of(OxRun *r, size_t i, wf_tensor at, bool quantised)
{
    wf_ctx *c = r->c;
    wf_tensor x = ox_in(r, i);

    if (!wf_is_none(at))
        x = wf_take(c, x, ox_wrap(r, at, wf_size(c, x, 0)), 0);
    if (!quantised)
        return x;
    x = wf_cast(c, x, WF_F32);
    if (ox_has(r, i + 11))
        x = wf_sub(c, x, wf_cast(c, ox_in(r, i + 11), WF_F32));
    return wf_mul(c, x, ox_in(r, i + 6));
}

/* ids [B,S], segment ids, tables of words, places and segments, gamma, beta, mask [B,S], places; arg 1: tables, gamma and beta are
 * bytes with scales and zero points behind the mask. Results: the normalised sum, how much the mask shows [B], the sum. */
OX_RULE(embed_norm)
{
    wf_ctx *c = r->c;
    wf_tensor ids = ox_in(r, 0), x, places = op->arg ? WF_NONE : ox_opt(r, 8), shown;
    double eps = ox_float(r, "epsilon", 1e-12);
    wf_tensor placed, bias;

    if (!ox_ok(r) || wf_rank(c, ids) != 2)
        return ox_ok(r) ? ox_fail(r, WF_ERR_SHAPE, "needs ids of rank 2") : false;
    if (wf_is_none(places))
        places = ox_iota(r, wf_size(c, ids, 1));
    placed = rows_of(r, 3, places, op->arg);
    x = wf_add(c, rows_of(r, 2, ids, op->arg), placed);
    if (ox_has(r, 1) && ox_has(r, 4))
        x = wf_add(c, x, rows_of(r, 4, ox_in(r, 1), op->arg));
    shown = ox_has(r, 7) ? wf_sum(c, wf_cast(c, ox_in(r, 7), WF_I32), (int[]){1}, 1, false)
                         : wf_zeros(c, WF_I32, (int64_t[]){wf_size(c, ids, 0)}, 1);
    ox_put(r, 1, wf_cast(c, shown, WF_I32));
    ox_put(r, 2, x);
    bias = rows_of(r, 6, WF_NONE, op->arg);
    return ox_put(r, 0, wf_layer_norm(c, x, 1, rows_of(r, 5, WF_NONE, op->arg), bias, eps));
}

OX_RULE(inverse)
{
    (void)op;
    return ox_put(r, 0, wf_inv(r->c, ox_in(r, 0)));
}

OX_RULE(cdist)
{
    wf_tensor operand = ox_in(r, 1);
    wf_tensor y = wf_cdist(r->c, ox_in(r, 0), operand, 2);

    (void)op;
    return ox_put(r, 0, strcmp(ox_text(r, "metric", "sqeuclidean"), "euclidean") == 0 ? y : wf_square(r->c, y));
}

/* An axis of size 1 at a place that is input 1. */
OX_RULE(expand_dims)
{
    int64_t at;
    int n;

    (void)op;
    return ox_numbers(r, 1, &at, 1, &n) && n == 1 && at >= -WF_MAX_RANK && at < WF_MAX_RANK &&
           ox_put(r, 0, wf_expand_dims(r->c, ox_in(r, 0), (int)at));
}
