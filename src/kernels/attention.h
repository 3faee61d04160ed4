/* attention.h -- softmax(scores) V and its gradient without an array of all scores.
 *
 *   S = ops(Q K^T)    P[i,j] = exp(S[i,j] - shift[i]) / sum[i]    O = P V
 *   shift = max of the row (0 where that is not finite)           sum of exp(S - shift)
 *
 * The gradient knows Q K V, shift, sum, O and dO, and computes P again:
 *   dV = P^T dO    dS = ops'(P (dO V^T - rowsum(dO O)))    dQ = dS K    dK = dS^T Q
 *
 * Rows with NaN, with +inf, and rows all of whose keys are masked come out as the plain
 * computation gives them. Contracts as in kernels.h; memory beyond the operands is
 * O(keys) for each thread and O(queries + keys) in all.
 */
#ifndef WEFT_KERNEL_ATTENTION_H
#define WEFT_KERNEL_ATTENTION_H

#include "kernels.h"

#define K_SCORE_OPS 6

/* A matrix for each entry of the batch; strides in elements, of any size. */
typedef struct KPlane {
    void *p; /* NULL: not there */
    int64_t batch[K_BATCH], row, col;
} KPlane;

typedef enum KScoreKind {
    KS_SCALE, /* s * value */
    KS_ADD,   /* s + at */
    KS_KEEP,  /* value where the byte `at` is not keep_if */
    KS_CAUSAL /* value where key > query + offset */
} KScoreKind;

typedef struct KScoreOp {
    KScoreKind kind;
    double value;
    KPlane at;
    KType type; /* KS_ADD: of at; as matmul's operands */
    int keep_if;
    int64_t offset;
} KScoreOp;

typedef struct KAttention {
    KType type; /* of all planes but those of ops: f32 or f64 */
    int64_t queries, keys, depth, width;
    int nbatch;
    int64_t batch[K_BATCH];
    KPlane q, k, v;    /* [queries, depth] [keys, depth] [keys, width] */
    KPlane out;        /* [queries, width] */
    KPlane shift, sum; /* [queries], by row; written if there, read by the gradient */
    KType stat_type;   /* what shift will be rounded to before the gradient reads it; 0:
                          not at all */
    int nops;
    KScoreOp op[K_SCORE_OPS];
    /* of the gradient; out is read */
    KPlane dout, dq, dk, dv;             /* dq dk dv may be missing */
    double dq_times, dk_times, dv_times; /* factors of the results; 0 is 0 */
} KAttention;

typedef struct KAttentionTable {
    size_t (*workspace)(const KAttention *x, int threads);
    void (*run)(const KAttention *x, const KPar *par, void *workspace);
    size_t (*grad_workspace)(const KAttention *x, int threads);
    void (*grad)(const KAttention *x, const KPar *par, void *workspace);
} KAttentionTable;

/* attention.c: that of an instruction set (base.h's Isa; NULL if this machine lacks it),
 * for f32 or f64. */
const KAttentionTable *attention_for(int isa, KType type);
const KAttentionTable *attention_best(KType type);

#endif
