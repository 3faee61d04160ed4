/* speed.c -- measures what this machine reaches, for reports to compare with. */
#include "kernels/isas.h"
#include "runtime.h"

#include <time.h>

typedef struct Speed {
    float (*fma)(int64_t turns);
    int64_t (*flops)(int64_t turns);
    void (*stream)(float *to, const float *from, int64_t n);
} Speed;

#define DECLARE(isa, narrow)                                                                     \
    float speed_fma_##isa(int64_t turns);                                                \
    int64_t speed_fma_flops_##isa(int64_t turns);                                        \
    void speed_stream_##isa(float *to, const float *from, int64_t n);
#define ROW(isa, narrow) {speed_fma_##isa, speed_fma_flops_##isa, speed_stream_##isa},
ISAS(DECLARE)
static const Speed speeds[] = {ISAS(ROW)};

#define TURNS        2000000
#define FLOATS       ((int64_t)12 << 20) /* of each thread's two arrays: beyond the caches */
#define ROUNDS       6
#define MOST_THREADS 1024

typedef struct SpeedJob {
    const Speed *s;
    float *mem; /* 2 * FLOATS for each thread; NULL: arithmetic */
    volatile float sink;
    double rate[MOST_THREADS]; /* of each thread, amounts a second */
} SpeedJob;

/* Of this thread alone: what others compute meanwhile does not count. */
static double thread_seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void work(void *user, int i)
{
    SpeedJob *j = user;
    double start = thread_seconds(), amount;

    if (j->mem) {
        j->s->stream(j->mem + 2 * FLOATS * i, j->mem + 2 * FLOATS * i + FLOATS, FLOATS);
        amount = 2.0 * (double)FLOATS * sizeof *j->mem;
    } else {
        j->sink = j->s->fma(TURNS);
        amount = (double)j->s->flops(TURNS);
    }
    j->rate[i] = amount / (thread_seconds() - start + 1e-9);
}

/* The best of a few rounds, of all threads together. */
static double best_rate(Pool *pool, int n, SpeedJob *j)
{
    double best = 0;

    for (int r = 0; r < ROUNDS; r++) {
        double sum = 0;

        pool_run(pool, n, work, j);
        for (int i = 0; i < n; i++)
            sum += j->rate[i];
        best = MAX(best, sum);
    }
    return best;
}

wf_status wf_machine_speed(wf_ctx *cx, double *out_flops, double *out_bytes)
{
    Pool *pool;
    int n;
    SpeedJob *j;
    size_t size;

    if (out_flops)
        *out_flops = 0;
    if (out_bytes)
        *out_bytes = 0;
    if (failed(cx) || ctx_elsewhere(cx))
        return failed(cx) ? ctx_status(cx) : WF_ERR_ARG;
    if (!out_flops || !out_bytes) {
        fail(cx, WF_ERR_ARG, NOWHERE, "wf_machine_speed: a place for a result is NULL");
        return ctx_status(cx);
    }
    pool = ctx_threads(cx);
    n = MIN(pool_threads(pool), MOST_THREADS);
    size = (size_t)n * 2 * (size_t)FLOATS * sizeof *j->mem;
    if (!(j = mem_alloc(&cx->al, sizeof *j))) {
        fail_memory(cx);
        return ctx_status(cx);
    }
    *j = (SpeedJob){.s = &speeds[MIN((int)cpu_isa(), COUNT(speeds) - 1)]};
    *out_flops = best_rate(pool, n, j);
    if ((j->mem = mem_alloc(&cx->al, size))) {
        memset(j->mem, 0, size);
        *out_bytes = best_rate(pool, n, j);
        mem_free(&cx->al, j->mem, size);
    } else {
        fail_memory(cx);
    }
    mem_free(&cx->al, j, sizeof *j);
    return ctx_status(cx);
}
