/* match.c -- what patterns of match statements take apart: the parts in a list, or None. */
#include "script.h"
#include "ast.h"

static Value give(Vm *vm, List *l, bool ok)
{
    if (ok && l)
        return v_obj(l);
    if (l)
        obj_drop(vm, l);
    return sc_failed(vm) ? NIL : NONE;
}

/* Has the class, or one it derives from, this name as a flag of what it is? */
static bool is_kind(Vm *vm, Value v, const char *abc)
{
    Str *s = sc_intern(vm, "collections.abc", 15);
    Value *m = s ? sc_dict_find_str(vm->modules, s) : NULL, c;
    int r = 0;

    if (s)
        obj_drop(vm, s);
    if (!m)
        return false; /* nobody has made such a class */
    c = sc_getattr_s(vm, *m, abc);
    if (c.tag != T_NIL)
        r = sc_isinstance_of(vm, v, c);
    sc_drop(vm, c);
    return r > 0;
}

/* __match_sequence__(v, n, star): n parts, of which the one at star (or none: -1) is a list of the rest */
static Value m_sequence(Vm *vm, const Args *a)
{
    Value v = a->v[0], x;
    int64_t n = a->v[1].i, star = a->v[2].i, have, i;
    List *l, *rest;
    bool ok = true;

    if (is_str(v) || sc_is(vm, v, C_bytes) || sc_is(vm, v, C_bytearray) ||
        !(sc_is(vm, v, C_list) || sc_is(vm, v, C_tuple) || sc_is(vm, v, C_range) || is_kind(vm, v, "Sequence")))
        return sc_failed(vm) ? NIL : NONE;
    if (!sc_len(vm, v, &have))
        return NIL;
    if (star < 0 ? have != n : have < n - 1)
        return NONE;
    l = sc_list(vm, 0);
    for (i = 0; l && ok && i < have;) {
        if (i != star) {
            x = sc_getitem(vm, v, v_int(i++));
        } else {
            rest = sc_list(vm, 0);
            for (int64_t end = have - (n - star - 1); rest && ok && i < end; i++) {
                x = sc_getitem(vm, v, v_int(i));
                ok = x.tag != T_NIL && sc_list_push(vm, rest, x);
                sc_drop(vm, x);
            }
            x = v_obj(rest);
            star = -1;
            if (ok && rest && !sc_list_push(vm, l, x))
                ok = false;
            sc_drop(vm, x);
            continue;
        }
        ok = x.tag != T_NIL && sc_list_push(vm, l, x);
        sc_drop(vm, x);
    }
    if (ok && l && star >= 0 && l->n == n - 1) { /* the rest is empty, at the end */
        x = v_obj(sc_list(vm, 0));
        ok = x.tag != T_NIL && sc_list_push(vm, l, x);
        sc_drop(vm, x);
    }
    return give(vm, l, ok);
}

/* __match_mapping__(v, keys): their values, then a dict of all others */
static Value m_mapping(Vm *vm, const Args *a)
{
    Value v = a->v[0], rest, x;
    Tuple *keys = (Tuple *)a->v[1].o;
    List *l;
    bool ok = true;
    int has;

    if (!sc_is(vm, v, C_dict) && !is_kind(vm, v, "Mapping"))
        return sc_failed(vm) ? NIL : NONE;
    l = sc_list(vm, 0);
    rest = l ? sc_call(vm, v_obj(vm->cls[C_dict]), &v, 1) : NIL;
    for (int64_t i = 0; rest.tag != T_NIL && ok && i < keys->n; i++) {
        has = sc_contains(vm, v, keys->v[i]);
        x = has > 0 ? sc_getitem(vm, v, keys->v[i]) : NIL;
        ok = x.tag != T_NIL && sc_list_push(vm, l, x) && sc_dict_remove(vm, (Dict *)rest.o, keys->v[i]) >= 0;
        sc_drop(vm, x);
    }
    ok = ok && rest.tag != T_NIL && sc_list_push(vm, l, rest);
    sc_drop(vm, rest);
    return give(vm, l, ok);
}

static bool is_plain_value(Vm *vm, Class *c)
{
    static const KnownClass plain[] = {C_bool, C_bytearray, C_bytes, C_dict, C_float, C_frozenset, C_int,
                                       C_list, C_set, C_str, C_tuple};

    for (int i = 0; i < COUNT(plain); i++)
        if (sc_is_subclass(c, vm->cls[plain[i]]))
            return true;
    return false;
}

/* The names that positional patterns stand for */
static Value match_args(Vm *vm, Value cls, int64_t n)
{
    Value names = sc_getattr_s(vm, cls, "__match_args__");

    if (names.tag == T_NIL && sc_exc_is(vm, C_AttributeError)) {
        sc_clear_exc(vm);
        names = v_obj(gc_ref(vm->empty_tuple));
    }
    if (names.tag != T_NIL && (!sc_is(vm, names, C_tuple) || ((Tuple *)names.o)->n < n)) {
        sc_raise(vm, C_TypeError, "%s() accepts %lld positional sub-patterns (%lld given)", ((Class *)cls.o)->name->s,
                 sc_is(vm, names, C_tuple) ? (long long)((Tuple *)names.o)->n : 0LL, (long long)n);
        sc_drop(vm, names);
        return NIL;
    }
    return names;
}

/* __match_class__(v, class, positional, names): the attributes that stand for them */
static Value m_class(Vm *vm, const Args *a)
{
    Value v = a->v[0], cls = a->v[1], names = NIL, x;
    int64_t n = a->v[2].i, i = 0;
    Tuple *keys = (Tuple *)a->v[3].o;
    List *l;
    bool ok;
    int is;

    if (!sc_is_class(cls))
        return sc_raise(vm, C_TypeError, "called match pattern must be a class");
    is = sc_isinstance_of(vm, v, cls);
    if (is <= 0)
        return is < 0 ? NIL : NONE;
    l = sc_list(vm, 0);
    ok = l != NULL;
    if (ok && n == 1 && is_plain_value(vm, (Class *)cls.o)) {
        ok = sc_list_push(vm, l, v);
        i = n;
    } else if (ok && n) {
        names = match_args(vm, cls, n);
        ok = names.tag != T_NIL;
    }
    for (int64_t k = i; ok && k < n + keys->n; k++) {
        Value name = k < n ? ((Tuple *)names.o)->v[k] : keys->v[k - n];

        x = is_str(name) ? sc_getattr_opt(vm, v, sc_intern_str(vm, as_str(name))) : NIL;
        if (x.tag == T_NIL && sc_exc_is(vm, C_AttributeError))
            sc_clear_exc(vm);
        ok = x.tag != T_NIL && sc_list_push(vm, l, x);
        sc_drop(vm, x);
    }
    sc_drop(vm, names);
    return give(vm, l, ok);
}

bool sc_open_match(Vm *vm)
{
    static const NativeDef defs[] = {{"__match_sequence__", m_sequence, "v,n,star"},
                                     {"__match_mapping__", m_mapping, "v,keys"},
                                     {"__match_class__", m_class, "v,cls,n,names"},
                                     {0}};

    return sc_add_builtins(vm, defs);
}
