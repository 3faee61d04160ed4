/* dunder.c -- operators and protocols of script classes by their special methods.
 *
 * The machine knows no __add__ or __len__: what a value can do is a table of C functions in its class (Class.d), which built-in
 * classes fill by hand and a subclass takes over from its base. A class of a script that defines special methods gets the
 * functions below in their place (dunder_slots, once the body of the class has run, and again when a method is assigned
 * later): each looks the method up by name, calls it, and holds what it gave against what the protocol allows. So a class
 * without special methods costs nothing, one derived from list stays as fast as list where it adds nothing, and built-in
 * classes are never asked for names.
 *
 * The answers: NIL with an exception pending is an error; NIL without one, from dunder_call, is that there is no such
 * method; NOTIMPL lets the other operand try (sc_binary, sc_compare).
 */
#include "dunder.h"

#include <stdio.h>

const char *const dunder_binary_names[OP2_COUNT] = {
    "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "lshift", "rshift",
    "and", "or", "xor", "matmul"};

Value dunder_call(Vm *vm, Value self, KnownStr name, const Value *args, int n)
{
    Value *fn = sc_class_find(sc_class_of(vm, self), vm->known[name]), v[4], f, r;

    if (!fn || (fn->tag == T_NONE && name == S_hash))
        return NIL;
    if (fn->tag == T_NONE && (name == S_iter || name == S_contains))
        return sc_raise(vm, C_TypeError, "'%s' object is not %s", sc_type_name(vm, self), name == S_iter ? "iterable" : "a container");
    sc_ref(self); /* it may be borrowed from what the method changes */
    if (sc_is_exact(vm, *fn, C_function)) {
        v[0] = self;
        for (int i = 0; i < n; i++)
            v[i + 1] = args[i];
        r = sc_call(vm, *fn, v, n + 1);
    } else {
        f = sc_bind(vm, *fn, self, sc_class_of(vm, self));
        r = f.tag == T_NIL ? NIL : sc_call(vm, f, args, n);
        sc_drop(vm, f);
    }
    sc_drop(vm, self);
    return r;
}

static Value need_str(Vm *vm, Value r, const char *name)
{
    if (r.tag != T_NIL && !is_str(r)) {
        sc_drop(vm, r);
        return sc_raise(vm, C_TypeError, "%s returned non-string", name);
    }
    return r;
}

static Value d_repr(Vm *vm, Value self)
{
    return need_str(vm, dunder_call(vm, self, S_repr, NULL, 0), "__repr__");
}

static Value d_str(Vm *vm, Value self)
{
    return need_str(vm, dunder_call(vm, self, S_str, NULL, 0), "__str__");
}

static bool d_hash(Vm *vm, Value self, uint64_t *out)
{
    Value r = dunder_call(vm, self, S_hash, NULL, 0);
    bool ok;

    if (r.tag == T_NIL)
        return sc_failed(vm) ? false
                             : sc_fail(vm, C_TypeError, "unhashable type: '%s'",
                                       sc_type_name(vm, self));
    if (!sc_is_instance(vm, r, vm->cls[C_int])) {
        sc_drop(vm, r);
        return sc_fail(vm, C_TypeError, "__hash__ method should return an integer");
    }
    ok = sc_hash(vm, r, out);
    sc_drop(vm, r);
    return ok;
}

static bool d_unhashable(Vm *vm, Value self, uint64_t *out)
{
    *out = 0;
    return sc_fail(vm, C_TypeError, "unhashable type: '%s'", sc_type_name(vm, self));
}

static const KnownStr compare_names[] = {S_lt, S_le, S_eq, S_ne, S_gt, S_ge};

Class *dunder_native_base(Class *c)
{
    while (c && c->script)
        c = c->base;
    return c;
}

/* Is there such a method, not only that of object? */
static bool overrides(Vm *vm, Class *c, KnownStr name)
{
    Value *fn = sc_class_find(c, vm->known[name]);

    return fn && !dunder_is_object(vm, *fn);
}

static Value d_compare(Vm *vm, CmpOp op, Value a, Value b)
{
    Class *c = sc_class_of(vm, a), *base = dunder_native_base(c);
    Value r;

    if (base && base->d.compare && !overrides(vm, c, compare_names[op]))
        return base->d.compare(vm, op, a, b);
    r = dunder_call(vm, a, compare_names[op], &b, 1);

    if (r.tag == T_NIL && !sc_failed(vm) && op == CMP_NE) {
        r = dunder_call(vm, a, S_eq, &b, 1);
        if (r.tag != T_NIL && r.tag != T_NOTIMPL) {
            int t = sc_truth(vm, r);

            sc_drop(vm, r);
            return t < 0 ? NIL : v_bool(!t);
        }
    }
    return r.tag == T_NIL && !sc_failed(vm) ? NOTIMPL : r;
}

/* Does the built-in class itself change in place by the operator? Then that comes before an __add__ of a class derived from it. */
static bool changes_in_place(Vm *vm, const Class *c, BinOp op)
{
    if (c == vm->cls[C_list] || c == vm->cls[C_bytearray])
        return op == OP2_ADD;
    if (c == vm->cls[C_set])
        return op == OP2_OR || op == OP2_AND || op == OP2_SUB || op == OP2_XOR;
    return c == vm->cls[C_dict] && op == OP2_OR;
}

/* The method that fits: __iadd__ where wanted, __add__ or __radd__. */
static Value d_binary(Vm *vm, BinOp op, Value a, Value b, bool reflected, bool inplace)
{
    char name[24];
    Value self = reflected ? b : a, other = reflected ? a : b, *fn = NULL, args[2], r;
    int pass;

    for (pass = inplace && !reflected ? 0 : 1; pass < 2; pass++) {
        Str *s;

        snprintf(name, sizeof name, "__%s%s__", reflected ? "r" : pass == 0 ? "i" : "",
                 dunder_binary_names[op]);
        s = sc_intern(vm, name, strlen(name));
        if (!s)
            return NIL;
        fn = sc_class_find(sc_class_of(vm, self), s);
        obj_drop(vm, s);
        if (!fn && pass == 0) {
            Class *c = dunder_native_base(sc_class_of(vm, self));

            r = c && changes_in_place(vm, c, op) ? c->d.binary(vm, op, a, b, false, true) : NOTIMPL;
            if (r.tag != T_NOTIMPL)
                return r;
        }
        if (!fn)
            continue;
        args[0] = self;
        args[1] = other;
        r = sc_call(vm, *fn, args, 2);
        if (r.tag != T_NOTIMPL)
            return r;
    }
    if (!fn) { /* the base's own operator, if the method is another one */
        Class *c = dunder_native_base(sc_class_of(vm, self));

        if (c && c->d.binary)
            return c->d.binary(vm, op, a, b, reflected, inplace);
    }
    return NOTIMPL;
}

static Value d_unary(Vm *vm, UnOp op, Value a)
{
    static const KnownStr names[] = {S_neg, S_pos, S_invert};

    return dunder_call(vm, a, names[op], NULL, 0);
}

static Value d_call(Vm *vm, Value self, const Args *a)
{
    Value *fn = sc_class_find(sc_class_of(vm, self), vm->known[S_call]), m, r;

    if (!fn)
        return sc_raise(vm, C_TypeError, "'%s' object is not callable", sc_type_name(vm, self));
    m = sc_bind(vm, *fn, self, sc_class_of(vm, self));
    if (m.tag == T_NIL)
        return NIL;
    r = sc_call_args(vm, m, a);
    sc_drop(vm, m);
    return r;
}

static Value d_getattr(Vm *vm, Value self, Str *name)
{
    const Value *fn = sc_class_find(sc_class_of(vm, self), vm->known[S_getattr]);
    Value n = v_obj(name), r;

    if (fn && sc_is_exact(vm, *fn, C_function) && (r = sc_relayed_attr(vm, (Function *)fn->o, self, name)).tag != T_NIL)
        return r;
    if (!sc_enter(vm))
        return NIL;
    r = dunder_call(vm, self, S_getattr, &n, 1);
    sc_leave(vm);
    return r;
}

static bool d_setattr(Vm *vm, Value self, Str *name, Value x)
{
    Value args[2] = {v_obj(name), x}, r;
    KnownStr k = x.tag == T_NIL ? S_delattr : S_setattr;

    if (!sc_enter(vm))
        return false;
    r = dunder_call(vm, self, k, args, x.tag == T_NIL ? 1 : 2);
    sc_leave(vm);
    if (r.tag == T_NIL && !sc_failed(vm))
        return dunder_plain_setattr(vm, self, name, x);
    sc_drop(vm, r);
    return r.tag != T_NIL;
}

static Value native_base_getitem(Vm *vm, Value self, Value key)
{
    Class *c = dunder_native_base(sc_class_of(vm, self));

    if (c && c->d.getitem)
        return c->d.getitem(vm, self, key);
    return sc_raise(vm, C_TypeError, "'%s' object is not subscriptable",
                    sc_type_name(vm, self));
}

static Value d_getitem(Vm *vm, Value self, Value key)
{
    Value r = dunder_call(vm, self, S_getitem, &key, 1);

    return r.tag == T_NIL && !sc_failed(vm) ? native_base_getitem(vm, self, key) : r;
}

static bool d_setitem(Vm *vm, Value self, Value key, Value x)
{
    Value args[2] = {key, x};
    Value r = x.tag == T_NIL ? dunder_call(vm, self, S_delitem, args, 1)
                             : dunder_call(vm, self, S_setitem, args, 2);
    Class *c = sc_class_of(vm, self);

    if (r.tag == T_NIL && !sc_failed(vm)) {
        c = dunder_native_base(c);
        if (c && c->d.setitem)
            return c->d.setitem(vm, self, key, x);
        return sc_fail(vm, C_TypeError, "'%s' object does not support item %s",
                       sc_type_name(vm, self), x.tag == T_NIL ? "deletion" : "assignment");
    }
    sc_drop(vm, r);
    return r.tag != T_NIL;
}

static bool d_len(Vm *vm, Value self, int64_t *out)
{
    Value r = dunder_call(vm, self, S_len, NULL, 0);
    bool ok;

    if (r.tag == T_NIL)
        return false;
    ok = sc_to_int(vm, r, out);
    sc_drop(vm, r);
    if (ok && *out < 0)
        return sc_fail(vm, C_ValueError, "__len__() should return >= 0");
    return ok;
}

static int d_truth(Vm *vm, Value self)
{
    Value r = dunder_call(vm, self, S_bool, NULL, 0);
    int64_t n;

    if (r.tag == T_BOOL)
        return r.i != 0;
    if (r.tag != T_NIL) {
        sc_drop(vm, r);
        sc_raise(vm, C_TypeError, "__bool__ should return bool");
        return -1;
    }
    if (sc_failed(vm))
        return -1;
    return d_len(vm, self, &n) ? n != 0 : -1;
}

static int d_contains(Vm *vm, Value self, Value v)
{
    Value r = dunder_call(vm, self, S_contains, &v, 1);
    int t;

    if (r.tag == T_NIL)
        return -1;
    t = sc_truth(vm, r);
    sc_drop(vm, r);
    return t;
}

static Value d_iter(Vm *vm, Value self) { return dunder_call(vm, self, S_iter, NULL, 0); }

static Value d_next(Vm *vm, Value self)
{
    Value r = dunder_call(vm, self, S_next, NULL, 0);

    if (r.tag == T_NIL && sc_exc_is(vm, C_StopIteration))
        sc_clear_exc(vm);
    return r;
}

static bool defines(Vm *vm, Class *c, KnownStr k)
{
    return sc_dict_find_str(c->attrs, vm->known[k]) != NULL;
}

static Value *method_of(Vm *vm, Class *c, const char *form, BinOp op)
{
    char name[24];
    Str *s;
    Value *at;

    snprintf(name, sizeof name, form, dunder_binary_names[op]);
    s = sc_intern(vm, name, strlen(name));
    at = s ? sc_class_find(c, s) : NULL;
    if (s)
        obj_drop(vm, s);
    return at;
}

/* An operator that changes its left side is asked before all others. */
bool dunder_reflects_first(Vm *vm, BinOp op, Class *ca, Class *cb, bool inplace)
{
    Value *x, *y;

    if (inplace && method_of(vm, ca, "__i%s__", op))
        return false;
    if (!ca->script)
        return true;
    x = method_of(vm, ca, "__r%s__", op);
    y = method_of(vm, cb, "__r%s__", op);
    return y && !(x && sc_same(*x, *y));
}

void dunder_slots(Vm *vm, Class *c)
{
    DictEntry *e;

    if (!c->attrs->live)
        return;
    if (defines(vm, c, S_repr))
        c->d.repr = d_repr;
    if (defines(vm, c, S_str))
        c->d.str = d_str;
    if (defines(vm, c, S_call))
        c->d.call = d_call;
    if (defines(vm, c, S_getattr))
        c->d.getattr = d_getattr;
    if (defines(vm, c, S_setattr) || defines(vm, c, S_delattr))
        c->d.setattr = d_setattr;
    if (defines(vm, c, S_getitem))
        c->d.getitem = d_getitem;
    if (defines(vm, c, S_setitem) || defines(vm, c, S_delitem))
        c->d.setitem = d_setitem;
    if (defines(vm, c, S_len))
        c->d.len = d_len;
    if (defines(vm, c, S_bool) || defines(vm, c, S_len))
        c->d.truth = d_truth;
    if (defines(vm, c, S_contains))
        c->d.contains = d_contains;
    if (defines(vm, c, S_iter))
        c->d.iter = d_iter;
    if (defines(vm, c, S_next))
        c->d.next = d_next;
    if (defines(vm, c, S_neg) || defines(vm, c, S_pos) || defines(vm, c, S_invert))
        c->d.unary = d_unary;
    if (defines(vm, c, S_hash))
        c->d.hash = sc_dict_find_str(c->attrs, vm->known[S_hash])->tag == T_NONE ? d_unhashable
                                                                                : d_hash;
    else if (defines(vm, c, S_eq) && !c->d.hash)
        c->d.hash = d_unhashable;
    if (defines(vm, c, S_eq) || defines(vm, c, S_ne) || defines(vm, c, S_lt) ||
        defines(vm, c, S_le) || defines(vm, c, S_gt) || defines(vm, c, S_ge))
        c->d.compare = d_compare;
    c->has_del |= defines(vm, c, S_del);
    for (uint32_t i = 0; dict_next(c->attrs, &i, &e);) {
        const char *s = is_str(e->key) ? as_str(e->key)->s : "";
        size_t n = *s ? as_str(e->key)->n : 0;

        if (n < 6 || s[0] != '_' || s[1] != '_')
            continue;
        for (int k = 0; k < OP2_COUNT; k++) {
            size_t m = strlen(dunder_binary_names[k]);

            if ((n == m + 4 && memcmp(s + 2, dunder_binary_names[k], m) == 0) ||
                (n == m + 5 && (s[2] == 'r' || s[2] == 'i') &&
                 memcmp(s + 3, dunder_binary_names[k], m) == 0))
                c->d.binary = d_binary;
        }
    }
}
