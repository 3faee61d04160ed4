/* op_map_unary.c -- elementwise ops of one operand.
 *
 * Meanings on one element are in scalar.c. Derivatives have the form dy = dx * c, with c
 * of known values only, taken from the result y where that saves work; their transpose is
 * then that of mul.
 */
#include "op/op_map.h"

#define ROW(name, doc_, type_, jvp_, fold_)                                              \
    const OpRow op_row_##name = {                                                        \
        .doc = doc_,                                                                     \
        .type = type_,                                                                   \
        .eval = eval_map,                                                                \
        .jvp = jvp_,                                                                     \
        .batch = batch_map,                                                              \
        .fold = fold_,                                                                   \
        .lower = {LOWER_MAP, 0},                                                         \
    }

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

const OpRow op_row_neg = {
    .doc = "y = -x. Integers (wrapping: the lowest integer stays) and floats; flips the "
           "sign of 0 and NaN.",
    .type = type_map_number,
    .eval = eval_map,
    .jvp = jvp_neg,
    .transpose = transpose_neg,
    .batch = batch_map,
    .fold = fold_neg,
    .lower = {LOWER_MAP, 0},
};

/* ---- abs:  dy = dx * (x >= 0 ? 1 : -1), so 1 at 0 ---- */

static void jvp_abs(Builder *b, const EqnView *e, const Val *dx, Val *dy)
{
    Val x = e->in[0];
    Val slope = b_select(b, b_ge(b, x, b_zeros_like(b, x)), b_one_like(b, x),
                         b_full_like(b, x, -1));

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

ROW(abs,
    "y = |x|. Integers (the lowest integer wraps to itself) and floats; -0 gives 0, NaN "
    "stays NaN. The derivative at 0 is 1.",
    type_map_number, jvp_abs, fold_abs);

/* ---- sign ---- */

ROW(sign,
    "y = -1, 0 or 1 by the sign of x. Integers and floats; keeps the sign of 0, NaN "
    "stays NaN. Derivative zero.",
    type_map_number, NULL, fold_splats);

/* ---- exp:  dy = dx * y ---- */

static void jvp_exp(Builder *b, const EqnView *e, const Val *dx, Val *dy)
{
    dy[0] = b_mul(b, dx[0], e->out[0]);
}

ROW(exp, "y = e^x. Floats; overflow gives inf, exp(-inf) = 0.", type_map_float, jvp_exp,
    fold_splats);

/* ---- expm1:  dy = dx * (y + 1) ---- */

static void jvp_expm1(Builder *b, const EqnView *e, const Val *dx, Val *dy)
{
    Val y = e->out[0];

    dy[0] = b_mul(b, dx[0], b_add(b, y, b_one_like(b, y)));
}

ROW(expm1,
    "y = e^x - 1, exact near 0. Floats; keeps -0, expm1(-inf) = -1, overflow gives inf.",
    type_map_float, jvp_expm1, fold_splats);

/* ---- log:  dy = dx / x ---- */

static void jvp_log(Builder *b, const EqnView *e, const Val *dx, Val *dy)
{
    dy[0] = b_div(b, dx[0], e->in[0]);
}

ROW(log, "y = ln x. Floats; log(0) = log(-0) = -inf, NaN below 0.", type_map_float,
    jvp_log, fold_splats);

/* ---- log1p:  dy = dx / (x + 1) ---- */

static void jvp_log1p(Builder *b, const EqnView *e, const Val *dx, Val *dy)
{
    Val x = e->in[0];

    dy[0] = b_div(b, dx[0], b_add(b, x, b_one_like(b, x)));
}

ROW(log1p,
    "y = ln(1 + x), exact near 0. Floats; keeps -0, log1p(-1) = -inf, NaN below -1.",
    type_map_float, jvp_log1p, fold_splats);

/* ---- sin:  dy = dx * cos(x) ---- */

static void jvp_sin(Builder *b, const EqnView *e, const Val *dx, Val *dy)
{
    dy[0] = b_mul(b, dx[0], b_cos(b, e->in[0]));
}

ROW(sin, "y = sin x, x in radians of any size. Floats; keeps -0, NaN at inf.",
    type_map_float, jvp_sin, fold_splats);

/* ---- cos:  dy = dx * -sin(x) ---- */

static void jvp_cos(Builder *b, const EqnView *e, const Val *dx, Val *dy)
{
    dy[0] = b_mul(b, dx[0], b_neg(b, b_sin(b, e->in[0])));
}

ROW(cos, "y = cos x, x in radians of any size. Floats; NaN at inf.", type_map_float,
    jvp_cos, fold_splats);

/* ---- tan:  dy = dx * (1 + y*y) ---- */

static void jvp_tan(Builder *b, const EqnView *e, const Val *dx, Val *dy)
{
    Val y = e->out[0];

    dy[0] = b_mul(b, dx[0], b_add(b, b_one_like(b, y), b_mul(b, y, y)));
}

ROW(tan, "y = tan x, x in radians of any size. Floats; keeps -0, NaN at inf.",
    type_map_float, jvp_tan, fold_splats);

/* ---- tanh:  dy = dx * (1 - y*y) ---- */

static void jvp_tanh(Builder *b, const EqnView *e, const Val *dx, Val *dy)
{
    Val y = e->out[0];

    dy[0] = b_mul(b, dx[0], b_sub(b, b_one_like(b, y), b_mul(b, y, y)));
}

ROW(tanh, "y = tanh x. Floats; keeps -0, 1 and -1 at inf and -inf.", type_map_float,
    jvp_tanh, fold_splats);

/* ---- erf:  dy = dx * 2/sqrt(pi) * exp(-x*x) ---- */

static Val bell(Builder *b, Val x, double scale)
{
    return b_mul(b, b_full_like(b, x, scale), b_exp(b, b_neg(b, b_mul(b, x, x))));
}

static void jvp_erf(Builder *b, const EqnView *e, const Val *dx, Val *dy)
{
    dy[0] = b_mul(b, dx[0], bell(b, e->in[0], TWO_OVER_SQRT_PI));
}

ROW(erf,
    "y = 2/sqrt(pi) * integral of exp(-t*t) for t from 0 to x. Floats; keeps -0, 1 and "
    "-1 at inf and -inf.",
    type_map_float, jvp_erf, fold_splats);

/* ---- erfc:  dy = dx * -2/sqrt(pi) * exp(-x*x) ---- */

static void jvp_erfc(Builder *b, const EqnView *e, const Val *dx, Val *dy)
{
    dy[0] = b_mul(b, dx[0], bell(b, e->in[0], -TWO_OVER_SQRT_PI));
}

ROW(erfc, "y = 1 - erf x, exact also where erf x is near 1. Floats; 0 at inf, 2 at -inf.",
    type_map_float, jvp_erfc, fold_splats);

/* ---- erf_inv:  dy = dx * sqrt(pi)/2 * exp(y*y) ---- */

static void jvp_erf_inv(Builder *b, const EqnView *e, const Val *dx, Val *dy)
{
    Val y = e->out[0];
    Val c = b_mul(b, b_full_like(b, y, SQRT_PI_HALF), b_exp(b, b_mul(b, y, y)));

    dy[0] = b_mul(b, dx[0], c);
}

ROW(erf_inv,
    "y with erf(y) = x. Floats; keeps -0, inf and -inf at 1 and -1, NaN outside [-1, 1].",
    type_map_float, jvp_erf_inv, fold_splats);

/* ---- sqrt:  dy = dx * (0.5 / y) ---- */

static void jvp_sqrt(Builder *b, const EqnView *e, const Val *dx, Val *dy)
{
    Val y = e->out[0];

    dy[0] = b_mul(b, dx[0], b_div(b, b_full_like(b, y, 0.5), y));
}

ROW(sqrt, "y = square root of x, correctly rounded. Floats; sqrt(-0) = -0, NaN below 0.",
    type_map_float, jvp_sqrt, fold_splats);

/* ---- rsqrt:  dy = dx * (-0.5 * y / x) ---- */

static void jvp_rsqrt(Builder *b, const EqnView *e, const Val *dx, Val *dy)
{
    Val x = e->in[0], y = e->out[0];

    dy[0] = b_mul(b, dx[0], b_mul(b, b_full_like(b, y, -0.5), b_div(b, y, x)));
}

ROW(rsqrt, "y = 1 / sqrt(x). Floats; inf at 0, -inf at -0, 0 at inf, NaN below 0.",
    type_map_float, jvp_rsqrt, fold_splats);

/* ---- logistic:  dy = dx * y * (1 - y) ---- */

static void jvp_logistic(Builder *b, const EqnView *e, const Val *dx, Val *dy)
{
    Val y = e->out[0];

    dy[0] = b_mul(b, dx[0], b_mul(b, y, b_sub(b, b_one_like(b, y), y)));
}

ROW(logistic, "y = 1 / (1 + exp(-x)), without overflow. Floats; 0 and 1 at -inf and inf.",
    type_map_float, jvp_logistic, fold_splats);

/* ---- floor, ceil, round: each leaves what it made as it is ---- */

static bool fold_rounding(Builder *b, const EqnView *e, Val *out)
{
    if (!operand_of(b, e->in[0], (OpCode)e->op))
        return fold_splats(b, e, out);
    out[0] = e->in[0];
    return true;
}

ROW(floor,
    "y = the largest whole number <= x. Floats; keeps -0, inf and NaN. Derivative zero.",
    type_map_float, NULL, fold_rounding);
ROW(ceil,
    "y = the smallest whole number >= x. Floats; keeps -0, inf and NaN; -0 between -1 "
    "and 0. Derivative zero.",
    type_map_float, NULL, fold_rounding);
ROW(round,
    "y = the nearest whole number, halves to even. Floats; keeps inf, NaN and the sign. "
    "Derivative zero.",
    type_map_float, NULL, fold_rounding);

/* ---- is_finite, not ---- */

ROW(is_finite, "y = x is neither inf, -inf nor NaN, a bool. Floats.", type_map_float_test,
    NULL, fold_splats);

/* not(not(x)) = x */
static bool fold_not(Builder *b, const EqnView *e, Val *out)
{
    out[0] = operand_of(b, e->in[0], OP_not);
    return out[0] || fold_splats(b, e, out);
}

ROW(not, "y = not x: of bool the other, of integers every bit flipped.", type_map_bits,
    NULL, fold_not);
