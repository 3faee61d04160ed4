/* k_pool.c -- windows over the two innermost axes, the common case of pooling: rows of
 * results at a time, vectors along them.
 *
 * Elements of a window are met in row-major order, as window.c does, so results are the
 * same: of equal maxima the first, NaN above all, f32 summed in f64.
 */
#include "nd.h"

#include <math.h>
#include <string.h>

#define POOL_INLINE static inline __attribute__((always_inline))
#define CHUNK       128 /* results at a time */

typedef struct Span { /* results of a row that the window's column k reaches */
    int64_t begin, end;
} Span;

POOL_INLINE int64_t up(int64_t a, int64_t b)
{
    return a > 0 ? (a + b - 1) / b : -(-a / b);
}

/* from..to-1: results; their places in x are o*stride + k*dilation - lo. */
POOL_INLINE Span span_of(const KPool *p, int64_t k, int64_t from, int64_t to)
{
    int64_t shift = k * p->dilation[1] - p->lo[1], s = p->stride[1];
    int64_t begin = up(-shift, s), end = up(p->x[1] - shift, s);

    return (Span){begin > from ? begin : from, end < to ? end : to};
}

/* best and at of results j: the larger of what they hold (at < 0: nothing) and x[j*s]. */
#define MAX_STEP(T, I)                                                                   \
    POOL_INLINE void max_step_##T(int64_t n, int64_t s, const T *x, int32_t place,       \
                                  T *best, I *at)                                        \
    {                                                                                    \
        for (int64_t j = 0; j < n; j++) {                                                \
            T v = x[j * s], top = best[j];                                               \
            I old = at[j];                                                               \
            int take = (old < 0) | ((top == top) & !(v <= top));                         \
                                                                                         \
            best[j] = take ? v : top;                                                    \
            at[j] = take ? (I)(place + (I)(j * s)) : old;                                \
        }                                                                                \
    }
MAX_STEP(float, int32_t)
MAX_STEP(double, int64_t)

#define SUM_STEP(T)                                                                      \
    POOL_INLINE void sum_step_##T(int64_t n, int64_t s, const T *x, double *sum)         \
    {                                                                                    \
        for (int64_t j = 0; j < n; j++)                                                  \
            sum[j] += (double)x[j * s];                                                  \
    }
SUM_STEP(float)
SUM_STEP(double)

/* Strides 1 and 2 as constants, so that loads are vectors. */
#define BY_STRIDE(call, s)                                                               \
    do {                                                                                 \
        if ((s) == 1)                                                                    \
            call(1);                                                                     \
        else if ((s) == 2)                                                               \
            call(2);                                                                     \
        else                                                                             \
            call(s);                                                                     \
    } while (0)

/* One row of results, from..to-1, `row` of y: for each element of the window in turn. */
#define ROW(NAME, T, STEP)                                                               \
    for (int64_t i = 0; i < p->window[0]; i++) {                                         \
        int64_t r = row * p->stride[0] + i * p->dilation[0] - p->lo[0];                  \
                                                                                         \
        if (r < 0 || r >= p->x[0])                                                       \
            continue;                                                                    \
        for (int64_t k = 0; k < p->window[1]; k++) {                                     \
            Span n = span_of(p, k, from, to);                                            \
            int64_t at =                                                                 \
                r * p->x[1] + n.begin * p->stride[1] + k * p->dilation[1] - p->lo[1];    \
                                                                                         \
            if (n.begin < n.end)                                                         \
                BY_STRIDE(STEP, p->stride[1]);                                           \
        }                                                                                \
    }

#define MAX_ROW(T, I)                                                                    \
    static void max_row_##T(const KPool *p, const T *x, int64_t row, int64_t from,       \
                            int64_t to, T *y, int64_t *place, int64_t base)              \
    {                                                                                    \
        T best[CHUNK];                                                                   \
        I at_of[CHUNK];                                                                  \
                                                                                         \
        for (int64_t j = 0; j < to - from; j++) {                                        \
            best[j] = -(T)INFINITY;                                                      \
            at_of[j] = -1;                                                               \
        }                                                                                \
        ROW(max, T, MAX_CALL_##T)                                                        \
        memcpy(y, best, (size_t)(to - from) * sizeof *y);                                \
        for (int64_t j = 0; j < to - from; j++)                                          \
            place[j] = at_of[j] < 0 ? -1 : base + at_of[j];                              \
    }
#define MAX_CALL_float(s)                                                                \
    max_step_float(n.end - n.begin, s, x + at, (int32_t)at, best + (n.begin - from),     \
                   at_of + (n.begin - from))
#define MAX_CALL_double(s)                                                               \
    max_step_double(n.end - n.begin, s, x + at, (int32_t)at, best + (n.begin - from),    \
                    at_of + (n.begin - from))
MAX_ROW(float, int32_t)
MAX_ROW(double, int64_t)

#define SUM_ROW(T)                                                                       \
    static void sum_row_##T(const KPool *p, const T *x, int64_t row, int64_t from,       \
                            int64_t to, T *y)                                            \
    {                                                                                    \
        double sum[CHUNK] = {0};                                                         \
                                                                                         \
        ROW(sum, T, SUM_CALL_##T)                                                        \
        for (int64_t j = 0; j < to - from; j++)                                          \
            y[j] = (T)sum[j];                                                            \
    }
#define SUM_CALL_float(s)                                                                \
    sum_step_float(n.end - n.begin, s, x + at, sum + (n.begin - from))
#define SUM_CALL_double(s)                                                               \
    sum_step_double(n.end - n.begin, s, x + at, sum + (n.begin - from))
SUM_ROW(float)
SUM_ROW(double)

/* Planes first..last-1. */
#define PLANES(T)                                                                        \
    static void pool_max_##T(const KPool *p, int64_t first, int64_t last, const void *x, \
                             void *y, int64_t *place)                                    \
    {                                                                                    \
        int64_t xs = p->x[0] * p->x[1], ys = p->y[0] * p->y[1];                          \
                                                                                         \
        for (int64_t q = first; q < last; q++)                                           \
            for (int64_t row = 0; row < p->y[0]; row++)                                  \
                for (int64_t from = 0; from < p->y[1]; from += CHUNK) {                  \
                    int64_t to = from + CHUNK < p->y[1] ? from + CHUNK : p->y[1];        \
                    int64_t out = q * ys + row * p->y[1] + from;                         \
                                                                                         \
                    max_row_##T(p, (const T *)x + q * xs, row, from, to, (T *)y + out,   \
                                place + out, q * xs);                                    \
                }                                                                        \
    }                                                                                    \
    static void pool_sum_##T(const KPool *p, int64_t first, int64_t last, const void *x, \
                             void *y, int64_t *place)                                    \
    {                                                                                    \
        int64_t xs = p->x[0] * p->x[1], ys = p->y[0] * p->y[1];                          \
                                                                                         \
        (void)place;                                                                     \
        for (int64_t q = first; q < last; q++)                                           \
            for (int64_t row = 0; row < p->y[0]; row++)                                  \
                for (int64_t from = 0; from < p->y[1]; from += CHUNK) {                  \
                    int64_t to = from + CHUNK < p->y[1] ? from + CHUNK : p->y[1];        \
                                                                                         \
                    sum_row_##T(p, (const T *)x + q * xs, row, from, to,                 \
                                (T *)y + q * ys + row * p->y[1] + from);                 \
                }                                                                        \
    }
PLANES(float)
PLANES(double)

extern const KPools KERNEL_NAME(pools);
const KPools KERNEL_NAME(pools) = {pool_max_float, pool_max_double, pool_sum_float,
                                   pool_sum_double};
