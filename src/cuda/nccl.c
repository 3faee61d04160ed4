/* nccl.c -- exchanges between GPUs of several processes, by NCCL.
 *
 * A communicator is one that does not wait: a call is back at once, and the library is asked whether it is done, so that
 * somebody who never comes is noticed. Its work is put into the stream of the queue, in whose order it is done; who waits for
 * a stream asks meanwhile whether the other members are there (cuda_wait). If one is not, or the library reports an error,
 * all communicators of the GPU are ended, which ends what they have in streams, and the wait with it.
 *
 * The order of sums is the library's: the same in every run on the same machines, not that of the ranks.
 */
#include "cuda/cuda.h"
#include "world/world.h"

#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { NCCL_SUCCESS = 0, NCCL_IN_PROGRESS = 7 };
enum {
    NCCL_I8 = 0,
    NCCL_U8,
    NCCL_I32,
    NCCL_U32,
    NCCL_I64,
    NCCL_U64,
    NCCL_F16,
    NCCL_F32,
    NCCL_F64,
    NCCL_BF16,
    NCCL_NONE = -1
};

#define NOT_READY 600 /* cuEventQuery */
#define SPINS     200
#define ASK_EVERY 1e-3 /* seconds */

struct CudaLink {
    CudaLink *next; /* of the same device */
    Cuda *d;
    CuHandle comm;
    LinkWatch watch;
    int members, me;
    bool dead;
    char why[256]; /* it is */
};

typedef struct NcclConfig { /* of version 2.18; later ones have more behind */
    size_t size;
    unsigned magic, version;
    int blocking, cga_cluster, least, most;
    const char *net;
    int split_share;
} NcclConfig;

/* ---- waiting -------------------------------------------------------------------------- */

static const char *result_text(int r)
{
    static const char *const texts[] = {"success",
                                        "a call of CUDA failed",
                                        "a call of the system failed",
                                        "an internal error",
                                        "a wrong argument",
                                        "wrong use",
                                        "another process failed, or the network",
                                        "in progress"};

    return r >= 0 && r < (int)COUNT(texts) ? texts[r] : "unknown";
}

typedef struct Patience { /* of one wait */
    double since, asked;
    int spins;
} Patience;

static void wait_a_bit(Patience *p)
{
    if (p->spins++ < SPINS)
        sched_yield();
    else
        nanosleep(&(struct timespec){0, 50 * 1000}, NULL);
}

/* Now and then. False with why. */
static bool still_there(const CudaLink *l, Patience *p, char *why, size_t n)
{
    double now = clock_seconds();

    if (p->since <= 0)
        p->since = now;
    if (now - p->asked < ASK_EVERY && p->asked > 0)
        return true;
    p->asked = now;
    return l->watch.ask(l->watch.user, now - p->since, why, n);
}

static void end_link(CudaLink *l, const char *why)
{
    if (l->dead)
        return;
    l->dead = true;
    snprintf(l->why, sizeof l->why, "%s", why);
    if (l->comm)
        l->d->l->nccl.ncclCommAbort(l->comm);
    l->comm = NULL;
}

/* The answer of a call, when there is one. */
static bool answered(CudaLink *l, int answer, char *why, size_t n)
{
    Patience p = {0};

    while (answer == NCCL_IN_PROGRESS) {
        if (l->d->l->nccl.ncclCommGetAsyncError(l->comm, &answer) != NCCL_SUCCESS)
            answer = 3;
        if (answer != NCCL_IN_PROGRESS)
            break;
        if (!still_there(l, &p, why, n)) {
            end_link(l, why);
            return false;
        }
        wait_a_bit(&p);
    }
    if (answer == NCCL_SUCCESS)
        return true;
    if (still_there(l, &(Patience){0}, why,
                    n)) /* who ended says more than that the network failed */
        snprintf(why, n, "nccl: %s", result_text(answer));
    end_link(l, why);
    return false;
}

/* Does any link of the device fail? Then all are ended: they may wait for each other. */
static bool links_go_on(Cuda *d, Patience *p, char *why, size_t n)
{
    bool ok = true;

    pthread_mutex_lock(&d->lock);
    for (CudaLink *l = d->links; l && ok; l = l->next) {
        Patience mine = *p;
        int state = NCCL_SUCCESS;

        if (l->dead)
            continue;
        ok = still_there(l, &mine, why, n);
        if (ok && d->l->nccl.ncclCommGetAsyncError(l->comm, &state) == NCCL_SUCCESS &&
            state != NCCL_SUCCESS && state != NCCL_IN_PROGRESS) {
            snprintf(why, n, "nccl: %s", result_text(state));
            ok = false;
        }
    }
    for (CudaLink *l = d->links; l && !ok; l = l->next)
        end_link(l, why);
    pthread_mutex_unlock(&d->lock);
    p->asked = clock_seconds();
    return ok;
}

static bool has_links(Cuda *d)
{
    bool some = false;

    pthread_mutex_lock(&d->lock);
    for (const CudaLink *l = d->links; l; l = l->next)
        some = some || !l->dead;
    pthread_mutex_unlock(&d->lock);
    return some;
}

static bool say(Cuda *d, const char *why)
{
    if (!atomic_exchange(&d->said, true)) {
        snprintf(d->why, sizeof d->why, "an exchange: %.140s", why);
        atomic_store(&d->device.why, d->why);
    }
    return false;
}

bool cuda_wait(Cuda *d, CuHandle event)
{
    Patience p = {.since = clock_seconds()};
    char why[256];
    int r;

    if (!has_links(d))
        return cuda_ok(d, d->l->cu.cuEventSynchronize(event), "a kernel");
    while ((r = d->l->cu.cuEventQuery(event)) == NOT_READY) {
        if (clock_seconds() - p.asked > ASK_EVERY && !links_go_on(d, &p, why, sizeof why))
            return say(d, why);
        wait_a_bit(&p);
    }
    return cuda_ok(d, r, "a kernel");
}

/* ---- links ---------------------------------------------------------------------------- */

static bool nccl_ready(Device *device, wf_ctx *cx, unsigned char who[16], char *why,
                       size_t n)
{
    Cuda *d = (Cuda *)device;

    if (!cuda_open_nccl(cx, d->l)) {
        snprintf(why, n, "%s", d->l->nccl_why);
        return false;
    }
    return cuda_enter(d) && d->l->cu.cuDeviceGetUuid_v2(who, d->number) == 0;
}

static bool nccl_id(Device *device, char *id, char *why, size_t n)
{
    Cuda *d = (Cuda *)device;
    NcclId made;
    int r = d->l->nccl.ncclGetUniqueId(&made);

    memcpy(id, made.bytes, sizeof made.bytes);
    if (r != NCCL_SUCCESS)
        snprintf(why, n, "ncclGetUniqueId: %s", result_text(r));
    return r == NCCL_SUCCESS;
}

static void *nccl_open(Device *device, const char *id, int members, int me,
                       LinkWatch watch, char *why, size_t n)
{
    Cuda *d = (Cuda *)device;
    NcclConfig config = {sizeof config, 0xcafebeef, 21800, 0,      INT_MIN,
                         INT_MIN,       INT_MIN,    NULL,  INT_MIN};
    CudaLink *l = mem_alloc(&d->al, sizeof *l);
    NcclId given;

    if (!l)
        return snprintf(why, n, "no memory"), NULL;
    *l = (CudaLink){.d = d, .watch = watch, .members = members, .me = me};
    memcpy(given.bytes, id, sizeof given.bytes);
    if (!cuda_enter(d) ||
        !answered(
            l, d->l->nccl.ncclCommInitRankConfig(&l->comm, members, given, me, &config),
            why, n)) {
        mem_free(&d->al, l, sizeof *l);
        return NULL;
    }
    pthread_mutex_lock(&d->lock);
    l->next = d->links;
    d->links = l;
    pthread_mutex_unlock(&d->lock);
    return l;
}

static void nccl_close(void *link, bool broken)
{
    CudaLink *l = link, **at = &l->d->links;
    const CudaNccl *nccl = &l->d->l->nccl;
    wf_allocator al = l->d->al;
    char why[256];

    cuda_enter(l->d);
    if (broken)
        end_link(l, "the others failed");
    if (!l->dead && answered(l, nccl->ncclCommFinalize(l->comm), why, sizeof why))
        nccl->ncclCommDestroy(l->comm);
    pthread_mutex_lock(&l->d->lock);
    while (*at != l)
        at = &(*at)->next;
    *at = l->next;
    pthread_mutex_unlock(&l->d->lock);
    mem_free(&al, l, sizeof *l);
}

/* ---- exchanges ---------------------------------------------------------------------------- */

static int type_of(wf_dtype t)
{
    switch (t) {
    case WF_I8: return NCCL_I8;
    case WF_U8: return NCCL_U8;
    case WF_I32: return NCCL_I32;
    case WF_U32: return NCCL_U32;
    case WF_I64: return NCCL_I64;
    case WF_U64: return NCCL_U64;
    case WF_F16: return NCCL_F16;
    case WF_BF16: return NCCL_BF16;
    case WF_F32: return NCCL_F32;
    case WF_F64: return NCCL_F64;
    default: return NCCL_NONE;
    }
}

/* Sums of complex numbers are those of their parts; the largest of truths is that of bytes. */
static int reduced_as(const Job *j, size_t *count)
{
    bool largest = j->how == COMBINE_MAX || j->how == COMBINE_MIN;

    *count = (size_t)j->count * (dtype_is_complex(j->dtype) ? 2 : 1);
    if (dtype_is_complex(j->dtype))
        return j->how == COMBINE_SUM ? j->dtype == WF_C64 ? NCCL_F32 : NCCL_F64
                                     : NCCL_NONE;
    return j->dtype == WF_BOOL && largest ? NCCL_U8 : type_of(j->dtype);
}

static bool nccl_has(const Job *j)
{
    size_t count;

    switch (j->kind) {
    case JOB_REDUCE:
        return !j->nparts && j->how <= COMBINE_MIN && reduced_as(j, &count) != NCCL_NONE;
    case JOB_SCATTER_REDUCE:
        return j->how <= COMBINE_MIN && reduced_as(j, &count) != NCCL_NONE;
    case JOB_GATHER:
    case JOB_BROADCAST:
    case JOB_ALL_TO_ALL: return true;
    default: return false;
    }
}

/* From each to each, in one group of calls; what stays here is copied. */
static int put_all_to_all(CudaLink *l, CudaQueue *q, const Job *j)
{
    const CudaNccl *nccl = &l->d->l->nccl;
    const char *in = j->in;
    char *out = j->out;
    int r = nccl->ncclGroupStart(), end;

    for (int k = 0; k < l->members; in += j->give[k], out += j->take[k], k++) {
        if (k == l->me) {
            if (j->give[k] && l->d->l->cu.cuMemcpyDtoDAsync_v2(
                                  (CuPtr)(uintptr_t)out, (CuPtr)(uintptr_t)in,
                                  (size_t)j->give[k], q->stream) != 0)
                r = 1;
            continue;
        }
        if (!r && j->give[k])
            r = nccl->ncclSend(in, (size_t)j->give[k], NCCL_I8, k, l->comm, q->stream);
        if (!r && j->take[k])
            r = nccl->ncclRecv(out, (size_t)j->take[k], NCCL_I8, k, l->comm, q->stream);
    }
    end = nccl->ncclGroupEnd();
    return r ? r : end;
}

/* To one alone. */
static int put_gather(CudaLink *l, CudaQueue *q, const Job *j)
{
    const CudaNccl *nccl = &l->d->l->nccl;
    const size_t bytes = (size_t)j->count;
    int r, end;

    if (j->root < 0)
        return nccl->ncclAllGather(j->in, j->out, bytes, NCCL_I8, l->comm, q->stream);
    r = nccl->ncclGroupStart();
    if (l->me != j->root && !r)
        r = nccl->ncclSend(j->in, bytes, NCCL_I8, j->root, l->comm, q->stream);
    for (int k = 0; k < l->members && l->me == j->root && !r; k++) {
        char *to = (char *)j->out + (size_t)k * bytes;

        r = k != l->me ? nccl->ncclRecv(to, bytes, NCCL_I8, k, l->comm, q->stream)
                       : l->d->l->cu.cuMemcpyDtoDAsync_v2((CuPtr)(uintptr_t)to,
                                                          (CuPtr)(uintptr_t)j->in, bytes,
                                                          q->stream) != 0;
    }
    end = nccl->ncclGroupEnd();
    return r ? r : end;
}

static int put_job(CudaLink *l, CudaQueue *q, const Job *j)
{
    static const int ops[] = {
        [COMBINE_SUM] = 0, [COMBINE_PRODUCT] = 1, [COMBINE_MAX] = 2, [COMBINE_MIN] = 3};
    const CudaNccl *nccl = &l->d->l->nccl;
    size_t n;
    int type;

    switch (j->kind) {
    case JOB_REDUCE:
        type = reduced_as(j, &n);
        return j->root < 0 ? nccl->ncclAllReduce(j->in, j->out, n, type, ops[j->how],
                                                 l->comm, q->stream)
                           : nccl->ncclReduce(j->in, j->out, n, type, ops[j->how],
                                              j->root, l->comm, q->stream);
    case JOB_SCATTER_REDUCE:
        type = reduced_as(j, &n);
        return nccl->ncclReduceScatter(j->in, j->out, n, type, ops[j->how], l->comm,
                                       q->stream);
    case JOB_GATHER: return put_gather(l, q, j);
    case JOB_BROADCAST:
        return nccl->ncclBroadcast(j->out, j->out, (size_t)j->count, NCCL_I8, j->root,
                                   l->comm, q->stream);
    default: return put_all_to_all(l, q, j);
    }
}

static bool nccl_put(void *link, void *queue, const Job *j, char *why, size_t n)
{
    CudaLink *l = link;

    if (l->dead) {
        snprintf(why, n, "after an earlier failure: %.200s", l->why);
        return false;
    }
    return cuda_enter(l->d) && answered(l, put_job(l, queue, j), why, n);
}

const LinkRow cuda_link = {nccl_ready, nccl_id,  nccl_open,
                           nccl_has,   nccl_put, nccl_close};
