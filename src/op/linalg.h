/* linalg.h -- what the factorisations share: matrices in the last two axes, all axes
 * before them batch axes.
 */
#ifndef WEFT_LINALG_H
#define WEFT_LINALG_H

#include "op/nd.h"
#include "op/pair.h"

/* Is operand i of f32, f64 or complex and of rank 2 or more (and square)? */
bool matrix_check(TypeRule *t, uint32_t i, bool square);
/* How many matrices x holds; number k of them (of size elements) as f64, and back. */
int64_t matrix_count(const Nd *x);
void matrix_load(const Nd *x, int64_t k, int64_t size, double *out);
void matrix_store(const Nd *x, int64_t k, int64_t size, const double *v);

/* Matrices of the given dims: row index `how` column index, as bools. how: OP_ge gives
 * the lower triangle with the diagonal, OP_gt without, OP_eq the diagonal. */
Val triangle_mask(Builder *b, OpCode how, const Dim *dims, uint32_t rank);
/* x where row `how` column, else 0. dims: of x. */
Val keep_triangle(Builder *b, Val x, OpCode how, const Dim *dims, uint32_t rank);
Val transpose_matrix(Builder *b, Val x, uint32_t rank);
Val triangle_solve(Builder *b, Val a, Val y, SolveAttr s);
Val adjoint_matrix(Builder *b, Val x, uint32_t rank); /* transposed, and conjugate */
/* x with a x = y, both of the given type. */
Val matrix_solve(Builder *b, Val a, Val y, Type type);
Val matrix_diagonal(Builder *b, Val x, const Dim *dims, uint32_t rank);
/* F[i,j] = 1 / (v[j] - v[i]), 0 where they are equal. v [.., k] */
Val eigen_gaps(Builder *b, Val v, uint32_t rank, Dim k);
/* The symmetric (Hermitian) matrix that has the lower triangle of x. */
Val symmetric_of_lower(Builder *b, Val x, const Dim *dims, uint32_t rank);

/* op_linalg_complex.c: as matrix_load and matrix_store, of complex numbers (or of real ones as such); what the rows of
 * complex operands do. */
void pair_load(const Nd *x, int64_t k, int64_t size, Pair *out);
void pair_store(const Nd *x, int64_t k, int64_t size, const Pair *v);
bool eval_cholesky_complex(Eval *e);
bool eval_triangular_solve_complex(Eval *e);
bool eval_lu_complex(Eval *e);
bool eval_qr_complex(Eval *e);
bool eval_eigh_complex(Eval *e);
bool eval_svd_complex(Eval *e);

/* count * rows * cols * min(rows, cols), of the matrices of operand 1. */
double matrix_work(const SizedEqn *s);

/* Batch rule: the op on operands with one more leading axis. */
void batch_leading(Builder *b, const EqnView *e, const Batch *bt, Val *out,
                   int *out_axis);

#endif
