/* lib_random.h -- random typed programs with control flow, and smaller ones with the same fault. */
#ifndef WEFT_LIB_RANDOM_H
#define WEFT_LIB_RANDOM_H

#include "lib_check.h"

/* A program of about `size` equations. The first result is an f64 scalar that depends smoothly (almost everywhere)
 * on the f64 inputs; values stay of order 1. Symbols: N, if any. */
typedef enum RandomKind {
    RANDOM_PLAIN,
    RANDOM_CUSTOM, /* with custom_vjp */
    RANDOM_SPEAKS  /* with collectives over the axis "i" of size 2 */
} RandomKind;
const Program *random_program(wf_ctx *cx, Rng *rng, int size, RandomKind kind);

/* A program of about `size` pieces of models, most of them of dtype t: norms, attention, products and convolutions
 * with what follows, losses, loops, integers. Sizes are those vectors have trouble with. Symbols: N, if any. */
const Program *random_net(wf_ctx *cx, Rng *rng, wf_dtype t, int size);

/* A smaller program for which check still complains: drops equations, inputs' uses, results, one by one. */
const Program *shrink_program(wf_ctx *cx, const Program *p, uint64_t seed,
                              const char *(*check)(wf_ctx *cx, const Program *p,
                                                   uint64_t seed));

#endif
