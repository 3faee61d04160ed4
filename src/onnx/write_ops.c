/* write_ops.c -- primitives as nodes of opset 21. */
#include "onnx/write.h"
#include "onnx/onnx.h"

#define IN(i) (w->val[eqn_in(w->p, e)[i]])
#define TYPE_IN(i) val_type(w->p, eqn_in(w->p, e)[i])
#define TYPE_OUT val_type(w->p, e->out)

static void set(Writing *w, const Eqn *e, const char *name) { w->val[e->out] = name; }

static void refuse(Writing *w, const Eqn *e, const char *why)
{
    fail(w->cx, WF_ERR_UNSUPPORTED, eqn_place(w->p, e), "onnx: %s cannot be written%s%s", op_table[e->op].name, *why ? ": " : "", why);
}

static bool is_bool(Type t) { return t.dtype == WF_BOOL; }


static const char *cast_to(Writing *w, const char *x, wf_dtype dtype)
{
    Wire attrs = {.a = w->a};

    w_attr_int(w, &attrs, "to", ox_elem(dtype));
    return w_node(w, "Cast", &x, 1, &attrs);
}

/* ---- elementwise ---------------------------------------------------------------------------------- */

static const struct {
    OpCode op;
    const char *node;
} same[] = {
    {OP_neg, "Neg"},     {OP_abs, "Abs"},     {OP_sign, "Sign"},   {OP_exp, "Exp"},       {OP_log, "Log"},   {OP_sin, "Sin"},
    {OP_cos, "Cos"},     {OP_tan, "Tan"},     {OP_tanh, "Tanh"},   {OP_asin, "Asin"},     {OP_acos, "Acos"}, {OP_atan, "Atan"},
    {OP_sinh, "Sinh"},   {OP_cosh, "Cosh"},   {OP_asinh, "Asinh"}, {OP_acosh, "Acosh"},   {OP_atanh, "Atanh"},
    {OP_erf, "Erf"},     {OP_sqrt, "Sqrt"},   {OP_floor, "Floor"}, {OP_ceil, "Ceil"},     {OP_round, "Round"},
    {OP_logistic, "Sigmoid"}, {OP_add, "Add"}, {OP_sub, "Sub"},    {OP_mul, "Mul"},       {OP_div, "Div"},   {OP_pow, "Pow"},
    {OP_max, "Max"},     {OP_min, "Min"},     {OP_eq, "Equal"},    {OP_lt, "Less"},       {OP_le, "LessOrEqual"},
    {OP_gt, "Greater"},  {OP_ge, "GreaterOrEqual"}, {OP_select, "Where"}, {OP_stop_gradient, "Identity"}, {OP_name, "Identity"},
};

static bool write_same(Writing *w, const Eqn *e)
{
    const char **in = arena_array(w->a, e->nin + 1u, sizeof *in);

    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        if (same[i].op == e->op) {
            for (uint32_t k = 0; k < e->nin; k++)
                in[k] = IN(k);
            set(w, e, w_node(w, same[i].node, in, e->nin, NULL));
            return true;
        }
    return false;
}

/* and, or, xor, not: of bools and of bits */
static const char *logical(const Eqn *e, bool bools)
{
    static const char *const names[4][2] = {{"And", "BitwiseAnd"}, {"Or", "BitwiseOr"}, {"Xor", "BitwiseXor"}, {"Not", "BitwiseNot"}};

    return names[e->op == OP_and ? 0 : e->op == OP_or ? 1 : e->op == OP_xor ? 2 : 3][!bools];
}

static bool write_map(Writing *w, const Eqn *e)
{
    wf_dtype dtype = e->nin ? (wf_dtype)TYPE_IN(0).dtype : WF_INVALID;
    const char *x = e->nin ? IN(0) : NULL, *one;
    Wire attrs = {.a = w->a};

    if (write_same(w, e))
        return true;
    switch (e->op) {
    case OP_expm1: set(w, e, w_op2(w, "Sub", w_op1(w, "Exp", x), w_number(w, dtype, 1))); break;
    case OP_log1p: set(w, e, w_op1(w, "Log", w_op2(w, "Add", x, w_number(w, dtype, 1)))); break;
    case OP_exp2: set(w, e, w_op2(w, "Pow", w_number(w, dtype, 2), x)); break;
    case OP_erfc: set(w, e, w_op2(w, "Sub", w_number(w, dtype, 1), w_op1(w, "Erf", x))); break;
    case OP_rsqrt: set(w, e, w_op1(w, "Reciprocal", w_op1(w, "Sqrt", x))); break;
    case OP_cbrt:
        one = w_op2(w, "Pow", w_op1(w, "Abs", x), w_number(w, dtype, 1.0 / 3));
        set(w, e, w_op2(w, "Mul", w_op1(w, "Sign", x), one));
        break;
    case OP_is_finite: set(w, e, w_op1(w, "Not", w_op2(w, "Or", w_op1(w, "IsInf", x), w_op1(w, "IsNaN", x)))); break;
    case OP_ne: set(w, e, w_op1(w, "Not", w_op2(w, "Equal", x, IN(1)))); break;
    case OP_not: set(w, e, w_op1(w, logical(e, dtype == WF_BOOL), x)); break;
    case OP_and:
    case OP_or:
    case OP_xor: set(w, e, w_op2(w, logical(e, dtype == WF_BOOL), x, IN(1))); break;
    case OP_clamp: set(w, e, w_op2(w, "Min", w_op2(w, "Max", IN(1), x), IN(2))); break;
    case OP_cast: set(w, e, cast_to(w, x, (wf_dtype)((const DtypeAttr *)e->attr)->dtype)); break;
    case OP_rem:
        w_attr_int(w, &attrs, "fmod", 1);
        set(w, e, w_node(w, "Mod", (const char *[]){x, IN(1)}, 2, &attrs));
        break;
    case OP_shl:
    case OP_shr_logical:
        if (dtype != WF_U8 && dtype != WF_U16 && dtype != WF_U32 && dtype != WF_U64)
            return refuse(w, e, "ONNX shifts numbers without sign"), true;
        w_attr_text(w, &attrs, "direction", e->op == OP_shl ? "LEFT" : "RIGHT");
        set(w, e, w_node(w, "BitShift", (const char *[]){x, IN(1)}, 2, &attrs));
        break;
    default: return false;
    }
    return true;
}

/* ---- reductions ---------------------------------------------------------------------------------------- */

static const char *reduce(Writing *w, const char *node, const char *x, Ints axes)
{
    Wire attrs = {.a = w->a};

    w_attr_int(w, &attrs, "keepdims", 0);
    w_attr_int(w, &attrs, "noop_with_empty_axes", 1);
    return w_node(w, node, (const char *[]){x, w_ints(w, axes.v, axes.n)}, 2, &attrs);
}

static bool write_reduce(Writing *w, const Eqn *e)
{
    Wire attrs = {.a = w->a};
    const ArgAttr *arg = e->attr;
    const char *x = e->nin ? IN(0) : NULL;
    const char *node = e->op == OP_reduce_sum    ? "ReduceSum"
                       : e->op == OP_reduce_prod ? "ReduceProd"
                       : e->op == OP_reduce_max  ? "ReduceMax"
                       : e->op == OP_reduce_min  ? "ReduceMin"
                                                 : NULL;

    if (node) {
        set(w, e, reduce(w, node, x, ((const ReduceAttr *)e->attr)->axes));
        return true;
    }
    switch (e->op) {
    case OP_reduce_and:
    case OP_reduce_or: /* of bools as integers */
        if (!is_bool(TYPE_IN(0)))
            return refuse(w, e, "of bits"), true;
        x = reduce(w, e->op == OP_reduce_and ? "ReduceMin" : "ReduceMax", cast_to(w, x, WF_I32),
                   ((const ReduceAttr *)e->attr)->axes);
        set(w, e, cast_to(w, x, WF_BOOL));
        return true;
    case OP_argmax:
    case OP_argmin:
        w_attr_int(w, &attrs, "axis", arg->axis);
        w_attr_int(w, &attrs, "keepdims", 0);
        x = w_node(w, e->op == OP_argmax ? "ArgMax" : "ArgMin", &x, 1, &attrs);
        set(w, e, arg->dtype == WF_I64 ? x : cast_to(w, x, (wf_dtype)arg->dtype));
        return true;
    case OP_cumsum:
        w_attr_int(w, &attrs, "reverse", ((const CumAttr *)e->attr)->reverse);
        set(w, e, w_node(w, "CumSum", (const char *[]){x, w_number(w, WF_I64, (double)((const CumAttr *)e->attr)->axis)}, 2, &attrs));
        return true;
    default: return false;
    }
}

/* ---- shapes ---------------------------------------------------------------------------------------------- */

static const char *reshape(Writing *w, const char *x, const Dim *dims, uint32_t rank)
{
    Wire attrs = {.a = w->a};

    w_attr_int(w, &attrs, "allowzero", 1);
    return w_node(w, "Reshape", (const char *[]){x, w_dims(w, dims, rank)}, 2, &attrs);
}

static const char *transpose(Writing *w, const char *x, const int64_t *perm, uint32_t n)
{
    Wire attrs = {.a = w->a};
    bool plain = true;

    for (uint32_t i = 0; i < n; i++)
        plain = plain && perm[i] == (int64_t)i;
    if (plain)
        return x;
    w_attr_ints(w, &attrs, "perm", perm, n);
    return w_node(w, "Transpose", &x, 1, &attrs);
}

static const char *broadcast(Writing *w, const char *x, Type from, Ints shape, Ints at)
{
    Dim *dims = arena_array(w->a, shape.n + 1, sizeof *dims);

    for (uint32_t i = 0; i < shape.n; i++)
        dims[i] = 1;
    for (uint32_t i = 0; i < at.n; i++)
        dims[at.v[i]] = from.dims[i];
    if (shape.n != from.rank)
        x = reshape(w, x, dims, shape.n);
    return w_op2(w, "Expand", x, w_dims(w, shape.v, shape.n));
}

static void write_const(Writing *w, const Eqn *e)
{
    const ConstAttr *a = e->attr;
    Type t = a->type;
    int64_t *dims = arena_array(w->a, t.rank + 1u, sizeof *dims);

    for (uint32_t i = 0; i < t.rank; i++)
        dims[i] = t.dims[i];
    if (a->splat && t.rank)
        set(w, e, w_op2(w, "Expand", w_const(w, (wf_dtype)t.dtype, NULL, 0, a->data->data, a->data->size), w_dims(w, t.dims, t.rank)));
    else
        set(w, e, w_const(w, (wf_dtype)t.dtype, dims, t.rank, a->data->data, a->data->size));
}

static const char *scalar_dim(Writing *w, Dim d) { return reshape(w, w_dim(w, d), NULL, 0); }

static void write_iota(Writing *w, const Eqn *e)
{
    const IotaAttr *a = e->attr;
    Dim n = a->type.dims[a->axis];
    const char *x = w_node(w, "Range", (const char *[]){w_number(w, WF_I64, 0), scalar_dim(w, n), w_number(w, WF_I64, 1)}, 3, NULL);
    Type from = {.dtype = a->type.dtype, .rank = 1, .dims = &n};

    if (a->type.dtype != WF_I64)
        x = cast_to(w, x, (wf_dtype)a->type.dtype);
    set(w, e, a->type.rank == 1 ? x : broadcast(w, x, from, (Ints){a->type.rank, a->type.dims}, INTS(1, a->axis)));
}

static void write_slice(Writing *w, const Eqn *e)
{
    const SliceAttr *a = e->attr;
    int64_t *axes = arena_array(w->a, a->start.n + 1, sizeof *axes), *step = arena_array(w->a, a->start.n + 1, sizeof *step);

    for (uint32_t i = 0; i < a->start.n; i++) {
        axes[i] = i;
        step[i] = a->stride.n ? a->stride.v[i] : 1;
    }
    set(w, e, w_node(w, "Slice",
                     (const char *[]){IN(0), w_dims(w, a->start.v, a->start.n), w_dims(w, a->limit.v, a->limit.n),
                                      w_ints(w, axes, a->start.n), w_ints(w, step, a->start.n)}, 5, NULL));
}

/* The other way round: from the last element, by -1, to before the first. */
static void write_rev(Writing *w, const Eqn *e)
{
    const AxesAttr *a = e->attr;
    int64_t *v = arena_array(w->a, 3 * a->axes.n + 3, sizeof *v);

    for (uint32_t i = 0; i < a->axes.n; i++) {
        v[i] = -1;
        v[a->axes.n + i] = INT64_MIN + 1;
        v[2 * a->axes.n + i] = -1;
    }
    set(w, e, w_node(w, "Slice", (const char *[]){IN(0), w_ints(w, v, a->axes.n), w_ints(w, v + a->axes.n, a->axes.n),
                                                  w_ints(w, a->axes.v, a->axes.n), w_ints(w, v + 2 * a->axes.n, a->axes.n)}, 5, NULL));
}

/* Elements apart: each gets so many of the value behind it, but for the last. */
static const char *spread_axis(Writing *w, const char *x, const char *value, Type t, const Dim *have, uint32_t axis, int64_t gap)
{
    Dim *dims = arena_array(w->a, t.rank + 2u, sizeof *dims);
    int64_t *pads = arena_zalloc(w->a, (2u * t.rank + 4) * sizeof *pads), zero = 0, at = axis, one = -gap;

    /* [.., n, ..] -> [.., n, 1, ..] -> [.., n, 1 + gap, ..] -> [.., n (1 + gap), ..] -> without the last gap */
    for (uint32_t i = 0, k = 0; i < t.rank; i++) {
        dims[k++] = have[i];
        if (i == axis)
            dims[k++] = 1;
    }
    x = reshape(w, x, dims, t.rank + 1u);
    pads[t.rank + 1u + axis + 1] = gap;
    x = w_node(w, "Pad", (const char *[]){x, w_ints(w, pads, 2u * t.rank + 2), value}, 3, NULL);
    const char **parts = arena_array(w->a, t.rank + 1u, sizeof *parts);
    for (uint32_t i = 0; i < t.rank; i++) {
        int64_t scale = gap + 1;
        parts[i] = i == axis ? w_op2(w, "Mul", w_dim(w, have[i]), w_ints(w, &scale, 1)) : w_dim(w, have[i]);
    }
    Wire attrs = {.a = w->a};
    w_attr_int(w, &attrs, "axis", 0);
    x = w_op2(w, "Reshape", x, w_node(w, "Concat", parts, t.rank, &attrs));
    return w_node(w, "Slice", (const char *[]){x, w_ints(w, &zero, 1), w_ints(w, &one, 1), w_ints(w, &at, 1)}, 4, NULL);
}

static void write_pad(Writing *w, const Eqn *e)
{
    const PadAttr *a = e->attr;
    Type t = TYPE_IN(0);
    Dim *pads = arena_array(w->a, 2u * t.rank + 1, sizeof *pads);
    const char *x = IN(0);
    Dim *have = arena_array(w->a, t.rank + 1u, sizeof *have);

    for (uint32_t i = 0; i < t.rank; i++) {
        have[i] = t.dims[i];
        pads[i] = a->lo.v[i];
        pads[t.rank + i] = a->hi.v[i];
    }
    for (uint32_t i = 0; i < a->interior.n; i++)
        if (a->interior.v[i]) {
            int64_t n;
            x = spread_axis(w, x, IN(1), t, have, i, a->interior.v[i]);
            if (!dim_value(&w->p->dims, have[i], &n)) {
                refuse(w, e, "elements apart along an axis of symbolic size");
                return;
            }
            have[i] = n + (n - 1) * a->interior.v[i];
        }
    set(w, e, t.rank ? w_node(w, "Pad", (const char *[]){x, w_dims(w, pads, 2u * t.rank), IN(1)}, 3, NULL) : x);
}

static bool write_shape(Writing *w, const Eqn *e)
{
    const char **in = arena_array(w->a, e->nin + 1u, sizeof *in);
    Wire attrs = {.a = w->a};

    for (uint32_t i = 0; i < e->nin; i++)
        in[i] = IN(i);
    switch (e->op) {
    case OP_const: write_const(w, e); break;
    case OP_reshape: set(w, e, reshape(w, in[0], ((const ShapeAttr *)e->attr)->dims.v, ((const ShapeAttr *)e->attr)->dims.n)); break;
    case OP_broadcast:
        set(w, e, broadcast(w, in[0], TYPE_IN(0), ((const BroadcastAttr *)e->attr)->shape, ((const BroadcastAttr *)e->attr)->dims));
        break;
    case OP_transpose:
        set(w, e, transpose(w, in[0], ((const TransposeAttr *)e->attr)->perm.v, ((const TransposeAttr *)e->attr)->perm.n));
        break;
    case OP_slice: write_slice(w, e); break;
    case OP_rev: write_rev(w, e); break;
    case OP_pad: write_pad(w, e); break;
    case OP_iota: write_iota(w, e); break;
    case OP_dim: set(w, e, scalar_dim(w, ((const DimAttr *)e->attr)->dim)); break;
    case OP_size:
        w->syms[dim_node(&w->p->dims, ((const SymAttr *)e->attr)->sym)->sym] = reshape(w, in[0], (Dim[]){1}, 1);
        break;
    case OP_concat:
        w_attr_int(w, &attrs, "axis", ((const AxisAttr *)e->attr)->axis);
        set(w, e, w_node(w, "Concat", in, e->nin, &attrs));
        break;
    case OP_opt_barrier:
        for (uint32_t i = 0; i < e->nout; i++)
            w->val[e->out + i] = in[i];
        break;
    default: return false;
    }
    return true;
}

/* ---- products -------------------------------------------------------------------------------------------- */

static bool has(Ints v, int64_t x)
{
    for (uint32_t i = 0; i < v.n; i++)
        if (v.v[i] == x)
            return true;
    return false;
}

/* Any product of two tensors is an Einsum: one letter for each axis. */
static void write_dot(Writing *w, const Eqn *e)
{
    const DotAttr *a = e->attr;
    Type x = TYPE_IN(0), y = TYPE_IN(1);
    char lx[40] = "", ly[40] = "", out[80] = "", next = 'a';
    Wire attrs = {.a = w->a};
    uint32_t n = 0;
    Text t;

    if (x.rank + y.rank > 50) {
        refuse(w, e, "too many axes");
        return;
    }
    if (a->lhs.n == 1 && a->rhs.n == 1 && !a->lhs_batch.n && a->lhs.v[0] == x.rank - 1 && x.rank && y.rank == 2 && a->rhs.v[0] == 0) {
        set(w, e, w_op2(w, "MatMul", IN(0), IN(1)));
        return;
    }
    for (uint32_t i = 0; i < a->lhs_batch.n; i++)
        lx[a->lhs_batch.v[i]] = ly[a->rhs_batch.v[i]] = out[n++] = next, next++;
    for (uint32_t i = 0; i < a->lhs.n; i++)
        lx[a->lhs.v[i]] = ly[a->rhs.v[i]] = next, next++;
    for (uint32_t i = 0; i < x.rank; i++)
        if (!has(a->lhs, i) && !has(a->lhs_batch, i))
            lx[i] = out[n++] = next, next = next == 'z' ? 'A' : (char)(next + 1);
    for (uint32_t i = 0; i < y.rank; i++)
        if (!has(a->rhs, i) && !has(a->rhs_batch, i))
            ly[i] = out[n++] = next, next = next == 'z' ? 'A' : (char)(next + 1);
    text_init(&t, w->a);
    text_printf(&t, "%s,%s->%s", lx, ly, out);
    w_attr_text(w, &attrs, "equation", text_str(&t));
    set(w, e, w_node(w, "Einsum", (const char *[]){IN(0), IN(1)}, 2, &attrs));
}

static bool constants(Writing *w, Ints v, uint32_t n, int64_t otherwise, int64_t *out)
{
    for (uint32_t i = 0; i < n; i++) {
        out[i] = otherwise;
        if (i < v.n && !dim_value(&w->p->dims, v.v[i], &out[i]))
            return false;
    }
    return true;
}

static void write_conv(Writing *w, const Eqn *e)
{
    const ConvAttr *a = e->attr;
    Type t = TYPE_IN(0);
    uint32_t n = t.rank - 2u;
    int64_t *pads = arena_array(w->a, 2 * n + 1, sizeof *pads), *v = arena_array(w->a, n + 1, sizeof *v), back[WF_MAX_RANK], groups;
    Wire attrs = {.a = w->a};
    const char *x, *y;

    if (a->batch_groups != 1 || !dim_value(&w->p->dims, a->groups, &groups)) {
        refuse(w, e, "groups of batches, or of symbolic number");
        return;
    }
    if (!constants(w, a->pad_lo, n, 0, pads) || !constants(w, a->pad_hi, n, 0, pads + n)) {
        refuse(w, e, "padding of symbolic size");
        return;
    }
    for (uint32_t i = 0; i < n; i++)
        if (pads[i] < 0 || pads[n + i] < 0 || (a->lhs_dilation.n && a->lhs_dilation.v[i] != 1)) {
            refuse(w, e, "a dilated input, or negative padding");
            return;
        }
    w_attr_ints(w, &attrs, "pads", pads, 2 * n);
    constants(w, a->stride, n, 1, v);
    w_attr_ints(w, &attrs, "strides", v, n);
    constants(w, a->rhs_dilation, n, 1, v);
    w_attr_ints(w, &attrs, "dilations", v, n);
    w_attr_int(w, &attrs, "group", groups);
    x = transpose(w, IN(0), a->lhs_spec.v, a->lhs_spec.n);
    y = transpose(w, IN(1), a->rhs_spec.v, a->rhs_spec.n);
    y = w_node(w, "Conv", (const char *[]){x, y}, 2, &attrs);
    for (uint32_t i = 0; i < a->out_spec.n; i++)
        back[a->out_spec.v[i]] = i;
    set(w, e, transpose(w, y, back, a->out_spec.n));
}

/* Windows over the axes behind the first two. */
static void write_window(Writing *w, const Eqn *e)
{
    const WindowAttr *a = e->attr;
    Type t = TYPE_IN(0);
    bool sums = e->op == OP_reduce_window_sum;
    int64_t v[WF_MAX_RANK], pads[2 * WF_MAX_RANK], window[WF_MAX_RANK], count = 1;
    uint32_t n = t.rank - 2u;
    Wire attrs = {.a = w->a};
    const char *y;

    if (t.rank < 3 || !constants(w, a->window, t.rank, 1, window) || window[0] != 1 || window[1] != 1 ||
        !constants(w, a->pad_lo, t.rank, 0, pads) || !constants(w, a->pad_hi, t.rank, 0, pads + t.rank) ||
        !constants(w, a->base_dilation, t.rank, 1, v)) {
        refuse(w, e, "windows that are no pool");
        return;
    }
    for (uint32_t i = 0; i < t.rank; i++)
        if (v[i] != 1 || pads[i] < 0 || pads[t.rank + i] < 0 || (i < 2 && (pads[i] || pads[t.rank + i]))) {
            refuse(w, e, "windows that are no pool");
            return;
        }
    memmove(pads, pads + 2, n * sizeof *pads);
    memmove(pads + n, pads + t.rank + 2, n * sizeof *pads);
    w_attr_ints(w, &attrs, "kernel_shape", window + 2, n);
    w_attr_ints(w, &attrs, "pads", pads, 2 * n);
    constants(w, a->stride, t.rank, 1, v);
    w_attr_ints(w, &attrs, "strides", v + 2, n);
    constants(w, a->window_dilation, t.rank, 1, v);
    w_attr_ints(w, &attrs, "dilations", v + 2, n);
    for (uint32_t i = 0; i < n; i++)
        count *= window[2 + i];
    if (sums)
        w_attr_int(w, &attrs, "count_include_pad", 1);
    y = w_node(w, sums ? "AveragePool" : "MaxPool", &(const char *){IN(0)}, 1, &attrs);
    set(w, e, sums ? w_op2(w, "Mul", y, w_number(w, (wf_dtype)t.dtype, (double)count)) : y);
    if (!sums && e->nout > 1)
        w->val[e->out + 1] = ""; /* places: nobody can read them */
}

/* ---- indexing: slices along one axis, at places ------------------------------------------------------------- */

/* A range along axis `axis` of a result of that rank, of that size. */
static const char *range_along(Writing *w, Dim size, uint32_t axis, uint32_t rank)
{
    const char *x = w_node(w, "Range", (const char *[]){w_number(w, WF_I64, 0), scalar_dim(w, size), w_number(w, WF_I64, 1)}, 3, NULL);
    Dim *dims = arena_array(w->a, rank + 1, sizeof *dims);

    for (uint32_t i = 0; i < rank; i++)
        dims[i] = i == axis ? size : 1;
    return reshape(w, x, dims, rank);
}

/* Column j of the index vectors, kept inside, shaped to meet the result: its axes are those that are not offsets. */
static const char *start_of(Writing *w, const Eqn *e, uint32_t j, const char *room)
{
    const GatherAttr *a = e->attr;
    Type ix = TYPE_IN(1), y = TYPE_OUT;
    Dim *dims = arena_array(w->a, y.rank + 1u, sizeof *dims);
    int64_t axis = ix.rank - 1;
    const char *x = w_number(w, WF_I64, j);
    Wire attrs = {.a = w->a};

    w_attr_int(w, &attrs, "axis", axis);
    x = cast_to(w, w_node(w, "Gather", (const char *[]){IN(1), x}, 2, &attrs), WF_I64);
    x = w_op2(w, "Min", w_op2(w, "Max", x, w_number(w, WF_I64, 0)), reshape(w, room, NULL, 0));
    for (uint32_t i = 0, k = 0; i < y.rank; i++)
        dims[i] = has(a->offset_dims, i) ? 1 : ix.dims[k++];
    return reshape(w, x, dims, y.rank);
}

static int position(Ints v, int64_t x)
{
    for (uint32_t i = 0; i < v.n; i++)
        if (v.v[i] == x)
            return (int)i;
    return -1;
}

/* Any gather: the row-major number of every element of the result in x, which is read as a vector. */
static void gather_elements(Writing *w, const Eqn *e)
{
    const GatherAttr *a = e->attr;
    Type x = TYPE_IN(0), y = TYPE_OUT;
    const char *at = w_number(w, WF_I64, 0), *flat;
    uint32_t offset = 0, batch_axes[WF_MAX_RANK], nb = 0;
    int64_t all = -1;
    Wire attrs = {.a = w->a};

    if (a->mode == INDEX_FILL) {
        refuse(w, e, "with a number for places outside");
        return;
    }
    for (uint32_t i = 0; i < y.rank; i++)
        if (!has(a->offset_dims, i))
            batch_axes[nb++] = i;
    for (uint32_t i = 0; i < x.rank; i++) {
        int j = position(a->start_index_map, i), k = position(a->operand_batching, i);

        at = w_op2(w, "Mul", at, scalar_dim(w, x.dims[i]));
        if (j >= 0) {
            const char *room = w_op2(w, "Sub", w_dim(w, x.dims[i]), w_dim(w, a->slice_sizes.v[i]));
            at = w_op2(w, "Add", at, start_of(w, e, (uint32_t)j, room));
        }
        if (k >= 0)
            at = w_op2(w, "Add", at, range_along(w, x.dims[i], batch_axes[a->indices_batching.v[k]], y.rank));
        else if (!has(a->collapsed, i))
            at = w_op2(w, "Add", at, range_along(w, a->slice_sizes.v[i], (uint32_t)a->offset_dims.v[offset++], y.rank));
    }
    flat = w_op2(w, "Reshape", IN(0), w_ints(w, &all, 1));
    w_attr_int(w, &attrs, "axis", 0);
    at = w_op2(w, "Expand", at, w_dims(w, y.dims, y.rank));
    set(w, e, w_node(w, "Gather", (const char *[]){flat, at}, 2, &attrs));
}

static void write_gather(Writing *w, const Eqn *e)
{
    const GatherAttr *a = e->attr;
    Type x = TYPE_IN(0), ix = TYPE_IN(1), y = TYPE_OUT;
    const char *at = IN(1);
    uint32_t axis = a->start_index_map.n == 1 ? (uint32_t)a->start_index_map.v[0] : 0, nb = ix.rank - 1u, no = 0, nn = 0;
    int64_t perm[WF_MAX_RANK], last = nb, from[WF_MAX_RANK];
    Wire attrs = {.a = w->a};
    bool plain = a->start_index_map.n == 1 && a->collapsed.n == 1 && a->collapsed.v[0] == axis && !a->operand_batching.n &&
                 a->mode != INDEX_FILL && ix.rank && ix.dims[nb] == 1;

    for (uint32_t i = 0; plain && i < x.rank; i++)
        plain = i == axis ? a->slice_sizes.v[i] == 1 : a->slice_sizes.v[i] == x.dims[i];
    if (!plain) {
        gather_elements(w, e);
        return;
    }
    at = w_op2(w, "Squeeze", at, w_ints(w, &last, 1));
    at = cast_to(w, at, WF_I64);
    if (a->mode == INDEX_CLIP) {
        int64_t below = 1;
        at = w_op2(w, "Max", at, w_number(w, WF_I64, 0));
        at = w_op2(w, "Min", at, reshape(w, w_op2(w, "Sub", w_dim(w, x.dims[axis]), w_ints(w, &below, 1)), NULL, 0));
    }
    w_attr_int(w, &attrs, "axis", axis);
    at = w_node(w, "Gather", (const char *[]){IN(0), at}, 2, &attrs);
    /* it has x[:axis], places, x[axis+1:]; the result has offset_dims where it says */
    for (uint32_t i = 0; i < y.rank; i++) {
        if (has(a->offset_dims, i)) {
            from[i] = no < axis ? no : no + nb;
            no++;
        } else {
            from[i] = axis + nn++;
        }
        perm[i] = from[i];
    }
    set(w, e, transpose(w, at, perm, y.rank));
}

/* One key, and perhaps values that go with it. */
static void write_sort(Writing *w, const Eqn *e)
{
    const SortAttr *a = e->attr;
    Type t = TYPE_IN(0);
    Wire attrs = {.a = w->a}, gather = {.a = w->a};
    const char *out[2] = {w_name(w, "sorted"), w_name(w, "order")};

    if (a->keys != 1) {
        refuse(w, e, "by several keys");
        return;
    }
    w_attr_int(w, &attrs, "axis", a->axis);
    w_attr_int(w, &attrs, "largest", a->descending.n && a->descending.v[0]);
    w_attr_int(w, &attrs, "sorted", 1);
    w_node_as(w, "TopK", (const char *[]){IN(0), w_dim(w, t.dims[a->axis])}, 2, &attrs, out, 2);
    set(w, e, out[0]);
    w_attr_int(w, &gather, "axis", a->axis);
    for (uint32_t i = 1; i < e->nin; i++)
        w->val[e->out + i] = w_node(w, "GatherElements", (const char *[]){IN(i), out[1]}, 2, &gather);
}

/* ---- control flow -------------------------------------------------------------------------------------------- */

static void write_cond(Writing *w, const Eqn *e)
{
    const CondAttr *a = e->attr;
    const char **in = arena_array(w->a, e->nin + 1u, sizeof *in), **out = arena_array(w->a, e->nout + 1u, sizeof *out), *p = IN(0);
    Wire attrs = {.a = w->a}, body;

    if (a->branches.n != 2) {
        refuse(w, e, "more than two branches");
        return;
    }
    for (uint32_t i = 1; i < e->nin; i++)
        in[i - 1] = IN(i);
    if (!is_bool(TYPE_IN(0)))
        p = w_op2(w, "Greater", p, w_number(w, (wf_dtype)TYPE_IN(0).dtype, 0));
    for (uint32_t k = 0; k < 2; k++) {
        if (!w_body(w, &a->branches.v[k], in, e->nin - 1u, &body))
            return;
        w_attr_graph(w, &attrs, k ? "then_branch" : "else_branch", &body);
    }
    for (uint32_t i = 0; i < e->nout; i++)
        w->val[e->out + i] = out[i] = w_name(w, "if");
    w_node_as(w, "If", &p, 1, &attrs, out, e->nout);
}

static void write_scan(Writing *w, const Eqn *e)
{
    const ScanAttr *a = e->attr;
    uint32_t nconst = (uint32_t)a->nconst, ncarry = (uint32_t)a->ncarry, nxs = e->nin - nconst - ncarry, nys = e->nout - ncarry;
    const char **in = arena_array(w->a, e->nin + 2u, sizeof *in), **out = arena_array(w->a, e->nout + 1u, sizeof *out);
    int64_t *ways = arena_array(w->a, MAX(nxs, nys) + 1, sizeof *ways);
    Wire attrs = {.a = w->a}, body;

    if (!nxs) {
        refuse(w, e, "a scan over nothing");
        return;
    }
    for (uint32_t i = 0; i < e->nin; i++)
        in[i] = IN(i);
    for (uint32_t i = 0; i < MAX(nxs, nys); i++)
        ways[i] = a->reverse;
    if (!w_body(w, &a->body, in, nconst, &body))
        return;
    w_attr_graph(w, &attrs, "body", &body);
    w_attr_int(w, &attrs, "num_scan_inputs", nxs);
    w_attr_ints(w, &attrs, "scan_input_directions", ways, nxs);
    w_attr_ints(w, &attrs, "scan_output_directions", ways, nys);
    for (uint32_t i = 0; i < e->nout; i++)
        w->val[e->out + i] = out[i] = w_name(w, "scan");
    w_node_as(w, "Scan", in + nconst, ncarry + nxs, &attrs, out, e->nout);
}

static bool write_calls(Writing *w, const Eqn *e)
{
    const Val *in = eqn_in(w->p, e);

    switch (e->op) {
    case OP_call: w_inline(w, &((const CallAttr *)e->attr)->body, in, e); return true;
    case OP_custom_jvp: w_inline(w, &((const CustomJvpAttr *)e->attr)->primal, in, e); return true;
    case OP_custom_vjp: w_inline(w, &((const CustomVjpAttr *)e->attr)->primal, in, e); return true;
    case OP_checkpoint: w_inline(w, &((const CheckpointAttr *)e->attr)->body, in, e); return true;
    case OP_cond: write_cond(w, e); return true;
    case OP_scan: write_scan(w, e); return true;
    case OP_dot_general: write_dot(w, e); return true;
    case OP_conv_general: write_conv(w, e); return true;
    case OP_reduce_window_max:
    case OP_reduce_window_sum: write_window(w, e); return true;
    case OP_gather: write_gather(w, e); return true;
    case OP_sort: write_sort(w, e); return true;
    default: return false;
    }
}

void w_equation(Writing *w, const Eqn *e)
{
    for (uint32_t i = 0; i < e->nin; i++)
        if (!*IN(i)) {
            refuse(w, e, "it reads places of the maxima of a pool");
            return;
        }
    for (uint32_t i = 0; i < e->nin + (e->nout != 0); i++)
        if (!ox_elem((wf_dtype)(i < e->nin ? TYPE_IN(i) : TYPE_OUT).dtype)) {
            refuse(w, e, "a type that ONNX has not");
            return;
        }
    if (!write_shape(w, e) && !write_map(w, e) && !write_reduce(w, e) && !write_calls(w, e))
        refuse(w, e, "");

}
