/* zip.c -- archives of files (PKWARE's APPNOTE): PyTorch's and NumPy's.
 *
 *     local header, name, extra, data        one after the other
 *     central directory                      a record each: method, checksum, sizes, where its local header is
 *     [zip64 end, its locator]               where 32 bits do not do
 *     end of central directory
 *
 * Read by the central directory alone: writers of streams leave the local sizes empty. Entries are stored or deflated;
 * encrypted ones and archives in several parts are refused. Names are texts here and never open anything.
 */
#include "io/io.h"

enum {
    LOCAL = 0x04034b50,
    CENTRAL = 0x02014b50,
    END = 0x06054b50,
    END64 = 0x06064b50,
    LOCATOR64 = 0x07064b50
};

static uint64_t get(const char *p, int bytes)
{
    uint64_t v = 0;

    for (int i = bytes - 1; i >= 0; i--)
        v = v << 8 | (unsigned char)p[i];
    return v;
}

static bool zip_fail(const Zip *z, const char *what)
{
    return fail(z->cx, WF_ERR_FORMAT, in_file(z->file), "zip archive: %s", what);
}

bool zip_is(const char *data, size_t size)
{
    return size >= 22 && (get(data, 4) == LOCAL || get(data, 4) == END);
}

/* ---- reading ------------------------------------------------------------------------- */

/* Sizes and place that are all ones are in the extra field, in this order. */
static bool read_extra64(const Zip *z, const char *p, size_t n, uint64_t *v[3])
{
    for (size_t len; n >= 4; p += 4 + len, n -= 4 + len) {
        size_t at = 4;

        len = get(p + 2, 2);
        if (len > n - 4)
            break;
        if (get(p, 2) != 1)
            continue;
        for (int i = 0; i < 3; i++)
            if (*v[i] == UINT32_MAX) {
                if (at + 8 > 4 + len)
                    return zip_fail(z, "a zip64 field is too short");
                *v[i] = get(p + at, 8);
                at += 8;
            }
        return true;
    }
    return true;
}

/* Where the data of an entry begins: behind its local header, whose name and extra have lengths of their own. */
static bool find_data(const Zip *z, ZipEntry *e, uint64_t local)
{
    uint64_t at;

    if (local > z->size || z->size - local < 30 || get(z->data + local, 4) != LOCAL)
        return zip_fail(z, "an entry is not where the directory says");
    at = local + 30 + get(z->data + local + 26, 2) + get(z->data + local + 28, 2);
    if (at > z->size || e->packed > z->size - at)
        return zip_fail(z, "an entry reaches beyond the end of the file");
    e->at = (size_t)at;
    return true;
}

static bool read_entry(Zip *z, const char *p, size_t left, size_t *out_size)
{
    size_t name, extra, comment;
    uint64_t packed, size, local;
    ZipEntry e;

    if (left < 46 || get(p, 4) != CENTRAL)
        return zip_fail(z, "the directory ends too early");
    name = get(p + 28, 2), extra = get(p + 30, 2), comment = get(p + 32, 2);
    if (name + extra + comment > left - 46)
        return zip_fail(z, "the directory ends too early");
    packed = get(p + 20, 4), size = get(p + 24, 4), local = get(p + 42, 4);
    if (!read_extra64(z, p + 46 + name, extra, (uint64_t *[]){&size, &packed, &local}))
        return false;
    e = (ZipEntry){.method = (int)get(p + 10, 2),
                   .crc = (uint32_t)get(p + 16, 4),
                   .packed = (size_t)packed,
                   .size = (size_t)size};
    if (memchr(p + 46, 0, name))
        return zip_fail(z, "a name with a zero in it");
    e.name = arena_printf(z->a, "%.*s", (int)name, p + 46);
    if (get(p + 8, 2) & 1)
        return fail(z->cx, WF_ERR_UNSUPPORTED, in_file(z->file),
                    "zip archive: '%.80s' is encrypted", e.name);
    if (e.method != 0 && e.method != 8)
        return fail(z->cx, WF_ERR_UNSUPPORTED, in_file(z->file),
                    "zip archive: '%.80s' has compression method %d; 0 (none) and 8 "
                    "(deflate) are known",
                    e.name, e.method);
    if ((e.method == 0 && packed != size) || size / 1040 > packed + 1)
        return zip_fail(z, "an entry says sizes that cannot be");
    *out_size = 46 + name + extra + comment;
    if (!find_data(z, &e, local))
        return false;
    vec_push(z->a, &z->entries, e);
    return true;
}

/* The end record is the last thing in the file, before a comment of up to 65535 bytes. */
static const char *find_end(const Zip *z)
{
    size_t least = z->size > 22 + 65535 ? z->size - 22 - 65535 : 0;

    for (size_t at = z->size - 22 + 1; at-- > least;)
        if (get(z->data + at, 4) == END && get(z->data + at + 20, 2) == z->size - at - 22)
            return z->data + at;
    return NULL;
}

/* Where the directory is and how many records it says to have; false: nowhere. */
static bool find_directory(const Zip *z, uint64_t *dir, uint64_t *bytes, uint64_t *n, const char **why)
{
    const char *end = z->size < 22 ? NULL : find_end(z);

    if (!end)
        return *why = "no end of the directory: the file is not whole", false;
    *n = get(end + 10, 2), *bytes = get(end + 12, 4), *dir = get(end + 16, 4);
    if (end - z->data >= 20 && get(end - 20, 4) == LOCATOR64) {
        uint64_t at = get(end - 20 + 8, 8);

        if (at > z->size || z->size - at < 56 || get(z->data + at, 4) != END64)
            return *why = "the zip64 end is not where its locator says", false;
        *n = get(z->data + at + 32, 8), *bytes = get(z->data + at + 40, 8), *dir = get(z->data + at + 48, 8);
    }
    if (*dir > z->size || *bytes > z->size - *dir || *n > *bytes / 46)
        return *why = "the directory is not inside the file", false;
    return true;
}

bool zip_has(const char *data, size_t size, const char *end)
{
    Zip z = {.data = data, .size = size};
    uint64_t dir, bytes, n;
    const char *why;

    if (!zip_is(data, size) || !find_directory(&z, &dir, &bytes, &n, &why))
        return false;
    for (const char *p = data + dir, *stop = p + bytes; n && stop - p >= 46 && get(p, 4) == CENTRAL; n--) {
        size_t name = get(p + 28, 2), step = 46 + name + get(p + 30, 2) + get(p + 32, 2);

        if (step > (size_t)(stop - p))
            return false;
        if (name >= strlen(end) && memcmp(p + 46 + name - strlen(end), end, strlen(end)) == 0)
            return true;
        p += step;
    }
    return false;
}

bool zip_open(wf_ctx *cx, Arena *a, const char *file, const char *data, size_t size, Zip *out)
{
    uint64_t n, dir, bytes;
    const char *why;

    *out = (Zip){.cx = cx, .a = a, .file = file, .data = data, .size = size};
    if (!find_directory(out, &dir, &bytes, &n, &why))
        return zip_fail(out, why);
    for (size_t at = 0, step = 0; n; n--, at += step)
        if (!read_entry(out, data + dir + at, (size_t)bytes - at, &step))
            return false;
    return true;
}

const ZipEntry *zip_find(const Zip *z, const char *name)
{
    for (uint32_t i = 0; i < z->entries.n; i++)
        if (strcmp(z->entries.v[i].name, name) == 0)
            return &z->entries.v[i];
    return NULL;
}

const char *zip_bytes(const Zip *z, const ZipEntry *e)
{
    const wf_allocator *al = &z->cx->al;
    Inflated out = {.most = e->size + 1};
    wf_status status;
    char *s;

    if (e->method == 0)
        return z->data + e->at;
    s = arena_alloc(z->a, e->size + 1);
    status = inflate_bytes(al, (const uint8_t *)z->data + e->at, e->packed, &out);
    if (status == WF_OK && out.size == e->size && e->size)
        memcpy(s, out.data, e->size);
    else if (status == WF_OK && out.size != e->size)
        status = WF_ERR_FORMAT;
    mem_free(al, out.data, out.room);
    if (status == WF_ERR_MEMORY)
        return fail_memory(z->cx), NULL;
    if (status != WF_OK || crc32_add(0, s, e->size) != e->crc)
        return fail(z->cx, WF_ERR_FORMAT, in_file(z->file), "zip archive: '%.80s' is damaged", e->name), NULL;
    return s;
}

/* ---- writing ---------------------------------------------------------------------------- */

static void put(Text *t, uint64_t v, int bytes)
{
    for (int i = 0; i < bytes; i++)
        text_char(t, (char)(v >> 8 * i));
}

/* The fields that local and central headers share, from the version on. Sizes that 32 bits do not hold are in `extra`. */
static void put_common(Text *t, const ZipPut *e, size_t extra)
{
    bool wide = e->size >= UINT32_MAX;

    put(t, wide ? 45 : 20, 2);
    put(t, 0x0800, 2); /* names are UTF-8 */
    put(t, 0, 2);      /* stored */
    put(t, 0, 2);
    put(t, 0x21, 2); /* 1 January 1980: equal content, equal files */
    put(t, e->crc, 4);
    put(t, wide ? UINT32_MAX : e->size, 4);
    put(t, wide ? UINT32_MAX : e->size, 4);
    put(t, strlen(e->name), 2);
    put(t, extra, 2);
}

static bool put_local(ZipWriter *w, const ZipPut *e)
{
    size_t wide = e->size >= UINT32_MAX ? 20 : 0, head = 30 + strlen(e->name) + wide;
    size_t pad = (64 - (w->at + head + 4) % 64) %
                 64; /* data begins at a multiple of 64, as PyTorch wants it */
    Text t;

    text_init(&t, &w->cx->scratch);
    put(&t, LOCAL, 4);
    put_common(&t, e, wide + 4 + pad);
    text_add(&t, e->name);
    if (wide) {
        put(&t, 1, 2);
        put(&t, 16, 2);
        put(&t, e->size, 8);
        put(&t, e->size, 8);
    }
    text_add(&t, "FB");
    put(&t, pad, 2);
    for (size_t i = 0; i < pad; i++)
        text_char(&t, 'Z');
    w->at += t.n + e->size;
    return w->put(w, t.s, t.n) && w->put(w, e->data, e->size);
}

bool zip_put(ZipWriter *w, const char *name, const void *data, size_t size)
{
    ZipPut e = {.name = arena_strdup(&w->cx->scratch, name),
                .data = data,
                .size = size,
                .at = w->at,
                .crc = crc32_add(0, data, size)};

    vec_push(&w->cx->scratch, &w->entries, e);
    return put_local(w, &e);
}

bool zip_end(ZipWriter *w)
{
    uint64_t n = w->entries.n, at = w->at;
    bool wide;
    Text t;

    text_init(&t, &w->cx->scratch);
    for (uint32_t i = 0; i < n; i++) {
        const ZipPut *e = &w->entries.v[i];
        bool far = e->at >= UINT32_MAX, large = e->size >= UINT32_MAX;
        size_t extra = (far || large ? 4u : 0u) + (large ? 16u : 0u) + (far ? 8u : 0u);

        put(&t, CENTRAL, 4);
        put(&t, 45, 2);
        put_common(&t, e, extra);
        put(&t, 0, 8); /* comment, disk, attributes */
        put(&t, 0, 2);
        put(&t, far ? UINT32_MAX : e->at, 4);
        text_add(&t, e->name);
        if (extra) {
            put(&t, 1, 2);
            put(&t, extra - 4, 2);
            if (large)
                put(&t, e->size, 8), put(&t, e->size, 8);
            if (far)
                put(&t, e->at, 8);
        }
    }
    wide = n >= 65535 || at >= UINT32_MAX || t.n >= UINT32_MAX;
    uint64_t bytes = t.n;
    if (wide) {
        put(&t, END64, 4);
        put(&t, 44, 8);
        put(&t, 45, 2);
        put(&t, 45, 2);
        put(&t, 0, 8); /* disks */
        put(&t, n, 8);
        put(&t, n, 8);
        put(&t, bytes, 8);
        put(&t, at, 8);
        put(&t, LOCATOR64, 4);
        put(&t, 0, 4);
        put(&t, at + bytes, 8);
        put(&t, 1, 4);
    }
    put(&t, END, 4);
    put(&t, 0, 4);
    put(&t, wide ? 65535 : n, 2);
    put(&t, wide ? 65535 : n, 2);
    put(&t, wide ? UINT32_MAX : bytes, 4);
    put(&t, wide ? UINT32_MAX : at, 4);
    put(&t, 0, 2);
    return w->put(w, t.s, t.n);
}
