/* stage.c -- natives for what compiles source to programs (namespaces/_stage.py): tensors
 * seen again, values compared, constants of a trace, checks when a program runs. */
#include "script/engine/engine.h"

/* alias(x): the same value under another name; writing into one does not change the other
 * if it is symbolic */
static Value n_alias(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    Tensor *x, *y = NULL;
    wf_tensor t;

    if (!en_tensor(&e, a->v[0], &t) || !(x = tensor_get(e.c, t, "alias")))
        return en_fail(&e);
    if (!x->symbolic)
        return en_end(&e, t);
    y = tensor_symbol(e.c, trace_find(e.c, x->trace), x->val);
    if (y)
        y->weak = x->weak;
    return en_end(&e, tensor_handle(e.c, y));
}

/* same_value(x, y): one value of one program, or one tensor */
static Value n_same_value(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    Tensor *x, *y;
    wf_tensor s, t;

    if (!en_tensor(&e, a->v[0], &s) || !en_tensor(&e, a->v[1], &t) ||
        !(x = tensor_get(e.c, s, "same_value")) || !(y = tensor_get(e.c, t, "same_value")))
        return en_fail(&e);
    return en_end_value(&e, v_bool(x == y || (x->symbolic && y->symbolic &&
                                              x->trace == y->trace && x->val == y->val)));
}

/* symbol_of(x): a concrete tensor as a constant of the innermost trace */
static Value n_symbol_of(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    Trace *tr = e.c->tensors->trace;
    wf_tensor t;
    Tensor *x, *y = NULL;
    wf_ctx *c = e.c;

    if (!en_tensor(&e, a->v[0], &t) || !(x = tensor_get(c, t, "symbol_of")))
        return en_fail(&e);
    if (!tr || x->symbolic)
        return en_end(&e, t);
    T_ENTER(c, en_fail(&e))
    y = tensor_symbol(c, tr, trace_value(c, tr, x));
    trace_hold(tr);
    T_LEAVE(c);
    if (y)
        y->weak = x->weak;
    return en_end(&e, tensor_handle(c, y));
}

/* assert_now(ok, message, xs=()): now, or when the program runs */
static Value n_assert_now(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    const char *message = "";
    wf_tensor ok, *x = NULL;
    int n = 0;

    if (!en_tensor(&e, a->v[0], &ok) || !en_str(&e, a->v[1], &message) ||
        (a->v[2].tag != T_NIL && !en_tensors(&e, a->v[2], &x, &n)))
        return en_fail(&e);
    wf_assert(e.c, ok, message, x, n);
    return en_end_value(&e, NONE);
}

bool en_may_draw(Vm *vm)
{
    if (!vm->engine->no_random || !vm->cx->tensors->trace)
        return true;
    vm->engine->refused++;
    return sc_fail(vm, C_RuntimeError, "random numbers are drawn anew at each call and cannot "
                                       "be part of a program");
}

/* refuse_random(on): while on, draws inside a trace are errors; gives how many were refused */
static Value n_refuse_random(Vm *vm, const Args *a)
{
    bool on;

    if (!sc_to_bool(vm, a->v[0], &on))
        return NIL;
    vm->engine->no_random += on ? 1 : vm->engine->no_random > 0 ? -1 : 0;
    return v_int(vm->engine->refused);
}

const NativeDef engine_stage[] = {
    {"refuse_random", n_refuse_random, "on"},
    {"alias", n_alias, "x"},
    {"same_value", n_same_value, "x,y"},
    {"symbol_of", n_symbol_of, "x"},
    {"assert_now", n_assert_now, "ok,message|xs"},
    {0},
};
