/* graphs.c -- natives for graphs of expressions (aesara, sessions of tensorflow, numflow): programs of symbols of which
 * only the types are known, and what the type rules say of one operation.
 *
 *   trace_types(fn, types, name="f")   a program of fn. A type is (shape, dtype, name or None); None in a shape is a size
 *                                      of which nothing is known. Sizes that must agree become one
 *   infer(fn, types)                   the types of what fn gives, (shape, dtype) each; no number is computed
 *   size_of(x, define=True)            an integer scalar as a size: a number, or inside a trace an expression of sizes;
 *                                      of any other number a symbol is defined, or, without define, None given
 *   named(base), note(program)         for wf_script_programs
 *   is_size(x)                         is it a symbol of a size?
 *   join_sizes(x, y)                   two sizes of a trace by an example are one from now on, if they agree there; do they?
 *   checked(on)                        while on, programs check indices that are tensors; gives what was
 */
#include "script/engine/engine.h"

#include <stdio.h>

/* A type's axis: a number, or a symbol of its own. */
static bool axis_size(En *e, Value v, int64_t *out)
{
    wf_ctx *c = e->c;

    if (v.tag != T_NONE)
        return sc_to_int(e->vm, v, out);
    T_ENTER(c, en_raise(e))
    *out = b_symbol(c->tensors->trace->b, "N");
    T_LEAVE(c);
    return true;
}

static wf_tensor typed_input(En *e, Value type)
{
    Tuple *t = sc_tuple_from(e->vm, type), *shape = NULL;
    int64_t dims[WF_MAX_RANK];
    wf_dtype d = WF_INVALID;
    const char *name = NULL;
    bool ok = t && ((t->n >= 2 && t->n <= 3) ||
                    sc_fail(e->vm, C_TypeError, "a type is a shape, a dtype and a name"));

    ok = ok && (shape = sc_tuple_from(e->vm, t->v[0])) != NULL &&
         en_dtype(e, t->v[1], &d) && (t->n < 3 || en_str(e, t->v[2], &name));
    if (ok && shape->n > WF_MAX_RANK)
        ok = sc_fail(e->vm, C_ValueError, "a shape of %lld axes", (long long)shape->n);
    for (int64_t i = 0; ok && i < shape->n; i++)
        ok = axis_size(e, shape->v[i], &dims[i]);
    wf_tensor h =
        ok ? trace_input(e->c, e->c->tensors->trace, name, d, dims, (uint32_t)shape->n)
           : WF_NONE;
    if (shape)
        obj_drop(e->vm, shape);
    if (t)
        obj_drop(e->vm, t);
    if (failed(e->c))
        en_raise(e);
    return h;
}

static Tuple *typed_inputs(En *e, Value types)
{
    return en_box_each(e, types, typed_input);
}

typedef Value (*Ending)(En *e, Value results, int nargs);

/* fn on symbols of these types, in a trace of its own; what `end` makes of the results. */
static Value traced(Vm *vm, const Args *a, const char *name, Ending end)
{
    En e = en_begin(vm, a);
    Trace *tr, *outer = e.c->tensors->trace;

    if (!(tr = trace_begin(e.c, name)))
        return en_fail(&e);
    tr->kind = TRACE_CLOSED;
    tr->guarded = true;
    return en_trace_call(&e, outer, a->v[0], typed_inputs(&e, a->v[1]), end);
}

static Value n_trace_types(Vm *vm, const Args *a)
{
    const char *name = a->v[2].tag == T_NIL ? "f" : sc_to_cstr(vm, a->v[2], "a name");

    return name ? traced(vm, a, name, en_traced) : NIL;
}

static Value type_of(En *e, wf_tensor t)
{
    Tuple *type = sc_tuple(e->vm, 2), *shape;
    Shape s;
    Value v = NIL;

    if (!type || !shape_of(e->c, t, "infer", &s) ||
        !(shape = sc_tuple(e->vm, (int64_t)s.rank)))
        goto done;
    for (uint32_t i = 0; i < s.rank; i++)
        shape->v[i] = s.d[i] >= 0 ? v_int(s.d[i]) : NONE;
    type->v[0] = v_obj(shape);
    type->v[1] = en_dtype_box(e->vm, e->f, wf_dtype_of(e->c, t));
    if (type->v[1].tag != T_NIL)
        v = sc_ref(v_obj(type));
done:
    if (type)
        obj_drop(e->vm, type);
    return v;
}

static Value types_of_results(En *e, Value results, int nargs)
{
    wf_tensor *out;
    int n = 0;
    List *l;

    (void)nargs;
    if (!en_tensors(e, results, &out, &n) || !(l = sc_list(e->vm, n)))
        return NIL;
    for (int i = 0; i < n; i++)
        if ((l->v[i] = type_of(e, out[i])).tag == T_NIL) {
            obj_drop(e->vm, l);
            return NIL;
        }
    return v_obj(l);
}

static Value n_infer(Vm *vm, const Args *a)
{
    return traced(vm, a, "f", types_of_results);
}

static Value n_size_of(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    int64_t number = 0;
    bool define = true;
    wf_tensor x;
    Dim size;

    if (is_size(vm, a->v[0]) || a->v[0].tag == T_INT)
        return en_end_value(&e, sc_ref(a->v[0]));
    if (!en_tensor(&e, a->v[0], &x) || !en_bool(&e, a->v[1], &define) ||
        !tensor_measure(e.c, x, define, &number, &size))
        return en_fail(&e);
    return en_end_value(&e, size != DIM_NONE      ? en_dim(vm, e.f, size)
                            : number != INT64_MIN ? v_int(number)
                                                  : NONE);
}

static Value n_is_size(Vm *vm, const Args *a) { return v_bool(is_size(vm, a->v[0])); }

static Value n_join_sizes(Vm *vm, const Args *a)
{
    int64_t d[2];

    for (int i = 0; i < 2; i++) {
        if (is_size(vm, a->v[i]))
            d[i] = en_size_dim(a->v[i]);
        else if (!sc_to_int(vm, a->v[i], &d[i]))
            return NIL;
    }
    return v_bool(size_same(vm->cx, d[0], d[1]));
}

/* named(base): a name for a program, of its own where programs are asked for */
static Value n_named(Vm *vm, const Args *a)
{
    const char *base = sc_to_cstr(vm, a->v[0], "a name");
    char name[128];

    if (!base || !vm->opt.programs || !wf_model_find(vm->opt.programs, base))
        return base ? sc_ref(a->v[0]) : NIL;
    for (int i = 1;; i++) {
        snprintf(name, sizeof name, "%.100s_%d", base, i);
        if (!wf_model_find(vm->opt.programs, name))
            return v_obj(sc_str(vm, name));
    }
}

/* note(program): gives it to who asked for programs; the program */
static Value n_note(Vm *vm, const Args *a)
{
    if (a->v[0].tag != T_OBJ || !sc_is_subclass(a->v[0].o->cls, vm->engine->program))
        return sc_raise(vm, C_TypeError, "note: needs a Program");
    if (vm->opt.programs && wf_model_add(vm->cx, vm->opt.programs, as_program(a->v[0])->p) != WF_OK) {
        sc_raise_ctx(vm);
        return NIL;
    }
    return sc_ref(a->v[0]);
}

static Value n_checked(Vm *vm, const Args *a)
{
    wf_semantics *means = &((Front *)a->user)->means;
    bool was = means->index_check;

    if (!sc_to_bool(vm, a->v[0], &means->index_check))
        return NIL;
    return v_bool(was);
}

const NativeDef engine_graphs[] = {
    {"trace_types", n_trace_types, "fn,types|name"},
    {"infer", n_infer, "fn,types"},
    {"size_of", n_size_of, "x|define"},
    {"named", n_named, "base"},
    {"note", n_note, "program"},
    {"is_size", n_is_size, "x"},
    {"join_sizes", n_join_sizes, "x,y"},
    {"checked", n_checked, "on"},
    {0},
};
