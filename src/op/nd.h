/* nd.h -- walking concrete row-major arrays, for the eval rules: strides, multi-indices.
 *
 * Slow and obvious on purpose: eval is the oracle that kernels are tested against.
 */
#ifndef WEFT_ND_H
#define WEFT_ND_H

#include "op/op.h"
#include "op/scalar.h"

/* stride[i]: how many elements apart neighbours along axis i lie. */
static inline void nd_strides(const int64_t *dims, uint32_t rank, int64_t *stride)
{
    int64_t s = 1;

    for (uint32_t i = rank; i-- > 0; s *= dims[i] > 0 ? dims[i] : 1)
        stride[i] = s;
}

/* The next multi-index in row-major order; false after the last, when all are 0 again. */
static inline bool nd_next(const int64_t *dims, uint32_t rank, int64_t *at)
{
    for (uint32_t i = rank; i-- > 0; at[i] = 0)
        if (++at[i] < dims[i])
            return true;
    return false;
}

static inline int64_t nd_flat(const int64_t *at, const int64_t *stride, uint32_t rank)
{
    int64_t k = 0;

    for (uint32_t i = 0; i < rank; i++)
        k += at[i] * stride[i];
    return k;
}

static inline void *nd_at(const Nd *x, int64_t i)
{
    return (char *)x->data + (size_t)i * wf_dtype_size(x->dtype);
}

static inline void nd_copy(const Nd *out, int64_t i, const Nd *in, int64_t j)
{
    memcpy(nd_at(out, i), nd_at(in, j), wf_dtype_size(out->dtype));
}

static inline void nd_fill(const Nd *out, const void *element)
{
    for (int64_t i = 0; i < out->count; i++)
        memcpy(nd_at(out, i), element, wf_dtype_size(out->dtype));
}

static inline bool type_axis(TypeRule *t, int64_t axis)
{
    Type x = t->in[0];

    if (axis >= 0 && axis < x.rank)
        return true;
    return type_fail(t, WF_ERR_VALUE, "axis %lld of %s, needs 0 <= axis < %d",
                     (long long)axis, type_show(t, x), x.rank);
}

/* The elements along an axis: element k of line (o, i) is number (o*n + k)*inner + i. */
typedef struct Lines {
    int64_t outer, n, inner;
} Lines;

static inline Lines nd_lines(const Nd *x, int64_t axis)
{
    Lines l = {1, x->dims[axis], 1};

    for (int64_t i = 0; i < axis; i++)
        l.outer *= x->dims[i];
    for (uint32_t i = (uint32_t)axis + 1; i < x->rank; i++)
        l.inner *= x->dims[i];
    return l;
}

/* Element i of an integer array; unsigned numbers beyond int64 become INT64_MAX. */
static inline int64_t nd_int(const Nd *x, int64_t i)
{
    switch (x->dtype) {
    case WF_I8: return ((const int8_t *)x->data)[i];
    case WF_I16: return ((const int16_t *)x->data)[i];
    case WF_I32: return ((const int32_t *)x->data)[i];
    case WF_U8: return ((const uint8_t *)x->data)[i];
    case WF_U16: return ((const uint16_t *)x->data)[i];
    case WF_U32: return ((const uint32_t *)x->data)[i];
    case WF_U64: {
        uint64_t v = ((const uint64_t *)x->data)[i];
        return v > INT64_MAX ? INT64_MAX : (int64_t)v;
    }
    default: return ((const int64_t *)x->data)[i];
    }
}

#endif
