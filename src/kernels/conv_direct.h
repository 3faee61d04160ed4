/* conv_direct.h -- convolution without patches: few channels, filters of several taps.
 *
 * A tile is some output channels x NR neighbouring pixels. Pixels are numbered along the
 * padded rows (conv_plane.h), q = o1*pitch + o2, so that every tap of the tile is one
 * run of the planes, and the tile reads it from there: nothing is packed but the filters.
 * The few columns between one row's end and the next row's begin are computed and
 * dropped. Images without padding are not even copied; as nothing may be read past them,
 * the last tile then ends with the image and begins inside the one before.
 *
 *   many images   one task each: copy its planes, then all tiles
 *   few images    copy all planes first, then tasks of channels x pixels
 *
 * Works on a KConv with three spatial dimensions and no x_dilation; the pixels of a row may
 * stand apart in the output, as those of a phase of x_dilation do. The sum of an element is one chain in the order of (channel, tap), whatever the tasks.
 */
#ifndef WEFT_KERNEL_CONV_DIRECT_H
#define WEFT_KERNEL_CONV_DIRECT_H

#include "conv_panel.h"

#define DIRECT_TAPS  128 /* most taps */
#define DIRECT_TILES 8   /* fewer tiles of pixels: filters are read where they are */
#define DIRECT_SIZE  (1 << 28) /* most elements of an image's planes */
#define DIRECT_BLOCK (1 << 15) /* elements of an image that all strips go over */

/* C[mr][nv*VL] = sum_k a[i*a_row + k*a_k] * b[off[k] + j] */
typedef void DirectFn(int64_t k, const REAL *a, int64_t a_row, int64_t a_k, const REAL *b,
                      const int32_t *off, REAL *c, int64_t c_row);

INLINE void direct_tile(int mr, int nv, int64_t k, const REAL *a, int64_t a_row,
                        int64_t a_k, const REAL *b, const int32_t *off, REAL *c,
                        int64_t c_row)
{
    V s[MR][NV];
    const REAL *p[TRIPLES];

    UNROLL
    for (int i = 0; i < mr; i++) {
        UNROLL
        for (int j = 0; j < nv; j++)
            s[i][j] = (V){0};
    }
    UNROLL
    for (int i = 0; i < TRIPLES; i++)
        p[i] = a + 3 * i * a_row;
    for (int64_t kk = 0; kk < k; kk++) {
        const REAL *at = b + off[kk];
        V bv[NV];

        UNROLL
        for (int j = 0; j < nv; j++)
            bv[j] = real_load(at + j * VL);
        UNROLL
        for (int j = 0; j < nv; j++) /* the next tile's */
            __builtin_prefetch(at + (nv + j) * VL);
        UNROLL
        for (int i = 0; i < mr; i++) {
            V x = real_splat(p[i / 3][(i % 3) * a_row]);

            UNROLL
            for (int j = 0; j < nv; j++)
                s[i][j] += x * bv[j];
        }
        UNROLL
        for (int i = 0; i < TRIPLES; i++)
            p[i] += a_k;
    }
    UNROLL
    for (int i = 0; i < mr; i++, c += c_row) {
        UNROLL
        for (int j = 0; j < nv; j++)
            real_store(c + j * VL, s[i][j]);
    }
}

#define DIRECT(name, mr, nv)                                                             \
    NOINLINE void name(int64_t k, const REAL *a, int64_t a_row, int64_t a_k,             \
                       const REAL *b, const int32_t *off, REAL *c, int64_t c_row)        \
    {                                                                                    \
        direct_tile(mr, nv, k, a, a_row, a_k, b, off, c, c_row);                         \
    }
#define DIRECTS(mr)    DIRECT(direct_##mr##x1, mr, 1) DIRECT(direct_##mr##x2, mr, 2)
#define DIRECT_ROW(mr) {direct_##mr##x1, direct_##mr##x2},

TILE_EACH(DIRECTS)
static DirectFn *const direct_table[MR][NV] = {TILE_EACH(DIRECT_ROW)};

/* ---- plan ------------------------------------------------------------------------- */

typedef struct Direct {
    APART const KConv *x;
    Planes planes;
    int64_t in, out;               /* channels of a group */
    int64_t k;                     /* terms of a sum */
    int64_t row, pitch;            /* pixels of a row, numbers from row to row */
    int64_t flat, tiles;           /* numbered pixels of an image, tiles of them */
    int64_t strips;                /* of a group's channels */
    int64_t row_parts, tile_parts; /* tasks of an image; by_image: unused */
    int by_image;
    int in_place; /* filters are read where they are */
    int uncopied; /* images, too */
    int workers;
    int32_t *off;       /* [k] of a group's taps in its planes */
    const REAL *panels; /* [groups][strips][k][AW] */
    REAL *copies;       /* planes of each worker (by_image) or image */
    int64_t image;      /* elements of an image's planes, with room to read past them */
    size_t off_size, panel_size, size; /* bytes */
    APART int64_t next;
} Direct;

static int can_read_image(const KConv *x)
{
    int64_t flat = (x->out_size[1] - 1) * x->x_step[1] + x->out_size[2];

    return x->x_type == REAL_TYPE && x->x_step[2] == 1 && x->x_step[1] > 0 &&
           x->x_channel > 0 && is_inner(x) && x->stride[1] == 1 && x->stride[2] == 1 &&
           flat >= NR && x->x_channel * (int64_t)sizeof(REAL) % 4096 != 0;
}

static int is_direct(const KConv *x)
{
    int64_t taps = x->w_size[1] * x->w_size[2];
    int64_t reach = (x->w_size[2] - 1) * x->w_dilation[2];

    return is_flat(x) && taps > 0 && taps <= DIRECT_TAPS && x->x_step[2] == 1 &&
           (taps > 1 || can_read_image(x)) && x->out_size[2] >= 6 &&
           (x->out_step[2] == 1 || x->out_channel > x->out_step[2]) &&
           /* dropped columns: at most a third */
           3 * (reach / x->stride[2]) <= x->out_size[2] + 2 &&
           x->out_channels / x->groups >= 2 && x->in_channels > 0 &&
           x->in_channels * (x->out_size[1] + x->w_size[1] * x->w_dilation[1]) <
               DIRECT_SIZE / ((x->out_size[2] + reach + 1) * x->stride[1] * x->stride[2]);
}

static size_t direct_plan(Direct *d, const KConv *x, int threads)
{
    int64_t taps = x->w_size[1] * x->w_size[2], reach[K_SPATIAL];

    memset(d, 0, sizeof *d);
    d->x = x;
    for (int i = 0; i < K_SPATIAL; i++)
        reach[i] = (x->w_size[i] - 1) * x->w_dilation[i];
    planes_make(&d->planes, x, x->stride, x->out_size, reach);
    d->uncopied = can_read_image(x);
    if (d->uncopied) {
        d->planes.rows = x->x_size[1];
        d->planes.pitch = x->x_step[1];
        d->planes.channel = x->x_channel;
    } else if (d->planes.channel * (int64_t)sizeof(REAL) % 4096 == 0) {
        d->planes.channel += 16; /* else all channels fall into the same cache sets */
    }
    d->in = x->in_channels / x->groups;
    d->out = x->out_channels / x->groups;
    d->k = d->in * taps;
    d->row = x->out_size[2];
    d->pitch = d->planes.pitch;
    d->flat = (x->out_size[1] - 1) * d->pitch + d->row;
    if (d->pitch == d->row && x->out_step[1] == d->row && x->out_step[2] == 1) /* one row */
        d->row = d->pitch = d->flat;
    d->tiles = ceil_div(d->flat, NR);
    d->strips = ceil_div(d->out, MR);
    d->image = d->uncopied ? 0 : round_up(x->in_channels * d->planes.channel + NR, 16);
    d->by_image = x->batch >= 2 * threads;
    d->workers = threads;
    d->in_place = d->tiles < DIRECT_TILES && !d->by_image && x->w_type == REAL_TYPE &&
                  (taps == 1 || has_linear_filters(x)) &&
                  x->w_out * (int64_t)sizeof(REAL) % 4096 != 0 && !x->packed;
    d->off_size = ((size_t)d->k * sizeof(int32_t) + 63) & ~(size_t)63;
    if (!d->in_place && !x->packed)
        d->panel_size = (size_t)(x->groups * d->strips * d->k * AW) * sizeof(REAL);
    d->size = d->off_size + d->panel_size +
              (size_t)(d->image * (d->by_image ? threads : x->batch)) * sizeof(REAL) + 64;
    if (!d->by_image && threads > 1) {
        d->row_parts = min64(d->strips, threads);
        d->tile_parts = min64(d->tiles, ceil_div(2 * threads, d->row_parts));
        if (d->strips % threads) /* pixels can be cut more evenly */
            d->tile_parts = min64(d->tiles, 4 * threads);
    } else {
        d->row_parts = d->tile_parts = 1;
    }
    return d->size;
}

/* ---- finished tiles --------------------------------------------------------------- */

typedef struct DirectTask {
    const Direct *d;
    int64_t image, group;
    const REAL *planes; /* of the group's channels */
} DirectTask;

INLINE void direct_put(KType type, const KConv *x, const REAL *src, int rows, int64_t to,
                       int64_t len)
{
    int64_t step = x->out_step[2];

    for (int i = 0; i < rows; i++, src += NR, to += x->out_channel) {
        for (int64_t j = 0; j < len && step != 1; j++) /* a phase of x_dilation */
            real_put_as(type, x->out, to + j * step, src[j]);
        for (int64_t j = 0; j < len && step == 1; j += VL)
            real_store_as(type, x->out, to + j, real_load(src + j),
                          (int)min64(VL, len - j));
    }
}

/* bias and relu on a tile; columns that are dropped may hold anything */
INLINE void direct_finish(const KConv *x, REAL *c, int64_t ld, int rows, int64_t channel)
{
    const REAL *bias = x->epilogue.bias_m;

    for (int i = 0; i < rows; i++) {
        V b = real_splat(bias ? bias[channel + i] : 0);

        for (int j = 0; j < NR; j += VL) {
            V s = real_load(c + i * ld + j);

            if (bias)
                s += b;
            if (x->epilogue.relu)
                s = (V)((VI)s & ~(VI)(s < 0));
            real_store(c + i * ld + j, s);
        }
    }
}

typedef struct DirectPiece { /* a tile on its way to the output */
    REAL *c;
    int64_t ld;
    int rows;
    int64_t row;   /* first channel in the group */
    int64_t q0, q; /* number of its first pixel, and of the first that is wanted */
} DirectPiece;

INLINE void direct_call(const DirectTask *t, const DirectPiece *p, int64_t channel,
                        int64_t o1, int64_t o2, int64_t len)
{
    const KConv *x = t->d->x;
    KTile piece = {p->c + (p->q - p->q0),
                   p->ld,
                   channel,
                   o1 * x->out_size[2] + o2,
                   p->rows,
                   len,
                   t->image};

    x->epilogue.tile(x->epilogue.user, &piece);
}

/* The runs of pixels of a tile that lies beside the output. */
NOINLINE void direct_emit(const DirectTask *t, DirectPiece p)
{
    const Direct *d = t->d;
    const KConv *x = d->x;
    int64_t channel = t->group * d->out + p.row, end = min64(d->flat, p.q0 + NR);
    int64_t to = t->image * x->out_batch + channel * x->out_channel;

    if (x->epilogue.bias_m || x->epilogue.relu)
        direct_finish(x, p.c, p.ld, p.rows, channel);
    while (p.q < end) {
        int64_t o1 = p.q / d->pitch, o2 = p.q - o1 * d->pitch;
        int64_t len = min64(end - p.q, d->row - o2);

        if (len > 0) {
            int64_t at = to + o1 * x->out_step[1] + o2 * x->out_step[2];
            const REAL *src = p.c + (p.q - p.q0);

            if (x->epilogue.tile)
                direct_call(t, &p, channel, o1, o2, len);
#if !REAL_F64
            if (x->out_type == KT_F16)
                direct_put(KT_F16, x, src, p.rows, at, len);
            else if (x->out_type == KT_BF16)
                direct_put(KT_BF16, x, src, p.rows, at, len);
            else
#endif
                direct_put(REAL_TYPE, x, src, p.rows, at, len);
        }
        p.q += d->pitch - o2;
    }
}

/* ---- tiles ------------------------------------------------------------------------ */

INLINE void direct_one(const DirectTask *t, int64_t strip, int64_t tile, REAL *spare)
{
    const Direct *d = t->d;
    const KConv *x = d->x;
    int64_t i0 = strip * d->out / d->strips, i1 = (strip + 1) * d->out / d->strips;
    int wide = d->uncopied || d->flat - tile * NR > VL;
    DirectPiece p = {spare, NR, (int)(i1 - i0), i0, tile * NR, tile * NR};
    const REAL *a = d->panels + ((t->group * d->strips + strip) * d->k) * AW;
    int64_t a_row = 1, a_k = AW, o1 = p.q / d->pitch, o2 = p.q - o1 * d->pitch;
    DirectFn *fn = direct_table[p.rows - 1][wide];

    if (d->in_place) {
        a = (const REAL *)x->w + (t->group * d->out + i0) * x->w_out;
        a_row = x->w_out;
        a_k = d->k == d->in ? x->w_in : x->w_step[2];
    }
    if (o2 + NR <= d->row && x->out_type == REAL_TYPE && x->out_step[2] == 1) {
        int64_t channel = t->group * d->out + i0; /* straight into the output */

        p.c = (REAL *)x->out + t->image * x->out_batch + channel * x->out_channel +
              o1 * x->out_step[1] + o2;
        p.ld = x->out_channel;
        for (int i = 0; i < p.rows; i++) { /* what the next tile writes */
            __builtin_prefetch(p.c + i * p.ld + NR, 1);
            __builtin_prefetch(p.c + i * p.ld + NR + VL, 1);
        }
        fn(d->k, a, a_row, a_k, t->planes + p.q, d->off, p.c, p.ld);
        if (x->epilogue.bias_m || x->epilogue.relu)
            direct_finish(x, p.c, p.ld, p.rows, channel);
        if (x->epilogue.tile)
            direct_call(t, &p, channel, o1, o2, NR);
        return;
    }
    if (d->uncopied) /* read nothing past the image */
        p.q0 = min64(p.q0, d->flat - NR);
    fn(d->k, a, a_row, a_k, t->planes + p.q0, d->off, spare, NR);
    direct_emit(t, p);
}

/* The smaller operand is gone through in the inner loop; where that is the filters, with as many tiles at
 * once as a cache holds, so that what is written are runs of many pixels of few channels. */
static void direct_tiles(const DirectTask *t, int64_t s0, int64_t s1, int64_t t0,
                         int64_t t1)
{
    _Alignas(64) REAL spare[MR * NR + VL]; /* a run's last load may go past its end */
    int64_t block = t1 - t0 < s1 - s0 ? t1 - t0 : max64(1, DIRECT_BLOCK / (t->d->in * NR));

    memset(spare + MR * NR, 0, VL * sizeof(REAL));
    for (int64_t b = t0; b < t1; b += block)
        for (int64_t s = s0; s < s1; s++)
            for (int64_t q = b; q < t1 && q < b + block; q++)
                direct_one(t, s, q, spare);
}

INLINE const REAL *group_planes(const Direct *d, int64_t n, int64_t g, const REAL *copy)
{
    const KConv *x = d->x;

    if (d->uncopied)
        return (const REAL *)image_at(x, n, g * d->in) - x->pad_lo[1] * x->x_step[1] -
               x->pad_lo[2];
    return copy + g * d->in * d->planes.channel;
}

static void direct_images(void *user, int worker)
{
    Direct *d = user;
    REAL *copy = d->copies + worker * d->image;
    int64_t n;

    while ((n = __atomic_fetch_add(&d->next, 1, __ATOMIC_RELAXED)) < d->x->batch) {
        for (int64_t c = 0; c < d->x->in_channels && !d->uncopied; c++)
            plane_copy(&d->planes, image_at(d->x, n, c), copy + c * d->planes.channel);
        for (int64_t g = 0; g < d->x->groups; g++) {
            DirectTask t = {d, n, g, group_planes(d, n, g, copy)};

            direct_tiles(&t, 0, d->strips, 0, d->tiles);
        }
    }
}

/* Task i of few images: one image, one group, some strips and tiles. */
static void direct_part(void *user, int i)
{
    const Direct *d = user;
    int64_t part = i % (d->row_parts * d->tile_parts),
            rest = i / (d->row_parts * d->tile_parts);
    int64_t row = part % d->row_parts, tile = part / d->row_parts;
    int64_t g = rest % d->x->groups, n = rest / d->x->groups;
    DirectTask t = {d, n, g, group_planes(d, n, g, d->copies + n * d->image)};

    direct_tiles(&t, row * d->strips / d->row_parts, (row + 1) * d->strips / d->row_parts,
                 tile * d->tiles / d->tile_parts, (tile + 1) * d->tiles / d->tile_parts);
}

/* ---- preparation ------------------------------------------------------------------ */

/* Strip i of all groups'. */
static void direct_pack(const KConv *x, int64_t i, REAL *to)
{
    int64_t in = x->in_channels / x->groups, out = x->out_channels / x->groups;
    int64_t strips = ceil_div(out, MR), group = i / strips, strip = i % strips;
    int64_t i0 = strip * out / strips, i1 = (strip + 1) * out / strips;

    panel_filters(x, group * out + i0, (int)(i1 - i0), 0, in,
                  to + i * in * x->w_size[1] * x->w_size[2] * AW, AW);
}

/* Panels of filters, then (few images) planes of channels. */
static void direct_prepare(void *user, int i)
{
    const Direct *d = user;
    const KConv *x = d->x;
    int64_t panels = d->panel_size ? x->groups * d->strips : 0;

    if (i < panels) {
        direct_pack(x, i, (REAL *)d->panels);
    } else {
        int64_t c = (i - panels) % x->in_channels, n = (i - panels) / x->in_channels;

        plane_copy(&d->planes, image_at(x, n, c),
                   d->copies + n * d->image + c * d->planes.channel);
    }
}

static void direct_offsets(Direct *d)
{
    const KConv *x = d->x;
    int32_t *off = d->off;

    for (int64_t c = 0; c < d->in; c++)
        for (int64_t t1 = 0; t1 < x->w_size[1]; t1++)
            for (int64_t t2 = 0; t2 < x->w_size[2]; t2++)
                *off++ = (int32_t)(c * d->planes.channel +
                                   plane_offset(&d->planes, t1 * x->w_dilation[1],
                                                t2 * x->w_dilation[2]));
}

static void direct_run(const KConv *x, const KPar *par, int threads, char *ws)
{
    Direct d;
    int64_t copies, panels;

    direct_plan(&d, x, threads);
    ws += -(uintptr_t)ws & 63;
    d.off = (int32_t *)ws;
    d.panels = x->packed ? x->packed : (REAL *)(ws + d.off_size);
    d.copies = (REAL *)(ws + d.off_size + d.panel_size);
    direct_offsets(&d);
    copies = d.by_image ? d.workers : x->batch;
    for (int64_t i = 0; i < copies && !d.uncopied;
         i++) /* what tiles read past the last channel */
        memset(d.copies + i * d.image + x->in_channels * d.planes.channel, 0,
               (size_t)(d.image - x->in_channels * d.planes.channel) * sizeof(REAL));
    panels = d.panel_size ? x->groups * d.strips : 0;
    par_run(par, panels + (d.by_image || d.uncopied ? 0 : x->batch * x->in_channels),
            direct_prepare, &d);
    if (d.by_image)
        par_run(par, d.workers, direct_images, &d);
    else
        par_run(par, x->batch * x->groups * d.row_parts * d.tile_parts, direct_part, &d);
}

#endif
