/* op_eig.c -- eig: eigenvalues and eigenvectors of square matrices of any kind, by op/factors_eig.h. */
#include "op/linalg.h"

#include "op/factors_eig.h" /* its complex.h has a macro `complex`, which names of ops come before */

static bool type_eig(TypeRule *t)
{
    Type x = t->in[0];
    wf_dtype pairs;

    if (!matrix_check(t, 0, true))
        return false;
    pairs = dtype_pair(dtype_part((wf_dtype)x.dtype));
    type_out(t, pairs, x.dims, x.rank - 1u);
    type_out(t, pairs, x.dims, x.rank);
    return true;
}

static bool eval_eig(Eval *e)
{
    const Nd *in = &e->in[0];
    int64_t n = in->dims[in->rank - 1], size = n * n;
    Pair *a = arena_array(e->a, (size_t)size, sizeof *a), *q = arena_array(e->a, (size_t)size, sizeof *q),
         *v = arena_array(e->a, (size_t)size, sizeof *v), *w = arena_array(e->a, (size_t)n, sizeof *w),
         *x = arena_array(e->a, (size_t)n, sizeof *x);
    double *h = arena_array(e->a, (size_t)(2 * size + n), sizeof *h);
    wx_z_givens *turns = arena_array(e->a, (size_t)n, sizeof *turns);

    for (int64_t k = 0; k < matrix_count(in); k++) {
        if (dtype_is_complex(in->dtype)) {
            pair_load(in, k, size, a);
            wx_z_eig(a, n, w, v, q, x, turns);
        } else {
            matrix_load(in, k, size, h);
            wx_eig(h, n, w, v, h + size, h + 2 * size, a, q, x);
        }
        pair_store(&e->out[0], k, n, w);
        pair_store(&e->out[1], k, size, v);
    }
    return true;
}

/* With P = V^-1 dA V and F[i,j] = 1 / (w[j] - w[i]), 0 where they are equal:
 *   dw = diag(P)
 *   dV = U - V diag(re(V^H U)),  U = V (F * P)        their length stays 1 */
static void jvp_eig(Builder *b, const EqnView *e, const Val *dx, Val *dy)
{
    Type x = e->in_type[0];
    uint32_t r = x.rank;
    Dim n = x.dims[r - 1];
    Val w = e->out[0], v = e->out[1], p, u, along;
    wf_dtype pairs = b_dtype(b, w);

    if (dx[0] == VAL_NONE)
        return;
    p = b_matmul(b, b_dtype(b, dx[0]) == pairs ? dx[0] : b_cast(b, dx[0], pairs), v);
    x.dtype = (uint8_t)pairs;
    p = matrix_solve(b, v, p, x);
    dy[0] = matrix_diagonal(b, p, x.dims, r);
    u = b_matmul(b, v, b_mul(b, eigen_gaps(b, w, r, n), p));
    along = b_reduce_axis(b, OP_reduce_sum, b_real(b, b_mul(b, b_conj(b, v), u)), r - 2);
    along = b_broadcast_axis(b, b_cast(b, along, pairs), r - 2, n);
    dy[1] = b_sub(b, u, b_mul(b, v, along));
}

static double flops_eig(const SizedEqn *s) { return 25 * matrix_work(s); }

const OpRow op_row_eig = {
    .type = type_eig,
    .eval = eval_eig,
    .along = along_matrices,
    .flops = flops_eig,
    .lower = {.kind = LOWER_LIBRARY},
};
const OpRules op_rules_eig = {
    .doc = DOC(
        "w, V with A V = V diag(w) for each square matrix of the last two axes; f32, f64 and "
        "complex, w and V complex\n"
        "w [..,n] in the order in which they are found, of real matrices with pairs of conjugate "
        "numbers side by side; the columns of V have length 1. A matrix with a number that is not "
        "finite gives NaN. Where eigenvalues are equal the derivative leaves their vectors as they "
        "are."),
    .jvp = jvp_eig,
    .batch = batch_leading,
};
