/* func.c -- function-like objects: functions, natives, methods, cells, properties,
 * generators, modules. */
#include "ast.h"
#include "dunder.h"

#define DROP(p)                                                                          \
    do {                                                                                 \
        if (p) {                                                                         \
            void *gone_ = (p);                                                           \
            (p) = NULL;                                                                  \
            obj_drop(vm, gone_);                                                         \
        }                                                                                \
    } while (0)

/* ---- function ---------------------------------------------------------------------- */

static void relay_free(Vm *vm, Relay *r)
{
    if (!r)
        return;
    sc_drop(vm, r->to);
    sc_drop(vm, r->record);
    if (r->method)
        obj_drop(vm, r->method);
    if (r->dicts)
        obj_drop(vm, r->dicts);
    sc_free(vm, r, sizeof *r);
}

bool sc_relay(Vm *vm, Function *f, Value to, Tuple *dicts, Value record)
{
    Relay *r = sc_alloc(vm, sizeof *r);

    if (!r)
        return false;
    *r = (Relay){.to = NIL, .dicts = gc_ref(dicts), .record = sc_ref(record)};
    if (to.tag == T_OBJ && is_str(to))
        r->method = obj_ref(sc_intern_str(vm, as_str(to)));
    else if (to.tag != T_NONE)
        r->to = sc_ref(to);
    for (int64_t i = 0; i < dicts->n; i++)
        sc_put(vm, &dicts->v[i], sc_ref(v_obj(sc_intern_str(vm, as_str(dicts->v[i])))));
    relay_free(vm, f->relay);
    f->relay = r;
    return true;
}

static bool relay_copy(Vm *vm, Function *f, const Relay *from)
{
    Relay *r = sc_alloc(vm, sizeof *r);

    if (!r)
        return false;
    *r = (Relay){.to = sc_ref(from->to), .method = from->method ? obj_ref(from->method) : NULL, .dicts = gc_ref(from->dicts),
                 .record = sc_ref(from->record)};
    f->relay = r;
    return true;
}

static void func_destroy(Vm *vm, Obj *o)
{
    Function *f = (Function *)o;
    Relay *relay = f->relay;
    uint32_t i, n = f->ndefaults + f->nkwdefaults, nc = f->ncells;
    Value *d = f->defaults;
    Cell **cells = f->cells;
    Unit *u = f->unit;

    f->defaults = NULL;
    f->cells = NULL;
    f->ncells = f->ndefaults = f->nkwdefaults = 0;
    f->unit = NULL;
    f->relay = NULL;
    relay_free(vm, relay);
    for (i = 0; d && i < n; i++)
        sc_drop(vm, d[i]);
    sc_free(vm, d, n * sizeof *d);
    for (i = 0; cells && i < nc; i++)
        if (cells[i])
            obj_drop(vm, cells[i]);
    sc_free(vm, cells, nc * sizeof *cells);
    DROP(f->attrs);
    DROP(f->name);
    DROP(f->qualname);
    DROP(f->module);
    if (u)
        unit_release(u);
}

static void func_visit(Obj *o, VisitFn fn, void *user)
{
    Function *f = (Function *)o;
    uint32_t i;

    for (i = 0; i < f->ndefaults + f->nkwdefaults; i++)
        fn(f->defaults[i], user);
    for (i = 0; i < f->ncells; i++)
        if (f->cells[i])
            fn(v_obj(f->cells[i]), user);
    if (f->attrs)
        fn(v_obj(f->attrs), user);
    if (f->module)
        fn(v_obj(f->module), user);
    if (f->relay && f->relay->to.tag != T_NIL)
        fn(f->relay->to, user);
    if (f->relay && f->relay->record.tag != T_NIL)
        fn(f->relay->record, user);
    if (f->relay)
        fn(v_obj(f->relay->dicts), user);
}

static Value func_repr(Vm *vm, Value self)
{
    return sc_strf(vm, "<function %s at 0x%012llx>", ((Function *)self.o)->qualname->s,
                   (unsigned long long)(uintptr_t)self.o);
}

static Value func_get_name(Vm *vm, Value self)
{
    (void)vm;
    return v_obj(obj_ref(((Function *)self.o)->name));
}

static bool func_set_name(Vm *vm, Value self, Value v)
{
    Function *f = (Function *)self.o;

    if (!is_str(v))
        return sc_fail(vm, C_TypeError, "__name__ must be set to a string object");
    obj_drop(vm, f->name);
    f->name = obj_ref(as_str(v));
    return true;
}

static Value func_get_qualname(Vm *vm, Value self)
{
    (void)vm;
    return v_obj(obj_ref(((Function *)self.o)->qualname));
}

static bool func_set_qualname(Vm *vm, Value self, Value v)
{
    Function *f = (Function *)self.o;

    if (!is_str(v))
        return sc_fail(vm, C_TypeError, "__qualname__ must be set to a string object");
    obj_drop(vm, f->qualname);
    f->qualname = obj_ref(as_str(v));
    return true;
}

static Value func_get_defaults(Vm *vm, Value self)
{
    Function *f = (Function *)self.o;
    Value *set = f->attrs ? sc_dict_find_str(f->attrs, vm->known[S_defaults]) : NULL;

    if (set)
        return sc_ref(*set);
    return f->ndefaults ? v_obj(sc_tuple_of(vm, f->defaults, f->ndefaults)) : NONE;
}

/* Other values of the last parameters, as many as there are; those by keyword stay. The tuple is kept for who asks, so that
 * a function of *args can look there itself. */
static bool func_set_defaults(Vm *vm, Value self, Value v)
{
    Function *f = (Function *)self.o;
    uint32_t n = sc_is(vm, v, C_tuple) ? (uint32_t)((Tuple *)v.o)->n : 0, old = f->ndefaults, kw = f->nkwdefaults;
    Value *now, *was = f->defaults;

    if (v.tag != T_NONE && v.tag != T_NIL && !sc_is(vm, v, C_tuple))
        return sc_fail(vm, C_TypeError, "__defaults__ must be set to a tuple object");
    if (!sc_code_load(f->code) || (!f->attrs && !(f->attrs = sc_dict(vm))) ||
        !sc_dict_put_str(vm, f->attrs, vm->known[S_defaults], v.tag == T_NIL ? NONE : v))
        return false;
    n = MIN(n, f->code->npos);
    vm->version++;
    now = n + kw ? sc_alloc(vm, (n + kw) * sizeof *now) : NULL;
    if (n + kw && !now)
        return false;
    for (uint32_t i = 0; i < n; i++)
        now[i] = sc_ref(((Tuple *)v.o)->v[(uint32_t)((Tuple *)v.o)->n - n + i]);
    for (uint32_t i = 0; i < kw; i++)
        now[n + i] = was[old + i];
    f->defaults = now;
    f->ndefaults = n;
    for (uint32_t i = 0; i < old; i++)
        sc_drop(vm, was[i]); /* may run __del__, which may look here */
    sc_free(vm, was, (old + kw) * sizeof *now);
    return true;
}

static Value func_get_kwdefaults(Vm *vm, Value self)
{
    Function *f = (Function *)self.o;
    Dict *d = NULL;

    for (uint32_t i = 0; i < f->nkwdefaults; i++) {
        Value v = f->defaults[f->ndefaults + i];

        if (v.tag == T_NIL)
            continue;
        if ((!d && !(d = sc_dict(vm))) || !sc_code_load(f->code) ||
            !sc_dict_put_str(vm, d, f->code->param_names[f->code->npos + i], v))
            return NIL;
    }
    return d ? v_obj(d) : NONE;
}

static Value func_get_globals(Vm *vm, Value self)
{
    (void)vm;
    return v_obj(gc_ref(((Function *)self.o)->module->attrs));
}

static Value func_get_code(Vm *vm, Value self) { return sc_code_of_func(vm, (Function *)self.o); }

/* Looked up after the attributes, so that a script can set __doc__. */
static Value func_getattr(Vm *vm, Value self, Str *name)
{
    Function *f = (Function *)self.o;

    if (name == vm->known[S_doc])
        return f->code->doc ? v_obj(obj_ref(f->code->doc)) : NONE;
    if (name == vm->known[S_annotations])
        return sc_annotations_of(vm, f);
    if (name == vm->known[S_module])
        return v_obj(obj_ref(f->module->name));
    return NIL;
}

/* The cells of the variables that it shares with the functions around it; None without such. */
static Value func_get_closure(Vm *vm, Value self)
{
    Function *f = (Function *)self.o;
    Tuple *t = f->ncells ? sc_tuple(vm, f->ncells) : NULL;

    for (uint32_t i = 0; t && i < f->ncells; i++)
        t->v[i] = v_obj(gc_ref(f->cells[i]));
    return f->ncells ? v_obj(t) : NONE;
}

/* __doc__ of the class `function` must not hide that of the function. */
static Value func_get_doc(Vm *vm, Value self)
{
    Function *f = (Function *)self.o;
    Value *own = f->attrs ? sc_dict_find_str(f->attrs, vm->known[S_doc]) : NULL;

    if (own)
        return sc_ref(*own);
    return f->code->doc ? v_obj(obj_ref(f->code->doc)) : NONE;
}

static bool func_set_doc(Vm *vm, Value self, Value v)
{
    Function *f = (Function *)self.o;

    if (!f->attrs && !(f->attrs = sc_dict(vm)))
        return false;
    return sc_dict_put_str(vm, f->attrs, vm->known[S_doc], v);
}

static const PropertyDef func_properties[] = {
    {"__name__", func_get_name, func_set_name},
    {"__qualname__", func_get_qualname, func_set_qualname},
    {"__defaults__", func_get_defaults, func_set_defaults},
    {"__kwdefaults__", func_get_kwdefaults, NULL},
    {"__globals__", func_get_globals, NULL},
    {"__closure__", func_get_closure, NULL},
    {"__code__", func_get_code, NULL},
    {"__doc__", func_get_doc, func_set_doc},
    {0},
};

/* f.__get__(x): f as a method of x */
static Value func_bind(Vm *vm, const Args *a)
{
    return a->v[1].tag == T_NONE ? sc_ref(a->v[0]) : sc_method(vm, a->v[0], a->v[1]);
}

static const NativeDef func_methods[] = {{"__get__", func_bind, "self,instance|owner"}, {0}};

static Value func_call(Vm *vm, Value self, const Args *a) { return sc_call_args(vm, self, a); }

const ClassDef sc_func_def = {
    .name = "function", .size = sizeof(Function), .attrs_at = offsetof(Function, attrs),
    .sealed = true, .destroy = func_destroy, .visit = func_visit, .repr = func_repr,
    .methods = func_methods, .properties = func_properties, .getattr = func_getattr, .call = func_call,
};

/* ---- native, method ---------------------------------------------------------------- */

static void native_destroy(Vm *vm, Obj *o)
{
    sc_put(vm, &((Native *)o)->self, NIL);
    DROP(((Native *)o)->name);
}

static void native_visit(Obj *o, VisitFn fn, void *user) { fn(((Native *)o)->self, user); }

static Value native_repr(Vm *vm, Value self)
{
    Native *f = (Native *)self.o;
    const char *name = sc_name_of(vm, self);

    return f->owner ? sc_strf(vm, "<method '%s' of '%s' objects>", name, f->owner->name->s)
                    : sc_strf(vm, "<built-in function %s>", name);
}

static Value native_get_name(Vm *vm, Value self)
{
    return v_obj(sc_str(vm, sc_name_of(vm, self)));
}

static const PropertyDef native_properties[] = {
    {"__name__", native_get_name, NULL}, {"__qualname__", native_get_name, NULL}, {0}};

const ClassDef sc_native_def = {
    .name = "builtin_function_or_method", .size = sizeof(Native), .sealed = true,
    .destroy = native_destroy, .visit = native_visit, .repr = native_repr,
    .properties = native_properties, .call = func_call,
};

static Value native_named(Vm *vm, const Native *from, Str *name)
{
    Native *f = sc_native_fn(vm, from->def, from->self, from->user);

    if (!f)
        return NIL;
    f->name = obj_ref(name);
    f->owner = from->owner;
    f->self_is = from->self_is;
    return v_obj(f);
}

const char *sc_name_of(Vm *vm, Value fn)
{
    const Native *f = (const Native *)fn.o;

    return fn.o->cls == vm->cls[C_function] ? ((const Function *)fn.o)->name->s : f->name ? f->name->s : f->def->name;
}

Value sc_named(Vm *vm, Value fn, Str *name)
{
    const Function *from = (const Function *)fn.o;
    uint32_t n, i;
    Function *f;

    if (fn.o->cls == vm->cls[C_builtin_function_or_method])
        return native_named(vm, (const Native *)fn.o, name);
    if (!(f = sc_gc_new(vm, vm->cls[C_function], sizeof *f)))
        return NIL;
    n = from->ndefaults + from->nkwdefaults;
    f->code = from->code;
    f->h.h.flags |= from->h.h.flags & OBJ_CONFINED;
    f->unit = from->unit;
    f->unit->refs++;
    f->name = obj_ref(name);
    f->qualname = obj_ref(name);
    f->module = gc_ref(from->module);
    if (n && (f->defaults = sc_alloc(vm, n * sizeof *f->defaults))) {
        f->ndefaults = from->ndefaults;
        f->nkwdefaults = from->nkwdefaults;
        for (i = 0; i < n; i++)
            f->defaults[i] = sc_ref(from->defaults[i]);
    }
    if (from->ncells && (f->cells = sc_alloc(vm, from->ncells * sizeof *f->cells))) {
        f->ncells = from->ncells;
        for (i = 0; i < f->ncells; i++)
            f->cells[i] = gc_ref(from->cells[i]);
    }
    if ((n && !f->defaults) || (from->ncells && !f->cells) ||
        (from->attrs && !(f->attrs = sc_dict_copy(vm, from->attrs, vm->cls[C_dict]))) ||
        (from->relay && !relay_copy(vm, f, from->relay))) {
        obj_drop(vm, f);
        return NIL;
    }
    return v_obj(f);
}

Value sc_method(Vm *vm, Value fn, Value self)
{
    Method *m = sc_gc_new(vm, vm->cls[C_method], sizeof *m);

    if (!m)
        return NIL;
    m->fn = sc_ref(fn);
    m->self = sc_ref(self);
    return v_obj(m);
}

static void method_destroy(Vm *vm, Obj *o)
{
    sc_put(vm, &((Method *)o)->fn, NIL);
    sc_put(vm, &((Method *)o)->self, NIL);
}

static void method_visit(Obj *o, VisitFn fn, void *user)
{
    fn(((Method *)o)->fn, user);
    fn(((Method *)o)->self, user);
}

static Value method_repr(Vm *vm, Value self)
{
    Method *m = (Method *)self.o;
    Value s = sc_repr(vm, m->self), r;

    if (s.tag == T_NIL)
        return NIL;
    if (sc_is_exact(vm, m->fn, C_function))
        r = sc_strf(vm, "<bound method %s of %s>", ((Function *)m->fn.o)->qualname->s, as_str(s)->s);
    else
        r = sc_strf(vm, "<built-in method of %s>", as_str(s)->s);
    sc_drop(vm, s);
    return r;
}

static Value method_getattr(Vm *vm, Value self, Str *name)
{
    Method *m = (Method *)self.o;

    if (name == vm->known[S_self])
        return sc_ref(m->self);
    if (name == vm->known[S_func])
        return sc_ref(m->fn);
    return sc_getattr_opt(vm, m->fn, name);
}

static Value method_compare(Vm *vm, CmpOp op, Value a, Value b)
{
    bool same;

    if ((op != CMP_EQ && op != CMP_NE) || !sc_is_exact(vm, b, C_method))
        return NOTIMPL;
    same = sc_same(((Method *)a.o)->self, ((Method *)b.o)->self) &&
           sc_same(((Method *)a.o)->fn, ((Method *)b.o)->fn);
    return v_bool(same == (op == CMP_EQ));
}

static bool method_hash(Vm *vm, Value v, uint64_t *out)
{
    uint64_t h;

    if (!sc_hash(vm, ((Method *)v.o)->fn, &h))
        return false;
    *out = hash_mix(h, (uint64_t)(uintptr_t)((Method *)v.o)->self.o);
    return true;
}

const ClassDef sc_method_def = {
    .name = "method", .size = sizeof(Method), .sealed = true, .destroy = method_destroy,
    .visit = method_visit, .repr = method_repr, .getattr = method_getattr,
    .compare = method_compare, .hash = method_hash, .call = func_call,
};

/* ---- cell, property, staticmethod, classmethod ------------------------------------- */

Cell *sc_cell(Vm *vm) { return sc_gc_new(vm, vm->cls[C_cell], sizeof(Cell)); }

static void cell_destroy(Vm *vm, Obj *o) { sc_put(vm, &((Cell *)o)->v, NIL); }
static void cell_visit(Obj *o, VisitFn fn, void *user) { fn(((Cell *)o)->v, user); }

static Value cell_get(Vm *vm, Value self)
{
    Cell *c = (Cell *)self.o;

    return c->v.tag == T_NIL ? sc_raise(vm, C_ValueError, "Cell is empty") : sc_ref(c->v);
}

static bool cell_set(Vm *vm, Value self, Value v)
{
    sc_put(vm, &((Cell *)self.o)->v, sc_ref(v));
    return true;
}

static const PropertyDef cell_properties[] = {{"cell_contents", cell_get, cell_set}, {0}};
const ClassDef sc_cell_def = {.name = "cell", .size = sizeof(Cell), .sealed = true, .properties = cell_properties,
                              .destroy = cell_destroy, .visit = cell_visit};

Value sc_property_get(Vm *vm, const Property *p, Value self)
{
    if (p->get.tag == T_NONE || p->get.tag == T_NIL)
        return sc_raise(vm, C_AttributeError, "property has no getter");
    return sc_call(vm, p->get, &self, 1);
}

static bool property_init(Vm *vm, Value self, const Args *a)
{
    Property *p = (Property *)self.o;
    Value *slots[] = {&p->get, &p->set, &p->del, &p->doc};

    for (int i = 0; i < COUNT(slots); i++)
        sc_put(vm, slots[i], sc_ref(a->v[i]));
    return true;
}

static Value property_with(Vm *vm, Value self, int which, Value fn)
{
    Property *p = (Property *)self.o;
    Value v[4] = {p->get, p->set, p->del, p->doc}, r;

    v[which] = fn;
    r = sc_new_instance(vm, self.o->cls);
    if (r.tag == T_NIL || !property_init(vm, r, &(Args){.v = v}))
        return NIL;
    if (p->attrs)
        ((Property *)r.o)->attrs = gc_ref(p->attrs);
    return r;
}

static Value property_getter(Vm *vm, const Args *a) { return property_with(vm, a->v[0], 0, a->v[1]); }
static Value property_setter(Vm *vm, const Args *a) { return property_with(vm, a->v[0], 1, a->v[1]); }
static Value property_deleter(Vm *vm, const Args *a) { return property_with(vm, a->v[0], 2, a->v[1]); }

static void property_destroy(Vm *vm, Obj *o)
{
    Property *p = (Property *)o;

    sc_put(vm, &p->get, NIL);
    sc_put(vm, &p->set, NIL);
    sc_put(vm, &p->del, NIL);
    sc_put(vm, &p->doc, NIL);
    DROP(p->attrs);
}

static void property_visit(Obj *o, VisitFn fn, void *user)
{
    Property *p = (Property *)o;

    fn(p->get, user);
    fn(p->set, user);
    fn(p->del, user);
    fn(p->doc, user);
    if (p->attrs)
        fn(v_obj(p->attrs), user);
}

static Value property_part(Value f) { return f.tag == T_NIL ? NONE : sc_ref(f); }

static Value property_get_fget(Vm *vm, Value self)
{
    (void)vm;
    return property_part(((Property *)self.o)->get);
}

static Value property_get_fset(Vm *vm, Value self)
{
    (void)vm;
    return property_part(((Property *)self.o)->set);
}

static Value property_get_fdel(Vm *vm, Value self)
{
    (void)vm;
    return property_part(((Property *)self.o)->del);
}

static Value property_get(Vm *vm, const Args *a)
{
    return a->v[1].tag == T_NONE ? sc_ref(a->v[0]) : sc_property_get(vm, (Property *)a->v[0].o, a->v[1]);
}

static Value property_put(Vm *vm, Value fn, const Value *args, int n, const char *what)
{
    Value r = fn.tag == T_NIL || fn.tag == T_NONE ? sc_raise(vm, C_AttributeError, "property has no %s", what)
                                                  : sc_call(vm, fn, args, n);

    sc_drop(vm, r);
    return r.tag == T_NIL ? NIL : NONE;
}

static Value property_set(Vm *vm, const Args *a)
{
    return property_put(vm, ((Property *)a->v[0].o)->set, a->v + 1, 2, "setter");
}

static Value property_delete(Vm *vm, const Args *a)
{
    return property_put(vm, ((Property *)a->v[0].o)->del, a->v + 1, 1, "deleter");
}

static const NativeDef property_methods[] = {
    {"getter", property_getter, "self,fn"},
    {"setter", property_setter, "self,fn"},
    {"deleter", property_deleter, "self,fn"},
    {"__get__", property_get, "self,instance|owner"},
    {"__set__", property_set, "self,instance,value"},
    {"__delete__", property_delete, "self,instance"},
    {0},
};
/* Its own, or that of the function that reads it. */
static Value property_get_doc(Vm *vm, Value self)
{
    Property *p = (Property *)self.o;

    if (p->doc.tag != T_NIL && p->doc.tag != T_NONE)
        return sc_ref(p->doc);
    return p->get.tag == T_OBJ ? sc_getattr(vm, p->get, vm->known[S_doc]) : NONE;
}

static bool property_set_doc(Vm *vm, Value self, Value v)
{
    sc_put(vm, &((Property *)self.o)->doc, sc_ref(v));
    return true;
}

static const PropertyDef property_properties[] = {
    {"__doc__", property_get_doc, property_set_doc},
    {"fget", property_get_fget, NULL}, {"fset", property_get_fset, NULL},
    {"fdel", property_get_fdel, NULL}, {0}};
const ClassDef sc_property_def = {
    .name = "property", .size = sizeof(Property), .attrs_at = offsetof(Property, attrs), .init = property_init,
    .init_params = "|fget,fset,fdel,doc", .destroy = property_destroy,
    .visit = property_visit, .methods = property_methods, .properties = property_properties,
};

static Value wrapped_make(Vm *vm, Class *cls, const Args *a)
{
    Wrapped *w = sc_gc_new(vm, cls, sizeof *w);

    if (w)
        w->fn = sc_ref(a->v[0]);
    return v_obj(w);
}

static void wrapped_destroy(Vm *vm, Obj *o) { sc_put(vm, &((Wrapped *)o)->fn, NIL); }
static void wrapped_visit(Obj *o, VisitFn fn, void *user) { fn(((Wrapped *)o)->fn, user); }

static Value wrapped_call(Vm *vm, Value self, const Args *a)
{
    return sc_call_args(vm, ((Wrapped *)self.o)->fn, a);
}

static Value wrapped_getattr(Vm *vm, Value self, Str *name)
{
    if (name == vm->known[S_func])
        return sc_ref(((Wrapped *)self.o)->fn);
    return sc_getattr_opt(vm, ((Wrapped *)self.o)->fn, name);
}

const ClassDef sc_staticmethod_def = {
    .name = "staticmethod", .size = sizeof(Wrapped), .sealed = true, .make = wrapped_make,
    .make_params = "fn", .destroy = wrapped_destroy, .visit = wrapped_visit,
    .call = wrapped_call, .getattr = wrapped_getattr,
};
const ClassDef sc_classmethod_def = {
    .name = "classmethod", .size = sizeof(Wrapped), .sealed = true, .make = wrapped_make,
    .make_params = "fn", .destroy = wrapped_destroy, .visit = wrapped_visit,
    .getattr = wrapped_getattr,
};

/* ---- module ------------------------------------------------------------------------ */

static void module_destroy(Vm *vm, Obj *o)
{
    ScModule *m = (ScModule *)o;

    DROP(m->attrs);
    DROP(m->name);
}

static void module_visit(Obj *o, VisitFn fn, void *user)
{
    if (((ScModule *)o)->attrs)
        fn(v_obj(((ScModule *)o)->attrs), user);
}

static Value module_repr(Vm *vm, Value self)
{
    ScModule *m = (ScModule *)self.o;

    if (!m->file)
        return sc_strf(vm, "<module '%s' (built-in)>", m->name->s);
    return *m->file ? sc_strf(vm, "<module '%s' from '%s'>", m->name->s, m->file) : sc_strf(vm, "<module '%s'>", m->name->s);
}

/* __getattr__(name) of the module, for names it does not have (yet). */
static Value module_getattr(Vm *vm, Value self, Str *name)
{
    Value *f = sc_dict_find_str(((ScModule *)self.o)->attrs, vm->known[S_getattr]), r;
    Value arg = v_obj(name);

    if (!f)
        return NIL;
    r = sc_call(vm, *f, &arg, 1);
    if (r.tag == T_NIL && sc_exc_is(vm, C_AttributeError))
        sc_clear_exc(vm); /* the message with the nearest name is better */
    return r;
}

/* Who holds a program for what a library does (engine/replay.c) is told that a name of it means something else now. */
static bool module_setattr(Vm *vm, Value self, Str *name, Value x)
{
    ScModule *m = (ScModule *)self.o;

    vm->version += !m->file;
    return dunder_plain_setattr(vm, self, name, x);
}

static void module_fresh(Vm *vm, Obj *o)
{
    ScModule *m = (ScModule *)o;

    m->attrs = sc_dict(vm);
    m->name = sc_intern(vm, "?", 1);
}

/* types.ModuleType(name, doc=None) */
static bool module_init(Vm *vm, Value self, const Args *a)
{
    ScModule *m = (ScModule *)self.o;

    if (!is_str(a->v[0]))
        return sc_fail(vm, C_TypeError, "module.__init__() argument 'name' must be str, not %s", sc_type_name(vm, a->v[0]));
    if (!m->attrs || !m->name)
        return false;
    obj_drop(vm, m->name);
    m->name = obj_ref(as_str(a->v[0]));
    m->file = "";
    return sc_dict_put_str(vm, m->attrs, vm->known[S_name], a->v[0]) &&
           sc_dict_put_str(vm, m->attrs, vm->known[S_doc], a->v[1].tag == T_NIL ? NONE : a->v[1]);
}

const ClassDef sc_module_def = {
    .name = "module", .size = sizeof(ScModule), .attrs_at = offsetof(ScModule, attrs),
    .fresh = module_fresh, .init = module_init, .init_params = "name|doc", .destroy = module_destroy, .visit = module_visit, .repr = module_repr,
    .getattr = module_getattr, .setattr = module_setattr,
};
