/* set.c -- sets and frozensets: the table of a dict with no values.
 *
 * Order: CPython walks its hash table. Sets of small ints, whose hashes are themselves, are
 * shown in that order here too (see shown_order); others in order of insertion.
 */
#include "script.h"

bool sc_set_add_all(Vm *vm, Dict *set, Value iterable)
{
    Value it, v;
    DictEntry *e;

    if (sc_is(vm, iterable, C_set) || sc_is(vm, iterable, C_frozenset) ||
        sc_is(vm, iterable, C_dict)) {
        for (uint32_t i = 0; dict_next((Dict *)iterable.o, &i, &e);)
            if (!sc_dict_put_hashed(vm, set, e->key, NONE, e->hash))
                return false;
        return true;
    }
    it = sc_iter(vm, iterable);
    if (it.tag == T_NIL)
        return false;
    while ((v = sc_next(vm, it)).tag != T_NIL) {
        bool ok = sc_dict_put(vm, set, v, NONE);

        sc_drop(vm, v);
        if (!ok)
            break;
    }
    sc_drop(vm, it);
    return !sc_failed(vm);
}

/* Where CPython's table of the given mask puts a hash: a run of 10 slots, then elsewhere. */
static void place(int64_t *table, uint64_t mask, int64_t key)
{
    uint64_t perturb = (uint64_t)(key == -1 ? -2 : key), i = perturb & mask, k, j;

    for (;;) {
        j = i + 9 <= mask ? 9 : 0;
        for (k = 0; k <= j; k++)
            if (table[i + k] == INT64_MIN) {
                table[i + k] = key;
                return;
            }
        perturb >>= 5;
        i = (i * 5 + 1 + perturb) & mask;
    }
}

/* The elements as CPython would walk them, if all are ints in a range where that is known;
 * else NULL. The caller frees n + 1 values. */
static int64_t *shown_order(Vm *vm, Dict *d)
{
    uint64_t mask = 7, fill = 0, i, n = 0, size;
    int64_t *table, *old, *out;
    DictEntry *e;
    uint32_t k;

    for (k = 0; dict_next(d, &k, &e);)
        if (e->key.tag != T_INT || e->key.i <= INT64_MIN + 1 || d->live > 20000)
            return NULL;
    table = sc_alloc(vm, (mask + 1) * sizeof *table);
    for (i = 0; table && i <= mask; i++)
        table[i] = INT64_MIN;
    for (k = 0; table && dict_next(d, &k, &e);) {
        place(table, mask, e->key.i);
        if (++fill * 5 < mask * 3)
            continue;
        for (size = 8; size <= fill * 4; size <<= 1)
            ;
        old = table;
        table = sc_alloc(vm, size * sizeof *table);
        for (i = 0; table && i < size; i++)
            table[i] = INT64_MIN;
        for (i = 0; table && i <= mask; i++)
            if (old[i] != INT64_MIN)
                place(table, size - 1, old[i]);
        sc_free(vm, old, (mask + 1) * sizeof *old);
        mask = size - 1;
    }
    out = table ? sc_alloc(vm, (d->live + 1) * sizeof *out) : NULL;
    for (i = 0; out && i <= mask; i++)
        if (table[i] != INT64_MIN)
            out[n++] = table[i];
    sc_free(vm, table, (mask + 1) * sizeof *table);
    return out;
}

static Value set_iter(Vm *vm, Value self)
{
    Dict *d = (Dict *)self.o;
    int64_t *order = d->live > 1 ? shown_order(vm, d) : NULL;
    Iter *it;
    List *l;

    if (sc_failed(vm))
        return NIL;
    it = sc_iter_new(vm, C_set_iterator, self);
    if (it)
        it->stop = d->live;
    if (!order)
        return v_obj(it);
    l = it ? sc_list(vm, d->live) : NULL;
    for (uint32_t i = 0; l && i < d->live; i++)
        l->v[i] = v_int(order[i]);
    sc_free(vm, order, (d->live + 1) * sizeof *order);
    if (it && !l) {
        obj_drop(vm, it);
        return NIL;
    }
    if (l)
        it->b = v_obj(l);
    return v_obj(it);
}

static Value set_repr(Vm *vm, Value self)
{
    Dict *d = (Dict *)self.o;
    bool plain = sc_is_exact(vm, self, C_set);
    Buf b = {.vm = vm};
    Value it, v;
    int n = 0;

    if (!d->live)
        return sc_strf(vm, "%s()", sc_type_name(vm, self));
    it = set_iter(vm, self);
    if (it.tag == T_NIL)
        return NIL;
    if (!plain) {
        buf_str(&b, sc_type_name(vm, self));
        buf_char(&b, '(');
    }
    buf_char(&b, '{');
    while ((v = sc_next(vm, it)).tag != T_NIL) {
        if (n++)
            buf_str(&b, ", ");
        buf_value(&b, v, true);
        sc_drop(vm, v);
    }
    sc_drop(vm, it);
    buf_str(&b, plain ? "}" : "})");
    b.failed |= sc_failed(vm);
    return buf_done(&b);
}

static bool is_set(Vm *vm, Value v) { return sc_is(vm, v, C_set) || sc_is(vm, v, C_frozenset); }

static int subset(Vm *vm, Dict *a, Dict *b)
{
    DictEntry *e;

    if (a->live > b->live)
        return 0;
    for (uint32_t i = 0; dict_next(a, &i, &e);)
        if (!sc_dict_find(vm, b, e->key))
            return sc_failed(vm) ? -1 : 0;
    return 1;
}

static Value set_compare(Vm *vm, CmpOp op, Value a, Value b)
{
    Dict *x = (Dict *)a.o, *y = (Dict *)b.o;
    int r;

    if (!is_set(vm, b))
        return NOTIMPL;
    switch (op) {
    case CMP_EQ:
    case CMP_NE:
        r = x->live == y->live ? subset(vm, x, y) : 0;
        return r < 0 ? NIL : v_bool(r == (op == CMP_EQ));
    case CMP_LE:
    case CMP_LT:
        r = subset(vm, x, y);
        return r < 0 ? NIL : v_bool(r && (op == CMP_LE || x->live < y->live));
    default:
        r = subset(vm, y, x);
        return r < 0 ? NIL : v_bool(r && (op == CMP_GE || y->live < x->live));
    }
}

/* r = x op y, as a new set of x's class */
static Value combine(Vm *vm, BinOp op, Dict *x, Dict *y)
{
    Dict *r = sc_gc_new(vm, vm->cls[sc_is(vm, v_obj(x), C_set) ? C_set : C_frozenset], sizeof *r);
    DictEntry *e;
    bool ok = r != NULL;
    uint32_t i;

    for (i = 0; ok && dict_next(x, &i, &e);) {
        Value k = sc_ref(e->key);
        uint64_t hash = e->hash;
        bool in = op != OP2_OR && sc_dict_find(vm, y, k) != NULL;

        ok = !sc_failed(vm);
        if (ok && (op == OP2_OR || (op == OP2_AND ? in : !in)))
            ok = sc_dict_put_hashed(vm, r, k, NONE, hash);
        sc_drop(vm, k);
    }
    for (i = 0; ok && (op == OP2_OR || op == OP2_XOR) && dict_next(y, &i, &e);) {
        Value k = sc_ref(e->key);
        uint64_t hash = e->hash;
        bool in = op == OP2_XOR && sc_dict_find(vm, x, k) != NULL;

        ok = !sc_failed(vm) && (in || sc_dict_put_hashed(vm, r, k, NONE, hash));
        sc_drop(vm, k);
    }
    if (!ok && r) {
        obj_drop(vm, r);
        return NIL;
    }
    return v_obj(r);
}

static void swap_tables(Dict *a, Dict *b)
{
    Dict t = *a;

    a->e = b->e, a->index = b->index, a->n = b->n, a->cap = b->cap, a->live = b->live;
    a->slots = b->slots, a->keys += b->keys + 1;
    b->e = t.e, b->index = t.index, b->n = t.n, b->cap = t.cap, b->live = t.live;
    b->slots = t.slots;
}

static Value set_binary(Vm *vm, BinOp op, Value a, Value b, bool reflected, bool inplace)
{
    Value r;

    (void)reflected;
    if (!is_set(vm, a) || !is_set(vm, b) ||
        (op != OP2_AND && op != OP2_OR && op != OP2_SUB && op != OP2_XOR))
        return NOTIMPL;
    r = combine(vm, op, (Dict *)a.o, (Dict *)b.o);
    if (r.tag == T_NIL || !inplace || sc_is(vm, a, C_frozenset))
        return r;
    swap_tables((Dict *)a.o, (Dict *)r.o);
    sc_drop(vm, r);
    return sc_ref(a);
}

static bool set_hash(Vm *vm, Value v, uint64_t *out)
{
    Dict *d = (Dict *)v.o;
    DictEntry *e;
    uint64_t h = 0;

    if (!sc_is(vm, v, C_frozenset))
        return sc_fail(vm, C_TypeError, "unhashable type: '%s'", sc_type_name(vm, v));
    for (uint32_t i = 0; dict_next(d, &i, &e);)
        h += hash_mix(23, e->hash);
    *out = h;
    return true;
}

static bool set_init(Vm *vm, Value self, const Args *a)
{
    return a->v[0].tag == T_NIL || sc_set_add_all(vm, (Dict *)self.o, a->v[0]);
}

/* What is in a frozenset is there before __init__ is called. */
static Value frozen_make(Vm *vm, Class *c, const Args *a)
{
    Value self = sc_new_instance(vm, c);

    if (self.tag != T_NIL && !set_init(vm, self, a)) {
        sc_drop(vm, self);
        return NIL;
    }
    return self;
}

#define SELF ((Dict *)a->v[0].o)

static Value m_add(Vm *vm, const Args *a) { return sc_dict_put(vm, SELF, a->v[1], NONE) ? NONE : NIL; }

static Value m_discard(Vm *vm, const Args *a)
{
    return sc_dict_remove(vm, SELF, a->v[1]) < 0 ? NIL : NONE;
}

static Value m_remove(Vm *vm, const Args *a)
{
    int r = sc_dict_remove(vm, SELF, a->v[1]);

    return r < 0 ? NIL : r ? NONE : sc_raise_value(vm, C_KeyError, a->v[1]);
}

static Value m_pop(Vm *vm, const Args *a)
{
    Value it, v;

    if (!SELF->live)
        return sc_raise(vm, C_KeyError, "pop from an empty set");
    it = set_iter(vm, a->v[0]);
    v = it.tag == T_NIL ? NIL : sc_next(vm, it);
    sc_drop(vm, it);
    if (v.tag != T_NIL && sc_dict_remove(vm, SELF, v) < 0) {
        sc_drop(vm, v);
        return NIL;
    }
    return v;
}

static Value m_clear(Vm *vm, const Args *a)
{
    sc_dict_clear(vm, SELF);
    return NONE;
}

static Value m_copy(Vm *vm, const Args *a)
{
    return v_obj(sc_dict_copy(vm, SELF, vm->cls[sc_is(vm, a->v[0], C_set) ? C_set : C_frozenset]));
}

static Value m_update(Vm *vm, const Args *a)
{
    for (int i = 1; i < a->n; i++)
        if (!sc_set_add_all(vm, SELF, a->v[i]))
            return NIL;
    return NONE;
}

/* self op all the others, each any iterable */
static Value with_others(Vm *vm, const Args *a, BinOp op, bool inplace)
{
    Value r = v_obj(sc_dict_copy(vm, SELF, SELF->h.h.cls));

    for (int i = 1; i < a->n && r.tag != T_NIL; i++) {
        Dict *o = sc_set(vm);
        Value next = NIL;

        if (o && sc_set_add_all(vm, o, a->v[i]))
            next = combine(vm, op, (Dict *)r.o, o);
        if (o)
            obj_drop(vm, o);
        sc_drop(vm, r);
        r = next;
    }
    if (!inplace || r.tag == T_NIL)
        return r;
    swap_tables(SELF, (Dict *)r.o);
    sc_drop(vm, r);
    return NONE;
}

static Value m_union(Vm *vm, const Args *a) { return with_others(vm, a, OP2_OR, false); }
static Value m_intersection(Vm *vm, const Args *a) { return with_others(vm, a, OP2_AND, false); }
static Value m_difference(Vm *vm, const Args *a) { return with_others(vm, a, OP2_SUB, false); }
static Value m_symmetric(Vm *vm, const Args *a) { return with_others(vm, a, OP2_XOR, false); }
static Value m_iupdate(Vm *vm, const Args *a) { return with_others(vm, a, OP2_AND, true); }
static Value m_dupdate(Vm *vm, const Args *a) { return with_others(vm, a, OP2_SUB, true); }
static Value m_supdate(Vm *vm, const Args *a) { return with_others(vm, a, OP2_XOR, true); }

static Value relation(Vm *vm, const Args *a, int how)
{
    Dict *o = sc_set(vm);
    DictEntry *e;
    int r = -1;

    if (o && sc_set_add_all(vm, o, a->v[1])) {
        if (how == 0)
            r = subset(vm, SELF, o);
        else if (how == 1)
            r = subset(vm, o, SELF);
        else
            for (uint32_t i = (r = 1, 0); r == 1 && dict_next(o, &i, &e);)
                if (sc_dict_find(vm, SELF, e->key))
                    r = 0;
    }
    if (o)
        obj_drop(vm, o);
    return r < 0 ? NIL : v_bool(r);
}

static Value m_issubset(Vm *vm, const Args *a) { return relation(vm, a, 0); }
static Value m_issuperset(Vm *vm, const Args *a) { return relation(vm, a, 1); }
static Value m_isdisjoint(Vm *vm, const Args *a) { return relation(vm, a, 2); }

#define SHARED                                                                           \
    {"copy", m_copy, "self"}, {"union", m_union, "*"},                                   \
        {"intersection", m_intersection, "*"}, {"difference", m_difference, "*"},        \
        {"symmetric_difference", m_symmetric, "*"}, {"issubset", m_issubset, "self,o"},  \
        {"issuperset", m_issuperset, "self,o"}, {"isdisjoint", m_isdisjoint, "self,o"}

static const NativeDef set_methods[] = {
    SHARED, {"add", m_add, "self,elem"}, {"discard", m_discard, "self,elem"},
    {"remove", m_remove, "self,elem"}, {"pop", m_pop, "self"}, {"clear", m_clear, "self"},
    {"update", m_update, "*"}, {"intersection_update", m_iupdate, "*"},
    {"difference_update", m_dupdate, "*"}, {"symmetric_difference_update", m_supdate, "*"},
    {0},
};
static const NativeDef frozen_methods[] = {SHARED, {0}};

static void set_destroy(Vm *vm, Obj *o) { sc_dict_def.destroy(vm, o); }
static void set_visit(Obj *o, VisitFn fn, void *user) { sc_dict_def.visit(o, fn, user); }

static bool set_len(Vm *vm, Value v, int64_t *out)
{
    (void)vm;
    *out = ((Dict *)v.o)->live;
    return true;
}

static int set_contains(Vm *vm, Value self, Value v)
{
    uint32_t i;
    bool found;

    return sc_dict_find_entry(vm, (Dict *)self.o, v, &i, &found) ? found : -1;
}

#define SET_DEF(text, m)                                                                 \
    .name = text, .size = sizeof(Dict), .attrs_at = offsetof(Dict, attrs),               \
    .destroy = set_destroy,                                                              \
    .visit = set_visit, .repr = set_repr, .compare = set_compare, .binary = set_binary,  \
    .hash = set_hash, .len = set_len, .contains = set_contains, .iter = set_iter,        \
    .methods = m

const ClassDef sc_set_def = {SET_DEF("set", set_methods), .init = set_init, .init_params = "|iterable"};
const ClassDef sc_frozenset_def = {SET_DEF("frozenset", frozen_methods), .make = frozen_make, .make_params = "|iterable"};
