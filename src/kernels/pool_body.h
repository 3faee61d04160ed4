/* pool_body.h -- windows over the two innermost axes, the common case of pooling, for one
 * REAL: a vector of neighbouring results at a time.
 *
 * Elements of a window are met in row-major order, as window.c does, so results are the
 * same: of equal maxima the first, NaN above all, f32 summed in f64.
 *
 * Maxima without places are taken along rows first, of each row once for all windows that
 * share it, then down the columns, which keeps that order.
 */
#include "nd.h"
#include "real.h"

#include <math.h>

typedef double VSum __attribute__((vector_size(VL * 8)));
typedef int64_t VPlace __attribute__((vector_size(VL * 8)));

#define POOL_LANES_4(f) f(0), f(1), f(2), f(3)
#define POOL_LANES_8(f) POOL_LANES_4(f), f(4), f(5), f(6), f(7)
#define POOL_LANES_16(f)                                                                 \
    POOL_LANES_8(f), f(8), f(9), f(10), f(11), f(12), f(13), f(14), f(15)
#define LANE(i) i
#if VBYTES / (4 << REAL_F64) == 16
#define POOL_LANES POOL_LANES_16
#elif VBYTES / (4 << REAL_F64) == 8
#define POOL_LANES POOL_LANES_8
#elif VBYTES / (4 << REAL_F64) == 4
#define POOL_LANES POOL_LANES_4
#else
#define POOL_LANES(f) f(0), f(1)
#endif

INLINE int64_t pool_up(int64_t a, int64_t b) /* a / b rounded up; b > 0 */
{
    return a > 0 ? (a + b - 1) / b : -(-a / b);
}

/* x[j*s] for lanes lo <= j < hi, 0 elsewhere */
INLINE V pool_load(const REAL *x, int64_t s, int lo, int hi)
{
    V v = {0};

    if (s == 1)
        return real_load_range(x, lo, hi);
    if (s == 2)
        return REAL_EVEN(real_load_range(x, 2 * lo, 2 * hi - 1),
                         real_load_range(x + VL, 2 * lo - VL, 2 * hi - 1 - VL));
    for (int j = lo; j < hi; j++)
        v[j] = x[j * s];
    return v;
}

typedef struct PoolSums { /* of VL results */
    V best;
    VI at; /* place in the plane; -1: none yet */
    VSum sum;
} PoolSums;

enum { POOL_SUM, POOL_MAX, POOL_PLACE };

/* One element of the window for lanes lo..hi-1 of n: x, and its place for lane 0. */
INLINE void pool_step(int kind, PoolSums *p, const REAL *x, int64_t place, int64_t s,
                      int lo, int hi, int n)
{
    const VI lane = {POOL_LANES(LANE)};
    V v = pool_load(x, s, lo, hi);
    VI take, at;

    if (kind == POOL_SUM) {
        p->sum += __builtin_convertvector(v, VSum);
        return;
    }
    take = (VI)(p->best == p->best) & ~(VI)(v <= p->best);
    if (kind == POOL_PLACE)
        take |= (VI)(p->at < 0);
    if (lo > 0 || hi < n)
        take &= (VI)(lane >= (RealInt)lo) & (VI)(lane < (RealInt)hi);
    p->best = (V)((take & (VI)v) | (~take & (VI)p->best));
    if (kind == POOL_PLACE) {
        at = lane * (RealInt)s + (RealInt)place;
        p->at = (take & at) | (~take & p->at);
    }
}

/* Results from .. from+n-1 of one row, n <= VL. */
INLINE void pool_lanes(int kind, int64_t s, const KPool *p, const REAL *x, int64_t row,
                       int64_t from, int n, PoolSums *r)
{
    for (int64_t i = 0; i < p->window[0]; i++) {
        int64_t h = row * p->stride[0] + i * p->dilation[0] - p->lo[0];

        if (h < 0 || h >= p->x[0])
            continue;
        for (int64_t k = 0; k < p->window[1]; k++) {
            int64_t at = from * s + k * p->dilation[1] - p->lo[1]; /* column of lane 0 */
            int64_t lo = max64(0, pool_up(-at, s));
            int64_t hi = min64(n, pool_up(p->x[1] - at, s));

            if (lo < hi)
                pool_step(kind, r, x + h * p->x[1] + at, h * p->x[1] + at, s, (int)lo,
                          (int)hi, n);
        }
    }
}

INLINE void pool_planes(int kind, int64_t s, const KPool *p, int64_t first, int64_t last,
                        const REAL *x, REAL *y, int64_t *place)
{
    int64_t size = p->x[0] * p->x[1], out = first * p->y[0] * p->y[1];

    for (int64_t q = first; q < last; q++) {
        for (int64_t row = 0; row < p->y[0]; row++) {
            for (int64_t from = 0; from < p->y[1]; from += VL) {
                int n = (int)min64(VL, p->y[1] - from);
                PoolSums r = {real_splat(-(REAL)INFINITY), (VI){0} - 1, {0}};

                pool_lanes(kind, s, p, x + q * size, row, from, n, &r);
                if (kind == POOL_PLACE) {
                    VPlace at = __builtin_convertvector(r.at, VPlace);

                    at += ~(VPlace)(at < 0) & (q * size); /* -1 stays */
                    memcpy(place + out, &at, (size_t)n * sizeof *place);
                }
                real_store_n(
                    y + out,
                    kind == POOL_SUM ? __builtin_convertvector(r.sum, V) : r.best, n);
                out += n;
            }
        }
    }
}

/* ---- maxima, rows first ------------------------------------------------------------ */

#define POOL_ROOM 6144 /* maxima along rows that are kept */
#define POOL_TAPS 8    /* most columns of a window */

/* The larger of two; a, which comes first in the window, of equal ones; NaN above all. */
INLINE V pool_larger(V a, V b)
{
#if KERNEL_ISA == 2 && !REAL_F64
    __mmask16 take = _mm512_mask_cmp_ps_mask(
        _mm512_cmp_ps_mask((__m512)a, (__m512)a, _CMP_ORD_Q), (__m512)b, (__m512)a,
        _CMP_NLE_UQ);

    return (V)_mm512_mask_blend_ps(take, (__m512)a, (__m512)b);
#else
    VI take = (VI)(a == a) & ~(VI)(b <= a);

    return (V)((take & (VI)b) | (~take & (VI)a));
#endif
}

INLINE int64_t pool_width(const KPool *p) { return round_up(p->y[1], VL); }
/* input rows from the first to the last that n rows of results read */
INLINE int64_t pool_reach(const KPool *p, int64_t n)
{
    return (n - 1) * p->stride[0] + (p->window[0] - 1) * p->dilation[0] + 1;
}

/* How many rows of results there is room for; 0: not even for one. */
static int64_t pool_band(const KPool *p)
{
    int64_t most;

    if (p->stride[1] > 2 || p->y[1] > POOL_ROOM / 2 || p->window[0] < 1 ||
        p->window[0] > POOL_ROOM || p->dilation[0] > POOL_ROOM || p->window[1] < 1 ||
        p->window[1] > POOL_TAPS)
        return 0;
    most = POOL_ROOM / pool_width(p) - 1; /* one of them is `low` */
    if (pool_reach(p, 1) > most)
        return 0;
    return min64(p->y[0], (most - pool_reach(p, 1)) / p->stride[0] + 1);
}

typedef struct PoolTap { /* a column of the windows of VL neighbours */
    int64_t at;          /* image column of lane 0 */
    int lo, hi;          /* lanes inside the image */
    VI outside;          /* bits of the lowest number in the others */
} PoolTap;

/* The taps of results from .. from+VL-1; returns whether all are inside. */
INLINE int pool_taps(const KPool *p, int64_t s, int64_t window, int64_t from, PoolTap *tap)
{
    const VI lane = {POOL_LANES(LANE)};
    const VI low = (VI)real_splat(-(REAL)INFINITY);
    int inside = 1;

    for (int64_t k = 0; k < window; k++) {
        int64_t at = from * s + k * p->dilation[1] - p->lo[1];
        int lo = (int)min64(VL, max64(0, pool_up(-at, s)));
        int hi = (int)min64(VL, max64(lo, pool_up(p->x[1] - at, s)));

        tap[k] = (PoolTap){at, lo, hi,
                           low & ~((VI)(lane >= (RealInt)lo) & (VI)(lane < (RealInt)hi))};
        inside &= lo == 0 && hi == VL;
    }
    return inside;
}

/* Maxima along `rows` rows of the image at x, of VL results each. */
INLINE void pool_along(const KPool *p, int64_t s, int64_t window, const PoolTap *tap,
                       int inside, const REAL *x, int64_t rows, REAL *to)
{
    int64_t width = pool_width(p);

    for (int64_t h = 0; h < rows; h++, x += p->x[1], to += width) {
        V best = {0};

        for (int64_t k = 0; k < window; k++) {
            V v = inside ? pool_load(x + tap[k].at, s, 0, VL)
                         : (V)((VI)pool_load(x + tap[k].at, s, tap[k].lo, tap[k].hi) |
                               tap[k].outside);

            best = k ? pool_larger(best, v) : v;
        }
        real_store(to, best);
    }
}

/* Result row from `rows`, the maxima along the image's rows from row `base` on, and `low`
 * outside. */
INLINE void pool_down(const KPool *p, int64_t tall, int64_t row, const REAL *rows,
                      const REAL *low, int64_t base, REAL *y)
{
    int64_t at = row * p->stride[0] - p->lo[0], width = pool_width(p);

    for (int64_t j = 0; j < p->y[1]; j += VL) {
        V best = {0};

        for (int64_t i = 0; i < tall; i++) {
            int64_t h = at + i * p->dilation[0];
            const REAL *from = h >= 0 && h < p->x[0] ? rows + (h - base) * width : low;
            V v = real_load(from + j);

            best = i ? pool_larger(best, v) : v;
        }
        real_store_n(y + j, best, (int)min64(VL, p->y[1] - j));
    }
}

/* s, wide, tall: stride of columns and the window, constants. */
INLINE void pool_max_planes(int64_t s, int64_t wide, int64_t tall, const KPool *p,
                            int64_t first, int64_t last, const REAL *x, REAL *y)
{
    _Alignas(64) REAL room[POOL_ROOM];
    int64_t band = pool_band(p), width = pool_width(p);
    REAL *low = room, *rows = room + width;
    PoolTap tap[POOL_TAPS];

    for (int64_t j = 0; j < width; j++)
        low[j] = -(REAL)INFINITY;
    for (int64_t q = first; q < last; q++) {
        const REAL *img = x + q * p->x[0] * p->x[1];

        for (int64_t r = 0; r < p->y[0]; r += band) {
            int64_t n = min64(band, p->y[0] - r), from = r * p->stride[0] - p->lo[0];
            int64_t base = max64(0, from), end = min64(p->x[0], from + pool_reach(p, n));

            for (int64_t j = 0; j < p->y[1]; j += VL) {
                if (pool_taps(p, s, wide, j, tap))
                    pool_along(p, s, wide, tap, 1, img + base * p->x[1], end - base,
                               rows + j);
                else
                    pool_along(p, s, wide, tap, 0, img + base * p->x[1], end - base,
                               rows + j);
            }
            for (int64_t i = 0; i < n; i++)
                pool_down(p, tall, r + i, rows, low, base,
                          y + (q * p->y[0] + r + i) * p->y[1]);
        }
    }
}

#define POOL(name, kind)                                                                 \
    static void name(const KPool *p, int64_t first, int64_t last, const void *x,         \
                     void *y, int64_t *place)                                            \
    {                                                                                    \
        if (p->stride[1] == 1)                                                           \
            pool_planes(kind, 1, p, first, last, x, y, place);                           \
        else if (p->stride[1] == 2)                                                      \
            pool_planes(kind, 2, p, first, last, x, y, place);                           \
        else                                                                             \
            pool_planes(kind, p->stride[1], p, first, last, x, y, place);                \
    }
POOL(pool_max, POOL_PLACE)
POOL(pool_max_any, POOL_MAX)
POOL(pool_sum, POOL_SUM)

static void pool_max_only(const KPool *p, int64_t first, int64_t last, const void *x,
                          void *y, int64_t *place)
{
    int64_t s = p->stride[1], wide = p->window[1], tall = p->window[0];

    if (pool_band(p) < 1)
        pool_max_any(p, first, last, x, y, place);
    else if (s == 1 && wide == 3 && tall == 3)
        pool_max_planes(1, 3, 3, p, first, last, x, y);
    else if (s == 2 && wide == 3 && tall == 3)
        pool_max_planes(2, 3, 3, p, first, last, x, y);
    else if (s == 2 && wide == 2 && tall == 2)
        pool_max_planes(2, 2, 2, p, first, last, x, y);
    else
        pool_max_planes(s, wide, tall, p, first, last, x, y);
}

extern const KPools REAL_NAME(pools);
const KPools REAL_NAME(pools) = {pool_max, pool_max_only, pool_sum};
