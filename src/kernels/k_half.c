/* k_half.c -- half floats from and to f32; choice between arrays; loops of bool and of
 * the bits of half floats. */
#include "half.h"

CAST_LOOP(f32_from_f16, uint16_t, float, from_f16(x))
CAST_LOOP(f32_from_bf16, uint16_t, float, from_bf16(x))
CAST_LOOP(f32_to_f16, float, uint16_t, to_f16(x))
CAST_LOOP(f32_to_bf16, float, uint16_t, to_bf16(x))

/* ---- bool, bits -------------------------------------------------------------------- */

/* Any byte but 0 is true; results are 0 and 1. */
#define BOOL2(name, expr)                                                                \
    static void name(int64_t n, const void *const *in, void *const *out)                 \
    {                                                                                    \
        const uint8_t *a = in[0], *b = in[1];                                            \
        uint8_t *o = out[0];                                                             \
        EACH_ALONE                                                                       \
        for (int64_t i = 0; i < n; i++) {                                                \
            uint8_t x = a[i] != 0, y = b[i] != 0;                                        \
            o[i] = (uint8_t)(expr);                                                      \
        }                                                                                \
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

#define BITS1(name, expr)                                                                \
    static void name(int64_t n, const void *const *in, void *const *out)                 \
    {                                                                                    \
        const uint16_t *a = in[0];                                                       \
        uint16_t *o = out[0];                                                            \
        EACH_ALONE                                                                       \
        for (int64_t i = 0; i < n; i++)                                                  \
            o[i] = (uint16_t)(a[i] expr);                                                \
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

#define SELECT(name, T)                                                                  \
    static void name(int64_t n, const void *const *in, void *const *out)                 \
    {                                                                                    \
        const uint8_t *p = in[0];                                                        \
        const T *a = in[1], *b = in[2];                                                  \
        T *o = out[0];                                                                   \
        EACH_ALONE                                                                       \
        for (int64_t i = 0; i < n; i++) {                                                \
            T x = a[i], y = b[i];                                                        \
            o[i] = p[i] ? x : y;                                                         \
        }                                                                                \
    }
SELECT(select_1, uint8_t)
SELECT(select_2, uint16_t)
SELECT(select_4, uint32_t)
SELECT(select_8, uint64_t)

/* ---- tables ------------------------------------------------------------------------ */

extern const KTypeLoops KERNEL_NAME(loops_bool), KERNEL_NAME(loops_half);
const KTypeLoops KERNEL_NAME(loops_bool) = {
    .map = {[KM_not] = bool_not,
            [KM_and] = bool_and,
            [KM_or] = bool_or,
            [KM_xor] = bool_xor,
            [KM_eq] = bool_eq,
            [KM_ne] = bool_xor,
            [KM_lt] = bool_lt,
            [KM_le] = bool_le,
            [KM_gt] = bool_gt,
            [KM_ge] = bool_ge,
            [KM_max] = bool_or,
            [KM_min] = bool_and,
            [KM_mul] = bool_and,
            [KM_add] = bool_or},
    .fold = {[KF_AND] = fold_all,
             [KF_OR] = fold_any,
             [KF_MAX] = fold_any,
             [KF_MIN] = fold_all},
};
const KTypeLoops KERNEL_NAME(loops_half) = {
    .map = {[KM_neg] = half_neg, [KM_abs] = half_abs}};

extern const KHalf KERNEL_NAME(half);
const KHalf KERNEL_NAME(half) = {
    .from_f16 = f32_from_f16,
    .from_bf16 = f32_from_bf16,
    .to_f16 = f32_to_f16,
    .to_bf16 = f32_to_bf16,
    .select = {select_1, select_2, select_4, select_8},
};
