/* conv_point.h -- convolution with vectors along the output channels, pixel by pixel.
 *
 * A tile of the product is some pixels x NR filters (conv_panel.h). 14x14 and 7x7 pixels are
 * whole strips of tiles so, where vectors of pixels would be a fifth air.
 *
 *   one tap (1x1)   an image is a matrix [channels][pixels], read where it stands
 *   by a stride     what the taps of a strip of pixels meet is copied, [channel][tap][AW],
 *                   for a few strips at a time, which all panels of filters go over
 *
 * A task is some pixels of an image and some panels. Works on a KConv with three spatial
 * dimensions and no x_dilation; the sum of an element is one chain in the order of
 * (channel, tap), whatever the tasks.
 */
#ifndef WEFT_KERNEL_CONV_POINT_H
#define WEFT_KERNEL_CONV_POINT_H

#include "conv_panel.h"

#define POINT_LEAST  16         /* channels out */
#define POINT_PIXELS 49         /* least pixels, for filters that are not known */
#define POINT_MOST   (32 << 10) /* pixels x elements of a channel a tile steps over */
#define POINT_RUN    8          /* strips whose results are finished together */
#define POINT_DEEP   16         /* least channels in whose pixels are copied: of few, planes are quicker */
#define POINT_COPY   (96 << 10) /* elements of copied strips that panels go over */
#define POINT_COPIES (REAL_TYPE == KT_F32)
#define POINT_RUNS   64         /* runs of pixels that are copied channel by channel */

typedef struct Point {
    APART const KConv *x;
    int64_t in, out; /* channels of a group */
    int64_t k;       /* terms of a sum */
    int64_t pixels, strips; /* of an image */
    int64_t panels;         /* of a group */
    int64_t parts;          /* of an image's strips */
    int64_t cuts;           /* of a group's panels */
    int64_t strip; /* elements of a copied strip; 0: pixels are read where they are */
    int64_t copy;  /* elements of a worker's copies */
    const REAL *filters;
    REAL *copies;
    size_t filter_size, size; /* bytes; filter_size 0: they are packed already */
    APART int64_t next;
} Point;

/* Stepping through the pixels of an image is one stride. */
static int is_matrix(const KConv *x)
{
    return x->w_size[1] == 1 && x->w_size[2] == 1 && is_inner(x) && x->pad_lo[1] == 0 &&
           x->pad_lo[2] == 0 && x->stride[1] == 1 && x->stride[2] == 1 &&
           x->x_step[1] == x->out_size[2] &&
           x->out_size[1] * x->out_size[2] <= POINT_MOST &&
           x->x_channel * (int64_t)sizeof(REAL) % 4096 != 0;
}

/* Filters of more than a panel, so that copies do not count, and known. */
static int is_copied(const KConv *x)
{
    return POINT_COPIES && x->packed && (x->stride[1] == 2 || x->stride[2] == 2) &&
           x->stride[2] <= 2 && x->out_channels / x->groups > NR &&
           x->in_channels / x->groups >= POINT_DEEP;
}

static int is_point(const KConv *x)
{
    return is_flat(x) && x->x_type == REAL_TYPE && x->x_step[2] == 1 &&
           has_panel_output(x) &&
           x->out_step[1] == x->out_size[2] * x->out_step[2] &&
           x->out_channels / x->groups >= POINT_LEAST && x->in_channels > 0 &&
           (x->packed || x->out_size[1] * x->out_size[2] >= POINT_PIXELS) &&
           (is_matrix(x) || is_copied(x));
}

static size_t point_plan(Point *p, const KConv *x, int threads)
{
    int64_t tasks;

    memset(p, 0, sizeof *p);
    p->x = x;
    p->in = x->in_channels / x->groups;
    p->out = x->out_channels / x->groups;
    p->k = p->in * x->w_size[1] * x->w_size[2];
    p->pixels = x->out_size[1] * x->out_size[2];
    p->strips = ceil_div(p->pixels, MR);
    p->panels = p->cuts = panel_count(x);
    p->parts = 1;
    if (!is_matrix(x)) {
        p->strip = p->k * AW;
        p->parts = ceil_div(p->strips, max64(1, POINT_COPY / p->strip));
        p->copy = ceil_div(p->strips, p->parts) * p->strip;
        tasks = x->batch * x->groups * p->parts;
        p->cuts = threads == 1 || tasks >= 4 * threads
                      ? 1
                      : min64(p->panels, ceil_div(4 * threads, tasks));
    } else {
        tasks = x->batch * x->groups * p->panels;
        if (threads > 1 && tasks < 8 * threads && (tasks % threads || p->out % NR))
            p->parts = min64(p->strips, 2 * threads);
    }
    if (!x->packed)
        p->filter_size = (size_t)panel_size(x, p->k) * sizeof(REAL);
    p->size = p->filter_size + (size_t)(p->copy * threads) * sizeof(REAL) + 64;
    return p->size;
}

/* Panel i of all groups'. */
static void point_filters(const KConv *x, int64_t i, REAL *to)
{
    int64_t in = x->in_channels / x->groups, out = x->out_channels / x->groups;
    int64_t group = i / panel_count(x), first = i % panel_count(x) * NR;

    panel_filters(x, group * out + first, (int)min64(NR, out - first), 0, in,
                  to + i * in * x->w_size[1] * x->w_size[2] * NR, NR);
}

static void point_prepare(void *user, int i)
{
    const Point *p = user;

    point_filters(p->x, i, (REAL *)p->filters);
}

/* `rows` pixels of `count` channels, bias and relu and all, to out. */
INLINE void point_put(const KConv *x, const REAL *c, int rows, int64_t channel,
                      int64_t count, REAL *out)
{
    for (int v = 0; v < count; v += VL) {
        int n = (int)min64(VL, count - v);
        V bias = panel_bias(x, channel + v, n), y[VL];

        for (int i0 = 0; i0 < rows; i0 += VL) {
            int i1 = rows - i0 < VL ? rows - i0 : VL;

            for (int i = 0; i < VL; i++)
                y[i] = panel_finish(real_load(c + (i0 + i) * NR + v), bias,
                                    x->epilogue.relu);
            panel_put(x, y, i1, n, out + v * x->out_channel + i0 * x->out_step[2]);
        }
    }
}

typedef struct PointTask { /* strips s0..s1-1 of image n and a group */
    const Point *p;
    int64_t n, group, s0, s1;
    const REAL *img; /* the group's channels */
    REAL *copy;
} PointTask;

INLINE int64_t point_begin(const Point *p, int64_t strip)
{
    return strip * p->pixels / p->strips;
}

typedef struct PointRun { /* neighbouring pixels of a row at a tap */
    int64_t from, to;     /* places in the first channel of the image, and in the copies */
    int count;
    RealRange a, b; /* what of two vectors is inside the image */
} PointRun;

/* Channel by channel, as the image lies in memory, the next one fetched ahead. */
static void point_copy_runs(const PointTask *t, const PointRun *run, int n)
{
    const KConv *x = t->p->x;
    const REAL *img = t->img;
    REAL *to = t->copy;
    int64_t step = t->p->strip / t->p->in;

    for (int64_t c = 0; c < t->p->in; c++, img += x->x_channel, to += step)
        for (int i = 0; i < n; i++) {
            const REAL *from = img + run[i].from;
            V v = real_load_in(from, run[i].a);

            __builtin_prefetch(from + x->x_channel);
            __builtin_prefetch(from + x->x_channel + VL);
            if (x->stride[2] == 2)
                v = REAL_EVEN(v, real_load_in(from + VL, run[i].b));
            real_store_n(to + run[i].to, v, run[i].count);
        }
}

/* Tap (t1, t2) of `count` pixels from o2 on of row o1; 0 beside the image. */
INLINE PointRun point_run_of(const KConv *x, int64_t t1, int64_t t2, int64_t o1,
                             int64_t o2, int count)
{
    int64_t row = o1 * x->stride[1] + t1 * x->w_dilation[1] - x->pad_lo[1];
    int64_t col = o2 * x->stride[2] + t2 * x->w_dilation[2] - x->pad_lo[2];
    int64_t end = min64(x->x_size[2] - col, x->stride[2] * (count - 1) + 1);

    if (row < 0 || row >= x->x_size[1])
        end = 0;
    return (PointRun){row * x->x_step[1] + col, 0, count, real_range(-col, end),
                      real_range(-col - VL, end - VL)};
}

static void point_copy(const PointTask *t)
{
    const Point *p = t->p;
    const KConv *x = p->x;
    int64_t taps = x->w_size[1] * x->w_size[2];
    PointRun run[POINT_RUNS];
    int n = 0;

    for (int64_t s = t->s0; s < t->s1; s++) {
        int64_t q0 = point_begin(p, s), q1 = point_begin(p, s + 1);

        for (int64_t q = q0, len; q < q1; q += len) {
            int64_t o1 = q / x->out_size[2], o2 = q % x->out_size[2];

            len = min64(min64(x->out_size[2] - o2, q1 - q), VL);
            for (int64_t i = 0; i < taps; i++) {
                if (n == POINT_RUNS) {
                    point_copy_runs(t, run, n);
                    n = 0;
                }
                run[n] = point_run_of(x, i / x->w_size[2], i % x->w_size[2], o1, o2,
                                      (int)len);
                run[n++].to = (s - t->s0) * p->strip + i * AW + q - q0;
            }
        }
    }
    point_copy_runs(t, run, n);
}

/* Panel i of the group. */
static void point_panel(const PointTask *t, int64_t i)
{
    _Alignas(64) REAL c[AW * NR]; /* whole squares are turned */
    const Point *p = t->p;
    const KConv *x = p->x;
    int64_t first = i * NR, count = min64(NR, p->out - first);
    int64_t channel = t->group * p->out + first, done = point_begin(p, t->s0);
    const REAL *f = p->filters + (t->group * p->panels + i) * p->k * NR;
    REAL *out = (REAL *)x->out + t->n * x->out_batch + channel * x->out_channel;

    for (int64_t s = t->s0; s < t->s1; s++) {
        int64_t a = point_begin(p, s), b = point_begin(p, s + 1);

        tile_table[b - a - 1][count > VL](
            p->k, p->strip ? t->copy + (s - t->s0) * p->strip : t->img + a, 1,
            p->strip ? AW : x->x_channel, f, NR, c, NR, VL, 0);
        point_put(x, c, (int)(b - a), channel, count, out + a * x->out_step[2]);
        if (x->epilogue.tile && ((s - t->s0) % POINT_RUN == POINT_RUN - 1 || s == t->s1 - 1)) {
            KTile piece = {out + done, x->out_channel, channel, done,
                           count,      b - done,       t->n};

            x->epilogue.tile(x->epilogue.user, &piece);
            done = b;
        }
    }
}

static void point_work(void *user, int worker)
{
    Point *p = user;
    const KConv *x = p->x;
    int64_t i;

    while ((i = __atomic_fetch_add(&p->next, 1, __ATOMIC_RELAXED)) <
           x->batch * x->groups * p->cuts * p->parts) {
        int64_t part = i % p->parts, rest = i / p->parts, cut = rest % p->cuts;
        int64_t group = rest / p->cuts % x->groups, n = rest / p->cuts / x->groups;
        PointTask t = {p,
                       n,
                       group,
                       part * p->strips / p->parts,
                       (part + 1) * p->strips / p->parts,
                       .img = (const REAL *)image_at(x, n, group * p->in),
                       .copy = p->copies + worker * p->copy};

        if (POINT_COPIES && p->strip)
            point_copy(&t);
        for (int64_t k = cut * p->panels / p->cuts; k < (cut + 1) * p->panels / p->cuts;
             k++)
            point_panel(&t, k);
    }
}

static void point_run(const KConv *x, const KPar *par, int threads, char *ws)
{
    Point p;

    point_plan(&p, x, threads);
    ws += -(uintptr_t)ws & 63;
    p.filters = x->packed ? x->packed : (REAL *)ws;
    p.copies = (REAL *)(ws + p.filter_size);
    if (!x->packed)
        par_run(par, x->groups * p.panels, point_prepare, &p);
    par_run(par, threads, point_work, &p);
}

#endif
