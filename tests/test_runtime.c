/* test_runtime.c -- arrays, devices and the interpreter, which must give what the op table's own eval
 * rules give: on every case of tests/ops, in every dtype, for any number of threads.
 */
#include "lib_check.h"
#include "runtime/runtime.h"

#include <dirent.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- running programs on arrays as eval has them ---- */

static bool run_interp(wf_ctx *cx, const Program *p, const Nd *in, Nd *out)
{
    wf_array **x = arena_zalloc(&cx->scratch, (p->nin + 1) * sizeof *x);
    wf_array **y = arena_zalloc(&cx->scratch, (p->nout + 1) * sizeof *y);
    bool ok = true;

    for (uint32_t i = 0; i < p->nin && ok; i++)
        ok = wf_array_from(cx, in[i].dtype, in[i].dims, (int)in[i].rank, in[i].data, &x[i]) == WF_OK;
    ok = ok && wf_eval(cx, p, x, y) == WF_OK;
    for (uint32_t j = 0; j < p->nout && ok; j++) {
        out[j] = nd_new(cx, wf_array_dtype(y[j]), wf_array_dims(y[j]), (uint32_t)wf_array_rank(y[j]));
        array_copy_out(cx, y[j], out[j].data);
    }
    for (uint32_t i = 0; i < p->nin; i++)
        wf_array_release(x[i]);
    for (uint32_t j = 0; j < p->nout; j++)
        wf_array_release(y[j]);
    return ok;
}

/* As far as results of the dtype may differ from eval's. */
static double tolerance(wf_dtype t)
{
    return t == WF_F16 ? 4e-3 : t == WF_BF16 ? 3e-2 : t == WF_F32 ? 4e-6 : 1e-13;
}

static const char *compare(wf_ctx *cx, const Program *p, const Nd *in)
{
    Nd *got = arena_zalloc(&cx->scratch, (p->nout + 1) * sizeof *got);
    Nd *need = arena_zalloc(&cx->scratch, (p->nout + 1) * sizeof *need);
    wf_status status;

    eval_program(cx, p, in, need, &cx->scratch);
    status = cx->status;
    wf_clear(cx);
    if (run_interp(cx, p, in, got) != (status == WF_OK))
        return arena_printf(&cx->scratch, "eval: %s; run: %s", wf_status_name(status), wf_ctx_message(cx));
    if (cx->status != status)
        return arena_printf(&cx->scratch, "eval fails with %s, the run with %s", wf_status_name(status),
                            wf_ctx_message(cx));
    for (uint32_t j = 0; j < p->nout && status == WF_OK; j++) {
        const char *why = nd_differ(cx, &got[j], &need[j], tolerance(got[j].dtype));
        if (why)
            return arena_printf(&cx->scratch, "result %u: %s", j, why);
    }
    return NULL;
}

/* ---- the case files ---- */

/* The program with every f64 another float; NULL if an op refuses that. */
static const Program *with_float(wf_ctx *cx, const Program *p, const char *name)
{
    const Program **ps;
    const char *at, *hit;
    uint32_t n;
    Text before, after;

    text_init(&before, &cx->scratch);
    text_init(&after, &cx->scratch);
    program_print(p, &(PrintOptions){.header = true}, &before);
    for (at = text_str(&before); (hit = strstr(at, "f64")); at = hit + 3) {
        text_addn(&after, at, (size_t)(hit - at));
        text_add(&after, name);
    }
    text_add(&after, at);
    if (programs_parse(cx, "narrow.wir", text_str(&after), after.n, NULL, &ps, &n))
        return ps[n - 1];
    wf_clear(cx);
    return NULL;
}

static int cases_run;

/* As written, and with every other float. size: of all symbols; -1: as the case says. */
static void check_case(wf_ctx *cx, const char *path, Case *c, Rng *rng, int64_t size)
{
    static const char *const floats[] = {"f64", "f32", "f16", "bf16"};
    const Program *p;
    Nd *in;

    for (uint32_t k = 0; k < c->p->dims.syms.n && size >= 0; k++)
        c->sizes[k] = c->sizes[k] < 0 ? -1 : size;
    if (!case_batch(cx, c)) {
        check_fail(path, 0, "%s: %s", c->p->name, wf_ctx_message(cx));
        return;
    }
    p = c->p;
    for (int k = 0; k < COUNT(floats); k++) {
        const char *why;
        c->p = k ? with_float(cx, p, floats[k]) : p;
        if (!c->p)
            continue;
        cases_run++;
        in = case_inputs(cx, c, rng);
        why = compare(cx, c->p, in);
        if (why)
            check_fail(path, 0, "%s in %s, size %d: %s", c->p->name, floats[k], (int)size, why);
        wf_clear(cx);
    }
}

static void check_file(const char *path, int64_t size)
{
    BENCH_OPEN(b);
    Case *cases = NULL;
    uint32_t n = 0;
    Rng rng = {3};

    if (!cases_load(b.cx, path, &cases, &n))
        check_fail(__FILE__, __LINE__, "%s", wf_ctx_message(b.cx));
    for (uint32_t i = 0; i < n; i++) {
        Region inner;
        api_enter_(b.cx, &inner);
        check_case(b.cx, path, &cases[i], &rng, size);
        wf_clear(b.cx);
        api_leave(b.cx, &inner);
    }
    BENCH_CLOSE(b);
}

static void each_file(void (*fn)(const char *path))
{
    DIR *dir = opendir("tests/ops");
    REQUIRE(dir);
    for (struct dirent *d; (d = readdir(dir));) {
        char path[512];
        if (!strstr(d->d_name, ".wir") || strlen(d->d_name) > 400)
            continue;
        strcpy(path, "tests/ops/");
        strcat(path, d->d_name);
        fn(path);
    }
    closedir(dir);
}

static void check_as_written(const char *path) { check_file(path, -1); }
TEST(every_case_runs_as_eval_does)
{
    cases_run = 0;
    each_file(check_as_written);
    CHECK(cases_run > 500);
}

static void check_empty(const char *path) { check_file(path, 0); }
static void check_single(const char *path) { check_file(path, 1); }
static void check_odd(const char *path) { check_file(path, 7); }
TEST(every_case_runs_as_eval_does_with_symbols_of_size_0) { each_file(check_empty); }
TEST(every_case_runs_as_eval_does_with_symbols_of_size_1) { each_file(check_single); }
TEST(every_case_runs_as_eval_does_with_symbols_of_size_7) { each_file(check_odd); }

/* ---- transforms give programs full of views, reductions and scatters ---- */

static void check_transforms(const char *path)
{
    BENCH_OPEN(b);
    Case *cases = NULL;
    uint32_t n = 0;
    Rng rng = {5};

    if (!cases_load(b.cx, path, &cases, &n))
        check_fail(__FILE__, __LINE__, "%s", wf_ctx_message(b.cx));
    for (uint32_t i = 0; i < n; i++) {
        Region inner;
        api_enter_(b.cx, &inner);
        if (!cases[i].nograd && !cases[i].axis) {
            Nd *in = case_inputs(b.cx, &cases[i], &rng), *all, *y;
            const Program *p = cases[i].p, *g;
            int *wrt = arena_array(&b.cx->scratch, p->nin + 1, sizeof *wrt), nwrt = 0;
            const char *why = NULL;
            uint32_t k = p->nin;
            for (uint32_t j = 0; j < p->nin; j++)
                if (dtype_is_float(in[j].dtype))
                    wrt[nwrt++] = (int)j;
            g = nwrt ? xf_vjp(b.cx, p, wrt, nwrt) : NULL;
            y = arena_zalloc(&b.cx->scratch, (p->nout + 1) * sizeof *y);
            if (g && eval_program(b.cx, p, in, y, &b.cx->scratch)) {
                all = arena_zalloc(&b.cx->scratch, (g->nin + 1) * sizeof *all);
                memcpy(all, in, p->nin * sizeof *in);
                for (uint32_t j = 0; j < p->nout && k < g->nin; j++)
                    if (dtype_is_float(y[j].dtype))
                        all[k++] = y[j];
                why = compare(b.cx, g, all);
            }
            if (why)
                check_fail(path, 0, "vjp of %s: %s", p->name, why);
        }
        wf_clear(b.cx);
        api_leave(b.cx, &inner);
    }
    BENCH_CLOSE(b);
}
TEST(every_reverse_derivative_runs_as_eval_does) { each_file(check_transforms); }
