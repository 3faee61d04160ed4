/* gpu.h -- what generated CUDA C++ stands on, beside plain.h: text, embedded before it
 * (types) and behind it (what threads do together).
 *
 *   wk_load wk_store  V neighbouring elements, m of them there: in one access, if all are
 *                     and the address allows it
 *   wk_all<T>         a value of each of T threads joined; all of them get the result, the
 *                     same in every run. T is a power of two; more than 32 are the block
 *   wk_split          a / n, and the rest
 *
 * The tests compile the same text as C++ for the host, with threads that take turns.
 */
#ifdef WK_TYPES
#ifndef WK_HOST
#define WK_ARGS(T) const __grid_constant__ T /* of a kernel */
#if __CUDA_ARCH__ >= 800
#define PLAIN_CVT
#endif
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
typedef unsigned long long uintptr_t;
#define INT8_MAX   127
#define INT16_MAX  32767
#define INT32_MAX  2147483647
#define INT64_MAX  9223372036854775807ll
#define UINT8_MAX  255
#define UINT16_MAX 65535
#define UINT32_MAX 4294967295u
#define UINT64_MAX 18446744073709551615ull
#define INT32_MIN  (-INT32_MAX - 1)
#define INT64_MIN  (-INT64_MAX - 1)
#define __builtin_clzll(x)      ((unsigned)__clzll((long long)(x)))
#define __builtin_popcountll(x) ((unsigned)__popcll(x))
#define INFINITY __int_as_float(0x7f800000)
#define NAN      __int_as_float(0x7fc00000)
static double lgamma_r(double x, int *sign)
{
    *sign = 1; /* nobody asks */
    return lgamma(x);
}
#endif
#undef WK_TYPES
#else

/* Of f32, to 2 ulp, in a fraction of the time that the standard functions take. */
#ifndef WK_HOST
static float wk_exp2(float x)
{
    float y;

    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
static float wk_inverse(float x)
{
    float y;

    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
static float wk_logistic(float x) { return wk_inverse(1.0f + wk_exp2(-1.44269504f * x)); }
static float wk_tanh(float x)
{
    const float a = fabsf(x), s = x * x;
    const float far = copysignf(1.0f - 2.0f * wk_inverse(1.0f + wk_exp2(2.88539008f * a)), x);
    const float near = /* x + x^3 p(x^2) */
        x + x * s *
                (-0.33333313f +
                 s * (0.13332482f + s * (-0.053840578f + s * (0.021020796f + s * -0.0061990581f))));
    float y; /* of both, so that no thread waits for others */

    asm("{ .reg .pred p; setp.lt.f32 p, %1, 0f3f0ccccd; selp.f32 %0, %2, %3, p; }"
        : "=f"(y) : "f"(a), "f"(near), "f"(far));
    return y;
}
#define s_logistic_f32 wk_logistic
#define s_tanh_f32     wk_tanh
#endif

template <int BYTES> struct WkPiece {};
template <> struct WkPiece<1> { typedef unsigned char type; };
template <> struct WkPiece<2> { typedef unsigned short type; };
template <> struct WkPiece<4> { typedef unsigned int type; };
template <> struct WkPiece<8> { typedef uint2 type; };
template <> struct WkPiece<16> { typedef uint4 type; };

/* As many bytes at a time as the machine moves. wk_take: all are there, and lie so. */
template <int V, class T> VINLINE constexpr int wk_bytes() { return V * sizeof(T) < 16 ? V * sizeof(T) : 16; }

template <int V, class T> VINLINE void wk_take(T (&to)[V], const T *p)
{
    constexpr int n = V * sizeof(T), each = wk_bytes<V, T>();
    typename WkPiece<each>::type piece[n / each];

#pragma unroll
    for (int i = 0; i < n / each; i++)
        piece[i] = ((const typename WkPiece<each>::type *)p)[i];
    memcpy(to, piece, n);
}

template <int V, class T> VINLINE void wk_load(T (&to)[V], const T *p, int m)
{
    if (m == V && (uintptr_t)p % wk_bytes<V, T>() == 0) {
        wk_take(to, p);
    } else {
#pragma unroll
        for (int e = 0; e < V; e++)
            to[e] = e < m ? p[e] : T();
    }
}

/* FAR: what is more than the caches hold, and need not go through them. */
template <bool FAR, int V, class T> VINLINE void wk_store(T *p, const T (&from)[V], int m)
{
    constexpr int n = V * sizeof(T), each = n < 16 ? n : 16;
    typedef typename WkPiece<each>::type P;

    if (m == V && (uintptr_t)p % each == 0) {
        P piece[n / each];
        memcpy(piece, from, n);
#pragma unroll
        for (int i = 0; i < n / each; i++)
            if (FAR)
                __stcs((P *)p + i, piece[i]);
            else
                ((P *)p)[i] = piece[i];
    } else {
#pragma unroll
        for (int e = 0; e < V; e++)
            if (e < m)
                p[e] = from[e];
    }
}
template <int V, class T> VINLINE void wk_store(T *p, const T (&from)[V], int m) { wk_store<false>(p, from, m); }

VINLINE void wk_split(int a, int n, int *quotient, int *rest)
{
    *quotient = (int)((unsigned)a / (unsigned)n);
    *rest = a - *quotient * n;
}
VINLINE void wk_split(int64_t a, int64_t n, int64_t *quotient, int64_t *rest)
{
    if (((uint64_t)a | (uint64_t)n) >> 32)
        *quotient = a / n;
    else /* much faster, and usual */
        *quotient = (int64_t)((uint32_t)a / (uint32_t)n);
    *rest = a - *quotient * n;
}

/* This task's part of so many rows. */
VINLINE void wk_part(int64_t n, int64_t tasks, int64_t task, int64_t *begin, int64_t *end)
{
    int64_t each = n / tasks, more = n % tasks;

    *begin = each * task + (task < more ? task : more);
    *end = *begin + each + (task < more);
}

template <class V> VINLINE V wk_other(V x, unsigned mask, int step)
{
    return (V)__shfl_xor_sync(mask, x, step);
}

template <int T, class V, class F> VINLINE V wk_all(V x, F join)
{
    constexpr int lanes = T < 32 ? T : 32;
    const unsigned first = threadIdx.x % 32 / lanes * lanes;
    const unsigned mask = lanes == 32 ? 0xffffffffu : ((1u << lanes % 32) - 1) << first;

#pragma unroll
    for (int s = lanes / 2; s; s /= 2)
        x = join(x, wk_other(x, mask, s));
    if (T > 32) {
        __shared__ V of_warp[T / 32 + 1];

        __syncthreads();
        if (threadIdx.x % 32 == 0)
            of_warp[threadIdx.x / 32] = x;
        __syncthreads();
        x = of_warp[0];
#pragma unroll
        for (int w = 1; w < T / 32; w++)
            x = join(x, of_warp[w]);
    }
    return x;
}

#endif
