/* dlpack.c -- tensors from and to other libraries by DLPack's managed tensors, as arrays
 * do it (io/dlpack.c). */
#include "tensor/tensor.h"
#define WEFT_DLPACK_OWN /* whatever dlpack.h there is */
#include "weft_dlpack.h"

wf_tensor wf_from_dlpack(wf_ctx *c, DLManagedTensor *m)
{
    IN_CALL(c);
    void (*deleter)(DLManagedTensor *);
    wf_array *a;
    wf_tensor h;

    if (failed(c) || !ts(c) || wf_array_from_dlpack(c, m, &a) != WF_OK)
        return WF_NONE;
    deleter = m->deleter;
    m->deleter = NULL; /* if memory runs out here, m is still the caller's */
    h = tensor_handle(c, tensor_from_array(c, a));
    m->deleter = deleter;
    return h;
}

wf_status wf_to_dlpack(wf_ctx *c, wf_tensor h, DLManagedTensor **out)
{
    wf_array *a;

    if (!SET_OUT(c, out))
        return ctx_status(c);
    if (wf_to_array(c, h, &a) == WF_OK) {
        wf_array_to_dlpack(c, a, out);
        wf_array_release(a);
    }
    return ctx_status(c);
}
