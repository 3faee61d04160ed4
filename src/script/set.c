/* set.c -- sets and frozensets: the table of a dict with no values.
 *
 * Order: CPython walks its hash table. Sets of small ints, whose hashes are themselves, are
 * shown in that order here too (see shown_order); others in order of insertion. So that it stays
 * that order, what makes a set of others puts their elements in the order they are shown in, and
 * notes how large CPython's table has become.
 */
#include "script.h"

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

static uint64_t fitting(uint64_t n) /* slots for more than n */
{
    uint64_t size = 8;

    while (size <= n)
        size <<= 1;
    return size;
}

/* The slots of CPython's table, which grew while d's entries came, those that went among them. */
static uint64_t table_size(const Dict *d)
{
    uint64_t size = d->table > 8 ? d->table : 8, full;

    while ((full = ((size - 1) * 3 + 4) / 5) <= d->n)
        size = fitting(full > 50000 ? full * 2 : full * 4);
    return size;
}

/* The elements as CPython would walk them, if all are ints in a range where that is known and they came in another
 * order; else NULL. The caller frees n + 1 values. */
static int64_t *shown_order(Vm *vm, Dict *d)
{
    uint64_t mask = (d->table > 8 ? d->table : 8) - 1, fill = 0, used = 0, i, n = 0, size;
    int64_t *table, *old, *out;
    DictEntry *e;
    int64_t last = -1;
    bool rising = true;
    uint32_t k;

    for (k = 0; dict_next(d, &k, &e); last = e->key.i) {
        if (e->key.tag != T_INT || e->key.i <= INT64_MIN + 1 || d->live > 20000 || d->table > 1 << 18)
            return NULL;
        rising = rising && e->key.i > last;
    }
    if (rising && last >= 0 && (uint64_t)last < table_size(d)) /* each at the slot of its own number */
        return NULL;
    table = sc_alloc(vm, (mask + 1) * sizeof *table);
    for (i = 0; table && i <= mask; i++)
        table[i] = INT64_MIN;
    for (k = 0; table && k < d->n; k++) {
        if (d->e[k].key.tag == T_INT) { /* else what was there takes its slot until the table grows */
            place(table, mask, d->e[k].key.i);
            used++;
        }
        if (++fill * 5 < mask * 3)
            continue;
        size = fitting(used * 4);
        fill = used;
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

/* ---- elements in the order they are shown in ---- */

typedef struct Walk {
    Dict *d;
    int64_t *order; /* NULL: the order of insertion */
    uint32_t i, n;
} Walk;

static bool walk_begin(Vm *vm, Walk *w, Dict *d)
{
    *w = (Walk){.d = d, .n = d->live};
    if (d->live > 1)
        w->order = shown_order(vm, d);
    return !sc_failed(vm);
}

/* The next element, held, and its hash; false at the end, or after an exception. */
static bool walk_next(Vm *vm, Walk *w, Value *key, uint64_t *hash)
{
    DictEntry *e;

    if (sc_failed(vm))
        return false;
    if (w->order) {
        *key = v_int(w->i < w->n ? w->order[w->i] : 0);
        return w->i++ < w->n && sc_hash(vm, *key, hash);
    }
    if (!dict_next(w->d, &w->i, &e))
        return false;
    *key = sc_ref(e->key);
    *hash = e->hash;
    return true;
}

static void walk_end(Vm *vm, Walk *w)
{
    if (w->order)
        sc_free(vm, w->order, (w->n + 1) * sizeof *w->order);
}

static void swap_tables(Dict *a, Dict *b)
{
    Dict t = *a;

    a->e = b->e, a->index = b->index, a->n = b->n, a->cap = b->cap, a->live = b->live;
    a->slots = b->slots, a->keys += b->keys + 1, a->table = b->table;
    b->e = t.e, b->index = t.index, b->n = t.n, b->cap = t.cap, b->live = t.live;
    b->slots = t.slots, b->table = t.table;
}

/* d's elements, in the order they are shown in, to a table of that many slots */
static bool lay_out(Vm *vm, Dict *d, uint64_t slots)
{
    Dict *r = slots <= UINT32_MAX ? sc_set(vm) : NULL;
    uint64_t hash;
    Walk w;
    Value k;
    bool ok;

    if (!r)
        return !sc_failed(vm);
    r->table = (uint32_t)slots;
    for (ok = walk_begin(vm, &w, d); ok && walk_next(vm, &w, &k, &hash);) {
        ok = sc_dict_put_hashed(vm, r, k, NONE, hash);
        sc_drop(vm, k);
    }
    walk_end(vm, &w);
    ok = ok && !sc_failed(vm);
    if (ok)
        swap_tables(d, r);
    obj_drop(vm, r);
    return ok;
}

/* All of a set to another: as many slots as both need are there before. */
static bool merge(Vm *vm, Dict *to, Dict *from)
{
    uint64_t size = table_size(to), hash;
    Walk w;
    Value k;
    bool ok;

    if (to == from || !from->live)
        return true;
    if (((uint64_t)to->n + from->live) * 5 >= (size - 1) * 3)
        size = fitting(((uint64_t)to->live + from->live) * 2);
    if (to->n && size != table_size(to) && !lay_out(vm, to, size))
        return false;
    if (!to->n && size == table_size(from) && from->n == from->live) { /* the same table */
        DictEntry *e;

        to->table = from->table;
        for (uint32_t i = 0; dict_next(from, &i, &e);)
            if (!sc_dict_put_hashed(vm, to, e->key, NONE, e->hash))
                return false;
        return true;
    }
    to->table = size > to->table && size <= UINT32_MAX ? (uint32_t)size : to->table;
    for (ok = walk_begin(vm, &w, from); ok && walk_next(vm, &w, &k, &hash);) {
        ok = sc_dict_put_hashed(vm, to, k, NONE, hash);
        sc_drop(vm, k);
    }
    walk_end(vm, &w);
    return ok && !sc_failed(vm);
}

static Dict *copy_of(Vm *vm, Dict *d, Class *cls)
{
    Dict *r = sc_gc_new(vm, cls, sizeof *r);

    if (r && !merge(vm, r, d)) {
        obj_drop(vm, r);
        return NULL;
    }
    return r;
}

/* 1 removed, 0 absent, -1 exception. That the table has grown is settled before: it does not shrink again. */
static int take_out(Vm *vm, Dict *d, Value key)
{
    uint32_t i;
    bool found;

    if (!sc_dict_find_entry(vm, d, key, &i, &found))
        return -1;
    if (!found)
        return 0;
    if (table_size(d) > 8 && table_size(d) != d->table && !lay_out(vm, d, table_size(d)))
        return -1;
    return sc_dict_remove(vm, d, key);
}

bool sc_set_add_all(Vm *vm, Dict *set, Value iterable)
{
    Value it, v;
    DictEntry *e;

    if (sc_is(vm, iterable, C_set) || sc_is(vm, iterable, C_frozenset))
        return merge(vm, set, (Dict *)iterable.o);
    if (sc_is(vm, iterable, C_dict)) {
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

/* d without what is in y, and with what of y it has not, for XOR. */
static bool change_by(Vm *vm, BinOp op, Dict *d, Dict *y)
{
    uint64_t hash;
    Walk w;
    Value k;
    int was = 0;

    if (d == y) {
        sc_dict_clear(vm, d);
        d->table = 0;
        return true;
    }
    for (bool ok = walk_begin(vm, &w, y); ok && was >= 0 && walk_next(vm, &w, &k, &hash);) {
        was = take_out(vm, d, k);
        if (was == 0 && op == OP2_XOR)
            was = sc_dict_put_hashed(vm, d, k, NONE, hash) ? 0 : -1;
        sc_drop(vm, k);
    }
    walk_end(vm, &w);
    return was >= 0 && !sc_failed(vm) && (op == OP2_XOR || d->n - d->live <= (table_size(d) - 1) / 5 || lay_out(vm, d, fitting((uint64_t)d->live * 4)));
}

/* What of x is in y, or is not, to r. */
static bool pick(Vm *vm, Dict *r, Dict *x, Dict *y, bool in)
{
    uint64_t hash;
    Walk w;
    Value k;
    bool ok;

    for (ok = walk_begin(vm, &w, x); ok && walk_next(vm, &w, &k, &hash);) {
        if ((sc_dict_find(vm, y, k) != NULL) == in && !sc_failed(vm))
            ok = sc_dict_put_hashed(vm, r, k, NONE, hash);
        sc_drop(vm, k);
    }
    walk_end(vm, &w);
    return ok && !sc_failed(vm);
}

/* r = x op y, as a new set of x's class, by CPython's steps */
static Value combine(Vm *vm, BinOp op, Dict *x, Dict *y)
{
    Class *cls = vm->cls[sc_is(vm, v_obj(x), C_set) ? C_set : C_frozenset];
    bool from_x = op == OP2_OR || (op == OP2_SUB && x->live >> 2 > y->live);
    Dict *r = from_x ? copy_of(vm, x, cls) : op == OP2_XOR ? copy_of(vm, y, cls) : sc_gc_new(vm, cls, sizeof *r);
    bool ok = r != NULL;

    if (op == OP2_OR)
        ok = ok && merge(vm, r, y);
    else if (op == OP2_AND)
        ok = ok && (y->live > x->live ? pick(vm, r, x, y, true) : pick(vm, r, y, x, true));
    else if (op == OP2_SUB && !from_x)
        ok = ok && pick(vm, r, x, y, false);
    else
        ok = ok && change_by(vm, op, r, op == OP2_SUB ? y : x);
    if (!ok && r) {
        obj_drop(vm, r);
        return NIL;
    }
    return v_obj(r);
}

/* a op= y */
static bool change(Vm *vm, BinOp op, Dict *d, Dict *y)
{
    Value r;

    if (op == OP2_OR)
        return merge(vm, d, y);
    if (op != OP2_AND)
        return change_by(vm, op, d, y);
    r = combine(vm, op, d, y);
    if (r.tag == T_NIL)
        return false;
    swap_tables(d, (Dict *)r.o);
    sc_drop(vm, r);
    return true;
}

static Value set_binary(Vm *vm, BinOp op, Value a, Value b, bool reflected, bool inplace)
{
    (void)reflected;
    if (!is_set(vm, a) || !is_set(vm, b) ||
        (op != OP2_AND && op != OP2_OR && op != OP2_SUB && op != OP2_XOR))
        return NOTIMPL;
    if (!inplace || sc_is(vm, a, C_frozenset))
        return combine(vm, op, (Dict *)a.o, (Dict *)b.o);
    return change(vm, op, (Dict *)a.o, (Dict *)b.o) ? sc_ref(a) : NIL;
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
    return take_out(vm, SELF, a->v[1]) < 0 ? NIL : NONE;
}

static Value m_remove(Vm *vm, const Args *a)
{
    int r = take_out(vm, SELF, a->v[1]);

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
    if (v.tag != T_NIL && take_out(vm, SELF, v) < 0) {
        sc_drop(vm, v);
        return NIL;
    }
    return v;
}

static Value m_clear(Vm *vm, const Args *a)
{
    sc_dict_clear(vm, SELF);
    SELF->table = 0;
    return NONE;
}

static Value m_copy(Vm *vm, const Args *a)
{
    return v_obj(copy_of(vm, SELF, vm->cls[sc_is(vm, a->v[0], C_set) ? C_set : C_frozenset]));
}

static Value m_update(Vm *vm, const Args *a)
{
    for (int i = 1; i < a->n; i++)
        if (!sc_set_add_all(vm, SELF, a->v[i]))
            return NIL;
    return NONE;
}

/* x op any iterable, as a new set; CPython's steps for what is no set are others */
static Value combine_any(Vm *vm, BinOp op, Dict *x, Value other)
{
    Dict *o, *r;
    Value out = NIL;

    if (is_set(vm, other))
        return combine(vm, op, x, (Dict *)other.o);
    if (!(o = sc_set(vm)))
        return NIL;
    if (!sc_set_add_all(vm, o, other) || op == OP2_AND || sc_is(vm, other, C_dict)) {
        out = sc_failed(vm) ? NIL : combine(vm, op, x, o);
    } else if (sc_is(vm, v_obj(x), C_set) && op == OP2_XOR) {
        out = change_by(vm, op, o, x) ? sc_ref(v_obj(o)) : NIL;
    } else {
        r = copy_of(vm, x, vm->cls[sc_is(vm, v_obj(x), C_set) ? C_set : C_frozenset]);
        out = r && change_by(vm, op, r, o) ? sc_ref(v_obj(r)) : NIL;
        if (r)
            obj_drop(vm, r);
    }
    obj_drop(vm, o);
    return out;
}

/* self op all the others */
static Value with_others(Vm *vm, const Args *a, BinOp op)
{
    Value r = v_obj(copy_of(vm, SELF, vm->cls[sc_is(vm, a->v[0], C_set) ? C_set : C_frozenset])), next;

    for (int i = 1; i < a->n && r.tag != T_NIL; i++) {
        if (op == OP2_OR)
            next = sc_set_add_all(vm, (Dict *)r.o, a->v[i]) ? sc_ref(r) : NIL;
        else
            next = combine_any(vm, op, i == 1 ? SELF : (Dict *)r.o, a->v[i]);
        sc_drop(vm, r);
        r = next;
    }
    return r;
}

/* self op= all the others */
static Value by_others(Vm *vm, const Args *a, BinOp op)
{
    bool ok = true;

    for (int i = 1; i < a->n && ok; i++) {
        Dict *o = is_set(vm, a->v[i]) ? (Dict *)sc_ref(a->v[i]).o : sc_set(vm);

        ok = o && (is_set(vm, a->v[i]) || sc_set_add_all(vm, o, a->v[i])) && change(vm, op, SELF, o);
        if (o)
            obj_drop(vm, o);
    }
    return ok ? NONE : NIL;
}

static Value m_union(Vm *vm, const Args *a) { return with_others(vm, a, OP2_OR); }
static Value m_intersection(Vm *vm, const Args *a) { return with_others(vm, a, OP2_AND); }
static Value m_difference(Vm *vm, const Args *a) { return with_others(vm, a, OP2_SUB); }
static Value m_symmetric(Vm *vm, const Args *a) { return with_others(vm, a, OP2_XOR); }
static Value m_iupdate(Vm *vm, const Args *a) { return by_others(vm, a, OP2_AND); }
static Value m_dupdate(Vm *vm, const Args *a) { return by_others(vm, a, OP2_SUB); }
static Value m_supdate(Vm *vm, const Args *a) { return by_others(vm, a, OP2_XOR); }

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
