/* k_cast.c -- casts between all dtypes, half floats, choice between arrays; loops of bool and of
 * the bits of half floats.
 *
 *   float to integer   towards zero, too large: the nearest there is, NaN: 0
 *   to bool            x != 0, NaN too
 *   to float           to nearest even, once; too large: infinity
 *   integer to integer modulo 2^width
 */
#include "vec.h"

/* ---- one element ------------------------------------------------------------------------------- */

VINLINE uint32_t bits_of(float x)
{
    uint32_t u;

    memcpy(&u, &x, sizeof u);
    return u;
}
VINLINE float float_of(uint32_t u)
{
    float x;

    memcpy(&x, &u, sizeof x);
    return x;
}

/* Scaling by 2^112 moves the exponent and makes denormal numbers normal. */
VINLINE float from_f16(uint16_t h)
{
    uint32_t sign = (uint32_t)(h & 0x8000u) << 16, mag = (uint32_t)(h & 0x7fffu) << 13;
    uint32_t special = mag >= 0x0f800000u ? 0x7f800000u : 0;

    return float_of(bits_of(float_of(mag) * 0x1p112f) | special | sign);
}

/* Below 2^-14 adding 0.5 puts the rounded significand into the low bits; above, integer rounding
 * carries into the exponent. */
VINLINE uint16_t to_f16(float x)
{
    uint32_t u = bits_of(x), sign = (u >> 16) & 0x8000u, mag = u & 0x7fffffffu;
    uint32_t small = bits_of(float_of(mag) + 0.5f) - 0x3f000000u;
    uint32_t normal = (mag + 0x0fffu + ((mag >> 13) & 1u) - 0x38000000u) >> 13;
    uint32_t r = mag < 0x38800000u ? small : normal;

    r = mag >= 0x47800000u ? 0x7c00u : r;
    r = mag > 0x7f800000u ? 0x7e00u | (mag >> 13 & 0x3ffu) : r;
    return (uint16_t)(r | sign);
}

VINLINE float from_bf16(uint16_t h) { return float_of((uint32_t)h << 16); }
VINLINE uint16_t to_bf16(float x)
{
    uint32_t u = bits_of(x), r = (u + 0x7fffu + ((u >> 16) & 1u)) >> 16;

    return (uint16_t)((u & 0x7fffffffu) > 0x7f800000u ? (u >> 16) | 0x40u : r);
}

/* f64 to f32, to odd: rounding that again to fewer bits is as rounding once. */
VINLINE float to_odd(double x)
{
    float f = (float)x, a = f < 0 ? -f : f;
    double d = x < 0 ? -x : x;
    uint32_t u = bits_of(f);

    if ((double)a == d || x != x)
        return f;
    u -= (double)a > d; /* towards zero; infinity becomes the largest number */
    return float_of(u | 1);
}

/* An integer of any size to f32, to odd. */
VINLINE float odd_unsigned(uint64_t m)
{
    int s = m >> 24 ? 40 - __builtin_clzll(m) : 0;
    uint64_t top = m >> s, lost = m & (((uint64_t)1 << s) - 1);

    return (float)(uint32_t)(top | (lost != 0)) * float_of((uint32_t)(127 + s) << 23);
}
VINLINE float odd_signed(int64_t x)
{
    return x < 0 ? -odd_unsigned(0 - (uint64_t)x) : odd_unsigned((uint64_t)x);
}

/* ---- loops -------------------------------------------------------------------------------------- */

#define CAST_LOOP(name, F, R, expr)                                                            \
    static void name(int64_t n, const void *in, void *out)                                     \
    {                                                                                          \
        const F *a = in;                                                                       \
        R *o = out;                                                                            \
        EACH_ALONE                                                                             \
        for (int64_t i = 0; i < n; i++) {                                                      \
            F x = a[i];                                                                        \
            o[i] = (R)(expr);                                                                  \
        }                                                                                      \
    }

#define TO_INT(v, R, lo, hi, lo_int, hi_int)                                                   \
    ((v) != (v) ? (R)0 : (v) >= (hi) ? (hi_int) : (v) <= (lo) ? (lo_int) : (R)(v))

/* v: the element as a number of C; half: as an f32 that rounds like it */
#define CASTS_FROM_FLOAT(k, F, v, wide, half)                                                  \
    CAST_LOOP(k##_bool, F, uint8_t, (v) != 0)                                                  \
    CAST_LOOP(k##_i8, F, int8_t, TO_INT(v, int8_t, -0x1p7f, 0x1p7f, INT8_MIN, INT8_MAX))       \
    CAST_LOOP(k##_i16, F, int16_t, TO_INT(v, int16_t, -0x1p15f, 0x1p15f, INT16_MIN, INT16_MAX)) \
    CAST_LOOP(k##_i32, F, int32_t, TO_INT(v, int32_t, -0x1p31f, 0x1p31f, INT32_MIN, INT32_MAX)) \
    CAST_LOOP(k##_i64, F, int64_t, TO_INT(v, int64_t, -0x1p63f, 0x1p63f, INT64_MIN, INT64_MAX)) \
    CAST_LOOP(k##_u8, F, uint8_t, TO_INT(v, uint8_t, 0.0f, 0x1p8f, 0, UINT8_MAX))              \
    CAST_LOOP(k##_u16, F, uint16_t, TO_INT(v, uint16_t, 0.0f, 0x1p16f, 0, UINT16_MAX))         \
    CAST_LOOP(k##_u32, F, uint32_t, TO_INT(v, uint32_t, 0.0f, 0x1p32f, 0, UINT32_MAX))         \
    CAST_LOOP(k##_u64, F, uint64_t, TO_INT(v, uint64_t, 0.0f, 0x1p64f, 0, UINT64_MAX))         \
    CAST_LOOP(k##_f16, F, uint16_t, to_f16(half))                                              \
    CAST_LOOP(k##_bf16, F, uint16_t, to_bf16(half))                                            \
    CAST_LOOP(k##_f32, F, float, v)                                                            \
    CAST_LOOP(k##_f64, F, double, wide)

#define CASTS_FROM_INT(k, F, v, half)                                                          \
    CAST_LOOP(k##_bool, F, uint8_t, (v) != 0)                                                  \
    CAST_LOOP(k##_i8, F, int8_t, v)                                                            \
    CAST_LOOP(k##_i16, F, int16_t, v)                                                          \
    CAST_LOOP(k##_i32, F, int32_t, v)                                                          \
    CAST_LOOP(k##_i64, F, int64_t, v)                                                          \
    CAST_LOOP(k##_u8, F, uint8_t, v)                                                           \
    CAST_LOOP(k##_u16, F, uint16_t, v)                                                         \
    CAST_LOOP(k##_u32, F, uint32_t, v)                                                         \
    CAST_LOOP(k##_u64, F, uint64_t, v)                                                         \
    CAST_LOOP(k##_f16, F, uint16_t, to_f16(half))                                              \
    CAST_LOOP(k##_bf16, F, uint16_t, to_bf16(half))                                            \
    CAST_LOOP(k##_f32, F, float, v)                                                            \
    CAST_LOOP(k##_f64, F, double, v)

CASTS_FROM_INT(bool, uint8_t, (x != 0), (float)(x != 0))
CASTS_FROM_INT(i8, int8_t, x, (float)x)
CASTS_FROM_INT(i16, int16_t, x, (float)x)
CASTS_FROM_INT(i32, int32_t, x, odd_signed(x))
CASTS_FROM_INT(i64, int64_t, x, odd_signed(x))
CASTS_FROM_INT(u8, uint8_t, x, (float)x)
CASTS_FROM_INT(u16, uint16_t, x, (float)x)
CASTS_FROM_INT(u32, uint32_t, x, odd_unsigned(x))
CASTS_FROM_INT(u64, uint64_t, x, odd_unsigned(x))
CASTS_FROM_FLOAT(f16, uint16_t, from_f16(x), (double)from_f16(x), from_f16(x))
CASTS_FROM_FLOAT(bf16, uint16_t, from_bf16(x), (double)from_bf16(x), from_bf16(x))
CASTS_FROM_FLOAT(f32, float, x, (double)x, x)
CASTS_FROM_FLOAT(f64, double, x, x, to_odd(x))

/* ---- bool, bits ----------------------------------------------------------------------------------- */

/* Any byte but 0 is true; results are 0 and 1. */
#define BOOL2(name, expr)                                                                      \
    static void name(int64_t n, const void *const *in, void *const *out)                       \
    {                                                                                          \
        const uint8_t *a = in[0], *b = in[1];                                                  \
        uint8_t *o = out[0];                                                                   \
        EACH_ALONE                                                                             \
        for (int64_t i = 0; i < n; i++) {                                                      \
            uint8_t x = a[i] != 0, y = b[i] != 0;                                              \
            o[i] = (uint8_t)(expr);                                                            \
        }                                                                                      \
    }
BOOL2(bool_and, x &y)
BOOL2(bool_or, x | y)
BOOL2(bool_xor, x ^ y)
BOOL2(bool_eq, x == y)
BOOL2(bool_lt, x < y)
BOOL2(bool_le, x <= y)
BOOL2(bool_gt, x > y)
BOOL2(bool_ge, x >= y)

static void bool_not(int64_t n, const void *const *in, void *const *out)
{
    const uint8_t *a = in[0];
    uint8_t *o = out[0];

    EACH_ALONE
    for (int64_t i = 0; i < n; i++)
        o[i] = a[i] == 0;
}

#define BITS1(name, expr)                                                                      \
    static void name(int64_t n, const void *const *in, void *const *out)                       \
    {                                                                                          \
        const uint16_t *a = in[0];                                                             \
        uint16_t *o = out[0];                                                                  \
        EACH_ALONE                                                                             \
        for (int64_t i = 0; i < n; i++)                                                        \
            o[i] = (uint16_t)(a[i] expr);                                                      \
    }
BITS1(half_neg, ^0x8000u)
BITS1(half_abs, &0x7fffu)

static void fold_all(int64_t n, const void *in, void *out64)
{
    const uint8_t *a = in;
    int64_t r = 1;

    for (int64_t i = 0; i < n && r; i++)
        r = a[i] != 0;
    memcpy(out64, &r, sizeof r);
}
static void fold_any(int64_t n, const void *in, void *out64)
{
    const uint8_t *a = in;
    int64_t r = 0;

    for (int64_t i = 0; i < n && !r; i++)
        r = a[i] != 0;
    memcpy(out64, &r, sizeof r);
}

#define SELECT(name, T)                                                                        \
    static void name(int64_t n, const void *const *in, void *const *out)                       \
    {                                                                                          \
        const uint8_t *p = in[0];                                                              \
        const T *a = in[1], *b = in[2];                                                        \
        T *o = out[0];                                                                         \
        EACH_ALONE                                                                             \
        for (int64_t i = 0; i < n; i++) {                                                      \
            T x = a[i], y = b[i];                                                              \
            o[i] = p[i] ? x : y;                                                               \
        }                                                                                      \
    }
SELECT(select_1, uint8_t)
SELECT(select_2, uint16_t)
SELECT(select_4, uint32_t)
SELECT(select_8, uint64_t)

/* ---- tables ----------------------------------------------------------------------------------------- */

extern const KTypeLoops KERNEL_NAME(loops_bool), KERNEL_NAME(loops_half);
const KTypeLoops KERNEL_NAME(loops_bool) = {
    .map = {[KM_not] = bool_not, [KM_and] = bool_and, [KM_or] = bool_or, [KM_xor] = bool_xor,
            [KM_eq] = bool_eq, [KM_ne] = bool_xor, [KM_lt] = bool_lt, [KM_le] = bool_le,
            [KM_gt] = bool_gt, [KM_ge] = bool_ge, [KM_max] = bool_or, [KM_min] = bool_and,
            [KM_mul] = bool_and, [KM_add] = bool_or},
    .fold = {[KF_AND] = fold_all, [KF_OR] = fold_any, [KF_MAX] = fold_any, [KF_MIN] = fold_all},
};
const KTypeLoops KERNEL_NAME(loops_half) = {.map = {[KM_neg] = half_neg, [KM_abs] = half_abs}};

#define ROW(k, K)                                                                              \
    [KT_##K] = {[KT_BOOL] = k##_bool, [KT_I8] = k##_i8,   [KT_I16] = k##_i16, [KT_I32] = k##_i32, \
                [KT_I64] = k##_i64,   [KT_U8] = k##_u8,   [KT_U16] = k##_u16, [KT_U32] = k##_u32, \
                [KT_U64] = k##_u64,   [KT_F16] = k##_f16, [KT_BF16] = k##_bf16,                \
                [KT_F32] = k##_f32,   [KT_F64] = k##_f64}

extern const KCasts KERNEL_NAME(casts);
const KCasts KERNEL_NAME(casts) = {
    .cast = {ROW(bool, BOOL), ROW(i8, I8), ROW(i16, I16), ROW(i32, I32), ROW(i64, I64), ROW(u8, U8),
             ROW(u16, U16), ROW(u32, U32), ROW(u64, U64), ROW(f16, F16), ROW(bf16, BF16),
             ROW(f32, F32), ROW(f64, F64)},
    .select = {select_1, select_2, select_4, select_8},
};
