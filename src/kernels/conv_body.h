/* conv_body.h -- convolution for one REAL, as products.
 *
 *   1. x_dilation L (the gradient with respect to an input has it) is taken apart: only
 *      outputs and taps of matching remainder meet a stored element, so that each
 *      remainder of the output is a convolution of its own without dilation of x, on
 *      views of w and out. No zero is multiplied.
 *   2. one channel in for each group: conv_depthwise.h.
 *   3. channels first: filters of 3x3 by conv_winograd.h, of one tap or by a stride by
 *      conv_point.h, others by conv_direct.h, where the shape suits them. These can have their filters packed.
 *   4. few outputs of a filter as large as an image: conv_dot.h.
 *   5. otherwise a product for each group: pixels x filters, summed over channels and
 *      taps, with the patches packed straight from the image (conv_pack.h). A filter of
 *      one tap needs no packing of its own: it is a matrix product on the image where it
 *      stands.
 *
 * Gradients: with respect to x, flip w and exchange its channels, x_dilation is the
 * stride; with respect to w, the batch is what is summed and out's gradient the filter
 * (4, or 5 with panels that run along k).
 */
#include "conv_depthwise.h"
#include "conv_direct.h"
#include "conv_dot.h"
#include "conv_pack.h"
#include "conv_point.h"
#include "conv_winograd.h"

#define GROUP_WORK   (1 << 22) /* multiply-adds of a group above which threads share it */
#define FILL_PIXELS  (12 * NR) /* one-tap images whose pixels fill vectors */
#define IMAGE_PIXELS 512       /* one-tap images this large are products of their own */

/* ---- 1: phases of x_dilation ------------------------------------------------------ */

static int64_t gcd64(int64_t a, int64_t b)
{
    while (b) {
        int64_t t = a % b;

        a = b;
        b = t;
    }
    return a;
}

/* x with three spatial dimensions: sizes of 1 in front. */
static void normalise(KConv *x, const KConv *from)
{
    int add = K_SPATIAL - from->spatial;

    *x = *from;
    x->spatial = K_SPATIAL;
    for (int d = 0; d < K_SPATIAL; d++) {
        int s = d - add;

        x->x_size[d] = s < 0 ? 1 : from->x_size[s];
        x->w_size[d] = s < 0 ? 1 : from->w_size[s];
        x->out_size[d] = s < 0 ? 1 : from->out_size[s];
        x->stride[d] = s < 0 ? 1 : from->stride[s];
        x->pad_lo[d] = s < 0 ? 0 : from->pad_lo[s];
        x->x_dilation[d] = s < 0 ? 1 : from->x_dilation[s];
        x->w_dilation[d] = s < 0 ? 1 : from->w_dilation[s];
        x->x_step[d] = s < 0 ? 0 : from->x_step[s];
        x->w_step[d] = s < 0 ? 0 : from->w_step[s];
        x->out_step[d] = s < 0 ? 0 : from->out_step[s];
    }
}

/* Keep the outputs o = P*q + a and the taps t = R*u + b with (o*stride + t*w_dilation -
 * pad) divisible by L = x_dilation:  P = L / gcd(stride, L), R = L / gcd(w_dilation, L),
 * and b the one remainder that fits a. None fits: no taps, the outputs are 0. */
static void take_phase(KConv *x, int d, int64_t a)
{
    int64_t L = x->x_dilation[d], s = x->stride[d], w = x->w_dilation[d];
    int64_t P = L / gcd64(s, L), R = L / gcd64(w, L), b = 0;
    int64_t at = a * s - x->pad_lo[d];

    while (b < R && (at + b * w) % L != 0)
        b++;
    x->out = (char *)x->out + a * x->out_step[d] * (int64_t)real_type_size(x->out_type);
    x->out_size[d] = ceil_div(x->out_size[d] - a, P);
    x->out_step[d] *= P;
    x->x_dilation[d] = 1;
    if (b == R || b >= x->w_size[d]) {
        x->w_size[d] = 0;
        return;
    }
    x->w = (const char *)x->w + b * x->w_step[d] * (int64_t)real_type_size(x->w_type);
    x->w_size[d] = ceil_div(x->w_size[d] - b, R);
    x->w_step[d] *= R;
    x->stride[d] = P * s / L;
    x->w_dilation[d] = R * w / L;
    x->pad_lo[d] = -(at + b * w) / L;
}

typedef void (*Visit)(const KConv *x, void *user);

static void visit_phases(const KConv *x, int d, Visit visit, void *user)
{
    int64_t P;

    if (d == K_SPATIAL) {
        visit(x, user);
        return;
    }
    P = x->x_dilation[d] / gcd64(x->stride[d], x->x_dilation[d]);
    for (int64_t a = 0; a < P && a < x->out_size[d]; a++) {
        KConv phase = *x;

        if (x->x_dilation[d] != 1)
            take_phase(&phase, d, a);
        visit_phases(&phase, d + 1, visit, user);
    }
}

/* ---- 5: one group as a product ---------------------------------------------------- */

static void set_order(int *order, int last)
{
    int q = 0;

    for (int d = 0; d < CONV_DIMS; d++) {
        if (d != last)
            order[q++] = d;
    }
    order[q] = last;
}

/* The longest contiguous run decides: along channels, along the innermost taps, or along
 * pixels (a row of strided pixels counts for a quarter). */
static void choose_orders(Geometry *g)
{
    int64_t taps = g->k_x[3] == 1 && g->dilation[2] == 1 ? g->k_count[3] : 0;
    int64_t channels = g->k_x[0] == 1 ? g->k_count[0] : 0;
    int64_t row = g->pixel_x[3] == 1 ? g->pixel_count[3] : g->pixel_count[3] / 4;
    int64_t batch = g->pixel_x[0] == 1 ? g->pixel_count[0] : 0;

    set_order(g->pixel_order, batch > row ? 0 : 3);
    set_order(g->k_order, channels > taps || channels >= VL ? 0 : 3);
    g->mode = max64(taps, channels) > max64(row, batch) ? PATCH_K : PATCH_PIXEL;
    if (g->mode == PATCH_K)
        set_order(g->k_order, channels >= taps ? 0 : 3);
}

static void make_geometry(Geometry *g, const KConv *x, int64_t group)
{
    int64_t in = x->in_channels / x->groups, out = x->out_channels / x->groups;

    memset(g, 0, sizeof *g);
    g->x_type = x->x_type;
    g->w_type = x->w_type;
    g->x = (const char *)x->x +
           group * in * x->x_channel * (int64_t)real_type_size(x->x_type);
    g->w =
        (const char *)x->w + group * out * x->w_out * (int64_t)real_type_size(x->w_type);
    g->w_out = x->w_out;
    g->pixel_count[0] = x->batch;
    g->pixel_x[0] = x->x_batch;
    g->pixel_out[0] = x->out_batch;
    g->k_count[0] = in;
    g->k_x[0] = x->x_channel;
    g->k_w[0] = x->w_in;
    for (int d = 0; d < K_SPATIAL; d++) {
        g->x_size[d] = x->x_size[d];
        g->stride[d] = x->stride[d];
        g->dilation[d] = x->w_dilation[d];
        g->pad[d] = x->pad_lo[d];
        g->pixel_count[1 + d] = x->out_size[d];
        g->pixel_x[1 + d] = x->stride[d] * x->x_step[d];
        g->pixel_out[1 + d] = x->out_step[d];
        g->k_count[1 + d] = x->w_size[d];
        g->k_x[1 + d] = x->w_dilation[d] * x->x_step[d];
        g->k_w[1 + d] = x->w_step[d];
        /* the offset of position -pad is part of x: pixels and taps only add to it */
        g->x -= x->pad_lo[d] * x->x_step[d] * (int64_t)real_type_size(x->x_type);
    }
    choose_orders(g);
}

/* Whether every pixel and tap is inside the image. */
static int is_unpadded(const Geometry *g)
{
    for (int d = 0; d < K_SPATIAL; d++) {
        int64_t last = (g->pixel_count[1 + d] - 1) * g->stride[d] - g->pad[d] +
                       (g->k_count[1 + d] - 1) * g->dilation[d];

        if (g->pad[d] > 0 || last >= g->x_size[d])
            return 0;
    }
    return 1;
}

typedef struct Product { /* a group's product and what it points to */
    Gemm gemm;
    Geometry geometry;
} Product;

static void make_product(Product *p, const KConv *x, int64_t group)
{
    Geometry *g = &p->geometry;
    Gemm *m = &p->gemm;
    int64_t out = x->out_channels / x->groups, step;
    int64_t pixels, k;
    int rows; /* pixels are C's rows, for channels last */
    Operand px, pw;
    const REAL *bias = x->epilogue.bias_m;

    make_geometry(g, x, group);
    pixels =
        g->pixel_count[0] * g->pixel_count[1] * g->pixel_count[2] * g->pixel_count[3];
    k = g->k_count[0] * g->k_count[1] * g->k_count[2] * g->k_count[3];
    px = (Operand){.type = x->x_type, .pack = pack_x, .user = g};
    pw = (Operand){
        .type = x->w_type, .pack = pack_w, .user = g, .p = g->w, .si = g->w_out};
    if (is_linear(g->k_order, g->k_count, g->k_w, &pw.sk))
        pw.pack = NULL;
    if (is_unpadded(g) && is_linear(g->pixel_order, g->pixel_count, g->pixel_x, &px.si) &&
        is_linear(g->k_order, g->k_count, g->k_x, &px.sk)) {
        px.pack = NULL;
        px.p = g->x;
    }
    memset(m, 0, sizeof *m);
    m->k = k;
    m->c_type = x->out_type;
    m->c = (char *)x->out +
           group * out * x->out_channel * (int64_t)real_type_size(x->out_type);
    m->relu = x->epilogue.relu;
    rows = x->out_channel == 1 && out >= VL;
    m->map_rows = rows;
    if (!is_linear(g->pixel_order, g->pixel_count, g->pixel_out, &step)) {
        m->map = map_pixels;
        m->map_user = g;
    }
    m->m = rows ? pixels : out;
    m->n = rows ? out : pixels;
    m->a = rows ? px : pw;
    m->b = rows ? pw : px;
    m->c_row = rows ? step : x->out_channel;
    m->c_col = rows ? x->out_channel : step;
    if (bias) {
        if (rows)
            m->bias_n = bias + group * out;
        else
            m->bias_m = bias + group * out;
    }
}

/* ---- running ---------------------------------------------------------------------- */

typedef struct ConvRun {
    const KPar *par;
    int threads;
    char *ws;
    size_t size; /* of workspace: the largest any phase needs */
} ConvRun;

typedef struct Groups { /* groups dealt out to threads */
    APART const KConv *x;
    char *ws;
    size_t each;
    APART int64_t next;
} Groups;

/* One-tap convolutions of large images are taken image by image, so that the image
 * itself serves as the operand. */
static int splits_images(const KConv *x)
{
    int64_t pixels = x->out_size[0] * x->out_size[1] * x->out_size[2];

    return x->batch > 1 && tap_count(x) == 1 && pixels >= IMAGE_PIXELS &&
           x->x_channel != 1;
}

static KConv image_of(const KConv *x, int64_t n)
{
    KConv one = *x;

    one.batch = 1;
    one.x = (const char *)x->x + n * x->x_batch * (int64_t)real_type_size(x->x_type);
    one.out = (char *)x->out + n * x->out_batch * (int64_t)real_type_size(x->out_type);
    return one;
}

static int shares_group(const KConv *x)
{
    int64_t out = x->out_channels / x->groups, in = x->in_channels / x->groups;
    int64_t work = x->batch * x->out_size[0] * x->out_size[1] * x->out_size[2] * out;

    return x->groups == 1 || work * in * tap_count(x) >= GROUP_WORK;
}

static int is_empty(const KConv *x)
{
    return x->batch == 0 || x->out_channels == 0 || x->out_size[0] == 0 ||
           x->out_size[1] == 0 || x->out_size[2] == 0;
}

typedef enum ConvWay {
    WAY_NONE, /* no outputs */
    WAY_DEPTHWISE,
    WAY_WINOGRAD,
    WAY_POINT,
    WAY_DIRECT,
    WAY_DOT,
    WAY_PRODUCT, /* of each group, by all threads */
    WAY_GROUPS   /* products dealt out */
} ConvWay;

/* Where there are pixels enough to fill vectors, tiles that have them along their vectors need not
 * be turned: at 16 channels a third faster, at 256 as fast. */
static int prefers_direct(const KConv *x)
{
    return is_matrix(x) && x->out_size[1] * x->out_size[2] >= FILL_PIXELS;
}

static ConvWay conv_way(const KConv *x)
{
    return is_empty(x)                                        ? WAY_NONE
           : is_depthwise(x)                                  ? WAY_DEPTHWISE
           : is_winograd(x)                                   ? WAY_WINOGRAD
           : is_point(x) && !(is_direct(x) && prefers_direct(x)) ? WAY_POINT
           : is_direct(x)                                     ? WAY_DIRECT
           : is_dot(x)                                        ? WAY_DOT
           : shares_group(x)                                  ? WAY_PRODUCT
                                                              : WAY_GROUPS;
}

static size_t way_workspace(ConvWay way, const KConv *x, int threads)
{
    Product p;

    switch (way) {
    case WAY_NONE: return 0;
    case WAY_DEPTHWISE: return depthwise_workspace(x, threads);
    case WAY_WINOGRAD: return HAS_WINOGRAD ? wino_plan(&(Wino){0}, x, threads) : 0;
    case WAY_POINT: return point_plan(&(Point){0}, x, threads);
    case WAY_DIRECT: return direct_plan(&(Direct){0}, x, threads);
    case WAY_DOT: return dot_plan(&(ConvDot){0}, x, threads);
    case WAY_PRODUCT: {
        KConv one = splits_images(x) ? image_of(x, 0) : *x;

        make_product(&p, &one, 0);
        return REAL_NAME(gemm_workspace)(&p.gemm, threads);
    }
    case WAY_GROUPS: break;
    }
    make_product(&p, x, 0);
    return (REAL_NAME(gemm_workspace)(&p.gemm, 1) + 64) *
               (size_t)min64(threads, x->groups) +
           64;
}

static void measure_phase(const KConv *x, void *user)
{
    ConvRun *r = user;
    size_t size = way_workspace(conv_way(x), x, r->threads);

    if (size > r->size)
        r->size = size;
}

static void run_groups(void *user, int worker)
{
    Groups *g = user;
    KPar serial = {NULL, 1, NULL};
    Product p;
    int64_t t;

    while ((t = __atomic_fetch_add(&g->next, 1, __ATOMIC_RELAXED)) < g->x->groups) {
        make_product(&p, g->x, t);
        REAL_NAME(gemm)(&p.gemm, &serial, g->ws + g->each * (size_t)worker);
    }
}

static void run_product(const KConv *x, const ConvRun *r)
{
    int64_t images = splits_images(x) ? x->batch : 1;
    Product p;

    for (int64_t n = 0; n < images; n++) {
        KConv one = images > 1 ? image_of(x, n) : *x;

        for (int64_t group = 0; group < x->groups; group++) {
            make_product(&p, &one, group);
            REAL_NAME(gemm)(&p.gemm, r->par, r->ws);
        }
    }
}

static void run_dealt(const KConv *x, const ConvRun *r)
{
    Groups g = {.x = x, .ws = r->ws + (-(uintptr_t)r->ws & 63)};
    Product p;

    make_product(&p, x, 0);
    g.each = (REAL_NAME(gemm_workspace)(&p.gemm, 1) + 63) & ~(size_t)63;
    par_run(r->par, min64(r->threads, x->groups), run_groups, &g);
}

static void run_phase(const KConv *x, void *user)
{
    const ConvRun *r = user;

    switch (conv_way(x)) {
    case WAY_NONE: break;
    case WAY_DEPTHWISE: depthwise_run(x, r->par, r->threads, r->ws); break;
    case WAY_WINOGRAD:
        if (HAS_WINOGRAD)
            wino_run(x, r->par, r->threads, r->ws);
        break;
    case WAY_POINT: point_run(x, r->par, r->threads, r->ws); break;
    case WAY_DIRECT: direct_run(x, r->par, r->threads, r->ws); break;
    case WAY_DOT: dot_run(x, r->par, r->threads, r->ws); break;
    case WAY_PRODUCT: run_product(x, r); break;
    case WAY_GROUPS: run_dealt(x, r); break;
    }
}

static size_t conv_workspace(const KConv *x, int threads)
{
    KConv full;
    ConvRun r = {.threads = threads < 1 ? 1 : threads};

    if (x->groups == 0)
        return 0;
    normalise(&full, x);
    visit_phases(&full, 0, measure_phase, &r);
    return r.size;
}

/* ---- tile() where no way of computing calls it ------------------------------------- */

#define PIECE 128

/* One channel of one image: where it stands when its pixels follow each other, else in
 * pieces of rows, through a buffer. Rows an equal step apart are one. */
static void call_tile(void *user, int i)
{
    const KConv *x = user;
    int64_t n = i / x->out_channels, o = i % x->out_channels, p = 0;
    int64_t pixels = x->out_size[0] * x->out_size[1] * x->out_size[2];
    int64_t step = x->out_step[2], row = x->out_size[2], c1 = x->out_size[1];
    REAL *out = (REAL *)x->out + n * x->out_batch + o * x->out_channel, c[PIECE];
    KTile t = {out, pixels, o, 0, 1, pixels, n};

    if (c1 == 1 || x->out_step[1] == row * step) {
        row *= c1;
        c1 = 1;
    }
    if (step == 1 && row == pixels) {
        x->epilogue.tile(x->epilogue.user, &t);
        return;
    }
    t.c = c;
    for (int64_t o0 = 0; o0 < x->out_size[0]; o0++)
        for (int64_t o1 = 0; o1 < c1; o1++)
            for (int64_t o2 = 0; o2 < row; o2 += PIECE) {
                REAL *at = out + o0 * x->out_step[0] + o1 * x->out_step[1] + o2 * step;

                t.col = p;
                t.cols = t.ld = min64(PIECE, row - o2);
                p += t.cols;
                for (int64_t q = 0; q < t.cols; q++)
                    c[q] = at[q * step];
                x->epilogue.tile(x->epilogue.user, &t);
                for (int64_t q = 0; q < t.cols; q++)
                    at[q * step] = c[q];
            }
}

static int is_undilated(const KConv *x)
{
    return x->x_dilation[0] == 1 && x->x_dilation[1] == 1 && x->x_dilation[2] == 1;
}

static int calls_tile(const KConv *x)
{
    ConvWay way = conv_way(x);

    return is_undilated(x) &&
           (way == WAY_DIRECT ||
            (way == WAY_DEPTHWISE && !is_channels_last(x) && has_plane_pieces(x)) ||
            ((way == WAY_WINOGRAD || way == WAY_POINT) && x->out_step[2] == 1));
}

/* ---- packed filters ---------------------------------------------------------------- */

typedef struct PackRun {
    APART const KConv *x;
    REAL *to;
    void (*pack)(const KConv *x, int64_t i, REAL *to);
} PackRun;

static void pack_task(void *user, int i)
{
    const PackRun *r = user;

    r->pack(r->x, i, r->to);
}

/* x as it will be when packed, its way, and the number of terms of a sum. */
static ConvWay packed_way(KConv *full, const KConv *x, int64_t *k)
{
    static const char any[1];

    normalise(full, x);
    full->packed = any;
    *k = x->groups ? x->in_channels / x->groups * tap_count(full) : 0;
    return x->groups && is_undilated(full) ? conv_way(full) : WAY_NONE;
}

static size_t conv_packed_size(const KConv *x)
{
    KConv full;
    int64_t k, out = x->groups ? x->out_channels / x->groups : 0;

    switch (packed_way(&full, x, &k)) {
    case WAY_WINOGRAD:
        return (size_t)panel_size(&full, k / 9 * WINO_POINTS) * sizeof(REAL);
    case WAY_POINT: return (size_t)panel_size(&full, k) * sizeof(REAL);
    case WAY_DIRECT:
        return (size_t)(x->groups * ceil_div(out, MR) * k * AW) * sizeof(REAL);
    default: return 0;
    }
}

static void conv_pack(const KConv *x, const KPar *par, void *to)
{
    KConv full;
    int64_t k;
    ConvWay way = packed_way(&full, x, &k);
    PackRun r = {&full, to,
                 HAS_WINOGRAD && way == WAY_WINOGRAD ? wino_filters
                 : way == WAY_POINT                  ? point_filters
                                                     : direct_pack};

    par_run(par,
            x->groups * (way == WAY_DIRECT ? ceil_div(x->out_channels / x->groups, MR)
                                           : panel_count(&full)),
            pack_task, &r);
}

/* ---- all --------------------------------------------------------------------------- */

static void conv_run(const KConv *x, const KPar *par, void *workspace)
{
    KConv full;
    ConvRun r = {.par = par, .ws = workspace};
    int later;

    if (x->groups == 0)
        return;
    r.threads = par->run && par->threads > 1 ? par->threads : 1;
    normalise(&full, x);
    later = full.epilogue.tile && !calls_tile(&full);
    if (later)
        full.epilogue.tile = NULL;
    visit_phases(&full, 0, run_phase, &r);
    if (later) {
        full.epilogue.tile = x->epilogue.tile;
        par_run(par, full.batch * full.out_channels, call_tile, &full);
    }
}
