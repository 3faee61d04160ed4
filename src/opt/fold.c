/* fold.c -- constants are computed, chains of shape ops become one.
 *
 *   requires   nothing
 *   keeps      values bit for bit
 *   breaks     nothing
 *
 * An equation whose operands are all constants and whose results are small is evaluated
 * by its row's eval rule, the meaning of the op, so the constant is what running it would
 * give. Large constants: fold_large.c. The others look at what made their operand:
 * fold_shape.c.
 */
#include "opt/opt.h"
#include "opt/fold.h"

/* ---- constants --------------------------------------------------------------------- */

/* v as an array, if it is a constant of known, small shape. */
static bool const_array(Rewriter *r, Val v, Nd *out)
{
    Builder *b = r->b;
    const Eqn *e = made_by(b, v, OP_const);
    Type t = b_type(b, v);
    int64_t count, bytes;
    size_t size = wf_dtype_size((wf_dtype)t.dtype);

    if (!e)
        return false;
    for (uint32_t i = 0; i < t.rank; i++)
        if (!dim_is_const(t.dims[i]))
            return false;
    if (!type_size((wf_dtype)t.dtype, t.dims, t.rank, &count, &bytes) ||
        count > 4 * FOLD_ELEMENTS)
        return false;
    const ConstData *data = ((const ConstAttr *)e->attr)->data;
    *out = (Nd){(wf_dtype)t.dtype, t.rank, t.dims, count, NULL};
    out->data = arena_alloc(&b->arena, (size_t)bytes);
    for (int64_t i = 0; i < count; i++)
        memcpy((char *)out->data + (size_t)i * size,
               (const char *)data->data + (data->size == size ? 0 : (size_t)i * size),
               size);
    return true;
}

static Val const_value(Rewriter *r, Type t, const Nd *x)
{
    return x->count ? b_const(r->b, t, x->data) : b_zeros(r->b, t);
}

/* A constant whose elements are all the same, written out: as one element. */
static Val fold_const(Rewriter *r, Val v, Eqn e)
{
    const ConstAttr *a = e.attr;
    size_t each = wf_dtype_size((wf_dtype)a->type.dtype);

    if (a->splat || a->data->size <= each ||
        !elements_repeat(a->data->data, a->data->size, each))
        return VAL_NONE;
    return b_splat_bits(r->b, b_type(r->b, v), a->data->data);
}

/* Can the evaluator tell the result before the program runs? */
bool opt_fold_may(unsigned op)
{
    return op_has(op, OPF_PURE) &&
           !op_has(op, OPF_DEFINES | OPF_CONTROL | OPF_NOEVAL | OPF_FAILS) &&
           op_row(op)->lower.kind != LOWER_ALIAS;
}

/* The result of v = e if all operands are constants. */
static Val eval_constant(Rewriter *r, Val v, Eqn e)
{
    Builder *b = r->b;
    Type t = b_type(b, v);
    Nd in[4], out = {(wf_dtype)t.dtype, t.rank, t.dims, 0, NULL};
    Eval eval = {.cx = r->o->cx,
                 .a = &b->arena,
                 .row = op_row(e.op),
                 .op = e.op,
                 .nin = e.nin,
                 .nout = 1,
                 .in = in,
                 .out = &out,
                 .place = b->places.v[e.place]};
    int64_t *symvals, bytes, elements = 0;
    void *attr;

    if (e.nin == 0 || e.nin > 4 || e.nout != 1 || !opt_fold_may(e.op) ||
        op_may_fail(e.op, b_type(b, b->args.v[e.args]), t))
        return VAL_NONE;
    for (uint32_t i = 0; i < e.nin; i++) {
        if (!const_array(r, b->args.v[e.args + i], &in[i]))
            return VAL_NONE;
        elements += in[i].count;
    }
    for (uint32_t i = 0; i < t.rank; i++)
        if (!dim_is_const(t.dims[i]))
            return VAL_NONE;
    if (!type_size(out.dtype, t.dims, t.rank, &out.count, &bytes) ||
        out.count > FOLD_ELEMENTS || (out.count > 64 && out.count > elements))
        return VAL_NONE;
    symvals = arena_array(&b->arena, b->dims.syms.n + 1u, sizeof *symvals);
    for (uint32_t i = 0; i < b->dims.syms.n; i++)
        symvals[i] = -1;
    if (!attr_concrete(eval.row, e.attr, &b->arena, &b->dims, symvals, &attr))
        return VAL_NONE;
    eval.attr = attr;
    out.data = arena_alloc(&b->arena, (size_t)bytes);
    return eval.row->eval(&eval) ? const_value(r, t, &out) : VAL_NONE;
}

/* A constant in another shape is the same elements. */
static Val reshape_const(Rewriter *r, Val v, Eqn e)
{
    const Eqn *c = made_by(r->b, r->b->args.v[e.args], OP_const);

    return c ? b_const_data(r->b, b_type(r->b, v), ((const ConstAttr *)c->attr)->data)
             : VAL_NONE;
}

static Val fold_value(Rewriter *r, Val v, Eqn e)
{
    Val w = e.op == OP_const     ? fold_const(r, v, e)
            : e.op == OP_reshape ? reshape_const(r, v, e)
                                 : VAL_NONE;

    if (!w && e.op != OP_const)
        w = eval_constant(r, v, e);

    return w ? w : opt_fold_shape(r, v, e);
}

const Program *opt_fold(const Opt *o, const Program *p)
{
    const Program *q = rewrite_with(o, p, fold_value, NULL);

    return q ? opt_fold_large(o, q) : NULL;
}
