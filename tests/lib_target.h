/* lib_target.h -- targets for tests. */
#ifndef WEFT_LIB_TARGET_H
#define WEFT_LIB_TARGET_H

#include "codegen/codegen.h"

/* This machine, where all that is possible is done, whether it pays or not. */
const Target *target_eager(void);
/* Nothing but C: what another compiler, of another machine, would take. */
const Target *target_strict_c(void);

#endif
