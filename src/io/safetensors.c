/* safetensors.c -- tensors by name in one file that can be mapped.
 *
 *   file    = header_size (u64, little-endian), header, data
 *   header  = one JSON object of header_size bytes, beginning with '{', spaces behind it:
 *             { "__metadata__": { KEY: STRING, .. },          may be left out
 *               NAME: { "dtype": DTYPE, "shape": [n, ..],
 *                       "data_offsets": [begin, end] }, .. }
 *   DTYPE   = BOOL U8 I8 U16 I16 U32 I32 U64 I64 F16 BF16 F32 F64 C64
 *   data    = the tensors, row-major, little-endian; offsets count from its start
 *
 * What is checked: the header is at most HEADER_MAX bytes and inside the file; it is JSON
 * with these keys and no others, each once; names are unique; end - begin is the size of
 * the shape; the tensors cover the data exactly, without holes and without overlap (so no
 * byte of the file is unaccounted for); bools are 0 or 1.
 *
 * Written files have their data at a multiple of 64 bytes, and the tensors whose sizes
 * are multiples of large powers of two first, so that nearly all of them are aligned.
 */
#include "io/io.h"

#include <stdlib.h>

#define HEADER_MAX 100000000

static const struct {
    const char *name;
    wf_dtype dtype;
} dtypes[] = {
    {"BOOL", WF_BOOL}, {"U8", WF_U8},   {"I8", WF_I8},   {"U16", WF_U16}, {"I16", WF_I16},
    {"U32", WF_U32},   {"I32", WF_I32}, {"U64", WF_U64}, {"I64", WF_I64}, {"F16", WF_F16},
    {"BF16", WF_BF16}, {"F32", WF_F32}, {"F64", WF_F64}, {"C64", WF_C64},
    {"F8_E4M3", WF_F8E4M3FN}, {"F8_E5M2", WF_F8E5M2}, {"F8_E8M0", WF_F8E8M0FNU},
    {"F8_E4M3FNUZ", WF_F8E4M3FNUZ}, {"F8_E5M2FNUZ", WF_F8E5M2FNUZ},
};

static const char *dtype_to_name(wf_dtype t)
{
    for (int i = 0; i < COUNT(dtypes); i++)
        if (dtypes[i].dtype == t)
            return dtypes[i].name;
    return NULL;
}

/* ---- reading ----------------------------------------------------------------------- */

typedef struct Reader {
    Json j;
    StFile *out;
    Interner names;
    size_t data_size;
} Reader;

static bool read_dtype(Reader *r, StTensor *t)
{
    const char *s;

    if (!json_string(&r->j, &s))
        return false;
    for (int i = 0; i < COUNT(dtypes); i++)
        if (strcmp(dtypes[i].name, s) == 0) {
            t->dtype = dtypes[i].dtype;
            return true;
        }
    return json_fail(&r->j, "tensor '%s' has dtype '%s', which Weft does not hold",
                     t->name, s);
}

static bool read_shape(Reader *r, StTensor *t)
{
    int64_t *dims = arena_array(&r->j.cx->scratch, MAX_RANK, sizeof *dims);

    t->dims = dims;
    if (!json_need(&r->j, '['))
        return false;
    if (json_take(&r->j, ']'))
        return true;
    do {
        if (t->rank == MAX_RANK)
            return json_fail(&r->j, "tensor '%s' has more than %d axes", t->name,
                             MAX_RANK);
        if (!json_size(&r->j, &dims[t->rank]))
            return false;
        t->rank++;
    } while (json_take(&r->j, ','));
    return json_need(&r->j, ']');
}

static bool read_offsets(Reader *r, StTensor *t)
{
    int64_t begin, end;

    if (!json_need(&r->j, '[') || !json_size(&r->j, &begin) || !json_need(&r->j, ',') ||
        !json_size(&r->j, &end) || !json_need(&r->j, ']'))
        return false;
    if (begin > end)
        return json_fail(&r->j, "tensor '%s' ends before it begins", t->name);
    if ((uint64_t)end > r->data_size)
        return json_fail(&r->j,
                         "tensor '%s' ends at byte %lld, but the data has %llu bytes",
                         t->name, (long long)end, (unsigned long long)r->data_size);
    t->begin = (size_t)begin;
    t->size = (size_t)(end - begin);
    return true;
}

/* { "dtype": .., "shape": .., "data_offsets": .. } in any order */
static bool read_tensor(Reader *r, const char *name)
{
    static const struct {
        const char *key;
        bool (*read)(Reader *r, StTensor *t);
    } fields[] = {
        {"dtype", read_dtype}, {"shape", read_shape}, {"data_offsets", read_offsets}};
    StTensor t = {.name = name};
    unsigned seen = 0;
    int64_t bytes;
    const char *key;

    if (!json_need(&r->j, '{'))
        return false;
    do {
        int i = 0;

        if (!json_string(&r->j, &key) || !json_need(&r->j, ':'))
            return false;
        while (i < COUNT(fields) && strcmp(fields[i].key, key) != 0)
            i++;
        if (i == COUNT(fields))
            return json_fail(&r->j, "tensor '%s' has an unknown key '%s'", name, key);
        if (seen & 1u << i)
            return json_fail(&r->j, "tensor '%s' has '%s' twice", name, key);
        seen |= 1u << i;
        if (!fields[i].read(r, &t))
            return false;
    } while (json_take(&r->j, ','));
    if (!json_need(&r->j, '}'))
        return false;
    for (int i = 0; i < COUNT(fields); i++)
        if (!(seen & 1u << i))
            return json_fail(&r->j, "tensor '%s' has no '%s'", name, fields[i].key);
    if (!type_size(t.dtype, t.dims, t.rank, &t.count, &bytes))
        return json_fail(&r->j, "tensor '%s' is too large", name);
    if ((uint64_t)bytes != t.size)
        return json_fail(&r->j, "tensor '%s' needs %lld bytes, but has %llu", name,
                         (long long)bytes, (unsigned long long)t.size);
    vec_push(&r->j.cx->scratch, &r->out->tensors, t);
    return true;
}

static bool read_metadata(Reader *r)
{
    Interner keys;
    StMeta m;

    intern_init(&keys, &r->j.cx->scratch);
    if (!json_need(&r->j, '{'))
        return false;
    if (json_take(&r->j, '}'))
        return true;
    do {
        uint32_t before = keys.n;

        if (!json_string(&r->j, &m.key) || !json_need(&r->j, ':'))
            return false;
        intern_name(&keys, m.key);
        if (keys.n == before)
            return json_fail(&r->j, "metadata has '%s' twice", m.key);
        if (!json_string(&r->j, &m.value))
            return false;
        vec_push(&r->j.cx->scratch, &r->out->metas, m);
    } while (json_take(&r->j, ','));
    return json_need(&r->j, '}');
}

static bool read_header(Reader *r)
{
    const char *name;

    if (!json_need(&r->j, '{'))
        return false;
    if (!json_take(&r->j, '}')) {
        do {
            uint32_t before = r->names.n;

            if (!json_string(&r->j, &name) || !json_need(&r->j, ':'))
                return false;
            intern_name(&r->names, name);
            if (r->names.n == before)
                return json_fail(&r->j, "'%s' is there twice", name);
            if (!(strcmp(name, "__metadata__") == 0 ? read_metadata(r)
                                                    : read_tensor(r, name)))
                return false;
        } while (json_take(&r->j, ','));
        if (!json_need(&r->j, '}'))
            return false;
    }
    return json_end(&r->j);
}

static int by_begin(const void *x, const void *y)
{
    const StTensor *a = *(const StTensor *const *)x, *b = *(const StTensor *const *)y;

    if (a->begin != b->begin)
        return a->begin < b->begin ? -1 : 1;
    return a->size < b->size ? -1 : a->size > b->size;
}

/* The tensors cover the data exactly. */
static bool check_cover(Reader *r)
{
    uint32_t n = r->out->tensors.n;
    const StTensor **order = arena_array(&r->j.cx->scratch, n, sizeof *order);
    size_t at = 0;

    for (uint32_t i = 0; i < n; i++)
        order[i] = &r->out->tensors.v[i];
    if (n)
        qsort(order, n, sizeof *order, by_begin);
    for (uint32_t i = 0; i < n; at += order[i]->size, i++)
        if (order[i]->begin != at)
            return fail(r->j.cx, WF_ERR_FORMAT, in_file(r->j.file),
                        order[i]->begin < at ? "tensor '%s' overlaps another"
                                             : "unused bytes before tensor '%s'",
                        order[i]->name);
    if (at != r->data_size)
        return fail(r->j.cx, WF_ERR_FORMAT, in_file(r->j.file),
                    "%llu bytes behind the last tensor",
                    (unsigned long long)(r->data_size - at));
    return true;
}

static bool check_bools(Reader *r)
{
    for (uint32_t i = 0; i < r->out->tensors.n; i++) {
        const StTensor *t = &r->out->tensors.v[i];

        for (size_t k = 0; t->dtype == WF_BOOL && k < t->size; k++)
            if ((unsigned char)r->out->data[t->begin + k] > 1)
                return fail(r->j.cx, WF_ERR_FORMAT, in_file(r->j.file),
                            "tensor '%s' has dtype BOOL and a byte that is not 0 or 1",
                            t->name);
    }
    return true;
}

bool st_read(wf_ctx *cx, const char *file, const char *bytes, size_t size, StFile *out)
{
    Reader r = {.j = {.cx = cx, .file = file}, .out = out};
    uint64_t header;

    *out = (StFile){0};
    if (size < 8)
        return fail(cx, WF_ERR_FORMAT, in_file(file), "no safetensors header: %llu bytes",
                    (unsigned long long)size);
    memcpy(&header, bytes, 8);
    if (header > HEADER_MAX)
        return fail(cx, WF_ERR_FORMAT, in_file(file),
                    "no safetensors header: its size is given as %llu bytes",
                    (unsigned long long)header);
    if (header > size - 8)
        return fail(cx, WF_ERR_FORMAT, in_file(file),
                    "the header has %llu bytes, but the file ends after %llu",
                    (unsigned long long)header, (unsigned long long)(size - 8));
    r.j.begin = r.j.at = bytes + 8;
    r.j.end = bytes + 8 + header;
    r.data_size = size - 8 - (size_t)header;
    out->data = r.j.end;
    intern_init(&r.names, &cx->scratch);
    if (header == 0 || *r.j.begin != '{')
        return fail(cx, WF_ERR_FORMAT, in_file(file),
                    "no safetensors header: it does not begin with '{'");
    return read_header(&r) && check_cover(&r) && check_bools(&r);
}

/* ---- writing ----------------------------------------------------------------------- */

typedef struct Slot { /* one tensor of a file being written */
    const StSource *from;
    size_t size, begin;
    uint32_t index; /* in the header */
} Slot;

/* The largest power of two, up to 64, that divides the size. */
static size_t alignment(size_t size)
{
    size_t low = size & (~size + 1);

    return low == 0 || low > 64 ? 64 : low;
}

static int by_alignment(const void *x, const void *y)
{
    const Slot *a = x, *b = y;
    size_t p = alignment(a->size), q = alignment(b->size);

    if (p != q)
        return p > q ? -1 : 1;
    return a->index < b->index ? -1 : 1;
}

static bool measure(wf_ctx *cx, const StSource *s, uint32_t i, Slot *out)
{
    int64_t count, bytes;

    if (!dtype_to_name(s->dtype))
        return fail(cx, WF_ERR_TYPE, NOWHERE,
                    "tensor '%s' has dtype %s, which cannot be saved", s->name,
                    wf_dtype_name(s->dtype));
    if (!type_size(s->dtype, s->dims, s->rank, &count, &bytes))
        return fail(cx, WF_ERR_LIMIT, NOWHERE, "tensor '%s' is too large", s->name);
    *out = (Slot){.from = s, .size = (size_t)bytes, .index = i};
    return true;
}

static void print_tensor(const StSource *s, size_t begin, size_t size, Text *t)
{
    json_quote(t, s->name);
    text_printf(t, ":{\"dtype\":\"%s\",\"shape\":[", dtype_to_name(s->dtype));
    for (uint32_t k = 0; k < s->rank; k++)
        text_printf(t, "%s%lld", k ? "," : "", (long long)s->dims[k]);
    text_printf(t, "],\"data_offsets\":[%llu,%llu]}", (unsigned long long)begin,
                (unsigned long long)(begin + size));
}

static void print_metas(const StMeta *metas, uint32_t n, Text *t)
{
    text_add(t, "\"__metadata__\":{");
    for (uint32_t i = 0; i < n; i++) {
        text_add(t, i ? "," : "");
        json_quote(t, metas[i].key);
        text_char(t, ':');
        json_quote(t, metas[i].value);
    }
    text_char(t, '}');
}

static bool put_tensor(wf_ctx *cx, Writer *w, const Slot *slot)
{
    wf_array *host;
    bool ok;

    if (!slot->from->array)
        return writer_put(w, slot->from->data, slot->size);
    if (wf_array_contiguous(cx, slot->from->array, &host) != WF_OK)
        return false;
    ok = writer_put(w, wf_array_data(host), slot->size);
    wf_array_release(host);
    return ok;
}

bool st_write(wf_ctx *cx, const char *path, const StSource *tensors, uint32_t ntensors,
              const StMeta *metas, uint32_t nmetas)
{
    Slot *slots = arena_array(&cx->scratch, ntensors, sizeof *slots);
    size_t *begins = arena_array(&cx->scratch, ntensors, sizeof *begins), at = 0;
    uint64_t size;
    Writer *w;
    Text t;

    for (uint32_t i = 0; i < ntensors; i++)
        if (!measure(cx, &tensors[i], i, &slots[i]))
            return false;
    if (ntensors)
        qsort(slots, ntensors, sizeof *slots, by_alignment);
    for (uint32_t i = 0; i < ntensors; at += slots[i++].size)
        begins[slots[i].index] = slots[i].begin = at;
    text_init(&t, &cx->scratch);
    text_char(&t, '{');
    if (nmetas)
        print_metas(metas, nmetas, &t);
    for (uint32_t i = 0; i < ntensors; i++) {
        int64_t count, bytes = 0;

        text_add(&t, i || nmetas ? "," : "");
        type_size(tensors[i].dtype, tensors[i].dims, tensors[i].rank, &count, &bytes);
        print_tensor(&tensors[i], begins[i], (size_t)bytes, &t);
    }
    text_char(&t, '}');
    while ((t.n + 8) % 64)
        text_char(&t, ' ');
    if (t.n > HEADER_MAX)
        return fail(cx, WF_ERR_LIMIT, in_file(path),
                    "the header would have %llu bytes, at most %d "
                    "are allowed",
                    (unsigned long long)t.n, HEADER_MAX);
    size = t.n;
    w = writer_open(cx, path);
    if (!w || !writer_put(w, &size, 8) || !writer_put(w, t.s, t.n))
        return false;
    for (uint32_t i = 0; i < ntensors; i++)
        if (!put_tensor(cx, w, &slots[i]))
            return false;
    return writer_commit(w);
}
