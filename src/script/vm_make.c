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

Value vm_new_function(Vm *vm, VmFrame *fr, const ByteCode *c, Value *defaults)
{
    Function *f = sc_gc_new(vm, vm->cls[C_function], sizeof *f);
    uint32_t i, n = c->ndefaults + c->nkwdefaults;

    if (!f)
        return NIL;
    f->code = c;
    f->h.h.flags |= UNLIKELY(vm->has_confined) && sc_is_left_by_file(vm) ? OBJ_CONFINED : 0;
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

/* Runs a class body in the namespace; its result, the cell of __class__ if methods use it; NIL: exception. */
static Value run_class_body(Vm *vm, VmFrame *fr, const ByteCode *c, Dict *ns)
{
    Value fn = vm_new_function(vm, fr, c, NULL), cell = NIL;
    VmFrame *f = NULL;

    if (fn.tag != T_NIL && sc_dict_put_str(vm, ns, vm->known[S_module], v_obj(fr->module->name)) &&
        sc_dict_put_str(vm, ns, vm->known[S_qualname], v_obj(c->qualname)))
        f = sc_frame_for(vm, (Function *)fn.o, NULL, 0, 0, NULL, false);
    if (f)
        f->ns = gc_ref(ns);
    if (f && !sc_enter(vm)) {
        sc_frame_free(vm, f);
    } else if (f) {
        cell = sc_run(vm, f);
        sc_leave(vm);
    }
    sc_drop(vm, fn);
    return cell;
}

/* What the metaclass prepares for the body to be run in, owned: a dict, since names are put there directly. */
static Dict *prepared_space(Vm *vm, Value meta, const Args *call)
{
    Value f = meta.o == (Obj *)vm->cls[C_type] ? NIL : sc_getattr_opt(vm, meta, vm->known[S_prepare]), d;

    if (f.tag == T_NIL)
        return sc_failed(vm) ? NULL : sc_dict(vm);
    d = sc_call_args(vm, f, call);
    sc_drop(vm, f);
    if (d.tag != T_NIL && !sc_is(vm, d, C_dict)) {
        sc_raise(vm, C_TypeError, "%s.__prepare__() must return a mapping, not %s", ((Class *)meta.o)->name->s,
                 sc_type_name(vm, d));
        sc_put(vm, &d, NIL);
    } else if (d.tag != T_NIL && d.o->cls->script && sc_class_find(d.o->cls, vm->known[S_setitem])) {
        sc_raise(vm, C_NotImplementedError, "__prepare__: a mapping with a __setitem__ of its own");
        sc_put(vm, &d, NIL);
    }
    return d.tag == T_NIL ? NULL : (Dict *)d.o;
}

/* metaclass=.. or that of the bases; taken out of the keywords. Owned; NIL: exception */
static Value pick_metaclass(Vm *vm, const Tuple *bases, Dict *kwargs)
{
    Value *given = sc_dict_find_str(kwargs, vm->known[S_metaclass]), meta;
    Class *best;

    meta = given ? sc_ref(*given) : v_obj(gc_ref(vm->cls[C_type]));
    if (given && sc_dict_remove(vm, kwargs, v_obj(vm->known[S_metaclass])) < 0) {
        sc_drop(vm, meta);
        return NIL;
    }
    if (!sc_is_class(meta) || !((Class *)meta.o)->is_type)
        return meta; /* any function of name, bases and namespace */
    best = sc_metaclass(vm, (Class *)meta.o, bases);
    if (best)
        best->h.h.refs++;
    sc_drop(vm, meta);
    return v_obj(best);
}

/* What is no class among the bases says which classes it stands for: List[int] is list. The bases, owned, the same
 * tuple if all are classes; NIL after an error. */
static Value real_bases(Vm *vm, Value bases)
{
    Tuple *t = (Tuple *)bases.o;
    List *l = NULL;
    Value r = NIL;
    bool ok = true;

    for (int64_t i = 0; i < t->n && ok; i++) {
        Value f = sc_is_class(t->v[i]) ? NIL : sc_getattr_opt(vm, t->v[i], vm->known[S_mro_entries]), more;

        if (f.tag == T_NIL) {
            ok = !sc_failed(vm) && (!l || sc_list_push(vm, l, t->v[i]));
            continue;
        }
        if (!l) {
            l = sc_list(vm, 0);
            for (int64_t k = 0; l && ok && k < i; k++)
                ok = sc_list_push(vm, l, t->v[k]);
        }
        more = l && ok ? sc_call(vm, f, &bases, 1) : NIL;
        ok = more.tag != T_NIL && sc_list_extend(vm, l, more);
        sc_drop(vm, more);
        sc_drop(vm, f);
    }
    if (ok && !l)
        return sc_ref(bases);
    if (ok)
        r = v_obj(sc_tuple_of(vm, l->v, (uint32_t)l->n));
    if (l)
        obj_drop(vm, l);
    return r;
}

/* Run the body in a namespace of its own, then make the class of it. */
Value vm_make_class(Vm *vm, VmFrame *fr, const ByteCode *c, Value bases, Value kwargs)
{
    Value names[16], v[19], cell = NIL, meta, cls = NIL, written = bases;
    Dict *ns = NULL, *k = (Dict *)kwargs.o;
    Args a = {v, 3, 0, names, NULL, NULL}, call = {v + 1, 2, 0, names, NULL, NULL};
    DictEntry *e;

    bases = real_bases(vm, written);
    if (bases.tag == T_NIL)
        return NIL;
    meta = pick_metaclass(vm, (Tuple *)bases.o, k);
    for (uint32_t i = 0; dict_next(k, &i, &e) && a.nkw < COUNT(names); a.nkw++) {
        names[a.nkw] = e->key;
        v[3 + a.nkw] = e->val;
    }
    v[1] = v_obj(c->name);
    v[2] = bases;
    call.nkw = a.nkw;
    ns = meta.tag == T_NIL ? NULL : prepared_space(vm, meta, &call);
    if (ns && (written.o == bases.o || sc_dict_put_str(vm, ns, vm->known[S_orig_bases], written)))
        cell = run_class_body(vm, fr, c, ns);
    if (cell.tag == T_NIL) {
        sc_put(vm, &meta, NIL);
    } else if (meta.o == (Obj *)vm->cls[C_type]) {
        Class *made = sc_class_new(vm, vm->cls[C_type], c->name, (Tuple *)bases.o, ns);

        cls = v_obj(made);
        if (made && sc_is_exact(vm, cell, C_cell))
            sc_put(vm, &((Cell *)cell.o)->v, sc_ref(cls));
        if (made && !sc_subclass_hooks(vm, made, &a)) {
            sc_drop(vm, cls);
            cls = NIL;
        }
    } else if (meta.tag != T_NIL) {
        v[0] = v_obj(c->name);
        v[1] = bases;
        v[2] = v_obj(ns);
        if (!sc_is_exact(vm, cell, C_cell) ||
            sc_dict_put_str(vm, ns, vm->known[S_classcell], cell))
            cls = sc_call_args(vm, meta, &a);
    }
    sc_drop(vm, meta);
    sc_drop(vm, bases);
    sc_drop(vm, cell);
    if (ns)
        obj_drop(vm, ns);
    return cls;
}

bool vm_match_exception(Vm *vm, Value exc, Value spec, bool *out)
{
    bool many = sc_is(vm, spec, C_tuple); /* of classes, not of tuples */
    const Value *v = many ? ((Tuple *)spec.o)->v : &spec;
    int64_t n = many ? ((Tuple *)spec.o)->n : 1;

    *out = false;
    for (int64_t i = 0; i < n; i++) {
        if (!sc_is_class(v[i]) || !((Class *)v[i].o)->is_exc)
            return sc_fail(vm, C_TypeError, "catching classes that do not inherit from BaseException is not allowed");
        *out = *out || sc_is_subclass(exc.o->cls, (Class *)v[i].o);
    }
    return true;
}

bool vm_new_keyword(Vm *vm, Dict *given, Value name)
{
    return !sc_dict_find(vm, given, name) ||
           sc_fail(vm, C_TypeError, "got multiple values for keyword argument '%s'", as_str(name)->s);
}

static bool merge_keyword(Vm *vm, Dict *into, Value k, Value v)
{
    if (!is_str(k))
        return sc_fail(vm, C_TypeError, "keywords must be strings");
    return vm_new_keyword(vm, into, k) && !sc_failed(vm) && sc_dict_put(vm, into, k, v);
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
            ok = merge_keyword(vm, into, k, v);
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
        ok = v.tag != T_NIL && merge_keyword(vm, into, k, v);
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

    if (!nkw)
        return sc_call_args(vm, fn, &(Args){l->v, (int)l->n, 0, NULL, NULL, NULL});
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

Relayed vm_relay(Vm *vm, Relayed c)
{
    int skip;
    Value v = sc_relayed(vm, c.f, c.args, c.n, c.nkw, &skip);

    if (v.tag == T_NIL)
        return c;
    sc_put(vm, &c.held, v);
    c.fn = v;
    c.args += skip;
    c.n -= skip;
    c.f = sc_is_exact(vm, v, C_function) ? (Function *)v.o : NULL;
    return c;
}

/* fn, of the class of self, called on it: v[0] is self, n - 1 arguments follow. A function of the script or of a native class
 * needs no method made of it. */
static Value call_special(Vm *vm, Value fn, Value *v, int n)
{
    bool plain = sc_is_exact(vm, fn, C_function) ||
                 (sc_is_exact(vm, fn, C_builtin_function_or_method) && ((Native *)fn.o)->owner);
    Value f = plain ? sc_ref(fn) : sc_bind(vm, fn, v[0], sc_class_of(vm, v[0]));
    Value r = f.tag == T_NIL ? NIL : plain ? sc_call(vm, f, v, n) : sc_call(vm, f, v + 1, n - 1);

    sc_drop(vm, f);
    return r;
}

Value vm_enter_manager(Vm *vm, Value m)
{
    Value *fn = sc_class_find(sc_class_of(vm, m), vm->known[S_enter]);

    if (!fn || !sc_class_find(sc_class_of(vm, m), vm->known[S_exit]))
        return sc_raise(vm, C_TypeError,
                        "'%s' object does not support the context manager protocol",
                        sc_type_name(vm, m));
    return call_special(vm, *fn, &m, 1);
}

Value vm_exit_manager(Vm *vm, Value m, Value exc)
{
    Value *fn = sc_class_find(sc_class_of(vm, m), vm->known[S_exit]), r;
    Value args[4] = {m, NONE, NONE, NONE};
    int t;

    if (!fn)
        return sc_raise(vm, C_AttributeError, "__exit__");
    if (exc.tag == T_OBJ) {
        args[1] = v_obj(exc.o->cls);
        args[2] = exc;
    }
    r = call_special(vm, *fn, args, 4);
    if (r.tag == T_NIL)
        return NIL;
    t = sc_truth(vm, r);
    sc_drop(vm, r);
    return t < 0 ? NIL : v_bool(t);
}

Value vm_import(Vm *vm, ScModule *in, Str *name)
{
    Str *full = sc_import_name(vm, in, name);
    Value r = full ? sc_import(vm, full) : NIL;

    if (full)
        obj_drop(vm, full);
    return r;
}

/* Is the pending exception that there is no module of this name, rather than one it needs? */
static bool is_missing(Vm *vm, Value name)
{
    Value e, is = NIL;
    bool same = false;

    if (!sc_exc_is(vm, C_ModuleNotFoundError))
        return false;
    e = sc_take_exc(vm);
    is = sc_getattr_s(vm, e, "name");
    if (is.tag == T_NIL)
        sc_clear_exc(vm);
    else
        same = sc_is_exact(vm, is, C_str) && sc_str_eq(as_str(is), as_str(name));
    sc_drop(vm, is);
    vm->exc = e;
    return same;
}

Value vm_import_from(Vm *vm, Value m, Str *name)
{
    Value r = sc_getattr_opt(vm, m, name), sub;
    Dict *d[1];
    const char *hint, *file;
    bool missing;

    if (r.tag != T_NIL || sc_failed(vm))
        return r;
    if (!sc_is(vm, m, C_module))
        return sc_raise(vm, C_ImportError, "cannot import name '%s'", name->s);
    sub = sc_strf(vm, "%s.%s", ((ScModule *)m.o)->name->s, name->s);
    if (sub.tag == T_NIL)
        return NIL;
    r = sc_import(vm, as_str(sub));
    missing = r.tag == T_NIL && is_missing(vm, sub);
    sc_drop(vm, sub);
    if (!missing)
        return r;
    d[0] = ((ScModule *)m.o)->attrs;
    hint = sc_nearest(vm, name, d, 1);
    file = ((ScModule *)m.o)->file;
    sc_raise(vm, C_ImportError, "cannot import name '%s' from '%s' (%s)", name->s,
             ((ScModule *)m.o)->name->s, file ? file : "unknown location");
    sc_hint(vm, ". Did you mean: ", hint);
    return sc_exc_name(vm, ((ScModule *)m.o)->name);
}

/* The names of __all__, submodules that it names among them. */
static bool import_all(Vm *vm, VmFrame *fr, Value m, Value all)
{
    Value it = sc_iter(vm, all), k, v;
    bool ok = it.tag != T_NIL;

    while (ok && (k = sc_next(vm, it)).tag != T_NIL) {
        v = is_str(k) ? vm_import_from(vm, m, sc_intern_str(vm, as_str(k)))
                      : sc_raise(vm, C_TypeError, "Item in %s.__all__ must be str, not %s",
                                 ((ScModule *)m.o)->name->s, sc_type_name(vm, k));
        ok = v.tag != T_NIL && sc_dict_put(vm, fr->module->attrs, k, v);
        sc_drop(vm, v);
        sc_drop(vm, k);
    }
    sc_drop(vm, it);
    return ok && !sc_failed(vm);
}

bool vm_import_star(Vm *vm, VmFrame *fr, Value m)
{
    Dict *d;
    DictEntry *e;
    Value *all;

    if (!sc_is(vm, m, C_module))
        return sc_fail(vm, C_ImportError, "import * needs a module, not '%s'", sc_type_name(vm, m));
    d = ((ScModule *)m.o)->attrs;
    all = sc_dict_find_str(d, vm->known[S_all]);
    if (all)
        return import_all(vm, fr, m, *all);
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

/* A new exception, of which the pending one is the cause. */
void vm_raise_from(Vm *vm, KnownClass k, const char *text)
{
    Value cause = sc_take_exc(vm);

    sc_raise(vm, k, "%s", text);
    if (vm->exc.tag == T_OBJ && cause.tag == T_OBJ) {
        sc_put(vm, &((Exc *)vm->exc.o)->cause, sc_ref(cause));
        sc_put(vm, &((Exc *)vm->exc.o)->context, sc_ref(cause));
    }
    sc_drop(vm, cause);
}

bool vm_annotate(Vm *vm, VmFrame *fr, Str *name, Value v)
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

/* What was being handled before is so again, however the frame is left. */
Value sc_run(Vm *vm, VmFrame *fr)
{
    Value before = sc_ref(vm->handled), r = vm_run_frame(vm, fr);

    sc_put(vm, &vm->handled, before);
    return r;
}
