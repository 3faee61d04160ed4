/* epilogue.c -- where products and convolutions go on with what follows them.
 *
 * The kernels of the library hand out every finished piece of a result, while it is in
 * the nearest cache (kernels.h: KEpilogue.tile). A fused group that begins with a product is
 * compiled as such a function. The product is a matrix for each entry of the batch: its
 * axes are batch, rows, columns; of a convolution images, channels, pixels.
 */
#include "codegen/codegen.h"

void product_axes(const Program *p, const Eqn *e, uint32_t *nbatch, uint32_t *nrows)
{
    const DotAttr *a = e->attr;

    *nbatch = *nrows = 1;
    if (e->op == OP_conv_general)
        return;
    *nbatch = a->lhs_batch.n;
    *nrows = val_type(p, eqn_in(p, e)[0]).rank - a->lhs.n - *nbatch;
}

bool product_is_apart(const Program *p, const Eqn *e)
{
    return !dtype_is_inexact((wf_dtype)val_type(p, e->out).dtype);
}

bool product_takes(const Program *p, Val out, const Eqn *product)
{
    Type t = val_type(p, out), z = val_type(p, product->out);

    return product_is_apart(p, product) ? type_same_shape(t, z) : type_eq(t, z);
}

Val widened_bytes(const Program *p, const Eqn *e)
{
    Val x = e->op == OP_cast ? eqn_in(p, e)[0] : VAL_NONE;

    return x && wf_dtype_size((wf_dtype)val_type(p, x).dtype) == 1 && wf_dtype_size((wf_dtype)val_type(p, e->out).dtype) > 1
               ? x
               : VAL_NONE;
}

bool rounds_to_bytes(const Program *p, const Eqn *e)
{
    return e->op == OP_cast && wf_dtype_size((wf_dtype)val_type(p, e->out).dtype) == 1 && val_type(p, e->out).dtype != WF_BOOL &&
           dtype_is_inexact((wf_dtype)val_type(p, eqn_in(p, e)[0]).dtype);
}

/* Elements along some axes of the result; symbols count as many. */
static double extent(Type t, uint32_t from, uint32_t to)
{
    double n = 1;

    for (uint32_t i = from; i < to; i++)
        n *= t.dims[i] >= 0 ? (double)t.dims[i] : 256;
    return n;
}

bool product_pays(const Target *t, const Program *p, const Eqn *e)
{
    Type z = val_type(p, e->out);
    uint32_t nbatch, nrows;

    if (e->op == OP_conv_general || product_is_apart(p, e))
        return true;
    product_axes(p, e, &nbatch, &nrows);
    return extent(z, nbatch, nbatch + nrows) > (double)t->tile_rows &&
           extent(z, nbatch + nrows, z.rank) > (double)t->tile_columns;
}

/* Does the access walk the product's rows as well as its columns? */
static bool is_whole(const Kernel *k, const Access *at)
{
    bool rows = false;

    for (uint32_t l = 0; l < k->nloops; l++)
        rows = rows || (k->loops[l].tile != TILE_COL && at->stride[l]);
    return rows && at->stride[k->nloops - 1];
}

/* A piece is some ten rows of two vectors: of other arrays as large as the product, each
 * piece touches as many lines apart from each other, which takes longer than to walk them
 * afterwards from end to end. Measured: bias and relu save 4 % of GoogLeNet; gelu with
 * what its gradient keeps made a transformer's products 10 % slower, an update of weights
 * those of their gradients 5 %. Pieces of convolutions are longer. */
bool epilogue_pays(const Kernel *k)
{
    uint32_t arrays = k->p->nin + k->p->nout, n = 0;

    for (uint32_t i = 0; i < k->nnodes; i++)
        n += k->nodes[i].kind == NODE_LOAD && k->nodes[i].at.array != arrays &&
             is_whole(k, &k->nodes[i].at);
    for (uint32_t j = 1; j < k->p->nout; j++)
        n += is_whole(k, &k->outs[j].at);
    return n <= (k->product->op == OP_conv_general ? k->target->tile_arrays_conv
                                                   : k->target->tile_arrays_dot);
}

const Eqn *product_of(const Target *t, const Program *p)
{
    const Eqn *e = p->neqns ? &p->eqns[0] : NULL;

    return e && fuse_kind(t, p, e) == FUSE_PRODUCT ? e : NULL;
}
