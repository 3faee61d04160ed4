/* linalg.h -- factorisations of matrices, and triangular systems. Contracts as in
 * kernels.h: row-major matrices, equal bits for any number of threads.
 *
 *   linalg.c           batches, small matrices of f32, the choice of a table
 *   k_linalg_*.c       one matrix, per type and instruction set, made of
 *   linalg_view.h      matrices by strides, their products, vectors
 *   linalg_solve.h     triangular systems, Cholesky, LU: recursive, down to small blocks
 *   linalg_reflect.h   Householder reflections in blocks (compact WY), QR
 *   linalg_reduce.h    to tridiagonal and bidiagonal form, a block of columns at a time
 *   linalg_secular.h   the equation that both divisions come down to
 *   linalg_divide.h    eigenvalues and singular values of these forms: divide and conquer
 *   linalg_spectral.h  eigh and svd of all this
 */
#ifndef WEFT_KERNEL_LINALG_H
#define WEFT_KERNEL_LINALG_H

#include "kernels.h"

typedef enum KLinalgOp {
    KL_CHOLESKY, /* a [n,n] -> l; m = n */
    KL_SOLVE,    /* a [n,n], y [m,n] or, if left, [n,m] -> x */
    KL_LU,       /* a [m,n] -> lu, pivots i32[min(m,n)], perm i32[m] */
    KL_QR,       /* a [m,n] -> q [m,k], r [k,n] */
    KL_EIGH,     /* a [n,n] -> w [n], v [n,n]; m = n */
    KL_SVD       /* a [m,n] -> u [m,k], s [k], vt [k,n]; k = min(m,n) */
} KLinalgOp;

#define KL_IN  2
#define KL_OUT 3

/* `count` matrices; what each op means is said in its row (op_linalg.c, op_spectral.c). No
 * result lies in an operand. */
typedef struct KLinalg {
    KLinalgOp op;
    KType type; /* f32 or f64 */
    int64_t count, m, n, k;
    int left, lower, trans, unit; /* of KL_SOLVE */
    /* by klinalg_init: */
    KType work;  /* small ones of f32 are done in f64, and rounded once */
    int workers; /* that matrices are dealt out to whole; 1: all threads share each */
    size_t each; /* bytes of a worker */
    size_t workspace; /* bytes */
} KLinalg;

/* One matrix at a time, op, sizes and flags as in x. */
typedef struct KLinalgTable {
    size_t (*workspace)(const KLinalg *x, int threads);
    void (*run)(const KLinalg *x, const void *const *in, void *const *out,
                const KPar *par, void *workspace);
} KLinalgTable;

void klinalg_init(KLinalg *x, const Kernels *k, int threads);
void klinalg_run(const KLinalg *x, const Kernels *k, const void *const *in,
                 void *const *out, const KPar *par, void *workspace);

#endif
