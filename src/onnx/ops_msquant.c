/* ops_msquant.c -- com.microsoft's ops of quantised numbers: x = (q - zero) scale.
 *
 * Products multiply integers and scale their sums; what is elementwise is computed in f32 and rounded.
 */
#include "onnx/ops.h"

static wf_tensor plus(OxRun *r, wf_tensor x, wf_tensor y) { return wf_is_none(y) ? x : wf_add(r->c, x, y); }

/* (q - zero) scale of inputs i, i+1, i+2 */
static wf_tensor real_of(OxRun *r, size_t i)
{
    wf_tensor x = wf_cast(r->c, ox_in(r, i), WF_F32), s = ox_in(r, i + 1);

    if (ox_has(r, i + 2))
        x = wf_sub(r->c, x, wf_cast(r->c, ox_in(r, i + 2), WF_F32));
    return wf_mul(r->c, x, s);
}

/* (q - zero) scale / scale of the result, which is input 6: one factor for every element */
static wf_tensor ratio_of(OxRun *r, size_t i)
{
    wf_tensor x = wf_cast(r->c, ox_in(r, i), WF_F32);
    wf_tensor operand;

    if (ox_has(r, i + 2))
        x = wf_sub(r->c, x, wf_cast(r->c, ox_in(r, i + 2), WF_F32));
    operand = ox_in(r, 6);
    return wf_mul(r->c, x, wf_div(r->c, ox_in(r, i + 1), operand));
}

/* round(x) + zero, input z, inside the type of the zero point */
static bool put_rounded(OxRun *r, wf_tensor x, size_t z)
{
    wf_dtype dtype = ox_has(r, z) ? wf_dtype_of(r->c, ox_in(r, z)) : WF_U8;
    double lo = dtype == WF_I8 ? -128 : 0, hi = dtype == WF_I8 ? 127 : 255;

    if (dtype != WF_I8 && dtype != WF_U8)
        return ox_fail(r, WF_ERR_UNSUPPORTED, "a zero point of type %s", wf_dtype_name(dtype));
    x = wf_round(r->c, x);
    if (ox_has(r, z))
        x = wf_add(r->c, x, wf_cast(r->c, ox_in(r, z), WF_F32));
    x = wf_minimum(r->c, wf_maximum(r->c, x, ox_like(r, lo, x)), ox_like(r, hi, x));
    return ox_put(r, 0, wf_cast(r->c, x, dtype));
}

/* round(x / scale) + zero, inputs i and i+1 */
static bool put_quantised(OxRun *r, wf_tensor x, size_t i) { return put_rounded(r, wf_div(r->c, x, ox_in(r, i)), i + 1); }

enum { Q_ADD, Q_MUL, Q_SIGMOID, Q_LEAKY, Q_AVERAGE, Q_SOFTMAX, Q_POOL };

OX_RULE(qlinear_map)
{
    wf_tensor x = op->arg <= Q_MUL ? ratio_of(r, 0) : real_of(r, 0), y;
    int axes[WF_MAX_RANK], n = ox_ok(r) ? wf_rank(r->c, x) : 0;

    switch (op->arg) {
    case Q_ADD: y = ratio_of(r, 3); return put_rounded(r, wf_add(r->c, x, y), 7);
    case Q_MUL: y = real_of(r, 3); return put_rounded(r, wf_mul(r->c, x, y), 7);
    case Q_SIGMOID: x = wf_sigmoid(r->c, x); break;
    case Q_LEAKY: x = ox_map_activation(r, "LeakyRelu", x, ox_float(r, "alpha", 0.01), NAN); break;
    case Q_POOL: x = ox_pooled(r, x, false, ox_int(r, "channels_last", 0) != 0); break;
    case Q_SOFTMAX: x = wf_softmax(r->c, x, (int)ox_int(r, "axis", -1)); break;
    default:
        for (int i = 2; i < n; i++)
            axes[i - 2] = ox_int(r, "channels_last", 0) ? i - 1 : i;
        x = wf_mean(r->c, x, axes, n - 2, true);
    }
    return ox_ok(r) && put_quantised(r, x, 3);
}

/* scale, zero, then x, scale, zero of each */
OX_RULE(qlinear_concat)
{
    size_t n = (ox_nin(r) - 2) / 3;
    wf_tensor *x = ox_alloc(&r->mem, n + 1, sizeof *x);
    int axis;

    (void)op;
    for (size_t i = 0; x && i < n; i++)
        x[i] = real_of(r, 2 + 3 * i);
    if (!x || !ox_ok(r) || !n || (axis = ox_axis(r, ox_int(r, "axis", 0), wf_rank(r->c, x[0]))) < 0)
        return false;
    return put_quantised(r, wf_concat(r->c, x, (int)n, axis), 0);
}

/* A, B, scales of A and B, zeros of A and B, bias: integers are multiplied, then scaled */
OX_RULE(matmul_to_float)
{
    OxQuant a = ox_quant_of(r, 0, 4, -2), b = ox_quant_of(r, 1, 5, -1);
    wf_tensor y = ox_quant_matmul(r, &a, &b);
    wf_tensor product, operand;

    (void)op;
    operand = ox_in(r, 3);
    product = wf_mul(r->c, ox_in(r, 2), operand);
    y = wf_mul(r->c, wf_cast(r->c, y, WF_F32), product);
    return ox_put(r, 0, plus(r, y, ox_opt(r, 6)));
}

wf_tensor ox_quant_dynamic(OxRun *r, wf_tensor a, const OxQuant *b, wf_tensor b_scale)
{
    wf_ctx *c = r->c;
    wf_tensor zero = ox_like(r, 0, a), top = ox_like(r, 255, a), lo, hi, scale, at, q, y;
    OxQuant left;
    OxValue zero_at;
    wf_tensor product;

    lo = wf_minimum(c, zero, wf_min(c, a, NULL, 0, false));
    hi = wf_maximum(c, zero, wf_max(c, a, NULL, 0, false));
    scale = wf_div(c, wf_sub(c, hi, lo), top);
    scale = wf_where(c, wf_eq(c, scale, zero), ox_like(r, 1, a), scale);
    at = wf_round(c, wf_minimum(c, top, wf_maximum(c, zero, wf_div(c, wf_neg(c, lo), scale))));
    q = wf_minimum(c, top, wf_maximum(c, zero, wf_add(c, wf_round(c, wf_div(c, a, scale)), at)));
    left = (OxQuant){.q = wf_cast(c, q, WF_U8), .zero = at, .zero_value = &zero_at};
    zero_at = (OxValue){.kind = OX_TENSOR, .t = at};
    y = ox_quant_matmul(r, &left, b);
    product = wf_mul(c, scale, b_scale);
    return wf_mul(c, wf_cast(c, y, WF_F32), product);
}

/* A in floats; B, its scale and zero; bias */
OX_RULE(dynamic_matmul)
{
    OxQuant b = ox_quant_of(r, 1, 3, -1);
    wf_tensor opt, operand;

    (void)op;
    opt = ox_opt(r, 4);
    operand = ox_in(r, 2);
    return ox_put(r, 0, plus(r, ox_quant_dynamic(r, ox_in(r, 0), &b, operand), opt));
}

/* A, scale, zero, B, scale, zero, C of i32, then scale and zero of the result, without which it is f32 */
OX_RULE(qgemm)
{
    wf_ctx *c = r->c;
    bool turn_a = ox_int(r, "transA", 0) != 0, turn_b = ox_int(r, "transB", 0) != 0;
    OxQuant a = ox_quant_of(r, 0, 2, 1 - turn_a), b = ox_quant_of(r, 3, 5, turn_b ? 0 : 1);
    wf_tensor y, bias = ox_opt(r, 6);
    wf_tensor operand;

    (void)op;
    if (!ox_ok(r) || wf_rank(c, a.q) != 2 || wf_rank(c, b.q) != 2)
        return ox_ok(r) ? ox_fail(r, WF_ERR_SHAPE, "needs matrices") : false;
    a = ox_quant_turned(r, &a, turn_a);
    b = ox_quant_turned(r, &b, turn_b);
    y = ox_quant_matmul(r, &a, &b);
    y = wf_cast(c, plus(r, y, bias), WF_F32);
    operand = ox_in(r, 4);
    y = wf_mul(c, y, wf_mul(c, wf_mul(c, ox_in(r, 1), operand), ox_like(r, ox_float(r, "alpha", 1), y)));
    return ox_has(r, 7) ? put_quantised(r, y, 7) : ox_put(r, 0, y);
}

/* condition; x, scale, zero; y, scale, zero; scale and zero of the result */
OX_RULE(qlinear_where)
{
    wf_tensor no, yes;

    (void)op;
    no = real_of(r, 4);
    yes = real_of(r, 1);
    return put_quantised(r, wf_where(r->c, ox_in(r, 0), yes, no), 7);
}

/* Codes of `bits` bits, packed low ones first along the last axis: [.., n] -> [.., n * 8 / bits] */
static wf_tensor unpacked(OxRun *r, wf_tensor x, int64_t bits)
{
    wf_ctx *c = r->c;
    int rank = wf_rank(c, x), per = (int)(8 / bits);
    int64_t dims[WF_MAX_RANK];
    wf_tensor parts[8], mask = wf_scalar(c, WF_U8, (double)((1 << bits) - 1));

    if (per == 1)
        return x;
    for (int k = 0; k < per; k++)
        parts[k] = wf_bitwise_and(c, wf_shift_right(c, x, wf_scalar(c, WF_U8, (double)(k * bits))), mask);
    wf_shape(c, x, dims, wf_rank(c, x));
    dims[rank - 1] *= per;
    return wf_reshape(c, wf_stack(c, parts, per, rank), dims, rank);
}

/* A [..,K], B u8 [N, blocks, block * bits / 8], scales [N * blocks], zeros packed or floats: A (B - zero) scale, transposed */
OX_RULE(matmul_bits)
{
    wf_ctx *c = r->c;
    wf_tensor a = ox_in(r, 0), b = ox_in(r, 1), s = ox_in(r, 2), z = ox_opt(r, 3), w;
    int64_t k = ox_int(r, "K", 0), n = ox_int(r, "N", 0), bits = ox_int(r, "bits", 4), block = ox_int(r, "block_size", 32), blocks;
    wf_tensor opt;

    (void)op;
    if (!ox_ok(r) || k < 1 || n < 1 || block < 1 || (bits != 2 && bits != 4 && bits != 8) || k > 1 << 24 || n > 1 << 24 ||
        block > 1 << 16 || ox_has(r, 4))
        return ox_ok(r) ? ox_fail(r, WF_ERR_UNSUPPORTED, "%lld bits, or reordered groups", (long long)bits) : false;
    blocks = (k + block - 1) / block;
    w = unpacked(r, wf_reshape(c, b, (int64_t[]){n, blocks, block * bits / 8}, 3), bits);
    w = wf_cast(c, w, wf_dtype_of(c, s));
    if (wf_is_none(z)) {
        w = wf_sub(c, w, ox_like(r, (double)(1 << (bits - 1)), w));
    } else {
        if (wf_dtype_of(c, z) == WF_U8) { /* a row of packed ones for each of N */
            z = unpacked(r, wf_reshape(c, z, (int64_t[]){n, (blocks * bits + 7) / 8}, 2), bits);
            z = wf_narrow(c, z, 1, 0, blocks);
        }
        z = wf_cast(c, wf_reshape(c, z, (int64_t[]){n, blocks, 1}, 3), wf_dtype_of(c, w));
        w = wf_sub(c, w, z);
    }
    w = wf_mul(c, w, wf_reshape(c, s, (int64_t[]){n, blocks, 1}, 3));
    w = wf_narrow(c, wf_reshape(c, w, (int64_t[]){n, blocks * block}, 2), 1, 0, k);
    opt = ox_opt(r, 5);
    return ox_put(r, 0, plus(r, ox_product(r, a, wf_cast(c, wf_permute(c, w, (int[]){1, 0}, 2), wf_dtype_of(c, a))), opt));
}

/* data, indices along gather_axis, scales of blocks along quantize_axis, zero points: rows are taken, then made numbers. Bytes hold
 * codes of `bits` bits along the last axis. */
OX_RULE(gather_bits)
{
    wf_ctx *c = r->c;
    const OxValue *q = ox_value(r, 0);
    wf_tensor at = ox_in(r, 1), x[3] = {q->narrow ? ox_widen(r, q) : ox_in(r, 0), ox_in(r, 2), WF_NONE};
    int64_t bits = ox_int(r, "bits", 4), block = ox_int(r, "block_size", 128);
    int rank = ox_ok(r) ? wf_rank(c, x[1]) : 0, from = ox_axis(r, ox_int(r, "gather_axis", 0), rank),
        along = ox_axis(r, ox_int(r, "quantize_axis", 1), rank), behind;
    bool packed = ox_ok(r) && !q->narrow && wf_dtype_of(c, x[0]) == WF_U8;

    (void)op;
    if (from < 0 || along < 0 || from == along || (packed && (along != rank - 1 || (bits != 4 && bits != 8))) || block < 1 ||
        block > 1 << 16)
        return ox_ok(r) ? ox_fail(r, WF_ERR_UNSUPPORTED, "blocks of %lld codes of %lld bits", (long long)block, (long long)bits) : false;
    if (packed)
        x[0] = unpacked(r, x[0], bits);
    if (ox_has(r, 3))
        x[2] = packed ? unpacked(r, ox_in(r, 3), bits) : ox_widen(r, ox_value(r, 3));
    at = ox_wrap(r, at, wf_size(c, x[0], from));
    for (int k = 0; k < 3; k++)
        x[k] = wf_is_none(x[k]) ? x[k] : wf_take(c, wf_cast(c, x[k], wf_dtype_of(c, ox_in(r, 2))), at, from);
    if (!ox_ok(r))
        return false;
    behind = along > from ? along + wf_rank(c, at) - 1 : along;
    for (int k = 1; k < 3; k++)
        x[k] = wf_is_none(x[k]) ? x[k] : wf_narrow(c, wf_repeat(c, x[k], block, behind), behind, 0, wf_size(c, x[0], behind));
    if (wf_is_none(x[2]) && packed)
        x[2] = ox_like(r, (double)(1 << (bits - 1)), x[0]);
    x[0] = wf_is_none(x[2]) ? x[0] : wf_sub(c, x[0], x[2]);
    return ox_put(r, 0, wf_mul(c, x[0], x[1]));
}
