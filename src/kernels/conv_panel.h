/* conv_panel.h -- convolution with vectors along the output channels: filters as panels of
 * NR channels, and finished results turned on their way to the output.
 *
 * Where pixels are few, rows of them do not fill vectors, but there are many channels. The
 * tile of a product (gemm_tile.h) then has pixels as rows, read one by one, and channels
 * as columns, from panels  [group][panel][k][NR]  that are made of the filters once, or
 * once and for all where they are known (KConv.packed). A last panel of fewer channels is
 * filled up with zeros.
 */
#ifndef WEFT_KERNEL_CONV_PANEL_H
#define WEFT_KERNEL_CONV_PANEL_H

#include "conv_plane.h"
#include "gemm_tile.h"

/* One stride takes a filter through channels and taps. */
INLINE int has_linear_filters(const KConv *x)
{
    return x->w_step[2] * x->w_size[2] == x->w_step[1] &&
           x->w_step[1] * x->w_size[1] == x->w_in;
}

/* to[((c - c0)*taps + t)*ld + r]: tap t of channel c of filter first + r, r < count; 0 for
 * the others up to ld. */
static void panel_filters(const KConv *x, int64_t first, int count, int64_t c0,
                          int64_t c1, REAL *to, int ld)
{
    const char *w = (const char *)x->w;
    int64_t size = (int64_t)real_type_size(x->w_type), taps = x->w_size[1] * x->w_size[2];
    int64_t at = first * x->w_out + c0 * x->w_in;

    if (taps == 1 || has_linear_filters(x)) {
        REAL_NAME(gemm_pack)
        (x->w_type, w + at * size, x->w_out, taps == 1 ? x->w_in : x->w_step[2], count,
         (c1 - c0) * taps, to, ld);
        return;
    }
    for (int64_t c = c0; c < c1; c++, at += x->w_in) {
        for (int64_t t1 = 0; t1 < x->w_size[1]; t1++) {
            for (int64_t t2 = 0; t2 < x->w_size[2]; t2++, to += ld) {
                int64_t from = at + t1 * x->w_step[1] + t2 * x->w_step[2];
                int r = 0;

                for (; r < count; r++)
                    to[r] = real_get_as(x->w_type, w, from + r * x->w_out);
                for (; r < ld; r++)
                    to[r] = 0;
            }
        }
    }
}

/* Bias and relu of VL channels. */
INLINE V panel_finish(V s, V bias, int relu)
{
    s += bias;
    return relu ? (V)((VI)s & ~(VI)(s < 0)) : s;
}

/* bias_m of channels channel .. channel+count-1; 0: none. Adding 0 would make +0 of -0. */
INLINE V panel_bias(const KConv *x, int64_t channel, int count)
{
    const REAL *bias = x->epilogue.bias_m;

    return bias ? real_load_n(bias + channel, count) : -(V){0};
}

/* y[p]: `channels` channels of pixel p, p < pixels <= VL, to neighbouring pixels of a row
 * at out (of the first channel). y is destroyed. */
INLINE void panel_put(const KConv *x, V y[VL], int pixels, int channels, REAL *out)
{
    if (x->out_channel == 1) {
        for (int p = 0; p < pixels; p++)
            real_store_n(out + p * x->out_step[2], y[p], channels);
        return;
    }
    real_transpose(y);
    for (int c = 0; c < channels; c++)
        real_store_n(out + c * x->out_channel, y[c], pixels);
}

/* What panel_put can write. */
INLINE int has_panel_output(const KConv *x)
{
    return x->out_type == REAL_TYPE && (x->out_step[2] == 1 || x->out_channel == 1);
}

/* Panels of a group, and the elements of all for sums of k terms. */
INLINE int64_t panel_count(const KConv *x)
{
    return ceil_div(x->out_channels / x->groups, NR);
}
INLINE int64_t panel_size(const KConv *x, int64_t k)
{
    return x->groups * panel_count(x) * k * NR;
}

#endif
