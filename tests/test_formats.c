/* test_formats.c -- files of other systems (tests/files, made by tools/format_samples.py): what they give, and that every
 * truncation and every changed byte is an answer or an error.
 */
#include "test.h"

#include <dirent.h>
#include <math.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A static program has the script language, which makes programs of TorchScript, if it calls it. */
extern wf_status (*const script_is_here)(wf_ctx *cx, const char *file, const char *text, size_t size);
wf_status (*const script_is_here)(wf_ctx *cx, const char *file, const char *text, size_t size) = wf_script_check;

#define FOLDER "tests/files/"

static char *read_file(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    char *data = NULL;
    long n;

    *size = 0;
    if (!f)
        return NULL;
    fseek(f, 0, SEEK_END);
    n = ftell(f);
    rewind(f);
    data = malloc((size_t)n + 1);
    *size = fread(data, 1, (size_t)n, f);
    fclose(f);
    return data;
}

static wf_model *load(wf_ctx *c, const char *path)
{
    wf_model *m = NULL;

    wf_model_load(c, path, &m);
    CHECK_STR(wf_ctx_message(c), "");
    wf_clear(c);
    return m;
}

static const char *tensor_text(wf_ctx *c, const wf_model *m, const char *name)
{
    const char *text = "";
    wf_array *a = wf_model_find_tensor(m, name);

    if (a)
        wf_array_text(c, a, &text);
    return text;
}

/* ---- hostile bytes ------------------------------------------------------------------------- */

static uint64_t seed = 1;
static uint32_t next_random(void)
{
    return (uint32_t)((seed = seed * 6364136223846793005u + 1442695040888963407u) >> 33);
}

static void try_bytes(wf_ctx *c, const char *name, const char *data, size_t size)
{
    wf_model *m = NULL;
    const char *text;

    if (wf_model_parse(c, name, data, size, &m) == WF_ERR_INTERNAL)
        check_fail(name, 0, "%s", wf_ctx_message(c));
    for (int i = 0; i < wf_model_tensors(m); i++)
        if (wf_array_count(wf_model_tensor(m, i)) < 10000)
            wf_array_text(c, wf_model_tensor(m, i), &text);
    wf_model_free(m);
    wf_clear(c);
}

/* Under sanitizers fewer: the fuzzers run there, too, on the same readers. */
TEST(cut_and_changed_files_are_answers_or_errors)
{
    const char *times = getenv("FORMAT_FLIPS");
    bool checked = getenv("WEFT_SAN") != NULL;
    int flips = times ? atoi(times) : checked ? 1000 : 10000, files = 0;
    wf_ctx *c = wf_ctx_new(NULL);
    DIR *dir = opendir(FOLDER);

    REQUIRE(dir);
    for (struct dirent *d; (d = readdir(dir));) {
        char path[400];
        size_t size;
        char *data, *changed;

        snprintf(path, sizeof path, FOLDER "%s", d->d_name);
        if (d->d_name[0] == '.' || !(data = read_file(path, &size)) || !size)
            continue;
        files++;
        /* code makes an interpreter start: fewer of those */
        bool has_code = memmem(data, size, "/code/", 6) || strstr(d->d_name, "exported");
        int times_here = has_code ? flips / 250 : flips;

        changed = malloc(size + 1);
        for (size_t n = 0; n < size; n += checked ? 11 : 1)
            try_bytes(c, path, data, n);
        for (int k = 0; k < times_here; k++) {
            memcpy(changed, data, size);
            for (uint32_t n = 1 + next_random() % 4; n; n--)
                changed[next_random() % size] ^= (char)(1 << next_random() % 8);
            try_bytes(c, path, changed, size);
        }
        free(changed);
        free(data);
    }
    closedir(dir);
    CHECK(files >= 5);
    wf_ctx_free(c);
}

/* ---- TorchScript ------------------------------------------------------------------------------ */

TEST(a_torchscript_archive_says_what_it_wants_and_is_a_program_once_types_are_given)
{
    const char *names[] = {"x"}, *types[] = {"f32[N,1,5,5]"};
    wf_import_options o = {sizeof o, names, types, NULL, 1};
    wf_ctx *c = wf_ctx_new(NULL);
    wf_model *m = load(c, FOLDER "script.pt");
    wf_tensor x, y = WF_NONE, out[5];
    float ones[50];

    REQUIRE(m);
    CHECK_EQ_INT(wf_model_programs(m), 0);
    CHECK_STR(wf_model_meta(m, "inputs.forward"), "x");
    CHECK_HAS(wf_model_meta(m, "torch.forward"), "int n");
    CHECK_EQ_INT(wf_model_tensors(m), 12);
    wf_model_free(m);
    CHECK_EQ_INT(wf_model_import(c, FOLDER "script.pt", &o, &m), WF_OK);
    CHECK_STR(wf_ctx_message(c), "");
    REQUIRE(m && wf_model_find(m, "forward") && wf_model_find(m, "count"));
    CHECK_HAS(wf_model_meta(m, "no_train.forward"), "random"); /* dropout */
    for (int i = 0; i < 50; i++)
        ones[i] = (float)i / 10;
    x = wf_from(c, WF_F32, (int64_t[]){2, 1, 5, 5}, 4, ones);
    CHECK_EQ_INT(wf_model_run(c, m, "forward", &x, 1, out, 5), WF_OK);
    CHECK_STR(wf_ctx_message(c), "");
    y = wf_sum(c, out[0], NULL, 0, false);
    CHECK_NEAR(wf_item(c, y), 3.963144302368164, 1e-4);
    wf_model_free(m);
    wf_ctx_free(c);
}

/* Sizes given by name stay open where a trace slices by them, makes ranges and views of them, and loops over them. Numbers are PyTorch's. */
TEST(a_traced_archive_serves_all_sizes_that_are_left_open)
{
    const char *names[] = {"x", "mask"}, *types[] = {"i64[N,T]", "f32[N,T]"};
    wf_import_options o = {sizeof o, names, types, NULL, 2};
    static const struct {
        int64_t size[2];
        double all, first, steps;
    } runs[] = {{{2, 4}, -0.2439044327177332, 0.29669639468193054, 2.712896578013897}, {{3, 7}, 0.3993542734884898, 0.3599967360496521, 9.7504249131307}};
    wf_ctx *c = wf_ctx_new(NULL);
    wf_model *m = NULL;

    CHECK_EQ_INT(wf_model_import(c, FOLDER "traced_open.pt", &o, &m), WF_OK);
    CHECK_STR(wf_ctx_message(c), "");
    REQUIRE(m);
    CHECK_EQ_INT(wf_model_programs(m), 1);
    for (int k = 0; k < 2; k++) {
        int64_t n = runs[k].size[0] * runs[k].size[1], words[21];
        wf_tensor out[3], in[2];
        float mask[21];
        double sum = 0, y[84];

        for (int64_t i = 0; i < n; i++) {
            words[i] = i * 3 % 5;
            mask[i] = i % 6 != 5;
        }
        in[0] = wf_from(c, WF_I64, runs[k].size, 2, words);
        in[1] = wf_from(c, WF_F32, runs[k].size, 2, mask);
        CHECK_EQ_INT(wf_model_run(c, m, "forward", in, 2, out, 3), WF_OK);
        CHECK_STR(wf_ctx_message(c), "");
        REQUIRE(wf_count(c, out[0]) == 4 * n && wf_read_f64(c, out[0], y, 4 * n) == WF_OK);
        for (int64_t i = 0; i < 4 * n; i++)
            sum += y[i] * cos((double)i);
        CHECK_NEAR(sum, runs[k].all, 1e-5);
        CHECK_NEAR(wf_item(c, wf_sum(c, out[1], NULL, 0, false)), runs[k].first, 1e-5);
        CHECK_EQ_INT(wf_size(c, out[2], 0), runs[k].size[0] * runs[k].size[0] - 1);
        CHECK_NEAR(wf_item(c, wf_sum(c, wf_abs(c, out[2]), NULL, 0, false)), runs[k].steps, 1e-5);
    }
    wf_model_free(m);
    wf_ctx_free(c);
}

TEST(a_type_for_an_input_that_is_not_there_is_an_error)
{
    const char *names[] = {"nothing"}, *types[] = {"f32[2]"};
    wf_import_options o = {sizeof o, names, types, NULL, 1};
    wf_ctx *c = wf_ctx_new(NULL);
    wf_model *m;

    CHECK(wf_model_import(c, FOLDER "traced.pt", &o, &m) != WF_OK);
    CHECK_HAS(wf_ctx_message(c), "no method has an input 'nothing'");
    wf_ctx_free(c);
}

/* ---- tensors alone ------------------------------------------------------------------------------ */

TEST(arrays_of_npz_files_are_tensors_by_name)
{
    char path[] = "/tmp/weft_formats_XXXXXX.npz";
    wf_ctx *c = wf_ctx_new(NULL);
    wf_model *m = load(c, FOLDER "arrays.npz"), *packed = load(c, FOLDER "packed.npz"), *back;
    int fd = mkstemps(path, 4);

    REQUIRE(m && packed && fd >= 0);
    close(fd);
    CHECK_STR(tensor_text(c, m, "a"), "f32[2,3] [[0, 1, 2], [3, 4, 5]]");
    CHECK_STR(tensor_text(c, m, "b"), "i64[2] [1, -2]");
    CHECK_STR(tensor_text(c, m, "c"), "f64[] 2.5");
    CHECK_STR(tensor_text(c, packed, "f"), "f64[2,3] [[0, 1, 2], [3, 4, 5]]");
    CHECK_EQ_INT(wf_array_count(wf_model_find_tensor(packed, "zeros")), 600);
    CHECK_EQ_INT(wf_model_save(c, packed, path), WF_OK);
    back = load(c, path);
    CHECK_STR(tensor_text(c, back, "f"), "f64[2,3] [[0, 1, 2], [3, 4, 5]]");
    wf_model_free(m);
    wf_model_free(packed);
    wf_model_free(back);
    unlink(path);
    wf_ctx_free(c);
}

/* Held against what ggml's own package makes of the same blocks. */
TEST(quantised_blocks_of_gguf_are_the_numbers_they_stand_for)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_model *m = load(c, FOLDER "blocks.gguf"), *want = load(c, FOLDER "blocks.npz");

    REQUIRE(m && want);
    CHECK_EQ_INT(wf_model_tensors(want), 22);
    CHECK_EQ_INT(wf_model_tensors(m), 24);
    CHECK_STR(tensor_text(c, m, "plain"), "f32[2,3] [[0, 1, 2], [3, 4, 5]]");
    CHECK_STR(wf_model_meta(m, "test.count"), "3");
    CHECK_STR(wf_model_meta(m, "test.words"), "[a, b]");
    CHECK_STR(wf_model_meta(m, "type.Q6_K"), "Q6_K");
    for (int i = 0; i < wf_model_tensors(want); i++) {
        wf_array *a = wf_model_tensor(want, i), *b = wf_model_find_tensor(m, wf_model_tensor_name(want, i));

        REQUIRE(b && wf_array_count(a) == wf_array_count(b));
        if (memcmp(wf_array_data(a), wf_array_data(b), (size_t)wf_array_count(a) * 4) != 0)
            check_fail(__FILE__, __LINE__, "%s differs", wf_model_tensor_name(want, i));
    }
    wf_model_free(m);
    wf_model_free(want);
    wf_ctx_free(c);
}

static void write_text(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");

    if (f) {
        fputs(text, f);
        fclose(f);
    }
}

/* A file of safetensors with one number. */
static void write_number(wf_ctx *c, const char *path, const char *name, float x)
{
    wf_model *m = NULL;
    wf_array *a = NULL;

    REQUIRE(wf_model_new(c, &m) == WF_OK && wf_array_from(c, WF_F32, (int64_t[]){1}, 1, &x, &a) == WF_OK);
    wf_model_set_tensor(c, m, name, a);
    CHECK_EQ_INT(wf_model_save(c, m, path), WF_OK);
    wf_array_release(a);
    wf_model_free(m);
}

TEST(shards_of_safetensors_are_one_model_by_their_index)
{
    char dir[] = "/tmp/weft_formats_XXXXXX", one[64], two[64], index[64];
    wf_ctx *c = wf_ctx_new(NULL);
    wf_model *m = NULL;

    REQUIRE(mkdtemp(dir));
    snprintf(one, sizeof one, "%s/a.safetensors", dir);
    snprintf(two, sizeof two, "%s/b.safetensors", dir);
    snprintf(index, sizeof index, "%s/m.safetensors.index.json", dir);
    write_number(c, one, "w.x", 0);
    write_number(c, two, "w.y", 1);
    write_text(index, "{\"metadata\": {\"total_size\": 8, \"l\": [1, {}]}, \"weight_map\": {\"w.x\": \"a.safetensors\", "
                      "\"w.y\": \"b.safetensors\"}}");
    m = load(c, index);
    CHECK_STR(tensor_text(c, m, "w.x"), "f32[1] [0]");
    CHECK_STR(tensor_text(c, m, "w.y"), "f32[1] [1]");
    wf_model_free(m);
    write_text(index, "{\"weight_map\": {\"w.x\": \"../a.safetensors\"}}");
    CHECK_EQ_INT(wf_model_load(c, index, &m), WF_ERR_FORMAT);
    CHECK_HAS(wf_ctx_message(c), "'../a.safetensors' is outside the model's folder");
    wf_clear(c);
    write_text(index, "{\"weight_map\": {\"w.z\": \"a.safetensors\"}}");
    CHECK_EQ_INT(wf_model_load(c, index, &m), WF_ERR_FORMAT);
    CHECK_HAS(wf_ctx_message(c), "tensor 'w.z' is in none of the files");
    unlink(one);
    unlink(two);
    unlink(index);
    rmdir(dir);
    wf_ctx_free(c);
}

/* ---- files that a file names -------------------------------------------------------------------- */

/* out: y = w, one f32 whose bytes are in the file `name` beside the model. */
static void write_onnx(const char *path, const char *name)
{
    char entry[64], tensor[128], graph[256];
    int n = (int)strlen(name);
    int e = snprintf(entry, sizeof entry, "\x0a\x08location\x12%c%s", n, name);
    int t = snprintf(tensor, sizeof tensor, "\x08\x01\x10\x01\x42\x01w\x6a%c%s\x70\x01", e, entry);
    int g = snprintf(graph, sizeof graph,
                     "\x0a\x10\x0a\x01w\x12\x01y\x22\x08Identity\x12\x01g\x2a%c%s"
                     "\x62\x0f\x0a\x01y\x12\x0a\x0a\x08\x08\x01\x12\x04\x0a\x02\x08\x01",
                     t, tensor);
    FILE *f = fopen(path, "wb");

    REQUIRE(f && g < 128);
    fprintf(f, "\x08\x08\x3a%c%s\x42\x02\x10\x0d", g, graph);
    fclose(f);
}

/*   dir/secret.bin              what a model may not read
 *   dir/model/m.onnx, own.bin   a model with its data
 *   dir/model/far.bin           -> ../secret.bin
 *   dir/cache/m.onnx, near.bin  -> ../model/m.onnx, ../model/own.bin, as caches of models have them
 */
TEST(data_beside_a_model_may_be_a_link_into_its_folder_and_not_out_of_it)
{
    char dir[] = "/tmp/weft_formats_XXXXXX";
    wf_ctx *c = wf_ctx_new(NULL);
    wf_model *m = NULL;
    int back = open(".", O_RDONLY);

    REQUIRE(mkdtemp(dir) && back >= 0 && chdir(dir) == 0);
    CHECK(mkdir("model", 0700) == 0 && mkdir("cache", 0700) == 0);
    write_text("secret.bin", "1234");
    write_text("model/own.bin", "1234");
    CHECK(symlink("../secret.bin", "model/far.bin") == 0 && symlink("own.bin", "model/alias.bin") == 0);
    CHECK(symlink("../model/m.onnx", "cache/m.onnx") == 0 && symlink("../model/own.bin", "cache/own.bin") == 0);
    CHECK(symlink("../model", "model/up") == 0 && symlink("..", "model/out") == 0);
    for (int i = 0; i < 3; i++) {
        write_onnx("model/m.onnx", (const char *[]){"own.bin", "alias.bin", "up/own.bin"}[i]);
        CHECK_EQ_INT(wf_model_load(c, "model/m.onnx", &m), WF_OK);
        wf_model_free(m);
    }
    for (int i = 0; i < 3; i++) {
        write_onnx("model/m.onnx", (const char *[]){"far.bin", "out/secret.bin", "../secret.bin"}[i]);
        CHECK_EQ_INT(wf_model_load(c, "model/m.onnx", &m), WF_ERR_FORMAT);
        CHECK_HAS(wf_ctx_message(c), "m.onnx: format error: its file '");
        CHECK_HAS(wf_ctx_message(c), "' is outside the model's folder");
        wf_clear(c);
    }
    write_onnx("model/m.onnx", "own.bin");
    CHECK_EQ_INT(wf_model_load(c, "cache/m.onnx", &m), WF_OK);
    wf_model_free(m);
    write_onnx("model/m.onnx", "none.bin");
    CHECK(wf_model_load(c, "model/m.onnx", &m) != WF_OK);
    CHECK_HAS(wf_ctx_message(c), "none.bin");
    wf_clear(c);
    write_text("model/m.safetensors.index.json", "{\"weight_map\": {\"w\": \"far.bin\"}}");
    CHECK_EQ_INT(wf_model_load(c, "model/m.safetensors.index.json", &m), WF_ERR_FORMAT);
    CHECK_HAS(wf_ctx_message(c), "'far.bin' is outside the model's folder");
    for (int i = 0; i < 10; i++)
        remove((const char *[]){"model/out", "model/up", "model/far.bin", "model/alias.bin", "model/own.bin", "model/m.onnx",
                                "model/m.safetensors.index.json", "cache/m.onnx", "cache/own.bin", "secret.bin"}[i]);
    CHECK(rmdir("model") == 0 && rmdir("cache") == 0 && fchdir(back) == 0 && rmdir(dir) == 0);
    close(back);
    wf_ctx_free(c);
}

/* Puts links to two targets at `at`, by turns, until it is told to stop. */
typedef struct Swap {
    const char *at, *to[2];
    atomic_bool stop;
} Swap;

static void *swap_links(void *user)
{
    Swap *s = user;
    char temp[80];

    snprintf(temp, sizeof temp, "%s.new", s->at);
    for (int i = 0; !atomic_load(&s->stop); i++)
        if (symlink(s->to[i % 2], temp) == 0)
            rename(temp, s->at);
    return NULL;
}

/* Loads the index while something in its folder changes between what may be read and what may not. */
static void load_while(wf_ctx *c, const char *index, Swap s)
{
    pthread_t thread;

    REQUIRE(pthread_create(&thread, NULL, swap_links, &s) == 0);
    for (int i = 0; i < 3000; i++) {
        wf_model *m;

        if (wf_model_load(c, index, &m) == WF_OK) {
            const char *text = tensor_text(c, m, "w");

            if (strcmp(text, "f32[1] [1]") != 0) {
                FAIL("by a link at %s: %s", s.at, text);
                i = 3000;
            }
            wf_model_free(m);
        }
        wf_clear(c);
    }
    atomic_store(&s.stop, true);
    pthread_join(thread, NULL);
}

TEST(links_that_change_while_a_model_is_read_do_not_lead_out_of_its_folder)
{
    const char *index = "model/m.safetensors.index.json";
    char dir[] = "/tmp/weft_formats_XXXXXX";
    wf_ctx *c = wf_ctx_new(NULL);
    int back = open(".", O_RDONLY);

    REQUIRE(mkdtemp(dir) && back >= 0 && chdir(dir) == 0);
    CHECK(mkdir("model", 0700) == 0 && mkdir("model/a", 0700) == 0 && mkdir("else", 0700) == 0);
    write_number(c, "model/a/own", "w", 1);
    write_number(c, "else/own", "w", 2);
    write_text(index, "{\"weight_map\": {\"w\": \"own\"}}");
    load_while(c, index, (Swap){.at = "model/own", .to = {"a/own", "../else/own"}});
    write_text(index, "{\"weight_map\": {\"w\": \"sub/own\"}}");
    load_while(c, index, (Swap){.at = "model/sub", .to = {"a", "../else"}});
    write_text(index, "{\"weight_map\": {\"w\": \"far\"}}");
    write_text("else/text", "{");
    CHECK_EQ_INT(symlink("../else/own", "model/far"), 0);
    load_while(c, "model/index", (Swap){.at = "model/index", .to = {"m.safetensors.index.json", "../else/text"}});
    for (int i = 0; i < 8; i++)
        remove((const char *[]){"model/sub", "model/own", "model/far", "model/index", index, "model/a/own", "else/own", "else/text"}[i]);
    CHECK(rmdir("model/a") == 0 && rmdir("model") == 0 && rmdir("else") == 0 && fchdir(back) == 0 && rmdir(dir) == 0);
    close(back);
    wf_ctx_free(c);
}

/* A caller who wants no maps gets none of files that the file names either. */
TEST(a_model_that_is_loaded_as_a_copy_keeps_its_data_when_files_beside_it_are_cut_off)
{
    char dir[] = "/tmp/weft_formats_XXXXXX";
    wf_ctx *c = wf_ctx_new(NULL);
    wf_model *m = NULL;
    int back = open(".", O_RDONLY);

    REQUIRE(mkdtemp(dir) && back >= 0 && chdir(dir) == 0);
    write_number(c, "own", "w", 1);
    write_text("m.safetensors.index.json", "{\"weight_map\": {\"w\": \"own\"}}");
    CHECK_EQ_INT(wf_model_load_copy(c, "m.safetensors.index.json", &m), WF_OK);
    CHECK_EQ_INT(truncate("own", 0), 0);
    CHECK_STR(tensor_text(c, m, "w"), "f32[1] [1]");
    wf_model_free(m);
    CHECK(remove("own") == 0 && remove("m.safetensors.index.json") == 0 && fchdir(back) == 0 && rmdir(dir) == 0);
    close(back);
    wf_ctx_free(c);
}

/* ---- PyTorch ---------------------------------------------------------------------------------- */

TEST(a_sparse_tensor_of_pytorch_is_its_places_and_values)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_model *m = load(c, FOLDER "sparse.pt");

    REQUIRE(m);
    CHECK_EQ_INT(wf_model_tensors(m), 8);
    CHECK_STR(tensor_text(c, m, "coo.indices"), "i64[2,3] [[0, 1, 1], [2, 0, 2]]");
    CHECK_STR(tensor_text(c, m, "coo.values"), "f32[3] [3, 4, 5]");
    CHECK_STR(wf_model_meta(m, "coo.size"), "2,3");
    CHECK_STR(tensor_text(c, m, "csr.crow_indices"), "i64[4] [0, 1, 2, 3]");
    CHECK_STR(tensor_text(c, m, "csr.values"), "f32[3] [1, 1, 1]");
    CHECK_STR(tensor_text(c, m, "f8"), "f8e4m3fn[3] [0, 1, 2]");
    wf_model_free(m);
    wf_ctx_free(c);
}

TEST(tensors_of_pytorch_files_have_names_by_the_path_that_leads_to_them)
{
    static const char *const files[] = {"nest.pt", "stream.pt"};

    for (int i = 0; i < 2; i++) {
        char path[100];
        wf_ctx *c = wf_ctx_new(NULL);
        wf_model *m;

        snprintf(path, sizeof path, FOLDER "%s", files[i]);
        m = load(c, path);
        REQUIRE(m);
        CHECK_EQ_INT(wf_model_tensors(m), i ? 13 : 14);
        CHECK_STR(tensor_text(c, m, "model.w"),
                  "f32[3,4] [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]");
        CHECK_STR(tensor_text(c, m, "model.row"), "f32[4] [4, 5, 6, 7]");
        CHECK_STR(tensor_text(c, m, "model.col"), "f32[3] [1, 5, 9]");
        CHECK_STR(tensor_text(c, m, "model.u"), i ? "" : "u16[2] [1, 2]");
        CHECK_STR(tensor_text(c, m, "model.e"), "f32[0,3] []");
        CHECK_STR(tensor_text(c, m, "opt.state.0.step"), "f32[] 1");
        CHECK_STR(wf_model_meta(m, "epoch"), "3");
        CHECK_STR(wf_model_meta(m, "best"), "0.25");
        CHECK_STR(wf_model_meta(m, "name"), "réseau");
        CHECK_STR(wf_model_meta(m, "opt.param_groups.0.lr"), "0.001");
        wf_model_free(m);
        wf_ctx_free(c);
    }
}

TEST(views_of_one_storage_share_memory)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_model *m = load(c, FOLDER "nest.pt");

    REQUIRE(m);
    CHECK((const char *)wf_array_data(wf_model_find_tensor(m, "model.row")) ==
          (const char *)wf_array_data(wf_model_find_tensor(m, "model.w")) + 16);
    wf_model_free(m);
    wf_ctx_free(c);
}

TEST(weights_of_a_state_dict_go_into_a_module)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_model *m = load(c, FOLDER "state.pt");
    wf_generator *g = NULL;
    wf_status made = wf_generator_new(c, 0, &g);
    wf_module *net = wf_nn_sequential(c, 3, wf_nn_linear(c, g, 3, 4, true), wf_nn_relu(c),
                                      wf_nn_batch_norm1d(c, 4, 1e-5, 0.1));

    REQUIRE(made == WF_OK && m && net);
    CHECK_EQ_INT(wf_module_restore(c, net, m), WF_OK);
    CHECK_STR(wf_ctx_message(c), "");
    wf_module_release(c, net);
    wf_generator_free(g);
    wf_model_free(m);
    wf_ctx_free(c);
}

TEST(a_name_that_is_no_data_is_said_and_nothing_is_run)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_model *m;

    CHECK_EQ_INT(wf_model_load(c, FOLDER "module.pt", &m), WF_ERR_FORMAT);
    CHECK(!m);
    CHECK_HAS(wf_ctx_message(c),
              "data.pkl, byte 2: it names 'torch.nn.modules.container.Sequential'");
    wf_ctx_free(c);
}

TEST(tensors_of_a_model_are_written_as_a_state_dict_and_read_again)
{
    char path[] = "/tmp/weft_formats_XXXXXX.pt";
    wf_ctx *c = wf_ctx_new(NULL);
    wf_model *m = load(c, FOLDER "nest.pt"), *back;
    int fd = mkstemps(path, 3);

    REQUIRE(m && fd >= 0);
    close(fd);
    CHECK_EQ_INT(wf_model_save(c, m, path), WF_OK);
    back = load(c, path);
    REQUIRE(back);
    CHECK_EQ_INT(wf_model_tensors(back), wf_model_tensors(m));
    for (int i = 0; i < wf_model_tensors(m); i++) {
        char want[400];

        snprintf(want, sizeof want, "%s", tensor_text(c, m, wf_model_tensor_name(m, i)));
        CHECK_STR(tensor_text(c, back, wf_model_tensor_name(m, i)), want);
    }
    wf_model_free(m);
    wf_model_free(back);
    unlink(path);
    wf_ctx_free(c);
}
