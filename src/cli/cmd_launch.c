/* cmd_launch.c -- weft launch -n N FILE.py [ARG...]: one script, or program, in several processes of this machine.
 *
 * Each has the variables by which torch.distributed, jax.distributed and the library find the others. Their lines come out
 * whole, with the rank before them. Signals go to all; when one ends badly the others are ended, too. */
#include "cli.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 1024, GRACE = 5 /* seconds between asking a process to end and ending it */ };

typedef struct Stream { /* what a process writes, by lines */
    int fd;
    FILE *to;
    char *line;
    size_t n, room;
} Stream;

typedef struct Rank {
    pid_t pid;
    bool ended;
    int status;
    Stream out[2];
} Rank;

typedef struct Launch {
    Rank *rank;
    int n, alive;
    bool plain, program; /* program: not a script */
    int culprit; /* the first that ended badly, or -1 */
    int named;   /* the one that another says is missing, or -1: it may have ended badly at the same moment */
    time_t since; /* when the others were asked to end; 0: they were not */
} Launch;

static volatile sig_atomic_t caught; /* a signal to hand on */

static void on_signal(int sig) { caught = sig; }

static void signal_all(Launch *l, int sig)
{
    for (int k = 0; k < l->n; k++)
        if (!l->rank[k].ended)
            kill(l->rank[k].pid, sig);
}

/* ---- what they write ----------------------------------------------------------------- */

/* "all_reduce: rank 0 of 3: rank 1 has ended" */
static void find_named(Launch *l, int rank, const char *text, size_t n)
{
    static const char word[] = ": rank ";

    for (size_t i = 0; i + sizeof word < n && l->named < 0; i++) {
        int k = 0, used = 0;
        char rest[64];

        if (memcmp(text + i, word, sizeof word - 1) != 0)
            continue;
        snprintf(rest, sizeof rest, "%.*s", (int)(n - i - sizeof word + 1), text + i + sizeof word - 1);
        if (sscanf(rest, "%d%n", &k, &used) == 1 && k >= 0 && k < l->n && k != rank &&
            (!strncmp(rest + used, " has ended", 10) || !strncmp(rest + used, " failed: ", 9)))
            l->named = k;
    }
}

static void put_line(Launch *l, int rank, Stream *s, const char *text, size_t n)
{
    if (s->to == stderr)
        find_named(l, rank, text, n);
    if (!l->plain)
        fprintf(s->to, "[%d] ", rank);
    fwrite(text, 1, n, s->to);
}

/* Whole lines are given out; the last piece too when the stream has ended. */
static void give_lines(Launch *l, int rank, Stream *s, bool ended)
{
    size_t from = 0;

    for (size_t i = 0; i < s->n; i++)
        if (s->line[i] == '\n') {
            put_line(l, rank, s, s->line + from, i + 1 - from);
            from = i + 1;
        }
    if (ended && from < s->n) {
        put_line(l, rank, s, s->line + from, s->n - from);
        fputc('\n', s->to);
        from = s->n;
    }
    memmove(s->line, s->line + from, s->n - from);
    s->n -= from;
    fflush(s->to);
}

static void read_stream(Launch *l, int rank, Stream *s)
{
    ssize_t n;

    if (s->room - s->n < 4096) {
        char *more = realloc(s->line, s->room = 2 * s->room + 8192);

        if (!more)
            abort();
        s->line = more;
    }
    n = read(s->fd, s->line + s->n, s->room - s->n);
    if (n < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    s->n += n > 0 ? (size_t)n : 0;
    give_lines(l, rank, s, n <= 0);
    if (n <= 0) {
        close(s->fd);
        s->fd = -1;
    }
}

static void read_all(Launch *l, int milliseconds)
{
    struct pollfd p[2 * MOST];
    Stream *of[2 * MOST];
    nfds_t n = 0;

    for (int k = 0; k < l->n; k++)
        for (int i = 0; i < 2; i++)
            if (l->rank[k].out[i].fd >= 0) {
                of[n] = &l->rank[k].out[i];
                p[n] = (struct pollfd){.fd = of[n]->fd, .events = POLLIN};
                n++;
            }
    if (poll(p, n, milliseconds) <= 0)
        return;
    for (nfds_t i = 0, k = 0; k < (nfds_t)l->n; k++)
        for (int j = 0; j < 2; j++)
            if (i < n && of[i] == &l->rank[k].out[j]) {
                if (p[i].revents)
                    read_stream(l, (int)k, of[i]);
                i++;
            }
}

/* ---- starting and ending -------------------------------------------------------------- */

static void set_number(const char *name, long v)
{
    char text[32];

    snprintf(text, sizeof text, "%ld", v);
    setenv(name, text, 1);
}

/* In the new process. */
static void be_rank(const Launch *l, int k, char **argv)
{
    static const char *const ranks[] = {"RANK", "LOCAL_RANK", "JAX_PROCESS_ID"};

    for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++)
        set_number(ranks[i], k);
    for (int j = 0; j < l->n; j++)
        for (int i = 0; i < 2 && j < k; i++)
            close(l->rank[j].out[i].fd);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    if (l->program)
        execvp(argv[0], argv);
    else
        execv("/proc/self/exe", argv);
    fprintf(stderr, "weft: cannot start %s: %s\n", argv[0], strerror(errno));
    _exit(ENVIRONMENT);
}

static bool start(Launch *l, int k, char **argv)
{
    int p[2][2];
    Rank *r = &l->rank[k];

    for (int i = 0; i < 2; i++)
        if (pipe(p[i]) != 0)
            return false;
    fflush(NULL);
    r->pid = fork();
    if (r->pid < 0)
        return false;
    if (r->pid == 0) {
        for (int i = 0; i < 2; i++) {
            dup2(p[i][1], i + 1);
            close(p[i][0]);
            close(p[i][1]);
        }
        be_rank(l, k, argv);
    }
    for (int i = 0; i < 2; i++) {
        close(p[i][1]);
        r->out[i] = (Stream){.fd = p[i][0], .to = i ? stderr : stdout};
    }
    l->alive++;
    return true;
}

/* What all have in common. Threads are divided unless the user has said how many. */
static void set_common(int n)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN), port = 20000 + (long)getpid() % 40000;
    char text[64];

    set_number("WORLD_SIZE", n);
    set_number("LOCAL_WORLD_SIZE", n);
    set_number("JAX_NUM_PROCESSES", n);
    set_number("GROUP_RANK", 0);
    if (!getenv("WEFT_THREADS"))
        set_number("WEFT_THREADS", cores / n > 1 ? cores / n : 1);
    if (!getenv("MASTER_ADDR"))
        setenv("MASTER_ADDR", "localhost", 1);
    if (!getenv("MASTER_PORT"))
        set_number("MASTER_PORT", port);
    snprintf(text, sizeof text, "localhost:%s", getenv("MASTER_PORT"));
    setenv("JAX_COORDINATOR_ADDRESS", text, 1);
    snprintf(text, sizeof text, "launch%ld_%ld", (long)getpid(), (long)time(NULL));
    setenv("WEFT_COMM", text, 1);
    setenv("TORCHELASTIC_RUN_ID", text, 1);
}

/* "status 1", "signal 9 (Killed)" */
static void say_how(int rank, int status)
{
    if (WIFSIGNALED(status))
        cli_complain("rank %d was ended by signal %d (%s)", rank, WTERMSIG(status), strsignal(WTERMSIG(status)));
    else
        cli_complain("rank %d ended with status %d", rank, WEXITSTATUS(status));
}

static void reap(Launch *l)
{
    int status;
    pid_t pid;

    while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
        for (int k = 0; k < l->n; k++) {
            Rank *r = &l->rank[k];

            if (r->pid != pid || r->ended)
                continue;
            r->ended = true;
            r->status = status;
            l->alive--;
            if (status == 0 || l->culprit >= 0)
                continue;
            l->culprit = k;
        }
    if (l->culprit >= 0 && !l->since) { /* the others may say themselves who is missing: they get a moment */
        l->since = time(NULL);
    } else if (l->since && time(NULL) - l->since >= GRACE && l->alive) {
        signal_all(l, time(NULL) - l->since >= 2 * GRACE ? SIGKILL : SIGTERM);
    }
}

static int watch(Launch *l)
{
    bool open = true;

    while (l->alive || open) {
        read_all(l, 50);
        if (caught) {
            signal_all(l, caught);
            if (!l->since)
                l->since = time(NULL);
            caught = 0;
        }
        reap(l);
        open = false;
        for (int k = 0; k < l->n; k++)
            open = open || l->rank[k].out[0].fd >= 0 || l->rank[k].out[1].fd >= 0;
        if (!l->alive && open) { /* what a process of a process still holds is not waited for */
            read_all(l, 100);
            break;
        }
    }
    if (l->culprit < 0)
        return DONE;
    if (l->named >= 0 && l->rank[l->named].status)
        l->culprit = l->named;
    say_how(l->culprit, l->rank[l->culprit].status);
    return WIFSIGNALED(l->rank[l->culprit].status) ? USER : WEXITSTATUS(l->rank[l->culprit].status);
}

static int launch(Launch *l, char **argv)
{
    struct sigaction sa = {.sa_handler = on_signal};
    int status;

    sigaction(SIGINT, &sa, NULL);
    sigaction(SIGTERM, &sa, NULL);
    set_common(l->n);
    for (int k = 0; k < l->n; k++)
        if (!start(l, k, argv)) {
            cli_complain("cannot start process %d: %s", k, strerror(errno));
            signal_all(l, SIGKILL);
            return ENVIRONMENT;
        }
    status = watch(l);
    for (int k = 0; k < l->n; k++)
        for (int i = 0; i < 2; i++)
            free(l->rank[k].out[i].line);
    return status;
}

static int run(CliArgs *a)
{
    static char word_run[] = "run";
    Launch l = {.culprit = -1, .named = -1};
    char **argv;
    int at = 2, status;

    for (; at < a->argc && a->argv[at][0] == '-' && strcmp(a->argv[at], "-m") != 0; at++) {
        char *end = NULL;

        if (strcmp(a->argv[at], "--plain") == 0) {
            l.plain = true;
            continue;
        }
        if (strcmp(a->argv[at], "-n") != 0)
            return usage_error(a->command, "unknown option '%s'", a->argv[at]);
        l.n = at + 1 < a->argc ? (int)strtol(a->argv[++at], &end, 10) : 0;
        if (!end || *end || l.n < 1 || l.n > MOST)
            return usage_error(a->command, "-n needs a number of processes, 1 to %d", MOST);
    }
    if (at >= a->argc)
        return usage_error(a->command, "which file?");
    if (!l.n)
        return usage_error(a->command, "how many processes? -n N");
    l.program = strcmp(a->argv[at], "-m") != 0 && !cli_is_script(a->argv[at]);
    argv = cli_need_memory((size_t)(a->argc - at + 3) * sizeof *argv);
    argv[0] = a->argv[0];
    argv[1] = word_run;
    for (int i = at; i <= a->argc; i++)
        argv[(l.program ? 0 : 2) + i - at] = i < a->argc ? a->argv[i] : NULL;
    l.rank = cli_need_memory((size_t)l.n * sizeof *l.rank);
    memset(l.rank, 0, (size_t)l.n * sizeof *l.rank);
    for (int k = 0; k < l.n; k++)
        l.rank[k].out[0].fd = l.rank[k].out[1].fd = -1;
    status = launch(&l, argv);
    free(l.rank);
    free(argv);
    return status;
}

const Command cmd_launch = {
    .name = "launch",
    .usage = "-n N [--plain] FILE.py | -m MODULE | PROGRAM [ARG...]",
    .summary = "run a script or a program in several processes",
    .help = "Starts N processes of this machine, which run the script, or a program of your own, together: torch.distributed, jax.distributed and wf_comm_open\n"
            "find the others by the variables that torchrun sets (RANK, WORLD_SIZE, LOCAL_RANK, MASTER_ADDR, MASTER_PORT ..) and\n"
            "JAX_PROCESS_ID and its like. Their lines have the rank before them, without --plain. Signals go to all; when one ends badly\n"
            "the others are ended after a few seconds, and the status is that of the one. For several machines there is mpirun.",
    .run = run,
};
