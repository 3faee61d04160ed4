/* conv.h -- between conv.c and conv_few.c. */
#ifndef WEFT_CUDA_CONV_H
#define WEFT_CUDA_CONV_H

#include "cuda/conv_args.h"
#include "cuda/cuda.h"
#include "runtime/step.h"

/* ---- conv.c ------------------------------------------------------------------------ */

NConv cuda_conv_args(const KConv *c);
/* Is it the gradient of filters: a kernel larger than the result? */
bool cuda_conv_is_filters(const KConv *c);

/* ---- conv_few.c -------------------------------------------------------------------- */

/* A convolution of few channels that is faster here than in the library. */
bool cuda_conv_is_few(const CudaQueue *q, const KConv *c);
bool cuda_put_conv_few(CudaQueue *q, wf_ctx *cx, const KConv *c);

#endif
