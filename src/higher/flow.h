/* flow.h -- C functions as bodies of ops, shared by flow.c and custom.c. */
#ifndef WEFT_TENSOR_FLOW_H
#define WEFT_TENSOR_FLOW_H

#include "higher/higher.h"

typedef struct Body {
    Traced t;
    const Program *p; /* of body_close */
    Dim *binds;       /* sizes of the current program for the symbols of p */
} Body;

typedef enum InKind {
    IN_OWN,     /* input `index` of the function */
    IN_CAPTURE, /* capture `index` */
    IN_UNUSED   /* of the type of capture `index` */
} InKind;
typedef struct InFrom {
    uint32_t kind, index;
} InFrom;
typedef struct BodyLayout { /* what the inputs of a body's program are */
    InFrom *v;
    uint32_t n, cap;
    bool give_captures; /* further results: the captures; then */
    bool give_zeros;    /* zeros for each that is a float */
} BodyLayout;

bool body_layout_new(wf_ctx *c, BodyLayout *l, uint32_t cap);
void body_layout_free(wf_ctx *c, BodyLayout *l);
void body_layout_add(BodyLayout *l, InKind kind, uint32_t from, uint32_t n); /* n indices */

void body_free(wf_ctx *c, Body *b); /* all zero is fine */
bool body_make(wf_ctx *c, Body *b, Tensor *const *caps, uint32_t ncaps, const BodyLayout *l);
/* Make b->p: the inputs of the function and caps, those first if `first`. caps has all
 * that the function captured. */
bool body_close(wf_ctx *c, Body *b, Tensor *const *caps, uint32_t ncaps, bool first);
Sub body_sub(const Body *b);
/* All that n functions captured, each once. */
bool body_captures(wf_ctx *c, const Body *b, uint32_t n, Tensor ***out,
                     uint32_t *out_n);
void body_captures_free(wf_ctx *c, const Body *b, uint32_t n, Tensor **v);

typedef struct FlowOperands { /* head.., before.., in.., after.. */
    const wf_tensor *head;
    uint32_t nhead;
    Tensor *const *before;
    uint32_t nbefore;
    const wf_tensor *in;
    uint32_t nin;
    Tensor *const *after;
    uint32_t nafter;
} FlowOperands;

/* Apply an op that carries bodies, and deliver its results for f. */
bool body_apply(wf_ctx *c, OpCode op, const void *attr, const FlowOperands *o, uint32_t nout,
                const bool *weak, const wf_function *f, wf_tensor *out);

#endif
