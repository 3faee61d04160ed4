/* test_readers.c -- what files of other systems may say and need not: each mistake by hand, with the words it gets. Beside
 * test_formats.c and test_image.c, which cut and change whole files at random. */
#include "test.h"
#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- bytes, little-endian ---- */

typedef struct Bytes {
    char v[4096];
    size_t n;
} Bytes;

static void put(Bytes *b, uint64_t x, int bytes)
{
    for (int i = 0; i < bytes; i++)
        b->v[b->n++] = (char)(i < 8 ? x >> 8 * i : 0);
}

static void put_raw(Bytes *b, const void *p, size_t n)
{
    memcpy(b->v + b->n, p, n);
    b->n += n;
}

/* Reading it gives this status, and words; the model where it is fine, the caller's. */
static wf_model *expect(wf_ctx *c, const char *name, const Bytes *b, wf_status status,
                        const char *words)
{
    wf_model *m = NULL;

    CHECK_EQ_INT(wf_model_parse(c, name, b->v, b->n, &m), status);
    CHECK_HAS(wf_ctx_message(c), words);
    wf_clear(c);
    return m;
}

static void refused(wf_ctx *c, const char *name, const Bytes *b, wf_status status,
                    const char *words)
{
    wf_model *m = expect(c, name, b, status, words);

    CHECK(m == NULL);
    wf_model_free(m);
}

/* ---- GGUF ---- */

enum { U8, I8, U16, I16, U32, I32, F32, BOOL, STRING, ARRAY, U64, I64, F64 };

static void put_text(Bytes *b, const char *s)
{
    put(b, strlen(s), 8);
    put_raw(b, s, strlen(s));
}

static Bytes gguf(uint64_t tensors, uint64_t metas)
{
    Bytes b = {.n = 0};

    put_raw(&b, "GGUF", 4);
    put(&b, 3, 4);
    put(&b, tensors, 8);
    put(&b, metas, 8);
    return b;
}

static void put_meta(Bytes *b, const char *key, int kind)
{
    put_text(b, key);
    put(b, (uint64_t)kind, 4);
}

TEST(metadata_of_gguf_of_every_kind_is_text)
{
    static const struct {
        const char *key, *text;
        int kind, bytes;
        uint64_t x;
    } v[] = {
        {"u8", "200", U8, 1, 200},
        {"i8", "-3", I8, 1, 0xfd},
        {"u16", "65535", U16, 2, 65535},
        {"i16", "-2", I16, 2, 0xfffe},
        {"u32", "7", U32, 4, 7},
        {"i32", "-1", I32, 4, 0xffffffff},
        {"f32", "1.5", F32, 4, 0x3fc00000},
        {"yes", "true", BOOL, 1, 1},
        {"no", "false", BOOL, 1, 0},
        {"u64", "18446744073709551615", U64, 8, UINT64_MAX},
        {"i64", "-9", I64, 8, (uint64_t)-9},
        {"f64", "-2", F64, 8, 0xc000000000000000},
    };
    wf_ctx *c = wf_ctx_new(NULL);
    Bytes b = gguf(0, COUNT(v) + 4);
    wf_model *m;

    for (int i = 0; i < COUNT(v); i++) {
        put_meta(&b, v[i].key, v[i].kind);
        put(&b, v[i].x, v[i].bytes);
    }
    put_meta(&b, "many", ARRAY);
    put(&b, U8, 4);
    put(&b, 20, 8);
    for (uint64_t i = 0; i < 20; i++)
        put(&b, i, 1);
    put_meta(&b, "", U8); /* keys that are nobody's, or Weft's own, are left out */
    put(&b, 1, 1);
    put_meta(&b, "weft.x", U8);
    put(&b, 1, 1);
    put_meta(&b, "__metadata__", U8);
    put(&b, 1, 1);
    m = expect(c, "m.gguf", &b, WF_OK, "");
    for (int i = 0; i < COUNT(v); i++)
        CHECK_STR(wf_model_meta(m, v[i].key), v[i].text);
    CHECK_STR(wf_model_meta(m, "many"),
              "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, ..]");
    CHECK_STR(wf_model_meta(m, "weft.x"), "");
    wf_model_free(m);
    wf_ctx_free(c);
}

TEST(metadata_of_gguf_that_cannot_be_is_refused)
{
    wf_ctx *c = wf_ctx_new(NULL);
    Bytes b = gguf(0, 1);
    static const struct {
        int kind, bytes;
        uint64_t x;
    } alignments[] = {{U32, 4, 0}, {U32, 4, 3 << 20}, {I32, 4, 0xffffffff}, {F32, 4, 0}};

    put_meta(&b, "deep", ARRAY);
    for (int i = 0; i < 8; i++) {
        put(&b, ARRAY, 4);
        put(&b, 1, 8);
    }
    refused(c, "m.gguf", &b, WF_ERR_FORMAT, "arrays are nested too deep");
    b = gguf(0, 1);
    put_meta(&b, "a", ARRAY);
    refused(c, "m.gguf", &b, WF_ERR_FORMAT, "the file ends too early");
    put(&b, U8, 4);
    refused(c, "m.gguf", &b, WF_ERR_FORMAT, "the file ends too early");
    b = gguf(0, 1);
    put_meta(&b, "k", 13);
    refused(c, "m.gguf", &b, WF_ERR_FORMAT, "an unknown type of metadata");
    b = gguf(0, 1);
    put_meta(&b, "\xff", U8);
    refused(c, "m.gguf", &b, WF_ERR_FORMAT, "a text that is not UTF-8");
    b = gguf(0, 1);
    b.v[4] = 9;
    refused(c, "m.gguf", &b, WF_ERR_FORMAT, "versions 2 and 3 are known");
    for (int i = 0; i < COUNT(alignments); i++) {
        b = gguf(0, 1);
        put_meta(&b, "general.alignment", alignments[i].kind);
        put(&b, alignments[i].x, alignments[i].bytes);
        refused(c, "m.gguf", &b, WF_ERR_FORMAT, "an alignment that cannot be");
    }
    wf_ctx_free(c);
}

/* A file with one tensor f32 of n elements, and bytes of data behind it. */
static Bytes one_tensor(const char *name, int rank, uint64_t n, uint64_t type,
                        uint64_t offset, size_t data)
{
    Bytes b = gguf(1, 0);

    put_text(&b, name);
    put(&b, (uint64_t)rank, 4);
    for (int i = 0; i < rank; i++)
        put(&b, n, 8);
    put(&b, type, 4);
    put(&b, offset, 8);
    while (b.n % 32 && data)
        put(&b, 0, 1);
    for (; data; data--)
        put(&b, 0, 1);
    return b;
}

TEST(tensors_of_gguf_that_cannot_be_are_refused)
{
    wf_ctx *c = wf_ctx_new(NULL);
    Bytes b = one_tensor("x", 1, 2, 0, 0, 8);
    wf_model *m = expect(c, "m.gguf", &b, WF_OK, "");

    CHECK_EQ_INT(wf_array_count(wf_model_find_tensor(m, "x")), 2);
    wf_model_free(m);
    b = one_tensor("x", 1, 2, 0, 3, 16); /* not aligned: copied */
    m = expect(c, "m.gguf", &b, WF_OK, "");
    CHECK_EQ_INT(wf_array_count(wf_model_find_tensor(m, "x")), 2);
    wf_model_free(m);
    b = one_tensor("x", 5, 1, 0, 0, 8);
    refused(c, "m.gguf", &b, WF_ERR_FORMAT, "a tensor of more than 4 axes");
    b = one_tensor("x", 4, 1 << 20, 0, 0, 8);
    refused(c, "m.gguf", &b, WF_ERR_FORMAT, "a tensor that is too large");
    b = one_tensor("x", 1, UINT64_MAX, 0, 0, 8);
    refused(c, "m.gguf", &b, WF_ERR_FORMAT, "a tensor that is too large");
    b = one_tensor("x", 1, 2, 77, 0, 8);
    refused(c, "m.gguf", &b, WF_ERR_UNSUPPORTED,
            "tensor 'x' has type 77, which is not supported");
    b = one_tensor("x", 1, 33, 2, 0, 40); /* Q4_0: blocks of 32 */
    refused(c, "m.gguf", &b, WF_ERR_FORMAT, "rows that are not whole blocks");
    b = one_tensor("x", 1, 2, 0, 4, 8);
    refused(c, "m.gguf", &b, WF_ERR_FORMAT,
            "tensor 'x' reaches beyond the end of the file");
    b = one_tensor("x", 1, 2, 0, 400, 8);
    refused(c, "m.gguf", &b, WF_ERR_FORMAT,
            "tensor 'x' reaches beyond the end of the file");
    b = one_tensor("x", 1, 2, 0, 0, 0);
    refused(c, "m.gguf", &b, WF_ERR_FORMAT, "the file ends before the data");
    for (int i = 0; i < 4; i++) {
        b = one_tensor((const char *[]){"", "weft.x", "a\nb", "__metadata__"}[i], 1, 2, 0,
                       0, 8);
        refused(c, "m.gguf", &b, WF_ERR_FORMAT, "a tensor without a usable name");
    }
    wf_ctx_free(c);
}

/* ---- an index of shards ---- */

TEST(an_index_of_shards_that_is_no_json_is_refused_where_it_goes_wrong)
{
    static const struct {
        const char *text, *words;
    } v[] = {
        {"{\"weight_map\" 1}", "expected ':'"},
        {"{\"weight_map\": 1}", "expected '{'"},
        {"{\"weight_map\": {1}}", "expected"},
        {"{\"weight_map\": {\"a\" 1}}", "expected ':'"},
        {"{\"weight_map\": {\"a\": 1}}", "expected"},
        {"{\"weight_map\": {\"a\": \"\"}}", "is outside the model's folder"},
        {"{\"weight_map\": {\"a\": \"..\"}}", "is outside the model's folder"},
        {"{\"weight_map\": {\"a\": \"x\\\\y\"}}", "is outside the model's folder"},
        {"{\"weight_map\": {\"a\": \"none.safetensors\"}}", "none.safetensors"},
        {"{\"weight_map\": {}", "expected '}'"},
        {"{\"weight_map\": {}} x", "expected"},
        {"{\"m\": , \"weight_map\": {}}", "expected a value"},
        {"{\"m\": {1}, \"weight_map\": {}}", "expected"},
        {"{\"m\": {\"a\" 1}, \"weight_map\": {}}", "expected ':'"},
        {"{\"m\": {\"a\": }, \"weight_map\": {}}", "expected a value"},
        {"{\"m\": {\"a\": 1, \"weight_map\": {}}", "expected '}'"},
        {"{\"m\": [1 2], \"weight_map\": {}}", "expected ']'"},
        {"{\"m\": [,], \"weight_map\": {}}", "expected a value"},
        {"{\"m\": \"\\q\", \"weight_map\": {}}", ""},
        {"{\"m\": [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]], "
         "\"weight_map\": {}}",
         "nested too deep"},
        {"{\"m\": \"\"; \"weight_map\": {}}", "expected '}'"},
    };
    static const char fine[] =
        "{\"m\": [], \"n\": {}, \"o\": [true, {\"k\": \"t\"}], \"weight_map\": {}}";
    wf_ctx *c = wf_ctx_new(NULL);
    wf_model *m;
    Bytes b;

    for (int i = 0; i < COUNT(v); i++) {
        b = (Bytes){.n = 0};
        put_raw(&b, v[i].text, strlen(v[i].text));
        CHECK(wf_model_parse(c, "m.safetensors.index.json", b.v, b.n, &m) != WF_OK);
        if (!strstr(wf_ctx_message(c), v[i].words))
            check_fail(__FILE__, __LINE__, "%s: %s", v[i].text, wf_ctx_message(c));
        wf_clear(c);
    }
    b = (Bytes){.n = 0};
    put_raw(&b, fine, sizeof fine - 1);
    m = expect(c, "m.safetensors.index.json", &b, WF_OK, "");
    CHECK_EQ_INT(wf_model_tensors(m), 0);
    wf_model_free(m);
    wf_ctx_free(c);
}

TEST(files_of_tensors_take_no_types_of_inputs)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_import_options o = {.size = sizeof o,
                           .names = (const char *[]){"x"},
                           .types = (const char *[]){"f32[2]"},
                           .n = 1};
    static const char *const paths[] = {"tests/files/blocks.gguf",
                                        "tests/files/blocks.npz"};
    wf_model *m;

    for (int i = 0; i < COUNT(paths); i++) {
        CHECK_EQ_INT(wf_model_import(c, paths[i], &o, &m), WF_ERR_ARG);
        CHECK_HAS(wf_ctx_message(c), "a file of tensors has no inputs");
        wf_clear(c);
    }
    CHECK_EQ_INT(wf_model_parse_with(c, "i.json", "{\"weight_map\": {}}", 18, &o, &m),
                 WF_ERR_ARG);
    CHECK_HAS(wf_ctx_message(c), "a file of tensors has no inputs");
    wf_ctx_free(c);
}

/* ---- zip ---- */

static Bytes npy(void)
{
    static const char head[] =
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }";
    Bytes b = {.n = 0};

    put_raw(&b, "\x93NUMPY\x01\x00", 8);
    put(&b, 118, 2);
    put_raw(&b, head, sizeof head - 1);
    while (b.n < 127)
        put(&b, ' ', 1);
    put(&b, '\n', 1);
    put(&b, 0x3f800000, 4);
    put(&b, 0x40000000, 4);
    return b;
}

typedef enum Wide {
    ALL,      /* sizes and places are in the fields of zip64 */
    SHORT,    /* whose extra is too short */
    OTHER,    /* behind another extra field */
    LOST,     /* whose end is not where the locator says */
    NAMELESS, /* an entry of Weft's own name */
    EMPTY     /* an entry that is no array */
} Wide;

static Bytes zip64(Wide w)
{
    Bytes b = {.n = 0}, x = npy();
    const char *name = w == NAMELESS ? "weft.x.npy" : w == EMPTY ? "readme" : "x.npy";
    uint64_t crc = crc32_add(0, x.v, x.n), dir, end, extra = w == SHORT ? 20 : 28;

    put(&b, 0x04034b50, 4);
    put(&b, 45, 2);
    put(&b, 0, 8);
    put(&b, crc, 4);
    put(&b, x.n, 4);
    put(&b, x.n, 4);
    put(&b, strlen(name), 2);
    put(&b, 0, 2);
    put_raw(&b, name, strlen(name));
    put_raw(&b, x.v, x.n);
    dir = b.n;
    put(&b, 0x02014b50, 4);
    put(&b, 45, 2);
    put(&b, 45, 2);
    put(&b, 0, 8);
    put(&b, crc, 4);
    put(&b, UINT32_MAX, 4);
    put(&b, UINT32_MAX, 4);
    put(&b, strlen(name), 2);
    put(&b, extra + (w == OTHER ? 8 : 0), 2);
    put(&b, 0, 10);
    put(&b, UINT32_MAX, 4);
    put_raw(&b, name, strlen(name));
    if (w == OTHER) {
        put(&b, 0x5455, 2);
        put(&b, 4, 2);
        put(&b, 0, 4);
    }
    put(&b, 1, 2);
    put(&b, extra - 4, 2);
    put(&b, x.n, 8);
    put(&b, x.n, 8);
    put(&b, 0, (int)extra - 20);
    end = b.n;
    put(&b, 0x06064b50, 4);
    put(&b, 44, 8);
    put(&b, 45, 2);
    put(&b, 45, 2);
    put(&b, 0, 8);
    put(&b, 1, 8);
    put(&b, 1, 8);
    put(&b, end - dir, 8);
    put(&b, dir, 8);
    put(&b, 0x07064b50, 4);
    put(&b, 0, 4);
    put(&b, w == LOST ? end + 1 : end, 8);
    put(&b, 1, 4);
    put(&b, 0x06054b50, 4);
    put(&b, 0, 4);
    put(&b, 65535, 2);
    put(&b, 65535, 2);
    put(&b, UINT32_MAX, 4);
    put(&b, UINT32_MAX, 4);
    put(&b, 0, 2);
    return b;
}

TEST(sizes_and_places_of_large_archives_are_in_their_wide_fields)
{
    wf_ctx *c = wf_ctx_new(NULL);
    const char *text;
    wf_model *m;
    Bytes b;

    for (int i = 0; i < 3; i++) {
        static const Wide kinds[] = {ALL, OTHER, NAMELESS};

        b = zip64(kinds[i]);
        m = expect(c, "m.npz", &b, WF_OK, "");
        REQUIRE(m && wf_model_tensors(m) == 1);
        CHECK_STR(wf_model_tensor_name(m, 0), kinds[i] == NAMELESS ? "array0" : "x");
        wf_array_text(c, wf_model_tensor(m, 0), &text);
        CHECK_STR(text, "f32[2] [1, 2]");
        wf_model_free(m);
    }
    b = zip64(SHORT);
    refused(c, "m.npz", &b, WF_ERR_FORMAT, "a zip64 field is too short");
    b = zip64(LOST);
    CHECK(wf_model_parse(c, "m.npz", b.v, b.n, &m) != WF_OK);
    wf_clear(c);
    b = zip64(EMPTY);
    m = expect(c, "m.npz", &b, WF_OK, "");
    CHECK_EQ_INT(wf_model_tensors(m), 0);
    wf_model_free(m);
    wf_ctx_free(c);
}

TEST(what_an_npz_cannot_hold_is_not_saved)
{
    char path[] = "/tmp/weft_readers_XXXXXX.npz";
    wf_ctx *c = wf_ctx_new(NULL);
    wf_model *m = NULL;
    wf_array *a = NULL, *b = NULL;
    const char *text = "";

    REQUIRE(mkstemps(path, 4) >= 0);
    REQUIRE(wf_model_parse(c, "f.wir", "f(x: f32[2]) {\n  ret x\n}\n", 25, &m) == WF_OK);
    CHECK_EQ_INT(wf_model_save(c, m, path), WF_ERR_VALUE);
    CHECK_HAS(wf_ctx_message(c),
              "an .npz file holds arrays only, but the model has 1 programs");
    wf_clear(c);
    wf_model_free(m);
    REQUIRE(wf_model_new(c, &m) == WF_OK &&
            wf_array_parse(c, "[1, 2]", WF_BF16, 0, &a) == WF_OK &&
            wf_array_parse(c, "[[1, 2], [3, 4]]", WF_I16, 0, &b) == WF_OK);
    wf_model_set_tensor(c, m, "b", b);
    CHECK_EQ_INT(wf_model_save(c, m, path), WF_OK);
    wf_model_set_tensor(c, m, "a", a);
    CHECK_EQ_INT(wf_model_save(c, m, path), WF_ERR_TYPE); /* NumPy has no bf16 */
    wf_clear(c);
    CHECK_EQ_INT(wf_model_save(c, m, "/nowhere/x.npz"), WF_ERR_IO);
    wf_clear(c);
    wf_model_free(m);
    REQUIRE(wf_model_load(c, path, &m) == WF_OK); /* the one that was saved */
    wf_array_text(c, wf_model_find_tensor(m, "b"), &text);
    CHECK_STR(text, "i16[2,2] [[1, 2], [3, 4]]");
    wf_model_free(m);
    wf_array_release(a);
    wf_array_release(b);
    unlink(path);
    wf_ctx_free(c);
}

/* ---- pictures ---- */

/* The picture of these bytes: its text, or the message. */
static void picture(wf_ctx *c, const void *bytes, size_t n, const char *words)
{
    char path[] = "/tmp/weft_readers_XXXXXX";
    int fd = mkstemp(path);
    wf_array *a = NULL;
    const char *text = "";

    REQUIRE(fd >= 0 && write(fd, bytes, n) == (ssize_t)n && close(fd) == 0);
    if (wf_image_load(c, path, &a) == WF_OK)
        wf_array_text(c, a, &text);
    if (!strstr(a ? text : wf_ctx_message(c), words))
        check_fail(__FILE__, __LINE__, "%.20s: %s", (const char *)bytes,
                   a ? text : wf_ctx_message(c));
    wf_clear(c);
    wf_array_release(a);
    unlink(path);
}

TEST(pnm_of_every_kind_and_its_mistakes)
{
    static const struct {
        const char *bytes;
        size_t n;
        const char *words;
    } v[] = {
        {"P1 2 1 10", 9, "u8[1,2,1] [[[0], [255]]]"},
        {"P1\n# a remark\n2 1\n0\n1", 21, "u8[1,2,1] [[[255], [0]]]"},
        {"P2 2 1 3 0 3", 12, "[[[0], [255]]]"},
        {"P3 1 1 255 1 2 3", 16, "u8[1,1,3] [[[1, 2, 3]]]"},
        {"P4 3 1 \xa0", 8, "u8[1,3,1] [[[0], [255], [0]]]"},
        {"P5 2 1 255 \x07\x08", 13, "[[[7], [8]]]"},
        {"P5 1 1 65535 \xff\xff", 15, "[[[255]]]"},
        {"P6 1 1 255 \x01\x02\x03", 14, "u8[1,1,3] [[[1, 2, 3]]]"},
        {"P2 x", 4, "needed a number"},
        {"P2 ", 3, "needed a number"},
        {"P2 2 /", 6, "needed a number"},
        {"P2 2 :", 6, "needed a number"},
        {"P2 2 1", 6, "needed a number"},
        {"P2 2 1 3 0 x", 12, "needed a number"},
        {"P2 9999999 1 3", 14, "a number is too large"},
        {"P2 2 1 0 0 0", 12, "the largest value must be in 1..65535"},
        {"P2 2 1 70000 0 0", 16, "the largest value must be in 1..65535"},
        {"P1 2 1 02", 9, "needed 0 or 1"},
        {"P1 2 1  0 ", 10, "needed 0 or 1"},
        {"P5 2 1 255", 10, "the file is cut short"},
        {"P5 2 1 255 \x07", 12, "the file is cut short"},
        {"P5 0 1 255 \x07", 12, "a picture of no size"},
        {"P5 1 0 255 \x07", 12, "a picture of no size"},
        {"P1 70000 0 1", 12, "past 65535 a side"},
        {"P7 1 1 255 1", 12, "neither PNG nor PNM"},
        {"P0 1 1 255 1", 12, "neither PNG nor PNM"},
        {"Q5 1 1 255 1", 12, "neither PNG nor PNM"},
        {"P5", 2, "neither PNG nor PNM"},
    };
    wf_ctx *c = wf_ctx_new(NULL);

    for (int i = 0; i < COUNT(v); i++)
        picture(c, v[i].bytes, v[i].n, v[i].words);
    wf_ctx_free(c);
}

TEST(headers_of_png_that_cannot_be_are_refused)
{
    static const struct {
        uint32_t width, height;
        uint8_t rest[5]; /* depth, colour, compression, filter, interlace */
        const char *words;
    } v[] = {
        {1, 1, {8, 1, 0, 0, 0}, "a kind of pixel"},
        {1, 1, {8, 9, 0, 0, 0}, "a kind of pixel"},
        {1, 1, {0, 0, 0, 0, 0}, "a kind of pixel"},
        {1, 1, {3, 0, 0, 0, 0}, "a kind of pixel"},
        {1, 1, {32, 0, 0, 0, 0}, "a kind of pixel"},
        {1, 1, {8, 0, 1, 0, 0}, "a kind of pixel"},
        {1, 1, {8, 0, 0, 1, 0}, "a kind of pixel"},
        {1, 1, {8, 0, 0, 0, 2}, "a kind of pixel"},
        {1, 1, {4, 2, 0, 0, 0}, "a kind of pixel"},
        {1, 1, {16, 3, 0, 0, 0}, "a kind of pixel"},
        {0, 1, {8, 0, 0, 0, 0}, "of no size"},
        {1, 0, {8, 0, 0, 0, 0}, "of no size"},
        {70000, 1, {8, 0, 0, 0, 0}, "past 65535"},
        {1, 70000, {8, 0, 0, 0, 0}, "past 65535"},
        {1, 1, {8, 0, 0, 0, 0}, "its data is damaged"},
        {1, 1, {8, 3, 0, 0, 0}, "lacks its header or palette"},
    };
    wf_ctx *c = wf_ctx_new(NULL);

    for (int i = 0; i < COUNT(v); i++) {
        Bytes b = {.n = 0};

        put_raw(&b, "\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16);
        put(&b, __builtin_bswap32(v[i].width), 4);
        put(&b, __builtin_bswap32(v[i].height), 4);
        put_raw(&b, v[i].rest, 5);
        put(&b, 0, 4);
        put_raw(&b, "\0\0\0\0IEND\0\0\0\0", 12);
        picture(c, b.v, b.n, v[i].words);
    }
    picture(c, "\x89PNG\r\n\x1a\n\0\0\0\0IEND\0\0\0\0", 20,
            "lacks its header or palette");
    picture(c, "\x89PNG\r\n\x1a\n\0\xff\0\0IDAT\0\0\0\0", 20, "cut short");
    wf_ctx_free(c);
}

/* ---- text of arrays ---- */

TEST(numbers_that_are_not_quite_numbers_are_refused)
{
    static const struct {
        const char *text;
        wf_dtype dtype;
        const char *words;
    } v[] = {
        {"1+2", WF_C64, "is not a number"},
        {"1+xj", WF_C64, "is not a number"},
        {"xj", WF_C64, "expected a number"},
        {"[j]", WF_C64, "is not a number"},
        {"1*2j", WF_C64, "is not a number"},
        {"x", WF_F16, "expected"},
        {"[x]", WF_F16, "is not a number"},
        {"[x]", WF_F64, "is not a number"},
        {"[x]", WF_U8, "is not a number"},
        {"[-x]", WF_U8, "is not a number"},
        {"[-1]", WF_U16, "does not fit u16"},
        {"[bits(1]", WF_F32, "is not a number"},
        {"[bits(x)]", WF_F32, "is not a number"},
        {"[128]", WF_I8, "128 does not fit i8"},
        {"[-129]", WF_I8, "-129 does not fit i8"},
        {"[1\n2]", WF_F32, "expected ',' or ']'"},
        {"[[1], [2]", WF_F32, "expected ',' or ']'"},
        {"f32[2", WF_INVALID, "expected"},
        {"f32[2] ", WF_INVALID, "expected"},
        {"f32[1] [[1]]", WF_INVALID, "shape of the type"},
        {"f32[a] [1]", WF_INVALID, "expected a size"},
        {"[tru]", WF_BOOL, "expected true or false"},
        {"[1, x]", WF_INVALID, "is not a number"},
        {"[,1]", WF_F32, "expected"},
    };
    wf_ctx *c = wf_ctx_new(NULL);
    wf_array *a;

    for (int i = 0; i < COUNT(v); i++) {
        CHECK(wf_array_parse(c, v[i].text, v[i].dtype, 0, &a) != WF_OK);
        if (!strstr(wf_ctx_message(c), v[i].words))
            check_fail(__FILE__, __LINE__, "%s: %s", v[i].text, wf_ctx_message(c));
        wf_clear(c);
    }
    wf_ctx_free(c);
}

/* ---- memory that runs out ---- */

static void read_all(wf_allocator al, void *user)
{
    wf_options o = {.size = sizeof o, .allocator = al, .threads = 1};
    wf_ctx *c = wf_ctx_new(&o);
    Bytes b[] = {zip64(ALL), one_tensor("x", 1, 32, 2, 0, 18),
                 one_tensor("x", 1, 2, 0, 3, 16)};
    static const char index[] = "{\"m\": [1], \"weight_map\": {}}";
    wf_model *m = NULL;
    wf_array *a = NULL;

    if (!c)
        return;
    for (int i = 0; i < COUNT(b); i++) {
        if (wf_model_parse(c, "m", b[i].v, b[i].n, &m) == WF_OK && i == 0)
            wf_model_save(c, m, user);
        wf_model_free(m);
    }
    wf_model_parse(c, "i.json", index, sizeof index - 1, &m);
    wf_model_free(m);
    wf_image_load(c, "tests/images/all_interlaced.png", &a);
    wf_array_release(a);
    wf_ctx_free(c);
}

TEST(every_allocation_of_readers_may_fail)
{
    char path[] = "/tmp/weft_readers_XXXXXX.npz";

    REQUIRE(mkstemps(path, 4) >= 0);
    CHECK(fault_each(read_all, path) > 30);
    unlink(path);
}
