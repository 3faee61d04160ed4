/* sort.h -- arrays sorted together along an axis. Contracts as in kernels.h, but the
 * workspace is aligned to 8 bytes. */
#ifndef WEFT_KERNEL_SORT_H
#define WEFT_KERNEL_SORT_H

#include "kernels.h"

/* `count` row-major arrays [lines / inner, n, inner], sorted along n by the first `keys`
 * of them. Stable in both directions, NaN last. No result is an operand. */
typedef struct KSort {
    int count, keys;
    const KType *type;   /* [count] */
    const uint8_t *down; /* [keys]: descending */
    int64_t lines, n, inner;
    /* by ksort_init: */
    int wide;         /* items are pairs: of a long key, or a great many places */
    size_t item;      /* bytes of an item */
    int tasks;        /* among which lines are shared out */
    int64_t part;     /* of a line that is cut up: items of a part; or 0 */
    size_t workspace; /* bytes */
} KSort;

void ksort_init(KSort *s, int threads);
void ksort_run(const KSort *s, const void *const *in, void *const *out, const KPar *par,
               void *workspace);

/* The k first along n of x [lines / inner, n, inner] in descending order (NaN first), or
 * ascending (NaN last), and their places, of equal ones the first. k <= n. */
typedef struct KTop {
    KType type;
    int largest;
    int64_t lines, n, inner, k;
    /* by ktop_init: */
    int tasks;
    size_t workspace; /* bytes */
} KTop;

void ktop_init(KTop *t, int threads);
void ktop_run(const KTop *t, const void *x, void *y, int64_t *place, const KPar *par,
              void *workspace);

#endif
