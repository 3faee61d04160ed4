/* k_fft_f64.c -- Fourier transforms of f64. */
#define REAL_F64 1
#include "fft_body.h"
