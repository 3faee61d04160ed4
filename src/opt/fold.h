/* fold.h -- between fold.c, fold_shape.c and fold_large.c, the parts of one pass. */
#ifndef WEFT_FOLD_H
#define WEFT_FOLD_H

#include "opt/opt.h"

/* v = e, a shape op or cast, said by fewer of them; VAL_NONE if it cannot be. */
RewriteRule opt_fold_shape;

#define FOLD_ELEMENTS 1024 /* of a result that becomes a constant whatever it costs */
/* Does the op give a result for all operands of its types? */
bool opt_fold_may(unsigned op);
/* p with large values of constants computed; NULL after an error. */
const Program *opt_fold_large(const Opt *o, const Program *p);

#endif
