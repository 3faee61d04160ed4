/* op_spectral.c -- qr, eigh, svd: orthogonal factors of the last two axes.
 *
 * As in op_linalg.c: leading axes are batch axes, the oracle computes in f64 and rounds
 * once. qr is by Householder reflections with LAPACK's signs; eigh and svd by plane
 * rotations (Jacobi: of the matrix, and of its columns), which are slow for large
 * matrices and exact for small ones. A matrix with a number that is not finite gives NaN.
 */
#include "op/factors.h"
#include "op/linalg.h"

static double *doubles(Eval *e, int64_t n) { return arena_array(e->a, (size_t)n, sizeof(double)); }

/* Results of the given dtype with its leading axes and the given matrix (cols 0:
 * vector) behind them. */
static void out_matrix(TypeRule *t, wf_dtype dtype, bool matrix, Dim rows, Dim cols)
{
    Type x = t->in[0];
    Dim dims[MAX_RANK];

    for (uint32_t i = 0; i + 2u < x.rank; i++)
        dims[i] = x.dims[i];
    dims[x.rank - 2] = rows;
    if (matrix)
        dims[x.rank - 1] = cols;
    type_out(t, dtype, dims, x.rank - !matrix);
}

/* 1 / x where x is not 0, else 0. */
static Val safe_reciprocal(Builder *b, Val x)
{
    Val zero = b_eq(b, x, b_zeros_like(b, x));
    Val one = b_one_like(b, x);

    one = b_div(b, one, b_select(b, zero, one, x));
    return b_select(b, zero, b_zeros_like(b, x), one);
}

/* F[i,j] = 1 / (v[j] - v[i]), 0 where they are equal. v [.., k] */
Val eigen_gaps(Builder *b, Val v, uint32_t rank, Dim k)
{
    Val of_rows = b_broadcast_axis(b, v, rank - 1, k);

    return safe_reciprocal(b, b_sub(b, b_broadcast_axis(b, v, rank - 2, k), of_rows));
}

static Val real_part(Builder *b, Val x)
{
    return dtype_is_complex(b_dtype(b, x)) ? b_real(b, x) : x;
}

static Val as_dtype(Builder *b, Val x, Val like)
{
    return b_dtype(b, x) == b_dtype(b, like) ? x : b_cast(b, x, b_dtype(b, like));
}

Val matrix_diagonal(Builder *b, Val x, const Dim *dims, uint32_t rank)
{
    return b_reduce_axis(b, OP_reduce_sum, keep_triangle(b, x, OP_eq, dims, rank),
                         rank - 1);
}

/* ---- qr ---------------------------------------------------------------------------- */

static bool type_qr(TypeRule *t)
{
    const QrAttr *q = t->attr;
    Type x = t->in[0];
    Dim m, n, k;

    if (!matrix_check(t, 0, false))
        return false;
    m = x.dims[x.rank - 2];
    n = x.dims[x.rank - 1];
    k = q->full ? m : dim_min(t->dims, m, n);
    out_matrix(t, (wf_dtype)x.dtype, true, m, k);
    out_matrix(t, (wf_dtype)x.dtype, true, k, n);
    return true;
}

static bool eval_qr(Eval *e)
{
    const Nd *x = &e->in[0];
    int64_t m = x->dims[x->rank - 2], n = x->dims[x->rank - 1];
    int64_t k = e->out[0].dims[x->rank - 1];
    double *r = doubles(e, m * n), *q = doubles(e, m * k), *tau = doubles(e, MIN(m, n));

    if (dtype_is_complex(x->dtype))
        return eval_qr_complex(e);
    for (int64_t i = 0; i < matrix_count(x); i++) {
        matrix_load(x, i, m * n, r);
        wx_qr(r, m, n, q, k, tau);
        matrix_store(&e->out[0], i, m * k, q);
        matrix_store(&e->out[1], i, k * n, r);
    }
    return true;
}

/* With R1 the square part of R, A1 that of A beside it:
 *   Y  = dA1 R1^-1,  C = Q^H Y,  W = tril(C, -1) - tril(C, -1)^H + i im(diag(C))
 *   dQ = Y - Q (C - W),  dR = Q^H dA - W R
 * The columns that `full` adds to Q (m > n) could turn freely. */
static void jvp_qr(Builder *b, const EqnView *e, const Val *dx, Val *dy)
{
    Type x = e->in_type[0];
    uint32_t rank = x.rank;
    Dim m = x.dims[rank - 2], n = x.dims[rank - 1], k = dim_min(&b->dims, m, n);
    Dim square[MAX_RANK];
    Val q = e->out[0], r = e->out[1], qt, y, c, w, on;

    if (dx[0] == VAL_NONE)
        return;
    if (((const QrAttr *)e->attr)->full && m != k) {
        fail(b->cx, WF_ERR_NORULE, e->place,
             "qr: the columns that full=true adds to Q have no derivative");
        return;
    }
    for (uint32_t i = 0; i + 2 < rank; i++)
        square[i] = x.dims[i];
    square[rank - 2] = square[rank - 1] = k;
    qt = adjoint_matrix(b, q, rank);
    y = b_slice_axis(b, dx[0], rank - 1, 0, k);
    y = triangle_solve(b, b_slice_axis(b, r, rank - 1, 0, k), y, (SolveAttr){0});
    c = b_matmul(b, qt, y);
    w = keep_triangle(b, c, OP_gt, square, rank);
    w = b_sub(b, w, adjoint_matrix(b, w, rank));
    if (dtype_is_complex(b_dtype(b, c))) {
        on = keep_triangle(b, b_imag(b, c), OP_eq, square, rank);
        w = b_add(b, w, b_complex(b, b_zeros_like(b, on), on));
    }
    dy[0] = b_sub(b, y, b_matmul(b, q, b_sub(b, c, w)));
    w = b_matmul(b, w, r);
    dy[1] = b_sub(b, b_matmul(b, qt, dx[0]), w);
}

static const AttrField attrs_qr[] = {
    FIELD(QrAttr, full, A_BOOL, false),
    FIELD_END,
};

static double flops_qr(const SizedEqn *s) { return 4 * matrix_work(s); }

const OpRow op_row_qr = {
    .attrs = attrs_qr,
    .attr_size = sizeof(QrAttr),
    .type = type_qr,
    .eval = eval_qr,
    .along = along_matrices,
    .flops = flops_qr,
    .lower = {.kind = LOWER_LIBRARY},
};
const OpRules op_rules_qr = {
    .doc = DOC(
        "Q, R with A = Q R, the columns of Q orthonormal, R upper triangular, for each "
        "m by n matrix of the last two axes; f32, f64 and complex\n"
        "Q [m,k] and R [k,n] with k = min(m,n), or with full k = m. Signs are those "
        "of Householder's reflections: an element of R's diagonal has the sign "
        "opposite to the element it came from, unless all below that was 0."),
    .jvp = jvp_qr,
    .batch = batch_leading,
};

/* ---- eigh -------------------------------------------------------------------------- */

static bool type_eigh(TypeRule *t)
{
    Dim n;

    if (!matrix_check(t, 0, true))
        return false;
    n = t->in[0].dims[t->in[0].rank - 1];
    out_matrix(t, dtype_part((wf_dtype)t->in[0].dtype), false, n, n);
    out_matrix(t, (wf_dtype)t->in[0].dtype, true, n, n);
    return true;
}

static bool eval_eigh(Eval *e)
{
    const Nd *x = &e->in[0];
    int64_t n = x->dims[x->rank - 1], size = n * n;
    double *a, *w, *v, *key;
    int64_t *order;

    if (dtype_is_complex(x->dtype))
        return eval_eigh_complex(e);
    a = doubles(e, size);
    w = doubles(e, n);
    v = doubles(e, size);
    key = doubles(e, n);
    order = arena_array(e->a, (size_t)n, sizeof *order);
    for (int64_t i = 0; i < matrix_count(x); i++) {
        matrix_load(x, i, size, a);
        wx_eigh(a, n, w, v, key, order);
        matrix_store(&e->out[0], i, n, w);
        matrix_store(&e->out[1], i, size, a);
    }
    return true;
}

/* With S = the Hermitian matrix that has the lower triangle of dA, P = V^H S V:
 *   dw = re(diag(P)),  dV = V (F * P),  F[i,j] = 1 / (w[j] - w[i]), 0 where they are equal */
static void jvp_eigh(Builder *b, const EqnView *e, const Val *dx, Val *dy)
{
    Type x = e->in_type[0];
    uint32_t r = x.rank;
    Val w = e->out[0], v = e->out[1], p;

    if (dx[0] == VAL_NONE)
        return;
    p = b_matmul(b, symmetric_of_lower(b, dx[0], x.dims, r), v);
    p = b_matmul(b, adjoint_matrix(b, v, r), p);
    dy[0] = real_part(b, matrix_diagonal(b, p, x.dims, r));
    dy[1] = b_matmul(b, v, b_mul(b, as_dtype(b, eigen_gaps(b, w, r, x.dims[r - 1]), v), p));
}

static double flops_eigh(const SizedEqn *s) { return 9 * matrix_work(s); }

const OpRow op_row_eigh = {
    .type = type_eigh,
    .eval = eval_eigh,
    .along = along_matrices,
    .flops = flops_eigh,
    .lower = {.kind = LOWER_LIBRARY},
};
const OpRules op_rules_eigh = {
    .doc = DOC(
        "w, V with A V = V diag(w) for each symmetric (Hermitian) matrix of the last two "
        "axes; f32, f64 and complex, w real\n"
        "Only the lower triangle of A is read. w [..,n] ascends; the columns of V are "
        "orthonormal, the largest element of each positive. Where eigenvalues are "
        "equal the derivative leaves their vectors as they are."),
    .jvp = jvp_eigh,
    .batch = batch_leading,
};

/* ---- svd --------------------------------------------------------------------------- */

static bool type_svd(TypeRule *t)
{
    Type x = t->in[0];
    Dim m, n, k;

    if (!matrix_check(t, 0, false))
        return false;
    m = x.dims[x.rank - 2];
    n = x.dims[x.rank - 1];
    k = dim_min(t->dims, m, n);
    out_matrix(t, (wf_dtype)x.dtype, true, m, k);
    out_matrix(t, dtype_part((wf_dtype)x.dtype), false, k, k);
    out_matrix(t, (wf_dtype)x.dtype, true, k, n);
    return true;
}

/* Of a matrix wider than tall the factors of its transpose, exchanged. */
static bool eval_svd(Eval *e)
{
    const Nd *x = &e->in[0];
    int64_t rows = x->dims[x->rank - 2], cols = x->dims[x->rank - 1];
    int64_t m = MAX(rows, cols), n = MIN(rows, cols), size = rows * cols;
    double *a, *g, *u, *s, *v, *key;
    int64_t *order;
    bool wide = rows < cols;

    if (dtype_is_complex(x->dtype))
        return eval_svd_complex(e);
    a = doubles(e, size);
    g = doubles(e, size);
    u = doubles(e, size);
    s = doubles(e, n);
    v = doubles(e, n * n);
    key = doubles(e, n);
    order = arena_array(e->a, (size_t)n, sizeof *order);
    for (int64_t i = 0; i < matrix_count(x); i++) {
        matrix_load(x, i, size, wide ? a : g);
        if (wide)
            wx_transpose(a, rows, cols, g);
        wx_svd(g, m, n, u, s, v, key, order);
        matrix_store(&e->out[1], i, n, s);
        wx_transpose(wide ? u : g, wide ? m : n, n, a);
        matrix_store(&e->out[2], i, n * cols, a);
        matrix_store(&e->out[0], i, rows * n, wide ? g : u);
    }
    return true;
}

/* Of m by k matrices with orthonormal columns q, the part of x [.., m, n] beside their
 * span: x - q (q^H x). */
static Val beside(Builder *b, Val x, Val q, uint32_t rank)
{
    Val inside = b_matmul(b, adjoint_matrix(b, q, rank), x);

    return b_sub(b, x, b_matmul(b, q, inside));
}

/* With P = U^H dA V, D = diag(s), F[i,j] = 1 / (s[j]^2 - s[i]^2), 0 where they are equal:
 *   ds = re(diag(P))
 *   dU = U (F * (P D + D P^H) + i im(diag(P)) D^-1) + (1 - U U^H) dA V D^-1
 *   dV = V (F * (D P + P^H D)) + (1 - V V^H) dA^H U D^-1
 * the last terms if m > k and if n > k */
static void jvp_svd(Builder *b, const EqnView *e, const Val *dx, Val *dy)
{
    Type x = e->in_type[0];
    uint32_t r = x.rank;
    Dim m = x.dims[r - 2], n = x.dims[r - 1], k = dim_min(&b->dims, m, n);
    Dim square[MAX_RANK];
    Val u = e->out[0], s = e->out[1], vt = e->out[2], v, av, p, pt, f, row, col, inverse,
        w;

    if (dx[0] == VAL_NONE)
        return;
    for (uint32_t i = 0; i + 2 < r; i++)
        square[i] = x.dims[i];
    square[r - 2] = square[r - 1] = k;
    v = adjoint_matrix(b, vt, r);
    av = b_matmul(b, dx[0], v);
    p = b_matmul(b, adjoint_matrix(b, u, r), av);
    pt = adjoint_matrix(b, p, r);
    f = as_dtype(b, eigen_gaps(b, b_mul(b, s, s), r, k), u);
    row = as_dtype(b, b_broadcast_axis(b, s, r - 2, k), u); /* [i,j]: s[j] */
    col = as_dtype(b, b_broadcast_axis(b, s, r - 1, k), u); /* [i,j]: s[i] */
    inverse = as_dtype(b, safe_reciprocal(b, s), u);
    dy[1] = real_part(b, matrix_diagonal(b, p, square, r));
    w = b_mul(b, col, pt);
    w = b_mul(b, f, b_add(b, b_mul(b, p, row), w));
    if (dtype_is_complex(b_dtype(b, p))) {
        Val on = keep_triangle(b, b_imag(b, p), OP_eq, square, r);

        on = b_complex(b, b_zeros_like(b, on), on);
        w = b_add(b, w, b_mul(b, on, b_broadcast_axis(b, inverse, r - 2, k)));
    }
    dy[0] = b_matmul(b, u, w);
    if (m != k) {
        Val each = b_broadcast_axis(b, inverse, r - 2, m);

        dy[0] = b_add(b, dy[0], b_mul(b, beside(b, av, u, r), each));
    }
    pt = b_mul(b, pt, row);
    dy[2] = b_matmul(b, v, b_mul(b, f, b_add(b, b_mul(b, col, p), pt)));
    if (n != k) {
        Val each = b_broadcast_axis(b, inverse, r - 2, n);

        dy[2] = b_add(b, dy[2], b_mul(b, beside(b, b_matmul(b, adjoint_matrix(b, dx[0], r), u), v, r), each));
    }
    dy[2] = adjoint_matrix(b, dy[2], r);
}

static double flops_svd(const SizedEqn *s) { return 12 * matrix_work(s); }

const OpRow op_row_svd = {
    .type = type_svd,
    .eval = eval_svd,
    .along = along_matrices,
    .flops = flops_svd,
    .lower = {.kind = LOWER_LIBRARY},
};
const OpRules op_rules_svd = {
    .doc = DOC(
        "U, s, Vt with A = U diag(s) Vt for each m by n matrix of the last two axes; "
        "f32, f64 and complex, s real\n"
        "U [m,k], s [k] and Vt [k,n] with k = min(m,n); s descends and is not negative, "
        "the columns of U and the rows of Vt are orthonormal. The largest element of "
        "each column of U (of each row of Vt, if m < n) is positive. Where singular "
        "values are equal or 0 the derivative leaves what could turn freely as it is."),
    .jvp = jvp_svd,
    .batch = batch_leading,
};
