/* codes.h -- products with weights that are codes of 4 bits.
 *
 *   C[i,j] = sum_k A[i,k] (code[k,j] - zero[k / block, j]) scale[k / block, j]
 *
 * Codes are never written out: the kernel reads them packed, in an order of its own, and makes numbers of them in registers.
 * Contracts as in kernels.h.
 */
#ifndef WEFT_KERNEL_CODES_H
#define WEFT_KERNEL_CODES_H

#include "kernels.h"

/* Numbers by place: that of (block b, column j) is p[at_block[b] + at_col[j]]. */
typedef struct KCodesPart {
    const void *p; /* NULL: all are 0 */
    KType type;    /* f32; or u8: halves of bytes, the low half first, places count halves */
    int flip;      /* what is xored into a half */
    const int64_t *at_block, *at_col;
    float value; /* added to every one */
} KCodesPart;

typedef struct KCodes {
    int64_t m, n, k;
    int64_t block, blocks; /* of k; the last may be shorter */
    const float *a;        /* rows one behind the other */
    float *c;              /* the same */
    KCodesPart code;       /* at_block: by k; halves, 0 to 15 */
    KCodesPart scale, zero;
    const void *packed; /* not NULL: what pack() made of the weights, which are then not read */
} KCodes;

typedef struct KCodesTable {
    size_t (*packed_size)(const KCodes *x); /* bytes, better at a multiple of 64 */
    void (*pack)(const KCodes *x, const KPar *par, void *to);
    size_t (*workspace)(const KCodes *x); /* without the packed weights */
    void (*run)(const KCodes *x, const KPar *par, void *workspace);
} KCodesTable;

/* codes.c: of the machine's instruction set; isa: of that one, or NULL. */
const KCodesTable *codes_best(void);
const KCodesTable *codes_for(int isa);

#endif
