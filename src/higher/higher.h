/* higher.h -- functions of functions: a C function is traced into a program, the program is transformed, and the result is
 * applied like an op.
 *
 *   traced.c      programs from C functions; types as text
 *   hinted.c      the same with the sizes of an example as hints
 *   jit.c         jit, vmap
 *   derive.c      grad, vjp, jvp
 *   autograd.c    gradients as users ask for them
 *   flow.c        cond, while, scan, checkpoint
 *   custom.c      functions with derivative rules of their own
 *   kernel.c      kernels of the host as functions of tensors
 *   collective.c  talking over the axis of a vmap or mesh
 *   spmd.c        a function on every device of a mesh
 *   graph.c       symbols, partial derivatives of expressions, sessions
 *   tree.c        tuples, lists and dicts of tensors
 *   tree_call.c   functions of trees
 */
#ifndef WEFT_HIGHER_H
#define WEFT_HIGHER_H

#include "tensor/tensor.h"

/* ---- traced.c: C functions as programs ---- */

typedef struct Traced {
    const Program *p; /* inputs, then the captures */
    uint32_t nin, nout;
    Tensor **captures;
    uint32_t ncaptures;
    bool *weak;  /* of the results */
    bool closed; /* no capture belongs to a trace */
} Traced;

void traced_free(wf_ctx *c, Traced *t);
void traced_set_weak(wf_ctx *c, const Traced *t, wf_tensor *out);
bool function_check(wf_ctx *c, const wf_function *f, const char *fn);
/* The same, and there are its inputs, and room for its results, which are WF_NONE from now on. */
bool function_check_call(wf_ctx *c, const wf_function *f, const wf_tensor *in, int nin,
                wf_tensor *out, int nout, const char *fn);
/* Call it, and see that it set its results; they are to be freed. */
bool function_call(wf_ctx *c, const wf_function *f, const wf_tensor *in, Results *out);
void results_free(wf_ctx *c, Results *r);
/* Hand results to the caller of a function of f: into out, or for wf_given. */
bool results_deliver(wf_ctx *c, const wf_function *f, const wf_tensor *v, uint32_t n,
             wf_tensor *out);
bool results_deliver_more(wf_ctx *c, const wf_tensor *v, uint32_t n); /* for wf_given */

typedef struct InType {
    wf_dtype dtype;
    bool weak;
    Shape s; /* sizes of the trace around */
    uint32_t vary;
    uint32_t layout; /* that is a part of its type */
} InType;

InType *function_types(wf_ctx *c, const char *fn, const wf_tensor *in, int n); /* n + 1 of them */
/* axis may be NULL. The sizes in types become those of the new trace. */
bool function_trace(wf_ctx *c, const wf_function *f, InType *types, TraceKind kind,
                    const TraceAxis *axis, Traced *out);
bool function_trace_on(wf_ctx *c, const char *fn, const wf_function *f,
                       const wf_tensor *in, TraceKind kind, Traced *out);
/* A trace that captures nothing, its inputs made by `inputs`. */
bool function_trace_closed(wf_ctx *c, const char *fn, const wf_function *f,
                  bool (*inputs)(wf_ctx *c, const wf_function *f, void *user, wf_tensor *in),
                  void *user, Traced *out);
/* Apply p, made of t's program, to in, the captures of t, and more. */
bool traced_apply(wf_ctx *c, const Traced *t, const Program *p, const wf_tensor *in,
                  uint32_t nin, const wf_tensor *more, uint32_t nmore, wf_tensor *out);

/* ---- tree.c ---- */
wf_tree *tree_shape(wf_ctx *c, const wf_tree *t); /* the same without its tensors */

/* ---- traced.c: types as text, their sizes symbols of tr; ? is one of its own ---- */
/* "image: f32[N,64]": the name in room for SPEC_NAME bytes, type what is behind it; NULL: it has no name. */
#define SPEC_NAME 128
const char *function_spec_name(const char **type, char *name);
bool function_spec(wf_ctx *c, Trace *tr, const char *fn, const char *type,
                wf_dtype *out_dtype, Shape *out);

/* ---- hinted.c ---- */

/* wf_trace_hinted, where only some axes of each input are open, a bit each; NULL: all are. */
wf_status function_trace_hinted(wf_ctx *c, const wf_function *f, const wf_tensor *example, const bool *fixed,
                              const uint64_t *open, int n, const wf_program **out);

/* ---- derive.c ---- */

/* wf_record_new; traced: the function is traced, as inside a trace. */
wf_status derive_record(wf_ctx *c, const wf_function *f, const wf_tensor *in, int nin,
                        const int *wrt, int nwrt, bool traced, wf_tensor *y, int ny,
                        wf_record **out);
/* x as an argument that the recorder of a tape follows, and outer ones through it. */
wf_tensor derive_lift(wf_ctx *c, wf_tensor x, int tape, const char *fn);

/* ---- autograd.c: g becomes the gradient of a leaf, or goes into the one it has; flags as of wf_backward ---- */

bool grad_accumulate(wf_ctx *c, wf_tensor leaf, wf_tensor g, unsigned flags);

/* ---- graph.c ---- */

/* Derivatives of symbolic y.. (weighted by gy..) by symbolic x.. of the innermost trace; WF_NONE where
 * no y depends on x. */
bool derive_partials(wf_ctx *c, const wf_tensor *y, const wf_tensor *gy, uint32_t ny,
                    const wf_tensor *x, uint32_t nx, wf_tensor *out);

/* ---- collective.c, spmd.c ---- */

/* like says the axes and what else the op has; sizes are found. axis_index: x is not looked at. */
wf_tensor collective_op(wf_ctx *c, OpCode op, wf_tensor x, const CollectiveAttr *like, const char *fn);
const TraceAxis *collective_axis(wf_ctx *c, const char *axis); /* of the first of these; NULL: by nobody */
/* wf_spmd_call; *out_specs is read when f has run. */
wf_status spmd_call(wf_ctx *c, const wf_function *f, const char *mesh, const char *in_specs, const wf_tensor *in, int nin,
                    const char *const *out_specs, bool check, wf_tensor *out, int nout);
/* Before a derivative is taken: where values begin to vary (xf_vary). */
bool traced_mark_vary(wf_ctx *c, Traced *t, const wf_tensor *in);

#endif
