/* weft_dlpack.h -- arrays to and from other libraries without copying, as DLPack structs.
 *
 *     DLManagedTensor *m;
 *     wf_array_to_dlpack(cx, a, &m);          hand m over; whoever has it calls m->deleter(m) once
 *     wf_array_from_dlpack(cx, m, &a);        a owns m: its deleter is called when the last user of a is gone
 *
 * Where the compiler finds <dlpack/dlpack.h>, or another copy of it was included before, its structs are used; else those below,
 * whose layouts are those of the DLPack 1.x ABI, and which stand for it from then on (WEFT_DLPACK_OWN: always). Memory is shared: it
 * must stay as it is while another side reads it. Only memory that the host can read is taken, and dtypes that arrays have (no vectors, no 4 and 8 bit floats).
 */
#ifndef WEFT_DLPACK_H
#define WEFT_DLPACK_H

#include "weft.h"

#if !defined(DLPACK_DLPACK_H_) && !defined(WEFT_DLPACK_OWN) && defined(__has_include)
#if __has_include(<dlpack/dlpack.h>)
#include <dlpack/dlpack.h>
#endif
#endif

#ifndef DLPACK_DLPACK_H_
#define DLPACK_DLPACK_H_

typedef enum {
    kDLCPU = 1,
    kDLCUDA = 2,
    kDLCUDAHost = 3
} DLDeviceType; /* of others only the number is looked at */
typedef struct {
    DLDeviceType device_type; /* 32 bits */
    int32_t device_id;
} DLDevice;

typedef enum {
    kDLInt = 0,
    kDLUInt = 1,
    kDLFloat = 2,
    kDLBfloat = 4,
    kDLComplex = 5,
    kDLBool = 6
} DLDataTypeCode;
typedef struct {
    uint8_t code, bits;
    uint16_t lanes; /* 1: not a vector */
} DLDataType;

typedef struct {
    void *data;
    DLDevice device;
    int32_t ndim;
    DLDataType dtype;
    int64_t *shape;
    int64_t *strides;     /* in elements; NULL: row-major */
    uint64_t byte_offset; /* of the first element from data */
} DLTensor;

typedef struct DLManagedTensor {
    DLTensor dl_tensor;
    void *manager_ctx;
    void (*deleter)(struct DLManagedTensor *self); /* may be NULL */
} DLManagedTensor;

typedef struct {
    uint32_t major, minor;
} DLPackVersion;

typedef struct DLManagedTensorVersioned {
    DLPackVersion version; /* another major version has another layout after deleter */
    void *manager_ctx;
    void (*deleter)(struct DLManagedTensorVersioned *self);
    uint64_t flags; /* 1: read-only, 2: is a copy */
    DLTensor dl_tensor;
} DLManagedTensorVersioned;

#endif

#ifdef __cplusplus
extern "C" {
#endif

struct DLManagedTensor;
struct DLManagedTensorVersioned; /* which a dlpack.h of before 1.0 does not have */

/* A struct that shares the memory of a and keeps it alive until its deleter is called, from any thread.
 * WF_ERR_TYPE: the host cannot read the array's device. */
WF_API wf_status wf_array_to_dlpack(wf_ctx *cx, wf_array *a,
                                    struct DLManagedTensor **out_tensor);
WF_API wf_status wf_array_to_dlpack_versioned(wf_ctx *cx, wf_array *a,
                                              struct DLManagedTensorVersioned **out_tensor);

/* An array on the memory of m, which it owns from now on. After an error m is still the caller's.
 * WF_ERR_TYPE: a device, dtype or version that arrays do not have. */
WF_API wf_status wf_array_from_dlpack(wf_ctx *cx, struct DLManagedTensor *m,
                                      wf_array **out_array);
/* Read-only memory (its flag) is taken, and is never written to: wf_array_data_mutable gives NULL, a write to a tensor on it is
 * WF_ERR_VALUE. Arrays on it are handed on with the flag; wf_array_to_dlpack, which has none, hands on a copy. */
WF_API wf_status wf_array_from_dlpack_versioned(wf_ctx *cx, struct DLManagedTensorVersioned *m,
                                                wf_array **out_array);

#ifdef __cplusplus
}
#endif
#endif
