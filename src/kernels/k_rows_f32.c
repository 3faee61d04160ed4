/* k_rows_f32.c -- rows of f32. */
#include "vmath.h"

#define T        float
#define VEC      VF
#define VINT     VFI
#define LANES    VFL
#define VCALL(f) vf_##f
#define ROWS_RUN KERNEL_NAME(rows_run_f32)

#include "rows_body.h"
