/* conv_depthwise.h -- one input and one output channel in each group, REAL only.
 *
 *   rows      vectors along the innermost spatial dimension (channels first): one task for each
 *             image and channel
 *   channels  vectors along the channels (channels last): one task for each output row; filters
 *             are copied to [t][channel] first
 *
 * Works on a KConv with three spatial dimensions and no x_dilation.
 */
#ifndef WEFT_KERNEL_CONV_DEPTHWISE_H
#define WEFT_KERNEL_CONV_DEPTHWISE_H

#include "real.h"

typedef struct Depthwise {
    const KConv *x;
    REAL *w; /* [taps][channels], for `channels` */
} Depthwise;

INLINE int64_t tap_count(const KConv *x) { return x->w_size[0] * x->w_size[1] * x->w_size[2]; }

INLINE V finish_vector(const KConv *x, V s, const REAL *bias, int n)
{
    if (bias)
        s += real_load_n(bias, n);
    if (x->epilogue.relu)
        s = (V)((VI)s & ~(VI)(s < 0));
    return s;
}

/* VL elements at row[at + i*step], 0 where at + i*step is outside 0..size-1. */
INLINE V load_clipped(const REAL *row, int64_t at, int64_t stride, int64_t step, int64_t size, int n)
{
    V v = {0};

    if (stride == 1 && step == 1 && at >= 0 && at + VL <= size)
        return real_load(row + at);
    for (int i = 0; i < n; i++, at += stride) {
        if (at >= 0 && at < size)
            v[i] = row[at * step];
    }
    return v;
}

/* One row of the output, of one channel: n0, c fixed; o0, o1 fixed. */
static void depthwise_row(const KConv *x, const REAL *img, const REAL *w, REAL *out, int64_t o0,
                          int64_t o1, REAL bias)
{
    int64_t h0 = o0 * x->stride[0] - x->pad_lo[0], h1 = o1 * x->stride[1] - x->pad_lo[1];

    for (int64_t o2 = 0; o2 < x->out_size[2]; o2 += VL) {
        int n = (int)min64(VL, x->out_size[2] - o2);
        int64_t h2 = o2 * x->stride[2] - x->pad_lo[2];
        V s = {0};

        for (int64_t t0 = 0; t0 < x->w_size[0]; t0++) {
            int64_t a0 = h0 + t0 * x->w_dilation[0];

            if (a0 < 0 || a0 >= x->x_size[0])
                continue;
            for (int64_t t1 = 0; t1 < x->w_size[1]; t1++) {
                int64_t a1 = h1 + t1 * x->w_dilation[1];
                const REAL *row = img + a0 * x->x_step[0] + a1 * x->x_step[1];
                const REAL *wr = w + t0 * x->w_step[0] + t1 * x->w_step[1];

                if (a1 < 0 || a1 >= x->x_size[1])
                    continue;
                for (int64_t t2 = 0; t2 < x->w_size[2]; t2++)
                    s += real_splat(wr[t2 * x->w_step[2]]) *
                         load_clipped(row, h2 + t2 * x->w_dilation[2], x->stride[2],
                                      x->x_step[2], x->x_size[2], n);
            }
        }
        s += real_splat(bias);
        s = finish_vector(x, s, NULL, n);
        if (x->out_step[2] == 1)
            real_store_n(out + o2, s, n);
        else
            for (int i = 0; i < n; i++)
                out[(o2 + i) * x->out_step[2]] = s[i];
    }
}

static void depthwise_rows(void *user, int task)
{
    const KConv *x = ((const Depthwise *)user)->x;
    int64_t n = task / x->in_channels, c = task % x->in_channels;
    const REAL *bias = x->epilogue.bias_m;

    for (int64_t o0 = 0; o0 < x->out_size[0]; o0++) {
        for (int64_t o1 = 0; o1 < x->out_size[1]; o1++)
            depthwise_row(x, (const REAL *)x->x + n * x->x_batch + c * x->x_channel,
                          (const REAL *)x->w + c * x->w_out,
                          (REAL *)x->out + n * x->out_batch + c * x->out_channel +
                              o0 * x->out_step[0] + o1 * x->out_step[1],
                          o0, o1, bias ? bias[c] : (REAL)-0.0);
    }
}

/* One pixel, all channels. */
static void depthwise_pixel(const Depthwise *w, const REAL *img, REAL *out, const int64_t at[3])
{
    const KConv *x = w->x;
    const REAL *bias = x->epilogue.bias_m;
    int64_t channels = x->in_channels;

    for (int64_t c = 0; c < channels; c += VL) {
        int n = (int)min64(VL, channels - c);
        const REAL *wt = w->w + c;
        V s = {0};

        for (int64_t t0 = 0; t0 < x->w_size[0]; t0++) {
            for (int64_t t1 = 0; t1 < x->w_size[1]; t1++) {
                for (int64_t t2 = 0; t2 < x->w_size[2]; t2++, wt += channels) {
                    int64_t a0 = at[0] + t0 * x->w_dilation[0];
                    int64_t a1 = at[1] + t1 * x->w_dilation[1];
                    int64_t a2 = at[2] + t2 * x->w_dilation[2];
                    const REAL *p =
                        img + a0 * x->x_step[0] + a1 * x->x_step[1] + a2 * x->x_step[2] + c;

                    if ((uint64_t)a0 >= (uint64_t)x->x_size[0] ||
                        (uint64_t)a1 >= (uint64_t)x->x_size[1] ||
                        (uint64_t)a2 >= (uint64_t)x->x_size[2])
                        continue;
                    s += n == VL ? real_load(p) * real_load(wt)
                                 : real_load_n(p, n) * real_load_n(wt, n);
                }
            }
        }
        real_store_n(out + c, finish_vector(x, s, bias ? bias + c : NULL, n), n);
    }
}

static void depthwise_channels(void *user, int task)
{
    const Depthwise *w = user;
    const KConv *x = w->x;
    int64_t o1 = task % x->out_size[1], o0 = task / x->out_size[1] % x->out_size[0];
    int64_t n = task / x->out_size[1] / x->out_size[0];
    const REAL *img = (const REAL *)x->x + n * x->x_batch;
    REAL *out = (REAL *)x->out + n * x->out_batch + o0 * x->out_step[0] + o1 * x->out_step[1];
    int64_t at[3] = {o0 * x->stride[0] - x->pad_lo[0], o1 * x->stride[1] - x->pad_lo[1],
                     -x->pad_lo[2]};

    for (int64_t o2 = 0; o2 < x->out_size[2]; o2++, at[2] += x->stride[2])
        depthwise_pixel(w, img, out + o2 * x->out_step[2], at);
}

static int is_depthwise(const KConv *x)
{
    return x->groups > 1 && x->groups == x->in_channels && x->groups == x->out_channels &&
           x->x_type == REAL_TYPE && x->w_type == REAL_TYPE && x->out_type == REAL_TYPE;
}

static int is_channels_last(const KConv *x) { return x->x_channel == 1 && x->out_channel == 1; }

static size_t depthwise_workspace(const KConv *x)
{
    return is_channels_last(x) ? (size_t)(tap_count(x) * x->in_channels) * sizeof(REAL) + 64 : 0;
}

static void depthwise_run(const KConv *x, const KPar *par, char *ws)
{
    Depthwise d = {x, (REAL *)(ws + (-(uintptr_t)ws & 63))};
    REAL *w = d.w;

    if (!is_channels_last(x)) {
        par_run(par, x->batch * x->in_channels, depthwise_rows, &d);
        return;
    }
    for (int64_t t0 = 0; t0 < x->w_size[0]; t0++) {
        for (int64_t t1 = 0; t1 < x->w_size[1]; t1++) {
            for (int64_t t2 = 0; t2 < x->w_size[2]; t2++) {
                const REAL *p = (const REAL *)x->w + t0 * x->w_step[0] + t1 * x->w_step[1] +
                                t2 * x->w_step[2];

                for (int64_t c = 0; c < x->in_channels; c++)
                    *w++ = p[c * x->w_out];
            }
        }
    }
    par_run(par, x->batch * x->out_size[0] * x->out_size[1], depthwise_channels, &d);
}

#endif
