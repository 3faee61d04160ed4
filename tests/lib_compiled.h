/* lib_compiled.h -- compiled programs against the interpreter. */
#ifndef WEFT_LIB_COMPILED_H
#define WEFT_LIB_COMPILED_H

#include "lib_random.h"

/* What comes by way of narrower floats is no better than they are. */
double tolerance_by(const Program *p);
/* The same inputs to both: p is the optimised program. One that fails must fail in both. least: a tolerance that
 * serves in any case. NULL, or what differs. */
const char *compare_compiled(wf_ctx *cx, const Program *p, wf_exec *e, const Nd *in,
                             double least);
/* The program as it is (0), its vjp (1) or vmap (2); as it is where it has none. */
const Program *derive_program(wf_ctx *cx, const Program *p, int how, const char **what);

#endif
