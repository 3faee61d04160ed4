/* ops_attention.c -- attention in its forms.
 *
 *   softmax(scale q kᵀ [softcap] + bias) v        q [B,Hq,S,D]  k [B,Hk,T,D]  v [B,Hk,T,E]
 */
#include "onnx/ops.h"

static wf_tensor i64(OxRun *r, int64_t v) { return wf_from(r->c, WF_I64, NULL, 0, &v); }
static wf_tensor size_i64(OxRun *r, int64_t size) { return ox_num_tensor(r, ox_num_size(size)); }

/* [B,S,H*D] -> [B,H,S,D] */
static wf_tensor heads(OxRun *r, wf_tensor x, int64_t n)
{
    wf_ctx *c = r->c;
    int64_t b, s;

    if (!ox_ok(r) || wf_rank(c, x) != 3)
        return x;
    if (n < 1)
        return ox_fail(r, WF_ERR_VALUE, "the number of heads is missing"), WF_NONE;
    b = wf_size(c, x, 0);
    s = wf_size(c, x, 1);
    x = wf_reshape(c, x, (int64_t[]){b, s, n, wf_size_div(c, wf_size(c, x, 2), n)}, 4);
    return wf_permute(c, x, (int[]){0, 2, 1, 3}, 4);
}

static wf_tensor unheads(OxRun *r, wf_tensor x) /* and back */
{
    wf_ctx *c = r->c;
    int64_t d[4];

    wf_shape(c, x, d, wf_rank(c, x));
    return wf_reshape(c, wf_permute(c, x, (int[]){0, 2, 1, 3}, 4), (int64_t[]){d[0], d[2], wf_size_mul(c, d[1], d[3])}, 3);
}

/* Each head of k and v for several of q. */
static wf_tensor shared_heads(OxRun *r, wf_tensor x, int64_t q)
{
    int64_t n = wf_size(r->c, x, 1);

    return n > 0 && q > n ? wf_repeat(r->c, x, q / n, 1) : x;
}

typedef struct Masks { /* what may be seen: bool, or WF_NONE for everything; and what is added */
    wf_tensor seen, added;
} Masks;

static void also(OxRun *r, Masks *m, wf_tensor seen)
{
    m->seen = wf_is_none(m->seen) ? seen : wf_logical_and(r->c, m->seen, seen);
}

/* A mask that is shorter than the keys: what it does not reach is not seen. */
static void given_mask(OxRun *r, Masks *m, wf_tensor mask, int64_t keys)
{
    wf_ctx *c = r->c;
    int rank = wf_rank(c, mask);
    int64_t n = wf_size(c, mask, rank - 1), lo[WF_MAX_RANK] = {0}, hi[WF_MAX_RANK] = {0};
    bool is_bool = wf_dtype_of(c, mask) == WF_BOOL;

    if (n >= 0 && keys >= 0 && n < keys && n != 1) {
        hi[rank - 1] = keys - n;
        mask = wf_pad(c, mask, lo, hi, wf_rank(c, mask), is_bool ? 0 : -INFINITY);
    }
    if (is_bool)
        also(r, m, mask);
    else
        m->added = mask;
}

/* Places of queries against those of keys: causal, windows, keys that are padding. */
static void place_masks(OxRun *r, Masks *m, int64_t queries, int64_t keys, wf_tensor past, wf_tensor valid)
{
    wf_ctx *c = r->c;
    int64_t dims[2] = {queries, keys}, left = ox_int(r, "left_window_size", -1), right = ox_int(r, "right_window_size", -1);
    wf_tensor i = wf_iota(c, WF_I64, dims, 2, 0), j = wf_iota(c, WF_I64, dims, 2, 1), at;

    if (!wf_is_none(valid)) {
        valid = wf_reshape(c, valid, (int64_t[]){wf_size(c, valid, 0), 1, 1, 1}, 4);
        also(r, m, wf_lt(c, j, valid));
        past = wf_sub(c, valid, size_i64(r, queries));
    }
    at = wf_is_none(past) ? i : wf_add(c, i, past);
    if (ox_int(r, "is_causal", 0))
        also(r, m, wf_le(c, j, at));
    if (left >= 0)
        also(r, m, wf_ge(c, j, wf_sub(c, at, i64(r, left))));
    if (right >= 0)
        also(r, m, wf_le(c, j, wf_add(c, at, i64(r, right))));
}

/* The softmax of the scores, 0 in rows where nothing is seen. */
static wf_tensor weights_of(OxRun *r, wf_tensor s, const Masks *m, wf_tensor *biased)
{
    wf_ctx *c = r->c;
    int last = 3;
    wf_tensor any, p;
    wf_dtype dtype = wf_dtype_of(c, s);
    int64_t precision = ox_int(r, "softmax_precision", 0);

    if (!wf_is_none(m->added))
        s = wf_add(c, s, wf_cast(c, m->added, dtype));
    if (!wf_is_none(m->seen))
        s = wf_where(c, m->seen, s, ox_like(r, -INFINITY, s));
    *biased = s;
    if (precision && ox_dtype(precision) != WF_INVALID)
        s = wf_cast(c, s, ox_dtype(precision));
    if (wf_is_none(m->seen) && wf_is_none(m->added))
        return wf_cast(c, wf_softmax(c, s, last), dtype);
    any = wf_any(c, wf_gt(c, s, ox_like(r, -INFINITY, s)), &last, 1, true);
    p = wf_softmax(c, wf_where(c, any, s, ox_like(r, 0, s)), last);
    return wf_cast(c, wf_where(c, any, p, ox_like(r, 0, p)), dtype);
}

OX_RULE(attention)
{
    wf_ctx *c = r->c;
    wf_tensor q = ox_in(r, 0), k = ox_in(r, 1), v = ox_in(r, 2), mask = ox_opt(r, 3), s, p, y, raw, capped, biased, past = WF_NONE;
    bool packed = ox_ok(r) && wf_rank(c, q) == 3;
    int64_t nq = ox_int(r, "q_num_heads", 0), nk = ox_int(r, "kv_num_heads", 0), d;
    double cap = ox_float(r, "softcap", 0), scale;
    Masks m = {WF_NONE, WF_NONE};
    wf_tensor swapped;

    (void)op;
    q = heads(r, q, nq);
    k = heads(r, k, nk);
    v = heads(r, v, nk);
    if (!ox_ok(r))
        return false;
    if (ox_has(r, 4)) {
        past = size_i64(r, wf_size(c, ox_in(r, 4), 2));
        k = wf_concat(c, (wf_tensor[]){ox_in(r, 4), k}, 2, 2);
        v = wf_concat(c, (wf_tensor[]){ox_in(r, 5), v}, 2, 2);
    }
    ox_put(r, 1, k);
    ox_put(r, 2, v);
    d = wf_size(c, q, 3);
    nq = wf_size(c, q, 1);
    if (d < 1 || nq < 1)
        return ox_ok(r) ? ox_fail(r, WF_ERR_UNSUPPORTED, "heads of symbolic size") : false;
    scale = ox_float(r, "scale", 1 / sqrt((double)d));
    k = shared_heads(r, k, nq);
    v = shared_heads(r, v, nq);
    if (!wf_is_none(mask))
        given_mask(r, &m, mask, wf_size(c, k, 2));
    place_masks(r, &m, wf_size(c, q, 2), wf_size(c, k, 2), past, ox_opt(r, 6));
    swapped = wf_swap_axes(c, wf_mul(c, k, ox_like(r, sqrt(scale), k)), 2, 3);
    s = wf_matmul(c, wf_mul(c, q, ox_like(r, sqrt(scale), q)), swapped);
    raw = s;
    if (cap > 0)
        s = wf_mul(c, wf_tanh(c, wf_div(c, s, ox_like(r, cap, s))), ox_like(r, cap, s));
    capped = s;
    p = weights_of(r, s, &m, &biased);
    y = wf_matmul(c, p, v);
    switch (ox_int(r, "qk_matmul_output_mode", 0)) {
    case 0: ox_put(r, 3, raw); break;
    case 1: ox_put(r, 3, capped); break;
    case 2: ox_put(r, 3, biased); break;
    default: ox_put(r, 3, p);
    }
    return ox_put(r, 0, packed ? unheads(r, y) : y);
}

/* ---- rotary embedding ----------------------------------------------------------------------------- */

/* The first dim of x [B,H,S,D] turned by angles whose cosines and sines are [B,S,dim/2] or [1,S,dim/2]. */
wf_tensor ox_rotated(OxRun *r, wf_tensor x, wf_tensor cs, wf_tensor sn, int64_t dim, bool mixed)
{
    wf_ctx *c = r->c;
    int64_t d = wf_size(c, x, 3), half = dim / 2, dims[4];
    wf_tensor a, b, re, im, y, rest = WF_NONE;
    wf_tensor product, scaled;

    if (d < 0 || dim > d || dim % 2)
        return ox_fail(r, WF_ERR_SHAPE, "rotated part of %lld of %lld", (long long)dim, (long long)d), WF_NONE;
    cs = wf_expand_dims(c, cs, 1); /* [B,1,S,dim/2] */
    sn = wf_expand_dims(c, sn, 1);
    if (dim < d)
        rest = wf_narrow(c, x, 3, dim, d - dim);
    y = dim < d ? wf_narrow(c, x, 3, 0, dim) : x;
    if (mixed) {
        a = wf_index_get(c, y, (wf_index[]){wf_at_rest(), wf_at_slice_step(0, WF_NOT, 2)}, 2);
        b = wf_index_get(c, y, (wf_index[]){wf_at_rest(), wf_at_slice_step(1, WF_NOT, 2)}, 2);
    } else {
        a = wf_narrow(c, y, 3, 0, half);
        b = wf_narrow(c, y, 3, half, half);
    }
    product = wf_mul(c, sn, b);
    re = wf_sub(c, wf_mul(c, cs, a), product);
    scaled = wf_mul(c, cs, b);
    im = wf_add(c, wf_mul(c, sn, a), scaled);
    if (mixed) {
        wf_shape(c, y, dims, wf_rank(c, y));
        y = wf_reshape(c, wf_stack(c, (wf_tensor[]){re, im}, 2, 4), dims, 4);
    } else {
        y = wf_concat(c, (wf_tensor[]){re, im}, 2, 3);
    }
    return wf_is_none(rest) ? y : wf_concat(c, (wf_tensor[]){y, rest}, 2, 3);
}

OX_RULE(rotary)
{
    wf_ctx *c = r->c;
    wf_tensor x = ox_in(r, 0), cs = ox_in(r, 1), sn = ox_in(r, 2), ids = ox_opt(r, 3);
    bool packed = ox_ok(r) && wf_rank(c, x) == 3;
    int64_t dim = ox_int(r, "rotary_embedding_dim", 0);

    (void)op;
    x = heads(r, x, ox_int(r, "num_heads", 0)); /* [B,H,S,D] */
    if (!ox_ok(r))
        return false;
    if (!wf_is_none(ids)) {
        cs = wf_take(c, cs, ids, 0);
        sn = wf_take(c, sn, ids, 0);
    }
    x = ox_rotated(r, x, cs, sn, dim ? dim : wf_size(c, x, 3), ox_int(r, "interleaved", 0) != 0);
    return ox_ok(r) && ox_put(r, 0, packed ? unheads(r, x) : x);
}

OX_RULE(swiglu)
{
    wf_tensor a = ox_in(r, 0), b = ox_in(r, 1);

    (void)op;
    return ox_put(r, 0, wf_mul(r->c, ox_map_activation(r, "Swish", a, ox_float(r, "alpha", 1), NAN), b));
}

/* ---- linear attention: a state S [B,H,D,E] that every token changes ---------------------------------- */

typedef struct OxLinear {
    OxRun *r;
    bool gated, delta;
    double scale;
} OxLinear;

/* S, q k v [B,H,*], g [B,H,D or 1], beta [B,H,1] -> S, o */
static wf_status linear_step(wf_ctx *c, void *user, const wf_tensor *in, int nin, wf_tensor *out, int nout)
{
    const OxLinear *l = user;
    wf_tensor s = in[0], q = in[1], k = in[2], v = in[3], old;
    int i = 4;
    wf_tensor column;

    (void)nin, (void)nout;
    if (l->gated)
        s = wf_mul(c, s, wf_expand_dims(c, wf_exp(c, in[i++]), 3));
    if (l->delta) {
        old = wf_squeeze(c, wf_matmul(c, wf_expand_dims(c, k, 2), s), (int[]){2}, 1);
        v = wf_mul(c, in[i], wf_sub(c, v, old));
    }
    column = wf_expand_dims(c, v, 2);
    s = wf_add(c, s, wf_mul(c, wf_expand_dims(c, k, 3), column));
    out[0] = s;
    /* q has several heads for each of S: [B,H,G,D] */
    out[1] = wf_matmul(c, wf_mul(c, q, ox_like(l->r, l->scale, q)), s);
    return wf_ctx_status(c);
}

/* [B,T,H*D] -> [T,B,H,D] */
static wf_tensor by_time(OxRun *r, wf_tensor x, int64_t n)
{
    return wf_move_axis(r->c, heads(r, x, n), 2, 0);
}

OX_RULE(linear_attention)
{
    wf_ctx *c = r->c;
    const char *rule = ox_text(r, "update_rule", "gated_delta");
    OxLinear l = {.r = r, .gated = strncmp(rule, "gated", 5) == 0, .delta = strstr(rule, "delta") != NULL,
                .scale = ox_float(r, "scale", 0)};
    int64_t nq = ox_int(r, "q_num_heads", 0), nk = ox_int(r, "kv_num_heads", 0), d, b, t, dims[4], qd[5];
    wf_tensor in[6], out[2], q = ox_in(r, 0), beta;
    wf_dtype dtype = wf_dtype_of(c, q), work = dtype == WF_F64 ? WF_F64 : WF_F32;
    wf_function fn = WF_FUNCTION(linear_step, &l, 4, 2, "linear");
    int n = 4;

    (void)op;
    if (!ox_ok(r) || nq < 1 || nk < 1 || nq % nk || wf_rank(c, q) != 3)
        return ox_ok(r) ? ox_fail(r, WF_ERR_SHAPE, "needs packed heads and their numbers") : false;
    b = wf_size(c, q, 0);
    t = wf_size(c, q, 1);
    d = wf_size_div(c, wf_size(c, q, 2), nq);
    if (l.scale == 0)
        l.scale = 1 / sqrt((double)d);
    in[2] = by_time(r, ox_in(r, 1), nk);
    in[3] = by_time(r, ox_in(r, 2), nk);
    qd[0] = t, qd[1] = b, qd[2] = nk, qd[3] = nq / nk, qd[4] = d;
    in[1] = wf_reshape(c, by_time(r, q, nq), qd, 5);
    dims[0] = b, dims[1] = nk, dims[2] = d, dims[3] = ox_ok(r) ? wf_size(c, in[3], 3) : 0;
    in[0] = ox_has(r, 3) ? ox_in(r, 3) : wf_broadcast_to(c, ox_like(r, 0, q), dims, 4);
    if (l.gated)
        in[n++] = by_time(r, ox_in(r, 4), nk);
    if (l.delta) {
        beta = ox_in(r, 5); /* [B,T,H] or [B,T,1] */
        in[n++] = wf_expand_dims(c, wf_permute(c, beta, (int[]){1, 0, 2}, 3), 3);
    }
    fn.inputs = n;
    for (int i = 0; i < n; i++)
        in[i] = wf_cast(c, in[i], work);
    wf_scan_call(c, &fn, 1, in, n, WF_UNBOUNDED, false, out, 2);
    ox_put(r, 1, wf_cast(c, out[0], ox_has(r, 3) ? wf_dtype_of(c, ox_in(r, 3)) : dtype));
    /* [T,B,Hk,G,E] -> [B,T,Hq*E] */
    out[1] = wf_cast(c, wf_permute(c, out[1], (int[]){1, 0, 2, 3, 4}, 5), dtype);
    return ox_put(r, 0, wf_reshape(c, out[1], (int64_t[]){b, t, wf_size_mul(c, dims[3], nq)}, 3));
}

/* ---- a causal convolution that keeps its last inputs --------------------------------------------------- */

OX_RULE(causal_conv)
{
    wf_ctx *c = r->c;
    wf_tensor x = ox_in(r, 0), w = ox_in(r, 1), b = ox_opt(r, 2), past = ox_opt(r, 3), y;
    int64_t k = ox_ok(r) ? wf_size(c, w, 2) : 0, channels = ox_ok(r) ? wf_size(c, x, 1) : 0, lo[3] = {0}, hi[3] = {0};
    const char *act = ox_text(r, "activation", "none");

    (void)op;
    if (!ox_ok(r) || k < 1 || channels < 1)
        return ox_ok(r) ? ox_fail(r, WF_ERR_UNSUPPORTED, "channels of symbolic size") : false;
    lo[2] = k - 1;
    if (!wf_is_none(past))
        x = wf_concat(c, (wf_tensor[]){past, x}, 2, 2);
    else if (k > 1)
        x = wf_pad(c, x, lo, hi, wf_rank(c, x), 0);
    ox_put(r, 1, wf_narrow(c, x, 2, wf_size_sub(c, wf_size(c, x, 2), k - 1), k - 1));
    y = wf_conv(c, x, w, b, 1, NULL, NULL, NULL, channels);
    return ox_put(r, 0, strcmp(act, "none") == 0 ? y : wf_silu(c, y));
}
