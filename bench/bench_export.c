/* bench_export.c -- exported C beside Weft's own compiled code, both on one thread: time of
 * a call, and bytes of machine code. The figure is 0.8 of Weft's speed at least.
 *
 *   bench_export [ROW]     EXPORT_CC: the compiler and its options
 */
#include "weft.h"

#include <dlfcn.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static char dir[] = "/tmp/weft-bench-XXXXXX";

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); /* one thread: others do not count */
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int run(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static int run(const char *fmt, ...)
{
    char command[1024];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(command, sizeof command, fmt, ap);
    va_end(ap);
    return system(command);
}

/* ---- the rows ---------------------------------------------------------------------------- */

typedef struct Row {
    const char *name;
    wf_module *(*make)(wf_ctx *c);
    const char *types[2];
    int64_t dims[4];
    int rank, classes;
    bool train;
} Row;

static wf_module *make_tiny(wf_ctx *c)
{
    return wf_nn_sequential(c, 3, wf_nn_linear(c, NULL, 64, 128, true), wf_nn_relu(c),
                            wf_nn_linear(c, NULL, 128, 10, true));
}
static wf_module *make_googlenet(wf_ctx *c) { return wf_nn_googlenet(c, NULL, 1000); }
static wf_module *make_inception(wf_ctx *c) { return wf_nn_small_inception(c, NULL, 1, 10); }
static wf_module *make_lstm(wf_ctx *c) { return wf_nn_lstm(c, NULL, 256, 256, NULL); }

static const Row rows[] = {
    {"tiny_infer", make_tiny, {"f32[1,64]"}, {1, 64}, 2, 0, false},
    {"tiny_train", make_tiny, {"f32[32,64]", "i64[32]"}, {32, 64}, 2, 10, true},
    {"inception_train", make_inception, {"f32[64,1,8,8]", "i64[64]"}, {64, 1, 8, 8}, 4, 10, true},
    {"lstm", make_lstm, {"f32[128,32,256]"}, {128, 32, 256}, 3, 0, false},
    {"googlenet", make_googlenet, {"f32[1,3,224,224]"}, {1, 3, 224, 224}, 4, 0, false},
};

static wf_status classify(wf_ctx *c, void *user, wf_module *m, const wf_tensor *in, int nin, wf_tensor *out, int nout)
{
    (void)user, (void)nin, (void)nout;
    out[0] = wf_cross_entropy(c, wf_forward_one(c, m, in[0]), in[1], WF_NONE, -100, 0, WF_MEAN);
    return wf_ctx_status(c);
}

static wf_model *make_file(wf_ctx *c, const Row *r)
{
    wf_module *m = r->make(c);
    wf_optim *o = r->train ? wf_sgd(c, m, 0.01, 0, false, 0) : NULL;
    wf_model *file = NULL;

    wf_model_new(c, &file);
    wf_module_store(c, m, file);
    if (o) {
        wf_optim_store(c, o, file);
        wf_optim_add_step(c, o, m, file, "f", classify, NULL, r->types, 2);
    } else {
        wf_module_train(m, false);
        wf_module_add_method(c, m, file, "f", NULL, NULL, r->types, 1, 1);
    }
    wf_optim_free(c, o);
    wf_module_release(c, m);
    return file;
}

static void make_inputs(wf_ctx *c, const Row *r, wf_array **in)
{
    int64_t n = 1, i;
    float *x;
    int64_t *y;

    for (i = 0; i < r->rank; i++)
        n *= r->dims[i];
    x = malloc((size_t)n * sizeof *x);
    y = malloc((size_t)r->dims[0] * sizeof *y);
    for (i = 0; i < n; i++)
        x[i] = (float)sin(0.37 * (double)i);
    for (i = 0; i < r->dims[0]; i++)
        y[i] = r->classes ? i * 7 % r->classes : 0;
    wf_array_from(c, WF_F32, r->dims, r->rank, x, &in[0]);
    if (r->train)
        wf_array_from(c, WF_I64, r->dims, 1, y, &in[1]);
    free(x);
    free(y);
}

/* ---- exported ---------------------------------------------------------------------------- */

typedef int Infer(const void *s, const float *x, float *y, void *arena);
typedef int Train(void *s, const float *x, const int64_t *y, float *loss, void *arena);

typedef struct Exported {
    void *lib, *state, *arena;
    Infer *infer;
    Train *train;
    double code; /* bytes */
} Exported;

static long macro(const char *name)
{
    char path[256], line[512];
    long n = 0;
    FILE *f;

    snprintf(path, sizeof path, "%s/net.h", dir);
    f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f))
        if (!strncmp(line, "#define ", 8) && !strncmp(line + 8, name, strlen(name)) &&
            line[8 + strlen(name)] == ' ')
            n = atol(line + 9 + strlen(name));
    if (f)
        fclose(f);
    return n;
}

static double code_bytes(void)
{
    char command[256], line[256];
    double text = 0;
    FILE *f;

    snprintf(command, sizeof command, "size %s/net.o | tail -1", dir);
    f = popen(command, "r");
    if (f && fgets(line, sizeof line, f))
        text = atof(line);
    if (f)
        pclose(f);
    return text;
}

static bool export_row(wf_ctx *c, wf_model *file, Exported *x)
{
    wf_export_options o = {.size = sizeof o, .name = "net", .weights = WF_EXPORT_BLOB};
    const char *cc = getenv("EXPORT_CC");
    char path[256];
    int (*load)(void *s, const void *bytes, size_t n);
    void *bytes;
    FILE *f;

    if (wf_export(c, file, dir, &o) != WF_OK ||
        run("cd %s && %s -std=c99 -fPIC -c net.c && cc -shared -o net.so net.o -lm", dir,
            cc ? cc : "cc -O3 -ffp-contract=fast -fno-math-errno -fno-trapping-math") != 0)
        return false;
    snprintf(path, sizeof path, "%s/net.so", dir);
    x->lib = dlopen(path, RTLD_NOW);
    if (!x->lib)
        return false;
    *(void **)&load = dlsym(x->lib, "net_load");
    *(void **)&x->infer = *(void **)&x->train = dlsym(x->lib, "net_f");
    bytes = malloc((size_t)macro("NET_BYTES"));
    x->state = aligned_alloc(64, ((size_t)macro("NET_BYTES") + 65536) / 64 * 64);
    x->arena = aligned_alloc(64, ((size_t)macro("NET_ARENA") + 127) / 64 * 64);
    snprintf(path, sizeof path, "%s/net.bin", dir);
    f = fopen(path, "rb");
    if (!f || fread(bytes, 1, (size_t)macro("NET_BYTES"), f) != (size_t)macro("NET_BYTES"))
        return false;
    fclose(f);
    load(x->state, bytes, (size_t)macro("NET_BYTES"));
    free(bytes);
    x->code = code_bytes();
    return true;
}

/* ---- both ---------------------------------------------------------------------------------- */

static wf_exec *compile_row(wf_ctx *c, const Row *r, wf_model *file, const wf_program **p, wf_array **all, int *n)
{
    wf_exec *e = NULL;
    wf_array *state[512];

    *n = 0;
    if (r->train) {
        *p = wf_program_retain(wf_model_find(file, "f"));
        *n = wf_model_method_state(c, file, "f", state, 512);
        memcpy(all, state, (size_t)*n * sizeof *all);
    } else {
        wf_model_bind(c, file, "f", p);
    }
    wf_compile(c, *p, 0, &e);
    return e;
}

static double least(double a, double b) { return a < b ? a : b; }

static void bench_row(const Row *r)
{
    wf_options o = {.size = sizeof o, .threads = 1};
    wf_ctx *c = wf_ctx_new(&o);
    wf_model *file = make_file(c, r);
    wf_array *in[2] = {NULL, NULL}, *all[516], *out[512] = {NULL};
    const wf_program *p = NULL;
    Exported x = {0};
    double own = 1e9, theirs = 1e9;
    float *y;
    wf_exec *e;
    int n = 0, nall, nout, times;

    make_inputs(c, r, in);
    e = compile_row(c, r, file, &p, all, &n);
    all[n] = in[0];
    all[n + 1] = in[1];
    nall = n + (r->train ? 2 : 1);
    if (!e || !export_row(c, file, &x) || wf_run(c, e, all, nall, out, wf_program_outputs(p)) != WF_OK) {
        printf("%-16s %s\n", r->name, wf_ctx_message(c));
        return;
    }
    nout = wf_program_outputs(p);
    y = malloc(sizeof(float) * 4u * 1024 * 1024);
    times = 1;
    for (int round = 0; round < 7; round++) {
        double start = now();

        for (int i = 0; i < times; i++) {
            for (int j = 0; j < nout; j++)
                wf_array_release(out[j]);
            wf_run(c, e, all, nall, out, nout);
        }
        own = least(own, (now() - start) / times);
        start = now();
        for (int i = 0; i < times; i++)
            if (r->train)
                x.train(x.state, wf_array_data(in[0]), wf_array_data(in[1]), y, x.arena);
            else
                x.infer(x.state, wf_array_data(in[0]), y, x.arena);
        theirs = least(theirs, (now() - start) / times);
        times = (int)(0.1 / own) + 1;
    }
    printf("%-16s weft %9.4f ms   exported %9.4f ms   %5.2f of its speed   code %7.1f kB   arena %9.1f kB\n",
           r->name, 1e3 * own, 1e3 * theirs, own / theirs, x.code * 1e-3, (double)macro("NET_ARENA") * 1e-3);
    for (int j = 0; j < nout; j++)
        wf_array_release(out[j]);
    wf_array_release(in[0]);
    wf_array_release(in[1]);
    free(y);
    free(x.state);
    free(x.arena);
    dlclose(x.lib);
    wf_exec_release(e);
    wf_program_release(p);
    wf_model_free(file);
    wf_ctx_free(c);
}

int main(int argc, char **argv)
{
    if (!mkdtemp(dir))
        return 1;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (argc < 2 || !strcmp(argv[1], rows[i].name))
            bench_row(&rows[i]);
    if (getenv("EXPORT_KEEP"))
        printf("%s\n", dir);
    else if (run("rm -rf %s", dir) != 0)
        return 1;
    return 0;
}
