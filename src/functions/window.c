/* window.c -- images: padding in PyTorch's modes, patches (unfold, fold), pixels and
 * channels, resizing. */
#include "functions/functions.h"

/* ---- padding ---- */

/* n columns that stand before (after: behind) axis k of x. */
static wf_tensor margin(wf_ctx *c, wf_tensor x, uint32_t k, Dim size, int64_t n,
                        bool after, wf_pad_kind kind)
{
    Shape s;

    switch (kind) {
    case WF_PAD_REFLECT: /* without the edge itself */
        x = after ? slice_axis(c, x, k, size_sub(c, size, n + 1), size_sub(c, size, 1))
                  : slice_axis(c, x, k, 1, n + 1);
        return wf_flip(c, x, (int[]){(int)k}, 1);
    case WF_PAD_CIRCULAR:
        return after ? slice_axis(c, x, k, 0, n)
                     : slice_axis(c, x, k, size_sub(c, size, n), size);
    default:
        x = after ? slice_axis(c, x, k, size_sub(c, size, 1), size)
                  : slice_axis(c, x, k, 0, 1);
        if (!shape_of(c, x, "wf_pad_with", &s))
            return WF_NONE;
        s.d[k] = n;
        return broadcast_to(c, "wf_pad_with", x, s.d, s.rank);
    }
}

static bool margin_fits(wf_ctx *c, Dim size, int64_t n, wf_pad_kind kind, uint32_t k)
{
    Dim most = kind == WF_PAD_REFLECT    ? size - 1
               : kind == WF_PAD_CIRCULAR ? size
                                         : INT64_MAX;

    if (n >= 0 && (size < 0 || (n <= most && (size > 0 || n == 0))))
        return true;
    tensor_fail(c, WF_ERR_VALUE,
          "wf_pad_with: %lld elements cannot be taken from axis %u of size %lld",
          (long long)n, k, (long long)size);
    return false;
}

wf_tensor wf_pad_with(wf_ctx *c, wf_tensor x, const int64_t *lo, const int64_t *hi, int n,
                      wf_pad_kind kind, double value)
{
    Shape s;
    wf_tensor part[3];

    if (kind == WF_PAD_CONSTANT)
        return wf_pad(c, x, lo, hi, n, value);
    if (!shape_of(c, x, "wf_pad_with", &s) ||
        !has_count(c, "wf_pad_with", "paddings", lo, n, s.rank) ||
        !has_count(c, "wf_pad_with", "paddings", hi, n, s.rank))
        return WF_NONE;
    scope_open(c);
    for (uint32_t k = 0; k < s.rank && !failed(c); k++) {
        int parts = 0;
        if ((!lo[k] && !hi[k]) || !margin_fits(c, s.d[k], lo[k], kind, k) ||
            !margin_fits(c, s.d[k], hi[k], kind, k))
            continue;
        if (lo[k])
            part[parts++] = margin(c, x, k, s.d[k], lo[k], false, kind);
        part[parts++] = x;
        if (hi[k])
            part[parts++] = margin(c, x, k, s.d[k], hi[k], true, kind);
        x = wf_concat(c, part, parts, (int)k);
    }
    return scope_close(c, x);
}

/* ---- patches ---- */

typedef struct Patches { /* of two spatial axes */
    int64_t window[2], dilation[2], padding[2], stride[2];
    Dim out[2]; /* how many, along each axis */
} Patches;

static bool make_patches(wf_ctx *c, const char *fn, int n, const Dim *size,
                         const int64_t *window, const int64_t *dilation,
                         const int64_t *padding, const int64_t *stride, Patches *p)
{
    if (!has_count(c, fn, "sizes", size, n, 2) ||
        !has_count(c, fn, "sizes of the window", window, n, 2))
        return false;
    for (int i = 0; i < 2; i++) {
        int64_t span;
        p->window[i] = window[i];
        p->dilation[i] = dilation ? dilation[i] : 1;
        p->padding[i] = padding ? padding[i] : 0;
        p->stride[i] = stride ? stride[i] : 1;
        if (p->window[i] < 1 || p->dilation[i] < 1 || p->padding[i] < 0 || p->padding[i] > INT32_MAX ||
            p->stride[i] < 1 || !mul_i64(p->window[i] - 1, p->dilation[i], &span) || span == INT64_MAX ||
            (size[i] >= 0 && size[i] + 2 * p->padding[i] < span + 1)) {
            tensor_fail(c, WF_ERR_VALUE, "%s: the window does not fit axis %d of size %s", fn,
                  i, size_text(c, size[i]));
            return false;
        }
        span++;
        p->out[i] = size_add(
            c,
            size_div(c, size_sub(c, size_add(c, size[i], 2 * p->padding[i]), span),
                     p->stride[i]),
            1);
    }
    return !failed(c);
}

/* [N, C, H, W] -> [N, C kh kw, L]: for each place of the window a strided slice */
wf_tensor wf_unfold(wf_ctx *c, wf_tensor x, int n, const int64_t *window,
                    const int64_t *dilation, const int64_t *padding,
                    const int64_t *stride)
{
    Shape s;
    Patches p;
    wf_tensor *v, y = WF_NONE;
    int taken = 0;
    size_t room;

    if (!spatial_check(c, "wf_unfold", x, 2, &s) ||
        !make_patches(c, "wf_unfold", n, s.d + 2, window, dilation, padding, stride, &p))
        return WF_NONE;
    room = (size_t)(p.window[0] * p.window[1]) * sizeof *v;
    if (!(v = mem_alloc(&c->al, room))) {
        fail_memory(c);
        return WF_NONE;
    }
    scope_open(c);
    x = wf_pad(c, x, (int64_t[]){0, 0, p.padding[0], p.padding[1]},
               (int64_t[]){0, 0, p.padding[0], p.padding[1]}, 4, 0);
    for (int64_t i = 0; i < p.window[0]; i++)
        for (int64_t j = 0; j < p.window[1] && !failed(c); j++) {
            Dim a = i * p.dilation[0], b = j * p.dilation[1];
            Dim start[4] = {0, 0, a, b}, limit[4] = {s.d[0], s.d[1]};
            limit[2] =
                size_add(c, size_mul(c, size_sub(c, p.out[0], 1), p.stride[0]), a + 1);
            limit[3] =
                size_add(c, size_mul(c, size_sub(c, p.out[1], 1), p.stride[1]), b + 1);
            v[taken++] = op_1(c, OP_slice, x,
                              &(SliceAttr){{4, start},
                                           {4, limit},
                                           INTS(4, 1, 1, p.stride[0], p.stride[1])});
        }
    if (!failed(c)) {
        y = wf_stack(c, v, taken, 2); /* [N, C, kh kw, oh, ow] */
        y = wf_reshape(c, y,
                       (int64_t[]){s.d[0], size_mul(c, s.d[1], taken),
                                   size_mul(c, p.out[0], p.out[1])},
                       3);
    }
    mem_free(&c->al, v, room);
    return scope_close(c, y);
}

/* The other way round: overlapping places are added. */
wf_tensor wf_fold(wf_ctx *c, wf_tensor x, int n, const int64_t *sizes,
                  const int64_t *window, const int64_t *dilation, const int64_t *padding,
                  const int64_t *stride)
{
    Shape s;
    Patches p;
    int64_t places, k = 0;
    Dim channels = 0;
    wf_tensor sum = WF_NONE, zero;

    if (!shape_of(c, x, "wf_fold", &s) ||
        !make_patches(c, "wf_fold", n, sizes, window, dilation, padding, stride, &p))
        return WF_NONE;
    places = p.window[0] * p.window[1];
    if (s.rank != 3 || !size_exact(c, s.d[1], places, &channels) ||
        !size_same(c, s.d[2], size_mul(c, p.out[0], p.out[1])))
        return tensor_fail(c, WF_ERR_SHAPE,
                     "wf_fold: %s does not fit the windows: needs [N,C*%lld,%s]",
                     shape_text(c, tensor_get(c, x, "wf_fold")), (long long)places,
                     size_text(c, size_mul(c, p.out[0], p.out[1])));
    scope_open(c);
    x = wf_reshape(c, x, (int64_t[]){s.d[0], channels, places, p.out[0], p.out[1]}, 5);
    zero = wf_scalar(c, wf_dtype_of(c, x), 0);
    for (int64_t i = 0; i < p.window[0]; i++)
        for (int64_t j = 0; j < p.window[1] && !failed(c); j++, k++) {
            wf_tensor part = wf_squeeze(c, slice_axis(c, x, 2, k, k + 1), (int[]){2}, 1);
            Dim lo[4] = {0}, hi[4] = {0};
            for (int a = 0; a < 2;
                 a++) { /* the slice of unfold, and its padding, taken back */
                Dim span =
                    size_add(c, size_mul(c, size_sub(c, p.out[a], 1), p.stride[a]), 1);
                lo[2 + a] = (a ? j : i) * p.dilation[a];
                hi[2 + a] = size_sub(c, size_add(c, sizes[a], 2 * p.padding[a]),
                                     size_add(c, span, lo[2 + a]));
            }
            part = op_2(c, OP_pad, part, zero,
                        &(PadAttr){{4, lo},
                                   {4, hi},
                                   INTS(4, 0, 0, p.stride[0] - 1, p.stride[1] - 1)});
            sum = wf_is_none(sum) ? part : wf_add(c, sum, part);
        }
    for (int a = 0; a < 2; a++)
        sum = slice_axis(c, sum, (uint32_t)a + 2, p.padding[a],
                         size_add(c, sizes[a], p.padding[a]));
    return scope_close(c, sum);
}

/* ---- pixels and channels ---- */

/* [.., C r r, H, W] -> [.., C, H r, W r], or back */
static wf_tensor shuffle(wf_ctx *c, const char *fn, wf_tensor x, int64_t r, bool back)
{
    Shape s;
    Dim ch = 0, h = 0, w = 0;
    int64_t square = 0;
    wf_tensor y;

    if (!shape_of(c, x, fn, &s))
        return WF_NONE;
    if (s.rank < 3 || r < 1 || !mul_i64(r, r, &square) ||
        !(back ? size_exact(c, s.d[s.rank - 2], r, &h) &&
                     size_exact(c, s.d[s.rank - 1], r, &w)
               : size_exact(c, s.d[s.rank - 3], square, &ch)))
        return tensor_fail(c, WF_ERR_SHAPE, "%s: %s cannot be divided by %lld", fn,
                     shape_text(c, tensor_get(c, x, fn)), (long long)r);
    Dim n = size_prod(c, s.d, s.rank - 3), *d = s.d + s.rank - 3;
    scope_open(c);
    if (back) {
        y = wf_reshape(c, x, (int64_t[]){n, d[0], h, r, w, r}, 6);
        y = wf_permute(c, y, (int[]){0, 1, 3, 5, 2, 4}, 6);
        d[0] = size_mul(c, d[0], square);
        d[1] = h;
        d[2] = w;
    } else {
        y = wf_reshape(c, x, (int64_t[]){n, ch, r, r, d[1], d[2]}, 6);
        y = wf_permute(c, y, (int[]){0, 1, 4, 2, 5, 3}, 6);
        d[0] = ch;
        d[1] = size_mul(c, d[1], r);
        d[2] = size_mul(c, d[2], r);
    }
    return scope_close(c, wf_reshape(c, y, s.d, (int)s.rank));
}

wf_tensor wf_pixel_shuffle(wf_ctx *c, wf_tensor x, int64_t r)
{
    return shuffle(c, "wf_pixel_shuffle", x, r, false);
}

wf_tensor wf_pixel_unshuffle(wf_ctx *c, wf_tensor x, int64_t r)
{
    return shuffle(c, "wf_pixel_unshuffle", x, r, true);
}

/* ---- resizing ---- */

/* Where element i of `out` lies among those of `in`, as floats of the given dtype:
 *     nearest        i * in/out
 *     linear         (i + 1/2) in/out - 1/2, at least 0
 *     with corners   i * (in - 1)/(out - 1)
 * scale: 0, or what stands for out/in. */
static wf_tensor positions(wf_ctx *c, wf_dtype dtype, int64_t in, int64_t out,
                           bool linear, bool corners, double scale)
{
    wf_tensor i = wf_iota(c, dtype, &out, 1, 0), p;
    double step = scale > 0 ? 1 / scale : (double)in / (double)out;

    if (linear && corners)
        step = out > 1 ? (double)(in - 1) / (double)(out - 1) : 0;
    if (!linear || corners)
        return wf_mul(c, i, num(c, step));
    p = wf_sub(c, wf_mul(c, wf_add(c, i, num(c, 0.5)), num(c, step)), num(c, 0.5));
    return wf_maximum(c, p, num(c, 0));
}

static wf_tensor resize_axis(wf_ctx *c, wf_tensor x, uint32_t k, int64_t in, int64_t out,
                             bool linear, bool corners, double scale)
{
    wf_dtype d = wf_dtype_of(c, x);
    wf_tensor p = positions(c, linear ? d : WF_F64, in, out, linear, corners, scale), lo,
              hi, w;
    Shape s;
    wf_tensor product, difference;

    lo = wf_minimum(c, wf_cast(c, wf_floor(c, p), WF_I64), wf_int(c, in - 1));
    if (!linear)
        return wf_take(c, x, lo, (int)k);
    hi = wf_minimum(c, wf_add(c, lo, wf_int(c, 1)), wf_int(c, in - 1));
    w = wf_sub(c, p, wf_cast(c, lo, d));
    if (!shape_of(c, x, "wf_interpolate", &s))
        return WF_NONE;
    for (uint32_t i = k + 1; i < s.rank; i++)
        w = wf_expand_dims(c, w, -1);
    product = wf_mul(c, wf_take(c, x, hi, (int)k), w);
    difference = wf_sub(c, num(c, 1), w);
    return wf_add(c, wf_mul(c, wf_take(c, x, lo, (int)k), difference), product);
}

wf_tensor wf_interpolate(wf_ctx *c, wf_tensor x, int n, const int64_t *sizes,
                         const double *scales, bool linear, bool corners)
{
    Shape s;

    if (!spatial_check(c, "wf_interpolate", x, n, &s) || !NEEDS(c, sizes))
        return WF_NONE;
    scope_open(c);
    x = linear ? float_cast(c, x, "wf_interpolate") : x;
    for (int i = 0; i < n && !failed(c); i++) {
        int64_t in =
            s.d[2 + i] < 0 && hinted_trace(c) ? wf_size_value(c, s.d[2 + i]) : s.d[2 + i];
        if (in < 1 || sizes[i] < 1) {
            tensor_fail(c, WF_ERR_SHAPE, "wf_interpolate: needs constant sizes >= 1");
            break;
        }
        if (in != sizes[i] || scales)
            x = resize_axis(c, x, (uint32_t)i + 2, in, sizes[i], linear, corners,
                            scales ? scales[i] : 0);
    }
    return scope_close(c, x);
}
