/* bench_interp.c -- what the interpreter adds to the arithmetic: nanoseconds an equation
 * on scalars, and elementwise and reduction speed beside plain loops.
 *
 *   straight   100 000 scalar equations, f32 and f64; limit 80 ns each
 *   while      a scalar loop of 10 000 000 turns of 2 + 1 equations
 *   memory     the largest heap during that loop, over that before it
 *   arrays     GB/s or elements a nanosecond of some ops on 4M elements, beside memcpy
 */
#include "base/base.h"
#include "ir/ir.h"
#include "runtime/runtime.h"

#include <stdio.h>
#include <stdlib.h>

#define EQNS 100000

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *t, int n)
{
    qsort(t, (size_t)n, sizeof *t, compare);
    return t[n / 2];
}

static void require(wf_ctx *cx)
{
    if (failed(cx)) {
        printf("%s\n", wf_ctx_message(cx));
        exit(1);
    }
}

static const Program *parse(wf_ctx *cx, const char *text, size_t size)
{
    const Program **ps;
    uint32_t n;
    Region r;
    const Program *p;

    api_enter_(cx, &r);
    programs_parse(cx, "bench.wir", text, size, NULL, &ps, &n);
    require(cx);
    p = program_retain(ps[n - 1]);
    api_leave(cx, &r);
    return p;
}

/* Median seconds of a run. */
static double time_runs(wf_ctx *cx, const Program *p, wf_array **in, int rounds,
                        double *out_first)
{
    double t[64], start;
    wf_exec *e;
    wf_array *out[4];

    start = clock_seconds();
    wf_prepare(cx, p, &e);
    require(cx);
    for (int i = -1; i < rounds; i++) {
        if (i >= 0)
            start = clock_seconds();
        wf_run(cx, e, in, wf_exec_inputs(e), out, 4);
        require(cx);
        if (i < 0)
            *out_first = clock_seconds() - start;
        else
            t[i] = clock_seconds() - start;
        for (uint32_t j = 0; j < p->nout; j++)
            wf_array_release(out[j]);
    }
    wf_exec_release(e);
    return median(t, rounds);
}

static void bench_straight(wf_ctx *cx, const char *dtype)
{
    static const char *const lines[] = {"  v%d = mul v%d x\n", "  v%d = add v%d x\n",
                                        "  v%d = sub v%d x\n", "  v%d = max v%d x\n"};
    char *s = malloc((size_t)EQNS * 32 + 200), *at = s;
    const Program *p;
    wf_array *in[2];
    double first, t;

    at += sprintf(at, "f(x: %s[], v0: %s[]) {\n", dtype, dtype);
    for (int i = 1; i <= EQNS; i++)
        at += sprintf(at, lines[i % 4], i, i - 1);
    at += sprintf(at, "  ret v%d\n}\n", EQNS);
    p = parse(cx, s, (size_t)(at - s));
    for (int i = 0; i < 2; i++)
        wf_array_new(cx, wf_program_input_dtype(p, 0), NULL, 0, &in[i]);
    t = time_runs(cx, p, in, 21, &first);
    printf("straight %-4s %8.1f ns/equation   limit 80%s     (first run, with planning: "
           "%.0f ns/equation)\n",
           dtype, t / EQNS * 1e9, t / EQNS * 1e9 <= 80 ? "" : "   OVER",
           first / EQNS * 1e9);
    wf_array_release(in[0]);
    wf_array_release(in[1]);
    program_release(p);
    free(s);
}

static void *count_alloc(void *user, void *p, size_t old_size, size_t new_size)
{
    size_t *live = user;

    live[0] += new_size - old_size;
    live[1] = MAX(live[1], live[0]);
    return alloc_default.resize(alloc_default.user, p, old_size, new_size);
}

static void bench_while(void)
{
    static const char text[] =
        "go(n: i64[], i: i64[], x: f64[]) {\n  c = lt i n\n  ret c\n}\n"
        "step(one: i64[], h: f64[], i: i64[], x: f64[]) {\n  j = add i one\n  y = mul x "
        "h\n"
        "  ret j, y\n}\n"
        "f(n: i64[], one: i64[], h: f64[], i: i64[], x: f64[]) {\n"
        "  j, y = while n one h i x cond=go body=step ncond=1 nbody=2\n  ret j, y\n}\n";
    const int64_t turns = 10000000, one = 1, zero = 0;
    const double h = 0.9999999, x = 1;
    size_t live[2] = {0, 0}, before;
    wf_options o = {.size = sizeof o, .allocator = {count_alloc, live}, .threads = 1};
    wf_ctx *cx = wf_ctx_new(&o);
    const Program *p = parse(cx, text, sizeof text - 1);
    wf_array *in[5];
    double first, t;

    wf_array_from(cx, WF_I64, NULL, 0, &turns, &in[0]);
    wf_array_from(cx, WF_I64, NULL, 0, &one, &in[1]);
    wf_array_from(cx, WF_F64, NULL, 0, &h, &in[2]);
    wf_array_from(cx, WF_I64, NULL, 0, &zero, &in[3]);
    wf_array_from(cx, WF_F64, NULL, 0, &x, &in[4]);
    require(cx);
    before = live[0];
    t = time_runs(cx, p, in, 3, &first);
    printf("while         %8.1f ns/turn, of 3 equations; %.1f kB above the program's own "
           "memory in %lld turns\n",
           t / (double)turns * 1e9, (double)(live[1] - before) / 1e3, (long long)turns);
    for (int i = 0; i < 5; i++)
        wf_array_release(in[i]);
    program_release(p);
    wf_ctx_free(cx);
}

static double time_memcpy(size_t n)
{
    char *a = calloc(n, 1), *b = calloc(n, 1);
    double t[21];

    for (int i = 0; i < 21; i++) {
        double start = clock_seconds();
        memcpy(a, b, n);
        t[i] = clock_seconds() - start;
        b[i] = a[n - 1 - (size_t)i];
    }
    free(a);
    free(b);
    return median(t, 21);
}

static void bench_op(wf_ctx *cx, const char *name, const char *text, double bytes)
{
    const Program *p = parse(cx, text, strlen(text));
    wf_array *in[4];
    double first, t, copy = time_memcpy((size_t)(bytes / 2));

    for (uint32_t i = 0; i < p->nin; i++) {
        Type ty = val_type(p, i + 1);
        wf_array_new(cx, (wf_dtype)ty.dtype, ty.dims, ty.rank, &in[i]);
        if (ty.dtype == WF_F32)
            for (int64_t k = 0; k < in[i]->count; k++)
                ((float *)wf_array_data(in[i]))[k] = (float)(k % 1000) * 0.01f - 5;
    }
    require(cx);
    t = time_runs(cx, p, in, 15, &first);
    printf("%-28s %8.2f ms %7.1f GB/s    memcpy of the bytes %6.2f ms\n", name, t * 1e3,
           bytes / t * 1e-9, copy * 1e3);
    for (uint32_t i = 0; i < p->nin; i++)
        wf_array_release(in[i]);
    program_release(p);
}

int main(void)
{
    wf_ctx *cx = wf_ctx_new(NULL);

    bench_straight(cx, "f32");
    bench_straight(cx, "f64");
    bench_while();
    bench_op(cx, "add f32[4M]",
             "f(x: f32[4194304], y: f32[4194304]) {\n  z = add x y\n  ret z\n}\n",
             3 * 4 * 4194304.0);
    bench_op(cx, "add bias f32[32k,128]",
             "f(x: f32[32768,128], b: f32[128]) {\n  c = broadcast b [32768,128] "
             "dims=[1]\n  z = add x c\n  ret z\n}\n",
             2 * 4 * 4194304.0);
    bench_op(cx, "exp f32[4M]", "f(x: f32[4194304]) {\n  z = exp x\n  ret z\n}\n",
             2 * 4 * 4194304.0);
    bench_op(cx, "tanh f32[4M]", "f(x: f32[4194304]) {\n  z = tanh x\n  ret z\n}\n",
             2 * 4 * 4194304.0);
    bench_op(cx, "erf f32[4M]", "f(x: f32[4194304]) {\n  z = erf x\n  ret z\n}\n",
             2 * 4 * 4194304.0);
    bench_op(cx, "sum rows f32[2048,2048]",
             "f(x: f32[2048,2048]) {\n  z = reduce_sum x axes=[1]\n  ret z\n}\n",
             4 * 4194304.0);
    bench_op(cx, "sum columns f32[2048,2048]",
             "f(x: f32[2048,2048]) {\n  z = reduce_sum x axes=[0]\n  ret z\n}\n",
             4 * 4194304.0);
    bench_op(cx, "transpose f32[2048,2048]",
             "f(x: f32[2048,2048]) {\n  z = transpose x perm=[1,0]\n  ret z\n}\n",
             2 * 4 * 4194304.0);
    wf_ctx_free(cx);
    return 0;
}
