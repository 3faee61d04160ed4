/* vmath.h -- transcendental functions on vectors. f64: at most 4 units in the last place;
 * f32: at most 2, by code of its own (exp log tanh logistic erf) or through f64 (the
 * others).
 *
 * The polynomials are Chebyshev interpolants of the function named above each, computed
 * to 60 digits and rounded. NaN gives NaN; infinities, zeros and denormal numbers are
 * right.
 */
#ifndef WEFT_KERNEL_VMATH_H
#define WEFT_KERNEL_VMATH_H

#include "vec.h"

#include <math.h>

#define POLY2(x, a, b)                   ((a) + (x) * (b))
#define POLY3(x, a, b, c)                ((a) + (x)*POLY2(x, b, c))
#define POLY4(x, a, b, c, d)             ((a) + (x)*POLY3(x, b, c, d))
#define POLY5(x, a, b, c, d, e)          ((a) + (x)*POLY4(x, b, c, d, e))
#define POLY6(x, a, b, c, d, e, f)       ((a) + (x)*POLY5(x, b, c, d, e, f))
#define POLY7(x, a, b, c, d, e, f, g)    ((a) + (x)*POLY6(x, b, c, d, e, f, g))
#define POLY8(x, a, b, c, d, e, f, g, h) ((a) + (x)*POLY7(x, b, c, d, e, f, g, h))

/* ---- exp, expm1 in f64:  x = n ln2 + r,  exp(r) = 1 + e,  e = r + r^2 q(r) --------- */

/* q(r) = (exp(r) - 1 - r) / r^2 on |r| <= ln2/2 */
VINLINE VD vd_exp_reduced(VD x, VDI *out_n)
{
    const double magic =
        0x1.8p52; /* adding it rounds to an integer, found in the low bits */
    VD t = x * 0x1.71547652b82fep0 + magic;
    VD n = t - magic;
    VD r = (x - n * 0x1.62e42fefa3800p-1) - n * 0x1.ef35793c76730p-45;
    VD r2 = r * r;
    VD q =
        POLY2(r, 0x1.0000000000001p-1, 0x1.5555555555556p-3) +
        r2 * (POLY2(r, 0x1.5555555553b6cp-5, 0x1.1111111110918p-7) +
              r2 * (POLY2(r, 0x1.6c16c1794e1dcp-10, 0x1.a01a01a83ba17p-13) +
                    r2 * (POLY2(r, 0x1.a019b621f9d08p-16, 0x1.71de0be2b5e96p-19) +
                          r2 * POLY2(r, 0x1.2894f52583578p-22, 0x1.af3ce42b12b24p-26))));

    *out_n = (VDI)((VDU)t - (VDU)vd_splat(magic));
    return r + r2 * q;
}

VINLINE VD vd_exp(VD x)
{
    VDI n, half;
    VD e, y;

    x = vd_select(x > 710.0, vd_splat(710.0), x);
    x = vd_select(x < -750.0, vd_splat(-750.0), x);
    e = vd_exp_reduced(x, &n);
    half = n >> 1; /* in two steps: the scale may be beyond the range */
    y = (1.0 + e) * vd_pow2(half) * vd_pow2(n - half);
    return y;
}

/* 2^n (1 + e) - 1 = 2 (2^(n-1) e + (2^(n-1) - 1/2)) */
VINLINE VD vd_expm1(VD x)
{
    VDI n;
    VD e, h, y;

    y = vd_select(x > 710.0, vd_splat(710.0), x);
    y = vd_select(y < -40.0, vd_splat(-40.0), y);
    e = vd_exp_reduced(y, &n);
    h = vd_pow2((VDI)((VDU)n - 1));
    y = 2.0 * (h * e + (h - 0.5));
    return vd_select(vd_abs(x) < 0x1p-54, x, y); /* keeps -0 and denormal numbers */
}

/* e = exp(-|x|):  1 / (1 + e), or e / (1 + e) for x < 0 */
VINLINE VD vd_logistic(VD x)
{
    VD e = vd_exp(-vd_abs(x));

    return vd_select(x < 0.0, e, vd_splat(1.0)) / (1.0 + e);
}

/* t = expm1(2|x|):  t / (t + 2) */
VINLINE VD vd_tanh(VD x)
{
    VD a = vd_abs(x), t, y;

    a = vd_select(a > 22.0, vd_splat(22.0), a);
    t = vd_expm1(2.0 * a);
    y = t / (t + 2.0);
    y = vd_select(vd_abs(x) < 0x1p-28, vd_abs(x), y);
    return vd_sign_of(y, x);
}

/* ---- log, log1p in f64 ----------------------------------------------------------------
 *
 * x = 2^k (1 + f), 1 + f in [sqrt(1/2), sqrt(2)];  s = f / (2 + f);  log(1 + f) = 2
 * atanh(s) = f - (f^2/2 - s (f^2/2 + R(s^2))),  R(z)/z = (2 atanh(s)/s - 2)/z
 */
VINLINE VD vd_log_normal(VD x, VD shift, VD correction)
{
    const uint64_t root_half = 0x3fe6a09e667f3bcd;
    VDI i = (VDI)((VDU)x - root_half);
    VDI k = i >> 52;
    VD f = (VD)((VDU)x - ((VDU)k << 52)) - 1.0, s, z, half, r;
    VD kd = (VD)(k + (VDI)vd_splat(0x1.8p52)) - 0x1.8p52 - shift;

    s = f / (2.0 + f);
    z = s * s;
    half = 0.5 * f * f;
    r = z * POLY7(z, 0x1.5555555555558p-1, 0x1.9999999994e76p-2, 0x1.2492492e6dfddp-2,
                  0x1.c71c6247410e3p-3, 0x1.7462e17b4cdd0p-3, 0x1.39f8963ccbdc2p-3,
                  0x1.2b9f7fb3de73fp-3);
    r = s * (half + r) + (kd * 0x1.ef35793c76730p-45 + correction);
    return kd * 0x1.62e42fefa3800p-1 - ((half - r) - f);
}

VINLINE VD vd_log(VD x)
{
    VDI small = x < 0x1p-1022;
    VD y = vd_log_normal(vd_select(small, x * 0x1p54, x),
                         vd_select(small, vd_splat(54.0), vd_splat(0.0)), vd_splat(0.0));

    y = vd_select(x == 0.0, vd_splat(-INFINITY), y);
    y = vd_select((VDI)(x < 0.0) | (VDI)(x != x), vd_splat(NAN), y);
    return vd_select(x == INFINITY, x, y);
}

/* u = 1 + x rounded; what was lost, divided by u, is added */
VINLINE VD vd_log1p(VD x)
{
    VD u = 1.0 + x;
    VD lost = vd_select(x > 1.0, 1.0 - (u - x), x - (u - 1.0));
    VD y = vd_log_normal(u, vd_splat(0.0), lost / u);

    y = vd_select(vd_abs(x) < 0x1p-54, x, y);
    y = vd_select(x == -1.0, vd_splat(-INFINITY), y);
    y = vd_select((VDI)(x < -1.0) | (VDI)(x != x), vd_splat(NAN), y);
    return vd_select(x == INFINITY, x, y);
}

/* ---- sin, cos, tan in f64:  x = n pi/2 + r + lo, in three parts -------------------- */

#define VD_TRIG_MAX 1e5 /* beyond, the three parts of pi/2 are too short */
/* There libm is asked, in long double: in double glibc's is 8 ulp off at its worst. */

typedef struct TrigParts {
    VD sin, cos; /* of the reduced angle */
    VDI n;
} TrigParts;

/* sin(r) = r + r^3 S(r^2), cos(r) = 1 - r^2/2 + r^4 C(r^2) on |r| <= pi/4 */
VINLINE TrigParts vd_trig(VD x)
{
    const double magic = 0x1.8p52;
    VD t = x * 0x1.45f306dc9c883p-1 + magic, n = t - magic;
    VD a = x - n * 0x1.921fb54400000p+0; /* exact */
    VD w = n * 0x1.0b4611a600000p-34;    /* exact */
    VD r = a - w;
    VD lo = ((a - r) - w) - n * 0x1.3198a2e037073p-69;
    VD z, s, c, hz, w1;
    TrigParts p;

    w1 = r + lo;
    lo = (r - w1) + lo;
    r = w1;
    z = r * r;
    s = POLY6(z, -0x1.5555555555555p-3, 0x1.1111111110b23p-7, -0x1.a01a019e620eep-13,
              0x1.71de376b644ccp-19, -0x1.ae5fde7f12068p-26, 0x1.5dfb39c3139b6p-33);
    c = POLY6(z, 0x1.5555555555555p-5, -0x1.6c16c16c1691fp-10, 0x1.a01a019f3dde1p-16,
              -0x1.27e4fa0241f7cp-22, 0x1.1eeb52a201da3p-29, -0x1.906dbf4fda044p-37);
    p.sin = r + (z * r * s + lo);
    hz = 0.5 * z;
    w1 = 1.0 - hz;
    p.cos = w1 + (((1.0 - w1) - hz) + (z * z * c - r * lo));
    p.n = (VDI)((VDU)t - (VDU)vd_splat(magic));
    return p;
}

VINLINE int vd_any(VDI m)
{
    int64_t any = 0;

    for (int i = 0; i < VDL; i++)
        any |= m[i];
    return any != 0;
}

/* Once for a thousand calls, and many times their code: never within them. */
#define VD_TRIG(name, quadrant, value)                                                   \
    VCOLD void vd_far_##name(const double *x, const int64_t *far, double *y)             \
    {                                                                                    \
        for (int i = 0; i < VDL; i++)                                                    \
            y[i] = far[i] ? (double)name##l(x[i]) : y[i];                                \
    }                                                                                    \
    VINLINE VD vd_##name(VD x)                                                           \
    {                                                                                    \
        VDI far = ~(VDI)(vd_abs(x) < VD_TRIG_MAX);                                       \
        TrigParts p = vd_trig(vd_select(far, vd_splat(0.0), x));                         \
        VDI q = p.n + (quadrant), odd = -(q & 1), sign = (VDI)(((VDU)q & 2) << 62);      \
        VD y = value;                                                                    \
        if (__builtin_expect(vd_any(far), 0)) {                                          \
            double at[VDL], to[VDL];                                                     \
            int64_t which[VDL];                                                          \
            memcpy(at, &x, sizeof x);                                                    \
            memcpy(to, &y, sizeof y);                                                    \
            memcpy(which, &far, sizeof far);                                             \
            vd_far_##name(at, which, to);                                                \
            memcpy(&y, to, sizeof y);                                                    \
        }                                                                                \
        return y;                                                                        \
    }
VD_TRIG(sin, 0, vd_select(x == 0.0, x, (VD)((VDI)vd_select(odd, p.cos, p.sin) ^ sign)))
VD_TRIG(cos, 1, (VD)((VDI)vd_select(odd, p.cos, p.sin) ^ sign))
VD_TRIG(tan, 0,
        ((void)sign,
         vd_select(x == 0.0, x,
                   vd_select(odd, -p.cos, p.sin) / vd_select(odd, p.sin, p.cos))))

/* ---- erf in f64 -----------------------------------------------------------------------
 *
 * |x| <= 1:  x P(x^2).  Beyond: 1 - exp(-x^2) Q(t), Q(t) = exp(x^2) erfc(x), t =
 * (x-5/2)/(x+5/2).
 */
VINLINE VD vd_erf(VD x)
{
    VD a = vd_abs(x), z, t, t2, t4, p, q, e;

    a = vd_select(a > 6.0, vd_splat(6.0), a);
    z = vd_select(a > 1.0, vd_splat(1.0), a * a);
    p = POLY6(z, 0x1.20dd750429b6dp+0, -0x1.812746b0379e6p-2, 0x1.ce2f21a042b30p-4,
              -0x1.b82ce31284e00p-6, 0x1.565bcd0dbaa38p-8, -0x1.c02db3dac435fp-11) +
        (z * z * z) * (z * z * z) *
            POLY7(z, 0x1.f9a321d5b8e1ep-14, -0x1.f4d1e3183f7aep-17, 0x1.b9df224ca4b97p-20,
                  -0x1.5f1ecb6f0764cp-23, 0x1.f7b4bf3b13964p-27, -0x1.389d4f2641625p-30,
                  0x1.05ffd737fb32ep-34);
    t = (a - 2.5) / (a + 2.5);
    t2 = t * t;
    t4 = t2 * t2;
    q = POLY8(t, 0x1.afbb3f3b7343bp-3, -0x1.7ca88dec217a7p-2, 0x1.01c11a735cd9bp-2,
              -0x1.0011543716bf5p-3, 0x1.470ba1f67df6bp-5, -0x1.05bb2fe61ffbcp-8,
              -0x1.5a5716cc0a84ap-9, 0x1.cb3b6224d655cp-11) +
        t4 * t4 *
            (POLY8(t, 0x1.def2c67e7a541p-13, -0x1.0e46891800d71p-13,
                   -0x1.1ebd6c2acd263p-15, 0x1.3857b73aad27dp-16, 0x1.fac26072946c3p-18,
                   -0x1.3697a24d6b62bp-19, -0x1.e2653bc7ba480p-20,
                   0x1.16766f2184636p-23) +
             t4 * t4 * 0x1.6963acf7d435fp-22);
    e = 1.0 - vd_exp(-a * a) * q;
    p = vd_select(a > 1.0, e, a * p);
    return vd_select(x != x, x, vd_sign_of(p, x));
}

/* ---- pow, precise enough for f32: exp(y log|x|) in f64 ----------------------------- */

VINLINE VD vd_pow_f32(VD x, VD y)
{
    VD a = vd_abs(x), r = vd_exp(y * vd_log(a));
    VD whole = y, half_whole = y * 0.5;
    VDI is_int, is_odd;

    for (int i = 0; i < VDL; i++) {
        whole[i] = __builtin_trunc(y[i]);
        half_whole[i] = __builtin_trunc(half_whole[i]);
    }
    is_int = y == whole;
    is_odd = is_int & (half_whole * 2.0 != y);
    r = (VD)((VDI)r ^ (is_odd & (VDI)x & VD_SIGN));
    r = vd_select((x < 0.0) & ~is_int & (a < INFINITY), vd_splat(NAN), r);
    r = vd_select((a == 1.0) & (vd_abs(y) == INFINITY), vd_splat(1.0), r);
    r = vd_select((y != y) | (x != x), vd_splat(NAN), r);
    return vd_select((x == 1.0) | (y == 0.0), vd_splat(1.0), r);
}

/* ---- f32 through f64 --------------------------------------------------------------- */

#define VF_BY_VD(name)                                                                   \
    VINLINE VF vf_##name(VF x)                                                           \
    {                                                                                    \
        return vf_join(vd_narrow(vd_##name(vd_widen(vf_low(x)))),                        \
                       vd_narrow(vd_##name(vd_widen(vf_high(x)))));                      \
    }
VF_BY_VD(expm1)
VF_BY_VD(log1p)
VF_BY_VD(sin)
VF_BY_VD(cos)
VF_BY_VD(tan)

VINLINE VF vf_pow(VF x, VF y)
{
    return vf_join(vd_narrow(vd_pow_f32(vd_widen(vf_low(x)), vd_widen(vf_low(y)))),
                   vd_narrow(vd_pow_f32(vd_widen(vf_high(x)), vd_widen(vf_high(y)))));
}

/* ---- f32 --------------------------------------------------------------------------- */

/* (exp(r) - 1) / r on |r| <= ln2/2, where exp(r) = 1 + r + r^2 q(r) */
VINLINE VF vf_exp_slope(VF r)
{
    return 1.0f + r * POLY6(r, 0.5f, 0.1666666668f, 0.04166645681f, 0.008333310024f,
                            0.001393454193f, 0.0001989198131f);
}

/* x <= 89 */
VINLINE VF vf_exp_below(VF x)
{
    const float magic = 0x1.8p23f;
    VF n, r;

    x = vf_most(-105.0f, x);
    n = (x * 0x1.715476p0f + magic) - magic;
    r = (x - n * 0x1.62e4p-1f) - n * 0x1.7f7d1cp-20f;
    return vf_scale(1.0f + r * vf_exp_slope(r), n);
}

VINLINE VF vf_exp(VF x) { return vf_exp_below(vf_least(89.0f, x)); }

/* x = n ln2 - r:  2^n / (2^n + exp(r)). The three parts of the sum are added so that little is
 * rounded beside the largest: r times the slope, then the smaller of 2^n and 1. */
VINLINE VF vf_logistic(VF x)
{
    const float magic = 0x1.8p23f;
    VF n, r, s;

    x = vf_most(-105.0f, vf_least(30.0f, x));
    n = (x * 0x1.715476p0f + magic) - magic;
    r = (n * 0x1.62e4p-1f - x) + n * 0x1.7f7d1cp-20f;
    s = vf_scale(vf_splat(1.0f), n);
    s = vf_most(1.0f, s) + (r * vf_exp_slope(r) + vf_least(1.0f, s));
    return vf_scale(1.0f / s, n);
}

/* |x| < 0.63:  x + x^3 T(x^2);  else 1 - 2/(exp(2|x|) + 1) */
VINLINE VF vf_tanh(VF x)
{
    VF a = vf_abs(x), z, small, y;

    a = vf_least(10.0f, a);
    z = a * a;
    small = a + a * z *
                    POLY6(z, -0.3333333315f, 0.1333330015f, -0.05395846163f,
                          0.02176250291f, -0.008323187058f, 0.002269501684f);
    y = 1.0f - 2.0f / (vf_exp(2.0f * a) + 1.0f);
    y = vf_select(a < 0.63f, small, y);
    return vf_sign_of(y, x);
}

VINLINE VF vf_log(VF x)
{
    VFI small = x < 0x1p-126f;
    VF m = vf_select(small, x * 0x1p25f, x), f, s, z, half, r, kf, y;
    VFI k = (VFI)((VFU)m - 0x3f3504f3) >> 23;

    f = (VF)((VFU)m - ((VFU)k << 23)) - 1.0f;
    kf = __builtin_convertvector(k, VF) -
         vf_select(small, vf_splat(25.0f), vf_splat(0.0f));
    s = f / (2.0f + f);
    z = s * s;
    half = 0.5f * f * f;
    r = z * POLY4(z, 0.6666666655f, 0.4000012559f, 0.2855039696f, 0.2334194339f);
    r = s * (half + r) + kf * 0x1.7f7d1cp-20f;
    y = kf * 0x1.62e4p-1f - ((half - r) - f);
    y = vf_select(x == 0.0f, vf_splat(-INFINITY), y);
    y = vf_select((VFI)(x < 0.0f) | (VFI)(x != x), vf_splat(NAN), y);
    return vf_select(x == INFINITY, x, y);
}

/* As in f64, with t = (x-2)/(x+2), and x + x (P(x^2) - 1), which rounds better. */
VINLINE VF vf_erf(VF x)
{
    VF a = vf_abs(x), z, t, p, q, e;

    a = vf_least(4.0f, a);
    z = a * a;
    p = POLY7(z, 0.128379166f, -0.3761262667f, 0.1128359472f, -0.02685421201f,
              0.005189087423f, -0.0008016864287f, 7.875875063e-5f);
    t = (a - 2.0f) / (a + 2.0f);
    q = POLY7(t, 0.2553956763f, -0.4271859898f, 0.2416582015f, -0.07896830613f,
              0.003732371759f, 0.006811140131f, -0.0008379754387f);
    e = 1.0f - vf_exp(-z) * q;
    p = vf_select(a > 1.0f, e, a + a * p);
    return vf_select(x != x, x, vf_sign_of(p, x));
}

VINLINE VF vf_rsqrt(VF x) { return 1.0f / vf_sqrt(x); }
VINLINE VD vd_rsqrt(VD x) { return 1.0 / vd_sqrt(x); }

/* The functions above, by the names of the op table: vf_<op> and vd_<op> of one operand.
 * P, t: passed on. */
/* clang-format off */
#define VMATH_OPS(X, P, t)                                                               \
    X(P, t, exp) X(P, t, expm1) X(P, t, log) X(P, t, log1p) X(P, t, sin) X(P, t, cos)    \
    X(P, t, tan) X(P, t, tanh) X(P, t, erf) X(P, t, sqrt) X(P, t, rsqrt)                 \
    X(P, t, logistic)
/* clang-format on */

#endif
