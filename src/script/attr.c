/* attr.c -- attributes: finding them through instance, class and descriptors; setting them.
 *
 * The order is Python's: a descriptor of the class that can set comes before the attributes of
 * the instance, these before anything else of the class, and __getattr__ last. What is found
 * in a class is borrowed from its dict; code of the script that is called with it may remove
 * it there, so it is held meanwhile.
 */
#include "ast.h"
#include "class.h"
#include "dunder.h"

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

    if (at == ATTRS_BEHIND)
        at = STR_ATTRS_AT(as_str(v)->n);
    return at ? (Dict **)(void *)((char *)v.o + at) : NULL;
}

/* Is self of the class whose property it is? A script may have put it into another. */
static bool getset_applies(Vm *vm, const GetSet *g, Value self)
{
    if (!sc_is_instance(vm, self, g->owner))
        return sc_fail(vm, C_TypeError, "descriptor '%s' for '%s' objects doesn't apply to a '%s' object",
                       g->def->name, g->owner->name->s, sc_type_name(vm, self));
    if (class_keeps_native(vm, g->owner) && !sc_native(self))
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
        return self.tag == T_NIL ? sc_ref(attr) : sc_property_get(vm, (Property *)attr.o, self);
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
        return c == vm->cls[C_method] ? sc_getattr(vm, ((Method *)v.o)->fn, name) : NONE;
    if (name == vm->known[S_module] && c->module)
        return v_obj(obj_ref(c->module));
    return NIL;
}

Value class_getattr(Vm *vm, Class *c, Str *name)
{
    Class *meta = c->h.h.cls;
    Value *v, r;

    if (name == vm->known[S_name])
        return v_obj(obj_ref(c->name));
    if (meta != vm->cls[C_type] && (v = sc_class_find(meta, name)) && is_data_descriptor(vm, *v))
        return bind_held(vm, *v, v_obj(c), meta);
    if (name == vm->known[S_qualname]) {
        v = c->attrs ? sc_dict_find_str(c->attrs, name) : NULL;
        return v ? sc_ref(*v) : v_obj(obj_ref(c->name));
    }
    v = sc_class_find(c, name);
    if ((!v || dunder_is_object(vm, *v)) && (r = sc_slot_method(vm, dunder_native_base(c), name, NIL)).tag != T_NIL)
        return r;
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
    v = sc_class_find(meta, name);
    if (v)
        return sc_bind(vm, *v, v_obj(c), meta);
    r = sc_slot_method(vm, vm->cls[C_type], name, v_obj(c));
    return r.tag != T_NIL ? r : special_attr(vm, v_obj(c), name);
}

/* As object.__getattribute__ does: descriptors of the class that also set, the attributes
 * of v, the class. NIL without exception: not there. */
Value class_plain_getattr(Vm *vm, Value v, Str *name)
{
    Class *c = sc_class_of(vm, v);
    Value *a, *own, r;
    Dict **d;

    if (c->is_type)
        return class_getattr(vm, (Class *)v.o, name);
    a = sc_class_find(c, name);
    if (a && is_data_descriptor(vm, *a))
        return bind_held(vm, *a, v, c);
    d = sc_attrs_of(v);
    own = d && *d ? sc_dict_find_str(*d, name) : NULL;
    if (own)
        return sc_ref(*own);
    if ((!a || dunder_is_object(vm, *a)) && (r = sc_slot_method(vm, dunder_native_base(c), name, v)).tag != T_NIL)
        return r;
    return a ? bind_held(vm, *a, v, c) : special_attr(vm, v, name);
}

/* What the class's own __getattribute__ says. */
static Value ask(Vm *vm, Value v, Str *name)
{
    Value n = v_obj(name), r;

    if (!sc_enter(vm))
        return NIL;
    r = dunder_call(vm, v, S_getattribute, &n, 1);
    sc_leave(vm);
    return r;
}

Value sc_getattr_opt(Vm *vm, Value v, Str *name)
{
    Class *c = sc_class_of(vm, v);
    Value r;

    if (c == vm->cls[C_super] && name != vm->known[S_class])
        return c->d.getattr(vm, v, name);
    r = c->asks ? ask(vm, v, name) : class_plain_getattr(vm, v, name);
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
    if (c->is_type)
        c = (Class *)v.o;
    for (uint32_t i = 0; i < c->nmro && n < 32; i++)
        dicts[n++] = c->mro[i]->attrs;
    hint = sc_nearest(vm, name, dicts, n);
    if (sc_is(vm, v, C_module))
        sc_raise(vm, C_AttributeError, "module '%s' has no attribute '%s'",
                 ((ScModule *)v.o)->name->s, name->s);
    else
        sc_raise(vm, C_AttributeError, "%s'%s'%s has no attribute '%s'",
                 sc_is_class(v) ? "type object " : "", sc_is_class(v) ? c->name->s : sc_type_name(vm, v),
                 sc_is_class(v) ? "" : " object", name->s);
    sc_hint(vm, ". Did you mean: ", hint);
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

bool sc_setattr_s(Vm *vm, Value v, const char *name, Value x)
{
    Str *s = sc_intern(vm, name, strlen(name));
    bool ok = s && sc_setattr(vm, v, s, x);

    if (s)
        obj_drop(vm, s);
    return ok;
}

Value sc_getmethod(Vm *vm, Value v, Str *name, bool *out_unbound)
{
    Class *c = sc_class_of(vm, v);
    Value *a;
    Dict **d;

    *out_unbound = false;
    if (!c->is_type && c != vm->cls[C_super] && !c->asks) {
        a = sc_class_find(c, name);
        d = sc_attrs_of(v);
        if (a && a->tag == T_OBJ &&
            (a->o->cls == vm->cls[C_function] ||
             (a->o->cls == vm->cls[C_builtin_function_or_method] && ((Native *)a->o)->owner &&
              !dunder_is_object(vm, *a))) &&
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
    bool special = name->n > 4 && name->s[0] == '_' && name->s[1] == '_';

    if (!c->script)
        return sc_fail(vm, C_TypeError, "cannot set '%s' attribute of immutable type '%s'",
                       name->s, c->name->s);
    if (name == vm->known[S_bases] || name == vm->known[S_mro]) /* the order of a class is made once */
        return sc_fail(vm, C_AttributeError, "attribute '%s' of 'type' objects is not writable", name->s);
    vm->version++;
    if (name == vm->known[S_name] && is_str(x)) {
        Str *old = c->name; /* whose __del__ may name the class again */

        c->name = obj_ref(as_str(x));
        obj_drop(vm, old);
        return true;
    }
    if (name == vm->known[S_module] && is_str(x)) {
        Str *old = c->module;

        c->module = obj_ref(as_str(x));
        if (old)
            obj_drop(vm, old);
    }
    if (x.tag == T_NIL) {
        int r = sc_dict_remove(vm, c->attrs, v_obj(name));

        if (r == 0)
            sc_raise_no_attr(vm, v_obj(c), name);
        else if (special)
            class_slots_changed(vm, c);
        return r > 0;
    }
    if (!sc_dict_put_str(vm, c->attrs, name, x))
        return false;
    if (name == vm->known[S_abstractmethods] && !sc_to_bool(vm, x, &c->is_abstract))
        return false;
    if (special)
        class_slots_changed(vm, c);
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
        fn = sc_class_find(a.o->cls, vm->known[x.tag == T_NIL ? S_delete : S_set]);
        r = fn ? sc_call(vm, *fn, args, x.tag == T_NIL ? 2 : 3) : sc_raise(vm, C_AttributeError, "__delete__");
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

    if (!sc_is_class(x))
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
    if (c->is_type)
        return set_on_class(vm, (Class *)v.o, name, x);
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
    if (c->closed && !class_has_slot(vm, c, name)) {
        if (a)
            return sc_fail(vm, C_AttributeError, "'%s' object attribute '%s' is read-only", sc_type_name(vm, v), name->s);
        sc_raise_no_attr(vm, v, name);
        return false;
    }
    if (!*d && !(*d = sc_dict(vm)))
        return false;
    return sc_dict_put_str(vm, *d, name, x);
}

bool sc_setattr(Vm *vm, Value v, Str *name, Value x)
{
    Class *c = sc_class_of(vm, v);

    if (!sc_may_set(vm, v, name))
        return false;
    if (c->d.setattr)
        return c->d.setattr(vm, v, name, x);
    return dunder_plain_setattr(vm, v, name, x);
}
