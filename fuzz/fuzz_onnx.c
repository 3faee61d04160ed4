/* fuzz_onnx.c -- libFuzzer target: bytes as an ONNX model.
 *
 * What is read is verified and printed. Any answer is right but a crash, an internal error, or a program that does not verify.
 */
#include "io/io.h"

#include <stdio.h>
#include <stdlib.h>

#ifndef FUZZ_NAME
#define FUZZ_NAME "fuzz.onnx"
#endif

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    wf_ctx *cx = wf_ctx_new(NULL);
    wf_model *m = NULL;
    const char *text;

    if (wf_model_parse(cx, FUZZ_NAME, (const char *)data, size, &m) == WF_ERR_INTERNAL) {
        fprintf(stderr, "%s\n", wf_ctx_message(cx));
        abort();
    }
    for (int i = 0; i < wf_model_programs(m); i++)
        if (wf_program_verify(cx, wf_model_program(m, i)) != WF_OK ||
            wf_program_text(cx, wf_model_program(m, i), WF_TEXT_SHORT, &text) != WF_OK) {
            fprintf(stderr, "%s\n", wf_ctx_message(cx));
            abort();
        }
    wf_model_free(m);
    wf_ctx_free(cx);
    return 0;
}
