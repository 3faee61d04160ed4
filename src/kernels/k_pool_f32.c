/* k_pool_f32.c -- windows over planes of f32. */
#define REAL_F64 0
#define MANY_FORMS
#include "pool_body.h"
