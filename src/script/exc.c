/* exc.c -- exceptions: raising, the places they passed, and how they are reported.
 *
 * The pending exception is vm->exc. While it leaves frames, each adds its place; the
 * report is the innermost place with its line and a note for each call around it. Frames
 * of modules of the language itself are left out.
 */
#include "ast.h"

#include <errno.h>
#include <stdio.h>

/* ---- raising ----------------------------------------------------------------------- */

static Exc *exc_new(Vm *vm, Class *c, Value arg)
{
    Exc *e = sc_gc_new(vm, c, c->d.size);
    Tuple *t;

    if (!e)
        return NULL;
    t = sc_tuple(vm, arg.tag != T_NIL);
    if (!t) {
        obj_drop(vm, e);
        return NULL;
    }
    if (arg.tag != T_NIL)
        t->v[0] = sc_ref(arg);
    e->args = v_obj(t);
    return e;
}

/* What is being handled stays known as the context of what is raised meanwhile. A chain that
 * leads back to the new one is cut there, as raising it again would close a circle. A circle that
 * the program made itself is left at the second turn: `slow` goes half as fast, and is met. */
static void note_context(Vm *vm, Exc *e)
{
    Exc *h = (Exc *)vm->handled.o, *at, *slow = h;
    bool odd = false;

    if (vm->handled.tag != T_OBJ || h == e || e->context.tag != T_NIL)
        return;
    for (at = h; at->context.tag == T_OBJ; odd = !odd) {
        if ((Exc *)at->context.o == e) {
            sc_put(vm, &at->context, NIL);
            break;
        }
        at = (Exc *)at->context.o;
        if (odd)
            slow = (Exc *)slow->context.o;
        if (at == slow)
            break;
    }
    e->context = sc_ref(vm->handled);
}

static void set_pending(Vm *vm, Value exc)
{
    Value old = vm->exc;

    vm->exc = exc;
    sc_drop(vm, old);
}

Value sc_raise_memory(Vm *vm)
{
    if (vm->memory_error) {
        for (uint32_t i = 0; i < vm->memory_error->ntrace; i++)
            if (vm->memory_error->trace[i].name)
                obj_drop(vm, vm->memory_error->trace[i].name);
        vm->memory_error->ntrace = 0;
        set_pending(vm, v_obj(vm->memory_error));
        vm->memory_error->h.h.h.refs++;
    }
    return NIL;
}

Value sc_raise_value(Vm *vm, KnownClass k, Value arg)
{
    Exc *e = exc_new(vm, vm->cls[k], arg);

    if (e) {
        note_context(vm, e);
        set_pending(vm, v_obj(e));
    }
    return NIL;
}

static void vraise(Vm *vm, KnownClass k, const char *fmt, va_list ap)
{
    char text[600];
    Value s;

    vsnprintf(text, sizeof text, fmt, ap);
    s = v_obj(sc_str(vm, text));
    if (s.tag == T_NIL)
        return;
    sc_raise_value(vm, k, s);
    sc_drop(vm, s);
}

Value sc_raise(Vm *vm, KnownClass k, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    vraise(vm, k, fmt, ap);
    va_end(ap);
    return NIL;
}

/* A guess at what was meant, which reports add to the message of the pending exception. */
bool sc_hint(Vm *vm, const char *before, const char *hint)
{
    Value s = hint && vm->exc.tag == T_OBJ ? sc_strf(vm, "%s'%s'?", before, hint) : NIL;

    if (s.tag == T_OBJ)
        sc_put(vm, &((Exc *)vm->exc.o)->hint, s);
    return false;
}

bool sc_fail(Vm *vm, KnownClass k, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    vraise(vm, k, fmt, ap);
    va_end(ap);
    return false;
}

static KnownClass class_of_status(wf_status s)
{
    switch (s) {
    case WF_ERR_SYNTAX: return C_SyntaxError;
    case WF_ERR_NAME: return C_NameError;
    case WF_ERR_TYPE: return C_TypeError;
    case WF_ERR_VALUE:
    case WF_ERR_ARG:
    case WF_ERR_FORMAT: return C_ValueError;
    case WF_ERR_INDEX: return C_IndexError;
    case WF_ERR_ASSERT: return C_AssertionError;
    case WF_ERR_MEMORY: return C_MemoryError;
    case WF_ERR_IO: return C_OSError;
    case WF_ERR_CANCELLED: return C_KeyboardInterrupt;
    case WF_ERR_UNSUPPORTED: return C_NotImplementedError;
    default: return C_RuntimeError;
    }
}

void sc_place_first(Vm *vm, Place at)
{
    Exc *e = (Exc *)vm->exc.o;
    int64_t cap = 0;

    if (!at.file || !at.line || vm->exc.tag != T_OBJ || e->ntrace)
        return;
    for (const Unit *u = vm->units; u; u = u->next)
        if (!u->hidden && strcmp(u->file, at.file) == 0) {
            Value pending = vm->exc;

            vm->exc = NIL;
            if (sc_grow(vm, &e->trace, &cap, 1, sizeof *e->trace)) {
                e->captrace = (uint32_t)cap;
                e->trace[e->ntrace++] = (CallPlace){u->file, at.line, at.col, at.len, NULL};
            } else {
                sc_clear_exc(vm);
            }
            vm->exc = pending;
            return;
        }
}

Value sc_raise_ctx(Vm *vm)
{
    wf_ctx *cx = vm->cx;
    KnownClass k = class_of_status(cx->status);
    Place at = cx->status == WF_ERR_NORULE ? cx->error.place : NOWHERE;
    char text[600], file[512];

    snprintf(text, sizeof text, "%s", cx->error.text ? cx->error.text : "");
    snprintf(file, sizeof file, "%s", at.file ? at.file : "");
    wf_clear(cx);
    if (k == C_MemoryError && !*text)
        return sc_raise_memory(vm);
    if (k == C_MemoryError) /* a device says how much */
        k = C_OutOfMemoryError;
    sc_raise(vm, k, "%s", text);
    at.file = file[0] ? file : NULL;
    sc_place_first(vm, at);
    return NIL;
}

bool sc_set_exc(Vm *vm, Value v, Value cause)
{
    Args none = {0};

    if (sc_is_class(v) && ((Class *)v.o)->is_exc) {
        v = sc_call_class(vm, (Class *)v.o, &none);
        if (v.tag == T_NIL)
            return false;
    } else {
        sc_ref(v);
    }
    if (!(v.tag == T_OBJ && v.o->cls->is_exc)) {
        sc_drop(vm, v);
        return sc_fail(vm, C_TypeError, "exceptions must derive from BaseException");
    }
    if (sc_is_class(cause) && ((Class *)cause.o)->is_exc) {
        Value made = sc_call_class(vm, (Class *)cause.o, &none);

        if (made.tag == T_NIL) {
            sc_drop(vm, v);
            return false;
        }
        sc_put(vm, &((Exc *)v.o)->cause, made);
    } else if (cause.tag != T_NIL && cause.tag != T_NONE && !(cause.tag == T_OBJ && cause.o->cls->is_exc)) {
        sc_drop(vm, v);
        return sc_fail(vm, C_TypeError, "exception causes must derive from BaseException");
    } else if (cause.tag != T_NIL) {
        sc_put(vm, &((Exc *)v.o)->cause, sc_ref(cause));
    }
    note_context(vm, (Exc *)v.o);
    set_pending(vm, v);
    return true;
}

Value sc_take_exc(Vm *vm)
{
    Value e = vm->exc;

    vm->exc = NIL;
    return e;
}

bool sc_interrupt(Vm *vm)
{
    if (!vm->opt.stay_cancelled)
        __atomic_store_n(&vm->cx->cancelled, 0, __ATOMIC_RELAXED);
    sc_raise(vm, C_KeyboardInterrupt, "%s", "");
    return true;
}

void sc_clear_exc(Vm *vm) { set_pending(vm, NIL); }

bool sc_exc_is(Vm *vm, KnownClass k)
{
    return vm->exc.tag == T_OBJ && sc_is_subclass(vm->exc.o->cls, vm->cls[k]);
}

/* ---- places ------------------------------------------------------------------------ */

void sc_trace_add(Vm *vm, Exc *e, const VmFrame *f)
{
    int64_t cap = e->captrace;
    const CodePos *p;
    Value pending = vm->exc;

    if (f->code->unit->hidden || e->ntrace >= 5000)
        return;
    p = &f->code->pos[f->pc - f->code->ins - 1];
    if (cap == e->ntrace) {
        vm->exc = NIL; /* a failure to note the place must not hide the exception */
        if (!sc_grow(vm, &e->trace, &cap, cap + 1, sizeof *e->trace)) {
            sc_clear_exc(vm);
            vm->exc = pending;
            return;
        }
        vm->exc = pending;
        e->captrace = (uint32_t)cap;
    }
    e->trace[e->ntrace++] =
        (CallPlace){f->code->unit->file, p->line, p->col, p->len,
                f->code->is_func || f->code->is_class ? obj_ref(f->code->name) : NULL};
}

/* ---- the classes ------------------------------------------------------------------- */

/* name, path, filename ..: kept among the exception's own attributes */
static bool set_own(Vm *vm, Exc *e, const char *name, Value v)
{
    Str *s = sc_intern(vm, name, strlen(name));
    bool ok = s && (e->h.attrs || (e->h.attrs = sc_dict(vm))) &&
              sc_dict_put_str(vm, e->h.attrs, s, v);

    if (s)
        obj_drop(vm, s);
    return ok;
}

Value sc_exc_name(Vm *vm, Str *name)
{
    Value e = sc_take_exc(vm);

    if (e.tag == T_OBJ && !set_own(vm, (Exc *)e.o, "name", v_obj(name)))
        sc_clear_exc(vm);
    vm->exc = e;
    return NIL;
}

static bool takes_keywords(Vm *vm, const Class *c)
{
    return sc_is_subclass(c, vm->cls[C_ImportError]) || sc_is_subclass(c, vm->cls[C_NameError]) ||
           sc_is_subclass(c, vm->cls[C_AttributeError]);
}

/* OSError(ENOENT, ..) is a FileNotFoundError. */
static KnownClass class_of_errno(int e)
{
    return e == ENOENT                     ? C_FileNotFoundError
           : e == EEXIST                   ? C_FileExistsError
           : e == EACCES || e == EPERM     ? C_PermissionError
           : e == EISDIR                   ? C_IsADirectoryError
           : e == ENOTDIR                  ? C_NotADirectoryError
                                           : C_OSError;
}

Value sc_new_given(Vm *vm, Class *c, const Args *a)
{
    Value self = sc_new_instance(vm, c);
    Tuple *t;

    if (self.tag == T_NIL || !c->script || sc_is_subclass(c, vm->cls[C_OSError]) || !sc_is_subclass(c, vm->cls[C_BaseException]))
        return self;
    if (!(t = sc_tuple_of(vm, a->v, a->n))) {
        sc_drop(vm, self);
        return NIL;
    }
    sc_put(vm, &((Exc *)self.o)->args, v_obj(t));
    return self;
}

static bool exc_init(Vm *vm, Value self, const Args *a)
{
    Exc *e = (Exc *)self.o;
    Tuple *t;
    bool is_os = sc_is_subclass(self.o->cls, vm->cls[C_OSError]);

    if (a->nkw && !takes_keywords(vm, self.o->cls))
        return sc_fail(vm, C_TypeError, "%s() takes no keyword arguments",
                       self.o->cls->name->s);
    for (int i = 0; i < a->nkw; i++)
        if (!set_own(vm, e, as_str(a->names[i])->s, a->v[a->n + i]))
            return false;
    t = sc_tuple_of(vm, a->v, is_os && a->n > 2 ? 2 : a->n);
    if (!t)
        return false;
    sc_put(vm, &e->args, v_obj(t));
    if (self.o->cls == vm->cls[C_OSError] && t->n == 2 && t->v[0].tag == T_INT)
        self.o->cls = vm->cls[class_of_errno((int)t->v[0].i)];
    return !is_os || a->n < 3 || set_own(vm, e, "filename", a->v[2]);
}

static void exc_destroy(Vm *vm, Obj *o)
{
    Exc *e = (Exc *)o;

    for (uint32_t i = 0; i < e->ntrace; i++)
        if (e->trace[i].name)
            obj_drop(vm, e->trace[i].name);
    sc_free(vm, e->trace, e->captrace * sizeof *e->trace);
    e->trace = NULL;
    e->ntrace = e->captrace = 0;
    sc_put(vm, &e->args, NIL);
    sc_put(vm, &e->cause, NIL);
    sc_put(vm, &e->context, NIL);
    sc_put(vm, &e->hint, NIL);
    if (e->h.attrs) {
        Dict *d = e->h.attrs;

        e->h.attrs = NULL;
        obj_drop(vm, d);
    }
}

static void exc_visit(Obj *o, VisitFn fn, void *user)
{
    Exc *e = (Exc *)o;

    fn(e->args, user);
    fn(e->cause, user);
    fn(e->context, user);
    if (e->h.attrs)
        fn(v_obj(e->h.attrs), user);
}

static Value get_own(Vm *vm, const Exc *e, const char *name)
{
    Str *s = sc_intern(vm, name, strlen(name));
    Value *v = s && e->h.attrs ? sc_dict_find_str(e->h.attrs, s) : NULL;

    if (s)
        obj_drop(vm, s);
    return s ? v ? sc_ref(*v) : NONE : NIL;
}

/* What SyntaxError(msg, (filename, lineno, offset, text, ..)) says, unless it was set: its message for i -1, else where */
static Value syntax_field(Vm *vm, Value self, const char *name, int i)
{
    Value own = get_own(vm, (Exc *)self.o, name);
    const Tuple *t = (Tuple *)((Exc *)self.o)->args.o, *at;

    if (own.tag != T_NONE || !t)
        return own;
    at = t->n == 2 && sc_is(vm, t->v[1], C_tuple) ? (Tuple *)t->v[1].o : NULL;
    return i < 0 ? (t->n ? sc_ref(t->v[0]) : NONE) : at && i < at->n ? sc_ref(at->v[i]) : NONE;
}

/* "msg (file.py, line 3)", of what is known of the place */
static Value syntax_str(Vm *vm, Value self)
{
    Value msg = syntax_field(vm, self, "msg", -1), file = syntax_field(vm, self, "filename", 0),
          line = syntax_field(vm, self, "lineno", 1);
    const char *name = is_str(file) ? as_str(file)->s : NULL, *slash = name ? strrchr(name, '/') : NULL;
    Buf b = {.vm = vm};

    buf_value(&b, msg, false);
    if (name || line.tag == T_INT)
        buf_str(&b, " (");
    if (name)
        buf_str(&b, slash ? slash + 1 : name);
    if (line.tag == T_INT) {
        buf_str(&b, name ? ", line " : "line ");
        buf_value(&b, line, false);
    }
    if (name || line.tag == T_INT)
        buf_str(&b, ")");
    sc_drop(vm, msg);
    sc_drop(vm, file);
    sc_drop(vm, line);
    return buf_done(&b);
}

static Value exc_str(Vm *vm, Value self)
{
    Exc *e = (Exc *)self.o;
    Tuple *t = e->args.tag == T_OBJ ? (Tuple *)e->args.o : NULL;
    Value name;

    if (sc_is_subclass(self.o->cls, vm->cls[C_SyntaxError]))
        return syntax_str(vm, self);
    if (!t || t->n == 0)
        return v_obj(obj_ref(vm->empty_str));
    if (t->n == 1)
        return sc_is_subclass(self.o->cls, vm->cls[C_KeyError]) ? sc_repr(vm, t->v[0])
                                                               : sc_to_str(vm, t->v[0]);
    if (t->n == 2 && sc_is_subclass(self.o->cls, vm->cls[C_OSError])) {
        Buf b = {.vm = vm};

        buf_str(&b, "[Errno ");
        buf_value(&b, t->v[0], false);
        buf_str(&b, "] ");
        buf_value(&b, t->v[1], false);
        name = get_own(vm, e, "filename");
        if (name.tag != T_NONE) {
            buf_str(&b, ": ");
            buf_value(&b, name, true);
        }
        sc_drop(vm, name);
        return buf_done(&b);
    }
    return sc_repr(vm, e->args);
}

/* What a report says of it, which shows the place of a syntax error itself */
static Value report_text(Vm *vm, Exc *e)
{
    Value msg, text;

    if (!sc_is_subclass(e->h.h.h.cls, vm->cls[C_SyntaxError]))
        return sc_to_str(vm, v_obj(e));
    msg = syntax_field(vm, v_obj(e), "msg", -1);
    text = sc_to_str(vm, msg);
    sc_drop(vm, msg);
    return text;
}

static Value exc_repr(Vm *vm, Value self)
{
    Exc *e = (Exc *)self.o;
    Tuple *t = (Tuple *)e->args.o;
    Buf b = {.vm = vm};

    buf_str(&b, self.o->cls->name->s);
    if (t && t->n == 1) {
        buf_char(&b, '(');
        buf_value(&b, t->v[0], true);
        buf_char(&b, ')');
    } else if (t) {
        buf_value(&b, e->args, true);
    }
    return buf_done(&b);
}

static Value get_args(Vm *vm, Value self)
{
    (void)vm;
    return sc_ref(((Exc *)self.o)->args);
}

static bool set_args(Vm *vm, Value self, Value v)
{
    Tuple *t = sc_tuple_from(vm, v);

    if (!t)
        return false;
    sc_put(vm, &((Exc *)self.o)->args, v_obj(t));
    return true;
}

static Value get_cause(Vm *vm, Value self)
{
    Value c = ((Exc *)self.o)->cause;

    (void)vm;
    return c.tag == T_NIL ? NONE : sc_ref(c);
}

/* Is v what may stand in a chain: an exception, or None? */
static bool may_chain(Vm *vm, Value v, const char *what)
{
    return v.tag == T_NONE || (v.tag == T_OBJ && v.o->cls->is_exc) ||
           sc_fail(vm, C_TypeError,
                   v.tag == T_NIL ? "%s may not be deleted" : "exception %s must be None or derive from BaseException",
                   v.tag == T_NIL ? (*what == 'c' && what[1] == 'a' ? "__cause__" : "__context__") : what);
}

static bool set_cause(Vm *vm, Value self, Value v)
{
    if (!may_chain(vm, v, "cause"))
        return false;
    sc_put(vm, &((Exc *)self.o)->cause, sc_ref(v));
    return true;
}

static Value get_value(Vm *vm, Value self)
{
    Tuple *t = (Tuple *)((Exc *)self.o)->args.o;

    (void)vm;
    return t && t->n ? sc_ref(t->v[0]) : NONE;
}

static Value get_context(Vm *vm, Value self)
{
    Value c = ((Exc *)self.o)->context;

    (void)vm;
    return c.tag == T_NIL ? NONE : sc_ref(c);
}

static bool set_context(Vm *vm, Value self, Value v)
{
    if (!may_chain(vm, v, "context"))
        return false;
    sc_put(vm, &((Exc *)self.o)->context, v.tag == T_NONE ? NIL : sc_ref(v));
    return true;
}

static Value get_suppress(Vm *vm, Value self)
{
    (void)vm;
    return v_bool(((Exc *)self.o)->cause.tag != T_NIL);
}

static bool set_suppress(Vm *vm, Value self, Value v)
{
    bool on;

    if (!sc_to_bool(vm, v, &on))
        return false;
    if (on && ((Exc *)self.o)->cause.tag == T_NIL)
        ((Exc *)self.o)->cause = NONE;
    return true;
}

static Value get_name(Vm *vm, Value self) { return get_own(vm, (Exc *)self.o, "name"); }
static bool set_name(Vm *vm, Value self, Value v) { return set_own(vm, (Exc *)self.o, "name", v); }
static Value get_filename(Vm *vm, Value self) { return get_own(vm, (Exc *)self.o, "filename"); }
static bool set_filename(Vm *vm, Value self, Value v)
{
    return set_own(vm, (Exc *)self.o, "filename", v);
}

#define SYNTAX_FIELD(name, i)                                                                                      \
    static Value get_syntax_##name(Vm *vm, Value self) { return syntax_field(vm, self, #name, i); }                \
    static bool set_syntax_##name(Vm *vm, Value self, Value v) { return set_own(vm, (Exc *)self.o, #name, v); }
SYNTAX_FIELD(msg, -1)
SYNTAX_FIELD(filename, 0)
SYNTAX_FIELD(lineno, 1)
SYNTAX_FIELD(offset, 2)
SYNTAX_FIELD(text, 3)

static Value os_arg(Value self, int i)
{
    Tuple *t = (Tuple *)((Exc *)self.o)->args.o;

    return t && t->n == 2 ? sc_ref(t->v[i]) : NONE;
}

static Value get_errno(Vm *vm, Value self)
{
    (void)vm;
    return os_arg(self, 0);
}

static Value get_strerror(Vm *vm, Value self)
{
    (void)vm;
    return os_arg(self, 1);
}

/* A traceback object for each of the n outermost places, each with the next inner one. */
static Value traceback_of(Vm *vm, const Exc *e, uint32_t n)
{
    Value next = NONE, tb, frame;
    bool ok = true;

    for (uint32_t i = 0; i < n && ok; i++) {
        tb = sc_new_instance(vm, vm->cls[C_traceback]);
        frame = sc_frame_passed(vm, &e->trace[i]);
        ok = tb.tag != T_NIL && frame.tag != T_NIL && sc_setattr_s(vm, tb, "tb_next", next) &&
             sc_setattr_s(vm, tb, "tb_frame", frame) && sc_setattr_s(vm, tb, "tb_lineno", v_int(e->trace[i].line));
        sc_drop(vm, frame);
        sc_drop(vm, next);
        next = tb;
    }
    if (ok)
        return next;
    sc_drop(vm, next);
    return NIL;
}

/* The places it has passed, outermost first, as a list in _places: (file, line, function). */
static Value get_traceback(Vm *vm, Value self)
{
    Exc *e = (Exc *)self.o;
    Value tb, v[3], t;
    List *l;
    bool ok = true;

    if (!e->ntrace)
        return NONE;
    l = sc_list(vm, 0);
    for (uint32_t i = e->ntrace; l && ok && i-- > 0;) {
        const CallPlace *p = &e->trace[i];

        v[0] = v_obj(sc_str(vm, p->file));
        v[1] = v_int(p->line);
        v[2] = p->name ? v_obj(obj_ref(p->name)) : v_obj(sc_str(vm, "<module>"));
        t = v[0].tag == T_NIL || v[2].tag == T_NIL ? NIL : v_obj(sc_tuple_of(vm, v, 3));
        ok = t.tag != T_NIL && sc_list_push(vm, l, t);
        sc_drop(vm, v[0]);
        sc_drop(vm, v[2]);
        sc_drop(vm, t);
    }
    tb = ok && l ? traceback_of(vm, e, e->ntrace) : NIL;
    if (tb.tag != T_NIL && !sc_setattr_s(vm, tb, "_places", v_obj(l))) {
        sc_drop(vm, tb);
        tb = NIL;
    }
    if (l)
        obj_drop(vm, l);
    return tb;
}

static bool set_traceback(Vm *vm, Value self, Value v)
{
    (void)vm;
    (void)v;
    (void)self;
    return true; /* the places are those it passed; taking them away frees nothing here */
}

static const ClassDef traceback_def = {.name = "traceback"};

static Value with_traceback(Vm *vm, const Args *a)
{
    (void)vm;
    return sc_ref(a->v[0]);
}

static Value add_note(Vm *vm, const Args *a)
{
    Exc *e = (Exc *)a->v[0].o;
    Value l;

    if (!is_str(a->v[1]))
        return sc_raise(vm, C_TypeError, "note must be a str, not '%s'", sc_type_name(vm, a->v[1]));
    l = get_own(vm, e, "__notes__");
    if (l.tag == T_NONE) {
        l = v_obj(sc_list(vm, 0));
        if (l.tag == T_NIL || !set_own(vm, e, "__notes__", l)) {
            sc_drop(vm, l);
            return NIL;
        }
    }
    if (!sc_is(vm, l, C_list))
        sc_raise(vm, C_TypeError, "Cannot add note: __notes__ is not a list");
    else if (sc_list_push(vm, (List *)l.o, a->v[1])) {
        sc_drop(vm, l);
        return NONE;
    }
    sc_drop(vm, l);
    return NIL;
}

static const NativeDef exc_methods[] = {
    {"add_note", add_note, "self,note"},
    {"with_traceback", with_traceback, "self,tb"},
    {0},
};
static const PropertyDef exc_properties[] = {
    {"args", get_args, set_args},
    {"__cause__", get_cause, set_cause},
    {"__context__", get_context, set_context},
    {"__suppress_context__", get_suppress, set_suppress},
    {"__traceback__", get_traceback, set_traceback},
    {0},
};
static const PropertyDef stop_properties[] = {{"value", get_value, NULL}, {0}};
static const PropertyDef exit_properties[] = {{"code", get_value, NULL}, {0}};
static const PropertyDef name_properties[] = {{"name", get_name, set_name}, {0}};
static const PropertyDef syntax_properties[] = {
    {"msg", get_syntax_msg, set_syntax_msg}, {"filename", get_syntax_filename, set_syntax_filename},
    {"lineno", get_syntax_lineno, set_syntax_lineno}, {"offset", get_syntax_offset, set_syntax_offset},
    {"text", get_syntax_text, set_syntax_text}, {0}};
static const PropertyDef errno_properties[] = {
    {"errno", get_errno, NULL}, {"strerror", get_strerror, NULL},
    {"filename", get_filename, set_filename}, {0}};

static void exc_fresh(Vm *vm, Obj *o) { ((Exc *)o)->args = v_obj(gc_ref(vm->empty_tuple)); }

const ClassDef sc_exc_def = {
    .name = "BaseException", .size = sizeof(Exc), .attrs_at = offsetof(Exc, h.attrs),
    .init = exc_init, .init_params = "*", .fresh = exc_fresh, .destroy = exc_destroy, .visit = exc_visit,
    .str = exc_str, .repr = exc_repr, .properties = exc_properties, .methods = exc_methods,
};

static const struct {
    KnownClass k, base;
    const PropertyDef *properties;
} tree[] = {
    {C_Exception, C_BaseException, NULL},
    {C_KeyboardInterrupt, C_BaseException, NULL},
    {C_SystemExit, C_BaseException, exit_properties},
    {C_GeneratorExit, C_BaseException, NULL},
    {C_ArithmeticError, C_Exception, NULL},
    {C_OverflowError, C_ArithmeticError, NULL},
    {C_ZeroDivisionError, C_ArithmeticError, NULL},
    {C_FloatingPointError, C_ArithmeticError, NULL},
    {C_AssertionError, C_Exception, NULL},
    {C_AttributeError, C_Exception, name_properties},
    {C_BufferError, C_Exception, NULL},
    {C_EOFError, C_Exception, NULL},
    {C_ImportError, C_Exception, name_properties},
    {C_ModuleNotFoundError, C_ImportError, NULL},
    {C_LookupError, C_Exception, NULL},
    {C_IndexError, C_LookupError, NULL},
    {C_KeyError, C_LookupError, NULL},
    {C_MemoryError, C_Exception, NULL},
    {C_NameError, C_Exception, name_properties},
    {C_UnboundLocalError, C_NameError, NULL},
    {C_OSError, C_Exception, errno_properties},
    {C_FileNotFoundError, C_OSError, NULL},
    {C_FileExistsError, C_OSError, NULL},
    {C_PermissionError, C_OSError, NULL},
    {C_IsADirectoryError, C_OSError, NULL},
    {C_NotADirectoryError, C_OSError, NULL},
    {C_TimeoutError, C_OSError, NULL},
    {C_RuntimeError, C_Exception, NULL},
    {C_NotImplementedError, C_RuntimeError, NULL},
    {C_RecursionError, C_RuntimeError, NULL},
    {C_StopIteration, C_Exception, stop_properties},
    {C_SyntaxError, C_Exception, syntax_properties},
    {C_IndentationError, C_SyntaxError, NULL},
    {C_TypeError, C_Exception, NULL},
    {C_ValueError, C_Exception, NULL},
    {C_UnicodeError, C_ValueError, NULL},
    {C_Warning, C_Exception, NULL},
    {C_UserWarning, C_Warning, NULL},
    {C_DeprecationWarning, C_Warning, NULL},
    {C_RuntimeWarning, C_Warning, NULL},
    {C_FutureWarning, C_Warning, NULL},
    {C_ImportWarning, C_Warning, NULL},
    {C_PendingDeprecationWarning, C_Warning, NULL},
    {C_ResourceWarning, C_Warning, NULL},
    {C_SyntaxWarning, C_Warning, NULL},
    {C_BytesWarning, C_Warning, NULL},
    {C_UnicodeWarning, C_Warning, NULL},
    {C_EncodingWarning, C_Warning, NULL},
    {C_ConnectionError, C_OSError, NULL},
    {C_BrokenPipeError, C_ConnectionError, NULL},
    {C_ChildProcessError, C_OSError, NULL},
    {C_BlockingIOError, C_OSError, NULL},
    {C_InterruptedError, C_OSError, NULL},
    {C_ProcessLookupError, C_OSError, NULL},
    {C_StopAsyncIteration, C_Exception, NULL},
    {C_SystemError, C_Exception, NULL},
    {C_ReferenceError, C_Exception, NULL},
    {C_TabError, C_IndentationError, NULL},
    {C_UnicodeDecodeError, C_UnicodeError, NULL},
    {C_UnicodeEncodeError, C_UnicodeError, NULL},
    {C_OutOfMemoryError, C_RuntimeError, NULL},
};

static const char *const class_names[] = {
#define CLASS(id) #id,
#include "classes.def"
#undef CLASS
};

bool sc_open_exceptions(Vm *vm)
{
    for (int i = 0; i < COUNT(tree); i++) {
        ClassDef d = {.name = class_names[tree[i].k], .properties = tree[i].properties};
        Class *c = sc_class_native(vm, &d, vm->cls[tree[i].base]);

        if (!c)
            return false;
        vm->cls[tree[i].k] = c;
        if (tree[i].k != C_OutOfMemoryError && !sc_dict_put_str(vm, vm->builtins, c->name, v_obj(c)))
            return false;
    }
    vm->cls[C_traceback] = sc_class_native(vm, &traceback_def, vm->cls[C_object]);
    return vm->cls[C_traceback] != NULL;
}

/* ---- the report -------------------------------------------------------------------- */

static wf_status status_of(Vm *vm, Class *c)
{
    static const struct {
        KnownClass k;
        wf_status s;
    } map[] = {
        {C_SyntaxError, WF_ERR_SYNTAX}, {C_NameError, WF_ERR_NAME},
        {C_ImportError, WF_ERR_NAME},   {C_AttributeError, WF_ERR_NAME},
        {C_TypeError, WF_ERR_TYPE},     {C_LookupError, WF_ERR_INDEX},
        {C_AssertionError, WF_ERR_ASSERT}, {C_MemoryError, WF_ERR_MEMORY},
        {C_OutOfMemoryError, WF_ERR_MEMORY},
        {C_KeyboardInterrupt, WF_ERR_CANCELLED}, {C_RecursionError, WF_ERR_LIMIT},
    };

    for (int i = 0; i < COUNT(map); i++)
        if (sc_is_subclass(c, vm->cls[map[i].k]))
            return map[i].s;
    return WF_ERR_VALUE;
}

static Place place_of(const CallPlace *t)
{
    return (Place){.file = t->file, .line = t->line, .col = t->col, .len = t->len};
}

/* The message on one line, and what a library adds for a reader: the attribute `detail`. */
static void one_line(Vm *vm, const Exc *e, const char *s, Buf *b)
{
    Str *name = sc_intern(vm, "detail", 6);
    Value *more = name && e->h.attrs ? sc_dict_find_str(e->h.attrs, name) : NULL;

    for (; *s; s++) {
        if (*s != '\n') {
            buf_char(b, *s);
            continue;
        }
        while (s[1] == '\n' || s[1] == '\t' || s[1] == ' ')
            s++;
        buf_char(b, ' ');
    }
    if (e->hint.tag == T_OBJ)
        buf_str(b, as_str(e->hint)->s);
    if (more && is_str(*more)) {
        buf_str(b, ": ");
        buf_str(b, as_str(*more)->s);
    }
    if (name)
        obj_drop(vm, name);
}

void sc_report(Vm *vm)
{
    Buf line = {.vm = vm};
    Value v = sc_take_exc(vm), text;
    Exc *e = (Exc *)v.o;
    Place at = NOWHERE;
    const char *s = "";
    uint32_t i;

    if (v.tag != T_OBJ)
        return;
    sc_flush(vm);
    vm->depth = vm->cdepth = 0;
    text = report_text(vm, e);
    if (text.tag == T_OBJ)
        s = as_str(text)->s;
    else
        sc_clear_exc(vm);
    if (e->ntrace)
        at = place_of(&e->trace[0]);
    one_line(vm, e, s, &line);
    fail_kind(vm->cx, status_of(vm, e->h.h.h.cls), e->h.h.h.cls->name->s, at, "%.*s",
              line.failed ? (int)strlen(s) : (int)line.n, line.failed ? s : line.s ? line.s : "");
    buf_free(&line);
    for (i = 1; i < e->ntrace; i++)
        fail_note(vm->cx, place_of(&e->trace[i]), "in call to '%s'",
                  e->trace[i - 1].name ? e->trace[i - 1].name->s : "module");
    sc_drop(vm, text);
    sc_drop(vm, v);
}
