/* tensors.c -- files that hold tensors by name and nothing else: NumPy's .npz, sharded safetensors by their index.
 *
 *   .npz    a zip archive of NAME.npy, stored or deflated
 *   index   JSON, {"metadata": {..}, "weight_map": {"NAME": "FILE", ..}}: each tensor is in a safetensors file beside it
 */
#include "io/io.h"

/* ---- .npz -------------------------------------------------------------------------------- */

static bool npz_is(const char *data, size_t size) { return zip_has(data, size, ".npy"); }

static bool no_inputs(wf_ctx *cx, const char *file, const wf_import_options *given)
{
    return !given || !given->n ||
           fail(cx, WF_ERR_ARG, in_file(file),
                "a file of tensors has no inputs: no types or numbers are taken");
}

static wf_status npz_open(wf_ctx *cx, const char *file, Blob *blob, wf_model *m)
{
    API_ENTER(cx);
    Zip z;

    if (zip_open(cx, &cx->scratch, file, blob->data, blob->size, &z))
        for (uint32_t i = 0; i < z.entries.n; i++) {
            const ZipEntry *e = &z.entries.v[i];
            size_t n = strlen(e->name);
            const char *bytes =
                n > 4 && strcmp(e->name + n - 4, ".npy") == 0 ? zip_bytes(&z, e) : NULL;
            wf_array *a;

            if (failed(cx))
                break;
            if (!bytes)
                continue;
            const char *name = arena_printf(&cx->scratch, "%.*s", (int)(n - 4), e->name);
            if (!npy_read(cx, arena_printf(&cx->scratch, "%s: %s", file, e->name), bytes,
                          e->size, &a))
                break;
            array_held(cx, a);
            if (strncmp(name, "weft.", 5) == 0 || strpbrk(name, "\t\n"))
                name = arena_printf(&cx->scratch, "array%u", i);
            model_set_tensor(cx, m, name, a);
        }
    API_RETURN(cx);
}

static bool npz_read(wf_ctx *cx, const char *file, Blob *blob,
                     const wf_import_options *given, wf_model *m)
{
    return no_inputs(cx, file, given) && npz_open(cx, file, blob, m) == WF_OK;
}

static bool put_file(ZipWriter *z, const void *data, size_t size)
{
    return writer_put(z->user, data, size);
}

static wf_status npz_save(wf_ctx *cx, wf_model *m, const char *path)
{
    API_ENTER(cx);
    ZipWriter z = {.cx = cx, .put = put_file};
    bool ok = (z.user = writer_open(cx, path)) != NULL;

    for (uint32_t i = 0; i < m->tensors.n && ok; i++) {
        wf_array *host = NULL;
        Text t;

        text_init(&t, &cx->scratch);
        ok = npy_head(cx, path, m->tensors.v[i].item, &t) &&
             wf_array_contiguous(cx, m->tensors.v[i].item, &host) == WF_OK;
        if (!ok)
            break;
        array_held(cx, host);
        text_addn(&t, wf_array_data(host),
                  (size_t)wf_array_count(host) * wf_dtype_size(wf_array_dtype(host)));
        ok = zip_put(&z, arena_printf(&cx->scratch, "%s.npy", m->tensors.v[i].name), t.s,
                     t.n);
    }
    if (ok && zip_end(&z))
        writer_commit(z.user);
    API_RETURN(cx);
}

static bool npz_write(wf_ctx *cx, wf_model *m, const char *path)
{
    if (m->programs.n)
        return fail(cx, WF_ERR_VALUE, in_file(path),
                    "an .npz file holds arrays only, but the model has %u programs",
                    m->programs.n);
    return npz_save(cx, m, path) == WF_OK;
}

const Format npz_format = {".npz", ".npz", npz_is, npz_read, npz_write};

/* ---- sharded safetensors --------------------------------------------------------------------- */

static bool index_is(const char *data, size_t size)
{
    static const char word[] = "\"weight_map\"";

    if (!size || *data != '{')
        return false;
    for (size_t i = 1; i + sizeof word - 1 <= MIN(size, 65536); i++)
        if (memcmp(data + i, word, sizeof word - 1) == 0)
            return true;
    return false;
}

typedef struct Shards {
    wf_ctx *cx;
    const char *file, *folder;
    const Blob *blob;
    wf_model *m;
    Interner names;
    VEC(const char *) files; /* read so far, interned */
} Shards;

/* A value of any kind, left out. */
static bool skip_value(Json *j, int depth)
{
    const char *text;

    if (depth > 32)
        return json_fail(j, "nested too deep");
    if (json_take(j, '{')) {
        if (json_take(j, '}'))
            return true;
        do
            if (!json_string(j, &text) || !json_need(j, ':') || !skip_value(j, depth + 1))
                return false;
        while (json_take(j, ','));
        return json_need(j, '}');
    }
    if (json_take(j, '[')) {
        if (json_take(j, ']'))
            return true;
        do
            if (!skip_value(j, depth + 1))
                return false;
        while (json_take(j, ','));
        return json_need(j, ']');
    }
    if (j->at < j->end && *j->at == '"')
        return json_string(j, &text);
    const char *start = j->at;
    while (j->at < j->end && !strchr(",]} \t\r\n", *j->at))
        j->at++;
    return j->at > start || json_fail(j, "expected a value");
}

static bool read_shard(Shards *s, const char *name)
{
    const char *known = intern_name(&s->names, name), *path;
    Blob *b;

    for (uint32_t i = 0; i < s->files.n; i++)
        if (s->files.v[i] == known)
            return true;
    vec_push(&s->cx->scratch, &s->files, known);
    if (blob_open_beside(s->cx, s->file, s->blob, name, &b))
        return false;
    pool_defer(s->cx, blob_release, b);
    path = arena_printf(&s->cx->scratch, "%s%s", s->folder, name);
    return model_read(s->cx, path, b, s->m);
}

static bool read_map(Shards *s, Json *j)
{
    const char *name, *shard;
    VEC(const char *) wanted = {0};

    if (!json_need(j, '{'))
        return false;
    if (!json_take(j, '}')) {
        do {
            if (!json_string(j, &name) || !json_need(j, ':') || !json_string(j, &shard) ||
                !read_shard(s, shard))
                return false;
            vec_push(&s->cx->scratch, &wanted, name);
        } while (json_take(j, ','));
        if (!json_need(j, '}'))
            return false;
    }
    for (uint32_t i = 0; i < wanted.n; i++)
        if (!model_get(&s->m->tensors, wanted.v[i]))
            return fail(s->cx, WF_ERR_FORMAT, in_file(s->file),
                        "index of safetensors: tensor '%.80s' is in none of the files",
                        wanted.v[i]);
    return true;
}

static wf_status index_open(wf_ctx *cx, const char *file, Blob *blob, wf_model *m)
{
    API_ENTER(cx);
    Json j = {.cx = cx,
              .file = file,
              .begin = blob->data,
              .at = blob->data,
              .end = blob->data + blob->size};
    const char *slash = strrchr(file, '/'), *key;
    Shards s = {.cx = cx, .file = file, .blob = blob, .m = m};
    bool ok;

    s.folder =
        slash ? arena_printf(&cx->scratch, "%.*s", (int)(slash + 1 - file), file) : "";
    intern_init(&s.names, &cx->scratch);
    ok = json_need(&j, '{');
    if (ok && !json_take(&j, '}')) {
        do
            ok = json_string(&j, &key) && json_need(&j, ':') &&
                 (strcmp(key, "weight_map") == 0 ? read_map(&s, &j) : skip_value(&j, 0));
        while (ok && json_take(&j, ','));
        ok = ok && json_need(&j, '}');
    }
    if (ok)
        json_end(&j);
    API_RETURN(cx);
}

static bool index_read(wf_ctx *cx, const char *file, Blob *blob,
                       const wf_import_options *given, wf_model *m)
{
    return no_inputs(cx, file, given) && index_open(cx, file, blob, m) == WF_OK;
}

const Format st_index_format = {"index of safetensors", ".safetensors.index.json", index_is,
                             index_read, NULL};
