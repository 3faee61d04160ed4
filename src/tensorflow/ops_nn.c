/* ops_nn.c -- convolutions, pools, batch normalisation, images of other sizes; and their derivatives.
 *
 * Images are [N,H,W,C] by data_format, filters [H,W,C,O]. Weft's functions take [N,C,H,W] and [O,C,H,W]: axes are moved, which
 * costs nothing by itself.
 */
#include "tensorflow/ops.h"

/* ---- layouts ----------------------------------------------------------------------------------------------------- */

static bool channels_first(OxRun *r)
{
    return strncmp(tg_text(r, "data_format", "NHWC"), "NC", 2) == 0;
}

static wf_tensor to_first(OxRun *r, wf_tensor x, bool already)
{
    return already || !ox_ok(r) ? x : wf_move_axis(r->c, x, wf_rank(r->c, x) - 1, 1);
}

static wf_tensor to_last(OxRun *r, wf_tensor x, bool stays)
{
    return stays || !ox_ok(r) ? x : wf_move_axis(r->c, x, 1, wf_rank(r->c, x) - 1);
}

/* A list of one number for each axis, of which those of the image count. */
static bool spatial(OxRun *r, const char *name, bool first, int n, int64_t *out)
{
    int given;
    const int64_t *v = tg_ints(r, name, &given);

    if (v && given && given != n + 2)
        return ox_fail(r, WF_ERR_SHAPE, "%s of %d numbers for %d axes", name, given,
                       n + 2);
    for (int i = 0; i < n; i++) {
        out[i] = v && given ? v[(first ? 2 : 1) + i] : 1;
        if (out[i] < 1 || out[i] > 1 << 24)
            return ox_fail(r, WF_ERR_VALUE, "%s of %lld", name, (long long)out[i]);
    }
    return true;
}

typedef struct Window {
    OxWindow w;
    bool first; /* channels */
    int64_t groups;
} Window;

/* SAME: as many results as inputs / stride, rounded up; the padding is shared, the odd one behind. */
static bool read_window(OxRun *r, const int64_t *kernel, const int64_t *sizes, int n,
                        Window *k)
{
    const char *padding = tg_text(r, "padding", "VALID");
    int given;
    const int64_t *v = tg_ints(r, "explicit_paddings", &given);
    OxWindow *w = &k->w;

    *k = (Window){.w = {.n = n}, .first = channels_first(r), .groups = 1};
    if (!spatial(r, "strides", k->first, n, w->stride) ||
        !spatial(r, "dilations", k->first, n, w->dilation))
        return false;
    for (int i = 0; i < n; i++) {
        int64_t reach, total;

        if ((w->kernel[i] = kernel[i]) < 1 || kernel[i] > 1 << 24)
            return ox_fail(r, WF_ERR_UNSUPPORTED, "a window of symbolic size");
        if (strcmp(padding, "EXPLICIT") == 0) {
            int at = (k->first ? 2 : 1) + i;

            if (given != 2 * (n + 2) || v[2 * at] < 0 || v[2 * at + 1] < 0 ||
                v[2 * at] > 1 << 24 || v[2 * at + 1] > 1 << 24)
                return ox_fail(r, WF_ERR_VALUE, "explicit paddings that do not fit");
            w->lo[i] = v[2 * at];
            w->hi[i] = v[2 * at + 1];
        } else if (strcmp(padding, "SAME") == 0) {
            reach = (kernel[i] - 1) * w->dilation[i] + 1;
            if (sizes[i] < 0 && w->stride[i] != 1 && reach > w->stride[i])
                return ox_fail(r, WF_ERR_UNSUPPORTED,
                               "padding SAME with a stride along an axis whose size is "
                               "open: give its type");
            total = sizes[i] < 0 ? MAX(0, reach - w->stride[i])
                                 : MAX(0, ((sizes[i] + w->stride[i] - 1) / w->stride[i] -
                                           1) * w->stride[i] +
                                              reach - sizes[i]);
            w->lo[i] = total / 2;
            w->hi[i] = total - total / 2;
        } else if (strcmp(padding, "VALID") != 0) {
            return ox_fail(r, WF_ERR_UNSUPPORTED, "padding %.20s", padding);
        }
    }
    return true;
}

static void image_sizes(OxRun *r, wf_tensor x, bool first, int n, int64_t *out)
{
    for (int i = 0; i < n; i++)
        out[i] = wf_size(r->c, x, (first ? 2 : 1) + i);
}

/* ---- convolutions ---------------------------------------------------------------------------------------------------- */

typedef struct ConvCall {
    OxRun *r;
    Window k;
    bool depthwise;
} ConvCall;

/* [H,W,C,O] -> [O,C,H,W]; depthwise [H,W,C,M] -> [C M,1,H,W] */
static wf_tensor filter_of(OxRun *r, wf_tensor w, int n, bool depthwise)
{
    wf_ctx *c = r->c;
    int64_t d[WF_MAX_RANK];
    int perm[WF_MAX_RANK] = {n + 1, n};

    for (int i = 0; i < n; i++)
        perm[2 + i] = i;
    if (!depthwise)
        return wf_permute(c, w, perm, n + 2);
    wf_shape(c, w, d, n + 2);
    perm[0] = n;
    perm[1] = n + 1;
    w = wf_permute(c, w, perm, n + 2);
    memmove(d + 2, d, (size_t)n * sizeof *d);
    d[0] = wf_size_mul(c, wf_size(c, w, 0), wf_size(c, w, 1));
    d[1] = 1;
    return wf_reshape(c, w, d, n + 2);
}

static wf_status conv_call(wf_ctx *c, void *user, const wf_tensor *in, int nin,
                           wf_tensor *out, int nout)
{
    ConvCall *k = user;
    wf_tensor x = to_first(k->r, in[0], k->k.first),
              w = filter_of(k->r, in[1], k->k.w.n, k->depthwise);

    (void)nin, (void)nout;
    out[0] = to_last(k->r, ox_conv_with(k->r, x, w, WF_NONE, &k->k.w, k->k.groups),
                     k->k.first);
    return wf_ctx_status(c);
}

/* The window of a convolution of an image of these sizes, all axes. */
static bool conv_window(OxRun *r, ConvCall *k, const int64_t *image,
                        const int64_t *filter, int rank)
{
    bool first = channels_first(r);
    int64_t channels = image[first ? 1 : rank - 1];

    if (rank < 3 || rank > 5 ||
        !read_window(r, filter, image + (first ? 2 : 1), rank - 2, &k->k))
        return ox_ok(r) ? ox_fail(r, WF_ERR_SHAPE, "a convolution of rank %d", rank)
                        : false;
    k->k.groups = k->depthwise                           ? channels
                  : channels > 0 && filter[rank - 2] > 0 ? channels / filter[rank - 2]
                                                         : 1;
    if (k->k.groups < 1)
        return ox_fail(r, WF_ERR_SHAPE, "%lld channels and a filter of %lld",
                       (long long)channels, (long long)filter[rank - 2]);
    return true;
}

/* arg: 1 depthwise, 2 with a bias and an activation behind it (_FusedConv2D) */
TG_RULE(conv)
{
    wf_tensor x[2] = {ox_in(r, 0), ox_in(r, 1)}, y = WF_NONE;
    int64_t image[WF_MAX_RANK], filter[WF_MAX_RANK];
    ConvCall k = {.r = r, .depthwise = op->arg & 1};
    int rank = ox_ok(r) ? wf_rank(r->c, x[0]) : 0;

    if (!ox_ok(r) || wf_rank(r->c, x[1]) != rank)
        return ox_ok(r) ? ox_fail(r, WF_ERR_SHAPE, "ranks %d and %d", rank,
                                  wf_rank(r->c, x[1]))
                        : false;
    wf_shape(r->c, x[0], image, rank);
    wf_shape(r->c, x[1], filter, rank);
    return conv_window(r, &k, image, filter, rank) && !conv_call(r->c, &k, x, 2, &y, 1) &&
           ox_put(r, 0, y);
}

/* arg: 0 by the input (sizes, filter, g), 1 by the filter (input, sizes, g); +2 depthwise */
TG_RULE(conv_grad)
{
    bool by_filter = op->arg & 1;
    wf_tensor given = ox_in(r, by_filter ? 0 : 1), gy = ox_in(r, 2), x[2];
    int64_t dims[WF_MAX_RANK], other[WF_MAX_RANK];
    ConvCall k = {.r = r, .depthwise = op->arg & 2};
    int rank;

    if (!ox_ok(r) || !tg_dims(r, by_filter ? 1 : 0, dims, &rank))
        return false;
    if (rank == 2 && !by_filter &&
        wf_rank(r->c, gy) == 4) { /* sizes of the image alone */
        bool first = channels_first(r);
        int64_t h = dims[0], w = dims[1], channels = wf_size(r->c, given, 2);
        int64_t all[4] = {wf_size(r->c, gy, 0), first ? channels : h, first ? h : w,
                          first ? w : channels};
        memcpy(dims, all, sizeof all);
        rank = 4;
    }
    if (wf_rank(r->c, given) != rank)
        return ox_fail(r, WF_ERR_SHAPE, "ranks %d and %d", rank, wf_rank(r->c, given));
    wf_shape(r->c, given, other, rank);
    x[by_filter ? 0 : 1] = given;
    x[by_filter ? 1 : 0] = tg_zeros(r, wf_dtype_of(r->c, given), dims, rank);
    return conv_window(r, &k, by_filter ? other : dims, by_filter ? dims : other, rank) &&
           ox_put(r, 0, tg_vjp(r, conv_call, &k, x, 2, by_filter, gy));
}

/* _FusedConv2D, _FusedMatMul: fused_ops says what follows: BiasAdd, FusedBatchNorm, Relu .. */
TG_RULE(fused)
{
    const TgAttr *a = tg_attr(r, "fused_ops");
    OxOp inner = *op;
    wf_tensor y, b;

    inner.arg = 0;
    if (!(op->arg ? tgr_matmul(r, &inner) : tgr_conv(r, &inner)))
        return false;
    y = ox_tensor_of(r, ox_name_value(r->env, r->node->out.v[0]));
    for (size_t i = 0; a && a->list && i < a->list->s.n && ox_ok(r); i++) {
        const char *what = ox_string(&r->mem, a->list->s.v[i].data, a->list->s.v[i].size);

        if (what && strcmp(what, "BiasAdd") == 0 && !channels_first(r)) {
            b = ox_in(r, 2);
            y = wf_add(r->c, y, b);
        } else if (what && strcmp(what, "Relu") == 0) {
            y = wf_relu(r->c, y);
        } else if (what && strcmp(what, "Relu6") == 0) {
            y = wf_clip(r->c, y, ox_like(r, 0, y), ox_like(r, 6, y));
        } else {
            return ox_fail(r, WF_ERR_UNSUPPORTED, "fused with %.40s", what ? what : "");
        }
    }
    return ox_put(r, 0, y);
}

/* ---- pools ---------------------------------------------------------------------------------------------------------------- */

typedef struct PoolCall {
    OxRun *r;
    Window k;
    bool average;
} PoolCall;

static wf_tensor window_sums(OxRun *r, wf_tensor x, const OxWindow *w)
{
    int64_t ones[WF_MAX_RANK] = {1, 1}, d[WF_MAX_RANK], flat[WF_MAX_RANK];
    wf_tensor one;

    wf_shape(r->c, x, d, w->n + 2);
    memcpy(flat, d, sizeof d);
    memcpy(ones + 2, w->kernel, (size_t)w->n * sizeof *ones);
    flat[0] = wf_size_mul(r->c, d[0], d[1]);
    flat[1] = 1;
    one = wf_ones(r->c, wf_dtype_of(r->c, x), ones, w->n + 2);
    x = ox_conv_with(r, wf_reshape(r->c, x, flat, w->n + 2), one, WF_NONE, w, 1);
    for (int i = 0; ox_ok(r) && i < w->n; i++)
        d[2 + i] = wf_size(r->c, x, 2 + i);
    return wf_reshape(r->c, x, d, w->n + 2);
}

static wf_status pool_call(wf_ctx *c, void *user, const wf_tensor *in, int nin,
                           wf_tensor *out, int nout)
{
    PoolCall *k = user;
    OxRun *r = k->r;
    OxWindow w = k->k.w;
    wf_tensor x = to_first(r, in[0], k->k.first), y;
    bool even = true, none = true;
    int64_t d[WF_MAX_RANK] = {1, 1};

    (void)nin, (void)nout;
    for (int i = 0; i < w.n; i++) {
        even = even && w.lo[i] == w.hi[i] && 2 * w.lo[i] <= w.kernel[i];
        none = none && !w.lo[i] && !w.hi[i];
    }
    if (k->average && none) {
        y = wf_avg_pool(c, x, w.n, w.kernel, w.stride, w.lo, false);
    } else if (k->average && even) {
        y = wf_avg_pool(c, x, w.n, w.kernel, w.stride, w.lo, false);
    } else if (k->average) { /* elements outside do not count */
        wf_tensor counts;

        for (int i = 0; i < w.n; i++)
            d[2 + i] = wf_size(c, x, 2 + i);
        counts = window_sums(r, wf_broadcast_to(c, ox_like(r, 1, x), d, w.n + 2), &w);
        y = wf_div(c, window_sums(r, x, &w), counts);
    } else {
        if (!even)
            x = ox_pad_window(r, x, &w,
                              wf_dtype_is_float(wf_dtype_of(c, x)) ? -INFINITY : -128);
        y = wf_max_pool(c, x, w.n, w.kernel, w.stride, w.lo, w.dilation);
    }
    out[0] = to_last(r, y, k->k.first);
    return wf_ctx_status(c);
}

static bool pool_window(OxRun *r, PoolCall *k, wf_tensor x)
{
    bool first = channels_first(r);
    int rank = wf_rank(r->c, x);
    int64_t kernel[WF_MAX_RANK], sizes[WF_MAX_RANK];

    if (rank < 4 || rank > 5)
        return ox_fail(r, WF_ERR_SHAPE, "a pool of rank %d", rank);
    image_sizes(r, x, first, rank - 2, sizes);
    return spatial(r, "ksize", first, rank - 2, kernel) &&
           read_window(r, kernel, sizes, rank - 2, &k->k);
}

/* arg 1: averages */
TG_RULE(pool)
{
    wf_tensor x = ox_in(r, 0), y = WF_NONE;
    PoolCall k = {.r = r, .average = op->arg};

    return ox_ok(r) && pool_window(r, &k, x) && !pool_call(r->c, &k, &x, 1, &y, 1) &&
           ox_put(r, 0, y);
}

/* arg 0: MaxPoolGrad(x, y, g); 1: AvgPoolGrad(sizes, g) */
TG_RULE(pool_grad)
{
    wf_tensor gy = ox_in(r, op->arg ? 1 : 2), x;
    PoolCall k = {.r = r, .average = op->arg};
    int64_t dims[WF_MAX_RANK];
    int rank;

    if (!ox_ok(r))
        return false;
    if (op->arg) {
        if (!tg_dims(r, 0, dims, &rank))
            return false;
        x = tg_zeros(r, wf_dtype_of(r->c, gy), dims, rank);
    } else {
        x = ox_in(r, 0);
    }
    return ox_ok(r) && pool_window(r, &k, x) &&
           ox_put(r, 0, tg_vjp(r, pool_call, &k, &x, 1, 0, gy));
}

/* ---- batch normalisation -------------------------------------------------------------------------------------------------------- */

/* A vector of channels, shaped to meet x. */
static wf_tensor per_channel(OxRun *r, wf_tensor v, wf_tensor x, bool first)
{
    int64_t d[WF_MAX_RANK];
    int rank = wf_rank(r->c, x);

    for (int i = 0; i < rank; i++)
        d[i] = i == (first ? 1 : rank - 1) ? wf_size(r->c, v, 0) : 1;
    return wf_reshape(r->c, v, d, rank);
}

static int other_axes(OxRun *r, wf_tensor x, bool first, int *axes)
{
    int n = 0, rank = wf_rank(r->c, x);

    for (int i = 0; i < rank; i++)
        if (i != (first ? 1 : rank - 1))
            axes[n++] = i;
    return n;
}

static int64_t elements_of(OxRun *r, wf_tensor x, const int *axes, int n)
{
    int64_t all = 1;

    for (int i = 0; i < n; i++)
        all = wf_size_mul(r->c, all, wf_size(r->c, x, axes[i]));
    return all;
}

/* y = (x - mean) / sqrt(var + eps) scale + offset. In training the variance that comes out is the unbiased one. */
TG_RULE(batch_norm)
{
    wf_ctx *c = r->c;
    wf_tensor x = ox_in(r, 0), scale = ox_in(r, 1), offset = ox_in(r, 2), mean, var, xf,
              y;
    bool training = tg_bool(r, "is_training", true), first = channels_first(r);
    double eps = tg_float(r, "epsilon", 0.0001f),
           factor = tg_float(r, "exponential_avg_factor", 1);
    int axes[WF_MAX_RANK], n;
    wf_tensor shift;

    (void)op;
    if (!ox_ok(r) || wf_rank(c, x) < 2)
        return ox_ok(r) ? ox_fail(r, WF_ERR_SHAPE, "rank %d", wf_rank(c, x)) : false;
    xf = wf_cast(c, x, wf_dtype_of(c, scale));
    if (training) {
        n = other_axes(r, x, first, axes);
        mean = wf_mean(c, xf, axes, n, false);
        var = wf_var(c, xf, axes, n, 0, false);
    } else {
        mean = ox_in(r, 3);
        var = ox_in(r, 4);
    }
    shift = per_channel(r, wf_mul(c, scale, wf_rsqrt(c, wf_add(c, var, ox_like(r, eps, var)))), x, first);
    y = wf_mul(c, wf_sub(c, xf, per_channel(r, mean, x, first)), shift);
    ox_put(r, 0,
           wf_cast(c, wf_add(c, y, per_channel(r, offset, x, first)), wf_dtype_of(c, x)));
    if (training && (ox_wants(r, 1) || ox_wants(r, 2))) {
        wf_tensor count = wf_cast(
                      c, ox_num_tensor(r, ox_num_size(elements_of(r, x, axes, n))),
                      wf_dtype_of(c, var)),
                  one = ox_like(r, 1, var);
        wf_tensor m = mean,
                  v = wf_mul(c, var,
                             wf_div(c, count, wf_maximum(c, wf_sub(c, count, one), one)));

        if (factor != 1) {
            wf_tensor scaled = tg_times(r, m, factor);
            wf_tensor fresh;

            m = wf_add(c, tg_times(r, ox_in(r, 3), 1 - factor), scaled);
            fresh = tg_times(r, v, factor);
            v = wf_add(c, tg_times(r, ox_in(r, 4), 1 - factor), fresh);
        }
        ox_put(r, 1, m);
        ox_put(r, 2, v);
    } else {
        ox_put(r, 1, mean);
        ox_put(r, 2, var);
    }
    ox_put(r, 3, mean); /* what the derivative asks for: kept as it is computed here */
    ox_put(r, 4, var);
    return ox_put(r, 5, mean);
}

/* (gy, x, scale, mean, var): gx, gscale, goffset */
TG_RULE(batch_norm_grad)
{
    wf_ctx *c = r->c;
    wf_tensor gy = ox_in(r, 0), x = ox_in(r, 1), scale = ox_in(r, 2), mean = ox_in(r, 3),
              var = ox_in(r, 4), inv, xc, sum, dot, gx, xf;
    bool first = channels_first(r), training = tg_bool(r, "is_training", true);
    double eps = tg_float(r, "epsilon", 0.0001f);
    int axes[WF_MAX_RANK], n;
    wf_tensor shift;

    (void)op;
    if (!ox_ok(r))
        return false;
    n = other_axes(r, x, first, axes);
    xf = wf_cast(c, x, wf_dtype_of(c, scale));
    gy = wf_cast(c, gy, wf_dtype_of(c, scale));
    inv = wf_rsqrt(c, wf_add(c, var, ox_like(r, eps, var)));
    shift = per_channel(r, inv, x, first);
    xc = wf_mul(c, wf_sub(c, xf, per_channel(r, mean, x, first)), shift); /* normalised */
    sum = wf_sum(c, gy, axes, n, false);
    dot = wf_sum(c, wf_mul(c, gy, xc), axes, n, false);
    gx = gy;
    if (training) {
        wf_tensor count =
            wf_cast(c, ox_num_tensor(r, ox_num_size(elements_of(r, x, axes, n))),
                    wf_dtype_of(c, gy));

        gx = wf_sub(c, gy, per_channel(r, wf_div(c, sum, count), x, first));
        gx =
            wf_sub(c, gx, wf_mul(c, xc, per_channel(r, wf_div(c, dot, count), x, first)));
    }
    ox_put(r, 0,
           wf_cast(c, wf_mul(c, gx, per_channel(r, wf_mul(c, scale, inv), x, first)),
                   wf_dtype_of(c, x)));
    ox_put(r, 1, dot);
    ox_put(r, 2, sum);
    ox_put(r, 3, wf_zeros_like(c, mean));
    return ox_put(r, 4, wf_zeros_like(c, var));
}

/* x / (bias + alpha sum of squares of neighbours in depth) ^ beta */
TG_RULE(lrn)
{
    wf_ctx *c = r->c;
    wf_tensor x = ox_in(r, 0), sq, sum;
    int64_t radius = tg_int(r, "depth_radius", 5), lo[4] = {0}, n;

    (void)op;
    if (!ox_ok(r) || wf_rank(c, x) != 4 || radius < 0 || radius > 4096)
        return ox_ok(r) ? ox_fail(r, WF_ERR_SHAPE, "needs rank 4") : false;
    lo[3] = radius;
    n = wf_size(c, x, 3);
    sq = wf_pad(c, wf_square(c, x), lo, lo, 4, 0);
    sum = wf_narrow(c, sq, 3, 0, n);
    for (int64_t i = 1; i <= 2 * radius && ox_ok(r); i++)
        sum = wf_add(c, sum, wf_narrow(c, sq, 3, i, n));
    sum = wf_add(c, tg_times(r, sum, tg_float(r, "alpha", 1)),
                 ox_like(r, tg_float(r, "bias", 1), x));
    return ox_put(
        r, 0, wf_mul(c, x, wf_pow(c, sum, ox_like(r, -tg_float(r, "beta", 0.5f), x))));
}

/* ---- images of other sizes --------------------------------------------------------------------------------------------------------- */

/* arg: 0 nearest, 1 bilinear */
TG_RULE(resize)
{
    bool centers = tg_bool(r, "half_pixel_centers", false),
         corners = tg_bool(r, "align_corners", false);
    static int64_t axes[2] = {1, 2};
    const char *place = corners    ? "align_corners"
                        : !centers ? "asymmetric"
                        : op->arg  ? "half_pixel"
                                   : "tf_half_pixel_for_nn";
    OxAttr attrs[] = {
        tg_attr_text("mode", op->arg ? "linear" : "nearest"),
        tg_attr_text("coordinate_transformation_mode", place),
        tg_attr_text("nearest_mode", corners ? "round_prefer_ceil" : "floor"),
        {.name = "axes"}};

    attrs[3].ints.v = axes;
    attrs[3].ints.n = 2;
    if (!tg_as(r, oxr_resize, 0, (int[]){0, -1, -1, 1}, 4, attrs, 4))
        return false;
    wf_tensor y = ox_tensor_of(r, ox_name_value(r->env, r->node->out.v[0]));
    return ox_put(r, 0, op->arg ? wf_cast(r->c, y, WF_F32) : y);
}
