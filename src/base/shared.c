/* shared.c -- runtimes: what contexts share.
 *
 * The standard runtime is made when a context first needs one and goes with the last
 * context that has it. Which one that is stands in a static variable, the only mutable one
 * of the library, behind a lock that fork holds, so that a child finds it in order.
 *
 *   a context with        has
 *   a runtime             that one
 *   an allocator, host's  one of its own, with these
 *   threads, or a number
 *   of threads
 *   nothing of this       the standard one
 */
#include "base.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { FIND_NOT_YET, FIND_NOW, FIND_DONE };

typedef struct OwnKernel { /* never changed, and freed with the runtime */
    struct OwnKernel *next;
    wf_kernel k;
    char name[];
} OwnKernel;

typedef struct OwnCode {
    struct OwnCode *next;
    Hash key;
    size_t size;
    char bytes[];
} OwnCode;

struct wf_runtime {
    int refs; /* behind the lock */
    _Atomic(OwnKernel *) kernels; /* changed behind the lock */
    _Atomic(OwnCode *) codes;
    bool standard;
    wf_allocator al;
    int threads;
    void (*parallel)(void *user, int n, void (*task)(void *task_user, int i),
                     void *task_user);
    void *parallel_user;
    _Atomic(Pool *) pool; /* made at need */
    wf_device *device[DEVICES_MOST]; /* but the host; device[i] has the number i + 1 */
    void (*device_close)(wf_device *d);
    int ndevices; /* behind the lock */
    pthread_mutex_t finding;
    atomic_int found; /* devices: FIND_ */
    char missing[240]; /* why there are no others, or not more: written while they are found */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static wf_runtime *standard;

static void take_lock(void) { pthread_mutex_lock(&lock); }
static void give_lock(void) { pthread_mutex_unlock(&lock); }

static void watch_fork(void) { pthread_atfork(take_lock, give_lock, give_lock); }

/* ---- life -------------------------------------------------------------------------- */

static wf_runtime *make_runtime(const wf_runtime_options *o)
{
    wf_runtime *r = mem_alloc(&o->allocator, sizeof *r);

    if (!r)
        return NULL;
    *r = (wf_runtime){.finding = PTHREAD_MUTEX_INITIALIZER,
                      .refs = 1,
                      .al = o->allocator,
                      .threads = MAX(o->threads, 0),
                      .parallel = o->parallel,
                      .parallel_user = o->parallel_user};
    return r;
}

wf_runtime *wf_runtime_new(const wf_runtime_options *options)
{
    wf_runtime_options o = {.size = sizeof o};

    if (options && options->size < sizeof options->size)
        return NULL; /* it is not set: what was asked for would be ignored */
    if (options)
        memcpy(&o, options, MIN(options->size, sizeof o));
    if (!o.allocator.resize)
        o.allocator = alloc_default;
    return make_runtime(&o);
}

wf_runtime *wf_runtime_retain(wf_runtime *r)
{
    if (r) {
        take_lock();
        r->refs++;
        give_lock();
    }
    return r;
}

static size_t kernel_bytes(const char *name)
{
    return sizeof(OwnKernel) + strlen(name) + 1;
}

void wf_runtime_release(wf_runtime *r)
{
    wf_allocator al;
    bool last;

    if (!r)
        return;
    take_lock();
    last = --r->refs == 0;
    if (last && standard == r)
        standard = NULL;
    give_lock();
    if (!last)
        return;
    pool_free(atomic_load(&r->pool));
    for (int i = 0; i < r->ndevices; i++)
        r->device_close(r->device[i]);
    al = r->al;
    for (OwnKernel *k = atomic_load(&r->kernels), *next; k; k = next) {
        next = k->next;
        mem_free(&al, k, kernel_bytes(k->name));
    }
    for (OwnCode *c = atomic_load(&r->codes), *next; c; c = next) {
        next = c->next;
        mem_free(&al, c, sizeof *c + c->size);
    }
    mem_free(&al, r, sizeof *r);
}

static wf_runtime *standard_runtime(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    wf_runtime *r;

    pthread_once(&once, watch_fork);
    take_lock();
    r = standard;
    if (r)
        r->refs++;
    else
        r = standard = make_runtime(&(wf_runtime_options){.allocator = alloc_default});
    give_lock();
    return r;
}

wf_runtime *ctx_runtime(wf_ctx *cx)
{
    const wf_options *o = &cx->options;
    bool plain = cx->al.resize == alloc_default.resize && !o->parallel && !o->threads;

    if (cx->runtime)
        return cx->runtime;
    if (plain)
        cx->runtime = standard_runtime();
    else
        cx->runtime =
            make_runtime(&(wf_runtime_options){.allocator = cx->al,
                                               .threads = o->threads,
                                               .parallel = o->parallel,
                                               .parallel_user = o->parallel_user});
    return cx->runtime;
}

wf_runtime *wf_ctx_runtime(wf_ctx *cx)
{
    return cx && !ctx_elsewhere(cx) ? ctx_runtime(cx) : NULL;
}

/* ---- kernels and code of the host ------------------------------------------------------ */

const wf_kernel *runtime_find_kernel(wf_runtime *r, const char *name)
{
    for (OwnKernel *k = atomic_load(&r->kernels); k; k = k->next)
        if (strcmp(k->name, name) == 0)
            return &k->k;
    return NULL;
}

static bool is_same_kernel(const wf_kernel *a, const wf_kernel *b)
{
    return a->inputs == b->inputs && a->outputs == b->outputs && a->user == b->user && a->type == b->type &&
           a->run == b->run && a->vjp == b->vjp && a->leading == b->leading;
}

const char *runtime_add_kernel(wf_runtime *r, const wf_kernel *k)
{
    OwnKernel *own = mem_alloc(&r->al, kernel_bytes(k->name));
    const wf_kernel *old;

    if (!own)
        return "out of memory";
    *own = (OwnKernel){.k = *k};
    own->k.name = strcpy(own->name, k->name);
    take_lock();
    old = runtime_find_kernel(r, k->name);
    if (!old) {
        own->next = atomic_load(&r->kernels);
        atomic_store(&r->kernels, own);
    }
    give_lock();
    if (!old)
        return NULL;
    mem_free(&r->al, own, kernel_bytes(k->name));
    return is_same_kernel(old, k) ? NULL : "the name is taken, by another kernel";
}

const void *runtime_find_code(wf_runtime *r, Hash key, size_t *out_size)
{
    OwnCode *c = atomic_load(&r->codes);

    while (c && (key.hi || key.lo) && !hash_eq(c->key, key))
        c = c->next;
    if (c)
        *out_size = c->size;
    return c ? c->bytes : NULL;
}

bool runtime_add_code(wf_runtime *r, Hash key, const void *bytes, size_t size)
{
    OwnCode *c;
    size_t n;

    if (runtime_find_code(r, key, &n))
        return true;
    if (!(c = mem_alloc(&r->al, sizeof *c + size)))
        return false;
    *c = (OwnCode){.key = key, .size = size};
    memcpy(c->bytes, bytes, size);
    take_lock();
    c->next = atomic_load(&r->codes);
    atomic_store(&r->codes, c);
    give_lock();
    return true;
}

/* ---- threads ------------------------------------------------------------------------ */

int wf_runtime_threads(const wf_runtime *r)
{
    if (!r)
        return 0;
    return r->threads ? MIN(r->threads, THREADS_MAX) : cpu_count();
}

/* Two threads may make one each; the first to end is taken. */
static Pool *runtime_pool(wf_runtime *r)
{
    Pool *p = atomic_load(&r->pool), *made;

    if (p || (!r->parallel && wf_runtime_threads(r) <= 1))
        return p;
    made = pool_new_with(&r->al, r->threads, r->parallel, r->parallel_user);
    if (!made || atomic_compare_exchange_strong(&r->pool, &p, made))
        return made;
    pool_free(made);
    return p;
}

Pool *ctx_threads(wf_ctx *cx)
{
    const wf_options *o = &cx->options;
    wf_runtime *r;

    if (cx->threads || (o->threads == 1 && !o->parallel))
        return cx->threads;
    r = ctx_runtime(cx);
    cx->threads = r ? runtime_pool(r) : NULL;
    return cx->threads;
}

int ctx_wish(const wf_ctx *cx)
{
    const wf_runtime *r = cx->options.runtime;

    return cx->options.threads ? cx->options.threads : r ? r->threads : 0;
}

void ctx_set_wish(wf_ctx *cx, int threads) { cx->options.threads = threads; }

const wf_allocator *runtime_allocator(const wf_runtime *r) { return &r->al; }

/* ---- devices ------------------------------------------------------------------------ */

int runtime_add_device(wf_runtime *r, wf_device *d, void (*close)(wf_device *d))
{
    int ordinal = 0;

    take_lock();
    if (r->ndevices < DEVICES_MOST) {
        r->device[r->ndevices] = d;
        r->device_close = close;
        ordinal = ++r->ndevices;
    }
    give_lock();
    atomic_compare_exchange_strong(&r->found, &(int){FIND_NOT_YET}, FIND_DONE);
    return ordinal;
}

void runtime_find_devices(wf_ctx *cx, wf_runtime *r, void (*find)(wf_ctx *cx, wf_runtime *r))
{
    if (atomic_load(&r->found) == FIND_DONE)
        return;
    pthread_mutex_lock(&r->finding);
    if (atomic_load(&r->found) == FIND_NOT_YET) {
        atomic_store(&r->found, FIND_NOW);
        find(cx, r);
        atomic_store(&r->found, FIND_DONE);
    }
    pthread_mutex_unlock(&r->finding);
}

int runtime_devices(wf_runtime *r)
{
    int n;

    take_lock();
    n = r->ndevices;
    give_lock();
    return n;
}

void runtime_miss_device(wf_runtime *r, const char *fmt, ...)
{
    size_t n = strlen(r->missing);
    va_list args;

    if (n && n + 2 < sizeof r->missing)
        n += (size_t)snprintf(r->missing + n, sizeof r->missing - n, "; ");
    va_start(args, fmt);
    vsnprintf(r->missing + n, sizeof r->missing - n, fmt, args);
    va_end(args);
}

const char *runtime_missing(const wf_runtime *r) { return r->missing; }

wf_device *runtime_device(wf_runtime *r, int ordinal) { return r->device[ordinal - 1]; }
