/* formats.c -- the table of formats, and the public functions that open and save models by it.
 *
 * Readers of other systems' files build programs with all the functions of tensors: import.c has their rows, and wf_model_import.
 * A static program that never names that function does not get them, and is smaller by a third.
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

/* The foreign ones first; the last one takes what is left. */
static const Format *const own_formats[] = {&npz_format, &st_index_format, &own_format};

static const Format *format_at(int i)
{
    int n = 0;

    while (foreign_formats && foreign_formats[n] && n < i)
        n++;
    if (foreign_formats && foreign_formats[n])
        return foreign_formats[n];
    return i - n < COUNT(own_formats) ? own_formats[i - n] : NULL;
}

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

static bool refuse_read(wf_ctx *cx, const char *file, Blob *blob, const wf_import_options *given, wf_model *m)
{
    (void)blob, (void)given, (void)m;
    return fail(cx, WF_ERR_UNSUPPORTED, in_file(file),
                "a file of another system: a static program has their readers and writers if it names wf_model_import");
}

static bool refuse_write(wf_ctx *cx, wf_model *m, const char *path) { return refuse_read(cx, path, NULL, NULL, m); }

static const Format no_format = {"foreign", FOREIGN_SUFFIXES, NULL, refuse_read, refuse_write};

static const Format *format_of_path(const char *path)
{
    const Format *f;

    for (int i = 0; (f = format_at(i)); i++)
        if (ends(path, f->suffix))
            return f;
    return ends(path, no_format.suffix) ? &no_format : &own_format;
}

static const Format *format_of_bytes(const char *path, const char *data, size_t size)
{
    const Format *f;

    for (int i = 0; (f = format_at(i)); i++)
        if (f->is && f->is(data, size))
            return f;
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

wf_status model_open(wf_ctx *cx, const char *path, bool map, const char *text, size_t size,
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
    return model_open(cx, path, true, NULL, 0, NULL, out_model);
}

wf_status wf_model_load_copy(wf_ctx *cx, const char *path, wf_model **out_model)
{
    if (out_model)
        *out_model = NULL;
    if (!cx || !path || !out_model)
        return bad_arg(cx, "wf_model_load_copy: an argument is NULL");
    return model_open(cx, path, false, NULL, 0, NULL, out_model);
}

wf_status wf_model_parse(wf_ctx *cx, const char *name, const char *text, size_t size, wf_model **out_model)
{
    if (out_model)
        *out_model = NULL;
    if (!cx || !name || (!text && size) || !out_model)
        return bad_arg(cx, "wf_model_parse: an argument is NULL");
    return model_open(cx, name, true, size ? text : "", size, NULL, out_model);
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
