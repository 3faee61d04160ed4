/* ops_image.c -- images of other sizes, and images read between their elements.
 *
 * Places are computed with tensor functions in f64: of known sizes they are constants when
 * the import is over, of symbolic ones part of the program.
 */
#include "onnx/ops.h"

static wf_tensor f64(OxRun *r, double v) { return wf_scalar(r->c, WF_F64, v); }
static wf_tensor i64(OxRun *r, int64_t v) { return wf_from(r->c, WF_I64, NULL, 0, &v); }
static wf_tensor of_size(OxRun *r, int64_t size) { return wf_cast(r->c, ox_num_tensor(r, ox_num_size(size)), WF_F64); }

/* ---- resize: axis by axis --------------------------------------------------------------------- */

typedef struct Resize {
    const char *mode, *place, *nearest;
    double a, extrapolation;
    bool exclude, antialias;
    wf_tensor x;
} Resize;

typedef struct Axis { /* f64 scalars */
    int axis;
    wf_tensor in, out, scale, lo, hi; /* lo, hi: of the region */
    int64_t size;  /* of the result */
    double factor; /* the scale, if it is known; else 0 */
} Axis;

/* Places in the input of the elements of the result. */
static wf_tensor places(OxRun *r, const Resize *z, const Axis *k)
{
    wf_ctx *c = r->c;
    wf_tensor i = wf_cast(c, ox_iota(r, k->size), WF_F64), half = f64(r, 0.5), one = f64(r, 1), centre, last;

#define IS(s) (strcmp(z->place, s) == 0)
    centre = wf_sub(c, wf_div(c, wf_add(c, i, half), k->scale), half);
    if (IS("asymmetric"))
        return wf_div(c, i, k->scale);
    last = wf_maximum(c, wf_sub(c, k->out, one), one); /* one element has the place 0 */
    if (IS("align_corners"))
        return wf_div(c, wf_mul(c, i, wf_sub(c, k->in, one)), last);
    if (IS("pytorch_half_pixel")) {
        wf_tensor zero = wf_zeros_like(c, centre);

        return wf_where(c, wf_gt(c, k->out, one), centre, zero);
    }
    if (IS("half_pixel_symmetric")) { /* the result may be smaller than the scale says */
        wf_tensor product = wf_mul(c, k->scale, k->in);
        wf_tensor adjust = wf_div(c, of_size(r, k->size), product), mid = wf_mul(c, k->in, half);
        return wf_add(c, wf_mul(c, mid, wf_sub(c, one, adjust)), centre);
    }
    if (IS("tf_crop_and_resize")) {
        wf_tensor sum;
        wf_tensor from = wf_mul(c, k->lo, wf_sub(c, k->in, one));
        wf_tensor difference = wf_sub(c, k->in, one);
        wf_tensor span = wf_mul(c, wf_sub(c, k->hi, k->lo), difference);
        wf_tensor less = wf_sub(c, k->in, one);
        wf_tensor single = wf_mul(c, half, wf_mul(c, wf_add(c, k->lo, k->hi), less));
        sum = wf_add(c, from, wf_div(c, wf_mul(c, i, span), last));
        return wf_where(c, wf_gt(c, k->out, one), sum, single);
    }
    if (IS("tf_half_pixel_for_nn"))
        return wf_div(c, wf_add(c, i, half), k->scale);
    if (!IS("half_pixel"))
        ox_fail(r, WF_ERR_VALUE, "coordinates '%.40s'", z->place);
    return centre;
#undef IS
}

static wf_tensor nearest_of(OxRun *r, const Resize *z, wf_tensor at)
{
    wf_ctx *c = r->c;

    if (strcmp(z->nearest, "floor") == 0)
        return wf_floor(c, at);
    if (strcmp(z->nearest, "ceil") == 0)
        return wf_ceil(c, at);
    if (strcmp(z->nearest, "round_prefer_ceil") == 0)
        return wf_floor(c, wf_add(c, at, f64(r, 0.5)));
    return wf_ceil(c, wf_sub(c, at, f64(r, 0.5)));
}

static wf_tensor inside(OxRun *r, wf_tensor at, wf_tensor n) /* as indices */
{
    wf_tensor difference = wf_sub(r->c, n, f64(r, 1));

    at = wf_minimum(r->c, wf_maximum(r->c, at, f64(r, 0)), difference);
    return wf_cast(r->c, at, WF_I64);
}

/* Keys' cubic at distance d >= 0 */
static wf_tensor cubic(OxRun *r, wf_tensor d, double a)
{
    wf_ctx *c = r->c;
    wf_tensor d2 = wf_mul(c, d, d), d3 = wf_mul(c, d2, d), near, far;
    wf_tensor product = wf_mul(c, d2, f64(r, a + 3));
    wf_tensor scaled, part, chosen, zero;

    near = wf_add(c, wf_sub(c, wf_mul(c, d3, f64(r, a + 2)), product), f64(r, 1));
    scaled = wf_mul(c, d, f64(r, 8 * a));
    part = wf_mul(c, d2, f64(r, 5 * a));
    far = wf_sub(c, wf_add(c, wf_sub(c, wf_mul(c, d3, f64(r, a)), part), scaled), f64(r, 4 * a));
    zero = wf_zeros_like(c, d);
    chosen = wf_where(c, wf_lt(c, d, f64(r, 2)), far, zero);
    return wf_where(c, wf_le(c, d, f64(r, 1)), near, chosen);
}

static wf_tensor weight(OxRun *r, const Resize *z, wf_tensor d)
{
    wf_ctx *c = r->c;

    d = wf_abs(c, d);
    return strcmp(z->mode, "cubic") == 0 ? cubic(r, d, z->a) : wf_maximum(c, f64(r, 0), wf_sub(c, f64(r, 1), d));
}

static wf_tensor along(OxRun *r, wf_tensor v, wf_tensor x, int axis) /* a vector, shaped to meet x */
{
    int64_t dims[WF_MAX_RANK];

    for (int i = 0; i < wf_rank(r->c, x); i++)
        dims[i] = i == axis ? wf_size(r->c, v, 0) : 1;
    return wf_reshape(r->c, v, dims, wf_rank(r->c, x));
}

/* The sum of neighbours with weights. antialias: the weights are as wide as the step from element to element. */
static wf_tensor resize_axis(OxRun *r, const Resize *z, const Axis *k, wf_tensor x)
{
    wf_ctx *c = r->c;
    wf_tensor at = places(r, z, k), base = wf_floor(c, at), y = WF_NONE, total = WF_NONE, *w, *ix, out;
    double stretch = z->antialias && k->factor > 0 && k->factor < 1 ? 1 / k->factor : 1;
    int radius = (int)ceil((strcmp(z->mode, "cubic") == 0 ? 2 : 1) * stretch), taps = 2 * radius;
    wf_dtype dtype = wf_dtype_of(c, x), work = dtype == WF_F64 ? WF_F64 : WF_F32;
    int64_t dims[WF_MAX_RANK];
    wf_tensor above;

    wf_shape(c, x, dims, wf_rank(c, x));
    dims[k->axis] = k->size;
    if (!ox_ok(r) || !ox_bounded(r, dims, wf_rank(c, x), OX_FILLED))
        return WF_NONE;
    if (strcmp(z->mode, "nearest") == 0) {
        y = wf_take(c, x, inside(r, nearest_of(r, z, at), k->in), k->axis);
    } else {
        if (z->antialias && k->factor == 0)
            return ox_fail(r, WF_ERR_UNSUPPORTED, "antialias with a scale that is not known"), WF_NONE;
        if (taps > 4096 || !(w = ox_alloc(&r->mem, (size_t)taps, sizeof *w)) || !(ix = ox_alloc(&r->mem, (size_t)taps, sizeof *ix)))
            return ox_ok(r) ? (ox_fail(r, WF_ERR_LIMIT, "a scale of %g", k->factor), WF_NONE) : WF_NONE;
        for (int t = 0; t < taps; t++) {
            wf_tensor p = wf_add(c, base, f64(r, t - radius + 1));
            w[t] = weight(r, z, wf_mul(c, wf_sub(c, p, at), f64(r, 1 / stretch)));
            if (z->exclude) {
                wf_tensor zero = wf_zeros_like(c, w[t]);
                wf_tensor at_least = wf_ge(c, p, k->in);

                w[t] = wf_where(c, wf_logical_or(c, wf_lt(c, p, f64(r, 0)), at_least), zero, w[t]);
            }
            ix[t] = inside(r, p, k->in);
            total = t ? wf_add(c, total, w[t]) : w[t];
        }
        for (int t = 0; t < taps; t++) {
            wf_tensor part, weight;
            if (z->exclude || z->antialias)
                w[t] = wf_div(c, w[t], total);
            weight = along(r, wf_cast(c, w[t], work), x, k->axis);
            part = wf_mul(c, wf_cast(c, wf_take(c, x, ix[t], k->axis), work), weight);
            y = t ? wf_add(c, y, part) : part;
        }
        if (!wf_dtype_is_float(dtype))
            y = wf_round(c, y);
        y = wf_cast(c, y, dtype);
    }
    if (strcmp(z->place, "tf_crop_and_resize") != 0)
        return y;
    above = wf_gt(c, at, wf_sub(c, k->in, f64(r, 1)));
    out = wf_logical_or(c, wf_lt(c, at, f64(r, 0)), above);
    return wf_where(c, along(r, out, y, k->axis), ox_like(r, z->extrapolation, y), y);
}

/* The nearest element, each as often as the whole scale says. */
static bool is_repeat(const Resize *z, const Axis *k)
{
    bool floor_of = strcmp(z->nearest, "floor") == 0 && strcmp(z->place, "asymmetric") == 0,
         round_of = strncmp(z->nearest, "round", 5) == 0 && strcmp(z->place, "half_pixel") == 0;

    return strcmp(z->mode, "nearest") == 0 && (floor_of || round_of) && k->factor >= 1 && k->factor == floor(k->factor) &&
           k->factor < 65536;
}

/* s 0: the scale is t, a tensor. */
static wf_tensor resize_by_scale(OxRun *r, const Resize *z, wf_tensor x, int axis, double s, wf_tensor t, wf_tensor lo,
                                 wf_tensor hi)
{
    wf_ctx *c = r->c;
    int64_t n = wf_size(c, x, axis);
    bool known = wf_is_none(t);
    Axis k = {.axis = axis, .in = of_size(r, n), .factor = s, .scale = known ? f64(r, s) : t, .lo = lo, .hi = hi};

    if (known && !(s > 0))
        return ox_fail(r, WF_ERR_VALUE, "a scale of %g", s), WF_NONE;
    if (s == 1 && strcmp(z->place, "tf_crop_and_resize") != 0)
        return x;
    if (is_repeat(z, &k) && s < 1024)
        return wf_repeat(c, x, (int64_t)s, axis);
    if (known && n >= 0 && strcmp(z->place, "tf_crop_and_resize") != 0)
        k.size = (int64_t)fmin(floor((double)n * s), 1e15);
    else
        k.size = wf_size_from(c, wf_cast(c, wf_floor(c, wf_mul(c, wf_mul(c, k.in, wf_sub(c, hi, lo)), k.scale)), WF_I64));
    k.out = wf_mul(c, k.in, k.scale); /* not rounded */
    return resize_axis(r, z, &k, x);
}

static wf_tensor resize_to(OxRun *r, const Resize *z, wf_tensor x, int axis, int64_t size, wf_tensor lo, wf_tensor hi)
{
    int64_t n = wf_size(r->c, x, axis);
    Axis k = {.axis = axis, .in = of_size(r, n), .size = size, .lo = lo, .hi = hi};

    k.out = of_size(r, size);
    k.scale = wf_div(r->c, k.out, k.in);
    k.factor = n > 0 && size >= 0 ? (double)size / (double)n : 0;
    if (n == size && n >= 0 && strcmp(z->place, "tf_crop_and_resize") != 0)
        return x;
    return resize_axis(r, z, &k, x);
}

/* keep_aspect_ratio_policy: one scale for all axes. */
static bool keep_aspect(OxRun *r, wf_tensor x, const int *axes, const OxNum *sizes, int n, int64_t *out)
{
    const char *policy = ox_text(r, "keep_aspect_ratio_policy", "stretch");
    double s = 0;

    if (strcmp(policy, "stretch") == 0)
        return false;
    for (int i = 0; i < n; i++) {
        int64_t v, have = wf_size(r->c, x, axes[i]);
        double f;
        if (!ox_is_number(sizes[i], &v) || have < 1)
            return ox_fail(r, WF_ERR_UNSUPPORTED, "keep_aspect_ratio_policy with symbolic sizes");
        f = (double)v / (double)have;
        s = i == 0 ? f : strcmp(policy, "not_larger") == 0 ? fmin(s, f) : fmax(s, f);
    }
    for (int i = 0; i < n; i++)
        out[i] = (int64_t)floor(s * (double)wf_size(r->c, x, axes[i]) + 0.5);
    return true;
}

OX_RULE(resize)
{
    wf_ctx *c = r->c;
    bool old = ox_opset(r) < 11;
    wf_tensor x = ox_in(r, 0), ends[2] = {f64(r, 0), f64(r, 1)};
    int rank = ox_ok(r) ? wf_rank(c, x) : 0, axes[WF_MAX_RANK], na, n = 0, nroi = 0, ns = 0;
    double scales[WF_MAX_RANK];
    int64_t to[WF_MAX_RANK];
    bool fixed = false;
    const OxNum *sizes = NULL;
    wf_tensor roi = WF_NONE, scale = WF_NONE;
    Resize z = {.mode = ox_text(r, "mode", "nearest"), .place = ox_text(r, "coordinate_transformation_mode", old ? "asymmetric" : "half_pixel"),
                .nearest = ox_text(r, "nearest_mode", old ? "floor" : "round_prefer_floor"), .a = ox_float(r, "cubic_coeff_a", -0.75),
                .extrapolation = ox_float(r, "extrapolation_value", 0), .exclude = ox_int(r, "exclude_outside", 0) != 0,
                .antialias = ox_int(r, "antialias", 0) != 0};

    (void)op;
    if (!ox_axes(r, SIZE_MAX, "axes", rank, axes, &na))
        return false;
    for (int i = 0; na < 0 && i < rank; i++)
        axes[i] = i;
    na = na < 0 ? rank : na;
    if (!old && ox_has(r, 3)) {
        if (!(sizes = ox_nums(r, 3, &n)))
            return false;
        fixed = keep_aspect(r, x, axes, sizes, MIN(n, na), to);
    } else if (ox_concrete(r, ox_value(r, old ? 1 : 2), &scale)) {
        if (!ox_floats(r, old ? 1 : 2, scales, WF_MAX_RANK, &ns))
            return false;
        scale = WF_NONE;
    } else {
        scale = wf_cast(c, ox_in(r, old ? 1 : 2), WF_F64);
        ns = ox_ok(r) && wf_rank(c, scale) == 1 ? (int)wf_size(c, scale, 0) : 0;
        memset(scales, 0, sizeof scales);
    }
    if (!ox_ok(r) || (sizes ? n : ns) != na)
        return ox_ok(r) ? ox_fail(r, WF_ERR_SHAPE, "%d sizes for %d axes", sizes ? n : ns, na) : false;
    if (!old && strcmp(z.place, "tf_crop_and_resize") == 0) {
        roi = wf_cast(c, ox_in(r, 1), WF_F64);
        nroi = na;
    }
    if (strcmp(z.mode, "bilinear") == 0)
        z.mode = "linear";
    for (int i = 0; i < na && ox_ok(r); i++) {
        if (nroi) {
            ends[0] = wf_index_get(c, roi, (wf_index[]){wf_at_int(i)}, 1);
            ends[1] = wf_index_get(c, roi, (wf_index[]){wf_at_int(na + i)}, 1);
        }
        x = sizes ? resize_to(r, &z, x, axes[i], fixed ? to[i] : ox_size(r, sizes[i]), ends[0], ends[1])
                  : resize_by_scale(r, &z, x, axes[i], scales[i],
                                    wf_is_none(scale) ? scale : wf_index_get(c, scale, (wf_index[]){wf_at_int(i)}, 1),
                                    ends[0], ends[1]);
    }
    return ox_put(r, 0, x);
}

OX_RULE(upsample)
{
    const OxAttr *a = ox_attr(r, "scales");
    double scales[WF_MAX_RANK];
    wf_tensor x = ox_in(r, 0);
    int n = 0, rank = ox_ok(r) ? wf_rank(r->c, x) : 0;
    Resize z = {.mode = ox_text(r, "mode", "nearest"), .place = "asymmetric", .nearest = "floor"};

    (void)op;
    if (strcmp(z.mode, "bilinear") == 0)
        z.mode = "linear";
    for (size_t i = 0; a && i < a->floats.n && i < WF_MAX_RANK; i++)
        scales[n++] = (double)a->floats.v[i];
    if (!a && !ox_floats(r, 1, scales, WF_MAX_RANK, &n))
        return false;
    if (n != rank)
        return ox_fail(r, WF_ERR_SHAPE, "%d scales for %d axes", n, rank);
    for (int i = 0; i < n && ox_ok(r); i++)
        x = resize_by_scale(r, &z, x, i, scales[i], WF_NONE, f64(r, 0), f64(r, 1));
    return ox_put(r, 0, x);
}

/* ---- reading between elements ----------------------------------------------------------------------- */

enum { ZEROS, BORDER, REFLECTION };

typedef struct Sampler {
    int n;               /* axes */
    int64_t dims[WF_MAX_RANK];
    wf_tensor flat;      /* [N, C, P] */
    int padding;
    bool corners;
} Sampler;

static wf_tensor like_f(OxRun *r, double v, wf_tensor x) { return ox_like(r, v, x); }

/* Places outside, mirrored into [lo, hi]. */
static wf_tensor reflect(OxRun *r, wf_tensor p, int64_t n, bool corners)
{
    wf_ctx *c = r->c;
    wf_tensor lo = like_f(r, corners ? 0 : -0.5, p), size = wf_cast(c, of_size(r, n), wf_dtype_of(c, p));
    wf_tensor span = corners ? wf_sub(c, size, like_f(r, 1, p)) : size, d, m;

    span = wf_maximum(c, span, like_f(r, 1e-9, p));
    d = wf_sub(c, p, lo);
    m = wf_remainder(c, d, wf_mul(c, span, like_f(r, 2, p)));
    return wf_add(c, lo, wf_sub(c, span, wf_abs(c, wf_sub(c, m, span))));
}

/* The elements at whole places p[k] [N,Q], as [N,C,Q]. */
static wf_tensor elements(OxRun *r, const Sampler *s, const wf_tensor *p)
{
    wf_ctx *c = r->c;
    wf_tensor at = WF_NONE, ok = WF_NONE, y;
    int64_t dims[3];

    for (int k = 0; k < s->n; k++) {
        wf_tensor at_most;
        wf_tensor q = p[k], n = wf_cast(c, of_size(r, s->dims[k]), wf_dtype_of(c, q)), last = wf_sub(c, n, like_f(r, 1, q)), in;
        if (s->padding == REFLECTION)
            q = reflect(r, q, s->dims[k], s->corners);
        at_most = wf_le(c, q, last);
        in = wf_logical_and(c, wf_ge(c, q, like_f(r, 0, q)), at_most);
        ok = k ? wf_logical_and(c, ok, in) : in;
        q = wf_cast(c, wf_minimum(c, wf_maximum(c, q, like_f(r, 0, q)), last), WF_I64);
        at = k ? wf_add(c, wf_mul(c, at, wf_cast(c, n, WF_I64)), q) : q;
    }
    wf_shape(c, s->flat, dims, wf_rank(c, s->flat));
    dims[2] = wf_size(c, at, 1);
    y = wf_take_along(c, s->flat, wf_broadcast_to(c, wf_expand_dims(c, at, 1), dims, 3), 2);
    return s->padding == ZEROS ? wf_where(c, wf_expand_dims(c, ok, 1), y, ox_like(r, 0, y)) : y;
}

/* All neighbours of the places, `taps` along each axis, with their weights. cubic: Keys' with a = -0.75. */
static wf_tensor sample(OxRun *r, const Sampler *s, const wf_tensor *p, int taps)
{
    wf_ctx *c = r->c;
    int total = 1;
    wf_tensor y = WF_NONE, base[3], at[3];

    for (int k = 0; k < s->n; k++) {
        total *= taps;
        base[k] = wf_floor(c, p[k]);
    }
    for (int t = 0; t < total && ox_ok(r); t++) {
        wf_tensor column;
        wf_tensor w = WF_NONE, v, d;
        for (int k = 0, j = t; k < s->n; k++, j /= taps) {
            at[k] = wf_add(c, base[k], like_f(r, j % taps - (taps / 2 - 1), p[k]));
            d = wf_abs(c, wf_sub(c, p[k], at[k]));
            d = taps == 4 ? wf_cast(c, cubic(r, wf_cast(c, d, WF_F64), -0.75), wf_dtype_of(c, d))
                          : wf_sub(c, like_f(r, 1, d), d);
            w = k ? wf_mul(c, w, d) : d;
        }
        column = wf_expand_dims(c, w, 1);
        v = wf_mul(c, elements(r, s, at), column);
        y = t ? wf_add(c, y, v) : v;
    }
    return y;
}

static wf_tensor flat_image(OxRun *r, wf_tensor x, Sampler *s)
{
    int64_t dims[WF_MAX_RANK], all = 1;

    s->n = wf_rank(r->c, x) - 2;
    wf_shape(r->c, x, dims, wf_rank(r->c, x));
    for (int k = 0; k < s->n; k++) {
        s->dims[k] = dims[2 + k];
        all = wf_size_mul(r->c, all, dims[2 + k]);
    }
    return s->flat = wf_reshape(r->c, x, (int64_t[]){dims[0], dims[1], all}, 3);
}

OX_RULE(grid_sample)
{
    wf_ctx *c = r->c;
    wf_tensor x = ox_in(r, 0), grid = ox_in(r, 1), p[3], y;
    const char *mode = ox_text(r, "mode", "linear"), *pad = ox_text(r, "padding_mode", "zeros");
    int rank = ox_ok(r) ? wf_rank(c, x) : 0;
    Sampler s = {.padding = strcmp(pad, "border") == 0 ? BORDER : strcmp(pad, "reflection") == 0 ? REFLECTION : ZEROS,
                 .corners = ox_int(r, "align_corners", 0) != 0};
    int64_t dims[WF_MAX_RANK], all = 1;

    (void)op;
    if (rank < 3 || rank > 5 || wf_rank(c, grid) != rank)
        return ox_ok(r) ? ox_fail(r, WF_ERR_SHAPE, "an image of rank %d", rank) : false;
    flat_image(r, x, &s);
    wf_shape(c, grid, dims, wf_rank(c, grid));
    for (int k = 1; k < rank - 1; k++)
        all = wf_size_mul(c, all, dims[k]);
    for (int k = 0; k < s.n; k++) { /* the last coordinate is that of the first axis */
        wf_tensor g = wf_index_get(c, grid, (wf_index[]){wf_at_rest(), wf_at_int(s.n - 1 - k)}, 2), n;
        g = wf_reshape(c, g, (int64_t[]){dims[0], all}, 2);
        n = wf_cast(c, of_size(r, s.dims[k]), wf_dtype_of(c, g));
        if (s.corners) {
            wf_tensor difference = wf_sub(c, n, like_f(r, 1, g));

            p[k] = wf_mul(c, wf_div(c, wf_add(c, g, like_f(r, 1, g)), like_f(r, 2, g)), difference);
        } else
            p[k] = wf_div(c, wf_sub(c, wf_mul(c, wf_add(c, g, like_f(r, 1, g)), n), like_f(r, 1, g)), like_f(r, 2, g));
        if (strcmp(mode, "nearest") == 0)
            p[k] = wf_round(c, p[k]);
        else if (s.padding == BORDER && strncmp(mode, "bi", 2) != 0 && strcmp(mode, "cubic") != 0) {
            wf_tensor less = wf_sub(c, n, like_f(r, 1, g));

            p[k] = wf_minimum(c, wf_maximum(c, p[k], like_f(r, 0, g)), less);
        } else if (s.padding == REFLECTION && strcmp(mode, "cubic") != 0 && strcmp(mode, "bicubic") != 0)
            p[k] = reflect(r, p[k], s.dims[k], s.corners);
    }
    if (strcmp(mode, "nearest") == 0)
        y = elements(r, &s, p);
    else
        y = sample(r, &s, p, strstr(mode, "cubic") ? 4 : 2);
    dims[0] = wf_size(c, x, 0);
    for (int k = rank - 2; k >= 1; k--)
        dims[k + 1] = dims[k];
    dims[1] = wf_size(c, x, 1);
    return ox_put(r, 0, wf_cast(c, wf_reshape(c, y, dims, rank), wf_dtype_of(c, x)));
}

/* theta [N,n,n+1], sizes [N,C,..]: the grid [N,..,n] of the places of the elements in -1..1, moved by theta */
OX_RULE(affine_grid)
{
    wf_ctx *c = r->c;
    wf_tensor theta = ox_in(r, 0), parts[4], y;
    int count, n;
    const OxNum *size = ox_nums(r, 1, &count);
    bool corners = ox_int(r, "align_corners", 0) != 0;
    int64_t dims[3], all = 1, out[WF_MAX_RANK];
    wf_dtype dtype = wf_dtype_of(c, theta);

    (void)op;
    if (!size || !ox_ok(r))
        return false;
    n = count - 2;
    if (n < 2 || n > 3)
        return ox_fail(r, WF_ERR_SHAPE, "a grid of %d axes", n);
    for (int k = 0; k < n; k++)
        dims[k] = ox_size(r, size[2 + k]);
    for (int k = 0; k < n; k++) { /* x first: the last axis */
        int64_t m = dims[n - 1 - k];
        wf_tensor i = wf_cast(c, wf_iota(c, WF_I64, dims, n, n - 1 - k), WF_F64), full = of_size(r, m);
        if (corners) {
            wf_tensor larger = wf_maximum(c, wf_sub(c, full, f64(r, 1)), f64(r, 1));

            i = wf_sub(c, wf_div(c, wf_mul(c, i, f64(r, 2)), larger), f64(r, 1));
        } else
            i = wf_sub(c, wf_div(c, wf_add(c, wf_mul(c, i, f64(r, 2)), f64(r, 1)), full), f64(r, 1));
        parts[k] = wf_cast(c, i, dtype);
        all = wf_size_mul(c, all, m);
    }
    parts[n] = wf_ones_like(c, parts[0]);
    y = wf_reshape(c, wf_stack(c, parts, n + 1, n), (int64_t[]){all, n + 1}, 2);
    y = wf_matmul(c, y, wf_swap_axes(c, theta, 1, 2)); /* [N, all, n] */
    out[0] = wf_size(c, theta, 0);
    for (int k = 0; k < n; k++)
        out[1 + k] = dims[k];
    out[n + 1] = n;
    return ox_put(r, 0, wf_reshape(c, y, out, n + 2));
}

/* ---- regions -------------------------------------------------------------------------------------------- */

/* The value between four elements; places outside the image by more than one element are 0, others moved to its edge. */
static wf_tensor region_value(OxRun *r, const Sampler *s, const wf_tensor *at, bool largest)
{
    wf_ctx *c = r->c;
    wf_tensor p[2], ok = WF_NONE, base[2], y = WF_NONE;

    for (int k = 0; k < 2; k++) {
        wf_tensor at_most, difference;
        wf_tensor n = wf_cast(c, of_size(r, s->dims[k]), wf_dtype_of(c, at[k])), in;
        at_most = wf_le(c, at[k], n);
        in = wf_logical_and(c, wf_ge(c, at[k], like_f(r, -1, n)), at_most);
        ok = k ? wf_logical_and(c, ok, in) : in;
        difference = wf_sub(c, n, like_f(r, 1, n));
        p[k] = wf_minimum(c, wf_maximum(c, at[k], like_f(r, 0, n)), difference);
        base[k] = wf_floor(c, p[k]);
    }
    for (int t = 0; t < 4; t++) {
        wf_tensor column;
        wf_tensor w = WF_NONE, q[2], v;
        for (int k = 0; k < 2; k++) {
            q[k] = wf_add(c, base[k], like_f(r, t >> k & 1, p[k]));
            v = wf_sub(c, like_f(r, 1, p[k]), wf_abs(c, wf_sub(c, p[k], q[k])));
            w = k ? wf_mul(c, w, v) : v;
        }
        column = wf_expand_dims(c, w, 1);
        v = wf_mul(c, elements(r, s, q), column);
        y = !t ? v : largest ? wf_maximum(c, y, v) : wf_add(c, y, v);
    }
    return wf_where(c, wf_expand_dims(c, ok, 1), y, ox_like(r, 0, y));
}

OX_RULE(roi_align)
{
    wf_ctx *c = r->c;
    wf_tensor x = ox_in(r, 0), rois = ox_in(r, 1), which = ox_in(r, 2), at[2], y;
    int64_t size[2] = {ox_int(r, "output_height", 1), ox_int(r, "output_width", 1)}, ratio = ox_int(r, "sampling_ratio", 0), n, dims[4];
    double scale = ox_float(r, "spatial_scale", 1);
    bool half = ox_opset(r) >= 16 && ox_text_is(r, "coordinate_transformation_mode", "half_pixel", "half_pixel"),
         largest = ox_text_is(r, "mode", "avg", "max");
    Sampler s = {.padding = BORDER};

    (void)op;
    if (!ox_ok(r) || wf_rank(c, x) != 4 || ratio < 1 || ratio > 64 || size[0] < 1 || size[1] < 1 || size[0] > 4096 || size[1] > 4096)
        return ox_ok(r) ? ox_fail(r, WF_ERR_UNSUPPORTED, "sampling_ratio %lld: only a fixed number of samples is supported",
                                  (long long)ratio)
                        : false;
    n = wf_size(c, rois, 0);
    dims[0] = n, dims[1] = size[0] * ratio, dims[2] = size[1] * ratio;
    for (int k = 0; k < 2; k++) { /* rois: x1 y1 x2 y2 */
        wf_tensor lo = wf_index_get(c, rois, (wf_index[]){wf_at_rest(), wf_at_int(1 - k)}, 2);
        wf_tensor hi = wf_index_get(c, rois, (wf_index[]){wf_at_rest(), wf_at_int(3 - k)}, 2), span, i, off = like_f(r, half ? 0.5 : 0, lo);
        lo = wf_sub(c, wf_mul(c, lo, like_f(r, scale, lo)), off);
        hi = wf_sub(c, wf_mul(c, hi, like_f(r, scale, hi)), off);
        span = wf_sub(c, hi, lo);
        if (!half)
            span = wf_maximum(c, span, like_f(r, 1, span));
        lo = wf_reshape(c, lo, (int64_t[]){n, 1, 1}, 3);
        span = wf_reshape(c, span, (int64_t[]){n, 1, 1}, 3);
        i = wf_cast(c, wf_iota(c, WF_I64, dims, 3, 1 + k), wf_dtype_of(c, rois));
        i = wf_div(c, wf_add(c, i, like_f(r, 0.5, i)), like_f(r, (double)(size[k] * ratio), i));
        at[k] = wf_reshape(c, wf_add(c, lo, wf_mul(c, i, span)), (int64_t[]){n, dims[1] * dims[2]}, 2);
    }
    flat_image(r, wf_take(c, x, which, 0), &s); /* an image for each region */
    y = region_value(r, &s, at, largest);
    y = wf_reshape(c, y, (int64_t[]){n, wf_size(c, x, 1), size[0], ratio, size[1], ratio}, 6);
    y = largest ? wf_max(c, y, (int[]){3, 5}, 2, false) : wf_mean(c, y, (int[]){3, 5}, 2, false);
    return ox_put(r, 0, y);
}

/* ---- convolution at moved places -------------------------------------------------------------------------- */

OX_RULE(deform_conv)
{
    wf_ctx *c = r->c;
    wf_tensor x = ox_in(r, 0), w = ox_in(r, 1), off = ox_in(r, 2), b = ox_opt(r, 3), mask = ox_opt(r, 4), p[2], y;
    int64_t groups = ox_int(r, "offset_group", 1), group = ox_int(r, "group", 1), d[4], k[4], o[4], taps, q;
    OxWindow win;
    Sampler s = {.padding = ZEROS};

    (void)op;
    if (!ox_ok(r) || wf_rank(c, x) != 4 || wf_rank(c, w) != 4 || wf_rank(c, off) != 4)
        return ox_ok(r) ? ox_fail(r, WF_ERR_UNSUPPORTED, "only images of two axes") : false;
    wf_shape(c, x, d, wf_rank(c, x));
    wf_shape(c, w, k, wf_rank(c, w));
    wf_shape(c, off, o, wf_rank(c, off));
    if (!ox_window(r, x, k + 2, &win) || groups < 1 || group < 1 || d[1] < 0 || d[1] % groups || d[1] % group)
        return ox_ok(r) ? ox_fail(r, WF_ERR_SHAPE, "groups that do not divide the channels") : false;
    taps = k[2] * k[3];
    q = wf_size_mul(c, taps, wf_size_mul(c, o[2], o[3]));
    int64_t grid[4] = {k[2], k[3], o[2], o[3]}, all[6] = {d[0], groups, k[2], k[3], o[2], o[3]};
    for (int i = 0; i < 2; i++) { /* place = output stride - pad + tap dilation + offset; [N*G, taps*P] */
        wf_tensor sum = wf_add(c, wf_mul(c, wf_iota(c, WF_I64, grid, 4, i), i64(r, win.dilation[i])), i64(r, -win.lo[i]));
        wf_tensor base = wf_add(c, wf_mul(c, wf_iota(c, WF_I64, grid, 4, 2 + i), i64(r, win.stride[i])), sum);
        wf_tensor move = wf_reshape(c, off, (int64_t[]){d[0], groups, taps, 2, o[2], o[3]}, 6);
        move = wf_reshape(c, wf_index_get(c, move, (wf_index[]){wf_at_all(), wf_at_all(), wf_at_all(), wf_at_int(i)}, 4), all, 6);
        p[i] = wf_add(c, move, wf_cast(c, base, wf_dtype_of(c, off)));
        p[i] = wf_reshape(c, p[i], (int64_t[]){wf_size_mul(c, d[0], groups), q}, 2);
    }
    flat_image(r, wf_reshape(c, x, (int64_t[]){wf_size_mul(c, d[0], groups), d[1] / groups, d[2], d[3]}, 4), &s);
    y = sample(r, &s, p, 2); /* [N*G, C/G, taps*P] */
    if (!wf_is_none(mask))
        y = wf_mul(c, y, wf_reshape(c, mask, (int64_t[]){wf_size_mul(c, d[0], groups), 1, q}, 3));
    y = wf_reshape(c, y, (int64_t[]){d[0], group, d[1] / group * taps, wf_size_mul(c, o[2], o[3])}, 4);
    w = wf_reshape(c, w, (int64_t[]){group, k[0] / group, k[1] * taps}, 3);
    y = wf_reshape(c, wf_matmul(c, w, y), (int64_t[]){d[0], k[0], o[2], o[3]}, 4);
    if (!wf_is_none(b))
        y = wf_add(c, y, wf_reshape(c, b, (int64_t[]){k[0], 1, 1}, 3));
    return ox_put(r, 0, y);
}
