/* scalar.c -- what every elementwise op means on one element. See scalar.h.
 *
 * Integers are two's complement of their width. They are computed on 64 bits, unsigned
 * where they could overflow, and cut to their width when stored, so that nothing here is
 * undefined in C.
 */
#include "op/scalar.h"

#include <math.h>

#define SQRT_PI_HALF 0.88622692545275801365 /* sqrt(pi)/2 */

/* ---- elements ---------------------------------------------------------------------- */

Scalar scalar_load(wf_dtype t, const void *data, int64_t i)
{
    switch (t) {
    case WF_BOOL: return (Scalar){.u = ((const uint8_t *)data)[i] != 0};
    case WF_I8: return (Scalar){.u = (uint64_t)(int64_t)((const int8_t *)data)[i]};
    case WF_I16: return (Scalar){.u = (uint64_t)(int64_t)((const int16_t *)data)[i]};
    case WF_I32: return (Scalar){.u = (uint64_t)(int64_t)((const int32_t *)data)[i]};
    case WF_U8: return (Scalar){.u = ((const uint8_t *)data)[i]};
    case WF_U16: return (Scalar){.u = ((const uint16_t *)data)[i]};
    case WF_U32: return (Scalar){.u = ((const uint32_t *)data)[i]};
    case WF_I64:
    case WF_U64: return (Scalar){.u = ((const uint64_t *)data)[i]};
    case WF_F16: return (Scalar){.f = (double)f16_to_f32(((const uint16_t *)data)[i])};
    case WF_BF16: return (Scalar){.f = (double)bf16_to_f32(((const uint16_t *)data)[i])};
    case WF_F32: return (Scalar){.f = (double)((const float *)data)[i]};
    case WF_F64: return (Scalar){.f = ((const double *)data)[i]};
    default: return (Scalar){.u = 0};
    }
}

void scalar_store(wf_dtype t, void *data, int64_t i, Scalar x)
{
    switch (t) {
    case WF_BOOL: ((uint8_t *)data)[i] = x.u != 0; break;
    case WF_I8:
    case WF_U8: ((uint8_t *)data)[i] = (uint8_t)x.u; break;
    case WF_I16:
    case WF_U16: ((uint16_t *)data)[i] = (uint16_t)x.u; break;
    case WF_I32:
    case WF_U32: ((uint32_t *)data)[i] = (uint32_t)x.u; break;
    case WF_I64:
    case WF_U64: ((uint64_t *)data)[i] = x.u; break;
    case WF_F16: ((uint16_t *)data)[i] = f16_from_f64(x.f); break;
    case WF_BF16: ((uint16_t *)data)[i] = bf16_from_f64(x.f); break;
    case WF_F32: ((float *)data)[i] = (float)x.f; break;
    case WF_F64: ((double *)data)[i] = x.f; break;
    default: break;
    }
}

static unsigned width(wf_dtype t)
{
    return t == WF_BOOL ? 1 : (unsigned)wf_dtype_size(t) * 8;
}

static uint64_t mask(wf_dtype t) { return ~(uint64_t)0 >> (64 - width(t)); }

/* The low bits of u as an element of t: sign- or zero-extended again. */
static uint64_t extend(wf_dtype t, uint64_t u)
{
    uint64_t sign = (uint64_t)1 << (width(t) - 1);

    u &= mask(t);
    return dtype_is_signed(t) ? (u ^ sign) - sign : u;
}

/* ---- floats ------------------------------------------------------------------------ */

/* Newton's method with Halley's correction (cubic: 2e-3, 1e-8, 1e-24) on erf(y) = x, or
 * on erfc(y) = 1-x where that is exact and better conditioned, from the approximation
 *   y = sqrt(sqrt(m*m - l/a) - m),  l = log(1 - x*x),  m = 2/(pi*a) + l/2,  a = 0.147. */
double scalar_erf_inv(double x)
{
    double ax = fabs(x), l, m, y;

    if (!(ax < 1))
        return ax == 1 ? x * (double)INFINITY : (double)NAN;
    if (ax < 1e-8) /* the next term is x*x*pi/12 smaller */
        return x * SQRT_PI_HALF;
    l = log1p(-ax) + log1p(ax);
    m = 4.3307467508 + l / 2;
    y = sqrt(sqrt(m * m - l / 0.147) - m);
    for (int i = 0; i < 3; i++) {
        double r =
            (ax < 0.5 ? erf(y) - ax : (1 - ax) - erfc(y)) * SQRT_PI_HALF * exp(y * y);

        y -= r / (1 + y * r);
    }
    return copysign(y, x);
}

/* Without overflow of exp, and with tiny results where x is very negative. */
static double logistic(double x)
{
    double e = exp(-fabs(x));

    return x < 0 ? e / (1 + e) : 1 / (1 + e);
}

static double sign(double x)
{
    return x > 0 ? 1 : x < 0 ? -1 : x; /* NaN and the sign of zero stay */
}

/* NaN wins; +0 is larger than -0 */
static double fmax_nan(double x, double y)
{
    if (isnan(x) || isnan(y))
        return isnan(x) ? x : y;
    return x > y || (x == y && !signbit(x)) ? x : y;
}

static double fmin_nan(double x, double y)
{
    if (isnan(x) || isnan(y))
        return isnan(x) ? x : y;
    return x < y || (x == y && signbit(x)) ? x : y;
}

static double float_op(unsigned op, double x, double y)
{
    switch (op) {
    case OP_neg: return -x;
    case OP_abs: return fabs(x);
    case OP_sign: return sign(x);
    case OP_exp: return exp(x);
    case OP_expm1: return expm1(x);
    case OP_log: return log(x);
    case OP_log1p: return log1p(x);
    case OP_sin: return sin(x);
    case OP_cos: return cos(x);
    case OP_tan: return tan(x);
    case OP_tanh: return tanh(x);
    case OP_erf: return erf(x);
    case OP_erfc: return erfc(x);
    case OP_erf_inv: return scalar_erf_inv(x);
    case OP_sqrt: return sqrt(x);
    case OP_rsqrt: return 1 / sqrt(x);
    case OP_logistic: return logistic(x);
    case OP_floor: return floor(x);
    case OP_ceil: return ceil(x);
    case OP_round: return rint(x); /* rounding is to nearest even everywhere in Weft */
    case OP_add: return x + y;
    case OP_sub: return x - y;
    case OP_mul: return x * y;
    case OP_div: return x / y;
    case OP_rem: return fmod(x, y);
    case OP_pow: return pow(x, y);
    case OP_atan2: return atan2(x, y);
    case OP_max: return fmax_nan(x, y);
    case OP_min: return fmin_nan(x, y);
    default: return (double)NAN;
    }
}

/* ---- integers and bool ------------------------------------------------------------- */

static uint64_t int_div(wf_dtype t, uint64_t x, uint64_t y)
{
    if (y == 0)
        return ~(uint64_t)0;
    if (!dtype_is_signed(t))
        return x / y;
    return y == ~(uint64_t)0 ? 0 - x : (uint64_t)((int64_t)x / (int64_t)y);
}

static uint64_t int_rem(wf_dtype t, uint64_t x, uint64_t y)
{
    if (y == 0)
        return x;
    if (!dtype_is_signed(t))
        return x % y;
    return y == ~(uint64_t)0 ? 0 : (uint64_t)((int64_t)x % (int64_t)y);
}

static uint64_t int_pow(wf_dtype t, uint64_t x, uint64_t y)
{
    uint64_t r = 1;

    if (dtype_is_signed(t) && (int64_t)y < 0) {
        if (x == ~(uint64_t)0) /* (-1)^y */
            return y & 1 ? x : 1;
        return x == 1;
    }
    for (; y; y >>= 1, x *= x)
        if (y & 1)
            r *= x;
    return r;
}

static bool int_less(wf_dtype t, uint64_t x, uint64_t y)
{
    return dtype_is_signed(t) ? (int64_t)x < (int64_t)y : x < y;
}

/* Shifts read the amount as unsigned: a negative one is at least the width. */
static uint64_t int_shift(unsigned op, wf_dtype t, uint64_t x, uint64_t y)
{
    unsigned w = width(t);
    uint64_t bits = x & mask(t), fill;

    y &= mask(t);
    if (op == OP_shl)
        return y < w ? x << y : 0;
    fill = op == OP_shr_arith && bits >> (w - 1) ? ~(uint64_t)0 : 0;
    if (y >= w)
        return fill;
    return y ? bits >> y | fill << (w - y) : bits;
}

static uint64_t int_op(unsigned op, wf_dtype t, uint64_t x, uint64_t y)
{
    switch (op) {
    case OP_neg: return 0 - x;
    case OP_abs: return int_less(t, x, 0) ? 0 - x : x;
    case OP_sign: return int_less(t, x, 0) ? ~(uint64_t)0 : x != 0;
    case OP_not: return ~x & mask(t);
    case OP_add: return x + y;
    case OP_sub: return x - y;
    case OP_mul: return x * y;
    case OP_div: return int_div(t, x, y);
    case OP_rem: return int_rem(t, x, y);
    case OP_pow: return int_pow(t, x, y);
    case OP_max: return int_less(t, x, y) ? y : x;
    case OP_min: return int_less(t, y, x) ? y : x;
    case OP_and: return x & y;
    case OP_or: return x | y;
    case OP_xor: return x ^ y;
    case OP_shl:
    case OP_shr_logical:
    case OP_shr_arith: return int_shift(op, t, x, y);
    default: return 0;
    }
}

/* ---- any dtype --------------------------------------------------------------------- */

static bool is_comparison(unsigned op) { return op >= OP_eq && op <= OP_ge; }

/* With NaN only ne holds. */
static bool compare(unsigned op, wf_dtype t, Scalar x, Scalar y)
{
    bool lt = dtype_is_float(t) ? x.f < y.f : int_less(t, x.u, y.u);
    bool gt = dtype_is_float(t) ? x.f > y.f : int_less(t, y.u, x.u);
    bool eq = dtype_is_float(t) ? x.f == y.f : x.u == y.u;

    switch (op) {
    case OP_eq: return eq;
    case OP_ne: return !eq;
    case OP_lt: return lt;
    case OP_le: return lt || eq;
    case OP_gt: return gt;
    default: return gt || eq;
    }
}

Scalar scalar_apply(unsigned op, wf_dtype t, const Scalar *x)
{
    if (op == OP_clamp) { /* lo, x, hi */
        Scalar atleast = scalar_apply(OP_max, t, (Scalar[]){x[1], x[0]});

        return scalar_apply(OP_min, t, (Scalar[]){atleast, x[2]});
    }
    if (op == OP_is_finite)
        return (Scalar){.u = isfinite(x[0].f) != 0};
    if (is_comparison(op))
        return (Scalar){.u = compare(op, t, x[0], x[1])};
    if (dtype_is_float(t))
        return (Scalar){.f = float_op(op, x[0].f, op_table[op].nin > 1 ? x[1].f : 0)};
    return (Scalar){
        .u = extend(t, int_op(op, t, x[0].u, op_table[op].nin > 1 ? x[1].u : 0))};
}

/* An integer as a double that rounds to any narrower float as the integer itself would:
 * bits beyond what a double holds are kept as one sticky bit. */
static double sticky_double(wf_dtype from, uint64_t u)
{
    bool neg = dtype_is_signed(from) && (int64_t)u < 0;
    uint64_t m = neg ? 0 - u : u;

    if (m >> 53)
        m = (m & ~(uint64_t)2047) | (m & 2047 ? 2048 : 0);
    return neg ? -(double)m : (double)m;
}

static double int_to_double(wf_dtype from, uint64_t u)
{
    return dtype_is_signed(from) ? (double)(int64_t)u : (double)u;
}

static uint64_t float_to_int(wf_dtype to, double x)
{
    unsigned w = width(to) - dtype_is_signed(to); /* bits of magnitude */
    uint64_t top = ~(uint64_t)0 >> (64 - w);
    double limit = ldexp(1, (int)w); /* top + 1 */

    if (isnan(x))
        return 0;
    if (x >= limit)
        return top;
    if (x >= 0)
        return (uint64_t)x;
    if (!dtype_is_signed(to))
        return 0;
    return x <= -limit ? ~top : (uint64_t)(int64_t)x;
}

Scalar scalar_cast(wf_dtype from, wf_dtype to, Scalar x)
{
    if (dtype_is_float(from)) {
        if (dtype_is_float(to))
            return x; /* rounded when stored */
        return (Scalar){.u = to == WF_BOOL ? x.f != 0 : float_to_int(to, x.f)};
    }
    if (to == WF_F64)
        return (Scalar){.f = int_to_double(from, x.u)};
    if (dtype_is_float(to))
        return (Scalar){.f = sticky_double(from, x.u)};
    return (Scalar){.u = to == WF_BOOL ? x.u != 0 : extend(to, x.u)};
}

Scalar scalar_identity(unsigned op, wf_dtype t)
{
    bool low = op == OP_max;

    switch (op) {
    case OP_add:
    case OP_or: return scalar_int(t, 0);
    case OP_mul: return scalar_int(t, 1);
    case OP_and: return (Scalar){.u = extend(t, ~(uint64_t)0)};
    default: break;
    }
    if (dtype_is_float(t))
        return (Scalar){.f = low ? -(double)INFINITY : (double)INFINITY};
    if (dtype_is_signed(t))
        return (Scalar){
            .u = extend(t, low ? (uint64_t)1 << (width(t) - 1) : mask(t) >> 1)};
    return (Scalar){.u = low ? 0 : mask(t)};
}

int scalar_compare(wf_dtype t, Scalar x, Scalar y)
{
    bool xn = scalar_is_nan(t, x), yn = scalar_is_nan(t, y);

    if (xn || yn)
        return xn - yn;
    return compare(OP_gt, t, x, y) - compare(OP_lt, t, x, y);
}

bool scalar_is_nan(wf_dtype t, Scalar x) { return dtype_is_float(t) && isnan(x.f); }
