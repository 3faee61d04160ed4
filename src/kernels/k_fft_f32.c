/* k_fft_f32.c -- Fourier transforms of f32. Wider vectors than AVX2's make them no faster: see isas.h. */
#define REAL_F64 0
#include "fft.h"
#if KERNEL_ISA < 2
#include "fft_body.h"
#endif
