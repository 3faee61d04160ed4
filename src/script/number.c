/* number.c -- the classes of values that are not objects: int, float, bool, None.
 *
 * An int is a tag and 64 bits in the value itself, as are floats, bools and None: nothing is allocated for them. Only an int that
 * does not fit is an object (Long, long.c), of the same class; whatever gives one that fits gives the tag again, so that equal ints
 * have one form and the fast paths of the machine need look at the tag alone. Functions here take both forms and are
 * reached when one of the operands is an object; arithmetic of two tags is the machine's own.
 */
#include "numbers.h"
#include "dunder.h"
#include "long.h"

#include <math.h>

/* ---- from text ---------------------------------------------------------------------- */

static void trim(const char **s, const char **end)
{
    while (*s < *end && strchr(" \t\n\r\f\v", **s))
        ++*s;
    while (*end > *s && strchr(" \t\n\r\f\v", (*end)[-1]))
        --*end;
}

Value sc_parse_int(Vm *vm, Str *str, int64_t base)
{
    const char *s = str->s, *end = s + str->n;
    bool neg = false, digits = false, under = false, large = false, octal = false;
    uint64_t v = 0;
    const char *first;
    const int64_t asked = base;
    Value shown, r;

    trim(&s, &end);
    if (s < end && (*s == '-' || *s == '+'))
        neg = *s++ == '-';
    if (end - s > 2 && *s == '0' && (base == 16 || base == 8 || base == 2 || base == 0)) {
        int64_t b = (s[1] | 32) == 'x' ? 16 : (s[1] | 32) == 'o' ? 8 : (s[1] | 32) == 'b' ? 2 : 0;

        if (b && (base == 0 || base == b)) {
            base = b;
            s += 2;
        }
    }
    if (base == 0) {
        octal = s < end && *s == '0' && strspn(s, "0_") < strspn(s, "0123456789_"); /* 08 has two meanings */
        base = 10;
    }
    for (first = s; s < end; s++) {
        int c = *s | 32, d = *s >= '0' && *s <= '9' ? *s - '0' : c >= 'a' && c <= 'z' ? c - 'a' + 10 : 99;

        if (*s == '_' && digits && !under) {
            under = true;
            continue;
        }
        if (d >= base)
            break;
        under = false;
        large |= v > ((uint64_t)INT64_MAX + neg - (uint64_t)d) / (uint64_t)base;
        v = large ? 0 : v * (uint64_t)base + (uint64_t)d;
        digits = true;
    }
    if (s == end && digits && !under && !octal && large) {
        r = sc_long_parse(vm, first, (size_t)(end - first), (int)base);
        if (r.tag != T_NIL && neg) {
            Value minus = long_unary(vm, OP1_NEG, r);

            sc_drop(vm, r);
            r = minus;
        }
        return r;
    }
    if (s == end && digits && !under && !octal)
        return v_int(neg ? (int64_t)(0 - v) : (int64_t)v);
    shown = sc_repr(vm, v_obj(str));
    if (shown.tag != T_NIL)
        sc_raise(vm, C_ValueError, "invalid literal for int() with base %lld: %s",
                 (long long)asked, as_str(shown)->s);
    sc_drop(vm, shown);
    return NIL;
}

Value sc_parse_float(Vm *vm, Str *str)
{
    const char *s = str->s, *end = s + str->n, *at = NULL;
    char room[128], *buf = room;
    size_t n = 0, cap;
    double x = 0;
    Value shown;

    trim(&s, &end);
    cap = (size_t)(end - s) + 1;
    if (cap > sizeof room && !(buf = sc_alloc(vm, cap)))
        return NIL;
    for (const char *p = s; p < end; p++)
        if (!(*p == '_' && p > s && p + 1 < end && p[-1] >= '0' && p[-1] <= '9'))
            buf[n++] = (char)(*p >= 'A' && *p <= 'Z' ? *p + 32 : *p);
    buf[n] = 0;
    const char *b = buf + (buf[0] == '-' || buf[0] == '+');

    if (strcmp(b, "infinity") == 0 || strcmp(b, "inf") == 0) {
        at = buf + n;
        x = buf[0] == '-' ? -INFINITY : INFINITY;
    } else if (strcmp(b, "nan") == 0) {
        at = buf + n;
        x = NAN;
    } else if (!strchr(buf, 'x') && ((*b >= '0' && *b <= '9') || *b == '.')) {
        at = number_parse_f64(buf, buf + n, &x);
    }
    at = at == buf + n ? at : NULL;
    if (buf != room)
        sc_free(vm, buf, cap);
    if (n && at)
        return v_float(x);
    shown = sc_repr(vm, v_obj(str));
    if (shown.tag != T_NIL)
        sc_raise(vm, C_ValueError, "could not convert string to float: %s", as_str(shown)->s);
    sc_drop(vm, shown);
    return NIL;
}

/* ---- int, float, bool --------------------------------------------------------------- */

static Value int_from(Vm *vm, Value v)
{
    Value r;
    const uint8_t *p;
    int64_t n;

    switch (v.tag) {
    case T_NIL: return v_int(0);
    case T_BOOL:
    case T_INT: return v_int(v.i);
    case T_FLOAT:
        if (isnan(v.f))
            return sc_raise(vm, C_ValueError, "cannot convert float NaN to integer");
        if (isinf(v.f))
            return sc_raise(vm, C_OverflowError, "cannot convert float infinity to integer");
        return long_from_double(vm, v.f);
    default: break;
    }
    if (is_long(vm, v) && !(v.o->cls->script && sc_class_find(v.o->cls, vm->known[S_int])))
        return long_plain(vm, v);
    if (is_str(v))
        return sc_parse_int(vm, as_str(v), 10);
    if (sc_bytes_view(vm, v, &p, &n)) {
        Value text = v_obj(sc_str_n(vm, (const char *)p, (size_t)n));

        r = text.tag == T_NIL ? NIL : sc_parse_int(vm, as_str(text), 10);
        sc_drop(vm, text);
        return r;
    }
    r = v.tag == T_OBJ ? dunder_call(vm, v, S_int, NULL, 0) : NIL;
    if (r.tag == T_NIL && !sc_failed(vm) && v.tag == T_OBJ)
        r = dunder_call(vm, v, S_index, NULL, 0);
    if (r.tag == T_NIL && !sc_failed(vm))
        sc_raise(vm, C_TypeError,
                 "int() argument must be a string, a bytes-like object or a real number, not '%s'",
                 sc_type_name(vm, v));
    return r;
}

static Value int_of_class(Vm *vm, Class *cls, Value v)
{
    Value r;

    if (v.tag == T_NIL || cls == vm->cls[C_int])
        return v;
    r = long_subclass(vm, cls, v);
    sc_drop(vm, v);
    return r;
}

static Value int_make(Vm *vm, Class *cls, const Args *a)
{
    const uint8_t *p;
    int64_t base, n;
    Str *s;
    Value r;

    if (a->v[1].tag == T_NIL)
        return int_of_class(vm, cls, int_from(vm, a->v[0]));
    if (!is_str(a->v[0]) && !sc_is(vm, a->v[0], C_bytes) && !sc_is(vm, a->v[0], C_bytearray))
        return sc_raise(vm, C_TypeError, "int() can't convert non-string with explicit base");
    if (!sc_to_int(vm, a->v[1], &base))
        return NIL;
    if (base != 0 && (base < 2 || base > 36))
        return sc_raise(vm, C_ValueError, "int() base must be >= 2 and <= 36, or 0");
    if (is_str(a->v[0]))
        return int_of_class(vm, cls, sc_parse_int(vm, as_str(a->v[0]), base));
    s = sc_bytes_view(vm, a->v[0], &p, &n) ? sc_str_n(vm, (const char *)p, (size_t)n) : NULL;
    if (!s)
        return NIL;
    r = int_of_class(vm, cls, sc_parse_int(vm, s, base));
    obj_drop(vm, s);
    return r;
}

static Value bool_make(Vm *vm, Class *cls, const Args *a)
{
    int t = a->v[0].tag == T_NIL ? 0 : sc_truth(vm, a->v[0]);

    (void)cls;
    return t < 0 ? NIL : v_bool(t);
}

static Value m_bit_length(Vm *vm, const Args *a)
{
    (void)vm;
    return v_int(long_bits(a->v[0]));
}

static Value m_bit_count(Vm *vm, const Args *a)
{
    (void)vm;
    return v_int(long_ones(a->v[0]));
}

static Value m_is_integer(Vm *vm, const Args *a)
{
    (void)vm;
    (void)a;
    return v_bool(true);
}

static Value m_self(Vm *vm, const Args *a) { return long_plain(vm, a->v[0]); }

static Value m_ratio(Vm *vm, const Args *a)
{
    Value v[2] = {long_plain(vm, a->v[0]), v_int(1)}, r;

    r = v[0].tag == T_NIL ? NIL : v_obj(sc_tuple_of(vm, v, 2));
    sc_drop(vm, v[0]);
    return r;
}

/* 'big' or 'little' */
static bool byte_order(Vm *vm, Value v, bool *big)
{
    const char *s = v.tag == T_NIL ? "big" : sc_to_cstr(vm, v, "byteorder");

    if (!s)
        return false;
    *big = strcmp(s, "big") == 0;
    return *big || strcmp(s, "little") == 0 ||
           sc_fail(vm, C_ValueError, "byteorder must be either 'little' or 'big'");
}

static Value m_to_bytes(Vm *vm, const Args *a)
{
    int64_t n = 1;
    bool big, is_signed = false;

    if ((a->v[1].tag != T_NIL && !sc_to_int(vm, a->v[1], &n)) || !byte_order(vm, a->v[2], &big) ||
        (a->v[3].tag != T_NIL && !sc_to_bool(vm, a->v[3], &is_signed)))
        return NIL;
    if (n < 0)
        return sc_raise(vm, C_ValueError, "length argument must be non-negative");
    return long_to_bytes(vm, a->v[0], n, big, is_signed);
}

static Value c_from_bytes(Vm *vm, const Args *a)
{
    Class *cls = (Class *)a->v[0].o;
    Value b, r = NIL;
    const uint8_t *p;
    int64_t n;
    bool big, is_signed = false;

    if (!byte_order(vm, a->v[2], &big) || (a->v[3].tag != T_NIL && !sc_to_bool(vm, a->v[3], &is_signed)))
        return NIL;
    b = sc_call(vm, v_obj(vm->cls[C_bytes]), &a->v[1], 1);
    if (b.tag != T_NIL && sc_bytes_view(vm, b, &p, &n))
        r = long_from_bytes(vm, p, n, big, is_signed);
    sc_drop(vm, b);
    if (r.tag != T_NIL && cls != vm->cls[C_int]) { /* bool(r), for one */
        b = r;
        r = sc_call(vm, v_obj(cls), &b, 1);
        sc_drop(vm, b);
    }
    return r;
}

static Value int_repr(Vm *vm, Value self)
{
    bool neg;
    Value d = long_digits(vm, self, 10, &neg), r;

    if (d.tag == T_NIL || !neg)
        return d;
    r = sc_strf(vm, "-%s", as_str(d)->s);
    sc_drop(vm, d);
    return r;
}

static bool int_hash(Vm *vm, Value self, uint64_t *out)
{
    int64_t i;
    double f;
    const Long *l = (Long *)self.o;

    if (long_fits(self, &i))
        return sc_hash(vm, v_int(i), out);
    if (!long_to_double(vm, self, &f))
        sc_clear_exc(vm);
    else if (long_compare_double(vm, self, f) == 0)
        return sc_hash(vm, v_float(f), out);
    *out = l->neg;
    for (int64_t k = 0; k < l->n; k++)
        *out = hash_mix(*out, l->d[k]);
    return true;
}

static bool any_int(Vm *vm, Value v) { return v.tag == T_INT || v.tag == T_BOOL || is_long(vm, v); }

static Value int_compare(Vm *vm, CmpOp op, Value a, Value b)
{
    int c;

    if (b.tag == T_FLOAT && isnan(b.f))
        return v_bool(op == CMP_NE);
    if (b.tag == T_FLOAT)
        c = long_compare_double(vm, a, b.f);
    else if (any_int(vm, b))
        c = long_compare(vm, a, b);
    else
        return NOTIMPL;
    return v_bool(op == CMP_LT   ? c < 0
                  : op == CMP_LE ? c <= 0
                  : op == CMP_EQ ? c == 0
                  : op == CMP_NE ? c != 0
                  : op == CMP_GT ? c > 0
                                 : c >= 0);
}

/* Where one of the two is an object; the machine does the others itself. */
static Value int_binary(Vm *vm, BinOp op, Value a, Value b, bool reflected, bool inplace)
{
    double x, y;
    int64_t i, j;

    (void)reflected;
    (void)inplace;
    if (any_int(vm, a) && any_int(vm, b)) {
        if (long_fits(a, &i) && long_fits(b, &j))
            return sc_binary(vm, op, v_int(i), v_int(j), false);
        return long_binary(vm, op, a, b);
    }
    if (op > OP2_POW || !(a.tag == T_FLOAT || any_int(vm, a)) || !(b.tag == T_FLOAT || any_int(vm, b)))
        return NOTIMPL;
    return sc_to_double(vm, a, &x) && sc_to_double(vm, b, &y) ? sc_binary(vm, op, v_float(x), v_float(y), false) : NIL;
}

static int int_truth(Vm *vm, Value self)
{
    (void)vm;
    return self.tag == T_OBJ ? ((Long *)self.o)->n != 0 : self.i != 0;
}

static void int_destroy(Vm *vm, Obj *o)
{
    Long *l = (Long *)o;
    Dict *d = l->attrs;

    sc_free(vm, l->d, (size_t)l->n * sizeof *l->d);
    l->d = NULL;
    l->n = 0;
    l->attrs = NULL;
    if (d)
        obj_drop(vm, d);
}

static void int_visit(Obj *o, VisitFn fn, void *user)
{
    if (((Long *)o)->attrs)
        fn(v_obj(((Long *)o)->attrs), user);
}

static Value m_abs(Vm *vm, const Args *a)
{
    return long_compare(vm, a->v[0], v_int(0)) < 0 ? long_unary(vm, OP1_NEG, a->v[0]) : long_plain(vm, a->v[0]);
}

static Value m_int(Vm *vm, const Args *a) { return long_plain(vm, a->v[0]); }

static Value m_round(Vm *vm, const Args *a)
{
    Value one = v_int(1), ten, half, r, s;
    int64_t d = 0;

    if (a->v[1].tag != T_NIL && a->v[1].tag != T_NONE && !sc_to_int(vm, a->v[1], &d))
        return NIL;
    if (d >= 0)
        return long_plain(vm, a->v[0]);
    ten = long_binary(vm, OP2_POW, v_int(10), v_int(-d)); /* to the nearest multiple, a tie to the even one */
    half = ten.tag == T_NIL ? NIL : long_binary(vm, OP2_FLOORDIV, ten, v_int(2));
    r = half.tag == T_NIL ? NIL : long_binary(vm, OP2_MOD, a->v[0], ten);
    s = r.tag == T_NIL ? NIL : long_binary(vm, OP2_FLOORDIV, a->v[0], ten);
    if (s.tag != T_NIL) {
        int c = long_compare(vm, r, half);
        Value odd = long_binary(vm, OP2_MOD, s, v_int(2)), up;

        if (c > 0 || (c == 0 && odd.i)) {
            up = long_binary(vm, OP2_ADD, s, one);
            sc_drop(vm, s);
            s = up;
        }
        up = s.tag == T_NIL ? NIL : long_binary(vm, OP2_MUL, s, ten);
        sc_drop(vm, s);
        s = up;
    }
    sc_drop(vm, ten);
    sc_drop(vm, half);
    sc_drop(vm, r);
    return s;
}

static Value get_zero(Vm *vm, Value self)
{
    (void)vm;
    (void)self;
    return v_int(0);
}

static Value get_self(Vm *vm, Value self) { return long_plain(vm, self); }

static Value get_one(Vm *vm, Value self)
{
    (void)vm;
    (void)self;
    return v_int(1);
}

static const NativeDef int_methods[] = {
    {"bit_length", m_bit_length, "self"}, {"bit_count", m_bit_count, "self"},
    {"is_integer", m_is_integer, "self"}, {"conjugate", m_self, "self"},
    {"as_integer_ratio", m_ratio, "self"}, {"__index__", m_self, "self"},
    {"to_bytes", m_to_bytes, "self|length,byteorder$signed"}, {"__abs__", m_abs, "self"},
    {"__int__", m_int, "self"}, {"__round__", m_round, "self|ndigits"}, {0}};
static const NativeDef int_classmethods[] = {
    {"from_bytes", c_from_bytes, "cls,bytes|byteorder$signed"}, {0}};
static const PropertyDef int_properties[] = {{"real", get_self, NULL},
                                             {"imag", get_zero, NULL},
                                             {"numerator", get_self, NULL},
                                             {"denominator", get_one, NULL},
                                             {0}};

const ClassDef sc_int_def = {.name = "int", .size = sizeof(Long), .attrs_at = offsetof(Long, attrs),
                             .make = int_make, .make_params = "|x,base", .methods = int_methods,
                             .classmethods = int_classmethods, .properties = int_properties,
                             .destroy = int_destroy, .visit = int_visit, .repr = int_repr,
                             .hash = int_hash, .compare = int_compare, .binary = int_binary,
                             .unary = long_unary, .truth = int_truth};
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
