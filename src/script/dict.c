/* dict.c -- dictionaries in order of insertion, and their views.
 *
 * Entries sit in an array; removed ones leave a hole until the array is packed. Above
 * DICT_SMALL entries an index of open addressing finds them by hash; below, a scan does.
 *
 * Strings    strings that are keys are interned but for those of DICT_LOOSE, so that names are found by address
 *            (sc_dict_find_str): attributes, globals and keywords are dicts of this kind.
 * Pointers   to an entry or a value hold until the next change of keys: the array moves when it grows. Comparing keys may run
 *            code of the script, which may change this dict: `keys` tells, and the search begins again.
 * Caches     the machine remembers where a name stands together with `keys`; so whatever adds, removes or moves a key
 *            counts it up, and a new value for an old key does not.
 * Drops      of a key or a value may run code too (__del__): an entry is out of the dict before what it held is dropped.
 */
#include "script.h"
#include "dunder.h"

static Dict *dict_new(Vm *vm, Class *c)
{
    Dict *d = sc_gc_new(vm, c, c->d.size);

    return d;
}

Dict *sc_dict(Vm *vm) { return dict_new(vm, vm->cls[C_dict]); }
Dict *sc_set(Vm *vm) { return dict_new(vm, vm->cls[C_set]); }

/* ---- finding ----------------------------------------------------------------------- */

#define DICT_LOOSE 128 /* flag: some string key is not the interned one */

static Value *find_loose(Dict *d, const Str *key)
{
    uint64_t hash = sc_str_hash((Str *)(uintptr_t)key);

    for (uint32_t i = 0; i < d->n; i++)
        if (d->e[i].hash == hash && d->e[i].key.tag == T_OBJ &&
            d->e[i].key.o->cls == key->h.cls && sc_str_eq((Str *)d->e[i].key.o, key))
            return &d->e[i].val;
    return NULL;
}

Value *sc_dict_find_str(Dict *d, const Str *key)
{
    uint32_t i;

    if (d->h.h.flags & DICT_LOOSE)
        return find_loose(d, key);
    if (!d->index) {
        for (i = 0; i < d->n; i++)
            if (d->e[i].key.o == (const Obj *)key && d->e[i].key.tag == T_OBJ)
                return &d->e[i].val;
        return NULL;
    }
    for (i = (uint32_t)sc_str_hash((Str *)(uintptr_t)key) & (d->slots - 1); d->index[i];
         i = (i + 1) & (d->slots - 1)) {
        DictEntry *e = &d->e[d->index[i] - 1];

        if (e->key.o == (const Obj *)key && e->key.tag == T_OBJ)
            return &e->val;
    }
    return NULL;
}

#define CHANGED 2

/* Is entry i the key? -1: an exception, CHANGED: keys came or went while they were compared. */
static int matches(Vm *vm, Dict *d, uint32_t i, Value key, uint64_t hash)
{
    DictEntry *e = &d->e[i];
    uint32_t keys = d->keys;
    Value k;
    int r;

    if (e->hash != hash || e->key.tag == T_NIL)
        return 0;
    if (e->key.tag == key.tag && e->key.i == key.i && key.tag != T_FLOAT)
        return 1;
    if (e->key.tag != T_OBJ && key.tag != T_OBJ)
        return sc_equal(vm, e->key, key);
    k = sc_ref(e->key);
    r = sc_equal(vm, k, key);
    sc_drop(vm, k);
    return r >= 0 && d->keys != keys ? CHANGED : r;
}

/* One walk over what may be the key. */
static inline int find_once(Vm *vm, Dict *d, Value key, uint64_t hash, uint32_t *out)
{
    uint32_t i;
    int r;

    if (!d->index) {
        for (i = 0; i < d->n; i++)
            if ((r = matches(vm, d, i, key, hash))) {
                *out = i;
                return r;
            }
        return 0;
    }
    for (i = (uint32_t)hash & (d->slots - 1); d->index[i]; i = (i + 1) & (d->slots - 1)) {
        uint32_t entry = d->index[i] - 1;

        if ((r = matches(vm, d, entry, key, hash))) {
            *out = entry;
            return r;
        }
    }
    return 0;
}

static inline bool find_hashed(Vm *vm, Dict *d, Value key, uint64_t hash, uint32_t *out, bool *found)
{
    int r;

    do /* as CPython does: a dict that changed is searched again */
        r = find_once(vm, d, key, hash, out);
    while (r == CHANGED);
    *found = r > 0;
    return r >= 0;
}

bool sc_dict_find_entry(Vm *vm, Dict *d, Value key, uint32_t *out, bool *found)
{
    uint64_t hash;
    bool ok;

    *found = false;
    sc_ref(key); /* it may be a key of another container */
    ok = sc_hash(vm, key, &hash) && find_hashed(vm, d, key, hash, out, found);
    sc_drop(vm, key);
    return ok;
}

Value *sc_dict_find(Vm *vm, Dict *d, Value key)
{
    uint32_t i;
    bool found;

    if (!d->live)
        return sc_hash(vm, key, &(uint64_t){0}) ? NULL : NULL;
    return sc_dict_find_entry(vm, d, key, &i, &found) && found ? &d->e[i].val : NULL;
}

/* ---- changing ---------------------------------------------------------------------- */

static void index_entry(Dict *d, uint32_t i)
{
    uint32_t k = (uint32_t)d->e[i].hash & (d->slots - 1);

    while (d->index[k])
        k = (k + 1) & (d->slots - 1);
    d->index[k] = i + 1;
}

/* Room for one more: holes go, the array and the index grow. */
static bool make_room(Vm *vm, Dict *d)
{
    uint32_t cap = d->live + 1 < 8 ? 8 : (d->live + 1) * 2, slots = 0, n = 0, i;
    DictEntry *e;
    uint32_t *index = NULL;

    if (!d->cap)
        cap = 4;
    if (cap > DICT_SMALL)
        for (slots = 16; slots < cap * 3 / 2; slots *= 2)
            ;
    if (d->live > UINT32_MAX / 4) {
        sc_raise_memory(vm);
        return false;
    }
    e = sc_alloc(vm, cap * sizeof *e);
    if (e && slots)
        index = sc_alloc(vm, slots * sizeof *index);
    if (!e || (slots && !index)) {
        sc_free(vm, e, cap * sizeof *e);
        return false;
    }
    for (i = 0; i < d->n; i++)
        if (d->e[i].key.tag != T_NIL)
            e[n++] = d->e[i];
    sc_free(vm, d->e, d->cap * sizeof *e);
    sc_free(vm, d->index, d->slots * sizeof *index);
    d->e = e;
    d->n = n;
    d->cap = cap;
    d->index = index;
    d->slots = slots;
    d->keys++;
    if (slots) {
        memset(index, 0, slots * sizeof *index);
        for (i = 0; i < n; i++)
            index_entry(d, i);
    }
    return true;
}

static bool insert(Vm *vm, Dict *d, Value key, Value v, uint64_t hash)
{
    if (d->n == d->cap && !make_room(vm, d))
        return false;
    if (key.tag == T_OBJ && key.o->cls == vm->cls[C_str] && !(key.o->flags & OBJ_INTERNED))
        d->h.h.flags |= DICT_LOOSE;
    d->e[d->n] = (DictEntry){sc_ref(key), sc_ref(v), hash};
    d->n++;
    d->live++;
    d->keys++;
    if (d->index)
        index_entry(d, d->n - 1);
    return true;
}

/* The caller holds key and v: a comparison may change what they are borrowed from. */
static inline bool put_held(Vm *vm, Dict *d, Value key, Value v, uint64_t hash)
{
    uint32_t i;
    bool found;

    if (!find_hashed(vm, d, key, hash, &i, &found))
        return false;
    if (!found)
        return insert(vm, d, key, v, hash);
    sc_put(vm, &d->e[i].val, sc_ref(v));
    return true;
}

bool sc_dict_put_hashed(Vm *vm, Dict *d, Value key, Value v, uint64_t hash)
{
    bool ok;

    sc_ref(key);
    sc_ref(v);
    ok = put_held(vm, d, key, v, hash);
    sc_drop(vm, key);
    sc_drop(vm, v);
    return ok;
}

bool sc_dict_put(Vm *vm, Dict *d, Value key, Value v)
{
    uint64_t hash;
    bool ok;

    sc_ref(key);
    sc_ref(v);
    ok = sc_hash(vm, key, &hash) && put_held(vm, d, key, v, hash);
    sc_drop(vm, key);
    sc_drop(vm, v);
    return ok;
}

bool sc_dict_put_str(Vm *vm, Dict *d, Str *key, Value v)
{
    Value *at;

    key = sc_intern_str(vm, key);
    if (!key)
        return false;
    at = sc_dict_find_str(d, key);
    if (at) {
        sc_put(vm, at, sc_ref(v));
        return true;
    }
    return insert(vm, d, v_obj(key), v, sc_str_hash(key));
}

static void remove_entry(Vm *vm, Dict *d, uint32_t i)
{
    DictEntry e = d->e[i];

    d->e[i].key = d->e[i].val = NIL;
    d->live--;
    d->keys++;
    if (i + 1 == d->n && !d->index)
        d->n--;
    if (d->live == 0 && !d->index)
        d->n = 0;
    sc_drop(vm, e.key);
    sc_drop(vm, e.val);
}

int sc_dict_remove(Vm *vm, Dict *d, Value key)
{
    uint32_t i;
    bool found;

    if (!sc_dict_find_entry(vm, d, key, &i, &found))
        return -1;
    if (!found)
        return 0;
    remove_entry(vm, d, i);
    return 1;
}

void sc_dict_clear(Vm *vm, Dict *d)
{
    DictEntry *e = d->e;
    uint32_t n = d->n, cap = d->cap, i;

    sc_free(vm, d->index, d->slots * sizeof *d->index);
    d->e = NULL;
    d->index = NULL;
    d->n = d->cap = d->live = d->slots = 0;
    d->keys++;
    for (i = 0; i < n; i++) {
        sc_drop(vm, e[i].key);
        sc_drop(vm, e[i].val);
    }
    sc_free(vm, e, cap * sizeof *e);
}

Dict *sc_dict_copy(Vm *vm, Dict *d, Class *cls)
{
    Dict *r = dict_new(vm, cls);
    DictEntry *e;

    for (uint32_t i = 0; r && dict_next(d, &i, &e);)
        if (!insert(vm, r, e->key, e->val, e->hash)) {
            obj_drop(vm, r);
            return NULL;
        }
    return r;
}

static bool update_pairs(Vm *vm, Dict *d, Value other)
{
    Value it = sc_iter(vm, other), v;
    int64_t n = 0;

    if (it.tag == T_NIL)
        return false;
    for (; (v = sc_next(vm, it)).tag != T_NIL; n++) {
        Tuple *t = sc_tuple_from(vm, v);
        bool ok = t != NULL;

        if (!t && sc_exc_is(vm, C_TypeError)) {
            sc_clear_exc(vm);
            sc_fail(vm, C_TypeError, "cannot convert dictionary update sequence element #%lld to a sequence", (long long)n);
        }
        if (t && t->n != 2)
            ok = sc_fail(vm, C_ValueError,
                         "dictionary update sequence element #%lld has length %lld; 2 is required",
                         (long long)n, (long long)t->n);
        ok = ok && sc_dict_put(vm, d, t->v[0], t->v[1]);
        if (t)
            obj_drop(vm, t);
        sc_drop(vm, v);
        if (!ok)
            break;
    }
    sc_drop(vm, it);
    return !sc_failed(vm);
}

bool sc_dict_update(Vm *vm, Dict *d, Value other)
{
    Value keys, it, k;
    DictEntry *e;

    if (sc_is(vm, other, C_dict)) {
        Dict *from = (Dict *)other.o;
        uint32_t was = from->keys;

        for (uint32_t i = 0; dict_next(from, &i, &e);) {
            if (!sc_dict_put_hashed(vm, d, e->key, e->val, e->hash))
                return false;
            if (from->keys != was && from != d)
                return sc_fail(vm, C_RuntimeError, "dict mutated during update");
        }
        return true;
    }
    keys = sc_getattr_opt(vm, other, vm->known[S_keys]);
    if (keys.tag == T_NIL)
        return sc_failed(vm) ? false : update_pairs(vm, d, other);
    k = sc_call(vm, keys, NULL, 0);
    sc_drop(vm, keys);
    it = k.tag == T_NIL ? NIL : sc_iter(vm, k);
    sc_drop(vm, k);
    if (it.tag == T_NIL)
        return false;
    while ((k = sc_next(vm, it)).tag != T_NIL) {
        Value v = sc_getitem(vm, other, k);
        bool ok = v.tag != T_NIL && sc_dict_put(vm, d, k, v);

        sc_drop(vm, v);
        sc_drop(vm, k);
        if (!ok)
            break;
    }
    sc_drop(vm, it);
    return !sc_failed(vm);
}

/* ---- slots ------------------------------------------------------------------------- */

static void dict_destroy(Vm *vm, Obj *o)
{
    Dict *d = (Dict *)o, *attrs = d->attrs;

    sc_dict_clear(vm, d);
    d->attrs = NULL;
    if (attrs)
        obj_drop(vm, attrs);
}

static void dict_visit(Obj *o, VisitFn fn, void *user)
{
    Dict *d = (Dict *)o;

    for (uint32_t i = 0; i < d->n; i++) {
        fn(d->e[i].key, user);
        fn(d->e[i].val, user);
    }
    if (d->attrs)
        fn(v_obj(d->attrs), user);
}

static Value dict_repr(Vm *vm, Value self)
{
    Dict *d = (Dict *)self.o;
    Buf b = {.vm = vm};
    DictEntry *e;
    int n = 0;

    if (d->h.h.flags & 64)
        return v_obj(sc_str(vm, "{...}"));
    d->h.h.flags |= 64;
    buf_char(&b, '{');
    for (uint32_t i = 0; dict_next(d, &i, &e);) {
        Value k = sc_ref(e->key), v = sc_ref(e->val);
        bool ok;

        if (n++)
            buf_str(&b, ", ");
        ok = buf_value(&b, k, true);
        buf_str(&b, ": ");
        ok = ok && buf_value(&b, v, true);
        sc_drop(vm, k);
        sc_drop(vm, v);
        if (!ok)
            break;
    }
    buf_char(&b, '}');
    d->h.h.flags &= ~64u;
    return buf_done(&b);
}

int sc_dict_equal(Vm *vm, Dict *a, Dict *b)
{
    DictEntry *e;

    if (a->live != b->live)
        return 0;
    for (uint32_t i = 0; dict_next(a, &i, &e);) {
        Value k = sc_ref(e->key), v = sc_ref(e->val), *o;
        int r;

        o = sc_dict_find(vm, b, k);
        r = o ? sc_equal(vm, v, *o) : sc_failed(vm) ? -1 : 0;
        sc_drop(vm, k);
        sc_drop(vm, v);
        if (r <= 0)
            return r;
    }
    return 1;
}

static Value dict_compare(Vm *vm, CmpOp op, Value a, Value b)
{
    int r;

    if ((op != CMP_EQ && op != CMP_NE) || !sc_is(vm, b, C_dict))
        return NOTIMPL;
    r = sc_dict_equal(vm, (Dict *)a.o, (Dict *)b.o);
    return r < 0 ? NIL : v_bool(r == (op == CMP_EQ));
}

static Value dict_binary(Vm *vm, BinOp op, Value a, Value b, bool reflected, bool inplace)
{
    Dict *r;

    (void)reflected;
    if (op != OP2_OR || !sc_is(vm, a, C_dict))
        return NOTIMPL;
    if (inplace)
        return sc_dict_update(vm, (Dict *)a.o, b) ? sc_ref(a) : NIL;
    if (!sc_is(vm, b, C_dict))
        return NOTIMPL;
    r = sc_dict_copy(vm, (Dict *)a.o, vm->cls[C_dict]);
    if (r && !sc_dict_update(vm, r, b)) {
        obj_drop(vm, r);
        return NIL;
    }
    return v_obj(r);
}

static Value dict_getitem(Vm *vm, Value self, Value key)
{
    Value *v = sc_dict_find(vm, (Dict *)self.o, key);

    if (v)
        return sc_ref(*v);
    if (sc_failed(vm))
        return NIL;
    if (self.o->cls != vm->cls[C_dict] && sc_class_find(self.o->cls, vm->known[S_missing]))
        return dunder_call(vm, self, S_missing, &key, 1);
    return sc_raise_value(vm, C_KeyError, key);
}

static bool dict_setitem(Vm *vm, Value self, Value key, Value v)
{
    int r;

    if (v.tag != T_NIL)
        return sc_dict_put(vm, (Dict *)self.o, key, v);
    r = sc_dict_remove(vm, (Dict *)self.o, key);
    if (r == 0)
        sc_raise_value(vm, C_KeyError, key);
    return r > 0;
}

static bool dict_len(Vm *vm, Value self, int64_t *out)
{
    (void)vm;
    *out = ((Dict *)self.o)->live;
    return true;
}

static int dict_contains(Vm *vm, Value self, Value v)
{
    uint32_t i;
    bool found;

    return sc_dict_find_entry(vm, (Dict *)self.o, v, &i, &found) ? found : -1;
}

enum { ITER_KEYS, ITER_VALUES, ITER_ITEMS };

static Value iter_over(Vm *vm, Value d, int what)
{
    static const KnownClass by[] = {C_dict_keyiterator, C_dict_valueiterator, C_dict_itemiterator};
    Iter *it = sc_iter_new(vm, by[what], d);

    if (it) {
        it->step = what;
        it->stop = ((Dict *)d.o)->live;
    }
    return v_obj(it);
}

static Value dict_iter(Vm *vm, Value self) { return iter_over(vm, self, ITER_KEYS); }

static bool dict_init(Vm *vm, Value self, const Args *a)
{
    if (a->n > 1)
        return sc_fail(vm, C_TypeError, "dict expected at most 1 argument, got %d", a->n);
    if (a->n && !sc_dict_update(vm, (Dict *)self.o, a->v[0]))
        return false;
    for (int i = 0; i < a->nkw; i++)
        if (!sc_dict_put(vm, (Dict *)self.o, a->names[i], a->v[a->n + i]))
            return false;
    return true;
}

static bool unhashable(Vm *vm, Value self, uint64_t *out)
{
    *out = 0;
    return sc_fail(vm, C_TypeError, "unhashable type: '%s'", sc_type_name(vm, self));
}

/* ---- views ------------------------------------------------------------------------- */

static Value view(Vm *vm, Value d, KnownClass k) { return v_obj(sc_iter_new(vm, k, d)); }

static int view_kind(Vm *vm, Value self)
{
    return self.o->cls == vm->cls[C_dict_keys]     ? ITER_KEYS
           : self.o->cls == vm->cls[C_dict_values] ? ITER_VALUES
                                                   : ITER_ITEMS;
}

static Value view_iter(Vm *vm, Value self)
{
    return iter_over(vm, ((Iter *)self.o)->a, view_kind(vm, self));
}

static bool view_len(Vm *vm, Value self, int64_t *out)
{
    (void)vm;
    *out = ((Dict *)((Iter *)self.o)->a.o)->live;
    return true;
}

static Value view_repr(Vm *vm, Value self)
{
    static const char *const names[] = {"dict_keys(", "dict_values(", "dict_items("};
    List *l = sc_list(vm, 0);
    Buf b = {.vm = vm};

    if (!l || !sc_list_extend(vm, l, self)) {
        if (l)
            obj_drop(vm, l);
        return NIL;
    }
    if (strcmp(sc_type_name(vm, ((Iter *)self.o)->a), "OrderedDict") == 0)
        buf_char(&b, 'o');
    buf_str(&b, names[view_kind(vm, self)]);
    buf_value(&b, v_obj(l), true);
    buf_char(&b, ')');
    obj_drop(vm, l);
    return buf_done(&b);
}

static int view_contains(Vm *vm, Value self, Value v)
{
    Value d = ((Iter *)self.o)->a, it, e, *x;
    int kind = view_kind(vm, self), r = 0;

    if (kind == ITER_KEYS)
        return dict_contains(vm, d, v);
    if (kind == ITER_ITEMS) {
        Tuple *t = (Tuple *)v.o;

        if (!sc_is(vm, v, C_tuple) || t->n != 2)
            return 0;
        x = sc_dict_find(vm, (Dict *)d.o, t->v[0]);
        return x ? sc_equal(vm, *x, t->v[1]) : sc_failed(vm) ? -1 : 0;
    }
    it = view_iter(vm, self);
    while (it.tag != T_NIL && r == 0 && (e = sc_next(vm, it)).tag != T_NIL) {
        r = sc_equal(vm, e, v);
        sc_drop(vm, e);
    }
    sc_drop(vm, it);
    return sc_failed(vm) ? -1 : r;
}

/* keys() & other and so on: as sets */
static Value view_binary(Vm *vm, BinOp op, Value a, Value b, bool reflected, bool inplace)
{
    Dict *x, *y;
    Value r = NIL;

    (void)inplace;
    (void)reflected;
    if (op != OP2_AND && op != OP2_OR && op != OP2_SUB && op != OP2_XOR)
        return NOTIMPL;
    x = sc_set(vm);
    y = sc_set(vm);
    if (x && y && sc_set_add_all(vm, x, a) && sc_set_add_all(vm, y, b))
        r = sc_binary(vm, op, v_obj(x), v_obj(y), false);
    if (x)
        obj_drop(vm, x);
    if (y)
        obj_drop(vm, y);
    return r;
}

static Value view_compare(Vm *vm, CmpOp op, Value a, Value b)
{
    Dict *x, *y;
    Value r = NIL;

    if (view_kind(vm, a) == ITER_VALUES ||
        !(sc_is(vm, b, C_set) || sc_is(vm, b, C_dict_keys) || sc_is(vm, b, C_dict_items)))
        return NOTIMPL;
    x = sc_set(vm);
    y = sc_set(vm);
    if (x && y && sc_set_add_all(vm, x, a) && sc_set_add_all(vm, y, b))
        r = sc_compare(vm, op, v_obj(x), v_obj(y));
    if (x)
        obj_drop(vm, x);
    if (y)
        obj_drop(vm, y);
    return r;
}

static void view_destroy(Vm *vm, Obj *o)
{
    sc_put(vm, &((Iter *)o)->a, NIL);
    sc_put(vm, &((Iter *)o)->b, NIL);
}

static void view_visit(Obj *o, VisitFn fn, void *user)
{
    fn(((Iter *)o)->a, user);
    fn(((Iter *)o)->b, user);
}

#define VIEW(id, text)                                                                   \
    const ClassDef sc_##id##_def = {                                                     \
        .name = text, .size = sizeof(Iter), .sealed = true, .destroy = view_destroy,     \
        .visit = view_visit, .iter = view_iter, .len = view_len, .repr = view_repr,      \
        .contains = view_contains, .binary = view_binary, .compare = view_compare,       \
    }
VIEW(keys, "dict_keys");
VIEW(values, "dict_values");
VIEW(items, "dict_items");

static Value dict_iter_next(Vm *vm, Value self)
{
    Iter *it = (Iter *)self.o;
    Dict *d = (Dict *)it->a.o;
    Value pair[2];

    if (it->a.tag == T_NIL)
        return NIL;
    if (d->live != it->stop)
        return sc_raise(vm, C_RuntimeError, "%s changed size during iteration",
                        sc_is(vm, it->a, C_dict) ? "dictionary" : "Set");
    if (it->b.tag == T_OBJ && it->i < ((List *)it->b.o)->n) /* of a set: its elements in the order they are shown in */
        return sc_ref(((List *)it->b.o)->v[it->i++]);
    for (; it->b.tag != T_OBJ && it->i < d->n; it->i++) {
        DictEntry *e = &d->e[it->i];

        if (e->key.tag == T_NIL)
            continue;
        it->i++;
        if (it->step == ITER_KEYS)
            return sc_ref(e->key);
        if (it->step == ITER_VALUES)
            return sc_ref(e->val);
        pair[0] = e->key;
        pair[1] = e->val;
        return v_obj(sc_tuple_of(vm, pair, 2));
    }
    sc_put(vm, &it->a, NIL);
    return NIL;
}

#define ENTRIES(id, text)                                                                 \
    const ClassDef sc_##id##_def = {                                                     \
        .name = text, .size = sizeof(Iter), .sealed = true, .destroy = view_destroy,     \
        .visit = view_visit, .next = dict_iter_next,                                     \
    }
ENTRIES(dict_key_iter, "dict_keyiterator");
ENTRIES(dict_value_iter, "dict_valueiterator");
ENTRIES(dict_item_iter, "dict_itemiterator");
ENTRIES(set_iter, "set_iterator");

/* ---- methods ----------------------------------------------------------------------- */

#define SELF ((Dict *)a->v[0].o)

static Value m_get(Vm *vm, const Args *a)
{
    Value *v = sc_dict_find(vm, SELF, a->v[1]);

    if (v)
        return sc_ref(*v);
    if (sc_failed(vm))
        return NIL;
    return a->v[2].tag == T_NIL ? NONE : sc_ref(a->v[2]);
}

static Value m_setdefault(Vm *vm, const Args *a)
{
    Value *v = sc_dict_find(vm, SELF, a->v[1]), x = a->v[2].tag == T_NIL ? NONE : a->v[2];

    if (v)
        return sc_ref(*v);
    if (sc_failed(vm))
        return NIL;
    return sc_dict_put(vm, SELF, a->v[1], x) ? sc_ref(x) : NIL;
}

static Value m_pop(Vm *vm, const Args *a)
{
    uint32_t i;
    bool found;
    Value v;

    if (!sc_dict_find_entry(vm, SELF, a->v[1], &i, &found))
        return NIL;
    if (!found)
        return a->v[2].tag == T_NIL ? sc_raise_value(vm, C_KeyError, a->v[1]) : sc_ref(a->v[2]);
    v = sc_ref(SELF->e[i].val);
    remove_entry(vm, SELF, i);
    return v;
}

static Value m_popitem(Vm *vm, const Args *a)
{
    Dict *d = SELF;
    bool last = a->v[1].tag == T_NIL || sc_truth(vm, a->v[1]) == 1;
    uint32_t i = last ? d->n : 0;
    Value pair[2], t;

    if (!d->live)
        return sc_raise(vm, C_KeyError, "popitem(): dictionary is empty");
    if (last)
        for (i--; d->e[i].key.tag == T_NIL;)
            i--;
    else
        while (d->e[i].key.tag == T_NIL)
            i++;
    pair[0] = d->e[i].key;
    pair[1] = d->e[i].val;
    t = v_obj(sc_tuple_of(vm, pair, 2));
    if (t.tag != T_NIL)
        remove_entry(vm, d, i);
    return t;
}

static Value m_update(Vm *vm, const Args *a)
{
    Args b = {a->v + 1, a->n - 1, a->nkw, a->names, NULL, NULL};

    return dict_init(vm, a->v[0], &b) ? NONE : NIL;
}

static Value m_clear(Vm *vm, const Args *a)
{
    sc_dict_clear(vm, SELF);
    return NONE;
}

static Value m_copy(Vm *vm, const Args *a)
{
    return v_obj(sc_dict_copy(vm, SELF, vm->cls[C_dict]));
}

static Value m_keys(Vm *vm, const Args *a) { return view(vm, a->v[0], C_dict_keys); }
static Value m_values(Vm *vm, const Args *a) { return view(vm, a->v[0], C_dict_values); }
static Value m_items(Vm *vm, const Args *a) { return view(vm, a->v[0], C_dict_items); }

static Value m_move_to_end(Vm *vm, const Args *a)
{
    uint32_t i;
    bool found;
    Dict *d = SELF, *r;
    DictEntry e;

    if (!sc_dict_find_entry(vm, d, a->v[1], &i, &found))
        return NIL;
    if (!found)
        return sc_raise_value(vm, C_KeyError, a->v[1]);
    e = d->e[i];
    sc_ref(e.key);
    sc_ref(e.val);
    remove_entry(vm, d, i);
    if (a->v[2].tag == T_NIL || sc_truth(vm, a->v[2]) == 1) {
        bool ok = insert(vm, d, e.key, e.val, e.hash);

        sc_drop(vm, e.key);
        sc_drop(vm, e.val);
        return ok ? NONE : NIL;
    }
    r = sc_dict_copy(vm, d, vm->cls[C_dict]);
    if (!r)
        return NIL;
    sc_dict_clear(vm, d);
    bool ok = insert(vm, d, e.key, e.val, e.hash);
    DictEntry *x;

    for (i = 0; ok && dict_next(r, &i, &x);)
        ok = insert(vm, d, x->key, x->val, x->hash);

    sc_drop(vm, e.key);
    sc_drop(vm, e.val);
    obj_drop(vm, r);
    return ok ? NONE : NIL;
}

static Value c_fromkeys(Vm *vm, const Args *a)
{
    Value d = sc_call(vm, a->v[0], NULL, 0), it, k, v = a->v[2].tag == T_NIL ? NONE : a->v[2];
    bool ok = d.tag != T_NIL, plain = ok && sc_is_exact(vm, d, C_dict);

    it = ok ? sc_iter(vm, a->v[1]) : NIL;
    while (it.tag != T_NIL && ok && (k = sc_next(vm, it)).tag != T_NIL) {
        ok = plain ? sc_dict_put(vm, (Dict *)d.o, k, v) : sc_setitem(vm, d, k, v);
        sc_drop(vm, k);
    }
    sc_drop(vm, it);
    if (sc_failed(vm))
        sc_put(vm, &d, NIL);
    return d;
}

static Value m_getitem(Vm *vm, const Args *a) { return dict_getitem(vm, a->v[0], a->v[1]); }
static Value m_setitem(Vm *vm, const Args *a)
{
    return dict_setitem(vm, a->v[0], a->v[1], a->v[2]) ? NONE : NIL;
}
static Value m_delitem(Vm *vm, const Args *a)
{
    return dict_setitem(vm, a->v[0], a->v[1], NIL) ? NONE : NIL;
}
static Value m_contains(Vm *vm, const Args *a)
{
    int r = dict_contains(vm, a->v[0], a->v[1]);

    return r < 0 ? NIL : v_bool(r);
}
static Value m_repr(Vm *vm, const Args *a) { return dict_repr(vm, a->v[0]); }

static const NativeDef dict_methods[] = {
    {"get", m_get, "self,key|default"}, {"setdefault", m_setdefault, "self,key|default"},
    {"pop", m_pop, "self,key|default"}, {"popitem", m_popitem, "self|last"},
    {"update", m_update, "*"}, {"clear", m_clear, "self"}, {"copy", m_copy, "self"},
    {"keys", m_keys, "self"}, {"values", m_values, "self"}, {"items", m_items, "self"},
    {"move_to_end", m_move_to_end, "self,key|last"},
    {"__getitem__", m_getitem, "self,key"}, {"__setitem__", m_setitem, "self,key,value"},
    {"__delitem__", m_delitem, "self,key"}, {"__contains__", m_contains, "self,key"},
    {"__repr__", m_repr, "self"},
    {0},
};
static const NativeDef dict_classmethods[] = {
    {"fromkeys", c_fromkeys, "cls,iterable|value"}, {0}};

const ClassDef sc_dict_def = {
    .name = "dict", .size = sizeof(Dict), .attrs_at = offsetof(Dict, attrs), .init = dict_init,
    .init_params = "*", .destroy = dict_destroy, .visit = dict_visit, .repr = dict_repr,
    .compare = dict_compare, .binary = dict_binary, .getitem = dict_getitem,
    .setitem = dict_setitem, .len = dict_len, .contains = dict_contains, .iter = dict_iter,
    .hash = unhashable, .methods = dict_methods, .classmethods = dict_classmethods,
};
