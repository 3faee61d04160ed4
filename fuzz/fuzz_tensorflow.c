/* fuzz_tensorflow.c -- libFuzzer target: bytes as a GraphDef, a SavedModel, or the index of a checkpoint.
 *
 * What is read is verified and printed. Any answer is right but a crash, an internal error, or a program that does not verify.
 * The index's checksums are made to fit, so that what they guard is read, too.
 */
#include "tensorflow/tensorflow.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fail_if_internal(wf_ctx *cx)
{
    if (wf_ctx_status(cx) == WF_ERR_INTERNAL) {
        fprintf(stderr, "%s\n", wf_ctx_message(cx));
        abort();
    }
}

static void read_model(wf_ctx *cx, const char *data, size_t size)
{
    wf_model *m = NULL;
    const char *text;

    wf_model_parse(cx, "fuzz.pb", data, size, &m);
    fail_if_internal(cx);
    for (int i = 0; i < wf_model_programs(m); i++)
        if (wf_program_verify(cx, wf_model_program(m, i)) != WF_OK ||
            wf_program_text(cx, wf_model_program(m, i), WF_TEXT_SHORT, &text) != WF_OK) {
            fprintf(stderr, "%s\n", wf_ctx_message(cx));
            abort();
        }
    wf_model_free(m);
}

static wf_status copy_blob(wf_ctx *cx, const char *data, size_t size, Blob **out)
{
    API_ENTER(cx);
    Blob *b = blob_copy(cx, data, size);

    *out = b ? blob_retain(b) : NULL;
    API_RETURN(cx);
}

/* A block ends with its count of restarts, whose upper bytes are zeros, and a 0; then comes the checksum. Blocks stand one after
 * the other. */
static void mend(unsigned char *p, size_t size)
{
    size_t from = 0;

    for (size_t at = 0; size > 53 && at + 5 <= size - 48; at++)
        if (p[at] == 0 && at >= from + 8 && (p[at - 1] | p[at - 2] | p[at - 3]) == 0) {
            uint32_t crc = tg_crc_mask(tg_crc(0, p + from, at + 1 - from));

            for (int i = 0; i < 4; i++)
                p[at + 1 + (size_t)i] = (unsigned char)(crc >> 8 * i);
            from = at + 5;
            at += 4;
        }
}

static void read_index(wf_ctx *cx, const char *data, size_t size)
{
    unsigned char *copy = malloc(size + 1);
    TgBundle *b;
    Blob *blob = NULL;
    int64_t n;

    memcpy(copy, data, size);
    mend(copy, size);
    if (!copy_blob(cx, (const char *)copy, size, &blob) && blob &&
        (b = tg_bundle_of(cx, "/nonexistent/fuzz", blob))) {
        for (int i = 0; i < tg_bundle_count(b) && i < 16; i++) {
            wf_array_release(tg_bundle_array(b, i));
            wf_clear(cx);
            tg_bundle_strings(b, i, &n);
            wf_clear(cx);
        }
        tg_bundle_free(b);
    }
    fail_if_internal(cx);
    if (blob)
        blob_release(blob);
    free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    wf_ctx *cx = wf_ctx_new(NULL);

    if (size >= 48 && memcmp(data + size - 8, "\x57\xfb\x80\x8b\x24\x75\x47\xdb", 8) == 0)
        read_index(cx, (const char *)data, size);
    else
        read_model(cx, (const char *)data, size);
    wf_ctx_free(cx);
    return 0;
}
