/* eight.c -- floats of 8 bits: the formats that end in fn have no infinity, those in uz no -0 (its code is
 * NaN), e8m0fnu is powers of 2 alone, without sign and zero.
 *
 * From f32, to nearest, ties to even (of e8m0fnu: up). Wider numbers are rounded to f32 first, as PyTorch
 * and ml_dtypes do.
 */
#include "base.h"

#include <math.h>

typedef struct Eight {
    int mantissa, bias;
    uint8_t top; /* code of the largest number */
    bool uz;
} Eight;

static const Eight *eight_of(wf_dtype t)
{
    static const Eight formats[] = {
        {3, 7, 0x7E, false}, {2, 15, 0x7B, false}, {3, 8, 0x7F, true}, {2, 16, 0x7F, true}};

    return &formats[t == WF_F8E4M3FN ? 0 : t == WF_F8E5M2 ? 1 : t == WF_F8E4M3FNUZ ? 2 : 3];
}

bool f8_is_nan(wf_dtype t, uint8_t code)
{
    const Eight *f = eight_of(t);

    if (t == WF_F8E8M0FNU)
        return code == 0xFF;
    return f->uz ? code == 0x80 : (code & 0x7F) > f->top + (t == WF_F8E5M2);
}

float f8_to_f32(wf_dtype t, uint8_t code)
{
    const Eight *f = eight_of(t);
    int e = (code & 0x7F) >> f->mantissa, m = code & ((1 << f->mantissa) - 1);
    float x;

    if (f8_is_nan(t, code))
        return code & 0x80 && !f->uz && t != WF_F8E8M0FNU ? -(float)NAN : (float)NAN;
    if (t == WF_F8E8M0FNU)
        return ldexpf(1, code - 127);
    if (!f->uz && (code & 0x7F) > f->top)
        x = INFINITY;
    else /* exponent 0: without the leading 1, at the least exponent */
        x = ldexpf((float)(e ? m | 1 << f->mantissa : m), (e ? e : 1) - f->bias - f->mantissa);
    return code & 0x80 ? -x : x;
}

static uint8_t power_from_f32(float x)
{
    int e;
    float m = frexpf(x, &e); /* in [0.5, 1) */

    if (!(x > 0) || isinf(x))
        return 0xFF;
    e += m >= 0.75f;
    return (uint8_t)(e - 1 < -127 ? 0 : e - 1 > 127 ? 0xFF : e + 126);
}

uint8_t f8_from_f32(wf_dtype t, float x)
{
    const Eight *f = eight_of(t);
    uint8_t sign = signbit(x) ? 0x80 : 0;
    int e, code;

    if (t == WF_F8E8M0FNU)
        return power_from_f32(x);
    if (isnan(x))
        return f->uz ? 0x80 : (uint8_t)(sign | (t == WF_F8E5M2 ? 0x7E : 0x7F));
    (void)frexpf(x, &e); /* |x| in [2^(e-1), 2^e) */
    e = x == 0 || e - 1 < 1 - f->bias ? 1 - f->bias : e - 1;
    code = isinf(x) ? 0x80
                    : (int)lrintf(ldexpf(fabsf(x), f->mantissa - e)) + ((e + f->bias - 1) << f->mantissa);
    if (code > f->top) /* the code behind it is inf or NaN; of uz, 0x80 is */
        return f->uz ? 0x80 : (uint8_t)(sign | (f->top + 1));
    return f->uz && !code ? 0 : (uint8_t)(sign | code);
}
