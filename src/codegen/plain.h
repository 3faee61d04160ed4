/* plain.h -- what portable generated C stands on: elements of each dtype, one by one.
 *
 * Text, embedded in front of units of the target "c" after the headers math.h, stdint.h
 * and string.h. The names are those of lanes.h, of vectors that have one element:
 *
 *   s_f32           the element; half floats are kept in s_f32, rounded after every op
 *   s_b             bool: 1 and 0
 *   s_ld_f32(p, m)  from memory, s_st_ to memory; s_lds_, s_sts_: the same
 *   s_splat_f32(x)  s_select_f32(b, x, y)  s_max_f32(x, y) ..  by the names of the ops
 *   s_fold_add_f32  nothing: there is one
 *
 * Meanings are those of op/scalar.c. Nothing here is undefined in C, but that integers out
 * of range become signed ones modulo 2^width, as all compilers have it.
 */
#define VINLINE static inline

typedef int s_b;
#define wk_convert(x, T)           ((T)(x))
#define wk_widen(P, from, x, T)    ((T)(x))
#define WK_BITCAST(P, from, to, x) P##_bits_##from##_##to(x)
#define TO_INTEGER(P, to, v, T, lo, hi, most)                                            \
    ((v) != (v) ? (T)0 : (v) >= (hi) ? (T)(most) : (v) <= (lo) ? (T) ~(T)(most) : (T)(v))
VINLINE s_b s_lanes(int m) { return m > 0; }

/* ---- memory ------------------------------------------------------------------------ */

#define PLAIN_MEMORY(t, V, T, of, to)                                                    \
    VINLINE V s_splat_##t(T x) { return of(x); }                                         \
    VINLINE T s_first_##t(V x) { return to(x); }                                         \
    VINLINE V s_ld_##t(const T *p, int m)                                                \
    {                                                                                    \
        (void)m;                                                                         \
        return of(*p);                                                                   \
    }                                                                                    \
    VINLINE V s_lds_##t(const T *p, int64_t s, int m)                                    \
    {                                                                                    \
        (void)s;                                                                         \
        return s_ld_##t(p, m);                                                           \
    }                                                                                    \
    VINLINE void s_st_##t(T *p, int m, V x)                                              \
    {                                                                                    \
        (void)m;                                                                         \
        *p = to(x);                                                                      \
    }                                                                                    \
    VINLINE void s_sts_##t(T *p, int64_t s, int m, V x)                                  \
    {                                                                                    \
        (void)s;                                                                         \
        s_st_##t(p, m, x);                                                               \
    }
#define PLAIN_SAME(x) (x)
#define PLAIN_FOLD(t, V, op) VINLINE V s_fold_##op##_##t(V x) { return x; }
#define PLAIN_1(t, V, R, op, expr) VINLINE R s_##op##_##t(V x) { return expr; }
#define PLAIN_2(t, V, R, op, expr) VINLINE R s_##op##_##t(V x, V y) { return expr; }
/* An op as its row says it: of double x and y, or of uint64_t x and y and w bits. */
#define PLAIN_REAL1(t, op, expr)                                                         \
    VINLINE s_##t s_##op##_##t(s_##t v)                                                  \
    {                                                                                    \
        typedef s_##t T;                                                                 \
        const double x = (double)v;                                                      \
        return (T)(expr);                                                                \
    }
#define PLAIN_REAL2(t, op, expr)                                                         \
    VINLINE s_##t s_##op##_##t(s_##t v, s_##t u)                                         \
    {                                                                                    \
        typedef s_##t T;                                                                 \
        const double x = (double)v, y = (double)u;                                       \
        return (T)(expr);                                                                \
    }
#define PLAIN_WHOLE1(t, op, expr)                                                        \
    VINLINE s_##t s_##op##_##t(s_##t v)                                                  \
    {                                                                                    \
        typedef s_##t T;                                                                 \
        const unsigned w = 8 * sizeof(T);                                                \
        const uint64_t x = (uint64_t)v;                                                  \
        (void)w;                                                                         \
        return (T)(expr);                                                                \
    }
#define PLAIN_WHOLE2(t, op, expr)                                                        \
    VINLINE s_##t s_##op##_##t(s_##t v, s_##t u)                                         \
    {                                                                                    \
        typedef s_##t T;                                                                 \
        const unsigned w = 8 * sizeof(T);                                                \
        const uint64_t x = (uint64_t)v, y = (uint64_t)u;                                 \
        (void)w;                                                                         \
        return (T)(expr);                                                                \
    }
#define PLAIN_TYPE(t, T)                                                                 \
    typedef T s_##t;                                                                     \
    PLAIN_MEMORY(t, s_##t, T, PLAIN_SAME, PLAIN_SAME)                                    \
    VINLINE T s_iota_##t(int64_t b, int64_t s)                                           \
    {                                                                                    \
        (void)s;                                                                         \
        return (T)b;                                                                     \
    }                                                                                    \
    VINLINE T s_select_##t(s_b c, T x, T y) { return c ? x : y; }                        \
    VINLINE T s_gat_##t(const T *p, int64_t at, int m)                                   \
    {                                                                                    \
        (void)m;                                                                         \
        return p[at];                                                                    \
    }                                                                                    \
    PLAIN_2(t, T, s_b, eq, x == y)                                                       \
    PLAIN_2(t, T, s_b, ne, x != y)                                                       \
    PLAIN_2(t, T, s_b, lt, x < y)                                                        \
    PLAIN_2(t, T, s_b, le, x <= y)                                                       \
    PLAIN_2(t, T, s_b, gt, x > y)                                                        \
    PLAIN_2(t, T, s_b, ge, x >= y)                                                       \
    PLAIN_FOLD(t, T, add)                                                                \
    PLAIN_FOLD(t, T, mul)                                                                \
    PLAIN_FOLD(t, T, max)                                                                \
    PLAIN_FOLD(t, T, min)

/* ---- bool -------------------------------------------------------------------------- */

#define PLAIN_OF_BOOL(x) ((x) != 0)
#define PLAIN_TO_BOOL(x) ((uint8_t)((x) != 0))
PLAIN_MEMORY(bool, s_b, uint8_t, PLAIN_OF_BOOL, PLAIN_TO_BOOL)
VINLINE s_b s_select_bool(s_b c, s_b x, s_b y) { return c ? x : y; }
PLAIN_1(bool, s_b, s_b, not, !x)
PLAIN_2(bool, s_b, s_b, and, x & y)
PLAIN_2(bool, s_b, s_b, or, x | y)
PLAIN_2(bool, s_b, s_b, xor, x ^ y)
PLAIN_2(bool, s_b, s_b, max, x | y)
PLAIN_2(bool, s_b, s_b, min, x & y)
VINLINE s_b s_clamp_bool(s_b lo, s_b x, s_b hi) { return (x | lo) & hi; }
PLAIN_2(bool, s_b, s_b, eq, x == y)
PLAIN_2(bool, s_b, s_b, ne, x != y)
PLAIN_2(bool, s_b, s_b, lt, x < y)
PLAIN_2(bool, s_b, s_b, le, x <= y)
PLAIN_2(bool, s_b, s_b, gt, x > y)
PLAIN_2(bool, s_b, s_b, ge, x >= y)
PLAIN_FOLD(bool, s_b, and)
PLAIN_FOLD(bool, s_b, or)
PLAIN_FOLD(bool, s_b, max)
PLAIN_FOLD(bool, s_b, min)

/* ---- floats ------------------------------------------------------------------------ */

#define PLAIN_FLOAT(t, T, I, F)                                                          \
    PLAIN_TYPE(t, T)                                                                     \
    VINLINE T s_bits_##t(I u)                                                            \
    {                                                                                    \
        T x;                                                                             \
        memcpy(&x, &u, sizeof x);                                                        \
        return x;                                                                        \
    }                                                                                    \
    PLAIN_1(t, T, T, neg, -x)                                                            \
    PLAIN_1(t, T, T, abs, F(fabs)(x))                                                    \
    PLAIN_1(t, T, T, sign, x > 0 ? (T)1 : x < 0 ? (T)-1 : x)                             \
    PLAIN_1(t, T, T, exp, F(exp)(x))                                                     \
    PLAIN_1(t, T, T, expm1, F(expm1)(x))                                                 \
    PLAIN_1(t, T, T, log, F(log)(x))                                                     \
    PLAIN_1(t, T, T, log1p, F(log1p)(x))                                                 \
    PLAIN_1(t, T, T, sin, F(sin)(x))                                                     \
    PLAIN_1(t, T, T, cos, F(cos)(x))                                                     \
    PLAIN_1(t, T, T, tan, F(tan)(x))                                                     \
    PLAIN_1(t, T, T, tanh, F(tanh)(x))                                                   \
    PLAIN_1(t, T, T, erf, F(erf)(x))                                                     \
    PLAIN_1(t, T, T, sqrt, F(sqrt)(x))                                                   \
    PLAIN_1(t, T, T, rsqrt, 1 / F(sqrt)(x))                                              \
    PLAIN_1(t, T, T, floor, F(floor)(x))                                                 \
    PLAIN_1(t, T, T, ceil, F(ceil)(x))                                                   \
    PLAIN_1(t, T, T, round, F(rint)(x))                                                  \
    PLAIN_1(t, T, s_b, is_finite, x - x == 0)                                            \
    VINLINE T s_logistic_##t(T x)                                                        \
    {                                                                                    \
        T e = F(exp)(-F(fabs)(x));                                                       \
        return x < 0 ? e / (1 + e) : 1 / (1 + e);                                        \
    }                                                                                    \
    PLAIN_2(t, T, T, add, x + y)                                                         \
    PLAIN_2(t, T, T, sub, x - y)                                                         \
    PLAIN_2(t, T, T, mul, x *y)                                                          \
    PLAIN_2(t, T, T, div, x / y)                                                         \
    PLAIN_2(t, T, T, rem, F(fmod)(x, y))                                                 \
    PLAIN_2(t, T, T, pow, F(pow)(x, y))                                                  \
    PLAIN_2(t, T, T, max, x != x ? x : x > y || (x == y && !signbit(x)) ? x : y)         \
    PLAIN_2(t, T, T, min, x != x ? x : x < y || (x == y && signbit(x)) ? x : y)          \
    VINLINE T s_clamp_##t(T lo, T x, T hi) { return s_min_##t(s_max_##t(x, lo), hi); }
#define PLAIN_F(name) name##f
#define PLAIN_D(name) name
PLAIN_FLOAT(f32, float, uint32_t, PLAIN_F)
PLAIN_FLOAT(f64, double, uint64_t, PLAIN_D)

/* ---- half floats ------------------------------------------------------------------- */

VINLINE uint32_t plain_bits(float x)
{
    uint32_t u;

    memcpy(&u, &x, sizeof u);
    return u;
}
#ifdef PLAIN_CVT /* the machine has instructions for it */
VINLINE float plain_of_f16(uint16_t h)
{
    float x;

    asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(h));
    return x;
}
VINLINE float plain_of_bf16(uint16_t h) { return s_bits_f32((uint32_t)h << 16); }
VINLINE uint16_t plain_to_f16(float x)
{
    uint16_t h;

    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(x));
    return h;
}
VINLINE uint16_t plain_to_bf16(float x)
{
    uint16_t h;

    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(h) : "f"(x));
    return h;
}
#else
VINLINE float plain_of_f16(uint16_t h)
{
    uint32_t sign = (h & 0x8000u) << 16, mag = (h & 0x7fffu) << 13;
    uint32_t special = mag >= 0x0f800000u ? 0x7f800000u : 0;

    return s_bits_f32(plain_bits(s_bits_f32(mag) * 0x1p112f) | special | sign);
}
VINLINE uint16_t plain_to_f16(float x)
{
    uint32_t u = plain_bits(x), sign = (u >> 16) & 0x8000u, mag = u & 0x7fffffffu, r;

    if (mag > 0x7f800000u)
        r = 0x7e00u | (mag >> 13 & 0x3ffu);
    else if (mag >= 0x47800000u)
        r = 0x7c00u;
    else if (mag < 0x38800000u)
        r = plain_bits(s_bits_f32(mag) + 0.5f) - 0x3f000000u;
    else
        r = (mag + 0x0fffu + ((mag >> 13) & 1u) - 0x38000000u) >> 13;
    return (uint16_t)(r | sign);
}
VINLINE float plain_of_bf16(uint16_t h) { return s_bits_f32((uint32_t)h << 16); }
VINLINE uint16_t plain_to_bf16(float x)
{
    uint32_t u = plain_bits(x);

    if ((u & 0x7fffffffu) > 0x7f800000u)
        return (uint16_t)((u >> 16) | 0x40u);
    return (uint16_t)((u + 0x7fffu + ((u >> 16) & 1u)) >> 16);
}
#endif
#define PLAIN_HALF(t)                                                                    \
    VINLINE float s_narrow_##t(float x) { return plain_of_##t(plain_to_##t(x)); }        \
    PLAIN_MEMORY(t, float, uint16_t, plain_of_##t, plain_to_##t)
PLAIN_HALF(f16)
PLAIN_HALF(bf16)

/* ---- integers: modulo 2^width ------------------------------------------------------ */

VINLINE uint64_t plain_power(uint64_t x, uint64_t y)
{
    uint64_t r = 1;

    for (; y; y >>= 1, x *= x)
        if (y & 1)
            r *= x;
    return r;
}
#define PLAIN_WRAP(T, x) ((T)(x))
#define PLAIN_WIDE(x)    ((uint64_t)(x))
#define PLAIN_INT(t, T, U, S)                                                            \
    PLAIN_TYPE(t, T)                                                                     \
    PLAIN_FOLD(t, T, and)                                                                \
    PLAIN_FOLD(t, T, or)                                                                 \
    VINLINE s_b s_inside_##t(T x, int64_t n) { return (int64_t)x >= 0 && (int64_t)x < n; } \
    VINLINE int64_t s_at_##t(T x, int64_t n, int64_t step, int64_t from, int64_t by)     \
    {                                                                                    \
        int64_t row = (int64_t)x;                                                        \
        (void)by;                                                                        \
        row = row < 0 ? 0 : row < n ? row : n - 1;                                       \
        return row * step + from;                                                        \
    }                                                                                    \
    PLAIN_1(t, T, T, neg, PLAIN_WRAP(T, 0 - PLAIN_WIDE(x)))                              \
    PLAIN_1(t, T, T, not, PLAIN_WRAP(T, ~x))                                             \
    PLAIN_1(t, T, T, abs, x < 0 ? PLAIN_WRAP(T, 0 - PLAIN_WIDE(x)) : x)                  \
    PLAIN_1(t, T, T, sign, (T)((x > 0) - (x < 0)))                                       \
    PLAIN_2(t, T, T, add, PLAIN_WRAP(T, PLAIN_WIDE(x) + PLAIN_WIDE(y)))                  \
    PLAIN_2(t, T, T, sub, PLAIN_WRAP(T, PLAIN_WIDE(x) - PLAIN_WIDE(y)))                  \
    PLAIN_2(t, T, T, mul, PLAIN_WRAP(T, PLAIN_WIDE(x) * PLAIN_WIDE(y)))                  \
    PLAIN_2(t, T, T, and, PLAIN_WRAP(T, x & y))                                          \
    PLAIN_2(t, T, T, or, PLAIN_WRAP(T, x | y))                                           \
    PLAIN_2(t, T, T, xor, PLAIN_WRAP(T, x ^ y))                                          \
    PLAIN_2(t, T, T, max, x < y ? y : x)                                                 \
    PLAIN_2(t, T, T, min, y < x ? y : x)                                                 \
    VINLINE T s_clamp_##t(T lo, T x, T hi) { return s_min_##t(s_max_##t(x, lo), hi); }   \
    VINLINE T s_div_##t(T x, T y)                                                        \
    {                                                                                    \
        if (y == 0)                                                                      \
            return PLAIN_WRAP(T, ~(U)0);                                                 \
        return (T)-1 < 0 && y == (T)-1 ? s_neg_##t(x) : PLAIN_WRAP(T, x / y);            \
    }                                                                                    \
    VINLINE T s_rem_##t(T x, T y)                                                        \
    {                                                                                    \
        if (y == 0)                                                                      \
            return x;                                                                    \
        return (T)-1 < 0 && y == (T)-1 ? (T)0 : PLAIN_WRAP(T, x % y);                    \
    }                                                                                    \
    VINLINE T s_pow_##t(T x, T y)                                                        \
    {                                                                                    \
        if (y < 0)                                                                       \
            return x == (T)-1 ? (y & 1 ? x : (T)1) : (T)(x == 1);                        \
        return PLAIN_WRAP(T, plain_power(PLAIN_WIDE(x), PLAIN_WIDE(y)));                 \
    }                                                                                    \
    VINLINE T s_shl_##t(T x, T y)                                                        \
    {                                                                                    \
        return (U)y < 8 * sizeof(T) ? PLAIN_WRAP(T, PLAIN_WIDE(x) << (U)y) : (T)0;       \
    }                                                                                    \
    VINLINE T s_shr_logical_##t(T x, T y)                                                \
    {                                                                                    \
        return (U)y < 8 * sizeof(T) ? PLAIN_WRAP(T, (U)x >> (U)y) : (T)0;                \
    }                                                                                    \
    VINLINE T s_shr_arith_##t(T x, T y)                                                  \
    {                                                                                    \
        U s = (U)y < 8 * sizeof(T) ? (U)y : (U)(8 * sizeof(T) - 1);                      \
        S v = PLAIN_WRAP(S, x);                                                          \
        return PLAIN_WRAP(T, v < 0 ? ~(~v >> s) : v >> s);                               \
    }
PLAIN_INT(i8, int8_t, uint8_t, int8_t)
PLAIN_INT(i16, int16_t, uint16_t, int16_t)
PLAIN_INT(i32, int32_t, uint32_t, int32_t)
PLAIN_INT(i64, int64_t, uint64_t, int64_t)
PLAIN_INT(u8, uint8_t, uint8_t, int8_t)
PLAIN_INT(u16, uint16_t, uint16_t, int16_t)
PLAIN_INT(u32, uint32_t, uint32_t, int32_t)
PLAIN_INT(u64, uint64_t, uint64_t, int64_t)

/* ---- random bits, as in op_random.c ------------------------------------------------ */

VINLINE void s_threefry2x32_u32(uint32_t *out, uint32_t k0, uint32_t k1, uint32_t a,
                                uint32_t c)
{
    static const int turns[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
    uint32_t key[3];

    key[0] = k0, key[1] = k1, key[2] = k0 ^ k1 ^ 0x1BD11BDAu;
    a += k0, c += k1;
    for (uint32_t group = 0; group < 5; group++) {
        for (int i = 0; i < 4; i++) {
            int s = turns[group % 2][i];

            a += c;
            c = (c << s | c >> (32 - s)) ^ a;
        }
        a += key[(group + 1) % 3];
        c += key[(group + 2) % 3] + group + 1;
    }
    out[0] = a, out[1] = c;
}
VINLINE void s_philox4x32_u32(uint32_t *out, uint32_t k0, uint32_t k1, uint32_t a,
                              uint32_t b, uint32_t c, uint32_t d)
{
    for (int round = 0; round < 10; round++) {
        uint64_t p = (uint64_t)0xD2511F53u * a, q = (uint64_t)0xCD9E8D57u * c;

        a = (uint32_t)(q >> 32) ^ b ^ k0;
        b = (uint32_t)q;
        c = (uint32_t)(p >> 32) ^ d ^ k1;
        d = (uint32_t)p;
        k0 += 0x9E3779B9u, k1 += 0xBB67AE85u;
    }
    out[0] = a, out[1] = b, out[2] = c, out[3] = d;
}

/* ---- the same bits ----------------------------------------------------------------- */

#define PLAIN_BITS(x, X, y, Y)                                                           \
    VINLINE Y s_bits_##x##_##y(X v)                                                      \
    {                                                                                    \
        Y w;                                                                             \
        memcpy(&w, &v, sizeof w);                                                        \
        return w;                                                                        \
    }
#define PLAIN_BITS2(x, X, y, Y)                                                          \
    PLAIN_BITS(x, X, x, X) PLAIN_BITS(x, X, y, Y) PLAIN_BITS(y, Y, x, X)                 \
    PLAIN_BITS(y, Y, y, Y)
#define PLAIN_BITS3(x, X, y, Y, z, Z)                                                    \
    PLAIN_BITS2(x, X, y, Y)                                                              \
    PLAIN_BITS(x, X, z, Z) PLAIN_BITS(y, Y, z, Z) PLAIN_BITS(z, Z, x, X)                 \
    PLAIN_BITS(z, Z, y, Y) PLAIN_BITS(z, Z, z, Z)
PLAIN_BITS2(i8, int8_t, u8, uint8_t)
PLAIN_BITS2(i16, int16_t, u16, uint16_t)
PLAIN_BITS3(i32, int32_t, u32, uint32_t, f32, float)
PLAIN_BITS3(i64, int64_t, u64, uint64_t, f64, double)
