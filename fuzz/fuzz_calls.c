/* fuzz_calls.c -- libFuzzer target: bytes as calls of the public functions, one after the other in one context.
 *
 * Two bytes choose a function of the table of all (gen/sweep_calls.h), those after them its arguments: wrong ones, good ones,
 * and tensors that earlier calls gave. Any answer is right but a crash or an internal error. Functions that take handles over are left to test_sweep.c.
 */
#include "sweep_picks.h"

#include <fcntl.h>
#include <sys/mman.h>

#define MAX_CALLS 40

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);
const char *__asan_default_options(void);

/* Handles that a call gave are the caller's, and this caller forgets them. */
const char *__asan_default_options(void) { return "detect_leaks=0"; }

static char *room; /* behind void *: zeros at first */
static int here,
    away; /* folders: where the fuzzer's files are, and where calls write theirs */

/* No compiler to start, nobody to print to. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    char dir[] = "/tmp/weft_fuzz_XXXXXX";

    (void)argc, (void)argv;
    room = mmap(NULL, LIMIT, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED || !mkdtemp(dir) || setenv("PATH", "", 1) ||
        setenv("WEFT_COMM_TIMEOUT", "1", 1) || !freopen("/dev/null", "w", stdout) ||
        (here = open(".", O_RDONLY)) < 0 || (away = open(dir, O_RDONLY)) < 0)
        abort();
    return 0;
}

static void nothing(void *user, wf_log_level level, const char *text)
{
    (void)user, (void)level, (void)text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Sweep s = {
        .from = data, .to = data + size, .state = size, .chained = true, .buffer = room};
    wf_options o = {
        .size = sizeof o, .allocator = {count_resize, &s}, .threads = 1, .log = nothing};

    if (fchdir(away))
        abort();
    memset(room, 0, BYTES);
    s.c = wf_ctx_new(&o);
    s.other = wf_ctx_new(&o);
    for (int i = 0; i < MAX_CALLS && s.from < s.to; i++) {
        int k = (int)((next(&s) << 8 | next(&s)) % (uint64_t)COUNT(sweep_calls));

        if (sweep_takes(k))
            continue;
        sweep_calls[k].call(&s);
        if (wf_ctx_status(s.c) == WF_ERR_INTERNAL) {
            fprintf(stderr, "%s: %s\n", sweep_calls[k].name, wf_ctx_message(s.c));
            abort();
        }
        wf_clear(s.c);
        wf_clear(s.other);
    }
    sweep_end(&s);
    return fchdir(here);
}
