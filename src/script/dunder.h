/* dunder.h -- special methods of script classes as slots of their ClassDef. */
#ifndef WEFT_SCRIPT_DUNDER_H
#define WEFT_SCRIPT_DUNDER_H

#include "script.h"

/* Set the slots for which c's own attributes define the method. */
void dunder_slots(Vm *vm, Class *c);
bool dunder_plain_setattr(Vm *vm, Value v, Str *name, Value x); /* attr.c */
/* a.__name__(args..); NIL without exception: there is no such method. */
/* Does cb, derived from ca, have a reflected method of its own, which then comes first? */
bool dunder_reflects_first(Vm *vm, BinOp op, Class *ca, Class *cb, bool inplace);
Value dunder_call(Vm *vm, Value self, KnownStr name, const Value *args, int n);
extern const char *const dunder_binary_names[OP2_COUNT];

/* slots.c: the method of that name which the slots of c, a built-in class, stand for; bound if self is not NIL.
 * NIL without exception: there is none. */
Value sc_slot_method(Vm *vm, Class *c, const Str *name, Value self);
Class *dunder_native_base(Class *c); /* the class that a class statement did not make, whose layout and slots c has */
/* Is it a method of object's own, which says nothing about the class? */
static inline bool dunder_is_object(Vm *vm, Value fn)
{
    return sc_is_exact(vm, fn, C_builtin_function_or_method) && ((Native *)fn.o)->owner == vm->cls[C_object];
}

#endif
