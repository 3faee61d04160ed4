/* outer.c -- products over nothing as elementwise products.
 *
 *   requires   the end of all passes that look for products: a sum of outer products is one
 *              product, and must have become one before
 *   keeps      values bit for bit
 *   breaks     nothing
 *
 *   dot(x, y) whose contracted axes have size 1, or that has none: broadcasts multiplied,
 *   which fuse with what follows. Only for targets that say so (outer_maps).
 */
#include "opt/opt.h"

/* The operand of an outer product with the shape of the result; first: its free axes come
 * before the other's. */
static Val outer_operand(Rewriter *r, Val x, Ints batch, Ints sum, uint32_t first, Type to)
{
    Builder *b = r->b;
    uint32_t rank = b_rank(b, x), n = 0;
    int64_t perm[MAX_RANK], dims[MAX_RANK], axes[MAX_RANK];

    for (uint32_t i = 0; i < batch.n; i++)
        perm[n++] = batch.v[i];
    for (uint32_t i = 0; i < rank; i++)
        if (!ints_have(batch, i) && !ints_have(sum, i))
            perm[n++] = i;
    for (uint32_t i = 0; i < sum.n; i++) /* of size 1 */
        perm[n + i] = sum.v[i];
    x = b_transpose(b, x, perm);
    for (uint32_t i = 0; i < n; i++) {
        dims[i] = b_dim(b, x, i);
        axes[i] = i < batch.n ? i : first + i - batch.n;
    }
    x = b_reshape(b, x, dims, n);
    return b_broadcast(b, b_cast(b, x, (wf_dtype)to.dtype), to.dims, to.rank, axes);
}

static Val outer_value(Rewriter *r, Val v, Eqn e)
{
    Builder *b = r->b;
    const DotAttr *a = e.attr;
    Type to = b_type(b, v);
    uint32_t free;
    Val x, y;

    if (e.op != OP_dot_general || !dtype_is_float((wf_dtype)to.dtype))
        return VAL_NONE;
    x = b->args.v[e.args];
    y = b->args.v[e.args + 1];
    for (uint32_t i = 0; i < a->lhs.n; i++)
        if (b_dim(b, x, (uint32_t)a->lhs.v[i]) != 1)
            return VAL_NONE;
    free = b_rank(b, x) - a->lhs.n - a->lhs_batch.n;
    return b_mul(b, outer_operand(r, x, a->lhs_batch, a->lhs, a->lhs_batch.n, to),
                 outer_operand(r, y, a->rhs_batch, a->rhs, a->rhs_batch.n + free, to));
}

const Program *opt_outer(const Opt *o, const Program *p)
{
    Arena *a = &o->cx->scratch;
    Rewriter r = {.o = o, .rule = outer_value, .done.a = a, .origin.a = a};

    return o->target && o->target->outer_maps ? rewrite_apply(&r, p) : p;
}
