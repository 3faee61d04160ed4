/* op_linalg_complex.c -- factorisations of complex matrices: how each is evaluated.
 *
 * As in op_linalg.c and op_spectral.c, whose rows come here for complex operands: leading
 * axes are batch axes, all is computed in f64 and rounded once. Where a factor may be
 * multiplied by a number of modulus 1, the choice is LAPACK's as far as its algorithm
 * fixes it: the diagonal of R is real; the first elements of the vectors of eigh, and of
 * the shorter side's of svd, are real.
 */
#include "op/linalg.h"
#include "op/pair.h"

#define SWEEPS 60

static Pair *pairs(Eval *e, int64_t n) { return arena_array(e->a, (size_t)n, sizeof(Pair)); }
static double square(Pair z) { return creal(z) * creal(z) + cimag(z) * cimag(z); }

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

bool pair_finite(const Pair *a, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (!isfinite(creal(a[i])) || !isfinite(cimag(a[i])))
            return false;
    return true;
}

void pair_fill_nan(Pair *a, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        a[i] = pair(NAN, NAN);
}

/* ---- cholesky, triangular_solve, lu ---------------------------------------------------- */

static bool factor_cholesky(Pair *a, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++) {
            Pair s = a[i * n + j];

            for (int64_t k = 0; k < j; k++)
                s -= pair_mul(a[i * n + k], conj(a[j * n + k]));
            if (i != j)
                a[i * n + j] = pair_div(s, a[j * n + j]);
            else if (creal(s) > 0)
                a[i * n + i] = sqrt(creal(s));
            else
                return false;
        }
    return true;
}

bool eval_cholesky_complex(Eval *e)
{
    const Nd *x = &e->in[0];
    int64_t n = x->dims[x->rank - 1];
    Pair *a = pairs(e, n * n);

    for (int64_t k = 0; k < matrix_count(x); k++) {
        pair_load(x, k, n * n, a);
        if (!factor_cholesky(a, n))
            pair_fill_nan(a, n * n);
        for (int64_t i = 0; i < n * n; i++)
            a[i] = i % n > i / n ? 0 : a[i];
        pair_store(&e->out[0], k, n * n, a);
    }
    return true;
}

/* As substitute in op_linalg.c. */
static void substitute(const Pair *a, int64_t n, bool trans, bool forward, bool unit, Pair *x,
                       int64_t step, int64_t count)
{
    for (int64_t t = 0; t < n; t++) {
        int64_t i = forward ? t : n - 1 - t;

        for (int64_t u = 0; u < t; u++) {
            int64_t j = forward ? u : n - 1 - u;
            Pair c = trans ? a[j * n + i] : a[i * n + j];

            for (int64_t k = 0; k < count; k++)
                x[i * step + k] -= pair_mul(c, x[j * step + k]);
        }
        for (int64_t k = 0; k < count && !unit; k++)
            x[i * step + k] = pair_div(x[i * step + k], a[i * n + i]);
    }
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
            substitute(as, n, trans, forward, s->unit, xs, cols, cols);
        else
            for (int64_t i = 0; i < rows; i++)
                substitute(as, n, trans, forward, s->unit, xs + i * cols, 1, 1);
        pair_store(&e->out[0], k, rows * cols, xs);
    }
    return true;
}

/* What pivots are chosen by: as LAPACK, |re| + |im|. */
static double size_of(Pair z) { return fabs(creal(z)) + fabs(cimag(z)); }

static void factor_lu(Pair *a, int64_t m, int64_t n, int32_t *pivot, int32_t *perm)
{
    for (int64_t i = 0; i < m; i++)
        perm[i] = (int32_t)i;
    for (int64_t k = 0; k < MIN(m, n); k++) {
        int64_t p = k;
        int32_t t = perm[k];

        for (int64_t i = k + 1; i < m; i++)
            if (size_of(a[i * n + k]) > size_of(a[p * n + k]))
                p = i;
        pivot[k] = (int32_t)p;
        perm[k] = perm[p];
        perm[p] = t;
        for (int64_t j = 0; j < n && p != k; j++) {
            Pair v = a[k * n + j];

            a[k * n + j] = a[p * n + j];
            a[p * n + j] = v;
        }
        for (int64_t i = k + 1; i < m && a[k * n + k] != 0; i++) {
            a[i * n + k] = pair_div(a[i * n + k], a[k * n + k]);
            for (int64_t j = k + 1; j < n; j++)
                a[i * n + j] -= pair_mul(a[i * n + k], a[k * n + j]);
        }
    }
}

bool eval_lu_complex(Eval *e)
{
    const Nd *x = &e->in[0];
    int64_t m = x->dims[x->rank - 2], n = x->dims[x->rank - 1];
    int32_t *pivot = e->out[1].data, *perm = e->out[2].data;
    Pair *a = pairs(e, m * n);

    for (int64_t k = 0; k < matrix_count(x); k++) {
        pair_load(x, k, m * n, a);
        factor_lu(a, m, n, pivot + k * MIN(m, n), perm + k * m);
        pair_store(&e->out[0], k, m * n, a);
    }
    return true;
}

/* ---- qr ---------------------------------------------------------------------------- */

/* Columns first.. of a [m, n]: a -= tau v (v^H a), v as in op_spectral.c. */
static void reflect(Pair *a, int64_t m, int64_t n, int64_t first, const Pair *r, int64_t rn,
                    int64_t from, Pair tau)
{
    for (int64_t j = first; j < n; j++) {
        Pair s = a[from * n + j];

        for (int64_t i = from + 1; i < m; i++)
            s += pair_mul(conj(r[i * rn + from]), a[i * n + j]);
        s = pair_mul(s, tau);
        a[from * n + j] -= s;
        for (int64_t i = from + 1; i < m; i++)
            a[i * n + j] -= pair_mul(s, r[i * rn + from]);
    }
}

/* The new diagonal element is real, of the sign opposite to the old one's real part. */
static Pair make_reflection(Pair *r, int64_t m, int64_t n, int64_t c)
{
    Pair head = r[c * n + c];
    double below = 0, norm;

    for (int64_t i = c + 1; i < m; i++)
        below = hypot(below, cabs(r[i * n + c]));
    if (below == 0 && cimag(head) == 0)
        return 0;
    norm = -copysign(hypot(cabs(head), below), creal(head));
    for (int64_t i = c + 1; i < m; i++)
        r[i * n + c] = pair_div(r[i * n + c], head - norm);
    r[c * n + c] = norm;
    return pair((norm - creal(head)) / norm, -cimag(head) / norm);
}

static void factor_qr(Pair *r, int64_t m, int64_t n, Pair *q, int64_t k, Pair *tau)
{
    int64_t steps = MIN(m, n);

    for (int64_t c = 0; c < steps; c++) {
        tau[c] = make_reflection(r, m, n, c);
        reflect(r, m, n, c + 1, r, n, c, conj(tau[c]));
    }
    for (int64_t i = 0; i < m * k; i++)
        q[i] = i / k == i % k;
    for (int64_t c = steps; c-- > 0;)
        reflect(q, m, k, c, r, n, c, tau[c]);
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < MIN(i, n); j++)
            r[i * n + j] = 0;
}

bool eval_qr_complex(Eval *e)
{
    const Nd *x = &e->in[0];
    int64_t m = x->dims[x->rank - 2], n = x->dims[x->rank - 1];
    int64_t k = e->out[0].dims[x->rank - 1];
    Pair *r = pairs(e, m * n), *q = pairs(e, m * k), *tau = pairs(e, MIN(m, n));

    for (int64_t i = 0; i < matrix_count(x); i++) {
        pair_load(x, i, m * n, r);
        if (pair_finite(r, m * n)) {
            factor_qr(r, m, n, q, k, tau);
        } else {
            pair_fill_nan(q, m * k);
            pair_fill_nan(r, m * n);
        }
        pair_store(&e->out[0], i, m * k, q);
        pair_store(&e->out[1], i, k * n, r);
    }
    return true;
}

/* ---- eigh, svd --------------------------------------------------------------------- */

/* The rotation of columns i and j, the second first multiplied by the unit number d. */
typedef struct Turn {
    int64_t i, j;
    double c, s;
    Pair d;
} Turn;

static Turn turn_of(int64_t i, int64_t j, double p, double q, Pair off)
{
    double o = cabs(off), tau = (q - p) / (2 * o);
    double t = copysign(1, tau) / (fabs(tau) + hypot(1, tau)), c = 1 / hypot(1, t);

    return (Turn){i, j, c, t * c, conj(off) / o};
}

/* `n` rows of a, `step` apart, elements of a row `by` apart. */
static void turn(Pair *a, int64_t n, int64_t step, int64_t by, Turn t)
{
    for (int64_t k = 0; k < n; k++) {
        Pair *x = a + k * step + t.i * by, *y = a + k * step + t.j * by;
        Pair u = *x, v = pair_mul(*y, t.d);

        *x = t.c * u - t.s * v;
        *y = t.s * u + t.c * v;
    }
}

static void rotate_hermitian(Pair *a, Pair *v, int64_t n)
{
    bool done = false;

    for (int sweep = 0; sweep < SWEEPS && !done; sweep++) {
        done = true;
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = i + 1; j < n; j++) {
                double p = creal(a[i * n + i]), q = creal(a[j * n + j]),
                       o = cabs(a[i * n + j]);
                Turn t;

                if (o <= 1e-17 * sqrt(fabs(p)) * sqrt(fabs(q)) || o < 1e-300)
                    continue;
                done = false;
                t = turn_of(i, j, p, q, a[i * n + j]);
                turn(a, n, n, 1, t);
                turn(v, n, n, 1, t);
                t.d = conj(t.d);
                turn(a, n, 1, n, t);
                a[i * n + j] = a[j * n + i] = 0;
                a[i * n + i] = creal(a[i * n + i]);
                a[j * n + j] = creal(a[j * n + j]);
            }
    }
}

static void sort_order(const double *w, int64_t n, bool down, int64_t *order)
{
    for (int64_t i = 0; i < n; i++) {
        int64_t at = i;

        for (; at > 0 && (down ? w[order[at - 1]] < w[i] : w[order[at - 1]] > w[i]); at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
}

/* The unit number that makes the first element of column c of v [n, step] real (the
 * largest, where the first is 0), and the real part of the largest not negative. */
static Pair column_phase(const Pair *v, int64_t n, int64_t step, int64_t c)
{
    int64_t top = 0;
    Pair first, phase;

    for (int64_t i = 1; i < n; i++)
        if (cabs(v[i * step + c]) > cabs(v[top * step + c]) * (1 + 1e-12))
            top = i;
    first = v[c];
    if (cabs(first) <= 1e-14 * cabs(v[top * step + c]))
        first = v[top * step + c];
    if (first == 0)
        return 1;
    phase = conj(first) / cabs(first);
    return creal(pair_mul(phase, v[top * step + c])) < 0 ? -phase : phase;
}

bool eval_eigh_complex(Eval *e)
{
    const Nd *x = &e->in[0];
    int64_t n = x->dims[x->rank - 1], size = n * n;
    Pair *a = pairs(e, size), *v = pairs(e, size), *w = pairs(e, n);
    double *key = arena_array(e->a, (size_t)n, sizeof *key);
    int64_t *order = arena_array(e->a, (size_t)n, sizeof *order);

    for (int64_t k = 0; k < matrix_count(x); k++) {
        pair_load(x, k, size, a);
        for (int64_t i = 0; i < size; i++) { /* of the lower triangle */
            if (i % n >= i / n)
                a[i] = i % n > i / n ? conj(a[i % n * n + i / n]) : creal(a[i]);
            v[i] = i % n == i / n;
        }
        if (pair_finite(a, size)) {
            rotate_hermitian(a, v, n);
            for (int64_t i = 0; i < n; i++)
                key[i] = creal(a[i * n + i]);
            sort_order(key, n, false, order);
            for (int64_t j = 0; j < n; j++) {
                Pair phase = column_phase(v, n, n, order[j]);

                w[j] = key[order[j]];
                for (int64_t i = 0; i < n; i++)
                    a[i * n + j] = pair_mul(phase, v[i * n + order[j]]);
            }
        } else {
            pair_fill_nan(a, size);
            pair_fill_nan(w, n);
        }
        pair_store(&e->out[0], k, n, w);
        pair_store(&e->out[1], k, size, a);
    }
    return true;
}

static void rotate_columns(Pair *g, Pair *v, int64_t m, int64_t n)
{
    bool done = false;

    for (int sweep = 0; sweep < SWEEPS && !done; sweep++) {
        done = true;
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = i + 1; j < n; j++) {
                double p = 0, q = 0;
                Pair o = 0;
                Turn t;

                for (int64_t k = 0; k < m; k++) {
                    p += square(g[k * n + i]);
                    q += square(g[k * n + j]);
                    o += pair_mul(conj(g[k * n + i]), g[k * n + j]);
                }
                if (cabs(o) <= 1e-16 * sqrt(p) * sqrt(q) || cabs(o) < 1e-300)
                    continue;
                done = false;
                t = turn_of(i, j, p, q, o);
                turn(g, m, n, 1, t);
                turn(v, n, n, 1, t);
            }
    }
}

/* A column of u that is 0 becomes one orthogonal to those before it. */
static void complete_column(Pair *u, int64_t m, int64_t n, int64_t c)
{
    double best = -1;
    int64_t axis = 0;

    for (int64_t i = 0; i < m; i++) {
        double left = 1;

        for (int64_t j = 0; j < c; j++)
            left -= square(u[i * n + j]);
        if (left > best) {
            best = left;
            axis = i;
        }
    }
    for (int64_t i = 0; i < m; i++)
        u[i * n + c] = i == axis;
    for (int pass = 0; pass < 2; pass++)
        for (int64_t j = 0; j < c; j++) {
            Pair d = 0;

            for (int64_t i = 0; i < m; i++)
                d += pair_mul(conj(u[i * n + j]), u[i * n + c]);
            for (int64_t i = 0; i < m; i++)
                u[i * n + c] -= pair_mul(d, u[i * n + j]);
        }
    best = 0;
    for (int64_t i = 0; i < m; i++)
        best = hypot(best, cabs(u[i * n + c]));
    for (int64_t i = 0; i < m; i++)
        u[i * n + c] /= best;
}

/* g [m, n], m >= n. u [m, n], s, and v [n, n] in g, in descending order of s. */
static void factor_svd(Pair *g, Pair *v, int64_t m, int64_t n, Pair *u, Pair *s, double *key,
                       int64_t *order)
{
    for (int64_t i = 0; i < n * n; i++)
        v[i] = i / n == i % n;
    rotate_columns(g, v, m, n);
    for (int64_t j = 0; j < n; j++) {
        key[j] = 0;
        for (int64_t i = 0; i < m; i++)
            key[j] = hypot(key[j], cabs(g[i * n + j]));
    }
    sort_order(key, n, true, order);
    for (int64_t j = 0; j < n; j++) {
        int64_t from = order[j];
        bool zero = key[from] <= 1e-15 * key[order[0]] * (double)m;
        Pair phase = column_phase(v, n, n, from);

        s[j] = key[from];
        for (int64_t i = 0; i < m; i++)
            u[i * n + j] = zero ? 0 : pair_mul(phase, g[i * n + from]) / key[from];
        if (zero)
            complete_column(u, m, n, j);
        for (int64_t i = 0; i < n; i++)
            v[i * n + from] = pair_mul(phase, v[i * n + from]);
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            g[i * n + j] = v[i * n + order[j]];
}

/* to [n, m] = from [m, n], conjugate and transposed. */
static void adjoint_to(const Pair *from, int64_t m, int64_t n, Pair *to)
{
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++)
            to[j * m + i] = conj(from[i * n + j]);
}

bool eval_svd_complex(Eval *e)
{
    const Nd *x = &e->in[0];
    int64_t rows = x->dims[x->rank - 2], cols = x->dims[x->rank - 1];
    int64_t m = MAX(rows, cols), n = MIN(rows, cols), size = rows * cols;
    Pair *a = pairs(e, size), *g = pairs(e, size), *v = pairs(e, n * n), *s = pairs(e, n),
         *u = pairs(e, size);
    double *key = arena_array(e->a, (size_t)n, sizeof *key);
    int64_t *order = arena_array(e->a, (size_t)n, sizeof *order);
    bool wide = rows < cols;

    for (int64_t i = 0; i < matrix_count(x); i++) {
        pair_load(x, i, size, a);
        if (wide)
            adjoint_to(a, rows, cols, g);
        else if (size)
            memcpy(g, a, (size_t)size * sizeof *a);
        if (pair_finite(a, size)) {
            factor_svd(g, v, m, n, u, s, key, order);
        } else {
            pair_fill_nan(u, size);
            pair_fill_nan(s, n);
            pair_fill_nan(g, n * n);
        }
        pair_store(&e->out[1], i, n, s);
        adjoint_to(wide ? u : g, wide ? m : n, n, a);
        pair_store(&e->out[2], i, n * cols, a);
        pair_store(&e->out[0], i, rows * n, wide ? g : u);
    }
    return true;
}
