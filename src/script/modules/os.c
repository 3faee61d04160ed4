/* os.c -- the modules os and os.path, and the file objects of open(). */
#include "modules.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

extern char **environ;

Value os_raise_errno(Vm *vm, const char *path)
{
    int e = errno;
    KnownClass k = e == ENOENT    ? C_FileNotFoundError
                   : e == EEXIST  ? C_FileExistsError
                   : e == EACCES  ? C_PermissionError
                   : e == EISDIR  ? C_IsADirectoryError
                   : e == ENOTDIR ? C_NotADirectoryError
                                  : C_OSError;

    Value v[3] = {v_int(e), v_obj(sc_str(vm, strerror(e))), v_obj(sc_str(vm, path))}, x = NIL;

    if (v[1].tag != T_NIL && v[2].tag != T_NIL)
        x = sc_call(vm, v_obj(vm->cls[k]), v, 3);
    if (x.tag != T_NIL)
        sc_set_exc(vm, x, NIL);
    sc_drop(vm, x);
    sc_drop(vm, v[1]);
    sc_drop(vm, v[2]);
    return NIL;
}

#define PATH_ARG(i) sc_to_cstr(vm, a->v[i], "path")

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
        if (*s == '/') {
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
    const char *p = a->v[0].tag == T_NIL ? "." : PATH_ARG(0);
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

static Value m_rmtree(Vm *vm, const Args *a);

static const NativeDef os_functions[] = {
    {"remove", m_remove, "path"}, {"unlink", m_remove, "path"}, {"rmdir", m_rmdir, "path"},
    {"mkdir", m_mkdir, "path|mode"}, {"makedirs", m_makedirs, "name|mode,exist_ok"},
    {"rename", m_rename, "src,dst"}, {"replace", m_rename, "src,dst"},
    {"listdir", m_listdir, "|path"}, {"getcwd", m_getcwd, ""}, {"getpid", m_getpid, ""},
    {"cpu_count", m_cpu_count, ""}, {"getenv", m_getenv, "key|default"},
    {"_rmtree", m_rmtree, "path"}, {0},
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
        const char *p = PATH_ARG(i);

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
    const char *p = PATH_ARG(0), *s = p ? strrchr(p, '/') : NULL;

    return p ? v_obj(sc_str(vm, s ? s + 1 : p)) : NIL;
}

static Value p_dirname(Vm *vm, const Args *a)
{
    const char *p = PATH_ARG(0), *s = p ? strrchr(p, '/') : NULL;

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
    const char *p = PATH_ARG(0), *s = p ? strrchr(p, '/') : NULL;

    return p ? pair(vm, p, s ? (size_t)(s - p) + (s == p) : 0, s ? s + 1 : p) : NIL;
}

static Value p_splitext(Vm *vm, const Args *a)
{
    const char *p = PATH_ARG(0), *dot = p ? strrchr(p, '.') : NULL, *s, *base;

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

static Value p_abspath(Vm *vm, const Args *a)
{
    const char *p = PATH_ARG(0);
    char cwd[PATH_MAX];

    if (!p)
        return NIL;
    if (*p == '/')
        return sc_ref(a->v[0]);
    if (!getcwd(cwd, sizeof cwd))
        return os_raise_errno(vm, ".");
    return sc_strf(vm, "%s/%s", cwd, p);
}

static Value p_expanduser(Vm *vm, const Args *a)
{
    const char *p = PATH_ARG(0), *home = getenv("HOME");

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
    {"abspath", p_abspath, "path"}, {"realpath", p_abspath, "path"},
    {"expanduser", p_expanduser, "path"}, {0},
};

bool open_os_path(Vm *vm, ScModule *m)
{
    return sc_module_natives(vm, m, path_functions) &&
           sc_module_set(vm, m, "sep", v_obj(sc_str(vm, "/")));
}

/* ---- files ------------------------------------------------------------------------- */

typedef struct File {
    FILE *f; /* NULL: closed */
    bool reads, writes;
} File;

static File *file_of(Vm *vm, Value v)
{
    File *f = sc_native(v);

    if (!f || !f->f) {
        sc_raise(vm, C_ValueError, "I/O operation on closed file.");
        return NULL;
    }
    return f;
}

static void file_free(Vm *vm, void *p)
{
    File *f = p;

    (void)vm;
    if (f->f)
        fclose(f->f);
}

static bool file_init(Vm *vm, Value self, const Args *a)
{
    const char *path = sc_to_cstr(vm, a->v[0], "file"), *mode;
    File *f;
    char m[4] = "r";

    if (!path)
        return false;
    mode = a->v[1].tag == T_NIL ? "r" : sc_to_cstr(vm, a->v[1], "mode");
    if (!mode)
        return false;
    if (strchr(mode, 'b'))
        return sc_fail(vm, C_ValueError, "binary files are outside this language; open as text");
    if (!mode[0] || !strchr("rwax", mode[0]))
        return sc_fail(vm, C_ValueError, "invalid mode: '%s'", mode);
    m[0] = mode[0] == 'x' ? 'w' : mode[0];
    if (mode[0] == 'x')
        m[1] = 'x';
    if (strchr(mode, '+'))
        m[strlen(m)] = '+';
    f = sc_native_new(vm, self, sizeof *f);
    if (!f)
        return false;
    f->f = fopen(path, m);
    f->reads = mode[0] == 'r' || strchr(mode, '+');
    f->writes = mode[0] != 'r' || strchr(mode, '+');
    if (!f->f)
        os_raise_errno(vm, path);
    return f->f != NULL;
}

static Value read_text(Vm *vm, FILE *f, bool line, int64_t max)
{
    Buf b = {.vm = vm};
    int c;

    while (max != 0 && !b.failed && (c = getc(f)) != EOF) {
        buf_char(&b, (char)c);
        max -= max > 0;
        if (line && c == '\n')
            break;
    }
    return buf_done(&b);
}

static Value f_read(Vm *vm, const Args *a)
{
    File *f = file_of(vm, a->v[0]);
    int64_t n = -1;

    if (!f || (a->v[1].tag != T_NIL && a->v[1].tag != T_NONE && !sc_to_int(vm, a->v[1], &n)))
        return NIL;
    return f->reads ? read_text(vm, f->f, false, n) : sc_raise(vm, C_OSError, "not readable");
}

static Value f_readline(Vm *vm, const Args *a)
{
    File *f = file_of(vm, a->v[0]);

    return f ? read_text(vm, f->f, true, -1) : NIL;
}

static Value f_next(Vm *vm, Value self)
{
    File *f = file_of(vm, self);
    Value s = f ? read_text(vm, f->f, true, -1) : NIL;

    if (s.tag != T_NIL && as_str(s)->n == 0) {
        sc_drop(vm, s);
        return NIL;
    }
    return s;
}

static Value f_readlines(Vm *vm, const Args *a)
{
    List *l = sc_list(vm, 0);
    Value s;

    while (l && (s = f_next(vm, a->v[0])).tag != T_NIL) {
        bool ok = sc_list_push(vm, l, s);

        sc_drop(vm, s);
        if (!ok)
            break;
    }
    if (l && sc_failed(vm)) {
        obj_drop(vm, l);
        return NIL;
    }
    return v_obj(l);
}

static Value f_write(Vm *vm, const Args *a)
{
    File *f = file_of(vm, a->v[0]);

    if (!f)
        return NIL;
    if (!is_str(a->v[1]))
        return sc_raise(vm, C_TypeError, "write() argument must be str, not %s",
                        sc_type_name(vm, a->v[1]));
    if (!f->writes)
        return sc_raise(vm, C_OSError, "not writable");
    if (fwrite(as_str(a->v[1])->s, 1, as_str(a->v[1])->n, f->f) != as_str(a->v[1])->n)
        return os_raise_errno(vm, "write");
    return v_int(as_str(a->v[1])->chars);
}

static Value f_writelines(Vm *vm, const Args *a)
{
    Value it = sc_iter(vm, a->v[1]), v[2], r;

    if (it.tag == T_NIL)
        return NIL;
    v[0] = a->v[0];
    while ((v[1] = sc_next(vm, it)).tag != T_NIL) {
        r = f_write(vm, &(Args){.v = v, .n = 2});
        sc_drop(vm, v[1]);
        if (r.tag == T_NIL)
            break;
    }
    sc_drop(vm, it);
    return sc_failed(vm) ? NIL : NONE;
}

static Value f_close(Vm *vm, const Args *a)
{
    File *f = sc_native(a->v[0]);
    int bad = 0;

    if (f && f->f) {
        bad = fclose(f->f);
        f->f = NULL;
    }
    return bad ? os_raise_errno(vm, "close") : NONE;
}

static Value f_flush(Vm *vm, const Args *a)
{
    File *f = file_of(vm, a->v[0]);

    return !f ? NIL : fflush(f->f) ? os_raise_errno(vm, "flush") : NONE;
}

static Value f_enter(Vm *vm, const Args *a)
{
    (void)vm;
    return sc_ref(a->v[0]);
}

static Value f_get_closed(Vm *vm, Value self)
{
    File *f = sc_native(self);

    (void)vm;
    return v_bool(!f || !f->f);
}

static const NativeDef file_methods[] = {
    {"read", f_read, "self|size"}, {"readline", f_readline, "self"},
    {"readlines", f_readlines, "self"}, {"write", f_write, "self,text"},
    {"writelines", f_writelines, "self,lines"}, {"close", f_close, "self"},
    {"flush", f_flush, "self"}, {"__enter__", f_enter, "self"}, {"__exit__", f_close, "self|t,v,tb"},
    {0},
};
static const PropertyDef file_properties[] = {{"closed", f_get_closed, NULL}, {0}};
static const ClassDef file_def = {
    .name = "TextIOWrapper", .init = file_init,
    .init_params = "file|mode,buffering,encoding,errors,newline", .methods = file_methods,
    .properties = file_properties, .native_free = file_free, .next = f_next,
};

bool open_files(Vm *vm)
{
    Class *c = sc_class_native(vm, &file_def, NULL);
    Str *s = sc_intern(vm, "open", 4);
    bool ok = c && s && sc_dict_put_str(vm, vm->builtins, s, v_obj(c));

    if (c)
        obj_drop(vm, c);
    if (s)
        obj_drop(vm, s);
    return ok;
}

bool open_os(Vm *vm, ScModule *m)
{
    Str *s = sc_intern(vm, "os.path", 7);
    Value p = s ? sc_import(vm, s) : NIL;

    if (s)
        obj_drop(vm, s);
    return sc_module_set(vm, m, "path", p) && sc_module_natives(vm, m, os_functions) &&
           sc_module_set(vm, m, "environ", get_environ(vm)) &&
           sc_module_set(vm, m, "sep", v_obj(sc_str(vm, "/"))) &&
           sc_module_set(vm, m, "linesep", v_obj(sc_str(vm, "\n"))) &&
           sc_module_set(vm, m, "name", v_obj(sc_str(vm, "posix")));
}
