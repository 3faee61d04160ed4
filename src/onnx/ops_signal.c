/* ops_signal.c -- Fourier transforms as products with the matrix of roots of unity; windows. */
#include "onnx/ops.h"

#define PI 3.14159265358979323846

static wf_tensor f64(OxRun *r, double v) { return wf_scalar(r->c, WF_F64, v); }
static wf_tensor of_size(OxRun *r, int64_t size) { return wf_cast(r->c, ox_num_tensor(r, ox_num_size(size)), WF_F64); }

/* cos and sin of 2 pi k j / n, [n, k] */
static void roots(OxRun *r, int64_t n, int64_t k, wf_dtype dtype, wf_tensor *cosine, wf_tensor *sine)
{
    wf_ctx *c = r->c;
    int64_t dims[2] = {n, k};
    wf_tensor places = wf_iota(c, WF_I64, dims, 2, 1);
    wf_tensor turns = wf_mul(c, wf_iota(c, WF_I64, dims, 2, 0), places), a;
    wf_tensor count;

    turns = wf_remainder(c, turns, ox_num_tensor(r, ox_num_size(n)));
    count = of_size(r, n);
    a = wf_div(c, wf_mul(c, wf_cast(c, turns, WF_F64), f64(r, 2 * PI)), count);
    *cosine = wf_cast(c, wf_cos(c, a), dtype);
    *sine = wf_cast(c, wf_sin(c, a), dtype);
}

static wf_tensor plane(OxRun *r, wf_tensor x, int64_t k) /* of [..,2] */
{
    return wf_index_get(r->c, x, (wf_index[]){wf_at_rest(), wf_at_int(k)}, 2);
}

/* x [.., n, 1 or 2] -> [.., k, 2]; the last axis but one is transformed */
static wf_tensor transform(OxRun *r, wf_tensor x, int64_t n, int64_t k, bool inverse)
{
    wf_ctx *c = r->c;
    bool complex = wf_size(c, x, -1) == 2;
    wf_tensor re = plane(r, x, 0), im = complex ? plane(r, x, 1) : WF_NONE, cs, sn, yr, yi, n1;

    roots(r, n, k, wf_dtype_of(c, x), &cs, &sn);
    if (!inverse)
        sn = wf_neg(c, sn);
    yr = wf_matmul(c, re, cs);
    yi = wf_matmul(c, re, sn);
    if (complex) {
        yr = wf_sub(c, yr, wf_matmul(c, im, sn));
        yi = wf_add(c, yi, wf_matmul(c, im, cs));
    }
    if (inverse) {
        n1 = wf_cast(c, of_size(r, n), wf_dtype_of(c, x));
        yr = wf_div(c, yr, n1);
        yi = wf_div(c, yi, n1);
    }
    return wf_stack(c, (wf_tensor[]){yr, yi}, 2, wf_rank(c, yr));
}

/* Half a spectrum of a real signal as a whole one: the rest is its mirror image, conjugated. */
static wf_tensor whole_spectrum(OxRun *r, wf_tensor x, int64_t n)
{
    wf_ctx *c = r->c;
    int64_t half = wf_size(c, x, -2), rest = n - half;
    int axis = wf_rank(c, x) - 2;
    wf_tensor sign = wf_from(c, WF_F32, (int64_t[]){2}, 1, (float[]){1, -1}), tail;

    if (half < 0 || rest < 0)
        return ox_fail(r, WF_ERR_UNSUPPORTED, "half a spectrum of unknown size"), WF_NONE;
    if (!rest)
        return x;
    tail = wf_flip(c, wf_narrow(c, x, axis, 1, rest), &axis, 1);
    if (n % 2 == 0 && rest + 2 != half + 0)
        tail = wf_flip(c, wf_narrow(c, x, axis, half - 1 - rest, rest), &axis, 1);
    return wf_concat(c, (wf_tensor[]){x, wf_mul(c, tail, wf_cast(c, sign, wf_dtype_of(c, x)))}, 2, axis);
}

OX_RULE(dft)
{
    wf_ctx *c = r->c;
    wf_tensor x = ox_in(r, 0), y;
    int rank = ox_ok(r) ? wf_rank(c, x) : 0, axis, count;
    int64_t at = ox_opset(r) < 20 ? ox_int(r, "axis", 1) : -2, n, have, lo[WF_MAX_RANK] = {0}, hi[WF_MAX_RANK] = {0};
    bool inverse = ox_int(r, "inverse", 0) != 0, half = ox_int(r, "onesided", 0) != 0;

    (void)op;
    if (ox_opset(r) >= 20 && !ox_numbers(r, 2, &at, 1, &count))
        return false;
    if ((axis = ox_axis(r, at, rank)) < 0 || axis == rank - 1)
        return ox_ok(r) ? ox_fail(r, WF_ERR_VALUE, "the axis of complex numbers") : false;
    x = wf_move_axis(c, x, axis, rank - 2);
    have = wf_size(c, x, rank - 2);
    n = inverse && half ? 2 * (have - 1) : have;
    if (ox_has(r, 1)) {
        const OxNum *v = ox_nums(r, 1, &count);
        if (!v || count != 1 || !ox_is_number(v[0], &n) || n < 1)
            return ox_ok(r) ? ox_fail(r, WF_ERR_UNSUPPORTED, "dft_length must be known when the model is opened") : false;
    }
    if (inverse && half) {
        x = whole_spectrum(r, x, n);
    } else if (n != have) {
        if (have < 0)
            return ox_fail(r, WF_ERR_UNSUPPORTED, "dft_length of an axis of symbolic size");
        hi[rank - 2] = MAX(0, n - have);
        x = n > have ? wf_pad(c, x, lo, hi, wf_rank(c, x), 0) : wf_narrow(c, x, rank - 2, 0, n);
    }
    y = transform(r, x, n, half && !inverse ? wf_size_add(c, wf_size_div(c, n, 2), 1) : n, inverse);
    if (inverse && half)
        y = wf_narrow(c, y, rank - 1, 0, 1);
    return ox_put(r, 0, wf_move_axis(c, y, rank - 2, axis));
}

OX_RULE(stft)
{
    wf_ctx *c = r->c;
    wf_tensor x = ox_in(r, 0), window = ox_opt(r, 2), at;
    int64_t step = 0, n = 0, size = ox_ok(r) ? wf_size(c, x, 1) : 0, frames, dims[2];
    bool half = ox_int(r, "onesided", 1) != 0;
    int count;
    wf_tensor places;

    (void)op;
    if (!ox_ok(r) || !ox_numbers(r, 1, &step, 1, &count))
        return false;
    if (!wf_is_none(window))
        n = wf_size(c, window, 0);
    if (ox_has(r, 3) && !ox_numbers(r, 3, &n, 1, &count))
        return false;
    if (wf_rank(c, x) == 2)
        x = wf_expand_dims(c, x, 2);
    if (n < 1 || step < 1 || wf_rank(c, x) != 3 || (size >= 0 && size < n))
        return ox_fail(r, WF_ERR_SHAPE, "frames that do not fit the signal");
    frames = wf_size_add(c, wf_size_div(c, wf_size_sub(c, size, n), step), 1);
    dims[0] = frames;
    dims[1] = n;
    places = wf_iota(c, WF_I64, dims, 2, 1);
    at = wf_add(c, wf_mul(c, wf_iota(c, WF_I64, dims, 2, 0), wf_scalar(c, WF_I64, (double)step)), places);
    x = wf_take(c, x, at, 1); /* [B, frames, n, 1 or 2] */
    if (!wf_is_none(window))
        x = wf_mul(c, x, wf_expand_dims(c, window, 1));
    return ox_put(r, 0, transform(r, x, n, half ? n / 2 + 1 : n, false));
}

/* a0 - a1 cos(2 pi i / N) + a2 cos(4 pi i / N) */
OX_RULE(window)
{
    static const double a[3][3] = {{0.5, 0.5, 0}, {25.0 / 46, 21.0 / 46, 0}, {0.42, 0.5, 0.08}};
    wf_ctx *c = r->c;
    int count;
    const OxNum *num = ox_nums(r, 0, &count);
    const double *k = a[op->arg];
    int64_t n, to = ox_int(r, "output_datatype", OX_FLOAT);
    wf_tensor turn, y;

    if (!num || count != 1 || ox_dtype(to) == WF_INVALID)
        return ox_ok(r) ? ox_fail(r, WF_ERR_TYPE, "needs a size and a type of numbers") : false;
    n = ox_size(r, num[0]);
    if (!ox_ok(r) || !ox_bounded(r, &n, 1, OX_FILLED))
        return false;
    turn = wf_mul(c, wf_cast(c, ox_iota(r, n), WF_F64), f64(r, 2 * PI));
    turn = wf_div(c, turn, ox_int(r, "periodic", 1) ? of_size(r, n) : wf_sub(c, of_size(r, n), f64(r, 1)));
    y = wf_sub(c, f64(r, k[0]), wf_mul(c, f64(r, k[1]), wf_cos(c, turn)));
    y = wf_add(c, y, wf_mul(c, f64(r, k[2]), wf_cos(c, wf_mul(c, turn, f64(r, 2)))));
    return ox_put(r, 0, wf_cast(c, y, ox_dtype(to)));
}

static double mel_of(double hz) { return 2595 * log10(1 + hz / 700); }

OX_RULE(mel)
{
    double in[5], lo, step;
    int n;
    int64_t dims[2], to = ox_int(r, "output_datatype", OX_FLOAT), *bins;
    float *w;

    (void)op;
    for (size_t i = 0; i < 5; i++)
        if (!ox_floats(r, i, &in[i], 1, &n) || n != 1)
            return ox_ok(r) ? ox_fail(r, WF_ERR_FORMAT, "input %zu is one number", i) : false;
    dims[0] = (int64_t)(in[1] / 2) + 1;
    dims[1] = (int64_t)in[0];
    if (!(in[0] >= 1 && in[0] < 65536 && in[1] >= 1 && in[1] < 1 << 24 && in[2] > 0) || ox_dtype(to) == WF_INVALID ||
        dims[0] * dims[1] > 1 << 26)
        return ox_fail(r, WF_ERR_VALUE, "sizes that cannot be");
    bins = ox_alloc(&r->mem, (size_t)dims[1] + 2, sizeof *bins);
    w = ox_alloc(&r->mem, (size_t)(dims[0] * dims[1]), sizeof *w);
    if (!bins || !w)
        return false;
    lo = mel_of(in[3]);
    step = (mel_of(in[4]) - lo) / (double)(dims[1] + 2);
    for (int64_t i = 0; i < dims[1] + 2; i++)
        bins[i] = (int64_t)floor((in[1] + 1) * (700 * (pow(10, (lo + step * (double)i) / 2595) - 1)) / in[2]);
    for (int64_t i = 0; i < dims[1]; i++) { /* a triangle over three neighbours */
        int64_t a = bins[i], b = bins[i + 1], z = bins[i + 2];
        if (b == a)
            w[MAX(0, MIN(b, dims[0] - 1)) * dims[1] + i] = 1;
        for (int64_t j = MAX(a, 0); j <= b && j < dims[0] && b != a; j++)
            w[j * dims[1] + i] = (float)(j - a) / (float)(b - a);
        for (int64_t j = MAX(b, 0); j < z && j < dims[0] && z != b; j++)
            w[j * dims[1] + i] = (float)(z - j) / (float)(z - b);
    }
    return ox_put(r, 0, wf_cast(r->c, wf_from(r->c, WF_F32, dims, 2, w), ox_dtype(to)));
}
