/* codegen.h -- from programs to C: fusion, kernels (loop nests as data), C text.
 *
 *     Program --fuse--> Program with calls of fused sub-programs
 *                          |  each, once
 *                          v
 *                       Kernel --render--> C text --compiler.h--> function pointers
 *
 *   space.c         which loops a set of equations needs: axes, and who shares them
 *   fuse.c          equations that share loops become one sub-program
 *   epilogue.c      products that a sub-program begins with
 *   small.c         which programs are small enough to be one function
 *   target_cpu.c    this machine as a target; target_c.c portable C as one
 *   kernel.c        a fused sub-program as a loop nest
 *   kernel_walk.c   how the target's vectors go through the nest
 *   kernel_share.c  kernels that differ in sizes alone are one function of the sizes
 *   kernel_place.c  results in the memory of operands
 *   kernel_print.c  the nest as text, for people
 *   render.c        the nest as C; render_op.c one op; render_narrow.c rows shorter than a
 *                   vector; render_scalar.c programs of scalars; render_straight.c whole
 *                   programs as one function; render_dot.c products in them;
 *                   render_unit.c what units begin with
 *   render_cuda.c   the nest as CUDA C++, for target_cuda.c; shape_cuda.c: for how many threads
 *   units.c         translation units, of about equal amounts of text
 *   lanes.h         what the C stands on: vectors and their functions; embedded as text
 *                   together with the library's own vec.h and vmath.h; plain.h the same
 *                   for single elements; gpu.h what CUDA C++ needs besides
 *
 * A fused sub-program is an ordinary sub-program called by an ordinary `call`, so the
 * interpreter runs it as it is, and everything that knows programs knows it. Equal ones
 * are one program and one kernel. Nothing here depends on how the program was made, and
 * no name from it reaches the C.
 */
#ifndef WEFT_CODEGEN_H
#define WEFT_CODEGEN_H

#include "kernels/kernels.h"
#include "kernels/nd.h"
#include "opt/target.h"

/* ---- space.c ----------------------------------------------------------------------- */

/* An axis of the loops: a node of a tree, since a reshape may split one. */
typedef struct LoopAxis {
    Dim size;        /* in Space.dims */
    uint32_t to;     /* the axis it is the same as, or itself */
    uint32_t hi, lo; /* the parts it was split into, or 0 */
    uint32_t leaf;   /* number among those that were not, once all is known */
} LoopAxis;

#define MAX_LEAVES 64 /* axes of one kernel */
typedef uint64_t AxisSet;

/* Where an equation of the set stands. */
typedef struct SpaceEqn {
    uint32_t eqn;
    uint32_t *const *in; /* for each operand the axes of its dims; 0: of size 1 */
    AxisSet reduced;     /* a reduction: over which leaves */
    AxisSet all;         /* and of its operand */
} SpaceEqn;

typedef enum SpaceForm {
    FORM_MAP,  /* no reductions but over everything: any order, any split of the loops */
    FORM_ROWS, /* reductions over the inner loops, which share them */
    FORM_COLS  /* none of those, but reductions over the outer loops */
} SpaceForm;

/* The loops of a set of equations: axes row and col; every value is computed for some of
 * them. */
typedef struct Space {
    wf_ctx *cx;
    Arena *a;
    const Target *target;
    const Program *p;
    Dims dims; /* symbols as in p, same numbers, but named n0, n1 .. */
    Dim *memo; /* dim node of p -> dim here; DIM_NONE: not yet */
    VEC(LoopAxis) axes;
    uint32_t **of; /* for each value of the set its dims' axes; NULL: not of the set */
    SpaceEqn *eqns;
    uint32_t neqns;
    uint32_t *leaves; /* in the order of the loops, outermost first */
    uint32_t nleaves;
    AxisSet row, col;
    SpaceForm form;
} Space;

/* Can these equations (in order, with every equation between them) be one kernel? outs:
 * the values others need. False: no; nothing is recorded. */
bool space_make(Space *s, wf_ctx *cx, Arena *a, const Target *t, const Program *p,
                const uint32_t *eqns, uint32_t neqns, const Val *outs, uint32_t nouts);
/* Is a slice inside its operand for all sizes? One that may be found beyond it at run
 * time is left to the interpreter, which says so. */
bool space_slice_fits(wf_ctx *cx, Arena *a, const Program *p, const Eqn *e);
Dim space_dim(Space *s, Dim d); /* a dim of p in s->dims */
/* The leaves of a value's axes, outermost first, into out (MAX_LEAVES); how many. */
uint32_t space_leaves(const Space *s, const uint32_t *axes, uint32_t rank, uint32_t *out);
AxisSet space_set(const Space *s, const uint32_t *axes, uint32_t rank);
/* What an op is to fusion. */
typedef enum FuseKind {
    FUSE_NO,
    FUSE_PRODUCT, /* a product or convolution whose kernel can go on with its pieces */
    FUSE_FREE,  /* made of nothing: splat constants, iota, dim; copied to who needs it */
    FUSE_INDEX, /* elements of the operand elsewhere; copied likewise */
    FUSE_MAP,
    FUSE_GATHER, /* rows of an array by number */
    FUSE_REDUCE,
    FUSE_SCALAR /* control flow among scalars */
} FuseKind;
FuseKind fuse_kind(const Target *t, const Program *p, const Eqn *e);

/* ---- fuse.c ------------------------------------------------------------------------ */

typedef struct Fused {
    const Program *p;        /* with calls; the given one if there was nothing to fuse */
    const Program **kernels; /* the sub-programs called, each once; for this call */
    uint32_t nkernels;
} Fused;

/* p with groups of equations that the target renders as calls of fused sub-programs, in
 * sub-programs too. products: they take in the products they follow (epilogue.c). False
 * after an error. */
bool codegen_fuse(wf_ctx *cx, const Target *t, const Program *p, bool products,
                  Fused *out);
/* An arena that lives until the outermost call ends. */
Arena *codegen_arena(wf_ctx *cx);

/* ---- epilogue.c -------------------------------------------------------------------- */

/* Is it worth while that the kernel of the product e goes on with what follows it, as far
 * as sizes are known? */
bool product_pays(const Target *t, const Program *p, const Eqn *e);
/* And with what follows it? */
struct Kernel;
bool epilogue_pays(const struct Kernel *k);
/* How many axes of its result are batch, and how many rows. */
void product_axes(const Program *p, const Eqn *e, uint32_t *nbatch, uint32_t *nrows);
/* Products of integers lie in no result: their kernels hand out each piece and write nothing themselves. */
bool product_is_apart(const Program *p, const Eqn *e);
/* Can the result lie where the product does? One that lies apart needs the same loops alone. */
bool product_takes(const Program *p, Val out, const Eqn *product);
/* What e widens, if that is bytes; VAL_NONE. */
Val widened_bytes(const Program *p, const Eqn *e);
/* Does it make integers of 8 bits of floats? */
bool rounds_to_bytes(const Program *p, const Eqn *e);
/* The product of a fused sub-program that has one; NULL. */
const Eqn *product_of(const Target *t, const Program *p);

/* ---- kernel.c ---------------------------------------------------------------------- */

typedef enum NodeKind {
    NODE_LOAD,
    NODE_CONST,
    NODE_IOTA,
    NODE_DIM,
    NODE_MAP,
    NODE_RESULT, /* one of the results of a MAP that has several */
    NODE_REDUCE
} NodeKind;

/* How often a node is computed. */
typedef enum NodeLevel { LEVEL_ONCE, LEVEL_ROW, LEVEL_EACH } NodeLevel;
typedef enum ReduceOver { OVER_COLS, OVER_ROWS, OVER_ALL } ReduceOver;

/* An address: offset + sum of stride[l] * index of loop l; all dims, in elements. */
typedef struct Access {
    uint32_t array; /* input, or number of inputs + output */
    Dim offset;
    Dim *stride; /* for each loop */
} Access;

typedef struct Node {
    uint8_t kind, dtype;
    uint8_t level; /* REDUCE: where it takes its operand; over cols, it is known by row */
    uint8_t over;  /* REDUCE: ReduceOver */
    uint16_t op;   /* MAP REDUCE (the op that combines) */
    uint16_t stage; /* EACH: the walk over the row that computes it first; else: before
                       which walk it is known */
    uint16_t nin;
    uint8_t nout;   /* MAP: results; more than one are read by RESULTs alone */
    uint8_t which;  /* RESULT: of in[0] */
    bool fetch;     /* LOAD: of short rows that are apart, or beside a product: the next is asked for */
    uint32_t *in;   /* nodes */
    uint64_t bits;  /* CONST: the element; LOAD with `fill`: what is beyond the array */
    Access at;      /* LOAD; IOTA: index = offset + strides */
    /* LOAD of a row by number, in[0]: elements from one to the next, and how many there
     * are. Numbers beyond are clipped, or give bits. */
    Dim step, bound;
    bool fill;
    Dim dim;        /* DIM */
    int32_t saved;  /* row buffer that keeps it for later walks; -1: none */
} Node;

typedef enum TilePart { TILE_BATCH, TILE_ROW, TILE_COL } TilePart;

typedef struct NestLoop {
    Dim size;
    bool col; /* inner: walked for each row */
    uint8_t tile; /* behind a product: TilePart */
} NestLoop;

typedef struct KernelOut { /* node -> memory */
    uint32_t node;
    Access at;
    bool stream; /* so large that it is written past the caches */
} KernelOut;

typedef struct KernelWalk { /* over a row, vector by vector */
    bool any;               /* there is something to do */
    bool whole;             /* the row is whole vectors */
    bool apart;             /* a loop of whole vectors first, then one for the rest */
    int unroll;             /* vectors at a time */
} KernelWalk;

struct Straight;

/* Finished when it is made: rendering only reads it. */
typedef struct Kernel {
    const Target *target;
    const Program *p; /* the fused sub-program, held by who holds the kernel */
    uint32_t id;      /* the C function is wk<id> */
    const struct Kernel *code; /* whose function serves it: itself, or one of the sizes
                                  that differ, given by params (kernel_share.c) */
    const char *part; /* "_3": of a function that has this one inside; or "" */
    bool scalar;      /* straight code on scalars: no loops but its own */
    const struct Straight *straight; /* many steps, and nothing of what follows; or NULL */
    const KMatmul *dot; /* a product of a Straight, and nothing else, p neither; or NULL */
    /* What follows a product: equation 0 of p, on inputs 0 and 1, whose result lies where
     * result 0 goes, or apart (product_is_apart). The loops are those over its result, the last one the columns; it is
     * read, and result 0 written if it lies there, as array nin + nout, a piece at a time. */
    const Eqn *product; /* or NULL */
    SpaceForm form;
    Dims dims;       /* symbols as in p */
    NestLoop *loops; /* outermost first; rows, then cols; the last is the vector's */
    uint32_t nloops, nrows;
    Node *nodes; /* in order */
    uint32_t nnodes;
    KernelOut *outs; /* one for each result of p */
    uint32_t nsaved; /* row buffers */
    uint32_t nstages;
    bool exact;      /* every op rounds for itself */
    bool wide;       /* 8-byte elements: half as many lanes */
    bool parts;      /* there are partial results, joined at the end */
    double cost;     /* of an element, about in additions */
    int lanes;       /* elements of a vector */
    bool narrow;     /* rows are shorter than a vector: every lane is a row; */
    bool whole_rows; /* and there are whole vectors of rows */
    bool blocks;     /* MAP: a row is several units of work */
    KernelWalk *walks; /* for each stage */
    Dim *params;       /* what the C gets as d[i]: all sizes and strides in it that are no
                          numbers */
    uint32_t nparams;
} Kernel;

/* A kernel that is nothing yet. */
Kernel *kernel_new(Arena *a, const Target *t, const Program *p, bool exact);
/* NULL: not a form this can do, the interpreter runs p; or an error. */
Kernel *kernel_make(wf_ctx *cx, Arena *a, const Target *t, const Program *p, bool exact,
                    uint32_t id);
/* Sizes once params have values: rows, cols (all col loops together), bytes of the row
 * buffers and of the partial results of one task. */
typedef struct KernelSize {
    int64_t rows, cols, units;
    int64_t tmp_bytes, acc_bytes;
} KernelSize;
bool kernel_size(const Kernel *k, const int64_t *symvals, KernelSize *out);
/* Bytes of an element as it is kept in row buffers and partial results. */
static inline size_t kept_size(wf_dtype t)
{
    return t == WF_F16 || t == WF_BF16 ? 4 : wf_dtype_size(t);
}
/* The reduction's result is known when all rows are: of tasks there are partial ones. */
static inline bool node_is_part(const Node *n)
{
    return n->kind == NODE_REDUCE && n->over != OVER_COLS;
}
/* The cost of computing it, for each element that it is computed for. */
static inline double node_cost(const Node *n)
{
    return n->kind == NODE_MAP      ? op_cost(n->op, n->dtype)
           : n->kind == NODE_RESULT ? 0
                                    : 1;
}
static inline bool node_is_each(const Node *n)
{
    return n->kind != NODE_REDUCE && n->level == LEVEL_EACH;
}
/* The walk over the row that computes a node, or in which a reduction takes its operand. */
static inline uint32_t node_walk(const Node *n)
{
    return n->stage - (uint32_t)(n->kind == NODE_REDUCE && n->over == OVER_COLS);
}
/* Does the reduction take its operand in this walk? */
static inline bool node_reduces_in(const Node *n, uint32_t stage)
{
    return n->kind == NODE_REDUCE && n->level == LEVEL_EACH && node_walk(n) == stage;
}
/* May result `out` be written where input `in` lies: is every element of it read before,
 * or when, the element of the result in its place is written, whatever the threads do? */
bool kernel_in_place(const Kernel *k, uint32_t in, uint32_t out);
void kernel_print(const Kernel *k, Text *out);

/* ---- kernel_walk.c ----------------------------------------------------------------- */

/* Fills in lanes, walks, and what else depends on the target's vectors. */
void kernel_plan_walks(Kernel *k, Arena *a);
/* Is the result stored in a walk (and not once a row, or at the end)? */
bool kernel_stores_in(const Kernel *k, const KernelOut *o, uint32_t stage);
bool kernel_out_is_each(const Kernel *k, const KernelOut *o);
/* The nodes computed in a walk; false: there is nothing to do. */
bool kernel_walk_needs(const Kernel *k, uint32_t stage, bool *need);

/* ---- kernel_share.c ---------------------------------------------------------------- */

/* Params of a kernel that is served by its own code. */
void kernel_find_params(Kernel *k, Arena *a);
/* Kernels that are equal but for sizes and strides are served by one function each, to
 * which those that differ are given as params. */
void kernel_share_code(wf_ctx *cx, Arena *a, Kernel *const *k, uint32_t n);
/* All sizes and strides of a kernel become params, so that its code serves any. */
void kernel_generalise(wf_ctx *cx, Arena *a, Kernel *k);
Hash kernel_hash(const Kernel *k);                      /* but for sizes and strides */
bool kernel_equal(const Kernel *x, const Kernel *y);    /* likewise */

/* ---- straight programs ------------------------------------------------------------- */

/* Steps one after another as one function: kernels, small products, copies, loops. Made
 * of bound frames (compile/flatten.c).
 *
 * Memory is blocks: 0 is the function's own (KernelArgs.tmp), then come the arrays it is
 * called with (KernelArgs.p: inputs, results, constants), then what loops point to. */
typedef struct Spot {
    uint32_t block;
    int64_t off; /* bytes */
} Spot;

typedef enum FlatKind {
    FLAT_KERNEL, /* part n of the Straight on array[], with row buffers at `with` and
                    partial results at `from` */
    FLAT_DOT,    /* part n: to = from * with */
    FLAT_MOVE,   /* to = from, by strides */
    FLAT_FILL,   /* n elements of `size` bytes at `to`, equal to that at `from` */
    FLAT_SET,    /* to = n, an i64 */
    FLAT_COPY,   /* n bytes, if they are not there already */
    FLAT_COND,   /* the branch of number `from` */
    FLAT_LOOP
} FlatKind;

typedef struct Flat Flat;
typedef struct FlatList {
    Flat *v;
    uint32_t n, cap;
} FlatList;

typedef struct FlatCarry {
    Spot start, out, spare; /* written in turn, out last; equal: one is enough */
    int64_t bytes;
    uint32_t before, after; /* blocks: what a turn reads and writes */
} FlatCarry;

typedef struct FlatRows { /* of a stacked operand or result */
    Spot at;
    int64_t bytes;
    uint32_t block;
} FlatRows;

typedef struct FlatLoop {
    bool is_while, reverse;
    int64_t length; /* of a scan; the most turns of a while, or -1 */
    FlatList cond, body;
    Spot flag; /* the condition, a bool */
    FlatCarry *carry;
    FlatRows *rows; /* operands, then results */
    uint32_t ncarry, nxs, nys;
} FlatLoop;

struct Flat {
    uint8_t kind;
    uint8_t dtype; /* COND: of the number */
    Spot to, from, with;
    int64_t n;
    size_t size;
    int64_t units; /* KERNEL */
    const Spot *array;
    uint32_t narrays;
    const KMove *move;
    FlatList *branch; /* n of them */
    const FlatLoop *loop;
};

#define STRAIGHT_ARRAYS 256 /* inputs, results and constants of one, at most */
typedef struct Straight {
    FlatList steps;
    Kernel **part; /* kernels and products, each once; inside the function, or apart */
    uint32_t nparts;
    const void **consts; /* arrays after inputs and results */
    uint32_t nconsts, nblocks;
    int64_t tmp_bytes, pack; /* of block 0; where in it operands of products are copied */
    bool loops; /* it may run for long; and its parts, run many times, are inside */
    const bool *in_place; /* [inputs][results]: the result may be where the input is */
} Straight;

/* Is the whole program so little work that it is done by one thread, without threads,
 * frames and steps between its parts? All sizes must be known. */
bool codegen_is_small(wf_ctx *cx, const Target *t, const Program *p);

/* ---- render*.c --------------------------------------------------------------------- */

/* What a compiled function gets. */
typedef struct KernelArgs {
    void *const *p;           /* arrays: inputs, then outputs */
    const int64_t *d;         /* params */
    char *tmp;                /* row buffers of this task */
    char *acc;                /* partial results, of this task or (at the end) of all */
    const volatile int *stop; /* not 0: loops may end early */
    void *const *call; /* of a Straight: each part that is apart, and its end, or NULL */
} KernelArgs;

/* Units begin..end-1 of the work. Partial results are left at acc. */
typedef void KernelRun(const KernelArgs *k, int64_t begin, int64_t end);
/* What follows a product, on a finished piece of it; args: KernelArgs. */
typedef void KernelTile(void *args, const KTile *tile);
/* Partial results of n tasks, in order, become the outputs. */
typedef void KernelEnd(const KernelArgs *k, int64_t n);

/* What an element is in memory, in C: float, uint8_t for bool, uint16_t for half floats. */
const char *render_type(wf_dtype t);
/* Of kernels in C, of vectors or of single elements. */
void render_kernel(const Kernel *k, Arena *a, Text *out);
/* render_dot.c: what memory does a product need? */
bool render_dot_equal(const KMatmul *x, const KMatmul *y); /* but for where they are */
int64_t render_dot_scratch(const KMatmul *d);
/* Translation units with the code of these kernels, which have one target: about as many
 * as there are cores to compile them. */
Text *render_units(Kernel *const *k, uint32_t n, uint32_t cores, Arena *a,
                   uint32_t *out_n);

/* ---- target_cpu.c, target_c.c ------------------------------------------------------ */

const Target *target_cpu(void);   /* this machine; WEFT_ISA may lower it */
const Target *target_isa(Isa isa); /* a machine with these instructions */
extern const Target target_c;
extern const Target target_cuda; /* target_cuda.c */
const Target *target_find(const char *name); /* "cpu", "c", "cuda"; NULL: there is none */

/* ---- render_cuda.c ----------------------------------------------------------------- */

/* How the threads of the device share the work of a kernel's code. */
#define CUDA_COLS 32  /* FORM_COLS: most threads along the columns, of */
#define CUDA_TILE 256 /* a block; and of one */
#define CUDA_END  512 /* that joins partial results */
typedef struct CudaShape {
    int vec;     /* elements of a thread at a time, along the last loop */
    int threads; /* of a row; MAP: of a block */
    int rows;    /* of a block at a time; a block has threads * rows */
    int ends;    /* threads along the columns, where partial results are joined */
    int chunks;  /* ROWS: vectors of a thread in a row, if that is known and they are few */
    bool small;  /* 32 bits are enough for indices */
    bool totals; /* some partial results are of everything */
    int parts;   /* how many partial results there are; each is joined by blocks of its own */
} CudaShape;
CudaShape render_cuda_shape(const Kernel *k);

#endif
