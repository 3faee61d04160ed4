/* bundle_write.c -- a checkpoint written: see bundle.c for what it is made of. One shard, no compression. */
#include "tensorflow/tensorflow.h"

#define BLOCK   262144 /* bytes of a block, about */
#define RESTART 16     /* keys from one that stands in full to the next */

static void put_varint(Text *t, uint64_t v)
{
    for (; v >= 128; v >>= 7)
        text_char(t, (char)(v | 128));
    text_char(t, (char)v);
}

static void put_u32(Text *t, uint32_t v)
{
    for (int i = 0; i < 4; i++)
        text_char(t, (char)(v >> 8 * i));
}

typedef struct TableBlock { /* being filled */
    Text text, restarts;
    uint32_t nrestarts;
    int n;
    const char *last;
} TableBlock;

static void begin_block(TableBlock *k, Arena *a)
{
    *k = (TableBlock){.last = ""};
    text_init(&k->text, a);
    text_init(&k->restarts, a);
}

static void put_entry(TableBlock *k, const char *key, const char *value, size_t size)
{
    size_t shared = 0, n = strlen(key);

    if (k->n++ % RESTART == 0) {
        put_u32(&k->restarts, (uint32_t)k->text.n);
        k->nrestarts++;
    } else {
        while (key[shared] && key[shared] == k->last[shared])
            shared++;
    }
    put_varint(&k->text, shared);
    put_varint(&k->text, n - shared);
    put_varint(&k->text, size);
    text_addn(&k->text, key + shared, n - shared);
    text_addn(&k->text, value, size);
    k->last = key;
}

/* The block at the end of the file; its handle. */
static void end_block(TableBlock *k, Text *file, Text *handle)
{
    uint32_t crc;

    if (!k->nrestarts) {
        put_u32(&k->restarts, 0);
        k->nrestarts = 1;
    }
    text_addn(&k->text, k->restarts.s, k->restarts.n);
    put_u32(&k->text, k->nrestarts);
    put_varint(handle, file->n);
    put_varint(handle, k->text.n);
    text_char(&k->text, 0);
    crc = tg_crc_mask(tg_crc(0, k->text.s, k->text.n));
    text_addn(file, k->text.s, k->text.n);
    put_u32(file, crc);
}

static size_t array_bytes(const wf_array *a)
{
    return (size_t)wf_array_count(a) * wf_dtype_size(wf_array_dtype(a));
}

/* A string's bytes in the shard: its length, a checksum of that as u32, itself. */
static void string_data(Text *t, const OxBytes *s, uint32_t *crc)
{
    uint32_t size = (uint32_t)s->size, masked;

    put_varint(t, s->size);
    *crc = tg_crc(0, &size, 4);
    masked = tg_crc_mask(*crc);
    put_u32(t, masked);
    *crc = tg_crc(tg_crc(*crc, &masked, 4), s->data, s->size);
    text_addn(t, s->data, s->size);
}

static void entry_value(Text *t, const TgSaved *e, uint64_t offset, uint64_t size,
                        uint32_t crc)
{
    Text shape, dim;

    put_varint(t, 1 << 3);
    put_varint(t, (uint64_t)(e->array ? tg_type(wf_array_dtype(e->array)) : TG_STRING));
    text_init(&shape, t->a);
    for (int i = 0; e->array && i < wf_array_rank(e->array); i++) {
        text_init(&dim, t->a);
        put_varint(&dim, 1 << 3);
        put_varint(&dim, (uint64_t)wf_array_dims(e->array)[i]);
        put_varint(&shape, 2 << 3 | 2);
        put_varint(&shape, dim.n);
        text_addn(&shape, dim.s, dim.n);
    }
    put_varint(t, 2 << 3 | 2);
    put_varint(t, shape.n);
    text_addn(t, shape.n ? shape.s : "", shape.n);
    if (offset) {
        put_varint(t, 4 << 3);
        put_varint(t, offset);
    }
    put_varint(t, 5 << 3);
    put_varint(t, size);
    put_varint(t, 6 << 3 | 5);
    put_u32(t, crc);
}

static int by_name(const void *a, const void *b)
{
    return strcmp((*(const TgSaved *const *)a)->name, (*(const TgSaved *const *)b)->name);
}

/* The numbers of all entries go to w; what the index says of them into the table. */
static bool put_all(wf_ctx *cx, Writer *w, const TgSaved **order, size_t n, Text *file)
{
    Arena *a = &cx->scratch;
    TableBlock block, index;
    Text handle, value;
    uint64_t offset = 0;
    bool ok = true;

    begin_block(&block, a);
    begin_block(&index, a);
    put_entry(&block, "", "\x08\x01\x1a\x02\x08\x01", 6); /* one shard, version 1 */
    for (size_t i = 0; i < n && ok; i++) {
        const TgSaved *e = order[i];
        uint32_t crc;
        size_t size;
        Text text;

        if (e->array) {
            size = array_bytes(e->array);
            crc = tg_crc(0, size ? wf_array_data(e->array) : "", size);
            ok = writer_put(w, size ? wf_array_data(e->array) : "", size);
        } else {
            text_init(&text, a);
            string_data(&text, &e->text, &crc);
            size = text.n;
            ok = writer_put(w, text.s, size);
        }
        text_init(&value, a);
        entry_value(&value, e, offset, size, tg_crc_mask(crc));
        put_entry(&block, e->name, value.s, value.n);
        offset += size;
        if (block.text.n > BLOCK || i + 1 == n) {
            text_init(&handle, a);
            end_block(&block, file, &handle);
            put_entry(&index, e->name, handle.s, handle.n);
            begin_block(&block, a);
        }
    }
    if (!n) {
        text_init(&handle, a);
        end_block(&block, file, &handle);
        put_entry(&index, "", handle.s, handle.n);
        begin_block(&block, a);
    }
    text_init(&handle, a);
    begin_block(&block, a);
    end_block(&block, file, &handle); /* the metaindex: nothing */
    end_block(&index, file, &handle);
    while (handle.n < 40)
        text_char(&handle, 0);
    text_addn(&handle, "\x57\xfb\x80\x8b\x24\x75\x47\xdb", 8);
    text_addn(file, handle.s, handle.n);
    return ok;
}

static wf_status write_bundle(wf_ctx *cx, const char *prefix, const TgSaved *entries,
                              size_t n)
{
    API_ENTER(cx);
    const TgSaved **order = arena_array(&cx->scratch, n + 1, sizeof *order);
    const char *path = arena_printf(&cx->scratch, "%s.data-00000-of-00001", prefix);
    Writer *w = writer_open(cx, path);
    Text file;

    for (size_t i = 0; i < n; i++)
        order[i] = &entries[i];
    qsort(order, n, sizeof *order, by_name);
    text_init(&file, &cx->scratch);
    for (size_t i = 1; i < n && !failed(cx); i++)
        if (strcmp(order[i - 1]->name, order[i]->name) == 0)
            fail(cx, WF_ERR_VALUE, in_file(prefix), "two variables are called '%s'",
                 order[i]->name);
    if (!failed(cx) && w && put_all(cx, w, order, n, &file) && writer_commit(w) &&
        (w = writer_open(cx, arena_printf(&cx->scratch, "%s.index", prefix))) &&
        writer_put(w, file.s, file.n))
        writer_commit(w);
    API_RETURN(cx);
}

bool tg_bundle_write(wf_ctx *c, const char *prefix, const TgSaved *entries, size_t n)
{
    return write_bundle(c, prefix, entries, n) == WF_OK;
}
