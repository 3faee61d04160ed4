/* test_api.c -- the public wrappers: what programs can be asked, wrong arguments, the op
 * table as data. What the transforms give is tested elsewhere.
 */
#include "test.h"

#include <stddef.h>
#include <string.h>

static wf_model *open_text(wf_ctx *cx, const char *text)
{
    wf_model *m = NULL;

    if (wf_model_parse(cx, "api.wir", text, strlen(text), &m) != WF_OK)
        FAIL("%s", wf_ctx_message(cx));
    return m;
}

static const char two[] =
    "f(x: f32[N,3], \"odd name\": i64[]) {\n  y = exp x\n  ret y, x\n}\n"
    "g(a: f32[N,3], k: i64[]) {\n  b = exp a\n  ret b, a\n}\n";

TEST(a_program_tells_its_signature)
{
    wf_ctx *cx = wf_ctx_new(NULL);
    wf_model *m = open_text(cx, two);
    const wf_program *f = wf_model_find(m, "f");
    const char *text;

    CHECK_STR(wf_program_name(f), "f");
    CHECK_EQ_INT(wf_program_inputs(f), 2);
    CHECK_EQ_INT(wf_program_outputs(f), 2);
    CHECK_EQ_INT(wf_program_equations(f), 1);
    CHECK_STR(wf_program_input_name(f, 1), "odd name");
    CHECK_STR(wf_program_input_name(f, 2), "");
    CHECK_EQ_INT(wf_program_input_dtype(f, 1), WF_I64);
    CHECK_EQ_INT(wf_program_input_dtype(f, -1), WF_INVALID);
    CHECK(wf_program_input_type(cx, f, 0, &text) == WF_OK);
    CHECK_STR(text, "f32[N,3]");
    CHECK(wf_program_output_type(cx, f, 1, &text) == WF_OK);
    CHECK_STR(text, "f32[N,3]");
    CHECK_EQ_INT(wf_program_output_type(cx, f, 2, &text), WF_ERR_ARG);
    CHECK_STR(text, NULL);
    wf_model_free(m);
    wf_ctx_free(cx);
}

TEST(names_are_not_part_of_the_content)
{
    wf_ctx *cx = wf_ctx_new(NULL);
    wf_model *m = open_text(cx, two);
    const wf_program *f = wf_model_find(m, "f"), *g = wf_model_find(m, "g"), *h = NULL;
    char a[33], b[33];

    wf_program_hash(f, a, 33);
    wf_program_hash(g, b, 33);
    CHECK_EQ_INT(strlen(a), 32);
    CHECK_STR(a, b);
    CHECK(wf_program_equal(f, g));
    CHECK(wf_jvp(cx, f, NULL, 0, &h) == WF_OK);
    wf_program_hash(h, b, 33);
    CHECK(strcmp(a, b) != 0);
    CHECK(!wf_program_equal(f, h));
    wf_program_release(h);
    wf_program_release(NULL);
    wf_model_free(m);
    wf_ctx_free(cx);
}

TEST(a_program_outlives_model_and_context)
{
    wf_ctx *cx = wf_ctx_new(NULL);
    wf_model *m = open_text(cx, two);
    const wf_program *f = wf_program_retain(wf_model_find(m, "f"));

    wf_model_free(m);
    wf_ctx_free(cx);
    CHECK_STR(wf_program_name(f), "f");
    wf_program_release(f);
}

TEST(wrong_arguments_are_errors_and_results_null)
{
    typedef wf_status Transform(wf_ctx * cx, const wf_program *f, const int *wrt, int n,
                                const wf_program **out);
    static Transform *const all[] = {wf_jvp,    wf_vjp,    wf_grad,    wf_value_and_grad,
                                     wf_jacfwd, wf_jacrev, wf_hessian, wf_hvp};
    wf_ctx *cx = wf_ctx_new(NULL);
    wf_model *m = open_text(cx, two);
    const wf_program *f = wf_model_find(m, "f"), *out, *out2;
    const char *symbol = "N";
    int64_t size = -1;

    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        out = f;
        CHECK_EQ_INT(all[i](cx, NULL, NULL, 0, &out), WF_ERR_ARG);
        CHECK(out == NULL);
        wf_clear(cx);
        CHECK_EQ_INT(all[i](cx, f, (int[]){0}, -1, &out), WF_ERR_ARG);
        wf_clear(cx);
        CHECK_EQ_INT(all[i](cx, f, (int[]){2}, 1, &out), WF_ERR_INDEX);
        CHECK_HAS(wf_ctx_message(cx), "input 2, but 'f' has 2 inputs");
        CHECK(out == NULL);
        wf_clear(cx);
        CHECK_EQ_INT(all[i](cx, f, (int[]){1}, 1, &out), WF_ERR_TYPE); /* an integer */
        CHECK_EQ_INT(all[i](cx, f, NULL, 0, &out), WF_ERR_TYPE); /* the error sticks */
        wf_clear(cx);
        CHECK_EQ_INT(all[i](NULL, f, NULL, 0, &out), WF_ERR_ARG);
    }
    CHECK_EQ_INT(wf_partition(cx, f, NULL, 0, &out, NULL), WF_ERR_ARG);
    wf_clear(cx);
    CHECK_EQ_INT(wf_linearize(cx, f, NULL, 1, &out, &out2), WF_ERR_ARG);
    CHECK(out == NULL && out2 == NULL);
    wf_clear(cx);
    CHECK_EQ_INT(wf_vmap(cx, f, NULL, 0, NULL, -1, &out), WF_ERR_ARG);
    wf_clear(cx);
    CHECK_EQ_INT(wf_specialise(cx, f, &symbol, &size, 1, &out), WF_ERR_ARG);
    wf_clear(cx);
    CHECK_EQ_INT(wf_prune(cx, NULL, &out), WF_ERR_ARG);
    wf_clear(cx);
    CHECK_EQ_INT(wf_program_verify(cx, NULL), WF_ERR_ARG);
    wf_model_free(m);
    wf_ctx_free(cx);
}

TEST(transforms_give_programs_of_their_own)
{
    wf_ctx *cx = wf_ctx_new(NULL);
    wf_model *m =
        open_text(cx, "f(x: f32[N]) {\n  d = sin x\n  y = mul x x\n  s = reduce_sum y "
                      "axes=[0]\n  ret s\n}\n");
    const wf_program *f = wf_model_find(m, "f"), *a, *b;
    const char *symbol = "N", *text;
    int64_t size = 5;

    CHECK(wf_prune(cx, f, &a) == WF_OK);
    CHECK_EQ_INT(wf_program_equations(a), 2);
    wf_program_release(a);
    CHECK(wf_specialise(cx, f, &symbol, &size, 1, &a) == WF_OK);
    CHECK(wf_program_input_type(cx, a, 0, &text) == WF_OK);
    CHECK_STR(text, "f32[5]");
    wf_program_release(a);
    CHECK(wf_vmap(cx, f, (int[]){1}, 1, NULL, 7, &a) == WF_OK);
    CHECK(wf_program_input_type(cx, a, 0, &text) == WF_OK);
    CHECK_STR(text, "f32[N,7]");
    CHECK(wf_program_output_type(cx, a, 0, &text) == WF_OK);
    CHECK_STR(text, "f32[7]");
    wf_program_release(a);
    CHECK(wf_partition(cx, f, NULL, 0, &a, &b) == WF_OK);
    CHECK(wf_program_verify(cx, a) == WF_OK && wf_program_verify(cx, b) == WF_OK);
    wf_program_release(a);
    wf_program_release(b);
    CHECK(wf_linearize(cx, f, NULL, 0, &a, &b) == WF_OK);
    CHECK(wf_program_verify(cx, a) == WF_OK && wf_program_verify(cx, b) == WF_OK);
    wf_program_release(a);
    wf_program_release(b);
    wf_model_free(m);
    wf_ctx_free(cx);
}

TEST(text_comes_with_places_types_and_header_as_asked)
{
    wf_ctx *cx = wf_ctx_new(NULL);
    wf_model *m = open_text(cx, "f(x: f32[2]) {\n  y = exp x\n  ret y\n}\n");
    const char *text;

    CHECK(wf_program_text(cx, wf_model_program(m, 0), 0, &text) == WF_OK);
    CHECK_STR(text, "f(x: f32[2]) {\n  y = exp x\n  ret y\n}\n");
    CHECK(wf_program_text(cx, wf_model_program(m, 0),
                          WF_TEXT_HEADER | WF_TEXT_PLACES | WF_TEXT_TYPES,
                          &text) == WF_OK);
    CHECK_HAS(text, "weft 1\n");
    CHECK_HAS(text, "y: f32[2] = exp x");
    CHECK_HAS(text, "@api.wir:2:3");
    CHECK(wf_program_dot(cx, wf_model_program(m, 0), &text) == WF_OK);
    CHECK_HAS(text, "digraph");
    wf_model_free(m);
    m = open_text(
        cx,
        "f() {\n  c = const i32[40] [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, "
        "15,"
        " 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35,"
        " 36, 37, 38, 39]\n  ret c\n}\n");
    CHECK(wf_program_text(cx, wf_model_program(m, 0), WF_TEXT_SHORT, &text) == WF_OK);
    CHECK_HAS(text, "15, ...]");
    wf_model_free(m);
    wf_ctx_free(cx);
}

TEST(the_op_table_is_data)
{
    wf_op_info info = {.size = sizeof info}, old = {.size = offsetof(wf_op_info, doc)};
    bool add = false;

    CHECK(wf_op_count() > 90);
    for (int i = 0; i < wf_op_count(); i++) {
        REQUIRE(wf_op_get(i, &info) == WF_OK);
        CHECK(info.name && info.family && info.doc && *info.doc && info.version >= 1);
        CHECK(info.has_batch);
        CHECK(info.has_jvp || info.why_no_jvp);
        if (strcmp(info.name, "add") == 0) {
            add = true;
            CHECK_STR(info.flags, "P | C | L");
            CHECK_EQ_INT(info.inputs, 2);
            CHECK(info.has_eval && info.has_jvp && info.has_transpose);
        }
    }
    CHECK(add);
    CHECK_EQ_INT(wf_op_get(-1, &info), WF_ERR_INDEX);
    CHECK_EQ_INT(wf_op_get(wf_op_count(), &info), WF_ERR_INDEX);
    CHECK_EQ_INT(wf_op_get(0, &(wf_op_info){0}), WF_ERR_ARG);
    CHECK_EQ_INT(wf_op_get(0, &old),
                 WF_OK); /* a caller that knows fewer fields gets those */
    CHECK(old.name && old.doc == NULL);
}

TEST(the_build_tells_its_version_and_instruction_set)
{
    CHECK_HAS(wf_build_info(), "weft " WF_VERSION "\n");
    CHECK_HAS(wf_build_info(), "instruction set: ");
    CHECK_HAS(wf_build_info(), "optional features: ");
}
