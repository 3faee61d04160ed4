/* k_gemm_f64.c -- the blocked product in f64. */
#define REAL_F64 1
#include "gemm_body.h"
