/* op_spectral.c -- qr, eigh, svd: orthogonal factors of the last two axes.
 *
 * As in op_linalg.c: leading axes are batch axes, the oracle computes in f64 and rounds
 * once. qr is by Householder reflections with LAPACK's signs; eigh and svd by plane
 * rotations (Jacobi: of the matrix, and of its columns), which are slow for large
 * matrices and exact for small ones. A matrix with a number that is not finite gives NaN.
 */
#include "op/linalg.h"

#include <math.h>

#define SWEEPS 60 /* rotations of all pairs; some ten do for anything */

static bool all_finite(const double *a, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (!isfinite(a[i]))
            return false;
    return true;
}

static void fill_nan(double *a, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        a[i] = NAN;
}

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

    return b_select(b, zero, b_zeros_like(b, x),
                    b_div(b, one, b_select(b, zero, one, x)));
}

/* F[i,j] = 1 / (v[j] - v[i]), 0 where they are equal. v [.., k] */
Val eigen_gaps(Builder *b, Val v, uint32_t rank, Dim k)
{
    return safe_reciprocal(b, b_sub(b, b_broadcast_axis(b, v, rank - 2, k),
                                    b_broadcast_axis(b, v, rank - 1, k)));
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

/* Rows from.. of the columns first.. of a [m, n], reflected: a -= tau v (v^T a), where v
 * is 1 at row `from` and then stands below row `from` of column `at` of r [m, rn]. */
static void reflect(double *a, int64_t m, int64_t n, int64_t first, const double *r,
                    int64_t rn, int64_t from, double tau)
{
    for (int64_t j = first; j < n; j++) {
        double s = a[from * n + j];

        for (int64_t i = from + 1; i < m; i++)
            s += r[i * rn + from] * a[i * n + j];
        s *= tau;
        a[from * n + j] -= s;
        for (int64_t i = from + 1; i < m; i++)
            a[i * n + j] -= s * r[i * rn + from];
    }
}

/* Column c of r: its part below the diagonal becomes the reflection's vector (divided by
 * its first element, 1), its diagonal element the new one, of the sign opposite to the
 * old. A column that is 0 below the diagonal stays: tau 0. */
static double make_reflection(double *r, int64_t m, int64_t n, int64_t c)
{
    double below = 0, head = r[c * n + c], norm;

    for (int64_t i = c + 1; i < m; i++)
        below = hypot(below, r[i * n + c]);
    if (below == 0)
        return 0;
    norm = -copysign(hypot(head, below), head);
    for (int64_t i = c + 1; i < m; i++)
        r[i * n + c] /= head - norm;
    r[c * n + c] = norm;
    return (norm - head) / norm;
}

/* r [m, n] becomes R over the reflections; q [m, k] the product of all of them. */
static void factor_qr(double *r, int64_t m, int64_t n, double *q, int64_t k, double *tau)
{
    int64_t steps = MIN(m, n);

    for (int64_t c = 0; c < steps; c++) {
        tau[c] = make_reflection(r, m, n, c);
        reflect(r, m, n, c + 1, r, n, c, tau[c]);
    }
    for (int64_t i = 0; i < m * k; i++)
        q[i] = i / k == i % k;
    for (int64_t c = steps; c-- > 0;)
        reflect(q, m, k, c, r, n, c, tau[c]);
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < MIN(i, n); j++)
            r[i * n + j] = 0;
}

static bool eval_qr(Eval *e)
{
    const Nd *x = &e->in[0];
    int64_t m = x->dims[x->rank - 2], n = x->dims[x->rank - 1];
    int64_t k = e->out[0].dims[x->rank - 1];
    double *r = arena_array(e->a, (size_t)(m * n), sizeof *r);
    double *q = arena_array(e->a, (size_t)(m * k), sizeof *q);
    double *tau = arena_array(e->a, (size_t)MIN(m, n), sizeof *tau);

    if (dtype_is_complex(x->dtype))
        return eval_qr_complex(e);
    for (int64_t i = 0; i < matrix_count(x); i++) {
        matrix_load(x, i, m * n, r);
        if (all_finite(r, m * n)) {
            factor_qr(r, m, n, q, k, tau);
        } else {
            fill_nan(q, m * k);
            fill_nan(r, m * n);
        }
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
    y = triangle_solve(b, b_slice_axis(b, r, rank - 1, 0, k),
                       b_slice_axis(b, dx[0], rank - 1, 0, k), (SolveAttr){0});
    c = b_matmul(b, qt, y);
    w = keep_triangle(b, c, OP_gt, square, rank);
    w = b_sub(b, w, adjoint_matrix(b, w, rank));
    if (dtype_is_complex(b_dtype(b, c))) {
        on = keep_triangle(b, b_imag(b, c), OP_eq, square, rank);
        w = b_add(b, w, b_complex(b, b_zeros_like(b, on), on));
    }
    dy[0] = b_sub(b, y, b_matmul(b, q, b_sub(b, c, w)));
    dy[1] = b_sub(b, b_matmul(b, qt, dx[0]), b_matmul(b, w, r));
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

/* The rotation (cosine, sine) that makes [[p, o], [o, q]] diagonal. */
static void rotation(double p, double q, double o, double *cosine, double *sine)
{
    double tau = (q - p) / (2 * o);
    double t = copysign(1, tau) / (fabs(tau) + hypot(1, tau));

    *cosine = 1 / hypot(1, t);
    *sine = t * *cosine;
}

/* Columns i and j of a [n, ..], rows `step` apart, turned. */
static void turn(double *a, int64_t n, int64_t step, int64_t i, int64_t j, double c,
                 double s)
{
    for (int64_t k = 0; k < n; k++) {
        double x = a[k * step + i], y = a[k * step + j];

        a[k * step + i] = c * x - s * y;
        a[k * step + j] = s * x + c * y;
    }
}

/* Sweeps over the pairs (i, j) until what is off the diagonal vanishes beside it. */
static void rotate_symmetric(double *a, double *v, int64_t n)
{
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        bool done = true;

        for (int64_t i = 0; i < n; i++)
            for (int64_t j = i + 1; j < n; j++) {
                double o = a[i * n + j], p = a[i * n + i], q = a[j * n + j], c, s;

                if (fabs(o) <= 1e-17 * sqrt(fabs(p)) * sqrt(fabs(q)) || fabs(o) < 1e-300)
                    continue;
                done = false;
                rotation(p, q, o, &c, &s);
                turn(a, n, n, i, j, c, s);
                for (int64_t k = 0; k < n; k++) { /* the rows alike */
                    double x = a[i * n + k], y = a[j * n + k];

                    a[i * n + k] = c * x - s * y;
                    a[j * n + k] = s * x + c * y;
                }
                a[i * n + j] = a[j * n + i] = 0;
                turn(v, n, n, i, j, c, s);
            }
        if (done)
            return;
    }
}

/* order: the numbers of w from the smallest (down: the largest) on. */
static void sort_order(const double *w, int64_t n, bool down, int64_t *order)
{
    for (int64_t i = 0; i < n; i++) {
        int64_t at = i;

        for (; at > 0 && (down ? w[order[at - 1]] < w[i] : w[order[at - 1]] > w[i]); at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
}

/* The sign that makes the largest element (the first of equals) of column c positive. */
static double column_sign(const double *v, int64_t n, int64_t step, int64_t c)
{
    int64_t top = 0;

    for (int64_t i = 1; i < n; i++)
        if (fabs(v[i * step + c]) > fabs(v[top * step + c]) * (1 + 1e-12))
            top = i;
    return n && v[top * step + c] < 0 ? -1 : 1;
}

typedef struct EighWork {
    double *a, *v, *w, *sorted;
    int64_t *order;
} EighWork;

static void factor_eigh(const EighWork *k, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            k->v[i * n + j] = i == j;
            if (j > i)
                k->a[i * n + j] = k->a[j * n + i];
        }
    rotate_symmetric(k->a, k->v, n);
    for (int64_t i = 0; i < n; i++)
        k->sorted[i] = k->a[i * n + i];
    sort_order(k->sorted, n, false, k->order);
    for (int64_t j = 0; j < n; j++) {
        double sign = column_sign(k->v, n, n, k->order[j]);

        k->w[j] = k->sorted[k->order[j]];
        for (int64_t i = 0; i < n; i++)
            k->a[i * n + j] = sign * k->v[i * n + k->order[j]];
    }
}

static bool eval_eigh(Eval *e)
{
    const Nd *x = &e->in[0];
    int64_t n = x->dims[x->rank - 1], size = n * n;
    EighWork k = {
        arena_array(e->a, (size_t)size, sizeof(double)),
        arena_array(e->a, (size_t)size, sizeof(double)),
        arena_array(e->a, (size_t)n, sizeof(double)),
        arena_array(e->a, (size_t)n, sizeof(double)),
        arena_array(e->a, (size_t)n, sizeof(int64_t)),
    };

    if (dtype_is_complex(x->dtype))
        return eval_eigh_complex(e);
    for (int64_t i = 0; i < matrix_count(x); i++) {
        matrix_load(x, i, size, k.a);
        for (int64_t j = 0; j < size; j++) /* the upper triangle is not read */
            k.a[j] = j % n > j / n ? 0 : k.a[j];
        if (all_finite(k.a, size)) {
            factor_eigh(&k, n);
        } else {
            fill_nan(k.a, size);
            fill_nan(k.w, n);
        }
        matrix_store(&e->out[0], i, n, k.w);
        matrix_store(&e->out[1], i, size, k.a);
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

typedef struct SvdWork {
    double *g; /* [m, n], m >= n: A, or its transpose; its columns turn orthogonal */
    double *v; /* [n, n] */
    double *s, *key; /* [n] */
    int64_t *order;
    double *u; /* [m, n] */
} SvdWork;

/* Sweeps over the pairs of columns until all are orthogonal: g = A v. */
static void rotate_columns(double *g, double *v, int64_t m, int64_t n)
{
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        bool done = true;

        for (int64_t i = 0; i < n; i++)
            for (int64_t j = i + 1; j < n; j++) {
                double p = 0, q = 0, o = 0, c, s;

                for (int64_t k = 0; k < m; k++) {
                    p += g[k * n + i] * g[k * n + i];
                    q += g[k * n + j] * g[k * n + j];
                    o += g[k * n + i] * g[k * n + j];
                }
                if (fabs(o) <= 1e-16 * sqrt(p) * sqrt(q) || fabs(o) < 1e-300)
                    continue;
                done = false;
                rotation(p, q, o, &c, &s);
                turn(g, m, n, i, j, c, s);
                turn(v, n, n, i, j, c, s);
            }
        if (done)
            return;
    }
}

/* A column of u that is 0 (of a matrix of lower rank) becomes one orthogonal to those
 * before it: of the unit vectors the one that lies least in their span. */
static void complete_column(double *u, int64_t m, int64_t n, int64_t c)
{
    double best = -1;
    int64_t axis = 0;

    for (int64_t i = 0; i < m; i++) {
        double left = 1;

        for (int64_t j = 0; j < c; j++)
            left -= u[i * n + j] * u[i * n + j];
        if (left > best) {
            best = left;
            axis = i;
        }
    }
    for (int64_t i = 0; i < m; i++)
        u[i * n + c] = i == axis;
    for (int pass = 0; pass < 2; pass++)
        for (int64_t j = 0; j < c; j++) {
            double d = 0;

            for (int64_t i = 0; i < m; i++)
                d += u[i * n + j] * u[i * n + c];
            for (int64_t i = 0; i < m; i++)
                u[i * n + c] -= d * u[i * n + j];
        }
    best = 0;
    for (int64_t i = 0; i < m; i++)
        best = hypot(best, u[i * n + c]);
    for (int64_t i = 0; i < m; i++)
        u[i * n + c] /= best;
}

/* u, s and (in g) v, in descending order of s. */
static void factor_svd(const SvdWork *k, int64_t m, int64_t n)
{
    for (int64_t i = 0; i < n * n; i++)
        k->v[i] = i / n == i % n;
    rotate_columns(k->g, k->v, m, n);
    for (int64_t j = 0; j < n; j++) {
        k->key[j] = 0;
        for (int64_t i = 0; i < m; i++)
            k->key[j] = hypot(k->key[j], k->g[i * n + j]);
    }
    sort_order(k->key, n, true, k->order);
    for (int64_t j = 0; j < n; j++) {
        int64_t from = k->order[j];
        bool zero = k->key[from] <= 1e-15 * k->key[k->order[0]] * (double)m;
        double sign = column_sign(k->g, m, n, from);

        k->s[j] = k->key[from];
        for (int64_t i = 0; i < m; i++)
            k->u[i * n + j] = zero ? 0 : sign * k->g[i * n + from] / k->key[from];
        if (zero)
            complete_column(k->u, m, n, j);
        for (int64_t i = 0; i < n; i++)
            k->v[i * n + from] *= sign;
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            k->g[i * n + j] = k->v[i * n + k->order[j]];
}

/* to [n, m] = from [m, n] transposed. */
static void transpose_to(const double *from, int64_t m, int64_t n, double *to)
{
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++)
            to[j * m + i] = from[i * n + j];
}

/* Of a matrix wider than tall the factors of its transpose, exchanged. */
static bool eval_svd(Eval *e)
{
    const Nd *x = &e->in[0];
    int64_t rows = x->dims[x->rank - 2], cols = x->dims[x->rank - 1];
    int64_t m = MAX(rows, cols), n = MIN(rows, cols), size = rows * cols;
    double *a = arena_array(e->a, (size_t)size, sizeof *a);
    SvdWork k = {
        arena_array(e->a, (size_t)size, sizeof(double)),
        arena_array(e->a, (size_t)(n * n), sizeof(double)),
        arena_array(e->a, (size_t)n, sizeof(double)),
        arena_array(e->a, (size_t)n, sizeof(double)),
        arena_array(e->a, (size_t)n, sizeof(int64_t)),
        arena_array(e->a, (size_t)size, sizeof(double)),
    };
    bool wide = rows < cols;

    if (dtype_is_complex(x->dtype))
        return eval_svd_complex(e);
    for (int64_t i = 0; i < matrix_count(x); i++) {
        matrix_load(x, i, size, a);
        if (wide)
            transpose_to(a, rows, cols, k.g);
        else
            memcpy(k.g, a, (size_t)size * sizeof *a);
        if (all_finite(a, size)) {
            factor_svd(&k, m, n);
        } else {
            fill_nan(k.u, size);
            fill_nan(k.s, n);
            fill_nan(k.g, n * n);
        }
        matrix_store(&e->out[1], i, n, k.s);
        transpose_to(wide ? k.u : k.g, wide ? m : n, n, a);
        matrix_store(&e->out[2], i, n * cols, a);
        matrix_store(&e->out[0], i, rows * n, wide ? k.g : k.u);
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
    w = b_mul(b, f, b_add(b, b_mul(b, p, row), b_mul(b, col, pt)));
    if (dtype_is_complex(b_dtype(b, p))) {
        Val on = keep_triangle(b, b_imag(b, p), OP_eq, square, r);

        on = b_complex(b, b_zeros_like(b, on), on);
        w = b_add(b, w, b_mul(b, on, b_broadcast_axis(b, inverse, r - 2, k)));
    }
    dy[0] = b_matmul(b, u, w);
    if (m != k)
        dy[0] =
            b_add(b, dy[0],
                  b_mul(b, beside(b, av, u, r), b_broadcast_axis(b, inverse, r - 2, m)));
    dy[2] = b_matmul(b, v, b_mul(b, f, b_add(b, b_mul(b, col, p), b_mul(b, pt, row))));
    if (n != k)
        dy[2] =
            b_add(b, dy[2],
                  b_mul(b, beside(b, b_matmul(b, adjoint_matrix(b, dx[0], r), u), v, r),
                        b_broadcast_axis(b, inverse, r - 2, n)));
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
