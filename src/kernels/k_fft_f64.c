/* k_fft_f64.c -- Fourier transforms of f64. Wider vectors than AVX2's make them no faster: see isas.h. */
#define REAL_F64 1
#include "fft.h"
#if KERNEL_ISA < 2
#include "fft_body.h"
#endif
