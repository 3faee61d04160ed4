/* class.h -- what class.c, attr.c and object.c share. */
#ifndef WEFT_SCRIPT_CLASS_H
#define WEFT_SCRIPT_CLASS_H

#include "script.h"

typedef struct GetSet { /* a native property */
    Obj h;
    const PropertyDef *def;
    Class *owner; /* not counted */
} GetSet;

/* class.c */
bool class_keeps_native(Vm *vm, const Class *c);
void class_slots_changed(Vm *vm, Class *of); /* a special method came or went */
bool class_has_slot(Vm *vm, const Class *c, const Str *name); /* in __slots__ of it or a base */
void class_destroy(Vm *vm, Obj *o);
void class_visit(Obj *o, VisitFn fn, void *user);

/* attr.c */
Value class_getattr(Vm *vm, Class *c, Str *name); /* of the class itself: C.name */
/* As object.__getattribute__ does; NIL without exception: not there. */
Value class_plain_getattr(Vm *vm, Value v, Str *name);

#endif
