/* scalar.c -- what every elementwise op means on one element. See scalar.h.
 *
 * Integers are two's complement of their width. They are computed on 64 bits, unsigned
 * where they could overflow, and cut to their width when stored, so that nothing here is
 * undefined in C.
 */
#include "op/scalar.h"

#include "op/pair.h"

#include <math.h>

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
    case WF_C64: return (Scalar){.f = ((const float *)data)[2 * i], .im = ((const float *)data)[2 * i + 1]};
    case WF_C128: return (Scalar){.f = ((const double *)data)[2 * i], .im = ((const double *)data)[2 * i + 1]};
    case WF_I4: return (Scalar){.u = (uint64_t)(int64_t)((int8_t)(((const uint8_t *)data)[i] << 4) >> 4)};
    case WF_U4: return (Scalar){.u = ((const uint8_t *)data)[i] & 15u};
    default:
        return dtype_is_storage(t) ? (Scalar){.f = (double)f8_to_f32(t, ((const uint8_t *)data)[i])} : (Scalar){.u = 0};
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
    case WF_C64:
        ((float *)data)[2 * i] = (float)x.f;
        ((float *)data)[2 * i + 1] = (float)x.im;
        break;
    case WF_C128:
        ((double *)data)[2 * i] = x.f;
        ((double *)data)[2 * i + 1] = x.im;
        break;
    case WF_I4:
    case WF_U4: ((uint8_t *)data)[i] = x.u & 15; break;
    default:
        if (dtype_is_storage(t))
            ((uint8_t *)data)[i] = f8_from_f32(t, (float)x.f);
        break;
    }
}

unsigned scalar_width(wf_dtype t)
{
    return t == WF_BOOL ? 1 : dtype_row(t)->bits;
}

static uint64_t mask(wf_dtype t) { return ~(uint64_t)0 >> (64 - scalar_width(t)); }

/* The low bits of u as an element of t: sign- or zero-extended again. */
static uint64_t extend(wf_dtype t, uint64_t u)
{
    uint64_t sign = (uint64_t)1 << (scalar_width(t) - 1);

    u &= mask(t);
    return dtype_is(t, DT_SIGNED) ? (u ^ sign) - sign : u;
}

bool scalar_less(wf_dtype t, uint64_t x, uint64_t y)
{
    return dtype_is_signed(t) ? (int64_t)x < (int64_t)y : x < y;
}

/* ---- any dtype --------------------------------------------------------------------- */

static bool is_comparison(unsigned op) { return op >= OP_eq && op <= OP_ge; }

/* With NaN only ne holds. */
static bool compare(unsigned op, wf_dtype t, Scalar x, Scalar y)
{
    bool lt = dtype_is_float(t) ? x.f < y.f : scalar_less(t, x.u, y.u);
    bool gt = dtype_is_float(t) ? x.f > y.f : scalar_less(t, y.u, x.u);
    bool eq = dtype_is_complex(t) ? x.f == y.f && x.im == y.im
              : dtype_is_float(t) ? x.f == y.f
                                  : x.u == y.u;

    switch (op) {
    case OP_eq: return eq;
    case OP_ne: return !eq;
    case OP_lt: return lt;
    case OP_le: return lt || eq;
    case OP_gt: return gt;
    default: return gt || eq;
    }
}

static Scalar apply_pair(unsigned op, const Scalar *x)
{
    Pair z, a = pair(x[0].f, x[0].im);

    switch (op) {
    case OP_abs: return (Scalar){.f = hypot(x[0].f, x[0].im)};
    case OP_real: return (Scalar){.f = x[0].f};
    case OP_imag: return (Scalar){.f = x[0].im};
    default: break;
    }
    z = op_row(op)->lower.pair(a, op_table[op].nin > 1 ? pair(x[1].f, x[1].im) : 0);
    return (Scalar){.f = creal(z), .im = cimag(z)};
}

Scalar scalar_apply(unsigned op, wf_dtype t, const Scalar *x)
{
    const Lower *map = &op_row(op)->lower;
    bool two = op_table[op].nin > 1;

    if (op == OP_clamp) { /* lo, x, hi */
        Scalar atleast = scalar_apply(OP_max, t, (Scalar[]){x[1], x[0]});

        return scalar_apply(OP_min, t, (Scalar[]){atleast, x[2]});
    }
    if (op == OP_is_finite)
        return (Scalar){.u = isfinite(x[0].f) != 0};
    if (is_comparison(op))
        return (Scalar){.u = compare(op, t, x[0], x[1])};
    if (op == OP_complex)
        return (Scalar){.f = x[0].f, .im = x[1].f};
    if (dtype_is_complex(t))
        return apply_pair(op, x);
    if (dtype_is_float(t))
        return (Scalar){.f = map->real(t, x[0].f, two ? x[1].f : 0)};
    return (Scalar){.u = extend(t, map->whole(t, x[0].u, two ? x[1].u : 0))};
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
    bool neg = dtype_is(to, DT_SIGNED);
    unsigned w = scalar_width(to) - neg; /* bits of magnitude */
    uint64_t top = ~(uint64_t)0 >> (64 - w);
    double limit = ldexp(1, (int)w); /* top + 1 */

    if (isnan(x))
        return 0;
    if (x >= limit)
        return top;
    if (x >= 0)
        return (uint64_t)x;
    if (!neg)
        return 0;
    return x <= -limit ? ~top : (uint64_t)(int64_t)x;
}

Scalar scalar_cast(wf_dtype from, wf_dtype to, Scalar x)
{
    from = dtype_wide(from);
    if (dtype_wide(to) == WF_F32) /* rounded to f32 first, then when stored */
        to = WF_F32;
    if (dtype_is_complex(from) && to == WF_BOOL)
        return (Scalar){.u = x.f != 0 || x.im != 0};
    if (dtype_is_complex(from) && !dtype_is_complex(to))
        x.im = 0;
    if (dtype_is_inexact(from)) {
        if (dtype_is_inexact(to))
            return x; /* rounded when stored */
        return (Scalar){.u = to == WF_BOOL ? x.f != 0 : float_to_int(to, x.f)};
    }
    if (to == WF_F64 || to == WF_C128)
        return (Scalar){.f = int_to_double(from, x.u)};
    if (dtype_is_inexact(to))
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
            .u = extend(t, low ? (uint64_t)1 << (scalar_width(t) - 1) : mask(t) >> 1)};
    return (Scalar){.u = low ? 0 : mask(t)};
}

int scalar_compare(wf_dtype t, Scalar x, Scalar y)
{
    t = dtype_wide(t);
    bool xn = scalar_is_nan(t, x), yn = scalar_is_nan(t, y);

    if (xn || yn)
        return xn - yn;
    if (dtype_is_complex(t) && x.f == y.f)
        return (x.im > y.im) - (x.im < y.im);
    if (dtype_is_complex(t))
        return (x.f > y.f) - (x.f < y.f);
    return compare(OP_gt, t, x, y) - compare(OP_lt, t, x, y);
}

bool scalar_is_nan(wf_dtype t, Scalar x)
{
    return dtype_is_inexact(t) && (isnan(x.f) || isnan(x.im));
}
