/* pool_body.h -- windows over the two innermost axes, the common case of pooling, for one
 * REAL: a vector of neighbouring results at a time.
 *
 * Elements of a window are met in row-major order, as window.c does, so results are the
 * same: of equal maxima the first, NaN above all, f32 summed in f64.
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
#define EVEN(i) 2 * i
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
        return REAL_SHUFFLE(real_load_range(x, 2 * lo, 2 * hi - 1),
                            real_load_range(x + VL, 2 * lo - VL, 2 * hi - 1 - VL),
                            POOL_LANES(EVEN));
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
POOL(pool_max_only, POOL_MAX)
POOL(pool_sum, POOL_SUM)

extern const KPools REAL_NAME(pools);
const KPools REAL_NAME(pools) = {pool_max, pool_max_only, pool_sum};
