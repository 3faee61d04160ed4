/* complex.c -- complex tensors: parts, conjugates, modulus and angle. Of real tensors these are what they would be
 * of complex ones without an imaginary part. */
#include "functions/functions.h"

static bool is_complex(wf_ctx *c, wf_tensor x)
{
    return dtype_is_complex(wf_dtype_of(c, x));
}

wf_tensor wf_real(wf_ctx *c, wf_tensor x)
{
    return is_complex(c, x) ? op_1(c, OP_real, x, NULL) : wf_positive(c, x);
}

wf_tensor wf_imag(wf_ctx *c, wf_tensor x)
{
    return is_complex(c, x) ? op_1(c, OP_imag, x, NULL) : wf_zeros_like(c, x);
}

wf_tensor wf_conj(wf_ctx *c, wf_tensor x)
{
    return is_complex(c, x) ? op_1(c, OP_conj, x, NULL) : wf_positive(c, x);
}

/* z = x + iy; narrower floats and integers become f32, or the default float. */
wf_tensor wf_complex(wf_ctx *c, wf_tensor x, wf_tensor y)
{
    wf_tensor in[2] = {x, y};

    scope_open(c);
    if (!unify_types(c, "wf_complex", in, 2, MATH_FLOAT))
        return scope_close(c, WF_NONE);
    if (float_is_half(c, in[0]))
        for (int i = 0; i < 2; i++)
            in[i] = wf_cast(c, in[i], WF_F32);
    return scope_close(c, tensor_op1(c, OP_complex, in, 2, NULL));
}

wf_tensor wf_angle(wf_ctx *c, wf_tensor x)
{
    wf_tensor chosen, zero, filled;

    scope_open(c);
    if (is_complex(c, x)) {
        wf_tensor real = wf_real(c, x);

        return scope_close(c, wf_atan2(c, wf_imag(c, x), real));
    }
    x = float_cast(c, x, "wf_angle");
    zero = wf_zeros_like(c, x);
    filled = wf_full_like(c, x, 3.14159265358979323846);
    chosen = wf_where(c, wf_lt(c, x, num(c, 0)), filled, zero);
    x = wf_where(c, wf_is_nan(c, x), x, chosen);
    return scope_close(c, x);
}

wf_tensor wf_polar(wf_ctx *c, wf_tensor x, wf_tensor y)
{
    wf_tensor product;

    scope_open(c);
    product = wf_mul(c, x, wf_sin(c, y));
    return scope_close(c, wf_complex(c, wf_mul(c, x, wf_cos(c, y)), product));
}
