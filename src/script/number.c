/* number.c -- the classes of values that are not objects: int, float, bool, None. */
#include "numbers.h"
#include "dunder.h"

#include <math.h>

static Value int_from(Vm *vm, Value v)
{
    Value r;

    switch (v.tag) {
    case T_NIL: return v_int(0);
    case T_BOOL:
    case T_INT: return v_int(v.i);
    case T_FLOAT:
        if (isnan(v.f))
            return sc_raise(vm, C_ValueError, "cannot convert float NaN to integer");
        if (isinf(v.f))
            return sc_raise(vm, C_OverflowError, "cannot convert float infinity to integer");
        if (v.f >= 9223372036854775808.0 || v.f < -9223372036854775808.0)
            return sc_raise(vm, C_OverflowError, "int(): the number does not fit in 64 bits");
        return v_int((int64_t)v.f);
    default: break;
    }
    if (is_str(v))
        return sc_parse_int(vm, as_str(v), 10);
    r = v.tag == T_OBJ ? dunder_call(vm, v, S_int, NULL, 0) : NIL;
    if (r.tag == T_NIL && !sc_failed(vm) && v.tag == T_OBJ)
        r = dunder_call(vm, v, S_index, NULL, 0);
    if (r.tag == T_NIL && !sc_failed(vm))
        sc_raise(vm, C_TypeError,
                 "int() argument must be a string, a bytes-like object or a real number, not '%s'",
                 sc_type_name(vm, v));
    return r;
}

static Value int_make(Vm *vm, Class *cls, const Args *a)
{
    int64_t base;

    (void)cls;
    if (a->v[1].tag == T_NIL)
        return int_from(vm, a->v[0]);
    if (!is_str(a->v[0]))
        return sc_raise(vm, C_TypeError, "int() can't convert non-string with explicit base");
    if (!sc_to_int(vm, a->v[1], &base))
        return NIL;
    if (base != 0 && (base < 2 || base > 36))
        return sc_raise(vm, C_ValueError, "int() base must be >= 2 and <= 36, or 0");
    return sc_parse_int(vm, as_str(a->v[0]), base);
}

static Value float_make(Vm *vm, Class *cls, const Args *a)
{
    double x;
    Value r;

    (void)cls;
    if (a->v[0].tag == T_NIL)
        return v_float(0);
    if (is_str(a->v[0]))
        return sc_parse_float(vm, as_str(a->v[0]));
    if (a->v[0].tag == T_OBJ) {
        r = dunder_call(vm, a->v[0], S_float, NULL, 0);
        if (r.tag != T_NIL || sc_failed(vm))
            return r;
        r = dunder_call(vm, a->v[0], S_index, NULL, 0);
        if (r.tag == T_INT || r.tag == T_BOOL)
            return v_float((double)r.i);
        sc_drop(vm, r);
        return sc_failed(vm) ? NIL : sc_raise(vm, C_TypeError,
                        "float() argument must be a string or a real number, not '%s'",
                        sc_type_name(vm, a->v[0]));
    }
    if (!sc_to_double(vm, a->v[0], &x)) {
        sc_clear_exc(vm);
        return sc_raise(vm, C_TypeError,
                        "float() argument must be a string or a real number, not '%s'",
                        sc_type_name(vm, a->v[0]));
    }
    return v_float(x);
}

static Value bool_make(Vm *vm, Class *cls, const Args *a)
{
    int t = a->v[0].tag == T_NIL ? 0 : sc_truth(vm, a->v[0]);

    (void)cls;
    return t < 0 ? NIL : v_bool(t);
}

static Value m_bit_length(Vm *vm, const Args *a)
{
    uint64_t u = a->v[0].i < 0 ? 0 - (uint64_t)a->v[0].i : (uint64_t)a->v[0].i;

    (void)vm;
    return v_int(u ? 64 - __builtin_clzll(u) : 0);
}

static Value m_bit_count(Vm *vm, const Args *a)
{
    uint64_t u = a->v[0].i < 0 ? 0 - (uint64_t)a->v[0].i : (uint64_t)a->v[0].i;

    (void)vm;
    return v_int(__builtin_popcountll(u));
}

static Value m_is_integer(Vm *vm, const Args *a)
{
    (void)vm;
    return v_bool(a->v[0].tag != T_FLOAT || (isfinite(a->v[0].f) && a->v[0].f == floor(a->v[0].f)));
}

static Value m_self(Vm *vm, const Args *a)
{
    (void)vm;
    return a->v[0].tag == T_BOOL ? v_int(a->v[0].i) : a->v[0];
}

static Value m_ratio(Vm *vm, const Args *a)
{
    Value v[2] = {v_int(a->v[0].i), v_int(1)};
    double x = a->v[0].f;
    int e = 0;

    if (a->v[0].tag == T_FLOAT) {
        if (!isfinite(x))
            return sc_raise(vm, C_OverflowError, "cannot convert Infinity or NaN to integer ratio");
        x = frexp(x, &e);
        for (; x != floor(x); e--)
            x *= 2;
        if (e > 0 ? e > 62 - ilogb(x == 0 ? 1 : x) : e < -62)
            return sc_raise(vm, C_OverflowError, "as_integer_ratio: does not fit in 64 bits");
        v[0] = v_int(e > 0 ? (int64_t)x << e : (int64_t)x);
        v[1] = v_int(e < 0 ? (int64_t)1 << -e : 1);
    }
    return v_obj(sc_tuple_of(vm, v, 2));
}

static Value get_zero(Vm *vm, Value self)
{
    (void)vm;
    return self.tag == T_FLOAT ? v_float(0) : v_int(0);
}

static Value get_self(Vm *vm, Value self)
{
    (void)vm;
    return self.tag == T_BOOL ? v_int(self.i) : self;
}

static const NativeDef int_methods[] = {
    {"bit_length", m_bit_length, "self"}, {"bit_count", m_bit_count, "self"},
    {"is_integer", m_is_integer, "self"}, {"conjugate", m_self, "self"},
    {"as_integer_ratio", m_ratio, "self"}, {"__index__", m_self, "self"}, {0}};
static const NativeDef float_methods[] = {{"is_integer", m_is_integer, "self"},
                                          {"conjugate", m_self, "self"},
                                          {"as_integer_ratio", m_ratio, "self"},
                                          {0}};
static const PropertyDef number_properties[] = {
    {"real", get_self, NULL}, {"imag", get_zero, NULL}, {0}};

const ClassDef sc_int_def = {.name = "int", .size = 1, .sealed = true, .make = int_make,
                             .make_params = "|x,base", .methods = int_methods,
                             .properties = number_properties};
const ClassDef sc_float_def = {.name = "float", .size = 1, .sealed = true, .make = float_make,
                               .make_params = "|x", .methods = float_methods,
                               .properties = number_properties};
const ClassDef sc_bool_def = {.name = "bool", .size = 1, .sealed = true, .make = bool_make,
                              .make_params = "|x"};

/* type(None)(): the one value of the class */
static Value only_make(Vm *vm, Class *cls, const Args *a)
{
    (void)a;
    return (Value){cls == vm->cls[C_NoneType]   ? T_NONE
                   : cls == vm->cls[C_ellipsis] ? T_ELLIPSIS
                                                : T_NOTIMPL,
                   {0}};
}

#define ONLY(id, text)                                                                   \
    const ClassDef sc_##id##_def = {                                                     \
        .name = text, .size = 1, .sealed = true, .make = only_make, .make_params = "",   \
    }
ONLY(none, "NoneType");
ONLY(ellipsis, "ellipsis");
ONLY(notimpl, "NotImplementedType");
