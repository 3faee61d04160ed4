/* long.c -- arithmetic of ints without bound.
 *
 * Magnitudes are digits to base 2**32, the lowest first; // and % round towards minus infinity, and
 * & | ^ see negative numbers in two's complement without end, as Python's do. Products are made by
 * the schoolbook, quotients by Knuth's algorithm D, decimal text by division by 10**9.
 */
#include "long.h"
#include "numbers.h"

#include <math.h>
#include <stdio.h>

typedef struct Num { /* an int of any form, looked at */
    const uint32_t *d;
    int64_t n;
    bool neg;
    uint32_t own[2];
} Num;

typedef struct Mag { /* one being made */
    uint32_t *d;
    int64_t n, cap;
    bool neg;
} Mag;

static void look(Value v, Num *out)
{
    if (v.tag == T_OBJ) {
        *out = (Num){((Long *)v.o)->d, ((Long *)v.o)->n, ((Long *)v.o)->neg, {0}};
        return;
    }
    uint64_t u = v.i < 0 ? 0 - (uint64_t)v.i : (uint64_t)v.i;

    out->neg = v.i < 0;
    out->own[0] = (uint32_t)u;
    out->own[1] = (uint32_t)(u >> 32);
    out->n = out->own[1] ? 2 : out->own[0] ? 1 : 0;
    out->d = NULL;
}
#define DIGITS(x) ((x)->d ? (x)->d : (x)->own)

static bool mag_new(Vm *vm, Mag *m, int64_t n)
{
    *m = (Mag){0};
    if (!sc_grow(vm, &m->d, &m->cap, n + 1, sizeof *m->d))
        return false;
    memset(m->d, 0, (size_t)(n + 1) * sizeof *m->d);
    m->n = n;
    return true;
}

static void mag_free(Vm *vm, Mag *m) { sc_free(vm, m->d, (size_t)m->cap * sizeof *m->d); }

static void trim(Mag *m)
{
    while (m->n && !m->d[m->n - 1])
        m->n--;
}

static Value long_object(Vm *vm, Class *cls, const uint32_t *d, int64_t n, bool neg)
{
    Long *l = sc_gc_new(vm, cls, cls->d.size);

    if (!l)
        return NIL;
    l->d = n ? sc_alloc(vm, (size_t)n * sizeof *l->d) : NULL;
    if (n && !l->d) {
        obj_drop(vm, l);
        return NIL;
    }
    if (n)
        memcpy(l->d, d, (size_t)n * sizeof *l->d);
    l->n = n;
    l->neg = neg;
    return v_obj(l);
}

/* The int that m is; m is freed. */
static Value finish(Vm *vm, Mag *m)
{
    uint64_t u;
    Value r;

    trim(m);
    u = (m->n > 0 ? m->d[0] : 0) | (uint64_t)(m->n > 1 ? m->d[1] : 0) << 32;
    if (m->n <= 2 && u <= (uint64_t)INT64_MAX + m->neg)
        r = v_int(m->neg ? (int64_t)(0 - u) : (int64_t)u);
    else
        r = long_object(vm, vm->cls[C_int], m->d, m->n, m->neg);
    mag_free(vm, m);
    return r;
}

Value long_subclass(Vm *vm, Class *cls, Value v)
{
    Num a;

    look(v, &a);
    return long_object(vm, cls, DIGITS(&a), a.n, a.neg);
}

bool long_fits(Value v, int64_t *out)
{
    Num a;
    uint64_t u;

    if (v.tag != T_OBJ) {
        *out = v.i;
        return true;
    }
    look(v, &a);
    u = (a.n > 0 ? a.d[0] : 0) | (uint64_t)(a.n > 1 ? a.d[1] : 0) << 32;
    *out = a.neg ? (int64_t)(0 - u) : (int64_t)u;
    return a.n <= 2 && u <= (uint64_t)INT64_MAX + a.neg;
}

Value long_plain(Vm *vm, Value v)
{
    int64_t i;

    if (long_fits(v, &i))
        return v_int(i);
    return v.o->cls == vm->cls[C_int] ? sc_ref(v) : long_subclass(vm, vm->cls[C_int], v);
}

/* ---- magnitudes -------------------------------------------------------------------- */

static int cmp_mag(const Num *a, const Num *b)
{
    if (a->n != b->n)
        return a->n < b->n ? -1 : 1;
    for (int64_t i = a->n - 1; i >= 0; i--)
        if (DIGITS(a)[i] != DIGITS(b)[i])
            return DIGITS(a)[i] < DIGITS(b)[i] ? -1 : 1;
    return 0;
}

static bool add_mag(Vm *vm, const Num *a, const Num *b, Mag *out)
{
    uint64_t carry = 0;
    int64_t n = MAX(a->n, b->n);

    if (!mag_new(vm, out, n + 1))
        return false;
    for (int64_t i = 0; i <= n; i++) {
        carry += (i < a->n ? DIGITS(a)[i] : 0);
        carry += (i < b->n ? DIGITS(b)[i] : 0);
        out->d[i] = (uint32_t)carry;
        carry >>= 32;
    }
    return true;
}

/* a - b for |a| >= |b| */
static bool sub_mag(Vm *vm, const Num *a, const Num *b, Mag *out)
{
    int64_t borrow = 0;

    if (!mag_new(vm, out, a->n))
        return false;
    for (int64_t i = 0; i < a->n; i++) {
        int64_t t = (int64_t)DIGITS(a)[i] - (i < b->n ? DIGITS(b)[i] : 0) + borrow;

        out->d[i] = (uint32_t)t;
        borrow = t >> 63;
    }
    return true;
}

/* Is it to stop, before row i of n digits? Asked often enough for interrupts, and seldom. */
static bool row_interrupted(Vm *vm, int64_t i, int64_t n)
{
    return (n > 64 || i % 1024 == 1023) && sc_interrupted(vm);
}

static bool mul_mag(Vm *vm, const Num *a, const Num *b, Mag *out)
{
    if (!mag_new(vm, out, a->n + b->n))
        return false;
    for (int64_t i = 0; i < a->n; i++) {
        uint64_t carry = 0, x = DIGITS(a)[i];

        if (row_interrupted(vm, i, b->n)) {
            mag_free(vm, out);
            return false;
        }
        for (int64_t j = 0; j < b->n; j++) {
            carry += x * DIGITS(b)[j] + out->d[i + j];
            out->d[i + j] = (uint32_t)carry;
            carry >>= 32;
        }
        out->d[i + b->n] = (uint32_t)carry;
    }
    return true;
}

static bool shift_left(Vm *vm, const Num *a, int64_t by, Mag *out)
{
    int64_t words = by / 32;
    int bits = (int)(by % 32);

    if (!mag_new(vm, out, a->n + words + 1))
        return false;
    for (int64_t i = 0; i < a->n; i++) {
        uint64_t x = (uint64_t)DIGITS(a)[i] << bits;

        out->d[i + words] |= (uint32_t)x;
        out->d[i + words + 1] = (uint32_t)(x >> 32);
    }
    return true;
}

/* The quotient of magnitudes towards zero, and the remainder, which are the caller's after errors, too; b is not zero. */
static bool divide(Vm *vm, const Num *a, const Num *b, Mag *q, Mag *r)
{
    int shift = b->n ? __builtin_clz(DIGITS(b)[b->n - 1]) : 0;
    Mag v = {0};
    int64_t n = b->n, m = a->n - b->n;

    *q = *r = (Mag){0};
    if (m < 0)
        return mag_new(vm, q, 0) && shift_left(vm, a, 0, r);
    if (!mag_new(vm, q, m + 1) || !shift_left(vm, a, shift, r) || !shift_left(vm, b, shift, &v)) {
        mag_free(vm, &v);
        return false;
    }
    for (int64_t j = m; j >= 0; j--) {
        uint64_t top = (uint64_t)r->d[j + n] << 32 | r->d[j + n - 1], guess = top / v.d[n - 1],
                 rest = top % v.d[n - 1], carry = 0;
        int64_t borrow = 0, t;

        if (row_interrupted(vm, j, n)) {
            mag_free(vm, &v);
            return false;
        }
        while (guess >> 32 || (n > 1 && guess * v.d[n - 2] > (rest << 32 | r->d[j + n - 2]))) {
            guess--;
            rest += v.d[n - 1];
            if (rest >> 32)
                break;
        }
        for (int64_t i = 0; i < n; i++) {
            carry += guess * v.d[i];
            t = (int64_t)r->d[i + j] - (uint32_t)carry + borrow;
            r->d[i + j] = (uint32_t)t;
            borrow = t >> 63;
            carry >>= 32;
        }
        t = (int64_t)r->d[j + n] - (int64_t)carry + borrow;
        r->d[j + n] = (uint32_t)t;
        if (t < 0) { /* one too many, rarely */
            guess--;
            carry = 0;
            for (int64_t i = 0; i < n; i++) {
                carry += (uint64_t)r->d[i + j] + v.d[i];
                r->d[i + j] = (uint32_t)carry;
                carry >>= 32;
            }
            r->d[j + n] += (uint32_t)carry;
        }
        q->d[j] = (uint32_t)guess;
    }
    for (int64_t i = 0; i < r->n; i++) /* the remainder goes back by the shift */
        r->d[i] = (uint32_t)(((uint64_t)(i + 1 < r->n ? r->d[i + 1] : 0) << 32 | r->d[i]) >> shift);
    mag_free(vm, &v);
    return true;
}

static void as_num(const Mag *m, Num *out) { *out = (Num){m->d, m->n, m->neg, {0}}; }

/* ---- operators --------------------------------------------------------------------- */

static Value add_signed(Vm *vm, const Num *a, const Num *b, bool flip)
{
    bool bneg = b->neg != flip;
    Mag m;
    int c;

    if (a->neg == bneg) {
        if (!add_mag(vm, a, b, &m))
            return NIL;
        m.neg = a->neg;
        return finish(vm, &m);
    }
    c = cmp_mag(a, b);
    if (!(c >= 0 ? sub_mag(vm, a, b, &m) : sub_mag(vm, b, a, &m)))
        return NIL;
    m.neg = c == 0 ? false : c > 0 ? a->neg : bneg;
    return finish(vm, &m);
}

static bool is_zero(const Mag *m)
{
    for (int64_t i = 0; i < m->n; i++)
        if (m->d[i])
            return false;
    return true;
}

/* Floor quotient or remainder: where signs differ and something is left, the quotient is one
 * lower and the remainder counts from the divisor. */
static Value floor_divide(Vm *vm, const Num *a, const Num *b, bool mod)
{
    Mag q, r;
    Num x;
    bool down;
    Value v;

    if (b->n == 0)
        return sc_raise(vm, C_ZeroDivisionError, mod ? "integer modulo by zero" : "integer division or modulo by zero");
    if (!divide(vm, a, b, &q, &r)) {
        mag_free(vm, &q);
        mag_free(vm, &r);
        return NIL;
    }
    down = a->neg != b->neg && !is_zero(&r);
    if (mod) {
        mag_free(vm, &q);
        r.neg = a->neg;
        trim(&r);
        if (down) {
            as_num(&r, &x);
            v = add_signed(vm, &x, b, false);
            mag_free(vm, &r);
            return v;
        }
        return finish(vm, &r);
    }
    mag_free(vm, &r);
    q.neg = a->neg != b->neg;
    trim(&q);
    if (down) {
        Num one;

        look(v_int(1), &one);
        as_num(&q, &x);
        v = add_signed(vm, &x, &one, true);
        mag_free(vm, &q);
        return v;
    }
    return finish(vm, &q);
}

static int64_t bits_of(const Num *a)
{
    return a->n ? a->n * 32 - __builtin_clz(DIGITS(a)[a->n - 1]) : 0;
}

/* The nearest double of magnitude m * 2**e, whose bits below are lost are `sticky`. */
static double round_top(const Num *a, bool sticky, int64_t *e)
{
    int64_t bits = bits_of(a), drop = bits > 64 ? bits - 64 : 0, w = drop / 32;
    int s = (int)(drop % 32);
    uint64_t u = 0;

    for (int64_t i = 0; i < w; i++)
        sticky |= DIGITS(a)[i] != 0;
    for (int i = 2; i >= 0; i--) {
        uint64_t x = w + i < a->n ? DIGITS(a)[w + i] : 0;

        if (i == 2)
            u |= s ? x << (64 - s) : 0;
        else if (i == 1)
            u |= s ? x << (32 - s) : x << 32;
        else
            u |= x >> s;
        if (i == 0 && s)
            sticky |= (x & ((1u << s) - 1)) != 0;
    }
    *e = drop;
    return (double)(u | sticky);
}

bool long_to_double(Vm *vm, Value v, double *out)
{
    Num a;
    int64_t e;

    look(v, &a);
    *out = round_top(&a, false, &e);
    *out = ldexp(a.neg ? -*out : *out, (int)MIN(e, 100000));
    if (isinf(*out))
        return sc_fail(vm, C_OverflowError, "int too large to convert to float");
    return true;
}

/* a / b, rounded once: the quotient with 66 bits or more, and whether something is left */
static Value true_divide(Vm *vm, const Num *a, const Num *b)
{
    int64_t shift = 66 - (bits_of(a) - bits_of(b)), e;
    Mag scaled, q, r;
    Num n, d, x;
    double f;
    bool ok;

    if (b->n == 0)
        return sc_raise(vm, C_ZeroDivisionError, "division by zero");
    if (a->n == 0)
        return v_float(a->neg != b->neg ? -0.0 : 0.0);
    n = *a;
    d = *b;
    if (!shift_left(vm, shift > 0 ? a : b, shift > 0 ? shift : -shift, &scaled))
        return NIL;
    trim(&scaled);
    as_num(&scaled, shift > 0 ? &n : &d);
    ok = divide(vm, &n, &d, &q, &r);
    mag_free(vm, &scaled);
    if (ok) {
        trim(&q);
        as_num(&q, &x);
        f = round_top(&x, !is_zero(&r), &e);
        f = ldexp(f, (int)MAX(MIN(e - shift, 100000), -100000));
    }
    mag_free(vm, &q);
    mag_free(vm, &r);
    if (!ok)
        return NIL;
    if (isinf(f))
        return sc_raise(vm, C_OverflowError, "integer division result too large for a float");
    return v_float(a->neg != b->neg ? -f : f);
}

/* Digit i in two's complement without end. carry: 1 before the first digit of a negative one */
static uint32_t complement(const Num *a, int64_t i, uint64_t *carry)
{
    uint64_t x = i < a->n ? DIGITS(a)[i] : 0;

    if (!a->neg)
        return (uint32_t)x;
    *carry += (uint32_t)~x;
    x = (uint32_t)*carry;
    *carry >>= 32;
    return (uint32_t)x;
}

static Value bitwise(Vm *vm, BinOp op, const Num *a, const Num *b)
{
    int64_t n = MAX(a->n, b->n) + 1;
    uint64_t ca = 1, cb = 1, carry = 1;
    Mag m;

    if (!mag_new(vm, &m, n))
        return NIL;
    for (int64_t i = 0; i < n; i++) {
        uint32_t x = complement(a, i, &ca), y = complement(b, i, &cb);

        m.d[i] = op == OP2_AND ? x & y : op == OP2_OR ? x | y : x ^ y;
    }
    m.neg = m.d[n - 1] >> 31;
    for (int64_t i = 0; m.neg && i < n; i++) {
        carry += (uint32_t)~m.d[i];
        m.d[i] = (uint32_t)carry;
        carry >>= 32;
    }
    return finish(vm, &m);
}

static Value shift(Vm *vm, BinOp op, const Num *a, Value by)
{
    int64_t k = 0;
    bool fits = long_fits(by, &k), neg = by.tag == T_OBJ ? ((Long *)by.o)->neg : by.i < 0;
    Mag m;

    if (neg)
        return sc_raise(vm, C_ValueError, "negative shift count");
    if (op == OP2_LSHIFT) {
        if (a->n == 0)
            return v_int(0);
        if (!fits || k > (int64_t)1 << 36)
            return sc_raise_memory(vm);
        if (!shift_left(vm, a, k, &m))
            return NIL;
        m.neg = a->neg;
        return finish(vm, &m);
    }
    if (!fits || k >= bits_of(a))
        return v_int(a->neg ? -1 : 0);
    Num pow;
    Mag one;
    Value r;

    look(v_int(1), &pow);
    if (!shift_left(vm, &pow, k, &one))
        return NIL;
    trim(&one);
    as_num(&one, &pow);
    r = floor_divide(vm, a, &pow, false);
    mag_free(vm, &one);
    return r;
}

/* Takes a; r = r op b for the loop of powers */
static Value step(Vm *vm, Value a, Value b, Value m)
{
    Value r = a.tag == T_NIL ? NIL : long_binary(vm, OP2_MUL, a, b), s;

    if (r.tag != T_NIL && m.tag != T_NIL) {
        s = long_binary(vm, OP2_MOD, r, m);
        sc_drop(vm, r);
        r = s;
    }
    sc_drop(vm, a);
    return r;
}

/* a ** b, of which the remainder by m if there is one, for b >= 0 */
static Value power(Vm *vm, Value a, Value b, Value m)
{
    Num e;
    Value r = v_int(1), x;

    look(b, &e);
    if (m.tag != T_NIL)
        r = long_binary(vm, OP2_MOD, r, m);
    for (int64_t i = bits_of(&e) - 1; i >= 0 && r.tag != T_NIL; i--) {
        x = sc_ref(r);
        r = step(vm, r, x, m);
        sc_drop(vm, x);
        if (DIGITS(&e)[i / 32] >> (i % 32) & 1)
            r = step(vm, r, a, m);
    }
    return r;
}

/* The number whose product with a leaves 1 by m: the extended algorithm of Euclid, which ends at 1 or, below 0, at -1 */
static Value invert(Vm *vm, Value a, Value m)
{
    Value r0 = sc_ref(m), r1 = long_binary(vm, OP2_MOD, a, m), t0 = v_int(0), t1 = v_int(1);
    bool none, minus;

    while (r1.tag != T_NIL && sc_truth(vm, r1) > 0) {
        Value q = long_binary(vm, OP2_FLOORDIV, r0, r1);
        Value r = long_binary(vm, OP2_MOD, r0, r1);
        Value p = q.tag == T_NIL ? NIL : long_binary(vm, OP2_MUL, q, t1);
        Value t = p.tag == T_NIL ? NIL : long_binary(vm, OP2_SUB, t0, p);

        sc_drop(vm, q);
        sc_drop(vm, p);
        sc_drop(vm, r0);
        sc_drop(vm, t0);
        r0 = r1;
        t0 = t1;
        r1 = t.tag == T_NIL ? NIL : r;
        t1 = t;
        if (t.tag == T_NIL)
            sc_drop(vm, r);
    }
    minus = r0.tag == T_INT && r0.i == -1;
    none = r0.tag != T_INT || (r0.i != 1 && !minus);
    sc_drop(vm, r0);
    sc_drop(vm, r1);
    sc_drop(vm, t1);
    if (none || sc_failed(vm)) {
        sc_drop(vm, t0);
        return sc_failed(vm) ? NIL : sc_raise(vm, C_ValueError, "base is not invertible for the given modulus");
    }
    Value t = minus ? long_unary(vm, OP1_NEG, t0) : sc_ref(t0), r = t.tag == T_NIL ? NIL : long_binary(vm, OP2_MOD, t, m);

    sc_drop(vm, t);
    sc_drop(vm, t0);
    return r;
}

Value long_power_mod(Vm *vm, Value a, Value b, Value m)
{
    Num e;
    Value r, x, minus;

    if (sc_truth(vm, m) == 0)
        return sc_raise(vm, C_ValueError, "pow() 3rd argument cannot be 0");
    look(b, &e);
    if (!e.neg)
        return power(vm, a, b, m);
    x = invert(vm, a, m);
    minus = x.tag == T_NIL ? NIL : long_unary(vm, OP1_NEG, b);
    r = minus.tag == T_NIL ? NIL : power(vm, x, minus, m);
    sc_drop(vm, x);
    sc_drop(vm, minus);
    return r;
}

static Value any_power(Vm *vm, Value a, Value b, const Num *x, const Num *y)
{
    int64_t k;
    double f, g;

    if (y->neg) {
        if (x->n == 0)
            return sc_raise(vm, C_ZeroDivisionError, "0.0 cannot be raised to a negative power");
        return long_to_double(vm, a, &f) && long_to_double(vm, b, &g) ? v_float(pow(f, g)) : NIL;
    }
    if (x->n > 1 || (x->n == 1 && DIGITS(x)[0] > 1))
        if (!long_fits(b, &k) || k > ((int64_t)1 << 36) / bits_of(x))
            return sc_raise_memory(vm);
    return power(vm, a, b, NIL);
}

Value long_binary(Vm *vm, BinOp op, Value va, Value vb)
{
    Num a, b;
    Mag m;

    look(va, &a);
    look(vb, &b);
    switch (op) {
    case OP2_ADD: return add_signed(vm, &a, &b, false);
    case OP2_SUB: return add_signed(vm, &a, &b, true);
    case OP2_MUL:
        if (!mul_mag(vm, &a, &b, &m))
            return NIL;
        m.neg = a.neg != b.neg;
        return finish(vm, &m);
    case OP2_DIV: return true_divide(vm, &a, &b);
    case OP2_FLOORDIV: return floor_divide(vm, &a, &b, false);
    case OP2_MOD: return floor_divide(vm, &a, &b, true);
    case OP2_POW: return any_power(vm, va, vb, &a, &b);
    case OP2_LSHIFT:
    case OP2_RSHIFT: return shift(vm, op, &a, vb);
    case OP2_AND:
    case OP2_OR:
    case OP2_XOR: return bitwise(vm, op, &a, &b);
    default: return NOTIMPL;
    }
}

Value long_unary(Vm *vm, UnOp op, Value v)
{
    Num a, one;
    Mag m;

    look(v, &a);
    if (op == OP1_POS)
        return long_plain(vm, v);
    if (op == OP1_INVERT) { /* -a - 1 */
        look(v_int(1), &one);
        a.neg = !a.neg && a.n;
        return add_signed(vm, &a, &one, true);
    }
    if (!shift_left(vm, &a, 0, &m))
        return NIL;
    m.neg = !a.neg;
    return finish(vm, &m);
}

int long_compare(Vm *vm, Value va, Value vb)
{
    Num a, b;
    int c;

    (void)vm;
    look(va, &a);
    look(vb, &b);
    if (a.neg != b.neg)
        return a.neg ? -1 : 1;
    c = cmp_mag(&a, &b);
    return a.neg ? -c : c;
}

int long_compare_double(Vm *vm, Value a, double f)
{
    Value t;
    int c;

    if (isinf(f))
        return f > 0 ? -1 : 1;
    t = long_from_double(vm, f);
    if (t.tag == T_NIL) {
        sc_clear_exc(vm);
        return 1;
    }
    c = long_compare(vm, a, t);
    sc_drop(vm, t);
    return c ? c : f > trunc(f) ? -1 : f < trunc(f);
}

/* ---- other forms ------------------------------------------------------------------- */

Value long_from_double(Vm *vm, double f)
{
    int e;
    double x = frexp(trunc(fabs(f)), &e);
    uint64_t u = (uint64_t)ldexp(x, 53);
    Num a = {.n = 2, .own = {(uint32_t)u, (uint32_t)(u >> 32)}};
    Mag m;

    if (e <= 63 && f > -9223372036854775808.0 && f < 9223372036854775808.0)
        return v_int((int64_t)f);
    if (!shift_left(vm, &a, e - 53, &m))
        return NIL;
    m.neg = f < 0;
    return finish(vm, &m);
}

Value long_ratio(Vm *vm, double f)
{
    Value v[2] = {NIL, NIL}, r = NIL;
    Num one;
    Mag m;
    int e = 0;

    f = frexp(f, &e);
    for (; f != floor(f); e--)
        f *= 2;
    look(v_int(1), &one);
    if (e >= 0) {
        v[0] = long_from_double(vm, ldexp(f, e));
        v[1] = v_int(1);
    } else {
        v[0] = v_int((int64_t)f);
        if (shift_left(vm, &one, -e, &m))
            v[1] = finish(vm, &m);
    }
    if (v[0].tag != T_NIL && v[1].tag != T_NIL)
        r = v_obj(sc_tuple_of(vm, v, 2));
    sc_drop(vm, v[0]);
    sc_drop(vm, v[1]);
    return r;
}

int64_t long_bits(Value v)
{
    Num a;

    look(v, &a);
    return bits_of(&a);
}

int64_t long_ones(Value v)
{
    Num a;
    int64_t k = 0;

    look(v, &a);
    for (int64_t i = 0; i < a.n; i++)
        k += __builtin_popcount(DIGITS(&a)[i]);
    return k;
}

#define DIGITS_MAX 4300 /* of decimal text, as in CPython */

Value long_digits(Vm *vm, Value v, int base, bool *out_neg)
{
    Num a;
    Mag m;
    Buf b = {.vm = vm};
    uint32_t chunk = (uint32_t)base, per = 1;

    look(v, &a);
    *out_neg = a.neg;
    if (base == 10 && a.n > DIGITS_MAX / 9)
        if (bits_of(&a) > (int64_t)(DIGITS_MAX * 3.3219280948873626) + 1)
            return sc_raise(vm, C_ValueError,
                            "Exceeds the limit (%d digits) for integer string conversion; use "
                            "sys.set_int_max_str_digits() to increase the limit",
                            DIGITS_MAX);
    while ((uint64_t)chunk * (uint64_t)base <= UINT32_MAX) {
        chunk *= (uint32_t)base;
        per++;
    }
    if (!shift_left(vm, &a, 0, &m))
        return NIL;
    trim(&m);
    do { /* digits come lowest first */
        uint64_t rest = 0;

        for (int64_t i = m.n - 1; i >= 0; i--) {
            rest = rest << 32 | m.d[i];
            m.d[i] = (uint32_t)(rest / chunk);
            rest %= chunk;
        }
        trim(&m);
        for (uint32_t k = 0; m.n ? k < per : rest != 0 || (k == 0 && b.n == 0); k++) {
            buf_char(&b, "0123456789abcdefghijklmnopqrstuvwxyz"[rest % (uint32_t)base]);
            rest /= (uint32_t)base;
        }
    } while (m.n);
    mag_free(vm, &m);
    for (int64_t i = 0, j = b.n - 1; i < j; i++, j--) {
        char c = b.s[i];

        b.s[i] = b.s[j];
        b.s[j] = c;
    }
    return buf_done(&b);
}

Value sc_long_parse(Vm *vm, const char *s, size_t n, int base)
{
    Mag m;
    int64_t used = 0;
    bool neg = n && *s == '-';
    size_t i = n && (*s == '-' || *s == '+');

    if (base == 0) {
        base = n > i + 2 && s[i] == '0' ? (s[i + 1] | 32) == 'x'   ? 16
                                          : (s[i + 1] | 32) == 'o' ? 8
                                          : (s[i + 1] | 32) == 'b' ? 2
                                                                   : 10
                                        : 10;
        i += base == 10 ? 0 : 2;
    }
    if (base == 10 && n - i > DIGITS_MAX)
        return sc_raise(vm, C_ValueError,
                        "Exceeds the limit (%d digits) for integer string conversion: value has %zu digits; use "
                        "sys.set_int_max_str_digits() to increase the limit",
                        DIGITS_MAX, n - i);
    if (!mag_new(vm, &m, (int64_t)n / 6 + 2))
        return NIL;
    for (; i < n; i++) {
        int c = s[i] | 32;
        uint64_t carry = (uint64_t)(s[i] >= '0' && s[i] <= '9' ? s[i] - '0' : c - 'a' + 10);

        if (s[i] == '_')
            continue;
        for (int64_t k = 0; k < used; k++) {
            carry += (uint64_t)m.d[k] * (uint64_t)base;
            m.d[k] = (uint32_t)carry;
            carry >>= 32;
        }
        if (carry)
            m.d[used++] = (uint32_t)carry;
    }
    m.neg = neg;
    return finish(vm, &m);
}

Value long_to_bytes(Vm *vm, Value v, int64_t n, bool big, bool is_signed)
{
    Num a;
    uint64_t carry = 1;
    int64_t bits;
    Value r;
    uint8_t *p;

    look(v, &a);
    if (a.neg && !is_signed)
        return sc_raise(vm, C_OverflowError, "can't convert negative int to unsigned");
    bits = bits_of(&a);
    if (is_signed && a.neg) { /* -2**k needs no bit more */
        Value w = long_unary(vm, OP1_INVERT, v);

        if (w.tag == T_NIL)
            return NIL;
        bits = long_bits(w);
        sc_drop(vm, w);
    }
    if (bits + is_signed > n * 8)
        return sc_raise(vm, C_OverflowError, "int too big to convert");
    r = sc_bytes(vm, NULL, n);
    if (r.tag == T_NIL)
        return NIL;
    (void)sc_bytes_view(vm, r, (const uint8_t **)(void *)&p, &bits);
    for (int64_t i = 0; i < n; i += 4) {
        uint32_t x = complement(&a, i / 4, &carry);

        for (int64_t k = i; k < n && k < i + 4; k++)
            p[big ? n - 1 - k : k] = (uint8_t)(x >> 8 * (k - i));
    }
    return r;
}

Value long_from_bytes(Vm *vm, const uint8_t *p, int64_t n, bool big, bool is_signed)
{
    bool neg = is_signed && n && p[big ? 0 : n - 1] >> 7;
    uint64_t carry = 1;
    Mag m;

    if (!mag_new(vm, &m, n / 4 + 1))
        return NIL;
    for (int64_t k = 0; k < m.n * 4; k++) {
        uint32_t c = k < n ? p[big ? n - 1 - k : k] : neg ? 255 : 0;

        m.d[k / 4] |= c << 8 * (k % 4);
    }
    for (int64_t i = 0; neg && i < m.n; i++) {
        carry += (uint32_t)~m.d[i];
        m.d[i] = (uint32_t)carry;
        carry >>= 32;
    }
    m.neg = neg;
    return finish(vm, &m);
}
