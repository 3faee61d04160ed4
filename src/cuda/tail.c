/* tail.c -- what may follow a product in the same call of the library: a bias, relu, gelu, its gradient, a sum with
 * another matrix.
 *
 * A fused kernel behind a product is recognised by what it computes, not by how that is written: it is evaluated on a few
 * numbers, and compared. All in f64, so that only the rounding of constants is between it and what it is compared with.
 */
#include "cuda/cuda.h"
#include "op/scalar.h"
#include "runtime/step.h"

#include <math.h>

#define NEAR 4e-3 /* constants of half floats are as far from what was meant */

typedef struct Sample { /* of a kernel: its arrays, by number */
    uint32_t array[3];  /* two as large as the result, then one of a row */
    double x[3];
    uint32_t ndense, nrow;
} Sample;

static bool same_access(const Kernel *k, const Access *a, const Access *b)
{
    for (uint32_t l = 0; l < k->nloops; l++)
        if (a->stride[l] != b->stride[l])
            return false;
    return a->offset == b->offset;
}

/* One element after the other of the last loop, and the same for all others. */
static bool is_row(const Kernel *k, const Access *a)
{
    for (uint32_t l = 0; l + 1 < k->nloops; l++)
        if (a->stride[l] != 0)
            return false;
    return k->nloops > 1 && a->offset == 0 && a->stride[k->nloops - 1] == 1;
}

/* Adds an array to v, once. */
static bool add_array(uint32_t *v, uint32_t *n, uint32_t most, uint32_t array)
{
    for (uint32_t i = 0; i < *n; i++)
        if (v[i] == array)
            return true;
    if (*n == most)
        return false;
    v[(*n)++] = array;
    return true;
}

static bool find_arrays(const Kernel *k, Sample *s)
{
    const Access *out = &k->outs[0].at;
    uint8_t dtype = k->nodes[k->outs[0].node].dtype;

    for (uint32_t i = 0; i < k->nnodes; i++) {
        const Node *n = &k->nodes[i];

        if (n->kind != NODE_LOAD)
            continue;
        if (n->nin || n->dtype != dtype)
            return false;
        if (same_access(k, &n->at, out) ? !add_array(s->array, &s->ndense, 2, n->at.array)
            : is_row(k, &n->at)         ? !add_array(s->array + 2, &s->nrow, 1, n->at.array)
                                        : true)
            return false;
    }
    return s->ndense > 0;
}

static wf_dtype wide(uint8_t t) { return dtype_is_inexact((wf_dtype)t) ? WF_F64 : (wf_dtype)t; }

static bool eval_map(const Kernel *k, const Node *n, const Scalar *v, Scalar *out)
{
    Scalar x[4];

    if (n->nin < 1 || n->nin > 4 || n->nout > 1 || n->op == OP_bitcast || n->op == OP_clamp ||
        n->op == OP_erf || n->op == OP_erfc) /* another gelu, and too near this one */
        return false;
    for (uint32_t i = 0; i < n->nin; i++)
        x[i] = v[n->in[i]];
    if (n->op == OP_select)
        *out = x[0].u ? x[1] : x[2];
    else if (n->op == OP_cast)
        *out = scalar_cast(wide(k->nodes[n->in[0]].dtype), wide(n->dtype), x[0]);
    else
        *out = scalar_apply(n->op, wide(k->nodes[n->in[0]].dtype), x);
    return true;
}

/* The kernel's result for these elements; NaN: it cannot be said. */
static double eval(const Kernel *k, const Sample *s)
{
    Scalar v[64];

    for (uint32_t i = 0; i < k->nnodes; i++) {
        const Node *n = &k->nodes[i];

        v[i] = (Scalar){0};
        if (n->kind == NODE_LOAD) {
            for (int j = 0; j < 3; j++)
                if ((j < 2 ? j < (int)s->ndense : s->nrow) && s->array[j] == n->at.array)
                    v[i].f = s->x[j];
        } else if (n->kind == NODE_CONST) {
            v[i] = scalar_load((wf_dtype)n->dtype, &n->bits, 0);
        } else if (n->kind != NODE_MAP || !eval_map(k, n, v, &v[i])) {
            return NAN;
        }
    }
    return v[k->outs[0].node].f;
}

static double at(const Kernel *k, Sample s, double x, double y, double row)
{
    s.x[0] = x, s.x[1] = y, s.x[2] = row;
    return eval(k, &s);
}

/* ---- functions ----------------------------------------------------------------------- */

static double identity(double x) { return x; }
static double relu(double x) { return x > 0 ? x : 0; }
static double inner(double x) { return 0.7978845608028654 * (x + 0.044715 * x * x * x); }
static double gelu(double x) { return 0.5 * x * (1 + tanh(inner(x))); }
static double gelu_slope(double x)
{
    double t = tanh(inner(x));

    return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * 0.7978845608028654 * (1 + 3 * 0.044715 * x * x);
}

static const double points[] = {-5.3, -3.1, -2.2, -1.4, -0.75, -0.31, 0, 0.11, 0.52, 1.05, 1.9, 2.7, 4.4};

static bool is_near(double x, double y) { return fabs(x - y) <= NEAR * (1 + fabs(y)); }

/* f(x), or f(x + row) */
static bool is_function(const Kernel *k, const Sample *s, double (*f)(double x))
{
    for (int i = 0; i < COUNT(points); i++)
        for (int r = -1; r <= (s->nrow ? 1 : -1); r++) {
            double row = s->nrow ? 0.4 * r : 0;

            if (!is_near(at(k, *s, points[i], 0, row), f(points[i] + row)))
                return false;
        }
    return true;
}

/* f'(x) of one, times the other. */
static bool is_gradient(const Kernel *k, const Sample *s, int of, double (*slope)(double x))
{
    static const double g[] = {1, -0.7, 2.5};

    for (int i = 0; i < COUNT(points); i++)
        for (int j = 0; j < COUNT(g); j++)
            if (!is_near(of ? at(k, *s, g[j], points[i], 0) : at(k, *s, points[i], g[j], 0),
                         g[j] * slope(points[i])))
                return false;
    return true;
}

/* scale[0] x + scale[1] y */
static bool is_sum(const Kernel *k, const Sample *s, float *scale)
{
    double a = at(k, *s, 1, 0, 0), b = at(k, *s, 0, 1, 0);

    for (int i = 0; i < COUNT(points); i++) {
        double x = points[i], y = points[(i + 5) % COUNT(points)], need = a * x + b * y;

        if (!(fabs(at(k, *s, x, y, 0) - need) <= 1e-9 * (1 + fabs(need))))
            return false;
    }
    scale[0] = (float)a;
    scale[1] = (float)b;
    return isfinite(a) && isfinite(b) && a != 0 && b != 0;
}

CudaTail cuda_tail(const Kernel *k)
{
    CudaTail t = {.kind = TAIL_NONE};
    Sample s = {{0}, {0}, 0, 0};

    if (k->scalar || k->parts || k->form != FORM_MAP || k->p->nout != 1 || k->nnodes > 64 ||
        !dtype_is_inexact((wf_dtype)k->nodes[k->outs[0].node].dtype) || !find_arrays(k, &s))
        return t;
    t.dense[0] = s.array[0];
    t.dense[1] = s.array[1];
    t.ndense = s.ndense;
    t.has_row = s.nrow;
    t.row = s.array[2];
    if (s.ndense == 1)
        t.kind = is_function(k, &s, relu)                    ? TAIL_RELU
                 : is_function(k, &s, gelu)                  ? TAIL_GELU
                 : s.nrow && is_function(k, &s, identity)    ? TAIL_ROW
                                                             : TAIL_NONE;
    else if (!s.nrow)
        t.kind = is_sum(k, &s, t.scale)                 ? TAIL_SUM
                 : is_gradient(k, &s, 0, gelu_slope) ? TAIL_GELU_GRADIENT
                 : is_gradient(k, &s, 1, gelu_slope) ? TAIL_GELU_GRADIENT
                                                     : TAIL_NONE;
    t.of = t.kind == TAIL_GELU_GRADIENT && is_gradient(k, &s, 1, gelu_slope);
    return t;
}

/* ---- behind a product ------------------------------------------------------------------ */

/* How often the program reads a value, its results among them. */
static int count_reads(const Program *p, Val v)
{
    int n = 0;

    for (uint32_t i = 0; i < p->neqns; i++)
        for (uint32_t j = 0; j < p->eqns[i].nin; j++)
            n += eqn_in(p, &p->eqns[i])[j] == v;
    for (uint32_t j = 0; j < p->nout; j++)
        n += p->outs[j] == v;
    return n;
}

static bool overlap(const void *a, int64_t na, const void *b, int64_t nb)
{
    uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;

    return x < y + (uintptr_t)nb && y < x + (uintptr_t)na;
}

static int64_t extent(int64_t rows, int64_t row, int64_t cols, int64_t col)
{
    return (rows - 1) * row + (cols - 1) * col + 1;
}

/* Half floats round gelu away; others get what they ask for, not what is near it. */
static bool is_exact_enough(const CudaTail *t, KType type)
{
    return t->kind == TAIL_RELU || t->kind == TAIL_ROW || t->kind == TAIL_SUM ||
           type == KT_BF16 || type == KT_F16;
}

bool cuda_tail_behind(const Frame *f, const Op *op, const KMatmul *m, TailCall *out)
{
    const Segment *seg = &f->seg[f->now];
    const Op *next = op + 1;
    const KernelStep *s = next->data;
    const Program *p = f->plan->p;
    const CudaKernel *c;
    int64_t bytes = m->m * m->n * (int64_t)k_size(m->c_type);
    int reads, product = -1;

    if (op < seg->ops.v || next >= seg->ops.v + seg->ops.n || next->kind != OP_RUNS_KERNEL ||
        !(c = s->code->there) || c->tail.kind == TAIL_NONE ||
        !is_exact_enough(&c->tail, m->c_type))
        return false;
    *out = (TailCall){.tail = &c->tail, .next = next, .product = op_at(f, op, DOT_OUT)};
    for (uint32_t i = 0; i < c->tail.ndense; i++)
        if (op_at(f, next, s->first + c->tail.dense[i]) == out->product)
            product = (int)i;
    out->out = op_at(f, next, s->first + s->code->kernel->p->nin);
    if (product < 0 || s->size.rows * s->size.cols != m->m * m->n ||
        (c->tail.has_row && s->size.cols != m->n) ||
        val_type(p, p->eqns[next->eqn].out).dtype != (unsigned)m->c_type ||
        (c->tail.kind == TAIL_GELU_GRADIENT && product == c->tail.of))
        return false;
    if (c->tail.ndense == 2)
        out->other = op_at(f, next, s->first + c->tail.dense[!product]);
    if (c->tail.has_row)
        out->row = op_at(f, next, s->first + c->tail.row);
    out->alpha = c->tail.kind == TAIL_SUM ? c->tail.scale[product] : 1;
    out->beta = c->tail.kind == TAIL_SUM ? c->tail.scale[!product] : 0;
    reads = count_reads(p, p->eqns[op->eqn].out);
    out->keeps = reads > 1;
    if (out->keeps && (c->tail.kind != TAIL_GELU || c->tail.has_row || out->out == out->product))
        return false;
    return !overlap(out->out, bytes, op_at(f, op, DOT_X),
                    extent(m->m, m->a_row, m->k, m->a_col) * (int64_t)k_size(m->a_type)) &&
           !overlap(out->out, bytes, op_at(f, op, DOT_Y),
                    extent(m->k, m->b_row, m->n, m->b_col) * (int64_t)k_size(m->b_type)) &&
           (out->out == out->other || !out->other || !overlap(out->out, bytes, out->other, bytes));
}
