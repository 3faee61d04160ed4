/* test_nn_life.c -- modules as trees, in files and training: errors, state, data, whole models, memory and threads.
 * What each layer computes is test_nn.c.
 */
#include "lib_nn.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the tree ---------------------------------------------------------------------- */

TEST(an_error_names_the_module_it_happened_in)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_module *m = a_dict(c, NULL), *seq = wf_nn_sequential(c, 1, wf_nn_identity(c));

    wf_module_add(c, m, "deep",
                  wf_module_append(c, seq, wf_nn_linear(c, NULL, 3, 2, true)));
    CHECK(wf_is_none(wf_forward_one(c, wf_module_find(m, "deep"),
                                    wf_zeros(c, WF_F32, (int64_t[]){2, 5}, 2))));
    CHECK_EQ_INT(wf_ctx_status(c), WF_ERR_SHAPE);
    CHECK_HAS(wf_ctx_message(c), "in module deep.1 (Linear)");
    wf_clear(c);
    CHECK(wf_is_none(wf_forward_one(c, m, wf_zeros(c, WF_F32, (int64_t[]){2, 5}, 2))));
    CHECK_HAS(wf_ctx_message(c), "only holds others");
    wf_clear(c);
    wf_module_add(c, m, "up", wf_nn_relu(c));
    CHECK_EQ_INT(wf_ctx_status(c), WF_ERR_NAME);
    CHECK_HAS(wf_ctx_message(c), "'up' is there already");
    wf_clear(c);
    CHECK_EQ_INT(wf_module_count(c, m, false), 9 + 8 + 8);
    wf_module_freeze(c, wf_module_find(m, "down"), true);
    CHECK_EQ_INT(wf_module_count(c, m, true), 9 + 8);
    wf_module *part = wf_module_retain(wf_module_find(m, "up"));
    wf_module_release(c, m);
    CHECK_EQ_INT(
        wf_size(c, wf_forward_one(c, part, wf_zeros(c, WF_F32, (int64_t[]){2, 2}, 2)), 1),
        3);
    wf_module_release(c, part);
    CHECK_STR(wf_ctx_message(c), "");
    wf_ctx_free(c);
}

TEST(constructors_refuse_what_makes_no_sense)
{
    wf_ctx *c = wf_ctx_new(NULL);

    CHECK(!wf_nn_linear(c, NULL, -1, 2, true));
    CHECK_HAS(wf_ctx_message(c), "Linear: sizes are negative");
    CHECK(!wf_nn_sequential(c, 1, wf_nn_relu(c))); /* the error sticks, nothing leaks */
    wf_clear(c);
    CHECK(!wf_nn_conv2d(c, NULL, 3, 4, 3, OPT(.groups = 2)));
    CHECK_HAS(wf_ctx_message(c), "multiples of groups");
    wf_clear(c);
    CHECK(!wf_nn_attention(c, NULL, 5, 2, NULL));
    wf_clear(c);
    CHECK(!wf_nn_dropout(c, NULL, 1.5));
    wf_clear(c);
    CHECK(!wf_nn_sequential(c, 2, wf_nn_relu(c), (wf_module *)NULL));
    CHECK_EQ_INT(wf_ctx_status(c), WF_ERR_ARG);
    wf_clear(c);
    CHECK(!wf_sgd(c, NULL, 0.1, 0, false, 0));
    wf_ctx_free(c);
}

/* What comes of constructors that failed may be used: an error, not a crash. */
TEST(nothing_in_place_of_a_module_is_an_error)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_tensor x = wf_ones(c, WF_F32, DIMS(2), 1), y;
    wf_model *file;

    wf_model_new(c, &file);
#define REFUSED(call, text)                                                              \
    do {                                                                                 \
        (void)(call);                                                                    \
        CHECK_EQ_INT(wf_ctx_status(c), WF_ERR_ARG);                                      \
        CHECK_HAS(wf_ctx_message(c), text);                                              \
        wf_clear(c);                                                                     \
    } while (0)
    REFUSED(wf_forward_one(c, NULL, x), "wf_module_call: the module is NULL");
    REFUSED(wf_module_call_with(c, NULL, NULL, 0, &x, 1, &y, 1, NULL), "module is NULL");
    REFUSED(wf_module_add(c, NULL, "a", wf_nn_relu(c)), "module or the child is NULL");
    REFUSED(wf_module_text(c, NULL), "wf_module_text");
    REFUSED(wf_module_freeze(c, NULL, true), "wf_module_freeze");
    REFUSED(wf_module_cast(c, NULL, WF_F64), "wf_module_cast");
    REFUSED(wf_module_zero_grad(c, NULL), "wf_module_zero_grad");
    REFUSED(wf_module_visit_state(c, NULL, NULL, NULL), "wf_module_visit_state");
    REFUSED(wf_module_store(c, NULL, file), "wf_module_store");
    REFUSED(wf_module_restore(c, NULL, file), "wf_module_restore");
    REFUSED(wf_module_run(c, NULL, "f", &x, 1, &y, 1), "wf_module_run");
    REFUSED(wf_model_run(c, NULL, "f", &x, 1, &y, 1), "wf_model_run: the file is NULL");
    REFUSED(wf_module_add_method(c, NULL, file, "f", NULL, NULL, NULL, 0, 1), "is NULL");
    REFUSED(wf_optim_add_step(c, NULL, NULL, file, "f", NULL, NULL, NULL, 0), "is NULL");
    REFUSED(wf_adam(c, NULL, 1, 0.9, 0.99, 1e-8, 0), "optimiser: the module is NULL");
    REFUSED(wf_optim_step(c, NULL), "wf_optim_step: the optimiser is NULL");
    REFUSED(wf_optim_zero_grad(c, NULL), "wf_optim_zero_grad");
    REFUSED(wf_optim_store(c, NULL, file), "wf_optim_store");
    REFUSED(wf_loader_next(c, NULL, &y, 1), "wf_loader_next: the loader is NULL");
    CHECK(!wf_module_load(c, file));
    CHECK_HAS(wf_ctx_message(c), "the file has no tree");
    wf_clear(c);
    wf_module_train(NULL, true);
    wf_optim_set_lr(NULL, 1);
    CHECK_EQ_INT(wf_module_parameters(NULL, NULL, 0), 0);
    CHECK_EQ_INT(wf_module_children(NULL), 0);
    CHECK(!wf_module_find(NULL, "a") && wf_is_none(wf_module_tensor(NULL, "a")));
    wf_module_release(c, NULL);
    wf_optim_free(c, NULL);
    wf_loader_free(c, NULL);
    CHECK_STR(wf_ctx_message(c), "");
    wf_model_free(file);
    wf_ctx_free(c);
}

static wf_status list_names(void *user, const char *path, wf_tensor t, bool is_param)
{
    (void)t;
    strcat(user, path);
    strcat(user, is_param ? " " : "* ");
    return WF_OK;
}

TEST(state_goes_to_a_file_and_back_and_training_goes_on)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_generator *g;
    wf_model *file;
    char names[256] = "";
    double a[10], b[10];

    wf_generator_new(c, 3, &g);
    wf_module *m = wf_nn_sequential(c, 2, wf_nn_linear(c, g, 3, 2, true),
                                    wf_nn_batch_norm1d(c, 2, 1e-5, 0.1));
    wf_module *n = wf_nn_sequential(c, 2, wf_nn_linear(c, NULL, 3, 2, true),
                                    wf_nn_batch_norm1d(c, 2, 1e-5, 0.1));
    wf_module_visit_state(c, m, list_names, names);
    CHECK_STR(names, "0.weight 0.bias 1.weight 1.bias 1.running_mean* 1.running_var* "
                     "1.num_batches_tracked* ");
    wf_tensor x = wf_randn(c, g, WF_F32, (int64_t[]){5, 3}, 2);
    wf_optim *o = wf_adam(c, m, 0.1, 0.9, 0.999, 1e-8, 0),
             *p = wf_adam(c, n, 0.5, 0.9, 0.999, 1e-8, 0);
    for (int i = 0; i < 6; i++) {
        if (i == 3) {
            wf_model_new(c, &file);
            wf_module_store(c, m, file);
            wf_optim_store(c, o, file);
            wf_module_restore(c, n, file);
            wf_optim_restore(c, p, file);
            /* another optimiser, with as many tensors of the same types and with fewer */
            wf_optim *others[] = {wf_adamw(c, n, 0.5, 0.9, 0.999, 1e-8, 0),
                                  wf_sgd(c, n, 0.5, 0, false, 0)};
            for (int k = 0; k < 2; k++) {
                CHECK(wf_optim_restore(c, others[k], file) == WF_ERR_NAME);
                CHECK(strstr(wf_ctx_message(c), "the state of adam") != NULL);
                wf_clear(c);
                wf_optim_free(c, others[k]);
            }
            wf_model_free(file);
        }
        for (int k = 0; k < (i < 3 ? 1 : 2); k++) {
            wf_optim_zero_grad(c, k ? p : o);
            wf_tensor y = wf_forward_one(c, k ? n : m, x);
            wf_backward(c, wf_sum(c, wf_mul(c, y, wf_mul(c, y, y)), NULL, 0, false),
                        WF_NONE, 0);
            wf_optim_step(c, k ? p : o);
        }
    }
    CHECK_STR(wf_ctx_message(c), "");
    wf_module_train(m, false);
    wf_module_train(n, false);
    wf_read_f64(c, wf_forward_one(c, m, x), a, 10);
    wf_read_f64(c, wf_forward_one(c, n, x), b, 10);
    CHECK(!memcmp(a, b, sizeof a));
    CHECK(a[0] != a[1]);
    CHECK_EQ_INT(wf_item_int(c, wf_module_tensor(n, "1.num_batches_tracked")), 6);
    wf_model_new(c, &file);
    wf_module_restore(c, n, file);
    CHECK_HAS(wf_ctx_message(c), "0.weight is missing");
    wf_clear(c);
    wf_model_free(file);
    wf_optim_free(c, o);
    wf_optim_free(c, p);
    wf_module_release(c, m);
    wf_module_release(c, n);
    wf_generator_free(g);
    wf_ctx_free(c);
}

/* ---- a whole training step as one program, of many models -------------------------- */

enum { MODELS = 3, PARAMS = 4, INPUTS = 3 * PARAMS + 3 };

/* (params.., x) -> mean of y^2 */
static wf_status pure_loss(wf_ctx *c, void *user, const wf_tensor *in, int nin,
                           wf_tensor *out, int nout)
{
    const Net *n = user;
    wf_tensor y;

    (void)nin, (void)nout;
    if (wf_module_call_with(c, n->m, in, PARAMS, in + PARAMS, 1, &y, 1, NULL))
        return wf_ctx_status(c);
    out[0] = wf_mean(c, wf_square(c, y), NULL, 0, false);
    return WF_OK;
}

/* (params.., state.., lr, step, x) -> (params.., state.., loss) */
static wf_status pure_step(wf_ctx *c, void *user, const wf_tensor *in, int nin,
                           wf_tensor *out, int nout)
{
    wf_function f = WF_FUNCTION(pure_loss, user, PARAMS + 1, 1, "loss");
    wf_tensor args[PARAMS + 1], grads[PARAMS];
    int wrt[PARAMS] = {0, 1, 2, 3};

    (void)nin, (void)nout;
    memcpy(args, in, PARAMS * sizeof *in);
    args[PARAMS] = in[INPUTS - 1];
    wf_grad_call(c, &f, args, PARAMS + 1, wrt, PARAMS, out + 3 * PARAMS, 1, grads);
    return wf_optim_update(c, ((Net *)user)->o, in[3 * PARAMS], in[3 * PARAMS + 1], in,
                           grads, in + PARAMS, PARAMS, out, out + PARAMS);
}

static wf_status all_steps(wf_ctx *c, void *user, const wf_tensor *in, int nin,
                           wf_tensor *out, int nout)
{
    wf_function f = WF_FUNCTION(pure_step, user, INPUTS, 3 * PARAMS + 1, "step");
    int axes[INPUTS] = {0};

    (void)nin;
    axes[INPUTS - 2] = axes[INPUTS - 1] = WF_UNMAPPED;
    return wf_vmap_call(c, &f, in, axes, INPUTS, NULL, NULL, out, nout);
}

TEST(models_trained_at_once_by_one_program_equal_models_trained_alone)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_generator *g;
    wf_module *m[MODELS];
    wf_tensor each[PARAMS][MODELS], own[PARAMS], in[INPUTS], out[INPUTS];
    double rates[MODELS] = {0.01, 0.02, 0.05}, a[20], b[MODELS * 20];
    wf_jit *j;

    wf_generator_new(c, 2, &g);
    for (int k = 0; k < MODELS; k++) {
        m[k] = three_layers(c, g);
        wf_module_parameters(m[k], own, PARAMS);
        for (int i = 0; i < PARAMS; i++)
            each[i][k] = wf_copy(c, wf_detach(c, own[i]));
    }
    Net net = {three_layers(c, NULL), NULL, PARAMS, PARAMS};
    net.o = wf_adamw(c, net.m, 0, 0.9, 0.999, 1e-8, 0.01);
    for (int i = 0; i < PARAMS; i++) {
        in[i] = wf_stack(c, each[i], MODELS, 0);
        in[PARAMS + i] = in[2 * PARAMS + i] = wf_zeros_like(c, in[i]);
    }
    in[3 * PARAMS] = wf_from(c, WF_F64, (int64_t[]){MODELS}, 1, rates);
    in[INPUTS - 1] = wf_randn(c, g, WF_F32, (int64_t[]){6, 4}, 2);
    wf_function f = WF_FUNCTION(all_steps, &net, INPUTS, 3 * PARAMS + 1, "all");
    wf_jit_new(c, &f, &j);
    for (int s = 1; s <= 5; s++) {
        in[INPUTS - 2] = wf_scalar(c, WF_F64, s);
        wf_jit_call(c, j, in, INPUTS, out, 3 * PARAMS + 1, NULL, 0);
        memcpy(in, out, 3 * PARAMS * sizeof *in);
    }
    CHECK_EQ_INT(wf_jit_traces(j), 1);
    wf_read_f64(c, in[0], b, MODELS * 20);
    for (int k = 0; k < MODELS; k++) {
        wf_optim *o = wf_adamw(c, m[k], rates[k], 0.9, 0.999, 1e-8, 0.01);
        for (int s = 0; s < 5; s++) {
            wf_tensor y = wf_forward_one(c, m[k], in[INPUTS - 1]);
            wf_optim_zero_grad(c, o);
            wf_backward(c, wf_mean(c, wf_square(c, y), NULL, 0, false), WF_NONE, 0);
            wf_optim_step(c, o);
        }
        wf_read_f64(c, wf_module_tensor(m[k], "0.weight"), a, 20);
        for (int i = 0; i < 20; i++)
            CHECK_NEAR(b[k * 20 + i], a[i], 2e-6);
        wf_optim_free(c, o);
        wf_module_release(c, m[k]);
    }
    CHECK_STR(wf_ctx_message(c), "");
    wf_jit_free(c, j);
    wf_optim_free(c, net.o);
    wf_module_release(c, net.m);
    wf_generator_free(g);
    wf_ctx_free(c);
}

/* ---- data -------------------------------------------------------------------------- */

TEST(digits_are_all_there_and_the_loader_gives_each_row_once_an_epoch)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_generator *g;
    wf_tensor x, y, b[2];
    int64_t label[100], count[10] = {0}, rows_seen = 0, batches = 0;

    wf_generator_new(c, 0, &g);
    wf_data_digits(c, &x, &y);
    CHECK_EQ_INT(wf_size(c, x, 0), 1797);
    CHECK_NEAR(wf_item(c, wf_sum(c, wf_cast(c, x, WF_F64), NULL, 0, false)) * 16, 561718,
               1e-6);
    wf_loader *l = wf_loader_new(c, (wf_tensor[]){x, y}, 2, 100, g, false);
    CHECK_EQ_INT(wf_loader_batches(l), 18);
    wf_scope_begin(c);
    while (wf_loader_next(c, l, b, 2)) {
        int64_t n = wf_size(c, b[1], 0);
        wf_read(c, b[1], label, (size_t)n * sizeof *label);
        for (int64_t i = 0; i < n; i++)
            count[label[i]]++;
        rows_seen += n;
        batches++;
    }
    wf_scope_end(c);
    CHECK_STR(wf_ctx_message(c), "");
    CHECK_EQ_INT(rows_seen, 1797);
    CHECK_EQ_INT(batches, 18);
    CHECK_EQ_INT(count[0], 178);
    CHECK_EQ_INT(count[3], 183);
    CHECK_EQ_INT(count[8], 174);
    wf_loader_free(c, l);
    wf_drop(c, x);
    wf_drop(c, y);
    wf_generator_free(g);
    wf_ctx_free(c);
}

static void write_file(const char *path, const void *s, size_t n)
{
    FILE *f = fopen(path, "wb");

    fwrite(s, 1, n, f);
    fclose(f);
}

TEST(idx_and_csv_files_are_read_and_bad_ones_refused)
{
    static const char idx[] = {0, 0, 0x0B, 2, 0, 0, 0, 1, 0, 0, 0, 2, 1, 2, -1, -2};
    wf_ctx *c = wf_ctx_new(NULL);
    char path[] = "/tmp/test_nn_XXXXXX";
    double v[4];

    int fd = mkstemp(path);

    REQUIRE(fd >= 0);
    close(fd);
    write_file(path, idx, sizeof idx);
    wf_tensor t = wf_data_idx(c, path);
    CHECK_EQ_INT(wf_dtype_of(c, t), WF_I16);
    wf_read_f64(c, t, v, 2);
    CHECK_NEAR(v[0], 258, 0);
    CHECK_NEAR(v[1], -2, 0);
    write_file(path, idx, sizeof idx - 1);
    CHECK(wf_is_none(wf_data_idx(c, path)));
    CHECK_EQ_INT(wf_ctx_status(c), WF_ERR_FORMAT);
    wf_clear(c);
    write_file(path, "a,b\n1, 2.5\n\n-3,4e2\n", 20);
    t = wf_data_csv(c, path, ',', 1);
    CHECK_EQ_INT(wf_size(c, t, 0), 2);
    wf_read_f64(c, t, v, 4);
    CHECK_NEAR(v[3], 400, 0);
    write_file(path, "1,2\n3\n", 6);
    CHECK(wf_is_none(wf_data_csv(c, path, ',', 0)));
    CHECK_HAS(wf_ctx_message(c), "line 2: has more or fewer");
    wf_clear(c);
    CHECK(wf_is_none(wf_data_csv(c, "/nowhere/at.all", ',', 0)));
    CHECK_EQ_INT(wf_ctx_status(c), WF_ERR_IO);
    remove(path);
    wf_ctx_free(c);
}

/* ---- models ------------------------------------------------------------------------ */

TEST(googlenet_has_torchvisions_parameters)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_module *m = wf_nn_googlenet(c, NULL, 1000);

    REQUIRE(m != NULL);
    CHECK_EQ_INT(wf_module_count(c, m, false), 6624904);
    CHECK_EQ_INT(wf_size(c, wf_module_tensor(m, "inception4e.branch2.1.conv.weight"), 0),
                 320);
    wf_module_train(m, false);
    wf_no_grad_begin(c);
    wf_tensor y =
        wf_forward_one(c, m, wf_ones(c, WF_F32, (int64_t[]){1, 3, 224, 224}, 4));
    wf_no_grad_end(c);
    CHECK_STR(wf_ctx_message(c), "");
    CHECK_EQ_INT(wf_size(c, y, 1), 1000);
    wf_module_release(c, m);
    wf_ctx_free(c);
}

/* in: x; out: the mean of squares of what an LSTM in both directions gives */
static wf_status squares(wf_ctx *c, void *user, const wf_tensor *in, int nin,
                         wf_tensor *out, int nout)
{
    wf_tensor y = wf_forward_one(c, user, in[0]);

    (void)nin, (void)nout;
    out[0] = wf_mean(c, wf_square(c, y), NULL, 0, false);
    return wf_ctx_status(c);
}

TEST(one_program_of_a_recurrent_layer_serves_every_time)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_module *m = wf_nn_lstm(c, NULL, 3, 2, RNN(.layers = 2, .bidirectional = true));
    wf_function f = WF_FUNCTION(squares, m, 1, 1, "squares");
    const wf_program *p = NULL, *g = NULL;

    wf_module_freeze(c, m, true);
    CHECK(!wf_trace_types(c, &f, (const char *[]){"f32[T,B,3]"}, 1, &p));
    CHECK(!wf_value_and_grad(c, p, NULL, 0, &g));
    CHECK(wf_program_equations(p) < 100);
    for (int64_t time = 1; time <= 9; time += 4) {
        double a[54], b[54];
        wf_tensor x = wf_randn(c, NULL, WF_F32, (int64_t[]){time, 2, 3}, 3), y, out[2];
        CHECK(!wf_apply(c, g, &x, 1, out, wf_program_outputs(g)));
        wf_requires_grad(c, x, true);
        squares(c, m, &x, 1, &y, 1);
        wf_backward(c, y, WF_NONE, 0);
        CHECK_STR(wf_ctx_message(c), "");
        CHECK_NEAR(wf_item(c, out[0]), wf_item(c, y), 1e-6);
        wf_read_f64(c, out[1], a, 6 * time);
        wf_read_f64(c, wf_grad_of(c, x), b, 6 * time);
        for (int i = 0; i < 6 * time; i++)
            CHECK_NEAR(a[i], b[i], 1e-6);
        CHECK(b[0] != 0);
    }
    wf_program_release(p);
    wf_program_release(g);
    wf_module_release(c, m);
    wf_ctx_free(c);
}

/* A later token must not change what was said before it. */
TEST(gpt_looks_only_back)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_generator *g;
    int64_t x[8] = {1, 2, 3, 4, 1, 2, 3, 0};
    double y[40];

    wf_generator_new(c, 0, &g);
    wf_module *m = wf_nn_gpt(c, g, 5, 6, 8, 2, 2, 0.1);
    REQUIRE(m != NULL);
    wf_module_train(m, false);
    wf_read_f64(c, wf_forward_one(c, m, wf_from(c, WF_I64, (int64_t[]){2, 4}, 2, x)), y,
                40);
    CHECK_STR(wf_ctx_message(c), "");
    for (int i = 0; i < 15; i++)
        CHECK_NEAR(y[i], y[20 + i], 1e-6);
    CHECK(fabs(y[15] - y[35]) > 1e-3);
    x[0] = 0;
    wf_read_f64(c, wf_forward_one(c, m, wf_from(c, WF_I64, (int64_t[]){2, 4}, 2, x)), y,
                40);
    CHECK(fabs(y[12] - y[32]) > 1e-5);
    wf_module_release(c, m);
    wf_generator_free(g);
    wf_ctx_free(c);
}

/* in: key, x; out: x dropped out twice */
static wf_status drop_by_key(wf_ctx *c, void *user, const wf_tensor *in, int nin,
                             wf_tensor *out, int nout)
{
    (void)nin, (void)nout;
    if (wf_random_key_begin(c, in[0]))
        return wf_ctx_status(c);
    for (int i = 0; i < 2; i++)
        out[i] = wf_forward_one(c, user, in[1]);
    wf_random_key_end(c);
    return wf_ctx_status(c);
}

TEST(dropout_in_a_program_takes_a_key)
{
    enum { N = 1000 };
    static double a[2][N], b[2][N], e[2][N];
    wf_ctx *c = wf_ctx_new(NULL);
    wf_module *m = wf_nn_dropout(c, NULL, 0.25);
    wf_function f = WF_FUNCTION(drop_by_key, m, 2, 2, "drop");
    wf_tensor in[2] = {wf_key(c, 3), wf_ones(c, WF_F32, (int64_t[]){N}, 1)}, out[2];
    double kept = 0, both = 0;
    wf_jit *j;

    wf_jit_new(c, &f, &j);
    wf_jit_call(c, j, in, 2, out, 2, NULL, 0);
    for (int k = 0; k < 2; k++)
        wf_read_f64(c, out[k], a[k], N);
    drop_by_key(c, m, in, 2, out, 2); /* eagerly: the same numbers */
    for (int k = 0; k < 2; k++)
        wf_read_f64(c, out[k], e[k], N);
    in[0] = wf_key(c, 4);
    wf_jit_call(c, j, in, 2, out, 2, NULL, 0);
    for (int k = 0; k < 2; k++)
        wf_read_f64(c, out[k], b[k], N);
    CHECK_STR(wf_ctx_message(c), "");
    CHECK_EQ_INT(wf_jit_traces(j), 1);
    CHECK(!memcmp(a, e, sizeof a));
    CHECK(memcmp(a, b, sizeof a) != 0);
    for (int i = 0; i < N; i++) {
        CHECK(a[0][i] == 0 || fabs(a[0][i] - 1 / 0.75) < 1e-6);
        kept += a[0][i] != 0;
        both += a[0][i] != 0 && a[1][i] != 0;
    }
    CHECK(fabs(kept / N - 0.75) < 0.05);        /* three standard deviations: 0.041 */
    CHECK(fabs(both / N - 0.75 * 0.75) < 0.06); /* independent draws */
    wf_jit_free(c, j);
    wf_module_release(c, m);
    wf_ctx_free(c);
}

TEST(dropout_in_a_program_without_a_key_is_an_error)
{
    wf_ctx *c = wf_ctx_new(NULL);
    Net n = {wf_nn_dropout(c, NULL, 0.5), NULL, 0, 0};
    wf_function f = WF_FUNCTION(pure_call, &n, 1, 1, "drop");
    wf_tensor x = wf_ones(c, WF_F32, (int64_t[]){3}, 1), y;
    wf_jit *j;

    wf_jit_new(c, &f, &j);
    wf_jit_call(c, j, &x, 1, &y, 1, NULL, 0);
    CHECK_EQ_INT(wf_ctx_status(c), WF_ERR_VALUE);
    CHECK_HAS(wf_ctx_message(c), "in module Dropout");
    wf_clear(c);
    wf_module_train(n.m, false);
    wf_jit_call(c, j, &x, 1, &y, 1, NULL, 0);
    CHECK_NEAR(wf_item(c, wf_sum(c, y, NULL, 0, false)), 3, 0);
    wf_random_key_end(c);
    CHECK_HAS(wf_ctx_message(c), "none is open");
    wf_jit_free(c, j);
    wf_module_release(c, n.m);
    wf_ctx_free(c);
}

/* ---- memory ------------------------------------------------------------------------ */

static wf_module *small_network(wf_ctx *c)
{
    wf_module *in = wf_nn_gru(c, NULL, 4, 3, RNN(.dropout = 0.1, .layers = 2));
    wf_module *out = wf_nn_linear(c, NULL, 3, 2, true);

    return wf_nn_sequential(c, 4, in, wf_nn_layer_norm(c, DIMS(3), 1, 1e-5),
                            wf_nn_dropout(c, NULL, 0.2), out);
}

/* Every kind of thing that a loop makes: batches, dropout, a scan, clipping, a schedule,
 * a jitted step, text. */
static void training_step(wf_ctx *c, wf_module *m, wf_optim *o, wf_loader *l)
{
    wf_tensor b[1], y;

    wf_scope_begin(c);
    while (!wf_loader_next(c, l, b, 1) && !wf_ctx_status(c))
        ;
    wf_optim_zero_grad(c, o);
    y = wf_forward_one(c, m, wf_expand_dims(c, b[0], 1));
    wf_backward(c, wf_sum(c, wf_square(c, y), NULL, 0, false), WF_NONE, 0);
    wf_clip_grad_norm(c, m, 1);
    wf_optim_set_lr(o, wf_lr_cosine(1e-3, wf_optim_steps(o), 10000, 0));
    wf_optim_step(c, o);
    wf_scope_end(c);
}

/* 2000 steps; 10 000 in the long tests */
TEST(thousands_of_training_steps_take_constant_memory)
{
    int64_t tensors = 0, bytes = 0, all = 0;
    FaultAlloc memory = {0};
    wf_options options = {sizeof options, .allocator = fault_allocator(&memory), .threads = 1};
    wf_ctx *c = wf_ctx_new(&options);
    wf_module *m;
    int steps = getenv("WEFT_LONG") ? 10000 : 2000;

    wf_manual_seed(c, 0);
    m = small_network(c);
    wf_optim *o = wf_adam(c, m, 1e-3, 0.9, 0.999, 1e-8, 0);
    wf_tensor x = wf_randn(c, NULL, WF_F32, DIMS(18, 4), 2);
    wf_loader *l = wf_loader_new(c, &x, 1, 6, wf_ctx_generator(c), false);
    for (int i = 0; i < steps && !wf_ctx_status(c); i++) {
        training_step(c, m, o, l);
        if (i == 100) {
            tensors = wf_live_tensors(c);
            bytes = wf_live_bytes(c);
            all = memory.live_bytes;
        }
    }
    CHECK_STR(wf_ctx_message(c), "");
    CHECK_EQ_INT(wf_optim_steps(o), steps);
    CHECK_EQ_INT(wf_live_tensors(c), tensors);
    CHECK_EQ_INT(wf_live_bytes(c), bytes);
    CHECK_EQ_INT(memory.live_bytes, all);
    wf_loader_free(c, l);
    wf_optim_free(c, o);
    wf_module_release(c, m);
    wf_ctx_free(c);
    CHECK_EQ_INT(memory.live_bytes, 0);
}

/* Build, print, train a step, free; whatever fails on the way. */
static void whole_life(wf_allocator al, void *user)
{
    wf_options options = {sizeof options, .allocator = al, .threads = 1};
    wf_ctx *c = wf_ctx_new(&options);
    wf_tensor x;

    (void)user;
    if (!c)
        return;
    wf_manual_seed(c, 0);
    wf_module *in = wf_nn_linear(c, NULL, 2, 3, true);
    wf_module *norm = wf_nn_batch_norm1d(c, 3, 1e-5, 0.1);
    wf_module *m = wf_nn_sequential(c, 3, in, norm, wf_nn_dropout(c, NULL, 0.1));
    if (m) {
        wf_module_cast(c, m, WF_F64);
        wf_module_cast(c, m, WF_F32);
        wf_module_text(c, m);
    }
    wf_optim *o = wf_ctx_status(c) ? NULL : wf_sgd(c, m, 0.1, 0.9, false, 0);
    if (o) {
        wf_optim_set_part(c, o, norm, 0.5, 0);
        x = wf_randn(c, NULL, WF_F32, DIMS(4, 2), 2);
        wf_loader *l = wf_loader_new(c, &x, 1, 2, wf_ctx_generator(c), false);
        if (l)
            wf_loader_next(c, l, &x, 1);
        wf_loader_free(c, l);
        wf_backward(c, wf_sum(c, wf_square(c, wf_forward_one(c, m, x)), NULL, 0, false),
                    WF_NONE, 0);
        wf_clip_grad_norm(c, m, 0.1);
        wf_optim_step(c, o);
    }
    wf_optim_free(c, o);
    wf_module_release(c, m);
    wf_ctx_free(c);
}

TEST(each_allocation_that_fails_leaves_nothing_behind)
{
    CHECK(fault_each(whole_life, NULL) > 300);
}

/* ---- threads ----------------------------------------------------------------------- */

static void *train_alone(void *out)
{
    wf_ctx *c = wf_ctx_new(&(wf_options){sizeof(wf_options), .threads = 1});
    wf_module *m;
    wf_optim *o;
    wf_loader *l;

    wf_manual_seed(c, 5);
    m = small_network(c);
    o = wf_adam(c, m, 1e-2, 0.9, 0.999, 1e-8, 0);
    wf_tensor x = wf_randn(c, NULL, WF_F32, DIMS(18, 4), 2);
    l = wf_loader_new(c, &x, 1, 6, wf_ctx_generator(c), false);
    for (int i = 0; i < 50; i++)
        training_step(c, m, o, l);
    if (wf_read_f64(c, wf_module_tensor(m, "0.weight_ih_l0"), out, 36))
        memset(out, 0, 36 * sizeof(double));
    wf_loader_free(c, l);
    wf_optim_free(c, o);
    wf_module_release(c, m);
    wf_ctx_free(c);
    return NULL;
}

TEST(eight_contexts_in_eight_threads_train_to_the_same_bits)
{
    static double w[9][36];
    pthread_t t[8];

    train_alone(w[8]);
    for (int i = 0; i < 8; i++)
        REQUIRE(pthread_create(&t[i], NULL, train_alone, w[i]) == 0);
    for (int i = 0; i < 8; i++) {
        pthread_join(t[i], NULL);
        CHECK(!memcmp(w[i], w[8], sizeof w[8]));
    }
    CHECK(w[8][0] != 0);
}

/* ---- the generator ----------------------------------------------------------------- */

TEST(the_generator_repeats_itself_and_refuses_what_has_no_numbers)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_generator *g;
    double a[5], b[5];
    int64_t order[50], seen = 0;

    wf_generator_new(c, 7, &g);
    wf_read_f64(c, wf_rand(c, g, WF_F64, (int64_t[]){5}, 1), a, 5);
    wf_generator_seed(g, 7);
    wf_read_f64(c, wf_rand(c, g, WF_F64, (int64_t[]){5}, 1), b, 5);
    CHECK(!memcmp(a, b, sizeof a) && a[0] != a[1]);
    wf_read(c, wf_randperm(c, g, 50), order, sizeof order);
    for (int i = 0; i < 50; i++)
        seen |= (int64_t)1 << order[i];
    CHECK_EQ_INT(seen, ((int64_t)1 << 50) - 1);
    CHECK(wf_is_none(wf_rand(c, g, WF_I32, NULL, 0)));
    CHECK_HAS(wf_ctx_message(c), "found dtype i32, needed a float");
    wf_clear(c);
    CHECK(wf_is_none(wf_randint(c, g, WF_I64, NULL, 0, 3, 3)));
    CHECK_HAS(wf_ctx_message(c), "needed low < high");
    wf_clear(c);
    CHECK(wf_is_none(wf_bernoulli(c, g, WF_BOOL, NULL, 0, 1.5)));
    wf_clear(c);
    CHECK(wf_is_none(wf_uniform(c, g, WF_F32, (int64_t[]){-1}, 1, 0, 1)));
    CHECK_EQ_INT(wf_ctx_status(c), WF_ERR_SHAPE);
    wf_generator_free(g);
    wf_ctx_free(c);
}

TEST(the_context_has_a_generator_of_its_own)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_generator *g;
    double a[3], b[3], w[6], v[6];

    wf_manual_seed(c, 7);
    wf_read_f64(c, wf_rand(c, NULL, WF_F32, (int64_t[]){3}, 1), a, 3);
    wf_generator_new(c, 7, &g);
    wf_read_f64(c, wf_rand(c, g, WF_F32, (int64_t[]){3}, 1), b, 3);
    CHECK(!memcmp(a, b, sizeof a));
    CHECK_NEAR(a[0], 0.5349, 5e-5);
    wf_manual_seed(c, 7);
    CHECK(wf_ctx_generator(c) != g);
    wf_module *m = wf_nn_linear(c, NULL, 3, 2, true);
    wf_generator_seed(g, 7);
    wf_module *n = wf_nn_linear(c, g, 3, 2, true);
    wf_read_f64(c, wf_module_tensor(m, "weight"), w, 6);
    wf_read_f64(c, wf_module_tensor(n, "weight"), v, 6);
    CHECK(!memcmp(v, w, sizeof v));
    CHECK_STR(wf_ctx_message(c), "");
    wf_module_release(c, m);
    wf_module_release(c, n);
    wf_generator_free(g);
    wf_ctx_free(c);
}
