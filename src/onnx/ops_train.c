/* ops_train.c -- derivatives and optimisers (ai.onnx.preview.training); random numbers. */
#include "onnx/ops.h"

/* Of the tensor named y by those named xs: what they are in the graph around. */
OX_RULE(gradient)
{
    const OxAttr *xs = ox_attr(r, "xs");
    const OxValue *y = ox_lookup(r, ox_text(r, "y", ""));
    size_t n = xs ? xs->strings.n : 0;
    wf_tensor *x = ox_alloc(&r->mem, n + 1, sizeof *x), *g = ox_alloc(&r->mem, n + 1, sizeof *g), of;

    (void)op;
    if (!y || !x || !g)
        return false;
    for (size_t i = 0; i < n; i++)
        x[i] = ox_in(r, i);
    of = ox_tensor_of(r, y);
    if (!ox_ok(r) || wf_partials(r->c, &of, NULL, 1, x, (int)n, g))
        return false;
    for (size_t i = 0; i < n; i++)
        ox_put(r, i, wf_is_none(g[i]) ? wf_zeros_like(r->c, x[i]) : g[i]);
    return ox_ok(r);
}

static wf_tensor times(OxRun *r, wf_tensor x, double a) { return wf_mul(r->c, x, ox_like(r, a, x)); }

/* Inputs: rate, steps, then n tensors of each kind; which of them. */
static size_t per_kind(OxRun *r, size_t kinds)
{
    size_t n = ox_nin(r);

    if (n < 2 + kinds || (n - 2) % kinds) {
        ox_fail(r, WF_ERR_FORMAT, "%zu inputs", n);
        return 0;
    }
    return (n - 2) / kinds;
}

OX_RULE(adagrad)
{
    wf_ctx *c = r->c;
    size_t n = per_kind(r, 3);
    double decay = ox_float(r, "decay_factor", 0), eps = ox_float(r, "epsilon", 1e-6), norm = ox_float(r, "norm_coefficient", 0);
    wf_tensor rate = wf_reshape(c, ox_in(r, 0), NULL, 0), steps = wf_cast(c, wf_reshape(c, ox_in(r, 1), NULL, 0), WF_F32);

    (void)op;
    rate = wf_div(c, rate, wf_add(c, wf_scalar(c, WF_F32, 1), times(r, steps, decay)));
    for (size_t i = 0; i < n && ox_ok(r); i++) {
        wf_tensor sum;
        wf_tensor x = ox_in(r, 2 + i), g = ox_in(r, 2 + n + i), h = ox_in(r, 2 + 2 * n + i);
        g = wf_add(c, times(r, x, norm), g);
        h = wf_add(c, h, wf_square(c, g));
        sum = wf_add(c, wf_sqrt(c, h), ox_like(r, eps, h));
        ox_put(r, i, wf_sub(c, x, wf_div(c, wf_mul(c, rate, g), sum)));
        ox_put(r, n + i, h);
    }
    return ox_ok(r);
}

OX_RULE(adam)
{
    wf_ctx *c = r->c;
    size_t n = per_kind(r, 4);
    double a = ox_float(r, "alpha", 0.9), b = ox_float(r, "beta", 0.999), eps = ox_float(r, "epsilon", 1e-6);
    double norm = ox_float(r, "norm_coefficient", 0), after = ox_float(r, "norm_coefficient_post", 0);
    wf_tensor rate = wf_reshape(c, ox_in(r, 0), NULL, 0), t = wf_cast(c, wf_reshape(c, ox_in(r, 1), NULL, 0), WF_F32), fixed;
    wf_tensor one = wf_scalar(c, WF_F32, 1);
    wf_tensor difference;

    (void)op;
    difference = wf_sub(c, one, wf_pow(c, wf_scalar(c, WF_F32, a), t));
    fixed = wf_div(c, wf_mul(c, rate, wf_sqrt(c, wf_sub(c, one, wf_pow(c, wf_scalar(c, WF_F32, b), t)))), difference);
    rate = wf_where(c, wf_gt(c, t, wf_scalar(c, WF_F32, 0)), fixed, rate);
    for (size_t i = 0; i < n && ox_ok(r); i++) {
        wf_tensor scaled, fresh, sum;
        wf_tensor x = ox_in(r, 2 + i), g = ox_in(r, 2 + n + i), v = ox_in(r, 2 + 2 * n + i), h = ox_in(r, 2 + 3 * n + i);
        g = wf_add(c, times(r, x, norm), g);
        scaled = times(r, g, 1 - a);
        v = wf_add(c, times(r, v, a), scaled);
        fresh = times(r, wf_square(c, g), 1 - b);
        h = wf_add(c, times(r, h, b), fresh);
        sum = wf_add(c, wf_sqrt(c, h), ox_like(r, eps, h));
        x = wf_sub(c, x, wf_div(c, wf_mul(c, rate, v), sum));
        ox_put(r, i, times(r, x, 1 - after));
        ox_put(r, n + i, v);
        ox_put(r, 2 * n + i, h);
    }
    return ox_ok(r);
}

OX_RULE(momentum)
{
    wf_ctx *c = r->c;
    size_t n = per_kind(r, 3);
    double a = ox_float(r, "alpha", 0), b = ox_float(r, "beta", 0), norm = ox_float(r, "norm_coefficient", 0);
    bool nesterov = ox_text_is(r, "mode", "standard", "nesterov");
    wf_tensor rate = wf_reshape(c, ox_in(r, 0), NULL, 0), t = wf_reshape(c, ox_in(r, 1), NULL, 0);
    wf_tensor weight = wf_where(c, wf_gt(c, t, wf_scalar(c, WF_I64, 0)), wf_scalar(c, WF_F32, b), wf_scalar(c, WF_F32, 1));

    (void)op;
    for (size_t i = 0; i < n && ox_ok(r); i++) {
        wf_tensor product;
        wf_tensor x = ox_in(r, 2 + i), g = ox_in(r, 2 + n + i), v = ox_in(r, 2 + 2 * n + i);
        g = wf_add(c, times(r, x, norm), g);
        product = wf_mul(c, weight, g);
        v = wf_add(c, times(r, v, a), product);
        ox_put(r, i, wf_sub(c, x, wf_mul(c, rate, nesterov ? wf_add(c, g, times(r, v, a)) : v)));
        ox_put(r, n + i, v);
    }
    return ox_ok(r);
}

/* ---- random numbers -------------------------------------------------------------------------------- */

/* arg: bit 0 normal, bit 1 like another tensor */
OX_RULE(random)
{
    wf_ctx *c = r->c;
    bool normal = op->arg & 1, like = op->arg & 2;
    wf_tensor x = like ? ox_in(r, 0) : WF_NONE, y;
    int n;
    const int64_t *shape = ox_ints(r, "shape", &n);
    int64_t to = ox_int(r, "dtype", like ? (int64_t)ox_elem_of(r, 0) : OX_FLOAT), dims[WF_MAX_RANK];
    wf_dtype dtype = ox_dtype(to);

    if (!ox_ok(r) || !wf_dtype_is_float(dtype) || (!like && (!shape || n > WF_MAX_RANK)))
        return ox_ok(r) ? ox_fail(r, WF_ERR_TYPE, "needs a shape and a float type") : false;
    if (like)
        n = wf_rank(c, x), wf_shape(c, x, dims, wf_rank(c, x));
    for (int i = 0; !like && i < n; i++)
        if ((dims[i] = shape[i]) < 0)
            return ox_fail(r, WF_ERR_SHAPE, "a size of %lld", (long long)shape[i]);
    if (!ox_bounded(r, dims, n, OX_FILLED))
        return false;
    if (normal) {
        y = wf_key_normal(c, ox_key(r), WF_F32, dims, n);
        y = wf_add(c, times(r, y, ox_float(r, "scale", 1)), ox_like(r, ox_float(r, "mean", 0), y));
    } else {
        y = wf_key_uniform(c, ox_key(r), WF_F32, dims, n, ox_float(r, "low", 0), ox_float(r, "high", 1));
    }
    return ox_put(r, 0, wf_cast(c, y, dtype));
}

OX_RULE(bernoulli)
{
    wf_tensor p = ox_in(r, 0), u;
    int64_t to = ox_int(r, "dtype", ox_elem_of(r, 0)), dims[WF_MAX_RANK];

    (void)op;
    if (!ox_ok(r) || ox_dtype(to) == WF_INVALID)
        return ox_ok(r) ? ox_fail(r, WF_ERR_UNSUPPORTED, "of type %s", ox_elem_name(to)) : false;
    wf_shape(r->c, p, dims, wf_rank(r->c, p));
    u = wf_key_uniform(r->c, ox_key(r), WF_F32, dims, wf_rank(r->c, p), 0, 1);
    return ox_put(r, 0, wf_cast(r->c, wf_lt(r->c, u, wf_cast(r->c, p, WF_F32)), ox_dtype(to)));
}

OX_RULE(multinomial)
{
    wf_tensor x = ox_in(r, 0), y;
    int64_t n = ox_int(r, "sample_size", 1), to = ox_int(r, "dtype", OX_INT32), dims[2];
    wf_dtype dtype = ox_dtype(to);
    wf_tensor cast;

    (void)op;
    if (!ox_ok(r) || wf_rank(r->c, x) != 2 || (dtype != WF_I32 && dtype != WF_I64) || n < 1)
        return ox_ok(r) ? ox_fail(r, WF_ERR_TYPE, "needs a matrix, and integers as results") : false;
    dims[0] = n;
    dims[1] = wf_size(r->c, x, 0);
    cast = wf_cast(r->c, x, WF_F32);
    y = wf_key_categorical(r->c, ox_key(r), cast, 1, dims, 2, dtype);
    return ox_put(r, 0, wf_permute(r->c, y, (int[]){1, 0}, 2));
}
