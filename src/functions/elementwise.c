/* elementwise.c -- elementwise functions: promotion, broadcasting, then primitives. */
#include "functions/functions.h"

#include <math.h>

/* ---- one dtype, one shape ---- */

/* The float that an integer or bool of dtype d becomes. JAX has 64 bits only for 64 bits. */
static wf_dtype real_dtype(const wf_ctx *c, wf_dtype d)
{
    switch (c->semantics->promotion) {
    case WF_PROMOTE_NUMPY: return WF_F64;
    case WF_PROMOTE_JAX: return wf_dtype_size(d) < 8 ? WF_F32 : c->semantics->default_float;
    default: return c->semantics->default_float;
    }
}

wf_tensor float_cast(wf_ctx *c, wf_tensor x, const char *fn)
{
    Tensor *t = tensor_get(c, x, fn);

    if (!t)
        return WF_NONE;
    return dtype_is_inexact(dtype_wide((wf_dtype)t->dtype))
               ? x
               : op_1(c, OP_cast, x, &(DtypeAttr){(int32_t)real_dtype(c, (wf_dtype)t->dtype)});
}

bool float_is_half(wf_ctx *c, wf_tensor x)
{
    Tensor *t = tensor_get(c, x, "is_half");

    return t && (t->dtype == WF_F16 || t->dtype == WF_BF16);
}

static bool broadcast_shapes(wf_ctx *c, const char *fn, const wf_tensor *x, int n,
                             Shape *out)
{
    Shape s;

    out->rank = 0;
    for (int i = 0; i < n; i++) {
        if (!shape_of(c, x[i], fn, &s))
            return false;
        if (s.rank > out->rank) { /* existing axes are the last ones */
            uint32_t more = s.rank - out->rank;
            memmove(out->d + more, out->d, out->rank * sizeof *out->d);
            for (uint32_t k = 0; k < more; k++)
                out->d[k] = 1;
            out->rank = s.rank;
        }
        for (uint32_t k = 0; k < s.rank; k++) {
            Dim *d = &out->d[out->rank - s.rank + k];
            if (*d == 1)
                *d = s.d[k];
            else if (s.d[k] != 1 && !size_same(c, s.d[k], *d) && size_one(c, *d))
                *d = s.d[k];
            else if (s.d[k] != 1 && !size_same(c, s.d[k], *d) && !size_one(c, s.d[k])) {
                tensor_fail(
                    c, WF_ERR_SHAPE,
                    "%s: shapes %s and %s cannot be broadcast together: axis %d differs",
                    fn, shape_text(c, tensor_get(c, x[0], fn)),
                    shape_text(c, tensor_get(c, x[i], fn)), (int)k - (int)s.rank);
                return false;
            }
        }
    }
    return true;
}

wf_tensor broadcast_to(wf_ctx *c, const char *fn, wf_tensor x, const Dim *dims,
                       uint32_t rank)
{
    Shape s;
    int64_t map[MAX_RANK];

    if (!shape_of(c, x, fn, &s))
        return WF_NONE;
    if (s.rank == rank && (!rank || !memcmp(s.d, dims, rank * sizeof *dims)))
        return x;
    for (uint32_t k = 0; k < s.rank; k++) {
        map[k] = (int64_t)rank - s.rank + k;
        if (s.rank > rank || (s.d[k] != 1 && !size_same(c, s.d[k], dims[map[k]]) &&
                              !size_one(c, s.d[k])))
            return tensor_fail(
                c, WF_ERR_SHAPE,
                "%s: shape %s cannot be broadcast to %s: sizes must be equal or 1", fn,
                shape_text(c, tensor_get(c, x, fn)), broadcast_sizes_text(c, dims, rank));
    }
    return op_1(c, OP_broadcast, x, &(BroadcastAttr){{rank, dims}, {s.rank, map}});
}

bool broadcast_all(wf_ctx *c, const char *fn, wf_tensor *x, int n)
{
    Shape s;

    if (!broadcast_shapes(c, fn, x, n, &s))
        return false;
    for (int i = 0; i < n; i++)
        x[i] = broadcast_to(c, fn, x[i], s.d, s.rank);
    return !failed(c);
}

static bool same_type(const Tensor *a, const Tensor *b)
{
    if (a->dtype != b->dtype || a->rank != b->rank || a->symbolic || b->symbolic)
        return false;
    for (uint32_t i = 0; i < a->rank; i++)
        if (a->dims[i] != b->dims[i])
            return false;
    return true;
}

/* A host number is kept as f64 and counts as the default float. */
static wf_dtype nominal(wf_ctx *c, const Tensor *t)
{
    if (t->weak && dtype_is_complex((wf_dtype)t->dtype))
        return dtype_pair(c->semantics->default_float);
    return t->weak && dtype_is_float((wf_dtype)t->dtype) ? c->semantics->default_float
                                                         : (wf_dtype)t->dtype;
}

static wf_dtype common_dtype(wf_ctx *c, const char *fn, const wf_tensor *x, int n)
{
    Tensor *t = tensor_get(c, x[0], fn);
    wf_dtype d;
    bool weak, zero;

    if (!t)
        return WF_INVALID;
    d = nominal(c, t);
    weak = t->weak;
    zero = t->rank == 0;
    for (int i = 1; i < n; i++) {
        Tensor *u = tensor_get(c, x[i], fn);
        wf_dtype r;
        if (!u)
            return WF_INVALID;
        r = tensor_promoted(c, d, weak, zero, nominal(c, u), u->weak, u->rank == 0);
        if (!r) {
            tensor_fail(c, WF_ERR_TYPE, "%s: no common dtype of %s and %s", fn,
                  wf_dtype_name(d), wf_dtype_name(nominal(c, u)));
            return WF_INVALID;
        }
        d = r;
        weak = weak && u->weak;
        zero = zero && u->rank == 0;
    }
    return d;
}

bool unify_dtypes(wf_ctx *c, const char *fn, wf_tensor *x, int n)
{
    wf_dtype d = common_dtype(c, fn, x, n);

    for (int i = 0; i < n && d && !failed(c); i++)
        if ((wf_dtype)tensor_get(c, x[i], fn)->dtype != d)
            x[i] = op_1(c, OP_cast, x[i], &(DtypeAttr){(int32_t)d});
    return d && !failed(c);
}

/* By JAX's rules a host number of a higher kind than all arrays makes the result weak. */
static bool joins_weak(wf_ctx *c, const char *fn, const wf_tensor *x, int n)
{
    int top[2] = {0, 0}; /* of arrays, of host numbers: 0 bool, 1 integer, 2 float, 3 complex */

    if (c->semantics->promotion != WF_PROMOTE_JAX)
        return false;
    for (int i = 0; i < n; i++) {
        const Tensor *t = tensor_get(c, x[i], fn);
        wf_dtype d = (wf_dtype)t->dtype;
        int kind = d == WF_BOOL ? 0 : dtype_is_complex(d) ? 3 : dtype_is_float(dtype_wide(d)) ? 2 : 1;
        top[t->weak] = MAX(top[t->weak], kind);
    }
    return top[1] > top[0];
}

bool unify_types(wf_ctx *c, const char *fn, wf_tensor *x, int n, MathKind kind)
{
    wf_dtype d = common_dtype(c, fn, x, n);
    bool weak;

    if (!d)
        return false;
    if (kind == MATH_FLOAT && !dtype_is_inexact(dtype_wide(d)))
        d = real_dtype(c, d);
    if (kind == MATH_BOOL)
        d = WF_BOOL;
    if (kind == MATH_INT && dtype_is_inexact(dtype_wide(d))) {
        tensor_fail(c, WF_ERR_TYPE, "%s: needs integers or bools, got %s", fn,
              wf_dtype_name(d));
        return false;
    }
    weak = kind != MATH_BOOL && joins_weak(c, fn, x, n);
    for (int i = 0; i < n; i++)
        if ((wf_dtype)tensor_get(c, x[i], fn)->dtype != d) {
            x[i] = kind == MATH_BOOL ? wf_ne(c, x[i], wf_int(c, 0))
                                     : op_1(c, OP_cast, x[i], &(DtypeAttr){(int32_t)d});
            if (failed(c))
                return false;
            if (weak)
                tensor_get(c, x[i], fn)->weak = true;
        }
    return broadcast_all(c, fn, x, n);
}

/* ---- small ones, at once ---- */

/* Concrete, and its history is not written: nobody follows it, or the op has no derivative. */
static bool is_plain(const wf_ctx *c, OpCode op, const Tensor *t)
{
    return !t->symbolic && !t->layout && !view_is_old(t) &&
           (!(t->need & c->tensors->recorders) || c->tensors->no_grad || op_has(op, OPF_ZERO));
}

/* A number of the host as one of dtype d; NULL: it is none, or the cast is not the C language's. */
static Tensor *number_as(wf_ctx *c, const Tensor *t, wf_dtype d)
{
    double x;
    Tensor *u;

    if (t->rank || !tensor_is_here(t) || (d != WF_F32 && d != WF_F64) ||
        (t->dtype != WF_F64 && t->dtype != WF_I64))
        return NULL;
    if (t->dtype == WF_I64) { /* not by way of a double: that would round twice */
        int64_t i = *(const int64_t *)tensor_data(t);

        if (i > 1 << 24 || i < -(1 << 24))
            return NULL;
        x = (double)i;
    } else {
        x = *(const double *)tensor_data(t);
    }
    if (!(u = tensor_new(c, d, NULL, 0)))
        return NULL;
    if (d == WF_F32)
        *(float *)tensor_data(u) = (float)x;
    else
        *(double *)tensor_data(u) = x;
    return u;
}

/* An op of fast.c on operands of one dtype, or an array and a number of the host that takes the array's; broadcast. n: 2,
 * or 3 with a bool first. WF_NONE: the long way. */
static wf_tensor at_once(wf_ctx *c, OpCode op, Tensor *const *operands, uint32_t n)
{
    Tensor *in[3] = {operands[0], operands[1], n == 3 ? operands[2] : NULL}, **v = in + n - 2, *number = NULL, *z;

    for (uint32_t i = 0; i < n; i++)
        if (!is_plain(c, op, in[i]))
            return WF_NONE;
    if (v[0]->weak || v[1]->weak) {
        int w = v[1]->weak; /* which of them is the number */
        wf_dtype d = (wf_dtype)v[!w]->dtype;

        if (v[!w]->weak ||
            tensor_promoted(c, d, false, v[!w]->rank == 0, nominal(c, v[w]), true, v[w]->rank == 0) != d)
            return WF_NONE;
        if (v[w]->dtype != d) {
            if (!(number = number_as(c, v[w], d)))
                return WF_NONE;
            v[w] = number;
        }
    }
    z = fast_map(c, op, in, n, true);
    tensor_release(c, number);
    return tensor_handle(c, z);
}

/* ---- binary ---- */

static wf_tensor binary(wf_ctx *c, const char *fn, OpCode op, wf_tensor x, wf_tensor y,
                        MathKind kind)
{
    IN_CALL(c);
    Tensor *a = tensor_get(c, x, fn), *b = tensor_get(c, y, fn);
    wf_tensor in[2] = {x, y};

    if (!a || !b)
        return WF_NONE;
    if (same_type(a, b) &&
        (kind == MATH_ANY || (kind == MATH_FLOAT && dtype_is_inexact((wf_dtype)a->dtype))))
        return tensor_op1(c, op, in, 2, NULL);
    if (kind == MATH_ANY || (kind == MATH_FLOAT && dtype_is_inexact((wf_dtype)a->dtype) &&
                             dtype_is_inexact((wf_dtype)b->dtype))) {
        wf_tensor z = at_once(c, op, (Tensor *[]){a, b}, 2);

        if (!wf_is_none(z) || failed(c))
            return z;
    }
    scope_open(c);
    if (unify_types(c, fn, in, 2, kind))
        in[0] = tensor_op1(c, op, in, 2, NULL);
    return scope_close(c, in[0]);
}

/* x + y of bools is or, x * y is and, as in NumPy and PyTorch. */
static wf_tensor arithmetic(wf_ctx *c, const char *fn, OpCode op, OpCode bool_op,
                            wf_tensor x, wf_tensor y)
{
    IN_CALL(c);
    Tensor *a = tensor_get(c, x, fn), *b = tensor_get(c, y, fn);

    if (!a || !b)
        return WF_NONE;
    if (a->dtype == WF_BOOL && b->dtype == WF_BOOL) {
        if (bool_op)
            return binary(c, fn, bool_op, x, y, MATH_ANY);
        return tensor_fail(c, WF_ERR_TYPE, "%s: not defined for two bools", fn);
    }
    return binary(c, fn, op, x, y, MATH_ANY);
}

wf_tensor wf_add(wf_ctx *c, wf_tensor x, wf_tensor y)
{
    return arithmetic(c, "wf_add", OP_add, OP_or, x, y);
}
wf_tensor wf_sub(wf_ctx *c, wf_tensor x, wf_tensor y)
{
    return arithmetic(c, "wf_sub", OP_sub, 0, x, y);
}
wf_tensor wf_mul(wf_ctx *c, wf_tensor x, wf_tensor y)
{
    return arithmetic(c, "wf_mul", OP_mul, OP_and, x, y);
}
wf_tensor wf_pow(wf_ctx *c, wf_tensor x, wf_tensor y)
{
    wf_dtype d;

    if (float_is_half(c, x) && float_is_half(c, y) && (d = common_dtype(c, "wf_pow", (wf_tensor[]){x, y}, 2)) != WF_F32) {
        wf_tensor cast;

        scope_open(c);
        cast = wf_cast(c, y, WF_F32);
        x = arithmetic(c, "wf_pow", OP_pow, 0, wf_cast(c, x, WF_F32), cast);
        return scope_close(c, wf_cast(c, x, d));
    }
    return arithmetic(c, "wf_pow", OP_pow, 0, x, y);
}

#define SIMPLE(name, op, kind)                                                           \
    wf_tensor wf_##name(wf_ctx *c, wf_tensor x, wf_tensor y)                             \
    {                                                                                    \
        return binary(c, "wf_" #name, op, x, y, kind);                                   \
    }
SIMPLE(div, OP_div, MATH_FLOAT)
SIMPLE(atan2, OP_atan2, MATH_FLOAT)
SIMPLE(maximum, OP_max, MATH_ANY)
SIMPLE(minimum, OP_min, MATH_ANY)
SIMPLE(eq, OP_eq, MATH_ANY)
SIMPLE(ne, OP_ne, MATH_ANY)
SIMPLE(lt, OP_lt, MATH_ANY)
SIMPLE(le, OP_le, MATH_ANY)
SIMPLE(gt, OP_gt, MATH_ANY)
SIMPLE(ge, OP_ge, MATH_ANY)
SIMPLE(logical_and, OP_and, MATH_BOOL)
SIMPLE(logical_or, OP_or, MATH_BOOL)
SIMPLE(logical_xor, OP_xor, MATH_BOOL)
SIMPLE(bitwise_and, OP_and, MATH_INT)
SIMPLE(bitwise_or, OP_or, MATH_INT)
SIMPLE(bitwise_xor, OP_xor, MATH_INT)
SIMPLE(shift_left, OP_shl, MATH_INT)

wf_tensor wf_shift_right(wf_ctx *c, wf_tensor x, wf_tensor y)
{
    wf_dtype d = common_dtype(c, "wf_shift_right", (wf_tensor[]){x, y}, 2);
    return binary(c, "wf_shift_right", dtype_is_signed(d) ? OP_shr_arith : OP_shr_logical,
                  x, y, MATH_INT);
}

/* Where the remainder r of x by y is not 0 and has the other sign than y. */
static wf_tensor crosses(wf_ctx *c, wf_tensor r, wf_tensor y)
{
    wf_tensor zero = wf_zeros_like(c, r);
    wf_tensor below = wf_lt(c, y, zero);
    wf_tensor differ = wf_ne(c, wf_lt(c, r, zero), below);

    return wf_logical_and(c, wf_ne(c, r, zero), differ);
}

/* PyTorch refuses to divide integers by 0. */
static bool may_divide(wf_ctx *c, wf_tensor y)
{
    wf_tensor ok;

    if (!c->semantics->strict || dtype_is_inexact(wf_dtype_of(c, y)))
        return !failed(c);
    ok = wf_ne(c, y, wf_zeros_like(c, y));
    if (wf_is_symbolic(c, y))
        wf_assert(c, ok, "ZeroDivisionError", NULL, 0);
    else if (!failed(c) && tensor_has_numbers(c, y) && wf_item_int(c, wf_all(c, ok, NULL, 0, false)) == 0)
        tensor_fail(c, WF_ERR_VALUE, "ZeroDivisionError");
    return !failed(c);
}

wf_tensor wf_fmod(wf_ctx *c, wf_tensor x, wf_tensor y)
{
    wf_tensor in[2] = {x, y}, r = WF_NONE;

    scope_open(c);
    if (unify_types(c, "wf_fmod", in, 2, MATH_ANY) && may_divide(c, in[1]))
        r = tensor_op1(c, OP_rem, in, 2, NULL);
    return scope_close(c, r);
}

static wf_tensor whole_like(wf_ctx *c, wf_tensor x, int64_t v)
{
    return wf_set_weak(c, wf_scalar(c, wf_dtype_of(c, x), (double)v), true);
}

/* An integer divisor that NumPy and JAX have rules for: not a number that is known not to be 0. */
static bool may_be_zero(wf_ctx *c, wf_tensor y, wf_dtype d)
{
    const Tensor *t = tensor_get(c, y, "divisor");

    if (!t || dtype_is_float(d) || c->semantics->promotion == WF_PROMOTE_TORCH)
        return false;
    return t->symbolic || !t->weak || t->rank || wf_item(c, y) == 0;
}

/* x // 0 of integers: 0 in NumPy; in JAX -1 (all bits), less one where x has a sign. */
static wf_tensor over_zero(wf_ctx *c, wf_tensor x, wf_tensor q)
{
    wf_tensor others, zeros;

    if (c->semantics->promotion == WF_PROMOTE_NUMPY)
        return wf_zeros_like(c, q);
    if (!dtype_is_signed(wf_dtype_of(c, q)))
        return q;
    others = wf_full_like(c, q, -2);
    zeros = wf_full_like(c, q, -1);
    return wf_where(c, wf_eq(c, x, whole_like(c, x, 0)), zeros, others);
}

wf_tensor wf_remainder(wf_ctx *c, wf_tensor x, wf_tensor y)
{
    wf_tensor in[2] = {x, y}, r = WF_NONE;

    scope_open(c);
    if (unify_types(c, "wf_remainder", in, 2, MATH_ANY) && may_divide(c, in[1])) {
        r = tensor_op1(c, OP_rem, in, 2, NULL);
        if (!dtype_is_unsigned(wf_dtype_of(c, r))) {
            wf_tensor sum = wf_add(c, r, in[1]);

            r = wf_where(c, crosses(c, r, in[1]), sum, r);
        }
        if (may_be_zero(c, y, wf_dtype_of(c, r))) {
            wf_tensor zero = wf_zeros_like(c, r);

            r = wf_where(c, wf_eq(c, in[1], whole_like(c, r, 0)), zero, r);
        }
    }
    return scope_close(c, r);
}

/* Floats: (x - r) / y is nearly whole; it is rounded to the whole number next to it, as NumPy does. */
/* Its derivative is 0 wherever it has one, and where y is 0 as well. */
static wf_tensor floor_div_float(wf_ctx *c, wf_tensor x, wf_tensor y)
{
    wf_tensor r, q, f, difference, sum, ratio;

    x = op_1(c, OP_stop_gradient, x, NULL);
    y = op_1(c, OP_stop_gradient, y, NULL);
    r = op_2(c, OP_rem, x, y, NULL);
    q = wf_div(c, wf_sub(c, x, r), y);
    difference = wf_sub(c, q, num(c, 1));
    q = wf_where(c, crosses(c, r, y), difference, q);
    f = wf_floor(c, q);
    sum = wf_add(c, f, num(c, 1));
    f = wf_where(c, wf_gt(c, wf_sub(c, q, f), num(c, 0.5)), sum, f);
    ratio = wf_div(c, x, y);
    return wf_where(c, wf_eq(c, y, num(c, 0)), ratio, f);
}

wf_tensor wf_floor_div(wf_ctx *c, wf_tensor x, wf_tensor y)
{
    wf_tensor in[2] = {x, y}, q = WF_NONE;

    scope_open(c);
    if (unify_types(c, "wf_floor_div", in, 2, MATH_ANY) && may_divide(c, in[1])) {
        if (dtype_is_float(wf_dtype_of(c, in[0]))) {
            q = floor_div_float(c, in[0], in[1]);
        } else {
            wf_tensor r = tensor_op1(c, OP_rem, in, 2, NULL);
            q = tensor_op1(c, OP_div, in, 2, NULL);
            if (dtype_is_signed(wf_dtype_of(c, q))) {
                wf_tensor difference = wf_sub(c, q, whole_like(c, q, 1));

                q = wf_where(c, crosses(c, r, in[1]), difference, q);
            }
            if (may_be_zero(c, y, wf_dtype_of(c, q))) {
                wf_tensor at_zero = over_zero(c, in[0], q);

                q = wf_where(c, wf_eq(c, in[1], whole_like(c, q, 0)), at_zero, q);
            }
        }
    }
    return scope_close(c, q);
}

/* sqrt(x² + y²) without overflow: m sqrt(1 + (n/m)²), m the larger; inf with anything, NaN too, is inf */
wf_tensor wf_hypot(wf_ctx *c, wf_tensor x, wf_tensor y)
{
    wf_tensor in[2] = {x, y}, a, b, m, n, q, zero, inf, r;
    wf_tensor one, infinite;

    scope_open(c);
    if (!unify_types(c, "wf_hypot", in, 2, MATH_FLOAT))
        return scope_close(c, WF_NONE);
    a = wf_abs(c, in[0]);
    b = wf_abs(c, in[1]);
    m = wf_maximum(c, a, b);
    n = wf_minimum(c, a, b);
    zero = wf_eq(c, m, num(c, 0));
    q = wf_div(c, n, wf_where(c, zero, wf_ones_like(c, m), m));
    one = wf_ones_like(c, q);
    q = wf_where(c, wf_is_inf(c, n), one, q);
    r = wf_mul(c, m, wf_sqrt(c, wf_add(c, num(c, 1), wf_square(c, q))));
    infinite = wf_is_inf(c, b);
    inf = wf_logical_or(c, wf_is_inf(c, a), infinite);
    return scope_close(c, wf_where(c, inf, wf_full_like(c, r, INFINITY), r));
}

/* hi + log1p(exp(lo - hi)), which is smooth in both also where they are equal; equal
 * infinities give themselves */
wf_tensor wf_logaddexp(wf_ctx *c, wf_tensor x, wf_tensor y)
{
    wf_tensor in[2] = {x, y}, first, hi, lo, d, same;
    wf_tensor infinite;

    scope_open(c);
    if (!unify_types(c, "wf_logaddexp", in, 2, MATH_FLOAT))
        return scope_close(c, WF_NONE);
    first = wf_ge(c, in[0], in[1]);
    hi = wf_where(c, first, in[0], in[1]);
    lo = wf_where(c, first, in[1], in[0]);
    d = wf_sub(c, lo, hi);
    infinite = wf_is_inf(c, hi);
    same = wf_logical_and(c, wf_eq(c, in[0], in[1]), infinite);
    d = wf_where(c, same, wf_zeros_like(c, d), d);
    return scope_close(c, wf_add(c, hi, wf_log1p(c, wf_exp(c, d))));
}

/* ---- unary ---- */

static wf_tensor unary(wf_ctx *c, const char *fn, OpCode op, wf_tensor x, bool real)
{
    IN_CALL(c);
    Tensor *t = tensor_get(c, x, fn);

    if (!t)
        return WF_NONE;
    if (real && !dtype_is_inexact(dtype_wide((wf_dtype)t->dtype))) {
        scope_open(c);
        return scope_close(c, op_1(c, op, float_cast(c, x, fn), NULL));
    }
    return op_1(c, op, x, NULL);
}

#define REAL(name, op)                                                                   \
    wf_tensor wf_##name(wf_ctx *c, wf_tensor x)                                          \
    {                                                                                    \
        return unary(c, "wf_" #name, op, x, true);                                       \
    }
#define PLAIN(name, op)                                                                  \
    wf_tensor wf_##name(wf_ctx *c, wf_tensor x)                                          \
    {                                                                                    \
        return unary(c, "wf_" #name, op, x, false);                                      \
    }
REAL(exp, OP_exp)
REAL(expm1, OP_expm1) REAL(log, OP_log) REAL(log1p, OP_log1p) REAL(sin, OP_sin)
    REAL(cos, OP_cos) REAL(tan, OP_tan) REAL(tanh, OP_tanh) REAL(erf, OP_erf) REAL(erfc, OP_erfc)
        REAL(erf_inv, OP_erf_inv) REAL(sqrt, OP_sqrt) REAL(rsqrt, OP_rsqrt)
            REAL(sigmoid, OP_logistic) REAL(asin, OP_asin) REAL(acos, OP_acos) REAL(atan, OP_atan)
                PLAIN(neg, OP_neg) PLAIN(stop_gradient, OP_stop_gradient)

/* An integer or bool: already rounded, finite. */
static bool is_whole(wf_ctx *c, wf_tensor x)
{
    wf_dtype d = wf_dtype_of(c, x);
    return d == WF_BOOL || dtype_is_int(d);
}

static bool is_complex(wf_ctx *c, wf_tensor x) { return dtype_is_complex(wf_dtype_of(c, x)); }

/* f of the real and of the imaginary part */
static wf_tensor each_part(wf_ctx *c, wf_tensor x, wf_tensor (*f)(wf_ctx *, wf_tensor))
{
    wf_tensor im;

    scope_open(c);
    im = f(c, wf_imag(c, x));
    return scope_close(c, wf_complex(c, f(c, wf_real(c, x)), im));
}

#define ROUNDING(name, op)                                                               \
    wf_tensor wf_##name(wf_ctx *c, wf_tensor x)                                          \
    {                                                                                    \
        return is_whole(c, x)     ? x                                                     \
               : is_complex(c, x) ? each_part(c, x, wf_##name)                            \
                                  : unary(c, "wf_" #name, op, x, false);                  \
    }
ROUNDING(floor, OP_floor)
ROUNDING(ceil, OP_ceil)
ROUNDING(round, OP_round)

wf_tensor wf_positive(wf_ctx *c, wf_tensor x)
{
    return tensor_get(c, x, "wf_positive") ? x : WF_NONE;
}
wf_tensor wf_square(wf_ctx *c, wf_tensor x) { return wf_mul(c, x, x); }
wf_tensor wf_reciprocal(wf_ctx *c, wf_tensor x)
{
    scope_open(c);
    return scope_close(c, wf_div(c, num(c, 1), x));
}

wf_tensor wf_abs(wf_ctx *c, wf_tensor x)
{
    wf_dtype d = wf_dtype_of(c, x);
    Tensor *t;

    if (d == WF_BOOL || dtype_is_unsigned(d))
        return x;
    t = tensor_get(c, x, "wf_abs");
    if (t && c->semantics->promotion == WF_PROMOTE_TORCH && dtype_is_float(d) &&
        (t->symbolic || t->need)) { /* PyTorch's slope at 0 is 0: x sign(x) */
        scope_open(c);
        return scope_close(c, wf_mul(c, x, wf_sign(c, wf_stop_gradient(c, x))));
    }
    return unary(c, "wf_abs", OP_abs, x, false);
}

wf_tensor wf_sign(wf_ctx *c, wf_tensor x)
{
    wf_tensor r, zero;

    if (is_complex(c, x)) { /* on the circle, or 0 */
        scope_open(c);
        r = wf_abs(c, x);
        zero = wf_eq(c, r, num(c, 0));
        r = wf_div(c, x, wf_where(c, zero, wf_ones_like(c, r), r));
        return scope_close(c, r);
    }
    return wf_dtype_of(c, x) == WF_BOOL ? x : unary(c, "wf_sign", OP_sign, x, false);
}

wf_tensor wf_trunc(wf_ctx *c, wf_tensor x)
{
    wf_tensor r, whole, ceil;

    if (is_whole(c, x))
        return x;
    scope_open(c);
    whole = wf_floor(c, x);
    ceil = wf_ceil(c, x);
    r = wf_where(c, wf_lt(c, x, num(c, 0)), ceil, whole);
    return scope_close(c, r);
}

wf_tensor wf_frac(wf_ctx *c, wf_tensor x)
{
    scope_open(c);
    return scope_close(c, wf_sub(c, x, wf_trunc(c, x)));
}

/* c1 * f(x), and friends written as formulas */
#define FORMULA(name, expr)                                                              \
    wf_tensor wf_##name(wf_ctx *c, wf_tensor x)                                          \
    {                                                                                    \
        IN_F32(c, x, wf_##name(c, x))                                                    \
        scope_open(c);                                                                   \
        x = float_cast(c, x, "wf_" #name);                                                 \
        return scope_close(c, (expr));                                                   \
    }
/* The same of one that is an op for complex numbers; y comes before. */
#define CURVE(name, before, expr)                                                        \
    wf_tensor wf_##name(wf_ctx *c, wf_tensor x)                                          \
    {                                                                                    \
        wf_tensor y;                                                                     \
                                                                                         \
        IN_F32(c, x, wf_##name(c, x))                                                    \
        if (is_complex(c, x))                                                            \
            return op_1(c, OP_##name, x, NULL);                                          \
        scope_open(c);                                                                   \
        x = float_cast(c, x, "wf_" #name);                                                 \
        y = (before);                                                                    \
        return scope_close(c, (expr));                                                   \
    }
#define ONE num(c, 1)
FORMULA(exp2, wf_pow(c, num(c, 2), x))
FORMULA(log2, wf_div(c, wf_log(c, x), num(c, 0.69314718055994530942)))
FORMULA(log10, wf_div(c, wf_log(c, x), num(c, 2.30258509299404568402)))
CURVE(cosh, wf_exp(c, wf_neg(c, x)), wf_mul(c, num(c, 0.5), wf_add(c, wf_exp(c, x), y)))
CURVE(acosh, wf_sqrt(c, wf_add(c, x, ONE)), wf_log(c, wf_add(c, x, wf_mul(c, wf_sqrt(c, wf_sub(c, x, ONE)), y))))
CURVE(atanh, wf_log1p(c, wf_neg(c, x)), wf_mul(c, num(c, 0.5), wf_sub(c, wf_log1p(c, x), y)))
FORMULA(deg2rad, wf_mul(c, x, num(c, 0.017453292519943295)))
FORMULA(rad2deg, wf_mul(c, x, num(c, 57.29577951308232)))

/* |x| < 1: (e - 1 + (e - 1)/e) / 2 with e - 1 from expm1; else (e^x - e^-x) / 2. The branch not taken sees a
 * harmless number, so that it makes no NaN in derivatives. */
wf_tensor wf_sinh(wf_ctx *c, wf_tensor x)
{
    wf_tensor small, u, lo, hi, power;

    if (is_complex(c, x))
        return op_1(c, OP_sinh, x, NULL);
    scope_open(c);
    x = float_cast(c, x, "wf_sinh");
    small = wf_lt(c, wf_abs(c, x), num(c, 1));
    u = wf_expm1(c, wf_where(c, small, x, wf_zeros_like(c, x)));
    lo = wf_mul(c, num(c, 0.5), wf_add(c, u, wf_div(c, u, wf_add(c, u, num(c, 1)))));
    power = wf_exp(c, wf_neg(c, x));
    hi = wf_mul(c, num(c, 0.5), wf_sub(c, wf_exp(c, x), power));
    return scope_close(c, wf_where(c, small, lo, hi));
}

/* sign(x) log1p(|x| + x²/(1 + sqrt(1 + x²))); beyond 1e4 log(2|x|) is as exact and cannot overflow */
wf_tensor wf_asinh(wf_ctx *c, wf_tensor x)
{
    wf_tensor a, big, b, sq, lo, hi, r, ratio, negative;

    if (is_complex(c, x))
        return op_1(c, OP_asinh, x, NULL);
    scope_open(c);
    x = float_cast(c, x, "wf_asinh");
    a = wf_abs(c, x);
    big = wf_gt(c, a, num(c, 1e4));
    b = wf_where(c, big, wf_ones_like(c, x), x);
    sq = wf_square(c, b);
    ratio = wf_div(c, sq, wf_add(c, num(c, 1), wf_sqrt(c, wf_add(c, sq, num(c, 1)))));
    lo = wf_log1p(c, wf_add(c, wf_abs(c, b), ratio));
    negative = wf_neg(c, lo);
    lo = wf_where(c, wf_lt(c, b, num(c, 0)), negative, lo);
    lo = wf_where(c, wf_eq(c, b, num(c, 0)), b, lo); /* |x| has no slope there, asinh has 1 */
    hi = wf_add(c, wf_log(c, wf_where(c, big, a, wf_ones_like(c, a))),
                num(c, 0.69314718055994530942));
    r = wf_where(c, big, wf_mul(c, wf_sign(c, x), hi), lo);
    return scope_close(c, r);
}

/* ---- predicates and choices ---- */

wf_tensor wf_is_finite(wf_ctx *c, wf_tensor x)
{
    Shape s;

    if (is_whole(c, x) && shape_of(c, x, "wf_is_finite", &s))
        return wf_full(c, WF_BOOL, s.d, (int)s.rank, 1);
    if (is_complex(c, x)) {
        wf_tensor finite;

        scope_open(c);
        finite = wf_is_finite(c, wf_imag(c, x));
        return scope_close(c, wf_logical_and(c, wf_is_finite(c, wf_real(c, x)), finite));
    }
    return unary(c, "wf_is_finite", OP_is_finite, x, false);
}

wf_tensor wf_is_nan(wf_ctx *c, wf_tensor x) { return wf_ne(c, x, x); }

wf_tensor wf_is_inf(wf_ctx *c, wf_tensor x)
{
    wf_tensor nan;

    scope_open(c);
    if (is_complex(c, x)) {
        wf_tensor infinite = wf_is_inf(c, wf_imag(c, x));

        return scope_close(c, wf_logical_or(c, wf_is_inf(c, wf_real(c, x)), infinite));
    }
    nan = wf_is_nan(c, x);
    return scope_close(c, wf_logical_not(c, wf_logical_or(c, wf_is_finite(c, x), nan)));
}

wf_tensor wf_logical_not(wf_ctx *c, wf_tensor x)
{
    if (wf_dtype_of(c, x) == WF_BOOL)
        return op_1(c, OP_not, x, NULL);
    scope_open(c);
    return scope_close(c, wf_eq(c, x, wf_zeros_like(c, x)));
}

wf_tensor wf_bitwise_not(wf_ctx *c, wf_tensor x)
{
    Tensor *t = tensor_get(c, x, "wf_bitwise_not");

    if (t && dtype_is_inexact((wf_dtype)t->dtype))
        return tensor_fail(c, WF_ERR_TYPE, "wf_bitwise_not: needs integers or bools, got %s",
                     shape_text(c, t));
    return t ? op_1(c, OP_not, x, NULL) : WF_NONE;
}

wf_tensor wf_where(wf_ctx *c, wf_tensor cond, wf_tensor x, wf_tensor y)
{
    IN_CALL(c);
    Tensor *t[3] = {tensor_get(c, cond, "wf_where"), tensor_get(c, x, "wf_where"), tensor_get(c, y, "wf_where")};
    wf_tensor in[3] = {cond, x, y};
    bool weak = false;

    if (!t[0] || !t[1] || !t[2])
        return WF_NONE;
    if (t[0]->dtype == WF_BOOL) {
        wf_tensor z = at_once(c, OP_select, t, 3);

        if (!wf_is_none(z) || failed(c))
            return z;
    }
    scope_open(c);
    if (t[0]->dtype != WF_BOOL)
        in[0] = wf_ne(c, cond, wf_zeros_like(c, cond));
    if (!failed(c) && unify_types(c, "wf_where", in + 1, 2, MATH_ANY) &&
        broadcast_all(c, "wf_where", in, 3)) {
        weak = wf_is_weak(c, in[1]) && wf_is_weak(c, in[2]);
        in[0] = tensor_op1(c, OP_select, in, 3, NULL);
    }
    if (!failed(c))
        tensor_get(c, in[0], "wf_where")->weak = weak;
    return scope_close(c, in[0]);
}

wf_tensor wf_clip(wf_ctx *c, wf_tensor x, wf_tensor lo, wf_tensor hi)
{
    scope_open(c);
    if (!wf_is_none(lo))
        x = wf_maximum(c, x, lo);
    if (!wf_is_none(hi))
        x = wf_minimum(c, x, hi);
    return scope_close(c, x);
}

wf_tensor wf_lerp(wf_ctx *c, wf_tensor x, wf_tensor y, wf_tensor weight)
{
    scope_open(c);
    return scope_close(c, wf_add(c, x, wf_mul(c, weight, wf_sub(c, y, x))));
}

wf_tensor wf_is_close(wf_ctx *c, wf_tensor x, wf_tensor y, double rtol, double atol)
{
    wf_tensor near, bound;

    scope_open(c);
    bound = wf_add(c, num(c, atol), wf_mul(c, num(c, rtol), wf_abs(c, y)));
    near = wf_le(c, wf_abs(c, wf_sub(c, x, y)), bound);
    near = wf_logical_and(c, near, wf_is_finite(c, y));
    return scope_close(c, wf_logical_or(c, near, wf_eq(c, x, y)));
}
