/* code_map.c -- elementwise ops, reductions, sums along an axis and order, as calls of aten. */
#include "torchscript/code.h"

#include <math.h>

const char *ts_cast(TsCode *c, const char *x, wf_dtype to)
{
    return ts_let(c, "torch.to(%s, dtype=%d)", x, ts_dtype(to));
}

/* ---- elementwise ---------------------------------------------------------------------------------- */

static const struct {
    OpCode op;
    const char *name;
} same[] = {
    {OP_neg, "neg"},       {OP_abs, "abs"},         {OP_exp, "exp"},         {OP_expm1, "expm1"},       {OP_log, "log"},
    {OP_log1p, "log1p"},   {OP_sin, "sin"},         {OP_cos, "cos"},         {OP_tan, "tan"},           {OP_tanh, "tanh"},
    {OP_asin, "asin"},     {OP_acos, "acos"},       {OP_atan, "atan"},       {OP_sinh, "sinh"},         {OP_cosh, "cosh"},
    {OP_asinh, "asinh"},   {OP_acosh, "acosh"},     {OP_atanh, "atanh"},     {OP_exp2, "exp2"},         {OP_lgamma, "lgamma"},
    {OP_digamma, "digamma"}, {OP_erf, "erf"},       {OP_erfc, "erfc"},       {OP_erf_inv, "erfinv"},    {OP_sqrt, "sqrt"},
    {OP_rsqrt, "rsqrt"},   {OP_logistic, "sigmoid"}, {OP_floor, "floor"},    {OP_ceil, "ceil"},         {OP_round, "round"},
    {OP_is_finite, "isfinite"}, {OP_real, "real"},  {OP_imag, "imag"},         {OP_conj, "conj_physical"},
    {OP_add, "add"},       {OP_sub, "sub"},         {OP_mul, "mul"},         {OP_pow, "pow"},           {OP_atan2, "atan2"},
    {OP_nextafter, "nextafter"}, {OP_max, "maximum"}, {OP_min, "minimum"},   {OP_and, "bitwise_and"},   {OP_or, "bitwise_or"},
    {OP_xor, "bitwise_xor"}, {OP_eq, "eq"},         {OP_ne, "ne"},           {OP_lt, "lt"},             {OP_le, "le"},
    {OP_gt, "gt"},         {OP_ge, "ge"},           {OP_complex, "complex"}, {OP_select, "where"},      {OP_stop_gradient, "detach"},
};

/* Ops whose second operand may be a number. */
static bool takes_number(unsigned op)
{
    return op == OP_add || op == OP_sub || op == OP_mul || op == OP_div || op == OP_pow || (op >= OP_eq && op <= OP_ge);
}

/* A zero-dimensional constant is not a number there: both would be numbers of no dtype. */
static const char *second(TsCode *c, const Eqn *e)
{
    const char *n = takes_number(e->op) && dtype_is_float((wf_dtype)TYPE_IN(1).dtype) ? ts_splat(c, eqn_in(c->p, e)[1]) : NULL;

    return n ? n : IN(1);
}

static bool write_same(TsCode *c, const Eqn *e)
{
    for (size_t i = 0; i < COUNT(same); i++)
        if (same[i].op == e->op) {
            ts_set(c, e, e->nin == 1   ? ts_let(c, "torch.%s(%s)", same[i].name, IN(0))
                        : e->nin == 2 ? ts_let(c, "torch.%s(%s, %s)", same[i].name, IN(0), second(c, e))
                                      : ts_let(c, "torch.%s(%s, %s, %s)", same[i].name, IN(0), IN(1), IN(2)));
            return true;
        }
    return false;
}

static bool is_integer(wf_dtype t) { return !dtype_is_float(t) && !dtype_is_complex(t) && t != WF_BOOL; }

/* div and rem of integers: x / 0 is -1, x rem 0 is x, and -1 divides without overflow */
static void write_division(TsCode *c, const Eqn *e)
{
    bool rem = e->op == OP_rem;
    wf_dtype t = (wf_dtype)TYPE_IN(0).dtype;
    const char *x = IN(0), *y = IN(1), *zero, *minus, *q;

    if (!is_integer(t)) {
        ts_set(c, e, ts_let(c, "torch.%s(%s, %s)", rem ? "fmod" : "div", x, rem ? y : second(c, e)));
        return;
    }
    zero = ts_let(c, "torch.eq(%s, 0)", y);
    minus = dtype_is_signed(t) ? ts_let(c, "torch.eq(%s, -1)", y) : zero;
    y = ts_let(c, "torch.masked_fill(%s, torch.bitwise_or(%s, %s), 1)", y, zero, minus);
    q = ts_let(c, rem ? "torch.fmod(%s, %s)" : "torch.div(%s, %s, rounding_mode=\"trunc\")", x, y);
    if (minus != zero)
        q = rem ? ts_let(c, "torch.masked_fill(%s, %s, 0)", q, minus) : ts_let(c, "torch.where(%s, torch.neg(%s), %s)", minus, x, q);
    ts_set(c, e, rem ? ts_let(c, "torch.where(%s, %s, %s)", zero, x, q) : ts_let(c, "torch.masked_fill(%s, %s, -1)", q, zero));
}

/* Bits of x moved by y, as i64: zeros come in, but for copies of the sign; so far that none is left, 0 or the sign. */
static void write_shift(TsCode *c, const Eqn *e)
{
    wf_dtype t = (wf_dtype)TYPE_IN(0).dtype;
    int bits = (int)wf_dtype_size(t) * 8;
    const char *x = ts_cast(c, IN(0), WF_I64), *y = ts_cast(c, IN(1), WF_I64), *inside, *at, *z;

    inside = ts_let(c, "torch.bitwise_and(torch.ge(%s, 0), torch.lt(%s, %d))", y, y, bits);
    at = ts_let(c, "torch.where(%s, %s, torch.zeros_like(%s))", inside, y, y);
    if (e->op == OP_shr_arith) {
        at = ts_let(c, "torch.where(%s, %s, torch.full_like(%s, %d))", inside, y, y, bits - 1);
        z = ts_let(c, "torch.bitwise_right_shift(%s, %s)", x, at);
    } else if (e->op == OP_shl) {
        z = ts_let(c, "torch.bitwise_left_shift(%s, %s)", x, at);
    } else if (bits < 64) {
        x = ts_let(c, "torch.bitwise_and(%s, %lld)", x, (long long)(((int64_t)1 << bits) - 1));
        z = ts_let(c, "torch.bitwise_right_shift(%s, %s)", x, at);
    } else { /* the sign's copies are taken away: those above 63 - y, in two steps, as none may move by 64 */
        z = ts_let(c, "torch.bitwise_left_shift(torch.bitwise_left_shift(torch.full_like(%s, -1), torch.sub(63, %s)), 1)", x, at);
        z = ts_let(c, "torch.bitwise_and(torch.bitwise_right_shift(%s, %s), torch.bitwise_not(%s))", x, at, z);
    }
    if (e->op != OP_shr_arith)
        z = ts_let(c, "torch.masked_fill(%s, torch.bitwise_not(%s), 0)", z, inside);
    ts_set(c, e, ts_cast(c, z, t));
}

/* Floats to integers are cut off at the ends; NaN is 0. */
static void write_cast(TsCode *c, const Eqn *e)
{
    wf_dtype from = (wf_dtype)TYPE_IN(0).dtype, to = (wf_dtype)((const DtypeAttr *)e->attr)->dtype;
    double hi = ldexp(1, (int)wf_dtype_size(to) * 8 - dtype_is_signed(to));
    const char *x = IN(0), *most, *y;

    if (!dtype_is_float(from) || !is_integer(to)) {
        ts_set(c, e, ts_cast(c, x, to));
        return;
    }
    if (to == WF_U64) {
        ts_refuse(c, e, "of floats to u64");
        return;
    }
    x = ts_cast(c, x, WF_F64);
    x = ts_let(c, "torch.clamp(torch.masked_fill(%s, torch.ne(%s, %s), 0.), %s)", x, x, x, ts_number(c, WF_F64, dtype_is_signed(to) ? -hi : 0));
    most = ts_let(c, "torch.ge(%s, %s)", x, ts_number(c, WF_F64, hi));
    y = ts_let(c, "torch.to(torch.masked_fill(%s, %s, 0.), dtype=4)", x, most);
    y = ts_let(c, "torch.masked_fill(%s, %s, %lld)", y, most, to == WF_I64 ? (long long)INT64_MAX : (long long)(hi - 1));
    ts_set(c, e, to == WF_I64 ? y : ts_cast(c, y, to));
}

/* Arithmetic that torch has not: of u64, and the order of complex numbers. */
static bool is_missing(TsCode *c, const Eqn *e)
{
    static const uint16_t of_u64[] = {OP_mul, OP_eq, OP_ne, OP_and, OP_or, OP_xor, OP_select, OP_cast, OP_bitcast, OP_not, OP_max, OP_min, OP_clamp,
                                      OP_shl, OP_shr_logical, OP_shr_arith};
    wf_dtype t = e->nin ? (wf_dtype)TYPE_IN(e->op == OP_select).dtype : WF_INVALID;

    if (t == WF_U64) {
        for (size_t i = 0; i < COUNT(of_u64); i++)
            if (of_u64[i] == e->op)
                return false;
        ts_refuse(c, e, "of u64");
        return true;
    }
    return false;
}

bool ts_map(TsCode *c, const Eqn *e)
{
    const char *x = e->nin ? IN(0) : NULL;

    if (strcmp(op_table[e->op].family, "map") == 0 && is_missing(c, e))
        return true;
    if (write_same(c, e))
        return true;
    switch (e->op) {
    case OP_sign: /* of NaN that */
        ts_set(c, e, dtype_is_float((wf_dtype)TYPE_IN(0).dtype) ? ts_let(c, "torch.where(torch.ne(%s, %s), %s, torch.sign(%s))", x, x, x, x)
                                                               : ts_let(c, "torch.sgn(%s)", x));
        break;
    case OP_not: /* which torch has not of all unsigned types */
        ts_set(c, e, dtype_is_unsigned((wf_dtype)TYPE_OUT.dtype)
                           ? ts_cast(c, ts_let(c, "torch.bitwise_not(%s)", ts_cast(c, x, WF_I64)), (wf_dtype)TYPE_OUT.dtype)
                           : ts_let(c, "torch.bitwise_not(%s)", x));
        break;
    case OP_cbrt: ts_set(c, e, ts_let(c, "torch.mul(torch.sign(%s), torch.pow(torch.abs(%s), %s))", x, x, "0.3333333333333333")); break;
    case OP_clamp: ts_set(c, e, ts_let(c, "torch.minimum(torch.maximum(%s, %s), %s)", IN(1), x, IN(2))); break;
    case OP_cast: write_cast(c, e); break;
    case OP_bitcast: /* integers of one size wrap to the same bits; scripts have no view of another type */
        if (dtype_is_int((wf_dtype)TYPE_IN(0).dtype) && dtype_is_int((wf_dtype)TYPE_OUT.dtype) &&
            wf_dtype_size((wf_dtype)TYPE_IN(0).dtype) == wf_dtype_size((wf_dtype)TYPE_OUT.dtype))
            ts_set(c, e, ts_cast(c, x, (wf_dtype)TYPE_OUT.dtype));
        else
            ts_refuse(c, e, "the bits of floats");
        break;
    case OP_div:
    case OP_rem: write_division(c, e); break;
    case OP_shl:
    case OP_shr_logical:
    case OP_shr_arith: write_shift(c, e); break;
    case OP_name:
    case OP_pvary:
    case OP_shard: ts_set(c, e, x); break;
    case OP_opt_barrier:
        for (uint32_t i = 0; i < e->nout; i++)
            c->val[e->out + i] = IN(i);
        break;
    default: return false;
    }
    return true;
}

/* ---- reductions ---------------------------------------------------------------------------------------- */

/* Functions of one axis, from the last one on. */
static const char *by_axis(TsCode *c, const char *name, const char *x, Ints axes)
{
    for (uint32_t i = axes.n; i-- > 0;)
        x = ts_let(c, "torch.%s(%s, %lld, False)", name, x, (long long)axes.v[i]);
    return x;
}

/* Of no elements the least of the type, which torch has no word for. */
static const char *extreme(TsCode *c, const Eqn *e, Ints axes)
{
    Type t = TYPE_IN(0);
    bool most = e->op == OP_reduce_max;

    for (uint32_t i = 0; i < axes.n; i++)
        if (t.dims[axes.v[i]] == 0) {
            if (!dtype_is_float((wf_dtype)t.dtype))
                ts_refuse(c, e, "of no integers");
            return ts_full(c, TYPE_OUT.dims, TYPE_OUT.rank, most ? "-inf" : "inf", (wf_dtype)t.dtype);
        }
    return t.dtype == WF_BOOL ? by_axis(c, most ? "any" : "all", IN(0), axes)
                              : ts_let(c, "torch.%s(%s, %s)", most ? "amax" : "amin", IN(0), ts_ints(c, axes.v, axes.n));
}

static const char *running(TsCode *c, const Eqn *e, const char *name)
{
    const CumAttr *a = e->attr;
    const char *x = IN(0), *type = e->op == OP_cumlogsumexp ? "" : ts_str(c, ", dtype=%d", ts_dtype((wf_dtype)TYPE_OUT.dtype));

    if (a->reverse)
        x = ts_let(c, "torch.flip(%s, [%lld])", x, (long long)a->axis);
    x = ts_let(c, "torch.%s(%s, %lld%s)", name, x, (long long)a->axis, type);
    return a->reverse ? ts_let(c, "torch.flip(%s, [%lld])", x, (long long)a->axis) : x;
}

/* ---- order ------------------------------------------------------------------------------------------------ */

static const char *take(TsCode *c, const char *x, const char *at, int64_t axis)
{
    return ts_let(c, "torch.gather(%s, %lld, %s)", x, (long long)axis, at);
}

/* The places of x in order; equal ones stay in theirs. */
static const char *order_of(TsCode *c, const char *x, int64_t axis, bool down)
{
    const char *at = ts_name(c, "v"), *sorted = ts_name(c, "v");

    ts_line(c, "%s, %s, = torch.sort(%s, stable=True, dim=%lld, descending=%s)", sorted, at, x, (long long)axis, down ? "True" : "False");
    return at;
}

static const char *key_of(TsCode *c, const char *x, wf_dtype t)
{
    return t == WF_U16 || t == WF_U32 ? ts_cast(c, x, WF_I64) : x;
}

/* By the last key first, each time in the order so far; NaN comes last. */
static void write_sort(TsCode *c, const Eqn *e)
{
    const SortAttr *a = e->attr;
    const char *order = NULL, *key, *next;

    for (uint32_t k = (uint32_t)a->keys; k-- > 0;) {
        bool down = a->descending.n && a->descending.v[k];

        key = key_of(c, IN(k), (wf_dtype)TYPE_IN(k).dtype);
        if (order)
            key = take(c, key, order, a->axis);
        next = order_of(c, key, a->axis, down);
        order = order ? take(c, order, next, a->axis) : next;
        if (down && dtype_is_float((wf_dtype)TYPE_IN(k).dtype)) {
            key = take(c, IN(k), order, a->axis);
            next = order_of(c, ts_let(c, "torch.ne(%s, %s)", key, key), a->axis, false);
            order = take(c, order, next, a->axis);
        }
    }
    for (uint32_t i = 0; i < e->nin; i++)
        c->val[e->out + i] = take(c, IN(i), order, a->axis);
}

static void write_top_k(TsCode *c, const Eqn *e)
{
    const TopAttr *a = e->attr;
    const char *at = order_of(c, key_of(c, IN(0), (wf_dtype)TYPE_IN(0).dtype), a->axis, a->largest);

    at = ts_let(c, "torch.slice(%s, %lld, 0, %s, 1)", at, (long long)a->axis, ts_dim(c, a->k));
    ts_set(c, e, take(c, IN(0), at, a->axis));
    c->val[e->out + 1] = val_type(c->p, e->out + 1).dtype == WF_I64 ? at : ts_cast(c, at, (wf_dtype)val_type(c->p, e->out + 1).dtype);
}

static void write_arg(TsCode *c, const Eqn *e)
{
    const ArgAttr *a = e->attr;
    const char *x = ts_let(c, "torch.%s(%s, %lld, False)", e->op == OP_argmax ? "argmax" : "argmin",
                          TYPE_IN(0).dtype == WF_BOOL ? ts_cast(c, IN(0), WF_U8) : IN(0), (long long)a->axis);

    ts_set(c, e, a->dtype == WF_I64 ? x : ts_cast(c, x, (wf_dtype)a->dtype));
}

bool ts_reduce(TsCode *c, const Eqn *e)
{
    Ints axes = e->op >= OP_reduce_sum && e->op <= OP_reduce_or ? ((const ReduceAttr *)e->attr)->axes : (Ints){0, NULL};
    int dtype = e->nout ? ts_dtype((wf_dtype)TYPE_OUT.dtype) : 0;

    if ((strcmp(op_table[e->op].family, "reduce") == 0 || strcmp(op_table[e->op].family, "window") == 0) && is_missing(c, e))
        return true;
    if (e->op == OP_sort && dtype_is_complex((wf_dtype)TYPE_IN(0).dtype)) {
        ts_refuse(c, e, "of complex numbers");
        return true;
    }
    if (e->op >= OP_reduce_sum && e->op <= OP_reduce_or && !axes.n) {
        ts_set(c, e, IN(0));
        return true;
    }
    switch (e->op) {
    case OP_reduce_sum: ts_set(c, e, ts_let(c, "torch.sum(%s, %s, False, dtype=%d)", IN(0), ts_ints(c, axes.v, axes.n), dtype)); break;
    case OP_reduce_prod: {
        const char *x = IN(0);
        for (uint32_t i = axes.n; i-- > 0;)
            x = ts_let(c, "torch.prod(%s, %lld, False, dtype=%d)", x, (long long)axes.v[i], dtype);
        ts_set(c, e, x);
        break;
    }
    case OP_reduce_max:
    case OP_reduce_min: ts_set(c, e, extreme(c, e, axes)); break;
    case OP_reduce_and:
    case OP_reduce_or:
        if (TYPE_IN(0).dtype != WF_BOOL)
            ts_refuse(c, e, "of bits");
        else
            ts_set(c, e, by_axis(c, e->op == OP_reduce_and ? "all" : "any", IN(0), axes));
        break;
    case OP_argmax:
    case OP_argmin: write_arg(c, e); break;
    case OP_cumsum: ts_set(c, e, running(c, e, "cumsum")); break;
    case OP_cumprod: ts_set(c, e, running(c, e, "cumprod")); break;
    case OP_cumlogsumexp: ts_set(c, e, running(c, e, "logcumsumexp")); break;
    case OP_sort: write_sort(c, e); break;
    case OP_top_k: write_top_k(c, e); break;
    default: return false;
    }
    return true;
}
