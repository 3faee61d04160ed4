/* conv.c -- convolutions over the last n axes of [N,C,spatial..], linear layers, embedding, dropout and
 * attention.
 */
#include "functions/functions.h"

#include <math.h>

#define SPATIAL 3

static int64_t at(const int64_t *v, int i, int64_t standard)
{
    return v ? v[i] : standard;
}

bool spatial_check(wf_ctx *c, const char *fn, wf_tensor x, int n, Shape *s)
{
    if (!shape_of(c, x, fn, s))
        return false;
    if (n < 1 || n > SPATIAL) {
        tensor_fail(c, WF_ERR_SHAPE, "%s: %d spatial axes; there are 1 to %d", fn, n, SPATIAL);
        return false;
    }
    if (s->rank != (uint32_t)n + 2) {
        tensor_fail(c, WF_ERR_SHAPE, "%s: %d spatial axes need [N,C,..] of rank %d, got %s", fn,
              n, n + 2, shape_text(c, tensor_get(c, x, fn)));
        return false;
    }
    return true;
}

static wf_tensor add_bias(wf_ctx *c, wf_tensor y, wf_tensor bias, int n)
{
    Shape s;
    Dim dims[SPATIAL + 1] = {0, 1, 1, 1};

    if (wf_is_none(bias) || !shape_of(c, bias, "conv", &s))
        return y;
    dims[0] = size_prod(c, s.d, s.rank);
    return wf_add(c, y, wf_reshape(c, bias, dims, n + 1));
}

static wf_tensor conv_general(wf_ctx *c, const char *fn, wf_tensor x, wf_tensor w,
                              const ConvAttr *a)
{
    wf_tensor in[2] = {x, w};
    ConvAttr b = *a;

    if (!b.acc && !unify_dtypes(c, fn, in, 2))
        return WF_NONE;
    if (!b.acc)
        b.acc = (int32_t)wf_dtype_of(c, in[0]);
    b.batch_groups = 1;
    return tensor_op1(c, OP_conv_general, in, 2, &b);
}

/* acc: what is summed in; 0: the dtype both operands are promoted to */
static wf_tensor conv(wf_ctx *c, wf_tensor x, wf_tensor w, wf_tensor bias, int n,
                      const int64_t *stride, const int64_t *padding,
                      const int64_t *dilation, int64_t groups, int32_t acc)
{
    Shape s, k;
    int64_t st[SPATIAL], pad[SPATIAL], dil[SPATIAL];
    wf_tensor y;

    if (!spatial_check(c, "wf_conv", x, n, &s) || !spatial_check(c, "wf_conv", w, n, &k))
        return WF_NONE;
    if (groups < 1 || (!size_same(c, s.d[1], size_mul(c, k.d[1], groups)) && s.d[1] >= 0 && k.d[1] >= 0))
        return tensor_fail(c, WF_ERR_SHAPE,
                     "wf_conv: weights %s and %lld groups do not fit the channels of %s",
                     shape_text(c, tensor_get(c, w, "wf_conv")), (long long)groups,
                     shape_text(c, tensor_get(c, x, "wf_conv")));
    for (int i = 0; i < n; i++) {
        st[i] = at(stride, i, 1);
        pad[i] = at(padding, i, 0);
        dil[i] = at(dilation, i, 1);
        if (st[i] < 1 || pad[i] < 0 || dil[i] < 1)
            return tensor_fail(c, WF_ERR_VALUE,
                         "wf_conv: stride and dilation must be >= 1, padding >= 0");
    }
    scope_open(c);
    y = conv_general(c, "wf_conv", x, w,
                     &(ConvAttr){.stride = {(uint32_t)n, st},
                                 .pad_lo = {(uint32_t)n, pad},
                                 .pad_hi = {(uint32_t)n, pad},
                                 .rhs_dilation = {(uint32_t)n, dil},
                                 .groups = groups,
                                 .acc = acc});
    return scope_close(c, add_bias(c, y, bias, n));
}

wf_tensor wf_conv(wf_ctx *c, wf_tensor x, wf_tensor w, wf_tensor bias, int n,
                  const int64_t *stride, const int64_t *padding, const int64_t *dilation,
                  int64_t groups)
{
    return conv(c, x, w, bias, n, stride, padding, dilation, groups, 0);
}

wf_tensor sums_conv(wf_ctx *c, wf_tensor x, wf_tensor w, int n, const int64_t *stride,
                    const int64_t *padding, const int64_t *dilation, int64_t groups)
{
    return conv(c, x, w, WF_NONE, n, stride, padding, dilation, groups, WF_I32);
}

/* [Cin, Cout/g, k..] -> [Cout, Cin/g, k.. reversed] */
static wf_tensor turned_weights(wf_ctx *c, wf_tensor w, const Shape *k, int n, int64_t g)
{
    Dim dims[SPATIAL + 3];
    int axes[SPATIAL + 3] = {0, 2, 1, 3, 4, 5}, rev[SPATIAL];

    dims[0] = g;
    dims[1] = size_div(c, k->d[0], g);
    for (int i = 0; i <= n; i++)
        dims[2 + i] = k->d[1 + i];
    w = wf_permute(c, wf_reshape(c, w, dims, n + 3), axes, n + 3);
    dims[0] = size_mul(c, g, k->d[1]);
    dims[1] = size_div(c, k->d[0], g);
    for (int i = 0; i < n; i++) {
        dims[2 + i] = k->d[2 + i];
        rev[i] = 2 + i;
    }
    return wf_flip(c, wf_reshape(c, w, dims, n + 2), rev, n);
}

/* The input is spread by the stride and convolved with the reversed kernel; padding cuts the result. */
wf_tensor wf_conv_transpose(wf_ctx *c, wf_tensor x, wf_tensor w, wf_tensor bias, int n,
                            const int64_t *stride, const int64_t *padding,
                            const int64_t *output_padding, const int64_t *dilation,
                            int64_t groups)
{
    Shape s, k;
    int64_t st[SPATIAL], lo[SPATIAL], hi[SPATIAL], dil[SPATIAL], cut[SPATIAL],
        cut_hi[SPATIAL];
    wf_tensor y;

    if (!spatial_check(c, "wf_conv_transpose", x, n, &s) ||
        !spatial_check(c, "wf_conv_transpose", w, n, &k))
        return WF_NONE;
    if (groups < 1 || !size_same(c, s.d[1], k.d[0]) || (s.d[1] >= 0 && s.d[1] % groups))
        return tensor_fail(
            c, WF_ERR_SHAPE,
            "wf_conv_transpose: weights %s and %lld groups do not fit the channels of %s",
            shape_text(c, tensor_get(c, w, "wf_conv_transpose")), (long long)groups,
            shape_text(c, tensor_get(c, x, "wf_conv_transpose")));
    for (int i = 0; i < n; i++) {
        int64_t span, pad = at(padding, i, 0), more = at(output_padding, i, 0);
        st[i] = at(stride, i, 1);
        dil[i] = at(dilation, i, 1);
        if (st[i] < 1 || pad < 0 || dil[i] < 1 || more < 0 || k.d[2 + i] < 1)
            return tensor_fail(c, WF_ERR_VALUE,
                         "wf_conv_transpose: stride, dilation and kernel must be >= 1, "
                         "padding >= 0");
        span = dil[i] * (k.d[2 + i] - 1);
        lo[i] = MAX(span - pad, 0);
        hi[i] = MAX(span - pad + more, 0);
        cut[i] = MAX(pad - span, 0);
        cut_hi[i] = MAX(pad - span - more, 0);
    }
    scope_open(c);
    y = conv_general(c, "wf_conv_transpose", x, turned_weights(c, w, &k, n, groups),
                     &(ConvAttr){.pad_lo = {(uint32_t)n, lo},
                                 .pad_hi = {(uint32_t)n, hi},
                                 .lhs_dilation = {(uint32_t)n, st},
                                 .rhs_dilation = {(uint32_t)n, dil},
                                 .groups = groups});
    for (int i = 0; i < n && !failed(c); i++)
        if ((cut[i] || cut_hi[i]) && shape_of(c, y, "wf_conv_transpose", &s))
            y = slice_axis(c, y, (uint32_t)i + 2, cut[i],
                           size_sub(c, s.d[2 + i], cut_hi[i]));
    return scope_close(c, add_bias(c, y, bias, n));
}

/* ---- layers ---- */

/* y[..,n] = sum_k x[..,k] w[n,k] + bias[n]: one product of all rows, in which w is read as it lies. */
wf_tensor wf_linear(wf_ctx *c, wf_tensor x, wf_tensor w, wf_tensor bias)
{
    Shape s, t;
    wf_tensor y;

    if (!shape_of(c, x, "wf_linear", &s) || !shape_of(c, w, "wf_linear", &t))
        return WF_NONE;
    scope_open(c);
    if (s.rank && t.rank == 2 && size_same(c, s.d[s.rank - 1], t.d[1]))
        y = wf_tensordot(c, x, w, (int[]){-1}, (int[]){1}, 1);
    else /* a vector of weights; or an error, in the words of matmul */
        y = wf_matmul(c, x, wf_swap_axes(c, w, 0, t.rank > 1));
    return scope_close(c, wf_is_none(bias) ? y : wf_add(c, y, bias));
}

wf_tensor wf_embedding(wf_ctx *c, wf_tensor weight, wf_tensor index)
{
    return index_from_zero(c, "wf_embedding", index) ? wf_take(c, weight, index, 0) : WF_NONE;
}

/* x mask / (1 - p); mask: true where x stays */
wf_tensor wf_dropout(wf_ctx *c, wf_tensor x, wf_tensor mask, double p)
{
    wf_tensor zero;

    if (!(p >= 0 && p <= 1))
        return tensor_fail(c, WF_ERR_VALUE, "wf_dropout: a probability must be in 0..1");
    scope_open(c);
    x = float_cast(c, x, "wf_dropout");
    zero = wf_zeros_like(c, x);
    x = wf_where(c, mask, wf_mul(c, x, num(c, p < 1 ? 1 / (1 - p) : 0)), zero);
    return scope_close(c, x);
}

/* softmax(q kᵀ scale + mask) v; q [..,L,E], k [..,S,E], v [..,S,V]. A bool mask says who is seen; a float mask is
 * added. scale 0: 1/sqrt(E). */
wf_tensor wf_attention(wf_ctx *c, wf_tensor q, wf_tensor k, wf_tensor v, wf_tensor mask,
                       bool causal, double scale)
{
    Shape s, t;
    wf_tensor score, w;

    if (!shape_of(c, q, "wf_attention", &s) || !shape_of(c, k, "wf_attention", &t))
        return WF_NONE;
    if (s.rank < 2 || t.rank < 2 || s.d[s.rank - 1] < 0)
        return tensor_fail(c, WF_ERR_SHAPE, "wf_attention: needs [..,L,E], got %s",
                     shape_text(c, tensor_get(c, q, "wf_attention")));
    if (scale == 0)
        scale = 1 / sqrt((double)s.d[s.rank - 1]);
    scope_open(c);
    score = wf_mul(c, wf_matmul(c, q, wf_swap_axes(c, k, -1, -2)), num(c, scale));
    if (causal)
        score = wf_where(c, wf_tri(c, WF_BOOL, s.d[s.rank - 2], t.d[t.rank - 2], 0),
                         score, num(c, -(double)INFINITY));
    if (!wf_is_none(mask) && wf_dtype_of(c, mask) == WF_BOOL)
        score = wf_where(c, mask, score, num(c, -(double)INFINITY));
    else if (!wf_is_none(mask))
        score = wf_add(c, score, mask);
    w = wf_softmax(c, score, -1);
    return scope_close(c, wf_matmul(c, w, v));
}
