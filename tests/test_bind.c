/* test_bind.c -- inputs made constants: results, derivatives, files, what the passes make
 * of it, errors. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_IO = 8 };

static wf_array *array(wf_ctx *cx, const char *text, wf_dtype t)
{
    return test_array(cx, text, t, 3);
}

static void release(wf_array **a, int n)
{
    for (int i = 0; i < n; i++)
        wf_array_release(a[i]);
}

static bool same(const wf_array *x, const wf_array *y)
{
    return wf_array_dtype(x) == wf_array_dtype(y) &&
           wf_array_count(x) == wf_array_count(y) &&
           !memcmp(wf_array_data(x), wf_array_data(y),
                   (size_t)wf_array_count(x) * wf_dtype_size(wf_array_dtype(x)));
}

/* f with every set of its inputs bound gives what f gives, as it is, optimised and
 * compiled. */
static void check_all_sets(wf_ctx *cx, const wf_program *f, wf_array **in, double tol)
{
    int nin = wf_program_inputs(f), nout = wf_program_outputs(f);
    wf_array *want[MAX_IO] = {0}, *got[MAX_IO] = {0};

    CHECK_EQ_INT(wf_eval(cx, f, in, wf_program_inputs(f), want, wf_program_outputs(f)),
                 WF_OK);
    for (unsigned set = 0; set < 1u << nin; set++) {
        int which[MAX_IO], n = 0, rest = 0;
        wf_array *bound[MAX_IO], *others[MAX_IO];
        const wf_program *g = NULL, *fast = NULL;

        for (int i = 0; i < nin; i++)
            if (set >> i & 1) {
                which[n] = i;
                bound[n++] = in[i];
            } else {
                others[rest++] = in[i];
            }
        CHECK_EQ_INT(wf_bind(cx, f, which, bound, n, &g), WF_OK);
        CHECK_STR(wf_ctx_message(cx), "");
        REQUIRE(g != NULL);
        CHECK_EQ_INT(wf_program_verify(cx, g), WF_OK);
        CHECK_EQ_INT(wf_program_inputs(g), rest);
        CHECK_EQ_INT(
            wf_eval(cx, g, others, wf_program_inputs(g), got, wf_program_outputs(g)),
            WF_OK);
        for (int j = 0; j < nout && check_ok(); j++)
            CHECK(same(got[j], want[j]));
        release(got, nout);
        CHECK_EQ_INT(wf_optimise(cx, g, NULL, &fast), WF_OK);
        CHECK_EQ_INT(wf_eval(cx, fast, others, wf_program_inputs(fast), got,
                             wf_program_outputs(fast)),
                     WF_OK);
        for (int j = 0; j < nout && check_ok(); j++)
            for (int64_t i = 0; i < wf_array_count(want[j]); i++)
                if (wf_array_dtype(want[j]) == WF_F32)
                    CHECK_NEAR(((float *)wf_array_data(got[j]))[i],
                               ((float *)wf_array_data(want[j]))[i], tol);
        release(got, nout);
        wf_program_release(fast);
        wf_program_release(g);
    }
    release(want, nout);
}

TEST(bound_inputs_are_the_same_numbers)
{
    wf_ctx *cx = wf_ctx_new(NULL);
    const wf_program *f =
        test_program(cx, "f(x: f32[N,5], w: f32[5,M], s: f32[M], k: i32[N]) {\n"
                  " h = dot x w\n b = broadcast s [N,M] dims=[1]\n y = mul h b\n"
                  " c = cast k f32\n d = broadcast c [N,M] dims=[0]\n z = add y d\n"
                  " r = neg k\n ret z, r\n}\n");
    wf_array *in[] = {array(cx, "randn:f32[3,5]", WF_F32), array(cx, "randn:f32[5,7]", WF_F32),
                      array(cx, "randn:f32[7]", WF_F32), array(cx, "[1, -2, 3]", WF_I32)};

    check_all_sets(cx, f, in, 1e-5);
    release(in, 4);
    wf_program_release(f);
    wf_ctx_free(cx);
}

TEST(arrays_of_any_dtype_and_size_can_be_bound)
{
    static const wf_dtype types[] = {WF_BOOL, WF_I8, WF_I16, WF_I32, WF_I64, WF_U8, WF_U16,
                                     WF_U32, WF_U64, WF_F16, WF_BF16, WF_F32, WF_F64};
    static const char *const shapes[] = {"", "0", "1", "3,2", "2,0,3", "40,30"};
    wf_ctx *cx = wf_ctx_new(NULL);

    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
            char text[200], name[80];
            const wf_program *f, *g = NULL;
            wf_array *in, *out = NULL;

            snprintf(text, sizeof text, "f(x: %s[%s]) {\n ret x\n}\n",
                     wf_dtype_name(types[t]), shapes[s]);
            snprintf(name, sizeof name, "%s:%s[%s]", types[t] == WF_BOOL ? "ones" : "iota",
                     wf_dtype_name(types[t]), shapes[s]);
            f = test_program(cx, text);
            in = array(cx, name, types[t]);
            CHECK_EQ_INT(wf_bind(cx, f, (int[]){0}, &in, 1, &g), WF_OK);
            CHECK_EQ_INT(wf_eval(cx, g, NULL, 0, &out, 1), WF_OK);
            REQUIRE(out != NULL);
            CHECK(same(in, out));
            CHECK_EQ_INT(wf_array_rank(out), wf_array_rank(in));
            release((wf_array *[]){in, out}, 2);
            wf_program_release(f);
            wf_program_release(g);
        }
    wf_ctx_free(cx);
}

TEST(a_bound_array_may_be_strided_and_written_later)
{
    float data[] = {1, 2, 3, 4, 5, 6};
    wf_ctx *cx = wf_ctx_new(NULL);
    const wf_program *f = test_program(cx, "f(x: f32[2,3]) {\n ret x\n}\n"), *g = NULL;
    wf_array *a = NULL, *out = NULL;

    wf_array_wrap(cx, WF_F32, (int64_t[]){2, 3}, 2, (int64_t[]){1, 2}, data, NULL, NULL, &a);
    CHECK_EQ_INT(wf_bind(cx, f, (int[]){0}, &a, 1, &g), WF_OK);
    memset(data, 0, sizeof data);
    CHECK_EQ_INT(wf_eval(cx, g, NULL, 0, &out, 1), WF_OK);
    REQUIRE(out != NULL);
    CHECK(!memcmp(wf_array_data(out), (float[]){1, 3, 5, 2, 4, 6}, 6 * sizeof(float)));
    release((wf_array *[]){a, out}, 2);
    wf_program_release(f);
    wf_program_release(g);
    wf_ctx_free(cx);
}

static const char net[] =
    "net(x: f32[N,64], w: f32[64,48], m: f32[48], v: f32[48], g: f32[48], u: f32[48]) {\n"
    " h = dot x w\n mb = broadcast m [N,48] dims=[1]\n a = sub h mb\n"
    " e = const f32[48] 1e-5\n q = add v e\n r = rsqrt q\n s = mul r g\n"
    " sb = broadcast s [N,48] dims=[1]\n b = mul a sb\n ub = broadcast u [N,48] dims=[1]\n"
    " c = add b ub\n t = transpose w perm=[1,0]\n y = dot c t\n"
    " z = mul y y\n l = reduce_sum z axes=[0,1]\n ret l\n}\n";

TEST(a_bound_program_is_saved_loaded_and_derived)
{
    wf_ctx *cx = wf_ctx_new(NULL);
    const wf_program *f = test_program(cx, net), *g = NULL, *df = NULL, *dg = NULL;
    wf_array *in[] = {array(cx, "randn:f32[3,64]", WF_F32), array(cx, "randn:f32[64,48]", WF_F32),
                      array(cx, "randn:f32[48]", WF_F32),   array(cx, "rand:f32[48]", WF_F32),
                      array(cx, "randn:f32[48]", WF_F32),   array(cx, "randn:f32[48]", WF_F32)};
    wf_array *want = NULL, *got = NULL;
    wf_model *m = NULL;
    char path[] = "/tmp/weft-bind-XXXXXX";
    int fd = mkstemp(path);

    CHECK_EQ_INT(wf_bind(cx, f, (int[]){1, 2, 3, 4, 5}, in + 1, 5, &g), WF_OK);
    CHECK_EQ_INT(wf_model_new(cx, &m), WF_OK);
    CHECK_EQ_INT(wf_model_add(cx, m, g), WF_OK);
    CHECK_EQ_INT(wf_model_save(cx, m, path), WF_OK);
    wf_model_free(m);
    CHECK_EQ_INT(wf_model_load(cx, path, &m), WF_OK);
    REQUIRE(m != NULL && wf_model_find(m, "net"));
    CHECK(wf_program_equal(wf_model_find(m, "net"), g));
    CHECK_EQ_INT(wf_grad(cx, f, (int[]){0}, 1, &df), WF_OK);
    CHECK_EQ_INT(wf_grad(cx, wf_model_find(m, "net"), (int[]){0}, 1, &dg), WF_OK);
    CHECK_EQ_INT(wf_eval(cx, df, in, 6, &want, 1), WF_OK);
    CHECK_EQ_INT(wf_eval(cx, dg, in, wf_program_inputs(dg), &got, 1), WF_OK);
    REQUIRE(want && got);
    CHECK_EQ_INT(wf_array_count(got), 3 * 64);
    for (int i = 0; i < 3 * 64; i++)
        CHECK_NEAR(((float *)wf_array_data(got))[i] / 1000,
                   ((float *)wf_array_data(want))[i] / 1000, 1e-3);
    close(fd);
    remove(path);
    wf_model_free(m);
    release(in, 6);
    release((wf_array *[]){want, got}, 2);
    wf_program_release(df);
    wf_program_release(dg);
    wf_program_release(g);
    wf_program_release(f);
    wf_ctx_free(cx);
}

/* ---- what the passes make of it ------------------------------------------------------ */

static int count_ops(wf_ctx *cx, const wf_program *p, const char *op)
{
    const char *text, *at;
    char word[40];
    int n = 0;

    snprintf(word, sizeof word, "= %s ", op);
    CHECK_EQ_INT(wf_program_text(cx, p, WF_TEXT_SHORT, &text), WF_OK);
    for (at = text; (at = strstr(at, word)); at += 1)
        n++;
    return n;
}

TEST(what_depends_on_large_constants_alone_is_computed_once)
{
    wf_ctx *cx = wf_ctx_new(NULL);
    const wf_program *f =
        test_program(cx, "f(x: f32[N,60], w: f32[60,50], s: f32[50]) {\n"
                  " b = broadcast s [60,50] dims=[1]\n v = mul w b\n e = exp v\n"
                  " y = dot x e\n ret y\n}\n");
    const wf_program *g = NULL, *o = NULL;
    wf_array *in[] = {array(cx, "randn:f32[3,60]", WF_F32), array(cx, "randn:f32[60,50]", WF_F32),
                      array(cx, "randn:f32[50]", WF_F32)};

    check_all_sets(cx, f, in, 1e-3);
    CHECK_EQ_INT(wf_bind(cx, f, (int[]){1, 2}, in + 1, 2, &g), WF_OK);
    CHECK_EQ_INT(wf_optimise(cx, g, NULL, &o), WF_OK);
    REQUIRE(o != NULL);
    CHECK_EQ_INT(wf_program_equations(o), 2); /* const, dot */
    CHECK_EQ_INT(count_ops(cx, o, "exp"), 0);
    release(in, 3);
    wf_program_release(f);
    wf_program_release(g);
    wf_program_release(o);
    wf_ctx_free(cx);
}

TEST(large_constants_are_not_doubled)
{
    wf_ctx *cx = wf_ctx_new(NULL);
    const wf_program *f = test_program(cx, "f(x: f32[N,60], w: f32[60,60]) {\n"
                                    " e = exp w\n y = dot x e\n z = dot y w\n ret z\n}\n");
    const wf_program *g = NULL, *o = NULL;
    wf_array *w = array(cx, "randn:f32[60,60]", WF_F32);

    CHECK_EQ_INT(wf_bind(cx, f, (int[]){1}, &w, 1, &g), WF_OK);
    CHECK_EQ_INT(wf_optimise(cx, g, NULL, &o), WF_OK);
    REQUIRE(o != NULL);
    CHECK_EQ_INT(count_ops(cx, o, "const"), 1);
    CHECK_EQ_INT(count_ops(cx, o, "exp"), 1);
    wf_array_release(w);
    wf_program_release(f);
    wf_program_release(g);
    wf_program_release(o);
    wf_ctx_free(cx);
}

/* A cast in front of a large product goes into it, of a small one it does not. */
TEST(half_floats_are_widened_in_large_products)
{
    static const struct {
        const char *text;
        int casts;
    } rows[] = {
        {"f(x: bf16[300,40], w: f32[40,260]) {\n v = cast x f32\n y = dot v w\n ret y\n}\n", 0},
        {"f(x: f32[300,40], w: f16[260,40]) {\n v = cast w f32\n"
         " y = dot_general x v lhs=[1] rhs=[1] acc=f32\n ret y\n}\n", 0},
        {"f(x: bf16[300,40], w: bf16[40,260]) {\n v = cast x f32\n u = cast w f32\n"
         " y = dot v u\n ret y\n}\n", 0},
        {"f(x: bf16[30,40], w: f32[40,260]) {\n v = cast x f32\n y = dot v w\n ret y\n}\n", 1},
        {"f(x: f32[300,40], w: f64[40,260]) {\n v = cast w f32\n y = dot x v\n ret y\n}\n", 1},
        {"f(x: f32[300,40], w: i32[40,260]) {\n v = cast w f32\n y = dot x v\n ret y\n}\n", 1},
    };
    wf_ctx *cx = wf_ctx_new(NULL);

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const wf_program *f = test_program(cx, rows[i].text), *o = NULL;
        wf_array *in[2], *want = NULL, *got = NULL;

        for (int k = 0; k < 2; k++) {
            const char *type;
            char text[80];

            wf_program_input_type(cx, f, k, &type);
            snprintf(text, sizeof text, "%s:%s", *type == 'i' ? "ones" : "randn", type);
            in[k] = array(cx, text, wf_program_input_dtype(f, k));
        }
        CHECK_EQ_INT(wf_optimise(cx, f, NULL, &o), WF_OK);
        REQUIRE(o != NULL);
        CHECK_EQ_INT(count_ops(cx, o, "cast"), rows[i].casts);
        CHECK_EQ_INT(wf_eval(cx, f, in, 2, &want, 1), WF_OK);
        CHECK_EQ_INT(wf_eval(cx, o, in, 2, &got, 1), WF_OK);
        for (int64_t j = 0; j < 300 * 260 && wf_array_count(want) == 300 * 260; j++)
            CHECK_NEAR(((float *)wf_array_data(got))[j], ((float *)wf_array_data(want))[j], 1e-4);
        release(in, 2);
        release((wf_array *[]){want, got}, 2);
        wf_program_release(f);
        wf_program_release(o);
    }
    wf_ctx_free(cx);
}

static void bind_and_optimise(wf_allocator al, void *user)
{
    wf_options o = {.size = sizeof o, .allocator = al, .threads = 1};
    wf_ctx *cx = wf_ctx_new(&o);
    static float w[60 * 50], s[50];
    static const char text[] =
        "f(x: f32[N,60], w: f32[60,50], s: f32[50]) {\n b = broadcast s [60,50] dims=[1]\n"
        " v = mul w b\n y = dot x v\n c = broadcast s [N,50] dims=[1]\n z = mul y c\n"
        " ret z\n}\n";
    const wf_program *g = NULL, *fast = NULL;
    wf_array *in[2] = {NULL, NULL};
    wf_model *m = NULL;

    (void)user;
    if (!cx)
        return;
    for (int i = 0; i < 60 * 50; i++)
        w[i] = s[i % 50] = (float)(i % 7) + 1;
    if (wf_model_parse(cx, "f", text, sizeof text - 1, &m) == WF_OK &&
        wf_array_from(cx, WF_F32, (int64_t[]){60, 50}, 2, w, &in[0]) == WF_OK &&
        wf_array_from(cx, WF_F32, (int64_t[]){50}, 1, s, &in[1]) == WF_OK &&
        wf_bind(cx, wf_model_program(m, 0), (int[]){1, 2}, in, 2, &g) == WF_OK)
        wf_optimise(cx, g, NULL, &fast);
    release(in, 2);
    wf_program_release(g);
    wf_program_release(fast);
    wf_model_free(m);
    wf_ctx_free(cx);
}

TEST(binding_survives_every_allocation_that_fails)
{
    CHECK(fault_each(bind_and_optimise, NULL) > 20);
}

/* ---- modules ------------------------------------------------------------------------- */

TEST(a_method_of_a_file_is_bound_with_the_weights_of_the_file)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_module *m = wf_nn_linear(c, NULL, 5, 3, true);
    const char *types[] = {"f32[N,5]"};
    const wf_program *p = NULL;
    wf_model *file = NULL;
    wf_array *x = array(c, "randn:f32[4,5]", WF_F32), *y = NULL;
    double want[12];

    wf_model_new(c, &file);
    wf_module_store(c, m, file);
    wf_module_add_method(c, m, file, "forward", NULL, NULL, types, 1, 1);
    CHECK_EQ_INT(wf_model_bind(c, file, "forward", &p), WF_OK);
    REQUIRE(p != NULL);
    CHECK_EQ_INT(wf_program_inputs(p), 1);
    CHECK_EQ_INT(wf_eval(c, p, &x, 1, &y, 1), WF_OK);
    wf_read_f64(c, wf_forward_one(c, m, wf_from_array(c, x)), want, 12);
    REQUIRE(y != NULL);
    for (int i = 0; i < 12; i++)
        CHECK_NEAR(((float *)wf_array_data(y))[i],
                   want[i], 1e-5);
    wf_program_release(p);
    CHECK_EQ_INT(wf_model_bind(c, file, "nothing", &p), WF_ERR_NAME);
    CHECK(p == NULL);
    wf_clear(c);
    release((wf_array *[]){x, y}, 2);
    wf_model_free(file);
    wf_module_release(c, m);
    wf_ctx_free(c);
}

/* ---- errors -------------------------------------------------------------------------- */

static void check_refused(const char *program, const char *array_text, wf_dtype t, int which,
                          wf_status status, const char *has)
{
    wf_ctx *cx = wf_ctx_new(NULL);
    const wf_program *f = test_program(cx, program), *g = NULL;
    wf_array *a = array(cx, array_text, t);

    CHECK_EQ_INT(wf_bind(cx, f, &which, &a, 1, &g), status);
    CHECK_HAS(wf_ctx_message(cx), has);
    CHECK(g == NULL);
    wf_array_release(a);
    wf_program_release(f);
    wf_ctx_free(cx);
}

TEST(what_does_not_fit_is_refused)
{
    static const char f[] = "f(x: f32[N,3], y: f32[N+1]) {\n ret x, y\n}\n";
    wf_ctx *cx = wf_ctx_new(NULL);
    const wf_program *p = test_program(cx, f), *g = NULL;
    wf_array *a = array(cx, "ones:f32[2,3]", WF_F32), *two[] = {a, a};

    check_refused(f, "ones:f32[2,4]", WF_F32, 0, WF_ERR_SHAPE, "'x' of 'f' is f32[N,3], not f32[2,4]");
    check_refused(f, "ones:f64[2,3]", WF_F64, 0, WF_ERR_SHAPE, "not f64[2,3]");
    check_refused(f, "ones:f32[6]", WF_F32, 0, WF_ERR_SHAPE, "not f32[6]");
    check_refused(f, "ones:f32[4]", WF_F32, 1, WF_ERR_SHAPE, "specialise the size");
    check_refused(f, "ones:f32[2,3]", WF_F32, 2, WF_ERR_INDEX, "no input 2");
    check_refused(f, "ones:f32[2,3]", WF_F32, -1, WF_ERR_INDEX, "no input -1");
    CHECK_EQ_INT(wf_bind(cx, p, (int[]){0, 0}, two, 2, &g), WF_ERR_ARG);
    wf_clear(cx);
    CHECK_EQ_INT(wf_bind(cx, p, NULL, two, 2, &g), WF_ERR_ARG);
    wf_clear(cx);
    CHECK_EQ_INT(wf_bind(cx, p, (int[]){0}, (wf_array *[]){NULL}, 1, &g), WF_ERR_ARG);
    wf_array_release(a);
    wf_program_release(p);
    wf_ctx_free(cx);
}
