/* test_sweep.c -- every public function with every kind of wrong argument: NULL, zero, negative
 * and huge numbers, wrong dtypes, dead and foreign handles. None crashes.
 *
 * The callers (gen/sweep_calls.h) are made from the headers by tests/sweep.py, so a new function
 * is swept; arguments come from sweep_picks.h.
 * Each function is called in a process of its own; SWEEP sets how often, SWEEP_ONLY which.
 */
#include "test.h"
#include "lib_exit.h"
#include "sweep_picks.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- running ------------------------------------------------------------------------- */

static void sweep_once(int k, uint64_t seed, bool crossing)
{
    Sweep s = {.state = seed * 2654435761u + (uint64_t)k, .crossing = crossing};
    wf_options o = {.size = sizeof o, .allocator = {count_resize, &s}, .threads = 1};

    s.buffer = mmap(NULL, LIMIT, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (s.buffer == MAP_FAILED)
        _exit(3);
    s.c = wf_ctx_new(&o);
    s.other = wf_ctx_new(&o);
    sweep_calls[k].call(&s);
    /* What took a handle over or freed it: the process ends here, and all else was the call. */
    if (!sweep_takes(k))
        sweep_end(&s);
    munmap(s.buffer, LIMIT);
}

static void sweep_function(int k, int calls, bool crossing, const char *dir, volatile int *at)
{
    pid_t pid = fork();
    int status = 0;

    if (pid == 0) {
        struct rlimit core = {0, 0}, cpu = {60, 60};

        setrlimit(RLIMIT_CORE, &core);
        setrlimit(RLIMIT_CPU, &cpu);
        if (!freopen("/dev/null", "w", stderr) || !freopen("/dev/null", "w", stdout) ||
            chdir(dir))
            _exit(3);
        for (*at = 0; *at < calls; (*at)++)
            sweep_once(k, (uint64_t)*at + 1, crossing);
        test_exit(0);
    }
    if (pid < 0 || waitpid(pid, &status, 0) < 0)
        check_fail(sweep_calls[k].name, 0, "no process");
    else if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_NOTICED)
        check_fail(sweep_calls[k].name, 0, "call %d: another thread was in a call of the context, and nobody noticed", *at);
    else if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        check_fail(sweep_calls[k].name, 0, "call %d ended with %s %d", *at,
                   WIFSIGNALED(status) ? "signal" : "status",
                   WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
}

static void sweep(int calls, bool crossing)
{
    const char *only = getenv("SWEEP_ONLY"), *n = getenv("SWEEP");
    char dir[] = "/tmp/weft_sweep_XXXXXX",
         remove[64]; /* for functions that write files */
    volatile int *at = mmap(NULL, sizeof *at, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (n)
        calls = atoi(n);
    CHECK(COUNT(sweep_calls) > 500);
    CHECK(mkdtemp(dir) != NULL);
    for (int k = 0; at != MAP_FAILED && k < COUNT(sweep_calls); k++)
        if (!only || strstr(sweep_calls[k].name, only))
            sweep_function(k, calls, crossing, dir, at);
    snprintf(remove, sizeof remove, "rm -rf %s", dir);
    CHECK(system(remove) == 0);
}

TEST(no_argument_of_any_function_crashes_it) { sweep(60, false); }

TEST(every_function_notices_another_thread_in_its_context) { sweep(6, true); }
