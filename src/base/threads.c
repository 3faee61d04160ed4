/* threads.c -- the pool: one parallel loop at a time on a fixed set of threads.
 *
 * A job is published in one 64-bit word, the ticket: number of the job, and how many of
 * its tasks are not yet claimed. Threads claim tasks by lowering it with
 * compare-and-swap: a share of what is left, so that many small tasks are not a queue at
 * one word, down to one at a time towards the end. The fields of the job are read before
 * that and are right if it succeeds, for then the job is still going on and its caller
 * has not moved to the next.
 * So nobody waits for workers that come late, and a worker that sleeps through a job
 * costs it nothing.
 *
 * Workers look out for the next job for SPIN seconds before they sleep: the loops of one
 * run follow each other within microseconds. So does the caller for the end of the last
 * tasks.
 *
 * A caller that finds the pool taken (by another thread, or by itself: a task inside a
 * task) does its tasks alone. A child process after fork has no workers; the first job it
 * brings makes new ones. A task must not itself fork and go on in the child.
 */
#include "base.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#define SPIN       300e-6 /* seconds */
#define CACHE_LINE 64 /* what different threads write stays a line apart */
#define REVIVING   (-1)
#define CLAIMS     4 /* a thread claims one in so many of its share of the tasks left */

typedef void (*TaskFn)(void *user, int i);
typedef void (*HostFn)(void *user, int n, TaskFn task, void *task_user);

struct Pool {
    wf_allocator al;
    int threads; /* the caller's included */
    int workers; /* threads started */
    double spin; /* 0 when there are more threads than cores */
    HostFn host; /* the host's own threads, or NULL */
    void *host_user;
    _Atomic int pid;   /* of the process that has the workers */
    _Atomic int taken; /* a caller is at work */

    char apart0[CACHE_LINE];
    _Atomic uint64_t ticket; /* job << 32 | tasks not yet claimed */
    _Atomic int seats;       /* workers that may still join */
    _Atomic(TaskFn) fn;
    _Atomic(void *) user;
    _Atomic int n;
    _Atomic(PoolWatch *) watch; /* the caller's, or NULL */

    char apart1[CACHE_LINE];
    _Atomic int unfinished; /* tasks of the job whose end was not yet reported */

    char apart2[CACHE_LINE];
    _Atomic int sleepers, caller_sleeps, quit, numbered;
    pthread_mutex_t lock;
    pthread_cond_t wake, done;
    pthread_t ids[];
};

static void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static uint32_t unclaimed(Pool *p) { return (uint32_t)atomic_load(&p->ticket); }

/* ---- tasks ------------------------------------------------------------------------- */

static _Thread_local PoolWatch *watching;

PoolWatch *pool_watch(PoolWatch *w)
{
    PoolWatch *old = watching;

    watching = w;
    return old;
}

static void note(PoolWatch *w, int me, double start)
{
    uint32_t i = atomic_fetch_add(&w->n, 1);

    if (i < w->room)
        w->v[i] = (PoolSpan){start, clock_seconds(), me};
}

/* Claim and do tasks until none is left, then report how many were done. me: 0, the caller, or a worker. */
static void do_tasks(Pool *p, int me)
{
    uint64_t t = atomic_load(&p->ticket);
    PoolWatch *watch = NULL;
    double start = 0;
    int done = 0;

    while ((uint32_t)t) {
        TaskFn fn = atomic_load_explicit(&p->fn, memory_order_relaxed);
        void *user = atomic_load_explicit(&p->user, memory_order_relaxed);
        PoolWatch *w = atomic_load_explicit(&p->watch, memory_order_relaxed);
        int n = atomic_load_explicit(&p->n, memory_order_relaxed), first, end;
        uint32_t claim = (uint32_t)t / (uint32_t)(CLAIMS * p->threads);

        claim = claim ? claim : 1;
        if (!atomic_compare_exchange_weak(&p->ticket, &t, t - claim))
            continue;
        if (w && me && !done) {
            watch = w;
            start = clock_seconds();
        }
        first = n - (int)(uint32_t)t;
        for (end = first + (int)claim; first < end; first++, done++)
            fn(user, first);
        t = atomic_load(&p->ticket);
    }
    if (watch)
        note(watch, me, start);
    if (done && atomic_fetch_sub(&p->unfinished, done) == done &&
        atomic_load(&p->caller_sleeps)) {
        pthread_mutex_lock(&p->lock);
        pthread_cond_signal(&p->done);
        pthread_mutex_unlock(&p->lock);
    }
}

static bool is_work(Pool *p)
{
    return (unclaimed(p) != 0 && atomic_load(&p->seats) > 0) || atomic_load(&p->quit);
}

/* A seat of a job that is over gives one more in the next: the number is a wish. */
static bool sit_down(Pool *p)
{
    int free = atomic_load(&p->seats);

    while (free > 0)
        if (atomic_compare_exchange_weak(&p->seats, &free, free - 1))
            return true;
    return false;
}

static bool is_finished(Pool *p) { return atomic_load(&p->unfinished) == 0; }

/* Look for the event for a while; false if it did not come. */
static bool spin_for(Pool *p, bool (*event)(Pool *p))
{
    double until;
    int i;

    if (event(p))
        return true;
    if (p->spin <= 0)
        return false;
    until = clock_seconds() + p->spin;
    do {
        for (i = 0; i < 32; i++) {
            relax();
            if (event(p))
                return true;
        }
    } while (clock_seconds() < until);
    return false;
}

static void *worker_main(void *arg)
{
    Pool *p = arg;
    int me = 1 + atomic_fetch_add(&p->numbered, 1);

    while (!atomic_load(&p->quit)) {
        if (!spin_for(p, is_work)) {
            pthread_mutex_lock(&p->lock);
            atomic_fetch_add(&p->sleepers, 1);
            while (!is_work(p))
                pthread_cond_wait(&p->wake, &p->lock);
            atomic_fetch_sub(&p->sleepers, 1);
            pthread_mutex_unlock(&p->lock);
        }
        if (sit_down(p))
            do_tasks(p, me);
    }
    return NULL;
}

/* A worker that goes to sleep counts itself before it looks at the ticket a last time,
 * and the caller counts sleepers after it wrote the ticket: one of the two sees the
 * other. */
static void wake_workers(Pool *p, int n)
{
    int i;

    if (atomic_load(&p->sleepers) == 0)
        return;
    pthread_mutex_lock(&p->lock);
    if (n >= p->workers)
        pthread_cond_broadcast(&p->wake);
    for (i = 0; i < n && n < p->workers; i++)
        pthread_cond_signal(&p->wake);
    pthread_mutex_unlock(&p->lock);
}

static void run_job(Pool *p, int most, int n, TaskFn fn, void *user)
{
    uint64_t job = (atomic_load(&p->ticket) >> 32) + 1;

    atomic_store_explicit(&p->fn, fn, memory_order_relaxed);
    atomic_store_explicit(&p->user, user, memory_order_relaxed);
    atomic_store_explicit(&p->n, n, memory_order_relaxed);
    atomic_store_explicit(&p->watch, watching, memory_order_relaxed);
    atomic_store(&p->unfinished, n);
    atomic_store(&p->seats, most - 1);
    atomic_store(&p->ticket, job << 32 | (uint32_t)n);
    wake_workers(p, MIN(n, most) - 1);
    do_tasks(p, 0);
    if (spin_for(p, is_finished))
        return;
    pthread_mutex_lock(&p->lock);
    atomic_store(&p->caller_sleeps, 1);
    while (!is_finished(p))
        pthread_cond_wait(&p->done, &p->lock);
    atomic_store(&p->caller_sleeps, 0);
    pthread_mutex_unlock(&p->lock);
}

/* ---- life -------------------------------------------------------------------------- */

/* Workers take no signals: those are for the host's threads. Fewer than wished if the
 * system has no more. */
static void start_workers(Pool *p)
{
    sigset_t all, old;
    int i;

    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->wake, NULL);
    pthread_cond_init(&p->done, NULL);
    p->spin = p->threads <= cpu_count() ? SPIN : 0;
    p->workers = 0;
    atomic_store(&p->numbered, 0);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    for (i = 0; i < p->threads - 1; i++) {
        if (pthread_create(&p->ids[i], NULL, worker_main, p) != 0)
            break;
#if defined(__linux__)
        pthread_setname_np(p->ids[i], "weft");
#endif
        p->workers++;
    }
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}

static size_t pool_size(int threads)
{
    return sizeof(Pool) + (size_t)(threads - 1) * sizeof(pthread_t);
}

Pool *pool_new_with(const wf_allocator *al, int threads, HostFn host, void *host_user)
{
    Pool *p;

    threads = threads > 0 ? MIN(threads, THREADS_MAX) : cpu_count();
    p = mem_alloc(al, pool_size(threads));
    if (!p)
        return NULL;
    memset(p, 0, pool_size(threads));
    p->al = *al;
    p->threads = threads;
    p->host = host;
    p->host_user = host_user;
    atomic_store(&p->pid, (int)getpid());
    if (!host)
        start_workers(p);
    return p;
}

Pool *pool_new(const wf_allocator *al, int threads)
{
    return pool_new_with(al, threads, NULL, NULL);
}

/* In a child process that never used the pool there are no workers to join, and the state
 * of the locks is not known. */
void pool_free(Pool *p)
{
    wf_allocator al;
    int i;

    if (!p)
        return;
    if (!p->host && atomic_load(&p->pid) == (int)getpid()) {
        pthread_mutex_lock(&p->lock);
        atomic_store(&p->quit, 1);
        pthread_cond_broadcast(&p->wake);
        pthread_mutex_unlock(&p->lock);
        for (i = 0; i < p->workers; i++)
            pthread_join(p->ids[i], NULL);
        pthread_cond_destroy(&p->wake);
        pthread_cond_destroy(&p->done);
        pthread_mutex_destroy(&p->lock);
    }
    al = p->al;
    mem_free(&al, p, pool_size(p->threads));
}

int pool_threads(const Pool *p) { return p ? p->threads : 1; }

/* After fork: forget the parent's workers and start our own. One thread does it. */
static bool revive(Pool *p, int old, int pid)
{
    if (old == REVIVING || !atomic_compare_exchange_strong(&p->pid, &old, REVIVING))
        return false;
    atomic_store(&p->ticket, 0);
    atomic_store(&p->unfinished, 0);
    atomic_store(&p->sleepers, 0);
    atomic_store(&p->caller_sleeps, 0);
    atomic_store(&p->taken, 0);
    if (!p->host)
        start_workers(p);
    atomic_store(&p->pid, pid);
    return true;
}

static bool take(Pool *p)
{
    int pid = (int)getpid(), owner = atomic_load(&p->pid);

    if (owner != pid && !revive(p, owner, pid))
        return false;
    if (p->workers == 0 && !p->host)
        return false;
    return atomic_load(&p->taken) == 0 && atomic_exchange(&p->taken, 1) == 0;
}

void pool_run(Pool *p, int n, void (*fn)(void *user, int i), void *user)
{
    pool_run_most(p, THREADS_MAX, n, fn, user);
}

void pool_run_most(Pool *p, int most, int n, void (*fn)(void *user, int i), void *user)
{
    int i;

    if (n <= 1 || most <= 1 || !p || !take(p)) {
        for (i = 0; i < n; i++)
            fn(user, i);
        return;
    }
    if (p->host)
        p->host(p->host_user, n, fn, user);
    else
        run_job(p, most, n, fn, user);
    atomic_store(&p->taken, 0);
}
