/* rows_body.h -- the loops of rows.h for one type.
 *
 * A row is walked two or three times, in whole vectors; the last, which is not whole, is
 * read and written through a vector's worth of memory. Sums are of lanes, then of the
 * lanes in order, whatever the number of threads.
 */
#include "rows.h"

#include <math.h>

#define TASK_ELEMENTS (1 << 15)

/* Up to LANES elements; the others are fill. */
VINLINE VEC take(const T *p, int64_t n, T fill)
{
    VEC x = VCALL(splat)(fill);

    memcpy(&x, p, (size_t)(n < LANES ? n : LANES) * sizeof *p);
    return x;
}

VINLINE void give(T *p, int64_t n, VEC x)
{
    memcpy(p, &x, (size_t)(n < LANES ? n : LANES) * sizeof *p);
}

VINLINE T sum_of(VEC x)
{
    T s = 0;

    for (int i = 0; i < LANES; i++)
        s += x[i];
    return s;
}

/* The largest; NaN if one is. */
static T largest(const T *x, int64_t n)
{
    VEC m = VCALL(splat)(-(T)INFINITY), bad = {0};
    T top = -(T)INFINITY;

    for (int64_t i = 0; i < n; i += LANES) {
        VEC v = take(x + i, n - i, -(T)INFINITY);

        bad = VCALL(select)(v != v, v, bad);
        m = VCALL(select)((VINT)(v > m), v, m);
    }
    for (int i = 0; i < LANES; i++) {
        if (bad[i] != bad[i])
            return bad[i];
        top = m[i] > top ? m[i] : top;
    }
    return top;
}

static T shift_of(const KRows *k, const T *x)
{
    T top = largest(x, k->n);

    return k->guarded && !(top - top == 0) ? 0 : top;
}

/* exp(x - shift) to y (NULL: nowhere); their sum. */
static T exps(const T *x, T shift, int64_t n, T *y)
{
    VEC s = {0};

    for (int64_t i = 0; i < n; i += LANES) {
        VEC e = VCALL(exp)(take(x + i, n - i, 0) - shift);

        if (y)
            give(y + i, n - i, e);
        if (n - i < LANES)
            for (int64_t j = n - i; j < LANES; j++)
                e[j] = 0;
        s += e;
    }
    return sum_of(s);
}

static void softmax(const KRows *k, const T *x, T *y)
{
    T sum = exps(x, shift_of(k, x), k->n, y);

    for (int64_t i = 0; i < k->n; i += LANES)
        give(y + i, k->n - i, take(y + i, k->n - i, 0) / sum);
}

static void log_softmax(const KRows *k, const T *x, T *y)
{
    T shift = shift_of(k, x);
    T less = VCALL(log)(VCALL(splat)(exps(x, shift, k->n, NULL)))[0];

    for (int64_t i = 0; i < k->n; i += LANES)
        give(y + i, k->n - i, take(x + i, k->n - i, 0) - shift - less);
}

/* rsqrt of the mean of (x - m)^2, plus eps */
static T scale_of(const KRows *k, const T *x, T m)
{
    VEC s = {0};

    for (int64_t i = 0; i < k->n; i += LANES) {
        VEC d = take(x + i, k->n - i, m) - m;

        s += d * d;
    }
    return VCALL(rsqrt)(VCALL(splat)(sum_of(s) * (T)k->mean + (T)k->eps))[0];
}

static T mean_of(const KRows *k, const T *x)
{
    VEC s = {0};

    for (int64_t i = 0; i < k->n; i += LANES)
        s += take(x + i, k->n - i, 0);
    return sum_of(s) * (T)k->mean;
}

static void norm(const KRows *k, const T *x, T *y)
{
    T m = k->kind == KR_LAYER_NORM ? mean_of(k, x) : 0, by = scale_of(k, x, m);
    const T *w = k->weight, *b = k->bias;

    for (int64_t i = 0; i < k->n; i += LANES) {
        VEC v = (take(x + i, k->n - i, 0) - m) * by;

        if (w)
            v *= take(w + i, k->n - i, 0);
        if (b)
            v += take(b + i, k->n - i, 0);
        give(y + i, k->n - i, v);
    }
}

static void gelu(const KRows *k, const T *x, T *y)
{
    for (int64_t i = 0; i < k->n; i += LANES) {
        VEC v = take(x + i, k->n - i, 0), u;

        if (k->kind == KR_GELU)
            u = VCALL(erf)(v * (T)0.70710678118654752440);
        else
            u = VCALL(tanh)((v + v * v * v * (T)0.044715) * (T)0.79788456080286535588);
        give(y + i, k->n - i, v * (T)0.5 * (u + (T)1));
    }
}

static int64_t clipped(const KRows *k, int64_t i, int64_t n)
{
    int64_t x = k->index_type == KT_I32 ? ((const int32_t *)k->index)[i]
                                        : ((const int64_t *)k->index)[i];

    return x < 0 ? 0 : x >= n ? n - 1 : x;
}

static void nll(const KRows *k, int64_t i)
{
    const T *x = (const T *)k->x + clipped(k, 2 * i, k->rows) * k->n;
    T shift = shift_of(k, x), at = x[clipped(k, 2 * i + 1, k->n)];

    ((T *)k->y)[i] = at - shift - VCALL(log)(VCALL(splat)(exps(x, shift, k->n, NULL)))[0];
}

static int64_t each_task(const KRows *k)
{
    return k->n >= TASK_ELEMENTS ? 1 : TASK_ELEMENTS / (k->n + !k->n);
}

static int64_t count_of(const KRows *k) { return k->kind == KR_NLL ? k->count : k->rows; }

static void task(void *user, int t)
{
    const KRows *k = user;
    int64_t each = each_task(k), from = t * each, to = from + each, all = count_of(k);

    for (int64_t i = from; i < (to < all ? to : all); i++) {
        const T *x = (const T *)k->x + i * k->n;
        T *y = (T *)k->y + i * k->n;

        switch (k->kind) {
        case KR_SOFTMAX: softmax(k, x, y); break;
        case KR_LOG_SOFTMAX: log_softmax(k, x, y); break;
        case KR_NLL: nll(k, i); break;
        case KR_LAYER_NORM:
        case KR_RMS_NORM: norm(k, x, y); break;
        case KR_GELU:
        case KR_GELU_TANH: gelu(k, x, y); break;
        }
    }
}

extern KRowsRun ROWS_RUN;
void ROWS_RUN(const KRows *x, const KPar *par)
{
    KRows k = *x;
    int64_t tasks = (count_of(x) + each_task(x) - 1) / each_task(x);

    if (tasks > 1 && par->run && par->threads > 1)
        par->run(par->ctx, (int)tasks, task, &k);
    else
        for (int t = 0; t < (int)tasks; t++)
            task(&k, t);
}
