/* combine.c -- arrays of several devices combined element by element: what reductions between them compute.
 *
 * Always in the order of the arrays, in a type that holds the sums of small ones: the result is the same whoever computes
 * it, and in whichever pieces. */
#include "kernels/vec.h"
#include "runtime/comm.h"

#define PIECE 1024 /* elements at a time: the wide copy stays in the cache */

#define LARGER(a, b)  ((a) != (a) || (a) > (b) ? (a) : (b))
#define SMALLER(a, b) ((a) != (a) || (a) < (b) ? (a) : (b))
#define SUM(a, b)     ((a) + (b))
#define PRODUCT(a, b) ((a) * (b))
#define BOTH(a, b)    ((a) & (b))
#define EITHER(a, b)  ((a) | (b))
#define ONE_OF(a, b)  ((a) ^ (b))

#define EACH(S, f)                                                                       \
    for (int64_t i = 0; i < n; i++)                                                      \
        s[i] = (S)f(s[i], v[i]);                                                         \
    break

/* s[i] = s[i] with v[i]; how those of bits are is a type's own */
#define STEP(name, S, BITS)                                                              \
    static bool step_##name(Combine how, S *restrict s, const S *restrict v, int64_t n)  \
    {                                                                                    \
        switch (how) {                                                                   \
        case COMBINE_SUM: EACH(S, SUM);                                                  \
        case COMBINE_PRODUCT: EACH(S, PRODUCT);                                          \
        case COMBINE_MAX: EACH(S, LARGER);                                               \
        case COMBINE_MIN: EACH(S, SMALLER);                                              \
            BITS(S)                                                                      \
        default: return false;                                                           \
        }                                                                                \
        return true;                                                                     \
    }
#define NO_BITS(S)
#define WITH_BITS(S)                                                                     \
    case COMBINE_AND: EACH(S, BOTH);                                                     \
    case COMBINE_OR: EACH(S, EITHER);                                                    \
    case COMBINE_XOR: EACH(S, ONE_OF);

/* By pieces: the first array, with each of the others. */
#define COMBINE_AS(name, T, S, load, store)                                              \
    static bool combine_##name(Combine how, T *out, const void *const *in, int narrays,  \
                               int64_t count)                                            \
    {                                                                                    \
        for (int64_t at = 0; at < count; at += PIECE) {                                  \
            int64_t m = MIN(PIECE, count - at);                                          \
            S sum[PIECE], next[PIECE];                                                   \
                                                                                         \
            for (int k = 0; k < narrays; k++) {                                          \
                S *wide = k ? next : sum;                                                \
                                                                                         \
                for (int64_t i = 0; i < m; i++)                                          \
                    wide[i] = load(((const T *)in[k])[at + i]);                          \
                if (k && !step_##name(how, sum, next, m))                                \
                    return false;                                                        \
            }                                                                            \
            for (int64_t i = 0; i < m; i++)                                              \
                out[at + i] = store(sum[i]);                                             \
        }                                                                                \
        return true;                                                                     \
    }
#define PLAIN(name, T, BITS)                                                             \
    STEP(name, T, BITS)                                                                  \
    COMBINE_AS(name, T, T, , )
PLAIN(f32, float, NO_BITS)
PLAIN(f64, double, NO_BITS)
PLAIN(i64, int64_t, WITH_BITS)
PLAIN(u64, uint64_t, WITH_BITS)
/* Of sums and products the low bits are those of the narrow type, whatever was above them. */
#define step_i8  step_i64
#define step_i16 step_i64
#define step_i32 step_i64
#define step_u8  step_u64
#define step_u16 step_u64
#define step_u32 step_u64
COMBINE_AS(i8, int8_t, int64_t, , (int8_t))
COMBINE_AS(i16, int16_t, int64_t, , (int16_t))
COMBINE_AS(i32, int32_t, int64_t, , (int32_t))
COMBINE_AS(u8, uint8_t, uint64_t, , (uint8_t))
COMBINE_AS(u16, uint16_t, uint64_t, , (uint16_t))
COMBINE_AS(u32, uint32_t, uint64_t, , (uint32_t))
#define step_f16  step_f32
#define step_bf16 step_f32
COMBINE_AS(f16, uint16_t, float, f16_to_f32, f16_from_f32)
COMBINE_AS(bf16, uint16_t, float, bf16_to_f32, bf16_from_f32)

/* Sums and products of integers wrap, so they are those of the unsigned; a bool's sum is `or`. */
static wf_dtype type_for(Combine *how, wf_dtype t)
{
    bool wraps = *how == COMBINE_SUM || *how == COMBINE_PRODUCT;

    if (t == WF_BOOL) {
        *how = *how == COMBINE_SUM ? COMBINE_OR : *how == COMBINE_PRODUCT ? COMBINE_AND : *how;
        return WF_U8;
    }
    return !wraps          ? t
           : t == WF_I8    ? WF_U8
           : t == WF_I16   ? WF_U16
           : t == WF_I32   ? WF_U32
           : t == WF_I64   ? WF_U64
                           : t;
}

/* Sums of floats without copies; false: out is an array that is read later than it is written. */
#define SUM_OF(T)                                                                        \
    static bool sum_##T(T *out, const void *const *in, int narrays, int64_t count)       \
    {                                                                                    \
        for (int k = 2; k < narrays; k++)                                                \
            if (in[k] == out)                                                            \
                return false;                                                            \
        for (int64_t at = 0; at < count; at += PIECE)                                    \
            for (int k = 1; k < narrays; k++) {                                          \
                const T *x = (k > 1 ? out : (const T *)in[0]) + at;                      \
                const T *y = (const T *)in[k] + at;                                      \
                T *z = out + at;                                                         \
                int64_t m = MIN(PIECE, count - at);                                      \
                                                                                         \
                EACH_ALONE                                                               \
                for (int64_t i = 0; i < m; i++)                                          \
                    z[i] = x[i] + y[i];                                                  \
            }                                                                            \
        return narrays > 1;                                                              \
    }
SUM_OF(float)
SUM_OF(double)

bool comm_combine(Combine how, wf_dtype t, void *out, const void *const *in, int n, int64_t count)
{
    if (t == WF_C64 || t == WF_C128) /* a sum is that of two numbers each */
        return how == COMBINE_SUM &&
               comm_combine(how, t == WF_C64 ? WF_F32 : WF_F64, out, in, n, 2 * count);
    if (how == COMBINE_SUM && ((t == WF_F32 && sum_float(out, in, n, count)) || (t == WF_F64 && sum_double(out, in, n, count))))
        return true;
    switch (type_for(&how, t)) {
    case WF_F32: return combine_f32(how, out, in, n, count);
    case WF_F64: return combine_f64(how, out, in, n, count);
    case WF_F16: return combine_f16(how, out, in, n, count);
    case WF_BF16: return combine_bf16(how, out, in, n, count);
    case WF_I8: return combine_i8(how, out, in, n, count);
    case WF_I16: return combine_i16(how, out, in, n, count);
    case WF_I32: return combine_i32(how, out, in, n, count);
    case WF_I64: return combine_i64(how, out, in, n, count);
    case WF_U8: return combine_u8(how, out, in, n, count);
    case WF_U16: return combine_u16(how, out, in, n, count);
    case WF_U32: return combine_u32(how, out, in, n, count);
    case WF_U64: return combine_u64(how, out, in, n, count);
    default: return false;
    }
}
