/* weak.c -- references that do not keep what they refer to.
 *
 * The machine holds all of them in buckets by the address of what they refer to, and an object that has some is marked
 * (OBJ_WEAK). When it dies its references forget it, then their callbacks are called. The collections of such
 * references are in the language itself (namespaces/weakref.py).
 */
#include "script.h"

struct WeakRef {
    GcObj h;
    Dict *attrs;
    Value callback;
    Obj *of;              /* not counted; NULL: it is gone */
    WeakRef *next, *prev; /* in its bucket */
    uint64_t hash;        /* of what it refers to, once asked for */
    bool hashed;
};

static WeakRef **bucket(Vm *vm, const Obj *o) { return &vm->weak[(uintptr_t)o >> 4 & (COUNT(vm->weak) - 1)]; }

static void unlink_ref(Vm *vm, WeakRef *r)
{
    if (!r->of)
        return;
    if (r->prev)
        r->prev->next = r->next;
    else
        *bucket(vm, r->of) = r->next;
    if (r->next)
        r->next->prev = r->prev;
    r->of = NULL;
    r->next = r->prev = NULL;
}

/* Callbacks see references that are already empty, the newest first. Those of references that die with the object
 * are not called. Whatever is pending stays pending. */
void sc_weak_forget(Vm *vm, Obj *o)
{
    Value exc = vm->exc, ref, r;
    WeakRef *w, *next, *first = NULL, **last = &first;

    o->flags &= ~(uint32_t)OBJ_WEAK;
    for (w = *bucket(vm, o); w; w = next) {
        next = w->next;
        if (w->of != o)
            continue;
        unlink_ref(vm, w);
        if (w->callback.tag == T_OBJ && !vm->closing && !(w->h.h.flags & OBJ_HELD)) {
            w->h.h.refs++;
            *last = w;
            last = &w->next;
        }
    }
    vm->exc = NIL;
    for (w = first; w; w = next) {
        next = w->next;
        w->next = NULL;
        ref = v_obj(w);
        r = sc_call(vm, w->callback, &ref, 1);
        sc_drop(vm, r);
        sc_clear_exc(vm);
        sc_drop(vm, ref);
    }
    vm->exc = exc;
}

/* Plain values of the language have no identity that one could wait for. */
static bool has_references(Vm *vm, Value v)
{
    static const KnownClass plain[] = {C_int, C_str, C_bytes, C_tuple, C_list, C_dict, C_bytearray, C_complex, C_range, C_slice};

    if (v.tag != T_OBJ)
        return false;
    for (int i = 0; i < COUNT(plain); i++)
        if (sc_is_exact(vm, v, plain[i]))
            return false;
    return true;
}

static bool ref_init(Vm *vm, Value self, const Args *a)
{
    WeakRef *w = (WeakRef *)self.o, **at;

    if (!has_references(vm, a->v[0]))
        return sc_fail(vm, C_TypeError, "cannot create weak reference to '%s' object", sc_type_name(vm, a->v[0]));
    unlink_ref(vm, w);
    sc_put(vm, &w->callback, a->v[1].tag == T_NIL || a->v[1].tag == T_NONE ? NIL : sc_ref(a->v[1]));
    w->of = a->v[0].o;
    w->of->flags |= OBJ_WEAK;
    at = bucket(vm, w->of);
    w->next = *at;
    if (*at)
        (*at)->prev = w;
    *at = w;
    return true;
}

static Value referent(const WeakRef *w) { return w->of ? sc_ref((Value){T_OBJ, {.o = w->of}}) : NONE; }

static Value ref_call(Vm *vm, Value self, const Args *a)
{
    if (a->n || a->nkw)
        return sc_raise(vm, C_TypeError, "weakref expected no arguments");
    return referent((WeakRef *)self.o);
}

static void ref_destroy(Vm *vm, Obj *o)
{
    WeakRef *w = (WeakRef *)o;
    Dict *d = w->attrs;

    unlink_ref(vm, w);
    sc_put(vm, &w->callback, NIL);
    w->attrs = NULL;
    if (d)
        obj_drop(vm, d);
}

static void ref_visit(Obj *o, VisitFn fn, void *user)
{
    fn(((WeakRef *)o)->callback, user);
    if (((WeakRef *)o)->attrs)
        fn(v_obj(((WeakRef *)o)->attrs), user);
}

/* Of what they refer to while both live, then only the same one is equal. */
static Value ref_compare(Vm *vm, CmpOp op, Value a, Value b)
{
    WeakRef *x = (WeakRef *)a.o, *y;
    Value p, q;
    int same;

    if ((op != CMP_EQ && op != CMP_NE) || b.tag != T_OBJ || b.o->cls->d.destroy != ref_destroy)
        return NOTIMPL;
    y = (WeakRef *)b.o;
    if (!x->of || !y->of)
        return v_bool((x == y) == (op == CMP_EQ));
    p = referent(x);
    q = referent(y);
    same = sc_equal(vm, p, q);
    sc_drop(vm, p);
    sc_drop(vm, q);
    return same < 0 ? NIL : v_bool(same == (op == CMP_EQ));
}

static bool ref_hash(Vm *vm, Value self, uint64_t *out)
{
    WeakRef *w = (WeakRef *)self.o;
    Value v;

    if (!w->hashed) {
        if (!w->of)
            return sc_fail(vm, C_TypeError, "weak object has gone away");
        v = referent(w);
        w->hashed = sc_hash(vm, v, &w->hash);
        sc_drop(vm, v);
        if (!w->hashed)
            return false;
    }
    *out = w->hash;
    return true;
}

static Value ref_repr(Vm *vm, Value self)
{
    WeakRef *w = (WeakRef *)self.o;

    if (!w->of)
        return sc_strf(vm, "<weakref at 0x%012llx; dead>", (unsigned long long)(uintptr_t)w);
    return sc_strf(vm, "<weakref at 0x%012llx; to '%s' at 0x%012llx>", (unsigned long long)(uintptr_t)w,
                   w->of->cls->name->s, (unsigned long long)(uintptr_t)w->of);
}

static Value get_callback(Vm *vm, Value self)
{
    WeakRef *w = (WeakRef *)self.o;

    (void)vm;
    return w->of && w->callback.tag == T_OBJ ? sc_ref(w->callback) : NONE;
}

static const PropertyDef properties[] = {{"__callback__", get_callback, NULL}, {0}};

const ClassDef sc_weakref_def = {
    .name = "ref", .size = sizeof(WeakRef), .attrs_at = offsetof(WeakRef, attrs), .init = ref_init,
    .init_params = "object|callback", .destroy = ref_destroy, .visit = ref_visit, .call = ref_call,
    .compare = ref_compare, .hash = ref_hash, .repr = ref_repr, .properties = properties};
