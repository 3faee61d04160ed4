/* op_map_unary.c -- elementwise ops of one operand.
 *
 * Above each row stands its meaning on one element. Derivatives have the form dy = dx * c, with c
 * of known values only, taken from the result y where that saves work; their transpose is
 * then that of mul.
 */
#include "base/special.h"
#include "op/op_map.h"

#define ROW(name, cost_, doc_, type_, jvp_, fold_, ...) MAP_ROW(name, cost_, doc_, type_, jvp_, NULL, fold_, __VA_ARGS__)

#define TWO_OVER_SQRT_PI 1.12837916709551257390
#define SQRT_PI_HALF     0.88622692545275801365

/* ---- neg:  dy = -dx ---- */

static void jvp_neg(Builder *b, const EqnView *e, const Val *dx, Val *dy)
{
    (void)e;
    dy[0] = b_neg(b, dx[0]);
}

static void transpose_neg(Builder *b, const EqnView *e, const Val *gy, Val *gx)
{
    (void)e;
    if (gy[0])
        gx[0] = b_neg(b, gy[0]);
}

/* neg(neg(x)) = x */
static bool fold_neg(Builder *b, const EqnView *e, Val *out)
{
    out[0] = operand_of(b, e->in[0], OP_neg);
    return out[0] || fold_splats(b, e, out);
}

REAL(neg, -x)
WHOLE(neg, 0 - x)
PAIR(neg, -x)
const OpRow op_row_neg = {
    .type = type_map_number,
    .eval = eval_map,
    .fold = fold_neg,
    .flops = flops_map,
    .lower = {LOWER_MAP, .real = real_neg, .whole = whole_neg, .pair = complex_neg},
};
const OpRules op_rules_neg = {
    .doc = DOC("y = -x. Integers (wrapping: the lowest integer stays), floats, complex; "
               "flips the "
               "sign of 0 and NaN."),
    .jvp = jvp_neg,
    .transpose = transpose_neg,
    .batch = batch_map,
};

/* ---- abs:  dy = dx * (x >= 0 ? 1 : -1), so 1 at 0; of complex numbers a real one:
 *            dy = Re(dx * conj(x) / y), 0 at 0 ---- */

static bool type_abs(TypeRule *t)
{
    wf_dtype x = (wf_dtype)t->in[0].dtype;

    if (!dtype_is_complex(x))
        return type_map_number(t);
    type_out(t, dtype_part(x), t->in[0].dims, t->in[0].rank);
    return true;
}

static Val slope_of_modulus(Builder *b, Val x, Val y)
{
    Val at_zero = b_eq(b, y, b_zeros_like(b, y));
    Val r = b_select(b, at_zero, b_one_like(b, y), y);
    Val im = b_div(b, b_neg(b, b_imag(b, x)), r);

    return b_complex(b, b_div(b, b_real(b, x), r), im);
}

static void jvp_abs(Builder *b, const EqnView *e, const Val *dx, Val *dy)
{
    Val x = e->in[0], slope, up, down;

    if (dtype_is_complex(b_dtype(b, x))) {
        dy[0] = b_real(b, b_mul(b, dx[0], slope_of_modulus(b, x, e->out[0])));
        return;
    }
    down = b_full_like(b, x, -1);
    up = b_one_like(b, x);
    slope = b_select(b, b_ge(b, x, b_zeros_like(b, x)), up, down);

    dy[0] = b_mul(b, dx[0], slope);
}

/* abs(abs(x)) = abs(x); abs(neg(x)) is left, its slope at 0 is another one */
static bool fold_abs(Builder *b, const EqnView *e, Val *out)
{
    if (!operand_of(b, e->in[0], OP_abs))
        return fold_splats(b, e, out);
    out[0] = e->in[0];
    return true;
}

REAL(abs, fabs(x))
WHOLE(abs, scalar_less(t, x, 0) ? 0 - x : x)
ROW(abs, 1,
    "y = |x|. Integers (the lowest integer wraps to itself) and floats; -0 gives 0, NaN "
    "stays NaN. The derivative at 0 is 1. Of complex numbers a real one, without "
    "overflow; "
    "the derivative at 0 is 0.",
    type_abs, jvp_abs, fold_abs, .real = real_abs, .whole = whole_abs);

/* ---- sign ---- */

REAL(sign, x > 0 ? 1 : x < 0 ? -1 : x) /* NaN and the sign of zero stay */
WHOLE(sign, scalar_less(t, x, 0) ? ~(uint64_t)0 : x != 0)
ROW(sign, 1,
    "y = -1, 0 or 1 by the sign of x. Integers and floats; keeps the sign of 0, NaN "
    "stays NaN. Derivative zero.",
    type_map_real, NULL, fold_splats, .real = real_sign, .whole = whole_sign);

/* ---- exp:  dy = dx * y ---- */

static void jvp_exp(Builder *b, const EqnView *e, const Val *dx, Val *dy)
{
    dy[0] = b_mul(b, dx[0], e->out[0]);
}

REAL(exp, exp(x))
PAIR(exp, cexp(x))
ROW(exp, 12, "y = e^x. Floats, complex; overflow gives inf, exp(-inf) = 0.",
    type_map_inexact, jvp_exp, fold_splats, .real = real_exp, .pair = complex_exp);

/* ---- expm1:  dy = dx * (y + 1) ---- */

static void jvp_expm1(Builder *b, const EqnView *e, const Val *dx, Val *dy)
{
    Val y = e->out[0];

    dy[0] = b_mul(b, dx[0], b_add(b, y, b_one_like(b, y)));
}

REAL(expm1, expm1(x))
PAIR(expm1, pair_expm1(x))
ROW(expm1, 12,
    "y = e^x - 1, exact near 0. Floats, complex; keeps -0, expm1(-inf) = -1, overflow "
    "gives inf.",
    type_map_inexact, jvp_expm1, fold_splats, .real = real_expm1, .pair = complex_expm1);

/* ---- log:  dy = dx / x ---- */

static void jvp_log(Builder *b, const EqnView *e, const Val *dx, Val *dy)
{
    dy[0] = b_div(b, dx[0], e->in[0]);
}

REAL(log, log(x))
PAIR(log, clog(x))
ROW(log, 12, "y = ln x. Floats, complex; log(0) = log(-0) = -inf, NaN below 0.",
    type_map_inexact, jvp_log, fold_splats, .real = real_log, .pair = complex_log);

/* ---- log1p:  dy = dx / (x + 1) ---- */

static void jvp_log1p(Builder *b, const EqnView *e, const Val *dx, Val *dy)
{
    Val x = e->in[0];

    dy[0] = b_div(b, dx[0], b_add(b, x, b_one_like(b, x)));
}

REAL(log1p, log1p(x))
PAIR(log1p, pair_log1p(x))
ROW(log1p, 12,
    "y = ln(1 + x), exact near 0. Floats, complex; keeps -0, log1p(-1) = -inf, NaN below "
    "-1.",
    type_map_inexact, jvp_log1p, fold_splats, .real = real_log1p, .pair = complex_log1p);

/* ---- sin:  dy = dx * cos(x) ---- */

static void jvp_sin(Builder *b, const EqnView *e, const Val *dx, Val *dy)
{
    dy[0] = b_mul(b, dx[0], b_cos(b, e->in[0]));
}

REAL(sin, sin(x))
PAIR(sin, csin(x))
ROW(sin, 40,
    "y = sin x, x in radians of any size. Floats, complex; keeps -0, NaN at inf.",
    type_map_inexact, jvp_sin, fold_splats, .real = real_sin, .pair = complex_sin);

/* ---- cos:  dy = dx * -sin(x) ---- */

static void jvp_cos(Builder *b, const EqnView *e, const Val *dx, Val *dy)
{
    dy[0] = b_mul(b, dx[0], b_neg(b, b_sin(b, e->in[0])));
}

REAL(cos, cos(x))
PAIR(cos, ccos(x))
ROW(cos, 40, "y = cos x, x in radians of any size. Floats, complex; NaN at inf.",
    type_map_inexact, jvp_cos, fold_splats, .real = real_cos, .pair = complex_cos);

/* ---- tan:  dy = dx * (1 + y*y) ---- */

static void jvp_tan(Builder *b, const EqnView *e, const Val *dx, Val *dy)
{
    Val y = e->out[0], square = b_mul(b, y, y);

    dy[0] = b_mul(b, dx[0], b_add(b, b_one_like(b, y), square));
}

REAL(tan, tan(x))
PAIR(tan, ctan(x))
ROW(tan, 40,
    "y = tan x, x in radians of any size. Floats, complex; keeps -0, NaN at inf.",
    type_map_inexact, jvp_tan, fold_splats, .real = real_tan, .pair = complex_tan);

/* ---- tanh:  dy = dx * (1 - y*y) ---- */

static void jvp_tanh(Builder *b, const EqnView *e, const Val *dx, Val *dy)
{
    Val y = e->out[0], square = b_mul(b, y, y);

    dy[0] = b_mul(b, dx[0], b_sub(b, b_one_like(b, y), square));
}

REAL(tanh, tanh(x))
PAIR(tanh, ctanh(x))
ROW(tanh, 16, "y = tanh x. Floats, complex; keeps -0, 1 and -1 at inf and -inf.",
    type_map_inexact, jvp_tanh, fold_splats, .real = real_tanh, .pair = complex_tanh);

/* ---- asin, acos:  dy = dx / sqrt(1 - x*x), and minus that ---- */

static Val over_circle(Builder *b, Val x, double scale)
{
    Val one = b_one_like(b, x), sum = b_add(b, one, x), c = b_mul(b, b_sub(b, one, x), sum);

    c = b_rsqrt(b, c);
    return b_mul(b, b_full_like(b, x, scale), c);
}

static void jvp_asin(Builder *b, const EqnView *e, const Val *dx, Val *dy)
{
    dy[0] = b_mul(b, dx[0], over_circle(b, e->in[0], 1));
}

static void jvp_acos(Builder *b, const EqnView *e, const Val *dx, Val *dy)
{
    dy[0] = b_mul(b, dx[0], over_circle(b, e->in[0], -1));
}

REAL_C(asin, asin(x))
PAIR(asin, casin(x))
ROW(asin, 80,
    "y = the angle in [-pi/2, pi/2] whose sine is x. Floats, complex; keeps -0, NaN "
    "outside "
    "[-1, 1].",
    type_map_inexact, jvp_asin, fold_splats, .real = real_asin, .c = c_asin,
    .pair = complex_asin);
REAL_C(acos, acos(x))
PAIR(acos, cacos(x))
ROW(acos, 80,
    "y = the angle in [0, pi] whose cosine is x. Floats, complex; NaN outside [-1, 1].",
    type_map_inexact, jvp_acos, fold_splats, .real = real_acos, .c = c_acos,
    .pair = complex_acos);

/* ---- atan:  dy = dx / (1 + x*x) ---- */

static void jvp_atan(Builder *b, const EqnView *e, const Val *dx, Val *dy)
{
    Val x = e->in[0], square = b_mul(b, x, x);

    dy[0] = b_div(b, dx[0], b_add(b, b_one_like(b, x), square));
}

REAL_C(atan, atan(x))
PAIR(atan, catan(x))
ROW(atan, 60,
    "y = the angle in [-pi/2, pi/2] whose tangent is x. Floats, complex; keeps -0, pi/2 "
    "and "
    "-pi/2 at inf and -inf.",
    type_map_inexact, jvp_atan, fold_splats, .real = real_atan, .c = c_atan,
    .pair = complex_atan);

/* ---- sinh, cosh:  dy = dx * cosh(x), dx * sinh(x) ---- */

static void jvp_sinh(Builder *b, const EqnView *e, const Val *dx, Val *dy)
{
    dy[0] = b_mul(b, dx[0], b_cosh(b, e->in[0]));
}

static void jvp_cosh(Builder *b, const EqnView *e, const Val *dx, Val *dy)
{
    dy[0] = b_mul(b, dx[0], b_sinh(b, e->in[0]));
}

REAL_C(sinh, sinh(x))
PAIR(sinh, csinh(x))
ROW(sinh, 40,
    "y = (e^x - e^-x) / 2, exact near 0. Floats, complex; keeps -0, overflow gives inf "
    "or -inf.",
    type_map_inexact, jvp_sinh, fold_splats, .real = real_sinh, .c = c_sinh,
    .pair = complex_sinh);
REAL_C(cosh, cosh(x))
PAIR(cosh, ccosh(x))
ROW(cosh, 40, "y = (e^x + e^-x) / 2. Floats, complex; overflow gives inf.",
    type_map_inexact, jvp_cosh, fold_splats, .real = real_cosh, .c = c_cosh,
    .pair = complex_cosh);

/* ---- asinh, acosh, atanh:  dy = dx / sqrt(x*x + 1), dx / sqrt(x*x - 1), dx / (1 - x*x)
 *
 * acosh by (x - 1)(x + 1), which does not cancel next to 1; the first beyond the square
 * root of the largest number is inf there, so that the slope is 0. ---- */

static void jvp_asinh(Builder *b, const EqnView *e, const Val *dx, Val *dy)
{
    Val x = e->in[0], one = b_one_like(b, x);

    dy[0] = b_mul(b, dx[0], b_rsqrt(b, b_add(b, b_mul(b, x, x), one)));
}

static void jvp_acosh(Builder *b, const EqnView *e, const Val *dx, Val *dy)
{
    Val x = e->in[0], one = b_one_like(b, x), one_more;

    if (dtype_is_complex(b_dtype(b, x))) { /* the branch is that of the factors */
        Val second = b_rsqrt(b, b_add(b, x, one));

        dy[0] = b_mul(b, dx[0], b_mul(b, b_rsqrt(b, b_sub(b, x, one)), second));
        return;
    }
    one_more = b_add(b, x, one);
    dy[0] = b_mul(b, dx[0], b_rsqrt(b, b_mul(b, b_sub(b, x, one), one_more)));
}

static void jvp_atanh(Builder *b, const EqnView *e, const Val *dx, Val *dy)
{
    Val x = e->in[0], one = b_one_like(b, x), sum = b_add(b, one, x);

    dy[0] = b_div(b, dx[0], b_mul(b, b_sub(b, one, x), sum));
}

REAL_C(asinh, asinh(x))
PAIR(asinh, casinh(x))
ROW(asinh, 80, "y with sinh(y) = x. Floats, complex; keeps -0, inf and -inf.",
    type_map_inexact, jvp_asinh, fold_splats, .real = real_asinh, .c = c_asinh,
    .pair = complex_asinh);
REAL_C(acosh, acosh(x))
PAIR(acosh, cacosh(x))
ROW(acosh, 80, "y >= 0 with cosh(y) = x. Floats, complex; NaN below 1, inf at inf.",
    type_map_inexact, jvp_acosh, fold_splats, .real = real_acosh, .c = c_acosh,
    .pair = complex_acosh);
REAL_C(atanh, atanh(x))
PAIR(atanh, catanh(x))
ROW(atanh, 80,
    "y with tanh(y) = x. Floats, complex; keeps -0, inf and -inf at 1 and -1, NaN "
    "outside "
    "[-1, 1].",
    type_map_inexact, jvp_atanh, fold_splats, .real = real_atanh, .c = c_atanh,
    .pair = complex_atanh);

/* ---- exp2:  dy = dx * ln(2) * y ---- */

static void jvp_exp2(Builder *b, const EqnView *e, const Val *dx, Val *dy)
{
    Val y = e->out[0];

    dy[0] = b_mul(b, dx[0], b_mul(b, b_full_like(b, y, 0.69314718055994530942), y));
}

REAL_C(exp2, exp2(x))
ROW(exp2, 40, "y = 2^x, exact for whole x. Floats; overflow gives inf, exp2(-inf) = 0.",
    type_map_float, jvp_exp2, fold_splats, .real = real_exp2, .c = c_exp2);

/* ---- cbrt:  dy = dx / (3 y²) ---- */

static void jvp_cbrt(Builder *b, const EqnView *e, const Val *dx, Val *dy)
{
    Val y = e->out[0], y2 = b_mul(b, y, y);

    dy[0] = b_div(b, dx[0], b_mul(b, b_full_like(b, y, 3), y2));
}

REAL_C(cbrt, cbrt(x))
ROW(cbrt, 60, "y = cube root of x. Floats; keeps -0, inf and NaN; the slope at 0 is inf.",
    type_map_float, jvp_cbrt, fold_splats, .real = real_cbrt, .c = c_cbrt);

/* ---- lgamma:  dy = dx * digamma(x) ---- */

static void jvp_lgamma(Builder *b, const EqnView *e, const Val *dx, Val *dy)
{
    dy[0] = b_mul(b, dx[0], b_digamma(b, e->in[0]));
}

REAL_C(lgamma, log_gamma(x))
ROW(lgamma, 80, "y = ln |gamma(x)|. Floats; inf at 0, -1, -2 .. and at inf and -inf.",
    type_map_float, jvp_lgamma, fold_splats, .real = real_lgamma, .c = c_lgamma);

/* ---- digamma:  dy = dx * psi'(x), built of other ops
 *
 *   psi'(x) = (pi / sin(pi x))^2 - psi'(1 - x)    for x < 1/2
 *   psi'(x) = sum of 1/(x+k)^2, k < 8, + psi'(x + 8), and for large x
 *   psi'(x) = 1/x + 1/(2 x^2) + sum of B_2k / x^(2k+1) ---- */

static Val plus(Builder *b, Val x, double k) { return b_add(b, x, b_full_like(b, x, k)); }

static Val trigamma(Builder *b, Val x)
{
    static const double bernoulli[] = {5 / 66.0, -1 / 30.0, 1 / 42.0, -1 / 30.0, 1 / 6.0};
    Val sum = VAL_NONE, q, r, s;

    for (int k = 0; k < 8; k++) {
        Val t = plus(b, x, k), t2 = b_mul(b, t, t), term = b_div(b, b_one_like(b, x), t2);

        sum = sum ? b_add(b, sum, term) : term;
    }
    r = plus(b, x, 8);
    r = b_div(b, b_one_like(b, x), r);
    q = b_mul(b, r, r);
    s = b_full_like(b, x, -691 / 2730.0);
    for (int k = 0; k < 5; k++)
        s = plus(b, b_mul(b, s, q), bernoulli[k]);
    s = plus(b, b_mul(b, b_mul(b, s, r), r), 1); /* 1 + B_2/x^2 + .. */
    s = b_mul(b, r, b_add(b, s, b_mul(b, b_full_like(b, x, 0.5), r)));
    return b_add(b, sum, s);
}

static void jvp_digamma(Builder *b, const EqnView *e, const Val *dx, Val *dy)
{
    const double pi = 3.14159265358979323846;
    Val x = e->in[0], low = b_lt(b, x, b_full_like(b, x, 0.5));
    Val t = b_select(b, low, b_sub(b, b_one_like(b, x), x), x), slope = trigamma(b, t);
    Val part = b_sub(b, x, b_floor(b, x)); /* sin(pi x)^2 has period 1 */
    Val sine = b_sin(b, b_mul(b, b_full_like(b, x, pi), part)), c = b_div(b, b_full_like(b, x, pi), sine);

    dy[0] = b_mul(b, dx[0], b_select(b, low, b_sub(b, b_mul(b, c, c), slope), slope));
}

REAL_C(digamma, psi(x))
ROW(digamma, 100,
    "y = the derivative of lgamma at x. Floats; -inf at 0, inf at -0, NaN at -1, "
    "-2 .. and -inf; next to its zeros the absolute error is that of numbers near 1.",
    type_map_float, jvp_digamma, fold_splats, .real = real_digamma, .c = c_digamma);

/* ---- erf:  dy = dx * 2/sqrt(pi) * exp(-x*x) ---- */

static Val bell(Builder *b, Val x, double scale)
{
    Val height = b_exp(b, b_neg(b, b_mul(b, x, x)));

    return b_mul(b, b_full_like(b, x, scale), height);
}

static void jvp_erf(Builder *b, const EqnView *e, const Val *dx, Val *dy)
{
    dy[0] = b_mul(b, dx[0], bell(b, e->in[0], TWO_OVER_SQRT_PI));
}

REAL(erf, erf(x))
ROW(erf, 16,
    "y = 2/sqrt(pi) * integral of exp(-t*t) for t from 0 to x. Floats; keeps -0, 1 and "
    "-1 at inf and -inf.",
    type_map_float, jvp_erf, fold_splats, .real = real_erf);

/* ---- erfc:  dy = dx * -2/sqrt(pi) * exp(-x*x) ---- */

static void jvp_erfc(Builder *b, const EqnView *e, const Val *dx, Val *dy)
{
    dy[0] = b_mul(b, dx[0], bell(b, e->in[0], -TWO_OVER_SQRT_PI));
}

REAL_C(erfc, erfc(x))
ROW(erfc, 80,
    "y = 1 - erf x, exact also where erf x is near 1. Floats; 0 at inf, 2 at -inf.",
    type_map_float, jvp_erfc, fold_splats, .real = real_erfc, .c = c_erfc);

/* ---- erf_inv:  dy = dx * sqrt(pi)/2 * exp(y*y) ---- */

static void jvp_erf_inv(Builder *b, const EqnView *e, const Val *dx, Val *dy)
{
    Val y = e->out[0];
    Val height = b_exp(b, b_mul(b, y, y)), c = b_mul(b, b_full_like(b, y, SQRT_PI_HALF), height);

    dy[0] = b_mul(b, dx[0], c);
}

REAL_C(erf_inv, erf_inverse(x))
ROW(erf_inv, 80,
    "y with erf(y) = x. Floats; keeps -0, inf and -inf at 1 and -1, NaN outside [-1, 1].",
    type_map_float, jvp_erf_inv, fold_splats, .real = real_erf_inv, .c = c_erf_inv);

/* ---- sqrt:  dy = dx * (0.5 / y) ---- */

static void jvp_sqrt(Builder *b, const EqnView *e, const Val *dx, Val *dy)
{
    Val y = e->out[0];

    dy[0] = b_mul(b, dx[0], b_div(b, b_full_like(b, y, 0.5), y));
}

REAL(sqrt, sqrt(x))
PAIR(sqrt, csqrt(x))
ROW(sqrt, 6,
    "y = square root of x, correctly rounded. Floats, complex; sqrt(-0) = -0, NaN below "
    "0.",
    type_map_inexact, jvp_sqrt, fold_splats, .real = real_sqrt, .pair = complex_sqrt);

/* ---- rsqrt:  dy = dx * (-0.5 * y / x) ---- */

static void jvp_rsqrt(Builder *b, const EqnView *e, const Val *dx, Val *dy)
{
    Val x = e->in[0], y = e->out[0], slope = b_div(b, y, x);

    dy[0] = b_mul(b, dx[0], b_mul(b, b_full_like(b, y, -0.5), slope));
}

REAL(rsqrt, 1 / sqrt(x))
PAIR(rsqrt, pair_div(1, csqrt(x)))
ROW(rsqrt, 6,
    "y = 1 / sqrt(x). Floats, complex; inf at 0, -inf at -0, 0 at inf, NaN below 0.",
    type_map_inexact, jvp_rsqrt, fold_splats, .real = real_rsqrt, .pair = complex_rsqrt);

/* ---- logistic:  dy = dx * y * (1 - y) ---- */

static void jvp_logistic(Builder *b, const EqnView *e, const Val *dx, Val *dy)
{
    Val y = e->out[0];

    dy[0] = b_mul(b, dx[0], b_mul(b, y, b_sub(b, b_one_like(b, y), y)));
}

REAL(logistic, x < 0 ? exp(x) / (1 + exp(x)) : 1 / (1 + exp(-x))) /* without overflow */
PAIR(logistic, pair_div(1, 1 + cexp(-x)))
ROW(logistic, 12,
    "y = 1 / (1 + exp(-x)), without overflow. Floats, complex; 0 and 1 at -inf and inf.",
    type_map_inexact, jvp_logistic, fold_splats, .real = real_logistic,
    .pair = complex_logistic);

/* ---- floor, ceil, round: each leaves what it made as it is ---- */

static bool fold_rounding(Builder *b, const EqnView *e, Val *out)
{
    if (!operand_of(b, e->in[0], (OpCode)e->op))
        return fold_splats(b, e, out);
    out[0] = e->in[0];
    return true;
}

REAL(floor, floor(x))
ROW(floor, 1,
    "y = the largest whole number <= x. Floats; keeps -0, inf and NaN. Derivative zero.",
    type_map_float, NULL, fold_rounding, .real = real_floor);
REAL(ceil, ceil(x))
ROW(ceil, 1,
    "y = the smallest whole number >= x. Floats; keeps -0, inf and NaN; -0 between -1 "
    "and 0. Derivative zero.",
    type_map_float, NULL, fold_rounding, .real = real_ceil);
REAL(round, rint(x)) /* to nearest even everywhere in Weft */
ROW(round, 1,
    "y = the nearest whole number, halves to even. Floats; keeps inf, NaN and the sign. "
    "Derivative zero.",
    type_map_float, NULL, fold_rounding, .real = real_round);

/* ---- is_finite, not ---- */

ROW(is_finite, 1, "y = x is neither inf, -inf nor NaN, a bool. Floats.",
    type_map_float_test, NULL, fold_splats, .real = NULL);

/* not(not(x)) = x */
static bool fold_not(Builder *b, const EqnView *e, Val *out)
{
    out[0] = operand_of(b, e->in[0], OP_not);
    return out[0] || fold_splats(b, e, out);
}

WHOLE(not, ~x)
ROW(not, 1, "y = not x: of bool the other, of integers every bit flipped.", type_map_bits,
    NULL, fold_not, .whole = whole_not);

/* ---- popcount, clz ---- */

WHOLE_C(popcount, (uint64_t)__builtin_popcountll(x << (64 - w)))
ROW(popcount, 2, "y = how many bits of x are set. Integers.", type_map_int, NULL,
    fold_splats, .whole = whole_popcount, .c = c_popcount);
WHOLE_C(clz, x << (64 - w) ? (uint64_t)__builtin_clzll(x << (64 - w)) : w)
ROW(clz, 2,
    "y = how many bits of x above the highest set one are 0, the width for 0. Integers.",
    type_map_int, NULL, fold_splats, .whole = whole_clz, .c = c_clz);
