/* test_kernels_linalg.c -- factorisations by kernels: small ones against the ops' eval rules,
 * all by what they must satisfy; every instruction set, f32 and f64, any shape, batches;
 * matrices that are singular, of low rank, with equal or tiny values, very large and very
 * small numbers, NaN; equal bits for any number of threads; and no more workspace than is
 * asked for.
 */
#include "lib_check.h"

#include "kernels/linalg.h"
#include "op/op.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#define FENCE 64 /* bytes behind every array that must stay as they are */

static void run_backwards(void *ctx, int n, void (*fn)(void *user, int i), void *user)
{
    (void)ctx;
    while (n-- > 0)
        fn(user, n);
}

typedef struct Job {
    KLinalg k;
    int64_t in_n[2], out_n[3]; /* elements, of all matrices */
    double *in[2], *out[3];    /* as f64, whatever the kernel's type */
    int isa;
} Job;

static bool is_whole(const Job *j, int i) { return j->k.op == KL_LU && i > 0; }

static Job job_open(KLinalgOp op, KType type, int64_t count, int64_t m, int64_t n,
                    bool full)
{
    int64_t k = full ? m : MIN(m, n);
    Job j = {.k = {.op = op, .type = type, .count = count, .m = m, .n = n, .k = k}};
    int64_t in[][2] = {{n * n, 0}, {n * n, m * n}, {m * n, 0},
                       {m * n, 0}, {n * n, 0},     {m * n, 0}};
    int64_t out[][3] = {{n * n, 0, 0},     {m * n, 0, 0}, {m * n, MIN(m, n), m},
                        {m * k, k * n, 0}, {n, n * n, 0}, {m * k, k, k * n}};

    for (int i = 0; i < 2; i++) {
        j.in_n[i] = count * in[op][i];
        j.in[i] = calloc((size_t)j.in_n[i] + 1, sizeof(double));
        for (int64_t e = 0; e < j.in_n[i]; e++)
            j.in[i][e] = (float)(2 * test_random_unit() - 1);
    }
    for (int i = 0; i < 3; i++) {
        j.out_n[i] = count * out[op][i];
        j.out[i] = calloc((size_t)j.out_n[i] + 1, sizeof(double));
    }
    return j;
}

static void job_close(Job *j)
{
    for (int i = 0; i < 2; i++)
        free(j->in[i]);
    for (int i = 0; i < 3; i++)
        free(j->out[i]);
}

/* Symmetric and diagonally dominant, or triangular with a good diagonal. */
static void make_definite(Job *j)
{
    int64_t n = j->k.n;

    for (int64_t b = 0; b < j->k.count; b++)
        for (int64_t i = 0; i < n; i++)
            j->in[0][(b * n + i) * n + i] = (double)(n + 1 + i % 3);
}

static void *fenced(size_t bytes)
{
    char *p = malloc(bytes + FENCE);

    memset(p, 0xa5, bytes + FENCE);
    return p;
}

static void check_fence(const void *p, size_t bytes)
{
    for (size_t i = 0; i < FENCE; i++)
        if (((const unsigned char *)p)[bytes + i] != 0xa5)
            check_fail(__FILE__, __LINE__, "byte %d behind the end is written", (int)i);
}

static size_t size_of(const Job *j) { return j->k.type == KT_F64 ? 8 : 4; }

/* Runs it with so many threads; results come to raw, which must be freed. */
static void run_raw(Job *j, int threads, void **raw)
{
    const Kernels *kernels = kernels_for(j->isa);
    KPar par = {NULL, threads, threads > 1 ? run_backwards : NULL};
    void *in[2], *work;

    for (int i = 0; i < 2; i++) {
        in[i] = malloc((size_t)j->in_n[i] * 8 + 1);
        for (int64_t e = 0; e < j->in_n[i]; e++)
            if (j->k.type == KT_F64)
                ((double *)in[i])[e] = j->in[i][e];
            else
                ((float *)in[i])[e] = (float)j->in[i][e];
    }
    for (int i = 0; i < 3; i++)
        raw[i] = fenced((size_t)j->out_n[i] * (is_whole(j, i) ? 4 : size_of(j)));
    klinalg_init(&j->k, kernels, threads);
    work = fenced(j->k.workspace);
    klinalg_run(&j->k, kernels, (const void *const *)in, raw, &par, work);
    check_fence(work, j->k.workspace);
    for (int i = 0; i < 3; i++)
        check_fence(raw[i], (size_t)j->out_n[i] * (is_whole(j, i) ? 4 : size_of(j)));
    free(work);
    free(in[0]);
    free(in[1]);
}

static void run_job(Job *j)
{
    void *raw[3];

    run_raw(j, 1, raw);
    for (int i = 0; i < 3; i++)
        for (int64_t e = 0; e < j->out_n[i]; e++)
            j->out[i][e] = is_whole(j, i)        ? ((int32_t *)raw[i])[e]
                           : j->k.type == KT_F64 ? ((double *)raw[i])[e]
                                                 : ((float *)raw[i])[e];
    for (int threads = 2; threads <= 5; threads += 3) {
        void *other[3];

        run_raw(j, threads, other);
        for (int i = 0; i < 3; i++) {
            if (memcmp(raw[i], other[i],
                       (size_t)j->out_n[i] * (is_whole(j, i) ? 4 : size_of(j))) != 0)
                check_fail(__FILE__, __LINE__,
                           "op %d, %d by %d: result %d differs with %d threads", j->k.op,
                           (int)j->k.m, (int)j->k.n, i, threads);
            free(other[i]);
        }
    }
    for (int i = 0; i < 3; i++)
        free(raw[i]);
}

/* ---- what must hold ------------------------------------------------------------------- */

/* The largest |a b - c|, of a [m,k] and b [k,n]; c NULL: the identity. */
static double residual(const double *a, bool at, const double *b, bool bt,
                       const double *c, int64_t m, int64_t n, int64_t k)
{
    double worst = 0;

    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            double s = c ? -c[i * n + j] : i == j ? -1 : 0;

            for (int64_t q = 0; q < k; q++)
                s += (at ? a[q * m + i] : a[i * k + q]) *
                     (bt ? b[j * k + q] : b[q * n + j]);
            worst = isnan(s) ? INFINITY : MAX(worst, fabs(s));
        }
    return worst;
}

static void hold(const Job *j, const char *what, double found, double scale)
{
    double eps = j->k.type == KT_F64 ? DBL_EPSILON : FLT_EPSILON;
    double most = 20 * eps * scale * (double)(MAX(j->k.m, j->k.n) + 4);

    if (!(found <= most))
        check_fail(__FILE__, __LINE__,
                   "isa %d, f%d, %d by %d: %s is off by %g, at most %g", j->isa,
                   (int)size_of(j) * 8, (int)j->k.m, (int)j->k.n, what, found, most);
}

static double norm_of(const double *x, int64_t n)
{
    double s = 0;

    for (int64_t i = 0; i < n; i++)
        s = MAX(s, fabs(x[i]));
    return s * sqrt((double)n);
}

/* Columns of x [m,k] (rows of x [k,m]: turned) times s. */
static double *scaled(const double *x, const double *s, int64_t m, int64_t k)
{
    double *y = malloc((size_t)(m * k + 1) * sizeof *y);

    for (int64_t i = 0; i < m * k; i++)
        y[i] = x[i] * s[i % k];
    return y;
}

static void check_cholesky(const Job *j, int64_t b)
{
    int64_t n = j->k.n;
    double *a = malloc((size_t)(n * n + 1) * sizeof *a), *l = j->out[0] + b * n * n;

    for (int64_t i = 0; i < n * n; i++)
        a[i] = j->in[0][b * n * n + (i % n > i / n ? i % n * n + i / n : i)];
    hold(j, "L L^T", residual(l, false, l, true, a, n, n, n), norm_of(a, n * n));
    for (int64_t i = 0; i < n * n; i++)
        if (i % n > i / n)
            CHECK(l[i] == 0);
    free(a);
}

static void check_solve(const Job *j, int64_t b)
{
    int64_t n = j->k.n, m = j->k.m;
    double *t = calloc((size_t)(n * n + 1), sizeof *t), *x = j->out[0] + b * m * n;
    const double *y = j->in[1] + b * m * n;

    for (int64_t i = 0; i < n * n; i++) {
        bool in = j->k.lower ? i % n <= i / n : i % n >= i / n;

        t[i] = in ? j->in[0][b * n * n + i] : 0;
        if (i % n == i / n && j->k.unit)
            t[i] = 1;
    }
    hold(j, "the solution",
         j->k.left ? residual(t, j->k.trans, x, false, y, n, m, n)
                   : residual(x, false, t, j->k.trans, y, m, n, n),
         norm_of(t, n * n) * norm_of(x, m * n));
    free(t);
}

static void check_lu(const Job *j, int64_t b)
{
    int64_t m = j->k.m, n = j->k.n, k = MIN(m, n);
    double *l = calloc((size_t)(m * k + 1), sizeof *l),
           *u = calloc((size_t)(k * n + 1), sizeof *u),
           *a = malloc((size_t)(m * n + 1) * sizeof *a);
    const double *lu = j->out[0] + b * m * n, *perm = j->out[2] + b * m;

    for (int64_t i = 0; i < m; i++)
        for (int64_t c = 0; c < n; c++) {
            if (c < i && c < k)
                l[i * k + c] = lu[i * n + c];
            else if (i < k)
                u[i * n + c] = lu[i * n + c];
            a[i * n + c] = j->in[0][(b * m + (int64_t)perm[i]) * n + c];
        }
    for (int64_t i = 0; i < k; i++)
        l[i * k + i] = 1;
    for (int64_t i = 0; i < m * k; i++)
        CHECK(fabs(l[i]) <= 1);
    hold(j, "L U", residual(l, false, u, false, a, m, n, k), 4 * norm_of(a, m * n));
    free(l);
    free(u);
    free(a);
}

static void check_qr(const Job *j, int64_t b)
{
    int64_t m = j->k.m, n = j->k.n, k = j->k.k;
    const double *q = j->out[0] + b * m * k, *r = j->out[1] + b * k * n,
                 *a = j->in[0] + b * m * n;

    hold(j, "Q R", residual(q, false, r, false, a, m, n, k), norm_of(a, m * n));
    hold(j, "Q^T Q", residual(q, true, q, false, NULL, k, k, m), 1);
    for (int64_t i = 0; i < k * n; i++)
        if (i / n > i % n)
            CHECK(r[i] == 0);
}

static void check_eigh(const Job *j, int64_t b)
{
    int64_t n = j->k.n;
    const double *w = j->out[0] + b * n, *v = j->out[1] + b * n * n;
    double *vw = scaled(v, w, n, n), *a = malloc((size_t)(n * n + 1) * sizeof *a);

    for (int64_t i = 0; i < n * n; i++)
        a[i] = j->in[0][b * n * n + (i % n > i / n ? i % n * n + i / n : i)];
    hold(j, "V W V^T", residual(vw, false, v, true, a, n, n, n), norm_of(a, n * n));
    hold(j, "V^T V", residual(v, true, v, false, NULL, n, n, n), 1);
    for (int64_t i = 1; i < n; i++)
        CHECK(w[i - 1] <= w[i]);
    free(vw);
    free(a);
}

static void check_svd(const Job *j, int64_t b)
{
    int64_t m = j->k.m, n = j->k.n, k = j->k.k;
    const double *u = j->out[0] + b * m * k, *s = j->out[1] + b * k,
                 *vt = j->out[2] + b * k * n, *a = j->in[0] + b * m * n;
    double *us = scaled(u, s, m, k);

    hold(j, "U S V^T", residual(us, false, vt, false, a, m, n, k), norm_of(a, m * n));
    hold(j, "U^T U", residual(u, true, u, false, NULL, k, k, m), 1);
    hold(j, "V V^T", residual(vt, false, vt, true, NULL, k, k, n), 1);
    for (int64_t i = 0; i < k; i++)
        CHECK(s[i] >= 0 && (i == 0 || s[i] <= s[i - 1]));
    free(us);
}

static void check_job(Job *j)
{
    static void (*const check[])(const Job *j, int64_t b) = {
        check_cholesky, check_solve, check_lu, check_qr, check_eigh, check_svd};

    run_job(j);
    for (int64_t b = 0; b < j->k.count && check_ok(); b++)
        check[j->k.op](j, b);
}

/* ---- shapes --------------------------------------------------------------------------- */

static const int sizes[] = {1, 2, 3, 8, 16, 17, 32, 33, 50, 64, 65, 97, 140};

static void check_shape(KLinalgOp op, KType type, int isa, int64_t count, int64_t m,
                        int64_t n)
{
    Job j = job_open(op, type, count, m, n, op == KL_QR && test_random_below(2));

    j.isa = isa;
    if (op == KL_CHOLESKY || op == KL_SOLVE)
        make_definite(&j);
    if (op == KL_SOLVE) {
        j.k.left = (int)test_random_below(2);
        j.k.lower = (int)test_random_below(2);
        j.k.trans = (int)test_random_below(2);
        j.k.unit = 0;
    }
    check_job(&j);
    job_close(&j);
}

static void check_shapes(KLinalgOp op, bool square)
{
    for (int isa = 0; isa < 3; isa++)
        for (int t = 0; t < 2 && kernels_for(isa); t++)
            for (int i = 0; i < COUNT(sizes) && check_ok(); i++) {
                int64_t n = sizes[i],
                        m = square ? n : sizes[test_random_below(COUNT(sizes))];

                check_shape(op, t ? KT_F64 : KT_F32, isa, 1, m, n);
                if (n < 34)
                    check_shape(op, t ? KT_F64 : KT_F32, isa, 7, m, n);
            }
}

TEST(cholesky_of_any_size) { check_shapes(KL_CHOLESKY, true); }
TEST(triangular_systems_of_any_size) { check_shapes(KL_SOLVE, false); }
TEST(lu_of_any_shape) { check_shapes(KL_LU, false); }
TEST(qr_of_any_shape) { check_shapes(KL_QR, false); }
TEST(eigh_of_any_size) { check_shapes(KL_EIGH, true); }
TEST(svd_of_any_shape) { check_shapes(KL_SVD, false); }

/* ---- the eval rules ------------------------------------------------------------------- */

/* Kernel and rule agree: factors are unique but for rounding, pivots chosen alike. */
XTEST(small_factorisations_are_those_of_the_op_table)
{
    static const uint16_t ops[] = {
        OP_cholesky, OP_triangular_solve, OP_lu, OP_qr, OP_eigh, OP_svd};

    for (int op = 0; op < COUNT(ops); op++)
        for (int64_t n = 1; n < 12; n++) {
            int64_t m = op == KL_LU || op == KL_QR || op == KL_SOLVE ? 1 + n % 5 : n;
            Job j = job_open((KLinalgOp)op, KT_F64, 1, m, n, false);
            SolveAttr solve = {.left = true, .lower = n % 2};
            QrAttr qr = {false};
            const void *attr = op == KL_SOLVE ? (void *)&solve : (void *)&qr;
            int64_t sizes_in[2][2] = {{op == KL_SOLVE ? n : m, n}, {n, m}};
            Nd in[2], out[3];
            Eval e = {.cx = cx,
                      .a = &cx->scratch,
                      .row = op_row(ops[op]),
                      .op = ops[op],
                      .nin = op == KL_SOLVE ? 2 : 1,
                      .nout = 1,
                      .in = in,
                      .out = out,
                      .attr = attr};
            int64_t dims[3][2] = {{m, j.k.k}, {0}, {0}};

            j.isa = MIN((int)cpu_isa(), 2);
            j.k.left = 1;
            j.k.lower = solve.lower;
            if (op <= KL_SOLVE)
                make_definite(&j);
            run_job(&j);
            for (int i = 0; i < 2; i++)
                in[i] = (Nd){WF_F64, 2, sizes_in[i], j.in_n[i], j.in[i]};
            for (int i = 0; i < 3; i++)
                out[i] = (Nd){is_whole(&j, i) ? WF_I32 : WF_F64, 2, dims[i], j.out_n[i],
                              calloc((size_t)j.out_n[i] + 1, 8)};
            CHECK(e.row->eval(&e));
            for (int i = 0; i < 3; i++) {
                for (int64_t k = 0; k < j.out_n[i]; k++) {
                    double want = is_whole(&j, i) ? ((int32_t *)out[i].data)[k]
                                                  : ((double *)out[i].data)[k];

                    if (!(fabs(want - j.out[i][k]) < 1e-10 * (1 + fabs(want))))
                        check_fail(__FILE__, __LINE__, "%s of %d by %d: %g, not %g",
                                   op_name(ops[op]), (int)m, (int)n, j.out[i][k], want);
                }
                free(out[i].data);
            }
            job_close(&j);
        }
}

/* ---- hard ones ------------------------------------------------------------------------ */

typedef double Element(int64_t i, int64_t j, int64_t n);

static double of_ones(int64_t i, int64_t j, int64_t n)
{
    return (void)i, (void)j, (void)n, 1;
}
static double of_zeros(int64_t i, int64_t j, int64_t n)
{
    return (void)i, (void)j, (void)n, 0;
}
static double of_identity(int64_t i, int64_t j, int64_t n) { return (void)n, i == j; }
static double of_rank_two(int64_t i, int64_t j, int64_t n)
{
    return sin((double)i) * sin((double)j) + (double)(i * j) / (double)n;
}
static double of_hilbert(int64_t i, int64_t j, int64_t n)
{
    return (void)n, 1.0 / (double)(i + j + 1);
}
static double of_second_difference(int64_t i, int64_t j, int64_t n)
{
    return (void)n, i == j ? 2 : i - j == 1 || j - i == 1 ? -1 : 0;
}
static double of_wilkinson(int64_t i, int64_t j, int64_t n)
{
    return i == j ? fabs((double)i - (double)n / 2) : i - j == 1 || j - i == 1 ? 1 : 0;
}
static double of_graded(int64_t i, int64_t j, int64_t n)
{
    return exp(-30 * (double)MAX(i, j) / (double)n) * (i == j ? 1 : 0.3);
}
static double of_kahan(int64_t i, int64_t j, int64_t n)
{
    return (void)n, i == j ? 1 : j > i ? -0.5 : 0;
}
static double of_large(int64_t i, int64_t j, int64_t n)
{
    return 1e30 * of_hilbert(i, j, n);
}
static double of_small(int64_t i, int64_t j, int64_t n)
{
    return 1e-30 * of_rank_two(i, j, n);
}

static Element *const hard[] = {
    of_ones,      of_zeros,  of_identity, of_rank_two, of_hilbert, of_second_difference,
    of_wilkinson, of_graded, of_kahan,    of_large,    of_small};

TEST(matrices_of_low_rank_and_of_equal_and_tiny_values_are_factored)
{
    static const KLinalgOp ops[] = {KL_LU, KL_QR, KL_EIGH, KL_SVD};

    for (int t = 0; t < 2; t++)
        for (int o = 0; o < COUNT(ops); o++)
            for (int h = 0; h < COUNT(hard) && check_ok(); h++)
                for (int64_t n = 5; n < 80; n += 31) {
                    Job j = job_open(ops[o], t ? KT_F64 : KT_F32, 1, n, n, false);

                    j.isa = MIN((int)cpu_isa(), 2);
                    for (int64_t i = 0; i < n * n; i++)
                        j.in[0][i] = t ? hard[h](i / n, i % n, n)
                                       : (float)hard[h](i / n, i % n, n);
                    check_job(&j);
                    job_close(&j);
                }
}

/* Diagonal matrices have exact singular values, however small. */
TEST(small_singular_values_keep_their_digits_where_the_matrix_says_them)
{
    Job j = job_open(KL_SVD, KT_F64, 1, 40, 40, false);

    j.isa = MIN((int)cpu_isa(), 2);
    for (int64_t i = 0; i < 1600; i++)
        j.in[0][i] = i / 40 == i % 40 ? pow(10, -(double)(i % 40)) : 0;
    check_job(&j);
    for (int64_t i = 0; i < 40; i++)
        CHECK(j.out[1][i] == pow(10, -(double)i));
    job_close(&j);
}

TEST(what_is_not_finite_or_not_definite_gives_nan)
{
    for (int op = KL_CHOLESKY; op <= KL_SVD; op++)
        for (int64_t n = 3; n < 70; n += 33) {
            Job j;

            if (op == KL_SOLVE || op == KL_LU)
                continue;
            j = job_open((KLinalgOp)op, KT_F64, 1, n, n, false);
            j.isa = MIN((int)cpu_isa(), 2);
            make_definite(&j);
            j.in[0][n * n - 1] = op == KL_CHOLESKY ? -1 : op == KL_QR ? INFINITY : NAN;
            run_job(&j);
            CHECK(isnan(j.out[0][0]));
            CHECK(op != KL_CHOLESKY || j.out[0][1] == 0);
            job_close(&j);
        }
}

/* ---- products of sizes not known beforehand ------------------------------------------- */

TEST(no_product_asks_for_more_than_most)
{
    for (int isa = 0; isa < 3; isa++)
        for (int n = 0; n < 4000 && kernels_for(isa); n++) {
            int64_t most = 1 + (int64_t)test_random_below(n % 8 ? 600 : 5000);
            KType t = n % 2 ? KT_F32 : KT_F64;
            const KMatmulTable *table =
                n % 2 ? kernels_for(isa)->matmul_f32 : kernels_for(isa)->matmul_f64;
            KMatmul x = {.a_type = t, .b_type = t, .c_type = t};
            int threads = 1 + (int)test_random_below(9);

            x.m =
                1 + (int64_t)test_random_below(test_random_below(2) ? (uint64_t)most : 9);
            x.n =
                1 + (int64_t)test_random_below(test_random_below(2) ? (uint64_t)most : 9);
            x.k = 1 + (int64_t)test_random_below((uint64_t)most);
            x.m = MIN(x.m, most), x.n = MIN(x.n, most);
            x.a_row = test_random_below(2) ? x.k : 1;
            x.a_col = x.a_row == 1 ? x.m : 1;
            x.b_row = test_random_below(2) ? x.n : 1;
            x.b_col = x.b_row == 1 ? x.k : 1;
            x.c_row = test_random_below(2) ? x.n : 1;
            x.c_col = x.c_row == 1 ? x.m : 1;
            x.accumulate = (int)test_random_below(3) - 1;
            if (table->workspace(&x, threads) > table->most(most, most, most, threads))
                check_fail(__FILE__, __LINE__, "%d %d %d, %d threads", (int)x.m, (int)x.n,
                           (int)x.k, threads);
        }
}
