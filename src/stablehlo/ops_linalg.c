/* ops_linalg.c -- matrix decompositions, calls of libraries that JAX makes on CPU, random bits.
 *
 * LAPACK's routines by name: what JAX calls for cholesky, solve, lu, qr, eigh and svd of f32 and f64. Packed reflectors (geqrf, orgqr)
 * are made by the loops that define them.
 */
#include "stablehlo/stablehlo.h"

static Val swap_last(Hlo *h, Val x)
{
    Builder *b = h->s->b;
    int64_t perm[MAX_RANK];
    uint32_t n = b_rank(b, x);

    for (uint32_t i = 0; i < n; i++)
        perm[i] = i + 2 < n ? i : i + 2 == n ? n - 1 : n - 2;
    return b_transpose(b, x, perm);
}

static bool is_matrix(Hlo *h, Val x)
{
    wf_dtype t = b_dtype(h->s->b, x);

    return (b_rank(h->s->b, x) >= 2 && (t == WF_F32 || t == WF_F64)) ||
           hlo_op_fail(h, WF_ERR_UNSUPPORTED, "needs matrices of f32 or f64");
}

static Val lower_cholesky(Hlo *h, Val x, bool lower)
{
    Val l = b_eqn1(h->s->b, OP_cholesky, (Val[]){lower ? x : swap_last(h, x)}, 1, NULL);

    return lower ? l : swap_last(h, l);
}

bool hlo_cholesky(Hlo *h, const HloRule *r)
{
    Val x = hlo_in(h, 0);

    (void)r;
    return !failed(h->cx) && is_matrix(h, x) && hlo_out(h, lower_cholesky(h, x, hlo_is_true(h, "lower")));
}

bool hlo_triangular_solve(Hlo *h, const HloRule *r)
{
    const char *trans = hlo_text(h, "transpose_a");
    Val in[2] = {hlo_in(h, 0), hlo_in(h, 1)};

    (void)r;
    return !failed(h->cx) && is_matrix(h, in[0]) &&
           hlo_out(h, b_eqn1(h->s->b, OP_triangular_solve, in, 2,
                             &(SolveAttr){hlo_is_true(h, "left_side"), hlo_is_true(h, "lower"), !strcmp(trans, "TRANSPOSE") || !strcmp(trans, "ADJOINT"),
                                          hlo_is_true(h, "unit_diagonal")}));
}

/* ---- LAPACK ------------------------------------------------------------------------------------------------------------------- */

static int64_t letter(Hlo *h, const char *key)
{
    const HloAttr *a = hlo_field(hlo_get(h, "mhlo.backend_config"), key);

    return a && a->kind == HLO_INT ? a->i : 0;
}

/* info of a factorisation: 0, for each matrix; of a cholesky 1 where there is none */
static Val info_of(Hlo *h, Val x, bool may_fail)
{
    Builder *b = h->s->b;
    uint32_t n = b_rank(b, x);
    Dim zero[MAX_RANK] = {0}, limit[MAX_RANK];
    Type t = b_type(b, x);
    Val corner;

    if (!may_fail || !t.dims[n - 1])
        return b_zeros(b, b_make_type(b, WF_I32, t.dims, n - 2u));
    for (uint32_t i = 0; i < n; i++)
        limit[i] = i + 2 < n ? t.dims[i] : 1;
    corner = b_reshape(b, b_slice(b, x, zero, limit, NULL), t.dims, n - 2);
    return b_cast(b, b_ne(b, corner, corner), WF_I32);
}

static bool potrf(Hlo *h)
{
    Val x = hlo_in(h, 0), out[2];

    if (failed(h->cx) || !is_matrix(h, x))
        return false;
    out[0] = lower_cholesky(h, x, letter(h, "uplo") == 'L');
    out[1] = failed(h->cx) ? VAL_NONE : info_of(h, out[0], true);
    return hlo_outs(h, out, 2);
}

static bool getrf(Hlo *h)
{
    Builder *b = h->s->b;
    Val x = hlo_in(h, 0), out[3];

    if (failed(h->cx) || !is_matrix(h, x) || !b_eqn(b, OP_lu, &x, 1, NULL, out, 3))
        return false;
    out[1] = b_add(b, out[1], hlo_like(h, out[1], 1));
    out[2] = info_of(h, x, false);
    return hlo_outs(h, out, 3);
}

static bool trsm(Hlo *h)
{
    Val in[2] = {hlo_in(h, 0), hlo_in(h, 1)};
    SolveAttr a = {letter(h, "side") == 'L', letter(h, "uplo") == 'L', letter(h, "trans_x") != 'N', letter(h, "diag") == 'U'};

    return !failed(h->cx) && is_matrix(h, in[0]) && hlo_out(h, b_eqn1(h->s->b, OP_triangular_solve, in, 2, &a));
}

static bool syevd(Hlo *h)
{
    Builder *b = h->s->b;
    Val x = hlo_in(h, 0), w[2], out[3];

    if (failed(h->cx) || !is_matrix(h, x))
        return false;
    x = letter(h, "uplo") == 'L' ? x : swap_last(h, x);
    if (!b_eqn(b, OP_eigh, &x, 1, NULL, w, 2))
        return false;
    out[0] = letter(h, "mode") == 'N' ? x : w[1];
    out[1] = w[0];
    out[2] = info_of(h, x, false);
    return hlo_outs(h, out, 3);
}

/* The columns v [.., n, k] and n - k more, orthogonal to them. */
static Val completed(Hlo *h, Val v)
{
    Builder *b = h->s->b;
    uint32_t last = b_rank(b, v) - 1;
    Dim n = b_dim(b, v, last - 1), k = b_dim(b, v, last);
    Val qr[2];

    if (n == k)
        return v;
    if (!b_eqn(b, OP_qr, &v, 1, &(QrAttr){true}, qr, 2))
        return VAL_NONE;
    return b_concat(b, (Val[]){v, b_slice_axis(b, qr[0], last, k, n)}, 2, last);
}

static bool gesdd(Hlo *h)
{
    Builder *b = h->s->b;
    Val x = hlo_in(h, 0), usv[3], out[5];

    if (failed(h->cx) || !is_matrix(h, x) || !b_eqn(b, OP_svd, &x, 1, NULL, usv, 3))
        return false;
    out[0] = x;
    out[1] = usv[1];
    out[2] = usv[0];
    out[3] = usv[2];
    if (letter(h, "mode") != 'S') { /* all columns; of mode N, where nobody reads them, too */
        out[2] = completed(h, usv[0]);
        out[3] = swap_last(h, completed(h, swap_last(h, usv[2])));
    }
    out[4] = info_of(h, x, false);
    return !failed(h->cx) && hlo_outs(h, out, 5);
}

/* ---- reflectors: geqrf, orgqr ----------------------------------------------------------------------------------------------------- */

typedef struct Matrix { /* the body of a loop over columns i of a [m, n] */
    Builder *b;
    Dim m, n;
    wf_dtype t;
    Val i, rows; /* 0 .. m-1 */
} Matrix;

static Val number(Matrix *x, Val like, double v) { return b_full_like(x->b, like, v); }

static Val column(Matrix *x, Val a) { return b_reshape(x->b, b_dynamic_slice(x->b, a, (Val[]){b_int(x->b, WF_I32, 0), x->i}, (Dim[]){x->m, 1}), &x->m, 1); }

/* Where rows compare so to i. */
static Val where_rows(Matrix *x, OpCode op) { return b_eqn1(x->b, op, (Val[]){x->rows, b_broadcast_scalar(x->b, x->i, &x->m, 1)}, 2, NULL); }

static Val only(Matrix *x, OpCode op, Val v) { Val zero = number(x, v, 0);

return b_select(x->b, where_rows(x, op), v, zero); }

/* a - tau v (vᵀ a) */
static Val reflect(Matrix *x, Val a, Val v, Val tau)
{
    Builder *b = x->b;
    Val p = b_dot(b, v, a, &(DotAttr){.lhs = INTS(1, 0), .rhs = INTS(1, 0), .acc = (int32_t)x->t});
    Val vt = b_mul(b, v, b_broadcast_scalar(b, tau, &x->m, 1)), shape = a;
    Val spread = b_broadcast(b, p, (Dim[]){x->m, x->n}, 2, (int64_t[]){1});

    return b_sub(b, shape, b_mul(b, b_broadcast(b, vt, (Dim[]){x->m, x->n}, 2, (int64_t[]){0}), spread));
}

static void matrix_init(Hlo *h, Matrix *x, wf_dtype t, Dim m, Dim n)
{
    *x = (Matrix){.b = builder_new(h->cx, "reflect", B_OPTIMISE), .m = m, .n = n, .t = t};
    x->rows = b_iota(x->b, WF_I32, &m, 1, 0);
}

/* One column: (i, a, taus) -> (i + 1, a, taus). As LAPACK's larfg:
 *   beta = -sign(alpha) |column from i|, tau = (beta - alpha)/beta, v = column/(alpha - beta) below i, 1 at i; nothing below: tau 0 */
static const Program *geqrf_step(Hlo *h, wf_dtype t, Dim m, Dim n, Dim k)
{
    Matrix x;
    Val a, came, taus, c, alpha, below, none, size, beta, tau, v, col, cols, at, rest, sum, negative, ratio;
    Builder *b;
    Val difference;
    Val where_only;
    Val others;
    Val below_it;
    Val reflected;
    Val spread;

    matrix_init(h, &x, t, m, n);
    b = x.b;
    x.i = b_input(b, NULL, b_make_type(b, WF_I32, NULL, 0));
    came = b_input(b, NULL, b_make_type(b, t, (Dim[]){m, n}, 2));
    taus = b_input(b, NULL, b_make_type(b, t, &k, 1));
    c = column(&x, came);
    alpha = b_sum_all(b, only(&x, OP_eq, c));
    below = b_sum_all(b, only(&x, OP_gt, b_mul(b, c, c)));
    none = b_eq(b, below, number(&x, below, 0));
    sum = b_add(b, below, b_mul(b, alpha, alpha));
    size = b_sqrt(b, b_select(b, none, number(&x, below, 1), sum));
    negative = b_neg(b, size);
    beta = b_select(b, b_lt(b, alpha, number(&x, alpha, 0)), size, negative);
    ratio = b_div(b, b_sub(b, beta, alpha), beta);
    tau = b_select(b, none, number(&x, alpha, 0), ratio);
    difference = b_sub(b, alpha, beta);
    v = b_div(b, c, b_broadcast_scalar(b, b_select(b, none, number(&x, alpha, 1), difference), &m, 1));
    where_only = only(&x, OP_eq, number(&x, v, 1));
    v = b_add(b, only(&x, OP_gt, v), where_only);
    beta = b_select(b, none, alpha, beta);
    below_it = only(&x, OP_eq, b_broadcast_scalar(b, beta, &m, 1));
    others = b_add(b, only(&x, OP_gt, v), below_it);
    col = b_add(b, only(&x, OP_lt, c), others);
    cols = b_iota(b, WF_I32, (Dim[]){m, n}, 2, 1);
    at = b_broadcast_scalar(b, x.i, (Dim[]){m, n}, 2);
    reflected = reflect(&x, came, v, tau);
    rest = b_select(b, b_lt(b, cols, at), came, reflected); /* columns before i keep their reflectors */
    spread = b_broadcast(b, col, (Dim[]){m, n}, 2, (int64_t[]){0});
    a = b_select(b, b_eq(b, cols, at), spread, rest);
    taus = b_dynamic_update_slice(b, taus, b_reshape(b, tau, (Dim[]){1}, 1), &x.i);
    return builder_finish(b, (Val[]){b_add(b, x.i, b_int(b, WF_I32, 1)), a, taus}, 3);
}

/* One reflector, from the last to the first: (a, taus; i, q) -> (i - 1, q) */
static const Program *orgqr_step(Hlo *h, wf_dtype t, Dim m, Dim n, Dim k)
{
    Matrix x;
    Val a, taus, q, c, v, tau, where_only;
    Builder *b;

    matrix_init(h, &x, t, m, n);
    b = x.b;
    a = b_input(b, NULL, b_make_type(b, t, (Dim[]){m, n}, 2));
    taus = b_input(b, NULL, b_make_type(b, t, &k, 1));
    x.i = b_input(b, NULL, b_make_type(b, WF_I32, NULL, 0));
    q = b_input(b, NULL, b_make_type(b, t, (Dim[]){m, n}, 2));
    c = column(&x, a);
    where_only = only(&x, OP_eq, number(&x, c, 1));
    v = b_add(b, only(&x, OP_gt, c), where_only);
    tau = b_reshape(b, b_dynamic_slice(b, taus, &x.i, (Dim[]){1}), NULL, 0);
    q = reflect(&x, q, v, tau);
    return builder_finish(b, (Val[]){b_sub(b, x.i, b_int(b, WF_I32, 1)), q}, 2);
}

/* A program of one matrix (and of what goes with it) on those of the leading axes of in[0]. Each has `ranks[i]` axes alone. */
static bool for_each_matrix(Hlo *h, const Program *p, const Val *in, uint32_t n, Val *out)
{
    Builder *b = h->s->b;
    Type t = b_type(b, in[0]);
    uint32_t lead = t.rank - 2u;
    Dim dims[MAX_RANK], batch = 1;
    Val flat[4], got[4];
    int axis[4] = {0}, out_axis[4] = {0};
    bool want[4] = {true, true, true, true};
    Dim lead_dims[MAX_RANK];

    if (!lead)
        return hlo_call(h, p, in, n, out, p->nout);
    for (uint32_t i = 0; i < lead; i++)
        batch *= lead_dims[i] = t.dims[i];
    for (uint32_t i = 0; i < n; i++) {
        Type x = b_type(b, in[i]);

        if (x.rank < lead || (dims[0] = batch, memcpy(dims + 1, x.dims + lead, (x.rank - lead) * sizeof *dims), false))
            return hlo_op_fail(h, WF_ERR_FORMAT, "operands of other ranks");
        flat[i] = b_reshape(b, in[i], dims, x.rank - lead + 1);
    }
    if (failed(h->cx) || !(p = xf_batch(h->cx, p, batch, NULL, NULL, axis, want, out_axis)) || !hlo_call(h, p, flat, n, got, p->nout))
        return false;
    for (uint32_t i = 0; i < p->nout; i++) {
        Type y = b_type(b, got[i]);

        memcpy(dims, lead_dims, lead * sizeof *dims);
        memcpy(dims + lead, y.dims + 1, (y.rank - 1u) * sizeof *dims);
        out[i] = b_reshape(b, got[i], dims, lead + y.rank - 1u);
    }
    return !failed(h->cx);
}

static bool geqrf(Hlo *h)
{
    Val x = hlo_in(h, 0), out[2], *all;
    Builder *b;
    uint32_t got;
    Dim m, n, k;
    wf_dtype t;
    ScanAttr s = {.ncarry = 3};
    const Program *p;

    if (failed(h->cx) || !is_matrix(h, x))
        return false;
    t = b_dtype(h->s->b, x);
    m = b_dim(h->s->b, x, b_rank(h->s->b, x) - 2);
    n = b_dim(h->s->b, x, b_rank(h->s->b, x) - 1);
    k = m < n ? m : n;
    s.length = k;
    if (!(s.body.p = geqrf_step(h, t, m, n, k)))
        return false;
    b = builder_new(h->cx, "geqrf", B_OPTIMISE);
    Val a = b_input(b, NULL, b_make_type(b, t, (Dim[]){m, n}, 2));
    all = b_eqn_n(b, OP_scan, (Val[]){b_int(b, WF_I32, 0), a, b_zeros(b, b_make_type(b, t, &k, 1))}, 3, &s, &got);
    if (!all || !(p = builder_finish(b, all + 1, 2)) || !for_each_matrix(h, p, &x, 1, out))
        return false;
    return hlo_outs(h, out, 2);
}

static bool orgqr(Hlo *h)
{
    Val in[2] = {hlo_in(h, 0), hlo_in(h, 1)}, out[1], *all;
    Builder *b;
    uint32_t got;
    Dim m, n, k;
    wf_dtype t;
    ScanAttr s = {.nconst = 2, .ncarry = 2};
    const Program *p;

    if (failed(h->cx) || !is_matrix(h, in[0]))
        return false;
    t = b_dtype(h->s->b, in[0]);
    m = b_dim(h->s->b, in[0], b_rank(h->s->b, in[0]) - 2);
    n = b_dim(h->s->b, in[0], b_rank(h->s->b, in[0]) - 1);
    k = b_rank(h->s->b, in[1]) ? b_dim(h->s->b, in[1], b_rank(h->s->b, in[1]) - 1) : -1;
    if (k < 0 || k > n || n > m || b_rank(h->s->b, in[1]) + 1 != b_rank(h->s->b, in[0]))
        return hlo_op_fail(h, WF_ERR_FORMAT, "reflectors that do not fit");
    s.length = k;
    if (!(s.body.p = orgqr_step(h, t, m, n, k)))
        return false;
    b = builder_new(h->cx, "orgqr", B_OPTIMISE);
    Val a = b_input(b, NULL, b_make_type(b, t, (Dim[]){m, n}, 2)), taus = b_input(b, NULL, b_make_type(b, t, &k, 1));
    Val places = b_iota(b, WF_I32, (Dim[]){m, n}, 2, 1);
    Val eye = b_eq(b, b_iota(b, WF_I32, (Dim[]){m, n}, 2, 0), places);
    all = b_eqn_n(b, OP_scan, (Val[]){a, taus, b_int(b, WF_I32, k - 1), b_cast(b, eye, t)}, 4, &s, &got);
    if (!all || !(p = builder_finish(b, all + 1, 1)) || !for_each_matrix(h, p, in, 2, out))
        return false;
    return hlo_out(h, out[0]);
}

/* ---- calls ---------------------------------------------------------------------------------------------------------------------- */

static bool topk_call(Hlo *h)
{
    const HloAttr *attrs = hlo_get(h, "mhlo.attributes"), *k = hlo_field(attrs, "k"), *largest = hlo_field(attrs, "largest");
    Val x = hlo_in(h, 0), out[2];

    if (failed(h->cx) || !k || k->kind != HLO_INT || !b_rank(h->s->b, x))
        return failed(h->cx) ? false : hlo_op_fail(h, WF_ERR_FORMAT, "no k");
    if (!b_eqn(h->s->b, OP_top_k, &x, 1, &(TopAttr){b_rank(h->s->b, x) - 1, k->i, !(largest && largest->kind == HLO_WORD && !strcmp(largest->text, "false"))},
               out, 2))
        return false;
    out[1] = b_cast(h->s->b, out[1], WF_I32);
    return hlo_outs(h, out, 2);
}

static bool same(Hlo *h)
{
    uint32_t n = h->op->in.n;
    Val *v = arena_array(h->t->a, n, sizeof *v);

    for (uint32_t i = 0; i < n; i++)
        v[i] = hlo_in(h, i);
    return hlo_outs(h, v, n);
}

static const struct {
    const char *name; /* @: s or d */
    bool (*build)(Hlo *h);
    uint32_t nin;
} calls[] = {
    {"lapack_@potrf_ffi", potrf, 1}, {"lapack_@getrf_ffi", getrf, 1}, {"lapack_@trsm_ffi", trsm, 2}, {"lapack_@syevd_ffi", syevd, 1},
    {"lapack_@gesdd_ffi", gesdd, 1}, {"lapack_@geqrf_ffi", geqrf, 1}, {"lapack_@orgqr_ffi", orgqr, 2}, {"mhlo.topk", topk_call, 1},
    {"Sharding", same, 1}, {"SPMDFullToShardShape", same, 1}, {"SPMDShardToFullShape", same, 1}, {"annotate_device_placement", same, 1},
    {"LayoutConstraint", same, 1}, {"xla.sdy.FuncResultSharding", same, 1},
};

static bool is_called(const char *pattern, const char *name)
{
    for (; *pattern && *name; pattern++, name++)
        if (*pattern != *name && !(*pattern == '@' && (*name == 's' || *name == 'd')))
            return false;
    return !*pattern && !*name;
}

bool hlo_custom_call(Hlo *h, const HloRule *r)
{
    const char *name = h->op->symbol ? h->op->symbol : hlo_text(h, "call_target_name");

    (void)r;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (is_called(calls[i].name, name)) {
            if (h->op->in.n != calls[i].nin)
                return hlo_op_fail(h, WF_ERR_FORMAT, "%.60s has %u operands, needs %u", name, h->op->in.n, calls[i].nin);
            return calls[i].build(h);
        }
    return hlo_op_fail(h, WF_ERR_UNSUPPORTED, "the function '%.60s' is not one that is known", name);
}

/* ---- random bits ------------------------------------------------------------------------------------------------------------------ */

bool hlo_rng(Hlo *h, const HloRule *r)
{
    (void)r;
    return hlo_op_fail(h, WF_ERR_UNSUPPORTED, "bits of a generator of the device: use the threefry keys, JAX's own");
}
