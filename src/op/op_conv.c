/* op_conv.c -- conv_general: convolution (correlation) in any layout, with stride,
 * padding, both dilations, feature groups and batch groups, over any number of spatial
 * axes.
 *
 * With features C = I*G of the input, O of the result, G groups, B batch groups (G or B
 * is 1):
 *
 *   z[n, o, q] = sum over i < I and s  of  x[n', c, p] * k[o, i, s]
 *     c  = (o div (O/G)) * I + i         group g of o sees features g*I .. g*I+I-1
 *     n' = (o div (O/B)) * (N/B) + n     batch group of o sees that part of the batch
 *     p*lhs_dilation = q*stride + s*rhs_dilation - pad_lo      no such p in range: 0
 *   result size = max(0, floor((D(in) + pad_lo + pad_hi - D(k)) / stride) + 1)
 *   D(n) = max(0, (n-1)*d + 1)           the span of n elements, d (a dilation) apart
 *
 * Transposes and batches are conv_generals again. Paddings of the transposes are chosen
 * so that the result size comes out as a polynomial equal to the operand's, for symbolic
 * sizes too: whatever D(..) stands in the padding is the same expression that the type
 * rule subtracts.
 */
#include "op/contract.h"

/* The attributes, everything said: specs are axes of batch (kernel: out feature), feature
 * (kernel: in feature), then spatial ones. */
typedef struct Conv {
    uint32_t ns; /* spatial axes */
    int64_t lhs[MAX_RANK], rhs[MAX_RANK], out[MAX_RANK];
    int64_t stride[MAX_RANK], lhs_dilation[MAX_RANK], rhs_dilation[MAX_RANK];
    Dim lo[MAX_RANK], hi[MAX_RANK];
    Dim groups, batch_groups;
    int32_t acc, precision;
} Conv;

static void fill(int64_t *out, Ints list, uint32_t n, int64_t standard)
{
    for (uint32_t i = 0; i < n; i++)
        out[i] = list.n ? list.v[i] : standard;
}

/* rank: of the operands; lists checked to be empty or full. */
static Conv conv_open(const ConvAttr *a, uint32_t rank)
{
    Conv c = {.ns = rank - 2,
              .groups = a->groups,
              .batch_groups = a->batch_groups,
              .acc = a->acc,
              .precision = a->precision};

    for (uint32_t i = 0; i < rank; i++) {
        c.lhs[i] = a->lhs_spec.n ? a->lhs_spec.v[i] : i;
        c.rhs[i] = a->rhs_spec.n ? a->rhs_spec.v[i] : i;
        c.out[i] = a->out_spec.n ? a->out_spec.v[i] : i;
    }
    fill(c.stride, a->stride, c.ns, 1);
    fill(c.lhs_dilation, a->lhs_dilation, c.ns, 1);
    fill(c.rhs_dilation, a->rhs_dilation, c.ns, 1);
    fill(c.lo, a->pad_lo, c.ns, 0);
    fill(c.hi, a->pad_hi, c.ns, 0);
    return c;
}

/* A list that says nothing but the standard value is left out. */
static Ints list_of(const int64_t *v, uint32_t n, int64_t standard)
{
    for (uint32_t i = 0; i < n; i++)
        if (v[i] != standard)
            return (Ints){n, v};
    return (Ints){0, NULL};
}

static Ints spec_of(const int64_t *v, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (v[i] != (int64_t)i)
            return (Ints){n, v};
    return (Ints){0, NULL};
}

static Val conv_emit(Builder *b, Val x, Val k, const Conv *c)
{
    ConvAttr a = {.lhs_spec = spec_of(c->lhs, c->ns + 2),
                  .rhs_spec = spec_of(c->rhs, c->ns + 2),
                  .out_spec = spec_of(c->out, c->ns + 2),
                  .stride = list_of(c->stride, c->ns, 1),
                  .pad_lo = list_of(c->lo, c->ns, 0),
                  .pad_hi = list_of(c->hi, c->ns, 0),
                  .lhs_dilation = list_of(c->lhs_dilation, c->ns, 1),
                  .rhs_dilation = list_of(c->rhs_dilation, c->ns, 1),
                  .groups = c->groups,
                  .batch_groups = c->batch_groups,
                  .acc = c->acc,
                  .precision = c->precision};

    return b_conv(b, x, k, &a);
}

/* D(n) of the file header. */
static Dim dilate(Dims *t, Dim n, int64_t d)
{
    if (d == 1)
        return n;
    return dim_max(t, 0, dim_add(t, dim_mul(t, dim_sub(t, n, 1), d), 1));
}

/* ---- type -------------------------------------------------------------------------- */

static bool check_list(TypeRule *t, const char *name, Ints list, uint32_t n,
                       int64_t least)
{
    if (list.n != 0 && list.n != n)
        return type_fail(t, WF_ERR_VALUE, "%s has %u entries, needed %u or none", name,
                         list.n, n);
    for (uint32_t i = 0; i < list.n; i++)
        if (list.v[i] < least)
            return type_fail(t, WF_ERR_VALUE, "%s is %lld at %u, needed at least %lld",
                             name, (long long)list.v[i], i, (long long)least);
    return true;
}

static bool check_spec(TypeRule *t, const char *name, Ints spec, uint32_t rank)
{
    bool seen[MAX_RANK] = {false};

    if (spec.n != 0 && spec.n != rank)
        return type_fail(t, WF_ERR_VALUE, "%s has %u axes, needed %u or none", name,
                         spec.n, rank);
    for (uint32_t i = 0; i < spec.n; i++) {
        if (spec.v[i] < 0 || spec.v[i] >= rank || seen[spec.v[i]])
            return type_fail(t, WF_ERR_VALUE,
                             "%s is %lld at %u, needed each of 0 to %u once", name,
                             (long long)spec.v[i], i, rank - 1);
        seen[spec.v[i]] = true;
    }
    return true;
}

static bool check_attrs(TypeRule *t, const ConvAttr *a, uint32_t rank)
{
    int64_t n;

    if (!check_spec(t, "lhs_spec", a->lhs_spec, rank) ||
        !check_spec(t, "rhs_spec", a->rhs_spec, rank) ||
        !check_spec(t, "out_spec", a->out_spec, rank))
        return false;
    if (!check_list(t, "stride", a->stride, rank - 2, 1) ||
        !check_list(t, "lhs_dilation", a->lhs_dilation, rank - 2, 1) ||
        !check_list(t, "rhs_dilation", a->rhs_dilation, rank - 2, 1) ||
        !check_list(t, "pad_lo", a->pad_lo, rank - 2, INT64_MIN) ||
        !check_list(t, "pad_hi", a->pad_hi, rank - 2, INT64_MIN))
        return false;
    for (int i = 0; i < 2; i++)
        if (dim_value(t->dims, i ? a->batch_groups : a->groups, &n) && n < 1)
            return type_fail(t, WF_ERR_VALUE, "%s is %lld, needed at least 1",
                             i ? "batch_groups" : "groups", (long long)n);
    if (a->groups != 1 && a->batch_groups != 1)
        return type_fail(t, WF_ERR_VALUE,
                         "groups is %s and batch_groups is %s, needed one of them 1",
                         dim_show(t, a->groups), dim_show(t, a->batch_groups));
    return true;
}

/* Features and groups fit; *out_batch is the batch size of the result. */
static bool check_features(TypeRule *t, const Conv *c, Dim *out_batch)
{
    Type x = t->in[0], k = t->in[1];
    Dim batch = x.dims[c->lhs[0]], features = x.dims[c->lhs[1]];
    Dim out = k.dims[c->rhs[0]], in = k.dims[c->rhs[1]], q;

    if (features != dim_mul(t->dims, in, c->groups))
        return type_fail(
            t, WF_ERR_SHAPE,
            "the input %s has %s features, the kernel %s with %s groups needs %s",
            type_show(t, x), dim_show(t, features), type_show(t, k),
            dim_show(t, c->groups), dim_show(t, dim_mul(t->dims, in, c->groups)));
    if (!dim_exact(t->dims, out, c->groups, &q))
        return type_fail(
            t, WF_ERR_SHAPE,
            "the kernel %s has %s out features, needed a multiple of %s groups",
            type_show(t, k), dim_show(t, out), dim_show(t, c->groups));
    if (!dim_exact(t->dims, out, c->batch_groups, &q))
        return type_fail(
            t, WF_ERR_SHAPE,
            "the kernel %s has %s out features, needed a multiple of %s batch groups",
            type_show(t, k), dim_show(t, out), dim_show(t, c->batch_groups));
    if (!dim_exact(t->dims, batch, c->batch_groups, out_batch))
        return type_fail(
            t, WF_ERR_SHAPE,
            "the input %s has batch %s, needed a multiple of %s batch groups",
            type_show(t, x), dim_show(t, batch), dim_show(t, c->batch_groups));
    return true;
}

static bool type_conv_general(TypeRule *t)
{
    const ConvAttr *a = t->attr;
    Type x = t->in[0], k = t->in[1];
    Dim dims[MAX_RANK], batch;

    if (!contract_check(t, (wf_dtype)a->acc))
        return false;
    if (x.rank < 2 || k.rank != x.rank)
        return type_fail(t, WF_ERR_SHAPE,
                         "input %s and kernel %s, needed equal ranks of at least 2 "
                         "(batch and feature)",
                         type_show(t, x), type_show(t, k));
    if (!check_attrs(t, a, x.rank))
        return false;

    Conv c = conv_open(a, x.rank);

    if (!check_features(t, &c, &batch))
        return false;
    dims[c.out[0]] = batch;
    dims[c.out[1]] = k.dims[c.rhs[0]];
    for (uint32_t i = 0; i < c.ns; i++) {
        Dim in = dilate(t->dims, x.dims[c.lhs[i + 2]], c.lhs_dilation[i]);
        Dim window = dilate(t->dims, k.dims[c.rhs[i + 2]], c.rhs_dilation[i]);
        Dim room = dim_sub(
            t->dims, dim_add(t->dims, in, dim_add(t->dims, c.lo[i], c.hi[i])), window);
        Dim n = dim_add(t->dims, dim_div(t->dims, room, c.stride[i]), 1);

        dims[c.out[i + 2]] = dim_max(t->dims, 0, n);
    }
    type_out(t, (wf_dtype)a->acc, dims, x.rank);
    return true;
}

/* ---- eval -------------------------------------------------------------------------- */

typedef struct ConvEval {
    Conv c;
    const Nd *x, *k;
    const Scalar *xs, *ks;
    int64_t sx[MAX_RANK], sk[MAX_RANK]; /* strides */
    int64_t size[MAX_RANK];             /* in features of a group, then kernel sizes */
} ConvEval;

/* The element of x that meets kernel index at[1..] in result position q[]; false:
 * padding. */
static bool find_input(const ConvEval *v, const int64_t *q, const int64_t *at,
                       int64_t *offset)
{
    const Conv *c = &v->c;

    for (uint32_t i = 0; i < c->ns; i++) {
        int64_t p = q[i] * c->stride[i] + at[i + 1] * c->rhs_dilation[i] - c->lo[i];
        uint32_t axis = (uint32_t)c->lhs[i + 2];

        if (p < 0 || p % c->lhs_dilation[i] != 0 ||
            p / c->lhs_dilation[i] >= v->x->dims[axis])
            return false;
        *offset += p / c->lhs_dilation[i] * v->sx[axis];
    }
    return true;
}

/* One element of the result: batch n, feature o, position q. */
static Scalar sum_window(const ConvEval *v, int64_t n, int64_t first, int64_t o,
                         const int64_t *q)
{
    const Conv *c = &v->c;
    int64_t at[MAX_RANK] = {0};
    Scalar sum = scalar_int((wf_dtype)c->acc, 0);

    for (uint32_t i = 0; i <= c->ns; i++)
        if (v->size[i] == 0)
            return sum;
    do {
        int64_t xi = n * v->sx[c->lhs[0]] + (first + at[0]) * v->sx[c->lhs[1]];
        int64_t ki = o * v->sk[c->rhs[0]];

        for (uint32_t i = 0; i <= c->ns; i++)
            ki += at[i] * v->sk[c->rhs[i + 1]];
        if (find_input(v, q, at, &xi))
            contract_add(&sum, (wf_dtype)c->acc, v->xs[xi], v->ks[ki]);
    } while (nd_next(v->size, c->ns + 1, at));
    return sum;
}

static bool eval_conv_general(Eval *e)
{
    const ConvAttr *a = e->attr;
    const Nd *x = &e->in[0], *k = &e->in[1];
    Nd *z = &e->out[0];
    ConvEval v = {.c = conv_open(a, x->rank), .x = x, .k = k};
    int64_t index[MAX_RANK] = {0}, q[MAX_RANK] = {0};
    int64_t out_features = k->dims[v.c.rhs[0]];

    v.xs = contract_load(e->a, x, (wf_dtype)a->acc);
    v.ks = contract_load(e->a, k, (wf_dtype)a->acc);
    nd_strides(x->dims, x->rank, v.sx);
    nd_strides(k->dims, k->rank, v.sk);
    for (uint32_t i = 0; i <= v.c.ns; i++)
        v.size[i] = k->dims[v.c.rhs[i + 1]];
    for (int64_t i = 0; i < z->count; i++, nd_next(z->dims, z->rank, index)) {
        int64_t n = index[v.c.out[0]], o = index[v.c.out[1]];
        int64_t group = o / (out_features / v.c.groups);
        int64_t batch_group = o / (out_features / v.c.batch_groups);

        for (uint32_t s = 0; s < v.c.ns; s++)
            q[s] = index[v.c.out[s + 2]];
        n += batch_group * z->dims[v.c.out[0]];
        scalar_store(z->dtype, z->data, i, sum_window(&v, n, group * v.size[0], o, q));
    }
    return true;
}

/* ---- values with their shape at hand, for the rules -------------------------------- */

typedef struct Shaped {
    Val v;
    uint32_t rank;
    Dim dims[MAX_RANK + 4];
} Shaped;

static Shaped shaped(Val v, Type t)
{
    Shaped s = {.v = v, .rank = t.rank};

    for (uint32_t i = 0; i < t.rank; i++)
        s.dims[i] = t.dims[i];
    return s;
}

/* The value of an operand that has gained an axis (at >= 0) of the given size. */
static Shaped shaped_batched(Val v, Type t, int at, Dim size)
{
    Shaped s = {.v = v, .rank = t.rank + 1u};

    for (uint32_t i = 0; i < s.rank; i++)
        s.dims[i] = (int)i == at ? size : t.dims[i - ((int)i > at)];
    return s;
}

/* Axis of size outer*inner -> axes [outer, inner] at its place. */
static void split_axis(Builder *b, Shaped *s, uint32_t axis, Dim outer, Dim inner)
{
    for (uint32_t i = s->rank; i > axis + 1; i--)
        s->dims[i] = s->dims[i - 1];
    s->dims[axis] = outer;
    s->dims[axis + 1] = inner;
    s->rank++;
    s->v = b_reshape(b, s->v, s->dims, s->rank);
}

/* Axes axis and axis+1 become one. */
static void merge_axes(Builder *b, Shaped *s, uint32_t axis)
{
    s->dims[axis] = dim_mul(&b->dims, s->dims[axis], s->dims[axis + 1]);
    s->rank--;
    for (uint32_t i = axis + 1; i < s->rank; i++)
        s->dims[i] = s->dims[i + 1];
    s->v = b_reshape(b, s->v, s->dims, s->rank);
}

static void move_axis(Builder *b, Shaped *s, uint32_t from, uint32_t to)
{
    Dim d = s->dims[from];

    s->v = b_move_axis(b, s->v, from, to);
    for (uint32_t i = from; i + 1 < s->rank; i++)
        s->dims[i] = s->dims[i + 1];
    for (uint32_t i = s->rank - 1; i > to; i--)
        s->dims[i] = s->dims[i - 1];
    s->dims[to] = d;
}

/* Axis `from` becomes the slow part of axis `into`, counted without `from`. */
static void fold_axis(Builder *b, Shaped *s, uint32_t from, uint32_t into)
{
    move_axis(b, s, from, into);
    merge_axes(b, s, into);
}

/* Axis `from` is folded into axis `into` (counted without `from`) = [groups, rest],
 * between the two: [groups, from, rest]. */
static void fold_inside(Builder *b, Shaped *s, uint32_t from, uint32_t into, Dim groups)
{
    Dim rest = 0;

    if (groups == 1) {
        fold_axis(b, s, from, into);
        return;
    }
    move_axis(b, s, from, 0);
    dim_exact(&b->dims, s->dims[into + 1], groups, &rest);
    split_axis(b, s, into + 1, groups, rest);
    move_axis(b, s, 0, into + 1);
    merge_axes(b, s, into + 1);
    merge_axes(b, s, into);
}

/* ---- transpose --------------------------------------------------------------------- */

static void swap_features(const int64_t *spec, uint32_t rank, int64_t *out)
{
    for (uint32_t i = 0; i < rank; i++)
        out[i] = spec[i];
    out[0] = spec[1];
    out[1] = spec[0];
}

static void copy_axes(const int64_t *from, uint32_t n, int64_t *out)
{
    for (uint32_t i = 0; i < n; i++)
        out[i] = from[i];
}

/* conv_emit with the given result sizes. Where the type rule cannot show that a size is
 * not negative it says max(0, size), and a slice to the size itself takes that back. */
static Val emit_sized(Builder *b, Val x, Val k, const Conv *c, const Shaped *want)
{
    Val z = conv_emit(b, x, k, c);
    Dim start[MAX_RANK] = {0};

    if (b_failed(b) || !memcmp(b_type(b, z).dims, want->dims, want->rank * sizeof(Dim)))
        return z;
    return b_slice(b, z, start, want->dims, NULL);
}

/*   gx[n', c, p] = sum over o in the group of c, and s,  of  gz[n, o, q] * k[o, i, s]
 *     q*stride = p*lhs_dilation - s*rhs_dilation + pad_lo
 * A convolution of gz, stride and lhs_dilation exchanged, with the kernel reversed in
 * space and its features regrouped, k'[g*I + i, o'] = k[g*(O/G) + o', i]. Batch groups
 * act as feature groups whose part of the result belongs into the batch.
 *   pad_lo' = D(k) - 1 - pad_lo
 *   pad_hi' = (in-1)*lhs_dilation + D(k) - D(out) - pad_lo'     which gives size `in` */
static Val transpose_lhs(Builder *b, const EqnView *e, Val gz)
{
    Type x = e->in_type[0], k = e->in_type[1], z = e->out_type[0];
    Conv c = conv_open(e->attr, x.rank), d = c;
    Dims *t = &b->dims;
    Dim groups = c.groups == 1 ? c.batch_groups : c.groups, rest = 0;
    Shaped w = shaped(b_rev(b, e->in[1], c.rhs + 2, c.ns), k);
    uint32_t o = (uint32_t)c.rhs[0], i = (uint32_t)c.rhs[1];

    if (groups != 1) { /* [O, I] -> [G, O/G, I] -> [O/G, G*I] */
        dim_exact(t, k.dims[o], groups, &rest);
        split_axis(b, &w, o, groups, rest);
        fold_axis(b, &w, o, i);
    }
    copy_axes(c.out, x.rank, d.lhs);
    swap_features(c.rhs, x.rank, d.rhs);
    copy_axes(c.lhs, x.rank, d.out);
    d.groups = groups;
    d.batch_groups = 1;
    for (uint32_t s = 0; s < c.ns; s++) {
        Dim window = dilate(t, k.dims[c.rhs[s + 2]], c.rhs_dilation[s]);
        Dim out = dilate(t, z.dims[c.out[s + 2]], c.stride[s]);
        Dim in = dim_mul(t, dim_sub(t, x.dims[c.lhs[s + 2]], 1), c.lhs_dilation[s]);

        d.stride[s] = c.lhs_dilation[s];
        d.lhs_dilation[s] = c.stride[s];
        d.lo[s] = dim_sub(t, dim_sub(t, window, 1), c.lo[s]);
        d.hi[s] = dim_sub(t, dim_sub(t, dim_add(t, in, window), out), d.lo[s]);
    }

    Shaped g = shaped(VAL_NONE, x);
    uint32_t n = (uint32_t)c.lhs[0], f = (uint32_t)c.lhs[1];

    g.dims[n] = z.dims[c.out[0]];
    g.dims[f] = dim_mul(t, x.dims[f], c.batch_groups);
    g.v = emit_sized(b, gz, w.v, &d, &g);
    if (c.batch_groups != 1) { /* [N/B, B*I] -> [B, N/B, I] -> [N, I] */
        split_axis(b, &g, f, c.batch_groups, x.dims[f]);
        fold_axis(b, &g, f, n);
    }
    return contract_narrow(b, g.v, x);
}

/*   gk[o, i, s] = sum over n, q  of  x[n', c, p] * gz[n, o, q]
 * A convolution of x by gz, batch and feature exchanged in both, stride and rhs_dilation
 * exchanged, feature groups as batch groups and the other way round.
 *   pad_lo' = pad_lo
 *   pad_hi' = D(out) + (k-1)*rhs_dilation - D(in) - pad_lo      which gives size `k` */
static Val transpose_rhs(Builder *b, const EqnView *e, Val gz)
{
    Type x = e->in_type[0], k = e->in_type[1], z = e->out_type[0];
    Conv c = conv_open(e->attr, x.rank), d = c;
    Dims *t = &b->dims;
    Shaped g = shaped(VAL_NONE, k);

    swap_features(c.lhs, x.rank, d.lhs);
    swap_features(c.out, x.rank, d.rhs);
    swap_features(c.rhs, x.rank, d.out);
    d.groups = c.batch_groups;
    d.batch_groups = c.groups;
    for (uint32_t s = 0; s < c.ns; s++) {
        Dim out = dilate(t, z.dims[c.out[s + 2]], c.stride[s]);
        Dim in = dilate(t, x.dims[c.lhs[s + 2]], c.lhs_dilation[s]);
        Dim last = dim_mul(t, dim_sub(t, k.dims[c.rhs[s + 2]], 1), c.rhs_dilation[s]);

        d.stride[s] = c.rhs_dilation[s];
        d.rhs_dilation[s] = c.stride[s];
        d.hi[s] = dim_sub(t, dim_sub(t, dim_add(t, out, last), in), c.lo[s]);
    }
    g.v = emit_sized(b, e->in[0], gz, &d, &g);
    return contract_narrow(b, g.v, k);
}

static void transpose_conv_general(Builder *b, const EqnView *e, const Val *gy, Val *gx)
{
    if (gy[0] == VAL_NONE)
        return;
    if (e->in[0] == VAL_NONE)
        gx[0] = transpose_lhs(b, e, gy[0]);
    else if (e->in[1] == VAL_NONE)
        gx[1] = transpose_rhs(b, e, gy[0]);
}

/* ---- batch ------------------------------------------------------------------------- */

/* z after conv_emit: the type of one sample with axis `axis` multiplied by the batch
 * size. */
static Shaped emit_scaled(Builder *b, Val x, Val k, const Conv *d, Type z, int64_t axis,
                          Dim size)
{
    Shaped s = shaped(conv_emit(b, x, k, d), z);

    s.dims[axis] = dim_mul(&b->dims, s.dims[axis], size);
    return s;
}

/* The batch of samples joins the batch axis: [B, size, N/B]. */
static void batch_lhs(Builder *b, const EqnView *e, const Batch *bt, Val *out,
                      int *out_axis)
{
    Type z = e->out_type[0];
    Conv c = conv_open(e->attr, z.rank);
    Shaped x = shaped_batched(e->in[0], e->in_type[0], bt->axis[0], bt->size);

    fold_inside(b, &x, (uint32_t)bt->axis[0], (uint32_t)c.lhs[0], c.batch_groups);

    Shaped r = emit_scaled(b, x.v, e->in[1], &c, z, c.out[0], bt->size);

    split_axis(b, &r, (uint32_t)c.out[0], bt->size, z.dims[c.out[0]]);
    out[0] = r.v;
    out_axis[0] = (int)c.out[0];
}

/* The kernels of the batch join the out features: [G, size, O/G]. */
static void batch_rhs(Builder *b, const EqnView *e, const Batch *bt, Val *out,
                      int *out_axis)
{
    Type z = e->out_type[0];
    Conv c = conv_open(e->attr, z.rank);
    Dim groups = c.groups == 1 ? c.batch_groups : c.groups, rest = 0;
    Shaped k = shaped_batched(e->in[1], e->in_type[1], bt->axis[1], bt->size);
    uint32_t f = (uint32_t)c.out[1];

    fold_inside(b, &k, (uint32_t)bt->axis[1], (uint32_t)c.rhs[0], groups);

    Shaped r = emit_scaled(b, e->in[0], k.v, &c, z, c.out[1], bt->size);

    if (groups == 1) {
        split_axis(b, &r, f, bt->size, z.dims[f]);
        out_axis[0] = (int)f;
    } else {
        dim_exact(&b->dims, z.dims[f], groups, &rest);
        split_axis(b, &r, f, groups, dim_mul(&b->dims, bt->size, rest));
        split_axis(b, &r, f + 1, bt->size, rest);
        move_axis(b, &r, f + 1, 0);
        merge_axes(b, &r, f + 1);
        out_axis[0] = 0;
    }
    out[0] = r.v;
}

/* Each sample is a group of its own: features [size, G, I] (batch groups: batch [size, B,
 * N/B]), out features [size, O]. */
static void batch_both(Builder *b, const EqnView *e, const Batch *bt, Val *out,
                       int *out_axis)
{
    Type z = e->out_type[0];
    Conv c = conv_open(e->attr, z.rank);
    bool in_batch = c.batch_groups != 1;
    Shaped x = shaped_batched(e->in[0], e->in_type[0], bt->axis[0], bt->size);
    Shaped k = shaped_batched(e->in[1], e->in_type[1], bt->axis[1], bt->size);
    uint32_t f = (uint32_t)c.out[1];

    fold_axis(b, &x, (uint32_t)bt->axis[0], (uint32_t)c.lhs[in_batch ? 0 : 1]);
    fold_axis(b, &k, (uint32_t)bt->axis[1], (uint32_t)c.rhs[0]);
    if (in_batch)
        c.batch_groups = dim_mul(&b->dims, c.batch_groups, bt->size);
    else
        c.groups = dim_mul(&b->dims, c.groups, bt->size);

    Shaped r = emit_scaled(b, x.v, k.v, &c, z, f, bt->size);

    split_axis(b, &r, f, bt->size, z.dims[f]);
    out[0] = r.v;
    out_axis[0] = (int)f;
}

static void batch_conv_general(Builder *b, const EqnView *e, const Batch *bt, Val *out,
                               int *out_axis)
{
    if (bt->size == 0) { /* no groups at all: nothing to convolve */
        Type z = e->out_type[0];
        Shaped s = shaped_batched(VAL_NONE, z, 0, 0);

        out[0] = b_zeros(b, b_make_type(b, (wf_dtype)z.dtype, s.dims, s.rank));
        out_axis[0] = 0;
    } else if (bt->axis[1] < 0)
        batch_lhs(b, e, bt, out, out_axis);
    else if (bt->axis[0] < 0)
        batch_rhs(b, e, bt, out, out_axis);
    else
        batch_both(b, e, bt, out, out_axis);
}

static const AttrField attrs_conv[] = {
    FIELD(ConvAttr, lhs_spec, A_INTS, 0),
    FIELD(ConvAttr, rhs_spec, A_INTS, 0),
    FIELD(ConvAttr, out_spec, A_INTS, 0),
    FIELD(ConvAttr, stride, A_INTS, 0),
    FIELD(ConvAttr, pad_lo, A_DIMS, 0),
    FIELD(ConvAttr, pad_hi, A_DIMS, 0),
    FIELD(ConvAttr, lhs_dilation, A_INTS, 0),
    FIELD(ConvAttr, rhs_dilation, A_INTS, 0),
    FIELD(ConvAttr, groups, A_DIM, 1),
    FIELD(ConvAttr, batch_groups, A_DIM, 1),
    FIELD(ConvAttr, acc, A_DTYPE, ATTR_REQUIRED),
    FIELD_ENUM(ConvAttr, precision, WF_PRECISION_DEFAULT, op_precisions),
    FIELD_END,
};

/* Each element of the result takes a product for every input feature of its group and
 * every element of the window; zeros of padding and of dilation of the input are counted
 * too, but holes of lhs_dilation are not multiplied: every lhs_dilation-th product is
 * real. */
static double flops_conv(const SizedEqn *s)
{
    const ConvAttr *a = s->e->attr;
    Type k = val_type(s->p, eqn_in(s->p, s->e)[1]);
    double n = 2 * sized_count(s, val_type(s->p, s->e->out));

    for (uint32_t i = 1; i < k.rank; i++)
        n *= (double)sized_dim(s, k.dims[a->rhs_spec.n ? a->rhs_spec.v[i] : i]);
    for (uint32_t i = 0; i < a->lhs_dilation.n; i++)
        n /= (double)MAX(a->lhs_dilation.v[i], 1);
    return n;
}

const OpRow op_row_conv_general = {
    .attrs = attrs_conv,
    .attr_size = sizeof(ConvAttr),
    .type = type_conv_general,
    .eval = eval_conv_general,
    .along = along_conv,
    .flops = flops_conv,
    .lower = {.kind = LOWER_LIBRARY},
};
const OpRules op_rules_conv_general = {
    .doc = DOC(
        "z[n,o,q] = sum over i, s of x[n,c,p] * k[o,i,s], p*lhs_dilation = q*stride + "
        "s*rhs_dilation - pad_lo (outside x, or between its elements: 0)\n"
        "lhs_spec lists the axes of x that are batch, feature, spatial..; rhs_spec "
        "those of k that "
        "are out feature, in feature, spatial..; out_spec those of z; empty: in that "
        "order. Any "
        "number of spatial axes. Kernels are not reversed.\n"
        "groups splits the features of x and z; batch_groups the batch of x and the "
        "features of "
        "z. Padding may be negative (cuts). Result size max(0, floor((span(x) + lo + "
        "hi - "
        "span(k)) / stride) + 1): a window that does not fit gives an empty axis.\n"
        "Dtypes, acc, NaN and overflow as dot_general; a sum over nothing is 0."),
    .jvp = jvp_bilinear,
    .transpose = transpose_conv_general,
    .batch = batch_conv_general,
};
