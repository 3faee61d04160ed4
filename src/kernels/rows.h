/* rows.h -- softmax, norms and the like of every row of an array, and gelu.
 *
 * Rows are contiguous, one behind the other. Contracts as in kernels.h; y may be x.
 */
#ifndef WEFT_KERNEL_ROWS_H
#define WEFT_KERNEL_ROWS_H

#include "kernels.h"

typedef enum KRowsKind {
    KR_SOFTMAX,     /* exp(x - shift) / sum */
    KR_LOG_SOFTMAX, /* x - shift - log(sum of exp(x - shift)) */
    KR_NLL,         /* of that one element: y[i] of (row, column) i, clipped */
    KR_LAYER_NORM,  /* (x - m) / sqrt(mean of (x - m)^2 + eps) * weight + bias */
    KR_RMS_NORM,    /* x / sqrt(mean of x^2 + eps) * weight */
    KR_GELU,        /* x/2 (1 + erf(x / sqrt 2)) */
    KR_GELU_TANH    /* x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) */
} KRowsKind;

typedef struct KRows {
    KRowsKind kind;
    int64_t rows, n; /* n: elements of one */
    const void *x;
    const void *weight, *bias; /* [n], or NULL: none */
    void *y;
    double eps, mean;  /* mean: what a sum is multiplied by */
    int guarded;       /* shift is the largest, or 0 where that is not finite; else always
                         the largest */
    const void *index; /* KR_NLL: [count, 2], (row, column) each */
    KType index_type;  /* i32 or i64 */
    int64_t count;
} KRows;

typedef void KRowsRun(const KRows *x, const KPar *par);

/* rows.c: for f32 or f64, of the machine's instruction set; isa: of that one, or NULL. */
KRowsRun *rows_best(KType type);
KRowsRun *rows_for(int isa, KType type);

#endif
