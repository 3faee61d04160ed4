/* create.c -- tensors from numbers. */
#include "tensor/tensor.h"

#include <math.h>

static bool check_shape(wf_ctx *c, const char *fn, wf_dtype dtype, const int64_t *dims,
                        int rank, bool *out_symbolic)
{
    *out_symbolic = false;
    if (failed(c) || !ts(c))
        return false;
    if (!dtype_is_usable(dtype)) {
        tfail(c, WF_ERR_TYPE, "%s: dtype %s cannot be used", fn, wf_dtype_name(dtype));
        return false;
    }
    if (rank < 0 || rank > WF_MAX_RANK) {
        tfail(c, WF_ERR_LIMIT, "%s: rank %d is not in 0..%d", fn, rank, WF_MAX_RANK);
        return false;
    }
    if (!has_n(dims, rank))
        return arg_fail(c, fn, "sizes");
    for (int i = 0; i < rank; i++) {
        if (dims[i] >= 0)
            continue;
        *out_symbolic = true;
        if (!size_is_known(c, dims[i])) {
            tfail(c, WF_ERR_SHAPE, "%s: size %lld of axis %d is negative", fn,
                  (long long)dims[i], i);
            return false;
        }
    }
    return true;
}

wf_tensor wf_from(wf_ctx *c, wf_dtype dtype, const int64_t *dims, int rank,
                  const void *data)
{
    bool symbolic;
    Tensor *t;

    if (!check_shape(c, "wf_from", dtype, dims, rank, &symbolic))
        return WF_NONE;
    if (symbolic)
        return tfail(c, WF_ERR_SHAPE, "wf_from: needs a constant shape");
    t = tensor_new(c, dtype, dims, (uint32_t)rank);
    if (!t || !t->count)
        return tensor_handle(c, t);
    if (!NEEDS(c, data)) {
        tensor_release(c, t);
        return WF_NONE;
    }
    memcpy(tensor_data(t), data, (size_t)t->count * wf_dtype_size(dtype));
    return tensor_handle(c, t);
}

wf_tensor wf_from_array(wf_ctx *c, wf_array *a)
{
    if (failed(c) || !ts(c))
        return WF_NONE;
    if (!a)
        return tfail(c, WF_ERR_ARG, "wf_from_array: the array is NULL");
    return tensor_handle(c, tensor_from_array(c, wf_array_retain(a)));
}

static wf_tensor splat(wf_ctx *c, wf_dtype dtype, const int64_t *dims, uint32_t rank,
                       const void *bits)
{
    size_t size = wf_dtype_size(dtype);
    Tensor *t = tensor_new(c, dtype, dims, rank);
    char *p = t ? tensor_data(t) : NULL;

    for (int64_t i = 0; t && i < t->count; i++)
        memcpy(p + (size_t)i * size, bits, size);
    return tensor_handle(c, t);
}

/* In the current program: a constant whose shape has symbols. */
static wf_tensor symbolic_full(wf_ctx *c, wf_dtype dtype, const int64_t *dims,
                               uint32_t rank, double x)
{
    return op_1(c, OP_broadcast, wf_scalar(c, dtype, x),
                &(BroadcastAttr){{rank, dims}, {0, NULL}});
}

wf_tensor wf_full(wf_ctx *c, wf_dtype dtype, const int64_t *dims, int rank, double x)
{
    uint64_t bits[2] = {0};
    bool symbolic;

    if (!check_shape(c, "wf_full", dtype, dims, rank, &symbolic))
        return WF_NONE;
    if (symbolic)
        return symbolic_full(c, dtype, dims, (uint32_t)rank, x);
    element_from_f64(dtype, x, bits);
    return splat(c, dtype, dims, (uint32_t)rank, bits);
}

static wf_tensor weak(wf_ctx *c, wf_dtype dtype, const void *bits)
{
    Tensor *t = failed(c) || !ts(c) ? NULL : tensor_new(c, dtype, NULL, 0);

    if (!t)
        return WF_NONE;
    memcpy(tensor_data(t), bits, wf_dtype_size(dtype));
    t->weak = true;
    return tensor_handle(c, t);
}

wf_tensor wf_float(wf_ctx *c, double x)
{
    return weak(c, WF_F64, &x);
} /* exact until it meets another */
wf_tensor wf_int(wf_ctx *c, int64_t x) { return weak(c, WF_I64, &x); }
wf_tensor wf_bool(wf_ctx *c, bool x) { return weak(c, WF_BOOL, &x); }
wf_tensor wf_complex_number(wf_ctx *c, double re, double im)
{
    return weak(c, WF_C128, (const double[]){re, im});
}
wf_tensor wf_scalar(wf_ctx *c, wf_dtype dtype, double x)
{
    return wf_full(c, dtype, NULL, 0, x);
}
wf_tensor wf_zeros(wf_ctx *c, wf_dtype dtype, const int64_t *dims, int rank)
{
    return wf_full(c, dtype, dims, rank, 0);
}
wf_tensor wf_ones(wf_ctx *c, wf_dtype dtype, const int64_t *dims, int rank)
{
    return wf_full(c, dtype, dims, rank, 1);
}

wf_tensor wf_full_like(wf_ctx *c, wf_tensor t, double x)
{
    Shape s;
    Tensor *like;
    wf_tensor r;

    if (!shape_of(c, t, "wf_full_like", &s))
        return WF_NONE;
    r = wf_full(c, wf_dtype_of(c, t), s.d, (int)s.rank, x);
    like = tensor_get(c, t, "wf_full_like");
    return !like || like->symbolic || tensor_is_here(like)
               ? r
               : wf_to_device(c, r, tensor_device(like));
}

wf_tensor wf_zeros_like(wf_ctx *c, wf_tensor t) { return wf_full_like(c, t, 0); }
wf_tensor wf_ones_like(wf_ctx *c, wf_tensor t) { return wf_full_like(c, t, 1); }

wf_tensor wf_iota(wf_ctx *c, wf_dtype dtype, const int64_t *dims, int rank, int axis)
{
    bool symbolic;
    uint32_t k;
    IotaAttr a = {{(uint8_t)dtype, (uint8_t)rank, dims}, 0};

    if (!check_shape(c, "wf_iota", dtype, dims, rank, &symbolic) ||
        !axis_of(c, "wf_iota", axis, (uint32_t)rank, &k))
        return WF_NONE;
    a.axis = k;
    return tensor_op1(c, OP_iota, NULL, 0, &a);
}

/* Element i is start + i*step, computed in double (exactly for integers below 2^53) and rounded once. */
static wf_tensor progression(wf_ctx *c, wf_dtype dtype, double start, double step,
                             int64_t n)
{
    Tensor *t = tensor_new(c, dtype, &n, 1);
    size_t size = wf_dtype_size(dtype);

    for (int64_t i = 0; t && i < n; i++)
        element_from_f64(dtype, start + (double)i * step,
                         (char *)tensor_data(t) + (size_t)i * size);
    return tensor_handle(c, t);
}

wf_tensor wf_arange(wf_ctx *c, wf_dtype dtype, double start, double stop, double step)
{
    bool symbolic;
    double n;

    if (!check_shape(c, "wf_arange", dtype, NULL, 0, &symbolic))
        return WF_NONE;
    n = ceil((stop - start) / step);
    if (step == 0 || !isfinite(n) || n > 1e15)
        return tfail(c, WF_ERR_VALUE,
                     "wf_arange: the number of steps is not a size (is the step 0?)");
    return progression(c, dtype, start, step, n > 0 ? (int64_t)n : 0);
}

wf_tensor wf_linspace(wf_ctx *c, wf_dtype dtype, double start, double stop, int64_t n,
                      bool endpoint)
{
    bool symbolic;
    double step;
    wf_tensor t;

    if (!check_shape(c, "wf_linspace", dtype, NULL, 0, &symbolic))
        return WF_NONE;
    if (n < 0)
        return tfail(c, WF_ERR_VALUE,
                     "wf_linspace: needs a number of points >= 0, got %lld",
                     (long long)n);
    step = (stop - start) / (double)(endpoint ? (n > 1 ? n - 1 : 1) : (n ? n : 1));
    t = progression(c, dtype, start, step, n);
    if (!wf_is_none(t) && endpoint && n > 1) /* the last point exactly */
        element_from_f64(dtype, stop,
                         (char *)tensor_data(tensor_get(c, t, "wf_linspace")) +
                             (size_t)(n - 1) * wf_dtype_size(dtype));
    return t;
}

/* row + k `cmp` column */
static wf_tensor compare_places(wf_ctx *c, wf_dtype dtype, int64_t rows, int64_t cols,
                                int k, OpCode cmp)
{
    int64_t dims[2] = {rows, cols};
    wf_tensor r, q, t;

    scope_open(c);
    r = wf_add(c, wf_iota(c, WF_I64, dims, 2, 0), wf_int(c, k));
    q = wf_iota(c, WF_I64, dims, 2, 1);
    t = wf_cast(c, op_2(c, cmp, r, q, NULL), dtype);
    return scope_close(c, t);
}

wf_tensor wf_eye(wf_ctx *c, wf_dtype dtype, int64_t rows, int64_t cols, int k)
{
    return compare_places(c, dtype, rows, cols, k, OP_eq);
}

wf_tensor wf_tri(wf_ctx *c, wf_dtype dtype, int64_t rows, int64_t cols, int k)
{
    return compare_places(c, dtype, rows, cols, k, OP_ge);
}

wf_tensor wf_one_hot(wf_ctx *c, wf_tensor index, int64_t classes, wf_dtype dtype)
{
    Shape s;
    wf_tensor t;

    if (!shape_of(c, index, "wf_one_hot", &s))
        return WF_NONE;
    if (!dtype_is_int(wf_dtype_of(c, index)))
        return tfail(c, WF_ERR_TYPE, "wf_one_hot: needs integers, got %s",
                     shape_text(c, tensor_get(c, index, "wf_one_hot")));
    if (s.rank == MAX_RANK)
        return tfail(c, WF_ERR_LIMIT, "wf_one_hot: the result would have rank %d",
                     MAX_RANK + 1);
    scope_open(c);
    s.d[s.rank] = 1;
    t = wf_reshape(c, index, s.d, (int)s.rank + 1);
    s.d[s.rank] = classes;
    t = wf_eq(c, t, wf_iota(c, wf_dtype_of(c, index), s.d, (int)s.rank + 1, -1));
    return scope_close(c, wf_cast(c, t, dtype));
}

wf_tensor wf_copy(wf_ctx *c, wf_tensor h)
{
    Tensor *t = tensor_get(c, h, "wf_copy"), *n;

    if (!t)
        return WF_NONE;
    if (t->symbolic)
        return tensor_handle(c, tensor_alias(c, t));
    if (t->need & c->tensors->recorders &&
        !c->tensors->no_grad) { /* as an op, so that it has a history */
        wf_tensor r;
        scope_open(c);
        r = op_1(c, OP_opt_barrier, h, NULL);
        return scope_close(c, r);
    }
    n = tensor_copy(c, t);
    if (n)
        n->weak = t->weak;
    return tensor_handle(c, n);
}

wf_tensor wf_set_weak(wf_ctx *c, wf_tensor h, bool weak_)
{
    Tensor *t = tensor_get(c, h, "wf_set_weak"), *a;

    if (!t || t->weak == weak_)
        return t ? h : WF_NONE;
    a = tensor_alias(c, t);
    if (a) {
        a->weak = weak_;
        a->need = t->need;
        a->out = t->out;
        if ((a->node = t->node) != NULL)
            a->node->refs++;
    }
    return tensor_handle(c, a);
}

wf_tensor wf_cast(wf_ctx *c, wf_tensor h, wf_dtype dtype)
{
    Tensor *t = tensor_get(c, h, "wf_cast");
    wf_tensor r;

    if (!t)
        return WF_NONE;
    if (!dtype_is_usable(dtype))
        return tfail(c, WF_ERR_TYPE, "wf_cast: dtype %s cannot be used",
                     wf_dtype_name(dtype));
    if (t->dtype == dtype)
        return wf_set_weak(c, h, false);
    r = op_1(c, OP_cast, h, &(DtypeAttr){(int32_t)dtype});
    if (!failed(c))
        tensor_get(c, r, "wf_cast")->weak = false;
    return r;
}

wf_tensor wf_bitcast(wf_ctx *c, wf_tensor h, wf_dtype dtype)
{
    if (!tensor_get(c, h, "wf_bitcast"))
        return WF_NONE;
    return op_1(c, OP_bitcast, h, &(DtypeAttr){(int32_t)dtype});
}
