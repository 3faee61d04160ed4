/* conv_depthwise.h -- groups of one input channel, REAL only.
 *
 *   planes    vectors along the innermost spatial dimension (channels first): a task is
 *             some channels of an image, DEPTHWISE_ROWS rows of the output are computed
 *             at a time. For common filters each vector of the input is loaded once for all of
 *             them, straight from the image. For others a channel is first copied with its
 *             padding, and with columns sorted by their remainder modulo the stride, so that
 *             every load is contiguous.
 *   channels  vectors along the channels (channels last), one output channel a group: one
 *             task for each output row; filters are copied to [t][channel] first.
 *
 * Works on a KConv with three spatial dimensions and no x_dilation; the sum of an element
 * is one chain in the order of taps, whatever the tasks.
 */
#ifndef WEFT_KERNEL_CONV_DEPTHWISE_H
#define WEFT_KERNEL_CONV_DEPTHWISE_H

#include "real.h"

#define DEPTHWISE_TAPS  128       /* most taps; longer filters are products */
#define DEPTHWISE_PLANE (1 << 20) /* most elements of a copied plane */
#define DEPTHWISE_ROWS  4         /* rows of the output computed together */
#define DEPTHWISE_TASK  4096      /* elements of the output that a task has, about */

typedef struct Depthwise Depthwise;
/* Rows o1 .. o1 + DEPTHWISE_ROWS-1 of a channel of the result. */
typedef void DepthwiseFn(const KConv *x, const REAL *image, const REAL *w, REAL *out,
                         int64_t o1, V bias);

struct Depthwise {
    APART const KConv *x;
    REAL *w;  /* [taps][channels], for `channels` */
    char *ws; /* a plane for each worker */
    size_t each;
    int64_t width;   /* of one remainder's columns in a copied plane */
    int64_t row;     /* elements of a copied row: stride * width */
    int64_t rows;    /* copied for each index of the outermost dimension */
    int64_t run;     /* channels of a task */
    DepthwiseFn *fn; /* NULL: any filter */
    APART int64_t next; /* task */
};

INLINE int64_t tap_count(const KConv *x)
{
    return x->w_size[0] * x->w_size[1] * x->w_size[2];
}

INLINE V relu_if(int relu, V s) { return relu ? (V)((VI)s & ~(VI)(s < 0)) : s; }

/* ---- planes: the copy --------------------------------------------------------------- */

/* Columns of each remainder that vectors of outputs touch; the copy fills whole vectors. */
INLINE int64_t plane_width(const KConv *x)
{
    return round_up(
        round_up(x->out_size[2], VL) + (x->w_size[2] - 1) * x->w_dilation[2] / x->stride[2], VL);
}

/* Rows that are touched, with those of outputs that only fill up the last block. */
INLINE int64_t plane_rows(const KConv *x)
{
    return (round_up(x->out_size[1], DEPTHWISE_ROWS) - 1) * x->stride[1] +
           (x->w_size[1] - 1) * x->w_dilation[1] + 1;
}

INLINE int64_t plane_elements(const KConv *x)
{
    return x->x_size[0] * plane_rows(x) * x->stride[2] * plane_width(x);
}

/* Columns i.. of remainder r that outputs touch, some of them outside the image. */
INLINE int64_t plane_columns(const KConv *x)
{
    return x->out_size[2] + (x->w_size[2] - 1) * x->w_dilation[2] / x->stride[2];
}

/* VL columns of all rows of the image, stride 1 or 2 (a constant), from column i of the plane. */
INLINE void copy_columns(const Depthwise *d, int s, const REAL *img, REAL *to, int64_t i)
{
    const KConv *x = d->x;
    int64_t at = s * i - x->pad_lo[2], size = x->x_size[2];
    int64_t h = max64(0, x->pad_lo[1]), end = min64(d->rows, x->x_size[1] + x->pad_lo[1]);

    img += (h - x->pad_lo[1]) * x->x_step[1] + at;
    to += h * d->row + i;
    for (; h < end; h++, img += x->x_step[1], to += d->row) {
        V a = real_load_range(img, -at, size - at);

        if (s == 2) {
            V b = real_load_range(img + VL, -at - VL, size - at - VL);

            real_store(to + d->width, REAL_ODD(a, b));
            a = REAL_EVEN(a, b);
        }
        real_store(to, a);
    }
}

/* The same of one row, any stride, all columns. */
static void copy_row(const Depthwise *d, const REAL *row, REAL *to)
{
    const KConv *x = d->x;

    for (int64_t r = 0; r < x->stride[2]; r++, to += d->width) {
        for (int64_t i = 0; i < plane_columns(x); i++) {
            int64_t at = i * x->stride[2] + r - x->pad_lo[2];

            to[i] = (uint64_t)at < (uint64_t)x->x_size[2] ? row[at * x->x_step[2]] : 0;
        }
    }
}

/* plane[h0][h1][r][i] = image[h0][h1 - pad][i*stride + r - pad]; what is outside the image was 0
 * before. */
static void copy_plane(const Depthwise *d, const REAL *img, REAL *plane)
{
    const KConv *x = d->x;

    for (int64_t h0 = 0; h0 < x->x_size[0]; h0++, img += x->x_step[0]) {
        if (x->x_step[2] == 1 && x->stride[2] <= 2) {
            for (int64_t i = 0; i < plane_columns(x); i += VL) {
                if (x->stride[2] == 1)
                    copy_columns(d, 1, img, plane, i);
                else
                    copy_columns(d, 2, img, plane, i);
            }
            plane += d->rows * d->row;
            continue;
        }
        for (int64_t h1 = 0; h1 < d->rows; h1++, plane += d->row) {
            int64_t at = h1 - x->pad_lo[1];

            if ((uint64_t)at < (uint64_t)x->x_size[1])
                copy_row(d, img + at * x->x_step[1], plane);
        }
    }
}

/* ---- planes: the sums --------------------------------------------------------------- */

/* Rows o1.. and columns o2.. of the result at out. */
INLINE void put_rows(const KConv *x, const V *s, REAL *out, int64_t o1, int64_t o2)
{
    int rows = (int)min64(DEPTHWISE_ROWS, x->out_size[1] - o1);
    int len = (int)min64(VL, x->out_size[2] - o2);

    out += o1 * x->out_step[1] + o2 * x->out_step[2];
    UNROLL
    for (int r = 0; r < DEPTHWISE_ROWS; r++, out += x->out_step[1]) {
        V y = relu_if(x->epilogue.relu, s[r]);

        if (r >= rows)
            break;
        if (x->out_step[2] == 1 && len == VL)
            real_store(out, y);
        else if (x->out_step[2] == 1)
            real_store_n(out, y, len);
        else
            for (int i = 0; i < len; i++)
                out[i * x->out_step[2]] = y[i];
    }
}

/* y[t]: tap t of VL outputs of a row, p: where the first one's begin; stride 1 or 2. edge: some are outside, and in[] says
 * which lanes of each load are not. n, stride, edge: constants. */
INLINE void load_taps(int n, int stride, int edge, const REAL *p, const RealRange *in,
                      V *y)
{
    UNROLL
    for (int t = 0; t < n; t += stride) {
        const RealRange *r = in + t / stride * 2;
        V a = edge ? real_load_in(p + t, r[0]) : real_load(p + t);

        y[t] = a;
        if (stride == 2) {
            V b = edge ? real_load_in(p + t + VL, r[1]) : real_load(p + t + VL);

            y[t] = REAL_EVEN(a, b);
            if (t + 1 < n)
                y[t + 1] = REAL_ODD(a, b);
        }
    }
}

/* VL columns of a block of rows, of a filter of n x n taps that are not dilated, at steps s: constants.
 * Every row of the input is read once for all rows of the output that it is part of; at1, at2: the
 * position of the first tap; edge: some of the taps are outside the image. */
INLINE void sum_block(const KConv *x, int n, int s, int edge, const REAL *image,
                      const REAL *w, int64_t at1, int64_t at2, V *out_sum)
{
    V sum[DEPTHWISE_ROWS] = {{0}};
    RealRange in[2 * 5];
    const REAL *p = image + at1 * x->x_step[1] + at2;

    UNROLL
    for (int t = 0; t < n; t += s) {
        int64_t at = at2 + t, left = x->x_size[2] - at;

        in[t / s * 2] = real_range(-at, left);
        in[t / s * 2 + 1] = real_range(-at - VL, left - VL);
    }
    UNROLL
    for (int i = 0; i < (DEPTHWISE_ROWS - 1) * s + n; i++, p += x->x_step[1]) {
        V y[5];

        if (edge && (uint64_t)(at1 + i) >= (uint64_t)x->x_size[1])
            continue;
        load_taps(n, s, edge, p, in, y);
        if (!edge) { /* the next rows' */
            UNROLL
            for (int j = 0; j < s; j++)
                __builtin_prefetch(p + DEPTHWISE_ROWS * s * x->x_step[1] + j * VL);
        }
        UNROLL
        for (int r = 0; r < DEPTHWISE_ROWS; r++) {
            int t1 = i - r * s;

            UNROLL
            for (int t2 = 0; t2 < n; t2++)
                if (t1 >= 0 && t1 < n)
                    sum[r] += real_splat(w[t1 * n + t2]) * y[t2];
        }
    }
    UNROLL
    for (int r = 0; r < DEPTHWISE_ROWS; r++)
        out_sum[r] = sum[r];
}

INLINE void sum_rows(const KConv *x, int n, int s, const REAL *image, const REAL *w,
                     REAL *out, int64_t o1, V bias)
{
    for (int64_t o2 = 0; o2 < x->out_size[2]; o2 += VL) {
        int64_t at1 = o1 * s - x->pad_lo[1], at2 = o2 * s - x->pad_lo[2];
        V sum[DEPTHWISE_ROWS];

        if (at1 >= 0 && at1 + (DEPTHWISE_ROWS - 1) * s + n <= x->x_size[1] && at2 >= 0 &&
            at2 + (n - 1) / s * s + s * VL <= x->x_size[2])
            sum_block(x, n, s, 0, image, w, at1, at2, sum);
        else
            sum_block(x, n, s, 1, image, w, at1, at2, sum);
        UNROLL
        for (int r = 0; r < DEPTHWISE_ROWS; r++)
            sum[r] += bias;
        put_rows(x, sum, out, o1, o2);
    }
}

#define SUM_ROWS(name, n, s)                                                             \
    NOINLINE void name(const KConv *x, const REAL *image, const REAL *w, REAL *out,      \
                       int64_t o1, V bias)                                               \
    {                                                                                    \
        sum_rows(x, n, s, image, w, out, o1, bias);                                      \
    }
#if !REAL_F64 && !defined(KERNEL_SMALL)
SUM_ROWS(sum_rows_3, 3, 1)
SUM_ROWS(sum_rows_3_by_2, 3, 2)
SUM_ROWS(sum_rows_5, 5, 1)
SUM_ROWS(sum_rows_5_by_2, 5, 2)

/* The function for x's filters and steps, if there is one. */
static DepthwiseFn *depthwise_fn(const KConv *x)
{
    static DepthwiseFn *const fns[2][2] = {{sum_rows_3, sum_rows_3_by_2},
                                           {sum_rows_5, sum_rows_5_by_2}};
    int64_t n = x->w_size[1], s = x->stride[1];

    return x->x_size[0] == 1 && x->w_size[0] == 1 && x->out_size[0] == 1 &&
                   x->pad_lo[0] == 0 && x->w_size[2] == n && x->stride[2] == s &&
                   x->w_dilation[1] == 1 && x->w_dilation[2] == 1 && x->w_step[2] == 1 &&
                   x->w_step[1] == n && x->x_step[2] == 1 && (n == 3 || n == 5) &&
                   (s == 1 || s == 2)
               ? fns[n == 5][s == 2]
               : NULL;
}
#else /* of any taps: f64 is asked for by few */
static DepthwiseFn *depthwise_fn(const KConv *x)
{
    (void)x;
    return NULL;
}
#endif

/* Where the taps of the outermost output o0 that are inside begin in the plane. */
static int find_taps(const Depthwise *d, const REAL *w, int64_t o0, int64_t *from,
                     REAL *weight)
{
    const KConv *x = d->x;
    int n = 0;

    for (int64_t t0 = 0; t0 < x->w_size[0]; t0++) {
        int64_t a0 = o0 * x->stride[0] - x->pad_lo[0] + t0 * x->w_dilation[0];

        if ((uint64_t)a0 >= (uint64_t)x->x_size[0])
            continue;
        for (int64_t t1 = 0; t1 < x->w_size[1]; t1++) {
            for (int64_t t2 = 0; t2 < x->w_size[2]; t2++) {
                int64_t at = t2 * x->w_dilation[2];

                weight[n] = w[t0 * x->w_step[0] + t1 * x->w_step[1] + t2 * x->w_step[2]];
                from[n++] = (a0 * d->rows + t1 * x->w_dilation[1]) * d->row +
                            at % x->stride[2] * d->width + at / x->stride[2];
            }
        }
    }
    return n;
}

/* As sum_rows, of any taps. */
static void sum_taps(const Depthwise *d, const REAL *plane, const int64_t *from,
                     const REAL *w, int taps, REAL *out, int64_t o1, V bias)
{
    const KConv *x = d->x;
    int64_t step = x->stride[1] * d->row;

    for (int64_t o2 = 0; o2 < x->out_size[2]; o2 += VL) {
        V s[DEPTHWISE_ROWS] = {{0}};

        for (int t = 0; t < taps; t++) {
            const REAL *p = plane + from[t] + o2;
            V y = real_splat(w[t]);

            UNROLL
            for (int r = 0; r < DEPTHWISE_ROWS; r++)
                s[r] += y * real_load(p + r * step);
        }
        UNROLL
        for (int r = 0; r < DEPTHWISE_ROWS; r++)
            s[r] += bias;
        put_rows(x, s, out, o1, o2);
    }
}

/* Output channel c of image n, from its input or from the copy of it. */
static void depthwise_plane(const Depthwise *d, int64_t n, int64_t c, const REAL *image,
                            const REAL *plane)
{
    const KConv *x = d->x;
    const REAL *bias = x->epilogue.bias_m, *w = (const REAL *)x->w + c * x->w_out;
    V b = bias ? real_splat(bias[c]) : -(V){0}; /* adding 0 would make +0 of -0 */
    REAL *out = (REAL *)x->out + n * x->out_batch + c * x->out_channel;
    int64_t from[DEPTHWISE_TAPS], step = x->stride[1] * d->row;
    REAL weight[DEPTHWISE_TAPS];

    for (int64_t o1 = 0; o1 < x->out_size[1] && d->fn; o1 += DEPTHWISE_ROWS)
        d->fn(x, image, w, out, o1, b);
    if (d->fn)
        return;
    for (int64_t o0 = 0; o0 < x->out_size[0]; o0++, out += x->out_step[0]) {
        int taps = find_taps(d, w, o0, from, weight);

        for (int64_t o1 = 0; o1 < x->out_size[1]; o1 += DEPTHWISE_ROWS)
            sum_taps(d, plane + o1 * step, from, weight, taps, out, o1, b);
    }
}

/* Channels of one image are pieces for tile() where pixels follow each other. */
INLINE int has_plane_pieces(const KConv *x)
{
    return x->out_step[2] == 1 && x->out_step[1] == x->out_size[2] &&
           (x->out_size[0] == 1 || x->out_step[0] == x->out_size[1] * x->out_size[2]);
}

static void depthwise_run_of(const Depthwise *d, int64_t n, int64_t c0, int64_t c1,
                             REAL *plane)
{
    const KConv *x = d->x;
    int64_t outs = x->out_channels / x->groups, in = -1;

    for (int64_t c = c0; c < c1; c++) {
        const REAL *image = (const REAL *)x->x + n * x->x_batch + c / outs * x->x_channel;

        if (c / outs != in && !d->fn)
            copy_plane(d, image, plane);
        in = c / outs;
        depthwise_plane(d, n, c, image, plane);
    }
    if (x->epilogue.tile) {
        REAL *out = (REAL *)x->out + n * x->out_batch + c0 * x->out_channel;
        KTile piece = {out,     x->out_channel, c0, 0,
                       c1 - c0, x->out_size[0] * x->out_size[1] * x->out_size[2], n};

        x->epilogue.tile(x->epilogue.user, &piece);
    }
}

static void depthwise_planes(void *user, int worker)
{
    Depthwise *d = user;
    const KConv *x = d->x;
    REAL *plane = (REAL *)(d->ws + d->each * (size_t)worker);
    int64_t t, runs = ceil_div(x->out_channels, d->run);

    if (!d->fn)
        memset(plane, 0, d->each);
    while ((t = __atomic_fetch_add(&d->next, 1, __ATOMIC_RELAXED)) < x->batch * runs) {
        int64_t c = t % runs * d->run;

        depthwise_run_of(d, t / runs, c, min64(c + d->run, x->out_channels), plane);
    }
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
    return x->x_channel == 1 && x->out_channel == 1 && x->out_channels == x->groups;
}

static int is_depthwise(const KConv *x)
{
    return x->groups > 1 && x->groups == x->in_channels && x->x_type == REAL_TYPE &&
           x->w_type == REAL_TYPE && x->out_type == REAL_TYPE && tap_count(x) > 0 &&
           tap_count(x) <= DEPTHWISE_TAPS &&
           (is_channels_last(x) || depthwise_fn(x) ||
            plane_elements(x) <= DEPTHWISE_PLANE);
}

INLINE size_t plane_bytes(const KConv *x)
{
    return ((size_t)plane_elements(x) * sizeof(REAL) + 63) & ~(size_t)63;
}

static size_t depthwise_workspace(const KConv *x, int threads)
{
    if (is_channels_last(x))
        return (size_t)(tap_count(x) * x->in_channels) * sizeof(REAL) + 64;
    return depthwise_fn(x) ? 0 : plane_bytes(x) * (size_t)threads + 64;
}

static void depthwise_run(const KConv *x, const KPar *par, int threads, char *ws)
{
    Depthwise d = {.x = x, .ws = ws + (-(uintptr_t)ws & 63)};
    REAL *w = d.w = (REAL *)d.ws;
    int64_t pixels = x->out_size[0] * x->out_size[1] * x->out_size[2];

    if (!is_channels_last(x)) {
        d.width = plane_width(x);
        d.row = d.width * x->stride[2];
        d.rows = plane_rows(x);
        d.fn = depthwise_fn(x);
        d.each = d.fn ? 0 : plane_bytes(x);
        d.run = max64(1, min64(x->out_channels / (2 * threads), DEPTHWISE_TASK / pixels));
        par_run(par, min64(threads, x->batch * ceil_div(x->out_channels, d.run)),
                depthwise_planes, &d);
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
