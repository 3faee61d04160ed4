/* map_int.h -- elementwise loops of one integer type. The including source defines T, its
 * unsigned twin UT, TNAME(x) and UNAME(x) for names of the two, and TSIGNED as 0 or 1.
 * Arithmetic is modulo 2^width, on unsigned numbers, so that nothing is undefined; what
 * is the same for both is made for the unsigned type, which comes first, and only named
 * by the signed one.
 */
#define ARGS  int64_t n, const void *const *in, void *const *out
#define WIDTH (8 * sizeof(T))
#define LOOP1(name, R, expr)                                                             \
    static void TNAME(loop_##name)(ARGS)                                                 \
    {                                                                                    \
        const T *a = in[0];                                                              \
        R *o = out[0];                                                                   \
        EACH_ALONE                                                                       \
        for (int64_t i = 0; i < n; i++) {                                                \
            T x = a[i];                                                                  \
            o[i] = (R)(expr);                                                            \
        }                                                                                \
    }
#define LOOP2(name, R, expr)                                                             \
    static void TNAME(loop_##name)(ARGS)                                                 \
    {                                                                                    \
        const T *a = in[0], *b = in[1];                                                  \
        R *o = out[0];                                                                   \
        EACH_ALONE                                                                       \
        for (int64_t i = 0; i < n; i++) {                                                \
            T x = a[i], y = b[i];                                                        \
            o[i] = (R)(expr);                                                            \
        }                                                                                \
    }

/* By 0: all bits set. The most negative number by -1: itself. */
static inline T TNAME(quotient)(T x, T y)
{
    if (y == 0)
        return (T) ~(T)0;
#if TSIGNED
    if (y == -1)
        return (T)(0 - (UT)x);
#endif
    return (T)(x / y);
}
/* By 0: x. */
static inline T TNAME(remainder)(T x, T y)
{
    if (y == 0)
        return x;
#if TSIGNED
    if (y == -1)
        return 0;
#endif
    return (T)(x % y);
}
static inline T TNAME(power)(T x, T y)
{
    uint64_t r = 1, b = (uint64_t)x;

#if TSIGNED
    if (y < 0)
        return x == -1 ? (y & 1 ? x : 1) : x == 1;
#endif
    for (UT e = (UT)y; e; e = (UT)(e >> 1), b *= b)
        if (e & 1)
            r *= b;
    return (T)r;
}
#if !TSIGNED
/* Amounts are read as unsigned: a negative one is beyond the width. */
static inline T TNAME(right)(T x, T y, int arith)
{
    UT u = (UT)x, s = (UT)y, fill = arith && (UT)(u >> (WIDTH - 1)) ? (UT) ~(UT)0 : 0;

    if (s >= WIDTH)
        return (T)fill;
    return (T)(UT)((UT)(u >> s) | (s ? (UT)(fill << (WIDTH - s)) : 0));
}
#endif

/* Ops of one and of two operands, the type of their results and their formulas: the loops, and their places in the table below.
 * The shared ones are made for the unsigned type. */
/* clang-format off */
#if TSIGNED
#define OWN1(X)                                                                          \
    X(abs, T, x < 0 ? 0 - (UT)x : (UT)x)                                                 \
    X(sign, T, (x > 0) - (x < 0))
#else
#define OWN1(X)                                                                          \
    X(abs, T, x)                                                                         \
    X(sign, T, x != 0)
#endif
#define OWN2(X)                                                                          \
    X(div, T, TNAME(quotient)(x, y))                                                     \
    X(rem, T, TNAME(remainder)(x, y))                                                    \
    X(pow, T, TNAME(power)(x, y))                                                        \
    X(max, T, x < y ? y : x)                                                             \
    X(min, T, y < x ? y : x)                                                             \
    X(lt, uint8_t, x < y)                                                                \
    X(le, uint8_t, x <= y)                                                               \
    X(gt, uint8_t, x > y)                                                                \
    X(ge, uint8_t, x >= y)
#define SHARED1(X)                                                                       \
    X(neg, T, 0 - (UT)x)                                                                 \
    X(not, T, ~(UT)x)
#define SHARED2(X)                                                                       \
    X(add, T, (UT)x + (UT)y)                                                             \
    X(sub, T, (UT)x - (UT)y)                                                             \
    X(mul, T, (uint64_t)(UT)x * (UT)y)                                                   \
    X(and, T, x & y)                                                                     \
    X(or, T, x | y)                                                                      \
    X(xor, T, x ^ y)                                                                     \
    X(shl, T, (UT)y < WIDTH ? (uint64_t)(UT)x << (UT)y : 0)                              \
    X(shr_logical, T, TNAME(right)(x, y, 0))                                             \
    X(shr_arith, T, TNAME(right)(x, y, 1))                                               \
    X(eq, uint8_t, x == y)                                                               \
    X(ne, uint8_t, x != y)
/* clang-format on */
OWN1(LOOP1)
OWN2(LOOP2)

static void TNAME(loop_clamp)(ARGS)
{
    const T *lo = in[0], *a = in[1], *hi = in[2];
    T *o = out[0];

    EACH_ALONE
    for (int64_t i = 0; i < n; i++) {
        T x = a[i] < lo[i] ? lo[i] : a[i];

        o[i] = hi[i] < x ? hi[i] : x;
    }
}

#define FOLD(name, combine)                                                              \
    static void TNAME(name)(int64_t n, const void *in, void *out64)                      \
    {                                                                                    \
        const T *a = in;                                                                 \
        T x = a[0];                                                                      \
        int64_t r;                                                                       \
        for (int64_t i = 1; i < n; i++) {                                                \
            T y = a[i];                                                                  \
            x = (T)(combine);                                                            \
        }                                                                                \
        r = (int64_t)x;                                                                  \
        memcpy(out64, &r, sizeof r);                                                     \
    }
FOLD(fold_max, x < y ? y : x)
FOLD(fold_min, y < x ? y : x)

#if !TSIGNED
SHARED1(LOOP1)
SHARED2(LOOP2)
FOLD(fold_sum, (UT)x + (UT)y)
FOLD(fold_prod, (uint64_t)(UT)x *(UT)y)
FOLD(fold_and, x &y)
FOLD(fold_or, x | y)
#endif

#define OWN(op, R, expr) [KM_##op] = TNAME(loop_##op),
#define SET(op, R, expr) [KM_##op] = UNAME(loop_##op),
#ifndef TEXTRA
#define TEXTRA
#endif
/* clang-format off */
extern const KTypeLoops KERNEL_NAME(TNAME(loops));
const KTypeLoops KERNEL_NAME(TNAME(loops)) = {
    .map = {OWN1(OWN) OWN2(OWN) SHARED1(SET) SHARED2(SET) OWN(clamp, , ) TEXTRA},
    .fold = {[KF_SUM] = UNAME(fold_sum),
             [KF_PROD] = UNAME(fold_prod),
             [KF_MAX] = TNAME(fold_max),
             [KF_MIN] = TNAME(fold_min),
             [KF_AND] = UNAME(fold_and),
             [KF_OR] = UNAME(fold_or)},
};
/* clang-format on */
#undef T
#undef UT
#undef TNAME
#undef UNAME
#undef TSIGNED
#undef TEXTRA
#undef ARGS
#undef WIDTH
#undef LOOP1
#undef LOOP2
#undef FOLD
#undef SET
#undef OWN
#undef OWN1
#undef OWN2
#undef SHARED1
#undef SHARED2
