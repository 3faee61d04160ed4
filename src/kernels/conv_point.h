/* conv_point.h -- convolution of one tap (1x1) with vectors along the output channels.
 *
 * An image is a matrix [channels][pixels] where it stands; a tile of the product is some of
 * its pixels x NR filters (conv_panel.h). 14x14 and 7x7 pixels are whole strips of tiles
 * so, where vectors of pixels would be a fifth air.
 *
 * A task is some pixels of an image and a panel of filters. Works on a KConv with three
 * spatial dimensions and no x_dilation; the sum of an element is one chain in the order of
 * channels, whatever the tasks.
 */
#ifndef WEFT_KERNEL_CONV_POINT_H
#define WEFT_KERNEL_CONV_POINT_H

#include "conv_panel.h"

#define POINT_LEAST  16         /* channels out */
#define POINT_PIXELS 49         /* least pixels, for filters that are not known */
#define POINT_MOST   (32 << 10) /* pixels x elements of a channel a tile steps over */
#define POINT_RUN    8          /* strips whose results are finished together */

typedef struct Point {
    APART const KConv *x;
    int64_t in, out; /* channels of a group */
    int64_t pixels;
    int64_t panels; /* of a group */
    int64_t parts;  /* of an image's pixels */
    const REAL *filters;
    size_t filter_size; /* bytes; 0: they are packed already */
} Point;

/* Stepping through the pixels of an image is one stride. */
static int is_point(const KConv *x)
{
    return is_flat(x) && x->w_size[1] == 1 && x->w_size[2] == 1 && is_inner(x) &&
           x->pad_lo[1] == 0 && x->pad_lo[2] == 0 && x->stride[1] == 1 &&
           x->stride[2] == 1 && x->x_type == REAL_TYPE && x->x_step[2] == 1 &&
           x->x_step[1] == x->out_size[2] && has_panel_output(x) &&
           x->out_step[1] == x->out_size[2] * x->out_step[2] &&
           x->out_channels / x->groups >= POINT_LEAST && x->in_channels > 0 &&
           (x->packed || x->out_size[1] * x->out_size[2] >= POINT_PIXELS) &&
           x->out_size[1] * x->out_size[2] <= POINT_MOST &&
           x->x_channel * (int64_t)sizeof(REAL) % 4096 != 0;
}

static size_t point_plan(Point *p, const KConv *x, int threads)
{
    int64_t tasks;

    memset(p, 0, sizeof *p);
    p->x = x;
    p->in = x->in_channels / x->groups;
    p->out = x->out_channels / x->groups;
    p->pixels = x->out_size[1] * x->out_size[2];
    p->panels = panel_count(x);
    tasks = x->batch * x->groups * p->panels;
    p->parts = 1;
    if (threads > 1 && tasks < 8 * threads && (tasks % threads || p->out % NR))
        p->parts = min64(ceil_div(p->pixels, MR), 2 * threads);
    if (!x->packed)
        p->filter_size = (size_t)panel_size(x, p->in) * sizeof(REAL);
    return p->filter_size + 64;
}

/* Panel i of all groups'. */
static void point_filters(const KConv *x, int64_t i, REAL *to)
{
    int64_t in = x->in_channels / x->groups, out = x->out_channels / x->groups;
    int64_t group = i / panel_count(x), first = i % panel_count(x) * NR;

    panel_filters(x, group * out + first, (int)min64(NR, out - first), 0, in,
                  to + i * in * NR, NR);
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

/* Pixels q0..q1-1 of image n, panel i of all groups'. */
static void point_pixels(const Point *p, int64_t n, int64_t i, int64_t q0, int64_t q1)
{
    _Alignas(64) REAL c[AW * NR]; /* whole squares are turned */
    const KConv *x = p->x;
    int64_t group = i / p->panels, first = i % p->panels * NR;
    int64_t count = min64(NR, p->out - first), channel = group * p->out + first;
    const REAL *img = (const REAL *)image_at(x, n, group * p->in);
    const REAL *f = p->filters + i * p->in * NR;
    REAL *out = (REAL *)x->out + n * x->out_batch + channel * x->out_channel;
    int64_t strips = ceil_div(q1 - q0, MR), done = q0;

    for (int64_t s = 0; s < strips; s++) {
        int64_t a = q0 + s * (q1 - q0) / strips, b = q0 + (s + 1) * (q1 - q0) / strips;

        tile_table[b - a - 1][count > VL](p->in, img + a, 1, x->x_channel, f, NR, c, NR,
                                          VL, 0);
        point_put(x, c, (int)(b - a), channel, count, out + a * x->out_step[2]);
        if (x->epilogue.tile && (s % POINT_RUN == POINT_RUN - 1 || s == strips - 1)) {
            KTile piece = {out + done, x->out_channel, channel, done, count, b - done, n};

            x->epilogue.tile(x->epilogue.user, &piece);
            done = b;
        }
    }
}

static void point_task(void *user, int task)
{
    const Point *p = user;
    int64_t part = task % p->parts, rest = task / p->parts;
    int64_t panels = p->x->groups * p->panels;

    point_pixels(p, rest / panels, rest % panels, part * p->pixels / p->parts,
                 (part + 1) * p->pixels / p->parts);
}

static void point_run(const KConv *x, const KPar *par, int threads, char *ws)
{
    Point p;
    int64_t panels;

    point_plan(&p, x, threads);
    panels = x->groups * p.panels;
    p.filters = x->packed ? x->packed : (REAL *)(ws + (-(uintptr_t)ws & 63));
    if (!x->packed)
        par_run(par, panels, point_prepare, &p);
    par_run(par, x->batch * panels * p.parts, point_task, &p);
}

#endif
