/* fuzz_torchscript.c -- libFuzzer target: bytes as an archive of TorchScript or torch.export, whose code is traced.
 *
 * Types are given to the inputs it names, so that its methods become programs, which are verified and printed. Any answer is
 * right but a crash, an internal error, or a program that does not verify.
 */
#include "limits.h"

#include <stdio.h>
#include <string.h>

/* A static program has the script language, which makes programs of code, if it calls it. */
extern wf_status (*const script_is_here)(wf_ctx *cx, const char *file, const char *text, size_t size);
wf_status (*const script_is_here)(wf_ctx *cx, const char *file, const char *text, size_t size) = wf_script_check;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look(wf_ctx *cx, wf_model *m)
{
    const char *text;

    if (wf_ctx_status(cx) == WF_ERR_INTERNAL) {
        fprintf(stderr, "%s\n", wf_ctx_message(cx));
        abort();
    }
    wf_clear(cx);
    for (int i = 0; i < wf_model_programs(m); i++)
        if (wf_program_verify(cx, wf_model_program(m, i)) != WF_OK ||
            wf_program_text(cx, wf_model_program(m, i), WF_TEXT_SHORT, &text) != WF_OK) {
            fprintf(stderr, "%s\n", wf_ctx_message(cx));
            abort();
        }
}

/* Of the inputs of forward, a line each: as types may be. */
static void give_types(wf_ctx *cx, const wf_model *m, const uint8_t *data, size_t size)
{
    static const char *const kinds[] = {"f32[N,3]", "f32[2,3]", "f32[1,1,5,5]", "i64[N]", "f32[]"};
    const char *names[4], *types[4];
    char text[400];
    int n = 0;
    wf_model *given = NULL;

    snprintf(text, sizeof text, "%s", wf_model_meta(m, "inputs.forward"));
    for (char *s = strtok(text, ", \n"); s && n < 4; s = strtok(NULL, ", \n")) {
        names[n] = s;
        types[n] = kinds[(size + (size_t)n) % (sizeof kinds / sizeof *kinds)];
        n++;
    }
    if (n)
        wf_model_parse_with(cx, "fuzz.pt", (const char *)data, size, &(wf_import_options){sizeof(wf_import_options), names, types, NULL, n},
                            &given);
    look(cx, given);
    wf_model_free(given);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    wf_ctx *cx = wf_ctx_new(&(wf_options){.size = sizeof(wf_options), .allocator = {resize, NULL}});
    wf_model *m = NULL;

    timer(cx);
    wf_model_parse(cx, "fuzz.pt", (const char *)data, size, &m);
    look(cx, m);
    give_types(cx, m, data, size);
    timer(NULL);
    wf_model_free(m);
    wf_ctx_free(cx);
    return 0;
}
