/* lib_nccl.c -- NCCL, done by the host: a library by itself, libnccl.so.2 to whoever looks for it by name.
 *
 * GPUs are those of lib_gpu.c, whose memory is the host's. A communicator is a folder, named by its id: in an exchange every member
 * leaves a file with what it brings and reads those of the others, in a thread, while calls are in progress. What NCCL_FAKE says is
 * wrong with it, as NAME=NUMBER, and the next behind a comma:
 *
 *   version=21000    the library's version
 *   init=5           what ncclCommInitRankConfig answers
 *   error=3          the third exchange fails as if the network had
 *   hang=3           the third exchange is in the stream for ever, until the communicator is ended
 */
#include "cuda/cuda.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PROTOTYPE(name, args) __attribute__((visibility("default"))) int name args;
CUDA_NCCL(PROTOTYPE)

enum { DONE = 0, SYSTEM = 2, ARGUMENT = 4, REMOTE = 6, WORKING = 7 };
enum { REDUCE, SCATTER, GATHER, MEET, CAST, SEND, RECEIVE }; /* from CAST on, who gives does not wait for who takes */

typedef struct Call {
    int kind, type, op, other;
    const void *in;
    void *out;
    size_t n;
} Call;

typedef struct Comm_ {
    char folder[128];
    int n, me, ncalls;
    long count, begun; /* exchanges so far in which each waits for all; of any kind */
    long sent[64], got[64]; /* messages to each, from each */
    Call call[64];
    atomic_int state;
    atomic_bool ended;
    pthread_t thread;
    bool working;
} Comm_;

static long fault(const char *name, long otherwise)
{
    const char *s = getenv("NCCL_FAKE");
    size_t n = strlen(name);

    for (; s && *s; s += strcspn(s, ","), s += *s == ',')
        if (strncmp(s, name, n) == 0 && s[n] == '=')
            return atol(s + n + 1);
    return otherwise;
}

/* Events of the GPU are not reached while it is held. */
static void hold_gpu(int on)
{
    void *cuda = dlopen("libcuda.so.1", RTLD_NOLOAD | RTLD_LAZY);
    atomic_int *held = cuda ? dlsym(cuda, "gpu_held") : NULL;

    if (held)
        atomic_store(held, on);
}

/* ---- files ----------------------------------------------------------------------------- */

/* to: -1: for all, else a message of these two. */
static void name_file(const Comm_ *c, char *path, size_t n, long count, int from, int to)
{
    snprintf(path, n, "%s/%ld.%d.%d", c->folder, count, from, to);
}

/* Whole, or not there. */
static bool leave(Comm_ *c, int to, const void *data, size_t n)
{
    char path[200], part[210];
    FILE *f;

    name_file(c, path, sizeof path, to < 0 ? c->count : c->sent[to]++, c->me, to);
    snprintf(part, sizeof part, "%s.part", path);
    f = fopen(part, "wb");
    if (!f || (n && fwrite(data, 1, n, f) != n) || fclose(f) != 0)
        return false;
    return rename(part, path) == 0;
}

static bool take(Comm_ *c, int from, int to, void *data, size_t n)
{
    char path[200];
    FILE *f;
    size_t got;

    name_file(c, path, sizeof path, to < 0 ? c->count : c->got[from]++, from, to);
    while (!(f = fopen(path, "rb"))) {
        if (atomic_load(&c->ended))
            return false;
        nanosleep(&(struct timespec){0, 200 * 1000}, NULL);
    }
    got = n ? fread(data, 1, n, f) : 0;
    fclose(f);
    if (to >= 0)
        remove(path);
    return got == n;
}

/* Those of the exchange before the last, which all have read, as all were at the last. */
static void forget(const Comm_ *c, long count)
{
    char path[200];

    name_file(c, path, sizeof path, count, c->me, -1);
    remove(path);
}

/* ---- arithmetic ------------------------------------------------------------------------ */

static const size_t sizes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2};

static double combine(double x, double y, int op)
{
    return op == 0 ? x + y : op == 1 ? x * y : op == 2 ? (x > y ? x : y) : (x < y ? x : y);
}

#define EACH(T)                                                                                      \
    for (size_t i = 0; i < n; i++)                                                                   \
        ((T *)to)[i] = (T)combine((double)((T *)to)[i], (double)((const T *)from)[i], op)

static bool combine_all(void *to, const void *from, size_t n, int type, int op)
{
    switch (type) {
    case 0: EACH(int8_t); return true;
    case 1: EACH(uint8_t); return true;
    case 2: EACH(int32_t); return true;
    case 3: EACH(uint32_t); return true;
    case 4: EACH(int64_t); return true;
    case 5: EACH(uint64_t); return true;
    case 7:
        for (size_t i = 0; i < n; i++)
            ((float *)to)[i] = op ? (float)combine(((float *)to)[i], ((const float *)from)[i], op)
                                  : ((float *)to)[i] + ((const float *)from)[i];
        return true;
    case 8: EACH(double); return true;
    default: return false;
    }
}

/* ---- exchanges -------------------------------------------------------------------------- */

static bool run_reduce(Comm_ *c, const Call *k)
{
    size_t each = k->n * sizes[k->type], all = k->kind == SCATTER ? each * (size_t)c->n : each;
    char *sum = malloc(all + 1), *part = malloc(all + 1);
    bool ok = leave(c, -1, k->in, all) && take(c, 0, -1, sum, all);

    for (int m = 1; m < c->n && ok; m++)
        ok = take(c, m, -1, part, all) && combine_all(sum, part, all / sizes[k->type], k->type, k->op);
    if (ok && (k->other < 0 || k->other == c->me))
        memcpy(k->out, sum + (k->kind == SCATTER ? each * (size_t)c->me : 0), each);
    free(sum);
    free(part);
    return ok;
}

/* A message to each. */
static bool run_cast(Comm_ *c, const Call *k, size_t bytes)
{
    bool ok = true;

    if (k->other != c->me)
        return take(c, k->other, c->me, k->out, bytes);
    for (int m = 0; m < c->n && ok; m++)
        ok = m == c->me || leave(c, m, k->in, bytes);
    memmove(k->out, k->in, bytes);
    return ok;
}

static bool run_call(Comm_ *c, const Call *k)
{
    size_t bytes = k->n * sizes[k->type];
    bool ok;

    switch (k->kind) {
    case REDUCE:
    case SCATTER: return run_reduce(c, k);
    case CAST: return run_cast(c, k, bytes);
    case SEND: return leave(c, k->other, k->in, bytes);
    case RECEIVE: return take(c, k->other, c->me, k->out, bytes);
    default: break;
    }
    ok = leave(c, -1, k->in, bytes);
    for (int m = 0; m < c->n && ok; m++)
        ok = take(c, m, -1, k->kind == MEET ? k->out : (char *)k->out + (size_t)m * bytes, bytes);
    return ok;
}

static void *work(void *user)
{
    Comm_ *c = user;
    bool ok = true;

    for (int k = 0; k < c->ncalls && ok; k++) /* what is sent lies there before anybody waits */
        ok = c->call[k].kind != SEND || run_call(c, &c->call[k]);
    for (int k = 0; k < c->ncalls && ok; k++)
        ok = c->call[k].kind == SEND || run_call(c, &c->call[k]);
    atomic_store(&c->state, ok ? DONE : SYSTEM);
    return NULL;
}

static __thread Comm_ *grouped;
static __thread int groups;

static int start(Comm_ *c)
{
    if (c->working)
        pthread_join(c->thread, NULL);
    c->working = false;
    if (++c->begun == fault("error", -1)) {
        atomic_store(&c->state, REMOTE);
        return WORKING;
    }
    if (c->begun == fault("hang", -1)) {
        hold_gpu(1);
        return DONE;
    }
    if (c->call[0].kind < CAST)
        forget(c, ++c->count - 2);
    atomic_store(&c->state, WORKING);
    c->working = pthread_create(&c->thread, NULL, work, c) == 0;
    return c->working ? WORKING : SYSTEM;
}

static int put(Comm_ *c, Call k)
{
    if (k.type < 0 || k.type > 9 || (k.kind <= SCATTER && (k.type == 6 || k.type == 9)))
        return ARGUMENT;
    if (!groups)
        c->ncalls = 0;
    if (c->ncalls == 64)
        return ARGUMENT;
    if (groups && !grouped)
        c->ncalls = 0;
    c->call[c->ncalls++] = k;
    grouped = c;
    return groups ? DONE : start(c);
}

int ncclGroupStart(void)
{
    if (!groups++)
        grouped = NULL;
    return DONE;
}
int ncclGroupEnd(void)
{
    Comm_ *c = grouped;

    if (--groups || !c)
        return DONE;
    return start(c);
}
int ncclAllReduce(const void *in, void *out, size_t n, int type, int op, CuHandle comm, CuHandle stream)
{
    return stream ? put(comm, (Call){REDUCE, type, op, -1, in, out, n}) : ARGUMENT;
}
int ncclReduce(const void *in, void *out, size_t n, int type, int op, int root, CuHandle comm, CuHandle stream)
{
    return stream ? put(comm, (Call){REDUCE, type, op, root, in, out, n}) : ARGUMENT;
}
int ncclReduceScatter(const void *in, void *out, size_t n, int type, int op, CuHandle comm, CuHandle stream)
{
    return stream ? put(comm, (Call){SCATTER, type, op, -1, in, out, n}) : ARGUMENT;
}
int ncclAllGather(const void *in, void *out, size_t n, int type, CuHandle comm, CuHandle stream)
{
    return stream ? put(comm, (Call){GATHER, type, 0, -1, in, out, n}) : ARGUMENT;
}
int ncclBroadcast(const void *in, void *out, size_t n, int type, int root, CuHandle comm, CuHandle stream)
{
    return stream ? put(comm, (Call){CAST, type, 0, root, in, out, n}) : ARGUMENT;
}
int ncclSend(const void *in, size_t n, int type, int to, CuHandle comm, CuHandle stream)
{
    return stream ? put(comm, (Call){SEND, type, 0, to, in, NULL, n}) : ARGUMENT;
}
int ncclRecv(void *out, size_t n, int type, int from, CuHandle comm, CuHandle stream)
{
    return stream ? put(comm, (Call){RECEIVE, type, 0, from, NULL, out, n}) : ARGUMENT;
}

/* ---- communicators ---------------------------------------------------------------------- */

int ncclGetVersion(int *version) { return *version = (int)fault("version", 22703), DONE; }

int ncclGetUniqueId(NcclId *id)
{
    const char *at = getenv("TMPDIR");

    memset(id, 0, sizeof *id);
    snprintf(id->bytes, sizeof id->bytes, "%.90s/weft-nccl-XXXXXX", at ? at : "/tmp");
    return mkdtemp(id->bytes) ? DONE : SYSTEM;
}

/* The library's own look at it: 40 bytes of the struct, of which blocking is the third number. */
int ncclCommInitRankConfig(CuHandle *comm, int n, NcclId id, int rank, void *config)
{
    const unsigned *words = config;
    Comm_ *c = calloc(1, sizeof *c);

    if (words[2] != 0xcafebeef || words[3] < 21400 || words[4] != 0 || rank < 0 || rank >= n)
        return ARGUMENT;
    if (fault("init", 0))
        return (int)fault("init", 0);
    memcpy(c->folder, id.bytes, sizeof c->folder);
    c->n = n;
    c->me = rank;
    *comm = c;
    c->ncalls = 1; /* all meet, which is no exchange */
    c->call[0] = (Call){MEET, 0, 0, -1, "", NULL, 0};
    atomic_store(&c->state, WORKING);
    c->working = pthread_create(&c->thread, NULL, work, c) == 0;
    return WORKING;
}

int ncclCommGetAsyncError(CuHandle comm, int *state)
{
    *state = atomic_load(&((Comm_ *)comm)->state);
    return DONE;
}

/* All are done with what lies there: the last to come takes it away. */
int ncclCommFinalize(CuHandle comm)
{
    ((Comm_ *)comm)->ncalls = 0;
    return put(comm, (Call){MEET, 0, 0, -1, "", NULL, 0});
}

static int end(Comm_ *c)
{
    if (c->working)
        pthread_join(c->thread, NULL);
    for (long k = c->count < 2 ? 0 : c->count - 2; k < c->count; k++)
        forget(c, k);
    free(c);
    return DONE;
}
int ncclCommDestroy(CuHandle comm) { return end(comm); }
int ncclCommAbort(CuHandle comm)
{
    atomic_store(&((Comm_ *)comm)->ended, true);
    hold_gpu(0);
    return end(comm);
}
