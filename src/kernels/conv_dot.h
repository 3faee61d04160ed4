/* conv_dot.h -- convolution with a filter as large as an image and few outputs: the
 * gradient with respect to a small filter.
 *
 *   out[c, o, t] = sum_{n, p} x[c, n, t*stride + p*w_dilation - pad] * w[o, n, p]
 *
 * Here c is x's batch (channels of the image, in the gradient) and n its channels (images
 * of the batch). Vectors run along p, for which both operands are contiguous: a tile is
 * some o x some (c, t), each with a vector of partial sums, so that nothing is
 * transposed.
 *
 *   one tap, no padding   both operands are read where they are
 *   otherwise             x is copied to planes with padding (conv_plane.h) and w to rows
 *                         of the same pitch, so that p runs through an image in one go;
 *                         a mask takes the columns between rows out
 *
 * n is cut into parts and c into blocks, by shape alone, one task each: the vectors of
 * its sums stay in the cache while it goes through its images, a few at a time, are then
 * added up lane by lane, and the parts in order at the end.
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
#define DOT_SUMS  (320 << 10) /* bytes of vectors of sums that stay in the cache */
#define DOT_STEPS 64          /* vectors of p that a tile goes through at least */

typedef struct ConvDot {
    APART const KConv *x;
    Planes planes;
    int64_t taps;          /* outputs of a channel */
    int64_t block, blocks; /* channels c of a task */
    int64_t part, parts;   /* images n of a task */
    int64_t together;      /* images n that a tile goes through */
    int64_t width;         /* of p; copies: with the columns between rows */
    int64_t ld;            /* of sums: (c, t), rounded up */
    int in_place;          /* nothing is copied */
    VI *mask;              /* copies: which lanes of p there are */
    REAL *sums;            /* [parts][o][ld] */
    char *ws;              /* of workers: vectors, copies of w, of x */
    size_t each, vector_size, w_size, size; /* bytes */
    APART int64_t next;
} ConvDot;

/* ---- tiles ------------------------------------------------------------------------ */

typedef struct DotTile {
    const REAL *w;         /* filter o of the first image */
    int64_t w_out, w_next; /* to the next filter, to the next image */
    const REAL *x[DOT_N];  /* where p begins for each (c, t) */
    int64_t x_next, images, width;
    const VI *mask; /* NULL: all lanes of width */
    V *sum;         /* [o][(c, t)] */
    int64_t sum_ld;
    int first; /* nothing is there yet */
} DotTile;

typedef void DotFn(const DotTile *t);

/* lanes: VL, or how many are left */
INLINE void dot_step(int m, int n, V s[DOT_M][DOT_N], const REAL *w, int64_t w_out,
                     const REAL *const *x, int64_t at, int lanes, const VI *mask)
{
    V a[DOT_M] = {{0}};

    UNROLL
    for (int i = 0; i < m; i++)
        a[i] = lanes == VL ? real_load(w + i * w_out + at)
                           : real_load_n(w + i * w_out + at, lanes);
    UNROLL
    for (int j = 0; j < n; j++) {
        V b = lanes == VL ? real_load(x[j] + at) : real_load_n(x[j] + at, lanes);

        if (mask)
            b = (V)((VI)b & *mask);
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
    for (int64_t h = 0; h < t->images; h++) {
        if (t->mask) {
            for (int64_t at = 0; at < whole; at += VL)
                dot_step(m, n, s, w, t->w_out, x, at, VL, t->mask + at / VL);
        } else {
            for (int64_t at = 0; at < whole; at += VL)
                dot_step(m, n, s, w, t->w_out, x, at, VL, NULL);
            if (rest)
                dot_step(m, n, s, w, t->w_out, x, whole, rest, NULL);
        }
        w += t->w_next;
        UNROLL
        for (int j = 0; j < n; j++)
            x[j] += t->x_next;
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
    int64_t reach[K_SPATIAL], pixels = x->w_size[1] * x->w_size[2];

    d->taps = x->out_size[1] * x->out_size[2];
    d->in_place = d->taps == 1 && x->x_type == REAL_TYPE && x->x_step[2] == 1 &&
                  is_inner(x) && x->w_dilation[1] == 1 && x->w_dilation[2] == 1 &&
                  x->x_step[1] == x->w_size[2] && x->w_step[1] == x->w_size[2];
    if (d->in_place) {
        d->width = pixels;
        return;
    }
    for (int i = 0; i < K_SPATIAL; i++)
        reach[i] = (x->out_size[i] - 1) * x->stride[i];
    planes_make(&d->planes, x, x->w_dilation, x->w_size, reach);
    d->width = round_up((x->w_size[1] - 1) * d->planes.pitch + x->w_size[2], VL);
}

INLINE size_t dot_bytes(int64_t elements)
{
    return ((size_t)elements * sizeof(REAL) + 63) & ~(size_t)63;
}

/* Elements of the planes of one image, with room to read past them. */
INLINE int64_t dot_image(const ConvDot *d) { return d->block * d->planes.channel + VL; }

static size_t dot_plan(ConvDot *d, const KConv *x, int threads)
{
    int64_t row_bytes;

    memset(d, 0, sizeof *d);
    d->x = x;
    dot_layout(d, x);
    row_bytes = x->out_channels * d->taps * (int64_t)sizeof(V);
    d->block = max64(1, min64(x->batch, DOT_SUMS / max64(1, row_bytes)));
    d->blocks = ceil_div(x->batch, d->block);
    d->block = ceil_div(x->batch, d->blocks);
    d->parts = max64(1, min64(DOT_PARTS, x->in_channels));
    d->part = ceil_div(x->in_channels, d->parts);
    d->parts = max64(1, ceil_div(x->in_channels, d->part));
    d->together = min64(d->part, ceil_div(DOT_STEPS * VL, d->width));
    d->ld = round_up(x->batch * d->taps, VL);
    d->vector_size =
        (size_t)(x->out_channels * round_up(d->block * d->taps, VL)) * sizeof(V);
    d->each = d->vector_size;
    if (!d->in_place) {
        d->w_size = dot_bytes(d->together * x->out_channels * d->width + 2 * VL);
        d->each += d->w_size + dot_bytes(d->together * dot_image(d));
    }
    d->size = dot_bytes(d->parts * x->out_channels * d->ld) + d->each * (size_t)threads +
              dot_bytes(d->width) + 64;
    return d->size;
}

/* Small results of long sums, w contiguous along rows; vectors well filled. */
static int is_dot(const KConv *x)
{
    int64_t taps = x->out_size[1] * x->out_size[2];
    int64_t pixels = x->w_size[1] * x->w_size[2];
    ConvDot d = {0};

    if (!is_flat(x) || x->groups != 1 || x->w_type != REAL_TYPE || x->w_step[2] != 1 ||
        pixels < 4 * taps || taps > 128 || taps < 1 || pixels < 48 || x->in_channels < 1)
        return 0;
    dot_layout(&d, x);
    return 10 * pixels >= 7 * round_up(d.width, VL) &&
           (x->out_channels < 64 || x->batch * taps < 64);
}

/* ---- tasks ------------------------------------------------------------------------ */

typedef struct DotTask { /* images n0 .. n0+images-1, channels c0 .. c1-1 */
    const ConvDot *d;
    int64_t n0, images, c0, c1;
    V *sums;
    REAL *w, *x; /* copies */
} DotTask;

/* A row of w and zeros up to `end`; may write up to a vector past it. */
INLINE void dot_copy_row(const REAL *w, int64_t n, int64_t end, REAL *to)
{
    int64_t j = 0;

    for (; j < n; j += VL)
        real_store(to + j,
                   n - j >= VL ? real_load(w + j) : real_load_n(w + j, (int)(n - j)));
    for (; j < end; j += VL)
        real_store(to + j, (V){0});
}

/* w with the pitch of the planes, 0 between; x in planes. */
static void dot_copy(const DotTask *t)
{
    const ConvDot *d = t->d;
    const KConv *x = d->x;
    int64_t pitch = d->planes.pitch;
    REAL *to = t->w;

    for (int64_t n = t->n0; n < t->n0 + t->images; n++) {
        for (int64_t o = 0; o < x->out_channels; o++, to += d->width) {
            const REAL *w = (const REAL *)x->w + o * x->w_out + n * x->w_in;

            for (int64_t i = 0; i < x->w_size[1]; i++, w += x->w_step[1])
                dot_copy_row(w, x->w_size[2],
                             i + 1 < x->w_size[1] ? pitch : d->width - i * pitch,
                             to + i * pitch);
        }
    }
    to = t->x;
    for (int64_t n = t->n0; n < t->n0 + t->images; n++, to += dot_image(d)) {
        for (int64_t c = t->c0; c < t->c1; c++)
            plane_copy(&d->planes, image_at(x, c, n),
                       to + (c - t->c0) * d->planes.channel);
        memset(to + (t->c1 - t->c0) * d->planes.channel, 0, VL * sizeof(REAL));
    }
}

static void dot_tiles(const DotTask *k, int first)
{
    const ConvDot *d = k->d;
    const KConv *x = d->x;
    int64_t cols = (k->c1 - k->c0) * d->taps, ld = round_up(d->block * d->taps, VL);
    int64_t across = ceil_div(cols, DOT_N), down = ceil_div(x->out_channels, DOT_M);
    const REAL *w = k->w, *from = k->x;
    DotTile t = {.w_out = d->width,
                 .w_next = x->out_channels * d->width,
                 .x_next = dot_image(d),
                 .images = k->images,
                 .width = d->width,
                 .mask = d->mask,
                 .sum_ld = ld,
                 .first = first};

    if (d->in_place) {
        t.w_out = x->w_out;
        t.w_next = x->w_in;
        t.x_next = x->x_channel;
        w = (const REAL *)x->w + k->n0 * x->w_in;
        from = (const REAL *)image_at(x, k->c0, k->n0) - x->pad_lo[1] * x->x_step[1] -
               x->pad_lo[2];
    }
    for (int64_t j = 0; j < across; j++) {
        int64_t j0 = j * cols / across, j1 = (j + 1) * cols / across;

        for (int64_t q = j0; q < j1; q++) {
            int64_t c = q / d->taps, tap = q - c * d->taps;
            int64_t t1 = tap / x->out_size[2], t2 = tap - t1 * x->out_size[2];

            t.x[q - j0] = d->in_place ? from + c * x->x_batch
                                      : from + c * d->planes.channel +
                                            plane_offset(&d->planes, t1 * x->stride[1],
                                                         t2 * x->stride[2]);
        }
        for (int64_t i = 0; i < down; i++) {
            int64_t i0 = i * x->out_channels / down,
                    i1 = (i + 1) * x->out_channels / down;

            t.w = w + i0 * t.w_out;
            t.sum = k->sums + i0 * ld + j0;
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
    char *ws = d->ws + d->each * (size_t)worker;
    DotTask k = {.d = d,
                 .sums = (V *)ws,
                 .w = (REAL *)(ws + d->vector_size),
                 .x = (REAL *)(ws + d->vector_size + d->w_size)};
    int64_t t;

    while ((t = __atomic_fetch_add(&d->next, 1, __ATOMIC_RELAXED)) <
           d->parts * d->blocks) {
        int64_t part = t / d->blocks, block = t % d->blocks;
        int64_t n0 = part * d->part, n1 = min64(x->in_channels, n0 + d->part);

        k.c0 = block * d->block;
        k.c1 = min64(x->batch, k.c0 + d->block);
        for (k.n0 = n0; k.n0 < n1; k.n0 += k.images) {
            k.images = min64(d->together, n1 - k.n0);
            if (!d->in_place)
                dot_copy(&k);
            dot_tiles(&k, k.n0 == n0);
        }
        dot_add_lanes(d, k.sums, (k.c1 - k.c0) * d->taps,
                      d->sums + part * x->out_channels * d->ld + k.c0 * d->taps);
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

static void dot_mask(ConvDot *d)
{
    RealInt *mask = (RealInt *)d->mask;

    for (int64_t q = 0; q < d->width; q++)
        mask[q] =
            q % d->planes.pitch < d->x->w_size[2] && q / d->planes.pitch < d->x->w_size[1]
                ? -1
                : 0;
}

static void dot_run(const KConv *x, const KPar *par, int threads, char *ws)
{
    ConvDot d;

    dot_plan(&d, x, threads);
    d.ws = ws + (-(uintptr_t)ws & 63);
    d.sums = (REAL *)(d.ws + d.each * (size_t)threads);
    if (!d.in_place) {
        d.mask = (VI *)((char *)d.sums + dot_bytes(d.parts * x->out_channels * d.ld));
        dot_mask(&d);
    }
    par_run(par, min64(threads, d.parts * d.blocks), dot_tasks, &d);
    par_run(par, x->out_channels, dot_finish, &d);
}

#endif
