/* test_text_constants.c -- constants in the text form: every bit of them comes back, and large ones are tensors of the file. */
#include "ir/parse.h"
#include "op/op.h"
#include "test.h"

#include <stdlib.h>

/* ---- every bit pattern of the small floats, many of the large ---- */

static wf_status trip_bits(wf_ctx *cx, wf_dtype dtype, const void *data, int64_t count)
{
    API_ENTER(cx);
    Builder *b = builder_new(cx, "bits", B_VERBATIM);
    Val c = b_const(b, b_make_type(b, dtype, &count, 1), data);
    const Program *p = builder_finish(b, &c, 1), **qs;
    uint32_t n;
    Text t;

    text_init(&t, &cx->scratch);
    if (p) {
        program_print(p, NULL, &t);
        if (programs_parse(cx, "bits", text_str(&t), t.n, NULL, &qs, &n)) {
            const ConstAttr *a = qs[0]->eqns[0].attr;

            CHECK_EQ_INT(a->data->size, (size_t)count * wf_dtype_size(dtype));
            CHECK(memcmp(a->data->data, data, a->data->size) == 0);
            CHECK(program_equal(p, qs[0]));
        }
    }
    API_RETURN(cx);
}

TEST(constants_keep_every_bit)
{
    wf_ctx *cx = wf_ctx_new(NULL);
    uint16_t *half = malloc(65536 * sizeof *half);
    uint64_t *wide = malloc(50000 * sizeof *wide);

    for (int i = 0; i < 65536; i++)
        half[i] = (uint16_t)i;
    for (int i = 0; i < 50000; i++) {
        wide[i] = test_random();
        if (i % 3 == 0) /* infinities, NaNs, denormals */
            wide[i] |= i % 2 ? UINT64_C(0x7ff000007f800000) : 0;
        else if (i % 3 == 1)
            wide[i] &= UINT64_C(0x800fffff807fffff);
    }
    for (int t = WF_I8; t <= WF_F64; t++) {
        int64_t n = wf_dtype_size((wf_dtype)t) <= 2 ? 65536 : 50000;

        trip_bits(cx, (wf_dtype)t, n == 65536 ? (void *)half : (void *)wide, n);
        if (wf_ctx_status(cx) != WF_OK)
            FAIL("%s: %s", wf_dtype_name((wf_dtype)t), wf_ctx_message(cx));
    }
    free(half);
    free(wide);
    wf_ctx_free(cx);
}

/* ---- tensors of a file ---- */

static bool give_tensor(void *user, const char *name, Type type, const ConstData **out)
{
    static const float data[] = {1, 2, 3, 4};

    if (strcmp(name, "layer.w") != 0 || type.dtype != WF_F32)
        return false;
    *out = const_data_new(user, data, sizeof data, name, NULL, NULL);
    return true;
}

static wf_status read_tensor(wf_ctx *cx, const char *text, char **out)
{
    API_ENTER(cx);
    ParseEnv env = {give_tensor, cx};
    const Program **ps;
    uint32_t n;
    Text t;

    if (programs_parse(cx, "t.wir", text, strlen(text), &env, &ps, &n)) {
        text_init(&t, &cx->scratch);
        programs_print(ps, n, NULL, &t);
        *out = strdup(text_str(&t));
    }
    API_RETURN(cx);
}

TEST(large_constants_refer_to_tensors_of_the_file)
{
    const char *text = "f() {\n  w = const f32[2,2] tensor(\"layer.w\")\n  ret w\n}\n";
    wf_ctx *cx = wf_ctx_new(NULL);
    char *out = NULL;

    CHECK_EQ_INT(read_tensor(cx, text, &out), WF_OK);
    CHECK_STR(out, text);
    free(out);
    out = NULL;
    CHECK_EQ_INT(
        read_tensor(cx, "f() {\n  w = const f32[2] tensor(\"b\")\n  ret w\n}\n", &out),
        WF_ERR_NAME);
    CHECK_HAS(wf_ctx_message(cx), "there is no tensor \"b\" of type f32[2]");
    wf_clear(cx);
    CHECK_EQ_INT(
        read_tensor(cx, "f() {\n  w = const f32[3] tensor(\"layer.w\")\n  ret w\n}\n",
                    &out),
        WF_ERR_SHAPE);
    wf_ctx_free(cx);
}
