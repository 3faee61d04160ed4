/* test_nn_file.c -- a tree with programs in a file: run, derived and trained by a program
 * that knows nothing but the file. */
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { ROWS = 12, IN = 5, CLASSES = 3, HALF = 4 };

static const char *const types[] = {"f32[N,5]", "i64[N]"};

static wf_module *network(wf_ctx *c, wf_generator *g)
{
    wf_module *in = wf_nn_linear(c, g, IN, 6, true);
    wf_module *out = wf_nn_linear(c, g, 6, CLASSES, false);

    return wf_nn_sequential(c, 4, in, wf_nn_batch_norm1d(c, 6, 1e-5, 0.1), wf_nn_tanh(c),
                            out);
}

/* (x, labels) -> cross entropy */
static wf_status loss(wf_ctx *c, void *user, wf_module *m, const wf_tensor *in, int nin,
                      wf_tensor *out, int nout)
{
    (void)user, (void)nin, (void)nout;
    out[0] = wf_cross_entropy(c, wf_forward_one(c, m, in[0]), in[1], WF_NONE, -100, 0,
                              WF_MEAN);
    return wf_ctx_status(c);
}

static void data(wf_ctx *c, wf_tensor *xy)
{
    float x[ROWS * IN];
    int64_t y[ROWS];

    for (int i = 0; i < ROWS * IN; i++)
        x[i] = (float)sin(1.3 * i + 0.2);
    for (int i = 0; i < ROWS; i++)
        y[i] = (2 * i + 1) % CLASSES;
    xy[0] = wf_from(c, WF_F32, (int64_t[]){ROWS, IN}, 2, x);
    xy[1] = wf_from(c, WF_I64, (int64_t[]){ROWS}, 1, y);
}

static double eager_step(wf_ctx *c, wf_module *m, wf_optim *o, const wf_tensor *xy)
{
    wf_tensor y;
    double value;

    wf_scope_begin(c);
    wf_optim_zero_grad(c, o);
    loss(c, NULL, m, xy, 2, &y, 1);
    wf_backward(c, y, WF_NONE, 0);
    wf_optim_step(c, o);
    value = wf_item(c, y);
    wf_scope_end(c);
    return value;
}

/* What the first program knows of how training goes on. */
typedef struct Truth {
    double losses[HALF],
        after[ROWS * CLASSES]; /* of steps after saving; then of forward */
    double grad[6 * IN];       /* of 0.weight when saved */
    char text[600];
} Truth;

/* The first program: trains HALF steps, saves, goes on. */
static void program_a(const char *path, Truth *t)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_tensor xy[2], y;
    wf_model *file;

    wf_manual_seed(c, 11);
    wf_module *m = network(c, NULL);
    wf_optim *o = wf_adamw(c, m, 0.05, 0.9, 0.999, 1e-8, 0.01);
    wf_optim_set_part(c, o, wf_module_find(m, "3"), 0.5, 0);
    data(c, xy);
    for (int i = 0; i < HALF; i++)
        eager_step(c, m, o, xy);
    wf_model_new(c, &file);
    wf_module_store(c, m, file);
    wf_optim_store(c, o, file);
    wf_module_add_method(c, m, file, "forward_train", NULL, NULL, types, 1, 1);
    wf_optim_add_step(c, o, m, file, "train", loss, NULL, types, 2);
    wf_module_train(m, false);
    wf_module_add_method(c, m, file, "forward", NULL, NULL, types, 1, 1);
    wf_module_add_method(c, m, file, "loss", loss, NULL, types, 2, 1);
    wf_optim_zero_grad(c, o);
    loss(c, NULL, m, xy, 2, &y, 1);
    wf_backward(c, y, WF_NONE, 0);
    wf_read_f64(c, wf_grad_of(c, wf_module_tensor(m, "0.weight")), t->grad, 6 * IN);
    wf_module_train(m, true);
    CHECK_STR(wf_ctx_message(c), "");
    wf_model_save(c, file, path);
    snprintf(t->text, sizeof t->text, "%s", wf_module_text(c, m));
    for (int i = 0; i < HALF; i++)
        t->losses[i] = eager_step(c, m, o, xy);
    wf_module_train(m, false);
    wf_read_f64(c, wf_forward_one(c, m, xy[0]), t->after, ROWS * CLASSES);
    CHECK_STR(wf_ctx_message(c), "");
    wf_model_free(file);
    wf_optim_free(c, o);
    wf_module_release(c, m);
    wf_ctx_free(c);
}

static void all_near(wf_ctx *c, wf_tensor t, const double *want, int n, double tol)
{
    double v[64] = {0};

    REQUIRE(n <= 64);
    CHECK(!wf_read_f64(c, t, v, n));
    CHECK_STR(wf_ctx_message(c), "");
    for (int i = 0; i < n; i++)
        CHECK_NEAR(v[i], want[i], tol);
}

/* The gradient of "loss" by its input that is 0.weight, by a transform of the program. */
static void check_program_gradient(wf_ctx *c, wf_model *file, const wf_tensor *xy,
                                   const Truth *t)
{
    const wf_program *p = wf_model_find(file, "loss"), *g = NULL;
    int wrt = -1;
    wf_tensor in[16], out[1];
    wf_array *state[8];

    REQUIRE(p != NULL);
    REQUIRE(wf_program_inputs(p) == 8 + 2);
    REQUIRE(wf_model_method_state(c, file, "loss", state, 8) == 8);
    CHECK_EQ_INT(wf_model_method_state(c, file, "nothing", NULL, 0), 0);
    for (int i = 0; i < 8; i++) {
        const char *name = wf_program_input_name(p, i);
        if (!strcmp(name, "p0.weight"))
            wrt = i;
        CHECK(name[0] == 'p' && wf_model_find_tensor(file, name + 1) == state[i]);
        in[i] = wf_from_array(c, state[i]);
    }
    REQUIRE(wrt == 0);
    in[8] = xy[0];
    in[9] = xy[1];
    CHECK(!wf_grad(c, p, &wrt, 1, &g));
    CHECK(!wf_apply(c, g, in, wf_program_inputs(g), out, 1));
    all_near(c, out[0], t->grad, 6 * IN, 1e-6);
    wf_program_release(g);
}

/* The second program. */
static void program_b(const char *path, const Truth *t)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_tensor xy[2], y;
    wf_model *file;
    double before;

    data(c, xy);
    REQUIRE(wf_model_load(c, path, &file) == WF_OK);
    check_program_gradient(c, file, xy, t);
    CHECK(!wf_model_run(c, file, "loss", xy, 2, &y, 1));
    before = wf_item(c, y);
    for (int i = 0; i < HALF; i++) {
        CHECK(!wf_model_run(c, file, "train", xy, 2, &y, 1));
        CHECK_NEAR(wf_item(c, y), t->losses[i], 2e-6);
    }
    CHECK(t->losses[HALF - 1] < before);
    CHECK(!wf_model_run(c, file, "forward", xy, 1, &y, 1));
    all_near(c, y, t->after, ROWS * CLASSES, 5e-6);
    CHECK_EQ_INT(
        wf_item_int(c, wf_from_array(c, wf_model_find_tensor(file, "optim.steps"))),
        2 * HALF);
    CHECK_EQ_INT(wf_item_int(c, wf_from_array(c, wf_model_find_tensor(
                                                     file, "1.num_batches_tracked"))),
                 2 * HALF);
    wf_model_free(file);
    wf_ctx_free(c);
}

/* The third: a tree of the file, trained by an optimiser of its own. */
static void program_c(const char *path, const Truth *t)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_tensor xy[2], y;
    wf_model *file;

    data(c, xy);
    REQUIRE(wf_model_load(c, path, &file) == WF_OK);
    wf_module *m = wf_module_load(c, file);
    REQUIRE(m != NULL);
    CHECK_STR(wf_module_text(c, m), t->text);
    CHECK_EQ_INT(wf_module_count(c, m, true), IN * 6 + 6 + 12 + 6 * CLASSES);
    wf_module_train(m, false);
    CHECK(!wf_module_run(c, m, "loss", xy, 2, &y, 1));
    wf_backward(c, y, WF_NONE, 0);
    all_near(c, wf_grad_of(c, wf_module_tensor(m, "0.weight")), t->grad, 6 * IN, 1e-6);
    wf_module_train(m, true);
    wf_optim *o = wf_adamw(c, m, 0, 0.9, 0.999, 1e-8, 0.01);
    wf_optim_set_part(c, o, wf_module_find(m, "3"), 0.5, 0);
    wf_optim_restore(c, o, file);
    wf_model_free(file);
    for (int i = 0; i < HALF; i++)
        CHECK_NEAR(eager_step(c, m, o, xy), t->losses[i], 2e-6);
    wf_module_train(m, false);
    all_near(c, wf_forward_one(c, m, xy[0]), t->after, ROWS * CLASSES, 5e-6);
    wf_module_run(c, m, "nothing", xy, 1, &y, 1);
    CHECK_EQ_INT(wf_ctx_status(c), WF_ERR_NAME);
    CHECK_HAS(wf_ctx_message(c), "there is no method nothing");
    wf_clear(c);
    wf_module_run(c, m, "loss", xy, 1, &y, 1);
    CHECK_HAS(wf_ctx_message(c), "method loss: takes 2 tensors and gives 1, found 1");
    wf_optim_free(c, o);
    wf_module_release(c, m);
    wf_ctx_free(c);
}

TEST(a_file_alone_is_enough_to_run_derive_and_train)
{
    char path[64];
    Truth t = {0};

    snprintf(path, sizeof path, "/tmp/test_nn_file.%ld.weft", (long)getpid());
    program_a(path, &t);
    program_b(path, &t);
    program_c(path, &t);
    remove(path);
}

/* ---- trees ------------------------------------------------------------------------- */

static wf_status forward_tied(wf_ctx *c, wf_module *m, const wf_tensor *in, int nin,
                              wf_tensor *out, int nout)
{
    if (nin != 1 || nout != 1)
        return WF_ERR_ARG;
    out[0] = wf_matmul(c, wf_forward_one(c, wf_module_child(m, 0), in[0]),
                       wf_module_value(m, 0));
    return WF_OK;
}

static wf_status mean_square(wf_ctx *c, void *user, wf_module *m, const wf_tensor *in,
                             int nin, wf_tensor *out, int nout)
{
    (void)user, (void)nin, (void)nout;
    out[0] = wf_mean(c, wf_square(c, wf_forward_one(c, m, in[0])), NULL, 0, false);
    return wf_ctx_status(c);
}

TEST(arguments_of_methods_have_the_names_that_their_types_give)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_module *m = wf_nn_linear(c, NULL, 3, 2, true);
    wf_model *file = NULL;
    wf_value_info v = {.size = sizeof v};
    wf_tensor x = wf_ones(c, WF_F32, (int64_t[]){4, 3}, 2), y;

    wf_model_new(c, &file);
    wf_module_store(c, m, file);
    CHECK_EQ_INT(wf_module_add_method(c, m, file, "named", NULL, NULL, (const char *[]){"image: f32[N,3]"}, 1, 1), WF_OK);
    CHECK_EQ_INT(wf_module_add_method(c, m, file, "plain", NULL, NULL, (const char *[]){"f32[N,3]"}, 1, 1), WF_OK);
    CHECK_EQ_INT(wf_model_input_info(c, file, "named", 2, &v), WF_OK);
    CHECK_STR(v.name, "image");
    CHECK_STR(v.sizes[0], "N");
    CHECK_EQ_INT(wf_model_input_info(c, file, "plain", 2, &v), WF_OK);
    CHECK_STR(v.name, "x0");
    CHECK_EQ_INT(wf_model_run(c, file, "named", &x, 1, &y, 1), WF_OK);
    CHECK_EQ_INT(wf_size(c, y, 1), 2);
    CHECK_EQ_INT(wf_module_add_method(c, m, file, "wrong", NULL, NULL, (const char *[]){"image: N,3"}, 1, 1), WF_ERR_SYNTAX);
    wf_clear(c);
    wf_model_free(file);
    wf_module_release(c, m);
    wf_ctx_free(c);
}

TEST(shared_and_frozen_parameters_stay_so_in_a_file)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_module *m = wf_module_new(c, "Tied", forward_tied, 0);
    wf_module *inner = wf_nn_linear(c, NULL, 3, 3, true);
    wf_tensor x = wf_ones(c, WF_F32, (int64_t[]){2, 3}, 2), y;
    wf_model *file;
    double want[6], got[6];

    wf_module_add_param(c, m, "weight", wf_module_tensor(inner, "weight"));
    wf_module_add(c, m, "inner", inner);
    wf_requires_grad(c, wf_module_tensor(inner, "bias"), false);
    wf_model_new(c, &file);
    wf_module_store(c, m, file);
    wf_module_add_method(c, m, file, "forward", NULL, NULL, (const char *[]){"f32[N,3]"},
                         1, 1);
    CHECK_EQ_INT(wf_program_inputs(wf_model_find(file, "forward")), 3);
    wf_module *n = wf_module_load(c, file);
    CHECK_STR(wf_ctx_message(c), "");
    REQUIRE(n != NULL);
    CHECK_EQ_INT(wf_module_count(c, n, false), 12);
    CHECK_EQ_INT(wf_module_count(c, n, true), 9);
    wf_read_f64(c, wf_forward_one(c, m, x), want, 6);
    wf_read_f64(c, wf_forward_one(c, n, x), got, 6);
    for (int i = 0; i < 6; i++)
        CHECK_NEAR(got[i], want[i], 1e-6);
    wf_forward_one(c, wf_module_child(n, 0), x);
    CHECK_HAS(wf_ctx_message(c), "cannot be called");
    wf_clear(c);
    wf_optim *o = wf_sgd(c, m, 0.1, 0, false, 0);
    wf_optim_store(c, o, file);
    wf_optim_add_step(c, o, m, file, "train", mean_square, NULL,
                      (const char *[]){"f32[N,3]"}, 1);
    wf_model_run(c, file, "train", &x, 1, &y, 1);
    wf_module_restore(c, n, file); /* both names of the shared one have the new numbers */
    wf_optim_zero_grad(c, o);
    mean_square(c, NULL, m, &x, 1, &y, 1);
    wf_backward(c, y, WF_NONE, 0);
    wf_optim_step(c, o);
    CHECK_STR(wf_ctx_message(c), "");
    wf_read_f64(c, wf_forward_one(c, m, x), got, 6);
    for (int i = 0; i < 6; i++)
        CHECK(fabs(got[i] - want[i]) > 1e-4);
    wf_read_f64(c, wf_forward_one(c, n, x), want, 6);
    for (int i = 0; i < 6; i++)
        CHECK_NEAR(got[i], want[i], 1e-6);
    wf_optim_free(c, o);
    wf_model_set_meta(c, file, "tree", "module\t\tTied\t\nparam\tnowhere.weight\n");
    CHECK(!wf_module_load(c, file));
    CHECK_EQ_INT(wf_ctx_status(c), WF_ERR_FORMAT);
    wf_clear(c);
    wf_model_set_meta(c, file, "tree", "param\tweight\n");
    CHECK(!wf_module_load(c, file));
    wf_clear(c);
    wf_model_set_meta(c, file, "method.forward", "state gone\nstate x\nstate y\n");
    wf_model_run(c, file, "forward", NULL, 0, &y, 1);
    CHECK_HAS(wf_ctx_message(c), "needs the tensor gone, which is missing");
    wf_model_free(file);
    wf_module_release(c, n);
    wf_module_release(c, m);
    wf_ctx_free(c);
}

/* Some bytes changed, dropped or doubled. */
static void damage(const char *from, char *to, size_t room, uint32_t *seed)
{
    size_t n = 0;

    for (; *from && n + 2 < room; from++) {
        uint32_t r = (*seed = *seed * 1664525u + 1013904223u) >> 8;
        if (r % 60 == 0)
            to[n++] = "\t\n.0pmx "[r / 60 % 8];
        else if (r % 60 == 1)
            to[n++] = *from;
        if (r % 60 != 2)
            to[n++] = *from;
    }
    to[n] = 0;
}

TEST(a_damaged_tree_or_method_is_refused_or_harmless)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_module *m = network(c, NULL);
    char tree[2000], method[2000], bad[4000];
    wf_tensor xy[2], y;
    wf_model *file;
    uint32_t seed = 1;
    int refused = 0;

    wf_model_new(c, &file);
    wf_module_store(c, m, file);
    wf_module_add_method(c, m, file, "forward", NULL, NULL, types, 1, 1);
    snprintf(tree, sizeof tree, "%s", wf_model_meta(file, "tree"));
    snprintf(method, sizeof method, "%s", wf_model_meta(file, "method.forward"));
    data(c, xy);
    CHECK_STR(wf_ctx_message(c), "");
    for (int i = 0; i < 400; i++) {
        wf_scope_begin(c);
        damage(i % 2 ? method : tree, bad, sizeof bad, &seed);
        wf_model_set_meta(c, file, "tree", i % 2 ? tree : bad);
        wf_model_set_meta(c, file, "method.forward", i % 2 ? bad : method);
        wf_module *n = wf_module_load(c, file);
        if (n)
            wf_forward_one(c, n, xy[0]);
        wf_model_run(c, file, "forward", xy, 1, &y, 1);
        refused += wf_ctx_status(c) != WF_OK;
        CHECK(wf_ctx_status(c) < WF_ERR_MEMORY);
        wf_clear(c);
        wf_module_release(c, n);
        wf_scope_end(c);
    }
    CHECK(refused > 200);
    wf_model_free(file);
    wf_module_release(c, m);
    wf_ctx_free(c);
}

/* Build, save, load, run; whatever fails on the way. */
static void whole_life(wf_allocator al, void *user)
{
    wf_options options = {sizeof options, .allocator = al, .threads = 1};
    wf_ctx *c = wf_ctx_new(&options);
    wf_model *file = NULL;
    wf_tensor xy[2], y;

    (void)user;
    if (!c)
        return;
    wf_module *m = network(c, NULL), *n = NULL;
    wf_optim *o = wf_ctx_status(c) ? NULL : wf_sgd(c, m, 0.1, 0.9, false, 0);
    data(c, xy);
    if (o && !wf_model_new(c, &file)) {
        wf_module_store(c, m, file);
        wf_optim_store(c, o, file);
        wf_module_text(c, m);
        wf_module_add_method(c, m, file, "forward", NULL, NULL, types, 1, 1);
        wf_optim_add_step(c, o, m, file, "train", loss, NULL, types, 2);
        wf_model_run(c, file, "train", xy, 2, &y, 1);
        n = wf_ctx_status(c) ? NULL : wf_module_load(c, file);
        wf_forward_one(c, n, xy[0]);
    }
    wf_module_release(c, n);
    wf_model_free(file);
    wf_optim_free(c, o);
    wf_module_release(c, m);
    wf_ctx_free(c);
}

TEST(each_allocation_that_fails_leaves_nothing_behind)
{
    CHECK(fault_each(whole_life, NULL) > 300);
}

/* ---- a scaled loss ------------------------------------------------------------------ */

static double stored_number(wf_ctx *c, const wf_model *file, const char *name)
{
    wf_array *a = wf_model_find_tensor(file, name);

    return a ? wf_item(c, wf_from_array(c, a)) : NAN;
}

/* One step of training as a program, with a loss that is scaled so at first; the weights after it. */
static wf_model *scaled_steps(wf_ctx *c, double scale, int steps, wf_tensor x, double *weight)
{
    wf_model *file = NULL;
    wf_module *m;
    wf_optim *o;
    wf_tensor y = WF_NONE;

    wf_manual_seed(c, 5);
    m = wf_nn_linear(c, NULL, 3, 2, true);
    o = wf_sgd(c, m, 0.1, 0.9, false, 0);
    wf_optim_set_scale(c, o, scale);
    wf_model_new(c, &file);
    wf_module_store(c, m, file);
    wf_optim_store(c, o, file);
    wf_optim_add_step(c, o, m, file, "train", mean_square, NULL, (const char *[]){"f32[N,3]"}, 1);
    for (int i = 0; i < steps; i++)
        wf_model_run(c, file, "train", &x, 1, &y, 1);
    CHECK_STR(wf_ctx_message(c), "");
    wf_read_f64(c, wf_from_array(c, wf_model_find_tensor(file, "weight")), weight, 6);
    wf_optim_free(c, o);
    wf_module_release(c, m);
    return file;
}

TEST(a_scaled_loss_changes_no_step_and_steps_that_overflow_are_left_out)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_tensor x = wf_from(c, WF_F32, (int64_t[]){2, 3}, 2, (float[]){1, -2, 3, 0.5f, 4, -1});
    double at_first[6], plain[6], scaled[6], over[6];

    wf_model_free(scaled_steps(c, 0, 0, x, at_first));
    wf_model_free(scaled_steps(c, 0, 3, x, plain));
    wf_model *f = scaled_steps(c, 65536, 3, x, scaled);
    CHECK_EQ_INT((int)stored_number(c, f, "optim.steps"), 3);
    CHECK_EQ_INT((int)stored_number(c, f, "optim.good"), 3);
    CHECK_NEAR(stored_number(c, f, "optim.scale"), 65536, 0);
    wf_model_free(f);
    for (int i = 0; i < 6; i++)
        CHECK_NEAR(scaled[i], plain[i], 1e-6);
    f = scaled_steps(c, 0x1p127, 2, x, over); /* twice too large */
    CHECK_EQ_INT((int)stored_number(c, f, "optim.steps"), 0);
    CHECK_NEAR(stored_number(c, f, "optim.scale"), 0x1p125, 0);
    wf_model_free(f);
    for (int i = 0; i < 6; i++)
        CHECK_NEAR(over[i], at_first[i], 0);
    f = scaled_steps(c, 0x1p127, 40, x, over); /* and then small enough */
    CHECK(stored_number(c, f, "optim.steps") > 30);
    CHECK(fabs(over[0] - at_first[0]) > 1e-3);
    wf_model_free(f);
    f = scaled_steps(c, 4, 2000, x, over);
    CHECK_NEAR(stored_number(c, f, "optim.scale"), 8, 0);
    CHECK_EQ_INT((int)stored_number(c, f, "optim.good"), 0);
    wf_model_free(f);
    wf_module *m = wf_nn_linear(c, NULL, 3, 2, true);
    wf_optim *o = wf_sgd(c, m, 0.1, 0, false, 0);
    wf_optim_set_scale(c, o, -1);
    CHECK_HAS(wf_ctx_message(c), "from 0 on");
    wf_clear(c);
    wf_optim_set_scale(c, o, 2);
    wf_optim_step(c, o);
    CHECK_HAS(wf_ctx_message(c), "wf_optim_add_step");
    wf_clear(c);
    wf_optim_free(c, o);
    wf_module_release(c, m);
    wf_ctx_free(c);
}
