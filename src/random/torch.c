/* torch.c -- PyTorch's CPU generator.
 *
 * The engine is the Mersenne twister seeded with the low 32 bits. Each function makes the draws that
 * PyTorch's kernel for it makes, in its order, so a seeded sequence of calls gives the same numbers.
 *
 *   uniform    f64: 53 bits of 64; others: 24 bits of 32, rounded; x*(to-from)+from
 *   normal     fewer than 16: pairs by Box and Muller in f64, the second kept for the next call;
 *              16 or more: all uniforms first, then blocks of 16 transformed together, the last 16
 *              drawn anew where the count is no multiple of 16
 *   others     one f64 uniform for each element
 *
 * x*a + b is rounded once, as PyTorch's kernels for AVX2 and later do it.
 */
#include "random/random.h"

#include <math.h>


#define PI 3.14159265358979323846
/* `at` before the first draw: saved states tell it from a state used up */
#define TORCH_FRESH (MT_WORDS + 1)

void torch_seed(TorchRng *r, uint64_t seed)
{
    *r = (TorchRng){.seed = seed};
    mt_seed(&r->mt, (uint32_t)seed);
    r->mt.at = TORCH_FRESH;
}

void torch_seed_again(TorchRng *r, uint64_t seed)
{
    bool gpu = r->gpu;
    int64_t blocks = r->blocks;

    torch_seed(r, seed);
    r->gpu = gpu;
    r->blocks = blocks;
}

uint32_t torch_u32(TorchRng *r) { return r->gpu ? (uint32_t)philox_u64(r) : mt_u32(&r->mt); }
uint64_t torch_u64(TorchRng *r) { return r->gpu ? philox_u64(r) : mt_u64(&r->mt); }

double torch_unit(TorchRng *r)
{
    return (double)(torch_u64(r) & ((UINT64_C(1) << 53) - 1)) * 0x1p-53;
}

static float unit_f32(TorchRng *r)
{
    return (float)(torch_u32(r) & 0xffffff) * 0x1p-24f;
}

/* 24 bits of each word as a part of 1, times span and from lo. */
INLINE void scale_words(float *restrict d, const uint32_t *restrict bits, int64_t n, float lo, float span)
{
    for (int64_t i = 0; i < n; i++)
        d[i] = fmaf((float)(int32_t)(bits[i] & 0xffffff) * 0x1p-24f, span, lo);
}

#if defined(__x86_64__)
VECTORS __attribute__((target("avx2,fma"))) static void scale_words_fma(float *restrict d, const uint32_t *restrict bits, int64_t n, float lo,
                                                                        float span)
{
    scale_words(d, bits, n, lo, span);
}
#else
#define scale_words_fma scale_words
#endif

/* The next n of unit_f32, in lo .. lo + span. */
static void units_f32(TorchRng *r, float *d, int64_t n, float lo, float span)
{
    if (r->gpu) {
        for (int64_t i = 0; i < n; i++)
            d[i] = fmaf(unit_f32(r), span, lo);
        return;
    }
    for (int64_t at = 0; at < n; at += 512) {
        uint32_t bits[512];
        int64_t k = MIN(n - at, (int64_t)COUNT(bits));

        mt_fill(&r->mt, bits, k);
        if (has_avx2())
            scale_words_fma(d + at, bits, k, lo, span);
        else
            scale_words(d + at, bits, k, lo, span);
    }
}

static bool is_float(wf_dtype t)
{
    return t == WF_F16 || t == WF_BF16 || t == WF_F32 || t == WF_F64;
}

/* ---- storing a number in any dtype ------------------------------------------------------------ */

void torch_put_real(wf_dtype t, void *out, int64_t i, double x)
{
    switch (t) {
    case WF_F64: ((double *)out)[i] = x; return;
    case WF_F32: ((float *)out)[i] = (float)x; return;
    case WF_F16: ((uint16_t *)out)[i] = f16_from_f32((float)x); return;
    default: ((uint16_t *)out)[i] = bf16_from_f32((float)x); return;
    }
}

double torch_round(wf_dtype t, double x)
{
    return t == WF_F64   ? x
           : t == WF_F16 ? (double)f16_to_f32(f16_from_f32((float)x))
           : t == WF_BF16 ? (double)bf16_to_f32(bf16_from_f32((float)x))
                          : (double)(float)x;
}

/* Integers keep their low bits. */
void torch_put_int(wf_dtype t, void *out, int64_t i, int64_t v)
{
    if (is_float(t)) {
        torch_put_real(t, out, i, (double)v);
        return;
    }
    switch (wf_dtype_size(t)) {
    case 1: ((uint8_t *)out)[i] = t == WF_BOOL ? v != 0 : (uint8_t)v; return;
    case 2: ((uint16_t *)out)[i] = (uint16_t)v; return;
    case 4: ((uint32_t *)out)[i] = (uint32_t)v; return;
    default: ((int64_t *)out)[i] = v; return;
    }
}

/* ---- uniform ----------------------------------------------------------------------------------- */

/* f16 and bf16 are the f32 numbers, rounded; what is rounded up to `to` becomes `from`. */
bool torch_uniform(TorchRng *r, wf_dtype dtype, void *out, int64_t n, double from,
                   double to)
{
    float lo = (float)from, hi = (float)to;

    if (!is_float(dtype))
        return false;
    if (r->gpu) {
        philox_draw(r, PHILOX_UNIFORM, dtype, out, n, from, to);
        return true;
    }
    if (dtype == WF_F32) {
        units_f32(r, out, n, lo, hi - lo);
        return true;
    }
    for (int64_t i = 0; i < n; i++) {
        float x;

        if (dtype == WF_F64) {
            ((double *)out)[i] = fma(torch_unit(r), to - from, from);
            continue;
        }
        x = fmaf(unit_f32(r), hi - lo, lo);
        if (dtype == WF_F16 && f16_to_f32(f16_from_f32(x)) >= hi)
            x = lo;
        if (dtype == WF_BF16 && bf16_to_f32(bf16_from_f32(x)) >= hi)
            x = lo;
        torch_put_real(dtype, out, i, (double)x);
    }
    return true;
}

/* ---- normal ------------------------------------------------------------------------------------- */

/* Box and Muller, one number at a time. */
double torch_normal_unit(TorchRng *r)
{
    if (r->has_f64) {
        r->has_f64 = false;
        return r->next_f64;
    }
    double u1 = torch_unit(r), u2 = torch_unit(r);
    double radius = sqrt(-2.0 * log1p(-u2)), theta = 2.0 * PI * u1;

    r->next_f64 = radius * sin(theta);
    r->has_f64 = true;
    return radius * cos(theta);
}

/* PyTorch's vector kernel for f32 takes its logarithm, sine and cosine from polynomials of the Cephes
 * library (Moshier, "Methods and Programs for Mathematical Functions", 1989), every sum of a product
 * fused; these make its bits. log of x in [2^-24, 1]: x = m * 2^e, m in [sqrt(1/2), sqrt(2)), and
 * log m = m-1 - (m-1)^2/2 + (m-1)^3 p(m-1); log 2 in two parts. */
INLINE float log_unit(float x)
{
    static const float p[] = {7.0376836292e-2f,  -1.1514610310e-1f, 1.1676998740e-1f,
                              -1.2420140846e-1f, 1.4249322787e-1f,  -1.6668057665e-1f,
                              2.0000714765e-1f,  -2.4999993993e-1f, 3.3333331174e-1f};
    uint32_t bits;
    int e;
    float m, y = p[0], z;

    memcpy(&bits, &x, sizeof bits);
    e = (int)(bits >> 23) - 126;
    bits = (bits & 0x7fffff) | 126u << 23; /* m in [1/2, 1) */
    memcpy(&m, &bits, sizeof m);
    e -= m < 0.707106781186547524f;
    m = m - 1.0f + (m < 0.707106781186547524f ? m : 0.0f);
    z = m * m;
    for (int i = 1; i < COUNT(p); i++)
        y = fmaf(y, m, p[i]);
    y = fmaf(y * m, z, (float)e * -2.12194440e-4f);
    y = fmaf(z, -0.5f, y);
    return fmaf((float)e, 0.693359375f, m + y);
}

/* Of x in [0, 2 pi): taken to within pi/4 of a multiple of pi/2, in three parts. */
INLINE void sincos_turn(float x, float *out_sin, float *out_cos)
{
    int j = ((int)(x * 1.27323954473516f) + 1) & ~1; /* octants */
    float y = (float)j, z, s, c;

    x = fmaf(y, -0.78515625f, x);
    x = fmaf(y, -2.4187564849853515625e-4f, x);
    x = fmaf(y, -3.77489497744594108e-8f, x);
    z = x * x;
    c = fmaf(2.443315711809948e-5f, z, -1.388731625493765e-3f);
    c = fmaf(c, z, 4.166664568298827e-2f);
    c = fmaf(c * z, z, -(z * 0.5f)) + 1.0f;
    s = fmaf(-1.9515295891e-4f, z, 8.3321608736e-3f);
    s = fmaf(s, z, -1.6666654611e-1f);
    s = fmaf(s * z, x, x);
    *out_sin = (j & 2 ? c : s) * (j & 4 ? -1.0f : 1.0f);
    *out_cos = (j & 2 ? s : c) * (~(j - 2) & 4 ? -1.0f : 1.0f);
}

/* Of blocks of 16: d[j] and d[j+8] are uniform; they become a pair of normal numbers. */
INLINE void blocks_f32(float *d, int64_t n, float mean, float std)
{
    for (; n > 0; n--, d += 16) {
        float radius[8], sine[8], cosine[8];

        for (int j = 0; j < 8; j++)
            radius[j] = -2.0f * log_unit(1.0f - d[j]);
        for (int j = 0; j < 8; j++)
            radius[j] = sqrtf(radius[j]);
        for (int j = 0; j < 8; j++)
            sincos_turn((float)(2.0 * PI) * d[j + 8], &sine[j], &cosine[j]);
        for (int j = 0; j < 8; j++) {
            d[j] = fmaf(radius[j] * cosine[j], std, mean);
            d[j + 8] = fmaf(radius[j] * sine[j], std, mean);
        }
    }
}

#if defined(__x86_64__)
/* With an instruction for a*b + c, which gives the same bits as the function. */
VECTORS __attribute__((target("avx2,fma"))) static void blocks_fma_f32(float *d, int64_t n,
                                                                       float mean, float std)
{
    blocks_f32(d, n, mean, std);
}
#endif

static void normal_f32(float *d, int64_t n, float mean, float std)
{
#if defined(__x86_64__)
    if (has_avx2()) {
        blocks_fma_f32(d, n, mean, std);
        return;
    }
#endif
    blocks_f32(d, n, mean, std);
}

static void block_f64(double *d, double mean, double std)
{
    for (int j = 0; j < 8; j++) {
        double radius = sqrt(-2.0 * log(1.0 - d[j])), theta = 2.0 * PI * d[j + 8];

        d[j] = fma(radius * cos(theta), std, mean);
        d[j + 8] = fma(radius * sin(theta), std, mean);
    }
}

static void fill_f32(TorchRng *r, float *d, int64_t n, float mean, float std)
{
    units_f32(r, d, n, 0, 1);
    normal_f32(d, n / 16, mean, std);
    if (n % 16) {
        d += n - 16;
        for (int i = 0; i < 16; i++)
            d[i] = unit_f32(r);
        normal_f32(d, 1, mean, std);
    }
}

static void fill_f64(TorchRng *r, double *d, int64_t n, double mean, double std)
{
    for (int64_t i = 0; i < n; i++)
        d[i] = torch_unit(r);
    for (int64_t i = 0; i + 16 <= n; i += 16)
        block_f64(d + i, mean, std);
    if (n % 16) {
        d += n - 16;
        for (int i = 0; i < 16; i++)
            d[i] = torch_unit(r);
        block_f64(d, mean, std);
    }
}

/* f16 and bf16: f32 numbers, rounded; block by block, so nothing is drawn that is not used. */
static void fill_half(TorchRng *r, wf_dtype dtype, void *out, int64_t n, float mean,
                      float std)
{
    for (int64_t done = 0; done < n; done += 16) {
        int64_t at = MIN(done, n - 16);
        float d[16];

        for (int j = 0; j < 16; j++)
            d[j] = unit_f32(r);
        normal_f32(d, 1, mean, std);
        for (int j = 0; j < 16; j++)
            torch_put_real(dtype, out, at + j, (double)d[j]);
    }
}

bool torch_normal(TorchRng *r, wf_dtype dtype, void *out, int64_t n, double mean,
                  double std)
{
    if (!is_float(dtype))
        return false;
    if (r->gpu) {
        philox_draw(r, PHILOX_NORMAL, dtype, out, n, mean, std);
        return true;
    }
    if (n < 16) {
        for (int64_t i = 0; i < n; i++)
            torch_put_real(dtype, out, i, fma(torch_normal_unit(r), std, mean));
    } else if (dtype == WF_F32) {
        fill_f32(r, out, n, (float)mean, (float)std);
    } else if (dtype == WF_F64) {
        fill_f64(r, out, n, mean, std);
    } else {
        fill_half(r, dtype, out, n, (float)mean, (float)std);
    }
    return true;
}

/* ---- other distributions of one uniform ---------------------------------------------------------- */

bool torch_exponential(TorchRng *r, wf_dtype dtype, void *out, int64_t n, double lambda)
{
    if (!is_float(dtype))
        return false;
    if (r->gpu) {
        philox_draw(r, PHILOX_EXPONENTIAL, dtype, out, n, lambda, 0);
        return true;
    }
    for (int64_t i = 0; i < n; i++)
        torch_put_real(dtype, out, i, -1.0 / lambda * log1p(-torch_unit(r)));
    return true;
}

bool torch_cauchy(TorchRng *r, wf_dtype dtype, void *out, int64_t n, double median,
                  double sigma)
{
    if (!is_float(dtype))
        return false;
    if (r->gpu) {
        philox_draw(r, PHILOX_CAUCHY, dtype, out, n, median, sigma);
        return true;
    }
    for (int64_t i = 0; i < n; i++)
        torch_put_real(dtype, out, i, median + sigma * tan(PI * (torch_unit(r) - 0.5)));
    return true;
}

bool torch_log_normal(TorchRng *r, wf_dtype dtype, void *out, int64_t n, double mean,
                      double std)
{
    if (!is_float(dtype))
        return false;
    if (r->gpu) {
        philox_draw(r, PHILOX_LOG_NORMAL, dtype, out, n, mean, std);
        return true;
    }
    for (int64_t i = 0; i < n; i++)
        torch_put_real(dtype, out, i, exp(fma(torch_normal_unit(r), std, mean)));
    return true;
}

bool torch_geometric(TorchRng *r, wf_dtype dtype, void *out, int64_t n, double p)
{
    if (dtype == WF_BOOL)
        return false;
    if (r->gpu) {
        philox_draw(r, PHILOX_GEOMETRIC, dtype, out, n, p, 0);
        return true;
    }
    for (int64_t i = 0; i < n; i++) {
        double x = ceil(log(torch_unit(r)) / log1p(-p));

        if (is_float(dtype))
            torch_put_real(dtype, out, i, x);
        else
            torch_put_int(dtype, out, i, (int64_t)x);
    }
    return true;
}

bool torch_bernoulli(TorchRng *r, wf_dtype dtype, void *out, int64_t n, double p)
{
    if (r->gpu) {
        philox_draw(r, PHILOX_BERNOULLI, dtype, out, n, p, 0);
        return true;
    }
    for (int64_t i = 0; i < n; i++)
        torch_put_int(dtype, out, i, torch_unit(r) < p);
    return true;
}

bool torch_bernoulli_each(TorchRng *r, wf_dtype dtype, void *out, int64_t n,
                          wf_dtype p_dtype, const void *p)
{
    if (p_dtype != WF_F64 && p_dtype != WF_F32)
        return false;
    for (int64_t i = 0; i < n; i++)
        torch_put_int(dtype, out, i,
                p_dtype == WF_F64 ? torch_unit(r) < ((const double *)p)[i]
                                  : unit_f32(r) < ((const float *)p)[i]);
    return true;
}

/* ---- integers ---------------------------------------------------------------------------------------- */

/* Ranges of 2^28 and more take 64 bits, so that the remainder favours no result visibly. */
bool torch_randint(TorchRng *r, wf_dtype dtype, void *out, int64_t n, int64_t low,
                   int64_t high)
{
    uint64_t range = (uint64_t)high - (uint64_t)low;

    if (r->gpu) {
        philox_randint(r, dtype, out, n, low, range);
        return true;
    }
    for (int64_t i = 0; i < n; i++) {
        uint64_t draw = range >> 28 ? torch_u64(r) : torch_u32(r);

        torch_put_int(dtype, out, i, (int64_t)((uint64_t)low + draw % range));
    }
    return true;
}

bool torch_random(TorchRng *r, wf_dtype dtype, void *out, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        uint64_t x;

        switch (dtype) {
        case WF_F64: x = torch_u64(r) % ((UINT64_C(1) << 53) + 1); break;
        case WF_F32: x = torch_u32(r) % ((1u << 24) + 1); break;
        case WF_F16: x = torch_u32(r) % ((1u << 11) + 1); break;
        case WF_BF16: x = torch_u32(r) % ((1u << 8) + 1); break;
        case WF_BOOL: x = torch_u32(r) & 1; break;
        case WF_I64: x = torch_u64(r) & (uint64_t)INT64_MAX; break;
        case WF_U64: x = torch_u64(r); break;
        case WF_I32: x = torch_u32(r) & INT32_MAX; break;
        case WF_I16: x = torch_u32(r) & INT16_MAX; break;
        case WF_I8: x = torch_u32(r) & INT8_MAX; break;
        default: x = torch_u32(r); break;
        }
        torch_put_int(dtype, out, i, (int64_t)x);
    }
    return true;
}

/* Fisher and Yates, from the front. */
void torch_randperm(TorchRng *r, int64_t *out, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        out[i] = i;
    for (int64_t i = 0; i < n - 1; i++) {
        int64_t z = i + (int64_t)((uint64_t)torch_u32(r) % (uint64_t)(n - i)),
                t = out[i];

        out[i] = out[z];
        out[z] = t;
    }
}

/* ---- multinomial ---------------------------------------------------------------------------------------- */

static double weight(wf_dtype dtype, const void *w, int64_t i)
{
    return dtype == WF_F64 ? ((const double *)w)[i] : (double)((const float *)w)[i];
}

/* Without replacement: weight / exponential, the m largest, in order. With: the running sums in the
 * dtype, normalised, searched for a uniform. */
void torch_multinomial(TorchRng *r, wf_dtype dtype, const void *weights, int64_t k,
                       int64_t m, bool replacement, int64_t *out, double *scratch)
{
    if (!replacement || m == 1) {
        for (int64_t i = 0; i < k; i++) {
            double q;

            if (dtype == WF_F64) {
                (void)torch_exponential(r, WF_F64, &q, 1, 1);
                scratch[i] = weight(dtype, weights, i) / q;
            } else {
                float q32;

                (void)torch_exponential(r, WF_F32, &q32, 1, 1);
                scratch[i] = (double)(((const float *)weights)[i] / q32);
            }
        }
        for (int64_t j = 0; j < m; j++) {
            int64_t best = 0;

            for (int64_t i = 1; i < k; i++)
                if (scratch[i] > scratch[best])
                    best = i;
            out[j] = best;
            scratch[best] = -1;
        }
        return;
    }
    double sum = 0;

    for (int64_t i = 0; i < k; i++) {
        sum += weight(dtype, weights, i);
        if (dtype == WF_F32)
            sum = (double)(float)sum;
        scratch[i] = sum;
    }
    for (int64_t i = 0; i < k; i++)
        scratch[i] =
            dtype == WF_F32 ? (double)((float)scratch[i] / (float)sum) : scratch[i] / sum;
    scratch[k - 1] = 1;
    for (int64_t j = 0; j < m; j++) {
        double u = torch_unit(r);
        int64_t low = 0, high = k;

        while (high > low) {
            int64_t mid = low + (high - low) / 2;

            if (scratch[mid] < u)
                low = mid + 1;
            else
                high = mid;
        }
        out[j] = low;
    }
}

/* ---- state: seed u64, left i32, seeded i32, next u64, 624 x u64, three f64 and a flag for the pending
 *      f64 (the second is its value), the pending f32 and its flag --------------------------------------- */

static void put_le(uint8_t *p, uint64_t v, int bytes)
{
    for (int i = 0; i < bytes; i++)
        p[i] = (uint8_t)(v >> 8 * i);
}

static uint64_t get_le(const uint8_t *p, int bytes)
{
    uint64_t v = 0;

    for (int i = 0; i < bytes; i++)
        v |= (uint64_t)p[i] << 8 * i;
    return v;
}

#define STATE_WORDS 24
#define STATE_TAIL  (STATE_WORDS + 8 * MT_WORDS)

void torch_state_save(const TorchRng *r, uint8_t out[TORCH_STATE_BYTES])
{
    uint64_t bits = 0;
    uint32_t bits32 = 0;

    memset(out, 0, TORCH_STATE_BYTES);
    put_le(out, r->seed, 8);
    put_le(out + 8, r->mt.at >= MT_WORDS ? 1 : MT_WORDS + 1 - r->mt.at, 4);
    put_le(out + 12, 1, 4);
    put_le(out + 16, r->mt.at == TORCH_FRESH ? 0 : r->mt.at, 8);
    for (int i = 0; i < MT_WORDS; i++)
        put_le(out + STATE_WORDS + 8 * i, r->mt.s[i], 8);
    if (r->has_f64)
        memcpy(&bits, &r->next_f64, 8);
    if (r->has_f32)
        memcpy(&bits32, &r->next_f32, 4);
    put_le(out + STATE_TAIL + 8, bits, 8);
    put_le(out + STATE_TAIL + 24, r->has_f64, 4);
    put_le(out + STATE_TAIL + 32, bits32, 4);
    out[STATE_TAIL + 36] = r->has_f32;
}

bool torch_state_load(TorchRng *r, const uint8_t in[TORCH_STATE_BYTES])
{
    uint64_t left = get_le(in + 8, 4), next = get_le(in + 16, 8),
             bits = get_le(in + STATE_TAIL + 8, 8);
    uint32_t bits32 = (uint32_t)get_le(in + STATE_TAIL + 32, 4);

    if (left < 1 || left > MT_WORDS || next > MT_WORDS || get_le(in + 12, 4) != 1)
        return false;
    if (left + next != MT_WORDS + 1 && !(left == 1 && next == 0))
        return false;
    *r = (TorchRng){.seed = get_le(in, 8)};
    for (int i = 0; i < MT_WORDS; i++)
        r->mt.s[i] = (uint32_t)get_le(in + STATE_WORDS + 8 * i, 8);
    r->mt.at = left == 1 && next == 0 ? TORCH_FRESH : (uint32_t)next;
    r->has_f64 = get_le(in + STATE_TAIL + 24, 4) != 0;
    r->has_f32 = in[STATE_TAIL + 36] != 0;
    memcpy(&r->next_f64, &bits, 8);
    memcpy(&r->next_f32, &bits32, 4);
    return true;
}

void torch_gpu_state_save(const TorchRng *r, uint8_t out[TORCH_GPU_STATE_BYTES])
{
    put_le(out, r->seed, 8);
    put_le(out + 8, 4 * r->count, 8);
}

bool torch_gpu_state_load(TorchRng *r, const uint8_t in[TORCH_GPU_STATE_BYTES])
{
    uint64_t words = get_le(in + 8, 8);

    if (words % 4)
        return false;
    torch_seed_again(r, get_le(in, 8));
    r->count = words / 4;
    return true;
}
