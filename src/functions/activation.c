/* activation.c -- activations and softmax. Derivatives at kinks are PyTorch's: 0 at the kink of relu. */
#include "functions/functions.h"

static wf_tensor positive(wf_ctx *c, wf_tensor x)
{
    return wf_gt(c, x, wf_zeros_like(c, x));
}

wf_tensor wf_relu(wf_ctx *c, wf_tensor x) /* of NaN NaN; slope 0 at 0 */
{
    wf_tensor zero;

    scope_open(c);
    zero = wf_is_symbolic(c, x) || wf_is_weak(c, x) ? wf_zeros_like(c, x) : wf_full(c, wf_dtype_of(c, x), NULL, 0, 0);
    return scope_close(c, wf_where(c, wf_le(c, x, zero), zero, x));
}

/* x Φ(x); with tanh: x/2 (1 + tanh(sqrt(2/π)(x + 0.044715 x³))) */
wf_tensor wf_gelu(wf_ctx *c, wf_tensor x, bool with_tanh)
{
    wf_tensor u, sum;

    IN_F32(c, x, wf_gelu(c, x, with_tanh))
    scope_open(c);
    x = float_cast(c, x, "wf_gelu");
    if (with_tanh) {
        u = wf_mul(c, wf_mul(c, wf_square(c, x), x), num(c, 0.044715));
        u = wf_tanh(c, wf_mul(c, wf_add(c, x, u), num(c, 0.79788456080286535588)));
    } else {
        u = wf_erf(c, wf_mul(c, x, num(c, 0.70710678118654752440)));
    }
    sum = wf_add(c, u, num(c, 1));
    return scope_close(c, wf_mul(c, wf_mul(c, x, num(c, 0.5)), sum));
}

wf_tensor wf_silu(wf_ctx *c, wf_tensor x)
{
    IN_F32(c, x, wf_silu(c, x))
    scope_open(c);
    return scope_close(c, wf_mul(c, x, wf_sigmoid(c, x)));
}

/* log(1 + e^x) = max(x, 0) + log1p(e^-|x|), written so that the derivative at 0 is 1/2 */
wf_tensor wf_softplus(wf_ctx *c, wf_tensor x, double beta)
{
    wf_tensor z, p, s;

    IN_F32(c, x, wf_softplus(c, x, beta))
    scope_open(c);
    z = wf_mul(c, float_cast(c, x, "wf_softplus"), num(c, beta));
    p = positive(c, z);
    s = wf_log1p(c, wf_exp(c, wf_where(c, p, wf_neg(c, z), z)));
    s = wf_add(c, wf_where(c, p, z, wf_zeros_like(c, z)), s);
    return scope_close(c, wf_div(c, s, num(c, beta)));
}

wf_tensor wf_log_sigmoid(wf_ctx *c, wf_tensor x)
{
    IN_F32(c, x, wf_log_sigmoid(c, x))
    scope_open(c);
    return scope_close(c, wf_neg(c, wf_softplus(c, wf_neg(c, x), 1)));
}

wf_tensor wf_elu(wf_ctx *c, wf_tensor x, double alpha)
{
    wf_tensor p, low;

    IN_F32(c, x, wf_elu(c, x, alpha))
    scope_open(c);
    x = float_cast(c, x, "wf_elu");
    p = positive(c, x);
    low = wf_expm1(c, wf_where(c, p, wf_zeros_like(c, x), x));
    return scope_close(c, wf_where(c, p, x, wf_mul(c, low, num(c, alpha))));
}

wf_tensor wf_leaky_relu(wf_ctx *c, wf_tensor x, double slope)
{
    wf_tensor product;

    scope_open(c);
    product = wf_mul(c, x, num(c, slope));
    return scope_close(c, wf_where(c, positive(c, x), x, product));
}

/* The largest along the axis, as a constant of the derivative. */
static wf_tensor shift_of(wf_ctx *c, wf_tensor x, int axis)
{
    if (wf_size(c, x, axis) == 0)
        return wf_zeros_like(c, x);
    return wf_stop_gradient(c, wf_max(c, x, &axis, 1, true));
}

wf_tensor wf_softmax(wf_ctx *c, wf_tensor x, int axis)
{
    wf_tensor e;

    IN_F32(c, x, wf_softmax(c, x, axis))
    scope_open(c);
    x = float_cast(c, x, "wf_softmax");
    e = wf_exp(c, wf_sub(c, x, shift_of(c, x, axis)));
    return scope_close(c, wf_div(c, e, wf_sum(c, e, &axis, 1, true)));
}

wf_tensor wf_log_softmax(wf_ctx *c, wf_tensor x, int axis)
{
    wf_tensor d;

    IN_F32(c, x, wf_log_softmax(c, x, axis))
    scope_open(c);
    x = float_cast(c, x, "wf_log_softmax");
    d = wf_sub(c, x, shift_of(c, x, axis));
    return scope_close(c,
                       wf_sub(c, d, wf_log(c, wf_sum(c, wf_exp(c, d), &axis, 1, true))));
}
