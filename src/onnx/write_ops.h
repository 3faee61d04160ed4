/* write_ops.h -- how equations become nodes: lower.c, write_ops.c, write_index.c, write_flow.c. */
#ifndef WEFT_ONNX_WRITE_OPS_H
#define WEFT_ONNX_WRITE_OPS_H

#include "onnx/onnx.h"
#include "onnx/write.h"

/* ---- write_ops.c ---- */

/* Of an equation e of w: the names of its operands, and types. */
#define IN(i)      (w->val[eqn_in(w->p, e)[i]])
#define TYPE_IN(i) val_type(w->p, eqn_in(w->p, e)[i])
#define TYPE_OUT   val_type(w->p, e->out)

void w_equation(Writing *w, const Eqn *e);
void w_set(Writing *w, const Eqn *e, const char *name); /* its first result */
void w_refuse(Writing *w, const Eqn *e, const char *why);
const char *w_cast(Writing *w, const char *x, wf_dtype dtype);
const char *w_reshape(Writing *w, const char *x, const Dim *dims, uint32_t rank);
const char *w_transpose(Writing *w, const char *x, const int64_t *perm, uint32_t n);
const char *w_scalar_dim(Writing *w, Dim d); /* i64 */
const char *w_range(Writing *w, Dim n);      /* i64[n]: 0, 1 .. */
const char *w_concat(Writing *w, const char *const *x, uint32_t n, int64_t axis);

/* ---- write_index.c, write_flow.c: false if the equation is none of theirs ---- */

bool w_index(Writing *w, const Eqn *e);
bool w_flow(Writing *w, const Eqn *e);

#endif
