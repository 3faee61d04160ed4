/* ops_cast.c -- element types that Weft has no dtype for, and casts to and from them.
 *
 * A float of 8 or 4 bits is held as its code, a byte: what a code stands for is looked up in
 * a table; the code of a number is found among the points between neighbours, ties going to
 * the even code. Integers of 4 and 2 bits are held as their value, a byte.
 */
#include "onnx/ops.h"

typedef struct Small { /* a float type */
    int exponent, mantissa, bias;
    int top;        /* the largest code of a positive number */
    int nan, inf;   /* codes; inf -1: it has none */
    bool one_zero;  /* -0 is 0: its code is NaN */
} Small;

static const Small *small_of(OxElem e)
{
    static const Small e4m3fn = {4, 3, 7, 0x7e, 0x7f, -1, false}, e4m3fnuz = {4, 3, 8, 0x7f, 0x80, -1, true},
                       e5m2 = {5, 2, 15, 0x7b, 0x7e, 0x7c, false}, e5m2fnuz = {5, 2, 16, 0x7f, 0x80, -1, true},
                       e2m1 = {2, 1, 1, 7, -1, -1, false};

    return e == OX_F8E4M3FN ? &e4m3fn : e == OX_F8E4M3FNUZ ? &e4m3fnuz : e == OX_F8E5M2 ? &e5m2
           : e == OX_F8E5M2FNUZ ? &e5m2fnuz : e == OX_F4E2M1 ? &e2m1 : NULL;
}

/* A positive code's number, as if codes went on for ever. */
static double small_value(const Small *s, int code)
{
    int e = code >> s->mantissa, m = code & ((1 << s->mantissa) - 1);

    return e == 0 ? ldexp(m, 1 - s->bias - s->mantissa) : ldexp((1 << s->mantissa) + m, e - s->bias - s->mantissa);
}

static wf_tensor decode(OxRun *r, OxElem elem, wf_tensor codes)
{
    const Small *s = small_of(elem);
    float table[256];
    int64_t n = 256;

    for (int i = 0; i < 256; i++) {
        if (elem == OX_F8E8M0) {
            table[i] = i == 255 ? NAN : (float)ldexp(1, i - 127);
            continue;
        }
        int sign = 1 << (s->exponent + s->mantissa), magnitude = i & (sign - 1);
        double v = magnitude > s->top ? (magnitude == s->inf ? INFINITY : NAN) : small_value(s, magnitude);
        table[i] = (float)(i & sign ? -v : v);
        if (s->one_zero && i == s->nan)
            table[i] = NAN;
    }
    return wf_take(r->c, wf_from(r->c, WF_F32, &n, 1, table), wf_cast(r->c, codes, WF_I64), 0);
}

wf_tensor ox_widen(OxRun *r, const OxValue *v)
{
    wf_tensor t = ox_tensor_of(r, v);

    return v->narrow && (small_of(v->narrow) || v->narrow == OX_F8E8M0) ? decode(r, v->narrow, t) : t;
}

static wf_tensor u8(OxRun *r, int v) { return wf_scalar(r->c, WF_I64, v); }

static wf_tensor encode(OxRun *r, OxElem elem, wf_tensor x, bool saturate)
{
    wf_ctx *c = r->c;
    const Small *s = small_of(elem);
    int sign = 1 << (s->exponent + s->mantissa), n = s->top + 1;
    float between[128]; /* above which a number has a larger code */
    int64_t count = n;
    wf_tensor code, bits, minus, over, nan;

    for (int k = 0; k < n; k++) {
        float m = (float)((small_value(s, k) + small_value(s, k + 1)) / 2);
        between[k] = k % 2 ? nextafterf(m, 0) : m;
    }
    x = wf_cast(c, x, WF_F32);
    bits = wf_bitcast(c, x, WF_I32);
    minus = wf_lt(c, bits, wf_scalar(c, WF_I32, 0));
    code = wf_cast(c, wf_searchsorted(c, wf_from(c, WF_F32, &count, 1, between), wf_abs(c, x), false), WF_I64);
    over = wf_gt(c, code, u8(r, s->top));
    if (saturate || s->nan < 0)
        code = wf_where(c, over, u8(r, s->top), code);
    else
        code = wf_where(c, over, u8(r, s->inf >= 0 ? s->inf : s->nan), code);
    code = wf_where(c, minus, wf_bitwise_or(c, code, u8(r, sign)), code);
    if (s->one_zero) /* no -0, and NaN has no sign */ {
        wf_tensor chosen = saturate ? u8(r, 0) : wf_where(c, over, u8(r, s->nan), u8(r, 0));

        code = wf_where(c, wf_eq(c, wf_bitwise_and(c, code, u8(r, sign - 1)), u8(r, 0)), chosen, code);
    }
    nan = wf_is_nan(c, x);
    code = wf_where(c, nan, s->nan < 0 ? u8(r, sign) : wf_where(c, minus, u8(r, s->nan | sign), u8(r, s->nan)), code);
    return wf_cast(c, code, WF_U8);
}

/* Powers of two. Up and down: the next one; nearest: halves up. */
static wf_tensor encode_power(OxRun *r, wf_tensor x, bool saturate, const char *how)
{
    wf_ctx *c = r->c;
    wf_tensor bits = wf_cast(c, wf_bitcast(c, wf_abs(c, wf_cast(c, x, WF_F32)), WF_I32), WF_I64);
    wf_tensor e = wf_shift_right(c, bits, u8(r, 23)), m = wf_bitwise_and(c, bits, u8(r, 0x7fffff)), up;
    wf_tensor special = wf_eq(c, e, u8(r, 255)), nan = wf_logical_and(c, special, wf_gt(c, m, u8(r, 0)));

    up = strcmp(how, "down") == 0      ? wf_lt(c, m, u8(r, 0))
         : strcmp(how, "nearest") == 0 ? wf_ge(c, m, u8(r, 0x400000))
                                       : wf_gt(c, m, u8(r, 0));
    e = wf_add(c, e, wf_cast(c, up, WF_I64));
    e = wf_minimum(c, e, u8(r, saturate ? 254 : 255));
    return wf_cast(c, wf_where(c, nan, u8(r, 255), e), WF_U8);
}

/* The low bits, as integers wrap. */
static wf_tensor to_few_bits(OxRun *r, wf_tensor x, OxElem to)
{
    bool is_signed = to == OX_INT4 || to == OX_INT2;
    int all = 1 << ox_bits(to), half = is_signed ? all / 2 : 0;
    wf_tensor v = wf_add(r->c, wf_cast(r->c, x, WF_I64), u8(r, half));

    v = wf_sub(r->c, wf_bitwise_and(r->c, v, u8(r, all - 1)), u8(r, half));
    return wf_cast(r->c, v, is_signed ? WF_I8 : WF_U8);
}

OxValue ox_cast_value(OxRun *r, const OxValue *v, OxElem to, bool saturate, const char *rounding)
{
    OxValue out = {.kind = OX_TENSOR};
    wf_tensor x;

    if (v->kind != OX_TENSOR || to == OX_STRING || (ox_dtype(to) == WF_INVALID && (ox_bits(to) > 8 || !ox_bits(to)))) {
        ox_fail(r, WF_ERR_UNSUPPORTED, "to %s", v->kind == OX_TENSOR ? ox_elem_name(to) : "another type from strings");
        return out;
    }
    x = ox_widen(r, v);
    if (ox_dtype(to) != WF_INVALID) {
        out.t = wf_cast(r->c, x, ox_dtype(to));
        return out;
    }
    out.narrow = to;
    if (v->narrow == to)
        out.t = ox_tensor_of(r, v);
    else if (to == OX_F8E8M0)
        out.t = encode_power(r, x, saturate, rounding);
    else
        out.t = small_of(to) ? encode(r, to, x, saturate) : to_few_bits(r, x, to);
    return out;
}
