/* ops_quant.c -- numbers as small integers with a scale.
 *
 *   x = (q - zero) scale        q = round(x / scale) + zero, kept inside its type
 *
 * Scales are one number, one for each place of an axis, or one for each block along it.
 * Products of integers are integers: i32.
 */
#include "onnx/ops.h"

/* A scale or zero point, shaped to meet x. */
static wf_tensor spread(OxRun *r, wf_tensor v, wf_tensor x)
{
    wf_ctx *c = r->c;
    int rank = wf_rank(c, x), axis;
    int64_t block = ox_int(r, "block_size", 0), dims[WF_MAX_RANK];

    if (wf_rank(c, v) == 0 || (wf_rank(c, v) == 1 && wf_size(c, v, 0) == 1 && !block))
        return wf_reshape(c, v, NULL, 0);
    if ((axis = ox_axis(r, ox_int(r, "axis", 1), rank)) < 0)
        return WF_NONE;
    if (block > 0) { /* one for each block */
        v = wf_repeat(c, v, block, axis);
        return wf_size_equal(c, wf_size(c, v, axis), wf_size(c, x, axis)) ? v
                                                                       : wf_narrow(c, v, axis, 0, wf_size(c, x, axis));
    }
    for (int i = 0; i < rank; i++)
        dims[i] = i == axis ? wf_size(c, v, 0) : 1;
    return wf_reshape(c, v, dims, rank);
}

static bool int_range(OxElem e, double *lo, double *hi)
{
    bool is_signed = e == OX_INT8 || e == OX_INT16 || e == OX_INT4 || e == OX_INT2 || e == OX_INT32;

    if (e != OX_UINT8 && e != OX_UINT16 && e != OX_UINT4 && e != OX_UINT2 && !is_signed)
        return false;
    *lo = is_signed ? -ldexp(1, ox_bits(e) - 1) : 0;
    *hi = ldexp(1, ox_bits(e) - (is_signed ? 1 : 0)) - 1;
    return true;
}

/* round(x) + zero inside the type */
static OxValue to_integer(OxRun *r, wf_tensor x, wf_tensor zero, OxElem to)
{
    double lo = 0, hi = 0;
    wf_dtype dtype = ox_dtype(to) != WF_INVALID ? ox_dtype(to) : to == OX_INT4 || to == OX_INT2 ? WF_I8 : WF_U8;

    int_range(to, &lo, &hi);
    x = wf_round(r->c, x);
    if (!wf_is_none(zero))
        x = wf_add(r->c, x, wf_cast(r->c, zero, wf_dtype_of(r->c, x)));
    x = wf_minimum(r->c, wf_maximum(r->c, x, ox_like(r, lo, x)), ox_like(r, hi, x));
    return (OxValue){.kind = OX_TENSOR, .narrow = ox_dtype(to) == WF_INVALID ? to : 0, .t = wf_cast(r->c, x, dtype)};
}

OX_RULE(quantize)
{
    wf_tensor x = ox_in(r, 0), scale = ox_widen(r, ox_value(r, 1)), zero = WF_NONE, v;
    OxElem to = ox_has(r, 2) ? ox_elem_of(r, 2) : (OxElem)ox_int(r, "output_dtype", OX_UINT8);
    double lo, hi;

    (void)op;
    if (!ox_ok(r))
        return false;
    to = to ? to : OX_UINT8;
    v = wf_div(r->c, wf_cast(r->c, x, WF_F32), wf_cast(r->c, spread(r, scale, x), WF_F32));
    if (!int_range(to, &lo, &hi)) {
        OxValue t = {.kind = OX_TENSOR, .t = ox_has(r, 2) ? wf_add(r->c, v, ox_like(r, 0, v)) : v}; /* no -0 */
        return ox_put_value(r, 0, ox_cast_value(r, &t, to, ox_int(r, "saturate", 1) != 0, "nearest"));
    }
    if (ox_has(r, 2))
        zero = spread(r, ox_tensor_of(r, ox_value(r, 2)), x);
    return ox_put_value(r, 0, to_integer(r, v, zero, to));
}

OX_RULE(dequantize)
{
    const OxValue *q = ox_value(r, 0);
    wf_tensor x = ox_widen(r, q), scale = ox_widen(r, ox_value(r, 1)), v;
    int64_t to = ox_int(r, "output_dtype", 0);

    (void)op;
    if (!ox_ok(r))
        return false;
    v = wf_cast(r->c, x, WF_F32);
    if (ox_has(r, 2))
        v = wf_sub(r->c, v, wf_cast(r->c, spread(r, ox_widen(r, ox_value(r, 2)), x), WF_F32));
    v = wf_mul(r->c, v, wf_cast(r->c, spread(r, scale, x), WF_F32));
    return ox_put(r, 0, wf_cast(r->c, v, to ? ox_dtype(to) : wf_dtype_of(r->c, scale)));
}

OX_RULE(dynamic_quantize)
{
    wf_ctx *c = r->c;
    wf_tensor x = ox_in(r, 0), zero = ox_like(r, 0, x), top = ox_like(r, 255, x), lo, hi, scale, at;

    (void)op;
    lo = wf_minimum(c, zero, wf_min(c, x, NULL, 0, false));
    hi = wf_maximum(c, zero, wf_max(c, x, NULL, 0, false));
    scale = wf_div(c, wf_sub(c, hi, lo), top);
    scale = wf_where(c, wf_eq(c, scale, zero), ox_like(r, 1, x), scale);
    at = wf_round(c, wf_minimum(c, top, wf_maximum(c, zero, wf_div(c, wf_neg(c, lo), scale))));
    ox_put(r, 1, scale);
    ox_put(r, 2, wf_cast(c, at, WF_U8));
    return ox_put_value(r, 0, to_integer(r, wf_div(c, x, scale), at, OX_UINT8));
}

/* ---- products of integers ----------------------------------------------------------------------- */

/* x - zero as i32; rows: a vector of zero points has one for each row, else for each column. */
static wf_tensor centred(OxRun *r, size_t i, size_t z, bool rows)
{
    wf_tensor x = wf_cast(r->c, ox_in(r, i), WF_I32), zero = ox_opt(r, z);

    if (wf_is_none(zero) || !ox_ok(r))
        return x;
    if (wf_rank(r->c, zero) == 1 && wf_size(r->c, zero, 0) == 1)
        zero = wf_reshape(r->c, zero, NULL, 0);
    else if (wf_rank(r->c, zero) == 1 && rows)
        zero = wf_expand_dims(r->c, zero, 1);
    return wf_sub(r->c, x, wf_cast(r->c, zero, WF_I32));
}

OX_RULE(matmul_integer)
{
    (void)op;
    return ox_put(r, 0, wf_matmul(r->c, centred(r, 0, 2, true), centred(r, 1, 3, false)));
}

static wf_tensor conv_integers(OxRun *r, wf_tensor x, wf_tensor w)
{
    int64_t kernel[WF_MAX_RANK];
    OxWindow win;

    if (!ox_ok(r) || wf_rank(r->c, w) != wf_rank(r->c, x) || wf_rank(r->c, x) < 3)
        return ox_fail(r, WF_ERR_SHAPE, "the weight does not fit the input"), WF_NONE;
    wf_shape(r->c, w, kernel, wf_rank(r->c, w));
    if (!ox_window(r, x, kernel + 2, &win))
        return WF_NONE;
    return ox_conv_with(r, x, w, WF_NONE, &win, ox_int(r, "group", 1));
}

/* Zero points of weights: one for each output channel. */
static wf_tensor centred_weight(OxRun *r, size_t i, size_t z)
{
    wf_tensor w = wf_cast(r->c, ox_in(r, i), WF_I32), zero = ox_opt(r, z);
    int64_t dims[WF_MAX_RANK];

    if (wf_is_none(zero) || !ox_ok(r))
        return w;
    zero = wf_cast(r->c, zero, WF_I32);
    if (wf_rank(r->c, zero) == 1) {
        dims[0] = wf_size(r->c, zero, 0);
        for (int k = 1; k < wf_rank(r->c, w); k++)
            dims[k] = 1;
        zero = wf_reshape(r->c, zero, dims, wf_rank(r->c, w));
    }
    return wf_sub(r->c, w, zero);
}

OX_RULE(conv_integer)
{
    (void)op;
    return ox_put(r, 0, conv_integers(r, centred(r, 0, 2, true), centred_weight(r, 1, 3)));
}

/* Sums of products back into the type of the result: times sa sb / sy. */
static OxValue requantize(OxRun *r, wf_tensor sums, wf_tensor sa, wf_tensor sb, wf_tensor sy, size_t zero)
{
    wf_tensor f = wf_div(r->c, wf_mul(r->c, wf_cast(r->c, sa, WF_F32), wf_cast(r->c, sb, WF_F32)), wf_cast(r->c, sy, WF_F32));

    return to_integer(r, wf_mul(r->c, wf_cast(r->c, sums, WF_F32), f), ox_tensor_of(r, ox_value(r, zero)),
                      ox_elem_of(r, zero));
}

OX_RULE(qlinear_matmul)
{
    wf_tensor sa = ox_in(r, 1), sb = ox_in(r, 4), sums = wf_matmul(r->c, centred(r, 0, 2, true), centred(r, 3, 5, false));

    (void)op;
    if (ox_ok(r) && wf_rank(r->c, sa) == 1 && wf_size(r->c, sa, 0) != 1)
        sa = wf_expand_dims(r->c, sa, 1);
    return ox_put_value(r, 0, requantize(r, sums, sa, sb, ox_in(r, 6), 7));
}

OX_RULE(qlinear_conv)
{
    wf_ctx *c = r->c;
    wf_tensor sums = conv_integers(r, centred(r, 0, 2, true), centred_weight(r, 3, 5)), sw = ox_in(r, 4), b = ox_opt(r, 8);
    int64_t dims[WF_MAX_RANK];
    int rank = ox_ok(r) ? wf_rank(c, sums) : 0;

    (void)op;
    if (!ox_ok(r))
        return false;
    for (int i = 1; i < rank - 1; i++)
        dims[i] = 1;
    if (!wf_is_none(b)) {
        dims[0] = wf_size(c, b, 0);
        sums = wf_add(c, sums, wf_reshape(c, b, dims, rank - 1));
    }
    if (wf_rank(c, sw) == 1) {
        dims[0] = wf_size(c, sw, 0);
        sw = wf_reshape(c, sw, dims, rank - 1);
    }
    return ox_put_value(r, 0, requantize(r, sums, ox_in(r, 1), sw, ox_in(r, 6), 7));
}
