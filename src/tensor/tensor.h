/* tensor.h -- what an array is: storage and views, ops on it now or in a program, its history.
 *
 *   handle.c      handles, scopes, the state of a context
 *   store.c       memory, tensor objects, strided views, reading
 *   create.c      tensors from numbers, copies, casts
 *   promote.c     which dtype an operation has
 *   dispatch.c    the one place where an op runs now, is recorded, or enters a program
 *   replay.c      programs applied op by op
 *   fast.c        small elementwise ops without a plan
 *   trace.c       emitting into the current program
 *   open.c        programs that stay open: graphs
 *   hint.c        traces whose sizes are symbols with the example's sizes as hints; sizes for hosts
 *   measure.c     numbers of a program as sizes
 *   record.c      histories: what backward needs
 *   packed.c      saved values that a front keeps in a form of its own
 *   call.c        calls of programs that are recorded: forward once, what the derivative reads kept
 *   backward.c    from histories to derivative programs
 *   view.c        what writing into a tensor means to views
 *   layout.c      tensors that lie on a mesh
 *   parted.c      tensors of which each of several processes has a part
 *   vary.c        inside an spmd: what varies over the mesh
 *   dlpack.c      memory from and to other libraries
 *
 * Nothing here knows a numeric function (functions/), a random number (random/) or a function of functions (higher/): they
 * all come down to tensor_op and tensor_call.
 */
#ifndef WEFT_TENSOR_INTERNAL_H
#define WEFT_TENSOR_INTERNAL_H

#include "op/op.h"
#include "transform/transform.h"

typedef struct Tensor Tensor;
typedef struct RecordNode RecordNode;
typedef struct Prim Prim;
typedef struct Trace Trace;
typedef struct Tensors Tensors;
typedef struct Packer Packer;

/* ---- store.c -------------------------------------------------------------------------------- */

typedef struct Storage {
    int32_t refs;
    uint32_t version; /* number of writes */
    size_t bytes;     /* of this block, header included */
    void *data;      /* NULL: on a device that the host cannot read; see tensor_read */
    wf_array *array; /* that owns data; NULL: data follows the header */
    struct Tensor *part; /* of a tensor that processes hold together: this one's part; NULL: it is none. See parted.c */
    wf_ctx *cx;
    bool inference;       /* made in inference mode: nothing follows it, and it is written there alone */
    Place written;        /* by whom last */
    uint64_t born;        /* the innermost trace when it was made, by its id; 0: none */
    struct Storage *next; /* in a free list */
} Storage;

struct Tensor {
    int32_t refs;
    uint8_t dtype, rank;
    bool symbolic, weak;
    bool packed;     /* concrete: row-major without gaps */
    bool gone;       /* concrete: it was donated to a program */
    bool wants_grad; /* a leaf whose gradient backward accumulates */
    bool locked;     /* concrete: it, and views of it, may only be read */
    uint64_t need;   /* one bit for each kind of recorder that follows it; see record.c */
    int64_t count;   /* concrete: elements */
    int64_t offset;  /* of the first element, in elements */
    int64_t *dims, *strides; /* room, or one block of 2*rank */
    int64_t room[8];
    Storage *store;  /* concrete */
    wf_array *array; /* the same memory for the runtime, made at need */
    RecordNode *node;      /* its history; NULL: none */
    void *face;      /* of a leaf: the object by which a front knows it, not counted; NULL: none */
    uint32_t out;    /* which result of node */
    Tensor *grad;    /* of a leaf */
    uint64_t trace;  /* symbolic: id of its trace */
    Val val;         /* symbolic: in that trace's builder */
    Tensor *root;    /* concrete: the tensor it is a view of, itself no view; counted */
    Tensor *base;    /* symbolic: the tensor it rearranges; counted */
    uint32_t stamp;  /* of the root or base: writes that concern views; of a view: those it knows of */
    uint16_t view_op; /* symbolic: what makes it of its base: an OpCode, or one of the two below */
    const void *view_attr;
    Val view_index;  /* symbolic, where view_op is gather: its indices */
    bool view_unsure; /* symbolic: whether it is a view or a copy depends on sizes, or it overlaps */
    uint32_t layout; /* how it lies on a mesh; 0: not said. See layout.c */
    Tensor *next;    /* in the free list */
};

enum { VIEW_PARTS = OP_COUNT, VIEW_PAIRS }; /* complex numbers as pairs of real ones on a last axis; such pairs as complex numbers */

Tensor *tensor_retain(Tensor *t);
void tensor_release(wf_ctx *c, Tensor *t); /* NULL is fine */
/* New concrete tensor with memory, not filled. NULL after an error. */
Tensor *tensor_new(wf_ctx *c, wf_dtype dtype, const int64_t *dims, uint32_t rank);
Tensor *tensor_symbol(wf_ctx *c, Trace *tr, Val v); /* inside a region or not */
/* t, concrete and without history, is from now on what y is, a symbolic tensor. */
void tensor_become(wf_ctx *c, Tensor *t, const Tensor *y);
/* The same memory seen otherwise. No history. */
Tensor *tensor_view(wf_ctx *c, Tensor *base, wf_dtype dtype, const int64_t *dims,
                    const int64_t *strides, uint32_t rank, int64_t offset);
Tensor *tensor_alias(wf_ctx *c, Tensor *t);
/* turn.c: is it a transposed view of packed memory? Its axes in the order they have there; and that view. */
bool tensor_turn(const Tensor *t, int64_t *out_order);
Tensor *tensor_turned(wf_ctx *c, Tensor *t, const int64_t *order);
/* The product of operands as they lie in memory: how many of them were turned (the others are NULL), and its attribute
 * with axes in room. */
uint32_t turn_dot(wf_ctx *c, const DotAttr *a, Tensor *const *in, DotAttr *out,
                  int64_t room[2][2][MAX_RANK], Tensor **turned);
/* x, a concrete leaf, holds the memory of y from now on, as it is seen there. */
bool tensor_set_data(wf_ctx *c, wf_tensor x, wf_tensor y);
Tensor *tensor_from_array(wf_ctx *c, wf_array *a); /* takes over the reference */
wf_array *tensor_array(wf_ctx *c, Tensor *t); /* borrowed from t; NULL after an error */
/* Of one that the host can read: those that tensor_new made are. */
static inline bool tensor_is_here(const Tensor *t) { return t->store->data || !t->count; }
static inline void *tensor_data(const Tensor *t)
{
    return (char *)t->store->data +
           t->offset * (int64_t)wf_dtype_size((wf_dtype)t->dtype);
}
/* Its device, other than the host; or NULL. */
static inline wf_device *tensor_device(const Tensor *t)
{
    return tensor_is_here(t) ? NULL : wf_array_device(t->store->array);
}
Tensor *tensor_copy(wf_ctx *c, Tensor *t); /* with memory of its own, on the same device */
/* Row-major copy of all elements, wherever they are: the way to read a tensor. False after
 * an error. */
bool tensor_read(const Tensor *t, void *out);
void tensor_write(Tensor *t, const void *packed_data); /* the other way round; it is here */
/* Shape as [2,3] for messages, in the error arena. */
const char *shape_text(wf_ctx *c, const Tensor *t);
const char *size_text(wf_ctx *c, int64_t size); /* of the innermost trace */

/* ---- handle.c ---------------------------------------------------------------------------------- */

typedef struct HandleSlot {
    Tensor *t; /* NULL: free */
    uint64_t gen;
    uint32_t owners;
    uint32_t next; /* free list */
} HandleSlot;

typedef struct ScopeEntry {
    uint32_t index;
    uint64_t gen;
} ScopeEntry;

#define FREE_SIZES 8 /* storage blocks of up to 64 << (k) bytes are kept for reuse */

typedef struct Results { /* of a C function */
    wf_tensor *v;
    uint32_t n, cap;
} Results;

struct Tensors {    /* the state of one context */
    uint32_t owner; /* in handles, tells contexts apart */
    HandleSlot *slots;
    uint32_t nslots, slot_cap, free_slot; /* free_slot: index + 1 */
    uint64_t next_gen;
    ScopeEntry *entries; /* of all open scopes */
    uint32_t nentries, entry_cap;
    uint32_t *marks; /* where each open scope begins in entries */
    uint32_t nmarks, mark_cap;
    int64_t live, live_bytes;
    Tensor *free_tensors;
    Storage *free_stores[FREE_SIZES], *free_heads; /* the latter without data of their own */
    RecordNode *free_nodes[4];

    Place place;
    Arena names; /* file names of places, layouts */
    const char *layouts[512];
    uint32_t nlayouts;
    struct PartMesh *part_meshes; /* those of several processes: parted.c */
    const struct PartedOps *parted; /* what is done with such tensors; NULL: there has been no such mesh */
    uint32_t lenient;   /* > 0: layouts that are a part of types refuse nothing */
    const char *files[64];
    uint32_t nfiles, lost_marks;

    Prim **prims; /* hash table */
    uint32_t nprims, prim_cap;
    Prim *last[OP_COUNT]; /* the one used last for each op */
    Prim *calls;          /* those of programs, the one used last first */

    Trace *trace; /* innermost */
    uint64_t next_trace;
    Trace *open; /* the traces of graphs */
    void (*open_free)(wf_ctx *c); /* of higher/graph.c, where there are any */

    Results *giving; /* where wf_give puts results; NULL: nowhere */
    Results given;   /* of the last call of a function with any number */
    struct Rule *rule; /* the innermost custom rule being traced; custom.c */

    uint64_t recorders; /* bits of the open ones; bit 0: requires-grad */
    int no_grad;        /* > 0: nothing is recorded */
    bool inference;     /* what is made is of no derivative's concern (Storage) */
    bool cuts;          /* no_grad inside a trace cuts the derivative of what is emitted there */
    RecordNode *dead;         /* nodes to be freed, one after the other: histories are deep */
    bool burying;
    uint64_t epoch;            /* of walks over histories */
    uint64_t serial;           /* of the last step that was recorded */
    Packer *packer;      /* in force; NULL: values are saved as they are */
    uint32_t npacked;    /* nodes with packed values */
    struct BackProgram *backs; /* derivative programs by shape of history */
    uint32_t nbacks;
    uint64_t back_hits;
    struct RandomState *random; /* made at need; random/random.h */
    void (*random_free)(wf_ctx *c);
};

void tensors_drop_caches(wf_ctx *c); /* backward.c: derivative programs */
void prims_free(wf_ctx *c);          /* dispatch.c */
Tensors *tensors_of(wf_ctx *c);      /* made at need; NULL when memory is exhausted, c is, or another thread is in it */
static inline Tensors *ts(wf_ctx *c)
{
    return c && c->tensors && !ctx_elsewhere(c) ? c->tensors : tensors_of(c);
}
/* The tensor of a handle, borrowed; NULL with an error naming fn. */
Tensor *tensor_get(wf_ctx *c, wf_tensor h, const char *fn);
/* A handle in the current scope; takes over the reference. t NULL: WF_NONE. */
/* v, of n elements and all its room taken, with twice the room (*cap); NULL, and v as it was: no memory. mem_free ends it. */
void *tensors_grow(wf_ctx *c, void *v, uint32_t n, uint32_t *cap, size_t elem);
wf_tensor tensor_handle(wf_ctx *c, Tensor *t);
wf_tensor tensor_handle_kept(wf_ctx *c, Tensor *t); /* of no scope: wf_drop ends it */
static inline wf_tensor tensor_keep(wf_ctx *c, wf_tensor h) /* wf_keep of one that tensor_get has found */
{
    c->tensors->slots[h.index].owners++;
    return h;
}
/* Handles made since are released at the end, but for the results. */
uint32_t scope_open(wf_ctx *c);
wf_tensor scope_close(wf_ctx *c, wf_tensor keep);
void scope_close_n(wf_ctx *c, const wf_tensor *keep, int n);

/* "fn: ..." at the current place; gives WF_NONE. */
wf_tensor tensor_fail(wf_ctx *c, wf_status status, const char *fmt, ...) PRINTF(3, 4);

/* A protected region in a function that gives `ret` on failure. */
#define T_ENTER(cx, ret)                                                                 \
    Region region_;                                                                      \
    if (failed(cx))                                                                      \
        return ret;                                                                      \
    if (!api_enter_(cx, &region_))                                                       \
        return ret;                                                                      \
    if (setjmp(region_.jump)) {                                                          \
        api_out_of_memory(cx, &region_);                                                 \
        return ret;                                                                      \
    }
#define T_LEAVE(cx) (void)api_leave(cx, &region_)

/* ---- shapes: dims of the innermost trace, or plain numbers ---------------------------------------- */

typedef struct Shape {
    uint32_t rank;
    Dim d[MAX_RANK];
} Shape;

bool shape_of(wf_ctx *c, wf_tensor t, const char *fn, Shape *out);
Dim size_add(wf_ctx *c, Dim a, Dim b);
Dim size_sub(wf_ctx *c, Dim a, Dim b);
Dim size_sub_or_zero(wf_ctx *c, Dim a, Dim b); /* 0 where a < b is known */
Dim size_mul(wf_ctx *c, Dim a, Dim b);
Dim size_div(wf_ctx *c, Dim a, Dim b); /* floor */
Dim size_prod(wf_ctx *c, const Dim *d, uint32_t n);
bool size_is_known(wf_ctx *c, Dim d); /* a number, or of the innermost trace or an open graph */
/* The same size? In a hinted trace sizes that agree in the example are made one. */
bool size_same(wf_ctx *c, Dim a, Dim b);
/* The same where they are symbols of inputs, or from now on: a run whose sizes differ there is refused. */
bool size_same_or_guarded(wf_ctx *c, Dim a, Dim b);
bool size_is_found(wf_ctx *c, Dim d); /* does it mention a size that only a run knows? */
/* Is it 1? In a hinted trace a symbol that is 1 in the example becomes 1. */
bool size_one(wf_ctx *c, Dim d);
/* a == q*b; false: not so, or not provable (in a hinted trace it is made so) */
bool size_exact(wf_ctx *c, Dim a, Dim b, Dim *out_q);
bool size_quotient(wf_ctx *c, Dim a, Dim b, Dim *out_q); /* only if it is so for all sizes: nothing is joined */
/* An axis in 0..rank-1; false with an error. */
bool axis_of(wf_ctx *c, const char *fn, int axis, uint32_t rank, uint32_t *out);
/* A size as an i64 or float scalar tensor (weak). */
wf_tensor size_tensor(wf_ctx *c, Dim d);
/* measure.c: an integer scalar as a number or, inside a trace, as a size (*size is not DIM_NONE). define: what is neither
 * defines a symbol; else *number is INT64_MIN then. */
bool tensor_measure(wf_ctx *c, wf_tensor t, bool define, int64_t *number, Dim *size);

/* ---- create.c ---- */

/* May a tensor have this type? *out_symbolic: a size is one of the innermost trace. */
/* A tensor on the meta device: of this type, without numbers. */
wf_tensor tensor_meta(wf_ctx *c, wf_dtype dtype, const int64_t *dims, int rank);
bool tensor_has_numbers(wf_ctx *c, wf_tensor h); /* neither in a program nor on that device */
bool tensor_check_shape(wf_ctx *c, const char *fn, wf_dtype dtype, const int64_t *dims, int rank,
                        bool *out_symbolic);

/* ---- promote.c ---- */

/* wf_promote by the rules in force. */
wf_dtype tensor_promoted(const wf_ctx *c, wf_dtype a, bool a_weak, bool a_zero, wf_dtype b, bool b_weak,
                  bool b_zero);

/* ---- dispatch.c -------------------------------------------------------------------------------- */

typedef struct PType {
    uint8_t dtype, rank;
    const int64_t *dims;
} PType;

/* call.c: a program as its calls are recorded, where certain operands are followed */
/* A program prepared where its operands are: for the host, and for the device that came last. */
typedef struct Execs {
    wf_exec *here, *there;
} Execs;

typedef struct CallForm {
    struct CallForm *next;  /* of the same prim, in whose arena all of this is */
    bool *follows;          /* of each operand */
    const Program *forward; /* operands.. -> (results.., extra..); NULL: cannot be split */
    const Program *linear;  /* (taken.., tangents of the followed..) -> those of results with nz */
    Execs exec;             /* of forward, made at need */
    PType *out;             /* of forward */
    uint32_t nout;
    uint32_t *taken; /* < nin: operand, else result of forward + nin */
    uint32_t ntaken;
    bool *nz; /* of each result of the program */
    struct CallForm *gradient;    /* the form with gradients, which stands for this one while that pays; NULL: not made */
    struct CallForm *split;       /* of such a form: the one it stands for; NULL: it is none */
    int8_t score;                 /* how often calls were followed by a backward pass lately, see call_form */
    bool alone;                   /* there is no form with gradients */
} CallForm;

struct Prim { /* an op with its attribute on operands of known types */
    wf_ctx *cx;
    Prim *next;
    Prim *newer, *older; /* of a call: in Tensors.calls */
    uint64_t hash;
    int32_t refs; /* of nodes, and one of the table */
    OpCode op;
    Arena arena;
    const void *attr;
    uint32_t nin, nout;
    PType *in, *out;
    const Program *program; /* one equation, or the body of a call */
    Execs exec;
    wf_exec *giving; /* the same where results take the memory of operands, by gives; NULL: not yet */
    wf_exec *giving_of; /* of which executable that is */
    bool *gives;     /* of each operand */
    wf_exec *spread; /* the same where operands lack axes along which they repeat, by spread_axes; NULL: not yet. See spread.c */
    uint64_t spread_axes[3];
    CallForm *forms; /* of a call */
    struct PartedForm *parted; /* what a process does of it, by how operands lie: parted.c */
    bool *
        saves; /* NULL: not known yet. [nin][nin + nout]: does the derivative by operand i read
                    operand or result k? */
    bool *reaches; /* of a call, NULL: not known yet. [nin][nout]: may result j have a derivative by operand i? */
};

void execs_release(Execs *e);
/* The op on operands of these types, made at need. NULL with an error. It stays until another is looked for; with a reference
 * longer. */
Prim *prim_find(wf_ctx *c, OpCode op, Tensor *const *in, uint32_t nin, const void *attr);
/* Concrete operands that this process has; nothing is recorded. */
bool tensor_run_prim(wf_ctx *c, Prim *p, Tensor *const *in, Tensor **out);
bool tensor_run(wf_ctx *c, wf_exec *e, Tensor *const *in, uint32_t nin, Tensor **out, uint32_t nout);

/* Apply a primitive. Operands must already have the dtypes and shapes the op wants. out: nout handles
 * (the number the op has for these operands; may not be exceeded). False after an error. */
typedef union DotOrConv { /* attributes of one, to change */
    DotAttr dot;
    ConvAttr conv;
} DotOrConv;

/* storage.c: the storage dtype among the operands of an op that does more than move them, or WF_INVALID; and that op */
wf_dtype storage_of(wf_ctx *c, OpCode op, const wf_tensor *in, uint32_t nin);
bool storage_op(wf_ctx *c, wf_dtype storage, OpCode op, const wf_tensor *in, uint32_t nin,
                const void *attr, wf_tensor *out, uint32_t nout);
bool tensor_op(wf_ctx *c, OpCode op, const wf_tensor *in, uint32_t nin, const void *attr,
               wf_tensor *out, uint32_t nout);
wf_tensor tensor_op1(wf_ctx *c, OpCode op, const wf_tensor *in, uint32_t nin,
                     const void *attr);
/* The one result of e on concrete tensors of the host, not recorded. */
wf_tensor tensor_run_plain(wf_ctx *c, wf_exec *e, Tensor *const *in, uint32_t nin);
/* Apply a program: runs it, records it as one step, or copies it into the current program. */
bool tensor_call(wf_ctx *c, const Program *p, const wf_tensor *in, uint32_t nin,
                 wf_tensor *out, uint32_t nout);
/* The same; where it runs now and is not recorded, results may take the memory of the donated operands, which are
 * gone afterwards: their use is an error. Tensors to which there are other references than the caller's, so many
 * to each, are copied, and stay. */
/* The same, whose results lie so: specs on the mesh of processes that head names (parted.c). */
bool tensor_call_lying(wf_ctx *c, const Program *p, const wf_tensor *in, uint32_t nin, const char *head, const char *specs,
                       wf_tensor *out, uint32_t nout);
bool tensor_call_donating(wf_ctx *c, const Program *p, const wf_tensor *in, uint32_t nin,
                          const bool *donated, int32_t refs, wf_tensor *out,
                          uint32_t nout);
/* spread.c: an elementwise op on operands of which some repeat along axes, without filling them out. *out stays NULL where
 * none does. */
bool tensor_run_spread(wf_ctx *c, Prim *p, Tensor *const *in, Tensor **out);
/* update.c: the results of p, of the types of its first operands, take their place and memory: all who share it see
 * the new numbers. *exec: made at the first time, the caller's to keep and release. *out_done false without an error: not
 * for these operands (another type or device, memory that overlaps or may only be read). Nothing is recorded. */
bool tensor_update(wf_ctx *c, const Program *p, wf_exec **exec, const wf_tensor *in, bool *out_done);
/* replay.c: apply a program op by op. in: concrete, of the types p takes */
bool replay_program(wf_ctx *c, const Program *p, const wf_tensor *in, wf_tensor *out);
PType prim_type(Prim *p, Type t);     /* a lasting copy */
bool replay_is_views(const Program *p, Val v, Val of); /* is v made of that value by views alone? */
/* After a run of p on `in`, and after its result `written` (< 0: none) went into input `to`: result `out` as a
 * view of that input; none, if views alone do not make it of that. */
wf_tensor replay_view(wf_ctx *c, const Program *p, uint32_t out, const wf_tensor *in,
                      uint32_t to, int64_t written);
bool defines_sizes(const Program *p); /* has equations that do, such as nonzero */
void prim_release(wf_ctx *c, Prim *p);
/* Strides that give t the new shape in the same memory; false if there are none. */
bool reshape_strides(const Tensor *t, const int64_t *dims, uint32_t rank, int64_t *strides);
/* fast.c: a small elementwise op on concrete operands, which are broadcast if spread, else must have one shape; NULL: not
 * one of those, or no memory. No history. */
Tensor *fast_map(wf_ctx *c, OpCode op, Tensor *const *in, uint32_t nin, bool spread);

/* ---- trace.c ----------------------------------------------------------------------------------- */

typedef enum TraceKind {
    TRACE_OPEN,   /* symbolic and recorded tensors from outside are captured; others are constants */
    TRACE_CLOSED, /* symbolic ones are captured; all concrete ones are constants: graphs */
    TRACE_BODY    /* all are captured but host numbers: bodies of control flow */
} TraceKind;

typedef struct TraceAxis { /* the named axis of a vmap, or the axes of a mesh */
    const char *name;      /* NULL: none; of a mesh its text */
    Dim size;              /* of the trace around */
    const struct Mesh *mesh; /* of spmd; NULL: a vmap */
    bool check;              /* it is known over which axes values vary (SpmdAttr) */
} TraceAxis;

typedef struct Capture { /* a value from outside: an input behind the others */
    Tensor *t;
    Val val;
} Capture;

struct Trace {
    Trace *outer;
    uint64_t id;
    Builder *b;
    uint32_t held; /* equations whose constants and sub-programs are retained */
    bool broken;   /* memory ran out inside the builder */
    wf_graph *graph; /* that owns it: outer only while it is entered; NULL: none */
    Trace *next_open; /* in Tensors.open */
    uint32_t entered; /* how often again, by wf_graph_enter */
    TraceKind kind;
    TraceAxis axis; /* of the vmap this is the body of */
    bool hinted;    /* sizes that must agree are made to, by their hints: hint.c */
    const wf_tensor *example; /* of a hinted trace: the inputs; borrowed */
    int no_grad;    /* how deep in no_grad it began */
    bool guarded;   /* the same without hints */
    Dim *alias;     /* what each of the first nalias symbols was replaced by, or itself */
    uint32_t nalias;
    Capture *captures;
    uint32_t ncaptures, capture_cap;
    uint32_t *vary; /* of its values: over which axes of the mesh they vary; as far as it was asked, see vary.c */
    uint32_t nvary, varied; /* room; equations seen */
};

Trace *trace_new(wf_ctx *c, const char *name); /* NULL after an error */
void trace_free(wf_ctx *c, Trace *tr);         /* everything in it is gone */
Trace *trace_begin(wf_ctx *c, const char *name); /* a new one, the innermost */
void trace_end(wf_ctx *c); /* free the innermost; a graph is only left */
Trace *trace_of_size(Trace *tr, Dim d); /* tr or the one around it that d is of; of a number tr; NULL: there is none */
/* Inside a region: a size of tr, or of a trace around it, as one of tr; false: it is neither. */
bool trace_size(wf_ctx *c, Trace *tr, Dim *d);
wf_tensor trace_input(wf_ctx *c, Trace *tr, const char *name, wf_dtype dtype,
                      const Dim *dims, uint32_t rank);
/* The program with these results; inputs in order, then the captures. Retained; NULL after an error. */
const Program *trace_finish(wf_ctx *c, const wf_tensor *out, uint32_t nout);
Trace *trace_find(wf_ctx *c, uint64_t id); /* NULL: it has ended */
/* Inside a region: t as a value of tr. */
Val trace_value(wf_ctx *c, Trace *tr, Tensor *t);
/* A concrete tensor as a further input of the trace, behind the others. Inside a region. */
Val trace_capture(wf_ctx *c, Trace *tr, Tensor *t);
void trace_hold(Trace *tr); /* inside a region, after equations were added */
bool trace_emit(wf_ctx *c, OpCode op, Tensor *const *in, uint32_t nin, const void *attr,
                Tensor **out, uint32_t nout);
bool trace_call(wf_ctx *c, const Program *p, Tensor *const *in, uint32_t nin,
                Tensor **out, uint32_t nout);
/* A dim of one trace as a dim of a program inside it. Inside a region. */
Dim trace_dim(wf_ctx *c, Builder *to, Trace *from, Dim d);

/* ---- layout.c ---- */

uint32_t layout_intern(wf_ctx *c, const char *text); /* 0 after an error */
const char *layout_text(wf_ctx *c, uint32_t layout); /* NULL of 0 */
uint32_t layout_explicit(wf_ctx *c, const Tensor *t); /* its layout, if that is a part of its type; else 0 */
uint32_t layout_row(wf_ctx *c, uint32_t layout, uint32_t axis); /* without one axis of the array */
/* After an op, or a call: how its results lie, if an operand says how it does. */
bool layout_spread(wf_ctx *c, OpCode op, const void *attr, const Program *call, Tensor *const *in, uint32_t nin,
                   Tensor *const *out);
/* The length of WHICH|MESH| in front. */
size_t layout_head(const char *text);
/* How the results of p lie on the mesh of head, which is in front of a layout, 0: nothing says it. cuts: p is a slice that is
 * taken at once. Inside a region. */
bool layout_results(wf_ctx *c, const Program *p, bool cuts, const char *head, Tensor *const *in, uint32_t nin, uint32_t *out);
bool layout_agrees(wf_ctx *c, const char *name, Tensor *const *in, uint32_t nin); /* do they name the same devices? */
/* Derivatives of which nothing is said lie as what they are of. */
void layout_follow(wf_ctx *c, Tensor *const *x, uint32_t n, const wf_tensor *out);

/* ---- parted.c ----
 *
 * What all tensors' functions need of it stands in a table that the first mesh brings, so that a program without processes does not
 * have their exchanges in it. */

typedef struct PartedForm PartedForm;
typedef struct PartedOps {
    Tensor *(*copy)(wf_ctx *c, Tensor *t);
    wf_tensor (*full)(wf_ctx *c, Tensor *like, double x); /* each process fills its part */
    /* p on operands of which some are parts, in step with the other processes; wanted: specs of the results, on the mesh of head;
     * both NULL: as they come. */
    bool (*run)(wf_ctx *c, Prim *p, Tensor *const *in, const char *head, const char *wanted, Tensor **out);
    void (*forms_free)(PartedForm *f);
} PartedOps;

/* Has this process but a part of it? */
static inline bool tensor_is_parted(const Tensor *t) { return !t->symbolic && t->store && t->store->part; }
/* Layouts that begin with head ("WHICH|MESH|") are divided among the processes of a world, which are the devices of `mesh`: the
 * same axes, each as long as processes stand along it. */
bool parted_mesh(wf_ctx *c, const char *head, const char *mesh, struct wf_comm *world);
void parted_meshes_forget(wf_ctx *c); /* the world ends */
Tensor *parted_part(wf_ctx *c, const Tensor *t); /* that part, borrowed; NULL with an error */
/* Where the part of this process is of a tensor that lies so; false: it has the whole, or with an error. */
bool parted_place(wf_ctx *c, const char *layout, const int64_t *dims, uint32_t rank, int64_t *start, int64_t *size);
Tensor *parted_join(wf_ctx *c, Tensor *part, const char *layout, const int64_t *dims, uint32_t rank); /* of the parts of all */
/* t as layout says, by an exchange where that needs one; NULL: the whole, in every process. */
Tensor *parted_lie(wf_ctx *c, Tensor *t, const char *layout);

/* ---- vary.c: inside an spmd, bits for the axes of its mesh ---- */

const TraceAxis *innermost_mesh(wf_ctx *c); /* NULL: there is none */
uint32_t tensor_vary(wf_ctx *c, const Tensor *t);
void trace_set_vary(wf_ctx *c, Trace *tr, Val v, uint32_t axes); /* of an input */
/* Of inputs, then captures. In a region. */
uint32_t *tensor_vary_all(wf_ctx *c, const wf_tensor *in, uint32_t nin, Tensor *const *captures, uint32_t ncaptures);
/* ---- view.c ---- */

/* May v be written into x? Into one place several times: only the same number. */
bool view_may_take(const Tensor *x, const Tensor *v);
/* Concrete: both lie in one piece of the same memory, and share a part of it or have it in another order. */
bool view_laps(const Tensor *x, const Tensor *v);
/* Concrete: x's memory from place `offset` of it on, with these sizes and strides. A complex tensor has a history as one of real
 * numbers, too, and the other way round. */
wf_tensor view_strided(wf_ctx *c, wf_tensor x, wf_dtype dtype, const int64_t *dims, const int64_t *strides,
                       uint32_t rank, int64_t offset);
/* Symbolic: real and imaginary parts on a new last axis; pairs: the numbers that the last axis has the parts of. WF_NONE, without
 * a failure: no room for the axis, or x is of another trace. */
wf_tensor view_of_parts(wf_ctx *c, wf_tensor x, bool pairs);
typedef enum Sharing { SHARES, COPIES, UNSURE } Sharing;
/* Inside a region: does t, symbolic, take these sizes in the memory it would have? */
Sharing view_reshapes(Builder *b, const Tensor *t, const Dim *dims, uint32_t rank);
bool view_is_packed(wf_ctx *c, const Tensor *t); /* symbolic: row-major without gaps, as far as is known */
Tensor *view_top(Tensor *t); /* symbolic: what it is a view of in the end, or t */
/* Symbolic: y, gathered from x by a, is a view of x from now on. */
void view_gathered(wf_ctx *c, wf_tensor x, wf_tensor index, const GatherAttr *a, wf_tensor y);
wf_tensor own_result_of(wf_ctx *c, wf_tensor x, wf_tensor y); /* y, or a copy if it is a view of x */
void history_take(wf_ctx *c, Tensor *t, const Tensor *from); /* from NULL: none */
/* Concrete: root's history, now that its view x becomes v; and that of a view whose root was written to. */
bool view_write_back(wf_ctx *c, Tensor *x, wf_tensor v);
/* A concrete tensor that the function being traced has made, and that nothing else shares the memory of but what it is a view
 * of: it, and that, are values of the program from now on. False: it is another, or after an error. */
bool view_lift(wf_ctx *c, Tensor *x);
bool view_refresh(wf_ctx *c, Tensor *t);
static inline bool view_is_old(const Tensor *t)
{
    return UNLIKELY(t->root && t->stamp != t->root->stamp);
}
Tensor *tensor_with_history(wf_ctx *c, wf_tensor h, const char *fn); /* tensor_get, refreshed */
/* Symbolic, inside a region. */
void view_remember(Trace *tr, Tensor *in, Tensor *out, int op, const void *attr); /* a view_op */
void view_make_again(wf_ctx *c, Tensor *t); /* if its base was written to */
bool view_assign(wf_ctx *c, const char *fn, Trace *tr, Tensor *x, Val v); /* x becomes v */

/* ---- open.c: traces that stay open, those of graphs ---- */

Trace *graph_find(wf_ctx *c, uint64_t id); /* of an open graph; NULL: none */

/* What is done with tensors or sizes of a graph outside any trace is done in that graph: it is the innermost trace until
 * the end of the block. */
typedef struct InGraph {
    wf_ctx *c; /* NULL: nothing was changed */
} InGraph;
InGraph graph_enter_tensors(wf_ctx *c, Tensor *const *in, uint32_t n);
InGraph graph_enter_handles(wf_ctx *c, const wf_tensor *in, int n);
InGraph graph_enter_call(wf_ctx *c, wf_tensor index, const wf_tensor *in, int nin);
InGraph graph_enter_size(wf_ctx *c, Dim d); /* d >= 0: of none */
InGraph graph_enter_attr(wf_ctx *c, OpCode op, const void *attr);
void graph_restore(InGraph *g);
#define IN_GRAPH_(call) InGraph in_graph_ __attribute__((cleanup(graph_restore), unused)) = call
#define IN_GRAPH_OF(c, in, n) IN_GRAPH_(graph_enter_handles(c, in, n))
#define IN_GRAPH_OF_SIZE(c, d) IN_GRAPH_(graph_enter_size(c, d))

/* ---- hint.c ---- */
/* Is a size of the program that is traced never 0? Symbols stand for 1 and more. */
bool size_is_positive(wf_ctx *c, int64_t size);
Trace *hinted_trace(wf_ctx *c); /* the innermost one or one around it; NULL: none */
/* The innermost trace in which sizes that must agree are made one: a hinted one, or one with guards. */
Trace *joining_trace(wf_ctx *c);
/* Inside a region: replace the symbols of d by their hints in all traces from the innermost outwards. */
void hint_pin(wf_ctx *c, Dim d);
/* Inside a region: a size, the attribute, with what symbols were replaced by. */
Dim hint_size(wf_ctx *c, Trace *tr, Dim d);
const void *hint_attr(wf_ctx *c, Trace *tr, OpCode op, const void *attr);
bool hint_exact(wf_ctx *c, Dim a, Dim b, Dim *out_q);

/* ---- reach.c ---- */
/* out_reaches[i * nout + j]: may result j of p have a derivative by operand i? Scratch in a. */
void reach_program(Arena *a, const Program *p, bool *out_reaches);

/* ---- record.c ---------------------------------------------------------------------------------- */

typedef struct Edge {
    RecordNode *node; /* history of the operand; NULL: not followed */
    uint32_t out;
    uint32_t version; /* of saved's memory when it was saved */
    Tensor *saved;    /* the operand, if the derivative reads it */
} Edge;

/* What a front hangs on a leaf whose derivative it takes itself. */
typedef struct Host {
    void (*release)(wf_ctx *c, struct Host *h); /* with the node */
} Host;

struct RecordNode {
    int32_t refs;
    uint8_t cls;  /* free list */
    bool freed;   /* it had saved values, which are gone */
    Prim *prim;   /* NULL: a leaf */
    Tensor *leaf; /* of a leaf: the tensor, not counted, NULL when it is gone */
    Host *host;        /* of a leaf; NULL: none */
    struct Packed *packed; /* saved values that are elsewhere; NULL: none. See packed.c */
    CallForm *form; /* of a call: how it was recorded; NULL: the operands are all there is */
    const char *label; /* what a front calls this step; lives as long; NULL: none */
    uint64_t need;
    uint64_t serial; /* steps that read its results have a greater one */
    uint64_t epoch;  /* of the last walk that saw it */
    uint64_t wanted; /* the last walk to which its derivative mattered */
    uint32_t order;  /* in that walk */
    Place place;
    uint32_t nin, nout;
    size_t bytes;
    RecordNode *next; /* free list */
    uint32_t *out_version;
    Tensor **out_saved; /* nout: results that the derivative reads, without history */
    Edge in[];
};

/* ---- packed.c ---- */

struct Packer { /* what a front does with values that are saved */
    Host *(*pack)(wf_ctx *c, Packer *p, Tensor *t); /* NULL after an error */
    Tensor *(*unpack)(wf_ctx *c, Host *h);          /* a new reference; NULL after an error */
};

typedef struct PackedNodes {
    RecordNode **v; /* held */
    uint32_t n, cap;
} PackedNodes;

/* What n saved goes to the packer in force; in: the operands, with their history. */
bool packed_take(wf_ctx *c, RecordNode *n, Tensor *const *in);
void packed_drop(wf_ctx *c, RecordNode *n);
/* All that is packed behind y is tensors again, until packed_forget, which is to be called in any case. */
bool packed_restore(wf_ctx *c, Tensor *const *y, uint32_t ny, PackedNodes *out);
void packed_forget(wf_ctx *c, PackedNodes *nodes);
/* What n saved of operand `at`, or of result at - nin: a new reference; NULL: nothing, or after an error. */
Tensor *saved_value(wf_ctx *c, RecordNode *n, uint32_t at);

/* ---- record.c again ---- */

void node_release(wf_ctx *c, RecordNode *n);
void node_free_saved(wf_ctx *c, RecordNode *n);
/* Does an open recorder follow it? */
bool tensor_is_followed(const wf_ctx *c, const Tensor *t);
/* Give the results their history; form (of calls, may be NULL): out has all results of its forward. False after
 * an error. */
bool record_op(wf_ctx *c, Prim *p, CallForm *form, Tensor *const *in, Tensor **out);
bool record_leaf(wf_ctx *c, Tensor *t); /* t gets a leaf node, if it has no history yet */

/* ---- call.c ---------------------------------------------------------------------------------------- */

/* The form for operands of which these are followed, made at need; NULL after an error. */
CallForm *call_form(wf_ctx *c, Prim *p, Tensor *const *in);
void call_forms_free(CallForm *f);
/* A backward pass went through a call of this form to all operands that are followed. */
void call_was_derived(CallForm *f);
/* Emit the tangents of the results. in: operands, for linear ones then all results of the form's forward. dx: of
 * operands, VAL_NONE is zero. dy: zeroed; whole with a form gives those of the extra results, too. */
bool call_derive_whole(Builder *b, const Prim *p, const CallForm *f, const Val *in,
                       const Val *dx, Val *dy);
bool call_derive_linear(Builder *b, const Prim *p, const CallForm *f, const Val *in,
                        const Val *dx, Val *dy);

/* ---- backward.c ---------------------------------------------------------------------------------- */

enum { GRAD_KEEP = 1, GRAD_CREATE = 2, GRAD_UNUSED_OK = 4, GRAD_ALL = 8 }; /* as in weft_tensor.h */

/* Derivative of y by x through the recorded history. gy: cotangents for each y. out: for each x, WF_NONE where
 * y does not depend on it. */
bool history_vjp(wf_ctx *c, const wf_tensor *y, const wf_tensor *gy, uint32_t ny,
                 const wf_tensor *x, uint32_t nx, unsigned flags, wf_tensor *out);
/* Directional derivative: dx for each x; out: for each y, WF_NONE where it is zero. */
bool history_jvp(wf_ctx *c, const wf_tensor *y, uint32_t ny, const wf_tensor *x,
                 const wf_tensor *dx, uint32_t nx, unsigned flags, wf_tensor *out);

/* Which values of the builder do the equations that lead to outs, and outs, read? In its arena. */
bool *used_values(Builder *b, const Val *outs, uint32_t nouts);

/* tensor_op1 for handles of one and two operands */
static inline wf_tensor op_1(wf_ctx *c, OpCode op, wf_tensor x, const void *attr)
{
    return tensor_op1(c, op, &x, 1, attr);
}
static inline wf_tensor op_2(wf_ctx *c, OpCode op, wf_tensor x, wf_tensor y,
                             const void *attr)
{
    return tensor_op1(c, op, (wf_tensor[]){x, y}, 2, attr);
}

#endif
