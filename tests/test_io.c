/* test_io.c -- safetensors and .weft: what is written is read, and what is wrong is
 * refused with a reason. */
#include "lib_files.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

static bool exists(const char *path) { return access(path, F_OK) == 0; }

static int files_in_folder(void)
{
    char command[128], text[16] = "";
    FILE *p;

    snprintf(command, sizeof command, "ls -A '%s' | wc -l", path_of(""));
    p = popen(command, "r");
    if (p && fgets(text, sizeof text, p))
        text[15] = '\0';
    if (p)
        pclose(p);
    return atoi(text);
}

/* ---- safetensors
 * --------------------------------------------------------------------- */

static Bytes st(const char *header, const void *data, size_t size)
{
    uint64_t n = strlen(header);
    Bytes b = {malloc(8 + n + size), 8 + n + size};

    memcpy(b.v, &n, 8);
    memcpy(b.v + 8, header, n);
    if (size)
        memcpy(b.v + 8 + n, data, size);
    return b;
}

/* Reads the bytes as a model; the message after an error, malloc'ed, else NULL. */
static char *refusal(Bytes b)
{
    wf_ctx *cx = wf_ctx_new(NULL);
    wf_model *m = NULL;
    char *why = NULL;

    if (wf_model_parse(cx, "x.weft", b.v, b.n, &m) != WF_OK)
        why = strdup(wf_ctx_message(cx));
    CHECK((m == NULL) == (why != NULL));
    wf_model_free(m);
    wf_ctx_free(cx);
    free(b.v);
    return why;
}

static void check_refused(const char *header, size_t size, const char *want)
{
    static const char zeros[4096];
    char *why = refusal(st(header, zeros, size));

    if (want)
        CHECK_HAS(why, want);
    else
        CHECK_STR(why, NULL);
    free(why);
}

TEST(safetensors_are_read)
{
    static const struct {
        float w[2];
        int16_t i[2];
        uint8_t b[3];
    } data = {{1.5f, 2.5f}, {-3, 4}, {1, 0, 1}};
    Bytes b =
        st("{\"__metadata__\":{\"who\":\"me\",\"\":\"empty key\"},"
           "\"größe.w\" : {\"dtype\":\"F32\",\"shape\":[1,2],\"data_offsets\":[0,8]},\n"
           "\"i\\n\\u00e9\\ud83d\\ude00\":{\"shape\":[2],\"data_offsets\":[8,12],"
           "\"dtype\":\"I16\"},"
           "\"none\":{\"dtype\":\"F64\",\"shape\":[0,5],\"data_offsets\":[12,12]},"
           "\"b\":{\"dtype\":\"BOOL\",\"shape\":[3],\"data_offsets\":[12,15]}}   ",
           &data, 15);
    wf_ctx *cx = wf_ctx_new(NULL);
    const char *text;
    wf_model *m;

    write_file(path_of("a.safetensors"), b.v, b.n);
    free(b.v);
    REQUIRE(wf_model_load(cx, path_of("a.safetensors"), &m) == WF_OK);
    CHECK_EQ_INT(wf_model_programs(m), 0);
    CHECK_EQ_INT(wf_model_tensors(m), 4);
    CHECK_STR(wf_model_meta(m, "who"), "me");
    CHECK_STR(wf_model_meta(m, ""), "empty key");
    CHECK_STR(wf_model_meta(m, "x"), "");
    CHECK(!wf_model_has_meta(m, "x") && wf_model_has_meta(m, "who"));
    CHECK_STR(wf_model_tensor_name(m, 0), "größe.w");
    CHECK_STR(wf_model_tensor_name(m, 4), "");
    CHECK(wf_array_text(cx, wf_model_tensor(m, 0), &text) == WF_OK);
    CHECK_STR(text, "f32[1,2] [[1.5, 2.5]]");
    CHECK(wf_array_text(cx, wf_model_tensor(m, 1), &text) == WF_OK);
    CHECK_STR(text, "i16[2] [-3, 4]");
    CHECK(wf_model_find_tensor(m, "i\n\xc3\xa9\xf0\x9f\x98\x80") ==
          wf_model_tensor(m, 1));
    CHECK(wf_array_text(cx, wf_model_find_tensor(m, "b"), &text) == WF_OK);
    CHECK_STR(text, "bool[3] [true, false, true]");
    CHECK(wf_model_find_tensor(m, "c") == NULL);
    wf_model_free(m);
    wf_ctx_free(cx);
}

TEST(every_dtype_of_safetensors_is_read_and_written)
{
    wf_ctx *cx = wf_ctx_new(NULL);
    wf_model *m, *n;

    REQUIRE(wf_model_new(cx, &m) == WF_OK);
    for (int t = WF_BOOL; t <= WF_F64; t++) {
        wf_array *a;
        char text[64];

        snprintf(text, sizeof text, "rand:%s[3,%d]", wf_dtype_name((wf_dtype)t), t);
        REQUIRE(wf_array_parse(cx, text, WF_INVALID, 5, &a) == WF_OK);
        CHECK(wf_model_set_tensor(cx, m, wf_dtype_name((wf_dtype)t), a) == WF_OK);
        wf_array_release(a);
    }
    CHECK(wf_model_save(cx, m, path_of("all.safetensors")) == WF_OK);
    REQUIRE(wf_model_load(cx, path_of("all.safetensors"), &n) == WF_OK);
    CHECK_EQ_INT(wf_model_tensors(n), wf_model_tensors(m));
    for (int i = 0; i < wf_model_tensors(n); i++) {
        wf_array *x = wf_model_tensor(m, i), *y = wf_model_tensor(n, i);
        size_t bytes = (size_t)wf_array_count(x) * wf_dtype_size(wf_array_dtype(x));

        CHECK_STR(wf_model_tensor_name(n, i), wf_model_tensor_name(m, i));
        CHECK_EQ_INT(wf_array_dtype(x), wf_array_dtype(y));
        CHECK_EQ_INT(wf_array_count(x), wf_array_count(y));
        CHECK(memcmp(wf_array_data(x), wf_array_data(y), bytes) == 0);
    }
    wf_model_free(m);
    wf_model_free(n);
    wf_ctx_free(cx);
}

#define F32(name, shape, begin, end)                                                     \
    "\"" name "\":{\"dtype\":\"F32\",\"shape\":" shape ",\"data_offsets\":[" begin       \
    "," end "]}"

TEST(hostile_safetensors_are_refused_with_a_reason)
{
    static const struct {
        const char *header;
        size_t size;
        const char *why; /* NULL: it is fine */
    } cases[] = {
        {"{}", 0, NULL},
        {"{\"__metadata__\":{}}", 0, NULL},
        {"{" F32("a", "[]", "0", "4") "}", 4, NULL},
        {"{" F32("a", "[2]", "4", "12") "," F32("b", "[1]", "0", "4") "}", 12, NULL},
        {"[]", 0, "does not begin with '{'"},
        {"{", 0, "expected a string, found the end"},
        {"{}x", 0, "expected the end, found 'x'"},
        {"{} {}", 0, "expected the end"},
        {"{" F32("a", "[1]", "0", "4") ",}", 4, "expected a string, found '}'"},
        {"{" F32("a", "[1]", "0", "4") F32("b", "[1]", "0", "4") "}", 4, "expected '}'"},
        {"{" F32("a", "[1]", "0", "4") "," F32("a", "[1]", "4", "8") "}", 8,
         "'a' is there twice"},
        {"{" F32("a", "[2]", "0", "8") "," F32("b", "[1]", "4", "8") "}", 8,
         "tensor 'b' overlaps another"},
        {"{" F32("a", "[1]", "0", "4") "," F32("b", "[1]", "8", "12") "}", 12,
         "unused bytes before tensor 'b'"},
        {"{" F32("a", "[1]", "4", "8") "}", 8, "unused bytes before tensor 'a'"},
        {"{" F32("a", "[1]", "0", "4") "}", 8, "4 bytes behind the last tensor"},
        {"{" F32("a", "[1]", "0", "4") "}", 3,
         "ends at byte 4, but the data has 3 bytes"},
        {"{" F32("a", "[1]", "4", "0") "}", 8, "ends before it begins"},
        {"{" F32("a", "[2]", "0", "4") "}", 4, "needs 8 bytes, but has 4"},
        {"{" F32("a", "[4611686018427387904,4]", "0", "4") "}", 4, "too large"},
        {"{" F32("a", "[9223372036854775808]", "0", "4") "}", 4,
         "the number is too large"},
        {"{" F32("a", "[1]", "0", "18446744073709551620") "}", 4,
         "the number is too large"},
        {"{" F32("a", "[-1]", "0", "4") "}", 4, "whole number that is not negative"},
        {"{" F32("a", "[1.0]", "0", "4") "}", 4, "whole number"},
        {"{" F32("a", "[1e0]", "0", "4") "}", 4, "whole number"},
        {"{" F32("a", "[01]", "0", "4") "}", 4, "leading zero"},
        {"{" F32("a", "[1,]", "0", "4") "}", 4, "whole number"},
        {"{" F32("a", "[[1]]", "0", "4") "}", 4, "whole number"},
        {"{" F32("a",
                 "[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]",
                 "0", "4") "}",
         4, "more than 32 axes"},
        {"{\"a\":{\"dtype\":\"F6_E2M3\",\"shape\":[1],\"data_offsets\":[0,1]}}", 1,
         "dtype 'F6_E2M3'"},
        {"{\"a\":{\"dtype\":\"f32\",\"shape\":[1],\"data_offsets\":[0,4]}}", 4,
         "dtype 'f32'"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1]}}", 4, "has no 'data_offsets'"},
        {"{\"a\":{\"dtype\":\"F32\",\"dtype\":\"F32\",\"shape\":[1]}}", 4,
         "'dtype' twice"},
        {"{\"a\":{\"dtype\":\"F32\",\"size\":[1]}}", 4, "unknown key 'size'"},
        {"{\"a\":3}", 0, "expected '{', found '3'"},
        {"{\"a\":{}}", 0, "expected a string"},
        {"{\"__metadata__\":{\"a\":1}}", 0, "expected a string, found '1'"},
        {"{\"__metadata__\":{\"a\":{}}}", 0, "expected a string"},
        {"{\"__metadata__\":{\"a\":\"1\",\"a\":\"2\"}}", 0, "metadata has 'a' twice"},
        {"{\"__metadata__\":{},\"__metadata__\":{}}", 0, "'__metadata__' is there twice"},
        {"{\"__metadata__\":{\"a\":\"\\u0000\"}}", 0, "a zero character"},
        {"{\"__metadata__\":{\"a\":\"\\ud800\"}}", 0, "surrogate"},
        {"{\"__metadata__\":{\"a\":\"\\ud800\\u0041\"}}", 0, "surrogate"},
        {"{\"__metadata__\":{\"a\":\"\\udc00\"}}", 0, "surrogate"},
        {"{\"__metadata__\":{\"a\":\"\\q\"}}", 0, "unknown escape"},
        {"{\"__metadata__\":{\"a\":\"\\u12g4\"}}", 0, "four hexadecimal digits"},
        {"{\"__metadata__\":{\"a\":\"\n\"}}", 0, "control byte"},
        {"{\"__metadata__\":{\"a\":\"\xff\"}}", 0, "not UTF-8"},
        {"{\"__metadata__\":{\"a\":\"\xed\xa0\x80\"}}", 0, "not UTF-8"},
        {"{\"__metadata__\":{\"a\":\"", 0, "ends inside a string"},
        {"{\"__metadata__\":{\"a\":\"\\", 0, "ends inside a string"},
        {"{\"__metadata__\":{\"a\":\"\\u00", 0, "ends inside a string"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_refused(cases[i].header, cases[i].size, cases[i].why);
}

TEST(a_safetensors_header_of_a_wrong_size_is_refused)
{
    static const struct {
        uint64_t size;
        const char *why;
    } cases[] = {
        {3, "the header has 3 bytes, but the file ends after 2"},
        {100000001, "its size is given as 100000001 bytes"},
        {UINT64_MAX >> 8, "its size is given as"},
        {0, "does not begin with '{'"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Bytes b = st("{}", NULL, 0);
        char *why;

        memcpy(b.v, &cases[i].size, 8);
        why = refusal(b);
        CHECK_HAS(why, cases[i].why);
        free(why);
    }
}

TEST(a_bool_that_is_neither_0_nor_1_is_refused)
{
    char *why = refusal(st(
        "{\"a\":{\"dtype\":\"BOOL\",\"shape\":[2],\"data_offsets\":[0,2]}}", "\1\2", 2));

    CHECK_HAS(why, "tensor 'a' has dtype BOOL and a byte that is not 0 or 1");
    free(why);
}

TEST(tensors_that_are_not_aligned_are_copied)
{
    Bytes b = st("{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]},"
                 "\"b\":{\"dtype\":\"F64\",\"shape\":[1],\"data_offsets\":[1,9]}} ",
                 "\7\0\0\0\0\0\0\xf8\x3f", 9);
    wf_ctx *cx = wf_ctx_new(NULL);
    wf_model *m;

    REQUIRE(wf_model_parse(cx, "x", b.v, b.n, &m) == WF_OK);
    CHECK_EQ_INT((uintptr_t)wf_array_data(wf_model_tensor(m, 1)) % 8, 0);
    CHECK_NEAR(*(double *)wf_array_data(wf_model_tensor(m, 1)), 1.5, 0);
    wf_model_free(m);
    wf_ctx_free(cx);
    free(b.v);
}

TEST(a_tensor_outlives_its_model)
{
    wf_ctx *cx = wf_ctx_new(NULL);
    wf_model *m;
    wf_array *a;
    Bytes b = st("{" F32("a", "[1]", "0", "4") "}", "\0\0\xc0\x3f", 4);

    write_file(path_of("life.safetensors"), b.v, b.n);
    free(b.v);
    REQUIRE(wf_model_load(cx, path_of("life.safetensors"), &m) == WF_OK);
    a = wf_array_retain(wf_model_tensor(m, 0));
    wf_model_free(m);
    wf_ctx_free(cx);
    CHECK_NEAR(*(float *)wf_array_data(a), 1.5, 0);
    wf_array_release(a);
}

/* ---- .weft
 * ---------------------------------------------------------------------------- */

/* A model of two methods with sub-programs, large and small constants, tensors and
 * metadata. */
static wf_model *sample(wf_ctx *cx)
{
    static char text[40000];
    wf_model *m = NULL;
    wf_array *a;
    size_t n;

    strcpy(text, "forward(x: f32[N,20]) {\n  w = const f32[20,20] [");
    for (int i = 0; i < 400; i++)
        snprintf(text + strlen(text), 32, "%s%d.5", i ? ", " : "", i);
    strcat(text, "]\n  u = const f32[400] [");
    for (int i = 0; i < 400; i++)
        snprintf(text + strlen(text), 32, "%s%d.5", i ? ", " : "", i);
    strcat(text, "]\n  s = const f32[3] [1, nan, bits(0x7fc00001)]\n  y = dot x w\n"
                 "  z = call y body=\"odd one\"\n  ret z, u, s\n}\n"
                 "\"odd one\"(v: f32[M,20]) {\n  r = tanh v\n  ret r\n}\n"
                 "größe(x: f32[N]) {\n  i = nonzero x as=K\n  ret i\n}\n");
    n = strlen(text);
    if (wf_model_parse(cx, "sample.wir", text, n, &m) != WF_OK)
        return NULL;
    if (wf_array_parse(cx, "[[1, 2], [3, 4]]", WF_F32, 0, &a) == WF_OK) {
        wf_model_set_tensor(cx, m, "layer.w", a);
        wf_array_release(a);
    }
    if (wf_array_parse(cx, "[1, 2, 3]", WF_U8, 0, &a) == WF_OK) {
        wf_model_set_tensor(cx, m, "bytes \"quoted\"", a);
        wf_array_release(a);
    }
    wf_model_set_meta(cx, m, "author", "some \"one\"\n\t\x01 größe");
    if (wf_ctx_status(cx) == WF_OK)
        return m;
    wf_model_free(m);
    return NULL;
}

static char *text_of(wf_ctx *cx, const wf_program *p)
{
    const char *text;

    return strdup(wf_program_text(cx, p, WF_TEXT_PLACES, &text) == WF_OK
                      ? text
                      : wf_ctx_message(cx));
}

static void check_same(wf_ctx *cx, const wf_model *m, const wf_model *n)
{
    CHECK_EQ_INT(wf_model_programs(m), wf_model_programs(n));
    for (int i = 0; i < wf_model_programs(m); i++) {
        const wf_program *p = wf_model_program(m, i), *q = wf_model_program(n, i);

        REQUIRE(q);
        CHECK_STR(wf_program_name(p), wf_program_name(q));
        CHECK(wf_program_equal(p, q));
        CHECK(wf_program_verify(cx, q) == WF_OK);
    }
    CHECK_EQ_INT(wf_model_tensors(m), wf_model_tensors(n));
    for (int i = 0; i < wf_model_tensors(m); i++) {
        const char *a;
        char *copy;

        CHECK_STR(wf_model_tensor_name(m, i), wf_model_tensor_name(n, i));
        CHECK(wf_array_text(cx, wf_model_tensor(m, i), &a) == WF_OK);
        copy = strdup(a);
        CHECK(wf_array_text(cx, wf_model_tensor(n, i), &a) == WF_OK);
        CHECK_STR(a, copy);
        free(copy);
    }
    CHECK_STR(wf_model_meta(m, "author"), wf_model_meta(n, "author"));
}

TEST(a_model_is_what_it_was_after_saving_and_opening)
{
    wf_ctx *cx = wf_ctx_new(NULL);
    wf_model *m = sample(cx), *n = NULL;
    char *a, *b;
    Bytes x, y;

    REQUIRE(m);
    CHECK(wf_model_save(cx, m, path_of("m.weft")) == WF_OK);
    REQUIRE(wf_model_load(cx, path_of("m.weft"), &n) == WF_OK);
    check_same(cx, m, n);
    a = text_of(cx, wf_model_find(m, "größe"));
    b = text_of(cx, wf_model_find(n, "größe"));
    CHECK_HAS(a, "@sample.wir:");
    CHECK_STR(a, b);
    free(a), free(b);

    /* and again: over the file it is mapped from */
    x = read_file(path_of("m.weft"));
    CHECK(wf_model_save(cx, n, path_of("m.weft")) == WF_OK);
    check_same(cx, m, n);
    y = read_file(path_of("m.weft"));
    CHECK_EQ_INT(x.n, y.n);
    CHECK(memcmp(x.v, y.v, x.n) == 0);
    free(x.v), free(y.v);
    wf_model_free(m);
    wf_model_free(n);
    wf_ctx_free(cx);
}

TEST(large_constants_are_tensors_of_the_file_each_once)
{
    wf_ctx *cx = wf_ctx_new(NULL);
    wf_model *m = sample(cx);
    Bytes b;

    REQUIRE(m && wf_model_save(cx, m, path_of("c.weft")) == WF_OK);
    b = read_file(path_of("c.weft"));
    b.v[b.n < (1 << 20) ? b.n : b.n - 1] = '\0';
    CHECK_HAS(b.v + 8, "\"weft.const.0\":{\"dtype\":\"F32\",\"shape\":[20,20],\"data_"
                       "offsets\":[0,1600]}");
    CHECK_HAS(b.v + 8, "const f32[20,20] tensor(\\\"weft.const.0\\\")");
    CHECK_HAS(
        b.v + 8,
        "const f32[400] tensor(\\\"weft.const.0\\\")"); /* equal bytes are one tensor */
    CHECK(strstr(b.v + 8, "weft.const.1") == NULL);
    CHECK_HAS(b.v + 8, "const f32[3] [1, nan, bits(0x7fc00001)]");
    CHECK_HAS(b.v + 8, "\"weft.ops\":\"const=1,tanh=1,nonzero=1,dot_general=1,call=1\"");
    CHECK_EQ_INT(*(uint64_t *)(void *)b.v % 64, 56); /* the data is aligned */
    free(b.v);
    wf_model_free(m);
    wf_ctx_free(cx);
}

TEST(sub_programs_are_not_methods)
{
    wf_ctx *cx = wf_ctx_new(NULL);
    wf_model *m = sample(cx), *n, *o;

    REQUIRE(m && wf_model_new(cx, &n) == WF_OK);
    CHECK(wf_model_add(cx, n, wf_model_find(m, "forward")) == WF_OK);
    CHECK(wf_model_save(cx, n, path_of("one.weft")) == WF_OK);
    REQUIRE(wf_model_load(cx, path_of("one.weft"), &o) == WF_OK);
    CHECK_EQ_INT(wf_model_programs(o), 1);
    CHECK(wf_model_find(o, "odd one") == NULL);
    CHECK(wf_program_equal(wf_model_program(o, 0), wf_model_find(m, "forward")));
    wf_model_free(m);
    wf_model_free(n);
    wf_model_free(o);
    wf_ctx_free(cx);
}

TEST(a_constant_that_is_a_tensor_of_the_model_is_stored_once)
{
    static const char header[] =
        "{\"__metadata__\":{\"weft.format\":\"1\",\"weft.programs\":\"f() {\\n a = const "
        "f32[300] tensor(\\\"w\\\")\\n"
        " ret "
        "a\\n}\\n\"},\"w\":{\"dtype\":\"F32\",\"shape\":[3,100],\"data_offsets\":[0,1200]"
        "}}";
    char data[1200];
    wf_ctx *cx = wf_ctx_new(NULL);
    wf_array *zeros;
    wf_model *m, *n;
    Bytes b;

    memset(data, 7, sizeof data);
    b = st(header, data, sizeof data);
    REQUIRE(wf_model_parse(cx, "x.weft", b.v, b.n, &m) == WF_OK);
    free(b.v);
    CHECK_EQ_INT(wf_model_tensors(m), 1);
    CHECK(wf_model_save(cx, m, path_of("t.weft")) == WF_OK);
    b = read_file(path_of("t.weft"));
    CHECK_HAS(b.v + 8, "tensor(\\\"w\\\")");
    CHECK(b.n < 1200 + 700);
    free(b.v);

    /* when the tensor is another one, the constant stays what it was */
    REQUIRE(wf_array_parse(cx, "zeros:f32[3,100]", WF_INVALID, 0, &zeros) == WF_OK);
    CHECK(wf_model_set_tensor(cx, m, "w", zeros) == WF_OK);
    CHECK(wf_model_save(cx, m, path_of("t.weft")) == WF_OK);
    REQUIRE(wf_model_load(cx, path_of("t.weft"), &n) == WF_OK);
    CHECK_EQ_INT(wf_model_tensors(n), 1);
    CHECK(wf_program_equal(wf_model_program(m, 0), wf_model_program(n, 0)));
    CHECK_NEAR(*(float *)wf_array_data(wf_model_find_tensor(n, "w")), 0, 0);
    wf_array_release(zeros);
    wf_model_free(m);
    wf_model_free(n);
    wf_ctx_free(cx);
}

TEST(files_of_the_future_are_refused_by_name)
{
#define META(keys) "{\"__metadata__\":{\"weft.format\":\"1\"," keys "}}"
#define F          "\"weft.programs\":\"f(x: f32[]) {\\n y = exp x\\n ret y\\n}\""
    check_refused("{\"__metadata__\":{\"weft.format\":\"2\"}}", 0,
                  "a file of format '2'; Weft " WF_VERSION " reads format 1");
    check_refused(META("\"weft.ops\":\"exp=1\"," F), 0, NULL);
    check_refused(META(F), 0, NULL);
    check_refused(META("\"weft.ops\":\"exp=2\"," F), 0,
                  "the file needs version 2 of op 'exp', Weft " WF_VERSION
                  " has version 1");
    check_refused(META("\"weft.ops\":\"exp=1,einsum=1\"," F), 0,
                  "the file needs op 'einsum', which Weft " WF_VERSION " does not have");
    check_refused(META("\"weft.ops\":\"exp\"," F), 0, "not a list such as add=1,mul=1");
    check_refused(META("\"weft.ops\":\"exp=0\"," F), 0, "not a list");
    check_refused(META("\"weft.ops\":\"exp=1;\"," F), 0, "not a list");
    check_refused(META("\"weft.methods\":\"[\\\"g\\\"]\"," F), 0,
                  "names 'g', which is no program of the file");
    check_refused(META("\"weft.methods\":\"[\"," F), 0, "expected a string");
    check_refused(META("\"weft.methods\":\"[]x\"," F), 0, "expected the end");
    check_refused(META("\"weft.programs\":\"f(x: f32[]) {\\n y = xep x\\n ret y\\n}\""),
                  0, "x.weft:2:6: name error");
}

TEST(a_constant_refers_to_a_tensor_of_its_dtype_and_size)
{
#define TENSOR "\"a\":{\"dtype\":\"F32\",\"shape\":[6],\"data_offsets\":[0,24]}"
    static const struct {
        const char *type, *why;
    } cases[] = {{"f32[6]", NULL},
                 {"f32[2,3]", NULL},
                 {"f32[5]", "there is no tensor \"a\" of type f32[5]"},
                 {"i32[6]", "there is no tensor \"a\" of type i32[6]"},
                 {"f32[N]", "there is no tensor \"a\" of type f32[N]"}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char header[512];

        snprintf(header, sizeof header,
                 "{\"__metadata__\":{\"weft.format\":\"1\",\"weft.programs\":\"f(x: "
                 "f32[N]) {\\n y = const %s "
                 "tensor(\\\"a\\\")\\n ret y\\n}\"}," TENSOR "}",
                 cases[i].type);
        check_refused(header, 24, cases[i].why);
    }
}

TEST(other_files_are_told_apart)
{
    static const struct {
        const char *bytes;
        size_t n;
        const char *why;
    } cases[] = {
        {"\x93NUMPY\x01", 8, "a .npy array, not programs or tensors by name"},
        {"PK\3\4\0\0\0\0\0", 9, "a zip archive"},
        {"\0", 1, "no safetensors header: 1 bytes"},
        {"f(", 2, "syntax error"},
        {"\xff\xfe\xfd\xfc", 4, "bytes that are not UTF-8"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Bytes b = {malloc(cases[i].n), cases[i].n};
        char *why;

        memcpy(b.v, cases[i].bytes, b.n);
        why = refusal(b);
        CHECK_HAS(why, cases[i].why);
        free(why);
    }
}

TEST(every_cut_of_a_model_is_refused_and_every_changed_byte_survived)
{
    wf_ctx *cx = wf_ctx_new(NULL);
    wf_model *m = sample(cx);
    Bytes b;

    REQUIRE(m && wf_model_save(cx, m, path_of("cut.weft")) == WF_OK);
    wf_model_free(m);
    wf_ctx_free(cx);
    b = read_file(path_of("cut.weft"));
    for (size_t n = 1; n < b.n; n += n < 200 ? 1 : 13) {
        Bytes cut = {malloc(n), n};
        char *why;

        memcpy(cut.v, b.v, n);
        why = refusal(cut);
        if (!why)
            FAIL("%zu of %zu bytes are accepted", n, b.n);
        free(why);
    }
    for (size_t i = 0; i < b.n && i < 3000; i += 3) {
        Bytes bad = {malloc(b.n), b.n};

        memcpy(bad.v, b.v, b.n);
        bad.v[i] = (char)(bad.v[i] ^ (1 << test_random_below(8)));
        free(refusal(bad));
    }
    free(b.v);
}

/* ---- writing
 * -------------------------------------------------------------------------- */

TEST(a_failed_save_leaves_the_old_file_and_nothing_else)
{
    wf_ctx *cx = wf_ctx_new(NULL);
    wf_model *m = sample(cx);
    const char *target = path_of("keep.weft");
    struct stat st_;
    int before;

    REQUIRE(m);
    CHECK_EQ_INT(wf_model_save(cx, m, "/dev/full"), WF_ERR_IO);
    CHECK_HAS(wf_ctx_message(cx),
              "/dev/full: input/output error: cannot write: No space left on device");
    wf_clear(cx);
    CHECK_EQ_INT(wf_model_save(cx, m, path_of("no/such/folder.weft")), WF_ERR_IO);
    CHECK_HAS(wf_ctx_message(cx),
              "cannot create a file beside it: No such file or directory");
    wf_clear(cx);
    CHECK_EQ_INT(wf_model_save(cx, m, path_of("")), WF_ERR_IO);
    CHECK_HAS(wf_ctx_message(cx), "Is a directory");
    wf_clear(cx);
    write_file(target, "old", 3);
    CHECK(chmod(target, 0640) == 0);
    before = files_in_folder();
    CHECK(wf_model_save(cx, m, target) == WF_OK);
    CHECK_EQ_INT(files_in_folder(), before); /* no temporary file is left */
    CHECK(stat(target, &st_) == 0 && (st_.st_mode & 0777) == 0640 && st_.st_size > 3);
    wf_model_free(m);
    wf_ctx_free(cx);
}

TEST(saving_through_a_link_replaces_what_it_points_to)
{
    wf_ctx *cx = wf_ctx_new(NULL);
    wf_model *m = sample(cx), *n = NULL;
    struct stat s;

    REQUIRE(m);
    write_file(path_of("real.weft"), "old", 3);
    CHECK(symlink("real.weft", path_of("link.weft")) == 0);
    CHECK(wf_model_save(cx, m, path_of("link.weft")) == WF_OK);
    CHECK(lstat(path_of("link.weft"), &s) == 0 && S_ISLNK(s.st_mode));
    CHECK(wf_model_load(cx, path_of("real.weft"), &n) == WF_OK);
    wf_model_free(m);
    wf_model_free(n);
    wf_ctx_free(cx);
}

TEST(text_files_hold_programs_only)
{
    wf_ctx *cx = wf_ctx_new(NULL);
    wf_model *m = sample(cx), *n, *o;

    REQUIRE(m);
    CHECK_EQ_INT(wf_model_save(cx, m, path_of("m.wir")), WF_ERR_VALUE);
    CHECK_HAS(
        wf_ctx_message(cx),
        "a text file holds programs only, but the model has 2 tensors; save it as .weft");
    CHECK(!exists(path_of("m.wir")));
    wf_clear(cx);
    REQUIRE(wf_model_new(cx, &n) == WF_OK);
    for (int i = 0; i < wf_model_programs(m); i++)
        CHECK(wf_model_add(cx, n, wf_model_program(m, i)) == WF_OK);
    CHECK(wf_model_save(cx, n, path_of("m.wir")) == WF_OK);
    REQUIRE(wf_model_load(cx, path_of("m.wir"), &o) == WF_OK);
    CHECK_EQ_INT(wf_model_programs(o), 3);
    CHECK(wf_program_equal(wf_model_find(o, "forward"), wf_model_find(m, "forward")));
    wf_model_free(m);
    wf_model_free(n);
    wf_model_free(o);
    wf_ctx_free(cx);
}

TEST(a_model_made_from_nothing_saves_and_opens)
{
    wf_ctx *cx = wf_ctx_new(NULL);
    wf_model *m, *n;

    REQUIRE(wf_model_new(cx, &m) == WF_OK);
    CHECK(wf_model_save(cx, m, path_of("empty.weft")) == WF_OK);
    REQUIRE(wf_model_load(cx, path_of("empty.weft"), &n) == WF_OK);
    CHECK_EQ_INT(wf_model_programs(n) + wf_model_tensors(n), 0);
    wf_model_free(m);
    wf_model_free(n);
    wf_ctx_free(cx);
}

TEST(a_device_is_not_a_model)
{
    wf_ctx *cx = wf_ctx_new(NULL);
    wf_model *m;

    CHECK(wf_model_load(cx, "/dev/zero", &m) == WF_ERR_IO);
    CHECK(m == NULL && strstr(wf_ctx_message(cx), "it is a device") != NULL);
    wf_ctx_free(cx);
}

TEST(writing_into_a_tensor_of_a_file_leaves_the_file)
{
    wf_ctx *cx = wf_ctx_new(NULL);
    wf_array *a;
    wf_model *m;

    REQUIRE(wf_array_parse(cx, "[1, 2]", WF_F32, 0, &a) == WF_OK);
    REQUIRE(wf_model_new(cx, &m) == WF_OK);
    CHECK(wf_model_set_tensor(cx, m, "w", a) == WF_OK);
    CHECK(wf_model_save(cx, m, path_of("cow.weft")) == WF_OK);
    wf_model_free(m);
    wf_array_release(a);
    for (int i = 0; i < 2; i++) { /* the second sees what the first left */
        wf_tensor t;

        REQUIRE(wf_model_load(cx, path_of("cow.weft"), &m) == WF_OK);
        t = wf_from_array(cx, wf_model_find_tensor(m, "w"));
        CHECK(wf_item(cx, wf_sum(cx, t, NULL, 0, false)) == 3);
        CHECK(wf_fill_in(cx, t, 7) == WF_OK);
        CHECK(wf_item(cx, wf_sum(cx, t, NULL, 0, false)) == 14);
        wf_model_free(m);
    }
    wf_ctx_free(cx);
}

TEST(names_replace_and_reserved_or_broken_ones_are_refused)
{
    wf_ctx *cx = wf_ctx_new(NULL);
    wf_array *a, *b;
    wf_model *m, *n = (wf_model *)8;

    REQUIRE(wf_model_new(cx, &m) == WF_OK);
    REQUIRE(wf_array_parse(cx, "1", WF_F32, 0, &a) == WF_OK &&
            wf_array_parse(cx, "2", WF_F32, 0, &b) == WF_OK);
    for (int i = 0; i < 100; i++) { /* the table grows */
        char name[16];

        snprintf(name, sizeof name, "t%d", i);
        CHECK(wf_model_set_tensor(cx, m, name, a) == WF_OK);
    }
    CHECK(wf_model_set_tensor(cx, m, "t50", b) == WF_OK);
    CHECK_EQ_INT(wf_model_tensors(m), 100);
    CHECK(wf_model_find_tensor(m, "t50") == b && wf_model_find_tensor(m, "t51") == a);
    CHECK(wf_model_set_meta(cx, m, "k", "1") == WF_OK &&
          wf_model_set_meta(cx, m, "k", "22") == WF_OK);
    CHECK_STR(wf_model_meta(m, "k"), "22");
    CHECK_EQ_INT(wf_model_set_tensor(cx, m, "weft.const.0", a), WF_ERR_NAME);
    wf_clear(cx);
    CHECK_EQ_INT(wf_model_set_tensor(cx, m, "__metadata__", a), WF_ERR_NAME);
    wf_clear(cx);
    CHECK_EQ_INT(wf_model_set_meta(cx, m, "weft.format", "2"), WF_ERR_NAME);
    wf_clear(cx);
    CHECK_EQ_INT(wf_model_set_meta(cx, m, "k", "\xff"), WF_ERR_VALUE);
    CHECK_HAS(wf_ctx_message(cx), "the value is not UTF-8");
    wf_clear(cx);
    CHECK_EQ_INT(wf_model_set_tensor(cx, m, "\xff", a), WF_ERR_VALUE);
    wf_clear(cx);
    CHECK_EQ_INT(wf_model_set_tensor(cx, m, NULL, a), WF_ERR_ARG);
    wf_clear(cx);
    CHECK_EQ_INT(wf_model_load(cx, "/nowhere/x", &n), WF_ERR_IO);
    CHECK(n == NULL);
    wf_model_free(m);
    wf_array_release(a);
    wf_array_release(b);
    wf_ctx_free(cx);
}

static void save_and_open(wf_allocator al, void *user)
{
    wf_options o = {.size = sizeof o, .allocator = al};
    wf_ctx *cx = wf_ctx_new(&o);
    const char *path = user, *text;
    wf_model *m, *n = NULL;
    wf_array *a = NULL;

    if (!cx)
        return;
    m = sample(cx);
    if (m && wf_model_save(cx, m, path) == WF_OK &&
        wf_model_load(cx, path, &n) == WF_OK &&
        wf_npy_save(cx, path_of("oom.npy"), wf_model_tensor(n, 0)) == WF_OK &&
        wf_npy_load(cx, path_of("oom.npy"), &a) == WF_OK &&
        wf_array_text(cx, a, &text) == WF_OK) {
        CHECK_STR(text, "f32[2,2] [[1, 2], [3, 4]]");
        CHECK_EQ_INT(wf_model_programs(n), 3);
    } else {
        CHECK_EQ_INT(wf_ctx_status(cx), WF_ERR_MEMORY);
    }
    wf_array_release(a);
    wf_model_free(m);
    wf_model_free(n);
    wf_ctx_free(cx);
}

/* A process that has ended: no writer has its number. */
static long dead_process(void)
{
    pid_t pid = fork();

    if (pid == 0)
        _exit(0);
    waitpid(pid, NULL, 0);
    return (long)pid;
}

TEST(a_save_removes_what_killed_ones_have_left)
{
    wf_ctx *cx = wf_ctx_new(NULL);
    wf_model *m;
    char name[7][64], path[PATH_MAX];
    bool stays[7] = {false, false, true, true, true, true, true};
    long dead = dead_process();

    snprintf(name[0], sizeof name[0], ".kept.weft.%ld.0~", dead);
    snprintf(name[1], sizeof name[1], ".kept.weft.%ld.12~", dead);
    snprintf(name[2], sizeof name[2], ".kept.weft.%ld.0~", (long)getppid()); /* alive */
    snprintf(name[3], sizeof name[3], ".other.weft.%ld.0~", dead); /* of another file */
    snprintf(name[4], sizeof name[4], ".kept.weft.%ld.x~",
             dead); /* no such names are made */
    snprintf(name[5], sizeof name[5], ".kept.weft.%ld.0", dead);
    snprintf(name[6], sizeof name[6], ".kept.weft.more.%ld.0~", dead);
    for (int i = 0; i < 7; i++)
        write_file(path_of(name[i]), "half", 4);
    REQUIRE(wf_model_new(cx, &m) == WF_OK);
    CHECK(wf_model_save(cx, m, path_of("kept.weft")) == WF_OK);
    for (int i = 0; i < 7; i++) {
        snprintf(path, sizeof path, "%s", path_of(name[i]));
        CHECK_EQ_INT(access(path, F_OK) == 0, stays[i]);
        unlink(path);
    }
    wf_model_free(m);
    wf_ctx_free(cx);
}

TEST(a_model_read_into_memory_outlives_its_file)
{
    wf_ctx *cx = wf_ctx_new(NULL);
    wf_model *m;
    wf_array *a;
    const char *path = path_of("short.weft");

    REQUIRE(wf_model_new(cx, &m) == WF_OK);
    REQUIRE(wf_array_parse(cx, "iota:f32[100000]", WF_INVALID, 0, &a) == WF_OK);
    wf_model_set_tensor(cx, m, "a", a);
    wf_array_release(a);
    REQUIRE(wf_model_save(cx, m, path) == WF_OK);
    wf_model_free(m);
    REQUIRE(wf_model_load_copy(cx, path, &m) == WF_OK);
    REQUIRE(truncate(path, 10) ==
            0); /* a mapped one would end the process at the next read */
    a = wf_model_find_tensor(m, "a");
    CHECK(a && ((const float *)wf_array_data(a))[99999] == 99999);
    wf_model_free(m);
    wf_ctx_free(cx);
}

TEST(every_allocation_may_fail)
{
    char path[128];
    int before;

    strcpy(path, path_of("oom.weft"));
    write_file(path, "x", 1);
    write_file(path_of("oom.npy"), "x", 1);
    before = files_in_folder();
    CHECK(fault_each(save_and_open, path) > 50);
    CHECK_EQ_INT(files_in_folder(), before);
}
