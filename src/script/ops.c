/* ops.c -- what operators, truth, items, iteration, repr and hash mean for any values.
 *
 * ints have 64 bits here; long.c has those that do not fit. // and % round towards minus
 * infinity, / of ints is the nearest double.
 *
 * Operands are borrowed, often from a container, and what runs here may be code of the
 * script that empties it. So comparison, hashing, arithmetic and text hold their operands
 * until they are done. A container need not hold its elements for them, but after each
 * such call it must look at its size and its array afresh.
 */
#include "script.h"
#include "dunder.h"
#include "long.h"

#include <math.h>
#include <stdio.h>

#define C_DEPTH 220 /* nested C calls that every stack holds: repr, comparison, natives that call back */

/* Does this thread's stack hold another? Asked for anew whenever the depth is first passed: it may be another thread. */
static bool stack_holds(Vm *vm)
{
    if (vm->cdepth == C_DEPTH + 1)
        vm->stack_floor = cpu_stack_floor();
    return vm->cdepth <= vm->max_depth && vm->stack_floor &&
           (const char *)__builtin_frame_address(0) > vm->stack_floor;
}

bool sc_enter(Vm *vm)
{
    if (++vm->cdepth <= C_DEPTH || stack_holds(vm))
        return true;
    vm->cdepth--;
    return sc_fail(vm, C_RecursionError, "maximum recursion depth exceeded");
}

const char *sc_type_name(Vm *vm, Value v) { return sc_class_of(vm, v)->name->s; }

/* ---- arithmetic -------------------------------------------------------------------- */

static const char *const symbols[] = {"+", "-", "*", "/", "//", "%", "** or pow()",
                                      "<<", ">>", "&", "|", "^", "@"};

Value sc_int_pow(Vm *vm, int64_t a, int64_t b)
{
    int64_t r = 1, base = a, e = b;

    if (b < 0) {
        if (a == 0)
            return sc_raise(vm, C_ZeroDivisionError,
                            "0.0 cannot be raised to a negative power");
        return v_float(pow((double)a, (double)b));
    }
    for (;;) {
        if ((b & 1) && !mul_i64(r, a, &r))
            break;
        b >>= 1;
        if (!b)
            return v_int(r);
        if (!mul_i64(a, a, &a))
            break;
    }
    return long_binary(vm, OP2_POW, v_int(base), v_int(e));
}

double sc_float_mod(double a, double b)
{
    double r = fmod(a, b);

    if (r != 0 && (r < 0) != (b < 0))
        return r + b;
    return r == 0 ? copysign(0, b) : r;
}

double sc_float_floordiv(double a, double b)
{
    double m = fmod(a, b), d = (a - m) / b, f;

    if (m != 0 && (m < 0) != (b < 0))
        d -= 1;
    if (d == 0)
        return copysign(0, a / b);
    f = floor(d);
    return d - f > 0.5 ? f + 1 : f;
}

static Value int_div(Vm *vm, int64_t a, int64_t b)
{
    if (b == 0)
        return sc_raise(vm, C_ZeroDivisionError, "division by zero");
    if (a > (int64_t)1 << 53 || a < -((int64_t)1 << 53) || b > (int64_t)1 << 53 || b < -((int64_t)1 << 53))
        return long_binary(vm, OP2_DIV, v_int(a), v_int(b));
    return v_float((double)a / (double)b);
}

static Value int_binary(Vm *vm, BinOp op, int64_t a, int64_t b)
{
    int64_t r;

#define LARGE long_binary(vm, op, v_int(a), v_int(b))
    switch (op) {
    case OP2_ADD: return add_i64(a, b, &r) ? v_int(r) : LARGE;
    case OP2_SUB: return __builtin_sub_overflow(a, b, &r) ? LARGE : v_int(r);
    case OP2_MUL: return mul_i64(a, b, &r) ? v_int(r) : LARGE;
    case OP2_DIV: return int_div(vm, a, b);
    case OP2_FLOORDIV:
    case OP2_MOD:
        if (b == 0)
            return sc_raise(vm, C_ZeroDivisionError,
                            op == OP2_MOD ? "integer modulo by zero"
                                          : "integer division or modulo by zero");
        if (b == -1)
            return op == OP2_MOD        ? v_int(0)
                   : a == INT64_MIN ? LARGE
                                    : v_int(-a);
        r = a % b;
        if (op == OP2_MOD)
            return v_int(r != 0 && (r < 0) != (b < 0) ? r + b : r);
        return v_int(a / b - (r != 0 && (r < 0) != (b < 0)));
    case OP2_POW: return sc_int_pow(vm, a, b);
    case OP2_LSHIFT:
        if (b < 0)
            return sc_raise(vm, C_ValueError, "negative shift count");
        if (a == 0)
            return v_int(0);
        if (b >= 63 || (a > 0 ? a > INT64_MAX >> b : a < INT64_MIN >> b))
            return LARGE;
        return v_int((int64_t)((uint64_t)a << b));
    case OP2_RSHIFT:
        if (b < 0)
            return sc_raise(vm, C_ValueError, "negative shift count");
        return v_int(b > 63 ? (a < 0 ? -1 : 0) : a >> b);
    case OP2_AND: return v_int(a & b);
    case OP2_OR: return v_int(a | b);
    case OP2_XOR: return v_int(a ^ b);
    default: return NOTIMPL;
    }
#undef LARGE
}

static Value float_pow(Vm *vm, double a, double b)
{
    double r;

    if (a == 0 && b < 0)
        return sc_raise(vm, C_ZeroDivisionError, "0.0 cannot be raised to a negative power");
    if (a < 0 && isfinite(a) && isfinite(b) && b != floor(b))
        return sc_complex_pow(vm, a, b);
    r = pow(a, b);
    if (isinf(r) && isfinite(a) && isfinite(b))
        return sc_raise(vm, C_OverflowError, "(34, 'Numerical result out of range')");
    return v_float(r);
}

static Value float_binary(Vm *vm, BinOp op, double a, double b)
{
    switch (op) {
    case OP2_ADD: return v_float(a + b);
    case OP2_SUB: return v_float(a - b);
    case OP2_MUL: return v_float(a * b);
    case OP2_DIV:
        return b == 0 ? sc_raise(vm, C_ZeroDivisionError, "float division by zero")
                      : v_float(a / b);
    case OP2_FLOORDIV:
        return b == 0 ? sc_raise(vm, C_ZeroDivisionError, "float floor division by zero")
                      : v_float(sc_float_floordiv(a, b));
    case OP2_MOD:
        return b == 0 ? sc_raise(vm, C_ZeroDivisionError, "float modulo")
                      : v_float(sc_float_mod(a, b));
    case OP2_POW: return float_pow(vm, a, b);
    default: return NOTIMPL;
    }
}

static bool is_int(Value v) { return v.tag == T_INT || v.tag == T_BOOL; }
static bool is_number(Value v) { return v.tag >= T_BOOL && v.tag <= T_FLOAT; }
static double as_double(Value v) { return v.tag == T_FLOAT ? v.f : (double)v.i; }

static Value number_binary(Vm *vm, BinOp op, Value a, Value b)
{
    if (is_int(a) && is_int(b)) {
        if (a.tag == T_BOOL && b.tag == T_BOOL && op >= OP2_AND && op <= OP2_XOR)
            return v_bool(op == OP2_AND ? a.i & b.i : op == OP2_OR ? a.i | b.i : a.i ^ b.i);
        return int_binary(vm, op, a.i, b.i);
    }
    return float_binary(vm, op, as_double(a), as_double(b));
}

static bool is_sequence(Vm *vm, Value v) { return is_str(v) || sc_is(vm, v, C_list) || sc_is(vm, v, C_tuple) || sc_is(vm, v, C_bytes); }
static bool is_script_object(Value v) { return v.tag == T_OBJ && v.o->cls->script; }

static Value unsupported(Vm *vm, BinOp op, Value a, Value b, bool inplace)
{
    if (op == OP2_ADD && is_str(a))
        return sc_raise(vm, C_TypeError, "can only concatenate str (not \"%s\") to str",
                        sc_type_name(vm, b));
    if (op == OP2_ADD && (sc_is(vm, a, C_list) || sc_is(vm, a, C_tuple)))
        return sc_raise(vm, C_TypeError, "can only concatenate %s (not \"%s\") to %s",
                        sc_type_name(vm, a), sc_type_name(vm, b), sc_type_name(vm, a));
    if (op == OP2_MUL && (is_sequence(vm, a) || is_sequence(vm, b)) && !(is_script_object(a) || is_script_object(b)))
        return sc_raise(vm, C_TypeError, "can't multiply sequence by non-int of type '%s'",
                        sc_type_name(vm, is_sequence(vm, a) ? b : a));
    return sc_raise(vm, C_TypeError, "unsupported operand type(s) for %s%s: '%s' and '%s'",
                    op == OP2_POW && inplace ? "**" : symbols[op], inplace ? "=" : "",
                    sc_type_name(vm, a), sc_type_name(vm, b));
}

/* A sequence is repeated, and a list extended in place, only if the other operand's own rule
 * does not serve: [1, 2] * array is the array's product. */
static bool asks_other_first(Vm *vm, BinOp op, Value a, Value b, bool inplace)
{
    return (op == OP2_MUL || (op == OP2_ADD && inplace)) && b.tag == T_OBJ && is_sequence(vm, a) &&
           !is_script_object(a) && !is_sequence(vm, b) && b.o->cls->d.binary;
}

Value sc_binary(Vm *vm, BinOp op, Value a, Value b, bool inplace)
{
    Class *ca, *cb;
    Value r = NOTIMPL;
    bool tried = false;

    if (is_number(a) && is_number(b)) {
        r = number_binary(vm, op, a, b);
        if (r.tag == T_NOTIMPL && op == OP2_MATMUL)
            return unsupported(vm, op, a, b, inplace);
        if (r.tag != T_NOTIMPL)
            return r;
    }
    ca = sc_class_of(vm, a);
    cb = sc_class_of(vm, b);
    if (!sc_enter(vm))
        return NIL;
    sc_ref(a);
    sc_ref(b);
    if (ca != cb && cb->d.binary && sc_is_subclass(cb, ca) &&
        dunder_reflects_first(vm, op, ca, cb, inplace)) {
        r = cb->d.binary(vm, op, a, b, true, false);
        tried = true;
    }
    if (!tried && asks_other_first(vm, op, a, b, inplace)) {
        r = cb->d.binary(vm, op, a, b, true, false);
        tried = true;
    }
    if (r.tag == T_NOTIMPL && ca->d.binary)
        r = ca->d.binary(vm, op, a, b, false, inplace);
    if (r.tag == T_NOTIMPL && !tried && cb != ca && cb->d.binary)
        r = cb->d.binary(vm, op, a, b, true, false);
    sc_leave(vm);
    if (r.tag == T_NOTIMPL)
        r = unsupported(vm, op, a, b, inplace);
    sc_drop(vm, a);
    sc_drop(vm, b);
    return r;
}

Value sc_unary(Vm *vm, UnOp op, Value a)
{
    static const char *const names[] = {"-", "+", "~"};
    Class *c;
    Value r = NIL;

    if (op == OP1_NOT) {
        int t = sc_truth(vm, a);

        return t < 0 ? NIL : v_bool(!t);
    }
    if (is_int(a)) {
        if (op == OP1_NEG)
            return a.i == INT64_MIN ? long_unary(vm, op, a) : v_int(-a.i);
        return v_int(op == OP1_POS ? a.i : ~a.i);
    }
    if (a.tag == T_FLOAT && op != OP1_INVERT)
        return v_float(op == OP1_NEG ? -a.f : a.f);
    c = sc_class_of(vm, a);
    if (c->d.unary)
        r = c->d.unary(vm, op, a);
    if (r.tag == T_NIL && !sc_failed(vm))
        sc_raise(vm, C_TypeError, "bad operand type for unary %s: '%s'", names[op],
                 sc_type_name(vm, a));
    return r;
}

/* ---- comparison -------------------------------------------------------------------- */

bool sc_same(Value a, Value b)
{
    if (a.tag != b.tag)
        return false;
    return a.tag == T_OBJ ? a.o == b.o
           : a.tag == T_FLOAT ? memcmp(&a.f, &b.f, sizeof a.f) == 0
                              : a.i == b.i;
}

/* An int with a double, exactly. */
static int compare_int_float(int64_t i, double f)
{
    if (f >= 9223372036854775808.0)
        return -1;
    if (f < -9223372036854775808.0)
        return 1;
    int64_t t = (int64_t)f;

    if (i != t)
        return i < t ? -1 : 1;
    return f > (double)t ? -1 : f < (double)t ? 1 : 0;
}

static bool compare_numbers(CmpOp op, Value a, Value b)
{
    int c;

    if (is_int(a) && is_int(b)) {
        c = a.i < b.i ? -1 : a.i > b.i;
    } else {
        double x = as_double(a), y = as_double(b);

        if (x != x || y != y)
            return op == CMP_NE;
        c = a.tag == T_FLOAT && b.tag == T_FLOAT ? (x < y ? -1 : x > y)
            : a.tag == T_FLOAT                   ? -compare_int_float(b.i, x)
                                                 : compare_int_float(a.i, y);
    }
    switch (op) {
    case CMP_LT: return c < 0;
    case CMP_LE: return c <= 0;
    case CMP_EQ: return c == 0;
    case CMP_NE: return c != 0;
    case CMP_GT: return c > 0;
    default: return c >= 0;
    }
}

static CmpOp swapped(CmpOp op)
{
    static const uint8_t s[] = {CMP_GT, CMP_GE, CMP_EQ, CMP_NE, CMP_LT, CMP_LE};

    return (CmpOp)s[op];
}

Value sc_compare(Vm *vm, CmpOp op, Value a, Value b)
{
    static const char *const names[] = {"<", "<=", "==", "!=", ">", ">="};
    Class *ca, *cb;
    Value r = NOTIMPL;
    bool first; /* the right one's class is derived from the left one's: it is asked first */
    int t;

    switch (op) {
    case CMP_IS: return v_bool(sc_same(a, b));
    case CMP_ISNOT: return v_bool(!sc_same(a, b));
    case CMP_IN:
    case CMP_NOTIN:
        t = sc_contains(vm, b, a);
        return t < 0 ? NIL : v_bool(t == (op == CMP_IN));
    default: break;
    }
    if (is_number(a) && is_number(b))
        return v_bool(compare_numbers(op, a, b));
    ca = sc_class_of(vm, a);
    cb = sc_class_of(vm, b);
    if (!sc_enter(vm))
        return NIL;
    sc_ref(a);
    sc_ref(b);
    first = ca != cb && cb->d.compare && sc_is_subclass(cb, ca);
    if (first)
        r = cb->d.compare(vm, swapped(op), b, a);
    if (r.tag == T_NOTIMPL && ca->d.compare)
        r = ca->d.compare(vm, op, a, b);
    if (r.tag == T_NOTIMPL && !first && cb->d.compare && (cb != ca || cb->script))
        r = cb->d.compare(vm, swapped(op), b, a);
    sc_leave(vm);
    if (r.tag == T_NOTIMPL && (op == CMP_EQ || op == CMP_NE))
        r = v_bool(sc_same(a, b) == (op == CMP_EQ));
    else if (r.tag == T_NOTIMPL)
        r = sc_raise(vm, C_TypeError, "'%s' not supported between instances of '%s' and '%s'",
                     names[op], sc_type_name(vm, a), sc_type_name(vm, b));
    sc_drop(vm, a);
    sc_drop(vm, b);
    return r;
}

static int truth_of(Vm *vm, Value r)
{
    int t;

    if (r.tag == T_NIL)
        return -1;
    t = sc_truth(vm, r);
    sc_drop(vm, r);
    return t;
}

int sc_equal(Vm *vm, Value a, Value b)
{
    if (a.tag == T_OBJ && b.tag == T_OBJ) {
        if (a.o == b.o)
            return 1;
        if (a.o->cls == vm->cls[C_str] && b.o->cls == vm->cls[C_str])
            return sc_str_eq(as_str(a), as_str(b));
    }
    if (a.tag == T_FLOAT && b.tag == T_FLOAT && a.f != a.f)
        return sc_same(a, b);
    return truth_of(vm, sc_compare(vm, CMP_EQ, a, b));
}

int sc_less(Vm *vm, Value a, Value b)
{
    if (a.tag == T_INT && b.tag == T_INT)
        return a.i < b.i;
    if (a.tag == T_FLOAT && b.tag == T_FLOAT)
        return a.f < b.f;
    return truth_of(vm, sc_compare(vm, CMP_LT, a, b));
}

/* ---- hash, truth ------------------------------------------------------------------- */

bool sc_hash(Vm *vm, Value v, uint64_t *out)
{
    Class *c;

    switch (v.tag) {
    case T_BOOL:
    case T_INT: *out = hash_mix(1, (uint64_t)v.i); return true;
    case T_FLOAT:
        if (v.f == floor(v.f) && v.f >= -9.2e18 && v.f <= 9.2e18) {
            *out = hash_mix(1, (uint64_t)(int64_t)v.f);
        } else {
            uint64_t bits;

            memcpy(&bits, &v.f, sizeof bits);
            *out = hash_mix(2, bits);
        }
        return true;
    case T_OBJ: break;
    default: *out = hash_mix(3, v.tag); return true;
    }
    c = v.o->cls;
    if (c == vm->cls[C_str]) {
        *out = sc_str_hash(as_str(v));
        return true;
    }
    if (c->d.hash) {
        bool ok;

        if (!sc_enter(vm))
            return false;
        sc_ref(v);
        ok = c->d.hash(vm, v, out);
        sc_drop(vm, v);
        sc_leave(vm);
        return ok;
    }
    *out = hash_mix(5, (uint64_t)(uintptr_t)v.o >> 4);
    return true;
}

/* What hash() says of an object: the int whose hash is h, so that a __hash__ which hands on the hash of another
 * value puts both at the same place. The inverse of hash_mix(1, n). */
int64_t sc_hash_public(uint64_t h)
{
    h ^= h >> 29 ^ h >> 58;
    return (int64_t)(h * 0xF1DE83E19937733Du ^ 1);
}

int sc_truth_slow(Vm *vm, Value v)
{
    Class *c;
    int64_t n;

    switch (v.tag) {
    case T_FLOAT: return v.f != 0;
    case T_ELLIPSIS:
    case T_NOTIMPL: return 1;
    case T_OBJ: break;
    default: return v.i != 0;
    }
    c = v.o->cls;
    if (c->d.truth)
        return c->d.truth(vm, v);
    if (c->d.len)
        return c->d.len(vm, v, &n) ? n != 0 : -1;
    return 1;
}

bool sc_to_bool(Vm *vm, Value v, bool *out)
{
    int t = sc_truth(vm, v);

    *out = t == 1;
    return t >= 0;
}

/* ---- items ------------------------------------------------------------------------- */

Value sc_getitem(Vm *vm, Value v, Value key)
{
    Class *c = sc_class_of(vm, v);

    if (c->d.getitem)
        return c->d.getitem(vm, v, key);
    return sc_raise(vm, C_TypeError, "'%s' object is not subscriptable", sc_type_name(vm, v));
}

bool sc_setitem(Vm *vm, Value v, Value key, Value x)
{
    Class *c = sc_class_of(vm, v);

    if (c->d.setitem)
        return c->d.setitem(vm, v, key, x);
    return sc_fail(vm, C_TypeError, "'%s' object %s", sc_type_name(vm, v),
                   x.tag == T_NIL ? "doesn't support item deletion"
                                  : "does not support item assignment");
}

bool sc_len(Vm *vm, Value v, int64_t *out)
{
    Class *c = sc_class_of(vm, v);

    if (c->d.len)
        return c->d.len(vm, v, out);
    return sc_fail(vm, C_TypeError, "object of type '%s' has no len()", sc_type_name(vm, v));
}

int sc_contains(Vm *vm, Value v, Value x)
{
    Class *c = sc_class_of(vm, v);
    Value it, e;
    int r = 0;

    if (c->d.contains)
        return c->d.contains(vm, v, x);
    it = sc_iter(vm, v);
    if (it.tag == T_NIL) {
        if (sc_exc_is(vm, C_TypeError))
            sc_raise(vm, C_TypeError, "argument of type '%s' is not iterable",
                     sc_type_name(vm, v));
        return -1;
    }
    while (r == 0 && (e = sc_next(vm, it)).tag != T_NIL) {
        r = sc_equal(vm, e, x);
        sc_drop(vm, e);
    }
    sc_drop(vm, it);
    return sc_failed(vm) ? -1 : r;
}

Value sc_iter(Vm *vm, Value v)
{
    Class *c = sc_class_of(vm, v);
    Value r;

    if (c->d.iter) {
        r = c->d.iter(vm, v);
        if (r.tag != T_NIL && !sc_class_of(vm, r)->d.next) {
            sc_raise(vm, C_TypeError, "iter() returned non-iterator of type '%s'",
                     sc_type_name(vm, r));
            sc_drop(vm, r);
            return NIL;
        }
        return r;
    }
    if (c->d.next && !c->script) /* an iterator of a class statement has an __iter__ */
        return sc_ref(v);
    if (c->d.getitem && c->d.getitem != vm->cls[C_type]->d.getitem)
        return v_obj(sc_iter_new(vm, C_seq_iterator, v));
    return sc_raise(vm, C_TypeError, "'%s' object is not iterable", sc_type_name(vm, v));
}

Value sc_next(Vm *vm, Value it)
{
    Class *c = sc_class_of(vm, it);

    if (c->d.next)
        return sc_interrupted(vm) ? NIL : c->d.next(vm, it);
    return sc_raise(vm, C_TypeError, "'%s' object is not an iterator", sc_type_name(vm, it));
}

/* ---- text -------------------------------------------------------------------------- */

Value sc_repr(Vm *vm, Value v)
{
    Class *c;
    Value r;

    switch (v.tag) {
    case T_NIL:
    case T_NONE: return v_obj(sc_str(vm, "None"));
    case T_BOOL: return v_obj(sc_str(vm, v.i ? "True" : "False"));
    case T_ELLIPSIS: return v_obj(sc_str(vm, "Ellipsis"));
    case T_NOTIMPL: return v_obj(sc_str(vm, "NotImplemented"));
    case T_INT: {
        char s[NUMBER_MAX];

        number_i64(s, v.i);
        return v_obj(sc_str(vm, s));
    }
    case T_FLOAT: return sc_float_repr(vm, v.f);
    default: break;
    }
    c = v.o->cls;
    if (!sc_enter(vm))
        return NIL;
    sc_ref(v);
    r = c->d.repr(vm, v);
    sc_drop(vm, v);
    sc_leave(vm);
    return r;
}

Value sc_to_str(Vm *vm, Value v)
{
    Value r;

    if (v.tag != T_OBJ || !v.o->cls->d.str)
        return sc_repr(vm, v);
    if (!sc_enter(vm))
        return NIL;
    sc_ref(v);
    r = v.o->cls->d.str(vm, v);
    sc_drop(vm, v);
    sc_leave(vm);
    return r;
}

/* ---- conversions ------------------------------------------------------------------- */

bool sc_to_int(Vm *vm, Value v, int64_t *out)
{
    Value r;

    if (is_int(v)) {
        *out = v.i;
        return true;
    }
    r = NIL;
    if (!sc_to_whole(vm, v, &r))
        return false;
    if (long_fits(r, out)) {
        sc_drop(vm, r);
        return true;
    }
    sc_drop(vm, r);
    return sc_fail(vm, C_OverflowError, "Python int too large to convert to C long");
}

bool sc_to_bound(Vm *vm, Value v, int64_t *out)
{
    Value r;

    if (is_int(v))
        *out = v.i;
    else if (!sc_to_whole(vm, v, &r))
        return false;
    else {
        if (!long_fits(r, out))
            *out = long_compare(vm, r, v_int(0)) < 0 ? INT64_MIN : INT64_MAX;
        sc_drop(vm, r);
    }
    return true;
}

bool sc_to_whole(Vm *vm, Value v, Value *out)
{
    Value r;

    if (is_int(v) || is_long(vm, v)) {
        *out = long_plain(vm, v);
        return out->tag != T_NIL;
    }
    r = v.tag == T_OBJ ? dunder_call(vm, v, S_index, NULL, 0) : NIL;
    if (is_int(r) || is_long(vm, r)) {
        *out = long_plain(vm, r);
        sc_drop(vm, r);
        return out->tag != T_NIL;
    }
    sc_drop(vm, r);
    if (sc_failed(vm))
        return false;
    return sc_fail(vm, C_TypeError, "'%s' object cannot be interpreted as an integer",
                   sc_type_name(vm, v));
}

bool sc_has_index(Vm *vm, Value v)
{
    return v.tag == T_OBJ && v.o->cls->script && sc_class_find(v.o->cls, vm->known[S_index]);
}

int sc_repeat_count(Vm *vm, Value v, int64_t *out)
{
    if (!is_int(v) && !is_long(vm, v) && !sc_has_index(vm, v))
        return 0;
    return sc_to_int(vm, v, out) ? 1 : -1;
}

bool sc_to_double(Vm *vm, Value v, double *out)
{
    Value r;

    if (is_number(v)) {
        *out = as_double(v);
        return true;
    }
    if (is_long(vm, v))
        return long_to_double(vm, v, out);
    if (sc_float_value(vm, v, out))
        return true;
    r = v.tag == T_OBJ ? dunder_call(vm, v, S_float, NULL, 0) : NIL;
    if (r.tag == T_NIL && v.tag == T_OBJ && !sc_failed(vm))
        r = dunder_call(vm, v, S_index, NULL, 0);
    if (is_number(r)) {
        *out = as_double(r);
        return true;
    }
    sc_drop(vm, r);
    if (sc_failed(vm))
        return false;
    return sc_fail(vm, C_TypeError, "must be real number, not %s", sc_type_name(vm, v));
}

const char *sc_to_cstr(Vm *vm, Value v, const char *what)
{
    if (is_str(v))
        return as_str(v)->s;
    sc_raise(vm, C_TypeError, "%s must be str, not %s", what, sc_type_name(vm, v));
    return NULL;
}
