/* bench_onnx.c -- an ONNX model: opened, run once, compiled, and the best of some runs.
 *
 *   bench_onnx MODEL INPUT [RUNS [THREADS]]     INPUT as weft eval takes it, such as rand:f32[1,3,224,224]
 *
 * One line: open, first result (from the beginning), compile, run, all in ms; with one thread a run is the time computed. The
 * largest result is printed, so that nothing can be skipped.
 */
#include "weft.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double seconds(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int give_up(wf_ctx *c)
{
    fputs(wf_ctx_message(c), stderr);
    return 1;
}

int main(int argc, char **argv)
{
    int runs = argc > 3 ? atoi(argv[3]) : 10, threads = argc > 4 ? atoi(argv[4]) : 1;
    wf_options o = {.size = sizeof o, .threads = threads};
    clockid_t clock = threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC;
    double begin = seconds(CLOCK_MONOTONIC), opened, first, compiled, best = 1e9;
    wf_ctx *c = wf_ctx_new(&o);
    const wf_program *p = NULL;
    wf_array *x = NULL, *y = NULL;
    wf_exec *e = NULL;
    wf_model *m = NULL;
    wf_tensor in, out;

    if (argc < 3) {
        fputs("usage: bench_onnx MODEL INPUT [RUNS [THREADS]]\n", stderr);
        return 2;
    }
    if (wf_model_load(c, argv[1], &m))
        return give_up(c);
    opened = seconds(CLOCK_MONOTONIC);
    p = wf_model_find(m, "forward");
    if (wf_array_parse(c, argv[2], wf_program_input_dtype(p, wf_program_inputs(p) - 1), 1, &x))
        return give_up(c);
    wf_scope_begin(c);
    in = wf_from_array(c, x);
    if (wf_model_run(c, m, "forward", &in, 1, &out, 1))
        return give_up(c);
    wf_scope_end(c);
    first = seconds(CLOCK_MONOTONIC);
    if (wf_model_bind(c, m, "forward", &p) || wf_compile(c, p, 0, &e))
        return give_up(c);
    compiled = seconds(CLOCK_MONOTONIC);
    for (int i = 0; i < runs; i++) {
        double t = seconds(clock);

        wf_array_release(y);
        if (wf_run(c, e, &x, 1, &y, 1))
            return give_up(c);
        t = seconds(clock) - t;
        best = t < best ? t : best;
    }
    printf("open %.1f first %.1f compile %.1f run %.3f of %lld results\n", (opened - begin) * 1e3, (first - begin) * 1e3,
           (compiled - first) * 1e3, best * 1e3, (long long)wf_array_count(y));
    wf_array_release(x);
    wf_array_release(y);
    wf_exec_release(e);
    wf_program_release(p);
    wf_model_free(m);
    wf_ctx_free(c);
    return 0;
}
