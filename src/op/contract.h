/* contract.h -- what dot_general and conv_general share: dtypes and sums of products.
 *
 * Both compute  z = sum of x * y  in one of two number systems, chosen by the dtype
 * `acc`: a float acc sums in f64 and rounds once, an integer acc sums modulo 2^64 and
 * keeps the low bits.
 */
#ifndef WEFT_CONTRACT_H
#define WEFT_CONTRACT_H

#include "op/nd.h"

/* Operands and acc are numbers (not bool), and no float is summed in integers. */
bool contract_check(TypeRule *t, wf_dtype acc);
/* The elements of x as numbers of that system, in row-major order. */
Scalar *contract_load(Arena *a, const Nd *x, wf_dtype acc);
void contract_add(Scalar *sum, wf_dtype acc, Scalar x, Scalar y);
/* A cotangent in the dtype of the operand it belongs to. */
Val contract_narrow(Builder *b, Val g, Type operand);

#endif
