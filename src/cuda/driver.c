/* driver.c -- the libraries of CUDA, opened by name at run time.
 *
 * Each is tried by the names its versions have, newest first. One without a function that
 * is needed counts as missing. What is missing is said once, in the log; what it served
 * falls back (device.c, step.c).
 */
#include "cuda/cuda.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#define DRIVER_LEAST 12000 /* CUDA 12.0 */
#define NCCL_LEAST   21800 /* 2.18: communicators that need not be waited for, and all they have to be told */

typedef struct Function {
    const char *name;
    size_t at; /* of the pointer, in the table */
} Function;

#define FUNCTION_OF(type, name) {#name, offsetof(type, name)},
#define DRIVER_FUNCTION(name, args) FUNCTION_OF(CudaDriver, name)
#define NVRTC_FUNCTION(name, args)  FUNCTION_OF(CudaNvrtc, name)
#define BLAS_FUNCTION(name, args)   FUNCTION_OF(CudaBlas, name)
#define DNN_FUNCTION(name, args)    FUNCTION_OF(CudaDnn, name)
#define NCCL_FUNCTION(name, args)   FUNCTION_OF(CudaNccl, name)

static const Function driver_functions[] = {CUDA_DRIVER(DRIVER_FUNCTION){NULL, 0}};
static const Function nvrtc_functions[] = {CUDA_NVRTC(NVRTC_FUNCTION){NULL, 0}};
static const Function blas_functions[] = {CUDA_BLAS(BLAS_FUNCTION){NULL, 0}};
static const Function dnn_functions[] = {CUDA_DNN(DNN_FUNCTION){NULL, 0}};
static const Function nccl_functions[] = {CUDA_NCCL(NCCL_FUNCTION){NULL, 0}};

/* Kept open: what a thread of the driver does cannot be unloaded. */
static void *open_first(const char *const *names, const char **out_name)
{
    void *lib = NULL;

    for (; *names && !lib; names++) {
        lib = dlopen(*names, RTLD_NOW | RTLD_LOCAL);
        *out_name = *names;
    }
    return lib;
}

/* Quiet: nothing is missing where it is not there. */
static bool open_library(wf_ctx *cx, const char *const *names, const Function *functions,
                         void *table, const char *serves, bool quiet)
{
    const char *name = "";
    void *lib = open_first(names, &name);

    if (!lib) {
        ctx_log(cx, quiet ? WF_LOG_DEBUG : WF_LOG_WARN, "%s cannot be opened: %s", *names, serves);
        return false;
    }
    for (const Function *f = functions; f->name; f++) {
        void *at = dlsym(lib, f->name);

        if (!at) {
            ctx_log(cx, WF_LOG_WARN, "%s has no %s: %s", name, f->name, serves);
            return false;
        }
        memcpy((char *)table + f->at, &at, sizeof at);
    }
    return true;
}

bool cuda_open_driver(wf_ctx *cx, wf_runtime *r, CudaLibraries *l)
{
    static const char *const names[] = {"libcuda.so.1", "libcuda.so", NULL};
    const char *off = getenv("WEFT_CUDA"), *visible = getenv("CUDA_VISIBLE_DEVICES");
    int n = 0, bad;

    if (off && !strcmp(off, "off"))
        return runtime_miss_device(r, "WEFT_CUDA=off hides GPUs"), false;
    if (!open_library(cx, names, driver_functions, &l->cu, "there are no GPUs", true))
        return runtime_miss_device(r, "there is no driver of NVIDIA's: libcuda.so.1 cannot be opened"), false;
    if (l->cu.cuDriverGetVersion(&l->driver) != 0 || l->driver < DRIVER_LEAST) {
        runtime_miss_device(r, "the CUDA driver is of version %d.%d, %d.%d is needed",
                            l->driver / 1000, l->driver % 1000 / 10, DRIVER_LEAST / 1000,
                            DRIVER_LEAST % 1000 / 10);
        ctx_log(cx, WF_LOG_WARN, "%s", runtime_missing(r));
        return false;
    }
    bad = l->cu.cuInit(0);
    if (!bad)
        bad = l->cu.cuDeviceGetCount(&n);
    if (bad || n <= 0)
        runtime_miss_device(r, "the CUDA driver %s%s%s", bad ? "cannot start" : "has no GPUs",
                            visible ? ", CUDA_VISIBLE_DEVICES is " : "", visible ? visible : "");
    return !bad && n > 0;
}

void cuda_open_libraries(wf_ctx *cx, CudaLibraries *l)
{
    static const char *const nvrtc[] = {"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12",
                                        NULL};
    static const char *const blas[] = {"libcublasLt.so", "libcublasLt.so.13",
                                       "libcublasLt.so.12", NULL};
    static const char *const dnn[] = {"libcudnn.so.9", "libcudnn.so", NULL};

    l->has_rtc = open_library(cx, nvrtc, nvrtc_functions, &l->rtc,
                              "no kernels can be compiled, the host does their work", false);
    if (l->has_rtc)
        l->rtc.nvrtcVersion(&l->rtc_major, &l->rtc_minor);
    l->has_lt = open_library(cx, blas, blas_functions, &l->lt,
                             "products are done by kernels of our own", false);
    l->has_dnn = open_library(cx, dnn, dnn_functions, &l->dnn,
                              "convolutions are done by the host", false);
}

bool cuda_open_spare(wf_ctx *cx, CudaLibraries *l)
{
    static const char *const names[] = {"libnvrtc.alt.so", "libnvrtc.alt.so.13", NULL};
    int major = 0, minor = 0;

    if (!l->spare_tried) {
        l->spare_tried = true;
        l->has_spare = open_library(cx, names, nvrtc_functions, &l->spare, "kernels are compiled one after the other", true) &&
                       l->spare.nvrtcVersion(&major, &minor) == 0 && major == l->rtc_major && minor == l->rtc_minor;
    }
    return l->has_spare;
}

static void say_nccl(wf_ctx *cx, CudaLibraries *l, const char *why)
{
    snprintf(l->nccl_why, sizeof l->nccl_why, "%s", why);
    ctx_log(cx, WF_LOG_WARN, "%s: exchanges between GPUs go through the host", why);
}

bool cuda_open_nccl(wf_ctx *cx, CudaLibraries *l)
{
    static const char *const names[] = {"libnccl.so.2", "libnccl.so", NULL};
    char why[160];
    int version = 0;

    pthread_mutex_lock(&l->nccl_lock);
    if (!l->nccl_tried) {
        l->nccl_tried = true;
        if (!open_library(cx, names, nccl_functions, &l->nccl, "exchanges between GPUs go through the host", false)) {
            snprintf(l->nccl_why, sizeof l->nccl_why, "libnccl.so.2 cannot be opened");
        } else if (l->nccl.ncclGetVersion(&version) != 0 || version < NCCL_LEAST) {
            snprintf(why, sizeof why, "libnccl.so.2 is of version %d.%d, %d.%d is needed", version / 10000,
                     version / 100 % 100, NCCL_LEAST / 10000, NCCL_LEAST / 100 % 100);
            say_nccl(cx, l, why);
        } else {
            l->nccl_version = version;
        }
    }
    pthread_mutex_unlock(&l->nccl_lock);
    return l->nccl_version > 0;
}
