/* syntax.c -- the module _syntax: functions of the script as syntax trees, for what compiles
 * them to programs (namespaces/_stage.py, torch.jit).
 *
 *   tree(func, Node)   the Def of a function: an instance of Node with name, params (Nodes
 *                      with name, kind, value, ann), body, returns, locals
 *   info(func)         {globals, file, hidden, confined, generator, name, lambda, first, doc}
 *   free(func, name)   the value of a free variable; NameError where it has none
 *   defaults(func)     (those of the last positional parameters, {name: value} of keyword-only)
 *   text(func)         the S-expression of its definition
 *   source(func)       the lines of its definition
 *   load(text, name)   the names that a text of a file defines, which does nothing else
 *   check(text, name)  RuntimeError unless load would take it
 *   builtin(name)      a name that every module has
 *   raise_at(cls, message, file, line, col, len)   raises there
 *   trace(e)           [(file, line, col, len, function or None)] that an exception has passed, the outermost first
 *   place(file, line, col, len)   where the natives that follow stand; place() ends that
 *
 * Every Node has kind, line, col, len; the other attributes are those of Ast (ast.h) that
 * the kind has: a b c list more name value op ops def.
 */
#include "script/engine/engine.h"

#include "script/ast.h"

static const char *const kinds[] = {
    [E_NAME] = "name", [E_INT] = "int", [E_FLOAT] = "float", [E_IMAG] = "complex", [E_STR] = "str",
    [E_BYTES] = "bytes", [E_BIG] = "big",
    [E_NONE] = "none", [E_TRUE] = "true", [E_FALSE] = "false", [E_ELLIPSIS] = "ellipsis",
    [E_FSTR] = "fstr", [E_FMT] = "fmt", [E_BIN] = "bin", [E_UN] = "un", [E_AND] = "and",
    [E_OR] = "or", [E_CMP] = "cmp", [E_COND] = "cond", [E_CALL] = "call", [E_KW] = "kw",
    [E_STAR] = "star", [E_DSTAR] = "dstar", [E_ATTR] = "attr", [E_INDEX] = "index",
    [E_SLICE] = "slice", [E_TUPLE] = "tuple", [E_LIST] = "list", [E_SET] = "set",
    [E_DICT] = "dict", [E_LISTCOMP] = "listcomp", [E_SETCOMP] = "setcomp",
    [E_GENEXP] = "genexp", [E_DICTCOMP] = "dictcomp", [E_FOR] = "clause",
    [E_LAMBDA] = "lambda", [E_YIELD] = "yield", [E_YIELDFROM] = "yieldfrom",
    [E_WALRUS] = "walrus", [S_EXPR] = "expr", [S_ASSIGN] = "assign", [S_AUG] = "aug",
    [S_ANN] = "ann", [S_IF] = "if", [S_WHILE] = "while", [S_FOR] = "for", [S_DEF] = "def",
    [S_CLASS] = "class", [S_RETURN] = "return", [S_RAISE] = "raise", [S_TRY] = "try",
    [S_EXCEPT] = "except", [S_WITH] = "with", [S_ITEM] = "item", [S_ASSERT] = "assert",
    [S_IMPORT] = "import", [S_FROM] = "from", [S_ALIAS] = "alias", [S_GLOBAL] = "global",
    [S_NONLOCAL] = "nonlocal", [S_DEL] = "del", [S_PASS] = "pass", [S_BREAK] = "break",
    [S_CONTINUE] = "continue", [S_BLOCK] = "block",
};
static const char *const bin_ops[OP2_COUNT] = {"+", "-", "*",  "/",  "//", "%", "**",
                                               "<<", ">>", "&", "|", "^",  "@"};
static const char *const un_ops[] = {"-", "+", "~", "not"};
static const char *const cmp_ops[] = {"<",  "<=", "==",     "!=", ">",     ">=",
                                      "is", "is not", "in", "not in"};

typedef struct Conv {
    Vm *vm;
    Class *cls;
} Conv;

static bool set(Conv *k, Value node, const char *name, Value owned)
{
    Str *s = owned.tag == T_NIL ? NULL : sc_intern(k->vm, name, strlen(name));
    bool ok = s && sc_setattr(k->vm, node, s, owned);

    if (s)
        obj_drop(k->vm, s);
    sc_drop(k->vm, owned);
    return ok;
}

static bool set_text(Conv *k, Value node, const char *name, const char *text)
{
    return set(k, node, name, v_obj(sc_str(k->vm, text)));
}

static Value convert(Conv *k, const Ast *a);
static Value convert_def(Conv *k, const FuncDef *d);

static Value convert_list(Conv *k, const AstList *l)
{
    List *r = sc_list(k->vm, l->n);

    for (uint32_t i = 0; r && i < l->n; i++)
        if ((r->v[i] = convert(k, l->v[i])).tag == T_NIL) {
            obj_drop(k->vm, r);
            return NIL;
        }
    return v_obj(r);
}

static Value cmp_list(Conv *k, const Ast *a)
{
    List *r = sc_list(k->vm, a->list.n);

    for (uint32_t i = 0; r && i < a->list.n; i++)
        if ((r->v[i] = v_obj(sc_str(k->vm, cmp_ops[a->ops[i]]))).tag == T_NIL) {
            obj_drop(k->vm, r);
            return NIL;
        }
    return v_obj(r);
}

/* What stands in the two unions, by kind. */
static bool payload(Conv *k, Value n, const Ast *a)
{
    switch ((AstKind)a->kind) {
    case E_INT: return set(k, n, "value", v_int(a->i));
    case E_FLOAT: return set(k, n, "value", v_float(a->f));
    case E_IMAG: return set(k, n, "value", sc_complex(k->vm, 0, a->f));
    case E_STR: return set(k, n, "value", v_obj(sc_str_n(k->vm, a->name, a->n)));
    case E_NAME: case E_KW: case E_ATTR: case S_FROM: case S_ALIAS: case S_CLASS:
    case S_EXCEPT:
        return set(k, n, "name", a->name ? v_obj(sc_str(k->vm, a->name)) : NONE);
    case E_BIN: case S_AUG: return set_text(k, n, "op", bin_ops[a->op]);
    case E_UN: return set_text(k, n, "op", un_ops[a->op]);
    case E_FMT: return set(k, n, "op", v_int(a->op));
    case E_CMP: return set(k, n, "ops", cmp_list(k, a));
    case E_LAMBDA: case S_DEF: return set(k, n, "def_", convert_def(k, a->def));
    default: return true;
    }
}

static Value convert(Conv *k, const Ast *a)
{
    Value n;
    bool ok;

    if (!a)
        return NONE;
    if (!sc_enter(k->vm))
        return NIL;
    n = sc_new_instance(k->vm, k->cls);
    ok = n.tag != T_NIL && set_text(k, n, "kind", kinds[a->kind]) &&
         set(k, n, "line", v_int(a->line)) && set(k, n, "col", v_int(a->col)) &&
         set(k, n, "len", v_int(a->len)) && set(k, n, "a", convert(k, a->a)) &&
         set(k, n, "b", convert(k, a->b)) && set(k, n, "c", convert(k, a->c)) &&
         set(k, n, "list", convert_list(k, &a->list)) &&
         set(k, n, "more", convert_list(k, &a->more)) && payload(k, n, a);
    sc_leave(k->vm);
    if (!ok) {
        sc_drop(k->vm, n);
        return NIL;
    }
    return n;
}

static Value convert_param(Conv *k, const Param *p)
{
    static const char *const names[] = {"pos", "star", "kw", "dstar"};
    Value n = sc_new_instance(k->vm, k->cls);

    if (n.tag != T_NIL && set_text(k, n, "name", p->name) &&
        set_text(k, n, "kind", names[p->kind]) && set(k, n, "ann", convert(k, p->ann)) &&
        set(k, n, "value", convert(k, p->value)))
        return n;
    sc_drop(k->vm, n);
    return NIL;
}

/* Names the function binds: its locals. */
static Value local_names(Conv *k, const FuncDef *d)
{
    List *r = sc_list(k->vm, 0);

    for (uint32_t i = 0; r && d->scope && i < d->scope->n; i++) {
        const Var *v = &d->scope->vars[i];
        Value s;
        bool ok;

        if (v->kind != VAR_LOCAL && v->kind != VAR_CELL)
            continue;
        s = v_obj(sc_str(k->vm, v->name));
        ok = s.tag != T_NIL && sc_list_push(k->vm, r, s);
        sc_drop(k->vm, s);
        if (!ok) {
            obj_drop(k->vm, r);
            return NIL;
        }
    }
    return v_obj(r);
}

static Value convert_def(Conv *k, const FuncDef *d)
{
    Value n = sc_new_instance(k->vm, k->cls);
    List *params = n.tag == T_NIL ? NULL : sc_list(k->vm, d->nparams);
    bool ok = params != NULL;

    for (uint32_t i = 0; ok && i < d->nparams; i++)
        ok = (params->v[i] = convert_param(k, &d->params[i])).tag != T_NIL;
    if (!ok && params)
        obj_drop(k->vm, params);
    ok = ok && set(k, n, "params", v_obj(params)) && set_text(k, n, "kind", "function") &&
         set_text(k, n, "name", d->name ? d->name : "<lambda>") &&
         set(k, n, "body", convert_list(k, &d->body)) &&
         set(k, n, "returns", convert(k, d->returns)) &&
         set(k, n, "locals", local_names(k, d)) &&
         set(k, n, "nposonly", v_int(d->nposonly)) &&
         set(k, n, "is_lambda", v_bool(d->is_lambda)) &&
         set(k, n, "is_generator", v_bool(d->is_generator));
    if (ok)
        return n;
    sc_drop(k->vm, n);
    return NIL;
}

/* ---- the module -------------------------------------------------------------------- */

static Function *func_arg(Vm *vm, Value v, const char *what)
{
    if (v.tag == T_OBJ && v.o->cls == vm->cls[C_method])
        v = ((Method *)(void *)v.o)->fn;
    if (v.tag == T_OBJ && v.o->cls == vm->cls[C_function])
        return (Function *)(void *)v.o;
    sc_fail(vm, C_TypeError, "%s: needs a function of the script, got %s", what,
            sc_type_name(vm, v));
    return NULL;
}

static Value m_tree(Vm *vm, const Args *a)
{
    Function *f = func_arg(vm, a->v[0], "tree");
    const FuncDef *def;
    Conv k = {vm, NULL};

    if (!f)
        return NIL;
    if (!sc_is_class(a->v[1]))
        return sc_raise(vm, C_TypeError, "tree: needs a class for the nodes");
    k.cls = (Class *)(void *)a->v[1].o;
    def = sc_code_tree(f->code);
    return def ? convert_def(&k, def) : NIL;
}

static Value m_info(Vm *vm, const Args *a)
{
    Function *f = func_arg(vm, a->v[0], "info");
    Dict *d = f ? sc_dict(vm) : NULL;
    const FuncDef *def = f ? sc_code_tree(f->code) : NULL;
    struct {
        const char *name;
        Value v;
    } rows[] = {
        {"globals", d ? v_obj(gc_ref(f->module->attrs)) : NIL},
        {"file", d ? v_obj(sc_str(vm, f->code->unit->file)) : NIL},
        {"hidden", v_bool(d && f->code->unit->hidden)},
        {"confined", v_bool(d && f->code->unit->confined)},
        {"generator", v_bool(def && def->is_generator)},
        {"lambda", v_bool(def && def->is_lambda)},
        {"line", v_int(d && sc_code_load(f->code) ? sc_code_line(f->code, 0) : 0)},
    };
    bool ok = d != NULL;

    for (int i = 0; i < COUNT(rows); i++) {
        Str *s = ok ? sc_intern(vm, rows[i].name, strlen(rows[i].name)) : NULL;

        ok = ok && s && rows[i].v.tag != T_NIL && sc_dict_put_str(vm, d, s, rows[i].v);
        if (s)
            obj_drop(vm, s);
        sc_drop(vm, rows[i].v);
    }
    if (!ok && d) {
        obj_drop(vm, d);
        return NIL;
    }
    return v_obj(d);
}

/* Free variables are numbered as the scope has them. */
const Value *en_func_free(const Function *f, const char *name)
{
    const FuncDef *def = f->ncells ? sc_code_tree(f->code) : NULL;
    const Scope *s = def ? def->scope : NULL;

    for (uint32_t i = 0; s && i < s->n; i++)
        if (s->vars[i].kind == VAR_FREE && !strcmp(s->vars[i].name, name) &&
            s->vars[i].reg < f->ncells && f->cells[s->vars[i].reg]->v.tag != T_NIL)
            return &f->cells[s->vars[i].reg]->v;
    return NULL;
}

static Value m_free(Vm *vm, const Args *a)
{
    Function *f = func_arg(vm, a->v[0], "free");
    const char *name = f ? sc_to_cstr(vm, a->v[1], "a name") : NULL;
    const Value *v = name ? en_func_free(f, name) : NULL;

    if (!name)
        return NIL;
    return v ? sc_ref(*v) : sc_raise(vm, C_NameError, "name '%s' is not defined", name);
}

static Value m_defaults(Vm *vm, const Args *a)
{
    Function *f = func_arg(vm, a->v[0], "defaults");
    const FuncDef *d = f ? sc_code_tree(f->code) : NULL;
    Tuple *t = d ? sc_tuple(vm, 2) : NULL;
    Dict *kw = t ? sc_dict(vm) : NULL;
    uint32_t k = 0;
    bool ok = kw != NULL;

    if (kw)
        t->v[1] = v_obj(kw);
    ok = ok && (t->v[0] = v_obj(sc_tuple_of(vm, f->defaults, f->ndefaults))).tag != T_NIL;
    for (uint32_t i = 0; ok && i < d->nparams; i++)
        if (d->params[i].kind == PARAM_KW) {
            Value v = f->defaults[f->ndefaults + k++];
            Str *s = v.tag == T_NIL ? NULL : sc_intern(vm, d->params[i].name, strlen(d->params[i].name));

            ok = v.tag == T_NIL || (s && sc_dict_put_str(vm, kw, s, v));
            if (s)
                obj_drop(vm, s);
        }
    if (!ok && t) {
        obj_drop(vm, t);
        return NIL;
    }
    return v_obj(t);
}

static Value m_text(Vm *vm, const Args *a)
{
    Function *f = func_arg(vm, a->v[0], "text");
    const FuncDef *def;
    wf_ctx *c = vm->cx;
    Text t;

    def = f ? sc_code_tree(f->code) : NULL;
    if (!def)
        return NIL;
    T_ENTER(c, sc_raise_memory(vm))
    answer_init(&t, c);
    ast_print_def(def, &t);
    T_LEAVE(c);
    return v_obj(sc_str_n(vm, t.s, t.n));
}

static Value m_place(Vm *vm, const Args *a)
{
    Engine *g = engine_of(vm);
    int64_t v[3] = {0, 0, 0};
    const char *file;

    if (!g)
        return NIL;
    g->place = NOWHERE;
    if (a->v[0].tag == T_NIL || a->v[0].tag == T_NONE)
        return NONE;
    if (!(file = sc_to_cstr(vm, a->v[0], "a file")))
        return NIL;
    for (int i = 0; i < 3; i++)
        if (a->v[i + 1].tag != T_NIL && !sc_to_int(vm, a->v[i + 1], &v[i]))
            return NIL;
    file = sc_vm_intern(vm, file, strlen(file));
    if (!file)
        return NIL;
    g->place = (Place){.file = file, .line = (uint32_t)v[0], .col = (uint32_t)v[1],
                       .len = (uint32_t)v[2]};
    return NONE;
}

/* The lines of a definition: from its first to before the next that is not deeper. */
static Value m_source(Vm *vm, const Args *a)
{
    Function *f = func_arg(vm, a->v[0], "source");
    const Unit *u = f ? f->code->unit : NULL;
    const char *s = u ? u->text : NULL, *start = NULL, *end;
    uint32_t line = f ? f->code->line : 0, at = 1;
    size_t indent = 0;

    if (!f)
        return NIL;
    if (!s || !line)
        return sc_raise(vm, C_OSError, "the source of the function is not there");
    for (; at < line && *s; s++)
        at += *s == '\n';
    for (start = s; start[indent] == ' ' || start[indent] == '\t'; indent++)
        ;
    for (end = strchr(s, '\n'); end && end[1]; end = strchr(end + 1, '\n')) {
        size_t n = strspn(end + 1, " \t");
        char c = end[1 + n];

        if (n <= indent && c && c != '\n' && c != '#' && c != ')')
            break;
    }
    return v_obj(sc_str_n(vm, start, end ? (size_t)(end - start) : strlen(start)));
}

/* A text of a file, compiled and checked: definitions alone (definitions.c). NULL after an
 * exception. */
static Unit *unit_of_file(Vm *vm, const Args *a)
{
    const char *text = sc_to_cstr(vm, a->v[0], "a text");
    const char *name = text ? sc_to_cstr(vm, a->v[1], "a name") : NULL;
    Unit *u = name ? sc_compile_unit(vm, name, text, strlen(text)) : NULL;

    if (!u || definitions_check(vm, u))
        return u;
    unit_release(u);
    return NULL;
}

/* confine(by): trees of a file's source are walked; by -1: no longer */
static Value m_confine(Vm *vm, const Args *a)
{
    int64_t by;

    if (!sc_to_int(vm, a->v[0], &by))
        return NIL;
    vm->confined += by < 0 ? -1 : 1;
    return NONE;
}

static Value m_computes(Vm *vm, const Args *a)
{
    const char *name = sc_to_cstr(vm, a->v[0], "a name");

    return name ? v_bool(definitions_computes(name)) : NIL;
}

static Value m_check(Vm *vm, const Args *a)
{
    Unit *u = unit_of_file(vm, a);

    if (!u)
        return NIL;
    unit_release(u);
    return NONE;
}

/* load(text, name): run as a module of its own */
static Value m_load(Vm *vm, const Args *a)
{
    Unit *u = unit_of_file(vm, a);
    ScModule *m = u ? sc_module(vm, u->file, NULL) : NULL;
    Value r = m ? sc_run_confined(vm, u, m) : NIL;
    Value d = r.tag == T_NIL ? NIL : v_obj(gc_ref(m->attrs));

    sc_drop(vm, r);
    if (m)
        obj_drop(vm, m);
    if (u)
        unit_release(u);
    return d;
}

/* name(x): the plain name of what x is: function, method, native, class, module .. */
static Value m_sort(Vm *vm, const Args *a)
{
    Value v = a->v[0];
    const char *s = "other";

    if (v.tag == T_OBJ) {
        Class *c = v.o->cls;

        s = c == vm->cls[C_function]                     ? "function"
            : c == vm->cls[C_method]                     ? "method"
            : c == vm->cls[C_builtin_function_or_method] ? "native"
            : c->is_type                                 ? (((Class *)(void *)v.o)->script ? "class" : "native")
            : c == vm->cls[C_module]                     ? "module"
                                                         : "other";
    }
    return v_obj(sc_str(vm, s));
}

static Value m_builtin(Vm *vm, const Args *a)
{
    const char *name = sc_to_cstr(vm, a->v[0], "a name");
    Value *v = name ? sc_dict_find(vm, vm->builtins, a->v[0]) : NULL;

    if (!v && name && !sc_failed(vm))
        sc_raise(vm, C_NameError, "name '%s' is not defined", name);
    return v ? sc_ref(*v) : NIL;
}

/* raise_at(cls, message, file, line, col, len): an exception that stands there */
static Value m_raise_at(Vm *vm, const Args *a)
{
    int64_t v[3] = {0, 0, 0};
    const char *file = sc_to_cstr(vm, a->v[2], "a file");
    Value e;
    Exc *x;

    for (int i = 0; file && i < 3; i++)
        if (!sc_to_int(vm, a->v[3 + i], &v[i]))
            return NIL;
    file = file ? sc_vm_intern(vm, file, strlen(file)) : NULL;
    e = file ? sc_call(vm, a->v[0], &a->v[1], 1) : NIL;
    if (e.tag == T_NIL)
        return NIL;
    if (!e.o->cls->is_exc) {
        sc_drop(vm, e);
        return sc_raise(vm, C_TypeError, "exceptions must derive from BaseException");
    }
    x = (Exc *)(void *)e.o;
    if (x->ntrace == 0 && (x->trace = sc_alloc(vm, sizeof *x->trace))) {
        x->captrace = x->ntrace = 1;
        x->trace[0] = (CallPlace){file, (uint32_t)v[0], (uint32_t)v[1], (uint32_t)v[2], NULL};
    }
    sc_set_exc(vm, e, NIL);
    sc_drop(vm, e);
    return NIL;
}

static Value m_trace(Vm *vm, const Args *a)
{
    const Exc *e = (const Exc *)(const void *)a->v[0].o;
    List *l;
    bool ok = true;

    if (a->v[0].tag != T_OBJ || !a->v[0].o->cls->is_exc)
        return sc_raise(vm, C_TypeError, "trace() takes an exception");
    l = sc_list(vm, 0);
    for (uint32_t i = e->ntrace; l && ok && i-- > 0;) {
        const CallPlace *p = &e->trace[i];
        Value v[5] = {v_obj(sc_str(vm, p->file)), v_int(p->line), v_int(p->col), v_int(p->len),
                      p->name ? v_obj(obj_ref(p->name)) : NONE},
              t = v[0].tag == T_NIL ? NIL : v_obj(sc_tuple_of(vm, v, 5));

        ok = t.tag != T_NIL && sc_list_push(vm, l, t);
        sc_drop(vm, v[0]);
        sc_drop(vm, v[4]);
        sc_drop(vm, t);
    }
    if (l && !ok)
        obj_drop(vm, l);
    return l && ok ? v_obj(l) : NIL;
}

static const NativeDef natives[] = {
    {"tree", m_tree, "func,cls"},   {"info", m_info, "func"},
    {"free", m_free, "func,name"},  {"defaults", m_defaults, "func"},
    {"text", m_text, "func"},       {"place", m_place, "|file,line,col,len"},
    {"sort", m_sort, "x"},          {"builtin", m_builtin, "name"},
    {"source", m_source, "func"},   {"load", m_load, "text,name"},
    {"check", m_check, "text,name"}, {"confine", m_confine, "by"},
    {"computes", m_computes, "name"},
    {"raise_at", m_raise_at, "cls,message,file,line,col,len"},
    {"trace", m_trace, "e"},
    {0},
};

bool syntax_open(Vm *vm, ScModule *m) { return sc_module_natives(vm, m, natives); }
