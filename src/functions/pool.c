/* pool.c -- pooling of 1 to 3 axes: maxima and means over windows, and over parts of
 * equal size.
 *
 * ceil_mode: windows that only begin inside count too. Output size, PyTorch's rule:
 *     ceil((size + 2 padding - span) / stride) + 1,
 *     less 1 if the last window would begin in the right padding
 * so the right is padded by up to stride - 1 more; for means that part never counts as
 * elements.
 */
#include "functions/functions.h"

#define SPATIAL 3

typedef struct Window {
    int64_t window[SPATIAL + 2], stride[SPATIAL + 2], dilation[SPATIAL + 2];
    Dim lo[SPATIAL + 2], hi[SPATIAL + 2]; /* hi: with what ceil_mode adds */
    Dim more[SPATIAL + 2];                /* that alone */
    bool any_more;
} Window;

/* What ceil_mode adds on the right of axis i of the given size. */
static Dim ceil_padding(wf_ctx *c, const Window *w, int i, Dim size)
{
    int64_t span = (w->window[i] - 1) * w->dilation[i] + 1, out;

    if (size < 0)
        size = hinted_trace(c) ? wf_size_value(c, size) : size;
    if (size < 0) {
        tensor_fail(c, WF_ERR_SHAPE, "pooling with ceil_mode needs constant sizes");
        return 0;
    }
    size += w->lo[i];
    out = MAX(size + w->lo[i] - span + w->stride[i] - 1, 0) / w->stride[i] + 1;
    if ((out - 1) * w->stride[i] >= size)
        out--;
    return MAX((out - 1) * w->stride[i] + span - size - w->lo[i], 0);
}

static bool make_window(wf_ctx *c, const char *fn, int n, const Shape *s,
                        const int64_t *window, const int64_t *stride,
                        const int64_t *padding, const int64_t *dilation, bool ceil_mode,
                        Window *w)
{
    if (!window)
        return arg_fail(c, fn, "a window");
    w->any_more = false;
    for (int i = 0; i < n + 2; i++) {
        bool in = i >= 2;
        w->window[i] = in ? window[i - 2] : 1;
        w->stride[i] = in ? (stride ? stride[i - 2] : window[i - 2]) : 1;
        w->lo[i] = w->hi[i] = in && padding ? padding[i - 2] : 0;
        w->dilation[i] = in && dilation ? dilation[i - 2] : 1;
        w->more[i] = 0;
        if (w->window[i] < 1 || w->stride[i] < 1 || w->lo[i] < 0 || w->dilation[i] < 1 ||
            MAX(MAX(w->window[i], w->stride[i]), MAX(w->lo[i], w->dilation[i])) > INT32_MAX ||
            2 * w->lo[i] > w->window[i] * w->dilation[i]) {
            tensor_fail(c, WF_ERR_VALUE,
                  "%s: window, stride and dilation must be >= 1, padding at most half "
                  "the window",
                  fn);
            return false;
        }
        if (in && ceil_mode) {
            w->more[i] = ceil_padding(c, w, i, s->d[i]);
            w->hi[i] += w->more[i];
            w->any_more = w->any_more || w->more[i];
        }
    }
    return !failed(c);
}

static WindowAttr window_attr(const Window *w, uint32_t n, bool without_padding)
{
    static const Dim none[SPATIAL + 2];

    return (WindowAttr){.window = {n, w->window},
                        .stride = {n, w->stride},
                        .pad_lo = {n, without_padding ? none : w->lo},
                        .pad_hi = {n, without_padding ? w->more : w->hi},
                        .window_dilation = {n, w->dilation}};
}

/* The op numbers the elements of the padded windows' axes together; PyTorch those of the
 * image. */
static wf_tensor image_index(wf_ctx *c, wf_tensor flat, const Shape *s)
{
    Dim plane = size_prod(c, s->d + 2, s->rank - 2);

    return wf_remainder(c, wf_cast(c, flat, WF_I64), size_tensor(c, plane));
}

wf_tensor wf_max_pool_with(wf_ctx *c, wf_tensor x, int n, const int64_t *window,
                           const int64_t *stride, const int64_t *padding,
                           const int64_t *dilation, bool ceil_mode, wf_tensor *out_index)
{
    Shape s;
    Window w;
    wf_tensor out[2] = {WF_NONE, WF_NONE};

    if (out_index)
        *out_index = WF_NONE;
    if (!spatial_check(c, "wf_max_pool", x, n, &s) ||
        !make_window(c, "wf_max_pool", n, &s, window, stride, padding, dilation,
                     ceil_mode, &w))
        return WF_NONE;
    WindowAttr a = window_attr(&w, s.rank, false);
    scope_open(c);
    if (tensor_op(c, OP_reduce_window_max, &x, 1, &a, out, 2) && out_index)
        *out_index = out[1] = image_index(c, out[1], &s);
    scope_close_n(c, out, failed(c) ? 0 : 2);
    return failed(c) ? WF_NONE : out[0];
}

wf_tensor wf_max_pool(wf_ctx *c, wf_tensor x, int n, const int64_t *window,
                      const int64_t *stride, const int64_t *padding,
                      const int64_t *dilation)
{
    wf_tensor y;

    scope_open(c);
    y = wf_max_pool_with(c, x, n, window, stride, padding, dilation, false, NULL);
    return scope_close(c, y);
}

/* How many elements each window has: of the image, or (padding) of the image with its
 * padding. */
static wf_tensor window_counts(wf_ctx *c, wf_dtype dtype, const Shape *s, const Window *w,
                               bool padding)
{
    WindowAttr a = window_attr(w, s->rank, padding);
    Shape one = *s;

    one.d[0] = one.d[1] = 1;
    for (uint32_t i = 2; i < s->rank && padding; i++)
        one.d[i] = size_add(c, s->d[i], 2 * w->lo[i]);
    return op_1(c, OP_reduce_window_sum, wf_full(c, dtype, one.d, (int)one.rank, 1), &a);
}

wf_tensor wf_avg_pool_with(wf_ctx *c, wf_tensor x, int n, const int64_t *window,
                           const int64_t *stride, const int64_t *padding, bool ceil_mode,
                           bool count_padding, int64_t divisor)
{
    Shape s;
    Window w;
    int64_t count = 1;
    wf_tensor sum, k;

    if (!spatial_check(c, "wf_avg_pool", x, n, &s) ||
        !make_window(c, "wf_avg_pool", n, &s, window, stride, padding, NULL, ceil_mode,
                     &w))
        return WF_NONE;
    WindowAttr a = window_attr(&w, s.rank, false);
    scope_open(c);
    x = float_cast(c, x, "wf_avg_pool");
    sum = op_1(c, OP_reduce_window_sum, x, &a);
    for (int i = 0; i < n; i++)
        count *= window[i];
    if (divisor)
        k = num(c, (double)divisor);
    else if ((!count_padding && padding) || w.any_more)
        k = window_counts(c, wf_dtype_of(c, x), &s, &w, count_padding);
    else
        k = num(c, (double)count);
    return scope_close(c, wf_div(c, sum, k));
}

wf_tensor wf_avg_pool(wf_ctx *c, wf_tensor x, int n, const int64_t *window,
                      const int64_t *stride, const int64_t *padding, bool count_padding)
{
    return wf_avg_pool_with(c, x, n, window, stride, padding, false, count_padding, 0);
}

/* ---- parts of equal size ---- */

enum { MOST_PARTS = 1 << 20 };

/* One axis into m parts: part i covers floor(i n/m) .. ceil((i+1) n/m) - 1. */
static wf_tensor adaptive_axis(wf_ctx *c, wf_tensor x, uint32_t axis, int64_t n,
                               int64_t m, bool max)
{
    wf_tensor *part = mem_alloc(&c->al, (size_t)(m + 1) * sizeof *part), y;
    int ax = (int)axis;

    if (!part) {
        fail_memory(c);
        return WF_NONE;
    }
    for (int64_t i = 0; i < m; i++) {
        wf_tensor s = slice_axis(c, x, axis, i * n / m, ((i + 1) * n + m - 1) / m);
        part[i] = max ? wf_max(c, s, &ax, 1, true) : wf_mean(c, s, &ax, 1, true);
    }
    y = failed(c) ? WF_NONE : wf_concat(c, part, (int)m, ax);
    mem_free(&c->al, part, (size_t)(m + 1) * sizeof *part);
    return y;
}

static wf_tensor adaptive(wf_ctx *c, const char *fn, wf_tensor x, int n,
                          const int64_t *sizes, bool max)
{
    Shape s;
    int64_t window[SPATIAL];
    bool even = true;

    if (!spatial_check(c, fn, x, n, &s))
        return WF_NONE;
    if (!sizes) {
        arg_fail(c, fn, "sizes");
        return WF_NONE;
    }
    for (int i = 0; i < n; i++) {
        if (s.d[2 + i] < 1 || sizes[i] < 1)
            return tensor_fail(c, WF_ERR_SHAPE, "%s: needs constant sizes >= 1", fn);
        if (sizes[i] > MOST_PARTS)
            return tensor_fail(c, WF_ERR_LIMIT, "%s: %lld parts, can be %d", fn, (long long)sizes[i], MOST_PARTS);
        even = even && s.d[2 + i] % sizes[i] == 0;
        window[i] = s.d[2 + i] / MAX(sizes[i], 1);
    }
    if (even)
        return max ? wf_max_pool(c, x, n, window, NULL, NULL, NULL)
                   : wf_avg_pool(c, x, n, window, NULL, NULL, true);
    scope_open(c);
    x = max ? x : float_cast(c, x, fn);
    for (int i = 0; i < n && !failed(c); i++)
        x = adaptive_axis(c, x, (uint32_t)i + 2, s.d[2 + i], sizes[i], max);
    return scope_close(c, x);
}

wf_tensor wf_adaptive_avg_pool(wf_ctx *c, wf_tensor x, int n, const int64_t *sizes)
{
    return adaptive(c, "wf_adaptive_avg_pool", x, n, sizes, false);
}

wf_tensor wf_adaptive_max_pool(wf_ctx *c, wf_tensor x, int n, const int64_t *sizes)
{
    return adaptive(c, "wf_adaptive_max_pool", x, n, sizes, true);
}
