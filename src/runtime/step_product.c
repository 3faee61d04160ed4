/* step_product.c -- calls of fused sub-programs that begin with a product.
 *
 * The product is bound as any other, with the compiled code as its epilogue: the library's
 * kernel calls it for every finished piece. Products of few rows or columns have kernels
 * that hand out no pieces: then the same code runs afterwards, over all rows, as any other
 * compiled kernel.
 */
#include "runtime/step.h"

#define LOW_ROWS    64
#define FEW_COLUMNS 16

typedef struct TileStep {
    const KernelStep *s;
    KernelArgs args;
    void *array[];
} TileStep;

/* Before the product: where the arrays are. */
static bool run_arrays(Frame *f, const Op *op)
{
    TileStep *t = op->data;

    for (uint32_t i = 0; i < t->s->narrays; i++)
        t->array[i] = frame_at(f, t->s->array[i]);
    t->args.stop = &f->root->cx->cancelled;
    return true;
}

static KEpilogue epilogue_of(Bind *b, const KernelStep *s)
{
    TileStep *t = arena_zalloc(b->a, sizeof *t + s->narrays * sizeof *t->array);

    t->s = s;
    t->args = (KernelArgs){.p = t->array, .d = s->d};
    bind_op(b, run_arrays, t);
    return (KEpilogue){.tile = s->code->tile, .user = &t->args};
}

/* Has the product a kernel that hands out pieces? */
static bool has_pieces(Bind *b, const Program *p, const Eqn *e)
{
    const int64_t *dims = bind_dims(b, bind_out(b, 0));
    uint32_t nbatch, nrows, rank = bind_rank(b, bind_out(b, 0));
    int64_t rows = 1, cols = 1;

    if (e->op == OP_conv_general)
        return true;
    product_axes(p, e, &nbatch, &nrows);
    for (uint32_t i = nbatch; i < rank; i++)
        *(i < nbatch + nrows ? &rows : &cols) *= dims[i];
    return rows > LOW_ROWS && cols > FEW_COLUMNS;
}

bool bind_product(Bind *b, KernelStep *s, const Sub *body)
{
    const Program *p = body->p;
    const Eqn *e = s->code->kernel->product;
    const void *call = b->attr;
    KEpilogue epilogue;
    bool ok, pieces = s->code->tile && has_pieces(b, p, e);
    void *attr;

    if (!attr_concrete(op_row(e->op), e->attr, b->a, &p->dims, body->binds.v, &attr))
        return false;
    if (pieces) {
        epilogue = epilogue_of(b, s);
        b->epilogue = &epilogue;
    }
    b->attr = attr;
    ok = e->op == OP_dot_general ? bind_dot(b) : bind_conv(b);
    b->attr = call;
    b->epilogue = NULL;
    if (!pieces)
        bind_op(b, run_kernel, s);
    return ok;
}
