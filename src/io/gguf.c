/* gguf.c -- GGUF (ggml's files), read: tensors by name, metadata by key. Quantised blocks become f32.
 *
 *     "GGUF", u32 version (2, 3), u64 tensors, u64 metadata
 *     metadata   key, u32 type, value            strings are u64 length and bytes
 *     tensors    name, u32 rank, u64 sizes (the fastest first), u32 type, u64 offset
 *     data       from the next multiple of general.alignment (32) on
 *
 * A type is blocks of so many elements in so many bytes; `unpack` makes f32 of one block (gguf_blocks.c: by code books).
 */
#include "io/io.h"

#include <math.h>

typedef struct Gguf {
    wf_ctx *cx;
    const char *file;
    Blob *blob;
    size_t at;
    uint64_t alignment;
    wf_model *m;
} Gguf;

static bool gguf_fail(Gguf *g, const char *what)
{
    return fail(g->cx, WF_ERR_FORMAT, in_file(g->file), "GGUF, byte %zu: %s", g->at,
                what);
}

static bool take(Gguf *g, int bytes, uint64_t *out)
{
    *out = 0;
    if (g->blob->size - g->at < (size_t)bytes)
        return gguf_fail(g, "the file ends too early");
    for (int i = 0; i < bytes; i++)
        *out |= (uint64_t)(unsigned char)g->blob->data[g->at++] << 8 * i;
    return true;
}

static bool take_string(Gguf *g, const char **out)
{
    uint64_t n;
    char *s;

    if (!take(g, 8, &n))
        return false;
    if (n > g->blob->size - g->at)
        return gguf_fail(g, "the file ends inside a text");
    s = arena_alloc(&g->cx->scratch, (size_t)n + 1);
    memcpy(s, g->blob->data + g->at, (size_t)n);
    s[n] = 0;
    g->at += (size_t)n;
    for (size_t k = 0, len; k < n; k += len)
        if (!s[k] || !(len = (size_t)utf8_len(s + k, (size_t)n - k)))
            return gguf_fail(g, "a text that is not UTF-8");
    *out = s;
    return true;
}

/* ---- metadata -------------------------------------------------------------------------------- */

enum { U8, I8, U16, I16, U32, I32, F32, BOOL, STRING, ARRAY, U64, I64, F64, KINDS };
static const uint8_t kind_bytes[KINDS] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};

static bool read_value(Gguf *g, uint64_t kind, Text *t, int depth)
{
    uint64_t x = 0, n, inner;
    const char *s;
    char number[NUMBER_MAX];
    float f;
    double d;

    if (kind == STRING) {
        if (!take_string(g, &s))
            return false;
        text_add(t, s);
        return true;
    }
    if (kind == ARRAY) { /* its first elements as text */
        if (depth > 4 || !take(g, 4, &inner) || !take(g, 8, &n))
            return depth > 4 ? gguf_fail(g, "arrays are nested too deep") : false;
        text_char(t, '[');
        for (uint64_t i = 0; i < n; i++) {
            Text more, *to = i < 16 ? t : &more;

            text_init(&more, &g->cx->scratch);
            if (i && i < 16)
                text_add(t, ", ");
            if (!read_value(g, inner, to, depth + 1))
                return false;
        }
        text_add(t, n > 16 ? ", ..]" : "]");
        return true;
    }
    if (kind >= KINDS)
        return gguf_fail(g, "an unknown type of metadata");
    if (!take(g, kind_bytes[kind], &x))
        return false;
    if (kind == F32) {
        uint32_t bits = (uint32_t)x;
        memcpy(&f, &bits, 4);
        number_f32(number, f);
        text_add(t, number);
    } else if (kind == F64) {
        memcpy(&d, &x, 8);
        number_f64(number, d);
        text_add(t, number);
    } else if (kind == BOOL) {
        text_add(t, x ? "true" : "false");
    } else {
        int shift = 64 - 8 * kind_bytes[kind];

        if (kind == I8 || kind == I16 || kind == I32 || kind == I64)
            text_int(t, (int64_t)(x << shift) >> shift);
        else
            text_printf(t, "%llu", (unsigned long long)x);
    }
    return true;
}

static bool read_metadata(Gguf *g)
{
    const char *key;
    uint64_t kind;
    Text t;

    text_init(&t, &g->cx->scratch);
    if (!take_string(g, &key) || !take(g, 4, &kind) || !read_value(g, kind, &t, 0))
        return false;
    if (strcmp(key, "general.alignment") == 0) {
        g->alignment = 0;
        for (const char *p = text_str(&t);
             *p >= '0' && *p <= '9' && g->alignment < 1 << 20; p++)
            g->alignment = g->alignment * 10 + (uint64_t)(*p - '0');
        if (!g->alignment || g->alignment > 1 << 20)
            return gguf_fail(g, "an alignment that cannot be");
    }
    if (*key && strncmp(key, "weft.", 5) != 0 && strcmp(key, "__metadata__") != 0)
        model_set_meta(g->cx, g->m, key, text_str(&t));
    return true;
}

/* ---- blocks ------------------------------------------------------------------------------------ */

typedef const uint8_t *Block;

static float half_at(Block b) { return f16_to_f32((uint16_t)(b[0] | b[1] << 8)); }

/* 4 and 5 bits in blocks of 32: y = d q + m, the low halves of bytes first. high: the fifth bits. */
static void unpack_nibbles(float d, float m, int zero, Block high, Block qs, float *y)
{
    uint32_t h = high ? (uint32_t)high[0] | (uint32_t)high[1] << 8 |
                            (uint32_t)high[2] << 16 | (uint32_t)high[3] << 24
                      : 0;

    for (int j = 0; j < 16; j++) {
        int lo = (qs[j] & 15) | (int)(h >> j & 1) << 4,
            hi = qs[j] >> 4 | (int)(h >> (j + 16) & 1) << 4;

        y[j] = (float)(lo - zero) * d + m;
        y[j + 16] = (float)(hi - zero) * d + m;
    }
}

static void unpack_q4_0(Block b, float *y)
{
    unpack_nibbles(half_at(b), 0, 8, NULL, b + 2, y);
}
static void unpack_q4_1(Block b, float *y)
{
    unpack_nibbles(half_at(b), half_at(b + 2), 0, NULL, b + 4, y);
}
static void unpack_q5_0(Block b, float *y)
{
    unpack_nibbles(half_at(b), 0, 16, b + 2, b + 6, y);
}
static void unpack_q5_1(Block b, float *y)
{
    unpack_nibbles(half_at(b), half_at(b + 2), 0, b + 4, b + 8, y);
}

static void unpack_q8_0(Block b, float *y)
{
    for (int j = 0; j < 32; j++)
        y[j] = half_at(b) * (float)(int8_t)b[2 + j];
}

static void unpack_q8_1(Block b, float *y)
{
    for (int j = 0; j < 32; j++)
        y[j] = half_at(b) * (float)(int8_t)b[4 + j];
}

/* 16 groups of 16 with a scale and a least value of 4 bits each */
static void unpack_q2_k(Block b, float *y)
{
    float d = half_at(b + 80), least = half_at(b + 82);

    for (int k = 0; k < 256; k++) {
        int half = k / 128, j = k % 128 / 32, l = k % 32,
            scale = b[half * 8 + j * 2 + l / 16];

        y[k] = d * (float)(scale & 15) * (float)(b[16 + half * 32 + l] >> 2 * j & 3) -
               least * (float)(scale >> 4);
    }
}

/* 16 groups of 16; scales of 6 bits: the low four in 8 bytes, the high two in 4 more */
static void unpack_q3_k(Block b, float *y)
{
    Block mask = b, q = b + 32, s = b + 96;
    float d = half_at(b + 108);

    for (int k = 0; k < 256; k++) {
        int half = k / 128, j = k % 128 / 32, l = k % 32, g = k / 16;
        int low = g < 8 ? s[g] & 15 : s[g - 8] >> 4,
            scale = (low | (s[8 + g % 4] >> 2 * (g / 4) & 3) << 4) - 32;
        int v = (q[half * 32 + l] >> 2 * j & 3) - (mask[l] >> (half * 4 + j) & 1 ? 0 : 4);

        y[k] = d * (float)scale * (float)v;
    }
}

/* Scale and least value of group j of 8, 6 bits each in 12 bytes */
static void scale_of(int j, Block s, int *scale, int *least)
{
    *scale = j < 4 ? s[j] & 63 : (s[j + 4] & 15) | s[j - 4] >> 6 << 4;
    *least = j < 4 ? s[j + 4] & 63 : s[j + 4] >> 4 | s[j] >> 6 << 4;
}

static void unpack_k45(Block b, Block high, Block q, float *y)
{
    float d = half_at(b), dmin = half_at(b + 2);

    for (int k = 0; k < 256; k++) {
        int j = k / 32, l = k % 32, scale, least, v = q[j / 2 * 32 + l];

        scale_of(j, b + 4, &scale, &least);
        v = j % 2 ? v >> 4 : v & 15;
        if (high)
            v |= (high[l] >> j & 1) << 4;
        y[k] = d * (float)scale * (float)v - dmin * (float)least;
    }
}

static void unpack_q4_k(Block b, float *y) { unpack_k45(b, NULL, b + 16, y); }
static void unpack_q5_k(Block b, float *y) { unpack_k45(b, b + 16, b + 48, y); }

static void unpack_q6_k(Block b, float *y)
{
    float d = half_at(b + 208);

    for (int k = 0; k < 256; k++) {
        int half = k / 128, j = k % 128 / 32, l = k % 32;
        int low = b[half * 64 + (j % 2) * 32 + l],
            v = (j < 2 ? low & 15 : low >> 4) | (b[128 + half * 32 + l] >> 2 * j & 3)
                                                    << 4;

        y[k] = d * (float)(int8_t)b[192 + half * 8 + j * 2 + l / 16] * (float)(v - 32);
    }
}

static void unpack_q8_k(Block b, float *y)
{
    float d;

    memcpy(&d, b, 4);
    for (int j = 0; j < 256; j++)
        y[j] = d * (float)(int8_t)b[4 + j];
}

static const int8_t steps_nl[16] = {-127, -104, -83, -65, -49, -35, -22, -10,
                                    1,    13,   25,  38,  53,  69,  89,  113};

static void unpack_table(float d, const int8_t *table, Block q, float *y)
{
    for (int j = 0; j < 16; j++) {
        y[j] = d * (float)table[q[j] & 15];
        y[j + 16] = d * (float)table[q[j] >> 4];
    }
}

static void unpack_iq4_nl(Block b, float *y)
{
    unpack_table(half_at(b), steps_nl, b + 2, y);
}

static void unpack_iq4_xs(Block b, float *y)
{
    int high = b[2] | b[3] << 8;

    for (int i = 0; i < 8; i++) {
        int scale = (b[4 + i / 2] >> 4 * (i % 2) & 15) | (high >> 2 * i & 3) << 4;

        unpack_table(half_at(b) * (float)(scale - 32), steps_nl, b + 8 + 16 * i,
                     y + 32 * i);
    }
}

static void unpack_tq2_0(Block b, float *y)
{
    for (int k = 0; k < 256; k++)
        y[k] = half_at(b + 64) *
               (float)((b[k / 128 * 32 + k % 32] >> k % 128 / 32 * 2 & 3) - 1);
}

static void unpack_mxfp4(Block b, float *y)
{
    static const int8_t doubled[16] = {0, 1,  2,  3,  4,  6,  8,  12,
                                       0, -1, -2, -3, -4, -6, -8, -12};

    unpack_table(ldexpf(1, b[0] - 128), doubled, b + 1, y);
}

static const struct {
    uint32_t number;
    const char *name;
    uint16_t elements, bytes;
    wf_dtype dtype; /* of plain ones */
    void (*unpack)(Block b, float *y);
} types[] = {
    {0, "F32", 1, 4, WF_F32, NULL},
    {1, "F16", 1, 2, WF_F16, NULL},
    {2, "Q4_0", 32, 18, 0, unpack_q4_0},
    {3, "Q4_1", 32, 20, 0, unpack_q4_1},
    {6, "Q5_0", 32, 22, 0, unpack_q5_0},
    {7, "Q5_1", 32, 24, 0, unpack_q5_1},
    {8, "Q8_0", 32, 34, 0, unpack_q8_0},
    {9, "Q8_1", 32, 36, 0, unpack_q8_1},
    {10, "Q2_K", 256, 84, 0, unpack_q2_k},
    {11, "Q3_K", 256, 110, 0, unpack_q3_k},
    {12, "Q4_K", 256, 144, 0, unpack_q4_k},
    {13, "Q5_K", 256, 176, 0, unpack_q5_k},
    {14, "Q6_K", 256, 210, 0, unpack_q6_k},
    {15, "Q8_K", 256, 292, 0, unpack_q8_k},
    {16, "IQ2_XXS", 256, 66, 0, gguf_unpack_iq2_xxs},
    {17, "IQ2_XS", 256, 74, 0, gguf_unpack_iq2_xs},
    {18, "IQ3_XXS", 256, 98, 0, gguf_unpack_iq3_xxs},
    {19, "IQ1_S", 256, 50, 0, gguf_unpack_iq1_s},
    {20, "IQ4_NL", 32, 18, 0, unpack_iq4_nl},
    {21, "IQ3_S", 256, 110, 0, gguf_unpack_iq3_s},
    {22, "IQ2_S", 256, 82, 0, gguf_unpack_iq2_s},
    {23, "IQ4_XS", 256, 136, 0, unpack_iq4_xs},
    {24, "I8", 1, 1, WF_I8, NULL},
    {25, "I16", 1, 2, WF_I16, NULL},
    {26, "I32", 1, 4, WF_I32, NULL},
    {27, "I64", 1, 8, WF_I64, NULL},
    {28, "F64", 1, 8, WF_F64, NULL},
    {29, "IQ1_M", 256, 56, 0, gguf_unpack_iq1_m},
    {30, "BF16", 1, 2, WF_BF16, NULL},
    {34, "TQ1_0", 256, 54, 0, gguf_unpack_tq1_0},
    {35, "TQ2_0", 256, 66, 0, unpack_tq2_0},
    {39, "MXFP4", 32, 17, 0, unpack_mxfp4},
};

/* ---- tensors --------------------------------------------------------------------------------- */

typedef struct Info {
    const char *name;
    int rank, type;
    int64_t dims[4], count;
    uint64_t offset;
} Info;

static bool read_info(Gguf *g, Info *t)
{
    uint64_t rank, type, d;

    *t = (Info){.count = 1, .type = -1};
    if (!take_string(g, &t->name) || !take(g, 4, &rank))
        return false;
    if (rank > 4)
        return gguf_fail(g, "a tensor of more than 4 axes");
    t->rank = (int)rank;
    for (uint64_t i = 0; i < rank; i++) {
        if (!take(g, 8, &d))
            return false;
        if (d > INT64_MAX || !mul_i64(t->count, (int64_t)d, &t->count))
            return gguf_fail(g, "a tensor that is too large");
        t->dims[rank - 1 - i] = (int64_t)d;
    }
    if (!take(g, 4, &type) || !take(g, 8, &t->offset))
        return false;
    for (int i = 0; i < COUNT(types); i++)
        if (types[i].number == type)
            t->type = i;
    if (t->type < 0)
        return fail(g->cx, WF_ERR_UNSUPPORTED, in_file(g->file),
                    "GGUF: tensor '%.80s' has type %llu, which is not supported", t->name,
                    (unsigned long long)type);
    if (rank && t->dims[rank - 1] % types[t->type].elements)
        return gguf_fail(g, "rows that are not whole blocks");
    return true;
}

static bool add_tensor(Gguf *g, const Info *t, size_t data)
{
    size_t left = g->blob->size - data,
           blocks = (size_t)t->count / types[t->type].elements,
           bytes = types[t->type].bytes;
    const char *at = g->blob->data + data + (t->offset <= left ? t->offset : 0);
    wf_array *a;

    if (t->offset > left || (t->count && blocks > (left - t->offset) / bytes))
        return fail(g->cx, WF_ERR_FORMAT, in_file(g->file),
                    "GGUF: tensor '%.80s' reaches beyond the end of the file", t->name);
    if (!*t->name || strncmp(t->name, "weft.", 5) == 0 || strpbrk(t->name, "\t\n") ||
        strcmp(t->name, "__metadata__") == 0)
        return gguf_fail(g, "a tensor without a usable name");
    if (!types[t->type].unpack) {
        if ((uintptr_t)at % bytes) {
            if (wf_array_from(g->cx, types[t->type].dtype, t->dims, t->rank, at, &a) !=
                WF_OK)
                return false;
        } else if (wf_array_wrap(g->cx, types[t->type].dtype, t->dims, t->rank, NULL,
                                 (char *)(uintptr_t)at, blob_release,
                                 blob_retain(g->blob), &a) != WF_OK) {
            blob_release(g->blob);
            return false;
        }
    } else {
        float *y;

        if (wf_array_new(g->cx, WF_F32, t->dims, t->rank, &a) != WF_OK)
            return false;
        y = wf_array_data_mutable(a);
        for (size_t i = 0; i < blocks; i++)
            types[t->type].unpack((Block)at + i * bytes, y + i * types[t->type].elements);
    }
    model_set_tensor(g->cx, g->m, t->name, array_held(g->cx, a));
    if (types[t->type].unpack)
        model_set_meta(g->cx, g->m, arena_printf(&g->cx->scratch, "type.%s", t->name),
                       types[t->type].name);
    return true;
}

static bool gguf_is(const char *data, size_t size)
{
    return size >= 24 && memcmp(data, "GGUF", 4) == 0;
}

static wf_status gguf_open(wf_ctx *cx, const char *file, Blob *blob, wf_model *m)
{
    API_ENTER(cx);
    Gguf g = {.cx = cx, .file = file, .blob = blob, .at = 4, .alignment = 32, .m = m};
    uint64_t version, tensors, metas;
    VEC(Info) infos = {0};
    bool ok =
        (gguf_is(blob->data, blob->size) ||
         fail(cx, WF_ERR_FORMAT, in_file(file), "the file does not begin as GGUF does")) &&
        take(&g, 4, &version) &&
        (version == 2 || version == 3 || gguf_fail(&g, "versions 2 and 3 are known")) &&
        take(&g, 8, &tensors) && take(&g, 8, &metas);

    for (uint64_t i = 0; ok && i < metas; i++)
        ok = read_metadata(&g);
    for (uint64_t i = 0; ok && i < tensors; i++) {
        Info t;

        if ((ok = read_info(&g, &t)))
            vec_push(&cx->scratch, &infos, t);
    }
    size_t data =
        ok ? (g.at + (size_t)g.alignment - 1) / (size_t)g.alignment * (size_t)g.alignment
           : 0;
    if (ok && infos.n && data > blob->size)
        ok = gguf_fail(&g, "the file ends before the data");
    for (uint32_t i = 0; ok && i < infos.n; i++)
        ok = add_tensor(&g, &infos.v[i], data);
    API_RETURN(cx);
}

static bool gguf_read(wf_ctx *cx, const char *file, Blob *blob,
                      const wf_import_options *given, wf_model *m)
{
    if (given && given->n)
        return fail(cx, WF_ERR_ARG, in_file(file),
                    "a file of tensors has no inputs: no types or numbers are taken");
    return gguf_open(cx, file, blob, m) == WF_OK;
}

const Format gguf_format = {"GGUF", ".gguf", gguf_is, gguf_read, NULL};
