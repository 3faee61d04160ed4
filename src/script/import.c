/* import.c -- finding and loading modules.
 *
 * What is built in comes first. Then a module a.b is looked for in the folders of its package
 * (a.__path__), and one without a package in those of sys.path: the main file's own, those of
 * WEFT_PATH. In each, the package b/__init__.py comes before the file b.py; a folder without
 * either is a package of its modules if nothing else is found. Finders that a script put into
 * sys.meta_path are asked in their order, before or after all of this.
 */
#include "ast.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

/* ---- files ------------------------------------------------------------------------- */

static char *read_file(Vm *vm, const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    int64_t cap = 0;
    char *s = NULL;
    size_t n = 0, got;

    if (!f)
        return NULL;
    for (;;) {
        if (!sc_grow(vm, &s, &cap, (int64_t)n + 4096, 1))
            break;
        got = fread(s + n, 1, (size_t)cap - n, f);
        n += got;
        if (got == 0)
            break;
    }
    if (ferror(f) || sc_failed(vm)) {
        int e = ferror(f) ? EIO : 0;

        fclose(f);
        sc_free(vm, s, (size_t)cap);
        errno = e;
        return NULL;
    }
    fclose(f);
    /* the block is exactly as large as the text, so that the caller can free it */
    char *exact = sc_alloc(vm, n + 1);

    if (exact) {
        memcpy(exact, s, n);
        exact[n] = 0;
    }
    sc_free(vm, s, (size_t)cap);
    *size = n;
    return exact;
}

static bool is_folder(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool is_file(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* ---- where to look ----------------------------------------------------------------- */

static bool path_add(Vm *vm, const char *s, size_t n)
{
    Value v = v_obj(sc_str_n(vm, s, n));
    bool ok = v.tag != T_NIL && sc_list_push(vm, vm->path, v);

    sc_drop(vm, v);
    return ok;
}

bool import_open_path(Vm *vm)
{
    const char *s = getenv("WEFT_PATH"), *end;

    vm->path = sc_list(vm, 0);
    if (!vm->path)
        return false;
    for (; s && *s; s = *end ? end + 1 : end) {
        end = strchr(s, ':');
        if (!end)
            end = s + strlen(s);
        if (end > s && !path_add(vm, s, (size_t)(end - s)))
            return false;
    }
    return true;
}

/* The main file's folder comes first. */
bool import_path_first(Vm *vm, const char *s, size_t n)
{
    Value v;

    if (!path_add(vm, s, n))
        return false;
    v = vm->path->v[vm->path->n - 1];
    memmove(vm->path->v + 1, vm->path->v, (size_t)(vm->path->n - 1) * sizeof v);
    vm->path->v[0] = v;
    return true;
}

typedef struct Found {
    char path[1024];   /* of the file; "" for a folder of modules alone */
    char folder[1024]; /* of a package, else "" */
} Found;

/* The module `last` in one folder; a folder without __init__.py is kept for later in out. */
static bool find_in(const char *dir, const char *last, Found *out)
{
    const char *slash = *dir && dir[strlen(dir) - 1] != '/' ? "/" : "";
    char folder[1000];

    if ((size_t)snprintf(folder, sizeof folder, "%s%s%s", dir, slash, last) >= sizeof folder)
        return false;
    snprintf(out->path, sizeof out->path, "%s/__init__.py", folder);
    if (is_file(out->path)) {
        strcpy(out->folder, folder);
        return true;
    }
    snprintf(out->path, sizeof out->path, "%s.py", folder);
    if (is_file(out->path)) {
        out->folder[0] = 0;
        return true;
    }
    out->path[0] = 0;
    if (!out->folder[0] && is_folder(folder))
        strcpy(out->folder, folder);
    return false;
}

static bool find_module(Vm *vm, const Str *name, ScModule *parent, Found *out)
{
    const char *dot = strrchr(name->s, '.'), *last = dot ? dot + 1 : name->s;
    Value places = parent ? sc_getattr_s(vm, v_obj(parent), "__path__") : v_obj(gc_ref(vm->path));
    List *l = (List *)places.o;
    bool found = false;

    *out = (Found){0};
    if (places.tag == T_NIL) {
        sc_clear_exc(vm); /* no package */
        return false;
    }
    for (int64_t i = 0; sc_is(vm, places, C_list) && i < l->n && !found; i++)
        if (is_str(l->v[i]))
            found = find_in(as_str(l->v[i])->s, last, out);
    sc_drop(vm, places);
    return found || out->folder[0];
}

/* ---- loading ----------------------------------------------------------------------- */

/* Takes the unit, which may be NULL. */
static bool run_unit(Vm *vm, Unit *u, ScModule *m)
{
    Value r;

    if (!u)
        return false;
    r = sc_run_unit(vm, u, m);
    unit_release(u);
    sc_drop(vm, r);
    return r.tag != T_NIL;
}

/* ---- what is built in --------------------------------------------------------------- */

static const ModuleDef *find_def(const Vm *vm, const char *name)
{
    for (uint32_t i = vm->ndefs; i > 0; i--)
        if (strcmp(vm->defs[i - 1].name, name) == 0)
            return &vm->defs[i - 1];
    return NULL;
}

static const Namespace *find_space(const Vm *vm, const char *name)
{
    uint32_t from = 0, to = vm->nspaces;

    while (from < to) {
        uint32_t at = (from + to) / 2;
        int c = strcmp(sc_namespaces[at].name, name);

        if (c == 0)
            return &sc_namespaces[at];
        if (c < 0)
            from = at + 1;
        else
            to = at;
    }
    return NULL;
}

const char *sc_builtin_module(const Vm *vm, uint32_t i)
{
    return i < vm->ndefs                 ? vm->defs[i].name
           : i < vm->ndefs + vm->nspaces ? sc_namespaces[i - vm->ndefs].name
                                         : NULL;
}

bool sc_is_builtin_module(const Vm *vm, const char *name) { return find_def(vm, name) || find_space(vm, name); }

/* The C part of a module, then what is written in the language itself. */
static bool load_builtin(Vm *vm, ScModule *m)
{
    const ModuleDef *d = find_def(vm, m->name->s);
    const Namespace *s = find_space(vm, m->name->s);
    char file[80];

    snprintf(file, sizeof file, "<%s>", m->name->s);
    return (!d || d->open(vm, m)) && (!s || run_unit(vm, sc_unpack_unit(vm, file, s), m));
}

/* Modules that are not here, and why: others than what a name was mistyped for. */
static const char *const out[][2] = {
    {"torchvision.models", "it runs from torchvision's own source: weft run --site=FOLDER, the folder that holds torchvision"},
    {"torchvision.ops", "it runs from torchvision's own source: weft run --site=FOLDER, the folder that holds torchvision"},
    {"keras", "Keras is not part of Weft; tensorflow.keras has its layers, losses, metrics and optimisers"},
    {"pandas", "pandas is not part of Weft; the modules csv and numpy read tables"},
    {"sklearn", "scikit-learn is not part of Weft"},
    {"flax", "Flax is not part of Weft; jax is"},
    {"haiku", "Haiku is not part of Weft; jax is"},
    {"scipy", "of SciPy, special, linalg, signal, spatial, stats, integrate and optimize are here"},
    {"transformers", "transformers is not part of Weft"},
    {"torchaudio", "torchaudio is not part of Weft"},
    {"torchtext", "torchtext is not part of Weft"},
    {"cv2", "OpenCV is not part of Weft; PIL reads and changes pictures"},
    {"mpl_toolkits", "of mpl_toolkits, mplot3d and axes_grid1 are here"},
    {"seaborn", "seaborn is not part of Weft; matplotlib.pyplot draws"},
    {"gym", "gym is not part of Weft"},
    {"gymnasium", "gymnasium is not part of Weft"},
    {"requests", "there is no network: requests is not part of Weft"},
};

static const char *why_out(const char *name)
{
    for (int i = 0; i < COUNT(out); i++) {
        size_t n = strlen(out[i][0]);

        if (!strncmp(name, out[i][0], n) && (!name[n] || name[n] == '.'))
            return out[i][1];
    }
    return NULL;
}

/* ModuleNotFoundError with its attribute `name`, by which others know what was missing. */
static Value raise_no_module(Vm *vm, Str *name)
{
    const char *list[1000], *s, *hint, *why = why_out(name->s);
    int n = 0;

    if (why) {
        sc_raise(vm, C_ModuleNotFoundError, "No module named '%s': %s", name->s, why);
        return sc_exc_name(vm, name);
    }
    for (uint32_t i = 0; n < COUNT(list) && (s = sc_builtin_module(vm, i)); i++)
        list[n++] = s;
    hint = nearest_name(name->s, list, n);
    sc_raise(vm, C_ModuleNotFoundError, "No module named '%s'", name->s);
    sc_hint(vm, ". Did you mean: ", hint);
    return sc_exc_name(vm, name);
}

/* __file__, __path__ and __package__ of a module from a file. */
static bool set_origin(Vm *vm, ScModule *m, const Str *name, const Found *f)
{
    const char *dot = strrchr(name->s, '.');
    List *l;
    Value v;

    if (f->path[0] && (!(m->file = sc_vm_intern(vm, f->path, strlen(f->path))) ||
                       !sc_module_set(vm, m, "__file__", v_obj(sc_str(vm, f->path)))))
        return false;
    if (!f->folder[0])
        return sc_module_set(vm, m, "__package__",
                             v_obj(sc_str_n(vm, name->s, dot ? (size_t)(dot - name->s) : 0)));
    l = sc_list(vm, 0);
    v = l ? v_obj(sc_str(vm, f->folder)) : NIL;
    if (v.tag != T_NIL && !sc_list_push(vm, l, v)) {
        obj_drop(vm, l);
        l = NULL;
    }
    sc_drop(vm, v);
    return sc_module_set(vm, m, "__path__", v_obj(l)) &&
           sc_module_set(vm, m, "__package__", v_obj(sc_str(vm, name->s)));
}

static Unit *compile_file(Vm *vm, const char *path)
{
    size_t size;
    char *text = sc_may(vm, "import files") ? read_file(vm, path, &size) : NULL;
    Unit *u;

    if (!text) {
        if (!sc_failed(vm))
            sc_raise(vm, C_ImportError, "%s: %s", path, strerror(errno));
        return NULL;
    }
    u = sc_compile_unit(vm, path, text, size);
    sc_free(vm, text, size + 1);
    return u;
}

static bool load_module(Vm *vm, Str *name, ScModule *m, ScModule *parent, bool *found)
{
    Found f;
    const char *dot = strrchr(name->s, '.');

    *found = true;
    if (sc_is_builtin_module(vm, name->s)) /* a package of one file, or one in a package */
        return sc_module_set(vm, m, "__package__",
                             v_obj(sc_str_n(vm, name->s, dot ? (size_t)(dot - name->s) : 0))) &&
               load_builtin(vm, m);
    if (!find_module(vm, name, parent, &f)) {
        *found = false;
        return false;
    }
    if (!set_origin(vm, m, name, &f))
        return false;
    if (!f.path[0])
        return true;
    return run_unit(vm, compile_file(vm, f.path), m);
}

/* The module by what a finder of the script says of it: its spec's loader runs it. */
static bool load_by_finder(Vm *vm, Value finder, Str *name, ScModule *m, ScModule *parent, bool *found)
{
    Value places = parent ? sc_getattr_s(vm, v_obj(parent), "__path__") : NONE, args[3], spec, util, r;
    Str *ask;

    if (places.tag == T_NIL) {
        sc_clear_exc(vm);
        places = NONE;
    }
    args[0] = v_obj(name);
    args[1] = places;
    args[2] = NONE;
    spec = sc_call_method(vm, finder, "find_spec", args, 3);
    sc_drop(vm, places);
    *found = spec.tag != T_NONE;
    if (!*found || spec.tag == T_NIL)
        return false;
    ask = sc_intern(vm, "importlib.util", 14);
    util = ask ? sc_import(vm, ask) : NIL;
    if (ask)
        obj_drop(vm, ask);
    args[0] = spec;
    args[1] = v_obj(m);
    r = util.tag == T_NIL ? NIL : sc_call_method(vm, util, "_fill", args, 2);
    sc_drop(vm, util);
    sc_drop(vm, spec);
    sc_drop(vm, r);
    return r.tag != T_NIL;
}

/* Whoever knows the module first, in the order of sys.meta_path. */
static bool load_by_any(Vm *vm, Str *name, ScModule *m, ScModule *parent, bool *found)
{
    List *l = vm->meta_path;
    bool own, ok = false;

    *found = false;
    if (!l || l->n == 1)
        return load_module(vm, name, m, parent, found);
    for (int64_t i = 0; i < l->n && !*found && !sc_failed(vm); i++) {
        Value f = sc_ref(l->v[i]);

        own = sc_is(vm, f, C_type) && !((Class *)f.o)->script;
        ok = own ? load_module(vm, name, m, parent, found) : load_by_finder(vm, f, name, m, parent, found);
        sc_drop(vm, f);
    }
    return ok;
}

/* A fresh module under its name, which it keeps only if it loads. */
static Value load_new(Vm *vm, Str *name, ScModule *parent)
{
    ScModule *m = sc_module(vm, name->s, NULL);
    Value key = v_obj(name), *have;
    bool found;

    if (!m || !sc_dict_put(vm, vm->modules, key, v_obj(m))) {
        if (m)
            obj_drop(vm, m);
        return NIL;
    }
    if (!load_by_any(vm, name, m, parent, &found)) {
        Value exc = sc_take_exc(vm);

        if (sc_dict_remove(vm, vm->modules, key) < 0)
            sc_clear_exc(vm);
        vm->exc = exc;
        obj_drop(vm, m);
        return found || sc_failed(vm) ? NIL : raise_no_module(vm, name);
    }
    have = sc_dict_find(vm, vm->modules, key); /* it may have put another in its place */
    if (have && have->o != &m->h.h) {
        obj_drop(vm, m);
        return sc_ref(*have);
    }
    return v_obj(m);
}

static bool is_embedded(Vm *vm, Value m) { return sc_is(vm, m, C_module) && !((ScModule *)m.o)->file; }

static Value *attr_of(Vm *vm, ScModule *m, const char *name)
{
    Str *s = sc_intern(vm, name, strlen(name));
    Value *v = s ? sc_dict_find_str(m->attrs, s) : NULL;

    if (s)
        obj_drop(vm, s);
    return v;
}

/* The module a.b.c itself, its parents loaded first. */
Value sc_import(Vm *vm, Str *name)
{
    Value *have, parent = NIL, m, key;
    char *dot;
    Str *pname;

    name = sc_intern_str(vm, name);
    if (!name)
        return NIL;
    dot = strrchr(name->s, '.');
    key = v_obj(name);
    have = sc_dict_find(vm, vm->modules, key);
    if (have && have->tag == T_NONE)
        return raise_no_module(vm, name);
    if (have)
        return sc_ref(*have);
    if (dot) {
        pname = sc_intern(vm, name->s, (size_t)(dot - name->s));
        parent = pname ? sc_import(vm, pname) : NIL;
        if (pname)
            obj_drop(vm, pname);
        if (parent.tag == T_NIL)
            return NIL;
        have = sc_dict_find(vm, vm->modules, key);
        if (have) {
            sc_drop(vm, parent);
            return sc_ref(*have);
        }
    }
    have = dot && is_embedded(vm, parent) ? attr_of(vm, (ScModule *)parent.o, dot + 1) : NULL;
    if (have && !sc_is_builtin_module(vm, name->s)) { /* a library here may have a module's names in a class */
        m = sc_ref(*have);
        sc_drop(vm, parent);
        return sc_dict_put(vm, vm->modules, key, m) ? m : NIL;
    }
    m = load_new(vm, name, sc_is(vm, parent, C_module) ? (ScModule *)parent.o : NULL);
    if (m.tag != T_NIL && sc_is(vm, parent, C_module) &&
        !sc_module_set(vm, (ScModule *)parent.o, dot + 1, sc_ref(m))) {
        sc_drop(vm, m);
        m = NIL;
    }
    sc_drop(vm, parent);
    return m;
}

/* The package m is in, or is: __package__, or by its name. */
static const char *package_of(Vm *vm, ScModule *m, size_t *n)
{
    Value *v = sc_dict_find_str(m->attrs, vm->known[S_package]);
    const char *s = v && is_str(*v) ? as_str(*v)->s : m->name->s, *dot;

    *n = strlen(s);
    if (s == m->name->s && !sc_dict_find_str(m->attrs, vm->known[S_path])) {
        dot = strrchr(s, '.');
        *n = dot ? (size_t)(dot - s) : 0;
    }
    return s;
}

Str *sc_import_name(Vm *vm, ScModule *m, Str *name)
{
    const char *s = name->s, *package;
    char full[1024];
    size_t n;

    if (*s != '.')
        return obj_ref(name);
    package = package_of(vm, m, &n);
    if (n == 0) {
        sc_raise(vm, C_ImportError, "attempted relative import with no known parent package");
        return NULL;
    }
    for (s++; *s == '.'; s++) {
        while (n > 0 && package[n - 1] != '.')
            n--;
        if (n == 0) {
            sc_raise(vm, C_ImportError, "attempted relative import beyond top-level package");
            return NULL;
        }
        n--;
    }
    if ((size_t)snprintf(full, sizeof full, "%.*s%s%s", (int)n, package, *s ? "." : "", s) >=
        sizeof full) {
        sc_raise(vm, C_ImportError, "the name of the module is too long");
        return NULL;
    }
    return sc_str(vm, full);
}

/* ---- the main module --------------------------------------------------------------- */

bool sc_run_file(Vm *vm, const char *path)
{
    size_t size = 0;
    char *text = read_file(vm, path, &size);
    const char *slash = strrchr(path, '/');
    Unit *u;

    if (!text && sc_failed(vm)) {
        sc_report(vm);
        return false;
    }
    if (!text)
        return fail(vm->cx, WF_ERR_IO, NOWHERE, "%s: %s", path, strerror(errno));
    if (import_path_first(vm, path, slash ? (size_t)(slash - path) : 0) &&
        sc_module_set(vm, vm->main, "__file__", v_obj(sc_str(vm, path))))
        u = sc_compile_unit(vm, path, text, size);
    else
        u = NULL;
    vm->main->file = path;
    sc_free(vm, text, size + 1);
    return sc_run_main(vm, u);
}

/* The file of the module, or of its package's __main__, run with the package's parents loaded. */
static Unit *open_main(Vm *vm, const char *given)
{
    Str *name = sc_str(vm, given), *sub;
    char *dot;
    Value parent = NIL;
    Found f;
    Unit *u = NULL;

    if (!name || !import_path_first(vm, "", 0))
        goto out;
    for (int pass = 0; pass < 2; pass++) {
        dot = strrchr(name->s, '.');
        if (dot) {
            sub = sc_str_n(vm, name->s, (size_t)(dot - name->s));
            parent = sub ? sc_import(vm, sub) : NIL;
            if (sub)
                obj_drop(vm, sub);
            if (parent.tag == T_NIL)
                goto out;
        }
        if (!find_module(vm, name, dot ? (ScModule *)parent.o : NULL, &f)) {
            raise_no_module(vm, name);
            goto out;
        }
        if (!f.folder[0])
            break;
        sc_drop(vm, parent);
        parent = NIL;
        sub = (Str *)sc_strf(vm, "%s.__main__", name->s).o;
        obj_drop(vm, name);
        name = sub;
        if (!name)
            goto out;
    }
    if (set_origin(vm, vm->main, name, &f))
        u = compile_file(vm, f.path);
out:
    sc_drop(vm, parent);
    if (name)
        obj_drop(vm, name);
    return u;
}

bool sc_run_module(Vm *vm, const char *name)
{
    Unit *u = open_main(vm, name);

    return sc_run_main(vm, u);
}
