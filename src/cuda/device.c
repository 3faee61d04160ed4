/* device.c -- a GPU as a Device: memory, queues, copies; and which GPUs there are.
 *
 * A queue is a stream. Memory comes from the driver's pool in the order of the stream.
 * What is freed is kept for the next that asks for the same size in the same stream, without
 * a call of the driver; when memory runs out, all of that goes back. Copies from the host leave it
 * at once (the driver copies what is not pinned), those to it are there after sync.
 */
#include "cuda/cuda.h"

#include <stdio.h>
#include <stdlib.h>

#define ATTRIBUTE_CORES      16
#define ATTRIBUTE_THREADS    39 /* of a multiprocessor */
#define ATTRIBUTE_MAJOR      75
#define ATTRIBUTE_MINOR      76
#define ATTRIBUTE_POOLS      115
#define POOL_RELEASE         4 /* bytes that the pool may keep */
#define STREAM_NON_BLOCKING  1
#define EVENT_DISABLE_TIMING 2
#define MAJOR_LEAST          7 /* compute capability */

bool cuda_ok(Cuda *d, int answer, const char *what)
{
    const char *text = NULL;

    if (!answer)
        return true;
    if (!atomic_exchange(&d->said, true)) {
        d->l->cu.cuGetErrorString(answer, &text);
        snprintf(d->why, sizeof d->why, "%s: %s", what, text ? text : "unknown error");
        atomic_store(&d->device.why, d->why);
    }
    return false;
}

bool cuda_enter(Cuda *d)
{
    return cuda_ok(d, d->l->cu.cuCtxSetCurrent(d->context), "cuCtxSetCurrent");
}

/* ---- memory ------------------------------------------------------------------------- */

/* The class of a size, and how large its blocks are: 1, 2, 3, 4, 5, 6, 7, 8, 10, 12 .. times 256
 * bytes. */
static int size_class(size_t size, size_t *out_bytes)
{
    size_t units = (MAX(size, 1) + 255) / 256;
    int power = 63 - __builtin_clzll((unsigned long long)units), sub;

    if (power < 2) {
        *out_bytes = units * 256;
        return (int)units;
    }
    sub = (int)((units - 1) >> (power - 2)) - 3; /* 0..4 quarters above the power */
    *out_bytes = (size_t)(4 + sub) << (power - 2) << 8;
    return power * 4 + sub;
}

/* How large blocks of a class are. */
static size_t class_bytes(int k)
{
    return k < 8 ? (size_t)k * 256 : (size_t)(4 + k % 4) << (k / 4 - 2) << 8;
}

/* Gives all idle memory of the queue back to the driver. */
static void give_idle(CudaQueue *q)
{
    pthread_mutex_lock(&q->lock);
    for (int i = 0; i < CUDA_SIZES; i++)
        while (q->idle[i].n) {
            q->d->l->cu.cuMemFreeAsync(q->idle[i].v[--q->idle[i].n], q->stream);
            atomic_fetch_sub(&q->d->device.reserved, class_bytes(i));
        }
    pthread_mutex_unlock(&q->lock);
}

/* The host waits for all that is in the stream. */
static bool cuda_sync(Device *device, void *queue)
{
    Cuda *d = (Cuda *)device;
    CudaQueue *q = queue;

    if (!cuda_enter(d) ||
        (d->links && (!cuda_ok(d, d->l->cu.cuEventRecord(q->event, q->stream), "cuEventRecord") || !cuda_wait(d, q->event))))
        return false;
    return cuda_ok(d, d->l->cu.cuStreamSynchronize(q->stream), "a kernel");
}

/* All of it, also what the driver's pool would keep. */
static void cuda_trim(Device *device, void *queue)
{
    Cuda *d = (Cuda *)device;
    CudaQueue *q = queue;
    CuHandle pool;

    if (!cuda_enter(d))
        return;
    give_idle(q);
    if (cuda_sync(device, queue) &&
        d->l->cu.cuDeviceGetDefaultMemPool(&pool, d->number) == 0)
        d->l->cu.cuMemPoolTrimTo(pool, 0);
}

static void *take_idle(CudaQueue *q, int k)
{
    void *p = NULL;

    pthread_mutex_lock(&q->lock);
    if (k < CUDA_SIZES && q->idle[k].n)
        p = (void *)(uintptr_t)q->idle[k].v[--q->idle[k].n];
    pthread_mutex_unlock(&q->lock);
    return p;
}

static void *cuda_alloc(Device *device, void *queue, const wf_allocator *al, size_t size)
{
    Cuda *d = (Cuda *)device;
    CudaQueue *q = queue;
    const CudaDriver *cu = &d->l->cu;
    size_t bytes;
    int k = size_class(size, &bytes);
    void *idle = take_idle(q, k);
    CuPtr p = 0;

    (void)al;
    if (idle || !cuda_enter(d))
        return idle;
    if (cu->cuMemAllocAsync(&p, bytes, q->stream) != 0) {
        /* what was freed in streams still at work becomes usable, what is kept is given back */
        cuda_trim(device, queue);
        if (cu->cuMemAllocAsync(&p, bytes, q->stream) != 0)
            return NULL;
    }
    atomic_fetch_add(&device->reserved, bytes);
    return (void *)(uintptr_t)p;
}

static bool keep_idle(CudaQueue *q, int k, CuPtr p)
{
    CudaFree *f = &q->idle[k];
    bool ok = k < CUDA_SIZES;

    pthread_mutex_lock(&q->lock);
    if (ok && f->n == f->room) {
        int room = f->room ? f->room * 2 : 16;
        CuPtr *v = realloc(f->v, (size_t)room * sizeof *v);

        ok = v != NULL;
        f->v = ok ? v : f->v;
        f->room = ok ? room : f->room;
    }
    if (ok)
        f->v[f->n++] = p;
    pthread_mutex_unlock(&q->lock);
    return ok;
}

static void cuda_free(Device *device, void *queue, const wf_allocator *al, void *p,
                      size_t size)
{
    Cuda *d = (Cuda *)device;
    CudaQueue *q = queue;
    size_t bytes;
    int k = size_class(size, &bytes);

    (void)al;
    if (!keep_idle(q, k, (CuPtr)(uintptr_t)p) && cuda_enter(d)) {
        d->l->cu.cuMemFreeAsync((CuPtr)(uintptr_t)p, q->stream);
        atomic_fetch_sub(&device->reserved, bytes);
    }
}

static bool cuda_memory(Device *device, size_t *out_free, size_t *out_total)
{
    Cuda *d = (Cuda *)device;

    return cuda_enter(d) && d->l->cu.cuMemGetInfo_v2(out_free, out_total) == 0;
}

/* ---- queues ------------------------------------------------------------------------- */

static void cuda_queue_close(Device *device, void *queue)
{
    Cuda *d = (Cuda *)device;
    CudaQueue *q = queue;
    const CudaDriver *cu = &d->l->cu;
    wf_allocator al = d->al;

    cuda_enter(d);
    cuda_free_singles(q);
    give_idle(q);
    for (int i = 0; i < CUDA_SIZES; i++)
        free(q->idle[i].v);
    pthread_mutex_destroy(&q->lock);
    if (q->stream && q->event)
        cuda_sync(device, q);
    if (q->dnn)
        d->l->dnn.cudnnDestroy(q->dnn);
    for (int i = 0; i < q->noutgrown; i++)
        cu->cuMemFreeAsync(q->outgrown[i], q->stream);
    for (int i = 0; i < CUDA_WORKS; i++)
        if (q->works[i])
            cu->cuMemFreeAsync(q->works[i], q->stream);
    if (q->event)
        cu->cuEventDestroy_v2(q->event);
    if (q->stream)
        cu->cuStreamDestroy_v2(q->stream);
    mem_free(&al, q, sizeof *q);
}

static void *cuda_queue_open(Device *device)
{
    Cuda *d = (Cuda *)device;
    CudaQueue *q = mem_alloc(&d->al, sizeof *q);

    if (!q)
        return NULL;
    *q = (CudaQueue){.d = d};
    pthread_mutex_init(&q->lock, NULL);
    if (cuda_enter(d) &&
        cuda_ok(d, d->l->cu.cuStreamCreate(&q->stream, STREAM_NON_BLOCKING),
                "cuStreamCreate") &&
        cuda_ok(d, d->l->cu.cuEventCreate(&q->event, EVENT_DISABLE_TIMING),
                "cuEventCreate"))
        return q;
    cuda_queue_close(device, q);
    return NULL;
}

CuPtr cuda_work(CudaQueue *q, size_t size)
{
    const CudaDriver *cu = &q->d->l->cu;

    if (q->work_size >= size)
        return q->works[q->piece];
    if (q->branches) /* what a graph captures has been done before, and had enough */
        return 0;
    size = MAX(size, 2 * q->work_size);
    for (int i = 0; i < CUDA_WORKS; i++) {
        if (q->works[i] && q->captured)
            q->outgrown[q->noutgrown++] = q->works[i];
        else if (q->works[i])
            cu->cuMemFreeAsync(q->works[i], q->stream);
        q->works[i] = 0;
    }
    q->captured = false;
    if (cu->cuMemAllocAsync(&q->works[0], size, q->stream) != 0)
        q->works[0] = 0;
    q->work_size = q->works[0] ? size : 0;
    return q->works[0];
}

static bool cuda_join(Device *device, void *queue, void *other)
{
    Cuda *d = (Cuda *)device;
    CudaQueue *q = queue, *o = other;

    return cuda_enter(d) &&
           cuda_ok(d, d->l->cu.cuEventRecord(o->event, o->stream), "cuEventRecord") &&
           cuda_ok(d, d->l->cu.cuStreamWaitEvent(q->stream, o->event, 0),
                   "cuStreamWaitEvent");
}

/* ---- marks -------------------------------------------------------------------------- */

static void cuda_mark_free(Device *device, void *mark)
{
    Cuda *d = (Cuda *)device;

    cuda_enter(d);
    d->l->cu.cuEventDestroy_v2(mark);
}

static void *cuda_mark(Device *device, void *queue)
{
    Cuda *d = (Cuda *)device;
    CudaQueue *q = queue;
    CuHandle event = NULL;

    if (!cuda_enter(d) || !cuda_ok(d, d->l->cu.cuEventCreate(&event, 0), "cuEventCreate"))
        return NULL;
    if (cuda_ok(d, d->l->cu.cuEventRecord(event, q->stream), "cuEventRecord"))
        return event;
    cuda_mark_free(device, event);
    return NULL;
}

static bool cuda_mark_reached(Device *device, void *mark, bool wait)
{
    Cuda *d = (Cuda *)device;

    if (!cuda_enter(d))
        return false;
    return wait ? cuda_wait(d, mark)
                : d->l->cu.cuEventQuery(mark) == 0;
}

static double cuda_mark_seconds(Device *device, void *from, void *to)
{
    Cuda *d = (Cuda *)device;
    float ms = 0;

    cuda_enter(d);
    d->l->cu.cuEventElapsedTime(&ms, from, to);
    return 1e-3 * (double)ms;
}

/* ---- copies ------------------------------------------------------------------------- */

static bool cuda_copy(Device *device, void *queue, void *to, const void *from, size_t size,
                      CopyKind kind)
{
    Cuda *d = (Cuda *)device;
    CudaQueue *q = queue;
    const CudaDriver *cu = &d->l->cu;
    CuPtr there = (CuPtr)(uintptr_t)(kind == COPY_OUT ? from : to);

    if (!cuda_enter(d))
        return false;
    switch (kind) {
    case COPY_IN:
        return cuda_ok(d, cu->cuMemcpyHtoDAsync_v2(there, from, size, q->stream),
                       "a copy to it");
    case COPY_OUT:
        return cuda_ok(d, cu->cuMemcpyDtoHAsync_v2(to, there, size, q->stream),
                       "a copy from it");
    default:
        return cuda_ok(d,
                       !cuda_branch_copy(q, to, from, size) ||
                           cu->cuMemcpyDtoDAsync_v2(there, (CuPtr)(uintptr_t)from, size, q->stream) ||
                           !cuda_branch_end(q),
                       "a copy inside it");
    }
}

static bool cuda_copy_from(Device *device, void *queue, void *to, Device *other,
                           const void *from, size_t size)
{
    Cuda *d = (Cuda *)device;
    CudaQueue *q = queue;

    return cuda_enter(d) &&
           cuda_ok(d,
                   d->l->cu.cuMemcpyPeerAsync((CuPtr)(uintptr_t)to, d->context,
                                              (CuPtr)(uintptr_t)from,
                                              ((Cuda *)other)->context, size, q->stream),
                   "a copy from another");
}

static bool cuda_zero(Device *device, void *queue, void *to, size_t size)
{
    Cuda *d = (Cuda *)device;
    CudaQueue *q = queue;

    return cuda_enter(d) &&
           cuda_ok(d,
                   !cuda_branch_copy(q, to, NULL, size) ||
                       d->l->cu.cuMemsetD8Async((CuPtr)(uintptr_t)to, 0, size, q->stream) ||
                       !cuda_branch_end(q),
                   "clearing memory");
}

/* ---- which there are ---------------------------------------------------------------- */

static void release_libraries(CudaLibraries *l, const wf_allocator *al)
{
    if (--l->refs)
        return;
    pthread_mutex_destroy(&l->rtc_lock);
    pthread_mutex_destroy(&l->spare_lock);
    pthread_mutex_destroy(&l->nccl_lock);
    mem_free(al, l, sizeof *l);
}

static void cuda_close(Device *device)
{
    Cuda *d = (Cuda *)device;
    CudaLibraries *l = d->l;
    wf_allocator al = d->al;

    cuda_enter(d);
    cuda_free_plans(d);
    cuda_free_convs(d);
    cuda_free_attentions(d);
    if (d->blas)
        l->lt.cublasLtDestroy(d->blas);
    cuda_free_native(d);
    l->cu.cuDevicePrimaryCtxRelease_v2(d->number);
    pthread_mutex_destroy(&d->lock);
    mem_free(&al, d, sizeof *d);
    release_libraries(l, &al);
}

/* Pools come with every GPU that is new enough. */
static bool is_usable(const CudaDriver *cu, Cuda *d)
{
    int pools = 0, threads = 0;
    bool ok;

    ok = cu->cuDeviceGetAttribute(&d->major, ATTRIBUTE_MAJOR, d->number) == 0 &&
           cu->cuDeviceGetAttribute(&d->minor, ATTRIBUTE_MINOR, d->number) == 0 &&
           cu->cuDeviceGetAttribute(&d->cores, ATTRIBUTE_CORES, d->number) == 0 &&
           cu->cuDeviceGetAttribute(&threads, ATTRIBUTE_THREADS, d->number) == 0 &&
           cu->cuDeviceGetAttribute(&pools, ATTRIBUTE_POOLS, d->number) == 0 && pools &&
           d->major >= MAJOR_LEAST;
    d->device.blocks = d->cores * (threads / CUDA_BLOCK);
    return ok;
}

static void list_features(Cuda *d)
{
    const CudaLibraries *l = d->l;
    char rtc[40] = "no NVRTC: the host does all work";

    if (l->has_rtc)
        snprintf(rtc, sizeof rtc, "NVRTC %d.%d", l->rtc_major, l->rtc_minor);
    snprintf(d->features, sizeof d->features, "driver %d.%d, %d multiprocessors, %s, %s, %s",
             l->driver / 1000, l->driver % 1000 / 10, d->cores, rtc,
             l->has_lt ? "cuBLASLt" : "no cuBLASLt: products are slow",
             l->has_dnn ? "cuDNN" : "no cuDNN: convolutions are slow");
}

static Cuda *open_device(wf_ctx *cx, wf_runtime *r, CudaLibraries *l, int i,
                         const wf_allocator *al)
{
    const CudaDriver *cu = &l->cu;
    Cuda *d = mem_alloc(al, sizeof *d);
    uint64_t all = UINT64_MAX;
    char name[96] = "";
    CuHandle pool;

    if (!d)
        return NULL;
    *d = (Cuda){.l = l, .al = *al};
    if (cu->cuDeviceGet(&d->number, i) != 0 ||
        cu->cuDeviceGetName(name, (int)sizeof name, d->number) != 0 || !is_usable(cu, d) ||
        cu->cuDevicePrimaryCtxRetain(&d->context, d->number) != 0) {
        runtime_miss_device(r, "GPU %d '%s' (compute capability %d.%d, %d.0 is needed) cannot be used",
                            i, name, d->major, d->minor, MAJOR_LEAST);
        ctx_log(cx, WF_LOG_WARN, "%s", runtime_missing(r));
        mem_free(al, d, sizeof *d);
        return NULL;
    }
    snprintf(d->name, sizeof d->name, "cuda:%d", i);
    snprintf(d->label, sizeof d->label, "%s, compute capability %d.%d", name, d->major,
             d->minor);
    list_features(d);
    if (cu->cuDeviceGetDefaultMemPool(&pool, d->number) == 0)
        cu->cuMemPoolSetAttribute(pool, POOL_RELEASE, &all);
    pthread_mutex_init(&d->lock, NULL);
    d->device = (Device){.name = d->name,
                         .label = d->label,
                         .features = d->features,
                         .target = &target_cuda,
                         .alloc = cuda_alloc,
                         .free = cuda_free,
                         .queue_open = cuda_queue_open,
                         .queue_close = cuda_queue_close,
                         .put_copy = cuda_copy,
                         .put_copy_from = cuda_copy_from,
                         .put_zero = cuda_zero,
                         .put_move = cuda_put_move,
                         .put_join = cuda_join,
                         .sync = cuda_sync,
                         .has = cuda_has,
                         .put_step = cuda_put_step,
                         .put_frame = cuda_put_frame,
                         .forget = cuda_forget,
                         .memory = cuda_memory,
                         .trim = cuda_trim,
                         .mark = cuda_mark,
                         .mark_reached = cuda_mark_reached,
                         .mark_seconds = cuda_mark_seconds,
                         .mark_free = cuda_mark_free,
                         .load = l->has_rtc ? cuda_load : NULL,
                         .unload = cuda_unload,
                         .link = &cuda_link};
    return d;
}

void cuda_add_all(wf_ctx *cx, wf_runtime *r, const CudaLibraries *libraries)
{
    wf_allocator al = *runtime_allocator(r);
    CudaLibraries *l = mem_alloc(&al, sizeof *l);
    int n = 0;

    if (!l)
        return;
    *l = *libraries;
    l->refs = 1;
    pthread_mutex_init(&l->rtc_lock, NULL);
    pthread_mutex_init(&l->spare_lock, NULL);
    pthread_mutex_init(&l->nccl_lock, NULL);
    l->cu.cuDeviceGetCount(&n);
    for (int i = 0; i < n; i++) {
        Cuda *d = open_device(cx, r, l, i, &al);

        if (!d)
            continue;
        l->refs++;
        d->device.ordinal = runtime_add_device(r, &d->device, cuda_close);
        if (!d->device.ordinal)
            cuda_close(&d->device);
    }
    release_libraries(l, &al);
}

void cuda_add_devices(wf_ctx *cx, wf_runtime *r)
{
    CudaLibraries l = {0};

    if (!cuda_open_driver(cx, r, &l))
        return;
    cuda_open_libraries(cx, &l);
    cuda_add_all(cx, r, &l);
}
