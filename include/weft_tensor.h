/* weft_tensor.h -- tensors: one set of functions whose operands choose what happens.
 *
 *   concrete operands    run now
 *   symbolic operands    build a program (inside a trace or a graph)
 *   recorded operands    run now and remember what the derivative needs
 *
 *     wf_tensor y = wf_add(c, wf_mul(c, a, x), b);        needs no frees and leaks nothing
 *
 * Handles     A wf_tensor is a small value. It is released with the scope that made it unless it is
 *             kept; using a dead handle, or one of another context, is WF_ERR_ARG.
 * Errors      A function that fails gives WF_NONE and leaves its message in the context, where the
 *             first error sticks: later calls do nothing. Check once, at the end of a chain.
 * Shapes      Sizes are int64_t. In a program a size may be symbolic: it is then a negative number
 *             that only means something inside that program (wf_size gives it, shapes take it).
 * Axes        count from the end when negative.
 */
#include "weft.h" /* brings this header in at its end, before those that build on it */
#ifndef WEFT_TENSOR_H
#define WEFT_TENSOR_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct wf_tensor {
    uint64_t gen;
    uint32_t index, owner;
} wf_tensor;

#ifdef __cplusplus
#define WF_NONE (wf_tensor{0, 0, 0})
#else
#define WF_NONE ((wf_tensor){0, 0, 0})
#endif
#define WF_INFER (INT64_MIN + 1) /* in a shape: the size that makes the count right */
static inline bool wf_is_none(wf_tensor t) { return t.gen == 0; }

/* ---- scopes and lifetimes ------------------------------------------------------------------- */

/* Tensors made between the two are released by the second, but for those kept. Scopes nest. */
WF_API void wf_scope_begin(wf_ctx *c);
WF_API void wf_scope_end(wf_ctx *c);
/* End the scope; t lives on in the enclosing one. */
WF_API wf_tensor wf_scope_end_with(wf_ctx *c, wf_tensor t);
/* One more owner: t lives until wf_drop is called as often. Returns t. */
WF_API wf_tensor wf_keep(wf_ctx *c, wf_tensor t);
WF_API void wf_drop(wf_ctx *c, wf_tensor t);
WF_API bool wf_is_alive(wf_ctx *c, wf_tensor t);
/* How many handles are alive, and the bytes of memory that tensors hold. */
WF_API int64_t wf_live_tensors(wf_ctx *c);
WF_API int64_t wf_live_bytes(wf_ctx *c);
/* Where the calls that follow stand in the user's source, for messages. file NULL: nowhere. */
WF_API void wf_set_place(wf_ctx *c, const char *file, int line, int column);

/* ---- what a tensor is --------------------------------------------------------------------------- */

WF_API wf_dtype wf_dtype_of(wf_ctx *c, wf_tensor t);
WF_API int wf_rank(wf_ctx *c, wf_tensor t); /* -1 after an error */
WF_API int64_t wf_size(wf_ctx *c, wf_tensor t, int axis);
WF_API wf_status wf_shape(wf_ctx *c, wf_tensor t, int64_t *dims, int rank); /* as many as wf_rank */
WF_API int64_t wf_count(wf_ctx *c, wf_tensor t);
WF_API bool wf_is_symbolic(wf_ctx *c, wf_tensor t);
WF_API bool wf_is_weak(wf_ctx *c, wf_tensor t); /* a host scalar, or made of such only */
WF_API wf_tensor wf_set_weak(wf_ctx *c, wf_tensor t, bool weak); /* the same numbers */
WF_API bool wf_shares_memory(wf_ctx *c, wf_tensor a, wf_tensor b);
WF_API int64_t wf_write_count(wf_ctx *c, wf_tensor t); /* how often its memory was written to */

/* Symbolic sizes: numbers of theirs, and sizes made of them. Value: for good, in a trace with hints, else WF_ERR_VALUE for
 * a symbolic one. Hint: -1 if there is none. Equal: provably so. div is floor division. */
WF_API int64_t wf_size_value(wf_ctx *c, int64_t size);
WF_API int64_t wf_size_hint(wf_ctx *c, int64_t size);
WF_API bool wf_size_equal(wf_ctx *c, int64_t a, int64_t b);
WF_API int64_t wf_size_add(wf_ctx *c, int64_t a, int64_t b);
WF_API int64_t wf_size_sub(wf_ctx *c, int64_t a, int64_t b);
WF_API int64_t wf_size_mul(wf_ctx *c, int64_t a, int64_t b);
WF_API int64_t wf_size_div(wf_ctx *c, int64_t a, int64_t b);
WF_API int64_t wf_size_mod(wf_ctx *c, int64_t a, int64_t b);
WF_API wf_tensor wf_size_tensor(wf_ctx *c, int64_t size); /* a weak integer scalar */
/* The other way round: the number in an integer scalar as a size, of a symbolic one known at run time only. WF_ERR_VALUE: it
 * is negative. -1 after an error. */
WF_API int64_t wf_size_from(wf_ctx *c, wf_tensor t);

/* The numbers of a concrete tensor, row-major, converted to double or copied as they are (room for
 * wf_count elements). A symbolic tensor has none: WF_ERR_VALUE. */
WF_API wf_status wf_read(wf_ctx *c, wf_tensor t, void *out, size_t bytes);
WF_API wf_status wf_read_f64(wf_ctx *c, wf_tensor t, double *out, int64_t n);
WF_API double wf_item(wf_ctx *c, wf_tensor t);      /* of one element; NaN after an error */
WF_API int64_t wf_item_int(wf_ctx *c, wf_tensor t); /* exact for integers; WF_ERR_VALUE: NaN, or too large */
WF_API wf_status wf_item_complex(wf_ctx *c, wf_tensor t, double *out_re, double *out_im); /* of any dtype */
/* Where its memory is; NULL after an error. Reading a tensor waits for its numbers and brings them to the host. */
WF_API wf_device *wf_device_of(wf_ctx *c, wf_tensor t);
/* The same numbers on a device; the same memory if they are there. Functions of tensors run on the device of the first
 * operand that is not on the host, and their results stay there. */
WF_API wf_tensor wf_to_device(wf_ctx *c, wf_tensor t, wf_device *d);
/* The tensor as an array that shares its memory; retained. */
WF_API wf_status wf_to_array(wf_ctx *c, wf_tensor t, wf_array **out_array);

/* ---- what functions mean where libraries differ ----------------------------------------------------- */

typedef enum wf_promotion { WF_PROMOTE_TORCH, WF_PROMOTE_JAX, WF_PROMOTE_NUMPY } wf_promotion;
/* How products of f32 may be computed by a device that has faster ways (dot_general and conv_general's `precision`);
 * the CPU computes in full f32 whatever it says. */
typedef enum wf_precision {
    WF_PRECISION_DEFAULT, /* as the device likes best */
    WF_PRECISION_HIGHEST, /* f32 */
    WF_PRECISION_TF32,    /* operands rounded to 10 bits behind the point */
    WF_PRECISION_BF16X3,  /* operands as sums of bf16, three products */
    WF_PRECISION_BF16     /* operands rounded to bf16 */
} wf_precision;
/* A library's conventions as data. Change what wf_semantics_of or wf_semantics_like give:
 *     wf_semantics s = {.size = sizeof s};
 *     wf_semantics_of(c, &s); */
typedef struct wf_semantics {
    size_t size; /* sizeof(wf_semantics): set it first */
    wf_promotion promotion;
    wf_dtype default_float; /* what integers become where real numbers are needed, and host numbers at creation */
    wf_precision precision;
    bool narrow;        /* promotion gives 32 bits where it would give 64, as JAX does without x64 */
    bool strict;        /* integers are not divided by 0, and an int among indices takes its axis away first, as in PyTorch */
    bool index_check;   /* programs assert that indices are in range, instead of moving them inside */
    bool size_guards;   /* wf_trace_types takes symbolic sizes that must be equal, and cannot be shown to be, for equal, as
                           wf_graph_options says; else that is an error */
    bool bounded_loops; /* reverse mode refuses a while loop without a bound, as JAX does; else it counts the turns */
} wf_semantics;
/* Those of a library, by its rules of promotion. */
WF_API wf_status wf_semantics_like(wf_ctx *c, wf_promotion library, wf_semantics *out);
/* Those of the context; at first PyTorch's rules of promotion and f32, and nothing of the rest. */
WF_API wf_status wf_semantics_of(wf_ctx *c, wf_semantics *out);
WF_API wf_status wf_set_semantics(wf_ctx *c, const wf_semantics *s); /* copied */
/* The dtype of an operation on both. a_weak: a host scalar; a_zero: of rank 0 (PyTorch's rule).
 * WF_INVALID if there is none. */
WF_API wf_dtype wf_promote(wf_promotion rules, wf_dtype a, bool a_weak, bool a_zero, wf_dtype b,
                           bool b_weak, bool b_zero);

/* ---- creation -------------------------------------------------------------------------------------- */

WF_API wf_tensor wf_from(wf_ctx *c, wf_dtype dtype, const int64_t *dims, int rank, const void *data);
WF_API wf_tensor wf_from_array(wf_ctx *c, wf_array *a); /* shares its memory */
/* DLPack's DLManagedTensor (dlpack.h, unversioned). From: not copied, its deleter is called when the last tensor on it is
 * gone; after an error it is still the caller's. To: shares the tensor's memory, but for views, which are copied; the
 * receiver calls the deleter. */
struct DLManagedTensor;
WF_API wf_tensor wf_from_dlpack(wf_ctx *c, struct DLManagedTensor *m);
WF_API wf_status wf_to_dlpack(wf_ctx *c, wf_tensor t, struct DLManagedTensor **out);
/* Host numbers: weak scalars, which take the dtype of what they meet. */
WF_API wf_tensor wf_float(wf_ctx *c, double x);
WF_API wf_tensor wf_int(wf_ctx *c, int64_t x);
WF_API wf_tensor wf_bool(wf_ctx *c, bool x);
WF_API wf_tensor wf_complex_number(wf_ctx *c, double re, double im);
WF_API wf_tensor wf_scalar(wf_ctx *c, wf_dtype dtype, double x); /* not weak */
WF_API wf_tensor wf_full(wf_ctx *c, wf_dtype dtype, const int64_t *dims, int rank, double x);
WF_API wf_tensor wf_zeros(wf_ctx *c, wf_dtype dtype, const int64_t *dims, int rank);
WF_API wf_tensor wf_ones(wf_ctx *c, wf_dtype dtype, const int64_t *dims, int rank);
WF_API wf_tensor wf_full_like(wf_ctx *c, wf_tensor t, double x);
WF_API wf_tensor wf_zeros_like(wf_ctx *c, wf_tensor t);
WF_API wf_tensor wf_ones_like(wf_ctx *c, wf_tensor t);
WF_API wf_tensor wf_arange(wf_ctx *c, wf_dtype dtype, double start, double stop, double step);
WF_API wf_tensor wf_linspace(wf_ctx *c, wf_dtype dtype, double start, double stop, int64_t n, bool endpoint);
WF_API wf_tensor wf_iota(wf_ctx *c, wf_dtype dtype, const int64_t *dims, int rank, int axis);
WF_API wf_tensor wf_eye(wf_ctx *c, wf_dtype dtype, int64_t rows, int64_t cols, int k);
WF_API wf_tensor wf_tri(wf_ctx *c, wf_dtype dtype, int64_t rows, int64_t cols, int k);
WF_API wf_tensor wf_one_hot(wf_ctx *c, wf_tensor index, int64_t classes, wf_dtype dtype);
WF_API wf_tensor wf_copy(wf_ctx *c, wf_tensor t); /* new memory, row-major */
WF_API wf_tensor wf_cast(wf_ctx *c, wf_tensor t, wf_dtype dtype);
WF_API wf_tensor wf_bitcast(wf_ctx *c, wf_tensor t, wf_dtype dtype);

/* ---- elementwise -------------------------------------------------------------------------------------
 *
 * Operands are promoted and broadcast as NumPy does. Functions of real numbers (exp, div ..) take
 * integers as the default float. */

#define WF_UNARY(name) WF_API wf_tensor wf_##name(wf_ctx *c, wf_tensor x);
#define WF_BINARY(name) WF_API wf_tensor wf_##name(wf_ctx *c, wf_tensor x, wf_tensor y);
WF_UNARY(neg) WF_UNARY(abs) WF_UNARY(sign) WF_UNARY(positive) WF_UNARY(square) WF_UNARY(reciprocal)
WF_UNARY(exp) WF_UNARY(exp2) WF_UNARY(expm1) WF_UNARY(log) WF_UNARY(log2) WF_UNARY(log10) WF_UNARY(log1p)
WF_UNARY(sin) WF_UNARY(cos) WF_UNARY(tan) WF_UNARY(asin) WF_UNARY(acos) WF_UNARY(atan)
WF_UNARY(sinh) WF_UNARY(cosh) WF_UNARY(tanh) WF_UNARY(asinh) WF_UNARY(acosh) WF_UNARY(atanh)
WF_UNARY(erf) WF_UNARY(erfc) WF_UNARY(erf_inv) WF_UNARY(sqrt) WF_UNARY(rsqrt) WF_UNARY(sigmoid)
WF_UNARY(floor) WF_UNARY(ceil) WF_UNARY(round) WF_UNARY(trunc) WF_UNARY(frac)
WF_UNARY(is_finite) WF_UNARY(is_nan) WF_UNARY(is_inf) WF_UNARY(logical_not) WF_UNARY(bitwise_not)
WF_UNARY(stop_gradient) WF_UNARY(deg2rad) WF_UNARY(rad2deg)
WF_UNARY(real) WF_UNARY(imag) WF_UNARY(conj) WF_UNARY(angle) /* of real numbers: x, 0, x, 0 or pi */
WF_BINARY(complex) /* x + iy of real numbers */ WF_BINARY(polar) /* of modulus x and angle y */
WF_BINARY(add) WF_BINARY(sub) WF_BINARY(mul) WF_BINARY(div) WF_BINARY(floor_div)
WF_BINARY(remainder) /* sign of the divisor, as Python's % */ WF_BINARY(fmod) /* sign of the dividend */
WF_BINARY(pow) WF_BINARY(atan2) WF_BINARY(maximum) WF_BINARY(minimum) WF_BINARY(hypot) WF_BINARY(logaddexp)
WF_BINARY(eq) WF_BINARY(ne) WF_BINARY(lt) WF_BINARY(le) WF_BINARY(gt) WF_BINARY(ge)
WF_BINARY(logical_and) WF_BINARY(logical_or) WF_BINARY(logical_xor)
WF_BINARY(bitwise_and) WF_BINARY(bitwise_or) WF_BINARY(bitwise_xor) WF_BINARY(shift_left) WF_BINARY(shift_right)
WF_API wf_tensor wf_where(wf_ctx *c, wf_tensor cond, wf_tensor x, wf_tensor y);
WF_API wf_tensor wf_clip(wf_ctx *c, wf_tensor x, wf_tensor lo, wf_tensor hi); /* WF_NONE: no bound */
WF_API wf_tensor wf_lerp(wf_ctx *c, wf_tensor x, wf_tensor y, wf_tensor weight);
WF_API wf_tensor wf_is_close(wf_ctx *c, wf_tensor x, wf_tensor y, double rtol, double atol);

/* ---- recording: gradients through what was run -------------------------------------------------------
 *
 *     wf_requires_grad(c, w, true);
 *     wf_tensor loss = ...;                            a number made of w
 *     wf_backward(c, loss, WF_NONE, 0);                adds dloss/dw to wf_grad_of(c, w)
 *
 * A tensor made of one that requires a gradient owns its history; dropping it drops the history. Histories of a
 * shape seen before reuse their derivative program. */

WF_API wf_status wf_requires_grad(wf_ctx *c, wf_tensor t, bool on); /* of a leaf, a float */
WF_API bool wf_has_grad_history(wf_ctx *c, wf_tensor t);            /* requires a gradient, or is made of such */
WF_API bool wf_is_leaf(wf_ctx *c, wf_tensor t);
WF_API const char *wf_history_op(wf_ctx *c, wf_tensor t); /* the op that made it; "" for a leaf */
WF_API wf_tensor wf_detach(wf_ctx *c, wf_tensor t);       /* the same memory without history */
WF_API void wf_no_grad_begin(wf_ctx *c);                  /* nothing is recorded until the end; nests */
WF_API void wf_no_grad_end(wf_ctx *c);
WF_API wf_tensor wf_grad_of(wf_ctx *c, wf_tensor leaf); /* WF_NONE: none yet */
WF_API wf_status wf_set_grad(wf_ctx *c, wf_tensor leaf, wf_tensor grad); /* WF_NONE clears it */

enum {
    WF_GRAD_KEEP = 1,     /* the history can be used again */
    WF_GRAD_CREATE = 2,   /* the gradients are recorded themselves (and the history is kept) */
    WF_GRAD_UNUSED_OK = 4, /* WF_NONE, not an error, for inputs the results do not depend on */
    WF_GRAD_ALL = 8 /* wf_gradients: they are sums over the processes of the context (wf_comm_use), which travel in buckets
                       while the pass runs. All ask for the same inputs in the same order: best those that are
                       used last first. Not with WF_GRAD_CREATE */
};
/* Adds to the gradients of all leaves that y was made of, in the memory of those that are there unless WF_GRAD_CREATE is given.
 * gy WF_NONE: 1, for a y of one element. */
WF_API wf_status wf_backward(wf_ctx *c, wf_tensor y, wf_tensor gy, unsigned flags);
/* Gradients of y.. by x.. (leaves or anything in between), added over the y. gy NULL: ones. */
WF_API wf_status wf_gradients(wf_ctx *c, const wf_tensor *y, const wf_tensor *gy, int ny, const wf_tensor *x, int nx,
                              unsigned flags, wf_tensor *out);
/* A tape follows the tensors it watches, until its end; then (or before) wf_gradients gives derivatives. Tapes
 * nest, up to 63. */
WF_API int wf_tape_begin(wf_ctx *c);
WF_API wf_status wf_tape_watch(wf_ctx *c, int tape, wf_tensor t);
WF_API void wf_tape_end(wf_ctx *c, int tape);
WF_API int64_t wf_history_hits(wf_ctx *c); /* how often a derivative program was there already */

/* ---- functions of functions ------------------------------------------------------------------------------
 *
 * A C function of tensors: reads f->inputs tensors, sets f->outputs results. It may use tensors from outside; derivatives
 * and batches flow through them too. All of these nest in any order. Arrays of inputs and of results must not overlap.
 *
 * grad, jvp and records run the function on its values, so that it may read numbers and branch on them; inside
 * another trace, and for trace, jit and vmap, it gets symbolic tensors. */

typedef wf_status (*wf_call)(wf_ctx *c, void *user, const wf_tensor *in, int nin, wf_tensor *out, int nout);
typedef struct wf_function {
    size_t size; /* sizeof(wf_function) */
    wf_call call;
    void *user;
    int inputs, outputs; /* outputs WF_ANY: as many as it gives */
    const char *name;    /* for messages and programs; NULL: "f" */
} wf_function;
/* wf_function f = WF_FUNCTION(call, user, inputs, outputs, name); */
#define WF_FUNCTION(...) {sizeof(wf_function), __VA_ARGS__}

/* A function with outputs WF_ANY gets out NULL and nout 0, and hands over its results with wf_give, in one or more calls. Who calls
 * a function of such a function (jit, vmap, scan ..) passes NULL for the results and finds them by wf_given, until the
 * next such call; they are tensors of the current scope. */
#define WF_ANY (-1)
WF_API wf_status wf_give(wf_ctx *c, const wf_tensor *t, int n);
WF_API const wf_tensor *wf_given(wf_ctx *c, int *n);

/* A program of the function; values from outside become constants. To be released. */
WF_API wf_status wf_trace(wf_ctx *c, const wf_function *f, const wf_tensor *example, int n, const wf_program **out);
/* The same from types as text, such as "f32[N,784]": one symbol for each name of a size. "image: f32[N,784]" names the input,
 * too, as files, wf_run_named and messages then do. */
WF_API wf_status wf_trace_types(wf_ctx *c, const wf_function *f, const char *const *types, int n,
                                const wf_program **out);
/* The same from an example, whose sizes become symbols (but for 0, and those of inputs that are fixed; fixed may be
 * NULL). Sizes that the computation needs to be equal, and are, become one; where it needs a number (wf_size_value), it is
 * that of the example, for good. All others stay free: one trace serves other sizes. */
WF_API wf_status wf_trace_hinted(wf_ctx *c, const wf_function *f, const wf_tensor *example, const bool *fixed,
                                 int n, const wf_program **out);
/* Inside wf_trace_hinted: the value a symbolic tensor has for the example, computed from what was traced so far. A branch
 * taken by it is the example's, for good. WF_ERR_VALUE elsewhere; a concrete tensor is its own value. */
WF_API wf_tensor wf_trace_value(wf_ctx *c, wf_tensor t);
/* Do the function and its program agree on these inputs? WF_ERR_VALUE says what differs. */
WF_API wf_status wf_trace_check(wf_ctx *c, const wf_function *f, const wf_program *p, const wf_tensor *in, int n,
                                double rtol, double atol);
/* A program as a function of tensors: runs, is recorded, or enters the current program. */
WF_API wf_status wf_apply(wf_ctx *c, const wf_program *p, const wf_tensor *in, int nin, wf_tensor *out, int nout);

/* Traced once for each signature: dtypes, shapes, weak bits and the bytes of `statics`. */
typedef struct wf_jit wf_jit;
WF_API wf_status wf_jit_new(wf_ctx *c, const wf_function *f, wf_jit **out);
WF_API wf_status wf_jit_call(wf_ctx *c, wf_jit *j, const wf_tensor *in, int nin, wf_tensor *out, int nout,
                             const void *statics, size_t size);
WF_API int wf_jit_traces(const wf_jit *j); /* how often it was traced */
WF_API void wf_jit_free(wf_ctx *c, wf_jit *j);

/* f on every slice. axes: for each input the axis of the batch, or WF_UNMAPPED. out_axes: for each result, NULL: 0; with WF_ANY
 * one for all results; WF_UNMAPPED: one that is the same for every slice is given once, others are batched along axis 0.
 * axis_name may be NULL. */
#define WF_UNMAPPED INT32_MIN
WF_API wf_status wf_vmap_call(wf_ctx *c, const wf_function *f, const wf_tensor *in, const int *axes, int nin,
                              const int *out_axes, const char *axis_name, wf_tensor *out, int nout);
/* Gradients of the first result, a float scalar; the others are auxiliary. wrt NULL: input 0. out_y may be NULL, with ny 0;
 * out_grads has one for each of wrt. */
WF_API wf_status wf_grad_call(wf_ctx *c, const wf_function *f, const wf_tensor *in, int nin, const int *wrt, int nwrt,
                              wf_tensor *out_y, int ny, wf_tensor *out_grads);
/* dx: one for each of wrt; ny: of y and of dy. With WF_ANY the results are y.., then dy... */
WF_API wf_status wf_jvp_call(wf_ctx *c, const wf_function *f, const wf_tensor *in, int nin, const int *wrt, int nwrt,
                             const wf_tensor *dx, wf_tensor *y, wf_tensor *dy, int ny);
/* f run once, to be derived many times: wf_record_vjp is its pullback, wf_record_jvp its linearization. gy has one
 * entry for each result, WF_NONE or ignored for integers. */
typedef struct wf_record wf_record;
WF_API wf_status wf_record_new(wf_ctx *c, const wf_function *f, const wf_tensor *in, int nin, const int *wrt, int nwrt,
                               wf_tensor *y, int ny, wf_record **out);
WF_API int wf_record_results(const wf_record *r); /* how many y there are */
WF_API wf_status wf_record_vjp(wf_ctx *c, wf_record *r, const wf_tensor *gy, int ny, wf_tensor *gx, int nx);
WF_API wf_status wf_record_jvp(wf_ctx *c, wf_record *r, const wf_tensor *dx, int nx, wf_tensor *dy, int ny);
WF_API void wf_record_free(wf_ctx *c, wf_record *r);

/* ---- control flow ------------------------------------------------------------------------------------------
 *
 * The functions are traced, also where the operands are concrete; then the op runs, is recorded, or enters the current
 * program. What they use from outside becomes further operands, through which derivatives and batches flow. Types
 * that must agree and do not are an error that names both. */

/* Branch `index` of the operands: a bool scalar (false is 0), or an integer scalar, which is moved inside 0..n-1. All
 * branches take as many inputs; a result must have one type in all. */
WF_API wf_status wf_cond_call(wf_ctx *c, wf_tensor index, const wf_function *branches, int n, const wf_tensor *in, int nin,
                              wf_tensor *out, int nout);
/* in: carries. While cond(carries) gives true: carries = body(carries). bound: turns made at most, or WF_UNBOUNDED. A
 * weak carry takes the dtype that the body gives it. */
#define WF_UNBOUNDED INT64_MIN
WF_API wf_status wf_while_call(wf_ctx *c, const wf_function *cond, const wf_function *body, const wf_tensor *in,
                               int nin, int64_t bound, wf_tensor *out, int nout);
/* in: ncarry carries, then xs, which are sliced along axis 0. body(carries.., slices..) -> (carries.., rows..), made
 * `length` times (WF_UNBOUNDED: as long as the xs are), from the last slice to the first if reverse. Results: the last
 * carries, then the rows stacked. */
WF_API wf_status wf_scan_call(wf_ctx *c, const wf_function *body, int ncarry, const wf_tensor *in, int nin, int64_t length,
                              bool reverse, wf_tensor *out, int nout);
/* f, computed again in the backward pass instead of being kept. keep_dots: results of matrix products are kept. */
WF_API wf_status wf_checkpoint_call(wf_ctx *c, const wf_function *f, const wf_tensor *in, int nin, bool keep_dots,
                                    wf_tensor *out, int nout);

/* ---- derivative rules of one's own ----------------------------------------------------------------------------
 *
 * The value is f's. Only floats have derivatives; those of other inputs and results are left out.
 *
 *   rule       (x.., dx..) -> (y.., dy..)
 *   forward    x.. -> (y.., saved..), as many saved as it likes: outputs may be WF_ANY
 *   backward   (saved.., gy..) -> gx..; its inputs need not be counted: WF_ANY
 *
 * A rule may call its own function. The rules are traced when a derivative is taken, or where f is traced. */
WF_API wf_status wf_custom_jvp_call(wf_ctx *c, const wf_function *f, const wf_function *rule, const wf_tensor *in,
                                    int nin, wf_tensor *out, int nout);
WF_API wf_status wf_custom_vjp_call(wf_ctx *c, const wf_function *f, const wf_function *forward,
                                    const wf_function *backward, const wf_tensor *in, int nin, wf_tensor *out,
                                    int nout);

/* ---- kernels of the host: ops of one's own ---------------------------------------------------------------------
 *
 * A C function on numbers as an op. It is traced, recorded, batched, compiled around and saved as any other; programs
 * name it, and a file that does is only loaded where it is registered (WF_ERR_NAME says which is missing).
 *
 *     wf_kernel_register(c, &(wf_kernel){.size = sizeof(wf_kernel), .name = "acme.clip", .inputs = 1, .outputs = 1,
 *                                        .type = clip_type, .run = clip_run, .vjp = clip_vjp});
 *     wf_kernel_call(c, "acme.clip", &x, 1, &y, 1);
 */

typedef struct wf_kernel_value { /* an operand, or a result */
    wf_dtype dtype;
    int rank;
    int64_t dims[WF_MAX_RANK]; /* for the type rule they may be symbolic, as wf_size gives them; WF_ERR_SHAPE if that
                                  will not do */
    void *data;                /* row-major; NULL for the type rule. Operands are not to be written to */
} wf_kernel_value;

typedef struct wf_kernel {
    size_t size;      /* sizeof(wf_kernel) */
    const char *name; /* letters, digits, . and _ */
    int inputs, outputs;
    void *user;
    /* dtype, rank and dims of the results, or a status (with wf_raise for a better message). Asked when the op is made and,
     * since files are not to be believed, whenever it is run. */
    wf_status (*type)(wf_ctx *c, void *user, const wf_kernel_value *in, int nin, wf_kernel_value *out, int nout);
    /* The numbers of the results. On any thread, on several at once; c is for wf_raise alone. The same operands must give
     * the same results: calls may be left out, moved and merged. */
    wf_status (*run)(wf_ctx *c, void *user, const wf_kernel_value *in, int nin, wf_kernel_value *out, int nout);
    /* NULL: it has no derivative. Else, of tensors that may be symbolic, with any functions of tensors: gin, one for each
     * float operand, of the operands, the results, and a cotangent for each float result. Becomes part of the program. */
    wf_status (*vjp)(wf_ctx *c, void *user, const wf_tensor *in, int nin, const wf_tensor *out, int nout,
                     const wf_tensor *gout, int ngout, wf_tensor *gin, int ngin);
    /* type and run take any number of further axes in front, the same of all operands and results: then vmap makes one
     * call, else one for each element of the batch. */
    bool leading;
} wf_kernel;
/* For all contexts of the runtime of c, as long as that lives; user must be there as long. WF_ERR_NAME: the name is taken, by
 * another kernel. */
WF_API wf_status wf_kernel_register(wf_ctx *c, const wf_kernel *kernel);
WF_API wf_status wf_kernel_call(wf_ctx *c, const char *name, const wf_tensor *in, int nin, wf_tensor *out, int nout);

/* ---- on the devices of a mesh ------------------------------------------------------------------------------- */

/* f on every device of a mesh at once, each on its parts of the inputs.
 *
 *   mesh        "data:4,model:2": axes with their sizes, the first major
 *   in_specs    for each input, with ; between, and for each of its axes, with , between, the axes of the mesh that
 *   out_specs   divide it: x, or x+y (x major), or - for none; likewise for results: "data,-;-"
 *   check       where results that are the same on all devices have one cotangent, not one each (JAX's check_vma):
 *               results that out_specs does not divide by an axis must not vary over it
 *
 * f sees what one device has. Devices are threads of this process. */
WF_API wf_status wf_spmd_call(wf_ctx *c, const wf_function *f, const char *mesh, const char *in_specs,
                              const wf_tensor *in, int nin, const char *out_specs, bool check, wf_tensor *out, int nout);

/* ---- over the named axis of a vmap or mesh; several axes of a mesh: "x,y" ------------------------------------ */

WF_API wf_tensor wf_psum(wf_ctx *c, wf_tensor x, const char *axis);
WF_API wf_tensor wf_pmean(wf_ctx *c, wf_tensor x, const char *axis);
WF_API wf_tensor wf_pmax(wf_ctx *c, wf_tensor x, const char *axis);
WF_API wf_tensor wf_pmin(wf_ctx *c, wf_tensor x, const char *axis);
WF_API wf_tensor wf_all_gather(wf_ctx *c, wf_tensor x, const char *axis, int at); /* at: where the new axis goes */
/* The sum of the rows at the own place along axis `at`, which has as many elements as there are rows and goes. */
WF_API wf_tensor wf_reduce_scatter(wf_ctx *c, wf_tensor x, const char *axis, int at);
/* Element j along axis `at` goes to row j, which has those of all rows along a new axis `to`. */
WF_API wf_tensor wf_all_to_all(wf_ctx *c, wf_tensor x, const char *axis, int at, int to);
/* pairs: source, target, source, target ..; rows without a source get 0 */
WF_API wf_tensor wf_ppermute(wf_ctx *c, wf_tensor x, const char *axis, const int64_t *pairs, int n);
WF_API wf_tensor wf_axis_index(wf_ctx *c, const char *axis); /* i32 */
WF_API int64_t wf_axis_size(wf_ctx *c, const char *axis);    /* may be symbolic */

/* ---- effects: done now, or when the program runs, in order ------------------------------------------------- */

/* A line on standard output: format with each {} replaced by a tensor ({{ and }} are braces). */
WF_API wf_status wf_print(wf_ctx *c, const char *format, const wf_tensor *t, int n);
/* WF_ERR_ASSERT with the message, a format for t, unless all elements of ok (bool) are true. */
WF_API wf_status wf_assert(wf_ctx *c, wf_tensor ok, const char *message, const wf_tensor *t, int n);

/* ---- shape ---------------------------------------------------------------------------------------------- */

WF_API wf_tensor wf_reshape(wf_ctx *c, wf_tensor x, const int64_t *dims, int rank); /* one may be WF_INFER */
WF_API wf_tensor wf_flatten(wf_ctx *c, wf_tensor x, int from, int to); /* axes from..to become one */
WF_API wf_tensor wf_permute(wf_ctx *c, wf_tensor x, const int *axes, int n); /* NULL: reversed */
WF_API wf_tensor wf_swap_axes(wf_ctx *c, wf_tensor x, int a, int b);
WF_API wf_tensor wf_move_axis(wf_ctx *c, wf_tensor x, int from, int to);
WF_API wf_tensor wf_squeeze(wf_ctx *c, wf_tensor x, const int *axes, int n); /* n 0: all of size 1 */
WF_API wf_tensor wf_expand_dims(wf_ctx *c, wf_tensor x, int axis);
WF_API wf_tensor wf_broadcast_to(wf_ctx *c, wf_tensor x, const int64_t *dims, int rank);
WF_API wf_tensor wf_flip(wf_ctx *c, wf_tensor x, const int *axes, int n); /* n 0: all */
WF_API wf_tensor wf_narrow(wf_ctx *c, wf_tensor x, int axis, int64_t start, int64_t length);
WF_API wf_tensor wf_concat(wf_ctx *c, const wf_tensor *x, int n, int axis);
WF_API wf_tensor wf_stack(wf_ctx *c, const wf_tensor *x, int n, int axis);
WF_API wf_status wf_split_sizes(wf_ctx *c, wf_tensor x, const int64_t *sizes, int n, int axis, wf_tensor *out);
WF_API wf_status wf_split_equal(wf_ctx *c, wf_tensor x, int axis, wf_tensor *out, int n);
WF_API wf_tensor wf_tile(wf_ctx *c, wf_tensor x, const int64_t *reps, int n);
WF_API wf_tensor wf_repeat(wf_ctx *c, wf_tensor x, int64_t n, int axis); /* each element n times */
WF_API wf_tensor wf_roll(wf_ctx *c, wf_tensor x, int64_t shift, int axis);
WF_API wf_tensor wf_pad(wf_ctx *c, wf_tensor x, const int64_t *lo, const int64_t *hi, int n, double value); /* of each axis */
/* Padding by what x has: mirrored without the edge, the edge repeated, from the other end. */
typedef enum wf_pad_kind { WF_PAD_CONSTANT, WF_PAD_REFLECT, WF_PAD_REPLICATE, WF_PAD_CIRCULAR } wf_pad_kind;
WF_API wf_tensor wf_pad_with(wf_ctx *c, wf_tensor x, const int64_t *lo, const int64_t *hi, int n, wf_pad_kind kind,
                             double value);
WF_API wf_tensor wf_tril(wf_ctx *c, wf_tensor x, int k);
WF_API wf_tensor wf_triu(wf_ctx *c, wf_tensor x, int k);

/* ---- reductions ---------------------------------------------------------------------------------------------
 *
 * axes NULL: all. keep: reduced axes stay, of size 1. */

WF_API wf_tensor wf_sum(wf_ctx *c, wf_tensor x, const int *axes, int n, bool keep);
WF_API wf_tensor wf_prod(wf_ctx *c, wf_tensor x, const int *axes, int n, bool keep);
WF_API wf_tensor wf_max(wf_ctx *c, wf_tensor x, const int *axes, int n, bool keep);
WF_API wf_tensor wf_min(wf_ctx *c, wf_tensor x, const int *axes, int n, bool keep);
WF_API wf_tensor wf_all(wf_ctx *c, wf_tensor x, const int *axes, int n, bool keep);
WF_API wf_tensor wf_any(wf_ctx *c, wf_tensor x, const int *axes, int n, bool keep);
WF_API wf_tensor wf_count_nonzero(wf_ctx *c, wf_tensor x, const int *axes, int n);
WF_API wf_tensor wf_mean(wf_ctx *c, wf_tensor x, const int *axes, int n, bool keep);
WF_API wf_tensor wf_var(wf_ctx *c, wf_tensor x, const int *axes, int n, double correction, bool keep);
WF_API wf_tensor wf_std(wf_ctx *c, wf_tensor x, const int *axes, int n, double correction, bool keep);
WF_API wf_tensor wf_norm(wf_ctx *c, wf_tensor x, double p, const int *axes, int n, bool keep);
WF_API wf_tensor wf_logsumexp(wf_ctx *c, wf_tensor x, const int *axes, int n, bool keep);
WF_API wf_tensor wf_argmax(wf_ctx *c, wf_tensor x, const int *axis, bool keep); /* NULL: of all elements */
WF_API wf_tensor wf_argmin(wf_ctx *c, wf_tensor x, const int *axis, bool keep);
WF_API wf_tensor wf_cumsum(wf_ctx *c, wf_tensor x, int axis, bool reverse);
WF_API wf_tensor wf_cumprod(wf_ctx *c, wf_tensor x, int axis);
/* NaN once one is; a new element and an equal one before it share the derivative. */
WF_API wf_tensor wf_cummax(wf_ctx *c, wf_tensor x, int axis);
WF_API wf_tensor wf_cummin(wf_ctx *c, wf_tensor x, int axis);
WF_API wf_tensor wf_logcumsumexp(wf_ctx *c, wf_tensor x, int axis);
WF_API wf_tensor wf_diff(wf_ctx *c, wf_tensor x, int n, int axis); /* of neighbours, n times */
/* The integral of y along the axis; x: places, WF_NONE: dx apart */
WF_API wf_tensor wf_trapezoid(wf_ctx *c, wf_tensor y, wf_tensor x, double dx, int axis);

/* ---- indexing ------------------------------------------------------------------------------------------------
 *
 *     x[1, ..., ::-2, None, mask]
 *     wf_index_get(c, x, (wf_index[]){wf_at_int(1), wf_at_rest(), wf_at_slice_step(WF_NOT, WF_NOT, -2), wf_at_new(),
 *                                     wf_at_tensor(mask)}, 5)
 *
 * as NumPy does it. Integers and slices of eager tensors give views. Integers out of range are errors; in a program
 * (unless wf_semantics.index_check), and by JAX's rules, they are moved inside. Slices of an axis of symbolic size take it to be long
 * enough, which is checked when the program is bound. Assignment gives a new tensor; where places coincide the last one stays
 * (set) or all are added (add). */

typedef enum wf_index_kind {
    WF_INDEX_SLICE, WF_INDEX_INT, WF_INDEX_ELLIPSIS, WF_INDEX_NEW, WF_INDEX_TENSOR,
    WF_INDEX_SIZES /* a slice whose bounds are sizes, perhaps symbolic: none counts from the end */
} wf_index_kind;
typedef struct wf_index {
    wf_index_kind kind;
    bool has_start, has_stop, has_step;
    int64_t start, stop, step; /* start is also the integer of WF_INDEX_INT */
    wf_tensor tensor;
} wf_index;
#define WF_NOT INT64_MIN /* a bound that is left out */
static inline wf_index wf_at_slice_step(int64_t start, int64_t stop, int64_t step)
{
    wf_index ix = {WF_INDEX_SLICE, start != WF_NOT, stop != WF_NOT, step != WF_NOT, start, stop, step, {0, 0, 0}};
    return ix;
}
static inline wf_index wf_at_slice(int64_t start, int64_t stop) { return wf_at_slice_step(start, stop, WF_NOT); }
static inline wf_index wf_at_all(void) { return wf_at_slice_step(WF_NOT, WF_NOT, WF_NOT); }
static inline wf_index wf_at_int(int64_t i)
{
    wf_index ix = {WF_INDEX_INT, true, false, false, i, 0, 0, {0, 0, 0}};
    return ix;
}
static inline wf_index wf_at_sizes(int64_t start, int64_t stop) /* WF_NOT: left out */
{
    wf_index ix = {WF_INDEX_SIZES, start != WF_NOT, stop != WF_NOT, false, start, stop, 0, {0, 0, 0}};
    return ix;
}
static inline wf_index wf_at_rest(void)
{
    wf_index ix = {WF_INDEX_ELLIPSIS, false, false, false, 0, 0, 0, {0, 0, 0}};
    return ix;
}
static inline wf_index wf_at_new(void)
{
    wf_index ix = {WF_INDEX_NEW, false, false, false, 0, 0, 0, {0, 0, 0}};
    return ix;
}
static inline wf_index wf_at_tensor(wf_tensor t)
{
    wf_index ix = {WF_INDEX_TENSOR, false, false, false, 0, 0, 0, t};
    return ix;
}
WF_API wf_tensor wf_index_get(wf_ctx *c, wf_tensor x, const wf_index *ix, int n);
WF_API wf_tensor wf_index_set(wf_ctx *c, wf_tensor x, const wf_index *ix, int n, wf_tensor v);
WF_API wf_tensor wf_index_add(wf_ctx *c, wf_tensor x, const wf_index *ix, int n, wf_tensor v);
WF_API wf_tensor wf_take(wf_ctx *c, wf_tensor x, wf_tensor index, int axis);
/* y[i,j] = x[index[i,j], j] along axis 0, and so on; index has the rank of x. */
WF_API wf_tensor wf_take_along(wf_ctx *c, wf_tensor x, wf_tensor index, int axis);
WF_API wf_tensor wf_put_along(wf_ctx *c, wf_tensor x, wf_tensor index, wf_tensor v, int axis);
WF_API wf_tensor wf_add_along(wf_ctx *c, wf_tensor x, wf_tensor index, wf_tensor v, int axis);
/* Whole slices of x at the places of an axis that a vector of indices gives: replaced by v, or with v added. */
WF_API wf_tensor wf_put_slices(wf_ctx *c, wf_tensor x, wf_tensor index, wf_tensor v, int axis);
WF_API wf_tensor wf_add_slices(wf_ctx *c, wf_tensor x, wf_tensor index, wf_tensor v, int axis);
/* x with v at x[index[i,j], j] along axis 0, and so on. What meets in one place is combined; with_old: with x, too. v may be
 * larger than index: what lies beyond is left out. */
typedef enum wf_scatter_kind {
    WF_SCATTER_SET, WF_SCATTER_ADD, WF_SCATTER_MUL, WF_SCATTER_MAX, WF_SCATTER_MIN, WF_SCATTER_MEAN
} wf_scatter_kind;
WF_API wf_tensor wf_scatter_along(wf_ctx *c, wf_tensor x, wf_tensor index, wf_tensor v, int axis, wf_scatter_kind kind,
                                  bool with_old);
WF_API wf_tensor wf_masked_fill(wf_ctx *c, wf_tensor x, wf_tensor mask, double value);
/* The k-th true element of mask gets the k-th of source. */
WF_API wf_tensor wf_masked_scatter(wf_ctx *c, wf_tensor x, wf_tensor mask, wf_tensor source);
WF_API wf_tensor wf_masked_select(wf_ctx *c, wf_tensor x, wf_tensor mask);
WF_API wf_tensor wf_nonzero(wf_ctx *c, wf_tensor x); /* i64[K,rank] */
WF_API wf_tensor wf_diagonal(wf_ctx *c, wf_tensor x, int k);
WF_API wf_tensor wf_diag(wf_ctx *c, wf_tensor x, int k); /* of a vector, a matrix; of a matrix, its diagonal */

/* ---- sorting -------------------------------------------------------------------------------------------------- */

/* Stable, NaN last. out_index may be NULL. */
WF_API wf_status wf_sort(wf_ctx *c, wf_tensor x, int axis, bool descending, wf_tensor *out_values, wf_tensor *out_index);
WF_API wf_tensor wf_argsort(wf_ctx *c, wf_tensor x, int axis, bool descending);
/* Equal ones in the order of their places; NaN counts as largest. */
WF_API wf_status wf_top_k(wf_ctx *c, wf_tensor x, int64_t k, int axis, bool largest, wf_tensor *out_values,
                          wf_tensor *out_index);
WF_API wf_tensor wf_searchsorted(wf_ctx *c, wf_tensor sorted, wf_tensor v, bool right);
WF_API wf_tensor wf_median(wf_ctx *c, wf_tensor x, int axis, bool lower, bool keep);

/* The k-th smallest, k from 1; the most frequent value, the smallest of several; and where it is (the last place). */
WF_API wf_status wf_kth_value(wf_ctx *c, wf_tensor x, int64_t k, int axis, bool keep, wf_tensor *out_values,
                              wf_tensor *out_index);
WF_API wf_status wf_mode(wf_ctx *c, wf_tensor x, int axis, bool keep, wf_tensor *out_values, wf_tensor *out_index);
/* The values of x, sorted, each once; where each element of x is among them, and how often each occurs (may be NULL). */
WF_API wf_status wf_unique(wf_ctx *c, wf_tensor x, wf_tensor *out_values, wf_tensor *out_inverse, wf_tensor *out_counts);
/* How often 0, 1, 2 .. stand in x, or the sums of their weights (WF_NONE: none). As long as `length`, or, if that is negative,
 * as the values ask for (concrete ones), at least `least`. */
WF_API wf_tensor wf_bincount(wf_ctx *c, wf_tensor x, wf_tensor weights, int64_t least, int64_t length);
/* Numbers of x in equal bins from lo to hi; if those are equal: from its smallest to its largest (concrete ones). */
WF_API wf_tensor wf_histogram(wf_ctx *c, wf_tensor x, int64_t bins, double lo, double hi);

/* ---- linear algebra --------------------------------------------------------------------------------------------- */

WF_API wf_tensor wf_matmul(wf_ctx *c, wf_tensor x, wf_tensor y); /* as NumPy's @ */
WF_API wf_tensor wf_tensordot(wf_ctx *c, wf_tensor x, wf_tensor y, const int *x_axes, const int *y_axes, int n);
WF_API wf_tensor wf_outer(wf_ctx *c, wf_tensor x, wf_tensor y);
WF_API wf_tensor wf_einsum(wf_ctx *c, const char *spec, const wf_tensor *x, int n); /* any: "b...i,ij->b...j" */
/* Discrete Fourier transforms along n axes (NULL: the last ones), one after the other. lengths: x is cut or filled up with zeros
 * to them (NULL: as it is; irfft: 2(m - 1)). rfft begins, and irfft ends, with the last of the axes; rfft takes real numbers, irfft gives them. The
 * norm says which direction divides by the number of elements: the way back, both by its square root, or the way there. */
typedef enum wf_fft_kind { WF_FFT, WF_IFFT, WF_RFFT, WF_IRFFT } wf_fft_kind;
typedef enum wf_fft_norm { WF_NORM_BACKWARD, WF_NORM_ORTHO, WF_NORM_FORWARD } wf_fft_norm;
WF_API wf_tensor wf_fft(wf_ctx *c, wf_tensor x, wf_fft_kind kind, const int *axes, const int64_t *lengths, int n, wf_fft_norm norm);
WF_API wf_tensor wf_cross(wf_ctx *c, wf_tensor x, wf_tensor y, int axis);
WF_API wf_tensor wf_cosine_similarity(wf_ctx *c, wf_tensor x, wf_tensor y, int axis, double eps);
WF_API wf_tensor wf_normalize(wf_ctx *c, wf_tensor x, double p, int axis, double eps);
WF_API wf_tensor wf_cdist(wf_ctx *c, wf_tensor x, wf_tensor y, double p); /* [..,m,k] [..,n,k] -> [..,m,n] */
WF_API wf_tensor wf_diagonal_sum(wf_ctx *c, wf_tensor x);
WF_API wf_tensor wf_cholesky(wf_ctx *c, wf_tensor x);
WF_API wf_tensor wf_solve_triangular(wf_ctx *c, wf_tensor a, wf_tensor b, bool lower, bool trans, bool unit);
WF_API wf_tensor wf_solve(wf_ctx *c, wf_tensor a, wf_tensor b);
WF_API wf_tensor wf_inv(wf_ctx *c, wf_tensor a);
WF_API wf_tensor wf_det(wf_ctx *c, wf_tensor a);
/* Orthogonal factors, k = min(m,n): [..,m,n] -> q [..,m,k], r [..,k,n] (full: k = m); u [..,m,k], s [..,k] descending,
 * vt [..,k,n]; of symmetric matrices, whose lower triangle is read, w [..,n] ascending and v [..,n,n]. */
WF_API wf_status wf_qr(wf_ctx *c, wf_tensor x, bool full, wf_tensor *out_q, wf_tensor *out_r);
WF_API wf_status wf_eigh(wf_ctx *c, wf_tensor x, wf_tensor *out_w, wf_tensor *out_v);
WF_API wf_status wf_svd(wf_ctx *c, wf_tensor x, wf_tensor *out_u, wf_tensor *out_s, wf_tensor *out_vt);

/* ---- neural networks -----------------------------------------------------------------------------------------------
 *
 * As PyTorch's functional layer. Optional tensors (weight, bias, mask) may be WF_NONE; NULL strides are 1 (of pools: the
 * window), NULL paddings 0, NULL dilations 1. */

WF_API wf_tensor wf_relu(wf_ctx *c, wf_tensor x);
WF_API wf_tensor wf_gelu(wf_ctx *c, wf_tensor x, bool with_tanh);
WF_API wf_tensor wf_silu(wf_ctx *c, wf_tensor x);
WF_API wf_tensor wf_softplus(wf_ctx *c, wf_tensor x, double beta);
WF_API wf_tensor wf_log_sigmoid(wf_ctx *c, wf_tensor x);
WF_API wf_tensor wf_elu(wf_ctx *c, wf_tensor x, double alpha);
WF_API wf_tensor wf_leaky_relu(wf_ctx *c, wf_tensor x, double slope);
WF_API wf_tensor wf_softmax(wf_ctx *c, wf_tensor x, int axis);
WF_API wf_tensor wf_log_softmax(wf_ctx *c, wf_tensor x, int axis);

/* n: how many last axes are normalised */
WF_API wf_tensor wf_layer_norm(wf_ctx *c, wf_tensor x, int n, wf_tensor weight, wf_tensor bias, double eps);
WF_API wf_tensor wf_rms_norm(wf_ctx *c, wf_tensor x, int n, wf_tensor weight, double eps);
/* x [N,C,..]. Training: by the mean and (biased) variance of the batch, which come out too (out_* may be NULL). */
WF_API wf_tensor wf_batch_norm(wf_ctx *c, wf_tensor x, wf_tensor mean, wf_tensor var, wf_tensor weight, wf_tensor bias,
                               bool training, double eps, wf_tensor *out_mean, wf_tensor *out_var);
WF_API wf_tensor wf_group_norm(wf_ctx *c, wf_tensor x, int64_t groups, wf_tensor weight, wf_tensor bias, double eps);

typedef enum wf_reduction { WF_NO_REDUCTION, WF_MEAN, WF_SUM } wf_reduction;
WF_API wf_tensor wf_mse_loss(wf_ctx *c, wf_tensor x, wf_tensor y, wf_reduction how);
WF_API wf_tensor wf_l1_loss(wf_ctx *c, wf_tensor x, wf_tensor y, wf_reduction how);
WF_API wf_tensor wf_smooth_l1_loss(wf_ctx *c, wf_tensor x, wf_tensor y, double beta, wf_reduction how);
/* Classes along axis 1 (0 for rank 1); target: class numbers, or (cross entropy) probabilities of the shape of x. Targets
 * equal to `ignore` do not count (PyTorch's standard: -100), others below 0 are errors, as too large ones are. */
WF_API wf_tensor wf_cross_entropy(wf_ctx *c, wf_tensor x, wf_tensor target, wf_tensor weight, int64_t ignore,
                                  double smoothing, wf_reduction how);
WF_API wf_tensor wf_nll_loss(wf_ctx *c, wf_tensor logp, wf_tensor target, wf_tensor weight, int64_t ignore,
                             wf_reduction how);
WF_API wf_tensor wf_bce_loss(wf_ctx *c, wf_tensor p, wf_tensor t, wf_reduction how);
WF_API wf_tensor wf_bce_with_logits(wf_ctx *c, wf_tensor x, wf_tensor t, wf_reduction how);
WF_API wf_tensor wf_kl_div(wf_ctx *c, wf_tensor logp, wf_tensor t, wf_reduction how);

/* n: spatial axes, 1..3. x [N,C,..], w [O,C/groups,..]; transposed: w [C,O/groups,..]. */
WF_API wf_tensor wf_conv(wf_ctx *c, wf_tensor x, wf_tensor w, wf_tensor bias, int n, const int64_t *stride,
                         const int64_t *padding, const int64_t *dilation, int64_t groups);
WF_API wf_tensor wf_conv_transpose(wf_ctx *c, wf_tensor x, wf_tensor w, wf_tensor bias, int n, const int64_t *stride,
                                   const int64_t *padding, const int64_t *output_padding, const int64_t *dilation,
                                   int64_t groups);
WF_API wf_tensor wf_max_pool(wf_ctx *c, wf_tensor x, int n, const int64_t *window, const int64_t *stride,
                             const int64_t *padding, const int64_t *dilation);
WF_API wf_tensor wf_avg_pool(wf_ctx *c, wf_tensor x, int n, const int64_t *window, const int64_t *stride,
                             const int64_t *padding, bool count_padding);
/* ceil_mode: windows that only begin inside count, too. out_index (may be NULL): of the maxima, in their image. divisor: what
 * sums are divided by, 0: the elements of the window. */
WF_API wf_tensor wf_max_pool_with(wf_ctx *c, wf_tensor x, int n, const int64_t *window, const int64_t *stride,
                                  const int64_t *padding, const int64_t *dilation, bool ceil_mode, wf_tensor *out_index);
WF_API wf_tensor wf_avg_pool_with(wf_ctx *c, wf_tensor x, int n, const int64_t *window, const int64_t *stride,
                                  const int64_t *padding, bool ceil_mode, bool count_padding, int64_t divisor);
WF_API wf_tensor wf_adaptive_avg_pool(wf_ctx *c, wf_tensor x, int n, const int64_t *sizes);
WF_API wf_tensor wf_adaptive_max_pool(wf_ctx *c, wf_tensor x, int n, const int64_t *sizes);
/* Patches of images, n = 2: [N,C,H,W] -> [N,C*kh*kw,L], and their sum back into images of the given sizes. */
WF_API wf_tensor wf_unfold(wf_ctx *c, wf_tensor x, int n, const int64_t *window, const int64_t *dilation,
                           const int64_t *padding, const int64_t *stride);
WF_API wf_tensor wf_fold(wf_ctx *c, wf_tensor x, int n, const int64_t *sizes, const int64_t *window, const int64_t *dilation,
                         const int64_t *padding, const int64_t *stride);
WF_API wf_tensor wf_pixel_shuffle(wf_ctx *c, wf_tensor x, int64_t r);   /* [..,C*r*r,H,W] -> [..,C,H*r,W*r] */
WF_API wf_tensor wf_pixel_unshuffle(wf_ctx *c, wf_tensor x, int64_t r); /* and back */
/* [N,C,..] with n spatial axes of new sizes, by the nearest element or linearly; corners: those of both images meet. scales
 * (may be NULL): factors the sizes were made by. */
WF_API wf_tensor wf_interpolate(wf_ctx *c, wf_tensor x, int n, const int64_t *sizes, const double *scales, bool linear,
                                bool corners);
WF_API wf_tensor wf_linear(wf_ctx *c, wf_tensor x, wf_tensor w, wf_tensor bias); /* x wᵀ + bias */
WF_API wf_tensor wf_embedding(wf_ctx *c, wf_tensor weight, wf_tensor index); /* rows by numbers from 0 on */
WF_API wf_tensor wf_dropout(wf_ctx *c, wf_tensor x, wf_tensor mask, double p); /* mask: true where x stays */
WF_API wf_tensor wf_attention(wf_ctx *c, wf_tensor q, wf_tensor k, wf_tensor v, wf_tensor mask, bool causal, double scale);

/* ---- trees: tuples, lists and dicts of tensors --------------------------------------------------------------------------
 *
 * Functions take flat lists: flatten a tree before the call, put the results together after it. A tree keeps its tensors
 * alive. Makers take over the children they are given, also when they fail; NULL after an error. */

typedef enum wf_tree_kind { WF_TREE_LEAF, WF_TREE_TUPLE, WF_TREE_LIST, WF_TREE_DICT } wf_tree_kind;
typedef struct wf_tree wf_tree;
WF_API wf_tree *wf_tree_leaf(wf_ctx *c, wf_tensor t);
WF_API wf_tree *wf_tree_tuple(wf_ctx *c, wf_tree *const *kids, int n);
WF_API wf_tree *wf_tree_list(wf_ctx *c, wf_tree *const *kids, int n);
WF_API wf_tree *wf_tree_dict(wf_ctx *c, const char *const *keys, wf_tree *const *kids, int n); /* kept in order of keys */
WF_API void wf_tree_free(wf_ctx *c, wf_tree *t);
WF_API wf_tree_kind wf_tree_kind_of(const wf_tree *t);
WF_API int wf_tree_count(const wf_tree *t); /* of children */
WF_API const wf_tree *wf_tree_at(const wf_tree *t, int i);           /* NULL: no such child */
WF_API const wf_tree *wf_tree_get(const wf_tree *t, const char *key); /* NULL: no such key */
WF_API wf_tensor wf_tree_tensor(const wf_tree *leaf);                 /* WF_NONE: not a leaf */
WF_API int wf_tree_leaves(const wf_tree *t);
WF_API int wf_tree_flatten(const wf_tree *t, wf_tensor *out, int room); /* as many as fit; gives wf_tree_leaves */
WF_API wf_tree *wf_tree_unflatten(wf_ctx *c, const wf_tree *like, const wf_tensor *leaves, int n);
/* "({'b': *, 'w': *}, *)": equal for equal structures; borrowed until the next call that gives text. */
WF_API wf_status wf_tree_structure(wf_ctx *c, const wf_tree *t, const char **out_text);

/* Functions of trees: the same as those of lists above, with arguments and results in trees. The function reads its
 * arguments, often a tuple of them, and makes a tree of its results, which is taken over; it may have any structure. Trees
 * that come out are to be freed. Structures are part of the signature of a jit. */
typedef wf_status (*wf_tree_call)(wf_ctx *c, void *user, const wf_tree *in, wf_tree **out);
typedef struct wf_tree_function {
    size_t size; /* sizeof(wf_tree_function) */
    wf_tree_call call;
    void *user;
    const char *name;
} wf_tree_function;
#define WF_TREE_FUNCTION(...) {sizeof(wf_tree_function), __VA_ARGS__} /* call, user, name */
/* out_results: a tree without tensors, for wf_tree_unflatten of what the program gives (may be NULL). */
WF_API wf_status wf_trace_tree(wf_ctx *c, const wf_tree_function *f, const wf_tree *example, const wf_program **out,
                               wf_tree **out_results);
typedef struct wf_jit_tree wf_jit_tree;
WF_API wf_status wf_jit_tree_new(wf_ctx *c, const wf_tree_function *f, wf_jit_tree **out);
WF_API wf_status wf_jit_tree_call(wf_ctx *c, wf_jit_tree *j, const wf_tree *in, const void *statics, size_t size,
                                  wf_tree **out);
WF_API int wf_jit_tree_traces(const wf_jit_tree *j);
WF_API void wf_jit_tree_free(wf_ctx *c, wf_jit_tree *j);
/* axes: for each leaf, NULL: 0 for all. */
WF_API wf_status wf_vmap_tree(wf_ctx *c, const wf_tree_function *f, const wf_tree *in, const int *axes, int n, int out_axis,
                              const char *axis_name, wf_tree **out);
/* Gradients of the first leaf of the results by child `wrt` of the arguments, or by all of them (-1), in its structure. */
WF_API wf_status wf_grad_tree(wf_ctx *c, const wf_tree_function *f, const wf_tree *in, int wrt, wf_tree **out_y,
                              wf_tree **out_grads);
/* dx and dy: as the arguments and the results. */
WF_API wf_status wf_jvp_tree(wf_ctx *c, const wf_tree_function *f, const wf_tree *in, const wf_tree *dx, wf_tree **out_y,
                             wf_tree **out_dy);
/* The results, and a record whose wf_record_vjp takes and gives leaves. */
WF_API wf_status wf_vjp_tree(wf_ctx *c, const wf_tree_function *f, const wf_tree *in, wf_tree **out_y, wf_record **out);

/* ---- writing ----------------------------------------------------------------------------------------------------------
 *
 * Into the memory of x, which tensors that share it see; its version goes up, and a history that had saved it says so when
 * it is used. A write through a view reaches what it is a view of, and other views of that: numbers, histories, and in a
 * program values. Refused: a leaf that requires a gradient, or a view of one (unless nothing is recorded: then numbers change
 * and histories stay), and a tensor of which several elements are one in memory. */

WF_API wf_status wf_write(wf_ctx *c, wf_tensor x, wf_tensor v); /* x[...] = v */
WF_API wf_status wf_add_in(wf_ctx *c, wf_tensor x, wf_tensor y);
WF_API wf_status wf_sub_in(wf_ctx *c, wf_tensor x, wf_tensor y);
WF_API wf_status wf_mul_in(wf_ctx *c, wf_tensor x, wf_tensor y);
WF_API wf_status wf_div_in(wf_ctx *c, wf_tensor x, wf_tensor y);
WF_API wf_status wf_fill_in(wf_ctx *c, wf_tensor x, double value);
WF_API wf_status wf_index_write(wf_ctx *c, wf_tensor x, const wf_index *ix, int n, wf_tensor v);

/* ---- graphs -------------------------------------------------------------------------------------------------------------
 *
 *     wf_graph_new(c, "f", NULL, &g);
 *     wf_tensor x = wf_symbol(c, g, "x", "f32[]"), y = wf_mul(c, x, wf_exp(c, x));
 *     wf_graph_close(c, g, &x, 1, (wf_tensor[]){y, wf_partial(c, y, x, WF_NONE)}, 2, &program);
 *     wf_graph_free(c, g);                                its tensors mean nothing any more
 *
 * Any number of graphs are open at a time. A function of a graph's tensors adds to that graph, wherever it is called;
 * tensors of two graphs do not mix. Concrete tensors become constants. Control flow with such operands is part of the graph,
 * its bodies may use the graph's tensors. */

typedef struct wf_graph wf_graph;
typedef struct wf_graph_options {
    size_t size;      /* sizeof(wf_graph_options) */
    bool size_guards; /* symbolic sizes that must be equal, and cannot be shown to be, are taken for equal: one symbol stands
                         for both, which is checked when the program is bound. Else that is an error. */
} wf_graph_options;
WF_API wf_status wf_graph_new(wf_ctx *c, const char *name, const wf_graph_options *o, wf_graph **out); /* o may be NULL */
WF_API void wf_graph_free(wf_ctx *c, wf_graph *g); /* lives on in its sessions */
/* Between these two, what has no tensor among its arguments (zeros of a symbolic size, prints) and functions that only use
 * its tensors from outside belong to the graph, too. They nest, with one another and with traces. */
WF_API wf_status wf_graph_enter(wf_ctx *c, wf_graph *g);
WF_API void wf_graph_leave(wf_ctx *c, wf_graph *g);
WF_API wf_graph *wf_graph_of(wf_ctx *c, wf_tensor t); /* NULL: of none */
/* "f32[N,784]": sizes of one name are equal; "f32[2*N+1]": one made of another, which stands by itself in some input;
 * "f32[?,784]": a size that is only itself. "image: f32[N,784]": a name that goes before `name`, which may be NULL. */
WF_API wf_tensor wf_symbol(wf_ctx *c, wf_graph *g, const char *name, const char *type);
/* The derivative of the sum of y (weighted by gy, if given) by x, any expression that y is made of. */
WF_API wf_tensor wf_partial(wf_ctx *c, wf_tensor y, wf_tensor x, wf_tensor gy);
/* Those of several y, added, by several x; gy NULL: ones. WF_NONE where no y depends on x. */
WF_API wf_status wf_partials(wf_ctx *c, const wf_tensor *y, const wf_tensor *gy, int ny, const wf_tensor *x, int nx,
                             wf_tensor *out);
/* y with expressions replaced by others of the same type. */
WF_API wf_tensor wf_substitute(wf_ctx *c, wf_tensor y, const wf_tensor *from, const wf_tensor *to, int n);
/* A program of symbols and results; the graph stays as it is. To be released. */
WF_API wf_status wf_graph_close(wf_ctx *c, wf_graph *g, const wf_tensor *in, int nin, const wf_tensor *out, int nout,
                                const wf_program **program);

/* A session runs a graph: placeholders are wf_symbols, variables hold a value for each session, at first that of
 * wf_variable. Only what the fetches need is run; the program for each choice of fetches and feeds is kept with the graph, and
 * serves all sizes. Any expression can be fed. Fetching the result of wf_assign changes the variable, whose old memory the new
 * value takes if nobody else holds it. */
WF_API wf_tensor wf_variable(wf_ctx *c, wf_graph *g, const char *name, wf_tensor initial);
WF_API wf_tensor wf_assign(wf_ctx *c, wf_tensor var, wf_tensor value);
typedef struct wf_session wf_session;
WF_API wf_status wf_session_new(wf_ctx *c, wf_graph *g, wf_session **out);
WF_API void wf_session_free(wf_ctx *c, wf_session *s);
WF_API wf_tensor wf_variable_value(wf_ctx *c, wf_session *s, wf_tensor var);
WF_API wf_status wf_set_variable(wf_ctx *c, wf_session *s, wf_tensor var, wf_tensor value);
WF_API wf_status wf_session_run(wf_ctx *c, wf_session *s, const wf_tensor *feeds, const wf_tensor *values, int nfeed,
                                const wf_tensor *fetches, int nfetch, wf_tensor *out);
WF_API int wf_session_plans(const wf_session *s); /* how many programs its graph has kept */

#ifdef __cplusplus
}
#endif
#endif
