/* simplify_pad.c -- pieces put together: the sum of arrays padded with zeros beside each
 * other, which the gradient of slices is made of, is their concatenation.
 *
 *   pad x + pad y = pad (concat x y)     where x ends along one axis where y begins, and
 *                                        both fill the same part of the other axes
 */
#include "opt/simplify.h"

static const Eqn *zero_pad(const Builder *b, Val v)
{
    const Eqn *e = made_by(b, v, OP_pad);
    const PadAttr *a = e ? e->attr : NULL;

    if (!e || !b_is_number(b, arg(b, e, 1), 0))
        return NULL;
    for (uint32_t i = 0; i < a->interior.n; i++)
        if (a->interior.v[i])
            return NULL;
    return e;
}

/* The axis along which y begins where x ends, all else being equal; -1: none. */
static int axis_between(const PadAttr *x, Type tx, const PadAttr *y, Type ty)
{
    int axis = -1;

    for (uint32_t i = 0; i < tx.rank; i++) {
        if (x->lo.v[i] == y->lo.v[i] && x->hi.v[i] == y->hi.v[i] &&
            tx.dims[i] == ty.dims[i])
            continue;
        if (axis >= 0 || !dim_is_const(x->lo.v[i]) || !dim_is_const(y->lo.v[i]) ||
            !dim_is_const(tx.dims[i]) || x->lo.v[i] < 0 || y->hi.v[i] < 0 ||
            y->lo.v[i] != x->lo.v[i] + tx.dims[i])
            return -1;
        axis = (int)i;
    }
    return axis;
}

#define MAX_PARTS 16

/* x's pieces, if it is a concatenation along the axis itself, behind the n in parts; how
 * many there are now. */
static uint32_t add_parts(const Builder *b, Val x, int axis, Val *parts, uint32_t n)
{
    const Eqn *e = made_by(b, x, OP_concat);

    if (!e || ((const AxisAttr *)e->attr)->axis != axis || n + e->nin >= MAX_PARTS) {
        parts[n++] = x;
        return n;
    }
    for (uint32_t i = 0; i < e->nin; i++)
        parts[n++] = arg(b, e, i);
    return n;
}

Val sum_of_pads(Rewriter *r, Val v, Eqn e)
{
    Builder *b = r->b;
    Val in[2] = {b->args.v[e.args], b->args.v[e.args + 1]};
    const Eqn *made[2] = {zero_pad(b, in[0]), zero_pad(b, in[1])};

    (void)v;
    if (!made[0] || !made[1])
        return VAL_NONE;
    for (int k = 0; k < 2; k++) {
        const Eqn *first = made[k], *second = made[1 - k];
        const PadAttr *x = first->attr, *y = second->attr;
        Val p = arg(b, first, 0), q = arg(b, second, 0), zero = arg(b, first, 1), z;
        Val parts[MAX_PARTS + 1];
        uint32_t n;
        int axis = axis_between(x, b_type(b, p), y, b_type(b, q));
        int64_t hi[MAX_RANK];
        PadAttr a = *x;

        if (axis < 0)
            continue;
        for (uint32_t i = 0; i < a.hi.n; i++)
            hi[i] = i == (uint32_t)axis ? y->hi.v[i] : x->hi.v[i];
        a.hi.v = hi;
        n = add_parts(b, q, axis, parts, add_parts(b, p, axis, parts, 0));
        z = rw_eqn(r, OP_concat, parts, n, &(AxisAttr){axis});
        return b_failed(b) ? VAL_NONE : rw_eqn(r, OP_pad, (Val[]){z, zero}, 2, &a);
    }
    return VAL_NONE;
}
