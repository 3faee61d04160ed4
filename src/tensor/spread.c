/* spread.c -- elementwise ops on broadcast operands, as they lie in memory.
 *
 * Programs take operands in row-major order; a broadcast view would be filled out first, which costs more than the op. It
 * goes without the axes along which it repeats instead, to a program that says the broadcast itself: that is a view
 * there, and kernels take it by its strides. A number beside a tensor and the bias of a layer are such operands.
 */
#include "tensor/tensor.h"

/* The axes along which the tensor repeats, one bit each. */
static uint64_t spread_axes(const Tensor *t)
{
    uint64_t axes = 0;

    for (uint32_t k = 0; k < t->rank && !t->packed; k++)
        if (t->dims[k] > 1 && t->strides[k] == 0)
            axes |= (uint64_t)1 << k;
    return axes;
}

/* The view without them. */
static Tensor *without_axes(wf_ctx *c, Tensor *t, uint64_t axes)
{
    int64_t dims[MAX_RANK], strides[MAX_RANK];
    uint32_t n = 0;

    for (uint32_t k = 0; k < t->rank; k++)
        if (!(axes >> k & 1)) {
            dims[n] = t->dims[k];
            strides[n++] = t->strides[k];
        }
    return tensor_view(c, t, (wf_dtype)t->dtype, dims, strides, n, t->offset);
}

/* The op of p with operands that lack those axes. */
static const Program *spread_program(wf_ctx *c, const Prim *p, const uint64_t *axes)
{
    Builder *b;
    Val vals[3], *outs;
    uint32_t nout;
    const Program *q;

    T_ENTER(c, NULL)
    b = builder_new(c, op_name(p->op), B_VERBATIM);
    b_at(b, c->tensors->place);
    for (uint32_t i = 0; i < p->nin; i++) {
        int64_t kept[MAX_RANK];
        Dim dims[MAX_RANK];
        uint32_t n = 0;

        for (uint32_t k = 0; k < p->in[i].rank; k++)
            if (!(axes[i] >> k & 1)) {
                kept[n] = k;
                dims[n++] = p->in[i].dims[k];
            }
        vals[i] = b_input(b, NULL, b_make_type(b, (wf_dtype)p->in[i].dtype, dims, n));
        if (axes[i])
            vals[i] = b_broadcast(b, vals[i], p->in[i].dims, p->in[i].rank, kept);
    }
    outs = b_eqn_n(b, p->op, vals, p->nin, p->attr, &nout);
    q = failed(c) ? NULL : builder_finish(b, outs, nout);
    if (q)
        q = program_retain(q);
    T_LEAVE(c);
    return q;
}

/* The executable is p's, for the axes it was asked for last. */
static wf_exec *spread_exec(wf_ctx *c, Prim *p, const uint64_t *axes)
{
    const Program *q;

    if (p->spread && !memcmp(p->spread_axes, axes, p->nin * sizeof *axes))
        return p->spread;
    wf_exec_release(p->spread);
    p->spread = NULL;
    if (!(q = spread_program(c, p, axes)))
        return NULL;
    wf_prepare(c, q, &p->spread);
    program_release(q);
    memcpy(p->spread_axes, axes, p->nin * sizeof *axes);
    return p->spread;
}

bool tensor_run_spread(wf_ctx *c, Prim *p, Tensor *const *in, Tensor **out)
{
    uint64_t axes[3] = {0}, any = 0;
    Tensor *x[3] = {NULL};
    wf_array *arrays[3], *result = NULL;
    wf_exec *e;
    bool ok = true;

    if (op_row(p->op)->lower.kind != LOWER_MAP || p->nin > COUNT(x) || p->nout != 1)
        return true;
    for (uint32_t i = 0; i < p->nin; i++) {
        if (!tensor_is_here(in[i]))
            return true;
        any |= axes[i] = spread_axes(in[i]);
    }
    if (!any)
        return true;
    ok = (e = spread_exec(c, p, axes)) != NULL;
    for (uint32_t i = 0; i < p->nin && ok; i++) {
        x[i] = axes[i] ? without_axes(c, in[i], axes[i]) : tensor_retain(in[i]);
        ok = x[i] && (arrays[i] = tensor_array(c, x[i])) != NULL;
    }
    ok = ok && wf_run(c, e, arrays, (int)p->nin, &result, 1) == WF_OK &&
         (*out = tensor_from_array(c, result)) != NULL;
    for (uint32_t i = 0; i < p->nin; i++)
        tensor_release(c, x[i]);
    return ok;
}
