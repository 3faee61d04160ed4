/* test_cli.c -- the command line, run as a user runs it.
 *
 * Golden files tests/cli/NAME.txt: commands and what they print. Environment: WEFT_BIN is
 * the program (build/weft), WEFT_BLESS=1 rewrites the expected parts.
 *
 *   # a comment, kept
 *   $ weft show examples/product.wir      run by sh in the root of the tree; weft is
 *   WEFT_BIN product(a: f64[], b: f64[]) {         its standard output
 *   ! weft: ...                           its standard error
 *   = 1                                   its status, if it is not 0
 *
 * The comments `# $ weft ...` of the text programs in examples/ and the lines below them
 * are run too.
 */
#include "lib_text.h"
#include "test.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef struct Ran {
    int status;
    char *out, *err; /* malloc'ed */
} Ran;

static const char *program(void)
{
    const char *path = getenv("WEFT_BIN");

    return path ? path : "build/weft";
}

static char *slurp(FILE *f)
{
    size_t room = 1 << 22, n;
    char *s = malloc(room);

    rewind(f);
    n = fread(s, 1, room - 1, f);
    s[n] = '\0';
    fclose(f);
    return s;
}

/* Run a command line by sh, in which weft is the program under test. */
static Ran run(const char *command)
{
    FILE *out = tmpfile(), *err = tmpfile();
    size_t n = strlen(command) + 100;
    char *script = malloc(n);
    int status = -1;
    pid_t pid;

    snprintf(script, n, "weft() { \"$WEFT_BIN\" \"$@\"; }\n%s", command);
    fflush(stdout);
    pid = fork();
    if (pid == 0) {
        setenv("WEFT_BIN", program(), 1);
        dup2(fileno(out), 1);
        dup2(fileno(err), 2);
        execl("/bin/sh", "sh", "-c", script, (char *)NULL);
        _exit(127);
    }
    if (pid > 0)
        waitpid(pid, &status, 0);
    free(script);
    return (Ran){WIFEXITED(status) ? WEXITSTATUS(status) : 128, slurp(out), slurp(err)};
}

static void ran_free(Ran r)
{
    free(r.out);
    free(r.err);
}

/* ---- golden files
 * --------------------------------------------------------------------- */

/* Append the text line by line, each with a prefix. */
static void add_lines(FILE *to, const char *prefix, const char *text)
{
    while (*text) {
        size_t n = strcspn(text, "\n");

        fprintf(to, "%s%.*s\n", prefix, (int)n, text);
        text += n + (text[n] == '\n');
    }
}

/* What the golden file would say after this command. */
static char *record(const char *command, const char *prefix)
{
    FILE *f = tmpfile();
    Ran r = run(command);

    add_lines(f, prefix, r.out);
    if (!*prefix) {
        add_lines(f, "! ", r.err);
        if (r.status)
            fprintf(f, "= %d\n", r.status);
    } else if (r.status) {
        fprintf(f, "%sstatus %d: %s\n", prefix, r.status, r.err);
    }
    ran_free(r);
    return slurp(f);
}

static char *read_path(const char *path)
{
    FILE *f = fopen(path, "r");

    if (!f)
        FAIL("cannot read %s", path);
    return f ? slurp(f) : NULL;
}

static bool begins(const char *s, const char *prefix)
{
    return strncmp(s, prefix, strlen(prefix)) == 0;
}

/* Where the expected lines end that begin at s: at the next command or comment (or, for
 * commands in comments, where the comment ends). */
static const char *end_of_expected(const char *s, const char *prefix, const char *mark)
{
    while (*s && !begins(s, mark) && begins(s, prefix) && (*prefix || *s != '#')) {
        s += strcspn(s, "\n");
        s += *s == '\n';
    }
    return s;
}

/* Run the commands of a file: lines that begin with `mark`, the expected lines below with
 * `prefix`. Returns how many there were. */
static int check_file(const char *path, const char *mark, const char *prefix)
{
    bool bless = getenv("WEFT_BLESS") && !*prefix;
    char *text = read_path(path);
    const char *s = text;
    FILE *to = bless ? tmpfile() : NULL;
    int count = 0;

    while (s && *s) {
        size_t n = strcspn(s, "\n");
        const char *next = s + n + (s[n] == '\n');

        if (bless)
            fprintf(to, "%.*s\n", (int)n, s);
        if (begins(s, mark)) {
            char *command = strndup(s + strlen(mark), n - strlen(mark)),
                 *got = record(command, prefix);
            const char *end = end_of_expected(next, prefix, mark), *at;
            char *want = strndup(next, (size_t)(end - next));

            count++;
            if (bless)
                fputs(got, to);
            else if (getenv("WEFT_SAN") ? !test_same_text(want, got, &at) : strcmp(got, want) != 0) /* checked kernels do not contract */
                FAIL("%s: %s\n--- found\n%s--- needed\n%s---", path, command, got, want);
            free(command), free(got), free(want);
            next = end;
        }
        s = next;
    }
    if (bless) {
        char *new = slurp(to);
        FILE *f = fopen(path, "w");

        if (f) {
            fputs(new, f);
            fclose(f);
        }
        free(new);
    }
    free(text);
    return count;
}

/* All files of a folder with that suffix. */
static int check_folder(const char *folder, const char *suffix, const char *mark,
                        const char *prefix)
{
    DIR *dir = opendir(folder);
    struct dirent *e;
    int count = 0;

    while (dir && (e = readdir(dir))) {
        size_t n = strlen(e->d_name), k = strlen(suffix);
        char path[512];

        if (n <= k || strcmp(e->d_name + n - k, suffix) != 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        count += check_file(path, mark, prefix);
    }
    if (dir)
        closedir(dir);
    return count;
}

TEST(the_program_is_there)
{
    if (access(program(), X_OK) != 0)
        FAIL("there is no program %s: build it, or set WEFT_BIN", program());
}

TEST(commands_print_what_the_golden_files_say)
{
    CHECK(check_folder("tests/cli", ".txt", "$ ", "") > 40);
}

TEST(examples_give_what_their_comments_say)
{
    CHECK(check_folder("examples", ".wir", "# $ ", "# ") > 20);
}

TEST(the_slow_rules_give_the_same_for_examples)
{
    static const char *const commands[] = {
        "eval examples/while.wir halve 20 --value-and-grad",
        "eval examples/scan.wir grow 2 1 --grad=r",
        "eval examples/rosenbrock.wir '[1, 1]' --hessian",
        "eval examples/per_sample.wir loss '[1, 2]' '[[1, 0], [0, 1]]' '[0, 4]' --vmap=-,0,0",
    };

    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        char line[256];
        Ran a, b;

        snprintf(line, sizeof line, "weft %s", commands[i]);
        a = run(line);
        strcat(line, " --reference");
        b = run(line);
        CHECK_EQ_INT(a.status, 0);
        CHECK_STR(a.out, b.out);
        ran_free(a);
        ran_free(b);
    }
}

TEST(bench_shows_each_step_beside_what_the_machine_reaches)
{
    static const char *const ways[] = {"", " --interpret", " --grad=0"};

    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        char line[256];
        Ran r;

        snprintf(line, sizeof line,
                 "weft bench tests/cli/bench.wir --runs=2 --size=N=5%s", ways[i]);
        r = run(line);
        CHECK_EQ_INT(r.status, 0);
        CHECK_HAS(r.out, "GFLOP/s");
        CHECK_HAS(r.out, "dot_general");
        CHECK_HAS(r.out, "all steps");
        CHECK_HAS(r.out, i == 1 ? "f, interpreted" : "f");
        CHECK_HAS(r.out, i == 1 ? "tanh" : "one run takes");
        if (i < 2)
            CHECK_HAS(r.out, "f32[5,8]");
        ran_free(r);
    }
}

/* ---- statuses of the environment
 * ------------------------------------------------------- */

static void check_status(const char *command, int status, const char *message)
{
    Ran r = run(command);

    if (r.status != status)
        FAIL("%s: status %d, needed %d: %s", command, r.status, status, r.err);
    CHECK_HAS(r.err, message);
    ran_free(r);
}

TEST(output_that_cannot_be_written_is_status_3)
{
    static const char *const commands[] = {"ops",
                                           "--version",
                                           "help",
                                           "show examples/product.wir",
                                           "eval examples/product.wir 1 2",
                                           "info examples/product.wir"};

    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        char line[256];

        snprintf(line, sizeof line, "weft %s > /dev/full", commands[i]);
        check_status(line, 3,
                     "weft: cannot write standard output: No space left on device");
        snprintf(line, sizeof line, "weft %s >&-", commands[i]);
        check_status(line, 3, "weft: cannot write standard output");
        /* the reader is gone before the writer begins */
        snprintf(line, sizeof line, "{ sleep 0.1; weft %s; echo status $? >&2; } | true",
                 commands[i]);
        check_status(line, 0,
                     "status 3");
    }
    check_status("weft eval examples/product.wir 1 2 -o /dev/full", 3,
                 "/dev/full: input/output error");
}

TEST(files_that_cannot_be_read_are_status_3)
{
    check_status("weft show /nowhere/x.wir", 3,
                 "/nowhere/x.wir: input/output error: cannot open");
    check_status("weft check /tmp", 3,
                 "/tmp: input/output error: cannot read: Is a directory");
    check_status("weft eval examples/product.wir /nowhere/x.npy 1", 3,
                 "/nowhere/x.npy: input/output error");
    check_status("weft show - <&-", 3, "cannot read standard input");
}

TEST(memory_that_is_not_there_is_status_3)
{
    if (getenv("WEFT_SAN"))
        SKIP("sanitizers need the address space");
    check_status("ulimit -v 400000; weft eval examples/batch.wir forward "
                 "zeros:f32[1000000,1000] ones:f32[1000,1] ones:f32[1]",
                 3, "out of memory");
}

TEST(svg_needs_graphviz_or_draws)
{
    Ran r = run("PATH=/nowhere; weft show examples/product.wir --as=svg");

    CHECK_EQ_INT(r.status, 3);
    CHECK_HAS(r.err, "--as=svg needs the program 'dot'; install Graphviz (package "
                     "graphviz), or use --as=dot");
    CHECK_STR(r.out, "");
    ran_free(r);
    r = run(
        "d=$(mktemp -d); printf '#!/bin/sh\\n[ \"$1\" = -Tsvg ] && sed "
        "s/digraph/svg/\\n' > $d/dot; chmod +x $d/dot\n"
        "PATH=$d:$PATH weft show examples/product.wir --as=svg; s=$?; rm -r $d; exit $s");
    CHECK_EQ_INT(r.status, 0);
    CHECK_HAS(r.out, "svg");
    ran_free(r);
    r = run(
        "d=$(mktemp -d); printf '#!/bin/sh\\nexit 1\\n' > $d/dot; chmod +x $d/dot\n"
        "PATH=$d:$PATH weft show examples/product.wir --as=svg; s=$?; rm -r $d; exit $s");
    CHECK_EQ_INT(r.status, 3);
    CHECK_HAS(r.err, "the program 'dot' failed");
    ran_free(r);
}

/* ---- terminals
 * ------------------------------------------------------------------------- */

/* Standard error of the program on a terminal of its own; malloc'ed. */
static char *on_terminal(const char *no_color)
{
    int master = posix_openpt(O_RDWR | O_NOCTTY), slave;
    char *text = calloc(1, 4096);
    size_t n = 0;
    ssize_t got;
    pid_t pid;

    if (master < 0 || grantpt(master) || unlockpt(master) ||
        (slave = open(ptsname(master), O_RDWR | O_NOCTTY)) < 0)
        return text;
    pid = fork();
    if (pid == 0) {
        dup2(slave, 2);
        setenv("TERM", "xterm", 1);
        if (no_color)
            setenv("NO_COLOR", no_color, 1);
        else
            unsetenv("NO_COLOR");
        execl(program(), program(), "show", "tests/errors/unknown_op.wir", (char *)NULL);
        _exit(127);
    }
    waitpid(pid, NULL, 0);
    fcntl(master, F_SETFL, O_NONBLOCK);
    while (n < 4095 && (got = read(master, text + n, 4095 - n)) > 0)
        n += (size_t)got;
    close(slave);
    close(master);
    return text;
}

TEST(colours_are_for_terminals_and_can_be_switched_off)
{
    char *with = on_terminal(NULL), *without = on_terminal("1"), *empty = on_terminal("");
    Ran piped = run("weft show tests/errors/unknown_op.wir");

    CHECK_HAS(with, "\033[1;31mname error\033[0m: ");
    CHECK_HAS(with, "\033[1;32m");
    CHECK_HAS(without, "name error: ");
    CHECK(strchr(without, '\033') == NULL);
    CHECK_HAS(empty, "\033[1;31m"); /* an empty NO_COLOR is none */
    CHECK_HAS(piped.err, "name error: ");
    CHECK(strchr(piped.err, '\033') == NULL);
    free(with), free(without), free(empty);
    ran_free(piped);
}

/* ---- the op table ------------------------------------------------------------------ */

TEST(no_rule_is_missing_from_the_op_table)
{
    Ran r = run("weft ops | tail -1");

    CHECK_HAS(r.out, " ops, 0 rules missing");
    ran_free(r);
}
