/* functions.c -- natives that are one tensor function each. Their parameter names are the
 * engine's own; the libraries' names and defaults are in namespaces/. */
#include "script/engine/engine.h"

/* ---- families ---------------------------------------------------------------------- */

typedef wf_tensor (*Fn1)(wf_ctx *, wf_tensor);
typedef wf_tensor (*Fn2)(wf_ctx *, wf_tensor, wf_tensor);
typedef wf_tensor (*FnReduce)(wf_ctx *, wf_tensor, const int *, int, bool);

/* PyTorch's `out` takes the shape of the result. */
static void fit_out(En *e, wf_tensor t, wf_tensor out)
{
    Shape s, o;

    if (e->f != &e->vm->engine->front[FRONT_TORCH] || !shape_of(e->c, t, "out", &s) || !shape_of(e->c, out, "out", &o) ||
        tensor_get(e->c, out, "out")->symbolic || (s.rank == o.rank && !memcmp(s.d, o.d, s.rank * sizeof *s.d)))
        return;
    tensor_set_data(e->c, out, wf_zeros(e->c, wf_dtype_of(e->c, out), s.d, (int)s.rank));
}

/* PyTorch gives what has a history to no `out`. */
static bool out_may_take(En *e, wf_tensor t)
{
    const Tensor *x = tensor_get(e->c, t, "out");

    if (!x || e->f != &e->vm->engine->front[FRONT_TORCH] || x->symbolic || !(x->need & 1))
        return true;
    return sc_fail(e->vm, C_RuntimeError, "%s%sfunctions with out=... arguments don't support automatic differentiation, but one of the arguments requires grad.",
                   e->label && strcmp(e->label, "put") ? e->label : "", e->label && strcmp(e->label, "put") ? "(): " : "");
}

/* out=y: the result is written into y, which is given back. */
static Value end_out(En *e, wf_tensor t, Value out)
{
    if (out.tag == T_NIL || out.tag == T_NONE)
        return en_end(e, t);
    if (!is_tensor(e->vm, out)) {
        sc_fail(e->vm, C_TypeError, "out must be a tensor, got %s", sc_type_name(e->vm, out));
        return en_fail(e);
    }
    if (!out_may_take(e, t))
        return en_fail(e);
    fit_out(e, t, as_tensor(out)->t);
    wf_write(e->c, as_tensor(out)->t, t);
    return en_end_value(e, sc_ref(out));
}

/* put(out, x): what a function with out= gives */
static Value n_put(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x;

    if (!en_tensor(&e, a->v[1], &x))
        return en_fail(&e);
    return end_out(&e, x, a->v[0]);
}

/* The float in which NumPy computes with small integers; that of x elsewhere. */
static wf_dtype small_float(const En *e, wf_tensor x)
{
    wf_dtype d = wf_dtype_of(e->c, x);

    if (e->f != &e->vm->engine->front[FRONT_NUMPY] || (d != WF_BOOL && !dtype_is_int(d)) ||
        wf_is_weak(e->c, x) || wf_dtype_size(d) > 2)
        return d;
    return wf_dtype_size(d) == 1 ? WF_F16 : WF_F32;
}

static wf_tensor as_small_float(const En *e, wf_tensor x)
{
    wf_dtype d = small_float(e, x);

    return d == wf_dtype_of(e->c, x) ? x : wf_cast(e->c, x, d); /* a cast would end that it is weak */
}

static Value unary(Vm *vm, const Args *a, Fn1 fn)
{
    En e = en_begin(vm, a);
    wf_tensor x, y;
    wf_dtype d;

    if (!en_tensor(&e, a->v[0], &x))
        return en_fail(&e);
    y = fn(e.c, x);
    d = small_float(&e, x);
    if (d != wf_dtype_of(e.c, x) && wf_dtype_of(e.c, y) == WF_F64)
        y = wf_cast(e.c, y, d);
    return end_out(&e, y, a->v[1]);
}

static Value binary(Vm *vm, const Args *a, Fn2 fn)
{
    En e = en_begin(vm, a);
    wf_tensor x, y, r;

    if (!en_tensor(&e, a->v[0], &x) || !en_tensor(&e, a->v[1], &y))
        return en_fail(&e);
    if (fn == wf_atan2 || fn == wf_hypot || fn == wf_logaddexp) {
        x = as_small_float(&e, x);
        y = as_small_float(&e, y);
    }
    if (is_tensor(vm, a->v[2]) && !(en_apart(&e, as_tensor(a->v[2])->t, x) && en_apart(&e, as_tensor(a->v[2])->t, y)))
        return en_fail(&e);
    r = fn(e.c, x, y);
    if (fn == wf_matmul && !failed(e.c))
        e.label = en_matmul_label(&e, x, y);
    return end_out(&e, r, a->v[2]);
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
    if (n == 1 && wf_rank(e.c, x) == 0 && (axes[0] == 0 || axes[0] == -1) &&
        e.f == &vm->engine->front[FRONT_TORCH])
        n = 0; /* a number has this one axis */
    return en_end(&e, fn(e.c, x, n < 0 ? NULL : axes, n < 0 ? 0 : n, keep));
}

#define UNARY_ROWS(X)                                                                    \
    X(neg)                                                                               \
    X(abs) X(positive) X(square) X(reciprocal) X(exp) X(exp2) X(expm1) X(log) X(log2)    \
        X(log10) X(log1p) X(sin) X(cos) X(tan) X(asin) X(acos) X(atan) X(sinh) X(cosh)   \
            X(tanh) X(asinh) X(acosh) X(atanh) X(erf) X(erfc) X(erf_inv) X(sqrt)         \
                X(rsqrt) X(sigmoid) X(frac) X(is_finite) X(is_nan) X(is_inf)             \
                    X(logical_not) X(bitwise_not) X(stop_gradient) X(deg2rad) X(rad2deg) \
                        X(relu) X(log_sigmoid) X(detach) X(copy) X(zeros_like)   \
                            X(real) X(imag) X(conj) X(angle)                             \
                            X(ones_like) X(nonzero) X(diagonal_sum) X(cholesky) X(inv)   \
                                X(det)
#define BINARY_ROWS(X)                                                                   \
    X(add) X(sub) X(mul) X(div) X(floor_div) X(remainder) X(fmod) X(pow) X(atan2)        \
    X(maximum) X(minimum) X(hypot) X(logaddexp) X(eq) X(ne) X(lt) X(le) X(gt) X(ge)      \
    X(logical_and) X(logical_or) X(logical_xor) X(bitwise_and) X(bitwise_or)             \
    X(bitwise_xor) X(shift_left) X(shift_right) X(matmul) X(outer) X(solve)              \
    X(masked_select) X(embedding) X(complex) X(polar)
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
    for (int i = 1; i < 3 && e.f == &vm->engine->front[FRONT_TORCH]; i++) /* a number takes the dtype of the tensor beside it */
        if (a->v[i].tag == T_INT && is_tensor(vm, a->v[3 - i]) && !en_check_fits(&e, wf_dtype_of(e.c, x[3 - i]), a->v[i].i, true))
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
    /* PyTorch and NumPy keep the low bits of a float that a small integer does not hold */
    if (dtype_is_int(d) && wf_dtype_size(d) < 4 && dtype_is_float(wf_dtype_of(e.c, x)) &&
        (e.f == &vm->engine->front[FRONT_TORCH] || e.f == &vm->engine->front[FRONT_NUMPY]))
        x = wf_cast(e.c, x, WF_I64);
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

static Value n_masked_fill(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x, m;
    double v = 0;

    if (!en_tensor(&e, a->v[0], &x) || !en_tensor(&e, a->v[1], &m))
        return en_fail(&e);
    if (a->v[2].tag == T_INT && dtype_is_int(wf_dtype_of(e.c, x))) { /* whole: a double does not hold all of them */
        if (!en_check_fits(&e, wf_dtype_of(e.c, x), a->v[2].i, true))
            return en_fail(&e);
        return en_end(&e, wf_where(e.c, m, wf_cast(e.c, wf_int(e.c, a->v[2].i), wf_dtype_of(e.c, x)), x));
    }
    if (!en_float(&e, a->v[2], &v))
        return en_fail(&e);
    return en_end(&e, wf_masked_fill(e.c, x, m, v));
}

/* fft(x, kind, axes, lengths=None, norm=0): kind and norm by number, as weft_tensor.h has them */
static Value n_fft(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x;
    int64_t kind = 0, norm = 0, lengths[WF_MAX_RANK];
    int axes[WF_MAX_RANK], n = 0, m = -1;

    if (!en_tensor(&e, a->v[0], &x) || !en_int(&e, a->v[1], &kind) ||
        !en_axes(&e, a->v[2], axes, &n) || !en_int(&e, a->v[4], &norm) ||
        (a->v[3].tag != T_NIL && a->v[3].tag != T_NONE && !en_shape(&e, a->v[3], lengths, &m)))
        return en_fail(&e);
    if (m >= 0 && m != n) {
        sc_fail(vm, C_ValueError, "Shape and axes have different lengths.");
        return en_fail(&e);
    }
    return en_end(&e, wf_fft(e.c, x, (wf_fft_kind)kind, axes, m < 0 ? NULL : lengths, n,
                             (wf_fft_norm)norm));
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

static void softmax(wf_ctx *c, const wf_tensor *in, const void *axis, wf_tensor *out)
{
    *out = wf_softmax(c, in[0], (int)*(const int64_t *)axis);
}
static void log_softmax(wf_ctx *c, const wf_tensor *in, const void *axis, wf_tensor *out)
{
    *out = wf_log_softmax(c, in[0], (int)*(const int64_t *)axis);
}

static Value soft(Vm *vm, const Args *a, ComposedCall fn)
{
    En e = en_begin(vm, a);
    wf_tensor x;
    int64_t axis = -1;

    if (!en_tensor(&e, a->v[0], &x) || !en_int(&e, a->v[1], &axis))
        return en_fail(&e);
    return en_end_composed(&e, fn, &x, 1, &axis, sizeof axis);
}
static Value n_softmax(Vm *vm, const Args *a) { return soft(vm, a, softmax); }
static Value n_log_softmax(Vm *vm, const Args *a) { return soft(vm, a, log_softmax); }

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
    if (n == 1 && wf_rank(e.c, x) == 0 && (axes[0] == 0 || axes[0] == -1))
        n = -1; /* PyTorch takes numbers for vectors of one */
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

#define ROW(name) {#name, n_##name, "x|$out"},
#define ROW2(name) {#name, n_##name, "x,y|$out"},
#define ROWR(name) {#name, n_##name, "x|axis,keep"},
const NativeDef engine_functions[] = {
    UNARY_ROWS(ROW) STEP_ROWS(ROW) BINARY_ROWS(ROW2) REDUCE_ROWS(ROWR)
    {"where", n_where, "cond,x,y"},
    {"clip", n_clip, "x|lo,hi"},
    {"cast", n_cast, "x,dtype"},
    {"bitcast", n_bitcast, "x,dtype"},
    {"put", n_put, "out,x"},
    {"is_close", n_is_close, "x,y|rtol,atol"},
    {"softplus", n_softplus, "x|beta"},
    {"elu", n_elu, "x|alpha"},
    {"leaky_relu", n_leaky_relu, "x|slope"},
    {"full_like", n_full_like, "x,value"},
    {"masked_fill", n_masked_fill, "x,mask,value"},
    {"softmax", n_softmax, "x|axis"},
    {"log_softmax", n_log_softmax, "x|axis"},
    {"fft", n_fft, "x,kind,axes|lengths,norm"},
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
    {"expand_dims", n_expand_dims, "x,axis"},
    {"tril", n_tril, "x|k"},
    {"triu", n_triu, "x|k"},
    {"diagonal", n_diagonal, "x|k"},
    {"diag", n_diag, "x|k"},
    {0},
};
