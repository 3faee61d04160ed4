/* complex.c -- the class complex, as CPython 3.11 computes with it.
 *
 * Products are plain, quotients scaled by the larger part of the divisor, whole powers up
 * to 100 by products, others by modulus and angle: the digits are those of CPython.
 */
#include "numbers.h"
#include "dunder.h"
#include "long.h"

#include <math.h>

typedef struct Complex {
    Obj h;
    double re, im;
} Complex;

Value sc_complex(Vm *vm, double re, double im)
{
    Complex *z = (Complex *)sc_obj_new(vm, vm->cls[C_complex], sizeof *z);

    if (z) {
        z->re = re;
        z->im = im;
    }
    return v_obj(z);
}

bool sc_is_complex(Vm *vm, Value v, double *re, double *im)
{
    if (!sc_is_exact(vm, v, C_complex))
        return false;
    *re = ((Complex *)v.o)->re;
    *im = ((Complex *)v.o)->im;
    return true;
}

/* A number of the language as a complex one. */
static bool number(Vm *vm, Value v, double *re, double *im)
{
    *im = 0;
    switch (v.tag) {
    case T_BOOL:
    case T_INT: *re = (double)v.i; return true;
    case T_FLOAT: *re = v.f; return true;
    default: return sc_is_complex(vm, v, re, im);
    }
}

bool sc_to_complex(Vm *vm, Value v, double *re, double *im)
{
    Value r;
    bool ok;

    if (number(vm, v, re, im))
        return true;
    r = v.tag == T_OBJ ? dunder_call(vm, v, S_complex, NULL, 0) : NIL;
    if (r.tag == T_NIL)
        return !sc_failed(vm) && sc_to_double(vm, v, re);
    ok = sc_is_complex(vm, r, re, im) ||
         sc_fail(vm, C_TypeError, "__complex__ returned non-complex (type %s)",
                 sc_type_name(vm, r));
    sc_drop(vm, r);
    return ok;
}

/* ---- arithmetic -------------------------------------------------------------------- */

typedef struct Pair {
    double re, im;
} Pair;

static Pair product(Pair a, Pair b)
{
    return (Pair){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

static bool quotient(Pair a, Pair b, Pair *out)
{
    double c = fabs(b.re), d = fabs(b.im), r, scale;

    if (c >= d) {
        if (c == 0)
            return false;
        r = b.im / b.re;
        scale = b.re + b.im * r;
        *out = (Pair){(a.re + a.im * r) / scale, (a.im - a.re * r) / scale};
    } else if (d >= c) {
        r = b.re / b.im;
        scale = b.re * r + b.im;
        *out = (Pair){(a.re * r + a.im) / scale, (a.im * r - a.re) / scale};
    } else {
        *out = (Pair){NAN, NAN};
    }
    return true;
}

static bool whole_power(Pair x, int n, Pair *out)
{
    Pair r = {1, 0}, p = x;

    for (int mask = 1, m = n < 0 ? -n : n; mask > 0 && m >= mask; mask <<= 1) {
        if (m & mask)
            r = product(r, p);
        p = product(p, p);
    }
    *out = r;
    return n >= 0 || quotient((Pair){1, 0}, r, out);
}

static bool power(Pair a, Pair b, Pair *out)
{
    double modulus, angle, length, phase;

    if (b.im == 0 && b.re == floor(b.re) && fabs(b.re) <= 100)
        return whole_power(a, (int)b.re, out);
    if (a.re == 0 && a.im == 0) {
        *out = (Pair){0, 0};
        return b.im == 0 && b.re >= 0;
    }
    modulus = hypot(a.re, a.im);
    angle = atan2(a.im, a.re);
    length = pow(modulus, b.re);
    phase = angle * b.re;
    if (b.im != 0) {
        length /= exp(angle * b.im);
        phase += b.im * log(modulus);
    }
    *out = (Pair){length * cos(phase), length * sin(phase)};
    return true;
}

static Value checked_power(Vm *vm, Pair a, Pair b)
{
    Pair z;

    if (!power(a, b, &z))
        return sc_raise(vm, C_ZeroDivisionError, "0.0 to a negative or complex power");
    if ((isinf(z.re) || isinf(z.im)) && isfinite(a.re) && isfinite(a.im) &&
        isfinite(b.re) && isfinite(b.im))
        return sc_raise(vm, C_OverflowError, "complex exponentiation");
    return sc_complex(vm, z.re, z.im);
}

Value sc_complex_pow(Vm *vm, double a, double b)
{
    return checked_power(vm, (Pair){a, 0}, (Pair){b, 0});
}

static Value complex_binary(Vm *vm, BinOp op, Value x, Value y, bool reflected,
                            bool inplace)
{
    Pair a, b, z;

    (void)reflected, (void)inplace;
    if (!number(vm, x, &a.re, &a.im) || !number(vm, y, &b.re, &b.im))
        return NOTIMPL;
    switch (op) {
    case OP2_ADD: return sc_complex(vm, a.re + b.re, a.im + b.im);
    case OP2_SUB: return sc_complex(vm, a.re - b.re, a.im - b.im);
    case OP2_MUL: z = product(a, b); break;
    case OP2_DIV:
        if (!quotient(a, b, &z))
            return sc_raise(vm, C_ZeroDivisionError, "complex division by zero");
        break;
    case OP2_POW: return checked_power(vm, a, b);
    default: return NOTIMPL;
    }
    return sc_complex(vm, z.re, z.im);
}

static Value complex_unary(Vm *vm, UnOp op, Value v)
{
    Complex *z = (Complex *)v.o;

    if (op == OP1_INVERT)
        return sc_raise(vm, C_TypeError, "bad operand type for unary ~: 'complex'");
    return op == OP1_NEG ? sc_complex(vm, -z->re, -z->im) : sc_ref(v);
}

static Value complex_compare(Vm *vm, CmpOp op, Value x, Value y)
{
    Pair a, b;

    if ((op == CMP_EQ || op == CMP_NE) && is_long(vm, y) && sc_is_complex(vm, x, &a.re, &a.im)) /* each digit counts */
        return v_bool((a.im == 0 && !isnan(a.re) && long_compare_double(vm, y, a.re) == 0) == (op == CMP_EQ));
    if ((op != CMP_EQ && op != CMP_NE) || !number(vm, x, &a.re, &a.im) ||
        !number(vm, y, &b.re, &b.im))
        return NOTIMPL;
    return v_bool((a.re == b.re && a.im == b.im) == (op == CMP_EQ));
}

/* Equal numbers have equal hashes, whatever their class. */
static bool complex_hash(Vm *vm, Value v, uint64_t *out)
{
    Complex *z = (Complex *)v.o;
    uint64_t im;

    if (!sc_hash(vm, v_float(z->re), out) || !sc_hash(vm, v_float(z->im), &im))
        return false;
    if (z->im != 0)
        *out = hash_mix(*out, im);
    return true;
}

static int complex_truth(Vm *vm, Value v)
{
    (void)vm;
    return ((Complex *)v.o)->re != 0 || ((Complex *)v.o)->im != 0;
}

static Value complex_repr(Vm *vm, Value v)
{
    Complex *z = (Complex *)v.o;
    char s[2 * NUMBER_MAX + 8];
    int n = 0;

    if (z->re == 0 && !signbit(z->re)) {
        n = number_f64(s, z->im);
        s[n++] = 'j';
        return v_obj(sc_str_n(vm, s, (size_t)n));
    }
    s[n++] = '(';
    n += number_f64(s + n, z->re);
    if (!signbit(z->im) || isnan(z->im))
        s[n++] = '+';
    n += number_f64(s + n, z->im);
    memcpy(s + n, "j)", 2);
    return v_obj(sc_str_n(vm, s, (size_t)n + 2));
}

/* ---- making ------------------------------------------------------------------------ */

static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/* One part at s, which may lack its digits before a j: +j. */
static const char *scan_part(const char *s, const char *end, double *out)
{
    const char *e = number_parse_f64(s, end, out);
    bool minus = *s == '-';

    if (e)
        return e;
    s += minus || *s == '+';
    *out = minus ? -1 : 1;
    return (*s | 32) == 'j' ? s : NULL;
}

/* " ( 1.5 - 2e3j ) ", inner blanks only beside the parentheses. */
static Value complex_parse(Vm *vm, Str *text)
{
    const char *s = text->s, *end = text->s + text->n;
    double x, y = 0;

    while (is_space(*s))
        s++;
    while (end > s && is_space(end[-1]))
        end--;
    if (end > s + 1 && *s == '(' && end[-1] == ')') {
        for (s++; is_space(*s);)
            s++;
        for (end--; end > s && is_space(end[-1]);)
            end--;
    }
    s = s < end ? scan_part(s, end, &x) : NULL;
    if (s && s < end && (*s | 32) == 'j') {
        y = x;
        x = 0;
        s++;
    } else if (s && s < end && (*s == '+' || *s == '-')) {
        s = scan_part(s, end, &y);
        s = s && s < end && (*s | 32) == 'j' ? s + 1 : NULL;
    }
    if (!s || s != end)
        return sc_raise(vm, C_ValueError, "complex() arg is a malformed string");
    return sc_complex(vm, x, y);
}

static Value complex_make(Vm *vm, Class *cls, const Args *a)
{
    Value x = a->v[0], y = a->v[1];
    Pair u = {0, 0}, v = {0, 0};

    (void)cls;
    if (is_str(x))
        return y.tag == T_NIL
                   ? complex_parse(vm, as_str(x))
                   : sc_raise(vm, C_TypeError,
                              "complex() can't take second arg if first is a string");
    if (is_str(y))
        return sc_raise(vm, C_TypeError, "complex() second arg can't be a string");
    if (x.tag != T_NIL && !sc_to_complex(vm, x, &u.re, &u.im)) {
        if (x.tag == T_OBJ && x.o->cls->script && sc_class_find(x.o->cls, vm->known[S_complex]))
            return NIL;
        sc_clear_exc(vm);
        return sc_raise(vm, C_TypeError,
                        "complex() first argument must be a string or a number, not '%s'",
                        sc_type_name(vm, x));
    }
    if (y.tag == T_NIL)
        return sc_complex(vm, u.re, u.im);
    if (!sc_to_complex(vm, y, &v.re, &v.im)) {
        sc_clear_exc(vm);
        return sc_raise(vm, C_TypeError,
                        "complex() second argument must be a number, not '%s'",
                        sc_type_name(vm, y));
    }
    /* i v is (-v.im, v.re); parts that are not there keep the sign of the zeros that are */
    return sc_complex(vm, v.im != 0 ? u.re - v.im : u.re, u.im != 0 ? u.im + v.re : v.re);
}

/* ---- methods ----------------------------------------------------------------------- */

static Value m_conjugate(Vm *vm, const Args *a)
{
    Complex *z = (Complex *)a->v[0].o;

    return sc_complex(vm, z->re, -z->im);
}

static Value m_abs(Vm *vm, const Args *a)
{
    Complex *z = (Complex *)a->v[0].o;
    double r = hypot(z->re, z->im);

    if (isinf(r) && isfinite(z->re) && isfinite(z->im))
        return sc_raise(vm, C_OverflowError, "absolute value too large");
    return v_float(r);
}

static Value m_complex(Vm *vm, const Args *a)
{
    (void)vm;
    return sc_ref(a->v[0]);
}

static Value get_real(Vm *vm, Value self)
{
    (void)vm;
    return v_float(((Complex *)self.o)->re);
}

static Value get_imag(Vm *vm, Value self)
{
    (void)vm;
    return v_float(((Complex *)self.o)->im);
}

static const NativeDef methods[] = {{"conjugate", m_conjugate, "self"},
                                    {"__abs__", m_abs, "self"},
                                    {"__complex__", m_complex, "self"},
                                    {0}};
static const PropertyDef properties[] = {
    {"real", get_real, NULL}, {"imag", get_imag, NULL}, {0}};

const ClassDef sc_complex_def = {
    .name = "complex",
    .size = sizeof(Complex),
    .sealed = true,
    .make = complex_make,
    .make_params = "|real,imag",
    .methods = methods,
    .properties = properties,
    .repr = complex_repr,
    .hash = complex_hash,
    .truth = complex_truth,
    .compare = complex_compare,
    .binary = complex_binary,
    .unary = complex_unary,
};
