/* functions.c -- natives that are one tensor function each. Their parameter names are the
 * engine's own; the libraries' names and defaults are in namespaces/. */
#include "script/engine/engine.h"

/* ---- families ---------------------------------------------------------------------- */

typedef wf_tensor (*Fn1)(wf_ctx *, wf_tensor);
typedef wf_tensor (*Fn2)(wf_ctx *, wf_tensor, wf_tensor);
typedef wf_tensor (*FnReduce)(wf_ctx *, wf_tensor, const int *, int, bool);

/* out=y: the result is written into y, which is given back. */
static Value end_out(En *e, wf_tensor t, Value out)
{
    if (out.tag == T_NIL || out.tag == T_NONE)
        return en_end(e, t);
    if (!is_tensor(e->vm, out)) {
        sc_fail(e->vm, C_TypeError, "out must be a tensor, got %s", sc_type_name(e->vm, out));
        return en_fail(e);
    }
    wf_write(e->c, as_tensor(out)->t, t);
    return en_end_value(e, sc_ref(out));
}

static Value unary(Vm *vm, const Args *a, Fn1 fn)
{
    En e = en_begin(vm, a);
    wf_tensor x;

    return en_tensor(&e, a->v[0], &x) ? end_out(&e, fn(e.c, x), a->v[1]) : en_fail(&e);
}

static Value binary(Vm *vm, const Args *a, Fn2 fn)
{
    En e = en_begin(vm, a);
    wf_tensor x, y;

    if (!en_tensor(&e, a->v[0], &x) || !en_tensor(&e, a->v[1], &y))
        return en_fail(&e);
    return end_out(&e, fn(e.c, x, y), a->v[2]);
}

/* f(x, axis=None, keep=False); axis: None for all, an int or several */
static Value reduction(Vm *vm, const Args *a, FnReduce fn, const char *label)
{
    En e = en_begin(vm, a);
    wf_tensor x;
    int axes[WF_MAX_RANK], n = -1;
    bool keep = false;

    if (!en_tensor(&e, a->v[0], &x) || !en_axes(&e, a->v[1], axes, &n) ||
        !en_bool(&e, a->v[2], &keep))
        return en_fail(&e);
    if (n >= 0)
        e.label = label;
    return en_end(&e, fn(e.c, x, n < 0 ? NULL : axes, n < 0 ? 0 : n, keep));
}

#define UNARY_ROWS(X)                                                                    \
    X(neg) X(abs) X(positive) X(square) X(reciprocal) X(exp) X(exp2) X(expm1)    \
    X(log) X(log2) X(log10) X(log1p) X(sin) X(cos) X(tan) X(asin) X(acos) X(atan)        \
    X(sinh) X(cosh) X(tanh) X(asinh) X(acosh) X(atanh) X(erf) X(erfc) X(erf_inv) X(sqrt)         \
    X(rsqrt) X(sigmoid) X(frac) X(is_finite)          \
    X(is_nan) X(is_inf) X(logical_not) X(bitwise_not) X(stop_gradient) X(deg2rad)        \
    X(rad2deg) X(relu) X(silu) X(log_sigmoid) X(detach) X(copy) X(zeros_like)            \
    X(ones_like) X(nonzero) X(trace_of) X(cholesky) X(inv) X(det)
#define BINARY_ROWS(X)                                                                   \
    X(add) X(sub) X(mul) X(div) X(floor_div) X(remainder) X(fmod) X(pow) X(atan2)        \
    X(maximum) X(minimum) X(hypot) X(logaddexp) X(eq) X(ne) X(lt) X(le) X(gt) X(ge)      \
    X(logical_and) X(logical_or) X(logical_xor) X(bitwise_and) X(bitwise_or)             \
    X(bitwise_xor) X(shift_left) X(shift_right) X(matmul) X(outer) X(solve)              \
    X(masked_select) X(embedding)
#define REDUCE_ROWS(X)                                                                   \
    X(sum) X(prod) X(max) X(min) X(all) X(any) X(mean) X(logsumexp)

#define DEFINE(name)                                                                     \
    static Value n_##name(Vm *vm, const Args *a) { return unary(vm, a, wf_##name); }
UNARY_ROWS(DEFINE)
#undef DEFINE

/* Steps have a slope of 0, which PyTorch records: the result as a choice that is never x. */
static Value step(Vm *vm, const Args *a, Fn1 fn)
{
    En e = en_begin(vm, a);
    wf_tensor x, y;
    Tensor *t;

    if (!en_tensor(&e, a->v[0], &x))
        return en_fail(&e);
    y = fn(e.c, x);
    t = tensor_get(e.c, x, "step");
    if (t && t->need && e.f == &vm->engine->front[FRONT_TORCH] &&
        dtype_is_float((wf_dtype)t->dtype))
        y = wf_where(e.c, wf_bool(e.c, false), x, y);
    return end_out(&e, y, a->v[1]);
}

#define STEP_ROWS(X) X(sign) X(floor) X(ceil) X(round) X(trunc)
#define DEFINE(name)                                                                     \
    static Value n_##name(Vm *vm, const Args *a) { return step(vm, a, wf_##name); }
STEP_ROWS(DEFINE)
#undef DEFINE
#define DEFINE(name)                                                                     \
    static Value n_##name(Vm *vm, const Args *a) { return binary(vm, a, wf_##name); }
BINARY_ROWS(DEFINE)
#undef DEFINE
#define DEFINE(name)                                                                     \
    static Value n_##name(Vm *vm, const Args *a) { return reduction(vm, a, wf_##name, #name "_dim"); }
REDUCE_ROWS(DEFINE)
#undef DEFINE

/* ---- elementwise ------------------------------------------------------------------- */

static Value n_where(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x[3];

    for (int i = 0; i < 3; i++)
        if (!en_tensor(&e, a->v[i], &x[i]))
            return en_fail(&e);
    return en_end(&e, wf_where(e.c, x[0], x[1], x[2]));
}

/* PyTorch's slope of clamp at its bounds, where they are numbers, is 0. */
static wf_tensor flat_at_bounds(wf_ctx *c, wf_tensor x, wf_tensor lo, wf_tensor hi, wf_tensor y)
{
    wf_tensor in = wf_is_none(lo) ? wf_bool(c, true) : wf_gt(c, x, lo);

    if (!wf_is_none(hi))
        in = wf_logical_and(c, in, wf_lt(c, x, hi));
    return wf_where(c, in, x, wf_stop_gradient(c, y));
}

static Value n_clip(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x, y, lo = WF_NONE, hi = WF_NONE;
    Tensor *t;

    if (!en_tensor(&e, a->v[0], &x) || !en_tensor_opt(&e, a->v[1], &lo) ||
        !en_tensor_opt(&e, a->v[2], &hi))
        return en_fail(&e);
    y = wf_clip(e.c, x, lo, hi);
    t = tensor_get(e.c, x, "clip");
    if (t && (t->need || t->symbolic) && e.f == &vm->engine->front[FRONT_TORCH] &&
        !is_tensor(vm, a->v[1]) && !is_tensor(vm, a->v[2]))
        y = flat_at_bounds(e.c, x, lo, hi, y);
    return en_end(&e, y);
}

static Value n_cast(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_dtype d = WF_INVALID;
    wf_tensor x;

    if (!en_tensor(&e, a->v[0], &x) || !en_dtype(&e, a->v[1], &d))
        return en_fail(&e);
    return en_end(&e, wf_cast(e.c, x, d));
}

static Value n_bitcast(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_dtype d = WF_INVALID;
    wf_tensor x;

    if (!en_tensor(&e, a->v[0], &x) || !en_dtype(&e, a->v[1], &d))
        return en_fail(&e);
    return en_end(&e, wf_bitcast(e.c, x, d));
}

static Value n_is_close(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x, y;
    double rtol = 1e-5, atol = 1e-8;

    if (!en_tensor(&e, a->v[0], &x) || !en_tensor(&e, a->v[1], &y) ||
        !en_float(&e, a->v[2], &rtol) || !en_float(&e, a->v[3], &atol))
        return en_fail(&e);
    return en_end(&e, wf_is_close(e.c, x, y, rtol, atol));
}

/* f(x, number) with a default */
static Value with_number(Vm *vm, const Args *a, double std,
                         wf_tensor (*fn)(wf_ctx *, wf_tensor, double))
{
    En e = en_begin(vm, a);
    wf_tensor x;

    if (!en_tensor(&e, a->v[0], &x) || !en_float(&e, a->v[1], &std))
        return en_fail(&e);
    return en_end(&e, fn(e.c, x, std));
}
static Value n_softplus(Vm *vm, const Args *a) { return with_number(vm, a, 1, wf_softplus); }
static Value n_elu(Vm *vm, const Args *a) { return with_number(vm, a, 1, wf_elu); }
static Value n_leaky_relu(Vm *vm, const Args *a) { return with_number(vm, a, 0.01, wf_leaky_relu); }
static Value n_full_like(Vm *vm, const Args *a) { return with_number(vm, a, 0, wf_full_like); }

static Value n_gelu(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x;
    bool tanh_form = false;

    if (!en_tensor(&e, a->v[0], &x) || !en_bool(&e, a->v[1], &tanh_form))
        return en_fail(&e);
    return en_end(&e, wf_gelu(e.c, x, tanh_form));
}

static Value n_masked_fill(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x, m;
    double v = 0;

    if (!en_tensor(&e, a->v[0], &x) || !en_tensor(&e, a->v[1], &m) || !en_float(&e, a->v[2], &v))
        return en_fail(&e);
    return en_end(&e, wf_masked_fill(e.c, x, m, v));
}

/* ---- along one axis ---------------------------------------------------------------- */

/* f(x, axis) with a default */
static Value with_axis(Vm *vm, const Args *a, int64_t std,
                       wf_tensor (*fn)(wf_ctx *, wf_tensor, int))
{
    En e = en_begin(vm, a);
    wf_tensor x;

    if (!en_tensor(&e, a->v[0], &x) || !en_int(&e, a->v[1], &std))
        return en_fail(&e);
    return en_end(&e, fn(e.c, x, (int)std));
}
static Value n_softmax(Vm *vm, const Args *a) { return with_axis(vm, a, -1, wf_softmax); }
static Value n_log_softmax(Vm *vm, const Args *a) { return with_axis(vm, a, -1, wf_log_softmax); }
static Value n_cumprod(Vm *vm, const Args *a) { return with_axis(vm, a, 0, wf_cumprod); }
static Value n_cummax(Vm *vm, const Args *a) { return with_axis(vm, a, 0, wf_cummax); }
static Value n_cummin(Vm *vm, const Args *a) { return with_axis(vm, a, 0, wf_cummin); }
static Value n_expand_dims(Vm *vm, const Args *a) { return with_axis(vm, a, 0, wf_expand_dims); }
static Value n_tril(Vm *vm, const Args *a) { return with_axis(vm, a, 0, wf_tril); }
static Value n_triu(Vm *vm, const Args *a) { return with_axis(vm, a, 0, wf_triu); }
static Value n_diagonal(Vm *vm, const Args *a) { return with_axis(vm, a, 0, wf_diagonal); }
static Value n_diag(Vm *vm, const Args *a) { return with_axis(vm, a, 0, wf_diag); }

static Value n_cumsum(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x;
    int64_t axis = 0;
    bool reverse = false;

    if (!en_tensor(&e, a->v[0], &x) || !en_int(&e, a->v[1], &axis) ||
        !en_bool(&e, a->v[2], &reverse))
        return en_fail(&e);
    return en_end(&e, wf_cumsum(e.c, x, (int)axis, reverse));
}

/* argmax(x, axis=None, keep=False) */
static Value arg(Vm *vm, const Args *a, wf_tensor (*fn)(wf_ctx *, wf_tensor, const int *, bool))
{
    En e = en_begin(vm, a);
    wf_tensor x;
    int64_t axis = INT64_MIN;
    int ax;
    bool keep = false;

    if (!en_tensor(&e, a->v[0], &x) || !en_int(&e, a->v[1], &axis) ||
        !en_bool(&e, a->v[2], &keep))
        return en_fail(&e);
    ax = (int)axis;
    return en_end(&e, fn(e.c, x, axis == INT64_MIN ? NULL : &ax, keep));
}
static Value n_argmax(Vm *vm, const Args *a) { return arg(vm, a, wf_argmax); }
static Value n_argmin(Vm *vm, const Args *a) { return arg(vm, a, wf_argmin); }

/* var(x, axis=None, correction=1, keep=False) */
static Value spread(Vm *vm, const Args *a,
                    wf_tensor (*fn)(wf_ctx *, wf_tensor, const int *, int, double, bool))
{
    En e = en_begin(vm, a);
    wf_tensor x;
    int axes[WF_MAX_RANK], n = -1;
    double correction = 1;
    bool keep = false;

    if (!en_tensor(&e, a->v[0], &x) || !en_axes(&e, a->v[1], axes, &n) ||
        !en_float(&e, a->v[2], &correction) || !en_bool(&e, a->v[3], &keep))
        return en_fail(&e);
    return en_end(&e, fn(e.c, x, n < 0 ? NULL : axes, n < 0 ? 0 : n, correction, keep));
}
static Value n_var(Vm *vm, const Args *a) { return spread(vm, a, wf_var); }
static Value n_std(Vm *vm, const Args *a) { return spread(vm, a, wf_std); }

static Value n_norm(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x;
    int axes[WF_MAX_RANK], n = -1;
    double p = 2;
    bool keep = false;

    if (!en_tensor(&e, a->v[0], &x) || !en_float(&e, a->v[1], &p) ||
        !en_axes(&e, a->v[2], axes, &n) || !en_bool(&e, a->v[3], &keep))
        return en_fail(&e);
    return en_end(&e, wf_norm(e.c, x, p, n < 0 ? NULL : axes, n < 0 ? 0 : n, keep));
}

static Value n_count_nonzero(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x;
    int axes[WF_MAX_RANK], n = -1;

    if (!en_tensor(&e, a->v[0], &x) || !en_axes(&e, a->v[1], axes, &n))
        return en_fail(&e);
    return en_end(&e, wf_count_nonzero(e.c, x, n < 0 ? NULL : axes, n < 0 ? 0 : n));
}

/* ---- shape ------------------------------------------------------------------------- */

/* reshape(x, shape): -1 is the size that makes the count right */
static Value n_reshape(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x;
    int64_t dims[WF_MAX_RANK];
    int n;

    if (!en_tensor(&e, a->v[0], &x) || !en_shape(&e, a->v[1], dims, &n))
        return en_fail(&e);
    return en_end(&e, wf_reshape(e.c, x, dims, n));
}

static Value n_broadcast_to(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x;
    int64_t dims[WF_MAX_RANK];
    int n;

    if (!en_tensor(&e, a->v[0], &x) || !en_shape(&e, a->v[1], dims, &n))
        return en_fail(&e);
    return en_end(&e, wf_broadcast_to(e.c, x, dims, n));
}

static Value n_permute(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x;
    int axes[WF_MAX_RANK], n = -1;

    if (!en_tensor(&e, a->v[0], &x) || !en_axes(&e, a->v[1], axes, &n))
        return en_fail(&e);
    if (n >= 0 && n != wf_rank(e.c, x)) {
        sc_fail(vm, e.f->shape_error, "permute: %d axes were given for a tensor of rank %d", n,
                wf_rank(e.c, x));
        return en_fail(&e);
    }
    return en_end(&e, wf_permute(e.c, x, n < 0 ? NULL : axes));
}

static Value two_axes(Vm *vm, const Args *a, wf_tensor (*fn)(wf_ctx *, wf_tensor, int, int))
{
    En e = en_begin(vm, a);
    wf_tensor x;
    int64_t p = 0, q = 0;

    if (!en_tensor(&e, a->v[0], &x) || !en_int(&e, a->v[1], &p) || !en_int(&e, a->v[2], &q))
        return en_fail(&e);
    return en_end(&e, fn(e.c, x, (int)p, (int)q));
}
static Value n_swap_axes(Vm *vm, const Args *a) { return two_axes(vm, a, wf_swap_axes); }
static Value n_move_axis(Vm *vm, const Args *a) { return two_axes(vm, a, wf_move_axis); }
static Value n_flatten(Vm *vm, const Args *a) { return two_axes(vm, a, wf_flatten); }

/* squeeze(x, axis=None): those of size 1 among the axes; flip */
static Value some_axes(Vm *vm, const Args *a,
                       wf_tensor (*fn)(wf_ctx *, wf_tensor, const int *, int))
{
    En e = en_begin(vm, a);
    wf_tensor x;
    int axes[WF_MAX_RANK], n = 0;

    if (!en_tensor(&e, a->v[0], &x) || !en_axes(&e, a->v[1], axes, &n))
        return en_fail(&e);
    return en_end(&e, fn(e.c, x, axes, n));
}
static Value n_squeeze(Vm *vm, const Args *a) { return some_axes(vm, a, wf_squeeze); }
static Value n_flip(Vm *vm, const Args *a) { return some_axes(vm, a, wf_flip); }

static Value joined(Vm *vm, const Args *a,
                    wf_tensor (*fn)(wf_ctx *, const wf_tensor *, int, int))
{
    En e = en_begin(vm, a);
    wf_tensor *x;
    int n;
    int64_t axis = 0;

    if (!en_tensors(&e, a->v[0], &x, &n) || !en_int(&e, a->v[1], &axis))
        return en_fail(&e);
    return en_end(&e, fn(e.c, x, n, (int)axis));
}
static Value n_concat(Vm *vm, const Args *a) { return joined(vm, a, wf_concat); }
static Value n_stack(Vm *vm, const Args *a) { return joined(vm, a, wf_stack); }

/* split(x, sizes, axis): a tuple of pieces */
static Value n_split(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x, out[256];
    int64_t sizes[256], axis = 0;
    int n = 0;

    if (!en_tensor(&e, a->v[0], &x) || !en_ints(&e, a->v[1], sizes, &n, 256) ||
        !en_int(&e, a->v[2], &axis))
        return en_fail(&e);
    wf_split_sizes(e.c, x, sizes, n, (int)axis, out);
    return en_end_tuple(&e, out, n);
}

static Value n_narrow(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x;
    int64_t axis = 0, start = 0, length = 0;

    if (!en_tensor(&e, a->v[0], &x) || !en_int(&e, a->v[1], &axis) ||
        !en_int(&e, a->v[2], &start) || !en_int(&e, a->v[3], &length))
        return en_fail(&e);
    return en_end(&e, wf_narrow(e.c, x, (int)axis, start, length));
}

static Value n_tile(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x;
    int64_t reps[WF_MAX_RANK];
    int n;

    if (!en_tensor(&e, a->v[0], &x) || !en_shape(&e, a->v[1], reps, &n))
        return en_fail(&e);
    return en_end(&e, wf_tile(e.c, x, reps, n));
}

static Value n_repeat(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x;
    int64_t n = 1, axis = 0;

    if (!en_tensor(&e, a->v[0], &x) || !en_int(&e, a->v[1], &n) || !en_int(&e, a->v[2], &axis))
        return en_fail(&e);
    return en_end(&e, wf_repeat(e.c, x, n, (int)axis));
}

static Value n_roll(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x;
    int64_t n = 1, axis = 0;

    if (!en_tensor(&e, a->v[0], &x) || !en_int(&e, a->v[1], &n) || !en_int(&e, a->v[2], &axis))
        return en_fail(&e);
    return en_end(&e, wf_roll(e.c, x, n, (int)axis));
}

/* pad(x, lo, hi, value=0): amounts for every axis */
static Value n_pad(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x;
    int64_t lo[WF_MAX_RANK], hi[WF_MAX_RANK];
    int n, m;
    double v = 0;

    if (!en_tensor(&e, a->v[0], &x) || !en_shape(&e, a->v[1], lo, &n) ||
        !en_shape(&e, a->v[2], hi, &m) || !en_float(&e, a->v[3], &v))
        return en_fail(&e);
    if (n != m || n != wf_rank(e.c, x)) {
        sc_fail(vm, C_ValueError, "pad: amounts must be given for each of the %d axes",
                wf_rank(e.c, x));
        return en_fail(&e);
    }
    return en_end(&e, wf_pad(e.c, x, lo, hi, v));
}

/* ---- choosing ---------------------------------------------------------------------- */

static Value n_take(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x, ix;
    int64_t axis = 0;

    if (!en_tensor(&e, a->v[0], &x) || !en_tensor(&e, a->v[1], &ix) ||
        !en_int(&e, a->v[2], &axis))
        return en_fail(&e);
    return en_end(&e, wf_take(e.c, x, ix, (int)axis));
}

static Value n_take_along(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x, ix;
    int64_t axis = 0;

    if (!en_tensor(&e, a->v[0], &x) || !en_tensor(&e, a->v[1], &ix) ||
        !en_int(&e, a->v[2], &axis))
        return en_fail(&e);
    return en_end(&e, wf_take_along(e.c, x, ix, (int)axis));
}

/* put_along(x, index, v, axis): a new tensor; add_along adds */
static Value put(Vm *vm, const Args *a,
                 wf_tensor (*fn)(wf_ctx *, wf_tensor, wf_tensor, wf_tensor, int))
{
    En e = en_begin(vm, a);
    wf_tensor x, ix, v;
    int64_t axis = 0;

    if (!en_tensor(&e, a->v[0], &x) || !en_tensor(&e, a->v[1], &ix) ||
        !en_tensor(&e, a->v[2], &v) || !en_int(&e, a->v[3], &axis))
        return en_fail(&e);
    return en_end(&e, fn(e.c, x, ix, v, (int)axis));
}
static Value n_put_along(Vm *vm, const Args *a) { return put(vm, a, wf_put_along); }
static Value n_add_along(Vm *vm, const Args *a) { return put(vm, a, wf_add_along); }

/* index_set(x, key, v), index_add: a new tensor */
static Value index_new(Vm *vm, const Args *a,
                       wf_tensor (*fn)(wf_ctx *, wf_tensor, const wf_index *, int, wf_tensor))
{
    En e = en_begin(vm, a);
    wf_tensor x, v;
    wf_index ix[2 * WF_MAX_RANK];
    int n;

    if (!en_tensor(&e, a->v[0], &x) || !en_index(&e, a->v[1], ix, &n) ||
        !en_tensor(&e, a->v[2], &v))
        return en_fail(&e);
    return en_end(&e, fn(e.c, x, ix, n, v));
}
static Value n_index_set(Vm *vm, const Args *a) { return index_new(vm, a, wf_index_set); }
static Value n_index_add(Vm *vm, const Args *a) { return index_new(vm, a, wf_index_add); }

static Value n_index_get(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x;
    wf_index ix[2 * WF_MAX_RANK];
    int n;

    if (!en_tensor(&e, a->v[0], &x) || !en_index(&e, a->v[1], ix, &n))
        return en_fail(&e);
    return en_end(&e, wf_index_get(e.c, x, ix, n));
}

static Value n_one_hot(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x;
    int64_t n = 0;
    wf_dtype d = e.f->float_dtype;

    if (!en_tensor(&e, a->v[0], &x) || !en_int(&e, a->v[1], &n) || !en_dtype(&e, a->v[2], &d))
        return en_fail(&e);
    return en_end(&e, wf_one_hot(e.c, x, n, d));
}

/* sort(x, axis=-1, descending=False): (values, index) */
static Value n_sort(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x, out[2] = {WF_NONE, WF_NONE};
    int64_t axis = -1;
    bool down = false;

    if (!en_tensor(&e, a->v[0], &x) || !en_int(&e, a->v[1], &axis) || !en_bool(&e, a->v[2], &down))
        return en_fail(&e);
    wf_sort(e.c, x, (int)axis, down, &out[0], &out[1]);
    return en_end_tuple(&e, out, 2);
}

/* top_k(x, k, axis=-1, largest=True): (values, index) */
static Value n_top_k(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x, out[2] = {WF_NONE, WF_NONE};
    int64_t k = 1, axis = -1;
    bool largest = true;

    if (!en_tensor(&e, a->v[0], &x) || !en_int(&e, a->v[1], &k) || !en_int(&e, a->v[2], &axis) ||
        !en_bool(&e, a->v[3], &largest))
        return en_fail(&e);
    wf_top_k(e.c, x, k, (int)axis, largest, &out[0], &out[1]);
    return en_end_tuple(&e, out, 2);
}

static Value n_searchsorted(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x, v;
    bool right = false;

    if (!en_tensor(&e, a->v[0], &x) || !en_tensor(&e, a->v[1], &v) || !en_bool(&e, a->v[2], &right))
        return en_fail(&e);
    return en_end(&e, wf_searchsorted(e.c, x, v, right));
}

static Value n_median(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x;
    int64_t axis = -1;
    bool lower = false, keep = false;

    if (!en_tensor(&e, a->v[0], &x) || !en_int(&e, a->v[1], &axis) ||
        !en_bool(&e, a->v[2], &lower) || !en_bool(&e, a->v[3], &keep))
        return en_fail(&e);
    return en_end(&e, wf_median(e.c, x, (int)axis, lower, keep));
}

/* ---- linear algebra ---------------------------------------------------------------- */

static Value n_einsum(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    const char *spec = NULL;
    wf_tensor *x;
    int n;

    if (!en_str(&e, a->v[0], &spec) || !en_tensors(&e, a->v[1], &x, &n))
        return en_fail(&e);
    return en_end(&e, wf_einsum(e.c, spec, x, n));
}

static Value n_tensordot(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x, y;
    int p[WF_MAX_RANK], q[WF_MAX_RANK], n = 0, m = 0;

    if (!en_tensor(&e, a->v[0], &x) || !en_tensor(&e, a->v[1], &y) ||
        !en_axes(&e, a->v[2], p, &n) || !en_axes(&e, a->v[3], q, &m))
        return en_fail(&e);
    if (n != m) {
        sc_fail(vm, C_ValueError, "tensordot: %d axes of one operand, %d of the other", n, m);
        return en_fail(&e);
    }
    return en_end(&e, wf_tensordot(e.c, x, y, p, q, n));
}

static Value n_solve_triangular(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x, y;
    bool lower = false, trans = false, unit = false;

    if (!en_tensor(&e, a->v[0], &x) || !en_tensor(&e, a->v[1], &y) ||
        !en_bool(&e, a->v[2], &lower) || !en_bool(&e, a->v[3], &trans) ||
        !en_bool(&e, a->v[4], &unit))
        return en_fail(&e);
    return en_end(&e, wf_solve_triangular(e.c, x, y, lower, trans, unit));
}

/* ---- neural networks --------------------------------------------------------------- */

static Value n_linear(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x, w, b = WF_NONE;
    bool flat;

    if (!en_tensor(&e, a->v[0], &x) || !en_tensor(&e, a->v[1], &w) ||
        !en_tensor_opt(&e, a->v[2], &b))
        return en_fail(&e);
    if (e.f == &vm->engine->front[FRONT_TORCH] && wf_dtype_of(e.c, x) != wf_dtype_of(e.c, w)) {
        tfail(e.c, WF_ERR_TYPE, "linear: dtypes %s and %s differ",
              wf_dtype_name(wf_dtype_of(e.c, x)), wf_dtype_name(wf_dtype_of(e.c, w)));
        return en_fail(&e);
    }
    flat = wf_rank(e.c, x) == 2;
    e.label = !wf_is_none(b)            ? flat ? "addmm" : "view"
              : flat                    ? "mm"
              : wf_rank(e.c, x) == 1    ? "squeeze4"
                                        : "unsafe_view";
    return en_end(&e, wf_linear(e.c, x, w, b));
}

/* layer_norm(x, n, weight, bias, eps) */
static Value n_layer_norm(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x, w = WF_NONE, b = WF_NONE;
    int64_t n = 1;
    double eps = 1e-5;

    if (!en_tensor(&e, a->v[0], &x) || !en_int(&e, a->v[1], &n) ||
        !en_tensor_opt(&e, a->v[2], &w) || !en_tensor_opt(&e, a->v[3], &b) ||
        !en_float(&e, a->v[4], &eps))
        return en_fail(&e);
    return en_end(&e, wf_layer_norm(e.c, x, (int)n, w, b, eps));
}

static Value n_rms_norm(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x, w = WF_NONE;
    int64_t n = 1;
    double eps = 1e-5;

    if (!en_tensor(&e, a->v[0], &x) || !en_int(&e, a->v[1], &n) ||
        !en_tensor_opt(&e, a->v[2], &w) || !en_float(&e, a->v[3], &eps))
        return en_fail(&e);
    return en_end(&e, wf_rms_norm(e.c, x, (int)n, w, eps));
}

static Value n_group_norm(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x, w = WF_NONE, b = WF_NONE;
    int64_t n = 1;
    double eps = 1e-5;

    if (!en_tensor(&e, a->v[0], &x) || !en_int(&e, a->v[1], &n) ||
        !en_tensor_opt(&e, a->v[2], &w) || !en_tensor_opt(&e, a->v[3], &b) ||
        !en_float(&e, a->v[4], &eps))
        return en_fail(&e);
    return en_end(&e, wf_group_norm(e.c, x, n, w, b, eps));
}

/* batch_norm(x, mean, var, weight, bias, training, eps): (y, batch mean, batch variance) */
static Value n_batch_norm(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x, m = WF_NONE, v = WF_NONE, w = WF_NONE, b = WF_NONE, out[3];
    bool training = false;
    double eps = 1e-5;

    if (!en_tensor(&e, a->v[0], &x) || !en_tensor_opt(&e, a->v[1], &m) ||
        !en_tensor_opt(&e, a->v[2], &v) || !en_tensor_opt(&e, a->v[3], &w) ||
        !en_tensor_opt(&e, a->v[4], &b) || !en_bool(&e, a->v[5], &training) ||
        !en_float(&e, a->v[6], &eps))
        return en_fail(&e);
    out[1] = out[2] = WF_NONE;
    out[0] = wf_batch_norm(e.c, x, m, v, w, b, training, eps, training ? &out[1] : NULL,
                           training ? &out[2] : NULL);
    return en_end_tuple(&e, out, training ? 3 : 1);
}

static bool reduction_of(En *e, Value v, wf_reduction *out)
{
    const char *s = "mean";

    if (!en_str(e, v, &s))
        return false;
    *out = !strcmp(s, "none") ? WF_NO_REDUCTION : !strcmp(s, "sum") ? WF_SUM : WF_MEAN;
    return !strcmp(s, "none") || !strcmp(s, "sum") || !strcmp(s, "mean") ||
           sc_fail(e->vm, C_ValueError, "%s is not a valid value for reduction", s);
}

/* loss(x, y, reduction) */
static Value loss(Vm *vm, const Args *a,
                  wf_tensor (*fn)(wf_ctx *, wf_tensor, wf_tensor, wf_reduction))
{
    En e = en_begin(vm, a);
    wf_tensor x, y;
    wf_reduction how;

    if (!en_tensor(&e, a->v[0], &x) || !en_tensor(&e, a->v[1], &y) ||
        !reduction_of(&e, a->v[2], &how))
        return en_fail(&e);
    return en_end(&e, fn(e.c, x, y, how));
}
static Value n_mse_loss(Vm *vm, const Args *a) { return loss(vm, a, wf_mse_loss); }
static Value n_l1_loss(Vm *vm, const Args *a) { return loss(vm, a, wf_l1_loss); }
static Value n_bce_loss(Vm *vm, const Args *a) { return loss(vm, a, wf_bce_loss); }
static Value n_bce_with_logits(Vm *vm, const Args *a) { return loss(vm, a, wf_bce_with_logits); }
static Value n_kl_div(Vm *vm, const Args *a) { return loss(vm, a, wf_kl_div); }

static Value n_smooth_l1_loss(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x, y;
    wf_reduction how;
    double beta = 1;

    if (!en_tensor(&e, a->v[0], &x) || !en_tensor(&e, a->v[1], &y) ||
        !reduction_of(&e, a->v[2], &how) || !en_float(&e, a->v[3], &beta))
        return en_fail(&e);
    return en_end(&e, wf_smooth_l1_loss(e.c, x, y, beta, how));
}

/* cross_entropy(x, target, weight, ignore, smoothing, reduction) */
static Value n_cross_entropy(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x, y, w = WF_NONE;
    int64_t ignore = -100;
    double smoothing = 0;
    wf_reduction how;

    if (!en_tensor(&e, a->v[0], &x) || !en_tensor(&e, a->v[1], &y) ||
        !en_tensor_opt(&e, a->v[2], &w) || !en_int(&e, a->v[3], &ignore) ||
        !en_float(&e, a->v[4], &smoothing) || !reduction_of(&e, a->v[5], &how))
        return en_fail(&e);
    return en_end(&e, wf_cross_entropy(e.c, x, y, w, ignore, smoothing, how));
}

static Value n_nll_loss(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x, y, w = WF_NONE;
    int64_t ignore = -100;
    wf_reduction how;

    if (!en_tensor(&e, a->v[0], &x) || !en_tensor(&e, a->v[1], &y) ||
        !en_tensor_opt(&e, a->v[2], &w) || !en_int(&e, a->v[3], &ignore) ||
        !reduction_of(&e, a->v[4], &how))
        return en_fail(&e);
    return en_end(&e, wf_nll_loss(e.c, x, y, w, ignore, how));
}

/* n numbers, one standing for all; NULL when left out */
static bool spatial(En *e, Value v, int n, int64_t *room, const int64_t **out)
{
    int got = 0;

    *out = NULL;
    if (n < 1 || n > 3)
        return sc_fail(e->vm, C_ValueError, "1 to 3 spatial axes, not %d", n);
    if (!en_ints(e, v, room, &got, 3))
        return false;
    if (got == 0)
        return true;
    if (got != 1 && got != n)
        return sc_fail(e->vm, C_ValueError, "%d numbers were given for %d axes", got, n);
    for (int i = got; i < n; i++)
        room[i] = room[0];
    *out = room;
    return true;
}

/* conv(x, w, bias, n, stride, padding, dilation, groups) */
static Value n_conv(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x, w, b = WF_NONE;
    int64_t n = 2, groups = 1, r[3][3];
    const int64_t *stride, *padding, *dilation;

    if (!en_tensor(&e, a->v[0], &x) || !en_tensor(&e, a->v[1], &w) ||
        !en_tensor_opt(&e, a->v[2], &b) || !en_int(&e, a->v[3], &n) ||
        !spatial(&e, a->v[4], (int)n, r[0], &stride) ||
        !spatial(&e, a->v[5], (int)n, r[1], &padding) ||
        !spatial(&e, a->v[6], (int)n, r[2], &dilation) || !en_int(&e, a->v[7], &groups))
        return en_fail(&e);
    return en_end(&e, wf_conv(e.c, x, w, b, (int)n, stride, padding, dilation, groups));
}

/* conv_transpose(x, w, bias, n, stride, padding, output_padding, dilation, groups) */
static Value n_conv_transpose(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x, w, b = WF_NONE;
    int64_t n = 2, groups = 1, r[4][3];
    const int64_t *stride, *padding, *more, *dilation;

    if (!en_tensor(&e, a->v[0], &x) || !en_tensor(&e, a->v[1], &w) ||
        !en_tensor_opt(&e, a->v[2], &b) || !en_int(&e, a->v[3], &n) ||
        !spatial(&e, a->v[4], (int)n, r[0], &stride) ||
        !spatial(&e, a->v[5], (int)n, r[1], &padding) ||
        !spatial(&e, a->v[6], (int)n, r[2], &more) ||
        !spatial(&e, a->v[7], (int)n, r[3], &dilation) || !en_int(&e, a->v[8], &groups))
        return en_fail(&e);
    return en_end(&e, wf_conv_transpose(e.c, x, w, b, (int)n, stride, padding, more, dilation,
                                        groups));
}

/* max_pool(x, n, window, stride, padding, dilation) */
static Value n_max_pool(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x;
    int64_t n = 2, r[4][3];
    const int64_t *window, *stride, *padding, *dilation;

    if (!en_tensor(&e, a->v[0], &x) || !en_int(&e, a->v[1], &n) ||
        !spatial(&e, a->v[2], (int)n, r[0], &window) ||
        !spatial(&e, a->v[3], (int)n, r[1], &stride) ||
        !spatial(&e, a->v[4], (int)n, r[2], &padding) ||
        !spatial(&e, a->v[5], (int)n, r[3], &dilation))
        return en_fail(&e);
    return en_end(&e, wf_max_pool(e.c, x, (int)n, window, stride, padding, dilation));
}

/* avg_pool(x, n, window, stride, padding, count_padding) */
static Value n_avg_pool(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x;
    int64_t n = 2, r[3][3];
    const int64_t *window, *stride, *padding;
    bool count = true;

    if (!en_tensor(&e, a->v[0], &x) || !en_int(&e, a->v[1], &n) ||
        !spatial(&e, a->v[2], (int)n, r[0], &window) ||
        !spatial(&e, a->v[3], (int)n, r[1], &stride) ||
        !spatial(&e, a->v[4], (int)n, r[2], &padding) || !en_bool(&e, a->v[5], &count))
        return en_fail(&e);
    return en_end(&e, wf_avg_pool(e.c, x, (int)n, window, stride, padding, count));
}

static Value adaptive(Vm *vm, const Args *a,
                      wf_tensor (*fn)(wf_ctx *, wf_tensor, int, const int64_t *))
{
    En e = en_begin(vm, a);
    wf_tensor x;
    int64_t n = 2, r[3];
    const int64_t *sizes;

    if (!en_tensor(&e, a->v[0], &x) || !en_int(&e, a->v[1], &n) ||
        !spatial(&e, a->v[2], (int)n, r, &sizes))
        return en_fail(&e);
    return en_end(&e, fn(e.c, x, (int)n, sizes));
}
static Value n_adaptive_avg_pool(Vm *vm, const Args *a) { return adaptive(vm, a, wf_adaptive_avg_pool); }
static Value n_adaptive_max_pool(Vm *vm, const Args *a) { return adaptive(vm, a, wf_adaptive_max_pool); }

static Value n_dropout(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x, m;
    double p = 0.5;

    if (!en_tensor(&e, a->v[0], &x) || !en_tensor(&e, a->v[1], &m) || !en_float(&e, a->v[2], &p))
        return en_fail(&e);
    return en_end(&e, wf_dropout(e.c, x, m, p));
}

/* attention(q, k, v, mask, causal, scale): scale 0 is 1/sqrt(size) */
static Value n_attention(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor q, k, v, m = WF_NONE;
    bool causal = false;
    double scale = 0;

    if (!en_tensor(&e, a->v[0], &q) || !en_tensor(&e, a->v[1], &k) ||
        !en_tensor(&e, a->v[2], &v) || !en_tensor_opt(&e, a->v[3], &m) ||
        !en_bool(&e, a->v[4], &causal) || !en_float(&e, a->v[5], &scale))
        return en_fail(&e);
    return en_end(&e, wf_attention(e.c, q, k, v, m, causal, scale));
}

/* ---- writing, histories ------------------------------------------------------------ */

static Value n_write(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x, v;

    if (!en_tensor(&e, a->v[0], &x) || !en_tensor(&e, a->v[1], &v))
        return en_fail(&e);
    wf_write(e.c, x, v);
    return en_end_value(&e, sc_ref(a->v[0]));
}

static Value n_requires_grad(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    bool on = true;
    wf_tensor x;

    if (!en_tensor(&e, a->v[0], &x) || !en_bool(&e, a->v[1], &on))
        return en_fail(&e);
    wf_requires_grad(e.c, x, on);
    return en_end_value(&e, sc_ref(a->v[0]));
}

static Value n_grad_of(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x, g;

    if (!en_tensor(&e, a->v[0], &x))
        return en_fail(&e);
    g = wf_grad_of(e.c, x);
    return wf_is_none(g) ? en_end_value(&e, NONE) : en_end(&e, g);
}

static Value n_set_grad(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x, g = WF_NONE;

    if (!en_tensor(&e, a->v[0], &x) || !en_tensor_opt(&e, a->v[1], &g))
        return en_fail(&e);
    wf_set_grad(e.c, x, g);
    return en_end_value(&e, NONE);
}

/* backward(y, gy=None, keep=False, create=False) */
static Value n_backward(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor y, gy = WF_NONE;
    bool keep = false, create = false;

    if (!en_tensor(&e, a->v[0], &y) || !en_tensor_opt(&e, a->v[1], &gy) ||
        !en_bool(&e, a->v[2], &keep) || !en_bool(&e, a->v[3], &create))
        return en_fail(&e);
    wf_backward(e.c, y, gy, (keep ? WF_GRAD_KEEP : 0u) | (create ? WF_GRAD_CREATE : 0u));
    return en_end_value(&e, NONE);
}

/* What a question about a tensor gives: has_history, is_leaf, is_symbolic, is_weak, version ... */
static Value n_about(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    const char *what = "";
    wf_tensor x;
    Tensor *t;
    Value v = NONE;

    if (!en_tensor(&e, a->v[0], &x) || !en_str(&e, a->v[1], &what))
        return en_fail(&e);
    if (!strcmp(what, "requires_grad"))
        v = v_bool(wf_has_grad_history(e.c, x));
    else if (!strcmp(what, "leaf"))
        v = v_bool(wf_is_leaf(e.c, x));
    else if (!strcmp(what, "symbolic"))
        v = v_bool(wf_is_symbolic(e.c, x));
    else if (!strcmp(what, "weak"))
        v = v_bool(wf_is_weak(e.c, x));
    else if (!strcmp(what, "version"))
        v = v_int(wf_version(e.c, x));
    else if (!strcmp(what, "op") && (t = tensor_get(e.c, x, "about")) != NULL)
        v = v_obj(sc_str(vm, t->node && t->node->label ? t->node->label
                                                       : wf_history_op(e.c, x)));
    else if (!strcmp(what, "need") && (t = tensor_get(e.c, x, "about")) != NULL)
        v = v_int((int64_t)t->need);
    else if (!strcmp(what, "packed") && (t = tensor_get(e.c, x, "about")) != NULL)
        v = v_bool(t->symbolic || t->packed);
    else if (!strcmp(what, "offset") && (t = tensor_get(e.c, x, "about")) != NULL)
        v = v_int(t->symbolic ? 0 : t->offset);
    else if (!strcmp(what, "address") && (t = tensor_get(e.c, x, "about")) != NULL)
        v = v_int(t->symbolic ? 0 : (int64_t)(uintptr_t)tensor_data(t));
    else if (!strcmp(what, "view") && (t = tensor_get(e.c, x, "about")) != NULL)
        v = v_bool(t->root || t->base);
    else if (!strcmp(what, "count"))
        v = v_int(wf_count(e.c, x));
    else
        sc_fail(vm, C_ValueError, "about: '%s' is not a question", what);
    return v.tag == T_NIL || sc_failed(vm) ? en_fail(&e) : en_end_value(&e, v);
}

/* strides(x): a tuple, in elements */
static Value n_strides(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x;
    Tensor *t;
    Tuple *r = NULL;
    int64_t step = 1;

    if (en_tensor(&e, a->v[0], &x) && (t = tensor_get(e.c, x, "strides")) != NULL &&
        (r = sc_tuple(vm, t->rank)) != NULL)
        for (int i = t->rank; i-- > 0;) {
            r->v[i] = v_int(t->symbolic ? step : t->strides[i]);
            step *= t->dims[i] > 0 ? t->dims[i] : 1;
        }
    return r ? en_end_value(&e, v_obj(r)) : en_fail(&e);
}

/* label(x, name): what the last step of x's history is called */
static Value n_label(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    const char *name = NULL;
    wf_tensor x;
    Tensor *t;

    if (!en_tensor(&e, a->v[0], &x) || !en_str(&e, a->v[1], &name) ||
        !(t = tensor_get(e.c, x, "label")))
        return en_fail(&e);
    if (name && t->node && t->node->prim && !(name = sc_vm_intern(vm, name, strlen(name))))
        return en_fail(&e);
    if (t->node && t->node->prim)
        t->node->label = name;
    return en_end_value(&e, sc_ref(a->v[0]));
}

/* same(x, y): are they one tensor, whatever objects hold it? */
static Value n_same(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x, y;

    if (!en_tensor(&e, a->v[0], &x) || !en_tensor(&e, a->v[1], &y))
        return en_fail(&e);
    return en_end_value(&e, v_bool(tensor_get(e.c, x, "same") == tensor_get(e.c, y, "same")));
}

/* set_data(x, y): x holds the memory of y from now on; its gradient and history stay */
static Value n_set_data(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x, y;

    if (!en_tensor(&e, a->v[0], &x) || !en_tensor(&e, a->v[1], &y))
        return en_fail(&e);
    tensor_set_data(e.c, x, y);
    return en_end_value(&e, NONE);
}

/* set_error(fn): fn(text) gives an error as the library words it, or an exception */
static Value n_set_error(Vm *vm, const Args *a)
{
    Front *f = a->user;

    sc_put(vm, &f->error_text, sc_ref(a->v[0]));
    return NONE;
}

static Value n_set_weak(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x;
    bool weak = true;

    if (!en_tensor(&e, a->v[0], &x) || !en_bool(&e, a->v[1], &weak))
        return en_fail(&e);
    return en_end(&e, wf_set_weak(e.c, x, weak));
}

static Value n_shares_memory(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x, y;

    if (!en_tensor(&e, a->v[0], &x) || !en_tensor(&e, a->v[1], &y))
        return en_fail(&e);
    return en_end_value(&e, v_bool(wf_shares_memory(e.c, x, y)));
}

static Value n_no_grad(Vm *vm, const Args *a)
{
    bool on = true;

    if (!sc_to_bool(vm, a->v[0], &on))
        return NIL;
    if (on)
        wf_no_grad_begin(vm->cx);
    else
        wf_no_grad_end(vm->cx);
    return NONE;
}

/* wrap(x): the same tensor in this front's class, sharing memory and history */
static Value n_wrap(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x;

    return en_tensor(&e, a->v[0], &x) ? en_end(&e, x) : en_fail(&e);
}

/* set_class(cls): results of this front are of this class, a subclass of Tensor */
static Value n_set_class(Vm *vm, const Args *a)
{
    Front *f = a->user;
    Class *c = (Class *)(void *)a->v[0].o;

    if (a->v[0].tag != T_OBJ || a->v[0].o->cls != vm->cls[C_type] ||
        !sc_is_subclass(c, f->engine->tensor))
        return sc_raise(vm, C_TypeError, "set_class: needs a subclass of Tensor");
    obj_drop(vm, f->cls);
    f->cls = gc_ref(c);
    return NONE;
}

static Value n_set_shape_class(Vm *vm, const Args *a)
{
    Front *f = a->user;

    if (a->v[0].tag != T_OBJ || a->v[0].o->cls != vm->cls[C_type])
        return sc_raise(vm, C_TypeError, "set_shape_class: needs a class");
    if (f->shape_cls)
        obj_drop(vm, f->shape_cls);
    f->shape_cls = gc_ref((Class *)(void *)a->v[0].o);
    return NONE;
}

/* set_scalar_class(dtype, cls): results of rank 0 and that dtype are of this class */
static Value n_set_scalar_class(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_dtype d = WF_INVALID;
    Class *c = (Class *)(void *)a->v[1].o;

    if (!en_dtype(&e, a->v[0], &d))
        return en_fail(&e);
    if (a->v[1].tag != T_OBJ || a->v[1].o->cls != vm->cls[C_type] ||
        !sc_is_subclass(c, e.f->engine->tensor)) {
        sc_fail(vm, C_TypeError, "set_scalar_class: needs a subclass of Tensor");
        return en_fail(&e);
    }
    if (e.f->scalar_cls[d])
        obj_drop(vm, e.f->scalar_cls[d]);
    e.f->scalar_cls[d] = gc_ref(c);
    return en_end_value(&e, NONE);
}

/* array(x): x in the front's own class, also of rank 0 */
static Value n_array(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x;

    if (!en_tensor(&e, a->v[0], &x))
        return en_fail(&e);
    return en_end_value(&e, en_box_as(&e, x, e.f->cls));
}

/* method(fn): a native that binds self when it is found in a class */
static Value n_method(Vm *vm, const Args *a)
{
    Front *f = a->user;
    Native *n = (Native *)(void *)a->v[0].o, *m;

    if (a->v[0].tag != T_OBJ || !sc_is(vm, a->v[0], C_builtin_function_or_method))
        return sc_raise(vm, C_TypeError, "method: needs a native function");
    m = sc_native_fn(vm, n->def, NIL, n->user);
    if (m)
        m->owner = f->engine->tensor;
    return v_obj(m);
}

/* set_float(dtype): the dtype of host floats; set_narrow(False): 64-bit types stay */
static Value n_set_float(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_dtype d = e.f->float_dtype;

    if (!en_dtype(&e, a->v[0], &d))
        return en_fail(&e);
    e.f->float_dtype = d;
    return en_end_value(&e, NONE);
}

static Value n_set_narrow(Vm *vm, const Args *a)
{
    Front *f = a->user;
    bool on;

    if (!sc_to_bool(vm, a->v[0], &on))
        return NIL;
    f->narrow = on;
    f->float_dtype = on ? WF_F32 : WF_F64;
    f->int_dtype = on ? WF_I32 : WF_I64;
    return NONE;
}

#define ROW(name) {#name, n_##name, "x|$out"},
#define ROW2(name) {#name, n_##name, "x,y|$out"},
#define ROWR(name) {#name, n_##name, "x|axis,keep"},
const NativeDef engine_functions[] = {
    UNARY_ROWS(ROW) STEP_ROWS(ROW) BINARY_ROWS(ROW2) REDUCE_ROWS(ROWR)
    {"where", n_where, "cond,x,y"},
    {"clip", n_clip, "x|lo,hi"},
    {"cast", n_cast, "x,dtype"},
    {"bitcast", n_bitcast, "x,dtype"},
    {"is_close", n_is_close, "x,y|rtol,atol"},
    {"softplus", n_softplus, "x|beta"},
    {"elu", n_elu, "x|alpha"},
    {"leaky_relu", n_leaky_relu, "x|slope"},
    {"gelu", n_gelu, "x|tanh"},
    {"full_like", n_full_like, "x,value"},
    {"masked_fill", n_masked_fill, "x,mask,value"},
    {"softmax", n_softmax, "x|axis"},
    {"log_softmax", n_log_softmax, "x|axis"},
    {"cumsum", n_cumsum, "x|axis,reverse"},
    {"cumprod", n_cumprod, "x|axis"},
    {"cummax", n_cummax, "x|axis"},
    {"cummin", n_cummin, "x|axis"},
    {"argmax", n_argmax, "x|axis,keep"},
    {"argmin", n_argmin, "x|axis,keep"},
    {"var", n_var, "x|axis,correction,keep"},
    {"std", n_std, "x|axis,correction,keep"},
    {"norm", n_norm, "x|p,axis,keep"},
    {"count_nonzero", n_count_nonzero, "x|axis"},
    {"reshape", n_reshape, "x,shape"},
    {"broadcast_to", n_broadcast_to, "x,shape"},
    {"permute", n_permute, "x|axes"},
    {"swap_axes", n_swap_axes, "x,a,b"},
    {"move_axis", n_move_axis, "x,source,to"},
    {"flatten", n_flatten, "x,first,last"},
    {"expand_dims", n_expand_dims, "x,axis"},
    {"squeeze", n_squeeze, "x|axis"},
    {"flip", n_flip, "x|axis"},
    {"concat", n_concat, "xs|axis"},
    {"stack", n_stack, "xs|axis"},
    {"split", n_split, "x,sizes|axis"},
    {"narrow", n_narrow, "x,axis,start,length"},
    {"tile", n_tile, "x,reps"},
    {"repeat", n_repeat, "x,n|axis"},
    {"roll", n_roll, "x,shift|axis"},
    {"pad", n_pad, "x,lo,hi|value"},
    {"tril", n_tril, "x|k"},
    {"triu", n_triu, "x|k"},
    {"diagonal", n_diagonal, "x|k"},
    {"diag", n_diag, "x|k"},
    {"take", n_take, "x,index|axis"},
    {"take_along", n_take_along, "x,index|axis"},
    {"put_along", n_put_along, "x,index,v|axis"},
    {"add_along", n_add_along, "x,index,v|axis"},
    {"index_get", n_index_get, "x,key"},
    {"index_set", n_index_set, "x,key,v"},
    {"index_add", n_index_add, "x,key,v"},
    {"one_hot", n_one_hot, "index,classes|dtype"},
    {"sort", n_sort, "x|axis,descending"},
    {"top_k", n_top_k, "x,k|axis,largest"},
    {"searchsorted", n_searchsorted, "sorted,v|right"},
    {"median", n_median, "x|axis,lower,keep"},
    {"einsum", n_einsum, "spec,xs"},
    {"tensordot", n_tensordot, "x,y,x_axes,y_axes"},
    {"solve_triangular", n_solve_triangular, "a,b|lower,trans,unit"},
    {"linear", n_linear, "x,w|bias"},
    {"layer_norm", n_layer_norm, "x,n|weight,bias,eps"},
    {"rms_norm", n_rms_norm, "x,n|weight,eps"},
    {"group_norm", n_group_norm, "x,groups|weight,bias,eps"},
    {"batch_norm", n_batch_norm, "x|mean,var,weight,bias,training,eps"},
    {"mse_loss", n_mse_loss, "x,y|reduction"},
    {"l1_loss", n_l1_loss, "x,y|reduction"},
    {"smooth_l1_loss", n_smooth_l1_loss, "x,y|reduction,beta"},
    {"bce_loss", n_bce_loss, "x,y|reduction"},
    {"bce_with_logits", n_bce_with_logits, "x,y|reduction"},
    {"kl_div", n_kl_div, "x,y|reduction"},
    {"cross_entropy", n_cross_entropy, "x,target|weight,ignore,smoothing,reduction"},
    {"nll_loss", n_nll_loss, "x,target|weight,ignore,reduction"},
    {"conv", n_conv, "x,w|bias,n,stride,padding,dilation,groups"},
    {"conv_transpose", n_conv_transpose,
     "x,w|bias,n,stride,padding,output_padding,dilation,groups"},
    {"max_pool", n_max_pool, "x,n,window|stride,padding,dilation"},
    {"avg_pool", n_avg_pool, "x,n,window|stride,padding,count_padding"},
    {"adaptive_avg_pool", n_adaptive_avg_pool, "x,n,sizes"},
    {"adaptive_max_pool", n_adaptive_max_pool, "x,n,sizes"},
    {"dropout", n_dropout, "x,mask|p"},
    {"attention", n_attention, "q,k,v|mask,causal,scale"},
    {"write", n_write, "x,v"},
    {"requires_grad", n_requires_grad, "x|on"},
    {"grad_of", n_grad_of, "x"},
    {"set_grad", n_set_grad, "x|grad"},
    {"backward", n_backward, "y|gy,keep,create"},
    {"about", n_about, "x,what"},
    {"strides", n_strides, "x"},
    {"label", n_label, "x,name"},
    {"same", n_same, "x,y"},
    {"set_data", n_set_data, "x,y"},
    {"set_error", n_set_error, "fn"},
    {"set_weak", n_set_weak, "x|weak"},
    {"shares_memory", n_shares_memory, "x,y"},
    {"no_grad", n_no_grad, "on"},
    {"wrap", n_wrap, "x"},
    {"set_class", n_set_class, "cls"},
    {"set_shape_class", n_set_shape_class, "cls"},
    {"set_scalar_class", n_set_scalar_class, "dtype,cls"},
    {"array", n_array, "x"},
    {"method", n_method, "fn"},
    {"set_float", n_set_float, "dtype"},
    {"set_narrow", n_set_narrow, "on"},
    {0},
};
