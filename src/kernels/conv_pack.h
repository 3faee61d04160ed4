/* conv_pack.h -- image patches and filters as the operands of a product.
 *
 * The product has one index for the output's pixels, p = (n, o0, o1, o2), and one for
 * the sum, k = (c, t0, t1, t2), each a mixed-radix number over four dimensions in an
 * order chosen so that the innermost one runs along contiguous memory. x is read at
 *
 *   n*x_batch + c*x_channel + sum_d (o_d*stride_d + t_d*dilation_d - pad_d) * x_step_d
 *
 * and is 0 where one of the bracketed positions is outside the image. Nothing of the
 * patch matrix is stored but the panel being packed.
 */
#ifndef WEFT_KERNEL_CONV_PACK_H
#define WEFT_KERNEL_CONV_PACK_H

#include "gemm.h"

#define CONV_DIMS 4 /* 0: batch or channel; 1 + d: spatial dimension d */

/* How panels of x are filled. */
typedef enum PatchMode {
    PATCH_K,    /* rows along k: the innermost of k is contiguous in x */
    PATCH_PIXEL /* runs of pixels: the innermost of p has one stride in x */
} PatchMode;

typedef struct
    Geometry { /* of one group, with x_dilation gone and three spatial dimensions */
    KType x_type, w_type;
    const char *x, *w;
    int64_t x_size[K_SPATIAL];
    int64_t pixel_count[CONV_DIMS], pixel_x[CONV_DIMS], pixel_out[CONV_DIMS];
    int64_t k_count[CONV_DIMS], k_x[CONV_DIMS], k_w[CONV_DIMS];
    int64_t stride[K_SPATIAL], dilation[K_SPATIAL], pad[K_SPATIAL];
    int64_t w_out;                                  /* stride of filters */
    int pixel_order[CONV_DIMS], k_order[CONV_DIMS]; /* outermost first */
    PatchMode mode;
} Geometry;

typedef struct Pixel {
    int64_t off;           /* in x, of t = 0; may lie outside */
    int64_t at[K_SPATIAL]; /* position of t = 0 */
} Pixel;

/* The digits of i in the order's radix. */
INLINE void index_split(int64_t i, const int *order, const int64_t *count,
                        int64_t digit[CONV_DIMS])
{
    for (int q = CONV_DIMS - 1; q > 0; q--) {
        int d = order[q];

        digit[d] = 0;
        if (count[d] > 1) {
            digit[d] = i % count[d];
            i /= count[d];
        }
    }
    digit[order[0]] = i;
}

/* The digits of the next number, `step` further in the innermost (not beyond its end). */
INLINE void index_next(int64_t step, const int *order, const int64_t *count,
                       int64_t digit[CONV_DIMS])
{
    digit[order[CONV_DIMS - 1]] += step;
    for (int q = CONV_DIMS - 1; q > 0 && digit[order[q]] >= count[order[q]]; q--) {
        digit[order[q]] = 0;
        digit[order[q - 1]]++;
    }
}

INLINE Pixel pixel_at(const Geometry *g, const int64_t digit[CONV_DIMS])
{
    Pixel p = {.off = digit[0] * g->pixel_x[0]};

    for (int d = 0; d < K_SPATIAL; d++) {
        p.at[d] = digit[1 + d] * g->stride[d] - g->pad[d];
        p.off += digit[1 + d] * g->pixel_x[1 + d];
    }
    return p;
}

INLINE int is_inside(const Geometry *g, const Pixel *p, const int64_t t[CONV_DIMS], int d)
{
    return (uint64_t)(p->at[d] + t[1 + d] * g->dilation[d]) < (uint64_t)g->x_size[d];
}

INLINE int64_t k_offset(const int64_t *step, const int64_t digit[CONV_DIMS])
{
    return digit[0] * step[0] + digit[1] * step[1] + digit[2] * step[2] +
           digit[3] * step[3];
}

/* ---- rows along k ----------------------------------------------------------------- */

static void pack_patch_k(const Geometry *g, int64_t i0, int w, int64_t k0, int64_t kc,
                         REAL *dst, int ld)
{
    int64_t size = (int64_t)real_type_size(g->x_type), digit[CONV_DIMS], t[CONV_DIMS];
    int inner = g->k_order[CONV_DIMS - 1];
    Pixel pixel[32];

    index_split(i0, g->pixel_order, g->pixel_count, digit);
    for (int r = 0; r < w; r++, index_next(1, g->pixel_order, g->pixel_count, digit))
        pixel[r] = pixel_at(g, digit);
    index_split(k0, g->k_order, g->k_count, t);
    while (kc > 0) {
        int64_t run = min64(kc, g->k_count[inner] - t[inner]);
        int64_t off = k_offset(g->k_x, t);
        PackRows rows;

        for (int r = 0; r < w; r++) {
            const Pixel *p = &pixel[r];

            rows.p[r] = g->x + (p->off + off) * size;
            rows.lo[r] = 0;
            rows.hi[r] = run;
            for (int d = 0; d < K_SPATIAL; d++) {
                if (inner == 1 + d) {
                    int64_t at = p->at[d] + t[inner]; /* dilation 1 here */

                    rows.lo[r] = max64(rows.lo[r], -at);
                    rows.hi[r] = min64(rows.hi[r], g->x_size[d] - at);
                } else if (!is_inside(g, p, t, d)) {
                    rows.hi[r] = 0;
                }
            }
        }
        REAL_NAME(gemm_pack_rows)(g->x_type, &rows, w, run, dst, ld);
        dst += run * ld;
        kc -= run;
        index_next(run, g->k_order, g->k_count, t);
    }
}

/* ---- runs of pixels ------------------------------------------------------------- */

typedef struct
    Segment { /* pixels of a panel that differ in the innermost dimension only */
    int begin, len;
    int inside; /* in the dimensions that stay the same along the run of k */
    Pixel first;
} Segment;

/* n elements at x[off + j*step] into dst, 0 outside lo <= j < hi. */
INLINE void copy_clipped(KType type, const char *x, int64_t off, int64_t step, int n,
                         int64_t lo, int64_t hi, REAL *dst)
{
    int from, to;

    if (type == REAL_TYPE && step == 1) {
        const REAL *p = (const REAL *)x + off;

        hi = min64(hi, n);
        for (int j = 0; j < n; j += VL)
            real_store_n(dst + j, real_load_range(p + j, lo - j, hi - j),
                         n - j < VL ? n - j : VL);
        return;
    }
    from = lo < 0 ? 0 : lo > n ? n : (int)lo;
    to = hi > n ? n : hi < from ? from : (int)hi;
    for (int j = 0; j < from; j++)
        dst[j] = 0;
    for (int j = from; j < to; j++)
        dst[j] = real_get_as(type, x, off + j * step);
    for (int j = to; j < n; j++)
        dst[j] = 0;
}

INLINE int64_t ceil_quotient(int64_t a, int64_t b) /* b > 0, any a */
{
    return b == 1 ? a : a > 0 ? (a + b - 1) / b : -(-a / b);
}

/* The pixels of a panel as segments; returns how many. */
INLINE int find_segments(const Geometry *g, int64_t i0, int w, Segment *seg)
{
    int inner = g->pixel_order[CONV_DIMS - 1], n = 0;
    int64_t digit[CONV_DIMS];

    index_split(i0, g->pixel_order, g->pixel_count, digit);
    for (int r = 0; r < w; r += seg[n++].len) {
        seg[n].begin = r;
        seg[n].len = (int)min64(w - r, g->pixel_count[inner] - digit[inner]);
        seg[n].first = pixel_at(g, digit);
        index_next(seg[n].len, g->pixel_order, g->pixel_count, digit);
    }
    return n;
}

/* One row of the panel: segment s at tap t, whose x offset is off. pd, kd: the spatial
 * dimension that is innermost in the pixels and in k, or -1. */
INLINE void pack_segment(KType type, const Geometry *g, const Segment *s, int pd, int kd,
                         const int64_t t[CONV_DIMS], int64_t off, REAL *dst)
{
    int64_t lo = 0, hi = s->len;

    if (!s->inside || (kd >= 0 && kd != pd && !is_inside(g, &s->first, t, kd))) {
        hi = 0;
    } else if (pd >= 0) {
        int64_t at = s->first.at[pd] + t[1 + pd] * g->dilation[pd];

        lo = ceil_quotient(-at, g->stride[pd]);
        hi = ceil_quotient(g->x_size[pd] - at, g->stride[pd]);
    }
    copy_clipped(type, g->x, s->first.off + off, g->pixel_x[1 + pd], s->len, lo, hi,
                 dst + s->begin);
}

INLINE void pack_patch_pixel(KType type, const Geometry *g, int64_t i0, int w, int64_t k0,
                             int64_t kc, REAL *dst, int ld)
{
    int inner = g->k_order[CONV_DIMS - 1];
    int pd = g->pixel_order[CONV_DIMS - 1] - 1, kd = inner - 1;
    int64_t t[CONV_DIMS];
    Segment seg[32];
    int n = find_segments(g, i0, w, seg);

    index_split(k0, g->k_order, g->k_count, t);
    while (kc > 0) {
        int64_t run = min64(kc, g->k_count[inner] - t[inner]);
        int64_t off = k_offset(g->k_x, t);

        for (int q = 0; q < n; q++) {
            seg[q].inside = 1;
            for (int d = 0; d < K_SPATIAL; d++) {
                if (d != pd && d != kd && !is_inside(g, &seg[q].first, t, d))
                    seg[q].inside = 0;
            }
        }
        for (int64_t u = 0; u < run; u++, dst += ld, off += g->k_x[inner], t[inner]++) {
            for (int q = 0; q < n; q++)
                pack_segment(type, g, &seg[q], pd, kd, t, off, dst);
            for (int r = w; r < ld; r++)
                dst[r] = 0;
        }
        kc -= run;
        index_next(0, g->k_order, g->k_count, t);
    }
}

/* ---- operands --------------------------------------------------------------------- */

static void pack_x(const Operand *o, int64_t i0, int w, int64_t k0, int64_t kc, REAL *dst,
                   int ld)
{
    const Geometry *g = o->user;

    if (g->mode == PATCH_K) {
        pack_patch_k(g, i0, w, k0, kc, dst, ld);
        return;
    }
#if !REAL_F64
    if (g->x_type == KT_F16) {
        pack_patch_pixel(KT_F16, g, i0, w, k0, kc, dst, ld);
        return;
    }
    if (g->x_type == KT_BF16) {
        pack_patch_pixel(KT_BF16, g, i0, w, k0, kc, dst, ld);
        return;
    }
#endif
    pack_patch_pixel(REAL_TYPE, g, i0, w, k0, kc, dst, ld);
}

/* Filters: along k as far as one stride goes. */
static void pack_w(const Operand *o, int64_t i0, int w, int64_t k0, int64_t kc, REAL *dst,
                   int ld)
{
    const Geometry *g = o->user;
    int64_t size = (int64_t)real_type_size(g->w_type), t[CONV_DIMS];
    int inner = g->k_order[CONV_DIMS - 1];

    index_split(k0, g->k_order, g->k_count, t);
    while (kc > 0) {
        int64_t run = min64(kc, g->k_count[inner] - t[inner]);

        REAL_NAME(gemm_pack)
        (g->w_type, g->w + (i0 * g->w_out + k_offset(g->k_w, t)) * size, g->w_out,
         g->k_w[inner], w, run, dst, ld);
        dst += run * ld;
        kc -= run;
        index_next(run, g->k_order, g->k_count, t);
    }
}

/* Where pixels i0.. go in the output, less the channel. */
static void map_pixels(const void *user, int64_t i0, int count, int64_t *off)
{
    const Geometry *g = user;
    int64_t digit[CONV_DIMS];

    index_split(i0, g->pixel_order, g->pixel_count, digit);
    for (int i = 0; i < count; i++, index_next(1, g->pixel_order, g->pixel_count, digit))
        off[i] = k_offset(g->pixel_out, digit);
}

/* If stepping through all dimensions in order is one stride: that stride, in *out. */
INLINE int is_linear(const int *order, const int64_t *count, const int64_t *step,
                     int64_t *out)
{
    int64_t size = 1;
    int found = 0;

    *out = 1;
    for (int q = CONV_DIMS - 1; q >= 0; q--) {
        int d = order[q];

        if (count[d] == 1)
            continue;
        if (!found)
            *out = step[d];
        else if (step[d] != *out * size)
            return 0;
        found = 1;
        size *= count[d];
    }
    return 1;
}

#endif
