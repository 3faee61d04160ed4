/* op_map_complex.c -- complex numbers and their parts: real, imag, conj, complex.
 *
 * A cotangent g of x is what makes the change of the result Re(g * dx), not conjugated, so
 * that the transpose of an op that is linear over complex numbers is the op that it would
 * be over real ones. These four are linear over real numbers only:
 *
 *   y = Re x         gx = gy              y = Im x        gx = -i gy
 *   y = conj x       gx = conj gy         z = x + i y     gx = Re gz     gy = -Im gz
 */
#include "op/op_map.h"

static bool type_part(TypeRule *t)
{
    wf_dtype x = (wf_dtype)t->in[0].dtype;

    if (!dtype_is_complex(x))
        return type_fail(t, WF_ERR_TYPE, "operand 1 is %s, needs a complex dtype",
                         type_show(t, t->in[0]));
    type_out(t, dtype_part(x), t->in[0].dims, t->in[0].rank);
    return true;
}

static bool type_conj(TypeRule *t)
{
    if (!dtype_is_complex((wf_dtype)t->in[0].dtype))
        return type_fail(t, WF_ERR_TYPE, "operand 1 is %s, needs a complex dtype",
                         type_show(t, t->in[0]));
    type_out_like(t, t->in[0]);
    return true;
}

static bool type_complex(TypeRule *t)
{
    wf_dtype x = (wf_dtype)t->in[0].dtype;

    if (x != WF_F32 && x != WF_F64)
        return type_fail(t, WF_ERR_TYPE, "operand 1 is %s, needs f32 or f64",
                         type_show(t, t->in[0]));
    if (!type_equal_operands(t, 0))
        return false;
    type_out(t, dtype_pair(x), t->in[0].dims, t->in[0].rank);
    return true;
}

static Val zeros_if_none(Builder *b, Val v, Type type)
{
    return v ? v : b_zeros(b, type);
}

/* ---- real, imag ---- */

static void transpose_real(Builder *b, const EqnView *e, const Val *gy, Val *gx)
{
    (void)e;
    if (gy[0])
        gx[0] = b_complex(b, gy[0], b_zeros_like(b, gy[0]));
}

static void transpose_imag(Builder *b, const EqnView *e, const Val *gy, Val *gx)
{
    (void)e;
    if (gy[0]) {
        Val im = b_neg(b, gy[0]);

        gx[0] = b_complex(b, b_zeros_like(b, gy[0]), im);
    }
}

/* The equation that made v, if it is a complex. */
static const Eqn *made_of_parts(const Builder *b, Val v)
{
    uint32_t k = b->vals.v[v].eqn;

    return k != EQN_INPUT && b->eqns.v[k].op == OP_complex ? &b->eqns.v[k] : NULL;
}

/* real(complex(x, y)) = x */
static bool fold_part(Builder *b, const EqnView *e, Val *out)
{
    const Eqn *from = made_of_parts(b, e->in[0]);

    if (!from)
        return fold_splats(b, e, out);
    out[0] = b->args.v[from->args + (e->op == OP_imag)];
    return true;
}

#define PART_ROW(name, doc_, transpose_)                                                 \
    const OpRow op_row_##name = {.type = type_part,                                      \
                                 .eval = eval_map,                                       \
                                 .fold = fold_part,                                      \
                                 .lower = {.kind = LOWER_MAP}};                          \
    const OpRules op_rules_##name = {                                                    \
        .doc = DOC(doc_),                                                                \
        .jvp = jvp_linear,                                                               \
        .transpose = transpose_,                                                         \
        .batch = batch_map,                                                              \
    }

PART_ROW(real, "y = the real part of x. Complex to the float of a part.", transpose_real);
PART_ROW(imag, "y = the imaginary part of x. Complex to the float of a part.",
         transpose_imag);

/* ---- conj ---- */

static void transpose_conj(Builder *b, const EqnView *e, const Val *gy, Val *gx)
{
    (void)e;
    if (gy[0])
        gx[0] = b_conj(b, gy[0]);
}

static bool fold_conj(Builder *b, const EqnView *e, Val *out)
{
    out[0] = operand_of(b, e->in[0], OP_conj);
    return out[0] || fold_splats(b, e, out);
}

PAIR(conj, conj(x))
const OpRow op_row_conj = {
    .type = type_conj,
    .eval = eval_map,
    .fold = fold_conj,
    .flops = flops_map,
    .lower = {LOWER_MAP, .pair = complex_conj},
};
const OpRules op_rules_conj = {
    .doc = DOC("y = x with the sign of its imaginary part flipped. Complex."),
    .jvp = jvp_linear,
    .transpose = transpose_conj,
    .batch = batch_map,
};

/* ---- complex ---- */

static void jvp_complex(Builder *b, const EqnView *e, const Val *dx, Val *dz)
{
    Val im = zeros_if_none(b, dx[1], e->in_type[0]);

    dz[0] = b_complex(b, zeros_if_none(b, dx[0], e->in_type[0]), im);
}

static void transpose_complex(Builder *b, const EqnView *e, const Val *gz, Val *gx)
{
    if (!gz[0])
        return;
    if (!e->in[0])
        gx[0] = b_real(b, gz[0]);
    if (!e->in[1])
        gx[1] = b_neg(b, b_imag(b, gz[0]));
}

/* complex(real(x), imag(x)) = x */
static bool fold_complex(Builder *b, const EqnView *e, Val *out)
{
    out[0] = operand_of(b, e->in[0], OP_real);
    if (out[0] && operand_of(b, e->in[1], OP_imag) == out[0])
        return true;
    return fold_splats(b, e, out);
}

const OpRow op_row_complex = {
    .type = type_complex,
    .eval = eval_map,
    .fold = fold_complex,
    .lower = {.kind = LOWER_MAP},
};
const OpRules op_rules_complex = {
    .doc = DOC("z = x + i y, of two f32 or two f64."),
    .jvp = jvp_complex,
    .transpose = transpose_complex,
    .batch = batch_map,
};
