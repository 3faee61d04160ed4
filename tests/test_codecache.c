/* test_codecache.c -- compiled code and its cache, in good days and bad ones: compilers
 * that hang, die or lie; entries that are damaged, foreign or not files at all; full
 * disks, directories that cannot be written to, processes that race.
 *
 * Each test works in a directory of its own. Fake compilers are shell scripts there.
 */
#include "runtime/compiler.h"
#include "lib_exit.h"
#include "test.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char base[512];  /* the directory of the test */
static char cache[600]; /* the cache in it */
static char said[4096]; /* what went to the log */

static const char *const no_flags[] = {"-O1", NULL};

static void hear(void *user, wf_log_level level, const char *text)
{
    size_t n = strlen(said);

    (void)user;
    if (level == WF_LOG_DEBUG) /* test_codefile.c hears that */
        return;
    snprintf(said + n, sizeof said - n, "%s\n", text);
}

static wf_ctx *context(void)
{
    wf_options o = {.size = sizeof o, .log = hear};

    return wf_ctx_new(&o);
}

static void remove_tree(const char *path)
{
    struct stat s;
    DIR *d;

    if (lstat(path, &s) != 0)
        return;
    if (S_ISDIR(s.st_mode) && chmod(path, 0700) == 0 && (d = opendir(path))) {
        for (struct dirent *e; (e = readdir(d));) {
            char sub[1200];

            if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
                continue;
            snprintf(sub, sizeof sub, "%s/%s", path, e->d_name);
            remove_tree(sub);
        }
        closedir(d);
        rmdir(path);
    } else
        unlink(path);
}

static void begin(void)
{
    const char *tmp = getenv("TMPDIR");

    if (base[0])
        remove_tree(base);
    snprintf(base, sizeof base, "%s/weft-test-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    if (!mkdtemp(base))
        abort();
    snprintf(cache, sizeof cache, "%s/cache", base);
    setenv("WEFT_CACHE", cache, 1);
    unsetenv("CC");
    unsetenv("WEFT_CACHE_MB");
    unsetenv("WEFT_CC_SECONDS");
    said[0] = 0;
}

/* The last test's directory goes with the program. */
__attribute__((destructor)) static void sweep(void)
{
    if (base[0])
        remove_tree(base);
}

/* A compiler of our own: answers --version, then does what the lines say. $out is the
 * file it should write. */
static void fake_compiler(const char *lines)
{
    char path[600];
    FILE *f;

    snprintf(path, sizeof path, "%s/fakecc", base);
    f = fopen(path, "w");
    fprintf(
        f,
        "#!/bin/sh\n[ \"$1\" = --version ] && { echo fake 1; exit 0; }\n"
        "while [ $# -gt 0 ]; do [ \"$1\" = -o ] && out=$2; shift; done\ncd '%s'\n%s\n",
        base, lines);
    fclose(f);
    chmod(path, 0755);
    setenv("CC", path, 1);
}

static CodeUnit unit_of(char *room, size_t size, const char *name, int value)
{
    int n = snprintf(room, size, "int %s(int x);\nint %s(int x) { return x + %d; }\n",
                     name, name, value);

    return (CodeUnit){room, (size_t)n};
}

/* f(x) = x + value, compiled or from the cache. Returns f(0), or -1 when there is no
 * code. */
static int serve(int value, CodeStats *out_stats)
{
    wf_ctx *cx = context();
    char text[200];
    CodeUnit u = unit_of(text, sizeof text, "f", value);
    Code *code;
    int (*f)(int), y = -1;

    if (code_load(cx, &u, 1, no_flags, &code)) {
        void *p = code_symbol(code, "f");

        memcpy(&f, &p, sizeof f);
        y = f(0);
        if (out_stats)
            *out_stats = *code_stats(code);
        code_release(code);
    }
    CHECK_EQ_INT(wf_ctx_status(cx), WF_OK);
    wf_ctx_free(cx);
    return y;
}

static bool has_compiler(void)
{
    wf_ctx *cx = context();
    bool yes = code_possible(cx);

    wf_ctx_free(cx);
    return yes;
}

/* Names in the cache that end so; the last one is left in `name`. */
static int files(const char *end, char *name)
{
    DIR *d = opendir(cache);
    int n = 0;

    for (struct dirent *e; d && (e = readdir(d));) {
        size_t k = strlen(e->d_name), m = strlen(end);

        if (k > m && strcmp(e->d_name + k - m, end) == 0) {
            n++;
            if (name)
                snprintf(name, 700, "%.400s/%.255s", cache, e->d_name);
        }
    }
    if (d)
        closedir(d);
    return n;
}

/* Everything in the cache is a finished entry: nothing half-made is left. */
static void check_tidy(void)
{
    DIR *d = opendir(cache);

    for (struct dirent *e; d && (e = readdir(d));) {
        size_t k = strlen(e->d_name);

        if (e->d_name[0] != '.')
            CHECK(k == 35 && strcmp(e->d_name + 32, ".so") == 0);
    }
    if (d)
        closedir(d);
}

TEST(units_are_compiled_once_and_then_come_from_the_cache)
{
    char text[3][200];
    CodeUnit u[3];
    Code *code;

    begin();
    if (!has_compiler())
        SKIP("no C compiler");
    for (int round = 0; round < 2; round++) {
        wf_ctx *cx = context();

        for (int i = 0; i < 3; i++) {
            char name[2] = {(char)('f' + i), 0};

            u[i] = unit_of(text[i], sizeof text[i], name, 10 * i + 1);
        }
        REQUIRE(code_load(cx, u, 3, no_flags, &code));
        CHECK_EQ_INT(code_stats(code)->compiled, round == 0 ? 3 : 0);
        CHECK_EQ_INT(code_stats(code)->hits, round == 0 ? 0 : 3);
        for (int i = 0; i < 3; i++) {
            char name[2] = {(char)('f' + i), 0};
            void *p = code_symbol(code, name);
            int (*f)(int);

            REQUIRE(p != NULL);
            memcpy(&f, &p, sizeof f);
            CHECK_EQ_INT(f(100), 101 + 10 * i);
        }
        CHECK(code_symbol(code, "nobody") == NULL);
        CHECK(code_retain(code) == code);
        code_release(code);
        code_release(code);
        wf_ctx_free(cx);
    }
    CHECK_EQ_INT(files(".so", NULL), 3);
    check_tidy();
    CHECK_STR(said, "");
}

TEST(a_load_that_reuses_a_descriptor_gets_its_own_code)
{
    wf_ctx *cx;
    Code *code[20];
    char text[200];

    begin();
    if (!has_compiler())
        SKIP("no C compiler");
    cx = context();
    for (int i = 0; i < 20; i++) {
        CodeUnit u = unit_of(text, sizeof text, "f", i);

        REQUIRE(code_load(cx, &u, 1, no_flags, &code[i]));
    }
    for (int i = 0; i < 20; i++) {
        void *p = code_symbol(code[i], "f");
        int (*f)(int);

        memcpy(&f, &p, sizeof f);
        CHECK_EQ_INT(f(0), i);
        code_release(code[i]);
    }
    wf_ctx_free(cx);
}

TEST(other_flags_and_another_compiler_are_other_entries)
{
    static const char *const flags[] = {"-O1", "-DWHATEVER", NULL};
    wf_ctx *cx;
    char text[200];
    CodeUnit u = unit_of(text, sizeof text, "f", 1);
    Code *code;
    CodeStats s;

    begin();
    if (!has_compiler())
        SKIP("no C compiler");
    CHECK_EQ_INT(serve(1, NULL), 1);
    cx = context();
    REQUIRE(code_load(cx, &u, 1, flags, &code));
    CHECK_EQ_INT(code_stats(code)->hits, 0);
    code_release(code);
    wf_ctx_free(cx);
    setenv("CC", "cc -DARGUMENT", 1);
    CHECK_EQ_INT(serve(1, &s), 1);
    CHECK_EQ_INT(s.hits, 0);
    CHECK_EQ_INT(serve(1, &s), 1);
    CHECK_EQ_INT(s.hits, 1);
    CHECK_EQ_INT(files(".so", NULL), 3);
}

TEST(without_a_compiler_the_interpreter_serves_and_says_so_once)
{
    wf_ctx *cx;
    Code *code;
    CodeUnit u = {"", 0};
    char *path = getenv("PATH"), keep[8192];

    begin();
    snprintf(keep, sizeof keep, "%s", path ? path : "");
    setenv("PATH", base, 1);
    cx = context();
    CHECK(!code_possible(cx));
    CHECK(!code_load(cx, &u, 1, NULL, &code));
    CHECK(code == NULL);
    CHECK(!code_load(cx, &u, 1, NULL, &code));
    CHECK_STR(said, "no C compiler: the interpreter serves\n");
    CHECK_EQ_INT(wf_ctx_status(cx), WF_OK);
    wf_ctx_free(cx);
    setenv("PATH", keep, 1);
}

TEST(without_a_directory_code_lives_in_memory)
{
    CodeStats s;

    begin();
    if (!has_compiler())
        SKIP("no C compiler");
    setenv("WEFT_CACHE", "off", 1);
    CHECK_EQ_INT(serve(5, NULL), 5);
    CHECK_EQ_INT(serve(5, &s), 5);
    CHECK_EQ_INT(s.compiled, 1);
    CHECK_EQ_INT(files(".so", NULL), 0);
}

TEST(the_cache_is_where_the_environment_says)
{
    char *home = getenv("HOME"), keep[1024], path[700];
    struct stat s;

    begin();
    if (!has_compiler())
        SKIP("no C compiler");
    snprintf(keep, sizeof keep, "%s", home ? home : "");
    unsetenv("WEFT_CACHE");
    unsetenv("XDG_CACHE_HOME");
    setenv("HOME", base, 1);
    CHECK_EQ_INT(serve(3, NULL), 3);
    snprintf(path, sizeof path, "%s/.cache/weft", base);
    CHECK(stat(path, &s) == 0 && (s.st_mode & 0777) == 0700);
    snprintf(path, sizeof path, "%s/xdg", base);
    setenv("XDG_CACHE_HOME", path, 1);
    CHECK_EQ_INT(serve(3, NULL), 3);
    snprintf(path, sizeof path, "%s/xdg/weft", base);
    CHECK(stat(path, &s) == 0 && (s.st_mode & 0777) == 0700);
    unsetenv("XDG_CACHE_HOME");
    setenv("HOME", keep, 1);
}

/* ---- compilers --------------------------------------------------------------------- */

TEST(a_compiler_that_hangs_is_killed_with_its_children)
{
    double start;
    char path[600];
    FILE *f;
    long pid = 0;

    begin();
    fake_compiler("sleep 1000 & echo $! > pid; wait");
    setenv("WEFT_CC_SECONDS", "1", 1);
    start = clock_seconds();
    CHECK_EQ_INT(serve(1, NULL), -1);
    CHECK(clock_seconds() - start < 20);
    CHECK_HAS(said, "took too long");
    CHECK_HAS(said, "the interpreter serves");
    snprintf(path, sizeof path, "%s/pid", base);
    f = fopen(path, "r");
    REQUIRE(f != NULL);
    CHECK_EQ_INT(fscanf(f, "%ld", &pid), 1);
    fclose(f);
    for (int i = 0; i < 100 && kill((pid_t)pid, 0) == 0; i++) {
        char state[64] = "", name[64]; /* dead, but nobody has asked for its status */

        snprintf(name, sizeof name, "/proc/%ld/stat", pid);
        if ((f = fopen(name, "r"))) {
            bool zombie = fgets(state, sizeof state, f) && strstr(state, ") Z");

            fclose(f);
            if (zombie)
                break;
        }
        nanosleep(&(struct timespec){0, 10000000}, NULL);
        CHECK(i < 99);
    }
    check_tidy();
}

TEST(a_compiler_that_does_not_even_say_its_version_is_not_used)
{
    char path[600];
    FILE *f;

    begin();
    snprintf(path, sizeof path, "%s/fakecc", base);
    f = fopen(path, "w");
    fputs("#!/bin/sh\nsleep 1000\n", f);
    fclose(f);
    chmod(path, 0755);
    setenv("CC", path, 1);
    setenv("WEFT_CC_SECONDS", "1", 1);
    CHECK_EQ_INT(serve(1, NULL), -1);
    CHECK_HAS(said, "does not answer");
    check_tidy();
}

TEST(a_compiler_that_fails_dies_or_lies_gives_no_code)
{
    static const struct {
        const char *what, *lines, *text;
    } cases[] = {
        {"refuses", "echo 'bad thing at line 7' >&2; exit 1", "bad thing at line 7"},
        {"is killed half-way", "echo half > \"$out\"; kill -9 $$", "failed"},
        {"says nothing", "exit 0", "cannot be loaded"},
        {"writes rubbish", "echo rubbish > \"$out\"", "cannot be loaded"},
        {"writes zeros", "head -c 20000 /dev/zero > \"$out\"", "cannot be loaded"},
        {"makes a directory", "mkdir \"$out\"", "cannot be loaded"},
        {"makes a link", "ln -s /bin/sh \"$out\"", "cannot be loaded"},
        {"makes a program", "cp /bin/sh \"$out\"", ""},
    };

    for (int i = 0; i < COUNT(cases); i++) {
        begin();
        fake_compiler(cases[i].lines);
        if (serve(i, NULL) != -1)
            FAIL("a compiler that %s was believed", cases[i].what);
        CHECK_HAS(said, cases[i].text);
        CHECK_HAS(said, "the interpreter serves");
        if (i != 7)
            CHECK_EQ_INT(files(".so", NULL), 0);
    }
}

TEST(a_shared_object_cut_short_is_not_loaded)
{
    static const int cuts[] = {0, 1, 63, 64, 2000, 5000, 9000, 13000, 15000};
    char lines[800];

    begin();
    if (!has_compiler())
        SKIP("no C compiler");
    for (int i = 0; i < COUNT(cuts); i++) {
        begin();
        snprintf(lines, sizeof lines,
                 "echo 'int f(int x) { return x + 1; }' > g.c; "
                 "cc -shared -fPIC -o g.so g.c; head -c -%d g.so > \"$out\"",
                 cuts[i]);
        fake_compiler(lines);
        if (serve(1, NULL) != (cuts[i] ? -1 : 1))
            FAIL("without its last %d bytes", cuts[i]);
    }
}

TEST(the_host_may_reap_all_children)
{
    begin();
    if (!has_compiler())
        SKIP("no C compiler");
    signal(SIGCHLD, SIG_IGN);
    CHECK_EQ_INT(serve(8, NULL), 8);
    fake_compiler("exit 1");
    CHECK_EQ_INT(serve(9, NULL), -1);
    signal(SIGCHLD, SIG_DFL);
}

TEST(a_cancelled_context_does_not_wait)
{
    wf_ctx *cx;
    char text[200];
    CodeUnit u = unit_of(text, sizeof text, "f", 1);
    double start = clock_seconds();
    Code *code;

    begin();
    fake_compiler("sleep 1000");
    cx = context();
    REQUIRE(ctx_call_begin(cx));
    wf_cancel(cx);
    CHECK(!code_load(cx, &u, 1, no_flags, &code));
    ctx_call_end(cx);
    CHECK(clock_seconds() - start < 10);
    wf_ctx_free(cx);
}

/* ---- entries ----------------------------------------------------------------------- */

static size_t slurp(const char *path, char **out)
{
    FILE *f = fopen(path, "rb");
    size_t n;

    *out = malloc(1 << 20);
    n = fread(*out, 1, 1 << 20, f);
    fclose(f);
    return n;
}

static void spill(const char *path, const char *p, size_t n)
{
    FILE *f = fopen(path, "wb");

    fwrite(p, 1, n, f);
    fclose(f);
}

TEST(a_damaged_entry_is_compiled_again)
{
    char name[700], *p;
    CodeStats s;
    size_t n;

    begin();
    if (!has_compiler())
        SKIP("no C compiler");
    CHECK_EQ_INT(serve(7, NULL), 7);
    REQUIRE(files(".so", name) == 1);
    n = slurp(name, &p);
    for (int i = 0; i < 12; i++) { /* one bit anywhere, the footer included */
        size_t at = i == 0 ? n - 1 : i == 1 ? 0 : i == 2 ? n - 60 : test_random_below(n);

        p[at] ^= 16;
        spill(name, p, n);
        p[at] ^= 16;
        CHECK_EQ_INT(serve(7, &s), 7);
        CHECK_EQ_INT(s.compiled, 1);
        if (!check_ok())
            FAIL("byte %d of %d", (int)at, (int)n);
    }
    for (int i = 0; i < 6; i++) { /* cut short, and too long */
        spill(name, p, i == 0 ? 0 : i == 1 ? n - 1 : test_random_below(n));
        if (i == 5)
            spill(name, p, n), truncate(name, (off_t)n + 100) ? abort() : (void)0;
        CHECK_EQ_INT(serve(7, &s), 7);
        CHECK_EQ_INT(s.compiled, 1);
    }
    CHECK_EQ_INT(serve(7, &s), 7);
    CHECK_EQ_INT(s.hits, 1);
    free(p);
    check_tidy();
}

TEST(an_entry_of_another_program_under_this_name_is_not_served)
{
    char first[700], second[700], *p, *q;
    CodeStats s;
    size_t n, m;

    begin();
    if (!has_compiler())
        SKIP("no C compiler");
    CHECK_EQ_INT(serve(1, NULL), 1);
    REQUIRE(files(".so", first) == 1);
    n = slurp(first, &p);
    unlink(first);
    CHECK_EQ_INT(serve(2, NULL), 2);
    REQUIRE(files(".so", second) == 1);
    m = slurp(second, &q);
    spill(second, p, n);
    CHECK_EQ_INT(serve(2, &s), 2);
    CHECK_EQ_INT(s.compiled, 1);
    free(p);
    free(q);
    (void)m;
}

TEST(what_is_not_a_plain_file_of_ours_is_not_opened)
{
    static const char *const kinds[] = {"link", "fifo", "writable", "foreign",
                                        "directory"};
    char name[700], other[800];
    CodeStats s;

    begin();
    if (!has_compiler())
        SKIP("no C compiler");
    CHECK_EQ_INT(serve(4, NULL), 4);
    REQUIRE(files(".so", name) == 1);
    snprintf(other, sizeof other, "%s.aside", name);
    for (int i = 0; i < COUNT(kinds); i++) {
        rename(name, other);
        if (i == 0)
            CHECK(symlink(other, name) == 0);
        else if (i == 1)
            CHECK(mkfifo(name, 0600) == 0);
        else if (i == 4)
            CHECK(mkdir(name, 0700) == 0);
        else {
            CHECK(link(other, name) == 0);
            if (i == 2)
                chmod(name, 0622);
            if (i == 3 && chown(name, 65534, 65534) != 0) {
                unlink(name);
                rename(other, name);
                continue; /* only root can give files away */
            }
        }
        CHECK_EQ_INT(serve(4, &s), 4);
        CHECK_EQ_INT(s.compiled, 1);
        if (!check_ok())
            FAIL("%s", kinds[i]);
        if (i < 4)
            REQUIRE(access(name, F_OK) == 0); /* replaced by a right one */
        unlink(other);
    }
}

/* ---- directories ------------------------------------------------------------------- */

TEST(a_directory_open_to_others_is_not_used)
{
    CodeStats s;

    begin();
    if (!has_compiler())
        SKIP("no C compiler");
    for (int i = 0; i < 4; i++) {
        char real[700];

        begin();
        snprintf(real, sizeof real, "%s/real", base);
        if (i < 3) {
            mkdir(cache, 0700);
            chmod(cache, i == 0 ? 0777 : i == 1 ? 0750 : 0700);
            if (i == 2 && chown(cache, 65534, 65534) != 0)
                continue; /* only root can give directories away */
        } else {
            mkdir(real, 0700);
            CHECK(symlink(real, cache) == 0);
        }
        CHECK_EQ_INT(serve(6, &s), 6);
        CHECK_EQ_INT(s.compiled, 1);
        CHECK_EQ_INT(serve(6, &s), 6);
        CHECK_EQ_INT(s.compiled, 1);
        CHECK_EQ_INT(files(".so", NULL), 0);
        if (i < 3)
            CHECK_HAS(said, "mode 0700");
    }
}

/* Runs fn in a process of its own; what it returns, or -1 if it died. */
static int in_child(int (*fn)(void *user), void *user)
{
    int status;
    pid_t pid;

    fflush(stdout);
    if ((pid = fork()) == 0) {
        base[0] = 0; /* the directory is the parent's */
        test_exit(fn(user));
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
        return -1;
    return WEXITSTATUS(status);
}

static int serve_as_nobody(void *user)
{
    CodeStats s;

    (void)user;
    if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0))
        return 77;
    return serve(11, &s) == 11 && s.compiled == 1 ? 0 : 1;
}

TEST(a_directory_that_cannot_be_written_to_is_done_without)
{
    int r;

    begin();
    if (!has_compiler())
        SKIP("no C compiler");
    begin();
    mkdir(cache, 0500);
    if (geteuid() == 0 && (chown(cache, 65534, 65534) != 0 || chmod(base, 0755) != 0))
        SKIP("cannot become somebody else");
    r = in_child(serve_as_nobody, NULL);
    if (r == 77)
        SKIP("cannot become somebody else");
    CHECK_EQ_INT(r, 0);
    CHECK_EQ_INT(files("", NULL), 2); /* . and .. */
}

static int serve_on_full_disk(void *user)
{
    CodeStats s;
    char path[700];
    FILE *f;

    (void)user;
    if (unshare(CLONE_NEWNS) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0)
        return 77;
    mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL);
    if (mount("none", cache, "tmpfs", 0, "size=64k,mode=0700") != 0)
        return 77;
    snprintf(path, sizeof path, "%s/ballast", cache);
    f = fopen(path, "w");
    for (int i = 0; i < 100000; i++)
        fputc('x', f);
    fclose(f);
    if (serve(12, &s) != 12 || s.compiled != 1)
        return 1;
    return files(".so", NULL) == 0 && files(".tmp", NULL) == 0 ? 0 : 2;
}

TEST(a_full_disk_is_done_without)
{
    int r;

    begin();
    if (!has_compiler())
        SKIP("no C compiler");
    mkdir(cache, 0700);
    r = in_child(serve_on_full_disk, NULL);
    if (r == 77)
        SKIP("cannot mount a small disk");
    CHECK_EQ_INT(r, 0);
}

static int serve_small_files(void *user)
{
    struct rlimit r = {2000, 2000};
    char left[700];

    (void)user;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &r);
    return serve(13, NULL) == -1 && files(".tmp", left) == 0 ? 0 : 1;
}

TEST(where_no_file_can_be_written_there_is_no_code_and_no_rubbish)
{
    begin();
    if (!has_compiler())
        SKIP("no C compiler");
    CHECK_EQ_INT(in_child(serve_small_files, NULL), 0);
    check_tidy();
}

/* A unit of a quarter of a megabyte, for a comment. Returns how many came from the cache.
 */
static int load_big(int value)
{
    static char text[250000];
    int n =
        snprintf(text, sizeof text, "int f(void); int f(void) { return %d; } //", value);
    CodeUnit u = {text, sizeof text - 1};
    wf_ctx *cx = context();
    int hits = -1;
    Code *code;

    memset(text + n, '-', sizeof text - 1 - (size_t)n);
    if (code_load(cx, &u, 1, no_flags, &code)) {
        hits = code_stats(code)->hits;
        code_release(code);
    }
    wf_ctx_free(cx);
    return hits;
}

/* Makes all entries look old. */
static void age(void)
{
    struct timespec past[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    DIR *d = opendir(cache);

    for (struct dirent *e; (e = readdir(d));)
        if (e->d_name[0] != '.')
            utimensat(dirfd(d), e->d_name, past, 0);
    closedir(d);
}

TEST(the_least_recently_used_entries_go_first)
{
    begin();
    if (!has_compiler())
        SKIP("no C compiler");
    setenv("WEFT_CACHE_MB", "1", 1);
    CHECK_EQ_INT(load_big(0), 0);
    for (int i = 1; i < 8; i++) {
        age();
        CHECK_EQ_INT(load_big(0), 1); /* used again and again: stays */
        CHECK_EQ_INT(load_big(i), 0);
        CHECK(files(".so", NULL) <= 3);
    }
    CHECK_EQ_INT(load_big(1), 0); /* not used: gone */
}

TEST(what_killed_processes_left_is_swept)
{
    char work[700], tmp[700], inside[800];
    struct timespec past[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};

    begin();
    if (!has_compiler())
        SKIP("no C compiler");
    mkdir(cache, 0700);
    snprintf(work, sizeof work, "%s/work.abcdef", cache);
    snprintf(inside, sizeof inside, "%s/0.c", work);
    snprintf(tmp, sizeof tmp, "%s/0123456789abcdef.tmp", cache);
    mkdir(work, 0700);
    spill(inside, "x", 1);
    spill(tmp, "x", 1);
    CHECK_EQ_INT(serve(20, NULL), 20);
    CHECK(access(work, F_OK) == 0 && access(tmp, F_OK) == 0); /* perhaps of a live one */
    utimensat(AT_FDCWD, work, past, 0);
    utimensat(AT_FDCWD, tmp, past, 0);
    CHECK_EQ_INT(serve(21, NULL), 21);
    CHECK(access(work, F_OK) != 0 && access(tmp, F_OK) != 0);
}

/* ---- many at once ------------------------------------------------------------------ */

static int race(void *user)
{
    unsigned seed = (unsigned)(uintptr_t)user;

    for (int i = 0; i < 12; i++) {
        char name[700];
        int value = (int)((seed * 7u + (unsigned)i * 5u) % 4u);

        if (serve(value, NULL) != value)
            return 1;
        if (i % 3 == 2 && files(".so", name) > 0)
            unlink(name);
    }
    return 0;
}

TEST(processes_that_race_all_get_the_right_code)
{
    pid_t pid[5];
    int status;

    begin();
    if (!has_compiler())
        SKIP("no C compiler");
    fflush(stdout);
    for (int i = 0; i < COUNT(pid); i++)
        if ((pid[i] = fork()) == 0) {
            base[0] = 0;
            test_exit(race((void *)(uintptr_t)i));
        }
    for (int i = 0; i < COUNT(pid); i++) {
        CHECK(waitpid(pid[i], &status, 0) == pid[i]);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    check_tidy();
}

TEST(a_process_killed_while_it_compiles_leaves_a_cache_that_works)
{
    begin();
    if (!has_compiler())
        SKIP("no C compiler");
    for (int i = 0; i < 8; i++) {
        pid_t pid;
        int status;

        fflush(stdout);
        if ((pid = fork()) == 0) {
            base[0] = 0;
            for (int k = 0;; k++)
                serve(100 * i + k, NULL);
        }
        nanosleep(&(struct timespec){0, 20000000 + 13000000 * i}, NULL);
        kill(pid, SIGKILL);
        waitpid(pid, &status, 0);
    }
    for (int i = 0; i < 8; i++)
        CHECK_EQ_INT(serve(100 * i, NULL), 100 * i);
}

static void load_with(wf_allocator al, void *user)
{
    wf_options o = {.size = sizeof o, .allocator = al, .log = hear};
    wf_ctx *cx = wf_ctx_new(&o);
    char text[200];
    CodeUnit u = unit_of(text, sizeof text, "f", 1);
    Code *code;

    (void)user;
    if (!cx)
        return;
    if (code_load(cx, &u, 1, no_flags, &code))
        code_release(code);
    wf_ctx_free(cx);
}

TEST(any_allocation_may_fail)
{
    begin();
    if (!has_compiler())
        SKIP("no C compiler");
    fault_each(load_with, NULL);
    setenv("WEFT_CACHE", "off", 1);
    fault_each(load_with, NULL);
}
