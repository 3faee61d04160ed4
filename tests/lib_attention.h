/* lib_attention.h -- programs of attention as text makes them. */
#ifndef WEFT_LIB_ATTENTION_H
#define WEFT_LIB_ATTENTION_H

#include "test.h"

#include "ir/ir.h"

typedef enum Mask {
    NO_MASK,
    CAUSAL,      /* by comparison of places */
    CAUSAL_LOW,  /* with a large number instead of -inf, the mask inverted */
    BOOL_MASK,   /* an input [L,S] */
    KEY_MASK,    /* an input [B,1,1,S] */
    BIAS,        /* an input [H,L,S], added */
    BIAS_CAUSAL, /* both */
    MASKS
} Mask;

typedef struct Shape {
    const char *l, *s; /* queries and keys, as dims in text */
    int64_t nl, ns, b, h, d, e;
    bool turned; /* operands lie as [B,L,H,D] */
} Shape;

/* Of operands of dtype t; widened: the softmax is of f32, between casts. result: "y", a scalar,
 * or "o". */
const Program *attention_program(wf_ctx *cx, const char *t, Mask m, const Shape *z,
                                 bool widened, const char *result);

#endif
