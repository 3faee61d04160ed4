/* formats.c -- the table of formats, and the public functions that open and save models by it.
 *
 * A format of another system builds programs with the functions of tensors, which come in a later layer: it is reached
 * through its row alone.
 */
#include "io/io.h"

#include <stdio.h>
#include <sys/stat.h>

/* ---- Weft's own: text, .weft, safetensors; told apart by their reader --------------------------- */

static wf_status read_own(wf_ctx *cx, const char *file, Blob *blob, wf_model *m)
{
    API_ENTER(cx);
    model_read(cx, file, blob, m);
    API_RETURN(cx);
}

static bool own_read(wf_ctx *cx, const char *file, Blob *blob, const wf_import_options *given, wf_model *m)
{
    if (given && given->n)
        return fail(cx, WF_ERR_ARG, in_file(file), "nothing is left open in a file of Weft's own: no types or numbers are taken");
    return read_own(cx, file, blob, m) == WF_OK;
}

static wf_status write_own(wf_ctx *cx, wf_model *m, const char *path)
{
    API_ENTER(cx);
    model_write(cx, m, path);
    API_RETURN(cx);
}

static bool own_write(wf_ctx *cx, wf_model *m, const char *path) { return write_own(cx, m, path) == WF_OK; }

/* safetensors, whatever the end of the name: the length of a header that begins with {. Text is what is left. */
static bool own_is(const char *data, size_t size)
{
    uint64_t n = 0;

    for (int i = 7; i >= 0 && size > 8; i--)
        n = n << 8 | (unsigned char)data[i];
    return size > 8 && data[8] == '{' && n <= size - 8;
}

static const Format own_format = {"weft", ".weft", own_is, own_read, own_write};

/* ---- the table ------------------------------------------------------------------------------------ */

static const Format *const formats[] = {&onnx_format, &tensorflow_format, &torchfile_format, &npz_format, &gguf_format, &index_format, &own_format}; /* the last one takes what is left */
#define NFORMATS (sizeof formats / sizeof *formats)

/* Does it end in one of the words? */
static bool ends(const char *s, const char *words)
{
    size_t n = strlen(s);

    for (size_t k; *words; words += k + (words[k] == ' ')) {
        k = strcspn(words, " ");
        if (n >= k && memcmp(s + n - k, words, k) == 0)
            return true;
    }
    return false;
}

const Format *format_of_path(const char *path)
{
    for (size_t i = 0; i < NFORMATS; i++)
        if (ends(path, formats[i]->suffix))
            return formats[i];
    return formats[NFORMATS - 1];
}

const Format *format_of_bytes(const char *path, const char *data, size_t size)
{
    for (size_t i = 0; i < NFORMATS; i++)
        if (formats[i]->is && formats[i]->is(data, size))
            return formats[i];
    return format_of_path(path);
}

/* ---- the public functions --------------------------------------------------------------------------- */

static wf_status bad_arg(wf_ctx *cx, const char *what)
{
    if (!cx)
        return WF_ERR_ARG;
    fail(cx, WF_ERR_ARG, NOWHERE, "%s", what);
    return ctx_status(cx);
}

/* The bytes, of a file or copied, and a model to fill: both held by the caller. */
static wf_status begin(wf_ctx *cx, const char *path, bool map, const char *text, size_t size, Blob **out_blob,
                       wf_model **out_model)
{
    API_ENTER(cx);
    Blob *b = text ? blob_copy(cx, text, size) : map ? blob_open(cx, path) : blob_read(cx, path);

    if (b) {
        *out_model = model_new(cx);
        (*out_model)->refs++;
        *out_blob = blob_retain(b);
    }
    API_RETURN(cx);
}

/* A folder that holds a SavedModel is opened by the file in it. */
static const char *file_of(const char *path, char *room, size_t size)
{
    struct stat st;

    if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode) || snprintf(room, size, "%s/saved_model.pb", path) >= (int)size ||
        stat(room, &st) != 0)
        return path;
    return room;
}

static wf_status open_model(wf_ctx *cx, const char *path, bool map, const char *text, size_t size,
                            const wf_import_options *o, wf_model **out_model)
{
    wf_model *m = NULL;
    Blob *b = NULL;
    char room[4096];

    if (!text)
        path = file_of(path, room, sizeof room);
    if (begin(cx, path, map, text, size, &b, &m) == WF_OK && format_of_bytes(path, b->data, b->size)->read(cx, path, b, o, m) &&
        model_has_kernels(cx, path, m)) {
        model_use_code(cx, path, m);
        *out_model = m;
        m = NULL;
    }
    if (m)
        model_release(m);
    if (b)
        blob_release(b);
    return ctx_status(cx);
}

wf_status wf_model_load(wf_ctx *cx, const char *path, wf_model **out_model)
{
    if (out_model)
        *out_model = NULL;
    if (!cx || !path || !out_model)
        return bad_arg(cx, "wf_model_load: an argument is NULL");
    return open_model(cx, path, true, NULL, 0, NULL, out_model);
}

wf_status wf_model_load_copy(wf_ctx *cx, const char *path, wf_model **out_model)
{
    if (out_model)
        *out_model = NULL;
    if (!cx || !path || !out_model)
        return bad_arg(cx, "wf_model_load_copy: an argument is NULL");
    return open_model(cx, path, false, NULL, 0, NULL, out_model);
}

static bool good_options(wf_ctx *cx, const wf_import_options *o)
{
    if (o && o->size < sizeof *o)
        return fail(cx, WF_ERR_ARG, NOWHERE, "import: the options have another size");
    return !o || (o->n >= 0 && (!o->n || o->names)) || fail(cx, WF_ERR_ARG, NOWHERE, "import: inputs without names");
}

wf_status wf_model_import(wf_ctx *cx, const char *path, const wf_import_options *options, wf_model **out_model)
{
    if (out_model)
        *out_model = NULL;
    if (!cx || !path || !out_model)
        return bad_arg(cx, "wf_model_import: an argument is NULL");
    return good_options(cx, options) ? open_model(cx, path, true, NULL, 0, options, out_model) : ctx_status(cx);
}

wf_status wf_model_parse_with(wf_ctx *cx, const char *name, const char *text, size_t size, const wf_import_options *options,
                              wf_model **out_model)
{
    if (out_model)
        *out_model = NULL;
    if (!cx || !name || (!text && size) || !out_model)
        return bad_arg(cx, "wf_model_parse: an argument is NULL");
    return good_options(cx, options) ? open_model(cx, name, true, size ? text : "", size, options, out_model) : ctx_status(cx);
}

wf_status wf_model_parse(wf_ctx *cx, const char *name, const char *text, size_t size, wf_model **out_model)
{
    return wf_model_parse_with(cx, name, text, size, NULL, out_model);
}

wf_status wf_model_save(wf_ctx *cx, wf_model *m, const char *path)
{
    const Format *f;

    if (!cx || !m || !path)
        return bad_arg(cx, "wf_model_save: an argument is NULL");
    if (failed(cx))
        return ctx_status(cx);
    f = format_of_path(path);
    if (!f->write)
        fail(cx, WF_ERR_UNSUPPORTED, in_file(path), "%s files are read, not written", f->name);
    else
        f->write(cx, m, path);
    return ctx_status(cx);
}
