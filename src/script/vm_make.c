/* vm_make.c -- instructions that do more than compute: unpacking, functions and classes, calls
 * with stars, exceptions, with, import, text. */
#include "vm.h"

static bool unpack_from(Vm *vm, Value src, Value *out, int n, int star)
{
    Value it, v;
    int i, after = n - star;
    List *rest;

    it = sc_iter(vm, src);
    if (it.tag == T_NIL) {
        if (sc_exc_is(vm, C_TypeError))
            sc_raise(vm, C_TypeError, "cannot unpack non-iterable %s object",
                     sc_type_name(vm, src));
        return false;
    }
    for (i = 0; i < (star ? star - 1 : n); i++) {
        v = sc_next(vm, it);
        if (v.tag == T_NIL) {
            if (!sc_failed(vm))
                sc_raise(vm, C_ValueError,
                         "not enough values to unpack (expected %s%d, got %d)",
                         star ? "at least " : "", star ? n - 1 : n, i);
            sc_drop(vm, it);
            return false;
        }
        sc_put(vm, &out[i], v);
    }
    if (!star) {
        v = sc_next(vm, it);
        sc_drop(vm, it);
        if (v.tag == T_NIL)
            return !sc_failed(vm);
        sc_drop(vm, v);
        return sc_fail(vm, C_ValueError, "too many values to unpack (expected %d)", n);
    }
    rest = sc_list(vm, 0);
    if (!rest || !sc_list_extend(vm, rest, it)) {
        if (rest)
            obj_drop(vm, rest);
        sc_drop(vm, it);
        return false;
    }
    sc_drop(vm, it);
    if (rest->n < after) {
        sc_raise(vm, C_ValueError, "not enough values to unpack (expected at least %d, got %d)",
                 n - 1, star - 1 + (int)rest->n);
        obj_drop(vm, rest);
        return false;
    }
    for (i = 0; i < after; i++)
        sc_put(vm, &out[star + i], sc_ref(rest->v[rest->n - after + i]));
    for (i = 0; i < after; i++)
        sc_drop(vm, rest->v[--rest->n]);
    sc_put(vm, &out[star - 1], v_obj(rest));
    return true;
}

bool vm_unpack(Vm *vm, Value src, Value *out, int n, int star)
{
    const Value *v = NULL;
    int64_t have = 0;

    if (sc_is_exact(vm, src, C_tuple)) {
        v = ((Tuple *)src.o)->v;
        have = ((Tuple *)src.o)->n;
    } else if (sc_is_exact(vm, src, C_list)) {
        v = ((List *)src.o)->v;
        have = ((List *)src.o)->n;
    }
    if (!v || star || have != n) {
        if (v && !star && have > n)
            return sc_fail(vm, C_ValueError, "too many values to unpack (expected %d)", n);
        return unpack_from(vm, src, out, n, star);
    }
    for (int i = 0; i < n; i++)
        sc_put(vm, &out[i], sc_ref(v[i]));
    return true;
}

Value vm_new_function(Vm *vm, Frame *fr, const Code *c, Value *defaults)
{
    Func *f = sc_gc_new(vm, vm->cls[C_function], sizeof *f);
    uint32_t i, n = c->ndefaults + c->nkwdefaults;

    if (!f)
        return NIL;
    f->code = c;
    f->unit = c->unit;
    c->unit->refs++;
    f->name = obj_ref(c->name);
    f->qualname = obj_ref(c->qualname);
    f->module = gc_ref(fr->module);
    if (n) {
        f->defaults = sc_alloc(vm, n * sizeof *f->defaults);
        if (!f->defaults)
            goto fail;
        for (i = 0; i < n; i++) {
            f->defaults[i] = defaults[i];
            defaults[i] = NIL;
        }
        f->ndefaults = c->ndefaults;
        f->nkwdefaults = c->nkwdefaults;
    }
    if (c->nfree) {
        f->cells = sc_alloc(vm, c->nfree * sizeof *f->cells);
        if (!f->cells)
            goto fail;
        f->ncells = c->nfree;
        for (i = 0; i < c->nfree; i++) {
            uint16_t from = c->free_from[i];

            f->cells[i] = from & FREE_OUTER ? fr->fn->cells[from & ~FREE_OUTER]
                                            : (Cell *)fr->regs[from].o;
            f->cells[i]->h.h.refs++;
        }
    }
    return v_obj(f);
fail:
    obj_drop(vm, f);
    return NIL;
}

/* Run the body in a namespace of its own, then make the class of it. */
Value vm_make_class(Vm *vm, Frame *fr, const Code *c, Value bases, Value kwargs)
{
    Value fn = vm_new_function(vm, fr, c, NULL), body;
    Dict *ns = sc_dict(vm);
    Frame *f = NULL;
    Class *cls = NULL;
    Value q;

    if (fn.tag == T_NIL || !ns)
        goto out;
    if (!sc_dict_put_str(vm, ns, vm->known[S_module], v_obj(fr->module->name)) ||
        !sc_dict_put_str(vm, ns, vm->known[S_qualname], v_obj(c->qualname)))
        goto out;
    f = sc_frame_for(vm, (Func *)fn.o, NULL, 0, 0, NULL, false);
    if (!f)
        goto out;
    f->ns = gc_ref(ns);
    if (!sc_enter(vm)) {
        sc_frame_free(vm, f);
        goto out;
    }
    body = sc_run(vm, f);
    sc_leave(vm);
    if (body.tag == T_NIL)
        goto out;
    cls = sc_class_new(vm, c->name, (Tuple *)bases.o, ns);
    if (cls && sc_is_exact(vm, body, C_cell)) {
        sc_put(vm, &((Cell *)body.o)->v, v_obj(cls));
        cls->h.h.refs++;
    }
    sc_drop(vm, body);
    if (cls && ((Dict *)kwargs.o)->live) { /* keywords go to __init_subclass__ */
        Value sup = sc_super(vm, cls, v_obj(cls)), hook, r;
        Dict *k = (Dict *)kwargs.o;
        Value names[8], vals[8];
        DictEntry *e;
        int n = 0;

        for (uint32_t i = 0; dict_next(k, &i, &e) && n < 8; n++) {
            names[n] = e->key;
            vals[n] = e->val;
        }
        hook = sup.tag == T_NIL ? NIL : sc_getattr(vm, sup, vm->known[S_init_subclass]);
        r = hook.tag == T_NIL ? NIL : sc_call_args(vm, hook, &(Args){vals, 0, n, names, NULL, NULL});
        sc_drop(vm, sup);
        sc_drop(vm, hook);
        q = r;
        sc_drop(vm, r);
        if (q.tag == T_NIL) {
            obj_drop(vm, cls);
            cls = NULL;
        }
    } else if (cls && !sc_subclass_hooks(vm, cls)) {
        obj_drop(vm, cls);
        cls = NULL;
    }
out:
    sc_drop(vm, fn);
    if (ns)
        obj_drop(vm, ns);
    return v_obj(cls);
}

bool vm_match_exception(Vm *vm, Value exc, Value spec, bool *out)
{
    int64_t i;

    *out = false;
    if (sc_is(vm, spec, C_tuple)) {
        Tuple *t = (Tuple *)spec.o;

        for (i = 0; i < t->n && !*out; i++)
            if (!vm_match_exception(vm, exc, t->v[i], out))
                return false;
        return true;
    }
    if (!sc_is_exact(vm, spec, C_type) || !((Class *)spec.o)->is_exc)
        return sc_fail(vm, C_TypeError,
                       "catching classes that do not inherit from BaseException is not allowed");
    *out = sc_is_subclass(exc.o->cls, (Class *)spec.o);
    return true;
}

bool vm_merge_keywords(Vm *vm, Dict *into, Value from)
{
    Value keys, it, k, v;
    bool ok = true;

    if (sc_is(vm, from, C_dict)) {
        DictEntry *e;
        Dict *d = (Dict *)from.o;

        for (uint32_t i = 0; ok && dict_next(d, &i, &e);) {
            k = sc_ref(e->key);
            v = sc_ref(e->val);
            if (!is_str(k))
                ok = sc_fail(vm, C_TypeError, "keywords must be strings");
            else if (sc_dict_find(vm, into, k))
                ok = sc_fail(vm, C_TypeError, "got multiple values for keyword argument '%s'",
                             as_str(k)->s);
            else
                ok = !sc_failed(vm) && sc_dict_put(vm, into, k, v);
            sc_drop(vm, k);
            sc_drop(vm, v);
        }
        return ok;
    }
    keys = sc_getattr_opt(vm, from, vm->known[S_keys]);
    if (keys.tag == T_NIL)
        return sc_failed(vm) ? false
                             : sc_fail(vm, C_TypeError,
                                       "argument after ** must be a mapping, not %s",
                                       sc_type_name(vm, from));
    k = sc_call(vm, keys, NULL, 0);
    sc_drop(vm, keys);
    it = k.tag == T_NIL ? NIL : sc_iter(vm, k);
    sc_drop(vm, k);
    if (it.tag == T_NIL)
        return false;
    while (ok && (k = sc_next(vm, it)).tag != T_NIL) {
        v = sc_getitem(vm, from, k);
        ok = v.tag != T_NIL && sc_dict_put(vm, into, k, v);
        sc_drop(vm, v);
        sc_drop(vm, k);
    }
    sc_drop(vm, it);
    return ok && !sc_failed(vm);
}

/* f(*list, **dict) through C: natives and the rare */
Value vm_call_stars(Vm *vm, Value fn, List *l, Value kw)
{
    Dict *d = kw.tag == T_OBJ ? (Dict *)kw.o : NULL;
    int64_t nkw = d ? d->live : 0, total = l->n + nkw, i = 0;
    Value *v, *names, r;
    DictEntry *e;

    v = sc_alloc(vm, (size_t)(total + nkw + 1) * sizeof *v);
    if (!v)
        return NIL;
    names = v + total;
    for (; i < l->n; i++)
        v[i] = l->v[i];
    i = 0;
    for (uint32_t k = 0; d && dict_next(d, &k, &e); i++) {
        v[l->n + i] = e->val;
        names[i] = e->key;
    }
    r = sc_call_args(vm, fn, &(Args){v, (int)l->n, (int)nkw, names, NULL, NULL});
    sc_free(vm, v, (size_t)(total + nkw + 1) * sizeof *v);
    return r;
}

Value vm_enter_manager(Vm *vm, Value m)
{
    Value *fn = sc_class_find(sc_class_of(vm, m), vm->known[S_enter]), f, r;

    if (!fn || !sc_class_find(sc_class_of(vm, m), vm->known[S_exit]))
        return sc_raise(vm, C_TypeError,
                        "'%s' object does not support the context manager protocol",
                        sc_type_name(vm, m));
    f = sc_bind(vm, *fn, m, sc_class_of(vm, m));
    r = f.tag == T_NIL ? NIL : sc_call(vm, f, NULL, 0);
    sc_drop(vm, f);
    return r;
}

Value vm_exit_manager(Vm *vm, Value m, Value exc)
{
    Value *fn = sc_class_find(sc_class_of(vm, m), vm->known[S_exit]), f, r;
    Value args[3] = {NONE, NONE, NONE};
    int t;

    if (!fn)
        return sc_raise(vm, C_AttributeError, "__exit__");
    if (exc.tag == T_OBJ) {
        args[0] = v_obj(exc.o->cls);
        args[1] = exc;
    }
    f = sc_bind(vm, *fn, m, sc_class_of(vm, m));
    r = f.tag == T_NIL ? NIL : sc_call(vm, f, args, 3);
    sc_drop(vm, f);
    if (r.tag == T_NIL)
        return NIL;
    t = sc_truth(vm, r);
    sc_drop(vm, r);
    return t < 0 ? NIL : v_bool(t);
}

Value vm_import_from(Vm *vm, Value m, Str *name)
{
    Value r = sc_getattr_opt(vm, m, name), sub;
    Dict *d[1];
    const char *hint;

    if (r.tag != T_NIL || sc_failed(vm))
        return r;
    sub = sc_strf(vm, "%s.%s", ((ScModule *)m.o)->name->s, name->s);
    if (sub.tag == T_NIL)
        return NIL;
    r = sc_import(vm, as_str(sub));
    sc_drop(vm, sub);
    if (r.tag != T_NIL || !sc_exc_is(vm, C_ModuleNotFoundError))
        return r;
    d[0] = ((ScModule *)m.o)->attrs;
    hint = sc_nearest(vm, name, d, 1);
    return sc_raise(vm, C_ImportError, "cannot import name '%s' from '%s'%s%s%s", name->s,
                    ((ScModule *)m.o)->name->s, hint ? ". Did you mean: '" : "",
                    hint ? hint : "", hint ? "'?" : "");
}

bool vm_import_star(Vm *vm, Frame *fr, Value m)
{
    Dict *d = ((ScModule *)m.o)->attrs;
    DictEntry *e;

    for (uint32_t i = 0; dict_next(d, &i, &e);)
        if (is_str(e->key) && as_str(e->key)->s[0] != '_' &&
            !sc_dict_put(vm, fr->module->attrs, e->key, e->val))
            return false;
    return true;
}

Value vm_join_strings(Vm *vm, Value *v, int n)
{
    Buf b = {.vm = vm};

    if (n == 1)
        return sc_ref(v[0]);
    for (int i = 0; i < n; i++)
        buf_add(&b, as_str(v[i])->s, as_str(v[i])->n);
    return buf_done(&b);
}

Value vm_format_value(Vm *vm, Value v, int conv, Value spec)
{
    Value s, r;

    if (conv) {
        s = sc_convert(vm, v, (char)conv);
        if (s.tag == T_NIL)
            return NIL;
        if (spec.tag == T_NIL)
            return s;
        r = sc_format(vm, s, as_str(spec));
        sc_drop(vm, s);
        return r;
    }
    if (spec.tag == T_NIL)
        return sc_is_exact(vm, v, C_str) ? sc_ref(v) : sc_format(vm, v, vm->empty_str);
    return sc_format(vm, v, as_str(spec));
}

bool vm_annotate(Vm *vm, Frame *fr, Str *name, Value v)
{
    Value *at = sc_dict_find_str(fr->ns, vm->known[S_annotations]);
    Dict *d;

    if (at)
        return sc_dict_put_str(vm, (Dict *)at->o, name, v);
    d = sc_dict(vm);
    if (!d || !sc_dict_put_str(vm, fr->ns, vm->known[S_annotations], v_obj(d))) {
        if (d)
            obj_drop(vm, d);
        return false;
    }
    obj_drop(vm, d);
    return sc_dict_put_str(vm, d, name, v);
}
