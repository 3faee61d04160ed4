/* test_threads.c -- the pool: every task once, nesting, several callers, fork, the host's
 * threads. */
#include "test.h"

#include "base/base.h"

#include <pthread.h>
#include <stdlib.h>
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

static void plain_sum(void *user, int i)
{
    ((long *)user)[i] += i;
}

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
            _exit(child_uses_pool(p));
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
    REQUIRE(pthread_create(&t, NULL, cancel_later, cx) == 0);
    while (!cancelled(cx) && clock_seconds() < until)
        ;
    pthread_join(t, NULL);
    CHECK(cancelled(cx));
    wf_ctx_free(cx);
}
