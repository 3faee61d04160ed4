/* simplify.c -- identities of arithmetic, as a table of rules.
 *
 *   requires   nothing
 *   keeps      EXACT rules: every bit, NaN and the sign of zero included (which NaN is
 *              not said); NEAR ones: NaN and infinities, but the last bit and the sign of
 *              a sum that is zero may be others; FAST ones, only when asked for: what
 *              algebra keeps
 *   breaks     nothing
 *
 * A rule looks at an equation and at what made its operands, never at who reads it, so
 * the order of equations does not matter. Broadcasts move behind elementwise ops (less to
 * compute, and they meet the reductions that undo them), transposes and reshapes too
 * where all operands have the same.
 */
#include "opt/simplify.h"

#include "op/op_map.h"

#include <math.h>
#include <stdlib.h>

typedef enum Exactness { EXACT, NEAR, FAST } Exactness;

typedef struct Rule {
    uint16_t op; /* ANY_MAP: every elementwise op */
    uint8_t exactness;
    RewriteRule *apply;
    const char *says;
} Rule;
#define ANY_MAP UINT16_MAX

static bool is_inexact(const Builder *b, Val v) { return dtype_is_inexact(b_dtype(b, v)); }
static Val in(const Rewriter *r, Eqn e, uint32_t i) { return r->b->args.v[e.args + i]; }

/* The constant operand of a two-operand equation (and the other), or VAL_NONE. */
static Val constant_of(const Rewriter *r, Eqn e, Val *out_other)
{
    const void *element;

    for (uint32_t i = 2; i-- > 0;)
        if (b_splat(r->b, in(r, e, i), &element)) {
            *out_other = in(r, e, 1 - i);
            return in(r, e, i);
        }
    return VAL_NONE;
}

/* ---- sums and differences ---------------------------------------------------------- */

static Val twice(Rewriter *r, Val v, Eqn e)
{
    Val x = in(r, e, 0);

    if (x != in(r, e, 1) || !is_inexact(r->b, v))
        return VAL_NONE;
    return rw_binary(r, OP_mul, b_full_like(r->b, x, 2), x);
}

static Val add_negated(Rewriter *r, Val v, Eqn e)
{
    (void)v;
    for (uint32_t i = 2; i-- > 0;) {
        Val y = under(r->b, in(r, e, i), OP_neg);
        if (y)
            return rw_binary(r, OP_sub, in(r, e, 1 - i), y);
    }
    return VAL_NONE;
}

static Val sub_negated(Rewriter *r, Val v, Eqn e)
{
    Val y = under(r->b, in(r, e, 1), OP_neg);

    (void)v;
    return y ? rw_binary(r, OP_add, in(r, e, 0), y) : VAL_NONE;
}

static Val zero_minus(Rewriter *r, Val v, Eqn e)
{
    (void)v;
    if (!b_is_number(r->b, in(r, e, 0), is_inexact(r->b, v) ? -0.0 : 0))
        return VAL_NONE;
    return rw_unary(r, OP_neg, in(r, e, 1));
}

static Val minus_itself(Rewriter *r, Val v, Eqn e)
{
    return in(r, e, 0) == in(r, e, 1) ? b_zeros_like(r->b, v) : VAL_NONE;
}

static Val plus_zero(Rewriter *r, Val v, Eqn e)
{
    Val x, c = constant_of(r, e, &x);

    (void)v;
    return c && b_is_number(r->b, c, 0) ? x : VAL_NONE;
}

static Val negated_difference(Rewriter *r, Val v, Eqn e)
{
    const Eqn *d = made_by(r->b, in(r, e, 0), OP_sub);

    (void)v;
    return d ? rw_binary(r, OP_sub, arg(r->b, d, 1), arg(r->b, d, 0)) : VAL_NONE;
}

/* ---- products and quotients -------------------------------------------------------- */

static Val both_negated(Rewriter *r, Val v, Eqn e)
{
    Val x = under(r->b, in(r, e, 0), OP_neg), y = under(r->b, in(r, e, 1), OP_neg);

    if (!x || !y || !is_inexact(r->b, v)) /* integers: the lowest has no opposite */
        return VAL_NONE;
    return rw_binary(r, (OpCode)e.op, x, y);
}

/* -x * c = x * -c */
static Val negated_times(Rewriter *r, Val v, Eqn e)
{
    Val x, c = constant_of(r, e, &x), y;

    if (!c || !is_inexact(r->b, v) || !(y = under(r->b, x, OP_neg)))
        return VAL_NONE;
    return rw_binary(r, OP_mul, y, rw_unary(r, OP_neg, c));
}

/* |x| * |x| = x * x, where x is real: before planes it may not be */
static Val square_of_abs(Rewriter *r, Val v, Eqn e)
{
    Val x = under(r->b, in(r, e, 0), OP_abs);

    (void)v;
    if (in(r, e, 0) != in(r, e, 1) || !x || !dtype_is_float(b_dtype(r->b, x)))
        return VAL_NONE;
    return rw_binary(r, OP_mul, x, x);
}

/* x / c = x * (1/c) where 1/c is exact: c a power of two, neither it nor 1/c denormal */
static Val divided_by_power(Rewriter *r, Val v, Eqn e)
{
    wf_dtype t = b_dtype(r->b, v);
    const void *element;
    double c;
    int exponent;

    if (!dtype_is_float(t) || !b_splat(r->b, in(r, e, 1), &element))
        return VAL_NONE;
    c = element_as_f64(t, element);
    if (!isfinite(c) || c == 0 || fabs(frexp(c, &exponent)) != 0.5 || abs(exponent) > 12)
        return VAL_NONE;
    return rw_binary(r, OP_mul, in(r, e, 0), b_full_like(r->b, v, 1 / c));
}

static Val times_zero(Rewriter *r, Val v, Eqn e)
{
    Val x, c = constant_of(r, e, &x);

    return c && b_is_number(r->b, c, 0) ? b_zeros_like(r->b, v) : VAL_NONE;
}

/* (x * c) * d = x * (c * d) */
static Val times_twice(Rewriter *r, Val v, Eqn e)
{
    Val x, y, d = constant_of(r, e, &x), c;
    const Eqn *m = d ? made_by(r->b, x, OP_mul) : NULL;

    (void)v;
    if (!m || !(c = constant_of(r, *m, &y)))
        return VAL_NONE;
    return rw_binary(r, OP_mul, y, rw_binary(r, OP_mul, c, d));
}

static Val over_root(Rewriter *r, Val v, Eqn e)
{
    Val y = under(r->b, in(r, e, 1), OP_sqrt);

    (void)v;
    return y ? rw_binary(r, OP_mul, in(r, e, 0), rw_unary(r, OP_rsqrt, y)) : VAL_NONE;
}

/* ---- powers, logarithms ------------------------------------------------------------ */

static Val small_power(Rewriter *r, Val v, Eqn e)
{
    Val x = in(r, e, 0), n = in(r, e, 1);

    if (!is_inexact(r->b, v))
        return VAL_NONE;
    if (b_is_number(r->b, n, 2))
        return rw_binary(r, OP_mul, x, x);
    if (b_is_number(r->b, n, -1))
        return rw_binary(r, OP_div, b_one_like(r->b, x), x);
    return VAL_NONE;
}

static Val log_of_exp(Rewriter *r, Val v, Eqn e)
{
    (void)v;
    return under(r->b, in(r, e, 0), OP_exp);
}

/* ---- select, not ------------------------------------------------------------------- */

/* select(p, select(p, x, y), z) = select(p, x, z), and so on the other side */
static Val select_of_select(Rewriter *r, Val v, Eqn e)
{
    Val p = in(r, e, 0), x = in(r, e, 1), y = in(r, e, 2);
    const Eqn *i = made_by(r->b, x, OP_select), *j = made_by(r->b, y, OP_select);
    bool left = i && arg(r->b, i, 0) == p, right = j && arg(r->b, j, 0) == p;

    (void)v;
    if (!left && !right)
        return VAL_NONE;
    x = left ? arg(r->b, i, 1) : x;
    y = right ? arg(r->b, j, 2) : y;
    return rw_eqn(r, OP_select, (Val[]){p, x, y}, 3, NULL);
}

static OpCode opposite(unsigned op, bool floats)
{
    switch (op) {
    case OP_eq: return OP_ne;
    case OP_ne: return OP_eq;
    case OP_lt: return floats ? OP_COUNT : OP_ge; /* NaN: neither */
    case OP_le: return floats ? OP_COUNT : OP_gt;
    case OP_gt: return floats ? OP_COUNT : OP_le;
    case OP_ge: return floats ? OP_COUNT : OP_lt;
    default: return OP_COUNT;
    }
}

static Val not_compared(Rewriter *r, Val v, Eqn e)
{
    Builder *b = r->b;
    uint32_t k = b->vals.v[in(r, e, 0)].eqn;
    OpCode op;

    if (k == EQN_INPUT || b_dtype(b, v) != WF_BOOL || b->eqns.v[k].nin != 2)
        return VAL_NONE;
    op = opposite(b->eqns.v[k].op, is_inexact(b, arg(b, &b->eqns.v[k], 0)));
    if (op == OP_COUNT)
        return VAL_NONE;
    return rw_binary(r, op, arg(b, &b->eqns.v[k], 0), arg(b, &b->eqns.v[k], 1));
}

/* ---- reductions -------------------------------------------------------------------- */

/* Reducing equal elements, the axes that a broadcast made: max, min, and, or of n >= 1
 * equal ones is that one; their sum is n times it. What is left of the axes is reduced. */
static Val reduce_of_broadcast(Rewriter *r, Val v, Eqn e)
{
    Builder *b = r->b;
    Val y = in(r, e, 0), x;
    const Eqn *made = made_by(b, y, OP_broadcast);
    Ints axes = ((const ReduceAttr *)e.attr)->axes, dims;
    Type tx, ty = b_type(b, y), t = b_type(b, v);
    int64_t rest[MAX_RANK], kept[MAX_RANK], n = 1;
    Dim shape[MAX_RANK];
    uint32_t nrest = 0, nkept = 0, nshape = 0;

    if (!made)
        return VAL_NONE;
    x = arg(b, made, 0);
    tx = b_type(b, x);
    dims = ((const BroadcastAttr *)made->attr)->dims;
    for (uint32_t i = 0; i < axes.n; i++)
        if (!ints_have(dims, axes.v[i])) {
            if (!dim_is_const(ty.dims[axes.v[i]]) || !ty.dims[axes.v[i]] ||
                !mul_i64(n, ty.dims[axes.v[i]], &n))
                return VAL_NONE;
        }
    if (n == 1 && axes.n == 0)
        return VAL_NONE;
    if (e.op == OP_reduce_sum &&
        (n > 1 << 20 || (t.dtype != WF_F32 && t.dtype != WF_F64)))
        return VAL_NONE;
    /* shape: that of y without the axes the broadcast made for us to reduce */
    for (uint32_t i = 0; i < ty.rank; i++) {
        if (ints_have(axes, i) && !ints_have(dims, i))
            continue;
        if (ints_have(axes, i))
            rest[nrest++] = nshape;
        shape[nshape++] = ty.dims[i];
    }
    if (nshape == ty.rank)
        return VAL_NONE;
    for (uint32_t k = 0; k < tx.rank; k++) {
        kept[nkept] = dims.v[k];
        for (uint32_t i = 0; i < axes.n; i++)
            kept[nkept] -= axes.v[i] < dims.v[k] && !ints_have(dims, axes.v[i]);
        nkept++;
    }
    x = rw_broadcast(r, x, (Ints){nshape, shape}, kept);
    if (nrest)
        x = rw_eqn(r, (OpCode)e.op, &x, 1, &(ReduceAttr){{nrest, rest}});
    if (e.op == OP_reduce_sum && n > 1 && !b_failed(b))
        x = rw_binary(r, OP_mul, x, b_full_like(b, x, (double)n));
    return x;
}

/* max over some axes of a max over others: one over all of them */
static Val reduce_of_reduce(Rewriter *r, Val v, Eqn e)
{
    Builder *b = r->b;
    const Eqn *inner = made_by(b, in(r, e, 0), (OpCode)e.op);
    Ints outer = ((const ReduceAttr *)e.attr)->axes, axes;
    int64_t all[MAX_RANK];
    uint32_t n = 0, at = 0;
    Val x;

    (void)v;
    if (!inner)
        return VAL_NONE;
    x = arg(b, inner, 0);
    axes = ((const ReduceAttr *)inner->attr)->axes;
    for (uint32_t i = 0; i < b_rank(b, x); i++) {
        if (ints_have(axes, i)) {
            all[n++] = i;
            continue;
        }
        if (ints_have(outer, at++))
            all[n++] = i;
    }
    return rw_eqn(r, (OpCode)e.op, &x, 1, &(ReduceAttr){{n, all}});
}

/* The same axes under their old numbers, if those that are left stay in order. */
static Val reduce_of_transpose(Rewriter *r, Val v, Eqn e)
{
    Builder *b = r->b;
    const Eqn *made = made_by(b, in(r, e, 0), OP_transpose);
    Ints axes = ((const ReduceAttr *)e.attr)->axes, perm;
    int64_t old[MAX_RANK], last = -1;
    uint32_t n = 0;
    Val x;

    (void)v;
    if (!made || !axes.n)
        return VAL_NONE;
    x = arg(b, made, 0);
    perm = ((const TransposeAttr *)made->attr)->perm;
    for (uint32_t i = 0; i < perm.n; i++) {
        if (ints_have(axes, i))
            continue;
        if (perm.v[i] < last)
            return VAL_NONE;
        last = perm.v[i];
    }
    for (uint32_t k = 0; k < perm.n; k++)
        for (uint32_t i = 0; i < axes.n; i++)
            if (perm.v[axes.v[i]] == k)
                old[n++] = k;
    return rw_eqn(r, (OpCode)e.op, &x, 1, &(ReduceAttr){{n, old}});
}

/* ---- shape ops behind elementwise ones --------------------------------------------- */

/* Does v = op(x..) have operands that are all the same shape op (with equal attributes,
 * of equal shapes), or constants, at least one of the former? Then operands receives
 * what is under it, and first such an operand. */
static bool all_under(Rewriter *r, Eqn e, OpCode op, Val *operands, Val *first)
{
    Builder *b = r->b;
    const Eqn *model = NULL;
    const void *element;

    for (uint32_t i = 0; i < e.nin && !model; i++)
        if (!b_splat(b, in(r, e, i), &element) && (model = made_by(b, in(r, e, i), op)))
            *first = in(r, e, i);
    if (!model)
        return false;
    Type inner = b_type(b, arg(b, model, 0));
    for (uint32_t i = 0; i < e.nin; i++) {
        Val x = in(r, e, i);
        const Eqn *m = made_by(b, x, op);
        operands[i] = VAL_NONE;
        if (b_rank(b, x) == 0 || b_splat(b, x, &element))
            continue;
        if (!m || !type_same_shape(b_type(b, arg(b, m, 0)), inner) ||
            !attr_equal(op_row(op), m->attr, model->attr))
            return false;
        operands[i] = arg(b, m, 0);
    }
    /* constants of the smaller shape; scalars (of clamp) stay */
    for (uint32_t i = 0; i < e.nin; i++) {
        Val x = in(r, e, i);
        if (operands[i])
            continue;
        if (b_rank(b, x) == 0)
            operands[i] = x;
        else if (b_splat(b, x, &element))
            operands[i] = b_splat_bits(
                b, b_make_type(b, b_dtype(b, x), inner.dims, inner.rank), element);
    }
    return !b_failed(b);
}

static Val map_of(Rewriter *r, Val v, Eqn e, OpCode op)
{
    Builder *b = r->b;
    Val operands[6], first = VAL_NONE, y;
    const void *attr;

    if (e.nout != 1 || e.nin > 6 || e.nin == 0 || b_rank(b, v) == 0 ||
        !all_under(r, e, op, operands, &first))
        return VAL_NONE;
    attr = made_by(b, first, op)->attr;
    y = rw_eqn(r, (OpCode)e.op, operands, e.nin, e.attr);
    return b_failed(b) ? VAL_NONE : rw_eqn(r, op, &y, 1, attr);
}

static Val map_of_broadcast(Rewriter *r, Val v, Eqn e)
{
    return map_of(r, v, e, OP_broadcast);
}

static Val map_of_transpose(Rewriter *r, Val v, Eqn e)
{
    return map_of(r, v, e, OP_transpose);
}

static Val map_of_reshape(Rewriter *r, Val v, Eqn e)
{
    return map_of(r, v, e, OP_reshape);
}

/* ---- the table --------------------------------------------------------------------- */

static const Rule rules[] = {
    {OP_add, EXACT, twice, "x + x = 2*x, floats"},
    {OP_add, EXACT, add_negated, "x + -y = x - y"},
    {OP_add, NEAR, sum_of_pads, "pad x + pad y = pad concat x y, side by side"},
    {OP_sub, EXACT, sub_negated, "x - -y = x + y"},
    {OP_sub, EXACT, zero_minus, "-0.0 - x = -x, for integers 0 - x"},
    {OP_mul, EXACT, both_negated, "-x * -y = x * y, floats"},
    {OP_div, EXACT, both_negated, "-x / -y = x / y, floats"},
    {OP_mul, EXACT, negated_times, "-x * c = x * -c, floats"},
    {OP_mul, EXACT, square_of_abs, "|x| * |x| = x * x, floats"},
    {OP_div, EXACT, divided_by_power, "x / 2^k = x * 2^-k, |k| < 12"},
    {OP_pow, NEAR, small_power, "x^2 = x * x, x^-1 = 1 / x, floats"},
    {OP_select, EXACT, select_of_select, "p ? (p ? x : y) : z = p ? x : z"},
    {OP_not, EXACT, not_compared,
     "not (x == y) = x != y; integers: not (x < y) = x >= y"},
    {OP_reduce_max, EXACT, reduce_of_broadcast, "max of equal elements"},
    {OP_reduce_min, EXACT, reduce_of_broadcast, "min of equal elements"},
    {OP_reduce_and, EXACT, reduce_of_broadcast, "and of equal elements"},
    {OP_reduce_or, EXACT, reduce_of_broadcast, "or of equal elements"},
    {OP_reduce_sum, NEAR, reduce_of_broadcast, "sum of n equal elements = n * x"},
    {OP_reduce_max, EXACT, reduce_of_reduce, "max of max = max over both axes"},
    {OP_reduce_min, EXACT, reduce_of_reduce, "min of min = min over both axes"},
    {OP_reduce_and, EXACT, reduce_of_reduce, "and of and = and over both axes"},
    {OP_reduce_or, EXACT, reduce_of_reduce, "or of or = or over both axes"},
    {OP_reduce_max, EXACT, reduce_of_transpose, "max of transpose = max over other axes"},
    {OP_reduce_min, EXACT, reduce_of_transpose, "min of transpose = min over other axes"},
    {OP_reduce_sum, NEAR, reduce_of_transpose, "sum of transpose = sum over other axes"},
    {OP_reduce_window_sum, NEAR, window_of_tiles,
     "sums over windows side by side = sum of a reshape"},
    {OP_reduce_window_sum, NEAR, window_of_spread,
     "sums of one element each = broadcast"},
    {ANY_MAP, EXACT, map_of_broadcast, "f(broadcast x, c..) = broadcast f(x, c..)"},
    {ANY_MAP, EXACT, map_of_transpose, "f(transpose x, transpose y) = transpose f(x, y)"},
    {ANY_MAP, EXACT, map_of_reshape, "f(reshape x, reshape y) = reshape f(x, y)"},
    {OP_add, FAST, plus_zero, "x + 0 = x (not for -0)"},
    {OP_sub, FAST, minus_itself, "x - x = 0 (not for inf, NaN)"},
    {OP_neg, FAST, negated_difference, "-(x - y) = y - x (not the sign of 0)"},
    {OP_mul, FAST, times_zero, "x * 0 = 0 (not for inf, NaN, the sign of 0)"},
    {OP_mul, FAST, times_twice, "(x * c) * d = x * (c * d)"},
    {OP_div, FAST, over_root, "x / sqrt(y) = x * rsqrt(y)"},
    {OP_log, FAST, log_of_exp, "log(exp(x)) = x (not where exp overflows)"},
};

static Val simplify_value(Rewriter *r, Val v, Eqn e)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        const Rule *rule = &rules[i];
        Val w;

        if (rule->op != e.op && !(rule->op == ANY_MAP && is_map(e.op)))
            continue;
        if (rule->exactness == FAST && !r->o->fast)
            continue;
        w = rule->apply(r, v, e);
        if (w != VAL_NONE && w != v)
            return w;
    }
    return VAL_NONE;
}

const Program *opt_simplify(const Opt *o, const Program *p)
{
    return rewrite_with(o, p, simplify_value, NULL);
}
