/* laws.h -- what the transforms promise of any program, as checks on one program at
 * random inputs.
 *
 * Every law compares a transform with an independent one, or with plain evaluation, by
 * the eval rules alone:
 *
 *   jvp is a central difference; <gy, J dx> = <J^T gy, dx>; linearize is jvp
 *   partition, merged again, is the program; the two halves of split are vjp
 *   vmap is a loop, for every subset of batched inputs, first and last axes, sizes 3, 1
 *   and 0, constant and symbolic
 *   jacfwd = jacrev, and J dx = jvp
 *   for scalar results hvp = hessian v = a difference of gradients, H is symmetric, and
 *   grad and vmap commute
 *
 * Float inputs must be f64. Symbols N, M, Z take the sizes 3, 4, 0, all others 2.
 */
#ifndef WEFT_LAWS_H
#define WEFT_LAWS_H

#include "test.h"
#include "transform/transform.h"

/* A test with a context, in a protected region; an error left in the context is a
 * failure. */
#define XTEST(name)                                                                      \
    static void body_##name(wf_ctx *cx);                                                 \
    TEST(name) { laws_run(body_##name); }                                                \
    static void body_##name(wf_ctx *cx)
void laws_run(void (*body)(wf_ctx *cx));

/* The last program of a text, in which a semicolon stands for the end of a line. */
const Program *laws_parse(wf_ctx *cx, const char *text);
bool laws_ok(wf_ctx *cx,
             const Program *p); /* p is there, and program_verify finds nothing */
/* The current error has this status and text; clears it. */
void laws_error(wf_ctx *cx, wf_status status, const char *text);

/* Arrays, in the scratch arena. */
Nd laws_nd(wf_ctx *cx, wf_dtype dtype, const int64_t *dims, uint32_t rank); /* zeros */
Nd laws_f64s(wf_ctx *cx, const double *v, int64_t n);
Nd laws_f64(wf_ctx *cx, double v);
double laws_at(const Nd *x, int64_t i);
static inline double *laws_data(const Nd *x) { return x->data; }
Nd laws_input(wf_ctx *cx, const Program *p, uint32_t i);
Nd *laws_eval(wf_ctx *cx, const Program *p, const Nd *in); /* NULL after an error */

/* All of them; all but those with vmap of the program itself. */
void laws_check(wf_ctx *cx, const Program *p);
void laws_check_derivatives(wf_ctx *cx, const Program *p);

#endif
