/* archive.c -- what torch.save and torch.jit.save wrote: where the pickle is, and where the numbers are.
 *
 *   zip      FOLDER/data.pkl, FOLDER/data/KEY (a storage each), FOLDER/version, FOLDER/byteorder; of TorchScript also
 *            FOLDER/code/.., FOLDER/constants.pkl, FOLDER/constants/KEY; of torch.export FOLDER/models/model.json and
 *            FOLDER/data/weights/.. in place of a pickle. FOLDER is that of the first entry.
 *   stream   (PyTorch before 1.6) pickles of a magic number, a version, the machine, what was saved, and the keys of
 *            storages; then for each key its count (8 bytes) and its elements. Numbers come last, so that storages are
 *            given their data when the pickle has been read.
 */
#include "torchfile/torchfile.h"

#include <stdio.h>

static const char magic[] =
    "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19."; /* a pickle of the number */
#define MAGIC (sizeof magic - 1)

static bool is_stream(const char *data, size_t size)
{
    return size > MAGIC && memcmp(data, magic, MAGIC) == 0;
}

/* Archives of other systems are zip files, too: one of PyTorch has a data.pkl in a folder, one of torch.export says its format. */
bool tf_is_file(const char *data, size_t size)
{
    return is_stream(data, size) || zip_has(data, size, "/data.pkl") || zip_has(data, size, "/archive_format");
}

/* ---- storages ------------------------------------------------------------------------------ */

/* Where the key, an interned one, is or belongs. */
static TfStorage **storage_slot(TfFile *f, const char *key)
{
    uint32_t k = (uint32_t)hash_mix(0, (uint64_t)(uintptr_t)key) & (f->nslots - 1);

    while (f->slots[k] && f->slots[k]->key != key)
        k = (k + 1) & (f->nslots - 1);
    return &f->slots[k];
}

static void grow_slots(TfFile *f)
{
    TfStorage **old = f->slots;
    uint32_t n = f->nslots;

    f->nslots = n ? n * 4 : 64;
    f->slots = arena_zalloc(f->a, f->nslots * sizeof *f->slots);
    for (uint32_t i = 0; i < n; i++)
        if (old[i])
            *storage_slot(f, old[i]->key) = old[i];
}

static size_t storage_bytes(const TfStorage *s)
{
    size_t size = s->dtype == WF_INVALID ? 1 : wf_dtype_size(s->dtype);

    return (uint64_t)s->count > SIZE_MAX / 32 ? SIZE_MAX : (size_t)s->count * size;
}

static bool check_bools(const TfStorage *s)
{
    for (int64_t i = 0; s->dtype == WF_BOOL && i < s->count; i++)
        if ((unsigned char)s->data[i] > 1)
            return false;
    return true;
}

static bool find_data(TfFile *f, TfStorage *s, const char *name, const char **why)
{
    const char *full = arena_printf(f->a, "%s%s%s", f->folder, f->store, name);
    const ZipEntry *e = zip_find(&f->zip, full);

    if (!e)
        return *why = arena_printf(f->a, "there is no entry '%.80s'", full), false;
    if (e->size < storage_bytes(s))
        return *why = arena_printf(f->a, "'%.80s' has %zu bytes, %zu are needed", full,
                                   e->size, storage_bytes(s)),
               false;
    if (!(s->data = zip_bytes(&f->zip, e)))
        return false;
    return check_bools(s) || (*why = "a bool that is neither 0 nor 1", false);
}

TfStorage *tf_storage(TfFile *f, const char *key, wf_dtype dtype, int64_t count,
                      const char *device, const char **why)
{
    const char *full = intern_name(&f->keys, arena_printf(f->a, "%s%s", f->store, key));
    TfStorage **at, *s;

    if (f->storages.n * 2 >= f->nslots)
        grow_slots(f);
    at = storage_slot(f, full);
    if (*at) {
        if ((*at)->dtype != dtype || (*at)->count != count)
            return *why = "it comes with two types or sizes", NULL;
        return *at;
    }
    s = arena_zalloc(f->a, sizeof *s);
    *s = (TfStorage){.key = full,
                     .device = device,
                     .dtype = dtype,
                     .count = count,
                     .number = f->storages.n};
    if (storage_bytes(s) > f->size && (!f->is_zip || storage_bytes(s) / 1040 > f->size))
        return *why = "it is larger than the file", NULL;
    if (f->is_zip && !find_data(f, s, key, why))
        return NULL;
    *at = s;
    vec_push(f->a, &f->storages, s);
    return s;
}

/* ---- the stream ----------------------------------------------------------------------------- */

static TfValue *read_stream(TfFile *f)
{
    size_t at = MAGIC;
    TfValue *version = tf_unpickle(f, "the version", f->data, f->size, &at), *machine,
            *root, *keys, *little = NULL;

    if (!version)
        return NULL;
    if (version->kind != TF_INT || version->i != 1001)
        return tf_fail(f, "the version", at, "1001 is known"), NULL;
    machine = tf_unpickle(f, "the machine", f->data, f->size, &at);
    for (uint32_t i = 0; machine && machine->kind == TF_DICT && i + 1 < machine->items.n;
         i += 2)
        if (machine->items.v[i]->kind == TF_STR &&
            strcmp(machine->items.v[i]->s, "little_endian") == 0)
            little = machine->items.v[i + 1];
    if (machine && little && little->kind == TF_BOOL && !little->i)
        return fail(f->cx, WF_ERR_UNSUPPORTED, in_file(f->file),
                    "PyTorch file: of a big-endian machine"),
               NULL;
    root = machine ? tf_unpickle(f, "the data", f->data, f->size, &at) : NULL;
    keys = root ? tf_unpickle(f, "the keys", f->data, f->size, &at) : NULL;
    if (!keys)
        return NULL;
    if (keys->kind != TF_LIST)
        return tf_fail(f, "the keys", at, "they are no list"), NULL;
    for (uint32_t i = 0; i < keys->items.n; i++) {
        const char *key = keys->items.v[i]->kind == TF_STR
                              ? intern_name(&f->keys, keys->items.v[i]->s)
                              : NULL;
        TfStorage *s = key && f->nslots ? *storage_slot(f, key) : NULL;
        uint64_t count = 0;

        if (!s)
            return tf_fail(f, "the keys", at, "a storage that no tensor has"), NULL;
        if (f->size - at < 8)
            return tf_fail(f, "the numbers", at, "the file ends too early"), NULL;
        for (int k = 7; k >= 0; k--)
            count = count << 8 | (unsigned char)f->data[at + (size_t)k];
        at += 8;
        if (count != (uint64_t)s->count || storage_bytes(s) > f->size - at)
            return tf_fail(f, "the numbers", at,
                           "storage '%.40s': %llu elements, the file has fewer, or "
                           "another number is said",
                           key, (unsigned long long)s->count),
                   NULL;
        s->data = f->data + at;
        at += storage_bytes(s);
        if (!check_bools(s))
            return tf_fail(f, "the numbers", at, "a bool that is neither 0 nor 1"), NULL;
    }
    for (uint32_t i = 0; i < f->storages.n; i++)
        if (!f->storages.v[i]->data)
            return tf_fail(f, "the keys", at, "storage '%.40s' has no numbers",
                           f->storages.v[i]->key),
                   NULL;
    return root;
}

/* ---- the archive ---------------------------------------------------------------------------- */

const char *tf_entry(TfFile *f, const char *name, size_t *size)
{
    const ZipEntry *e =
        f->is_zip ? zip_find(&f->zip, arena_printf(f->a, "%s%s", f->folder, name)) : NULL;

    *size = e ? e->size : 0;
    return e ? zip_bytes(&f->zip, e) : NULL;
}

bool tf_open(wf_ctx *cx, Arena *a, const char *file, const char *data, size_t size,
             TfFile *out)
{
    const char *slash, *order;
    size_t n;

    *out = (TfFile){.cx = cx,
                    .a = a,
                    .file = file,
                    .data = data,
                    .size = size,
                    .folder = "",
                    .store = ""};
    intern_init(&out->keys, a);
    if (is_stream(data, size))
        return true;
    if (!zip_is(data, size))
        return fail(cx, WF_ERR_FORMAT, in_file(file),
                    "PyTorch file: neither an archive nor a stream of pickles");
    out->is_zip = true;
    out->store = "data/";
    if (!zip_open(cx, a, file, data, size, &out->zip))
        return false;
    if (!out->zip.entries.n || !(slash = strchr(out->zip.entries.v[0].name, '/')))
        return fail(cx, WF_ERR_FORMAT, in_file(file),
                    "PyTorch file: an archive without a folder");
    out->folder = arena_printf(a, "%.*s", (int)(slash + 1 - out->zip.entries.v[0].name),
                               out->zip.entries.v[0].name);
    for (uint32_t i = 0; i < out->zip.entries.n && !out->is_script; i++) {
        const char *name = out->zip.entries.v[i].name, *inside = name + strlen(out->folder);

        out->is_script = strncmp(name, out->folder, strlen(out->folder)) == 0 &&
                         (strncmp(inside, "code/", 5) == 0 || strncmp(inside, "models/", 7) == 0);
    }
    order = tf_entry(out, "byteorder", &n);
    if (failed(cx))
        return false;
    if (order && !(n >= 6 && memcmp(order, "little", 6) == 0))
        return fail(cx, WF_ERR_UNSUPPORTED, in_file(file),
                    "PyTorch file: of a big-endian machine");
    return true;
}

TfValue *tf_root(TfFile *f)
{
    const char *p;
    size_t n, at = 0;

    if (!f->is_zip)
        return read_stream(f);
    if (!(p = tf_entry(f, "data.pkl", &n)))
        return failed(f->cx) ? NULL
                             : (fail(f->cx, WF_ERR_FORMAT, in_file(f->file),
                                     "PyTorch file: no entry '%sdata.pkl'", f->folder),
                                NULL);
    return tf_unpickle(f, "data.pkl", p, n, &at);
}
