/* conv_few.c -- convolutions of few channels, and the gradient of their filters (convs.cuh).
 *
 * Few: all filters in one block's shared memory, or their gradient in its registers. The bounds are where
 * the library becomes faster on an H200.
 */
#include "cuda/conv.h"

#include <stdio.h>

/* Where there is a library, */
#define FEW_PIXELS 1024 /* least, */
#define FEW_WORK   600  /* and most products a pixel */
/* As in convs.cuh */
#define FEW_FILTERS  2048
#define FILTER_ROOM  9216
#define FILTER_PIECE 64

#define FILTER_TILES  256 /* of 4 x 4 */
#define FILTER_BLOCKS 528

typedef struct NFilters { /* as in convs.cuh */
    NConv c;
    float *part;
    int64_t pixels, rows, cols, piece, blocks;
} NFilters;

static int64_t product(const int64_t *v, int n)
{
    int64_t p = 1;

    for (int i = 0; i < n; i++)
        p *= v[i];
    return p;
}

/* Are offsets up to n steps small? */
static bool is_small(int64_t n, int64_t step)
{
    int64_t most = (int64_t)1 << 28;

    return n < most && n > -most && step < most && step > -most && n * step < most && n * step > -most;
}

static bool is_plain(const KConv *c)
{
    bool plain = c->x_type == KT_F32 && c->w_type == KT_F32 && c->out_type == KT_F32 && c->groups == 1 &&
                 c->spatial > 0 && is_small(c->x_batch, c->batch) && is_small(c->x_channel, c->in_channels) &&
                 is_small(c->w_out, c->out_channels) && is_small(c->w_in, c->in_channels) &&
                 is_small(c->out_batch, c->batch);

    for (int i = 0; i < c->spatial; i++)
        plain = plain && c->x_dilation[i] == 1 && is_small(c->pad_lo[i], c->x_step[i]) &&
                is_small(c->w_size[i] * c->w_dilation[i], c->x_step[i]) &&
                is_small(c->out_size[i] * c->stride[i], c->x_step[i]) && is_small(c->x_size[i], c->x_step[i]) &&
                is_small(c->w_size[i], c->w_step[i]) && is_small(c->out_size[i], c->out_step[i]);
    return plain;
}

static bool is_few_filters(const KConv *c)
{
    int64_t rows = c->batch * product(c->out_size, c->spatial);

    return (c->batch == 1 || c->x_batch == 1) && (c->out_channels == 1 || c->w_out == 1) && rows > 0 &&
           c->out_channels > 0 && ((rows + 3) / 4) * ((c->out_channels + 3) / 4) <= FILTER_TILES &&
           (rows + 3) / 4 + (c->out_channels + 3) / 4 <= FILTER_ROOM / 64 &&
           rows / (c->batch % 4 ? 1 : 4) <= CUDA_BLOCK && c->out_channels <= CUDA_BLOCK &&
           c->in_channels * product(c->w_size, c->spatial) < 1 << 30;
}

bool cuda_conv_is_few(const CudaQueue *q, const KConv *c)
{
    int64_t taps = product(c->w_size, c->spatial), pixels = c->batch * product(c->out_size, c->spatial);
    int64_t work = taps * c->in_channels * c->out_channels;
    bool alone = !q->d->l->has_dnn;

    if (!is_plain(c) || !q->d->l->has_rtc)
        return false;
    if (cuda_conv_is_filters(c))
        return is_few_filters(c) &&
               (alone || (product(c->out_size, c->spatial) > 1 && c->in_channels * taps >= FEW_PIXELS));
    return c->out_channel == 1 && c->out_channels % 4 == 0 && (c->in_channels == 1 || c->x_channel == 1) &&
           work > 0 && work <= FEW_FILTERS && pixels * c->out_channels < 1 << 30 &&
           (alone || (pixels >= FEW_PIXELS && taps > 1 && work <= FEW_WORK));
}

static bool put_filters(CudaQueue *q, wf_ctx *cx, const KConv *c)
{
    NFilters n = {.c = cuda_conv_args(c),
                  .pixels = c->in_channels * product(c->w_size, c->spatial),
                  .rows = c->batch * product(c->out_size, c->spatial),
                  .cols = c->out_channels};
    int64_t width = (n.rows + 3) / 4 * 4 + (n.cols + 3) / 4 * 4;
    char what[32];
    CuPtr work;

    n.piece = MIN(FILTER_PIECE, FILTER_ROOM / width);
    n.blocks = MAX(1, MIN(FILTER_BLOCKS, (n.pixels + n.piece - 1) / n.piece));
    work = cuda_work(q, (size_t)(n.blocks * n.rows * n.cols) * sizeof *n.part);
    if (!work)
        return false;
    n.part = (float *)(uintptr_t)work;
    snprintf(what, sizeof what, "FILTERS(%d, %d)", c->batch % 4 ? 1 : 4, n.cols % 4 ? 1 : 4);
    return cuda_launch(q, cuda_native(q->d, cx, what), n.blocks, 1, CUDA_BLOCK, &n) &&
           cuda_launch(q, cuda_native(q->d, cx, "FILTERS_END"), (n.rows * n.cols + 31) / 32, 1,
                       CUDA_BLOCK, &n);
}

bool cuda_put_conv_few(CudaQueue *q, wf_ctx *cx, const KConv *c)
{
    NConv n;
    char what[32];
    int v = c->out_channels % 8 ? 4 : 8;

    if (cuda_conv_is_filters(c))
        return put_filters(q, cx, c);
    n = cuda_conv_args(c);
    snprintf(what, sizeof what, "CONV_FEW(%d, %d)", v, c->in_channels % 4 ? 1 : 4);
    return cuda_launch(q, cuda_native(q->d, cx, what),
                       MIN((n.count / v + CUDA_BLOCK - 1) / CUDA_BLOCK, 132 * 32), 1, CUDA_BLOCK, &n);
}
