/* along.c -- the column `along`: where an axis of an operand goes in the results.
 *
 * Of this alone is found how values lie on a mesh (transform/shard.c) and what devices can do on their parts
 * (transform/spread.c). Rows without a rule of their own are elementwise where their lowering or their flags say so.
 */
#include "op/op.h"

static const Along nowhere = {ALONG_NONE, 0};

static Along each(uint32_t to) { return (Along){ALONG_EACH, to}; }

static Along mixed_if(bool mixes, uint32_t to)
{
    return (Along){mixes ? ALONG_MIXED : ALONG_EACH, to};
}

/* How many of 0 .. axis - 1 are not among those gone. */
static uint32_t without(Ints gone, uint32_t axis)
{
    uint32_t k = 0;

    for (uint32_t i = 0; i < axis; i++)
        k += !ints_have(gone, i);
    return k;
}

static Type in_type(const Program *p, const Eqn *e, uint32_t operand)
{
    return val_type(p, eqn_in(p, e)[operand]);
}

Along along_same(const Program *p, const Eqn *e, uint32_t operand, uint32_t axis)
{
    Type x = in_type(p, e, operand), y = val_type(p, e->out);

    return x.rank == y.rank && x.dims[axis] == y.dims[axis] ? each(axis) : nowhere;
}

/* All axes but the one that CumAttr, SortAttr, AxisAttr begin with. */
Along along_axis(const Program *p, const Eqn *e, uint32_t operand, uint32_t axis)
{
    (void)p, (void)operand;
    return mixed_if(axis == ((const AxisAttr *)e->attr)->axis, axis);
}

Along along_top_k(const Program *p, const Eqn *e, uint32_t operand, uint32_t axis)
{
    return axis == ((const TopAttr *)e->attr)->axis ? nowhere
                                                    : along_axis(p, e, operand, axis);
}

Along along_rev(const Program *p, const Eqn *e, uint32_t operand, uint32_t axis)
{
    (void)p, (void)operand;
    return mixed_if(ints_have(((const AxesAttr *)e->attr)->axes, axis), axis);
}

Along along_reduce(const Program *p, const Eqn *e, uint32_t operand, uint32_t axis)
{
    Ints gone = ((const ReduceAttr *)e->attr)->axes;
    AlongKind by = e->op == OP_reduce_sum   ? ALONG_SUM
                   : e->op == OP_reduce_max ? ALONG_MAX
                   : e->op == OP_reduce_min ? ALONG_MIN
                                            : ALONG_NONE;

    (void)p, (void)operand;
    return ints_have(gone, axis) ? (Along){by, axis} : each(without(gone, axis));
}

Along along_arg(const Program *p, const Eqn *e, uint32_t operand, uint32_t axis)
{
    int64_t gone = ((const ArgAttr *)e->attr)->axis;

    (void)p, (void)operand;
    return axis == gone ? nowhere : each(axis - (axis > gone));
}

/* Groups of axes with as many elements on both sides: the first of one, but for ones of size 1, is the first of the other. */
Along along_reshape(const Program *p, const Eqn *e, uint32_t operand, uint32_t axis)
{
    Type x = in_type(p, e, operand), y = val_type(p, e->out);
    uint32_t i = 0, k = 0;

    while (i < x.rank && k < y.rank) {
        int64_t a = x.dims[i], b = y.dims[k];
        uint32_t i0 = i++, k0 = k++;

        if ((a < 0 || b < 0) && a != b)
            return nowhere; /* symbols */
        while (a != b && (a < b ? i < x.rank : k < y.rank)) {
            Dim d = a < b ? x.dims[i++] : y.dims[k++];

            if (d < 0)
                return nowhere;
            *(a < b ? &a : &b) *= d;
        }
        while (i0 + 1 < i && x.dims[i0] == 1)
            i0++;
        while (k0 + 1 < k && y.dims[k0] == 1)
            k0++;
        if (axis == i0)
            return x.dims[i0] && y.dims[k0] ? each(k0) : nowhere;
    }
    return nowhere;
}

Along along_broadcast(const Program *p, const Eqn *e, uint32_t operand, uint32_t axis)
{
    uint32_t k = (uint32_t)((const BroadcastAttr *)e->attr)->dims.v[axis];

    return in_type(p, e, operand).dims[axis] == val_type(p, e->out).dims[k] ? each(k)
                                                                            : nowhere;
}

Along along_transpose(const Program *p, const Eqn *e, uint32_t operand, uint32_t axis)
{
    Ints perm = ((const TransposeAttr *)e->attr)->perm;

    (void)p, (void)operand;
    for (uint32_t k = 0; k < perm.n; k++)
        if (perm.v[k] == axis)
            return each(k);
    return nowhere;
}

/* Axes that are not cut stay; one that keeps its size may lie as it did. */
static Along kept(const Program *p, const Eqn *e, uint32_t operand, uint32_t axis,
                  bool whole)
{
    if (in_type(p, e, operand).dims[axis] != val_type(p, e->out).dims[axis])
        return nowhere;
    return mixed_if(!whole, axis);
}

/* One that is cut or made longer lies as it did. */
static Along kept_or_mixed(const Program *p, const Eqn *e, uint32_t axis, bool whole)
{
    return mixed_if(!whole || in_type(p, e, 0).dims[axis] != val_type(p, e->out).dims[axis], axis);
}

Along along_slice(const Program *p, const Eqn *e, uint32_t operand, uint32_t axis)
{
    const SliceAttr *a = e->attr;

    (void)operand;
    return kept_or_mixed(p, e, axis, !a->start.v[axis] && (!a->stride.n || a->stride.v[axis] == 1));
}

Along along_pad(const Program *p, const Eqn *e, uint32_t operand, uint32_t axis)
{
    const PadAttr *a = e->attr;

    return operand ? nowhere
                   : kept_or_mixed(p, e, axis, !a->lo.v[axis] && !a->hi.v[axis] && (!a->interior.n || !a->interior.v[axis]));
}

Along along_dynamic_slice(const Program *p, const Eqn *e, uint32_t operand, uint32_t axis)
{
    return operand ? nowhere : kept(p, e, operand, axis, true);
}

Along along_dynamic_update_slice(const Program *p, const Eqn *e, uint32_t operand,
                                 uint32_t axis)
{
    bool whole = in_type(p, e, 1).dims[axis] == val_type(p, e->out).dims[axis];

    return operand > 1 ? nowhere : kept(p, e, operand, axis, whole);
}

/* Batch axes of the indices are those of the result that are no offsets; an axis taken whole is an offset. */
Along along_gather(const Program *p, const Eqn *e, uint32_t operand, uint32_t axis)
{
    const GatherAttr *a = e->attr;
    Type x = in_type(p, e, operand);
    uint32_t n = 0;

    if (a->operand_batching.n || (operand && axis + 1 == x.rank))
        return nowhere;
    if (!operand) {
        if (ints_have(a->collapsed, axis) || ints_have(a->start_index_map, axis) ||
            a->slice_sizes.v[axis] != x.dims[axis])
            return nowhere;
        return each((uint32_t)a->offset_dims.v[without(a->collapsed, axis)]);
    }
    for (uint32_t k = 0;; k++)
        if (!ints_have(a->offset_dims, k) && n++ == axis)
            return each(k);
}

/* Axes that updates have whole are theirs, too. */
Along along_scatter(const Program *p, const Eqn *e, uint32_t operand, uint32_t axis)
{
    const ScatterAttr *a = e->attr;
    Type y = val_type(p, e->out), u = in_type(p, e, 2);

    for (uint32_t d = 0, k = 0; d < y.rank && operand != 1; d++) {
        bool window = !ints_have(a->inserted, d) && !ints_have(a->operand_batching, d);
        uint32_t at = window ? (uint32_t)a->update_window.v[k++] : 0;
        bool whole = window && !ints_have(a->operand_dims, d) && u.dims[at] == y.dims[d];

        if (operand ? window && at == axis && whole : d == axis)
            return mixed_if(!whole, d);
    }
    return nowhere;
}

Along along_dot(const Program *p, const Eqn *e, uint32_t operand, uint32_t axis)
{
    const DotAttr *a = e->attr;
    Ints batch = operand ? a->rhs_batch : a->lhs_batch, sum = operand ? a->rhs : a->lhs;
    uint32_t k = batch.n;

    for (uint32_t i = 0; i < batch.n; i++)
        if (batch.v[i] == axis)
            return each(i);
    for (uint32_t i = 0; i < sum.n; i++)
        if (sum.v[i] == axis)
            return (Along){ALONG_SUM, i};
    if (operand)
        k += in_type(p, e, 0).rank - a->lhs.n -
             a->lhs_batch.n; /* free axes of the first come first */
    for (uint32_t i = 0; i < axis; i++)
        k += !ints_have(batch, i) && !ints_have(sum, i);
    return each(k);
}

Along along_conv(const Program *p, const Eqn *e, uint32_t operand, uint32_t axis)
{
    const ConvAttr *a = e->attr;
    bool plain = a->groups == 1 && a->batch_groups == 1;

    (void)p;
    if (!operand && a->batch_groups == 1 && axis == conv_axis(a->lhs_spec, 0))
        return each(conv_axis(a->out_spec, 0));
    if (operand && axis == conv_axis(a->rhs_spec, 0))
        return mixed_if(!plain, conv_axis(a->out_spec, 1));
    if (plain && axis == conv_axis(operand ? a->rhs_spec : a->lhs_spec, 1))
        return (Along){ALONG_SUM, 0};
    return nowhere;
}

static bool is_read(const Program *p, Val v)
{
    for (uint32_t n = 0; n < p->neqns; n++)
        for (uint32_t i = 0; i < p->eqns[n].nin; i++)
            if (eqn_in(p, &p->eqns[n])[i] == v)
                return true;
    for (uint32_t j = 0; j < p->nout; j++)
        if (p->outs[j] == v)
            return true;
    return false;
}

/* Windows of one element do not move; others take what is beside. Positions of the largest count all elements of the operand:
 * those of a part are others, so who reads them needs the whole. */
Along along_window(const Program *p, const Eqn *e, uint32_t operand, uint32_t axis)
{
    const WindowAttr *a = e->attr;

    if (e->op == OP_reduce_window_max && is_read(p, e->out + 1))
        return nowhere;
    if ((a->window.n && a->window.v[axis] != 1) ||
        (a->stride.n && a->stride.v[axis] != 1) || (a->pad_lo.n && a->pad_lo.v[axis]) ||
        (a->pad_hi.n && a->pad_hi.v[axis]) ||
        (a->base_dilation.n && a->base_dilation.v[axis] != 1))
        return (Along){ALONG_MIXED, axis};
    return along_same(p, e, operand, axis);
}

/* Many problems side by side: the axes before those of one. */
static Along leading(const Program *p, const Eqn *e, uint32_t operand, uint32_t axis,
                     uint32_t own)
{
    return axis + own < in_type(p, e, operand).rank ? along_same(p, e, operand, axis)
                                                    : nowhere;
}

Along along_matrices(const Program *p, const Eqn *e, uint32_t operand, uint32_t axis)
{
    Type x = in_type(p, e, operand);

    return e->op == OP_eigh || e->op == OP_eig || e->op == OP_svd || e->op == OP_lu || e->op == OP_qr
               ? axis + 2 < x.rank ? each(axis) : nowhere
               : leading(p, e, operand, axis, 2);
}

Along along_fft(const Program *p, const Eqn *e, uint32_t operand, uint32_t axis)
{
    Along a = leading(p, e, operand, axis, ((const FftAttr *)e->attr)->lengths.n);

    return a.kind == ALONG_NONE ? kept(p, e, operand, axis, false) : a;
}

/* What devices exchange: all_gather and all_to_all put an axis in, reduce_scatter and all_to_all take one out. */
Along along_collective(const Program *p, const Eqn *e, uint32_t operand, uint32_t axis)
{
    const CollectiveAttr *a = e->attr;
    uint32_t k = axis;

    if (e->op == OP_reduce_scatter || e->op == OP_all_to_all) {
        if (axis == a->at)
            return nowhere;
        k -= axis > a->at;
    }
    if (e->op == OP_all_gather)
        k += k >= a->at;
    if (e->op == OP_all_to_all)
        k += k >= a->to;
    return e->op == OP_all_gather || e->op == OP_reduce_scatter || e->op == OP_all_to_all
               ? each(k)
               : along_same(p, e, operand, axis);
}

Along op_along(const Program *p, const Eqn *e, uint32_t operand, uint32_t axis)
{
    const OpRow *row = op_row(e->op);

    if (!e->nout)
        return nowhere;
    if (row->along)
        return row->along(p, e, operand, axis);
    return row->lower.kind == LOWER_MAP || op_has(e->op, OPF_SAME)
               ? along_same(p, e, operand, axis)
               : nowhere;
}

bool op_hands_on(unsigned op)
{
    return op_has(op, OPF_SAME) && !op_row(op)->along && op != OP_bitcast &&
           op != OP_shard;
}
