/* cast.c -- casts between all dtypes. Built once: but for half floats, which are in
 * k_half.c, casts wait for memory.
 *
 *   float to integer   towards zero, too large: the nearest there is, NaN: 0
 *   to bool            x != 0, NaN too
 *   to float           to nearest even, once; too large: infinity
 *   integer to integer modulo 2^width
 */
#include "half.h"

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

/* ---- loops ------------------------------------------------------------------------- */

#define TO_INT(v, R, lo, hi, lo_int, hi_int)                                             \
    ((v) != (v) ? (R)0 : (v) >= (hi) ? (hi_int) : (v) <= (lo) ? (lo_int) : (R)(v))

/* v: the element as a number of C; half: as an f32 that rounds like it */
#define CASTS_FROM_FLOAT(k, F, v, wide, half)                                            \
    CAST_LOOP(k##_bool, F, uint8_t, (v) != 0)                                            \
    CAST_LOOP(k##_i16, F, int16_t,                                                       \
              TO_INT(v, int16_t, -0x1p15f, 0x1p15f, INT16_MIN, INT16_MAX))               \
    CAST_LOOP(k##_i32, F, int32_t,                                                       \
              TO_INT(v, int32_t, -0x1p31f, 0x1p31f, INT32_MIN, INT32_MAX))               \
    CAST_LOOP(k##_i64, F, int64_t,                                                       \
              TO_INT(v, int64_t, -0x1p63f, 0x1p63f, INT64_MIN, INT64_MAX))               \
    CAST_LOOP(k##_u16, F, uint16_t, TO_INT(v, uint16_t, 0.0f, 0x1p16f, 0, UINT16_MAX))   \
    CAST_LOOP(k##_u32, F, uint32_t, TO_INT(v, uint32_t, 0.0f, 0x1p32f, 0, UINT32_MAX))   \
    CAST_LOOP(k##_u64, F, uint64_t, TO_INT(v, uint64_t, 0.0f, 0x1p64f, 0, UINT64_MAX))   \
    CAST_LOOP(k##_f16, F, uint16_t, to_f16(half))                                        \
    CAST_LOOP(k##_bf16, F, uint16_t, to_bf16(half))                                      \
    CAST_LOOP(k##_f32, F, float, v)                                                      \
    CAST_LOOP(k##_f64, F, double, wide)

#define BYTES_FROM_FLOAT(k, F, v)                                                        \
    CAST_LOOP(k##_i8, F, int8_t, TO_INT(v, int8_t, -0x1p7f, 0x1p7f, INT8_MIN, INT8_MAX)) \
    CAST_LOOP(k##_u8, F, uint8_t, TO_INT(v, uint8_t, 0.0f, 0x1p8f, 0, UINT8_MAX))

/* Of f32, which is what quantised models do: four at a time. */
#define BYTES_FROM_F32(name, R, lo, hi)                                                  \
    static void name(int64_t n, const void *in, void *out)                               \
    {                                                                                    \
        typedef float Floats __attribute__((vector_size(16)));                           \
        typedef int32_t Ints __attribute__((vector_size(16)));                           \
        typedef R Bytes __attribute__((vector_size(4)));                                 \
        const float *a = in;                                                             \
        R *o = out;                                                                      \
        const Floats least = {lo, lo, lo, lo}, most = {hi, hi, hi, hi};                  \
        int64_t i = 0;                                                                   \
                                                                                         \
        for (; i + 4 <= n; i += 4) {                                                     \
            Floats v;                                                                    \
            Bytes b;                                                                     \
                                                                                         \
            memcpy(&v, a + i, 16);                                                       \
            v = (Floats)((Ints)v & (v == v));                                            \
            v = (Floats)(((Ints)v & (v > least)) | ((Ints)least & ~(v > least)));        \
            v = (Floats)(((Ints)v & (v < most)) | ((Ints)most & ~(v < most)));           \
            b = __builtin_convertvector(__builtin_convertvector(v, Ints), Bytes);        \
            memcpy(o + i, &b, 4);                                                        \
        }                                                                                \
        for (; i < n; i++)                                                               \
            o[i] = a[i] != a[i] ? (R)0 : a[i] >= (hi) ? (R)(hi) : a[i] <= (lo) ? (R)(lo) : (R)a[i]; \
    }

#define CASTS_FROM_INT(k, F, v, half)                                                    \
    CAST_LOOP(k##_bool, F, uint8_t, (v) != 0)                                            \
    CAST_LOOP(k##_i8, F, int8_t, v)                                                      \
    CAST_LOOP(k##_i16, F, int16_t, v)                                                    \
    CAST_LOOP(k##_i32, F, int32_t, v)                                                    \
    CAST_LOOP(k##_i64, F, int64_t, v)                                                    \
    CAST_LOOP(k##_u8, F, uint8_t, v)                                                     \
    CAST_LOOP(k##_u16, F, uint16_t, v)                                                   \
    CAST_LOOP(k##_u32, F, uint32_t, v)                                                   \
    CAST_LOOP(k##_u64, F, uint64_t, v)                                                   \
    CAST_LOOP(k##_f16, F, uint16_t, to_f16(half))                                        \
    CAST_LOOP(k##_bf16, F, uint16_t, to_bf16(half))                                      \
    CAST_LOOP(k##_f32, F, float, v)                                                      \
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
BYTES_FROM_FLOAT(f16, uint16_t, from_f16(x))
BYTES_FROM_FLOAT(bf16, uint16_t, from_bf16(x))
BYTES_FROM_FLOAT(f64, double, x)
BYTES_FROM_F32(f32_i8, int8_t, -128.0f, 127.0f)
BYTES_FROM_F32(f32_u8, uint8_t, 0.0f, 255.0f)
CASTS_FROM_FLOAT(f16, uint16_t, from_f16(x), (double)from_f16(x), from_f16(x))
CASTS_FROM_FLOAT(bf16, uint16_t, from_bf16(x), (double)from_bf16(x), from_bf16(x))
CASTS_FROM_FLOAT(f32, float, x, (double)x, x)
CASTS_FROM_FLOAT(f64, double, x, x, to_odd(x))

#define ROW(k, K)                                                                        \
    [KT_##K] = {[KT_BOOL] = k##_bool, [KT_I8] = k##_i8,     [KT_I16] = k##_i16,          \
                [KT_I32] = k##_i32,   [KT_I64] = k##_i64,   [KT_U8] = k##_u8,            \
                [KT_U16] = k##_u16,   [KT_U32] = k##_u32,   [KT_U64] = k##_u64,          \
                [KT_F16] = k##_f16,   [KT_BF16] = k##_bf16, [KT_F32] = k##_f32,          \
                [KT_F64] = k##_f64}

static const KCast casts[K_TYPES][K_TYPES] = {
    ROW(bool, BOOL), ROW(i8, I8),   ROW(i16, I16), ROW(i32, I32), ROW(i64, I64),
    ROW(u8, U8),     ROW(u16, U16), ROW(u32, U32), ROW(u64, U64), ROW(f16, F16),
    ROW(bf16, BF16), ROW(f32, F32), ROW(f64, F64)};

KCast k_cast(const KLoops *loops, KType from, KType to)
{
    const KHalf *h = loops->half;

    if (to == KT_F32 && from == KT_F16)
        return h->from_f16;
    if (to == KT_F32 && from == KT_BF16)
        return h->from_bf16;
    if (from == KT_F32 && to == KT_F16)
        return h->to_f16;
    if (from == KT_F32 && to == KT_BF16)
        return h->to_bf16;
    return casts[from][to];
}
