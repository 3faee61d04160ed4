/* test_threads.c -- the pool: every task once, nesting, several callers, fork, the host's
 * threads, what contexts share, how many cores there are. */
#include "lib_exit.h"
#include "test.h"

#include "base/base.h"

#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__SANITIZE_THREAD__)
#define TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TSAN 1
#endif
#endif
#ifndef TSAN
#define TSAN 0
#endif

#define TASKS 1000

typedef struct Job {
    Pool *pool;
    atomic_int done[TASKS];
    atomic_int total;
    pthread_t first; /* thread of task 0 */
    atomic_int others;
} Job;

static void mark(void *user, int i)
{
    Job *j = user;

    atomic_fetch_add(&j->done[i], 1);
    atomic_fetch_add(&j->total, 1);
}

static void check_once(Job *j, int n)
{
    CHECK_EQ_INT(j->total, n);
    for (int i = 0; i < n; i++)
        if (j->done[i] != 1)
            FAIL("task %d of %d ran %d times", i, n, (int)j->done[i]);
}

TEST(every_task_runs_exactly_once)
{
    static const int sizes[] = {0, 1, 2, 3, 7, 64, TASKS};

    for (int threads = 1; threads <= 5; threads++) {
        Pool *p = pool_new(&alloc_default, threads);

        REQUIRE(p != NULL);
        CHECK_EQ_INT(pool_threads(p), threads);
        for (int round = 0; round < 300; round++) {
            static Job j;

            memset(&j, 0, sizeof j);
            int n = sizes[round % COUNT(sizes)];
            pool_run(p, n, mark, &j);
            check_once(&j, n);
            if (round % 50 == 49)
                usleep(300); /* long enough for the workers to fall asleep */
        }
        pool_free(p);
    }
    CHECK_EQ_INT(pool_threads(NULL), 1);
}

/* Ends when all three are under way: each has a thread of its own. */
static void meet(void *user, int i)
{
    atomic_int *here = user;

    (void)i;
    for (atomic_fetch_add(here, 1); atomic_load(here) < 3;)
        usleep(10);
}

TEST(a_watch_sees_when_workers_were_at_work)
{
    Pool *p = pool_new(&alloc_default, 3);
    PoolSpan spans[4];
    PoolWatch w = {.v = spans, .room = COUNT(spans)};
    atomic_int met[3] = {0, 0, 0};
    double start = clock_seconds(), end;

    REQUIRE(p != NULL);
    CHECK(pool_watch(&w) == NULL);
    pool_run(p, 3, meet, &met[0]);
    CHECK(pool_watch(NULL) == &w);
    end = clock_seconds();
    CHECK_EQ_INT((int)w.n, 2);
    CHECK_EQ_INT(spans[0].thread + spans[1].thread, 3);
    for (int i = 0; i < 2; i++)
        CHECK(start <= spans[i].start && spans[i].start <= spans[i].end && spans[i].end <= end);
    pool_run(p, 3, meet, &met[1]); /* nobody watches */
    CHECK_EQ_INT((int)w.n, 2);
    w.room = 3;
    pool_watch(&w);
    pool_run(p, 3, meet, &met[2]);
    pool_watch(NULL);
    CHECK_EQ_INT((int)w.n, 4); /* one was one too many */
    pool_free(p);
}

TEST(a_profile_has_the_shares_of_other_threads)
{
    static const char text[] = "f(x: f32[700,700]) {\n  y = dot_general x x lhs=[1] rhs=[0] acc=f32\n  ret y\n}\n";
    wf_options o = {.size = sizeof o, .threads = 2};
    wf_ctx *c = wf_ctx_new(&o);
    wf_array *x = NULL;
    wf_model *m = NULL;
    wf_exec *e = NULL;
    wf_profile *p = NULL;

    REQUIRE(wf_array_new(c, WF_F32, (int64_t[]){700, 700}, 2, &x) == WF_OK);
    memset(wf_array_data_mutable(x), 0, 700 * 700 * sizeof(float));
    REQUIRE(wf_model_parse(c, "f", text, strlen(text), &m) == WF_OK);
    REQUIRE(wf_prepare(c, wf_model_program(m, 0), &e) == WF_OK);
    REQUIRE(wf_profile_new(c, e, &x, 1, 50, &p) == WF_OK);
    CHECK(wf_profile_shares(p) > 0);
    for (int i = 0; i < wf_profile_shares(p); i++) {
        wf_profile_share s = wf_profile_share_at(p, i);
        const wf_profile_step *step = wf_profile_step_at(p, s.step);

        CHECK(step && !strcmp(step->op, "dot_general") && s.thread == 1 && s.start >= 0 && s.seconds >= 0);
    }
    CHECK_EQ_INT(wf_profile_share_at(p, -1).step, -1);
    CHECK_EQ_INT(wf_profile_share_at(NULL, 0).step, -1);
    wf_profile_free(p);
    wf_exec_release(e);
    wf_model_free(m);
    wf_array_release(x);
    wf_ctx_free(c);
}

static void plain_sum(void *user, int i) { ((long *)user)[i] += i; }

/* Jobs that follow each other at once: a late worker must never take a task of the wrong
 * job. */
TEST(many_short_jobs_in_a_row_keep_their_own_data)
{
    Pool *p = pool_new(&alloc_default, 4);
    long a[8] = {0}, b[5] = {0};

    for (int k = 0; k < 20000; k++) {
        pool_run(p, 8, plain_sum, a);
        pool_run(p, 5, plain_sum, b);
    }
    for (int i = 0; i < 8; i++)
        CHECK_EQ_INT(a[i], 20000L * i);
    for (int i = 0; i < 5; i++)
        CHECK_EQ_INT(b[i], 20000L * i);
    pool_free(p);
}

static void wait_for_two(void *user, int i)
{
    Job *j = user;
    double until = clock_seconds() + 10;

    (void)i;
    atomic_fetch_add(&j->total, 1);
    while (atomic_load(&j->total) < 2 && clock_seconds() < until)
        ;
}

TEST(tasks_really_run_side_by_side_also_after_sleep)
{
    Pool *p = pool_new(&alloc_default, 2);

    for (int k = 0; k < 5; k++) {
        static Job j;

        memset(&j, 0, sizeof j);
        double start = clock_seconds();
        pool_run(p, 2, wait_for_two, &j);
        CHECK(clock_seconds() - start < 9); /* each waited for the other */
        usleep(2000);
    }
    pool_free(p);
}

static void slow_on_workers(void *user, int i)
{
    Job *j = user;

    (void)i;
    if (!pthread_equal(pthread_self(), j->first)) {
        usleep(3000);
        atomic_fetch_add(&j->others, 1);
    } else {
        while (atomic_load(&j->total) == 0 && atomic_load(&j->others) == 0)
            usleep(10);
    }
    atomic_fetch_add(&j->total, 1);
}

TEST(a_caller_that_is_done_early_waits_for_the_last_task)
{
    Pool *p = pool_new(&alloc_default, 3);

    for (int k = 0; k < 10; k++) {
        static Job j;

        memset(&j, 0, sizeof j);
        j.first = pthread_self();
        pool_run(p, 6, slow_on_workers, &j);
        CHECK_EQ_INT(j.total, 6);
    }
    pool_free(p);
}

static void nest(void *user, int i)
{
    Job *j = user;
    long inner[4] = {0};

    pool_run(j->pool, 4, plain_sum, inner);
    if (inner[3] == 3 && inner[0] == 0)
        mark(user, i);
}

TEST(a_task_inside_a_task_does_its_own_work)
{
    static Job j;

    memset(&j, 0, sizeof j);
    j.pool = pool_new(&alloc_default, 3);
    pool_run(j.pool, 100, nest, &j);
    check_once(&j, 100);
    pool_free(j.pool);
}

static void *call_many(void *arg)
{
    Job *j = arg;

    for (int k = 0; k < 500; k++) {
        long a[6] = {0};

        pool_run(j->pool, 6, plain_sum, a);
        for (int i = 0; i < 6; i++)
            atomic_fetch_add(&j->total, (int)(a[i] == i));
    }
    return NULL;
}

TEST(callers_on_several_threads_share_one_pool)
{
    static Job j;
    pthread_t t[4];

    memset(&j, 0, sizeof j);
    j.pool = pool_new(&alloc_default, 3);
    for (int i = 0; i < 4; i++)
        REQUIRE(pthread_create(&t[i], NULL, call_many, &j) == 0);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    CHECK_EQ_INT(j.total, 4 * 500 * 6);
    pool_free(j.pool);
}

/* Status of a child that runs jobs on the parent's pool: 0, or what went wrong. */
static int child_uses_pool(Pool *p)
{
    static Job j;

    for (int k = 0; k < 20; k++) {
        memset(&j, 0, sizeof j);
        pool_run(p, 50, mark, &j);
        if (j.total != 50)
            return 1;
    }
    memset(&j, 0, sizeof j);
    double start = clock_seconds();
    pool_run(p, 2, wait_for_two, &j); /* has a worker of its own */
    if (clock_seconds() - start > 9)
        return 2;
    pool_free(p);
    return 0;
}

static int status_of(pid_t child)
{
    int status = -1;

    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
        return -1;
    return WEXITSTATUS(status);
}

TEST(after_fork_the_child_has_workers_of_its_own)
{
    if (TSAN)
        SKIP("ThreadSanitizer cannot start threads in a forked child");
    Pool *p = pool_new(&alloc_default, 2);
    static Job j;
    pid_t child;

    for (int k = 0; k < 5; k++) {
        memset(&j, 0, sizeof j);
        pool_run(p, 50, mark, &j);
        child = fork();
        if (child == 0)
            test_exit(child_uses_pool(p));
        CHECK_EQ_INT(status_of(child), 0);
    }
    child = fork();
    if (child == 0) { /* freeing without use */
        pool_free(p);
        _exit(0);
    }
    CHECK_EQ_INT(status_of(child), 0);
    memset(&j, 0, sizeof j);
    pool_run(p, 50, mark, &j);
    check_once(&j, 50);
    pool_free(p);
}

/* ---- the context's pool ------------------------------------------------------------ */

static void host_parallel(void *user, int n, void (*task)(void *task_user, int i),
                          void *task_user)
{
    ++*(int *)user;
    for (int i = n - 1; i >= 0; i--)
        task(task_user, i);
}

TEST(the_hosts_threads_are_used_when_given)
{
    int calls = 0;
    wf_options o = {.size = sizeof o,
                    .parallel = host_parallel,
                    .parallel_user = &calls,
                    .threads = 8};
    wf_ctx *cx = wf_ctx_new(&o);
    static Job j;

    memset(&j, 0, sizeof j);
    j.pool = ctx_threads(cx);
    CHECK_EQ_INT(pool_threads(j.pool), 8);
    pool_run(j.pool, 20, nest, &j); /* the inner ones are not given to the host again */
    check_once(&j, 20);
    CHECK_EQ_INT(calls, 1);
    CHECK(ctx_threads(cx) == j.pool);
    wf_ctx_free(cx);
}

TEST(a_context_of_one_thread_has_no_pool)
{
    wf_options o = {.size = sizeof o, .threads = 1};
    wf_ctx *cx = wf_ctx_new(&o);
    static Job j;

    memset(&j, 0, sizeof j);
    CHECK(ctx_threads(cx) == NULL);
    pool_run(ctx_threads(cx), 30, mark, &j);
    check_once(&j, 30);
    wf_ctx_free(cx);
    o.threads = 3;
    cx = wf_ctx_new(&o);
    CHECK_EQ_INT(pool_threads(ctx_threads(cx)), 3);
    wf_ctx_free(cx);
}

static void *cancel_later(void *arg)
{
    usleep(1000);
    wf_cancel(arg);
    return NULL;
}

TEST(a_run_is_cancelled_from_another_thread)
{
    wf_ctx *cx = wf_ctx_new(NULL);
    double until = clock_seconds() + 10;
    pthread_t t;

    CHECK(!cancelled(cx));
    REQUIRE(ctx_call_begin(cx));
    REQUIRE(pthread_create(&t, NULL, cancel_later, cx) == 0);
    while (!cancelled(cx) && clock_seconds() < until)
        ;
    pthread_join(t, NULL);
    CHECK(cancelled(cx));
    ctx_call_end(cx);
    wf_ctx_free(cx);
}

static void *enter_too(void *arg)
{
    static wf_status got;
    const char *text;

    got = wf_passes_text(arg, &text);
    return &got;
}

TEST(one_context_in_two_threads_at_once_is_an_error_for_both)
{
    wf_ctx *cx = wf_ctx_new(NULL);
    const char *text;
    pthread_t t;
    void *got;

    REQUIRE(ctx_call_begin(cx)); /* as in a long call */
    REQUIRE(pthread_create(&t, NULL, enter_too, cx) == 0);
    pthread_join(t, &got);
    CHECK_EQ_INT(*(wf_status *)got, WF_ERR_ARG);
    CHECK_EQ_INT(wf_ctx_status(cx), WF_ERR_ARG);
    ctx_call_end(cx);
    CHECK_STR(wf_ctx_message(cx),
              "wrong argument: the context was used by two threads at once");
    wf_clear(cx);
    CHECK_EQ_INT(wf_passes_text(cx, &text), WF_OK); /* and goes on, in one */
    wf_ctx_free(cx);
}

/* Short calls of two threads, one after the other and now and then at once. Under TSan the races would be what is tested. */
typedef struct Careless {
    wf_ctx *cx;
    wf_tensor x;
} Careless;

static void *call_carelessly(void *arg)
{
    Careless *k = arg;
    double end = clock_seconds() + 20, item;

    while (wf_ctx_status(k->cx) == WF_OK && clock_seconds() < end)
        for (int i = 0; i < 100; i++) {
            wf_scope_begin(k->cx);
            wf_tensor y = wf_softmax(k->cx, wf_add(k->cx, k->x, wf_float(k->cx, i)), 0);
            wf_read_f64(k->cx, wf_sum(k->cx, y, NULL, 0, false), &item, 1);
            wf_drop(k->cx, wf_keep(k->cx, wf_from(k->cx, WF_I32, (int64_t[]){1}, 1, &i)));
            wf_rank(k->cx, wf_reshape(k->cx, y, (int64_t[]){2, WF_INFER}, 2));
            wf_scope_end(k->cx);
        }
    return NULL;
}

static bool races_are_reported(void)
{
#if defined(__SANITIZE_THREAD__)
    return true;
#elif defined(__has_feature)
    return __has_feature(thread_sanitizer);
#else
    return false;
#endif
}

TEST(two_threads_that_share_a_context_break_nothing)
{
    for (int round = 0; round < 20 && !races_are_reported(); round++) {
        Careless k = {wf_ctx_new(NULL), WF_NONE};
        pthread_t t[2];

        k.x = wf_ones(k.cx, WF_F32, (int64_t[]){8}, 1);
        for (int i = 0; i < 2; i++)
            REQUIRE(pthread_create(&t[i], NULL, call_carelessly, &k) == 0);
        for (int i = 0; i < 2; i++)
            pthread_join(t[i], NULL);
        CHECK_EQ_INT(wf_ctx_status(k.cx), WF_ERR_ARG);
        wf_clear(k.cx);
        CHECK(wf_item(k.cx, wf_sum(k.cx, k.x, NULL, 0, false)) == 8);
        CHECK_EQ_INT(wf_ctx_status(k.cx), WF_OK);
        wf_ctx_free(k.cx);
    }
}

/* ---- what contexts share ------------------------------------------------------------- */

/* Threads of this process that pools made. */
static int count_workers(void)
{
    DIR *d = opendir("/proc/self/task");
    struct dirent *e;
    int n = 0;

    while (d && (e = readdir(d))) {
        char path[300], name[32] = "";
        FILE *f;

        snprintf(path, sizeof path, "/proc/self/task/%s/comm", e->d_name);
        f = e->d_name[0] == '.' ? NULL : fopen(path, "r");
        if (f && fgets(name, sizeof name, f))
            n += strcmp(name, "weft\n") == 0;
        if (f)
            fclose(f);
    }
    if (d)
        closedir(d);
    return n;
}

typedef struct Caller {
    pthread_t thread;
    wf_runtime *runtime;
    pthread_barrier_t *ready;
    bool ok;
    int workers;
} Caller;

static void *use_context(void *arg)
{
    Caller *c = arg;
    wf_options o = {.size = sizeof o, .runtime = c->runtime};
    wf_ctx *cx = wf_ctx_new(&o);

    c->ok = true;
    for (int k = 0; k < 200; k++) {
        long a[16] = {0};

        pool_run(ctx_threads(cx), 16, plain_sum, a);
        for (int i = 0; i < 16; i++)
            c->ok = c->ok && a[i] == i;
    }
    pthread_barrier_wait(c->ready); /* all have their pool now */
    c->workers = count_workers();
    pthread_barrier_wait(c->ready);
    wf_ctx_free(cx);
    return NULL;
}

static void check_shared(wf_runtime *r, int most)
{
    enum { N = 8 };
    Caller c[N];
    pthread_barrier_t ready;

    pthread_barrier_init(&ready, NULL, N);
    for (int i = 0; i < N; i++) {
        c[i] = (Caller){.runtime = r, .ready = &ready};
        REQUIRE(pthread_create(&c[i].thread, NULL, use_context, &c[i]) == 0);
    }
    for (int i = 0; i < N; i++) {
        pthread_join(c[i].thread, NULL);
        CHECK(c[i].ok);
        CHECK(c[i].workers <= most);
    }
    pthread_barrier_destroy(&ready);
}

TEST(contexts_on_many_threads_share_one_pool)
{
    wf_runtime *r = wf_runtime_new(
        &(wf_runtime_options){.size = sizeof(wf_runtime_options), .threads = 3});

    REQUIRE(r != NULL);
    CHECK_EQ_INT(count_workers(), 0);
    check_shared(NULL, cpu_count() - 1);
    CHECK_EQ_INT(count_workers(), 0); /* gone with the last context */
    CHECK_EQ_INT(wf_runtime_threads(r), 3);
    check_shared(r, 2);
    CHECK_EQ_INT(count_workers(), 2); /* still held */
    wf_runtime_release(r);
    CHECK_EQ_INT(count_workers(), 0);
}

TEST(runtimes_live_side_by_side)
{
    wf_runtime_options two = {.size = sizeof two, .threads = 2}, four = two;
    wf_runtime *r, *q;
    wf_ctx *a, *b, *plain = wf_ctx_new(NULL), *other = wf_ctx_new(NULL);

    four.threads = 4;
    r = wf_runtime_new(&two);
    q = wf_runtime_new(&four);
    a = wf_ctx_new(&(wf_options){.size = sizeof(wf_options), .runtime = r});
    b = wf_ctx_new(&(wf_options){.size = sizeof(wf_options), .runtime = q});
    wf_runtime_release(r);
    wf_runtime_release(q);
    CHECK(wf_ctx_runtime(a) == r && wf_ctx_runtime(b) == q);
    CHECK_EQ_INT(pool_threads(ctx_threads(a)), 2);
    CHECK_EQ_INT(pool_threads(ctx_threads(b)), 4);
    CHECK(wf_ctx_runtime(plain) == wf_ctx_runtime(other));
    CHECK(wf_ctx_runtime(plain) != r);
    wf_ctx_free(a);
    wf_ctx_free(b);
    wf_ctx_free(plain);
    wf_ctx_free(other);
}

static void count_together(void *user, int i)
{
    Job *j = user;
    int now = atomic_fetch_add(&j->total, 1) + 1, most = atomic_load(&j->others);

    (void)i;
    while (now > most && !atomic_compare_exchange_weak(&j->others, &most, now))
        ;
    usleep(500);
    atomic_fetch_sub(&j->total, 1);
}

/* A worker that still sat from the job before may be one more. */
TEST(a_context_uses_no_more_of_the_pool_than_it_asks_for)
{
    Pool *p = pool_new(&alloc_default, 6);
    static Job j;

    for (int most = 1; most <= 6; most++) {
        memset(&j, 0, sizeof j);
        pool_run_most(p, most, 40, count_together, &j);
        CHECK(j.others <= most + (most > 1));
        usleep(2000);
    }
    pool_free(p);
}

/* ---- how many cores ------------------------------------------------------------------ */

static void write_text(const char *dir, const char *name, const char *text)
{
    char path[512];
    FILE *f;

    snprintf(path, sizeof path, "%s/%s", dir, name);
    f = fopen(path, "w");
    if (f) {
        fputs(text, f);
        fclose(f);
    }
}

TEST(the_quota_of_control_groups_counts)
{
    char root[] = "/tmp/weft-cgroup-XXXXXX", command[200];

    REQUIRE(mkdtemp(root) != NULL);
    char own[128], member[128], outer[128];
    snprintf(outer, sizeof outer, "%s/a", root);
    snprintf(own, sizeof own, "%s/a/b", root);
    snprintf(member, sizeof member, "%s/member", root);
    snprintf(command, sizeof command, "mkdir -p %s %s/cpu/x", own, root);
    REQUIRE(system(command) == 0);
    write_text(root, "member", "0::/a/b\n");
    CHECK_EQ_INT(cgroup_cpus(member, root), 0); /* no limit anywhere */
    write_text(own, "cpu.max", "max 100000\n");
    CHECK_EQ_INT(cgroup_cpus(member, root), 0);
    write_text(own, "cpu.max", "350000 100000\n");
    CHECK_EQ_INT(cgroup_cpus(member, root), 4); /* three and a half */
    write_text(outer, "cpu.max", "200000 100000\n");
    CHECK_EQ_INT(cgroup_cpus(member, root), 2); /* that around it is less */
    write_text(root, "member", "0::/not/here\n");
    CHECK_EQ_INT(cgroup_cpus(member, root), 0);
    write_text(root, "cpu.max", "10000 100000\n");
    CHECK_EQ_INT(cgroup_cpus(member, root), 1); /* in a container */
    write_text(root, "member", "5:cpuset:/x\n4:cpu,cpuacct:/x\n");
    CHECK_EQ_INT(cgroup_cpus(member, root), 0);
    snprintf(own, sizeof own, "%s/cpu/x", root);
    write_text(own, "cpu.cfs_quota_us", "-1\n");
    write_text(own, "cpu.cfs_period_us", "100000\n");
    CHECK_EQ_INT(cgroup_cpus(member, root), 0);
    write_text(own, "cpu.cfs_quota_us", "150000\n");
    CHECK_EQ_INT(cgroup_cpus(member, root), 2);
    CHECK_EQ_INT(cgroup_cpus("/not/there", root), 0);
    snprintf(command, sizeof command, "rm -r %s", root);
    CHECK(system(command) == 0);
}

/* ---- one model, many threads --------------------------------------------------------- */

typedef struct Server {
    wf_model *m;
    float want[3];
    atomic_int bad;
} Server;

static void *serve(void *arg)
{
    Server *s = arg;
    wf_ctx *c = wf_ctx_new(&(wf_options){.size = sizeof(wf_options), .threads = 1});
    float got[3];

    for (int k = 0; k < (TSAN ? 5 : 50); k++) {
        wf_tensor x, y;

        wf_scope_begin(c);
        x = wf_ones(c, WF_F32, (int64_t[]){1, 4}, 2);
        if (wf_model_run(c, s->m, "forward", &x, 1, &y, 1) ||
            wf_read(c, y, got, sizeof got) || memcmp(got, s->want, sizeof got) != 0)
            atomic_fetch_add(&s->bad, 1);
        wf_scope_end(c);
    }
    wf_ctx_free(c);
    return NULL;
}

TEST(one_model_is_run_by_many_threads_at_once)
{
    enum { THREADS = 4 };
    wf_ctx *c = wf_ctx_new(NULL);
    wf_module *net =
        wf_nn_sequential(c, 2, wf_nn_linear(c, NULL, 4, 3, true), wf_nn_relu(c));
    const char *types[] = {"f32[N,4]"};
    char path[] = "/tmp/weft_serverXXXXXX";
    int fd = mkstemp(path);
    pthread_t id[THREADS];
    Server s = {0};
    wf_tensor x = wf_ones(c, WF_F32, (int64_t[]){1, 4}, 2), y;
    wf_model *m;

    REQUIRE(fd >= 0 && wf_model_new(c, &m) == WF_OK);
    close(fd);
    wf_module_store(c, net, m);
    wf_module_add_method(c, net, m, "forward", NULL, NULL, types, 1, 1);
    REQUIRE(wf_model_save(c, m, path) == WF_OK);
    wf_model_free(m);
    REQUIRE(wf_model_load(c, path, &s.m) == WF_OK); /* tensors are mapped */
    REQUIRE(wf_model_run(c, s.m, "forward", &x, 1, &y, 1) == WF_OK);
    wf_read(c, y, s.want, sizeof s.want);
    for (int i = 0; i < THREADS; i++)
        REQUIRE(pthread_create(&id[i], NULL, serve, &s) == 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(id[i], NULL);
    CHECK_EQ_INT(atomic_load(&s.bad), 0);
    wf_model_free(s.m);
    unlink(path);
    wf_module_release(c, net);
    wf_ctx_free(c);
}
