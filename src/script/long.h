/* long.h -- ints beyond 64 bits, and instances of classes derived from int. */
#ifndef WEFT_SCRIPT_LONG_H
#define WEFT_SCRIPT_LONG_H

#include "script.h"

/* An int that is an object. One of class int never fits into 64 bits: those are T_INT, so equal
 * ints of that class have one form. Instances of derived classes have any size. */
typedef struct Long {
    GcObj h;
    Dict *attrs;
    uint32_t *d; /* digits to base 2**32, the lowest first, no leading zero */
    int64_t n;
    bool neg;
} Long;

static inline bool is_long(Vm *vm, Value v) { return v.tag == T_OBJ && sc_is(vm, v, C_int); }

/* a op b for ints of any form, bools among them; NOTIMPL where it has no meaning */
Value long_binary(Vm *vm, BinOp op, Value a, Value b);
Value long_unary(Vm *vm, UnOp op, Value a);
Value long_power_mod(Vm *vm, Value a, Value b, Value m);
int long_compare(Vm *vm, Value a, Value b); /* -1, 0, 1 */
int long_compare_double(Vm *vm, Value a, double f); /* the same; f is no NaN */
Value long_from_double(Vm *vm, double f); /* towards zero; f is finite */
Value long_ratio(Vm *vm, double f);       /* (numerator, denominator) of a finite double */
Value long_subclass(Vm *vm, Class *cls, Value v); /* the int v as an instance of cls */
bool long_to_double(Vm *vm, Value v, double *out);
bool long_fits(Value v, int64_t *out); /* a T_INT, T_BOOL or object in 64 bits */
Value long_plain(Vm *vm, Value v);     /* the same number of class int; owned */
int64_t long_bits(Value v);            /* bit_length */
int64_t long_ones(Value v);            /* bit_count */
/* Digits to base 2 .. 36 without sign; NIL: too many for base 10 */
Value long_digits(Vm *vm, Value v, int base, bool *out_neg);
Value long_to_bytes(Vm *vm, Value v, int64_t n, bool big, bool is_signed);
Value long_from_bytes(Vm *vm, const uint8_t *p, int64_t n, bool big, bool is_signed);

#endif
