/* vm.c -- the machine: one loop over register instructions.
 *
 * Script functions that call script functions, constructors, __call__ methods and for
 * loops over generators stay in the loop: only natives recurse in C. A temporary register
 * (from nlocals on) is emptied by the instruction that reads it, so that objects die as
 * early as in CPython; the fast paths on ints and floats need not, for nothing is owned.
 */
#include "compile.h"

#include <math.h>

#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wpedantic" /* labels as values */
#endif
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-gcse", "no-crossjumping") /* keeps one jump per instruction */
#endif

/* ---- slow parts, out of line ------------------------------------------------------- */

static bool raise_unbound(Vm *vm, const Frame *fr, uint32_t reg)
{
    return sc_fail(vm, C_UnboundLocalError,
                   "cannot access local variable '%s' where it is not associated with a value",
                   fr->code->local_names[reg] ? fr->code->local_names[reg] : "?");
}

static Value raise_unknown_name(Vm *vm, const Frame *fr, Str *name)
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

static Value load_global(Vm *vm, const Frame *fr, Cache *c)
{
    Dict *d = fr->module->attrs;
    Value *v = sc_dict_find_str(d, c->name);

    if (v) {
        c->hint = (uint32_t)((DictEntry *)(void *)((char *)v - offsetof(DictEntry, val)) - d->e);
        return sc_ref(*v);
    }
    v = sc_dict_find_str(vm->builtins, c->name);
    if (!v)
        return raise_unknown_name(vm, fr, c->name);
    c->dict = vm->builtins;
    c->version = d->keys;
    c->fn = *v;
    c->hint = UINT32_MAX;
    return sc_ref(*v);
}

static Value load_class_name(Vm *vm, const Frame *fr, Str *name)
{
    Value *v = fr->ns ? sc_dict_find_str(fr->ns, name) : NULL;

    if (!v)
        v = sc_dict_find_str(fr->module->attrs, name);
    if (!v)
        v = sc_dict_find_str(vm->builtins, name);
    return v ? sc_ref(*v) : raise_unknown_name(vm, fr, name);
}

/* Look the attribute up and remember where it was, if the instance holds it. */
static Value load_attr(Vm *vm, Value o, Cache *c)
{
    Value r = sc_getattr(vm, o, c->name);
    Dict **d = sc_attrs_of(o);
    Value *v;

    if (r.tag == T_NIL || !d || !*d || o.o->cls == vm->cls[C_type])
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

static bool store_attr(Vm *vm, Value o, Cache *c, Value v)
{
    Dict **d;
    Value *at;

    if (!sc_setattr(vm, o, c->name, v))
        return false;
    d = sc_attrs_of(o);
    if (o.tag != T_OBJ || !o.o->cls->plain_setattr || !d || !*d || o.o->cls == vm->cls[C_type])
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
static bool load_method(Vm *vm, Value o, Cache *c, Value *dst)
{
    bool unbound;
    Value m = sc_getmethod(vm, o, c->name, &unbound);

    if (m.tag == T_NIL)
        return false;
    if (unbound) {
        c->cls = sc_class_of(vm, o);
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

static bool unpack(Vm *vm, Value src, Value *out, int n, int star)
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

static Value new_function(Vm *vm, Frame *fr, const Code *c, Value *defaults)
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
static Value make_class(Vm *vm, Frame *fr, const Code *c, Value bases, Value kwargs)
{
    Value fn = new_function(vm, fr, c, NULL), body;
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

static bool match_exception(Vm *vm, Value exc, Value spec, bool *out)
{
    int64_t i;

    *out = false;
    if (sc_is(vm, spec, C_tuple)) {
        Tuple *t = (Tuple *)spec.o;

        for (i = 0; i < t->n && !*out; i++)
            if (!match_exception(vm, exc, t->v[i], out))
                return false;
        return true;
    }
    if (!sc_is_exact(vm, spec, C_type) || !((Class *)spec.o)->is_exc)
        return sc_fail(vm, C_TypeError,
                       "catching classes that do not inherit from BaseException is not allowed");
    *out = sc_is_subclass(exc.o->cls, (Class *)spec.o);
    return true;
}

static bool merge_keywords(Vm *vm, Dict *into, Value from)
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
static Value call_stars(Vm *vm, Value fn, List *l, Value kw)
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

static Value enter_manager(Vm *vm, Value m)
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

static Value exit_manager(Vm *vm, Value m, Value exc)
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

static Value import_from(Vm *vm, Value m, Str *name)
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

static bool import_star(Vm *vm, Frame *fr, Value m)
{
    Dict *d = ((ScModule *)m.o)->attrs;
    DictEntry *e;

    for (uint32_t i = 0; dict_next(d, &i, &e);)
        if (is_str(e->key) && as_str(e->key)->s[0] != '_' &&
            !sc_dict_put(vm, fr->module->attrs, e->key, e->val))
            return false;
    return true;
}

static Value join_strings(Vm *vm, Value *v, int n)
{
    Buf b = {.vm = vm};

    if (n == 1)
        return sc_ref(v[0]);
    for (int i = 0; i < n; i++)
        buf_add(&b, as_str(v[i])->s, as_str(v[i])->n);
    return buf_done(&b);
}

static Value format_value(Vm *vm, Value v, int conv, Value spec)
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

static bool annotate(Vm *vm, Frame *fr, Str *name, Value v)
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

Value sc_new_generator(Vm *vm, Frame *f)
{
    Gen *g = sc_gc_new(vm, vm->cls[C_generator], sizeof *g);

    if (!g) {
        sc_frame_free(vm, f);
        return NIL;
    }
    g->frame = f;
    g->name = obj_ref(f->code->qualname);
    g->result = NONE;
    f->gen = g;
    return v_obj(g);
}

/* __init__ of a class whose instances are plain, if it is a script function */
static Func *plain_init(Vm *vm, Class *c)
{
    Value *nw, *init;

    if (c->init_version == vm->version)
        return c->init_fn.tag == T_OBJ ? (Func *)c->init_fn.o : NULL;
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
        return (Func *)init->o;
    }
    return NULL;
}

/* ---- generators from C ------------------------------------------------------------- */

static Value resume(Vm *vm, Gen *g)
{
    Frame *f = g->frame;
    Value r;

    if (!sc_enter(vm))
        return NIL;
    g->running = true;
    f->enter = FRAME_C;
    g->h.h.refs++;
    r = sc_run(vm, f);
    g->running = false;
    sc_leave(vm);
    sc_drop(vm, v_obj(g));
    return r;
}

Value sc_gen_next(Vm *vm, Gen *g, Value send)
{
    Frame *f = g->frame;

    if (!f)
        return NIL;
    if (g->running)
        return sc_raise(vm, C_ValueError, "generator already executing");
    if (f->sent)
        sc_put(vm, &f->regs[f->sent - 1], sc_ref(send));
    return resume(vm, g);
}

Value sc_gen_throw(Vm *vm, Gen *g, Value exc)
{
    Frame *f = g->frame;

    if (!sc_set_exc(vm, exc, NIL))
        return NIL;
    if (!f)
        return NIL;
    if (g->running)
        return sc_raise(vm, C_ValueError, "generator already executing");
    if (!f->sent) {
        g->frame = NULL;
        sc_frame_free(vm, f);
        return NIL;
    }
    return resume(vm, g);
}

/* ---- the loop ---------------------------------------------------------------------- */

#define NEXT goto *labels[(i = *pc++).op]
#define R(n) r[n]
#define RAISE goto raised
/* Empty a register that was read, if it is temporary and not the target. */
#define SPENT(n, dst)                                                                    \
    do {                                                                                 \
        if ((n) >= nlocals && (n) != (dst)) {                                            \
            Value spent_ = r[n];                                                         \
            r[n].tag = T_NIL;                                                            \
            sc_drop(vm, spent_);                                                         \
        }                                                                                \
    } while (0)
#define SET(n, value)                                                                    \
    do {                                                                                 \
        Value set_ = (value), old_ = r[n];                                               \
        r[n] = set_;                                                                     \
        sc_drop(vm, old_);                                                               \
    } while (0)
/* Take the value out of a temporary, or another count of a local. */
#define TAKE(n, out)                                                                     \
    do {                                                                                 \
        (out) = r[n];                                                                    \
        if ((n) >= nlocals)                                                              \
            r[n].tag = T_NIL;                                                            \
        else                                                                             \
            sc_ref(out);                                                                 \
    } while (0)
#define LOAD_FRAME()                                                                     \
    do {                                                                                 \
        vm->frame = fr;                                                                  \
        code = fr->code;                                                                 \
        pc = fr->pc;                                                                     \
        r = fr->regs;                                                                    \
        nlocals = code->nlocals;                                                         \
    } while (0)
#define JUMP_WORD() (pc += pc->jump + 1)

#define ARITH(NAME, OP, INT, FLOAT)                                                      \
    NAME:                                                                                \
    {                                                                                    \
        Value a_ = R(i.b), b_ = R(i.c);                                                  \
        if (a_.tag == T_INT && b_.tag == T_INT) {                                        \
            int64_t x_ = a_.i, y_ = b_.i, z_;                                            \
            (void)x_;                                                                    \
            (void)y_;                                                                    \
            if (INT) {                                                                   \
                if (UNLIKELY(R(i.a).tag == T_OBJ))                                       \
                    sc_drop(vm, R(i.a));                                                 \
                R(i.a) = v_int(z_);                                                      \
                NEXT;                                                                    \
            }                                                                            \
        } else if (a_.tag == T_FLOAT && b_.tag == T_FLOAT) {                             \
            double x_ = a_.f, y_ = b_.f, z_;                                             \
            if (FLOAT) {                                                                 \
                if (UNLIKELY(R(i.a).tag == T_OBJ))                                       \
                    sc_drop(vm, R(i.a));                                                 \
                R(i.a) = v_float(z_);                                                    \
                NEXT;                                                                    \
            }                                                                            \
        }                                                                                \
        op2 = OP;                                                                        \
        goto binary_slow;                                                                \
    }

#define JCOMPARE(NAME, OP, SYM)                                                          \
    NAME:                                                                                \
    {                                                                                    \
        Value a_ = R(i.a), b_ = R(i.b);                                                  \
        bool t_;                                                                         \
        if (a_.tag == T_INT && b_.tag == T_INT)                                          \
            t_ = a_.i SYM b_.i;                                                          \
        else if (a_.tag == T_FLOAT && b_.tag == T_FLOAT)                                 \
            t_ = a_.f SYM b_.f;                                                          \
        else                                                                             \
            goto compare_slow;                                                           \
        if (t_ == (bool)i.c)                                                             \
            JUMP_WORD();                                                                 \
        else                                                                             \
            pc++;                                                                        \
        NEXT;                                                                            \
    }

#define JCOMPAREI(NAME, SYM)                                                             \
    NAME:                                                                                \
    {                                                                                    \
        Value a_ = R(i.a);                                                               \
        bool t_;                                                                         \
        if (a_.tag == T_INT)                                                             \
            t_ = a_.i SYM(int16_t) i.b;                                                  \
        else if (a_.tag == T_FLOAT)                                                      \
            t_ = a_.f SYM(double)(int16_t) i.b;                                          \
        else                                                                             \
            goto compare_imm_slow;                                                       \
        if (t_ == (bool)i.c)                                                             \
            JUMP_WORD();                                                                 \
        else                                                                             \
            pc++;                                                                        \
        NEXT;                                                                            \
    }

Value sc_run(Vm *vm, Frame *fr)
{
    static const void *const labels[] = {
#define OPC(id, kinds) &&L_##id,
#include "opcodes.def"
#undef OPC
    };
    const Code *code;
    const Ins *pc;
    Value *r, v, w;
    uint32_t nlocals;
    Ins i;
    BinOp op2;
    int t;
    Frame *caller = vm->frame, *base = fr;

    if (++vm->depth > vm->max_depth) {
        vm->depth--;
        if (!sc_failed(vm))
            sc_raise(vm, C_RecursionError, "maximum recursion depth exceeded");
        if (!fr->gen)
            sc_frame_free(vm, fr);
        return NIL;
    }
    fr->back = caller;
    fr->enter = FRAME_C;
    sc_collect_if_due(vm);
    LOAD_FRAME();
    if (sc_failed(vm))
        goto raised_here;
    NEXT;

L_MOVE:
    v = R(i.b);
    if (i.b >= nlocals)
        R(i.b).tag = T_NIL;
    else
        sc_ref(v);
    SET(i.a, v);
    NEXT;
L_LOADK:
    SET(i.a, sc_ref(code->consts[i.b]));
    NEXT;
L_LOADI:
    if (UNLIKELY(R(i.a).tag == T_OBJ))
        sc_drop(vm, R(i.a));
    R(i.a) = v_int(i.jump);
    NEXT;
L_LOADG: {
    Cache *c = &code->caches[i.c];
    Dict *d = fr->module->attrs;

    if (c->hint < d->n && d->e[c->hint].key.o == (Obj *)c->name &&
        d->e[c->hint].key.tag == T_OBJ)
        v = sc_ref(d->e[c->hint].val);
    else if (c->dict && c->version == d->keys)
        v = sc_ref(c->fn);
    else if ((v = load_global(vm, fr, c)).tag == T_NIL)
        RAISE;
    SET(i.a, v);
    NEXT;
}
L_STOREG: {
    Dict *d = fr->module->attrs;
    Value *at = sc_dict_find_str(d, as_str(code->consts[i.b]));

    if (at) {
        TAKE(i.a, v);
        sc_put(vm, at, v);
        NEXT;
    }
    if (!sc_dict_put_str(vm, d, as_str(code->consts[i.b]), R(i.a)))
        RAISE;
    SPENT(i.a, NOREG);
    NEXT;
}
L_DELG:
    t = sc_dict_remove(vm, fr->module->attrs, code->consts[i.b]);
    if (t == 0)
        raise_unknown_name(vm, fr, as_str(code->consts[i.b]));
    if (t <= 0)
        RAISE;
    NEXT;
L_LOADN:
    v = load_class_name(vm, fr, as_str(code->consts[i.b]));
    if (v.tag == T_NIL)
        RAISE;
    SET(i.a, v);
    NEXT;
L_STOREN:
    if (!sc_dict_put_str(vm, fr->ns, as_str(code->consts[i.b]), R(i.a)))
        RAISE;
    SPENT(i.a, NOREG);
    NEXT;
L_DELN:
    t = sc_dict_remove(vm, fr->ns, code->consts[i.b]);
    if (t == 0)
        raise_unknown_name(vm, fr, as_str(code->consts[i.b]));
    if (t <= 0)
        RAISE;
    NEXT;
L_CHECK:
    if (R(i.a).tag == T_NIL) {
        raise_unbound(vm, fr, i.a);
        RAISE;
    }
    NEXT;
L_DELLOCAL:
    if (R(i.a).tag == T_NIL) {
        raise_unbound(vm, fr, i.a);
        RAISE;
    }
    SET(i.a, NIL);
    NEXT;
L_CLEAR:
    SET(i.a, NIL);
    NEXT;
L_MAKECELL:
L_NEWCELL: {
    Cell *c = sc_cell(vm);

    if (!c)
        RAISE;
    if (i.op == OPC_MAKECELL)
        c->v = R(i.a);
    else
        sc_drop(vm, R(i.a));
    R(i.a) = v_obj(c);
    NEXT;
}
L_LOADCELL:
    v = ((Cell *)R(i.b).o)->v;
    if (v.tag == T_NIL) {
        raise_unbound(vm, fr, i.b);
        RAISE;
    }
    SET(i.a, sc_ref(v));
    NEXT;
L_STORECELL:
    TAKE(i.b, v);
    sc_put(vm, &((Cell *)R(i.a).o)->v, v);
    NEXT;
L_DELCELL:
    if (((Cell *)R(i.a).o)->v.tag == T_NIL) {
        raise_unbound(vm, fr, i.a);
        RAISE;
    }
    sc_put(vm, &((Cell *)R(i.a).o)->v, NIL);
    NEXT;
L_LOADFREE:
    v = fr->fn->cells[i.b]->v;
    if (v.tag == T_NIL) {
        sc_raise(vm, C_NameError,
                 "cannot access free variable where it is not associated with a value in "
                 "enclosing scope");
        RAISE;
    }
    SET(i.a, sc_ref(v));
    NEXT;
L_STOREFREE:
    TAKE(i.a, v);
    sc_put(vm, &fr->fn->cells[i.b]->v, v);
    NEXT;
L_DELFREE:
    sc_put(vm, &fr->fn->cells[i.b]->v, NIL);
    NEXT;

    ARITH(L_ADD, OP2_ADD, !__builtin_add_overflow(x_, y_, &z_), (z_ = x_ + y_, true))
    ARITH(L_SUB, OP2_SUB, !__builtin_sub_overflow(x_, y_, &z_), (z_ = x_ - y_, true))
    ARITH(L_MUL, OP2_MUL, !__builtin_mul_overflow(x_, y_, &z_), (z_ = x_ * y_, true))
L_DIV: {
    Value a = R(i.b), b = R(i.c);
    double x, y;

    if ((a.tag == T_FLOAT || a.tag == T_INT) && (b.tag == T_FLOAT || b.tag == T_INT) &&
        !(a.tag == T_INT && (a.i > (1LL << 53) || a.i < -(1LL << 53))) &&
        !(b.tag == T_INT && (b.i > (1LL << 53) || b.i < -(1LL << 53)))) {
        x = a.tag == T_FLOAT ? a.f : (double)a.i;
        y = b.tag == T_FLOAT ? b.f : (double)b.i;
        if (y != 0) {
            if (UNLIKELY(R(i.a).tag == T_OBJ))
                sc_drop(vm, R(i.a));
            R(i.a) = v_float(x / y);
            NEXT;
        }
    }
    op2 = OP2_DIV;
    goto binary_slow;
}
    ARITH(L_FLOORDIV, OP2_FLOORDIV, y_ > 0 && (z_ = x_ / y_ - (x_ % y_ < 0), true),
          ((void)x_, (void)y_, z_ = 0, false))
    ARITH(L_MOD, OP2_MOD, y_ > 0 && (z_ = x_ % y_, z_ += z_ < 0 ? y_ : 0, true),
          ((void)x_, (void)y_, z_ = 0, false))
L_BINOP:
    op2 = (BinOp)(i.x & ~BIN_INPLACE);
binary_slow:
    v = sc_binary(vm, op2, R(i.b), R(i.c), i.x & BIN_INPLACE);
    if (v.tag == T_NIL)
        RAISE;
    SPENT(i.b, i.a);
    SPENT(i.c, i.a);
    SET(i.a, v);
    NEXT;
L_ADDI: {
    Value a = R(i.b);
    int64_t z;

    if (a.tag == T_INT && !__builtin_add_overflow(a.i, (int64_t)(int16_t)i.c, &z)) {
        if (UNLIKELY(R(i.a).tag == T_OBJ))
            sc_drop(vm, R(i.a));
        R(i.a) = v_int(z);
        NEXT;
    }
    if (a.tag == T_FLOAT) {
        if (UNLIKELY(R(i.a).tag == T_OBJ))
            sc_drop(vm, R(i.a));
        R(i.a) = v_float(a.f + (double)(int16_t)i.c);
        NEXT;
    }
    if (i.x & 1)
        v = sc_binary(vm, OP2_SUB, a, v_int(-(int64_t)(int16_t)i.c), i.x & BIN_INPLACE);
    else
        v = sc_binary(vm, OP2_ADD, a, v_int((int16_t)i.c), i.x & BIN_INPLACE);
    if (v.tag == T_NIL)
        RAISE;
    SPENT(i.b, i.a);
    SET(i.a, v);
    NEXT;
}
L_CMP:
    v = sc_compare(vm, (CmpOp)i.x, R(i.b), R(i.c));
    if (v.tag == T_NIL)
        RAISE;
    SPENT(i.b, i.a);
    SPENT(i.c, i.a);
    SET(i.a, v);
    NEXT;
L_UNARY:
    v = sc_unary(vm, (UnOp)i.x, R(i.b));
    if (v.tag == T_NIL)
        RAISE;
    SPENT(i.b, i.a);
    SET(i.a, v);
    NEXT;
L_NOT:
    t = sc_truth(vm, R(i.b));
    if (t < 0)
        RAISE;
    SPENT(i.b, i.a);
    SET(i.a, v_bool(!t));
    NEXT;
L_JMP:
    pc += i.jump;
    NEXT;
L_LOOP:
    sc_collect_if_due(vm);
    if (sc_interrupted(vm)) /* before the jump: its target may be outside of the try */
        RAISE;
    pc += i.jump;
    NEXT;
L_JT:
    t = sc_truth(vm, R(i.a));
    if (t < 0)
        RAISE;
    SPENT(i.a, NOREG);
    if (t)
        pc += i.jump;
    NEXT;
L_JF:
    t = sc_truth(vm, R(i.a));
    if (t < 0)
        RAISE;
    SPENT(i.a, NOREG);
    if (!t)
        pc += i.jump;
    NEXT;
L_JKT:
    t = sc_truth(vm, R(i.a));
    if (t < 0)
        RAISE;
    if (t)
        pc += i.jump;
    NEXT;
L_JKF:
    t = sc_truth(vm, R(i.a));
    if (t < 0)
        RAISE;
    if (!t)
        pc += i.jump;
    NEXT;

    JCOMPARE(L_JLT, CMP_LT, <)
    JCOMPARE(L_JLE, CMP_LE, <=)
    JCOMPARE(L_JEQ, CMP_EQ, ==)
    JCOMPARE(L_JNE, CMP_NE, !=)
    JCOMPARE(L_JGT, CMP_GT, >)
    JCOMPARE(L_JGE, CMP_GE, >=)
L_JCMP:
compare_slow:
    v = sc_compare(vm, (CmpOp)i.x, R(i.a), R(i.b));
    SPENT(i.b, NOREG);
    goto compare_done;
    JCOMPAREI(L_JLTI, <)
    JCOMPAREI(L_JLEI, <=)
    JCOMPAREI(L_JEQI, ==)
    JCOMPAREI(L_JNEI, !=)
    JCOMPAREI(L_JGTI, >)
    JCOMPAREI(L_JGEI, >=)
compare_imm_slow:
    v = sc_compare(vm, (CmpOp)i.x, R(i.a), v_int((int16_t)i.b));
compare_done:
    if (v.tag == T_NIL)
        RAISE;
    SPENT(i.a, NOREG);
    t = sc_truth(vm, v);
    sc_drop(vm, v);
    if (t < 0)
        RAISE;
    if (t == i.c)
        JUMP_WORD();
    else
        pc++;
    NEXT;

L_ITER:
    v = sc_iter(vm, R(i.b));
    if (v.tag == T_NIL)
        RAISE;
    SPENT(i.b, i.a);
    SET(i.a, v);
    NEXT;
L_FORITER: {
    Value it = R(i.a);

    if (it.o->cls == vm->cls[C_range_iterator]) {
        Iter *k = (Iter *)it.o;

        if (k->stop <= 0)
            goto for_end;
        k->stop--;
        v = v_int(k->i);
        k->i = (int64_t)((uint64_t)k->i + (uint64_t)k->step);
    } else if (it.o->cls == vm->cls[C_list_iterator]) {
        Iter *k = (Iter *)it.o;
        List *l = (List *)k->a.o;

        if (k->a.tag == T_NIL || k->i >= l->n) {
            sc_put(vm, &k->a, NIL);
            goto for_end;
        }
        v = sc_ref(l->v[k->i++]);
    } else if (it.o->cls == vm->cls[C_generator]) {
        Gen *g = (Gen *)it.o;
        Frame *f = g->frame;

        if (!f)
            goto for_end;
        if (g->running) {
            sc_raise(vm, C_ValueError, "generator already executing");
            RAISE;
        }
        if (++vm->depth > vm->max_depth) {
            vm->depth--;
            sc_raise(vm, C_RecursionError, "maximum recursion depth exceeded");
            RAISE;
        }
        if (f->sent)
            sc_put(vm, &f->regs[f->sent - 1], NONE);
        g->running = true;
        f->enter = FRAME_FOR;
        f->ret = i.b;
        f->back = fr;
        fr->pc = pc;
        fr = f;
        LOAD_FRAME();
        NEXT;
    } else {
        v = it.o->cls->d.next(vm, it);
        if (v.tag == T_NIL) {
            if (sc_failed(vm))
                RAISE;
            goto for_end;
        }
    }
    SET(i.b, v);
    pc++;
    NEXT;
for_end:
    JUMP_WORD();
    NEXT;
}
L_GETITEM: {
    Value o = R(i.b), key = R(i.c);

    if (o.tag == T_OBJ && key.tag == T_INT) {
        int64_t n = key.i;

        if (o.o->cls == vm->cls[C_list]) {
            List *l = (List *)o.o;

            n += n < 0 ? l->n : 0;
            if (n >= 0 && n < l->n) {
                v = sc_ref(l->v[n]);
                goto got_item;
            }
        } else if (o.o->cls == vm->cls[C_tuple]) {
            Tuple *l = (Tuple *)o.o;

            n += n < 0 ? l->n : 0;
            if (n >= 0 && n < l->n) {
                v = sc_ref(l->v[n]);
                goto got_item;
            }
        }
    }
    v = sc_getitem(vm, o, key);
    if (v.tag == T_NIL)
        RAISE;
    SPENT(i.c, i.a);
got_item:
    SPENT(i.b, i.a);
    SET(i.a, v);
    NEXT;
}
L_SETITEM: {
    Value o = R(i.a), key = R(i.b);

    if (o.tag == T_OBJ && o.o->cls == vm->cls[C_list] && key.tag == T_INT) {
        List *l = (List *)o.o;
        int64_t n = key.i + (key.i < 0 ? l->n : 0);

        if (n >= 0 && n < l->n) {
            TAKE(i.c, v);
            sc_put(vm, &l->v[n], v);
            SPENT(i.a, NOREG);
            NEXT;
        }
    }
    if (!sc_setitem(vm, o, key, R(i.c)))
        RAISE;
    SPENT(i.a, NOREG);
    SPENT(i.b, NOREG);
    SPENT(i.c, NOREG);
    NEXT;
}
L_DELITEM:
    if (!sc_setitem(vm, R(i.a), R(i.b), NIL))
        RAISE;
    SPENT(i.a, NOREG);
    SPENT(i.b, NOREG);
    NEXT;
L_GETATTR: {
    Cache *c = &code->caches[i.c];
    Value o = R(i.b);

    if (o.tag == T_OBJ && o.o->cls == c->cls && c->version == vm->version) {
        Dict *d = *(Dict **)(void *)((char *)o.o + c->cls->d.attrs_at);

        if (d && c->hint < d->n && d->e[c->hint].key.o == (Obj *)c->name &&
            d->e[c->hint].key.tag == T_OBJ) {
            v = sc_ref(d->e[c->hint].val);
            SPENT(i.b, i.a);
            SET(i.a, v);
            NEXT;
        }
    }
    v = load_attr(vm, o, c);
    if (v.tag == T_NIL)
        RAISE;
    SPENT(i.b, i.a);
    SET(i.a, v);
    NEXT;
}
L_SETATTR: {
    Cache *c = &code->caches[i.c];
    Value o = R(i.a);

    if (o.tag == T_OBJ && o.o->cls == c->cls && c->version == vm->version) {
        Dict *d = *(Dict **)(void *)((char *)o.o + c->cls->d.attrs_at);

        if (d && c->hint < d->n && d->e[c->hint].key.o == (Obj *)c->name &&
            d->e[c->hint].key.tag == T_OBJ) {
            TAKE(i.b, v);
            sc_put(vm, &d->e[c->hint].val, v);
            SPENT(i.a, NOREG);
            NEXT;
        }
    }
    if (!store_attr(vm, o, c, R(i.b)))
        RAISE;
    SPENT(i.a, NOREG);
    SPENT(i.b, NOREG);
    NEXT;
}
L_DELATTR:
    if (!sc_setattr(vm, R(i.a), code->caches[i.c].name, NIL))
        RAISE;
    SPENT(i.a, NOREG);
    NEXT;
L_LOADM: {
    Cache *c = &code->caches[i.c];
    Value o = R(i.b);

    if (o.tag == T_OBJ && o.o->cls == c->cls && c->version == vm->version) {
        size_t at = c->cls->d.attrs_at;
        Dict *d = at ? *(Dict **)(void *)((char *)o.o + at) : NULL;

        if (!d || !sc_dict_find_str(d, c->name)) {
            TAKE(i.b, v);
            SET(i.a + 1u, v);
            SET(i.a, sc_ref(c->fn));
            NEXT;
        }
    }
    sc_ref(o);
    t = load_method(vm, o, c, &R(i.a));
    sc_drop(vm, o);
    if (!t)
        RAISE;
    if (i.b != i.a && i.b != i.a + 1)
        SPENT(i.b, NOREG);
    NEXT;
}
L_CALLX: {
    Value *b = &R(i.a);

    if (b[0].tag == T_OBJ && b[0].o->cls == vm->cls[C_function] && b[2].tag == T_NIL) {
        Func *f = (Func *)b[0].o;
        List *l = (List *)b[1].o;
        Frame *nf = sc_frame_for(vm, f, l->v, (int)l->n, 0, NULL, false);

        if (!nf)
            RAISE;
        SET(i.a, NIL);
        SET(i.a + 1u, NIL);
        fr->pc = pc;
        nf->ret = i.a;
        nf->enter = FRAME_CALL;
        if (nf->code->is_generator) {
            v = sc_new_generator(vm, nf);
            if (v.tag == T_NIL)
                RAISE;
            SET(i.a, v);
            NEXT;
        }
        nf->back = fr;
        fr = nf;
        goto push_frame;
    }
    v = call_stars(vm, b[0], (List *)b[1].o, b[2]);
    if (v.tag == T_NIL)
        RAISE;
    SET(i.a, v);
    SET(i.a + 1u, NIL);
    SET(i.a + 2u, NIL);
    NEXT;
}
L_CALL: {
    Value *b = &R(i.a), *args = b + 1, fn = b[0], *names = NULL, self = NIL;
    int n = i.b, nkw = 0, k;
    uint8_t enter = FRAME_CALL;
    Frame *nf;
    Func *f;

    if (i.c) {
        Tuple *kt = (Tuple *)code->consts[i.c - 1].o;

        names = kt->v;
        nkw = (int)kt->n;
    }
    if (i.x) {
        if (b[1].tag != T_NIL)
            n++;
        else
            args++;
    }
again:
    if (fn.tag == T_OBJ && fn.o->cls == vm->cls[C_function]) {
        f = (Func *)fn.o;
    call_function:
        nf = sc_frame_for(vm, f, args, n, nkw, names, true);
        if (!nf) {
            sc_drop(vm, self);
            RAISE;
        }
        v = b[0];
        b[0] = NIL;
        if (args > b)
            sc_drop(vm, v);
        else if (nkw || f->code->npos != (uint32_t)n || f->code->has_star || f->code->has_dstar ||
                 f->code->nkwonly)
            sc_drop(vm, v); /* it was copied, not moved */
        for (k = args > b ? 0 : 1; k < n + nkw; k++)
            if (args[k].tag != T_NIL) {
                v = args[k];
                args[k].tag = T_NIL;
                sc_drop(vm, v);
            }
        fr->pc = pc;
        nf->ret = i.a;
        nf->enter = enter;
        nf->self = self;
        if (nf->code->is_generator) {
            v = sc_new_generator(vm, nf);
            if (v.tag == T_NIL)
                RAISE;
            SET(i.a, v);
            NEXT;
        }
        nf->back = fr;
        fr = nf;
        goto push_frame;
    }
    if (fn.tag == T_OBJ && fn.o->cls == vm->cls[C_method] && args > b) {
        Method *m = (Method *)fn.o;

        if (args == b + 1) {
            /* the method's place takes self */
            Value mf = sc_ref(m->fn);

            b[0] = sc_ref(m->self);
            sc_drop(vm, fn);
            fn = mf;
            args = b;
            n++;
            if (fn.o->cls == vm->cls[C_function]) {
                f = (Func *)fn.o;
                nf = sc_frame_for(vm, f, args, n, nkw, names, true);
                sc_drop(vm, fn);
                if (!nf)
                    RAISE;
                for (k = 0; k < n + nkw; k++)
                    if (args[k].tag != T_NIL) {
                        v = args[k];
                        args[k].tag = T_NIL;
                        sc_drop(vm, v);
                    }
                fr->pc = pc;
                nf->ret = i.a;
                nf->enter = FRAME_CALL;
                if (nf->code->is_generator) {
                    v = sc_new_generator(vm, nf);
                    if (v.tag == T_NIL)
                        RAISE;
                    SET(i.a, v);
                    NEXT;
                }
                nf->back = fr;
                fr = nf;
                goto push_frame;
            }
            v = sc_call_args(vm, fn, &(Args){args, n, nkw, names, NULL, NULL});
            sc_drop(vm, fn);
            goto call_done;
        }
    }
    if (fn.tag == T_OBJ && fn.o->cls == vm->cls[C_type] &&
        (f = plain_init(vm, (Class *)fn.o)) != NULL) {
        self = sc_new_instance(vm, (Class *)fn.o);
        if (self.tag == T_NIL)
            RAISE;
        enter = FRAME_INIT;
        args--;
        n++;
        v = *args;
        *args = sc_ref(self);
        if (args > b) { /* after LOADM: the class stays in b[0] until the call */
            goto call_function;
        }
        sc_drop(vm, v);
        nf = sc_frame_for(vm, f, args, n, nkw, names, true);
        if (!nf) {
            sc_drop(vm, self);
            RAISE;
        }
        for (k = 0; k < n + nkw; k++)
            if (args[k].tag != T_NIL) {
                v = args[k];
                args[k].tag = T_NIL;
                sc_drop(vm, v);
            }
        fr->pc = pc;
        nf->ret = i.a;
        nf->enter = enter;
        nf->self = self;
        nf->back = fr;
        fr = nf;
        goto push_frame;
    }
    if (fn.tag == T_OBJ && fn.o->cls->script && args == b + 1 && n == i.b && !i.x) {
        Value *call = sc_class_find(fn.o->cls, vm->known[S_call]);

        if (call && sc_is_exact(vm, *call, C_function)) {
            /* obj(..): obj itself is the first argument */
            Value mf = sc_ref(*call);

            f = (Func *)mf.o;
            args = b;
            n++;
            nf = sc_frame_for(vm, f, args, n, nkw, names, true);
            sc_drop(vm, mf);
            if (!nf)
                RAISE;
            for (k = 0; k < n + nkw; k++)
                if (args[k].tag != T_NIL) {
                    v = args[k];
                    args[k].tag = T_NIL;
                    sc_drop(vm, v);
                }
            fr->pc = pc;
            nf->ret = i.a;
            nf->enter = FRAME_CALL;
            if (nf->code->is_generator) {
                v = sc_new_generator(vm, nf);
                if (v.tag == T_NIL)
                    RAISE;
                SET(i.a, v);
                NEXT;
            }
            nf->back = fr;
            fr = nf;
            goto push_frame;
        }
    }
    fr->pc = pc;
    if (fn.tag == T_OBJ && fn.o->cls == vm->cls[C_builtin_function_or_method] &&
        ((Native *)fn.o)->self.tag == T_NIL && nkw == 0 && n == ((Native *)fn.o)->nall) {
        Native *nat = (Native *)fn.o;

        if (nat->self_is != SELF_ANY &&
            !(nat->self_is == SELF_INSTANCE && args[0].tag == T_OBJ &&
              args[0].o->cls == nat->owner) &&
            !sc_check_self(vm, nat, args[0]))
            RAISE;
        v = nat->def->fn(vm, &(Args){args, n, 0, NULL, nat->user, nat->def});
    } else {
        v = sc_call_args(vm, fn, &(Args){args, n, nkw, names, NULL, NULL});
    }
call_done:
    if (v.tag == T_NIL)
        RAISE;
    for (k = 0; k < n + nkw; k++)
        if (args + k != b) {
            w = args[k];
            args[k].tag = T_NIL;
            sc_drop(vm, w);
        }
    SET(i.a, v);
    NEXT;
    if (0)
        goto again;
}
push_frame:
    sc_collect_if_due(vm);
    if (++vm->depth > vm->max_depth || cancelled(vm->cx)) {
        Frame *back = fr->back;

        sc_frame_free(vm, fr);
        vm->depth--;
        fr = back;
        LOAD_FRAME();
        if (!sc_interrupted(vm))
            sc_raise(vm, C_RecursionError, "maximum recursion depth exceeded");
        goto raised_here;
    }
    LOAD_FRAME();
    NEXT;
L_RET: {
    Frame *back = fr->back;
    uint8_t enter = fr->enter;
    uint32_t ret = fr->ret;

    TAKE(i.a, v);
    if (enter == FRAME_INIT) {
        if (v.tag != T_NONE) {
            sc_raise(vm, C_TypeError, "__init__() should return None, not '%s'",
                     sc_type_name(vm, v));
            sc_drop(vm, v);
            RAISE;
        }
        v = fr->self;
        fr->self = NIL;
    }
    vm->depth--;
    if (fr->gen) {
        Gen *g = fr->gen;

        g->frame = NULL;
        g->running = false;
        sc_put(vm, &g->result, v);
        v = NIL;
    }
    sc_frame_free(vm, fr);
    if (enter == FRAME_C) {
        vm->frame = caller;
        return v;
    }
    fr = back;
    LOAD_FRAME();
    if (enter == FRAME_FOR) {
        JUMP_WORD();
        NEXT;
    }
    SET(ret, v);
    NEXT;
}
L_YIELD: {
    Frame *back = fr->back;
    uint8_t enter = fr->enter;
    uint32_t ret = fr->ret;

    TAKE(i.b, v);
    fr->sent = i.a + 1u;
yielded:
    fr->pc = pc;
    fr->gen->running = false;
    fr->back = NULL;
    vm->depth--;
    if (enter == FRAME_C) {
        vm->frame = caller;
        return v;
    }
    fr = back;
    LOAD_FRAME();
    SET(ret, v);
    pc++;
    NEXT;
L_YFROM:
    back = fr->back;
    enter = fr->enter;
    ret = fr->ret;
    fr->pc = pc;
    if (fr->sent == i.a + 1u && R(i.a).tag != T_NONE && R(i.a).tag != T_NIL &&
        sc_is_exact(vm, R(i.b), C_generator))
        v = sc_gen_next(vm, (Gen *)R(i.b).o, R(i.a));
    else
        v = sc_next(vm, R(i.b));
    if (v.tag != T_NIL) {
        fr->sent = i.a + 1u;
        pc--;
        goto yielded;
    }
    if (sc_failed(vm))
        RAISE;
    v = sc_is_exact(vm, R(i.b), C_generator) ? sc_ref(((Gen *)R(i.b).o)->result) : NONE;
    SET(i.a, v);
    NEXT;
}
L_UNPACK:
    if (!unpack(vm, R(i.a), &R(i.b), i.c, i.x))
        RAISE;
    SPENT(i.a, NOREG);
    NEXT;
L_LIST: {
    List *l = sc_list(vm, i.c);

    if (!l)
        RAISE;
    for (t = 0; t < i.c; t++) {
        l->v[t] = R(i.b + (uint32_t)t);
        R(i.b + (uint32_t)t).tag = T_NIL;
    }
    SET(i.a, v_obj(l));
    NEXT;
}
L_TUPLE: {
    Tuple *l = i.c ? sc_tuple(vm, i.c) : gc_ref(vm->empty_tuple);

    if (!l)
        RAISE;
    for (t = 0; t < i.c; t++) {
        l->v[t] = R(i.b + (uint32_t)t);
        R(i.b + (uint32_t)t).tag = T_NIL;
    }
    SET(i.a, v_obj(l));
    NEXT;
}
L_SET: {
    Dict *d = sc_set(vm);

    if (!d)
        RAISE;
    for (t = 0; t < i.c; t++) {
        if (!sc_dict_put(vm, d, R(i.b + (uint32_t)t), NONE)) {
            obj_drop(vm, d);
            RAISE;
        }
        SET(i.b + (uint32_t)t, NIL);
    }
    SET(i.a, v_obj(d));
    NEXT;
}
L_DICT: {
    Dict *d = sc_dict(vm);

    if (!d)
        RAISE;
    for (t = 0; t < i.c; t++) {
        uint32_t k = i.b + 2 * (uint32_t)t;

        if (!sc_dict_put(vm, d, R(k), R(k + 1))) {
            obj_drop(vm, d);
            RAISE;
        }
        SET(k, NIL);
        SET(k + 1, NIL);
    }
    SET(i.a, v_obj(d));
    NEXT;
}
L_APPEND: {
    List *l = (List *)R(i.a).o;

    if (l->n == l->cap && !sc_grow(vm, &l->v, &l->cap, l->n + 1, sizeof *l->v))
        RAISE;
    TAKE(i.b, v);
    l->v[l->n++] = v;
    NEXT;
}
L_SETADD:
    if (!sc_dict_put(vm, (Dict *)R(i.a).o, R(i.b), NONE))
        RAISE;
    SPENT(i.b, NOREG);
    NEXT;
L_DICTADD:
    if (!sc_dict_put(vm, (Dict *)R(i.a).o, R(i.b), R(i.c)))
        RAISE;
    SPENT(i.b, NOREG);
    SPENT(i.c, NOREG);
    NEXT;
L_EXTEND:
    if (!sc_list_extend(vm, (List *)R(i.a).o, R(i.b)))
        RAISE;
    SPENT(i.b, NOREG);
    NEXT;
L_SETUPDATE:
    if (!sc_set_add_all(vm, (Dict *)R(i.a).o, R(i.b)))
        RAISE;
    SPENT(i.b, NOREG);
    NEXT;
L_DICTUPDATE:
    if (i.x ? !merge_keywords(vm, (Dict *)R(i.a).o, R(i.b))
            : !sc_dict_update(vm, (Dict *)R(i.a).o, R(i.b)))
        RAISE;
    SPENT(i.b, NOREG);
    NEXT;
L_TOTUPLE: {
    Tuple *l = sc_tuple_from(vm, R(i.b));

    if (!l)
        RAISE;
    SPENT(i.b, i.a);
    SET(i.a, v_obj(l));
    NEXT;
}
L_SLICE:
    v = sc_slice(vm, R(i.b), R(i.b + 1u), R(i.b + 2u));
    if (v.tag == T_NIL)
        RAISE;
    SPENT(i.b, NOREG);
    SPENT(i.b + 1u, NOREG);
    SPENT(i.b + 2u, NOREG);
    SET(i.a, v);
    NEXT;
L_FUNC:
    v = new_function(vm, fr, code->codes[i.b], &R(i.c));
    if (v.tag == T_NIL)
        RAISE;
    SET(i.a, v);
    NEXT;
L_CLASS:
    fr->pc = pc;
    v = make_class(vm, fr, code->codes[i.b], R(i.c), R(i.c + 1u));
    if (v.tag == T_NIL)
        RAISE;
    SPENT(i.c, i.a);
    SPENT(i.c + 1u, NOREG);
    SET(i.a, v);
    NEXT;
L_FMT:
    v = format_value(vm, R(i.b), i.x, i.c == NOREG ? NIL : R(i.c));
    if (v.tag == T_NIL)
        RAISE;
    SPENT(i.b, i.a);
    if (i.c != NOREG)
        SPENT(i.c, i.a);
    SET(i.a, v);
    NEXT;
L_JOIN:
    v = join_strings(vm, &R(i.b), i.c);
    if (v.tag == T_NIL)
        RAISE;
    for (t = 0; t < i.c; t++)
        SET(i.b + (uint32_t)t, NIL);
    SET(i.a, v);
    NEXT;
L_RAISE:
    if (i.x == 0) {
        if (vm->handled.tag != T_OBJ)
            sc_raise(vm, C_RuntimeError, "No active exception to reraise");
        else
            sc_set_exc(vm, vm->handled, NIL);
        RAISE;
    }
    sc_set_exc(vm, R(i.a), i.x == 2 ? R(i.b) : NIL);
    RAISE;
L_RERAISE:
    TAKE(i.a, v);
    sc_drop(vm, vm->exc);
    vm->exc = v;
    fr->pc = pc;
    goto find_handler;
L_EXCMATCH: {
    bool yes;

    if (!match_exception(vm, R(i.a), R(i.b), &yes))
        RAISE;
    SPENT(i.b, NOREG);
    if (yes)
        pc++;
    else
        JUMP_WORD();
    NEXT;
}
L_HANDLED:
    sc_put(vm, &vm->handled, sc_ref(R(i.a)));
    NEXT;
L_GETHANDLED:
    SET(i.a, sc_ref(vm->handled));
    NEXT;
L_IMPORT: {
    Str *name = as_str(code->consts[i.b]);
    const char *dot = strchr(name->s, '.');

    fr->pc = pc;
    v = sc_import(vm, name);
    if (v.tag == T_NIL)
        RAISE;
    if (dot && !i.x) { /* import a.b binds a */
        Str *top = sc_intern(vm, name->s, (size_t)(dot - name->s));

        sc_drop(vm, v);
        v = top ? sc_import(vm, top) : NIL;
        if (top)
            obj_drop(vm, top);
        if (v.tag == T_NIL)
            RAISE;
    }
    SET(i.a, v);
    NEXT;
}
L_IMPORTFROM:
    v = import_from(vm, R(i.b), as_str(code->consts[i.c]));
    if (v.tag == T_NIL)
        RAISE;
    SET(i.a, v);
    NEXT;
L_IMPORTSTAR:
    if (!import_star(vm, fr, R(i.a)))
        RAISE;
    NEXT;
L_ENTER:
    fr->pc = pc;
    v = enter_manager(vm, R(i.b));
    if (v.tag == T_NIL)
        RAISE;
    SET(i.a, v);
    NEXT;
L_EXIT:
    fr->pc = pc;
    v = exit_manager(vm, R(i.b), i.c == NOREG ? NIL : R(i.c));
    if (v.tag == T_NIL)
        RAISE;
    SET(i.a, v);
    NEXT;
L_SUPER:
    if (!sc_is_exact(vm, R(i.b), C_type)) {
        sc_raise(vm, C_RuntimeError, "super(): no class");
        RAISE;
    }
    v = sc_super(vm, (Class *)R(i.b).o, R(i.c));
    if (v.tag == T_NIL)
        RAISE;
    SPENT(i.b, i.a);
    SPENT(i.c, i.a);
    SET(i.a, v);
    NEXT;
L_ASSERT:
    sc_raise_value(vm, C_AssertionError, i.x ? R(i.a) : NIL);
    RAISE;
L_ANNOT:
    if (!annotate(vm, fr, as_str(code->consts[i.b]), R(i.a)))
        RAISE;
    SPENT(i.a, NOREG);
    NEXT;

raised:
    fr->pc = pc;
raised_here:
    if (vm->exc.tag != T_OBJ) /* a native that gave nothing and did not say why */
        sc_raise(vm, C_RuntimeError, "a function of the library failed without a reason");
    if (vm->exc.tag == T_OBJ)
        sc_trace_add(vm, (Exc *)vm->exc.o, fr);
find_handler:
    for (;;) {
        uint32_t at = (uint32_t)(fr->pc - code->ins) - 1, k;
        Frame *back;
        uint8_t enter;

        for (k = 0; k < code->nhandlers; k++)
            if (at >= code->handlers[k].from && at < code->handlers[k].to)
                break;
        if (k < code->nhandlers) {
            for (uint32_t q = nlocals; q < code->nregs; q++)
                if (r[q].tag != T_NIL)
                    SET(q, NIL);
            SET(code->handlers[k].reg, sc_take_exc(vm));
            pc = code->ins + code->handlers[k].pc;
            NEXT;
        }
        back = fr->back;
        enter = fr->enter;
        vm->depth--;
        if (fr->gen) {
            fr->gen->frame = NULL;
            fr->gen->running = false;
            if (sc_exc_is(vm, C_StopIteration))
                sc_raise(vm, C_RuntimeError, "generator raised StopIteration");
        }
        sc_frame_free(vm, fr);
        if (enter == FRAME_C) {
            vm->frame = caller;
            return NIL;
        }
        fr = back;
        LOAD_FRAME();
        if (vm->exc.tag == T_OBJ)
            sc_trace_add(vm, (Exc *)vm->exc.o, fr);
    }
    (void)base;
}
