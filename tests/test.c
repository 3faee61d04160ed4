/* test.c -- the harness behind test.h: checks, random numbers, allocator, runner. */
#include "test.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SHOWN_PER_TEST 20

static Test *first, **last = &first;
static const Test *current;
static int failures; /* of the current test */
static bool skipped; /* the current test */
static uint64_t random_state;

void test_register(Test *t)
{
    *last = t;
    last = &t->next;
}

/* ---- checks ------------------------------------------------------------------------ */

static void vcheck_fail(const char *file, int line, const char *fmt, va_list ap)
{
    if (failures++ < SHOWN_PER_TEST) {
        printf("%s:%d: %s: ", file, line, current ? current->name : "?");
        vprintf(fmt, ap);
        printf("\n");
        fflush(stdout);
    }
}

void check_fail(const char *file, int line, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    vcheck_fail(file, line, fmt, ap);
    va_end(ap);
}

bool check_true(bool ok, const char *file, int line, const char *expr)
{
    if (!ok)
        check_fail(file, line, "failed: %s", expr);
    return ok;
}

bool check_int(int64_t a, int64_t b, const char *file, int line, const char *expr)
{
    if (a != b)
        check_fail(file, line, "failed: %s: %lld and %lld", expr, (long long)a,
                   (long long)b);
    return a == b;
}

bool check_str(const char *a, const char *b, const char *file, int line, const char *expr)
{
    bool ok = a && b ? strcmp(a, b) == 0 : a == b;

    if (!ok)
        check_fail(file, line, "failed: %s\n--- found\n%s\n--- needed\n%s\n---", expr,
                   a ? a : "(NULL)", b ? b : "(NULL)");
    return ok;
}

bool check_has(const char *text, const char *part, const char *file, int line,
               const char *expr)
{
    bool ok = text && strstr(text, part);

    if (!ok)
        check_fail(file, line, "failed: %s\n--- found\n%s\n--- needed within\n%s\n---",
                   expr, text ? text : "(NULL)", part);
    return ok;
}

bool check_near(double a, double b, double tol, const char *file, int line,
                const char *expr)
{
    bool ok = a == b || (isnan(a) && isnan(b)) || fabs(a - b) <= tol;

    if (!ok)
        check_fail(file, line, "failed: %s: %.17g, needed %.17g within %g", expr, a, b,
                   tol);
    return ok;
}

void check_skip(const char *file, int line, const char *why)
{
    skipped = true;
    printf("%s:%d: %s: skipped: %s\n", file, line, current ? current->name : "?", why);
}

bool check_ok(void)
{
    return failures == 0;
}

/* ---- random numbers (splitmix64) --------------------------------------------------- */

uint64_t test_random(void)
{
    uint64_t z = random_state += 0x9E3779B97F4A7C15u;

    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

uint64_t test_random_below(uint64_t n)
{
    return test_random() % n;
}

double test_random_unit(void)
{
    return (double)(test_random() >> 11) * 0x1p-53;
}

/* ---- the allocator that fails ------------------------------------------------------ */

#define MAGIC 0x5EEDF00DCAFEu
#define HEADER 16 /* magic and size, in front of every block */

static void release(FaultAlloc *f, char *p, size_t size)
{
    uint64_t head[2];

    memcpy(head, p - HEADER, HEADER);
    if (head[0] != MAGIC || head[1] != size) {
        atomic_fetch_add(&f->misuses, 1);
        return; /* leaks, which shows as well */
    }
    memset(p - HEADER, 0xDD, HEADER + size);
    free(p - HEADER);
    atomic_fetch_sub(&f->live_blocks, 1);
    atomic_fetch_sub(&f->live_bytes, (long)size);
}

static char *obtain(FaultAlloc *f, size_t size)
{
    long count = atomic_fetch_add(&f->count, 1) + 1, live;
    uint64_t head[2] = {MAGIC, size};
    char *p;

    if (f->fail_at && (count == f->fail_at || (f->and_after && count > f->fail_at))) {
        atomic_fetch_add(&f->failures, 1);
        return NULL;
    }
    p = size < SIZE_MAX - HEADER ? malloc(HEADER + size) : NULL;
    if (!p)
        return NULL;
    memcpy(p, head, HEADER);
    memset(p + HEADER, 0xA5, size);
    atomic_fetch_add(&f->live_blocks, 1);
    live = atomic_fetch_add(&f->live_bytes, (long)size) + (long)size;
    for (long peak = atomic_load(&f->peak_bytes); live > peak;)
        if (atomic_compare_exchange_weak(&f->peak_bytes, &peak, live))
            break;
    return p + HEADER;
}

static void *fault_resize(void *user, void *ptr, size_t old_size, size_t new_size)
{
    FaultAlloc *f = user;
    char *p = NULL;

    if (new_size) {
        p = obtain(f, new_size);
        if (!p)
            return NULL;
        if (ptr)
            memcpy(p, ptr, old_size < new_size ? old_size : new_size);
    }
    if (ptr)
        release(f, ptr, old_size);
    return p;
}

wf_allocator fault_allocator(FaultAlloc *f)
{
    return (wf_allocator){fault_resize, f};
}

long fault_each(void (*body)(wf_allocator al, void *user), void *user)
{
    long n, count = 0;
    int mode;

    for (mode = 0; mode < 2; mode++) {
        for (n = 1;; n++) {
            FaultAlloc f = {.fail_at = n, .and_after = mode == 1};

            body(fault_allocator(&f), user);
            if (f.live_bytes || f.live_blocks || f.misuses) {
                FAIL("allocation %ld failing%s: %ld bytes in %ld blocks leaked, %ld "
                     "misuses",
                     n, mode ? " and all after it" : "", (long)f.live_bytes,
                     (long)f.live_blocks, (long)f.misuses);
                return f.count;
            }
            count = f.count;
            if (!f.failures)
                break;
        }
    }
    return count;
}

/* ---- the runner -------------------------------------------------------------------- */

static double seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool is_chosen(const Test *t, char **words, int n)
{
    int i;

    for (i = 0; i < n; i++)
        if (strstr(t->name, words[i]))
            return true;
    return n == 0;
}

static void run_test(const Test *t, bool verbose)
{
    double start = seconds();

    current = t;
    failures = 0;
    skipped = false;
    random_state = 1;
    t->run();
    if (failures > SHOWN_PER_TEST)
        printf("%s: %s: %d more failures\n", t->file, t->name, failures - SHOWN_PER_TEST);
    if (verbose)
        printf("%-4s %7.1f ms  %s\n",
               failures  ? "FAIL"
               : skipped ? "skip"
                         : "ok",
               1e3 * (seconds() - start), t->name);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    bool verbose = false, list = false;
    int passed = 0, failed = 0, nskipped = 0, nwords = 0, i;
    const Test *t;

    setenv("WEFT_CHECK_PLANS", "1", 0);
    for (i = 1; i < argc; i++) {
        if (strcmp(argv[i], "-v") == 0)
            verbose = true;
        else if (strcmp(argv[i], "-l") == 0)
            list = true;
        else
            argv[nwords++] = argv[i];
    }
    for (t = first; t; t = t->next) {
        if (!is_chosen(t, argv, nwords))
            continue;
        if (list) {
            puts(t->name);
            continue;
        }
        run_test(t, verbose);
        failed += failures > 0;
        nskipped += failures == 0 && skipped;
        passed += failures == 0 && !skipped;
    }
    if (list)
        return 0;
    if (nskipped)
        printf("%d skipped\n", nskipped);
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0 || (passed == 0 && nskipped == 0);
}

/* ---- programs and arrays from text ------------------------------------------------- */

const wf_program *test_program(wf_ctx *cx, const char *text)
{
    wf_model *m = NULL;
    const wf_program *p = NULL;

    if (wf_model_parse(cx, "test", text, strlen(text), &m) == WF_OK)
        p = wf_program_retain(wf_model_program(m, wf_model_programs(m) - 1));
    CHECK_STR(wf_ctx_message(cx), "");
    wf_model_free(m);
    return p;
}

wf_array *test_array(wf_ctx *cx, const char *text, wf_dtype t, uint64_t seed)
{
    wf_array *a = NULL;

    CHECK_EQ_INT(wf_array_parse(cx, text, t, seed, &a), WF_OK);
    return a;
}
