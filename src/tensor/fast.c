/* fast.c -- small elementwise ops on packed operands, without a plan.
 *
 * Only ops whose result is one rounding of exact arithmetic, so that the bits are those of any other
 * way to compute them. Operands have one type; one that is broadcast from a single number is taken
 * with step 0.
 */
#include "tensor/tensor.h"

#define SMALL 2048 /* elements; more is worth the threads of a plan */

/* 1: row-major; 0: one number everywhere; -1: neither */
static int step_of(const Tensor *t)
{
    if (t->packed)
        return 1;
    for (uint32_t i = 0; i < t->rank; i++)
        if (t->strides[i] != 0 && t->dims[i] != 1)
            return -1;
    return 0;
}

#define LOOP(expr)                                                                       \
    for (int64_t i = 0; i < n; i++, x += sx, y += sy)                                    \
        z[i] = (expr);                                                                   \
    return true
#define BINARIES(T, U, is_float)                                                         \
    {                                                                                    \
        const T *x = px, *y = py;                                                        \
        T *z = pz;                                                                       \
        switch ((int)op) {                                                               \
        case OP_add: LOOP((T)((U)*x + (U)*y));                                           \
        case OP_sub: LOOP((T)((U)*x - (U)*y));                                           \
        case OP_mul: LOOP((T)((U)*x * (U)*y));                                           \
        case OP_div:                                                                     \
            if (!is_float)                                                               \
                return false;                                                            \
            LOOP(*x / *y);                                                               \
        case OP_neg: LOOP((T)(is_float ? -(U)*x : 0 - (U)*x));                           \
        default: return false;                                                           \
        }                                                                                \
    }

static bool compute(OpCode op, wf_dtype dtype, const void *px, int sx, const void *py,
                    int sy, void *pz, int64_t n)
{
    switch ((int)dtype) {
    case WF_F32: BINARIES(float, float, 1)
    case WF_F64: BINARIES(double, double, 1)
    case WF_I32: BINARIES(int32_t, uint32_t, 0)
    case WF_I64: BINARIES(int64_t, uint64_t, 0)
    default: return false;
    }
}

Tensor *fast_map(wf_ctx *c, OpCode op, Tensor *const *in, uint32_t nin)
{
    const Tensor *x, *y;
    int sx, sy;
    Tensor *z;

    if (op != OP_add && op != OP_sub && op != OP_mul && op != OP_div && op != OP_neg)
        return NULL;
    x = in[0];
    y = in[nin - 1];
    if (x->count > SMALL || x->dtype != y->dtype || x->rank != y->rank ||
        (op == OP_div && !dtype_is_float((wf_dtype)x->dtype)) ||
        (x->dtype != WF_F32 && x->dtype != WF_F64 && x->dtype != WF_I32 &&
         x->dtype != WF_I64))
        return NULL;
    for (uint32_t i = 0; i < x->rank; i++)
        if (x->dims[i] != y->dims[i])
            return NULL;
    if ((sx = step_of(x)) < 0 || (sy = step_of(y)) < 0 || !tensor_is_here(x) ||
        !tensor_is_here(y) ||
        !(z = tensor_new(c, (wf_dtype)x->dtype, x->dims, x->rank)))
        return NULL;
    if (!compute(op, (wf_dtype)x->dtype, tensor_data(x), sx, tensor_data(y), sy,
                 tensor_data(z), z->count)) {
        tensor_release(c, z);
        return NULL;
    }
    return z;
}
