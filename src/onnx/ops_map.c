/* ops_map.c -- elementwise ops, casts, activations. */
#include "onnx/ops.h"

OX_RULE(map1)
{
    wf_tensor x = ox_in(r, 0), y = op->map1(r->c, x);

    return ox_put(r, 0, y);
}

/* Before opset 7 the second operand was stretched only on request, from a given axis on. */
static wf_tensor old_broadcast(OxRun *r, wf_tensor x, wf_tensor y)
{
    int rank = wf_rank(r->c, x), ry = wf_rank(r->c, y), at;
    int64_t dims[WF_MAX_RANK];

    if (ox_opset(r) >= 7 || !ox_attr(r, "axis") || ry > rank)
        return y;
    at = (int)ox_int(r, "axis", 0);
    at = at < 0 ? at + rank : at;
    if (at < 0 || at + ry > rank || rank > WF_MAX_RANK)
        return ox_fail(r, WF_ERR_VALUE, "axis %d of a tensor of rank %d", at, rank), WF_NONE;
    wf_shape(r->c, y, dims, wf_rank(r->c, y));
    for (int i = ry; i < rank - at; i++)
        dims[i] = 1;
    return wf_reshape(r->c, y, dims, rank - at);
}

/* The operands of a node, ready to meet. */
static bool operands(OxRun *r, wf_tensor v[2])
{
    v[0] = ox_in(r, 0);
    v[1] = old_broadcast(r, v[0], ox_in(r, 1));
    ox_agree(r, v, 2, 0);
    return ox_ok(r);
}

OX_RULE(map2)
{
    wf_tensor v[2];

    return operands(r, v) && ox_put(r, 0, op->map2(r->c, v[0], v[1]));
}

static bool is_float(OxRun *r, wf_tensor x) { return wf_dtype_is_float(wf_dtype_of(r->c, x)); }

OX_RULE(div)
{
    wf_tensor v[2];

    (void)op;
    return operands(r, v) && ox_put(r, 0, is_float(r, v[0]) ? wf_div(r->c, v[0], v[1]) : ox_trunc_div(r->c, v[0], v[1]));
}

OX_RULE(mod)
{
    wf_tensor v[2];

    (void)op;
    return operands(r, v) && ox_put(r, 0, (ox_int(r, "fmod", 0) ? wf_fmod : wf_remainder)(r->c, v[0], v[1]));
}

/* The result has the type of the base. */
OX_RULE(pow)
{
    wf_tensor v[2], x, y;
    wf_dtype dtype;
    bool fx, fy;

    (void)op;
    if (!operands(r, v))
        return false;
    x = v[0], y = v[1], dtype = wf_dtype_of(r->c, x);
    fx = is_float(r, x), fy = is_float(r, y);
    if (!fx && fy)
        x = wf_cast(r->c, x, WF_F64);
    if (fx != fy || wf_dtype_of(r->c, x) != wf_dtype_of(r->c, y))
        y = wf_cast(r->c, y, wf_dtype_of(r->c, x));
    return ox_put(r, 0, wf_cast(r->c, wf_pow(r->c, x, y), dtype));
}

OX_RULE(variadic)
{
    static wf_tensor (*const fns[])(wf_ctx *, wf_tensor, wf_tensor) = {wf_maximum, wf_minimum, wf_add, wf_add};
    size_t n = ox_nin(r);
    wf_tensor y = ox_in(r, 0);

    for (size_t i = 1; i < n && ox_ok(r); i++) {
        wf_tensor v[2] = {y, ox_in(r, i)};

        ox_agree(r, v, 2, 0);
        y = fns[op->arg](r->c, v[0], v[1]);
    }
    if (op->arg == 3)
        y = wf_div(r->c, y, ox_like(r, (double)n, y));
    return ox_put(r, 0, y);
}

OX_RULE(clip)
{
    wf_tensor x = ox_in(r, 0), lo = WF_NONE, hi = WF_NONE;

    (void)op;
    if (ox_opset(r) < 11) {
        if (ox_attr(r, "min"))
            lo = ox_like(r, ox_float(r, "min", 0), x);
        if (ox_attr(r, "max"))
            hi = ox_like(r, ox_float(r, "max", 0), x);
    } else {
        lo = ox_opt(r, 1);
        hi = ox_opt(r, 2);
    }
    if (!wf_is_none(lo))
        x = wf_maximum(r->c, x, lo);
    if (!wf_is_none(hi))
        x = wf_minimum(r->c, x, hi);
    return ox_put(r, 0, x);
}

OX_RULE(where)
{
    wf_tensor v[3] = {ox_in(r, 1), ox_in(r, 0), ox_in(r, 2)};

    (void)op;
    ox_agree(r, v, 3, 0);
    ox_agree(r, v + 1, 2, 0);
    return ox_put(r, 0, wf_where(r->c, v[1], v[0], v[2]));
}

OX_RULE(identity)
{
    (void)op;
    return ox_put_value(r, 0, *ox_value(r, 0));
}

OX_RULE(shift)
{
    wf_tensor x = ox_in(r, 0), y = ox_in(r, 1);

    (void)op;
    return ox_put(r, 0, ox_text_is(r, "direction", "", "LEFT") ? wf_shift_left(r->c, x, y) : wf_shift_right(r->c, x, y));
}

OX_RULE(prelu)
{
    wf_tensor x = ox_in(r, 0), s = ox_in(r, 1);
    int rank = wf_rank(r->c, x);
    int64_t dims[WF_MAX_RANK];
    wf_tensor product;

    (void)op;
    if (ox_opset(r) < 7 && wf_rank(r->c, s) == 1 && rank > 2) { /* one slope a channel */
        dims[0] = wf_size(r->c, s, 0);
        for (int i = 1; i < rank - 1; i++)
            dims[i] = 1;
        s = wf_reshape(r->c, s, dims, rank - 1);
    }
    product = wf_mul(r->c, s, x);
    return ox_put(r, 0, wf_where(r->c, wf_lt(r->c, x, ox_like(r, 0, x)), product, x));
}

OX_RULE(is_inf)
{
    wf_tensor x = ox_in(r, 0), y = wf_is_inf(r->c, x), zero = ox_like(r, 0, x);

    (void)op;
    if (!ox_int(r, "detect_positive", 1))
        y = wf_logical_and(r->c, y, wf_lt(r->c, x, zero));
    if (!ox_int(r, "detect_negative", 1))
        y = wf_logical_and(r->c, y, wf_gt(r->c, x, zero));
    return ox_put(r, 0, y);
}

/* ---- activations ----------------------------------------------------------------------------- */

static wf_tensor hard_sigmoid(OxRun *r, wf_tensor x, double a, double b)
{
    wf_tensor y = wf_add(r->c, wf_mul(r->c, x, ox_like(r, a, x)), ox_like(r, b, x));

    return wf_maximum(r->c, ox_like(r, 0, x), wf_minimum(r->c, ox_like(r, 1, x), y));
}

/* alpha (exp(x / beta) - 1) below 0, gamma x above */
static wf_tensor elu(OxRun *r, wf_tensor x, double alpha, double beta, double gamma)
{
    wf_tensor zero = ox_like(r, 0, x), low = wf_minimum(r->c, x, zero),
              e = wf_expm1(r->c, beta == 1 ? low : wf_div(r->c, low, ox_like(r, beta, x)));
    wf_tensor product = wf_mul(r->c, e, ox_like(r, alpha, x));
    wf_tensor scaled = gamma == 1 ? x : wf_mul(r->c, x, ox_like(r, gamma, x));

    return wf_where(r->c, wf_gt(r->c, x, zero), scaled, product);
}

static wf_tensor scaled(OxRun *r, wf_tensor x, double a) { return wf_mul(r->c, x, ox_like(r, a, x)); }

static wf_tensor shrink(OxRun *r, wf_tensor x)
{
    double lambd = ox_float(r, "lambd", 0.5), bias = ox_float(r, "bias", 0);
    wf_dtype dtype = wf_dtype_of(r->c, x);
    wf_tensor v = is_float(r, x) ? x : wf_cast(r->c, x, WF_F32), zero = ox_like(r, 0, v);
    wf_tensor difference = wf_sub(r->c, v, ox_like(r, bias, v));
    wf_tensor chosen = wf_where(r->c, wf_gt(r->c, v, ox_like(r, lambd, v)), difference, zero);
    wf_tensor sum = wf_add(r->c, v, ox_like(r, bias, v));
    wf_tensor y = wf_where(r->c, wf_lt(r->c, v, ox_like(r, -lambd, v)), sum, chosen);

    return wf_cast(r->c, y, dtype);
}

/* By name; alpha and beta NAN: the op's standard. */
wf_tensor ox_map_activation(OxRun *r, const char *name, wf_tensor x, double a, double b)
{
    wf_ctx *c = r->c;
    wf_tensor zero = ox_like(r, 0, x);
#define IS(s) (strcmp(name, s) == 0)
#define A(standard) (isnan(a) ? (standard) : a)
#define BETA(standard) (isnan(b) ? (standard) : b)

    if (IS("Relu"))
        return wf_maximum(c, x, zero);
    if (IS("Tanh"))
        return wf_tanh(c, x);
    if (IS("Sigmoid"))
        return wf_sigmoid(c, x);
    if (IS("Affine"))
        return wf_add(c, scaled(r, x, A(1)), ox_like(r, BETA(0), x));
    if (IS("LeakyRelu")) {
        wf_tensor less = scaled(r, x, A(0.01));

        return wf_where(c, wf_lt(c, x, zero), less, x);
    }
    if (IS("ThresholdedRelu"))
        return wf_where(c, wf_gt(c, x, ox_like(r, A(1), x)), x, zero);
    if (IS("ScaledTanh"))
        return scaled(r, wf_tanh(c, scaled(r, x, BETA(1))), A(1));
    if (IS("HardSigmoid"))
        return hard_sigmoid(r, x, A(0.2), BETA(0.5));
    if (IS("Elu"))
        return elu(r, x, A(1), 1, 1);
    if (IS("Celu"))
        return elu(r, x, A(1), A(1), 1);
    if (IS("Softsign"))
        return wf_div(c, x, wf_add(c, ox_like(r, 1, x), wf_abs(c, x)));
    if (IS("Softplus"))
        return wf_softplus(c, x, 1);
    if (IS("HardSwish"))
        return wf_mul(c, x, hard_sigmoid(r, x, 1.0 / 6, 0.5));
    if (IS("Mish"))
        return wf_mul(c, x, wf_tanh(c, wf_softplus(c, x, 1)));
    if (IS("Swish"))
        return wf_mul(c, x, wf_sigmoid(c, scaled(r, x, A(1))));
    ox_fail(r, WF_ERR_UNSUPPORTED, "there is no activation '%.40s'", name);
    return WF_NONE;
}

OX_RULE(activation)
{
    double a = ox_float(r, "alpha", NAN), b = ox_float(r, "beta", NAN);
    wf_tensor x = ox_in(r, 0);
    const char *name = op->name;

    if (IS("Gelu"))
        return ox_put(r, 0, wf_gelu(r->c, x, ox_text_is(r, "approximate", "none", "tanh")));
    if (IS("Shrink"))
        return ox_put(r, 0, shrink(r, x));
    if (IS("Selu")) {
        double gamma = ox_float(r, "gamma", 1.0507009873554805), alpha = A(1.6732632423543772);
        return ox_put(r, 0, elu(r, x, alpha * gamma, 1, gamma));
    }
    return ox_put(r, 0, ox_map_activation(r, name, x, a, b));
}

/* Before opset 13 all axes from the given one on are one. */
static wf_tensor flat_rows(OxRun *r, wf_tensor x, int axis)
{
    int64_t dims[2] = {1, 1};
    int rank = wf_rank(r->c, x);

    for (int i = 0; i < rank; i++)
        dims[i >= axis] = wf_size_mul(r->c, dims[i >= axis], wf_size(r->c, x, i));
    return wf_reshape(r->c, x, dims, 2);
}

static wf_tensor along(OxRun *r, wf_tensor x, wf_tensor (*fn)(OxRun *r, wf_tensor x, int axis))
{
    bool old = ox_opset(r) < 13;
    int rank = wf_rank(r->c, x), axis = ox_axis(r, ox_int(r, "axis", old ? 1 : -1), rank + (old && rank == 0));
    int64_t dims[WF_MAX_RANK];

    if (axis < 0)
        return WF_NONE;
    if (!old || axis == rank - 1)
        return fn(r, x, axis);
    wf_shape(r->c, x, dims, wf_rank(r->c, x));
    return wf_reshape(r->c, fn(r, flat_rows(r, x, axis), 1), dims, rank);
}

static wf_tensor softmax_of(OxRun *r, wf_tensor x, int axis) { return wf_softmax(r->c, x, axis); }
static wf_tensor log_softmax_of(OxRun *r, wf_tensor x, int axis) { return wf_log_softmax(r->c, x, axis); }
static wf_tensor hardmax_of(OxRun *r, wf_tensor x, int axis)
{
    wf_tensor at = wf_argmax(r->c, x, &axis, true);
    int64_t dims[WF_MAX_RANK];

    wf_shape(r->c, x, dims, wf_rank(r->c, x));
    return wf_cast(r->c, wf_eq(r->c, wf_iota(r->c, WF_I64, dims, wf_rank(r->c, x), axis), at), wf_dtype_of(r->c, x));
}

OX_RULE(softmax) { return ox_put(r, 0, along(r, ox_in(r, 0), op->arg ? log_softmax_of : softmax_of)); }
OX_RULE(hardmax)
{
    (void)op;
    return ox_put(r, 0, along(r, ox_in(r, 0), hardmax_of));
}

/* ---- casts --------------------------------------------------------------------------------------- */

OX_RULE(cast)
{
    (void)op;
    return ox_put_value(r, 0, ox_cast_value(r, ox_value(r, 0), (OxElem)ox_int(r, "to", 0), ox_int(r, "saturate", 1) != 0,
                                            ox_text(r, "round_mode", "up")));
}

OX_RULE(cast_like)
{
    (void)op;
    return ox_put_value(r, 0, ox_cast_value(r, ox_value(r, 0), ox_elem_of(r, 1), ox_int(r, "saturate", 1) != 0,
                                            ox_text(r, "round_mode", "up")));
}

OX_RULE(bitcast)
{
    int64_t to = ox_int(r, "to", 0);
    const OxValue *v = ox_value(r, 0);
    wf_dtype dtype = ox_dtype(to);

    (void)op;
    if (v->narrow || dtype == WF_INVALID || dtype == WF_BOOL)
        return ox_fail(r, WF_ERR_UNSUPPORTED, "from %s to %s", ox_elem_name(ox_elem_of(r, 0)), ox_elem_name(to));
    return ox_put(r, 0, wf_bitcast(r->c, ox_in(r, 0), dtype));
}
