/* class.c -- classes: making them, their order after C3, their end.
 *
 * A Class carries its ClassDef with everything inherited filled in, so operators need no
 * search. Where a script class defines a dunder method, the matching slot of its ClassDef
 * is set to a function of dunder.c that calls it.
 */
#include "ast.h"
#include "class.h"
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

/* Has the class of spec a method of its own that says what belongs to it? */
static bool asks_class(Vm *vm, Value spec, KnownStr name)
{
    Value *f = sc_class_find(spec.o->cls, vm->known[name]);

    return f && !sc_is_exact(vm, *f, C_builtin_function_or_method);
}

static int ask_class(Vm *vm, Value spec, KnownStr name, Value v)
{
    Value r = dunder_call(vm, spec, name, &v, 1);
    bool on = false;

    if (r.tag != T_NIL)
        (void)sc_to_bool(vm, r, &on);
    sc_drop(vm, r);
    return sc_failed(vm) ? -1 : on;
}

/* An object whose class has a property __class__ says itself what it is. */
static bool says_class(Vm *vm, Value v, Class *spec)
{
    Value *f = v.tag == T_OBJ ? sc_class_find(v.o->cls, vm->known[S_own_class]) : NULL, c;
    bool is;

    if (!f || !sc_is_exact(vm, *f, C_property))
        return false;
    c = sc_getattr(vm, v, vm->known[S_own_class]);
    is = sc_is_class(c) && sc_is_subclass((Class *)(void *)c.o, spec);
    sc_drop(vm, c);
    return is;
}

int sc_isinstance_of(Vm *vm, Value v, Value spec)
{
    if (sc_is_class(spec) &&
        (spec.o->cls == vm->cls[C_type] || !asks_class(vm, spec, S_instancecheck)))
        return sc_is_instance(vm, v, (Class *)spec.o) ||
               (vm->engine && engine_poses_as(vm, v, (Class *)spec.o)) || says_class(vm, v, (Class *)spec.o);
    if (v_obj(sc_class_of(vm, v)).o == spec.o && spec.tag == T_OBJ)
        return 1;
    if (sc_is(vm, spec, C_tuple)) {
        Tuple *t = (Tuple *)spec.o;

        int r = sc_enter(vm) ? 0 : -1;

        if (r)
            return r;
        for (int64_t i = 0; !r && i < t->n; i++)
            r = sc_isinstance_of(vm, v, t->v[i]);
        sc_leave(vm);
        return r;
    }
    if (spec.tag == T_NONE)
        return v.tag == T_NONE;
    if (spec.tag == T_OBJ && asks_class(vm, spec, S_instancecheck))
        return ask_class(vm, spec, S_instancecheck, v);
    sc_raise(vm, C_TypeError,
             "isinstance() arg 2 must be a type, a tuple of types, or a union");
    return -1;
}

int sc_issubclass_of(Vm *vm, Class *c, Value spec)
{
    if (sc_is(vm, spec, C_tuple)) {
        Tuple *t = (Tuple *)spec.o;

        int r = sc_enter(vm) ? 0 : -1;

        if (r)
            return r;
        for (int64_t i = 0; !r && i < t->n; i++)
            r = sc_issubclass_of(vm, c, t->v[i]);
        sc_leave(vm);
        return r;
    }
    if (spec.tag == T_OBJ && spec.o->cls != vm->cls[C_type] &&
        asks_class(vm, spec, S_subclasscheck))
        return ask_class(vm, spec, S_subclasscheck, v_obj(c));
    if (sc_is_class(spec))
        return sc_is_subclass(c, (Class *)spec.o);
    sc_raise(vm, C_TypeError,
             "issubclass() arg 2 must be a class, a tuple of classes, or a union");
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
    if (!ok) {
        char names[300] = "";

        for (int i = 0; i < nb; i++)
            if (strlen(names) + strlen(bases[i]->name->s) + 3 < sizeof names)
                strcat(strcat(names, i ? ", " : ""), bases[i]->name->s);
        sc_raise(vm, C_TypeError, "Cannot create a consistent method resolution\norder (MRO) for bases %s", names);
    }
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

void class_destroy(Vm *vm, Obj *o)
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

void class_visit(Obj *o, VisitFn fn, void *user)
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
    if (!c->d.f && !(root && b->d.f == root->d.f))                                       \
    c->d.f = b->d.f
/* root: object, if other bases follow: what b has of it comes after theirs. Else NULL. */
static void inherit(Class *c, const Class *b, const Class *root)
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
    if (c->script || !c->d.repr) { /* __repr__ of a class hides no __str__ of its base */
        INHERIT(str);
    }
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
    c->is_type |= b->is_type;
    c->has_del |= b->has_del;
}

void sc_class_refresh(Vm *vm, Class *c)
{
    c->plain_setattr = !c->d.setattr && !c->closed;
    vm->version++;
}

/* What a class of the script does, by its special methods and those of its bases. */
static void fill_slots(Vm *vm, Class *c)
{
    Class *object = vm->cls[C_object];
    int64_t n = c->bases->n;

    c->d = (ClassDef){.name = c->name->s,
                      .size = c->base->d.size,
                      .attrs_at = c->base->d.destroy == sc_str_def.destroy ? ATTRS_BEHIND : c->base->d.attrs_at,
                      .destroy = c->base->d.destroy,
                      .visit = c->base->d.visit};
    if (c->base == object) {
        c->d.size = sizeof(Instance);
        c->d.attrs_at = offsetof(Instance, attrs);
    }
    dunder_slots(vm, c);
    c->asks = false;
    for (uint32_t i = 0; i < c->nmro; i++)
        c->asks |= c->mro[i]->script && sc_dict_find_str(c->mro[i]->attrs, vm->known[S_getattribute]);
    for (int64_t i = 0; i < n; i++)
        if ((Class *)c->bases->v[i].o != object)
            inherit(c, (Class *)c->bases->v[i].o, i + 1 < n ? object : NULL);
    inherit(c, object, NULL);
    sc_class_refresh(vm, c);
}

/* The class, and those derived from it: bases before who has them. */
void class_slots_changed(Vm *vm, Class *of)
{
    uint32_t most = of->nmro;

    fill_slots(vm, of);
    for (uint32_t n = of->nmro + 1; of->is_base && n <= most + 1; n++)
        for (GcObj *g = vm->gc_list.next; g != &vm->gc_list; g = g->next) {
            Class *c = (Class *)g;

            if (!g->h.cls->is_type || !c->script || c == of || !sc_is_subclass(c, of))
                continue;
            most = MAX(most, c->nmro);
            if (c->nmro == n)
                fill_slots(vm, c);
        }
}

/* A class with an init of its own and nothing but an Instance has its state in the
 * native part, which __new__ alone does not make. */
bool class_keeps_native(Vm *vm, const Class *c)
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
                          : class_keeps_native(vm, c)                           ? SELF_FILLED
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

static Class *class_alloc(Vm *vm, Class *meta, Str *name, Dict *attrs)
{
    Class *c = sc_gc_new(vm, meta, sizeof *c);

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
    Args rest;

    if (a->n < 1 || !sc_is_instance(vm, a->v[0], c))
        return sc_raise(vm, C_TypeError, "%s.__init__() needs an instance of %s as self",
                        c->name->s, c->name->s);
    rest = (Args){a->v + 1, a->n - 1, a->nkw, a->names, NULL, NULL};
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
    Class *c = name ? class_alloc(vm, vm->cls[C_type], name, NULL) : NULL;

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
        inherit(c, base, NULL);
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
        inherit(c, base, NULL);
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

/* typing.Generic before a base that derives from it says nothing: Generic[T] may stand there, and
 * its place would make no order. */
static int drop_generic(Class **b, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++)
            if (sc_is_subclass(b[j], b[i]) && strcmp(b[i]->name->s, "Generic") == 0) {
                memmove(b + i, b + i + 1, (size_t)(n - i - 1) * sizeof *b);
                return n - 1;
            }
    return n;
}

bool class_has_slot(Vm *vm, const Class *c, const Str *name)
{
    for (uint32_t i = 0; i < c->nmro; i++) {
        Value *v = c->mro[i]->attrs ? sc_dict_find_str(c->mro[i]->attrs, vm->known[S_slots]) : NULL;

        if (v && is_str(*v) && !strcmp(as_str(*v)->s, name->s))
            return true;
        for (int64_t k = 0; v && sc_is(vm, *v, C_tuple) && k < ((Tuple *)v->o)->n; k++)
            if (is_str(((Tuple *)v->o)->v[k]) && !strcmp(as_str(((Tuple *)v->o)->v[k])->s, name->s))
                return true;
    }
    return false;
}

/* ---- slots of names that a base has: they hide what the base says of them, as descriptors of the class ---- */

static Value slot_get(Vm *vm, const Args *a)
{
    Dict **d = sc_attrs_of(a->v[1]);
    Value *v = d && *d ? sc_dict_find_str(*d, as_str(a->v[0])) : NULL;

    if (!v)
        sc_raise_no_attr(vm, a->v[1], as_str(a->v[0]));
    return v ? sc_ref(*v) : NIL;
}

static Value slot_set(Vm *vm, const Args *a)
{
    Dict **d = sc_attrs_of(a->v[1]);

    if (!d) {
        sc_raise_no_attr(vm, a->v[1], as_str(a->v[0]));
        return NIL;
    }
    return (*d || (*d = sc_dict(vm))) && sc_dict_put_str(vm, *d, as_str(a->v[0]), a->v[2]) ? NONE : NIL;
}

static Value slot_del(Vm *vm, const Args *a)
{
    Dict **d = sc_attrs_of(a->v[1]);
    int r = d && *d ? sc_dict_remove(vm, *d, a->v[0]) : 0;

    if (r == 0)
        sc_raise_no_attr(vm, a->v[1], as_str(a->v[0]));
    return r > 0 ? NONE : NIL;
}

static bool add_slot(Vm *vm, Class *c, Str *name)
{
    static const NativeDef defs[] = {
        {"__get__", slot_get, "name,obj"}, {"__set__", slot_set, "name,obj,value"}, {"__delete__", slot_del, "name,obj"}};
    Value p = NIL;
    Value *part[3];
    bool ok;
    uint32_t i;

    for (i = 1; i < c->nmro; i++)
        if (c->mro[i]->attrs && sc_dict_find_str(c->mro[i]->attrs, name))
            break;
    if (i >= c->nmro)
        return true;
    p = sc_new_instance(vm, vm->cls[C_property]);
    if (p.tag == T_NIL)
        return false;
    part[0] = &((Property *)p.o)->get;
    part[1] = &((Property *)p.o)->set;
    part[2] = &((Property *)p.o)->del;
    ok = true;
    for (int k = 0; k < 3 && ok; k++) {
        Native *n = sc_native_fn(vm, &defs[k], v_obj(name), NULL);

        ok = n != NULL;
        if (ok)
            sc_put(vm, part[k], v_obj(n));
    }
    ok = ok && sc_dict_put_str(vm, c->attrs, name, p);
    sc_drop(vm, p);
    return ok;
}

/* __slots__ becomes a tuple, or stays one text; c is closed if all its bases are. */
static bool read_slots(Vm *vm, Class *c, Class *const *b, int n)
{
    Value *v = sc_dict_find_str(c->attrs, vm->known[S_slots]);
    Tuple *t;

    if (!v)
        return true;
    if (!is_str(*v)) {
        if (!(t = sc_tuple_from(vm, *v)))
            return false;
        if (!sc_dict_put_str(vm, c->attrs, vm->known[S_slots], v_obj(t))) {
            obj_drop(vm, t);
            return false;
        }
        for (int64_t k = 0; k < t->n; k++)
            if (is_str(t->v[k]) && sc_dict_find_str(c->attrs, as_str(t->v[k]))) {
                sc_raise(vm, C_ValueError, "'%s' in __slots__ conflicts with class variable", as_str(t->v[k])->s);
                obj_drop(vm, t);
                return false;
            }
        for (int64_t k = 0; k < t->n; k++)
            if (is_str(t->v[k]) && !add_slot(vm, c, as_str(t->v[k]))) {
                obj_drop(vm, t);
                return false;
            }
        obj_drop(vm, t);
    } else if (!add_slot(vm, c, as_str(*v)))
        return false;
    c->closed = !class_has_slot(vm, c, vm->known[S_dict]);
    for (int i = 0; i < n; i++)
        c->closed = c->closed && (!b[i]->script || b[i]->closed);
    return true;
}

Class *sc_class_new(Vm *vm, Class *meta, Str *name, Tuple *bases, Dict *ns)
{
    Class *b[32], *c, *object = vm->cls[C_object];
    int n = (int)bases->n, i;
    Value *m;

    for (i = 0; i < n && i < 32; i++) {
        if (!sc_is_class(bases->v[i])) {
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
    n = drop_generic(b, n);
    if (n == 0) {
        b[0] = object;
        n = 1;
    }
    c = wrap_special(vm, ns) ? class_alloc(vm, meta, name, ns) : NULL;
    if (!c)
        return NULL;
    c->script = true;
    c->base = layout_base(vm, b, n);
    if (!c->base || !merge_mro(vm, c, b, n))
        goto fail;
    c->bases = sc_tuple(vm, n);
    if (!c->bases)
        goto fail;
    for (i = 0; i < n; i++) {
        c->bases->v[i] = v_obj(gc_ref(b[i]));
        b[i]->is_base = true;
    }
    if (!read_slots(vm, c, b, n))
        goto fail;
    fill_slots(vm, c);
    m = sc_dict_find_str(ns, vm->known[S_module]);
    if (m && sc_is_exact(vm, *m, C_str))
        c->module = obj_ref(as_str(*m));
    return c;
fail:
    obj_drop(vm, c);
    return NULL;
}

/* __set_name__ of attributes, __init_subclass__ of the next class in order. */
bool sc_subclass_hooks(Vm *vm, Class *c, const Args *a)
{
    DictEntry *e;
    uint32_t i;
    Value r, args[17];
    Args call = {args, 1, 0, NULL, NULL, NULL};

    if (a && a->nkw > 16)
        return sc_fail(vm, C_TypeError, "a class takes at most 16 keywords");
    for (int k = 0; a && k < a->nkw; k++)
        args[1 + k] = a->v[a->n + k];
    if (a) {
        call.nkw = a->nkw;
        call.names = a->names;
    }

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
        r = sc_call_args(vm, sc_is_exact(vm, *fn, C_classmethod) ? ((Wrapped *)fn->o)->fn : *fn,
                         &call);
        if (r.tag == T_NIL)
            return false;
        sc_drop(vm, r);
        break;
    }
    return true;
}
