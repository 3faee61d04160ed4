/* op_linalg.c -- cholesky, triangular_solve, lu: factorisations of the last two axes;
 * and what op_spectral.c shares.
 *
 * All leading axes are batch axes, each matrix on its own. The oracle computes in f64 and
 * rounds once, by the loops of factors.h; derivatives are the usual closed forms in
 * terms of the factors, built of dots, solves and triangle masks.
 */
#include "op/factors.h"
#include "op/linalg.h"

/* ---- common ------------------------------------------------------------------------ */

bool matrix_check(TypeRule *t, uint32_t i, bool square)
{
    Type x = t->in[i];

    if (x.dtype != WF_F32 && x.dtype != WF_F64 && !dtype_is_complex((wf_dtype)x.dtype))
        return type_fail(t, WF_ERR_TYPE, "operand is %s, needed f32, f64, c64 or c128",
                         wf_dtype_name((wf_dtype)x.dtype));
    if (x.rank < 2)
        return type_fail(t, WF_ERR_SHAPE,
                         "operand is %s, needed a matrix or a batch of them",
                         type_show(t, x));
    if (square && x.dims[x.rank - 2] != x.dims[x.rank - 1])
        return type_fail(t, WF_ERR_SHAPE, "operand is %s, needed square matrices",
                         type_show(t, x));
    return true;
}

int64_t matrix_count(const Nd *x)
{
    int64_t n = 1;

    for (uint32_t i = 0; i + 2 < x->rank; i++)
        n *= x->dims[i];
    return n;
}

void matrix_load(const Nd *x, int64_t k, int64_t size, double *out)
{
    for (int64_t i = 0; i < size; i++)
        out[i] = scalar_load(x->dtype, x->data, k * size + i).f;
}

void matrix_store(const Nd *x, int64_t k, int64_t size, const double *v)
{
    for (int64_t i = 0; i < size; i++)
        scalar_store(x->dtype, x->data, k * size + i, (Scalar){.f = v[i]});
}

Val triangle_mask(Builder *b, OpCode how, const Dim *dims, uint32_t rank)
{
    Val row = b_iota(b, WF_I64, dims, rank, rank - 2);
    Val col = b_iota(b, WF_I64, dims, rank, rank - 1);

    return b_eqn1(b, how, (Val[]){row, col}, 2, NULL);
}

Val keep_triangle(Builder *b, Val x, OpCode how, const Dim *dims, uint32_t rank)
{
    Val zero = b_zeros_like(b, x);

    return b_select(b, triangle_mask(b, how, dims, rank), x, zero);
}

Val transpose_matrix(Builder *b, Val x, uint32_t rank)
{
    return b_move_axis(b, x, rank - 1, rank - 2);
}

Val adjoint_matrix(Builder *b, Val x, uint32_t rank)
{
    x = transpose_matrix(b, x, rank);
    return dtype_is_complex(b_dtype(b, x)) ? b_conj(b, x) : x;
}

/* Of a diagonal of complex numbers the real parts. */
Val symmetric_of_lower(Builder *b, Val x, const Dim *dims, uint32_t rank)
{
    Val below = keep_triangle(b, x, OP_gt, dims, rank), on;

    if (!dtype_is_complex(b_dtype(b, x))) {
        below = transpose_matrix(b, below, rank);
        return b_add(b, keep_triangle(b, x, OP_ge, dims, rank), below);
    }
    on = b_cast(b, b_real(b, keep_triangle(b, x, OP_eq, dims, rank)), b_dtype(b, x));
    return b_add(b, on, b_add(b, below, adjoint_matrix(b, below, rank)));
}

Val triangle_solve(Builder *b, Val a, Val y, SolveAttr s)
{
    return b_eqn1(b, OP_triangular_solve, (Val[]){a, y}, 2, &s);
}

void batch_leading(Builder *b, const EqnView *e, const Batch *bt, Val *out, int *out_axis)
{
    Val in[2] = {VAL_NONE, VAL_NONE};

    batch_front(b, e, bt, true, in);
    b_eqn(b, (OpCode)e->op, in, e->nin, e->attr, out, e->nout);
    for (uint32_t i = 0; i < e->nout; i++)
        out_axis[i] = 0;
}

/* ---- cholesky ---------------------------------------------------------------------- */

static bool type_cholesky(TypeRule *t)
{
    if (!matrix_check(t, 0, true))
        return false;
    type_out_like(t, t->in[0]);
    return true;
}

static bool eval_cholesky(Eval *e)
{
    const Nd *x = &e->in[0];
    int64_t n = x->dims[x->rank - 1], size = n * n, count = matrix_count(x);
    double *a;

    if (x->count == 0)
        return true;
    if (dtype_is_complex(x->dtype))
        return eval_cholesky_complex(e);
    a = arena_array(e->a, (size_t)size, sizeof *a);
    for (int64_t k = 0; k < count; k++) {
        matrix_load(x, k, size, a);
        wx_cholesky(a, n);
        matrix_store(&e->out[0], k, size, a);
    }
    return true;
}

/* With S = the Hermitian matrix that has the lower triangle of da,
 *   P  = L^-1 S L^-H
 *   dL = L phi(P)        phi: lower triangle, diagonal halved */
static void jvp_cholesky(Builder *b, const EqnView *e, const Val *dx, Val *dy)
{
    Type x = e->in_type[0];
    uint32_t r = x.rank;
    Val l = e->out[0], s, p, half, one;
    const SolveAttr from_left = {.left = true, .lower = true};
    const SolveAttr from_right = {.lower = true, .trans = true};

    if (dx[0] == VAL_NONE)
        return;
    s = symmetric_of_lower(b, dx[0], x.dims, r);
    p = triangle_solve(b, l, s, from_left);
    p = triangle_solve(b, dtype_is_complex(b_dtype(b, l)) ? b_conj(b, l) : l, p, from_right);
    one = b_one_like(b, p);
    half = b_full_like(b, p, 0.5);
    half = b_select(b, triangle_mask(b, OP_eq, x.dims, r), half, one);
    p = b_mul(b, keep_triangle(b, p, OP_ge, x.dims, r), half);
    dy[0] = b_matmul(b, l, p);
}

double matrix_work(const SizedEqn *s)
{
    Type x = val_type(s->p, eqn_in(s->p, s->e)[0]);

    return sized_count(s, x) * (double)MIN(sized_dim(s, x.dims[x.rank - 1]),
                                           sized_dim(s, x.dims[x.rank - 2]));
}

static double flops_cholesky(const SizedEqn *s) { return matrix_work(s) / 3; }

const OpRow op_row_cholesky = {
    .type = type_cholesky,
    .eval = eval_cholesky,
    .along = along_matrices,
    .flops = flops_cholesky,
    .lower = {.kind = LOWER_LIBRARY},
};
const OpRules op_rules_cholesky = {
    .doc = DOC(
        "L lower triangular with L L^H = A, for each matrix of the last two axes; f32, f64 "
        "and complex\n"
        "Only the lower triangle of A is read, so A counts as symmetric (Hermitian); above the "
        "diagonal L "
        "is 0. A matrix that is not positive definite, or has NaN there, gives NaN on "
        "and below "
        "the diagonal. An empty matrix gives an empty one."),
    .jvp = jvp_cholesky,
    .batch = batch_leading,
};

/* ---- triangular_solve -------------------------------------------------------------- */

static bool type_triangular_solve(TypeRule *t)
{
    const SolveAttr *s = t->attr;
    Type a = t->in[0], y = t->in[1];
    bool same;

    if (!matrix_check(t, 0, true) || !matrix_check(t, 1, false))
        return false;
    if (a.dtype != y.dtype)
        return type_fail(t, WF_ERR_TYPE, "operands are %s and %s, needed equal dtypes",
                         wf_dtype_name((wf_dtype)a.dtype),
                         wf_dtype_name((wf_dtype)y.dtype));
    same = a.rank == y.rank;
    for (uint32_t i = 0; same && i + 2u < a.rank; i++)
        same = a.dims[i] == y.dims[i];
    if (!same)
        return type_fail(t, WF_ERR_SHAPE,
                         "operands are %s and %s, needed equal leading axes",
                         type_show(t, a), type_show(t, y));
    if (y.dims[y.rank - (s->left ? 2 : 1)] != a.dims[a.rank - 1])
        return type_fail(t, WF_ERR_SHAPE,
                         "operands are %s and %s, needed %s of the second "
                         "to number %s",
                         type_show(t, a), type_show(t, y), s->left ? "rows" : "columns",
                         dim_show(t, a.dims[a.rank - 1]));
    type_out_like(t, y);
    return true;
}

static bool eval_triangular_solve(Eval *e)
{
    const SolveAttr *s = e->attr;
    const Nd *a = &e->in[0], *y = &e->in[1];
    int64_t n = a->dims[a->rank - 1], size = n * n;
    int64_t rows = y->dims[y->rank - 2], cols = y->dims[y->rank - 1];
    bool trans = s->trans != !s->left, forward = s->lower != trans;
    double *as, *xs;

    if (y->count == 0)
        return true;
    if (dtype_is_complex(a->dtype))
        return eval_triangular_solve_complex(e);
    as = arena_array(e->a, (size_t)size, sizeof *as);
    xs = arena_array(e->a, (size_t)(rows * cols), sizeof *xs);
    for (int64_t k = 0; k < matrix_count(y); k++) {
        matrix_load(a, k, size, as);
        matrix_load(y, k, rows * cols, xs);
        if (s->left)
            wx_substitute(as, n, trans, forward, s->unit, xs, cols, cols);
        else
            for (int64_t i = 0; i < rows; i++)
                wx_substitute(as, n, trans, forward, s->unit, xs + i * cols, 1, 1);
        matrix_store(&e->out[0], k, rows * cols, xs);
    }
    return true;
}

/* left:   op(A) x = y     dx = op(A)^-1 (dy - op(dA) x) right:  x op(A) = y     dx = (dy
 * - x op(dA)) op(A)^-1 dA counts only where A is read: its triangle, without the diagonal
 * if that is taken as 1. */
static void jvp_triangular_solve(Builder *b, const EqnView *e, const Val *dx, Val *dy)
{
    const SolveAttr *s = e->attr;
    Type a = e->in_type[0];
    OpCode how = s->lower ? (s->unit ? OP_gt : OP_ge) : (s->unit ? OP_lt : OP_le);
    Val x = e->out[0], change = dx[1];

    if (dx[0] != VAL_NONE) {
        Val da = keep_triangle(b, dx[0], how, a.dims, a.rank), moved;

        if (s->trans)
            da = transpose_matrix(b, da, a.rank);
        moved = s->left ? b_matmul(b, da, x) : b_matmul(b, x, da);
        change = change == VAL_NONE ? b_neg(b, moved) : b_sub(b, change, moved);
    }
    if (change != VAL_NONE)
        dy[0] = triangle_solve(b, e->in[0], change, *s);
}

/* Linear in y:  gy = op(A)^-T gx,  or  gx op(A)^-T. */
static void transpose_triangular_solve(Builder *b, const EqnView *e, const Val *gy,
                                       Val *gx)
{
    SolveAttr s = *(const SolveAttr *)e->attr;

    s.trans = !s.trans;
    if (gy[0] != VAL_NONE && e->in[1] == VAL_NONE)
        gx[1] = triangle_solve(b, e->in[0], gy[0], s);
}

/* Only y batched: its samples are more right-hand sides, [..,n,k*size] (right:
 * [..,size*k,n]). */
static void batch_triangular_solve(Builder *b, const EqnView *e, const Batch *bt,
                                   Val *out, int *out_axis)
{
    const SolveAttr *s = e->attr;
    Type y = e->in_type[1];
    uint32_t r = y.rank, at = s->left ? r : r - 2;
    Dim dims[MAX_RANK + 1];
    Val x;

    if (bt->axis[0] >= 0) {
        batch_leading(b, e, bt, out, out_axis);
        return;
    }
    x = b_move_axis(b, e->in[1], (uint32_t)bt->axis[1], at);
    for (uint32_t i = 0; i < r; i++)
        dims[i] = y.dims[i];
    dims[s->left ? r - 1 : r - 2] =
        dim_mul(&b->dims, y.dims[s->left ? r - 1 : r - 2], bt->size);
    x = triangle_solve(b, e->in[0], b_reshape(b, x, dims, r), *s);
    for (uint32_t i = 0; i <= r; i++)
        dims[i] = i == at ? bt->size : y.dims[i - (i > at)];
    out[0] = b_reshape(b, x, dims, r + 1);
    out_axis[0] = (int)at;
}

static const AttrField attrs_solve[] = {
    FIELD(SolveAttr, left, A_BOOL, true),
    FIELD(SolveAttr, lower, A_BOOL, true),
    FIELD(SolveAttr, trans, A_BOOL, false),
    FIELD(SolveAttr, unit, A_BOOL, false),
    FIELD_END,
};

/* n^2 for each right-hand side */
static double flops_solve(const SizedEqn *s)
{
    Type a = val_type(s->p, eqn_in(s->p, s->e)[0]);

    return (double)sized_dim(s, a.dims[a.rank - 1]) *
           sized_count(s, val_type(s->p, s->e->out));
}

const OpRow op_row_triangular_solve = {
    .attrs = attrs_solve,
    .attr_size = sizeof(SolveAttr),
    .type = type_triangular_solve,
    .eval = eval_triangular_solve,
    .along = along_matrices,
    .flops = flops_solve,
    .lower = {.kind = LOWER_LIBRARY},
};
const OpRules op_rules_triangular_solve = {
    .doc = DOC(
        "x with op(A) x = y, or x op(A) = y if left=false; op(A) is A, or A^T if "
        "trans; for "
        "each matrix of the last two axes, leading axes equal; f32, f64 and complex\n"
        "Only one triangle of A is read: the lower one, or the upper if lower=false; "
        "with unit "
        "its diagonal is taken as 1. A 0 on the diagonal divides as IEEE says (inf or "
        "NaN)."),
    .jvp = jvp_triangular_solve,
    .transpose = transpose_triangular_solve,
    .batch = batch_triangular_solve,
};

/* ---- lu ---------------------------------------------------------------------------- */

static bool type_lu(TypeRule *t)
{
    Type x = t->in[0];
    Dim dims[MAX_RANK], m, n;

    if (!matrix_check(t, 0, false))
        return false;
    m = x.dims[x.rank - 2];
    n = x.dims[x.rank - 1];
    for (uint32_t i = 0; i + 2u < x.rank; i++)
        dims[i] = x.dims[i];
    type_out_like(t, x);
    dims[x.rank - 2] = dim_min(t->dims, m, n);
    type_out(t, WF_I32, dims, x.rank - 1u);
    dims[x.rank - 2] = m;
    type_out(t, WF_I32, dims, x.rank - 1u);
    return true;
}

static bool eval_lu(Eval *e)
{
    const Nd *x = &e->in[0];
    int64_t m = x->dims[x->rank - 2], n = x->dims[x->rank - 1], size = m * n;
    int32_t *pivot = e->out[1].data, *perm = e->out[2].data;
    double *a;

    if (m > INT32_MAX)
        return eval_fail(e, WF_ERR_LIMIT, "%lld rows, at most %d are possible",
                         (long long)m, INT32_MAX);
    if (dtype_is_complex(x->dtype))
        return eval_lu_complex(e);
    a = arena_array(e->a, (size_t)size, sizeof *a);
    for (int64_t k = 0; k < matrix_count(x); k++) {
        matrix_load(x, k, size, a);
        wx_lu(a, m, n, pivot + k * MIN(m, n), perm + k * m);
        matrix_store(&e->out[0], k, size, a);
    }
    return true;
}

/* Rows of x [.., m, n] in the order perm [.., m]. */
static Val permute_rows(Builder *b, Val x, Val perm, Type type)
{
    uint32_t r = type.rank;
    int64_t axes[MAX_RANK], sizes[MAX_RANK];
    int64_t row = (int64_t)r - 2, col = (int64_t)r - 1;
    GatherAttr a = {.offset_dims = {1, &col},
                    .collapsed = {1, &row},
                    .operand_batching = {r - 2, axes},
                    .indices_batching = {r - 2, axes},
                    .start_index_map = {1, &row},
                    .slice_sizes = {r, sizes},
                    .mode = INDEX_PROMISED};

    for (uint32_t i = 0; i < r; i++) {
        axes[i] = i;
        sizes[i] = 1;
    }
    sizes[r - 1] = type.dims[r - 1];
    return b_gather(b, x, b_expand(b, perm, r - 1), &a);
}

/* The left k columns (axis = rank-1) or upper k rows (axis = rank-2) of x, its triangle
 * `how` kept, padded with zeros to a square of size n, and ones on the diagonal from row
 * `ones` on. */
static Val square_factor(Builder *b, Val x, Type type, uint32_t axis, Dim k, Dim n,
                         OpCode how, Dim ones)
{
    uint32_t r = type.rank;
    Dim dims[MAX_RANK], lo[MAX_RANK] = {0}, hi[MAX_RANK] = {0};
    Val zero = b_scalar(b, (wf_dtype)type.dtype, 0), diagonal, row, first;

    for (uint32_t i = 0; i < r; i++)
        dims[i] = type.dims[i];
    x = b_slice_axis(b, x, axis, 0, k);
    dims[axis] = k;
    x = keep_triangle(b, x, how, dims, r);
    dims[axis] = n;
    hi[axis] = dim_sub(&b->dims, n, k);
    x = b_pad(b, x, zero, lo, hi, NULL);
    if (ones == n)
        return x;
    row = b_iota(b, WF_I64, dims, r, r - 2);
    first = b_broadcast_scalar(b, b_dim_value(b, ones), dims, r);
    diagonal = b_ge(b, row, first);
    diagonal = b_and(b, triangle_mask(b, OP_eq, dims, r), diagonal);
    return b_select(b, diagonal, b_one_like(b, x), x);
}

/* P A = L U with L [m,m] unit lower and U [n,n] upper triangular, both completed by the
 * identity where A is not square; LU holds both.
 *   W   = L^-1 (P dA) U^-1
 *   dLU = L tril(W, -1) + triu(W) U */
static void jvp_lu(Builder *b, const EqnView *e, const Val *dx, Val *dy)
{
    Type x = e->in_type[0];
    uint32_t r = x.rank;
    Dim m = x.dims[r - 2], n = x.dims[r - 1], k = dim_min(&b->dims, m, n);
    const SolveAttr from_left = {.left = true, .lower = true, .unit = true};
    const SolveAttr from_right = {.left = false};
    Val l, u, w, lower, upper;

    if (dx[0] == VAL_NONE)
        return;
    l = square_factor(b, e->out[0], x, r - 1, k, m, OP_gt, 0);
    u = square_factor(b, e->out[0], x, r - 2, k, n, OP_le, k);
    w = permute_rows(b, dx[0], e->out[2], x);
    w = triangle_solve(b, u, triangle_solve(b, l, w, from_left), from_right);
    lower = b_matmul(b, l, keep_triangle(b, w, OP_gt, x.dims, r));
    upper = b_matmul(b, keep_triangle(b, w, OP_le, x.dims, r), u);
    dy[0] = b_add(b, lower, upper);
}

Val matrix_solve(Builder *b, Val a, Val y, Type type)
{
    const SolveAttr first = {.left = true, .lower = true, .unit = true}, then = {.left = true};
    Val lu[3];

    b_eqn(b, OP_lu, &a, 1, NULL, lu, 3);
    y = triangle_solve(b, lu[0], permute_rows(b, y, lu[2], type), first);
    return triangle_solve(b, lu[0], y, then);
}

static double flops_lu(const SizedEqn *s) { return 2 * matrix_work(s) / 3; }

const OpRow op_row_lu = {
    .type = type_lu,
    .eval = eval_lu,
    .along = along_matrices,
    .flops = flops_lu,
    .lower = {.kind = LOWER_LIBRARY},
};
const OpRules op_rules_lu = {
    .doc = DOC(
        "lu, pivots, perm with A[perm] = L U, by partial pivoting, for each m by n "
        "matrix of the "
        "last two axes; f32, f64 and complex\n"
        "lu holds L below its diagonal (the ones are left out) and U on and above it. "
        "pivots "
        "i32[..,min(m,n)]: the row that step i exchanged with row i; perm i32[..,m]: "
        "the rows of "
        "A in their new order. The pivot is the first of the largest magnitudes (of complex "
        "numbers by |re| + |im|). A "
        "column without "
        "a pivot is left as zeros, so a singular A has a 0 on the diagonal of U and "
        "no error."),
    .jvp = jvp_lu,
    .batch = batch_leading,
};
