/* test_interface.c -- what callers of the public headers rely on, beyond what functions compute: numbers that are
 * frozen, counts that are checked, statuses of callbacks, structs that say their size. */
#include "test.h"
#include "weft.h"
#include "weft_dlpack.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
FROZEN(WF_F8E4M3FN, 16);
FROZEN(WF_F8E5M2, 17);
FROZEN(WF_I4, 18);
FROZEN(WF_U4, 19);
FROZEN(WF_F8E4M3FNUZ, 20);
FROZEN(WF_F8E5M2FNUZ, 21);
FROZEN(WF_F8E8M0FNU, 22);
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

static wf_status sum_of_squares(wf_ctx *c, void *user, const wf_tensor *in, int nin, wf_tensor *out, int nout)
{
    (void)user, (void)nin, (void)nout;
    out[0] = wf_sum(c, wf_square(c, in[0]), NULL, 0, false);
    return wf_ctx_status(c);
}

TEST(negative_counts_are_refused_in_words_of_the_header)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_function f = WF_FUNCTION(sum_of_squares, NULL, 1, 1, "f");
    wf_tensor x = wf_ones(c, WF_F32, (int64_t[]){2, 3}, 2), y[1], g[1];
    int axes[2] = {0, 1};
    wf_record *r;

    REFUSED(wf_grad_call(c, &f, &x, -1, NULL, 0, y, 1, g), "wf_grad_call: needs 1 inputs, got -1");
    REFUSED(wf_grad_call(c, &f, &x, 1, axes, -3, y, 1, g), "wf_grad_call: needs out_grads[n]");
    REFUSED(wf_jvp_call(c, &f, &x, 1, axes, -1, &x, y, g, 1), "wf_jvp_call: needs a list of inputs");
    REFUSED(wf_record_new(c, &f, &x, 1, NULL, 0, y, -1, &r), "wf_record_new: needs 1 places of results, got -1");
    REFUSED(wf_gradients(c, &x, NULL, 1, &x, -5, 0, g), "wf_gradients: needs y[ny] && x[nx] && out[nx]");
    REFUSED(wf_tensordot(c, x, x, axes, axes, -1), "wf_tensordot: needs x_axes[n] && y_axes[n] && n <= MAX_RANK");
    REFUSED(wf_assert(c, wf_bool(c, true), "text", &x, -1), "wf_assert: needs message && t[n]");
    wf_ctx_free(c);
}

/* Sizes whose product is no number, more axes than there are forms of, options that are not there. */
TEST(layers_of_impossible_sizes_are_refused)
{
    wf_ctx *c = wf_ctx_new(NULL);
    int64_t sizes[5] = {2, 2, 2, 2, 2}, huge[] = {INT64_MAX, INT64_MAX / 4, (int64_t)1 << 62, (int64_t)1 << 40, INT64_MIN, -1};
    wf_tensor x = wf_ones(c, WF_F32, (int64_t[]){1, 1, 2, 2, 2, 2, 2}, 7);

    for (size_t k = 0; k < sizeof huge / sizeof *huge; k++) {
        CHECK(!wf_nn_lstm(c, NULL, huge[k], 8, NULL) && wf_ctx_status(c) != WF_ERR_INTERNAL);
        wf_clear(c);
        CHECK(!wf_nn_lstm(c, NULL, 4, huge[k], NULL) && wf_ctx_status(c) != WF_ERR_INTERNAL);
        wf_clear(c);
        CHECK(!wf_nn_attention(c, NULL, huge[k], 1, NULL) && wf_ctx_status(c) != WF_ERR_INTERNAL);
        wf_clear(c);
    }
    CHECK(!wf_nn_adaptive_avg_pool(c, 5, sizes) && strstr(wf_ctx_message(c), "needs sizes of 1 to 3 axes"));
    wf_clear(c);
    CHECK(wf_is_none(wf_adaptive_max_pool(c, x, 5, sizes)) && strstr(wf_ctx_message(c), "5 spatial axes; there are 1 to 3"));
    wf_clear(c);
    CHECK(!wf_nn_max_pool(c, 2, NULL) && strstr(wf_ctx_message(c), "needs a window >= 1"));
    wf_clear(c);
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

/* What is asked for in options that do not say their size is refused, never left out. */
TEST(options_without_a_size_are_not_ignored)
{
    wf_ctx *c = wf_ctx_new(NULL), *other = wf_ctx_new(&(wf_options){.threads = 1});
    wf_model *m = two_inputs(c), *none;
    wf_graph *g;
    wf_comm *w;

    CHECK(wf_runtime_new(&(wf_runtime_options){.threads = 3}) == NULL);
    CHECK_HAS(wf_ctx_message(other), "wf_options.size is not set");
    REFUSED(wf_graph_new(c, "g", &(wf_graph_options){.size_guards = true}, &g),
            "wf_graph_new: the options do not say their size");
    REFUSED(wf_comm_open(c, &(wf_comm_options){.ranks = 1, .key = "alone"}, &w),
            "wf_comm_open: the options do not say their size");
    REFUSED(wf_export(c, m, "/nowhere", &(wf_export_options){.name = "net"}),
            "wf_export: the options do not say their size");
    REFUSED(wf_model_import(c, "x", &(wf_import_options){.n = 0}, &none), "import: the options have another size");
    wf_model_free(m);
    wf_ctx_free(other);
    wf_ctx_free(c);
}

/* ---- memory that may only be read --------------------------------------------------- */

static const float readable[4] = {1, 2, 3, 4}; /* in a page that cannot be written */

static void never(DLManagedTensorVersioned *m) { ++*(int *)m->manager_ctx; }

TEST(memory_that_may_only_be_read_is_not_written)
{
    wf_ctx *c = wf_ctx_new(NULL);
    int64_t dims[1] = {4};
    int dropped = 0;
    DLManagedTensorVersioned foreign = {
        {1, 0},
        &dropped,
        never,
        1,
        {(void *)(uintptr_t)readable, {kDLCPU, 0}, 1, {kDLFloat, 32, 1}, dims, NULL, 0}};
    DLManagedTensorVersioned *handed;
    DLManagedTensor *plain;
    wf_array *a[2];
    wf_tensor x;

    REQUIRE(wf_array_wrap_const(c, WF_F32, dims, 1, NULL, readable, NULL, NULL, &a[0]) ==
            WF_OK);
    REQUIRE(wf_array_from_dlpack_versioned(c, &foreign, &a[1]) == WF_OK);
    for (int i = 0; i < 2; i++) {
        CHECK(wf_array_data(a[i]) == readable);
        CHECK(wf_array_data_mutable(a[i]) == NULL);
        x = wf_from_array(c, a[i]);
        CHECK_EQ_INT(wf_write(c, x, wf_float(c, 9)), WF_ERR_VALUE);
        CHECK_STR(wf_ctx_message(c), "value error: wf_write: the memory of the tensor "
                                     "may only be read; copy it first");
        wf_clear(c);
        CHECK_EQ_INT(wf_add_in(c, wf_narrow(c, x, 0, 1, 2), wf_float(c, 9)),
                     WF_ERR_VALUE);
        wf_clear(c);
        CHECK_EQ_INT(wf_add_in(c, wf_copy(c, x), wf_float(c, 9)), WF_OK);
        REQUIRE(wf_array_to_dlpack_versioned(c, a[i], &handed) == WF_OK);
        CHECK(handed->flags == 1 && handed->dl_tensor.data == readable);
        handed->deleter(handed);
        REQUIRE(wf_array_to_dlpack(c, a[i], &plain) == WF_OK); /* cannot say it: a copy */
        CHECK(plain->dl_tensor.data != readable &&
              ((float *)plain->dl_tensor.data)[3] == 4);
        plain->deleter(plain);
        wf_array_release(a[i]);
    }
    wf_ctx_free(c);
    CHECK_EQ_INT(dropped, 1);
}

/* ---- signatures ---------------------------------------------------------------------- */

static const char affine[] =
    "f(x: f32[N,3], w: f32[3], b: f32[]) {\n  y = dot x w\n  z = reduce_sum y axes=[0]\n"
    "  s = add z b\n  ret y, s\n}\n";

TEST(what_a_program_takes_and_gives_is_data)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_model *m;
    const wf_program *p;
    wf_value_info v = {.size = sizeof v},
                  old = {.size = offsetof(wf_value_info, dtype), .rank = 77};

    REQUIRE(wf_model_parse(c, "f.wir", affine, sizeof affine - 1, &m) == WF_OK);
    p = wf_model_find(m, "f");
    REQUIRE(wf_program_input_info(c, p, 0, &v) == WF_OK);
    CHECK(v.role == WF_ROLE_INPUT && v.dtype == WF_F32 && v.rank == 2);
    CHECK_STR(v.name, "x");
    CHECK(v.dims[0] == -1 && v.dims[1] == 3 && v.dims[2] == 0);
    CHECK_STR(v.sizes[0], "N");
    CHECK_STR(v.sizes[1], "3");
    REQUIRE(wf_program_output_info(c, p, 1, &v) == WF_OK);
    CHECK(v.role == WF_ROLE_RESULT && v.rank == 0 && v.dims[0] == 0);
    CHECK_STR(v.name, "");
    CHECK_EQ_INT(wf_program_input_info(c, p, 1, &old), WF_OK);
    CHECK_STR(old.name, "w");
    CHECK_EQ_INT(old.rank, 77); /* of a version that knew no ranks */
    CHECK_EQ_INT(wf_program_find_input(p, "b"), 2);
    CHECK_EQ_INT(wf_program_find_input(p, "c"), -1);
    CHECK_EQ_INT(wf_program_find_input(p, ""), -1);
    CHECK_EQ_INT(wf_program_input_info(c, p, 3, &v), WF_ERR_INDEX);
    wf_clear(c);
    CHECK_EQ_INT(wf_program_output_info(c, p, 0, &(wf_value_info){0}), WF_ERR_ARG);
    wf_model_free(m);
    wf_ctx_free(c);
}

static wf_status square_loss(wf_ctx *c, void *user, wf_module *m, const wf_tensor *in,
                             int nin, wf_tensor *out, int nout)
{
    (void)user, (void)nin, (void)nout;
    out[0] = wf_mean(c, wf_square(c, wf_forward_one(c, m, in[0])), NULL, 0, false);
    return wf_ctx_status(c);
}

TEST(a_method_says_which_of_its_inputs_are_the_files)
{
    static const struct {
        const char *name;
        wf_role role;
    } inputs[] = {
        {"0.weight", WF_ROLE_PARAMETER},          {"0.bias", WF_ROLE_PARAMETER},
        {"1.weight", WF_ROLE_PARAMETER},          {"1.bias", WF_ROLE_PARAMETER},
        {"1.running_mean", WF_ROLE_BUFFER},       {"1.running_var", WF_ROLE_BUFFER},
        {"1.num_batches_tracked", WF_ROLE_BUFFER}};
    wf_ctx *c = wf_ctx_new(NULL);
    wf_module *linear = wf_nn_linear(c, NULL, 4, 3, true),
              *norm = wf_nn_batch_norm1d(c, 3, 1e-5, 0.1);
    wf_module *net = wf_nn_sequential(c, 2, linear, norm);
    wf_optim *opt = wf_sgd(c, net, 0.1, 0.9, false, 0);
    const char *types[] = {"f32[N,4]"};
    wf_value_info v = {.size = sizeof v};
    wf_model *file;
    int n, lr = -1, parameters = 0;

    wf_model_new(c, &file);
    wf_module_store(c, net, file);
    wf_optim_store(c, opt, file);
    wf_optim_add_step(c, opt, net, file, "train", square_loss, NULL, types, 1);
    REQUIRE(wf_ctx_status(c) == WF_OK);
    n = wf_program_inputs(wf_model_find(file, "train"));
    for (int i = 0; i < n; i++) {
        REQUIRE(wf_model_input_info(c, file, "train", i, &v) == WF_OK);
        for (size_t k = 0; k < sizeof inputs / sizeof *inputs; k++)
            if (!strcmp(v.name, inputs[k].name))
                CHECK_EQ_INT(v.role, inputs[k].role);
        parameters += v.role == WF_ROLE_PARAMETER;
        if (!strcmp(v.name, "optim.lr")) {
            CHECK_EQ_INT(v.role, WF_ROLE_STATE);
            lr = i;
        }
    }
    CHECK(lr > 0);
    CHECK_EQ_INT(parameters, 4);
    CHECK_EQ_INT(v.role, WF_ROLE_INPUT); /* the last one is the argument */
    CHECK_STR(v.sizes[0], "N");
    CHECK_EQ_INT(wf_model_output_info(c, file, "train", 0, &v), WF_OK);
    CHECK_EQ_INT(v.role, WF_ROLE_RESULT);
    CHECK_EQ_INT(wf_model_output_info(c, file, "train", 1, &v), WF_OK);
    CHECK_EQ_INT(v.role, WF_ROLE_PARAMETER);
    CHECK_STR(v.name, "0.weight");
    CHECK_EQ_INT(wf_model_input_info(c, file, "no", 0, &v), WF_ERR_NAME);
    wf_clear(c);
    wf_model_free(file);
    wf_optim_free(c, opt);
    wf_module_release(c, net);
    wf_ctx_free(c);
}

/* ---- ways to run --------------------------------------------------------------------- */

typedef struct Ready {
    wf_ctx *c;
    wf_model *m;
    wf_exec *e;
    wf_array *in[3]; /* x [2,3] of 1..6, w = 1, b = 10 */
} Ready;

static bool ready(Ready *r)
{
    static const float x[] = {1, 2, 3, 4, 5, 6}, w[] = {1, 1, 1}, b[] = {10};

    *r = (Ready){.c = wf_ctx_new(NULL)};
    wf_model_parse(r->c, "f.wir", affine, sizeof affine - 1, &r->m);
    wf_array_from(r->c, WF_F32, (int64_t[]){2, 3}, 2, x, &r->in[0]);
    wf_array_from(r->c, WF_F32, (int64_t[]){3}, 1, w, &r->in[1]);
    wf_array_from(r->c, WF_F32, NULL, 0, b, &r->in[2]);
    return wf_prepare(r->c, wf_model_find(r->m, "f"), &r->e) == WF_OK;
}

static void done(Ready *r)
{
    for (int i = 0; i < 3; i++)
        wf_array_release(r->in[i]);
    wf_exec_release(r->e);
    wf_model_free(r->m);
    wf_ctx_free(r->c);
}

static double at(const wf_array *a, int i)
{
    return ((const float *)wf_array_data(a))[i];
}

TEST(results_go_into_arrays_of_the_caller)
{
    Ready r;
    float y[2] = {0}, s[3] = {0, 0, -1};
    wf_array *out[2], *bad;

    REQUIRE(ready(&r));
    wf_ctx *c = r.c;
    wf_array_wrap(c, WF_F32, (int64_t[]){2}, 1, NULL, y, NULL, NULL, &out[0]);
    wf_array_wrap(c, WF_F32, NULL, 0, NULL, s + 1, NULL, NULL, &out[1]);
    REQUIRE(wf_run_into(c, r.e, r.in, 3, out, 2) == WF_OK);
    CHECK(y[0] == 6 && y[1] == 15 && s[0] == 0 && s[1] == 31 && s[2] == -1);
    REFUSED(wf_run_into(c, r.e, r.in, 3, out, 1),
            "wf_run_into: needs 2 arrays for results, got 1");
    REFUSED(wf_run_into(c, r.e, r.in, 3, (wf_array *[]){out[0], NULL}, 2),
            "f: the array for result 1 is NULL");
    REFUSED(wf_run_into(c, r.e, r.in, 3, (wf_array *[]){out[0], r.in[2]}, 2),
            "f: the array for result 1 shares memory with input 2");
    wf_array_wrap(c, WF_F32, NULL, 0, NULL, y + 1, NULL, NULL, &bad);
    REFUSED(wf_run_into(c, r.e, r.in, 3, (wf_array *[]){out[0], bad}, 2),
            "f: the arrays for results 0 and 1 share memory");
    wf_array_release(bad);
    wf_array_wrap_const(c, WF_F32, NULL, 0, NULL, readable, NULL, NULL, &bad);
    REFUSED(wf_run_into(c, r.e, r.in, 3, (wf_array *[]){out[0], bad}, 2),
            "f: the array for result 1 must be row-major, writable, and on device 'cpu'");
    wf_array_release(bad);
    wf_array_new(c, WF_F32, (int64_t[]){3}, 1, &bad);
    CHECK_EQ_INT(wf_run_into(c, r.e, r.in, 3, (wf_array *[]){bad, out[1]}, 2),
                 WF_ERR_SHAPE);
    CHECK_STR(wf_ctx_message(c),
              "shape error: f: result 0 is f32[2], the array for it f32[3]");
    wf_clear(c);
    wf_array_release(bad);
    for (int i = 0; i < 2; i++)
        wf_array_release(out[i]);
    done(&r);
}

TEST(inputs_go_by_name)
{
    Ready r;
    wf_array *out[2];

    REQUIRE(ready(&r));
    wf_ctx *c = r.c;
    const char *names[] = {"b", "x", "w"}, *twice[] = {"x", "x", "w"},
               *wrong[] = {"x", "y", "w"};
    wf_array *in[] = {r.in[2], r.in[0], r.in[1]};
    REQUIRE(wf_run_named(c, r.e, names, in, 3, out, 2) == WF_OK);
    CHECK(at(out[0], 1) == 15 && at(out[1], 0) == 31);
    wf_array_release(out[0]);
    wf_array_release(out[1]);
    CHECK_EQ_INT(wf_run_named(c, r.e, twice, in, 3, out, 2), WF_ERR_NAME);
    CHECK_STR(wf_ctx_message(c), "name error: wf_run_named: input 'x' comes twice");
    CHECK(!out[0] && !out[1]);
    wf_clear(c);
    CHECK_EQ_INT(wf_run_named(c, r.e, wrong, in, 3, out, 2), WF_ERR_NAME);
    CHECK_STR(wf_ctx_message(c), "name error: wf_run_named: 'f' has no input 'y'");
    wf_clear(c);
    done(&r);
}

TEST(a_runner_keeps_its_inputs_and_the_place_of_its_results)
{
    Ready r;
    wf_runner *run;
    wf_array *more, *held;
    const void *place;

    REQUIRE(ready(&r));
    wf_ctx *c = r.c;
    REQUIRE(wf_runner_new(c, r.e, &run) == WF_OK);
    CHECK(wf_runner_output(run, 0) == NULL);
    CHECK_EQ_INT(wf_runner_run(c, run), WF_ERR_ARG); /* without inputs */
    wf_clear(c);
    for (int i = 0; i < 3; i++)
        wf_runner_set(c, run, i, r.in[i]);
    REQUIRE(wf_runner_run(c, run) == WF_OK);
    place = wf_array_data(wf_runner_output(run, 0));
    CHECK(at(wf_runner_output(run, 1), 0) == 31);
    *(float *)wf_array_data_mutable(r.in[2]) = 20; /* the same array, another number */
    REQUIRE(wf_runner_run(c, run) == WF_OK);
    CHECK(at(wf_runner_output(run, 1), 0) == 41);
    CHECK(wf_array_data(wf_runner_output(run, 0)) == place);
    held = wf_array_retain(
        wf_runner_output(run, 1)); /* what somebody holds stays as it is */
    *(float *)wf_array_data_mutable(r.in[2]) = 30;
    REQUIRE(wf_runner_run(c, run) == WF_OK);
    CHECK(at(held, 0) == 41 && at(wf_runner_output(run, 1), 0) == 51);
    wf_array_release(held);
    wf_array_new(c, WF_F32, (int64_t[]){5, 3}, 2, &more); /* another size */
    CHECK_EQ_INT(wf_runner_set_named(c, run, "x", more), WF_OK);
    REQUIRE(wf_runner_run(c, run) == WF_OK);
    CHECK_EQ_INT(wf_array_dims(wf_runner_output(run, 0))[0], 5);
    wf_runner_set_named(c, run, "w", wf_runner_output(run, 0)); /* a wrong one */
    CHECK_EQ_INT(wf_runner_run(c, run), WF_ERR_SHAPE);
    wf_clear(c);
    CHECK_EQ_INT(wf_runner_set_named(c, run, "q", more), WF_ERR_NAME);
    wf_clear(c);
    CHECK_EQ_INT(wf_runner_set(c, run, 3, more), WF_ERR_INDEX);
    wf_clear(c);
    wf_array_release(more);
    wf_runner_free(run);
    done(&r);
}

/* ---- what is printed ----------------------------------------------------------------- */

typedef struct Heard {
    char text[200];
    size_t n;
} Heard;

static void hear(void *user, const char *text, size_t size)
{
    Heard *h = user;

    if (h->n + size < sizeof h->text)
        memcpy(h->text + h->n, text, size);
    h->n += size;
}

TEST(what_programs_and_scripts_print_goes_to_the_host)
{
    Heard h = {0};
    wf_options o = {.size = sizeof o, .print = hear, .print_user = &h};
    wf_ctx *c = wf_ctx_new(&o);
    char path[] = "/tmp/weft_printXXXXXX";
    int fd = mkstemp(path);
    static const char script[] =
        "import jax\nprint('from', 1)\njax.debug.print('now {}', 2.5)\n";

    wf_print(c, "x = {}", (wf_tensor[]){wf_float(c, 1.5)}, 1);
    CHECK_STR(h.text, "x = 1.5\n");
    REQUIRE(fd >= 0 && write(fd, script, sizeof script - 1) == sizeof script - 1);
    close(fd);
    memset(&h, 0, sizeof h);
    CHECK_EQ_INT(wf_script_run(c, path, 1, (char *[]){path}, NULL), WF_OK);
    CHECK_STR(h.text, "from 1\nnow 2.5\n");
    unlink(path);
    wf_ctx_free(c);
}

/* The host's own calls after a script have the host's place, not a line of the script, whose text is gone. */
TEST(a_context_goes_on_after_a_script)
{
    wf_ctx *c = wf_ctx_new(NULL);
    char path[] = "/tmp/weft_afterXXXXXX";
    int fd = mkstemp(path);
    static const char script[] = "import torch\nx = torch.ones(3) * 2\n";

    REQUIRE(fd >= 0 && write(fd, script, sizeof script - 1) == sizeof script - 1);
    close(fd);
    for (int k = 0; k < 2; k++) {
        wf_set_place(c, k ? "host.c" : NULL, 7, 1);
        CHECK_EQ_INT(wf_script_run(c, path, 1, (char *[]){path}, NULL), WF_OK);
        wf_add(c, wf_ones(c, WF_F32, (int64_t[]){2}, 1), wf_ones(c, WF_F32, (int64_t[]){3}, 1));
        CHECK_EQ_INT(wf_ctx_status(c), WF_ERR_SHAPE);
        CHECK(!strstr(wf_ctx_message(c), path));
        CHECK(!strstr(wf_ctx_message(c), "host.c:7:1") == !k);
        wf_clear(c);
    }
    unlink(path);
    wf_ctx_free(c);
}

TEST(the_library_says_its_version)
{
    CHECK_STR(wf_version(), WF_VERSION);
    CHECK_EQ_INT(wf_abi_version(), WF_ABI_VERSION);
}

TEST(an_item_that_is_no_integer_is_refused)
{
    static const double bad[] = {0.0 / 0.0, 1.0 / 0.0, -0x1p64, 0x1p63};
    wf_ctx *c = wf_ctx_new(NULL);

    for (int i = 0; i < (int)(sizeof bad / sizeof *bad); i++) {
        CHECK_EQ_INT(wf_item_int(c, wf_scalar(c, WF_F64, bad[i])), 0);
        CHECK_EQ_INT(wf_ctx_status(c), WF_ERR_VALUE);
        wf_clear(c);
    }
    CHECK_EQ_INT(wf_item_int(c, wf_scalar(c, WF_F64, -0x1p63)), INT64_MIN);
    CHECK_EQ_INT(wf_item_int(c, wf_scalar(c, WF_F32, 2.9)), 2);
    CHECK_EQ_INT(wf_ctx_status(c), WF_OK);
    wf_ctx_free(c);
}

/* ---- checks in files --------------------------------------------------------------- */

static wf_status loss_of_labels(wf_ctx *c, void *user, const wf_tensor *in, int nin, wf_tensor *out, int nout)
{
    (void)user, (void)nin, (void)nout;
    out[0] = wf_nll_loss(c, in[0], in[1], WF_NONE, -100, WF_SUM);
    return wf_ctx_status(c);
}

static void save_checked_loss(const char *path)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_function f = WF_FUNCTION(loss_of_labels, NULL, 2, 1, "loss");
    wf_semantics s = {.size = sizeof s};
    const wf_program *p = NULL;
    wf_model *m = NULL;

    wf_semantics_of(c, &s);
    s.index_check = true;
    wf_set_semantics(c, &s);
    wf_trace_types(c, &f, (const char *[]){"f32[N,4]", "i64[N]"}, 2, &p);
    wf_model_new(c, &m);
    wf_model_add(c, m, p);
    CHECK_EQ_INT(wf_model_save(c, m, path), WF_OK);
    wf_program_release(p);
    wf_model_free(m);
    wf_ctx_free(c);
}

/* The loss of one row 1 2 3 4 by a label: interpreted, compiled, as a method. */
static void look_up(const char *path, bool unchecked, int64_t label, wf_status status, float *out)
{
    wf_ctx *c = wf_ctx_new(&(wf_options){.size = sizeof(wf_options), .unchecked = unchecked});
    wf_array *in[2] = {NULL, NULL};
    wf_model *m = NULL;

    wf_array_from(c, WF_F32, (int64_t[]){1, 4}, 2, (float[]){1, 2, 3, 4}, &in[0]);
    wf_array_from(c, WF_I64, (int64_t[]){1}, 1, &label, &in[1]);
    CHECK_EQ_INT(wf_model_load(c, path, &m), WF_OK);
    for (int way = 0; way < 3; way++) {
        wf_array *y = NULL;
        wf_exec *e = NULL;
        wf_tensor x[2] = {wf_from_array(c, in[0]), wf_from_array(c, in[1])}, t = WF_NONE;

        out[way] = 0;
        if (way == 2)
            wf_model_run(c, m, "loss", x, 2, &t, 1);
        else if (!(way ? wf_compile(c, wf_model_program(m, 0), 0, &e) : wf_prepare(c, wf_model_program(m, 0), &e)))
            wf_run(c, e, in, 2, &y, 1);
        CHECK_EQ_INT(wf_ctx_status(c), status);
        if (status == WF_OK)
            out[way] = way == 2 ? (float)wf_item(c, t) : *(const float *)wf_array_data(y);
        wf_clear(c);
        wf_array_release(y);
        wf_exec_release(e);
    }
    wf_array_release(in[0]);
    wf_array_release(in[1]);
    wf_model_free(m);
    wf_ctx_free(c);
}

TEST(checks_that_a_file_has_are_made_unless_the_context_says_otherwise)
{
    char path[] = "/tmp/weft_checkedXXXXXX";
    int fd = mkstemp(path);
    float y[3];

    REQUIRE(fd >= 0);
    close(fd);
    save_checked_loss(path);
    for (int unchecked = 0; unchecked < 2; unchecked++) {
        look_up(path, unchecked, 2, WF_OK, y);
        CHECK(y[0] == -3 && y[1] == -3 && y[2] == -3);
        look_up(path, unchecked, 77, unchecked ? WF_OK : WF_ERR_ASSERT, y);
        if (unchecked)
            CHECK(y[0] == -4 && y[1] == -4 && y[2] == -4); /* moved inside */
    }
    unlink(path);
}
