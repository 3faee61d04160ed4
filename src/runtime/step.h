/* step.h -- what bound steps hold, for those who look inside them: generated code can do
 * in their place what they say (flatten.c). */
#ifndef WEFT_STEP_H
#define WEFT_STEP_H

#include "kernels/attention.h"
#include "kernels/fft.h"
#include "runtime/runtime.h"

/* step_kernel.c, OP_RUNS_KERNEL; bind_run_kernel is how it runs.
 *   uses: the arrays, tmp, acc */
bool bind_run_kernel(Frame *f, const Op *op);
typedef struct KernelStep {
    const PlanCode *code;
    const int64_t *d;
    KernelSize size;
    int64_t tasks;
    uint32_t narrays;
    uint32_t first; /* use of the first array */
    Ref tmp, acc;   /* until the uses are made */
} KernelStep;

/* step_dot.c: does what the place holds stay the same for several runs of the step? If so, since which entry of a
 * loop, 0: always. */
bool frame_lasting(const Frame *f, Ref r, uint64_t *since);

/* step_dot.c, OP_RUNS_DOT */
enum { DOT_X, DOT_Y, DOT_OUT, DOT_WORK, DOT_PACKED };
typedef struct DotStep {
    KMatmul m;
    /* A y that stays the same for several products is packed before the first. */
    bool keeps;
    const void *from; /* what was packed; NULL: nothing yet */
    uint64_t entry;   /* when: Frame.entry, or 0 for a constant of the program */
} DotStep;

/* step_dot.c, OP_RUNS_CONV. Uses as a product's. */
typedef struct ConvStep {
    KConv c;
    bool keeps, filled; /* packed filters: there is such a thing; it is filled */
    int64_t groups; /* batch groups: part g of the batch makes part g of the channels */
    int64_t x_step, w_step, out_step; /* bytes from one to the next */
} ConvStep;

/* step_fft.c, OP_RUNS_FFT. Uses: the operand, the result, the workspace, and where the last of several axes gives real
 * numbers what comes before that. */
typedef struct FftStep {
    uint32_t n;
    bool apart; /* the axes before the last one go through memory of their own */
    KFft axis[];
} FftStep;

/* step_reduce.c, OP_RUNS_ARG OP_RUNS_CUM: of [outer, n, inner]. Uses: x, y; of a CUM the operands, y, places of extremes
 * if they are wanted. And OP_RUNS_REDUCE_WINDOW: x, y, places of maxima if they are wanted. */
typedef struct LineStep {
    KType type, out_type;
    int64_t outer, n, inner;
    bool flag; /* largest; reverse */
} LineStep;

/* step_attention.c, OP_RUNS_ATTENTION. Numbers of uses; those that are not there are empty. */
typedef enum Plane {
    AT_Q,
    AT_K,
    AT_V,
    AT_OUT,
    AT_SHIFT,
    AT_SUM,
    AT_DOUT,
    AT_DQ,
    AT_DK,
    AT_DV,
    AT_MASK, /* of each score op */
    AT_WORK = AT_MASK + K_SCORE_OPS,
    AT_COUNT
} Plane;

typedef struct AttentionStep {
    KAttention x; /* off the host: of any float type, shift and sum of stat_type */
    const KAttentionTable *table;
} AttentionStep;

/* With the addresses of the planes. */
KAttention bind_attention_at(const Frame *f, const Op *op);

/* step_index.c, OP_RUNS_WINDOW OP_RUNS_WINDOW_UPDATE */
typedef struct Start { /* of a window along one axis */
    wf_dtype dtype;
    int64_t last, stride; /* where it may start at most; bytes */
} Start;

/* Uses: the starts, then the operand, the update if it is one, the result. */
typedef struct WindowStep {
    KMove m;
    uint32_t rank;
    int64_t bytes; /* of the whole operand */
    Start start[];
} WindowStep;

/* OP_RUNS_GATHER: x, indices, y; OP_RUNS_SCATTER: x, indices, updates, y. The rows of
 * `indices` in order, and for each the window, copied or combined. */
typedef struct IndexStep {
    int32_t mode;
    wf_dtype itype, vtype; /* of indices; scatter: of values */
    uint32_t rank;         /* of the operand */
    uint32_t nbatch;
    uint32_t nmap, npairs;
    int64_t map[MAX_RANK];        /* operand axis of entry k of an index vector */
    int64_t pair_axis[MAX_RANK];  /* batching: operand axis, */
    int64_t pair_batch[MAX_RANK]; /* and which batch axis gives the start */
    int64_t pair_step[MAX_RANK];  /* bytes of the operand by one along a batch axis */
    uint32_t narrow;         /* operand axis that no window fits, whatever the numbers; rank: none */
    int64_t last[MAX_RANK];  /* largest start along each operand axis; negative: none */
    int64_t size[MAX_RANK];  /* of a window */
    int64_t step[MAX_RANK];  /* bytes between neighbours of the operand */
    int64_t rows;            /* index vectors */
    int64_t batch[MAX_RANK]; /* sizes of batch axes */
    int64_t batch_step[MAX_RANK]; /* bytes in the result (updates) */
    KMove m;                      /* a window: result <- operand, or operand <- updates */
    int64_t bytes;                /* of the operand */
    uint64_t fill;                /* an element */
    KLoop combine;                /* scatter: elementwise, or NULL: replace */
    KCast widen, shrink;          /* around it */
    wf_dtype adds;                /* it is the sum of such elements */
    int64_t group;
} IndexStep;

/* OP_RUNS_COND: use 0 is the index; OP_RUNS_CALL */

/* step_flow.c, OP_RUNS_SCAN OP_RUNS_WHILE. The first callee is the body, the second the
 * condition. Numbers of uses: */
typedef struct Carry {
    uint32_t start, out, spare; /* the operand; the result; the second buffer (= out: one
                                   is enough) */
    int64_t bytes;
} Carry;

typedef struct StepRows { /* a stacked operand or result */
    uint32_t use;
    int64_t bytes;  /* of a row */
    uint32_t block; /* while, without a bound: its block */
} StepRows;

typedef struct LoopStep {
    uint32_t ncond, nconst, ncarry, nxs, nys;
    uint32_t cond_const, consts; /* first of cond's; first of the body's */
    bool *known;                 /* of consts: a constant of the program */
    Carry *carry;
    StepRows *xs, *ys;
    int64_t length; /* of a scan; the bound of a while, or -1 */
    bool reverse;
    Dim trips; /* of a while; DIM_NONE */
    uint32_t flag; /* of a while: whether it goes on; NO_USE: in no memory of the frame */
} LoopStep;

#endif
