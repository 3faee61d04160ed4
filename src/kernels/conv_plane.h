/* conv_plane.h -- channels of an image copied with their padding, so that convolutions
 * read every tap of every pixel straight from memory.
 *
 * Of the two indices that make a position, one walks (0 .. count-1, scaled by `mod`) and
 * one is a tap. Positions are sorted by their remainder modulo `mod`, so that a walk is
 * always contiguous:
 *
 *   plane[r0][r1][i][j] = image[i*mod0 + r0 - pad0][j*mod1 + r1 - pad1], 0 outside
 *
 * and the walk (i, j) at a tap that moves the position by (d0, d1) is at
 * plane_offset(d0, d1) + i*pitch + j. Works on the last two spatial dimensions.
 */
#ifndef WEFT_KERNEL_CONV_PLANE_H
#define WEFT_KERNEL_CONV_PLANE_H

#include "gemm.h"

typedef struct Planes {
    KType type;
    int64_t step[2], size[2]; /* of the image */
    int64_t mod[2], pad[2];
    int64_t rows, pitch; /* of the plane of one remainder */
    int64_t channel;     /* elements of all planes of a channel */
} Planes;

/* walk: how far the walking index goes; reach: the largest move of a tap */
INLINE void planes_make(Planes *p, const KConv *x, const int64_t *mod,
                        const int64_t *walk, const int64_t *reach)
{
    p->type = x->x_type;
    for (int d = 0; d < 2; d++) {
        p->step[d] = x->x_step[1 + d];
        p->size[d] = x->x_size[1 + d];
        p->mod[d] = mod[1 + d];
        p->pad[d] = x->pad_lo[1 + d];
    }
    p->rows = walk[1] + reach[1] / mod[1];
    p->pitch = walk[2] + reach[2] / mod[2];
    p->channel = p->mod[0] * p->mod[1] * p->rows * p->pitch;
}

INLINE int64_t plane_offset(const Planes *p, int64_t d0, int64_t d1)
{
    return ((d0 % p->mod[0] * p->mod[1] + d1 % p->mod[1]) * p->rows + d0 / p->mod[0]) *
               p->pitch +
           d1 / p->mod[1];
}

/* One row: to[j] = row[j*mod + r - pad] for 0 <= j < pitch. */
INLINE void plane_row(KType type, const Planes *p, const char *img, int64_t row,
                      int64_t r, REAL *to)
{
    int64_t mod = p->mod[1], at = r - p->pad[1], step = p->step[1];
    int64_t from = min64(p->pitch, at < 0 ? ceil_div(-at, mod) : 0);
    int64_t end = p->size[1] - at > 0 ? ceil_div(p->size[1] - at, mod) : 0;
    int64_t j = 0;

    end = max64(from, min64(p->pitch, end));
    for (; j < from; j++)
        to[j] = 0;
    if (step == 1 && mod == 1) {
        for (; j + VL <= end; j += VL)
            real_store(to + j, real_load_as(type, img, row + at + j, VL));
        if (j < end)
            real_store_n(to + j, real_load_as(type, img, row + at + j, (int)(end - j)),
                         (int)(end - j));
    } else {
        if (step == 1 && mod == 2 && type == REAL_TYPE) {
            const REAL *pixels = (const REAL *)img + row + at;

            for (; j + VL < end; j += VL) { /* not the last: it would read past the row */
                V a = real_load(pixels + 2 * j), b = real_load(pixels + 2 * j + VL);

                real_store(to + j, REAL_EVEN(a, b));
            }
            if (j < end) {
                int rest = (int)(2 * (end - j)) - 1;
                V a = real_load_n(pixels + 2 * j, rest < VL ? rest : VL);
                V b = rest > VL ? real_load_n(pixels + 2 * j + VL, rest - VL) : (V){0};

                real_store_n(to + j, REAL_EVEN(a, b), (int)(end - j));
                j = end;
            }
        }
        for (; j < end; j++)
            to[j] = real_get_as(type, img, row + (at + j * mod) * step);
    }
    for (j = end; j < p->pitch; j++)
        to[j] = 0;
}

INLINE void plane_copy_as(KType type, const Planes *p, const char *img, REAL *to)
{
    for (int64_t r0 = 0; r0 < p->mod[0]; r0++) {
        for (int64_t r1 = 0; r1 < p->mod[1]; r1++) {
            for (int64_t i = 0; i < p->rows; i++, to += p->pitch) {
                int64_t at = i * p->mod[0] + r0 - p->pad[0];

                if (at < 0 || at >= p->size[0])
                    memset(to, 0, (size_t)p->pitch * sizeof(REAL));
                else
                    plane_row(type, p, img, at * p->step[0], r1, to);
            }
        }
    }
}

/* img: the first element of the channel. */
NOINLINE void plane_copy(const Planes *p, const char *img, REAL *to)
{
#if !REAL_F64
    if (p->type == KT_F16) {
        plane_copy_as(KT_F16, p, img, to);
        return;
    }
    if (p->type == KT_BF16) {
        plane_copy_as(KT_BF16, p, img, to);
        return;
    }
#endif
    plane_copy_as(REAL_TYPE, p, img, to);
}

/* One spatial dimension of size 1 in front, at position 0. */
INLINE int is_flat(const KConv *x)
{
    return x->x_size[0] == 1 && x->w_size[0] == 1 && x->out_size[0] == 1 &&
           x->pad_lo[0] == 0;
}

/* Every position is inside the image. */
INLINE int is_inner(const KConv *x)
{
    for (int d = 1; d < K_SPATIAL; d++) {
        int64_t last = (x->out_size[d] - 1) * x->stride[d] - x->pad_lo[d] +
                       (x->w_size[d] - 1) * x->w_dilation[d];

        if (x->pad_lo[d] > 0 || last >= x->x_size[d])
            return 0;
    }
    return 1;
}

INLINE const char *image_at(const KConv *x, int64_t n, int64_t c)
{
    return (const char *)x->x +
           (n * x->x_batch + c * x->x_channel) * (int64_t)real_type_size(x->x_type);
}

#endif
