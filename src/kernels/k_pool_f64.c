/* k_pool_f64.c -- windows over planes of f64. */
#define REAL_F64 1
#define MANY_FORMS
#include "pool_body.h"
