/* op.h -- the primitives: attribute structs, shared rules, and builders (b_add, b_reshape ...).
 *
 * Who adds an op writes a row in ops.def, its rules, op_row_<name> and op_rules_<name> in op_<family>.c, and a
 * builder here if other rules use it. docs/adding-an-op.md goes through it.
 */
#ifndef WEFT_OP_H
#define WEFT_OP_H

#include "ir/ir.h"

/* ---- attributes --------------------------------------------------------------------------------- */

typedef struct ConstAttr { /* const f32[2,3] [1,2,3,4,5,6]; const f32[N] 0 (splat) */
    Type type;
    const ConstData *data; /* one element: a splat */
    bool splat;
} ConstAttr;

typedef struct ReduceAttr { /* reduce_sum x axes=[0,2]: those axes are gone from the result */
    Ints axes;              /* sorted, distinct */
} ReduceAttr;

typedef struct ArgAttr { /* argmax x axis=1 dtype=i64 */
    int64_t axis;
    int32_t dtype; /* of the index: i32 or i64 */
} ArgAttr;

typedef struct CumAttr { /* cumsum x axis=0 */
    int64_t axis;
    bool reverse;
} CumAttr;

typedef struct CumExtremeAttr { /* cummax x axis=0; begins as CumAttr */
    int64_t axis;
    bool reverse;
    bool split; /* equals share the derivative */
} CumExtremeAttr;

typedef struct TopAttr { /* top_k x axis=1 k=5 */
    int64_t axis;
    int64_t k;
    bool largest;
} TopAttr;

typedef struct SortAttr { /* sort k v axis=0 keys=1: operands sorted together, lexicographically by the first keys */
    int64_t axis;
    int64_t keys;
    Ints descending; /* 0 or 1 for each key; empty: all ascending */
} SortAttr;

typedef struct WindowAttr { /* reduce_window_sum x window=[1,3] stride=[1,2] pad_lo=[0,1] pad_hi=[0,1] */
    Ints window;            /* all of these have one entry per axis; empty: all 1 (strides, dilations) or 0 (pads) */
    Ints stride;
    Ints pad_lo, pad_hi;    /* dims */
    Ints base_dilation, window_dilation;
} WindowAttr;

typedef struct ShapeAttr { /* reshape x [N,28,28] */
    Ints dims;
} ShapeAttr;

typedef struct BroadcastAttr { /* broadcast x [N,10] dims=[1]: axis i of x is axis dims[i] of the result */
    Ints shape;
    Ints dims; /* increasing; an axis of x of constant size 1 may stretch */
} BroadcastAttr;

typedef struct TransposeAttr { /* transpose x perm=[1,0]: axis i of the result is axis perm[i] of x */
    Ints perm;
} TransposeAttr;

typedef struct SliceAttr { /* slice x start=[0,2] limit=[N,10] stride=[1,2] */
    Ints start, limit;     /* dims, 0 <= start <= limit <= size */
    Ints stride;           /* >= 1; empty: all 1 */
} SliceAttr;

typedef struct PadAttr { /* pad x value lo=[0,1] hi=[0,1] interior=[0,0] */
    Ints lo, hi;         /* dims, may be negative (cuts) */
    Ints interior;       /* >= 0; empty: all 0 */
} PadAttr;

typedef struct AxisAttr { /* concat a b axis=0 */
    int64_t axis;
} AxisAttr;

typedef struct AxesAttr { /* rev x axes=[0] */
    Ints axes;
} AxesAttr;

typedef struct IotaAttr { /* iota i32[N,4] axis=1 */
    Type type;
    int64_t axis;
} IotaAttr;

typedef struct DtypeAttr { /* cast x f16; bitcast x u32 */
    int32_t dtype;
} DtypeAttr;

typedef struct DimAttr { /* n = dim N*2 */
    Dim dim;
} DimAttr;

typedef struct SymAttr { /* size n as=K; i = nonzero x as=K */
    Dim sym;
} SymAttr;

enum { INDEX_CLIP, INDEX_FILL, INDEX_DROP, INDEX_PROMISED }; /* gather: clip fill promised; scatter: clip drop promised */

typedef struct GatherAttr { /* dims numbered as StableHLO's gather; index vector is the last axis of indices */
    Ints offset_dims, collapsed, operand_batching, indices_batching, start_index_map;
    Ints slice_sizes; /* dims */
    int32_t mode;
    double fill;      /* for mode fill */
} GatherAttr;

typedef struct ScatterAttr { /* as StableHLO's scatter; duplicates apply in index order */
    Ints update_window, inserted, operand_batching, indices_batching, operand_dims;
    int32_t mode;
    bool unique; /* promise: no element is written twice */
} ScatterAttr;

typedef struct DynamicSliceAttr { /* dynamic_slice x i j sizes=[1,N]: starts are clamped to fit */
    Ints sizes;                   /* dims */
} DynamicSliceAttr;

extern const char *const op_precisions[]; /* wf_precision as in text; NULL-terminated */

typedef struct DotAttr { /* dot_general x y lhs=[1] rhs=[0] lhs_batch=[] rhs_batch=[] acc=f32 */
    Ints lhs, rhs;       /* contracted axes */
    Ints lhs_batch, rhs_batch;
    int32_t acc;         /* dtype of accumulation and of the result. Result axes: batch, lhs free, rhs free */
    int32_t precision;   /* wf_precision */
} DotAttr;

typedef struct ConvAttr {
    Ints lhs_spec; /* axes of the input that are batch, feature, spatial.. */
    Ints rhs_spec; /* axes of the kernel that are out feature, in feature, spatial.. */
    Ints out_spec; /* axes of the result that are batch, feature, spatial.. */
    Ints stride;
    Ints pad_lo, pad_hi; /* dims, may be negative */
    Ints lhs_dilation, rhs_dilation;
    Dim groups;       /* feature groups, 1. A dim: vmap of both operands multiplies it by the batch */
    Dim batch_groups; /* 1; one of the two is 1 */
    int32_t acc;
    int32_t precision; /* wf_precision */
} ConvAttr;
/* Axis k of a spec: 0 batch or out feature, 1 feature, 2.. spatial. An empty one: in order. */
static inline uint32_t conv_axis(Ints spec, uint32_t k) { return spec.n ? (uint32_t)spec.v[k] : k; }

typedef struct SolveAttr { /* triangular_solve a b: solves a x = b (left) or x a = b */
    bool left, lower, trans, unit;
} SolveAttr;

typedef struct QrAttr {
    bool full; /* Q is square */
} QrAttr;

typedef enum FftKind { FFT_FFT, FFT_IFFT, FFT_RFFT, FFT_IRFFT } FftKind;

typedef struct FftAttr { /* fft x kind=rfft lengths=[8,8] */
    int32_t kind;        /* FftKind */
    Ints lengths;        /* dims: of the last axes, of real numbers where there are such */
} FftAttr;

/* host x y kernel="acme.clip" dtypes=[12] ranks=[2] dims=[N,3]: a kernel of the host on the operands. The types of the results,
 * one after the other. */
typedef struct HostAttr {
    const char *kernel; /* CALLBACK_MARK before it: a function of whoever runs the context, wf_ctx.call_back */
    Ints dtypes, ranks, dims;
    bool leading; /* as its wf_kernel says: a batch is one call */
    bool single;  /* of leading: operands that have no batch get an axis of size 1 */
    bool alone;   /* there is no call of a batch */
} HostAttr;

#define CALLBACK_MARK '@' /* no name of a kernel begins so */

/* What the body of a call was recognised as (opt/recognise.h); readers look whether it is that. */
typedef enum CallKind {
    KIND_PLAIN,
    KIND_SOFTMAX,
    KIND_LOG_SOFTMAX,
    KIND_NLL,        /* one element of each row of that, by number */
    KIND_LAYER_NORM, /* and without weight, or without bias */
    KIND_RMS_NORM,
    KIND_GELU,
    KIND_GELU_TANH,
    KIND_ATTENTION,
    KIND_ATTENTION_GRAD,
    KIND_CODES /* a product with weights of 4 bits */
} CallKind;
extern const char *const op_call_kinds[]; /* as in text; NULL-terminated */

typedef struct CallAttr { /* call x y body=f kind=softmax */
    Sub body;
    int32_t kind; /* CallKind */
} CallAttr;

typedef struct CondAttr { /* cond i x y branches=[f,g]: branch i (clamped; bool: false is 0) of the operands x y */
    Subs branches;
} CondAttr;

/* while c.. b.. x.. : carry x starts as given; while cond(c.., x..): x.., y.. = body(b.., x..).
 * Results: the last x.., then each y stacked along a new first axis, of `bound` rows (rows not reached are
 * zero) if there is a bound, else of as many rows as there were turns, which defines symbol `trips`.
 * With a bound at most that many turns are made. */
typedef struct WhileAttr {
    Sub cond, body;
    int64_t ncond, nbody; /* how many operands are constants of cond, of body */
    Dim bound;            /* DIM_NONE: none */
    Dim trips;            /* symbol; DIM_NONE if nothing is stacked or there is a bound */
    bool padded;          /* with trips: vmap may let rows of the batch make different numbers of turns. trips is
                             then the largest, and a row has zeros past its own. Else that is an error. */
} WhileAttr;

/* scan c.. x.. s.. : for t in 0..length-1 (backwards if reverse): x.., y_t.. = body(c.., x.., s_t..).
 * Results: the last x.., then the y stacked along a new first axis. */
typedef struct ScanAttr {
    Sub body;
    int64_t nconst, ncarry;
    Dim length;
    bool reverse;
    bool checkpoint; /* reverse mode keeps every sqrt(length)-th carry and recomputes the rest */
} ScanAttr;

/* custom_jvp f x..: value f(x..); derivative by rule(x.., dx..) -> (y.., dy..).
 * custom_vjp f x..: value f(x..); fwd(x..) -> (y.., residuals..); bwd(residuals.., gy..) -> gx..
 * rule, fwd, bwd may be NULL when `self`: the equation stands inside its own rule, and means the one
 * being applied; whoever applies the rule puts it in (see transform/custom.c). */
typedef struct CustomJvpAttr {
    Sub primal, rule;
    bool self;
} CustomJvpAttr;

typedef struct CustomVjpAttr {
    Sub primal, fwd, bwd;
    bool self;
} CustomVjpAttr;

/* custom_lin r.. dx..: a linear map known only by its transpose bwd(r.., gy..) -> gx.. */
typedef struct CustomLinAttr {
    Sub bwd;
    int64_t nres;
} CustomLinAttr;

/* spmd x y body=f mesh="x:4,y:2" in="x,-;-" out="x": body runs on every device of the mesh at once, on its parts of the
 * operands; results are put together of the parts. See mesh.h for the texts. */
typedef struct SpmdAttr {
    Sub body; /* first, as in CallAttr */
    const char *mesh, *in, *out;
    bool check; /* collectives say where values vary (inv, pvary): results that out does not divide are equal on all
                   devices, and so are cotangents of what `in` does not divide. Else cotangents are shared out, and summed */
} SpmdAttr;

enum { SAVE_NOTHING, SAVE_DOTS, SAVE_NAMED };

typedef struct CheckpointAttr { /* checkpoint f x..: the value of f(x..), recomputed in the backward pass */
    Sub body;
    int32_t policy; /* what may be kept all the same */
} CheckpointAttr;

typedef struct NameAttr { /* name x as="hidden" */
    const char *name;
} NameAttr;

typedef struct ShardAttr { /* shard x mesh="x:4,y:2" spec="x,-" */
    const char *mesh, *spec; /* as in mesh.h */
} ShardAttr;

typedef struct PrintAttr { /* print x y format="x = {} y = {}" ; assert ok x message="x is {}" */
    const char *format;
} PrintAttr;

/* psum x axis="i"; all_gather x axis="x,y" size=8 at=0; ppermute x axis="i" size=2 perm=[0,1,1,0] */
typedef struct CollectiveAttr {
    const char *axis;   /* its name, or several: "x,y", the first major */
    Dim size;           /* rows that take part (all_gather, reduce_scatter, all_to_all, ppermute, axis_index) */
    int64_t at;         /* all_gather: where the new axis goes; reduce_scatter, all_to_all: the axis that is dealt out */
    int64_t to;         /* all_to_all: where the new axis goes */
    Ints perm;          /* ppermute: source, target, source, target .. ; places without a source get 0 */
    Ints groups, parts; /* members of each group, one group after the other, and how many they have; empty: one group */
    bool inv;           /* psum, pmax, pmin, all_gather: the result is known not to vary over the axes, and neither does
                           its cotangent: of psum that is the cotangent as it is */
    int64_t order;      /* psum, pmax, pmin: among those that processes exchange in this order, whatever programs they run; 0: all
                           run the same program */
} CollectiveAttr;

/* ---- rows -------------------------------------------------------------------------------------------- */

#define OP(name, ver, nin, nout, family, flags) extern const OpRow op_row_##name; extern const OpRules op_rules_##name;
#include "op/ops.def"
#undef OP

#define FIELD(struct_, field, kind, standard) {#field, kind, false, offsetof(struct_, field), standard, NULL}
#define FIELD_AS(key, struct_, field, kind, standard) {key, kind, false, offsetof(struct_, field), standard, NULL}
#define FIELD_POS(struct_, field, kind) {#field, kind, true, offsetof(struct_, field), ATTR_REQUIRED, NULL}
#define FIELD_ENUM(struct_, field, standard, names) {#field, A_ENUM, false, offsetof(struct_, field), standard, names}
#define FIELD_END {NULL, 0, false, 0, 0, NULL}

/* ---- along.c: rules of the column of that name ---- */

typedef Along AlongRule(const Program *p, const Eqn *e, uint32_t operand, uint32_t axis);
AlongRule along_same, along_axis, along_top_k, along_rev, along_reduce, along_arg, along_reshape, along_broadcast,
    along_transpose, along_slice, along_pad, along_dynamic_slice, along_dynamic_update_slice, along_gather, along_scatter,
    along_dot, along_conv, along_window, along_matrices, along_fft, along_collective;
Along op_along(const Program *p, const Eqn *e, uint32_t operand, uint32_t axis); /* of any op */
bool op_hands_on(unsigned op); /* result j is operand j and lies as it does */

/* ---- shared.c: rules that many rows share ------------------------------------------------------------------ */

/* batch of an op that works element by element: moves all batch axes to 0, broadcasts the unbatched operands */
void batch_map(Builder *b, const EqnView *e, const Batch *bt, Val *out, int *out_axis);
/* batch by a loop: a scan over the batch whose body is the equation itself. For print, and as a last resort. */
void batch_loop(Builder *b, const EqnView *e, const Batch *bt, Val *out, int *out_axis);
/* The operands with their batch axis moved to 0; those not batched are left (broadcast_all: broadcast). */
void batch_front(Builder *b, const EqnView *e, const Batch *bt, bool broadcast_all, Val *in);
/* jvp of an op linear in all operands together: the op on tangents, zeros made where a tangent is missing */
void jvp_linear(Builder *b, const EqnView *e, const Val *dx, Val *dy);
/* jvp of an op linear in each operand: sum over operands */
void jvp_bilinear(Builder *b, const EqnView *e, const Val *dx, Val *dy);

/* ---- op_dot.c: axes of dot_general by what they are; its text form `dot x y` ------------------------------ */

/* Of one operand. */
typedef struct DotRoles {
    Ints batch, free, sum;
    int64_t free_v[MAX_RANK];
    int64_t order[MAX_RANK]; /* batch, then free, sum or (free_first not) sum, free */
} DotRoles;
void dot_roles(DotRoles *r, uint32_t rank, Ints batch, Ints sum, bool free_first);

/* The last axis of x with the first of y, no batch axes, equal dtypes, acc the same. */
bool dot_is_short(const DotAttr *a, Type x, Type y);
void dot_short_attr(Arena *a, Type x, Type y, DotAttr *out);

/* ---- op_collective.c ---------------------------------------------------------------------------------------- */

/* Does the program (equation), or a sub-program of it, communicate over the named axis? Then batch rules are asked
 * even where no operand is batched. */
bool op_program_uses_axis(const Program *p, const char *axis);
bool op_eqn_uses_axis(const Eqn *e, const char *axis);
bool op_is_collective(unsigned op); /* speaks of an axis */

/* ---- build.c: builders -------------------------------------------------------------------------------------------- */

/* One function for each elementwise op. Operands have equal shapes and dtypes (b_add(b, x, y)). */
#define OP(name, ver, nin, nout, family, flags)
#define MAP1(name, ver, flags)                                                                   \
    static inline Val b_##name(Builder *b, Val x) { return b_eqn1(b, OP_##name, &x, 1, NULL); }
#define MAP2(name, ver, flags)                                                                   \
    static inline Val b_##name(Builder *b, Val x, Val y)                                         \
    {                                                                                            \
        return b_eqn1(b, OP_##name, (Val[]){x, y}, 2, NULL);                                     \
    }
#include "op/ops.def"
#undef OP
Val b_stop_gradient(Builder *b, Val x);
Val b_select(Builder *b, Val pred, Val on_true, Val on_false);
Val b_clamp(Builder *b, Val lo, Val x, Val hi);
Val b_cast(Builder *b, Val x, wf_dtype to); /* x itself if it is that already */
Val b_bitcast(Builder *b, Val x, wf_dtype to);

/* Constants. */
/* Are these elements of `each` bytes all the same? */
static inline bool elements_repeat(const void *data, size_t bytes, size_t each)
{
    return memcmp(data, (const char *)data + each, bytes - each) == 0;
}
/* of a concrete shape; copied, as a splat if all elements are the same */
Val b_const(Builder *b, Type type, const void *data);
Val b_const_data(Builder *b, Type type, const ConstData *data); /* shared */
Val b_splat_bits(Builder *b, Type type, const void *element);
Val b_full(Builder *b, Type type, double x); /* splat; x is rounded to the dtype */
Val b_scalar(Builder *b, wf_dtype dtype, double x);
Val b_int(Builder *b, wf_dtype dtype, int64_t x); /* a scalar, exactly */
Val b_full_like(Builder *b, Val v, double x);
Val b_zeros(Builder *b, Type type);
Val b_zeros_like(Builder *b, Val v);
Val b_one_like(Builder *b, Val v);

/* Shape. */
Val b_reshape(Builder *b, Val x, const Dim *dims, uint32_t rank);
Val b_broadcast(Builder *b, Val x, const Dim *shape, uint32_t rank, const int64_t *dims);
Val b_broadcast_scalar(Builder *b, Val x, const Dim *shape, uint32_t rank);
/* x (without axis `axis`) repeated along a new axis of that size */
Val b_broadcast_axis(Builder *b, Val x, uint32_t axis, Dim size);
Val b_transpose(Builder *b, Val x, const int64_t *perm);
Val b_move_axis(Builder *b, Val x, uint32_t from, uint32_t to);
Val b_slice(Builder *b, Val x, const Dim *start, const Dim *limit, const int64_t *stride); /* stride NULL: 1 */
Val b_slice_axis(Builder *b, Val x, uint32_t axis, Dim start, Dim limit);
Val b_pad(Builder *b, Val x, Val value, const Dim *lo, const Dim *hi, const int64_t *interior);
Val b_concat(Builder *b, const Val *x, uint32_t n, uint32_t axis);
Val b_rev(Builder *b, Val x, const int64_t *axes, uint32_t n);
Val b_iota(Builder *b, wf_dtype dtype, const Dim *dims, uint32_t rank, uint32_t axis);
Val b_dim_value(Builder *b, Dim d); /* an i64 scalar: a constant or `dim` */
/* a new axis of size 1 / an axis of size 1 removed */
Val b_expand(Builder *b, Val x, uint32_t axis);
Val b_squeeze(Builder *b, Val x, uint32_t axis);

/* Reductions, over the given axes (sorted). */
Val b_reduce(Builder *b, OpCode op, Val x, const int64_t *axes, uint32_t n);
Val b_reduce_axis(Builder *b, OpCode op, Val x, uint32_t axis);
Val b_sum_all(Builder *b, Val x);
Val b_cumsum(Builder *b, Val x, uint32_t axis, bool reverse);

/* Indexing. */
Val b_gather(Builder *b, Val x, Val indices, const GatherAttr *a);
Val b_scatter(Builder *b, OpCode op, Val x, Val indices, Val updates, const ScatterAttr *a);
Val b_dynamic_slice(Builder *b, Val x, const Val *starts, const Dim *sizes);
Val b_dynamic_update_slice(Builder *b, Val x, Val update, const Val *starts);
/* Row i (an integer scalar) of x along axis 0, and x with that row replaced. */
Val b_row(Builder *b, Val x, Val i);
Val b_set_row(Builder *b, Val x, Val row, Val i);

/* Contractions. acc 0: the dtype of x. */
Val b_dot(Builder *b, Val x, Val y, const DotAttr *a);
Val b_matmul(Builder *b, Val x, Val y); /* [..batch, m, k] x [..batch, k, n], equal batch */
Val b_conv(Builder *b, Val x, Val k, const ConvAttr *a);

/* Sub-programs. */
/* The sub-program that an equation means on its operands: of a call, a checkpoint, a function with a rule of its own; NULL: it is
 * none of these. */
const Sub *op_body(unsigned op, const void *attr);
Val *b_call(Builder *b, const Sub *body, const Val *in, uint32_t nin, uint32_t *out_n);

#endif
