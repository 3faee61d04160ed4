/* conv_dot.h -- convolution with a filter as large as an image and few outputs: the
 * gradient with respect to a small filter.
 *
 *   out[c, o, t] = sum_{n, p} x[c, n, t*stride + p*w_dilation - pad] * w[o, n, p]
 *
 * Here c is x's batch (channels of the image, in the gradient) and n its channels (images
 * of the batch). Vectors run along p, for which both operands are contiguous: a tile is
 * some o x some (c, t), each with a vector of partial sums, so that nothing is
 * transposed. Only planes with padding are copied (conv_plane.h).
 *
 * n is cut into parts and c into blocks, by shape alone, one task each: the vectors of
 * its sums stay in the cache while it goes through its images, are then added up lane
 * by lane, and the parts in order at the end.
 */
#ifndef WEFT_KERNEL_CONV_DOT_H
#define WEFT_KERNEL_CONV_DOT_H

#include "conv_plane.h"

#if KERNEL_ISA == 2
#define DOT_M 4
#define DOT_N 6
#else
#define DOT_M 3
#define DOT_N 3
#endif
#define DOT_PARTS 8           /* most parts of n */
#define DOT_SUMS  (192 << 10) /* bytes of vectors of sums that stay in the cache */

typedef struct ConvDot {
    APART const KConv *x;
    Planes planes;
    int64_t taps;                   /* outputs of a channel */
    int64_t block, blocks;          /* channels c of a task */
    int64_t part, parts;            /* images n of a task */
    int64_t height, width;          /* of the walk: rows, and their length */
    int64_t w_row, x_row;           /* from one row to the next, in w and in x's planes */
    int64_t ld;                     /* of sums: (c, t), rounded up */
    int in_place;                   /* x is read where it is */
    REAL *sums;                     /* [parts][o][ld] */
    char *ws;                       /* of workers: vectors, then planes */
    size_t each, vector_size, size; /* bytes */
    APART int64_t next;
} ConvDot;

/* ---- tiles ------------------------------------------------------------------------ */

typedef struct DotTile {
    const REAL *w; /* filter o, row 0 */
    int64_t w_out, w_row;
    const REAL *x[DOT_N]; /* where the walk begins for each (c, t) */
    int64_t x_row, height, width;
    V *sum; /* [o][(c, t)] */
    int64_t sum_ld;
    int first; /* nothing is there yet */
} DotTile;

typedef void DotFn(const DotTile *t);

INLINE void dot_step(int m, int n, V s[DOT_M][DOT_N], const REAL *w, int64_t w_out,
                     const REAL *const *x, int64_t at, int lanes)
{
    V a[DOT_M];

    UNROLL
    for (int i = 0; i < m; i++)
        a[i] = lanes == VL ? real_load(w + i * w_out + at)
                           : real_load_n(w + i * w_out + at, lanes);
    UNROLL
    for (int j = 0; j < n; j++) {
        V b = lanes == VL ? real_load(x[j] + at) : real_load_n(x[j] + at, lanes);

        UNROLL
        for (int i = 0; i < m; i++)
            s[i][j] += a[i] * b;
    }
}

INLINE void conv_dot_tile(int m, int n, const DotTile *t)
{
    V s[DOT_M][DOT_N];
    const REAL *w = t->w, *x[DOT_N];
    int64_t whole = t->width - t->width % VL;
    int rest = (int)(t->width - whole);

    UNROLL
    for (int j = 0; j < n; j++)
        x[j] = t->x[j];
    UNROLL
    for (int i = 0; i < m; i++) {
        UNROLL
        for (int j = 0; j < n; j++)
            s[i][j] = t->first ? (V){0} : t->sum[i * t->sum_ld + j];
    }
    for (int64_t h = 0; h < t->height; h++) {
        for (int64_t at = 0; at < whole; at += VL)
            dot_step(m, n, s, w, t->w_out, x, at, VL);
        if (rest)
            dot_step(m, n, s, w, t->w_out, x, whole, rest);
        w += t->w_row;
        UNROLL
        for (int j = 0; j < n; j++)
            x[j] += t->x_row;
    }
    UNROLL
    for (int i = 0; i < m; i++) {
        UNROLL
        for (int j = 0; j < n; j++)
            t->sum[i * t->sum_ld + j] = s[i][j];
    }
}

#define DOT(m, n)                                                                        \
    NOINLINE void dot_##m##x##n(const DotTile *t) { conv_dot_tile(m, n, t); }
#define DOT_NAME(m, n) dot_##m##x##n,
#if DOT_N == 6
#define DOT_ACROSS(X, m) X(m, 1) X(m, 2) X(m, 3) X(m, 4) X(m, 5) X(m, 6)
#define DOT_DOWN(X)      X(1) X(2) X(3) X(4)
#else
#define DOT_ACROSS(X, m) X(m, 1) X(m, 2) X(m, 3)
#define DOT_DOWN(X)      X(1) X(2) X(3)
#endif
#define DOTS(m)    DOT_ACROSS(DOT, m)
#define DOT_ROW(m) {DOT_ACROSS(DOT_NAME, m)},

DOT_DOWN(DOTS)
static DotFn *const dot_table[DOT_M][DOT_N] = {DOT_DOWN(DOT_ROW)};

/* ---- plan ------------------------------------------------------------------------- */

static void dot_layout(ConvDot *d, const KConv *x)
{
    int64_t reach[K_SPATIAL];

    for (int i = 0; i < K_SPATIAL; i++)
        reach[i] = (x->out_size[i] - 1) * x->stride[i];
    planes_make(&d->planes, x, x->w_dilation, x->w_size, reach);
    d->in_place = x->x_type == REAL_TYPE && x->x_step[2] == 1 && is_inner(x) &&
                  x->w_dilation[1] == 1 && x->w_dilation[2] == 1;
    if (d->in_place) { /* the same formulas for offsets hold in the image itself */
        d->planes.pitch = x->x_step[1];
        d->planes.rows = x->x_size[1];
    }
    d->height = x->w_size[1];
    d->width = x->w_size[2];
    d->w_row = x->w_step[1];
    d->x_row = d->planes.pitch;
    if (d->w_row == d->width && d->x_row == d->width) {
        d->width *= d->height;
        d->height = 1;
    }
}

static size_t dot_plan(ConvDot *d, const KConv *x, int threads)
{
    int64_t row_bytes;

    memset(d, 0, sizeof *d);
    d->x = x;
    dot_layout(d, x);
    d->taps = x->out_size[1] * x->out_size[2];
    row_bytes = x->out_channels * d->taps * (int64_t)sizeof(V);
    d->block = max64(1, min64(x->batch, DOT_SUMS / max64(1, row_bytes)));
    d->blocks = ceil_div(x->batch, d->block);
    d->block = ceil_div(x->batch, d->blocks);
    d->parts = max64(1, min64(DOT_PARTS, x->in_channels));
    d->part = ceil_div(x->in_channels, d->parts);
    d->parts = max64(1, ceil_div(x->in_channels, d->part));
    d->ld = round_up(x->batch * d->taps, VL);
    d->vector_size =
        (size_t)(x->out_channels * round_up(d->block * d->taps, VL)) * sizeof(V);
    d->each = d->vector_size;
    if (!d->in_place)
        d->each +=
            (((size_t)(d->block * d->planes.channel) * sizeof(REAL)) + 63) & ~(size_t)63;
    d->size = (size_t)(d->parts * x->out_channels * d->ld) * sizeof(REAL) +
              d->each * (size_t)threads + 64;
    return d->size;
}

/* Small results of long sums, w contiguous along rows that fill vectors well. */
static int is_dot(const KConv *x)
{
    int64_t taps = x->out_size[1] * x->out_size[2];
    ConvDot d = {0};

    if (!is_flat(x) || x->groups != 1 || x->w_type != REAL_TYPE || x->w_step[2] != 1 ||
        x->w_size[1] * x->w_size[2] < 4 * taps || taps > 128 || taps < 1 ||
        x->w_size[1] * x->w_size[2] < 48 || x->in_channels < 1)
        return 0;
    dot_layout(&d, x);
    return 4 * d.width >= 3 * round_up(d.width, VL) &&
           (x->out_channels < 64 || x->batch * taps < 64);
}

/* ---- tasks ------------------------------------------------------------------------ */

/* All tiles of an image n, for channels c0..c1-1. */
static void dot_image(const ConvDot *d, int64_t n, int64_t c0, int64_t c1,
                      const REAL *from, int64_t channel, V *sums, int first)
{
    const KConv *x = d->x;
    int64_t cols = (c1 - c0) * d->taps, ld = round_up(d->block * d->taps, VL);
    int64_t col_tiles = ceil_div(cols, DOT_N),
            row_tiles = ceil_div(x->out_channels, DOT_M);
    DotTile t = {.w_out = x->w_out,
                 .w_row = d->w_row,
                 .x_row = d->x_row,
                 .height = d->height,
                 .width = d->width,
                 .sum_ld = ld,
                 .first = first};

    for (int64_t j = 0; j < col_tiles; j++) {
        int64_t j0 = j * cols / col_tiles, j1 = (j + 1) * cols / col_tiles;

        for (int64_t q = j0; q < j1; q++) {
            int64_t c = q / d->taps, tap = q - c * d->taps;
            int64_t t1 = tap / x->out_size[2], t2 = tap - t1 * x->out_size[2];

            t.x[q - j0] = from + c * channel +
                          plane_offset(&d->planes, t1 * x->stride[1], t2 * x->stride[2]);
        }
        for (int64_t i = 0; i < row_tiles; i++) {
            int64_t i0 = i * x->out_channels / row_tiles,
                    i1 = (i + 1) * x->out_channels / row_tiles;

            t.w = (const REAL *)x->w + i0 * x->w_out + n * x->w_in;
            t.sum = sums + i0 * ld + j0;
            dot_table[i1 - i0 - 1][j1 - j0 - 1](&t);
        }
    }
}

/* The lanes of VL vectors at a time, added up. */
static void dot_add_lanes(const ConvDot *d, const V *sums, int64_t cols, REAL *to)
{
    int64_t ld = round_up(d->block * d->taps, VL);

    for (int64_t o = 0; o < d->x->out_channels; o++, sums += ld, to += d->ld) {
        for (int64_t j = 0; j < cols; j += VL) {
            V s[VL];

            for (int r = 0; r < VL; r++)
                s[r] = j + r < cols ? sums[j + r] : (V){0};
            real_transpose(s);
            for (int half = VL / 2; half > 0; half /= 2)
                for (int r = 0; r < half; r++)
                    s[r] += s[r + half];
            real_store_n(to + j, s[0], (int)min64(VL, cols - j));
        }
    }
}

static void dot_tasks(void *user, int worker)
{
    ConvDot *d = user;
    const KConv *x = d->x;
    V *sums = (V *)(d->ws + d->each * (size_t)worker);
    REAL *copy = (REAL *)((char *)sums + d->vector_size);
    int64_t t;

    while ((t = __atomic_fetch_add(&d->next, 1, __ATOMIC_RELAXED)) <
           d->parts * d->blocks) {
        int64_t part = t / d->blocks, block = t % d->blocks;
        int64_t c0 = block * d->block, c1 = min64(x->batch, c0 + d->block);
        int64_t n0 = part * d->part, n1 = min64(x->in_channels, n0 + d->part);

        for (int64_t n = n0; n < n1; n++) {
            const REAL *from = (const REAL *)x->x + c0 * x->x_batch + n * x->x_channel;
            int64_t channel = x->x_batch;

            if (!d->in_place) {
                for (int64_t c = c0; c < c1; c++)
                    plane_copy(&d->planes, image_at(x, c, n),
                               copy + (c - c0) * d->planes.channel);
                from = copy;
                channel = d->planes.channel;
            } else {
                from -= x->pad_lo[1] * x->x_step[1] + x->pad_lo[2];
            }
            dot_image(d, n, c0, c1, from, channel, sums, n == n0);
        }
        dot_add_lanes(d, sums, (c1 - c0) * d->taps,
                      d->sums + part * x->out_channels * d->ld + c0 * d->taps);
    }
}

INLINE void dot_put(KType type, const ConvDot *d, int64_t o)
{
    const KConv *x = d->x;
    const REAL *bias = x->epilogue.bias_m, *s = d->sums + o * d->ld;
    int64_t each = x->out_channels * d->ld;

    for (int64_t c = 0; c < x->batch; c++) {
        for (int64_t t1 = 0; t1 < x->out_size[1]; t1++) {
            for (int64_t t2 = 0; t2 < x->out_size[2]; t2++, s++) {
                REAL sum = s[0];

                for (int64_t part = 1; part < d->parts; part++)
                    sum += s[part * each];
                if (bias)
                    sum += bias[o];
                if (x->epilogue.relu && sum < 0)
                    sum = 0;
                real_store_as(type, x->out,
                              c * x->out_batch + o * x->out_channel +
                                  t1 * x->out_step[1] + t2 * x->out_step[2],
                              real_splat(sum), 1);
            }
        }
    }
}

static void dot_finish(void *user, int o)
{
    const ConvDot *d = user;

#if !REAL_F64
    if (d->x->out_type == KT_F16) {
        dot_put(KT_F16, d, o);
        return;
    }
    if (d->x->out_type == KT_BF16) {
        dot_put(KT_BF16, d, o);
        return;
    }
#endif
    dot_put(REAL_TYPE, d, o);
}

static void dot_run(const KConv *x, const KPar *par, int threads, char *ws)
{
    ConvDot d;

    dot_plan(&d, x, threads);
    d.ws = ws + (-(uintptr_t)ws & 63);
    d.sums = (REAL *)(d.ws + d.each * (size_t)threads);
    par_run(par, min64(threads, d.parts * d.blocks), dot_tasks, &d);
    par_run(par, x->out_channels, dot_finish, &d);
}

#endif
