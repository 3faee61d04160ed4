/* math.c -- the module math. */
#include "modules.h"
#include "script/dunder.h"
#include "script/long.h"

#include <float.h>
#include <math.h>

__extension__ typedef __int128 Wide;

static bool one(Vm *vm, const Args *a, double *x) { return sc_to_double(vm, a->v[0], x); }

static Value domain(Vm *vm) { return sc_raise(vm, C_ValueError, "math domain error"); }
static Value range(Vm *vm) { return sc_raise(vm, C_OverflowError, "math range error"); }

/* A result that is nan or inf where the argument was not is an error. */
static Value checked(Vm *vm, double x, double r, bool can_overflow)
{
    if (isnan(r) && !isnan(x))
        return domain(vm);
    if (isinf(r) && isfinite(x))
        return can_overflow ? range(vm) : domain(vm);
    return v_float(r);
}

#define FN1(name, expr, over)                                                            \
    static Value m_##name(Vm *vm, const Args *a)                                         \
    {                                                                                    \
        double x;                                                                        \
        return one(vm, a, &x) ? checked(vm, x, expr, over) : NIL;                        \
    }
FN1(sqrt, sqrt(x), false)
FN1(cbrt, cbrt(x), false)
FN1(exp, exp(x), true)
FN1(exp2, exp2(x), true)
FN1(expm1, expm1(x), true)
FN1(log1p, log1p(x), false)
FN1(sin, sin(x), false)
FN1(cos, cos(x), false)
FN1(tan, tan(x), false)
FN1(asin, asin(x), false)
FN1(acos, acos(x), false)
FN1(atan, atan(x), false)
FN1(sinh, sinh(x), true)
FN1(cosh, cosh(x), true)
FN1(tanh, tanh(x), false)
FN1(asinh, asinh(x), false)
FN1(acosh, acosh(x), false)
FN1(atanh, atanh(x), false)
FN1(erf, erf(x), false)
FN1(erfc, erfc(x), false)
FN1(gamma, x == floor(x) && x <= 0 ? NAN : tgamma(x), true)
FN1(lgamma, lgamma(x), false)
FN1(fabs, fabs(x), false)
FN1(degrees, x * (180 / M_PI), true)
FN1(radians, x * (M_PI / 180), false)

#define FN2(name, expr)                                                                  \
    static Value m_##name(Vm *vm, const Args *a)                                         \
    {                                                                                    \
        double x, y;                                                                     \
        if (!sc_to_double(vm, a->v[0], &x) || !sc_to_double(vm, a->v[1], &y))            \
            return NIL;                                                                  \
        return v_float(expr);                                                            \
    }
FN2(atan2, atan2(x, y))
FN2(copysign, copysign(x, y))
FN2(nextafter, nextafter(x, y))

static Value m_ulp(Vm *vm, const Args *a)
{
    double x;

    if (!sc_to_double(vm, a->v[0], &x))
        return NIL;
    x = fabs(x);
    if (!isfinite(x))
        return v_float(x);
    return v_float(x == DBL_MAX ? x - nextafter(x, 0) : nextafter(x, INFINITY) - x);
}

static Value m_remainder(Vm *vm, const Args *a)
{
    double x, y;

    if (!sc_to_double(vm, a->v[0], &x) || !sc_to_double(vm, a->v[1], &y))
        return NIL;
    if (!isnan(x) && !isnan(y) && (isinf(x) || y == 0))
        return sc_raise(vm, C_ValueError, "math domain error");
    return v_float(remainder(x, y));
}

static Value m_fmod(Vm *vm, const Args *a)
{
    double x, y;

    if (!sc_to_double(vm, a->v[0], &x) || !sc_to_double(vm, a->v[1], &y))
        return NIL;
    return y == 0 || isinf(x) ? domain(vm) : v_float(fmod(x, y));
}

static Value m_pow(Vm *vm, const Args *a)
{
    double x, y, r;

    if (!sc_to_double(vm, a->v[0], &x) || !sc_to_double(vm, a->v[1], &y))
        return NIL;
    r = pow(x, y);
    if (isnan(r) && !isnan(x) && !isnan(y))
        return domain(vm);
    if (isinf(r) && isfinite(x) && isfinite(y))
        return x == 0 ? domain(vm) : range(vm);
    return v_float(r);
}

static Value log_of(Vm *vm, Value v, double (*fn)(double))
{
    int64_t more = is_long(vm, v) ? MAX(long_bits(v) - 1000, 0) : 0; /* what no double has room for */
    Value top = more ? long_binary(vm, OP2_RSHIFT, v, v_int(more)) : sc_ref(v);
    double x;
    bool ok = top.tag != T_NIL && sc_to_double(vm, top, &x);

    sc_drop(vm, top);
    if (!ok)
        return NIL;
    return x <= 0 ? domain(vm) : v_float(fn(x) + (more ? (double)more * fn(2) : 0));
}

static Value m_log(Vm *vm, const Args *a)
{
    Value x = log_of(vm, a->v[0], log), b;

    if (x.tag == T_NIL || a->v[1].tag == T_NIL)
        return x;
    b = log_of(vm, a->v[1], log);
    if (b.tag == T_NIL)
        return NIL;
    return b.f == 0 ? sc_raise(vm, C_ZeroDivisionError, "float division by zero") : v_float(x.f / b.f);
}

static Value m_log2(Vm *vm, const Args *a) { return log_of(vm, a->v[0], log2); }
static Value m_log10(Vm *vm, const Args *a) { return log_of(vm, a->v[0], log10); }

static Value to_whole(Vm *vm, Value v, KnownStr dunder, double (*fn)(double))
{
    double x;

    if (v.tag == T_INT || v.tag == T_BOOL)
        return v_int(v.i);
    if (v.tag == T_OBJ) {
        Value r = dunder_call(vm, v, dunder, NULL, 0);

        if (r.tag != T_NIL || sc_failed(vm))
            return r;
    }
    if (!sc_to_double(vm, v, &x))
        return NIL;
    if (isnan(x))
        return sc_raise(vm, C_ValueError, "cannot convert float NaN to integer");
    x = fn(x);
    if (fabs(x) >= 9.2233720368547758e18)
        return isinf(x) ? sc_raise(vm, C_OverflowError, "cannot convert float infinity to integer") : long_from_double(vm, x);
    return v_int((int64_t)x);
}

static Value m_floor(Vm *vm, const Args *a) { return to_whole(vm, a->v[0], S_floor, floor); }
static Value m_ceil(Vm *vm, const Args *a) { return to_whole(vm, a->v[0], S_ceil, ceil); }
static Value m_trunc(Vm *vm, const Args *a) { return to_whole(vm, a->v[0], S_trunc, trunc); }

static Value m_isnan(Vm *vm, const Args *a)
{
    double x;

    return one(vm, a, &x) ? v_bool(isnan(x)) : NIL;
}
static Value m_isinf(Vm *vm, const Args *a)
{
    double x;

    return one(vm, a, &x) ? v_bool(isinf(x)) : NIL;
}
static Value m_isfinite(Vm *vm, const Args *a)
{
    double x;

    return one(vm, a, &x) ? v_bool(isfinite(x)) : NIL;
}

static Value m_isclose(Vm *vm, const Args *a)
{
    double x, y, rel = 1e-9, abs = 0, d;

    if (!sc_to_double(vm, a->v[0], &x) || !sc_to_double(vm, a->v[1], &y) ||
        (a->v[2].tag != T_NIL && !sc_to_double(vm, a->v[2], &rel)) ||
        (a->v[3].tag != T_NIL && !sc_to_double(vm, a->v[3], &abs)))
        return NIL;
    if (x == y)
        return v_bool(true);
    if (isinf(x) || isinf(y))
        return v_bool(false);
    d = fabs(x - y);
    return v_bool(d <= fabs(rel * y) || d <= fabs(rel * x) || d <= abs);
}

static Value m_factorial(Vm *vm, const Args *a)
{
    int64_t n;
    Value r = v_int(1), next;

    if (!sc_to_int(vm, a->v[0], &n))
        return NIL;
    if (n < 0)
        return sc_raise(vm, C_ValueError, "factorial() not defined for negative values");
    for (int64_t i = 2; i <= n && r.tag != T_NIL; i++) {
        next = sc_binary(vm, OP2_MUL, r, v_int(i), false);
        sc_drop(vm, r);
        r = next;
    }
    return r;
}

/* r = a op b; takes a */
static Value step(Vm *vm, BinOp op, Value a, Value b)
{
    Value r = a.tag == T_NIL || b.tag == T_NIL ? NIL : sc_binary(vm, op, a, b, false);

    sc_drop(vm, a);
    return r;
}

/* Takes both. */
static Value gcd(Vm *vm, Value a, Value b)
{
    Value t;

    while (a.tag != T_NIL && b.tag != T_NIL && sc_truth(vm, b) > 0) {
        t = step(vm, OP2_MOD, a, b);
        a = b;
        b = t;
    }
    if (b.tag == T_NIL) {
        sc_drop(vm, a);
        return NIL;
    }
    sc_drop(vm, b);
    if (a.tag != T_NIL && sc_less(vm, a, v_int(0)) > 0) {
        t = sc_unary(vm, OP1_NEG, a);
        sc_drop(vm, a);
        a = t;
    }
    return a;
}

static Value m_gcd(Vm *vm, const Args *a)
{
    Value g = v_int(0), x;

    for (int i = 0; i < a->n && g.tag != T_NIL; i++) {
        if (!sc_to_whole(vm, a->v[i], &x)) {
            sc_drop(vm, g);
            return NIL;
        }
        g = gcd(vm, g, x);
    }
    return g;
}

static Value m_lcm(Vm *vm, const Args *a)
{
    Value l = v_int(1), x, g;

    for (int i = 0; i < a->n && l.tag != T_NIL; i++) {
        if (!sc_to_whole(vm, a->v[i], &x)) {
            sc_drop(vm, l);
            return NIL;
        }
        if (x.tag == T_INT && x.i == 0) {
            sc_drop(vm, l);
            return v_int(0);
        }
        g = gcd(vm, sc_ref(l), sc_ref(x));
        l = step(vm, OP2_MUL, step(vm, OP2_FLOORDIV, l, g), x);
        sc_drop(vm, g);
        sc_drop(vm, x);
    }
    if (l.tag != T_NIL && sc_less(vm, l, v_int(0)) > 0)
        return step(vm, OP2_MUL, l, v_int(-1));
    return l;
}

static Value choose(Vm *vm, const Args *a, bool ordered)
{
    int64_t n, k;
    Value r = v_int(1);

    if (!sc_to_int(vm, a->v[0], &n))
        return NIL;
    k = n;
    if (a->v[1].tag != T_NIL && a->v[1].tag != T_NONE && !sc_to_int(vm, a->v[1], &k))
        return NIL;
    if (n < 0 || k < 0)
        return sc_raise(vm, C_ValueError, "%s must be a non-negative integer", n < 0 ? "n" : "k");
    if (k > n)
        return v_int(0);
    if (!ordered && k > n - k)
        k = n - k;
    for (int64_t i = 0; i < k && r.tag != T_NIL; i++) {
        r = step(vm, OP2_MUL, r, v_int(n - i));
        if (!ordered)
            r = step(vm, OP2_FLOORDIV, r, v_int(i + 1));
    }
    return r;
}

static Value m_comb(Vm *vm, const Args *a) { return choose(vm, a, false); }
static Value m_perm(Vm *vm, const Args *a) { return choose(vm, a, true); }

/* Newton's steps from above: x becomes (x + n // x) // 2 until it grows no less. */
static Value long_isqrt(Vm *vm, Value n)
{
    Value x = sc_binary(vm, OP2_LSHIFT, v_int(1), v_int((long_bits(n) + 1) / 2), false);

    for (;;) {
        Value q = x.tag == T_NIL ? NIL : sc_binary(vm, OP2_FLOORDIV, n, x, false), y = NIL;
        int less;

        if (q.tag != T_NIL)
            y = sc_binary(vm, OP2_ADD, x, q, false);
        sc_drop(vm, q);
        q = y;
        y = q.tag == T_NIL ? NIL : sc_binary(vm, OP2_RSHIFT, q, v_int(1), false);
        sc_drop(vm, q);
        less = y.tag == T_NIL ? -1 : sc_less(vm, y, x);
        if (less <= 0) {
            sc_drop(vm, y);
            if (less == 0)
                return x;
            sc_drop(vm, x);
            return NIL;
        }
        sc_drop(vm, x);
        x = y;
    }
}

static Value m_isqrt(Vm *vm, const Args *a)
{
    int64_t n, r;

    if (sc_less(vm, a->v[0], v_int(0)) > 0)
        return sc_raise(vm, C_ValueError, "isqrt() argument must be nonnegative");
    if (is_long(vm, a->v[0]) && !long_fits(a->v[0], &n))
        return long_isqrt(vm, a->v[0]);
    if (!sc_to_int(vm, a->v[0], &n))
        return NIL;
    r = (int64_t)sqrt((double)n);
    while ((Wide)r * r > n)
        r--;
    while ((Wide)(r + 1) * (r + 1) <= n)
        r++;
    return v_int(r);
}

static Value m_hypot(Vm *vm, const Args *a)
{
    double s = 0, x, m = 0;

    if (a->n == 2) {
        double y;

        if (!sc_to_double(vm, a->v[0], &x) || !sc_to_double(vm, a->v[1], &y))
            return NIL;
        return v_float(hypot(x, y));
    }
    for (int i = 0; i < a->n; i++) {
        if (!sc_to_double(vm, a->v[i], &x))
            return NIL;
        m = fmax(m, fabs(x));
    }
    for (int i = 0; i < a->n && m > 0 && isfinite(m); i++) {
        sc_to_double(vm, a->v[i], &x);
        s += x / m * (x / m);
    }
    return v_float(isfinite(m) ? m * sqrt(s) : m);
}

static Value m_dist(Vm *vm, const Args *a)
{
    Tuple *p = sc_tuple_from(vm, a->v[0]), *q = p ? sc_tuple_from(vm, a->v[1]) : NULL;
    double s = 0, x, y;
    bool ok = p && q;

    if (ok && p->n != q->n)
        ok = sc_fail(vm, C_ValueError, "both points must have the same number of dimensions");
    for (int64_t i = 0; ok && i < p->n; i++) {
        ok = sc_to_double(vm, p->v[i], &x) && sc_to_double(vm, q->v[i], &y);
        s += ok ? (x - y) * (x - y) : 0;
    }
    if (p)
        obj_drop(vm, p);
    if (q)
        obj_drop(vm, q);
    return ok ? v_float(sqrt(s)) : NIL;
}

/* Exact sum: partial sums that do not overlap, after Shewchuk. */
static Value m_fsum(Vm *vm, const Args *a)
{
    double parts[64], x, hi, lo, sum = 0, special = 0, infinite = 0;
    int n = 0, i, j;
    Value it = sc_iter(vm, a->v[0]), v;

    if (it.tag == T_NIL)
        return NIL;
    while ((v = sc_next(vm, it)).tag != T_NIL) {
        bool ok = sc_to_double(vm, v, &x);

        sc_drop(vm, v);
        if (!ok)
            break;
        if (!isfinite(x)) { /* apart from the others, which it would spoil */
            special += x;
            infinite += isinf(x) ? x : 0;
            continue;
        }
        for (i = j = 0; j < n; j++) {
            double y = parts[j];

            if (fabs(x) < fabs(y)) {
                double t = x;

                x = y;
                y = t;
            }
            hi = x + y;
            lo = y - (hi - x);
            if (lo != 0 && i < COUNT(parts) - 1)
                parts[i++] = lo;
            x = hi;
        }
        parts[i++] = x;
        n = i;
    }
    sc_drop(vm, it);
    if (sc_failed(vm))
        return NIL;
    if (isnan(infinite))
        return sc_raise(vm, C_ValueError, "-inf + inf in fsum");
    if (special != 0)
        return v_float(special);
    if (n > 0) {
        sum = parts[--n];
        lo = 0;
        while (n > 0) {
            double y = parts[--n];

            x = sum;
            sum = x + y;
            lo = y - (sum - x);
            if (lo != 0)
                break;
        }
        if (n > 0 && ((lo < 0 && parts[n - 1] < 0) || (lo > 0 && parts[n - 1] > 0))) {
            double y = lo * 2;

            x = sum + y;
            if (y == x - sum)
                sum = x;
        }
    }
    return v_float(sum);
}

static Value m_prod(Vm *vm, const Args *a)
{
    Value it = sc_iter(vm, a->v[0]), v, acc = a->v[1].tag == T_NIL ? v_int(1) : sc_ref(a->v[1]), r;

    if (it.tag == T_NIL) {
        sc_drop(vm, acc);
        return NIL;
    }
    while (acc.tag != T_NIL && (v = sc_next(vm, it)).tag != T_NIL) {
        r = sc_binary(vm, OP2_MUL, acc, v, false);
        sc_drop(vm, acc);
        sc_drop(vm, v);
        acc = r;
    }
    sc_drop(vm, it);
    if (sc_failed(vm)) {
        sc_drop(vm, acc);
        return NIL;
    }
    return acc;
}

static Value m_modf(Vm *vm, const Args *a)
{
    double x, w;
    Value v[2];

    if (!one(vm, a, &x))
        return NIL;
    v[0] = v_float(isinf(x) ? copysign(0, x) : modf(x, &w));
    v[1] = v_float(isinf(x) ? x : w);
    return v_obj(sc_tuple_of(vm, v, 2));
}

static Value m_frexp(Vm *vm, const Args *a)
{
    double x;
    int e;
    Value v[2];

    if (!one(vm, a, &x))
        return NIL;
    v[0] = v_float(frexp(x, &e));
    v[1] = v_int(isfinite(x) ? e : 0);
    return v_obj(sc_tuple_of(vm, v, 2));
}

static Value m_ldexp(Vm *vm, const Args *a)
{
    double x, r;
    int64_t e;

    if (!one(vm, a, &x) || !sc_to_int(vm, a->v[1], &e))
        return NIL;
    r = ldexp(x, (int)(e > 100000 ? 100000 : e < -100000 ? -100000 : e));
    return isinf(r) && isfinite(x) ? range(vm) : v_float(r);
}

#define D1(n) {#n, m_##n, "x"}
static const NativeDef functions[] = {
    D1(sqrt), D1(cbrt), D1(exp), D1(exp2), D1(expm1), D1(log1p), D1(sin), D1(cos), D1(tan),
    D1(asin), D1(acos), D1(atan), D1(sinh), D1(cosh), D1(tanh), D1(asinh), D1(acosh),
    D1(atanh), D1(erf), D1(erfc), D1(gamma), D1(lgamma), D1(fabs), D1(degrees), D1(radians),
    D1(log2), D1(log10), D1(floor), D1(ceil), D1(trunc), D1(isnan), D1(isinf), D1(isfinite),
    D1(factorial), D1(isqrt), D1(modf), D1(frexp),
    {"atan2", m_atan2, "y,x"}, {"copysign", m_copysign, "x,y"}, {"fmod", m_fmod, "x,y"},
    {"nextafter", m_nextafter, "x,y"}, {"remainder", m_remainder, "x,y"}, {"ulp", m_ulp, "x"},
    {"pow", m_pow, "x,y"}, {"log", m_log, "x|base"}, {"ldexp", m_ldexp, "x,i"},
    {"isclose", m_isclose, "a,b$rel_tol,abs_tol"}, {"gcd", m_gcd, "*"}, {"lcm", m_lcm, "*"},
    {"comb", m_comb, "n,k"}, {"perm", m_perm, "n|k"}, {"hypot", m_hypot, "*"},
    {"dist", m_dist, "p,q"}, {"fsum", m_fsum, "seq"}, {"prod", m_prod, "iterable$start"}, {0},
};

bool open_math(Vm *vm, ScModule *m)
{
    return sc_module_natives(vm, m, functions) && sc_module_set(vm, m, "pi", v_float(M_PI)) &&
           sc_module_set(vm, m, "e", v_float(M_E)) &&
           sc_module_set(vm, m, "tau", v_float(2 * M_PI)) &&
           sc_module_set(vm, m, "inf", v_float(INFINITY)) &&
           sc_module_set(vm, m, "nan", v_float(NAN));
}
