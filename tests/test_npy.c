/* test_npy.c -- .npy files: what is written is read, and what is wrong is refused with a reason. */
#include "lib_files.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The text of the array in the bytes, or the message; malloc'ed. */
static char *load_npy(Bytes b)
{
    wf_ctx *cx = wf_ctx_new(NULL);
    wf_array *a = NULL;
    const char *text = NULL, *path = path_of("in.npy");
    char *copy;

    write_file(path, b.v, b.n);
    if (wf_npy_load(cx, path, &a) == WF_OK)
        wf_array_text(cx, a, &text);
    copy = strdup(text ? text : wf_ctx_message(cx));
    wf_array_release(a);
    wf_ctx_free(cx);
    free(b.v);
    return copy;
}

static void check_npy(int version, const char *header, const void *data, size_t size,
                      const char *want)
{
    char *got = load_npy(npy_file(version, header, data, size));

    CHECK_HAS(got, want);
    free(got);
}

TEST(npy_of_every_version_and_byte_order_is_read)
{
    static const float f[] = {1.5f, -2, 3};
    static const unsigned char big[] = {0x3f, 0xc0, 0, 0, 0xc0, 0, 0, 0};
    static const unsigned char big16[] = {0x01, 0x02, 0xff, 0xfe},
                               half[] = {0, 0x3e, 0, 0xc0};

    for (int v = 1; v <= 3; v++)
        check_npy(v, "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }\n", f, 12,
                  "f32[3] [1.5, -2, 3]");
    check_npy(1, "{'descr': '>f4', 'fortran_order': False, 'shape': (2,), }", big, 8,
              "f32[2] [1.5, -2]");
    check_npy(1, "{'descr': '>i2', 'fortran_order': False, 'shape': (2,)}", big16, 4,
              "i16[2] [258, -2]");
    check_npy(1, "{'descr': '<f2', 'fortran_order': False, 'shape': (2,)}", half, 4,
              "f16[2] [1.5, -2]");
    check_npy(1, "{'descr': '=f4', 'fortran_order': False, 'shape': (1, 3), }", f, 12,
              "f32[1,3] [[1.5, -2, 3]]");
    check_npy(1, "{'descr': '|b1', 'fortran_order': False, 'shape': (2,), }", "\0\1", 2,
              "bool[2] [false, true]");
    check_npy(1, "{'descr': '|u1', 'fortran_order': False, 'shape': (), }", "\xff", 1,
              "u8[] 255");
    check_npy(1, "{\"shape\": (0L, 2L), \"descr\": \"<i8\", \"fortran_order\": True}  ",
              "", 0, "i64[0,2] []");
}

TEST(npy_in_column_order_is_read)
{
    static const int32_t v[] = {1, 4, 2, 5, 3, 6};

    check_npy(1, "{'descr': '<i4', 'fortran_order': True, 'shape': (2, 3), }", v, 24,
              "i32[2,3] [[1, 2, 3], [4, 5, 6]]");
}

TEST(npy_is_written_as_numpy_does)
{
    static const char want[] =
        "\x93NUMPY\x01\x00v\x00{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1), "
        "}"
        "                                                          \n";
    wf_ctx *cx = wf_ctx_new(NULL);
    const char *path = path_of("out.npy");
    wf_array *a;
    Bytes b;

    REQUIRE(wf_array_parse(cx, "[[1.5], [2.5]]", WF_F32, 0, &a) == WF_OK);
    CHECK(wf_npy_save(cx, path, a) == WF_OK);
    b = read_file(path);
    CHECK_EQ_INT(b.n, 128 + 8);
    CHECK_EQ_INT(sizeof want - 1, 128);
    CHECK(memcmp(b.v, want, 128) == 0);
    CHECK(memcmp(b.v + 128, "\0\0\xc0\x3f\0\0\x20\x40", 8) == 0);
    free(b.v);
    wf_array_release(a);
    wf_ctx_free(cx);
}

TEST(npy_round_trips_every_dtype_that_numpy_has)
{
    wf_ctx *cx = wf_ctx_new(NULL);

    for (int t = WF_BOOL; t <= WF_C128; t++) {
        const char *path = path_of("trip.npy");
        wf_array *a, *b = NULL;
        char text[64];

        snprintf(text, sizeof text, "rand:%s[3,5]", wf_dtype_name((wf_dtype)t));
        REQUIRE(wf_array_parse(cx, text, WF_INVALID, 5, &a) == WF_OK);
        if (t == WF_BF16) {
            CHECK_EQ_INT(wf_npy_save(cx, path, a), WF_ERR_TYPE);
            CHECK_HAS(wf_ctx_message(cx), ".npy has no dtype bf16; cast to f32 first");
            wf_clear(cx);
        } else {
            CHECK(wf_npy_save(cx, path, a) == WF_OK &&
                  wf_npy_load(cx, path, &b) == WF_OK);
            REQUIRE(b);
            CHECK_EQ_INT(wf_array_dtype(b), t);
            CHECK(memcmp(wf_array_data(a), wf_array_data(b),
                         15 * wf_dtype_size((wf_dtype)t)) == 0);
        }
        wf_array_release(a);
        wf_array_release(b);
    }
    wf_ctx_free(cx);
}

TEST(hostile_npy_is_refused_with_a_reason)
{
    static const struct {
        const char *header, *why;
        size_t size;
    } cases[] = {
        {"{'descr': '<c4', 'fortran_order': False, 'shape': (1,), }",
         "dtype '<c4', which Weft does not hold", 8},
        {"{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", "dtype '|O'", 8},
        {"{'descr': '<U5', 'fortran_order': False, 'shape': (1,), }", "dtype '<U5'", 20},
        {"{'descr': '<f3', 'fortran_order': False, 'shape': (1,), }", "dtype '<f3'", 3},
        {"{'descr': '<f44', 'fortran_order': False, 'shape': (1,), }", "dtype '<f44'", 4},
        {"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }",
         "structures", 4},
        {"{'descr': '<f4', 'fortran_order': 1, 'shape': (1,), }",
         "neither True nor False", 4},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }", "not a size", 4},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (0x1,), }", "not a tuple", 4},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': 3, }", "not a tuple", 12},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2", "not a tuple", 8},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (9999999999999999999,), }",
         "too large", 4},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4), }",
         "too large", 4},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000000,), }",
         "needs 4000000000000 bytes", 4},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }",
         "needs 4 bytes, the file has 5", 5},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': "
         "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"
         "1,1,1,1,1,1), }",
         "more than 32 axes", 4},
        {"{'descr': '<f4', 'descr': '<f4', 'shape': (1,), }", "one twice", 4},
        {"{'descr': '<f4', 'fortran_order': False}", "lacks", 4},
        {"{'descr': '<f4', 'other': False}", "unknown key", 4},
        {"{'descr': '<f4", "ends inside a string", 4},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,), } x",
         "something follows", 4},
        {"", "not the dict", 4},
    };
    static const char zeros[32];

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_npy(1, cases[i].header, zeros, cases[i].size, cases[i].why);
    check_npy(4, "{}", zeros, 4, "version 4; 1 to 3 are known");
    check_npy(1, "{'descr': '|b1', 'fortran_order': False, 'shape': (1,), }", "\2", 1,
              "not 0 or 1");
}

TEST(every_cut_and_every_changed_byte_of_an_npy_is_survived)
{
    Bytes b = npy_file(1, "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 2), }\n",
                  "0123456789abcdef", 16);

    for (size_t n = 0; n < b.n; n++) {
        Bytes cut = {malloc(n + 1), n};
        char *got;

        memcpy(cut.v, b.v, n);
        got = load_npy(cut);
        CHECK_HAS(got, "format error");
        free(got);
    }
    for (size_t i = 0; i < b.n; i++) {
        Bytes bad = {malloc(b.n), b.n};

        memcpy(bad.v, b.v, b.n);
        bad.v[i] = (char)(bad.v[i] ^ (1 << test_random_below(8)));
        free(load_npy(bad));
    }
    free(b.v);
}
