/* vm_names.c -- names and attributes, where an instruction's cache does not know.
 *
 * A Cache belongs to one instruction. It remembers where its name was found last: the entry of
 * the dict (hint), the method of a class (cls, fn), or what a class says of an attribute (of, fn: a
 * value, a property). All are good while vm->version is what it was, which changes with every class.
 * What it points at is borrowed from there.
 */
#include "class.h"
#include "vm.h"

bool vm_raise_unbound(Vm *vm, const VmFrame *fr, uint32_t reg)
{
    return sc_fail(vm, C_UnboundLocalError,
                   "cannot access local variable '%s' where it is not associated with a value",
                   fr->code->local_names[reg] ? fr->code->local_names[reg] : "?");
}

Value vm_raise_unknown_name(Vm *vm, const VmFrame *fr, Str *name)
{
    Dict *dicts[2] = {fr->module->attrs, vm->builtins};
    const char *list[300], *hint = NULL;
    int n = 0;

    for (uint32_t i = 0; i < fr->code->nlocals && n < COUNT(list); i++)
        if (fr->code->local_names[i] && fr->regs[i].tag != T_NIL)
            list[n++] = fr->code->local_names[i];
    hint = n ? nearest_name(name->s, list, n) : NULL;
    if (!hint)
        hint = sc_nearest(vm, name, dicts, 2);
    sc_raise(vm, C_NameError, "name '%s' is not defined", name->s);
    sc_hint(vm, ". Did you mean: ", hint);
    return NIL;
}

Value vm_load_global(Vm *vm, const VmFrame *fr, Cache *c)
{
    Dict *d = fr->module->attrs;
    Value *v = sc_dict_find_str(d, c->name);

    if (v) {
        c->hint = (uint32_t)((DictEntry *)(void *)((char *)v - offsetof(DictEntry, val)) - d->e);
        return sc_ref(*v);
    }
    v = sc_dict_find_str(vm->builtins, c->name);
    if (!v)
        return vm_raise_unknown_name(vm, fr, c->name);
    c->dict = vm->builtins;
    c->version = d->keys;
    c->fn = *v;
    c->hint = UINT32_MAX;
    return sc_ref(*v);
}

Value vm_load_class_name(Vm *vm, const VmFrame *fr, Str *name)
{
    Value *v = fr->ns ? sc_dict_find_str(fr->ns, name) : NULL;

    if (!v)
        v = sc_dict_find_str(fr->module->attrs, name);
    if (!v)
        v = sc_dict_find_str(vm->builtins, name);
    return v ? sc_ref(*v) : vm_raise_unknown_name(vm, fr, name);
}

/* Might what the class has come before what its objects have? */
static bool may_set(Vm *vm, const Value *k)
{
    return k && k->tag == T_OBJ &&
           (k->o->cls == vm->cls[C_property] || k->o->cls == vm->cls[C_getset] || k->o->cls->script);
}

/* Remember where o itself holds the name; false: it does not, or the class comes first. */
static bool remember_own(Vm *vm, Value o, Cache *c)
{
    Dict **d = sc_attrs_of(o);
    Value *v = d && *d && o.o->cls->d.attrs_at != ATTRS_BEHIND ? sc_dict_find_str(*d, c->name) : NULL;

    if (!v || o.o->cls->asks || may_set(vm, sc_class_find(o.o->cls, c->name)))
        return false;
    c->cls = o.o->cls;
    c->of = NULL;
    c->version = vm->version;
    c->hint = (uint32_t)((DictEntry *)(void *)((char *)v - offsetof(DictEntry, val)) - (*d)->e);
    return true;
}

/* Remember what the class of o has for the name, where reading it needs no binding: a property, or a value that is no
 * descriptor. */
static void remember_of_class(Vm *vm, Value o, Cache *c)
{
    Class *cls = o.o->cls, *k;
    Value *v = cls->is_type || cls->asks || cls == vm->cls[C_super] ? NULL : sc_class_find(cls, c->name);

    if (!v)
        return;
    k = v->tag == T_OBJ ? v->o->cls : NULL;
    if (k && (k->script || k == vm->cls[C_function] || k == vm->cls[C_builtin_function_or_method] ||
              k == vm->cls[C_staticmethod] || k == vm->cls[C_classmethod]))
        return;
    if (k == vm->cls[C_getset] && class_keeps_native(vm, ((GetSet *)v->o)->owner))
        return; /* whether it applies depends on the object */
    c->of = cls;
    c->cls = NULL;
    c->version = vm->version;
    c->fn = *v;
}

/* By what is remembered of the class. NIL without an exception: o has an attribute of its own. */
static Value load_of_class(Vm *vm, Value o, const Cache *c)
{
    Class *k = c->fn.tag == T_OBJ ? c->fn.o->cls : NULL;
    Dict **d;
    Value fn, r;

    if (k == vm->cls[C_getset])
        return ((GetSet *)c->fn.o)->def->get(vm, o);
    if (k == vm->cls[C_property]) {
        fn = sc_ref(c->fn); /* what it calls may remove it */
        r = sc_property_get(vm, (Property *)fn.o, o);
        sc_drop(vm, fn);
        return r;
    }
    d = sc_attrs_of(o);
    return d && *d && sc_dict_find_str(*d, c->name) ? NIL : sc_ref(c->fn);
}

/* Look the attribute up and remember where it was. */
Value vm_load_attr(Vm *vm, Value o, Cache *c)
{
    Value r;

    if (o.tag == T_OBJ && o.o->cls == c->of && c->version == vm->version) {
        r = load_of_class(vm, o, c);
        if (r.tag != T_NIL)
            return r;
        if (sc_failed(vm)) {
            if (!o.o->cls->d.getattr || !sc_exc_is(vm, C_AttributeError))
                return NIL;
            sc_clear_exc(vm); /* __getattr__ is asked after a property's AttributeError, too */
            r = o.o->cls->d.getattr(vm, o, c->name);
            if (r.tag == T_NIL && !sc_failed(vm))
                sc_raise_no_attr(vm, o, c->name);
            return r;
        }
    }
    if (o.tag == T_OBJ && !o.o->cls->is_type && o.o->cls != vm->cls[C_super] && remember_own(vm, o, c))
        return sc_ref((*sc_attrs_of(o))->e[c->hint].val);
    r = sc_getattr(vm, o, c->name);
    if (r.tag != T_NIL && o.tag == T_OBJ)
        remember_of_class(vm, o, c);
    return r;
}

bool vm_store_attr(Vm *vm, Value o, Cache *c, Value v)
{
    Dict **d;
    Value *at;

    if (o.tag == T_OBJ && o.o->cls == c->cls && c->version == vm->version) { /* nothing of the class is in the way */
        d = sc_attrs_of(o);
        return (*d || (*d = sc_dict(vm)) != NULL) && sc_dict_put_str(vm, *d, c->name, v);
    }
    if (!sc_setattr(vm, o, c->name, v))
        return false;
    d = sc_attrs_of(o);
    if (o.tag != T_OBJ || !o.o->cls->plain_setattr || !d || !*d || o.o->cls->d.attrs_at == ATTRS_BEHIND)
        return true;
    at = sc_dict_find_str(*d, c->name);
    if (at && !sc_class_find(o.o->cls, c->name)) {
        c->cls = o.o->cls;
        c->version = vm->version;
        c->hint = (uint32_t)((DictEntry *)(void *)((char *)at - offsetof(DictEntry, val)) - (*d)->e);
    }
    return true;
}

/* dst[0] = function, dst[1] = self; or dst[0] = attribute, dst[1] = nothing */
bool vm_load_method(Vm *vm, Value o, Cache *c, Value *dst)
{
    bool unbound;
    Value m = sc_getmethod(vm, o, c->name, &unbound);

    if (m.tag == T_NIL)
        return false;
    if (unbound) {
        c->cls = sc_class_of(vm, o);
        if (c->cls->d.attrs_at == ATTRS_BEHIND) /* the machine does not look there */
            c->cls = NULL;
        c->version = vm->version;
        c->fn = m;
        c->hint = UINT32_MAX;
        sc_put(vm, &dst[1], sc_ref(o));
    } else {
        c->cls = NULL;
        c->fn = NIL;
        if (o.tag == T_OBJ && !o.o->cls->is_type && o.o->cls != vm->cls[C_super])
            remember_own(vm, o, c);
        sc_put(vm, &dst[1], NIL);
    }
    sc_put(vm, &dst[0], m);
    return true;
}

/* __init__ of a class whose instances are plain, if it is a script function */
Function *vm_find_init(Vm *vm, Class *c)
{
    Value *nw, *init;

    c->init_version = vm->version;
    c->init_fn = NIL;
    if (!c->script || c->is_tuple || c->d.make || sc_is_subclass(c, vm->cls[C_BaseException]))
        return NULL;
    nw = sc_class_find(c, vm->known[S_new]);
    if (nw && !sc_is_exact(vm, *nw, C_staticmethod))
        return NULL;
    if (nw && sc_is_exact(vm, ((Wrapped *)nw->o)->fn, C_function))
        return NULL;
    init = sc_class_find(c, vm->known[S_init]);
    if (init && sc_is_exact(vm, *init, C_function)) {
        c->init_fn = *init;
        return (Function *)init->o;
    }
    return NULL;
}
