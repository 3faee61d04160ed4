/* all_reduce_mpi.c -- MPI_Allreduce called alone, as bench_world.c calls Weft: mpicc -O2 all_reduce_mpi.c; mpirun -n 2 a.out */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    float *x = calloc(16 << 20, sizeof *x);
    double times[201];
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (long bytes = 1 << 10; x && bytes <= 64 << 20; bytes *= 4) {
        int runs = bytes < 1 << 20 ? 201 : 15;

        for (int k = 0; k < runs; k++) {
            double t = MPI_Wtime();

            MPI_Allreduce(MPI_IN_PLACE, x, (int)(bytes / 4), MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
            times[k] = MPI_Wtime() - t;
        }
        qsort(times, (size_t)runs, sizeof *times, by_size);
        if (rank == 0)
            printf("%-8s %8ld kB %12.1f us\n", "MPI", bytes >> 10, 1e6 * times[runs / 2]);
    }
    MPI_Finalize();
    free(x);
    return 0;
}
