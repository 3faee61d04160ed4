/* lib_target.h -- targets for tests. */
#ifndef WEFT_LIB_TARGET_H
#define WEFT_LIB_TARGET_H

#include "codegen/codegen.h"

/* This machine, where all that is possible is done, whether it pays or not. */
const Target *target_eager(void);
/* That, or this machine as it is, where kernels compute again what others have, whenever it moves fewer bytes; with or without
 * products that go on with what follows them. GPUs are of this kind. */
const Target *target_again(bool eager, bool epilogues);
/* Nothing but C: what another compiler, of another machine, would take. */
const Target *target_strict_c(void);

#endif
