/* array.h -- of arrays on devices, what the tensor layer needs beside the public header. */
#ifndef WEFT_RUNTIME_ARRAY_H
#define WEFT_RUNTIME_ARRAY_H

#include "base/base.h"

extern wf_device device_host; /* never written */
extern wf_device device_meta; /* of arrays without numbers; never written */

/* The elements of a, from any device, row-major to dst. Waits for them. */
bool array_copy_out(wf_ctx *cx, const wf_array *a, void *dst);
/* A row-major copy of a on its own device. */
bool array_copy(wf_ctx *cx, const wf_array *a, wf_array **out);
/* The elements of a, on any device, over those of b, which has any strides. */
bool array_write(wf_ctx *cx, wf_array *a, wf_array *b);
/* Another shape on the memory of a: strides and offset in elements of dtype, from the first
 * of its buffer. */
bool array_view(wf_ctx *cx, const wf_array *a, wf_dtype dtype, const int64_t *dims,
                const int64_t *strides, int rank, int64_t offset, wf_array **out);

/* A row-major array on a device, contents not defined. False with an error recorded; no jump. */
bool array_new_on(wf_ctx *cx, wf_device *d, wf_dtype dtype, const int64_t *dims, int rank, wf_array **out);

#endif
