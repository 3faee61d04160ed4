/* test_export_nn.c -- modules, networks and training steps as exported C: forward and loss
 * after some steps are those of the library. The C is compiled with all warnings as errors
 * by gcc and, where they are there, by clang and for other machines, under an emulator. */
#include "test.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WARN "-std=c99 -Wall -Wextra -Wpedantic -Wconversion -Werror"
#define MOST 65536 /* numbers of any array here */

static char dir[256];

static int run(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static int run(const char *fmt, ...)
{
    char command[2048];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(command, sizeof command, fmt, ap);
    va_end(ap);
    return system(command);
}

static bool has_program(const char *name)
{
    return run("command -v %s >/dev/null 2>&1", name) == 0;
}

static bool open_folder(void)
{
    const char *base = getenv("TMPDIR");

    snprintf(dir, sizeof dir, "%s/weft-export-XXXXXX", base ? base : "/tmp");
    return mkdtemp(dir) != NULL;
}

static void close_folder(void)
{
    if (getenv("EXPORT_KEEP"))
        printf("%s\n", dir);
    else if (run("rm -rf '%s'", dir) != 0)
        printf("cannot remove %s\n", dir);
}

static void put_text(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");

    if (f) {
        fputs(text, f);
        fclose(f);
    }
}

static bool compile(const char *cc)
{
    if (run("cd '%s' && %s " WARN " -o main.exe *.c -lm >log 2>&1", dir, cc) == 0)
        return true;
    check_fail(__FILE__, __LINE__, "%s fails:", cc);
    run("head -20 '%s/log'", dir);
    return false;
}

/* ---- one call, both ways --------------------------------------------------------------- */

typedef struct Call {
    const char *method;
    wf_tensor in[4];
    int nin, nout;
    int64_t batch; /* N, or s0 in what a script saved */
    int repeat;
} Call;

static size_t bytes_of(wf_ctx *c, wf_tensor t)
{
    return (size_t)wf_count(c, t) * wf_dtype_size(wf_dtype_of(c, t));
}

static void put_inputs(wf_ctx *c, const Call *k)
{
    char path[300];
    FILE *f;

    snprintf(path, sizeof path, "%s/in", dir);
    f = fopen(path, "wb");
    for (int i = 0; f && i < k->nin; i++) {
        wf_array *a = NULL;

        if (wf_to_array(c, k->in[i], &a) == WF_OK)
            fwrite(wf_array_data(a), 1, bytes_of(c, k->in[i]), f);
        wf_array_release(a);
    }
    if (f)
        fclose(f);
}

/* What the exported program wrote, all f32, held against what the library gives. */
static void compare(wf_ctx *c, const Call *k, const wf_tensor *want, double tolerance)
{
    static float got[MOST];
    static double need[MOST];
    char path[300];
    FILE *f;

    snprintf(path, sizeof path, "%s/out", dir);
    f = fopen(path, "rb");
    if (!f) {
        check_fail(__FILE__, __LINE__, "%s: no results", k->method);
        return;
    }
    for (int j = 0; j < k->nout; j++) {
        size_t n = (size_t)wf_count(c, want[j]);

        if (fread(got, sizeof *got, n, f) != n)
            check_fail(__FILE__, __LINE__, "%s: results are missing", k->method);
        wf_read_f64(c, wf_cast(c, want[j], WF_F64), need, (int)n);
        for (size_t i = 0; i < n; i++)
            if (!(fabs((double)got[i] - need[i]) <= tolerance * (1 + fabs(need[i])))) {
                check_fail(__FILE__, __LINE__, "%s: result %d, element %zu is %g, needs %g",
                           k->method, j, i, (double)got[i], need[i]);
                break;
            }
    }
    fclose(f);
}

static void check_call(wf_ctx *c, wf_model *file, const Call *k, const char *runner, double tolerance)
{
    wf_tensor want[4] = {WF_NONE, WF_NONE, WF_NONE, WF_NONE};

    put_inputs(c, k);
    for (int i = 0; i < k->repeat; i++)
        wf_model_run(c, file, k->method, k->in, k->nin, want, k->nout);
    CHECK_STR(wf_ctx_message(c), "");
    if (run("cd '%s' && rm -f out && %s ./main.exe %s in out N=%lld s0=%lld REPEAT=%d", dir, runner, k->method,
            (long long)k->batch, (long long)k->batch, k->repeat) != 0)
        check_fail(__FILE__, __LINE__, "%s fails", k->method);
    else
        compare(c, k, want, tolerance);
}

static wf_tensor numbers(wf_ctx *c, const int64_t *dims, int rank, double scale)
{
    static float v[MOST];
    int64_t n = 1;

    for (int i = 0; i < rank; i++)
        n *= dims[i];
    for (int64_t i = 0; i < n && i < MOST; i++)
        v[i] = (float)(scale * sin(0.37 * (double)i + 0.2));
    return wf_from(c, WF_F32, dims, rank, v);
}

static wf_tensor labels(wf_ctx *c, int64_t rows, int64_t classes)
{
    int64_t v[64];

    for (int64_t i = 0; i < rows; i++)
        v[i] = (i * 7 + 3) % classes;
    return wf_from(c, WF_I64, &rows, 1, v);
}

static wf_status export_file(wf_ctx *c, wf_model *file, wf_export_weights weights)
{
    static const char *const symbols[] = {"N"};
    static const int64_t most[] = {8};
    wf_export_options o = {.size = sizeof o, .name = "net", .most_symbols = symbols, .most = most, .nmost = 1,
                           .weights = weights};

    return wf_export(c, file, dir, &o);
}

/* ---- modules --------------------------------------------------------------------------- */

typedef struct Part {
    const char *name;
    wf_module *m;
    const char *type; /* of the input, with N */
    int64_t dims[5];  /* N is 3 */
    int rank;
} Part;

static wf_status run_part(wf_ctx *c, void *user, wf_module *m, const wf_tensor *in, int nin, wf_tensor *out, int nout)
{
    return wf_module_call(c, wf_module_find(m, user), in, nin, out, nout);
}

typedef struct Machine {
    const char *cc, *runner, *needs;
} Machine;

static const Machine machines[] = {{"cc -O3 -ffp-contract=fast", "", "cc"},
                                   {"cc -O1 -DNET_PORTABLE", "", "cc"},
                                   {"clang -O2", "", "clang"},
                                   {"aarch64-linux-gnu-gcc -O3 -static", "qemu-aarch64", "qemu-aarch64"},
                                   {"riscv64-linux-gnu-gcc -O3 -static", "qemu-riscv64", "qemu-riscv64"},
                                   {"arm-linux-gnueabihf-gcc -O2 -static", "qemu-arm", "qemu-arm"}};
enum { NMACHINES = sizeof machines / sizeof *machines };

static bool has_machine(const Machine *m)
{
    char cc[64];

    snprintf(cc, sizeof cc, "%.*s", (int)strcspn(m->cc, " "), m->cc);
    if (has_program(cc) && has_program(m->needs))
        return true;
    printf("skipped: %s and %s are not both installed\n", cc, m->needs);
    return false;
}

/* Some machines of the table, by each of which the parts give what the library gives. */
static void check_parts(wf_ctx *c, Part *part, int n, const Machine *on, int nmachines)
{
    wf_module *all = wf_nn_dict(c);
    wf_model *file = NULL;

    wf_model_new(c, &file);
    for (int i = 0; i < n; i++)
        wf_module_add(c, all, part[i].name, part[i].m);
    wf_module_train(all, false);
    wf_module_store(c, all, file);
    for (int i = 0; i < n; i++) {
        wf_module_add_method(c, all, file, part[i].name, run_part, (void *)(uintptr_t)part[i].name,
                             (const char *[]){part[i].type}, 1, 1);
        if (wf_ctx_status(c))
            check_fail(__FILE__, __LINE__, "%s: %s", part[i].name, wf_ctx_message(c));
    }
    CHECK(export_file(c, file, WF_EXPORT_IN_FILE) == WF_OK);
    CHECK_STR(wf_ctx_message(c), "");
    for (int j = 0; j < nmachines; j++)
        if (check_ok() && has_machine(&on[j]) && compile(on[j].cc))
            for (int i = 0; i < n; i++) {
                Call k = {part[i].name, {numbers(c, part[i].dims, part[i].rank, 1)}, 1, 1, 3, 1};

                check_call(c, file, &k, on[j].runner, 2e-5);
            }
    wf_model_free(file);
    wf_module_release(c, all);
}

#define WINDOW (&(wf_pool_options){.size = sizeof(wf_pool_options), .window = 3, .stride = 2, .padding = 1})

TEST(every_module_runs_exported_as_in_the_library)
{
    wf_ctx *c = wf_ctx_new(NULL);
    const wf_conv_options wide = {.size = sizeof wide, .stride = 2, .padding = 1, .dilation = 1, .groups = 2};
    const wf_rnn_options two = {.size = sizeof two, .layers = 2, .bidirectional = true};
    const int64_t six[] = {6}, sizes[] = {2, 3};
    Part parts[] = {
        {"linear", wf_nn_linear(c, NULL, 6, 5, true), "f32[N,6]", {3, 6}, 2},
        {"conv1d", wf_nn_conv1d(c, NULL, 4, 6, 3, NULL), "f32[N,4,9]", {3, 4, 9}, 3},
        {"conv2d", wf_nn_conv2d(c, NULL, 4, 6, 3, &wide), "f32[N,4,9,7]", {3, 4, 9, 7}, 4},
        {"conv3d", wf_nn_conv3d(c, NULL, 2, 3, 2, NULL), "f32[N,2,4,5,3]", {3, 2, 4, 5, 3}, 5},
        {"conv_transpose1d", wf_nn_conv_transpose1d(c, NULL, 4, 6, 3, &wide), "f32[N,4,5]", {3, 4, 5}, 3},
        {"conv_transpose2d", wf_nn_conv_transpose2d(c, NULL, 4, 6, 3, NULL), "f32[N,4,5,4]", {3, 4, 5, 4}, 4},
        {"conv_transpose3d", wf_nn_conv_transpose3d(c, NULL, 2, 3, 2, NULL), "f32[N,2,3,2,3]", {3, 2, 3, 2, 3}, 5},
        {"batch_norm1d", wf_nn_batch_norm1d(c, 4, 1e-5, 0.1), "f32[N,4]", {3, 4}, 2},
        {"batch_norm2d", wf_nn_batch_norm2d(c, 4, 1e-5, 0.1), "f32[N,4,5,3]", {3, 4, 5, 3}, 4},
        {"batch_norm3d", wf_nn_batch_norm3d(c, 2, 1e-5, 0.1), "f32[N,2,2,3,4]", {3, 2, 2, 3, 4}, 5},
        {"layer_norm", wf_nn_layer_norm(c, six, 1, 1e-5), "f32[N,6]", {3, 6}, 2},
        {"rms_norm", wf_nn_rms_norm(c, six, 1, 1e-5), "f32[N,6]", {3, 6}, 2},
        {"group_norm", wf_nn_group_norm(c, 2, 4, 1e-5), "f32[N,4,7]", {3, 4, 7}, 3},
        {"dropout", wf_nn_dropout(c, NULL, 0.5), "f32[N,6]", {3, 6}, 2},
        {"relu", wf_nn_relu(c), "f32[N,67]", {3, 67}, 2},
        {"gelu", wf_nn_gelu(c, false), "f32[N,67]", {3, 67}, 2},
        {"gelu_tanh", wf_nn_gelu(c, true), "f32[N,67]", {3, 67}, 2},
        {"silu", wf_nn_silu(c), "f32[N,67]", {3, 67}, 2},
        {"tanh", wf_nn_tanh(c), "f32[N,67]", {3, 67}, 2},
        {"sigmoid", wf_nn_sigmoid(c), "f32[N,67]", {3, 67}, 2},
        {"elu", wf_nn_elu(c, 1), "f32[N,67]", {3, 67}, 2},
        {"leaky_relu", wf_nn_leaky_relu(c, 0.01), "f32[N,67]", {3, 67}, 2},
        {"softplus", wf_nn_softplus(c, 1), "f32[N,67]", {3, 67}, 2},
        {"softmax", wf_nn_softmax(c, 1), "f32[N,67]", {3, 67}, 2},
        {"log_softmax", wf_nn_log_softmax(c, 1), "f32[N,10]", {3, 10}, 2},
        {"max_pool", wf_nn_max_pool(c, 2, WINDOW), "f32[N,4,9,7]", {3, 4, 9, 7}, 4},
        {"avg_pool", wf_nn_avg_pool(c, 2, WINDOW), "f32[N,4,9,7]", {3, 4, 9, 7}, 4},
        {"adaptive_avg_pool", wf_nn_adaptive_avg_pool(c, 2, sizes), "f32[N,4,9,7]", {3, 4, 9, 7}, 4},
        {"adaptive_max_pool", wf_nn_adaptive_max_pool(c, 2, sizes), "f32[N,4,9,7]", {3, 4, 9, 7}, 4},
        {"flatten", wf_nn_flatten(c, 1, -1), "f32[N,4,7]", {3, 4, 7}, 3},
        {"identity", wf_nn_identity(c), "f32[N,4]", {3, 4}, 2},
        {"rnn", wf_nn_rnn(c, NULL, 4, 5, &two), "f32[7,N,4]", {7, 3, 4}, 3},
        {"lstm", wf_nn_lstm(c, NULL, 4, 5, &two), "f32[7,N,4]", {7, 3, 4}, 3},
        {"gru", wf_nn_gru(c, NULL, 4, 5, NULL), "f32[7,N,4]", {7, 3, 4}, 3},
        {"lstm_cell", wf_nn_lstm_cell(c, NULL, 4, 5), "f32[N,4]", {3, 4}, 2},
        {"gru_cell", wf_nn_gru_cell(c, NULL, 4, 5), "f32[N,4]", {3, 4}, 2},
        {"inception", wf_nn_inception(c, NULL, 3, 4, 3, 6, 2, 4, 5), "f32[N,3,8,6]", {3, 3, 8, 6}, 4},
        {"small_inception", wf_nn_small_inception(c, NULL, 1, 10), "f32[N,1,13,12]", {3, 1, 13, 12}, 4},
    };

    REQUIRE(open_folder());
    check_parts(c, parts, (int)(sizeof parts / sizeof *parts), &machines[1], 1);
    close_folder();
    wf_ctx_free(c);
}

/* Does the header say so? */
static bool header_says(const char *text)
{
    return run("grep -q '%s' '%s/net.h'", text, dir) == 0;
}

TEST(filters_nobody_changes_are_packed)
{
    wf_ctx *c = wf_ctx_new(NULL);
    const wf_conv_options one = {.size = sizeof one, .stride = 1, .padding = 1, .dilation = 1, .groups = 1},
                          two = {.size = sizeof two, .stride = 1, .padding = 1, .dilation = 1, .groups = 2},
                          half = {.size = sizeof half, .stride = 2, .padding = 3, .dilation = 1, .groups = 1},
                          apart = {.size = sizeof apart, .stride = 1, .padding = 2, .dilation = 2, .groups = 1};
    Part parts[] = {
        {"even", wf_nn_conv2d(c, NULL, 16, 40, 3, &one), "f32[N,16,12,14]", {3, 16, 12, 14}, 4},
        {"odd", wf_nn_conv2d(c, NULL, 17, 33, 3, &one), "f32[N,17,13,9]", {3, 17, 13, 9}, 4},
        {"no_padding", wf_nn_conv2d(c, NULL, 16, 64, 3, NULL), "f32[N,16,11,35]", {3, 16, 11, 35}, 4},
        {"grouped", wf_nn_conv2d(c, NULL, 32, 64, 3, &two), "f32[N,32,10,10]", {3, 32, 10, 10}, 4},
        {"wide", wf_nn_conv2d(c, NULL, 16, 16, 3, &one), "f32[N,16,4,150]", {3, 16, 4, 150}, 4},
        {"few", wf_nn_conv2d(c, NULL, 16, 48, 3, NULL), "f32[N,16,5,6]", {3, 16, 5, 6}, 4},
        {"strided", wf_nn_conv2d(c, NULL, 3, 32, 7, &half), "f32[N,3,31,33]", {3, 3, 31, 33}, 4},
        {"dilated", wf_nn_conv2d(c, NULL, 16, 20, 3, &apart), "f32[N,16,14,9]", {3, 16, 14, 9}, 4},
        {"points", wf_nn_conv2d(c, NULL, 24, 48, 1, NULL), "f32[N,24,14,14]", {3, 24, 14, 14}, 4},
        {"odd_points", wf_nn_conv2d(c, NULL, 300, 70, 1, NULL), "f32[N,300,7,7]", {3, 300, 7, 7}, 4},
        {"many", wf_nn_conv2d(c, NULL, 290, 17, 2, NULL), "f32[N,290,5,6]", {3, 290, 5, 6}, 4},
        {"line", wf_nn_conv1d(c, NULL, 8, 16, 3, NULL), "f32[N,8,120]", {3, 8, 120}, 3},
        {"space", wf_nn_conv3d(c, NULL, 4, 18, 2, NULL), "f32[N,4,5,4,6]", {3, 4, 5, 4, 6}, 5},
    };

    REQUIRE(open_folder());
    check_parts(c, parts, (int)(sizeof parts / sizeof *parts), machines, NMACHINES);
    CHECK(header_says("even.weight: f32.40,16,3,3., filters transformed, in panels"));
    CHECK(header_says("few.weight: f32.48,16,3,3., filters in panels"));
    CHECK(header_says("line.weight: f32.16,8,3., filters in panels"));
    close_folder();
    wf_ctx_free(c);
}

/* Two methods, one of which sums the filters, or asks for another way to multiply them. */
static wf_status run_second(wf_ctx *c, void *user, wf_module *m, const wf_tensor *in, int nin, wf_tensor *out, int nout)
{
    wf_tensor w = wf_module_tensor(wf_module_find(m, user), "weight");

    (void)nin, (void)nout;
    out[0] = wf_add(c, wf_forward_one(c, wf_module_find(m, user), in[0]), wf_sum(c, w, NULL, 0, false));
    return wf_ctx_status(c);
}

TEST(filters_that_are_read_in_two_ways_stay_as_they_are)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_module *all = wf_nn_dict(c);
    wf_tensor x = numbers(c, (int64_t[]){3, 16, 12, 12}, 4, 1), small = numbers(c, (int64_t[]){3, 16, 5, 5}, 4, 1);
    Call calls[] = {{"plain", {x}, 1, 1, 3, 1},  {"sum", {x}, 1, 1, 3, 1},       {"large", {x}, 1, 1, 3, 1},
                    {"small", {small}, 1, 1, 3, 1}, {"twice", {x}, 1, 1, 3, 1}, {"again", {x}, 1, 1, 3, 1}};
    const char *names[] = {"a", "a", "b", "b", "c", "c"};
    wf_model *file = NULL;

    for (int i = 0; i < 3; i++)
        wf_module_add(c, all, names[2 * i], wf_nn_conv2d(c, NULL, 16, 16, 3, NULL));
    wf_model_new(c, &file);
    wf_module_store(c, all, file);
    for (int i = 0; i < 6; i++)
        wf_module_add_method(c, all, file, calls[i].method, i == 1 ? run_second : run_part, (void *)(uintptr_t)names[i],
                             (const char *[]){i == 3 ? "f32[N,16,5,5]" : "f32[N,16,12,12]"}, 1, 1);
    REQUIRE(open_folder());
    CHECK(export_file(c, file, WF_EXPORT_IN_FILE) == WF_OK);
    CHECK_STR(wf_ctx_message(c), "");
    CHECK(header_says("a.weight: f32.16,16,3,3. "));
    CHECK(header_says("b.weight: f32.16,16,3,3. "));
    CHECK(header_says("c.weight: f32.16,16,3,3., filters transformed, in panels"));
    if (has_program("cc"))
        CHECK(run("cd '%s' && cc -std=c99 -O1 -ffast-math -c net.c -o /dev/null 2>&1 | grep -q 'reorders sums'", dir) == 0);
    if (check_ok() && has_program("cc") && compile("cc -O1 -DNET_PORTABLE"))
        for (int i = 0; i < 6; i++)
            check_call(c, file, &calls[i], "", 2e-5);
    CHECK(wf_export(c, file, dir,
                    &(wf_export_options){.size = sizeof(wf_export_options), .name = "net", .most_symbols = (const char *[]){NULL},
                                         .most = (int64_t[]){8}, .nmost = 1, .unpacked = true}) == WF_OK);
    CHECK(!header_says("panels"));
    close_folder();
    wf_model_free(file);
    wf_module_release(c, all);
    wf_ctx_free(c);
}

/* ---- training -------------------------------------------------------------------------- */

static wf_status classify(wf_ctx *c, void *user, wf_module *m, const wf_tensor *in, int nin, wf_tensor *out, int nout)
{
    (void)user, (void)nin, (void)nout;
    out[0] = wf_cross_entropy(c, wf_forward_one(c, m, in[0]), in[1], WF_NONE, -100, 0, WF_MEAN);
    return wf_ctx_status(c);
}

typedef struct Net {
    wf_ctx *c;
    wf_module *m;
    wf_optim *o;
    wf_model *file;
    Call forward, train;
} Net;

static Net net_open(wf_ctx *c, wf_module *m, wf_optim *o, const char *type, wf_tensor x, int64_t classes)
{
    Net n = {c, m, o, NULL, {"forward", {x}, 1, 1, 3, 1}, {"train", {x, WF_NONE}, 2, 1, 3, 4}};
    const char *types[] = {type, "i64[N]"};

    n.train.in[1] = labels(c, 3, classes);
    wf_model_new(c, &n.file);
    wf_module_store(c, m, n.file);
    wf_optim_store(c, o, n.file);
    wf_optim_add_step(c, o, m, n.file, "train", classify, NULL, types, 2);
    wf_module_train(m, false);
    wf_module_add_method(c, m, n.file, "forward", NULL, NULL, types, 1, 1);
    CHECK_STR(wf_ctx_message(c), "");
    return n;
}

static void net_close(Net *n)
{
    wf_model_free(n->file);
    wf_optim_free(n->c, n->o);
    wf_module_release(n->c, n->m);
}

/* The library's file changes as it trains: forward first, from the same weights. */
static void net_check(Net *n, const char *cc, const char *runner, double tolerance)
{
    if (!check_ok() || !compile(cc))
        return;
    check_call(n->c, n->file, &n->forward, runner, tolerance);
    if (!*runner)
        check_call(n->c, n->file, &n->train, runner, tolerance);
}

static wf_module *small_net(wf_ctx *c)
{
    return wf_nn_sequential(c, 3, wf_nn_linear(c, NULL, 6, 9, true), wf_nn_tanh(c),
                            wf_nn_linear(c, NULL, 9, 4, true));
}

TEST(every_optimiser_trains_exported_as_in_the_library)
{
    for (int i = 0; i < 6 && check_ok(); i++) {
        wf_ctx *c = wf_ctx_new(NULL);
        wf_module *m = small_net(c);
        wf_optim *o = i == 0   ? wf_sgd(c, m, 0.1, 0, false, 0)
                      : i == 1 ? wf_sgd(c, m, 0.1, 0.9, true, 0.01)
                      : i == 2 ? wf_adam(c, m, 0.05, 0.9, 0.999, 1e-8, 0)
                      : i == 3 ? wf_adamw(c, m, 0.05, 0.9, 0.999, 1e-8, 0.1)
                      : i == 4 ? wf_rmsprop(c, m, 0.01, 0.99, 1e-8, 0, 0.5)
                               : wf_adagrad(c, m, 0.1, 0, 1e-10, 0);
        Net n = net_open(c, m, o, "f32[N,6]", numbers(c, (int64_t[]){3, 6}, 2, 1), 4);

        REQUIRE(open_folder());
        CHECK(export_file(c, n.file, WF_EXPORT_IN_FILE) == WF_OK);
        if (has_program("cc"))
            net_check(&n, "cc -O1 -DNET_PORTABLE", "", 2e-5);
        close_folder();
        net_close(&n);
        wf_ctx_free(c);
    }
}

/* The network of the digits, by every compiler that is there. */
TEST(inception_trains_exported_on_every_machine_there_is)
{
    for (int i = 0; i < NMACHINES && check_ok(); i++) {
        wf_ctx *c;
        wf_module *m;
        Net n;

        if (!has_machine(&machines[i]))
            continue;
        c = wf_ctx_new(NULL);
        m = wf_nn_small_inception(c, NULL, 1, 10);
        n = net_open(c, m, wf_adam(c, m, 1e-3, 0.9, 0.999, 1e-8, 0), "f32[N,1,8,8]",
                     numbers(c, (int64_t[]){3, 1, 8, 8}, 4, 1), 10);
        REQUIRE(open_folder());
        CHECK(export_file(c, n.file, i % 2 ? WF_EXPORT_BLOB : WF_EXPORT_TENSORS) == WF_OK);
        if (i % 2 == 0) {
            char path[300];

            snprintf(path, sizeof path, "%s/net.safetensors", dir);
            wf_model_save(c, n.file, path);
        }
        net_check(&n, machines[i].cc, machines[i].runner, 2e-4);
        close_folder();
        net_close(&n);
        wf_ctx_free(c);
    }
}

/* ---- random numbers ---------------------------------------------------------------------- */

TEST(dropout_trains_exported_with_the_masks_of_the_library)
{
    for (int i = 0; i < NMACHINES && check_ok(); i++) {
        wf_ctx *c;
        wf_module *m;
        Net n;
        uint32_t before[2], after[2];

        if (!has_machine(&machines[i]))
            continue;
        c = wf_ctx_new(NULL);
        m = wf_nn_sequential(c, 4, wf_nn_linear(c, NULL, 6, 30, true), wf_nn_dropout(c, NULL, 0.3), wf_nn_tanh(c),
                             wf_nn_linear(c, NULL, 30, 4, true));
        n = net_open(c, m, wf_adam(c, m, 1e-2, 0.9, 0.999, 1e-8, 0), "f32[N,6]", numbers(c, (int64_t[]){3, 6}, 2, 1), 4);
        REQUIRE(wf_model_find_tensor(n.file, "random_key"));
        memcpy(before, wf_array_data(wf_model_find_tensor(n.file, "random_key")), sizeof before);
        REQUIRE(open_folder());
        CHECK(export_file(c, n.file, WF_EXPORT_IN_FILE) == WF_OK);
        CHECK(header_says("uint32_t random_key.2.; "));
        if (compile(machines[i].cc))
            check_call(c, n.file, &n.train, machines[i].runner, 2e-5);
        memcpy(after, wf_array_data(wf_model_find_tensor(n.file, "random_key")), sizeof after);
        CHECK(memcmp(before, after, sizeof before) != 0);
        close_folder();
        net_close(&n);
        wf_ctx_free(c);
    }
}

static const char draws[] =
    "import sys, torch\n"
    "from torch import nn\n"
    "class M(nn.Module):\n"
    "    def __init__(self):\n"
    "        super().__init__()\n"
    "        self.l = nn.Linear(6, 5)\n"
    "    def forward(self, x):\n"
    "        h = self.l(x)\n"
    "        z = h + torch.randn_like(h) * torch.exp(h)\n"
    "        if bool(z.sum() > 0):\n"
    "            z = z + torch.rand_like(z) + torch.zeros_like(z)\n"
    "        else:\n"
    "            z = nn.functional.dropout(z, 0.3, True)\n"
    "        for i in range(3):\n"
    "            z = z + torch.randn(x.shape[0], 5) * 0.1\n"
    "        w = torch.softmax(h, -1)\n"
    "        m = torch.multinomial(w, 3) + torch.multinomial(w, 3, True)\n"
    "        e = torch.empty(100)\n"
    "        return z, m.float(), nn.functional.gumbel_softmax(h), torch.cat([torch.randperm(9), torch.randint(-5, 5, (20,)),\n"
    "            torch.bernoulli(w).flatten(), e.exponential_(2.0), e.geometric_(0.3), torch.normal(1.0, 2.0, (50,))])\n"
    "m = torch.jit.script(M().eval())\n"
    "m(torch.ones(2, 6))\n"
    "m.save(sys.argv[1])\n";

TEST(what_draws_random_numbers_draws_the_same_exported)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_model *file = NULL;
    char path[300], model[300];
    int code = 0;
    Call call = {"forward", {numbers(c, (int64_t[]){3, 6}, 2, 1)}, 1, 4, 3, 3};
    static const char *const symbols[] = {NULL};
    static const int64_t most[] = {8};
    wf_export_options o = {.size = sizeof o, .name = "net", .most_symbols = symbols, .most = most, .nmost = 1};

    REQUIRE(open_folder());
    snprintf(path, sizeof path, "%s/draws.py", dir);
    snprintf(model, sizeof model, "%s/draws.weft", dir);
    put_text(path, draws);
    CHECK(wf_script_run(c, path, 2, (char *[]){path, model, NULL}, &code) == WF_OK);
    CHECK(wf_model_load(c, model, &file) == WF_OK && wf_export(c, file, dir, &o) == WF_OK);
    CHECK_STR(wf_ctx_message(c), "");
    wf_model_free(file);
    for (int i = 0; i < NMACHINES && check_ok(); i++)
        if (has_machine(&machines[i]) && compile(machines[i].cc)) {
            wf_model_load(c, model, &file);
            check_call(c, file, &call, machines[i].runner, 2e-5);
            wf_model_free(file);
        }
    close_folder();
    wf_ctx_free(c);
}
