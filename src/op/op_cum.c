/* op_cum.c -- running combinations along an axis: cumsum, cumprod, cummax, cummin,
 * cumlogsumexp; and recur, the recurrence that their derivatives come down to.
 *
 *   recur   y_k = a_k y_(k-1) + b_k,  y_-1 = 0
 *
 * With reverse all of them begin at the last element. The oracle computes floats in f64 and
 * rounds every result once, integers wrap.
 */
#include "op/nd.h"
#include "op/op_map.h"

#include <math.h>

/* ---- shared ------------------------------------------------------------------------ */

static const AttrField cum_attrs[] = {FIELD(CumAttr, axis, A_INT, ATTR_REQUIRED),
                                      FIELD(CumAttr, reverse, A_BOOL, 0), FIELD_END};

static int64_t axis_of(const EqnView *e) { return ((const CumAttr *)e->attr)->axis; }

static bool type_cum_real(TypeRule *t)
{
    wf_dtype x = (wf_dtype)t->in[0].dtype;

    if (!dtype_is_int(x) && !dtype_is_float(x))
        return type_fail(t, WF_ERR_TYPE, "operand is %s, needs an integer or float dtype",
                         type_show(t, t->in[0]));
    if (!type_axis(t, ((const CumAttr *)t->attr)->axis))
        return false;
    type_out_like(t, t->in[0]);
    return true;
}

static double log_sum(double x, double y)
{
    double hi = x > y ? x : y, lo = x > y ? y : x;

    if (isnan(x) || isnan(y))
        return x + y;
    return isinf(hi) ? hi : hi + log1p(exp(lo - hi));
}

/* acc combined with v, element i of the operand. */
static Scalar combine_next(const Eval *e, Scalar acc, Scalar v)
{
    const Nd *x = &e->in[0];

    if (e->op == OP_cumlogsumexp)
        return (Scalar){.f = log_sum(acc.f, v.f)};
    return scalar_apply(e->row->lower.combine, x->dtype, (Scalar[]){acc, v});
}

/* Does v take the place of what was best so far? The last of equals does, and of NaN. */
static bool takes_over(const Eval *e, Scalar best, Scalar v)
{
    wf_dtype t = e->in[0].dtype;

    if (scalar_is_nan(t, v) || scalar_is_nan(t, best))
        return scalar_is_nan(t, v);
    return e->op == OP_cummax ? scalar_compare(t, v, best) >= 0
                              : scalar_compare(t, v, best) <= 0;
}

/* One line: the elements number first, first + step, ..; from the last on, if reverse. */
static void eval_line(Eval *e, int64_t first, int64_t step, int64_t n)
{
    bool reverse = ((const CumAttr *)e->attr)->reverse;
    bool extreme = e->op == OP_cummax || e->op == OP_cummin;
    const Nd *x = &e->in[0], *y = &e->out[0];
    Scalar acc = {0};
    int64_t best = 0;

    for (int64_t k = 0; k < n; k++) {
        int64_t place = reverse ? n - 1 - k : k, i = first + place * step;
        Scalar v = scalar_load(x->dtype, x->data, i);

        if (extreme) {
            if (k == 0 || takes_over(e, acc, v)) {
                acc = v;
                best = place;
            }
            ((int64_t *)e->out[1].data)[i] = best;
        } else if (e->op == OP_recur) {
            Scalar b = scalar_load(x->dtype, e->in[1].data, i);

            acc = k ? scalar_apply(OP_mul, x->dtype, (Scalar[]){v, acc})
                    : scalar_int(x->dtype, 0);
            acc = k ? scalar_apply(OP_add, x->dtype, (Scalar[]){acc, b}) : b;
        } else {
            acc = k ? combine_next(e, acc, v) : v;
        }
        scalar_store(y->dtype, y->data, i, acc);
    }
}

static bool eval_cum(Eval *e)
{
    Lines l = nd_lines(&e->in[0], ((const CumAttr *)e->attr)->axis);

    for (int64_t j = 0; j < l.outer * l.inner; j++)
        eval_line(e, j / l.inner * l.n * l.inner + j % l.inner, l.inner, l.n);
    return true;
}

/* All operands with the batch in front, if there are several; else where it is. */
static void batch_cum(Builder *b, const EqnView *e, const Batch *bt, Val *out,
                      int *out_axis)
{
    CumAttr *a = arena_alloc(&b->arena, op_row(e->op)->attr_size);
    Val in[2] = {e->in[0], VAL_NONE};
    int at = bt->axis[0];

    memcpy(a, e->attr, op_row(e->op)->attr_size);
    if (e->nin > 1) {
        batch_front(b, e, bt, true, in);
        at = 0;
    }
    a->axis += a->axis >= at;
    b_eqn(b, (OpCode)e->op, in, e->nin, a, out, e->nout);
    for (uint32_t j = 0; j < e->nout; j++)
        out_axis[j] = at;
}

/* Along an axis of one element: x itself. */
static bool fold_cum(Builder *b, const EqnView *e, Val *out)
{
    (void)b;
    if (e->in_type[0].dims[axis_of(e)] != 1)
        return false;
    out[0] = e->in[0];
    return true;
}

/* x one place on in the direction the op goes (back: against it), with v where nothing
 * comes from. */
static Val shifted(Builder *b, const EqnView *e, Val x, bool back, double v)
{
    const CumAttr *a = e->attr;
    Dim lo[MAX_RANK] = {0}, hi[MAX_RANK] = {0};
    int64_t k = a->reverse == back ? 1 : -1;

    lo[a->axis] = dim_const(&b->dims, k);
    hi[a->axis] = dim_const(&b->dims, -k);
    return b_pad(b, x, b_scalar(b, b_dtype(b, x), v), lo, hi, NULL);
}

static Val recur(Builder *b, const EqnView *e, Val x, Val y, bool back)
{
    const CumAttr *a = e->attr;

    return b_eqn1(b, OP_recur, (Val[]){x, y}, 2, &(CumAttr){a->axis, a->reverse != back});
}

/* One for each element. */
static double flops_cum(const SizedEqn *s)
{
    Type x = val_type(s->p, eqn_in(s->p, s->e)[0]);

    return dtype_is_inexact((wf_dtype)x.dtype) ? sized_count(s, x) : 0;
}

#define CUM_ROW(name, doc_, type_, jvp_, transpose_, fold_, ...)                         \
    const OpRow op_row_##name = {                                                        \
        .attrs = cum_attrs,                                                              \
        .attr_size = sizeof(CumAttr),                                                    \
        .type = type_,                                                                   \
        .eval = eval_cum,                                                                \
        .along = along_axis,                                                             \
        .fold = fold_,                                                                   \
        .flops = flops_cum,                                                              \
        .lower = {__VA_ARGS__},                                                          \
    };                                                                                   \
    const OpRules op_rules_##name = {                                                    \
        .doc = DOC(doc_),                                                                \
        .jvp = jvp_,                                                                     \
        .transpose = transpose_,                                                         \
        .batch = batch_cum,                                                              \
    }

/* ---- cumsum:  y_k = x_0 + .. + x_k;  gx = cumsum of gy the other way --------------- */

static bool type_cumsum(TypeRule *t)
{
    if (!dtype_is_arithmetic((wf_dtype)t->in[0].dtype))
        return type_fail(t, WF_ERR_TYPE, "operand is %s, needs an integer or float dtype",
                         type_show(t, t->in[0]));
    if (!type_axis(t, ((const CumAttr *)t->attr)->axis))
        return false;
    type_out_like(t, t->in[0]);
    return true;
}

static void jvp_cumsum(Builder *b, const EqnView *e, const Val *dx, Val *dy)
{
    dy[0] = b_eqn1(b, OP_cumsum, dx, 1, e->attr);
}

static void transpose_cumsum(Builder *b, const EqnView *e, const Val *gy, Val *gx)
{
    const CumAttr *a = e->attr;

    if (gy[0])
        gx[0] = b_cumsum(b, gy[0], (uint32_t)a->axis, !a->reverse);
}

CUM_ROW(cumsum,
        "y_k = x_0 + .. + x_k along the axis, or x_k + .. + x_last with reverse: cumsum "
        "x axis=0. Integers (wrapping) and floats; f16 and bf16 are summed in f32 or "
        "better and each result rounded once.",
        type_cumsum, jvp_cumsum, transpose_cumsum, fold_cum, .kind = LOWER_CUM,
        .combine = OP_add);

/* ---- recur:  dy_k = a_k dy_(k-1) + da_k y_(k-1) + db_k
 *
 * Linear in b:  gb_k = gy_k + a_(k+1) gb_(k+1). ---- */

static bool type_recur(TypeRule *t)
{
    Type a = t->in[0], b = t->in[1];

    if (a.dtype != b.dtype || a.rank != b.rank || a.dims != b.dims)
        return type_fail(t, WF_ERR_SHAPE, "operands are %s and %s, needs equal types",
                         type_show(t, a), type_show(t, b));
    return type_cum_real(t);
}

static void jvp_recur(Builder *b, const EqnView *e, const Val *dx, Val *dy)
{
    Val change = dx[1];

    if (dx[0]) {
        Val moved = b_mul(b, dx[0], shifted(b, e, e->out[0], false, 0));

        change = change ? b_add(b, change, moved) : moved;
    }
    dy[0] = recur(b, e, e->in[0], change, false);
}

static void transpose_recur(Builder *b, const EqnView *e, const Val *gy, Val *gx)
{
    if (gy[0] && e->in[1] == VAL_NONE)
        gx[1] = recur(b, e, shifted(b, e, e->in[0], true, 0), gy[0], true);
}

static bool fold_recur(Builder *b, const EqnView *e, Val *out)
{
    (void)b;
    if (e->in_type[0].dims[axis_of(e)] != 1)
        return false;
    out[0] = e->in[1];
    return true;
}

CUM_ROW(
    recur,
    "y_k = a_k y_(k-1) + b_k along the axis, y_0 = b_0; with reverse from the last "
    "element down: recur a b axis=0. The first a is not used. Integers (wrapping) and "
    "floats, computed in f64 and each result rounded once.",
    type_recur, jvp_recur, transpose_recur, fold_recur, .kind = LOWER_LIBRARY);

/* ---- cumprod:  dy_k = x_k dy_(k-1) + y_(k-1) dx_k, without division ---- */

static void jvp_cumprod(Builder *b, const EqnView *e, const Val *dx, Val *dy)
{
    Val before = shifted(b, e, e->out[0], false, 1);

    dy[0] = recur(b, e, e->in[0], b_mul(b, before, dx[0]), false);
}

CUM_ROW(cumprod,
        "y_k = x_0 * .. * x_k along the axis, or x_k * .. * x_last with reverse: cumprod "
        "x axis=0. Integers (wrapping) and floats, multiplied in f64 and each result "
        "rounded once. Derivatives of any order are right where elements are 0.",
        type_cum_real, jvp_cumprod, NULL, fold_cum, .kind = LOWER_CUM, .combine = OP_mul);

/* ---- cumlogsumexp:  dy_k = exp(y_(k-1) - y_k) dy_(k-1) + exp(x_k - y_k) dx_k
 *
 * Where y stays the same, also an infinity, all of dy_(k-1) does. ---- */

static bool type_cumlogsumexp(TypeRule *t)
{
    if (!dtype_is_float((wf_dtype)t->in[0].dtype))
        return type_fail(t, WF_ERR_TYPE, "operand is %s, needs a float dtype",
                         type_show(t, t->in[0]));
    return type_cum_real(t);
}

static void jvp_cumlogsumexp(Builder *b, const EqnView *e, const Val *dx, Val *dy)
{
    Val x = e->in[0], y = e->out[0], before = shifted(b, e, y, false, -(double)INFINITY);
    Val same = b_eq(b, before, y), gap = b_sub(b, before, y);
    Val keep = b_exp(b, b_select(b, same, b_zeros_like(b, y), gap));

    dy[0] = recur(b, e, keep, b_mul(b, b_exp(b, b_sub(b, x, y)), dx[0]), false);
}

CUM_ROW(cumlogsumexp,
        "y_k = log(exp(x_0) + .. + exp(x_k)) along the axis, with reverse from the last "
        "element down, without overflow: cumlogsumexp x axis=0. Floats, computed in f64 "
        "and each result rounded once; inf once one is, -inf while all are. The "
        "derivative by an infinite element is NaN where the result is equal to it.",
        type_cumlogsumexp, jvp_cumlogsumexp, NULL, fold_cum, .kind = LOWER_LIBRARY);

/* ---- cummax, cummin:  dy_k = dx at the place of the extreme
 *
 *   dy_k = w_k dy_(k-1) + t_k dx_k,  t_k = 1 where place k takes over, w = 1 - t
 *
 * With split equals share: t = w = 1/2 where x_k = y_(k-1), and a NaN has no derivative. */

static const AttrField extreme_attrs[] = {
    FIELD(CumExtremeAttr, axis, A_INT, ATTR_REQUIRED),
    FIELD(CumExtremeAttr, reverse, A_BOOL, 0), FIELD(CumExtremeAttr, split, A_BOOL, 0),
    FIELD_END};

static bool type_extreme(TypeRule *t)
{
    Type x = t->in[0];

    if (!dtype_is((wf_dtype)x.dtype, DT_USED | DT_ORDERED))
        return type_fail(t, WF_ERR_TYPE, "operand is %s, needs a dtype with an order",
                         type_show(t, x));
    if (!type_axis(t, ((const CumAttr *)t->attr)->axis))
        return false;
    type_out_like(t, x);
    type_out(t, WF_I64, x.dims, x.rank);
    return true;
}

/* 1 where a equals y, 1/2 where b does too, else 0. */
static Val balanced(Builder *b, Val a, Val other, Val y)
{
    Val one = b_one_like(b, y), half = b_full_like(b, y, 0.5);
    Val share = b_select(b, b_eq(b, other, y), half, one), zero = b_zeros_like(b, y);

    return b_select(b, b_eq(b, a, y), share, zero);
}

static void jvp_extreme(Builder *b, const EqnView *e, const Val *dx, Val *dy)
{
    const CumExtremeAttr *a = e->attr;
    Type x = e->in_type[0];
    Val y = e->out[0], one = b_one_like(b, y), zero = b_zeros_like(b, y), take, keep;
    Val place = b_iota(b, WF_I64, x.dims, x.rank, (uint32_t)a->axis);

    if (a->split) {
        Val before = shifted(b, e, y, false, 0), first;
        Dim last = dim_sub(&b->dims, x.dims[a->axis], 1);

        first = a->reverse ? b_broadcast_scalar(b, b_dim_value(b, last), x.dims, x.rank)
                           : b_zeros_like(b, place);
        first = b_eq(b, place, first);
        take = b_select(b, first, one, balanced(b, e->in[0], before, y));
        keep = b_select(b, first, zero, balanced(b, before, e->in[0], y));
    } else {
        Val taken = b_eq(b, place, e->out[1]);

        take = b_select(b, taken, one, zero);
        keep = b_select(b, taken, zero, one);
    }
    dy[0] = recur(b, e, keep, b_mul(b, take, dx[0]), false);
}

#define EXTREME_ROW(name, what, combine_)                                                \
    const OpRow op_row_##name = {                                                        \
        .attrs = extreme_attrs,                                                          \
        .attr_size = sizeof(CumExtremeAttr),                                             \
        .type = type_extreme,                                                            \
        .eval = eval_cum,                                                                \
        .along = along_axis,                                                             \
        .flops = flops_cum,                                                              \
        .lower = {.kind = LOWER_LIBRARY, .combine = combine_},                           \
    };                                                                                   \
    const OpRules op_rules_##name = {                                                    \
        .doc = DOC(                                                                      \
            "y_k = the " what " of x_0 .. x_k along the axis, and its place (i64), the " \
            "last of equal ones; with reverse of x_k .. x_last: " #name " x axis=0. "    \
            "Every dtype; NaN once one is. The derivative is that of the element at "    \
            "the place; with split a new one and an equal one before share it."),        \
        .jvp = jvp_extreme,                                                              \
        .batch = batch_cum,                                                              \
    }
EXTREME_ROW(cummax, "largest", OP_max);
EXTREME_ROW(cummin, "smallest", OP_min);
