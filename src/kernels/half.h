/* half.h -- half floats, one element at a time: f16 and bf16 from and to f32, to nearest
 * even. */
#ifndef WEFT_KERNEL_HALF_H
#define WEFT_KERNEL_HALF_H

#include "vec.h"

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

/* Below 2^-14 adding 0.5 puts the rounded significand into the low bits; above, integer
 * rounding carries into the exponent. */
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

/* name: n elements of F to as many of R, each by an expression of x */
#define CAST_LOOP(name, F, R, expr)                                                      \
    static void name(int64_t n, const void *in, void *out)                               \
    {                                                                                    \
        const F *a = in;                                                                 \
        R *o = out;                                                                      \
        EACH_ALONE                                                                       \
        for (int64_t i = 0; i < n; i++) {                                                \
            F x = a[i];                                                                  \
            o[i] = (R)(expr);                                                            \
        }                                                                                \
    }

#endif
