/* op_map_cast.c -- elementwise, with types of their own: select, clamp, cast, bitcast. */
#include "op/nd.h"
#include "op/op_map.h"

static Val zeros_if_none(Builder *b, Val v, Type type)
{
    return v ? v : b_zeros(b, type);
}

/* ---- select: z = p ? x : y ------------------------------------------------------------
 *
 *   dz = select(p, dx, dy)        linear in (x, y) for fixed p
 *   gx = select(p, gz, 0)         gy = select(p, 0, gz)
 */
static bool type_select(TypeRule *t)
{
    Type p = t->in[0], x = t->in[1];

    if (p.dtype != WF_BOOL)
        return type_fail(t, WF_ERR_TYPE, "operand 1 is %s, needs bool", type_show(t, p));
    if (!type_equal_operands(t, 1))
        return false;
    if (p.rank != x.rank || p.dims != x.dims)
        return type_fail(t, WF_ERR_SHAPE, "chooses by %s from %s, needs equal shapes",
                         type_show(t, p), type_show(t, x));
    type_out_like(t, x);
    return true;
}

static bool eval_select(Eval *e)
{
    const uint8_t *p = e->in[0].data;

    for (int64_t i = 0; i < e->out[0].count; i++)
        nd_copy(&e->out[0], i, &e->in[p[i] ? 1 : 2], i);
    return true;
}

static void jvp_select(Builder *b, const EqnView *e, const Val *dx, Val *dz)
{
    Type t = e->in_type[1];

    Val other = zeros_if_none(b, dx[2], t);

    dz[0] = b_select(b, e->in[0], zeros_if_none(b, dx[1], t), other);
}

static void transpose_select(Builder *b, const EqnView *e, const Val *gz, Val *gx)
{
    Val zero;

    if (!gz[0])
        return;
    zero = b_zeros_like(b, gz[0]);
    if (!e->in[1])
        gx[1] = b_select(b, e->in[0], gz[0], zero);
    if (!e->in[2])
        gx[2] = b_select(b, e->in[0], zero, gz[0]);
}

/* select(true, x, y) = x, select(false, x, y) = y, select(p, x, x) = x,
 * select(not p, x, y) = select(p, y, x) */
static bool fold_select(Builder *b, const EqnView *e, Val *out)
{
    Val p = operand_of(b, e->in[0], OP_not);

    if (e->in[1] == e->in[2] || op_is_splat(b, e->in[0], 1))
        out[0] = e->in[1];
    else if (op_is_splat(b, e->in[0], 0))
        out[0] = e->in[2];
    else if (p)
        out[0] = b_select(b, p, e->in[2], e->in[1]);
    else
        return false;
    return true;
}

const OpRow op_row_select = {
    .type = type_select,
    .eval = eval_select,
    .fold = fold_select,
    .lower = {.kind = LOWER_MAP},
};
const OpRules op_rules_select = {
    .doc = DOC(
        "z = x where p is true, else y: select p x y. p is bool, x and y of one type, "
        "any dtype, all of one shape. Copies bits; what is not taken does not matter, "
        "NaN included."),
    .jvp = jvp_select,
    .transpose = transpose_select,
    .batch = batch_map,
};

/* ---- clamp: z = min(max(x, lo), hi), lo and hi of the shape of x or scalars -----------
 *
 *   dz = lo < x < hi ? dx : 0   +   x < lo < hi ? dlo : 0   +   hi < max(x, lo) ? dhi : 0
 * so that at the bounds themselves the derivative is 0.
 */
static bool type_clamp(TypeRule *t)
{
    Type x = t->in[1];

    if (!dtype_is_arithmetic((wf_dtype)x.dtype) || dtype_is_complex((wf_dtype)x.dtype))
        return type_fail(t, WF_ERR_TYPE,
                         "operand 2 is %s, needs an integer or float dtype",
                         type_show(t, x));
    for (uint32_t i = 0; i < 3; i += 2) {
        Type bound = t->in[i];

        if (bound.dtype != x.dtype)
            return type_fail(t, WF_ERR_TYPE, "bound is %s, needs the dtype of %s",
                             type_show(t, bound), type_show(t, x));
        if (bound.rank && (bound.rank != x.rank || bound.dims != x.dims))
            return type_fail(t, WF_ERR_SHAPE,
                             "bound is %s, needs a scalar or the shape of %s",
                             type_show(t, bound), type_show(t, x));
    }
    type_out_like(t, x);
    return true;
}

/* A bound, or its tangent, with the shape of x. */
static Val stretch(Builder *b, Val bound, Val x)
{
    Type t = b_type(b, x);

    if (!bound || b_rank(b, bound) == t.rank)
        return bound;
    return b_broadcast_scalar(b, bound, t.dims, t.rank);
}

static void add_masked(Builder *b, Val *sum, Val mask, Val d)
{
    Val term = b_select(b, mask, d, b_zeros_like(b, d));

    *sum = *sum ? b_add(b, *sum, term) : term;
}

static void jvp_clamp(Builder *b, const EqnView *e, const Val *dx, Val *dz)
{
    Val x = e->in[1], lo = stretch(b, e->in[0], x), hi = stretch(b, e->in[2], x);

    if (dx[1]) {
        Val below = b_lt(b, x, hi);

        add_masked(b, dz, b_and(b, b_lt(b, lo, x), below), dx[1]);
    }
    if (dx[0]) {
        Val d = stretch(b, dx[0], x), open = b_lt(b, lo, hi);

        add_masked(b, dz, b_and(b, b_lt(b, x, lo), open), d);
    }
    if (dx[2]) {
        Val d = stretch(b, dx[2], x);

        add_masked(b, dz, b_lt(b, hi, b_max(b, x, lo)), d);
    }
}

/* Scalar bounds stay scalars unless they are batched; then they are repeated along the
 * axes of x. */
static void batch_clamp(Builder *b, const EqnView *e, const Batch *bt, Val *out,
                        int *out_axis)
{
    Val in[3];
    Type t;

    batch_front(b, e, bt, false, in);
    if (bt->axis[1] < 0)
        in[1] = b_broadcast_axis(b, in[1], 0, bt->size);
    t = b_type(b, in[1]);
    for (int i = 0; i < 3; i += 2) {
        bool scalar = e->in_type[i].rank == 0;

        if (bt->axis[i] < 0 && !scalar)
            in[i] = b_broadcast_axis(b, in[i], 0, bt->size);
        else if (bt->axis[i] >= 0 && scalar)
            in[i] = b_broadcast(b, in[i], t.dims, t.rank, (const int64_t[]){0});
    }
    out[0] = b_clamp(b, in[0], in[1], in[2]);
    out_axis[0] = 0;
}

const OpRow op_row_clamp = {
    .type = type_clamp,
    .eval = eval_map,
    .fold = fold_splats,
    .flops = flops_map,
    .lower = {.kind = LOWER_MAP},
};
const OpRules op_rules_clamp = {
    .doc = DOC(
        "z = min(max(x, lo), hi): clamp lo x hi. Integers and floats; lo and hi have the "
        "shape of x or are scalars. Where lo > hi the result is hi; NaN in any operand "
        "gives NaN. The derivative is 1 where lo < x < hi, 0 at the bounds."),
    .jvp = jvp_clamp,
    .batch = batch_clamp,
};

/* ---- cast:  dy = cast dx between floats and complex numbers, else zero. Of a complex number
 *      others get the real part, so the transpose of that, and of the way back, is a cast --------------------------------- */

static const AttrField dtype_attrs[] = {FIELD_POS(DtypeAttr, dtype, A_DTYPE), FIELD_END};

static wf_dtype target(const void *attr)
{
    return (wf_dtype)((const DtypeAttr *)attr)->dtype;
}

static bool type_cast(TypeRule *t)
{
    Type x = t->in[0];
    wf_dtype to = target(t->attr);

    if (!dtype_is_usable((wf_dtype)x.dtype))
        return type_fail(t, WF_ERR_TYPE, "operand is %s, needs a dtype in use",
                         type_show(t, x));
    if (!dtype_is_usable(to))
        return type_fail(t, WF_ERR_TYPE, "to %s, needs a dtype in use",
                         wf_dtype_name(to));
    type_out(t, to, x.dims, x.rank);
    return true;
}

static bool eval_cast(Eval *e)
{
    const Nd *x = &e->in[0];
    Nd *y = &e->out[0];

    for (int64_t i = 0; i < y->count; i++) {
        Scalar s = scalar_load(x->dtype, x->data, i);

        scalar_store(y->dtype, y->data, i, scalar_cast(x->dtype, y->dtype, s));
    }
    return true;
}

static bool is_float_type(Type t) { return dtype_is_differentiable((wf_dtype)t.dtype); }

static void jvp_cast(Builder *b, const EqnView *e, const Val *dx, Val *dy)
{
    if (dx[0] && is_float_type(e->out_type[0]))
        dy[0] = b_cast(b, dx[0], target(e->attr));
}

static void transpose_cast(Builder *b, const EqnView *e, const Val *gy, Val *gx)
{
    if (gy[0] && is_float_type(e->in_type[0]))
        gx[0] = b_cast(b, gy[0], (wf_dtype)e->in_type[0].dtype);
}

static void batch_dtype(Builder *b, const EqnView *e, const Batch *bt, Val *out,
                        int *out_axis)
{
    out[0] = b_eqn1(b, (OpCode)e->op, e->in, 1, e->attr);
    out_axis[0] = bt->axis[0];
}

/* Every element of `from` is exactly one of `to`, and comes back from it. */
static bool is_widening(wf_dtype from, wf_dtype to)
{
    size_t nf = wf_dtype_size(from), nt = wf_dtype_size(to);

    if (from == to || from == WF_BOOL)
        return true;
    if (dtype_is_storage(to))
        return false;
    if (dtype_is_storage(from))
        return is_widening(dtype_wide(from), to);
    if (dtype_is_complex(to))
        return is_widening(dtype_part(from), dtype_part(to));
    if (dtype_is_complex(from))
        return false;
    if (dtype_is_float(from))
        return dtype_is_float(to) && nt > nf;
    if (dtype_is_float(to))
        return nf * 8 <= dtype_row(to)->significand;
    if (dtype_is_unsigned(from))
        return dtype_is_int(to) && nt > nf;
    return dtype_is_signed(to) && nt > nf;
}

/* cast to what it is; from a and back by way of a wider b; of a constant */
static bool fold_cast(Builder *b, const EqnView *e, Val *out)
{
    wf_dtype from = (wf_dtype)e->in_type[0].dtype, to = target(e->attr);
    Val inner = operand_of(b, e->in[0], OP_cast);
    uint64_t element[2] = {0};
    const void *p;

    if (from == to) {
        out[0] = e->in[0];
        return true;
    }
    if (inner && b_dtype(b, inner) == to && is_widening(to, from)) {
        out[0] = inner;
        return true;
    }
    if (!b_splat(b, e->in[0], &p))
        return false;
    scalar_store(to, element, 0, scalar_cast(from, to, scalar_load(from, p, 0)));
    out[0] = b_splat_bits(b, e->out_type[0], element);
    return true;
}

const OpRow op_row_cast = {
    .attrs = dtype_attrs,
    .attr_size = sizeof(DtypeAttr),
    .type = type_cast,
    .eval = eval_cast,
    .fold = fold_cast,
    .lower = {.kind = LOWER_MAP},
};
const OpRules op_rules_cast = {
    .doc = DOC(
        "y = x as another dtype, any to any. To floats: rounded once to nearest even, "
        "too large gives inf. Floats to integers: truncated towards 0, saturated, NaN "
        "gives 0. Integers to integers wrap. To bool: x != 0 (NaN is true). Complex to "
        "others but bool: the real part. The derivative passes between floats and "
        "complex "
        "and is zero otherwise. Floats of 8 bits: what is wider is rounded to f32 first; too "
        "large gives NaN where there is no inf."),
    .jvp = jvp_cast,
    .transpose = transpose_cast,
    .batch = batch_dtype,
};

/* ---- bitcast ----------------------------------------------------------------------- */

static bool type_bitcast(TypeRule *t)
{
    Type x = t->in[0];
    wf_dtype from = (wf_dtype)x.dtype, to = target(t->attr);

    if (!dtype_is_usable(from) || !dtype_is_usable(to) ||
        wf_dtype_size(from) != wf_dtype_size(to))
        return type_fail(t, WF_ERR_TYPE, "from %s to %s, needs dtypes of equal size",
                         type_show(t, x), wf_dtype_name(to));
    if (to == WF_BOOL && from != WF_BOOL)
        return type_fail(t, WF_ERR_TYPE,
                         "from %s to bool, needs ne with 0: not every byte is a bool",
                         type_show(t, x));
    type_out(t, to, x.dims, x.rank);
    return true;
}

static bool eval_bitcast(Eval *e)
{
    memcpy(e->out[0].data, e->in[0].data,
           (size_t)e->out[0].count * wf_dtype_size(e->out[0].dtype));
    return true;
}

/* bitcast to what it is, bitcast of a bitcast, of a constant. The bits of a float pass no
 * derivative, so neither may what they fold to. */
static bool fold_bitcast(Builder *b, const EqnView *e, Val *out)
{
    Val inner = operand_of(b, e->in[0], OP_bitcast);
    const void *p;

    if (e->in_type[0].dtype == e->out_type[0].dtype)
        out[0] = is_float_type(e->in_type[0]) ? b_stop_gradient(b, e->in[0]) : e->in[0];
    else if (inner)
        out[0] = b_eqn1(b, OP_bitcast, &inner, 1, e->attr);
    else if (b_splat(b, e->in[0], &p))
        out[0] = b_splat_bits(b, e->out_type[0], p);
    else
        return false;
    return true;
}

const OpRow op_row_bitcast = {
    .attrs = dtype_attrs,
    .attr_size = sizeof(DtypeAttr),
    .type = type_bitcast,
    .eval = eval_bitcast,
    .fold = fold_bitcast,
    .lower = {.kind = LOWER_MAP},
};
const OpRules op_rules_bitcast = {
    .doc = DOC(
        "y = the bits of x read as another dtype of the same size; from bool (bytes 0 "
        "and 1) but not to it. Derivative zero."),
    .batch = batch_dtype,
};
