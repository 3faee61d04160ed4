/* onehot.c -- one element of every row, taken or added to by number, as arithmetic.
 *
 *   requires   a program after the optimiser
 *   keeps      values, but -0 taken becomes 0; types
 *   breaks     nothing; pays where the rows are short and what is around can be fused
 *
 *     gather x[n,c] at (n, i[n])             sum over c of select(c == i[n], x, 0)
 *     scatter_add x[n,c] y[n] at (n, i[n])   x + select(c == i[n], y, 0)
 *     both of x[n,1,c], n a batch            the same, as vmap leaves it
 *
 * That is how the loss of a classifier and its gradient reach one element of each row; as
 * arithmetic they become part of the kernel that computes the row. Indices out of range
 * are clipped first, or (drop) to where they match nothing; so 32 bits are enough.
 */
#include "opt/opt.h"

static bool is_list(Ints v, int64_t a, int64_t b)
{
    return v.n == 2 && v.v[0] == a && v.v[1] == b;
}

/* No batch, or the first axis of both. */
static bool is_batch(Ints x, Ints index)
{
    return x.n == 0 || (x.n == 1 && x.v[0] == 0 && index.n == 1 && index.v[0] == 0);
}

/* A constant that counts 0, 1, 2 ..? */
static bool counts(const ConstAttr *a, int64_t n)
{
    size_t size = wf_dtype_size((wf_dtype)a->type.dtype);

    if (!dtype_is_int((wf_dtype)a->type.dtype) || a->data->size != (size_t)n * size)
        return false;
    for (int64_t i = 0; i < n; i++)
        if (element_as_f64((wf_dtype)a->type.dtype,
                           (const char *)a->data->data + (size_t)i * size) != (double)i)
            return false;
    return true;
}

/* v, of as many elements as there are rows: the numbers of the rows, in order? */
static bool is_row_number(const Builder *b, Val v, Dim rows)
{
    const Eqn *e;

    for (int depth = 0; depth < 8; depth++) {
        Val x = under(b, v, OP_reshape);

        if (x == VAL_NONE)
            x = under(b, v, OP_cast);
        if (x == VAL_NONE)
            break;
        v = x;
    }
    e = made_by(b, v, OP_const);
    if (e)
        return rows > 1 && counts(e->attr, rows);
    e = made_by(b, v, OP_iota);
    return e && b_dim(b, v, (uint32_t)((const IotaAttr *)e->attr)->axis) == rows;
}

typedef struct Picked {
    Val match; /* bool [rows, cols]: the element of each row */
    Dim dims[2];
} Picked;

/* index [rows,..1, 2] = (row number, i); x [rows, cols], or [rows, 1, cols], of which the rows are a batch: clipped, the
 * number in the middle says nothing. */
static bool find_match(Rewriter *r, Type x, Val index, int64_t batch, bool clip, Picked *out)
{
    Builder *b = r->b;
    const Eqn *e = made_by(b, index, OP_concat);
    Dim cols = x.rank ? x.dims[x.rank - 1] : 0;
    Val column, most;
    Type t;

    if (!e || e->nin != 2 || x.rank != 2 + batch || cols < 1 || cols > opt_target(r->o)->onehot_row ||
        (batch && (x.dims[1] != 1 || !clip)))
        return false;
    column = arg(b, e, 1);
    t = b_type(b, index);
    if (t.rank < 2 || t.dims[0] != x.dims[0] || t.dims[t.rank - 1] != 2 ||
        ((const AxisAttr *)e->attr)->axis != t.rank - 1)
        return false;
    for (uint32_t i = 1; i + 1 < t.rank; i++)
        if (t.dims[i] != 1)
            return false;
    if ((t.dtype != WF_I64 && t.dtype != WF_I32) ||
        !(batch || is_row_number(b, arg(b, e, 0), x.dims[0])))
        return false;
    out->dims[0] = x.dims[0];
    out->dims[1] = cols;
    column = b_reshape(b, column, out->dims, 1);
    most = b_full_like(b, column, (double)(out->dims[1] - clip));
    column = b_clamp(b, b_full_like(b, column, clip ? 0 : -1), column, most);
    column = b_broadcast(b, b_cast(b, column, WF_I32), out->dims, 2, (int64_t[]){0});
    out->match = b_eq(b, b_iota(b, WF_I32, out->dims, 2, 1), column);
    return !b_failed(b);
}

static Val take(Rewriter *r, Val v, Eqn e)
{
    Builder *b = r->b;
    const GatherAttr *a = e.attr;
    Val x = arg(b, &e, 0), index = arg(b, &e, 1), y;
    Type t = b_type(b, v);
    int64_t batch = a->operand_batching.n;
    Picked p;

    if (a->mode != INDEX_CLIP || a->offset_dims.n || !is_batch(a->operand_batching, a->indices_batching) ||
        !is_list(a->collapsed, batch, batch + 1) || !is_list(a->start_index_map, batch, batch + 1) ||
        b_dtype(b, x) == WF_BOOL || !find_match(r, b_type(b, x), index, batch, true, &p))
        return VAL_NONE;
    x = b_reshape(b, x, p.dims, 2);
    y = b_select(b, p.match, x, b_zeros_like(b, x));
    y = b_reduce(b, OP_reduce_sum, y, (int64_t[]){1}, 1);
    return b_reshape(b, y, t.dims, t.rank);
}

static Val add_to(Rewriter *r, Eqn e)
{
    Builder *b = r->b;
    const ScatterAttr *a = e.attr;
    Val x = arg(b, &e, 0), index = arg(b, &e, 1), y = arg(b, &e, 2), flat;
    Type t = b_type(b, x);
    int64_t batch = a->operand_batching.n;
    Picked p;

    if (a->mode == INDEX_PROMISED || a->update_window.n || !is_batch(a->operand_batching, a->indices_batching) ||
        !is_list(a->inserted, batch, batch + 1) || !is_list(a->operand_dims, batch, batch + 1) ||
        !find_match(r, t, index, batch, a->mode == INDEX_CLIP, &p))
        return VAL_NONE;
    flat = b_reshape(b, x, p.dims, 2);
    y = b_broadcast(b, b_reshape(b, y, p.dims, 1), p.dims, 2, (int64_t[]){0});
    return b_reshape(b, b_add(b, flat, b_select(b, p.match, y, b_zeros_like(b, flat))), t.dims, t.rank);
}

static Val rule(Rewriter *r, Val v, Eqn e)
{
    switch (e.op) {
    case OP_gather: return take(r, v, e);
    case OP_scatter_add: return add_to(r, e);
    default: return VAL_NONE;
    }
}

const Program *opt_onehot(const Opt *o, const Program *p)
{
    return rewrite_with(o, p, rule, NULL);
}
