/* k_attention_f64.c -- attention in f64. */
#define REAL_F64 1
#include "attention_body.h"
