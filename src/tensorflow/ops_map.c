/* ops_map.c -- elementwise ops, their derivatives, casts, losses. */
#include "tensorflow/ops.h"

wf_tensor tg_times(OxRun *r, wf_tensor x, double a)
{
    return wf_mul(r->c, x, ox_like(r, a, x));
}

/* ---- what passes on --------------------------------------------------------------------------------------- */

TG_RULE(identity)
{
    (void)op;
    for (size_t i = 0; i < r->node->out.n; i++) {
        OxValue v = *ox_value(r, i < ox_nin(r) ? i : 0);

        if (v.kind == OX_RESOURCE && v.is_ref)
            v = (OxValue){.kind = OX_TENSOR, .t = ox_tensor_of(r, &v)};
        ox_put_value(r, i, v);
    }
    return ox_ok(r);
}

/* Outside of loops and branches that are made into bodies: both sides have the value. */
TG_RULE(switch)
{
    (void)op;
    for (size_t i = 0; i < r->node->out.n; i++)
        ox_put_value(r, i, *ox_value(r, 0));
    return ox_ok(r);
}

TG_RULE(constant)
{
    const TgAttr *a = tg_attr(r, "value");
    const OxValue *there =
        ox_wants(r, 0) ? ox_name_value(r->env, r->node->out.v[0]) : NULL;

    (void)op;
    if (there && there->state) /* a tensor of the model */
        return true;
    if (!a || !a->tensor)
        return ox_fail(r, WF_ERR_FORMAT, "a constant without a value");
    return ox_put_value(r, 0, tg_constant(r, a->tensor));
}

TG_RULE(nothing)
{
    (void)op;
    return ox_ok(r);
}

TG_RULE(assertion)
{
    (void)op;
    wf_assert(r->c, ox_in(r, 0), r->node->name, NULL, 0);
    return ox_ok(r);
}

/* ---- elementwise ----------------------------------------------------------------------------------------- */

TG_RULE(cast)
{
    wf_dtype to = tg_type_attr(r, op->arg ? "out_type" : "DstT");
    wf_tensor x = ox_in(r, 0);

    return ox_ok(r) && ox_put(r, 0, wf_cast(r->c, x, to));
}

TG_RULE(bitcast)
{
    wf_dtype to = tg_type_attr(r, "type");

    (void)op;
    return ox_ok(r) && ox_put(r, 0, wf_bitcast(r->c, ox_in(r, 0), to));
}

static wf_tensor positive(OxRun *r, wf_tensor x)
{
    return wf_gt(r->c, x, ox_like(r, 0, x));
}

static const double selu_scale = 1.0507009873554805, selu_alpha = 1.7580993408473768;

enum { ELU, SELU, RELU6, LEAKY, SOFTPLUS, SOFTSIGN, SQUARE_HALF };

TG_RULE(unary)
{
    wf_ctx *c = r->c;
    wf_tensor x = ox_in(r, 0), y = x, low;

    if (!ox_ok(r))
        return false;
    switch (op->arg) {
    case ELU: y = wf_elu(c, x, 1); break;
    case SELU:
        low = tg_times(r, wf_expm1(c, wf_minimum(c, x, ox_like(r, 0, x))), selu_alpha);
        y = tg_times(r, x, selu_scale);
        y = wf_where(c, positive(r, x), y, low);
        break;
    case RELU6: y = wf_clip(c, x, ox_like(r, 0, x), ox_like(r, 6, x)); break;
    case LEAKY: y = wf_leaky_relu(c, x, tg_float(r, "alpha", 0.2f)); break;
    case SOFTPLUS: y = wf_softplus(c, x, 1); break;
    default: y = wf_div(c, x, wf_add(c, wf_abs(c, x), ox_like(r, 1, x)));
    }
    return ox_put(r, 0, y);
}

enum {
    DIV,
    TRUNC_MOD,
    SQUARED_DIFFERENCE,
    XLOGY,
    XLOG1PY,
    XDIVY,
    DIV_NO_NAN,
    MUL_NO_NAN,
    POW,
    APPROXIMATE
};

TG_RULE(binary)
{
    wf_ctx *c = r->c;
    wf_tensor x = ox_in(r, 0), y = ox_in(r, 1), d, zero, none;
    bool is_float;

    if (!ox_ok(r))
        return false;
    is_float = wf_dtype_is_float(wf_dtype_of(c, x)) || wf_dtype_of(c, x) == WF_C64 ||
               wf_dtype_of(c, x) == WF_C128;
    zero = ox_like(r, 0, x);
    none = op->arg == DIV_NO_NAN || op->arg == MUL_NO_NAN ? wf_eq(c, y, zero) : WF_NONE;
    switch (op->arg) {
    case DIV: return ox_put(r, 0, is_float ? wf_div(c, x, y) : ox_trunc_div(c, x, y));
    case TRUNC_MOD: return ox_put(r, 0, wf_fmod(c, x, y));
    case SQUARED_DIFFERENCE: d = wf_sub(c, x, y); return ox_put(r, 0, wf_mul(c, d, d));
    case XLOGY: d = wf_mul(c, x, wf_log(c, y)); break;
    case XLOG1PY: d = wf_mul(c, x, wf_log1p(c, y)); break;
    case XDIVY: d = wf_div(c, x, y); break;
    case DIV_NO_NAN: return ox_put(r, 0, wf_where(c, none, zero, wf_div(c, x, y)));
    case MUL_NO_NAN: return ox_put(r, 0, wf_where(c, none, zero, wf_mul(c, x, y)));
    case APPROXIMATE: {
        double tolerance = tg_float(r, "tolerance", 1e-5f);
        return ox_put(r, 0,
                      wf_lt(c, wf_abs(c, wf_sub(c, x, y)), ox_like(r, tolerance, x)));
    }
    default: return ox_put(r, 0, wf_cast(c, wf_pow(c, x, y), wf_dtype_of(c, x)));
    }
    return ox_put(r, 0, wf_where(c, wf_eq(c, x, zero), zero, d));
}

/* Select: the condition may be a vector that chooses rows. */
TG_RULE(select)
{
    wf_ctx *c = r->c;
    wf_tensor cond = ox_in(r, 0), x = ox_in(r, 1), y = ox_in(r, 2);
    int64_t dims[WF_MAX_RANK] = {0};
    int rank;

    if (!ox_ok(r))
        return false;
    rank = wf_rank(c, x);
    if (op->arg && wf_rank(c, cond) == 1 && rank > 1) {
        dims[0] = wf_size(c, cond, 0);
        for (int i = 1; i < rank; i++)
            dims[i] = 1;
        cond = wf_reshape(c, cond, dims, rank);
    }
    return ox_put(r, 0, wf_where(c, cond, x, y));
}

TG_RULE(clip)
{
    wf_tensor operand, second;

    (void)op;
    operand = ox_in(r, 2);
    second = ox_in(r, 1);
    return ox_put(r, 0, wf_clip(r->c, ox_in(r, 0), second, operand));
}

TG_RULE(add_n)
{
    wf_tensor y = ox_in(r, 0);

    (void)op;
    for (size_t i = 1; i < ox_nin(r) && ox_ok(r); i++)
        y = wf_add(r->c, y, ox_in(r, i));
    return ox_put(r, 0, y);
}

/* arg 1: the derivative, the sum over all but the channels */
TG_RULE(bias_add)
{
    wf_ctx *c = r->c;
    wf_tensor x = ox_in(r, 0), b = op->arg ? WF_NONE : ox_in(r, 1);
    bool first = strncmp(tg_text(r, "data_format", "NHWC"), "NC", 2) == 0;
    int64_t dims[WF_MAX_RANK];
    int rank = ox_ok(r) ? wf_rank(c, x) : 0, axes[WF_MAX_RANK], n = 0,
        channels = first ? 1 : rank - 1;

    if (rank < 2 || rank > WF_MAX_RANK)
        return ox_ok(r) ? ox_fail(r, WF_ERR_SHAPE, "a tensor of rank %d", rank) : false;
    for (int i = 0; i < rank; i++) {
        dims[i] = i == channels && !op->arg ? wf_size(c, b, 0) : 1;
        if (i != channels)
            axes[n++] = i;
    }
    return ox_put(r, 0,
                  op->arg ? wf_sum(c, x, axes, n, false)
                          : wf_add(c, x, wf_reshape(c, b, dims, rank)));
}

/* ---- derivatives ------------------------------------------------------------------------------------------- */

enum {
    G_RELU,
    G_RELU6,
    G_LEAKY,
    G_SOFTPLUS,
    G_SOFTSIGN,
    G_ELU,
    G_SELU, /* (g, x or y) */
    G_SIGMOID,
    G_TANH,
    G_SQRT,
    G_RSQRT,
    G_INV /* (y, g) */
};

TG_RULE(map_grad)
{
    wf_ctx *c = r->c;
    wf_tensor g = ox_in(r, op->arg >= G_SIGMOID), y = ox_in(r, op->arg < G_SIGMOID), one,
              zero, d = y;

    if (!ox_ok(r))
        return false;
    one = ox_like(r, 1, y);
    zero = ox_like(r, 0, y);
    switch (op->arg) {
    case G_RELU: return ox_put(r, 0, wf_where(c, positive(r, y), g, zero));
    case G_RELU6:
        d = wf_lt(c, y, ox_like(r, 6, y));
        return ox_put(r, 0, wf_where(c, wf_logical_and(c, positive(r, y), d), g, zero));
    case G_LEAKY:
        d = tg_times(r, g, tg_float(r, "alpha", 0.2f));
        return ox_put(r, 0, wf_where(c, positive(r, y), g, d));
    case G_SOFTPLUS: d = wf_sigmoid(c, y); break;
    case G_SOFTSIGN:
        d = wf_reciprocal(c, wf_square(c, wf_add(c, one, wf_abs(c, y))));
        break;
    case G_ELU:
        d = wf_add(c, y, one);
        d = wf_where(c, wf_lt(c, y, zero), d, one);
        break;
    case G_SELU:
        one = ox_like(r, selu_scale, y);
        d = wf_add(c, y, ox_like(r, selu_alpha, y));
        d = wf_where(c, wf_lt(c, y, zero), d, one);
        break;
    case G_SIGMOID: d = wf_mul(c, y, wf_sub(c, one, y)); break;
    case G_TANH: d = wf_sub(c, one, wf_square(c, y)); break;
    case G_SQRT: d = wf_div(c, ox_like(r, 0.5, y), y); break;
    case G_RSQRT: d = tg_times(r, wf_mul(c, y, wf_square(c, y)), -0.5); break;
    default: d = wf_neg(c, wf_square(c, y));
    }
    return ox_put(r, 0, wf_mul(c, g, d));
}

wf_tensor tg_vjp(OxRun *r, wf_call f, void *user, const wf_tensor *x, int n, int k,
                 wf_tensor gy)
{
    wf_function fn = WF_FUNCTION(f, user, n, 1, "vjp");
    wf_record *rec = NULL;
    wf_tensor gx = WF_NONE, y = WF_NONE;

    if (ox_ok(r) && !wf_record_new(r->c, &fn, x, n, &k, 1, &y, 1, &rec))
        wf_record_vjp(r->c, rec, &gy, 1, &gx, 1);
    wf_record_free(r->c, rec);
    return gx;
}

/* ---- softmax and losses -------------------------------------------------------------------------------------- */

TG_RULE(softmax)
{
    wf_tensor x = ox_in(r, 0);
    int rank = ox_ok(r) ? wf_rank(r->c, x) : 0;

    if (rank < 1)
        return ox_ok(r) ? ox_fail(r, WF_ERR_SHAPE, "a scalar") : false;
    return ox_put(r, 0,
                  op->arg ? wf_log_softmax(r->c, x, rank - 1)
                          : wf_softmax(r->c, x, rank - 1));
}

/* loss[i] = -sum_j labels[i,j] log softmax(x)[i,j];  its derivative: softmax(x) - labels (arg 1: labels are class numbers) */
TG_RULE(cross_entropy)
{
    wf_ctx *c = r->c;
    wf_tensor x = ox_in(r, 0), labels = ox_in(r, 1), logp;
    int last = 1;

    if (!ox_ok(r) || wf_rank(c, x) != 2)
        return ox_ok(r) ? ox_fail(r, WF_ERR_SHAPE, "logits of rank %d", wf_rank(c, x))
                        : false;
    if (op->arg)
        labels = wf_one_hot(c, labels, wf_size(c, x, 1), wf_dtype_of(c, x));
    logp = wf_log_softmax(c, x, 1);
    ox_put(r, 0, wf_neg(c, wf_sum(c, wf_mul(c, labels, logp), &last, 1, false)));
    if (ox_wants(r, 1))
        ox_put(r, 1, wf_sub(c, wf_softmax(c, x, 1), labels));
    return ox_ok(r);
}

TG_RULE(l2_loss)
{
    (void)op;
    return ox_put(
        r, 0,
        tg_times(r, wf_sum(r->c, wf_square(r->c, ox_in(r, 0)), NULL, 0, false), 0.5));
}
