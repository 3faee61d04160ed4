/* conv_depthwise.h -- one input and one output channel in each group, REAL only.
 *
 *   planes    vectors along the innermost spatial dimension (channels first): one task
 *             for each image and channel. The plane is first copied with its padding,
 *             and with columns sorted by their remainder modulo the stride, so that
 *             every load is contiguous.
 *   channels  vectors along the channels (channels last): one task for each output row;
 *             filters are copied to [t][channel] first.
 *
 * Works on a KConv with three spatial dimensions and no x_dilation.
 */
#ifndef WEFT_KERNEL_CONV_DEPTHWISE_H
#define WEFT_KERNEL_CONV_DEPTHWISE_H

#include "real.h"

#define DEPTHWISE_TAPS  128       /* most taps; longer filters are products */
#define DEPTHWISE_PLANE (1 << 20) /* most elements of a copied plane */

typedef struct Depthwise {
    APART const KConv *x;
    REAL *w;  /* [taps][channels], for `channels` */
    char *ws; /* a plane for each worker */
    size_t each;
    int64_t width; /* of one remainder's columns in a copied plane */
    int64_t row;   /* elements of a copied row: stride * width */
    APART int64_t next;  /* task */
} Depthwise;

INLINE int64_t tap_count(const KConv *x)
{
    return x->w_size[0] * x->w_size[1] * x->w_size[2];
}

INLINE V relu_if(int relu, V s) { return relu ? (V)((VI)s & ~(VI)(s < 0)) : s; }

/* ---- planes ----------------------------------------------------------------------- */

/* Columns of the padded row that outputs touch, for each remainder, and room to load
 * past them. */
INLINE int64_t plane_width(const KConv *x)
{
    int64_t cols =
        (x->out_size[2] - 1) * x->stride[2] + (x->w_size[2] - 1) * x->w_dilation[2] + 1;

    return round_up(ceil_div(max64(cols, 1), x->stride[2]) + 2 * VL, VL);
}

INLINE int64_t plane_rows(const KConv *x) { return x->x_size[0] * x->x_size[1]; }

/* plane[h][r][i] = image[h][i*stride + r - pad], 0 outside */
static void copy_plane(const Depthwise *d, const REAL *img, REAL *plane)
{
    const KConv *x = d->x;
    int64_t s = x->stride[2];

    memset(plane, 0, (size_t)(plane_rows(x) * d->row) * sizeof(REAL));
    for (int64_t h0 = 0; h0 < x->x_size[0]; h0++) {
        for (int64_t h1 = 0; h1 < x->x_size[1]; h1++, plane += d->row) {
            const REAL *row = img + h0 * x->x_step[0] + h1 * x->x_step[1];

            for (int64_t r = 0; r < s; r++) {
                REAL *to = plane + r * d->width;
                /* first i with i*s + r - pad >= 0 */
                int64_t i = x->pad_lo[2] > r ? ceil_div(x->pad_lo[2] - r, s) : 0;
                int64_t at = i * s + r - x->pad_lo[2];
                int64_t n = min64(d->width - i, ceil_div(x->x_size[2] - at, s));

                if (s == 1 && x->x_step[2] == 1 && n > 0)
                    memcpy(to + i, row + at, (size_t)n * sizeof(REAL));
                else
                    for (int64_t q = 0; q < n; q++)
                        to[i + q] = row[(at + q * s) * x->x_step[2]];
            }
        }
    }
}

/* The taps that are inside the plane for output row (o0, o1): where their loads begin. */
static int find_taps(const Depthwise *d, const REAL *plane, const REAL *w, int64_t o0,
                     int64_t o1, const REAL **from, REAL *weight)
{
    const KConv *x = d->x;
    int n = 0;

    for (int64_t t0 = 0; t0 < x->w_size[0]; t0++) {
        for (int64_t t1 = 0; t1 < x->w_size[1]; t1++) {
            int64_t a0 = o0 * x->stride[0] - x->pad_lo[0] + t0 * x->w_dilation[0];
            int64_t a1 = o1 * x->stride[1] - x->pad_lo[1] + t1 * x->w_dilation[1];

            if (a0 < 0 || a0 >= x->x_size[0] || a1 < 0 || a1 >= x->x_size[1])
                continue;
            for (int64_t t2 = 0; t2 < x->w_size[2]; t2++) {
                int64_t at = t2 * x->w_dilation[2];

                weight[n] = w[t0 * x->w_step[0] + t1 * x->w_step[1] + t2 * x->w_step[2]];
                from[n++] = plane + (a0 * x->x_size[1] + a1) * d->row +
                            at % x->stride[2] * d->width + at / x->stride[2];
            }
        }
    }
    return n;
}

static void depthwise_plane(const Depthwise *d, int64_t n, int64_t c, REAL *plane)
{
    const KConv *x = d->x;
    const REAL *bias = x->epilogue.bias_m;
    REAL b = bias ? bias[c] : 0,
         *image = (REAL *)x->out + n * x->out_batch + c * x->out_channel;
    const REAL *from[DEPTHWISE_TAPS];
    REAL weight[DEPTHWISE_TAPS];

    copy_plane(d, (const REAL *)x->x + n * x->x_batch + c * x->x_channel, plane);
    for (int64_t o = 0; o < x->out_size[0] * x->out_size[1]; o++) {
        int64_t o0 = o / x->out_size[1], o1 = o % x->out_size[1];
        REAL *out = image + o0 * x->out_step[0] + o1 * x->out_step[1];
        int taps =
            find_taps(d, plane, (const REAL *)x->w + c * x->w_out, o0, o1, from, weight);

        for (int64_t o2 = 0; o2 < x->out_size[2]; o2 += VL) {
            int len = (int)min64(VL, x->out_size[2] - o2);
            V s = {0};

            for (int t = 0; t < taps; t++)
                s += real_splat(weight[t]) * real_load(from[t] + o2);
            s = relu_if(x->epilogue.relu, bias ? s + real_splat(b) : s);
            if (x->out_step[2] == 1)
                real_store_n(out + o2, s, len);
            else
                for (int i = 0; i < len; i++)
                    out[(o2 + i) * x->out_step[2]] = s[i];
        }
    }
}

static void depthwise_planes(void *user, int worker)
{
    Depthwise *d = user;
    const KConv *x = d->x;
    int64_t t;

    while ((t = __atomic_fetch_add(&d->next, 1, __ATOMIC_RELAXED)) <
           x->batch * x->in_channels)
        depthwise_plane(d, t / x->in_channels, t % x->in_channels,
                        (REAL *)(d->ws + d->each * (size_t)worker));
}

/* ---- channels --------------------------------------------------------------------- */

/* One pixel, all channels; at: the position of its first tap. */
static void depthwise_pixel(const Depthwise *d, const REAL *img, REAL *out,
                            const int64_t at[3])
{
    const KConv *x = d->x;
    const REAL *bias = x->epilogue.bias_m, *from[DEPTHWISE_TAPS], *weight[DEPTHWISE_TAPS];
    int64_t channels = x->in_channels, t = 0;
    int taps = 0;

    for (int64_t t0 = 0; t0 < x->w_size[0]; t0++) {
        for (int64_t t1 = 0; t1 < x->w_size[1]; t1++) {
            for (int64_t t2 = 0; t2 < x->w_size[2]; t2++, t++) {
                int64_t a0 = at[0] + t0 * x->w_dilation[0];
                int64_t a1 = at[1] + t1 * x->w_dilation[1];
                int64_t a2 = at[2] + t2 * x->w_dilation[2];

                if ((uint64_t)a0 >= (uint64_t)x->x_size[0] ||
                    (uint64_t)a1 >= (uint64_t)x->x_size[1] ||
                    (uint64_t)a2 >= (uint64_t)x->x_size[2])
                    continue;
                weight[taps] = d->w + t * channels;
                from[taps++] =
                    img + a0 * x->x_step[0] + a1 * x->x_step[1] + a2 * x->x_step[2];
            }
        }
    }
    for (int64_t c = 0; c < channels; c += VL) {
        int len = (int)min64(VL, channels - c);
        V s = {0};

        if (len == VL) {
            for (int i = 0; i < taps; i++)
                s += real_load(from[i] + c) * real_load(weight[i] + c);
        } else {
            for (int i = 0; i < taps; i++)
                s += real_load_n(from[i] + c, len) * real_load_n(weight[i] + c, len);
        }
        s = bias ? s + real_load_n(bias + c, len) : s;
        real_store_n(out + c, relu_if(x->epilogue.relu, s), len);
    }
}

static void depthwise_channels(void *user, int task)
{
    const Depthwise *d = user;
    const KConv *x = d->x;
    int64_t o1 = task % x->out_size[1], o0 = task / x->out_size[1] % x->out_size[0];
    int64_t n = task / x->out_size[1] / x->out_size[0];
    const REAL *img = (const REAL *)x->x + n * x->x_batch;
    REAL *out =
        (REAL *)x->out + n * x->out_batch + o0 * x->out_step[0] + o1 * x->out_step[1];
    int64_t at[3] = {o0 * x->stride[0] - x->pad_lo[0], o1 * x->stride[1] - x->pad_lo[1],
                     -x->pad_lo[2]};

    for (int64_t o2 = 0; o2 < x->out_size[2]; o2++, at[2] += x->stride[2])
        depthwise_pixel(d, img, out + o2 * x->out_step[2], at);
}

/* ---- both ------------------------------------------------------------------------- */

static int is_channels_last(const KConv *x)
{
    return x->x_channel == 1 && x->out_channel == 1;
}

static int is_depthwise(const KConv *x)
{
    return x->groups > 1 && x->groups == x->in_channels && x->groups == x->out_channels &&
           x->x_type == REAL_TYPE && x->w_type == REAL_TYPE && x->out_type == REAL_TYPE &&
           tap_count(x) <= DEPTHWISE_TAPS &&
           (is_channels_last(x) ||
            plane_rows(x) * x->stride[2] * plane_width(x) <= DEPTHWISE_PLANE);
}

INLINE size_t plane_bytes(const KConv *x)
{
    size_t n =
        (size_t)(plane_rows(x) * x->stride[2] * plane_width(x) + VL) * sizeof(REAL);

    return (n + 63) & ~(size_t)63;
}

static size_t depthwise_workspace(const KConv *x, int threads)
{
    if (is_channels_last(x))
        return (size_t)(tap_count(x) * x->in_channels) * sizeof(REAL) + 64;
    return plane_bytes(x) * (size_t)threads + 64;
}

static void depthwise_run(const KConv *x, const KPar *par, int threads, char *ws)
{
    Depthwise d = {.x = x, .ws = ws + (-(uintptr_t)ws & 63)};
    REAL *w = d.w = (REAL *)d.ws;

    if (!is_channels_last(x)) {
        d.width = plane_width(x);
        d.row = d.width * x->stride[2];
        d.each = plane_bytes(x);
        par_run(par, min64(threads, x->batch * x->in_channels), depthwise_planes, &d);
        return;
    }
    for (int64_t t0 = 0; t0 < x->w_size[0]; t0++) {
        for (int64_t t1 = 0; t1 < x->w_size[1]; t1++) {
            for (int64_t t2 = 0; t2 < x->w_size[2]; t2++) {
                const REAL *p = (const REAL *)x->w + t0 * x->w_step[0] +
                                t1 * x->w_step[1] + t2 * x->w_step[2];

                for (int64_t c = 0; c < x->in_channels; c++)
                    *w++ = p[c * x->w_out];
            }
        }
    }
    par_run(par, x->batch * x->out_size[0] * x->out_size[1], depthwise_channels, &d);
}

#endif
