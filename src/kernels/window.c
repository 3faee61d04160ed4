/* window.c -- sums and maxima over sliding windows.
 *
 *   y[o] = reduce over k in 0..w-1 of x[(o*s + k*d - lo) / c], where that divides and
 * lies inside
 *
 * For each result and axis the k that take part are an arithmetic sequence, and so are
 * the places in x they meet: a first one, a step and a count. Results are split into
 * tasks. Windows of f32 and f64 over the two innermost axes alone, without gaps in x, go
 * by planes to pool_body.h; maxima of bytes go by planes, too.
 */
#include "base/base.h"
#include "stage.h"

#include <math.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

typedef struct Run { /* along one axis: elements first, first + step .. of x */
    int64_t first, step, count;
} Run;

static Run run_of(const KWindow *w, int i, int64_t o)
{
    int64_t c = w->base[i], d = w->dilation[i], k = 0, period = 1,
            at = o * w->stride[i] - w->lo[i];
    Run r = {0, 0, 0};

    if (at < 0) { /* the first k with a place that is not negative */
        k = ceil_quotient(-at, d);
        at += k * d;
    }
    while (at % c && period <= c && k < w->window[i]) {
        at += d;
        k++;
        period++;
    }
    if (at % c || k >= w->window[i])
        return r;
    for (period = 1; period * d % c; period++)
        ;
    r.first = at / c;
    r.step = period * d / c;
    if (r.first >= w->x[i])
        return r;
    r.count = least(ceil_quotient(w->window[i] - k, period),
                    ceil_quotient(w->x[i] - r.first, r.step));
    return r;
}

typedef struct WindowRun {
    const KWindow *w;
    const void *x;
    void *y;
    int max;
    int64_t *place; /* of maxima; may be NULL */
    int64_t stride[K_RANK], count, group;
} WindowRun;

/* Walks all but the last axis of a window; false after the last. offset is kept up. */
static int next_row(const Run *run, const int64_t *stride, int rank, int64_t *at,
                    int64_t *offset)
{
    for (int i = rank - 2; i >= 0; i--) {
        *offset += run[i].step * stride[i];
        if (++at[i] < run[i].count)
            return 1;
        *offset -= at[i] * run[i].step * stride[i];
        at[i] = 0;
    }
    return 0;
}

#define AS_IS(v)   (v)
#define AS_BOOL(v) ((v) != 0)
/* NaN is the largest; of equal ones the first stays. */
#define AFTER(v, top) ((v) > (top) || ((v) != (v) && (top) == (top)))

#define MAX_WINDOW(T, V, LOAD)                                                           \
    do {                                                                                 \
        const T *x = r->x;                                                               \
        V top = 0;                                                                       \
        do                                                                               \
            for (int64_t k = 0; k < last.count; k++) {                                   \
                int64_t j = offset + k * last.step;                                      \
                V v = LOAD(x[j]);                                                        \
                if (best < 0 || AFTER(v, top)) {                                         \
                    best = j;                                                            \
                    top = v;                                                             \
                }                                                                        \
            }                                                                            \
        while (next_row(run, r->stride, rank, at, &offset));                             \
    } while (0)

static int64_t max_window(const WindowRun *r, const Run *run, int64_t offset)
{
    int rank = r->w->rank;
    int64_t at[K_RANK] = {0}, best = -1;
    Run last = rank ? run[rank - 1] : (Run){0, 0, 1};

    switch (r->w->type) {
    case KT_BOOL: MAX_WINDOW(uint8_t, int, AS_BOOL); break;
    case KT_I8: MAX_WINDOW(int8_t, int8_t, AS_IS); break;
    case KT_I16: MAX_WINDOW(int16_t, int16_t, AS_IS); break;
    case KT_I32: MAX_WINDOW(int32_t, int32_t, AS_IS); break;
    case KT_I64: MAX_WINDOW(int64_t, int64_t, AS_IS); break;
    case KT_U8: MAX_WINDOW(uint8_t, uint8_t, AS_IS); break;
    case KT_U16: MAX_WINDOW(uint16_t, uint16_t, AS_IS); break;
    case KT_U32: MAX_WINDOW(uint32_t, uint32_t, AS_IS); break;
    case KT_U64: MAX_WINDOW(uint64_t, uint64_t, AS_IS); break;
    case KT_F16: MAX_WINDOW(uint16_t, float, f16_to_f32); break;
    case KT_BF16: MAX_WINDOW(uint16_t, float, bf16_to_f32); break;
    case KT_F32: MAX_WINDOW(float, float, AS_IS); break;
    case KT_F64: MAX_WINDOW(double, double, AS_IS); break;
    }
    return best;
}

#define SUM_WINDOW(T, V, LOAD, STORE)                                                    \
    do {                                                                                 \
        const T *x = r->x;                                                               \
        V sum = 0;                                                                       \
        if (!empty)                                                                      \
            do                                                                           \
                for (int64_t k = 0; k < last.count; k++)                                 \
                    sum = (V)(sum + (V)LOAD(x[offset + k * last.step]));                 \
            while (next_row(run, r->stride, rank, at, &offset));                         \
        ((T *)r->y)[out] = (T)STORE(sum);                                                \
    } while (0)

static void sum_window(const WindowRun *r, const Run *run, int64_t offset, int empty,
                       int64_t out)
{
    int rank = r->w->rank;
    int64_t at[K_RANK] = {0};
    Run last = rank ? run[rank - 1] : (Run){0, 0, 1};

    switch (r->w->type) {
    case KT_I8:
    case KT_U8: SUM_WINDOW(uint8_t, uint8_t, AS_IS, AS_IS); break;
    case KT_I16:
    case KT_U16: SUM_WINDOW(uint16_t, uint16_t, AS_IS, AS_IS); break;
    case KT_I32:
    case KT_U32: SUM_WINDOW(uint32_t, uint32_t, AS_IS, AS_IS); break;
    case KT_I64:
    case KT_U64: SUM_WINDOW(uint64_t, uint64_t, AS_IS, AS_IS); break;
    case KT_F16: SUM_WINDOW(uint16_t, double, f16_to_f32, f16_from_f64); break;
    case KT_BF16: SUM_WINDOW(uint16_t, double, bf16_to_f32, bf16_from_f64); break;
    case KT_F32: SUM_WINDOW(float, double, AS_IS, AS_IS); break;
    case KT_F64: SUM_WINDOW(double, double, AS_IS, AS_IS); break;
    case KT_BOOL: break;
    }
}

/* The lowest number of the type. */
static void store_lowest(KType t, void *p)
{
    static const uint16_t low16 = 0xfc00, lowb16 = 0xff80;
    static const int64_t low_int = INT64_MIN;
    int width = (int)k_size(t);
    float f = -INFINITY;
    double d = -(double)INFINITY;

    memset(p, 0, (size_t)width);
    if (t == KT_F16)
        memcpy(p, &low16, 2);
    else if (t == KT_BF16)
        memcpy(p, &lowb16, 2);
    else if (t == KT_F32)
        memcpy(p, &f, 4);
    else if (t == KT_F64)
        memcpy(p, &d, 8);
    else if (t >= KT_I8 && t <= KT_I64) /* little or big endian: the byte with the sign */
        ((uint8_t *)p)[((const uint8_t *)&low_int)[7] ? width - 1 : 0] = 0x80;
}

static void window_result(const WindowRun *r, const int64_t *o, int64_t out)
{
    const KWindow *w = r->w;
    size_t size = k_size(w->type);
    Run run[K_RANK];
    int64_t offset = 0, best = -1;
    int empty = 0;

    for (int i = 0; i < w->rank; i++) {
        run[i] = run_of(w, i, o[i]);
        empty |= run[i].count <= 0;
        offset += run[i].first * r->stride[i];
    }
    if (!r->max) {
        sum_window(r, run, offset, empty, out);
        return;
    }
    if (!empty)
        best = max_window(r, run, offset);
    if (r->place)
        r->place[out] = best;
    if (best < 0)
        store_lowest(w->type, (char *)r->y + out * (int64_t)size);
    else
        memcpy((char *)r->y + out * (int64_t)size,
               (const char *)r->x + best * (int64_t)size, size);
}

static void window_task(void *user, int i)
{
    const WindowRun *r = user;
    const KWindow *w = r->w;
    int64_t pos = i * r->group, end = least(pos + r->group, r->count), o[K_RANK],
            rest = pos;

    for (int k = w->rank - 1; k >= 0; k--) {
        o[k] = rest % w->y[k];
        rest /= w->y[k];
    }
    for (; pos < end; pos++) {
        window_result(r, o, pos);
        for (int k = w->rank - 1; k >= 0 && ++o[k] == w->y[k]; k--)
            o[k] = 0;
    }
}

/* ---- planes ------------------------------------------------------------------------ */

typedef struct PoolRun {
    KPool p;
    KPoolFn fn;
    const void *x;
    void *y;
    int64_t *place;
    int64_t planes, group;
} PoolRun;

static void pool_task(void *user, int i)
{
    const PoolRun *r = user;

    r->fn(&r->p, i * r->group, least((i + 1) * r->group, r->planes), r->x, r->y,
          r->place);
}

#define BYTE_ROW 4096 /* most elements of a row with its borders */

/* Elements of x, with borders, that the results of a row reach. */
static int64_t reach_of(const KPool *p) { return (p->y[1] - 1) * p->stride[1] + (p->window[1] - 1) * p->dilation[1] + 1; }

/* Maxima of bytes, rows first: over the rows of a window into one, which has the lowest number around it; then from every
 * place on, as if the stride were 1, so that both go by vectors; then those that are asked for. */
#define BYTE_MAX(name, T, LOWEST)                                                                    \
    static void name(const KPool *p, int64_t from, int64_t to, const void *x, void *y, int64_t *place) \
    {                                                                                                \
        T row[BYTE_ROW + 16] = {0}, top[BYTE_ROW + 16]; /* whole vectors */                          \
        int64_t reach = reach_of(p), lo = p->lo[1] > 0 ? p->lo[1] : 0, hi = least(p->lo[1] + p->x[1], reach), \
                starts = ceil_quotient(reach - (p->window[1] - 1) * p->dilation[1], 16) * 16;        \
        T *out = (T *)y + from * p->y[0] * p->y[1];                                                  \
                                                                                                     \
        (void)place;                                                                                 \
        for (int64_t n = from * p->y[0]; n < to * p->y[0]; n++, out += p->y[1]) {                    \
            const T *plane = (const T *)x + n / p->y[0] * p->x[0] * p->x[1] - p->lo[1];              \
                                                                                                     \
            memset(row, (uint8_t)LOWEST, (size_t)reach);                                             \
            for (int64_t t = 0; t < p->window[0]; t++) {                                             \
                int64_t at = n % p->y[0] * p->stride[0] + t * p->dilation[0] - p->lo[0];             \
                                                                                                     \
                if (at >= 0 && at < p->x[0])                                                         \
                    name##_row(row + lo, plane + at * p->x[1] + lo, hi - lo);                        \
            }                                                                                        \
            memcpy(top, row, (size_t)starts);                                                        \
            for (int64_t t = 1; t < p->window[1]; t++)                                               \
                name##_row(top, row + t * p->dilation[1], starts);                                   \
            take_bytes((const uint8_t *)top, p->stride[1], p->y[1], (uint8_t *)out);                 \
        }                                                                                            \
    }
/* to[i] = from[i * step] */
static void take_bytes(const uint8_t *from, int64_t step, int64_t n, uint8_t *to)
{
    int64_t i = 0;

#if defined(__SSE2__)
    for (const __m128i low = _mm_set1_epi16(0xff); step == 2 && i + 8 <= n; i += 8)
        _mm_storel_epi64((void *)(to + i), _mm_packus_epi16(_mm_and_si128(_mm_loadu_si128((const void *)(from + 2 * i)), low), low));
#endif
    for (; i < n; i++)
        to[i] = from[i * step];
}

/* a[i] = the larger of a[i] and b[i] */
#define BYTE_ROW_MAX(name, T)                                                                        \
    static void name(T *a, const T *b, int64_t n)                                                    \
    {                                                                                                \
        typedef T Vec __attribute__((vector_size(16)));                                              \
        int64_t i = 0;                                                                               \
                                                                                                     \
        for (Vec v, w; i + 16 <= n; i += 16) {                                                       \
            memcpy(&v, a + i, 16);                                                                   \
            memcpy(&w, b + i, 16);                                                                   \
            v = (Vec)((v > w) & (__typeof__(v > w))v) | (Vec)(~(v > w) & (__typeof__(v > w))w);      \
            memcpy(a + i, &v, 16);                                                                   \
        }                                                                                            \
        for (; i < n; i++)                                                                           \
            a[i] = a[i] > b[i] ? a[i] : b[i];                                                        \
    }
BYTE_ROW_MAX(max_i8_row, int8_t)
BYTE_ROW_MAX(max_u8_row, uint8_t)
BYTE_MAX(max_i8, int8_t, INT8_MIN)
BYTE_MAX(max_u8, uint8_t, 0)

/* Whether the windows are over planes, and how. */
static int find_pool(const KWindow *w, int max, int places, PoolRun *r)
{
    const KPools *pools;
    int bytes = w->rank > 0 && (w->type == KT_I8 || w->type == KT_U8) && max && !places;

    if (!w->loops || (w->type != KT_F32 && w->type != KT_F64 && !bytes) || w->rank < 1)
        return 0;
    pools = w->loops->pools[w->type == KT_F64];
    r->fn = bytes  ? (w->type == KT_I8 ? max_i8 : max_u8)
            : !max ? pools->sum
            : places ? pools->max
                     : pools->max_only;
    r->p = (KPool){{1, 1}, {1, 1}, {1, 1}, {1, 1}, {0, 0}, {1, 1}};
    r->planes = 1;
    for (int i = 0; i < w->rank; i++) {
        int d = i - (w->rank - 2);

        if (w->base[i] != 1 || w->x[i] >= INT32_MAX)
            return 0;
        if (d >= 0) {
            r->p.x[d] = w->x[i], r->p.y[d] = w->y[i], r->p.window[d] = w->window[i];
            r->p.stride[d] = w->stride[i], r->p.lo[d] = w->lo[i];
            r->p.dilation[d] = w->dilation[i];
            continue;
        }
        if (w->window[i] != 1 || w->stride[i] != 1 || w->lo[i] != 0 || w->x[i] != w->y[i])
            return 0;
        r->planes *= w->x[i];
    }
    return r->p.x[0] * r->p.x[1] < INT32_MAX && r->p.y[1] >= 4 && (!bytes || reach_of(&r->p) <= BYTE_ROW);
}

static int run_pools(const KWindow *w, int max, const void *x, void *y, int64_t *place,
                     const KPar *par)
{
    PoolRun r = {.x = x, .y = y, .place = place};
    int64_t work;

    if (!find_pool(w, max, place != NULL, &r))
        return 0;
    work = r.p.y[0] * r.p.y[1] * least(r.p.window[0] * r.p.window[1], K_TASK);
    r.group = work ? ceil_quotient(K_TASK, work) : r.planes + 1;
    run_tasks(par, ceil_quotient(r.planes, r.group), pool_task, &r);
    return 1;
}

/* ---- all --------------------------------------------------------------------------- */

static void run_windows(const KWindow *w, int max, const void *x, void *y, int64_t *place,
                        const KPar *par)
{
    WindowRun r = {.w = w, .x = x, .y = y, .max = max, .place = place, .count = 1};
    int64_t each = 1;

    k_row_major(w->rank, w->x, r.stride);
    for (int i = 0; i < w->rank; i++) {
        r.count *= w->y[i];
        each *= least(w->window[i], 1024);
    }
    if (r.count <= 0 || run_pools(w, max, x, y, place, par))
        return;
    r.group = r.count < K_TASK / least(each, K_TASK)
                  ? r.count
                  : ceil_quotient(4096, least(each, 4096));
    run_tasks(par, ceil_quotient(r.count, r.group), window_task, &r);
}

void k_window_sum(const KWindow *w, const void *x, void *y, const KPar *par)
{
    run_windows(w, 0, x, y, NULL, par);
}

void k_window_max(const KWindow *w, const void *x, void *y, int64_t *place,
                  const KPar *par)
{
    run_windows(w, 1, x, y, place, par);
}
