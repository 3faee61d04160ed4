/* fft.c -- discrete Fourier transforms along any axes: lengths, norms and dtypes as the libraries have them. */
#include "functions/functions.h"

/* Of the part of a complex number that x becomes. */
static wf_dtype part_of(wf_ctx *c, wf_tensor x)
{
    wf_dtype d = wf_dtype_of(c, float_cast(c, x, "wf_fft"));

    return dtype_part(d) == WF_F64 ? WF_F64 : WF_F32;
}

/* Real or complex, as the kind needs it. */
static wf_tensor operand(wf_ctx *c, wf_tensor x, wf_fft_kind kind)
{
    wf_dtype part;

    if (kind == WF_RFFT && dtype_is_complex(wf_dtype_of(c, x)))
        return tensor_fail(c, WF_ERR_TYPE, "wf_fft: rfft needs real numbers, got %s",
                     shape_text(c, tensor_get(c, x, "wf_fft")));
    part = part_of(c, x);
    return failed(c) ? WF_NONE : wf_cast(c, x, kind == WF_RFFT ? part : dtype_pair(part));
}

/* Cut, or filled up with zeros at the end. */
static wf_tensor resized(wf_ctx *c, wf_tensor x, uint32_t axis, int64_t n)
{
    int64_t lo[MAX_RANK] = {0}, hi[MAX_RANK] = {0}, have = wf_size(c, x, (int)axis);

    if (size_same(c, have, n))
        return x;
    if (have >= 0 && n >= 0 && have > n)
        return slice_axis(c, x, axis, 0, n);
    hi[axis] = size_sub(c, n, have);
    return wf_pad(c, x, lo, hi, wf_rank(c, x), 0);
}

/* 1 / N, 1 / sqrt N or 1, instead of what the op has. */
static wf_tensor normed(wf_ctx *c, wf_tensor y, bool back, wf_fft_norm norm,
                        int64_t total)
{
    wf_tensor n;

    if (norm == WF_NORM_BACKWARD)
        return y;
    n = wf_size_tensor(c, total);
    if (norm == WF_NORM_ORTHO)
        n = wf_sqrt(c, wf_cast(c, n, WF_F64));
    n = wf_cast(c, n, dtype_part(wf_dtype_of(c, y)));
    return back ? wf_mul(c, y, n) : wf_div(c, y, n);
}

wf_tensor wf_fft(wf_ctx *c, wf_tensor x, wf_fft_kind kind, const int *axes,
                 const int64_t *lengths, int n, wf_fft_norm norm)
{
    int64_t size[MAX_RANK], total = 1;
    int to[MAX_RANK], back_to[MAX_RANK];
    bool taken[MAX_RANK] = {false};
    uint32_t axis, free = 0;
    Shape s;

    if (!shape_of(c, x, "wf_fft", &s))
        return WF_NONE;
    if (n < 1 || n > (int)s.rank || kind < WF_FFT || kind > WF_IRFFT)
        return tensor_fail(c, WF_ERR_ARG, "wf_fft: %d axes of %s", n,
                     shape_text(c, tensor_get(c, x, "wf_fft")));
    scope_open(c);
    x = operand(c, x, kind);
    for (int i = 0; i < n && !failed(c); i++) {
        bool ends = i + 1 == n;
        if (!axis_of(c, "wf_fft", axes ? axes[i] : i - n, s.rank, &axis))
            break;
        if (taken[axis]) {
            tensor_fail(c, WF_ERR_ARG, "wf_fft: axis %u is named twice", axis);
            break;
        }
        taken[axis] = true;
        size[i] = lengths                    ? lengths[i]
                  : kind == WF_IRFFT && ends ? size_mul(c, 2, size_sub(c, s.d[axis], 1))
                                             : s.d[axis];
        if (size[i] == 0 || (size[i] < 0 && lengths && !wf_is_symbolic(c, x)))
            tensor_fail(c, WF_ERR_SHAPE, "wf_fft: invalid number of data points (%lld)",
                  (long long)size[i]);
        else
            x = resized(c, x, axis,
                        kind == WF_IRFFT && ends ? size_add(c, size_div(c, size[i], 2), 1)
                                                 : size[i]);
        to[s.rank - (uint32_t)n + (uint32_t)i] = (int)axis;
        total = failed(c) ? 1 : size_mul(c, total, size[i]);
    }
    if (failed(c))
        return scope_close(c, WF_NONE);
    for (uint32_t i = 0; i < s.rank; i++)
        if (!taken[i])
            to[free++] = (int)i;
    for (uint32_t i = 0; i < s.rank; i++)
        back_to[to[i]] = (int)i;
    x = op_1(c, OP_fft, wf_permute(c, x, to, (int)s.rank),
             &(FftAttr){(int32_t)kind, {(uint32_t)n, size}});
    x = normed(c, x, kind == WF_IFFT || kind == WF_IRFFT, norm, total);
    return scope_close(c, wf_permute(c, x, back_to, (int)s.rank));
}
