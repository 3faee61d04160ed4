/* fold_shape.c -- shape ops of shape ops: the structural half of fold.
 *
 *   reshape of reshape, transpose of transpose, broadcast of broadcast   one of them
 *   broadcast of a reshape that only adds axes of size 1                 broadcast
 *   transpose that moves only axes of size 1                             reshape
 *   transpose of broadcast                               broadcast of a smaller transpose
 *   slice of slice, of concat, of pad, of broadcast                      fewer elements
 *   concat of neighbouring slices                                        one slice
 *   cast of a cast that loses nothing                                    one cast
 *
 * Where sizes are symbols a rule is left out unless it holds for every size.
 */
#include "opt/fold.h"

/* ---- reshape, transpose, broadcast ------------------------------------------------- */

static Val fold_reshape(Rewriter *r, Val v, Val x)
{
    Val inner = under(r->b, x, OP_reshape);
    Type t = b_type(r->b, v);

    return inner ? rw_reshape(r, inner, t.dims, t.rank) : VAL_NONE;
}

/* Axes of size 1 moved past others leave the elements in their order. */
static bool moves_only_ones(Type x, Ints perm)
{
    int64_t last = -1;

    for (uint32_t i = 0; i < perm.n; i++) {
        if (x.dims[perm.v[i]] == 1)
            continue;
        if (perm.v[i] < last)
            return false;
        last = perm.v[i];
    }
    return true;
}

/* x = broadcast y: the axes of y in the order in which the result has them, then a
 * broadcast. */
static Val transpose_of_broadcast(Rewriter *r, Val v, Val x, Ints perm)
{
    const Eqn *e = made_by(r->b, x, OP_broadcast);
    Ints d = ((const BroadcastAttr *)e->attr)->dims;
    Type t = b_type(r->b, v);
    Val y = arg(r->b, e, 0);
    int64_t order[MAX_RANK], dims[MAX_RANK];
    uint32_t n = 0;

    for (uint32_t i = 0; i < perm.n; i++)
        for (uint32_t k = 0; k < d.n; k++)
            if (d.v[k] == perm.v[i]) {
                order[n] = k;
                dims[n++] = i;
            }
    return rw_broadcast(r, rw_transpose(r, y, order), (Ints){t.rank, t.dims}, dims);
}

/* to is from with axes of size 1 put in: axis i of from is axis at[i] of to. */
static bool adds_only_ones(Type from, Type to, int64_t *at)
{
    uint32_t k = 0;

    for (uint32_t i = 0; i < from.rank; i++, k++) {
        while (k < to.rank && to.dims[k] == 1 && from.dims[i] != 1)
            k++;
        if (k >= to.rank || to.dims[k] != from.dims[i])
            return false;
        at[i] = k;
    }
    for (; k < to.rank; k++)
        if (to.dims[k] != 1)
            return false;
    return true;
}

/* Transposed, a product with axes of size 1 put in, which go where they belong behind it: attention gives the
 * gradients of its operands in any order of axes. VAL_NONE: it is none. */
static Val transpose_product(Rewriter *r, Val x, Ints perm)
{
    Builder *b = r->b;
    Val y = under(b, x, OP_reshape);
    int64_t at[MAX_RANK], order[MAX_RANK];
    Dim dims[MAX_RANK];
    uint32_t n = 0;

    y = y ? y : x;
    if (!made_by(b, y, OP_dot_general) || !adds_only_ones(b_type(b, y), b_type(b, x), at))
        return VAL_NONE;
    for (uint32_t i = 0; i < perm.n; i++) {
        dims[i] = b_type(b, x).dims[perm.v[i]];
        for (uint32_t k = 0; k < b_rank(b, y); k++)
            if (at[k] == perm.v[i])
                order[n++] = k;
    }
    return rw_reshape(r, rw_transpose(r, y, order), dims, perm.n);
}

/* Products side by side, transposed: each by itself, and joined where the axis has gone. */
static Val transpose_of_concat(Rewriter *r, const Eqn *inner, Ints perm)
{
    Val x[8];
    Eqn e = *inner; /* which moves when others are made */
    int64_t axis = 0;

    if (e.nin > COUNT(x))
        return VAL_NONE;
    while (perm.v[axis] != ((const AxisAttr *)e.attr)->axis)
        axis++;
    for (uint32_t i = 0; i < e.nin; i++)
        if (!(x[i] = transpose_product(r, r->b->args.v[e.args + i], perm)))
            return VAL_NONE;
    return rw_eqn(r, OP_concat, x, e.nin, &(AxisAttr){axis});
}

static Val fold_transpose(Rewriter *r, Val v, Val x, const TransposeAttr *a)
{
    const Eqn *inner = made_by(r->b, x, OP_transpose);
    Type t = b_type(r->b, v);
    int64_t perm[MAX_RANK];

    if (moves_only_ones(b_type(r->b, x), a->perm))
        return rw_reshape(r, x, t.dims, t.rank);
    if (made_by(r->b, x, OP_broadcast))
        return transpose_of_broadcast(r, v, x, a->perm);
    if (made_by(r->b, x, OP_concat))
        return transpose_of_concat(r, made_by(r->b, x, OP_concat), a->perm);
    if (!inner)
        return VAL_NONE;
    for (uint32_t i = 0; i < a->perm.n; i++)
        perm[i] = ((const TransposeAttr *)inner->attr)->perm.v[a->perm.v[i]];
    return rw_transpose(r, arg(r->b, inner, 0), perm);
}

static Val fold_broadcast(Rewriter *r, Val x, const BroadcastAttr *a)
{
    const Eqn *inner = made_by(r->b, x, OP_broadcast);
    int64_t dims[MAX_RANK], at[MAX_RANK];
    Val y;

    if (inner) {
        Ints d = ((const BroadcastAttr *)inner->attr)->dims;
        for (uint32_t i = 0; i < d.n; i++)
            dims[i] = a->dims.v[d.v[i]];
        return rw_broadcast(r, arg(r->b, inner, 0), a->shape, dims);
    }
    y = under(r->b, x, OP_reshape);
    if (!y || !adds_only_ones(b_type(r->b, y), b_type(r->b, x), at))
        return VAL_NONE;
    for (uint32_t i = 0; i < b_rank(r->b, y); i++)
        dims[i] = a->dims.v[at[i]];
    return rw_broadcast(r, y, a->shape, dims);
}

/* ---- slice ------------------------------------------------------------------------- */

typedef struct Cut { /* a slice with all entries there */
    uint32_t rank;
    Dim start[MAX_RANK], limit[MAX_RANK];
    int64_t stride[MAX_RANK];
} Cut;

static Cut cut_of(const SliceAttr *a)
{
    Cut c = {.rank = a->start.n};

    for (uint32_t i = 0; i < c.rank; i++) {
        c.start[i] = a->start.v[i];
        c.limit[i] = a->limit.v[i];
        c.stride[i] = a->stride.n ? a->stride.v[i] : 1;
    }
    return c;
}

static bool is_plain(const Cut *c) /* numbers only */
{
    for (uint32_t i = 0; i < c->rank; i++)
        if (!dim_is_const(c->start[i]) || !dim_is_const(c->limit[i]))
            return false;
    return true;
}

/* Axis i whole. */
static bool is_whole(const Cut *c, uint32_t i, Type x)
{
    return c->start[i] == 0 && c->limit[i] == x.dims[i] && c->stride[i] == 1;
}

static Val rw_cut(Rewriter *r, Val x, const Cut *c)
{
    bool ones = true;
    SliceAttr a = {{c->rank, c->start}, {c->rank, c->limit}, {0, NULL}};

    for (uint32_t i = 0; i < c->rank; i++)
        ones = ones && c->stride[i] == 1;
    if (!ones)
        a.stride = (Ints){c->rank, c->stride};
    return rw_eqn(r, OP_slice, &x, 1, &a);
}

/* y[j] = x[s1 + t1*(s2 + t2*j)], on each axis by itself: both plain numbers, or one of
 * them the whole axis. The limit is one past the last element taken. */
static Val slice_of_slice(Rewriter *r, const Cut *outer, const Eqn *inner)
{
    Cut c = cut_of(inner->attr);
    Val x = arg(r->b, inner, 0);
    Type tx = b_type(r->b, x), ty = b_type(r->b, inner->out);

    for (uint32_t i = 0; i < c.rank; i++) {
        Dim s1 = c.start[i], s2 = outer->start[i], l2 = outer->limit[i];
        if (is_whole(outer, i, ty))
            continue;
        if (is_whole(&c, i, tx)) {
            c.start[i] = s2, c.limit[i] = l2, c.stride[i] = outer->stride[i];
            continue;
        }
        if (!dim_is_const(s1) || !dim_is_const(c.limit[i]) || !dim_is_const(s2) ||
            !dim_is_const(l2) || c.stride[i] > 1 << 20 || outer->stride[i] > 1 << 20)
            return VAL_NONE;
        c.start[i] = s1 + s2 * c.stride[i];
        c.limit[i] = l2 > s2 ? s1 + (l2 - 1) * c.stride[i] + 1 : c.start[i];
        c.stride[i] *= outer->stride[i];
    }
    return rw_cut(r, x, &c);
}

/* The operand of a concat that holds all of the slice. */
static Val slice_of_concat(Rewriter *r, const Cut *outer, const Eqn *inner)
{
    uint32_t axis = (uint32_t)((const AxisAttr *)inner->attr)->axis;
    Cut c = *outer;
    int64_t at = 0;

    if (!dim_is_const(c.start[axis]) || !dim_is_const(c.limit[axis]) ||
        c.start[axis] >= c.limit[axis])
        return VAL_NONE;
    for (uint32_t i = 0; i < inner->nin; i++) {
        Val x = arg(r->b, inner, i);
        Dim n = b_dim(r->b, x, axis);
        if (!dim_is_const(n))
            return VAL_NONE;
        if (c.start[axis] >= at && c.limit[axis] <= at + n) {
            c.start[axis] -= at;
            c.limit[axis] -= at;
            return rw_cut(r, x, &c);
        }
        at += n;
    }
    return VAL_NONE;
}

/* What lies inside of the padding. */
static Val slice_of_pad(Rewriter *r, const Cut *outer, const Eqn *inner)
{
    const PadAttr *a = inner->attr;
    Val x = arg(r->b, inner, 0);
    Type tx = b_type(r->b, x), ty = b_type(r->b, inner->out);
    Cut c = *outer;

    for (uint32_t i = 0; i < c.rank; i++) {
        if (a->interior.n && a->interior.v[i])
            return VAL_NONE;
        if (a->lo.v[i] == 0 && a->hi.v[i] == 0) {
            if (is_whole(&c, i, ty))
                c.limit[i] = tx.dims[i];
            continue;
        }
        if (!dim_is_const(a->lo.v[i]) || !dim_is_const(a->hi.v[i]) ||
            !dim_is_const(tx.dims[i]) || !is_plain(&c) || c.start[i] < a->lo.v[i] ||
            c.limit[i] > a->lo.v[i] + tx.dims[i] || c.start[i] > c.limit[i])
            return VAL_NONE;
        c.start[i] -= a->lo.v[i];
        c.limit[i] -= a->lo.v[i];
    }
    return rw_cut(r, x, &c);
}

/* Axes that the broadcast made, or stretched, are made shorter. */
static Val slice_of_broadcast(Rewriter *r, Val v, const Cut *outer, const Eqn *inner)
{
    const BroadcastAttr *a = inner->attr;
    Val x = arg(r->b, inner, 0);
    Type tx = b_type(r->b, x), ty = b_type(r->b, inner->out), t = b_type(r->b, v);
    int64_t dims[MAX_RANK];

    for (uint32_t k = 0; k < a->dims.n; k++) {
        uint32_t i = (uint32_t)a->dims.v[k];
        dims[k] = i;
        if (!is_whole(outer, i, ty) && (tx.dims[k] != 1 || ty.dims[i] == 1))
            return VAL_NONE;
    }
    if (!is_plain(outer))
        return VAL_NONE; /* a limit beyond the size is an error at run time */
    return rw_broadcast(r, x, (Ints){t.rank, t.dims}, dims);
}

static Val fold_slice(Rewriter *r, Val v, Val x, const SliceAttr *a)
{
    Cut c = cut_of(a);
    uint32_t i = r->b->vals.v[x].eqn;
    Eqn inner;

    if (i == EQN_INPUT)
        return VAL_NONE;
    inner = r->b->eqns.v[i];
    switch (inner.op) {
    case OP_slice: return slice_of_slice(r, &c, &inner);
    case OP_concat: return slice_of_concat(r, &c, &inner);
    case OP_pad: return slice_of_pad(r, &c, &inner);
    case OP_broadcast: return slice_of_broadcast(r, v, &c, &inner);
    default: return VAL_NONE;
    }
}

/* ---- concat ------------------------------------------------------------------------ */

/* x[a:b] and x[b:c] one after the other are x[a:c]. */
static Val fold_concat(Rewriter *r, Eqn e, uint32_t axis)
{
    Builder *b = r->b;
    Cut all = {0};
    Val x = VAL_NONE;

    for (uint32_t i = 0; i < e.nin; i++) {
        const Eqn *s = made_by(b, b->args.v[e.args + i], OP_slice);
        Cut c;
        if (!s || (x && arg(b, s, 0) != x))
            return VAL_NONE;
        x = arg(b, s, 0);
        c = cut_of(s->attr);
        if (!is_plain(&c) || c.stride[axis] != 1)
            return VAL_NONE;
        if (i == 0) {
            all = c;
            continue;
        }
        if (c.start[axis] != all.limit[axis])
            return VAL_NONE;
        for (uint32_t k = 0; k < c.rank; k++)
            if (k != axis && (c.start[k] != all.start[k] || c.limit[k] != all.limit[k] ||
                              c.stride[k] != all.stride[k]))
                return VAL_NONE;
        all.limit[axis] = c.limit[axis];
    }
    return x ? rw_cut(r, x, &all) : VAL_NONE;
}

/* ---- cast -------------------------------------------------------------------------- */

/* Every number of `from` is one of `to`, so that a second cast sees the same number.
 * Integers wrap when cast to integers, so sign must be kept as well. */
static bool keeps_numbers(wf_dtype from, wf_dtype to)
{
    int bits = (int)wf_dtype_size(from) * 8;

    if (from == WF_BOOL)
        return to != WF_BOOL;
    if (dtype_is_float(from))
        return (to == WF_F64 && from != WF_F64) ||
               (to == WF_F32 && (from == WF_F16 || from == WF_BF16));
    if (to == WF_F64)
        return bits <= 32;
    if (to == WF_F32)
        return bits <= 16;
    if (dtype_is_unsigned(from))
        return dtype_is_int(to) && wf_dtype_size(to) > wf_dtype_size(from);
    return dtype_is_signed(to) && wf_dtype_size(to) > wf_dtype_size(from);
}

/* From integers by way of floats to integers: floats saturate, integers wrap. */
static Val fold_cast(Rewriter *r, Val x, int32_t to)
{
    Val y = under(r->b, x, OP_cast);
    wf_dtype from, mid = b_dtype(r->b, x);

    if (!y)
        return VAL_NONE;
    from = b_dtype(r->b, y);
    if (!keeps_numbers(from, mid) ||
        (dtype_is_float(mid) && !dtype_is_float(from) && dtype_is_int((wf_dtype)to)))
        return VAL_NONE;
    return rw_eqn(r, OP_cast, &y, 1, &(DtypeAttr){to});
}

Val opt_fold_shape(Rewriter *r, Val v, Eqn e)
{
    Val x = e.nin ? r->b->args.v[e.args] : VAL_NONE;

    switch (e.op) {
    case OP_reshape: return fold_reshape(r, v, x);
    case OP_transpose: return fold_transpose(r, v, x, e.attr);
    case OP_broadcast: return fold_broadcast(r, x, e.attr);
    case OP_slice: return fold_slice(r, v, x, e.attr);
    case OP_concat: return fold_concat(r, e, (uint32_t)((const AxisAttr *)e.attr)->axis);
    case OP_cast: return fold_cast(r, x, ((const DtypeAttr *)e.attr)->dtype);
    default: return VAL_NONE;
    }
}
