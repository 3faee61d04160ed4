/* fuzz_file.c -- libFuzzer target: bytes as a file.
 *
 * Bytes that begin as .npy or a picture does are read as an array; all others as a model (.weft,
 * safetensors or text), whose programs are verified and printed, whose tensors are read
 * to the last byte, and which is saved and read again. Any answer is right but a crash, a
 * model that does not verify, or one that is not the same after saving.
 */
#include "io/io.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void broken(const char *what, wf_ctx *cx)
{
    fprintf(stderr, "%s: %s\n", what, wf_ctx_message(cx));
    abort();
}

static void read_array(wf_ctx *cx, const uint8_t *data, size_t size)
{
    const char *text;
    wf_array *a = NULL;
    Region r;

    api_enter_(cx, &r);
    if (setjmp(r.jump)) {
        api_out_of_memory(cx, &r);
        return;
    }
    (data[0] == 0x93 ? npy_read : image_read)(cx, "fuzz", (const char *)data, size, &a);
    api_leave(cx, &r);
    if (a && wf_array_text(cx, a, &text) != WF_OK)
        broken("an array does not print", cx);
    wf_array_release(a);
}

static uint64_t sum_of(wf_array *a)
{
    size_t n = (size_t)wf_array_count(a) * wf_dtype_size(wf_array_dtype(a));
    const unsigned char *p = wf_array_data(a);
    uint64_t sum = 0;

    for (size_t i = 0; i < n; i++)
        sum = sum * 31 + p[i];
    return sum;
}

static void compare(wf_ctx *cx, const wf_model *m, const wf_model *n)
{
    if (wf_model_programs(m) != wf_model_programs(n) ||
        wf_model_tensors(m) != wf_model_tensors(n))
        broken("another model after saving", cx);
    for (int i = 0; i < wf_model_programs(m); i++)
        if (!wf_program_equal(wf_model_program(m, i), wf_model_program(n, i)))
            broken("another program after saving", cx);
    for (int i = 0; i < wf_model_tensors(m); i++)
        if (sum_of(wf_model_tensor(m, i)) != sum_of(wf_model_tensor(n, i)))
            broken("another tensor after saving", cx);
}

static bool has_reserved(const wf_model *m)
{
    for (int i = 0; i < wf_model_tensors(m); i++)
        if (strncmp(wf_model_tensor_name(m, i), "weft.", 5) == 0)
            return true;
    return false;
}

static void save_and_open(wf_ctx *cx, wf_model *m)
{
    char path[64];
    wf_model *n = NULL;

    snprintf(path, sizeof path, "%s/weft-fuzz-%ld.weft",
             access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm", (long)getpid());
    if (wf_model_save(cx, m, path) != WF_OK)
        broken("a model does not save", cx);
    if (wf_model_load(cx, path, &n) != WF_OK)
        broken("a saved model does not open", cx);
    compare(cx, m, n);
    wf_model_free(n);
    unlink(path);
}

static void read_model(wf_ctx *cx, const uint8_t *data, size_t size)
{
    wf_model *m = NULL;
    const char *text;

    if (wf_model_parse(cx, "fuzz.weft", (const char *)data, size, &m) != WF_OK) {
        if (wf_ctx_status(cx) >= WF_ERR_INTERNAL)
            broken("internal error", cx);
        return;
    }
    for (int i = 0; i < wf_model_programs(m); i++)
        if (wf_program_verify(cx, wf_model_program(m, i)) != WF_OK ||
            wf_program_text(cx, wf_model_program(m, i), WF_TEXT_TYPES, &text) != WF_OK)
            broken("a program that was read does not verify", cx);
    if (!has_reserved(m))
        save_and_open(cx, m);
    wf_model_free(m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    wf_ctx *cx = wf_ctx_new(&(wf_options){.size = sizeof(wf_options), .threads = 1});

    if (size >= 6 && (memcmp(data, "\x93NUMPY", 6) == 0 || memcmp(data, "\x89PNG", 4) == 0 ||
                      (data[0] == 'P' && data[1] >= '1' && data[1] <= '6')))
        read_array(cx, data, size);
    else
        read_model(cx, data, size);
    wf_ctx_free(cx);
    return 0;
}
