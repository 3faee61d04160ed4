/* target.h -- what programs are compiled for, as data.
 *
 * Passes, fusion, kernels and plans ask the target; none of them names a machine or a
 * renderer. A new one is a new Target: a few functions, sizes of the machine, and the
 * thresholds below, measured on it.
 *
 *   target.c               target_library: no code is made, the library runs everything
 *   codegen/target_cpu.c   target_cpu: this machine, by instruction set; vectors
 *   codegen/target_c.c     target_c: C of any machine, and nothing but C
 *   codegen/target_cuda.c  target_cuda: NVIDIA GPUs
 */
#ifndef WEFT_TARGET_H
#define WEFT_TARGET_H

#include "op/op.h"

typedef struct Target Target;
struct Kernel;
struct KMatmul;

/* What a library on the target runs, so that it is not taken apart into what is rendered. */
enum {
    CALL_ATTENTION = 1, /* and its gradient */
    CALL_ROWS = 2,      /* softmax, norms, gelu */
    CALL_HALF = 4,      /* products widen operands of f16 and bf16 where they pack them */
    CALL_CODES = 8      /* products with weights of 4 bits */
};

/* Shapes of code it has a rendering for. */
enum {
    RENDER_MAP = 1,       /* every element alike; sums of all of them */
    RENDER_ROWS = 2,      /* reductions over the inner loops */
    RENDER_COLS = 4,      /* over the outer ones */
    RENDER_WHILE = 8,     /* loops among scalars */
    RENDER_STRAIGHT = 16, /* whole small programs as one function */
    RENDER_NARROW = 32    /* rows shorter than a vector: a lane for each */
};

struct Target {
    const char *name;
    Isa isa;
    unsigned calls, forms; /* CALL_, RENDER_ */

    /* ---- the machine ---- */
    int vector;           /* bytes of a vector, or 0: elements go one by one */
    int registers;        /* vectors in them */
    int64_t cached_bytes; /* larger results are gone from caches before they are read */
    int64_t stream_bytes; /* of a piece of memory from which on it is fetched unasked */
    int64_t apart_bytes;  /* of freed memory that is not used again at once: steps run side by side */

    /* ---- what it renders ---- */
    /* An elementwise op, a reduction, an iota or a constant, of its dtypes. */
    bool (*renders)(const Target *t, const Program *p, const Eqn *e);
    /* A product whose kernel goes on with what follows, piece by piece. NULL: none has. */
    bool (*has_tiles)(const Target *t, const Program *p, const Eqn *e);
    /* A product inside a function of RENDER_STRAIGHT. NULL: none. */
    bool (*has_dot)(const Target *t, const struct KMatmul *d);
    /* A kernel as text; and what the text of these n begins with. */
    void (*render)(const struct Kernel *k, Arena *a, Text *out);
    void (*render_head)(const struct Kernel *const *k, uint32_t n, Text *out);
    const char *const *flags; /* of the compiler of that text, NULL at the end */

    /* ---- products: contract, loops ---- */
    int64_t join_rows;    /* of an operand that several products read: they become one, */
    int64_t join_columns; /* if each has at most so many, */
    double join_copy;     /* and rows saved pay for so many columns copied */
    bool outer_maps;      /* products over nothing are elementwise, and fuse; */
    int64_t short_sum;    /* those of so many terms, too */
    bool sums_half;       /* products of half floats take in a sum over their batch */
    double tail_flops;    /* a product of as many does what stands directly behind it in the same call; 0: none does */
    int64_t half_least;   /* CALL_HALF: rows and columns */
    int64_t turn_least;   /* elements of a matrix that is transposed once, for a loop */
    int64_t turn_rows, turn_trips; /* of the other operand; of the loop */

    bool channels_last;   /* convolutions are fast with them, and slow without: layout */

    /* ---- recognise ---- */
    int64_t attention_queries;                     /* least, for a kernel of its own */
    int64_t attention_keys, attention_causal_keys; /* least, with a gradient, if what is
                                                      not recognised is fused */
    /* ---- onehot ---- */
    int64_t onehot_row; /* most elements of a row of which one is picked by arithmetic */

    /* ---- fuse ---- */
    uint32_t fuse_least;   /* equations of a kernel */
    uint32_t fuse_members; /* most; and of arrays */
    uint32_t fuse_arrays;
    int64_t one_row; /* elements of a row, where rows are few, that are too many for one
                         thread */
    int64_t few_rows;
    int64_t gather_row; /* least elements of rows that are read by number */
    double cheap_each;  /* cost of what may be computed for each of several loops again */
    double cheap_again; /* and of what a later walk over a row computes again */
    double recompute;   /* cost of an element that another kernel rather computes again than
                           reads, if that moves fewer bytes; 0: all are read */

    /* ---- epilogue ---- */
    int64_t tile_rows, tile_columns; /* more have kernels that hand out pieces */
    uint32_t tile_arrays_dot, tile_arrays_conv; /* as large as the product, besides it */

    /* ---- kernels ---- */
    int64_t block;      /* elements of a unit of work in a map */
    double task;        /* cost of so little work that it is one task */
    int64_t tasks_most; /* with partial results; */
    /* or those of that kernel, of so many columns and so much work. NULL: all alike */
    int64_t (*tasks_of)(const struct Kernel *k, int64_t cols, double work);
    int64_t own_sizes; /* elements, from which on sizes are numbers in the code of a kernel; 0: kernels
                          that differ in sizes alone always share it */

    /* ---- straight ---- */
    double small_eqn, small_program;        /* operations, at most */
    int64_t small_value;                    /* elements of an array */
    uint32_t straight_least, straight_most; /* steps */
    int64_t straight_bytes;                 /* of memory, at most */
    double straight_reads;                  /* bytes from which on a product is left to all threads */
};

/* Thresholds of CPUs as measured (docs/codegen.md, docs/passes.md), for targets to begin
 * with. */
#define TARGET_THRESHOLDS                                                                \
    .join_rows = 32, .join_columns = 512, .join_copy = 2, .half_least = 256,             \
    .turn_least = 4096, .turn_rows = 16, .turn_trips = 4, .attention_queries = 8,        \
    .attention_keys = 192, .attention_causal_keys = 96, .onehot_row = 256,               \
    .fuse_members = 96, .fuse_arrays = 40, .few_rows = 4, .gather_row = 16,              \
    .cheap_each = 4, .cheap_again = 6, .block = 4096, .task = 400000, .tasks_most = 32,  \
    .small_eqn = 1.2e6, .small_program = 6e6, .small_value = 262144,                     \
    .straight_least = 2, .straight_most = 400, .straight_bytes = 1 << 22, .straight_reads = 1 << 19

/* ---- target.c ---------------------------------------------------------------------- */

extern const Target target_library;

/* Does it run or render this form, call? */
static inline bool target_calls(const Target *t, unsigned call)
{
    return (t->calls & call) != 0;
}
static inline bool target_forms(const Target *t, unsigned form)
{
    return (t->forms & form) != 0;
}

#endif
