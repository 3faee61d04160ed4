/* loop.h -- loops that count, as scans. */
#ifndef WEFT_STABLEHLO_LOOP_H
#define WEFT_STABLEHLO_LOOP_H

#include "op/op.h"

typedef struct LoopCount {
    uint32_t which;      /* carry that counts by 1 */
    int64_t from, turns; /* its first value */
} LoopCount;

/* x.. = body(c.., x..) so many times: the last x... Arrays that the body reads by row number, and carries that it fills so,
 * become slices of the scan and results of it. NULL after an error. */
Val *hlo_loop_scan(Builder *b, const Program *body, const Val *consts, uint32_t nconst, const Val *carry, uint32_t ncarry, const LoopCount *count);

#endif
