/* loss.c -- losses, with PyTorch's meaning. */
#include "functions/functions.h"

static wf_tensor reduced(wf_ctx *c, wf_tensor l, wf_reduction how)
{
    return how == WF_MEAN  ? wf_mean(c, l, NULL, 0, false)
           : how == WF_SUM ? wf_sum(c, l, NULL, 0, false)
                           : l;
}

wf_tensor wf_mse_loss(wf_ctx *c, wf_tensor x, wf_tensor y, wf_reduction how)
{
    if (float_is_half(c, y))
        IN_F32(c, x, wf_mse_loss(c, x, y, how))
    scope_open(c);
    return scope_close(c, reduced(c, wf_square(c, wf_sub(c, x, y)), how));
}

wf_tensor wf_l1_loss(wf_ctx *c, wf_tensor x, wf_tensor y, wf_reduction how)
{
    wf_tensor d;

    scope_open(c); /* |d| with derivative 0 at 0 */
    d = wf_sub(c, x, y);
    return scope_close(c, reduced(c, wf_mul(c, d, wf_sign(c, d)), how));
}

/* d²/(2 beta) below beta, |d| - beta/2 above */
wf_tensor wf_smooth_l1_loss(wf_ctx *c, wf_tensor x, wf_tensor y, double beta,
                            wf_reduction how)
{
    wf_tensor d, a, lo, difference;

    if (float_is_half(c, y))
        IN_F32(c, x, wf_smooth_l1_loss(c, x, y, beta, how))
    if (beta <= 0)
        return wf_l1_loss(c, x, y, how);
    scope_open(c);
    d = wf_sub(c, x, y);
    a = wf_abs(c, d);
    lo = wf_mul(c, wf_square(c, d), num(c, 0.5 / beta));
    difference = wf_sub(c, a, num(c, 0.5 * beta));
    return scope_close(c, reduced(c, wf_where(c, wf_lt(c, a, num(c, beta)), lo, difference), how));
}

/* The axis of the classes: 1, or 0 for a single row. */
static int class_axis(wf_ctx *c, wf_tensor x) { return wf_rank(c, x) == 1 ? 0 : 1; }

/* -logp[target], weighted; targets equal to ignore do not count. logp [N,C,..], target [N,..]. */
wf_tensor wf_nll_loss(wf_ctx *c, wf_tensor logp, wf_tensor target, wf_tensor weight,
                      int64_t ignore, wf_reduction how)
{
    int axis = class_axis(c, logp);
    wf_tensor t, live, w, l, zero;

    if (failed(c))
        return WF_NONE;
    if (!dtype_is_int(wf_dtype_of(c, target)))
        return tensor_fail(c, WF_ERR_TYPE, "wf_nll_loss: needs class numbers, got %s",
                     shape_text(c, tensor_get(c, target, "wf_nll_loss")));
    scope_open(c);
    target = wf_cast(c, target, WF_I64);
    live = wf_ne(c, target, wf_int(c, ignore));
    t = wf_where(c, live, target, wf_zeros_like(c, target));
    if (!index_from_zero(c, "wf_nll_loss", t))
        return scope_close(c, WF_NONE);
    l = wf_neg(c, wf_squeeze(c, wf_take_along(c, logp, wf_expand_dims(c, t, axis), axis),
                             &axis, 1));
    w = wf_cast(c, live, wf_dtype_of(c, l));
    if (!wf_is_none(weight))
        w = wf_mul(c, w, wf_take(c, weight, t, 0));
    zero = wf_zeros_like(c, l);
    l = wf_where(c, live, wf_mul(c, l, w), zero);
    if (how == WF_MEAN) {
        wf_tensor total = wf_sum(c, w, NULL, 0, false);

        l = wf_div(c, wf_sum(c, l, NULL, 0, false), total);
    } else
        l = reduced(c, l, how);
    return scope_close(c, l);
}

/* target: class numbers [N,..], or probabilities of the shape of x [N,C,..] */
wf_tensor wf_cross_entropy(wf_ctx *c, wf_tensor x, wf_tensor target, wf_tensor weight,
                           int64_t ignore, double smoothing, wf_reduction how)
{
    int axis = class_axis(c, x);
    wf_tensor logp, p, l;
    Shape s;

    IN_F32(c, x, wf_cross_entropy(c, x, target, weight, ignore, smoothing, how))
    if (!shape_of(c, x, "wf_cross_entropy", &s) ||
        !tensor_get(c, target, "wf_cross_entropy"))
        return WF_NONE;
    if (s.rank == 0)
        return tensor_fail(c, WF_ERR_SHAPE, "wf_cross_entropy: needs an axis of classes");
    scope_open(c);
    logp = wf_log_softmax(c, x, axis);
    if (dtype_is_int(wf_dtype_of(c, target)) && smoothing == 0)
        return scope_close(c, wf_nll_loss(c, logp, target, weight, ignore, how));
    if (dtype_is_int(wf_dtype_of(c, target))) {
        wf_tensor ratio, cast;

        /* (1 - s) nll + s/C sum over classes of -logp, ignored places left out */
        wf_tensor live = wf_ne(c, target, wf_int(c, ignore)), all, n;
        l = wf_nll_loss(c, logp, target, weight, ignore, how == WF_MEAN ? WF_SUM : how);
        all = logp;
        if (!wf_is_none(weight)) {
            Dim dims[MAX_RANK];
            for (uint32_t i = 0; i < s.rank; i++)
                dims[i] = (int)i == axis ? s.d[i] : 1;
            all = wf_mul(c, logp, wf_reshape(c, weight, dims, (int)s.rank));
        }
        all = wf_neg(c, wf_sum(c, all, &axis, 1, false));
        all = wf_where(c, live, all, wf_zeros_like(c, all));
        all = how == WF_NO_REDUCTION ? all : wf_sum(c, all, NULL, 0, false);
        cast = wf_cast(c, size_tensor(c, s.d[axis]), wf_dtype_of(c, l));
        ratio = wf_div(c, wf_mul(c, all, num(c, smoothing)), cast);
        l = wf_add(c, wf_mul(c, l, num(c, 1 - smoothing)), ratio);
        if (how == WF_MEAN) {
            n = wf_cast(c, live, wf_dtype_of(c, l));
            if (!wf_is_none(weight))
                n = wf_mul(c, n,
                           wf_take(c, weight,
                                   wf_where(c, live, target, wf_zeros_like(c, target)),
                                   0));
            l = wf_div(c, l, wf_sum(c, n, NULL, 0, false));
        }
        return scope_close(c, l);
    }
    p = target;
    if (smoothing != 0) {
        wf_tensor share = wf_div(c, num(c, smoothing), wf_cast(c, size_tensor(c, s.d[axis]), wf_dtype_of(c, p)));

        p = wf_add(c, wf_mul(c, p, num(c, 1 - smoothing)), share);
    }
    l = wf_mul(c, p, logp);
    if (!wf_is_none(weight)) {
        Dim dims[MAX_RANK];
        for (uint32_t i = 0; i < s.rank; i++)
            dims[i] = (int)i == axis ? s.d[i] : 1;
        l = wf_mul(c, l, wf_reshape(c, weight, dims, (int)s.rank));
    }
    return scope_close(c, reduced(c, wf_neg(c, wf_sum(c, l, &axis, 1, false)), how));
}

/* -(t log p + (1-t) log(1-p)), the logarithms not below -100. The slope (p - t) / (p (1-p)) is taken with 1e-12 for a
 * smaller denominator, so that it is a number at 0 and 1: there the loss is a constant and a straight line. */
wf_tensor wf_bce_loss(wf_ctx *c, wf_tensor p, wf_tensor t, wf_reduction how)
{
    wf_tensor one, a, b, at, edge, inside, loss, line, logarithm, log1p, product, difference;

    if (float_is_half(c, t))
        IN_F32(c, p, wf_bce_loss(c, p, t, how))
    scope_open(c);
    one = num(c, 1);
    at = wf_stop_gradient(c, p);
    edge = wf_lt(c, wf_mul(c, at, wf_sub(c, one, at)), num(c, 1e-12));
    inside = wf_where(c, edge, num(c, 0.5), p);
    logarithm = wf_log(c, inside);
    a = wf_where(c, edge, wf_maximum(c, wf_log(c, at), num(c, -100)), logarithm);
    log1p = wf_log1p(c, wf_neg(c, inside));
    b = wf_where(c, edge, wf_maximum(c, wf_log1p(c, wf_neg(c, at)), num(c, -100)), log1p);
    product = wf_mul(c, wf_sub(c, one, t), b);
    loss = wf_neg(c, wf_add(c, wf_mul(c, t, a), product));
    difference = wf_sub(c, p, at);
    line = wf_mul(c, wf_stop_gradient(c, wf_mul(c, wf_sub(c, at, t), num(c, 1e12))), difference);
    return scope_close(c, reduced(c, wf_add(c, loss, wf_where(c, edge, line, num(c, 0))), how));
}

/* softplus(x) - t x */
wf_tensor wf_bce_with_logits(wf_ctx *c, wf_tensor x, wf_tensor t, wf_reduction how)
{
    wf_tensor product;

    if (float_is_half(c, t))
        IN_F32(c, x, wf_bce_with_logits(c, x, t, how))
    scope_open(c);
    product = wf_mul(c, t, x);
    return scope_close(c, reduced(c, wf_sub(c, wf_softplus(c, x, 1), product), how));
}

/* t (log t - x), 0 where t is 0; x are log-probabilities. WF_MEAN is over all elements, as PyTorch's "mean". */
wf_tensor wf_kl_div(wf_ctx *c, wf_tensor x, wf_tensor t, wf_reduction how)
{
    wf_tensor some, logt, l, product;

    if (float_is_half(c, t))
        IN_F32(c, x, wf_kl_div(c, x, t, how))
    scope_open(c);
    some = wf_ne(c, t, wf_zeros_like(c, t)); /* 0 log 0 is 0; of what is below, NaN */
    logt = wf_log(c, wf_where(c, some, t, wf_ones_like(c, t)));
    product = wf_mul(c, t, x);
    l = wf_sub(c, wf_mul(c, t, logt), product);
    return scope_close(c, reduced(c, l, how));
}
