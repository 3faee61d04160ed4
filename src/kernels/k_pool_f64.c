/* k_pool_f64.c -- windows over planes of f64. */
#define REAL_F64 1
#include "pool_body.h"
