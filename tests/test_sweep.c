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

#include <limits.h>
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

/* ---- functions that are left out of the table ------------------------------------------------------ */

/* by its own reason: an error before it would answer for it */
#define REFUSED(c, call) (wf_clear(c), CHECK((call) != WF_OK))

static void bare_wf_memory(wf_ctx *c)
{
    CHECK(wf_memory(NULL, NULL, 0, 8) == NULL);
    CHECK(wf_memory(c, NULL, 0, SIZE_MAX) == NULL);
    CHECK(wf_memory(c, NULL, 0, 0) == NULL);
}

static void bare_wf_array_wrap(wf_ctx *c)
{
    static float data[4];
    static const int64_t four = 4, negative = -1, huge = INT64_MAX;
    wf_array *a = NULL;

    REFUSED(NULL, wf_array_wrap(NULL, WF_F32, &four, 1, NULL, data, NULL, NULL, &a));
    REFUSED(c, wf_array_wrap(c, WF_F32, &four, 1, NULL, NULL, NULL, NULL, &a));
    REFUSED(c, wf_array_wrap(c, WF_F32, &four, 1, NULL, data, NULL, NULL, NULL));
    REFUSED(c, wf_array_wrap(c, WF_F32, NULL, 1, NULL, data, NULL, NULL, &a));
    REFUSED(c, wf_array_wrap(c, WF_F32, &four, -1, NULL, data, NULL, NULL, &a));
    REFUSED(c, wf_array_wrap(c, WF_F32, &four, INT_MAX, NULL, data, NULL, NULL, &a));
    REFUSED(c, wf_array_wrap(c, WF_F32, &negative, 1, NULL, data, NULL, NULL, &a));
    REFUSED(c, wf_array_wrap(c, WF_F32, &huge, 1, NULL, data, NULL, NULL, &a));
    REFUSED(c, wf_array_wrap(c, (wf_dtype)99, &four, 1, NULL, data, NULL, NULL, &a));
    CHECK(a == NULL);
}

static void bare_wf_array_wrap_const(wf_ctx *c)
{
    static const int64_t four = 4, huge = INT64_MAX;
    wf_array *a = NULL;

    REFUSED(NULL, wf_array_wrap_const(NULL, WF_F32, &four, 1, NULL, &four, NULL, NULL, &a));
    REFUSED(c, wf_array_wrap_const(c, WF_F32, &four, 1, NULL, NULL, NULL, NULL, &a));
    REFUSED(c, wf_array_wrap_const(c, WF_F32, NULL, 1, NULL, &four, NULL, NULL, &a));
    REFUSED(c, wf_array_wrap_const(c, WF_F32, &huge, 1, NULL, &four, NULL, NULL, &a));
    CHECK(a == NULL);
}

static void bare_wf_from_dlpack(wf_ctx *c)
{
    CHECK(wf_is_none(wf_from_dlpack(NULL, NULL)));
    CHECK(wf_is_none(wf_from_dlpack(c, NULL)) && wf_ctx_status(c) != WF_OK);
}

static void bare_wf_array_from_dlpack(wf_ctx *c)
{
    struct DLManagedTensor wrong = {.dl_tensor = {.ndim = -1}};
    wf_array *a = NULL;

    REFUSED(NULL, wf_array_from_dlpack(NULL, NULL, &a));
    REFUSED(c, wf_array_from_dlpack(c, NULL, &a));
    REFUSED(c, wf_array_from_dlpack(c, &wrong, &a));
    REFUSED(c, wf_array_from_dlpack(c, &wrong, NULL));
    CHECK(a == NULL);
}

static void bare_wf_array_from_dlpack_versioned(wf_ctx *c)
{
    struct DLManagedTensorVersioned wrong = {.version = {99, 0}};
    wf_array *a = NULL;

    REFUSED(NULL, wf_array_from_dlpack_versioned(NULL, NULL, &a));
    REFUSED(c, wf_array_from_dlpack_versioned(c, NULL, &a));
    REFUSED(c, wf_array_from_dlpack_versioned(c, &wrong, &a));
    REFUSED(c, wf_array_from_dlpack_versioned(c, &wrong, NULL));
    CHECK(a == NULL);
}

static void bare_wf_nn_sequential(wf_ctx *c)
{
    CHECK(wf_nn_sequential(NULL, 0) == NULL);
    REFUSED(c, (CHECK(wf_nn_sequential(c, -1) == NULL), wf_ctx_status(c)));
    REFUSED(c, (CHECK(wf_nn_sequential(c, 2, (wf_module *)NULL, (wf_module *)NULL) == NULL), wf_ctx_status(c)));
}

static void bare_wf_nn_list(wf_ctx *c)
{
    CHECK(wf_nn_list(NULL, 0) == NULL);
    REFUSED(c, (CHECK(wf_nn_list(c, -1) == NULL), wf_ctx_status(c)));
    REFUSED(c, (CHECK(wf_nn_list(c, 1, (wf_module *)NULL) == NULL), wf_ctx_status(c)));
}

static void bare_wf_machine_speed(wf_ctx *c)
{
    double x;

    REFUSED(NULL, wf_machine_speed(NULL, &x, &x));
    REFUSED(c, wf_machine_speed(c, NULL, &x));
    REFUSED(c, wf_machine_speed(c, &x, NULL));
}

static void bare_wf_script_run(wf_ctx *c)
{
    char *none[] = {NULL, NULL};
    int status = 0;

    REFUSED(NULL, wf_script_run(NULL, "a.py", 0, NULL, &status));
    REFUSED(c, wf_script_run(c, NULL, 0, NULL, &status));
    REFUSED(c, wf_script_run(c, "/", 0, NULL, &status));
    REFUSED(c, wf_script_run(c, "/no/such.py", -1, none, &status));
    REFUSED(c, wf_script_run(c, "/no/such.py", 2, none, NULL));
}

static void bare_wf_script_run_module(wf_ctx *c)
{
    int status = 0;

    REFUSED(NULL, wf_script_run_module(NULL, "a", 0, NULL, &status));
    REFUSED(c, wf_script_run_module(c, NULL, 0, NULL, &status));
    REFUSED(c, wf_script_run_module(c, "", 0, NULL, &status));
    REFUSED(c, wf_script_run_module(c, "no..such", -1, NULL, NULL));
}

static void bare_wf_script_programs(wf_ctx *c)
{
    wf_model *m = NULL;

    REFUSED(NULL, wf_script_programs(NULL, "a.py", 0, NULL, &m));
    REFUSED(c, wf_script_programs(c, NULL, 0, NULL, &m));
    REFUSED(c, wf_script_programs(c, "/no/such.py", -1, NULL, &m));
    REFUSED(c, wf_script_programs(c, "/no/such.py", 0, NULL, NULL));
    CHECK(m == NULL);
}

static void bare_wf_ctx_free(wf_ctx *c)
{
    (void)c;
    wf_ctx_free(NULL);
}

#define BARE(f) {#f, bare_##f}
static const struct {
    const char *name;
    void (*call)(wf_ctx *c);
} bare[] = {BARE(wf_memory), BARE(wf_array_wrap), BARE(wf_array_wrap_const), BARE(wf_from_dlpack),
            BARE(wf_array_from_dlpack), BARE(wf_array_from_dlpack_versioned), BARE(wf_nn_sequential), BARE(wf_nn_list),
            BARE(wf_machine_speed), BARE(wf_script_run),
            BARE(wf_script_run_module), BARE(wf_script_programs), BARE(wf_ctx_free)};

TEST(functions_whose_arguments_are_promises_take_none_that_are_none)
{
    static const char *const left[] = {SWEEP_LEFT_OUT};

    CHECK_EQ_INT(COUNT(left), COUNT(bare));
    for (int i = 0; i < COUNT(left) && i < COUNT(bare); i++) {
        wf_ctx *c = wf_ctx_new(NULL);

        CHECK_STR(left[i], bare[i].name);
        bare[i].call(c);
        CHECK(wf_ctx_status(c) != WF_ERR_INTERNAL);
        wf_ctx_free(c);
    }
}
