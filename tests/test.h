/* test.h -- the test harness. Every test program is its own file, test.c and the library.
 *
 *   #include "test.h"
 *
 *   TEST(sum_of_two_and_two_is_four)        a sentence that states the behaviour
 *   {
 *       CHECK(2 + 2 == 4);                  goes on after a failure
 *       CHECK_EQ_INT(add(2, 2), 4);
 *       CHECK_STR(name(4), "four");         NULL is allowed and differs from ""
 *       CHECK_HAS(message, "needed 4");     contains
 *       CHECK_NEAR(root(16), 4, 1e-15);     |a - b| <= tolerance; NaN is near NaN only
 *       REQUIRE(p != NULL);                 leaves the test function after a failure
 *       SKIP("needs a GPU");                leaves it, counted and printed as skipped
 *   }
 *
 * Checks are expressions without a value; check_ok() tells whether the
 * current test has had no failure. Tests run in the order of the file.
 *
 * Command line: test_x [-v] [-l] [WORD...]. Only tests whose name contains one of the
 * words; -v names each with its time, -l lists them. Failures go to standard output as
 * file:line: text. The last line is `N passed, N failed`, the exit status 0 if none
 * failed and some ran.
 *
 * An allocator that fails
 *
 *   FaultAlloc f = {.fail_at = 3};           the third allocation fails; 0: none does
 *   wf_options o = {sizeof o, .allocator = fault_allocator(&f)};
 *   ... run ...
 *   CHECK_EQ_INT(f.live_bytes, 0);           everything was freed
 *
 * It fills new memory with rubbish, checks that the sizes passed to free are right, and
 * may be used from several threads. fault_each runs a body again and again, the first,
 * second, third ... allocation failing, until it runs through without a failure; in turn
 * only that one, and that one and all after it. After each run it checks that nothing
 * leaked.
 */
#ifndef WEFT_TEST_H
#define WEFT_TEST_H

#include "weft.h"

#include <stdatomic.h>

typedef struct Test {
    const char *name, *file;
    void (*run)(void);
    struct Test *next;
} Test;

void test_register(Test *t);

#define TEST(name)                                                                       \
    static void test_##name(void);                                                       \
    static Test entry_##name = {#name, __FILE__, test_##name, NULL};                     \
    __attribute__((constructor)) static void register_##name(void)                       \
    {                                                                                    \
        test_register(&entry_##name);                                                    \
    }                                                                                    \
    static void test_##name(void)

bool check_true(bool ok, const char *file, int line, const char *expr);
bool check_int(int64_t a, int64_t b, const char *file, int line, const char *expr);
bool check_str(const char *a, const char *b, const char *file, int line,
               const char *expr);
bool check_has(const char *text, const char *part, const char *file, int line,
               const char *expr);
bool check_near(double a, double b, double tol, const char *file, int line,
                const char *expr);
void check_skip(const char *file, int line, const char *why);
bool check_ok(void);
/* Report a failure in words. */
void check_fail(const char *file, int line, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

#define CHECK(cond) (void)check_true((cond), __FILE__, __LINE__, #cond)
#define CHECK_EQ_INT(a, b)                                                               \
    (void)check_int((int64_t)(a), (int64_t)(b), __FILE__, __LINE__, #a " == " #b)
#define CHECK_STR(a, b) (void)check_str((a), (b), __FILE__, __LINE__, #a)
#define CHECK_HAS(a, b) (void)check_has((a), (b), __FILE__, __LINE__, #a)
#define CHECK_NEAR(a, b, tol)                                                            \
    (void)check_near((double)(a), (double)(b), (double)(tol), __FILE__, __LINE__, #a)
#define FAIL(...) check_fail(__FILE__, __LINE__, __VA_ARGS__)
#define REQUIRE(cond)                                                                    \
    do {                                                                                 \
        if (!check_true((cond), __FILE__, __LINE__, #cond))                              \
            return;                                                                      \
    } while (0)
#define SKIP(why)                                                                        \
    do {                                                                                 \
        check_skip(__FILE__, __LINE__, (why));                                           \
        return;                                                                          \
    } while (0)

/* Random numbers, the same at every run; restarted before each test. */
uint64_t test_random(void);
uint64_t test_random_below(uint64_t n); /* 0 .. n-1 */
double test_random_unit(void);          /* [0, 1) */

typedef struct FaultAlloc {
    long fail_at;            /* number of the allocation that fails, from 1; 0: none */
    bool and_after;          /* all later ones fail too */
    atomic_long count;       /* allocations asked for */
    atomic_long failures;    /* allocations refused */
    atomic_long live_blocks; /* not yet freed */
    atomic_long live_bytes;
    atomic_long peak_bytes;
    atomic_long misuses; /* frees with a wrong size, or of what is not from here */
} FaultAlloc;

wf_allocator fault_allocator(FaultAlloc *f);
/* Returns how many allocations the body makes when none fails. */
long fault_each(void (*body)(wf_allocator al, void *user), void *user);

/* The last program of the text, retained; elements as wf_array_parse makes them. */
const wf_program *test_program(wf_ctx *cx, const char *text);
wf_array *test_array(wf_ctx *cx, const char *text, wf_dtype t, uint64_t seed);

#endif
