/* ops_quant.c -- numbers as small integers with a scale.
 *
 *   x = (q - zero) scale        q = round(x / scale) + zero, kept inside its type
 *
 * Scales are one number, one for each place of an axis, or one for each block along it.
 * Products of integers are integers: i32.
 */
#include "functions/functions.h"
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
    wf_tensor cast;

    (void)op;
    if (!ox_ok(r))
        return false;
    to = to ? to : OX_UINT8;
    cast = wf_cast(r->c, spread(r, scale, x), WF_F32);
    v = wf_div(r->c, wf_cast(r->c, x, WF_F32), cast);
    if (!int_range(to, &lo, &hi)) {
        OxValue t = {.kind = OX_TENSOR, .t = ox_has(r, 2) ? wf_add(r->c, v, ox_like(r, 0, v)) : v}; /* no -0 */
        return ox_put_value(r, 0, ox_cast_value(r, &t, to, ox_int(r, "saturate", 1) != 0, "nearest"));
    }
    if (ox_has(r, 2))
        zero = spread(r, ox_tensor_of(r, ox_value(r, 2)), x);
    return ox_put_value(r, 0, to_integer(r, v, zero, to));
}

static bool one_scale(OxRun *r, const OxQuant *q)
{
    return wf_rank(r->c, q->scale) == 0 || wf_size(r->c, q->scale, 0) == 1;
}

/* What is dequantised, for products that multiply the integers themselves; NULL: of other types. */
static const OxQuant *quant_kept(OxRun *r, wf_tensor scale)
{
    const OxValue *v = ox_value(r, 0);
    wf_dtype dtype = v->narrow || !ox_ok(r) ? WF_INVALID : wf_dtype_of(r->c, ox_in(r, 0));
    OxQuant *q;

    if ((dtype != WF_I8 && dtype != WF_U8) || ox_int(r, "block_size", 0) || wf_rank(r->c, scale) > 1 ||
        wf_dtype_of(r->c, scale) != WF_F32 || ox_int(r, "output_dtype", 0) || !(q = ox_alloc(&r->mem, 1, sizeof *q)))
        return NULL;
    *q = (OxQuant){.q = ox_in(r, 0), .scale = scale, .zero = WF_NONE, .env = r->env};
    if (!one_scale(r, q))
        q->axis = ox_axis(r, ox_int(r, "axis", 1), wf_rank(r->c, q->q));
    if (ox_has(r, 2)) {
        q->zero_value = ox_value(r, 2);
        q->zero = ox_quant_spread(r, ox_in(r, 2), q->axis, wf_rank(r->c, q->q));
    }
    return q;
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
    return ox_put_value(r, 0, (OxValue){.kind = OX_TENSOR,
                                        .t = wf_cast(r->c, v, to ? ox_dtype(to) : wf_dtype_of(r->c, scale)),
                                        .quant = quant_kept(r, scale)});
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

/* All elements of a zero point, if it is known and they are the same; no zero point is 0. */
static bool known_zero(OxRun *r, const OxValue *v, double *zero)
{
    wf_tensor t = WF_NONE;
    int64_t n, *all;
    bool same = true;

    *zero = 0;
    if (!v || v->kind == OX_NOTHING)
        return true;
    if (!ox_concrete(r, v, &t) || !ox_ok(r) || (n = wf_count(r->c, t)) < 1 || n > 1 << 20 ||
        !(all = ox_alloc(&r->mem, (size_t)n, sizeof *all)))
        return false;
    wf_read(r->c, wf_copy(r->c, wf_cast(r->c, t, WF_I64)), all, (size_t)n * 8);
    for (int64_t i = 1; i < n; i++)
        same = same && all[i] == all[0];
    *zero = (double)all[0];
    return ox_ok(r) && same;
}

/* Integers of 16 bits, less the zero point: what fits no 8. */
static wf_tensor less_zero(OxRun *r, wf_tensor x, wf_tensor zero)
{
    wf_tensor cast = wf_cast(r->c, zero, WF_I16);

    return wf_sub(r->c, wf_cast(r->c, x, WF_I16), cast);
}

/* A right operand or filter less its zero point, of i8 where that is possible. */
static wf_tensor centred_weight(OxRun *r, const OxQuant *w)
{
    double zero;
    bool known = known_zero(r, w->zero_value, &zero);

    if (known && zero == 0)
        return w->q;
    if (known && zero == 128 && wf_dtype_of(r->c, w->q) == WF_U8)
        return wf_cast(r->c, less_zero(r, w->q, wf_scalar(r->c, WF_I16, zero)), WF_I8);
    return less_zero(r, w->q, w->zero);
}

static wf_tensor whole_sum(OxRun *r, wf_tensor w, const int *axes, int n, bool keep)
{
    return wf_cast(r->c, wf_sum(r->c, wf_cast(r->c, w, WF_I32), axes, n, keep), WF_I32);
}

/* sum (x - zx) (w - zw) = sum x w' - zx sum w'; a vector zx is one for each row, zw one for each column. */
wf_tensor ox_quant_matmul(OxRun *r, const OxQuant *x, const OxQuant *w)
{
    wf_ctx *c = r->c;
    wf_tensor right = centred_weight(r, w), sums = sums_matmul(c, x->q, right), zero;
    double known;

    if (!ox_ok(r) || (known_zero(r, x->zero_value, &known) && known == 0))
        return sums;
    zero = wf_cast(c, x->zero, WF_I32);
    if (wf_rank(c, right) == 1)
        return wf_sub(c, sums, wf_mul(c, zero, whole_sum(r, right, NULL, 0, false)));
    if (wf_rank(c, x->q) == 1) /* no axis of rows */
        return wf_sub(c, sums, wf_mul(c, zero, whole_sum(r, right, (int[]){wf_rank(c, right) - 2}, 1, false)));
    return wf_sub(c, sums, wf_mul(c, zero, whole_sum(r, right, (int[]){wf_rank(c, right) - 2}, 1, true)));
}

/* The same; what is added to images at their borders is the zero point. */
wf_tensor ox_quant_conv(OxRun *r, const OxQuant *x, const OxQuant *w)
{
    wf_ctx *c = r->c;
    wf_tensor images = x->q, filters = centred_weight(r, w), sums;
    int64_t kernel[WF_MAX_RANK], dims[WF_MAX_RANK];
    int axes[WF_MAX_RANK], rank = ox_ok(r) ? wf_rank(c, filters) : 0;
    bool known;
    OxWindow win;
    double zero;

    if (!ox_ok(r) || rank != wf_rank(c, images) || rank < 3 || rank > 5)
        return ox_ok(r) ? (ox_fail(r, WF_ERR_SHAPE, "the weight does not fit the input"), WF_NONE) : WF_NONE;
    wf_shape(c, filters, kernel, rank);
    if (!ox_window(r, images, kernel + 2, &win))
        return WF_NONE;
    known = known_zero(r, x->zero_value, &zero);
    if (!known) {
        images = less_zero(r, images, x->zero);
        zero = 0;
    }
    for (int i = 0; i < win.n; i++)
        if (win.lo[i] != win.hi[i] || win.lo[i] < 0 || (win.lo[i] && zero != 0)) {
            images = ox_pad_window(r, images, &win, zero);
            break;
        }
    sums = sums_conv(c, images, filters, win.n, win.stride, win.lo, win.dilation, ox_int(r, "group", 1));
    if (zero == 0)
        return sums;
    for (int i = 0; i < rank - 1; i++) {
        axes[i] = i + 1;
        dims[i] = i ? 1 : wf_size(c, filters, 0);
    }
    return wf_sub(c, sums, wf_mul(c, wf_scalar(c, WF_I32, zero),
                                  wf_reshape(c, whole_sum(r, filters, axes, rank - 1, false), dims, rank - 1)));
}

/* Input i with zero point z. axis: where a vector of zero points goes. */
OxQuant ox_quant_of(OxRun *r, size_t i, size_t z, int axis)
{
    OxQuant q = {.q = ox_in(r, i), .zero = ox_opt(r, z), .zero_value = ox_has(r, z) ? ox_value(r, z) : NULL};

    if (!wf_is_none(q.zero) && ox_ok(r))
        q.zero = ox_quant_spread(r, q.zero, axis < 0 ? wf_rank(r->c, q.q) + axis : axis, wf_rank(r->c, q.q));
    return q;
}

/* One number, or one for each place of an axis, shaped to meet a tensor of that rank. */
wf_tensor ox_quant_spread(OxRun *r, wf_tensor v, int axis, int rank)
{
    int64_t dims[WF_MAX_RANK];

    if (!ox_ok(r) || wf_rank(r->c, v) > 1 || rank < 1)
        return v;
    if (wf_rank(r->c, v) == 0 || wf_size(r->c, v, 0) == 1)
        return wf_reshape(r->c, v, NULL, 0);
    for (int i = 0; i < rank; i++)
        dims[i] = i == axis ? wf_size(r->c, v, 0) : 1;
    return wf_reshape(r->c, v, dims, rank);
}

/* ---- products between DequantizeLinear and QuantizeLinear ---- */

/* Inputs 0 and 1, if both are integers that were dequantised, the left one by one scale. */
static bool quant_operands(OxRun *r, const OxQuant **x, const OxQuant **w)
{
    *x = ox_has(r, 0) ? ox_value(r, 0)->quant : NULL;
    *w = ox_has(r, 1) ? ox_value(r, 1)->quant : NULL;
    return *x && *w && (*x)->env == r->env && (*w)->env == r->env && one_scale(r, *x) && ox_ok(r);
}

static wf_tensor quant_scaled(OxRun *r, wf_tensor sums, const OxQuant *x, wf_tensor scale)
{
    wf_tensor product = wf_mul(r->c, wf_reshape(r->c, x->scale, NULL, 0), scale);

    return wf_mul(r->c, wf_cast(r->c, sums, WF_F32), product);
}

OxQuant ox_quant_turned(OxRun *r, const OxQuant *q, bool turn)
{
    OxQuant t = *q;

    if (turn) {
        t.q = wf_permute(r->c, q->q, (int[]){1, 0}, 2);
        t.axis = 1 - q->axis;
        if (!wf_is_none(q->zero) && wf_rank(r->c, q->zero) == 2)
            t.zero = wf_permute(r->c, q->zero, (int[]){1, 0}, 2);
    }
    return t;
}

/* turn: of Gemm, whose operands are matrices */
static wf_tensor quant_product(OxRun *r, bool turn_x, bool turn_w)
{
    const OxQuant *x, *w;
    OxQuant a, b;
    int rank;
    wf_tensor quant_spread;

    if (!quant_operands(r, &x, &w) || (rank = wf_rank(r->c, w->q)) < 2 || wf_rank(r->c, x->q) < 2 ||
        ((turn_x || turn_w) && (rank != 2 || wf_rank(r->c, x->q) != 2)))
        return WF_NONE;
    a = ox_quant_turned(r, x, turn_x);
    b = ox_quant_turned(r, w, turn_w);
    if (!one_scale(r, &b) && b.axis != rank - 1)
        return WF_NONE;
    quant_spread = ox_quant_spread(r, b.scale, 0, 1);
    return quant_scaled(r, ox_quant_matmul(r, &a, &b), &a, quant_spread);
}

wf_tensor ox_quant_product(OxRun *r) { return quant_product(r, false, false); }

wf_tensor ox_quant_gemm(OxRun *r)
{
    return quant_product(r, ox_int(r, "transA", 0) != 0, ox_int(r, "transB", 0) != 0);
}

wf_tensor ox_quant_images(OxRun *r)
{
    const OxQuant *x, *w;
    int rank;
    wf_tensor quant_spread;

    if (!quant_operands(r, &x, &w) || (rank = wf_rank(r->c, w->q)) < 3 || rank > 5 || (!one_scale(r, w) && w->axis != 0))
        return WF_NONE;
    quant_spread = ox_quant_spread(r, w->scale, 0, rank - 1);
    return quant_scaled(r, ox_quant_conv(r, x, w), x, quant_spread);
}

OX_RULE(matmul_integer)
{
    OxQuant a = ox_quant_of(r, 0, 2, -2), b = ox_quant_of(r, 1, 3, -1);

    (void)op;
    return ox_put(r, 0, ox_quant_matmul(r, &a, &b));
}

OX_RULE(conv_integer)
{
    OxQuant x = ox_quant_of(r, 0, 2, 1), w = ox_quant_of(r, 1, 3, 0);

    (void)op;
    return ox_put(r, 0, ox_quant_conv(r, &x, &w));
}

/* Sums of products back into the type of the result: times sa sb / sy. */
static OxValue requantize(OxRun *r, wf_tensor sums, wf_tensor sa, wf_tensor sb, wf_tensor sy, size_t zero)
{
    wf_tensor cast = wf_cast(r->c, sy, WF_F32);
    wf_tensor whole = wf_cast(r->c, sb, WF_F32);
    wf_tensor f = wf_div(r->c, wf_mul(r->c, wf_cast(r->c, sa, WF_F32), whole), cast);
    wf_tensor tensor_of = ox_tensor_of(r, ox_value(r, zero));

    return to_integer(r, wf_mul(r->c, wf_cast(r->c, sums, WF_F32), f), tensor_of, ox_elem_of(r, zero));
}

OX_RULE(qlinear_matmul)
{
    OxQuant a = ox_quant_of(r, 0, 2, -2), b = ox_quant_of(r, 3, 5, -1);
    wf_tensor sums = ox_quant_matmul(r, &a, &b);
    wf_tensor operand, second;

    (void)op;
    if (!ox_ok(r))
        return false;
    operand = ox_in(r, 6);
    second = ox_in(r, 4);
    return ox_put_value(r, 0, requantize(r, sums, ox_quant_spread(r, ox_in(r, 1), wf_rank(r->c, a.q) - 2, wf_rank(r->c, a.q)),
                                         second, operand, 7));
}

OX_RULE(qlinear_conv)
{
    wf_ctx *c = r->c;
    OxQuant x = ox_quant_of(r, 0, 2, 1), w = ox_quant_of(r, 3, 5, 0);
    wf_tensor sums = ox_quant_conv(r, &x, &w), sw = ox_in(r, 4), b = ox_opt(r, 8);
    int64_t dims[WF_MAX_RANK];
    int rank = ox_ok(r) ? wf_rank(c, sums) : 0;
    wf_tensor operand;

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
    operand = ox_in(r, 6);
    return ox_put_value(r, 0, requantize(r, sums, ox_in(r, 1), sw, operand, 7));
}
