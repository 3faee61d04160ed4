/* random_tf.c -- random numbers as TensorFlow draws them: Philox 4x32-10.
 *
 * A sample is four words, of a key (two words) and a counter (four), which goes up by one. Floats are words with the exponent of
 * 1, less 1; normal numbers come in pairs by Box and Muller; truncated ones are drawn anew in groups of four, each from a
 * counter of its own, 256 apart.
 */
#include "script/engine/engine.h"
#include "random/random.h"

#include <math.h>

typedef struct Philox {
    uint32_t key[2], counter[4];
} Philox;

static void skip(Philox *p, uint64_t n)
{
    uint64_t lo = p->counter[0] | (uint64_t)p->counter[1] << 32,
             hi = p->counter[2] | (uint64_t)p->counter[3] << 32, to = lo + n;

    hi += to < lo;
    p->counter[0] = (uint32_t)to;
    p->counter[1] = (uint32_t)(to >> 32);
    p->counter[2] = (uint32_t)hi;
    p->counter[3] = (uint32_t)(hi >> 32);
}

static void sample(Philox *p, uint32_t out[4])
{
    uint32_t k0 = p->key[0], k1 = p->key[1];

    memcpy(out, p->counter, 16);
    for (int i = 0; i < 10; i++, k0 += 0x9E3779B9u, k1 += 0xBB67AE85u) {
        uint64_t a = (uint64_t)0xD2511F53u * out[0], b = (uint64_t)0xCD9E8D57u * out[2];
        uint32_t x1 = out[1], x3 = out[3];

        out[0] = (uint32_t)(b >> 32) ^ x1 ^ k0;
        out[1] = (uint32_t)b;
        out[2] = (uint32_t)(a >> 32) ^ x3 ^ k1;
        out[3] = (uint32_t)a;
    }
    skip(p, 1);
}

static float to_float(uint32_t x)
{
    uint32_t bits = 127u << 23 | (x & 0x7fffff);
    float f;

    memcpy(&f, &bits, 4);
    return f - 1.0f;
}

static double to_double(uint32_t hi, uint32_t lo)
{
    uint64_t bits = UINT64_C(1023) << 52 | (uint64_t)(hi & 0xfffff) << 32 | lo;
    double d;

    memcpy(&d, &bits, 8);
    return d - 1.0;
}

static void box_muller(uint32_t x0, uint32_t x1, float out[2])
{
    float u1 = fmaxf(to_float(x0), 1.0e-7f),
          v = (float)(2.0f * 3.14159265358979323846 * (double)to_float(x1)),
          u2 = sqrtf(-2.0f * logf(u1));

    out[0] = sinf(v) * u2;
    out[1] = cosf(v) * u2;
}

/* ---- filling ---------------------------------------------------------------------------------------- */

static void fill_f32(Philox *p, int kind, float *out, int64_t n)
{
    for (int64_t i = 0; i < n; i += 4) {
        uint32_t x[4];
        float f[4];

        sample(p, x);
        if (kind == 0) {
            for (int k = 0; k < 4; k++)
                f[k] = to_float(x[k]);
        } else {
            box_muller(x[0], x[1], f);
            box_muller(x[2], x[3], f + 2);
        }
        memcpy(out + i, f, (size_t)MIN(4, n - i) * 4);
    }
}

static void fill_f64(Philox *p, int kind, double *out, int64_t n)
{
    for (int64_t i = 0; i < n; i += 2) {
        uint32_t x[4];
        double d[2];

        sample(p, x);
        d[0] = to_double(x[0], x[1]);
        d[1] = to_double(x[2], x[3]);
        if (kind == 1) {
            double u = sqrt(-2.0 * log(fmax(d[0], 1.0e-7))),
                   v = 2 * 3.14159265358979323846 * d[1];
            d[0] = sin(v) * u;
            d[1] = cos(v) * u;
        }
        memcpy(out + i, d, (size_t)MIN(2, n - i) * 8);
    }
}

static void fill_truncated(const Philox *base, float *out, int64_t n)
{
    for (int64_t i = 0; i < n; i += 4) {
        Philox p = *base;
        float kept[4];
        int have = 0;

        skip(&p, (uint64_t)i / 4 * 256);
        while (have < 4) {
            uint32_t x[4];
            float f[4];

            sample(&p, x);
            box_muller(x[0], x[1], f);
            box_muller(x[2], x[3], f + 2);
            for (int k = 0; k < 4 && have < 4; k++)
                if (fabsf(f[k]) < 2.0f)
                    kept[have++] = f[k];
        }
        memcpy(out + i, kept, (size_t)MIN(4, n - i) * 4);
    }
}

/* lo + word % span, of one or two words; span 0: all of them */
static void fill_int(Philox *p, wf_dtype d, void *out, int64_t n, int64_t lo, int64_t hi)
{
    size_t size = wf_dtype_size(d);
    int per = size == 8 ? 2 : 4;
    uint64_t span = (uint64_t)hi - (uint64_t)lo;

    for (int64_t i = 0; i < n; i += per) {
        uint32_t x[4];

        sample(p, x);
        for (int k = 0; k < per && i + k < n; k++) {
            uint64_t v = per == 2 ? x[2 * k] | (uint64_t)x[2 * k + 1] << 32 : x[k];

            v = (span ? v % (per == 2 ? span : (uint32_t)span) : v) + (uint64_t)lo;
            memcpy((char *)out + (size_t)(i + k) * size, &v, size);
        }
    }
}

/* ---- natives ------------------------------------------------------------------------------------------ */

static bool words(En *e, const Args *a, int at, Philox *p)
{
    int64_t v[3];

    for (int i = 0; i < 3; i++)
        if (!en_int(e, a->v[at + i], &v[i]))
            return false;
    for (int i = 0; i < 2; i++) {
        p->key[i] = (uint32_t)((uint64_t)v[0] >> 32 * i);
        p->counter[i] = (uint32_t)((uint64_t)v[1] >> 32 * i);
        p->counter[2 + i] = (uint32_t)((uint64_t)v[2] >> 32 * i);
    }
    return true;
}

/* philox(kind, shape, dtype, key, counter, counter_high, lo, hi): kind 0 uniform, 1 normal, 2 truncated, 3 integers */
static Value n_philox(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    int64_t kind, dims[WF_MAX_RANK], lo = 0, hi = 0;
    wf_dtype d = WF_F32;
    wf_tensor h;
    Tensor *t;
    Philox p;
    int rank;

    if (!en_int(&e, a->v[0], &kind) || !en_shape(&e, a->v[1], dims, &rank) ||
        !en_dtype(&e, a->v[2], &d) || !words(&e, a, 3, &p) || !en_int(&e, a->v[6], &lo) ||
        !en_int(&e, a->v[7], &hi))
        return en_fail(&e);
    h = wf_zeros(e.c, d, dims, rank);
    t = failed(e.c) ? NULL : tensor_get(e.c, h, "random");
    if (!t || t->symbolic) {
        if (t)
            sc_fail(vm, C_RuntimeError, "random numbers need sizes that are known");
        return en_fail(&e);
    }
    if (kind == 3)
        fill_int(&p, d, tensor_data(t), t->count, lo, hi);
    else if (d == WF_F64 && kind < 2)
        fill_f64(&p, (int)kind, tensor_data(t), t->count);
    else if (d == WF_F32 && kind < 2)
        fill_f32(&p, (int)kind, tensor_data(t), t->count);
    else if (d == WF_F32)
        fill_truncated(&p, tensor_data(t), t->count);
    else
        sc_fail(vm, C_TypeError, "random numbers of %s", wf_dtype_name(d));
    return sc_failed(vm) ? en_fail(&e) : en_end(&e, h);
}

/* philox_order(n, key, counter, counter_high): 0 .. n-1, each swapped with one behind it */
static Value n_philox_order(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    int64_t n, *v;
    uint32_t x[4] = {0};
    wf_tensor h;
    Tensor *t;
    Philox p;

    if (!en_int(&e, a->v[0], &n) || !words(&e, a, 1, &p))
        return en_fail(&e);
    h = wf_zeros(e.c, WF_I64, &n, 1);
    t = failed(e.c) ? NULL : tensor_get(e.c, h, "random");
    if (!t || t->symbolic)
        return en_fail(&e);
    v = tensor_data(t);
    for (int64_t i = 0; i < n; i++)
        v[i] = i;
    for (int64_t i = 0; i + 1 < n; i++) {
        int64_t k, swap;

        if (i % 4 == 0)
            sample(&p, x);
        k = i + x[i % 4] % (uint32_t)(n - i);
        swap = v[i];
        v[i] = v[k];
        v[k] = swap;
    }
    return en_end(&e, h);
}

/* philox_mix(seed, seed): key and counter of stateless numbers, as three integers of 64 bits in a tensor */
static Value n_philox_mix(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    Philox p = {{0x3ec8f720u, 0x02461e29u}, {0}};
    int64_t s0, s1, n = 3, out[3];
    uint32_t x[4];

    if (!en_int(&e, a->v[0], &s0) || !en_int(&e, a->v[1], &s1))
        return en_fail(&e);
    for (int i = 0; i < 2; i++) {
        p.counter[i] = (uint32_t)((uint64_t)s0 >> 32 * i);
        p.counter[2 + i] = (uint32_t)((uint64_t)s1 >> 32 * i);
    }
    sample(&p, x);
    out[0] = (int64_t)(x[0] | (uint64_t)x[1] << 32);
    out[1] = 0;
    out[2] = (int64_t)(x[2] | (uint64_t)x[3] << 32);
    return en_end(&e, wf_from(e.c, WF_I64, &n, 1, out));
}

const NativeDef engine_random_tf[] = {
    {"philox", n_philox, "kind,shape,dtype,key,counter,high,lo,hi"},
    {"philox_order", n_philox_order, "n,key,counter,high"},
    {"philox_mix", n_philox_mix, "a,b"},
    {0},
};
