/* test_interface.c -- what callers of the public headers rely on, beyond what functions compute: numbers that are
 * frozen, counts that are checked, statuses of callbacks, structs that say their size. */
#include "test.h"
#include "weft.h"

#include <string.h>

/* ---- dtypes ------------------------------------------------------------------------ */

#define FROZEN(name, number) _Static_assert(name == number, #name " is for good")
FROZEN(WF_INVALID, 0);
FROZEN(WF_BOOL, 1);
FROZEN(WF_I8, 2);
FROZEN(WF_I16, 3);
FROZEN(WF_I32, 4);
FROZEN(WF_I64, 5);
FROZEN(WF_U8, 6);
FROZEN(WF_U16, 7);
FROZEN(WF_U32, 8);
FROZEN(WF_U64, 9);
FROZEN(WF_F16, 10);
FROZEN(WF_BF16, 11);
FROZEN(WF_F32, 12);
FROZEN(WF_F64, 13);
FROZEN(WF_C64, 14);
FROZEN(WF_C128, 15);
FROZEN(WF_F8E4M3, 16);
FROZEN(WF_F8E5M2, 17);
FROZEN(WF_I4, 18);
FROZEN(WF_U4, 19);
FROZEN(WF_OK, 0);
FROZEN(WF_ERR_ARG, 12);
FROZEN(WF_ERR_MEMORY, 64);
FROZEN(WF_ERR_INTERNAL, 128);

/* ---- counts ------------------------------------------------------------------------ */

/* What a call gives, and its message; the context is well again. */
#define REFUSED(call, text)                                                              \
    do {                                                                                 \
        (void)(call);                                                                    \
        CHECK_EQ_INT(wf_ctx_status(c), WF_ERR_ARG);                                      \
        CHECK_STR(wf_ctx_message(c), "wrong argument: " text);                           \
        wf_clear(c);                                                                     \
    } while (0)

static wf_model *two_inputs(wf_ctx *c)
{
    static const char text[] = "f(x: f32[2], y: f32[2]) {\n  z = add x y\n  ret z\n}\n";
    wf_model *m = NULL;

    wf_model_parse(c, "f.wir", text, sizeof text - 1, &m);
    return m;
}

TEST(runs_need_as_many_arrays_as_the_program_has)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_model *m = two_inputs(c);
    const wf_program *p = wf_model_find(m, "f"), *v;
    wf_array *x[3] = {0}, *y[2] = {0};
    wf_exec *e = NULL;
    wf_profile *profile;

    for (int i = 0; i < 3; i++)
        wf_array_new(c, WF_F32, (int64_t[]){2}, 1, &x[i]);
    REQUIRE(p && wf_prepare(c, p, &e) == WF_OK);
    CHECK_EQ_INT(wf_exec_inputs(e), 2);
    CHECK_EQ_INT(wf_exec_outputs(e), 1);
    REFUSED(wf_run(c, e, x, 3, y, 1), "wf_run: needs 2 inputs, got 3");
    REFUSED(wf_run(c, e, x, 1, y, 1), "wf_run: needs 2 inputs, got 1");
    REFUSED(wf_run(c, e, x, -1, y, 1), "wf_run: needs 2 inputs, got -1");
    REFUSED(wf_run(c, e, NULL, 2, y, 1), "wf_run: needs 2 inputs, got NULL");
    REFUSED(wf_run(c, e, x, 2, y, 2), "wf_run: needs 1 places of results, got 2");
    REFUSED(wf_run(c, e, x, 2, NULL, 1), "wf_run: needs 1 places of results, got NULL");
    REFUSED(wf_eval(c, p, x, 2, y, 0), "wf_eval: needs 1 places of results, got 0");
    REFUSED(wf_eval_reference(c, p, x, 0, y, 1),
            "wf_eval_reference: needs 2 inputs, got 0");
    REFUSED(wf_profile_new(c, e, x, 3, 1, &profile),
            "wf_profile_new: needs 2 inputs, got 3");
    REFUSED(wf_vmap(c, p, (int[]){0}, 1, NULL, -1, &v), "wf_vmap: needs 2 axes, got 1");
    CHECK_EQ_INT(wf_run(c, e, x, 2, y, 1), WF_OK);
    wf_array_release(y[0]);
    for (int i = 0; i < 3; i++)
        wf_array_release(x[i]);
    wf_exec_release(e);
    wf_model_free(m);
    wf_ctx_free(c);
}

TEST(a_hash_takes_no_more_room_than_there_is)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_model *m = two_inputs(c);
    char all[34], some[34];

    memset(some, '?', sizeof some);
    wf_program_hash(wf_model_find(m, "f"), all, sizeof all);
    wf_program_hash(wf_model_find(m, "f"), some, 9);
    CHECK_EQ_INT(strlen(all), 32);
    CHECK_EQ_INT(strlen(some), 8);
    CHECK(!memcmp(all, some, 8) && some[9] == '?');
    wf_program_hash(wf_model_find(m, "f"), some, 0);
    CHECK_EQ_INT(strlen(some), 8);
    wf_model_free(m);
    wf_ctx_free(c);
}

static wf_status product(wf_ctx *c, void *user, const wf_tensor *in, int nin,
                         wf_tensor *out, int nout)
{
    int *seen = user;

    seen[0] = nin;
    seen[1] = nout;
    out[0] = wf_mul(c, in[0], in[1]);
    return wf_ctx_status(c);
}

TEST(functions_of_tensors_check_counts_and_tell_them)
{
    wf_ctx *c = wf_ctx_new(NULL);
    int seen[2] = {0};
    wf_function f = WF_FUNCTION(product, seen, 2, 1, "product");
    wf_tensor in[2] = {wf_scalar(c, WF_F32, 2), wf_scalar(c, WF_F32, 3)}, y[2], g[2];
    wf_tree *tree = wf_tree_tuple(
        c, (wf_tree *[]){wf_tree_leaf(c, in[0]), wf_tree_leaf(c, in[1])}, 2);
    const wf_program *p;
    wf_record *r;
    wf_jit *j;

    REFUSED(wf_trace(c, &f, in, 1, &p), "wf_trace: needs 2 inputs, got 1");
    REFUSED(wf_trace_types(c, &f, (const char *[]){"f32[]"}, 1, &p),
            "wf_trace_types: needs 2 types, got 1");
    REFUSED(wf_trace_hinted(c, &f, in, NULL, 3, &p),
            "wf_trace_hinted: needs 2 inputs, got 3");
    REFUSED(wf_vmap_call(c, &f, in, (int[]){0}, 1, NULL, NULL, y, 1),
            "wf_vmap_call: needs 2 inputs, got 1");
    REFUSED(wf_grad_call(c, &f, in, 2, NULL, 0, y, 2, g),
            "wf_grad_call: needs 1 places of results, got 2");
    REFUSED(wf_jvp_call(c, &f, in, 2, NULL, 0, in, y, g, 2),
            "wf_jvp_call: needs 1 places of results, got 2");
    REFUSED(wf_checkpoint_call(c, &f, in, 2, false, y, 0),
            "wf_checkpoint_call: needs 1 places of results, got 0");
    REFUSED(wf_cond_call(c, wf_bool(c, true), &f, 1, in, 1, y, 1),
            "wf_cond_call: needs 2 inputs, got 1");
    REQUIRE(wf_jit_new(c, &f, &j) == WF_OK);
    REFUSED(wf_jit_call(c, j, in, 2, y, 2, NULL, 0),
            "wf_jit_call: needs 1 places of results, got 2");
    CHECK_EQ_INT(wf_jit_call(c, j, in, 2, y, 1, NULL, 0), WF_OK);
    CHECK(seen[0] == 2 && seen[1] == 1);
    wf_jit_free(c, j);
    REQUIRE(wf_record_new(c, &f, in, 2, (int[]){0, 1}, 2, y, 1, &r) == WF_OK);
    REFUSED(wf_record_vjp(c, r, in, 2, g, 2), "wf_record_vjp: needs 1 cotangents, got 2");
    REFUSED(wf_record_jvp(c, r, in, 1, y, 1), "wf_record_jvp: needs 2 tangents, got 1");
    wf_record_free(c, r);
    REQUIRE(wf_trace(c, &f, in, 2, &p) == WF_OK);
    REFUSED(wf_apply(c, p, in, 2, y, 2), "wf_apply: needs 1 places of results, got 2");
    wf_program_release(p);
    CHECK_EQ_INT(wf_tree_flatten(tree, y, 1), 2); /* one fits, two there are */
    REFUSED(wf_tree_unflatten(c, tree, in, 1),
            "wf_tree_unflatten: needs 2 leaves, got 1");
    wf_tree_free(c, tree);
    wf_ctx_free(c);
}

TEST(shapes_and_axes_are_counted)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_tensor x = wf_zeros(c, WF_F32, (int64_t[]){2, 3}, 2), y[1];
    int64_t dims[4] = {0, 0, 7, 7};
    wf_loader *l = wf_loader_new(c, &x, 1, 1, NULL, false);

    REFUSED(wf_shape(c, x, dims, 3), "wf_shape: needs 2 sizes, got 3");
    CHECK_EQ_INT(wf_shape(c, x, dims, 2), WF_OK);
    CHECK(dims[0] == 2 && dims[1] == 3 && dims[2] == 7);
    REFUSED(wf_permute(c, x, (int[]){0}, 1), "wf_permute: needs 2 axes, got 1");
    REFUSED(wf_permute(c, x, NULL, 2), "wf_permute: needs 2 axes, got NULL");
    CHECK_EQ_INT(wf_size(c, wf_permute(c, x, NULL, 0), 0), 3);
    REFUSED(wf_pad(c, x, dims, dims, 3, 0), "wf_pad: needs 2 paddings, got 3");
    REFUSED(wf_pad_with(c, x, dims, dims, 1, WF_PAD_REFLECT, 0),
            "wf_pad_with: needs 2 paddings, got 1");
    REFUSED(wf_unfold(c, wf_zeros(c, WF_F32, (int64_t[]){1, 1, 2, 2}, 4), 1, dims, NULL,
                      NULL, NULL),
            "wf_unfold: needs 2 sizes, got 1");
    REFUSED(wf_loader_next(c, l, y, 2),
            "wf_loader_next: needs a place for each tensor of the loader");
    CHECK(wf_loader_next(c, l, y, 1));
    wf_loader_free(c, l);
    wf_ctx_free(c);
}

/* ---- callbacks --------------------------------------------------------------------- */

static wf_status out_of_range(wf_ctx *c, void *user, const wf_tensor *in, int nin,
                              wf_tensor *out, int nout)
{
    (void)c, (void)user, (void)in, (void)nin, (void)out, (void)nout;
    return WF_ERR_INDEX;
}
static wf_status no_tree(wf_ctx *c, void *user, const wf_tree *in, wf_tree **out)
{
    (void)c, (void)user, (void)in, (void)out;
    return WF_ERR_LIMIT;
}
static wf_status stops(void *user, const char *path, wf_tensor t, bool is_param)
{
    (void)path, (void)t, (void)is_param;
    return ++*(int *)user == 2 ? WF_ERR_LIMIT : WF_OK;
}

TEST(the_status_of_a_callback_is_that_of_the_call)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_function f = WF_FUNCTION(out_of_range, NULL, 1, 1, "lookup");
    wf_tree_function g = WF_TREE_FUNCTION(no_tree, NULL, "grow");
    wf_tensor x = wf_scalar(c, WF_F32, 2), y;
    wf_tree *leaf = wf_tree_leaf(c, x), *out;
    wf_module *m = wf_nn_linear(c, NULL, 2, 2, true);
    int seen = 0;

    CHECK_EQ_INT(wf_grad_call(c, &f, &x, 1, NULL, 0, NULL, 0, &y), WF_ERR_INDEX);
    CHECK_HAS(wf_ctx_message(c), "lookup: the function gave up without an error");
    wf_clear(c);
    CHECK_EQ_INT(wf_grad_tree(c, &g, leaf, -1, NULL, &out), WF_ERR_LIMIT);
    wf_clear(c);
    wf_tree_free(c, leaf);
    CHECK_EQ_INT(wf_module_visit_state(c, m, stops, &seen), WF_ERR_LIMIT);
    CHECK_EQ_INT(seen, 2);
    CHECK_EQ_INT(wf_ctx_status(c), WF_OK); /* ended, not failed */
    wf_module_release(c, m);
    wf_ctx_free(c);
}

/* ---- structs ----------------------------------------------------------------------- */

TEST(structs_of_callers_say_their_size)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_function f = {.call = product, .inputs = 2, .outputs = 1};
    wf_tensor x[2] = {wf_scalar(c, WF_F32, 2), wf_scalar(c, WF_F32, 2)};
    wf_memory_stats stats = {0};
    wf_device *d;
    const wf_program *p;
    /* of a version that knew the first number only */
    wf_conv_options old = {
        .size = offsetof(wf_conv_options, padding), .stride = 2, .padding = 99};
    wf_module *m = wf_nn_conv2d(c, NULL, 1, 1, 3, &old);

    CHECK_STR(wf_module_text(c, m), "Conv2d(1, 1, kernel_size=(3, 3), stride=(2, 2))");
    wf_module_release(c, m);
    REFUSED(wf_trace(c, &f, x, 2, &p),
            "wf_trace: the function does not say its size (WF_FUNCTION)");
    REFUSED(wf_nn_conv2d(c, NULL, 1, 1, 3, &(wf_conv_options){.stride = 2}),
            "Conv2d: the options do not say their size");
    REFUSED(wf_nn_max_pool(c, 2, &(wf_pool_options){.window = 2}),
            "MaxPool: the options do not say their size");
    REFUSED(wf_nn_lstm(c, NULL, 1, 1, &(wf_rnn_options){.layers = 2}),
            "LSTM: the options do not say their size");
    REFUSED(wf_nn_attention(c, NULL, 4, 2, &(wf_attention_options){.batch_first = true}),
            "MultiheadAttention: the options do not say their size");
    REQUIRE(wf_device_get(c, 0, &d) == WF_OK);
    CHECK_EQ_INT(wf_device_memory(c, d, &stats), WF_ERR_ARG);
    wf_ctx_free(c);
}
