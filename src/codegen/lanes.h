/* lanes.h -- what generated C stands on: N elements of each dtype side by side.
 *
 * Text, embedded after the library's vec.h and vmath.h. Generated code says which
 * sets it needs: LANES_F32(s, VFL) LANES_BOOL(s, VFL, int32_t) .. Names begin with the
 * set: s_ has as many lanes as a vector has f32, d_ as many as it has f64.
 *
 *   s_f32           the vector; half floats are kept in s_f32, rounded after every op
 *   s_b             bool: -1 and 0, in integers as wide as the set's widest usual element
 *   s_ld_f32(p, m)  the first m lanes from memory, 0 in the others; m in 0..N
 *   s_lds_f32       the same with a stride; s_st_, s_sts_ to memory
 *   s_splat_f32(x)  s_select_f32(b, x, y)  s_max_f32(x, y) ..  by the names of the ops
 *   s_first_f32     lane 0
 *   s_iota_f32(b,s) b, b+s, b+2s ..
 *   s_fold_add_f32  all lanes, in every lane
 */
/* ---- stores past the caches, of whole vectors at their own alignment --------------- */

typedef float WkStream __attribute__((vector_size(VEC_BYTES)));
#if defined(__clang__)
#define wk_stream(p, x) __builtin_nontemporal_store((WkStream)(x), (WkStream *)(p))
#elif KERNEL_ISA == 2
#define wk_stream(p, x) __builtin_ia32_movntps512((float *)(p), (WkStream)(x))
#elif KERNEL_ISA == 1
#define wk_stream(p, x) __builtin_ia32_movntps256((float *)(p), (WkStream)(x))
#else
#define wk_stream(p, x) (*(WkStream *)(p) = (WkStream)(x))
#endif
#if defined(__x86_64__)
#define wk_stream_end() __builtin_ia32_sfence() /* others see them, too */
#else
#define wk_stream_end() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#endif

/* ---- what plain.h says otherwise --------------------------------------------------- */

#define wk_convert(x, V)           __builtin_convertvector(x, V)
#define WK_BITCAST(P, from, to, x) ((P##_##to)(x))
/* Integers of 8 and 16 bits to floats: by way of 32, by the instructions that compilers do not find. */
#define wk_widen(P, from, x, V) WIDEN_##P##_##from(x, V)
#define WIDEN_PLAIN(x, V)       __builtin_convertvector(x, V)
#if KERNEL_ISA == 2 && !defined(__clang__)
typedef char WkBytes __attribute__((vector_size(16)));
typedef short WkShorts __attribute__((vector_size(32)));
typedef int WkWide __attribute__((vector_size(64)));
#define WIDEN_BY(how, T, x, V)                                                           \
    __builtin_convertvector((WkWide)__builtin_ia32_pmov##how##512_mask((T)(x), (WkWide){0}, (unsigned short)-1), V)
#define WIDEN_s_u8(x, V)  WIDEN_BY(zxbd, WkBytes, x, V)
#define WIDEN_s_i8(x, V)  WIDEN_BY(sxbd, WkBytes, x, V)
#define WIDEN_s_u16(x, V) WIDEN_BY(zxwd, WkShorts, x, V)
#define WIDEN_s_i16(x, V) WIDEN_BY(sxwd, WkShorts, x, V)
#elif KERNEL_ISA == 1 && !defined(__clang__)
typedef char WkBytes __attribute__((vector_size(16)));
typedef short WkShorts __attribute__((vector_size(16)));
typedef int WkWide __attribute__((vector_size(32)));
#define WIDEN_BY(how, T, x, V)                                                           \
    ({                                                                                   \
        __typeof__((x) + (x)) from_ = (x);                                               \
        T all_ = {0};                                                                    \
        memcpy(&all_, &from_, sizeof from_);                                             \
        __builtin_convertvector((WkWide)__builtin_ia32_pmov##how##256(all_), V);         \
    })
#define WIDEN_s_u8(x, V)  WIDEN_BY(zxbd, WkBytes, x, V)
#define WIDEN_s_i8(x, V)  WIDEN_BY(sxbd, WkBytes, x, V)
#define WIDEN_s_u16(x, V) WIDEN_BY(zxwd, WkShorts, x, V)
#define WIDEN_s_i16(x, V) WIDEN_BY(sxwd, WkShorts, x, V)
#else
#define WIDEN_s_u8  WIDEN_PLAIN
#define WIDEN_s_i8  WIDEN_PLAIN
#define WIDEN_s_u16 WIDEN_PLAIN
#define WIDEN_s_i16 WIDEN_PLAIN
#endif
#define WIDEN_d_u8  WIDEN_PLAIN
#define WIDEN_d_i8  WIDEN_PLAIN
#define WIDEN_d_u16 WIDEN_PLAIN
#define WIDEN_d_i16 WIDEN_PLAIN

/* ---- lanes in another order -------------------------------------------------------- */

#if defined(__clang__)
#define wk_mix(x, y, M, ...) __builtin_shufflevector(x, y, __VA_ARGS__)
#else
#define wk_mix(x, y, M, ...) __builtin_shuffle(x, y, (M){__VA_ARGS__})
#endif
#define LANES_LIST_2(f)  f(0), f(1)
#define LANES_LIST_4(f)  f(0), f(1), f(2), f(3)
#define LANES_LIST_8(f)  f(0), f(1), f(2), f(3), f(4), f(5), f(6), f(7)
#define LANES_LIST_16(f) LANES_LIST_8(f), f(8), f(9), f(10), f(11), f(12), f(13), f(14), f(15)
#define LANES_AT(i)      p[(i)*s]
#if VEC_BYTES == 64
#define LANES_LIST_s LANES_LIST_16
#define LANES_LIST_d LANES_LIST_8
#elif VEC_BYTES == 32
#define LANES_LIST_s LANES_LIST_8
#define LANES_LIST_d LANES_LIST_4
#else
#define LANES_LIST_s LANES_LIST_4
#define LANES_LIST_d LANES_LIST_2
#endif
#if VEC_BYTES == 64
#define INDEX_s {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}
#define INDEX_d {0, 1, 2, 3, 4, 5, 6, 7}
#elif VEC_BYTES == 32
#define INDEX_s {0, 1, 2, 3, 4, 5, 6, 7}
#define INDEX_d {0, 1, 2, 3}
#else
#define INDEX_s {0, 1, 2, 3}
#define INDEX_d {0, 1}
#endif
#if defined(__clang__)
#define LANES_TURN(P, N, t, V, M, I)                                                     \
    VINLINE V P##_turn_##t(V x, int k)                                                   \
    {                                                                                    \
        V y = x;                                                                         \
        for (int i = 0; i < N; i++)                                                      \
            y[i] = x[(i + k) & (N - 1)];                                                 \
        return y;                                                                        \
    }
#else
#define LANES_TURN(P, N, t, V, M, I)                                                     \
    VINLINE V P##_turn_##t(V x, int k)                                                   \
    {                                                                                    \
        return __builtin_shuffle(x, ((M)INDEX_##P + (I)k) & (I)(N - 1));                 \
    }
#endif

/* ---- comparisons ------------------------------------------------------------------- */

/* Without instructions for it, gcc 12 fails over comparisons of half a register whose
 * result is widened or chooses at once: it must not see both. */
#if KERNEL_ISA == 0 && defined(__x86_64__) && !defined(__clang__)
#define LANES_KEEP(c)                                                                    \
    do {                                                                                 \
        if (sizeof(c) <= 16)                                                             \
            __asm__("" : "+x"(c));                                                       \
    } while (0)
#else
#define LANES_KEEP(c) ((void)0)
#endif

/* ---- memory ------------------------------------------------------------------------ */

#define LANES_TYPE(P, N, t, T, I)                                                        \
    typedef T P##_##t __attribute__((vector_size(N * sizeof(T))));                       \
    typedef I P##_m##t __attribute__((vector_size(N * sizeof(T))));                      \
    LANES_TURN(P, N, t, P##_##t, P##_m##t, I)                                            \
    VINLINE P##_##t P##_splat_##t(T x) { return x - (P##_##t){0}; }                      \
    VINLINE T P##_first_##t(P##_##t x) { return x[0]; }                                  \
    VINLINE P##_##t P##_iota_##t(int64_t b, int64_t s)                                   \
    {                                                                                    \
        P##_m##t x = INDEX_##P;                                                          \
        return __builtin_convertvector(x * (I)s + (I)b, P##_##t);                        \
    }                                                                                    \
    VINLINE P##_##t P##_lds_##t(const T *p, int64_t s, int m)                            \
    {                                                                                    \
        P##_##t x = {0};                                                                 \
        if (__builtin_constant_p(m) && m == N)                                           \
            return (P##_##t){LANES_LIST_##P(LANES_AT)};                                  \
        for (int i = 0; i < N; i++)                                                      \
            if (i < m)                                                                   \
                x[i] = p[i * s];                                                         \
        return x;                                                                        \
    }                                                                                    \
    VINLINE void P##_sts_##t(T *p, int64_t s, int m, P##_##t x)                          \
    {                                                                                    \
        for (int i = 0; i < N; i++)                                                      \
            if (i < m)                                                                   \
                p[i * s] = x[i];                                                         \
    }                                                                                    \
    VINLINE P##_##t P##_gat_##t(const T *p, P##_o at, int m)                             \
    {                                                                                    \
        P##_##t x = {0};                                                                 \
        for (int i = 0; i < N; i++)                                                      \
            if (i < m)                                                                   \
                x[i] = p[at[i]];                                                         \
        return x;                                                                        \
    }                                                                                    \
    VINLINE P##_##t P##_pick_##t(P##_m##t c, P##_##t x, P##_##t y)                       \
    {                                                                                    \
        LANES_KEEP(c);                                                                   \
        return (P##_##t)((c & (P##_m##t)x) | (~c & (P##_m##t)y));                        \
    }                                                                                    \
    VINLINE P##_##t P##_select_##t(P##_b c, P##_##t x, P##_##t y)                        \
    {                                                                                    \
        return P##_pick_##t(__builtin_convertvector(c, P##_m##t), x, y);                 \
    }

#define LANES_PLAIN(P, N, t, T)                                                          \
    VINLINE P##_##t P##_ld_##t(const T *p, int m)                                        \
    {                                                                                    \
        P##_##t x = {0};                                                                 \
        if (m == N)                                                                      \
            memcpy(&x, p, sizeof x);                                                     \
        else                                                                             \
            for (int i = 0; i < m; i++)                                                  \
                x[i] = p[i];                                                             \
        return x;                                                                        \
    }                                                                                    \
    VINLINE void P##_st_##t(T *p, int m, P##_##t x)                                      \
    {                                                                                    \
        if (m == N)                                                                      \
            memcpy(p, &x, sizeof x);                                                     \
        else                                                                             \
            for (int i = 0; i < m; i++)                                                  \
                p[i] = x[i];                                                             \
    }

/* Vectors of a whole register, by masks where the machine has them. */
#if KERNEL_ISA == 2 && !defined(__clang__)
typedef float MaskF __attribute__((vector_size(64)));
typedef double MaskD __attribute__((vector_size(64)));
#define MASK16(m) ((unsigned short)((1u << (m)) - 1))
#define MASK8(m)  ((unsigned char)((1u << (m)) - 1))
#define LANES_MASKED4(P, N, t, T)                                                        \
    VINLINE P##_##t P##_ld_##t(const T *p, int m)                                        \
    {                                                                                    \
        P##_##t x;                                                                       \
        if (__builtin_constant_p(m) && m == N)                                           \
            memcpy(&x, p, sizeof x);                                                     \
        else                                                                             \
            x = (P##_##t)__builtin_ia32_loadups512_mask((const float *)p, (MaskF){0},    \
                                                        MASK16(m));                      \
        return x;                                                                        \
    }                                                                                    \
    VINLINE void P##_st_##t(T *p, int m, P##_##t x)                                      \
    {                                                                                    \
        if (__builtin_constant_p(m) && m == N)                                           \
            memcpy(p, &x, sizeof x);                                                     \
        else                                                                             \
            __builtin_ia32_storeups512_mask((float *)p, (MaskF)x, MASK16(m));            \
    }
#define LANES_MASKED8(P, N, t, T)                                                        \
    VINLINE P##_##t P##_ld_##t(const T *p, int m)                                        \
    {                                                                                    \
        P##_##t x;                                                                       \
        if (__builtin_constant_p(m) && m == N)                                           \
            memcpy(&x, p, sizeof x);                                                     \
        else                                                                             \
            x = (P##_##t)__builtin_ia32_loadupd512_mask((const double *)p, (MaskD){0},   \
                                                        MASK8(m));                       \
        return x;                                                                        \
    }                                                                                    \
    VINLINE void P##_st_##t(T *p, int m, P##_##t x)                                      \
    {                                                                                    \
        if (__builtin_constant_p(m) && m == N)                                           \
            memcpy(p, &x, sizeof x);                                                     \
        else                                                                             \
            __builtin_ia32_storeupd512_mask((double *)p, (MaskD)x, MASK8(m));            \
    }
typedef char MaskB __attribute__((vector_size(16)));
#define LANES_MASKED1(P, N, t, T)                                                        \
    VINLINE P##_##t P##_ld_##t(const T *p, int m)                                        \
    {                                                                                    \
        P##_##t x;                                                                       \
        if (__builtin_constant_p(m) && m == N)                                           \
            memcpy(&x, p, sizeof x);                                                     \
        else                                                                             \
            x = (P##_##t)__builtin_ia32_loaddquqi128_mask((const char *)p, (MaskB){0},   \
                                                          MASK16(m));                    \
        return x;                                                                        \
    }                                                                                    \
    VINLINE void P##_st_##t(T *p, int m, P##_##t x)                                      \
    {                                                                                    \
        if (__builtin_constant_p(m) && m == N)                                           \
            memcpy(p, &x, sizeof x);                                                     \
        else                                                                             \
            __builtin_ia32_storedquqi128_mask((char *)p, (MaskB)x, MASK16(m));           \
    }
#else
#define LANES_MASKED1 LANES_PLAIN
#define LANES_MASKED4 LANES_PLAIN
#define LANES_MASKED8 LANES_PLAIN
#endif
#define LANES_MEM1_s LANES_MASKED1
#define LANES_MEM1_d LANES_PLAIN
#define LANES_MEM4_s LANES_MASKED4
#define LANES_MEM4_d LANES_PLAIN
#define LANES_MEM8_s LANES_PLAIN
#define LANES_MEM8_d LANES_MASKED8

/* ---- bool -------------------------------------------------------------------------- */

#define LANES_BOOL(P, N, I)                                                              \
    typedef int64_t P##_o __attribute__((vector_size(N * 8)));                           \
    typedef I P##_b __attribute__((vector_size(N * sizeof(I))));                         \
    LANES_TURN(P, N, bool, P##_b, P##_b, I)                                              \
    typedef uint8_t P##_b8 __attribute__((vector_size(N)));                              \
    typedef int8_t P##_m8 __attribute__((vector_size(N)));                               \
    VINLINE P##_b P##_of_b8(P##_b8 x) { return __builtin_convertvector(x != 0, P##_b); } \
    VINLINE P##_b8 P##_to_b8(P##_b x)                                                    \
    {                                                                                    \
        return (P##_b8)(__builtin_convertvector(x, P##_m8) & 1);                         \
    }                                                                                    \
    LANES_MEM1_##P(P, N, b8, uint8_t)                                                    \
    VINLINE P##_b P##_splat_bool(uint8_t x) { return (P##_b){0} - (x != 0); }            \
    VINLINE uint8_t P##_first_bool(P##_b x) { return x[0] != 0; }                        \
    VINLINE P##_b P##_ld_bool(const uint8_t *p, int m)                                   \
    {                                                                                    \
        return P##_of_b8(P##_ld_b8(p, m));                                               \
    }                                                                                    \
    VINLINE P##_b P##_lds_bool(const uint8_t *p, int64_t s, int m)                       \
    {                                                                                    \
        P##_b8 x = {0};                                                                  \
        if (__builtin_constant_p(m) && m == N)                                           \
            return P##_of_b8((P##_b8){LANES_LIST_##P(LANES_AT)});                        \
        for (int i = 0; i < m; i++)                                                      \
            x[i] = p[i * s];                                                             \
        return P##_of_b8(x);                                                             \
    }                                                                                    \
    VINLINE void P##_st_bool(uint8_t *p, int m, P##_b x)                                 \
    {                                                                                    \
        P##_st_b8(p, m, P##_to_b8(x));                                                   \
    }                                                                                    \
    VINLINE void P##_sts_bool(uint8_t *p, int64_t s, int m, P##_b x)                     \
    {                                                                                    \
        for (int i = 0; i < m; i++)                                                      \
            p[i * s] = x[i] != 0;                                                        \
    }                                                                                    \
    VINLINE P##_b P##_lanes(int m)                                                       \
    {                                                                                    \
        P##_b x = INDEX_##P;                                                             \
        return x < (I)m;                                                                 \
    }                                                                                    \
    VINLINE P##_b P##_select_bool(P##_b c, P##_b x, P##_b y) { return (c & x) | (~c & y); } \
    VINLINE P##_b P##_not_bool(P##_b x) { return ~x; }                                   \
    VINLINE P##_b P##_and_bool(P##_b x, P##_b y) { return x & y; }                       \
    VINLINE P##_b P##_or_bool(P##_b x, P##_b y) { return x | y; }                        \
    VINLINE P##_b P##_xor_bool(P##_b x, P##_b y) { return x ^ y; }                       \
    VINLINE P##_b P##_max_bool(P##_b x, P##_b y) { return x | y; }                       \
    VINLINE P##_b P##_min_bool(P##_b x, P##_b y) { return x & y; }                       \
    VINLINE P##_b P##_clamp_bool(P##_b lo, P##_b x, P##_b hi) { return (x | lo) & hi; }  \
    VINLINE P##_b P##_eq_bool(P##_b x, P##_b y) { return ~(x ^ y); }                     \
    VINLINE P##_b P##_ne_bool(P##_b x, P##_b y) { return x ^ y; }                        \
    VINLINE P##_b P##_lt_bool(P##_b x, P##_b y) { return ~x & y; }                       \
    VINLINE P##_b P##_le_bool(P##_b x, P##_b y) { return ~x | y; }                       \
    VINLINE P##_b P##_gt_bool(P##_b x, P##_b y) { return x & ~y; }                       \
    VINLINE P##_b P##_ge_bool(P##_b x, P##_b y) { return x | ~y; }                       \
    LANES_FOLD(P, N, and, bool, P##_b, I)                                                \
    LANES_FOLD(P, N, or, bool, P##_b, I)                                                 \
    LANES_FOLD(P, N, max, bool, P##_b, I)                                                \
    LANES_FOLD(P, N, min, bool, P##_b, I)

/* All lanes by the op, in every lane: lanes are turned by half of them, a quarter .. */
#define LANES_FOLD(P, N, op, t, V, T)                                                    \
    VINLINE V P##_fold_##op##_##t(V x)                                                   \
    {                                                                                    \
        for (int k = N / 2; k; k /= 2)                                                   \
            x = P##_##op##_##t(x, P##_turn_##t(x, k));                                   \
        return x;                                                                        \
    }

#define LANES_COMPARE(P, t)                                                              \
    LANES_COMPARE1(P, t, eq, ==)                                                         \
    LANES_COMPARE1(P, t, ne, !=)                                                         \
    LANES_COMPARE1(P, t, lt, <)                                                          \
    LANES_COMPARE1(P, t, le, <=)                                                         \
    LANES_COMPARE1(P, t, gt, >)                                                          \
    LANES_COMPARE1(P, t, ge, >=)
#define LANES_COMPARE1(P, t, name, op)                                                   \
    VINLINE P##_b P##_##name##_##t(P##_##t x, P##_##t y)                                 \
    {                                                                                    \
        P##_m##t c = x op y;                                                             \
        LANES_KEEP(c);                                                                   \
        return __builtin_convertvector(c, P##_b);                                        \
    }
#define LANES_EACH2(P, N, t, name, expr)                                                 \
    VINLINE P##_##t P##_##name##_##t(P##_##t v, P##_##t w)                               \
    {                                                                                    \
        for (int i = 0; i < N; i++) {                                                    \
            __typeof__(v[0]) x = v[i], y = w[i];                                         \
            v[i] = expr;                                                                 \
        }                                                                                \
        return v;                                                                        \
    }

/* Ops that say in C what they are (Lower in ir.h), one lane at a time. */
#define LANES_REAL1(P, N, t, name, expr)                                                 \
    VINLINE P##_##t P##_##name##_##t(P##_##t v)                                          \
    {                                                                                    \
        typedef __typeof__(v[0]) T;                                                      \
        for (int i = 0; i < N; i++) {                                                    \
            double x = (double)v[i];                                                     \
            v[i] = (T)(expr);                                                            \
        }                                                                                \
        return v;                                                                        \
    }
#define LANES_REAL2(P, N, t, name, expr)                                                 \
    VINLINE P##_##t P##_##name##_##t(P##_##t v, P##_##t u)                               \
    {                                                                                    \
        typedef __typeof__(v[0]) T;                                                      \
        for (int i = 0; i < N; i++) {                                                    \
            double x = (double)v[i], y = (double)u[i];                                   \
            v[i] = (T)(expr);                                                            \
        }                                                                                \
        return v;                                                                        \
    }
#define LANES_WHOLE1(P, N, t, name, expr)                                                \
    VINLINE P##_##t P##_##name##_##t(P##_##t v)                                          \
    {                                                                                    \
        typedef __typeof__(v[0]) T;                                                      \
        const unsigned w = 8 * sizeof(T);                                                \
        for (int i = 0; i < N; i++) {                                                    \
            uint64_t x = (uint64_t)v[i];                                                 \
            (void)w;                                                                     \
            v[i] = (T)(expr);                                                            \
        }                                                                                \
        return v;                                                                        \
    }
#define LANES_WHOLE2(P, N, t, name, expr)                                                \
    VINLINE P##_##t P##_##name##_##t(P##_##t v, P##_##t u)                               \
    {                                                                                    \
        typedef __typeof__(v[0]) T;                                                      \
        const unsigned w = 8 * sizeof(T);                                                \
        for (int i = 0; i < N; i++) {                                                    \
            uint64_t x = (uint64_t)v[i], y = (uint64_t)u[i];                             \
            (void)w;                                                                     \
            v[i] = (T)(expr);                                                            \
        }                                                                                \
        return v;                                                                        \
    }

/* ---- floats ------------------------------------------------------------------------ */

/* The larger and the smaller: NaN wins; +0 is larger than -0. Where there is an instruction
 * that orders zeros, NaN is put in by a sum. */
#define LANES_RANGE_PLAIN(P, t)                                                          \
    VINLINE P##_##t P##_max_##t(P##_##t x, P##_##t y)                                    \
    {                                                                                    \
        P##_##t z = P##_pick_##t(x > y, x, y);                                           \
        z = P##_pick_##t(x == y, (P##_##t)((P##_m##t)x & (P##_m##t)y), z);               \
        return P##_pick_##t(x != x, x, z);                                               \
    }                                                                                    \
    VINLINE P##_##t P##_min_##t(P##_##t x, P##_##t y)                                    \
    {                                                                                    \
        P##_##t z = P##_pick_##t(x < y, x, y);                                           \
        z = P##_pick_##t(x == y, (P##_##t)((P##_m##t)x | (P##_m##t)y), z);               \
        return P##_pick_##t(x != x, x, z);                                               \
    }
#if KERNEL_ISA == 2 && !defined(__clang__)
#define LANES_RANGE_BUILTIN(P, t, name, which, s, M)                                     \
    VINLINE P##_##t P##_##name##_##t(P##_##t x, P##_##t y)                               \
    {                                                                                    \
        P##_##t z = (P##_##t)__builtin_ia32_range##s##512_mask(x, y, which, x, (M)-1, 4); \
        M nan = __builtin_ia32_cmp##s##512_mask(x, y, 3, (M)-1, 4);                      \
        return (P##_##t)__builtin_ia32_add##s##512_mask(x, y, z, nan, 4);                \
    }
#define LANES_RANGE_s_f32(P, t)                                                          \
    LANES_RANGE_BUILTIN(P, t, max, 5, ps, unsigned short)                                \
    LANES_RANGE_BUILTIN(P, t, min, 4, ps, unsigned short)
#define LANES_RANGE_d_f64(P, t)                                                          \
    LANES_RANGE_BUILTIN(P, t, max, 5, pd, unsigned char)                                 \
    LANES_RANGE_BUILTIN(P, t, min, 4, pd, unsigned char)
#else
#define LANES_RANGE_s_f32 LANES_RANGE_PLAIN
#define LANES_RANGE_d_f64 LANES_RANGE_PLAIN
#endif
#define LANES_RANGE_s_f64 LANES_RANGE_PLAIN
#define LANES_RANGE_d_f32 LANES_RANGE_PLAIN

/* The same of a number c that is known, finite and, but for not_below_0, not 0; NaN and, where both are zeros, +0 win. The
 * instruction gives its second operand where either is NaN or both are zeros. */
#if KERNEL_ISA == 2 && !defined(__clang__)
#define VMOST_F(x, y)  __builtin_ia32_maxps512_mask(x, y, x, (unsigned short)-1, 4)
#define VLEAST_F(x, y) __builtin_ia32_minps512_mask(x, y, x, (unsigned short)-1, 4)
#elif KERNEL_ISA == 1
#define VMOST_F(x, y)  __builtin_ia32_maxps256(x, y)
#define VLEAST_F(x, y) __builtin_ia32_minps256(x, y)
#endif
#define LANES_KNOWN_BY(P)                                                                \
    VINLINE P##_f32 P##_at_least_f32(P##_f32 x, P##_f32 c) { return (P##_f32)VMOST_F(c, x); } \
    VINLINE P##_f32 P##_at_most_f32(P##_f32 x, P##_f32 c) { return (P##_f32)VLEAST_F(c, x); } \
    VINLINE P##_f32 P##_not_below_0_f32(P##_f32 x, P##_f32 c) { return (P##_f32)VMOST_F(c, x) + 0.0f; } \
    VINLINE P##_f32 P##_between_f32(P##_f32 x, P##_f32 lo, P##_f32 hi)                   \
    {                                                                                    \
        return (P##_f32)VLEAST_F((P##_f32)VMOST_F(x, lo), hi);                           \
    }
#define LANES_KNOWN_PLAIN(P)                                                             \
    VINLINE P##_f32 P##_at_least_f32(P##_f32 x, P##_f32 c) { return P##_max_f32(x, c); } \
    VINLINE P##_f32 P##_at_most_f32(P##_f32 x, P##_f32 c) { return P##_min_f32(x, c); }  \
    VINLINE P##_f32 P##_not_below_0_f32(P##_f32 x, P##_f32 c) { return P##_max_f32(x, c); } \
    VINLINE P##_f32 P##_between_f32(P##_f32 x, P##_f32 lo, P##_f32 hi)                   \
    {                                                                                    \
        x = P##_pick_f32(x > lo, x, lo);                                                 \
        return P##_pick_f32(x < hi, x, hi);                                              \
    }
#if defined(VMOST_F)
#define LANES_KNOWN_s_f32(P) LANES_KNOWN_BY(P)
#else
#define LANES_KNOWN_s_f32(P) LANES_KNOWN_PLAIN(P)
#endif
#define LANES_KNOWN_d_f32(P) LANES_KNOWN_PLAIN(P)
#define LANES_KNOWN_s_f64(P)
#define LANES_KNOWN_d_f64(P)

/* To integers, by one instruction where whole vectors have it. big: from here on all numbers are integers. */
#define LANES_ROUND_PLAIN(P, t, big)                                                     \
    VINLINE P##_##t P##_round_##t(P##_##t x)                                             \
    {                                                                                    \
        P##_##t b = P##_signed_##t(P##_splat_##t(big), x);                               \
        P##_##t r = P##_signed_##t((x + b) - b, x);                                      \
        return P##_pick_##t(P##_abs_##t(x) < big, r, x);                                 \
    }                                                                                    \
    VINLINE P##_##t P##_floor_##t(P##_##t x)                                             \
    {                                                                                    \
        P##_##t r = P##_round_##t(x);                                                    \
        return P##_signed_##t(P##_pick_##t(r > x, r - 1, r), x);                         \
    }                                                                                    \
    VINLINE P##_##t P##_ceil_##t(P##_##t x)                                              \
    {                                                                                    \
        P##_##t r = P##_round_##t(x);                                                    \
        return P##_signed_##t(P##_pick_##t(r < x, r + 1, r), x);                         \
    }
#define LANES_ROUND_BY(P, t, AT)                                                         \
    VINLINE P##_##t P##_round_##t(P##_##t x) { return (P##_##t)AT(x, 0); }               \
    VINLINE P##_##t P##_floor_##t(P##_##t x) { return (P##_##t)AT(x, 1); }               \
    VINLINE P##_##t P##_ceil_##t(P##_##t x) { return (P##_##t)AT(x, 2); }
#if KERNEL_ISA == 2 && !defined(__clang__)
#define ROUND_F(x, how)              __builtin_ia32_rndscaleps_mask(x, how, x, (unsigned short)-1, 4)
#define ROUND_D(x, how)              __builtin_ia32_rndscalepd_mask(x, how, x, (unsigned char)-1, 4)
#define LANES_ROUND_s_f32(P, t, big) LANES_ROUND_BY(P, t, ROUND_F)
#define LANES_ROUND_d_f64(P, t, big) LANES_ROUND_BY(P, t, ROUND_D)
#elif KERNEL_ISA == 1 && !defined(__clang__)
#define LANES_ROUND_s_f32(P, t, big) LANES_ROUND_BY(P, t, __builtin_ia32_roundps256)
#define LANES_ROUND_d_f64(P, t, big) LANES_ROUND_BY(P, t, __builtin_ia32_roundpd256)
#else
#define LANES_ROUND_s_f32 LANES_ROUND_PLAIN
#define LANES_ROUND_d_f64 LANES_ROUND_PLAIN
#endif
#define LANES_ROUND_s_f64 LANES_ROUND_PLAIN
#define LANES_ROUND_d_f32 LANES_ROUND_PLAIN

#define LANES_FLOAT(P, N, t, T, I, sign, big, S)                                         \
    LANES_TYPE(P, N, t, T, I)                                                            \
    LANES_COMPARE(P, t)                                                                  \
    VINLINE P##_##t P##_bits_##t(I x) { return (P##_##t)((P##_m##t){0} + x); }           \
    VINLINE P##_##t P##_neg_##t(P##_##t x) { return (P##_##t)((P##_m##t)x ^ sign); }     \
    VINLINE P##_##t P##_abs_##t(P##_##t x) { return (P##_##t)((P##_m##t)x & ~sign); }    \
    VINLINE P##_##t P##_signed_##t(P##_##t x, P##_##t s)                                 \
    {                                                                                    \
        return (P##_##t)(((P##_m##t)x & ~sign) | ((P##_m##t)s & sign));                  \
    }                                                                                    \
    VINLINE P##_##t P##_sign_##t(P##_##t x)                                              \
    {                                                                                    \
        P##_##t one = P##_signed_##t(P##_splat_##t(1), x);                               \
        return P##_pick_##t((x > 0) | (x < 0), one, x);                                  \
    }                                                                                    \
    VINLINE P##_##t P##_add_##t(P##_##t x, P##_##t y) { return x + y; }                  \
    VINLINE P##_##t P##_sub_##t(P##_##t x, P##_##t y) { return x - y; }                  \
    VINLINE P##_##t P##_mul_##t(P##_##t x, P##_##t y) { return x * y; }                  \
    VINLINE P##_##t P##_div_##t(P##_##t x, P##_##t y) { return x / y; }                  \
    LANES_RANGE_##P##_##t(P, t)                                                          \
    LANES_KNOWN_##P##_##t(P)                                                             \
    VINLINE P##_##t P##_clamp_##t(P##_##t lo, P##_##t x, P##_##t hi)                     \
    {                                                                                    \
        return P##_min_##t(P##_max_##t(x, lo), hi);                                      \
    }                                                                                    \
    LANES_ROUND_##P##_##t(P, t, big)                                                     \
    VINLINE P##_b P##_is_finite_##t(P##_##t x)                                           \
    {                                                                                    \
        P##_m##t c = (x - x) == 0;                                                       \
        LANES_KEEP(c);                                                                   \
        return __builtin_convertvector(c, P##_b);                                        \
    }                                                                                    \
    LANES_EACH2(P, N, t, rem, S(fmod)(x, y))                                             \
    LANES_FOLD(P, N, add, t, P##_##t, T)                                                 \
    LANES_FOLD(P, N, mul, t, P##_##t, T)                                                 \
    LANES_FOLD(P, N, max, t, P##_##t, T)                                                 \
    LANES_FOLD(P, N, min, t, P##_##t, T)

#define LANES_S_F(x) x##f
#define LANES_S_D(x) x

/* The library's functions on whole vectors, and on half of one. */
#define LANES_CALL_F(P, t, f)                                                            \
    VINLINE P##_##t P##_##f##_##t(P##_##t x) { return (P##_##t)vf_##f((VF)x); }
#define LANES_CALL_H(P, t, f)                                                            \
    VINLINE P##_##t P##_##f##_##t(P##_##t x)                                             \
    {                                                                                    \
        return (P##_##t)vf_low(vf_##f(vf_join((VH)x, (VH)x)));                           \
    }
#define LANES_CALL_D(P, t, f)                                                            \
    VINLINE P##_##t P##_##f##_##t(P##_##t x) { return (P##_##t)vd_##f((VD)x); }

#define LANES_F32(P, N)                                                                  \
    LANES_FLOAT(P, N, f32, float, int32_t, INT32_MIN, 0x1p23f, LANES_S_F)                \
    LANES_MEM4_##P(P, N, f32, float) LANES_F32_##P
#define LANES_F32_s                                                                      \
    VMATH_OPS(LANES_CALL_F, s, f32)                                                    \
    VINLINE s_f32 s_pow_f32(s_f32 x, s_f32 y) { return (s_f32)vf_pow((VF)x, (VF)y); }
#define LANES_F32_d                                                                      \
    VMATH_OPS(LANES_CALL_H, d, f32)                                                    \
    VINLINE d_f32 d_pow_f32(d_f32 x, d_f32 y)                                            \
    {                                                                                    \
        return (d_f32)vf_low(vf_pow(vf_join((VH)x, (VH)x), vf_join((VH)y, (VH)y)));      \
    }
#define LANES_F64(P, N)                                                                  \
    LANES_FLOAT(P, N, f64, double, int64_t, INT64_MIN, 0x1p52, LANES_S_D)                \
    LANES_MEM8_##P(P, N, f64, double) LANES_EACH2(P, N, f64, pow, pow(x, y)) LANES_F64_##P
#define LANES_F64_s
#define LANES_F64_d VMATH_OPS(LANES_CALL_D, d, f64)

/* ---- half floats: as in half.h, many at a time ------------------------------------- */

#define LANES_HALF(P, N)                                                                 \
    typedef uint16_t P##_h __attribute__((vector_size(N * 2)));                          \
    typedef uint32_t P##_hu __attribute__((vector_size(N * 4)));                         \
    typedef int32_t P##_hi __attribute__((vector_size(N * 4)));                          \
    LANES_PLAIN(P, N, h, uint16_t)                                                       \
    VINLINE P##_hu P##_hpick(P##_hi c, P##_hu x, P##_hu y)                               \
    {                                                                                    \
        return ((P##_hu)c & x) | (~(P##_hu)c & y);                                       \
    }                                                                                    \
    VINLINE P##_f32 P##_of_f16(P##_h h)                                                  \
    {                                                                                    \
        P##_hu u = __builtin_convertvector(h, P##_hu), sign = (u & 0x8000u) << 16;       \
        P##_hu mag = (u & 0x7fffu) << 13;                                                \
        P##_hu special = (P##_hu)(mag >= 0x0f800000u) & 0x7f800000u;                     \
        return (P##_f32)((P##_hu)((P##_f32)mag * 0x1p112f) | special | sign);            \
    }                                                                                    \
    VINLINE P##_h P##_to_f16(P##_f32 x)                                                  \
    {                                                                                    \
        P##_hu u = (P##_hu)x, sign = (u >> 16) & 0x8000u, mag = u & 0x7fffffffu;         \
        P##_hu small = (P##_hu)((P##_f32)mag + 0.5f) - 0x3f000000u;                      \
        P##_hu normal = (mag + 0x0fffu + ((mag >> 13) & 1u) - 0x38000000u) >> 13;        \
        P##_hu r = P##_hpick(mag < 0x38800000u, small, normal);                          \
        r = P##_hpick(mag >= 0x47800000u, (P##_hu){0} + 0x7c00u, r);                     \
        r = P##_hpick(mag > 0x7f800000u, 0x7e00u | (mag >> 13 & 0x3ffu), r);             \
        return __builtin_convertvector(r | sign, P##_h);                                 \
    }                                                                                    \
    VINLINE P##_f32 P##_of_bf16(P##_h h)                                                 \
    {                                                                                    \
        return (P##_f32)(__builtin_convertvector(h, P##_hu) << 16);                      \
    }                                                                                    \
    VINLINE P##_h P##_to_bf16(P##_f32 x)                                                 \
    {                                                                                    \
        P##_hu u = (P##_hu)x, r = (u + 0x7fffu + ((u >> 16) & 1u)) >> 16;                \
        r = P##_hpick((u & 0x7fffffffu) > 0x7f800000u, (u >> 16) | 0x40u, r);            \
        return __builtin_convertvector(r, P##_h);                                        \
    }                                                                                    \
    LANES_HALF1(P, N, f16)                                                               \
    LANES_HALF1(P, N, bf16)
#define LANES_HALF1(P, N, t)                                                             \
    VINLINE P##_f32 P##_narrow_##t(P##_f32 x) { return P##_of_##t(P##_to_##t(x)); }      \
    VINLINE P##_f32 P##_splat_##t(uint16_t x) { return P##_of_##t((P##_h){0} + x); }     \
    VINLINE uint16_t P##_first_##t(P##_f32 x) { return P##_to_##t(x)[0]; }               \
    VINLINE P##_f32 P##_ld_##t(const uint16_t *p, int m)                                 \
    {                                                                                    \
        return P##_of_##t(P##_ld_h(p, m));                                               \
    }                                                                                    \
    VINLINE P##_f32 P##_lds_##t(const uint16_t *p, int64_t s, int m)                     \
    {                                                                                    \
        P##_h x = {0};                                                                   \
        for (int i = 0; i < m; i++)                                                      \
            x[i] = p[i * s];                                                             \
        return P##_of_##t(x);                                                            \
    }                                                                                    \
    VINLINE void P##_st_##t(uint16_t *p, int m, P##_f32 x)                               \
    {                                                                                    \
        P##_st_h(p, m, P##_to_##t(x));                                                   \
    }                                                                                    \
    VINLINE void P##_sts_##t(uint16_t *p, int64_t s, int m, P##_f32 x)                   \
    {                                                                                    \
        P##_h h = P##_to_##t(x);                                                         \
        for (int i = 0; i < m; i++)                                                      \
            p[i * s] = h[i];                                                             \
    }

/* ---- integers: modulo 2^width ------------------------------------------------------ */

/* By 0: all bits set, and the dividend; the most negative number by -1: itself. */
#define INT_QUOTIENT(T, x, y)                                                            \
    ((y) == 0 ? (T) ~(T)0 : (T)-1 < 0 && (y) == (T)-1 ? (T)(0 - (x)) : (T)((x) / (y)))
#define INT_REMAINDER(T, x, y)                                                           \
    ((y) == 0 ? (x) : (T)-1 < 0 && (y) == (T)-1 ? (T)0 : (T)((x) % (y)))
VINLINE uint64_t int_power(int64_t x, int64_t y, int is_signed)
{
    uint64_t r = 1, b = (uint64_t)x;

    if (is_signed && y < 0)
        return x == -1 ? (y & 1 ? (uint64_t)x : 1) : x == 1;
    for (uint64_t e = (uint64_t)y; e; e >>= 1, b *= b)
        if (e & 1)
            r *= b;
    return r;
}

/* Masks of x < y and x == y. Vectors beyond a register are compared by their bits (the
 * sign of the difference where the signs are equal), for gcc 12 compares those lane by
 * lane. */
#define LANES_ORDER(P, t, T)                                                             \
    VINLINE P##_m##t P##_less_##t(P##_##t x, P##_##t y)                                  \
    {                                                                                    \
        P##_m##t c = x < y;                                                              \
        LANES_KEEP(c);                                                                   \
        return c;                                                                        \
    }                                                                                    \
    VINLINE P##_m##t P##_same_##t(P##_##t x, P##_##t y)                                  \
    {                                                                                    \
        P##_m##t c = x == y;                                                             \
        LANES_KEEP(c);                                                                   \
        return c;                                                                        \
    }
#define LANES_ORDER_WIDE(P, t, T)                                                        \
    VINLINE P##_m##t P##_less_##t(P##_##t x, P##_##t y)                                  \
    {                                                                                    \
        P##_u##t a = (P##_u##t)((T)-1 < 0 ? x : y), b = (P##_u##t)((T)-1 < 0 ? y : x);   \
        P##_u##t d = (P##_u##t)x - (P##_u##t)y;                                          \
        return (P##_m##t)((a & ~b) | (~(a ^ b) & d)) >> 63;                              \
    }                                                                                    \
    VINLINE P##_m##t P##_same_##t(P##_##t x, P##_##t y)                                  \
    {                                                                                    \
        P##_u##t d = (P##_u##t)(x ^ y);                                                  \
        return ~((P##_m##t)(d | (0 - d)) >> 63);                                         \
    }
#define LANES_ORDER8_s LANES_ORDER_WIDE
#define LANES_ORDER8_d LANES_ORDER
#define LANES_COMPARE_INT1(P, t, name, mask)                                             \
    VINLINE P##_b P##_##name##_##t(P##_##t x, P##_##t y)                                 \
    {                                                                                    \
        return __builtin_convertvector(mask, P##_b);                                     \
    }
#define LANES_COMPARE_INT(P, t)                                                          \
    LANES_COMPARE_INT1(P, t, eq, P##_same_##t(x, y))                                     \
    LANES_COMPARE_INT1(P, t, ne, ~P##_same_##t(x, y))                                    \
    LANES_COMPARE_INT1(P, t, lt, P##_less_##t(x, y))                                     \
    LANES_COMPARE_INT1(P, t, le, ~P##_less_##t(y, x))                                    \
    LANES_COMPARE_INT1(P, t, gt, P##_less_##t(y, x))                                     \
    LANES_COMPARE_INT1(P, t, ge, ~P##_less_##t(x, y))
#define LANES_INT(P, N, t, T, U, I, O)                                                   \
    LANES_TYPE(P, N, t, T, I)                                                            \
    typedef U P##_u##t __attribute__((vector_size(N * sizeof(T))));                      \
    O(P, t, T) LANES_COMPARE_INT(P, t)                                                   \
    VINLINE P##_##t P##_neg_##t(P##_##t x) { return (P##_##t)(0 - (P##_u##t)x); }        \
    VINLINE P##_o P##_at_##t(P##_##t x, int64_t n, int64_t step, int64_t from, int64_t by) \
    {                                                                                    \
        P##_o at;                                                                        \
        for (int i = 0; i < N; i++) {                                                    \
            int64_t row = (int64_t)x[i];                                                 \
            row = row < 0 ? 0 : row < n ? row : n - 1;                                   \
            at[i] = row * step + from + by * i;                                          \
        }                                                                                \
        return at;                                                                       \
    }                                                                                    \
    VINLINE P##_b P##_inside_##t(P##_##t x, int64_t n)                                   \
    {                                                                                    \
        P##_b b;                                                                         \
        for (int i = 0; i < N; i++)                                                      \
            b[i] = (int64_t)x[i] >= 0 && (int64_t)x[i] < n ? -1 : 0;                     \
        return b;                                                                        \
    }                                                                                    \
    VINLINE P##_##t P##_not_##t(P##_##t x) { return ~x; }                                \
    VINLINE P##_##t P##_abs_##t(P##_##t x)                                               \
    {                                                                                    \
        return P##_pick_##t(P##_less_##t(x, (P##_##t){0}), P##_neg_##t(x), x);           \
    }                                                                                    \
    VINLINE P##_##t P##_sign_##t(P##_##t x)                                              \
    {                                                                                    \
        P##_##t zero = {0};                                                              \
        return (P##_##t)(P##_less_##t(x, zero) - P##_less_##t(zero, x));                 \
    }                                                                                    \
    VINLINE P##_##t P##_add_##t(P##_##t x, P##_##t y)                                    \
    {                                                                                    \
        return (P##_##t)((P##_u##t)x + (P##_u##t)y);                                     \
    }                                                                                    \
    VINLINE P##_##t P##_sub_##t(P##_##t x, P##_##t y)                                    \
    {                                                                                    \
        return (P##_##t)((P##_u##t)x - (P##_u##t)y);                                     \
    }                                                                                    \
    VINLINE P##_##t P##_mul_##t(P##_##t x, P##_##t y)                                    \
    {                                                                                    \
        return (P##_##t)((P##_u##t)x * (P##_u##t)y);                                     \
    }                                                                                    \
    VINLINE P##_##t P##_and_##t(P##_##t x, P##_##t y) { return x & y; }                  \
    VINLINE P##_##t P##_or_##t(P##_##t x, P##_##t y) { return x | y; }                   \
    VINLINE P##_##t P##_xor_##t(P##_##t x, P##_##t y) { return x ^ y; }                  \
    VINLINE P##_##t P##_max_##t(P##_##t x, P##_##t y)                                    \
    {                                                                                    \
        return P##_pick_##t(P##_less_##t(x, y), y, x);                                   \
    }                                                                                    \
    VINLINE P##_##t P##_min_##t(P##_##t x, P##_##t y)                                    \
    {                                                                                    \
        return P##_pick_##t(P##_less_##t(y, x), y, x);                                   \
    }                                                                                    \
    VINLINE P##_##t P##_clamp_##t(P##_##t lo, P##_##t x, P##_##t hi)                     \
    {                                                                                    \
        return P##_min_##t(P##_max_##t(x, lo), hi);                                      \
    }                                                                                    \
    VINLINE P##_##t P##_shl_##t(P##_##t x, P##_##t y)                                    \
    {                                                                                    \
        P##_u##t s = (P##_u##t)y;                                                        \
        P##_m##t in = s < 8 * sizeof(T);                                                 \
        return (P##_##t)(((P##_u##t)x << (s & (8 * sizeof(T) - 1))) & (P##_u##t)in);     \
    }                                                                                    \
    VINLINE P##_##t P##_shr_logical_##t(P##_##t x, P##_##t y)                            \
    {                                                                                    \
        P##_u##t s = (P##_u##t)y;                                                        \
        P##_m##t in = s < 8 * sizeof(T);                                                 \
        return (P##_##t)(((P##_u##t)x >> (s & (8 * sizeof(T) - 1))) & (P##_u##t)in);     \
    }                                                                                    \
    VINLINE P##_##t P##_shr_arith_##t(P##_##t x, P##_##t y)                              \
    {                                                                                    \
        P##_u##t s = (P##_u##t)y, most = (P##_u##t){0} + (8 * sizeof(T) - 1);            \
        P##_m##t in = s < 8 * sizeof(T);                                                 \
        s = ((P##_u##t)in & s) | (~(P##_u##t)in & most);                                 \
        return (P##_##t)((P##_m##t)x >> (P##_m##t)s);                                    \
    }                                                                                    \
    LANES_EACH2(P, N, t, div, INT_QUOTIENT(T, x, y))                                     \
    LANES_EACH2(P, N, t, rem, INT_REMAINDER(T, x, y))                                    \
    LANES_EACH2(P, N, t, pow, (T)int_power((int64_t)x, (int64_t)y, (T)-1 < 0))           \
    LANES_FOLD(P, N, add, t, P##_##t, T)                                                 \
    LANES_FOLD(P, N, mul, t, P##_##t, T)                                                 \
    LANES_FOLD(P, N, max, t, P##_##t, T)                                                 \
    LANES_FOLD(P, N, min, t, P##_##t, T)                                                 \
    LANES_FOLD(P, N, and, t, P##_##t, T)                                                 \
    LANES_FOLD(P, N, or, t, P##_##t, T)
#define LANES_I8(P, N)                                                                   \
    LANES_INT(P, N, i8, int8_t, uint8_t, int8_t, LANES_ORDER)                            \
    LANES_MEM1_##P(P, N, i8, int8_t)
#define LANES_U8(P, N)                                                                   \
    LANES_INT(P, N, u8, uint8_t, uint8_t, int8_t, LANES_ORDER)                           \
    LANES_MEM1_##P(P, N, u8, uint8_t)
#define LANES_I16(P, N)                                                                  \
    LANES_INT(P, N, i16, int16_t, uint16_t, int16_t, LANES_ORDER)                        \
    LANES_PLAIN(P, N, i16, int16_t)
#define LANES_U16(P, N)                                                                  \
    LANES_INT(P, N, u16, uint16_t, uint16_t, int16_t, LANES_ORDER)                       \
    LANES_PLAIN(P, N, u16, uint16_t)
#define LANES_I32(P, N)                                                                  \
    LANES_INT(P, N, i32, int32_t, uint32_t, int32_t, LANES_ORDER)                        \
    LANES_MEM4_##P(P, N, i32, int32_t)
#define LANES_U32(P, N)                                                                  \
    LANES_INT(P, N, u32, uint32_t, uint32_t, int32_t, LANES_ORDER)                       \
    LANES_MEM4_##P(P, N, u32, uint32_t)                                                  \
    LANES_RANDOM(P, N)
#define LANES_I64(P, N)                                                                  \
    LANES_INT(P, N, i64, int64_t, uint64_t, int64_t, LANES_ORDER8_##P)                   \
    LANES_MEM8_##P(P, N, i64, int64_t)
#define LANES_U64(P, N)                                                                  \
    LANES_INT(P, N, u64, uint64_t, uint64_t, int64_t, LANES_ORDER8_##P)                  \
    LANES_MEM8_##P(P, N, u64, uint64_t)

/* ---- random bits, as in op_random.c ------------------------------------------------ */

#define THREEFRY_ROUND(a, c, s) (a += c, c = (c << s | c >> (32 - s)) ^ a)
#define THREEFRY_GROUP(a, c, p, q, r, s, x, y)                                           \
    (THREEFRY_ROUND(a, c, p), THREEFRY_ROUND(a, c, q), THREEFRY_ROUND(a, c, r),          \
     THREEFRY_ROUND(a, c, s), a += x, c += y)
#define LANES_RANDOM(P, N)                                                               \
    VINLINE void P##_threefry2x32_u32(P##_u32 *out, P##_u32 k0, P##_u32 k1, P##_u32 a,   \
                                      P##_u32 c)                                         \
    {                                                                                    \
        P##_u32 k2 = k0 ^ k1 ^ 0x1BD11BDAu;                                              \
        a += k0, c += k1;                                                                \
        THREEFRY_GROUP(a, c, 13, 15, 26, 6, k1, k2 + 1u);                                \
        THREEFRY_GROUP(a, c, 17, 29, 16, 24, k2, k0 + 2u);                               \
        THREEFRY_GROUP(a, c, 13, 15, 26, 6, k0, k1 + 3u);                                \
        THREEFRY_GROUP(a, c, 17, 29, 16, 24, k1, k2 + 4u);                               \
        THREEFRY_GROUP(a, c, 13, 15, 26, 6, k2, k0 + 5u);                                \
        out[0] = a, out[1] = c;                                                          \
    }                                                                                    \
    typedef uint64_t P##_product __attribute__((vector_size(N * 8)));                    \
    VINLINE void P##_philox4x32_u32(P##_u32 *out, P##_u32 k0, P##_u32 k1, P##_u32 a,     \
                                    P##_u32 b, P##_u32 c, P##_u32 d)                     \
    {                                                                                    \
        for (int round = 0; round < 10; round++) {                                       \
            P##_product p = __builtin_convertvector(a, P##_product) * 0xD2511F53u;       \
            P##_product q = __builtin_convertvector(c, P##_product) * 0xCD9E8D57u;       \
            a = __builtin_convertvector(q >> 32, P##_u32) ^ b ^ k0;                      \
            b = __builtin_convertvector(q, P##_u32);                                     \
            c = __builtin_convertvector(p >> 32, P##_u32) ^ d ^ k1;                      \
            d = __builtin_convertvector(p, P##_u32);                                     \
            k0 += 0x9E3779B9u, k1 += 0xBB67AE85u;                                        \
        }                                                                                \
        out[0] = a, out[1] = b, out[2] = c, out[3] = d;                                  \
    }

/* ---- casts ------------------------------------------------------------------------- */

/* A float v to an integer: towards zero, saturated, NaN to 0. lo, hi: the range. To 8 and 16 bits by
 * way of 32, inside the range before. */
#define TO_INTEGER(P, to, v, T, lo, hi, most)                                            \
    __builtin_choose_expr(sizeof(T) < 4, TO_SMALL(P, to, v, lo, hi), TO_WHOLE(P, to, v, T, lo, hi, most))
#define TO_SMALL(P, to, v, lo, hi)                                                       \
    ({                                                                                   \
        typedef __typeof__((v) + (v)) float_;                                            \
        typedef __typeof__((v) == (v)) mask_;                                            \
        typedef int32_t wide_ __attribute__((vector_size(4 * sizeof(v) / sizeof((v)[0])))); \
        float_ in_, lo_ = {0}, hi_ = {0};                                                \
        lo_ += (__typeof__(in_[0] + 0))(lo), hi_ += (__typeof__(in_[0] + 0))((hi) - 1);  \
        in_ = (float_)(((v) == (v)) & (mask_)(v));                                       \
        in_ = (float_)(((in_ > lo_) & (mask_)in_) | (~(in_ > lo_) & (mask_)lo_));        \
        in_ = (float_)(((in_ < hi_) & (mask_)in_) | (~(in_ < hi_) & (mask_)hi_));        \
        __builtin_convertvector(__builtin_convertvector(in_, wide_), P##_##to);          \
    })
/* The same of what lies between bounds within the range; between gives the lower one of NaN. */
#define TO_BYTES(P, to, v, lo, hi)                                                       \
    ({                                                                                   \
        typedef __typeof__((v) == (v)) mask_;                                            \
        typedef int32_t wide_ __attribute__((vector_size(4 * sizeof(v) / sizeof((v)[0])))); \
        P##_f32 in_ = P##_between_f32(v, P##_splat_f32(lo), P##_splat_f32(hi));          \
        if ((lo) != 0)                                                                   \
            in_ = (P##_f32)(((v) == (v)) & (mask_)in_);                                  \
        __builtin_convertvector(__builtin_convertvector(in_, wide_), P##_##to);          \
    })
#define TO_WHOLE(P, to, v, T, lo, hi, most)                                              \
    ({                                                                                   \
        P##_##to r_;                                                                     \
        for (int i = 0; i < (int)(sizeof r_ / sizeof r_[0]); i++)                        \
            r_[i] = v[i] != v[i]   ? (T)0                                                \
                    : v[i] >= (hi) ? (T)(most)                                           \
                    : v[i] <= (lo) ? (T) ~(T)(most)                                      \
                                   : (T)v[i];                                            \
        r_;                                                                              \
    })
