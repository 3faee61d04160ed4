/* step_product.c -- calls of fused sub-programs that begin with a product.
 *
 * The product is bound as any other, with the compiled code as its epilogue: the
 * library's kernel calls it for every finished piece. Products of few rows or columns
 * have kernels that hand out no pieces: then the same code runs afterwards, over all
 * rows, as any other compiled kernel.
 */
#include "runtime/step.h"

typedef struct TileStep {
    const KernelStep *s;
    Op product; /* its step */
    KernelArgs args;
    void *array[];
} TileStep;

static bool run_product(Frame *f, const Op *op)
{
    TileStep *t = op->data;

    for (uint32_t i = 0; i < t->s->narrays; i++)
        t->array[i] = op_at(f, op, t->s->first + i);
    t->args.stop = &f->root->cx->cancelled;
    return t->product.run(f, &t->product);
}

static TileStep *tile_step(Bind *b, const KernelStep *s)
{
    TileStep *t = arena_zalloc(b->a, sizeof *t + s->narrays * sizeof *t->array);

    t->s = s;
    t->args = (KernelArgs){.p = t->array, .d = s->d};
    return t;
}

/* The step of the product, which was made last, runs inside this one, whose uses begin
 * with the product's. */
static void wrap_step(Bind *b, TileStep *t, KernelStep *s)
{
    Op *op = &b->seg->ops.v[b->seg->ops.n - 1];

    t->product = *op;
    s->first = op->use.n;
    bind_kernel_uses(b, op, s, USE_WRITE);
    op->run = run_product;
    op->data = t;
    op->kind = OP_RUNS_OTHER;
}

/* Has the product a kernel that hands out pieces? */
static bool has_pieces(Bind *b, const Program *p, const Eqn *e)
{
    const int64_t *dims = bind_dims(b, bind_out(b, 0));
    uint32_t nbatch, nrows, rank = bind_rank(b, bind_out(b, 0));
    int64_t rows = 1, cols = 1;

    if (e->op == OP_conv_general || product_is_apart(p, e))
        return true;
    product_axes(p, e, &nbatch, &nrows);
    for (uint32_t i = nbatch; i < rank; i++)
        *(i < nbatch + nrows ? &rows : &cols) *= dims[i];
    return rows > K_PIECE_ROWS && cols > K_PIECE_COLUMNS;
}

bool bind_product(Bind *b, KernelStep *s, const Sub *body)
{
    const Program *p = body->p;
    const Eqn *e = s->code->kernel->product;
    const void *call = b->attr;
    uint32_t before = b->seg->ops.n;
    KEpilogue epilogue;
    TileStep *t = NULL;
    bool ok, pieces = s->code->tile && has_pieces(b, p, e);
    void *attr;

    if (!attr_concrete(op_row(e->op), e->attr, b->a, &p->dims, body->binds.v, &attr))
        return false;
    if (pieces) {
        t = tile_step(b, s);
        epilogue = (KEpilogue){.tile = s->code->tile, .user = &t->args};
        b->epilogue = &epilogue;
    }
    b->attr = attr;
    ok = e->op == OP_dot_general ? bind_dot(b) : bind_conv(b);
    b->attr = call;
    b->epilogue = NULL;
    if (!pieces)
        bind_kernel_uses(b, bind_op(b, bind_run_kernel, s), s, USE_BOTH);
    else if (b->seg->ops.n > before)
        wrap_step(b, t, s);
    return ok;
}
