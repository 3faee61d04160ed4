/* vm.h -- the slow parts of the machine, out of its loop. false, NIL: an exception is pending.
 * The Values are registers of the running frame: borrowed, and theirs to empty. */
#ifndef WEFT_SCRIPT_VM_H
#define WEFT_SCRIPT_VM_H

#include "compile.h"

/* vm.c: the loop */
Value vm_run_frame(Vm *vm, VmFrame *fr);

/* vm_names.c, vm_make.c */
/* always false */
bool vm_raise_unbound(Vm *vm, const VmFrame *fr, uint32_t reg);
/* NIL, with the nearest name as a hint */
Value vm_raise_unknown_name(Vm *vm, const VmFrame *fr, Str *name);
Value vm_load_global(Vm *vm, const VmFrame *fr, Cache *c);
Value vm_load_class_name(Vm *vm, const VmFrame *fr, Str *name);
Value vm_load_attr(Vm *vm, Value o, Cache *c);
bool vm_store_attr(Vm *vm, Value o, Cache *c, Value v);
/* dst[0] = function, dst[1] = self; or dst[0] = attribute, dst[1] = nothing */
bool vm_load_method(Vm *vm, Value o, Cache *c, Value *dst);
/* star: 1 + which of the n takes the rest, or 0 */
bool vm_unpack(Vm *vm, Value src, Value *out, int n, int star);
/* takes the values of defaults */
Value vm_new_function(Vm *vm, VmFrame *fr, const ByteCode *c, Value *defaults);
Value vm_make_class(Vm *vm, VmFrame *fr, const ByteCode *c, Value bases, Value kwargs);
/* TypeError: spec is no exception */
bool vm_match_exception(Vm *vm, Value exc, Value spec, bool *out);
bool vm_new_keyword(Vm *vm, Dict *given, Value name); /* false: it is given twice */
bool vm_merge_keywords(Vm *vm, Dict *into, Value from);
/* fn(*l, **kw) */
Value vm_call_stars(Vm *vm, Value fn, List *l, Value kw);
/* A call of f by its relay, if that applies: then f is another function or NULL, fn what is called, and held keeps it alive. */
typedef struct Relayed {
    Function *f;
    Value held, fn, *args;
    int n, nkw;
} Relayed;
Relayed vm_relay(Vm *vm, Relayed c);
Value vm_enter_manager(Vm *vm, Value m);
/* does it swallow exc? */
Value vm_exit_manager(Vm *vm, Value m, Value exc);
Value vm_import(Vm *vm, ScModule *in, Str *name);
Value vm_import_from(Vm *vm, Value m, Str *name);
bool vm_import_star(Vm *vm, VmFrame *fr, Value m);
Value vm_join_strings(Vm *vm, Value *v, int n);
Value vm_format_value(Vm *vm, Value v, int conv, Value spec);
void vm_raise_from(Vm *vm, KnownClass k, const char *text);
bool vm_annotate(Vm *vm, VmFrame *fr, Str *name, Value v);
/* __init__ of a class whose instances are plain, if it is a script function; else NULL */
Function *vm_find_init(Vm *vm, Class *c);

#endif
