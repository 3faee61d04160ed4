/* op_map_binary.c -- elementwise ops of two operands of one type.
 *
 * Above each row stands its meaning on one element. Folds are exact for every element, NaN, -0 and
 * wrapping included: x + 0 is not x (x = -0), x + -0 is; x * 0 is 0 for integers only.
 */
#include "op/op_map.h"

#include <math.h>

#define ROW MAP_ROW

/* ---- helpers ----------------------------------------------------------------------- */

/* x + y where either may be a symbolic zero */
static Val add_or(Builder *b, Val x, Val y) { return !x ? y : !y ? x : b_add(b, x, y); }

/* dx*cx + dy*cy, each term only where its tangent is there */
static Val combine(Builder *b, Val dx, Val cx, Val dy, Val cy)
{
    Val by_y = dy ? b_mul(b, dy, cy) : VAL_NONE; /* one after the other, so that every compiler's Weft gives the same text */

    return add_or(b, dx ? b_mul(b, dx, cx) : VAL_NONE, by_y);
}

static bool is_float(const EqnView *e)
{
    return dtype_is_inexact((wf_dtype)e->in_type[0].dtype);
}

/* out = v, for folds */
static bool becomes(Val *out, Val v)
{
    out[0] = v;
    return true;
}

/* ---- add:  dz = dx + dy ---- */

static void jvp_add(Builder *b, const EqnView *e, const Val *dx, Val *dz)
{
    (void)e;
    dz[0] = add_or(b, dx[0], dx[1]);
}

static void transpose_add(Builder *b, const EqnView *e, const Val *gz, Val *gx)
{
    (void)b;
    for (int i = 0; i < 2; i++)
        if (!e->in[i])
            gx[i] = gz[0];
}

static bool fold_add(Builder *b, const EqnView *e, Val *out)
{
    double zero = is_float(e) ? -0.0 : 0;

    if (dtype_is_complex((wf_dtype)e->in_type[0].dtype))
        return fold_splats(b, e, out);
    if (op_is_splat(b, e->in[0], zero))
        return becomes(out, e->in[1]);
    if (op_is_splat(b, e->in[1], zero))
        return becomes(out, e->in[0]);
    return fold_splats(b, e, out);
}

REAL(add, x + y)
WHOLE(add, x + y)
PAIR(add, x + y)
ROW(add, 1, "z = x + y. Integers (wrapping), floats, complex; inf - inf is NaN.",
    type_map_number, jvp_add, transpose_add, fold_add, .real = real_add,
    .whole = whole_add, .pair = complex_add);

/* ---- sub:  dz = dx - dy ---- */

static void jvp_sub(Builder *b, const EqnView *e, const Val *dx, Val *dz)
{
    (void)e;
    dz[0] = !dx[1] ? dx[0] : !dx[0] ? b_neg(b, dx[1]) : b_sub(b, dx[0], dx[1]);
}

static void transpose_sub(Builder *b, const EqnView *e, const Val *gz, Val *gx)
{
    if (!gz[0])
        return;
    if (!e->in[0])
        gx[0] = gz[0];
    if (!e->in[1])
        gx[1] = b_neg(b, gz[0]);
}

/* x - 0 = x; integers: x - x = 0 */
static bool fold_sub(Builder *b, const EqnView *e, Val *out)
{
    if (op_is_splat(b, e->in[1], 0))
        return becomes(out, e->in[0]);
    if (e->in[0] == e->in[1] && !is_float(e))
        return becomes(out, b_zeros(b, e->out_type[0]));
    return fold_splats(b, e, out);
}

REAL(sub, x - y)
WHOLE(sub, x - y)
PAIR(sub, x - y)
ROW(sub, 1, "z = x - y. Integers (wrapping), floats, complex; inf - inf is NaN.",
    type_map_number, jvp_sub, transpose_sub, fold_sub, .real = real_sub,
    .whole = whole_sub, .pair = complex_sub);

/* ---- mul:  dz = dx*y + dy*x ---- */

static void jvp_mul(Builder *b, const EqnView *e, const Val *dx, Val *dz)
{
    dz[0] = combine(b, dx[0], e->in[1], dx[1], e->in[0]);
}

static void transpose_mul(Builder *b, const EqnView *e, const Val *gz, Val *gx)
{
    if (!gz[0])
        return;
    for (int i = 0; i < 2; i++)
        if (!e->in[i])
            gx[i] = b_mul(b, gz[0], e->in[1 - i]);
}

/* x * 1 = x, x * -1 = -x; integers: x * 0 = 0. Complex x * 1 is (a - b*0, b + a*0), which
 * is x but for the sign of zeros, and for NaN beside inf. */
static bool fold_mul(Builder *b, const EqnView *e, Val *out)
{
    for (int i = 0; i < 2 && !dtype_is_complex((wf_dtype)e->in_type[0].dtype); i++) {
        Val x = e->in[i], y = e->in[1 - i];

        if (op_is_splat(b, y, 1))
            return becomes(out, x);
        if (op_is_splat(b, y, -1) && !dtype_is_unsigned((wf_dtype)e->in_type[0].dtype))
            return becomes(out, b_neg(b, x));
        if (!is_float(e) && op_is_splat(b, y, 0))
            return becomes(out, y);
    }
    return fold_splats(b, e, out);
}

REAL(mul, x *y)
WHOLE(mul, x *y)
PAIR(mul, pair_mul(x, y))
ROW(mul, 1, "z = x * y. Integers (wrapping), floats, complex; inf * 0 is NaN.",
    type_map_number, jvp_mul, transpose_mul, fold_mul, .real = real_mul,
    .whole = whole_mul, .pair = complex_mul);

/* ---- div:  dz = dx / y - dy * z / y ---- */

static void jvp_div(Builder *b, const EqnView *e, const Val *dx, Val *dz)
{
    Val y = e->in[1], by_x = VAL_NONE, by_y = VAL_NONE;

    if (dx[0])
        by_x = b_div(b, dx[0], y);
    if (dx[1])
        by_y = b_mul(b, dx[1], b_neg(b, b_div(b, e->out[0], y)));
    dz[0] = add_or(b, by_x, by_y);
}

/* linear in x for fixed y:  gx = gz / y */
static void transpose_div(Builder *b, const EqnView *e, const Val *gz, Val *gx)
{
    if (gz[0] && !e->in[0])
        gx[0] = b_div(b, gz[0], e->in[1]);
}

static bool fold_div(Builder *b, const EqnView *e, Val *out)
{
    if (op_is_splat(b, e->in[1], 1) && !dtype_is_complex((wf_dtype)e->in_type[0].dtype))
        return becomes(out, e->in[0]);
    return fold_splats(b, e, out);
}

/* By 0: all bits set. The lowest integer by -1: itself. */
static uint64_t quotient(wf_dtype t, uint64_t x, uint64_t y)
{
    if (y == 0)
        return ~(uint64_t)0;
    if (!dtype_is_signed(t))
        return x / y;
    return y == ~(uint64_t)0 ? 0 - x : (uint64_t)((int64_t)x / (int64_t)y);
}

REAL(div, x / y)
WHOLE(div, quotient(t, x, y))
PAIR(div, pair_div(x, y))
ROW(div, 5,
    "z = x / y. Floats: x/0 is inf or -inf, 0/0 NaN. Integers truncate towards 0; x/0 is "
    "-1 (all bits set), the lowest integer / -1 wraps to itself.",
    type_map_number, jvp_div, transpose_div, fold_div, .whole_cost = 60, .real = real_div,
    .whole = whole_div, .pair = complex_div);

/* ---- rem:  dz = dx - dy * trunc(x / y), the quotient being round((x - z) / y) ---- */

static void jvp_rem(Builder *b, const EqnView *e, const Val *dx, Val *dz)
{
    Val by_y = VAL_NONE;

    if (dx[1]) {
        Val whole = b_div(b, b_sub(b, e->in[0], e->out[0]), e->in[1]);

        by_y = b_mul(b, dx[1], b_neg(b, b_round(b, whole)));
    }
    dz[0] = add_or(b, dx[0], by_y);
}

static uint64_t remainder_of(wf_dtype t, uint64_t x, uint64_t y)
{
    if (y == 0)
        return x;
    if (!dtype_is_signed(t))
        return x % y;
    return y == ~(uint64_t)0 ? 0 : (uint64_t)((int64_t)x % (int64_t)y);
}

REAL(rem, fmod(x, y))
WHOLE(rem, remainder_of(t, x, y))
ROW(rem, 30,
    "z = x - y * trunc(x / y), with the sign of x. Floats (exact): x rem 0 and inf rem y "
    "are NaN, x rem inf is x. Integers: x rem 0 is x, the lowest integer rem -1 is 0.",
    type_map_real, jvp_rem, NULL, fold_splats, .real = real_rem, .whole = whole_rem);

/* ---- pow:  dz = dx * y * x^(y-1) + dy * ln(x) * z
 *
 * The first term is 0 where y = 0 and x is 0 or NaN; in the second ln(0) counts as ln(1),
 * so that 0^y has slope 0 in y. ---- */

static void jvp_pow(Builder *b, const EqnView *e, const Val *dx, Val *dz)
{
    Val x = e->in[0], y = e->in[1], z = e->out[0];
    Val zero = b_zeros_like(b, x), one = b_one_like(b, x), cx = VAL_NONE, cy = VAL_NONE;

    if (dx[0]) {
        Val nan = b_ne(b, x, x), no_base = b_or(b, b_eq(b, x, zero), nan), none = b_and(b, b_eq(b, y, zero), no_base);
        Val power = b_pow(b, x, b_select(b, none, one, b_sub(b, y, one)));

        cx = b_select(b, none, zero, b_mul(b, y, power));
    }
    if (dx[1])
        cy = b_mul(b, b_log(b, b_select(b, b_eq(b, x, zero), one, x)), z);
    dz[0] = combine(b, dx[0], cx, dx[1], cy);
}

/* x^1 = x, x^0 = 1 */
static bool fold_pow(Builder *b, const EqnView *e, Val *out)
{
    if (op_is_splat(b, e->in[1], 1))
        return becomes(out, e->in[0]);
    if (op_is_splat(b, e->in[1], 0))
        return becomes(out, b_full(b, e->out_type[0], 1));
    return fold_splats(b, e, out);
}

static uint64_t power(wf_dtype t, uint64_t x, uint64_t y)
{
    uint64_t r = 1;

    if (dtype_is_signed(t) && (int64_t)y < 0) {
        if (x == ~(uint64_t)0) /* (-1)^y */
            return y & 1 ? x : 1;
        return x == 1;
    }
    for (; y; y >>= 1, x *= x)
        if (y & 1)
            r *= x;
    return r;
}

REAL(pow, pow(x, y))
WHOLE(pow, power(t, x, y))
PAIR(pow, pair_pow(x, y))
ROW(pow, 80,
    "z = x^y. Floats: x^0 = 1^y = 1 even for NaN, NaN where x < 0 and y is not whole, "
    "0^y is inf for y < 0. Integers wrap; a negative power is 0 unless x is 1 or -1.",
    type_map_number, jvp_pow, NULL, fold_pow, .real = real_pow, .whole = whole_pow,
    .pair = complex_pow);

/* ---- atan2:  dz = (dx*y - dy*x) / (x*x + y*y) ---- */

static void jvp_atan2(Builder *b, const EqnView *e, const Val *dx, Val *dz)
{
    Val x = e->in[0], y = e->in[1];
    Val y2 = b_mul(b, y, y), r2 = b_add(b, b_mul(b, x, x), y2), of_y = b_neg(b, b_div(b, x, r2));

    dz[0] = combine(b, dx[0], b_div(b, y, r2), dx[1], of_y);
}

REAL_C(atan2, atan2(x, y))
ROW(atan2, 80,
    "z = the angle in [-pi, pi] of the point with ordinate x and abscissa y. Floats; "
    "zeros by sign as in C: atan2(0, -0) = pi, atan2(0, 0) = 0; inf counts as a "
    "direction.",
    type_map_float, jvp_atan2, NULL, fold_splats, .real = real_atan2, .c = c_atan2);

/* ---- nextafter:  one step along the numbers of the dtype itself; dz = dx ---- */

static double next_after(wf_dtype t, double x, double y)
{
    uint64_t bits = 0, sign = (uint64_t)1 << (scalar_width(t) - 1);

    if (isnan(x) || isnan(y))
        return isnan(x) ? x : y;
    if (x == y)
        return y;
    scalar_store(t, &bits, 0, (Scalar){.f = x});
    if (x == 0)
        bits = y < 0 ? sign | 1 : 1;
    else
        bits = (x < y) == (x > 0) ? bits + 1 : bits - 1;
    return scalar_load(t, &bits, 0).f;
}

static void jvp_nextafter(Builder *b, const EqnView *e, const Val *dx, Val *dz)
{
    (void)b, (void)e;
    dz[0] = dx[0];
}

REAL(nextafter, next_after(t, x, y))
static const char c_nextafter[] =
    "sizeof(T) == 4 ? nextafterf((float)x, (float)y) : nextafter(x, y)";
ROW(nextafter, 40,
    "z = the number of the dtype next to x in the direction of y; y if they are equal. "
    "Floats; beyond the largest is inf, next to 0 the smallest subnormal; NaN if either "
    "is NaN. The derivative is that of x.",
    type_map_float, jvp_nextafter, NULL, fold_splats, .real = real_nextafter,
    .c = c_nextafter, .by_width = true);

/* ---- max, min:  the slope goes to the operand taken, half to each of equal ones ---- */

/* 1 where `takes` says x, 0.5 where x equals y, else 0 (NaN too) */
static Val share(Builder *b, Val takes_x, Val x, Val y)
{
    Val zero = b_zeros_like(b, x), half = b_full_like(b, x, 0.5);

    half = b_select(b, b_eq(b, x, y), half, zero);
    return b_select(b, takes_x, b_one_like(b, x), half);
}

static void jvp_max(Builder *b, const EqnView *e, const Val *dx, Val *dz)
{
    Val x = e->in[0], y = e->in[1], of_y = dx[1] ? share(b, b_gt(b, y, x), x, y) : VAL_NONE;

    dz[0] = combine(b, dx[0], dx[0] ? share(b, b_gt(b, x, y), x, y) : VAL_NONE, dx[1], of_y);
}

static void jvp_min(Builder *b, const EqnView *e, const Val *dx, Val *dz)
{
    Val x = e->in[0], y = e->in[1], of_y = dx[1] ? share(b, b_lt(b, y, x), x, y) : VAL_NONE;

    dz[0] = combine(b, dx[0], dx[0] ? share(b, b_lt(b, x, y), x, y) : VAL_NONE, dx[1], of_y);
}

/* op(x, x) = x, for max min and or */
static bool fold_same(Builder *b, const EqnView *e, Val *out)
{
    return e->in[0] == e->in[1] ? becomes(out, e->in[0]) : fold_splats(b, e, out);
}

/* NaN wins; +0 is larger than -0 */
static double larger(double x, double y)
{
    if (isnan(x) || isnan(y))
        return isnan(x) ? x : y;
    return x > y || (x == y && !signbit(x)) ? x : y;
}

static double smaller(double x, double y)
{
    if (isnan(x) || isnan(y))
        return isnan(x) ? x : y;
    return x < y || (x == y && signbit(x)) ? x : y;
}

REAL(max, larger(x, y))
WHOLE(max, scalar_less(t, x, y) ? y : x)
ROW(max, 1,
    "z = the larger of x and y. Every dtype; NaN if either is NaN, 0 is larger than -0. "
    "Equal operands get half of the derivative each.",
    type_map_ordered, jvp_max, NULL, fold_same, .real = real_max, .whole = whole_max);
REAL(min, smaller(x, y))
WHOLE(min, scalar_less(t, y, x) ? y : x)
ROW(min, 1,
    "z = the smaller of x and y. Every dtype; NaN if either is NaN, -0 is smaller than "
    "0. Equal operands get half of the derivative each.",
    type_map_ordered, jvp_min, NULL, fold_same, .real = real_min, .whole = whole_min);

/* ---- and, or, xor ---- */

static bool is_all_ones(const Builder *b, Val v)
{
    wf_dtype t = b_dtype(b, v);
    const void *p;

    return b_splat(b, v, &p) && scalar_load(t, p, 0).u == scalar_identity(OP_and, t).u;
}

/* x & ones = x, x & 0 = 0; x | 0 = x, x | ones = ones; x ^ 0 = x */
static bool fold_bits(Builder *b, const EqnView *e, Val *out)
{
    for (int i = 0; i < 2; i++) {
        Val x = e->in[i], y = e->in[1 - i];
        bool zero = op_is_splat(b, y, 0), ones = is_all_ones(b, y);

        if ((zero && e->op != OP_and) || (ones && e->op == OP_and))
            return becomes(out, x);
        if ((zero && e->op == OP_and) || (ones && e->op == OP_or))
            return becomes(out, y);
    }
    return e->op == OP_xor ? fold_splats(b, e, out) : fold_same(b, e, out);
}

WHOLE(and, x &y)
ROW(and, 1, "z = x and y, of integers bit by bit.", type_map_bits, NULL, NULL, fold_bits,
    .whole = whole_and);
WHOLE(or, x | y)
ROW(or, 1, "z = x or y, of integers bit by bit.", type_map_bits, NULL, NULL, fold_bits,
    .whole = whole_or);
WHOLE(xor, x ^ y)
ROW(xor, 1, "z = x or y but not both, of integers bit by bit.", type_map_bits, NULL, NULL,
    fold_bits, .whole = whole_xor);

/* ---- shifts ---- */

static bool fold_shift(Builder *b, const EqnView *e, Val *out)
{
    return op_is_splat(b, e->in[1], 0) ? becomes(out, e->in[0]) : fold_splats(b, e, out);
}

static uint64_t mask(unsigned w) { return ~(uint64_t)0 >> (64 - w); }

/* Amounts are read as unsigned: a negative one is at least the width. */
static uint64_t shifted_down(uint64_t x, uint64_t y, unsigned w, uint64_t fill)
{
    x &= mask(w);
    y &= mask(w);
    if (y >= w)
        return fill;
    return y ? x >> y | fill << (w - y) : x;
}

WHOLE(shl, (y & mask(w)) < w ? x << (y & mask(w)) : 0)
ROW(shl, 1,
    "z = the bits of x moved up by y. Integers; 0 if y (read as unsigned) >= the width.",
    type_map_int, NULL, NULL, fold_shift, .whole = whole_shl);
WHOLE(shr_logical, shifted_down(x, y, w, 0))
ROW(shr_logical, 1,
    "z = the bits of x moved down by y, zeros moved in, whether x is signed or not. "
    "Integers; 0 if y (read as unsigned) >= the width.",
    type_map_int, NULL, NULL, fold_shift, .whole = whole_shr_logical);
WHOLE(shr_arith, shifted_down(x, y, w, (x >> (w - 1) & 1) ? ~(uint64_t)0 : 0))
ROW(shr_arith, 1,
    "z = the bits of x moved down by y, copies of the top bit moved in, whether x is "
    "signed or not. Integers; all bits the top bit if y (read as unsigned) >= the width.",
    type_map_int, NULL, NULL, fold_shift, .whole = whole_shr_arith);

/* ---- comparisons ---- */

/* x == x, x <= x .. hold for all but NaN; x != x, x < x .. never but for ne of NaN */
static bool fold_compare(Builder *b, const EqnView *e, Val *out)
{
    bool holds = e->op == OP_eq || e->op == OP_le || e->op == OP_ge;

    if (e->in[0] != e->in[1] || is_float(e))
        return fold_splats(b, e, out);
    return becomes(out, b_full(b, e->out_type[0], holds));
}

#define COMPARE(name, type_, sign, dtypes, nan)                                          \
    ROW(name, 1, "z = x " sign " y, a bool. " dtypes "; -0 equals 0; " nan " for NaN.",  \
        type_, NULL, NULL, fold_compare, .real = NULL)

COMPARE(eq, type_map_equal, "==", "Every dtype", "false");
COMPARE(ne, type_map_equal, "!=", "Every dtype", "true");
COMPARE(lt, type_map_compare, "<", "Every dtype but complex (false < true)", "false");
COMPARE(le, type_map_compare, "<=", "Every dtype but complex (false < true)", "false");
COMPARE(gt, type_map_compare, ">", "Every dtype but complex (false < true)", "false");
COMPARE(ge, type_map_compare, ">=", "Every dtype but complex (false < true)", "false");
