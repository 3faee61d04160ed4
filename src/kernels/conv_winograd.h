/* conv_winograd.h -- convolution with 3x3 filters in 16 multiplications for each 2x2
 * outputs instead of 36: Winograd's F(2x2, 3x3).
 *
 * The output is cut into tiles of 2x2, each of which needs 4x4 elements d of a channel.
 * With g a filter of 3x3, and summed over the channels,
 *
 *   y = A'[ (G g G') . (B' d B) ]A      B' = 1  0 -1  0    G = 1    0    0    A' = 1 1  1  0
 *                                            0  1  1  0        1/2  1/2  1/2       0 1 -1 -1
 *   . element by element                     0 -1  1  0        1/2 -1/2  1/2
 *   ' transposed                             0  1  0 -1        0    0    1
 *
 * so that for each of the 16 positions there is a product
 *
 *   M[tile][filter] = sum_channel D[channel][tile] * F[channel][filter]
 *
 * of the kind conv_panel.h has: tiles one by one, vectors along the filters. A block is
 * some rows of tiles, as many as their D and M stay in the second-level cache: D is made
 * (vectors along a row of tiles), then for each panel of filters the 16 products and the
 * sums of M that are outputs.
 *
 *   many blocks   one task each
 *   few blocks    D of all blocks first, then tasks of blocks x panels
 *
 * Error: at most about (channels + 8) 2^-24 |A'| (sum |G||g||G'| . |B'||d||B|) |A|, where
 * the direct sum has (9 channels) 2^-24 sum |d||g|. Numbers grow, but chains of sums are a
 * ninth as long: on random numbers in -1/2..1/2, in layers of 16 to 192 channels, the
 * largest error against f64 was 0.3 to 0.7 of the direct sum's. The tests hold it to the
 * bound of the direct sum. An infinity makes the outputs it reaches infinite or NaN, no
 * others.
 *
 * Whether it is used depends on the shape, and on whether the filters are known, alone.
 * Each element of M is one chain of sums in the order of channels, whatever the tasks.
 * f32 only; a KConv with three spatial dimensions and no x_dilation.
 */
#ifndef WEFT_KERNEL_CONV_WINOGRAD_H
#define WEFT_KERNEL_CONV_WINOGRAD_H

#include "conv_panel.h"

#define HAS_WINOGRAD (REAL_TYPE == KT_F32) /* asked before each call: without it nothing of this is kept */
#define WINO_POINTS 16
#define WINO_TILES  56 /* of a block, about */
#define WINO_LEAST  16 /* channels in and out */
#define WINO_CHUNK  16 /* channels whose filters are transformed at a time */

typedef struct Wino {
    APART const KConv *x;
    int64_t in, out;       /* channels of a group */
    int64_t rows, cols;    /* tiles of an image */
    int64_t segs, seg;     /* a row is cut into so many pieces of so many tiles */
    int64_t units, blocks; /* pieces of all images; of units */
    int64_t panels;        /* of a group */
    int64_t parts;         /* of a block, in tasks of panels */
    int64_t ld, point;     /* of D: from channel to channel, from position to position */
    int64_t block;         /* elements of the D of a block */
    int64_t sums;          /* elements of M */
    int by_block, workers;
    const REAL *filters;                 /* [group][panel][point][in][NR] */
    REAL *data;                          /* D of each worker (by_block) or block */
    REAL *results;                       /* M of each worker */
    size_t filter_size, data_size, size; /* bytes */
    APART int64_t next;
} Wino;

static int is_winograd(const KConv *x)
{
    int64_t tiles = ceil_div(x->out_size[1], 2) * ceil_div(x->out_size[2], 2);

    return HAS_WINOGRAD && x->x_type == KT_F32 && x->w_type == KT_F32 &&
           is_flat(x) && x->w_size[1] == 3 && x->w_size[2] == 3 && x->stride[1] == 1 &&
           x->stride[2] == 1 && x->w_dilation[1] == 1 && x->w_dilation[2] == 1 &&
           x->x_step[2] == 1 && has_panel_output(x) &&
           x->in_channels / x->groups >= WINO_LEAST &&
           x->out_channels / x->groups >= WINO_LEAST &&
           2 * tiles * WINO_POINTS < 3 * 9 * x->out_size[1] * x->out_size[2] / 2 &&
           x->batch * tiles >= (x->packed ? 9 : 36);
}

/* The units of block or part i of n. */
INLINE int64_t wino_unit(const Wino *w, int64_t i) { return i * w->units / w->blocks; }

static size_t wino_plan(Wino *w, const KConv *x, int threads)
{
    memset(w, 0, sizeof *w);
    w->x = x;
    w->in = x->in_channels / x->groups;
    w->out = x->out_channels / x->groups;
    w->rows = ceil_div(x->out_size[1], 2);
    w->cols = ceil_div(x->out_size[2], 2);
    w->segs = ceil_div(w->cols, WINO_TILES);
    w->seg = ceil_div(w->cols, w->segs);
    w->units = x->batch * w->rows * w->segs;
    w->blocks = ceil_div(w->units * w->seg, WINO_TILES);
    if (w->blocks > 1)
        w->blocks = min64(w->units, round_up(w->blocks, threads));
    w->by_block = threads == 1 || w->blocks % threads == 0 || w->blocks >= 4 * threads;
    w->panels = panel_count(x);
    w->parts = 1;
    if (!w->by_block && w->blocks * x->groups * w->panels % threads)
        w->parts = min64(w->units / w->blocks, threads);
    w->workers = threads;
    w->ld = ceil_div(w->units, w->blocks) * w->seg;
    w->point = round_up(x->in_channels * w->ld, 16) + 16; /* not in the same cache sets */
    w->block = WINO_POINTS * w->point;
    w->sums = WINO_POINTS * w->ld * NR;
    if (!x->packed)
        w->filter_size = (size_t)panel_size(x, WINO_POINTS * w->in) * sizeof(REAL);
    w->data_size =
        (size_t)(w->block * (w->by_block ? threads : w->blocks)) * sizeof(REAL);
    w->size =
        w->filter_size + w->data_size + (size_t)(w->sums * threads) * sizeof(REAL) + 64;
    return w->size;
}

/* ---- filters: G g G' --------------------------------------------------------------- */

/* One step of G on three vectors. */
INLINE void wino_filter_line(V a, V b, V c, V y[4])
{
    V h = (a + c) * (REAL)0.5, k = b * (REAL)0.5;

    y[0] = a;
    y[1] = h + k;
    y[2] = h - k;
    y[3] = c;
}

/* VL filters of one channel: taps from[t*NR], points to[p*point]. */
INLINE void wino_filter(const REAL *from, REAL *to, int64_t point)
{
    V g[3][4], y[4];

    UNROLL
    for (int i = 0; i < 3; i++)
        wino_filter_line(real_load(from + 3 * i * NR), real_load(from + (3 * i + 1) * NR),
                         real_load(from + (3 * i + 2) * NR), g[i]);
    UNROLL
    for (int j = 0; j < 4; j++) {
        wino_filter_line(g[0][j], g[1][j], g[2][j], y);
        UNROLL
        for (int i = 0; i < 4; i++)
            real_store(to + (4 * i + j) * point, y[i]);
    }
}

/* Panel i of all groups'. */
static void wino_filters(const KConv *x, int64_t i, REAL *to)
{
    _Alignas(64) REAL taps[WINO_CHUNK * 9 * NR];
    int64_t in = x->in_channels / x->groups, out = x->out_channels / x->groups;
    int64_t group = i / panel_count(x), first = i % panel_count(x) * NR;
    int count = (int)min64(NR, out - first);

    for (int64_t c = 0; c < in; c += WINO_CHUNK) {
        int64_t end = min64(in, c + WINO_CHUNK);

        panel_filters(x, group * out + first, count, c, end, taps, NR);
        for (int64_t k = c; k < end; k++)
            for (int v = 0; v < NR; v += VL)
                wino_filter(taps + (k - c) * 9 * NR + v,
                            to + (i * WINO_POINTS * in + k) * NR + v, in * NR);
    }
}

/* ---- data: B' d B ------------------------------------------------------------------ */

/* One step of B'. */
INLINE void wino_data_line(const V d[4], V y[4])
{
    y[0] = d[0] - d[2];
    y[1] = d[1] + d[2];
    y[2] = d[2] - d[1];
    y[3] = d[1] - d[3];
}

/* `tiles` <= VL tiles of one channel: row r and column c of the image (which may be
 * outside) are the first of d. */
INLINE void wino_data(const KConv *x, const REAL *img, int64_t r, int64_t c, int tiles,
                      REAL *to, int64_t point)
{
    V d[4][4], y[4], z[4];
    int64_t end = x->x_size[2] - c;

    UNROLL
    for (int i = 0; i < 4; i++) {
        const REAL *row = img + (r + i) * x->x_step[1] + c;
        int64_t hi = r + i >= 0 && r + i < x->x_size[1] ? end : 0;
        V a = real_load_range(row, -c, hi);
        V b = real_load_range(row + VL, -c - VL, hi - VL);
        V e = real_load_range(row + 2, -c - 2, hi - 2);
        V f = real_load_range(row + VL + 2, -c - VL - 2, hi - VL - 2);

        d[0][i] = REAL_EVEN(a, b);
        d[1][i] = REAL_ODD(a, b);
        d[2][i] = REAL_EVEN(e, f);
        d[3][i] = REAL_ODD(e, f);
    }
    UNROLL
    for (int j = 0; j < 4; j++) {
        wino_data_line(d[j], y);
        UNROLL
        for (int i = 0; i < 4; i++)
            d[j][i] = y[i];
    }
    UNROLL
    for (int i = 0; i < 4; i++) {
        UNROLL
        for (int j = 0; j < 4; j++)
            y[j] = d[j][i];
        wino_data_line(y, z);
        UNROLL
        for (int j = 0; j < 4; j++)
            real_store_n(to + (4 * i + j) * point, z[j], tiles);
    }
}

typedef struct WinoUnit {
    int64_t n, row, col; /* image; row and first column of tiles */
    int64_t tiles;
} WinoUnit;

INLINE WinoUnit wino_place(const Wino *w, int64_t unit)
{
    int64_t s = unit % w->segs, r = unit / w->segs;

    return (WinoUnit){r / w->rows, r % w->rows, s * w->seg,
                      min64(w->seg, w->cols - s * w->seg)};
}

/* Channels c0..c1-1 of a block's D. */
static void wino_block_data(const Wino *w, int64_t block, int64_t c0, int64_t c1,
                            REAL *data)
{
    const KConv *x = w->x;
    int64_t first = wino_unit(w, block), last = wino_unit(w, block + 1);

    for (int64_t c = c0; c < c1; c++) {
        for (int64_t u = first; u < last; u++) {
            WinoUnit p = wino_place(w, u);
            const REAL *img = (const REAL *)image_at(x, p.n, c);
            REAL *to = data + c * w->ld + (u - first) * w->seg;

            for (int64_t j = 0; j < p.tiles; j += VL)
                wino_data(x, img, 2 * p.row - x->pad_lo[1],
                          2 * (p.col + j) - x->pad_lo[2], (int)min64(VL, p.tiles - j),
                          to + j, w->point);
        }
    }
}

/* ---- results: A' M A --------------------------------------------------------------- */

/* One tile of VL channels: M at m[p*point]. */
INLINE void wino_result(const REAL *m, int64_t point, V bias, int relu, V top[2],
                        V bottom[2])
{
    V u[4], v[4];

    UNROLL
    for (int j = 0; j < 4; j++) {
        V a = real_load(m + j * point), b = real_load(m + (4 + j) * point),
          c = real_load(m + (8 + j) * point), d = real_load(m + (12 + j) * point);

        u[j] = a + b + c;
        v[j] = b - c - d;
    }
    top[0] = panel_finish(u[0] + u[1] + u[2], bias, relu);
    top[1] = panel_finish(u[1] - u[2] - u[3], bias, relu);
    bottom[0] = panel_finish(v[0] + v[1] + v[2], bias, relu);
    bottom[1] = panel_finish(v[1] - v[2] - v[3], bias, relu);
}

/* A unit's outputs of channels channel .. channel+count-1, count <= VL. */
static void wino_unit_results(const Wino *w, const WinoUnit *p, const REAL *m,
                              int64_t channel, int count)
{
    const KConv *x = w->x;
    V bias = panel_bias(x, channel, count), y[2][VL] = {{{0}}};
    int64_t point = w->ld * NR;

    for (int64_t j = 0; j < p->tiles; j += VL / 2) {
        int tiles = (int)min64(VL / 2, p->tiles - j);
        int64_t col = 2 * (p->col + j);
        int pixels = (int)min64(2 * tiles, x->out_size[2] - col);
        REAL *out = (REAL *)x->out + p->n * x->out_batch + channel * x->out_channel +
                    2 * p->row * x->out_step[1] + col * x->out_step[2];

        for (int t = 0; t < tiles; t++)
            wino_result(m + (j + t) * NR, point, bias, x->epilogue.relu, &y[0][2 * t],
                        &y[1][2 * t]);
        panel_put(x, y[0], pixels, count, out);
        if (2 * p->row + 1 < x->out_size[1])
            panel_put(x, y[1], pixels, count, out + x->out_step[1]);
    }
}

static void wino_call(const Wino *w, int64_t n, int64_t row, int64_t rows, int64_t col,
                      int64_t cols, int64_t channel, int64_t count)
{
    const KConv *x = w->x;
    KTile piece = {(REAL *)x->out + n * x->out_batch + channel * x->out_channel +
                       row * x->out_step[1] + col,
                   x->out_channel,
                   channel,
                   row * x->out_size[2] + col,
                   count,
                   (rows - 1) * x->out_size[2] + cols,
                   n};

    x->epilogue.tile(x->epilogue.user, &piece);
}

/* tile() on the outputs of units first..last-1: of an image at once if they are one run. */
static void wino_call_units(const Wino *w, int64_t first, int64_t last, int64_t channel,
                            int64_t count)
{
    const KConv *x = w->x;
    int whole = w->segs == 1 && x->out_step[1] == x->out_size[2];

    for (int64_t u = first, end; u < last; u = end) {
        WinoUnit p = wino_place(w, u);
        int64_t row = 2 * p.row, col = 2 * p.col, rows;

        end = whole ? min64(last, u + w->rows - p.row) : u + 1;
        rows = min64(2 * (end - u), x->out_size[1] - row);
        if (whole)
            wino_call(w, p.n, row, rows, 0, x->out_size[2], channel, count);
        for (int64_t r = row; r < row + rows && !whole; r++)
            wino_call(w, p.n, r, 1, col, min64(2 * p.tiles, x->out_size[2] - col),
                      channel, count);
    }
}

/* ---- products ---------------------------------------------------------------------- */

/* Units first..last-1 of a block, panel i of all groups': M, and from it the outputs. */
static void wino_panel(const Wino *w, int64_t block, int64_t first, int64_t last,
                       int64_t i, const REAL *data, REAL *sums)
{
    const KConv *x = w->x;
    int64_t group = i / w->panels, channel = i % w->panels * NR;
    int64_t count = min64(NR, w->out - channel), t0, tiles, strips;
    const REAL *f = w->filters + i * WINO_POINTS * w->in * NR;
    int wide = count > VL;

    t0 = (first - wino_unit(w, block)) * w->seg;
    tiles = (last - first) * w->seg;
    strips = ceil_div(tiles, MR);
    channel += group * w->out;
    for (int p = 0; p < WINO_POINTS; p++, f += w->in * NR) {
        const REAL *d = data + p * w->point + group * w->in * w->ld + t0;
        REAL *m = sums + p * w->ld * NR;

        for (int64_t s = 0; s < strips; s++) {
            int64_t a = s * tiles / strips, b = (s + 1) * tiles / strips;

            tile_table[b - a - 1][wide](w->in, d + a, 1, w->ld, f, NR, m + a * NR, NR, VL,
                                        0);
        }
    }
    for (int64_t u = first; u < last; u++) {
        WinoUnit p = wino_place(w, u);

        for (int64_t v = 0; v < count; v += VL)
            wino_unit_results(w, &p, sums + (u - first) * w->seg * NR + v, channel + v,
                              (int)min64(VL, count - v));
    }
    if (x->epilogue.tile)
        wino_call_units(w, first, last, channel, count);
}

/* ---- tasks ------------------------------------------------------------------------- */

static void wino_prepare(void *user, int i)
{
    const Wino *w = user;

    wino_filters(w->x, i, (REAL *)w->filters);
}

static void wino_blocks(void *user, int worker)
{
    Wino *w = user;
    REAL *data = w->data + worker * w->block, *sums = w->results + worker * w->sums;
    int64_t b;

    while ((b = __atomic_fetch_add(&w->next, 1, __ATOMIC_RELAXED)) < w->blocks) {
        wino_block_data(w, b, 0, w->x->in_channels, data);
        for (int64_t i = 0; i < w->x->groups * w->panels; i++)
            wino_panel(w, b, wino_unit(w, b), wino_unit(w, b + 1), i, data, sums);
    }
}

/* Few blocks: worker i makes its share of the channels of each. */
static void wino_share(void *user, int i)
{
    const Wino *w = user;
    int64_t c = w->x->in_channels;

    for (int64_t b = 0; b < w->blocks; b++)
        wino_block_data(w, b, i * c / w->workers, (i + 1) * c / w->workers,
                        w->data + b * w->block);
}

static void wino_parts(void *user, int worker)
{
    Wino *w = user;
    int64_t each = w->x->groups * w->panels * w->parts, t;

    while ((t = __atomic_fetch_add(&w->next, 1, __ATOMIC_RELAXED)) < w->blocks * each) {
        int64_t b = t / each, i = t % each / w->parts, part = t % w->parts;
        int64_t first = wino_unit(w, b), units = wino_unit(w, b + 1) - first;

        wino_panel(w, b, first + part * units / w->parts,
                   first + (part + 1) * units / w->parts, i, w->data + b * w->block,
                   w->results + worker * w->sums);
    }
}

static void wino_run(const KConv *x, const KPar *par, int threads, char *ws)
{
    Wino w;

    wino_plan(&w, x, threads);
    ws += -(uintptr_t)ws & 63;
    w.filters = x->packed ? x->packed : (REAL *)ws;
    w.data = (REAL *)(ws + w.filter_size);
    w.results = (REAL *)(ws + w.filter_size + w.data_size);
    if (!x->packed)
        par_run(par, x->groups * w.panels, wino_prepare, &w);
    if (w.by_block) {
        par_run(par, w.workers, wino_blocks, &w);
    } else {
        par_run(par, w.workers, wino_share, &w);
        par_run(par, w.workers, wino_parts, &w);
    }
}

#endif
