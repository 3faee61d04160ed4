/* op_eig.c -- eig: eigenvalues and eigenvectors of square matrices of any kind.
 *
 * Householder reflections bring the matrix to Hessenberg form, QR steps that to Schur form:
 * steps with two shifts at once for real matrices, whose pairs of complex eigenvalues stay
 * 2 by 2 blocks of a real matrix, with one for complex ones. Eigenvectors are found by
 * substitution backwards and turned back. The order of the eigenvalues is that of the Schur
 * form, and vectors are scaled as LAPACK does: of length 1, the largest element of a complex
 * one real. Golub and Van Loan, Matrix Computations, 7.4 and 7.5.
 */
#include "op/linalg.h"
#include "op/pair.h"

#include <float.h>

#define STEPS 60 /* QR steps for an eigenvalue; two or three do */

/* ---- real matrices ------------------------------------------------------------------ */

/* Rows (of the columns from..n-1) and columns (of the rows 0..upto-1) at.. of h reflected by
 * 1 - tau v v^T of size k, and the columns of q. */
static void reflect_real(double *h, double *q, int64_t n, int64_t at, int64_t k,
                         const double *v, double tau, int64_t from, int64_t upto)
{
    for (int64_t j = from; j < n; j++) {
        double s = 0;

        for (int64_t i = 0; i < k; i++)
            s += v[i] * h[(at + i) * n + j];
        for (int64_t i = 0; i < k; i++)
            h[(at + i) * n + j] -= tau * s * v[i];
    }
    for (int64_t r = 0; r < n; r++) {
        double s = 0, t = 0;

        for (int64_t i = 0; i < k; i++) {
            s += r < upto ? v[i] * h[r * n + at + i] : 0;
            t += v[i] * q[r * n + at + i];
        }
        for (int64_t i = 0; i < k; i++) {
            if (r < upto)
                h[r * n + at + i] -= tau * s * v[i];
            q[r * n + at + i] -= tau * t * v[i];
        }
    }
}

/* v [k] becomes the reflection's vector that takes it to (result, 0, ..); tau. */
static double real_reflection(double *v, int64_t k, double *tau)
{
    double below = 0, norm, head = v[0];

    for (int64_t i = 1; i < k; i++)
        below = hypot(below, v[i]);
    *tau = 0;
    if (below == 0)
        return head;
    norm = -copysign(hypot(head, below), head);
    *tau = (norm - head) / norm;
    for (int64_t i = 1; i < k; i++)
        v[i] /= head - norm;
    v[0] = 1;
    return norm;
}

static void exchange(double *h, double *q, int64_t n, int64_t a, int64_t b)
{
    for (int64_t i = 0; i < n; i++) {
        double x = h[i * n + a], y = q[i * n + a];

        h[i * n + a] = h[i * n + b];
        h[i * n + b] = x;
        q[i * n + a] = q[i * n + b];
        q[i * n + b] = y;
    }
    for (int64_t j = 0; j < n; j++) {
        double x = h[a * n + j];

        h[a * n + j] = h[b * n + j];
        h[b * n + j] = x;
    }
}

/* Is all beside the diagonal 0 in row r (column r) of the part lo..hi of h? */
static bool stands_alone(const double *h, int64_t n, int64_t r, int64_t lo, int64_t hi, bool row)
{
    for (int64_t j = lo; j <= hi; j++)
        if (j != r && (row ? h[r * n + j] : h[j * n + r]) != 0)
            return false;
    return true;
}

/* Rows that hold an eigenvalue by themselves go to the end, such columns to the front. */
static void set_apart(double *h, double *q, int64_t n)
{
    int64_t lo = 0, hi = n - 1, j;

    for (int64_t i = 0; i < n * n; i++)
        q[i] = i / n == i % n;
    for (j = hi; j >= 0; j--)
        if (stands_alone(h, n, j, 0, hi, true)) {
            exchange(h, q, n, j, hi);
            j = hi--; /* from the new end on again */
        }
    for (j = lo; j <= hi; j++)
        if (stands_alone(h, n, j, lo, hi, false)) {
            exchange(h, q, n, j, lo);
            j = lo++;
        }
}

static void real_hessenberg(double *h, double *q, int64_t n, double *v)
{
    set_apart(h, q, n);
    for (int64_t c = 0; c + 2 < n; c++) {
        int64_t k = n - c - 1;
        double tau, head;

        for (int64_t i = 0; i < k; i++)
            v[i] = h[(c + 1 + i) * n + c];
        head = real_reflection(v, k, &tau);
        if (tau == 0)
            continue;
        reflect_real(h, q, n, c + 1, k, v, tau, c + 1, n);
        for (int64_t i = 0; i < k; i++)
            h[(c + 1 + i) * n + c] = i ? 0 : head;
    }
}

/* The start of the part that ends in row i and does not fall apart. */
static int64_t real_start(const double *h, int64_t n, int64_t i)
{
    int64_t k;

    for (k = i; k > 0; k--) {
        double near = fabs(h[k * n + k]) + fabs(h[(k - 1) * n + k - 1]);

        if (fabs(h[k * n + k - 1]) <= DBL_EPSILON * near ||
            fabs(h[k * n + k - 1]) < DBL_MIN)
            break;
    }
    return k;
}

/* One QR step with the two eigenvalues of the last block as shifts, or twice with the one of
 * two real ones that is nearer to the last element, of rows l..i. */
static void double_step(double *h, double *q, int64_t n, int64_t l, int64_t i, int its)
{
    double p = h[(i - 1) * n + i - 1], d = h[i * n + i], s = p + d, tau, head;
    double off = h[(i - 1) * n + i] * h[i * n + i - 1], t = p * d - off;
    double gap = (p - d) / 2 * ((p - d) / 2) + off, v[3], a = h[l * n + l], b = h[l * n + l + 1], c = h[(l + 1) * n + l];

    if (its % 10 == 9) { /* it goes round in circles */
        double w = fabs(h[i * n + i - 1]) + fabs(h[(i - 1) * n + i - 2]);

        s = 1.5 * w;
        t = w * w;
    } else if (gap > 0) {
        double shift = s / 2 + (p > d ? -sqrt(gap) : sqrt(gap));

        s = 2 * shift;
        t = shift * shift;
    }
    v[0] = a * a + b * c - s * a + t;
    v[1] = c * (a + h[(l + 1) * n + l + 1] - s);
    v[2] = c * h[(l + 2) * n + l + 1];
    for (int64_t k = l; k < i; k++) {
        int64_t size = i - k > 1 ? 3 : 2;

        if (k > l)
            for (int64_t j = 0; j < size; j++)
                v[j] = h[(k + j) * n + k - 1];
        head = real_reflection(v, size, &tau);
        reflect_real(h, q, n, k, size, v, tau, k > l ? k - 1 : k, MIN(i, k + 3) + 1);
        if (k > l)
            for (int64_t j = 0; j < size; j++)
                h[(k + j) * n + k - 1] = j ? 0 : head;
    }
}

/* The rotation (cosine, sine) that makes the block (a, b; c, d) upper triangular or, if its
 * eigenvalues are not real, its diagonal one number. */
static void standard_rotation(double a, double b, double c, double d, double *cs, double *sn)
{
    double p = (a - d) / 2, big = fmax(fabs(b), fabs(c)),
           small = copysign(fmin(fabs(b), fabs(c)), b) * copysign(1, c),
           scale = fmax(fabs(p), big), z = scale > 0 ? p / scale * p + big / scale * small : 0;

    *cs = 1;
    *sn = 0;
    if (c == 0 || (p == 0 && b != 0 && (b > 0) != (c > 0)))
        return;
    if (b == 0) {
        *cs = 0;
        *sn = 1;
    } else if (z >= 0) {
        double root = p + copysign(sqrt(scale) * sqrt(z), p), r = hypot(c, root);

        *cs = root / r;
        *sn = c / r;
    } else {
        double sigma = b + c, r = hypot(sigma, a - d);

        *cs = sqrt((1 + fabs(sigma) / r) / 2);
        *sn = -p / (r * *cs) * copysign(1, sigma);
    }
}

/* The block at rows k, k+1, done: its eigenvalues. */
static void finish_block(double *h, double *q, int64_t n, int64_t k, Pair *w)
{
    double *a = &h[k * n + k], *b = a + 1, *c = a + n, *d = c + 1, cs, sn, mean;

    standard_rotation(*a, *b, *c, *d, &cs, &sn);
    for (int64_t j = k; j < n; j++) {
        double x = h[k * n + j], y = h[(k + 1) * n + j];

        h[k * n + j] = cs * x + sn * y;
        h[(k + 1) * n + j] = cs * y - sn * x;
    }
    for (int64_t r = 0; r < n; r++) {
        double x = h[r * n + k], y = h[r * n + k + 1], u = q[r * n + k], v = q[r * n + k + 1];

        if (r < k + 2) {
            h[r * n + k] = cs * x + sn * y;
            h[r * n + k + 1] = cs * y - sn * x;
        }
        q[r * n + k] = cs * u + sn * v;
        q[r * n + k + 1] = cs * v - sn * u;
    }
    if (*b != 0 && *c != 0 && (*b > 0) != (*c > 0) &&
        fabs(*a - *d) <= 8 * DBL_EPSILON * (fabs(*a) + fabs(*d) + fabs(*b) + fabs(*c))) {
        mean = (*a + *d) / 2;
        *a = *d = mean;
        w[k] = pair(mean, sqrt(fabs(*b)) * sqrt(fabs(*c)));
        w[k + 1] = conj(w[k]);
        return;
    }
    *c = 0;
    w[k] = *a;
    w[k + 1] = *d;
}

/* h becomes its Schur form q^T h q. False: no convergence. */
static bool real_schur(double *h, double *q, int64_t n, Pair *w, double *v)
{
    real_hessenberg(h, q, n, v);
    for (int64_t i = n - 1; i >= 0;) {
        int its = 0;
        int64_t l = real_start(h, n, i);

        for (; l < i - 1 && its < STEPS; its++, l = real_start(h, n, i))
            double_step(h, q, n, l, i, its);
        if (l < i - 1)
            return false;
        if (l > 0)
            h[l * n + l - 1] = 0;
        if (l == i)
            w[i] = h[i * n + i];
        else
            finish_block(h, q, n, l, w);
        i = l - 1;
    }
    return true;
}

/* ---- complex matrices --------------------------------------------------------------- */

/* Rows k, k+1 (columns from..) times (c, s; -conj(s), c), or columns (rows 0..upto-1) times
 * its adjoint. */
typedef struct Givens {
    double c;
    Pair s;
} Givens;

static Givens givens_of(Pair f, Pair g)
{
    double r = hypot(cabs(f), cabs(g)), size = cabs(f);

    if (g == 0)
        return (Givens){1, 0};
    if (size == 0)
        return (Givens){0, conj(g) / cabs(g)};
    return (Givens){size / r, pair_mul(f / size, conj(g)) / r};
}

static void turn_rows(Pair *h, int64_t n, int64_t k, int64_t from, Givens g)
{
    for (int64_t j = from; j < n; j++) {
        Pair x = h[k * n + j], y = h[(k + 1) * n + j];

        h[k * n + j] = g.c * x + pair_mul(g.s, y);
        h[(k + 1) * n + j] = g.c * y - pair_mul(conj(g.s), x);
    }
}

static void turn_columns(Pair *h, int64_t n, int64_t k, int64_t upto, Givens g)
{
    for (int64_t i = 0; i < upto; i++) {
        Pair x = h[i * n + k], y = h[i * n + k + 1];

        h[i * n + k] = g.c * x + pair_mul(conj(g.s), y);
        h[i * n + k + 1] = g.c * y - pair_mul(g.s, x);
    }
}

/* By rotations: element (i, c) is taken into the one above it. */
static void complex_hessenberg(Pair *h, Pair *q, int64_t n)
{
    for (int64_t i = 0; i < n * n; i++)
        q[i] = i / n == i % n;
    for (int64_t c = 0; c + 2 < n; c++)
        for (int64_t i = n - 1; i > c + 1; i--) {
            Givens g = givens_of(h[(i - 1) * n + c], h[i * n + c]);

            turn_rows(h, n, i - 1, c, g);
            turn_columns(h, n, i - 1, n, g);
            turn_columns(q, n, i - 1, n, g);
            h[i * n + c] = 0;
        }
}

/* The eigenvalue of the last block that is nearer to its last element. */
static Pair shift_of(const Pair *h, int64_t n, int64_t i)
{
    Pair a = h[(i - 1) * n + i - 1], d = h[i * n + i],
         bc = pair_mul(h[(i - 1) * n + i], h[i * n + i - 1]), p = (a - d) / 2,
         root = csqrt(pair_mul(p, p) + bc);

    if (creal(pair_mul(p, conj(root))) < 0)
        root = -root;
    return p + root == 0 ? d : d - pair_div(bc, p + root);
}

static int64_t complex_start(const Pair *h, int64_t n, int64_t i)
{
    int64_t k;

    for (k = i; k > 0; k--) {
        double near = cabs(h[k * n + k]) + cabs(h[(k - 1) * n + k - 1]);

        if (cabs(h[k * n + k - 1]) <= DBL_EPSILON * near || cabs(h[k * n + k - 1]) < DBL_MIN)
            break;
    }
    return k;
}

static void single_step(Pair *h, Pair *q, int64_t n, int64_t l, int64_t i, int its,
                        Givens *turns)
{
    Pair shift = its % 10 == 9 ? cabs(h[i * n + i - 1]) + h[i * n + i] : shift_of(h, n, i);

    for (int64_t k = l; k <= i; k++)
        h[k * n + k] -= shift;
    for (int64_t k = l; k < i; k++) {
        turns[k] = givens_of(h[k * n + k], h[(k + 1) * n + k]);
        turn_rows(h, n, k, k, turns[k]);
        h[(k + 1) * n + k] = 0;
    }
    for (int64_t k = l; k < i; k++) {
        turn_columns(h, n, k, k + 2, turns[k]);
        turn_columns(q, n, k, n, turns[k]);
    }
    for (int64_t k = l; k <= i; k++)
        h[k * n + k] += shift;
}

static bool complex_schur(Pair *h, Pair *q, int64_t n, Pair *w, Givens *turns)
{
    complex_hessenberg(h, q, n);
    for (int64_t i = n - 1; i >= 0; i--) {
        int its = 0;
        int64_t l;

        for (; (l = complex_start(h, n, i)) < i && its < STEPS; its++)
            single_step(h, q, n, l, i, its, turns);
        if (l < i)
            return false;
        if (i > 0)
            h[i * n + i - 1] = 0;
        w[i] = h[i * n + i];
    }
    return true;
}

/* ---- vectors ------------------------------------------------------------------------- */

/* x with (T - w) x = 0, its elements from `top` on given; T has blocks of 2 by 2. */
static void solve_upwards(const Pair *t, int64_t n, Pair w, int64_t top, int64_t end, Pair *x)
{
    double least = fmax(DBL_EPSILON * cabs(w), DBL_MIN / DBL_EPSILON);

    for (int64_t i = top - 1; i >= 0; i--) {
        Pair s[2] = {0, 0}, a, b, c, d, det;
        int64_t rows = i > 0 && t[i * n + i - 1] != 0 ? 2 : 1;

        for (int64_t r = 0; r < rows; r++)
            for (int64_t j = i + 1; j < end; j++)
                s[r] -= pair_mul(t[(i - r) * n + j], x[j]);
        a = t[i * n + i] - w;
        if (rows == 1) {
            x[i] = pair_div(s[0], cabs(a) < least ? least : a);
            continue;
        }
        b = t[i * n + i - 1];
        c = t[(i - 1) * n + i];
        d = t[(i - 1) * n + i - 1] - w;
        det = pair_mul(a, d) - pair_mul(b, c);
        if (cabs(det) < least * least)
            det = least * least;
        x[i] = pair_div(pair_mul(s[0], d) - pair_mul(b, s[1]), det);
        x[i - 1] = pair_div(pair_mul(a, s[1]) - pair_mul(c, s[0]), det);
        i--;
    }
}

/* Column c of v: q x of length 1. A complex one is turned so that its largest element is
 * real: positive or, for real matrices, of the sign of its real part. */
static void put_vector(const Pair *q, const Pair *x, int64_t n, int64_t end, Pair *v, int64_t c,
                       bool is_real, bool turns)
{
    double length = 0, sign = 1;
    int64_t top = 0;

    for (int64_t i = 0; i < n; i++) {
        Pair s = 0;

        for (int64_t j = 0; j < end; j++)
            s += pair_mul(q[i * n + j], x[j]);
        v[i * n + c] = s;
        length = hypot(length, cabs(s));
        if (cabs(s) > cabs(v[top * n + c]))
            top = i;
    }
    if (is_real && creal(v[top * n + c]) < 0)
        sign = -1;
    for (int64_t i = 0; i < n; i++)
        v[i * n + c] /= length;
    if (turns) {
        Pair phase = sign * conj(v[top * n + c]) / cabs(v[top * n + c]);

        for (int64_t i = 0; i < n; i++)
            v[i * n + c] = i == top ? sign * cabs(v[i * n + c]) : pair_mul(phase, v[i * n + c]);
    }
}

static void eigenvectors(const Pair *t, const Pair *q, int64_t n, const Pair *w, bool is_real,
                         Pair *x, Pair *v)
{
    for (int64_t k = n - 1; k >= 0; k--) {
        if (k > 0 && t[k * n + k - 1] != 0) {
            Pair b = t[(k - 1) * n + k], c = t[k * n + k - 1];
            double im = cimag(w[k - 1]);

            x[k - 1] = cabs(b) >= cabs(c) ? 1 : -im / creal(c);
            x[k] = cabs(b) >= cabs(c) ? pair(0, im / creal(b)) : pair(0, 1);
            solve_upwards(t, n, w[k - 1], k - 1, k + 1, x);
            put_vector(q, x, n, k + 1, v, k - 1, true, true);
            for (int64_t i = 0; i < n; i++)
                v[i * n + k] = conj(v[i * n + k - 1]);
            k--;
            continue;
        }
        x[k] = 1;
        solve_upwards(t, n, w[k], k, k + 1, x);
        put_vector(q, x, n, k + 1, v, k, is_real, !is_real);
    }
}

/* ---- the op -------------------------------------------------------------------------- */

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
    bool is_real = !dtype_is_complex(in->dtype);
    Pair *a = arena_array(e->a, (size_t)size, sizeof *a), *q = arena_array(e->a, (size_t)size, sizeof *q),
         *v = arena_array(e->a, (size_t)size, sizeof *v), *w = arena_array(e->a, (size_t)n, sizeof *w),
         *x = arena_array(e->a, (size_t)n, sizeof *x);
    double *h = arena_array(e->a, (size_t)(2 * size + n), sizeof *h);
    Givens *turns = arena_array(e->a, (size_t)n, sizeof *turns);

    for (int64_t k = 0; k < matrix_count(in); k++) {
        bool ok;

        pair_load(in, k, size, a);
        ok = pair_finite(a, size);
        if (ok && is_real) {
            matrix_load(in, k, size, h);
            ok = real_schur(h, h + size, n, w, h + 2 * size);
            for (int64_t i = 0; i < size; i++) {
                a[i] = h[i];
                q[i] = h[size + i];
            }
        } else if (ok) {
            ok = complex_schur(a, q, n, w, turns);
        }
        if (ok) {
            eigenvectors(a, q, n, w, is_real, x, v);
        } else {
            pair_fill_nan(w, n);
            pair_fill_nan(v, size);
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
