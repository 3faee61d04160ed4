/* conv.h -- between conv.c and conv_few.c. */
#ifndef WEFT_CUDA_CONV_H
#define WEFT_CUDA_CONV_H

#include "cuda/cuda.h"
#include "runtime/step.h"

typedef struct NConv { /* as in native.cuh */
    const void *x, *w;
    void *out;
    int64_t count, batch, groups, in_channels, out_channels, spatial;
    int64_t x_size[3], w_size[3], out_size[3], stride[3], pad[3], x_dil[3], w_dil[3];
    int64_t x_batch, x_channel, x_step[3], w_out, w_in, w_step[3], out_batch, out_channel,
        out_step[3];
} NConv;

/* ---- conv.c ------------------------------------------------------------------------ */

NConv cuda_conv_args(const KConv *c);
/* Is it the gradient of filters: a kernel larger than the result? */
bool cuda_conv_is_filters(const KConv *c);

/* ---- conv_few.c -------------------------------------------------------------------- */

/* A convolution of few channels that is faster here than in the library. */
bool cuda_conv_is_few(const CudaQueue *q, const KConv *c);
bool cuda_put_conv_few(CudaQueue *q, wf_ctx *cx, const KConv *c);

#endif
