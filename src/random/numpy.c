/* numpy.c -- NumPy's generators: default_rng (PCG64) and RandomState (the Mersenne twister).
 *
 * default_rng hashes its seed into a pool of four words (O'Neill's seed_seq made bijective), draws
 * 256 bits from the pool, and starts PCG64 with them: a 128-bit linear congruential generator whose
 * output is its halves xored and rotated by its top bits. Normals come from a ziggurat of 256 layers,
 * bounded integers from Lemire's multiplication; RandomState keeps the older methods (polar
 * normals, rejection under a mask).
 */
#include "random/random.h"
#include "random/ziggurat.h"

#include <math.h>

/* ---- seeding --------------------------------------------------------------------------------- */

#define POOL 4

static uint32_t hash_word(uint32_t x, uint32_t *hash, uint32_t mult)
{
    x ^= *hash;
    *hash *= mult;
    x *= *hash;
    return x ^ x >> 16;
}

static uint32_t mix_words(uint32_t x, uint32_t y)
{
    uint32_t r = x * 0xca01f9ddu - y * 0x4973f715u;

    return r ^ r >> 16;
}

static void pool_mix(uint32_t pool[POOL], const uint32_t *words, size_t n)
{
    uint32_t hash = 0x43b0d7e5u;

    for (size_t i = 0; i < POOL; i++)
        pool[i] = hash_word(i < n ? words[i] : 0, &hash, 0x931e8875u);
    for (int from = 0; from < POOL; from++)
        for (int to = 0; to < POOL; to++)
            if (from != to)
                pool[to] = mix_words(pool[to], hash_word(pool[from], &hash, 0x931e8875u));
    for (size_t i = POOL; i < n; i++)
        for (int to = 0; to < POOL; to++)
            pool[to] = mix_words(pool[to], hash_word(words[i], &hash, 0x931e8875u));
}

static void step(NumpyRng *r)
{
    Wide mult = (Wide)2549297995355413924u << 64 | 4865540595714422341u;

    r->state = r->state * mult + r->inc;
}

void numpy_seed(NumpyRng *r, const uint32_t *words, size_t n)
{
    uint32_t pool[POOL], hash = 0x8b51f9ddu;
    uint64_t s[4] = {0};

    pool_mix(pool, words, n);
    for (int i = 0; i < 8; i++)
        s[i / 2] |= (uint64_t)hash_word(pool[i % POOL], &hash, 0x58f38dedu) << i % 2 * 32;
    memset(r, 0, sizeof *r);
    r->inc = ((Wide)s[2] << 64 | s[3]) << 1 | 1;
    step(r);
    r->state += (Wide)s[0] << 64 | s[1];
    step(r);
}

void numpy_seed_int(NumpyRng *r, uint64_t seed)
{
    uint32_t words[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};

    numpy_seed(r, words, words[1] ? 2 : 1);
}

void numpy_seed_legacy(NumpyRng *r, uint32_t seed)
{
    memset(r, 0, sizeof *r);
    r->legacy = true;
    mt_seed(&r->mt, seed);
}

void numpy_seed_legacy_words(NumpyRng *r, const uint32_t *words, size_t n)
{
    memset(r, 0, sizeof *r);
    r->legacy = true;
    mt_seed_words(&r->mt, words, n);
}

/* ---- bits --------------------------------------------------------------------------------------- */

uint64_t numpy_u64(NumpyRng *r)
{
    uint64_t x;
    int turn;

    if (r->legacy)
        return mt_u64(&r->mt);
    step(r);
    x = (uint64_t)(r->state >> 64) ^ (uint64_t)r->state;
    turn = (int)(r->state >> 122);
    return x >> turn | x << (-turn & 63);
}

/* PCG64 gives the low half of 64 bits first and keeps the other, also across draws of 64 bits. */
static uint32_t next_u32(NumpyRng *r)
{
    uint64_t x;

    if (r->legacy)
        return mt_u32(&r->mt);
    if (r->has_u32) {
        r->has_u32 = false;
        return r->next_u32;
    }
    x = numpy_u64(r);
    r->has_u32 = true;
    r->next_u32 = (uint32_t)(x >> 32);
    return (uint32_t)x;
}

double numpy_unit(NumpyRng *r)
{
    return r->legacy ? mt_unit(&r->mt) : (double)(numpy_u64(r) >> 11) * 0x1p-53;
}

static float unit_f32(NumpyRng *r) { return (float)(next_u32(r) >> 8) * 0x1p-24f; }

/* ---- floats --------------------------------------------------------------------------------------- */

bool numpy_uniform(NumpyRng *r, wf_dtype dtype, void *out, int64_t n, double low,
                   double high)
{
    if (dtype == WF_F64) {
        for (int64_t i = 0; i < n; i++)
            ((double *)out)[i] = low + (high - low) * numpy_unit(r);
        return true;
    }
    if (dtype != WF_F32 || r->legacy)
        return false;
    for (int64_t i = 0; i < n; i++)
        ((float *)out)[i] = (float)low + (float)(high - low) * unit_f32(r);
    return true;
}

/* Marsaglia's polar method; the second of the pair is given first. */
static double gauss_polar(NumpyRng *r)
{
    double x, y, d, f;

    if (r->has_gauss) {
        r->has_gauss = false;
        return r->gauss;
    }
    do {
        x = 2.0 * mt_unit(&r->mt) - 1.0;
        y = 2.0 * mt_unit(&r->mt) - 1.0;
        d = x * x + y * y;
    } while (d >= 1.0 || d == 0.0);
    f = sqrt(-2.0 * log(d) / d);
    r->gauss = f * x;
    r->has_gauss = true;
    return f * y;
}

/* Of 64 bits: 8 choose the layer, 1 is the sign, 52 the place in the layer. */
static double gauss_ziggurat(NumpyRng *r)
{
    for (;;) {
        uint64_t bits = numpy_u64(r), at = bits >> 9 & 0x000fffffffffffff;
        int layer = (int)(bits & 0xff);
        double x = (double)at * ziggurat_w[layer];

        x = bits >> 8 & 1 ? -x : x;
        if (at < ziggurat_k[layer])
            return x;
        if (layer > 0) {
            double f = ziggurat_f[layer];

            if ((ziggurat_f[layer - 1] - f) * numpy_unit(r) + f < exp(-0.5 * x * x))
                return x;
            continue;
        }
        for (;;) { /* the tail, by exponentials */
            double e = -(1.0 / ZIGGURAT_R) * log1p(-numpy_unit(r)),
                   y = -log1p(-numpy_unit(r));

            if (y + y > e * e)
                return at >> 8 & 1 ? -(ZIGGURAT_R + e) : ZIGGURAT_R + e;
        }
    }
}

/* The same of 32 bits, with tables rounded to f32: 8 choose the layer, 1 is the sign, 23 the place. */
static float gauss_ziggurat_f32(NumpyRng *r)
{
    const float tail = (float)ZIGGURAT_R;

    for (;;) {
        uint32_t bits = next_u32(r), at = bits >> 9 & 0x7fffff;
        int layer = (int)(bits & 0xff);
        float x = (float)at * (float)(ziggurat_w[layer] * 0x1p29);
        double inside = (double)ziggurat_k[layer] * 0x1p-29;

        x = bits >> 8 & 1 ? -x : x;
        if ((double)at < rint(inside))
            return x;
        if (layer > 0) {
            float f = (float)ziggurat_f[layer], above = (float)ziggurat_f[layer - 1];

            if ((double)((above - f) * unit_f32(r) + f) <
                exp(-0.5 * (double)x * (double)x))
                return x;
            continue;
        }
        for (;;) {
            float e = -(float)(1.0 / ZIGGURAT_R) * log1pf(-unit_f32(r)),
                  y = -log1pf(-unit_f32(r));

            if (y + y > e * e)
                return at >> 8 & 1 ? -(tail + e) : tail + e;
        }
    }
}

bool numpy_normal(NumpyRng *r, wf_dtype dtype, void *out, int64_t n, double loc,
                  double scale)
{
    if (dtype == WF_F64) {
        for (int64_t i = 0; i < n; i++)
            ((double *)out)[i] =
                loc + scale * (r->legacy ? gauss_polar(r) : gauss_ziggurat(r));
        return true;
    }
    if (dtype != WF_F32 || r->legacy)
        return false;
    for (int64_t i = 0; i < n; i++)
        ((float *)out)[i] = (float)loc + (float)scale * gauss_ziggurat_f32(r);
    return true;
}

double numpy_gauss(NumpyRng *r) { return r->legacy ? gauss_polar(r) : gauss_ziggurat(r); }

/* ---- bounded integers ---------------------------------------------------------------------------------- */

static uint64_t mask_of(uint64_t x)
{
    for (int s = 1; s < 64; s *= 2)
        x |= x >> s;
    return x;
}

/* Pieces of 8 or 16 bits, or single ones, of 32; for one call only. */
typedef struct Pieces {
    uint32_t buf;
    int left;
} Pieces;

static uint32_t next_piece(NumpyRng *r, Pieces *p, int bits)
{
    if (p->left == 0) {
        p->buf = next_u32(r);
        p->left = 32 / bits - 1;
    } else {
        p->buf >>= bits;
        p->left--;
    }
    return p->buf & (uint32_t)((UINT64_C(1) << bits) - 1);
}

static uint64_t draw(NumpyRng *r, Pieces *p, int bits)
{
    return bits == 64 ? numpy_u64(r) : bits == 32 ? next_u32(r) : next_piece(r, p, bits);
}

/* 0 .. range by the bits under its mask, again until they fit; range 0 draws nothing. */
static uint64_t masked(NumpyRng *r, Pieces *p, int bits, uint64_t range)
{
    uint64_t mask = mask_of(range), x;

    if (range == 0)
        return 0;
    do
        x = draw(r, p, bits) & mask;
    while (x > range);
    return x;
}

/* 0 .. range of words of so many bits. RandomState: under a mask. Generator: the high half of
 * word * (range+1), drawn again where the low half falls into the part that would favour some results. */
static uint64_t bounded(NumpyRng *r, Pieces *p, int bits, uint64_t range)
{
    uint64_t all = ~UINT64_C(0) >> (64 - bits), n = range + 1;
    Wide m;

    if (range == 0 || range == all || r->legacy)
        return masked(r, p, bits, range);
    m = (Wide)draw(r, p, bits) * n;
    if (((uint64_t)m & all) < n) {
        uint64_t least = (all - range) % n;

        while (((uint64_t)m & all) < least)
            m = (Wide)draw(r, p, bits) * n;
    }
    return (uint64_t)(m >> bits);
}

/* 64-bit results use 32-bit words where the range fits. */
static uint64_t below(NumpyRng *r, uint64_t range)
{
    Pieces none = {0};

    return bounded(r, &none, range >> 32 ? 64 : 32, range);
}

uint64_t numpy_interval(NumpyRng *r, uint64_t range)
{
    Pieces none = {0};

    return masked(r, &none, range >> 32 ? 64 : 32, range);
}

bool numpy_integers(NumpyRng *r, wf_dtype dtype, void *out, int64_t n, uint64_t low,
                    uint64_t range)
{
    Pieces p = {0};

    switch (dtype) {
    case WF_BOOL:
        for (int64_t i = 0; i < n; i++)
            ((uint8_t *)out)[i] = (uint8_t)(low + bounded(r, &p, 1, range));
        return true;
    case WF_I8:
    case WF_U8:
        for (int64_t i = 0; i < n; i++)
            ((uint8_t *)out)[i] = (uint8_t)(low + bounded(r, &p, 8, range));
        return true;
    case WF_I16:
    case WF_U16:
        for (int64_t i = 0; i < n; i++)
            ((uint16_t *)out)[i] = (uint16_t)(low + bounded(r, &p, 16, range));
        return true;
    case WF_I32:
    case WF_U32:
        for (int64_t i = 0; i < n; i++)
            ((uint32_t *)out)[i] = (uint32_t)(low + bounded(r, &p, 32, range));
        return true;
    case WF_I64:
    case WF_U64:
        for (int64_t i = 0; i < n; i++)
            ((uint64_t *)out)[i] = low + below(r, range);
        return true;
    default: return false;
    }
}

/* ---- permutations and choices ------------------------------------------------------------------------------ */

typedef uint64_t (*BelowFn)(NumpyRng *r, uint64_t range);

/* Fisher and Yates from the back, down to place `first`. */
static void shuffle_tail(NumpyRng *r, BelowFn draw_below, int64_t *x, int64_t n,
                         int64_t first)
{
    for (int64_t i = n - 1; i >= first; i--) {
        int64_t j = (int64_t)draw_below(r, (uint64_t)i), t = x[i];

        x[i] = x[j];
        x[j] = t;
    }
}

void numpy_permutation(NumpyRng *r, int64_t *out, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        out[i] = i;
    shuffle_tail(r, numpy_interval, out, n, 1);
}

/* Floyd's sampling: for each j of the last m, a random place up to j, or j itself if that was taken. */
static void choose_floyd(NumpyRng *r, Arena *a, int64_t *out, int64_t m, int64_t n)
{
    uint64_t mask = mask_of((uint64_t)(1.2 * (double)m));
    int64_t *set = arena_array(a, (size_t)mask + 1, sizeof *set);

    for (uint64_t i = 0; i <= mask; i++)
        set[i] = -1;
    for (int64_t j = n - m; j < n; j++) {
        int64_t v = (int64_t)below(r, (uint64_t)j);

        for (int turn = 0; turn < 2; turn++) {
            uint64_t at = (uint64_t)v & mask;

            while (set[at] >= 0 && set[at] != v)
                at = (at + 1) & mask;
            if (set[at] < 0) {
                set[at] = v;
                break;
            }
            v = j; /* not taken yet: all taken ones are smaller */
        }
        out[j - (n - m)] = v;
    }
}

/* The first place whose running sum, normalised, is above u. */
static int64_t search(const double *cdf, int64_t n, double u)
{
    int64_t low = 0, high = n;

    while (low < high) {
        int64_t mid = low + (high - low) / 2;

        if (cdf[mid] <= u)
            low = mid + 1;
        else
            high = mid;
    }
    return MIN(low, n - 1);
}

static void sum_up(double *cdf, const double *p, int64_t n)
{
    double sum = 0;

    for (int64_t i = 0; i < n; i++)
        cdf[i] = sum += p[i];
    for (int64_t i = 0; i < n; i++)
        cdf[i] /= sum;
}

/* Rounds: as many draws as are missing; places drawn twice count once; those found get probability 0. */
static void choose_weighted(NumpyRng *r, Arena *a, int64_t *out, int64_t m, int64_t n,
                            const double *p)
{
    double *cdf = arena_array(a, (size_t)n, sizeof *cdf),
           *rest = arena_dup(a, p, (size_t)n * sizeof *p);
    bool *taken = arena_zalloc(a, (size_t)n);
    int64_t found = 0;

    while (found < m) {
        int64_t missing = m - found;

        sum_up(cdf, rest, n);
        for (int64_t i = 0; i < missing; i++) {
            int64_t v = search(cdf, n, numpy_unit(r));

            if (!taken[v]) {
                taken[v] = true;
                out[found++] = v;
            }
        }
        for (int64_t i = 0; i < found; i++)
            rest[out[i]] = 0;
    }
}

void numpy_choice(NumpyRng *r, Arena *a, int64_t *out, int64_t m, int64_t n, bool replace,
                  const double *p, bool shuffle)
{
    if (m == 0)
        return;
    if (p && !replace) {
        choose_weighted(r, a, out, m, n, p);
    } else if (p) {
        double *cdf = arena_array(a, (size_t)n, sizeof *cdf);

        sum_up(cdf, p, n);
        for (int64_t i = 0; i < m; i++)
            out[i] = search(cdf, n, numpy_unit(r));
    } else if (replace) {
        (void)numpy_integers(r, WF_I64, out, m, 0, (uint64_t)(n - 1));
    } else if (r->legacy || (n > 10000 && m > n / (shuffle ? 50 : 20))) {
        int64_t *all = arena_array(a, (size_t)n, sizeof *all);

        for (int64_t i = 0; i < n; i++)
            all[i] = i;
        shuffle_tail(r, below, all, n, r->legacy ? 1 : MAX(n - m, 1));
        memcpy(out, r->legacy ? all : all + (n - m), (size_t)m * sizeof *out);
    } else {
        choose_floyd(r, a, out, m, n);
        if (shuffle)
            shuffle_tail(r, below, out, m, 1);
    }
}
