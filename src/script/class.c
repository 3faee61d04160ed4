/* class.c -- classes: making them, C3 order, attributes, descriptors, super.
 *
 * A Class carries its ClassDef with everything inherited filled in, so operators need no
 * search. Where a script class defines a dunder method, the matching slot of its ClassDef
 * is set to a function of dunder.c that calls it.
 */
#include "ast.h"
#include "dunder.h"

#include <stdlib.h>

/* ---- order ------------------------------------------------------------------------- */

bool sc_is_subclass(const Class *c, const Class *of)
{
    for (uint32_t i = 0; i < c->nmro; i++)
        if (c->mro[i] == of)
            return true;
    return false;
}

bool sc_is_instance(Vm *vm, Value v, Class *c) { return sc_is_subclass(sc_class_of(vm, v), c); }

int sc_isinstance_of(Vm *vm, Value v, Value spec)
{
    if (spec.tag == T_OBJ && spec.o->cls == vm->cls[C_type])
        return sc_is_instance(vm, v, (Class *)spec.o) ||
               (vm->engine && engine_poses_as(vm, v, (Class *)spec.o));
    if (sc_is(vm, spec, C_tuple)) {
        Tuple *t = (Tuple *)spec.o;

        for (int64_t i = 0; i < t->n; i++) {
            int r = sc_isinstance_of(vm, v, t->v[i]);

            if (r)
                return r;
        }
        return 0;
    }
    if (spec.tag == T_NONE)
        return v.tag == T_NONE;
    if (spec.tag == T_OBJ && sc_class_find(spec.o->cls, vm->known[S_instancecheck])) {
        Value r = sc_call_method(vm, spec, "__instancecheck__", &v, 1);
        bool on = false;

        if (r.tag != T_NIL)
            (void)sc_to_bool(vm, r, &on);
        sc_drop(vm, r);
        return sc_failed(vm) ? -1 : on;
    }
    sc_raise(vm, C_TypeError,
             "isinstance() arg 2 must be a type, a tuple of types, or a union");
    return -1;
}

/* Does k stand in the list after place at? */
static bool in_tail(Class *const *list, uint32_t n, uint32_t at, const Class *k)
{
    for (uint32_t i = at + 1; i < n; i++)
        if (list[i] == k)
            return true;
    return false;
}

/* C3: merge the orders of the bases and the list of the bases itself; each next class is
 * the first head that stands in no tail. out has room for all. */
static bool merge_lists(Class *const *const *lists, const uint32_t *n, int count, Class **out,
                        uint32_t *nout)
{
    uint32_t at[33] = {0};

    for (;;) {
        Class *pick = NULL;
        bool left = false;
        int i, j;

        for (i = 0; i < count && !pick; i++) {
            if (at[i] >= n[i])
                continue;
            left = true;
            pick = lists[i][at[i]];
            for (j = 0; j < count && pick; j++)
                if (in_tail(lists[j], n[j], at[j], pick))
                    pick = NULL;
        }
        if (!pick)
            return !left;
        out[(*nout)++] = pick;
        for (i = 0; i < count; i++)
            at[i] += at[i] < n[i] && lists[i][at[i]] == pick;
    }
}

static bool merge_mro(Vm *vm, Class *c, Class **bases, int nb)
{
    Class *const *lists[33], **all, **m;
    uint32_t n[33], cap = 1 + (uint32_t)nb, k = 1;
    bool ok;

    if (nb > 31)
        return sc_fail(vm, C_TypeError, "a class may have at most 31 bases");
    for (int i = 0; i < nb; i++) {
        lists[i] = bases[i]->mro;
        n[i] = bases[i]->nmro;
        cap += n[i];
    }
    lists[nb] = bases;
    n[nb] = (uint32_t)nb;
    all = sc_alloc(vm, cap * sizeof *all);
    if (!all)
        return false;
    all[0] = c; /* not counted: it would never die */
    ok = true;
    if (nb == 1) { /* the order of the base, which C3 would find slowly */
        memcpy(all + 1, bases[0]->mro, n[0] * sizeof *all);
        k += n[0];
    } else {
        ok = merge_lists(lists, n, nb + 1, all, &k);
    }
    if (!ok)
        sc_raise(vm, C_TypeError,
                 "Cannot create a consistent method resolution order (MRO) for bases");
    m = ok ? sc_alloc(vm, k * sizeof *m) : NULL;
    if (m) {
        memcpy(m, all, k * sizeof *m);
        for (uint32_t i = 1; i < k; i++)
            m[i]->h.h.refs++;
        c->mro = m;
        c->nmro = k;
    }
    sc_free(vm, all, cap * sizeof *all);
    return m != NULL;
}

static void class_destroy(Vm *vm, Obj *o)
{
    Class *c = (Class *)o;
    uint32_t n = c->nmro, i;
    Class **m = c->mro;

    c->nmro = 0;
    c->mro = NULL;
    for (i = 1; i < n; i++)
        obj_drop(vm, m[i]);
    sc_free(vm, m, n * sizeof *m);
    if (c->attrs)
        obj_drop(vm, c->attrs);
    if (c->bases)
        obj_drop(vm, c->bases);
    if (c->name)
        obj_drop(vm, c->name);
    if (c->module)
        obj_drop(vm, c->module);
    c->attrs = NULL;
    c->bases = NULL;
    c->name = c->module = NULL;
    vm->version++;
}

static void class_visit(Obj *o, VisitFn fn, void *user)
{
    Class *c = (Class *)o;

    for (uint32_t i = 1; i < c->nmro; i++)
        fn(v_obj(c->mro[i]), user);
    if (c->attrs)
        fn(v_obj(c->attrs), user);
    if (c->bases)
        fn(v_obj(c->bases), user);
}

/* ---- making classes ---------------------------------------------------------------- */

#define INHERIT(f)                                                                       \
    if (!c->d.f)                                                                         \
    c->d.f = b->d.f
static void inherit(Class *c, const Class *b)
{
    if (!c->d.size) { /* the layout, and what takes care of it */
        c->d.size = b->d.size;
        c->d.attrs_at = b->d.attrs_at;
        INHERIT(destroy);
        INHERIT(visit);
    }
    if (!c->d.init && !c->d.make) {
        c->d.make = b->d.make;
        c->d.make_params = b->d.make_params;
        c->d.init = b->d.init;
        c->d.init_params = b->d.init_params;
    }
    INHERIT(fresh);
    INHERIT(native_free);
    INHERIT(native_visit);
    if (!c->d.str && (c->script || !c->d.repr)) /* __repr__ of a class hides no __str__ of its base */
        c->d.str = b->d.str;
    INHERIT(repr);
    if (!c->d.compare || !c->d.hash) {
        INHERIT(hash);
        INHERIT(compare);
    }
    INHERIT(binary);
    INHERIT(unary);
    INHERIT(call);
    INHERIT(getattr);
    INHERIT(setattr);
    INHERIT(getitem);
    INHERIT(setitem);
    INHERIT(len);
    INHERIT(truth);
    INHERIT(contains);
    INHERIT(iter);
    INHERIT(next);
    c->is_exc |= b->is_exc;
    c->is_tuple |= b->is_tuple;
    c->has_del |= b->has_del;
}

void sc_class_refresh(Vm *vm, Class *c)
{
    c->plain_getattr = !c->d.getattr;
    c->plain_setattr = !c->d.setattr;
    vm->version++;
}

/* A class with an init of its own and nothing but an Instance has its state in the
 * native part, which __new__ alone does not make. */
static bool keeps_native(Vm *vm, const Class *c)
{
    return c->d.size == sizeof(Instance) && c->d.init && c->d.init != vm->cls[C_object]->d.init;
}

static bool add_natives(Vm *vm, Class *c, const NativeDef *defs, KnownClass wrap)
{
    for (; defs && defs->name; defs++) {
        Str *name = sc_intern(vm, defs->name, strlen(defs->name));
        Native *fn = name ? sc_native_fn(vm, defs, NIL, NULL) : NULL;
        Value v = v_obj(fn);
        bool ok;

        if (fn) {
            fn->owner = c;
            fn->self_is = c == vm->cls[C_object] || wrap == C_staticmethod ? SELF_ANY
                          : wrap == C_classmethod                         ? SELF_CLASS
                          : keeps_native(vm, c)                           ? SELF_FILLED
                                                                          : SELF_INSTANCE;
        }
        if (fn && wrap != C_object) {
            Wrapped *w = sc_gc_new(vm, vm->cls[wrap], sizeof *w);

            if (w)
                w->fn = v;
            else
                sc_drop(vm, v);
            v = v_obj(w);
        }
        ok = v.tag != T_NIL && sc_dict_put_str(vm, c->attrs, name, v);
        sc_drop(vm, v);
        if (name)
            obj_drop(vm, name);
        if (!ok)
            return false;
    }
    return true;
}

typedef struct GetSet { /* a native property */
    Obj h;
    const PropertyDef *def;
    Class *owner; /* not counted */
} GetSet;

static bool add_properties(Vm *vm, Class *c, const PropertyDef *defs)
{
    for (; defs && defs->name; defs++) {
        Str *name = sc_intern(vm, defs->name, strlen(defs->name));
        GetSet *g = name ? (GetSet *)sc_obj_new(vm, vm->cls[C_getset], sizeof *g) : NULL;
        bool ok;

        if (g) {
            g->def = defs;
            g->owner = c;
        }
        ok = g && sc_dict_put_str(vm, c->attrs, name, v_obj(g));
        if (g)
            obj_drop(vm, g);
        if (name)
            obj_drop(vm, name);
        if (!ok)
            return false;
    }
    return true;
}

static Class *class_alloc(Vm *vm, Str *name, Dict *attrs)
{
    Class *c = sc_gc_new(vm, vm->cls[C_type], sizeof *c);

    if (!c)
        return NULL;
    c->name = obj_ref(name);
    c->attrs = attrs ? gc_ref(attrs) : sc_dict(vm);
    c->d.name = c->name->s;
    if (!c->attrs) {
        obj_drop(vm, c);
        return NULL;
    }
    return c;
}

/* Base.__init__(self, ..) of a native class; user is the class. */
static Value native_init(Vm *vm, const Args *a)
{
    Class *c = a->user;
    Value v[PARAMS_MAX];
    Args rest = {a->v + 1, a->n - 1, a->nkw, a->names, NULL, NULL};

    if (a->n < 1 || !sc_is_instance(vm, a->v[0], c))
        return sc_raise(vm, C_TypeError, "%s.__init__() needs an instance of %s as self",
                        c->name->s, c->name->s);
    if (c->d.init_params[0] == '*')
        return c->d.init(vm, a->v[0], &rest) ? NONE : NIL;
    if (!sc_bind_native(vm, c->name->s, c->d.init_params, &rest, v))
        return NIL;
    return c->d.init(vm, a->v[0], &(Args){.v = v}) ? NONE : NIL;
}

static const NativeDef init_def = {"__init__", native_init, "*"};

static bool add_init(Vm *vm, Class *c)
{
    Native *fn = sc_native_fn(vm, &init_def, NIL, c);
    bool ok;

    if (!fn)
        return false;
    fn->owner = c;
    ok = sc_dict_put_str(vm, c->attrs, vm->known[S_init], v_obj(fn));
    obj_drop(vm, fn);
    return ok;
}

static bool add_members(Vm *vm, Class *c, const ClassDef *def)
{
    return add_natives(vm, c, def->methods, C_object) &&
           add_natives(vm, c, def->statics, C_staticmethod) &&
           add_natives(vm, c, def->classmethods, C_classmethod) &&
           add_properties(vm, c, def->properties) &&
           (!def->init || def == &sc_object_def || add_init(vm, c));
}

Class *sc_class_native(Vm *vm, const ClassDef *def, Class *base)
{
    Str *name = sc_intern(vm, def->name, strlen(def->name));
    Class *c = name ? class_alloc(vm, name, NULL) : NULL;

    if (name)
        obj_drop(vm, name);
    if (!c)
        return NULL;
    if (!base && vm->cls[C_object])
        base = vm->cls[C_object];
    c->d = *def;
    c->d.name = c->name->s;
    c->base = base;
    if (base && def->size == 0 && base == vm->cls[C_object]) {
        c->d.size = sizeof(Instance);
        c->d.attrs_at = offsetof(Instance, attrs);
        c->d.destroy = base->d.destroy;
        c->d.visit = base->d.visit;
    }
    c->is_exc = def == &sc_exc_def;
    c->is_tuple = def == &sc_tuple_def;
    if (!merge_mro(vm, c, &base, base != NULL))
        goto fail;
    if (base) {
        inherit(c, base);
        c->bases = sc_tuple(vm, 1);
        if (!c->bases)
            goto fail;
        c->bases->v[0] = v_obj(gc_ref(base));
    }
    if (!add_members(vm, c, def))
        goto fail;
    sc_class_refresh(vm, c);
    return gc_ref(c); /* instances do not count a native class: it lives as long as the vm */
fail:
    obj_drop(vm, c);
    return NULL;
}

bool sc_class_fill(Vm *vm, Class *c, const ClassDef *def, Class *base)
{
    c->name = sc_intern(vm, def->name, strlen(def->name));
    c->attrs = sc_dict(vm);
    c->d = *def;
    c->base = base;
    if (!c->name || !c->attrs || !merge_mro(vm, c, &base, base != NULL))
        return false;
    if (base) {
        inherit(c, base);
        c->bases = sc_tuple(vm, 1);
        if (!c->bases)
            return false;
        c->bases->v[0] = v_obj(gc_ref(base));
    }
    sc_class_refresh(vm, c);
    return true;
}

/* Members of the classes made before those that wrap members existed. */
bool sc_class_finish(Vm *vm)
{
    return add_members(vm, vm->cls[C_object], &sc_object_def) &&
           add_members(vm, vm->cls[C_type], &sc_type_def) &&
           add_members(vm, vm->cls[C_str], &sc_str_def) &&
           add_members(vm, vm->cls[C_dict], &sc_dict_def) &&
           add_members(vm, vm->cls[C_tuple], &sc_tuple_def) &&
           add_members(vm, vm->cls[C_builtin_function_or_method], &sc_native_def);
}

/* The base whose layout the class has: the one that is not plain, if any. */
static Class *layout_base(Vm *vm, Class **b, int n)
{
    Class *best = b[0];

    for (int i = 0; i < n; i++) {
        if (b[i]->d.sealed) {
            sc_raise(vm, C_TypeError, "type '%s' is not an acceptable base type",
                     b[i]->name->s);
            return NULL;
        }
        if (b[i]->d.size != best->d.size || b[i]->d.destroy != best->d.destroy) {
            bool plain_best = best->d.size <= sizeof(Instance) &&
                              best->d.destroy == vm->cls[C_object]->d.destroy;

            if (sc_is_subclass(best, b[i]) ||
                (b[i]->d.destroy == vm->cls[C_object]->d.destroy))
                continue;
            if (!plain_best && !sc_is_subclass(b[i], best)) {
                sc_raise(vm, C_TypeError, "multiple bases have instance lay-out conflict");
                return NULL;
            }
            best = b[i];
        }
    }
    return best;
}

/* __new__ is static, __init_subclass__ and __class_getitem__ take the class. */
static bool wrap_special(Vm *vm, Dict *ns)
{
    static const struct {
        KnownStr name;
        KnownClass wrap;
    } special[] = {{S_new, C_staticmethod},
                   {S_init_subclass, C_classmethod},
                   {S_class_getitem, C_classmethod}};

    for (int i = 0; i < COUNT(special); i++) {
        Value *at = sc_dict_find_str(ns, vm->known[special[i].name]);
        Wrapped *w;

        if (!at || !sc_is_exact(vm, *at, C_function))
            continue;
        w = sc_gc_new(vm, vm->cls[special[i].wrap], sizeof *w);
        if (!w)
            return false;
        w->fn = *at;
        *at = v_obj(w);
    }
    return true;
}

Class *sc_class_new(Vm *vm, Str *name, Tuple *bases, Dict *ns)
{
    Class *b[32], *c, *object = vm->cls[C_object];
    int n = (int)bases->n, i;
    Value *m;

    for (i = 0; i < n && i < 32; i++) {
        if (bases->v[i].tag != T_OBJ || bases->v[i].o->cls != vm->cls[C_type]) {
            sc_raise(vm, C_TypeError, "bases must be types, not '%s'",
                     sc_type_name(vm, bases->v[i]));
            return NULL;
        }
        b[i] = (Class *)bases->v[i].o;
        for (int j = 0; j < i; j++)
            if (b[j] == b[i]) {
                sc_raise(vm, C_TypeError, "duplicate base class %s", b[i]->name->s);
                return NULL;
            }
    }
    if (n > 31) {
        sc_raise(vm, C_TypeError, "a class may have at most 31 bases");
        return NULL;
    }
    if (n == 0) {
        b[0] = object;
        n = 1;
    }
    c = wrap_special(vm, ns) ? class_alloc(vm, name, ns) : NULL;
    if (!c)
        return NULL;
    c->script = true;
    c->base = layout_base(vm, b, n);
    if (!c->base || !merge_mro(vm, c, b, n))
        goto fail;
    c->d.size = c->base->d.size;
    c->d.attrs_at = c->base->d.attrs_at;
    if (c->base == object) {
        c->d.size = sizeof(Instance);
        c->d.attrs_at = offsetof(Instance, attrs);
    }
    c->d.destroy = c->base->d.destroy;
    c->d.visit = c->base->d.visit;
    dunder_slots(vm, c);
    for (i = 0; i < n; i++)
        if (b[i] != object)
            inherit(c, b[i]);
    inherit(c, object);
    c->bases = sc_tuple(vm, n);
    if (!c->bases)
        goto fail;
    for (i = 0; i < n; i++)
        c->bases->v[i] = v_obj(gc_ref(b[i]));
    m = sc_dict_find_str(ns, vm->known[S_module]);
    if (m && sc_is_exact(vm, *m, C_str))
        c->module = obj_ref(as_str(*m));
    sc_class_refresh(vm, c);
    return c;
fail:
    obj_drop(vm, c);
    return NULL;
}

/* __set_name__ of attributes, __init_subclass__ of the next class in order. */
bool sc_subclass_hooks(Vm *vm, Class *c)
{
    DictEntry *e;
    uint32_t i;
    Value r, args[2];

    for (i = 0; dict_next(c->attrs, &i, &e);) {
        Value *fn = e->val.tag == T_OBJ && e->val.o->cls->script
                        ? sc_class_find(e->val.o->cls, vm->known[S_set_name])
                        : NULL;

        if (!fn)
            continue;
        Value three[3] = {e->val, v_obj(c), e->key};

        r = sc_call(vm, *fn, three, 3);
        if (r.tag == T_NIL)
            return false;
        sc_drop(vm, r);
    }
    for (i = 1; i < c->nmro; i++) {
        Value *fn = sc_dict_find_str(c->mro[i]->attrs, vm->known[S_init_subclass]);

        if (!fn)
            continue;
        args[0] = v_obj(c);
        r = sc_is_exact(vm, *fn, C_classmethod)
                ? sc_call(vm, ((Wrapped *)fn->o)->fn, args, 1)
                : sc_call(vm, *fn, args, 1);
        if (r.tag == T_NIL)
            return false;
        sc_drop(vm, r);
        break;
    }
    return true;
}

/* ---- finding attributes ------------------------------------------------------------ */

Value *sc_class_find(Class *c, const Str *name)
{
    for (uint32_t i = 0; i < c->nmro; i++) {
        Value *v = c->mro[i]->attrs ? sc_dict_find_str(c->mro[i]->attrs, name) : NULL;

        if (v)
            return v;
    }
    return NULL;
}

Dict **sc_attrs_of(Value v)
{
    size_t at = v.tag == T_OBJ ? v.o->cls->d.attrs_at : 0;

    return at ? (Dict **)(void *)((char *)v.o + at) : NULL;
}

/* Is self of the class whose property it is? A script may have put it into another. */
static bool getset_applies(Vm *vm, const GetSet *g, Value self)
{
    if (!sc_is_instance(vm, self, g->owner))
        return sc_fail(vm, C_TypeError, "descriptor '%s' for '%s' objects doesn't apply to a '%s' object",
                       g->def->name, g->owner->name->s, sc_type_name(vm, self));
    if (keeps_native(vm, g->owner) && !sc_native(self))
        return sc_fail(vm, C_TypeError, "%s.__init__() was not called", g->owner->name->s);
    return true;
}

Value sc_bind(Vm *vm, Value attr, Value self, Class *cls)
{
    Class *k;
    Value r, args[3];

    if (attr.tag != T_OBJ)
        return attr;
    k = attr.o->cls;
    if (k == vm->cls[C_function] || (k == vm->cls[C_builtin_function_or_method] &&
                                     ((Native *)attr.o)->owner))
        return self.tag == T_NIL ? sc_ref(attr) : sc_method(vm, attr, self);
    if (k == vm->cls[C_property]) {
        Property *p = (Property *)attr.o;

        if (self.tag == T_NIL)
            return sc_ref(attr);
        if (p->get.tag == T_NONE || p->get.tag == T_NIL)
            return sc_raise(vm, C_AttributeError, "property has no getter");
        return sc_call(vm, p->get, &self, 1);
    }
    if (k == vm->cls[C_staticmethod])
        return sc_ref(((Wrapped *)attr.o)->fn);
    if (k == vm->cls[C_classmethod])
        return sc_method(vm, ((Wrapped *)attr.o)->fn, v_obj(cls));
    if (k == vm->cls[C_getset]) {
        GetSet *g = (GetSet *)attr.o;

        return self.tag == T_NIL              ? sc_ref(attr)
               : getset_applies(vm, g, self) ? g->def->get(vm, self)
                                             : NIL;
    }
    if (k->script) {
        Value *get = sc_class_find(k, vm->known[S_get]);

        if (get) {
            args[0] = attr;
            args[1] = self.tag == T_NIL ? NONE : self;
            args[2] = v_obj(cls);
            r = sc_call(vm, *get, args, 3);
            return r;
        }
    }
    return sc_ref(attr);
}

/* The same, for an attribute that its class alone holds: what is called may remove it. */
static Value bind_held(Vm *vm, Value attr, Value self, Class *cls)
{
    Value r;

    sc_ref(attr);
    r = sc_bind(vm, attr, self, cls);
    sc_drop(vm, attr);
    return r;
}

static bool is_data_descriptor(Vm *vm, Value v)
{
    return v.tag == T_OBJ &&
           (v.o->cls == vm->cls[C_property] || v.o->cls == vm->cls[C_getset] ||
            (v.o->cls->script && sc_class_find(v.o->cls, vm->known[S_set])));
}

static Value special_attr(Vm *vm, Value v, Str *name)
{
    Class *c = sc_class_of(vm, v);
    Dict **d;

    if (name == vm->known[S_class])
        return v_obj(gc_ref(c));
    if (name == vm->known[S_dict] && (d = sc_attrs_of(v))) {
        if (!*d && !(*d = sc_dict(vm)))
            return NIL;
        return v_obj(gc_ref(*d));
    }
    if (name == vm->known[S_doc])
        return NONE;
    if (name == vm->known[S_module] && c->module)
        return v_obj(obj_ref(c->module));
    return NIL;
}

static Value class_getattr(Vm *vm, Class *c, Str *name)
{
    Value *v;

    if (name == vm->known[S_name] || name == vm->known[S_qualname])
        return v_obj(obj_ref(c->name));
    v = sc_class_find(c, name);
    if (v)
        return sc_bind(vm, *v, NIL, c);
    if (name == vm->known[S_mro]) {
        Tuple *t = sc_tuple(vm, c->nmro);

        for (uint32_t i = 0; t && i < c->nmro; i++)
            t->v[i] = v_obj(gc_ref(c->mro[i]));
        return v_obj(t);
    }
    if (name == vm->known[S_bases])
        return c->bases ? v_obj(gc_ref(c->bases)) : v_obj(gc_ref(vm->empty_tuple));
    if (name == vm->known[S_module])
        return v_obj(obj_ref(c->module ? c->module : vm->known[S_builtins]));
    if (name == vm->known[S_dict])
        return v_obj(gc_ref(c->attrs));
    v = sc_class_find(vm->cls[C_type], name);
    if (v)
        return sc_bind(vm, *v, v_obj(c), vm->cls[C_type]);
    return special_attr(vm, v_obj(c), name);
}

/* As object.__getattribute__ does: descriptors of the class that also set, the attributes
 * of v, the class. NIL without exception: not there. */
static Value plain_getattr(Vm *vm, Value v, Str *name)
{
    Class *c = sc_class_of(vm, v);
    Value *a, *own;
    Dict **d;

    if (c == vm->cls[C_type])
        return class_getattr(vm, (Class *)v.o, name);
    a = sc_class_find(c, name);
    if (a && is_data_descriptor(vm, *a))
        return bind_held(vm, *a, v, c);
    d = sc_attrs_of(v);
    own = d && *d ? sc_dict_find_str(*d, name) : NULL;
    if (own)
        return sc_ref(*own);
    return a ? bind_held(vm, *a, v, c) : special_attr(vm, v, name);
}

Value sc_getattr_opt(Vm *vm, Value v, Str *name)
{
    Class *c = sc_class_of(vm, v);
    Value r;

    if (c == vm->cls[C_super] && name != vm->known[S_class])
        return c->d.getattr(vm, v, name);
    r = plain_getattr(vm, v, name);
    if (c == vm->cls[C_type])
        return r;
    if (r.tag == T_NIL && c->d.getattr && (!sc_failed(vm) || sc_exc_is(vm, C_AttributeError))) {
        sc_clear_exc(vm);
        r = c->d.getattr(vm, v, name);
    }
    return r;
}

const char *sc_nearest(Vm *vm, Str *name, Dict *const *dicts, int n)
{
    const char *list[512], *found;
    DictEntry *e;
    int k = 0;

    for (int i = 0; i < n; i++)
        for (uint32_t j = 0; dicts[i] && dict_next(dicts[i], &j, &e);)
            if (k < COUNT(list) && is_str(e->key) && as_str(e->key)->s[0] != 0 &&
                (as_str(e->key)->s[0] != '_' || name->s[0] == '_'))
                list[k++] = as_str(e->key)->s;
    found = nearest_name(name->s, list, k);
    return found;
}

void sc_raise_no_attr(Vm *vm, Value v, Str *name)
{
    Class *c = sc_class_of(vm, v);
    Dict *dicts[32], **own = sc_attrs_of(v);
    int n = 0;
    const char *hint;

    if (own)
        dicts[n++] = *own;
    if (c == vm->cls[C_type])
        c = (Class *)v.o;
    for (uint32_t i = 0; i < c->nmro && n < 32; i++)
        dicts[n++] = c->mro[i]->attrs;
    hint = sc_nearest(vm, name, dicts, n);
    if (sc_is(vm, v, C_module))
        sc_raise(vm, C_AttributeError, "module '%s' has no attribute '%s'%s%s%s",
                 ((ScModule *)v.o)->name->s, name->s, hint ? "; did you mean: '" : "",
                 hint ? hint : "", hint ? "'?" : "");
    else
        sc_raise(vm, C_AttributeError, "%s'%s'%s has no attribute '%s'%s%s%s",
                 sc_class_of(vm, v) == vm->cls[C_type] ? "type object " : "",
                 v.tag == T_OBJ && sc_class_of(vm, v) == vm->cls[C_type]
                     ? c->name->s
                     : sc_type_name(vm, v),
                 sc_class_of(vm, v) == vm->cls[C_type] ? "" : " object", name->s, hint ? ". Did you mean: '" : "", hint ? hint : "", hint ? "'?" : "");
}

Value sc_getattr(Vm *vm, Value v, Str *name)
{
    Value r;

    if (v.tag == T_NIL)
        return NIL;
    r = sc_getattr_opt(vm, v, name);
    if (r.tag == T_NIL && !sc_failed(vm))
        sc_raise_no_attr(vm, v, name);
    return r;
}

Value sc_getattr_s(Vm *vm, Value v, const char *name)
{
    Str *s = sc_intern(vm, name, strlen(name));
    Value r = s ? sc_getattr(vm, v, s) : NIL;

    if (s)
        obj_drop(vm, s);
    return r;
}

Value sc_getmethod(Vm *vm, Value v, Str *name, bool *out_unbound)
{
    Class *c = sc_class_of(vm, v);
    Value *a;
    Dict **d;

    *out_unbound = false;
    if (c != vm->cls[C_type] && c != vm->cls[C_super]) {
        a = sc_class_find(c, name);
        d = sc_attrs_of(v);
        if (a && a->tag == T_OBJ &&
            (a->o->cls == vm->cls[C_function] ||
             (a->o->cls == vm->cls[C_builtin_function_or_method] && ((Native *)a->o)->owner)) &&
            !(d && *d && sc_dict_find_str(*d, name))) {
            *out_unbound = true;
            return sc_ref(*a);
        }
    }
    return sc_getattr(vm, v, name);
}

/* ---- setting ----------------------------------------------------------------------- */

static bool set_on_class(Vm *vm, Class *c, Str *name, Value x)
{
    if (!c->script)
        return sc_fail(vm, C_TypeError, "cannot set '%s' attribute of immutable type '%s'",
                       name->s, c->name->s);
    vm->version++;
    if (name == vm->known[S_name] && is_str(x)) {
        obj_drop(vm, c->name);
        c->name = obj_ref(as_str(x));
        return true;
    }
    if (x.tag == T_NIL) {
        int r = sc_dict_remove(vm, c->attrs, v_obj(name));

        if (r == 0)
            sc_raise_no_attr(vm, v_obj(c), name);
        return r > 0;
    }
    if (!sc_dict_put_str(vm, c->attrs, name, x))
        return false;
    dunder_slots(vm, c);
    sc_class_refresh(vm, c);
    return true;
}

static bool set_descriptor(Vm *vm, Value a, Value self, Str *name, Value x)
{
    Value args[3] = {a, self, x}, r, *fn;

    if (a.o->cls == vm->cls[C_getset]) {
        const PropertyDef *p = ((GetSet *)a.o)->def;

        if (!getset_applies(vm, (GetSet *)a.o, self))
            return false;
        if (!p->set)
            return sc_fail(vm, C_AttributeError, "attribute '%s' of '%s' objects is not writable",
                           name->s, sc_type_name(vm, self));
        return p->set(vm, self, x);
    }
    if (a.o->cls == vm->cls[C_property]) {
        Property *p = (Property *)a.o;
        Value f = x.tag == T_NIL ? p->del : p->set;

        if (f.tag == T_NIL || f.tag == T_NONE)
            return sc_fail(vm, C_AttributeError, "property '%s' of '%s' object has no %s",
                           name->s, sc_type_name(vm, self),
                           x.tag == T_NIL ? "deleter" : "setter");
        r = sc_call(vm, f, args + 1, x.tag == T_NIL ? 1 : 2);
    } else {
        fn = sc_class_find(a.o->cls, vm->known[S_set]);
        r = sc_call(vm, *fn, args, 3);
    }
    sc_drop(vm, r);
    return r.tag != T_NIL;
}

/* The first class down the bases that no class statement made: it has the layout. */
static const Class *layout_of(const Class *c)
{
    while (c->script && c->base)
        c = c->base;
    return c;
}

/* v.__class__ = x */
static bool set_class(Vm *vm, Value v, Value x)
{
    Class *old = sc_class_of(vm, v), *now = (Class *)x.o;

    if (x.tag != T_OBJ || x.o->cls != vm->cls[C_type])
        return sc_fail(vm, C_TypeError,
                       "__class__ must be set to a class, not '%s' object",
                       sc_type_name(vm, x));
    if (!old->script || !now->script)
        return sc_fail(vm, C_TypeError,
                       "__class__ assignment only supported for mutable types or "
                       "ModuleType subclasses");
    if (layout_of(old) != layout_of(now) || old->d.size != now->d.size)
        return sc_fail(vm, C_TypeError,
                       "__class__ assignment: '%s' object layout differs from '%s'",
                       now->name->s, old->name->s);
    v.o->cls = gc_ref(now);
    obj_drop(vm, old);
    return true;
}

/* Set in the attribute dict, as object.__setattr__ does. */
bool dunder_plain_setattr(Vm *vm, Value v, Str *name, Value x)
{
    Class *c = sc_class_of(vm, v);
    Value *a = sc_class_find(c, name);
    Dict **d = sc_attrs_of(v);
    int r;

    if (a && is_data_descriptor(vm, *a))
        return set_descriptor(vm, *a, v, name, x);
    if (!d) {
        if (a)
            return sc_fail(vm, C_AttributeError, "'%s' object attribute '%s' is read-only",
                           sc_type_name(vm, v), name->s);
        sc_raise_no_attr(vm, v, name);
        return false;
    }
    if (x.tag == T_NIL) {
        r = *d ? sc_dict_remove(vm, *d, v_obj(name)) : 0;
        if (r == 0)
            sc_raise_no_attr(vm, v, name);
        return r > 0;
    }
    if (name == vm->known[S_class])
        return set_class(vm, v, x);
    if (!*d && !(*d = sc_dict(vm)))
        return false;
    return sc_dict_put_str(vm, *d, name, x);
}

bool sc_setattr(Vm *vm, Value v, Str *name, Value x)
{
    Class *c = sc_class_of(vm, v);

    if (c == vm->cls[C_type])
        return set_on_class(vm, (Class *)v.o, name, x);
    if (c->d.setattr)
        return c->d.setattr(vm, v, name, x);
    return dunder_plain_setattr(vm, v, name, x);
}

/* ---- instances --------------------------------------------------------------------- */

Value sc_new_instance(Vm *vm, Class *c)
{
    Obj *o;

    if (c->is_tuple)
        return sc_raise(vm, C_TypeError, "tuple subclasses are made by tuple.__new__");
    if (c->d.sealed) /* functions, iterators .. are made by what they belong to */
        return sc_raise(vm, C_TypeError, "cannot create '%s' instances", c->name->s);
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
    if (i->native) {
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
    if (i->native && o->cls->d.native_visit)
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

/* ---- object, type ------------------------------------------------------------------ */

static Value object_repr(Vm *vm, Value self)
{
    Class *c = sc_class_of(vm, self);

    if (c->module && c->script)
        return sc_strf(vm, "<%s.%s object at 0x%012llx>", c->module->s, c->name->s,
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
    r = plain_getattr(vm, a->v[0], name);
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

    if (a->n < 1 || a->v[0].tag != T_OBJ || a->v[0].o->cls != vm->cls[C_type])
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
    return sc_new_instance(vm, c);
}

static Value object_eq(Vm *vm, const Args *a)
{
    (void)vm;
    return sc_same(a->v[0], a->v[1]) ? v_bool(true) : NOTIMPL;
}

static Value object_hash(Vm *vm, const Args *a)
{
    uint64_t h;

    return sc_hash(vm, a->v[0], &h) ? v_int((int64_t)(h >> 1)) : NIL;
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
    (void)vm;
    (void)a;
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

    if (c->script && c->module && strcmp(c->module->s, "builtins") != 0)
        return sc_strf(vm, "<class '%s.%s'>", c->module->s, c->name->s);
    return sc_strf(vm, "<class '%s%s%s'>", c->module ? c->module->s : "",
                   c->module ? "." : "", c->name->s);
}

static Value type_make(Vm *vm, Class *cls, const Args *a)
{
    Class *c;
    Dict *ns;

    (void)cls;
    if (a->n == 1)
        return v_obj(gc_ref(sc_class_of(vm, a->v[0])));
    if (a->n != 3 || !is_str(a->v[0]) || !sc_is(vm, a->v[1], C_tuple) ||
        !sc_is(vm, a->v[2], C_dict))
        return sc_raise(vm, C_TypeError, "type() takes 1 or 3 arguments");
    ns = sc_dict_copy(vm, (Dict *)a->v[2].o, vm->cls[C_dict]);
    if (!ns)
        return NIL;
    c = sc_class_new(vm, as_str(a->v[0]), (Tuple *)a->v[1].o, ns);
    obj_drop(vm, ns);
    if (c && !sc_subclass_hooks(vm, c)) {
        obj_drop(vm, c);
        return NIL;
    }
    return v_obj(c);
}

static Value type_call(Vm *vm, Value self, const Args *a)
{
    return sc_call_class(vm, (Class *)self.o, a);
}

/* X[int]: generic classes give themselves. */
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
        return sc_ref(self);
    return sc_raise(vm, C_TypeError, "type '%s' is not subscriptable", c->name->s);
}

/* int | None in annotations: something isinstance understands. */
static Value type_binary(Vm *vm, BinOp op, Value a, Value b, bool reflected, bool inplace)
{
    Value parts[2] = {a, b};

    (void)inplace;
    (void)reflected;
    if (op != OP2_OR)
        return NOTIMPL;
    return v_obj(sc_tuple_of(vm, parts, 2));
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

static const NativeDef type_methods[] = {{"mro", type_mro, "self"}, {0}};

const ClassDef sc_type_def = {
    .name = "type", .size = sizeof(Class), .sealed = true, .make = type_make,
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
        !(c == vm->cls[C_type] && sc_is_subclass((Class *)self.o, after)))
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
    bool on_class = c == vm->cls[C_type] && !sc_is_subclass(c, s->after);
    uint32_t i;

    if (on_class)
        c = (Class *)s->self.o;
    for (i = 0; i < c->nmro && c->mro[i] != s->after; i++)
        ;
    for (i++; i < c->nmro; i++) {
        Value *v = sc_dict_find_str(c->mro[i]->attrs, name);

        if (v)
            return sc_bind(vm, *v, on_class ? NIL : s->self, c);
    }
    return NIL;
}

static Value super_make(Vm *vm, Class *cls, const Args *a)
{
    (void)cls;
    if (a->n != 2 || a->v[0].tag != T_OBJ || a->v[0].o->cls != vm->cls[C_type])
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

    if (c == vm->cls[C_type])
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
