/* fft.h -- discrete Fourier transforms along one axis, of any length.
 *
 *   plan        factors and roots of one length                              fft.c
 *   columns     many transforms side by side, [n, w] in two planes           fft_body.h
 *   driver      blocks of lines brought there and back, tasks                fft_body.h
 *
 * A length is taken apart into factors 4, 2, 3, 5 and other primes up to FFT_PRIME, each a
 * pass over the columns (Stockham's: from one buffer to another, in order at the end). One
 * long line becomes the columns of a matrix n1 x n2, turned, and columns again. Lengths
 * with larger primes are convolutions of a length without (Bluestein).
 */
#ifndef WEFT_KERNEL_FFT_H
#define WEFT_KERNEL_FFT_H

#include "nd.h"

#define FFT_FACTORS 48
#define FFT_PRIME   31
#define FFT_SPARE                                                                        \
    (64 << 10) /* elements: of the columns of a line that goes as a matrix, four planes */
#define FFT_LANES 16 /* and so many of them at least */

typedef struct KFftPlan KFftPlan;
struct KFftPlan {
    int64_t n;
    int nfactors, factor[FFT_FACTORS];
    /* Of each pass: for each p, for k = 1 .. r-1, w^(pk), re and im; then the r roots of
     * unity, of radices without code of their own. Elements are REAL. */
    const void *roots[FFT_FACTORS], *unit[FFT_FACTORS];
    const KFftPlan *first, *second; /* n = n1 n2, for one line; NULL: not so */
    const void *turn;               /* w^(k1 j2), [n1, n2]: re, then im */
    const KFftPlan *whole;          /* Bluestein: of at least 2n - 1 */
    const void *chirp, *spectrum;   /* n and whole->n, re then im */
    int64_t room;                   /* elements of a plane for each column */
};

typedef enum KFftKind {
    KFFT_FORWARD,
    KFFT_BACKWARD,
    KFFT_FROM_REAL,
    KFFT_TO_REAL
} KFftKind;

/* x is [outer, n (or n/2+1), inner], row-major, complex numbers as pairs. From and to real
 * numbers: inner is 1. Results are multiplied by scale. x and y may be the same where both
 * are complex. */
typedef struct KFft {
    KType type; /* of a part: KT_F32, KT_F64 */
    KFftKind kind;
    int64_t outer, n, inner;
    double scale;
    const KFftPlan *plan; /* of n, or of n/2 for real numbers if n is even */
    const void *half;     /* for those: w^k, k = 0 .. n/2, re then im */
    int64_t width;        /* columns of a block */
    int64_t blocks;
    int tasks;
    size_t task_bytes, workspace; /* of one task, of all */
    void (*run)(const struct KFft *f, const void *x, void *y, const KPar *par,
                void *workspace);
} KFft;

typedef void *(*KFftAlloc)(void *ctx,
                           size_t bytes); /* never NULL; lives as long as the plan */
void kfft_init(KFft *f, const KLoops *loops, int threads, KFftAlloc alloc, void *ctx);

typedef void (*KFftRun)(const KFft *f, const void *x, void *y, const KPar *par,
                        void *workspace);
/* k_fft_f64.c, for the spectra of plans: the columns of planes [2, n, w], with as much again behind them. */
void kfft_columns_f64(const KFftPlan *p, int64_t w, double *planes);

#endif
