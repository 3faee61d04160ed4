/* world.h -- processes that run together, and what they exchange.
 *
 *   wf_comm   the processes there are, this one's rank, its groups          world.c
 *   CommEngine  who carries exchanges out (engine.h)
 *     shm     processes of one machine, in shared memory                    shm.c
 *     mpi     a plug-in, built where mpicc is found; loaded at need         plugin_mpi.c
 *   Comm      programs whose collectives are with the processes, and the
 *             exchanges of the public header                                exchange.c
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
    void *const *parts;    /* of an average: arrays of WF_F32 or WF_F64, which are as one and get the result */
    const int64_t *counts; /* elements of each */
    int nparts;
    int root;      /* by number in the group, -1: all; of a message the other rank */
    int tag;
    /* its outcome */
    struct Job *next;
    bool done, ok;
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
const char *job_name(JobKind k);

#endif
