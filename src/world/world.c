/* world.c -- the processes that run together: how they are found, their groups, the lanes of what they exchange. */
#include "world/world.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

typedef struct Lane {
    pthread_t thread;
    bool started, busy; /* busy: a job runs, in whichever thread */
    Job *first, **last;
} Lane;

enum { EXCHANGES, SENDS, RECEIVES, LANES };

struct wf_comm {
    CommEngine *e;
    void *plugin; /* of dlopen, or NULL */
    pthread_mutex_t lock;
    pthread_cond_t news;
    Lane lane[LANES];
    Group *groups;
    bool quit, failed;
    char failure[256]; /* the first */
    int pid;
};

/* ---- lanes -------------------------------------------------------------------------- */

const char *job_name(JobKind k)
{
    static const char *const names[] = {"all_reduce", "reduce_scatter", "all_gather", "broadcast",
                                        "all_to_all", "average",        "send",      "recv"};

    return names[k];
}

/* ---- arrays that are reduced as one ---- */

#define BATCH (256 << 10) /* bytes that are put together, reduced, and dealt out again while they are in the cache */

typedef struct Cursor { /* in parts that are as one */
    int part;
    int64_t at;
} Cursor;

static void divide(wf_dtype t, void *out, const void *in, int64_t n, int by)
{
    for (int64_t i = 0; i < n && t == WF_F32; i++)
        ((float *)out)[i] = ((const float *)in)[i] / (float)by;
    for (int64_t i = 0; i < n && t == WF_F64; i++)
        ((double *)out)[i] = ((const double *)in)[i] / (double)by;
}

/* The next n elements to flat, or from it; by: what they are divided by then, if it is not 0. */
static void pass(const Job *j, Cursor *c, char *flat, int64_t n, bool back, int by)
{
    const int64_t size = (int64_t)wf_dtype_size(j->dtype);

    while (n > 0) {
        int64_t k = MIN(n, j->counts[c->part] - c->at), at = c->at * size;
        char *data = (char *)j->parts[c->part] + at;

        if (!back)
            memcpy(flat, j->from ? (const char *)j->from[c->part] + at : data, (size_t)(k * size));
        else if (by)
            divide(j->dtype, data, flat, k, by);
        else
            memcpy(data, flat, (size_t)(k * size));
        flat += k * size;
        n -= k;
        c->at += k;
        if (c->at == j->counts[c->part])
            *c = (Cursor){c->part + 1, 0};
    }
}

/* How many elements from the cursor on are put together: up to a batch, or a part that is large enough by itself. */
static int64_t next_batch(const Job *j, Cursor c, int64_t most, bool *alone)
{
    int64_t n = 0;

    *alone = j->kind != JOB_AVERAGE && c.at == 0 && j->counts[c.part] >= most;
    if (*alone)
        return j->counts[c.part];
    for (; c.part < j->nparts && n < most; c = (Cursor){c.part + 1, 0}) {
        if (n && j->kind != JOB_AVERAGE && j->counts[c.part] >= most)
            return n;
        n += j->counts[c.part] - c.at;
    }
    return MIN(n, most);
}

static bool reduce_parts(CommEngine *e, const Job *j)
{
    const int64_t most = BATCH / (int64_t)wf_dtype_size(j->dtype);
    const int by = j->kind == JOB_AVERAGE ? j->group->n : 0;
    char *flat = aligned_alloc(64, BATCH);
    Cursor in = {0}, out = {0};
    bool ok = flat != NULL;

    if (!ok)
        snprintf(e->error, sizeof e->error, "no memory");
    for (int64_t left = j->count, n; ok && left > 0; left -= n) {
        bool alone;

        n = next_batch(j, in, most, &alone);
        if (alone) {
            ok = e->reduce(e, j->group, j->what, j->how, j->dtype, j->from ? j->from[in.part] : j->parts[in.part],
                           j->parts[in.part], n, -1);
            in = out = (Cursor){in.part + 1, 0};
            continue;
        }
        pass(j, &in, flat, n, false, 0);
        ok = e->reduce(e, j->group, j->what, j->how, j->dtype, flat, flat, n, -1);
        if (ok)
            pass(j, &out, flat, n, true, by);
    }
    free(flat);
    return ok;
}

static void carry_out(wf_comm *w, Job *j)
{
    CommEngine *e = w->e;
    Group *g = j->group;

    switch (j->kind) {
    case JOB_REDUCE:
        j->ok = j->nparts ? reduce_parts(e, j) : e->reduce(e, g, j->what, j->how, j->dtype, j->in, j->out, j->count, j->root);
        break;
    case JOB_SCATTER_REDUCE:
        j->ok = e->scatter_reduce(e, g, j->what, j->how, j->dtype, j->in, j->out, j->count);
        break;
    case JOB_GATHER: j->ok = e->gather(e, g, j->what, j->in, j->out, j->count, j->root); break;
    case JOB_BROADCAST: j->ok = e->broadcast(e, g, j->what, j->out, j->count, j->root); break;
    case JOB_ALL_TO_ALL: j->ok = e->all_to_all(e, g, j->what, j->in, j->give, j->out, j->take); break;
    case JOB_AVERAGE: j->ok = reduce_parts(e, j); break;
    case JOB_SEND: j->ok = e->send(e, j->root, j->tag, j->in, j->count); break;
    case JOB_RECEIVE: j->ok = e->receive(e, j->root, j->tag, j->out, j->count, &j->root); break;
    }
    if (!j->ok)
        snprintf(j->error, sizeof j->error, "%s", e->error);
}

static Lane *lane_of(wf_comm *w, const Job *j)
{
    return &w->lane[j->kind == JOB_SEND ? SENDS : j->kind == JOB_RECEIVE ? RECEIVES : EXCHANGES];
}

CommEngine *world_engine(wf_comm *w) { return w->e; }

void world_fail(wf_comm *w, const char *why)
{
    pthread_mutex_lock(&w->lock);
    if (!w->failed)
        snprintf(w->failure, sizeof w->failure, "%s", why);
    w->failed = true;
    pthread_mutex_unlock(&w->lock);
}

/* With the lock, which is not held meanwhile. What failed once leaves the others in an unknown state: all after it fails. */
static void run_job(wf_comm *w, Lane *l, Job *j)
{
    l->busy = true;
    if (w->failed) {
        j->ok = false;
        snprintf(j->error, sizeof j->error, "after an earlier failure: %s", w->failure);
    } else {
        pthread_mutex_unlock(&w->lock);
        if (j->timed)
            j->span.start = clock_seconds();
        carry_out(w, j);
        if (j->timed)
            j->span.end = clock_seconds();
        pthread_mutex_lock(&w->lock);
        if (!j->ok) {
            w->failed = true;
            snprintf(w->failure, sizeof w->failure, "%s: %.200s", job_name(j->kind), j->error);
        }
    }
    l->busy = false;
    j->done = true;
    pthread_cond_broadcast(&w->news);
}

typedef struct LaneStart {
    wf_comm *w;
    Lane *l;
} LaneStart;

static void *lane_thread(void *user)
{
    LaneStart s = *(LaneStart *)user;

    free(user);
    pthread_mutex_lock(&s.w->lock);
    for (;;) {
        while (!s.w->quit && (!s.l->first || s.l->busy))
            pthread_cond_wait(&s.w->news, &s.w->lock);
        if (s.w->quit && !s.l->first)
            break;
        Job *j = s.l->first;

        s.l->first = j->next;
        if (!s.l->first)
            s.l->last = &s.l->first;
        run_job(s.w, s.l, j);
    }
    pthread_mutex_unlock(&s.w->lock);
    return NULL;
}

/* With the lock. Without a thread the job is done at once. */
static void enqueue(wf_comm *w, Lane *l, Job *j)
{
    if (!l->started) {
        LaneStart *s = malloc(sizeof *s);

        if (s)
            *s = (LaneStart){w, l};
        l->started = s && pthread_create(&l->thread, NULL, lane_thread, s) == 0;
        if (!l->started) {
            free(s);
            run_job(w, l, j);
            return;
        }
    }
    *l->last = j;
    l->last = &j->next;
    pthread_cond_broadcast(&w->news);
}

void world_start(wf_comm *w, Job *j)
{
    pthread_mutex_lock(&w->lock);
    j->next = NULL;
    j->done = false;
    enqueue(w, lane_of(w, j), j);
    pthread_mutex_unlock(&w->lock);
}

bool world_done(wf_comm *w, const Job *j)
{
    bool done;

    pthread_mutex_lock(&w->lock);
    done = j->done;
    pthread_mutex_unlock(&w->lock);
    return done;
}

static const char stop_all = 1; /* as the user of is_stopped: whatever runs */

static bool is_stopped(const void *cx) { return cx && (cx == &stop_all || cancelled(cx)); }

/* With the lock: a second, or until there is news. */
static void wait_a_while(wf_comm *w)
{
    struct timespec until;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec++;
    pthread_cond_timedwait(&w->news, &w->lock, &until);
}

static bool outcome(wf_ctx *cx, const wf_comm *w, const Job *j, bool stopped, Place place)
{
    if (!j->ok && stopped)
        return fail(cx, WF_ERR_CANCELLED, place, "%s: cancelled", job_name(j->kind));
    return j->ok || fail(cx, WF_ERR_COMM, place, "%s: rank %d of %d: %s", job_name(j->kind), w->e->rank, w->e->size,
                         j->error);
}

/* Who is cancelled stops the exchange, whose memory is the caller's, and waits for that. */
bool world_wait(wf_ctx *cx, wf_comm *w, Job *j, Place place)
{
    bool stopped = false;

    pthread_mutex_lock(&w->lock);
    while (!j->done) {
        if (cancelled(cx)) {
            stopped = true;
            w->e->stop_user = &stop_all;
        }
        wait_a_while(w);
    }
    if (stopped)
        w->e->stop_user = NULL;
    pthread_mutex_unlock(&w->lock);
    return outcome(cx, w, j, stopped, place);
}

void world_settle(wf_comm *w, const Job *j)
{
    double since = clock_seconds();

    pthread_mutex_lock(&w->lock);
    while (!j->done) {
        if (clock_seconds() - since > 1)
            w->e->stop_user = &stop_all;
        wait_a_while(w);
    }
    w->e->stop_user = NULL;
    pthread_mutex_unlock(&w->lock);
}

bool world_do(wf_ctx *cx, wf_comm *w, Job *j, Place place)
{
    Lane *l = lane_of(w, j);

    pthread_mutex_lock(&w->lock);
    j->next = NULL;
    j->done = false;
    if (l->busy || l->first) {
        enqueue(w, l, j);
        pthread_mutex_unlock(&w->lock);
        return world_wait(cx, w, j, place);
    }
    w->e->stop_user = cx;
    run_job(w, l, j);
    w->e->stop_user = NULL;
    pthread_mutex_unlock(&w->lock);
    return outcome(cx, w, j, cancelled(cx), place);
}

/* ---- groups -------------------------------------------------------------------------- */

static bool check_ranks(wf_ctx *cx, const wf_comm *w, const int *rank, int n, int *me)
{
    *me = -1;
    for (int k = 0; k < n; k++) {
        if (rank[k] < 0 || rank[k] >= w->e->size)
            return fail(cx, WF_ERR_VALUE, NOWHERE, "a group with rank %d, of %d processes", rank[k], w->e->size);
        for (int i = 0; i < k; i++)
            if (rank[i] == rank[k])
                return fail(cx, WF_ERR_VALUE, NOWHERE, "a group with rank %d twice", rank[k]);
        if (rank[k] == w->e->rank)
            *me = k;
    }
    return *me >= 0 || fail(cx, WF_ERR_VALUE, NOWHERE, "rank %d is not in the group", w->e->rank);
}

Group *world_group(wf_ctx *cx, wf_comm *w, const int *rank, int n)
{
    Group *g;
    int me, *copy;

    for (g = w->groups; g; g = g->next)
        if (g->n == n && memcmp(g->rank, rank, (size_t)n * sizeof *rank) == 0)
            return g;
    if (!check_ranks(cx, w, rank, n, &me))
        return NULL;
    pthread_mutex_lock(&w->lock); /* all join after the same exchanges */
    while (w->lane[EXCHANGES].busy || w->lane[EXCHANGES].first)
        wait_a_while(w);
    pthread_mutex_unlock(&w->lock);
    g = malloc(sizeof *g + (size_t)n * sizeof *rank);
    if (!g) {
        fail_memory(cx);
        return NULL;
    }
    copy = (int *)(void *)(g + 1);
    memcpy(copy, rank, (size_t)n * sizeof *rank);
    *g = (Group){w->groups, n, me, copy, NULL, NULL};
    if (!w->e->join(w->e, g)) {
        fail(cx, WF_ERR_COMM, NOWHERE, "rank %d: a group of %d: %s", w->e->rank, n, w->e->error);
        free(g);
        return NULL;
    }
    return w->groups = g;
}

/* ---- opening -------------------------------------------------------------------------- */

static const char *variable(const char *const *names)
{
    const char *v = NULL;

    for (; *names && !v; names++)
        v = getenv(*names);
    return v;
}

#define VARIABLE(...) variable((const char *const[]){__VA_ARGS__, NULL})

static bool number(const char *text, int from, int *out)
{
    char *end;
    long v = text ? strtol(text, &end, 10) : -1;

    if (!text || *end || end == text || v < from || v > INT32_MAX)
        return false;
    *out = (int)v;
    return true;
}

/* Letters and digits alone: part of a file's name. */
static void key_of(const wf_comm_options *o, char *key, size_t n)
{
    const char *text = o->key && *o->key ? o->key : VARIABLE("WEFT_COMM", "MASTER_PORT");
    size_t i = 0;

    for (; text && *text && i + 1 < n; text++)
        key[i++] = (*text >= '0' && *text <= '9') || (*text >= 'a' && *text <= 'z') || (*text >= 'A' && *text <= 'Z')
                       ? *text
                       : '_';
    key[i] = 0;
    if (!i) /* of one process, which meets nobody */
        snprintf(key, n, "process%ld", (long)getpid());
}

/* Beside the program or the library, in lib/weft, or where WEFT_MPI says. */
static void *load_plugin(char *error, size_t n)
{
    char path[4096];
    Dl_info here;
    const char *named = getenv("WEFT_MPI"), *slash = NULL;
    void *p = NULL;

    if (named && *named) {
        p = dlopen(named, RTLD_NOW | RTLD_LOCAL);
    } else if (dladdr((const void *)(uintptr_t)load_plugin, &here) && here.dli_fname &&
               (slash = strrchr(here.dli_fname, '/'))) {
        /* as built; installed, seen from bin, lib and lib/ARCHITECTURE */
        static const char *const at[] = {"weft_mpi.so", "../lib/weft/weft_mpi.so", "weft/weft_mpi.so",
                                         "../weft/weft_mpi.so"};

        for (size_t i = 0; i < sizeof at / sizeof *at && !p; i++) {
            snprintf(path, sizeof path, "%.*s/%s", (int)(slash - here.dli_fname), here.dli_fname, at[i]);
            p = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        }
    }
    if (!p && !(p = dlopen("weft_mpi.so", RTLD_NOW | RTLD_LOCAL)))
        snprintf(error, n, "the plug-in for MPI is not there: %s (build it with mpicc installed: tools/setup mpi; make)",
                 dlerror());
    return p;
}

static CommEngine *open_mpi(wf_comm *w, const void *comm, char *error, size_t n)
{
    union {
        void *p;
        EnginePlugin *f;
    } open;
    CommEngine *e;

    w->plugin = load_plugin(error, n);
    if (!w->plugin)
        return NULL;
    open.p = dlsym(w->plugin, "weft_engine");
    e = open.p ? open.f(comm, error, n) : NULL;
    if (!open.p)
        snprintf(error, n, "the plug-in for MPI has no weft_engine");
    if (e && e->version != ENGINE_VERSION) {
        snprintf(error, n, "the plug-in for MPI is of version %d, needs %d", e->version, ENGINE_VERSION);
        e->close(e, NULL);
        e = NULL;
    }
    return e;
}

static bool under_mpi(void)
{
    return VARIABLE("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK", "MPI_LOCALNRANKS") != NULL;
}

static CommEngine *open_shm(const wf_comm_options *o, char *error, size_t n)
{
    int rank = o->rank, size = o->ranks;
    char key[64];

    if (size == 0 && !number(VARIABLE("WORLD_SIZE", "JAX_NUM_PROCESSES"), 1, &size))
        size = 1;
    if (o->ranks == 0 && !number(VARIABLE("RANK", "JAX_PROCESS_ID"), 0, &rank))
        rank = 0;
    if (rank < 0 || rank >= size) {
        snprintf(error, n, "rank %d of %d processes", rank, size);
        return NULL;
    }
    key_of(o, key, sizeof key);
    return shm_engine(rank, size, key, o->patience > 0 ? o->patience : 300, error, n);
}

static CommEngine *open_engine(wf_comm *w, const wf_comm_options *o, char *error, size_t n)
{
    const char *limit = getenv("WEFT_COMM_TIMEOUT");
    CommEngine *e = o->mpi_comm || (!o->ranks && under_mpi()) ? open_mpi(w, o->mpi_comm, error, n) : open_shm(o, error, n);

    if (!e)
        return NULL;
    e->combine = comm_combine;
    e->stopped = is_stopped;
    e->dtype_size = wf_dtype_size;
    e->timeout = o->timeout > 0 ? o->timeout : limit && *limit ? strtod(limit, NULL) : 1800;
    return e;
}

static void free_comm(wf_comm *w)
{
    pthread_mutex_destroy(&w->lock);
    pthread_cond_destroy(&w->news);
    free(w); /* a plug-in stays loaded: the library it stands on may run threads of its own */
}

wf_status wf_comm_open(wf_ctx *cx, const wf_comm_options *options, wf_comm **out_comm)
{
    wf_comm_options o = {0};
    wf_comm *w;
    char error[512] = "";

    if (!SET_OUT(cx, out_comm))
        return ctx_status(cx);
    if (options && options->size < sizeof options->size)
        return fail(cx, WF_ERR_ARG, NOWHERE, "wf_comm_open: the options do not say their size"), ctx_status(cx);
    if (options)
        memcpy(&o, options, MIN(sizeof o, options->size));
    if (!(w = calloc(1, sizeof *w))) {
        fail_memory(cx);
        return ctx_status(cx);
    }
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->news, NULL);
    w->pid = (int)getpid();
    for (int k = 0; k < LANES; k++)
        w->lane[k].last = &w->lane[k].first;
    if ((w->e = open_engine(w, &o, error, sizeof error))) {
        *out_comm = w;
    } else {
        fail(cx, WF_ERR_COMM, NOWHERE, "wf_comm_open: %s", error);
        free_comm(w);
    }
    return ctx_status(cx);
}

/* Lanes end what is in them; after fork the threads are not there. */
void wf_comm_abort(wf_comm *w, const char *why)
{
    if (!w)
        return;
    pthread_mutex_lock(&w->lock);
    w->quit = true;
    pthread_cond_broadcast(&w->news);
    pthread_mutex_unlock(&w->lock);
    for (int k = 0; k < LANES; k++)
        if (w->lane[k].started && w->pid == (int)getpid() && !why)
            pthread_join(w->lane[k].thread, NULL);
    if (why) {
        for (Group *g = w->groups; g; g = g->next)
            links_close(g, true);
        w->e->close(w->e, why);
        return; /* a lane may be in an exchange that never ends: what it uses stays */
    }
    while (w->groups) {
        Group *g = w->groups;

        w->groups = g->next;
        links_close(g, w->failed);
        w->e->leave(w->e, g);
        free(g);
    }
    w->e->close(w->e, NULL);
    free_comm(w);
}

void wf_comm_close(wf_comm *w) { wf_comm_abort(w, NULL); }

int wf_comm_rank(const wf_comm *w) { return w ? w->e->rank : 0; }
int wf_comm_size(const wf_comm *w) { return w ? w->e->size : 1; }
const char *wf_comm_engine(const wf_comm *w) { return w ? w->e->name : ""; }
