/* confine.c -- code that a file brought computes, and does no more.
 *
 * engine/definitions.c looks at the text of such code before any of it runs. This is the wall behind it, which asks
 * at the moment of the deed: a native that reaches files, processes, the environment or the compiler asks sc_may, and
 * gets an exception while a function of such a unit is anywhere on the stack, whichever way it came to the native. What
 * walks trees instead of running frames (_stage, torch._dynamo) says so by vm->confined. What such code leaves behind that
 * calls later (a generator or a closure of a library, map, filter, functools.partial) is marked, and asked about the same way.
 */
#include "script/script.h"

#include "ast.h"

static bool frame_is(const VmFrame *f)
{
    return f->code->unit->confined || f->confined ||
           (f->fn && (f->fn->h.h.flags & OBJ_CONFINED));
}

bool sc_is_confined(const Vm *vm)
{
    if (!vm->has_confined)
        return false;
    if (vm->confined > 0)
        return true;
    for (const VmFrame *f = vm->frame; f; f = f->back)
        if (frame_is(f))
            return true;
    return false;
}

bool sc_is_left_by_file(const Vm *vm)
{
    if (!vm->has_confined)
        return false;
    for (const VmFrame *f = vm->frame; f; f = f->back) {
        if (frame_is(f))
            return true;
        if (f->code->unit->hidden && f->code == f->code->unit->code) /* a library is imported */
            return false;
    }
    return vm->confined > 0;
}

bool sc_may(Vm *vm, const char *what)
{
    return !sc_is_confined(vm) ||
           sc_fail(vm, C_RuntimeError, "the source in a file must not %s", what);
}

/* While definitions of a file are made, none of its functions is called. */
bool sc_may_call(Vm *vm, const ByteCode *c)
{
    return !c->unit->confined || !c->is_func ||
           sc_fail(vm, C_RuntimeError,
                   "%s:%u: '%s' is called when it is loaded, and the source in a file is "
                   "definitions alone",
                   c->unit->file, c->line, c->name->s);
}

/* Code of a file changes objects, not classes and modules, which are everybody's. */
bool sc_may_set(Vm *vm, Value v, const Str *name)
{
    if (v.tag != T_OBJ || !vm->frame || !vm->frame->code->unit->confined ||
        (v.o->cls != vm->cls[C_module] && !sc_is_subclass(v.o->cls, vm->cls[C_type])))
        return true;
    return sc_fail(vm, C_RuntimeError,
                   "the source in a file must not set '%s' of a class or module",
                   name->s);
}

Value sc_run_confined(Vm *vm, Unit *u, ScModule *m)
{
    Value r;

    u->confined = true;
    vm->has_confined = true;
    vm->loading++;
    r = sc_run_unit(vm, u, m);
    vm->loading--;
    return r;
}
