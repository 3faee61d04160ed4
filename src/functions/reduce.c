/* reduce.c -- reductions. Axes NULL with n 0: all of them. */
#include "functions/functions.h"

#include <math.h>

/* The axes sorted, as the primitives want them. */
static bool sorted_axes(wf_ctx *c, const char *fn, const Shape *s, const int *axes, int n,
                        int64_t *out, uint32_t *out_n)
{
    bool on[MAX_RANK] = {0};
    uint32_t k, m = 0;

    if (axes ? n < 0 : n != 0)
        return arg_fail(c, fn, "a list of axes");
    for (int i = 0; i < n; i++) {
        if (!axis_of(c, fn, axes[i], s->rank, &k))
            return false;
        if (on[k]) {
            tensor_fail(c, WF_ERR_VALUE, "%s: axis %d stands twice", fn, axes[i]);
            return false;
        }
        on[k] = true;
    }
    for (uint32_t i = 0; i < s->rank; i++)
        if (on[i] || !axes)
            out[m++] = i;
    *out_n = m;
    return true;
}

wf_tensor reduce_axes(wf_ctx *c, const char *fn, OpCode op, wf_tensor x, const int *axes,
                 int n, bool keep)
{
    Shape s;
    int64_t ax[MAX_RANK];
    uint32_t m;
    wf_tensor r;

    if (!shape_of(c, x, fn, &s) || !sorted_axes(c, fn, &s, axes, n, ax, &m))
        return WF_NONE;
    if ((op == OP_reduce_max || op == OP_reduce_min))
        for (uint32_t i = 0; i < m; i++)
            if (s.d[ax[i]] == 0)
                return tensor_fail(c, WF_ERR_SHAPE, "%s: no elements along axis %lld of %s", fn,
                             (long long)ax[i], shape_text(c, tensor_get(c, x, fn)));
    scope_open(c);
    r = op_1(c, op, x, &(ReduceAttr){{m, ax}});
    if (keep) {
        for (uint32_t i = 0; i < m; i++)
            s.d[ax[i]] = 1;
        r = wf_reshape(c, r, s.d, (int)s.rank);
    }
    return scope_close(c, r);
}

/* Sums of bools and small integers are made in i64 (u64 in NumPy's way for unsigned), as the libraries do. */
static wf_tensor sum_dtype(wf_ctx *c, wf_tensor x, const char *fn)
{
    Tensor *t = tensor_get(c, x, fn);

    if (!t)
        return WF_NONE;
    if (t->dtype == WF_BOOL)
        return wf_cast(c, x, c->semantics->promotion == WF_PROMOTE_JAX ? WF_I32 : WF_I64);
    if (c->semantics->promotion != WF_PROMOTE_JAX && dtype_is_int((wf_dtype)t->dtype) &&
        t->dtype != WF_I64 && t->dtype != WF_U64)
        return wf_cast(c, x,
                       c->semantics->promotion == WF_PROMOTE_NUMPY &&
                               dtype_is_unsigned((wf_dtype)t->dtype)
                           ? WF_U64
                           : WF_I64);
    return x;
}

wf_tensor wf_sum(wf_ctx *c, wf_tensor x, const int *axes, int n, bool keep)
{
    scope_open(c);
    return scope_close(
        c, reduce_axes(c, "wf_sum", OP_reduce_sum, sum_dtype(c, x, "wf_sum"), axes, n, keep));
}

wf_tensor wf_prod(wf_ctx *c, wf_tensor x, const int *axes, int n, bool keep)
{
    scope_open(c);
    return scope_close(c, reduce_axes(c, "wf_prod", OP_reduce_prod, sum_dtype(c, x, "wf_prod"),
                                 axes, n, keep));
}

wf_tensor wf_max(wf_ctx *c, wf_tensor x, const int *axes, int n, bool keep)
{
    return reduce_axes(c, "wf_max", OP_reduce_max, x, axes, n, keep);
}

wf_tensor wf_min(wf_ctx *c, wf_tensor x, const int *axes, int n, bool keep)
{
    return reduce_axes(c, "wf_min", OP_reduce_min, x, axes, n, keep);
}

static wf_tensor as_bool(wf_ctx *c, wf_tensor x)
{
    return wf_dtype_of(c, x) == WF_BOOL ? x : wf_ne(c, x, wf_zeros_like(c, x));
}

wf_tensor wf_all(wf_ctx *c, wf_tensor x, const int *axes, int n, bool keep)
{
    scope_open(c);
    return scope_close(c,
                       reduce_axes(c, "wf_all", OP_reduce_and, as_bool(c, x), axes, n, keep));
}

wf_tensor wf_any(wf_ctx *c, wf_tensor x, const int *axes, int n, bool keep)
{
    scope_open(c);
    return scope_close(c,
                       reduce_axes(c, "wf_any", OP_reduce_or, as_bool(c, x), axes, n, keep));
}

wf_tensor wf_count_nonzero(wf_ctx *c, wf_tensor x, const int *axes, int n)
{
    scope_open(c);
    return scope_close(c, wf_sum(c, as_bool(c, x), axes, n, false));
}

/* How many elements are reduced, as a weak number. */
static wf_tensor reduced_count(wf_ctx *c, const char *fn, wf_tensor x, const int *axes,
                               int n)
{
    Shape s;
    int64_t ax[MAX_RANK];
    uint32_t m;
    Dim count = 1;

    if (!shape_of(c, x, fn, &s) || !sorted_axes(c, fn, &s, axes, n, ax, &m))
        return WF_NONE;
    for (uint32_t i = 0; i < m; i++)
        count = size_mul(c, count, s.d[ax[i]]);
    return count >= 0 ? wf_float(c, (double)count) : size_tensor(c, count);
}

wf_tensor wf_mean(wf_ctx *c, wf_tensor x, const int *axes, int n, bool keep)
{
    wf_tensor s;

    IN_F32(c, x, wf_mean(c, x, axes, n, keep))
    scope_open(c);
    x = float_cast(c, x, "wf_mean");
    s = reduce_axes(c, "wf_mean", OP_reduce_sum, x, axes, n, keep);
    return scope_close(c, wf_div(c, s, reduced_count(c, "wf_mean", x, axes, n)));
}

/* sum (x - mean)² / (count - correction) */
/* |x|², of complex numbers a real one */
static wf_tensor squared_size(wf_ctx *c, wf_tensor x)
{
    if (!dtype_is_complex(wf_dtype_of(c, x)))
        return wf_square(c, x);
    return wf_real(c, wf_mul(c, x, wf_conj(c, x)));
}

wf_tensor wf_var(wf_ctx *c, wf_tensor x, const int *axes, int n, double correction,
                 bool keep)
{
    wf_tensor d, k;

    IN_F32(c, x, wf_var(c, x, axes, n, correction, keep))
    scope_open(c);
    x = float_cast(c, x, "wf_var");
    d = wf_sub(c, x, wf_mean(c, x, axes, n, true));
    k = wf_sub(c, reduced_count(c, "wf_var", x, axes, n), wf_float(c, correction));
    k = wf_maximum(c, k, wf_float(c, 0));
    return scope_close(c, wf_div(c, wf_sum(c, squared_size(c, d), axes, n, keep), k));
}

wf_tensor wf_std(wf_ctx *c, wf_tensor x, const int *axes, int n, double correction,
                 bool keep)
{
    IN_F32(c, x, wf_std(c, x, axes, n, correction, keep))
    scope_open(c);
    return scope_close(c, wf_sqrt(c, wf_var(c, x, axes, n, correction, keep)));
}

/* m + log sum exp(x - m), m the largest, taken as 0 where it is not finite; of no elements -inf */
wf_tensor wf_logsumexp(wf_ctx *c, wf_tensor x, const int *axes, int n, bool keep)
{
    wf_tensor m, s, r, zero;
    Shape shape;

    IN_F32(c, x, wf_logsumexp(c, x, axes, n, keep))
    scope_open(c);
    x = float_cast(c, x, "wf_logsumexp");
    if (!shape_of(c, x, "wf_logsumexp", &shape))
        return scope_close(c, WF_NONE);
    for (uint32_t i = 0; i < shape.rank; i++)
        if (shape.d[i] == 0) /* nothing overflows */
            return scope_close(c, wf_log(c, wf_sum(c, wf_exp(c, x), axes, n, keep)));
    m = wf_stop_gradient(c, wf_max(c, x, axes, n, true));
    zero = wf_zeros_like(c, m);
    m = wf_where(c, wf_is_finite(c, m), m, zero);
    s = wf_sum(c, wf_exp(c, wf_sub(c, x, m)), axes, n, true);
    r = wf_add(c, wf_log(c, s), m);
    if (!keep) /* the reduced axes are of size 1: drop them by a sum, whatever they are */
        r = reduce_axes(c, "wf_logsumexp", OP_reduce_sum, r, axes, n, false);
    return scope_close(c, r);
}

/* The p-norm; p 0 counts, infinite p takes the largest. */
wf_tensor wf_norm(wf_ctx *c, wf_tensor x, double p, const int *axes, int n, bool keep)
{
    wf_tensor a, r;

    IN_F32(c, x, wf_norm(c, x, p, axes, n, keep))
    scope_open(c);
    x = float_cast(c, x, "wf_norm");
    a = wf_abs(c, x);
    if (dtype_is_complex(wf_dtype_of(c, x)))
        x = a; /* |z|: the norm of complex numbers is a real one */
    if (isinf(p))
        r = p > 0 ? wf_max(c, a, axes, n, keep) : wf_min(c, a, axes, n, keep);
    else if (p == 0)
        r = wf_sum(c, wf_cast(c, wf_ne(c, x, wf_zeros_like(c, x)), wf_dtype_of(c, x)),
                   axes, n, keep);
    else if (p == 1)
        r = wf_sum(c, a, axes, n, keep);
    else if (p == 2)
        r = wf_sqrt(c, wf_sum(c, wf_square(c, x), axes, n, keep));
    else
        r = wf_pow(c, wf_sum(c, wf_pow(c, a, wf_float(c, p)), axes, n, keep),
                   wf_float(c, 1 / p));
    return scope_close(c, r);
}

static wf_tensor arg(wf_ctx *c, const char *fn, OpCode op, wf_tensor x, const int *axis,
                     bool keep)
{
    Shape s;
    uint32_t k = 0;
    wf_tensor r;
    int32_t index;

    if (!shape_of(c, x, fn, &s))
        return WF_NONE;
    index = c->semantics->promotion == WF_PROMOTE_JAX ? WF_I32 : WF_I64;
    scope_open(c);
    if (!axis) {
        x = wf_reshape(c, x, (int64_t[]){WF_INFER}, 1);
        s = (Shape){1, {size_prod(c, s.d, s.rank)}};
    } else if (!axis_of(c, fn, *axis, s.rank, &k)) {
        return scope_close(c, WF_NONE);
    }
    if (s.d[k] == 0)
        tensor_fail(c, WF_ERR_SHAPE, "%s: no elements along the axis", fn);
    r = failed(c) ? WF_NONE : op_1(c, op, x, &(ArgAttr){k, index});
    if (keep && axis)
        r = wf_expand_dims(c, r, (int)k);
    return scope_close(c, r);
}

wf_tensor wf_argmax(wf_ctx *c, wf_tensor x, const int *axis, bool keep)
{
    return arg(c, "wf_argmax", OP_argmax, x, axis, keep);
}

wf_tensor wf_argmin(wf_ctx *c, wf_tensor x, const int *axis, bool keep)
{
    return arg(c, "wf_argmin", OP_argmin, x, axis, keep);
}

wf_tensor wf_cumsum(wf_ctx *c, wf_tensor x, int axis, bool reverse)
{
    Shape s;
    uint32_t k;

    if (!shape_of(c, x, "wf_cumsum", &s) || !axis_of(c, "wf_cumsum", axis, s.rank, &k))
        return WF_NONE;
    scope_open(c);
    return scope_close(
        c, op_1(c, OP_cumsum, sum_dtype(c, x, "wf_cumsum"), &(CumAttr){k, reverse}));
}

/* Running products of complex numbers in log2(n) steps: y_k = y_k * y_(k - 2^s). */
static wf_tensor complex_products(wf_ctx *c, wf_tensor x, const Shape *s, uint32_t k)
{
    if (s->d[k] < 0)
        return tensor_fail(c, WF_ERR_SHAPE, "wf_cumprod: needs a constant size of axis %u", k);
    if (s->d[k] < 2)
        x = wf_copy(c, x);
    for (int64_t step = 1; step < s->d[k] && !failed(c); step *= 2) {
        int64_t lo[MAX_RANK] = {0}, hi[MAX_RANK] = {0};
        wf_tensor back = slice_axis(c, x, k, 0, s->d[k] - step);

        lo[k] = step;
        x = wf_mul(c, wf_pad(c, back, lo, hi, (int)s->rank, 1), x);
    }
    return x;
}

wf_tensor wf_cumprod(wf_ctx *c, wf_tensor x, int axis)
{
    Shape s;
    uint32_t k;

    if (!shape_of(c, x, "wf_cumprod", &s) || !axis_of(c, "wf_cumprod", axis, s.rank, &k))
        return WF_NONE;
    scope_open(c);
    x = sum_dtype(c, x, "wf_cumprod");
    return scope_close(c, dtype_is_complex(wf_dtype_of(c, x))
                              ? complex_products(c, x, &s, k)
                              : op_1(c, OP_cumprod, x, &(CumAttr){k, false}));
}

/* Values alone; equals share the derivative. */
static wf_tensor cum_extreme(wf_ctx *c, const char *fn, OpCode op, wf_tensor x, int axis)
{
    Shape s;
    uint32_t k;
    wf_tensor out[2];

    if (!shape_of(c, x, fn, &s) || !axis_of(c, fn, axis, s.rank, &k))
        return WF_NONE;
    scope_open(c);
    if (!tensor_op(c, op, &x, 1, &(CumExtremeAttr){.axis = k, .split = true}, out, 2))
        out[0] = WF_NONE;
    return scope_close(c, out[0]);
}

wf_tensor wf_cummax(wf_ctx *c, wf_tensor x, int axis)
{
    return cum_extreme(c, "wf_cummax", OP_cummax, x, axis);
}

wf_tensor wf_cummin(wf_ctx *c, wf_tensor x, int axis)
{
    return cum_extreme(c, "wf_cummin", OP_cummin, x, axis);
}
