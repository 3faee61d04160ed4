/* dlpack.c -- arrays as DLPack structs, and back, on the same memory.
 *
 * Out: one block holds the struct, the shape and the strides, and retains the array; the deleter frees the block with
 * the array's own allocator, so that the context may be gone by then. In: an array wraps data + byte_offset and calls
 * the deleter when its memory is dropped. DLPack follows C: a bool is one byte, strides count elements. Arrays of GPUs
 * are handed over when the work on them is done, so that no stream need be named.
 */
#include "runtime/runtime.h"
#define WEFT_DLPACK_OWN /* whatever dlpack.h there is */
#include "weft_dlpack.h"

#include <stdio.h>
#include <stdlib.h>

_Static_assert(sizeof(DLDevice) == 8 && sizeof(DLDataType) == 4, "the layout of the ABI");
_Static_assert(sizeof(void *) != 8 || sizeof(DLTensor) == 48, "the layout of the ABI");
_Static_assert(sizeof(void *) != 8 || sizeof(DLManagedTensor) == 64,
               "the layout of the ABI");
_Static_assert(sizeof(void *) != 8 || sizeof(DLManagedTensorVersioned) == 80,
               "the layout of the ABI");

#define CUDA_NAME "cuda:" /* of devices, before their numbers */

/* ---- dtypes and devices ------------------------------------------------------------------------------- */

static const struct {
    uint8_t dtype, code, bits;
} dtypes[] = {
    {WF_BOOL, 6, 8},  {WF_I8, 0, 8},   {WF_I16, 0, 16}, {WF_I32, 0, 32}, {WF_I64, 0, 64},
    {WF_U8, 1, 8},    {WF_U16, 1, 16}, {WF_U32, 1, 32}, {WF_U64, 1, 64}, {WF_F16, 2, 16},
    {WF_BF16, 4, 16}, {WF_F32, 2, 32}, {WF_F64, 2, 64}, {WF_C64, 5, 64}, {WF_C128, 5, 128},
    {WF_F8E4M3FN, 10, 8}, {WF_F8E4M3FNUZ, 11, 8}, {WF_F8E5M2, 12, 8}, {WF_F8E5M2FNUZ, 13, 8}, {WF_F8E8M0FNU, 14, 8},
};

static bool to_dtype(wf_ctx *cx, DLDataType t, wf_dtype *out)
{
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++)
        if (dtypes[i].code == t.code && dtypes[i].bits == t.bits && t.lanes == 1) {
            *out = (wf_dtype)dtypes[i].dtype;
            return true;
        }
    return fail(cx, WF_ERR_TYPE, NOWHERE,
                "dlpack: dtype of code %d, %d bits, %d lanes, which arrays do not have",
                t.code, t.bits, t.lanes);
}

static DLDataType from_dtype(wf_dtype dtype)
{
    DLDataType t = {0, 0, 1};

    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++)
        if (dtypes[i].dtype == dtype) {
            t.code = dtypes[i].code;
            t.bits = dtypes[i].bits;
        }
    return t;
}

/* ---- out ------------------------------------------------------------------------------------------------ */

/* What manager_ctx points to: this, the struct before it and the sizes after it are one block. */
typedef struct Export {
    union {
        DLManagedTensor plain;
        DLManagedTensorVersioned versioned;
    } m;
    wf_allocator al;
    wf_array *a;
    size_t size;
    int64_t v[]; /* shape, then strides */
} Export;

static void drop_export(Export *e)
{
    wf_allocator al = e->al;

    wf_array_release(e->a);
    mem_free(&al, e, e->size);
}

static void delete_plain(DLManagedTensor *m)
{
    if (m)
        drop_export(m->manager_ctx);
}

static void delete_versioned(DLManagedTensorVersioned *m)
{
    if (m)
        drop_export(m->manager_ctx);
}

/* Where an array is, in DLPack's words; of a GPU, when its numbers are there. */
static bool dl_device(wf_ctx *cx, const wf_array *a, DLDevice *out)
{
    const char *name = a->buf->device->name;

    *out = (DLDevice){kDLCPU, 0};
    if (!a->count || a->buf->device->host_reads)
        return true;
    if (strncmp(name, CUDA_NAME, strlen(CUDA_NAME)) != 0)
        return fail(cx, WF_ERR_TYPE, NOWHERE, "dlpack: the array is on device '%s', which has no number there", name);
    *out = (DLDevice){kDLCUDA, atoi(name + strlen(CUDA_NAME))};
    return queue_sync(cx, a->buf->queue);
}

static Export *export_array(wf_ctx *cx, wf_array *a, DLTensor *out)
{
    size_t rank, size;
    DLDevice where;
    Export *e;

    if (failed(cx))
        return NULL;
    if (!a) {
        fail(cx, WF_ERR_ARG, NOWHERE, "dlpack: the array is NULL");
        return NULL;
    }
    if (!dl_device(cx, a, &where))
        return NULL;
    rank = (size_t)wf_array_rank(a);
    size = sizeof *e + 2 * rank * sizeof(int64_t);
    e = mem_alloc(&cx->al, size);
    if (!e) {
        fail_memory(cx);
        return NULL;
    }
    *e = (Export){.al = cx->al, .a = wf_array_retain(a), .size = size};
    if (rank) {
        memcpy(e->v, wf_array_dims(a), rank * sizeof *e->v);
        memcpy(e->v + rank, wf_array_strides(a), rank * sizeof *e->v);
    }
    *out = (DLTensor){.data = array_at(a),
                      .device = where,
                      .ndim = (int32_t)rank,
                      .dtype = from_dtype(wf_array_dtype(a)),
                      .shape = e->v,
                      .strides = e->v + rank};
    return e;
}

#define READ_ONLY 1 /* in the flags of a versioned tensor */

static bool may_only_be_read(wf_array *a)
{
    return wf_array_data(a) && !wf_array_data_mutable(a);
}

wf_status wf_array_to_dlpack(wf_ctx *cx, wf_array *a, DLManagedTensor **out_tensor)
{
    DLTensor t;
    Export *e;
    wf_array *copy = NULL;

    if (!SET_OUT(cx, out_tensor))
        return ctx_status(cx);
    if (may_only_be_read(a)) { /* which this struct cannot say */
        wf_array *dense;

        if (wf_array_contiguous(cx, a, &dense) == WF_OK)
            wf_array_from(cx, wf_array_dtype(a), wf_array_dims(a), wf_array_rank(a),
                          wf_array_data(dense), &copy);
        wf_array_release(dense);
        a = copy;
    }
    e = export_array(cx, a, &t);
    wf_array_release(copy); /* e holds it */
    if (!e)
        return ctx_status(cx);
    e->m.plain = (DLManagedTensor){t, e, delete_plain};
    *out_tensor = &e->m.plain;
    return WF_OK;
}

wf_status wf_array_to_dlpack_versioned(wf_ctx *cx, wf_array *a,
                                       DLManagedTensorVersioned **out_tensor)
{
    DLTensor t;
    Export *e;

    if (!SET_OUT(cx, out_tensor))
        return ctx_status(cx);
    e = export_array(cx, a, &t);
    if (!e)
        return ctx_status(cx);
    e->m.versioned = (DLManagedTensorVersioned){
        {1, 0}, e, delete_versioned, may_only_be_read(a) ? READ_ONLY : 0, t};
    *out_tensor = &e->m.versioned;
    return WF_OK;
}

/* ---- in -------------------------------------------------------------------------------------------------- */

static void drop_plain(void *owner)
{
    DLManagedTensor *m = owner;

    if (m->deleter)
        m->deleter(m);
}

static void drop_versioned(void *owner)
{
    DLManagedTensorVersioned *m = owner;

    if (m->deleter)
        m->deleter(m);
}

static wf_status import_tensor(wf_ctx *cx, const DLTensor *t, bool read_only,
                               void (*drop)(void *owner), void *owner,
                               wf_array **out_array)
{
    wf_dtype dtype = WF_INVALID;
    char *data = t->data, name[32];
    Device *d = &device_host;

    if (t->device.device_type == kDLCUDA) {
        snprintf(name, sizeof name, CUDA_NAME "%d", (int)t->device.device_id);
        if (wf_device_find(cx, name, &d) != WF_OK)
            return ctx_status(cx);
    } else if ((int)t->device.device_type != kDLCPU &&
               (int)t->device.device_type != kDLCUDAHost) {
        fail(cx, WF_ERR_TYPE, NOWHERE,
             "dlpack: memory of device type %d, but only the host's (%d, %d) and CUDA's (%d) is read",
             (int)t->device.device_type, kDLCPU, kDLCUDAHost, kDLCUDA);
        return ctx_status(cx);
    }
    if (!to_dtype(cx, t->dtype, &dtype))
        return ctx_status(cx);
    if (data)
        data += t->byte_offset;
    if ((uintptr_t)data % wf_dtype_size(dtype_part(dtype))) {
        fail(cx, WF_ERR_TYPE, NOWHERE,
             "dlpack: the first element is not aligned to the %d bytes of %s",
             (int)wf_dtype_size(dtype_part(dtype)), wf_dtype_name(dtype));
        return ctx_status(cx);
    }
    return array_wrap_on(cx, d, dtype, t->shape, t->ndim, t->strides, data, read_only, drop, owner,
                         out_array);
}

wf_status wf_array_from_dlpack(wf_ctx *cx, DLManagedTensor *m, wf_array **out_array)
{
    if (!SET_OUT(cx, out_array))
        return ctx_status(cx);
    if (!m) {
        fail(cx, WF_ERR_ARG, NOWHERE, "dlpack: the tensor is NULL");
        return ctx_status(cx);
    }
    return import_tensor(cx, &m->dl_tensor, false, drop_plain, m, out_array);
}

wf_status wf_array_from_dlpack_versioned(wf_ctx *cx, DLManagedTensorVersioned *m,
                                         wf_array **out_array)
{
    if (!SET_OUT(cx, out_array))
        return ctx_status(cx);
    if (!m) {
        fail(cx, WF_ERR_ARG, NOWHERE, "dlpack: the tensor is NULL");
        return ctx_status(cx);
    }
    if (m->version.major != 1) {
        fail(cx, WF_ERR_TYPE, NOWHERE, "dlpack: version %u.%u, but 1.x is understood",
             m->version.major, m->version.minor);
        return ctx_status(cx);
    }
    return import_tensor(cx, &m->dl_tensor, m->flags & READ_ONLY, drop_versioned, m,
                         out_array);
}
