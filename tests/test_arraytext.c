/* test_arraytext.c -- arrays as text and back, generated arrays, and what is wrong with a
 * text. */
#include "test.h"

#include <stdlib.h>
#include <string.h>

/* The text of what a text reads as; malloc'ed. After an error its message. */
static char *through(const char *text, wf_dtype dtype, uint64_t seed)
{
    wf_ctx *cx = wf_ctx_new(NULL);
    wf_array *a = NULL;
    const char *out = NULL;
    char *copy;

    if (wf_array_parse(cx, text, dtype, seed, &a) == WF_OK)
        wf_array_text(cx, a, &out);
    copy = strdup(out ? out : wf_ctx_message(cx));
    CHECK(!out == (a == NULL));
    wf_array_release(a);
    wf_ctx_free(cx);
    return copy;
}

static void check_text(const char *text, wf_dtype dtype, const char *want)
{
    char *got = through(text, dtype, 0), *again = through(got, WF_INVALID, 0);

    CHECK_STR(got, want);
    CHECK_STR(again, want); /* what is printed reads back */
    free(got);
    free(again);
}

static void check_error(const char *text, wf_dtype dtype, const char *want)
{
    char *got = through(text, dtype, 0);

    CHECK_HAS(got, want);
    free(got);
}

TEST(numbers_take_the_dtype_asked_for)
{
    check_text("1.5", WF_F32, "f32[] 1.5");
    check_text("0.1", WF_F64, "f64[] 0.1");
    check_text("0.1", WF_F16, "f16[] 0.1");
    check_text("3.14", WF_BF16, "bf16[] 3.14");
    check_text("[1+2j, -0.5j, 3, inf-infj]", WF_C64, "c64[4] [1+2j, 0-0.5j, 3+0j, inf-infj]");
    check_text("2.5e-3-0.1j", WF_C128, "c128[] 0.0025-0.1j");
    check_text("[1, 2j]", WF_INVALID, "c64[2] [1+0j, 0+2j]");
    check_text("-128", WF_I8, "i8[] -128");
    check_text("-32768", WF_I16, "i16[] -32768");
    check_text("2147483647", WF_I32, "i32[] 2147483647");
    check_text("-9223372036854775808", WF_I64, "i64[] -9223372036854775808");
    check_text("255", WF_U8, "u8[] 255");
    check_text("65535", WF_U16, "u16[] 65535");
    check_text("4294967295", WF_U32, "u32[] 4294967295");
    check_text("18446744073709551615", WF_U64, "u64[] 18446744073709551615");
    check_text("true", WF_BOOL, "bool[] true");
    check_text("[true, false]", WF_BOOL, "bool[2] [true, false]");
    check_text("[1, -2, 3]", WF_I8, "i8[3] [1, -2, 3]");
}

TEST(special_floats_read_back)
{
    check_text("[inf, -inf, nan, -0, 1e-45, 3.4028235e+38]", WF_F32,
               "f32[6] [inf, -inf, nan, -0, 1e-45, 3.4028235e+38]");
    check_text("[5e-324, 1.7976931348623157e+308]", WF_F64,
               "f64[2] [5e-324, 1.7976931348623157e+308]");
    check_text("-nan", WF_F32, "f32[] nan");
    check_text("bits(0x3fc00000)", WF_F32, "f32[] 1.5");
    check_text("1e400", WF_F64, "f64[] inf");
}

TEST(the_dtype_is_found_from_the_numbers)
{
    check_text("[1, 2]", WF_INVALID, "i64[2] [1, 2]");
    check_text("[1, 2.5]", WF_INVALID, "f32[2] [1, 2.5]");
    check_text("[true, false]", WF_INVALID, "bool[2] [true, false]");
    check_text("[]", WF_INVALID, "f32[0] []");
    check_text("1e3", WF_INVALID, "f32[] 1000");
}

TEST(lists_nest_as_the_shape)
{
    check_text(" [ [1,2,3] , [4,5,6] ] ", WF_F32, "f32[2,3] [[1, 2, 3], [4, 5, 6]]");
    check_text("[[[1],[2]],[[3],[4]]]", WF_I32, "i32[2,2,1] [[[1], [2]], [[3], [4]]]");
    check_text("[[],[]]", WF_F32, "f32[2,0] [[], []]");
    check_text("f32[0,3] []", WF_INVALID, "f32[0,3] []");
    check_text("f16[2] [1.5, 2.5]", WF_F64, "f16[2] [1.5, 2.5]");
    check_text("f32[1000000,1000000,0] []", WF_INVALID, "f32[1000000,1000000,0] []");
}

TEST(a_strided_array_prints_as_it_is_read)
{
    static float data[] = {1, 2, 3, 4, 5, 6};
    wf_ctx *cx = wf_ctx_new(NULL);
    wf_array *a;
    const char *text;

    REQUIRE(wf_array_wrap(cx, WF_F32, (int64_t[]){3, 2}, 2, (int64_t[]){1, 3}, data, NULL,
                          NULL, &a) == WF_OK);
    CHECK(wf_array_text(cx, a, &text) == WF_OK);
    CHECK_STR(text, "f32[3,2] [[1, 4], [2, 5], [3, 6]]");
    wf_array_release(a);
    REQUIRE(wf_array_wrap(cx, WF_F32, (int64_t[]){3}, 1, (int64_t[]){-2}, data + 5, NULL,
                          NULL, &a) == WF_OK);
    CHECK(wf_array_text(cx, a, &text) == WF_OK);
    CHECK_STR(text, "f32[3] [6, 4, 2]");
    wf_array_release(a);
    wf_ctx_free(cx);
}

TEST(arrays_are_generated)
{
    check_text("zeros:f32[2]", WF_INVALID, "f32[2] [0, 0]");
    check_text("ones:bf16[2,1]", WF_F32, "bf16[2,1] [[1], [1]]");
    check_text("ones:bool[2]", WF_INVALID, "bool[2] [true, true]");
    check_text("iota:f32[2,3]", WF_INVALID, "f32[2,3] [[0, 1, 2], [3, 4, 5]]");
    check_text("iota:u8[3]", WF_INVALID, "u8[3] [0, 1, 2]");
    check_text("ones:i64", WF_INVALID, "i64[] 1");
    check_text("rand:f32[0]", WF_INVALID, "f32[0] []");
}

TEST(random_arrays_depend_on_the_seed_only_and_are_in_range)
{
    static const char *const types[] = {"f16", "bf16", "f32", "f64", "i8", "u64", "bool"};

    for (int t = 0; t < 7; t++) {
        char text[64], *a, *b, *c;
        wf_ctx *cx = wf_ctx_new(NULL);
        wf_array *x = NULL;

        strcpy(text, "rand:");
        strcat(strcat(text, types[t]), "[4000]");
        a = through(text, WF_INVALID, 1);
        b = through(text, WF_INVALID, 1);
        c = through(text, WF_INVALID, 2);
        CHECK_STR(a, b);
        CHECK(strcmp(a, c) != 0);
        CHECK(strstr(a, "-") ==
              NULL); /* nothing negative but exponents, which 4000 small ones may have */
        free(a), free(b), free(c);
        REQUIRE(wf_array_parse(cx, text, WF_INVALID, 3, &x) == WF_OK);
        if (wf_array_dtype(x) == WF_F32) {
            const float *v = wf_array_data(x);
            double sum = 0;

            for (int i = 0; i < 4000; i++) {
                CHECK(v[i] >= 0 && v[i] < 1);
                sum += (double)v[i];
            }
            CHECK_NEAR(sum / 4000, 0.5, 0.03);
        }
        wf_array_release(x);
        wf_ctx_free(cx);
    }
}

TEST(normal_numbers_have_mean_0_and_variance_1)
{
    wf_ctx *cx = wf_ctx_new(NULL);
    wf_array *x;
    double sum = 0, squares = 0;

    REQUIRE(wf_array_parse(cx, "randn:f64[20000]", WF_INVALID, 7, &x) == WF_OK);
    for (int i = 0; i < 20000; i++) {
        double v = ((const double *)wf_array_data(x))[i];

        sum += v;
        squares += v * v;
    }
    CHECK_NEAR(sum / 20000, 0, 0.03);
    CHECK_NEAR(squares / 20000, 1, 0.05);
    wf_array_release(x);
    wf_ctx_free(cx);
}

TEST(wrong_texts_say_what_is_wrong_and_where)
{
    check_error("", WF_F32, "<array>:1:1: syntax error: expected a number or a list");
    check_error("abc", WF_F32, "expected a number, a list, FILE.npy, or zeros:");
    check_error("[1, 2", WF_F32, "expected ',' or ']'\n    [1, 2\n         ^");
    check_error("[1 2]", WF_F32, "expected ',' or ']'");
    check_error("[1,]", WF_F32, "expected a number or a list");
    check_error("[1] 2", WF_F32, "expected the end");
    check_error("[[1, 2], [3]]", WF_F32,
                "shape error: a list of 1 items beside one of 2");
    check_error("[[1], 2]", WF_F32, "a number where other lists have lists");
    check_error("[1, [2]]", WF_F32, "a list where other lists have numbers");
    check_error("[[], 1]", WF_F32, "numbers at different depths");
    check_error("300", WF_U8, "value error: 300 does not fit u8");
    check_error("-1", WF_U64, "-1 does not fit u64");
    check_error("9223372036854775808", WF_I64, "9223372036854775808 does not fit i64");
    check_error("1.5", WF_I32, "'1.5' is not a number of dtype i32");
    check_error("1x", WF_F32, "'1x' is not a number of dtype f32");
    check_error("1", WF_BOOL, "expected true or false, found '1'");
    check_error("[true, 1]", WF_INVALID, "expected true or false, found '1'");
    check_error("bits(0x1ffffffff)", WF_F32, "is not a number");
    check_error("f32[2] [1]", WF_INVALID, "does not have the shape of the type");
    check_error("f32[2,2] [1, 2, 3, 4]", WF_INVALID,
                "does not have the shape of the type");
    check_error("rand:f33[2]", WF_INVALID,
                "expected a type such as f32[8,64], found 'f33'");
    check_error("rand:f32[N]", WF_INVALID,
                "expected a size, a number that is not negative");
    check_error("rand:f32[-1]", WF_INVALID,
                "expected a size, a number that is not negative");
    check_error("rand:f32[2", WF_INVALID, "expected ']'");
    check_error("rand:f32[2]x", WF_INVALID, "expected the end");
    check_error("randn:i32[2]", WF_INVALID, "type error: randn: cannot make i32");
    check_error("iota:bool[2]", WF_INVALID, "iota: cannot make bool");
    check_error("zeros:f32[4611686018427387904,4]", WF_INVALID,
                "limit exceeded: the type is too large");
    check_error("/nowhere/x.npy", WF_F32,
                "/nowhere/x.npy: input/output error: cannot open");
}

TEST(deep_and_long_texts_are_refused_quickly)
{
    char *deep = malloc(100001);

    memset(deep, '[', 100000);
    deep[100000] = '\0';
    check_error(deep, WF_F32, "limit exceeded: lists nested deeper than 32");
    free(deep);
    check_error(
        "zeros:f32[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]",
        WF_F32, "more than 32 axes");
}

static void parse_and_print(wf_allocator al, void *user)
{
    wf_options o = {.size = sizeof o, .allocator = al};
    wf_ctx *cx = wf_ctx_new(&o);
    wf_array *a = NULL;
    const char *text;

    if (!cx)
        return;
    if (wf_array_parse(cx, user, WF_F32, 1, &a) == WF_OK &&
        wf_array_text(cx, a, &text) == WF_OK)
        CHECK_HAS(text, "f32[2,3]");
    else
        CHECK_EQ_INT(wf_ctx_status(cx), WF_ERR_MEMORY);
    wf_array_release(a);
    wf_ctx_free(cx);
}

TEST(every_allocation_may_fail)
{
    CHECK(fault_each(parse_and_print, "[[1, 2, 3], [4, 5, 6]]") > 3);
    CHECK(fault_each(parse_and_print, "rand:f32[2,3]") > 2);
}

TEST(null_arguments_are_refused)
{
    wf_ctx *cx = wf_ctx_new(NULL);
    wf_array *a = (wf_array *)8;
    const char *text = "x";

    CHECK_EQ_INT(wf_array_parse(cx, NULL, WF_F32, 0, &a), WF_ERR_ARG);
    CHECK(a == NULL);
    wf_clear(cx);
    CHECK_EQ_INT(wf_array_text(cx, NULL, &text), WF_ERR_ARG);
    CHECK(text == NULL);
    wf_clear(cx);
    CHECK_EQ_INT(wf_array_parse(cx, "1", WF_DTYPE_COUNT, 0, &a), WF_ERR_ARG);
    CHECK_EQ_INT(wf_array_parse(NULL, "1", WF_F32, 0, &a), WF_ERR_ARG);
    wf_ctx_free(cx);
}
