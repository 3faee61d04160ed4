/* codefile.c -- machine code in model files: made by wf_model_add_code, kept by the runtime, found by what it was made of.
 *
 * It is checked against accidents, not against its author: who lets a file's code run trusts the file as a program.
 */
#include "compiler.h"

#define MAGIC "weft file code 1"

typedef struct Footer {
    char magic[16];
    char version[32]; /* of Weft */
    uint64_t object_size;
    Hash key;
    Hash sum; /* of all that stands before, the object included */
} Footer;

Hash codefile_key(const CodeUnit *u, const char *const *flags)
{
    Hasher h;

    hash_init(&h, 4);
    hash_bytes(&h, WF_VERSION, sizeof WF_VERSION);
    for (int i = 0; flags && flags[i]; i++)
        hash_bytes(&h, flags[i], strlen(flags[i]) + 1);
    hash_u64(&h, u->size);
    hash_bytes(&h, u->text, u->size);
    return hash_done(&h);
}

static Hash checksum(const void *object, const Footer *f)
{
    Hasher h;

    hash_init(&h, 5);
    hash_bytes(&h, object, (size_t)f->object_size);
    hash_bytes(&h, f, offsetof(Footer, sum));
    return hash_done(&h);
}

bool codefile_make(wf_ctx *cx, const CodeUnit *u, const char *const *flags, char **out_bytes, size_t *out_size)
{
    Footer f = {.magic = MAGIC, .version = WF_VERSION, .key = codefile_key(u, flags)};
    char *object, *bytes;
    size_t n;

    *out_bytes = NULL;
    if (!code_make(cx, u, flags, &object, &n))
        return false;
    f.object_size = n;
    f.sum = checksum(object, &f);
    if ((bytes = mem_alloc(&cx->al, n + sizeof f))) {
        memcpy(bytes, object, n);
        memcpy(bytes + n, &f, sizeof f);
    }
    mem_free(&cx->al, object, n);
    *out_bytes = bytes;
    *out_size = n + sizeof f;
    return bytes != NULL;
}

const char *codefile_take(wf_ctx *cx, const void *bytes, size_t size)
{
    wf_runtime *r = ctx_runtime(cx);
    Footer f;

    if (size < sizeof f)
        return "it is too short";
    memcpy(&f, (const char *)bytes + size - sizeof f, sizeof f);
    if (memcmp(f.magic, MAGIC, sizeof f.magic) != 0 || f.object_size != size - sizeof f)
        return "it is no code of Weft's, or cut off";
    if (strncmp(f.version, WF_VERSION, sizeof f.version) != 0)
        return "another version of Weft made it";
    if (!hash_eq(f.sum, checksum(bytes, &f)))
        return "it is damaged: its checksum is wrong";
    return r && runtime_add_code(r, f.key, bytes, (size_t)f.object_size) ? NULL : "out of memory";
}

bool codefile_any(wf_ctx *cx)
{
    wf_runtime *r = cx->options.file_code ? ctx_runtime(cx) : NULL;
    size_t n;

    return r && runtime_find_code(r, (Hash){0, 0}, &n);
}

bool codefile_load(wf_ctx *cx, const CodeUnit *units, int n, const char *const *flags, Code **out_code)
{
    void **handle = codefile_any(cx) ? mem_alloc(&cx->al, (size_t)n * sizeof *handle) : NULL;
    int found = 0;

    *out_code = NULL;
    if (!handle)
        return false;
    for (; found < n; found++) {
        size_t size;
        const void *object = runtime_find_code(ctx_runtime(cx), codefile_key(&units[found], flags), &size);

        if (!object || !(handle[found] = code_load_object(object, size)))
            break;
    }
    *out_code = code_of_handles(cx, handle, found); /* those that are there are closed by its release */
    mem_free(&cx->al, handle, (size_t)n * sizeof *handle);
    if (found < n) {
        code_release(*out_code);
        *out_code = NULL;
    }
    return *out_code != NULL;
}
