/* create.c -- tensors from numbers, copies of tensors, casts. */
#include "runtime/array.h"
#include "tensor/tensor.h"

#include <math.h>

bool tensor_check_shape(wf_ctx *c, const char *fn, wf_dtype dtype, const int64_t *dims,
                        int rank, bool *out_symbolic)
{
    *out_symbolic = false;
    if (failed(c) || !ts(c))
        return false;
    if (!dtype_is_usable(dtype)) {
        tensor_fail(c, WF_ERR_TYPE, "%s: dtype %s cannot be used", fn, wf_dtype_name(dtype));
        return false;
    }
    if (rank < 0 || rank > WF_MAX_RANK) {
        tensor_fail(c, WF_ERR_LIMIT, "%s: rank %d is not in 0..%d", fn, rank, WF_MAX_RANK);
        return false;
    }
    if (!has_n(dims, rank))
        return arg_fail(c, fn, "sizes");
    for (int i = 0; i < rank; i++) {
        if (dims[i] >= 0)
            continue;
        *out_symbolic = true;
        if (!size_is_known(c, dims[i])) {
            tensor_fail(c, WF_ERR_SHAPE, "%s: size %lld of axis %d is negative", fn,
                        dims[i] == WF_INFER ? -1LL : (long long)dims[i], i);
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

    IN_CALL(c);
    if (!tensor_check_shape(c, "wf_from", dtype, dims, rank, &symbolic))
        return WF_NONE;
    if (symbolic)
        return tensor_fail(c, WF_ERR_SHAPE, "wf_from: needs a constant shape");
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
    IN_CALL(c);
    if (!in_call_ || failed(c) || !ts(c))
        return WF_NONE;
    if (!a)
        return tensor_fail(c, WF_ERR_ARG, "wf_from_array: the array is NULL");
    return tensor_handle(c, tensor_from_array(c, wf_array_retain(a)));
}

/* Every element of n bytes; the first is copied behind itself, in ever longer pieces that stay in the nearest cache. */
static void fill(char *p, size_t n, const void *bits, size_t size)
{
    size_t done = MIN(n, size);

    memcpy(p, bits, done);
    while (done < n) {
        size_t more = MIN(MIN(done, (size_t)4096), n - done);

        memcpy(p + done, p, more);
        done += more;
    }
}

static wf_tensor splat(wf_ctx *c, wf_dtype dtype, const int64_t *dims, uint32_t rank,
                       const void *bits)
{
    size_t size = wf_dtype_size(dtype);
    Tensor *t = tensor_new(c, dtype, dims, rank);

    if (t && t->count)
        fill(tensor_data(t), (size_t)t->count * size, bits, size);
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

    IN_CALL(c);
    if (!tensor_check_shape(c, "wf_full", dtype, dims, rank, &symbolic))
        return WF_NONE;
    if (symbolic)
        return symbolic_full(c, dtype, dims, (uint32_t)rank, x);
    element_from_f64(dtype, x, bits);
    return splat(c, dtype, dims, (uint32_t)rank, bits);
}

static wf_tensor weak(wf_ctx *c, wf_dtype dtype, const void *bits)
{
    IN_CALL(c);
    Tensor *t = !in_call_ || failed(c) || !ts(c) ? NULL : tensor_new(c, dtype, NULL, 0);

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

wf_tensor tensor_meta(wf_ctx *c, wf_dtype dtype, const int64_t *dims, int rank)
{
    IN_CALL(c);
    wf_array *a;

    if (failed(c) || !ts(c) || !array_new_on(c, &device_meta, dtype, dims, rank, &a))
        return WF_NONE;
    return tensor_handle(c, tensor_from_array(c, a));
}

bool tensor_has_numbers(wf_ctx *c, wf_tensor h)
{
    const Tensor *t = tensor_get(c, h, "numbers");

    return t && !t->symbolic && tensor_device(t) != &device_meta;
}

wf_tensor wf_full_like(wf_ctx *c, wf_tensor t, double x)
{
    Shape s;
    Tensor *like;
    wf_tensor r;

    if (!shape_of(c, t, "wf_full_like", &s))
        return WF_NONE;
    like = tensor_get(c, t, "wf_full_like");
    if (like && tensor_is_parted(like))
        return c->tensors->parted->full(c, like, x);
    if (like && !like->symbolic && tensor_device(like) == &device_meta)
        return tensor_meta(c, (wf_dtype)like->dtype, s.d, (int)s.rank);
    r = wf_full(c, wf_dtype_of(c, t), s.d, (int)s.rank, x);
    if (like && like->weak && c->semantics->promotion == WF_PROMOTE_JAX) /* JAX's is as weak as what it is like */
        r = wf_set_weak(c, r, true);
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

    if (!tensor_check_shape(c, "wf_iota", dtype, dims, rank, &symbolic) ||
        !axis_of(c, "wf_iota", axis, (uint32_t)rank, &k))
        return WF_NONE;
    a.axis = k;
    return tensor_op1(c, OP_iota, NULL, 0, &a);
}

wf_tensor wf_copy(wf_ctx *c, wf_tensor h)
{
    IN_CALL(c);
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
    if (n) {
        n->weak = t->weak;
        n->layout = t->layout;
    }
    return tensor_handle(c, n);
}

wf_tensor wf_set_weak(wf_ctx *c, wf_tensor h, bool weak_)
{
    IN_CALL(c);
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

/* To f8e4m3fn PyTorch saturates, and f8e8m0fnu takes magnitudes, 0 as the least one; NumPy takes what is left of a whole
 * number modulo 16. */
static wf_tensor as_the_library(wf_ctx *c, wf_tensor h, wf_dtype from, wf_dtype to)
{
    bool powers = to == WF_F8E8M0FNU;

    if (c->semantics->promotion == WF_PROMOTE_NUMPY)
        return dtype_wide(to) == WF_F32 || !dtype_is_inexact(from) ? h : wf_cast(c, h, WF_I32);
    if (c->semantics->promotion != WF_PROMOTE_TORCH || dtype_is_complex(from) || (!powers && to != WF_F8E4M3FN))
        return h;
    h = wf_cast(c, h, WF_F32);
    if (powers)
        h = op_1(c, OP_abs, h, NULL);
    return tensor_op1(c, OP_clamp,
                      (wf_tensor[]){wf_scalar(c, WF_F32, powers ? 0x1p-127 : -448), h,
                                    wf_scalar(c, WF_F32, powers ? (double)INFINITY : 448)},
                      3, NULL);
}

wf_tensor wf_cast(wf_ctx *c, wf_tensor h, wf_dtype dtype)
{
    Tensor *t = tensor_get(c, h, "wf_cast");
    wf_tensor r;

    if (!t)
        return WF_NONE;
    if (!dtype_is_usable(dtype))
        return tensor_fail(c, WF_ERR_TYPE, "wf_cast: dtype %s cannot be used",
                     wf_dtype_name(dtype));
    if (t->dtype == dtype)
        return wf_set_weak(c, h, false);
    scope_open(c);
    if (dtype_is_storage(dtype))
        h = as_the_library(c, h, (wf_dtype)t->dtype, dtype);
    r = op_1(c, OP_cast, h, &(DtypeAttr){(int32_t)dtype});
    if (!failed(c))
        tensor_get(c, r, "wf_cast")->weak = false;
    return scope_close(c, r);
}

wf_tensor wf_bitcast(wf_ctx *c, wf_tensor h, wf_dtype dtype)
{
    if (!tensor_get(c, h, "wf_bitcast"))
        return WF_NONE;
    return op_1(c, OP_bitcast, h, &(DtypeAttr){(int32_t)dtype});
}
