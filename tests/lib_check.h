/* lib_check.h -- what tests do to any program: inputs, evaluation, and the laws of the transforms.
 *
 * Every check gives NULL, or a sentence that says what is wrong (in the context's scratch). The oracle for
 * derivatives is a central difference in f64, for vmap a loop, for the rest eval_program.
 *
 * Case files (tests/ops/x.wir): small programs; comment lines right above a program tell how to run it:
 *   # in: pos | unit | int LO HI       the inputs (default: floats apart from each other and from 0, ints
 *   # in x: ...                         0..3); of one input
 *   # sym: N=3 M=5                     sizes of symbols (default 3)
 *   # axis: i=4                        the program is batched first, every input along its first axis, named i
 *   # nograd: why     # novmap: why    what is not checked
 */
#ifndef WEFT_LIB_CHECK_H
#define WEFT_LIB_CHECK_H

#include "test.h"
#include "transform/transform.h"

typedef enum InputKind { IN_DEFAULT, IN_POS, IN_UNIT, IN_INT } InputKind;

typedef struct InputSpec {
    InputKind kind;
    int64_t lo, hi; /* IN_INT */
} InputSpec;

typedef struct Case {
    const Program *p;
    InputSpec *in;       /* one for each input */
    int64_t *sizes;      /* one for each symbol; -1 for those an equation defines */
    bool nograd, novmap;
    const char *axis;    /* NULL: none */
    int64_t axis_size;
} Case;

/* A context with an open region, as a public function has; tests of internals run in one. */
typedef struct Bench {
    wf_ctx *cx;
    Region region;
} Bench;
#define BENCH_OPEN(b)                                                                            \
    Bench b = {.cx = wf_ctx_new(NULL)};                                                          \
    api_enter_(b.cx, &b.region)
#define BENCH_CLOSE(b) (api_leave((b).cx, &(b).region), wf_ctx_free((b).cx))

typedef struct Rng {
    uint64_t s;
} Rng;
uint64_t rng_next(Rng *r);
double rng_unit(Rng *r);              /* in [0, 1) */
int64_t rng_int(Rng *r, int64_t lo, int64_t hi); /* both included */

char *read_text(const char *path, size_t *out_size); /* malloc'd; NULL if it cannot be read */
/* All programs of a case file that are not called by another, with their directives. */
bool cases_load(wf_ctx *cx, const char *path, Case **out, uint32_t *out_n);

/* The case batched along its axis, for collectives to speak of; false after an error. */
bool case_batch(wf_ctx *cx, Case *c);

Nd nd_new(wf_ctx *cx, wf_dtype dtype, const int64_t *dims, uint32_t rank);
Nd nd_copy(wf_ctx *cx, const Nd *x);
double nd_get(const Nd *x, int64_t i);
void nd_set(Nd *x, int64_t i, double v); /* rounded to the dtype */
Nd *case_inputs(wf_ctx *cx, const Case *c, Rng *rng);
/* Values near each other: |a-b| <= tol*(1+|b|), NaN near NaN, infinities equal. NULL or what differs. */
const char *nd_differ(wf_ctx *cx, const Nd *a, const Nd *b, double tol);

typedef bool (*RunFn)(wf_ctx *cx, const Program *p, const Nd *in, Nd *out, Arena *a);

const char *check_text(wf_ctx *cx, const Program *p);               /* verify; parse(print(p)) is p */
const char *check_jvp(wf_ctx *cx, const Program *p, const Nd *in, Rng *rng);  /* every subset of float inputs */
const char *check_vjp(wf_ctx *cx, const Program *p, const Nd *in, Rng *rng);  /* <u, J v> == <J' u, v> */
const char *check_second(wf_ctx *cx, const Program *p, const Nd *in, Rng *rng); /* jvp of the vjp program */
const char *check_vmap(wf_ctx *cx, const Case *c, Rng *rng);        /* subsets, axes, sizes 0 1 3, symbolic */
/* p with every f64 a narrower float: its derivatives are those of p up to rounding. */
const char *check_narrow(wf_ctx *cx, const Program *p, const Program *narrow, const Nd *in, Rng *rng);

#endif
