/* half.c -- f16 and bf16 to and from f32 and f64, in integers: the same on every machine.
 *
 * To nearest, ties to even, one rounding. A NaN keeps its sign and the top bits of its
 * payload; one whose top bits are all zero becomes the quiet NaN rather than infinity.
 */
#include "number.h"

float bf16_to_f32(uint16_t h)
{
    uint32_t bits = (uint32_t)h << 16;
    float x;

    memcpy(&x, &bits, 4);
    return x;
}

float f16_to_f32(uint16_t h)
{
    uint32_t sign = (uint32_t)(h & 0x8000) << 16, m = h & 0x7FFF, bits;
    float x;

    if (m >= 0x7C00) { /* inf, NaN */
        bits = 0x7F800000 | (m & 0x3FF) << 13;
    } else if (m >= 0x0400) { /* normal: the exponents' biases differ by 112 */
        bits = (m << 13) + (112u << 23);
    } else if (m == 0) {
        bits = 0;
    } else { /* denormal m * 2^-24: normal in f32 */
        int up = __builtin_clz(m) - 21; /* brings the top bit to bit 10 */

        bits = ((m << up & 0x3FF) << 13) + ((uint32_t)(113 - up) << 23);
    }
    bits |= sign;
    memcpy(&x, &bits, 4);
    return x;
}

/* Bits of format g to format f, which is narrower in everything. */
static uint16_t narrow(FloatFormat f, FloatFormat g, uint64_t bits)
{
    uint64_t sign = bits >> g.sign << 15, c, r;
    int q, up;

    bits &= ((uint64_t)1 << g.sign) - 1;
    if (bits > format_inf(g)) {
        r = (bits & (format_inf(g) ^ (((uint64_t)1 << g.sign) - 1))) >> (g.prec - f.prec);
        return (uint16_t)(sign | (r ? format_inf(f) | r : format_quiet_nan(f)));
    }
    if (bits == format_inf(g))
        return (uint16_t)(sign | format_inf(f));
    format_decode(g, bits, &c, &q);
    if (c == 0)
        return (uint16_t)sign;
    up = __builtin_clzll(c);
    return (uint16_t)(sign | format_round(f, c << up, q - up, false));
}

uint16_t f16_from_f32(float x)
{
    return narrow(FORMAT_F16, FORMAT_F32, bits_of_f32(x));
}

uint16_t f16_from_f64(double x)
{
    return narrow(FORMAT_F16, FORMAT_F64, bits_of_f64(x));
}

/* The exponents of f32 and bf16 are the same, so rounding is one addition. */
uint16_t bf16_from_f32(float x)
{
    uint32_t b = bits_of_f32(x);

    if ((b & 0x7FFFFFFF) > 0x7F800000)
        return (uint16_t)((b >> 16) | ((b >> 16 & 0x7F) ? 0 : 0x40));
    return (uint16_t)((b + 0x7FFF + (b >> 16 & 1)) >> 16);
}

uint16_t bf16_from_f64(double x)
{
    return narrow(FORMAT_BF16, FORMAT_F64, bits_of_f64(x));
}
