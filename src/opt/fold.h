/* fold.h -- between fold.c and fold_shape.c, the two halves of one pass. */
#ifndef WEFT_FOLD_H
#define WEFT_FOLD_H

#include "opt/opt.h"

/* v = e, a shape op or cast, said by fewer of them; VAL_NONE if it cannot be. */
RewriteRule fold_shape;

#endif
