/* os.c -- the modules os and os.path; os.py has what is written in the language itself. */
#include "modules.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

const char *os_path(Vm *vm, Value v)
{
    const uint8_t *p;
    int64_t n;
    Value s = NIL;

    if (is_str(v))
        return as_str(v)->s;
    if (sc_bytes_view(vm, v, &p, &n))
        s = v_obj(sc_str_n(vm, (const char *)p, (size_t)n));
    else if (v.tag == T_OBJ && v.o->cls->script)
        s = sc_getattr_s(vm, v, "__fspath__");
    if (s.tag != T_NIL && !is_str(s)) {
        Value m = s;

        s = sc_call(vm, m, NULL, 0);
        sc_drop(vm, m);
    }
    if (!is_str(s)) {
        sc_drop(vm, s);
        if (!sc_failed(vm) || sc_exc_is(vm, C_AttributeError))
            sc_raise(vm, C_TypeError, "expected str, bytes or os.PathLike object, not %s", sc_type_name(vm, v));
        return NULL;
    }
    sc_put(vm, &vm->held[vm->next_held++ % COUNT(vm->held)], s);
    return as_str(s)->s;
}

Value os_raise_errno(Vm *vm, const char *path)
{
    int e = errno;
    Value v[3] = {v_int(e), v_obj(sc_str(vm, strerror(e))), v_obj(sc_str(vm, path))}, x = NIL;

    if (v[1].tag != T_NIL && v[2].tag != T_NIL)
        x = sc_call(vm, v_obj(vm->cls[C_OSError]), v, 3); /* of the class that e says */
    if (x.tag != T_NIL)
        sc_set_exc(vm, x, NIL);
    sc_drop(vm, x);
    sc_drop(vm, v[1]);
    sc_drop(vm, v[2]);
    return NIL;
}

#define TEXT_ARG(i) os_path(vm, a->v[i])                                          /* looked at as text */
#define PATH_ARG(i) (sc_may(vm, "reach files") ? os_path(vm, a->v[i]) : NULL) /* used */

static Value m_remove(Vm *vm, const Args *a)
{
    const char *p = PATH_ARG(0);

    return !p ? NIL : unlink(p) ? os_raise_errno(vm, p) : NONE;
}

static Value m_rmdir(Vm *vm, const Args *a)
{
    const char *p = PATH_ARG(0);

    return !p ? NIL : rmdir(p) ? os_raise_errno(vm, p) : NONE;
}

static Value m_mkdir(Vm *vm, const Args *a)
{
    const char *p = PATH_ARG(0);

    return !p ? NIL : mkdir(p, 0777) ? os_raise_errno(vm, p) : NONE;
}

static Value m_makedirs(Vm *vm, const Args *a)
{
    const char *p = PATH_ARG(0);
    char path[PATH_MAX];
    bool exist_ok = false;
    struct stat st;

    if (!p || (a->v[2].tag != T_NIL && !sc_to_bool(vm, a->v[2], &exist_ok)))
        return NIL;
    if (strlen(p) >= sizeof path)
        return sc_raise(vm, C_OSError, "the path is too long");
    strcpy(path, p);
    for (char *s = path + 1; *s; s++)
        if (*s == '/' && s[strspn(s, "/")]) {
            *s = 0;
            if (mkdir(path, 0777) && errno != EEXIST)
                return os_raise_errno(vm, path);
            *s = '/';
        }
    if (mkdir(path, 0777) &&
        !(errno == EEXIST && exist_ok && stat(path, &st) == 0 && S_ISDIR(st.st_mode)))
        return os_raise_errno(vm, path);
    return NONE;
}

static Value m_rename(Vm *vm, const Args *a)
{
    const char *p = PATH_ARG(0), *q = p ? PATH_ARG(1) : NULL;

    return !q ? NIL : rename(p, q) ? os_raise_errno(vm, p) : NONE;
}

static Value m_listdir(Vm *vm, const Args *a)
{
    const char *p = a->v[0].tag == T_NIL && sc_may(vm, "reach files") ? "." : PATH_ARG(0);
    DIR *d = p ? opendir(p) : NULL;
    List *l;
    struct dirent *e;

    if (!p)
        return NIL;
    if (!d)
        return os_raise_errno(vm, p);
    l = sc_list(vm, 0);
    while (l && (e = readdir(d))) {
        Value s;
        bool ok;

        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        s = v_obj(sc_str(vm, e->d_name));
        ok = s.tag != T_NIL && sc_list_push(vm, l, s);
        sc_drop(vm, s);
        if (!ok) {
            obj_drop(vm, l);
            l = NULL;
        }
    }
    closedir(d);
    return v_obj(l);
}

static Value m_getcwd(Vm *vm, const Args *a)
{
    char p[PATH_MAX];

    (void)a;
    return getcwd(p, sizeof p) ? v_obj(sc_str(vm, p)) : os_raise_errno(vm, ".");
}

static Value m_getpid(Vm *vm, const Args *a)
{
    (void)vm;
    (void)a;
    return v_int(getpid());
}

static Value m_cpu_count(Vm *vm, const Args *a)
{
    (void)vm;
    (void)a;
    return v_int(sysconf(_SC_NPROCESSORS_ONLN));
}

static Value m_getenv(Vm *vm, const Args *a)
{
    Value e = sc_getattr_s(vm, v_obj(vm->main), "__name__"), r;
    const char *n = sc_to_cstr(vm, a->v[0], "key"), *s;

    sc_drop(vm, e);
    if (!n)
        return NIL;
    s = getenv(n);
    r = s ? v_obj(sc_str(vm, s)) : a->v[1].tag == T_NIL ? NONE : sc_ref(a->v[1]);
    return r;
}

/* (mode, ino, dev, nlink, uid, gid, size, atime, mtime, ctime) */
static Value stat_tuple(Vm *vm, const Args *a, bool follow)
{
    const char *p = PATH_ARG(0);
    struct stat st;

    if (!p)
        return NIL;
    if (follow ? stat(p, &st) : lstat(p, &st))
        return os_raise_errno(vm, p);
    Value v[] = {v_int(st.st_mode), v_int((int64_t)st.st_ino), v_int((int64_t)st.st_dev),
                 v_int((int64_t)st.st_nlink), v_int(st.st_uid), v_int(st.st_gid), v_int(st.st_size),
                 v_float((double)st.st_atim.tv_sec + 1e-9 * (double)st.st_atim.tv_nsec),
                 v_float((double)st.st_mtim.tv_sec + 1e-9 * (double)st.st_mtim.tv_nsec),
                 v_float((double)st.st_ctim.tv_sec + 1e-9 * (double)st.st_ctim.tv_nsec)};

    return v_obj(sc_tuple_of(vm, v, COUNT(v)));
}

static Value m_stat(Vm *vm, const Args *a) { return stat_tuple(vm, a, true); }
static Value m_lstat(Vm *vm, const Args *a) { return stat_tuple(vm, a, false); }

static Value m_chdir(Vm *vm, const Args *a)
{
    const char *p = PATH_ARG(0);

    return !p ? NIL : chdir(p) ? os_raise_errno(vm, p) : NONE;
}

static Value m_chmod(Vm *vm, const Args *a)
{
    const char *p = PATH_ARG(0);
    int64_t mode;

    if (!p || !sc_to_int(vm, a->v[1], &mode))
        return NIL;
    return chmod(p, (mode_t)mode) ? os_raise_errno(vm, p) : NONE;
}

/* utime(path, (atime, mtime) or None) */
static Value m_utime(Vm *vm, const Args *a)
{
    const char *p = PATH_ARG(0);
    struct timespec t[2] = {{0, UTIME_NOW}, {0, UTIME_NOW}};
    Tuple *pair = sc_is(vm, a->v[1], C_tuple) ? (Tuple *)a->v[1].o : NULL;
    double s;

    if (!p)
        return NIL;
    if (a->v[1].tag > T_NONE && (!pair || pair->n != 2))
        return sc_raise(vm, C_TypeError, "utime: 'times' must be either a tuple of two ints or None");
    for (int i = 0; pair && i < 2; i++) {
        if (!sc_to_double(vm, pair->v[i], &s))
            return NIL;
        t[i].tv_sec = (time_t)floor(s);
        t[i].tv_nsec = (long)((s - floor(s)) * 1e9);
    }
    return utimensat(AT_FDCWD, p, t, 0) ? os_raise_errno(vm, p) : NONE;
}

static Value m_readlink(Vm *vm, const Args *a)
{
    const char *p = PATH_ARG(0);
    char text[4096];
    ssize_t n = p ? readlink(p, text, sizeof text) : -1;

    return !p ? NIL : n < 0 ? os_raise_errno(vm, p) : v_obj(sc_str_n(vm, text, (size_t)n));
}

static Value m_symlink(Vm *vm, const Args *a)
{
    const char *p = PATH_ARG(0), *q = p ? PATH_ARG(1) : NULL;

    return !q ? NIL : symlink(p, q) ? os_raise_errno(vm, q) : NONE;
}

static Value m_access(Vm *vm, const Args *a)
{
    const char *p = PATH_ARG(0);
    int64_t mode;

    return p && sc_to_int(vm, a->v[1], &mode) ? v_bool(access(p, (int)mode) == 0) : NIL;
}

static Value m_setenv(Vm *vm, const Args *a)
{
    const char *k = sc_to_cstr(vm, a->v[0], "key"), *v = NULL;

    if (!sc_may(vm, "change the environment"))
        return NIL;
    if (!k || (a->v[1].tag != T_NONE && !(v = sc_to_cstr(vm, a->v[1], "value"))))
        return NIL;
    return (v ? setenv(k, v, 1) : unsetenv(k)) ? os_raise_errno(vm, k) : NONE;
}

static Value m_urandom(Vm *vm, const Args *a)
{
    uint8_t *p;
    int64_t n, m;
    Value r;

    if (!sc_to_int(vm, a->v[0], &n))
        return NIL;
    r = n < 0 ? sc_raise(vm, C_ValueError, "negative argument not allowed") : sc_bytes(vm, NULL, n);
    if (r.tag == T_NIL)
        return NIL;
    (void)sc_bytes_view(vm, r, (const uint8_t **)(void *)&p, &m);
    for (m = 0; m < n;) {
        ssize_t got = getrandom(p + m, (size_t)MIN(n - m, 256), 0);

        if (got < 0) {
            sc_drop(vm, r);
            return os_raise_errno(vm, "random");
        }
        m += got;
    }
    return r;
}

static Value m_getppid(Vm *vm, const Args *a)
{
    (void)vm;
    (void)a;
    return v_int(getppid());
}

/* os._exit(status): at once, without what is done at the end */
static Value m_exit(Vm *vm, const Args *a)
{
    int64_t n;

    if (!sc_may(vm, "end the process"))
        return NIL;
    if (!sc_to_int(vm, a->v[0], &n))
        return NIL;
    sc_flush(vm);
    _exit((int)n);
}

/* ---- processes ---- */

static Value m_fork(Vm *vm, const Args *a)
{
    pid_t pid;

    (void)a;
    if (!sc_may(vm, "reach processes"))
        return NIL;
    sc_flush(vm); /* what is written before is written once */
    pid = fork();
    return pid < 0 ? os_raise_errno(vm, "fork") : v_int(pid);
}

static Value m_kill(Vm *vm, const Args *a)
{
    int64_t pid, sig;

    if (!sc_may(vm, "reach processes"))
        return NIL;
    if (!sc_to_int(vm, a->v[0], &pid) || !sc_to_int(vm, a->v[1], &sig))
        return NIL;
    return kill((pid_t)pid, (int)sig) ? os_raise_errno(vm, "kill") : NONE;
}

/* waitpid(pid, options): (pid, status); an interrupt ends the wait */
static Value m_waitpid(Vm *vm, const Args *a)
{
    int64_t pid, options;
    int status = 0;
    Value v[2];

    if (!sc_to_int(vm, a->v[0], &pid) || !sc_to_int(vm, a->v[1], &options))
        return NIL;
    do {
        pid_t got = waitpid((pid_t)pid, &status, (int)options);

        if (got >= 0) {
            v[0] = v_int(got);
            v[1] = v_int(status);
            return v_obj(sc_tuple_of(vm, v, 2));
        }
    } while (errno == EINTR && !sc_interrupted(vm));
    return sc_failed(vm) ? NIL : os_raise_errno(vm, "waitpid");
}

/* The exit code, or minus the signal. */
static Value m_exit_code(Vm *vm, const Args *a)
{
    int64_t status;

    if (!sc_to_int(vm, a->v[0], &status))
        return NIL;
    return v_int(WIFSIGNALED((int)status) ? -WTERMSIG((int)status) : WEXITSTATUS((int)status));
}

static Value m_rmtree(Vm *vm, const Args *a);

static const NativeDef os_functions[] = {
    {"remove", m_remove, "path"}, {"unlink", m_remove, "path"}, {"rmdir", m_rmdir, "path"},
    {"mkdir", m_mkdir, "path|mode"}, {"makedirs", m_makedirs, "name|mode,exist_ok"},
    {"rename", m_rename, "src,dst"}, {"replace", m_rename, "src,dst"},
    {"listdir", m_listdir, "|path"}, {"getcwd", m_getcwd, ""}, {"getpid", m_getpid, ""},
    {"cpu_count", m_cpu_count, ""}, {"getenv", m_getenv, "key|default"},
    {"_rmtree", m_rmtree, "path"}, {"_stat", m_stat, "path"}, {"_lstat", m_lstat, "path"},
    {"chdir", m_chdir, "path"}, {"chmod", m_chmod, "path,mode"},
    {"symlink", m_symlink, "src,dst"}, {"readlink", m_readlink, "path"}, {"utime", m_utime, "path|times"}, {"access", m_access, "path,mode"},
    {"_setenv", m_setenv, "key,value"}, {"urandom", m_urandom, "size"},
    {"getppid", m_getppid, ""}, {"_exit", m_exit, "status"},
    {"fork", m_fork, ""}, {"kill", m_kill, "pid,signal"}, {"waitpid", m_waitpid, "pid,options"},
    {"waitstatus_to_exitcode", m_exit_code, "status"}, {0},
};

static bool remove_tree(const char *path, int depth)
{
    struct stat st;
    DIR *d;
    struct dirent *e;
    char sub[PATH_MAX];

    if (lstat(path, &st))
        return false;
    if (!S_ISDIR(st.st_mode))
        return unlink(path) == 0;
    if (depth > 100 || !(d = opendir(path)))
        return false;
    while ((e = readdir(d)))
        if (strcmp(e->d_name, ".") && strcmp(e->d_name, "..") &&
            (size_t)snprintf(sub, sizeof sub, "%s/%s", path, e->d_name) < sizeof sub)
            remove_tree(sub, depth + 1);
    closedir(d);
    return rmdir(path) == 0;
}

/* for tempfile only: a whole directory */
static Value m_rmtree(Vm *vm, const Args *a)
{
    const char *p = PATH_ARG(0);

    return !p ? NIL : remove_tree(p, 0) ? NONE : os_raise_errno(vm, p);
}

static Value get_environ(Vm *vm)
{
    Dict *d = sc_dict(vm);

    for (char **e = environ; d && e && *e; e++) {
        const char *eq = strchr(*e, '=');
        Value k, v;
        bool ok;

        if (!eq)
            continue;
        k = v_obj(sc_str_n(vm, *e, (size_t)(eq - *e)));
        v = v_obj(sc_str(vm, eq + 1));
        ok = k.tag != T_NIL && v.tag != T_NIL && sc_dict_put(vm, d, k, v);
        sc_drop(vm, k);
        sc_drop(vm, v);
        if (!ok) {
            obj_drop(vm, d);
            return NIL;
        }
    }
    return v_obj(d);
}

/* ---- os.path ----------------------------------------------------------------------- */

static Value p_join(Vm *vm, const Args *a)
{
    Buf b = {.vm = vm};

    for (int i = 0; i < a->n; i++) {
        const char *p = TEXT_ARG(i);

        if (!p) {
            buf_free(&b);
            return NIL;
        }
        if (*p == '/')
            b.n = 0;
        else if (b.n && b.s[b.n - 1] != '/')
            buf_char(&b, '/');
        buf_str(&b, p);
    }
    return buf_done(&b);
}

static bool stat_of(Vm *vm, const Args *a, struct stat *st, bool *ok)
{
    const char *p = PATH_ARG(0);

    *ok = p && stat(p, st) == 0;
    return p != NULL;
}

static Value p_exists(Vm *vm, const Args *a)
{
    struct stat st;
    bool ok;

    return stat_of(vm, a, &st, &ok) ? v_bool(ok) : NIL;
}
static Value p_isfile(Vm *vm, const Args *a)
{
    struct stat st;
    bool ok;

    return stat_of(vm, a, &st, &ok) ? v_bool(ok && S_ISREG(st.st_mode)) : NIL;
}
static Value p_isdir(Vm *vm, const Args *a)
{
    struct stat st;
    bool ok;

    return stat_of(vm, a, &st, &ok) ? v_bool(ok && S_ISDIR(st.st_mode)) : NIL;
}
static Value p_getsize(Vm *vm, const Args *a)
{
    struct stat st;
    bool ok;

    if (!stat_of(vm, a, &st, &ok))
        return NIL;
    return ok ? v_int(st.st_size) : os_raise_errno(vm, as_str(a->v[0])->s);
}

static Value p_basename(Vm *vm, const Args *a)
{
    const char *p = TEXT_ARG(0), *s = p ? strrchr(p, '/') : NULL;

    return p ? v_obj(sc_str(vm, s ? s + 1 : p)) : NIL;
}

static Value p_dirname(Vm *vm, const Args *a)
{
    const char *p = TEXT_ARG(0), *s = p ? strrchr(p, '/') : NULL;

    if (!p)
        return NIL;
    if (s == p)
        return v_obj(sc_str(vm, "/"));
    return v_obj(sc_str_n(vm, p, s ? (size_t)(s - p) : 0));
}

static Value pair(Vm *vm, const char *s, size_t n, const char *t)
{
    Value v[2], r;

    v[0] = v_obj(sc_str_n(vm, s, n));
    v[1] = v_obj(sc_str(vm, t));
    r = v[0].tag == T_NIL || v[1].tag == T_NIL ? NIL : v_obj(sc_tuple_of(vm, v, 2));
    sc_drop(vm, v[0]);
    sc_drop(vm, v[1]);
    return r;
}

static Value p_split(Vm *vm, const Args *a)
{
    const char *p = TEXT_ARG(0), *s = p ? strrchr(p, '/') : NULL;

    return p ? pair(vm, p, s ? (size_t)(s - p) + (s == p) : 0, s ? s + 1 : p) : NIL;
}

static Value p_splitext(Vm *vm, const Args *a)
{
    const char *p = TEXT_ARG(0), *dot = p ? strrchr(p, '.') : NULL, *s, *base;

    if (!p)
        return NIL;
    s = strrchr(p, '/');
    base = s ? s + 1 : p;
    while (*base == '.')
        base++;
    if (!dot || dot < base)
        return pair(vm, p, strlen(p), "");
    return pair(vm, p, (size_t)(dot - p), dot);
}

/* The parts of an absolute path without ".", ".." and empty ones. */
static Value normal(Vm *vm, const char *p)
{
    Buf b = {.vm = vm};

    for (const char *end; *p; p = end) {
        while (*p == '/')
            p++;
        end = p + strcspn(p, "/");
        if (end - p == 2 && p[0] == '.' && p[1] == '.') {
            while (b.n && b.s[--b.n] != '/')
                ;
        } else if (end > p && !(end - p == 1 && *p == '.')) {
            buf_char(&b, '/');
            buf_add(&b, p, (size_t)(end - p));
        }
    }
    if (!b.n)
        buf_char(&b, '/');
    return buf_done(&b);
}

static Value p_abspath(Vm *vm, const Args *a)
{
    const char *p = TEXT_ARG(0);
    char cwd[PATH_MAX];
    Value full, r;

    if (!p)
        return NIL;
    if (*p == '/')
        return normal(vm, p);
    if (!getcwd(cwd, sizeof cwd))
        return os_raise_errno(vm, ".");
    full = sc_strf(vm, "%s/%s", cwd, p);
    r = full.tag == T_NIL ? NIL : normal(vm, as_str(full)->s);
    sc_drop(vm, full);
    return r;
}

static Value p_realpath(Vm *vm, const Args *a)
{
    const char *p = PATH_ARG(0);
    char real[PATH_MAX];

    return !p ? NIL : realpath(p, real) ? v_obj(sc_str(vm, real)) : p_abspath(vm, a);
}

static Value p_islink(Vm *vm, const Args *a)
{
    const char *p = PATH_ARG(0);
    struct stat st;

    return !p ? NIL : v_bool(lstat(p, &st) == 0 && S_ISLNK(st.st_mode));
}

static Value p_isabs(Vm *vm, const Args *a)
{
    const char *p = TEXT_ARG(0);

    return !p ? NIL : v_bool(*p == '/');
}

static Value p_expanduser(Vm *vm, const Args *a)
{
    const char *p = TEXT_ARG(0), *home = getenv("HOME");

    if (!p)
        return NIL;
    if (*p == '~' && (p[1] == '/' || !p[1]) && home)
        return sc_strf(vm, "%s%s", home, p + 1);
    return sc_ref(a->v[0]);
}

static const NativeDef path_functions[] = {
    {"join", p_join, "*"}, {"exists", p_exists, "path"}, {"isfile", p_isfile, "path"},
    {"isdir", p_isdir, "path"}, {"getsize", p_getsize, "path"},
    {"basename", p_basename, "path"}, {"dirname", p_dirname, "path"},
    {"split", p_split, "path"}, {"splitext", p_splitext, "path"},
    {"abspath", p_abspath, "path"}, {"realpath", p_realpath, "path|strict"},
    {"islink", p_islink, "path"}, {"isabs", p_isabs, "path"},
    {"expanduser", p_expanduser, "path"}, {0},
};

bool open_os_path(Vm *vm, ScModule *m)
{
    return sc_module_natives(vm, m, path_functions) &&
           sc_module_set(vm, m, "sep", v_obj(sc_str(vm, "/")));
}

bool open_os(Vm *vm, ScModule *m)
{
    Str *s = sc_intern(vm, "os.path", 7);
    Value p = s ? sc_import(vm, s) : NIL;

    if (s)
        obj_drop(vm, s);
    return sc_module_set(vm, m, "path", p) && sc_module_natives(vm, m, os_functions) &&
           sc_module_natives(vm, m, os_descriptors) &&
           sc_module_set(vm, m, "_environ", get_environ(vm)) &&
           sc_module_set(vm, m, "sep", v_obj(sc_str(vm, "/"))) &&
           sc_module_set(vm, m, "linesep", v_obj(sc_str(vm, "\n"))) &&
           sc_module_set(vm, m, "name", v_obj(sc_str(vm, "posix")));
}


