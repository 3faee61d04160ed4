/* test_tensorflow.c -- TensorFlow's files: graphs that TensorFlow wrote, against its own results.
 *
 * tests/tensorflow/cases.zip is made by tools/tensorflow_cases, which says what is in it. Each case is put into a folder and
 * opened as users do; variables that a call changes are so in the next.
 */
#include "io/io.h"
#include "test.h"
#include "weft_nn.h"
#include "weft_tensor.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define CASES "tests/tensorflow/cases.zip"
#define MOST  64 /* inputs and results of a call */

/* ---- cases in a folder ----------------------------------------------------------------------------- */

static void put_file(char *path, const char *data, size_t size)
{
    FILE *f;

    for (char *s = path + 1; (s = strchr(s, '/')); s++) {
        *s = 0;
        mkdir(path, 0777);
        *s = '/';
    }
    if ((f = fopen(path, "wb"))) {
        fwrite(data, 1, size, f);
        fclose(f);
    }
}

typedef void (*Each)(void *user, const char *name, const char *data, size_t size);

static wf_status each_file(wf_ctx *cx, Each fn, void *user)
{
    API_ENTER(cx);
    Blob *b = blob_open(cx, CASES);
    Zip z;

    if (b && zip_open(cx, &cx->scratch, CASES, b->data, b->size, &z))
        for (uint32_t i = 0; i < z.entries.n; i++) {
            const char *data = zip_bytes(&z, &z.entries.v[i]);

            if (data)
                fn(user, z.entries.v[i].name, data, z.entries.v[i].size);
        }
    API_RETURN(cx);
}

typedef struct Folder {
    char path[100];
    char names[128][64]; /* of cases */
    int n;
} Folder;

static void unpack(void *user, const char *name, const char *data, size_t size)
{
    Folder *f = user;
    size_t n = strcspn(name, "/");
    char path[600];

    snprintf(path, sizeof path, "%s/%s", f->path, name);
    put_file(path, data, size);
    if (strcmp(name + n, "/calls.txt") == 0 && f->n < 128)
        snprintf(f->names[f->n++], sizeof f->names[0], "%.*s", (int)n, name);
}

static bool open_folder(wf_ctx *cx, Folder *f)
{
    *f = (Folder){.path = "/tmp/weft_tensorflow_XXXXXX"};
    return mkdtemp(f->path) && each_file(cx, unpack, f) == WF_OK;
}

static void close_folder(const Folder *f)
{
    char command[200];

    snprintf(command, sizeof command, "rm -rf %s", f->path);
    CHECK_EQ_INT(system(command), 0);
}

/* ---- one case ------------------------------------------------------------------------------------------ */

static wf_tensor load(wf_ctx *cx, const char *folder, const char *name, int call,
                      char kind, int i)
{
    char path[400];
    wf_array *a = NULL;
    wf_tensor t = WF_NONE;

    snprintf(path, sizeof path, "%s/%s/%d%c%d.npy", folder, name, call, kind, i);
    if (!wf_npy_load(cx, path, &a))
        t = wf_from_array(cx, a);
    wf_array_release(a);
    return t;
}

/* The largest difference, measured by what is expected; infinite if it is not of one kind. */
static double difference(wf_ctx *cx, wf_tensor x, wf_tensor y)
{
    int64_t n = wf_count(cx, x);
    double *a, *b, worst = 0;

    if (wf_rank(cx, x) != wf_rank(cx, y) || n != wf_count(cx, y) ||
        wf_dtype_of(cx, x) != wf_dtype_of(cx, y))
        return INFINITY;
    a = malloc((size_t)n * 8 + 8);
    b = malloc((size_t)n * 8 + 8);
    if (wf_read_f64(cx, x, a, n) || wf_read_f64(cx, y, b, n))
        worst = INFINITY;
    for (int64_t i = 0; i < n && worst < INFINITY; i++)
        if (!(isnan(a[i]) && isnan(b[i])) && a[i] != b[i]) {
            double d = fabs(a[i] - b[i]) / fmax(1, fabs(b[i]));
            worst = isnan(d) ? INFINITY : fmax(worst, d);
        }
    free(a);
    free(b);
    return worst;
}

static void run_call(wf_ctx *cx, wf_model *m, const Folder *f, const char *name, int call,
                     const char *program, int nin, int nout)
{
    wf_tensor in[MOST], out[MOST], want;

    for (int i = 0; i < nin; i++)
        in[i] = load(cx, f->path, name, call, 'x', i);
    if (wf_model_run(cx, m, program, in, nin, out, nout)) {
        FAIL("%s, call %d (%s): %s", name, call, program, wf_ctx_message(cx));
        wf_clear(cx);
        return;
    }
    for (int i = 0; i < nout; i++) {
        double d;

        want = load(cx, f->path, name, call, 'y', i);
        d = difference(cx, out[i], want);
        if (!(d <= 1e-5))
            FAIL("%s, call %d (%s): result %d differs by %g", name, call, program, i, d);
        wf_clear(cx);
    }
}

static void run_case(const Folder *f, const char *name)
{
    wf_ctx *cx = wf_ctx_new(NULL);
    char path[300], program[100];
    struct stat st;
    wf_model *m = NULL;
    FILE *calls;
    int nin, nout;

    snprintf(path, sizeof path, "%s/%s/model.pb", f->path, name);
    if (stat(path, &st) != 0)
        snprintf(path, sizeof path, "%s/%s", f->path, name);
    if (wf_model_load(cx, path, &m))
        FAIL("%s: %s", name, wf_ctx_message(cx));
    snprintf(path, sizeof path, "%s/%s/calls.txt", f->path, name);
    calls = fopen(path, "r");
    for (int k = 0; m && calls && fscanf(calls, "%99s %d %d", program, &nin, &nout) == 3;
         k++) {
        wf_scope_begin(cx);
        run_call(cx, m, f, name, k, program, nin, nout);
        wf_scope_end(cx);
    }
    if (calls)
        fclose(calls);
    wf_model_free(m);
    wf_ctx_free(cx);
}

/* What is written of the model and read again gives the same; one with a primitive that cannot be written says so. */
static void write_case(const Folder *f, const char *name, int *written)
{
    wf_ctx *cx = wf_ctx_new(NULL);
    char path[300], program[100];
    struct stat st;
    wf_model *m = NULL, *again = NULL;
    FILE *calls;
    int nin, nout;

    snprintf(path, sizeof path, "%s/%s/model.pb", f->path, name);
    if (stat(path, &st) != 0 || wf_model_load(cx, path, &m))
        goto done;
    snprintf(path, sizeof path, "%s/written.pb", f->path);
    if (wf_model_save(cx, m, path)) {
        if (wf_ctx_status(cx) != WF_ERR_UNSUPPORTED || !strstr(wf_ctx_message(cx), "cannot be written"))
            FAIL("%s: %s", name, wf_ctx_message(cx));
        goto done;
    }
    if (wf_model_load(cx, path, &again)) {
        FAIL("%s, written: %s", name, wf_ctx_message(cx));
        goto done;
    }
    ++*written;
    snprintf(path, sizeof path, "%s/%s/calls.txt", f->path, name);
    calls = fopen(path, "r");
    for (int k = 0; calls && fscanf(calls, "%99s %d %d", program, &nin, &nout) == 3; k++) {
        wf_scope_begin(cx);
        run_call(cx, again, f, name, k, program, nin, nout);
        wf_scope_end(cx);
    }
    if (calls)
        fclose(calls);
done:
    wf_model_free(m);
    wf_model_free(again);
    wf_ctx_free(cx);
}

TEST(graphs_that_are_written_are_read_again)
{
    wf_ctx *cx = wf_ctx_new(NULL);
    const char *only = getenv("TENSORFLOW_CASE");
    Folder *f = malloc(sizeof *f);
    int written = 0;

    REQUIRE(open_folder(cx, f));
    for (int i = 0; i < f->n; i++)
        if (!only || strstr(f->names[i], only))
            write_case(f, f->names[i], &written);
    CHECK(only || written >= 20);
    close_folder(f);
    free(f);
    wf_ctx_free(cx);
}

TEST(graphs_of_tensorflow_give_its_results)
{
    wf_ctx *cx = wf_ctx_new(NULL);
    const char *only = getenv("TENSORFLOW_CASE");
    Folder *f = malloc(sizeof *f);

    REQUIRE(open_folder(cx, f));
    CHECK(f->n >= 50);
    for (int i = 0; i < f->n; i++)
        if (!only || strstr(f->names[i], only))
            run_case(f, f->names[i]);
    close_folder(f);
    free(f);
    wf_ctx_free(cx);
}

/* ---- links ---------------------------------------------------------------------------------------------- */

/* Moves a file of the case "module" to `to` and puts a link in its place. */
static void move_and_link(const Folder *f, const char *name, const char *to, const char *link)
{
    char from[200], at[200];

    snprintf(from, sizeof from, "%s/module/%s", f->path, name);
    snprintf(at, sizeof at, "%s/%s", f->path, to);
    CHECK(rename(from, at) == 0 && symlink(link, from) == 0);
}

static void move_back(const Folder *f, const char *name, const char *to)
{
    char from[200], at[200];

    snprintf(from, sizeof from, "%s/module/%s", f->path, name);
    snprintf(at, sizeof at, "%s/%s", f->path, to);
    CHECK(unlink(from) == 0 && rename(at, from) == 0);
}

TEST(variables_of_a_saved_model_are_read_in_its_folder_and_in_caches_of_links)
{
    static const struct {
        const char *name, *link;
    } away[] = {{"variables/variables.index", "../../far"},
                {"variables/variables.data-00000-of-00001", "../../far"},
                {"variables", "../far"}};
    wf_ctx *cx = wf_ctx_new(NULL);
    Folder *f = malloc(sizeof *f);
    wf_model *m = NULL;
    char path[200];

    REQUIRE(open_folder(cx, f));
    snprintf(path, sizeof path, "%s/module", f->path);
    for (int i = 0; i < 3; i++) {
        move_and_link(f, away[i].name, "far", away[i].link);
        CHECK_EQ_INT(wf_model_load(cx, path, &m), WF_ERR_FORMAT);
        CHECK_HAS(wf_ctx_message(cx), "is outside the model's folder");
        wf_clear(cx);
        move_back(f, away[i].name, "far");
    }
    move_and_link(f, away[0].name, "far", "nowhere"); /* is not a model without variables */
    CHECK_EQ_INT(wf_model_load(cx, path, &m), WF_ERR_IO);
    wf_clear(cx);
    move_back(f, away[0].name, "far");
    snprintf(path, sizeof path, "%s/blobs", f->path);
    CHECK_EQ_INT(mkdir(path, 0700), 0);
    move_and_link(f, "saved_model.pb", "blobs/1", "../blobs/1");
    move_and_link(f, away[0].name, "blobs/2", "../../blobs/2");
    move_and_link(f, away[1].name, "blobs/3", "../../blobs/3");
    run_case(f, "module");
    close_folder(f);
    free(f);
    wf_ctx_free(cx);
}

/* ---- hostile files --------------------------------------------------------------------------------------- */

typedef struct Sample {
    const char *name;
    char *data;
    size_t size;
} Sample;

static void take_sample(void *user, const char *name, const char *data, size_t size)
{
    Sample *s = user;

    if (strcmp(name, s->name) == 0 && (s->data = malloc(size + 1))) {
        memcpy(s->data, data, size);
        s->size = size;
    }
}

/* Any answer but an internal error; what is read verifies. */
static void try_bytes(wf_ctx *cx, const Sample *s, const char *data, size_t size)
{
    wf_model *m = NULL;

    if (wf_model_parse(cx, "hostile.pb", data, size, &m) == WF_ERR_INTERNAL)
        FAIL("%s: %s", s->name, wf_ctx_message(cx));
    wf_clear(cx);
    for (int i = 0; i < wf_model_programs(m); i++)
        CHECK_EQ_INT(wf_program_verify(cx, wf_model_program(m, i)), WF_OK);
    wf_model_free(m);
}

static void try_sample(const char *name, int flips)
{
    wf_ctx *cx = wf_ctx_new(NULL);
    Sample s = {.name = name};
    uint32_t seed = 12345;

    REQUIRE(each_file(cx, take_sample, &s) == WF_OK && s.data);
    for (size_t n = 0; n<s.size; n += s.size> 6000 ? 7 : 1)
        try_bytes(cx, &s, s.data, n);
    for (int k = 0; k < flips; k++) {
        char *copy = malloc(s.size);

        memcpy(copy, s.data, s.size);
        for (int j = 0; j <= k % 3; j++) {
            seed = seed * 1664525u + 1013904223u;
            copy[(seed >> 3) % s.size] ^= (char)(1 << (seed & 7));
        }
        try_bytes(cx, &s, copy, s.size);
        free(copy);
    }
    free(s.data);
    wf_ctx_free(cx);
}

TEST(cut_and_changed_graphs_are_refused_or_read)
{
    try_sample("while_old/model.pb", 10000);
}
TEST(cut_and_changed_functions_are_refused_or_read)
{
    try_sample("tensor_array_functional/model.pb", 10000);
}
TEST(cut_and_changed_saved_models_are_refused_or_read)
{
    try_sample("module/saved_model.pb", 10000);
}

TEST(errors_name_the_format_and_the_node)
{
    wf_ctx *cx = wf_ctx_new(NULL);
    wf_model *m = NULL;
    /* node { name: "y" op: "Frobnicate" input: "x" } and a Placeholder x */
    static const char graph[] = "\x0a\x12\x0a\x01y\x12\x0a"
                                "Frobnicate\x1a\x01x\x0a\x10\x0a\x01x\x12\x0b"
                                "Placeholder";

    CHECK_EQ_INT(wf_model_parse(cx, "g.pb", graph, sizeof graph - 1, &m),
                 WF_ERR_UNSUPPORTED);
    CHECK_HAS(wf_ctx_message(cx), "g.pb");
    wf_clear(cx);
    CHECK_EQ_INT(wf_model_parse(cx, "g.pb", graph, sizeof graph - 5, &m), WF_ERR_FORMAT);
    CHECK_HAS(wf_ctx_message(cx), "GraphDef");
    wf_ctx_free(cx);
}
