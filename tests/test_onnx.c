/* test_onnx.c -- ONNX's backend suite: the small cases, which are in the tree (tests/onnx/cases.bin), or all of a folder that
 * tools/onnx_cases has made: ONNX_CASES=FOLDER build/tests/test_onnx the_suite.
 *
 * tests/onnx/ways.txt lists every case that is not run as it is, see lib_onnx.c, and those that are refused or differ, with
 * the reason. It is held against what happens from both sides.
 */
#include "lib_onnx.h"
#include "test.h"

#include <dirent.h>
#include <math.h>
#include <unistd.h>

/* ---- cases --------------------------------------------------------------------------------------- */

static OnnxBytes read_file(const char *path)
{
    OnnxBytes b = {NULL, 0};
    FILE *f = fopen(path, "rb");
    long n;

    if (!f)
        return b;
    fseek(f, 0, SEEK_END);
    n = ftell(f);
    rewind(f);
    b.data = malloc((size_t)n + 1);
    b.size = fread(b.data, 1, (size_t)n, f);
    b.data[b.size] = 0;
    fclose(f);
    return b;
}

static void free_case(OnnxCase *k)
{
    free(k->model.data);
    for (int i = 0; i < k->nin; i++)
        free(k->in[i].data);
    for (int i = 0; i < k->nout; i++)
        free(k->out[i].data);
}

static int load_data(const char *dir, const char *name, const char *what, OnnxBytes *out)
{
    char path[1400];
    int n = 0;

    for (; n < 64; n++) {
        snprintf(path, sizeof path, "%s/%s/test_data_set_0/%s_%d.pb", dir, name, what, n);
        if (!(out[n] = read_file(path)).data)
            break;
    }
    return n;
}

static bool load_case(const char *dir, const char *name, OnnxCase *k)
{
    char path[1400];
    OnnxBytes b;

    *k = (OnnxCase){.name = name, .rtol = 1e-3, .atol = 1e-7};
    snprintf(path, sizeof path, "%s/%s/model.onnx", dir, name);
    k->model = read_file(path);
    k->nin = load_data(dir, name, "input", k->in);
    k->nout = load_data(dir, name, "output", k->out);
    snprintf(path, sizeof path, "%s/%s/data.json", dir, name);
    b = read_file(path);
    if (b.data) {
        const char *rtol = strstr(b.data, "\"rtol\": "), *atol = strstr(b.data, "\"atol\": ");
        k->rtol = rtol ? atof(rtol + 8) : k->rtol;
        k->atol = atol ? atof(atol + 8) : k->atol;
        free(b.data);
    }
    return k->model.data != NULL;
}

/* ---- the list -------------------------------------------------------------------------------------- */

/* What tests/onnx/ways.txt says of a case: 'D' if it is not there. */
static char listed_way(const char *list, const char *name)
{
    char line[300];
    const char *s;

    snprintf(line, sizeof line, " %s\n", name);
    if ((s = strstr(list, line)) && s > list)
        return s[-1];
    snprintf(line, sizeof line, " %s ", name); /* with a reason */
    return (s = strstr(list, line)) && s > list ? s[-1] : 'D';
}

static bool is_random(const char *name) { return strstr(name, "bernoulli") || strstr(name, "training_dropout"); }

static void check_case(OnnxCase *k, const char *list, int *counts)
{
    char why[2000], way, listed = listed_way(list, k->name);
    wf_ctx *c = wf_ctx_new(NULL);

    k->random = is_random(k->name);
    way = onnx_run_case(c, k, why, sizeof why);
    way = way ? way : '-';
    counts[(unsigned char)way]++;
    if (getenv("ONNX_LIST"))
        printf("%c %s %s\n", way, k->name, way == '-' ? why : "");
    else if (way != listed)
        check_fail(__FILE__, __LINE__, "%s: %c, listed as %c: %s", k->name, way, listed, why);
    wf_ctx_free(c);
}

static char *list_of_ways(void)
{
    OnnxBytes b = read_file("tests/onnx/ways.txt");

    CHECK(b.data != NULL);
    return b.data ? b.data : calloc(1, 1);
}

/* ---- the tests --------------------------------------------------------------------------------------- */

static bool take(OnnxBytes *from, void *out, size_t n)
{
    if (n > from->size)
        return false;
    memcpy(out, from->data, n);
    from->data += n;
    from->size -= n;
    return true;
}

static bool take_bytes(OnnxBytes *from, OnnxBytes *out)
{
    uint32_t n;

    if (!take(from, &n, 4) || n > from->size)
        return false;
    out->data = malloc(n + 1u);
    out->size = n;
    out->data[n] = 0;
    return take(from, out->data, n);
}

/* All cases of a file that tools/onnx_cases packs. */
static void check_pack(const char *path, int *counts)
{
    OnnxBytes all = read_file(path), at = all;
    char *list = list_of_ways();
    uint32_t sizes[2];

    CHECK(all.data != NULL);
    while (at.size) {
        OnnxCase k = {0};
        OnnxBytes name = {0};

        if (!take_bytes(&at, &name) || !take(&at, &k.rtol, 8) || !take(&at, &k.atol, 8) || !take(&at, sizes, 8) || sizes[0] > 64 ||
            sizes[1] > 64 || !take_bytes(&at, &k.model)) {
            check_fail(__FILE__, __LINE__, "%s is broken", path);
            break;
        }
        k.name = name.data;
        for (uint32_t i = 0; i < sizes[0]; i++)
            CHECK(take_bytes(&at, &k.in[k.nin++]));
        for (uint32_t i = 0; i < sizes[1]; i++)
            CHECK(take_bytes(&at, &k.out[k.nout++]));
        check_case(&k, list, counts);
        free_case(&k);
        free(name.data);
    }
    free(all.data);
    free(list);
}

TEST(small_cases_of_the_suite_pass_as_listed)
{
    int counts[256] = {0};

    check_pack("tests/onnx/cases.bin", counts);
    CHECK(counts['D'] > 900);
}

TEST(ops_of_microsoft_give_what_onnx_runtime_gives)
{
    int counts[256] = {0};

    check_pack("tests/onnx/microsoft.bin", counts);
    CHECK(counts['D'] > 50);
}

TEST(weights_of_four_bits_are_what_their_definition_gives)
{
    int counts[256] = {0};

    check_pack("tests/onnx/halves.bin", counts);
    CHECK(counts['D'] == 8);
}

TEST(zero_points_by_column_are_not_the_first)
{
    int counts[256] = {0};

    check_pack("tests/onnx/columns.bin", counts);
    CHECK(counts['D'] == 1);
}

TEST(sizes_that_only_a_run_knows_meet_and_lists_grow_in_loops)
{
    int counts[256] = {0};

    check_pack("tests/onnx/found.bin", counts);
    CHECK(counts['D'] == 10);
}

static void check_folder(const char *dir, const char *list, int *counts)
{
    const char *only = getenv("ONNX_ONLY");
    struct dirent **names;
    int n = scandir(dir, &names, NULL, alphasort);

    for (int i = 0; i < n; i++) {
        OnnxCase k;

        if (names[i]->d_name[0] != '.' && (!only || strstr(names[i]->d_name, only)) && load_case(dir, names[i]->d_name, &k)) {
            check_case(&k, list, counts);
            free_case(&k);
        }
        free(names[i]);
    }
    if (n >= 0)
        free(names);
}

TEST(the_suite_of_a_folder_passes_as_listed)
{
    static const char *const kinds[] = {"node", "simple", "pytorch-converted", "pytorch-operator"};
    const char *dir = getenv("ONNX_CASES");
    int counts[256] = {0};
    char path[1000], *list;

    if (!dir)
        SKIP("needs ONNX_CASES, a folder made by tools/onnx_cases");
    list = list_of_ways();
    for (int i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "%s/%s", dir, kinds[i]);
        check_folder(path, list, counts);
    }
    printf("as they are %d, with integers given %d, with everything given %d, refused or different %d\n", counts['D'], counts['S'],
           counts['V'], counts['-']);
    free(list);
}

/* The nine networks: an input of arange(n) / n, as the suite's runner makes it. */
TEST(light_networks_of_a_folder_give_what_is_expected)
{
    static const char *const names[] = {"bvlc_alexnet", "densenet121", "inception_v1", "inception_v2", "resnet50",
                                        "shufflenet",   "squeezenet",  "vgg19",        "zfnet512"};
    const char *dir = getenv("ONNX_CASES");

    if (!dir)
        SKIP("needs ONNX_CASES, a folder made by tools/onnx_cases");
    for (int i = 0; i < 9; i++) {
        char path[1000], why[2000] = "";
        wf_ctx *c = wf_ctx_new(NULL);
        wf_array *in = NULL;
        OnnxCase k = {.name = names[i], .rtol = 2e-3, .atol = 1e-7, .nout = 1};
        float *x;

        snprintf(path, sizeof path, "%s/light/light_%s_output_0.pb", dir, names[i]);
        k.out[0] = read_file(path);
        snprintf(path, sizeof path, "%s/light/light_%s.onnx", dir, names[i]);
        k.model = read_file(path);
        wf_array_new(c, WF_F32, (int64_t[]){1, 3, 224, 224}, 4, &in);
        x = wf_array_data_mutable(in);
        for (int j = 0; j < 3 * 224 * 224; j++)
            x[j] = (float)j / (float)(3 * 224 * 224);
        k.first = in;
        if (onnx_run_case(c, &k, why, sizeof why) != 'D')
            check_fail(__FILE__, __LINE__, "%s: %s", names[i], why);
        wf_array_release(in);
        free_case(&k);
        wf_ctx_free(c);
    }
}

/* ---- what an import can do ------------------------------------------------------------------------------- */

/* tests/onnx/net.onnx: a loss of x and t, and PyTorch's numbers of it (tools/golden_onnx.py). */
typedef struct Net {
    wf_ctx *c;
    wf_model *file, *want;
    wf_array *state[32];
    int nstate;
} Net;

static bool open_net(Net *n, const char *method)
{
    *n = (Net){.c = wf_ctx_new(NULL)};
    wf_model_load(n->c, "tests/onnx/net.onnx", &n->file);
    wf_model_load(n->c, "tests/onnx/net.safetensors", &n->want);
    CHECK_STR(wf_ctx_message(n->c), "");
    n->nstate = n->file && n->want ? wf_model_method_state(n->c, n->file, method, n->state, 30) : -1;
    if (n->nstate < 0)
        return false;
    n->state[n->nstate] = wf_model_find_tensor(n->want, "x");
    n->state[n->nstate + 1] = wf_model_find_tensor(n->want, "t");
    return true;
}

static void close_net(Net *n)
{
    wf_model_free(n->file);
    wf_model_free(n->want);
    wf_ctx_free(n->c);
}

static void check_want(Net *n, const char *name, const wf_array *got)
{
    const wf_array *want = wf_model_find_tensor(n->want, name);

    if (!want || !got || wf_array_count(want) != wf_array_count(got)) {
        check_fail(__FILE__, __LINE__, "%s is missing, or has another size", name);
        return;
    }
    for (int64_t i = 0; i < wf_array_count(want); i++) {
        double a = (double)((const float *)wf_array_data(got))[i], b = (double)((const float *)wf_array_data(want))[i];
        if (!(fabs(a - b) <= 2e-6 + 1e-4 * fabs(b)))
            check_fail(__FILE__, __LINE__, "%s[%lld] is %g, needed %g", name, (long long)i, a, b);
    }
}

TEST(gradients_of_an_import_are_pytorchs)
{
    Net n;
    const wf_program *p, *g = NULL;
    wf_array *out[32] = {0};
    int wrt[32], k = 0;
    char name[100];

    REQUIRE(open_net(&n, "forward"));
    p = wf_model_find(n.file, "forward");
    for (int i = 0; i < n.nstate; i++)
        if (!strstr(wf_program_input_name(p, i), "running"))
            wrt[k++] = i;
    CHECK_EQ_INT(k, 12);
    wf_value_and_grad(n.c, p, wrt, k, &g);
    REQUIRE(g != NULL);
    CHECK(wf_eval(n.c, g, n.state, wf_program_inputs(g), out, wf_program_outputs(g)) == WF_OK);
    check_want(&n, "loss", out[0]);
    for (int i = 0; i < k; i++) {
        snprintf(name, sizeof name, "grad.%s", wf_program_input_name(p, wrt[i]));
        check_want(&n, name, out[1 + i]);
    }
    for (int i = 0; i <= k; i++)
        wf_array_release(out[i]);
    wf_program_release(g);
    close_net(&n);
}

TEST(training_uses_statistics_of_the_batch_and_keeps_running_ones)
{
    Net n;
    wf_tensor in[2], loss;

    REQUIRE(open_net(&n, "forward_train"));
    wf_scope_begin(n.c);
    in[0] = wf_from_array(n.c, n.state[n.nstate]);
    in[1] = wf_from_array(n.c, n.state[n.nstate + 1]);
    CHECK(wf_model_run(n.c, n.file, "forward_train", in, 2, &loss, 1) == WF_OK);
    CHECK_NEAR(wf_item(n.c, loss), (double)*(float *)wf_array_data(wf_model_find_tensor(n.want, "train.loss")), 1e-5);
    wf_scope_end(n.c);
    check_want(&n, "train.mean", wf_model_find_tensor(n.file, "bn.running_mean"));
    check_want(&n, "train.var", wf_model_find_tensor(n.file, "bn.running_var"));
    close_net(&n);
}

TEST(an_import_is_a_module_that_learns)
{
    Net n;
    wf_module *m;
    wf_optim *opt;
    double first = 0, last = 0;

    REQUIRE(open_net(&n, "forward"));
    m = wf_module_load(n.c, n.file);
    REQUIRE(m != NULL);
    CHECK_EQ_INT(wf_module_parameters(m, NULL, 0), 12);
    opt = wf_adam(n.c, m, 0.01, 0.9, 0.999, 1e-8, 0);
    for (int i = 0; i < 20; i++) {
        wf_tensor in[2], loss;
        wf_scope_begin(n.c);
        in[0] = wf_from_array(n.c, n.state[n.nstate]);
        in[1] = wf_from_array(n.c, n.state[n.nstate + 1]);
        wf_module_zero_grad(n.c, m);
        wf_module_call(n.c, m, in, 2, &loss, 1);
        wf_backward(n.c, loss, WF_NONE, 0);
        wf_optim_step(n.c, opt);
        last = wf_item(n.c, loss);
        first = i ? first : last;
        wf_scope_end(n.c);
    }
    CHECK_STR(wf_ctx_message(n.c), "");
    CHECK(last < 0.8 * first);
    wf_optim_free(n.c, opt);
    wf_module_release(n.c, m);
    close_net(&n);
}

/* ---- writing --------------------------------------------------------------------------------------------- */

TEST(a_model_that_is_written_is_the_same_when_it_is_read)
{
    Net n;
    wf_model *again = NULL;
    wf_array *out[2] = {0}, *state[32];
    const wf_program *p;
    char path[100];

    REQUIRE(open_net(&n, "forward"));
    snprintf(path, sizeof path, "/tmp/weft_test_onnx_%d.onnx", (int)getpid());
    CHECK(wf_model_save(n.c, n.file, path) == WF_OK);
    wf_model_load(n.c, path, &again);
    CHECK_STR(wf_ctx_message(n.c), "");
    REQUIRE(again != NULL);
    p = wf_model_find(again, "forward");
    CHECK_EQ_INT(wf_model_method_state(n.c, again, "forward", state, 30), n.nstate);
    CHECK(wf_model_find_tensor(again, "rnn.weight_hh_l0") != NULL);
    CHECK_STR(wf_program_input_name(p, n.nstate), "x");
    CHECK_STR(wf_program_input_name(p, n.nstate + 1), "t");
    state[n.nstate] = n.state[n.nstate];
    state[n.nstate + 1] = n.state[n.nstate + 1];
    CHECK(wf_eval(n.c, p, state, wf_program_inputs(p), out, wf_program_outputs(p)) == WF_OK);
    check_want(&n, "loss", out[0]);
    wf_array_release(out[0]);
    wf_model_free(again);
    remove(path);
    close_net(&n);
}

TEST(what_onnx_has_no_op_for_is_refused_by_name)
{
    static const char text[] = "f(x: f32[N,N]) {\n  y = cholesky x\n  ret y\n}\n";
    wf_ctx *c = wf_ctx_new(NULL);
    wf_model *m = NULL;

    wf_model_parse(c, "f.wir", text, sizeof text - 1, &m);
    CHECK(wf_model_save(c, m, "/tmp/weft_test_refused.onnx") == WF_ERR_UNSUPPORTED);
    CHECK_HAS(wf_ctx_message(c), "not supported: onnx: cholesky cannot be written");
    wf_model_free(m);
    wf_ctx_free(c);
}

/* ONNX has no node that ends a run. */
TEST(assertions_are_left_out_of_what_is_written)
{
    static const char text[] = "f(x: f32[3]) {\n  %0 = const f32[3] 0\n  %1 = gt x %0\n  assert %1 message=\"no\"\n  y = exp x\n  ret y\n}\n";
    char path[100];
    wf_ctx *c = wf_ctx_new(NULL);
    wf_model *m = NULL, *again = NULL;

    snprintf(path, sizeof path, "/tmp/weft_test_onnx_%d.onnx", (int)getpid());
    wf_model_parse(c, "f.wir", text, sizeof text - 1, &m);
    CHECK(wf_model_save(c, m, path) == WF_OK);
    wf_model_load(c, path, &again);
    CHECK_STR(wf_ctx_message(c), "");
    CHECK_EQ_INT(wf_model_programs(again), 1);
    wf_model_free(again);
    wf_model_free(m);
    remove(path);
    wf_ctx_free(c);
}

/* ---- hostile bytes ------------------------------------------------------------------------------------- */

static void parse_hostile(const char *data, size_t size)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_model *m = NULL;
    wf_status s = wf_model_parse(c, "hostile.onnx", data, size, &m);

    CHECK(s == WF_OK ? m != NULL : m == NULL && s != WF_ERR_INTERNAL);
    for (int i = 0; i < wf_model_programs(m); i++)
        CHECK(wf_program_verify(c, wf_model_program(m, i)) == WF_OK);
    wf_model_free(m);
    wf_ctx_free(c);
}

/* Of every 25th small case: every truncation, and bytes that are changed at random. */
TEST(truncated_and_changed_models_are_errors_and_nothing_else)
{
    OnnxBytes all = read_file("tests/onnx/cases.bin"), at = all;
    uint32_t sizes[2], seed = 1, n = 0;
    double tolerance[2];

    REQUIRE(all.data != NULL);
    while (at.size) {
        OnnxBytes name, model, skip;

        if (!take_bytes(&at, &name) || !take(&at, tolerance, 16) || !take(&at, sizes, 8) || !take_bytes(&at, &model))
            break;
        for (uint32_t i = 0; i < sizes[0] + sizes[1] && take_bytes(&at, &skip); i++)
            free(skip.data);
        if (n++ % 25 == 0) {
            for (size_t k = 0; k < model.size; k++)
                parse_hostile(model.data, k);
            for (int k = 0; k < 220; k++) {
                char *copy = malloc(model.size);
                memcpy(copy, model.data, model.size);
                for (int j = 0; j < 1 + k % 3; j++) {
                    seed = seed * 1664525u + 1013904223u;
                    copy[(seed >> 8) % model.size] = (char)(seed >> 3);
                }
                parse_hostile(copy, model.size);
                free(copy);
            }
        }
        free(name.data);
        free(model.data);
    }
    free(all.data);
}
