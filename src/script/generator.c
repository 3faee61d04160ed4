/* generator.c -- generators: a frame that is kept between two runs of it.
 *
 * The frame belongs to the generator, and g->frame is NULL when it has ended. While it runs,
 * g->running keeps others, and the end of the generator itself, from touching it. A for loop
 * over a generator does not come through here: the machine enters its frame directly.
 */
#include "ast.h"

/* ---- making, running from C ----------------------------------------------------------- */

Value sc_new_generator(Vm *vm, VmFrame *f)
{
    Gen *g = sc_gc_new(vm, vm->cls[C_generator], sizeof *g);

    if (!g) {
        sc_frame_free(vm, f);
        return NIL;
    }
    g->frame = f;
    g->name = obj_ref(f->code->qualname);
    g->result = NONE;
    f->gen = g;
    f->confined = sc_is_left_by_file(vm);
    return v_obj(g);
}

static Value resume(Vm *vm, Gen *g)
{
    VmFrame *f = g->frame;
    Value r;

    if (!sc_enter(vm))
        return NIL;
    g->running = true;
    f->enter = FRAME_C;
    g->h.h.refs++;
    r = sc_run(vm, f);
    g->running = false;
    sc_leave(vm);
    sc_drop(vm, v_obj(g));
    return r;
}

Value sc_gen_next(Vm *vm, Gen *g, Value send)
{
    VmFrame *f = g->frame;

    if (!f) { /* what it returned is told once */
        sc_put(vm, &g->result, NONE);
        return NIL;
    }
    if (g->running)
        return sc_raise(vm, C_ValueError, "generator already executing");
    if (f->sent)
        sc_put(vm, &f->regs[f->sent - 1], sc_ref(send));
    return resume(vm, g);
}

/* What g waits for by yield from (regs of *out_at its value), or NIL. */
static Value waits_for(const Gen *g, const Ins **out_at)
{
    const VmFrame *f = g->frame;

    *out_at = f->pc;
    return f->sent && f->pc->op == OPC_YFROM ? f->regs[f->pc->b] : NIL;
}

/* The exception goes to what g waits for. True: to g itself, as it is pending now, or g goes
 * on behind its yield from; false: *out_r is what g gives, too. */
static bool thrown_on(Vm *vm, Gen *g, Value inner, const Ins *at, Value exc, Value *out_r)
{
    bool gen = sc_is_exact(vm, inner, C_generator), leave;

    *out_r = NIL;
    if (!sc_set_exc(vm, exc, NIL))
        return true;
    leave = sc_exc_is(vm, C_GeneratorExit);
    if (!gen && !sc_class_find(sc_class_of(vm, inner), vm->known[leave ? S_close : S_throw]))
        return true;
    sc_clear_exc(vm);
    g->running = true;
    sc_ref(inner);
    if (leave)
        *out_r = gen ? sc_gen_close(vm, (Gen *)inner.o) : sc_call_method(vm, inner, "close", NULL, 0);
    else
        *out_r = gen ? sc_gen_throw(vm, (Gen *)inner.o, exc)
                     : sc_call_method(vm, inner, "throw", &exc, 1);
    g->running = false;
    if (leave) {
        sc_put(vm, out_r, NIL);
        if (!sc_failed(vm))
            sc_set_exc(vm, exc, NIL);
    } else if (out_r->tag == T_NIL && !sc_failed(vm)) { /* it has ended */
        sc_put(vm, &g->frame->regs[at->a], sc_ref(((Gen *)inner.o)->result));
        g->frame->pc = at + 1;
    }
    sc_drop(vm, inner);
    return out_r->tag == T_NIL;
}

Value sc_gen_throw(Vm *vm, Gen *g, Value exc)
{
    VmFrame *f = g->frame;
    const Ins *at;
    Value inner, r;
    bool on;

    if (f && g->running)
        return sc_raise(vm, C_ValueError, "generator already executing");
    inner = f ? waits_for(g, &at) : NIL;
    if (inner.tag == T_OBJ) {
        if (!sc_enter(vm))
            return NIL;
        on = thrown_on(vm, g, inner, at, exc, &r);
        sc_leave(vm);
        return on ? resume(vm, g) : r;
    }
    if (!sc_set_exc(vm, exc, NIL))
        return NIL;
    if (!f)
        return NIL;
    if (!f->sent) {
        g->frame = NULL;
        sc_frame_free(vm, f);
        return NIL;
    }
    return resume(vm, g);
}

/* ---- the type ---------------------------------------------------------------------- */

static void gen_destroy(Vm *vm, Obj *o)
{
    Gen *g = (Gen *)o;
    VmFrame *f = g->frame;

    g->frame = NULL;
    if (f && !g->running)
        sc_frame_free(vm, f);
    sc_put(vm, &g->result, NIL);
    if (g->name)
        obj_drop(vm, g->name);
    g->name = NULL;
}

static void gen_visit(Obj *o, VisitFn fn, void *user)
{
    Gen *g = (Gen *)o;

    fn(g->result, user);
    if (g->frame && !g->running) {
        for (uint32_t i = 0; i < g->frame->code->nregs; i++)
            fn(g->frame->regs[i], user);
        fn(v_obj(g->frame->fn), user);
    }
}

static Value gen_next(Vm *vm, Value self) { return sc_gen_next(vm, (Gen *)self.o, NONE); }

Value sc_gen_stop(Vm *vm, Gen *g)
{
    Value r = g->result;

    if (sc_failed(vm))
        return NIL;
    g->result = NONE;
    sc_raise_value(vm, C_StopIteration, r.tag == T_NONE ? NIL : r);
    sc_drop(vm, r);
    return NIL;
}

static Value gen_method_next(Vm *vm, const Args *a)
{
    Value r = sc_gen_next(vm, (Gen *)a->v[0].o, NONE);

    return r.tag == T_NIL ? sc_gen_stop(vm, (Gen *)a->v[0].o) : r;
}

static Value gen_send(Vm *vm, const Args *a)
{
    Gen *g = (Gen *)a->v[0].o;
    Value r;

    if (g->frame && g->frame->pc == g->frame->code->ins && a->v[1].tag != T_NONE)
        return sc_raise(vm, C_TypeError,
                        "can't send non-None value to a just-started generator");
    r = sc_gen_next(vm, g, a->v[1]);
    return r.tag == T_NIL ? sc_gen_stop(vm, g) : r;
}

static Value gen_throw(Vm *vm, const Args *a)
{
    Gen *g = (Gen *)a->v[0].o;
    Value r = sc_gen_throw(vm, g, a->v[1]);

    return r.tag == T_NIL ? sc_gen_stop(vm, g) : r;
}

bool sc_gen_in_block(const Gen *g)
{
    const VmFrame *f = g->frame;
    uint32_t at;

    if (!f || g->running || f->pc == f->code->ins)
        return false;
    at = (uint32_t)(f->pc - f->code->ins) - 1;
    for (uint32_t k = 0; k < f->code->nhandlers; k++)
        if (at >= f->code->handlers[k].from && at < f->code->handlers[k].to)
            return true;
    return false;
}

Value sc_gen_close(Vm *vm, Gen *g)
{
    Value r;

    if (!g->frame)
        return NONE;
    if (g->frame->pc == g->frame->code->ins) {
        VmFrame *f = g->frame;

        g->frame = NULL;
        sc_frame_free(vm, f);
        return NONE;
    }
    r = sc_gen_throw(vm, g, v_obj(vm->cls[C_GeneratorExit]));
    if (r.tag != T_NIL) {
        sc_drop(vm, r);
        return sc_raise(vm, C_RuntimeError, "generator ignored GeneratorExit");
    }
    if (sc_exc_is(vm, C_GeneratorExit) || sc_exc_is(vm, C_StopIteration))
        sc_clear_exc(vm);
    sc_put(vm, &g->result, NONE);
    return sc_failed(vm) ? NIL : NONE;
}

static Value gen_close(Vm *vm, const Args *a) { return sc_gen_close(vm, (Gen *)a->v[0].o); }

static Value gen_repr(Vm *vm, Value self)
{
    return sc_strf(vm, "<generator object %s at 0x%012llx>", ((Gen *)self.o)->name->s,
                   (unsigned long long)(uintptr_t)self.o);
}

static Value self_iter(Vm *vm, Value self)
{
    (void)vm;
    return sc_ref(self);
}

static Value gen_method_iter(Vm *vm, const Args *a)
{
    (void)vm;
    return sc_ref(a->v[0]);
}

static const NativeDef gen_methods[] = {
    {"__next__", gen_method_next, "self"}, {"__iter__", gen_method_iter, "self"},
    {"send", gen_send, "self,value"},      {"throw", gen_throw, "self,exc|val,tb"},
    {"close", gen_close, "self"},          {0},
};
const ClassDef sc_gen_def = {
    .name = "generator", .size = sizeof(Gen), .sealed = true, .destroy = gen_destroy,
    .visit = gen_visit, .next = gen_next, .iter = self_iter, .methods = gen_methods,
    .repr = gen_repr,
};
