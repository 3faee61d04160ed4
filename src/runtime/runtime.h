/* runtime.h -- arrays on devices, and the interpreter: plans, frames, steps.
 *
 *   Device  Queue           where memory is and work is done           device.c
 *   Buffer  Array           memory somewhere, counted; a shape on it   array.c
 *   Plan                    what does not depend on sizes: which values share
 *                           storage, when it is free, what is a view   plan.c reuse.c
 *   Frame                   a plan with sizes: memory, and the steps
 *                           bound to addresses in it                   frame.c
 *   steps                   how each op is bound, and what runs        steps.c step_*.c
 *                           on a device, or for one on the host        stage.c
 *   Use                     what a step reads and writes; those who go
 *                           through the steps of any plan              walk.c check.c
 *   PlanCode                machine code of a fused sub-program, which
 *                           is one step of its own                     step_kernel.c
 *                                                                      step_product.c
 *                           loaded, and kept in a directory            compiler.h
 *   Comm  Team              devices that run one program together,
 *                           and how they talk                          comm.h team.c
 *
 *     Program --plan--> Plan --bind (symbols have sizes)--> Frame --run, run, run ..
 *
 * A plan is immutable and shared. A frame belongs to one run at a time; frames are kept
 * for the next run. Running a frame allocates nothing, and evaluates no size, unless an
 * equation defines a symbol: there a program is cut into segments, and the next segment
 * is bound when it is reached, again only if the symbol changed since the last time.
 *
 * Memory: everything here is made inside a protected region (base.h) and hangs on the
 * frames' root (Root), which its run (compile/run.c) takes down when memory runs out.
 */
#ifndef WEFT_RUNTIME_H
#define WEFT_RUNTIME_H

#include "codegen/codegen.h"
#include "kernels/kernels.h"
#include "kernels/nd.h"
#include "op/op.h"
#include "runtime/array.h"

/* ---- device.c ---------------------------------------------------------------------- */

typedef struct wf_device Device;
typedef struct Frame Frame;
typedef struct Op Op;

typedef enum CopyKind {
    COPY_IN,    /* from the host, whose memory may be written again when the call is back */
    COPY_OUT,   /* to the host, where it is after sync */
    COPY_INSIDE /* on the device */
} CopyKind;

/* The functions named put_ put work into a queue and are back at once. They and sync give
 * false where the device fails, or has failed before. Any thread may call them. */
struct wf_device {
    const char *name;
    const char *label; /* what it is, for people; NULL: that is all */
    const char *features; /* libraries that serve it; NULL: none */
    _Atomic(const char *) why; /* it failed; NULL: it has not, or does not say */
    const Target *target; /* what programs are compiled for; NULL: they are not */
    int ordinal;     /* in its runtime; 0: the host */
    int blocks;      /* of 256 threads, that it holds at once; 0: it has none */
    bool host_reads; /* its addresses can be read and written by the host */
    bool blank;      /* its arrays have types and no numbers: nothing runs there, nothing can be read */
    void *user;
    atomic_size_t held, peak; /* bytes */
    atomic_size_t reserved;   /* taken from the device: held, and kept for later */
    /* 64-byte aligned, or NULL; in the order of the queue: free may come while work that
     * uses p is still in it. */
    void *(*alloc)(Device *d, void *queue, const wf_allocator *al, size_t size);
    void (*free)(Device *d, void *queue, const wf_allocator *al, void *p, size_t size);
    void *(*queue_open)(Device *d); /* NULL: it has none, and put_ does its work at once */
    void (*queue_close)(Device *d, void *queue); /* when its work is done */
    bool (*put_copy)(Device *d, void *queue, void *to, const void *from, size_t size,
                     CopyKind kind);
    /* From another device's memory, whose work on it is done; NULL: through the host. */
    bool (*put_copy_from)(Device *d, void *queue, void *to, Device *other,
                          const void *from, size_t size);
    bool (*put_zero)(Device *d, void *queue, void *to, size_t size);
    /* Elements by strides at both ends; NULL: through the host. False, with *out_done: it
     * failed; without: not of this kind. */
    bool (*put_move)(Device *d, void *queue, wf_ctx *cx, const KMove *m, void *to,
                     const void *from, bool *out_done);
    bool (*put_join)(Device *d, void *queue, void *other); /* wait for all that is in other */
    bool (*sync)(Device *d, void *queue);                  /* the host waits */
    /* Has it a kernel for the equation? Then put_step is for the steps it is bound to. All
     * that a step needs of the frame is read before put_step is back, but for the step's
     * own data, which stays until the next sync. */
    bool (*has)(Device *d, const Program *p, const Eqn *e);
    bool (*put_step)(Device *d, void *queue, const Frame *f, const Op *op);
    /* All steps of a run (frame_steps), in whatever way it likes best; NULL: one by one. What
     * it keeps for that (Frame.replay) is forgotten before the steps change. */
    bool (*put_frame)(Device *d, void *queue, Frame *f);
    void (*forget)(Device *d, Frame *f);
    bool (*memory)(Device *d, size_t *out_free, size_t *out_total);
    /* Memory that the queue keeps for later goes back to where it came from; NULL: none is. */
    void (*trim)(Device *d, void *queue);
    /* Marks in a queue: reached when all before is done. NULL: it has none. wait: until then;
     * else it is asked. */
    void *(*mark)(Device *d, void *queue);
    bool (*mark_reached)(Device *d, void *mark, bool wait);
    double (*mark_seconds)(Device *d, void *from, void *to);
    void (*mark_free)(Device *d, void *mark);
    /* Code of kernels of its target: for each what put_step finds in PlanCode.there, in a,
     * or NULL. False: none, but that is no error unless one is recorded. */
    bool (*load)(Device *d, wf_ctx *cx, Arena *a, Kernel *const *k, uint32_t n,
                 const void **there, void **out_code);
    void (*unload)(Device *d, void *code);
    const struct LinkRow *link; /* exchanges with devices of other processes (world/world.h); NULL: through the host */
};

typedef struct Queue {
    atomic_int refs; /* of its context, of buffers and frames that it has work on */
    Device *device;
    void *impl;
    wf_runtime *runtime; /* held: it has the device */
    wf_allocator al;
    struct Queue *next; /* of the same context */
} Queue;

/* The context's queue on a device; NULL for the host. False after an error. */
bool queue_of_ctx(wf_ctx *cx, Device *d, Queue **out);
Queue *queue_retain(Queue *q); /* NULL is fine, here and below */
void queue_release(Queue *q);
/* What is put into q from now on comes after what is in first. */
bool queue_join(wf_ctx *cx, Queue *q, Queue *first);
bool queue_sync(wf_ctx *cx, Queue *q);
bool queue_copy(wf_ctx *cx, Device *d, Queue *q, void *to, const void *from, size_t size,
                CopyKind kind);
/* Counted. */
bool device_no_memory(wf_ctx *cx, Device *d, size_t size); /* false: the error is said */
void *device_alloc(Device *d, const Queue *q, const wf_allocator *al, size_t size);
void device_free(Device *d, const Queue *q, const wf_allocator *al, void *p, size_t size);
bool device_fail(wf_ctx *cx, const Device *d, const char *what); /* always false */

/* cuda/device.c: adds the GPUs there are. */
void cuda_add_devices(wf_ctx *cx, wf_runtime *r);

/* ---- array.c ----------------------------------------------------------------------- */

#define ALIGN 64 /* of memory on the host, in bytes */

typedef struct Buffer {
    atomic_int refs;
    Device *device;
    Queue *queue; /* in whose order it is written and freed; NULL on the host */
    wf_allocator al;
    void *data;
    size_t size;
    void (*drop)(void *owner); /* of wrapped memory; may be NULL */
    void *owner;
    bool wrapped;
    bool read_only;  /* wrapped memory that may not be written to */
    atomic_int kept; /* how many of refs are kept for later results */
} Buffer;

/* NULL when memory is exhausted. Contents are not defined. */
Buffer *buffer_new(const wf_allocator *al, Device *d, Queue *q, size_t size);
void buffer_release(Buffer *b);
void buffer_unkeep(Buffer *b); /* releases one that was kept */

typedef struct wf_array Array;
struct wf_array {
    atomic_int refs;
    wf_allocator al;
    Buffer *buf;
    size_t offset; /* of the first element, in bytes */
    int64_t count;
    uint8_t dtype, rank;
    int64_t v[]; /* dims, then strides in elements */
};

static inline const int64_t *array_dims(const Array *a) { return a->v; }
static inline const int64_t *array_strides(const Array *a) { return a->v + a->rank; }
static inline char *array_at(const Array *a) { return (char *)a->buf->data + a->offset; }
/* wf_array_wrap of a device's memory, whose work on it is done. */
wf_status array_wrap_on(wf_ctx *cx, Device *d, wf_dtype dtype, const int64_t *dims, int rank,
                        const int64_t *strides, void *data, bool read_only,
                        void (*drop)(void *owner), void *owner, wf_array **out_array);
/* Row-major in one piece. */
bool array_is_dense(const Array *a);
/* array_new_on in a buffer of the right size that nobody else holds, if kept has one; large
 * new buffers are kept for the next time. */
#define KEPT 2
#define KEPT_BYTES ((int64_t)1 << 16) /* smaller ones are quicker allocated anew */
bool array_new_kept(wf_ctx *cx, Device *d, wf_dtype dtype, const int64_t *dims, int rank,
                    Buffer **kept, Array **out);
/* A row-major array on a buffer that is there, and is as large. */
bool array_new_in(wf_ctx *cx, Buffer *buf, wf_dtype dtype, const int64_t *dims, int rank,
                  Array **out);
/* Donation: is a the only array on its memory, all of it, and is there but one reference
 * to a? */
bool array_is_sole(const Array *a);
/* Takes the memory away from a: whoever uses a from now on gets an error. */
void array_forget(Array *a);
bool array_is_gone(const Array *a);
/* The elements of a to those of b, a row-major array of the same shape and dtype on any
 * device. */
bool array_copy_to(wf_ctx *cx, const Array *a, Array *b);
/* Of arrays of one device, by their strides. *out_done: the device has done it. */
bool array_move(wf_ctx *cx, const Array *a, Array *b, bool *out_done);

/* ---- plan.c ------------------------------------------------------------------------ */

typedef enum StoreKind {
    STORE_TEMP, /* in the memory of the segment that defines it */
    STORE_IN,   /* the caller's operand, never written unless it is donated */
    STORE_OUT,  /* the caller's result */
    STORE_CONST,
    STORE_DYN /* as large as a symbol its equation defines: a block of its own */
} StoreKind;

typedef struct Store {
    uint8_t kind;
    uint32_t index;       /* of the input, result or block */
    uint32_t first, last; /* equations that write it first and use it last */
    Val val;              /* one that fills it */
    uint32_t inside;      /* 1 + the store of a concatenation it is part of; 0: none */
    uint32_t concat, operand; /* of that: its equation, and which operand this is */
    bool spread;          /* not one piece of it, but with gaps: by strides */
} Store;

typedef enum ValKind {
    VAL_OWN,   /* its equation writes it */
    VAL_ALIAS, /* the same elements in the same order as operand 0 (opt_barrier: the
                  operand of its number) */
    VAL_VIEW   /* elements of operand 0 (or a constant), by strides */
} ValKind;

typedef struct PlanVal {
    uint32_t store;
    uint8_t kind;
    bool part; /* a view, or the alias of one: not the whole store in order */
} PlanVal;

/* Machine code of a fused sub-program. */
typedef struct PlanCode {
    const Kernel *kernel;
    KernelRun *run;
    KernelEnd *end;   /* NULL: there are no partial results */
    KernelTile *tile; /* of what follows a product */
    void **call;      /* of a Straight: its parts (KernelArgs) */
    const void *there; /* on a device, in place of all that: what it has loaded */
} PlanCode;

/* An exchange that goes on while other equations run: begun by one, over before another. */
typedef struct Going {
    uint32_t eqn, before;
} Going;

typedef struct Plan Plan;
struct Plan {
    const Program *p;
    uint32_t index; /* in its Plans */
    Device *device; /* where its values live; one that defines sizes is on the host */
    bool *staged;   /* of each equation: the host does it, on copies; NULL: none is */
    PlanVal *val;
    Store *store;
    uint32_t nstores, ndyn;
    uint32_t nsegs;
    uint32_t *seg_end; /* segment s ends before equation seg_end[s] */
    uint32_t *free_at; /* free_list[free_at[i] ..]: stores not needed after equation i */
    uint32_t *free_list;
    bool *out_direct; /* result j is written where the caller wants it; others are copied
                         at the end */
    bool *type_late;  /* type i has a size known at run time only */
    const Plan **sub; /* of p->subs */
    const PlanCode *code; /* NULL: interpreted */
    const bool *donated;  /* inputs whose memory results may take; NULL: none */
    const uint32_t *heir; /* of each input: 1 + the one result that may; NULL: any may */
    uint32_t *out_from;   /* 1 + the donated input in whose memory result j is; 0: none */
    bool *in_taken;       /* donated, and its memory is written, or given out */
    Going *going;
    uint32_t ngoing;
};

typedef struct Plans { /* of a program and all it calls, each once */
    Arena *a;
    VEC(const Plan *) v;
    const PlanCode *codes; /* of those that have machine code */
    uint32_t ncodes;
    const uint32_t *heir; /* Plan.heir of the program whose inputs are donated */
} Plans;

/* donated: for each input, or NULL; of p, not of what it calls. */
const Plan *plan_make(wf_ctx *cx, Plans *plans, const Program *p, const bool *donated,
                      Device *d);
/* Has it sizes that are known when it has run only? */
bool plan_defines_sizes(const Program *p);

/* ---- reuse.c: results in the memory of operands ------------------------------------ */

/* What must hold of the memory of an operand that is read here for the last time, if a
 * result is to be written there. */
typedef enum Reuse {
    REUSE_NOT,    /* it cannot be */
    REUSE_ALONE,  /* no other operand lies there */
    REUSE_IN_STEP /* every operand that lies there may be replaced */
} Reuse;
Reuse reuse_of(const Plan *plan, const Eqn *e, uint32_t operand, uint32_t result);
/* May result `out` of a sub-program be written where its input `in` lies? */
bool plan_carry_in_place(const Plan *plan, uint32_t in, uint32_t out);
const Plan *plan_sub(const Plan *plan, const Program *p); /* of one it calls */
/* The program that call, checkpoint, custom_jvp or custom_vjp run. */
const Sub *reuse_call_body(unsigned op, const void *attr);
static inline bool plan_same_size(Type a, Type b) /* in the same program */
{
    return type_same_shape(a, b) &&
           wf_dtype_size((wf_dtype)a.dtype) == wf_dtype_size((wf_dtype)b.dtype);
}

/* ---- frame.c ----------------------------------------------------------------------- */

typedef struct Root Root;

/* An address: a base of the frame and an offset in bytes. Bases are the memory of each
 * segment, 0 (for constants), inputs, results, blocks of run-time size, in this order. */
typedef struct Ref {
    uint32_t base;
    int64_t off;
} Ref;

typedef enum UseKind {
    USE_READ = 1,
    USE_WRITE = 2,
    USE_BOTH = USE_READ | USE_WRITE,
    USE_WORK = 4, /* of this step alone: nobody reads it before or after */
    USE_KEPT = 8  /* of this step alone, and it keeps its contents from run to run */
} UseKind;

/* Memory that a step uses: the bytes from at + low to at + high. All memory that a step
 * touches is in its uses, and nowhere else: who places, checks, exports or replays steps
 * reads them, and knows nothing of data. */
typedef struct Use {
    Ref at;            /* of the first element */
    int64_t low, high; /* low is negative where strides are; there may be gaps */
    Val val;           /* what it holds when it was read, or is written; 0: a workspace of the
                          equation's */
    uint8_t kind; /* UseKind */
    bool gaps;    /* not all bytes in between are its own */
} Use;

#define USE_TO_END INT64_MAX /* high: to the end of a block of run-time size */

/* A sub-program that a step runs, and its sizes, one for each symbol. Input i is (a row
 * of, in later turns of a loop) the memory of use in[i], result j that of out[j]; NO_USE:
 * in no memory of the frame. */
#define NO_USE UINT32_MAX
typedef struct Callee {
    const Plan *plan;
    const int64_t *symvals;
    const uint32_t *in, *out;
} Callee;

/* A bound step. */
struct Op {
    bool (*run)(Frame *f, const Op *op); /* false: an error was recorded */
    int64_t n;
    VEC(Use) use; /* in the order that its binder and run have agreed on */
    void *data;   /* what else it needs, in the segment's arena; no addresses in frames */
    const Callee *callee;
    uint32_t ncallees;
    uint32_t eqn; /* for messages */
    uint8_t kind; /* OpKind */
};

/* What a step does, where generated code can do it in its place (flatten.c), or a device;
 * step.h says what data is, and the order of uses. */
typedef enum OpKind {
    OP_RUNS_OTHER,
    OP_RUNS_KERNEL, /* KernelStep */
    OP_RUNS_DOT,    /* DotStep */
    OP_RUNS_MOVE,   /* KMove */
    OP_RUNS_FILL,   /* n elements of the dtype of the equation's result */
    OP_RUNS_SET,    /* n, an i64 */
    OP_RUNS_WINDOW, /* WindowStep */
    OP_RUNS_WINDOW_UPDATE,
    OP_RUNS_CONV,   /* ConvStep */
    OP_RUNS_ATTENTION, /* AttentionStep */
    OP_RUNS_ARG,    /* LineStep */
    OP_RUNS_CUM,
    OP_RUNS_SORT,   /* a KSort is the first of it */
    OP_RUNS_TOP,    /* KTop */
    OP_RUNS_LINALG, /* KLinalg */
    OP_RUNS_FFT,    /* FftStep */
    OP_RUNS_REDUCE_WINDOW, /* KWindow */
    OP_RUNS_GATHER, /* IndexStep */
    OP_RUNS_SCATTER,
    OP_RUNS_CALL,   /* the callee */
    OP_RUNS_COND,   /* of n callees the one that use 0 says, a bool or an i32 */
    OP_RUNS_SCAN, /* LoopStep */
    OP_RUNS_COLLECTIVE, /* an exchange, which the Comm may have a way for on the device (step_collective.c) */
    OP_RUNS_WHILE
} OpKind;

typedef struct Loc { /* where a value is */
    Ref at;
    const int64_t *stride; /* in elements; NULL: row-major */
} Loc;

typedef struct Home { /* of a store */
    Ref at;
    int64_t size;
} Home;

typedef struct Upload { /* a constant, into memory that is kept */
    Ref to;
    const void *from;
    int64_t bytes;
    Val val;
} Upload;

typedef struct Segment {
    bool bound;
    bool failed;  /* its last step says why it could not be bound to the end */
    bool checked; /* by root_check, since it was bound */
    Arena arena;
    VEC(Op) ops;
    char *mem; /* memory of its temporaries */
    size_t mem_size;
    VEC(Upload) uploads;
    int64_t work; /* of a run of it: bytes that its steps read and write, and something for each step */
} Segment;

typedef struct Block { /* of run-time size */
    void *p;
    size_t size;
} Block;

struct Frame {
    Root *root;
    const Plan *plan;
    Arena arena;          /* of what lives as long as the frame */
    int64_t *symvals;     /* of all symbols; -1: not known yet */
    int64_t *nodes;       /* values of dim expressions */
    const int64_t **dims; /* of each type; NULL: not known yet */
    uint32_t *dims_seg;   /* segment in which they became known */
    Loc *loc;             /* of each value */
    Home *home;           /* of each store */
    uintptr_t *base;
    /* On a device: what staged steps see in place of base, where it is needed; and its own
     * memory. */
    uintptr_t *mirror;
    Block *mirrors;
    Segment *seg;
    Block *dyn;
    uint32_t now;  /* the segment that runs */
    /* In a loop of many turns: so many first inputs are the same in all of them; known[i]:
     * and in all entries of the loop; which entry this is, counted in the root. */
    uint32_t nfixed;
    const bool *known;
    uint64_t entry;
    uint64_t used; /* when, for replacement */
    void *replay;  /* of the device (put_frame) */
};

#define ROOT_FRAMES 4 /* of one plan */

/* All frames of one run at a time. */
struct Root {
    wf_ctx *cx; /* of the current run */
    wf_allocator al;
    int wish, threads; /* of the context's options; what that means here */
    KPar par;
    const KLoops *loops;
    const Kernels *kernels;
    Arena scratch; /* for eval rules, emptied after each */
    uint32_t nplans;
    Frame **frames; /* [nplans][ROOT_FRAMES] */
    uint64_t clock, entries;
    int64_t work; /* of the segments, in all runs */
    bool checks; /* every plan, when it was bound and has run: WEFT_CHECK_PLANS */
    Queue *queue;  /* of the run before; NULL on the host */
    Buffer **kept; /* [nouts][KEPT]: memory of earlier results */
    Array **copies; /* [nins]: of inputs, during a run; all NULL between runs */
    uint32_t nins, nouts;
    Root *next; /* in the list of idle ones */
    struct Team *teams; /* that run spmd for it: team.c */
};

Root *root_new(wf_ctx *cx, const wf_allocator *al, uint32_t nplans, uint32_t nins,
               uint32_t nouts); /* NULL when memory is exhausted */
void root_free(Root *r);
size_t root_bytes(const Root *r); /* of intermediate values */
/* The frame of a plan for these sizes (SYM_EQN ones are not read). */
Frame *root_frame(Root *r, const Plan *plan, const int64_t *symvals);
/* Bind all segments, of a plan no equation of which defines a symbol. */
void frame_bind(Frame *f);
/* Run all equations; then bring results to their places. Inputs and results must be set.
 */
bool frame_run(Frame *f);
bool frame_steps(Frame *f);
/* profile.c: op->run, on the clock of the context's profile. */
bool profile_op(Frame *f, const Op *op);
/* Where the op stands that runs by itself from now on: its plan is that of all lines with such an op. NULL: where programs say. */
void profile_stand(wf_ctx *cx, const Place *at);
/* What an equation did beside the steps, from one time to another. */
void profile_beside(Frame *f, const Op *op, double start, double end);
/* The profile goes on in another context, whose thread the profile's waits for; NULL: it is back. */
void profile_lend(wf_ctx *cx, wf_ctx *to);
/* It was of so many runs, which take so long each without it. */
void profile_of_runs(wf_profile *p, int runs, double seconds);
bool frame_results(Frame *f);
/* A symbol becomes known. Later segments are bound again if it changed. */
void frame_define(Frame *f, Dim sym, int64_t value);
void frame_dyn_reserve(Frame *f, uint32_t block, size_t size,
                       size_t keep); /* keeps that many bytes */
/* stage.c: where the frame's memory is not the host's. Copies and zeros by address; what the
 * host reads; a step done by the host. False after an error. */
bool frame_copy(Frame *f, void *to, const void *from, int64_t n);
bool frame_zero(Frame *f, void *to, int64_t n);
bool frame_read(Frame *f, const void *from, size_t n, void *to);
bool frame_run_op(Frame *f, const Op *op);
void frame_make_mirrors(Frame *f, uint32_t seg);
static inline bool frame_is_away(const Frame *f) /* now; while the host stages, it is not */
{
    return !f->plan->device->host_reads && f->base != f->mirror;
}

static inline uint32_t base_const(const Plan *p) { return p->nsegs; }
static inline uint32_t base_in(const Plan *p, uint32_t i) { return p->nsegs + 1 + i; }
static inline uint32_t base_out(const Plan *p, uint32_t j)
{
    return p->nsegs + 1 + p->p->nin + j;
}
static inline uint32_t base_dyn(const Plan *p, uint32_t k)
{
    return base_out(p, p->p->nout) + k;
}
static inline void *frame_at(const Frame *f, Ref r)
{
    return (void *)(f->base[r.base] + (uintptr_t)r.off);
}
static inline void *op_at(const Frame *f, const Op *op, uint32_t use)
{
    return frame_at(f, op->use.v[use].at);
}
static inline Place op_place(const Frame *f, const Op *op)
{
    const Program *p = f->plan->p;

    return eqn_place(p, &p->eqns[op->eqn]);
}
/* "op: message" at the step's equation. Always false. */
bool op_fail(Frame *f, const Op *op, wf_status status, const char *fmt, ...) PRINTF(4, 5);

/* parts.c: a block of memory that grows, given out in parts and taken back. Offsets are
 * multiples of 64. */
typedef struct BlockPart {
    int64_t off, size;
} BlockPart;
#define PARTS_MOST 512 /* unused ones that are remembered */
typedef struct Parts {
    BlockPart *free; /* unused ones, by offset; room for PARTS_MOST */
    uint32_t nfree;
    int64_t top; /* bytes in all */
} Parts;
int64_t parts_take(wf_ctx *cx, Parts *m, int64_t size); /* the smallest that fits */
void parts_give(Parts *m, int64_t off, int64_t size);

/* Binding of one segment. */
typedef struct Bind {
    Frame *f;
    const Plan *plan;
    const Program *p;
    Root *root;
    Segment *seg;
    uint32_t seg_index;
    Arena *a; /* of the segment */
    uint32_t eqn;
    const Eqn *e;
    const void *attr; /* with numbers for dims */
    Parts mem;        /* of the segment */
    VEC(BlockPart) temps;  /* of the current step */
    VEC(BlockPart) late;   /* free, but not to be used yet (Target.apart_bytes), from nlate on */
    uint32_t nlate;
    int64_t late_bytes;
    bool failed;     /* a step that fails was made: the rest need not be bound */
    const KEpilogue *epilogue; /* of the product that is bound; NULL: none */
    void **begun;              /* of each of Plan.going: its step; NULL: it is none */
} Bind;

/* For the binders. */
const int64_t *bind_dims(Bind *b, Val v);
const int64_t *bind_strides(Bind *b, Val v,
                            int64_t *room); /* row-major ones are put into room */
int64_t bind_count(Bind *b, Val v);
int64_t bind_bytes(Bind *b, Val v);
static inline wf_dtype bind_dtype(const Bind *b, Val v)
{
    return (wf_dtype)val_type(b->p, v).dtype;
}
static inline uint32_t bind_rank(const Bind *b, Val v) { return val_type(b->p, v).rank; }
/* Strides `to` of the same elements in another shape; false: there are none. */
bool bind_reshaped(uint32_t rank, const int64_t *dims, const int64_t *stride, uint32_t to_rank,
                   const int64_t *to_dims, int64_t *to);
static inline Ref bind_ref(const Bind *b, Val v) { return b->f->loc[v].at; }
static inline bool bind_is_dense(const Bind *b, Val v)
{
    return b->f->loc[v].stride == NULL;
}
static inline Val bind_in(const Bind *b, uint32_t i)
{
    return b->p->args[b->e->args + i];
}
static inline Val bind_out(const Bind *b, uint32_t j) { return b->e->out + j; }
/* Memory for the current step alone. */
Ref bind_workspace(Bind *b, size_t size);
/* Memory of the current step that keeps its contents from run to run. */
Ref bind_kept(Bind *b, size_t size);
/* A constant, where steps of the frame can read it. */
Ref bind_constant(Bind *b, const void *data, size_t size, Val v);
/* A step, without uses so far. */
Op *bind_op(Bind *b, bool (*run)(Frame *f, const Op *op), void *data);
/* What it uses: a value, as it lies; elements by strides (NULL: row-major) from a place on,
 * of a value or of no value (0); bytes. They give the number of the use. */
uint32_t bind_use(Bind *b, Op *op, Val v, UseKind kind);
Use bind_use_of(Bind *b, Val v, UseKind kind);
uint32_t bind_use_bytes(Bind *b, Op *op, Ref at, int64_t bytes, Val v, UseKind kind);
uint32_t bind_use_at(Bind *b, Op *op, Use use);
Use use_strided(Ref at, size_t size, uint32_t rank, const int64_t *dims,
                const int64_t *stride, Val v, UseKind kind);
/* A step that fails with this message when it is reached. Always false. */
bool bind_fail(Bind *b, wf_status status, const char *fmt, ...) PRINTF(3, 4);

/* ---- walk.c, check.c: the steps of any plan ------------------------------------------ */

/* fn for every step of the bound segments of f and of the frames that it calls (each
 * frame once, after the step that calls it first), in order, while it gives true. */
typedef bool StepFn(void *user, Frame *f, const Op *op);
bool frame_walk(Frame *f, StepFn *fn, void *user);
/* The frame of a callee, if there is one. */
Frame *root_find(const Root *r, const Plan *plan, const int64_t *symvals);
/* Bytes of a base of the frame; -1: not known. */
int64_t frame_base_bytes(const Frame *f, uint32_t base);
/* Do the uses of all bound steps agree: is everything that is read what was written there
 * last, does nothing lie in what another step keeps, or outside of its base, and are
 * results at their places at the end? False with WF_ERR_INTERNAL. */
bool plan_check(Frame *f);
/* The same if a frame of the root was bound since it was checked. */
bool root_check(Root *r, Frame *f);

/* ---- step_*.c ---------------------------------------------------------------------- */

/* What an operand may be. */
typedef enum Accept {
    ACCEPT_DENSE, /* row-major only */
    ACCEPT_ROWS,  /* views, if their innermost stride is 0 or 1 */
    ACCEPT_ANY    /* any view */
} Accept;

/* Which operand a result may replace (reuse.c). */
typedef enum InPlace {
    PLACE_NEVER,
    PLACE_ANY,  /* elementwise: any of the same size */
    PLACE_FIRST,
    PLACE_BODY /* as the sub-program allows */
} InPlace;

typedef struct StepRow {
    bool (*bind)(Bind *b); /* NULL: by eval */
    uint8_t accept[3];     /* of operands 0, 1, and the others */
    uint8_t in_place;
    bool total; /* cannot fail: nothing to do if the results are empty */
    bool pairs; /* of complex numbers, too; else those go by eval */
} StepRow;

StepRow bind_row(unsigned op);

bool bind_map(Bind *b); /* step_map.c */
bool bind_cast(Bind *b);
/* step_move.c: a view made row-major, in a workspace. */
void bind_copy_to(Bind *b, Val v, Ref to);
bool bind_view(Bind *b);  /* broadcast transpose slice rev: the view, or a copy of it */
bool bind_part(Bind *b); /* real imag */
bool bind_complex(Bind *b);
bool bind_alias(Bind *b); /* reshape bitcast stop_gradient name opt_barrier */
bool bind_const(Bind *b);
bool bind_iota(Bind *b);
bool bind_dim(Bind *b);
bool bind_pad(Bind *b);
bool bind_concat(Bind *b);
bool bind_reduce(Bind *b); /* step_reduce.c */
bool bind_arg(Bind *b);
bool bind_cum(Bind *b);
bool bind_window(Bind *b);
bool bind_dynamic_slice(Bind *b); /* step_index.c */
bool bind_dynamic_update(Bind *b);
bool bind_gather(Bind *b);
bool bind_scatter(Bind *b);
bool bind_nonzero(Bind *b);
bool bind_size(Bind *b);
bool bind_fft(Bind *b); /* step_fft.c */
bool bind_dot(Bind *b); /* step_dot.c */
bool bind_conv(Bind *b);
/* Elements of one dtype into another, row-major; stride NULL: they are row-major too. */
void bind_cast_to(Bind *b, Use from, KType from_type, const int64_t *stride, Use to,
                  KType to_type, uint32_t rank, const int64_t *dims);
/* step_attention.c: a call of a body that is attention, or its gradient. False: it is not. */
bool bind_attention(Bind *b, const CallAttr *call);
bool bind_rows(Bind *b, const CallAttr *call); /* step_rows.c: of a softmax, norm or gelu */
bool bind_codes(Bind *b, const CallAttr *call); /* step_codes.c: of a product with weights of 4 bits */
/* step_kernel.c. False: not for these sizes. */
bool bind_kernel(Bind *b, const PlanCode *c, const Sub *body);
/* step_product.c: the same where a product comes first. s: the kernel's own step. */
struct KernelStep;
bool bind_product(Bind *b, struct KernelStep *s, const Sub *body);
/* step_kernel.c: the uses of a kernel's step, see KernelStep. */
void bind_kernel_uses(Bind *b, Op *op, const struct KernelStep *s, UseKind first_out);
bool bind_call(Bind *b); /* step_flow.c: call checkpoint custom_jvp custom_vjp */
bool bind_cond(Bind *b);
bool bind_while(Bind *b);
bool bind_scan(Bind *b);
bool bind_sort(Bind *b); /* step_sort.c */
bool bind_top_k(Bind *b);
bool bind_linalg(Bind *b); /* step_linalg.c */
bool bind_eval(Bind *b); /* step_eval.c: whatever has no kernel */

#endif
