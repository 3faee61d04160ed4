/* list.c -- lists, and the stable merge sort behind sort() and sorted().
 *
 * A comparison or a drop may run code of the script, which may change the list: whoever calls one reads l->v and l->n again
 * afterwards, and takes what it removes out of the list before it drops it. A list is empty while it is sorted, so that
 * what its keys do to it is found out (ValueError) and harms nothing.
 */
#include "script.h"
#include "dunder.h"

List *sc_list(Vm *vm, int64_t n)
{
    List *l = sc_gc_new(vm, vm->cls[C_list], sizeof *l);

    if (!l)
        return NULL;
    if (n && !sc_grow(vm, &l->v, &l->cap, n, sizeof *l->v)) {
        obj_drop(vm, l);
        return NULL;
    }
    for (int64_t i = 0; i < n; i++)
        l->v[i] = NIL;
    l->n = n;
    return l;
}

bool sc_list_push(Vm *vm, List *l, Value v)
{
    if (l->n == l->cap && !sc_grow(vm, &l->v, &l->cap, l->n + 1, sizeof *l->v))
        return false;
    l->v[l->n++] = sc_ref(v);
    return true;
}

static bool extend_by(Vm *vm, List *l, const Value *v, int64_t n)
{
    if (!sc_grow(vm, &l->v, &l->cap, l->n + n, sizeof *l->v))
        return false;
    for (int64_t i = 0; i < n; i++)
        l->v[l->n + i] = sc_ref(v[i]);
    l->n += n;
    return true;
}

/* How many are to come is asked of what a script wrote, by __len__ or __length_hint__, as a
 * hint only: that they are called is what can be seen. A TypeError says that there is none. */
static bool ask_length(Vm *vm, Value from)
{
    int64_t n;

    if (from.tag != T_OBJ || !from.o->cls->script)
        return true;
    if (from.o->cls->d.len)
        sc_len(vm, from, &n);
    else
        sc_drop(vm, dunder_call(vm, from, S_length_hint, NULL, 0));
    if (sc_exc_is(vm, C_TypeError))
        sc_clear_exc(vm);
    return !sc_failed(vm);
}

bool sc_list_extend(Vm *vm, List *l, Value from)
{
    Value it, v;

    if (sc_is_exact(vm, from, C_list)) {
        List *s = (List *)from.o;
        int64_t n = s->n;

        if (!sc_grow(vm, &l->v, &l->cap, l->n + n, sizeof *l->v))
            return false;
        return extend_by(vm, l, s->v, n);
    }
    if (sc_is_exact(vm, from, C_tuple))
        return extend_by(vm, l, ((Tuple *)from.o)->v, ((Tuple *)from.o)->n);
    it = sc_iter(vm, from);
    if (it.tag == T_NIL)
        return false;
    if (!ask_length(vm, from)) {
        sc_drop(vm, it);
        return false;
    }
    while ((v = sc_next(vm, it)).tag != T_NIL) {
        bool ok = sc_list_push(vm, l, v);

        sc_drop(vm, v);
        if (!ok)
            break;
    }
    sc_drop(vm, it);
    return !sc_failed(vm);
}

static void list_clear(Vm *vm, List *l)
{
    Value *v = l->v;
    int64_t n = l->n, cap = l->cap;

    l->v = NULL;
    l->n = l->cap = 0;
    for (int64_t i = 0; i < n; i++)
        sc_drop(vm, v[i]);
    sc_free(vm, v, (size_t)cap * sizeof *v);
}

static void list_destroy(Vm *vm, Obj *o)
{
    List *l = (List *)o;
    Dict *d = l->attrs;

    list_clear(vm, l);
    l->attrs = NULL;
    if (d)
        obj_drop(vm, d);
}

static void list_visit(Obj *o, VisitFn fn, void *user)
{
    List *l = (List *)o;

    for (int64_t i = 0; i < l->n; i++)
        fn(l->v[i], user);
    if (l->attrs)
        fn(v_obj(l->attrs), user);
}

/* ---- sort -------------------------------------------------------------------------- */

typedef struct SortItem {
    Value key, v;
} SortItem;

/* Merge sort: equal ones keep their order; reverse keeps it too. */
static bool merge_sort(Vm *vm, SortItem *a, SortItem *tmp, int64_t n, bool reverse)
{
    int64_t m = n / 2, i, j, k;

    if (n <= 8) {
        for (i = 1; i < n; i++) {
            SortItem x = a[i];

            for (j = i; j > 0; j--) {
                int less = reverse ? sc_less(vm, a[j - 1].key, x.key)
                                   : sc_less(vm, x.key, a[j - 1].key);

                if (less < 0) {
                    a[j] = x;
                    return false;
                }
                if (!less)
                    break;
                a[j] = a[j - 1];
            }
            a[j] = x;
        }
        return true;
    }
    if (!merge_sort(vm, a, tmp, m, reverse) || !merge_sort(vm, a + m, tmp, n - m, reverse))
        return false;
    memcpy(tmp, a, (size_t)m * sizeof *a);
    for (i = 0, j = m, k = 0; i < m && j < n; k++) {
        int less = reverse ? sc_less(vm, tmp[i].key, a[j].key) : sc_less(vm, a[j].key, tmp[i].key);

        if (less < 0) {
            memcpy(a + k, tmp + i, (size_t)(m - i) * sizeof *a);
            return false;
        }
        a[k] = less ? a[j++] : tmp[i++];
    }
    memcpy(a + k, tmp + i, (size_t)(m - i) * sizeof *a);
    return true;
}

bool sc_sort(Vm *vm, List *l, Value key, bool reverse)
{
    int64_t n = l->n, cap = l->cap, i;
    Value *v = l->v;
    SortItem *items;
    List added;
    bool ok = true;

    if (n < 2)
        return true;
    items = sc_alloc(vm, (size_t)n * 2 * sizeof *items);
    if (!items)
        return false;
    l->v = NULL; /* the list is empty while it is sorted */
    l->n = l->cap = 0;
    for (i = 0; i < n; i++) {
        items[i].v = v[i];
        items[i].key = NIL;
        if (ok) {
            items[i].key = key.tag == T_NIL ? sc_ref(v[i]) : sc_call(vm, key, &v[i], 1);
            ok = items[i].key.tag != T_NIL;
        }
    }
    ok = ok && merge_sort(vm, items, items + n, n, reverse);
    for (i = 0; i < n; i++)
        v[i] = items[i].v;
    added = *l; /* what was put into it meanwhile; nothing is dropped before it is whole */
    l->v = v;
    l->n = n;
    l->cap = cap;
    for (i = 0; i < n; i++)
        sc_drop(vm, items[i].key);
    sc_free(vm, items, (size_t)n * 2 * sizeof *items);
    if (added.cap && ok)
        ok = sc_fail(vm, C_ValueError, "list modified during sort");
    list_clear(vm, &added);
    return ok;
}

/* ---- slots ------------------------------------------------------------------------- */

static Value list_repr(Vm *vm, Value self)
{
    List *l = (List *)self.o;
    Buf b = {.vm = vm};

    if (l->h.h.flags & 64) /* it holds itself */
        return v_obj(sc_str(vm, "[...]"));
    l->h.h.flags |= 64;
    buf_char(&b, '[');
    for (int64_t i = 0; i < l->n; i++) {
        if (i)
            buf_str(&b, ", ");
        if (!buf_value(&b, l->v[i], true))
            break;
    }
    buf_char(&b, ']');
    l->h.h.flags &= ~64u;
    return buf_done(&b);
}

static Value list_compare(Vm *vm, CmpOp op, Value a, Value b)
{
    List *x = (List *)a.o, *y = (List *)b.o;
    int64_t i;

    if (!sc_is(vm, b, C_list))
        return NOTIMPL;
    if ((op == CMP_EQ || op == CMP_NE) && x->n != y->n)
        return v_bool(op == CMP_NE);
    for (i = 0; i < x->n && i < y->n; i++) {
        Value p = sc_ref(x->v[i]), q = sc_ref(y->v[i]), r = NIL;
        int e = sc_equal(vm, p, q);
        bool gone = i >= x->n || i >= y->n; /* by what the comparison ran: then the lengths decide */

        if (e == 0 && !gone)
            r = op == CMP_EQ || op == CMP_NE ? v_bool(op == CMP_NE) : sc_compare(vm, op, p, q);
        sc_drop(vm, p);
        sc_drop(vm, q);
        if (e < 0 || (e == 0 && !gone))
            return r;
    }
    return sc_compare(vm, op, v_int(x->n), v_int(y->n));
}

static Value list_binary(Vm *vm, BinOp op, Value a, Value b, bool reflected, bool inplace)
{
    List *r, *l;
    int64_t n, total;
    Value k = reflected ? a : b;
    int how;

    if (op == OP2_ADD && !reflected) {
        if (inplace)
            return sc_list_extend(vm, (List *)a.o, b) ? sc_ref(a) : NIL;
        if (!sc_is(vm, b, C_list))
            return NOTIMPL;
        r = sc_list(vm, 0);
        if (r && (!extend_by(vm, r, ((List *)a.o)->v, ((List *)a.o)->n) ||
                  !extend_by(vm, r, ((List *)b.o)->v, ((List *)b.o)->n))) {
            obj_drop(vm, r);
            return NIL;
        }
        return v_obj(r);
    }
    if (op != OP2_MUL || !(how = sc_repeat_count(vm, k, &n)))
        return NOTIMPL;
    if (how < 0)
        return NIL;
    l = (List *)(reflected ? b.o : a.o);
    n = n > 0 ? n : 0;
    if (!mul_i64(n, l->n, &total))
        return sc_raise_memory(vm);
    if (inplace && !reflected) {
        if (total == 0)
            list_clear(vm, l);
        else if (!sc_grow(vm, &l->v, &l->cap, total, sizeof *l->v))
            return NIL;
        for (int64_t i = l->n; i < total; i++)
            l->v[l->n++] = sc_ref(l->v[i % (total / n)]);
        return sc_ref(a);
    }
    r = sc_list(vm, total);
    for (int64_t i = 0; r && i < total; i++)
        r->v[i] = sc_ref(l->v[i % l->n]);
    return v_obj(r);
}

static bool list_index(Vm *vm, List *l, Value key, const char *what, int64_t *out)
{
    if (key.tag != T_INT && !sc_to_int(vm, key, &key.i))
        return !sc_exc_is(vm, C_TypeError) || sc_has_index(vm, key)
                   ? false
                   : sc_fail(vm, C_TypeError, "list indices must be integers or slices, not %s",
                             sc_type_name(vm, key));
    *out = key.i + (key.i < 0 ? l->n : 0);
    if (*out < 0 || *out >= l->n)
        return sc_fail(vm, C_IndexError, "list %s out of range", what);
    return true;
}

static Value list_getitem(Vm *vm, Value self, Value key)
{
    List *l = (List *)self.o, *r;
    int64_t i, start, stop, step, n;

    if (sc_is_exact(vm, key, C_slice)) {
        if (!sc_slice_indices(vm, (Slice *)key.o, &l->n, &start, &stop, &step, &n))
            return NIL;
        r = sc_list(vm, n);
        for (i = 0; r && i < n; i++)
            r->v[i] = sc_ref(l->v[start + i * step]);
        return v_obj(r);
    }
    return list_index(vm, l, key, "index", &i) ? sc_ref(l->v[i]) : NIL;
}

/* Replace n elements from start by those of r (which may be NULL: none). */
static bool splice(Vm *vm, List *l, int64_t start, int64_t n, List *r)
{
    int64_t m = r ? r->n : 0, i;
    Value small[16], *old = n > 16 ? sc_alloc(vm, (size_t)n * sizeof *old) : small;

    if (!old)
        return false;
    if (!sc_grow(vm, &l->v, &l->cap, l->n - n + m, sizeof *l->v)) {
        if (old != small)
            sc_free(vm, old, (size_t)n * sizeof *old);
        return false;
    }
    if (n)
        memcpy(old, l->v + start, (size_t)n * sizeof *old);
    if (l->n > start + n && n != m)
        memmove(l->v + start + m, l->v + start + n, (size_t)(l->n - start - n) * sizeof *l->v);
    for (i = 0; i < m; i++)
        l->v[start + i] = sc_ref(r->v[i]);
    l->n += m - n;
    for (i = 0; i < n; i++)
        sc_drop(vm, old[i]);
    if (old != small)
        sc_free(vm, old, (size_t)n * sizeof *old);
    return true;
}

/* Remove n elements from start, step apart. They are dropped when the list is whole again. */
static bool delete_stepped(Vm *vm, List *l, int64_t start, int64_t step, int64_t n)
{
    List *old = sc_list(vm, n);
    int64_t i, k, to;

    if (!old)
        return false;
    if (step < 0) {
        start += (n - 1) * step;
        step = -step;
    }
    for (i = to = n ? start : l->n, k = 0; i < l->n; i++)
        if (k < n && i == start + k * step)
            old->v[k++] = l->v[i];
        else
            l->v[to++] = l->v[i];
    l->n = to;
    obj_drop(vm, old);
    return true;
}

static bool set_slice(Vm *vm, List *l, Slice *s, Value v)
{
    int64_t start, stop, step, n, i;
    List *r = NULL;
    bool ok = false;

    if (v.tag != T_NIL) {
        r = sc_list(vm, 0);
        if (!r || !sc_list_extend(vm, r, v)) {
            if (r && sc_exc_is(vm, C_TypeError) && s->step.tag != T_NONE && s->step.tag != T_NIL &&
                !(s->step.tag == T_INT && s->step.i == 1))
                sc_raise(vm, C_TypeError, "must assign iterable to extended slice");
            goto out;
        }
    }
    if (!sc_slice_indices(vm, s, &l->n, &start, &stop, &step, &n))
        goto out;
    if (step == 1) {
        ok = splice(vm, l, start, n, r);
    } else if (r) {
        if (r->n != n) {
            sc_raise(vm, C_ValueError,
                     "attempt to assign sequence of size %lld to extended slice of size %lld",
                     (long long)r->n, (long long)n);
            goto out;
        }
        for (i = 0; i < n; i++) { /* the old ones go with r */
            Value old = l->v[start + i * step];

            l->v[start + i * step] = r->v[i];
            r->v[i] = old;
        }
        ok = true;
    } else {
        ok = delete_stepped(vm, l, start, step, n);
    }
out:
    if (r)
        obj_drop(vm, r);
    return ok;
}

static bool list_setitem(Vm *vm, Value self, Value key, Value v)
{
    List *l = (List *)self.o;
    int64_t i;

    if (sc_is_exact(vm, key, C_slice))
        return set_slice(vm, l, (Slice *)key.o, v);
    if (!list_index(vm, l, key, "assignment index", &i))
        return false;
    if (v.tag == T_NIL)
        return splice(vm, l, i, 1, NULL);
    sc_put(vm, &l->v[i], sc_ref(v));
    return true;
}

static bool list_len(Vm *vm, Value self, int64_t *out)
{
    (void)vm;
    *out = ((List *)self.o)->n;
    return true;
}

static int list_contains(Vm *vm, Value self, Value v)
{
    List *l = (List *)self.o;

    for (int64_t i = 0; i < l->n; i++) {
        int e = sc_equal(vm, l->v[i], v);

        if (e)
            return e;
    }
    return 0;
}

static Value list_iter(Vm *vm, Value self)
{
    return v_obj(sc_iter_new(vm, C_list_iterator, self));
}

static bool list_init(Vm *vm, Value self, const Args *a)
{
    list_clear(vm, (List *)self.o);
    return a->v[0].tag == T_NIL || sc_list_extend(vm, (List *)self.o, a->v[0]);
}

static bool unhashable(Vm *vm, Value self, uint64_t *out)
{
    *out = 0;
    return sc_fail(vm, C_TypeError, "unhashable type: '%s'", sc_type_name(vm, self));
}

/* ---- methods ----------------------------------------------------------------------- */

#define SELF ((List *)a->v[0].o)

static Value m_append(Vm *vm, const Args *a)
{
    return sc_list_push(vm, SELF, a->v[1]) ? NONE : NIL;
}

static Value m_extend(Vm *vm, const Args *a)
{
    return sc_list_extend(vm, SELF, a->v[1]) ? NONE : NIL;
}

static Value m_insert(Vm *vm, const Args *a)
{
    List *l = SELF, one = {.n = 1};
    Value v = a->v[2];
    int64_t i;

    if (!sc_to_int(vm, a->v[1], &i))
        return NIL;
    i = i < 0 ? MAX(i + l->n, 0) : MIN(i, l->n);
    one.v = &v;
    return splice(vm, l, i, 0, &one) ? NONE : NIL;
}

static Value m_pop(Vm *vm, const Args *a)
{
    List *l = SELF;
    int64_t i = l->n - 1;
    Value v;

    if (l->n == 0)
        return sc_raise(vm, C_IndexError, "pop from empty list");
    if (a->v[1].tag != T_NIL && !list_index(vm, l, a->v[1], "index", &i)) {
        if (sc_exc_is(vm, C_IndexError))
            sc_raise(vm, C_IndexError, "pop index out of range");
        return NIL;
    }
    v = l->v[i];
    if (i + 1 < l->n)
        memmove(l->v + i, l->v + i + 1, (size_t)(l->n - i - 1) * sizeof *l->v);
    l->n--;
    return v;
}

static Value m_remove(Vm *vm, const Args *a)
{
    List *l = SELF;

    for (int64_t i = 0; i < l->n; i++) {
        int e = sc_equal(vm, l->v[i], a->v[1]);

        if (e < 0)
            return NIL;
        if (e && i < l->n)
            return splice(vm, l, i, 1, NULL) ? NONE : NIL;
    }
    return sc_raise(vm, C_ValueError, "list.remove(x): x not in list");
}

static Value m_clear(Vm *vm, const Args *a)
{
    list_clear(vm, SELF);
    return NONE;
}

static Value m_copy(Vm *vm, const Args *a)
{
    List *r = sc_list(vm, 0);

    if (r && !extend_by(vm, r, SELF->v, SELF->n)) {
        obj_drop(vm, r);
        r = NULL;
    }
    return v_obj(r);
}

static Value m_reverse(Vm *vm, const Args *a)
{
    List *l = SELF;

    (void)vm;
    for (int64_t i = 0, j = l->n - 1; i < j; i++, j--) {
        Value t = l->v[i];

        l->v[i] = l->v[j];
        l->v[j] = t;
    }
    return NONE;
}

static Value m_sort(Vm *vm, const Args *a)
{
    bool reverse = false;

    if (a->v[2].tag != T_NIL && !sc_to_bool(vm, a->v[2], &reverse))
        return NIL;
    return sc_sort(vm, SELF, a->v[1].tag == T_NONE ? NIL : a->v[1], reverse) ? NONE : NIL;
}

static Value m_index(Vm *vm, const Args *a)
{
    List *l = SELF;
    int64_t i = 0, end = l->n;
    Value s;

    if (a->v[2].tag != T_NIL && !sc_to_bound(vm, a->v[2], &i))
        return NIL;
    if (a->v[3].tag != T_NIL && !sc_to_bound(vm, a->v[3], &end))
        return NIL;
    i = i < 0 ? MAX(i + l->n, 0) : i;
    end = end < 0 ? end + l->n : end;
    for (; i < l->n && i < end; i++) {
        int e = sc_equal(vm, l->v[i], a->v[1]);

        if (e < 0)
            return NIL;
        if (e)
            return v_int(i);
    }
    s = sc_repr(vm, a->v[1]);
    if (s.tag == T_NIL)
        return NIL;
    sc_raise(vm, C_ValueError, "%s is not in list", as_str(s)->s);
    sc_drop(vm, s);
    return NIL;
}

static Value m_count(Vm *vm, const Args *a)
{
    List *l = SELF;
    int64_t n = 0;

    for (int64_t i = 0; i < l->n; i++) {
        int e = sc_equal(vm, l->v[i], a->v[1]);

        if (e < 0)
            return NIL;
        n += e;
    }
    return v_int(n);
}

static const NativeDef list_methods[] = {
    {"append", m_append, "self,object"}, {"extend", m_extend, "self,iterable"},
    {"insert", m_insert, "self,index,object"}, {"pop", m_pop, "self|index"},
    {"remove", m_remove, "self,value"}, {"clear", m_clear, "self"}, {"copy", m_copy, "self"},
    {"reverse", m_reverse, "self"}, {"sort", m_sort, "self$key,reverse"},
    {"index", m_index, "self,value|start,stop"}, {"count", m_count, "self,value"}, {0},
};

const ClassDef sc_list_def = {
    .name = "list", .size = sizeof(List), .attrs_at = offsetof(List, attrs), .init = list_init,
    .init_params = "|iterable", .destroy = list_destroy, .visit = list_visit,
    .repr = list_repr, .compare = list_compare, .binary = list_binary,
    .getitem = list_getitem, .setitem = list_setitem, .len = list_len,
    .contains = list_contains, .iter = list_iter, .hash = unhashable,
    .methods = list_methods,
};
