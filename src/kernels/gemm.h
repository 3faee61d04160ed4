/* gemm.h -- the blocked product that matrix multiplication and convolution share, for
 * one REAL and one instruction set. Include real.h's parameters first.
 *
 * C[i,j] = sum_k A[i,k] * B[k,j], where each operand is either strided memory or a
 * function that packs a panel of it (this is how convolution supplies image patches
 * without storing them), and the index of C is linear or goes through a map.
 */
#ifndef WEFT_KERNEL_GEMM_H
#define WEFT_KERNEL_GEMM_H

#include "real.h"

/* One operand, seen from C: `i` runs along C's rows for A, along C's columns for B. */
typedef struct Operand Operand;
struct Operand {
    KType type;
    const void *p;
    int64_t si, sk; /* strides of i and k */
    /* Write elements (i0..i0+w-1, k0..k0+kc-1) to dst[kk*ld + ii], and 0 for ii in
     * w..ld-1. ld is a multiple of VL. NULL: by si and sk. */
    void (*pack)(const Operand *o, int64_t i0, int w, int64_t k0, int64_t kc, REAL *dst,
                 int ld);
    const void *user;
};

typedef struct Gemm {
    APART int64_t m;
    int64_t n, k;
    Operand a, b;
    const REAL *panels; /* not NULL: B as gemm_pack_b packs it, and b is not read */
    KType c_type;
    void *c;
    int64_t c_row, c_col;
    /* If not NULL: fills off[0..count-1] with the places of rows (map_rows) or columns
     * i0..i0+count-1; that dimension's stride is then not used. */
    void (*map)(const void *user, int64_t i0, int count, int64_t *off);
    const void *map_user;
    int map_rows;
    int accumulate; /* 1: add to what C holds; -1: C less the sum */
    REAL scale; /* 0: none */
    const REAL *bias_m, *bias_n;
    int relu;
    void (*tile)(void *user, const KTile *tile);
    void *tile_user;
    int64_t batch; /* for KTile */
} Gemm;

size_t REAL_NAME(gemm_workspace)(const Gemm *g, int threads);
/* As much as any product of at most these sizes asks for, C being of REAL. */
size_t REAL_NAME(gemm_most)(int64_t m, int64_t n, int64_t k, int threads);
void REAL_NAME(gemm)(const Gemm *g, const KPar *par, void *workspace);
/* B in slivers of so many columns as a tile has, each contiguous. */
size_t REAL_NAME(gemm_packed_size)(int64_t n, int64_t k);
void REAL_NAME(gemm_pack_b)(const Gemm *g, const KPar *par, REAL *to);
/* Finish sums computed elsewhere: src[i*ld + j] is the sum of element (i0+i, j0+j). Adds
 * what C holds if g says so, applies the epilogue (in place, so src changes) and stores
 * into C. */
void REAL_NAME(gemm_emit)(const Gemm *g, REAL *src, int64_t ld, int64_t i0, int64_t rows,
                          int64_t j0, int64_t cols);

/* Packing of k-contiguous rows, shared by the packers: row r is p[r][0..kc-1] of the
 * type, taken as 0 outside lo[r] <= kk < hi[r]. As Operand.pack otherwise. */
typedef struct PackRows {
    const char *p[32]; /* address of kk = 0 (which need not be readable outside lo..hi) */
    int64_t lo[32], hi[32];
} PackRows;

void REAL_NAME(gemm_pack_rows)(KType type, const PackRows *rows, int w, int64_t kc,
                               REAL *dst, int ld);
/* Packing by strides, from an address. */
void REAL_NAME(gemm_pack)(KType type, const void *p, int64_t si, int64_t sk, int w,
                          int64_t kc, REAL *dst, int ld);

#endif
