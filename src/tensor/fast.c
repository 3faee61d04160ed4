/* fast.c -- small elementwise ops, without a plan.
 *
 * Only ops whose result is one rounding of exact arithmetic, so that the bits are those of any other
 * way to compute them: sums, differences, products, quotients, signs, comparisons, choices. Operands are
 * broadcast here, as NumPy does, and may be views; so a bias is added, or a number compared with, without
 * a view of it being made first.
 */
#include "tensor/tensor.h"

#define SMALL 2048 /* elements; more is worth the threads of a plan */
#define MOST 3     /* operands */

/* How the elements of the result and those of the operands are met: axes, the last one innermost. */
typedef struct FastWalk {
    uint32_t rank;
    int64_t dims[MAX_RANK];
    int64_t step[MOST][MAX_RANK]; /* of each operand, in elements; 0 where it is broadcast */
} FastWalk;

/* ---- one run of elements: x, y by steps, z contiguous ---- */

#define LOOP(expr)                                                                       \
    do {                                                                                 \
        if (sx == 1 && sy == 1)                                                          \
            for (int64_t i = 0; i < n; i++)                                              \
                z[i] = EACH(x[i], y[i], expr);                                           \
        else                                                                             \
            for (int64_t i = 0; i < n; i++)                                              \
                z[i] = EACH(x[i * sx], y[i * sy], expr);                                 \
    } while (0);                                                                         \
    break
#define EACH(p, q, f) f(p, q)

#define ADD(p, q) OF((U)(p) + (U)(q))
#define SUB(p, q) OF((U)(p) - (U)(q))
#define MUL(p, q) OF((U)(p) * (U)(q))
#define DIV(p, q) OF((p) / (q))
#define NEG_FLOAT(p, q) OF(-(p))
#define NEG_INT(p, q) OF(0 - (U)(p))
#define EQ(p, q) (uint8_t)((p) == (q))
#define NE(p, q) (uint8_t)((p) != (q))
#define LT(p, q) (uint8_t)((p) < (q))
#define LE(p, q) (uint8_t)((p) <= (q))
#define GT(p, q) (uint8_t)((p) > (q))
#define GE(p, q) (uint8_t)((p) >= (q))

/* T the type, UT the one that wraps around. Quotients of integers may fail: they are not done here. */
#define FAST_TYPE(name, T, UT, DIVIDE, NEGATE)                                           \
    static void name(OpCode op, const void *px, int64_t sx, const void *py, int64_t sy,  \
                     void *pz, int64_t n)                                                \
    {                                                                                    \
        typedef UT U;                                                                    \
        const T *x = px, *y = py;                                                        \
                                                                                         \
        if (op == OP_add || op == OP_sub || op == OP_mul || op == OP_div ||              \
            op == OP_neg) {                                                              \
            T *z = pz;                                                                   \
            switch ((int)op) {                                                           \
            case OP_add: LOOP(ADD);                                                      \
            case OP_sub: LOOP(SUB);                                                      \
            case OP_mul: LOOP(MUL);                                                      \
            case OP_neg: LOOP(NEGATE);                                                   \
            default: LOOP(DIVIDE);                                                       \
            }                                                                            \
        } else {                                                                         \
            uint8_t *z = pz;                                                             \
            switch ((int)op) {                                                           \
            case OP_eq: LOOP(EQ);                                                        \
            case OP_ne: LOOP(NE);                                                        \
            case OP_lt: LOOP(LT);                                                        \
            case OP_le: LOOP(LE);                                                        \
            case OP_gt: LOOP(GT);                                                        \
            default: LOOP(GE);                                                           \
            }                                                                            \
        }                                                                                \
    }
#define OF(v) (float)(v)
FAST_TYPE(fast_f32, float, float, DIV, NEG_FLOAT)
#undef OF
#define OF(v) (double)(v)
FAST_TYPE(fast_f64, double, double, DIV, NEG_FLOAT)
#undef OF
#define OF(v) (int32_t)(v)
FAST_TYPE(fast_i32, int32_t, uint32_t, MUL, NEG_INT)
#undef OF
#define OF(v) (int64_t)(v)
FAST_TYPE(fast_i64, int64_t, uint64_t, MUL, NEG_INT)
#undef OF

#define CHOOSE(T)                                                                        \
    {                                                                                    \
        const T *x = px, *y = py;                                                        \
        T *z = pz;                                                                       \
        for (int64_t i = 0; i < n; i++)                                                  \
            z[i] = c[i * sc] ? x[i * sx] : y[i * sy];                                    \
        break;                                                                           \
    }

static void choose(size_t size, const uint8_t *c, int64_t sc, const void *px, int64_t sx,
                   const void *py, int64_t sy, void *pz, int64_t n)
{
    switch (size) {
    case 1: CHOOSE(uint8_t)
    case 2: CHOOSE(uint16_t)
    case 4: CHOOSE(uint32_t)
    default: CHOOSE(uint64_t)
    }
}

typedef void (*FastFn)(OpCode op, const void *px, int64_t sx, const void *py, int64_t sy,
                       void *pz, int64_t n);

static FastFn fn_of(wf_dtype t)
{
    return t == WF_F32 ? fast_f32 : t == WF_F64 ? fast_f64 : t == WF_I32 ? fast_i32 : t == WF_I64 ? fast_i64 : NULL;
}

/* ---- shapes ---- */

/* The shape of the result and the steps of operands; false: they do not go together, which others say. */
static bool plan_walk(Tensor *const *in, uint32_t nin, FastWalk *w)
{
    w->rank = 0;
    for (uint32_t i = 0; i < nin; i++)
        w->rank = MAX(w->rank, in[i]->rank);
    for (uint32_t k = 0; k < w->rank; k++)
        w->dims[k] = 1;
    for (uint32_t i = 0; i < nin; i++) {
        uint32_t lead = w->rank - in[i]->rank;

        for (uint32_t k = 0; k < lead; k++)
            w->step[i][k] = 0;
        for (uint32_t k = lead; k < w->rank; k++) {
            int64_t d = in[i]->dims[k - lead];

            w->step[i][k] = d == 1 ? 0 : in[i]->strides[k - lead];
            if (d != 1 && w->dims[k] != 1 && w->dims[k] != d)
                return false;
            if (d != 1)
                w->dims[k] = d;
        }
    }
    return true;
}

/* Axes that all operands walk as one become one. The result's, which is packed, always do. */
static void join_axes(uint32_t nin, FastWalk *w)
{
    uint32_t n = 0; /* axes kept so far; the newest is n - 1 */

    for (uint32_t k = 0; k < w->rank; k++) {
        bool joins = n > 0;

        if (w->dims[k] == 1)
            continue;
        for (uint32_t i = 0; i < nin && joins; i++)
            joins = w->step[i][n - 1] == w->step[i][k] * w->dims[k];
        if (joins)
            w->dims[n - 1] *= w->dims[k];
        else
            w->dims[n++] = w->dims[k];
        for (uint32_t i = 0; i < nin; i++)
            w->step[i][n - 1] = w->step[i][k];
    }
    w->rank = n;
}

static void run_walk(OpCode op, const FastWalk *w, Tensor *const *in, uint32_t nin, Tensor *z)
{
    uint32_t last = w->rank - 1; /* not read where the rank is 0 */
    int64_t n = w->rank ? w->dims[last] : 1, at[MAX_RANK] = {0};
    size_t size = wf_dtype_size((wf_dtype)in[nin - 1]->dtype), out = wf_dtype_size((wf_dtype)z->dtype);
    FastFn fn = fn_of((wf_dtype)in[nin - 1]->dtype);
    char *p[MOST], *to = tensor_data(z);
    int64_t step[MOST] = {0};

    for (uint32_t i = 0; i < nin; i++) {
        p[i] = tensor_data(in[i]);
        step[i] = w->rank ? w->step[i][last] : 0;
    }
    for (int64_t done = 0; done < z->count; done += n, to += (size_t)n * out) {
        if (op == OP_select)
            choose(size, (const uint8_t *)p[0], step[0], p[1], step[1], p[2], step[2], to, n);
        else
            fn(op, p[0], step[0], p[nin - 1], step[nin - 1], to, n);
        for (uint32_t k = last; w->rank && k-- > 0;) {
            bool turns = ++at[k] == w->dims[k];

            for (uint32_t i = 0; i < nin; i++) {
                int64_t each = (op == OP_select && i == 0 ? 1 : (int64_t)size) * w->step[i][k];
                p[i] += turns ? each * (1 - w->dims[k]) : each;
            }
            if (!turns)
                break;
            at[k] = 0;
        }
    }
}

/* ---- the op ---- */

static bool is_compare(OpCode op)
{
    return op == OP_eq || op == OP_ne || op == OP_lt || op == OP_le || op == OP_gt || op == OP_ge;
}

static bool same_dims(Tensor *const *in, uint32_t nin)
{
    for (uint32_t i = 1; i < nin; i++) {
        if (in[i]->rank != in[0]->rank)
            return false;
        for (uint32_t k = 0; k < in[0]->rank; k++)
            if (in[i]->dims[k] != in[0]->dims[k])
                return false;
    }
    return true;
}

static bool takes(OpCode op, Tensor *const *in, uint32_t nin)
{
    wf_dtype t = (wf_dtype)in[nin - 1]->dtype;

    if (op == OP_select)
        return in[0]->dtype == WF_BOOL && in[1]->dtype == t && wf_dtype_size(t) <= 8;
    if (op != OP_add && op != OP_sub && op != OP_mul && op != OP_div && op != OP_neg && !is_compare(op))
        return false;
    return in[0]->dtype == t && fn_of(t) && (op != OP_div || dtype_is_float(t));
}

Tensor *fast_map(wf_ctx *c, OpCode op, Tensor *const *in, uint32_t nin, bool spread)
{
    int64_t count = 1;
    FastWalk w;
    Tensor *z;

    if (nin == 0 || nin > MOST || !takes(op, in, nin) || !(spread || same_dims(in, nin)))
        return NULL;
    for (uint32_t i = 0; i < nin; i++)
        if (in[i]->count > SMALL || !tensor_is_here(in[i]))
            return NULL;
    if (!plan_walk(in, nin, &w))
        return NULL;
    for (uint32_t k = 0; k < w.rank; k++)
        if ((count *= w.dims[k]) > SMALL)
            return NULL;
    if (!(z = tensor_new(c, is_compare(op) ? WF_BOOL : (wf_dtype)in[nin - 1]->dtype, w.dims, w.rank)))
        return NULL;
    join_axes(nin, &w);
    run_walk(op, &w, in, nin, z);
    return z;
}
