/* lib_check.h -- what tests do to any program: inputs, evaluation, and the laws of the transforms.
 *
 * Every check gives NULL, or a sentence that says what is wrong (in the context's scratch). The oracle for
 * derivatives is a central difference in f64, for vmap a loop, for the rest eval_program.
 *
 * Case files (tests/ops/x.wir): small programs; comment lines right above a program tell how to run it:
 *   # in: pos | unit | range LO HI | int LO HI       the inputs (default: floats apart from each other and from 0, ints
 *   # in x: ...                         0..3); of one input
 *   # sym: N=3 M=5                     sizes of symbols (default 3)
 *   # axis: i=4                        the program is batched first, every input along its first axis, named i
 *   # nograd: why     # novmap: why    what is not checked
 */
#ifndef WEFT_LIB_CHECK_H
#define WEFT_LIB_CHECK_H

#include "test.h"
#include "transform/transform.h"

typedef enum InputKind { IN_DEFAULT, IN_POS, IN_UNIT, IN_RANGE, IN_INT } InputKind;

typedef struct InputSpec {
    InputKind kind;
    int64_t lo, hi;   /* IN_INT */
    double low, high; /* IN_RANGE, floats */
} InputSpec;

typedef struct Case {
    const Program *p;
    InputSpec *in;  /* one for each input */
    int64_t *sizes; /* one for each symbol; -1 for those an equation defines */
    bool nograd, novmap;
    const char *axis; /* NULL: none */
    int64_t axis_size;
} Case;

/* A context with an open region, as a public function has; tests of internals run in one. */
typedef struct Bench {
    wf_ctx *cx;
    Region region;
} Bench;
#define BENCH_OPEN(b)                                                                    \
    Bench b = {.cx = wf_ctx_new(NULL)};                                                  \
    api_enter_(b.cx, &b.region)
#define BENCH_CLOSE(b) (api_leave((b).cx, &(b).region), wf_ctx_free((b).cx))

/* A test with a context in such a region; an error left in the context is a failure. */
#define XTEST(name)                                                                      \
    static void body_##name(wf_ctx *cx);                                                 \
    TEST(name) { run_test(body_##name); }                                                \
    static void body_##name(wf_ctx *cx)
void run_test(void (*body)(wf_ctx *cx));
/* The last program of a text, in which a semicolon stands for the end of a line. */
const Program *parse_lines(wf_ctx *cx, const char *text);
bool is_valid(wf_ctx *cx,
              const Program *p); /* p is there, and program_verify finds nothing */
/* The current error has this status and text; clears it. */
void check_error(wf_ctx *cx, wf_status status, const char *text);

typedef struct Rng {
    uint64_t s;
} Rng;
static inline uint64_t rng_mix(Rng *r)
{
    uint64_t z = (r->s += 0x9E3779B97F4A7C15u);

    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}
uint64_t rng_next(Rng *r); /* rng_mix; in a fuzzer its bytes (lib_rng.c is not linked there) */
double rng_unit(Rng *r);                         /* in [0, 1) */
int64_t rng_int(Rng *r, int64_t lo, int64_t hi); /* both included */

char *read_text(const char *path,
                size_t *out_size); /* malloc'd; NULL if it cannot be read */
/* All programs of a case file that are not called by another, with their directives. */
bool cases_load(wf_ctx *cx, const char *path, Case **out, uint32_t *out_n);

/* The case batched along its axis, for collectives to speak of; false after an error. */
bool case_batch(wf_ctx *cx, Case *c);

Nd nd_new(wf_ctx *cx, wf_dtype dtype, const int64_t *dims, uint32_t rank);
Nd nd_copy(wf_ctx *cx, const Nd *x);
Nd nd_f64s(wf_ctx *cx, const double *v, int64_t n);
#define VEC_OF(cx, ...) nd_f64s(cx, (double[]){__VA_ARGS__}, COUNT(((double[]){__VA_ARGS__})))
/* x holds these numbers. */
void check_vec(const Nd *x, int64_t n, const double *want, double tol);
#define CHECK_VEC(x, tol, ...) check_vec(x, COUNT(((double[]){__VA_ARGS__})), (double[]){__VA_ARGS__}, tol)
Nd nd_f64(wf_ctx *cx, double v);
static inline double *nd_data(const Nd *x) { return x->data; }
double nd_get(const Nd *x, int64_t i);
void nd_set(Nd *x, int64_t i, double v); /* rounded to the dtype */
Nd *case_inputs(wf_ctx *cx, const Case *c, Rng *rng);
/* Values near each other: |a-b| <= tol*(1+|b|), NaN near NaN, infinities equal. NULL or what differs. */
const char *nd_differ(wf_ctx *cx, const Nd *a, const Nd *b, double tol);

Nd *run_program(wf_ctx *cx, const Program *p,
                const Nd *in); /* by the eval rules; NULL after an error */

/* A case of any program: symbols of random sizes 1 to 3, those named Z.. 0 to 2. */
Case case_of(wf_ctx *cx, const Program *p, uint64_t seed);
/* Positive floats, integers 0 to 2, symbols N, M, Z of sizes 3, 4, 0, all others 2. */
Case case_fixed(wf_ctx *cx, const Program *p);
Nd input_of(wf_ctx *cx, const Program *p, uint32_t i); /* of case_fixed */

const char *check_text(wf_ctx *cx, const Program *p); /* verify; parse(print(p)) is p */
const char *check_jvp(wf_ctx *cx, const Program *p, const Nd *in,
                      Rng *rng); /* every subset of float inputs */
const char *check_vjp(wf_ctx *cx, const Program *p, const Nd *in,
                      Rng *rng); /* <u, J v> == <J' u, v> */
const char *check_second(wf_ctx *cx, const Program *p, const Nd *in,
                         Rng *rng); /* jvp of the vjp program */
const char *check_vmap(wf_ctx *cx, const Case *c,
                       Rng *rng); /* subsets, axes, sizes 0 1 3, symbolic */
/* p with every f64 a narrower float: its derivatives are those of p up to rounding. */
const char *check_narrow(wf_ctx *cx, const Program *p, const Program *narrow,
                         const Nd *in, Rng *rng);

/* lib_laws.c: all laws, also those between the transforms. */
const char *check_case_laws(wf_ctx *cx, const Case *c, uint64_t seed);
const char *check_laws(wf_ctx *cx, const Program *p, uint64_t seed); /* of case_of */
void keep_laws(wf_ctx *cx, const Program *p,
               bool vmap); /* of case_fixed; fails the test if they do not hold */
/* p has collectives over the axis "i": the laws of those. */
const char *check_speaking(wf_ctx *cx, const Program *p, uint64_t seed);

#endif
