/* program_mesh.c -- programs and the devices of a mesh: how results lie, what each device does. */
#include "script/engine/engine.h"

/* A program with the inputs, captures and results of g. */
static Value again(Vm *vm, ProgramObj *g, const Program *p)
{
    return p ? box_program(vm, p, g->nargs, g->captures, g->ncaptures, g->weak, g->nweak)
             : (sc_raise_ctx(vm), NIL);
}

/* layouts(mesh, typed, specs, all=False): how the results, or all values, lie on a mesh when the inputs lie so, a list of texts;
 * typed: the axes that are a part of types */
Value en_program_layouts(Vm *vm, const Args *a)
{
    ProgramObj *g = as_program(a->v[0]);
    En e = {.vm = vm, .c = vm->cx, .f = &vm->engine->front[FRONT_JAX]};
    const char *mesh = "", *typed = "", *specs = "", *text;
    Value r = NIL;
    Region region;
    bool all = false;

    if (!en_str(&e, a->v[1], &mesh) || !en_str(&e, a->v[2], &typed) || !en_str(&e, a->v[3], &specs) ||
        !en_bool(&e, a->v[4], &all))
        return NIL;
    api_enter_(vm->cx, &region);
    if (setjmp(region.jump)) {
        api_out_of_memory(vm->cx, &region);
        return en_raise(&e), NIL;
    }
    text = xf_layouts(vm->cx, g->p, mesh, typed, specs, all);
    if (text)
        r = v_obj(sc_str(vm, text));
    api_leave(vm->cx, &region);
    if (failed(vm->cx))
        en_raise(&e);
    return r;
}

/* spread(mesh, in_specs, out_specs): the work divided among the devices of a mesh */
Value en_program_spread(Vm *vm, const Args *a)
{
    ProgramObj *g = as_program(a->v[0]);
    En e = {.vm = vm, .c = vm->cx, .f = &vm->engine->front[FRONT_JAX]};
    const char *mesh = "", *in = "", *out = "";
    const wf_program *p = NULL;

    if (!en_str(&e, a->v[1], &mesh) || !en_str(&e, a->v[2], &in) ||
        !en_str(&e, a->v[3], &out))
        return NIL;
    wf_spread(vm->cx, g->p, mesh, in, out, &p);
    return again(vm, g, p);
}

static bool has_rules(const Program *p)
{
    for (uint32_t i = 0; i < p->neqns; i++)
        switch (p->eqns[i].op) {
        case OP_spmd:
        case OP_custom_jvp:
        case OP_custom_vjp:
        case OP_checkpoint:
        case OP_stop_gradient: return true;
        default: break;
        }
    for (uint32_t i = 0; i < p->nsubs; i++)
        if (has_rules(p->subs[i]))
            return true;
    return false;
}

/* has_rules(): are there equations whose derivatives are not those of what they compute, or follow values over devices? */
Value en_program_has_rules(Vm *vm, const Args *a)
{
    (void)vm;
    return v_bool(has_rules(as_program(a->v[0])->p));
}

/* part(): of a program that spread made, what each device does */
Value en_program_part(Vm *vm, const Args *a)
{
    ProgramObj *g = as_program(a->v[0]);
    const Program *p = g->p;
    const Eqn *last = p->neqns ? &p->eqns[p->neqns - 1] : NULL;

    if (!last || last->op != OP_spmd)
        return sc_fail(vm, C_ValueError, "part: the program does not end with an spmd"),
               NIL;
    p = ((const SpmdAttr *)last->attr)->body.p;
    return again(vm, g, program_retain(p));
}

/* so_far(x): what the innermost trace has done up to now, with x as its result; None: x is not of it */
Value n_so_far(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    Trace *tr = e.c->tensors->trace;
    const Program *p = NULL;
    Region region;
    wf_tensor x;
    Tensor *t;

    if (!en_tensor(&e, a->v[0], &x) || !(t = tensor_get(e.c, x, "so_far")))
        return en_fail(&e);
    if (!tr || !t->symbolic || t->trace != tr->id)
        return en_end_value(&e, NONE);
    api_enter_(e.c, &region);
    if (setjmp(region.jump)) {
        api_out_of_memory(e.c, &region);
        return en_fail(&e);
    }
    p = builder_finish(tr->b, &t->val, 1);
    if (p)
        program_retain(p);
    api_leave(e.c, &region);
    return p ? en_end_value(&e, box_traced(vm, p, tr, p->nin - tr->ncaptures, NULL, 0))
             : en_fail(&e);
}

/* outside(fn): fn() as if no trace were in progress */
Value n_outside(Vm *vm, const Args *a)
{
    Trace *tr = vm->cx->tensors->trace;
    Value r;

    vm->cx->tensors->trace = NULL;
    r = sc_call(vm, a->v[0], NULL, 0);
    vm->cx->tensors->trace = tr;
    return r;
}
