/* lib_random.c -- see lib_random.h.
 *
 *   method   A pool of values grows equation by equation; each step picks an op and operands from the pool that fit
 *            it, or makes them fit. Sub-programs are grown the same way. f64 values are squashed by tanh
 *            now and then, so that nothing overflows, and singular points are kept away from.
 */
#include "lib_random.h"

typedef struct Gen {
    Builder *b;
    Rng *rng;
    Dim sym;      /* N, or Z, which may be 0, or a constant */
    bool empty;   /* sizes may be 0 */
    bool speaks;  /* collectives over the axis "i", of size 2, are allowed */
    bool customs; /* custom_vjp is allowed, which forward mode cannot go through */
    int depth;    /* of sub-programs */
    VEC(Val) pool;
} Gen;

static int pick(Gen *g, int n) { return (int)(rng_next(g->rng) % (uint64_t)n); }
static void keep(Gen *g, Val v)
{
    if (v != VAL_NONE)
        vec_push(&g->b->arena, &g->pool, v);
}

static Val any_of(Gen *g, wf_dtype dtype, uint32_t min_rank)
{
    uint32_t from = g->pool.n ? (uint32_t)pick(g, (int)g->pool.n) : 0;

    for (uint32_t i = 0; i < g->pool.n; i++) {
        Val v = g->pool.v[(from + i) % g->pool.n];
        if (b_dtype(g->b, v) == dtype && b_rank(g->b, v) >= min_rank)
            return v;
    }
    return VAL_NONE;
}

/* Is there surely an element along d? */
static bool is_some(Gen *g, Dim d)
{
    return d > 0 || (d < 0 && !g->empty) || dim_known_ge(&g->b->dims, d, 1);
}

static Val any_float(Gen *g, uint32_t min_rank) { return any_of(g, WF_F64, min_rank); }

/* v as a value of the given shape: itself, or tanh of its sum, spread out. */
static Val fitted(Gen *g, Val v, const Dim *dims, uint32_t rank)
{
    Builder *b = g->b;
    Type want = b_make_type(b, WF_F64, dims, rank);

    if (b_failed(b) || type_eq(b_type(b, v), want))
        return v;
    return b_broadcast_scalar(b, b_tanh(b, b_sum_all(b, v)), dims, rank);
}

static Val like(Gen *g, Val v, Val shape)
{
    return fitted(g, v, b_type(g->b, shape).dims, b_rank(g->b, shape));
}

/* ---- one step of each kind ---- */

static Val unary(Gen *g)
{
    Builder *b = g->b;
    Val x = any_float(g, 0);

    switch (pick(g, 12)) {
    case 0: return b_sin(b, x);
    case 1: return b_cos(b, x);
    case 2: return b_exp(b, b_tanh(b, x));
    case 3: return b_logistic(b, x);
    case 4: return b_neg(b, x);
    case 5: return b_log1p(b, b_mul(b, x, x));
    case 6: return b_sqrt(b, b_add(b, b_mul(b, x, x), b_one_like(b, x)));
    case 7: return b_erf(b, x);
    case 8: return b_expm1(b, b_sin(b, x));
    case 9: return b_rsqrt(b, b_add(b, b_mul(b, x, x), b_full_like(b, x, 0.5)));
    case 10: return b_abs(b, x);
    default: return b_tanh(b, x);
    }
}

static Val binary(Gen *g)
{
    Builder *b = g->b;
    Val x = any_float(g, 0), y = like(g, any_float(g, 0), x);

    switch (pick(g, 8)) {
    case 0: return b_sub(b, x, y);
    case 1: return b_max(b, x, y);
    case 2: return b_min(b, x, y);
    case 3: return b_div(b, x, b_add(b, b_mul(b, y, y), b_one_like(b, y)));
    case 4: return b_atan2(b, x, b_add(b, b_mul(b, y, y), b_one_like(b, y)));
    case 5:
        return b_pow(b, b_add(b, b_mul(b, x, x), b_full_like(b, x, 0.5)), b_tanh(b, y));
    case 6: return b_add(b, x, y);
    default: return b_mul(b, b_tanh(b, x), y);
    }
}

static Val choose(Gen *g)
{
    Builder *b = g->b;
    Val x = any_float(g, 0), y = like(g, any_float(g, 0), x),
        z = like(g, any_float(g, 0), x);

    if (pick(g, 3) == 0)
        return b_clamp(b, b_scalar(b, WF_F64, -0.7), x, b_scalar(b, WF_F64, 0.8));
    return b_select(b, pick(g, 2) ? b_lt(b, x, y) : b_gt(b, z, b_zeros_like(b, z)), y, z);
}

static Val shape_step(Gen *g)
{
    Builder *b = g->b;
    Val x = any_float(g, 1);

    if (x == VAL_NONE)
        return VAL_NONE;
    Type t = b_type(b, x);
    uint32_t axis = (uint32_t)pick(g, t.rank);
    switch (pick(g, 10)) {
    case 0: return b_move_axis(b, x, axis, 0);
    case 1: return b_rev(b, x, (int64_t[]){axis}, 1);
    case 2:
        return t.rank < 3 ? b_broadcast_axis(b, x, axis, pick(g, 2) ? 2 : g->sym)
                          : VAL_NONE;
    case 3: return b_reshape(b, x, &(Dim){dim_prod(&b->dims, t.dims, t.rank)}, 1);
    case 4: return t.rank < 3 ? b_expand(b, x, axis) : VAL_NONE;
    case 5: return b_concat(b, (Val[]){x, b_sin(b, x)}, 2, axis);
    case 6: {
        Dim lo[MAX_RANK] = {0}, hi[MAX_RANK] = {0};
        lo[axis] = 1;
        hi[axis] = (Dim)pick(g, 2);
        return b_pad(b, x, b_scalar(b, WF_F64, 0.3), lo, hi, NULL);
    }
    case 7:
        if (t.dims[axis] < 2)
            return VAL_NONE;
        return pick(g, 2) ? b_slice_axis(b, x, axis, 1, t.dims[axis])
                          : b_slice_axis(b, x, axis, 0, 1);
    case 8: return b_cumsum(b, b_tanh(b, x), axis, pick(g, 2));
    default: {
        Val i = b_iota(b, WF_I64, t.dims, t.rank, axis), out[2];
        b_eqn(b, OP_sort, (Val[]){x, i}, 2, &(SortAttr){.axis = axis, .keys = 1}, out, 2);
        return out[0];
    }
    }
}

static Val reduce_step(Gen *g)
{
    static const OpCode ops[] = {OP_reduce_sum, OP_reduce_max, OP_reduce_min,
                                 OP_reduce_sum};
    Val x = any_float(g, 1);

    if (x == VAL_NONE)
        return VAL_NONE;
    Dim size = b_dim(g->b, x, 0);
    if (pick(g, 6) == 0 && size >= 0 && size <= 4)
        return b_reduce_axis(g->b, OP_reduce_prod, b_tanh(g->b, x), 0);
    uint32_t axis = (uint32_t)pick(g, (int)b_rank(g->b, x));
    OpCode op = is_some(g, b_dim(g->b, x, axis)) ? ops[pick(g, 4)]
                                                 : OP_reduce_sum; /* no infinities */
    return b_reduce_axis(g->b, op, b_tanh(g->b, x), axis);
}

/* Contract the last axis of x with the first of something made to fit. */
static Val dot_step(Gen *g)
{
    Builder *b = g->b;
    Val x = any_float(g, 1), y;

    if (x == VAL_NONE)
        return VAL_NONE;
    uint32_t rank = b_rank(b, x);
    Dim shape[2] = {b_dim(b, x, rank - 1), 2};
    uint32_t yrank = rank < 3 && pick(g, 2) ? 2 : 1;
    y = fitted(g, any_float(g, 0), shape, yrank);
    if (rank == 3 &&
        pick(g,
             2)) { /* both batched, along the second axis, contracted along the first */
        y = like(g, any_float(g, 0), x);
        return b_tanh(b, b_dot(b, x, y,
                               &(DotAttr){.lhs = INTS(1, 0),
                                          .rhs = INTS(1, 0),
                                          .lhs_batch = INTS(1, 1),
                                          .rhs_batch = INTS(1, 1)}));
    }
    return b_tanh(
        b, b_dot(b, x, y, &(DotAttr){.lhs = INTS(1, rank - 1), .rhs = INTS(1, 0)}));
}

/* A product with constant weights, then scales and shifts by constants of its columns, as
 * batch norm has them. */
static Val layer_step(Gen *g)
{
    static const double w[8] = {0.5, -1, 0.25, 2, -0.75, 1.5, -0.5, 0.125};
    static const OpCode ops[] = {OP_add, OP_sub, OP_mul, OP_div};
    Builder *b = g->b;
    Val x = any_float(g, 1), y;
    uint32_t rank = x ? b_rank(b, x) : 0;
    Dim k = rank ? b_dim(b, x, rank - 1) : -1;

    if (k < 1 || k > 4 || rank > 3)
        return VAL_NONE;
    y = b_const(b, b_make_type(b, WF_F64, (Dim[]){k, 2}, 2), w);
    y = b_dot(b, x, y, &(DotAttr){.lhs = INTS(1, rank - 1), .rhs = INTS(1, 0)});
    for (int n = pick(g, 4); n > 0; n--) {
        Val q = b_const(b, b_make_type(b, WF_F64, (Dim[]){2}, 1), w + pick(g, 7));
        OpCode op = ops[pick(g, 4)];
        Val in[2] = {y, b_broadcast(b, q, b_type(b, y).dims, rank, INTS(1, rank - 1).v)};
        bool turned = op != OP_div && pick(g, 2);

        y = b_eqn1(b, op, (Val[]){in[turned], in[!turned]}, 2, NULL);
    }
    return b_tanh(b, y);
}

/* x as [1, 2, n], or VAL_NONE */
static Val as_signal(Gen *g)
{
    Builder *b = g->b;
    Val x = b_sin(b, any_float(g, 0));
    Dim n = dim_prod(&b->dims, b_type(b, x).dims, b_rank(b, x));

    x = b_reshape(b, x, (Dim[]){1, 1, n}, 3);
    return b_concat(b, (Val[]){x, b_tanh(b, x)}, 2, 1);
}

static Val conv_step(Gen *g)
{
    static const int64_t spec[3] = {0, 1, 2}, other[3] = {2, 0, 1};
    Builder *b = g->b;
    Val x = as_signal(g), k;
    int groups = 1 + pick(g, 2);
    bool turned = pick(g, 2);
    int64_t stride = 1 + pick(g, 2), lo = pick(g, 2) + 1, hi = pick(g, 3),
            ld = 1 + pick(g, 2), rd = 1 + pick(g, 2);

    k = fitted(g, any_float(g, 0), (Dim[]){2, groups == 1 ? 2 : 1, 2}, 3);
    k = b_mul(b, k,
              b_sin(b, b_cast(b, b_iota(b, WF_I32, b_type(b, k).dims, 3, 2), WF_F64)));
    if (turned)
        x = b_transpose(b, x, (int64_t[]){1, 2, 0}); /* feature, spatial, batch */
    ConvAttr a = {.lhs_spec = {3, turned ? other : spec},
                  .rhs_spec = {3, spec},
                  .out_spec = {3, pick(g, 2) ? other : spec},
                  .stride = INTS(1, stride),
                  .pad_lo = INTS(1, lo),
                  .pad_hi = INTS(1, hi),
                  .lhs_dilation = INTS(1, ld),
                  .rhs_dilation = INTS(1, rd),
                  .groups = groups,
                  .batch_groups = 1};
    if (dim_known_ge(&b->dims, b_dim(b, x, turned ? 1 : 2), 1) == false &&
        ld > 1) /* no element, nothing between them */
        return VAL_NONE;
    return b_tanh(b, b_conv(b, x, k, &a));
}

static Val window_step(Gen *g)
{
    Builder *b = g->b;
    Val x = any_float(g, 1), out[2];
    int64_t window[MAX_RANK], stride[MAX_RANK], lo[MAX_RANK] = {0}, hi[MAX_RANK] = {0},
                                                ones[MAX_RANK], dil[MAX_RANK];

    if (x == VAL_NONE)
        return VAL_NONE;
    uint32_t rank = b_rank(b, x), axis = (uint32_t)pick(g, (int)rank);
    bool max = pick(g, 2) && is_some(g, b_dim(b, x, axis));
    for (uint32_t k = 0; k < rank; k++)
        window[k] = stride[k] = ones[k] = dil[k] = 1;
    window[axis] = 2;
    stride[axis] = 1 + pick(g, 2);
    lo[axis] = pick(g, 2);
    hi[axis] = 1;
    dil[axis] = max ? 1 : 1 + pick(g, 2);
    if (max) /* no window may lie in the padding alone */
        lo[axis] = hi[axis] = 1, stride[axis] = 1;
    WindowAttr a = {.window = {rank, window},
                    .stride = {rank, stride},
                    .pad_lo = {rank, lo},
                    .pad_hi = {rank, hi},
                    .base_dilation = {rank, ones},
                    .window_dilation = {rank, dil}};
    b_eqn(b, max ? OP_reduce_window_max : OP_reduce_window_sum, &x, 1, &a, out,
          max ? 2 : 1);
    return b_tanh(b, out[0]);
}

/* Of a positive definite matrix with eigenvalues apart: a factor, or a solution */
static Val matrix_step(Gen *g)
{
    Builder *b = g->b;
    Val x = fitted(g, any_float(g, 0), (Dim[]){2, 2}, 2), out[3];
    int which;

    if (pick(g, 3) == 0)
        x = b_broadcast_axis(b, x, 0, g->sym);
    uint32_t rank = b_rank(b, x);
    Dim dims[3];
    memcpy(dims, b_type(b, x).dims, rank * sizeof *dims);
    Val i = b_iota(b, WF_I32, dims, rank, rank - 1),
        j = b_iota(b, WF_I32, dims, rank, rank - 2);
    x = b_add(b, b_tanh(b, b_add(b, x, b_mul(b, x, b_cast(b, i, WF_F64)))),
              b_mul(b, b_full_like(b, x, 3), b_cast(b, b_eq(b, i, j), WF_F64)));
    which = pick(g, 7);
    if (which >= 4) /* eigh, svd, eig: the second of the two 6 larger */
        x = b_add(b, x,
                  b_mul(b, b_full_like(b, x, 6),
                        b_cast(b, b_mul(b, i, b_cast(b, b_eq(b, i, j), WF_I32)), WF_F64)));
    switch (which) {
    case 0:
        return b_eqn1(b, OP_cholesky,
                      (Val[]){b_add(b, x, b_move_axis(b, x, rank - 2, rank - 1))}, 1,
                      NULL);
    case 1: b_eqn(b, OP_lu, &x, 1, NULL, out, 3); return out[0];
    case 2:
        b_eqn(b, OP_qr, &x, 1, &(QrAttr){pick(g, 2)}, out, 2);
        return out[pick(g, 2)];
    case 4: b_eqn(b, OP_eigh, &x, 1, NULL, out, 2); return b_tanh(b, out[pick(g, 2)]);
    case 5: b_eqn(b, OP_svd, &x, 1, NULL, out, 3); return b_tanh(b, out[pick(g, 3)]);
    case 6: /* which are real, so far apart */
        b_eqn(b, OP_eig, &x, 1, NULL, out, 2);
        return b_tanh(b, b_eqn1(b, OP_real, &out[pick(g, 2)], 1, NULL));
    default: {
        SolveAttr a = {.left = pick(g, 2),
                       .lower = pick(g, 2),
                       .trans = pick(g, 2),
                       .unit = pick(g, 2)};
        return b_tanh(b, b_eqn1(b, OP_triangular_solve, (Val[]){x, b_sin(b, x)}, 2, &a));
    }
    }
}

/* Integers, bools and narrow floats: sizes stay small, so that narrow floats are exact. */
static Val whole_step(Gen *g)
{
    static const wf_dtype ints[] = {WF_I32, WF_I64, WF_I16, WF_U8, WF_I8, WF_U32},
                          floats[] = {WF_F32, WF_F16, WF_BF16};
    Builder *b = g->b;
    wf_dtype t = ints[pick(g, 2)];
    Val n = any_of(g, t, 0), p = any_of(g, WF_BOOL, 0), x = any_float(g, 0);

    switch (pick(g, 10)) {
    case 0: return b_cast(b, b_mul(b, b_tanh(b, x), b_full_like(b, x, 3)), t);
    case 1:
        return pick(g, 2) ? b_lt(b, x, b_full_like(b, x, 0.2))
                          : b_ge(b, b_sin(b, x), b_zeros_like(b, x));
    case 2:
        return p ? b_sin(b,
                         b_add(b, b_cast(b, p, WF_F64), b_cast(b, b_not(b, p), WF_F64)))
                 : VAL_NONE;
    case 3:
        return n ? b_rem(b, b_add(b, b_mul(b, n, n), b_one_like(b, n)),
                         b_full_like(b, n, 4))
                 : VAL_NONE;
    case 4:
        return n ? b_sin(b, b_cast(b,
                                   b_cast(b,
                                          b_xor(b, b_and(b, n, b_full_like(b, n, 3)),
                                                b_one_like(b, n)),
                                          ints[pick(g, 6)]),
                                   WF_F64))
                 : VAL_NONE;
    case 5: {
        wf_dtype f = floats[pick(g, 3)];
        Val y = b_cast(b, b_round(b, b_mul(b, b_tanh(b, x), b_full_like(b, x, 4))), f),
            z = b_add(b, b_mul(b, y, y), b_one_like(b, y));
        return b_sin(
            b, b_cast(b, pick(g, 2) ? z : b_max(b, b_abs(b, y), b_neg(b, z)), WF_F64));
    }
    case 6: {
        Val f = any_of(g, WF_F32, 0);
        return f ? b_cos(b,
                         b_cast(b, b_round(b, b_mul(b, f, b_full_like(b, f, 2))), WF_F64))
                 : VAL_NONE;
    }
    case 7: {
        Val v = any_float(g, 1);
        if (v == VAL_NONE)
            return VAL_NONE;
        uint32_t axis = (uint32_t)pick(g, (int)b_rank(b, v));
        return is_some(g, b_dim(b, v, axis))
                   ? b_eqn1(b, pick(g, 2) ? OP_argmax : OP_argmin, &v, 1,
                            &(ArgAttr){axis, (int32_t)t})
                   : VAL_NONE;
    }
    case 8: { /* what changes nothing */
        Val out[2];
        if (pick(g, 3) == 0)
            return b_eqn1(b, OP_name, &x, 1, &(NameAttr){"x"});
        if (pick(g, 2)) {
            b_eqn(b, OP_opt_barrier, (Val[]){x, n ? n : x}, 2, NULL, out, 2);
            return out[0];
        }
        bool shows = pick(g, 2);
        b_eqn(b, OP_assert, (Val[]){b_lt(b, b_tanh(b, x), b_full_like(b, x, 2)), x},
              shows ? 2 : 1, &(PrintAttr){shows ? "{}" : ""}, NULL, 0);
        return VAL_NONE;
    }
    default:
        return p && b_rank(b, p)
                   ? b_reduce_axis(b, pick(g, 2) ? OP_reduce_and : OP_reduce_or, p, 0)
                   : VAL_NONE;
    }
}

/* Arrays whose size is known at run time only: every other row by nonzero; dim N + 1 by size. Summed at once, or
 * gone over by cumsum first. */
static Val sized_step(Gen *g)
{
    Builder *b = g->b;
    Val x = any_float(g, 1), at, rows;

    if (x == VAL_NONE)
        return VAL_NONE;
    Dim n = b_dim(b, x, 0), k = b_symbol(b, "K");
    if (pick(g, 2)) {
        Val i = b_iota(b, WF_I64, &n, 1, 0);
        at = b_eqn1(
            b, OP_nonzero,
            (Val[]){b_eq(b, b_rem(b, i, b_full_like(b, i, 2)), b_zeros_like(b, i))}, 1,
            &(SymAttr){k});
        GatherAttr a = {.collapsed = INTS(1, 0),
                        .start_index_map = INTS(1, 0),
                        .mode = pick(g, 2) ? INDEX_CLIP : INDEX_PROMISED};
        int64_t offset[MAX_RANK];
        Dim sizes[MAX_RANK];
        for (uint32_t i2 = 0; i2 < b_rank(b, x); i2++) {
            sizes[i2] = i2 ? b_dim(b, x, i2) : 1;
            offset[i2] = i2 + 1;
        }
        a.offset_dims = (Ints){b_rank(b, x) - 1, offset};
        a.slice_sizes = (Ints){b_rank(b, x), sizes};
        if (!is_some(g, n))
            return VAL_NONE;
        rows = b_gather(b, x, at, &a);
    } else {
        Val m = b_add(b, b_dim_value(b, n), b_int(b, WF_I64, 1));
        b_eqn(b, OP_size, &m, 1, &(SymAttr){k}, NULL, 0);
        rows = b_broadcast_axis(b, x, 0, k);
        rows = b_mul(
            b, rows,
            b_sin(b,
                  b_cast(b, b_iota(b, WF_I64, b_type(b, rows).dims, b_rank(b, rows), 0),
                         WF_F64)));
    }
    if (pick(g, 2))
        rows = b_cumsum(b, b_sin(b, rows), 0, pick(g, 2));
    return b_tanh(b, b_reduce_axis(b, OP_reduce_sum, rows, 0));
}

static Val speak_step(Gen *g)
{
    Builder *b = g->b;
    Val x = any_float(g, 0);
    CollectiveAttr a = {.axis = "i", .size = DIM_NONE};

    switch (pick(g, 8)) {
    case 0: return b_eqn1(b, OP_psum, &x, 1, &a);
    case 1: return b_eqn1(b, OP_pmax, (Val[]){b_sin(b, x)}, 1, &a);
    case 5: return b_eqn1(b, OP_pmin, (Val[]){b_sin(b, x)}, 1, &a);
    case 6:
    case 7: /* of two copies along a new axis */
        a.size = 2;
        a.at = pick(g, (int)b_rank(b, x) + 1);
        a.to = pick(g, (int)b_rank(b, x) + 1);
        if (b_rank(b, x) > 2)
            return VAL_NONE;
        x = b_broadcast_axis(b, x, (uint32_t)a.at, 2);
        return b_eqn1(b, pick(g, 2) ? OP_reduce_scatter : OP_all_to_all, &x, 1, &a);
    case 2:
        a.size = 2;
        a.at = pick(g, (int)b_rank(b, x) + 1);
        return b_rank(b, x) < 3 ? b_eqn1(b, OP_all_gather, &x, 1, &a) : VAL_NONE;
    case 3:
        a.size = 2;
        a.perm = pick(g, 2) ? INTS(4, 0, 1, 1, 0) : INTS(2, 0, 1);
        return b_eqn1(b, OP_ppermute, &x, 1, &a);
    default: {
        Val i = b_eqn1(b, OP_axis_index, NULL, 0, &a);
        return b_mul(b, x,
                     b_broadcast_scalar(b, b_cos(b, b_cast(b, i, WF_F64)),
                                        b_type(b, x).dims, b_rank(b, x)));
    }
    }
}

static Val index_step(Gen *g)
{
    Builder *b = g->b;
    Val x = any_float(g, 1);

    if (x == VAL_NONE)
        return VAL_NONE;
    Val s = b_sum_all(b, any_float(g, 0));
    Val i = b_cast(b, b_mul(b, s, b_scalar(b, WF_F64, 3)),
                   WF_I64); /* any integer: clamped or clipped */
    Dim n = b_dim(b, x, 0);
    if (!is_some(g, n))
        return VAL_NONE;
    switch (pick(g, 5)) {
    case 0: return b_row(b, x, i);
    case 3: { /* for each row of axis 0 another window along axis 1 */
        if (b_rank(b, x) != 2 || !is_some(g, b_dim(b, x, 1)))
            return VAL_NONE;
        Val at = b_iota(b, WF_I32, (Dim[]){n, 1}, 2, 0);
        if (pick(g, 2)) {
            GatherAttr a = {.offset_dims = INTS(1, 1),
                            .operand_batching = INTS(1, 0),
                            .indices_batching = INTS(1, 0),
                            .start_index_map = INTS(1, 1),
                            .slice_sizes = INTS(2, 1, 1),
                            .mode = pick(g, 2) ? INDEX_FILL : INDEX_CLIP,
                            .fill = 0.25};
            return b_gather(b, x, at, &a);
        }
        ScatterAttr a = {.update_window = INTS(1, 1),
                         .operand_batching = INTS(1, 0),
                         .indices_batching = INTS(1, 0),
                         .operand_dims = INTS(1, 1),
                         .mode = pick(g, 2) ? INDEX_DROP : INDEX_CLIP};
        Val u = fitted(g, any_float(g, 0), (Dim[]){n, 1}, 2);
        static const OpCode ops[] = {OP_scatter, OP_scatter_add, OP_scatter_mul,
                                     OP_scatter_max, OP_scatter_min};
        return b_scatter(b, ops[pick(g, 5)], x, at, u, &a);
    }
    case 1: {
        Val row = b_row(b, x, b_int(b, WF_I64, 0));
        return b_set_row(b, x, b_sin(b, row), i);
    }
    case 2: { /* rows i, 0 and i again */
        Val at = b_concat(b,
                          (Val[]){b_reshape(b, i, (Dim[]){1, 1}, 2),
                                  b_zeros(b, b_make_type(b, WF_I64, (Dim[]){1, 1}, 2)),
                                  b_reshape(b, i, (Dim[]){1, 1}, 2)},
                          3, 0);
        GatherAttr a = {
            .collapsed = INTS(1, 0), .start_index_map = INTS(1, 0), .mode = INDEX_CLIP};
        int64_t offset[MAX_RANK];
        Dim sizes[MAX_RANK];
        for (uint32_t k = 0; k < b_rank(b, x); k++) {
            sizes[k] = k ? b_dim(b, x, k) : 1;
            offset[k] = k + 1;
        }
        a.offset_dims = (Ints){b_rank(b, x) - 1, offset};
        a.slice_sizes = (Ints){b_rank(b, x), sizes};
        return b_gather(b, x, at, &a);
    }
    default: {
        Val row = b_row(b, x, i), at = b_reshape(b, i, &(Dim){1}, 1);
        ScatterAttr a = {
            .inserted = INTS(1, 0), .operand_dims = INTS(1, 0), .mode = INDEX_DROP};
        int64_t window[MAX_RANK];
        for (uint32_t k = 0; k + 1 < b_rank(b, x); k++)
            window[k] = k;
        a.update_window = (Ints){b_rank(b, x) - 1, window};
        a.mode = pick(g, 2) ? INDEX_DROP : INDEX_CLIP;
        static const OpCode ops[] = {OP_scatter_add, OP_scatter, OP_scatter_mul,
                                     OP_scatter_min, OP_scatter_max};
        if (pick(g, 2)) { /* the same row twice */
            at = b_concat(b,
                          (Val[]){b_reshape(b, at, (Dim[]){1, 1}, 2),
                                  b_reshape(b, at, (Dim[]){1, 1}, 2)},
                          2, 0);
            row = b_expand(b, b_tanh(b, row), 0);
            row = b_concat(b, (Val[]){row, b_sin(b, row)}, 2, 0);
            for (uint32_t k = 0; k + 1 < b_rank(b, x); k++)
                window[k] = k + 1;
        } else {
            row = b_cos(b, row);
        }
        return b_scatter(b, ops[pick(g, 5)], x, at, row, &a);
    }
    }
}

/* ---- sub-programs ---- */

static void grow(Gen *g, int steps);

/* p as a sub-program of b: symbols of the same names. */
static Sub bound_here(Builder *b, const Program *p)
{
    Dim *binds;

    if (!p || !p->dims.syms.n)
        return (Sub){p, {0, NULL}};
    binds = arena_array(&b->arena, p->dims.syms.n, sizeof *binds);
    for (uint32_t i = 0; i < p->dims.syms.n; i++)
        binds[i] = p->dims.syms.v[i].origin == SYM_EQN
                       ? DIM_NONE
                       : dim_find(&b->dims, p->dims.syms.v[i].name);
    return (Sub){p, {p->dims.syms.n, binds}};
}

/* A body with the given inputs whose results have the given types; symbol N is the enclosing one's. */
static Sub body_of(Gen *g, const char *name, const Val *in, const bool *row, uint32_t nin,
                   bool counter, bool speaks, const Type *out, uint32_t nout)
{
    Builder *outer = g->b;
    Gen s = {.b = builder_new(outer->cx, name, B_OPTIMISE),
             .rng = g->rng,
             .depth = g->depth + 1,
             .empty = g->empty,
             .customs = g->customs,
             .speaks = speaks && g->speaks};
    Val results[8];
    const char *name_of = outer->dims.syms.n ? outer->dims.syms.v[0].name : "T";

    s.sym =
        *name_of != 'T' ? b_symbol(s.b, name_of) : 2; /* padded trips have no other use */
    if (counter)
        b_input(s.b, "i", b_make_type(s.b, WF_I64, NULL, 0));
    for (uint32_t i = 0; i < nin; i++) {
        Type t = b_type(outer, in[i]);
        uint32_t cut = row && row[i] ? 1 : 0;
        Dim dims[MAX_RANK];
        for (uint32_t k = cut; k < t.rank; k++)
            dims[k - cut] = dim_subst(&s.b->dims, &outer->dims, t.dims[k], &s.sym);
        keep(&s,
             b_input(s.b, NULL, b_make_type(s.b, (wf_dtype)t.dtype, dims, t.rank - cut)));
    }
    grow(&s, 2 + pick(g, 5));
    for (uint32_t j = 0; j < nout; j++) {
        Dim dims[MAX_RANK];
        for (uint32_t k = 0; k < out[j].rank; k++)
            dims[k] = dim_subst(&s.b->dims, &outer->dims, out[j].dims[k], &s.sym);
        results[counter ? j + 1 : j] =
            b_tanh(s.b, fitted(&s, any_float(&s, 0), dims, out[j].rank));
    }
    if (counter)
        results[0] = b_add(s.b, s.b->inputs.v[0], b_int(s.b, WF_I64, 1));
    const Program *p = builder_finish(s.b, results, counter ? nout + 1 : nout);
    return bound_here(outer, p);
}

static Val call_step(Gen *g)
{
    Builder *b = g->b;
    Val in[2] = {any_float(g, 0), any_float(g, 0)};
    Type out = b_type(b, in[0]);
    Sub body = body_of(g, "callee", in, NULL, 2, false, true, &out, 1);
    bool all[2] = {true, true}, nz;
    const Program *fwd, *bwd;

    if (!body.p)
        return VAL_NONE;
    switch (pick(g, 5)) {
    case 0:
        return b_eqn1(b, OP_checkpoint, in, 2,
                      &(CheckpointAttr){.body = body, .policy = pick(g, 3)});
    case 1: { /* the derivative it would have anyway */
        const Program *rule = xf_jvp(b->cx, body.p, all, all, &nz);
        return rule
                   ? b_eqn1(b, OP_custom_jvp, in, 2,
                            &(CustomJvpAttr){.primal = body, .rule = bound_here(b, rule)})
                   : VAL_NONE;
    }
    case 2:
        if (!g->customs || !xf_split(b->cx, body.p, (int[]){0, 1}, 2, &fwd, &bwd))
            return VAL_NONE;
        for (uint32_t j = 0; j < fwd->nout;
             j++) /* sizes known only inside cannot leave it */
            for (uint32_t k = 0; k < val_type(fwd, fwd->outs[j]).rank; k++)
                if (dim_mentions(&fwd->dims, val_type(fwd, fwd->outs[j]).dims[k],
                                 SYM_EQN))
                    return VAL_NONE;
        return b_eqn1(b, OP_custom_vjp, in, 2,
                      &(CustomVjpAttr){.primal = body,
                                       .fwd = bound_here(b, fwd),
                                       .bwd = bound_here(b, bwd)});
    default: return b_eqn1(b, OP_call, in, 2, &(CallAttr){.body = body});
    }
}

static Val cond_step(Gen *g)
{
    Builder *b = g->b;
    Val x[3] = {any_float(g, 0), any_float(g, 0), any_of(g, WF_I32, 0)};
    Val pred = b_gt(b, b_sum_all(b, any_float(g, 0)), b_scalar(b, WF_F64, 0.1));
    Type out = b_type(b, x[0]);
    Sub branches[3];
    int n = pick(g, 2) ? 3 : 2;

    if (!x[2])
        x[2] = any_float(g, 0);
    for (int i = 0; i < n; i++)
        branches[i] = body_of(g, "branch", x, NULL, 3, false, false, &out, 1);
    if (b_failed(b))
        return VAL_NONE;
    Val index =
        n == 2 ? pred : b_add(b, b_cast(b, pred, WF_I32), b_int(b, WF_I32, pick(g, 2)));
    return b_eqn1(b, OP_cond, (Val[]){index, x[0], x[1], x[2]}, 4,
                  &(CondAttr){{(uint32_t)n, branches}});
}

static Val scan_step(Gen *g)
{
    Builder *b = g->b;
    Val c = any_float(g, 0), x = any_float(g, 0), s = any_float(g, 1), out[2];

    if (s == VAL_NONE)
        return VAL_NONE;
    Val in[3] = {c, x, s};
    Type types[2] = {b_type(b, x), b_type(b, x)};
    ScanAttr a = {.body = body_of(g, "step", in, (bool[]){false, false, true}, 3, false,
                                  true, types, 2),
                  .nconst = 1,
                  .ncarry = 1,
                  .length = b_dim(b, s, 0),
                  .reverse = pick(g, 2),
                  .checkpoint = pick(g, 4) == 0};
    if (b_failed(b))
        return VAL_NONE;
    b_eqn(b, OP_scan, in, 3, &a, out, 2);
    if (b_rank(b, out[1]) <= 3)
        keep(g, out[1]);
    return out[0];
}

/* while i < n: i, x = i + 1, body(i, c, x);  n from data, at most 4 */
static Val while_step(Gen *g)
{
    Builder *b = g->b, *test;
    Val c = any_float(g, 0), x = any_float(g, 0), out[3], params[2] = {x, c};
    Type tx = b_type(b, x);
    bool rows = b_rank(b, c) < 3 && pick(g, 2); /* of the type of c, stacked */
    uint32_t nout = rows ? 3 : 2;
    Val n = b_cast(
        b, b_abs(b, b_mul(b, b_tanh(b, b_sum_all(b, c)), b_scalar(b, WF_F64, 4.5))),
        WF_I64);
    Sub body = body_of(g, "turn", params, NULL, 2, true, false,
                       (Type[]){tx, b_type(b, c)}, nout - 1);

    if (b_failed(b))
        return VAL_NONE;
    /* the body takes (i, x, c); as a loop body its constant c comes first */
    Builder *w = builder_new(b->cx, "turn", B_OPTIMISE);
    Copier cp;
    copier_init(&cp, w, body.p, NULL, NULL);
    Val wc = b_input(w, NULL, copier_type(&cp, val_type(body.p, 3))),
        wi = b_input(w, NULL, copier_type(&cp, val_type(body.p, 1))),
        wx = b_input(w, NULL, copier_type(&cp, val_type(body.p, 2))), res[3];
    b_inline(w, body.p, cp.sym, (Val[]){wi, wx, wc}, res, NULL);
    const Program *turn = builder_finish(w, res, nout);
    test = builder_new(b->cx, "test", B_OPTIMISE);
    Type i64 = b_make_type(test, WF_I64, NULL, 0);
    Val limit = b_input(test, "n", i64), i = b_input(test, "i", i64);
    Dim map[1] = {0}, dims[MAX_RANK];
    if (b->dims.syms.n)
        map[0] = b_symbol(test, b->dims.syms.v[0].name);
    for (uint32_t k = 0; k < tx.rank; k++)
        dims[k] = dim_subst(&test->dims, &b->dims, tx.dims[k], map);
    b_input(test, "x", b_make_type(test, WF_F64, dims, tx.rank));
    Val more = b_lt(test, i, limit);
    const Program *cond = builder_finish(test, &more, 1);
    if (!cond || !turn)
        return VAL_NONE;
    WhileAttr a = {.cond = bound_here(b, cond),
                   .body = bound_here(b, turn),
                   .ncond = 1,
                   .nbody = 1,
                   .bound = pick(g, 2) ? 1 + 2 * pick(g, 3) : DIM_NONE,
                   .trips = DIM_NONE};
    if (rows && a.bound == DIM_NONE)
        a.trips = b_symbol(b, "T"), a.padded = true;
    b_eqn(b, OP_while, (Val[]){n, c, b_int(b, WF_I64, 0), x}, 4, &a, out, nout);
    if (rows && a.trips != DIM_NONE) /* under vmap the rows past the end are zero */
        keep(g, b_reduce_axis(b, OP_reduce_sum, out[2], 0));
    else if (rows)
        keep(g, out[2]);
    return out[1];
}

/* Complex numbers: of two floats, or of others; and their way back. */
static Val complex_step(Gen *g)
{
    Builder *b = g->b;
    Val re = any_float(g, 0), im = like(g, any_float(g, 0), re);
    Val z = b_complex(b, b_tanh(b, re), b_tanh(b, im)), w = any_of(g, WF_C128, 0), r;

    keep(g, z);
    w = w ? fitted(g, w, b_type(b, z).dims, b_rank(b, z)) : z;
    switch (pick(g, 12)) {
    case 0: return b_real(b, b_mul(b, z, w));
    case 1: return b_imag(b, b_exp(b, z));
    case 2: return b_abs(b, b_add(b, z, b_full_like(b, z, 2)));
    case 3: return b_mul(b, z, b_conj(b, w));
    case 4: return b_div(b, w, b_add(b, b_mul(b, z, b_conj(b, z)), b_one_like(b, z)));
    case 5: return b_sqrt(b, b_add(b, z, b_full_like(b, z, 2)));
    case 6: return b_log(b, b_add(b, z, b_full_like(b, z, 2.5)));
    case 7: return b_select(b, b_lt(b, re, im), z, b_sin(b, w));
    case 8: return b_sum_all(b, z);
    case 9: return b_real(b, b_cos(b, b_sub(b, z, w)));
    case 10: return b_atan(b, b_mul(b, z, b_full_like(b, z, 0.25)));
    default:
        r = b_reshape(b, z, &(Dim){dim_prod(&b->dims, b_type(b, z).dims, b_rank(b, z))}, 1);
        return b_concat(b, (Val[]){r, b_rev(b, r, (int64_t[]){0}, 1)}, 2, 0);
    }
}

static Val step(Gen *g)
{
    int r = pick(g, g->depth < 2 ? 38 : 32);

    if (g->speaks && pick(g, 5) == 0)
        return speak_step(g);

    switch (r) {
    case 0:
    case 1:
    case 2:
    case 3:
    case 4:
    case 5: return unary(g);
    case 6:
    case 7:
    case 8:
    case 9:
    case 10:
    case 11: return binary(g);
    case 12:
    case 13: return choose(g);
    case 14:
    case 15:
    case 16:
    case 17:
    case 18: return shape_step(g);
    case 19:
    case 20: return reduce_step(g);
    case 21:
    case 22: return dot_step(g);
    case 23: return layer_step(g);
    case 24:
    case 25: return index_step(g);
    case 26: return conv_step(g);
    case 27: return window_step(g);
    case 28: return matrix_step(g);
    case 29: return whole_step(g);
    case 30: return complex_step(g);
    case 31: return sized_step(g);
    case 32:
    case 33: return call_step(g);
    case 34:
    case 35: return cond_step(g);
    case 36: return scan_step(g);
    default: return while_step(g);
    }
}

static bool is_small(Gen *g, Val v) /* constant part of the size at most 64 */
{
    Type t = b_type(g->b, v);
    int64_t n = 1;

    for (uint32_t k = 0; k < t.rank; k++)
        n *= t.dims[k] >= 0                                      ? t.dims[k]
             : dim_node(&g->b->dims, t.dims[k])->kind == DIM_SYM ? 3
                                                                 : 8;
    return n <= 64 && t.rank <= 3;
}

static void grow(Gen *g, int steps)
{
    for (int i = 0; i < steps && !b_failed(g->b); i++) {
        Val v = step(g);
        if (v != VAL_NONE && is_small(g, v))
            keep(g, pick(g, 3) || b_dtype(g->b, v) != WF_F64 ? v : b_tanh(g->b, v));
    }
}

static Type random_type(Gen *g, wf_dtype dtype)
{
    Dim dims[3];
    uint32_t rank = (uint32_t)pick(g, 3);

    for (uint32_t k = 0; k < rank; k++)
        dims[k] =
            pick(g, 3) ? (Dim)(pick(g, 12) || !g->empty ? 1 + pick(g, 3) : 0) : g->sym;
    return b_make_type(g->b, dtype, dims, rank);
}

const Program *random_program(wf_ctx *cx, Rng *rng, int size, RandomKind kind)
{
    static const wf_dtype others[] = {WF_I32, WF_I64, WF_BOOL, WF_F32};
    Gen g = {.b = builder_new(cx, "f", B_OPTIMISE),
             .rng = rng,
             .speaks = kind == RANDOM_SPEAKS,
             .customs = kind == RANDOM_CUSTOM};
    int nin = 1 + pick(&g, 3);
    Val sum = VAL_NONE, outs[3], whole;

    g.empty = pick(&g, 6) == 0;
    g.sym = pick(&g, 3) ? (Dim)(g.empty ? pick(&g, 3) : 1 + pick(&g, 3))
                        : b_symbol(g.b, g.empty ? "Z" : "N");
    if (g.sym < 0) /* the symbol must be bare somewhere */
        keep(&g, b_input(g.b, NULL, b_make_type(g.b, WF_F64, &g.sym, 1)));
    for (int i = g.sym < 0; i < nin; i++)
        keep(&g, b_input(g.b, NULL, random_type(&g, WF_F64)));
    if (pick(&g, 3) == 0)
        keep(&g, b_input(g.b, NULL, random_type(&g, others[pick(&g, 4)])));
    grow(&g, size);
    for (int i = 0; i < 4; i++) {
        Val v = b_tanh(g.b, b_sum_all(g.b, any_float(&g, 0)));
        sum = sum ? b_add(g.b, sum, v) : v;
    }
    outs[0] = sum;
    outs[1] = g.pool.v[g.pool.n - 1];
    whole = any_of(&g, (wf_dtype[]){WF_I32, WF_I64, WF_BOOL}[pick(&g, 3)], 0);
    outs[2] = whole;
    return builder_finish(g.b, outs, whole ? 3 : 2);
}

/* ---- shrinking ---- */

/* p without equation `drop`: its results become other values of their types, or zeros. */
static const Program *without(wf_ctx *cx, const Program *p, uint32_t drop, bool use_zeros)
{
    Builder *b = builder_new(cx, p->name, B_OPTIMISE);
    Copier c;
    Val outs[8];

    copier_init(&c, b, p, NULL, NULL);
    copier_inputs(&c);
    for (uint32_t i = 0; i < p->neqns; i++) {
        const Eqn *e = &p->eqns[i];
        if (i != drop) {
            if (!copier_eqn(&c, e))
                return NULL;
            continue;
        }
        for (uint32_t j = 0; j < e->nout; j++) {
            Type t = copier_type(&c, val_type(p, e->out + j));
            Val v = VAL_NONE;
            for (Val k = 1; k < b->vals.n && !use_zeros; k++)
                if (type_eq(b_type(b, k), t))
                    v = k;
            c.val[e->out + j] = v ? v : b_zeros(b, t);
        }
    }
    for (uint32_t j = 0; j < p->nout; j++)
        outs[j] = c.val[p->outs[j]];
    p = builder_finish(b, outs, p->nout);
    for (uint32_t i = 0; p && i < p->dims.syms.n; i++)
        if (p->dims.syms.v[i].origin == SYM_PARAM) /* what was dropped defined it */
            return NULL;
    return p;
}

const Program *shrink_program(wf_ctx *cx, const Program *p, uint64_t seed,
                              const char *(*check)(wf_ctx *cx, const Program *p,
                                                   uint64_t seed))
{
    bool smaller = true;

    while (smaller) {
        smaller = false;
        for (uint32_t i = p->neqns; i-- > 0;)
            for (int zeros = 0; zeros < 2 && i < p->neqns; zeros++) {
                const Program *q = without(cx, p, i, zeros);
                wf_clear(cx);
                bool bad = q && q->neqns < p->neqns && check(cx, q, seed) != NULL;
                wf_clear(cx);
                if (bad) {
                    p = q;
                    smaller = true;
                }
            }
    }
    return p;
}
