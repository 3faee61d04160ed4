/* ops_nn.c -- convolutions, pools, losses and what goes with them. */
#include "onnx/ops.h"

/* ---- windows --------------------------------------------------------------------------------- */

static bool spread_ints(OxRun *r, const char *name, int n, int count, int64_t otherwise, int64_t *out)
{
    int given;
    const int64_t *v = ox_ints(r, name, &given);

    if (v && given != count)
        return ox_fail(r, WF_ERR_SHAPE, "%d %s for %d axes", given, name, n);
    for (int i = 0; i < count; i++) {
        out[i] = v ? v[i] : otherwise;
        if (out[i] < -(1 << 24) || out[i] > 1 << 24)
            return ox_fail(r, WF_ERR_LIMIT, "%s of %lld", name, (long long)out[i]);
    }
    return true;
}

/* Padding that makes the result as large as the input / stride. */
static bool same_pads(OxRun *r, wf_tensor x, OxWindow *w, bool upper)
{
    for (int i = 0; i < w->n; i++) {
        int64_t in = wf_size(r->c, x, 2 + i), reach = (w->kernel[i] - 1) * w->dilation[i] + 1, total;

        if (in < 0 && w->stride[i] != 1)
            return ox_fail(r, WF_ERR_UNSUPPORTED, "auto_pad of an axis of symbolic size with a stride");
        total = in < 0 ? reach - 1 : MAX(0, ((in + w->stride[i] - 1) / w->stride[i] - 1) * w->stride[i] + reach - in);
        w->lo[i] = upper ? total / 2 : total - total / 2;
        w->hi[i] = total - w->lo[i];
    }
    return true;
}

bool ox_window(OxRun *r, wf_tensor x, const int64_t *kernel, OxWindow *w)
{
    int n = ox_ok(r) ? wf_rank(r->c, x) - 2 : 0;
    int64_t pads[2 * WF_MAX_RANK];
    const char *how = ox_text(r, "auto_pad", "NOTSET");

    *w = (OxWindow){.n = n};
    if (n < 1)
        return ox_ok(r) ? ox_fail(r, WF_ERR_SHAPE, "needs a batch, channels and axes behind them") : false;
    if (!spread_ints(r, "kernel_shape", n, n, 1, w->kernel) || !spread_ints(r, "strides", n, n, 1, w->stride) ||
        !spread_ints(r, "dilations", n, n, 1, w->dilation) || !spread_ints(r, "pads", n, 2 * n, 0, pads))
        return false;
    for (int i = 0; i < n; i++) {
        if (kernel)
            w->kernel[i] = kernel[i];
        w->lo[i] = pads[i];
        w->hi[i] = pads[n + i];
        if (w->stride[i] < 1 || w->dilation[i] < 1 || w->kernel[i] < 1)
            return ox_fail(r, WF_ERR_VALUE, "a kernel, stride or dilation below 1");
    }
    if (strncmp(how, "SAME", 4) == 0)
        return same_pads(r, x, w, strcmp(how, "SAME_UPPER") == 0);
    if (strcmp(how, "VALID") == 0)
        memset(w->lo, 0, sizeof w->lo), memset(w->hi, 0, sizeof w->hi);
    return true;
}

static bool is_even(const OxWindow *w)
{
    for (int i = 0; i < w->n; i++)
        if (w->lo[i] != w->hi[i] || w->lo[i] < 0)
            return false;
    return true;
}

/* x with the padding that is not the same on both sides, or all of it; w says what is left. */
wf_tensor ox_pad_window(OxRun *r, wf_tensor x, OxWindow *w, double value)
{
    int64_t lo[WF_MAX_RANK] = {0}, hi[WF_MAX_RANK] = {0};
    bool any = false;

    for (int i = 0; i < w->n; i++) {
        int64_t cut = MAX(0, -w->lo[i]), end = MAX(0, -w->hi[i]);

        if (cut || end)
            x = wf_narrow(r->c, x, 2 + i, cut, wf_size_sub(r->c, wf_size(r->c, x, 2 + i), cut + end));
        lo[2 + i] = MAX(0, w->lo[i]);
        hi[2 + i] = MAX(0, w->hi[i]);
        any = any || lo[2 + i] || hi[2 + i];
        w->lo[i] = w->hi[i] = 0;
    }
    return any ? wf_pad(r->c, x, lo, hi, wf_rank(r->c, x), value) : x;
}

/* ---- convolution ------------------------------------------------------------------------------- */

wf_tensor ox_conv_with(OxRun *r, wf_tensor x, wf_tensor w, wf_tensor bias, const OxWindow *win, int64_t groups)
{
    OxWindow k = *win;

    if (k.n > 3)
        return ox_fail(r, WF_ERR_UNSUPPORTED, "a convolution over %d axes", k.n), WF_NONE;
    if (!is_even(&k))
        x = ox_pad_window(r, x, &k, 0);
    return wf_conv(r->c, x, w, bias, k.n, k.stride, k.lo, k.dilation, groups);
}

static bool kernel_of(OxRun *r, wf_tensor x, wf_tensor w, OxWindow *win)
{
    int64_t dims[WF_MAX_RANK];

    if (!ox_ok(r) || wf_rank(r->c, w) != wf_rank(r->c, x) || wf_rank(r->c, x) < 3)
        return ox_ok(r) ? ox_fail(r, WF_ERR_SHAPE, "the weight has rank %d, the input %d", wf_rank(r->c, w),
                                  wf_rank(r->c, x))
                        : false;
    wf_shape(r->c, w, dims, wf_rank(r->c, w));
    for (int i = 0; i < wf_rank(r->c, w); i++)
        if (dims[i] < 0)
            return ox_fail(r, WF_ERR_UNSUPPORTED, "a weight of symbolic size");
    return ox_window(r, x, dims + 2, win);
}

OX_RULE(conv)
{
    wf_tensor x = ox_in(r, 0), w = ox_in(r, 1), b = ox_opt(r, 2), y = ox_quant_images(r);
    OxWindow win;

    (void)op;
    if (!wf_is_none(y))
        return ox_put(r, 0, wf_is_none(b) ? y : wf_add(r->c, y, ox_quant_spread(r, b, 0, wf_rank(r->c, y) - 1)));
    return kernel_of(r, x, w, &win) && ox_put(r, 0, ox_conv_with(r, x, w, b, &win, ox_int(r, "group", 1)));
}

/* Where the result of a transposed convolution, (in - 1) stride + reach, is cut. */
static bool transpose_pads(OxRun *r, wf_tensor x, OxWindow *w, const int64_t *more)
{
    int n;
    const int64_t *shape = ox_ints(r, "output_shape", &n);
    const char *how = ox_text(r, "auto_pad", "NOTSET");
    bool same = strncmp(how, "SAME", 4) == 0;

    if (!shape && !same)
        return true;
    if (shape && n != w->n && n != w->n + 2)
        return ox_fail(r, WF_ERR_SHAPE, "an output_shape of %d sizes", n);
    if (shape && n == w->n + 2)
        shape += 2;
    for (int i = 0; i < w->n; i++) {
        int64_t in = wf_size(r->c, x, 2 + i), reach = (w->kernel[i] - 1) * w->dilation[i] + 1, total;

        if (in < 0 && shape)
            return ox_fail(r, WF_ERR_UNSUPPORTED, "an output_shape for an axis of symbolic size");
        total = shape ? w->stride[i] * (in - 1) + more[i] + reach - shape[i] : reach - w->stride[i] + more[i];
        w->lo[i] = strcmp(how, "SAME_LOWER") == 0 ? total - total / 2 : total / 2;
        w->hi[i] = total - w->lo[i];
    }
    return true;
}

OX_RULE(conv_transpose)
{
    wf_tensor x = ox_in(r, 0), w = ox_in(r, 1), b = ox_opt(r, 2), y;
    int64_t more[WF_MAX_RANK], zero[WF_MAX_RANK] = {0}, hi[WF_MAX_RANK] = {0}, group = ox_int(r, "group", 1);
    bool extend = false;
    OxWindow k;

    (void)op;
    if (!kernel_of(r, x, w, &k) || !spread_ints(r, "output_padding", k.n, k.n, 0, more) || !transpose_pads(r, x, &k, more))
        return false;
    if (k.n > 3)
        return ox_fail(r, WF_ERR_UNSUPPORTED, "a convolution over %d axes", k.n);
    if (is_even(&k))
        return ox_put(r, 0, wf_conv_transpose(r->c, x, w, b, k.n, k.stride, k.lo, more, k.dilation, group));
    y = wf_conv_transpose(r->c, x, w, WF_NONE, k.n, k.stride, zero, zero, k.dilation, group);
    for (int i = 0; i < k.n; i++) { /* cut what is too much, add what is missing */
        int64_t cut = k.hi[i] - more[i], lo = MAX(0, k.lo[i]), end = MAX(0, cut);

        y = wf_narrow(r->c, y, 2 + i, lo, wf_size_sub(r->c, wf_size(r->c, y, 2 + i), lo + end));
        hi[2 + i] = MAX(0, -cut);
        zero[2 + i] = MAX(0, -k.lo[i]);
        extend = extend || hi[2 + i] || zero[2 + i];
    }
    if (extend)
        y = wf_pad(r->c, y, zero, hi, wf_rank(r->c, y), 0);
    if (!wf_is_none(b)) {
        int64_t dims[WF_MAX_RANK] = {wf_size(r->c, b, 0)};
        for (int i = 1; i <= k.n; i++)
            dims[i] = 1;
        y = wf_add(r->c, y, wf_reshape(r->c, b, dims, k.n + 1));
    }
    return ox_put(r, 0, y);
}

/* ---- pools ---------------------------------------------------------------------------------------- */

/* ceil_mode: further padding behind, for windows that begin inside. False with an error for symbolic sizes. */
static bool ceil_pads(OxRun *r, wf_tensor x, OxWindow *w)
{
    for (int i = 0; i < w->n; i++) {
        int64_t in = wf_size(r->c, x, 2 + i), reach = (w->kernel[i] - 1) * w->dilation[i] + 1, room, out;

        if (in < 0)
            return ox_fail(r, WF_ERR_UNSUPPORTED, "ceil_mode with uneven padding of an axis of symbolic size");
        room = in + w->lo[i] + w->hi[i] - reach;
        out = room < 0 ? 1 : (room + w->stride[i] - 1) / w->stride[i] + 1;
        if ((out - 1) * w->stride[i] >= in + w->lo[i])
            out--;
        w->hi[i] = MAX(w->hi[i], (out - 1) * w->stride[i] + reach - in - w->lo[i]);
    }
    return true;
}

/* The sum of each window: a convolution with ones, channel by channel. */
static wf_tensor window_sums(OxRun *r, wf_tensor x, OxWindow *w)
{
    int64_t dims[WF_MAX_RANK], ones[WF_MAX_RANK] = {1, 1}, out[WF_MAX_RANK];
    wf_tensor k;

    wf_shape(r->c, x, dims, wf_rank(r->c, x));
    memcpy(ones + 2, w->kernel, (size_t)w->n * sizeof *ones);
    memcpy(out, dims, sizeof dims);
    out[0] = wf_size_mul(r->c, dims[0], dims[1]);
    out[1] = 1;
    k = wf_ones(r->c, wf_dtype_of(r->c, x), ones, w->n + 2);
    x = ox_conv_with(r, wf_reshape(r->c, x, out, w->n + 2), k, WF_NONE, w, 1);
    for (int i = 0; ox_ok(r) && i < w->n; i++)
        dims[2 + i] = wf_size(r->c, x, 2 + i);
    return wf_reshape(r->c, x, dims, w->n + 2);
}

static bool is_dilated(const OxWindow *w)
{
    for (int i = 0; i < w->n; i++)
        if (w->dilation[i] != 1)
            return true;
    return false;
}

/* Can the library's pools take the padding? As long as no window lies in it alone. */
static bool pads_fit(const OxWindow *w)
{
    for (int i = 0; i < w->n; i++)
        if (w->lo[i] * 2 > w->kernel[i])
            return false;
    return is_even(w);
}

static wf_tensor average(OxRun *r, wf_tensor x, OxWindow *w, bool ceil_mode, bool count_pads)
{
    wf_tensor sums, ones, counts;
    OxWindow inner = *w, outer;
    int64_t dims[WF_MAX_RANK];

    if (pads_fit(w) && !is_dilated(w))
        return wf_avg_pool_with(r->c, x, w->n, w->kernel, w->stride, w->lo, ceil_mode, count_pads, 0);
    outer = *w;
    if (ceil_mode && !ceil_pads(r, x, &outer))
        return WF_NONE;
    for (int i = 0; i < w->n; i++) /* beyond the padding that counts */
        inner.hi[i] = outer.hi[i] - (count_pads ? w->hi[i] : 0), inner.lo[i] = count_pads ? 0 : w->lo[i];
    dims[0] = dims[1] = 1;
    for (int i = 0; i < w->n; i++)
        dims[2 + i] = wf_size_add(r->c, wf_size(r->c, x, 2 + i), count_pads ? w->lo[i] + w->hi[i] : 0);
    ones = wf_broadcast_to(r->c, ox_like(r, 1, x), dims, w->n + 2);
    sums = window_sums(r, x, &outer);
    counts = window_sums(r, ones, &inner);
    return wf_div(r->c, sums, counts);
}

/* Places of maxima in the padded image become places in the whole tensor. */
static wf_tensor whole_places(OxRun *r, wf_tensor x, wf_tensor at, const OxWindow *pads)
{
    wf_ctx *c = r->c;
    int n = pads->n;
    int64_t row[WF_MAX_RANK] = {0};
    bool columns = ox_int(r, "storage_order", 0) != 0;
    wf_tensor place = wf_scalar(c, WF_I64, 0), stride = wf_scalar(c, WF_I64, 1), image;
    wf_tensor channel, factor;

    at = wf_cast(c, at, WF_I64);
    wf_shape(c, at, row, wf_rank(c, at));
    for (int i = 0; i < n; i++) { /* coordinates, the last axis first */
        int k = n - 1 - i;
        int64_t size = wf_size(c, x, 2 + k);
        wf_tensor padded = ox_num_tensor(r, ox_num_size(wf_size_add(c, size, pads->lo[k] + pads->hi[k])));
        wf_tensor coordinate = wf_sub(c, wf_remainder(c, at, padded), wf_scalar(c, WF_I64, (double)pads->lo[k]));
        wf_tensor here = ox_num_tensor(r, ox_num_size(size));

        at = wf_floor_div(c, at, padded);
        if (columns) {
            wf_tensor before = wf_scalar(c, WF_I64, 1);
            for (int j = 0; j < k; j++)
                before = wf_mul(c, before, ox_num_tensor(r, ox_num_size(wf_size(c, x, 2 + j))));
            place = wf_add(c, place, wf_mul(c, coordinate, before));
        } else {
            place = wf_add(c, place, wf_mul(c, coordinate, stride));
        }
        stride = wf_mul(c, stride, here);
    }
    channel = wf_iota(c, WF_I64, row, n + 2, 1);
    factor = ox_num_tensor(r, ox_num_size(wf_size(c, x, 1)));
    image = wf_add(c, wf_mul(c, wf_iota(c, WF_I64, row, n + 2, 0), factor), channel);
    return wf_add(c, place, wf_mul(c, image, stride));
}

static double lowest(wf_dtype dtype)
{
    return wf_dtype_is_float(dtype) ? -INFINITY : dtype == WF_I8 ? -128 : dtype == WF_U8 ? 0 : -2147483648.0;
}

static wf_tensor max_pool(OxRun *r, wf_tensor x, OxWindow *w, bool ceil_mode)
{
    wf_tensor at = WF_NONE, y, *want = ox_wants(r, 1) ? &at : NULL, whole = x;
    OxWindow pads = *w;

    if (pads_fit(w)) {
        y = wf_max_pool_with(r->c, x, w->n, w->kernel, w->stride, w->lo, w->dilation, ceil_mode, want);
        memset(pads.lo, 0, sizeof pads.lo);
        memset(pads.hi, 0, sizeof pads.hi);
    } else {
        if (ceil_mode && !ceil_pads(r, x, &pads))
            return WF_NONE;
        *w = pads;
        x = ox_pad_window(r, x, w, lowest(wf_dtype_of(r->c, x)));
        y = wf_max_pool_with(r->c, x, w->n, w->kernel, w->stride, w->lo, w->dilation, false, want);
    }
    if (want && ox_ok(r))
        ox_put(r, 1, whole_places(r, whole, at, &pads));
    return y;
}

wf_tensor ox_pooled(OxRun *r, wf_tensor x, bool largest, bool channels_last)
{
    bool ceil_mode = ox_int(r, "ceil_mode", 0) != 0;
    OxWindow w;

    if (channels_last && ox_ok(r))
        x = wf_move_axis(r->c, x, -1, 1);
    if (!ox_window(r, x, NULL, &w))
        return WF_NONE;
    if (w.n > 3)
        return ox_fail(r, WF_ERR_UNSUPPORTED, "a pool over %d axes", w.n), WF_NONE;
    x = largest ? max_pool(r, x, &w, ceil_mode) : average(r, x, &w, ceil_mode, ox_int(r, "count_include_pad", 0) != 0);
    return channels_last && ox_ok(r) ? wf_move_axis(r->c, x, 1, -1) : x;
}

OX_RULE(pool) { return ox_put(r, 0, ox_pooled(r, ox_in(r, 0), op->arg != 1, op->arg == 2)); }

static wf_tensor root(OxRun *r, wf_tensor x, double p)
{
    return p == 1 ? x : p == 2 ? wf_sqrt(r->c, x) : wf_pow(r->c, x, ox_like(r, 1 / p, x));
}

static wf_tensor power(OxRun *r, wf_tensor x, double p)
{
    x = wf_abs(r->c, x);
    return p == 1 ? x : p == 2 ? wf_square(r->c, x) : wf_pow(r->c, x, ox_like(r, p, x));
}

OX_RULE(lp_pool)
{
    wf_tensor x = ox_in(r, 0);
    double p = (double)ox_int(r, "p", 2);
    OxWindow w;

    (void)op;
    if (!ox_window(r, x, NULL, &w) || (ox_int(r, "ceil_mode", 0) && !ceil_pads(r, x, &w)))
        return false;
    return ox_put(r, 0, root(r, window_sums(r, power(r, x, p), &w), p));
}

OX_RULE(global_pool)
{
    wf_tensor x = ox_in(r, 0);
    int axes[WF_MAX_RANK], n = ox_ok(r) ? wf_rank(r->c, x) - 2 : 0;
    double p = (double)ox_int(r, "p", 2);

    for (int i = 0; i < n; i++)
        axes[i] = 2 + i;
    if (n < 1)
        return ox_ok(r) ? ox_fail(r, WF_ERR_SHAPE, "needs a batch, channels and axes behind them") : false;
    if (op->arg == 2)
        return ox_put(r, 0, root(r, wf_sum(r->c, power(r, x, p), axes, n, true), p));
    return ox_put(r, 0, op->arg ? wf_max(r->c, x, axes, n, true) : wf_mean(r->c, x, axes, n, true));
}

OX_RULE(max_unpool)
{
    wf_tensor x = ox_in(r, 0), at = ox_in(r, 1), y;
    int64_t dims[WF_MAX_RANK], all = 1, lo[WF_MAX_RANK] = {0}, hi[WF_MAX_RANK] = {0};
    int rank, n;
    OxWindow w;
    wf_tensor shaped;

    (void)op;
    if (!ox_window(r, x, NULL, &w))
        return false;
    rank = wf_rank(r->c, x);
    wf_shape(r->c, x, dims, wf_rank(r->c, x));
    for (int i = 0; i < w.n; i++)
        dims[2 + i] = wf_size_add(r->c, wf_size_mul(r->c, wf_size_sub(r->c, dims[2 + i], 1), w.stride[i]),
                                  MAX(0, w.kernel[i] - w.lo[i] - w.hi[i]));

    for (int i = 0; i < rank; i++)
        all = wf_size_mul(r->c, all, dims[i]);
    y = wf_broadcast_to(r->c, ox_like(r, 0, x), &all, 1);
    shaped = wf_reshape(r->c, x, (int64_t[]){WF_INFER}, 1);
    y = wf_put_slices(r->c, y, wf_reshape(r->c, at, (int64_t[]){WF_INFER}, 1), shaped, 0);
    y = wf_reshape(r->c, y, dims, rank);
    if (ox_has(r, 2)) { /* what is beyond is 0 */
        const OxNum *to = ox_nums(r, 2, &n);
        if (!to || n != rank)
            return ox_ok(r) ? ox_fail(r, WF_ERR_SHAPE, "an output shape of %d sizes", n) : false;
        for (int i = 0; i < n; i++)
            hi[i] = wf_size_sub(r->c, ox_size(r, to[i]), dims[i]);
        y = wf_pad(r->c, y, lo, hi, wf_rank(r->c, y), 0);
    }
    return ox_put(r, 0, y);
}

/* ---- losses ----------------------------------------------------------------------------------------- */

static bool reduction(OxRun *r, wf_reduction *out)
{
    const char *how = ox_text(r, "reduction", "mean");

    *out = strcmp(how, "none") == 0 ? WF_NO_REDUCTION : strcmp(how, "sum") == 0 ? WF_SUM : WF_MEAN;
    return ox_ok(r);
}

/* A number that stands for no class, where none is given. */
#define NO_CLASS (-1000000007)

OX_RULE(nll_loss)
{
    wf_tensor x = ox_in(r, 0), t = ox_in(r, 1), w = ox_opt(r, 2);
    wf_reduction how;

    (void)op;
    return reduction(r, &how) &&
           ox_put(r, 0, wf_nll_loss(r->c, x, t, w, ox_int(r, "ignore_index", NO_CLASS), how));
}

OX_RULE(cross_entropy)
{
    wf_tensor x = ox_in(r, 0), t = ox_in(r, 1), w = ox_opt(r, 2), logp;
    wf_reduction how;

    (void)op;
    if (!reduction(r, &how))
        return false;
    logp = wf_log_softmax(r->c, x, 1);
    ox_put(r, 1, logp);
    return ox_put(r, 0, wf_nll_loss(r->c, logp, t, w, ox_int(r, "ignore_index", NO_CLASS), how));
}

/* ---- columns to an image: sums of blocks ------------------------------------------------------------- */

/* The place in the padded image of element k of block l, for all k, l in order. */
static int64_t *block_places(OxRun *r, const OxWindow *w, const int64_t *image, int64_t *out_n, int64_t *out_all)
{
    int64_t blocks[WF_MAX_RANK], padded[WF_MAX_RANK], nk = 1, nl = 1, *at;

    *out_all = 1;
    for (int i = 0; i < w->n; i++) {
        padded[i] = image[i] + w->lo[i] + w->hi[i];
        blocks[i] = (padded[i] - (w->kernel[i] - 1) * w->dilation[i] - 1) / w->stride[i] + 1;
        if (image[i] < 1 || blocks[i] < 1 || padded[i] < 1 || *out_all > (int64_t)1 << 31 || nk > (int64_t)1 << 24 ||
            nl > (int64_t)1 << 24)
            return ox_fail(r, WF_ERR_SHAPE, "blocks that do not fit the image"), NULL;
        *out_all *= padded[i];
        nk *= w->kernel[i];
        nl *= blocks[i];
    }
    *out_n = nk * nl;
    if (nk * nl > (int64_t)1 << 24 || !(at = ox_alloc(&r->mem, (size_t)(nk * nl), sizeof *at)))
        return ox_ok(r) ? (ox_fail(r, WF_ERR_LIMIT, "too many blocks"), NULL) : NULL;
    for (int64_t j = 0; j < nk * nl; j++) {
        int64_t k = j / nl, l = j % nl, place = 0, stride = 1;

        for (int i = w->n; i-- > 0;) {
            place += (k % w->kernel[i] * w->dilation[i] + l % blocks[i] * w->stride[i]) * stride;
            stride *= padded[i];
            k /= w->kernel[i];
            l /= blocks[i];
        }
        at[j] = place;
    }
    return at;
}

OX_RULE(col2im)
{
    wf_ctx *c = r->c;
    wf_tensor x = ox_in(r, 0), y;
    int64_t image[WF_MAX_RANK], pads[2 * WF_MAX_RANK], dims[WF_MAX_RANK], batch, channels, n, all, *at, blocks = 1;
    OxWindow w = {0};
    int k;

    (void)op;
    if (!ox_ok(r) || !ox_numbers(r, 1, image, WF_MAX_RANK - 2, &w.n) || !ox_numbers(r, 2, w.kernel, WF_MAX_RANK - 2, &k) ||
        k != w.n || wf_rank(c, x) != 3)
        return ox_ok(r) ? ox_fail(r, WF_ERR_SHAPE, "the image and the block have other ranks") : false;
    if (!spread_ints(r, "strides", w.n, w.n, 1, w.stride) || !spread_ints(r, "dilations", w.n, w.n, 1, w.dilation) ||
        !spread_ints(r, "pads", w.n, 2 * w.n, 0, pads))
        return false;
    for (int i = 0; i < w.n; i++) {
        w.lo[i] = pads[i];
        w.hi[i] = pads[w.n + i];
        if (w.kernel[i] < 1 || w.kernel[i] > 65536 || w.stride[i] < 1 || w.dilation[i] < 1)
            return ox_fail(r, WF_ERR_VALUE, "a block, stride or dilation below 1");
        blocks *= w.kernel[i];
    }
    if (!(at = block_places(r, &w, image, &n, &all)))
        return false;
    batch = wf_size(c, x, 0);
    channels = wf_size_div(c, wf_size(c, x, 1), blocks);
    x = wf_reshape(c, x, (int64_t[]){batch, channels, n}, 3);
    y = wf_broadcast_to(c, ox_like(r, 0, x), (int64_t[]){batch, channels, all}, 3);
    y = wf_add_slices(c, y, wf_from(c, WF_I64, &n, 1, at), x, 2);
    dims[0] = batch;
    dims[1] = channels;
    for (int i = 0; i < w.n; i++)
        dims[2 + i] = image[i] + w.lo[i] + w.hi[i];
    y = wf_reshape(c, y, dims, w.n + 2);
    for (int i = 0; i < w.n; i++)
        y = wf_narrow(c, y, 2 + i, w.lo[i], image[i]);
    return ox_put(r, 0, y);
}
