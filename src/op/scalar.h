/* scalar.h -- what every elementwise op means on one element.
 *
 * The oracle, the folding of constants and the tests ask here, and the rows say it. A
 * Scalar holds one element of any dtype without loss:
 *
 *   floats     f, the exact value as a double. Results are computed in f64 and rounded
 *              once when stored, which for + - * / sqrt equals arithmetic in the dtype
 *   complex    f and im, likewise
 *   signed     u, sign-extended to 64 bits
 *   unsigned   u, zero-extended; bool too, as 0 or 1
 */
#ifndef WEFT_SCALAR_H
#define WEFT_SCALAR_H

#include "ir/ir.h"

typedef struct Scalar {
    union {
        double f;
        uint64_t u;
    };
    double im;
} Scalar;

/* Element i of an array. Storing rounds floats to nearest even (too large: inf) and wraps
 * integers. */
Scalar scalar_load(wf_dtype t, const void *data, int64_t i);
void scalar_store(wf_dtype t, void *data, int64_t i, Scalar x);

/* An element of dtype t equal to an integer that t can hold. */
static inline Scalar scalar_int(wf_dtype t, int64_t x)
{
    return dtype_is_inexact(t) ? (Scalar){.f = (double)x} : (Scalar){.u = (uint64_t)x};
}

/* The elementwise op (with one result, no attribute, not select) on elements of dtype t.
 * Comparisons and is_finite give a bool, abs real and imag of a complex t a part of it, complex
 * of parts a pair, everything else a t, floats not yet rounded. */
Scalar scalar_apply(unsigned op, wf_dtype t, const Scalar *x);
/* Rounded once (when stored). Floats to integers truncate, saturate, and take NaN to 0.
 * To bool: x != 0. Of a complex number others than complex get the real part. */
Scalar scalar_cast(wf_dtype from, wf_dtype to, Scalar x);
/* What a reduction by op (add mul max min and or) gives if there is nothing to reduce. */
Scalar scalar_identity(unsigned op, wf_dtype t);
/* -1, 0, 1. NaN is the largest, equal to NaN; -0 equals 0: a total order for sorting. Complex by
 * the real part, then by the imaginary one. */
int scalar_compare(wf_dtype t, Scalar x, Scalar y);
bool scalar_is_nan(wf_dtype t, Scalar x);
/* x < y of integers and bool; bits of an element. */
bool scalar_less(wf_dtype t, uint64_t x, uint64_t y);
unsigned scalar_width(wf_dtype t);

#endif
