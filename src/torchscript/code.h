/* code.h -- programs as TorchScript source: what the files of this folder share.
 *
 *   write.c       the archive: classes of the tensors' names, pickles, methods
 *   code.c        values, sizes, lines; control flow
 *   code_map.c    elementwise ops, reductions, order
 *   code_shape.c  shapes, products, windows, matrices
 *   code_index.c  gathers, scatters, dynamic slices
 *
 * A value is a name of the source, which is in the language that torch.jit.save writes: functions are torch.NAME, of aten.
 */
#ifndef WEFT_TORCHSCRIPT_CODE_H
#define WEFT_TORCHSCRIPT_CODE_H

#include "op/op.h"

typedef struct TsCode TsCode;
struct TsCode { /* a program as lines */
    wf_ctx *cx;
    Arena *a;
    const Program *p;
    TsCode *root;       /* the outermost: text and constants are its */
    const char **val; /* the name of each value; NULL: it cannot be written */
    const char **syms; /* that of each symbol's size, an int; NULL: none */
    int depth;        /* of lines */
    Text text;        /* root */
    uint32_t names;   /* root: given so far */
    VEC(const ConstAttr *) constants; /* root: CONSTANTS.c0 .. */
};

/* ---- code.c ---- */

#define ts_str(c, ...) arena_printf((c)->a, __VA_ARGS__)
void ts_line(TsCode *c, const char *fmt, ...) PRINTF(2, 3);
const char *ts_name(TsCode *c, const char *hint);
const char *ts_let(TsCode *c, const char *fmt, ...) PRINTF(2, 3); /* a new name for it */
const char *ts_dim(TsCode *c, Dim d);                            /* an int */
const char *ts_dims(TsCode *c, const Dim *d, uint32_t n);        /* [..] */
const char *ts_ints(TsCode *c, const int64_t *v, uint32_t n);
const char *ts_number(TsCode *c, wf_dtype dtype, double x); /* a number, written out */
int ts_dtype(wf_dtype dtype);                             /* torch's number of it; -1: it has none */
void ts_set(TsCode *c, const Eqn *e, const char *name);
void ts_refuse(TsCode *c, const Eqn *e, const char *why);
bool ts_bind(TsCode *c, const Program *p); /* symbols that stand bare in an input's type */
bool ts_inline(TsCode *c, const Sub *s, const char *const *in, const char **out);
bool ts_equations(TsCode *c);
/* A constant of one value: that, as a number for an operand beside a tensor of that dtype; NULL: none. */
const char *ts_splat(TsCode *c, Val v);

/* Of an equation e of c: names of its operands, and types. */
#define IN(i)      (c->val[eqn_in(c->p, e)[i]])
#define TYPE_IN(i) val_type(c->p, eqn_in(c->p, e)[i])
#define TYPE_OUT   val_type(c->p, e->out)

/* ---- the others: false if the equation is none of theirs ---- */

bool ts_map(TsCode *c, const Eqn *e);
bool ts_reduce(TsCode *c, const Eqn *e);
bool ts_shape(TsCode *c, const Eqn *e);
bool ts_contract(TsCode *c, const Eqn *e);
bool ts_index(TsCode *c, const Eqn *e);
const char *ts_cast(TsCode *c, const char *x, wf_dtype to);
const char *ts_permute(TsCode *c, const char *x, const int64_t *perm, uint32_t n);
const char *ts_full(TsCode *c, const Dim *dims, uint32_t n, const char *number, wf_dtype dtype);
const char *ts_arange(TsCode *c, Dim n, wf_dtype dtype);

/* ---- write.c ---- */

bool ts_write(wf_ctx *cx, wf_model *m, const char *path);

#endif
