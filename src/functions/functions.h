/* functions.h -- the numeric functions, each composed of primitives through tensor_op.
 *
 *   elementwise.c   operands promoted and broadcast to one type; arithmetic, comparisons, maths
 *   fill.c          ranges, diagonals, one-hot
 *   shape.c         what rearranges; eager results are views where strides allow it
 *   strided.c       views that strides alone can give
 *   index.c mask.c  NumPy indexing in full, read and assign
 *   inplace.c       what writes into a tensor
 *   reduce.c along.c sort.c numbers.c   over axes
 *   linalg.c fft.c complex.c            matrices, transforms
 *   activation.c norm.c loss.c conv.c pool.c window.c   of networks
 *   effect.c        print and assert
 *
 * What users call is in weft_tensor.h; here is what families share.
 */
#ifndef WEFT_FUNCTIONS_H
#define WEFT_FUNCTIONS_H

#include "tensor/tensor.h"

/* ---- elementwise.c ---- */

/* Operands promoted and broadcast to one type. kind: what the op accepts. */
typedef enum MathKind { MATH_ANY, MATH_FLOAT, MATH_INT, MATH_BOOL } MathKind;
wf_tensor float_cast(wf_ctx *c, wf_tensor x, const char *fn);
bool unify_types(wf_ctx *c, const char *fn, wf_tensor *x, int n, MathKind kind);
bool unify_dtypes(wf_ctx *c, const char *fn, wf_tensor *x,
                  int n); /* shapes as they are */
bool broadcast_all(wf_ctx *c, const char *fn, wf_tensor *x, int n);
/* shape.c */
wf_tensor slice_axis(wf_ctx *c, wf_tensor x, uint32_t axis, Dim start, Dim limit);
/* conv.c: is x [N,C,..] with n spatial axes? */
bool spatial_check(wf_ctx *c, const char *fn, wf_tensor x, int n, Shape *s);
/* conv.c, linalg.c: of integers, each of its own type, summed in i32 */
wf_tensor sums_conv(wf_ctx *c, wf_tensor x, wf_tensor w, int n, const int64_t *stride,
                    const int64_t *padding, const int64_t *dilation, int64_t groups);
wf_tensor sums_matmul(wf_ctx *c, wf_tensor x, wf_tensor y);
/* index.c: none of t is negative; an error in fn's name otherwise, or an assert of the program */
bool index_from_zero(wf_ctx *c, const char *fn, wf_tensor t);
/* index.c: x with v put (scatter ..) at places of one axis that index gives, as index_put_along */
wf_tensor index_put_along(wf_ctx *c, const char *fn, OpCode op, wf_tensor x, wf_tensor index,
                    wf_tensor v, int axis);
/* mask.c: x[ix] = v (op scatter) or += v (scatter_add) where that needs no places; false: it does */
bool mask_assign(wf_ctx *c, const char *fn, OpCode op, wf_tensor x, const Shape *s,
                 const wf_index *ix, int n, wf_tensor v, wf_tensor *out);
/* reduce.c */
wf_tensor reduce_axes(wf_ctx *c, const char *fn, OpCode op, wf_tensor x, const int *axes,
                 int n, bool keep);
wf_tensor broadcast_to(wf_ctx *c, const char *fn, wf_tensor x, const Dim *dims,
                       uint32_t rank);
/* In a function of x: of half floats it is computed in f32, as the libraries do. `call` is the
 * function itself, with x as it now is. */
bool float_is_half(wf_ctx *c, wf_tensor x);
#define IN_F32(c, x, call)                                                               \
    if (float_is_half(c, x)) {                                                                 \
        wf_dtype half_ = wf_dtype_of(c, x);                                              \
        scope_open(c);                                                                   \
        (x) = wf_cast(c, x, WF_F32);                                                     \
        return scope_close(c, wf_cast(c, call, half_));                                  \
    }
/* A weak float constant. */
/* Sizes in messages: "[2,-1]", those that are not numbers as "?". */
const char *broadcast_sizes_text(wf_ctx *c, const Dim *dims, uint32_t rank);
static inline wf_tensor num(wf_ctx *c, double x) { return wf_float(c, x); }

/* ---- strided.c, index.c ---- */

wf_tensor strided_unfold(wf_ctx *c, wf_tensor x, int axis, int64_t size, int64_t step);
wf_tensor strided_view(wf_ctx *c, wf_tensor x, const int64_t *dims,
                            const int64_t *strides, uint32_t rank, int64_t from);
wf_tensor strided_as_dtype(wf_ctx *c, wf_tensor x, wf_dtype dtype);
/* x[ix] = v (OP_scatter) or += v (OP_scatter_add) in x's memory. False: not done, for an error or because it is not for this. */
bool index_put_here(wf_ctx *c, OpCode op, wf_tensor x, const wf_index *ix, int n, wf_tensor v);
/* wf_index_write; with OP_scatter_add it adds */
wf_status index_write(wf_ctx *c, const char *fn, OpCode op, wf_tensor x, const wf_index *ix, int n, wf_tensor v);
/* wf_index_get; view: in a program, what is written into the result is written into x */
wf_tensor index_get(wf_ctx *c, wf_tensor x, const wf_index *ix, int n, bool view);

#endif
