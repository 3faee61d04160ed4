/* op_linalg_complex.c -- factorisations of complex matrices: how each is evaluated, by op/factors_complex.h.
 *
 * As in op_linalg.c and op_spectral.c, whose rows come here for complex operands: leading axes are batch axes, all is
 * computed in f64 and rounded once.
 */
#include "op/linalg.h"
#include "op/pair.h"

static Pair *pairs(Eval *e, int64_t n) { return arena_array(e->a, (size_t)n, sizeof(Pair)); }

void pair_load(const Nd *x, int64_t k, int64_t size, Pair *out)
{
    for (int64_t i = 0; i < size; i++) {
        Scalar s = scalar_load(x->dtype, x->data, k * size + i);

        out[i] = pair(s.f, dtype_is_complex(x->dtype) ? s.im : 0);
    }
}

/* The real parts, if x is real. */
void pair_store(const Nd *x, int64_t k, int64_t size, const Pair *v)
{
    for (int64_t i = 0; i < size; i++)
        scalar_store(x->dtype, x->data, k * size + i,
                     (Scalar){.f = creal(v[i]), .im = cimag(v[i])});
}

bool eval_cholesky_complex(Eval *e)
{
    const Nd *x = &e->in[0];
    int64_t n = x->dims[x->rank - 1];
    Pair *a = pairs(e, n * n);

    for (int64_t k = 0; k < matrix_count(x); k++) {
        pair_load(x, k, n * n, a);
        wx_z_cholesky(a, n);
        pair_store(&e->out[0], k, n * n, a);
    }
    return true;
}

bool eval_triangular_solve_complex(Eval *e)
{
    const SolveAttr *s = e->attr;
    const Nd *a = &e->in[0], *y = &e->in[1];
    int64_t n = a->dims[a->rank - 1], rows = y->dims[y->rank - 2],
            cols = y->dims[y->rank - 1];
    bool trans = s->trans != !s->left, forward = s->lower != trans;
    Pair *as = pairs(e, n * n), *xs = pairs(e, rows * cols);

    for (int64_t k = 0; y->count && k < matrix_count(y); k++) {
        pair_load(a, k, n * n, as);
        pair_load(y, k, rows * cols, xs);
        if (s->left)
            wx_z_substitute(as, n, trans, forward, s->unit, xs, cols, cols);
        else
            for (int64_t i = 0; i < rows; i++)
                wx_z_substitute(as, n, trans, forward, s->unit, xs + i * cols, 1, 1);
        pair_store(&e->out[0], k, rows * cols, xs);
    }
    return true;
}

bool eval_lu_complex(Eval *e)
{
    const Nd *x = &e->in[0];
    int64_t m = x->dims[x->rank - 2], n = x->dims[x->rank - 1];
    int32_t *pivot = e->out[1].data, *perm = e->out[2].data;
    Pair *a = pairs(e, m * n);

    for (int64_t k = 0; k < matrix_count(x); k++) {
        pair_load(x, k, m * n, a);
        wx_z_lu(a, m, n, pivot + k * MIN(m, n), perm + k * m);
        pair_store(&e->out[0], k, m * n, a);
    }
    return true;
}

bool eval_qr_complex(Eval *e)
{
    const Nd *x = &e->in[0];
    int64_t m = x->dims[x->rank - 2], n = x->dims[x->rank - 1];
    int64_t k = e->out[0].dims[x->rank - 1];
    Pair *r = pairs(e, m * n), *q = pairs(e, m * k), *tau = pairs(e, MIN(m, n));

    for (int64_t i = 0; i < matrix_count(x); i++) {
        pair_load(x, i, m * n, r);
        wx_z_qr(r, m, n, q, k, tau);
        pair_store(&e->out[0], i, m * k, q);
        pair_store(&e->out[1], i, k * n, r);
    }
    return true;
}

bool eval_eigh_complex(Eval *e)
{
    const Nd *x = &e->in[0];
    int64_t n = x->dims[x->rank - 1];
    Pair *a = pairs(e, n * n), *v = pairs(e, n * n);
    double *w = arena_array(e->a, (size_t)(2 * n), sizeof *w);
    int64_t *order = arena_array(e->a, (size_t)n, sizeof *order);

    for (int64_t k = 0; k < matrix_count(x); k++) {
        pair_load(x, k, n * n, a);
        wx_z_eigh(a, n, w, v, w + n, order);
        matrix_store(&e->out[0], k, n, w);
        pair_store(&e->out[1], k, n * n, a);
    }
    return true;
}

/* Of a matrix wider than tall the factors of its adjoint, exchanged. */
bool eval_svd_complex(Eval *e)
{
    const Nd *x = &e->in[0];
    int64_t rows = x->dims[x->rank - 2], cols = x->dims[x->rank - 1];
    int64_t m = MAX(rows, cols), n = MIN(rows, cols), size = rows * cols;
    Pair *a = pairs(e, size), *g = pairs(e, size), *v = pairs(e, n * n), *u = pairs(e, size);
    double *s = arena_array(e->a, (size_t)(2 * n), sizeof *s);
    int64_t *order = arena_array(e->a, (size_t)n, sizeof *order);
    bool wide = rows < cols;

    for (int64_t i = 0; i < matrix_count(x); i++) {
        pair_load(x, i, size, wide ? a : g);
        if (wide)
            wx_z_adjoint(a, rows, cols, g);
        wx_z_svd(g, m, n, u, s, v, s + n, order);
        matrix_store(&e->out[1], i, n, s);
        wx_z_adjoint(wide ? u : g, wide ? m : n, n, a);
        pair_store(&e->out[2], i, n * cols, a);
        pair_store(&e->out[0], i, rows * n, wide ? g : u);
    }
    return true;
}
