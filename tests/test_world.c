/* test_world.c -- processes that run together: every exchange against what one process computes of everyone's numbers, which
 * all can make from the rank; and processes that end, fail, hang, or do something else.
 *
 * The processes are made by fork, and meet in shared memory. Under mpirun the program runs as one of them, with MPI
 * (tests/test_world.sh), and only the test that needs no fork. With WORLD_DEVICE=cuda in the environment collectives of tensors
 * are those of tensors there (tests/test_devices.sh).
 */
#include "lib_exit.h"
#include "test.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef int Body(wf_ctx *c, wf_comm *w); /* 0: all is as it should be; else the number of what is not */

static double number(int rank, int64_t i) { return (double)((rank * 7 + i * 3) % 11) - 4; }

/* ---- exchanges ------------------------------------------------------------------------ */

/* Sums, products, maxima and minima of n numbers of each type. */
static int reductions(wf_ctx *c, wf_comm *w, int64_t n)
{
    static const wf_dtype types[] = {WF_F32, WF_F64, WF_F16, WF_BF16, WF_I8, WF_I16, WF_I32, WF_I64};
    int ranks = wf_comm_size(w), bad = 0;
    double *want = malloc((size_t)(n + 1) * sizeof *want);

    for (int how = WF_COMBINE_SUM; how <= WF_COMBINE_MIN; how++)
        for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
            wf_array *a = NULL, *b = NULL, *d = NULL;
            double *mine = malloc((size_t)(n + 1) * sizeof *mine);

            for (int64_t i = 0; i < n; i++) {
                want[i] = number(0, i);
                for (int r = 1; r < ranks; r++) {
                    double v = number(r, i);

                    want[i] = how == WF_COMBINE_SUM       ? want[i] + v
                              : how == WF_COMBINE_PRODUCT ? want[i] * v
                              : how == WF_COMBINE_MAX     ? (v > want[i] ? v : want[i])
                                                          : (v < want[i] ? v : want[i]);
                }
            }
            for (int64_t i = 0; i < n; i++)
                mine[i] = number(wf_comm_rank(w), i);
            wf_tensor x = wf_cast(c, wf_from(c, WF_F64, &n, 1, mine), types[t]);

            wf_to_array(c, wf_copy(c, x), &a);
            wf_comm_all_reduce(c, w, types[t], a ? wf_array_data_mutable(a) : NULL, n, (wf_combine)how);
            wf_to_array(c, wf_cast(c, wf_cast(c, wf_from(c, WF_F64, &n, 1, want), types[t]), WF_F64), &b);
            wf_to_array(c, wf_cast(c, wf_from_array(c, a), WF_F64), &d);
            bad += !b || !d || memcmp(wf_array_data(d), wf_array_data(b), (size_t)n * 8) != 0;
            wf_array_release(a);
            wf_array_release(b);
            wf_array_release(d);
            free(mine);
        }
    free(want);
    return bad || wf_ctx_status(c) ? 1 : 0;
}

static wf_tensor column(wf_ctx *c, wf_tensor x, int axis, int k)
{
    return wf_squeeze(c, wf_narrow(c, x, axis, k, 1), &axis, 1);
}

static wf_tensor there(wf_ctx *c, wf_tensor x)
{
    wf_device *d = NULL;

    if (!getenv("WORLD_DEVICE"))
        return x;
    wf_device_find(c, getenv("WORLD_DEVICE"), &d);
    return wf_to_device(c, x, d);
}

/* What collectives of tensors and of programs give, by the meaning of the ops. */
static int collectives(wf_ctx *c, wf_comm *w)
{
    int n = wf_comm_size(w), me = wf_comm_rank(w), bad = 0;
    char mesh[32];
    int64_t dims[2] = {3, n}, perm[2] = {0, n - 1};
    float *v = malloc((size_t)(3 * n) * sizeof *v);
    wf_tensor x, sum = WF_NONE, y;

    snprintf(mesh, sizeof mesh, "data:%d", n);
    if (wf_comm_use(c, w, mesh) != WF_OK)
        return 1;
    for (int i = 0; i < 3 * n; i++)
        v[i] = (float)(100 * me + i);
    x = there(c, wf_from(c, WF_F32, dims, 2, v));
    for (int r = 0; r < n; r++) {
        for (int i = 0; i < 3 * n; i++)
            v[i] = (float)(100 * r + i);
        y = there(c, wf_from(c, WF_F32, dims, 2, v));
        sum = r ? wf_add(c, sum, y) : y;
    }
#define SAME(a, b) (wf_item(c, wf_sum(c, wf_abs(c, wf_sub(c, a, b)), NULL, 0, false)) == 0)
    bad |= SAME(wf_psum(c, x, "data"), sum) ? 0 : 2;
    y = wf_all_gather(c, x, "data", 1);
    bad |= SAME(wf_sum(c, y, (int[]){1}, 1, false), sum) ? 0 : 4;
    bad |= SAME(wf_reduce_scatter(c, x, "data", 1), column(c, sum, 1, me)) ? 0 : 8;
    y = wf_all_to_all(c, x, "data", 1, 0); /* [n, 3]: row r is what r had in column me */
    for (int r = 0; r < n; r++)
        for (int i = 0; i < 3; i++)
            bad |= wf_item(c, column(c, column(c, y, 0, r), 0, i)) == 100 * r + i * n + me ? 0 : 16;
    y = wf_ppermute(c, x, "data", perm, 1);
    bad |= wf_item(c, wf_sum(c, y, NULL, 0, false)) == (me == n - 1 ? 3 * n * (3 * n - 1) / 2 : 0) ? 0 : 32;
    bad |= wf_item(c, wf_cast(c, wf_axis_index(c, "data"), WF_F64)) == me ? 0 : 64;
    free(v);
    wf_comm_use(c, NULL, NULL);
    return bad | (wf_ctx_status(c) ? 128 : 0);
}

/* A program whose exchanges go on while it multiplies: what they bring is what the same ones bring alone, and some ran beside
 * the steps. Of sums there are a large one, which goes at once, and small ones, which go together. */
static int beside_products(wf_ctx *c, wf_comm *w)
{
    static const char text[] = "f(x: f32[3,%d], w: f32[512,600], v: f32[600,512]) {\n"
                               "  a = psum x axis=\"data\"\n"
                               "  big = psum w axis=\"data\"\n"
                               "  b = all_gather x axis=\"data\" size=%d at=1\n"
                               "  s = reduce_scatter x axis=\"data\" size=%d at=1\n"
                               "  d = all_to_all x axis=\"data\" size=%d at=1 to=0\n"
                               "  p = ppermute x axis=\"data\" size=%d perm=[0,%d]\n"
                               "  t = tanh v\n"
                               "  m = pmax x axis=\"data\"\n"
                               "  y = dot w t\n"
                               "  q = reduce_sum y axes=[0,1]\n"
                               "  r = psum q axis=\"data\"\n"
                               "  z = dot y y\n"
                               "  e = dot big t\n"
                               "  ret a, b, s, d, p, m, r, z, e\n"
                               "}\n";
    int n = wf_comm_size(w), me = wf_comm_rank(w), bad = 0, beside = 0;
    const int64_t small[2] = {3, n}, wide[2] = {512, 600}, tall[2] = {600, 512}, perm[2] = {0, n - 1};
    float *v = malloc(512 * 600 * sizeof *v);
    char program[1024], mesh[32];
    wf_model *model = NULL;
    wf_exec *e = NULL;
    wf_profile *p = NULL;
    wf_array *in[3] = {0}, *out[9] = {0};
    wf_tensor x, big, other, want[9], y;

    for (int64_t i = 0; i < 512 * 600; i++)
        v[i] = (float)number(me, i) / 64;
    x = wf_from(c, WF_F32, small, 2, v);
    big = wf_from(c, WF_F32, wide, 2, v);
    other = wf_from(c, WF_F32, tall, 2, v);
    snprintf(program, sizeof program, text, n, n, n, n, n, n - 1);
    snprintf(mesh, sizeof mesh, "data:%d", n);
    wf_comm_use(c, w, mesh);
    y = wf_matmul(c, big, wf_tanh(c, other));
    want[0] = wf_psum(c, x, "data");
    want[1] = wf_all_gather(c, x, "data", 1);
    want[2] = wf_reduce_scatter(c, x, "data", 1);
    want[3] = wf_all_to_all(c, x, "data", 1, 0);
    want[4] = wf_ppermute(c, x, "data", perm, 1);
    want[5] = wf_pmax(c, x, "data");
    want[6] = wf_psum(c, wf_sum(c, y, NULL, 0, false), "data");
    want[7] = wf_matmul(c, y, y);
    want[8] = wf_matmul(c, wf_psum(c, big, "data"), wf_tanh(c, other));
    wf_to_array(c, x, &in[0]);
    wf_to_array(c, big, &in[1]);
    wf_to_array(c, other, &in[2]);
    wf_model_parse(c, "beside", program, strlen(program), &model);
    wf_prepare(c, model ? wf_model_program(model, 0) : NULL, &e);
    for (int run = 0; run < 3; run++) {
        wf_run(c, e, in, 3, out, 9);
        for (int k = 0; k < 9; k++) {
            y = wf_abs(c, wf_sub(c, wf_from_array(c, out[k]), want[k]));
            bad |= wf_item(c, wf_sum(c, y, NULL, 0, false)) <= 1e-4 * wf_item(c, wf_sum(c, wf_abs(c, want[k]), NULL, 0, false))
                       ? 0
                       : 1 << k;
            wf_array_release(out[k]);
        }
    }
    wf_profile_new(c, e, in, 3, 1, &p);
    for (int i = 0; i < wf_profile_events(p); i++)
        beside += wf_profile_event_at(p, i).depth < 0;
    wf_profile_free(p);
    wf_exec_release(e);
    wf_model_free(model);
    for (int i = 0; i < 3; i++)
        wf_array_release(in[i]);
    wf_comm_use(c, NULL, NULL);
    free(v);
    if (bad || beside < 6 || wf_ctx_status(c))
        fprintf(stderr, "rank %d: results %x, beside %d, %s\n", me, (unsigned)bad, beside, wf_ctx_message(c));
    return bad || beside < 6 || wf_ctx_status(c) ? 2048 : 0;
}

/* Gradients that are added up while the pass runs are the sums of those of each process, and travelled beside its steps. */
static int gradients_of_all(wf_ctx *c, wf_comm *w)
{
    int n = wf_comm_size(w), me = wf_comm_rank(w), bad = 0, beside = 0;
    const int64_t rows[2] = {8 + me, 600}, square[2] = {600, 600};
    float *v = malloc(600 * 600 * sizeof *v);
    wf_tensor x, p[2], g[2], all[2], y;
    wf_profile *profile = NULL;
    char mesh[32];

    for (int64_t i = 0; i < 600 * 600; i++)
        v[i] = (float)number(0, i) / 128;
    for (int k = 0; k < 2; k++) {
        p[k] = wf_from(c, WF_F32, square, 2, v);
        wf_requires_grad(c, p[k], true);
    }
    for (int64_t i = 0; i < rows[0] * rows[1]; i++)
        v[i] = (float)number(me, i);
    x = wf_from(c, WF_F32, rows, 2, v);
    snprintf(mesh, sizeof mesh, "a:%d", n);
    wf_comm_use(c, w, mesh);
    for (int k = 0; k < 2; k++) {
        y = wf_sum(c, wf_tanh(c, wf_matmul(c, wf_tanh(c, wf_matmul(c, x, p[1])), p[0])), NULL, 0, false);
        if (k)
            wf_profile_begin(c, &profile);
        wf_gradients(c, &y, NULL, 1, p, 2, k ? WF_GRAD_ALL : 0, k ? all : g);
    }
    wf_profile_end(c, profile);
    for (int i = 0; i < wf_profile_events(profile); i++)
        beside += wf_profile_event_at(profile, i).depth < 0;
    for (int k = 0; k < 2; k++) {
        y = wf_psum(c, g[k], "a");
        bad += wf_item(c, wf_sum(c, wf_abs(c, wf_sub(c, all[k], y)), NULL, 0, false)) >
               1e-5 * wf_item(c, wf_sum(c, wf_abs(c, y), NULL, 0, false));
    }
    wf_profile_free(profile);
    wf_comm_use(c, NULL, NULL);
    y = wf_sum(c, wf_tanh(c, p[0]), NULL, 0, false);
    bad += wf_gradients(c, &y, NULL, 1, p, 2, WF_GRAD_ALL, all) != WF_ERR_ARG;
    wf_clear(c);
    free(v);
    if (bad || beside != 2)
        fprintf(stderr, "rank %d: gradients %d, beside %d\n", me, bad, beside);
    return bad || beside != 2 ? 4096 : 0;
}

static int everything(wf_ctx *c, wf_comm *w)
{
    static const int64_t sizes[] = {0, 1, 5, 1000, 200000};
    int n = wf_comm_size(w), me = wf_comm_rank(w), bad = 0;
    char text[64] = "", all[64 * 16] = "";

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        bad |= reductions(c, w, sizes[i]);
    snprintf(text, sizeof text, "rank %d", me);
    wf_comm_all_gather(c, w, text, 64, all, sizeof all);
    for (int r = 0; r < n; r++) {
        char want[64];

        snprintf(want, sizeof want, "rank %d", r);
        bad |= strcmp(all + 64 * r, want) ? 256 : 0;
    }
    wf_comm_broadcast(c, w, text, 64, n - 1);
    bad |= strcmp(text, all + 64 * (n - 1)) ? 512 : 0;
    bad |= wf_comm_barrier(c, w) ? 1024 : 0;
    return bad | collectives(c, w) | beside_products(c, w) | gradients_of_all(c, w);
}

static int everything_there(wf_ctx *c, wf_comm *w)
{
    int bad = 0;

    for (int k = 0; k < 3; k++)
        bad |= collectives(c, w);
    return bad;
}

/* ---- processes -------------------------------------------------------------------------- */

static int worlds; /* so that every test meets under a name of its own */

static int be(int rank, int n, double timeout, Body *body)
{
    wf_ctx *c = wf_ctx_new(NULL);
    char key[64];
    wf_comm_options o = {.size = sizeof o, .ranks = n, .rank = rank, .key = key, .timeout = timeout, .patience = 20};
    wf_comm *w = NULL;
    int status;

    snprintf(key, sizeof key, "test%d_%d", (int)getppid(), worlds);
    wf_comm_open(c, &o, &w);
    status = w ? body(c, w) : 99;
    if (status || wf_ctx_status(c))
        fprintf(stderr, "rank %d: %d, %s\n", rank, status, wf_ctx_message(c));
    wf_comm_close(w);
    wf_ctx_free(c);
    return status;
}

/* The sum of what all gave; in *ended how many were killed. */
static int in_processes(int n, double timeout, Body *body, int *ended)
{
    pid_t pid[16];
    int bad = 0;

    worlds++;
    fflush(NULL);
    for (int k = 0; k < n; k++)
        if (!(pid[k] = fork()))
            test_exit(be(k, n, timeout, body) ? 1 : 0);
    if (ended)
        *ended = 0;
    for (int k = 0; k < n; k++) {
        int status = 0;

        waitpid(pid[k], &status, 0);
        if (ended && WIFSIGNALED(status))
            ++*ended;
        else
            bad += status != 0;
    }
    return bad;
}

TEST(exchanges_are_what_one_process_computes_of_all_numbers)
{
    if (getenv("OMPI_COMM_WORLD_SIZE")) {
        wf_ctx *c = wf_ctx_new(NULL);
        wf_comm *w = NULL;

        wf_comm_open(c, NULL, &w);
        CHECK_STR(wf_ctx_message(c), "");
        REQUIRE(w != NULL);
        CHECK_STR(wf_comm_engine(w), "mpi");
        CHECK_EQ_INT(everything(c, w), 0);
        wf_comm_close(w);
        wf_ctx_free(c);
        return;
    }
    for (int n = 1; n <= 4; n++)
        CHECK_EQ_INT(in_processes(n, 60, everything, NULL), 0);
}

/* A sum lies where its operand did, also while it goes on beside products: memory for three rows of numbers would be said. */
static int sums_in_place(wf_ctx *c, wf_comm *w)
{
    static const char text[] = "f(x: f32[100000], u: f32[64,64]) {\n  a = cumsum x axis=0\n  s = psum a axis=\"d\"\n"
                               "  v = dot u u\n  q = dot v u\n  r = cumsum s axis=0\n  m = pmax r axis=\"d\"\n  y = cumsum m axis=0\n"
                               "  z = reduce_sum y axes=[0]\n  ret z, q\n}\n";
    int64_t dims[2] = {100000, 64}, square[2] = {64, 64};
    char mesh[16];
    wf_model *model = NULL;
    wf_exec *e = NULL;
    wf_array *in[2] = {NULL}, *out[2] = {NULL};
    float *x = calloc(100000, sizeof *x);
    int bad = 0;

    snprintf(mesh, sizeof mesh, "d:%d", wf_comm_size(w));
    wf_comm_use(c, w, mesh);
    wf_model_parse(c, "place", text, strlen(text), &model);
    wf_array_from(c, WF_F32, dims, 1, x, &in[0]);
    wf_array_from(c, WF_F32, square, 2, x, &in[1]);
    wf_prepare(c, model ? wf_model_program(model, 0) : NULL, &e);
    wf_run(c, e, in, 2, out, 2);
    bad = wf_ctx_status(c) != WF_OK || wf_exec_memory(e) > 2 * 400000;
    if (bad)
        fprintf(stderr, "%s %zu bytes\n", wf_ctx_message(c), wf_exec_memory(e));
    for (int k = 0; k < 2; k++) {
        wf_array_release(in[k]);
        wf_array_release(out[k]);
    }
    wf_exec_release(e);
    wf_model_free(model);
    free(x);
    wf_comm_use(c, NULL, NULL);
    return bad;
}

TEST(a_sum_lies_in_the_memory_of_its_operand)
{
    CHECK_EQ_INT(in_processes(2, 60, sums_in_place, NULL), 0);
}

/* ---- who ends, fails or hangs -------------------------------------------------------------- */

static bool says(wf_ctx *c, const char *what)
{
    bool ok = wf_ctx_status(c) == WF_ERR_COMM && strstr(wf_ctx_message(c), what);

    if (ok)
        wf_clear(c);
    return ok;
}

/* At any moment, in an exchange or between two. */
static void kill_soon(void)
{
    pid_t me = getpid();

    if (fork())
        return;
    usleep((useconds_t)(1000 + me % 37 * 700));
    kill(me, SIGKILL);
    _exit(0);
}

static int one_is_killed(wf_ctx *c, wf_comm *w)
{
    float x[1000] = {0};

    for (int i = 0; i < 100000000 && wf_comm_all_reduce(c, w, WF_F32, x, 1000, WF_COMBINE_SUM) == WF_OK; i++)
        if (wf_comm_rank(w) == 1 && i == 20)
            kill_soon();
    return says(c, "rank 1 has ended") ? 0 : 1;
}

TEST(collectives_of_a_devices_memory_are_those_of_the_hosts)
{
    for (int n = 1; n < 5; n++)
        CHECK_EQ_INT(in_processes(n, 20, getenv("WORLD_DEVICE") ? everything_there : collectives, NULL), 0);
}

TEST(a_killed_process_is_an_error_of_the_others_within_seconds)
{
    int rounds = getenv("WEFT_LONG") ? 100 : 10;

    if (getenv("OMPI_COMM_WORLD_SIZE"))
        SKIP("MPI ends all itself");
    for (int k = 0; k < rounds; k++) {
        int ended;

        CHECK_EQ_INT(in_processes(3, 60, one_is_killed, &ended), 0);
        CHECK_EQ_INT(ended, 1);
    }
}

static int one_fails(wf_ctx *c, wf_comm *w)
{
    if (wf_comm_rank(w) == 2)
        return wf_comm_abort(w, "the data is gone"), _exit(0), 0;
    wf_comm_barrier(c, w);
    return says(c, "rank 2 failed: the data is gone") ? 0 : 1;
}

static int one_hangs(wf_ctx *c, wf_comm *w)
{
    if (wf_comm_rank(w) == 1) {
        usleep(4000 * 1000); /* a busy machine may begin the other late */
        return 0;
    }
    wf_comm_barrier(c, w);
    return says(c, "waited 0.3 seconds (WEFT_COMM_TIMEOUT) for rank 1") ? 0 : 1;
}

static int one_brings_more(wf_ctx *c, wf_comm *w)
{
    float x[8] = {0};

    wf_comm_all_reduce(c, w, WF_F32, x, wf_comm_rank(w) ? 8 : 7, WF_COMBINE_SUM);
    if (!says(c, "is in another exchange, or runs another program") && !says(c, "has ended"))
        return 1;
    wf_comm_barrier(c, w);
    return says(c, "after an earlier failure") ? 0 : 2;
}

static int one_runs_another_program(wf_ctx *c, wf_comm *w)
{
    wf_tensor x;
    int64_t n = 4;

    wf_comm_use(c, w, "data:2");
    x = wf_zeros(c, WF_F32, &n, 1);
    if (wf_comm_rank(w))
        wf_psum(c, wf_add(c, x, x), "data");
    else
        wf_pmax(c, x, "data");
    wf_comm_use(c, NULL, NULL);
    return wf_ctx_status(c) == WF_ERR_COMM ? (wf_clear(c), 0) : 1;
}

TEST(a_process_that_fails_hangs_or_does_something_else_is_named)
{
    if (getenv("OMPI_COMM_WORLD_SIZE"))
        SKIP("MPI ends all itself");
    CHECK_EQ_INT(in_processes(3, 60, one_fails, NULL), 0);
    CHECK_EQ_INT(in_processes(2, 0.3, one_hangs, NULL), 0);
    CHECK_EQ_INT(in_processes(2, 60, one_brings_more, NULL), 0);
    CHECK_EQ_INT(in_processes(2, 60, one_runs_another_program, NULL), 0);
}

TEST(what_does_not_fit_is_refused)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_comm_options o = {.size = sizeof o, .ranks = 2, .rank = 5};
    wf_comm *w = NULL;

    if (getenv("OMPI_COMM_WORLD_SIZE"))
        SKIP("it is the same there");
    CHECK_EQ_INT(wf_comm_open(c, &o, &w), WF_ERR_COMM);
    CHECK_HAS(wf_ctx_message(c), "rank 5 of 2");
    wf_clear(c);
    o.rank = 0;
    o.patience = 0.2;
    o.key = "nobody";
    CHECK_EQ_INT(wf_comm_open(c, &o, &w), WF_ERR_COMM);
    CHECK_HAS(wf_ctx_message(c), "waited 0.2 seconds for rank 1 to arrive");
    wf_clear(c);
    o = (wf_comm_options){.size = sizeof o, .ranks = 1, .key = "alone"};
    REQUIRE(wf_comm_open(c, &o, &w) == WF_OK);
    CHECK_EQ_INT(wf_comm_use(c, w, "data:2"), WF_ERR_VALUE);
    CHECK_HAS(wf_ctx_message(c), "has 2 devices, there are 1 processes");
    wf_clear(c);
    CHECK_EQ_INT(wf_comm_use(c, w, "data"), WF_ERR_VALUE);
    wf_clear(c);
    CHECK_EQ_INT(wf_comm_all_reduce(c, w, WF_F32, NULL, 3, WF_COMBINE_SUM), WF_ERR_ARG);
    wf_clear(c);
    CHECK_EQ_INT(wf_comm_broadcast(c, w, &o, 1, 1), WF_ERR_ARG);
    wf_clear(c);
    wf_comm_close(w);
    wf_ctx_free(c);
}
