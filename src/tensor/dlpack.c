/* dlpack.c -- tensors from and to other libraries by DLPack's managed tensors (ABI version 0.x, the unversioned
 * struct), without copying where the memory allows it.
 */
#include "tensor/tensor.h"

/* The layout that dlpack.h gives; names without its DL_ so that both can be included. */
typedef struct DlTensor {
    void *data;
    int32_t device_type, device_id; /* 1: CPU, 3: pinned host memory */
    int32_t ndim;
    uint8_t code, bits; /* 0 int, 1 uint, 2 float, 4 bfloat, 6 bool */
    uint16_t lanes;
    int64_t *shape, *strides; /* in elements; strides NULL: row-major */
    uint64_t byte_offset;
} DlTensor;

struct DLManagedTensor {
    DlTensor t;
    void *manager;
    void (*deleter)(struct DLManagedTensor *self);
};

enum { DL_CPU = 1, DL_PINNED = 3 };

static wf_dtype dtype_from(uint8_t code, uint8_t bits)
{
    for (int d = WF_BOOL; d <= WF_F64; d++) {
        uint8_t want = d == WF_BOOL                     ? 6
                       : dtype_is_signed((wf_dtype)d)   ? 0
                       : dtype_is_unsigned((wf_dtype)d) ? 1
                       : d == WF_BF16                   ? 4
                                                        : 2;
        if (want == code && bits == 8 * wf_dtype_size((wf_dtype)d))
            return (wf_dtype)d;
    }
    return WF_INVALID;
}

static void drop_managed(void *owner)
{
    struct DLManagedTensor *m = owner;

    if (m->deleter)
        m->deleter(m);
}

wf_tensor wf_from_dlpack(wf_ctx *c, struct DLManagedTensor *m)
{
    wf_dtype dtype;
    wf_array *a;

    if (failed(c) || !ts(c))
        return WF_NONE;
    if (!m)
        return tfail(c, WF_ERR_ARG, "wf_from_dlpack: the tensor is NULL");
    if (m->t.device_type != DL_CPU && m->t.device_type != DL_PINNED)
        return tfail(c, WF_ERR_UNSUPPORTED,
                     "wf_from_dlpack: device type %d is not the host's",
                     (int)m->t.device_type);
    dtype = m->t.lanes == 1 ? dtype_from(m->t.code, m->t.bits) : WF_INVALID;
    if (!dtype)
        return tfail(c, WF_ERR_TYPE,
                     "wf_from_dlpack: no dtype of code %d with %d bits and %d lanes",
                     m->t.code, m->t.bits, m->t.lanes);
    if (m->t.ndim < 0 || m->t.ndim > WF_MAX_RANK)
        return tfail(c, WF_ERR_LIMIT, "wf_from_dlpack: rank %d is not in 0..%d",
                     (int)m->t.ndim, WF_MAX_RANK);
    if (wf_array_wrap(c, dtype, m->t.shape, m->t.ndim, m->t.strides,
                      (char *)m->t.data + m->t.byte_offset, drop_managed, m, &a) != WF_OK)
        return WF_NONE;
    return tensor_handle(c, tensor_from_array(c, a));
}

typedef struct Given { /* what wf_to_dlpack gives out, in one block */
    struct DLManagedTensor m;
    wf_allocator al;
    wf_array *array;
} Given;

static void give_back(struct DLManagedTensor *m)
{
    Given *g = (Given *)m;
    wf_allocator al = g->al;

    wf_array_release(g->array);
    mem_free(&al, g, sizeof *g);
}

wf_status wf_to_dlpack(wf_ctx *c, wf_tensor h, struct DLManagedTensor **out)
{
    wf_array *a;
    wf_dtype d;
    Given *g;

    *out = NULL;
    if (wf_to_array(c, h, &a) != WF_OK)
        return c->status;
    if (!(g = mem_alloc(&c->al, sizeof *g))) {
        wf_array_release(a);
        fail_memory(c);
        return c->status;
    }
    d = wf_array_dtype(a);
    *g = (Given){.al = c->al, .array = a};
    g->m.deleter = give_back;
    g->m.t = (DlTensor){.data = wf_array_data(a),
                        .device_type = DL_CPU,
                        .ndim = wf_array_rank(a),
                        .lanes = 1,
                        .bits = (uint8_t)(8 * wf_dtype_size(d)),
                        .shape = (int64_t *)(uintptr_t)wf_array_dims(a),
                        .strides = (int64_t *)(uintptr_t)wf_array_strides(a)};
    g->m.t.code = d == WF_BOOL           ? 6
                  : dtype_is_signed(d)   ? 0
                  : dtype_is_unsigned(d) ? 1
                  : d == WF_BF16         ? 4
                                         : 2;
    *out = &g->m;
    return c->status;
}
