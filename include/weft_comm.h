/* weft_comm.h -- processes that run together. Included by weft.h.
 *
 * Processes are started by `weft launch -n N`, by mpirun, or by anything that sets RANK, WORLD_SIZE and MASTER_PORT. Those
 * of one machine exchange in shared memory; under mpirun, or with a communicator of the host's, MPI carries everything: a
 * plug-in, weft_mpi.so, that is loaded then.
 *
 * All processes make the same exchanges in the same order. One that fails, ends, waits elsewhere or brings something else
 * makes the others' calls fail with WF_ERR_COMM, which says who; after that every exchange does.
 */
#ifndef WEFT_COMM_PUBLIC_H
#define WEFT_COMM_PUBLIC_H

#include "weft.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct wf_comm wf_comm;

typedef struct wf_comm_options {
    size_t size; /* sizeof(wf_comm_options) */
    int ranks;   /* how many processes, of which this is number `rank`; 0: as the environment says */
    int rank;
    const char *key;      /* what they have in common, a word; NULL: of the environment */
    double timeout;       /* seconds that a process waits for others; 0: WEFT_COMM_TIMEOUT, else half an hour */
    double patience;      /* seconds for all to arrive; 0: five minutes */
    const void *mpi_comm; /* points to an MPI_Comm of a host that has called MPI_Init; NULL: MPI_COMM_WORLD under mpirun */
} wf_comm_options;

WF_API wf_status wf_comm_open(wf_ctx *cx, const wf_comm_options *options, wf_comm **out_comm);
WF_API void wf_comm_close(wf_comm *comm); /* when all exchanges are done */
WF_API void wf_comm_abort(wf_comm *comm, const char *why); /* the others fail with this reason */
WF_API int wf_comm_rank(const wf_comm *comm);
WF_API int wf_comm_size(const wf_comm *comm);
WF_API const char *wf_comm_engine(const wf_comm *comm); /* "shm", "mpi" */

/* Collectives over the axes of a mesh, as "data:4" or "data:2,model:2", are from now on with the processes: wf_psum and the
 * like at once, and in every program that this context runs. The mesh has as many devices as there are processes. NULL: no
 * more. The comm must stay until then. */
WF_API wf_status wf_comm_use(wf_ctx *cx, wf_comm *comm, const char *mesh);

typedef enum wf_combine { WF_COMBINE_SUM, WF_COMBINE_PRODUCT, WF_COMBINE_MAX, WF_COMBINE_MIN } wf_combine;

/* In memory of the host; in the order of the ranks. out_bytes, the room at out_all: bytes for each rank, or WF_ERR_ARG. */
WF_API wf_status wf_comm_all_reduce(wf_ctx *cx, wf_comm *comm, wf_dtype dtype, void *data, int64_t count, wf_combine how);
WF_API wf_status wf_comm_all_gather(wf_ctx *cx, wf_comm *comm, const void *data, int64_t bytes, void *out_all,
                                    int64_t out_bytes);
WF_API wf_status wf_comm_broadcast(wf_ctx *cx, wf_comm *comm, void *data, int64_t bytes, int root);
WF_API wf_status wf_comm_barrier(wf_ctx *cx, wf_comm *comm);

#ifdef __cplusplus
}
#endif

#endif
