/* vec.h -- vectors of f32 and f64 for the instruction set being compiled, and loops over
 * arrays.
 *
 *   VF, VFI, VFL   f32, int32 lanes, how many        VD, VDI, VDL   f64, int64
 *   VH             as many f32 as VD has lanes: half a VF
 *
 * Masks are integer vectors of -1 and 0, as comparisons give them. Loops over elements
 * may run in place: results may be the operands themselves, but not overlap them
 * otherwise.
 */
#ifndef WEFT_KERNEL_VEC_H
#define WEFT_KERNEL_VEC_H

#include <stdint.h>
#include <string.h>

#include "nd.h"

#if KERNEL_ISA > 0 || defined(__SSE2__)
#include <immintrin.h>
#endif

#define VINLINE static inline __attribute__((always_inline))
#define VCOLD   static __attribute__((noinline, cold, unused))

#if KERNEL_ISA == 2
#define VEC_BYTES 64
#elif KERNEL_ISA == 1
#define VEC_BYTES 32
#else
#define VEC_BYTES 16
#endif
#define VFL (VEC_BYTES / 4)
#define VDL (VEC_BYTES / 8)

/* The iterations of the loop that follows do not depend on each other. */
#if defined(__clang__)
#pragma clang diagnostic ignored                                                         \
    "-Wpass-failed" /* loops that call functions stay as they are */
#define EACH_ALONE _Pragma("clang loop vectorize(assume_safety)")
#else
#define EACH_ALONE _Pragma("GCC ivdep")
#endif
/* The loop that follows is kept as one: its body is long, and its turns few. */
#if defined(__clang__)
#define KEPT_LOOP _Pragma("clang loop unroll(disable)")
#else
#define KEPT_LOOP _Pragma("GCC unroll 1")
#endif

typedef float VF __attribute__((vector_size(VEC_BYTES)));
typedef int32_t VFI __attribute__((vector_size(VEC_BYTES)));
typedef uint32_t VFU __attribute__((vector_size(VEC_BYTES))); /* lanes that may wrap */
typedef double VD __attribute__((vector_size(VEC_BYTES)));
typedef int64_t VDI __attribute__((vector_size(VEC_BYTES)));
typedef uint64_t VDU __attribute__((vector_size(VEC_BYTES)));
typedef float VH __attribute__((vector_size(VEC_BYTES / 2)));

VINLINE VF vf_load(const float *p)
{
    VF x;

    memcpy(&x, p, sizeof x);
    return x;
}
VINLINE VD vd_load(const double *p)
{
    VD x;

    memcpy(&x, p, sizeof x);
    return x;
}
VINLINE void vf_store(float *p, VF x) { memcpy(p, &x, sizeof x); }
VINLINE void vd_store(double *p, VD x) { memcpy(p, &x, sizeof x); }

VINLINE VF vf_splat(float x) { return x - (VF){0}; }
VINLINE VD vd_splat(double x) { return x - (VD){0}; }
VINLINE VF vf_select(VFI m, VF a, VF b) { return (VF)((m & (VFI)a) | (~m & (VFI)b)); }
VINLINE VD vd_select(VDI m, VD a, VD b) { return (VD)((m & (VDI)a) | (~m & (VDI)b)); }

#define VF_SIGN INT32_MIN
#define VD_SIGN INT64_MIN
VINLINE VF vf_abs(VF x) { return (VF)((VFI)x & ~VF_SIGN); }
VINLINE VD vd_abs(VD x) { return (VD)((VDI)x & ~VD_SIGN); }
/* |x| with the sign of s; x >= 0 */
VINLINE VF vf_sign_of(VF x, VF s) { return (VF)((VFI)x | ((VFI)s & VF_SIGN)); }
VINLINE VD vd_sign_of(VD x, VD s) { return (VD)((VDI)x | ((VDI)s & VD_SIGN)); }

/* The smaller and the larger of limit and x; x where it is NaN. */
VINLINE VF vf_least(float limit, VF x)
{
#if KERNEL_ISA == 2
    return (VF)_mm512_min_ps((__m512)vf_splat(limit), (__m512)x);
#elif KERNEL_ISA == 1
    return (VF)_mm256_min_ps((__m256)vf_splat(limit), (__m256)x);
#else
    return vf_select(x > limit, vf_splat(limit), x);
#endif
}
VINLINE VF vf_most(float limit, VF x)
{
#if KERNEL_ISA == 2
    return (VF)_mm512_max_ps((__m512)vf_splat(limit), (__m512)x);
#elif KERNEL_ISA == 1
    return (VF)_mm256_max_ps((__m256)vf_splat(limit), (__m256)x);
#else
    return vf_select(x < limit, vf_splat(limit), x);
#endif
}

/* 2^k for the exponent range of normal numbers */
VINLINE VF vf_pow2(VFI k) { return (VF)(((VFU)k + 127) << 23); }
VINLINE VD vd_pow2(VDI k) { return (VD)(((VDU)k + 1023) << 52); }

/* y 2^n, y near 1, n whole: in one instruction or in two steps, since 2^n alone may be
 * beyond the range. */
VINLINE VF vf_scale(VF y, VF n)
{
#if KERNEL_ISA == 2
    return (VF)_mm512_scalef_ps((__m512)y, (__m512)n);
#else
    VFI k = __builtin_convertvector(n, VFI), half = k >> 1;

    return y * vf_pow2(half) * vf_pow2(k - half);
#endif
}

VINLINE VF vf_sqrt(VF x)
{
#if KERNEL_ISA == 2
    return (VF)_mm512_sqrt_ps((__m512)x);
#elif KERNEL_ISA == 1
    return (VF)_mm256_sqrt_ps((__m256)x);
#elif defined(__SSE2__)
    return (VF)_mm_sqrt_ps((__m128)x);
#else
    for (int i = 0; i < VFL; i++)
        x[i] = __builtin_sqrtf(x[i]);
    return x;
#endif
}

VINLINE VD vd_sqrt(VD x)
{
#if KERNEL_ISA == 2
    return (VD)_mm512_sqrt_pd((__m512d)x);
#elif KERNEL_ISA == 1
    return (VD)_mm256_sqrt_pd((__m256d)x);
#elif defined(__SSE2__)
    return (VD)_mm_sqrt_pd((__m128d)x);
#else
    for (int i = 0; i < VDL; i++)
        x[i] = __builtin_sqrt(x[i]);
    return x;
#endif
}

VINLINE VH vf_low(VF x)
{
    VH h;

    memcpy(&h, &x, sizeof h);
    return h;
}
VINLINE VH vf_high(VF x)
{
    VH h;

    memcpy(&h, (const char *)&x + sizeof h, sizeof h);
    return h;
}
VINLINE VF vf_join(VH lo, VH hi)
{
    VF x;

    memcpy(&x, &lo, sizeof lo);
    memcpy((char *)&x + sizeof lo, &hi, sizeof hi);
    return x;
}
VINLINE VD vd_widen(VH x) { return __builtin_convertvector(x, VD); }
VINLINE VH vd_narrow(VD x) { return __builtin_convertvector(x, VH); }

#endif
