/* loops.h -- between loops.c and loops_scan.c, the two halves of one pass. */
#ifndef WEFT_LOOPS_H
#define WEFT_LOOPS_H

#include "opt/opt.h"

/* A step on a scan: all results set and true, or nothing done. */
BeforeRule opt_scan_turns; /* constant matrices lie as products read them best */

#endif
