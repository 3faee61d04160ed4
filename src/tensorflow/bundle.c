/* bundle.c -- checkpoints: TensorBundle, as tf.train.Saver and tf.train.Checkpoint write it.
 *
 *     PREFIX.index                 a table of LevelDB's layout: key -> BundleEntryProto; the empty key -> BundleHeaderProto
 *     PREFIX.data-00000-of-00002   numbers, one after the other; an entry says shard, offset and size
 *
 *   table   = block.. metaindex index footer         block = contents, a byte (0 as it is, 1 snappy), masked CRC-32C of both
 *   contents = entry.. restart u32.. count u32       entry = shared, unshared, size of value (varints), unshared bytes, value
 *   index   = a block: last key of each block -> offset, size (varints)
 *   footer  = offset and size of metaindex and of index (varints), zeros up to 40 bytes, a number of 8
 *
 * Strings are their lengths as varints, a masked checksum of these, and their bytes. TensorFlow writes its index without
 * compression; a block that snappy made is refused. Every checksum is held against its bytes. A variable saved in
 * slices (partitioned) is refused by name.
 */
#include "tensorflow/tensorflow.h"

#define MAGIC  UINT64_C(0xdb4775248b80fb57)
#define FOOTER 48

typedef struct Row {
    const char *key;
    TgEntry *entry;
} Row;

struct TgBundle {
    OxMemory mem;
    const char *file;         /* the index */
    const char *owner, *name; /* whose shards they are, and their name without its tail, in the owner's folder */
    const Blob *own;
    Blob *index, **shards;
    int64_t nshards;
    Row *rows;
    int n, room;
};

typedef struct Span {
    const unsigned char *at, *end;
} Span;

static bool bad(TgBundle *b, const char *what)
{
    char text[900];

    snprintf(text, sizeof text, "%.250s: not a checkpoint of TensorFlow: %.500s", b->file,
             what);
    wf_raise(b->mem.c, WF_ERR_FORMAT, text);
    return false;
}

static bool varint(Span *s, uint64_t *out)
{
    *out = 0;
    for (int shift = 0; shift < 64 && s->at < s->end; shift += 7) {
        *out |= (uint64_t)(*s->at & 127) << shift;
        if (*s->at++ < 128)
            return true;
    }
    return false;
}

static uint32_t u32(const unsigned char *p)
{
    uint32_t v;

    memcpy(&v, p, 4);
    return v;
}

/* ---- reading ------------------------------------------------------------------------------------------------ */

static wf_status open_blob(wf_ctx *cx, const char *path, Blob **out)
{
    API_ENTER(cx);
    Blob *b = blob_open(cx, path);

    *out = b ? blob_retain(b) : NULL;
    API_RETURN(cx);
}

/* The contents of the block at a handle, without its restarts. */
static bool find_block(TgBundle *b, Span *handle, Span *out)
{
    const unsigned char *data = (const unsigned char *)b->index->data;
    uint64_t at, size, restarts;

    if (!varint(handle, &at) || !varint(handle, &size) || at > b->index->size ||
        size > b->index->size - at || b->index->size - at - size < 5 || size < 4)
        return bad(b, "a block outside the file");
    data += at;
    if (data[size] != 0)
        return bad(b, data[size] == 1
                          ? "a block compressed by snappy, which is not supported"
                          : "a block of an unknown kind");
    if (tg_crc_mask(tg_crc(0, data, (size_t)size + 1)) != u32(data + size + 1))
        return bad(b, "a block whose checksum is another");
    restarts = u32(data + size - 4);
    if (restarts > (size - 4) / 4)
        return bad(b, "a block with more restarts than bytes");
    *out = (Span){data, data + size - 4 - 4 * restarts};
    return true;
}

typedef struct Key {
    char *text;
    size_t n, room;
} Key;

/* The next key and value of a block. */
static bool next_entry(TgBundle *b, Span *s, Key *k, Span *value)
{
    uint64_t shared, more, size;
    char *text;

    if (!varint(s, &shared) || !varint(s, &more) || !varint(s, &size) || shared > k->n ||
        more > (size_t)(s->end - s->at) || size > (size_t)(s->end - s->at) - more)
        return bad(b, "a broken entry");
    if (shared + more + 1 > k->room) {
        size_t room = (size_t)(shared + more + 1) * 2;

        if (!(text = ox_alloc(&b->mem, room, 1)))
            return false;
        if (shared)
            memcpy(text, k->text, (size_t)shared);
        k->text = text;
        k->room = room;
    }
    memcpy(k->text + shared, s->at, (size_t)more);
    k->n = (size_t)(shared + more);
    k->text[k->n] = 0;
    s->at += more;
    *value = (Span){s->at, s->at + size};
    s->at += size;
    return true;
}

static bool add_row(TgBundle *b, const Key *k, Span value)
{
    TgHeader *h;

    if (!k->n) {
        if (!(h = ox_read(&b->mem, b->file, "a checkpoint of TensorFlow",
                          &tg_header_message, (const char *)value.at,
                          (size_t)(value.end - value.at))))
            return false;
        b->nshards = h->shards;
        return h->endian == 0 || bad(b, "numbers of a big-endian machine");
    }
    if (b->n == b->room) {
        Row *more = ox_alloc(&b->mem, (size_t)b->room * 2 + 64, sizeof *more);

        if (!more)
            return false;
        if (b->n)
            memcpy(more, b->rows, (size_t)b->n * sizeof *more);
        b->rows = more;
        b->room = b->room * 2 + 64;
    }
    b->rows[b->n].key = ox_string(&b->mem, k->text, k->n);
    b->rows[b->n].entry =
        ox_read(&b->mem, b->file, "a checkpoint of TensorFlow", &tg_entry_message,
                (const char *)value.at, (size_t)(value.end - value.at));
    if (!b->rows[b->n].key || !b->rows[b->n].entry)
        return false;
    if (b->n && strcmp(b->rows[b->n - 1].key, b->rows[b->n].key) >= 0)
        return bad(b, "keys out of order");
    b->n++;
    return true;
}

static bool read_table(TgBundle *b)
{
    const unsigned char *end = (const unsigned char *)b->index->data + b->index->size;
    Span footer, index, value, block, row;
    Key name = {0}, key = {0};
    uint64_t skip, magic = 0;

    if (b->index->size < FOOTER)
        return bad(b, "it is too short");
    footer = (Span){end - FOOTER, end - 8};
    memcpy(&magic, end - 8, 8);
    if (magic != MAGIC)
        return bad(b, "its last bytes are not those of a table");
    if (!varint(&footer, &skip) || !varint(&footer, &skip) ||
        !find_block(b, &footer, &index))
        return wf_ctx_status(b->mem.c) ? false : bad(b, "a broken footer");
    while (index.at < index.end) {
        if (!next_entry(b, &index, &name, &value) || !find_block(b, &value, &block))
            return false;
        while (block.at < block.end)
            if (!next_entry(b, &block, &key, &row) || !add_row(b, &key, row))
                return false;
    }
    return (b->nshards > 0 && b->nshards < 100000) ||
           bad(b, "it does not say how many shards there are");
}

static const char *file_name(OxMemory *m, const char *prefix, const char *format,
                             int64_t i, int64_t n)
{
    size_t size = strlen(prefix) + 64;
    char *s = ox_alloc(m, size, 1), tail[64];

    snprintf(tail, sizeof tail, format, (int)i, (int)n);
    if (s)
        snprintf(s, size, "%s%s", prefix, tail);
    return s;
}

TgBundle *tg_bundle_of(wf_ctx *c, const char *prefix, Blob *index)
{
    OxMemory mem = {.c = c};
    TgBundle *b = ox_alloc(&mem, 1, sizeof *b);
    const char *slash;

    if (!b)
        return NULL;
    b->mem = mem;
    b->file = b->owner = file_name(&b->mem, prefix, ".index", 0, 0);
    b->name = ox_string(&b->mem, prefix, strlen(prefix));
    if (b->name && (slash = strrchr(b->name, '/')))
        b->name = slash + 1;
    if (index)
        b->index = blob_retain(index);
    if (b->file && b->name && (b->index || !open_blob(c, b->file, &b->index)) && b->index &&
        read_table(b) &&
        (b->shards = ox_alloc(&b->mem, (size_t)b->nshards, sizeof *b->shards))) {
        b->own = b->index;
        return b;
    }
    tg_bundle_free(b);
    return NULL;
}

TgBundle *tg_bundle_open(wf_ctx *c, const char *prefix)
{
    return tg_bundle_of(c, prefix, NULL);
}

TgBundle *tg_bundle_of_model(wf_ctx *c, const char *model, const Blob *own, const char *prefix)
{
    Blob *index = NULL;
    TgBundle *b;

    if (blob_open_beside(c, model, own, "variables/variables.index", &index))
        return NULL;
    if ((b = tg_bundle_of(c, prefix, index))) {
        b->owner = model;
        b->own = own;
        b->name = "variables/variables";
    }
    blob_release(index);
    return b;
}

void tg_bundle_free(TgBundle *b)
{
    OxMemory mem;

    if (!b)
        return;
    for (int64_t i = 0; b->shards && i < b->nshards; i++)
        if (b->shards[i])
            blob_release(b->shards[i]);
    if (b->index)
        blob_release(b->index);
    mem = b->mem;
    ox_memory_free(&mem);
}

int tg_bundle_count(const TgBundle *b) { return b->n; }
const char *tg_bundle_name(const TgBundle *b, int i) { return b->rows[i].key; }
const TgEntry *tg_bundle_entry(const TgBundle *b, int i) { return b->rows[i].entry; }

int tg_bundle_find(const TgBundle *b, const char *name)
{
    int lo = 0, hi = b->n;

    while (lo < hi) {
        int mid = lo + (hi - lo) / 2, way = strcmp(b->rows[mid].key, name);

        if (way == 0)
            return mid;
        *(way < 0 ? &lo : &hi) = way < 0 ? mid + 1 : mid;
    }
    return -1;
}

static bool entry_fail(TgBundle *b, int i, const char *what)
{
    char text[500];

    snprintf(text, sizeof text, "'%.120s' %s", b->rows[i].key, what);
    return bad(b, text);
}

/* The bytes of an entry, in its shard. */
static bool entry_bytes(TgBundle *b, int i, OxBytes *out, Blob **holder)
{
    const TgEntry *e = b->rows[i].entry;
    const char *name;

    if (e->slices.n)
        return entry_fail(b, i, "is saved in slices, which is not supported");
    if (e->shard < 0 || e->shard >= b->nshards)
        return entry_fail(b, i, "is in a shard that is not there");
    if (!b->shards[e->shard] &&
        (!(name = file_name(&b->mem, b->name, ".data-%05d-of-%05d", e->shard,
                            b->nshards)) ||
         blob_open_beside(b->mem.c, b->owner, b->own, name, &b->shards[e->shard])))
        return false;
    *holder = b->shards[e->shard];
    if (e->offset < 0 || e->size < 0 || (size_t)e->offset > (*holder)->size ||
        (size_t)e->size > (*holder)->size - (size_t)e->offset)
        return entry_fail(b, i, "ends behind the end of its shard");
    *out = (OxBytes){(*holder)->data + e->offset, (size_t)e->size};
    return true;
}

static bool entry_dims(TgBundle *b, int i, int64_t *dims, int *rank, int64_t *count)
{
    const TgShape *s = b->rows[i].entry->shape;

    *rank = s ? (int)MIN(s->dims.n, (size_t)WF_MAX_RANK + 1) : 0;
    *count = 1;
    if (*rank > WF_MAX_RANK)
        return entry_fail(b, i, "has more axes than there may be");
    for (int k = 0; k < *rank; k++) {
        dims[k] = s->dims.v[k]->size;
        if (dims[k] < 0 || __builtin_mul_overflow(*count, dims[k], count) ||
            *count > INT64_MAX / 32)
            return entry_fail(b, i, "has sizes that cannot be");
    }
    return true;
}

static void drop_blob(void *blob) { blob_release(blob); }

wf_array *tg_bundle_array(TgBundle *b, int i)
{
    const TgEntry *e = b->rows[i].entry;
    wf_dtype d = tg_dtype(e->type);
    int64_t dims[WF_MAX_RANK], count;
    wf_array *a = NULL;
    Blob *holder;
    OxBytes raw;
    int rank;

    if (d == WF_INVALID)
        return entry_fail(b, i, "has a type that Weft has not"), NULL;
    if (!entry_dims(b, i, dims, &rank, &count) || !entry_bytes(b, i, &raw, &holder))
        return NULL;
    if (raw.size != (size_t)count * wf_dtype_size(d))
        return entry_fail(b, i, "has not as many bytes as its shape asks for"), NULL;
    if (e->has & 1 << 6 && tg_crc_mask(tg_crc(0, raw.data, raw.size)) != e->crc)
        return entry_fail(b, i, "has another checksum"), NULL;
    if (d != WF_BOOL && raw.size >= 4096 &&
        (uintptr_t)raw.data % wf_dtype_size(d) == 0) { /* used where it is */
        if (wf_array_wrap(b->mem.c, d, dims, rank, NULL, (void *)(uintptr_t)raw.data,
                          drop_blob, blob_retain(holder), &a))
            blob_release(holder);
        return a;
    }
    if (!wf_array_from(b->mem.c, d, dims, rank, count ? raw.data : "", &a) &&
        d == WF_BOOL)
        for (int64_t k = 0; k < count; k++)
            ((char *)wf_array_data(a))[k] = raw.data[k] != 0;
    return a;
}

const OxBytes *tg_bundle_strings(TgBundle *b, int i, int64_t *n)
{
    int64_t dims[WF_MAX_RANK];
    OxBytes raw, *out;
    Blob *holder;
    Span s;
    int rank;

    if (b->rows[i].entry->type != TG_STRING || !entry_dims(b, i, dims, &rank, n) ||
        !entry_bytes(b, i, &raw, &holder))
        return wf_ctx_status(b->mem.c) ? NULL : (entry_fail(b, i, "is no string"), NULL);
    if (*n < 0 || (size_t)*n > raw.size)
        return entry_fail(b, i, "has more strings than bytes"), NULL;
    s = (Span){(const unsigned char *)raw.data,
               (const unsigned char *)raw.data + raw.size};
    if (!(out = ox_alloc(&b->mem, (size_t)*n + 1, sizeof *out)))
        return NULL;
    for (int64_t k = 0; k < *n; k++) {
        uint64_t size;

        if (!varint(&s, &size) || size > raw.size)
            return entry_fail(b, i, "has broken lengths"), NULL;
        out[k].size = (size_t)size;
    }
    if (s.end - s.at < 4)
        return entry_fail(b, i, "has broken lengths"), NULL;
    s.at += 4;
    for (int64_t k = 0; k < *n; k++) {
        if (out[k].size > (size_t)(s.end - s.at))
            return entry_fail(b, i, "has broken lengths"), NULL;
        out[k].data = (const char *)s.at;
        s.at += out[k].size;
    }
    return out;
}
