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
    Dim sym;   /* N, or a constant */
    int depth; /* of sub-programs */
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
    for (int tries = 0; tries < 30 && g->pool.n; tries++) {
        Val v = g->pool.v[pick(g, (int)g->pool.n)];
        if (b_dtype(g->b, v) == dtype && b_rank(g->b, v) >= min_rank)
            return v;
    }
    return VAL_NONE;
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
    case 5: return b_pow(b, b_add(b, b_mul(b, x, x), b_full_like(b, x, 0.5)), b_tanh(b, y));
    case 6: return b_add(b, x, y);
    default: return b_mul(b, b_tanh(b, x), y);
    }
}

static Val choose(Gen *g)
{
    Builder *b = g->b;
    Val x = any_float(g, 0), y = like(g, any_float(g, 0), x), z = like(g, any_float(g, 0), x);

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
    case 2: return t.rank < 3 ? b_broadcast_axis(b, x, axis, pick(g, 2) ? 2 : g->sym) : VAL_NONE;
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
        return pick(g, 2) ? b_slice_axis(b, x, axis, 1, t.dims[axis]) : b_slice_axis(b, x, axis, 0, 1);
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
    static const OpCode ops[] = {OP_reduce_sum, OP_reduce_max, OP_reduce_min, OP_reduce_sum};
    Val x = any_float(g, 1);

    if (x == VAL_NONE)
        return VAL_NONE;
    Dim size = b_dim(g->b, x, 0);
    if (pick(g, 6) == 0 && size >= 0 && size <= 4)
        return b_reduce_axis(g->b, OP_reduce_prod, b_tanh(g->b, x), 0);
    return b_reduce_axis(g->b, ops[pick(g, 4)], b_tanh(g->b, x), (uint32_t)pick(g, (int)b_rank(g->b, x)));
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
    return b_tanh(b, b_dot(b, x, y, &(DotAttr){.lhs = INTS(1, rank - 1), .rhs = INTS(1, 0)}));
}

static Val index_step(Gen *g)
{
    Builder *b = g->b;
    Val x = any_float(g, 1);

    if (x == VAL_NONE)
        return VAL_NONE;
    Val s = b_sum_all(b, any_float(g, 0));
    Val i = b_cast(b, b_mul(b, s, b_scalar(b, WF_F64, 3)), WF_I64); /* any integer: clamped or clipped */
    Dim n = b_dim(b, x, 0);
    if (n == 0)
        return VAL_NONE;
    switch (pick(g, 4)) {
    case 0: return b_row(b, x, i);
    case 1: {
        Val row = b_row(b, x, b_int(b, WF_I64, 0));
        return b_set_row(b, x, b_sin(b, row), i);
    }
    case 2: { /* rows i, 0 and i again */
        Val at = b_concat(b, (Val[]){b_reshape(b, i, (Dim[]){1, 1}, 2), b_zeros(b, b_make_type(b, WF_I64, (Dim[]){1, 1}, 2)),
                                     b_reshape(b, i, (Dim[]){1, 1}, 2)}, 3, 0);
        GatherAttr a = {.collapsed = INTS(1, 0), .start_index_map = INTS(1, 0), .mode = INDEX_CLIP};
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
        ScatterAttr a = {.inserted = INTS(1, 0), .operand_dims = INTS(1, 0), .mode = INDEX_DROP};
        int64_t window[MAX_RANK];
        for (uint32_t k = 0; k + 1 < b_rank(b, x); k++)
            window[k] = k;
        a.update_window = (Ints){b_rank(b, x) - 1, window};
        return b_scatter(b, OP_scatter_add, x, at, row, &a);
    }
    }
}

/* ---- sub-programs ---- */

static void grow(Gen *g, int steps);

/* A body with the given inputs whose results have the given types; symbol N is the enclosing one's. */
static Sub body_of(Gen *g, const char *name, const Val *in, const bool *row, uint32_t nin, bool counter, const Type *out, uint32_t nout)
{
    Builder *outer = g->b;
    Gen s = {.b = builder_new(outer->cx, name, B_OPTIMISE), .rng = g->rng, .depth = g->depth + 1};
    Val results[8];
    Dim binds[4] = {0};
    uint32_t nsym = outer->dims.syms.n;

    s.sym = nsym ? b_symbol(s.b, outer->dims.syms.v[0].name) : 2;
    if (counter)
        b_input(s.b, "i", b_make_type(s.b, WF_I64, NULL, 0));
    for (uint32_t i = 0; i < nin; i++) {
        Type t = b_type(outer, in[i]);
        uint32_t cut = row && row[i] ? 1 : 0;
        Dim dims[MAX_RANK];
        for (uint32_t k = cut; k < t.rank; k++)
            dims[k - cut] = dim_subst(&s.b->dims, &outer->dims, t.dims[k], &s.sym);
        keep(&s, b_input(s.b, NULL, b_make_type(s.b, (wf_dtype)t.dtype, dims, t.rank - cut)));
    }
    grow(&s, 2 + pick(g, 5));
    for (uint32_t j = 0; j < nout; j++) {
        Dim dims[MAX_RANK];
        for (uint32_t k = 0; k < out[j].rank; k++)
            dims[k] = dim_subst(&s.b->dims, &outer->dims, out[j].dims[k], &s.sym);
        results[counter ? j + 1 : j] = b_tanh(s.b, fitted(&s, any_float(&s, 0), dims, out[j].rank));
    }
    if (counter)
        results[0] = b_add(s.b, s.b->inputs.v[0], b_int(s.b, WF_I64, 1));
    const Program *p = builder_finish(s.b, results, counter ? nout + 1 : nout);
    if (!p || !p->dims.syms.n)
        return (Sub){p, {0, NULL}};
    binds[0] = outer->dims.syms.v[0].dim;
    return (Sub){p, {1, arena_dup(&outer->arena, binds, sizeof binds[0])}};
}

static Val call_step(Gen *g)
{
    Val in[2] = {any_float(g, 0), any_float(g, 0)};
    Type out = b_type(g->b, in[0]);
    Sub body = body_of(g, "callee", in, NULL, 2, false, &out, 1);

    if (!body.p)
        return VAL_NONE;
    if (pick(g, 2))
        return b_eqn1(g->b, OP_checkpoint, in, 2, &(CheckpointAttr){.body = body, .policy = pick(g, 2)});
    return b_eqn1(g->b, OP_call, in, 2, &(CallAttr){body});
}

static Val cond_step(Gen *g)
{
    Builder *b = g->b;
    Val x[2] = {any_float(g, 0), any_float(g, 0)};
    Val pred = b_gt(b, b_sum_all(b, any_float(g, 0)), b_scalar(b, WF_F64, 0.1));
    Type out = b_type(b, x[0]);
    Sub branches[3];
    int n = pick(g, 2) ? 3 : 2;

    for (int i = 0; i < n; i++)
        branches[i] = body_of(g, "branch", x, NULL, 2, false, &out, 1);
    if (b_failed(b))
        return VAL_NONE;
    Val index = n == 2 ? pred : b_add(b, b_cast(b, pred, WF_I32), b_int(b, WF_I32, pick(g, 2)));
    return b_eqn1(b, OP_cond, (Val[]){index, x[0], x[1]}, 3, &(CondAttr){{(uint32_t)n, branches}});
}

static Val scan_step(Gen *g)
{
    Builder *b = g->b;
    Val c = any_float(g, 0), x = any_float(g, 0), s = any_float(g, 1), out[2];

    if (s == VAL_NONE)
        return VAL_NONE;
    Val in[3] = {c, x, s};
    Type types[2] = {b_type(b, x), b_type(b, x)};
    ScanAttr a = {.body = body_of(g, "step", in, (bool[]){false, false, true}, 3, false, types, 2),
                  .nconst = 1, .ncarry = 1, .length = b_dim(b, s, 0), .reverse = pick(g, 2), .checkpoint = pick(g, 4) == 0};
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
    Val c = any_float(g, 0), x = any_float(g, 0), out[2], params[2] = {x, c};
    Type tx = b_type(b, x);
    Val n = b_cast(b, b_abs(b, b_mul(b, b_tanh(b, b_sum_all(b, c)), b_scalar(b, WF_F64, 4.5))), WF_I64);
    Sub body = body_of(g, "turn", params, NULL, 2, true, &tx, 1);

    if (b_failed(b))
        return VAL_NONE;
    /* the body takes (i, x, c); as a loop body its constant c comes first */
    Builder *w = builder_new(b->cx, "turn", B_OPTIMISE);
    Copier cp;
    copier_init(&cp, w, body.p, NULL, NULL);
    Val wc = b_input(w, NULL, copier_type(&cp, val_type(body.p, 3))), wi = b_input(w, NULL, copier_type(&cp, val_type(body.p, 1))),
        wx = b_input(w, NULL, copier_type(&cp, val_type(body.p, 2))), res[2];
    b_inline(w, body.p, cp.sym, (Val[]){wi, wx, wc}, res, NULL);
    const Program *turn = builder_finish(w, res, 2);
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
    WhileAttr a = {.cond = {.p = cond}, .body = sub_like(b, &body, turn), .ncond = 1, .nbody = 1,
                   .bound = pick(g, 2) ? 5 : DIM_NONE, .trips = DIM_NONE};
    Dim outer_n = b->dims.syms.n ? b->dims.syms.v[0].dim : DIM_NONE;
    if (cond->dims.syms.n)
        a.cond.binds = (Ints){1, &outer_n};
    b_eqn(b, OP_while, (Val[]){n, c, b_int(b, WF_I64, 0), x}, 4, &a, out, 2);
    return out[1];
}

static Val step(Gen *g)
{
    int r = pick(g, g->depth < 2 ? 32 : 26);

    switch (r) {
    case 0: case 1: case 2: case 3: case 4: case 5: return unary(g);
    case 6: case 7: case 8: case 9: case 10: case 11: return binary(g);
    case 12: case 13: return choose(g);
    case 14: case 15: case 16: case 17: case 18: return shape_step(g);
    case 19: case 20: return reduce_step(g);
    case 21: case 22: case 23: return dot_step(g);
    case 24: case 25: return index_step(g);
    case 26: return call_step(g);
    case 27: case 28: return cond_step(g);
    case 29: case 30: return scan_step(g);
    default: return while_step(g);
    }
}

static bool is_small(Gen *g, Val v) /* constant part of the size at most 64 */
{
    Type t = b_type(g->b, v);
    int64_t n = 1;

    for (uint32_t k = 0; k < t.rank; k++)
        n *= t.dims[k] >= 0 ? t.dims[k] : dim_node(&g->b->dims, t.dims[k])->kind == DIM_SYM ? 3 : 8;
    return n <= 64 && t.rank <= 3;
}

static void grow(Gen *g, int steps)
{
    for (int i = 0; i < steps && !b_failed(g->b); i++) {
        Val v = step(g);
        if (v != VAL_NONE && is_small(g, v))
            keep(g, pick(g, 3) ? v : b_tanh(g->b, v));
    }
}

const Program *random_program(wf_ctx *cx, Rng *rng, int size)
{
    Gen g = {.b = builder_new(cx, "f", B_OPTIMISE), .rng = rng};
    int nin = 1 + pick(&g, 3);
    Val sum = VAL_NONE, outs[2];

    g.sym = pick(&g, 3) ? (Dim)(1 + pick(&g, 3)) : b_symbol(g.b, "N");
    for (int i = 0; i < nin; i++) {
        Dim dims[3];
        uint32_t rank = (uint32_t)pick(&g, 3);
        for (uint32_t k = 0; k < rank; k++)
            dims[k] = pick(&g, 3) ? (Dim)(1 + pick(&g, 3)) : g.sym;
        if (i == 0 && g.sym < 0) { /* the symbol must be bare somewhere */
            rank = 1;
            dims[0] = g.sym;
        }
        keep(&g, b_input(g.b, NULL, b_make_type(g.b, WF_F64, dims, rank)));
    }
    grow(&g, size);
    for (int i = 0; i < 4; i++) {
        Val v = b_tanh(g.b, b_sum_all(g.b, i == 0 ? g.pool.v[g.pool.n - 1] : any_float(&g, 0)));
        sum = sum ? b_add(g.b, sum, v) : v;
    }
    outs[0] = sum;
    outs[1] = any_float(&g, 0);
    return builder_finish(g.b, outs, 2);
}

/* ---- laws ---- */

static Case case_of(wf_ctx *cx, const Program *p, uint64_t seed)
{
    Case c = {.p = p};
    Rng rng = {seed};

    c.in = arena_zalloc(&cx->scratch, (p->nin + 1) * sizeof *c.in);
    c.sizes = arena_array(&cx->scratch, p->dims.syms.n + 1, sizeof *c.sizes);
    for (uint32_t i = 0; i < p->dims.syms.n; i++)
        c.sizes[i] = p->dims.syms.v[i].origin == SYM_EQN ? -1 : rng_int(&rng, 1, 3);
    return c;
}

#define TRY(expr, law)                                                                           \
    do {                                                                                         \
        const char *why_ = (expr);                                                               \
        if (why_)                                                                                \
            return arena_printf(&cx->scratch, law ": %s", why_);                                 \
    } while (0)
#define GO(cond)                                                                                 \
    if (!(cond))                                                                                 \
    return failed(cx) ? arena_strdup(&cx->scratch, wf_ctx_message(cx)) : #cond

static Nd *run(wf_ctx *cx, const Program *p, const Nd *in)
{
    Nd *out = arena_zalloc(&cx->scratch, (p->nout + 1) * sizeof *out);
    return eval_program(cx, p, in, out, &cx->scratch) ? out : NULL;
}

static const char *law_jacobians(wf_ctx *cx, const Program *p, const Nd *in)
{
    const Program *f = xf_jacfwd(cx, p, (int[]){0}, 1), *r = xf_jacrev(cx, p, (int[]){0}, 1);
    Nd *a, *b;

    GO(f && r && (a = run(cx, f, in)) && (b = run(cx, r, in)));
    for (uint32_t j = 0; j < f->nout; j++)
        TRY(nd_differ(cx, &a[j], &b[j], 1e-9), "jacfwd = jacrev");
    return NULL;
}

static const char *law_hessian(wf_ctx *cx, const Program *p, const Nd *in, Rng *rng)
{
    const Program *s = xf_select(cx, p, (uint32_t[]){0}, 1);
    const Program *h = s ? xf_hessian(cx, s, (int[]){0}, 1) : NULL, *v = s ? xf_hvp(cx, s, (int[]){0}, 1) : NULL;
    Nd *args = arena_array(&cx->scratch, p->nin + 1, sizeof *args), *hess, *hv, want;
    int64_t n = in[0].count;

    memcpy(args, in, p->nin * sizeof *args);
    args[p->nin] = nd_copy(cx, &in[0]);
    for (int64_t i = 0; i < n; i++)
        nd_set(&args[p->nin], i, rng_unit(rng) - 0.5);
    GO(h && v && (hess = run(cx, h, in)) && (hv = run(cx, v, args)));
    want = nd_new(cx, WF_F64, in[0].dims, in[0].rank);
    for (int64_t i = 0; i < n; i++) {
        double sum = 0;
        for (int64_t k = 0; k < n; k++)
            sum += nd_get(hess, i * n + k) * nd_get(&args[p->nin], k);
        nd_set(&want, i, sum);
    }
    TRY(nd_differ(cx, hv, &want, 1e-8), "hvp = hessian v");
    return NULL;
}

/* vmap(grad f) and grad(sum of vmap f) over a batch of two */
static const char *law_commute(wf_ctx *cx, const Case *c, Rng *rng)
{
    const Program *s = xf_select(cx, c->p, (uint32_t[]){0}, 1), *vg, *vf, *gv;
    uint32_t nin = c->p->nin;
    int *axes = arena_zalloc(&cx->scratch, (nin + 1) * sizeof *axes);
    Nd *a = case_inputs(cx, c, rng), *b = case_inputs(cx, c, rng), *in, *x, *y;

    GO(s && (vg = xf_grad(cx, s, (int[]){0}, 1, false)) && (vg = xf_vmap(cx, vg, axes, NULL, 2)) &&
       (vf = xf_vmap(cx, s, axes, NULL, 2)));
    Builder *w = builder_new(cx, "total", B_OPTIMISE);
    Copier cp;
    Val out, total;
    copier_init(&cp, w, vf, NULL, NULL);
    copier_inputs(&cp);
    GO(b_inline(w, vf, cp.sym, w->inputs.v, &out, NULL));
    total = b_sum_all(w, out);
    GO((gv = builder_finish(w, &total, 1)) && (gv = xf_grad(cx, gv, (int[]){0}, 1, false)));
    in = arena_array(&cx->scratch, nin, sizeof *in);
    for (uint32_t i = 0; i < nin; i++) {
        int64_t dims[MAX_RANK + 1] = {2};
        size_t bytes = (size_t)a[i].count * wf_dtype_size(a[i].dtype);
        memcpy(dims + 1, a[i].dims, a[i].rank * sizeof *dims);
        in[i] = nd_new(cx, a[i].dtype, dims, a[i].rank + 1);
        if (bytes) {
            memcpy(in[i].data, a[i].data, bytes);
            memcpy((char *)in[i].data + bytes, b[i].data, bytes);
        }
    }
    GO((x = run(cx, vg, in)) && (y = run(cx, gv, in)));
    TRY(nd_differ(cx, x, y, 1e-9), "vmap and grad commute");
    return NULL;
}

static const char *law_partition(wf_ctx *cx, const Case *c, const Nd *in, Rng *rng)
{
    const Program *p = c->p;
    bool *known = arena_zalloc(&cx->scratch, p->nin + 1);
    Nd *kin = arena_array(&cx->scratch, p->nin + 1, sizeof *kin), *kout, *rout = NULL, *want;
    Split s;
    uint32_t nk = 0, at = 0, ro = 0, ko = 0;

    for (uint32_t i = 0; i < p->nin; i++)
        if ((known[i] = rng_next(rng) % 2))
            kin[nk++] = in[i];
    GO(xf_partition(cx, p, known, NULL, &s));
    TRY(check_text(cx, s.known), "known part");
    TRY(check_text(cx, s.rest), "rest");
    for (uint32_t i = 0; i < p->dims.syms.n; i++) /* neither part need show N bare */
        if (!strcmp(p->dims.syms.v[i].name, "N"))
            GO((s.known = program_specialise(cx, s.known, (const char *[]){"N"}, &c->sizes[i], 1)) &&
               (s.rest = program_specialise(cx, s.rest, (const char *[]){"N"}, &c->sizes[i], 1)));
    GO((kout = run(cx, s.known, kin)) && (want = run(cx, p, in)));
    Nd *rin = arena_array(&cx->scratch, s.rest->nin + 1, sizeof *rin);
    for (uint32_t k = 0; k < s.nres; k++)
        rin[at++] = kout[s.known->nout - s.nres + k];
    for (uint32_t i = 0; i < p->nin; i++)
        if (!known[i])
            rin[at++] = in[i];
    if (at != s.rest->nin)
        return "partition: rest takes another number of inputs";
    GO((rout = run(cx, s.rest, rin)));
    for (uint32_t j = 0; j < p->nout; j++)
        TRY(nd_differ(cx, s.out_known[j] ? &kout[ko++] : &rout[ro++], &want[j], 1e-12), "partition, then merge");
    return NULL;
}

static const char *law_split(wf_ctx *cx, const Program *p, const Nd *in, Rng *rng)
{
    const Program *fwd, *bwd, *vjp;
    Nd *args, *y, *gx, *want;
    uint32_t na = p->nin, nsaved;

    GO(xf_split(cx, p, (int[]){0}, 1, &fwd, &bwd) && (vjp = xf_vjp(cx, p, (int[]){0}, 1)));
    GO((y = run(cx, fwd, in)));
    args = arena_array(&cx->scratch, p->nin + p->nout, sizeof *args);
    memcpy(args, in, p->nin * sizeof *args);
    for (uint32_t j = 0; j < p->nout; j++) {
        args[na] = nd_copy(cx, &y[j]);
        for (int64_t i = 0; i < args[na].count; i++)
            nd_set(&args[na], i, rng_unit(rng) - 0.5);
        na++;
    }
    nsaved = fwd->nout - p->nout;
    Nd *bin = arena_array(&cx->scratch, bwd->nin + p->nout, sizeof *bin);
    memcpy(bin, y + p->nout, nsaved * sizeof *bin);
    memcpy(bin + nsaved, args + p->nin, p->nout * sizeof *bin);
    GO((want = run(cx, vjp, args)) && (gx = run(cx, bwd, bin)));
    TRY(nd_differ(cx, gx, &want[p->nout], 1e-10), "split = vjp");
    return NULL;
}

static const char *law_specialise(wf_ctx *cx, const Case *c, const Nd *in)
{
    const char *name = "N";
    Nd *a, *b;
    const Program *q;

    for (uint32_t i = 0; i < c->p->dims.syms.n; i++)
        if (!strcmp(c->p->dims.syms.v[i].name, "N")) {
            GO((q = program_specialise(cx, c->p, &name, &c->sizes[i], 1)) && (a = run(cx, c->p, in)) && (b = run(cx, q, in)));
            for (uint32_t j = 0; j < q->nout; j++)
                TRY(nd_differ(cx, &b[j], &a[j], 1e-12), "symbolic = concrete");
        }
    return NULL;
}

const char *check_laws(wf_ctx *cx, const Program *p, uint64_t seed)
{
    Case c = case_of(cx, p, seed);
    Rng rng = {seed ^ 0xabcdef};
    Nd *in = case_inputs(cx, &c, &rng);

    TRY(check_text(cx, p), "text");
    TRY(check_jvp(cx, p, in, &rng), "jvp");
    TRY(check_vjp(cx, p, in, &rng), "vjp");
    TRY(check_second(cx, p, in, &rng), "grad of grad");
    TRY(check_vmap(cx, &c, &rng), "vmap");
    if (in[0].count <= 16) {
        TRY(law_jacobians(cx, p, in), "jacobians");
        TRY(law_hessian(cx, p, in, &rng), "hessian");
    }
    TRY(law_commute(cx, &c, &rng), "commute");
    TRY(law_partition(cx, &c, in, &rng), "partition");
    TRY(law_split(cx, p, in, &rng), "split");
    TRY(law_specialise(cx, &c, in), "specialise");
    return NULL;
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
    return builder_finish(b, outs, p->nout);
}

const Program *shrink_program(wf_ctx *cx, const Program *p, uint64_t seed,
                              const char *(*check)(wf_ctx *cx, const Program *p, uint64_t seed))
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
