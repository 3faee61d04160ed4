/* lib_device.c -- the fake device: threads with queues over memory of the host, given out
 * under addresses that no processor maps. */
#include "lib_device.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define AWAY ((uintptr_t)1 << 62) /* added to every address */

typedef enum WorkKind { WORK_COPY, WORK_ZERO, WORK_STEP, WORK_JOIN, WORK_FREE } WorkKind;

typedef struct FakeQueue FakeQueue;

typedef struct Work {
    struct Work *next;
    WorkKind kind;
    void *to;
    const void *from;
    size_t size;
    void *own; /* a copy of what came from the host */
    Frame frame;
    Root root;
    Op op;
    FakeQueue *other;
    long until;
} Work;

struct FakeQueue {
    atomic_int refs;
    Fake *fake;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    Work *first, **last;
    long put, done;
    bool quit;
};

static void *here(const void *p) { return (void *)((uintptr_t)p - AWAY); }

/* ---- work ---------------------------------------------------------------------------- */

static void drop_queue(FakeQueue *q)
{
    if (atomic_fetch_sub(&q->refs, 1) != 1)
        return;
    pthread_cond_destroy(&q->changed);
    pthread_mutex_destroy(&q->lock);
    free(q);
}

static void wait_until(FakeQueue *q, long n)
{
    pthread_mutex_lock(&q->lock);
    while (q->done < n)
        pthread_cond_wait(&q->changed, &q->lock);
    pthread_mutex_unlock(&q->lock);
}

static void run_step(Work *w)
{
    static wf_ctx quiet; /* that of the run may be gone */

    w->root.cx = &quiet;
    w->root.par = (KPar){NULL, 1, NULL};
    w->frame.root = &w->root;
    w->op.run(&w->frame, &w->op);
}

static void do_work(Fake *d, Work *w)
{
    unsigned delay = atomic_load(&d->delay);

    if (delay)
        usleep(delay);
    if (atomic_load(&d->fail_work) && atomic_fetch_sub(&d->fail_work, 1) == 1)
        atomic_store(&d->lost, true);
    if (w->kind == WORK_FREE) {
        memset(w->to, 0x55, w->size);
        free(w->to);
        atomic_fetch_sub(&d->stats.blocks, 1);
    } else if (w->kind == WORK_JOIN) {
        wait_until(w->other, w->until);
        drop_queue(w->other);
    } else if (!atomic_load(&d->lost)) {
        if (w->kind == WORK_COPY)
            memmove(w->to, w->own ? w->own : w->from, w->size);
        else if (w->kind == WORK_ZERO)
            memset(w->to, 0, w->size);
        else
            run_step(w);
    }
    free(w->own);
    free(w);
}

static void *queue_main(void *arg)
{
    FakeQueue *q = arg;

    pthread_mutex_lock(&q->lock);
    for (;;) {
        Work *w = q->first;

        if (!w && q->quit)
            break;
        if (!w) {
            pthread_cond_wait(&q->changed, &q->lock);
            continue;
        }
        q->first = w->next;
        if (!q->first)
            q->last = &q->first;
        pthread_mutex_unlock(&q->lock);
        do_work(q->fake, w);
        pthread_mutex_lock(&q->lock);
        q->done++;
        pthread_cond_broadcast(&q->changed);
    }
    pthread_mutex_unlock(&q->lock);
    return NULL;
}

static bool put(FakeQueue *q, Work work)
{
    Fake *d = q->fake;
    Work *w;

    if (work.kind != WORK_FREE && atomic_load(&d->fail_put) &&
        atomic_fetch_sub(&d->fail_put, 1) == 1)
        atomic_store(&d->lost, true);
    if (work.kind != WORK_FREE && work.kind != WORK_JOIN && atomic_load(&d->lost)) {
        free(work.own);
        return false;
    }
    w = malloc(sizeof *w);
    if (!w)
        abort();
    *w = work;
    w->next = NULL;
    pthread_mutex_lock(&q->lock);
    *q->last = w;
    q->last = &w->next;
    q->put++;
    pthread_cond_broadcast(&q->changed);
    pthread_mutex_unlock(&q->lock);
    return true;
}

/* ---- the device's functions ----------------------------------------------------------- */

static void *fake_alloc(Device *d, void *queue, const wf_allocator *al, size_t size)
{
    Fake *f = (Fake *)d;
    void *p;

    (void)queue;
    (void)al;
    if (f->room && atomic_load(&d->held) + size > f->room)
        return NULL;
    p = aligned_alloc(64, (size + 64) / 64 * 64);
    if (!p)
        return NULL;
    memset(p, 0x77, size);
    atomic_fetch_add(&f->stats.blocks, 1);
    return (void *)((uintptr_t)p + AWAY);
}

static void fake_free(Device *d, void *queue, const wf_allocator *al, void *p,
                      size_t size)
{
    (void)d;
    (void)al;
    put(queue, (Work){.kind = WORK_FREE, .to = here(p), .size = size});
}

static void *fake_queue_open(Device *d)
{
    FakeQueue *q = calloc(1, sizeof *q);

    if (!q)
        return NULL;
    q->fake = (Fake *)d;
    q->last = &q->first;
    atomic_init(&q->refs, 1);
    pthread_mutex_init(&q->lock, NULL);
    pthread_cond_init(&q->changed, NULL);
    if (pthread_create(&q->thread, NULL, queue_main, q) != 0)
        abort();
    return q;
}

static void fake_queue_close(Device *d, void *queue)
{
    FakeQueue *q = queue;

    (void)d;
    pthread_mutex_lock(&q->lock);
    q->quit = true;
    pthread_cond_broadcast(&q->changed);
    pthread_mutex_unlock(&q->lock);
    pthread_join(q->thread, NULL);
    drop_queue(q);
}

static bool fake_put_copy(Device *d, void *queue, void *to, const void *from, size_t size,
                          CopyKind kind)
{
    FakeStats *s = &((Fake *)d)->stats;
    Work w = {.kind = WORK_COPY, .size = size};

    w.to = kind == COPY_OUT ? to : here(to);
    w.from = kind == COPY_IN ? from : here(from);
    if (kind == COPY_IN) {
        w.own = malloc(size);
        if (!w.own)
            abort();
        memcpy(w.own, from, size);
    }
    atomic_fetch_add(kind == COPY_IN    ? &s->copies_in
                     : kind == COPY_OUT ? &s->copies_out
                                        : &s->copies_inside,
                     1);
    return put(queue, w);
}

static bool fake_put_copy_from(Device *d, void *queue, void *to, Device *other,
                               const void *from, size_t size)
{
    (void)other;
    atomic_fetch_add(&((Fake *)d)->stats.copies_across, 1);
    return put(
        queue,
        (Work){.kind = WORK_COPY, .to = here(to), .from = here(from), .size = size});
}

static bool fake_put_zero(Device *d, void *queue, void *to, size_t size)
{
    (void)d;
    return put(queue, (Work){.kind = WORK_ZERO, .to = here(to), .size = size});
}

static bool fake_put_join(Device *d, void *queue, void *other)
{
    FakeQueue *o = other;
    long until;

    atomic_fetch_add(&((Fake *)d)->stats.joins, 1);
    atomic_fetch_add(&o->refs, 1);
    pthread_mutex_lock(&o->lock);
    until = o->put;
    pthread_mutex_unlock(&o->lock);
    return put(queue, (Work){.kind = WORK_JOIN, .other = o, .until = until});
}

static bool fake_sync(Device *d, void *queue)
{
    FakeQueue *q = queue;
    long n;

    pthread_mutex_lock(&q->lock);
    n = q->put;
    pthread_mutex_unlock(&q->lock);
    wait_until(q, n);
    return !atomic_load(&((Fake *)d)->lost);
}

static void found(void *user, const Sub *s)
{
    (void)s;
    *(bool *)user = true;
}

/* Steps that need nothing but their memory. */
static bool fake_has(Device *d, const Program *p, const Eqn *e)
{
    FakeNative native = ((Fake *)d)->native;
    bool subs = false;

    (void)p;
    attr_each_sub(op_row(e->op), e->attr, found, &subs);
    if (subs || !bind_row(e->op).bind || e->op == OP_conv_general || e->op == OP_gather ||
        bind_row(e->op).bind == bind_scatter || op_has(e->op, OPF_DEFINES))
        return false;
    return native == NATIVE_ALL || (native == NATIVE_SOME && e->op % 2);
}

/* The addresses as they are now: the host goes on to change them. */
static bool fake_put_step(Device *d, void *queue, const Frame *f, const Op *op)
{
    uint32_t n = base_dyn(f->plan, 0);
    uintptr_t *base = malloc((n + 1) * sizeof *base);
    Work w = {.kind = WORK_STEP, .frame = *f, .root = *f->root, .op = *op, .own = base};

    if (!base)
        abort();
    for (uint32_t i = 0; i < n; i++)
        base[i] = i == base_const(f->plan) ? f->base[i] : f->base[i] - AWAY;
    w.frame.base = base;
    atomic_fetch_add(&((Fake *)d)->stats.steps, 1);
    return put(queue, w);
}

static bool fake_memory(Device *d, size_t *out_free, size_t *out_total)
{
    size_t room = ((Fake *)d)->room;

    *out_total = room;
    *out_free = room ? room - atomic_load(&d->held) : 0;
    return room != 0;
}

/* ---- runtimes with it ------------------------------------------------------------------ */

static void fake_close(Device *d)
{
    free((void *)(uintptr_t)d->name);
    free(d);
}

wf_runtime *fake_runtime(int n, FakeNative native)
{
    wf_runtime *r = wf_runtime_new(NULL);

    for (int i = 0; r && i < n; i++) {
        Fake *f = calloc(1, sizeof *f);
        char *name = malloc(16);

        if (!f || !name)
            abort();
        snprintf(name, 16, "fake:%d", i);
        f->device = (Device){.name = name,
                             .alloc = fake_alloc,
                             .free = fake_free,
                             .queue_open = fake_queue_open,
                             .queue_close = fake_queue_close,
                             .put_copy = fake_put_copy,
                             .put_copy_from = fake_put_copy_from,
                             .put_zero = fake_put_zero,
                             .put_join = fake_put_join,
                             .sync = fake_sync,
                             .has = fake_has,
                             .put_step = fake_put_step,
                             .memory = fake_memory};
        f->native = native;
        f->device.ordinal = runtime_add_device(r, &f->device, fake_close);
    }
    return r;
}

wf_ctx *fake_context(wf_runtime *r)
{
    return wf_ctx_new(&(wf_options){.size = sizeof(wf_options), .runtime = r});
}

Fake *fake_of(wf_ctx *cx, int ordinal)
{
    wf_device *d = NULL;

    wf_device_get(cx, ordinal, &d);
    return (Fake *)d;
}
