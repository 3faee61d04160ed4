/* code.c -- CUDA C++ to machine code: NVRTC, and the code cache.
 *
 * Units are compiled for the very GPU (a cubin), and kept in the directory of the code cache, whose
 * key holds the versions of NVRTC and the architecture. NVRTC compiles one text at a time, whatever
 * threads ask it; CUDA has the library a second time, under another name, so that two are compiled
 * side by side.
 */
#include "cuda/cuda.h"
#include "codegen/render.h"
#include "runtime/compiler.h"

#include <stdio.h>

#define ARGS_MOST 4000 /* bytes of a kernel's arguments */
#define UNITS_MOST 2 /* compilers; each unit begins with the same 40 kB: */
#define UNIT_LEAST 4 /* kernels of one */

extern const char *const plain_lines[], *const gpu_lines[], *const native_lines[];

typedef struct CudaCode {
    int n;
    CuHandle module[];
} CudaCode;

/* ---- NVRTC -------------------------------------------------------------------------- */

static void log_failure(Cuda *d, wf_ctx *cx, const CudaNvrtc *rtc, CuHandle program)
{
    size_t n = 0;
    char *log;

    if (rtc->nvrtcGetProgramLogSize(program, &n) != 0 || !n || !(log = mem_alloc(&d->al, n)))
        return;
    if (rtc->nvrtcGetProgramLog(program, log) == 0)
        ctx_log(cx, WF_LOG_WARN, "NVRTC: %.2000s", log);
    mem_free(&d->al, log, n);
}

/* The compiler that is free, or the first when it is; the lock is the caller's to give back. */
static const CudaNvrtc *take_compiler(CudaLibraries *l, wf_ctx *cx, pthread_mutex_t **out_lock)
{
    *out_lock = &l->rtc_lock;
    if (pthread_mutex_trylock(&l->rtc_lock) == 0)
        return &l->rtc;
    if (pthread_mutex_trylock(&l->spare_lock) == 0) {
        *out_lock = &l->spare_lock;
        if (cuda_open_spare(cx, l))
            return &l->spare;
        pthread_mutex_unlock(&l->spare_lock);
        *out_lock = &l->rtc_lock;
    }
    pthread_mutex_lock(&l->rtc_lock);
    return &l->rtc;
}

static void *compile_text(Cuda *d, wf_ctx *cx, const char *text, bool exact,
                          size_t *out_size)
{
    pthread_mutex_t *lock;
    const CudaNvrtc *rtc = take_compiler(d->l, cx, &lock);
    CuHandle program = NULL;
    char arch[32], *cubin = NULL;
    const char *options[] = {arch, "--std=c++17", "--device-as-default-execution-space",
                             "-w", exact ? "--fmad=false" : "--fmad=true"};

    snprintf(arch, sizeof arch, "--gpu-architecture=sm_%d%d", d->major, d->minor);
    if (rtc->nvrtcCreateProgram(&program, text, "weft.cu", 0, NULL, NULL) != 0)
        program = NULL;
    else if (rtc->nvrtcCompileProgram(program, 5, options) != 0)
        log_failure(d, cx, rtc, program);
    else if (rtc->nvrtcGetCUBINSize(program, out_size) == 0 && *out_size &&
             (cubin = mem_alloc(&d->al, *out_size)) &&
             rtc->nvrtcGetCUBIN(program, cubin) != 0) {
        mem_free(&d->al, cubin, *out_size);
        cubin = NULL;
    }
    if (program)
        rtc->nvrtcDestroyProgram(&program);
    pthread_mutex_unlock(lock);
    return cubin;
}

void *cuda_compile(Cuda *d, wf_ctx *cx, const char *text, size_t size, bool exact,
                   size_t *out_size)
{
    CodeUnit unit = {text, size};
    CodeCache cache;
    CodeKey key;
    char head[128];
    void *cubin;

    snprintf(head, sizeof head, "cuda 1, nvrtc %d.%d, sm_%d%d, %s",
             d->l->rtc_major, d->l->rtc_minor, d->major, d->minor, exact ? "exact" : "");
    key = code_key(head, strlen(head), &unit);
    codecache_open(cx, &cache);
    cache.al = d->al;
    cubin = codecache_read(&cache, &key, out_size);
    if (!cubin && (cubin = compile_text(d, cx, text, exact, out_size)))
        codecache_write(&cache, &key, cubin, *out_size);
    codecache_close(&cache);
    return cubin;
}

/* ---- kernels ------------------------------------------------------------------------ */

typedef struct Units {
    Cuda *d;
    wf_ctx *cx;
    Text *text;
    void **cubin;
    size_t *size;
    bool exact;
} Units;

static void compile_unit(void *user, int i)
{
    Units *u = user;

    u->cubin[i] = cuda_compile(u->d, u->cx, text_str(&u->text[i]), u->text[i].n, u->exact,
                               &u->size[i]);
}

/* The code of kernel k in the modules; NULL: it has none, or more arguments than fit. */
static const CudaKernel *find_kernel(Cuda *d, Arena *a, const CudaCode *code,
                                     const Kernel *k)
{
    CudaKernel *c = arena_zalloc(a, sizeof *c);
    char name[32], end[32];

    if ((k->p->nin + k->p->nout + k->nparams + 6) * 8 > ARGS_MOST)
        return NULL;
    c->shape = render_cuda_shape(k->code);
    c->tail = cuda_tail(k);
    snprintf(name, sizeof name, "wk%u", k->code->id);
    snprintf(end, sizeof end, "wk%u_end", k->code->id);
    for (int i = 0; i < code->n && !c->run; i++) {
        if (d->l->cu.cuModuleGetFunction(&c->run, code->module[i], name) != 0)
            c->run = NULL;
        else if (k->parts &&
                 d->l->cu.cuModuleGetFunction(&c->end, code->module[i], end) != 0)
            return NULL;
    }
    return c->run ? c : NULL;
}

bool cuda_load(Device *device, wf_ctx *cx, Arena *a, Kernel *const *k, uint32_t n,
               const void **there, void **out_code)
{
    Cuda *d = (Cuda *)device;
    uint32_t units;
    Units u = {.d = d, .cx = cx, .exact = n && k[0]->exact};
    CudaCode *code;
    bool ok = true;

    *out_code = NULL;
    if (!n)
        return true;
    u.text = render_units(k, n, (uint32_t)MIN(cpu_count(), MIN(UNITS_MOST, (int)(n + UNIT_LEAST - 1) / UNIT_LEAST)), &cx->scratch, &units);
    u.cubin = arena_zalloc(&cx->scratch, units * sizeof *u.cubin);
    u.size = arena_zalloc(&cx->scratch, units * sizeof *u.size);
    pool_run_most(ctx_threads(cx), cpu_count(), (int)units, compile_unit, &u);
    code = mem_alloc(&d->al, sizeof *code + units * sizeof *code->module);
    if (code)
        *code = (CudaCode){0};
    for (uint32_t i = 0; i < units; i++) {
        if (code && u.cubin[i] && cuda_enter(d) &&
            d->l->cu.cuModuleLoadData(&code->module[code->n], u.cubin[i]) == 0)
            code->n++;
        else
            ok = false;
        if (u.cubin[i])
            mem_free(&d->al, u.cubin[i], u.size[i]);
    }
    if (!code)
        return false;
    if (!ok)
        ctx_log(cx, WF_LOG_WARN, "%s: some kernels could not be compiled, the host does "
                "their work", d->device.name);
    for (uint32_t i = 0; i < n; i++)
        there[i] = find_kernel(d, a, code, k[i]);
    *out_code = code;
    return true;
}

void cuda_unload(Device *device, void *p)
{
    Cuda *d = (Cuda *)device;
    CudaCode *code = p;

    if (!code || !cuda_enter(d))
        return;
    atomic_fetch_add(&d->unloads, 1);
    for (int i = 0; i < code->n; i++)
        d->l->cu.cuModuleUnload(code->module[i]);
    mem_free(&d->al, code, sizeof *code + (size_t)code->n * sizeof *code->module);
}

/* ---- kernels that are not generated -------------------------------------------------- */

struct CudaNative {
    CuHandle module, function;
    CudaNative *next;
    size_t size; /* of this */
    char what[];
};

static void native_text(Text *t, const char *what)
{
    const char *const *const parts[] = {gpu_lines, plain_lines, gpu_lines, native_lines};

    text_add(t, "#define WK_TYPES\n");
    for (int i = 0; i < 4; i++)
        for (const char *const *line = parts[i]; *line; line++)
            text_add(t, *line);
    text_printf(t, "%s\n", what);
}

static void load_native(Cuda *d, wf_ctx *cx, CudaNative *n)
{
    Arena arena;
    Text t;
    size_t size;
    void *cubin;

    arena_init(&arena, &d->al, NULL);
    text_init(&t, &arena);
    native_text(&t, n->what);
    cubin = cuda_compile(d, cx, text_str(&t), t.n, false, &size);
    if (cubin && d->l->cu.cuModuleLoadData(&n->module, cubin) != 0)
        n->module = NULL;
    if (!n->module ||
        d->l->cu.cuModuleGetFunction(&n->function, n->module, "n_kernel") != 0)
        n->function = NULL;
    if (cubin)
        mem_free(&d->al, cubin, size);
    arena_free(&arena);
}

CuHandle cuda_native(Cuda *d, wf_ctx *cx, const char *what)
{
    CudaNative *n;

    pthread_mutex_lock(&d->lock);
    for (n = d->native; n && strcmp(n->what, what) != 0;)
        n = n->next;
    if (!n && (n = mem_alloc(&d->al, sizeof *n + strlen(what) + 1))) {
        *n = (CudaNative){.next = d->native, .size = sizeof *n + strlen(what) + 1};
        memcpy(n->what, what, strlen(what) + 1);
        load_native(d, cx, n);
        d->native = n;
    }
    pthread_mutex_unlock(&d->lock);
    return n ? n->function : NULL;
}

void cuda_free_native(Cuda *d)
{
    for (CudaNative *n = d->native, *next; n; n = next) {
        next = n->next;
        if (n->module)
            d->l->cu.cuModuleUnload(n->module);
        mem_free(&d->al, n, n->size);
    }
    d->native = NULL;
}
