/* real.h -- vectors of REAL for the instruction set being compiled (KERNEL_ISA).
 *
 * The including source defines REAL_F64 as 0 (REAL is float) or 1 (double). Vectors are
 * GNU vector extensions; intrinsics are used for masked access only.
 *
 *   V, VL            a vector and its number of lanes
 *   real_load        VL elements at any address
 *   real_load_n      the first n, others 0; real_load_in, real_load_range: some in the middle
 *   real_store, _n   likewise
 *   real_load_as     load_n from an array of another type, widened
 *   real_transpose   VL vectors as a square matrix
 */
#ifndef WEFT_KERNEL_REAL_H
#define WEFT_KERNEL_REAL_H

#include <string.h>

#include "kernels.h"

#if KERNEL_ISA > 0
#include <immintrin.h>
#endif

/* KERNEL_SMALL: the base beside better ones. Sources with many forms of code for sizes that are known (MANY_FORMS) leave
 * them to the compiler then, which at -Os makes one of them for all. */
#if defined(KERNEL_SMALL) && defined(MANY_FORMS)
#define INLINE static inline __attribute__((unused))
#else
#define INLINE static inline __attribute__((always_inline))
#endif
#define NOINLINE static __attribute__((noinline))
/* on a first member: the struct has its cache lines to itself. What threads share must not lie
 * beside what one of them writes, its stack above all. */
#define APART _Alignas(64)
/* before a loop of few turns, their number constant once inlined */
#if defined(__clang__)
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 32")
#endif

#if KERNEL_ISA == 2
#define VBYTES 64
#elif KERNEL_ISA == 1
#define VBYTES 32
#else
#define VBYTES 16
#endif

#if REAL_F64
typedef double REAL;
typedef int64_t RealInt;
#define REAL_NAME(x) KERNEL_NAME(x##_f64)
#define REAL_TYPE    KT_F64
#define VL           (VBYTES / 8)
#else
typedef float REAL;
typedef int32_t RealInt;
#define REAL_NAME(x) KERNEL_NAME(x##_f32)
#define REAL_TYPE    KT_F32
#define VL           (VBYTES / 4)
#endif

typedef REAL V __attribute__((vector_size(VBYTES)));
typedef RealInt VI __attribute__((vector_size(VBYTES)));
typedef V VU __attribute__((aligned(sizeof(REAL)), may_alias));

INLINE V real_load(const REAL *p) { return *(const VU *)p; }
INLINE void real_store(REAL *p, V x) { *(VU *)p = x; }
INLINE V real_splat(REAL x) { return x - (V){0}; }

/* ---- the first n lanes, 0 <= n <= VL ---------------------------------------------- */

#if KERNEL_ISA == 2 && !REAL_F64

INLINE V real_load_n(const REAL *p, int n)
{
    return (V)_mm512_maskz_loadu_ps((__mmask16)((1u << n) - 1), p);
}
INLINE void real_store_n(REAL *p, V x, int n)
{
    _mm512_mask_storeu_ps(p, (__mmask16)((1u << n) - 1), (__m512)x);
}

#elif KERNEL_ISA == 2

INLINE V real_load_n(const REAL *p, int n)
{
    return (V)_mm512_maskz_loadu_pd((__mmask8)((1u << n) - 1), p);
}
INLINE void real_store_n(REAL *p, V x, int n)
{
    _mm512_mask_storeu_pd(p, (__mmask8)((1u << n) - 1), (__m512d)x);
}

#else

#if KERNEL_ISA == 1
/* VL ones, then VL zeros: the mask of n lanes begins at VL - n. */
#if REAL_F64
static const RealInt real_mask_[2 * VL] = {-1, -1, -1, -1};
#define real_maskload_(p, m)     _mm256_maskload_pd(p, (__m256i)(m))
#define real_maskstore_(p, m, x) _mm256_maskstore_pd(p, (__m256i)(m), (__m256d)(x))
#else
static const RealInt real_mask_[2 * VL] = {-1, -1, -1, -1, -1, -1, -1, -1};
#define real_maskload_(p, m)     _mm256_maskload_ps(p, (__m256i)(m))
#define real_maskstore_(p, m, x) _mm256_maskstore_ps(p, (__m256i)(m), (__m256)(x))
#endif

INLINE VI real_first_(int n)
{
    VI mask;

    memcpy(&mask, real_mask_ + VL - n, sizeof mask);
    return mask;
}
INLINE V real_load_n(const REAL *p, int n) { return (V)real_maskload_(p, real_first_(n)); }
INLINE void real_store_n(REAL *p, V x, int n)
{
    if (n == VL)
        real_store(p, x);
    else
        real_maskstore_(p, real_first_(n), x);
}

#else

INLINE V real_load_n(const REAL *p, int n)
{
    V x = {0};

    memcpy(&x, p, (size_t)n * sizeof *p);
    return x;
}
INLINE void real_store_n(REAL *p, V x, int n)
{
    if (n == VL)
        real_store(p, x);
    else
        memcpy(p, &x, (size_t)n * sizeof *p);
}

#endif
#endif

/* Lanes lo..hi-1 (clipped to 0..VL), to load them, others 0; nothing else is read. */
#if KERNEL_ISA == 2 && !REAL_F64
typedef __mmask16 RealRange;
#elif KERNEL_ISA == 2
typedef __mmask8 RealRange;
#elif KERNEL_ISA == 1
typedef VI RealRange;
#else
typedef struct RealRange {
    int from, to;
} RealRange;
#endif

INLINE RealRange real_range(int64_t lo, int64_t hi)
{
    int from = lo < 0 ? 0 : lo > VL ? VL : (int)lo;
    int to = hi > VL ? VL : hi < from ? from : (int)hi;

#if KERNEL_ISA == 2
    return (RealRange)((1u << to) - (1u << from));
#elif KERNEL_ISA == 1
    return real_first_(to) & ~real_first_(from);
#else
    return (RealRange){from, to};
#endif
}

INLINE V real_load_in(const REAL *p, RealRange r)
{
#if KERNEL_ISA == 2 && !REAL_F64
    return (V)_mm512_maskz_loadu_ps(r, p);
#elif KERNEL_ISA == 2
    return (V)_mm512_maskz_loadu_pd(r, p);
#elif KERNEL_ISA == 1
    return (V)real_maskload_(p, r);
#else
    V x = {0};

    memcpy((REAL *)&x + r.from, p + r.from, (size_t)(r.to - r.from) * sizeof *p);
    return x;
#endif
}

INLINE V real_load_range(const REAL *p, int64_t lo, int64_t hi)
{
    return lo <= 0 && hi >= VL ? real_load(p) : real_load_in(p, real_range(lo, hi));
}

/* ---- half floats ------------------------------------------------------------------ */

#if !REAL_F64

typedef uint32_t VW __attribute__((vector_size(VBYTES)));
typedef uint16_t VH __attribute__((vector_size(VBYTES / 2)));

/* f16 bits in each lane -> f32. Scaling by 2^112 moves the exponent and turns f16
 * denormals into normal numbers; infinities and NaNs then get the full exponent. */
INLINE V real_from_f16(VW h)
{
    VW sign = (h & 0x8000u) << 16, mag = (h & 0x7fffu) << 13;
    V x = (V)mag * 0x1p112f;
    VW special = (VW)(mag >= 0x0f800000u) & 0x7f800000u;

    return (V)((VW)x | special | sign);
}

/* f32 -> f16 bits, to nearest even. Below f16's least normal number (2^-14) adding 0.5
 * puts the rounded significand into the low bits; above it, integer rounding carries
 * into the exponent. */
INLINE VW real_to_f16(V x)
{
    VW u = (VW)x, sign = (u >> 16) & 0x8000u, mag = u & 0x7fffffffu;
    VW small = (VW)((V)mag + 0.5f) - 0x3f000000u;
    VW normal = (mag + 0x0fffu + ((mag >> 13) & 1u) - 0x38000000u) >> 13;
    VW is_small = (VW)(mag < 0x38800000u), is_big = (VW)(mag >= 0x47800000u);
    VW is_nan = (VW)(mag > 0x7f800000u);
    VW r = (small & is_small) | (normal & ~is_small);

    r = (r & ~is_big) | (0x7c00u & is_big);
    r = (r & ~is_nan) | ((0x7e00u | (mag >> 13 & 0x3ffu)) & is_nan);
    return r | sign;
}

INLINE V real_from_bf16(VW h) { return (V)(h << 16); }

INLINE VW real_to_bf16(V x)
{
    VW u = (VW)x;
    VW is_nan = (VW)((u & 0x7fffffffu) > 0x7f800000u);
    VW r = (u + 0x7fffu + ((u >> 16) & 1u)) >> 16;

    return (r & ~is_nan) | (((u >> 16) | 0x40u) & is_nan);
}

/* Not inlined: ends of runs, in very many places. */
__attribute__((unused)) NOINLINE VH real_some_half_(const uint16_t *p, int n)
{
    VH h = {0};

    memcpy(&h, p, (size_t)n * sizeof *p);
    return h;
}

INLINE VW real_load_half(const uint16_t *p, int n)
{
    VH h;

    if (n == VL)
        memcpy(&h, p, sizeof h);
    else
        h = real_some_half_(p, n);
    return __builtin_convertvector(h, VW);
}

INLINE void real_store_half(uint16_t *p, VW x, int n)
{
    VH h = __builtin_convertvector(x, VH);

    if (n == VL) /* a constant mostly: one store */
        memcpy(p, &h, sizeof h);
    else
        memcpy(p, &h, (size_t)n * sizeof *p);
}

#endif

/* n elements at index i of an array of the given type (a constant where this is
 * inlined). */
INLINE V real_load_as(KType type, const void *p, int64_t i, int n)
{
#if !REAL_F64
    if (type == KT_F16)
        return real_from_f16(real_load_half((const uint16_t *)p + i, n));
    if (type == KT_BF16)
        return real_from_bf16(real_load_half((const uint16_t *)p + i, n));
#endif
    (void)type;
    return n == VL ? real_load((const REAL *)p + i) : real_load_n((const REAL *)p + i, n);
}

INLINE void real_store_as(KType type, void *p, int64_t i, V x, int n)
{
#if !REAL_F64
    if (type == KT_F16) {
        real_store_half((uint16_t *)p + i, real_to_f16(x), n);
        return;
    }
    if (type == KT_BF16) {
        real_store_half((uint16_t *)p + i, real_to_bf16(x), n);
        return;
    }
#endif
    (void)type;
    real_store_n((REAL *)p + i, x, n);
}

INLINE REAL real_get_as(KType type, const void *p, int64_t i)
{
    if (type == REAL_TYPE)
        return ((const REAL *)p)[i];
    return real_load_as(type, p, i, 1)[0];
}

INLINE void real_put_as(KType type, void *p, int64_t i, REAL x)
{
    if (type == REAL_TYPE)
        ((REAL *)p)[i] = x;
    else
        real_store_as(type, p, i, real_splat(x), 1);
}

INLINE size_t real_type_size(KType type)
{
    return type == KT_F64 ? 8 : type == KT_F32 ? 4 : 2;
}

/* ---- transpose -------------------------------------------------------------------- */

#if defined(__clang__)
#define REAL_SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define REAL_SHUFFLE(a, b, ...) __builtin_shuffle(a, b, (VI){__VA_ARGS__})
#endif

/* REAL_ZIP: two vectors interleaved. REAL_EVEN, REAL_ODD: every second lane of both. */
#if VBYTES == 64 && !REAL_F64
#define REAL_EVEN(a, b)                                                                  \
    REAL_SHUFFLE(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30)
#define REAL_ODD(a, b)                                                                   \
    REAL_SHUFFLE(a, b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31)
#define REAL_ZIP_LO(a, b)                                                                \
    REAL_SHUFFLE(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
#define REAL_ZIP_HI(a, b)                                                                \
    REAL_SHUFFLE(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)
#elif VBYTES / (4 << REAL_F64) == 8
#define REAL_EVEN(a, b)   REAL_SHUFFLE(a, b, 0, 2, 4, 6, 8, 10, 12, 14)
#define REAL_ODD(a, b)    REAL_SHUFFLE(a, b, 1, 3, 5, 7, 9, 11, 13, 15)
#define REAL_ZIP_LO(a, b) REAL_SHUFFLE(a, b, 0, 8, 1, 9, 2, 10, 3, 11)
#define REAL_ZIP_HI(a, b) REAL_SHUFFLE(a, b, 4, 12, 5, 13, 6, 14, 7, 15)
#elif VBYTES / (4 << REAL_F64) == 4
#define REAL_EVEN(a, b)   REAL_SHUFFLE(a, b, 0, 2, 4, 6)
#define REAL_ODD(a, b)    REAL_SHUFFLE(a, b, 1, 3, 5, 7)
#define REAL_ZIP_LO(a, b) REAL_SHUFFLE(a, b, 0, 4, 1, 5)
#define REAL_ZIP_HI(a, b) REAL_SHUFFLE(a, b, 2, 6, 3, 7)
#else
#define REAL_EVEN(a, b)   REAL_SHUFFLE(a, b, 0, 2)
#define REAL_ODD(a, b)    REAL_SHUFFLE(a, b, 1, 3)
#define REAL_ZIP_LO(a, b) REAL_SHUFFLE(a, b, 0, 2)
#define REAL_ZIP_HI(a, b) REAL_SHUFFLE(a, b, 1, 3)
#endif

/* Interleaving row i with row i + VL/2, log2(VL) times, transposes: each round moves one
 * bit of the row number into the lane number. */
INLINE void real_transpose(V x[VL])
{
    V y[VL];

    UNROLL
    for (int round = 1; round < VL; round *= 2) {
        UNROLL
        for (int i = 0; i < VL / 2; i++) {
            y[2 * i] = REAL_ZIP_LO(x[i], x[i + VL / 2]);
            y[2 * i + 1] = REAL_ZIP_HI(x[i], x[i + VL / 2]);
        }
        UNROLL
        for (int i = 0; i < VL; i++)
            x[i] = y[i];
    }
}

/* ---- threads ---------------------------------------------------------------------- */

INLINE void par_run(const KPar *par, int64_t n, void (*fn)(void *user, int i), void *user)
{
    if (n > 1 && par->run && par->threads > 1)
        par->run(par->ctx, (int)n, fn, user);
    else
        for (int i = 0; i < (int)n; i++)
            fn(user, i);
}

INLINE int64_t min64(int64_t a, int64_t b) { return a < b ? a : b; }
INLINE int64_t max64(int64_t a, int64_t b) { return a > b ? a : b; }
INLINE int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }
INLINE int64_t round_up(int64_t a, int64_t b) { return ceil_div(a, b) * b; }

#endif
