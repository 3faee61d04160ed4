/* isas.h -- the instruction sets that this build has kernels for, X(name) each in the order of Isa: those of the machine, but
 * for what FEATURES of the Makefile leaves out. Each is as good as the one before where that is all there is. X's second name: where the
 * kernels are that have no form for AVX-512, which is no faster (integers, Fourier transforms). */
#ifndef WEFT_ISAS_H
#define WEFT_ISAS_H

#if !defined(__x86_64__) || defined(WEFT_NO_AVX2)
#define ISAS(X) X(base, base)
#elif defined(WEFT_NO_AVX512)
#define ISAS(X) X(base, base) X(avx2, avx2)
#else
#define ISAS(X) X(base, base) X(avx2, avx2) X(avx512, avx2)
#endif

#endif
