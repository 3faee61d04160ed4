/* step.h -- what bound steps hold, for those who look inside them: generated code can do
 * in their place what they say (flatten.c). */
#ifndef WEFT_STEP_H
#define WEFT_STEP_H

#include "runtime/runtime.h"

/* step_kernel.c, OP_RUNS_KERNEL; run_kernel is how it runs */
bool run_kernel(Frame *f, const Op *op);
typedef struct KernelStep {
    const PlanCode *code;
    const int64_t *d;
    KernelSize size;
    int64_t tasks;
    uint32_t narrays;
    Ref tmp, acc;
    Ref array[];
} KernelStep;

/* step_dot.c, OP_RUNS_DOT */
typedef struct DotStep {
    KMatmul m;
    Ref x, y, out, workspace;
    /* A y that stays the same for several products is packed before the first. */
    bool keeps;
    Ref packed;
    const void *from; /* what was packed; NULL: nothing yet */
    uint64_t entry;   /* when: Frame.entry, or 0 for a constant of the program */
} DotStep;

/* step_flow.c: a sub-program and its sizes, one for each symbol */
typedef struct Callee {
    const Plan *plan;
    const int64_t *symvals;
} Callee;

/* OP_RUNS_CALL OP_RUNS_COND */
typedef struct CallStep {
    uint32_t nin, nout;
    Ref *in, *out;
    wf_dtype index_dtype; /* of cond's index, in op->in[0] */
    uint32_t n;
    Callee callee[];
} CallStep;

typedef struct Carry {
    Ref start, out,
        spare; /* the operand; the result; the second buffer (= out: one is enough) */
    int64_t bytes;
} Carry;

typedef struct Rows { /* a stacked operand or result */
    Ref at;
    int64_t bytes;  /* of a row */
    uint32_t block; /* while, without a bound: its block */
} Rows;

/* OP_RUNS_SCAN OP_RUNS_WHILE */
typedef struct LoopStep {
    Callee cond, body;
    uint32_t ncond, nconst, ncarry, nxs, nys;
    Ref *cond_const, *consts; /* of cond; of the body */
    bool *known;              /* of consts: a constant of the program */
    Carry *carry;
    Rows *xs, *ys;
    int64_t length; /* of a scan; the bound of a while, or -1 */
    bool reverse;
    Dim trips; /* of a while; DIM_NONE */
} LoopStep;

#endif
