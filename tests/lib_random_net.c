/* lib_random_net.c -- random programs made of the pieces that models are made of; see
 * lib_random.h.
 *
 *   method   A pool of floating-point values grows piece by piece: norms, softmax,
 *            attention, products and convolutions with what follows them, losses, loops,
 *            integers and bits. A piece takes values of the shapes it needs from the pool
 *            or has them as new inputs. All pieces stay within order 1, and steps (floor,
 *            comparisons) are taken between the values that a sum in another order
 *            could give.
 */
#include "lib_random.h"

#define MOST_INPUTS 10
#define MOST_SIZE   20000 /* elements of a value, symbols counted as 8 */

typedef struct Net {
    Builder *b;
    Rng *rng;
    wf_dtype t;     /* of the pool */
    Dim rows, cols; /* most values are [rows, cols] */
    uint32_t most;  /* inputs */
    VEC(Val) pool;
} Net;

static int pick(Net *n, int count) { return (int)(rng_next(n->rng) % (uint64_t)count); }
static Type type_of(Net *n, Val v) { return b_type(n->b, v); }
static Val num(Net *n, Val like, double x) { return b_full_like(n->b, like, x); }

/* An odd size, a power of two, one beside it, or what a vector nearly fills. */
static Dim any_size(Net *n, int most)
{
    static const Dim sizes[] = {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 67, 130};
    int k = 0;

    while (k < COUNT(sizes) && sizes[k] <= most)
        k++;
    return sizes[pick(n, k)];
}

static int64_t size_of(Net *n, Val v)
{
    Type t = type_of(n, v);
    int64_t count = 1;

    for (uint32_t k = 0; k < t.rank; k++)
        count *= t.dims[k] >= 0                                      ? t.dims[k]
                 : dim_node(&n->b->dims, t.dims[k])->kind == DIM_SYM ? 8
                                                                     : 64;
    return count;
}

/* A value of this shape: of the pool, a new input, or numbers by position. */
static Val of_shape(Net *n, const Dim *dims, uint32_t rank)
{
    Builder *b = n->b;
    Type want = b_make_type(b, n->t, dims, rank);
    uint32_t from = (uint32_t)pick(n, (int)n->pool.n + 1);

    bool fresh = pick(n, 4) == 0;

    for (uint32_t i = 0; i < n->pool.n && !fresh; i++) {
        Val v = n->pool.v[(from + i) % n->pool.n];

        if (type_eq(type_of(n, v), want))
            return v;
    }
    if (b->inputs.n < n->most) {
        Val v = b_input(b, NULL, want);

        vec_push(&b->arena, &n->pool, v);
        return v;
    }
    if (rank == 0)
        return b_scalar(b, n->t, 0.4);
    return b_sin(
        b, b_cast(b, b_iota(b, WF_I32, dims, rank, (uint32_t)pick(n, (int)rank)), n->t));
}

static Val any_value(Net *n)
{
    uint32_t k = (uint32_t)pick(n, (int)n->pool.n);

    return n->pool.v[pick(n, 2) ? n->pool.n - 1 : k]; /* chains rather than stars */
}

/* A value of at least this rank: of the pool, or of rows, cols, .. */
static Val of_rank(Net *n, uint32_t rank)
{
    Val v = any_value(n);

    if (type_of(n, v).rank >= rank)
        return v;
    return of_shape(n, (Dim[]){3, n->rows, n->cols} + (rank < 3), rank < 2 ? 2 : rank);
}

static Val last_row(Net *n, Val x) /* [the last dim of x] spread over x */
{
    Type t = type_of(n, x);
    Val w = of_shape(n, t.dims + t.rank - 1, 1);

    return b_broadcast(n->b, w, t.dims, t.rank, (int64_t[]){t.rank - 1});
}

static Val first_column(Net *n, Val x)
{
    Type t = type_of(n, x);
    Val w = of_shape(n, t.dims, 1);

    return b_broadcast(n->b, w, t.dims, t.rank, (int64_t[]){0});
}

/* Half a step away from whole numbers, whatever the last bits are. */
static Val whole(Net *n, Val x, double scale)
{
    Builder *b = n->b;
    Val i = b_cast(b, b_iota(b, WF_I32, type_of(n, x).dims, type_of(n, x).rank, 0), n->t);
    Val y = b_mul(b, b_sin(b, b_mul(b, i, num(n, i, 0.7))), num(n, i, scale));

    y = b_add(b, y, num(n, i, 0.3));
    return b_stop_gradient(b, pick(n, 2) ? b_floor(b, y) : b_ceil(b, y));
}

/* ---- elementwise ------------------------------------------------------------------- */

static Val square1(Net *n, Val x, double c) /* x * x + c */
{
    return b_add(n->b, b_mul(n->b, x, x), num(n, x, c));
}

/* An op of one operand that says in C what it is, any of the table, in (0.2, 0.8) or, of
 * integers, of whole numbers. */
static Val spelled(Net *n, Val x)
{
    Builder *b = n->b;
    unsigned op, count = 0;
    Val u;

    for (op = 0; op < OP_COUNT; op++)
        count += op_row(op)->lower.c && op_table[op].nin == 1;
    count = (unsigned)pick(n, (int)count);
    for (op = 0; !op_row(op)->lower.c || op_table[op].nin != 1 || count--; op++)
        ;
    if (!op_row(op)->lower.real) {
        if (!type_of(n, x).rank)
            return b_tanh(b, x);
        u = b_cast(b, whole(n, x, 40), WF_I32);
        u = b_cast(b, b_eqn1(b, (OpCode)op, &u, 1, NULL), n->t);
        return b_mul(b, x, b_mul(b, u, num(n, x, 0.05))); /* of order 1: a sine of more makes digits of last bits */
    }
    u = b_add(b, b_mul(b, b_tanh(b, x), num(n, x, 0.3)),
              num(n, x, op == OP_acosh ? 1.5 : 0.5));
    return b_eqn1(b, (OpCode)op, &u, 1, NULL);
}

static Val map1(Net *n, Val x)
{
    Builder *b = n->b;

    switch (pick(n, 20)) {
    case 0: return b_exp(b, b_tanh(b, x));
    case 1: return b_expm1(b, b_sin(b, x));
    case 2: return b_log(b, square1(n, x, 0.5));
    case 3: return b_log1p(b, b_mul(b, x, x));
    case 4: return b_sin(b, x);
    case 5: return b_cos(b, x);
    case 6: return b_tan(b, b_tanh(b, x));
    case 7: return b_erf(b, x);
    case 8:
    case 9:
    case 17:
    case 18: return spelled(n, x);
    case 10: return b_sqrt(b, square1(n, x, 1));
    case 11: return b_rsqrt(b, square1(n, x, 0.5));
    case 12: return b_logistic(b, x);
    case 13: return b_abs(b, b_neg(b, x));
    case 14: return b_max(b, x, b_zeros_like(b, x));
    case 15: /* gelu */
        return b_mul(
            b, b_mul(b, x, num(n, x, 0.5)),
            b_add(b, num(n, x, 1), b_erf(b, b_mul(b, x, num(n, x, 0.70710678)))));
    case 16: return b_mul(b, x, b_logistic(b, x));
    default: return b_tanh(b, x);
    }
}

static Val map2(Net *n, Val x, Val y)
{
    Builder *b = n->b;

    switch (pick(n, 13)) {
    case 0: return b_add(b, x, y);
    case 1: return b_sub(b, x, y);
    case 2: return b_mul(b, b_tanh(b, x), y);
    case 3: return b_div(b, x, square1(n, y, 1));
    case 4: return b_max(b, x, y);
    case 5: return b_min(b, x, y);
    case 6: return b_atan2(b, x, square1(n, y, 1));
    case 7: return b_pow(b, square1(n, x, 0.5), b_tanh(b, y));
    case 8: return b_select(b, b_lt(b, x, y), b_mul(b, x, num(n, x, 0.5)), x); /* joins */
    case 9: return b_clamp(b, b_scalar(b, n->t, -0.7), x, b_scalar(b, n->t, 0.8));
    case 10:
        return b_select(b, b_ge(b, whole(n, x, 2), b_zeros_like(b, x)), x,
                        b_add(b, y, whole(n, x, 1)));
    case 11: return b_nextafter(b, x, y);
    default: return b_add(b, b_mul(b, x, num(n, x, 0.9)), b_mul(b, y, num(n, y, 0.1)));
    }
}

static Val chain(Net *n)
{
    Val x = of_rank(n, (uint32_t)pick(n, 3));

    for (int i = 1 + pick(n, 5); i > 0; i--) {
        Type t = type_of(n, x);

        if (pick(n, 2) || !t.rank)
            x = map1(n, x);
        else
            x = map2(n, x,
                     pick(n, 3) == 0   ? last_row(n, x)
                     : pick(n, 3) == 0 ? first_column(n, x)
                                       : of_shape(n, t.dims, t.rank));
    }
    return x;
}

/* ---- rows and columns -------------------------------------------------------------- */

/* The mean over an axis, spread out again. */
static Val mean(Net *n, Val x, uint32_t axis)
{
    Builder *b = n->b;
    Type t = type_of(n, x);
    Val s = b_reduce_axis(b, OP_reduce_sum, x, axis);
    Val count = b_cast(b, b_dim_value(b, t.dims[axis]), n->t);

    count = b_max(b, count, b_scalar(b, n->t, 1));
    s = b_div(b, s, b_broadcast_scalar(b, count, type_of(n, s).dims, t.rank - 1));
    return b_broadcast_axis(b, s, axis, t.dims[axis]);
}

static Val softmax(Net *n, Val x, uint32_t axis, bool logarithm)
{
    Builder *b = n->b;
    Dim d = b_dim(b, x, axis);
    Val m = b_broadcast_axis(b, b_reduce_axis(b, OP_reduce_max, x, axis), axis, d);
    Val z = b_sub(b, x, m), e = b_exp(b, z);
    Val s = b_broadcast_axis(b, b_reduce_axis(b, OP_reduce_sum, e, axis), axis, d);

    return logarithm ? b_sub(b, z, b_log(b, s)) : b_div(b, e, s);
}

static Val norm(Net *n, Val x, uint32_t axis, bool centred)
{
    Builder *b = n->b;
    Val d = centred ? b_sub(b, x, mean(n, x, axis)) : x;
    Val v = mean(n, b_mul(b, d, d), axis);
    Val y = b_mul(b, d, b_rsqrt(b, b_add(b, v, num(n, v, 0.1))));

    return pick(n, 2) ? y : b_add(b, b_mul(b, y, last_row(n, x)), last_row(n, x));
}

static Val norms(Net *n)
{
    Val x = of_rank(n, 2);
    uint32_t axis = pick(n, 3) ? b_rank(n->b, x) - 1 : (uint32_t)pick(n, 2);

    switch (pick(n, 4)) {
    case 0: return softmax(n, x, axis, false);
    case 1: return softmax(n, x, axis, true);
    default: return norm(n, x, axis, pick(n, 2));
    }
}

/* Over any set of axes; what it gives is spread out again, or not. */
static Val reduction(Net *n)
{
    static const OpCode ops[] = {OP_reduce_sum, OP_reduce_max, OP_reduce_min};
    Builder *b = n->b;
    Val x = map1(n, of_rank(n, 2)), y;
    Type t = type_of(n, x);
    unsigned set = 1u + (unsigned)pick(n, (1 << t.rank) - 1);
    int64_t axes[MAX_RANK], kept[MAX_RANK];
    uint32_t na = 0, nk = 0;

    for (uint32_t k = 0; k < t.rank; k++)
        if (set >> k & 1)
            axes[na++] = k;
        else
            kept[nk++] = k;
    if (pick(n, 6) == 0) /* of factors near 1 */
        y = b_reduce(b, OP_reduce_prod,
                     b_add(b, num(n, x, 1), b_mul(b, b_tanh(b, x), num(n, x, 0.01))),
                     axes, na);
    else
        y = b_reduce(b, ops[pick(n, 3)], b_tanh(b, x), axes, na);
    if (pick(n, 2))
        return b_tanh(b, y);
    return b_mul(b, x, b_tanh(b, b_broadcast(b, y, t.dims, t.rank, kept)));
}

/* Positions of the largest; elements in order; sums so far. */
static Val ordered(Net *n)
{
    Builder *b = n->b;
    Val x = of_rank(n, 1), out[2];
    uint32_t rank = b_rank(b, x), axis = (uint32_t)pick(n, (int)rank);
    Type t = type_of(n, x);

    switch (pick(n, 4)) {
    case 0: {
        Val i = b_eqn1(b, pick(n, 2) ? OP_argmax : OP_argmin, (Val[]){whole(n, x, 9)}, 1,
                       &(ArgAttr){axis, WF_I32});

        return t.dims[axis] == 0 ? VAL_NONE : b_cos(b, b_cast(b, i, n->t));
    }
    case 1:
        b_eqn(b, OP_sort, (Val[]){x, b_iota(b, WF_I32, t.dims, rank, axis)}, 2,
              &(SortAttr){.axis = axis, .keys = 1}, out, 2);
        return out[0];
    case 2: return b_tanh(b, b_cumsum(b, b_sin(b, x), axis, pick(n, 2)));
    default: {
        Val p = b_gt(b, whole(n, x, 3), b_zeros_like(b, x));
        Val q = b_reduce_axis(b, pick(n, 2) ? OP_reduce_and : OP_reduce_or, p, axis);

        return b_cast(b, b_xor(b, q, b_not(b, q)), n->t);
    }
    }
}

/* ---- products ---------------------------------------------------------------------- */

static Val scaled(Net *n, Val y, Dim terms) /* a sum of so many, of order 1 */
{
    double by = terms > 1 ? 1.0 / (double)terms : terms < 0 ? 0.1 : 1;

    return b_mul(n->b, y, num(n, y, by));
}

/* x's last axis with a matrix, either way round; bias, a function, and x again. */
static Val product(Net *n)
{
    Builder *b = n->b;
    Val x = of_rank(n, 2), w, y;
    uint32_t rank = b_rank(b, x);
    Dim k = b_dim(b, x, rank - 1), m = pick(n, 3) ? any_size(n, 70) : k;
    bool turned = pick(n, 2);

    w = of_shape(n, turned ? (Dim[]){m, k} : (Dim[]){k, m}, 2);
    if (pick(n, 4) == 0)
        x = map1(n, x);
    y = b_dot(b, x, w, &(DotAttr){.lhs = INTS(1, rank - 1), .rhs = INTS(1, turned)});
    y = scaled(n, y, k);
    if (pick(n, 3))
        y = b_add(b, y, last_row(n, y));
    if (pick(n, 3))
        y = map1(n, y);
    if (type_eq(type_of(n, y), type_of(n, x)))
        y = b_add(b, y, x);
    return pick(n, 4) ? y : norm(n, y, b_rank(b, y) - 1, true);
}

/* Two products of one operand, and the product of a matrix with itself, as in
 * gradients. */
static Val products(Net *n)
{
    Builder *b = n->b;
    Val x = of_rank(n, 2);
    uint32_t rank = b_rank(b, x);
    Dim k = b_dim(b, x, rank - 1), m = any_size(n, 33);
    Val w = of_shape(n, (Dim[]){k, m}, 2), v = of_shape(n, (Dim[]){k, m}, 2);
    DotAttr a = {.lhs = INTS(1, rank - 1), .rhs = INTS(1, 0)};

    if (rank == 2 && pick(n, 3) == 0)
        return b_tanh(
            b, scaled(n, b_dot(b, x, x, &(DotAttr){.lhs = INTS(1, 0), .rhs = INTS(1, 0)}),
                      b_dim(b, x, 0)));
    return b_mul(b, b_logistic(b, scaled(n, b_dot(b, x, w, &a), k)),
                 b_tanh(b, scaled(n, b_dot(b, x, v, &a), k)));
}

static Val attention(Net *n)
{
    Builder *b = n->b;
    Dim heads = 1 + pick(n, 3), d = any_size(n, 17), t = any_size(n, 33);
    Dim shape[] = {n->rows, t, heads * d}, split[] = {n->rows, t, heads, d};
    Val part[3], s, y;

    for (int i = 0; i < 3; i++) {
        part[i] = b_reshape(b, of_shape(n, shape, 3), split, 4);
        part[i] = b_transpose(b, part[i], (int64_t[]){0, 2, 1, 3});
    }
    s = b_dot(b, part[0], part[1],
              &(DotAttr){.lhs = INTS(1, 3),
                         .rhs = INTS(1, 3),
                         .lhs_batch = INTS(2, 0, 1),
                         .rhs_batch = INTS(2, 0, 1)});
    s = b_mul(b, s, num(n, s, 0.3));
    if (pick(n, 2)) { /* causal */
        Type ts = type_of(n, s);
        Val i = b_iota(b, WF_I32, ts.dims, 4, 2), j = b_iota(b, WF_I32, ts.dims, 4, 3);

        s = b_select(b, b_ge(b, i, j), s, num(n, s, n->t == WF_F16 ? -1e4 : -1e30));
    }
    y = b_dot(b, softmax(n, s, 3, false), part[2],
              &(DotAttr){.lhs = INTS(1, 3),
                         .rhs = INTS(1, 2),
                         .lhs_batch = INTS(2, 0, 1),
                         .rhs_batch = INTS(2, 0, 1)});
    return b_reshape(b, b_transpose(b, y, (int64_t[]){0, 2, 1, 3}), shape, 3);
}

/* ---- images ------------------------------------------------------------------------ */

static Val image(Net *n)
{
    uint32_t from = (uint32_t)pick(n, (int)n->pool.n);

    for (uint32_t i = 0; i < n->pool.n; i++)
        if (type_of(n, n->pool.v[(from + i) % n->pool.n]).rank == 4)
            return n->pool.v[(from + i) % n->pool.n];
    return of_shape(n, (Dim[]){n->rows, 1 + pick(n, 9), any_size(n, 17), any_size(n, 17)},
                    4);
}

static Val over_channels(Net *n, Val y)
{
    Type t = type_of(n, y);

    return b_broadcast(n->b, of_shape(n, t.dims + 1, 1), t.dims, 4, (int64_t[]){1});
}

static Val convolution(Net *n)
{
    static const int64_t spec[4] = {0, 1, 2, 3};
    Builder *b = n->b;
    Val x = image(n), y;
    Type t = type_of(n, x);
    Dim groups = pick(n, 4) ? 1 : t.dims[1], side = 1 + 2 * pick(n, 2);
    Dim out = groups > 1 ? groups : (Dim)(1 + pick(n, 20));
    int64_t stride = 1 + (pick(n, 3) == 0), pad = side / 2;
    ConvAttr a = {.lhs_spec = {4, spec},
                  .rhs_spec = {4, spec},
                  .out_spec = {4, spec},
                  .stride = INTS(2, stride, stride),
                  .pad_lo = INTS(2, pad, pad),
                  .pad_hi = INTS(2, pad, pad),
                  .lhs_dilation = INTS(2, 1, 1),
                  .rhs_dilation = INTS(2, 1, 1),
                  .groups = groups,
                  .batch_groups = 1};

    y = b_conv(b, x, of_shape(n, (Dim[]){out, t.dims[1] / groups, side, side}, 4), &a);
    y = scaled(n, y, t.dims[1] / groups * side * side);
    if (pick(n, 2))
        y = b_add(b, y, over_channels(n, y));
    if (pick(n, 2)) /* batch norm with given statistics */
        y = b_add(b, b_mul(b, b_sub(b, y, over_channels(n, y)), over_channels(n, y)),
                  over_channels(n, y));
    return b_max(b, y, b_zeros_like(b, y));
}

static Val pooling(Net *n)
{
    Builder *b = n->b;
    Val x = image(n), out[2];
    Type t = type_of(n, x);
    int64_t side = 2 + pick(n, 2), step = 1 + pick(n, 2);
    bool max = pick(n, 2);
    WindowAttr a = {.window = INTS(4, 1, 1, side, side),
                    .stride = INTS(4, 1, 1, step, step),
                    .pad_lo = INTS(4, 0, 0, 1, 1),
                    .pad_hi = INTS(4, 0, 0, 1, 1)};

    if (pick(n, 4) == 0 || t.dims[2] < 2 || t.dims[3] < 2) /* of the whole plane */
        return scaled(n, b_reduce(b, OP_reduce_sum, x, (int64_t[]){2, 3}, 2),
                      t.dims[2] * t.dims[3]);
    b_eqn(b, max ? OP_reduce_window_max : OP_reduce_window_sum, &x, 1, &a, out,
          max ? 2 : 1);
    return max ? out[0] : scaled(n, out[0], side * side);
}

/* ---- numbers of rows --------------------------------------------------------------- */

static Val labels(Net *n, Dim rows, Dim classes)
{
    Builder *b = n->b;
    Val i = b->inputs.n < n->most && pick(n, 2)
                ? b_input(b, NULL, b_make_type(b, WF_I64, &rows, 1))
                : b_iota(b, WF_I64, &rows, 1, 0);

    return classes > 0 ? b_rem(b, i, b_full_like(b, i, (double)classes)) : i;
}

/* The mean of -log softmax(x)[i, label[i]], as a gather or as a comparison. */
static Val loss(Net *n)
{
    Builder *b = n->b;
    Val x = of_shape(n, (Dim[]){n->rows, n->cols}, 2), z = softmax(n, x, 1, true), y;
    Val i = labels(n, n->rows, n->cols);

    if (pick(n, 2)) {
        Val at = b_concat(
            b, (Val[]){b_iota(b, WF_I64, (Dim[]){n->rows, 1}, 2, 0), b_expand(b, i, 1)},
            2, 1);
        GatherAttr a = {.collapsed = INTS(2, 0, 1),
                        .start_index_map = INTS(2, 0, 1),
                        .slice_sizes = INTS(2, 1, 1),
                        .mode = INDEX_CLIP};

        if (n->cols == 0 || n->rows == 0)
            return VAL_NONE;
        y = b_gather(b, z, at, &a);
    } else {
        Type t = type_of(n, z);
        Val hit = b_eq(b, b_iota(b, WF_I64, t.dims, 2, 1),
                       b_broadcast(b, i, t.dims, 2, (int64_t[]){0}));

        y = b_reduce_axis(b, OP_reduce_sum, b_mul(b, z, b_cast(b, hit, n->t)), 1);
    }
    return scaled(n, b_neg(b, b_sum_all(b, y)), n->rows);
}

static Val embedding(Net *n)
{
    Builder *b = n->b;
    Dim classes = any_size(n, 33);
    Val table = of_shape(n, (Dim[]){classes, n->cols}, 2);
    Val i = b_expand(b, labels(n, n->rows, classes), 1);
    GatherAttr a = {.offset_dims = INTS(1, 1),
                    .collapsed = INTS(1, 0),
                    .start_index_map = INTS(1, 0),
                    .slice_sizes = INTS(2, 1, n->cols),
                    .mode = INDEX_CLIP};
    ScatterAttr s = {
        .update_window = INTS(1, 1), .inserted = INTS(1, 0), .operand_dims = INTS(1, 0)};

    if (pick(n, 3))
        return b_gather(b, table, i, &a);
    s.mode = pick(n, 2) ? INDEX_DROP : INDEX_CLIP;
    return b_tanh(b, b_scatter(b, pick(n, 2) ? OP_scatter_add : OP_scatter_max, table, i,
                               of_shape(n, (Dim[]){n->rows, n->cols}, 2), &s));
}

/* ---- shapes ------------------------------------------------------------------------ */

static Val shapes(Net *n)
{
    Builder *b = n->b;
    Val x = of_rank(n, 2);
    Type t = type_of(n, x);
    uint32_t axis = (uint32_t)pick(n, t.rank);
    Dim lo[MAX_RANK] = {0}, hi[MAX_RANK], size = t.dims[axis];
    int64_t step[MAX_RANK];

    for (uint32_t k = 0; k < t.rank; k++)
        hi[k] = t.dims[k], step[k] = 1;
    switch (pick(n, 9)) {
    case 0: return b_move_axis(b, x, axis, 0);
    case 1: return b_rev(b, x, (int64_t[]){axis}, 1);
    case 2: return b_concat(b, (Val[]){x, map1(n, x), x}, 2 + (uint32_t)pick(n, 2), axis);
    case 3: return b_reshape(b, x, &(Dim){dim_prod(&b->dims, t.dims, t.rank)}, 1);
    case 4:
        if (size < 2)
            return VAL_NONE;
        lo[axis] = pick(n, (int)MIN(size, 5));
        hi[axis] = size - pick(n, 2);
        step[axis] = 1 + pick(n, 3);
        return b_slice(b, x, lo, hi, step);
    case 5: {
        Dim end[MAX_RANK] = {0}, cut = dim_sub(&b->dims, 0, 1);
        int64_t between[MAX_RANK] = {0};

        lo[axis] = size > 3 && pick(n, 3) == 0 ? cut : pick(n, 3);
        end[axis] = size > 3 && pick(n, 3) == 0 ? cut : pick(n, 20);
        between[axis] = pick(n, 4) == 0;
        return b_pad(b, x, b_scalar(b, n->t, 0.3), lo, end, between);
    }
    case 6: { /* [.., k] as [.., 1, k] spread out */
        Val y = b_broadcast_axis(b, x, axis, any_size(n, 5));

        return t.rank < 4 ? map1(n, y) : VAL_NONE;
    }
    case 7: /* halves of a row, as gates have them */
        if (t.dims[t.rank - 1] < 2)
            return VAL_NONE;
        axis = t.rank - 1;
        return b_mul(b, b_logistic(b, b_slice_axis(b, x, axis, 0, t.dims[axis] / 2)),
                     b_slice_axis(b, x, axis, t.dims[axis] / 2, t.dims[axis] / 2 * 2));
    default: {
        Val at[MAX_RANK], s = b_cast(b, b_sum_all(b, whole(n, x, 2)), WF_I64);

        for (uint32_t k = 0; k < t.rank; k++)
            at[k] = k == axis ? s : b_int(b, WF_I64, 0);
        hi[axis] = 1;
        if (size <= 0)
            return VAL_NONE;
        x = b_dynamic_update_slice(b, x, map1(n, b_dynamic_slice(b, x, at, hi)), at);
        return x;
    }
    }
}

/* ---- integers and other floats ----------------------------------------------------- */

static const wf_dtype int_types[] = {WF_I32, WF_I64, WF_I16, WF_I8,
                                     WF_U8,  WF_U16, WF_U32, WF_U64};

static Val small_ints(Net *n, wf_dtype t)
{
    Type x = type_of(n, of_rank(n, 1));
    Val i = b_iota(n->b, t, x.dims, x.rank, (uint32_t)pick(n, x.rank));

    return b_add(n->b, b_mul(n->b, i, b_full_like(n->b, i, 5)), b_full_like(n->b, i, 3));
}

static Val bits(Net *n)
{
    Builder *b = n->b;
    wf_dtype t = int_types[pick(n, COUNT(int_types))];
    Val x = small_ints(n, t), y = b_full_like(b, x, 1 + pick(n, 6));

    for (int i = 1 + pick(n, 5); i > 0; i--)
        switch (pick(n, 15)) {
        case 0: x = b_shl(b, x, y); break;
        case 1: x = b_shr_logical(b, x, y); break;
        case 2: x = b_shr_arith(b, x, y); break;
        case 3: x = b_xor(b, x, b_not(b, y)); break;
        case 4: x = b_and(b, x, b_full_like(b, x, 93)); break;
        case 5: x = b_or(b, x, y); break;
        case 6: x = b_rem(b, x, y); break;
        case 7: x = b_div(b, x, y); break;
        case 8: x = b_pow(b, x, b_full_like(b, x, 2)); break;
        case 9: x = b_max(b, x, b_neg(b, y)); break;
        case 10: x = b_sub(b, b_min(b, x, y), b_sign(b, x)); break;
        case 11: x = b_mul(b, x, b_abs(b, x)); break;
        case 12: x = b_select(b, b_le(b, x, y), b_not(b, x), y); break;
        case 13:
            x = b_cast(b, b_cast(b, x, int_types[pick(n, COUNT(int_types))]), t);
            break;
        default: x = b_cast(b, b_ne(b, x, y), t);
        }
    if (pick(n, 3) == 0)
        x = b_reduce_axis(b, pick(n, 2) ? OP_reduce_sum : OP_reduce_max, x, 0);
    x = b_cast(b, b_cast(b, x, WF_U8), n->t);
    return b_sin(b, b_mul(b, x, num(n, x, 0.05)));
}

/* Random numbers by key and counter, as uniform floats. */
static Val uniform(Net *n)
{
    Builder *b = n->b;
    Val c = b_cast(b, small_ints(n, WF_I32), WF_U32), k = b_full_like(b, c, 7), out[4];

    if (pick(n, 2))
        b_eqn(b, OP_threefry2x32, (Val[]){k, k, c, c}, 4, NULL, out, 2);
    else
        b_eqn(b, OP_philox4x32, (Val[]){c, k, k, c, k, k}, 6, NULL, out, 4);
    c = b_cast(b, b_shr_logical(b, out[pick(n, 2)], b_full_like(b, c, 24)), n->t);
    return b_mul(b, c, num(n, c, 0x1p-8));
}

/* In another floating-point type for a while; its bits. */
static Val other_float(Net *n)
{
    static const wf_dtype floats[] = {WF_F32, WF_F64, WF_F16, WF_BF16};
    Net other = *n;
    Builder *b = n->b;
    Val x = b_cast(b, of_rank(n, 1), other.t = floats[pick(n, 4)]);

    if (pick(n, 5) == 0) {
        x = b_bitcast(b, b_cast(b, whole(n, of_rank(n, 1), 3), WF_F32), WF_I32);
        x = b_shr_logical(b, x, b_full_like(b, x, 26));
        return b_sin(b, b_cast(b, x, n->t));
    }
    if (pick(n, 5) == 0)
        return b_cast(b,
                      b_is_finite(b, b_div(b, num(&other, x, 1),
                                           b_cast(b, whole(n, x, 2), other.t))),
                      n->t);
    for (int i = 1 + pick(n, 3); i > 0; i--)
        x = map1(&other, x);
    if (pick(n, 3) == 0)
        x = b_tanh(b, b_reduce_axis(b, OP_reduce_sum, x, 0));
    return b_cast(b, x, n->t);
}

/* ---- loops and branches ------------------------------------------------------------ */

/* A sub-program under way: its own builder, the same sizes. */
static Net inner(Net *n, const char *name)
{
    Net in = {.b = builder_new(n->b->cx, name, B_OPTIMISE),
              .rng = n->rng,
              .t = n->t,
              .rows = n->rows,
              .cols = n->cols};

    if (n->rows < 0)
        in.rows = b_symbol(in.b, "N");
    return in;
}

static Val inner_input(Net *in, const Dim *dims, uint32_t rank)
{
    Val v = b_input(in->b, NULL, b_make_type(in->b, in->t, dims, rank));

    vec_push(&in->b->arena, &in->pool, v);
    return v;
}

static Sub finish_inner(Net *n, Net *in, const Val *out, uint32_t nout)
{
    const Program *p = builder_finish(in->b, out, nout);
    Dim *binds = arena_array(&n->b->arena, 1, sizeof *binds);

    *binds = n->rows;
    return (Sub){p, {p ? p->dims.syms.n : 0, binds}};
}

/* A recurrent layer, with what else happens to be made of its values. */
static Val recurrence(Net *n)
{
    Builder *b = n->b;
    Dim turns = any_size(n, 9), shape[] = {turns, n->rows, n->cols};
    Net in = inner(n, "cell");
    Dim cell[] = {in.rows, in.cols}, square[] = {in.cols, in.cols};
    Val w = inner_input(&in, square, 2), h = inner_input(&in, cell, 2),
        x = inner_input(&in, cell, 2), y, out[2];
    ScanAttr a = {.nconst = 1, .ncarry = 1, .length = turns, .reverse = pick(n, 2)};

    y = b_dot(in.b, h, w, &(DotAttr){.lhs = INTS(1, 1), .rhs = INTS(1, pick(n, 2))});
    y = b_add(in.b, scaled(&in, y, in.cols), x);
    for (int i = pick(n, 3); i > 0; i--) {
        Val z = pick(n, 2) ? chain(&in) : norms(&in);

        y = type_eq(type_of(&in, z), type_of(&in, y)) ? b_add(in.b, y, z) : y;
    }
    y = b_tanh(in.b, y);
    a.body = finish_inner(n, &in, (Val[]){y, pick(n, 2) ? y : map1(&in, y)}, 2);
    if (!a.body.p)
        return VAL_NONE;
    b_eqn(b, OP_scan,
          (Val[]){of_shape(n, (Dim[]){n->cols, n->cols}, 2), of_shape(n, shape + 1, 2),
                  of_shape(n, shape, 3)},
          3, &a, out, 2);
    return out[pick(n, 2)];
}

/* A loop of scalars, of a number of turns that data say. */
static Val scalar_loop(Net *n)
{
    Builder *b = n->b;
    Type i32 = b_make_type(b, WF_I32, NULL, 0), f = b_make_type(b, n->t, NULL, 0);
    Net test = inner(n, "more"), turn = inner(n, "turn");
    Val limit = b_input(test.b, NULL, i32), i = b_input(test.b, NULL, i32), x, c, more,
        out[2];

    b_input(test.b, NULL, f);
    more = b_lt(test.b, i, limit);
    c = b_input(turn.b, NULL, f);
    i = b_input(turn.b, NULL, i32);
    x = b_input(turn.b, NULL, f);
    for (int k = 1 + pick(n, 3); k > 0; k--)
        x = map1(&turn, x);
    x = b_add(turn.b, b_mul(turn.b, b_tanh(turn.b, x), c),
              b_cos(turn.b, b_cast(turn.b, i, n->t)));
    WhileAttr a = {.ncond = 1, .nbody = 1, .bound = DIM_NONE, .trips = DIM_NONE};
    a.cond = finish_inner(n, &test, &more, 1);
    a.body =
        finish_inner(n, &turn, (Val[]){b_add(turn.b, i, b_int(turn.b, WF_I32, 1)), x}, 2);
    if (!a.cond.p || !a.body.p)
        return VAL_NONE;
    Val turns = b_cast(b, b_sum_all(b, whole(n, of_rank(n, 1), 1)), WF_I32);
    turns = b_rem(b, b_abs(b, turns), b_int(b, WF_I32, 9));
    b_eqn(b, OP_while,
          (Val[]){turns, of_shape(n, NULL, 0), b_int(b, WF_I32, 0), of_shape(n, NULL, 0)},
          4, &a, out, 2);
    return out[1];
}

static Val branches(Net *n)
{
    Builder *b = n->b;
    Dim shape[] = {n->rows, n->cols};
    Val x = of_shape(n, shape, 2), y = of_shape(n, shape, 2);
    Val which = b_cast(b, b_sum_all(b, whole(n, x, 1)), WF_I32);
    Sub subs[2];

    for (int k = 0; k < 2; k++) {
        Net in = inner(n, "branch");
        Dim dims[] = {in.rows, in.cols};
        Val u = inner_input(&in, dims, 2), v = inner_input(&in, dims, 2);

        v = pick(n, 2) ? map2(&in, u, v) : norm(&in, map1(&in, u), 1, true);
        subs[k] = finish_inner(n, &in, &v, 1);
        if (!subs[k].p)
            return VAL_NONE;
    }
    which = b_and(b, which, b_int(b, WF_I32, 1));
    return b_eqn1(b, OP_cond, (Val[]){which, x, y}, 3, &(CondAttr){{2, subs}});
}

/* ---- a program --------------------------------------------------------------------- */

static const struct {
    Val (*make)(Net *n);
    int weight;
} pieces[] = {
    {chain, 9},       {norms, 4},    {reduction, 4},   {ordered, 1},     {product, 4},
    {products, 2},    {shapes, 5},   {attention, 1},   {convolution, 2}, {pooling, 1},
    {loss, 2},        {bits, 2},     {other_float, 2}, {embedding, 1},   {uniform, 1},
    {scalar_loop, 1}, {branches, 1}, {recurrence, 1},
};

static Val piece(Net *n)
{
    int all = 0, k;

    for (int i = 0; i < COUNT(pieces); i++)
        all += pieces[i].weight;
    k = pick(n, all);
    for (int i = 0;; i++)
        if ((k -= pieces[i].weight) < 0)
            return pieces[i].make(n);
}

const Program *random_net(wf_ctx *cx, Rng *rng, wf_dtype t, int size)
{
    Net n = {
        .b = builder_new(cx, "net", B_OPTIMISE), .rng = rng, .t = t, .most = MOST_INPUTS};
    Val outs[4], v;
    uint32_t nout = 1 + (uint32_t)pick(&n, 4);

    n.rows = pick(&n, 2) ? b_symbol(n.b, "N") : pick(&n, 12) ? any_size(&n, 33) : 0;
    n.cols = pick(&n, 24) ? any_size(&n, 130) : 0;
    v = b_input(n.b, NULL, b_make_type(n.b, t, (Dim[]){n.rows, n.cols}, 2));
    vec_push(&n.b->arena, &n.pool, v);
    for (int i = 0; i < size && !b_failed(n.b); i++) {
        v = piece(&n);
        if (!b_failed(n.b) && v != VAL_NONE && size_of(&n, v) <= MOST_SIZE)
            vec_push(&n.b->arena, &n.pool, v);
    }
    outs[0] = n.pool.v[n.pool.n - 1];
    for (uint32_t j = 1; j < nout; j++)
        outs[j] = n.pool.v[pick(&n, (int)n.pool.n)];
    return builder_finish(n.b, outs, nout);
}
