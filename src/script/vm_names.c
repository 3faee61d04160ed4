/* vm_names.c -- names and attributes, where an instruction's cache does not know.
 *
 * A Cache belongs to one instruction. It remembers where its name was found last: the entry of
 * the dict (hint), or the method of a class (cls, fn), good while vm->version is what it was,
 * which changes with every class. What it points at is borrowed from there.
 */
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
    return sc_raise(vm, C_NameError, "name '%s' is not defined%s%s%s", name->s,
                    hint ? ". Did you mean: '" : "", hint ? hint : "", hint ? "'?" : "");
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

/* Look the attribute up and remember where it was, if the instance holds it. */
Value vm_load_attr(Vm *vm, Value o, Cache *c)
{
    Value r = sc_getattr(vm, o, c->name);
    Dict **d = sc_attrs_of(o);
    Value *v;

    if (r.tag == T_NIL || !d || !*d || o.o->cls->d.attrs_at == ATTRS_BEHIND)
        return r;
    v = sc_dict_find_str(*d, c->name);
    if (v) {
        Value *k = sc_class_find(o.o->cls, c->name);

        if (k && k->tag == T_OBJ &&
            (k->o->cls == vm->cls[C_property] || k->o->cls == vm->cls[C_getset] ||
             k->o->cls->script))
            return r;
        c->cls = o.o->cls;
        c->version = vm->version;
        c->hint = (uint32_t)((DictEntry *)(void *)((char *)v - offsetof(DictEntry, val)) - (*d)->e);
    }
    return r;
}

bool vm_store_attr(Vm *vm, Value o, Cache *c, Value v)
{
    Dict **d;
    Value *at;

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
        sc_put(vm, &dst[1], sc_ref(o));
    } else {
        c->cls = NULL;
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
    if (!c->script || c->is_tuple || c->d.make)
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
