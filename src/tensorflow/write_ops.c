/* write_ops.c -- primitives as nodes of a GraphDef. */
#include "tensorflow/write.h"
#include "tensorflow/tensorflow.h"

#define IN(i)      (g->val[eqn_in(g->p, e)[i]])
#define TYPE_IN(i) val_type(g->p, eqn_in(g->p, e)[i])
#define TYPE_OUT   val_type(g->p, e->out)

static void set(Graphing *g, const Eqn *e, const char *name) { g->val[e->out] = name; }

void g_refuse(Graphing *g, const Eqn *e, const char *why)
{
    fail(g->cx, WF_ERR_UNSUPPORTED, eqn_place(g->p, e),
         "tensorflow: %s cannot be written%s%s", op_table[e->op].name, *why ? ": " : "",
         why);
}

static const char *cast_to(Graphing *g, const char *x, wf_dtype from, wf_dtype to)
{
    Wire attrs = {.a = g->a};

    g_attr_type(g, &attrs, "SrcT", from);
    g_attr_type(g, &attrs, "DstT", to);
    return g_node(g, "Cast", &x, 1, WF_INVALID, &attrs);
}

/* ---- elementwise ------------------------------------------------------------------------------------------- */

static const struct {
    OpCode op;
    const char *node;
} same[] = {
    {OP_neg, "Neg"},
    {OP_abs, "Abs"},
    {OP_sign, "Sign"},
    {OP_exp, "Exp"},
    {OP_log, "Log"},
    {OP_sin, "Sin"},
    {OP_cos, "Cos"},
    {OP_tan, "Tan"},
    {OP_tanh, "Tanh"},
    {OP_asin, "Asin"},
    {OP_acos, "Acos"},
    {OP_atan, "Atan"},
    {OP_sinh, "Sinh"},
    {OP_cosh, "Cosh"},
    {OP_asinh, "Asinh"},
    {OP_acosh, "Acosh"},
    {OP_atanh, "Atanh"},
    {OP_erf, "Erf"},
    {OP_erfc, "Erfc"},
    {OP_erf_inv, "Erfinv"},
    {OP_lgamma, "Lgamma"},
    {OP_digamma, "Digamma"},
    {OP_sqrt, "Sqrt"},
    {OP_rsqrt, "Rsqrt"},
    {OP_expm1, "Expm1"},
    {OP_log1p, "Log1p"},
    {OP_floor, "Floor"},
    {OP_ceil, "Ceil"},
    {OP_round, "Round"},
    {OP_logistic, "Sigmoid"},
    {OP_is_finite, "IsFinite"},
    {OP_add, "AddV2"},
    {OP_sub, "Sub"},
    {OP_mul, "Mul"},
    {OP_pow, "Pow"},
    {OP_atan2, "Atan2"},
    {OP_max, "Maximum"},
    {OP_min, "Minimum"},
    {OP_eq, "Equal"},
    {OP_ne, "NotEqual"},
    {OP_lt, "Less"},
    {OP_le, "LessEqual"},
    {OP_gt, "Greater"},
    {OP_ge, "GreaterEqual"},
    {OP_shl, "LeftShift"},
    {OP_stop_gradient, "StopGradient"},
    {OP_name, "Identity"},
    {OP_rem, "TruncateMod"},
    {OP_cholesky, "Cholesky"},
};

static bool is_float(wf_dtype d) { return wf_dtype_is_float(d); }

/* and, or, xor, not: of bools and of bits */
static void write_bits(Graphing *g, const Eqn *e, wf_dtype d)
{
    bool bools = d == WF_BOOL;

    if (e->op == OP_not)
        set(g, e,
            g_op1(g, bools ? "LogicalNot" : "Invert", IN(0), bools ? WF_INVALID : d));
    else if (bools && e->op == OP_xor)
        set(g, e, g_op2(g, "NotEqual", IN(0), IN(1), WF_BOOL));
    else
        set(g, e,
            g_op2(g,
                  e->op == OP_and  ? (bools ? "LogicalAnd" : "BitwiseAnd")
                  : e->op == OP_or ? (bools ? "LogicalOr" : "BitwiseOr")
                                   : "BitwiseXor",
                  IN(0), IN(1), bools ? WF_INVALID : d));
}

static bool write_map(Graphing *g, const Eqn *e)
{
    wf_dtype d = e->nin ? (wf_dtype)TYPE_IN(0).dtype : WF_INVALID;

    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        if (same[i].op == e->op) {
            set(g, e,
                e->nin == 1 ? g_op1(g, same[i].node, IN(0), d)
                            : g_op2(g, same[i].node, IN(0), IN(1), d));
            return true;
        }
    switch (e->op) {
    case OP_div:
        set(g, e,
            g_op2(g,
                  is_float(d) || d == WF_C64 || d == WF_C128 ? "RealDiv" : "TruncateDiv",
                  IN(0), IN(1), d));
        break;
    case OP_select:
        set(g, e,
            g_node(g, "SelectV2", (const char *[]){IN(0), IN(1), IN(2)}, 3,
                   (wf_dtype)TYPE_IN(1).dtype, NULL));
        break;
    case OP_clamp:
        set(g, e, g_op2(g, "Minimum", g_op2(g, "Maximum", IN(1), IN(0), d), IN(2), d));
        break;
    case OP_cast:
        set(g, e, cast_to(g, IN(0), d, (wf_dtype)((const DtypeAttr *)e->attr)->dtype));
        break;
    case OP_exp2: set(g, e, g_op2(g, "Pow", g_number(g, d, 2), IN(0), d)); break;
    case OP_cbrt:
        set(g, e,
            g_op2(g, "Mul", g_op1(g, "Sign", IN(0), d),
                  g_op2(g, "Pow", g_op1(g, "Abs", IN(0), d), g_number(g, d, 1.0 / 3), d),
                  d));
        break;
    case OP_shr_logical:
    case OP_shr_arith:
        if ((e->op == OP_shr_logical) !=
            (d == WF_U8 || d == WF_U16 || d == WF_U32 || d == WF_U64))
            return g_refuse(g, e, "TensorFlow shifts by the sign of the type"), true;
        set(g, e, g_op2(g, "RightShift", IN(0), IN(1), d));
        break;
    case OP_not:
    case OP_and:
    case OP_or:
    case OP_xor: write_bits(g, e, d); break;
    default: return false;
    }
    return true;
}

/* ---- reductions ------------------------------------------------------------------------------------------------ */

static bool write_reduce(Graphing *g, const Eqn *e)
{
    wf_dtype d = e->nin ? (wf_dtype)TYPE_IN(0).dtype : WF_INVALID;
    const char *node = e->op == OP_reduce_sum    ? "Sum"
                       : e->op == OP_reduce_prod ? "Prod"
                       : e->op == OP_reduce_max  ? "Max"
                       : e->op == OP_reduce_min  ? "Min"
                       : e->op == OP_reduce_and  ? "All"
                       : e->op == OP_reduce_or   ? "Any"
                                                 : NULL;
    Wire attrs = {.a = g->a};

    if (node) {
        const ReduceAttr *a = e->attr;

        if ((e->op == OP_reduce_and || e->op == OP_reduce_or) && d != WF_BOOL)
            return g_refuse(g, e, "of bits"), true;
        g_attr_type(g, &attrs, "Tidx", WF_I64);
        g_attr_bool(g, &attrs, "keep_dims", false);
        set(g, e,
            g_node(g, node, (const char *[]){IN(0), g_ints(g, a->axes.v, a->axes.n)}, 2,
                   d == WF_BOOL ? WF_INVALID : d, &attrs));
        return true;
    }
    switch (e->op) {
    case OP_argmax:
    case OP_argmin: {
        const ArgAttr *a = e->attr;
        const char *x;

        g_attr_type(g, &attrs, "Tidx", WF_I64);
        g_attr_type(g, &attrs, "output_type", WF_I64);
        x = g_node(g, e->op == OP_argmax ? "ArgMax" : "ArgMin",
                   (const char *[]){IN(0), g_int(g, a->axis)}, 2, d, &attrs);
        set(g, e, a->dtype == WF_I64 ? x : cast_to(g, x, WF_I64, (wf_dtype)a->dtype));
        return true;
    }
    case OP_cumsum:
    case OP_cumprod: {
        const CumAttr *a = e->attr;

        g_attr_type(g, &attrs, "Tidx", WF_I64);
        g_attr_bool(g, &attrs, "exclusive", false);
        g_attr_bool(g, &attrs, "reverse", a->reverse);
        set(g, e,
            g_node(g, e->op == OP_cumsum ? "Cumsum" : "Cumprod",
                   (const char *[]){IN(0), g_int(g, a->axis)}, 2, d, &attrs));
        return true;
    }
    default: return false;
    }
}

/* ---- shapes -------------------------------------------------------------------------------------------------------- */

static const char *reshape_to(Graphing *g, const char *x, wf_dtype d, const char *shape)
{
    Wire attrs = {.a = g->a};

    g_attr_type(g, &attrs, "Tshape", WF_I64);
    return g_node(g, "Reshape", (const char *[]){x, shape}, 2, d, &attrs);
}

static const char *reshape(Graphing *g, const char *x, wf_dtype d, const Dim *dims,
                           uint32_t rank)
{
    return reshape_to(g, x, d, g_dims(g, dims, rank));
}

static const char *transpose(Graphing *g, const char *x, wf_dtype d, const int64_t *perm,
                             uint32_t n)
{
    Wire attrs = {.a = g->a};
    bool plain = true;

    for (uint32_t i = 0; i < n; i++)
        plain = plain && perm[i] == (int64_t)i;
    if (plain)
        return x;
    g_attr_type(g, &attrs, "Tperm", WF_I64);
    return g_node(g, "Transpose", (const char *[]){x, g_ints(g, perm, n)}, 2, d, &attrs);
}

static const char *broadcast_to(Graphing *g, const char *x, wf_dtype d, const Dim *dims,
                                uint32_t rank)
{
    Wire attrs = {.a = g->a};

    g_attr_type(g, &attrs, "Tidx", WF_I64);
    return g_node(g, "BroadcastTo", (const char *[]){x, g_dims(g, dims, rank)}, 2, d,
                  &attrs);
}

static const char *broadcast(Graphing *g, const char *x, Type from, Ints shape, Ints at)
{
    Dim *dims = arena_array(g->a, shape.n + 1, sizeof *dims);

    for (uint32_t i = 0; i < shape.n; i++)
        dims[i] = 1;
    for (uint32_t i = 0; i < at.n; i++)
        dims[at.v[i]] = from.dims[i];
    if (shape.n != from.rank)
        x = reshape(g, x, (wf_dtype)from.dtype, dims, shape.n);
    return broadcast_to(g, x, (wf_dtype)from.dtype, shape.v, shape.n);
}

static const char *range(Graphing *g, Dim n)
{
    Wire attrs = {.a = g->a};

    g_attr_type(g, &attrs, "Tidx", WF_I64);
    return g_node(g, "Range", (const char *[]){g_int(g, 0), g_dim(g, n), g_int(g, 1)}, 3,
                  WF_INVALID, &attrs);
}

static void write_const(Graphing *g, const Eqn *e)
{
    const ConstAttr *a = e->attr;
    Type t = a->type;

    if (a->splat && t.rank)
        set(g, e,
            broadcast_to(g,
                         g_const(g, NULL, (wf_dtype)t.dtype, NULL, 0, a->data->data,
                                 a->data->size),
                         (wf_dtype)t.dtype, t.dims, t.rank));
    else
        set(g, e,
            g_const(g, NULL, (wf_dtype)t.dtype, t.dims, t.rank, a->data->data,
                    a->data->size));
}

static void write_slice(Graphing *g, const Eqn *e)
{
    const SliceAttr *a = e->attr;
    int64_t *step = arena_array(g->a, a->start.n + 1, sizeof *step);
    Wire attrs = {.a = g->a};

    for (uint32_t i = 0; i < a->start.n; i++)
        step[i] = a->stride.n ? a->stride.v[i] : 1;
    g_attr_type(g, &attrs, "Index", WF_I64);
    set(g, e,
        a->start.n ? g_node(g, "StridedSlice",
                            (const char *[]){IN(0), g_dims(g, a->start.v, a->start.n),
                                             g_dims(g, a->limit.v, a->limit.n),
                                             g_ints(g, step, a->start.n)},
                            4, (wf_dtype)TYPE_IN(0).dtype, &attrs)
                   : IN(0));
}

static void write_pad(Graphing *g, const Eqn *e)
{
    const PadAttr *a = e->attr;
    Type t = TYPE_IN(0);
    Dim *pads = arena_array(g->a, 2u * t.rank + 1, sizeof *pads);
    Wire attrs = {.a = g->a};
    int64_t v;

    for (uint32_t i = 0; i < t.rank; i++) {
        pads[2 * i] = a->lo.v[i];
        pads[2 * i + 1] = a->hi.v[i];
        if ((a->interior.n && a->interior.v[i]) ||
            (dim_value(&g->p->dims, a->lo.v[i], &v) && v < 0) ||
            (dim_value(&g->p->dims, a->hi.v[i], &v) && v < 0)) {
            g_refuse(g, e, "elements apart, or padding below 0");
            return;
        }
    }
    g_attr_type(g, &attrs, "Tpaddings", WF_I64);
    set(g, e,
        t.rank ? g_node(g, "PadV2",
                        (const char *[]){IN(0),
                                         reshape(g, g_dims(g, pads, 2u * t.rank), WF_I64,
                                                 (Dim[]){t.rank, 2}, 2),
                                         IN(1)},
                        3, (wf_dtype)t.dtype, &attrs)
               : IN(0));
}

static void write_concat(Graphing *g, const Eqn *e)
{
    const char **in = arena_array(g->a, e->nin + 2u, sizeof *in);
    Wire attrs = {.a = g->a};

    for (uint32_t i = 0; i < e->nin; i++)
        in[i] = IN(i);
    in[e->nin] = g_int(g, ((const AxisAttr *)e->attr)->axis);
    if (e->nin == 1) {
        set(g, e, in[0]);
        return;
    }
    g_attr_int(g, &attrs, "N", e->nin);
    g_attr_type(g, &attrs, "Tidx", WF_I64);
    set(g, e, g_node(g, "ConcatV2", in, e->nin + 1u, (wf_dtype)TYPE_IN(0).dtype, &attrs));
}

static void write_iota(Graphing *g, const Eqn *e)
{
    const IotaAttr *a = e->attr;
    Dim n = a->type.dims[a->axis];
    Type from = {.dtype = a->type.dtype, .rank = 1, .dims = &n};
    const char *x = range(g, n);

    if (a->type.dtype != WF_I64)
        x = cast_to(g, x, WF_I64, (wf_dtype)a->type.dtype);
    set(g, e,
        a->type.rank == 1 ? x
                          : broadcast(g, x, from, (Ints){a->type.rank, a->type.dims},
                                      INTS(1, a->axis)));
}

static bool write_shape(Graphing *g, const Eqn *e)
{
    wf_dtype d = e->nin ? (wf_dtype)TYPE_IN(0).dtype : WF_INVALID;
    Wire attrs = {.a = g->a};

    switch (e->op) {
    case OP_const: write_const(g, e); break;
    case OP_reshape:
        set(g, e,
            reshape(g, IN(0), d, ((const ShapeAttr *)e->attr)->dims.v,
                    ((const ShapeAttr *)e->attr)->dims.n));
        break;
    case OP_broadcast:
        set(g, e,
            broadcast(g, IN(0), TYPE_IN(0), ((const BroadcastAttr *)e->attr)->shape,
                      ((const BroadcastAttr *)e->attr)->dims));
        break;
    case OP_transpose:
        set(g, e,
            transpose(g, IN(0), d, ((const TransposeAttr *)e->attr)->perm.v,
                      ((const TransposeAttr *)e->attr)->perm.n));
        break;
    case OP_slice: write_slice(g, e); break;
    case OP_rev:
        g_attr_type(g, &attrs, "Tidx", WF_I64);
        set(g, e,
            g_node(g, "ReverseV2",
                   (const char *[]){IN(0), g_ints(g, ((const AxesAttr *)e->attr)->axes.v,
                                                  ((const AxesAttr *)e->attr)->axes.n)},
                   2, d, &attrs));
        break;
    case OP_pad: write_pad(g, e); break;
    case OP_iota: write_iota(g, e); break;
    case OP_dim: set(g, e, g_dim(g, ((const DimAttr *)e->attr)->dim)); break;
    case OP_size:
        g->syms[dim_node(&g->p->dims, ((const SymAttr *)e->attr)->sym)->sym] =
            d == WF_I64 ? IN(0) : cast_to(g, IN(0), d, WF_I64);
        break;
    case OP_concat: write_concat(g, e); break;
    case OP_assert: break; /* a node that nothing asks for is not run; GatherV2 looks at its indices itself */
    case OP_opt_barrier:
        for (uint32_t i = 0; i < e->nout; i++)
            g->val[e->out + i] = IN(i);
        break;
    default: return false;
    }
    return true;
}

/* ---- products, convolutions, pools ----------------------------------------------------------------------------------- */

/* A matrix product, or an Einsum: one letter for each axis. */
static void write_dot(Graphing *g, const Eqn *e)
{
    const DotAttr *a = e->attr;
    Type x = TYPE_IN(0), y = TYPE_IN(1);
    wf_dtype d = (wf_dtype)x.dtype;
    char lx[40] = "", ly[40] = "", out[80] = "", next = 'a';
    Wire attrs = {.a = g->a};
    uint32_t n = 0;

    if (x.rank + y.rank > 26) {
        g_refuse(g, e, "too many axes");
        return;
    }
    if (x.rank == 2 && y.rank == 2 && a->lhs.n == 1 && !a->lhs_batch.n) {
        g_attr_bool(g, &attrs, "transpose_a", a->lhs.v[0] == 0);
        g_attr_bool(g, &attrs, "transpose_b", a->rhs.v[0] == 1);
        set(g, e, g_node(g, "MatMul", (const char *[]){IN(0), IN(1)}, 2, d, &attrs));
        return;
    }
    for (uint32_t i = 0; i < a->lhs_batch.n; i++)
        lx[a->lhs_batch.v[i]] = ly[a->rhs_batch.v[i]] = out[n++] = next, next++;
    for (uint32_t i = 0; i < a->lhs.n; i++)
        lx[a->lhs.v[i]] = ly[a->rhs.v[i]] = next, next++;
    for (uint32_t i = 0; i < x.rank; i++)
        if (!ints_have(a->lhs, i) && !ints_have(a->lhs_batch, i))
            lx[i] = out[n++] = next, next++;
    for (uint32_t i = 0; i < y.rank; i++)
        if (!ints_have(a->rhs, i) && !ints_have(a->rhs_batch, i))
            ly[i] = out[n++] = next, next++;
    g_attr_text(g, &attrs, "equation", arena_printf(g->a, "%s,%s->%s", lx, ly, out));
    g_attr_int(g, &attrs, "N", 2);
    set(g, e, g_node(g, "Einsum", (const char *[]){IN(0), IN(1)}, 2, d, &attrs));
}

static bool constants(Graphing *g, Ints v, uint32_t n, int64_t otherwise, int64_t *out)
{
    for (uint32_t i = 0; i < n; i++) {
        out[i] = otherwise;
        if (i < v.n && !dim_value(&g->p->dims, v.v[i], &out[i]))
            return false;
    }
    return true;
}

/* [N,H,W,C] with zeros (or another number) around */
static const char *pad_image(Graphing *g, const char *x, wf_dtype d, const int64_t *lo,
                             const int64_t *hi, double value)
{
    int64_t pads[8] = {0, 0, lo[0], hi[0], lo[1], hi[1], 0, 0};
    Wire attrs = {.a = g->a};

    if (!lo[0] && !hi[0] && !lo[1] && !hi[1])
        return x;
    g_attr_type(g, &attrs, "Tpaddings", WF_I64);
    return g_node(
        g, "PadV2",
        (const char *[]){x, reshape(g, g_ints(g, pads, 8), WF_I64, (Dim[]){4, 2}, 2),
                         g_number(g, d, value)},
        3, d, &attrs);
}

static void image_attrs(Graphing *g, Wire *attrs, const char *name, const int64_t *v)
{
    g_attr_ints(g, attrs, name, (int64_t[]){1, v[0], v[1], 1}, 4);
}

/* As [N,H,W,C] and [H,W,C,O]; one group, or one for each channel. */
static void write_conv(Graphing *g, const Eqn *e)
{
    const ConvAttr *a = e->attr;
    Type t = TYPE_IN(0), k = TYPE_IN(1);
    wf_dtype d = (wf_dtype)t.dtype;
    int64_t lo[2], hi[2], stride[2], dil[2], ldil[2], groups, channels, outs, perm[4],
        back[4];
    const char *x, *y;
    Wire attrs = {.a = g->a};
    bool depth;

    if (t.rank != 4 || a->batch_groups != 1 ||
        !dim_value(&g->p->dims, a->groups, &groups) ||
        !constants(g, a->pad_lo, 2, 0, lo) || !constants(g, a->pad_hi, 2, 0, hi) ||
        !constants(g, a->stride, 2, 1, stride) ||
        !constants(g, a->rhs_dilation, 2, 1, dil) ||
        !constants(g, a->lhs_dilation, 2, 1, ldil) || ldil[0] != 1 || ldil[1] != 1 ||
        lo[0] < 0 || lo[1] < 0 || hi[0] < 0 || hi[1] < 0) {
        g_refuse(
            g, e,
            "other than two axes, a dilated input, negative padding, or symbolic sizes");
        return;
    }
    depth = groups > 1;
    if (depth && (!dim_value(&g->p->dims, t.dims[conv_axis(a->lhs_spec, 1)], &channels) ||
                  channels != groups ||
                  !dim_value(&g->p->dims, k.dims[conv_axis(a->rhs_spec, 0)], &outs) ||
                  outs % groups)) {
        g_refuse(g, e, "groups of several channels");
        return;
    }
    for (uint32_t i = 0; i < 4; i++)
        perm[i] = conv_axis(a->lhs_spec, i == 0 ? 0 : i == 3 ? 1 : i + 1);
    x = pad_image(g, transpose(g, IN(0), d, perm, 4), d, lo, hi, 0);
    for (uint32_t i = 0; i < 4; i++)
        perm[i] = conv_axis(a->rhs_spec, i < 2 ? i + 2 : i == 2 ? 1 : 0);
    y = transpose(g, IN(1), d, perm, 4);
    if (depth) { /* [H,W,1,C M] -> [H,W,C,M] */
        int64_t shape[4] = {k.dims[conv_axis(a->rhs_spec, 2)],
                            k.dims[conv_axis(a->rhs_spec, 3)], groups, outs / groups};
        y = reshape(g, y, d, shape, 4);
    }
    image_attrs(g, &attrs, "strides", stride);
    image_attrs(g, &attrs, "dilations", dil);
    g_attr_text(g, &attrs, "padding", "VALID");
    g_attr_text(g, &attrs, "data_format", "NHWC");
    y = g_node(g, depth ? "DepthwiseConv2dNative" : "Conv2D", (const char *[]){x, y}, 2,
               d, &attrs);
    for (uint32_t i = 0; i < 4; i++)
        back[conv_axis(a->out_spec, i)] = i == 0 ? 0 : i == 1 ? 3 : i - 1;
    set(g, e, transpose(g, y, d, back, 4));
}

/* Windows over the last two of four axes. */
static void write_window(Graphing *g, const Eqn *e)
{
    const WindowAttr *a = e->attr;
    Type t = TYPE_IN(0);
    wf_dtype d = (wf_dtype)t.dtype;
    bool sums = e->op == OP_reduce_window_sum;
    int64_t window[4], lo[4], hi[4], stride[4], dil[4], base[4];
    Wire attrs = {.a = g->a};
    const char *x;

    if (t.rank != 4 || !constants(g, a->window, 4, 1, window) ||
        !constants(g, a->pad_lo, 4, 0, lo) || !constants(g, a->pad_hi, 4, 0, hi) ||
        !constants(g, a->stride, 4, 1, stride) ||
        !constants(g, a->window_dilation, 4, 1, dil) ||
        !constants(g, a->base_dilation, 4, 1, base)) {
        g_refuse(g, e, "windows that are no pool");
        return;
    }
    for (int i = 0; i < 4; i++)
        if (dil[i] != 1 || base[i] != 1 || lo[i] < 0 || hi[i] < 0 ||
            (i < 2 && (window[i] != 1 || lo[i] || hi[i] || stride[i] != 1))) {
            g_refuse(g, e, "windows that are no pool");
            return;
        }
    x = pad_image(g, transpose(g, IN(0), d, (int64_t[]){0, 2, 3, 1}, 4), d, lo + 2,
                  hi + 2, sums ? 0 : -3.4028234663852886e38);
    image_attrs(g, &attrs, "ksize", window + 2);
    image_attrs(g, &attrs, "strides", stride + 2);
    g_attr_text(g, &attrs, "padding", "VALID");
    x = g_node(g, sums ? "AvgPool" : "MaxPool", &x, 1, d, &attrs);
    x = transpose(g, x, d, (int64_t[]){0, 3, 1, 2}, 4);
    set(g, e,
        sums ? g_op2(g, "Mul", x, g_number(g, d, (double)(window[2] * window[3])), d)
             : x);
    if (e->nout > 1)
        g->val[e->out + 1] = ""; /* places: nobody can read them */
}

/* ---- indexing ---------------------------------------------------------------------------------------------------------------- */

static const char *take(Graphing *g, const char *x, wf_dtype d, const char *at,
                        wf_dtype index, int64_t axis)
{
    Wire attrs = {.a = g->a};

    g_attr_type(g, &attrs, "Tparams", d);
    g_attr_type(g, &attrs, "Tindices", index);
    g_attr_type(g, &attrs, "Taxis", WF_I64);
    return g_node(g, "GatherV2", (const char *[]){x, at, g_int(g, axis)}, 3, WF_INVALID,
                  &attrs);
}

static const char *range_along(Graphing *g, Dim size, uint32_t axis, uint32_t rank)
{
    Dim *dims = arena_array(g->a, rank + 1, sizeof *dims);

    for (uint32_t i = 0; i < rank; i++)
        dims[i] = i == axis ? size : 1;
    return reshape(g, range(g, size), WF_I64, dims, rank);
}

/* Any gather: the row-major number of every element of the result in x, which is read as a vector. */
static void write_gather(Graphing *g, const Eqn *e)
{
    const GatherAttr *a = e->attr;
    Type x = TYPE_IN(0), ix = TYPE_IN(1), y = TYPE_OUT;
    const char *at = g_int(g, 0);
    uint32_t offset = 0, batch_axes[WF_MAX_RANK], nb = 0;

    if (a->mode == INDEX_FILL) {
        g_refuse(g, e, "with a number for places outside");
        return;
    }
    for (uint32_t i = 0; i < y.rank; i++)
        if (!ints_have(a->offset_dims, i))
            batch_axes[nb++] = i;
    for (uint32_t i = 0; i < x.rank; i++) {
        int j = ints_find(a->start_index_map, i), k = ints_find(a->operand_batching, i);

        at = g_op2(g, "Mul", at, g_dim(g, x.dims[i]), WF_I64);
        if (j >=
            0) { /* column j of the indices, kept inside, shaped to meet the result */
            const char *room = g_op2(g, "Sub", g_dim(g, x.dims[i]),
                                     g_dim(g, a->slice_sizes.v[i]), WF_I64);
            const char *s =
                take(g, IN(1), (wf_dtype)ix.dtype, g_int(g, j), WF_I64, ix.rank - 1);
            Dim *dims = arena_array(g->a, y.rank + 1u, sizeof *dims);

            if (ix.dtype != WF_I64)
                s = cast_to(g, s, (wf_dtype)ix.dtype, WF_I64);
            s = g_op2(g, "Minimum", g_op2(g, "Maximum", s, g_int(g, 0), WF_I64), room,
                      WF_I64);
            for (uint32_t q = 0, n = 0; q < y.rank; q++)
                dims[q] = ints_have(a->offset_dims, q) ? 1 : ix.dims[n++];
            at = g_op2(g, "AddV2", at, reshape(g, s, WF_I64, dims, y.rank), WF_I64);
        }
        if (k >= 0)
            at = g_op2(
                g, "AddV2", at,
                range_along(g, x.dims[i], batch_axes[a->indices_batching.v[k]], y.rank),
                WF_I64);
        else if (!ints_have(a->collapsed, i))
            at = g_op2(g, "AddV2", at,
                       range_along(g, a->slice_sizes.v[i],
                                   (uint32_t)a->offset_dims.v[offset++], y.rank),
                       WF_I64);
    }
    at = broadcast_to(g, at, WF_I64, y.dims, y.rank);
    set(g, e,
        take(g, reshape_to(g, IN(0), (wf_dtype)x.dtype, g_ints(g, (int64_t[]){-1}, 1)),
             (wf_dtype)x.dtype, at, WF_I64, 0));
}

/* Column j of the indices of a scatter, shaped to meet the updates. */
static const char *update_start(Graphing *g, const Eqn *e, uint32_t j)
{
    const ScatterAttr *a = e->attr;
    Type ix = TYPE_IN(1), u = TYPE_IN(2);
    Dim *dims = arena_array(g->a, u.rank + 1u, sizeof *dims);
    const char *s = take(g, IN(1), (wf_dtype)ix.dtype, g_int(g, j), WF_I64, ix.rank - 1);

    if (ix.dtype != WF_I64)
        s = cast_to(g, s, (wf_dtype)ix.dtype, WF_I64);
    for (uint32_t q = 0, n = 0; q < u.rank; q++)
        dims[q] = ints_have(a->update_window, q) ? 1 : ix.dims[n++];
    return reshape(g, s, WF_I64, dims, u.rank);
}

/* Any scatter: the row-major number of each update in x, which is a vector with one place more, for those outside. */
static void write_scatter(Graphing *g, const Eqn *e)
{
    const ScatterAttr *a = e->attr;
    Type x = TYPE_IN(0), u = TYPE_IN(2);
    wf_dtype d = (wf_dtype)x.dtype;
    const char *at = g_int(g, 0), *all = g_int(g, 1), *inside = NULL, *flat,
               *minus = g_ints(g, (int64_t[]){-1}, 1);
    uint32_t window = 0, batch_axes[WF_MAX_RANK], nb = 0;
    Wire index = {.a = g->a}, join = {.a = g->a}, cut = {.a = g->a};

    for (uint32_t i = 0; i < u.rank; i++)
        if (!ints_have(a->update_window, i))
            batch_axes[nb++] = i;
    for (uint32_t i = 0; i < x.rank; i++) {
        int j = ints_find(a->operand_dims, i), k = ints_find(a->operand_batching, i);
        bool wide = k < 0 && !ints_have(a->inserted, i);
        Dim size = wide ? u.dims[a->update_window.v[window]] : 1;

        at = g_op2(g, "Mul", at, g_dim(g, x.dims[i]), WF_I64);
        all = g_op2(g, "Mul", all, g_dim(g, x.dims[i]), WF_I64);
        if (j >= 0) {
            const char *s = update_start(g, e, (uint32_t)j), *zero = g_int(g, 0);
            const char *room =
                g_op2(g, "Sub", g_dim(g, x.dims[i]), g_dim(g, size), WF_I64);
            const char *kept =
                g_op2(g, "Minimum", g_op2(g, "Maximum", s, zero, WF_I64), room, WF_I64);
            const char *fits = g_op2(g, "Equal", s, kept, WF_I64);

            if (a->mode != INDEX_CLIP)
                inside = inside ? g_op2(g, "LogicalAnd", inside, fits, WF_INVALID) : fits;
            at = g_op2(g, "AddV2", at, kept, WF_I64);
        }
        if (k >= 0)
            at = g_op2(
                g, "AddV2", at,
                range_along(g, x.dims[i], batch_axes[a->indices_batching.v[k]], u.rank),
                WF_I64);
        else if (wide)
            at = g_op2(
                g, "AddV2", at,
                range_along(g, size, (uint32_t)a->update_window.v[window++], u.rank),
                WF_I64);
    }
    if (inside)
        at = g_node(g, "SelectV2", (const char *[]){inside, at, all}, 3, WF_I64, NULL);
    at = reshape_to(g, broadcast_to(g, at, WF_I64, u.dims, u.rank), WF_I64,
                    g_ints(g, (int64_t[]){-1, 1}, 2));
    g_attr_type(g, &index, "Tindices", WF_I64);
    g_attr_int(g, &join, "N", 2);
    g_attr_type(g, &join, "Tidx", WF_I64);
    g_attr_type(g, &cut, "Index", WF_I64);
    flat = reshape_to(g, IN(0), d, minus);
    flat = g_node(
        g, "ConcatV2",
        (const char *[]){flat, reshape_to(g, g_number(g, d, 0), d, minus), g_int(g, 0)},
        3, d, &join);
    flat =
        g_node(g, e->op == OP_scatter_add ? "TensorScatterAdd" : "TensorScatterUpdate",
               (const char *[]){flat, at, reshape_to(g, IN(2), d, minus)}, 3, d, &index);
    flat =
        g_node(g, "Slice",
               (const char *[]){flat, g_ints(g, (int64_t[]){0}, 1),
                                reshape_to(g, all, WF_I64, g_ints(g, (int64_t[]){1}, 1))},
               3, d, &cut);
    set(g, e, reshape(g, flat, d, x.dims, x.rank));
}

/* Starts that are kept inside: Slice. */
static void write_dynamic_slice(Graphing *g, const Eqn *e)
{
    const DynamicSliceAttr *a = e->attr;
    Type t = TYPE_IN(0);
    const char **parts = arena_array(g->a, t.rank + 1u, sizeof *parts);
    Wire pack = {.a = g->a}, attrs = {.a = g->a};

    for (uint32_t i = 0; i < t.rank; i++) {
        const char *s = IN(1 + i), *room = g_op2(g, "Sub", g_dim(g, t.dims[i]),
                                                 g_dim(g, a->sizes.v[i]), WF_I64);

        if (TYPE_IN(1 + i).dtype != WF_I64)
            s = cast_to(g, s, (wf_dtype)TYPE_IN(1 + i).dtype, WF_I64);
        parts[i] = g_op2(g, "Minimum", g_op2(g, "Maximum", s, g_int(g, 0), WF_I64), room,
                         WF_I64);
    }
    g_attr_int(g, &pack, "N", t.rank);
    g_attr_int(g, &pack, "axis", 0);
    g_attr_type(g, &attrs, "Index", WF_I64);
    set(g, e,
        t.rank ? g_node(g, "Slice",
                        (const char *[]){IN(0),
                                         g_node(g, "Pack", parts, t.rank, WF_I64, &pack),
                                         g_dims(g, a->sizes.v, t.rank)},
                        3, (wf_dtype)t.dtype, &attrs)
               : IN(0));
}

static bool write_rest(Graphing *g, const Eqn *e)
{
    switch (e->op) {
    case OP_dot_general: write_dot(g, e); return true;
    case OP_conv_general: write_conv(g, e); return true;
    case OP_reduce_window_max:
    case OP_reduce_window_sum: write_window(g, e); return true;
    case OP_gather: write_gather(g, e); return true;
    case OP_dynamic_slice: write_dynamic_slice(g, e); return true;
    case OP_scatter:
    case OP_scatter_add: write_scatter(g, e); return true;
    default: return false;
    }
}

void g_equation(Graphing *g, const Eqn *e)
{
    for (uint32_t i = 0; i < e->nin; i++)
        if (!*IN(i)) {
            g_refuse(g, e, "it reads places of the maxima of a pool");
            return;
        }
    for (uint32_t i = 0; i < e->nin + (e->nout != 0); i++)
        if (!tg_type((wf_dtype)(i < e->nin ? TYPE_IN(i) : TYPE_OUT).dtype)) {
            g_refuse(g, e, "a type that TensorFlow has not");
            return;
        }
    if (!write_shape(g, e) && !write_map(g, e) && !write_reduce(g, e) &&
        !write_rest(g, e) && !g_flow(g, e))
        g_refuse(g, e, "");
}
