/* conv_args.h -- a convolution as the host tells it to kernels: C, and text before native.cuh. Strides are in elements. */
#ifndef WEFT_CUDA_CONV_ARGS_H
#define WEFT_CUDA_CONV_ARGS_H

#include <stdint.h>

typedef struct NConv {
    const void *x, *w;
    void *out;
    int64_t count, batch, groups, in_channels, out_channels, spatial;
    int64_t x_size[3], w_size[3], out_size[3], stride[3], pad[3], x_dil[3], w_dil[3];
    int64_t x_batch, x_channel, x_step[3], w_out, w_in, w_step[3], out_batch, out_channel,
        out_step[3];
} NConv;

#endif
