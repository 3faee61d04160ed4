/* map_float.h -- elementwise loops of one float type. The including source defines
 *
 *   T, UT           the type, and unsigned integers of its size
 *   TNAME(x)        names of this type; SCALAR(x) libm's function of it (floorf or floor)
 *   VEC, VINT, VL_  its vectors, their masks, the number of lanes
 *   VCALL(f)        the vector function; vload, vstore, VSELECT
 */
#define ARGS int64_t n, const void *const *in, void *const *out
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

static inline UT TNAME(bits)(T x)
{
    UT u;

    memcpy(&u, &x, sizeof u);
    return u;
}
static inline T TNAME(of_bits)(UT u)
{
    T x;

    memcpy(&x, &u, sizeof x);
    return x;
}
#define BITS     TNAME(bits)
#define OF_BITS  TNAME(of_bits)
#define SIGN_BIT ((UT)1 << (8 * sizeof(UT) - 1))

/* NaN wins; +0 is larger than -0. Equal numbers differ in the sign of zero at most. */
static inline T TNAME(larger)(T x, T y)
{
    T t = x > y ? x : y;

    t = x == y ? OF_BITS(BITS(x) & BITS(y)) : t;
    return x != x ? x : t;
}
static inline T TNAME(smaller)(T x, T y)
{
    T t = x < y ? x : y;

    t = x == y ? OF_BITS(BITS(x) | BITS(y)) : t;
    return x != x ? x : t;
}

/* Ops of one and of two operands, the type of their results and their formulas: the loops, and their places in the table below. */
/* clang-format off */
#define MAPS1(X)                                                                         \
    X(neg, T, OF_BITS(BITS(x) ^ SIGN_BIT))                                               \
    X(abs, T, OF_BITS(BITS(x) & ~SIGN_BIT))                                              \
    X(sign, T, x > 0 ? (T)1 : x < 0 ? (T)-1 : x)                                         \
    X(floor, T, SCALAR(__builtin_floor)(x))                                              \
    X(ceil, T, SCALAR(__builtin_ceil)(x))                                                \
    X(round, T, SCALAR(__builtin_rint)(x))                                               \
    X(is_finite, uint8_t, (x - x) == 0)
#define MAPS2(X)                                                                         \
    X(add, T, x + y)                                                                     \
    X(sub, T, x - y)                                                                     \
    X(mul, T, x * y)                                                                      \
    X(div, T, x / y)                                                                     \
    X(max, T, TNAME(larger)(x, y))                                                       \
    X(min, T, TNAME(smaller)(x, y))                                                      \
    X(eq, uint8_t, x == y)                                                               \
    X(ne, uint8_t, x != y)                                                               \
    X(lt, uint8_t, x < y)                                                                \
    X(le, uint8_t, x <= y)                                                               \
    X(gt, uint8_t, x > y)                                                                \
    X(ge, uint8_t, x >= y)                                                               \
    X(rem, T, SCALAR(fmod)(x, y))
/* clang-format on */
MAPS1(LOOP1)
MAPS2(LOOP2)

static void TNAME(loop_clamp)(ARGS)
{
    const T *lo = in[0], *a = in[1], *hi = in[2];
    T *o = out[0];

    EACH_ALONE
    for (int64_t i = 0; i < n; i++)
        o[i] = TNAME(smaller)(TNAME(larger)(a[i], lo[i]), hi[i]);
}

/* A vector function: all whole vectors, then by the same code the last elements, in a vector filled up with ones. */
#define LOOPV1(name, expr)                                                               \
    static void TNAME(name)(ARGS)                                                        \
    {                                                                                    \
        int64_t left = n % VL_, whole = n - left;                                        \
        const T *a = in[0];                                                              \
        T *o = out[0], rest[VL_];                                                        \
        KEPT_LOOP                                                                        \
        for (int last = left == 0; last < 2; last++) {                                   \
            for (int64_t i = 0; i < whole; i += VL_) {                                   \
                VEC x = vload(a + i);                                                    \
                vstore(o + i, expr);                                                     \
            }                                                                            \
            if (last)                                                                    \
                break;                                                                   \
            for (int64_t k = 0; k < VL_; k++)                                            \
                rest[k] = k < left ? a[whole + k] : (T)1;                                \
            a = o = rest;                                                                \
            whole = VL_;                                                                 \
        }                                                                                \
        if (left)                                                                        \
            memcpy((T *)out[0] + n - left, rest, sizeof(T) * (size_t)left);              \
    }

#define SET(op)          [KM_##op] = TNAME(loop_##op),
#define MAP(op, R, expr) SET(op)
#define VECTOR(P, t, op) LOOPV1(loop_##op, VCALL(op)(x))
#define ENTRY(P, t, op)  SET(op)
VMATH_OPS(VECTOR, , )

/* ---- sums and the like ----------------------------------------------------------------
 *
 * Four vectors of partial results: sums are about as good as pairwise ones for blocks of
 * a few thousand elements. */
#define FOLD(name, combine_vec, combine)                                                 \
    static void TNAME(name)(int64_t n, const void *in, void *out64)                      \
    {                                                                                    \
        const T *a = in;                                                                 \
        double r;                                                                        \
        int64_t i = 0;                                                                   \
        T t;                                                                             \
        if (n >= 4 * VL_) {                                                              \
            VEC p[4];                                                                    \
            for (int k = 0; k < 4; k++)                                                  \
                p[k] = vload(a + k * VL_);                                               \
            for (i = 4 * VL_; i + 4 * VL_ <= n; i += 4 * VL_)                            \
                for (int k = 0; k < 4; k++) {                                            \
                    VEC x = p[k], y = vload(a + i + k * VL_);                            \
                    p[k] = combine_vec;                                                  \
                }                                                                        \
            for (int k = 2; k; k /= 2)                                                   \
                for (int j = 0; j < k; j++) {                                            \
                    VEC x = p[j], y = p[j + k];                                          \
                    p[j] = combine_vec;                                                  \
                }                                                                        \
            t = p[0][0];                                                                 \
            for (int k = 1; k < VL_; k++) {                                              \
                T x = t, y = p[0][k];                                                    \
                t = combine;                                                             \
            }                                                                            \
        } else {                                                                         \
            t = a[i++];                                                                  \
        }                                                                                \
        for (; i < n; i++) {                                                             \
            T x = t, y = a[i];                                                           \
            t = combine;                                                                 \
        }                                                                                \
        r = (double)t;                                                                   \
        memcpy(out64, &r, sizeof r);                                                     \
    }

VINLINE VEC TNAME(vec_larger)(VEC x, VEC y)
{
    VEC t = VSELECT(x > y, x, y);

    t = VSELECT(x == y, (VEC)((VINT)x & (VINT)y), t);
    return VSELECT(x != x, x, t);
}
VINLINE VEC TNAME(vec_smaller)(VEC x, VEC y)
{
    VEC t = VSELECT(x < y, x, y);

    t = VSELECT(x == y, (VEC)((VINT)x | (VINT)y), t);
    return VSELECT(x != x, x, t);
}

FOLD(fold_sum, x + y, x + y)
FOLD(fold_prod, x *y, x *y)
FOLD(fold_max, TNAME(vec_larger)(x, y), TNAME(larger)(x, y))
FOLD(fold_min, TNAME(vec_smaller)(x, y), TNAME(smaller)(x, y))

/* clang-format off */
extern const KTypeLoops KERNEL_NAME(TNAME(loops));
const KTypeLoops KERNEL_NAME(TNAME(loops)) = {
    .map = {VMATH_OPS(ENTRY, , ) MAPS1(MAP) MAPS2(MAP) SET(pow) SET(clamp)},
    .fold = {[KF_SUM] = TNAME(fold_sum),
             [KF_PROD] = TNAME(fold_prod),
             [KF_MAX] = TNAME(fold_max),
             [KF_MIN] = TNAME(fold_min)},
};
/* clang-format on */
