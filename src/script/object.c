/* object.c -- instances; the classes object, type and super; dir().
 *
 * An instance is a zeroed block of its class's size; `fresh` puts there what must not be zero
 * before an init has run, so that every method may meet an instance that never had one.
 */
#include "ast.h"
#include "class.h"
#include "dunder.h"

/* ---- instances --------------------------------------------------------------------- */

static Value raise_abstract(Vm *vm, Class *c)
{
    Value names = class_getattr(vm, c, vm->known[S_abstractmethods]), sep, r;
    List *l = names.tag == T_NIL ? NULL : sc_list(vm, 0);
    bool ok = l && sc_list_extend(vm, l, names) && sc_sort(vm, l, NIL, false);

    sep = ok ? v_obj(sc_str(vm, ", ")) : NIL;
    r = NIL;
    if (sep.tag != T_NIL) {
        Value all = v_obj(l);

        r = sc_call_method(vm, sep, "join", &all, 1);
    }
    if (r.tag != T_NIL)
        sc_raise(vm, C_TypeError, "Can't instantiate abstract class %s with abstract method%s %s",
                 c->name->s, l->n > 1 ? "s" : "", as_str(r)->s);
    sc_drop(vm, r);
    sc_drop(vm, sep);
    sc_drop(vm, names);
    if (l)
        obj_drop(vm, l);
    return NIL;
}

Value sc_new_instance(Vm *vm, Class *c)
{
    Obj *o;

    if (c->is_tuple)
        return sc_raise(vm, C_TypeError, "tuple subclasses are made by tuple.__new__");
    if (c->d.sealed) /* functions, iterators .. are made by what they belong to */
        return sc_raise(vm, C_TypeError, "cannot create '%s' instances", c->name->s);
    if (c->is_abstract)
        return raise_abstract(vm, c);
    o = sc_gc_new(vm, c, c->d.size);
    if (o && c->d.fresh)
        c->d.fresh(vm, o);
    return v_obj(o);
}

static void instance_destroy(Vm *vm, Obj *o)
{
    Instance *i = (Instance *)o;
    Dict *d = i->attrs;

    i->attrs = NULL;
    if (i->native && !i->native_size) {
        Obj *behind = i->native;

        i->native = NULL;
        obj_drop(vm, behind);
    } else if (i->native) {
        if (o->cls->d.native_free)
            o->cls->d.native_free(vm, i->native);
        sc_free(vm, i->native, i->native_size);
        i->native = NULL;
    }
    if (d)
        obj_drop(vm, d);
}

static void instance_visit(Obj *o, VisitFn fn, void *user)
{
    Instance *i = (Instance *)o;

    if (i->attrs)
        fn(v_obj(i->attrs), user);
    if (i->native && !i->native_size)
        fn(v_obj(i->native), user);
    else if (i->native && o->cls->d.native_visit)
        o->cls->d.native_visit(i->native, fn, user);
}

void *sc_native_new(Vm *vm, Value self, size_t size)
{
    Instance *i = (Instance *)self.o;
    void *p;

    if (i->native) {
        sc_raise(vm, C_TypeError, "%s is already initialised", sc_type_name(vm, self));
        return NULL;
    }
    p = sc_alloc(vm, size);
    if (!p)
        return NULL;
    memset(p, 0, size);
    i->native = p;
    i->native_size = size;
    return p;
}

Value sc_behind(Value self)
{
    const Instance *i = (Instance *)self.o;

    return self.o->cls->d.destroy == instance_destroy && i->native && !i->native_size ? v_obj(i->native) : NIL;
}

bool sc_put_behind(Value self, Value v)
{
    Instance *i = (Instance *)self.o;

    if (self.o->cls->d.destroy != instance_destroy || self.o->cls->d.native_free || i->native)
        return false;
    i->native = sc_ref(v).o;
    return true;
}

/* ---- object, type ------------------------------------------------------------------ */

/* A class's name with those of the functions and classes that it stands in. */
static const char *full_name(Vm *vm, const Class *c)
{
    Value *v = c->attrs ? sc_dict_find_str(c->attrs, vm->known[S_qualname]) : NULL;

    return v && is_str(*v) ? as_str(*v)->s : c->name->s;
}

static Value object_repr(Vm *vm, Value self)
{
    Class *c = sc_class_of(vm, self);

    if (c->module && c->script)
        return sc_strf(vm, "<%s.%s object at 0x%012llx>", c->module->s, full_name(vm, c),
                       (unsigned long long)(uintptr_t)self.o);
    return sc_strf(vm, "<%s object at 0x%012llx>", c->name->s,
                   (unsigned long long)(uintptr_t)self.o);
}

static bool object_init(Vm *vm, Value self, const Args *a)
{
    if (a->n || a->nkw)
        return sc_fail(vm, C_TypeError, "%s() takes no arguments", sc_type_name(vm, self));
    return true;
}

static Value object_setattr(Vm *vm, const Args *a)
{
    Str *name;

    if (!is_str(a->v[1]))
        return sc_raise(vm, C_TypeError, "attribute name must be string");
    name = sc_intern_str(vm, as_str(a->v[1]));
    return name && dunder_plain_setattr(vm, a->v[0], name, a->v[2]) ? NONE : NIL;
}

static Value object_delattr(Vm *vm, const Args *a)
{
    Str *name;

    if (!is_str(a->v[1]))
        return sc_raise(vm, C_TypeError, "attribute name must be string");
    name = sc_intern_str(vm, as_str(a->v[1]));
    return name && dunder_plain_setattr(vm, a->v[0], name, NIL) ? NONE : NIL;
}

static Value object_getattribute(Vm *vm, const Args *a)
{
    Str *name;
    Value r;

    if (!is_str(a->v[1]) || !(name = sc_intern_str(vm, as_str(a->v[1]))))
        return sc_failed(vm) ? NIL : sc_raise(vm, C_TypeError, "attribute name must be string");
    r = class_plain_getattr(vm, a->v[0], name);
    if (r.tag == T_NIL && !sc_failed(vm))
        sc_raise_no_attr(vm, a->v[0], name);
    return r;
}

static Value object_method_init(Vm *vm, const Args *a)
{
    (void)a;
    (void)vm;
    return NONE;
}

static Value object_new(Vm *vm, const Args *a)
{
    Class *c;

    if (a->n < 1 || !sc_is_class(a->v[0]))
        return sc_raise(vm, C_TypeError, "object.__new__(X): X is not a type object");
    c = (Class *)a->v[0].o;
    if (c->is_tuple) {
        Tuple *t = a->n > 1 ? sc_tuple_from(vm, a->v[1]) : sc_tuple(vm, 0), *r;

        if (!t)
            return NIL;
        r = sc_gc_new(vm, c, sizeof *r + (size_t)t->n * sizeof(Value));
        if (r) {
            r->n = t->n;
            for (int64_t i = 0; i < t->n; i++)
                r->v[i] = sc_ref(t->v[i]);
        }
        obj_drop(vm, t);
        return v_obj(r);
    }
    if (c->d.make)
        return sc_make_value(vm, c, &(Args){a->v + 1, a->n - 1, a->nkw, a->names, NULL, NULL});
    return sc_new_given(vm, c, &(Args){a->v + 1, a->n - 1, 0, NULL, NULL, NULL});
}

static Value object_eq(Vm *vm, const Args *a)
{
    (void)vm;
    return sc_same(a->v[0], a->v[1]) ? v_bool(true) : NOTIMPL;
}

static Value object_hash(Vm *vm, const Args *a)
{
    uint64_t h;

    return sc_hash(vm, a->v[0], &h) ? v_int(sc_hash_public(h)) : NIL;
}

static Value object_repr_method(Vm *vm, const Args *a) { return object_repr(vm, a->v[0]); }
static Value object_str_method(Vm *vm, const Args *a) { return sc_repr(vm, a->v[0]); }

static Value object_format(Vm *vm, const Args *a)
{
    if (!sc_to_cstr(vm, a->v[1], "__format__() argument"))
        return NIL;
    if (as_str(a->v[1])->n)
        return sc_raise(vm, C_TypeError, "unsupported format string passed to %s.__format__",
                        sc_type_name(vm, a->v[0]));
    return sc_to_str(vm, a->v[0]);
}

static Value object_init_subclass(Vm *vm, const Args *a)
{
    if (a->nkw && a->n && sc_is_class(a->v[0]))
        return sc_raise(vm, C_TypeError, "%s.__init_subclass__() takes no keyword arguments",
                        ((Class *)a->v[0].o)->name->s);
    return NONE;
}

static Value object_dir(Vm *vm, const Args *a) { return sc_dir(vm, a->v[0]); }

static const NativeDef object_methods[] = {
    {"__setattr__", object_setattr, "self,name,value"},
    {"__delattr__", object_delattr, "self,name"},
    {"__getattribute__", object_getattribute, "self,name"},
    {"__init__", object_method_init, "*"},
    {"__eq__", object_eq, "self,other"},
    {"__hash__", object_hash, "self"},
    {"__repr__", object_repr_method, "self"},
    {"__str__", object_str_method, "self"},
    {"__format__", object_format, "self,spec"},
    {"__dir__", object_dir, "self"},
    {0},
};
static const NativeDef object_statics[] = {{"__new__", object_new, "*"}, {0}};
static const NativeDef object_classmethods[] = {
    {"__init_subclass__", object_init_subclass, "*"}, {0}};

const ClassDef sc_object_def = {
    .name = "object", .size = sizeof(Instance), .attrs_at = 0, .init = object_init,
    .init_params = "*", .repr = object_repr, .methods = object_methods,
    .statics = object_statics, .classmethods = object_classmethods,
    .destroy = instance_destroy, .visit = instance_visit,
};

static Value type_repr(Vm *vm, Value self)
{
    Class *c = (Class *)self.o;

    const char *home = c->module && strcmp(c->module->s, "builtins") != 0 ? c->module->s : "";

    return sc_strf(vm, "<class '%s%s%s'>", home, home[0] ? "." : "", c->script ? full_name(vm, c) : c->name->s);
}

Class *sc_metaclass(Vm *vm, Class *meta, const Tuple *bases)
{
    for (int64_t i = 0; i < bases->n; i++) {
        Class *of = sc_class_of(vm, bases->v[i]);

        if (!of->is_type || sc_is_subclass(meta, of))
            continue;
        if (!sc_is_subclass(of, meta)) {
            sc_raise(vm, C_TypeError,
                     "metaclass conflict: the metaclass of a derived class must be a "
                     "(non-strict) subclass of the metaclasses of all its bases");
            return NULL;
        }
        meta = of;
    }
    return meta;
}

static Value type_make(Vm *vm, Class *cls, const Args *a)
{
    Class *c;
    Dict *ns;
    Value *cell;

    if (a->n == 1 && cls == vm->cls[C_type])
        return v_obj(gc_ref(sc_class_of(vm, a->v[0])));
    if (a->n != 3 || !is_str(a->v[0]) || !sc_is(vm, a->v[1], C_tuple) ||
        !sc_is(vm, a->v[2], C_dict))
        return sc_raise(vm, C_TypeError, "type() takes 1 or 3 arguments");
    ns = sc_dict_copy(vm, (Dict *)a->v[2].o, vm->cls[C_dict]);
    if (!ns)
        return NIL;
    if (vm->frame && !sc_dict_find_str(ns, vm->known[S_module]) &&
        !sc_dict_put_str(vm, ns, vm->known[S_module], v_obj(vm->frame->module->name))) {
        obj_drop(vm, ns);
        return NIL;
    }
    cls = sc_metaclass(vm, cls, (Tuple *)a->v[1].o);
    c = cls ? sc_class_new(vm, cls, as_str(a->v[0]), (Tuple *)a->v[1].o, ns) : NULL;
    cell = c ? sc_dict_find_str(ns, vm->known[S_classcell]) : NULL;
    if (cell && sc_is_exact(vm, *cell, C_cell)) { /* super() in its methods */
        sc_put(vm, &((Cell *)cell->o)->v, v_obj(gc_ref(c)));
        (void)sc_dict_remove(vm, ns, v_obj(vm->known[S_classcell]));
    }
    obj_drop(vm, ns);
    if (c && !sc_subclass_hooks(vm, c, a)) {
        obj_drop(vm, c);
        return NIL;
    }
    return v_obj(c);
}

static Value type_call(Vm *vm, Value self, const Args *a)
{
    return sc_call_class(vm, (Class *)self.o, a);
}

/* list[int], int | None: objects of the module _generic, which is loaded when there is the first of them. */
static Value ask_generic(Vm *vm, const char *name, const Value *args)
{
    Str *s = sc_intern(vm, "_generic", 8);
    Value m = s ? sc_import(vm, s) : NIL, r;

    if (s)
        obj_drop(vm, s);
    if (m.tag == T_NIL)
        return NIL;
    r = sc_call_method(vm, m, name, args, 2);
    sc_drop(vm, m);
    return r;
}

/* X[int]: what a generic class makes of it. */
static Value type_getitem(Vm *vm, Value self, Value key)
{
    Class *c = (Class *)self.o;
    Value *f = sc_class_find(c, vm->known[S_class_getitem]), args[2] = {self, key};

    if (f) {
        Value fn = sc_is_exact(vm, *f, C_classmethod) ? ((Wrapped *)f->o)->fn : *f;

        return sc_call(vm, fn, args, 2);
    }
    if (c == vm->cls[C_list] || c == vm->cls[C_dict] || c == vm->cls[C_tuple] ||
        c == vm->cls[C_set] || c == vm->cls[C_type] || c == vm->cls[C_frozenset])
        return ask_generic(vm, "GenericAlias", args);
    return sc_raise(vm, C_TypeError, "type '%s' is not subscriptable", c->name->s);
}

static Value type_binary(Vm *vm, BinOp op, Value a, Value b, bool reflected, bool inplace)
{
    Value parts[2] = {a, b};

    (void)inplace;
    (void)reflected;
    return op == OP2_OR ? ask_generic(vm, "union", parts) : NOTIMPL;
}

static Value type_mro(Vm *vm, const Args *a)
{
    Tuple *t;
    List *l;
    Value m = class_getattr(vm, (Class *)a->v[0].o, vm->known[S_mro]);

    if (m.tag == T_NIL)
        return NIL;
    t = (Tuple *)m.o;
    l = sc_list(vm, 0);
    if (l && !sc_list_extend(vm, l, v_obj(t))) {
        obj_drop(vm, l);
        l = NULL;
    }
    sc_drop(vm, m);
    return v_obj(l);
}

static Value type_call_method(Vm *vm, const Args *a)
{
    return sc_call_class(vm, (Class *)a->v[0].o,
                         &(Args){a->v + 1, a->n - 1, a->nkw, a->names, NULL, NULL});
}

static Value type_instancecheck(Vm *vm, const Args *a)
{
    return v_bool(sc_is_instance(vm, a->v[1], (Class *)a->v[0].o));
}

static Value type_subclasscheck(Vm *vm, const Args *a)
{
    if (!sc_is_class(a->v[1]))
        return sc_raise(vm, C_TypeError, "issubclass() arg 1 must be a class");
    return v_bool(sc_is_subclass((Class *)a->v[1].o, (Class *)a->v[0].o));
}

/* Those that name it among their bases, oldest first. */
static Value type_subclasses(Vm *vm, const Args *a)
{
    List *l = sc_list(vm, 0);
    GcObj *g;
    bool ok = l != NULL;

    for (g = vm->gc_list.prev; ok && g != &vm->gc_list; g = g->prev) {
        Tuple *t = g->h.cls->is_type ? ((Class *)g)->bases : NULL;

        for (int64_t i = 0; ok && t && i < t->n; i++)
            if (t->v[i].o == a->v[0].o)
                ok = sc_list_push(vm, l, v_obj(g));
    }
    if (!ok && l)
        obj_drop(vm, l);
    return ok ? v_obj(l) : NIL;
}

static const NativeDef type_methods[] = {{"mro", type_mro, "self"},
                                         {"__call__", type_call_method, "*"},
                                         {"__instancecheck__", type_instancecheck, "self,instance"},
                                         {"__subclasscheck__", type_subclasscheck, "self,subclass"},
                                         {"__subclasses__", type_subclasses, "self"},
                                         {0}};

const ClassDef sc_type_def = {
    .name = "type", .size = sizeof(Class), .make = type_make,
    .make_params = "*", .repr = type_repr, .call = type_call, .destroy = class_destroy,
    .visit = class_visit, .getitem = type_getitem, .binary = type_binary,
    .methods = type_methods,
};

/* ---- super ------------------------------------------------------------------------- */

typedef struct Super {
    GcObj h;
    Class *after; /* counted */
    Value self;
} Super;

Value sc_super(Vm *vm, Class *after, Value self)
{
    Class *c = sc_class_of(vm, self);
    Super *s;

    if (!sc_is_subclass(c, after) &&
        !(c->is_type && sc_is_subclass((Class *)self.o, after)))
        return sc_raise(vm, C_TypeError,
                        "super(type, obj): obj must be an instance or subtype of type");
    s = sc_gc_new(vm, vm->cls[C_super], sizeof *s);
    if (!s)
        return NIL;
    s->after = gc_ref(after);
    s->self = sc_ref(self);
    return v_obj(s);
}

static Value super_getattr(Vm *vm, Value self, Str *name)
{
    Super *s = (Super *)self.o;
    Class *c = sc_class_of(vm, s->self);
    bool on_class = c->is_type && !sc_is_subclass(c, s->after);
    Value r;
    uint32_t i;

    if (on_class)
        c = (Class *)s->self.o;
    for (i = 0; i < c->nmro && c->mro[i] != s->after; i++)
        ;
    for (i++; i < c->nmro; i++) {
        Value *v = sc_dict_find_str(c->mro[i]->attrs, name);

        if (!v && !c->mro[i]->script && c->mro[i] != vm->cls[C_object]) {
            r = sc_slot_method(vm, c->mro[i], name, on_class ? NIL : s->self);
            if (r.tag != T_NIL)
                return r;
        }
        if (v)
            return sc_bind(vm, *v, on_class ? NIL : s->self, c);
    }
    return NIL;
}

static Value super_make(Vm *vm, Class *cls, const Args *a)
{
    (void)cls;
    if (a->n != 2 || !sc_is_class(a->v[0]))
        return sc_raise(vm, C_TypeError, "super() needs a class and an object here");
    return sc_super(vm, (Class *)a->v[0].o, a->v[1]);
}

static void super_destroy(Vm *vm, Obj *o)
{
    Super *s = (Super *)o;

    if (s->after)
        obj_drop(vm, s->after);
    s->after = NULL;
    sc_put(vm, &s->self, NIL);
}

static void super_visit(Obj *o, VisitFn fn, void *user)
{
    Super *s = (Super *)o;

    if (s->after)
        fn(v_obj(s->after), user);
    fn(s->self, user);
}

const ClassDef sc_super_def = {
    .name = "super", .size = sizeof(Super), .sealed = true, .make = super_make,
    .make_params = "*", .destroy = super_destroy, .visit = super_visit,
    .getattr = super_getattr,
};
const ClassDef sc_getset_def = {.name = "getset_descriptor", .size = sizeof(GetSet),
                                .sealed = true};

/* ---- dir --------------------------------------------------------------------------- */

Value sc_dir(Vm *vm, Value v)
{
    Dict *seen = sc_dict(vm), **own = sc_attrs_of(v);
    Class *c = sc_class_of(vm, v);
    List *l = NULL;
    bool ok = seen != NULL;

    if (c->is_type)
        c = (Class *)v.o;
    if (ok && own && *own)
        ok = sc_dict_update(vm, seen, v_obj(*own));
    for (uint32_t i = 0; ok && i < c->nmro && !sc_is(vm, v, C_module); i++)
        ok = sc_dict_update(vm, seen, v_obj(c->mro[i]->attrs));
    if (ok)
        l = sc_list(vm, 0);
    if (l && (!sc_list_extend(vm, l, v_obj(seen)) || !sc_sort(vm, l, NIL, false))) {
        obj_drop(vm, l);
        l = NULL;
    }
    if (seen)
        obj_drop(vm, seen);
    return v_obj(l);
}
