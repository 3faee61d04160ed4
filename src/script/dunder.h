/* dunder.h -- special methods of script classes as slots of their ClassDef. */
#ifndef WEFT_SCRIPT_DUNDER_H
#define WEFT_SCRIPT_DUNDER_H

#include "script.h"

/* Set the slots for which c's own attributes define the method. */
void dunder_slots(Vm *vm, Class *c);
bool dunder_plain_setattr(Vm *vm, Value v, Str *name, Value x); /* attr.c */
/* a.__name__(args..); NIL without exception: there is no such method. */
/* Does cb, derived from ca, have a reflected method of its own, which then comes first? */
bool dunder_reflects_first(Vm *vm, BinOp op, Class *ca, Class *cb);
Value dunder_call(Vm *vm, Value self, KnownStr name, const Value *args, int n);
extern const char *const dunder_binary_names[OP2_COUNT];

#endif
