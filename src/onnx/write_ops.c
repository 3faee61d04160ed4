/* write_ops.c -- primitives as nodes of opset 21. */
#include "onnx/write_ops.h"

#include <math.h>

void w_set(Writing *w, const Eqn *e, const char *name) { w->val[e->out] = name; }

void w_refuse(Writing *w, const Eqn *e, const char *why)
{
    fail(w->cx, WF_ERR_UNSUPPORTED, eqn_place(w->p, e), "onnx: %s cannot be written%s%s", op_table[e->op].name, *why ? ": " : "", why);
}

static bool is_bool(Type t) { return t.dtype == WF_BOOL; }


const char *w_cast(Writing *w, const char *x, wf_dtype dtype)
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
    {OP_abs, "Abs"},     {OP_sign, "Sign"},   {OP_exp, "Exp"},       {OP_log, "Log"},   {OP_sin, "Sin"},
    {OP_cos, "Cos"},     {OP_tan, "Tan"},     {OP_tanh, "Tanh"},   {OP_asin, "Asin"},     {OP_acos, "Acos"}, {OP_atan, "Atan"},
    {OP_sinh, "Sinh"},   {OP_cosh, "Cosh"},   {OP_asinh, "Asinh"}, {OP_acosh, "Acosh"},   {OP_atanh, "Atanh"},
    {OP_erf, "Erf"},     {OP_sqrt, "Sqrt"},   {OP_floor, "Floor"}, {OP_ceil, "Ceil"},     {OP_round, "Round"},
    {OP_logistic, "Sigmoid"}, {OP_add, "Add"}, {OP_sub, "Sub"},    {OP_mul, "Mul"},       {OP_pow, "Pow"},
    {OP_max, "Max"},     {OP_min, "Min"},     {OP_eq, "Equal"},    {OP_lt, "Less"},       {OP_le, "LessOrEqual"},
    {OP_gt, "Greater"},  {OP_ge, "GreaterOrEqual"}, {OP_select, "Where"}, {OP_stop_gradient, "Identity"}, {OP_name, "Identity"},
    {OP_pvary, "Identity"}, {OP_shard, "Identity"},
};

static bool write_same(Writing *w, const Eqn *e)
{
    const char **in = arena_array(w->a, e->nin + 1u, sizeof *in);

    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        if (same[i].op == e->op) {
            for (uint32_t k = 0; k < e->nin; k++)
                in[k] = IN(k);
            w_set(w, e, w_node(w, same[i].node, in, e->nin, NULL));
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

static const char *integer(Writing *w, int64_t x) { return w_const(w, WF_I64, NULL, 0, &x, sizeof x); }

static const char *where(Writing *w, const char *p, const char *x, const char *y)
{
    return w_node(w, "Where", (const char *[]){p, x, y}, 3, NULL);
}

/* Is it a constant without an element 0 or -1? */
static bool divides(const Program *p, Val v)
{
    const Eqn *e = p->vals[v].eqn == EQN_INPUT ? NULL : &p->eqns[p->vals[v].eqn];
    const ConstAttr *a = e && e->op == OP_const ? e->attr : NULL;
    size_t size;

    if (!a)
        return false;
    size = wf_dtype_size((wf_dtype)a->type.dtype);
    for (size_t i = 0; i < a->data->size; i += size) {
        double x = element_as_f64((wf_dtype)a->type.dtype, (const char *)a->data->data + i);

        if (x == 0 || x == -1)
            return false;
    }
    return true;
}

/* div and rem of integers: x / 0 is -1, x rem 0 is x, and -1 divides without overflow */
static void write_division(Writing *w, const Eqn *e)
{
    wf_dtype t = (wf_dtype)TYPE_IN(0).dtype;
    bool rem = e->op == OP_rem, safe = dtype_is_float(t) || divides(w->p, eqn_in(w->p, e)[1]);
    const char *x = IN(0), *y = IN(1), *zero = NULL, *minus = NULL, *q;
    Wire attrs = {.a = w->a};

    if (!safe) {
        zero = w_op2(w, "Equal", y, w_number(w, t, 0));
        minus = w_op2(w, "Equal", y, w_number(w, t, -1));
        y = where(w, w_op2(w, "Or", zero, minus), w_number(w, t, 1), y);
    }
    if (rem)
        w_attr_int(w, &attrs, "fmod", 1);
    q = w_node(w, rem ? "Mod" : "Div", (const char *[]){x, y}, 2, &attrs);
    if (!safe) {
        q = where(w, minus, rem ? w_number(w, t, 0) : w_op2(w, "Sub", w_number(w, t, 0), x), q);
        q = where(w, zero, rem ? x : w_number(w, t, -1), q);
    }
    w_set(w, e, q);
}

/* Bits of x moved by y. Up, or down with zeros: as u64. Down with copies of the sign: the bits of ~x where x < 0. */
static void write_shift(Writing *w, const Eqn *e)
{
    wf_dtype t = (wf_dtype)TYPE_IN(0).dtype;
    int64_t bits = (int64_t)wf_dtype_size(t) * 8, all = bits == 64 ? -1 : ((int64_t)1 << bits) - 1;
    const char *x = w_cast(w, IN(0), WF_I64), *y = w_cast(w, IN(1), WF_I64), *flip = NULL, *out, *inside, *beyond;
    Wire attrs = {.a = w->a};

    x = w_op2(w, "BitwiseAnd", x, integer(w, all));
    if (e->op == OP_shr_arith) {
        flip = w_op2(w, "BitwiseAnd", x, integer(w, (int64_t)((uint64_t)1 << (bits - 1))));
        flip = where(w, w_op2(w, "Equal", flip, integer(w, 0)), integer(w, 0), integer(w, all));
        x = w_op2(w, "BitwiseXor", x, flip);
    }
    inside = w_op2(w, "And", w_op2(w, "GreaterOrEqual", y, integer(w, 0)), w_op2(w, "Less", y, integer(w, bits)));
    y = w_cast(w, where(w, inside, y, integer(w, 0)), WF_U64);
    w_attr_text(w, &attrs, "direction", e->op == OP_shl ? "LEFT" : "RIGHT");
    out = w_node(w, "BitShift", (const char *[]){w_cast(w, x, WF_U64), y}, 2, &attrs);
    out = w_cast(w, out, WF_I64);
    beyond = where(w, inside, out, integer(w, 0));
    if (flip)
        beyond = w_op2(w, "BitwiseXor", beyond, flip);
    w_set(w, e, w_cast(w, beyond, t));
}

/* Floats to integers are cut off at the ends, which Cast does not say; NaN is 0. */
static void write_cast(Writing *w, const Eqn *e)
{
    wf_dtype from = (wf_dtype)TYPE_IN(0).dtype, to = (wf_dtype)((const DtypeAttr *)e->attr)->dtype, top = to;
    bool is_signed = to == WF_I8 || to == WF_I16 || to == WF_I32 || to == WF_I64;
    double hi = ldexp(1, (int)wf_dtype_size(to) * 8 - is_signed), lo = is_signed ? -hi : 0;
    const char *x = IN(0), *y;
    int64_t most;

    if (!dtype_is_float(from) || to == WF_BOOL || dtype_is_float(to)) {
        w_set(w, e, w_cast(w, x, to));
        return;
    }
    most = to == WF_U64 ? -1 : to == WF_I64 ? INT64_MAX : (int64_t)(hi - 1);
    if (from != WF_F32 && from != WF_F64)
        x = w_cast(w, x, from = WF_F32);
    x = where(w, w_op1(w, "IsNaN", x), w_number(w, from, 0), x);
    x = w_op2(w, "Max", x, w_number(w, from, lo));
    y = where(w, w_op2(w, "Less", x, w_number(w, from, hi)), x, w_number(w, from, 0));
    if (to != WF_I32 && to != WF_I64 && to != WF_U64)
        top = WF_I64;
    y = where(w, w_op2(w, "Less", x, w_number(w, from, hi)), w_cast(w, y, top), w_const(w, top, NULL, 0, &most, wf_dtype_size(top)));
    w_set(w, e, top == to ? y : w_cast(w, y, to));
}

static bool write_map(Writing *w, const Eqn *e)
{
    wf_dtype dtype = e->nin ? (wf_dtype)TYPE_IN(0).dtype : WF_INVALID;
    const char *x = e->nin ? IN(0) : NULL, *one;

    if (write_same(w, e))
        return true;
    switch (e->op) {
    case OP_neg: w_set(w, e, dtype == WF_U64 ? w_op2(w, "Sub", w_number(w, dtype, 0), x) : w_op1(w, "Neg", x)); break;
    case OP_exp2: w_set(w, e, w_op2(w, "Pow", w_number(w, dtype, 2), x)); break;
    case OP_rsqrt: w_set(w, e, w_op1(w, "Reciprocal", w_op1(w, "Sqrt", x))); break;
    case OP_cbrt:
        one = w_op2(w, "Pow", w_op1(w, "Abs", x), w_number(w, dtype, 1.0 / 3));
        w_set(w, e, w_op2(w, "Mul", w_op1(w, "Sign", x), one));
        break;
    case OP_is_finite: w_set(w, e, w_op1(w, "Not", w_op2(w, "Or", w_op1(w, "IsInf", x), w_op1(w, "IsNaN", x)))); break;
    case OP_ne: w_set(w, e, w_op1(w, "Not", w_op2(w, "Equal", x, IN(1)))); break;
    case OP_not: w_set(w, e, w_op1(w, logical(e, dtype == WF_BOOL), x)); break;
    case OP_and:
    case OP_or:
    case OP_xor: w_set(w, e, w_op2(w, logical(e, dtype == WF_BOOL), x, IN(1))); break;
    case OP_clamp: w_set(w, e, w_op2(w, "Min", w_op2(w, "Max", IN(1), x), IN(2))); break;
    case OP_cast: write_cast(w, e); break;
    case OP_div:
    case OP_rem: write_division(w, e); break;
    case OP_shl:
    case OP_shr_logical:
    case OP_shr_arith: write_shift(w, e); break;
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
        w_set(w, e, reduce(w, node, x, ((const ReduceAttr *)e->attr)->axes));
        return true;
    }
    switch (e->op) {
    case OP_reduce_and:
    case OP_reduce_or: /* how many are true, or not; a sum of nothing is 0 */
        if (!is_bool(TYPE_IN(0)))
            return w_refuse(w, e, "of bits"), true;
        x = e->op == OP_reduce_and ? w_op1(w, "Not", x) : x;
        x = reduce(w, "ReduceSum", w_cast(w, x, WF_I64), ((const ReduceAttr *)e->attr)->axes);
        x = w_op2(w, "Greater", x, w_number(w, WF_I64, 0));
        w_set(w, e, e->op == OP_reduce_and ? w_op1(w, "Not", x) : x);
        return true;
    case OP_argmax:
    case OP_argmin:
        w_attr_int(w, &attrs, "axis", arg->axis);
        w_attr_int(w, &attrs, "keepdims", 0);
        x = w_node(w, e->op == OP_argmax ? "ArgMax" : "ArgMin", &x, 1, &attrs);
        w_set(w, e, arg->dtype == WF_I64 ? x : w_cast(w, x, (wf_dtype)arg->dtype));
        return true;
    case OP_cumsum:
        w_attr_int(w, &attrs, "reverse", ((const CumAttr *)e->attr)->reverse);
        w_set(w, e, w_node(w, "CumSum", (const char *[]){x, w_number(w, WF_I64, (double)((const CumAttr *)e->attr)->axis)}, 2, &attrs));
        return true;
    default: return false;
    }
}

/* ---- shapes ---------------------------------------------------------------------------------------------- */

const char *w_reshape(Writing *w, const char *x, const Dim *dims, uint32_t rank)
{
    Wire attrs = {.a = w->a};

    w_attr_int(w, &attrs, "allowzero", 1);
    return w_node(w, "Reshape", (const char *[]){x, w_dims(w, dims, rank)}, 2, &attrs);
}

const char *w_transpose(Writing *w, const char *x, const int64_t *perm, uint32_t n)
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
        x = w_reshape(w, x, dims, shape.n);
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
        w_set(w, e, w_op2(w, "Expand", w_const(w, (wf_dtype)t.dtype, NULL, 0, a->data->data, a->data->size), w_dims(w, t.dims, t.rank)));
    else
        w_set(w, e, w_const(w, (wf_dtype)t.dtype, dims, t.rank, a->data->data, a->data->size));
}

const char *w_scalar_dim(Writing *w, Dim d)
{
    return d >= 0 ? w_const(w, WF_I64, NULL, 0, &d, sizeof d) : w_reshape(w, w_dim(w, d), NULL, 0);
}

const char *w_range(Writing *w, Dim n)
{
    return w_node(w, "Range", (const char *[]){w_number(w, WF_I64, 0), w_scalar_dim(w, n), w_number(w, WF_I64, 1)}, 3, NULL);
}

const char *w_concat(Writing *w, const char *const *x, uint32_t n, int64_t axis)
{
    Wire attrs = {.a = w->a};

    w_attr_int(w, &attrs, "axis", axis);
    return w_node(w, "Concat", x, n, &attrs);
}

static void write_iota(Writing *w, const Eqn *e)
{
    const IotaAttr *a = e->attr;
    Dim n = a->type.dims[a->axis];
    const char *x = w_range(w, n);
    Type from = {.dtype = a->type.dtype, .rank = 1, .dims = &n};

    if (a->type.dtype != WF_I64)
        x = w_cast(w, x, (wf_dtype)a->type.dtype);
    w_set(w, e, a->type.rank == 1 ? x : broadcast(w, x, from, (Ints){a->type.rank, a->type.dims}, INTS(1, a->axis)));
}

static void write_slice(Writing *w, const Eqn *e)
{
    const SliceAttr *a = e->attr;
    int64_t *axes = arena_array(w->a, a->start.n + 1, sizeof *axes), *step = arena_array(w->a, a->start.n + 1, sizeof *step);

    for (uint32_t i = 0; i < a->start.n; i++) {
        axes[i] = i;
        step[i] = a->stride.n ? a->stride.v[i] : 1;
    }
    w_set(w, e, w_node(w, "Slice",
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
    w_set(w, e, w_node(w, "Slice", (const char *[]){IN(0), w_ints(w, v, a->axes.n), w_ints(w, v + a->axes.n, a->axes.n),
                                                  w_ints(w, a->axes.v, a->axes.n), w_ints(w, v + 2 * a->axes.n, a->axes.n)}, 5, NULL));
}

/* Elements apart along an axis: each gets so many of the value behind it, but for the last. have: sizes, i64[1], set to the new. */
static const char *spread_axis(Writing *w, const char *x, const char *value, uint32_t rank, const char **have, uint32_t axis, int64_t gap)
{
    int64_t *pads = arena_zalloc(w->a, (2u * rank + 4) * sizeof *pads), zero = 0, at = axis, cut = -gap, one = 1, scale = gap + 1;
    const char **dims = arena_array(w->a, rank + 2u, sizeof *dims);
    Wire attrs = {.a = w->a};

    /* [.., n, ..] -> [.., n, 1, ..] -> [.., n, 1 + gap, ..] -> [.., n (1 + gap), ..] -> without the last gap */
    for (uint32_t i = 0, k = 0; i < rank; i++) {
        dims[k++] = have[i];
        if (i == axis)
            dims[k++] = w_ints(w, &one, 1);
    }
    w_attr_int(w, &attrs, "allowzero", 1);
    x = w_node(w, "Reshape", (const char *[]){x, w_concat(w, dims, rank + 1, 0)}, 2, &attrs);
    pads[rank + 1u + axis + 1] = gap;
    x = w_node(w, "Pad", (const char *[]){x, w_ints(w, pads, 2u * rank + 2), value}, 3, NULL);
    have[axis] = w_op2(w, "Mul", have[axis], w_ints(w, &scale, 1));
    x = w_node(w, "Reshape", (const char *[]){x, w_concat(w, have, rank, 0)}, 2, &attrs);
    have[axis] = w_op2(w, "Add", have[axis], w_ints(w, &cut, 1));
    return w_node(w, "Slice", (const char *[]){x, w_ints(w, &zero, 1), w_ints(w, &cut, 1), w_ints(w, &at, 1)}, 4, NULL);
}

static void write_pad(Writing *w, const Eqn *e)
{
    const PadAttr *a = e->attr;
    Type t = TYPE_IN(0);
    Dim *pads = arena_array(w->a, 2u * t.rank + 1, sizeof *pads);
    const char *x = IN(0), **have = arena_array(w->a, t.rank + 1u, sizeof *have);

    for (uint32_t i = 0; i < t.rank; i++) {
        have[i] = w_dim(w, t.dims[i]);
        pads[i] = a->lo.v[i];
        pads[t.rank + i] = a->hi.v[i];
    }
    for (uint32_t i = 0; i < a->interior.n; i++)
        if (a->interior.v[i] && t.dims[i] != 0)
            x = spread_axis(w, x, IN(1), t.rank, have, i, a->interior.v[i]);
    w_set(w, e, t.rank ? w_node(w, "Pad", (const char *[]){x, w_dims(w, pads, 2u * t.rank), IN(1)}, 3, NULL) : x);
}

static bool write_shape(Writing *w, const Eqn *e)
{
    const char **in = arena_array(w->a, e->nin + 1u, sizeof *in);

    for (uint32_t i = 0; i < e->nin; i++)
        in[i] = IN(i);
    switch (e->op) {
    case OP_const: write_const(w, e); break;
    case OP_reshape: w_set(w, e, w_reshape(w, in[0], ((const ShapeAttr *)e->attr)->dims.v, ((const ShapeAttr *)e->attr)->dims.n)); break;
    case OP_broadcast:
        w_set(w, e, broadcast(w, in[0], TYPE_IN(0), ((const BroadcastAttr *)e->attr)->shape, ((const BroadcastAttr *)e->attr)->dims));
        break;
    case OP_transpose:
        w_set(w, e, w_transpose(w, in[0], ((const TransposeAttr *)e->attr)->perm.v, ((const TransposeAttr *)e->attr)->perm.n));
        break;
    case OP_slice: ((const SliceAttr *)e->attr)->start.n ? write_slice(w, e) : w_set(w, e, in[0]); break;
    case OP_rev: write_rev(w, e); break;
    case OP_pad: write_pad(w, e); break;
    case OP_iota: write_iota(w, e); break;
    case OP_dim: w_set(w, e, w_scalar_dim(w, ((const DimAttr *)e->attr)->dim)); break;
    case OP_size:
        w->syms[dim_node(&w->p->dims, ((const SymAttr *)e->attr)->sym)->sym] = w_reshape(w, in[0], (Dim[]){1}, 1);
        break;
    case OP_concat: w_set(w, e, w_concat(w, in, e->nin, ((const AxisAttr *)e->attr)->axis)); break;
    case OP_opt_barrier:
        for (uint32_t i = 0; i < e->nout; i++)
            w->val[e->out + i] = in[i];
        break;
    default: return false;
    }
    return true;
}

/* ---- products -------------------------------------------------------------------------------------------- */

/* In what a product is computed: operands of other types are cast, and the result from it. */
static wf_dtype product_type(Type x, Type y, wf_dtype acc)
{
    wf_dtype t[3] = {(wf_dtype)x.dtype, (wf_dtype)y.dtype, acc}, most = WF_INVALID;

    for (int i = 0; i < 3; i++)
        if (dtype_is_float(t[i]) && (most == WF_INVALID || wf_dtype_size(t[i]) > wf_dtype_size(most)))
            most = t[i];
    if (most != WF_INVALID)
        return (most == WF_F16 || most == WF_BF16) && (t[0] != most || t[1] != most) ? WF_F32 : most;
    return wf_dtype_size(acc) == 8 || acc == WF_U32 ? WF_I64 : WF_I32;
}

static const char *cast_from(Writing *w, const char *x, Type t, wf_dtype to) { return t.dtype == to ? x : w_cast(w, x, to); }

/* Any product of two tensors is an Einsum: one letter for each axis. */
static void write_dot(Writing *w, const Eqn *e)
{
    const DotAttr *a = e->attr;
    Type x = TYPE_IN(0), y = TYPE_IN(1);
    wf_dtype acc = (wf_dtype)TYPE_OUT.dtype, inner = product_type(x, y, acc);
    const char *in[2] = {cast_from(w, IN(0), x, inner), cast_from(w, IN(1), y, inner)}, *out_name;
    char lx[40] = "", ly[40] = "", out[80] = "", next = 'a';
    Wire attrs = {.a = w->a};
    uint32_t n = 0;
    Text t;

    if (x.rank + y.rank > 50) {
        w_refuse(w, e, "too many axes");
        return;
    }
    if (a->lhs.n == 1 && a->rhs.n == 1 && !a->lhs_batch.n && a->lhs.v[0] == x.rank - 1 && x.rank && y.rank == 2 && a->rhs.v[0] == 0) {
        out_name = w_op2(w, "MatMul", in[0], in[1]);
        w_set(w, e, inner == acc ? out_name : w_cast(w, out_name, acc));
        return;
    }
    for (uint32_t i = 0; i < a->lhs_batch.n; i++)
        lx[a->lhs_batch.v[i]] = ly[a->rhs_batch.v[i]] = out[n++] = next, next++;
    for (uint32_t i = 0; i < a->lhs.n; i++)
        lx[a->lhs.v[i]] = ly[a->rhs.v[i]] = next, next++;
    for (uint32_t i = 0; i < x.rank; i++)
        if (!ints_have(a->lhs, i) && !ints_have(a->lhs_batch, i))
            lx[i] = out[n++] = next, next = next == 'z' ? 'A' : (char)(next + 1);
    for (uint32_t i = 0; i < y.rank; i++)
        if (!ints_have(a->rhs, i) && !ints_have(a->rhs_batch, i))
            ly[i] = out[n++] = next, next = next == 'z' ? 'A' : (char)(next + 1);
    text_init(&t, w->a);
    text_printf(&t, "%s,%s->%s", lx, ly, out);
    w_attr_text(w, &attrs, "equation", text_str(&t));
    out_name = w_node(w, "Einsum", in, 2, &attrs);
    w_set(w, e, inner == acc ? out_name : w_cast(w, out_name, acc));
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

/* Has the result no element, or every sum none? Then it is zeros. */
static bool is_empty_conv(Type x, Type k, Type y)
{
    for (uint32_t i = 0; i < x.rank; i++)
        if (!x.dims[i] || !k.dims[i] || !y.dims[i])
            return true;
    return false;
}

static bool write_conv_attrs(Writing *w, const Eqn *e, Wire *attrs)
{
    const ConvAttr *a = e->attr;
    uint32_t n = TYPE_IN(0).rank - 2u;
    int64_t *pads = arena_array(w->a, 2 * n + 1, sizeof *pads), *v = arena_array(w->a, n + 1, sizeof *v), groups;

    if (!dim_value(&w->p->dims, a->groups, &groups))
        return w_refuse(w, e, "groups of symbolic number"), false;
    if (TYPE_IN(0).rank < 3 || a->batch_groups != 1 || !constants(w, a->pad_lo, n, 0, pads) || !constants(w, a->pad_hi, n, 0, pads + n))
        return w_refuse(w, e, "over no axes in groups, or of too many axes to pad it before"), false;
    for (uint32_t i = 0; i < 2 * n; i++)
        if (pads[i] < 0)
            return w_refuse(w, e, "it cuts more than there is"), false;
    w_attr_ints(w, attrs, "pads", pads, 2 * n);
    constants(w, a->stride, n, 1, v);
    w_attr_ints(w, attrs, "strides", v, n);
    constants(w, a->rhs_dilation, n, 1, v);
    w_attr_ints(w, attrs, "dilations", v, n);
    w_attr_int(w, attrs, "group", groups);
    return true;
}

/* Of integers of 8 bits ConvInteger; of others of up to 16 in f64, which is exact. */
static void write_conv(Writing *w, const Eqn *e)
{
    const ConvAttr *a = e->attr;
    Type t = TYPE_IN(0), k = TYPE_IN(1);
    wf_dtype acc = (wf_dtype)TYPE_OUT.dtype, inner = product_type(t, k, acc);
    bool bytes = wf_dtype_size((wf_dtype)t.dtype) == 1 && wf_dtype_size((wf_dtype)k.dtype) == 1 && !dtype_is_float(inner);
    int64_t back[MAX_RANK];
    Wire attrs = {.a = w->a};
    const char *in[2] = {IN(0), IN(1)}, *y;

    if (is_empty_conv(t, k, TYPE_OUT)) {
        w_set(w, e, w_op2(w, "Expand", w_number(w, acc, 0), w_dims(w, TYPE_OUT.dims, TYPE_OUT.rank)));
        return;
    }
    if (!write_conv_attrs(w, e, &attrs))
        return;
    if (inner == WF_BF16) /* Conv has no such type */
        inner = WF_F32;
    if (!dtype_is_float(inner) && !bytes) {
        if (wf_dtype_size((wf_dtype)t.dtype) > 2 || wf_dtype_size((wf_dtype)k.dtype) > 2) {
            w_refuse(w, e, "of integers of more than 16 bits");
            return;
        }
        inner = WF_F64;
    }
    in[0] = w_transpose(w, in[0], a->lhs_spec.v, a->lhs_spec.n);
    in[1] = w_transpose(w, in[1], a->rhs_spec.v, a->rhs_spec.n);
    if (bytes) {
        y = w_node(w, "ConvInteger", in, 2, &attrs);
        inner = WF_I32;
    } else {
        y = w_node(w, "Conv", (const char *[]){cast_from(w, in[0], t, inner), cast_from(w, in[1], k, inner)}, 2, &attrs);
    }
    for (uint32_t i = 0; i < a->out_spec.n; i++)
        back[a->out_spec.v[i]] = i;
    y = w_transpose(w, y, back, a->out_spec.n);
    w_set(w, e, inner == acc ? y : w_cast(w, y, acc));
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
        w_refuse(w, e, "windows that are no pool");
        return;
    }
    for (uint32_t i = 0; i < t.rank; i++)
        if (v[i] != 1 || pads[i] < 0 || pads[t.rank + i] < 0 || (i < 2 && (pads[i] || pads[t.rank + i]))) {
            w_refuse(w, e, "windows that are no pool");
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
    w_set(w, e, sums ? w_op2(w, "Mul", y, w_number(w, (wf_dtype)t.dtype, (double)count)) : y);
    if (!sums && e->nout > 1)
        w->val[e->out + 1] = ""; /* places: nobody can read them */
}

static bool write_calls(Writing *w, const Eqn *e)
{
    const char **in = arena_array(w->a, e->nin + 1u, sizeof *in);
    const Sub *s = op_body(e->op, e->attr);

    for (uint32_t i = 0; i < e->nin; i++)
        in[i] = IN(i);
    switch (e->op) {
    case OP_dot_general: write_dot(w, e); return true;
    case OP_conv_general: write_conv(w, e); return true;
    case OP_reduce_window_max:
    case OP_reduce_window_sum: write_window(w, e); return true;
    default:
        if (s)
            w_inline(w, s, in, &w->val[e->out]);
        return s != NULL;
    }
}

void w_equation(Writing *w, const Eqn *e)
{
    for (uint32_t i = 0; i < e->nin; i++)
        if (!*IN(i)) {
            w_refuse(w, e, "it reads places of the maxima of a pool");
            return;
        }
    for (uint32_t i = 0; i < e->nin + (e->nout != 0); i++)
        if (!ox_elem((wf_dtype)(i < e->nin ? TYPE_IN(i) : TYPE_OUT).dtype)) {
            w_refuse(w, e, "a type that ONNX has not");
            return;
        }
    if (!write_shape(w, e) && !write_map(w, e) && !write_reduce(w, e) && !write_calls(w, e) && !w_index(w, e) && !w_flow(w, e))
        w_refuse(w, e, "");
}
