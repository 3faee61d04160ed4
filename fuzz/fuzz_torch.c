/* fuzz_torch.c -- libFuzzer target: bytes as a PyTorch file. Any answer is right but a crash or an internal error. */
#include "weft.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    wf_ctx *cx = wf_ctx_new(NULL);
    wf_model *m = NULL;
    const char *text;

    if (wf_model_parse(cx, "fuzz.pt", (const char *)data, size, &m) == WF_ERR_INTERNAL) {
        fprintf(stderr, "%s\n", wf_ctx_message(cx));
        abort();
    }
    for (int i = 0; i < wf_model_tensors(m);
         i++) /* every element is read, where there are not too many */
        if (wf_array_count(wf_model_tensor(m, i)) < 100000)
            wf_array_text(cx, wf_model_tensor(m, i), &text);
    wf_model_free(m);
    wf_ctx_free(cx);
    return 0;
}
