/* test_vmath.c -- how far the elementwise functions are from the truth.
 *
 * In units in the last place, against the C library in the next wider type: f32 against
 * double, f64 against long double. Every instruction set of the machine is held to the
 * same bound. The test takes samples: every 4099th f32, and f64 numbers of all sizes
 * with the corners among them. `make verify-math` (WEFT_VERIFY=all) takes every f32
 * there is and prints the table; WEFT_VERIFY=best the same for one instruction set;
 * WEFT_VERIFY_PART=3/16 a sixteenth of it. f16 and bf16 are taken whole in any case, and
 * powers are samples in any case.
 */
#include "base/base.h"
#include "kernels/nd.h"
#include "test.h"

#include <float.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define BLOCK  4096
#define STRIDE 4099 /* of samples: a prime */

static double logistic_f64(double x) { return 1 / (1 + exp(-x)); }
static double rsqrt_f64(double x) { return 1 / sqrt(x); }
static long double logistic_ld(long double x) { return 1 / (1 + expl(-x)); }
static long double rsqrt_ld(long double x) { return 1 / sqrtl(x); }

static const struct {
    const char *name;
    KMapOp op;
    double (*f64)(double);
    long double (*ld)(long double);
    double most32, most64;
} functions[] = {
    {"exp", KM_exp, exp, expl, 2, 4},
    {"expm1", KM_expm1, expm1, expm1l, 2, 4},
    {"log", KM_log, log, logl, 2, 4},
    {"log1p", KM_log1p, log1p, log1pl, 2, 4},
    {"sin", KM_sin, sin, sinl, 2, 4},
    {"cos", KM_cos, cos, cosl, 2, 4},
    {"tan", KM_tan, tan, tanl, 2, 4},
    {"tanh", KM_tanh, tanh, tanhl, 2, 4},
    {"erf", KM_erf, erf, erfl, 2, 4},
    {"logistic", KM_logistic, logistic_f64, logistic_ld, 2, 4},
    {"sqrt", KM_sqrt, sqrt, sqrtl, 0.5, 0.51},
    {"rsqrt", KM_rsqrt, rsqrt_f64, rsqrt_ld, 2, 4},
};

/* The distance of y from the true value in units in its last place. Both may be infinite
 * or no number; beyond the range the next power of two stands for infinity. */
static double ulps_f32(float y, double truth)
{
    uint64_t bits;
    double unit;
    int e;

    if (isnan(truth) || isnan(y))
        return isnan(truth) && isnan(y) ? 0 : INFINITY;
    if ((double)y == truth)
        return !signbit(y) == !signbit(truth) ? 0 : INFINITY;
    if (isinf(y))
        return fabs(truth) >= 0x1p128 ? signbit(y) == signbit((float)truth) ? 0 : INFINITY
                                      : (0x1p128 - fabs(truth)) * 0x1p-104;
    if (fabs(truth) >= 0x1p128)
        truth = copysign(0x1p128, truth);
    memcpy(&bits, &truth, 8); /* |truth| in [2^e, 2^(e+1)); a unit is 2^(e-23) */
    e = (int)(bits >> 52 & 0x7ff) - 1023;
    bits = (uint64_t)(1023 + 23 - MIN(MAX(e, -126), 127)) << 52;
    memcpy(&unit, &bits, 8);
    return fabs((double)y - truth) * unit;
}

static double ulps_f64(double y, long double truth)
{
    int e;

    if (isnan(truth) || isnan(y))
        return isnan(truth) && isnan(y) ? 0 : INFINITY;
    if (isinf(y) && isinf(truth))
        return !signbit(y) == !signbit(truth) ? 0 : INFINITY;
    if (truth == 0 || y == 0)
        if (truth == (long double)y)
            return !signbit(y) == !signbit(truth) ? 0 : INFINITY;
    if (fabsl(truth) >= 0x1p1024L)
        truth = copysignl(0x1p1024L, truth);
    if (truth == 0)
        e = -10000;
    else
        frexpl(truth, &e);
    return (double)(fabsl((isinf(y) ? copysignl(0x1p1024L, y) : (long double)y) - truth) /
                    ldexpl(1, MIN(MAX(e, -1021), 1024) - 53));
}

typedef struct Worst {
    double ulps, at;
} Worst;

typedef struct Search {
    int f;
    uint64_t first, count, stride; /* inputs; the bits of the k-th are k * stride */
    uint64_t chunk;
    bool best_only;
    pthread_mutex_t lock;
    Worst worst[ISA_COUNT];
} Search;

static void keep_worst(Search *s, const Worst *w)
{
    pthread_mutex_lock(&s->lock);
    for (int isa = 0; isa < ISA_COUNT; isa++)
        if (w[isa].ulps > s->worst[isa].ulps)
            s->worst[isa] = w[isa];
    pthread_mutex_unlock(&s->lock);
}

static void search_f32(void *user, int chunk)
{
    Search *s = user;
    uint64_t from = s->first + (uint64_t)chunk * s->chunk;
    uint64_t to = MIN(from + s->chunk, s->first + s->count);
    Worst worst[ISA_COUNT] = {{0, 0}};
    float x[BLOCK], y[BLOCK];
    double truth[BLOCK], near[BLOCK];

    for (uint64_t at = from; at < to; at += BLOCK) {
        int64_t n = (int64_t)MIN(to - at, BLOCK);

        for (int64_t i = 0; i < n; i++) {
            uint32_t bits = (uint32_t)((at + (uint64_t)i) * s->stride);

            memcpy(&x[i], &bits, 4);
            truth[i] = functions[s->f].f64((double)x[i]);
            near[i] = fabs(truth[i]) * 0x1p-24; /* at most a unit */
        }
        for (int isa = 0; isa < ISA_COUNT; isa++) {
            const KLoops *loops = k_loops_for(isa);

            if (!loops || (s->best_only && isa != (int)cpu_isa()))
                continue;
            loops->type[KT_F32]->map[functions[s->f].op](n, (const void *[]){x},
                                                         (void *[]){y});
            for (int64_t i = 0; i < n; i++) {
                double u;

                if (fabs((double)y[i] - truth[i]) <= near[i] * worst[isa].ulps &&
                    y[i] != 0)
                    continue; /* quickly: it is not worse */
                u = ulps_f32(y[i], truth[i]);
                if (u > worst[isa].ulps)
                    worst[isa] = (Worst){u, (double)x[i]};
            }
        }
    }
    keep_worst(s, worst);
}

/* Bits at random, numbers near 1 and of middling size, and corners. */
static double sample_f64(uint64_t k)
{
    static const double corners[] = {0.0,
                                     -0.0,
                                     1,
                                     -1,
                                     INFINITY,
                                     -INFINITY,
                                     NAN,
                                     0x1p-1074,
                                     -0x1p-1074,
                                     0x1p-1022,
                                     0x1.fffffffffffffp1023,
                                     -0x1.fffffffffffffp1023,
                                     709.78,
                                     709.79,
                                     -708.4,
                                     -745.1,
                                     -745.2,
                                     -746,
                                     0.5,
                                     1e5,
                                     1e5 + 1,
                                     1e22,
                                     -1e300,
                                     0x1.921fb54442d18p0,
                                     22,
                                     19,
                                     0x1p-28,
                                     0x1p-54,
                                     6,
                                     5.9,
                                     1 + 0x1p-52,
                                     1 - 0x1p-53,
                                     -1 + 0x1p-53,
                                     M_PI,
                                     355,
                                     0x1.6ac5b262ca1ffp+849,
                                     36.7,
                                     37,
                                     -40,
                                     710};
    uint64_t h = (k + 1) * 0x9E3779B97F4A7C15u;
    double x;

    if (k < (uint64_t)COUNT(corners))
        return corners[k];
    h = (h ^ (h >> 31)) * 0xBF58476D1CE4E5B9u;
    h ^= h >> 29;
    if (k % 4 == 0) {
        memcpy(&x, &h, 8);
        return x;
    }
    x = (double)(int64_t)h * 0x1p-63; /* -1 .. 1 */
    return k % 4 == 1 ? x : k % 4 == 2 ? 1 + x * 0.5 : x * 50;
}

static void search_f64(void *user, int chunk)
{
    Search *s = user;
    uint64_t from = (uint64_t)chunk * s->chunk, to = MIN(from + s->chunk, s->count);
    Worst worst[ISA_COUNT] = {{0, 0}};
    double x[BLOCK], y[BLOCK];

    for (uint64_t at = from; at < to; at += BLOCK) {
        int64_t n = (int64_t)MIN(to - at, BLOCK);

        for (int64_t i = 0; i < n; i++)
            x[i] = sample_f64(at + (uint64_t)i);
        for (int isa = 0; isa < ISA_COUNT; isa++) {
            const KLoops *loops = k_loops_for(isa);

            if (!loops)
                continue;
            loops->type[KT_F64]->map[functions[s->f].op](n, (const void *[]){x},
                                                         (void *[]){y});
            for (int64_t i = 0; i < n; i++) {
                double u = ulps_f64(y[i], functions[s->f].ld((long double)x[i]));

                if (u > worst[isa].ulps)
                    worst[isa] = (Worst){u, x[i]};
            }
        }
    }
    keep_worst(s, worst);
}

static bool verify_all(void)
{
    const char *s = getenv("WEFT_VERIFY");

    return s && (strcmp(s, "all") == 0 || strcmp(s, "best") == 0);
}

/* Which part of all f32 there are: k/n, counted from 1. */
static void choose_part(uint64_t *first, uint64_t *count)
{
    const char *s = getenv("WEFT_VERIFY_PART");
    unsigned k, n;

    *first = 0;
    if (s && sscanf(s, "%u/%u", &k, &n) == 2 && k >= 1 && k <= n) {
        *first = *count * (k - 1) / n;
        *count = *count * k / n - *first;
    }
}

static void search(void (*fn)(void *user, int chunk), uint64_t count, uint64_t stride,
                   bool is_f32)
{
    uint64_t first = 0;
    Pool *pool = pool_new(&alloc_default, 0);

    if (is_f32 && verify_all())
        choose_part(&first, &count);
    for (int f = 0; f < COUNT(functions); f++) {
        Search s = {
            .f = f, .first = first, .count = count, .stride = stride, .chunk = 1 << 16};
        const char *how = getenv("WEFT_VERIFY");
        double most = is_f32 ? functions[f].most32 : functions[f].most64;

        s.best_only = how && strcmp(how, "best") == 0;
        pthread_mutex_init(&s.lock, NULL);
        pool_run(pool, (int)((count + s.chunk - 1) / s.chunk), fn, &s);
        pthread_mutex_destroy(&s.lock);
        if (verify_all())
            printf("%-10s %s", functions[f].name, is_f32 ? "f32" : "f64");
        for (int isa = 0; isa < ISA_COUNT; isa++) {
            if (!(s.worst[isa].ulps <= most))
                FAIL("%s %s %s: %.3f ulp at %a, at most %.2f", functions[f].name,
                     is_f32 ? "f32" : "f64", isa_name((Isa)isa), s.worst[isa].ulps,
                     s.worst[isa].at, most);
            if (verify_all())
                printf("  %s %.3f", isa_name((Isa)isa), s.worst[isa].ulps);
        }
        if (verify_all())
            printf("  (at most %g)\n", most), fflush(stdout);
    }
    pool_free(pool);
}

TEST(functions_of_f32_are_within_two_ulp)
{
    uint64_t all = (uint64_t)1 << 32;

    CHECK(ulps_f32(1, 1) == 0 && ulps_f32(1 + 0x1p-23f, 1) == 1);
    CHECK(ulps_f32(INFINITY, 0x1p128) == 0 && ulps_f32(-0.0f, 0.0) > 1);
    CHECK(ulps_f32(0x1p-149f, 0) == 1 && ulps_f32(NAN, 1) > 1);
    search(search_f32, verify_all() ? all : all / STRIDE, verify_all() ? 1 : STRIDE,
           true);
}

TEST(functions_of_f64_are_within_four_ulp)
{
    CHECK(ulps_f64(1, 1) == 0 && ulps_f64(1 + 0x1p-52, 1) == 1);
    if (sizeof(long double) <= 8)
        SKIP("no wider type to compare with");
    search(search_f64, verify_all() ? (uint64_t)1 << 26 : 300000, 1, false);
}

/* ---- half floats ------------------------------------------------------------------- */

/* f16: 11 digits, exponents from -14 to 15; bf16: 8 digits, exponents as f32. */
static double ulps_half(double y, double truth, bool bf16)
{
    int digits = bf16 ? 8 : 11, least = bf16 ? -126 : -14, most = bf16 ? 127 : 15, e;
    double beyond = ldexp(1, most + 1);

    if (isnan(truth) || isnan(y))
        return isnan(truth) && isnan(y) ? 0 : INFINITY;
    if (y == 0 || truth == 0)
        if (y == truth)
            return !signbit(y) == !signbit(truth) ? 0 : INFINITY;
    if (fabs(truth) > beyond)
        truth = copysign(beyond, truth);
    if (isinf(y))
        y = copysign(beyond, y);
    frexp(truth == 0 ? ldexp(1, least) : truth, &e);
    return fabs(y - truth) / ldexp(1, MIN(MAX(e - 1, least), most) - digits + 1);
}

static void check_half(int f, int isa, bool bf16)
{
    enum { N = 1 << 16 };
    static uint16_t h[N], r[N];
    static float x[N], y[N];
    const KLoops *loops = k_loops_for(isa);
    Worst worst = {0, 0};

    for (int i = 0; i < N; i++)
        h[i] = (uint16_t)i;
    (bf16 ? loops->half->from_bf16 : loops->half->from_f16)(N, h, x);
    loops->type[KT_F32]->map[functions[f].op](N, (const void *[]){x}, (void *[]){y});
    (bf16 ? loops->half->to_bf16 : loops->half->to_f16)(N, y, r);
    (bf16 ? loops->half->from_bf16 : loops->half->from_f16)(N, r, y);
    for (int i = 0; i < N; i++) {
        double u = ulps_half((double)y[i], functions[f].f64((double)x[i]), bf16);

        if (u > worst.ulps)
            worst = (Worst){u, (double)x[i]};
    }
    if (!(worst.ulps <= 0.501))
        FAIL("%s %s %s: %.4f ulp at %a", functions[f].name, bf16 ? "bf16" : "f16",
             isa_name((Isa)isa), worst.ulps, worst.at);
    if (verify_all())
        printf("%-10s %-4s  %s %.4f\n", functions[f].name, bf16 ? "bf16" : "f16",
               isa_name((Isa)isa), worst.ulps);
}

TEST(functions_of_every_half_float_are_rounded_once)
{
    CHECK(ulps_half(1, 1, true) == 0 && ulps_half(1 + 0x1p-7, 1, true) == 1);
    CHECK(ulps_half(1 + 0x1p-10, 1, false) == 1);
    CHECK(ulps_half(INFINITY, 65535.9, false) < 0.01 && ulps_half(-0.0, 0, true) > 1);
    for (int f = 0; f < COUNT(functions); f++)
        for (int isa = 0; isa < ISA_COUNT; isa++)
            if (k_loops_for(isa))
                check_half(f, isa, false), check_half(f, isa, true);
}

/* ---- powers ------------------------------------------------------------------------ */

/* Both arguments of all sizes, or x near 1 and y large, or small whole numbers. */
static void sample_pair(uint64_t k, float *x, float *y)
{
    static const float corners[] = {0.0f,  -0.0f,    1,         -1,        INFINITY,
                                    -INFINITY, NAN, 0x1p-149f, -0x1p-149f, 0x1p-126f,
                                    FLT_MAX,   -FLT_MAX, 0.5f,  2,         3,
                                    -3,        -2.5f,    0x1p24f, 0x1.fffffep23f, 128};
    uint64_t n = (uint64_t)COUNT(corners), h = (k + 1) * 0x9E3779B97F4A7C15u;
    uint32_t a, b;

    h = (h ^ (h >> 31)) * 0xBF58476D1CE4E5B9u;
    h ^= h >> 29;
    a = (uint32_t)h, b = (uint32_t)(h >> 32);
    if (k < n * n) {
        *x = corners[k / n], *y = corners[k % n];
    } else if (k % 4 == 0) {
        memcpy(x, &a, 4);
        memcpy(y, &b, 4);
    } else if (k % 4 == 1) {
        *x = (float)(1 + ((double)a - 0x1p31) * 0x1p-40);
        *y = (float)(((double)b - 0x1p31) * 0x1p-15);
    } else if (k % 4 == 2) {
        *x = (float)((double)a * 0x1p-28);
        *y = (float)(((double)b - 0x1p31) * 0x1p-27);
    } else {
        *x = (float)((int)(a % 61) - 30);
        *y = (float)((int)(b % 41) - 20);
    }
}

TEST(powers_of_f32_are_within_one_ulp)
{
    enum { N = 1 << 16 };
    static float x[N], y[N], z[N];
    Worst worst[ISA_COUNT] = {{0, 0}};

    for (uint64_t at = 0; at < (verify_all() ? (uint64_t)1 << 26 : 1 << 20); at += N) {
        for (int i = 0; i < N; i++)
            sample_pair(at + (uint64_t)i, &x[i], &y[i]);
        for (int isa = 0; isa < ISA_COUNT; isa++) {
            if (!k_loops_for(isa))
                continue;
            k_loops_for(isa)->type[KT_F32]->map[KM_pow](N, (const void *[]){x, y},
                                                        (void *[]){z});
            for (int i = 0; i < N; i++) {
                double u = ulps_f32(z[i], pow((double)x[i], (double)y[i]));

                if (u > worst[isa].ulps)
                    worst[isa] = (Worst){u, (double)x[i]};
            }
        }
    }
    for (int isa = 0; isa < ISA_COUNT; isa++) {
        if (!(worst[isa].ulps <= 1))
            FAIL("pow %s: %.3f ulp at %a", isa_name((Isa)isa), worst[isa].ulps,
                 worst[isa].at);
        if (verify_all())
            printf("pow        f32  %s %.3f\n", isa_name((Isa)isa), worst[isa].ulps);
    }
}
