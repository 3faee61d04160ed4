/* vm.c -- the machine: one loop over register instructions.
 *
 * Script functions that call script functions, constructors, __call__ methods and for
 * loops over generators stay in the loop: only natives recurse in C. A temporary register
 * (from nlocals on) is emptied by the instruction that reads it, so that objects die as
 * early as in CPython; the fast paths on ints and floats need not, for nothing is owned.
 *
 * Frames   fr is the running one, vm->frame the same for others to see; fr->pc is up to date
 *          whenever code outside of the loop may look at it: at calls, raises and yields.
 *          Registers own what they hold, T_NIL is empty. A frame of a generator outlives its
 *          run; all others are freed when they return or an exception leaves them.
 * Counts   what is read from a register is borrowed until the instruction empties it; an
 *          instruction that runs code of the script owns, or holds by a register, all it uses
 *          afterwards.
 * Depth    vm->depth counts frames, vm->cdepth nested C calls (sc_enter); each has its limit.
 */
#include "vm.h"
#include "vm_loop.h"

#include <math.h>

#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wpedantic" /* labels as values */
#endif
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-gcse", "no-crossjumping") /* keeps one jump per instruction */
#endif

/* As vm_find_init, from the class's cache. */
static inline Function *plain_init(Vm *vm, Class *c)
{
    if (c->init_version != vm->version)
        return vm_find_init(vm, c);
    return c->init_fn.tag == T_OBJ ? (Function *)c->init_fn.o : NULL;
}

/* ---- the loop ---------------------------------------------------------------------- */

Value vm_run_frame(Vm *vm, VmFrame *fr)
{
    static const void *const labels[] = {
#define OPC(id, kinds) &&L_##id,
#include "opcodes.def"
#undef OPC
    };
    const ByteCode *code;
    const Ins *pc;
    Value *r, v, w;
    uint32_t nlocals;
    Ins i;
    BinOp op2;
    int t;
    VmFrame *caller = vm->frame, *nf;

    if (++vm->depth > vm->max_depth) {
        vm->depth--;
        if (!sc_failed(vm))
            sc_raise(vm, C_RecursionError, "maximum recursion depth exceeded");
        if (!fr->gen)
            sc_frame_free(vm, fr);
        return NIL;
    }
    fr->back = caller;
    fr->enter = FRAME_C;
    sc_collect_if_due(vm);
    LOAD_FRAME();
    if (sc_failed(vm))
        goto raised_here;
    NEXT;

L_MOVE:
    v = R(i.b);
    if (i.b >= nlocals)
        R(i.b).tag = T_NIL;
    else
        sc_ref(v);
    SET(i.a, v);
    NEXT;
L_LOADK:
    SET(i.a, sc_ref(code->consts[i.b]));
    NEXT;
L_LOADI:
    SET(i.a, v_int(i.jump));
    NEXT;
L_LOADG: {
    Cache *c = &code->caches[i.c];
    Dict *d = fr->module->attrs;

    if (cache_own(c, d))
        v = sc_ref(d->e[c->hint].val);
    else if (c->dict && c->version == d->keys)
        v = sc_ref(c->fn);
    else if ((v = vm_load_global(vm, fr, c)).tag == T_NIL)
        RAISE;
    SET(i.a, v);
    NEXT;
}
L_STOREG: {
    Dict *d = fr->module->attrs;
    Value *at = sc_dict_find_str(d, as_str(code->consts[i.b]));

    if (at) {
        TAKE(i.a, v);
        sc_put(vm, at, v);
        NEXT;
    }
    if (!sc_dict_put_str(vm, d, as_str(code->consts[i.b]), R(i.a)))
        RAISE;
    SPENT(i.a, NOREG);
    NEXT;
}
L_DELG:
L_DELN:
    t = sc_dict_remove(vm, i.op == OPC_DELG ? fr->module->attrs : fr->ns, code->consts[i.b]);
    if (t == 0)
        vm_raise_unknown_name(vm, fr, as_str(code->consts[i.b]));
    if (t <= 0)
        RAISE;
    NEXT;
L_LOADN:
    GIVE(vm_load_class_name(vm, fr, as_str(code->consts[i.b])));
L_STOREN:
    if (!sc_dict_put_str(vm, fr->ns, as_str(code->consts[i.b]), R(i.a)))
        RAISE;
    SPENT(i.a, NOREG);
    NEXT;
L_CHECK:
    if (R(i.a).tag == T_NIL && !vm_raise_unbound(vm, fr, i.a))
        RAISE;
    NEXT;
L_DELLOCAL:
    if (R(i.a).tag == T_NIL && !vm_raise_unbound(vm, fr, i.a))
        RAISE;
    SET(i.a, NIL);
    NEXT;
L_CLEAR:
    SET(i.a, NIL);
    NEXT;
L_MAKECELL:
L_NEWCELL: {
    Cell *c = sc_cell(vm);

    if (!c)
        RAISE;
    if (i.op == OPC_MAKECELL)
        c->v = R(i.a);
    else
        sc_drop(vm, R(i.a));
    R(i.a) = v_obj(c);
    NEXT;
}
L_LOADCELL:
    v = ((Cell *)R(i.b).o)->v;
    if (v.tag == T_NIL && !vm_raise_unbound(vm, fr, i.b))
        RAISE;
    SET(i.a, sc_ref(v));
    NEXT;
L_STORECELL:
    TAKE(i.b, v);
    sc_put(vm, &((Cell *)R(i.a).o)->v, v);
    NEXT;
L_DELCELL:
    if (((Cell *)R(i.a).o)->v.tag == T_NIL && !vm_raise_unbound(vm, fr, i.a))
        RAISE;
    sc_put(vm, &((Cell *)R(i.a).o)->v, NIL);
    NEXT;
L_LOADFREE:
    v = fr->fn->cells[i.b]->v;
    if (v.tag == T_NIL) {
        sc_raise(vm, C_NameError,
                 "cannot access free variable where it is not associated with a value in "
                 "enclosing scope");
        RAISE;
    }
    SET(i.a, sc_ref(v));
    NEXT;
L_STOREFREE:
    TAKE(i.a, v);
    sc_put(vm, &fr->fn->cells[i.b]->v, v);
    NEXT;
L_DELFREE:
    sc_put(vm, &fr->fn->cells[i.b]->v, NIL);
    NEXT;

    ARITH(L_ADD, OP2_ADD, !__builtin_add_overflow(x_, y_, &z_), (z_ = x_ + y_, true))
    ARITH(L_SUB, OP2_SUB, !__builtin_sub_overflow(x_, y_, &z_), (z_ = x_ - y_, true))
    ARITH(L_MUL, OP2_MUL, !__builtin_mul_overflow(x_, y_, &z_), (z_ = x_ * y_, true))
L_DIV: {
    Value a = R(i.b), b = R(i.c);
    double x, y;

    if ((a.tag == T_FLOAT || a.tag == T_INT) && (b.tag == T_FLOAT || b.tag == T_INT) &&
        !(a.tag == T_INT && (a.i > (1LL << 53) || a.i < -(1LL << 53))) &&
        !(b.tag == T_INT && (b.i > (1LL << 53) || b.i < -(1LL << 53)))) {
        x = a.tag == T_FLOAT ? a.f : (double)a.i;
        y = b.tag == T_FLOAT ? b.f : (double)b.i;
        if (y != 0) {
            if (UNLIKELY(R(i.a).tag == T_OBJ))
                sc_drop(vm, R(i.a));
            R(i.a) = v_float(x / y);
            NEXT;
        }
    }
    op2 = OP2_DIV;
    goto binary_slow;
}
    ARITH(L_FLOORDIV, OP2_FLOORDIV, y_ > 0 && (z_ = x_ / y_ - (x_ % y_ < 0), true),
          ((void)x_, (void)y_, z_ = 0, false))
    ARITH(L_MOD, OP2_MOD, y_ > 0 && (z_ = x_ % y_, z_ += z_ < 0 ? y_ : 0, true),
          ((void)x_, (void)y_, z_ = 0, false))
L_BINOP:
    op2 = (BinOp)(i.x & ~BIN_INPLACE);
binary_slow:
    v = HERE(sc_binary(vm, op2, R(i.b), R(i.c), i.x & BIN_INPLACE));
    goto spend_both;
L_ADDI: {
    Value a = R(i.b);
    int64_t z;

    if (a.tag == T_INT && !__builtin_add_overflow(a.i, (int64_t)(int16_t)i.c, &z)) {
        if (UNLIKELY(R(i.a).tag == T_OBJ))
            sc_drop(vm, R(i.a));
        R(i.a) = v_int(z);
        NEXT;
    }
    if (a.tag == T_FLOAT) {
        SET(i.a, v_float(a.f + (double)(int16_t)i.c));
        NEXT;
    }
    if (i.x & 1)
        v = HERE(sc_binary(vm, OP2_SUB, a, v_int(-(int64_t)(int16_t)i.c), i.x & BIN_INPLACE));
    else
        v = HERE(sc_binary(vm, OP2_ADD, a, v_int((int16_t)i.c), i.x & BIN_INPLACE));
spend_b:
    if (v.tag == T_NIL)
        RAISE;
    SPENT(i.b, i.a);
    SET(i.a, v);
    NEXT;
}
L_CMP:
    v = HERE(sc_compare(vm, (CmpOp)i.x, R(i.b), R(i.c)));
spend_both:
    if (v.tag == T_NIL)
        RAISE;
    SPENT(i.b, i.a);
    SPENT(i.c, i.a);
    SET(i.a, v);
    NEXT;
L_UNARY:
    v = HERE(sc_unary(vm, (UnOp)i.x, R(i.b)));
    goto spend_b;
L_NOT:
    t = sc_truth(vm, R(i.b));
    if (t < 0)
        RAISE;
    SPENT(i.b, i.a);
    SET(i.a, v_bool(!t));
    NEXT;
L_JMP:
    pc += i.jump;
    NEXT;
L_LOOP:
    sc_collect_if_due(vm);
    if (sc_interrupted(vm)) /* before the jump: its target may be outside of the try */
        RAISE;
    pc += i.jump;
    NEXT;
    JTRUTH(L_JT, t, SPENT(i.a, NOREG))
    JTRUTH(L_JF, !t, SPENT(i.a, NOREG))
    JTRUTH(L_JKT, t, (void)0)
    JTRUTH(L_JKF, !t, (void)0)

    JCOMPARE(L_JLT, CMP_LT, <)
    JCOMPARE(L_JLE, CMP_LE, <=)
    JCOMPARE(L_JEQ, CMP_EQ, ==)
    JCOMPARE(L_JNE, CMP_NE, !=)
    JCOMPARE(L_JGT, CMP_GT, >)
    JCOMPARE(L_JGE, CMP_GE, >=)
L_JCMP:
compare_slow:
    v = HERE(sc_compare(vm, (CmpOp)i.x, R(i.a), R(i.b)));
    SPENT(i.b, NOREG);
    goto compare_done;
    JCOMPAREI(L_JLTI, <)
    JCOMPAREI(L_JLEI, <=)
    JCOMPAREI(L_JEQI, ==)
    JCOMPAREI(L_JNEI, !=)
    JCOMPAREI(L_JGTI, >)
    JCOMPAREI(L_JGEI, >=)
compare_imm_slow:
    v = HERE(sc_compare(vm, (CmpOp)i.x, R(i.a), v_int((int16_t)i.b)));
compare_done:
    if (v.tag == T_NIL)
        RAISE;
    SPENT(i.a, NOREG);
    t = sc_truth(vm, v);
    sc_drop(vm, v);
    if (t < 0)
        RAISE;
    if (t == i.c)
        JUMP_WORD();
    else
        pc++;
    NEXT;

L_ITER:
    v = HERE(sc_iter(vm, R(i.b)));
    goto spend_b;
L_FORITER: {
    Value it = R(i.a);

    if (it.o->cls == vm->cls[C_range_iterator]) {
        Iter *k = (Iter *)it.o;

        if (k->stop <= 0)
            goto for_end;
        k->stop--;
        v = v_int(k->i);
        k->i = (int64_t)((uint64_t)k->i + (uint64_t)k->step);
    } else if (it.o->cls == vm->cls[C_list_iterator]) {
        Iter *k = (Iter *)it.o;
        List *l = (List *)k->a.o;

        if (k->a.tag == T_NIL || k->i >= l->n) {
            sc_put(vm, &k->a, NIL);
            goto for_end;
        }
        v = sc_ref(l->v[k->i++]);
    } else if (it.o->cls == vm->cls[C_generator]) {
        Gen *g = (Gen *)it.o;
        VmFrame *f = g->frame;

        if (!f)
            goto for_end;
        if (g->running) {
            sc_raise(vm, C_ValueError, "generator already executing");
            RAISE;
        }
        if (++vm->depth > vm->max_depth) {
            vm->depth--;
            sc_raise(vm, C_RecursionError, "maximum recursion depth exceeded");
            RAISE;
        }
        if (f->sent)
            sc_put(vm, &f->regs[f->sent - 1], NONE);
        g->running = true;
        f->enter = FRAME_FOR;
        f->ret = i.b;
        f->back = fr;
        fr->pc = pc;
        fr = f;
        LOAD_FRAME();
        NEXT;
    } else {
        v = HERE(it.o->cls->d.next ? it.o->cls->d.next(vm, it) : sc_next(vm, it)); /* __next__ was deleted on the way */
        if (v.tag == T_NIL) {
            if (sc_failed(vm))
                RAISE;
            goto for_end;
        }
    }
    SET(i.b, v);
    pc++;
    NEXT;
for_end:
    JUMP_WORD();
    NEXT;
}
L_GETITEM: {
    Value o = R(i.b), key = R(i.c);

    if (o.tag == T_OBJ && key.tag == T_INT) {
        int64_t n = key.i;

        if (o.o->cls == vm->cls[C_list]) {
            List *l = (List *)o.o;

            n += n < 0 ? l->n : 0;
            if (n >= 0 && n < l->n) {
                v = sc_ref(l->v[n]);
                goto got_item;
            }
        } else if (o.o->cls == vm->cls[C_tuple]) {
            Tuple *l = (Tuple *)o.o;

            n += n < 0 ? l->n : 0;
            if (n >= 0 && n < l->n) {
                v = sc_ref(l->v[n]);
                goto got_item;
            }
        }
    }
    v = HERE(sc_getitem(vm, o, key));
    if (v.tag == T_NIL)
        RAISE;
    SPENT(i.c, i.a);
got_item:
    SPENT(i.b, i.a);
    SET(i.a, v);
    NEXT;
}
L_SETITEM: {
    Value o = R(i.a), key = R(i.b);

    if (o.tag == T_OBJ && o.o->cls == vm->cls[C_list] && key.tag == T_INT) {
        List *l = (List *)o.o;
        int64_t n = key.i + (key.i < 0 ? l->n : 0);

        if (n >= 0 && n < l->n) {
            TAKE(i.c, v);
            sc_put(vm, &l->v[n], v);
            SPENT(i.a, NOREG);
            NEXT;
        }
    }
    if (!HERE(sc_setitem(vm, o, key, R(i.c))))
        RAISE;
    SPENT(i.a, NOREG);
    SPENT(i.b, NOREG);
    SPENT(i.c, NOREG);
    NEXT;
}
L_DELITEM:
    if (!HERE(sc_setitem(vm, R(i.a), R(i.b), NIL)))
        RAISE;
    SPENT(i.a, NOREG);
    SPENT(i.b, NOREG);
    NEXT;
L_GETATTR: {
    Cache *c = &code->caches[i.c];
    Value o = R(i.b);

    if (o.tag == T_OBJ && o.o->cls == c->cls && c->version == vm->version) {
        Dict *d = *(Dict **)(void *)((char *)o.o + c->cls->d.attrs_at);

        if (cache_own(c, d)) {
            v = sc_ref(d->e[c->hint].val);
            SPENT(i.b, i.a);
            SET(i.a, v);
            NEXT;
        }
    }
    v = HERE(vm_load_attr(vm, o, c));
    goto spend_b;
}
L_SETATTR: {
    Cache *c = &code->caches[i.c];
    Value o = R(i.a);

    if (o.tag == T_OBJ && o.o->cls == c->cls && c->version == vm->version) {
        Dict *d = *(Dict **)(void *)((char *)o.o + c->cls->d.attrs_at);

        if (cache_own(c, d)) {
            TAKE(i.b, v);
            sc_put(vm, &d->e[c->hint].val, v);
            SPENT(i.a, NOREG);
            NEXT;
        }
    }
    if (!HERE(vm_store_attr(vm, o, c, R(i.b))))
        RAISE;
    SPENT(i.a, NOREG);
    SPENT(i.b, NOREG);
    NEXT;
}
L_DELATTR:
    if (!sc_setattr(vm, R(i.a), code->caches[i.c].name, NIL))
        RAISE;
    SPENT(i.a, NOREG);
    NEXT;
L_LOADM: {
    Cache *c = &code->caches[i.c];
    Value o = R(i.b);

    if (o.tag == T_OBJ && o.o->cls == c->cls && c->version == vm->version) {
        size_t at = c->cls->d.attrs_at;
        Dict *d = at ? *(Dict **)(void *)((char *)o.o + at) : NULL;

        if (c->fn.tag != T_NIL && (!d || !sc_dict_find_str(d, c->name))) {
            TAKE(i.b, v);
            SET(i.a + 1u, v);
            SET(i.a, sc_ref(c->fn));
            NEXT;
        }
        if (c->fn.tag == T_NIL && cache_own(c, d)) { /* a function of a module */
            SET(i.a, sc_ref(d->e[c->hint].val));
            SET(i.a + 1u, NIL);
            goto method_found;
        }
    }
    sc_ref(o);
    t = vm_load_method(vm, o, c, &R(i.a));
    sc_drop(vm, o);
    if (!t)
        RAISE;
method_found:
    if (i.b != i.a && i.b != i.a + 1)
        SPENT(i.b, NOREG);
    NEXT;
}
L_CALLX: {
    Value *b = &R(i.a);

    if (sc_is_exact(vm, b[0], C_function) && b[2].tag == T_NIL && !((Function *)b[0].o)->relay) {
        List *l = (List *)b[1].o;

        nf = sc_frame_for(vm, (Function *)b[0].o, l->v, (int)l->n, 0, NULL, false);
        if (!nf)
            RAISE;
        SET(i.a, NIL);
        SET(i.a + 1u, NIL);
        nf->enter = FRAME_CALL;
        goto start_frame;
    }
    v = vm_call_stars(vm, b[0], (List *)b[1].o, b[2]);
    if (v.tag == T_NIL)
        RAISE;
    SET(i.a, v);
    SET(i.a + 1u, NIL);
    SET(i.a + 2u, NIL);
    NEXT;
}
L_CALL: { /* b[0] is called; after LOADM b[1] is its self, or nothing */
    Value *b = &R(i.a), *args = b + 1, fn = b[0], *names = NULL, held = NIL, self = NIL;
    int n = i.b, nkw = 0;
    uint8_t enter = FRAME_CALL;
    Function *f = NULL;

    if (i.c) {
        Tuple *kt = (Tuple *)code->consts[i.c - 1].o;

        names = kt->v;
        nkw = (int)kt->n;
    }
    if (i.x) {
        if (b[1].tag != T_NIL)
            n++;
        else
            args++;
    }
    if (fn.tag != T_OBJ || fn.o->cls == vm->cls[C_function]) {
        f = fn.tag == T_OBJ ? (Function *)fn.o : NULL;
    } else if (fn.o->cls == vm->cls[C_method] && args == b + 1) { /* its place takes self */
        held = sc_ref(((Method *)fn.o)->fn);
        b[0] = sc_ref(((Method *)fn.o)->self);
        sc_drop(vm, fn);
        fn = held;
        args = b;
        n++;
        if (fn.o->cls == vm->cls[C_function])
            f = (Function *)fn.o;
    } else if (fn.o->cls->is_type && fn.o->cls->d.call == vm->cls[C_type]->d.call) {
        if ((f = plain_init(vm, (Class *)fn.o)) != NULL) {
            self = sc_new_instance(vm, (Class *)fn.o);
            if (self.tag == T_NIL)
                RAISE;
            enter = FRAME_INIT;
            n++;
            v = *--args; /* the class, or after LOADM nothing */
            *args = sc_ref(self);
            sc_drop(vm, v);
        }
    } else if (fn.o->cls->script && args == b + 1 && !i.x) { /* obj(..): it comes first */
        Value *call = sc_class_find(fn.o->cls, vm->known[S_call]);

        if (call && sc_is_exact(vm, *call, C_function)) {
            held = sc_ref(*call);
            f = (Function *)held.o;
            args = b;
            n++;
        }
    }
    if (f && f->relay) { /* copies, so that these stay in registers */
        Relayed to = (fr->pc = pc, vm_relay(vm, (Relayed){f, held, fn, args, n, nkw}));

        f = to.f, held = to.held, fn = to.fn, args = to.args, n = to.n;
    }
    if (f) {
        nf = sc_frame_for(vm, f, args, n, nkw, names, true);
        sc_drop(vm, held);
        if (!nf) {
            sc_drop(vm, self);
            RAISE;
        }
        for (Value *q = b; q < args + n + nkw; q++) /* what was called, copied, not moved */
            if (q->tag != T_NIL) {
                v = *q;
                q->tag = T_NIL;
                sc_drop(vm, v);
            }
        nf->self = self;
        nf->enter = enter;
        goto start_frame;
    }
    fr->pc = pc;
    if (fn.tag == T_OBJ && fn.o->cls == vm->cls[C_builtin_function_or_method] &&
        ((Native *)fn.o)->self.tag == T_NIL && nkw == 0 && n == ((Native *)fn.o)->nall && n == ((Native *)fn.o)->nmax) {
        Native *nat = (Native *)fn.o;

        if (nat->self_is != SELF_ANY &&
            !(nat->self_is == SELF_INSTANCE && args[0].tag == T_OBJ && args[0].o->cls == nat->owner) &&
            !sc_check_self(vm, nat, args[0])) {
            sc_drop(vm, held);
            RAISE;
        }
        v = nat->def->fn(vm, &(Args){args, n, 0, NULL, nat->user, nat->def});
    } else {
        v = sc_call_args(vm, fn, &(Args){args, n, nkw, names, NULL, NULL});
    }
    sc_drop(vm, held);
    if (v.tag == T_NIL)
        RAISE;
    for (Value *q = b + 1; q < args + n + nkw; q++) {
        w = *q;
        q->tag = T_NIL;
        sc_drop(vm, w);
    }
    SET(i.a, v);
    NEXT;
}
start_frame: /* nf is ready: run it, or make a generator of it; the result goes to a */
    fr->pc = pc;
    nf->ret = i.a;
    if (nf->code->is_generator) {
        v = sc_new_generator(vm, nf);
        if (v.tag == T_NIL)
            RAISE;
        SET(i.a, v);
        NEXT;
    }
    nf->back = fr;
    fr = nf;
    sc_collect_if_due(vm);
    if (++vm->depth > vm->max_depth || cancelled(vm->cx)) {
        VmFrame *back = fr->back;

        sc_frame_free(vm, fr);
        vm->depth--;
        fr = back;
        LOAD_FRAME();
        if (!sc_interrupted(vm))
            sc_raise(vm, C_RecursionError, "maximum recursion depth exceeded");
        goto raised_here;
    }
    LOAD_FRAME();
    NEXT;
L_RET: {
    VmFrame *back = fr->back;
    uint8_t enter = fr->enter;
    uint32_t ret = fr->ret;

    TAKE(i.a, v);
    if (enter == FRAME_INIT) {
        if (v.tag != T_NONE) {
            sc_raise(vm, C_TypeError, "__init__() should return None, not '%s'", sc_type_name(vm, v));
            sc_drop(vm, v);
            RAISE;
        }
        v = fr->self;
        fr->self = NIL;
    }
    vm->depth--;
    if (fr->gen) {
        Gen *g = fr->gen;

        g->frame = NULL;
        g->running = false;
        sc_put(vm, &g->result, v);
        v = NIL;
    }
    sc_frame_free(vm, fr);
    if (enter == FRAME_C) {
        vm->frame = caller;
        return v;
    }
    fr = back;
    LOAD_FRAME();
    if (enter == FRAME_FOR) {
        JUMP_WORD();
        NEXT;
    }
    SET(ret, v);
    NEXT;
}
L_YIELD: {
    VmFrame *back = fr->back;
    uint8_t enter = fr->enter;
    uint32_t ret = fr->ret;

    TAKE(i.b, v);
    fr->sent = i.a + 1u;
yielded:
    fr->pc = pc;
    fr->gen->running = false;
    fr->back = NULL;
    vm->depth--;
    if (enter == FRAME_C) {
        vm->frame = caller;
        return v;
    }
    fr = back;
    LOAD_FRAME();
    SET(ret, v);
    pc++;
    NEXT;
L_YFROM:
    back = fr->back;
    enter = fr->enter;
    ret = fr->ret;
    fr->pc = pc;
    if (fr->sent == i.a + 1u && R(i.a).tag != T_NONE && R(i.a).tag != T_NIL &&
        sc_is_exact(vm, R(i.b), C_generator))
        v = sc_gen_next(vm, (Gen *)R(i.b).o, R(i.a));
    else if (fr->sent == i.a + 1u && R(i.a).tag != T_NONE && R(i.a).tag != T_NIL)
        v = sc_call_method(vm, R(i.b), "send", &R(i.a), 1);
    else
        v = sc_next(vm, R(i.b));
    if (v.tag != T_NIL) {
        fr->sent = i.a + 1u;
        pc--;
        goto yielded;
    }
    if (sc_failed(vm))
        RAISE;
    v = sc_is_exact(vm, R(i.b), C_generator) ? sc_ref(((Gen *)R(i.b).o)->result) : NONE;
    SET(i.a, v);
    NEXT;
}
L_UNPACK:
    if (!vm_unpack(vm, R(i.a), &R(i.b), i.c, i.x))
        RAISE;
    SPENT(i.a, NOREG);
    NEXT;
L_LIST: {
    List *l = sc_list(vm, i.c);

    if (!l)
        RAISE;
    for (t = 0; t < i.c; t++) {
        l->v[t] = R(i.b + (uint32_t)t);
        R(i.b + (uint32_t)t).tag = T_NIL;
    }
    SET(i.a, v_obj(l));
    NEXT;
}
L_TUPLE: {
    Tuple *l = i.c ? sc_tuple(vm, i.c) : gc_ref(vm->empty_tuple);

    if (!l)
        RAISE;
    for (t = 0; t < i.c; t++) {
        l->v[t] = R(i.b + (uint32_t)t);
        R(i.b + (uint32_t)t).tag = T_NIL;
    }
    SET(i.a, v_obj(l));
    NEXT;
}
L_SET: {
    Dict *d = sc_set(vm);

    if (!d)
        RAISE;
    for (t = 0; t < i.c; t++) {
        if (!sc_dict_put(vm, d, R(i.b + (uint32_t)t), NONE)) {
            obj_drop(vm, d);
            RAISE;
        }
        SET(i.b + (uint32_t)t, NIL);
    }
    SET(i.a, v_obj(d));
    NEXT;
}
L_DICT: {
    Dict *d = sc_dict(vm);

    if (!d)
        RAISE;
    for (t = 0; t < i.c; t++) {
        uint32_t k = i.b + 2 * (uint32_t)t;

        if (!sc_dict_put(vm, d, R(k), R(k + 1))) {
            obj_drop(vm, d);
            RAISE;
        }
        SET(k, NIL);
        SET(k + 1, NIL);
    }
    SET(i.a, v_obj(d));
    NEXT;
}
L_APPEND: {
    List *l = (List *)R(i.a).o;

    if (l->n == l->cap && !sc_grow(vm, &l->v, &l->cap, l->n + 1, sizeof *l->v))
        RAISE;
    TAKE(i.b, v);
    l->v[l->n++] = v;
    NEXT;
}
L_SETADD:
    if (!sc_dict_put(vm, (Dict *)R(i.a).o, R(i.b), NONE))
        RAISE;
    SPENT(i.b, NOREG);
    NEXT;
L_DICTADD:
    if ((i.x && !vm_new_keyword(vm, (Dict *)R(i.a).o, R(i.b))) || !sc_dict_put(vm, (Dict *)R(i.a).o, R(i.b), R(i.c)))
        RAISE;
    SPENT(i.b, NOREG);
    SPENT(i.c, NOREG);
    NEXT;
L_EXTEND:
    if (!sc_list_extend(vm, (List *)R(i.a).o, R(i.b)))
        RAISE;
    SPENT(i.b, NOREG);
    NEXT;
L_SETUPDATE:
    if (!sc_set_add_all(vm, (Dict *)R(i.a).o, R(i.b)))
        RAISE;
    SPENT(i.b, NOREG);
    NEXT;
L_DICTUPDATE:
    if (i.x ? !vm_merge_keywords(vm, (Dict *)R(i.a).o, R(i.b))
            : !sc_dict_update(vm, (Dict *)R(i.a).o, R(i.b)))
        RAISE;
    SPENT(i.b, NOREG);
    NEXT;
L_TOTUPLE: {
    Tuple *l = sc_tuple_from(vm, R(i.b));

    if (!l)
        RAISE;
    SPENT(i.b, i.a);
    SET(i.a, v_obj(l));
    NEXT;
}
L_SLICE:
    v = sc_slice(vm, R(i.b), R(i.b + 1u), R(i.b + 2u));
    if (v.tag == T_NIL)
        RAISE;
    SPENT(i.b, NOREG);
    SPENT(i.b + 1u, NOREG);
    SPENT(i.b + 2u, NOREG);
    SET(i.a, v);
    NEXT;
L_FUNC:
    GIVE(vm_new_function(vm, fr, code->codes[i.b], &R(i.c)));
L_CLASS:
    fr->pc = pc;
    v = vm_make_class(vm, fr, code->codes[i.b], R(i.c), R(i.c + 1u));
    if (v.tag == T_NIL)
        RAISE;
    SPENT(i.c, i.a);
    SPENT(i.c + 1u, NOREG);
    SET(i.a, v);
    NEXT;
L_FMT:
    v = vm_format_value(vm, R(i.b), i.x, i.c == NOREG ? NIL : R(i.c));
    if (v.tag == T_NIL)
        RAISE;
    SPENT(i.b, i.a);
    if (i.c != NOREG)
        SPENT(i.c, i.a);
    SET(i.a, v);
    NEXT;
L_JOIN:
    v = vm_join_strings(vm, &R(i.b), i.c);
    if (v.tag == T_NIL)
        RAISE;
    for (t = 0; t < i.c; t++)
        SET(i.b + (uint32_t)t, NIL);
    SET(i.a, v);
    NEXT;
L_RAISE:
    if (i.x == 0) {
        if (vm->handled.tag != T_OBJ)
            sc_raise(vm, C_RuntimeError, "No active exception to reraise");
        else
            sc_set_exc(vm, vm->handled, NIL);
        RAISE;
    }
    sc_set_exc(vm, R(i.a), i.x == 2 ? R(i.b) : NIL);
    RAISE;
L_RERAISE:
    TAKE(i.a, v);
    sc_drop(vm, vm->exc);
    vm->exc = v;
    fr->pc = pc;
    goto find_handler;
L_EXCMATCH: {
    bool yes;

    if (!vm_match_exception(vm, R(i.a), R(i.b), &yes))
        RAISE;
    SPENT(i.b, NOREG);
    if (yes)
        pc++;
    else
        JUMP_WORD();
    NEXT;
}
L_HANDLED:
    sc_put(vm, &vm->handled, sc_ref(R(i.a)));
    NEXT;
L_GETHANDLED:
    SET(i.a, sc_ref(vm->handled));
    NEXT;
L_IMPORT: {
    Str *name = as_str(code->consts[i.b]);
    const char *dot = strchr(name->s, '.');

    fr->pc = pc;
    v = vm_import(vm, fr->module, name);
    if (v.tag == T_NIL)
        RAISE;
    if (dot && !i.x) { /* import a.b binds a */
        Str *top = sc_intern(vm, name->s, (size_t)(dot - name->s));

        sc_drop(vm, v);
        v = top ? sc_import(vm, top) : NIL;
        if (top)
            obj_drop(vm, top);
        if (v.tag == T_NIL)
            RAISE;
    }
    SET(i.a, v);
    NEXT;
}
L_IMPORTFROM:
    GIVE(vm_import_from(vm, R(i.b), as_str(code->consts[i.c])));
L_IMPORTSTAR:
    if (!vm_import_star(vm, fr, R(i.a)))
        RAISE;
    NEXT;
L_ENTER:
    fr->pc = pc;
    GIVE(vm_enter_manager(vm, R(i.b)));
L_EXIT:
    fr->pc = pc;
    GIVE(vm_exit_manager(vm, R(i.b), i.c == NOREG ? NIL : R(i.c)));
L_SUPER:
    if (!sc_is_class(R(i.b))) {
        sc_raise(vm, C_RuntimeError, "super(): no class");
        RAISE;
    }
    v = sc_super(vm, (Class *)R(i.b).o, R(i.c));
    goto spend_both;
L_ASSERT:
    sc_raise_value(vm, C_AssertionError, i.x ? R(i.a) : NIL);
    RAISE;
L_ANNOT:
    if (!vm_annotate(vm, fr, as_str(code->consts[i.b]), R(i.a)))
        RAISE;
    SPENT(i.a, NOREG);
    NEXT;

raised:
    fr->pc = pc;
raised_here:
    if (vm->exc.tag != T_OBJ) /* a native that gave nothing and did not say why */
        sc_raise(vm, C_RuntimeError, "a function of the library failed without a reason");
    if (vm->exc.tag == T_OBJ)
        sc_trace_add(vm, (Exc *)vm->exc.o, fr);
find_handler:
    for (;;) {
        uint32_t at = (uint32_t)(fr->pc - code->ins) - 1, k;
        VmFrame *back;
        uint8_t enter;

        for (k = 0; k < code->nhandlers; k++)
            if (at >= code->handlers[k].from && at < code->handlers[k].to)
                break;
        if (k < code->nhandlers) {
            for (uint32_t q = nlocals; q < code->nregs; q++)
                if (r[q].tag != T_NIL)
                    SET(q, NIL);
            SET(code->handlers[k].reg, sc_take_exc(vm));
            pc = code->ins + code->handlers[k].pc;
            NEXT;
        }
        back = fr->back;
        enter = fr->enter;
        vm->depth--;
        if (fr->gen) {
            fr->gen->frame = NULL;
            fr->gen->running = false;
            if (sc_exc_is(vm, C_StopIteration))
                vm_raise_from(vm, C_RuntimeError, "generator raised StopIteration");
        }
        sc_frame_free(vm, fr);
        if (enter == FRAME_C) {
            vm->frame = caller;
            return NIL;
        }
        fr = back;
        LOAD_FRAME();
        if (vm->exc.tag == T_OBJ)
            sc_trace_add(vm, (Exc *)vm->exc.o, fr);
    }
}
