/* world.h -- processes that run together, and what they exchange.
 *
 *   wf_comm   the processes there are, this one's rank, its groups          world.c
 *   CommEngine  who carries exchanges out (engine.h)
 *     shm     processes of one machine, in shared memory                    shm.c
 *     mpi     a plug-in, built where mpicc is found; loaded at need         plugin_mpi.c
 *   Comm      programs whose collectives are with the processes, and the
 *             exchanges of the public header                                exchange.c
 *   Going     exchanges that go on while a program runs, sums in buckets    going.c
 *   Link      exchanges between devices of the processes, in the order of
 *             their queues: the engine brings them together                 link.c
 *
 * Three lanes, each in its own order: exchanges of groups, messages sent, messages received. A call runs at once where its
 * lane is idle; one that is not waited for is done by the lane's thread, while the process goes on.
 */
#ifndef WEFT_WORLD_H
#define WEFT_WORLD_H

#include "world/engine.h"

/* NULL with a text in error. key: what the processes of one world have in common; patience: seconds for all to arrive. */
CommEngine *shm_engine(int rank, int size, const char *key, double patience, char *error, size_t nerror);
/* What a plug-in has under the name weft_engine: comm may be NULL, or point to the communicator of the library it is for. */
typedef CommEngine *EnginePlugin(const void *comm, char *error, size_t nerror);

typedef enum JobKind {
    JOB_REDUCE, JOB_SCATTER_REDUCE, JOB_GATHER, JOB_BROADCAST, JOB_ALL_TO_ALL, JOB_AVERAGE, JOB_SEND, JOB_RECEIVE,
} JobKind;

/* One call of an engine. Memory that it names stays until it is done. */
typedef struct Job {
    JobKind kind;
    Group *group;
    uint64_t what;
    Combine how;
    wf_dtype dtype;
    const void *in;
    void *out;
    int64_t count; /* elements of a reduction, of one part of it if it is scattered; bytes else */
    const int64_t *give, *take;
    /* Of an average, and of a reduction if there are parts: arrays that are as one, and get the result. */
    void *const *parts;
    const void *const *from; /* what is reduced into them; NULL: what is in them */
    const int64_t *counts;   /* elements of each */
    int nparts;
    int root;      /* by number in the group, -1: all; of a message the other rank */
    int tag;
    /* its outcome */
    struct Job *next;
    bool done, ok;
    bool timed;
    JobSpan span; /* when it ran, if it is timed */
    char error[512];
} Job;

/* The group of these ranks, in this order; the same for the same ranks. NULL with an error in cx: no rank of the world, one
 * twice, or without this process. All members ask for their groups in the same order. */
Group *world_group(wf_ctx *cx, wf_comm *w, const int *rank, int n);
/* Runs it now, or puts it into its lane; `place` is where errors point. */
bool world_do(wf_ctx *cx, wf_comm *w, Job *j, Place place);
void world_start(wf_comm *w, Job *j);
bool world_wait(wf_ctx *cx, wf_comm *w, Job *j, Place place);
bool world_done(wf_comm *w, const Job *j);
/* Until it is done, but not for long: if others do not come it is ended, and all exchanges fail. */
void world_settle(wf_comm *w, const Job *j);
const char *job_name(JobKind k);
CommEngine *world_engine(wf_comm *w);
/* All exchanges fail from now on. */
void world_fail(wf_comm *w, const char *why);

/* ---- link.c ---- */

#define LINK_ID 128 /* bytes by which the members of a link find each other */

typedef struct LinkWatch { /* asked while a member waits for others, since so many seconds; false: they will not come, and why */
    bool (*ask)(const void *user, double waited, char *why, size_t n);
    const void *user;
} LinkWatch;

/* What a device has for that (cuda/nccl.c). False: a text in why. */
typedef struct LinkRow {
    /* Can it? who: 16 bytes that no other device has. */
    bool (*ready)(Device *d, wf_ctx *cx, unsigned char who[16], char *why, size_t n);
    bool (*id)(Device *d, char *id, char *why, size_t n); /* of a new link: by one of its members */
    void *(*open)(Device *d, const char *id, int members, int me, LinkWatch watch, char *why, size_t n); /* by all; NULL */
    bool (*has)(const Job *j); /* the kind, type and operation */
    /* in, out, parts of the job are memory of the device. Back when it is in the queue, in whose order it is done. */
    bool (*put)(void *link, void *queue, const Job *j, char *why, size_t n);
    void (*close)(void *link, bool broken);
} LinkRow;

/* The job on memory of the queue's device, when it is in the queue. *out_done false without an error: its members have no
 * link, and none is made. */
bool link_do(wf_ctx *cx, wf_comm *w, Job *j, Queue *q, Place place, bool *out_done);
void links_close(Group *g, bool broken);

/* ---- exchange.c, going.c: the Comm of a context that uses a world ---- */

typedef struct GoingJob GoingJob;
typedef struct WorldComm {
    Comm comm;
    wf_comm *world;
    Arena a;
    Mesh mesh;
    GoingJob *going; /* the last begun first */
    GoingJob *open;  /* sums that wait for more of their kind */
} WorldComm;

void world_leave(wf_ctx *cx); /* it uses no world any more, also after an error */
/* An exchange as a job, before it is done and after; what that needs is in the arena. */
bool world_prepare(WorldComm *c, wf_ctx *cx, Arena *a, const Exchange *x, Job *j);
void world_arrange(Arena *a, const Exchange *x, const Job *j);
bool going_begin(Comm *comm, wf_ctx *cx, const Exchange *x, void **out_going);
bool going_finish(Comm *comm, wf_ctx *cx, void *going, Place place, JobSpan *span);
void going_settle(Comm *comm);

#endif
