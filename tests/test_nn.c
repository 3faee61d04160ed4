/* test_nn.c -- modules and optimisers against PyTorch's (tests/golden/nn, written by
 * tools/golden_nn.py), and the tree.
 *
 * A case of modules.txt is one module, seeded with 0: its printed text, first state,
 * results, gradients and buffers are
 * PyTorch's. First weights drawn uniformly must be equal to the last bit.
 */
#include "lib_nn.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static wf_status forward_residual(wf_ctx *c, wf_module *m, const wf_tensor *in, int nin,
                                  wf_tensor *out, int nout)
{
    if (nin != 1 || nout != 1)
        return WF_ERR_ARG;
    out[0] = wf_add(c, in[0],
                    wf_mul(c, wf_module_value(m, 0),
                           wf_forward_one(c, wf_module_child(m, 0), in[0])));
    return WF_OK;
}

static wf_module *residual(wf_ctx *c, wf_generator *g)
{
    wf_module *m = wf_module_new(c, "Residual", forward_residual, 0);

    wf_module_add_param(c, m, "scale", wf_full(c, WF_F32, (int64_t[]){1}, 1, 0.5));
    wf_module_add(c, m, "inner",
                  wf_nn_sequential(c, 2, wf_nn_linear(c, g, 4, 4, true), wf_nn_tanh(c)));
    return m;
}

static wf_module *a_list(wf_ctx *c, wf_generator *g)
{
    wf_module *m = wf_nn_list(c, 0);

    for (int i = 0; i < 3; i++)
        wf_module_append(c, m, wf_nn_linear(c, g, 2, 2, true));
    return wf_module_append(c, m, wf_nn_tanh(c));
}

typedef struct Row {
    const char *name;
    wf_module *(*make)(wf_ctx *c, wf_generator *g);
    const char *in[3]; /* shapes; "i2,3": integers */
    int nout;
} Row;

#define MAKE(name, expr)                                                                 \
    static wf_module *make_##name(wf_ctx *c, wf_generator *g)                            \
    {                                                                                    \
        (void)g;                                                                         \
        return expr;                                                                     \
    }
MAKE(linear, wf_nn_linear(c, g, 4, 3, true))
MAKE(linear_no_bias, wf_nn_linear(c, g, 5, 2, false))
MAKE(conv1d, wf_nn_conv1d(c, g, 2, 3, 3, OPT(.stride = 2, .padding = 1)))
MAKE(conv2d, wf_nn_conv2d(c, g, 2, 4, 3,
                          OPT(.padding = 1, .groups = 2, .dilation = 2, .no_bias = true)))
MAKE(conv2d_bias, wf_nn_conv2d(c, g, 2, 3, 3, NULL))
MAKE(conv_transpose2d,
     wf_nn_conv_transpose2d(c, g, 2, 3, 3,
                            OPT(.stride = 2, .padding = 1, .output_padding = 1)))
#define EACH(...)                                                                        \
    {                                                                                    \
        __VA_ARGS__                                                                      \
    }
MAKE(conv2d_axes, wf_nn_conv2d(c, g, 2, 3, 3,
                               OPT(.kernels = EACH(3, 2), .strides = EACH(2, 1),
                                   .paddings = EACH(1, 0), .dilations = EACH(1, 2))))
MAKE(conv3d,
     wf_nn_conv3d(c, g, 2, 2, 2, OPT(.kernels = EACH(0, 1), .stride = 2, .padding = 1)))
MAKE(conv3d_groups, wf_nn_conv3d(c, g, 2, 4, 2, OPT(.groups = 2, .no_bias = true)))
MAKE(conv_transpose1d,
     wf_nn_conv_transpose1d(c, g, 2, 2, 3, OPT(.stride = 3, .padding = 1)))
MAKE(conv_transpose2d_axes,
     wf_nn_conv_transpose2d(c, g, 2, 4, 3,
                            OPT(.kernels = EACH(2), .strides = EACH(2),
                                .paddings = EACH(0, 1), .output_paddings = EACH(1),
                                .groups = 2)))
MAKE(conv_transpose3d,
     wf_nn_conv_transpose3d(c, g, 1, 2, 2,
                            OPT(.dilations = EACH(1, 2, 1), .no_bias = true)))
MAKE(batch_norm3d, wf_nn_batch_norm3d(c, 2, 1e-5, 0.1))
MAKE(batch_norm1d, wf_nn_batch_norm1d(c, 3, 1e-5, 0.1))
MAKE(batch_norm1d_3, wf_nn_batch_norm1d(c, 2, 1e-5, 0.1))
MAKE(batch_norm2d, wf_nn_batch_norm2d(c, 2, 1e-3, 0.2))
MAKE(layer_norm, wf_nn_layer_norm(c, DIMS(5), 1, 1e-5))
MAKE(layer_norm_2, wf_nn_layer_norm(c, DIMS(3, 2), 2, 1e-5))
MAKE(rms_norm, wf_nn_rms_norm(c, DIMS(5), 1, 1e-6))
MAKE(group_norm, wf_nn_group_norm(c, 2, 4, 1e-5))
MAKE(embedding, wf_nn_embedding(c, g, 5, 4))
MAKE(embedding_20, wf_nn_embedding(c, g, 5, 3))
MAKE(dropout, wf_nn_dropout(c, g, 0.4))
MAKE(rnn, wf_nn_rnn(c, g, 3, 2, RNN(.layers = 2, .batch_first = true)))
MAKE(rnn_relu, wf_nn_rnn(c, g, 3, 4, RNN(.relu = true, .no_bias = true)))
MAKE(rnn_both, wf_nn_rnn(c, g, 2, 2, RNN(.bidirectional = true)))
MAKE(lstm, wf_nn_lstm(c, g, 3, 2, RNN(.layers = 2)))
MAKE(lstm_given, wf_nn_lstm(c, g, 3, 2, NULL))
MAKE(lstm_both, wf_nn_lstm(c, g, 3, 2, RNN(.layers = 2, .bidirectional = true)))
MAKE(lstm_projected,
     wf_nn_lstm(c, g, 3, 4, RNN(.layers = 2, .projection = 2, .bidirectional = true)))
MAKE(lstm_dropout, wf_nn_lstm(c, g, 2, 3, RNN(.layers = 3, .dropout = 0.3)))
MAKE(gru, wf_nn_gru(c, g, 3, 2, NULL))
MAKE(gru_both,
     wf_nn_gru(c, g, 3, 2, RNN(.layers = 2, .bidirectional = true, .batch_first = true)))
MAKE(gru_unbatched, wf_nn_gru(c, g, 3, 2, RNN(.no_bias = true)))
MAKE(rnn_cell, wf_nn_rnn_cell(c, g, 3, 2))
MAKE(lstm_cell, wf_nn_lstm_cell(c, g, 3, 2))
MAKE(gru_cell, wf_nn_gru_cell(c, g, 3, 2))
#define ATTENTION(...)                                                                   \
    &(wf_attention_options) { sizeof(wf_attention_options), __VA_ARGS__ }
MAKE(attention, wf_nn_attention(c, g, 4, 2, ATTENTION(.batch_first = true)))
MAKE(attention_time_first, wf_nn_attention(c, g, 6, 3, NULL))
MAKE(attention_dropout,
     wf_nn_attention(c, g, 4, 2,
                     ATTENTION(.batch_first = true, .no_bias = true, .dropout = 0.3)))
MAKE(relu, wf_nn_relu(c))
MAKE(gelu, wf_nn_gelu(c, false))
MAKE(gelu_tanh, wf_nn_gelu(c, true))
MAKE(silu, wf_nn_silu(c))
MAKE(tanh, wf_nn_tanh(c))
MAKE(sigmoid, wf_nn_sigmoid(c))
MAKE(elu, wf_nn_elu(c, 0.7))
MAKE(leaky_relu, wf_nn_leaky_relu(c, 0.01))
MAKE(softmax, wf_nn_softmax(c, 1))
MAKE(log_softmax, wf_nn_log_softmax(c, -1))
MAKE(max_pool2d, wf_nn_max_pool2d(c, 3, 2, 1, true))
MAKE(max_pool2d_floor, wf_nn_max_pool2d(c, 2, 0, 0, false))
MAKE(max_pool2d_ceil_2, wf_nn_max_pool2d(c, 2, 0, 0, true))
MAKE(avg_pool2d, wf_nn_avg_pool2d(c, 2, 0, 1))
MAKE(adaptive_avg_pool2d, wf_nn_adaptive_avg_pool2d(c, 2))
#define POOL(...)                                                                        \
    &(wf_pool_options) { sizeof(wf_pool_options), __VA_ARGS__ }
MAKE(softplus, wf_nn_softplus(c, 2))
MAKE(max_pool1d, wf_nn_max_pool(c, 1, POOL(.window = 3, .stride = 2, .padding = 1)))
MAKE(max_pool2d_axes, wf_nn_max_pool(c, 2,
                                     POOL(.windows = EACH(3, 2), .strides = EACH(2, 1),
                                          .paddings = EACH(1, 0), .dilations = EACH(1, 2),
                                          .ceil_mode = true)))
MAKE(max_pool3d, wf_nn_max_pool(c, 3, POOL(.windows = EACH(1, 2, 2))))
MAKE(avg_pool1d, wf_nn_avg_pool(c, 1, POOL(.window = 2)))
MAKE(avg_pool2d_axes,
     wf_nn_avg_pool(c, 2,
                    POOL(.windows = EACH(3, 2), .strides = EACH(1, 2),
                         .paddings = EACH(1, 0), .no_padding_count = true)))
MAKE(avg_pool2d_ceil,
     wf_nn_avg_pool(c, 2,
                    POOL(.window = 3, .stride = 2, .padding = 1, .ceil_mode = true)))
MAKE(avg_pool3d, wf_nn_avg_pool(c, 3, POOL(.window = 2, .stride = 1, .padding = 1)))
MAKE(adaptive_avg_pool1d, wf_nn_adaptive_avg_pool(c, 1, DIMS(3)))
MAKE(adaptive_avg_pool2d_axes, wf_nn_adaptive_avg_pool(c, 2, DIMS(2, 3)))
MAKE(adaptive_max_pool2d, wf_nn_adaptive_max_pool(c, 2, DIMS(3, 2)))
MAKE(flatten, wf_nn_flatten(c, 1, -1))
MAKE(identity, wf_nn_identity(c))
MAKE(inception, wf_nn_inception(c, g, 2, 1, 2, 2, 1, 2, 1))

#define ROW(name, nout, ...)                                                             \
    {                                                                                    \
#name, make_##name, {__VA_ARGS__ }, nout                                         \
    }
static const Row rows[] = {
    ROW(linear, 1, "2,4"),
    ROW(linear_no_bias, 1, "2,3,5"),
    ROW(conv1d, 1, "2,2,7"),
    ROW(conv2d, 1, "1,2,5,5"),
    ROW(conv2d_bias, 1, "2,2,4,4"),
    ROW(conv_transpose2d, 1, "1,2,3,3"),
    ROW(conv2d_axes, 1, "2,2,5,5"),
    ROW(conv3d, 1, "1,2,3,3,3"),
    ROW(conv3d_groups, 1, "1,2,2,3,3"),
    ROW(conv_transpose1d, 1, "2,2,3"),
    ROW(conv_transpose2d_axes, 1, "1,2,3,3"),
    ROW(conv_transpose3d, 1, "1,1,2,2,2"),
    ROW(batch_norm3d, 1, "2,2,2,2,3"),
    ROW(batch_norm1d, 1, "4,3"),
    ROW(batch_norm1d_3, 1, "3,2,4"),
    ROW(batch_norm2d, 1, "2,2,3,2"),
    ROW(layer_norm, 1, "2,3,5"),
    ROW(layer_norm_2, 1, "2,3,2"),
    ROW(rms_norm, 1, "2,3,5"),
    ROW(group_norm, 1, "2,4,3"),
    ROW(embedding, 1, "i2,3"),
    ROW(embedding_20, 1, "i4"),
    ROW(dropout, 1, "4,5"),
    ROW(rnn, 2, "2,4,3"),
    ROW(lstm, 3, "4,2,3"),
    ROW(gru, 2, "3,2,3"),
    ROW(rnn_relu, 2, "3,2,3"),
    ROW(rnn_both, 2, "3,2,2"),
    ROW(lstm_given, 3, "4,2,3", "1,2,2", "1,2,2"),
    ROW(lstm_both, 3, "3,2,3"),
    ROW(lstm_projected, 3, "3,2,3"),
    ROW(lstm_dropout, 3, "3,2,2"),
    ROW(gru_both, 2, "2,3,3"),
    ROW(gru_unbatched, 2, "4,3", "1,2"),
    ROW(rnn_cell, 1, "2,3", "2,2"),
    ROW(lstm_cell, 2, "2,3"),
    ROW(gru_cell, 1, "2,3", "2,2"),
    ROW(attention, 2, "2,3,4", "2,5,4", "2,5,4"),
    ROW(attention_time_first, 2, "3,2,6", "3,2,6", "3,2,6"),
    ROW(attention_dropout, 2, "2,3,4", "2,3,4", "2,3,4"),
    ROW(relu, 1, "2,5"),
    ROW(gelu, 1, "2,5"),
    ROW(gelu_tanh, 1, "2,5"),
    ROW(silu, 1, "2,5"),
    ROW(tanh, 1, "2,5"),
    ROW(sigmoid, 1, "2,5"),
    ROW(elu, 1, "2,5"),
    ROW(leaky_relu, 1, "2,5"),
    ROW(softmax, 1, "2,5"),
    ROW(log_softmax, 1, "2,5"),
    ROW(max_pool2d, 1, "1,2,6,6"),
    ROW(max_pool2d_floor, 1, "1,2,5,4"),
    ROW(max_pool2d_ceil_2, 1, "1,1,5,7"),
    ROW(avg_pool2d, 1, "1,2,4,4"),
    ROW(adaptive_avg_pool2d, 1, "1,2,5,4"),
    ROW(softplus, 1, "2,5"),
    ROW(max_pool1d, 1, "2,2,7"),
    ROW(max_pool2d_axes, 1, "1,2,6,5"),
    ROW(max_pool3d, 1, "1,1,2,4,5"),
    ROW(avg_pool1d, 1, "2,2,5"),
    ROW(avg_pool2d_axes, 1, "1,2,4,5"),
    ROW(avg_pool2d_ceil, 1, "1,2,6,4"),
    ROW(avg_pool3d, 1, "1,1,2,2,3"),
    ROW(adaptive_avg_pool1d, 1, "1,2,7"),
    ROW(adaptive_avg_pool2d_axes, 1, "1,2,5,4"),
    ROW(adaptive_max_pool2d, 1, "1,2,4,5"),
    ROW(flatten, 1, "2,3,2"),
    ROW(identity, 1, "3"),
    {"sequential", three_layers, {"3,4"}, 1},
    {"residual", residual, {"2,4"}, 1},
    ROW(inception, 1, "2,2,4,4"),
    {"list", a_list, {NULL}, 0},
    {"dict", a_dict, {NULL}, 0},
};
enum { ROWS = sizeof rows / sizeof *rows };

/* ---- one case ---------------------------------------------------------------------- */

typedef struct Case { /* the module of the current case, for one dtype */
    const Row *row;
    wf_ctx *c;
    wf_generator *g;
    wf_module *m;
    wf_dtype dtype;
    wf_tensor x[3], y[3], z[3]; /* inputs; results in train and eval mode */
    int nin, at_y, at_z;        /* results already compared */
    char text[4096];            /* expected */
} Case;

static wf_tensor make_input(wf_ctx *c, const char *shape, wf_dtype dtype)
{
    int64_t dims[8], n = 1, iv[256];
    double v[256];
    int rank = 0;
    bool whole = *shape == 'i';
    wf_tensor t;

    for (const char *s = shape + whole; *s;) {
        char *end;
        n *= dims[rank++] = strtoll(s, &end, 10);
        s = end + (*end == ',');
    }
    for (int64_t i = 0; i < n; i++) {
        v[i] = 1.5 * sin(0.7 * (double)i + 0.3);
        iv[i] = (7 * i + 3) % 5;
    }
    if (whole)
        return wf_from(c, WF_I64, dims, rank, iv);
    t = wf_copy(c, wf_cast(c, wf_from(c, WF_F64, dims, rank, v), dtype));
    wf_requires_grad(c, t, true);
    return t;
}

/* sum over results of y[i] * (0.1 (i mod 7) - 0.2) */
static wf_tensor weighted(wf_ctx *c, const wf_tensor *y, int n, wf_dtype dtype)
{
    wf_tensor sum = wf_scalar(c, dtype, 0);

    for (int k = 0; k < n; k++) {
        int64_t count = wf_count(c, y[k]);
        double w[256];
        for (int64_t i = 0; i < count; i++)
            w[i] = 0.1 * (double)(i % 7) - 0.2;
        wf_tensor t = wf_cast(c, wf_from(c, WF_F64, &count, 1, w), dtype);
        sum = wf_add(
            c, sum,
            wf_sum(c, wf_mul(c, wf_reshape(c, y[k], &count, 1), t), NULL, 0, false));
    }
    return sum;
}

static void close_case(Case *k)
{
    if (!k->c)
        return;
    if (k->dtype == WF_F64 || !k->row->nout) {
        CHECK_STR(wf_ctx_message(k->c), "");
        CHECK_EQ_INT(k->at_y, k->row->nout);
        CHECK_EQ_INT(k->at_z, k->row->nout);
    }
    wf_module_release(k->c, k->m);
    wf_generator_free(k->g);
    wf_ctx_free(k->c);
    k->c = NULL;
}

/* The module as constructed; run: and both passes done. */
static void open_case(Case *k, wf_dtype dtype, bool run)
{
    if (k->c && k->dtype != WF_F64) {
        wf_module_release(k->c, k->m);
        wf_generator_free(k->g);
        wf_ctx_free(k->c);
    }
    *k = (Case){.row = k->row, .c = wf_ctx_new(NULL), .dtype = dtype};
    wf_generator_new(k->c, 0, &k->g);
    k->m = k->row->make(k->c, k->g);
    if (!run)
        return;
    if (dtype != WF_F32)
        wf_module_cast(k->c, k->m, dtype);
    for (k->nin = 0; k->nin < 3 && k->row->in[k->nin]; k->nin++)
        k->x[k->nin] = make_input(k->c, k->row->in[k->nin], dtype);
    wf_module_call(k->c, k->m, k->x, k->nin, k->y, k->row->nout);
    wf_backward(k->c, weighted(k->c, k->y, k->row->nout, dtype), WF_NONE, 0);
    wf_module_train(k->m, false);
    wf_module_call(k->c, k->m, k->x, k->nin, k->z, k->row->nout);
    CHECK_STR(wf_ctx_message(k->c), "");
}

/* numbers of t against the text; tol 0: equal bits */
static void compare(wf_ctx *c, wf_tensor t, const char *numbers, double tol,
                    const char *line)
{
    double v[512];
    int64_t n = wf_is_none(t) ? -1 : wf_count(c, t);

    if (n < 0 || n > 512 || wf_read_f64(c, t, v, n)) {
        check_fail(__FILE__, __LINE__, "%.60s: nothing to compare: %s", line,
                   wf_ctx_message(c));
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        char *end;
        double want = strtod(numbers, &end);
        bool equal = tol == 0 ? (float)want == (float)v[i]
                              : fabs(v[i] - want) <= tol * (1 + fabs(want));
        if (end == numbers || !equal) {
            check_fail(__FILE__, __LINE__, "%.60s: element %d is %.9g, needed %.9g", line,
                       (int)i, v[i], want);
            return;
        }
        numbers = end;
    }
    while (*numbers == ' ')
        numbers++;
    if (*numbers && *numbers != '\n')
        check_fail(__FILE__, __LINE__, "%.60s: more numbers needed", line);
}

static wf_tensor gradient(Case *k, const char *name)
{
    wf_tensor t = name[0] == 'x' && name[1] >= '0' && name[1] <= '9'
                      ? k->x[name[1] - '0']
                      : wf_module_tensor(k->m, name);
    return wf_is_none(t) ? t : wf_grad_of(k->c, t);
}

static void check_line(Case *k, const char *line)
{
    char word[4][64] = {{0}};
    const char *numbers = strstr(line, " = ");
    int n = sscanf(line, "%63s %63s %63s %63s", word[0], word[1], word[2], word[3]);
    wf_dtype dtype = !strcmp(word[1], "f64") ? WF_F64 : WF_F32;

    if (n < 4 || !numbers)
        return;
    numbers += 3;
    if (!strcmp(word[0], "state")) {
        bool exact =
            strcmp(k->row->name, "embedding") && strcmp(k->row->name, "embedding_20");
        compare(k->c, wf_module_tensor(k->m, word[1]), numbers, exact ? 0 : 3e-7, line);
        return;
    }
    if (!k->nin || (strcmp(word[0], "after") && dtype != k->dtype))
        open_case(k, dtype, true);
    double tol = k->dtype == WF_F64 ? 1e-11 : 4e-6;
    if (!strcmp(word[0], "y"))
        compare(k->c, !strcmp(word[2], "train") ? k->y[k->at_y++] : k->z[k->at_z++],
                numbers, tol, line);
    else if (!strcmp(word[0], "grad"))
        compare(k->c, gradient(k, word[2]), numbers, tol * 5, line);
    else
        compare(k->c, wf_module_tensor(k->m, word[1]), numbers, tol, line);
}

TEST(modules_print_begin_compute_and_derive_as_pytorch_does)
{
    FILE *f = fopen("tests/golden/nn/modules.txt", "r");
    static char line[1 << 16];
    Case k = {0};
    int seen = 0;

    REQUIRE(f != NULL);
    while (fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = 0;
        if (!strncmp(line, "case ", 5)) {
            close_case(&k);
            k.row = NULL;
            for (int i = 0; i < ROWS; i++)
                if (!strcmp(rows[i].name, line + 5))
                    k.row = &rows[i];
            REQUIRE(k.row != NULL);
            open_case(&k, WF_F32, false);
            seen++;
        } else if (line[0] == '|') {
            strcat(k.text, line + 2);
            strcat(k.text, "\n");
            continue;
        } else {
            check_line(&k, line);
        }
        if (*k.text) {
            char *text = k.text;
            text[strlen(text) - 1] = 0;
            CHECK_STR(wf_module_text(k.c, k.m), text);
            *text = 0;
        }
    }
    close_case(&k);
    fclose(f);
    CHECK_EQ_INT(seen, ROWS);
}

/* ---- optimisers -------------------------------------------------------------------- */

static wf_optim *make_optim(wf_ctx *c, wf_module *m, const char *name)
{
    if (!strcmp(name, "sgd"))
        return wf_sgd(c, m, 0.1, 0, false, 0);
    if (!strcmp(name, "sgd_momentum"))
        return wf_sgd(c, m, 0.1, 0.9, false, 0.01);
    if (!strcmp(name, "sgd_nesterov"))
        return wf_sgd(c, m, 0.1, 0.9, true, 0);
    if (!strcmp(name, "adam"))
        return wf_adam(c, m, 0.05, 0.9, 0.999, 1e-8, 0);
    if (!strcmp(name, "adam_decay"))
        return wf_adam(c, m, 0.05, 0.8, 0.99, 1e-6, 0.1);
    if (!strcmp(name, "adamw"))
        return wf_adamw(c, m, 0.05, 0.9, 0.999, 1e-8, 0.01);
    if (!strcmp(name, "rmsprop"))
        return wf_rmsprop(c, m, 0.02, 0.99, 1e-8, 0, 0);
    if (!strcmp(name, "rmsprop_momentum"))
        return wf_rmsprop(c, m, 0.02, 0.9, 1e-8, 0.01, 0.5);
    if (!strcmp(name, "adagrad"))
        return wf_adagrad(c, m, 0.1, 0.1, 1e-10, 0.02);
    return NULL;
}

typedef struct Trained {
    wf_ctx *c;
    wf_module *m;
    wf_optim *o;
    wf_tensor x;
} Trained;

static void train_free(Trained *t)
{
    wf_optim_free(t->c, t->o);
    wf_module_release(t->c, t->m);
    wf_ctx_free(t->c);
    *t = (Trained){0};
}

static void train_start(Trained *t, const char *name, wf_dtype dtype)
{
    t->c = wf_ctx_new(NULL);
    t->m = wf_nn_linear(t->c, NULL, 3, 2, true);
    wf_module_cast(t->c, t->m, dtype);
    wf_no_grad_begin(t->c);
    wf_write(t->c, wf_module_tensor(t->m, "weight"), make_input(t->c, "2,3", dtype));
    wf_write(t->c, wf_module_tensor(t->m, "bias"), make_input(t->c, "2", dtype));
    wf_no_grad_end(t->c);
    t->x = wf_detach(t->c, make_input(t->c, "4,3", dtype));
    t->o = make_optim(t->c, t->m, name);
}

static void train_step(Trained *t, int step)
{
    wf_ctx *c = t->c;

    wf_scope_begin(c);
    wf_optim_zero_grad(c, t->o);
    wf_backward(c, wf_sum(c, wf_square(c, wf_forward_one(c, t->m, t->x)), NULL, 0, false),
                WF_NONE, 0);
    if (step == 2)
        wf_clip_grad_norm(c, t->m, 0.5);
    wf_optim_step(c, t->o);
    wf_scope_end(c);
}

static double over(void *user, int64_t done)
{
    (void)user;
    return 1 / (1 + (double)done);
}

static void check_rates(const char *name, const char *numbers)
{
    for (int i = 0; i < 9; i++) {
        char *end;
        double want = strtod(numbers, &end);
        double got = !strcmp(name, "step")     ? wf_lr_step(0.2, i, 3, 0.5)
                     : !strcmp(name, "cosine") ? wf_lr_cosine(0.2, i, 8, 0.01)
                                               : wf_lr_lambda(0.2, i, over, NULL);
        if (!strcmp(name, "cosine") && i > 8)
            break;
        CHECK(end != numbers);
        CHECK_NEAR(got, want, 1e-14);
        numbers = end;
    }
}

TEST(optimisers_and_rates_are_pytorchs)
{
    FILE *f = fopen("tests/golden/nn/optim.txt", "r");
    char line[1024], name[64], word[8];
    Trained t = {0};
    int step, steps = 0;

    REQUIRE(f != NULL);
    while (fgets(line, sizeof line, f)) {
        const char *numbers = strstr(line, " = ") + 3;
        if (sscanf(line, "rate %63s", name) == 1) {
            check_rates(name, numbers);
            continue;
        }
        REQUIRE(sscanf(line, "optim %63s %7s %d", name, word, &step) == 3);
        wf_dtype dtype = !strcmp(word, "f64") ? WF_F64 : WF_F32;
        if (step == 0) {
            if (t.c)
                train_free(&t);
            train_start(&t, name, dtype);
        }
        train_step(&t, step);
        wf_tensor w = wf_reshape(t.c, wf_detach(t.c, wf_module_tensor(t.m, "weight")),
                                 (int64_t[]){6}, 1);
        wf_tensor all = wf_concat(
            t.c, (wf_tensor[]){w, wf_detach(t.c, wf_module_tensor(t.m, "bias"))}, 2, 0);
        compare(t.c, all, numbers, dtype == WF_F64 ? 1e-12 : 3e-6, line);
        CHECK_STR(wf_ctx_message(t.c), "");
        CHECK_EQ_INT(wf_optim_steps(t.o), step + 1);
        steps++;
    }
    fclose(f);
    train_free(&t);
    CHECK_EQ_INT(steps, 72);
}

/* Normal numbers may differ in the last bit: other logarithms. */
TEST(initial_numbers_are_pytorchs)
{
    FILE *f = fopen("tests/golden/nn/init.txt", "r");
    char line[1024], name[32], shape[32];
    int lines = 0;

    REQUIRE(f != NULL);
    for (; fgets(line, sizeof line, f); lines++) {
        wf_ctx *c = wf_ctx_new(NULL);
        int64_t d[4];
        int rank = 0;
        wf_tensor t = WF_NONE;
        REQUIRE(sscanf(line, "init %31s %31s", name, shape) == 2);
        for (char *s = shape, *end; *s; s = end + (*end == ','))
            d[rank++] = strtoll(s, &end, 10);
        wf_manual_seed(c, 0);
        if (!strcmp(name, "uniform"))
            t = wf_init_uniform(c, NULL, d, rank, -0.5, 2);
        else if (!strcmp(name, "normal"))
            t = wf_init_normal(c, NULL, d, rank, 1, 0.5);
        else if (!strcmp(name, "xavier_uniform"))
            t = wf_init_xavier_uniform(c, NULL, d, rank, 1.5);
        else if (!strcmp(name, "xavier_normal"))
            t = wf_init_xavier_normal(c, NULL, d, rank, 1.5);
        else if (!strcmp(name, "kaiming_uniform"))
            t = wf_init_kaiming_uniform(c, NULL, d, rank, 0.2);
        else if (!strcmp(name, "kaiming_normal"))
            t = wf_init_kaiming_normal(c, NULL, d, rank, 0.2);
        compare(c, t, strstr(line, " = ") + 3, strstr(name, "uniform") ? 0 : 3e-7, line);
        wf_ctx_free(c);
    }
    fclose(f);
    CHECK_EQ_INT(lines, 18);
}

/* SGD by hand: p - lr factor (g + decay p), g the gradient of sum(y^2) cut to +- 0.5 */
/* A step with a norm, and one after wf_clip_grad_norm, of the same numbers. */
TEST(an_optimiser_with_a_norm_clips_as_clipping_before_its_step_does)
{
    wf_ctx *c = wf_ctx_new(NULL);
    double v[2][20];

    for (int k = 0; k < 2; k++) {
        wf_manual_seed(c, 3);
        wf_module *m = three_layers(c, wf_ctx_generator(c));
        wf_optim *o = wf_adam(c, m, 0.1, 0.9, 0.999, 1e-8, 0);
        wf_tensor x = wf_randn(c, NULL, WF_F32, DIMS(6, 4), 2);

        wf_backward(c, wf_sum(c, wf_square(c, wf_forward_one(c, m, x)), NULL, 0, false), WF_NONE, 0);
        if (k)
            wf_optim_set_clip(c, o, 0.5);
        else
            CHECK(wf_clip_grad_norm(c, m, 0.5) > 0.5);
        wf_optim_step(c, o);
        wf_read_f64(c, wf_module_tensor(m, "0.weight"), v[k], 20);
        wf_optim_free(c, o);
        wf_module_release(c, m);
    }
    for (int i = 0; i < 20; i++)
        CHECK_NEAR(v[0][i], v[1][i], 1e-6);
    CHECK_STR(wf_ctx_message(c), "");
    wf_ctx_free(c);
}

TEST(parts_of_a_tree_have_rates_and_decay_of_their_own_and_clipped_gradients)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_manual_seed(c, 3);
    wf_module *m = three_layers(c, wf_ctx_generator(c));
    wf_optim *o = wf_sgd(c, m, 0.1, 0, false, 0.2);
    wf_tensor x = wf_randn(c, NULL, WF_F32, DIMS(6, 4), 2);
    static const char *const names[] = {"0.weight", "2.weight"};
    double p[2][20], g[2][20], q[20];
    int cut = 0;

    wf_optim_set_part(c, o, wf_module_find(m, "2"), 0.25, 0.5);
    wf_backward(c, wf_sum(c, wf_square(c, wf_forward_one(c, m, x)), NULL, 0, false),
                WF_NONE, 0);
    for (int k = 0; k < 2; k++) {
        wf_tensor t = wf_module_tensor(m, names[k]);
        wf_read_f64(c, t, p[k], k ? 10 : 20);
        wf_read_f64(c, wf_grad_of(c, t), g[k], k ? 10 : 20);
    }
    wf_clip_grad_value(c, m, 0.5);
    wf_optim_step(c, o);
    for (int k = 0; k < 2; k++) {
        wf_read_f64(c, wf_module_tensor(m, names[k]), q, k ? 10 : 20);
        for (int i = 0; i < (k ? 10 : 20); i++) {
            double d = fmax(-0.5, fmin(0.5, g[k][i]));
            cut += d != g[k][i];
            CHECK_NEAR(q[i],
                       p[k][i] - 0.1 * (k ? 0.25 : 1) * (d + (k ? 0.5 : 0.2) * p[k][i]),
                       1e-6);
        }
    }
    CHECK(cut > 3 && cut < 27);
    CHECK_STR(wf_ctx_message(c), "");
    wf_module *other = wf_nn_linear(c, NULL, 2, 2, true);
    wf_optim_set_part(c, o, other, 1, 0);
    CHECK_HAS(wf_ctx_message(c), "is not the optimiser's");
    wf_clear(c);
    wf_module_release(c, other);
    wf_optim_free(c, o);
    wf_module_release(c, m);
    wf_ctx_free(c);
}

TEST(an_attention_mask_may_be_bools_or_numbers_to_add)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_module *m = wf_nn_attention(c, NULL, 4, 2, ATTENTION(.batch_first = true));
    wf_tensor x = wf_randn(c, NULL, WF_F32, DIMS(2, 3, 4), 3);
    wf_tensor later = wf_logical_not(c, wf_tri(c, WF_BOOL, 3, 3, 0)), a, b[2];
    double u[24], v[24], w[18];

    wf_module_call(c, m, (wf_tensor[]){x, x, x, later}, 4, &a, 1);
    wf_tensor add = wf_where(c, later, wf_float(c, -INFINITY), wf_float(c, 0));
    wf_module_call(c, m, (wf_tensor[]){x, x, x, add}, 4, b, 2);
    wf_read_f64(c, a, u, 24);
    wf_read_f64(c, b[0], v, 24);
    wf_read_f64(c, b[1], w, 18);
    CHECK_STR(wf_ctx_message(c), "");
    for (int i = 0; i < 24; i++)
        CHECK_NEAR(u[i], v[i], 1e-6);
    CHECK_NEAR(w[0], 1, 1e-6); /* the first looks at itself only */
    CHECK_NEAR(w[5], 0, 0);    /* the second not at the third */
    CHECK(w[3] > 0 && w[4] > 0);
    wf_module_release(c, m);
    wf_ctx_free(c);
}

/* ---- a module as a pure function --------------------------------------------------- */

TEST(a_traced_module_with_its_state_as_input_equals_the_eager_one)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_generator *g;
    wf_tensor in[8], out[8], y;
    double a[12], b[12];

    wf_generator_new(c, 1, &g);
    Net n = {wf_nn_sequential(c, 2, wf_nn_linear(c, g, 3, 2, true),
                              wf_nn_batch_norm1d(c, 2, 1e-5, 0.1)),
             NULL, 4, 7};
    CHECK_EQ_INT(wf_module_parameters(n.m, in, 8), 4);
    CHECK_EQ_INT(wf_module_state(n.m, in, 8), 7);
    for (int i = 0; i < 7; i++)
        in[i] = wf_copy(c, wf_detach(c, in[i]));
    in[7] = wf_randn(c, g, WF_F32, (int64_t[]){5, 3}, 2);
    wf_function f = WF_FUNCTION(pure_call, &n, 8, 8, "net");
    wf_jit *j;
    wf_jit_new(c, &f, &j);
    wf_jit_call(c, j, in, 8, out, 8, NULL, 0);
    y = wf_forward_one(c, n.m, in[7]);
    CHECK_STR(wf_ctx_message(c), "");
    wf_read_f64(c, y, a, 10);
    wf_read_f64(c, out[0], b, 10);
    for (int i = 0; i < 10; i++)
        CHECK_NEAR(a[i], b[i], 1e-6);
    wf_read_f64(c, wf_module_tensor(n.m, "1.running_var"), a, 2);
    wf_read_f64(c, out[6], b, 2);
    CHECK_NEAR(a[0], b[0], 1e-6);
    CHECK(fabs(a[0] - 1) > 1e-4);
    CHECK_EQ_INT(wf_item_int(c, out[7]), 1);
    wf_jit_free(c, j);
    wf_module_release(c, n.m);
    wf_generator_free(g);
    wf_ctx_free(c);
}

/* A type as text of a shape "2,3": the first size of each input becomes a symbol, one for
 * each number. */
static void type_of(char *out, size_t size, const char *shape)
{
    bool whole = *shape == 'i';
    char *end;
    long first = strtol(shape + whole, &end, 10);

    snprintf(out, size, "%s[D%ld%s]", whole ? "i64" : "f32", first, end);
}

static void same_as_eager(const Row *r, bool train)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_tensor x[3], y[3], z[3];
    const char *types[3];
    char text[3][64];
    wf_model *file;
    int nin = 0;

    wf_manual_seed(c, 0);
    wf_model_new(c, &file);
    wf_module *m = r->make(c, wf_ctx_generator(c));
    wf_module_train(m, train);
    wf_module_store(c, m, file);
    for (; nin < 3 && r->in[nin]; nin++) {
        x[nin] = make_input(c, r->in[nin], WF_F32);
        type_of(text[nin], sizeof text[nin], r->in[nin]);
        types[nin] = text[nin];
    }
    wf_module_add_method(c, m, file, "forward", NULL, NULL, types, nin, r->nout);
    wf_model_run(c, file, "forward", x, nin, z, r->nout);
    wf_module_call(c, m, x, nin, y, r->nout);
    if (wf_ctx_status(c))
        check_fail(__FILE__, __LINE__, "%s: %s", r->name, wf_ctx_message(c));
    for (int k = 0; k < r->nout && !wf_ctx_status(c); k++) {
        double a[256] = {0}, b[256] = {0};
        int64_t n = wf_count(c, y[k]);
        wf_read_f64(c, y[k], a, n);
        wf_read_f64(c, z[k], b, n);
        CHECK_EQ_INT(wf_count(c, z[k]), n);
        for (int64_t i = 0; i < n; i++)
            if (!(fabs(a[i] - b[i]) <= 2e-6 * (1 + fabs(a[i])))) {
                check_fail(__FILE__, __LINE__, "%s: %.9g eagerly, %.9g from the file",
                           r->name, a[i], b[i]);
                break;
            }
    }
    wf_model_free(file);
    wf_module_release(c, m);
    wf_ctx_free(c);
}

TEST(every_module_computes_the_same_from_a_file_with_symbolic_sizes)
{
    for (int i = 0; i < ROWS; i++)
        for (int train = 0; train < 2 && rows[i].nout; train++)
            if (!train || !strstr(rows[i].name, "dropout"))
                same_as_eager(&rows[i], train);
}

/* ---- memory ------------------------------------------------------------------------ */

/* One module of the table: made, printed, freed. */
static void one_module(wf_allocator al, void *user)
{
    wf_options options = {sizeof options, .allocator = al, .threads = 1};
    wf_ctx *c = wf_ctx_new(&options);
    const Row *r = user;

    if (!c)
        return;
    wf_module *m = r->make(c, wf_ctx_generator(c));
    if (m)
        wf_module_text(c, m);
    wf_module_release(c, m);
    wf_ctx_free(c);
}

TEST(each_allocation_of_a_module_that_fails_leaves_nothing_behind)
{
    for (int i = 0; i < ROWS; i++) {
        Row r = rows[i];
        CHECK(fault_each(one_module, &r) > 5);
    }
}
