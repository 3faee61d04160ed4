/* bench_world.c -- all_reduce among processes, 1 kB to 64 MB: run by weft launch, or by mpirun. */
#include "weft.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

int main(void)
{
    wf_ctx *cx = wf_ctx_new(NULL);
    wf_comm *w = NULL;
    float *x = calloc(16 << 20, sizeof *x);
    double times[201];

    if (!cx || !x || wf_comm_open(cx, NULL, &w) != WF_OK) {
        fprintf(stderr, "bench_world: %s\n", cx ? wf_ctx_message(cx) : "no memory");
        return 1;
    }
    for (int64_t bytes = 1 << 10; bytes <= 64 << 20; bytes *= 4) {
        int runs = bytes < 1 << 20 ? 201 : 15;

        for (int k = 0; k < runs; k++) {
            double t = now();

            if (wf_comm_all_reduce(cx, w, WF_F32, x, bytes / 4, WF_COMBINE_SUM) != WF_OK) {
                fprintf(stderr, "bench_world: %s\n", wf_ctx_message(cx));
                return 1;
            }
            times[k] = now() - t;
        }
        qsort(times, (size_t)runs, sizeof *times, by_size);
        if (wf_comm_rank(w) == 0)
            printf("%-8s %8lld kB %12.1f us\n", wf_comm_engine(w), (long long)(bytes >> 10), 1e6 * times[runs / 2]);
    }
    wf_comm_close(w);
    wf_ctx_free(cx);
    free(x);
    return 0;
}
