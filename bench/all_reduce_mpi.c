/* all_reduce_mpi.c -- all_reduce over MPI beside MPI_Allreduce, in turns, medians: what the library adds to what carries it.
 *
 *   mpicc -O2 -Iinclude bench/all_reduce_mpi.c -o a.out build/libweft.a -lm -lpthread -ldl
 *   WEFT_MPI=build/weft_mpi.so mpirun -n 2 a.out [TURNS]
 */
#include "weft.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define TURNS 4096

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double turn(wf_ctx *cx, wf_comm *w, MPI_Comm alone, float *x, int64_t count, int calls)
{
    double t;

    MPI_Barrier(alone);
    t = MPI_Wtime();
    for (int k = 0; k < calls; k++)
        if (!w)
            MPI_Allreduce(MPI_IN_PLACE, x, (int)count, MPI_FLOAT, MPI_SUM, alone);
        else if (wf_comm_all_reduce(cx, w, WF_F32, x, count, WF_COMBINE_SUM) != WF_OK) {
            fprintf(stderr, "all_reduce_mpi: %s\n", wf_ctx_message(cx));
            MPI_Abort(alone, 1);
        }
    return 1e6 * (MPI_Wtime() - t) / calls;
}

int main(int argc, char **argv)
{
    static double mpi[TURNS], weft[TURNS];
    float *x = calloc(16 << 20, sizeof *x);
    wf_ctx *cx = wf_ctx_new(NULL);
    wf_comm_options o = {.size = sizeof o};
    wf_comm *w = NULL;
    MPI_Comm alone;
    int level, rank, turns = argc > 1 ? atoi(argv[1]) : 60;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_dup(MPI_COMM_WORLD, &alone);
    MPI_Comm_rank(alone, &rank);
    o.mpi_comm = &alone;
    if (!x || !cx || turns < 6 || turns > TURNS || wf_comm_open(cx, &o, &w) != WF_OK) {
        fprintf(stderr, "all_reduce_mpi: %s\n", cx ? wf_ctx_message(cx) : "no memory");
        return 1;
    }
    for (int64_t bytes = 1 << 10; bytes <= 64 << 20; bytes *= 4) {
        int calls = bytes <= 1 << 14 ? 50 : bytes <= 1 << 18 ? 10 : 1, n = bytes <= 1 << 20 ? turns : turns / 3;

        for (int k = 0; k < n; k++) {
            mpi[k] = turn(cx, NULL, alone, x, bytes / 4, calls);
            weft[k] = turn(cx, w, alone, x, bytes / 4, calls);
        }
        qsort(mpi, (size_t)n, sizeof *mpi, by_size);
        qsort(weft, (size_t)n, sizeof *weft, by_size);
        if (rank == 0)
            printf("%8lld kB  MPI %12.2f us  Weft %12.2f us  %.2f of MPI's speed\n", (long long)(bytes >> 10), mpi[n / 2], weft[n / 2],
                   mpi[n / 2] / weft[n / 2]);
    }
    wf_comm_close(w);
    wf_ctx_free(cx);
    free(x);
    MPI_Comm_free(&alone);
    MPI_Finalize();
    return 0;
}
