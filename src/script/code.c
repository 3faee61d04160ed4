/* code.c -- code and frames as objects of the script: compile, exec, eval; f.__code__, sys._getframe.
 *
 * A code object is a unit that compile() made, the body of a function, or just the name of a place that an
 * exception passed. A frame object is what was known of a frame when somebody asked: it does not follow it.
 */
#include "ast.h"

typedef struct CodeObj {
    Obj h;
    Unit *unit;       /* counted, or NULL */
    const ByteCode *code; /* of the unit, or NULL */
    Str *name, *file;
    int64_t line;
    bool eval; /* an expression: its value is left under VALUE_NAME */
} CodeObj;

#define VALUE_NAME "__value__"

static CodeObj *code_new(Vm *vm, const char *name, const char *file, int64_t line)
{
    CodeObj *c = (CodeObj *)sc_obj_new(vm, vm->cls[C_code], sizeof *c);

    if (!c)
        return NULL;
    c->name = sc_str(vm, name);
    c->file = sc_str(vm, file);
    c->line = line;
    if (!c->name || !c->file) {
        obj_drop(vm, c);
        return NULL;
    }
    return c;
}

static CodeObj *code_of(Vm *vm, Unit *u, const ByteCode *code)
{
    bool named = code->is_func || code->is_class;
    CodeObj *c = code_new(vm, named ? code->name->s : "<module>", u->file, code->line);

    if (c) {
        c->unit = u;
        u->refs++;
        c->code = code;
    }
    return c;
}

Value sc_code_of_func(Vm *vm, const Function *f)
{
    return v_obj(code_of(vm, f->unit, f->code));
}

static void code_destroy(Vm *vm, Obj *o)
{
    CodeObj *c = (CodeObj *)o;

    if (c->name)
        obj_drop(vm, c->name);
    if (c->file)
        obj_drop(vm, c->file);
    if (c->unit)
        unit_release(c->unit);
}

static Value code_repr(Vm *vm, Value self)
{
    CodeObj *c = (CodeObj *)self.o;

    return sc_strf(vm, "<code object %s at 0x%012llx, file \"%s\", line %lld>",
                   c->name->s,
                   (unsigned long long)(uintptr_t)(c->code ? (const void *)c->code : c),
                   c->file->s, (long long)c->line);
}

/* A function's code is made anew each time it is asked for: equal is what has the same instructions. */
static bool code_hash(Vm *vm, Value self, uint64_t *out)
{
    CodeObj *c = (CodeObj *)self.o;

    (void)vm;
    *out = (uint64_t)(uintptr_t)(c->code ? (const void *)c->code : c) >> 4;
    return true;
}

static Value code_compare(Vm *vm, CmpOp op, Value a, Value b)
{
    bool same = sc_is_exact(vm, a, C_code) && sc_is_exact(vm, b, C_code) &&
                (a.o == b.o || (((CodeObj *)a.o)->code &&
                                ((CodeObj *)a.o)->code == ((CodeObj *)b.o)->code));

    return op == CMP_EQ ? v_bool(same) : op == CMP_NE ? v_bool(!same) : NOTIMPL;
}

static Value co_name(Vm *vm, Value self)
{
    (void)vm;
    return v_obj(obj_ref(((CodeObj *)self.o)->name));
}

static Value co_qualname(Vm *vm, Value self)
{
    CodeObj *c = (CodeObj *)self.o;

    return c->code && c->code->is_func ? v_obj(obj_ref(c->code->qualname))
                                   : co_name(vm, self);
}

static Value co_filename(Vm *vm, Value self)
{
    (void)vm;
    return v_obj(obj_ref(((CodeObj *)self.o)->file));
}

static Value co_firstlineno(Vm *vm, Value self)
{
    (void)vm;
    return v_int(((CodeObj *)self.o)->line);
}

#define COUNT_OF(name, expr)                                                             \
    static Value name(Vm *vm, Value self)                                                \
    {                                                                                    \
        const ByteCode *c = ((CodeObj *)self.o)->code;                                       \
                                                                                         \
        (void)vm;                                                                        \
        return v_int(c && c->is_func ? (int64_t)(expr) : 0);                                 \
    }
COUNT_OF(co_argcount, c->npos)
COUNT_OF(co_posonlyargcount, c->nposonly)
COUNT_OF(co_kwonlyargcount, c->nkwonly)
/* CO_OPTIMIZED | CO_NEWLOCALS, CO_VARARGS, CO_VARKEYWORDS, CO_GENERATOR */
COUNT_OF(co_flags,
         3 | (c->has_star ? 4 : 0) | (c->has_dstar ? 8 : 0) | (c->is_generator ? 32 : 0))

static bool push_name(Vm *vm, List *l, const char *s)
{
    Value v = v_obj(sc_str(vm, s));
    bool ok = v.tag != T_NIL && sc_list_push(vm, l, v);

    sc_drop(vm, v);
    return ok;
}

static bool is_param(const ByteCode *c, uint32_t nparams, const char *s)
{
    for (uint32_t i = 0; i < nparams; i++)
        if (strcmp(c->param_names[i]->s, s) == 0)
            return true;
    return false;
}

/* Parameters first, as CPython has them. */
static Value co_varnames(Vm *vm, Value self)
{
    const ByteCode *c = ((CodeObj *)self.o)->code;
    List *l = sc_list(vm, 0);
    uint32_t n;
    bool ok = l != NULL;
    Value r;

    ok = ok && (!c || sc_code_load(c));
    if (ok && c && c->is_func) {
        n = c->npos + c->nkwonly + c->has_star + c->has_dstar;
        for (uint32_t i = 0; ok && i < n; i++)
            ok = push_name(vm, l, c->param_names[i]->s);
        for (uint32_t i = 0; ok && i < c->nlocals; i++)
            if (c->local_names[i] && c->local_names[i][0] != '.' &&
                !is_param(c, n, c->local_names[i]))
                ok = push_name(vm, l, c->local_names[i]);
    }
    r = ok ? v_obj(sc_tuple_of(vm, l->v, (uint32_t)l->n)) : NIL;
    if (l)
        obj_drop(vm, l);
    return r;
}

/* Names of globals and attributes, as they come first. */
static Value co_names(Vm *vm, Value self)
{
    const ByteCode *c = ((CodeObj *)self.o)->code;
    List *l = sc_list(vm, 0);
    bool ok = l != NULL && (!c || sc_code_load(c));
    Value r;

    for (uint32_t i = 0; ok && c && i < c->ncaches; i++) {
        bool known = false;

        for (int64_t k = 0; k < l->n && !known; k++)
            known = !strcmp(((Str *)l->v[k].o)->s, c->caches[i].name->s);
        ok = known || push_name(vm, l, c->caches[i].name->s);
    }
    r = ok ? v_obj(sc_tuple_of(vm, l->v, (uint32_t)l->n)) : NIL;
    if (l)
        obj_drop(vm, l);
    return r;
}

static Value co_nlocals(Vm *vm, Value self)
{
    Value t = co_varnames(vm, self);
    int64_t n = t.tag == T_NIL ? 0 : ((Tuple *)t.o)->n;

    sc_drop(vm, t);
    return t.tag == T_NIL ? NIL : v_int(n);
}

static const PropertyDef code_properties[] = {
    {"co_name", co_name, NULL},
    {"co_qualname", co_qualname, NULL},
    {"co_filename", co_filename, NULL},
    {"co_firstlineno", co_firstlineno, NULL},
    {"co_argcount", co_argcount, NULL},
    {"co_posonlyargcount", co_posonlyargcount, NULL},
    {"co_kwonlyargcount", co_kwonlyargcount, NULL},
    {"co_flags", co_flags, NULL},
    {"co_names", co_names, NULL},
    {"co_varnames", co_varnames, NULL},
    {"co_nlocals", co_nlocals, NULL},
    {0}};

static const ClassDef code_def = {
    .name = "code",
    .size = sizeof(CodeObj),
    .sealed = true,
    .destroy = code_destroy,
    .repr = code_repr,
    .hash = code_hash,
    .compare = code_compare,
    .properties = code_properties,
};

/* ---- frames ------------------------------------------------------------------------ */

static const ClassDef frame_def = {.name = "frame"};

static bool set_owned(Vm *vm, Value o, const char *name, Value owned)
{
    bool ok = owned.tag != T_NIL && o.tag != T_NIL && sc_setattr_s(vm, o, name, owned);

    sc_drop(vm, owned);
    return ok;
}

static Value frame_with(Vm *vm, Value code, Value globals, Value locals, int64_t line,
                        Value back)
{
    Value f = sc_new_instance(vm, vm->cls[C_frame]);
    bool ok = f.tag != T_NIL;

    /* all are set, or dropped, whatever fails first */
    ok = set_owned(vm, f, "f_code", code) && ok;
    ok = set_owned(vm, f, "f_globals", globals) && ok;
    ok = set_owned(vm, f, "f_locals", locals) && ok;
    ok = set_owned(vm, f, "f_lineno", v_int(line)) && ok;
    ok = set_owned(vm, f, "f_back", back) && ok;
    if (ok)
        return f;
    sc_drop(vm, f);
    return NIL;
}

static int64_t line_of(const VmFrame *f)
{
    return f->pc && f->pc > f->code->ins ? sc_code_line(f->code, (uint32_t)(f->pc - f->code->ins) - 1) : 0;
}

/* The variables of a frame that are set: those of a function in a new dict. */
Value sc_frame_locals(Vm *vm, const VmFrame *f)
{
    Dict *d;

    if (!f->code->is_func)
        return v_obj(gc_ref(f->ns ? f->ns : f->module->attrs));
    d = sc_dict(vm);
    for (uint32_t i = 0; d && i < f->code->nlocals; i++) {
        const char *name = f->code->local_names[i];
        Value v = f->regs[i];
        Str *s;
        bool ok;

        if (sc_is_exact(vm, v, C_cell))
            v = ((Cell *)v.o)->v;
        if (!name || v.tag == T_NIL)
            continue;
        s = sc_intern(vm, name, strlen(name));
        ok = s && sc_dict_put_str(vm, d, s, v);
        if (s)
            obj_drop(vm, s);
        if (!ok) {
            obj_drop(vm, d);
            return NIL;
        }
    }
    return v_obj(d);
}

/* Those behind it too. Variables are held by the first few alone, so that asking keeps little alive. */
static Value frame_of(Vm *vm, const VmFrame *f, int locals)
{
    Value back;

    if (!f)
        return NONE;
    if (!sc_enter(vm))
        return NIL;
    back = frame_of(vm, f->back, locals - 1);
    sc_leave(vm);
    if (back.tag == T_NIL)
        return NIL;
    return frame_with(
        vm, v_obj(code_of(vm, f->code->unit, f->code)), v_obj(gc_ref(f->module->attrs)),
        locals > 0 ? sc_frame_locals(vm, f) : v_obj(sc_dict(vm)), line_of(f), back);
}

Value sc_frame_object(Vm *vm, int64_t depth)
{
    const VmFrame *f = vm->frame;

    for (; f && depth > 0; depth--)
        f = f->back;
    return f ? frame_of(vm, f, 3)
             : sc_raise(vm, C_ValueError, "call stack is not deep enough");
}

/* Of a place that an exception passed, whose frame may be gone */
Value sc_frame_passed(Vm *vm, const CallPlace *p)
{
    return frame_with(
        vm, v_obj(code_new(vm, p->name ? p->name->s : "<module>", p->file, p->line)),
        v_obj(sc_dict(vm)), v_obj(sc_dict(vm)), p->line, NONE);
}

/* ---- compile, exec, eval ----------------------------------------------------------- */

static Str *source_of(Vm *vm, Value v)
{
    const uint8_t *p;
    int64_t n;

    if (is_str(v))
        return obj_ref(as_str(v));
    if (sc_bytes_view(vm, v, &p, &n))
        return sc_str_n(vm, (const char *)p, (size_t)n);
    sc_raise(vm, C_TypeError,
             "the source must be a string, bytes or code object, not '%s'",
             sc_type_name(vm, v));
    return NULL;
}

/* A unit whose values are shown, of one statement: several may share its line. */
static Unit *compiled_shown(Vm *vm, const char *file, const Str *text)
{
    Unit *u = sc_add_show(vm) ? sc_compile_shown(vm, file, text->s, text->n, NULL) : NULL;

    for (uint32_t i = 1; u && i < u->body.n; i++)
        if (u->body.v[i]->line != u->body.v[0]->line) {
            sc_raise(vm, C_SyntaxError, "multiple statements found while compiling a single statement");
            unit_release(u);
            u = NULL;
        }
    return u;
}

static Value compiled(Vm *vm, Value source, const char *file, const char *mode)
{
    bool eval = !strcmp(mode, "eval");
    Str *text = source_of(vm, source);
    Buf b = {.vm = vm};
    const char *s;
    Unit *u;
    CodeObj *c;

    if (!text)
        return NIL;
    if (!sc_may(vm, "compile code")) {
        obj_drop(vm, text);
        return NIL;
    }
    if (eval) {
        for (s = text->s; *s == ' ' || *s == '\t'; s++)
            ;
        buf_str(&b, VALUE_NAME " = (");
        buf_str(&b, s);
        buf_str(&b, "\n)\n");
    }
    u = b.failed ? NULL
        : eval   ? sc_compile_unit(vm, file, b.s, (size_t)b.n)
        : *mode == 's' ? compiled_shown(vm, file, text)
                 : sc_compile_unit(vm, file, text->s, text->n);
    buf_free(&b);
    obj_drop(vm, text);
    if (!u)
        return NIL;
    c = code_of(vm, u, u->code);
    unit_release(u);
    if (c)
        c->eval = eval;
    return v_obj(c);
}

static Value b_compile(Vm *vm, const Args *a)
{
    const char *file = sc_to_cstr(vm, a->v[1], "filename"),
               *mode = file ? sc_to_cstr(vm, a->v[2], "mode") : NULL;

    if (!mode)
        return NIL;
    if (sc_is_exact(vm, a->v[0], C_code))
        return sc_ref(a->v[0]);
    if (a->v[3].tag != T_NIL && !(a->v[3].tag == T_INT && a->v[3].i == 0))
        return sc_raise(vm, C_ValueError, "compile() here has no flags");
    if (strcmp(mode, "exec") && strcmp(mode, "eval") && strcmp(mode, "single"))
        return sc_raise(vm, C_ValueError,
                        "compile() mode must be 'exec', 'eval' or 'single'");
    return compiled(vm, a->v[0], file, mode);
}

/* What code sees that is run with these globals and locals: the dict itself where they are one, else a
 * new one with both, NULL after an error. */
static Dict *seen_by(Vm *vm, Value globals, Value locals, Dict **out_locals)
{
    Value own = NIL;
    Dict *d, *g;

    *out_locals = NULL;
    if (globals.tag != T_NIL && globals.tag != T_NONE && !sc_is(vm, globals, C_dict)) {
        sc_raise(vm, C_TypeError, "globals must be a dict, not %s",
                 sc_type_name(vm, globals));
        return NULL;
    }
    g = sc_is(vm, globals, C_dict) ? (Dict *)globals.o
        : vm->frame                ? vm->frame->module->attrs
                                   : NULL;
    if (locals.tag == T_NIL || locals.tag == T_NONE) {
        if (sc_is(vm, globals, C_dict) || !vm->frame ||
            (!vm->frame->code->is_func && !vm->frame->ns))
            return g ? gc_ref(g) : sc_dict(vm);
        locals = own = sc_frame_locals(vm, vm->frame);
    }
    if (locals.tag == T_OBJ && locals.o == (Obj *)g) {
        sc_drop(vm, own);
        return gc_ref(g);
    }
    d = locals.tag == T_NIL ? NULL : sc_dict(vm);
    if (d &&
        ((g && !sc_dict_update(vm, d, v_obj(g))) || !sc_dict_update(vm, d, locals))) {
        obj_drop(vm, d);
        d = NULL;
    }
    if (d && sc_is(vm, locals, C_dict))
        *out_locals = gc_ref((Dict *)locals.o);
    sc_drop(vm, own);
    return d;
}

/* Names that a run with locals of their own set go there, as those of a class's body do. */
static bool keep_locals(Vm *vm, Dict *before, Dict *after, Dict *locals)
{
    for (uint32_t i = 0; i < after->n; i++) {
        const DictEntry *e = &after->e[i];
        Value *was;

        if (e->key.tag == T_NIL)
            continue;
        was = sc_dict_find(vm, before, e->key);
        if ((!was || was->tag != e->val.tag || was->i != e->val.i) &&
            (!is_str(e->key) || strcmp(as_str(e->key)->s, VALUE_NAME)) &&
            !sc_dict_put(vm, locals, e->key, e->val))
            return false;
    }
    return true;
}

/* A module whose globals are the dict, which keeps the __name__ it has, or none. */
static ScModule *module_over(Vm *vm, Dict *d)
{
    Value *name = sc_dict_find_str(d, vm->known[S_name]);
    ScModule *m = sc_module(vm, name && is_str(*name) ? as_str(*name)->s : "builtins", d);

    if (m && !name && sc_dict_remove(vm, d, v_obj(vm->known[S_name])) < 0) {
        obj_drop(vm, m);
        return NULL;
    }
    return m;
}

static Value run_code(Vm *vm, CodeObj *c, Value globals, Value locals)
{
    Dict *out = NULL, *d = sc_may(vm, "run code") ? seen_by(vm, globals, locals, &out) : NULL, *before = NULL;
    ScModule *m = NULL;
    Value r = NIL, *at;
    Str *name;

    if (d && out && !(before = sc_dict_copy(vm, d, vm->cls[C_dict])))
        goto done;
    if (d && vm->frame && d == vm->frame->module->attrs)
        m = gc_ref(vm->frame->module);
    else if (d)
        m = module_over(vm, d);
    if (m)
        r = sc_run_unit(vm, c->unit, m);
    if (r.tag != T_NIL && before && !keep_locals(vm, before, d, out)) {
        sc_drop(vm, r);
        r = NIL;
    }
    if (r.tag != T_NIL && c->eval) {
        name = sc_intern(vm, VALUE_NAME, strlen(VALUE_NAME));
        at = name ? sc_dict_find_str(d, name) : NULL;
        sc_drop(vm, r);
        r = at ? sc_ref(*at) : NIL;
        if (name && sc_dict_remove(vm, d, v_obj(name)) < 0) {
            sc_drop(vm, r);
            r = NIL;
        }
        if (name)
            obj_drop(vm, name);
    }
done:
    if (m)
        obj_drop(vm, m);
    if (before)
        obj_drop(vm, before);
    if (out)
        obj_drop(vm, out);
    if (d)
        obj_drop(vm, d);
    return r;
}

static Value run_any(Vm *vm, const Args *a, bool eval)
{
    Value c = sc_is_exact(vm, a->v[0], C_code) ? sc_ref(a->v[0])
                                               : compiled(vm, a->v[0], "<string>", eval ? "eval" : "exec");
    Value r = NIL;

    if (c.tag == T_NIL)
        return NIL;
    if (((CodeObj *)c.o)->unit && !((CodeObj *)c.o)->code->is_func)
        r = run_code(vm, (CodeObj *)c.o, a->v[1], a->v[2]);
    else
        sc_raise(vm, C_TypeError, "the code of a function cannot be run by itself");
    if (r.tag != T_NIL && (!eval || !((CodeObj *)c.o)->eval)) {
        sc_drop(vm, r);
        r = NONE;
    }
    sc_drop(vm, c);
    return r;
}

static Value b_exec(Vm *vm, const Args *a) { return run_any(vm, a, false); }
static Value b_eval(Vm *vm, const Args *a) { return run_any(vm, a, true); }

/* ---- annotations ------------------------------------------------------------------- */

/* The length of an annotation: up to one of the characters that end it. */
static size_t annotation_size(const char *s, const char *end, const char *ends)
{
    const char *at = s;
    int depth = 0;

    for (; at < end; at++) {
        if (*at == '"' || *at == '\'') {
            char q = *at++;

            while (at < end && *at != q)
                at += *at == '\\' ? 2 : 1;
        } else if (strchr("([{", *at)) {
            depth++;
        } else if (depth == 0 && strchr(ends, *at)) {
            break;
        } else if (strchr(")]}", *at)) {
            depth--;
        }
    }
    while (at > s && (at[-1] == ' ' || at[-1] == '\n'))
        at--;
    return at < end ? (size_t)(at - s) : (size_t)(end - s);
}

const char *sc_annotation_text(const Unit *u, const Ast *at, const char *ends, size_t *out_n)
{
    const char *s = u->text, *end = s + u->size;

    for (uint32_t line = 1; line < at->line && s; line++)
        if ((s = memchr(s, '\n', (size_t)(end - s))))
            s++;
    *out_n = 0;
    if (!s)
        return "";
    s += at->col - 1;
    *out_n = annotation_size(s, end, ends);
    return s;
}

/* Its value in the function's module; its text where that is what the file asks for, or where it names
 * what is not there (yet). */
static Value annotation(Vm *vm, Function *f, const Ast *at, bool as_text)
{
    size_t n;
    const char *s = sc_annotation_text(f->unit, at, ",=):", &n);
    Value text = v_obj(sc_str_n(vm, s, n)), code, r = NIL;

    if (as_text || text.tag == T_NIL)
        return text;
    code = compiled(vm, text, "<annotation>", "eval");
    if (code.tag != T_NIL)
        r = run_code(vm, (CodeObj *)code.o, v_obj(f->module->attrs), NIL);
    sc_drop(vm, code);
    if (r.tag == T_NIL) {
        sc_clear_exc(vm);
        return text;
    }
    sc_drop(vm, text);
    return r;
}

/* As they are asked for: functions are made far more often than looked at. */
Value sc_annotations_of(Vm *vm, Function *f)
{
    const FuncDef *def = f->code->def; /* of what is packed nobody asks: it is hidden */
    uint32_t npos = f->code->npos;
    Dict *d = sc_dict(vm);
    bool ok = d != NULL,
         as_text = f->unit && f->unit->text_annotations;

    for (uint32_t k = 0; ok && def && k <= def->nparams; k++) {
        /* CPython's order: parameters that have a keyword, then those before the /, then the others */
        uint32_t i = k < npos - def->nposonly ? k + def->nposonly
                     : k < npos               ? k - (npos - def->nposonly)
                                              : k;
        const Ast *at = i < def->nparams ? def->params[i].ann : def->returns;
        const char *name = i < def->nparams ? def->params[i].name : "return";
        Str *key;
        Value v;

        if (!at || f->unit->hidden)
            continue;
        key = sc_intern(vm, name, strlen(name));
        v = key ? annotation(vm, f, at, as_text) : NIL;
        ok = v.tag != T_NIL && sc_dict_put_str(vm, d, key, v);
        sc_drop(vm, v);
        if (key)
            obj_drop(vm, key);
    }
    if (ok && (f->attrs || (f->attrs = sc_dict(vm))) &&
        sc_dict_put_str(vm, f->attrs, vm->known[S_annotations], v_obj(d)))
        return v_obj(d);
    if (d)
        obj_drop(vm, d);
    return NIL;
}

bool sc_open_code(Vm *vm)
{
    static const NativeDef defs[] = {
        {"compile", b_compile, "source,filename,mode|flags,dont_inherit"},
        {"exec", b_exec, "source|globals,locals"},
        {"eval", b_eval, "source|globals,locals"},
        {0}};
    Value name;
    bool ok;

    vm->cls[C_code] = sc_class_native(vm, &code_def, NULL);
    vm->cls[C_frame] = sc_class_native(vm, &frame_def, NULL);
    name = v_obj(sc_intern(vm, "builtins",
                           8)); /* code whose globals have no __name__ finds this one */
    ok = vm->cls[C_code] && vm->cls[C_frame] && sc_add_builtins(vm, defs) &&
         name.tag != T_NIL && sc_dict_put_str(vm, vm->builtins, vm->known[S_name], name);
    sc_drop(vm, name);
    return ok;
}
