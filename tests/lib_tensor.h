/* lib_tensor.h -- one body, every way to run it.
 *
 *   BODY(softplus_of_sum, 1, wf_log1p(c, wf_exp(c, in[0])))        a function with one result
 *   {"softplus_of_sum", f_softplus_of_sum, {"f64[2,3]"}, ...}      its row in a table
 *
 * check_body runs it eagerly, recorded, traced, as a graph with symbolic names left out, jitted and, slice by slice,
 * under vmap, and compares; gradients are compared with central differences.
 */
#ifndef WEFT_LIB_TENSOR_H
#define WEFT_LIB_TENSOR_H

#include "test.h"

/* One field of what functions of the context mean. */
#define SET_MEANS(c, field, value)                                                       \
    do {                                                                                 \
        wf_semantics means_ = {.size = sizeof means_};                                   \
        wf_semantics_of(c, &means_);                                                     \
        means_.field = (value);                                                          \
        wf_set_semantics(c, &means_);                                                    \
    } while (0)

#define BODY(name, expr)                                                                 \
    static wf_status f_##name(wf_ctx *c, void *user, const wf_tensor *in, int nin,       \
                              wf_tensor *out, int nout)                                  \
    {                                                                                    \
        (void)user, (void)in, (void)nin, (void)nout;                                     \
        out[0] = (expr);                                                                 \
        return wf_ctx_status(c);                                                         \
    }

enum {
    NO_GRAD = 1, /* has no derivative, or not everywhere */
    NO_VMAP = 2, /* no batch rule, or batched sizes would differ */
    NO_TRACE = 4 /* needs values */
};

typedef struct BodyCase {
    const char *name;
    wf_call call;
    const char *types[6]; /* of the inputs, up to a NULL */
    unsigned flags;
    double lo, hi; /* inputs are uniform in between; both 0: -2 .. 2 */
} BodyCase;

void check_body(const BodyCase *b);
/* The cases that stand in tests/golden/bodies.txt (tools/golden_bodies.py), against the results there; how many. */
int check_goldens(const BodyCase *cases, size_t n);
/* A tensor of random numbers of the type ("f64[2,3]"; integers are floored). */
wf_tensor random_tensor(wf_ctx *c, const char *type, double lo, double hi,
                        uint64_t *seed);
void check_same(wf_ctx *c, wf_tensor a, wf_tensor b, double tol, const char *name,
                const char *how);
/* The context has no error, or the test fails with its message. */
bool check_context(wf_ctx *c, const char *name, const char *how);
/* Run body with the n-th allocation failing, n = 1, 2 .. 300, then every step-th, alone and with all after it: an
 * error each time, nothing leaked. */
void check_faults(wf_status (*body)(wf_ctx *c), int step);

#endif
