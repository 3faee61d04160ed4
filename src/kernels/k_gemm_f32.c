/* k_gemm_f32.c -- the blocked product in f32 (f16 and bf16 operands are widened when
 * packed). */
#define REAL_F64 0
#include "gemm_body.h"
