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
        !(x = tensor_get(e.c, s, "same_value")) ||
        !(y = tensor_get(e.c, t, "same_value")))
        return en_fail(&e);
    return en_end_value(&e, v_bool(x == y || (x->symbolic && y->symbolic &&
                                              x->trace == y->trace && x->val == y->val)));
}

/* view_of(x, y): is the symbolic x the tensor y, or made of it by views alone? */
static Value n_view_of(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    Tensor *x, *y;
    wf_tensor s, t;

    if (!en_tensor(&e, a->v[0], &s) || !en_tensor(&e, a->v[1], &t) ||
        !(x = tensor_get(e.c, s, "view_of")) || !(y = tensor_get(e.c, t, "view_of")))
        return en_fail(&e);
    while (x != y && x->symbolic && x->base)
        x = x->base;
    return en_end_value(&e, v_bool(x == y));
}

static const Tensor *base_of(const Tensor *t)
{
    while (t->symbolic && t->base)
        t = t->base;
    return t;
}

/* related(x, y): views of one symbolic tensor, or one of them a view of the other? */
static Value n_related(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    Tensor *x, *y;
    wf_tensor s, t;

    if (!en_tensor(&e, a->v[0], &s) || !en_tensor(&e, a->v[1], &t) ||
        !(x = tensor_get(e.c, s, "related")) || !(y = tensor_get(e.c, t, "related")))
        return en_fail(&e);
    return en_end_value(&e, v_bool(base_of(x) == base_of(y)));
}

/* view_again(program, out, args, to, written): after a run on args, and after its result `written` (-1: none)
 * went into args[to]: result `out` as a view of that; None, if it is not made of it by views alone */
static Value n_view_again(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    ProgramObj *g;
    wf_tensor *in = NULL, all[512];
    int64_t out, to, written;
    int n = 0;
    wf_tensor y;

    if (a->v[0].tag != T_OBJ || !sc_is_subclass(a->v[0].o->cls, vm->engine->program))
        return sc_raise(vm, C_TypeError, "view_again: needs a Program");
    g = as_program(a->v[0]);
    if (!en_int(&e, a->v[1], &out) || !en_tensors(&e, a->v[2], &in, &n) ||
        !en_int(&e, a->v[3], &to) || !en_int(&e, a->v[4], &written))
        return en_fail(&e);
    if (g->p->nin > COUNT(all) || (uint32_t)n + g->ncaptures != g->p->nin || out < 0 ||
        out >= g->p->nout || to < 0 || to >= n || written >= g->p->nout)
        return en_end_value(&e, NONE);
    memcpy(all, in, (size_t)n * sizeof *in);
    for (uint32_t i = 0; i < g->ncaptures; i++)
        all[(uint32_t)n + i] = tensor_handle(e.c, tensor_retain(g->captures[i]));
    y = replay_view(e.c, g->p, (uint32_t)out, all, (uint32_t)to, written);
    return wf_is_none(y) && !failed(e.c) ? en_end_value(&e, NONE) : en_end(&e, y);
}

/* views(program, out, to, written): can view_again make result `out`? */
static Value n_views(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    const Program *p;
    int64_t out, to, written;

    if (a->v[0].tag != T_OBJ || !sc_is_subclass(a->v[0].o->cls, vm->engine->program))
        return sc_raise(vm, C_TypeError, "views: needs a Program");
    p = as_program(a->v[0])->p;
    if (!en_int(&e, a->v[1], &out) || !en_int(&e, a->v[2], &to) ||
        !en_int(&e, a->v[3], &written))
        return en_fail(&e);
    return en_end_value(&e, v_bool(out >= 0 && out < p->nout && to >= 0 && to < p->nin &&
                                   written < p->nout &&
                                   replay_is_views(p, p->outs[out],
                                                 written < 0 ? program_in(p, (uint32_t)to)
                                                             : p->outs[written])));
}

/* cuts(on): while on, no_grad in a trace cuts derivatives; gives what was */
static Value n_cuts(Vm *vm, const Args *a)
{
    Tensors *s = vm->cx->tensors;
    bool on, was = s && s->cuts;

    if (!sc_to_bool(vm, a->v[0], &on))
        return NIL;
    if (s)
        s->cuts = on;
    return v_bool(was);
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

/* name_inputs(symbols, names): inputs of the innermost trace by their names, "" for none; numbered where two are equal */
static Value n_name_inputs(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    Tuple *names = sc_tuple_from(vm, a->v[1]);
    Trace *tr = e.c->tensors->trace;
    wf_ctx *c = e.c;
    wf_tensor *in;
    int n = 0;

    if (names && !en_tensors(&e, a->v[0], &in, &n))
        n = 0;
    for (int i = 0; names && i < n && i < names->n; i++) {
        const Tensor *x = tensor_get(c, in[i], "name_inputs");
        const char *name = sc_to_cstr(vm, names->v[i], "a name");

        if (!name || !x || !tr || x->trace != tr->id)
            break;
        T_ENTER(c, en_fail(&e))
        b_name(tr->b, x->val, name);
        T_LEAVE(c);
    }
    if (names)
        obj_drop(vm, names);
    return sc_failed(vm) || failed(c) ? en_fail(&e) : en_end_value(&e, NONE);
}

/* log_text(text): to the log of the host, not to standard error */
static Value n_log(Vm *vm, const Args *a)
{
    const char *text = sc_to_cstr(vm, a->v[0], "a text");

    if (!text)
        return NIL;
    ctx_log(vm->cx, WF_LOG_DEBUG, "%s", text);
    return NONE;
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
    if (!vm->engine->no_draws && (!vm->engine->no_random || !vm->cx->tensors->trace))
        return true;
    vm->engine->refused++;
    return sc_fail(vm, C_RuntimeError,
                   "random numbers are drawn anew at each call and cannot "
                   "be part of a program");
}

/* refuse_random(on, everywhere): while on, draws inside a trace, or everywhere, are errors; gives how many were refused */
static Value n_refuse_random(Vm *vm, const Args *a)
{
    bool on, everywhere = false;
    int *n;

    if (!sc_to_bool(vm, a->v[0], &on) || (a->v[1].tag != T_NIL && !sc_to_bool(vm, a->v[1], &everywhere)))
        return NIL;
    n = everywhere ? &vm->engine->no_draws : &vm->engine->no_random;
    *n += on ? 1 : *n > 0 ? -1 : 0;
    return v_int(vm->engine->refused);
}

bool en_draws_later(Vm *vm)
{
    return vm->engine->drawer.tag != T_NIL && vm->cx->tensors->trace;
}

/* While the drawer runs there is none, so that it may draw. */
Value en_drawn(Vm *vm, const char *native, const Args *a)
{
    Value all[8], drawer = vm->engine->drawer, r;
    int n = 1;

    all[0] = v_obj(sc_str(vm, native));
    for (int i = 0; i < a->n && n < COUNT(all); i++)
        all[n++] = a->v[i].tag == T_NIL ? NONE : a->v[i];
    vm->engine->drawer = NIL;
    r = sc_call(vm, drawer, all, n);
    sc_drop(vm, vm->engine->drawer);
    vm->engine->drawer = drawer;
    sc_drop(vm, all[0]);
    return r;
}

/* drawer(fn): fn(name, *args) gives what natives that draw give inside a trace; None: their numbers */
static Value n_drawer(Vm *vm, const Args *a)
{
    sc_drop(vm, vm->engine->drawer);
    vm->engine->drawer = a->v[0].tag == T_NONE ? NIL : sc_ref(a->v[0]);
    return NONE;
}

const NativeDef engine_stage[] = {
    {"drawer", n_drawer, "fn"},
    {"refuse_random", n_refuse_random, "on,|everywhere"},
    {"alias", n_alias, "x"},
    {"same_value", n_same_value, "x,y"},
    {"view_of", n_view_of, "x,y"},
    {"related", n_related, "x,y"},
    {"view_again", n_view_again, "program,out,args,to,written"},
    {"views", n_views, "program,out,to,written"},
    {"cuts", n_cuts, "on"},
    {"symbol_of", n_symbol_of, "x"},
    {"log_text", n_log, "text"},
    {"name_inputs", n_name_inputs, "symbols,names"},
    {"assert_now", n_assert_now, "ok,message|xs"},
    {0},
};
