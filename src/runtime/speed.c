/* speed.c -- measures what this machine reaches, for reports to compare with. */
#include "runtime.h"

#if defined(__x86_64__)
#define ISAS(X) X(base) X(avx2) X(avx512)
#else
#define ISAS(X) X(base)
#endif

typedef struct Speed {
    float (*fma)(int64_t turns);
    int64_t (*flops)(int64_t turns);
    void (*stream)(float *to, const float *from, int64_t n);
} Speed;

#define DECLARE(isa)                                                                     \
    float speed_fma_##isa(int64_t turns);                                                \
    int64_t speed_fma_flops_##isa(int64_t turns);                                        \
    void speed_stream_##isa(float *to, const float *from, int64_t n);
#define ROW(isa) {speed_fma_##isa, speed_fma_flops_##isa, speed_stream_##isa},
ISAS(DECLARE)
static const Speed speeds[] = {ISAS(ROW)};

#define TURNS 2000000
#define FLOATS ((int64_t)12 << 20) /* of each thread's two arrays: beyond the caches */
#define ROUNDS 5

typedef struct Job {
    const Speed *s;
    float *mem; /* 2 * FLOATS for each thread; NULL: arithmetic */
    volatile float sink;
} Job;

static void work(void *user, int i)
{
    Job *j = user;

    if (j->mem)
        j->s->stream(j->mem + 2 * FLOATS * i, j->mem + 2 * FLOATS * i + FLOATS, FLOATS);
    else
        j->sink = j->s->fma(TURNS);
}

/* The shortest of a few rounds: other work only ever adds. */
static double best_seconds(Pool *pool, int n, Job *j)
{
    double best = 1e30;

    for (int r = 0; r <= ROUNDS; r++) {
        double start = clock_seconds(), t;

        pool_run(pool, n, work, j);
        t = clock_seconds() - start;
        if (r > 0 && t < best)
            best = t;
    }
    return best;
}

wf_status wf_machine_speed(wf_ctx *cx, double *out_flops, double *out_bytes)
{
    Pool *pool = ctx_threads(cx);
    int n = pool_threads(pool);
    Job j = {.s = &speeds[MIN((int)cpu_isa(), COUNT(speeds) - 1)]};
    size_t size = (size_t)n * 2 * (size_t)FLOATS * sizeof *j.mem;

    if (failed(cx))
        return cx->status;
    *out_flops = (double)n * (double)j.s->flops(TURNS) / best_seconds(pool, n, &j);
    *out_bytes = 0;
    if (!(j.mem = mem_alloc(&cx->al, size))) {
        fail_memory(cx);
        return cx->status;
    }
    memset(j.mem, 0, size);
    *out_bytes = (double)size / best_seconds(pool, n, &j);
    mem_free(&cx->al, j.mem, size);
    return WF_OK;
}
