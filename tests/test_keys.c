/* test_keys.c -- random tensors by key and tensors as text, through the public header. */
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define I64(...)                                                                         \
    (const int64_t[]) { __VA_ARGS__ }

static wf_tensor normals(wf_ctx *c, wf_tensor key)
{
    return wf_key_normal(c, key, WF_F32, I64(3), 1);
}

/* jax.random.normal(jax.random.key(0), (3,)) */
static const float normals_of_0[3] = {1.6226422f, 2.0252647f, -0.43359444f};

static bool same_f32(wf_ctx *c, wf_tensor t, const float *want, int n)
{
    float got[16];

    return wf_read(c, t, got, (size_t)n * sizeof *got) == WF_OK &&
           !memcmp(got, want, (size_t)n * sizeof *got);
}

TEST(a_key_gives_jaxs_numbers_each_time)
{
    wf_ctx *c = wf_ctx_new(NULL);

    for (int i = 0; i < 3; i++)
        CHECK(same_f32(c, normals(c, wf_key(c, 0)), normals_of_0, 3));
    CHECK(!same_f32(c, normals(c, wf_key(c, 1)), normals_of_0, 3));
    CHECK_STR(wf_ctx_message(c), "");
    wf_ctx_free(c);
}

TEST(every_function_of_keys_gives_the_type_that_is_asked_for)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_tensor k = wf_key(c, 3), p = wf_scalar(c, WF_F32, 0.5),
              x = wf_zeros(c, WF_F64, I64(4, 5), 2);
    struct {
        wf_tensor t;
        wf_dtype dtype;
        int64_t count;
    } rows[] = {
        {wf_key_split(c, k, 5), WF_U32, 10},
        {wf_key_fold_in(c, k, wf_int(c, 7)), WF_U32, 2},
        {wf_key_bits(c, k, WF_U16, I64(2, 3), 2), WF_U16, 6},
        {wf_key_uniform(c, k, WF_F16, I64(2, 3), 2, -1, 1), WF_F16, 6},
        {wf_key_normal(c, k, WF_F64, I64(2, 3), 2), WF_F64, 6},
        {wf_key_truncated_normal(c, k, WF_F32, I64(2, 3), 2, -1, 1), WF_F32, 6},
        {wf_key_exponential(c, k, WF_F32, I64(6), 1), WF_F32, 6},
        {wf_key_gumbel(c, k, WF_F32, I64(6), 1), WF_F32, 6},
        {wf_key_laplace(c, k, WF_F32, I64(6), 1), WF_F32, 6},
        {wf_key_logistic(c, k, WF_F32, I64(6), 1), WF_F32, 6},
        {wf_key_cauchy(c, k, WF_F32, I64(6), 1), WF_F32, 6},
        {wf_key_rademacher(c, k, WF_I32, I64(6), 1), WF_I32, 6},
        {wf_key_randint(c, k, WF_I32, NULL, 0, 0, 9), WF_I32, 1},
        {wf_key_bernoulli(c, k, p, I64(4), 1), WF_BOOL, 4},
        {wf_key_categorical(c, k, x, -1, I64(4), 1, WF_I32), WF_I32, 4},
        {wf_key_permutation(c, k, x, 1), WF_F64, 20},
        {wf_key_permutation_n(c, k, WF_I64, 9), WF_I64, 9},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        CHECK_EQ_INT(wf_dtype_of(c, rows[i].t), rows[i].dtype);
        CHECK_EQ_INT(wf_count(c, rows[i].t), rows[i].count);
    }
    CHECK_STR(wf_ctx_message(c), "");
    wf_ctx_free(c);
}

TEST(randint_stays_in_its_bounds_and_meets_all_of_them)
{
    wf_ctx *c = wf_ctx_new(NULL);
    int32_t v[1000];
    bool seen[7] = {false};

    CHECK_EQ_INT(wf_read(c, wf_key_randint(c, wf_key(c, 5), WF_I32, I64(1000), 1, -3, 4),
                         v, sizeof v),
                 WF_OK);
    for (int i = 0; i < 1000; i++) {
        REQUIRE(v[i] >= -3 && v[i] < 4);
        seen[v[i] + 3] = true;
    }
    for (int i = 0; i < 7; i++)
        CHECK(seen[i]);
    wf_ctx_free(c);
}

/* ---- programs ---------------------------------------------------------------------------------- */

static wf_status normals_of_key(wf_ctx *c, void *user, const wf_tensor *in, int nin,
                                wf_tensor *out, int nout)
{
    (void)user, (void)nin, (void)nout;
    out[0] = normals(c, in[0]);
    return wf_ctx_status(c);
}

static wf_status normals_like(wf_ctx *c, void *user, const wf_tensor *in, int nin,
                              wf_tensor *out, int nout)
{
    int64_t n = wf_size(c, in[1], 0);

    (void)user, (void)nin, (void)nout;
    out[0] = wf_key_normal(c, in[0], WF_F32, &n, 1);
    return wf_ctx_status(c);
}

TEST(a_traced_key_gives_the_same_numbers)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_function f = WF_FUNCTION(normals_of_key, NULL, 1, 1, NULL);
    wf_tensor key = wf_key(c, 0), other = wf_key(c, 9), out;
    const wf_program *p = NULL;

    REQUIRE(wf_trace(c, &f, &other, 1, &p) == WF_OK);
    REQUIRE(wf_apply(c, p, &key, 1, &out, 1) == WF_OK);
    CHECK(same_f32(c, out, normals_of_0, 3));
    wf_program_release(p);
    wf_ctx_free(c);
}

TEST(a_size_of_the_program_gives_the_same_numbers)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_function f = WF_FUNCTION(normals_like, NULL, 2, 1, NULL);
    wf_tensor in[2] = {wf_key(c, 0), wf_zeros(c, WF_F32, I64(3), 1)}, out;
    const wf_program *p = NULL;

    REQUIRE(wf_trace_types(c, &f, (const char *const[]){"u32[2]", "f32[N]"}, 2, &p) ==
            WF_OK);
    REQUIRE(wf_apply(c, p, in, 2, &out, 1) == WF_OK);
    CHECK(same_f32(c, out, normals_of_0, 3));
    wf_program_release(p);
    wf_ctx_free(c);
}

TEST(a_batch_of_keys_gives_what_each_gives)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_function f = WF_FUNCTION(normals_of_key, NULL, 1, 1, NULL);
    wf_tensor keys = wf_key_split(c, wf_key(c, 0), 4), out;
    float all[12], one[3];

    REQUIRE(wf_vmap_call(c, &f, &keys, (int[]){0}, 1, NULL, NULL, &out, 1) == WF_OK);
    CHECK_EQ_INT(wf_read(c, out, all, sizeof all), WF_OK);
    for (int i = 0; i < 4; i++) {
        CHECK_EQ_INT(wf_read(c, normals(c, wf_key_at(c, keys, i)), one, sizeof one),
                     WF_OK);
        CHECK(!memcmp(one, all + 3 * i, sizeof one));
    }
    wf_ctx_free(c);
}

TEST(many_shapes_and_many_calls_take_bounded_memory)
{
    FaultAlloc f = {0};
    wf_options o = {sizeof o, .allocator = fault_allocator(&f)};
    wf_ctx *c = wf_ctx_new(&o);
    long half = 0;

    for (int i = 0; i < 4000; i++) {
        int64_t n = i % 90;

        wf_scope_begin(c);
        CHECK_EQ_INT(wf_count(c, wf_key_uniform(c, wf_key(c, 1), WF_F32, &n, 1, 0, 1)),
                     n);
        wf_scope_end(c);
        if (i == 1000)
            half = f.peak_bytes;
    }
    CHECK(f.peak_bytes < half + half / 4);
    wf_ctx_free(c);
    CHECK_EQ_INT(f.live_bytes, 0);
}

/* ---- mistakes ------------------------------------------------------------------------------------- */

TEST(mistakes_name_the_function_and_what_was_wrong)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_tensor key = wf_key(c, 0), x = wf_zeros(c, WF_F32, I64(3), 1);

#define SAYS(expr, text)                                                                 \
    (CHECK(wf_is_none(expr)), CHECK_HAS(wf_ctx_message(c), text), wf_clear(c))
    SAYS(normals(c, x), "wf_key_normal: needs a key, u32[2], got");
    SAYS(wf_key_normal(c, key, WF_I32, I64(3), 1),
         "wf_key_normal: dtype i32 does not fit");
    SAYS(wf_key_bits(c, key, WF_F32, I64(3), 1), "wf_key_bits: dtype f32 does not fit");
    SAYS(wf_key_normal(c, key, WF_F32, I64(-3), 1), "wf_key_normal: a size is negative");
    SAYS(wf_key_normal(c, key, WF_F32, NULL, 99), "wf_key_normal: rank 99 is not in");
    SAYS(wf_key_split(c, key, -1), "wf_key_split: cannot make -1 keys");
    SAYS(wf_key_at(c, wf_key_split(c, key, 2), 2), "wf_key_at: there is no key 2 of 2");
    SAYS(wf_key_fold_in(c, key, x), "wf_key_fold_in: the operand of type f32");
    SAYS(wf_key_bernoulli(c, key, x, I64(4), 1),
         "wf_key_bernoulli: the operand of type f32");
    SAYS(wf_key_categorical(c, key, x, 1, NULL, 0, WF_I32), "wf_key_categorical");
    SAYS(wf_key_categorical(c, key, x, 0, NULL, 0, WF_F32),
         "wf_key_categorical: dtype f32 does not fit");
    SAYS(wf_key_permutation(c, key, x, 4), "wf_key_permutation");
    SAYS(wf_key_permutation_n(c, key, WF_I64, -2),
         "wf_key_permutation_n: there are no -2 numbers");
#undef SAYS
    CHECK(same_f32(c, normals(c, key), normals_of_0, 3)); /* usable after clearing */
    wf_ctx_free(c);
}

/* ---- text -------------------------------------------------------------------------------------------- */

TEST(a_tensor_is_written_in_every_style)
{
    static const char *const want[] = {
        [WF_STYLE_NUMPY_STR] = "[1.  2.5]",
        [WF_STYLE_NUMPY_REPR] = "array([1. , 2.5], dtype=float32)",
        [WF_STYLE_TORCH] = "tensor([1.0000, 2.5000])",
        [WF_STYLE_JAX] = "Array([1. , 2.5], dtype=float32)",
        [WF_STYLE_TF_STR] = "tf.Tensor([1.  2.5], shape=(2,), dtype=float32)",
        [WF_STYLE_TF_REPR] = ("<tf.Tensor: shape=(2,), dtype=float32, "
                              "numpy=array([1. , 2.5], dtype=float32)>"),
    };
    wf_ctx *c = wf_ctx_new(NULL);
    wf_tensor t = wf_from(c, WF_F32, I64(2), 1, (float[]){1, 2.5f});
    wf_text_options o = WF_TEXT_OPTIONS;
    const char *text;

    for (int s = 0; s <= WF_STYLE_TF_REPR; s++) {
        REQUIRE(wf_text(c, t, (wf_style)s, NULL, &text) == WF_OK);
        CHECK_STR(text, want[s]);
        REQUIRE(wf_text(c, t, (wf_style)s, &o, &text) == WF_OK);
        CHECK_STR(text, want[s]);
    }
    o.precision = 1;
    o.grad_fn = "MulBackward0";
    REQUIRE(wf_text(c, t, WF_STYLE_TORCH, &o, &text) == WF_OK);
    CHECK_STR(text, "tensor([1.0, 2.5], grad_fn=<MulBackward0>)");
    REQUIRE(wf_text(c, wf_float(c, 1.5), WF_STYLE_JAX, NULL, &text) == WF_OK);
    CHECK_HAS(text, "weak_type=True");
    wf_ctx_free(c);
}

TEST(text_of_what_has_none_is_an_error)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_text_options old = WF_TEXT_OPTIONS;
    const char *text = "x";
    wf_tensor t = wf_scalar(c, WF_F32, 1);

    old.size = 8;
    CHECK_EQ_INT(wf_text(c, t, WF_STYLE_TORCH, &old, &text), WF_ERR_ARG);
    CHECK(text == NULL);
    wf_clear(c);
    CHECK_EQ_INT(wf_text(c, t, (wf_style)77, NULL, &text), WF_ERR_ARG);
    CHECK_HAS(wf_ctx_message(c), "there is no style 77");
    wf_clear(c);
    CHECK_EQ_INT(wf_text(c, WF_NONE, WF_STYLE_TORCH, NULL, &text), WF_ERR_ARG);
    wf_clear(c);
    wf_graph *g;
    REQUIRE(wf_graph_new(c, "g", NULL, &g) == WF_OK);
    CHECK_EQ_INT(wf_text(c, wf_symbol(c, g, "x", "f32[2]"), WF_STYLE_TORCH, NULL, &text),
                 WF_ERR_VALUE);
    wf_clear(c);
    wf_graph_free(c, g);
    wf_ctx_free(c);
}

/* ---- memory -------------------------------------------------------------------------------------------- */

static void draw_and_print(wf_allocator al, void *user)
{
    wf_options o = {sizeof o, .allocator = al, .threads = 1};
    wf_ctx *c = wf_ctx_new(&o);
    const char *text = NULL;

    (void)user;
    if (!c)
        return;
    (void)wf_text(c, normals(c, wf_key_at(c, wf_key_split(c, wf_key(c, 0), 2), 1)),
                  WF_STYLE_TORCH, NULL, &text);
    CHECK((text != NULL) == (wf_ctx_status(c) == WF_OK));
    if (!text)
        CHECK_EQ_INT(wf_ctx_status(c), WF_ERR_MEMORY);
    wf_ctx_free(c);
}

TEST(each_allocation_may_fail) { CHECK(fault_each(draw_and_print, NULL) > 10); }
