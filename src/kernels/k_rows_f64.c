/* k_rows_f64.c -- rows of f64. */
#include "vmath.h"

#define T        double
#define VEC      VD
#define VINT     VDI
#define LANES    VDL
#define VCALL(f) vd_##f
#define ROWS_RUN KERNEL_NAME(rows_run_f64)

#include "rows_body.h"
