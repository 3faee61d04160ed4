/* outer.c -- products over nothing, and those of few terms, as elementwise products.
 *
 *   requires   the end of all passes that look for products: a sum of outer products is one
 *              product, and must have become one before
 *   keeps      values; bit for bit those over nothing
 *   breaks     nothing
 *
 *   dot(x, y) whose contracted axes have size 1, or that has none: broadcasts multiplied,
 *   which fuse with what follows. Only for targets that say so (outer_maps). So are the terms
 *   of a short sum (short_sum), such as the gradient of a layer by the few classes behind it, if
 *   the result is not so large that what its elements share is worth more than a call saved.
 */
#include "opt/opt.h"

#define SHORT_SIDE 16                /* rows and columns of such a product, from which on; */
#define SHORT_MOST ((Dim)1 << 22) /* elements, at most */

/* The operand of an outer product with the shape of the result; first: its free axes come
 * before the other's. */
static Val outer_operand(Rewriter *r, Val x, Ints batch, Ints sum, uint32_t first, Type to)
{
    Builder *b = r->b;
    uint32_t rank = b_rank(b, x), n = 0;
    int64_t perm[MAX_RANK], dims[MAX_RANK], axes[MAX_RANK];
    bool moved = false;

    for (uint32_t i = 0; i < batch.n; i++)
        perm[n++] = batch.v[i];
    for (uint32_t i = 0; i < rank; i++)
        if (!ints_have(batch, i) && !ints_have(sum, i))
            perm[n++] = i;
    for (uint32_t i = 1; i < n; i++)
        moved = moved || perm[i] < perm[i - 1];
    for (uint32_t i = 0; i < sum.n; i++) /* of size 1 */
        perm[n + i] = sum.v[i];
    for (uint32_t i = 0; i < n; i++) {
        dims[i] = b_dim(b, x, (uint32_t)perm[i]);
        axes[i] = i < batch.n ? i : first + i - batch.n;
    }
    x = b_reshape(b, moved ? b_transpose(b, x, perm) : x, dims, n);
    return b_broadcast(b, b_cast(b, x, (wf_dtype)to.dtype), to.dims, to.rank, axes);
}

/* ---- few terms ------------------------------------------------------------------------ */

/* Term k of a matrix with the summed axis `sum`, of type t, along `axis` of the product. */
static Val term(Builder *b, Val x, int64_t sum, int64_t k, int64_t axis, Type to)
{
    Dim n = b_dim(b, x, (uint32_t)!sum);

    return b_broadcast(b, b_reshape(b, b_slice_axis(b, x, (uint32_t)sum, k, k + 1), &n, 1), to.dims, 2, &axis);
}

/* x [m, k] y [k, n], either turned, as the sum of k products; VAL_NONE: it does not pay, for half floats because tensor cores
 * add more of those at a time. */
static Val short_sum(Rewriter *r, Val x, Val y, const DotAttr *a, Type to)
{
    Builder *b = r->b;
    Dim terms = a->lhs.n == 1 ? b_dim(b, x, (uint32_t)a->lhs.v[0]) : 0, all;
    Val sum = VAL_NONE;

    if (terms < 1 || terms > opt_target(r->o)->short_sum || to.rank != 2 || b_rank(b, x) != 2 || b_rank(b, y) != 2 ||
        b_dtype(b, x) != to.dtype || wf_dtype_size((wf_dtype)to.dtype) < 4 || to.dims[0] < SHORT_SIDE ||
        to.dims[1] < SHORT_SIDE || !mul_i64(to.dims[0], to.dims[1], &all) || all > SHORT_MOST)
        return VAL_NONE;
    if (a->rhs.v[0])
        y = b_transpose(b, y, (int64_t[]){1, 0}); /* what lies together is one term */
    for (int64_t k = 0; k < terms; k++) {
        Val right = term(b, y, 0, k, 1, to), t = b_mul(b, term(b, x, a->lhs.v[0], k, 0, to), right);

        sum = k ? b_add(b, sum, t) : t;
    }
    return sum;
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
            return short_sum(r, x, y, a, to);
    free = b_rank(b, x) - a->lhs.n - a->lhs_batch.n;
    y = outer_operand(r, y, a->rhs_batch, a->rhs, a->rhs_batch.n + free, to);
    return b_mul(b, outer_operand(r, x, a->lhs_batch, a->lhs, a->lhs_batch.n, to), y);
}

const Program *opt_outer(const Opt *o, const Program *p)
{
    Arena *a = &o->cx->scratch;
    Rewriter r = {.o = o, .rule = outer_value, .done.a = a, .origin.a = a};

    return o->target && o->target->outer_maps ? rewrite_apply(&r, p) : p;
}
