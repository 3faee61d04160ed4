/* plugin_mpi.c -- the engine over MPI: a plug-in, which links MPI and nothing of the library.
 *
 * Every exchange is a non-blocking one that is asked about until it is done, so that a process that waits too long says so.
 * Large sums and gathers are only met for that way: when all are there, they are done by the blocking calls, which MPI has
 * quicker algorithms for. Small sums of 2, 4, 8 .. processes are messages between pairs (recursive doubling), which nobody
 * need be met for.
 * Counts beyond an int go in pieces. Types that MPI does not have, and sums whose order matters, are the library's own
 * function as an operation of MPI. Exchanges that mean different things are found when they are first seen: their numbers
 * are compared. Whoever has not called MPI_Init, which is the host's business, has it called here.
 */
#include "world/engine.h"

#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SEEN   1024
#define PIECE  (1 << 30) /* bytes in one call */
#define SPINS  2000
#define LARGE  (2 << 10) /* bytes from which a meeting more costs less than what blocking calls gain */
#define PAIRS  (32 << 10) /* bytes up to which sums are messages between pairs .. */
#define AT_ONCE 3584 /* .. of these bytes, which MPI sends without asking first */

enum { MEETING, SUMMING }; /* tags of messages between members of a group */

typedef struct Mpi {
    CommEngine e;
    MPI_Comm comm;
    bool own_init;
} Mpi;

/* What a group has here. Its members see the same exchanges in the same order, so they forget the same ones: what was
 * compared is kept by group, since a member may be in other groups besides. */
typedef struct Members {
    MPI_Comm comm;
    uint64_t seen[SEEN]; /* exchanges that were compared, by hash */
} Members;

CommEngine *weft_engine(const void *comm, char *error, size_t nerror);

static Mpi *mpi(CommEngine *e) { return (Mpi *)(void *)e; }

static bool lost(Mpi *m, const char *what, int code)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int n = 0;

    if (code != MPI_SUCCESS)
        MPI_Error_string(code, text, &n);
    snprintf(m->e.error, sizeof m->e.error, "%s%s%.*s", what, n ? ": " : "", n, text);
    return false;
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Until it is done. */
static bool finish(Mpi *m, int code, MPI_Request *r, MPI_Status *status)
{
    double since = 0;
    int done = 0;

    for (int spins = 0; code == MPI_SUCCESS && !done; spins++) {
        code = MPI_Test(r, &done, status);
        if (done || spins < SPINS)
            continue;
        if (since == 0)
            since = now();
        if (m->e.timeout > 0 && now() - since > m->e.timeout) {
            snprintf(m->e.error, sizeof m->e.error, "waited %g seconds (WEFT_COMM_TIMEOUT)", m->e.timeout);
            return false;
        }
        if (m->e.stopped(m->e.stop_user)) {
            snprintf(m->e.error, sizeof m->e.error, "cancelled");
            return false;
        }
        if (spins < 100 * SPINS)
            sched_yield();
        else
            nanosleep(&(struct timespec){0, 50 * 1000}, NULL);
    }
    return code == MPI_SUCCESS || lost(m, "MPI", code);
}

static MPI_Comm comm_of(const Group *g) { return ((Members *)g->data)->comm; }

static bool mpi_join(CommEngine *e, Group *g)
{
    Mpi *m = mpi(e);
    MPI_Group all, some;
    Members *c = calloc(1, sizeof *c);
    int code;

    if (!c)
        return lost(m, "out of memory", MPI_SUCCESS);
    MPI_Comm_group(m->comm, &all);
    MPI_Group_incl(all, g->n, g->rank, &some);
    code = MPI_Comm_create_group(m->comm, some, 0, &c->comm);
    MPI_Group_free(&some);
    MPI_Group_free(&all);
    if (code != MPI_SUCCESS) {
        free(c);
        return lost(m, "MPI_Comm_create_group", code);
    }
    MPI_Comm_set_errhandler(c->comm, MPI_ERRORS_RETURN);
    g->data = c;
    return true;
}

static void mpi_leave(CommEngine *e, Group *g)
{
    (void)e;
    MPI_Comm_free(&((Members *)g->data)->comm);
    free(g->data);
    g->data = NULL;
}

/* Do all mean the same? Asked once for each number and group. */
static bool agree(Mpi *m, Group *g, uint64_t what)
{
    uint64_t key = what | 1, *at = &((Members *)g->data)->seen[what % SEEN], *all;
    MPI_Request r;
    bool ok = true;

    if (*at == key)
        return true;
    if (!(all = malloc((size_t)g->n * sizeof *all)))
        return lost(m, "out of memory", MPI_SUCCESS);
    ok = finish(m, MPI_Iallgather(&what, 8, MPI_BYTE, all, 8, MPI_BYTE, comm_of(g), &r), &r, MPI_STATUS_IGNORE);
    for (int k = 0; k < g->n && ok; k++)
        if (all[k] != what) {
            snprintf(m->e.error, sizeof m->e.error, "rank %d is in another exchange, or runs another program", g->rank[k]);
            ok = false;
        }
    free(all);
    *at = ok ? key : 0;
    return ok;
}

/* Waits for all, then they may block: word to who is 1, 2, 4 .. ranks on, from who is as many before. */
static bool all_are_there(Mpi *m, const Group *g)
{
    for (int step = 1; step < g->n; step *= 2) {
        MPI_Request take, give;
        int code = MPI_Irecv(NULL, 0, MPI_BYTE, (g->me - step + g->n) % g->n, MEETING, comm_of(g), &take);

        if (code == MPI_SUCCESS)
            code = MPI_Isend(NULL, 0, MPI_BYTE, (g->me + step) % g->n, MEETING, comm_of(g), &give);
        if (!finish(m, code, &take, MPI_STATUS_IGNORE) || !finish(m, MPI_SUCCESS, &give, MPI_STATUS_IGNORE))
            return false;
    }
    return true;
}

static bool done(Mpi *m, int code) { return code == MPI_SUCCESS || lost(m, "MPI", code); }

/* ---- reductions ----------------------------------------------------------------------- */

/* Types as MPI knows them; MPI_DATATYPE_NULL: it does not. */
static MPI_Datatype plain_type(wf_dtype t)
{
    switch (t) {
    case WF_F32: return MPI_FLOAT;
    case WF_F64: return MPI_DOUBLE;
    case WF_I8: return MPI_INT8_T;
    case WF_I16: return MPI_INT16_T;
    case WF_I32: return MPI_INT32_T;
    case WF_I64: return MPI_INT64_T;
    case WF_U8: return MPI_UINT8_T;
    case WF_U16: return MPI_UINT16_T;
    case WF_U32: return MPI_UINT32_T;
    case WF_U64: return MPI_UINT64_T;
    case WF_C64: return MPI_C_FLOAT_COMPLEX;
    case WF_C128: return MPI_C_DOUBLE_COMPLEX;
    default: return MPI_DATATYPE_NULL;
    }
}

/* MAX and MIN of floats are the library's: a NaN stays one. */
static MPI_Op plain_op(Combine how, wf_dtype t)
{
    bool floats = t == WF_F32 || t == WF_F64;

    switch (how) {
    case COMBINE_SUM: return MPI_SUM;
    case COMBINE_PRODUCT: return MPI_PROD;
    case COMBINE_MAX: return floats ? MPI_OP_NULL : MPI_MAX;
    case COMBINE_MIN: return floats ? MPI_OP_NULL : MPI_MIN;
    case COMBINE_AND: return MPI_BAND;
    case COMBINE_OR: return MPI_BOR;
    case COMBINE_XOR: return MPI_BXOR;
    }
    return MPI_OP_NULL;
}

/* Operations of MPI get no argument of their own; one exchange at a time runs, in one thread. */
static struct {
    CommEngine *e;
    Combine how;
    wf_dtype t;
    bool ok;
} doing;

static void combine_two(void *in, void *inout, int *n, MPI_Datatype *type)
{
    const void *both[2] = {in, inout};

    (void)type;
    doing.ok = doing.e->combine(doing.how, doing.t, inout, both, 2, *n) && doing.ok;
}

typedef struct Reduction {
    MPI_Datatype type;
    MPI_Op op;
    bool own_type, own_op;
} Reduction;

static Reduction reduction(CommEngine *e, Combine how, wf_dtype t)
{
    Reduction r = {plain_type(t), plain_op(how, t), false, false};

    if (r.type == MPI_DATATYPE_NULL) {
        MPI_Type_contiguous((int)e->dtype_size(t), MPI_BYTE, &r.type);
        MPI_Type_commit(&r.type);
        r.own_type = true;
    }
    if (r.own_type || r.op == MPI_OP_NULL) {
        MPI_Op_create(combine_two, 0,
                      &r.op); /* not commutative: in the order of the ranks */
        r.own_op = true;
    }
    doing.e = e;
    doing.how = how;
    doing.t = t;
    doing.ok = true;
    return r;
}

static bool reduced(Mpi *m, Reduction *r, bool ok)
{
    if (r->own_type)
        MPI_Type_free(&r->type);
    if (r->own_op)
        MPI_Op_free(&r->op);
    return ok && (doing.ok || lost(m, "no such reduction of this type", MPI_SUCCESS));
}

/* Combined with what `other` has, in the order of the ranks. In parts that MPI sends at once, of which one is combined while the
 * next are on their way. */
static bool reduce_with(Mpi *m, const Group *g, int other, Combine how, wf_dtype t, char *data, int64_t count)
{
    static _Alignas(64) char theirs[PAIRS]; /* one exchange at a time runs, in one thread */
    const int64_t size = (int64_t)m->e.dtype_size(t), each = AT_ONCE / size;
    MPI_Request take[PAIRS / AT_ONCE + 1], give[PAIRS / AT_ONCE + 1];
    int code = MPI_SUCCESS, n = 0;

    for (int64_t at = 0; at < count && code == MPI_SUCCESS; at += each, n++) {
        int bytes = (int)((each < count - at ? each : count - at) * size);

        code = MPI_Irecv(theirs + at * size, bytes, MPI_BYTE, other, SUMMING, comm_of(g), &take[n]);
        if (code == MPI_SUCCESS)
            code = MPI_Isend(data + at * size, bytes, MPI_BYTE, other, SUMMING, comm_of(g), &give[n]);
    }
    if (code != MPI_SUCCESS)
        return lost(m, "MPI", code);
    for (int k = 0; k < n; k++) {
        int64_t at = k * each, some = each < count - at ? each : count - at;
        char *x = data + at * size, *y = theirs + at * size;
        const void *both[2] = {other < g->me ? y : x, other < g->me ? x : y};

        if (!finish(m, MPI_SUCCESS, &take[k], MPI_STATUS_IGNORE) || !finish(m, MPI_SUCCESS, &give[k], MPI_STATUS_IGNORE))
            return false;
        if (!m->e.combine(how, t, x, both, 2, some))
            return lost(m, "no such reduction of this type", MPI_SUCCESS);
    }
    return true;
}

/* Sums of 1, 2, 4 .. neighbours, each with that of as many others: all have the same, for the lower ranks come first. */
static bool reduce_by_pairs(Mpi *m, const Group *g, Combine how, wf_dtype t, const void *in, void *out, int64_t count)
{
    bool ok = true;

    if (in != out)
        memcpy(out, in, (size_t)count * m->e.dtype_size(t));
    for (int step = 1; step < g->n && ok; step *= 2)
        ok = reduce_with(m, g, g->me ^ step, how, t, out, count);
    return ok;
}

static bool mpi_reduce(CommEngine *e, Group *g, uint64_t what, Combine how, wf_dtype t,
                       const void *in, void *out, int64_t count, int root)
{
    Mpi *m = mpi(e);
    const int64_t size = (int64_t)e->dtype_size(t), piece = PIECE / size;
    const bool here = in == out, mine = root < 0 || root == g->me;
    const bool large = root < 0 && count * size >= LARGE;
    Reduction r;
    bool ok;

    if (!agree(m, g, what))
        return false;
    if (root < 0 && count * size <= PAIRS && (g->n & (g->n - 1)) == 0)
        return reduce_by_pairs(m, g, how, t, in, out, count);
    if (large && !all_are_there(m, g))
        return false;
    r = reduction(e, how, t);
    ok = true;
    for (int64_t at = 0; ok && (at == 0 || at < count); at += piece) {
        const void *from = here && mine ? MPI_IN_PLACE : (const char *)in + at * size;
        char *to = (char *)out + at * size;
        int n = (int)(piece < count - at ? piece : count - at);
        MPI_Request q;

        if (large)
            ok = done(m, MPI_Allreduce(from, to, n, r.type, r.op, comm_of(g)));
        else
            ok = finish(m,
                        root < 0
                            ? MPI_Iallreduce(from, to, n, r.type, r.op, comm_of(g), &q)
                            : MPI_Ireduce(from, mine ? to : NULL, n, r.type, r.op, root,
                                          comm_of(g), &q),
                        &q, MPI_STATUS_IGNORE);
    }
    return reduced(m, &r, ok);
}

static bool mpi_scatter_reduce(CommEngine *e, Group *g, uint64_t what, Combine how,
                               wf_dtype t, const void *in, void *out, int64_t count)
{
    Mpi *m = mpi(e);
    Reduction r;
    MPI_Request q;
    bool ok;

    if (count > INT32_MAX)
        return lost(m, "more than 2^31 elements for one process", MPI_SUCCESS);
    if (!agree(m, g, what))
        return false;
    r = reduction(e, how, t);
    if (count * (int64_t)e->dtype_size(t) >= LARGE)
        ok = all_are_there(m, g) &&
             done(m, MPI_Reduce_scatter_block(in, out, (int)count, r.type, r.op,
                                              comm_of(g)));
    else
        ok = finish(
            m,
            MPI_Ireduce_scatter_block(in, out, (int)count, r.type, r.op, comm_of(g), &q),
            &q, MPI_STATUS_IGNORE);
    return reduced(m, &r, ok);
}

/* ---- bytes ---------------------------------------------------------------------------- */

/* Blocks of bytes, so that counts fit an int: *n of *type are `bytes`. */
static bool blocks(Mpi *m, int64_t bytes, int *n, MPI_Datatype *type, bool *own)
{
    int64_t block = 1;

    while (bytes / block > INT32_MAX / 4 && bytes % (2 * block) == 0)
        block *= 2;
    if (bytes / block > INT32_MAX)
        return lost(m, "a message of this size", MPI_SUCCESS);
    *n = (int)(bytes / block);
    *own = block > 1;
    *type = MPI_BYTE;
    if (*own) {
        MPI_Type_contiguous((int)block, MPI_BYTE, type);
        MPI_Type_commit(type);
    }
    return true;
}

static bool mpi_gather(CommEngine *e, Group *g, uint64_t what, const void *in, void *out,
                       int64_t bytes, int root)
{
    Mpi *m = mpi(e);
    MPI_Datatype type;
    MPI_Request q;
    bool own, ok;
    int n;

    if (!agree(m, g, what) || !blocks(m, bytes, &n, &type, &own))
        return false;
    if (root < 0 && bytes >= LARGE)
        ok = all_are_there(m, g) &&
             done(m, MPI_Allgather(in, n, type, out, n, type, comm_of(g)));
    else
        ok = finish(m,
                    root < 0
                        ? MPI_Iallgather(in, n, type, out, n, type, comm_of(g), &q)
                        : MPI_Igather(in, n, type, out, n, type, root, comm_of(g), &q),
                    &q, MPI_STATUS_IGNORE);
    if (own)
        MPI_Type_free(&type);
    return ok;
}

static bool mpi_broadcast(CommEngine *e, Group *g, uint64_t what, void *data,
                          int64_t bytes, int root)
{
    Mpi *m = mpi(e);
    bool ok = agree(m, g, what);

    for (int64_t at = 0; ok && (at == 0 || at < bytes); at += PIECE) {
        MPI_Request q;

        ok = finish(m, MPI_Ibcast((char *)data + at, (int)(PIECE < bytes - at ? PIECE : bytes - at), MPI_BYTE, root, comm_of(g), &q),
                    &q, MPI_STATUS_IGNORE);
    }
    return ok;
}

static bool mpi_all_to_all(CommEngine *e, Group *g, uint64_t what, const void *in, const int64_t *give, void *out,
                           const int64_t *take)
{
    Mpi *m = mpi(e);
    int *v = calloc((size_t)g->n * 4 + 1, sizeof *v), *at = v;
    int64_t sent = 0, came = 0;
    MPI_Request q;
    bool ok = v || lost(m, "out of memory", MPI_SUCCESS);

    for (int k = 0; k < g->n && ok; k++, at++) {
        if (sent + give[k] > INT32_MAX || came + take[k] > INT32_MAX)
            ok = lost(m, "more than 2^31 bytes in an all_to_all", MPI_SUCCESS);
        at[0] = (int)give[k];
        at[g->n] = (int)sent;
        at[2 * g->n] = (int)take[k];
        at[3 * g->n] = (int)came;
        sent += give[k];
        came += take[k];
    }
    ok = ok && agree(m, g, what) &&
         finish(m, MPI_Ialltoallv(in, v, v + g->n, MPI_BYTE, out, v + 2 * g->n, v + 3 * g->n, MPI_BYTE, comm_of(g), &q), &q,
                MPI_STATUS_IGNORE);
    free(v);
    return ok;
}

static bool mpi_send(CommEngine *e, int to, int tag, const void *data, int64_t bytes)
{
    Mpi *m = mpi(e);
    MPI_Datatype type;
    MPI_Request q;
    bool own, ok;
    int n;

    if (!blocks(m, bytes, &n, &type, &own))
        return false;
    ok = finish(m, MPI_Isend(data, n, type, to, tag, m->comm, &q), &q, MPI_STATUS_IGNORE);
    if (own)
        MPI_Type_free(&type);
    return ok;
}

static bool mpi_receive(CommEngine *e, int from, int tag, void *data, int64_t bytes, int *who)
{
    Mpi *m = mpi(e);
    MPI_Datatype type;
    MPI_Status status;
    MPI_Request q;
    MPI_Count came = 0;
    bool own, ok;
    int n;

    if (!blocks(m, bytes, &n, &type, &own))
        return false;
    ok = finish(m, MPI_Irecv(data, n, type, from < 0 ? MPI_ANY_SOURCE : from, tag, m->comm, &q), &q, &status);
    if (own)
        MPI_Type_free(&type);
    if (!ok)
        return false;
    *who = status.MPI_SOURCE;
    MPI_Get_elements_x(&status, MPI_BYTE, &came);
    if (came == bytes)
        return true;
    snprintf(e->error, sizeof e->error, "rank %d sent %lld bytes, %lld are wanted", *who, (long long)came, (long long)bytes);
    return false;
}

/* ---- coming and going ------------------------------------------------------------------ */

static void mpi_close(CommEngine *e, const char *failure)
{
    Mpi *m = mpi(e);
    int over = 0;

    MPI_Finalized(&over);
    if (failure && !over) {
        fprintf(stderr, "weft: rank %d failed: %s\n", e->rank, failure);
        MPI_Abort(m->comm, 1);
    }
    if (!over) {
        MPI_Comm_free(&m->comm);
        if (m->own_init)
            MPI_Finalize();
    }
    free(m);
}

static bool start(Mpi *m, const void *comm, char *error, size_t n)
{
    int there = 0, level = 0;

    MPI_Initialized(&there);
    if (!there) {
        if (comm) {
            snprintf(error, n, "a communicator, but MPI_Init has not been called");
            return false;
        }
        MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &level);
        m->own_init = true;
    } else {
        MPI_Query_thread(&level);
    }
    if (level < MPI_THREAD_MULTIPLE) {
        snprintf(error, n, "MPI was initialised without MPI_THREAD_MULTIPLE: exchanges run beside the host's own");
        return false;
    }
    return true;
}

__attribute__((visibility("default"))) CommEngine *weft_engine(const void *comm, char *error, size_t nerror)
{
    Mpi *m = calloc(1, sizeof *m);

    if (!m || !start(m, comm, error, nerror)) {
        if (!m)
            snprintf(error, nerror, "out of memory");
        free(m);
        return NULL;
    }
    m->e = (CommEngine){.version = ENGINE_VERSION, .name = "mpi", .join = mpi_join, .leave = mpi_leave, .reduce = mpi_reduce,
                    .scatter_reduce = mpi_scatter_reduce, .gather = mpi_gather, .broadcast = mpi_broadcast,
                    .all_to_all = mpi_all_to_all, .send = mpi_send, .receive = mpi_receive, .close = mpi_close};
    MPI_Comm_dup(comm ? *(const MPI_Comm *)comm : MPI_COMM_WORLD, &m->comm);
    MPI_Comm_set_errhandler(m->comm, MPI_ERRORS_RETURN);
    MPI_Comm_rank(m->comm, &m->e.rank);
    MPI_Comm_size(m->comm, &m->e.size);
    return &m->e;
}
