/* bytes.h -- bytes and bytearray, and the encodings between them and str. */
#ifndef WEFT_SCRIPT_BYTES_H
#define WEFT_SCRIPT_BYTES_H

#include "script.h"

typedef struct Bytes { /* bytes, which nobody changes, and bytearray */
    GcObj h;
    Dict *attrs;
    uint8_t *v;
    int64_t n, cap;
    uint64_t hash; /* of bytes; 0: not yet computed */
} Bytes;

extern const ClassDef sc_bytes_def, sc_bytearray_def;
extern const NativeDef bytes_methods[], bytearray_methods[], bytes_classmethods[];

/* bytes.c */
Bytes *bytes_new(Vm *vm, Class *cls, const void *p, int64_t n);
/* What to put into a bytearray at iterable ints, or bytes; NULL: exception. Owned. */
Bytes *bytes_from(Vm *vm, Class *cls, Value v);
bool bytes_splice(Vm *vm, Bytes *b, int64_t at, int64_t gone, const uint8_t *p, int64_t n);
bool bytes_byte(Vm *vm, Value v, uint8_t *out); /* 0 to 255, else ValueError */

/* codec.c; encoding and errors NIL: utf-8, strict */
Value codec_encode(Vm *vm, Str *s, Value encoding, Value errors);
Value codec_decode(Vm *vm, const uint8_t *p, int64_t n, Value encoding, Value errors);

#endif
