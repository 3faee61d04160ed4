/* float.c -- the class float, and instances of classes derived from it.
 *
 * A float is a T_FLOAT; only an instance of a derived class is an object, which holds the
 * number and its attributes. What operators and methods do is done on the plain number.
 */
#include "numbers.h"

#include "dunder.h"
#include "long.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct FloatObj {
    GcObj h;
    Dict *attrs;
    double f;
} FloatObj;

bool sc_float_value(Vm *vm, Value v, double *out)
{
    if (v.tag == T_FLOAT)
        *out = v.f;
    else if (v.tag == T_OBJ && sc_is(vm, v, C_float))
        *out = ((FloatObj *)v.o)->f;
    else
        return false;
    return true;
}

/* A float of any form as a T_FLOAT; another value as it is, borrowed. */
static Value plain(Vm *vm, Value v)
{
    double f;

    return sc_float_value(vm, v, &f) ? v_float(f) : v;
}

static double self_of(Vm *vm, const Args *a) { return plain(vm, a->v[0]).f; }

static Value float_of_class(Vm *vm, Class *cls, Value v)
{
    FloatObj *o;

    if (v.tag != T_FLOAT || cls == vm->cls[C_float])
        return v;
    o = sc_gc_new(vm, cls, cls->d.size);
    if (o)
        o->f = v.f;
    return v_obj(o);
}

static Value float_from(Vm *vm, Value v)
{
    double x;
    Value r;

    if (v.tag == T_NIL)
        return v_float(0);
    if (is_str(v))
        return sc_parse_float(vm, as_str(v));
    if (is_long(vm, v))
        return long_to_double(vm, v, &x) ? v_float(x) : NIL;
    if (v.tag == T_OBJ) {
        r = dunder_call(vm, v, S_float, NULL, 0);
        if (r.tag == T_OBJ && sc_float_value(vm, r, &x)) {
            sc_drop(vm, r);
            return v_float(x);
        }
        if (r.tag != T_NIL || sc_failed(vm))
            return r;
        r = dunder_call(vm, v, S_index, NULL, 0);
        if (r.tag == T_INT || r.tag == T_BOOL)
            return v_float((double)r.i);
        sc_drop(vm, r);
        if (sc_failed(vm))
            return NIL;
    } else if (sc_to_double(vm, v, &x)) {
        return v_float(x);
    }
    sc_clear_exc(vm);
    return sc_raise(vm, C_TypeError, "float() argument must be a string or a real number, not '%s'",
                    sc_type_name(vm, v));
}

static Value float_make(Vm *vm, Class *cls, const Args *a)
{
    return float_of_class(vm, cls, float_from(vm, a->v[0]));
}

/* ---- operators, where one of the two is an object ---------------------------------- */

static bool is_real(Vm *vm, Value v) { return (v.tag >= T_BOOL && v.tag <= T_FLOAT) || is_long(vm, v); }

/* Is one of the two an instance of a derived class? Else the machine or the other's class knows better. */
static bool ours(Vm *vm, Value a, Value b)
{
    return (a.tag == T_OBJ && sc_is(vm, a, C_float)) || (b.tag == T_OBJ && sc_is(vm, b, C_float));
}

static Value float_binary(Vm *vm, BinOp op, Value a, Value b, bool reflected, bool inplace)
{
    Value x = plain(vm, a), y = plain(vm, b);

    (void)reflected;
    (void)inplace;
    return op <= OP2_POW && ours(vm, a, b) && is_real(vm, x) && is_real(vm, y) ? sc_binary(vm, op, x, y, false) : NOTIMPL;
}

static Value float_compare(Vm *vm, CmpOp op, Value a, Value b)
{
    Value x = plain(vm, a), y = plain(vm, b);

    return ours(vm, a, b) && is_real(vm, x) && is_real(vm, y) ? sc_compare(vm, op, x, y) : NOTIMPL;
}


/* Of a plain float the machine has done what there is; there is no ~. */
static Value float_unary(Vm *vm, UnOp op, Value a)
{
    return a.tag == T_OBJ && op != OP1_INVERT ? sc_unary(vm, op, plain(vm, a)) : NIL;
}

static Value float_repr(Vm *vm, Value self) { return sc_float_repr(vm, plain(vm, self).f); }
static int float_truth(Vm *vm, Value self) { return plain(vm, self).f != 0; }

static bool float_hash(Vm *vm, Value self, uint64_t *out) { return sc_hash(vm, plain(vm, self), out); }

static void float_destroy(Vm *vm, Obj *o)
{
    Dict *d = ((FloatObj *)o)->attrs;

    ((FloatObj *)o)->attrs = NULL;
    if (d)
        obj_drop(vm, d);
}

static void float_visit(Obj *o, VisitFn fn, void *user)
{
    if (((FloatObj *)o)->attrs)
        fn(v_obj(((FloatObj *)o)->attrs), user);
}

/* ---- methods ----------------------------------------------------------------------- */

static Value m_is_integer(Vm *vm, const Args *a)
{
    double f = self_of(vm, a);

    return v_bool(isfinite(f) && f == floor(f));
}

static Value m_self(Vm *vm, const Args *a) { return v_float(self_of(vm, a)); }
static Value m_abs(Vm *vm, const Args *a) { return v_float(fabs(self_of(vm, a))); }

static Value m_ratio(Vm *vm, const Args *a)
{
    double f = self_of(vm, a);

    return isfinite(f) ? long_ratio(vm, f)
           : isnan(f)  ? sc_raise(vm, C_ValueError, "cannot convert NaN to integer ratio")
                       : sc_raise(vm, C_OverflowError, "cannot convert Infinity to integer ratio");
}

static Value whole(Vm *vm, double f)
{
    return isnan(f)   ? sc_raise(vm, C_ValueError, "cannot convert float NaN to integer")
           : isinf(f) ? sc_raise(vm, C_OverflowError, "cannot convert float infinity to integer")
                      : long_from_double(vm, f);
}

static Value m_int(Vm *vm, const Args *a) { return whole(vm, self_of(vm, a)); }
static Value m_floor(Vm *vm, const Args *a) { return whole(vm, floor(self_of(vm, a))); }
static Value m_ceil(Vm *vm, const Args *a) { return whole(vm, ceil(self_of(vm, a))); }

static Value m_round(Vm *vm, const Args *a)
{
    int64_t d;

    if (a->v[1].tag == T_NIL || a->v[1].tag == T_NONE)
        return whole(vm, nearbyint(self_of(vm, a)));
    return sc_to_int(vm, a->v[1], &d) ? v_float(sc_round_digits(self_of(vm, a), d)) : NIL;
}

/* [-]0x1.<13 digits>p<exponent>; the first digit of a number below the normal ones is 0 */
static Value m_hex(Vm *vm, const Args *a)
{
    double f = self_of(vm, a);
    uint64_t bits;
    int exponent;
    const char *sign = signbit(f) ? "-" : "";

    if (!isfinite(f))
        return sc_float_repr(vm, f);
    memcpy(&bits, &f, 8);
    exponent = (int)(bits >> 52 & 0x7ff);
    bits &= ((uint64_t)1 << 52) - 1;
    if (f == 0)
        return sc_strf(vm, "%s0x0.0p+0", sign);
    return sc_strf(vm, "%s0x%d.%013llxp%+d", sign, exponent != 0, (unsigned long long)bits,
                   exponent ? exponent - 1023 : -1022);
}

/* Is it [digits][.digits][p[sign]digits], with a digit before the exponent? */
static bool is_hex(const char *s)
{
    size_t n = strspn(s, "0123456789abcdefABCDEF"), m = 0;

    s += n;
    if (*s == '.') {
        m = strspn(s + 1, "0123456789abcdefABCDEF");
        s += 1 + m;
    }
    if (n + m == 0)
        return false;
    if (*s == 'p' || *s == 'P') {
        s += 1 + (s[1] == '+' || s[1] == '-');
        n = strspn(s, "0123456789");
        s += n;
        if (!n)
            return false;
    }
    return *s == 0;
}

static Value c_fromhex(Vm *vm, const Args *a)
{
    const char *s = sc_to_cstr(vm, a->v[1], "fromhex() argument"), *digits;
    char text[400], *end = text;
    bool neg;
    double f;
    Value v;

    if (!s)
        return NIL;
    s += strspn(s, " \t\n\r\f\v");
    if (strlen(s) >= sizeof text - 3)
        return sc_raise(vm, C_ValueError, "hexadecimal string too long to convert");
    strcpy(text + 2, s);
    for (end = text + 2 + strlen(s); end > text + 2 && strchr(" \t\n\r\f\v", end[-1]);)
        *--end = 0;
    digits = text + 2;
    neg = *digits == '-';
    digits += *digits == '-' || *digits == '+';
    if (strcasecmp(digits, "inf") == 0 || strcasecmp(digits, "infinity") == 0) {
        f = INFINITY;
    } else if (strcasecmp(digits, "nan") == 0) {
        f = NAN;
    } else {
        char *at;

        digits += strncasecmp(digits, "0x", 2) == 0 ? 2 : 0;
        if (!is_hex(digits))
            return sc_raise(vm, C_ValueError, "invalid hexadecimal floating-point string");
        at = (char *)digits - 2; /* over the sign or the room before it */
        memcpy(at, "0x", 2);
        f = strtod(at, NULL);
        if (isinf(f))
            return sc_raise(vm, C_OverflowError, "hexadecimal value too large to represent as a float");
    }
    v = v_float(neg ? -f : f);
    return a->v[0].o == (Obj *)vm->cls[C_float] ? v : sc_call(vm, a->v[0], &v, 1);
}

static Value get_real(Vm *vm, Value self) { return plain(vm, self); }

static Value get_imag(Vm *vm, Value self)
{
    (void)vm;
    (void)self;
    return v_float(0);
}

static const NativeDef methods[] = {
    {"is_integer", m_is_integer, "self"}, {"conjugate", m_self, "self"}, {"as_integer_ratio", m_ratio, "self"},
    {"hex", m_hex, "self"}, {"__float__", m_self, "self"}, {"__int__", m_int, "self"}, {"__trunc__", m_int, "self"},
    {"__floor__", m_floor, "self"}, {"__ceil__", m_ceil, "self"}, {"__abs__", m_abs, "self"},
    {"__round__", m_round, "self|ndigits"}, {0}};
static const NativeDef classmethods[] = {{"fromhex", c_fromhex, "cls,string"}, {0}};
static const PropertyDef properties[] = {{"real", get_real, NULL}, {"imag", get_imag, NULL}, {0}};

const ClassDef sc_float_def = {
    .name = "float", .size = sizeof(FloatObj), .attrs_at = offsetof(FloatObj, attrs), .make = float_make,
    .make_params = "|x", .methods = methods, .classmethods = classmethods, .properties = properties,
    .destroy = float_destroy, .visit = float_visit, .repr = float_repr, .hash = float_hash,
    .compare = float_compare, .binary = float_binary, .unary = float_unary, .truth = float_truth};
