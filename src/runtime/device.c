/* device.c -- devices, their queues, and memory on them; the host as a device.
 *
 * A device is a table of functions (runtime.h). Those of a runtime are numbered: 0 is the
 * host, the others are added by who has them (a back end, a test). What is put into a
 * queue is done in order, beside the host; nobody waits but device_sync and what reads.
 * Each context has a queue of its own for each device. Where memory goes from one queue to
 * another, the second is told to wait for the first (queue_join), and the host goes on.
 */
#include "runtime/runtime.h"

#include <unistd.h>

/* ---- the host ----------------------------------------------------------------------- */

/* The allocator aligns to 16 bytes: the block's own address is kept before the aligned
 * one. */
static void *host_alloc(Device *d, void *queue, const wf_allocator *al, size_t size)
{
    size_t all = size + ALIGN + sizeof(void *);
    char *block, *p;

    (void)d;
    (void)queue;
    if (all < size || !(block = mem_alloc(al, all)))
        return NULL;
    p = block + sizeof(void *);
    p += (ALIGN - (uintptr_t)p % ALIGN) % ALIGN;
    memcpy(p - sizeof(void *), &block, sizeof block);
    return p;
}

static void host_free(Device *d, void *queue, const wf_allocator *al, void *p,
                      size_t size)
{
    void *block;

    (void)d;
    (void)queue;
    memcpy(&block, (char *)p - sizeof(void *), sizeof block);
    mem_free(al, block, size + ALIGN + sizeof(void *));
}

static bool host_copy(Device *d, void *queue, void *to, const void *from, size_t size,
                      CopyKind kind)
{
    (void)d;
    (void)queue;
    (void)kind;
    memcpy(to, from, size);
    return true;
}

static bool host_memory(Device *d, size_t *out_free, size_t *out_total)
{
    long page = sysconf(_SC_PAGESIZE), all = sysconf(_SC_PHYS_PAGES);

    (void)d;
    if (page <= 0 || all <= 0)
        return false;
    *out_free = memory_available();
    *out_total = (size_t)all * (size_t)page;
    return true;
}

Device device_host = {
    .name = "cpu",
    .host_reads = true,
    .alloc = host_alloc,
    .free = host_free,
    .put_copy = host_copy,
    .memory = host_memory,
};

/* ---- no memory at all ------------------------------------------------------------------ */

static void *meta_alloc(Device *d, void *queue, const wf_allocator *al, size_t size)
{
    static _Alignas(ALIGN) char nowhere[ALIGN]; /* an address to hold; nobody reads or writes it */

    (void)d;
    (void)queue;
    (void)al;
    (void)size;
    return nowhere;
}

static void meta_free(Device *d, void *queue, const wf_allocator *al, void *p, size_t size)
{
    (void)d;
    (void)queue;
    (void)al;
    (void)p;
    (void)size;
}

Device device_meta = {
    .name = "meta",
    .label = "types without numbers",
    .blank = true,
    .ordinal = -1,
    .alloc = meta_alloc,
    .free = meta_free,
};

/* ---- memory ------------------------------------------------------------------------- */

/* The host's own is not counted: its allocator is the caller's, who can. */
void *device_alloc(Device *d, const Queue *q, const wf_allocator *al, size_t size)
{
    void *p = d->alloc(d, q ? q->impl : NULL, al, size);

    if (p && d != &device_host && !d->blank) {
        size_t held = atomic_fetch_add(&d->held, size) + size,
               peak = atomic_load(&d->peak);

        while (held > peak && !atomic_compare_exchange_weak(&d->peak, &peak, held))
            ;
    }
    return p;
}

void device_free(Device *d, const Queue *q, const wf_allocator *al, void *p, size_t size)
{
    if (!p)
        return;
    if (d != &device_host && !d->blank)
        atomic_fetch_sub(&d->held, size);
    d->free(d, q ? q->impl : NULL, al, p, size);
}

/* "400 bytes", "1.50 MiB" */
static const char *size_words(wf_ctx *cx, size_t size)
{
    if (size < 1 << 20)
        return arena_printf(&cx->errors, "%zu bytes", size);
    return arena_printf(&cx->errors, "%zu.%02zu MiB", size >> 20, (size & 0xfffff) * 100 >> 20);
}

/* A device says how much was asked for, and how much there is. */
bool device_no_memory(wf_ctx *cx, Device *d, size_t size)
{
    size_t idle = 0, total = 0;

    if (d == &device_host || !d->memory || !d->memory(d, &idle, &total))
        return fail_memory(cx);
    return fail(cx, WF_ERR_MEMORY, NOWHERE,
                "device '%s' is out of memory: %s asked for, %s of %s free, %s held by arrays and executables",
                d->name, size_words(cx, size), size_words(cx, idle), size_words(cx, total),
                size_words(cx, atomic_load(&d->held)));
}

/* ---- queues ------------------------------------------------------------------------- */

bool device_fail(wf_ctx *cx, const Device *d, const char *what)
{
    const char *why = atomic_load(&d->why);

    return fail(cx, WF_ERR_DEVICE, NOWHERE, "device '%s': %s%s%s", d->name, what,
                why ? ": " : "", why ? why : "");
}

void queue_release(Queue *q)
{
    wf_allocator al;

    if (!q || atomic_fetch_sub(&q->refs, 1) != 1)
        return;
    q->device->queue_close(q->device, q->impl);
    wf_runtime_release(q->runtime);
    al = q->al;
    mem_free(&al, q, sizeof *q);
}

Queue *queue_retain(Queue *q)
{
    if (q)
        atomic_fetch_add(&q->refs, 1);
    return q;
}

static void free_queues(wf_ctx *cx)
{
    for (Queue *q = cx->queues, *next; q; q = next) {
        next = q->next;
        queue_release(q);
    }
    cx->queues = NULL;
}

bool queue_of_ctx(wf_ctx *cx, Device *d, Queue **out)
{
    Queue *q = cx->queues;

    *out = NULL;
    if (!d->queue_open)
        return true;
    while (q && q->device != d)
        q = q->next;
    if (!q) {
        q = mem_alloc(&cx->al, sizeof *q);
        if (!q)
            return fail_memory(cx);
        *q = (Queue){.device = d, .al = cx->al, .next = cx->queues};
        q->impl = d->queue_open(d);
        if (!q->impl) {
            mem_free(&cx->al, q, sizeof *q);
            return device_fail(cx, d, "no queue can be made");
        }
        q->runtime = wf_runtime_retain(ctx_runtime(cx)); /* which has the device */
        atomic_init(&q->refs, 1);
        cx->queues = q;
        cx->queues_free = free_queues;
    }
    *out = q;
    return true;
}

/* A queue of another device is waited for by the host. */
bool queue_join(wf_ctx *cx, Queue *q, Queue *first)
{
    bool ok;

    if (!first || q == first)
        return true;
    ok = q && q->device == first->device
             ? q->device->put_join(q->device, q->impl, first->impl)
             : first->device->sync(first->device, first->impl);
    return ok || device_fail(cx, first->device, "what was put into a queue failed");
}

bool queue_sync(wf_ctx *cx, Queue *q)
{
    return !q || q->device->sync(q->device, q->impl) ||
           device_fail(cx, q->device, "what was put into a queue failed");
}

bool queue_copy(wf_ctx *cx, Device *d, Queue *q, void *to, const void *from, size_t size,
                CopyKind kind)
{
    return !size || d->put_copy(d, q ? q->impl : NULL, to, from, size, kind) ||
           device_fail(cx, d, "its memory cannot be copied");
}

/* ---- public ------------------------------------------------------------------------- */

/* GPUs are looked for when somebody asks. */
int wf_device_count(wf_ctx *cx)
{
    wf_runtime *r = cx && !ctx_elsewhere(cx) ? ctx_runtime(cx) : NULL;

#ifndef WEFT_NO_CUDA
    if (r)
        runtime_find_devices(cx, r, cuda_add_devices);
#endif
    return 1 + (r ? runtime_devices(r) : 0);
}

wf_status wf_device_get(wf_ctx *cx, int ordinal, wf_device **out_device)
{
    int n = wf_device_count(cx);

    if (!SET_OUT(cx, out_device))
        return ctx_status(cx);
    if (ordinal < 0 || ordinal >= n)
        fail(cx, WF_ERR_ARG, NOWHERE,
             "wf_device_get: device %d, but there %s %d (0 is the host)", ordinal,
             n == 1 ? "is" : "are", n);
    else
        *out_device = ordinal ? runtime_device(cx->runtime, ordinal) : &device_host;
    return ctx_status(cx);
}

/* "cpu, cuda:0, cuda:1" */
static const char *device_names(wf_ctx *cx, int n)
{
    Text t;

    text_init(&t, &cx->scratch);
    for (int i = 0; i < n; i++)
        text_printf(&t, "%s%s", i ? ", " : "",
                    i ? runtime_device(cx->runtime, i)->name : device_host.name);
    return text_str(&t);
}

wf_status wf_device_find(wf_ctx *cx, const char *name, wf_device **out_device)
{
    int n = wf_device_count(cx);
    const char *why;
    Region region;

    if (!SET_OUT(cx, out_device) || !NEEDS(cx, name))
        return ctx_status(cx);
    if (!strcmp(name, device_meta.name))
        *out_device = &device_meta;
    if (!strcmp(name, "gpu") || !strcmp(name, "cuda"))
        name = "cuda:0";
    for (int i = 0; i < n && !*out_device; i++) {
        Device *d = i ? runtime_device(cx->runtime, i) : &device_host;

        if (!strcmp(d->name, name))
            *out_device = d;
    }
    if (*out_device || !api_enter_(cx, &region))
        return ctx_status(cx);
    why = runtime_missing(ctx_runtime(cx));
    fail(cx, WF_ERR_ARG, NOWHERE, "there is no device '%s': there %s %s%s%s%s", name,
         n == 1 ? "is" : "are", device_names(cx, n), *why ? " (" : "", why, *why ? ")" : "");
    api_leave(cx, &region);
    return ctx_status(cx);
}

const char *wf_device_name(const wf_device *d) { return d ? d->name : ""; }
const char *wf_device_label(const wf_device *d)
{
    return !d ? "" : d->label ? d->label : d->name;
}
const char *wf_device_features(const wf_device *d)
{
    return d && d->features ? d->features : "";
}
int wf_device_ordinal(const wf_device *d) { return d ? d->ordinal : 0; }
bool wf_device_host_reads(const wf_device *d) { return d && d->host_reads; }

wf_status wf_device_memory(wf_ctx *cx, wf_device *d, wf_memory_stats *out_stats)
{
    wf_memory_stats s = {0};

    if (!NEEDS(cx, d && out_stats && out_stats->size >= sizeof out_stats->size))
        return ctx_status(cx);
    s.size = out_stats->size;
    s.held = atomic_load(&d->held);
    s.peak = atomic_load(&d->peak);
    s.reserved = atomic_load(&d->reserved);
    if (!d->memory || !d->memory(d, &s.free, &s.total))
        s.free = s.total = 0;
    memcpy(out_stats, &s, MIN(s.size, sizeof s));
    return ctx_status(cx);
}

wf_status wf_device_reset_peak(wf_ctx *cx, wf_device *d)
{
    if (NEEDS(cx, d))
        atomic_store(&d->peak, atomic_load(&d->held));
    return ctx_status(cx);
}

wf_status wf_device_trim(wf_ctx *cx, wf_device *d)
{
    if (!NEEDS(cx, d))
        return ctx_status(cx);
    for (Queue *q = cx->queues; q; q = q->next)
        if (q->device == d && d->trim)
            d->trim(d, q->impl);
    return ctx_status(cx);
}

wf_status wf_device_sync(wf_ctx *cx, wf_device *d)
{
    if (failed(cx))
        return ctx_status(cx);
    for (Queue *q = cx->queues; q; q = q->next)
        if (q->device == d && !queue_sync(cx, q))
            break;
    return ctx_status(cx);
}

#ifdef WEFT_NO_CUDA
const char *wf_op_on_gpu(int i) { return i < 0 ? "" : ""; }
#endif
