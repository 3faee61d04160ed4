/* host.c -- the module _host: what modules written in the language need of the machine and of the
 * operating system: functions looked at (inspect), processes (subprocess), collections (gc).
 */
#include "modules.h"
#include "script/ast.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- functions looked at ----------------------------------------------------------- */

static Value parameter(Vm *vm, const Function *f, uint32_t i, int kind, const Str *name)
{
    const ByteCode *c = f->code;
    Value v[3], d = NIL, t;

    if (kind <= 1 && i + f->ndefaults >= c->npos)
        d = f->defaults[i + f->ndefaults - c->npos];
    else if (kind == 3 && i - c->npos < f->nkwdefaults)
        d = f->defaults[f->ndefaults + i - c->npos];
    v[0] = v_obj(sc_str_n(vm, name->s, name->n));
    v[1] = v_int(kind);
    v[2] = d.tag == T_NIL ? v_obj(gc_ref(vm->empty_tuple)) : v_obj(sc_tuple_of(vm, &d, 1));
    t = v[0].tag == T_NIL || v[2].tag == T_NIL ? NIL : v_obj(sc_tuple_of(vm, v, 3));
    sc_drop(vm, v[0]);
    sc_drop(vm, v[2]);
    return t;
}

/* parameters(f): a list of (name, kind as inspect numbers them, () or (default,)) */
static Value m_parameters(Vm *vm, const Args *a)
{
    const Function *f = (Function *)a->v[0].o;
    const ByteCode *c;
    List *l;
    bool ok;

    if (!sc_is_exact(vm, a->v[0], C_function))
        return sc_raise(vm, C_TypeError, "parameters: needs a function of the script");
    c = f->code;
    l = sc_list(vm, 0);
    ok = l != NULL && sc_code_load(c);
    for (uint32_t i = 0, n = c->npos + c->nkwonly + c->has_star + c->has_dstar, k = 0; ok && i < n; i++) {
        bool star = i == c->npos && c->has_star, dstar = i == n - 1 && c->has_dstar;
        int kind = i < c->nposonly ? 0 : i < c->npos ? 1 : star ? 2 : dstar ? 4 : 3;
        Value t;
        Str *name;

        /* param_names: those by position, keyword-only ones, then * and ** */
        if (star)
            name = c->param_names[c->npos + c->nkwonly];
        else if (dstar)
            name = c->param_names[c->npos + c->nkwonly + c->has_star];
        else
            name = c->param_names[k];
        t = parameter(vm, f, k, kind, name);
        k += !star && !dstar;
        ok = t.tag != T_NIL && sc_list_push(vm, l, t);
        sc_drop(vm, t);
    }
    if (!ok && l)
        obj_drop(vm, l);
    return ok ? v_obj(l) : NIL;
}

/* source(f or a class of the script): (file, first line, text of the file) */
static Value m_source(Vm *vm, const Args *a)
{
    const ByteCode *c = sc_is_exact(vm, a->v[0], C_function) ? ((Function *)a->v[0].o)->code : NULL;
    const Unit *u = c ? c->unit : NULL;
    Value v[3], r = NIL;

    if (!u)
        return sc_raise(vm, C_TypeError, "source: needs a function of the script");
    if (u->hidden)
        return sc_raise(vm, C_OSError, "could not get source code");
    v[0] = v_obj(sc_str(vm, u->file));
    v[1] = v_int(c->line);
    v[2] = v_obj(sc_str_n(vm, u->text, u->size));
    if (v[0].tag != T_NIL && v[2].tag != T_NIL)
        r = v_obj(sc_tuple_of(vm, v, 3));
    sc_drop(vm, v[0]);
    sc_drop(vm, v[2]);
    return r;
}

/* text_of(file): of a file that was compiled, or None */
static Value m_text_of(Vm *vm, const Args *a)
{
    const char *file = sc_to_cstr(vm, a->v[0], "file");

    if (!file)
        return NIL;
    for (const Unit *u = vm->units; u; u = u->next)
        if (u->file && strcmp(u->file, file) == 0)
            return u->hidden ? NONE : v_obj(sc_str_n(vm, u->text, u->size));
    return NONE;
}

static Value m_is_generator(Vm *vm, const Args *a)
{
    return v_bool(sc_is_exact(vm, a->v[0], C_function) && ((Function *)a->v[0].o)->code->is_generator);
}

/* caller(depth): (file, line, function, globals) of a frame, 0 that of the caller; None beyond the first */
static Value m_caller(Vm *vm, const Args *a)
{
    VmFrame *f = vm->frame;
    int64_t depth;
    Value v[4], r = NIL;

    if (!sc_to_int(vm, a->v[0], &depth))
        return NIL;
    for (; f && depth > 0; depth--)
        f = f->back;
    if (!f)
        return NONE;
    v[0] = v_obj(sc_str(vm, f->code->unit->file));
    v[1] = v_int(f->pc && f->pc > f->code->ins ? sc_code_line(f->code, (uint32_t)(f->pc - f->code->ins) - 1) : 0);
    v[2] = f->code->is_func || f->code->is_class ? v_obj(obj_ref(f->code->name)) : v_obj(sc_str(vm, "<module>"));
    v[3] = v_obj(f->module->attrs);
    if (v[0].tag != T_NIL && v[2].tag != T_NIL)
        r = v_obj(sc_tuple_of(vm, v, 4));
    sc_drop(vm, v[0]);
    sc_drop(vm, v[2]);
    return r;
}

/* names(): the identifiers that the file writes whose import or call led here, comments and texts left out */
static Value m_names(Vm *vm, const Args *a)
{
    const VmFrame *f = vm->frame;
    List *l = sc_list(vm, 0);
    bool ok = l != NULL;

    (void)a;
    while (f && f->code->unit->hidden)
        f = f->back;
    for (uint32_t i = 0; ok && f && i < f->code->unit->names.cap; i++) {
        const char *s = f->code->unit->names.slots[i];
        Value v = s ? v_obj(sc_str(vm, s)) : NONE;

        ok = !s || (v.tag != T_NIL && sc_list_push(vm, l, v));
        sc_drop(vm, v);
    }
    if (!ok && l)
        obj_drop(vm, l);
    return ok ? v_obj(l) : NIL;
}

static Value m_collect(Vm *vm, const Args *a)
{
    (void)a;
    if (!vm->collecting)
        sc_collect(vm);
    return v_int(0);
}

/* ---- processes --------------------------------------------------------------------- */

static Value read_back(Vm *vm, FILE *f)
{
    Buf b = {.vm = vm};
    char block[4096];
    size_t got;
    Value r;

    rewind(f);
    while ((got = fread(block, 1, sizeof block, f)) > 0)
        buf_add(&b, block, got);
    r = b.failed ? NIL : sc_bytes(vm, b.s, b.n);
    buf_free(&b);
    return r;
}

/* In the child: streams, folder, environment, program. Never comes back. */
static void become(char **argv, FILE *in, FILE *out, FILE *err, bool merge, const char *cwd, char **env)
{
    if ((in && dup2(fileno(in), 0) < 0) || (out && dup2(fileno(out), 1) < 0) ||
        (err && dup2(fileno(err), 2) < 0) || (merge && dup2(1, 2) < 0) || (cwd && chdir(cwd)))
        _exit(126);
    if (env)
        for (clearenv(); *env; env++)
            putenv(*env);
    execvp(argv[0], argv);
    _exit(errno == ENOENT ? 127 : 126);
}

static char **texts(Vm *vm, Value list, size_t *n)
{
    List *l = (List *)list.o;
    char **v;

    *n = 0;
    if (!sc_is(vm, list, C_list)) {
        sc_raise(vm, C_TypeError, "run: needs a list of strings");
        return NULL;
    }
    v = sc_alloc(vm, (size_t)(l->n + 1) * sizeof *v);
    for (int64_t i = 0; v && i < l->n; i++) {
        const char *s = sc_to_cstr(vm, l->v[i], "an argument");

        if (!s) {
            sc_free(vm, v, (size_t)(l->n + 1) * sizeof *v);
            return NULL;
        }
        v[i] = (char *)(uintptr_t)s;
    }
    if (v)
        v[l->n] = NULL;
    *n = (size_t)(l->n + 1) * sizeof *v;
    return v;
}

/* run(argv, input or None, out, err: 0 inherit 1 keep 2 away 3 err to out, cwd or None, env list or None)
 * -> (status, out or None, err or None). What is kept goes through files, so that nothing waits. */
static Value m_run(Vm *vm, const Args *a)
{
    size_t nargs = 0, nenv = 0;
    char **argv = texts(vm, a->v[0], &nargs), **env = NULL;
    const char *cwd = a->v[4].tag == T_NONE ? NULL : sc_to_cstr(vm, a->v[4], "cwd");
    FILE *in = NULL, *out = NULL, *err = NULL;
    const uint8_t *p;
    int64_t n, how[2] = {0, 0};
    Value v[3] = {NIL, NONE, NONE}, r = NIL;
    int status = 0;
    pid_t pid;

    if (!sc_may(vm, "reach processes"))
        goto done;
    if (argv && a->v[5].tag != T_NONE)
        env = texts(vm, a->v[5], &nenv);
    if (!argv || !argv[0] || sc_failed(vm) || !sc_to_int(vm, a->v[2], &how[0]) || !sc_to_int(vm, a->v[3], &how[1]))
        goto done;
    if (sc_bytes_view(vm, a->v[1], &p, &n) && (in = tmpfile())) {
        if (n)
            fwrite(p, 1, (size_t)n, in);
        rewind(in);
    }
    out = how[0] == 1 ? tmpfile() : how[0] == 2 ? fopen("/dev/null", "w") : NULL;
    err = how[1] == 1 ? tmpfile() : how[1] == 2 ? fopen("/dev/null", "w") : NULL;
    if ((how[0] && !out) || ((how[1] == 1 || how[1] == 2) && !err)) {
        os_raise_errno(vm, "a temporary file");
        goto done;
    }
    sc_flush(vm);
    pid = fork();
    if (pid == 0)
        become(argv, in, out, err, how[1] == 3, cwd, env);
    if (pid < 0 || waitpid(pid, &status, 0) < 0) {
        os_raise_errno(vm, argv[0]);
        goto done;
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127) {
        errno = ENOENT;
        os_raise_errno(vm, argv[0]);
        goto done;
    }
    v[0] = v_int(WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
    if (how[0] == 1)
        v[1] = read_back(vm, out);
    if (how[1] == 1)
        v[2] = read_back(vm, err);
    if (v[1].tag != T_NIL && v[2].tag != T_NIL)
        r = v_obj(sc_tuple_of(vm, v, 3));
done:
    sc_drop(vm, v[1]);
    sc_drop(vm, v[2]);
    if (in)
        fclose(in);
    if (out)
        fclose(out);
    if (err)
        fclose(err);
    sc_free(vm, argv, nargs);
    sc_free(vm, env, nenv);
    return r;
}

/* call_as_file(f, args): f(*args), which a file asks for, so that it computes and does no more (confine.c) */
static Value m_call_as_file(Vm *vm, const Args *a)
{
    Tuple *t = sc_tuple_from(vm, a->v[1]);
    Value r;

    if (!t)
        return NIL;
    vm->has_confined = true;
    vm->confined++;
    r = sc_call(vm, a->v[0], t->v, (int)t->n);
    vm->confined--;
    obj_drop(vm, t);
    return r;
}

/* left_by_file(): does code of a file run, so that what is made now calls later on its behalf? */
static Value m_left_by_file(Vm *vm, const Args *a)
{
    (void)a;
    return v_bool(sc_is_left_by_file(vm));
}

/* own_names(names, prefix): each public function there is called as its key says: the other names of one become functions of their own. */
static Value m_own_names(Vm *vm, const Args *a)
{
    const char *prefix, *now;
    Dict *d;
    size_t n;

    if (a->v[0].tag != T_OBJ || !sc_is(vm, a->v[0], C_dict) || a->v[1].tag != T_OBJ || !is_str(a->v[1]))
        return sc_raise(vm, C_TypeError, "own_names() takes a dict and a str");
    d = (Dict *)a->v[0].o;
    prefix = as_str(a->v[1])->s;
    n = strlen(prefix);
    for (uint32_t i = 0; i < d->n; i++) {
        Value fn = d->e[i].val, name, made;
        Str *key;

        if (d->e[i].key.tag != T_OBJ || !is_str(d->e[i].key) || *(key = as_str(d->e[i].key))->s == '_' || fn.tag != T_OBJ ||
            (fn.o->cls != vm->cls[C_function] && fn.o->cls != vm->cls[C_builtin_function_or_method]))
            continue;
        now = sc_name_of(vm, fn);
        if (!strncmp(now, prefix, n) && !strcmp(now + n, key->s))
            continue;
        name = sc_strf(vm, "%s%s", prefix, key->s);
        made = name.tag == T_NIL ? NIL : sc_named(vm, fn, as_str(name));
        sc_drop(vm, name);
        if (made.tag == T_NIL)
            return NIL;
        sc_put(vm, &d->e[i].val, made);
    }
    return NONE;
}

static const NativeDef functions[] = {
    {"parameters", m_parameters, "f"}, {"source", m_source, "f"}, {"text_of", m_text_of, "file"},
    {"is_generator", m_is_generator, "f"}, {"caller", m_caller, "depth"}, {"names", m_names, ""},
    {"collect", m_collect, "|generation"}, {"left_by_file", m_left_by_file, ""}, {"call_as_file", m_call_as_file, "f,args"},
    {"own_names", m_own_names, "names,prefix"}, {"run", m_run, "argv,input,out,err,cwd,env"}, {0}};

bool open_host(Vm *vm, ScModule *m) { return sc_module_natives(vm, m, functions); }
