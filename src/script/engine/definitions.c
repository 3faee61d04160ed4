/* definitions.c -- is the source that a file brings only definitions?
 *
 * A file is hostile until it is parsed, and torch.jit.load gives the functions and classes
 * whose source is in it. Running that text makes them; so nothing in it may do anything
 * else, neither when it is run nor, beyond tensors, when what it defines is called:
 *
 *   at the top    imports of the languages' own modules that do not reach the host; names of
 *                 constants; functions; classes
 *   of a class    names of constants and functions; no special method that making, loading
 *                 or dropping an object would call; bases are dotted names
 *   evaluated     decorators (a short list, whose names nothing binds again), defaults
 *                 (constants and dotted names), annotations (names, subscripts)
 *   in bodies     no builtin that reaches files, code or namespaces; no attribute that leads
 *                 from an object to its machinery or from a module to the host's; a module
 *                 is only ever the left side of a dot, and keeps its names
 *
 * What the text does not show (a library that calls a method while a class is made, a function
 * of a library that writes a file) script/confine.c stops when it happens.
 *
 * What is found otherwise is a RuntimeError that says what and in which line.
 */
#include "script/engine/engine.h"

#include "script/ast.h"

/* Modules that code of a file may use: they compute, and know no files. */
static const char *const modules[] = {
    "torch",     "math",        "typing", "collections", "functools",
    "itertools", "dataclasses", "enum",   "abc",         "numbers",
    "warnings",  "numpy",       "string", "__future__",  "typing_extensions",
    NULL};
/* Those a name of them must not lead to. */
static const char *const host_modules[] = {"os",
                                           "sys",
                                           "io",
                                           "subprocess",
                                           "shutil",
                                           "tempfile",
                                           "pathlib",
                                           "glob",
                                           "pickle",
                                           "builtins",
                                           "importlib",
                                           "inspect",
                                           "socket",
                                           "ctypes",
                                           "threading",
                                           "gc",
                                           "json",
                                           "zipfile",
                                           "gzip",
                                           "logging",
                                           "multiprocessing",
                                           "hub",
                                           "onnx",
                                           "package",
                                           "serialization",
                                           "tensorboard",
                                           "benchmark",
                                           NULL};
/* Functions of the modules above that read or write files, or take code. */
static const char *const host_functions[] = {"save",
                                             "load",
                                             "from_file",
                                             "fromfile",
                                             "tofile",
                                             "memmap",
                                             "loadtxt",
                                             "savetxt",
                                             "savez",
                                             "savez_compressed",
                                             "genfromtxt",
                                             "CompilationUnit",
                                             "get_type_hints",
                                             "ForwardRef",
                                             NULL};
/* Methods of arrays, modules and scripted functions that do. */
static const char *const host_methods[] = {"tofile", "dump",   "fromfile", "from_file",
                                           "save",   "define", NULL};
static const char *const host_builtins[] = {
    "open",   "exec", "eval",       "compile",      "__import__", "input",      "globals",
    "locals", "vars", "dir",        "setattr",      "delattr",    "breakpoint", "exit",
    "quit",   "help", "memoryview", "__builtins__", "__loader__", "__spec__",   NULL};
/* Special methods that run only where code of the file's own uses them. */
static const char *const special[] = {
    "__init__",      "__len__",    "__getitem__",  "__setitem__",  "__contains__",
    "__iter__",      "__next__",   "__call__",     "__enter__",    "__exit__",
    "__str__",       "__repr__",   "__eq__",       "__ne__",       "__lt__",
    "__le__",        "__gt__",     "__ge__",       "__add__",      "__sub__",
    "__mul__",       "__matmul__", "__truediv__",  "__floordiv__", "__mod__",
    "__pow__",       "__and__",    "__or__",       "__xor__",      "__lshift__",
    "__rshift__",    "__neg__",    "__pos__",      "__invert__",   "__radd__",
    "__rsub__",      "__rmul__",   "__rtruediv__", "__iadd__",     "__isub__",
    "__imul__",      "__bool__",   "__abs__",      "__float__",    "__int__",
    "__post_init__", NULL};
/* Special names that may be read. */
static const char *const readable[] = {"__name__", "__class__", "__doc__",
                                       "__constants__", NULL};
static const char *const decorators[] = {
    "torch.jit.script", "torch.jit.export",      "torch.jit.ignore",
    "torch.jit.unused", "torch.jit.interface",   "torch.jit.script_method",
    "staticmethod",     "classmethod",           "property",
    "dataclass",        "dataclasses.dataclass", NULL};

typedef struct Import {
    const char *name, *module; /* what the name stands for */
} Import;

typedef struct Check {
    Vm *vm;
    const char *file;
    VEC(Import) imports;
    VEC(const FuncDef *) inside; /* the functions around what is looked at */
    Arena *a;
} Check;

static bool in_list(const char *s, const char *const *list)
{
    for (; *list; list++)
        if (!strcmp(s, *list))
            return true;
    return false;
}

static bool refuse(Check *k, const Ast *at, const char *what, const char *name)
{
    sc_fail(k->vm, C_RuntimeError,
            "%s:%u: %s%s%s%s, and the source in a file is definitions alone", k->file,
            at->line, what, name ? " '" : "", name ? name : "", name ? "'" : "");
    return false;
}

/* The module that a name stands for; NULL: none. */
static const char *module_of(const Check *k, const char *name)
{
    for (uint32_t i = 0; i < k->imports.n; i++)
        if (!strcmp(k->imports.v[i].name, name))
            return k->imports.v[i].module;
    return NULL;
}

static bool is_module(const Check *k, const char *name) /* of the language itself */
{
    return sc_is_builtin_module(k->vm, name);
}

/* A name that decorators and bases trust must stay what it is, in the body of a class too. */
static bool check_bound(Check *k, const Ast *at, const char *name, bool in_class)
{
    const char *module = module_of(k, name);
    size_t n = strlen(name);

    if (module && (!in_class || !strncmp(module, "torch", 5) ||
                   !strncmp(module, "dataclasses", 11)))
        return refuse(k, at, "it binds again", name);
    for (const char *const *d = decorators; *d; d++)
        if (!strncmp(*d, name, n) && ((*d)[n] == 0 || (*d)[n] == '.'))
            return refuse(k, at, "it binds again", name);
    return true;
}

/* ---- imports ----------------------------------------------------------------------- */

/* One of the language itself, that does not reach the host? Never a file of the disk. */
static bool check_module(Check *k, const Ast *at, const char *name)
{
    const char *first = arena_printf(k->a, "%.*s", (int)strcspn(name, "."), name);

    if (is_module(k, name) && in_list(first, modules) && !strstr(name, "._"))
        return true;
    return refuse(k, at, "it imports", name);
}

static bool check_import(Check *k, const Ast *s)
{
    for (uint32_t i = 0; i < s->list.n; i++) {
        const Ast *one = s->list.v[i];
        const char *first =
            arena_printf(k->a, "%.*s", (int)strcspn(one->name, "."), one->name);

        if (!check_module(k, one, one->name))
            return false;
        vec_push(k->a, &k->imports,
                 one->a ? ((Import){one->a->name, one->name}) : ((Import){first, first}));
    }
    return true;
}

static bool check_from(Check *k, const Ast *s)
{
    if (!s->list.n)
        return refuse(k, s, "it imports everything", NULL);
    if (s->n)
        return refuse(k, s, "it imports relative to a package", NULL);
    if (!check_module(k, s, s->name))
        return false;
    for (uint32_t i = 0; i < s->list.n; i++) {
        const Ast *one = s->list.v[i];
        const char *full = arena_printf(k->a, "%s.%s", s->name, one->name);
        const char *as = one->a ? one->a->name : one->name;

        if (one->name[0] == '_' || in_list(one->name, host_modules) ||
            in_list(one->name, host_functions))
            return refuse(k, one, "it imports", full);
        if (is_module(k, full))
            vec_push(k->a, &k->imports, ((Import){as, full}));
        else if (strcmp(full, "dataclasses.dataclass") != 0 &&
                 !check_bound(k, one, as, false))
            return false;
    }
    return true;
}

/* ---- what bodies do ---------------------------------------------------------------- */

static bool check_body(Check *k, const Ast *a);

static bool check_bodies(Check *k, const AstList *l)
{
    for (uint32_t i = 0; i < l->n; i++)
        if (!check_body(k, l->v[i]))
            return false;
    return true;
}

/* a.b.c with the module that a stands for, if any, in its place; NULL: no dotted name. */
static const char *dotted(Check *k, const Ast *a)
{
    const char *left;

    if (a->kind == E_NAME)
        return (left = module_of(k, a->name)) ? left : a->name;
    if (a->kind != E_ATTR || !(left = dotted(k, a->a)))
        return NULL;
    return arena_printf(k->a, "%s.%s", left, a->name);
}

/* Does it begin with a module? */
static bool is_of_module(const Check *k, const Ast *a)
{
    while (a->kind == E_ATTR)
        a = a->a;
    return a->kind == E_NAME && module_of(k, a->name);
}

static bool check_attr(Check *k, const Ast *a)
{
    bool of_module = is_of_module(k, a);
    const char *name = a->name;

    if (!strncmp(name, "__", 2) && !in_list(name, special) && !in_list(name, readable))
        return refuse(k, a, "it reads", name);
    if (in_list(name, host_methods))
        return refuse(k, a, "it uses", name);
    if (of_module &&
        (name[0] == '_' || in_list(name, host_modules) || in_list(name, host_functions)))
        return refuse(k, a, "it uses", dotted(k, a));
    if (a->a->kind == E_ATTR)
        return check_attr(k, a->a);
    return (a->a->kind == E_NAME && module_of(k, a->a->name)) || check_body(k, a->a);
}

/* getattr and hasattr of a plain name, as if it stood behind a dot */
static bool is_plain_getattr(const Ast *a)
{
    return a->kind == E_CALL && a->a->kind == E_NAME &&
           (!strcmp(a->a->name, "getattr") || !strcmp(a->a->name, "hasattr")) &&
           a->list.n >= 2 && a->list.v[0]->kind != E_STAR &&
           a->list.v[1]->kind == E_STR && a->list.v[1]->n > 0 &&
           a->list.v[1]->name[0] != '_';
}

static bool check_def_parts(Check *k, const FuncDef *d)
{
    bool ok;

    for (uint32_t i = 0; i < d->nparams; i++)
        if ((d->params[i].ann && !check_body(k, d->params[i].ann)) ||
            (d->params[i].value && !check_body(k, d->params[i].value)))
            return false;
    if (d->returns && !check_body(k, d->returns))
        return false;
    vec_push(k->a, &k->inside, d);
    ok = check_bodies(k, &d->body);
    k->inside.n--;
    return ok;
}

/* A variable of a function around it: whatever else has that name is out of reach. */
static bool is_local(const Check *k, const char *name)
{
    for (uint32_t i = 0; i < k->inside.n; i++) {
        Scope *scope = k->inside.v[i]->scope;
        const Var *v = scope ? sc_scope_find(scope, name) : NULL;

        if (v && (v->kind == VAR_LOCAL || v->kind == VAR_CELL) && !v->is_global)
            return true;
    }
    return false;
}

static bool check_name(Check *k, const Ast *a)
{
    if (is_local(k, a->name))
        return true;
    if (in_list(a->name, host_builtins) || !strcmp(a->name, "getattr") ||
        !strcmp(a->name, "hasattr"))
        return refuse(k, a, "it uses", a->name);
    if (module_of(k, a->name))
        return refuse(k, a, "it hands on the module", a->name);
    return true;
}

/* What is assigned to or deleted: no name of a module. */
static bool check_target(Check *k, const Ast *t)
{
    if (!t)
        return true;
    if (t->kind == E_ATTR && is_of_module(k, t))
        return refuse(k, t, "it sets", dotted(k, t));
    if (t->kind == E_STAR)
        return check_target(k, t->a);
    if (t->kind == E_TUPLE || t->kind == E_LIST)
        for (uint32_t i = 0; i < t->list.n; i++)
            if (!check_target(k, t->list.v[i]))
                return false;
    return true;
}

static bool check_targets(Check *k, const Ast *a)
{
    switch ((AstKind)a->kind) {
    case S_ASSIGN:
    case S_DEL:
        for (uint32_t i = 0; i < a->list.n; i++)
            if (!check_target(k, a->list.v[i]))
                return false;
        return true;
    case S_AUG:
    case S_ANN:
    case S_FOR:
    case E_FOR: return check_target(k, a->a);
    case S_ITEM: return check_target(k, a->b);
    default: return true;
    }
}

static bool check_body(Check *k, const Ast *a)
{
    bool ok;

    if (!a)
        return true;
    if (!sc_enter(k->vm))
        return false;
    switch ((AstKind)a->kind) {
    case E_NAME: ok = check_name(k, a); break;
    case E_ATTR:
        ok = check_attr(k, a) && (!is_of_module(k, a) || !is_module(k, dotted(k, a)) ||
                                  refuse(k, a, "it hands on the module", dotted(k, a)));
        break;
    case E_CALL:
        ok = (is_plain_getattr(a) || check_body(k, a->a)) && check_bodies(k, &a->list);
        break;
    case E_LAMBDA:
    case S_DEF: ok = check_bodies(k, &a->list) && check_def_parts(k, a->def); break;
    case S_CLASS:
    case S_GLOBAL:
    case S_IMPORT:
    case S_FROM:
        ok =
            refuse(k, a, "a function has a class, an import or a global statement", NULL);
        break;
    default:
        ok = check_targets(k, a) && check_body(k, a->a) && check_body(k, a->b) &&
             check_body(k, a->c) && check_bodies(k, &a->list) &&
             check_bodies(k, &a->more);
    }
    sc_leave(k->vm);
    return ok;
}

/* ---- what is evaluated when the text is run ----------------------------------------- */

/* A constant: literals, containers of them, and dotted names. */
static bool is_constant(Check *k, const Ast *a)
{
    switch ((AstKind)a->kind) {
    case E_INT:
    case E_FLOAT:
    case E_IMAG:
    case E_STR:
    case E_BYTES:
    case E_BIG:
    case E_NONE:
    case E_TRUE:
    case E_FALSE:
    case E_ELLIPSIS: return true;
    case E_NAME: return !in_list(a->name, host_builtins);
    case E_ATTR: return dotted(k, a) != NULL;
    case E_UN: /* of a number that is written there: nothing else knows what it means */
        return (a->a->kind == E_INT || a->a->kind == E_FLOAT || a->a->kind == E_IMAG ||
                a->a->kind == E_BIG || a->a->kind == E_UN) &&
               is_constant(k, a->a);
    case E_TUPLE:
    case E_LIST:
    case E_SET:
    case E_DICT:
        for (uint32_t i = 0; i < a->list.n; i++)
            if (!a->list.v[i] || !is_constant(k, a->list.v[i]) ||
                (a->kind == E_DICT && !is_constant(k, a->more.v[i])))
                return false;
        return true;
    default: return false;
    }
}

/* An annotation: names, subscripts and alternatives of constants. What is subscripted is a
 * type: an object whose class is the file's would be asked, and confine.c stops that. */
static bool is_type(Check *k, const Ast *a)
{
    if (a->kind == E_INDEX)
        return is_type(k, a->a) && is_type(k, a->b);
    if (a->kind == E_BIN && a->op == OP2_OR)
        return is_type(k, a->a) && is_type(k, a->b);
    if (a->kind == E_TUPLE || a->kind == E_LIST) {
        for (uint32_t i = 0; i < a->list.n; i++)
            if (!is_type(k, a->list.v[i]))
                return false;
        return true;
    }
    return is_constant(k, a);
}

/* Is it x.setter, and x a property of the class's own, made before the definition s? */
static bool is_setter(const Check *k, const Ast *cls, const Ast *s, const Ast *decorator)
{
    bool found = false;

    if (!cls || decorator->kind != E_ATTR || strcmp(decorator->name, "setter") != 0 ||
        decorator->a->kind != E_NAME || module_of(k, decorator->a->name))
        return false;
    for (uint32_t i = 0; i < cls->more.n && cls->more.v[i] != s; i++) {
        const Ast *d = cls->more.v[i];

        if (d->kind == S_DEF && !strcmp(d->def->name, decorator->a->name))
            found = d->list.n == 1 && ((d->list.v[0]->kind == E_NAME &&
                                        !strcmp(d->list.v[0]->name, "property")) ||
                                       is_setter(k, cls, d, d->list.v[0]));
        for (uint32_t j = 0; d->kind == S_ASSIGN && j < d->list.n; j++)
            found = found && strcmp(d->list.v[j]->name, decorator->a->name) != 0;
        if (d->kind == S_ANN && !strcmp(d->a->name, decorator->a->name))
            found = false;
    }
    return found;
}

/* s: what they decorate; cls: the class it stands in, or NULL */
static bool check_decorators(Check *k, const AstList *l, const Ast *s, const Ast *cls)
{
    for (uint32_t i = 0; i < l->n; i++) {
        const char *name = dotted(k, l->v[i]);

        if (!name || (!in_list(name, decorators) && !is_setter(k, cls, s, l->v[i])))
            return refuse(k, l->v[i], "it has the decorator",
                          name ? name : "(an expression)");
    }
    return true;
}

static bool check_def(Check *k, const Ast *s, const Ast *cls)
{
    const FuncDef *d = s->def;

    if (!strncmp(d->name, "__", 2) && (!cls || !in_list(d->name, special)))
        return refuse(k, s, "it defines", d->name);
    if (!check_bound(k, s, d->name, cls != NULL) ||
        !check_decorators(k, &s->list, s, cls))
        return false;
    for (uint32_t i = 0; i < d->nparams; i++)
        if ((d->params[i].value && !is_constant(k, d->params[i].value)) ||
            (d->params[i].ann && !is_type(k, d->params[i].ann)))
            return refuse(k, d->params[i].at,
                          "a default or annotation is no constant: that of",
                          d->params[i].name);
    if (d->returns && !is_type(k, d->returns))
        return refuse(k, d->returns, "an annotation is no type", NULL);
    return check_def_parts(k, d);
}

/* NAME = constant, NAME: type, NAME: type = constant */
static bool check_assign(Check *k, const Ast *s, bool in_class)
{
    const Ast *value = s->kind == S_ASSIGN ? s->a : s->c;
    uint32_t n = s->kind == S_ASSIGN ? s->list.n : 1;

    for (uint32_t i = 0; i < n; i++) {
        const Ast *t = s->kind == S_ASSIGN ? s->list.v[i] : s->a;

        if (t->kind != E_NAME ||
            (!strncmp(t->name, "__", 2) && !(in_class && in_list(t->name, readable))))
            return refuse(k, s, "it assigns to more than a name", NULL);
        if (!check_bound(k, t, t->name, in_class))
            return false;
    }
    if (s->kind == S_ANN && (!is_type(k, s->b) || !check_body(k, s->b)))
        return sc_failed(k->vm) ? false
                                : refuse(k, s->b, "an annotation is no type", NULL);
    if (value && (!is_constant(k, value) || !check_body(k, value)))
        return sc_failed(k->vm) ? false : refuse(k, value, "it computes a value", NULL);
    return true;
}

static bool check_statement(Check *k, const Ast *s, const Ast *cls);

static bool check_class(Check *k, const Ast *s)
{
    if (!check_bound(k, s, s->name, false) ||
        (s->a && !check_decorators(k, &s->a->list, s, NULL)))
        return false;
    for (uint32_t i = 0; i < s->list.n; i++) {
        const Ast *base = s->list.v[i];

        if ((base->kind != E_NAME && base->kind != E_ATTR) || !dotted(k, base))
            return refuse(k, base, "a class has a base that is no name", NULL);
        if (!check_body(k, base))
            return false;
    }
    for (uint32_t i = 0; i < s->more.n; i++)
        if (!check_statement(k, s->more.v[i], s))
            return false;
    return true;
}

static bool check_statement(Check *k, const Ast *s,
                            const Ast *cls) /* the class it stands in, or NULL */
{
    switch ((AstKind)s->kind) {
    case S_PASS: return true;
    case S_EXPR:
        return s->a->kind == E_STR || s->a->kind == E_ELLIPSIS ||
               refuse(k, s, "it has a statement that is run when it is loaded", NULL);
    case S_ASSIGN:
    case S_ANN: return check_assign(k, s, cls != NULL);
    case S_DEF: return check_def(k, s, cls);
    case S_CLASS:
        return cls ? refuse(k, s, "it has a class inside a class", NULL)
                   : check_class(k, s);
    default:
        return refuse(k, s, "it has a statement that is run when it is loaded", NULL);
    }
}

/* Imports first, wherever they stand: functions are read with all of them known. */
static bool check_unit(Check *k, const AstList *l)
{
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < l->n; i++) {
            const Ast *s = l->v[i];
            bool import = s->kind == S_IMPORT || s->kind == S_FROM;
            bool ok = import != (pass == 0) ? true
                      : s->kind == S_IMPORT ? check_import(k, s)
                      : s->kind == S_FROM   ? check_from(k, s)
                                            : check_statement(k, s, NULL);

            if (!ok)
                return false;
        }
    return true;
}

bool definitions_computes(const char *name)
{
    return name[0] != '_' && !in_list(name, host_modules) &&
           !in_list(name, host_functions) && !in_list(name, host_builtins);
}

bool definitions_check(Vm *vm, const Unit *u)
{
    wf_ctx *c = vm->cx;
    Check k = {.vm = vm, .file = u->file, .a = &c->scratch};
    ArenaMark mark;
    bool ok;

    T_ENTER(c, (sc_raise_memory(vm), false))
    mark = arena_mark(k.a);
    ok = check_unit(&k, &u->body);
    arena_reset(k.a, mark);
    T_LEAVE(c);
    return ok;
}
