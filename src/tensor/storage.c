/* storage.c -- ops on tensors of dtypes that only store (floats of 8 bits, integers of 4).
 *
 * They are moved and cast as they are. By the rules of JAX and NumPy (ml_dtypes) everything else is computed in
 * the wider dtype, and a result of that is rounded back, op by op. PyTorch compares, and refuses the rest by name.
 */
#include "tensor/tensor.h"

/* Ops that take any dtype: what they do is move elements, or run programs that say themselves. */
static bool moves(OpCode op)
{
    switch (op) {
    case OP_const:
    case OP_select:
    case OP_cast:
    case OP_bitcast:
    case OP_reshape:
    case OP_broadcast:
    case OP_transpose:
    case OP_slice:
    case OP_pad:
    case OP_concat:
    case OP_rev:
    case OP_dim:
    case OP_size:
    case OP_gather:
    case OP_scatter:
    case OP_dynamic_slice:
    case OP_dynamic_update_slice:
    case OP_opt_barrier:
    case OP_stop_gradient:
    case OP_name:
    case OP_print:
    case OP_host:
    case OP_callback:
    case OP_call:
    case OP_cond:
    case OP_while:
    case OP_scan:
    case OP_custom_jvp:
    case OP_custom_vjp:
    case OP_custom_lin:
    case OP_checkpoint:
    case OP_all_gather:
    case OP_ppermute:
    case OP_all_to_all:
    case OP_pvary:
    case OP_shard:
    case OP_spmd: return true;
    default: return false;
    }
}

wf_dtype storage_of(wf_ctx *c, OpCode op, const wf_tensor *in, uint32_t nin)
{
    if (failed(c) || !ts(c) || moves(op))
        return WF_INVALID;
    for (uint32_t i = 0; i < nin; i++) {
        const Tensor *t = tensor_get(c, in[i], op_name(op));

        if (t && dtype_is_storage((wf_dtype)t->dtype))
            return (wf_dtype)t->dtype;
    }
    return WF_INVALID;
}

/* What the sums of a product are kept in is a dtype, too. */
static const void *widened(OpCode op, const void *attr, wf_dtype storage, DotOrConv *room)
{
    int32_t to = (int32_t)dtype_wide(storage);

    if (op == OP_dot_general) {
        room->dot = *(const DotAttr *)attr;
        room->dot.acc = room->dot.acc == (int32_t)storage ? to : room->dot.acc;
        return room;
    }
    if (op == OP_conv_general) {
        room->conv = *(const ConvAttr *)attr;
        room->conv.acc = room->conv.acc == (int32_t)storage ? to : room->conv.acc;
        return room;
    }
    return attr;
}

bool storage_op(wf_ctx *c, wf_dtype storage, OpCode op, const wf_tensor *in, uint32_t nin,
                const void *attr, wf_tensor *out, uint32_t nout)
{
    wf_tensor *wide, few[8];
    wf_dtype to = dtype_wide(storage);
    DotOrConv room;
    bool compares = op == OP_eq || op == OP_ne || op == OP_abs, ok;

    for (uint32_t j = 0; j < nout; j++)
        out[j] = WF_NONE;
    if (c->semantics->promotion == WF_PROMOTE_TORCH && !compares) {
        tensor_fail(c, WF_ERR_UNSUPPORTED, "%s: numbers of dtype %s are only stored", op_name(op), wf_dtype_name(storage));
        return false;
    }
    if (!(wide = nin <= COUNT(few) ? few : mem_alloc(&c->al, nin * sizeof *wide)))
        return fail_memory(c);
    for (uint32_t i = 0; i < nin; i++)
        wide[i] = wf_dtype_of(c, in[i]) == storage ? op_1(c, OP_cast, in[i], &(DtypeAttr){(int32_t)to}) : in[i];
    ok = !failed(c) && tensor_op(c, op, wide, nin, widened(op, attr, storage, &room), out, nout);
    for (uint32_t j = 0; ok && j < nout; j++)
        if (wf_dtype_of(c, out[j]) == to)
            out[j] = op_1(c, OP_cast, out[j], &(DtypeAttr){(int32_t)storage});
    if (wide != few)
        mem_free(&c->al, wide, nin * sizeof *wide);
    return ok && !failed(c);
}
