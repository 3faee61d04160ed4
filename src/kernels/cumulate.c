/* cumulate.c -- running sums, products, extremes and the like along an axis.
 *
 * Lines are worked on side by side: along memory where the axis is not the last, and where
 * it is, so that no step waits for the one before it. Floats are combined in f64 and every
 * result rounded once. How lines are shared out depends on the shape alone. */
#include "base/base.h"
#include "stage.h"

#include <math.h>

#define WIDTH 64    /* lines side by side */
#define PART  32768 /* elements of a task, about */

typedef struct CumRun {
    const KCum *c;
    const char *x, *b;
    char *y;
    int64_t *place;
    int64_t lines, group;
} CumRun;

static double log_sum(double x, double y)
{
    double hi = x > y ? x : y, lo = x > y ? y : x;

    if (x != x || y != y)
        return x + y;
    return isinf(hi) ? hi : hi + log1p(exp(lo - hi));
}

#define AS_IS(v) (v)

/* w lines from element `first` on, `apart` elements from one to the next. STEP makes acc[l]
 * of it and v, element number k of its line (at the place `at` of the array). */
#define LINES(T, V, LOAD, STORE, STEP)                                                   \
    do {                                                                                 \
        V acc[WIDTH];                                                                    \
        for (int64_t k = 0; k < n; k++) {                                                \
            int64_t at = first + (c->reverse ? n - 1 - k : k) * c->inner;                \
            const T *a = (const T *)r->x + at;                                           \
            T *o = (T *)r->y + at;                                                       \
            for (int64_t l = 0; l < w; l++) {                                            \
                V v = (V)LOAD(a[l * apart]);                                             \
                acc[l] = k ? (V)(STEP) : v;                                              \
                o[l * apart] = (T)STORE(acc[l]);                                         \
            }                                                                            \
        }                                                                                \
    } while (0);                                                                         \
    break

/* clang-format off */
#define WHOLE_LINES(STEP)                                                                \
    case KT_I8:                                                                          \
    case KT_U8: LINES(uint8_t, uint8_t, AS_IS, AS_IS, STEP);                             \
    case KT_I16:                                                                         \
    case KT_U16: LINES(uint16_t, uint16_t, AS_IS, AS_IS, STEP);                          \
    case KT_I32:                                                                         \
    case KT_U32: LINES(uint32_t, uint32_t, AS_IS, AS_IS, STEP);                          \
    case KT_I64:                                                                         \
    case KT_U64: LINES(uint64_t, uint64_t, AS_IS, AS_IS, STEP)
#define REAL_LINES(STEP)                                                                 \
    case KT_F16: LINES(uint16_t, double, f16_to_f32, f16_from_f64, STEP);                \
    case KT_BF16: LINES(uint16_t, double, bf16_to_f32, bf16_from_f64, STEP);             \
    case KT_F32: LINES(float, double, AS_IS, AS_IS, STEP);                               \
    case KT_F64: LINES(double, double, AS_IS, AS_IS, STEP)
/* clang-format on */

static void sum_lines(const CumRun *r, int64_t first, int64_t w, int64_t apart)
{
    const KCum *c = r->c;
    int64_t n = c->n;

    switch (c->type) {
        WHOLE_LINES(acc[l] + v);
        REAL_LINES(acc[l] + v);
    case KT_BOOL: break;
    }
}

/* small unsigned numbers are multiplied as unsigned, not as int */
static void prod_lines(const CumRun *r, int64_t first, int64_t w, int64_t apart)
{
    const KCum *c = r->c;
    int64_t n = c->n;

    switch (c->type) {
        WHOLE_LINES((uint64_t)acc[l] * v);
        REAL_LINES(acc[l] * v);
    case KT_BOOL: break;
    }
}

static void log_lines(const CumRun *r, int64_t first, int64_t w, int64_t apart)
{
    const KCum *c = r->c;
    int64_t n = c->n;

    switch (c->type) {
        REAL_LINES(log_sum(acc[l], v));
    default: break;
    }
}

/* y = a y + b */
#define RECUR(T, V, LOAD, STORE)                                                         \
    do {                                                                                 \
        V acc[WIDTH];                                                                    \
        for (int64_t k = 0; k < n; k++) {                                                \
            int64_t at = first + (c->reverse ? n - 1 - k : k) * c->inner;                \
            for (int64_t l = 0; l < w; l++) {                                            \
                V v = (V)LOAD(((const T *)r->x)[at + l * apart]);                        \
                V b = (V)LOAD(((const T *)r->b)[at + l * apart]);                        \
                acc[l] = k ? (V)(v * acc[l] + b) : b;                                    \
                ((T *)r->y)[at + l * apart] = (T)STORE(acc[l]);                          \
            }                                                                            \
        }                                                                                \
    } while (0);                                                                         \
    break

static void recur_lines(const CumRun *r, int64_t first, int64_t w, int64_t apart)
{
    const KCum *c = r->c;
    int64_t n = c->n;

    switch (c->type) {
    case KT_I8:
    case KT_U8: RECUR(uint8_t, uint8_t, AS_IS, AS_IS);
    case KT_I16:
    case KT_U16: RECUR(uint16_t, uint32_t, AS_IS, AS_IS);
    case KT_I32:
    case KT_U32: RECUR(uint32_t, uint32_t, AS_IS, AS_IS);
    case KT_I64:
    case KT_U64: RECUR(uint64_t, uint64_t, AS_IS, AS_IS);
    case KT_F16: RECUR(uint16_t, double, f16_to_f32, f16_from_f64);
    case KT_BF16: RECUR(uint16_t, double, bf16_to_f32, bf16_from_f64);
    case KT_F32: RECUR(float, double, AS_IS, AS_IS);
    case KT_F64: RECUR(double, double, AS_IS, AS_IS);
    case KT_BOOL: break;
    }
}

/* The last of equals takes over, and of NaN; what is stored is the element itself. */
#define EXTREME(T, V, LOAD)                                                              \
    do {                                                                                 \
        V acc[WIDTH];                                                                    \
        T bits[WIDTH];                                                                   \
        int64_t best[WIDTH];                                                             \
        for (int64_t k = 0; k < n; k++) {                                                \
            int64_t here = c->reverse ? n - 1 - k : k, at = first + here * c->inner;     \
            for (int64_t l = 0; l < w; l++) {                                            \
                T stored = ((const T *)r->x)[at + l * apart];                            \
                V v = (V)LOAD(stored);                                                   \
                if (k == 0 || v != v ||                                                  \
                    (acc[l] == acc[l] && (most ? v >= acc[l] : v <= acc[l]))) {          \
                    acc[l] = v;                                                          \
                    bits[l] = stored;                                                    \
                    best[l] = here;                                                      \
                }                                                                        \
                ((T *)r->y)[at + l * apart] = bits[l];                                   \
                if (r->place)                                                            \
                    r->place[at + l * apart] = best[l];                                  \
            }                                                                            \
        }                                                                                \
    } while (0);                                                                         \
    break

#define AS_BOOL(v) ((v) != 0)
static void extreme_lines(const CumRun *r, int64_t first, int64_t w, int64_t apart)
{
    const KCum *c = r->c;
    int64_t n = c->n;
    int most = c->op == KC_MAX;

    switch (c->type) {
    case KT_BOOL: EXTREME(uint8_t, int, AS_BOOL);
    case KT_I8: EXTREME(int8_t, int8_t, AS_IS);
    case KT_I16: EXTREME(int16_t, int16_t, AS_IS);
    case KT_I32: EXTREME(int32_t, int32_t, AS_IS);
    case KT_I64: EXTREME(int64_t, int64_t, AS_IS);
    case KT_U8: EXTREME(uint8_t, uint8_t, AS_IS);
    case KT_U16: EXTREME(uint16_t, uint16_t, AS_IS);
    case KT_U32: EXTREME(uint32_t, uint32_t, AS_IS);
    case KT_U64: EXTREME(uint64_t, uint64_t, AS_IS);
    case KT_F16: EXTREME(uint16_t, float, f16_to_f32);
    case KT_BF16: EXTREME(uint16_t, float, bf16_to_f32);
    case KT_F32: EXTREME(float, float, AS_IS);
    case KT_F64: EXTREME(double, double, AS_IS);
    }
}

static void cum_task(void *user, int i)
{
    static void (*const way[])(const CumRun *r, int64_t first, int64_t w,
                               int64_t apart) = {
        [KC_SUM] = sum_lines,     [KC_PROD] = prod_lines,   [KC_LOG_SUM] = log_lines,
        [KC_MAX] = extreme_lines, [KC_MIN] = extreme_lines, [KC_RECUR] = recur_lines};
    const CumRun *r = user;
    const KCum *c = r->c;
    int64_t end = least((i + 1) * r->group, r->lines);

    for (int64_t line = i * r->group, w = 1; line < end; line += w) {
        int64_t first = line / c->inner * c->n * c->inner + line % c->inner;

        w = c->inner == 1 ? least(end - line, 8)
                          : least(least(end - line, c->inner - line % c->inner), WIDTH);
        way[c->op](r, first, w, c->inner == 1 ? c->n : 1);
    }
}

void k_cumulate(const KCum *c, const void *x, const void *b, void *y, int64_t *place,
                const KPar *par)
{
    CumRun r = {
        .c = c, .x = x, .b = b, .y = y, .place = place, .lines = c->outer * c->inner};

    if (c->n <= 0 || r.lines <= 0)
        return;
    r.group = r.lines * c->n < K_TASK ? r.lines : ceil_quotient(PART, c->n);
    if (c->inner > 1 && r.group < r.lines)
        r.group = ceil_quotient(r.group, WIDTH) * WIDTH;
    run_tasks(par, ceil_quotient(r.lines, r.group), cum_task, &r);
}
