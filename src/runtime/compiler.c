/* compiler.c -- the system's C compiler as a subroutine.
 *
 * Each unit is a file in a fresh directory, compiled and linked by one process:
 *
 *     cc FLAGS -pipe -x c -shared .. -o work.XXXXXX/3.so work.XXXXXX/3.c -lm -lgcc
 *
 * started by posix_spawn (no shell, no fork of a large process) in a process group of its
 * own, so that a driver that hangs can be killed together with what it started. Waiting
 * asks for each process by number: the host's other children, and its way of handling
 * SIGCHLD, are left alone. If the host reaps our processes before we do, what they wrote
 * decides.
 */
#include "compiler.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

#define WORDS_MAX        64
#define POLL_NANOSECONDS 300000
#define VERSION_SECONDS  10

/* What a context knows about its compiler. */
typedef struct Coder {
    char path[1024];     /* of the compiler; "" if there is none */
    char words[512];     /* its first arguments, from CC */
    const char *arg[16]; /* pointing there */
    int nargs;
    char identity[256]; /* version, machine and compiler in words; "": not asked yet */
    bool told;          /* the log knows that nothing can be compiled */
    CodeCache cache;
} Coder;

struct Code {
    atomic_int refs;
    wf_allocator al;
    CodeStats stats;
    int n;
    void *handle[];
};

/* ---- which compiler ---------------------------------------------------------------- */

static bool is_program(const char *path)
{
    struct stat s;

    return stat(path, &s) == 0 && S_ISREG(s.st_mode) && access(path, X_OK) == 0;
}

/* As the shell would find it. */
static bool find_program(const char *name, char *path, size_t room)
{
    const char *dirs = getenv("PATH");
    int n;

    if (strchr(name, '/')) {
        n = snprintf(path, room, "%s", name);
        return n > 0 && (size_t)n < room && is_program(path);
    }
    for (const char *at = dirs ? dirs : "/usr/bin:/bin", *end; *at; at = end + !!*end) {
        end = at + strcspn(at, ":");
        if (*at != '/') /* nothing from the current directory */
            continue;
        n = snprintf(path, room, "%.*s/%s", (int)(end - at), at, name);
        if (n > 0 && (size_t)n < room && is_program(path))
            return true;
    }
    return false;
}

static void find_compiler(Coder *c)
{
    static const char *const names[] = {"cc", "gcc", "clang"};
    const char *own = getenv("CC");
    char *save = NULL, *word;

    if (getauxval(AT_SECURE))
        return;
    if (own && (size_t)snprintf(c->words, sizeof c->words, "%s", own) < sizeof c->words)
        for (word = strtok_r(c->words, " \t", &save); word && c->nargs < COUNT(c->arg);
             word = strtok_r(NULL, " \t", &save))
            c->arg[c->nargs++] = word;
    if (c->nargs && find_program(c->arg[0], c->path, sizeof c->path))
        return;
    c->nargs = 1;
    for (int i = 0; i < COUNT(names); i++) {
        c->arg[0] = names[i];
        if (find_program(names[i], c->path, sizeof c->path))
            return;
    }
    c->path[0] = 0;
}

static void free_coder(wf_ctx *cx)
{
    codecache_close(&cx->coder->cache);
    mem_free(&cx->al, cx->coder, sizeof *cx->coder);
    cx->coder = NULL;
}

static Coder *coder_of(wf_ctx *cx)
{
    if (!cx->coder && (cx->coder = mem_alloc(&cx->al, sizeof *cx->coder))) {
        *cx->coder = (Coder){.cache.dir = -1};
        cx->coder_free = free_coder;
        find_compiler(cx->coder);
        if (cx->coder->path[0])
            codecache_open(cx, &cx->coder->cache);
    }
    return cx->coder;
}

/* Say once why compiled code does not serve. Always false. */
static bool give_up(wf_ctx *cx, const char *why)
{
    Coder *c = cx->coder;

    if (c && !c->told)
        ctx_log(cx, WF_LOG_WARN, "%s: the interpreter serves", why);
    if (c)
        c->told = true;
    return false;
}

bool code_possible(wf_ctx *cx)
{
    Coder *c = coder_of(cx);

    return c && (c->path[0] || give_up(cx, "no C compiler"));
}

/* ---- processes --------------------------------------------------------------------- */

/* Starts argv with its output going to the file `log`; 0: it could not be started. */
static pid_t start(const char *path, const char *const *argv, const char *log)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attr;
    sigset_t none, all;
    pid_t pid = 0;
    int bad;

    if (posix_spawn_file_actions_init(&files) != 0)
        return 0;
    if (posix_spawnattr_init(&attr) != 0) {
        posix_spawn_file_actions_destroy(&files);
        return 0;
    }
    sigemptyset(&none);
    sigfillset(&all);
    sigdelset(&all, SIGKILL);
    sigdelset(&all, SIGSTOP);
    posix_spawnattr_setsigmask(&attr, &none);
    posix_spawnattr_setsigdefault(&attr, &all);
    posix_spawnattr_setpgroup(&attr, 0);
    posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
                                        POSIX_SPAWN_SETPGROUP);
    bad = posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0) ||
          posix_spawn_file_actions_addopen(&files, 1, log, O_WRONLY | O_CREAT | O_TRUNC,
                                           0600) ||
          posix_spawn_file_actions_adddup2(&files, 1, 2) ||
          posix_spawn(&pid, path, &files, &attr, (char *const *)(uintptr_t)argv, environ);
    posix_spawnattr_destroy(&attr);
    posix_spawn_file_actions_destroy(&files);
    return bad ? 0 : pid;
}

typedef enum Fate { FATE_RUNS, FATE_DONE, FATE_FAILED, FATE_LATE } Fate;

/* What became of it; one that ran past its time, or whose run was cancelled, is ended. */
static Fate ask(wf_ctx *cx, pid_t pid, double deadline)
{
    int status;
    pid_t r = waitpid(pid, &status, WNOHANG);

    if (r == pid)
        return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? FATE_DONE : FATE_FAILED;
    if (r < 0 && errno == ECHILD) /* reaped by the host: is it gone? */
        return kill(pid, 0) == 0 && clock_seconds() < deadline ? FATE_RUNS : FATE_DONE;
    if (clock_seconds() < deadline && !cancelled(cx))
        return FATE_RUNS;
    kill(-pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    return FATE_LATE;
}

static void pause_briefly(void)
{
    nanosleep(&(struct timespec){0, POLL_NANOSECONDS}, NULL);
}

static double seconds_allowed(void)
{
    const char *s = getenv("WEFT_CC_SECONDS");
    long n = s ? strtol(s, NULL, 10) : 60;

    return (double)MIN(MAX(n, 1), 3600);
}

/* ---- work in a directory ----------------------------------------------------------- */

typedef struct Work {
    wf_ctx *cx;
    Coder *coder;
    const CodeUnit *units;
    const char *const *flags;
    int n;
    char dir[1100]; /* work.XXXXXX */
} Work;

static void work_path(const Work *w, int unit, const char *suffix, char out[1200])
{
    snprintf(out, 1200, "%s/%d%s", w->dir, unit, suffix);
}

/* A whole file, at most `most` bytes; NULL: it is not there, or memory is exhausted. */
static char *read_file(const wf_allocator *al, const char *path, size_t most,
                       size_t *out_n)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    struct stat s;
    size_t n = 0, done = 0;
    char *p = NULL;

    if (fd < 0)
        return NULL;
    if (fstat(fd, &s) == 0 && S_ISREG(s.st_mode) && s.st_size > 0) {
        n = MIN((size_t)s.st_size, most);
        p = mem_alloc(al, n);
    }
    while (p && done < n) {
        ssize_t k = read(fd, p + done, n - done);

        if (k < 0 && errno == EINTR)
            continue;
        if (k <= 0) {
            mem_free(al, p, n);
            p = NULL;
            break;
        }
        done += (size_t)k;
    }
    close(fd);
    *out_n = n;
    return p;
}

static bool write_file(const char *path, const char *text, size_t n)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);

    if (fd < 0)
        return false;
    while (n > 0) {
        ssize_t k = write(fd, text, n);

        if (k < 0 && errno == EINTR)
            continue;
        if (k <= 0)
            break;
        text += k;
        n -= (size_t)k;
    }
    return close(fd) == 0 && n == 0;
}

static bool work_begin(Work *w, const char *parent)
{
    int n = snprintf(w->dir, sizeof w->dir, "%s/work.XXXXXX", parent);

    if (n < 0 || (size_t)n >= sizeof w->dir || !mkdtemp(w->dir)) {
        w->dir[0] = 0;
        return false;
    }
    return true;
}

static void work_end(Work *w)
{
    static const char *const suffixes[] = {".c", ".so", ".log"};
    char path[1200];

    if (!w->dir[0])
        return;
    for (int i = 0; i < w->n; i++)
        for (int k = 0; k < COUNT(suffixes); k++) {
            work_path(w, i, suffixes[k], path);
            unlink(path);
        }
    rmdir(w->dir);
}

/* What the compiler said, to the log. */
static void tell_failure(Work *w, int unit, Fate fate)
{
    char path[1200];
    size_t n = 0;
    char *said;

    work_path(w, unit, ".log", path);
    said = read_file(&w->cx->al, path, 800, &n);
    ctx_log(w->cx, WF_LOG_WARN, "%s: %s%s%.*s", w->coder->path,
            fate == FATE_LATE ? "stopped, it took too long" : "failed", said ? ": " : "",
            (int)n, said ? said : "");
    mem_free(&w->cx->al, said, n);
}

/* The command line of one unit. in and out must live as long. */
static void command(const Work *w, const char *in, const char *out,
                    const char *argv[WORDS_MAX])
{
    /* Of the C library what units use is in the process; its start files and the search
     * through its archives take longer than the link. */
    const char *const tail[] = {
        "-pipe", "-x", "c", "-shared", "-nostartfiles", "-nodefaultlibs",
        "-fPIC", "-o", out, in,        "-lm",           "-lgcc"};
    int n = 0;

    for (int i = 0; i < w->coder->nargs; i++)
        argv[n++] = w->coder->arg[i];
    for (int i = 0; w->flags && w->flags[i] && n < WORDS_MAX - COUNT(tail) - 1; i++)
        argv[n++] = w->flags[i];
    for (int i = 0; i < COUNT(tail); i++)
        argv[n++] = tail[i];
    argv[n] = NULL;
}

static pid_t compile_start(Work *w, int unit)
{
    char in[1200], out[1200], log[1200];
    const char *argv[WORDS_MAX];

    work_path(w, unit, ".c", in);
    work_path(w, unit, ".so", out);
    work_path(w, unit, ".log", log);
    if (!write_file(in, w->units[unit].text, w->units[unit].size))
        return 0;
    command(w, in, out, argv);
    return start(w->coder->path, argv, log);
}

/* Compiles the units that have no handle yet, up to `room` at once. The first failure
 * lets those that run finish and starts no more. */
static Fate compile_all(Work *w, void *const *handle, int room)
{
    pid_t pid[64];
    int unit[64], running = 0, next = 0;
    double allowed = seconds_allowed(), since[64];
    Fate fate = FATE_DONE;

    room = MIN(MAX(room, 1), COUNT(pid));
    for (;;) {
        while (next < w->n && handle[next])
            next++;
        if (next < w->n && running < room && fate == FATE_DONE) {
            since[running] = clock_seconds();
            unit[running] = next;
            if ((pid[running] = compile_start(w, next++)) == 0)
                fate = FATE_FAILED;
            else
                running++;
            continue;
        }
        if (running == 0)
            return fate;
        for (int i = 0; i < running; i++) {
            Fate f = ask(w->cx, pid[i], since[i] + allowed);

            if (f == FATE_RUNS)
                continue;
            if (f != FATE_DONE && fate == FATE_DONE) {
                tell_failure(w, unit[i], f);
                fate = f;
            }
            running--;
            pid[i] = pid[running];
            unit[i] = unit[running];
            since[i] = since[running];
            i--;
        }
        pause_briefly();
    }
}

/* ---- the key's head ---------------------------------------------------------------- */

/* What `cc --version` prints, hashed: a driver may stand for another compiler. */
static bool hash_version(wf_ctx *cx, Coder *c, Hasher *h)
{
    Work w = {.cx = cx, .coder = c, .n = 1};
    const char *argv[COUNT(c->arg) + 2];
    char log[1200], *said = NULL;
    const char *tmp = getenv("TMPDIR");
    Fate fate = FATE_FAILED;
    double deadline;
    size_t n = 0;
    pid_t pid;

    if (!(c->cache.dir >= 0 && work_begin(&w, c->cache.path)) &&
        !(tmp && *tmp == '/' && work_begin(&w, tmp)) && !work_begin(&w, "/tmp"))
        return false;
    for (int i = 0; i < c->nargs; i++)
        argv[i] = c->arg[i];
    argv[c->nargs] = "--version";
    argv[c->nargs + 1] = NULL;
    work_path(&w, 0, ".log", log);
    if ((pid = start(c->path, argv, log)) != 0) {
        deadline = clock_seconds() + MIN(seconds_allowed(), VERSION_SECONDS);
        while ((fate = ask(cx, pid, deadline)) == FATE_RUNS)
            pause_briefly();
    }
    if (fate == FATE_DONE && (said = read_file(&cx->al, log, 1 << 16, &n)))
        hash_bytes(h, said, n);
    mem_free(&cx->al, said, n);
    work_end(&w);
    return fate == FATE_DONE;
}

static bool find_identity(wf_ctx *cx, Coder *c)
{
    struct stat s;
    Hasher h;
    Hash id;

    if (c->identity[0])
        return true;
    hash_init(&h, 3);
    if (stat(c->path, &s) != 0 || !hash_version(cx, c, &h))
        return false;
    hash_bytes(&h, c->path, strlen(c->path));
    hash_u64(&h, (uint64_t)s.st_size);
    hash_u64(&h, (uint64_t)s.st_mtim.tv_sec);
    hash_u64(&h, (uint64_t)s.st_mtim.tv_nsec);
    for (int i = 1; i < c->nargs; i++)
        hash_bytes(&h, c->arg[i], strlen(c->arg[i]) + 1);
    id = hash_done(&h);
    snprintf(c->identity, sizeof c->identity,
             "weft %s, cpu %016llx, compiler %016llx%016llx\n", WF_VERSION,
             (unsigned long long)cpu_features(), (unsigned long long)id.hi,
             (unsigned long long)id.lo);
    return true;
}

/* Identity and flags as text, in memory of *out_n bytes. */
static char *key_head(wf_ctx *cx, const Coder *c, const char *const *flags, size_t *out_n)
{
    size_t n = strlen(c->identity);
    char *head, *at;

    for (int i = 0; flags && flags[i]; i++)
        n += strlen(flags[i]) + 1;
    if (!(head = mem_alloc(&cx->al, n)))
        return NULL;
    at = head + strlen(c->identity);
    memcpy(head, c->identity, (size_t)(at - head));
    for (int i = 0; flags && flags[i]; i++) {
        size_t k = strlen(flags[i]);

        memcpy(at, flags[i], k);
        at[k] = '\n';
        at += k + 1;
    }
    *out_n = n;
    return head;
}

/* ---- loading ----------------------------------------------------------------------- */

/* Takes over what the compiler made. */
static bool collect(Work *w, const char *head, size_t head_size, Code *code)
{
    const wf_allocator *al = &w->cx->al;
    bool ok = true;

    for (int i = 0; i < w->n && ok; i++) {
        char path[1200];
        size_t n = 0;
        char *object;
        CodeKey key;

        if (code->handle[i])
            continue;
        work_path(w, i, ".so", path);
        key = code_key(head, head_size, &w->units[i]);
        object = read_file(al, path, (size_t)1 << 30, &n);
        code->handle[i] =
            object ? codecache_add(&w->coder->cache, &key, object, n) : NULL;
        ok = code->handle[i] != NULL;
        code->stats.compiled += ok;
        mem_free(al, object, n);
    }
    if (!ok)
        ctx_log(w->cx, WF_LOG_WARN, "%s: what it made cannot be loaded", w->coder->path);
    return ok;
}

static bool is_full(const char *dir)
{
    struct statvfs s;

    return statvfs(dir, &s) != 0 || (uint64_t)s.f_bavail * s.f_frsize < (uint64_t)1 << 20;
}

/* Compiles what is missing: in the cache's directory, or where that is full or not to be
 * written to, in one for temporary files. */
static bool compile_missing(Work *w, const char *head, size_t head_size, Code *code)
{
    const char *tmp = getenv("TMPDIR");
    const char *const places[] = {w->coder->cache.dir >= 0 ? w->coder->cache.path : NULL,
                                  tmp && *tmp == '/' ? tmp : NULL, "/tmp", "/dev/shm"};
    bool ok = false, full;
    Fate fate = FATE_FAILED;

    for (int i = 0; i < COUNT(places) && !ok && fate != FATE_LATE; i++) {
        if (!places[i] || !work_begin(w, places[i]))
            continue;
        fate = compile_all(w, code->handle, cpu_count());
        ok = fate == FATE_DONE && collect(w, head, head_size, code);
        full = is_full(w->dir);
        work_end(w);
        if (!ok && !full)
            break; /* elsewhere it would not go better */
    }
    return ok;
}

static bool load_units(wf_ctx *cx, Work *w, Code *code)
{
    Coder *c = w->coder;
    size_t head_size = 0;
    char *head = key_head(cx, c, w->flags, &head_size);
    int told = c->cache.damaged;
    bool ok = head != NULL;

    for (int i = 0; ok && i < w->n; i++) {
        CodeKey key = code_key(head, head_size, &w->units[i]);

        code->handle[i] = codecache_find(&c->cache, &key);
        code->stats.hits += code->handle[i] != NULL;
    }
    if (c->cache.damaged > told)
        ctx_log(cx, WF_LOG_WARN, "code cache: %d entries in %s were damaged, or not ours: they are removed",
                c->cache.damaged - told, c->cache.path);
    if (ok)
        ctx_log(cx, WF_LOG_DEBUG, "code cache: %d of %d units are there%s", code->stats.hits, w->n,
                code->stats.hits < w->n ? ", the others are compiled" : "");
    if (ok && code->stats.hits < w->n) {
        ok = compile_missing(w, head, head_size, code);
        if (code->stats.compiled)
            codecache_trim(&c->cache);
    }
    mem_free(&cx->al, head, head_size);
    return ok;
}

static size_t code_size(int n) { return sizeof(Code) + (size_t)n * sizeof(void *); }

/* For n units, none of them loaded yet. */
static Code *new_code(wf_ctx *cx, int n)
{
    Code *code = mem_alloc(&cx->al, code_size(n));

    if (!code)
        return NULL;
    memset(code, 0, code_size(n));
    code->refs = 1;
    code->al = cx->al;
    code->n = n;
    return code;
}

Code *code_of_handles(wf_ctx *cx, void *const *handle, int n)
{
    Code *code = new_code(cx, n);

    for (int i = 0; i < n; i++)
        if (code)
            code->handle[i] = handle[i];
        else if (handle[i])
            dlclose(handle[i]);
    return code;
}

bool code_make(wf_ctx *cx, const CodeUnit *u, const char *const *flags, char **out_object, size_t *out_size)
{
    static const char *const places[] = {"/tmp", "/dev/shm"};
    Coder *c = coder_of(cx);
    Work w = {.cx = cx, .coder = c, .units = u, .flags = flags, .n = 1};
    const char *tmp = getenv("TMPDIR");
    void *none = NULL;
    char path[1200];

    *out_object = NULL;
    if (!c || !c->path[0])
        return give_up(cx, "no C compiler");
    if (!(tmp && *tmp == '/' && work_begin(&w, tmp)) && !work_begin(&w, places[0]) && !work_begin(&w, places[1]))
        return give_up(cx, "no folder for temporary files");
    work_path(&w, 0, ".so", path);
    if (compile_all(&w, &none, 1) == FATE_DONE)
        *out_object = read_file(&cx->al, path, (size_t)1 << 30, out_size);
    work_end(&w);
    return *out_object != NULL || give_up(cx, "the C compiler failed");
}

bool code_load(wf_ctx *cx, const CodeUnit *units, int n, const char *const *flags,
               Code **out_code)
{
    double begin = clock_seconds();
    Coder *c = coder_of(cx);
    Work w = {.cx = cx, .coder = c, .units = units, .flags = flags, .n = n};
    Code *code;

    *out_code = NULL;
    if (!c || n < 0)
        return false;
    if (!c->path[0])
        return give_up(cx, "no C compiler");
    if (!find_identity(cx, c))
        return give_up(cx, "the C compiler does not answer");
    if (!(code = new_code(cx, n)))
        return false;
    if (!load_units(cx, &w, code)) {
        code_release(code);
        return give_up(cx, "the C compiler failed");
    }
    code->stats.seconds = clock_seconds() - begin;
    *out_code = code;
    return true;
}

void *code_symbol(const Code *c, const char *name)
{
    void *p = NULL;

    for (int i = 0; i < c->n && !p; i++)
        p = dlsym(c->handle[i], name);
    return p;
}

const CodeStats *code_stats(const Code *c) { return &c->stats; }

Code *code_retain(Code *c)
{
    atomic_fetch_add_explicit(&c->refs, 1, memory_order_relaxed);
    return c;
}

void code_release(Code *c)
{
    wf_allocator al;

    if (!c || atomic_fetch_sub_explicit(&c->refs, 1, memory_order_acq_rel) != 1)
        return;
    for (int i = 0; i < c->n; i++)
        if (c->handle[i])
            dlclose(c->handle[i]);
    al = c->al;
    mem_free(&al, c, code_size(c->n));
}
