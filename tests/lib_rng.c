/* lib_rng.c -- random numbers of tests: from the seed alone. */
#include "lib_check.h"

uint64_t rng_next(Rng *r) { return rng_mix(r); }
