/* k_fft_f32.c -- Fourier transforms of f32. */
#define REAL_F64 0
#include "fft_body.h"
