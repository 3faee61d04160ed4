/* descriptor.c -- the functions of os that work on file descriptors, and on the cores a process may use. */
#include "modules.h"
#include "script/bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <sys/times.h>
#include <unistd.h>

#define MOST (1 << 26) /* bytes of one read */

static bool fd_arg(Vm *vm, Value v, int *out)
{
    int64_t fd;

    if (!sc_may(vm, "reach files") || !sc_to_int(vm, v, &fd))
        return false;
    if (fd < 0 || fd > INT32_MAX) {
        errno = EBADF;
        os_raise_errno(vm, "file descriptor");
        return false;
    }
    *out = (int)fd;
    return true;
}

static Value number(Vm *vm, int64_t n) { return n < 0 ? os_raise_errno(vm, "file descriptor") : v_int(n); }

static Value m_open(Vm *vm, const Args *a)
{
    const char *path = os_path(vm, a->v[0]);
    int64_t flags, mode = 0777;
    int fd;

    if (!path || !sc_may(vm, "reach files") || !sc_to_int(vm, a->v[1], &flags) || (a->v[2].tag != T_NIL && !sc_to_int(vm, a->v[2], &mode)))
        return NIL;
    fd = open(path, (int)flags | O_CLOEXEC, (mode_t)mode);
    return fd < 0 ? os_raise_errno(vm, path) : v_int(fd);
}

static Value m_close(Vm *vm, const Args *a)
{
    int fd;

    if (!fd_arg(vm, a->v[0], &fd))
        return NIL;
    return close(fd) ? os_raise_errno(vm, "file descriptor") : NONE;
}

static Value m_read(Vm *vm, const Args *a)
{
    int64_t n, got;
    uint8_t *room;
    Value r;
    int fd;

    if (!fd_arg(vm, a->v[0], &fd) || !sc_to_int(vm, a->v[1], &n))
        return NIL;
    n = n < 0 ? 0 : n > MOST ? MOST : n;
    if (!(room = sc_alloc(vm, (size_t)n + 1)))
        return NIL;
    got = read(fd, room, (size_t)n);
    r = got < 0 ? os_raise_errno(vm, "file descriptor") : v_obj(bytes_new(vm, vm->cls[C_bytes], room, got));
    sc_free(vm, room, (size_t)n + 1);
    return r;
}

static Value m_write(Vm *vm, const Args *a)
{
    const uint8_t *p;
    int64_t n;
    int fd;

    if (!fd_arg(vm, a->v[0], &fd))
        return NIL;
    if (!sc_bytes_view(vm, a->v[1], &p, &n))
        return sc_raise(vm, C_TypeError, "a bytes-like object is required, not '%s'", sc_type_name(vm, a->v[1]));
    return number(vm, write(fd, p, (size_t)n));
}

static Value m_dup(Vm *vm, const Args *a)
{
    int fd;

    return fd_arg(vm, a->v[0], &fd) ? number(vm, fcntl(fd, F_DUPFD_CLOEXEC, 0)) : NIL;
}

/* What was printed goes where it was to go. */
static Value m_dup2(Vm *vm, const Args *a)
{
    int from, to;

    if (!fd_arg(vm, a->v[0], &from) || !fd_arg(vm, a->v[1], &to))
        return NIL;
    fflush(to == STDERR_FILENO ? stderr : stdout);
    return number(vm, dup2(from, to));
}

static Value m_fsync(Vm *vm, const Args *a)
{
    int fd;

    if (!fd_arg(vm, a->v[0], &fd))
        return NIL;
    return fsync(fd) ? os_raise_errno(vm, "fsync") : NONE;
}

static Value pair_of(Vm *vm, int64_t x, int64_t y) { return v_obj(sc_tuple_of(vm, (Value[]){v_int(x), v_int(y)}, 2)); }

static Value m_pipe(Vm *vm, const Args *a)
{
    int fd[2];

    (void)a;
    if (pipe(fd))
        return os_raise_errno(vm, "pipe");
    fcntl(fd[0], F_SETFD, FD_CLOEXEC);
    fcntl(fd[1], F_SETFD, FD_CLOEXEC);
    return pair_of(vm, fd[0], fd[1]);
}

static Value m_isatty(Vm *vm, const Args *a)
{
    int fd;

    return fd_arg(vm, a->v[0], &fd) ? v_bool(isatty(fd) == 1) : NIL;
}

static Value m_lseek(Vm *vm, const Args *a)
{
    int64_t at, whence;
    int fd;

    if (!fd_arg(vm, a->v[0], &fd) || !sc_to_int(vm, a->v[1], &at) || !sc_to_int(vm, a->v[2], &whence))
        return NIL;
    return number(vm, lseek(fd, at, (int)whence));
}

/* The cores process pid may use, as a list */
static Value m_getaffinity(Vm *vm, const Args *a)
{
    cpu_set_t set;
    int64_t pid;
    List *r;

    if (!sc_to_int(vm, a->v[0], &pid))
        return NIL;
    if (sched_getaffinity((pid_t)pid, sizeof set, &set))
        return os_raise_errno(vm, "process");
    if (!(r = sc_list(vm, 0)))
        return NIL;
    for (int i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET((size_t)i, &set) && !sc_list_push(vm, r, v_int(i))) {
            obj_drop(vm, r);
            return NIL;
        }
    return v_obj(r);
}

static Value m_setaffinity(Vm *vm, const Args *a)
{
    Tuple *cores = sc_tuple_from(vm, a->v[1]);
    int64_t pid, core;
    cpu_set_t set;
    bool ok = cores && sc_to_int(vm, a->v[0], &pid);

    CPU_ZERO(&set);
    for (int64_t i = 0; ok && i < cores->n; i++) {
        ok = sc_to_int(vm, cores->v[i], &core);
        if (ok && (core < 0 || core >= CPU_SETSIZE))
            ok = sc_fail(vm, C_ValueError, core < 0 ? "negative CPU number" : "CPU number too large");
        if (ok)
            CPU_SET((size_t)core, &set);
    }
    if (cores)
        obj_drop(vm, cores);
    if (!ok)
        return NIL;
    return sched_setaffinity((pid_t)pid, sizeof set, &set) ? os_raise_errno(vm, "process") : NONE;
}

/* times(): user, system, of children the same, elapsed */
static Value m_times(Vm *vm, const Args *a)
{
    struct tms t;
    clock_t now = times(&t);
    double tick = (double)sysconf(_SC_CLK_TCK);

    (void)a;
    return v_obj(sc_tuple_of(vm, (Value[]){v_float((double)t.tms_utime / tick), v_float((double)t.tms_stime / tick),
                                           v_float((double)t.tms_cutime / tick), v_float((double)t.tms_cstime / tick),
                                           v_float((double)now / tick)}, 5));
}

const NativeDef os_descriptors[] = {
    {"open", m_open, "path,flags|mode"}, {"close", m_close, "fd"}, {"read", m_read, "fd,n"},
    {"write", m_write, "fd,data"}, {"dup", m_dup, "fd"}, {"dup2", m_dup2, "fd,fd2"}, {"fsync", m_fsync, "fd"},
    {"pipe", m_pipe, ""}, {"isatty", m_isatty, "fd"}, {"lseek", m_lseek, "fd,position,whence"},
    {"_getaffinity", m_getaffinity, "pid"}, {"sched_setaffinity", m_setaffinity, "pid,mask"},
    {"_times", m_times, ""}, {0},
};
