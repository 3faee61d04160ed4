/* lib_gpu.c -- CUDA's driver and compiler, done by the host. */
#include "lib_gpu.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

long gpu_launches, gpu_fail_at;
atomic_int gpu_refused;

/* ---- the driver ------------------------------------------------------------------------ */

static int ok_init(unsigned flags) { return (int)(flags & 0); }
static int get_version(int *v) { return *v = 13000, 0; }
static int get_count(int *n) { return *n = 1, 0; }
static int get_device(int *d, int i) { return *d = i, 0; }
static int get_name(char *name, int n, int d)
{
    snprintf(name, (size_t)n, "host %d", d);
    return 0;
}
static int get_attribute(int *value, int attribute, int d)
{
    (void)d;
    *value = attribute == 75 ? 9 : attribute == 76 ? 0 : attribute == 16 ? 4 : 1;
    return 0;
}
static int total_memory(size_t *n, int d) { return *n = (size_t)1 << 34, d & 0; }
static int retain_context(CuHandle *c, int d) { return *c = &gpu_launches, d & 0; }
static int release_context(int d) { return d & 0; }
static int get_pool(CuHandle *p, int d) { return *p = &gpu_launches, d & 0; }
static int set_pool(CuHandle p, int a, void *v) { return (p && v ? a : a) & 0; }
static int trim_pool(CuHandle p, size_t n) { return p && n ? 0 : 0; }
static int set_context(CuHandle c) { return c ? 0 : 1; }
static int get_memory(size_t *a, size_t *b) { return *a = *b = (size_t)1 << 34, 0; }
static int alloc_memory(CuPtr *p, size_t n, CuHandle s)
{
    void *m = aligned_alloc(64, (n + 63) / 64 * 64);

    (void)s;
    if (!m)
        return 2;
    memset(m, 0x77, n);
    *p = (uintptr_t)m;
    return 0;
}
static int free_memory(CuPtr p, CuHandle s)
{
    (void)s;
    free((void *)(uintptr_t)p);
    return 0;
}
static int copy_in(CuPtr to, const void *from, size_t n, CuHandle s)
{
    (void)s;
    memmove((void *)(uintptr_t)to, from, n);
    return 0;
}
static int copy_out(void *to, CuPtr from, size_t n, CuHandle s)
{
    (void)s;
    memmove(to, (void *)(uintptr_t)from, n);
    return 0;
}
static int copy_inside(CuPtr to, CuPtr from, size_t n, CuHandle s)
{
    return copy_in(to, (void *)(uintptr_t)from, n, s);
}
static int copy_peer(CuPtr to, CuHandle c, CuPtr from, CuHandle d, size_t n, CuHandle s)
{
    (void)c;
    (void)d;
    return copy_inside(to, from, n, s);
}
static int set_memory(CuPtr to, unsigned char byte, size_t n, CuHandle s)
{
    (void)s;
    memset((void *)(uintptr_t)to, byte, n);
    return 0;
}
static int make_thing(CuHandle *out, unsigned flags)
{
    (void)flags;
    return (*out = malloc(1)) ? 0 : 2;
}
static int free_thing(CuHandle x)
{
    free(x);
    return 0;
}
static int nothing(CuHandle x) { return x ? 0 : 0; }
static int wait_event(CuHandle s, CuHandle e, unsigned flags) { return s && e ? 0 : (int)flags & 0; }
static int record(CuHandle e, CuHandle s) { return e && s ? 0 : 0; }
static int no_capture(CuHandle s, int mode) { return s ? 900 : mode; }
static int no_graph(CuHandle s, CuHandle *g) { return *g = NULL, s ? 900 : 1; }
static int no_exec(CuHandle *e, CuHandle g, uint64_t f) { return *e = NULL, g && f ? 900 : 900; }
static int elapsed(float *ms, CuHandle a, CuHandle b) { return *ms = 1, a && b ? 0 : 0; }

typedef struct Image { /* what the compiler gives for a cubin */
    char path[200];
} Image;

static int load_module(CuHandle *module, const void *image)
{
    *module = dlopen(((const Image *)image)->path, RTLD_NOW | RTLD_LOCAL);
    if (!*module)
        fprintf(stderr, "%s\n", dlerror());
    return *module ? 0 : 200;
}
static int unload_module(CuHandle module) { return dlclose(module); }

typedef struct Function {
    void (*run)(const void *args);
    void (*launch)(void (*run)(const void *), unsigned gx, unsigned gy, unsigned n,
                   const void *args);
} Function;

static int get_function(CuHandle *out, CuHandle module, const char *name)
{
    Function f;
    void *run = dlsym(module, name), *launch = dlsym(module, "host_launch");

    if (!run || !launch)
        return 500;
    memcpy(&f.run, &run, sizeof run);
    memcpy(&f.launch, &launch, sizeof launch);
    *out = malloc(sizeof f); /* as long as the process, as functions of modules are */
    memcpy(*out, &f, sizeof f);
    return 0;
}

static int launch(CuHandle function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                  unsigned by, unsigned bz, unsigned shared, CuHandle stream, void **params,
                  void **extra)
{
    const Function *f = function;

    (void)stream;
    (void)extra;
    if (gz != 1 || by != 1 || bz != 1 || shared || ++gpu_launches == gpu_fail_at)
        return 719;
    f->launch(f->run, gx, gy, bx, params[0]);
    return 0;
}

static int error_string(int error, const char **text)
{
    *text = error == 719 ? "a launch that was to fail" : "an error";
    return 0;
}

/* ---- the compiler ------------------------------------------------------------------------ */

typedef struct Program_ {
    char *text;
    Image image;
} Program_;

static int rtc_version(int *major, int *minor) { return *major = 0, *minor = 1, 0; }
static int rtc_create(CuHandle *out, const char *text, const char *name, int n,
                      const char *const *headers, const char *const *names)
{
    Program_ *p = calloc(1, sizeof *p);

    (void)name;
    (void)n;
    (void)headers;
    (void)names;
    if (!p || !(p->text = strdup(text)))
        return 1;
    *out = p;
    return 0;
}
static int rtc_destroy(CuHandle *program)
{
    Program_ *p = *program;

    free(p->text);
    free(p);
    return 0;
}

static const char *folder(void)
{
    static char path[64];

    if (!*path) {
        strcpy(path, "/tmp/weft-gpu-XXXXXX");
        if (!mkdtemp(path))
            abort();
    }
    return path;
}

static int rtc_compile(CuHandle program, int n, const char *const *options)
{
    static atomic_int count;
    Program_ *p = program;
    int id = atomic_fetch_add(&count, 1);
    char cpp[300], command[1200];
    FILE *f;

    (void)n;
    (void)options;
    snprintf(cpp, sizeof cpp, "%s/%d.cpp", folder(), id);
    snprintf(p->image.path, sizeof p->image.path, "%s/%d.so", folder(), id);
    if (!(f = fopen(cpp, "w")))
        return 1;
    fprintf(f, "#include \"%s/tests/gpu_host.h\"\n%s", getenv("PWD"), p->text);
    fclose(f);
    snprintf(command, sizeof command,
             "${CXX:-g++} -std=c++17 -O0 -w -fPIC -shared -ffp-contract=off -o %s %s",
             p->image.path, cpp);
    if (system(command) == 0)
        return 0;
    atomic_fetch_add(&gpu_refused, 1);
    return 6;
}
static int rtc_size(CuHandle p, size_t *n) { return *n = sizeof(Image), p ? 0 : 1; }
static int rtc_get(CuHandle p, char *to)
{
    memcpy(to, &((Program_ *)p)->image, sizeof(Image));
    return 0;
}
static int rtc_log_size(CuHandle p, size_t *n) { return *n = 0, p ? 0 : 1; }
static int rtc_log(CuHandle p, char *to) { return p && to ? 0 : 0; }

/* ---- a runtime with it -------------------------------------------------------------------- */

bool gpu_possible(void) { return system("${CXX:-g++} --version > /dev/null 2>&1") == 0; }

static const CudaLibraries libraries = {
    .cu = {ok_init, get_version, get_count, get_device, get_name, get_attribute,
           total_memory, retain_context, release_context, get_pool, set_pool, trim_pool,
           set_context, get_memory, alloc_memory, free_memory, copy_in, copy_out,
           copy_inside, copy_peer, set_memory, make_thing, free_thing, nothing, wait_event,
           no_capture, no_graph, no_exec, nothing, nothing, record, make_thing, free_thing,
           record, elapsed, nothing, load_module, unload_module, get_function, launch,
           error_string},
    .rtc = {rtc_version, rtc_create, rtc_destroy, rtc_compile, rtc_size, rtc_get,
            rtc_log_size, rtc_log},
    .has_rtc = true};

wf_runtime *gpu_runtime(void)
{
    wf_runtime *r = wf_runtime_new(NULL);
    wf_ctx *cx = wf_ctx_new(&(wf_options){.size = sizeof(wf_options), .runtime = r});

    setenv("WEFT_CACHE", "off", 1); /* images are paths */
    cuda_add_all(cx, r, &libraries);
    wf_ctx_free(cx);
    return r;
}

wf_device *gpu_of(wf_ctx *cx)
{
    wf_device *d = NULL;

    wf_device_get(cx, 1, &d);
    return d;
}
