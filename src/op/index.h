/* index.h -- the numbering of axes that gather and scatter share, as StableHLO has it.
 *
 * Both pair a result-like array (gather's result, scatter's updates) with windows of the
 * operand. Its axes are of two kinds:
 *
 *   window axes   run inside a window; in order, they are the operand's axes that are
 *                 neither collapsed nor batching
 *   batch axes    the others; in order, they are the axes of `indices` but its last
 *
 * The last axis of `indices` holds index vectors: entry k is where the window starts on
 * the operand's axis map[k]. On a batching axis operand_batching[j] it starts at the
 * position along axis indices_batching[j] of `indices`, on all others at 0.
 */
#ifndef WEFT_INDEX_H
#define WEFT_INDEX_H

#include "op/shape.h"

typedef struct Numbering {
    Ints window;    /* axes of the result or the updates: offset_dims, update_window */
    Ints collapsed; /* operand axes with windows of size 1 that are left out */
    Ints operand_batching;
    Ints indices_batching;
    Ints map; /* start_index_map, operand_dims */
    /* what the attributes are called, for messages */
    const char *window_key, *collapsed_key, *map_key;
} Numbering;

/* The axes, worked out: which operand axis window axis i is, which axis of the result
 * batch axis i is. */
typedef struct Axes {
    uint32_t nwindow, nbatch;
    int64_t operand[MAX_RANK]; /* of window axis i */
    int64_t batch[MAX_RANK];   /* axis of the result that is axis i of the indices */
} Axes;

extern const char *const op_index_modes[]; /* clip fill drop promised */

Numbering numbering_gather(const GatherAttr *a);
/* Whole rows of x along one axis, at places indices[.., 1], none of which is out of range and filled? */
bool gather_is_rows(const GatherAttr *a, Type x, Type indices, uint32_t *out_axis);
/* Where the axes of the result, of that rank, are in x[:axis], the nb axes of places, x[axis+1:]. */
void gather_rows_order(const GatherAttr *a, uint32_t axis, uint32_t nb, uint32_t rank, int64_t *out_from);
Numbering numbering_scatter(const ScatterAttr *a);
/* Type rule: all that does not depend on window sizes. */
bool numbering_check(TypeRule *t, const Numbering *m, Type x, Type indices);
void numbering_axes(const Numbering *m, uint32_t operand_rank, uint32_t result_rank,
                    Axes *out);
/* GatherAttr that reads what a scatter writes: window sizes are those of the updates;
 * slice_sizes fills sizes[rank]. Windows that a scatter drops read as 0. */
GatherAttr gather_of_scatter(const ScatterAttr *a, Type x, Type updates, Dim *sizes);

/* Eval: where the window of one index vector starts (start[axis] for each axis). */
typedef enum Fit { FIT_IN, FIT_OUT, FIT_ERROR } Fit;
/* at: multi-index of the result or the updates (its batch axes count). size: of the
 * window on each operand axis. FIT_OUT: fill or drop it; FIT_ERROR: eval_fail was
 * called. */
Fit op_window_start(Eval *e, const Numbering *m, const Axes *ax, const Nd *x,
                 const Nd *indices, int32_t mode, const int64_t *size, const int64_t *at,
                 int64_t *start);

/* Batch: entries of an axis list after a new axis 0 comes in, and with that axis put
 * first. */
Ints ints_shifted(Builder *b, Ints a);
Ints ints_shifted_after(Builder *b, Ints a, int64_t first);

/* An index vector array [B, n] (i64) of n scalar starts, the batched ones [B]. u64 beyond
 * i64 saturates. */
Val stack_starts(Builder *b, const Val *starts, const int *axis, uint32_t n, Dim size);

#endif
