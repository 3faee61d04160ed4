/* philox.c -- PyTorch's CUDA generator: Philox 4x32-10, numbered by thread.
 *
 * The counter-based generator of Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", 2011. A kernel of
 * PyTorch has blocks of 256 threads, as many as there are elements but at most those that the GPU holds at once
 * (TorchRng.blocks). Thread i draws four words at (count, i), where count goes on with every round of all threads:
 *
 *   element  round * threads * u + j * threads + i    is the j-th of the u numbers that these words make
 *
 * u is 4, or 2 for numbers of 64 bits. After a call the count has gone on by its rounds. Words become numbers as
 * cuRAND makes them: (0, 1], of which PyTorch turns 1 into 0; pairs of normals by Box and Muller.
 */
#include "random/random.h"

#include <math.h>

#define PI      3.14159265358979323846
#define THREADS 256
#define BLOCKS  1056 /* of a GPU that nobody has seen: an H100's, 132 times 8 */

static void philox(uint32_t c[4], uint64_t key)
{
    uint32_t k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);

    for (int round = 0; round < 10; round++) {
        uint64_t a = (uint64_t)0xd2511f53 * c[0], b = (uint64_t)0xcd9e8d57 * c[2];
        uint32_t c1 = c[1], c3 = c[3];

        c[0] = (uint32_t)(b >> 32) ^ c1 ^ k0;
        c[1] = (uint32_t)b;
        c[2] = (uint32_t)(a >> 32) ^ c3 ^ k1;
        c[3] = (uint32_t)a;
        k0 += 0x9e3779b9;
        k1 += 0xbb67ae85;
    }
}

uint64_t philox_u64(TorchRng *r)
{
    uint32_t w[4] = {(uint32_t)r->count, (uint32_t)(r->count >> 32), 0, 0};

    r->count++;
    philox(w, r->seed);
    return (uint64_t)w[1] << 32 | w[0];
}

/* What becomes of four words: v[0..3], or v[0..1]. */
typedef struct Number {
    double real;
    uint64_t bits;
} Number;
typedef void Make(const uint32_t w[4], Number v[4]);
typedef struct Draw {
    Make *make;
    int each; /* numbers of four words */
} Draw;

static void make_f32(const uint32_t w[4], Number v[4])
{
    for (int i = 0; i < 4; i++)
        v[i].real = (double)fmaf((float)w[i], 0x1p-32f, 0x1p-33f);
}

static double unit_f64(uint32_t x, uint32_t y)
{
    return (double)(x ^ ((uint64_t)y << 21)) * 0x1p-53 + 0x1p-54;
}

static void make_f64(const uint32_t w[4], Number v[4])
{
    v[0].real = unit_f64(w[0], w[1]);
    v[1].real = unit_f64(w[2], w[3]);
}

static void make_normal_f32(const uint32_t w[4], Number v[4])
{
    const float turn = 0x1p-32f * (float)(2 * PI);

    for (int i = 0; i < 4; i += 2) {
        float radius = sqrtf(-2.0f * logf(fmaf((float)w[i], 0x1p-32f, 0x1p-33f)));
        float angle = fmaf((float)w[i + 1], turn, turn / 2);

        v[i].real = (double)(radius * sinf(angle));
        v[i + 1].real = (double)(radius * cosf(angle));
    }
}

static void make_normal_f64(const uint32_t w[4], Number v[4])
{
    double radius = sqrt(-2 * log(unit_f64(w[0], w[1]))), angle = 2 * PI * unit_f64(w[2], w[3]);

    v[0].real = radius * sin(angle);
    v[1].real = radius * cos(angle);
}

static void make_u32(const uint32_t w[4], Number v[4])
{
    for (int i = 0; i < 4; i++)
        v[i].bits = w[i];
}

static void make_u64(const uint32_t w[4], Number v[4])
{
    v[0].bits = (uint64_t)w[0] << 32 | w[1];
    v[1].bits = (uint64_t)w[2] << 32 | w[3];
}

/* put(user, i, number) for elements 0 .. n-1. */
static void draw(TorchRng *r, Draw d, int64_t n, void (*put)(void *user, int64_t i, Number v),
                 void *user)
{
    int64_t most = r->blocks > 0 ? r->blocks : BLOCKS;
    int64_t threads = MIN((n + THREADS - 1) / THREADS, most) * THREADS;

    for (int64_t at = 0; at < n; at += threads * d.each, r->count++)
        for (int64_t i = 0; i < threads && at + i < n; i++) {
            uint32_t w[4] = {(uint32_t)r->count, (uint32_t)(r->count >> 32), (uint32_t)i,
                             (uint32_t)((uint64_t)i >> 32)};
            Number v[4];

            philox(w, r->seed);
            d.make(w, v);
            for (int j = 0; j < d.each && at + j * threads + i < n; j++)
                put(user, at + j * threads + i, v[j]);
        }
}

/* ---- distributions --------------------------------------------------------------------- */

typedef struct Fill {
    wf_dtype dtype;
    void *out;
    double a, b;
    PhiloxKind kind;
    int64_t low;
    uint64_t range;
} Fill;

static double real_of(const Fill *f, double x)
{
    bool wide = f->dtype == WF_F64;
    double eps = wide ? 0x1p-52 : 0x1p-23f;

    switch (f->kind) {
    case PHILOX_UNIFORM:
        x = wide ? fma(x, f->b - f->a, f->a)
                 : (double)fmaf((float)x, (float)(f->b - f->a), (float)f->a);
        return torch_round(f->dtype, x) == torch_round(f->dtype, f->b) ? f->a : x;
    case PHILOX_NORMAL:
        return wide ? fma(x, f->b, f->a) : (double)fmaf((float)x, (float)f->b, (float)f->a);
    case PHILOX_LOG_NORMAL:
        return exp(wide ? fma(x, f->b, f->a) : (double)fmaf((float)x, (float)f->b, (float)f->a));
    case PHILOX_EXPONENTIAL: return -1 / f->a * (x >= 1 - eps / 2 ? -eps / 2 : log(x));
    case PHILOX_CAUCHY:
        return f->a + f->b * tan(PI * (MIN(MAX(x, eps), 1 - eps) - 0.5));
    case PHILOX_GEOMETRIC: return ceil(log(x) / log1p(-f->a));
    default: return x < (wide ? f->a : (double)(float)f->a); /* PHILOX_BERNOULLI */
    }
}

static void put_real(void *user, int64_t i, Number v)
{
    const Fill *f = user;
    double x = real_of(f, v.real);

    if (dtype_is_float(f->dtype))
        torch_put_real(f->dtype, f->out, i, x);
    else
        torch_put_int(f->dtype, f->out, i, (int64_t)x);
}

void philox_draw(TorchRng *r, PhiloxKind kind, wf_dtype dtype, void *out, int64_t n, double a,
                 double b)
{
    bool normal = kind == PHILOX_NORMAL || kind == PHILOX_LOG_NORMAL, wide = dtype == WF_F64;
    Fill f = {.dtype = dtype, .out = out, .a = a, .b = b, .kind = kind};
    Draw d = {wide ? (normal ? make_normal_f64 : make_f64) : normal ? make_normal_f32 : make_f32,
              wide ? 2 : 4};

    draw(r, d, n, put_real, &f);
}

static void put_integer(void *user, int64_t i, Number v)
{
    const Fill *f = user;

    torch_put_int(f->dtype, f->out, i, (int64_t)((uint64_t)f->low + v.bits % f->range));
}

void philox_randint(TorchRng *r, wf_dtype dtype, void *out, int64_t n, int64_t low, uint64_t range)
{
    Fill f = {.dtype = dtype, .out = out, .low = low, .range = range};

    draw(r, range >> 28 ? (Draw){make_u64, 2} : (Draw){make_u32, 4}, n, put_integer, &f);
}
