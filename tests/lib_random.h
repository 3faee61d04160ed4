/* lib_random.h -- random typed programs with control flow, the laws they obey, and shrinking of those that do not.
 */
#ifndef WEFT_LIB_RANDOM_H
#define WEFT_LIB_RANDOM_H

#include "lib_check.h"

/* A program of about `size` equations. The first result is an f64 scalar that depends smoothly (almost everywhere)
 * on the f64 inputs; values stay of order 1. Symbols: N, if any. */
const Program *random_program(wf_ctx *cx, Rng *rng, int size);

/* NULL, or which law p breaks and how. The seed makes the inputs. */
const char *check_laws(wf_ctx *cx, const Program *p, uint64_t seed);

/* A smaller program for which check still complains: drops equations, inputs' uses, results, one by one. */
const Program *shrink_program(wf_ctx *cx, const Program *p, uint64_t seed,
                              const char *(*check)(wf_ctx *cx, const Program *p, uint64_t seed));

#endif
