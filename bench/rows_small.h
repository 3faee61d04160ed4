/* rows_small.h -- inputs of the benchmark's rows, small, for checking them. */
#ifndef WEFT_ROWS_SMALL_H
#define WEFT_ROWS_SMALL_H

#include "weft.h"

/* Inputs of the row, in the order of rows.py, into in; how many. 0: no such row. */
int small_inputs(wf_ctx *c, const char *row, wf_array **in);

#endif
