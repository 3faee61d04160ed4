/* lib_calls.h -- the functions of weft_tensor.h by name, with arguments from text.
 *
 *   case conv 2 / 1 1 / 0 0 / - / 1        c->g[0] is 2, c->g[1] is {1, 1}, c->g[3] is left out
 */
#ifndef WEFT_LIB_CALLS_H
#define WEFT_LIB_CALLS_H

#include "test.h"

enum { CALL_IN = 8, CALL_OUT = 4, CALL_GROUPS = 8 };

typedef struct CallArgs {
    const char *text; /* of `:text`; NULL: none */
    int ngroups;
    struct {
        int n;
        double v[8];
    } g[CALL_GROUPS];
    wf_dtype real; /* what f64 stands for in this run */
    int nin;       /* inputs, those left out counted */
} CallArgs;

enum {
    CALL_NO_VMAP = 1, /* sizes of results depend on values, or inputs must be sorted */
    CALL_NO_F32 = 2,  /* about bits: f64 only */
    CALL_NO_GRAPH = 4 /* only of concrete tensors */
};

typedef struct CallRow {
    const char *name;
    void (*call)(wf_ctx *c, const CallArgs *a, const wf_tensor *in, wf_tensor *out);
    unsigned flags;
} CallRow;

const CallRow *call_find(const char *name);

#endif
