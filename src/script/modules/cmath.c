/* cmath.c -- the module cmath. Finite arguments by the formulas CPython has, so that the digits agree; infinities and
 * NaN by C's own functions, which follow the same tables (C99, annex G).
 */
#include "op/pair.h"
#include "modules.h"

#include <complex.h>
#include <float.h>
#include <math.h>

#define LARGE     (DBL_MAX / 4)
#define LOG_LARGE 708.3964185322641 /* ln(DBL_MAX / 4) */

static bool is_finite(Pair z) { return isfinite(creal(z)) && isfinite(cimag(z)); }

/* f(z) from f'(w) with f(z) = -i f'(i z) */
static Pair turned(Pair z) { return pair(-cimag(z), creal(z)); }
static Pair unturned(Pair z) { return pair(cimag(z), -creal(z)); }

static Pair c_sqrt(Pair z)
{
    double ax = fabs(creal(z)), ay = fabs(cimag(z)), s, d;

    if (!is_finite(z))
        return csqrt(z);
    if (creal(z) == 0 && cimag(z) == 0)
        return pair(0, cimag(z));
    if (ax < DBL_MIN && ay < DBL_MIN) {
        ax = ldexp(ax, 53);
        s = ldexp(sqrt(ax + hypot(ax, ldexp(ay, 53))), -27);
    } else {
        ax /= 8;
        s = 2 * sqrt(ax + hypot(ax, ay / 8));
    }
    d = ay / (2 * s);
    return creal(z) >= 0 ? pair(s, copysign(d, cimag(z)))
                         : pair(d, copysign(s, cimag(z)));
}

static Pair c_exp(Pair z)
{
    double x = creal(z), l;

    if (!is_finite(z))
        return cexp(z);
    l = exp(x > LOG_LARGE ? x - 1 : x) * (x > LOG_LARGE ? M_E : 1);
    return pair(l * cos(cimag(z)), l * sin(cimag(z)));
}

static Pair c_log(Pair z)
{
    double ax = fabs(creal(z)), ay = fabs(cimag(z)), h, m, n, re;

    if (!is_finite(z))
        return clog(z);
    if (ax > LARGE || ay > LARGE) {
        re = log(hypot(ax / 2, ay / 2)) + M_LN2;
    } else if (ax < DBL_MIN && ay < DBL_MIN) {
        re = log(hypot(ldexp(ax, 53), ldexp(ay, 53))) - 53 * M_LN2;
    } else {
        h = hypot(ax, ay);
        m = ax > ay ? ax : ay;
        n = ax > ay ? ay : ax;
        re = h >= 0.71 && h <= 1.73 ? log1p((m - 1) * (m + 1) + n * n) / 2 : log(h);
    }
    return pair(re, atan2(cimag(z), creal(z)));
}

static bool is_large(Pair z) { return fabs(creal(z)) > LARGE || fabs(cimag(z)) > LARGE; }

static Pair c_acos(Pair z)
{
    Pair s, t;

    if (!is_finite(z) || is_large(z))
        return cacos(z);
    s = c_sqrt(pair(1 - creal(z), -cimag(z)));
    t = c_sqrt(pair(1 + creal(z), cimag(z)));
    return pair(2 * atan2(creal(s), creal(t)),
                asinh(creal(t) * cimag(s) - cimag(t) * creal(s)));
}

static Pair c_acosh(Pair z)
{
    Pair s, t;

    if (!is_finite(z) || is_large(z))
        return cacosh(z);
    s = c_sqrt(pair(creal(z) - 1, cimag(z)));
    t = c_sqrt(pair(creal(z) + 1, cimag(z)));
    return pair(asinh(creal(s) * creal(t) + cimag(s) * cimag(t)),
                2 * atan2(cimag(s), creal(t)));
}

static Pair c_asinh(Pair z)
{
    Pair s, t;

    if (!is_finite(z) || is_large(z))
        return casinh(z);
    s = c_sqrt(pair(1 + cimag(z), -creal(z)));
    t = c_sqrt(pair(1 - cimag(z), creal(z)));
    return pair(asinh(creal(s) * cimag(t) - creal(t) * cimag(s)),
                atan2(cimag(z), creal(s) * creal(t) - cimag(s) * cimag(t)));
}

static Pair c_asin(Pair z) { return unturned(c_asinh(turned(z))); }

static Pair c_atanh(Pair z)
{
    double x = creal(z), y = cimag(z), ay = fabs(y);

    if (!is_finite(z) || (fabs(x) == 1 && ay < sqrt(DBL_MIN)))
        return catanh(z);
    if (signbit(x))
        return -c_atanh(-z);
    if (x > sqrt(LARGE) || ay > sqrt(LARGE)) {
        double h = hypot(x / 2, ay / 2);

        return pair(x / 4 / h / h, -copysign(M_PI_2, -y));
    }
    return pair(log1p(4 * x / ((1 - x) * (1 - x) + ay * ay)) / 4,
                -atan2(-2 * y, (1 - x) * (1 + x) - ay * ay) / 2);
}

static Pair c_atan(Pair z) { return unturned(c_atanh(turned(z))); }

static Pair c_cosh(Pair z)
{
    double x = creal(z), y = cimag(z), by = fabs(x) > LOG_LARGE ? M_E : 1;

    if (!is_finite(z))
        return ccosh(z);
    x = by > 1 ? x - copysign(1, x) : x;
    return pair(cos(y) * cosh(x) * by, sin(y) * sinh(x) * by);
}

static Pair c_sinh(Pair z)
{
    double x = creal(z), y = cimag(z), by = fabs(x) > LOG_LARGE ? M_E : 1;

    if (!is_finite(z))
        return csinh(z);
    x = by > 1 ? x - copysign(1, x) : x;
    return pair(cos(y) * sinh(x) * by, sin(y) * cosh(x) * by);
}

static Pair c_tanh(Pair z)
{
    double x = creal(z), y = cimag(z), tx, ty, cx, d;

    if (!is_finite(z))
        return ctanh(z);
    if (fabs(x) > LOG_LARGE)
        return pair(copysign(1, x), 4 * sin(y) * cos(y) * exp(-2 * fabs(x)));
    tx = tanh(x);
    ty = tan(y);
    cx = 1 / cosh(x);
    d = 1 + tx * ty * (tx * ty);
    return pair(tx * (1 + ty * ty) / d, ty / d * cx * cx);
}

static Pair c_cos(Pair z) { return c_cosh(turned(z)); }
static Pair c_sin(Pair z) { return unturned(c_sinh(turned(z))); }
static Pair c_tan(Pair z) { return unturned(c_tanh(turned(z))); }

/* ---- functions --------------------------------------------------------------------- */

static bool one(Vm *vm, Value v, Pair *out)
{
    double re, im;

    if (!sc_to_complex(vm, v, &re, &im))
        return false;
    *out = pair(re, im);
    return true;
}

static Value domain(Vm *vm) { return sc_raise(vm, C_ValueError, "math domain error"); }
static Value of(Vm *vm, Pair z) { return sc_complex(vm, creal(z), cimag(z)); }

/* A result that is not finite where the argument was. */
static Value checked(Vm *vm, Pair z, Pair r, bool poles)
{
    if (is_finite(z) && !is_finite(r))
        return poles ? domain(vm) : sc_raise(vm, C_OverflowError, "math range error");
    return of(vm, r);
}

#define FN(name, poles)                                                                  \
    static Value m_##name(Vm *vm, const Args *a)                                         \
    {                                                                                    \
        Pair z;                                                                          \
        return one(vm, a->v[0], &z) ? checked(vm, z, c_##name(z), poles) : NIL;          \
    }
FN(sqrt, false)
FN(exp, false)
FN(acos, false)
FN(acosh, false)
FN(asin, false)
FN(asinh, false)
FN(atan, true)
FN(atanh, true)
FN(cos, false)
FN(cosh, false)
FN(sin, false)
FN(sinh, false)
FN(tan, false)
FN(tanh, false)

static Value log_over(Vm *vm, Value x, double by)
{
    Pair z;

    if (!one(vm, x, &z))
        return NIL;
    if (z == 0)
        return domain(vm);
    z = c_log(z);
    return sc_complex(vm, creal(z) / by, cimag(z) / by);
}

static Value m_log10(Vm *vm, const Args *a) { return log_over(vm, a->v[0], M_LN10); }

static Value m_log(Vm *vm, const Args *a)
{
    Value x = log_over(vm, a->v[0], 1), y, r;

    if (a->v[1].tag == T_NIL || x.tag == T_NIL)
        return x;
    y = log_over(vm, a->v[1], 1);
    r = y.tag == T_NIL ? NIL : sc_binary(vm, OP2_DIV, x, y, false);
    sc_drop(vm, x);
    sc_drop(vm, y);
    return r;
}

static Value m_phase(Vm *vm, const Args *a)
{
    Pair z;

    return one(vm, a->v[0], &z) ? v_float(atan2(cimag(z), creal(z))) : NIL;
}

static Value m_polar(Vm *vm, const Args *a)
{
    Pair z;

    if (!one(vm, a->v[0], &z))
        return NIL;
    return v_obj(sc_tuple_of(
        vm, (Value[]){v_float(cabs(z)), v_float(atan2(cimag(z), creal(z)))}, 2));
}

static Value m_rect(Vm *vm, const Args *a)
{
    double r, phi;

    if (!sc_to_double(vm, a->v[0], &r) || !sc_to_double(vm, a->v[1], &phi))
        return NIL;
    if (isinf(phi) && r != 0 && !isnan(r))
        return domain(vm);
    return phi == 0 ? sc_complex(vm, r, r * phi)
                    : sc_complex(vm, r * cos(phi), r * sin(phi));
}

#define TEST(name, expr)                                                                 \
    static Value m_##name(Vm *vm, const Args *a)                                         \
    {                                                                                    \
        Pair z;                                                                          \
        return one(vm, a->v[0], &z) ? v_bool(expr) : NIL;                                \
    }
TEST(isfinite, is_finite(z))
TEST(isnan, isnan(creal(z)) || isnan(cimag(z)))
TEST(isinf, isinf(creal(z)) || isinf(cimag(z)))

static Value m_isclose(Vm *vm, const Args *a)
{
    double rel = 1e-9, least = 0, d;
    Pair x, y;

    if (!one(vm, a->v[0], &x) || !one(vm, a->v[1], &y) ||
        (a->v[2].tag != T_NIL && !sc_to_double(vm, a->v[2], &rel)) ||
        (a->v[3].tag != T_NIL && !sc_to_double(vm, a->v[3], &least)))
        return NIL;
    if (rel < 0 || least < 0)
        return sc_raise(vm, C_ValueError, "tolerances must be non-negative");
    if (x == y)
        return v_bool(true);
    if (isinf(creal(x)) || isinf(cimag(x)) || isinf(creal(y)) || isinf(cimag(y)))
        return v_bool(false);
    d = cabs(x - y);
    return v_bool(d <= rel * cabs(y) || d <= rel * cabs(x) || d <= least);
}

#define D1(n)                                                                            \
    {                                                                                    \
#n, m_##n, "z"                                                                   \
    }
static const NativeDef functions[] = {
    D1(sqrt),
    D1(exp),
    D1(acos),
    D1(acosh),
    D1(asin),
    D1(asinh),
    D1(atan),
    D1(atanh),
    D1(cos),
    D1(cosh),
    D1(sin),
    D1(sinh),
    D1(tan),
    D1(tanh),
    D1(log10),
    D1(phase),
    D1(polar),
    D1(isfinite),
    D1(isnan),
    D1(isinf),
    {"log", m_log, "z|base"},
    {"rect", m_rect, "r,phi"},
    {"isclose", m_isclose, "a,b$rel_tol,abs_tol"},
    {0},
};

bool open_cmath(Vm *vm, ScModule *m)
{
    return sc_module_natives(vm, m, functions) &&
           sc_module_set(vm, m, "pi", v_float(M_PI)) &&
           sc_module_set(vm, m, "e", v_float(M_E)) &&
           sc_module_set(vm, m, "tau", v_float(2 * M_PI)) &&
           sc_module_set(vm, m, "inf", v_float(INFINITY)) &&
           sc_module_set(vm, m, "nan", v_float(NAN)) &&
           sc_module_set(vm, m, "infj", sc_complex(vm, 0, INFINITY)) &&
           sc_module_set(vm, m, "nanj", sc_complex(vm, 0, NAN));
}
