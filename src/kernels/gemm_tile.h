/* gemm_tile.h -- the register tile: mr x (nv vectors) of C held in registers over the
 * whole k loop.
 *
 *   ISA      registers  tile       per k step
 *   AVX-512  32 x 512   14 x 2V    28 multiply-adds, 2 loads, 14 broadcasts
 *   AVX2     16 x 256    6 x 2V    12 multiply-adds, 2 loads, 6 broadcasts
 *   others   16 x 128    4 x 2V     8 multiply-adds, 2 loads, 4 broadcasts
 *
 * A is read element by element with any strides: three rows share one pointer and the
 * index registers 0, rs, 2rs, so that even 14 rows need five pointers and no panel needs
 * packing for the tile's sake, only for the cache's. Each element of C is one chain of
 * multiply-adds in the order of k whatever the tile's size, so results do not depend on
 * how C is cut into tiles.
 */
#ifndef WEFT_KERNEL_GEMM_TILE_H
#define WEFT_KERNEL_GEMM_TILE_H

#include "gemm.h"

#if KERNEL_ISA == 2
#define MR 14
#elif KERNEL_ISA == 1
#define MR 6
#else
#define MR 4
#endif
#define NV      2
#define NR      (NV * VL)
#define AW      ((MR + VL - 1) / VL * VL) /* width of a packed panel of A */
#define TRIPLES ((MR + 2) / 3)
/* Steps of k that b is fetched ahead: panels are read from far away once, and tiles of few rows go through them quickly. */
#define TILE_AHEAD(mr) ((mr) > 4 ? 16 : 64)

/* C[mr][(nv-1)*VL + tail] (+)= sum_k a[i*a_row + k*a_k] * b[k*b_k + j]; accumulate < 0: C
 * less the sum. tail: columns in the last vector; less than VL only where TILE_MASKED; b and c are not touched
 * beyond it. */
typedef void TileFn(int64_t k, const REAL *a, int64_t a_row, int64_t a_k, const REAL *b,
                    int64_t b_k, REAL *c, int64_t c_row, int tail, int accumulate);

#define TILE_MASKED (KERNEL_ISA == 2)

/* masked: only the first `tail` lanes of the last vector are there (a constant) */
INLINE void tile_store(int nv, int masked, const V *s, REAL *c, int tail, int accumulate)
{
    UNROLL
    for (int j = 0; j < nv; j++) {
        int part = masked && j == nv - 1;
        V x = s[j];

        if (accumulate) {
            V old = part ? real_load_n(c + j * VL, tail) : real_load(c + j * VL);

            x = accumulate < 0 ? old - x : old + x;
        }
        if (part)
            real_store_n(c + j * VL, x, tail);
        else
            real_store(c + j * VL, x);
    }
}

INLINE void tile(int mr, int nv, int masked, int64_t k, const REAL *a, int64_t a_row,
                 int64_t a_k, const REAL *b, int64_t b_k, REAL *c, int64_t c_row,
                 int tail, int accumulate)
{
    V s[MR][NV];
    const REAL *p[TRIPLES];

    UNROLL
    for (int i = 0; i < mr; i++) {
        UNROLL
        for (int j = 0; j < nv; j++)
            s[i][j] = (V){0};
    }
    UNROLL
    for (int i = 0; i < TRIPLES; i++)
        p[i] = a + 3 * i * a_row;
    for (; k > 0; k--) {
        V bv[NV];

        UNROLL
        for (int j = 0; j < nv; j++)
            bv[j] = masked && j == nv - 1 ? real_load_n(b + j * VL, tail)
                                          : real_load(b + j * VL);
        if (nv == NV && !masked) {
            UNROLL
            for (int j = 0; j < NV; j++)
                __builtin_prefetch(b + TILE_AHEAD(mr) * b_k + j * VL);
        }
        UNROLL
        for (int i = 0; i < mr; i++) {
            V x = real_splat(p[i / 3][(i % 3) * a_row]);

            UNROLL
            for (int j = 0; j < nv; j++)
                s[i][j] += x * bv[j];
        }
        UNROLL
        for (int i = 0; i < TRIPLES; i++)
            p[i] += a_k;
        b += b_k;
    }
    UNROLL
    for (int i = 0; i < mr; i++, c += c_row)
        tile_store(nv, masked, s[i], c, tail, accumulate);
}

#define TILE(name, mr, nv, masked)                                                       \
    NOINLINE void name(int64_t k, const REAL *a, int64_t a_row, int64_t a_k,             \
                       const REAL *b, int64_t b_k, REAL *c, int64_t c_row, int tail,     \
                       int accumulate)                                                   \
    {                                                                                    \
        tile(mr, nv, masked, k, a, a_row, a_k, b, b_k, c, c_row, tail, accumulate);      \
    }
#define TILES(mr)                                                                        \
    TILE(tile_##mr##x1, mr, 1, TILE_MASKED)                                              \
    TILE(tile_##mr##x2, mr, 2, 0)                                                        \
    TILE(tile_##mr##x2m, mr, 2, TILE_MASKED)
/* by rows - 1, and 0: one vector, 1: two, 2: two and the last not whole */
#define TILE_ROW(mr) {tile_##mr##x1, tile_##mr##x2, tile_##mr##x2m},

#if MR == 14
#define TILE_EACH(X)                                                                     \
    X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14)
#elif MR == 6
#define TILE_EACH(X) X(1) X(2) X(3) X(4) X(5) X(6)
#else
#define TILE_EACH(X) X(1) X(2) X(3) X(4)
#endif

/* k_gemm_*.c has them for all. */
#define tile_table REAL_NAME(tiles)
extern TileFn *const tile_table[MR][3];
#ifdef GEMM_TILES
TILE_EACH(TILES)
TileFn *const tile_table[MR][3] = {TILE_EACH(TILE_ROW)};
#endif

#endif
