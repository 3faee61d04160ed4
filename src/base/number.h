/* number.h -- binary formats as integers, for number.c, number_parse.c and half.c. */
#ifndef WEFT_NUMBER_H
#define WEFT_NUMBER_H

#include "base.h"

__extension__ typedef unsigned __int128 u128;

/* A binary floating-point format. Bits of a finite value without its sign: exponent
 * field, then prec-1 bits of mantissa, so that the bits as integers are in the order of
 * the values. */
typedef struct FloatFormat {
    int prec; /* bits of precision, the hidden one included */
    int emin; /* smallest normal number is 2^emin */
    int emax; /* largest binade begins at 2^emax */
    int sign; /* the sign bit's number */
} FloatFormat;

#define FORMAT_F64 ((FloatFormat){53, -1022, 1023, 63})
#define FORMAT_F32 ((FloatFormat){24, -126, 127, 31})
#define FORMAT_F16 ((FloatFormat){11, -14, 15, 15})
#define FORMAT_BF16 ((FloatFormat){8, -126, 127, 15})

static inline uint64_t format_inf(FloatFormat f)
{
    return (uint64_t)(f.emax - f.emin + 2) << (f.prec - 1);
}

static inline uint64_t format_quiet_nan(FloatFormat f)
{
    return format_inf(f) | (uint64_t)1 << (f.prec - 2);
}

/* Bits of m * 2^e plus, if sticky, something more than nothing and less than 2^e; rounded
 * to nearest, ties to even. m's top bit is set. */
static inline uint64_t format_round(FloatFormat f, uint64_t m, int64_t e, bool sticky)
{
    int64_t top = e + 63, shift = 64 - f.prec;
    uint64_t frac, rest, half, bits;

    if (top > f.emax)
        return format_inf(f);
    if (top < f.emin)
        shift += f.emin - top;
    if (shift > 64)
        return 0;
    frac = shift == 64 ? 0 : m >> shift;
    rest = shift == 64 ? m : m & (((uint64_t)1 << shift) - 1);
    half = (uint64_t)1 << (shift - 1);
    bits = frac + (top < f.emin ? 0 : (uint64_t)(top - f.emin) << (f.prec - 1));
    /* a carry out of the mantissa makes the next exponent, and out of the largest, inf */
    return bits + (rest > half || (rest == half && (sticky || (bits & 1))));
}

/* The finite value with these bits (no sign) is c * 2^q. */
static inline void format_decode(FloatFormat f, uint64_t bits, uint64_t *c, int *q)
{
    int field = (int)(bits >> (f.prec - 1));
    uint64_t hidden = (uint64_t)1 << (f.prec - 1);

    *c = (bits & (hidden - 1)) | (field ? hidden : 0);
    *q = (field ? field - 1 : 0) + f.emin - (f.prec - 1);
}

/* 10^k is pow10_bits[k - POW10_MIN], {hi, lo}, times 2^(log2_pow10(k) - 127); see
 * pow10.h */
#define POW10_MIN (-342)
#define POW10_MAX 324
#define POW10_EXACT 55 /* exact for k from 0 to here, else rounded up */
extern const uint64_t pow10_bits[POW10_MAX - POW10_MIN + 1][2];

static inline int log2_pow10(int k) /* floor(log2(10^k)), |k| <= 400 */
{
    return (k * 1741647) >> 19;
}

static inline uint64_t bits_of_f64(double x)
{
    uint64_t b;
    memcpy(&b, &x, 8);
    return b;
}
static inline uint32_t bits_of_f32(float x)
{
    uint32_t b;
    memcpy(&b, &x, 4);
    return b;
}

#endif
