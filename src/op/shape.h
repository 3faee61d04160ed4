/* shape.h -- what the rules of op_const.c, op_shape.c, op_slice.c, op_gather.c,
 * op_scatter.c, op_index.c and op_window.c share: checks of attribute lists, lists with
 * one more entry, small folds.
 */
#ifndef WEFT_SHAPE_H
#define WEFT_SHAPE_H

#include "op/nd.h"

/* ---- shared by the type rules ------------------------------------------------------ */

/* Entry i of an attribute list that may be left empty. */
static inline int64_t entry(Ints a, uint32_t i, int64_t standard)
{
    return a.n ? a.v[i] : standard;
}

/* d is provably negative. */
static inline bool is_negative(TypeRule *t, Dim d)
{
    return d < 0 && d != DIM_NONE && dim_known_ge(t->dims, dim_const(t->dims, -1), d);
}

/* A list with one entry for each axis of operand 0 (or none, if it may be empty). */
static inline bool check_entries(TypeRule *t, const char *what, Ints a, bool may_be_empty)
{
    if (a.n == t->in[0].rank || (may_be_empty && !a.n))
        return true;
    return type_fail(t, WF_ERR_VALUE, "%s has %u entries, but %s has %u axes", what, a.n,
                     type_show(t, t->in[0]), t->in[0].rank);
}

/* Strides, dilations and the like: at least so many, and small enough that products with
 * sizes do not overflow. */
static inline bool check_at_least(TypeRule *t, const char *what, Ints a, int64_t least)
{
    for (uint32_t i = 0; i < a.n; i++) {
        if (a.v[i] < least)
            return type_fail(t, WF_ERR_VALUE, "%s[%u] is %lld, but must be at least %lld",
                             what, i, (long long)a.v[i], (long long)least);
        if (a.v[i] > (int64_t)1 << 40)
            return type_fail(t, WF_ERR_LIMIT, "%s[%u] is %lld, but must be at most 2^40",
                             what, i, (long long)a.v[i]);
    }
    return true;
}

/* Distinct axes of something of that rank. */
static inline bool check_axes(TypeRule *t, const char *what, Ints a, uint32_t rank,
                              bool increasing)
{
    uint64_t seen = 0;

    for (uint32_t i = 0; i < a.n; i++) {
        if (a.v[i] < 0 || a.v[i] >= (int64_t)rank)
            return type_fail(t, WF_ERR_VALUE, "%s[%u] is %lld, but there are %u axes",
                             what, i, (long long)a.v[i], rank);
        if (seen >> a.v[i] & 1)
            return type_fail(t, WF_ERR_VALUE, "%s names axis %lld twice", what,
                             (long long)a.v[i]);
        if (increasing && i && a.v[i] < a.v[i - 1])
            return type_fail(t, WF_ERR_VALUE,
                             "%s must be increasing, but axis %lld follows %lld", what,
                             (long long)a.v[i], (long long)a.v[i - 1]);
        seen |= (uint64_t)1 << a.v[i];
    }
    return true;
}

static inline bool check_axis(TypeRule *t, int64_t axis, Type type)
{
    if (axis >= 0 && axis < type.rank)
        return true;
    return type_fail(t, WF_ERR_VALUE, "axis is %lld, but %s has %u axes", (long long)axis,
                     type_show(t, type), type.rank);
}

static inline bool check_sizes(TypeRule *t, Ints dims)
{
    if (dims.n > MAX_RANK)
        return type_fail(t, WF_ERR_LIMIT,
                         "the result has %u axes, but at most %d are allowed", dims.n,
                         MAX_RANK);
    for (uint32_t i = 0; i < dims.n; i++)
        if (dims.v[i] == DIM_NONE || is_negative(t, dims.v[i]))
            return type_fail(t, WF_ERR_SHAPE,
                             "size %u of the result is %s, but sizes are not negative", i,
                             dims.v[i] == DIM_NONE ? "unknown" : dim_show(t, dims.v[i]));
    return true;
}

/* ---- shared by the other rules ----------------------------------------------------- */

/* out[at] = in[base + sum at[i]*step[i]] */
static inline void copy_affine(const Nd *out, const Nd *in, int64_t base,
                               const int64_t *step)
{
    int64_t at[MAX_RANK] = {0}, i = 0;

    if (!out->count)
        return;
    do
        nd_copy(out, i++, in, base + nd_flat(at, step, out->rank));
    while (nd_next(out->dims, out->rank, at));
}

/* The list with x put before entry k; buf has room for a.n + 1. */
static inline Ints insert_entry(Ints a, uint32_t k, int64_t x, int64_t *buf)
{
    for (uint32_t i = 0; i <= a.n; i++)
        buf[i] = i < k ? a.v[i] : i == k ? x : a.v[i - 1];
    return (Ints){a.n + 1, buf};
}

/* The same where an empty list stands for all standard entries: then it stays empty. */
static inline Ints insert_optional(Ints a, uint32_t k, int64_t x, int64_t *buf)
{
    return a.n ? insert_entry(a, k, x, buf) : a;
}

/* The equation that makes v, if it is of that op. */
static inline const Eqn *made_by(const Builder *b, Val v, OpCode op)
{
    uint32_t i = b->vals.v[v].eqn;

    return i != EQN_INPUT && b->eqns.v[i].op == op ? &b->eqns.v[i] : NULL;
}

/* Moving the elements of a splat around leaves a splat. */
static inline bool fold_splat(Builder *b, const EqnView *e, Val *out)
{
    const void *element;

    if (!b_splat(b, e->in[0], &element))
        return false;
    out[0] = b_splat_bits(b, e->out_type[0], element);
    return true;
}

/* batch of an op without operands: nothing is batched. */
static inline void batch_nothing(Builder *b, const EqnView *e, const Batch *bt, Val *out,
                                 int *out_axis)
{
    (void)bt;
    out[0] = b_eqn1(b, (OpCode)e->op, NULL, 0, e->attr);
    out_axis[0] = -1;
}

#endif
