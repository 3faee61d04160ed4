/* builtins.c -- the functions that need no import. */
#include "ast.h"
#include "dunder.h"
#include "long.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

__extension__ typedef unsigned __int128 Wide;

static Value *attr_of(Vm *vm, Dict *d, const char *name)
{
    Str *s = sc_intern(vm, name, strlen(name));
    Value *v = s ? sc_dict_find_str(d, s) : NULL;

    if (s)
        obj_drop(vm, s);
    return v;
}

Value sc_other_stdout(Vm *vm)
{
    Value *m = attr_of(vm, vm->modules, "sys"), *v;

    if (!m || !sc_is(vm, *m, C_module))
        return NIL;
    v = attr_of(vm, ((ScModule *)(void *)m->o)->attrs, "stdout");
    if (!v || v->tag == T_NONE ||
        (v->tag == T_OBJ && !v->o->cls->script && !strcmp(v->o->cls->name->s, "TextIOWrapper") && !sc_native(*v)))
        return NIL;
    return sc_ref(*v);
}

static Value b_print(Vm *vm, const Args *a)
{
    const char *sep = " ", *end = "\n";
    size_t nsep = 1, nend = 1;
    Value file = NIL;
    Buf b = {.vm = vm};
    bool flush = false;

    for (int i = 0; i < a->nkw; i++) {
        const char *name = as_str(a->names[i])->s;
        Value v = a->v[a->n + i];

        if (strcmp(name, "sep") == 0 || strcmp(name, "end") == 0) {
            if (v.tag == T_NONE)
                continue;
            if (!is_str(v))
                return sc_raise(vm, C_TypeError, "%s must be None or a string, not %s", name,
                                sc_type_name(vm, v));
            if (name[0] == 's')
                sep = as_str(v)->s, nsep = as_str(v)->n;
            else
                end = as_str(v)->s, nend = as_str(v)->n;
        } else if (strcmp(name, "file") == 0) {
            file = v.tag == T_NONE ? NIL : v;
        } else if (strcmp(name, "flush") == 0) {
            if (!sc_to_bool(vm, v, &flush))
                return NIL;
        } else {
            return sc_raise(vm, C_TypeError, "print() got an unexpected keyword argument '%s'", name);
        }
    }
    for (int i = 0; i < a->n; i++) {
        if (i)
            buf_add(&b, sep, nsep);
        if (!buf_value(&b, a->v[i], false))
            break;
    }
    buf_add(&b, end, nend);
    if (b.failed) {
        buf_free(&b);
        return NIL;
    }
    file = file.tag == T_NIL ? sc_other_stdout(vm) : sc_ref(file);
    if (file.tag != T_NIL) {
        Value s = buf_done(&b), r = s.tag == T_NIL ? NIL : sc_call_method(vm, file, "write", &s, 1);

        sc_drop(vm, s);
        sc_drop(vm, r);
        if (flush && r.tag != T_NIL) {
            r = sc_call_method(vm, file, "flush", NULL, 0);
            sc_drop(vm, r);
        }
        sc_drop(vm, file);
        return r.tag == T_NIL ? NIL : NONE;
    }
    sc_write(vm, b.s, (size_t)b.n, false);
    buf_free(&b);
    if (flush)
        sc_flush(vm);
    return NONE;
}

static Value b_len(Vm *vm, const Args *a)
{
    int64_t n;

    return sc_len(vm, a->v[0], &n) ? v_int(n) : NIL;
}

static Value b_repr(Vm *vm, const Args *a) { return sc_repr(vm, a->v[0]); }

static Value b_abs(Vm *vm, const Args *a)
{
    Value v = a->v[0], r;

    if (v.tag == T_INT || v.tag == T_BOOL)
        return v.i == INT64_MIN ? sc_unary(vm, OP1_NEG, v)
                                : v_int(v.i < 0 ? -v.i : v.i);
    if (v.tag == T_FLOAT)
        return v_float(fabs(v.f));
    r = v.tag == T_OBJ ? dunder_call(vm, v, S_abs, NULL, 0) : NIL;
    if (r.tag == T_NIL && !sc_failed(vm))
        sc_raise(vm, C_TypeError, "bad operand type for abs(): '%s'", sc_type_name(vm, v));
    return r;
}

static Value extreme(Vm *vm, const Args *a, CmpOp op, const char *name)
{
    Value key = NIL, dflt = NIL, it, v, best = NIL, best_key = NIL;

    for (int i = 0; i < a->nkw; i++) {
        const char *k = as_str(a->names[i])->s;

        if (strcmp(k, "key") == 0)
            key = a->v[a->n + i].tag == T_NONE ? NIL : a->v[a->n + i];
        else if (strcmp(k, "default") == 0)
            dflt = a->v[a->n + i];
        else
            return sc_raise(vm, C_TypeError, "%s() got an unexpected keyword argument '%s'", name, k);
    }
    if (a->n == 0)
        return sc_raise(vm, C_TypeError, "%s expected at least 1 argument, got 0", name);
    if (a->n > 1) {
        Tuple *t = sc_tuple_of(vm, a->v, a->n);

        it = t ? sc_iter(vm, v_obj(t)) : NIL;
        if (t)
            obj_drop(vm, t);
    } else {
        it = sc_iter(vm, a->v[0]);
    }
    if (it.tag == T_NIL)
        return NIL;
    while ((v = sc_next(vm, it)).tag != T_NIL) {
        Value k = key.tag == T_NIL ? sc_ref(v) : sc_call(vm, key, &v, 1), c;
        int t = 1;

        if (k.tag != T_NIL && best.tag != T_NIL) {
            c = sc_compare(vm, op, k, best_key);
            t = c.tag == T_NIL ? -1 : sc_truth(vm, c);
            sc_drop(vm, c);
        }
        if (k.tag == T_NIL || t < 0) {
            sc_drop(vm, v);
            sc_drop(vm, k);
            break;
        }
        if (t) {
            sc_put(vm, &best, v);
            sc_put(vm, &best_key, k);
        } else {
            sc_drop(vm, v);
            sc_drop(vm, k);
        }
    }
    sc_drop(vm, it);
    sc_drop(vm, best_key);
    if (sc_failed(vm)) {
        sc_drop(vm, best);
        return NIL;
    }
    if (best.tag == T_NIL)
        return dflt.tag != T_NIL ? sc_ref(dflt)
                                 : sc_raise(vm, C_ValueError, "%s() arg is an empty sequence", name);
    return best;
}

static Value b_min(Vm *vm, const Args *a) { return extreme(vm, a, CMP_LT, "min"); }
static Value b_max(Vm *vm, const Args *a) { return extreme(vm, a, CMP_GT, "max"); }

static Value b_sum(Vm *vm, const Args *a)
{
    Value it = sc_iter(vm, a->v[0]), v, acc = a->v[1].tag == T_NIL ? v_int(0) : sc_ref(a->v[1]);

    if (it.tag == T_NIL) {
        sc_drop(vm, acc);
        return NIL;
    }
    if (is_str(acc))
        sc_raise(vm, C_TypeError, "sum() can't sum strings [use ''.join(seq) instead]");
    while (!sc_failed(vm) && (v = sc_next(vm, it)).tag != T_NIL) {
        Value r;
        int64_t z;

        if (acc.tag == T_INT && v.tag == T_INT && add_i64(acc.i, v.i, &z)) {
            acc.i = z;
            continue;
        }
        if (acc.tag == T_FLOAT && v.tag == T_FLOAT) {
            acc.f += v.f;
            continue;
        }
        r = sc_binary(vm, OP2_ADD, acc, v, false);
        sc_drop(vm, v);
        sc_drop(vm, acc);
        acc = r;
    }
    sc_drop(vm, it);
    if (sc_failed(vm)) {
        sc_drop(vm, acc);
        return NIL;
    }
    return acc;
}

static Value any_all(Vm *vm, Value v, bool any)
{
    Value it = sc_iter(vm, v), e;

    if (it.tag == T_NIL)
        return NIL;
    while ((e = sc_next(vm, it)).tag != T_NIL) {
        int t = sc_truth(vm, e);

        sc_drop(vm, e);
        if (t < 0 || (t == 1) == any) {
            sc_drop(vm, it);
            return t < 0 ? NIL : v_bool(any);
        }
    }
    sc_drop(vm, it);
    return sc_failed(vm) ? NIL : v_bool(!any);
}

static Value b_any(Vm *vm, const Args *a) { return any_all(vm, a->v[0], true); }
static Value b_all(Vm *vm, const Args *a) { return any_all(vm, a->v[0], false); }

static Value b_sorted(Vm *vm, const Args *a)
{
    List *l = sc_list(vm, 0);
    bool reverse = false;

    if (!l || !sc_list_extend(vm, l, a->v[0]) ||
        (a->v[2].tag != T_NIL && !sc_to_bool(vm, a->v[2], &reverse)) ||
        !sc_sort(vm, l, a->v[1].tag == T_NONE ? NIL : a->v[1], reverse)) {
        if (l)
            obj_drop(vm, l);
        return NIL;
    }
    return v_obj(l);
}

static Value b_isinstance(Vm *vm, const Args *a)
{
    int r = sc_isinstance_of(vm, a->v[0], a->v[1]);

    return r < 0 ? NIL : v_bool(r);
}

static Value b_issubclass(Vm *vm, const Args *a)
{
    int r;

    if (!sc_is_class(a->v[0]))
        return sc_raise(vm, C_TypeError, "issubclass() arg 1 must be a class");
    r = sc_issubclass_of(vm, (Class *)a->v[0].o, a->v[1]);
    return r < 0 ? NIL : v_bool(r);
}

static Str *attr_name(Vm *vm, Value v)
{
    if (is_str(v))
        return sc_intern_str(vm, as_str(v));
    sc_raise(vm, C_TypeError, "attribute name must be string, not '%s'", sc_type_name(vm, v));
    return NULL;
}

static Value b_getattr(Vm *vm, const Args *a)
{
    Str *n = attr_name(vm, a->v[1]);
    Value r;

    if (!n)
        return NIL;
    if (a->v[2].tag == T_NIL)
        return sc_getattr(vm, a->v[0], n);
    r = sc_getattr_opt(vm, a->v[0], n);
    if (r.tag == T_NIL && (!sc_failed(vm) || sc_exc_is(vm, C_AttributeError))) {
        sc_clear_exc(vm);
        return sc_ref(a->v[2]);
    }
    return r;
}

static Value b_hasattr(Vm *vm, const Args *a)
{
    Str *n = attr_name(vm, a->v[1]);
    Value r;

    if (!n)
        return NIL;
    r = sc_getattr_opt(vm, a->v[0], n);
    if (r.tag == T_NIL && sc_failed(vm)) {
        if (!sc_exc_is(vm, C_AttributeError))
            return NIL;
        sc_clear_exc(vm);
    }
    sc_drop(vm, r);
    return v_bool(r.tag != T_NIL);
}

static Value b_setattr(Vm *vm, const Args *a)
{
    Str *n = attr_name(vm, a->v[1]);

    return n && sc_setattr(vm, a->v[0], n, a->v[2]) ? NONE : NIL;
}

static Value b_delattr(Vm *vm, const Args *a)
{
    Str *n = attr_name(vm, a->v[1]);

    return n && sc_setattr(vm, a->v[0], n, NIL) ? NONE : NIL;
}

static Value b_callable(Vm *vm, const Args *a)
{
    return v_bool(sc_class_of(vm, a->v[0])->d.call != NULL);
}

static Value b_id(Vm *vm, const Args *a)
{
    (void)vm;
    return v_int(a->v[0].tag == T_OBJ ? (int64_t)(uintptr_t)a->v[0].o
                                      : (int64_t)(hash_mix(a->v[0].tag, (uint64_t)a->v[0].i) >> 2));
}

/* The residue by 2**61 - 1, of fractions too, as Python has it; -1 is taken. */
static Value hash_number(Vm *vm, Value v)
{
    int64_t p = ((int64_t)1 << 61) - 1;
    uint64_t h = 0, part;
    Value m, r;
    double f;
    int e;

    if (v.tag == T_FLOAT) {
        if (isnan(v.f))
            return v_int(0);
        if (isinf(v.f))
            return v_int(v.f > 0 ? 314159 : -314159);
        for (f = frexp(fabs(v.f), &e); f != 0; e -= 28) {
            h = (h << 28 & (uint64_t)p) | h >> 33;
            f *= 268435456.0;
            part = (uint64_t)f;
            f -= (double)part;
            h = (h + part) % (uint64_t)p;
        }
        e = e >= 0 ? e % 61 : 60 - (-1 - e) % 61;
        h = ((h << e) & (uint64_t)p) | h >> (61 - e);
        return v_int(v.f < 0 ? (h == 1 ? -2 : -(int64_t)h) : (int64_t)h);
    }
    m = sc_less(vm, v, v_int(0)) > 0 ? sc_unary(vm, OP1_NEG, v) : sc_ref(v);
    r = m.tag == T_NIL ? NIL : sc_binary(vm, OP2_MOD, m, v_int(p), false);
    sc_drop(vm, m);
    if (r.tag == T_INT && sc_less(vm, v, v_int(0)) > 0)
        r.i = r.i == 1 ? -2 : -r.i;
    return r;
}

static Value b_hash(Vm *vm, const Args *a)
{
    uint64_t h;
    double x, im;

    if (a->v[0].tag == T_INT || a->v[0].tag == T_BOOL || a->v[0].tag == T_FLOAT ||
        (is_long(vm, a->v[0]) && !a->v[0].o->cls->script))
        return hash_number(vm, a->v[0]);
    if (a->v[0].tag == T_OBJ && a->v[0].o->cls->d.hash == vm->cls[C_float]->d.hash && sc_float_value(vm, a->v[0], &x))
        return hash_number(vm, v_float(x));
    if (sc_is_exact(vm, a->v[0], C_complex) && sc_is_complex(vm, a->v[0], &x, &im)) {
        Value re = hash_number(vm, v_float(x));
        int64_t whole = (int64_t)((uint64_t)re.i + 1000003u * (uint64_t)hash_number(vm, v_float(im)).i);

        return v_int(whole == -1 ? -2 : whole);
    }
    if (vm->engine && (engine_poses_as(vm, a->v[0], vm->cls[C_float]) || engine_poses_as(vm, a->v[0], vm->cls[C_int])))
        return sc_to_double(vm, a->v[0], &x) ? hash_number(vm, v_float(x)) : NIL;
    return sc_hash(vm, a->v[0], &h) ? v_int(sc_hash_public(h)) : NIL;
}

static Value b_iter(Vm *vm, const Args *a)
{
    Iter *it;

    if (a->v[1].tag == T_NIL)
        return sc_iter(vm, a->v[0]);
    it = sc_iter_new(vm, C_callable_iterator, a->v[0]);
    return sc_iter_calls(vm, it, a->v[1]);
}

static Value b_next(Vm *vm, const Args *a)
{
    Value r = sc_next(vm, a->v[0]);

    if (r.tag != T_NIL)
        return r;
    if (sc_failed(vm) && !sc_exc_is(vm, C_StopIteration))
        return NIL;
    if (a->v[1].tag != T_NIL) {
        sc_clear_exc(vm);
        return sc_ref(a->v[1]);
    }
    if (sc_failed(vm))
        return NIL;
    return sc_is_exact(vm, a->v[0], C_generator) ? sc_gen_stop(vm, (Gen *)a->v[0].o)
                                                 : sc_raise_value(vm, C_StopIteration, NIL);
}

static Value b_ascii(Vm *vm, const Args *a) { return sc_ascii(vm, a->v[0]); }

/* Of a class statement, with no native operators below? */
static bool only_script(Value v)
{
    Class *c = v.tag == T_OBJ ? v.o->cls : NULL;

    if (!c || !c->script)
        return false;
    while (c->script && c->base)
        c = c->base;
    return !c->d.binary;
}

static Value b_divmod(Vm *vm, const Args *a)
{
    Value v[2], t;

    for (int i = 0; i < 2; i++) { /* of class statements: __divmod__, __rdivmod__ */
        if (a->v[i].tag != T_OBJ || !a->v[i].o->cls->script)
            continue;
        t = dunder_call(vm, a->v[i], i ? S_rdivmod : S_divmod, &a->v[1 - i], 1);
        if (t.tag != T_NOTIMPL && (t.tag != T_NIL || sc_failed(vm)))
            return t;
    }
    if (only_script(a->v[0]) || only_script(a->v[1]))
        return sc_raise(vm, C_TypeError, "unsupported operand type(s) for divmod(): '%s' and '%s'",
                        sc_type_name(vm, a->v[0]), sc_type_name(vm, a->v[1]));
    if ((a->v[0].tag == T_FLOAT && (a->v[1].tag == T_INT || a->v[1].tag == T_BOOL) && a->v[1].i == 0) ||
        (a->v[1].tag == T_FLOAT && a->v[1].f == 0 && (a->v[0].tag == T_INT || a->v[0].tag == T_FLOAT || a->v[0].tag == T_BOOL)))
        return sc_raise(vm, C_ZeroDivisionError, "float divmod()");
    v[0] = sc_binary(vm, OP2_FLOORDIV, a->v[0], a->v[1], false);
    v[1] = v[0].tag == T_NIL ? NIL : sc_binary(vm, OP2_MOD, a->v[0], a->v[1], false);
    t = v[1].tag == T_NIL ? NIL : v_obj(sc_tuple_of(vm, v, 2));
    sc_drop(vm, v[0]);
    sc_drop(vm, v[1]);
    return t;
}

static Value b_pow(Vm *vm, const Args *a)
{
    int64_t b, e, m, r = 1;
    Value v[3] = {NIL, NIL, NIL}, p = NIL;
    bool small;

    if (a->v[2].tag == T_NIL || a->v[2].tag == T_NONE)
        return sc_binary(vm, OP2_POW, a->v[0], a->v[1], false);
    small = true;
    for (int i = 0; i < 3 && !sc_failed(vm); i++)
        small &= sc_to_whole(vm, a->v[i], &v[i]) && v[i].tag == T_INT;
    if (!sc_failed(vm) && (!small || v[1].i < 0 || v[2].i == 0))
        p = long_power_mod(vm, v[0], v[1], v[2]);
    b = v[0].i;
    e = v[1].i;
    m = v[2].i;
    for (int i = 0; i < 3; i++)
        sc_drop(vm, v[i]);
    if (p.tag != T_NIL || sc_failed(vm))
        return p;
    uint64_t mod = m < 0 ? 0 - (uint64_t)m : (uint64_t)m, base, acc = 1 % mod;

    base = b < 0 ? (mod - (0 - (uint64_t)b) % mod) % mod : (uint64_t)b % mod;
    for (; e; e >>= 1) {
        if (e & 1)
            acc = (uint64_t)((Wide)acc * base % mod);
        base = (uint64_t)((Wide)base * base % mod);
    }
    r = (int64_t)acc;
    return v_int(m < 0 && r ? r + m : r);
}

static Value b_round(Vm *vm, const Args *a)
{
    Value v = a->v[0], r;
    int64_t d = 0;
    bool digits = a->v[1].tag != T_NIL && a->v[1].tag != T_NONE;

    if (digits && !sc_to_int(vm, a->v[1], &d))
        return NIL;
    if (v.tag == T_OBJ) {
        r = dunder_call(vm, v, S_round, a->v + 1, digits);
        if (r.tag == T_NIL && !sc_failed(vm))
            sc_raise(vm, C_TypeError, "type %s doesn't define __round__ method", sc_type_name(vm, v));
        return r;
    }
    if (v.tag == T_INT || v.tag == T_BOOL) {
        int64_t p = 1, q, half;

        if (!digits || d >= 0)
            return v_int(v.i);
        for (; d < 0; d++)
            if (!mul_i64(p, 10, &p))
                return v_int(0);
        q = v.i % p;
        q += q < 0 ? p : 0;
        half = p / 2;
        v.i -= q;
        if (q > half || (q == half && (v.i / p) % 2 != 0))
            v.i += p;
        return v_int(v.i);
    }
    if (v.tag != T_FLOAT)
        return sc_raise(vm, C_TypeError, "type %s doesn't define __round__ method", sc_type_name(vm, v));
    if (digits)
        return v_float(sc_round_digits(v.f, d));
    if (isnan(v.f))
        return sc_raise(vm, C_ValueError, "cannot convert float NaN to integer");
    v.f = nearbyint(v.f);
    if (isinf(v.f))
        return sc_raise(vm, C_OverflowError, "cannot convert float infinity to integer");
    return fabs(v.f) >= 9.2233720368547758e18 ? long_from_double(vm, v.f) : v_int((int64_t)v.f);
}

static Value b_chr(Vm *vm, const Args *a)
{
    int64_t c;
    char s[4];

    if (!sc_to_int(vm, a->v[0], &c))
        return NIL;
    if (c < 0 || c > 0x10FFFF || (c >= 0xD800 && c < 0xE000))
        return sc_raise(vm, C_ValueError, "chr() arg not in range(0x110000)");
    return v_obj(sc_str_n(vm, s, (size_t)sc_utf8_write(s, (uint32_t)c)));
}

static Value b_ord(Vm *vm, const Args *a)
{
    int len;

    if (!is_str(a->v[0]))
        return sc_raise(vm, C_TypeError, "ord() expected string of length 1, but %s found",
                        sc_type_name(vm, a->v[0]));
    if (as_str(a->v[0])->chars != 1)
        return sc_raise(vm, C_TypeError,
                        "ord() expected a character, but string of length %u found",
                        as_str(a->v[0])->chars);
    return v_int(sc_utf8_read(as_str(a->v[0])->s, &len));
}

static Value in_base(Vm *vm, Value v, const char *spec)
{
    Value s, r, i;

    if (!sc_to_whole(vm, v, &i))
        return NIL;
    s = v_obj(sc_str(vm, spec));
    r = s.tag == T_NIL ? NIL : sc_format(vm, i, as_str(s));
    sc_drop(vm, s);
    sc_drop(vm, i);
    return r;
}

static Value b_hex(Vm *vm, const Args *a) { return in_base(vm, a->v[0], "#x"); }
static Value b_oct(Vm *vm, const Args *a) { return in_base(vm, a->v[0], "#o"); }
static Value b_bin(Vm *vm, const Args *a) { return in_base(vm, a->v[0], "#b"); }

static Value b_format(Vm *vm, const Args *a)
{
    if (a->v[1].tag == T_NIL)
        return sc_format(vm, a->v[0], vm->empty_str);
    if (!is_str(a->v[1]))
        return sc_raise(vm, C_TypeError, "format() argument 2 must be str, not %s",
                        sc_type_name(vm, a->v[1]));
    return sc_format(vm, a->v[0], as_str(a->v[1]));
}

static Value b_globals(Vm *vm, const Args *a)
{
    (void)a;
    return vm->frame ? v_obj(gc_ref(vm->frame->module->attrs)) : v_obj(sc_dict(vm));
}

static Value b_locals(Vm *vm, const Args *a) { return vm->frame ? sc_frame_locals(vm, vm->frame) : b_globals(vm, a); }

static Value b_exit(Vm *vm, const Args *a) { return sc_raise_value(vm, C_SystemExit, a->v[0]); }

static Value b_async(Vm *vm, const Args *a)
{
    return sc_raise(vm, C_NotImplementedError, "%s(): coroutines are outside this language", a->def->name);
}

static Value b_vars(Vm *vm, const Args *a)
{
    return a->v[0].tag == T_NIL ? b_locals(vm, a) : sc_getattr(vm, a->v[0], vm->known[S_dict]);
}

static Value b_dir(Vm *vm, const Args *a)
{
    if (a->v[0].tag == T_NIL)
        return vm->frame ? sc_dir(vm, v_obj(vm->frame->module)) : NIL;
    Value r = a->v[0].tag == T_OBJ ? dunder_call(vm, a->v[0], S_dir, NULL, 0) : NIL;

    if (r.tag == T_NIL)
        return sc_failed(vm) ? r : sc_dir(vm, a->v[0]);
    Value l = v_obj(sc_list(vm, 0));

    if (l.tag == T_NIL || !sc_list_extend(vm, (List *)l.o, r) || !sc_sort(vm, (List *)l.o, NIL, false))
        sc_put(vm, &l, NIL);
    sc_drop(vm, r);
    return l;
}

static Value b_input(Vm *vm, const Args *a)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t n;
    Value r;

    if (!sc_may(vm, "read input"))
        return NIL;
    if (a->v[0].tag != T_NIL) {
        Value s = sc_to_str(vm, a->v[0]);

        if (s.tag == T_NIL)
            return NIL;
        sc_write(vm, as_str(s)->s, as_str(s)->n, false);
        sc_drop(vm, s);
    }
    sc_flush(vm);
    n = getline(&line, &room, stdin);
    clearerr(stdin); /* a terminal goes on after its end, and after an interrupt */
    while (n > 0 && (line[n - 1] == '\n' || line[n - 1] == '\r'))
        n--;
    if (n < 0)
        r = sc_interrupted(vm) ? NIL : sc_raise(vm, C_EOFError, "EOF when reading a line");
    else
        r = v_obj(sc_str_n(vm, line, (size_t)n));
    free(line);
    return r;
}

static Value b_refused(Vm *vm, const Args *a)
{
    return sc_raise(vm, C_NotImplementedError, "%s() is outside this language", (char *)a->user);
}

/* The package a of a.b, as Python has it; the libraries embedded here get the module itself. */
static Value b_import(Vm *vm, const Args *a)
{
    Str *n = attr_name(vm, a->v[0]), *top;
    const char *dot = n ? strchr(n->s, '.') : NULL;
    Value m = n ? sc_import(vm, n) : NIL;

    if (m.tag == T_NIL || !dot || (vm->frame && vm->frame->code->unit->hidden) || (a->v[3].tag != T_NIL && sc_truth(vm, a->v[3]) > 0))
        return m;
    sc_drop(vm, m);
    top = sc_str_n(vm, n->s, (size_t)(dot - n->s));
    m = top ? sc_import(vm, top) : NIL;
    if (top)
        obj_drop(vm, top);
    return m;
}

static const NativeDef functions[] = {
    {"print", b_print, "*"}, {"len", b_len, "obj"}, {"repr", b_repr, "obj"},
    {"ascii", b_ascii, "obj"}, {"abs", b_abs, "x"}, {"min", b_min, "*"}, {"max", b_max, "*"},
    {"sum", b_sum, "iterable|start"}, {"any", b_any, "iterable"}, {"all", b_all, "iterable"},
    {"sorted", b_sorted, "iterable$key,reverse"},
    {"isinstance", b_isinstance, "obj,class_or_tuple"},
    {"issubclass", b_issubclass, "cls,class_or_tuple"},
    {"getattr", b_getattr, "object,name|default"}, {"hasattr", b_hasattr, "obj,name"},
    {"setattr", b_setattr, "obj,name,value"}, {"delattr", b_delattr, "obj,name"},
    {"callable", b_callable, "obj"}, {"id", b_id, "obj"}, {"hash", b_hash, "obj"},
    {"iter", b_iter, "object|sentinel"}, {"next", b_next, "iterator|default"},
    {"divmod", b_divmod, "x,y"}, {"pow", b_pow, "base,exp|mod"},
    {"round", b_round, "number|ndigits"}, {"chr", b_chr, "i"}, {"ord", b_ord, "c"},
    {"hex", b_hex, "number"}, {"oct", b_oct, "number"}, {"bin", b_bin, "number"},
    {"format", b_format, "value|format_spec"}, {"globals", b_globals, ""},
    {"locals", b_locals, ""}, {"vars", b_vars, "|object"}, {"dir", b_dir, "|object"},
    {"input", b_input, "|prompt"}, {"exit", b_exit, "|code"}, {"quit", b_exit, "|code"}, {"aiter", b_async, "*"},
    {"anext", b_async, "*"}, {"__import__", b_import, "name|globals,locals,fromlist"}, {0},
};
static const NativeDef refused_def = {"refused", b_refused, "*"};

static bool put(Vm *vm, const char *name, Value owned)
{
    Str *s = sc_intern(vm, name, strlen(name));
    bool ok = s && owned.tag != T_NIL && sc_dict_put_str(vm, vm->builtins, s, owned);

    if (s)
        obj_drop(vm, s);
    sc_drop(vm, owned);
    return ok;
}

bool sc_add_builtins(Vm *vm, const NativeDef *defs)
{
    for (; defs->name; defs++)
        if (!put(vm, defs->name, v_obj(sc_native_fn(vm, defs, NIL, NULL))))
            return false;
    return true;
}

bool sc_open_builtins(Vm *vm)
{
    static const char *const refused[] = {"compile", "memoryview", "breakpoint"};
    static const KnownClass shown[] = {
        C_object, C_type, C_bool, C_int, C_float, C_complex, C_str, C_list, C_tuple, C_dict, C_set,
        C_frozenset, C_bytes, C_bytearray, C_range, C_slice, C_property, C_staticmethod, C_classmethod, C_super,
        C_enumerate, C_zip, C_map, C_filter, C_reversed, C_BaseException};

    if (!sc_add_builtins(vm, functions))
        return false;
    for (int i = 0; i < COUNT(refused); i++)
        if (!put(vm, refused[i],
                 v_obj(sc_native_fn(vm, &refused_def, NIL, (void *)(uintptr_t)refused[i]))))
            return false;
    for (int i = 0; i < COUNT(shown); i++)
        if (!put(vm, vm->cls[shown[i]]->name->s, v_obj(gc_ref(vm->cls[shown[i]]))))
            return false;
    return put(vm, "Ellipsis", (Value){T_ELLIPSIS, {0}}) && put(vm, "NotImplemented", NOTIMPL) &&
           put(vm, "IOError", v_obj(gc_ref(vm->cls[C_OSError]))) &&
           put(vm, "EnvironmentError", v_obj(gc_ref(vm->cls[C_OSError]))) &&
           put(vm, "__debug__", v_bool(true));
}
