/* iter.c -- iterators: over sequences, and those of zip, map, enumerate and so on.
 *
 * An iterator's `next` gives the next value, or NIL: without an exception that is the end, with one an error. No
 * StopIteration is made on the way: loops of the machine and the functions here ask each other by `next` alone, and only
 * where a script calls next() or __next__ itself does the end become that exception (m_next); of an iterator that a script
 * wrote, d_next (dunder.c) turns it back.
 *
 * All share one struct, whose fields mean by class: a what is walked (NIL once the end was reached, so that a list that grows
 * later is not walked again), b a function or a tuple of iterators, i the place, stop and step the numbers of a range.
 */
#include "script.h"
#include "dunder.h"

Iter *sc_iter_new(Vm *vm, KnownClass k, Value a)
{
    Iter *it = sc_gc_new(vm, vm->cls[k], sizeof *it);

    if (it)
        it->a = sc_ref(a);
    return it;
}

Value sc_iter_calls(Vm *vm, Iter *it, Value b)
{
    if (it) {
        it->b = sc_ref(b);
        it->h.h.flags |= UNLIKELY(vm->has_confined) && sc_is_left_by_file(vm) ? OBJ_CONFINED : 0;
    }
    return v_obj(it);
}

/* The function of map, filter or iter(f, end) is called, as who made the iterator may. */
static Value call_of(Vm *vm, const Iter *it, Value f, Value *v, int n)
{
    int by = it->h.h.flags & OBJ_CONFINED ? 1 : 0;
    Value r;

    vm->confined += by;
    r = sc_call(vm, f, v, n);
    vm->confined -= by;
    return r;
}

static void iter_destroy(Vm *vm, Obj *o)
{
    sc_put(vm, &((Iter *)o)->a, NIL);
    sc_put(vm, &((Iter *)o)->b, NIL);
}

static void iter_visit(Obj *o, VisitFn fn, void *user)
{
    fn(((Iter *)o)->a, user);
    fn(((Iter *)o)->b, user);
}

static Value list_next(Vm *vm, Value self)
{
    Iter *it = (Iter *)self.o;
    List *l = (List *)it->a.o;

    if (it->a.tag == T_NIL)
        return NIL;
    if (it->i < l->n)
        return sc_ref(l->v[it->i++]);
    sc_put(vm, &it->a, NIL);
    return NIL;
}

static Value range_next(Vm *vm, Value self)
{
    Iter *it = (Iter *)self.o;
    int64_t v = it->i;

    (void)vm;
    if (it->stop <= 0)
        return NIL;
    it->stop--;
    it->i = (int64_t)((uint64_t)v + (uint64_t)it->step);
    return v_int(v);
}

static Value str_next(Vm *vm, Value self)
{
    Iter *it = (Iter *)self.o;
    Str *s = (Str *)it->a.o;
    int len;

    if (it->a.tag == T_NIL || it->i >= s->n)
        return NIL;
    sc_utf8_read(s->s + it->i, &len);
    it->i += len;
    return v_obj(sc_str_n(vm, s->s + it->i - len, (size_t)len));
}

/* By index until IndexError: tuples, and classes with __getitem__ only. */
static Value seq_next(Vm *vm, Value self)
{
    Iter *it = (Iter *)self.o;
    Value v;

    if (it->a.tag == T_NIL)
        return NIL;
    if (it->a.o->cls->is_tuple) {
        Tuple *t = (Tuple *)it->a.o;

        if (it->i < t->n)
            return sc_ref(t->v[it->i++]);
        return NIL;
    }
    v = sc_getitem(vm, it->a, v_int(it->i++));
    if (v.tag == T_NIL && (sc_exc_is(vm, C_IndexError) || sc_exc_is(vm, C_StopIteration))) {
        sc_clear_exc(vm);
        sc_put(vm, &it->a, NIL);
    }
    return v;
}

static Value reversed_next(Vm *vm, Value self)
{
    Iter *it = (Iter *)self.o;

    Value v;

    if (it->i <= 0)
        return NIL;
    v = sc_getitem(vm, it->a, v_int(--it->i));
    if (v.tag == T_NIL && sc_exc_is(vm, C_IndexError)) { /* it shrank */
        sc_clear_exc(vm);
        it->i = 0;
    }
    return v;
}

static Value reversed_make(Vm *vm, Class *cls, const Args *a)
{
    Value r = a->v[0].tag == T_OBJ ? dunder_call(vm, a->v[0], S_reversed, NULL, 0) : NIL;
    Iter *it;
    int64_t n;

    (void)cls;
    if (r.tag != T_NIL || sc_failed(vm))
        return r;
    if (sc_is(vm, a->v[0], C_dict) || sc_is(vm, a->v[0], C_dict_keys) ||
        sc_is(vm, a->v[0], C_dict_items) || sc_is(vm, a->v[0], C_dict_values)) {
        List *l = sc_list(vm, 0);

        if (!l || !sc_list_extend(vm, l, a->v[0])) {
            if (l)
                obj_drop(vm, l);
            return NIL;
        }
        it = sc_iter_new(vm, C_reversed, v_obj(l));
        if (it)
            it->i = l->n;
        obj_drop(vm, l);
        return v_obj(it);
    }
    if (!sc_class_of(vm, a->v[0])->d.getitem || !sc_class_of(vm, a->v[0])->d.len ||
        sc_is(vm, a->v[0], C_set))
        return sc_raise(vm, C_TypeError, "'%s' object is not reversible",
                        sc_type_name(vm, a->v[0]));
    if (!sc_len(vm, a->v[0], &n))
        return NIL;
    it = sc_iter_new(vm, C_reversed, a->v[0]);
    if (it)
        it->i = n;
    return v_obj(it);
}

/* The next of an iterator that another one walks: such chains may be long. */
static Value next_of(Vm *vm, Value it)
{
    Value r;

    if (!sc_enter(vm))
        return NIL;
    r = sc_next(vm, it);
    sc_leave(vm);
    return r;
}

static Value enumerate_next(Vm *vm, Value self)
{
    Iter *it = (Iter *)self.o;
    Tuple *t;
    Value v = next_of(vm, it->a);

    if (v.tag == T_NIL)
        return NIL;
    t = sc_tuple(vm, 2);
    if (!t) {
        sc_drop(vm, v);
        return NIL;
    }
    t->v[0] = v_int(it->i++);
    t->v[1] = v;
    return v_obj(t);
}

static Value enumerate_make(Vm *vm, Class *cls, const Args *a)
{
    Value it = sc_iter(vm, a->v[0]);
    Iter *e;

    (void)cls;
    if (it.tag == T_NIL)
        return NIL;
    e = sc_iter_new(vm, C_enumerate, it);
    sc_drop(vm, it);
    if (e && a->v[1].tag != T_NIL && !sc_to_int(vm, a->v[1], &e->i)) {
        obj_drop(vm, e);
        return NIL;
    }
    return v_obj(e);
}

/* A tuple of iterators of n values. */
static Tuple *iters_of(Vm *vm, const Value *v, int n)
{
    Tuple *t = sc_tuple(vm, n);

    for (int i = 0; t && i < n; i++) {
        t->v[i] = sc_iter(vm, v[i]);
        if (t->v[i].tag == T_NIL) {
            obj_drop(vm, t);
            return NULL;
        }
    }
    return t;
}

static Value zip_next(Vm *vm, Value self)
{
    Iter *it = (Iter *)self.o;
    Tuple *from = (Tuple *)it->a.o, *t;

    if (from->n == 0)
        return NIL;
    t = sc_tuple(vm, from->n);
    for (int64_t i = 0; t && i < from->n; i++) {
        t->v[i] = next_of(vm, from->v[i]);
        if (t->v[i].tag != T_NIL)
            continue;
        if (it->stop && !sc_failed(vm)) { /* strict */
            bool uneven = i > 0;
            Value x = NIL;
            int64_t k;

            for (k = i + 1; k < from->n && !uneven && !sc_failed(vm); k++) {
                x = next_of(vm, from->v[k]);
                uneven = x.tag != T_NIL;
                sc_drop(vm, x);
            }
            if (uneven)
                sc_raise(vm, C_ValueError, "zip() argument %lld is %s than argument%s",
                         (long long)(i > 0 ? i + 1 : k), i > 0 ? "shorter" : "longer",
                         (i > 0 ? i : k - 1) == 1 ? " 1" : "s 1-n");
        }
        obj_drop(vm, t);
        return NIL;
    }
    return v_obj(t);
}

static Value zip_make(Vm *vm, Class *cls, const Args *a)
{
    Tuple *t = iters_of(vm, a->v, a->n);
    Iter *it = t ? sc_iter_new(vm, C_zip, v_obj(t)) : NULL;

    (void)cls;
    if (t)
        obj_drop(vm, t);
    if (it && a->nkw)
        it->stop = sc_truth(vm, a->v[a->n]) == 1;
    return v_obj(it);
}

static Value map_next(Vm *vm, Value self)
{
    Iter *it = (Iter *)self.o;
    Tuple *from = (Tuple *)it->a.o;
    Value v[8], r = NIL;
    int64_t i, n = from->n;

    for (i = 0; i < n; i++) {
        v[i] = next_of(vm, from->v[i]);
        if (v[i].tag == T_NIL)
            break;
    }
    if (i == n)
        r = call_of(vm, it, it->b, v, (int)n);
    while (i > 0)
        sc_drop(vm, v[--i]);
    return r;
}

static Value map_make(Vm *vm, Class *cls, const Args *a)
{
    Tuple *t;
    Iter *it;

    (void)cls;
    if (a->n < 2 || a->n > 9)
        return sc_raise(vm, C_TypeError, "map() must have from 2 to 9 arguments.");
    t = iters_of(vm, a->v + 1, a->n - 1);
    it = t ? sc_iter_new(vm, C_map, v_obj(t)) : NULL;
    if (t)
        obj_drop(vm, t);
    return sc_iter_calls(vm, it, a->v[0]);
}

static Value filter_next(Vm *vm, Value self)
{
    Iter *it = (Iter *)self.o;
    Value v, r;
    int t;

    while ((v = next_of(vm, it->a)).tag != T_NIL) {
        r = it->b.tag == T_NONE ? sc_ref(v) : call_of(vm, it, it->b, &v, 1);
        t = r.tag == T_NIL ? -1 : sc_truth(vm, r);
        sc_drop(vm, r);
        if (t == 1)
            return v;
        sc_drop(vm, v);
        if (t < 0)
            return NIL;
    }
    return NIL;
}

static Value filter_make(Vm *vm, Class *cls, const Args *a)
{
    Value i = sc_iter(vm, a->v[1]);
    Iter *it = i.tag == T_NIL ? NULL : sc_iter_new(vm, C_filter, i);

    (void)cls;
    sc_drop(vm, i);
    return sc_iter_calls(vm, it, a->v[0]);
}

/* iter(f, sentinel) */
static Value call_next(Vm *vm, Value self)
{
    Iter *it = (Iter *)self.o;
    Value v;
    int e;

    if (it->i)
        return NIL;
    v = call_of(vm, it, it->a, NULL, 0);
    if (v.tag == T_NIL)
        return NIL;
    e = sc_equal(vm, v, it->b);
    if (e == 0)
        return v;
    sc_drop(vm, v);
    it->i = 1;
    return NIL;
}

static Value m_next(Vm *vm, const Args *a)
{
    Value v = sc_next(vm, a->v[0]);

    return v.tag == T_NIL && !sc_failed(vm) ? sc_raise_value(vm, C_StopIteration, NIL) : v;
}

static Value m_iter(Vm *vm, const Args *a)
{
    (void)vm;
    return sc_ref(a->v[0]);
}

static const NativeDef methods[] = {{"__next__", m_next, "self"}, {"__iter__", m_iter, "self"}, {0}};

#define ITER(id, text, fn, mk, params)                                                   \
    const ClassDef sc_##id##_def = {                                                     \
        .name = text, .size = sizeof(Iter), .sealed = true, .destroy = iter_destroy,     \
        .visit = iter_visit, .next = fn, .make = mk, .make_params = params,              \
        .methods = methods,                                                              \
    }
ITER(list_iter, "list_iterator", list_next, NULL, NULL);
ITER(range_iter, "range_iterator", range_next, NULL, NULL);
ITER(str_iter, "str_iterator", str_next, NULL, NULL);
ITER(tuple_iter, "tuple_iterator", seq_next, NULL, NULL);
ITER(seq_iter, "iterator", seq_next, NULL, NULL);
ITER(enumerate, "enumerate", enumerate_next, enumerate_make, "iterable|start");
ITER(zip, "zip", zip_next, zip_make, "*");
ITER(map, "map", map_next, map_make, "*");
ITER(filter, "filter", filter_next, filter_make, "function,iterable");
ITER(reversed, "reversed", reversed_next, reversed_make, "sequence");
ITER(call_iter, "callable_iterator", call_next, NULL, NULL);
