/* test_kernels_attention.c -- attention, its gradient, and the kernels of rows, against
 * plain loops in f64: every instruction set of the machine, f32 and f64, sizes around
 * those of vectors and blocks, any strides, every op of scores.
 */
#include "test.h"

#include "base/base.h"
#include "kernels/attention.h"
#include "kernels/rows.h"

#include <math.h>
#include <stdlib.h>

static int64_t between(int64_t lo, int64_t hi)
{
    return lo + (int64_t)test_random_below((uint64_t)(hi - lo + 1));
}
static double number(void) { return (double)between(-1000, 1000) / 1000; }

/* ---- planes ------------------------------------------------------------------------ */

typedef struct Array { /* of a plane; ref: the same numbers in f64 */
    KType type;
    KPlane m;
    int64_t rows, cols, n;
    double *ref;
} Array;

#define ENTRIES 3 /* of the batch */

static double get(const Array *a, int64_t e, int64_t i, int64_t j)
{
    int64_t at = e * a->m.batch[0] + i * a->m.row + j * a->m.col;

    return a->type == KT_F64 ? ((const double *)a->m.p)[at]
                             : (double)((const float *)a->m.p)[at];
}

static double *ref(const Array *a, int64_t e, int64_t i, int64_t j)
{
    return &a->ref[(e * a->rows + i) * a->cols + j];
}

/* Rows or columns contiguous, with gaps. */
static Array array_new(KType type, int64_t rows, int64_t cols, bool random)
{
    Array a = {.type = type, .rows = rows, .cols = cols};
    int64_t gap = between(0, 5), size;

    if (between(0, 3))
        a.m = (KPlane){NULL, {0}, cols + gap, 1};
    else
        a.m = (KPlane){NULL, {0}, 1, rows + gap};
    size = (a.m.col == 1 ? rows : cols) * (a.m.col == 1 ? cols + gap : rows + gap) + 7;
    a.m.batch[0] = size;
    a.n = size * ENTRIES;
    a.m.p = calloc((size_t)a.n + 1, type == KT_F64 ? 8 : 4);
    a.ref = calloc((size_t)(ENTRIES * rows * cols) + 1, sizeof *a.ref);
    for (int64_t e = 0; random && e < ENTRIES; e++)
        for (int64_t i = 0; i < rows; i++)
            for (int64_t j = 0; j < cols; j++) {
                int64_t at = e * a.m.batch[0] + i * a.m.row + j * a.m.col;
                double x = number();

                if (type == KT_F64)
                    ((double *)a.m.p)[at] = x;
                else
                    x = (double)(((float *)a.m.p)[at] = (float)x);
                *ref(&a, e, i, j) = x;
            }
    return a;
}

static void array_free(Array *a)
{
    free(a->m.p);
    free(a->ref);
}

static void check_array(const Array *a, double tol, const char *what)
{
    for (int64_t e = 0; e < ENTRIES; e++)
        for (int64_t i = 0; i < a->rows; i++)
            for (int64_t j = 0; j < a->cols; j++)
                if (!(fabs(get(a, e, i, j) - *ref(a, e, i, j)) <= tol)) {
                    check_fail(__FILE__, __LINE__,
                               "%s: entry %d, row %d, column %d: %g, needs %g", what,
                               (int)e, (int)i, (int)j, get(a, e, i, j), *ref(a, e, i, j));
                    return;
                }
}

/* ---- attention --------------------------------------------------------------------- */

typedef struct Case {
    KAttention x;
    Array q, k, v, out, dout, dq, dk, dv, shift, sum, add;
    uint8_t *keep;
} Case;

static double score(const Case *c, int64_t e, int64_t i, int64_t j, bool *masked)
{
    double s = 0;

    *masked = false;
    for (int64_t d = 0; d < c->x.depth; d++)
        s += *ref(&c->q, e, i, d) * *ref(&c->k, e, j, d);
    for (int o = 0; o < c->x.nops; o++) {
        const KScoreOp *op = &c->x.op[o];
        bool hide = (op->kind == KS_KEEP && c->keep[i * c->x.keys + j] != op->keep_if) ||
                    (op->kind == KS_CAUSAL && j > i + op->offset);

        s = op->kind == KS_SCALE ? s * op->value
            : op->kind == KS_ADD ? s + *ref(&c->add, e, i, j)
            : hide               ? op->value
                                 : s;
        *masked |= hide;
    }
    return s;
}

static double scale_of(const Case *c)
{
    double s = 1;

    for (int o = 0; o < c->x.nops; o++)
        s *= c->x.op[o].kind == KS_SCALE ? c->x.op[o].value : 1;
    return s;
}

/* Row i of the forward and of the gradient. */
static void plain_row(Case *c, int64_t e, int64_t i, double *p, bool *masked)
{
    double top = -INFINITY, sum = 0, mean = 0;

    for (int64_t j = 0; j < c->x.keys; j++)
        top = fmax(top, p[j] = score(c, e, i, j, &masked[j]));
    for (int64_t j = 0; j < c->x.keys; j++)
        sum += p[j] = exp(p[j] - top);
    for (int64_t j = 0; j < c->x.keys; j++)
        p[j] /= sum;
    *ref(&c->shift, e, i, 0) = top;
    *ref(&c->sum, e, i, 0) = sum;
    for (int64_t w = 0; w < c->x.width; w++) {
        double o = 0, g = *ref(&c->dout, e, i, w);

        for (int64_t j = 0; j < c->x.keys; j++) {
            o += p[j] * *ref(&c->v, e, j, w);
            *ref(&c->dv, e, j, w) += p[j] * g * c->x.dv_times;
        }
        *ref(&c->out, e, i, w) = o;
        mean += o * g;
    }
    for (int64_t j = 0; j < c->x.keys; j++) {
        double dp = 0, ds;

        for (int64_t w = 0; w < c->x.width; w++)
            dp += *ref(&c->dout, e, i, w) * *ref(&c->v, e, j, w);
        ds = masked[j] ? 0 : p[j] * (dp - mean) * scale_of(c);
        for (int64_t d = 0; d < c->x.depth; d++) {
            *ref(&c->dq, e, i, d) += ds * *ref(&c->k, e, j, d) * c->x.dq_times;
            *ref(&c->dk, e, j, d) += ds * *ref(&c->q, e, i, d) * c->x.dk_times;
        }
    }
}

static void add_ops(Case *c)
{
    KAttention *x = &c->x;
    double low = between(0, 1) ? -(double)INFINITY : -1e30;

    if (between(0, 1))
        x->op[x->nops++] = (KScoreOp){.kind = KS_SCALE, .value = 0.25};
    if (between(0, 1))
        x->op[x->nops++] = (KScoreOp){.kind = KS_ADD, .at = c->add.m, .type = x->type};
    if (!between(0, 2)) {
        x->op[x->nops++] = (KScoreOp){.kind = KS_KEEP,
                                      .value = low,
                                      .at = {c->keep, {0}, x->keys, 1},
                                      .keep_if = 1};
        for (int64_t i = 0; i < x->queries * x->keys; i++)
            c->keep[i] = i % x->keys == 0 || between(0, 2);
    }
    if (between(0, 1))
        x->op[x->nops++] =
            (KScoreOp){.kind = KS_CAUSAL, .value = low, .offset = between(0, 3)};
}

static void case_make(Case *c, KType t)
{
    static const int64_t sizes[] = {1, 2, 15, 16, 17, 31, 32, 33, 63, 64, 65, 70, 130};
    int64_t n = sizes[between(0, 12)], m = sizes[between(0, 12)], d = between(1, 40),
            w = between(1, 40);

    *c = (Case){0};
    c->q = array_new(t, n, d, true);
    c->k = array_new(t, m, d, true);
    c->v = array_new(t, m, w, true);
    c->dout = array_new(t, n, w, true);
    c->add = array_new(t, n, m, true);
    c->out = array_new(t, n, w, false);
    c->dq = array_new(t, n, d, false);
    c->dk = array_new(t, m, d, false);
    c->dv = array_new(t, m, w, false);
    c->shift = array_new(t, n, 1, false);
    c->sum = array_new(t, n, 1, false);
    c->keep = malloc((size_t)(n * m));
    c->x = (KAttention){.type = t,
                        .queries = n,
                        .keys = m,
                        .depth = d,
                        .width = w,
                        .nbatch = 1,
                        .batch = {ENTRIES},
                        .q = c->q.m,
                        .k = c->k.m,
                        .v = c->v.m,
                        .out = c->out.m,
                        .shift = c->shift.m,
                        .sum = c->sum.m,
                        .dout = c->dout.m,
                        .dq = c->dq.m,
                        .dk = c->dk.m,
                        .dv = c->dv.m,
                        .dq_times = 1,
                        .dk_times = -2,
                        .dv_times = 0.5};
    add_ops(c);
}

static void case_free(Case *c)
{
    Array *all[] = {&c->q,  &c->k,  &c->v,   &c->out,   &c->dout, &c->dq,
                    &c->dk, &c->dv, &c->add, &c->shift, &c->sum};

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        array_free(all[i]);
    free(c->keep);
}

static void check_case(const KAttentionTable *table, KType t)
{
    KPar par = {NULL, 1, NULL};
    double tol = t == KT_F64 ? 1e-12 : 3e-5, *p;
    bool *masked;
    void *ws;
    Case c;

    case_make(&c, t);
    p = malloc((size_t)c.x.keys * sizeof *p);
    masked = malloc((size_t)c.x.keys);
    for (int64_t e = 0; e < ENTRIES; e++)
        for (int64_t i = 0; i < c.x.queries; i++)
            plain_row(&c, e, i, p, masked);
    ws = malloc(table->workspace(&c.x, 1));
    table->run(&c.x, &par, ws);
    free(ws);
    ws = malloc(table->grad_workspace(&c.x, 1));
    table->grad(&c.x, &par, ws);
    free(ws);
    check_array(&c.out, tol, "out");
    check_array(&c.shift, tol, "shift");
    check_array(&c.sum, tol * 130, "sum");
    check_array(&c.dq, tol * 10, "dq");
    check_array(&c.dk, tol * 10, "dk");
    check_array(&c.dv, tol * 10, "dv");
    free(p);
    free(masked);
    case_free(&c);
}

TEST(attention_and_its_gradient_are_what_loops_compute)
{
    for (int isa = 0; isa < ISA_COUNT; isa++)
        for (KType t = KT_F32; t <= KT_F64; t = (KType)(t + 1))
            for (int k = 0; attention_for(isa, t) && k < 40; k++)
                check_case(attention_for(isa, t), t);
}

/* ---- rows -------------------------------------------------------------------------- */

static double plain_element(const KRows *k, const double *x, int64_t i, const double *w,
                            const double *b)
{
    double top = -INFINITY, sum = 0, mean = 0, var = 0;

    for (int64_t j = 0; j < k->n; j++) {
        top = fmax(top, x[j]);
        mean += k->kind == KR_RMS_NORM ? 0 : x[j] * k->mean;
    }
    for (int64_t j = 0; j < k->n; j++) {
        sum += exp(x[j] - top);
        var += (x[j] - mean) * (x[j] - mean) * k->mean;
    }
    switch (k->kind) {
    case KR_SOFTMAX: return exp(x[i] - top) / sum;
    case KR_NLL:
    case KR_LOG_SOFTMAX: return x[i] - top - log(sum);
    case KR_GELU: return x[i] / 2 * (1 + erf(x[i] * sqrt(0.5)));
    case KR_GELU_TANH:
        return x[i] / 2 *
               (1 + tanh(sqrt(2 / 3.14159265358979323846) *
                         (x[i] + 0.044715 * x[i] * x[i] * x[i])));
    default:
        return (x[i] - mean) / sqrt(var + k->eps) * (k->weight ? w[i] : 1) +
               (k->bias ? b[i] : 0);
    }
}

static void check_rows(KRowsRun *run, KType t, KRowsKind kind, int64_t n)
{
    enum { ROWS = 5 };
    KPar par = {NULL, 1, NULL};
    Array x = array_new(t, 1, ROWS * n, true), y = array_new(t, 1, ROWS * n, false),
          w = array_new(t, 1, n, true), b = array_new(t, 1, n, true);
    int64_t index[2 * ROWS];
    KRows k = {.kind = kind,
               .rows = ROWS,
               .n = n,
               .x = x.m.p,
               .y = y.m.p,
               .weight = kind == KR_LAYER_NORM || n % 2 ? w.m.p : NULL,
               .bias = kind == KR_LAYER_NORM && n % 3 ? b.m.p : NULL,
               .eps = 1e-3,
               .mean = 1 / (double)n,
               .guarded = 1,
               .index = index,
               .index_type = KT_I64,
               .count = ROWS};

    for (int64_t i = 0; i < ROWS; i++) {
        index[2 * i] = ROWS - 1 - i;
        index[2 * i + 1] = i - 1; /* -1 is clipped */
    }
    if (x.m.col == 1 && y.m.col == 1 && w.m.col == 1 && b.m.col == 1) {
        run(&k, &par);
        for (int64_t i = 0; i < (kind == KR_NLL ? ROWS : ROWS * n); i++) {
            int64_t row = kind == KR_NLL ? ROWS - 1 - i : i / n,
                    col = kind == KR_NLL ? MIN(MAX(i - 1, 0), n - 1) : i % n;
            double need = plain_element(&k, x.ref + row * n, col, w.ref, b.ref);

            CHECK_NEAR(get(&y, 0, 0, i), need, t == KT_F64 ? 1e-12 : 2e-5);
        }
    }
    array_free(&x);
    array_free(&y);
    array_free(&w);
    array_free(&b);
}

TEST(kernels_of_rows_are_what_loops_compute)
{
    for (int isa = 0; isa < ISA_COUNT; isa++)
        for (KType t = KT_F32; t <= KT_F64; t = (KType)(t + 1))
            for (int kind = KR_SOFTMAX; rows_for(isa, t) && kind <= KR_GELU_TANH; kind++)
                for (int64_t n = 1; n < 40; n++)
                    check_rows(rows_for(isa, t), t, (KRowsKind)kind, n);
}
