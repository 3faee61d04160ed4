/* simplify.h -- rules of simplify.c's table that have a file of their own. */
#ifndef WEFT_SIMPLIFY_H
#define WEFT_SIMPLIFY_H

#include "opt/opt.h"

/* simplify_window.c */
Val window_of_tiles(Rewriter *r, Val v, Eqn e);
Val window_of_spread(Rewriter *r, Val v, Eqn e);
/* simplify_pad.c */
Val sum_of_pads(Rewriter *r, Val v, Eqn e);

#endif
