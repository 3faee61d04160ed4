/* tail.c -- what may follow a product in the same call of the library: a bias, relu, gelu, its gradient, a sum with
 * another matrix.
 *
 * A fused kernel behind a product is recognised by its nodes: they add up arrays with factors (Sum), or cut such a sum off
 * at 0. The gelu of half floats alone is recognised by what it computes, since it is written in many ways: by smooth
 * functions, whose values on some numbers must be those of gelu as near as half floats tell them apart.
 */
#include "cuda/cuda.h"
#include "op/scalar.h"
#include "runtime/step.h"

#include <math.h>

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

/* ---- sums --------------------------------------------------------------------------- */

typedef struct Sum { /* of arrays, by number in a Sample, with factors, and of a constant */
    double of[3], rest;
    bool is; /* the node is one */
} Sum;

static bool is_constant(const Sum *s) { return s->is && s->of[0] == 0 && s->of[1] == 0 && s->of[2] == 0; }
static bool is_zero(const Sum *s) { return is_constant(s) && s->rest == 0; }

static Sum scaled(Sum x, double by)
{
    for (int j = 0; j < 3; j++)
        x.of[j] *= by;
    x.rest *= by;
    return x;
}

static Sum added(Sum x, Sum y)
{
    for (int j = 0; j < 3; j++)
        x.of[j] += y.of[j];
    x.rest += y.rest;
    x.is = x.is && y.is;
    return x;
}

static bool same_sum(const Sum *x, const Sum *y)
{
    return x->is && y->is && x->rest == y->rest && !memcmp(x->of, y->of, sizeof x->of);
}

static Sum load_sum(const Sample *s, uint32_t array)
{
    Sum r = {.is = true};

    for (uint32_t j = 0; j < 3; j++)
        if ((j < 2 ? j < s->ndense : s->nrow > 0) && s->array[j] == array)
            r.of[j] = 1;
    return r;
}

static Sum map_sum(const Kernel *k, const Node *n, const Sum *v)
{
    const Sum none = {.is = false};
    Sum x = n->nin > 0 ? v[n->in[0]] : none, y = n->nin > 1 ? v[n->in[1]] : none;

    switch (n->op) {
    case OP_add: return added(x, y);
    case OP_sub: return added(x, scaled(y, -1));
    case OP_neg: return scaled(x, -1);
    case OP_mul: return is_constant(&x) && y.is ? scaled(y, x.rest) : is_constant(&y) && x.is ? scaled(x, y.rest) : none;
    case OP_div: return x.is && is_constant(&y) && y.rest != 0 ? scaled(x, 1 / y.rest) : none;
    case OP_cast: return dtype_is_float((wf_dtype)n->dtype) && dtype_is_float((wf_dtype)k->nodes[n->in[0]].dtype) ? x : none;
    default: return none;
    }
}

static void find_sums(const Kernel *k, const Sample *s, Sum *v)
{
    for (uint32_t i = 0; i < k->nnodes; i++) {
        const Node *n = &k->nodes[i];

        v[i] = (Sum){.is = false};
        if (n->kind == NODE_LOAD)
            v[i] = load_sum(s, n->at.array);
        else if (n->kind == NODE_CONST && dtype_is_float((wf_dtype)n->dtype))
            v[i] = (Sum){.rest = scalar_load((wf_dtype)n->dtype, &n->bits, 0).f, .is = true};
        else if (n->kind == NODE_MAP && n->nout == 1)
            v[i] = map_sum(k, n, v);
    }
}

/* x, or x + row: nothing else, and no other factors. */
static bool is_plain(const Sample *s, const Sum *v)
{
    return v->is && v->of[0] == 1 && v->of[1] == 0 && v->of[2] == (s->nrow ? 1 : 0) && v->rest == 0;
}

/* The larger of a plain sum and 0, or a choice between them by their order. */
static bool is_relu(const Kernel *k, const Sample *s, const Sum *v)
{
    const Node *n = &k->nodes[k->outs[0].node], *c;
    uint32_t x, y;
    bool less;

    while (n->kind == NODE_MAP && n->op == OP_cast && dtype_is_float((wf_dtype)n->dtype))
        n = &k->nodes[n->in[0]];
    if (n->kind != NODE_MAP)
        return false;
    if (n->op == OP_max)
        return (is_plain(s, &v[n->in[0]]) && is_zero(&v[n->in[1]])) || (is_plain(s, &v[n->in[1]]) && is_zero(&v[n->in[0]]));
    if (n->op != OP_select || (c = &k->nodes[n->in[0]])->kind != NODE_MAP ||
        (c->op != OP_lt && c->op != OP_le && c->op != OP_gt && c->op != OP_ge))
        return false;
    less = c->op == OP_lt || c->op == OP_le; /* in[1] where the sum is below 0; the other way round, else */
    if (is_zero(&v[c->in[0]]))
        less = !less, x = c->in[1], y = c->in[0];
    else
        x = c->in[0], y = c->in[1];
    return is_plain(s, &v[x]) && is_zero(&v[y]) && is_zero(&v[n->in[less ? 1 : 2]]) &&
           same_sum(&v[n->in[less ? 2 : 1]], &v[x]);
}

/* ---- gelu of half floats ------------------------------------------------------------- */

static wf_dtype wide(uint8_t t) { return dtype_is_inexact((wf_dtype)t) ? WF_F64 : (wf_dtype)t; }

static bool eval_map(const Kernel *k, const Node *n, const Scalar *v, Scalar *out)
{
    static const OpCode smooth[] = {OP_add, OP_sub, OP_neg, OP_mul, OP_div, OP_tanh, OP_logistic, OP_exp, OP_cast};
    Scalar x[2];
    int i = 0;

    while (i < COUNT(smooth) && smooth[i] != n->op)
        i++;
    if (i == COUNT(smooth) || n->nin < 1 || n->nin > 2 || n->nout > 1)
        return false;
    for (uint32_t j = 0; j < n->nin; j++)
        x[j] = v[n->in[j]];
    *out = n->op == OP_cast ? scalar_cast(wide(k->nodes[n->in[0]].dtype), wide(n->dtype), x[0])
                            : scalar_apply(n->op, wide(k->nodes[n->in[0]].dtype), x);
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

static double inner(double x) { return 0.7978845608028654 * (x + 0.044715 * x * x * x); }
static double gelu(double x) { return 0.5 * x * (1 + tanh(inner(x))); }
static double gelu_slope(double x)
{
    double t = tanh(inner(x));

    return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * 0.7978845608028654 * (1 + 3 * 0.044715 * x * x);
}

static const double points[] = {-90, -20, -8, -5.3, -3.1, -2.2, -1.4, -0.75, -0.31, 0, 0.11, 0.52, 1.05, 1.9, 2.7, 4.4, 9, 23, 110};

/* Half a unit of the last place, and what rounded constants add to it. */
static bool is_near(const Kernel *k, double x, double y)
{
    double far = k->nodes[k->outs[0].node].dtype == WF_BF16 ? 4e-3 : 6e-4;

    return fabs(x - y) <= far * (1 + fabs(y));
}

/* f(x), or f(x + row) */
static bool is_function(const Kernel *k, const Sample *s, double (*f)(double x))
{
    for (int i = 0; i < COUNT(points); i++)
        for (int r = -1; r <= (s->nrow ? 1 : -1); r++) {
            double row = s->nrow ? 0.4 * r : 0;

            if (!is_near(k, at(k, *s, points[i], 0, row), f(points[i] + row)))
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
            if (!is_near(k, of ? at(k, *s, g[j], points[i], 0) : at(k, *s, points[i], g[j], 0),
                         g[j] * slope(points[i])))
                return false;
    return true;
}

CudaTail cuda_tail(const Kernel *k)
{
    CudaTail t = {.kind = TAIL_NONE};
    Sample s = {{0}, {0}, 0, 0};
    Sum v[64], *all;
    bool half;

    if (k->scalar || k->parts || k->form != FORM_MAP || k->p->nout != 1 || k->nnodes > COUNT(v) ||
        !dtype_is_float((wf_dtype)k->nodes[k->outs[0].node].dtype) || !find_arrays(k, &s))
        return t;
    half = k->nodes[k->outs[0].node].dtype == WF_BF16 || k->nodes[k->outs[0].node].dtype == WF_F16;
    find_sums(k, &s, v);
    all = &v[k->outs[0].node];
    t.dense[0] = s.array[0];
    t.dense[1] = s.array[1];
    t.ndense = s.ndense;
    t.has_row = s.nrow;
    t.row = s.array[2];
    t.scale[0] = all->of[0];
    t.scale[1] = all->of[1];
    if (s.ndense == 1)
        t.kind = is_relu(k, &s, v)                   ? TAIL_RELU
                 : half && is_function(k, &s, gelu)  ? TAIL_GELU
                 : s.nrow && is_plain(&s, all)       ? TAIL_ROW
                                                     : TAIL_NONE;
    else if (!s.nrow)
        t.kind = all->is && all->of[0] != 0 && all->of[1] != 0 && all->rest == 0 && isfinite(all->of[0]) && isfinite(all->of[1]) ? TAIL_SUM
                 : half && (is_gradient(k, &s, 0, gelu_slope) || is_gradient(k, &s, 1, gelu_slope)) ? TAIL_GELU_GRADIENT
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

bool cuda_tail_behind(const Frame *f, const Op *op, const KMatmul *m, TailCall *out)
{
    const Segment *seg = &f->seg[f->now];
    const Op *next = op + 1;
    const KernelStep *s;
    const Program *p = f->plan->p;
    const CudaKernel *c;
    int64_t bytes = m->m * m->n * (int64_t)k_size(m->c_type);
    int reads, product = -1;

    if (op < seg->ops.v || next >= seg->ops.v + seg->ops.n || next->kind != OP_RUNS_KERNEL)
        return false;
    s = next->data;
    if (!(c = s->code->there) || c->tail.kind == TAIL_NONE)
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
