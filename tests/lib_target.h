/* lib_target.h -- targets for tests. */
#ifndef WEFT_LIB_TARGET_H
#define WEFT_LIB_TARGET_H

#include "codegen/codegen.h"

/* This machine, where all that is possible is done, whether it pays or not. */
const Target *target_eager(void);

#endif
