/* k_attention_f32.c -- attention in f32. */
#define REAL_F64 0
#include "attention_body.h"
