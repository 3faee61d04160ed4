/* pool_body.h -- windows over the two innermost axes, the common case of pooling, for one
 * REAL: a vector of neighbouring results at a time.
 *
 * Elements of a window are met in row-major order, as window.c does, so results are the
 * same: of equal maxima the first, NaN above all, f32 summed in f64.
 *
 * Maxima of small windows are taken along rows first, of each row once for all windows that
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

/* n places in a plane that begins at `plane`; -1 stays */
INLINE void pool_store_places(int64_t *to, VI at, int64_t plane, int n)
{
    VPlace wide = __builtin_convertvector(at, VPlace);

    wide += ~(VPlace)(wide < 0) & plane;
#if KERNEL_ISA == 2
    UNROLL
    for (int i = 0; i < VL; i += 8) {
        __m512i part;

        memcpy(&part, (const char *)&wide + i * 8, sizeof part);
        _mm512_mask_storeu_epi64(to + i,
                                 (__mmask8)(n - i >= 8 ? 255
                                            : n > i    ? (1 << (n - i)) - 1
                                                       : 0),
                                 part);
    }
#else
    memcpy(to, &wide, (size_t)n * sizeof *to);
#endif
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
                if (kind == POOL_PLACE)
                    pool_store_places(place + out, r.at, q * size, n);
                real_store_n(
                    y + out,
                    kind == POOL_SUM ? __builtin_convertvector(r.sum, V) : r.best, n);
                out += n;
            }
        }
    }
}

/* ---- maxima, rows first ------------------------------------------------------------ */

#define POOL_ROOM 4096 /* maxima along rows that are kept */
#define POOL_TAPS 8    /* most columns of a window */

typedef struct PoolBest {
    V v;
    VI at; /* its place; -1: none. Where places are not asked for, not used */
} PoolBest;

/* a, or b, which comes after it in the window: the larger, NaN above all, anything where
 * there is none. b where there is none is the lowest number. */
INLINE PoolBest pool_larger(int places, PoolBest a, PoolBest b)
{
#if KERNEL_ISA == 2 && !REAL_F64
    __mmask16 take =
        _mm512_mask_cmp_ps_mask(_mm512_cmp_ps_mask((__m512)a.v, (__m512)a.v, _CMP_ORD_Q),
                                (__m512)b.v, (__m512)a.v, _CMP_NLE_UQ);

    if (places)
        take |= _mm512_movepi32_mask((__m512i)a.at);
    a.v = (V)_mm512_mask_blend_ps(take, (__m512)a.v, (__m512)b.v);
    if (places)
        a.at = (VI)_mm512_mask_blend_epi32(take, (__m512i)a.at, (__m512i)b.at);
#else
    VI take = (VI)(a.v == a.v) & ~(VI)(b.v <= a.v);

    if (places)
        take |= (VI)(a.at < 0);
    a.v = (V)((take & (VI)b.v) | (~take & (VI)a.v));
    if (places)
        a.at = (take & b.at) | (~take & a.at);
#endif
    return a;
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
    most = POOL_ROOM / pool_width(p);
    if (pool_reach(p, 1) > most)
        return 0;
    return min64(p->y[0], (most - pool_reach(p, 1)) / p->stride[0] + 1);
}

typedef struct PoolTap { /* a column of the windows of VL neighbours */
    int64_t at;          /* image column of lane 0 */
    int lo, hi;          /* lanes inside the image */
    VI outside;          /* bits of the lowest number in the others */
    VI place;            /* columns; -1 outside */
} PoolTap;

/* The taps of results from .. from+VL-1; returns whether all are inside. */
INLINE int pool_taps(const KPool *p, int64_t s, int64_t window, int64_t from,
                     PoolTap *tap)
{
    const VI lane = {POOL_LANES(LANE)};
    const VI low = (VI)real_splat(-(REAL)INFINITY);
    int inside = 1;

    for (int64_t k = 0; k < window; k++) {
        int64_t at = from * s + k * p->dilation[1] - p->lo[1];
        int lo = (int)min64(VL, max64(0, pool_up(-at, s)));
        int hi = (int)min64(VL, max64(lo, pool_up(p->x[1] - at, s)));
        VI in = (VI)(lane >= (RealInt)lo) & (VI)(lane < (RealInt)hi);

        tap[k] = (PoolTap){at, lo, hi, low & ~in, {0}};
        if (hi > lo) /* else at may be beyond the range of a lane */
            tap[k].place = lane * (RealInt)s + (RealInt)at;
        tap[k].place = (tap[k].place & in) | ~in;
        inside &= lo == 0 && hi == VL;
    }
    return inside;
}

/* Maxima along `rows` rows of the image at x, of VL results each, and their columns. */
INLINE void pool_along(int places, const KPool *p, int64_t s, int64_t window,
                       const PoolTap *tap, int inside, const REAL *x, int64_t rows,
                       REAL *to, RealInt *to_at)
{
    int64_t width = pool_width(p);

    for (int64_t h = 0; h < rows; h++, x += p->x[1], to += width, to_at += width) {
        PoolBest best = {{0}, {0}};

        for (int64_t k = 0; k < window; k++) {
            PoolBest b = {pool_load(x + tap[k].at, s, inside ? 0 : tap[k].lo,
                                    inside ? VL : tap[k].hi),
                          tap[k].place};

            if (!inside)
                b.v = (V)((VI)b.v | tap[k].outside);
            best = k ? pool_larger(places, best, b) : b;
        }
        real_store(to, best.v);
        if (places)
            memcpy(to_at, &best.at, sizeof best.at);
    }
}

typedef struct PoolRows { /* maxima along rows, [row][width] */
    REAL low[VL];         /* none */
    REAL v[POOL_ROOM];
    RealInt at[POOL_ROOM]; /* columns */
    int64_t base;          /* image row of the first */
} PoolRows;

/* Results from .. from+VL-1 of a row, their places in the plane. */
INLINE PoolBest pool_down(int places, const KPool *p, int64_t tall, int64_t row,
                          const PoolRows *r, int64_t from)
{
    int64_t at = row * p->stride[0] - p->lo[0], width = pool_width(p);
    PoolBest best = {{0}, {0}};

    for (int64_t i = 0; i < tall; i++) {
        int64_t h = at + i * p->dilation[0], inside = h >= 0 && h < p->x[0];
        int64_t off = inside ? (h - r->base) * width + from : 0;
        PoolBest b = {real_load(inside ? r->v + off : r->low), {0}};

        if (places) {
            memcpy(&b.at, r->at + off, sizeof b.at);
            b.at =
                inside ? (b.at + (RealInt)(h * p->x[1])) | (VI)(b.at < 0) : (VI){0} - 1;
        }
        best = i ? pool_larger(places, best, b) : b;
    }
    return best;
}

/* s, wide, tall: stride of columns and the window, constants. */
INLINE void pool_max_planes(int places, int64_t s, int64_t wide, int64_t tall,
                            const KPool *p, int64_t first, int64_t last, const REAL *x,
                            REAL *y, int64_t *place)
{
    _Alignas(64) PoolRows rows;
    int64_t band = pool_band(p), size = p->x[0] * p->x[1],
            out = first * p->y[0] * p->y[1];
    PoolTap tap[POOL_TAPS];

    for (int j = 0; j < VL; j++)
        rows.low[j] = -(REAL)INFINITY;
    for (int64_t q = first; q < last; q++) {
        for (int64_t r = 0; r < p->y[0]; r += band) {
            int64_t n = min64(band, p->y[0] - r), from = r * p->stride[0] - p->lo[0];
            int64_t end = min64(p->x[0], from + pool_reach(p, n));
            const REAL *img;

            rows.base = max64(0, from);
            img = x + q * size + rows.base * p->x[1];
            for (int64_t j = 0; j < p->y[1]; j += VL) {
                if (pool_taps(p, s, wide, j, tap))
                    pool_along(places, p, s, wide, tap, 1, img, end - rows.base,
                               rows.v + j, rows.at + j);
                else
                    pool_along(places, p, s, wide, tap, 0, img, end - rows.base,
                               rows.v + j, rows.at + j);
            }
            for (int64_t i = r; i < r + n; i++) {
                for (int64_t j = 0; j < p->y[1]; j += VL) {
                    int len = (int)min64(VL, p->y[1] - j);
                    PoolBest b = pool_down(places, p, tall, i, &rows, j);

                    real_store_n(y + out, b.v, len);
                    if (places)
                        pool_store_places(place + out, b.at, q * size, len);
                    out += len;
                }
            }
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
POOL(pool_place_any, POOL_PLACE)
POOL(pool_max_any, POOL_MAX)
POOL(pool_sum, POOL_SUM)

/* Windows that networks have get code of their own; in f64, which few have, that of 2 by 2 alone. */
#if REAL_F64
#define POOL_KNOWN(s_, wide_, tall_) ((wide_) == 2 && s == (s_) && wide == 2 && tall == 2)
#else
#define POOL_KNOWN(s_, wide_, tall_) (s == (s_) && wide == (wide_) && tall == (tall_))
#endif
#define POOL_ROWS(name, places, any)                                                     \
    static void name(const KPool *p, int64_t first, int64_t last, const void *x,         \
                     void *y, int64_t *place)                                            \
    {                                                                                    \
        int64_t s = p->stride[1], wide = p->window[1], tall = p->window[0];              \
                                                                                         \
        if (pool_band(p) < 1)                                                            \
            any(p, first, last, x, y, place);                                            \
        else if (POOL_KNOWN(1, 3, 3))                                                    \
            pool_max_planes(places, 1, 3, 3, p, first, last, x, y, place);               \
        else if (POOL_KNOWN(2, 3, 3))                                                    \
            pool_max_planes(places, 2, 3, 3, p, first, last, x, y, place);               \
        else if (POOL_KNOWN(2, 2, 2))                                                    \
            pool_max_planes(places, 2, 2, 2, p, first, last, x, y, place);               \
        else                                                                             \
            pool_max_planes(places, s, wide, tall, p, first, last, x, y, place);         \
    }
POOL_ROWS(pool_max, 1, pool_place_any)
POOL_ROWS(pool_max_only, 0, pool_max_any)

extern const KPools REAL_NAME(pools);
const KPools REAL_NAME(pools) = {pool_max, pool_max_only, pool_sum};
