/* lib_gpu.c -- CUDA's driver and compiler, done by the host.
 *
 * Test programs use the functions from a table; with GPU_LIBRARY the file is a library by itself, libcuda.so.1 and
 * libnvrtc.so to whoever looks for those by name, so that commands and scripts meet a GPU, too. What GPU_FAKE says there
 * is wrong with it, as NAME=NUMBER, and the next behind a comma:
 *
 *   driver=11080     the driver's version            capability=52   of the GPU
 *   devices=2        how many there are              memory=1000000  bytes it has
 *   lost=3           from the third launch on every call fails
 *   graphs=0         nothing can be captured         singles=0       no graphs are made otherwise
 *   uuid=1           all processes have the same GPUs
 *   still=1          launches do nothing: what the host does is left to be timed
 */
#include "lib_gpu.h"

#include <ctype.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

long gpu_launches, gpu_fail_at, gpu_replays, gpu_side_by_side, gpu_singles, gpu_hurried;
atomic_int gpu_refused, gpu_cubins;
extern __attribute__((visibility("default"))) atomic_int gpu_held;
atomic_int gpu_held; /* lib_nccl.c: an exchange is in a stream, and not done */

#define PROTOTYPE(name, args) __attribute__((visibility("default"))) int name args;
CUDA_DRIVER(PROTOTYPE)
CUDA_NVRTC(PROTOTYPE)

/* The number of a fault, or what there is without it. */
static long fault(const char *name, long otherwise)
{
    const char *s = getenv("GPU_FAKE");
    size_t n = strlen(name);

    for (; s && *s; s += strcspn(s, ","), s += *s == ',')
        if (strncmp(s, name, n) == 0 && s[n] == '=')
            return atol(s + n + 1);
    return otherwise;
}

enum { GONE = 719, NO_MEMORY = 2 };

/* What every call answers, if nothing else is wrong. */
static int answer(void)
{
    static atomic_long lost = -1;
    long at = atomic_load(&lost);

    if (at < 0)
        atomic_store(&lost, at = fault("lost", 0));
    return at && gpu_launches >= at ? GONE : 0;
}

/* ---- the driver ------------------------------------------------------------------------ */

int cuInit(unsigned flags) { return (int)(flags & 0); }
int cuDriverGetVersion(int *version) { return *version = (int)fault("driver", 13000), 0; }
int cuDeviceGetCount(int *n) { return *n = (int)fault("devices", 1), 0; }
int cuDeviceGet(int *device, int i) { return *device = i, 0; }
int cuDeviceGetName(char *name, int n, int device)
{
    snprintf(name, (size_t)n, "host %d", device);
    return 0;
}
int cuDeviceGetAttribute(int *value, int attribute, int device)
{
    long capability = fault("capability", 90);

    (void)device;
    *value = (int)(attribute == 75   ? capability / 10
                   : attribute == 76 ? capability % 10
                   : attribute == 16 ? 4
                   : attribute == 39 ? 2048
                                     : 1);
    return 0;
}

static atomic_size_t held;

static size_t all_memory(void) { return (size_t)fault("memory", 1l << 34); }
int cuDeviceTotalMem_v2(size_t *bytes, int device) { return *bytes = all_memory(), device & 0; }
/* Every process has GPUs of its own, unless uuid= says that they are the same. */
int cuDeviceGetUuid_v2(void *uuid, int device)
{
    long who[2] = {fault("uuid", getpid()), device};

    memcpy(uuid, who, sizeof who);
    return answer();
}
int cuDevicePrimaryCtxRetain(CuHandle *context, int device) { return *context = &gpu_launches, device & 0; }
int cuDevicePrimaryCtxRelease_v2(int device) { return device & 0; }
int cuDeviceGetDefaultMemPool(CuHandle *pool, int device) { return *pool = &gpu_launches, device & 0; }
int cuMemPoolSetAttribute(CuHandle pool, int attribute, void *value) { return (pool && value ? attribute : 0) & 0; }
int cuMemPoolTrimTo(CuHandle pool, size_t keep) { return pool && keep ? 0 : 0; }
int cuCtxSetCurrent(CuHandle context) { return context ? answer() : 1; }
int cuMemGetInfo_v2(size_t *idle, size_t *total)
{
    *total = all_memory();
    *idle = *total - atomic_load(&held);
    return answer();
}
/* A block's size stands before it. */
int cuMemAllocAsync(CuPtr *p, size_t n, CuHandle stream)
{
    char *m;

    (void)stream;
    if (answer())
        return answer();
    if (atomic_load(&held) + n > all_memory() || !(m = aligned_alloc(64, (n + 127) / 64 * 64)))
        return NO_MEMORY;
    atomic_fetch_add(&held, n);
    memcpy(m, &n, sizeof n);
    memset(m + 64, 0x77, n);
    *p = (uintptr_t)(m + 64);
    return 0;
}
int cuMemFreeAsync(CuPtr p, CuHandle stream)
{
    char *m = (char *)(uintptr_t)p - 64;
    size_t n;

    (void)stream;
    memcpy(&n, m, sizeof n);
    atomic_fetch_sub(&held, n);
    free(m);
    return 0;
}
/* What is put into a stream is done at once, or becomes a node of the graph that is captured. A graph runs in orders
 * that are bad for who forgot that a node must wait for another. */
typedef struct Put Put;
struct Put {
    void (*run)(const Put *n);
    const void *function, *from;
    void *to, *args;
    size_t size, nwaits;
    unsigned x, y, threads;
    unsigned char byte;
    Put **waits;
    bool done;
};
typedef struct Graph {
    Put **node;
    size_t n;
    struct Graph *made, *of; /* the one that can be launched, made of it; the one it was made of */
} Graph;
typedef struct Stream {
    Graph *graph; /* being captured; NULL: none is */
    Put **waits; /* that the next node waits for */
    size_t nwaits;
} Stream;

static void run_copy(const Put *n) { memmove(n->to, n->from, n->size); }
static void run_fill(const Put *n) { memset(n->to, n->byte, n->size); }

static Put **copy_puts(Put *const *v, size_t n)
{
    return memcpy(malloc(n * sizeof *v + 1), v ? (const void *)v : "", n * sizeof *v);
}

static int put(Stream *s, Put n)
{
    Graph *g = s->graph;

    if (answer())
        return answer();
    if (!g) {
        n.run(&n);
        return 0;
    }
    n.waits = s->waits;
    n.nwaits = s->nwaits;
    n.args = n.args ? memcpy(malloc(n.size), n.args, n.size) : NULL;
    g->node = realloc(g->node, (g->n + 1) * sizeof *g->node);
    g->node[g->n] = memcpy(malloc(sizeof n), &n, sizeof n);
    s->waits = copy_puts(&g->node[g->n++], 1);
    s->nwaits = 1;
    return 0;
}

int cuMemcpyHtoDAsync_v2(CuPtr to, const void *from, size_t n, CuHandle stream)
{
    return put(stream, (Put){.run = run_copy, .to = (void *)(uintptr_t)to, .from = from, .size = n});
}
int cuMemcpyDtoHAsync_v2(void *to, CuPtr from, size_t n, CuHandle stream)
{
    return cuMemcpyHtoDAsync_v2((uintptr_t)to, (void *)(uintptr_t)from, n, stream);
}
int cuMemcpyDtoDAsync_v2(CuPtr to, CuPtr from, size_t n, CuHandle stream)
{
    return cuMemcpyHtoDAsync_v2(to, (void *)(uintptr_t)from, n, stream);
}
int cuMemcpyPeerAsync(CuPtr to, CuHandle to_context, CuPtr from, CuHandle from_context, size_t n, CuHandle stream)
{
    (void)to_context;
    (void)from_context;
    return cuMemcpyDtoDAsync_v2(to, from, n, stream);
}
int cuMemsetD8Async(CuPtr to, unsigned char byte, size_t n, CuHandle stream)
{
    return put(stream, (Put){.run = run_fill, .to = (void *)(uintptr_t)to, .byte = byte, .size = n});
}
int cuStreamCreate(CuHandle *stream, unsigned flags)
{
    (void)flags;
    return (*stream = calloc(1, sizeof(Stream))) ? answer() : NO_MEMORY;
}
int cuStreamDestroy_v2(CuHandle stream)
{
    free(stream);
    return 0;
}
int cuStreamSynchronize(CuHandle stream) { return stream ? answer() : 1; }
int cuStreamWaitEvent(CuHandle stream, CuHandle event, unsigned flags)
{
    return stream && event && !flags ? answer() : 1;
}

int cuStreamBeginCapture_v2(CuHandle stream, int mode)
{
    Stream *s = stream;

    if (fault("graphs", 1) == 0 || mode != 1)
        return 900;
    *s = (Stream){.graph = calloc(1, sizeof(Graph)), .waits = copy_puts(NULL, 0)};
    return answer();
}
int cuStreamEndCapture(CuHandle stream, CuHandle *graph)
{
    Stream *s = stream;

    *graph = s->graph;
    free(s->waits);
    *s = (Stream){0};
    return answer();
}
int cuStreamGetCaptureInfo_v2(CuHandle stream, int *status, uint64_t *id, CuHandle *graph, const CuHandle **nodes,
                              size_t *n)
{
    Stream *s = stream;

    *status = s->graph != NULL;
    *nodes = (const CuHandle *)s->waits;
    *n = s->nwaits;
    *graph = s->graph;
    return id ? 1 : answer();
}
int cuStreamUpdateCaptureDependencies(CuHandle stream, CuHandle *nodes, size_t n, unsigned flags)
{
    Stream *s = stream;
    Put **waits = copy_puts((Put **)nodes, n);

    free(s->waits);
    s->waits = waits;
    s->nwaits = n;
    return flags == 1 ? answer() : 1;
}
/* Nodes of a graph in the order in which they came. */
int cuGraphGetNodes(CuHandle graph, CuHandle *nodes, size_t *n)
{
    Graph *g = graph;

    if (nodes && *n < g->n)
        return 1;
    *n = g->n;
    if (nodes && g->n)
        memcpy(nodes, g->node, g->n * sizeof *nodes);
    return answer();
}
int cuGraphNodeGetType(CuHandle node, int *type)
{
    const Put *n = node;

    *type = n->run == run_copy ? 1 : n->run == run_fill ? 2 : 0;
    return answer();
}
int cuGraphKernelNodeSetAttribute(CuHandle node, int attribute, const void *value)
{
    const Put *n = node;
    int priority;

    if (attribute != 8 || n->run == run_copy || n->run == run_fill)
        return 1;
    memcpy(&priority, value, sizeof priority);
    gpu_hurried += priority < 0;
    return answer();
}
int cuCtxGetStreamPriorityRange(int *least, int *greatest) { return *least = 0, *greatest = -5, 0; }
/* The graph itself is what is launched. */
int cuGraphInstantiateWithFlags(CuHandle *exec, CuHandle graph, uint64_t flags)
{
    *exec = memcpy(malloc(sizeof(Graph)), graph, sizeof(Graph));
    *(Graph *)graph = (Graph){.made = *exec};
    ((Graph *)*exec)->of = graph;
    return flags ? 1 : answer();
}
int cuGraphDestroy(CuHandle graph)
{
    Graph *g = graph;

    for (size_t i = 0; i < g->n; i++) {
        free(g->node[i]->waits);
        free(g->node[i]->args);
        free(g->node[i]);
    }
    free(g->node);
    if (g->made)
        g->made->of = NULL;
    if (g->of)
        g->of->made = NULL;
    free(g);
    return 0;
}
int cuGraphExecDestroy(CuHandle exec) { return cuGraphDestroy(exec); }

static bool is_ready(const Put *n)
{
    for (size_t i = 0; i < n->nwaits; i++)
        if (!n->waits[i]->done)
            return false;
    return !n->done;
}

/* Whoever is ready runs before all that came earlier: in waves, or the last one alone. */
int cuGraphLaunch(CuHandle exec, CuHandle stream)
{
    Graph *g = exec;
    bool waves = gpu_replays++ % 2 == 0;

    for (size_t i = 0; i < g->n; i++)
        g->node[i]->done = false;
    for (size_t left = g->n, ran; left; left -= ran) {
        Put *wave[1024];

        ran = 0;
        for (size_t i = g->n; i-- && ran < (waves ? 1024 : 1);)
            if (is_ready(g->node[i]))
                wave[ran++] = g->node[i];
        if (!ran)
            return 1; /* a circle */
        gpu_side_by_side += (long)ran - 1;
        for (size_t i = 0; i < ran; i++)
            wave[i]->run(wave[i]), wave[i]->done = true;
    }
    return stream ? answer() : 1;
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
int cuEventCreate(CuHandle *event, unsigned flags)
{
    (void)flags;
    return (*event = calloc(1, sizeof(double))) ? answer() : NO_MEMORY;
}
int cuEventDestroy_v2(CuHandle event)
{
    free(event);
    return 0;
}
int cuEventRecord(CuHandle event, CuHandle stream)
{
    *(double *)event = now();
    return stream ? answer() : 1;
}
int cuEventQuery(CuHandle event) { return !event ? 1 : atomic_load(&gpu_held) ? 600 : answer(); }
int cuEventElapsedTime(float *ms, CuHandle from, CuHandle to)
{
    *ms = (float)(1e3 * (*(double *)to - *(double *)from));
    return answer();
}
int cuEventSynchronize(CuHandle event) { return event ? answer() : 1; }

typedef struct Image { /* what the compiler gives for a cubin: a library's bytes behind this */
    size_t size;
} Image;

static char folder_path[64];
static void make_folder(void)
{
    strcpy(folder_path, "/tmp/weft-gpu-XXXXXX");
    if (!mkdtemp(folder_path))
        abort();
}
static const char *folder(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT; /* kernels are compiled by several threads */

    pthread_once(&once, make_folder);
    return folder_path;
}

int cuModuleLoadData(CuHandle *module, const void *image)
{
    static atomic_int count;
    const Image *i = image;
    char path[100];
    FILE *f;

    if (!memcmp(image, "\177ELF", 4)) { /* NVIDIA's own code */
        atomic_fetch_add(&gpu_cubins, 1);
        *module = &gpu_launches;
        return answer();
    }
    snprintf(path, sizeof path, "%s/m%d.so", folder(), atomic_fetch_add(&count, 1));
    f = fopen(path, "wb");
    if (!f || fwrite(i + 1, 1, i->size, f) != i->size || fclose(f) != 0)
        return 200;
    *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!*module)
        fprintf(stderr, "%s\n", dlerror());
    remove(path);
    return *module ? answer() : 200;
}
int cuModuleUnload(CuHandle module) { return module == &gpu_launches ? 0 : dlclose(module); }

typedef struct Function {
    size_t (*size)(void); /* of its arguments */
    void (*run)(const void *args);
    void (*launch)(void (*run)(const void *), unsigned gx, unsigned gy, unsigned n, const void *args);
    void *before; /* the one that was asked for before: all are there as long as the process */
} Function;

static size_t no_size(void) { return 0; }

int cuModuleGetFunction(CuHandle *out, CuHandle module, const char *name)
{
    static Function nothing = {.size = no_size};
    static void *_Atomic last;
    char size_name[80];
    Function f, *kept;
    void *run, *launch, *size;

    if (module == &gpu_launches)
        return *out = &nothing, 0;
    run = dlsym(module, name);
    launch = dlsym(module, "host_launch");

    snprintf(size_name, sizeof size_name, "size_%s", name);
    size = dlsym(module, size_name);
    if (!run || !launch || !size)
        return 500;
    memcpy(&f.size, &size, sizeof size);
    memcpy(&f.run, &run, sizeof run);
    memcpy(&f.launch, &launch, sizeof launch);
    kept = malloc(sizeof f);
    memcpy(kept, &f, sizeof f);
    kept->before = atomic_exchange(&last, kept);
    return *out = kept, 0;
}

static void run_nothing(const Put *n) { (void)n; }
static void run_kernel(const Put *n)
{
    const Function *f = n->function;

    f->launch(f->run, n->x, n->y, n->threads, n->args);
}

/* What a launch puts into a stream; run NULL: it was to fail. */
static Put put_of(CuHandle function, const unsigned *grid, const unsigned *block, unsigned shared, void **params)
{
    static atomic_int still = -1;

    if (still < 0)
        still = (int)fault("still", 0);
    if (grid[2] != 1 || block[1] != 1 || block[2] != 1 || shared || ++gpu_launches == gpu_fail_at)
        return (Put){0};
    return (Put){.run = still || !((const Function *)function)->run ? run_nothing : run_kernel, .function = function, .args = params[0],
                 .x = grid[0], .y = grid[1], .threads = block[0], .size = ((const Function *)function)->size()};
}

int cuLaunchKernel(CuHandle function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, CuHandle stream, void **params, void **extra)
{
    Put n = put_of(function, (unsigned[]){gx, gy, gz}, (unsigned[]){bx, by, bz}, shared, params);

    (void)extra;
    return n.run ? put(stream, n) : GONE;
}

/* Graphs that are not captured: of one kernel, whose arguments are set before it is launched. */
int cuGraphCreate(CuHandle *graph, unsigned flags)
{
    if (flags || fault("singles", 1) == 0)
        return 1;
    return (*graph = calloc(1, sizeof(Graph))) ? answer() : NO_MEMORY;
}
int cuGraphAddKernelNode_v2(CuHandle *node, CuHandle graph, const CuHandle *waits, size_t n, const CudaNode *what)
{
    Stream s = {.graph = graph};
    int bad = waits || n ? 1 : put(&s, (Put){.run = run_nothing, .function = what->function});

    free(s.waits);
    if (!bad)
        *node = ((Graph *)graph)->node[0];
    return bad;
}
int cuGraphExecKernelNodeSetParams_v2(CuHandle exec, CuHandle node, const CudaNode *what)
{
    Put n = put_of(what->function, what->grid, what->block, what->shared, what->params), *old = node;

    if (!n.run || !((Graph *)exec)->of || ((Graph *)exec)->node[0] != old)
        return GONE;
    free(old->args);
    n.args = memcpy(malloc(n.size + 1), n.args, n.size);
    n.waits = old->waits;
    *old = n;
    gpu_singles++;
    return answer();
}

int cuGetErrorString(int error, const char **text)
{
    *text = error == GONE ? "a launch that was to fail" : "an error";
    return 0;
}

/* ---- the compiler ------------------------------------------------------------------------ */

typedef struct Program_ {
    char *text;
    char path[200];
} Program_;

int nvrtcVersion(int *major, int *minor) { return *major = 0, *minor = 1, 0; }
int nvrtcCreateProgram(CuHandle *out, const char *text, const char *name, int n, const char *const *headers,
                       const char *const *names)
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
int nvrtcDestroyProgram(CuHandle *program)
{
    Program_ *p = *program;

    if (*p->path)
        remove(p->path);
    free(p->text);
    free(p);
    return 0;
}

#ifndef GPU_TREE /* the tests' folder; they run in the tree's */
#define GPU_TREE getenv("PWD")
#endif

/* Functions that say how large the arguments of the kernels in a text are. */
static void write_sizes(FILE *f, const char *text)
{
    static const char args[] = "(WK_ARGS(";
    bool native = false;

    for (const char *at = text; (at = strstr(at, args)); at += sizeof args) {
        const char *name = at;

        while (name > text && (name[-1] == '_' || isalnum((unsigned char)name[-1])))
            name--;
        if (strncmp(name, "n_kernel", 8) != 0)
            fprintf(f, "\nextern \"C\" size_t size_%.*s() { return host_size(%.*s); }\n", (int)(at - name), name,
                    (int)(at - name), name);
        else if (!native)
            native = fputs("\nextern \"C\" size_t size_n_kernel() { return host_size(n_kernel); }\n", f) >= 0;
    }
}

int nvrtcCompileProgram(CuHandle program, int n, const char *const *options)
{
    static atomic_int count;
    Program_ *p = program;
    int id = atomic_fetch_add(&count, 1);
    const char *keep = getenv("GPU_KEEP");
    char cpp[300], command[1200];
    FILE *f;

    (void)n;
    (void)options;
    snprintf(cpp, sizeof cpp, "%s/%d.cpp", folder(), id);
    snprintf(p->path, sizeof p->path, "%s/%d.so", folder(), id);
    if (!(f = fopen(cpp, "w")))
        return 1;
    fprintf(f, "#include \"%s/tests/gpu_host.h\"\n%s", GPU_TREE, p->text);
    write_sizes(f, p->text);
    fclose(f);
    snprintf(command, sizeof command, "${CXX:-g++} -std=c++17 -O0 -w -fPIC -shared -ffp-contract=off -o %s %s", p->path, cpp);
    id = system(command);
    if (!keep)
        remove(cpp);
    if (id == 0)
        return 0;
    atomic_fetch_add(&gpu_refused, 1);
    return 6;
}
int nvrtcGetCUBINSize(CuHandle program, size_t *n)
{
    struct stat s;
    int bad = stat(((Program_ *)program)->path, &s);

    *n = sizeof(Image) + (bad ? 0 : (size_t)s.st_size);
    return bad ? 1 : 0;
}
int nvrtcGetCUBIN(CuHandle program, char *to)
{
    FILE *f = fopen(((Program_ *)program)->path, "rb");
    Image i;
    size_t n;

    if (!f || nvrtcGetCUBINSize(program, &n) != 0)
        return 1;
    i.size = n - sizeof i;
    memcpy(to, &i, sizeof i);
    n = fread(to + sizeof i, 1, i.size, f);
    fclose(f);
    return n == i.size ? 0 : 1;
}
int nvrtcGetProgramLogSize(CuHandle program, size_t *n) { return *n = 0, program ? 0 : 1; }
int nvrtcGetProgramLog(CuHandle program, char *to) { return program && to ? 0 : 0; }

#ifndef GPU_LIBRARY

/* ---- a runtime with it -------------------------------------------------------------------- */

bool gpu_possible(void) { return system("${CXX:-g++} --version > /dev/null 2>&1") == 0; }

atomic_int gpu_spared, gpu_waits;

static int compile_first(CuHandle program, int n, const char *const *options)
{
    for (int spared = atomic_load(&gpu_spared), i = 0; atomic_load(&gpu_waits) && atomic_load(&gpu_spared) == spared && i < 10000; i++)
        usleep(1000);
    return nvrtcCompileProgram(program, n, options);
}

static int compile_spare(CuHandle program, int n, const char *const *options)
{
    atomic_fetch_add(&gpu_spared, 1);
    return nvrtcCompileProgram(program, n, options);
}

#define POINTED(name, args) name,
static const CudaLibraries libraries = {
    .cu = {CUDA_DRIVER(POINTED)},
    .rtc = {CUDA_NVRTC(POINTED)},
    .spare = {CUDA_NVRTC(POINTED)},
    .has_rtc = true,
    .has_spare = true,
    .spare_tried = true};

static wf_runtime *runtime_of(const CudaLibraries *l)
{
    wf_runtime *r = wf_runtime_new(NULL);
    wf_ctx *cx = wf_ctx_new(&(wf_options){.size = sizeof(wf_options), .runtime = r});

    setenv("WEFT_CACHE", "off", 1); /* the compiler changes with the tree */
    cuda_add_all(cx, r, l);
    wf_ctx_free(cx);
    return r;
}

wf_runtime *gpu_runtime(void)
{
    CudaLibraries l = libraries;

    l.rtc.nvrtcCompileProgram = compile_first;
    l.spare.nvrtcCompileProgram = compile_spare;
    return runtime_of(&l);
}

static int (*real_compile)(CuHandle program, int n, const char *const *options);
static int compile_or_count(CuHandle program, int n, const char *const *options)
{
    int bad = real_compile(program, n, options);

    atomic_fetch_add(&gpu_refused, bad != 0);
    return bad;
}

wf_runtime *gpu_compiler(void)
{
    CudaLibraries l = libraries;
    wf_ctx *cx = wf_ctx_new(NULL);

    cuda_open_libraries(cx, &l);
    wf_ctx_free(cx);
    if (!l.has_rtc)
        return NULL;
    real_compile = l.rtc.nvrtcCompileProgram;
    l.rtc.nvrtcCompileProgram = compile_or_count;
    l.spare_tried = true; /* what it refuses would not be counted */
    l.has_lt = l.has_dnn = false;
    return runtime_of(&l);
}

wf_device *gpu_of(wf_ctx *cx)
{
    wf_device *d = NULL;

    wf_device_get(cx, 1, &d);
    return d;
}
#endif
