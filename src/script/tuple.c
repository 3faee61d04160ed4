/* tuple.c -- tuples, ranges and slices. */
#include "script.h"

Tuple *sc_tuple(Vm *vm, int64_t n)
{
    Tuple *t;

    if (n == 0 && vm->empty_tuple)
        return gc_ref(vm->empty_tuple);
    t = sc_gc_new(vm, vm->cls[C_tuple], sizeof *t + (size_t)n * sizeof(Value));
    if (t)
        t->n = n;
    return t;
}

Tuple *sc_tuple_of(Vm *vm, const Value *v, int64_t n)
{
    Tuple *t = sc_tuple(vm, n);

    for (int64_t i = 0; t && i < n; i++)
        t->v[i] = sc_ref(v[i]);
    return t;
}

Tuple *sc_tuple_from(Vm *vm, Value iterable)
{
    List *l;
    Tuple *t = NULL;

    if (sc_is_exact(vm, iterable, C_tuple))
        return gc_ref((Tuple *)iterable.o);
    l = sc_list(vm, 0);
    if (l && sc_list_extend(vm, l, iterable))
        t = sc_tuple_of(vm, l->v, l->n);
    if (l)
        obj_drop(vm, l);
    return t;
}

static void tuple_destroy(Vm *vm, Obj *o)
{
    Tuple *t = (Tuple *)o;
    Dict *d = t->attrs;

    for (int64_t i = 0; i < t->n; i++)
        sc_put(vm, &t->v[i], NIL);
    t->attrs = NULL;
    if (d)
        obj_drop(vm, d);
}

static void tuple_visit(Obj *o, VisitFn fn, void *user)
{
    Tuple *t = (Tuple *)o;

    for (int64_t i = 0; i < t->n; i++)
        fn(t->v[i], user);
    if (t->attrs)
        fn(v_obj(t->attrs), user);
}

static Value tuple_repr(Vm *vm, Value self)
{
    Tuple *t = (Tuple *)self.o;
    Buf b = {.vm = vm};

    buf_char(&b, '(');
    for (int64_t i = 0; i < t->n; i++) {
        if (i)
            buf_str(&b, ", ");
        if (!buf_value(&b, t->v[i], true))
            break;
    }
    buf_str(&b, t->n == 1 ? ",)" : ")");
    return buf_done(&b);
}

static Value tuple_compare(Vm *vm, CmpOp op, Value a, Value b)
{
    Tuple *x = (Tuple *)a.o, *y = (Tuple *)b.o;

    if (!sc_is(vm, b, C_tuple))
        return NOTIMPL;
    if ((op == CMP_EQ || op == CMP_NE) && x->n != y->n)
        return v_bool(op == CMP_NE);
    for (int64_t i = 0; i < x->n && i < y->n; i++) {
        int e = sc_equal(vm, x->v[i], y->v[i]);

        if (e < 0)
            return NIL;
        if (!e)
            return op == CMP_EQ   ? v_bool(false)
                   : op == CMP_NE ? v_bool(true)
                                  : sc_compare(vm, op, x->v[i], y->v[i]);
    }
    return sc_compare(vm, op, v_int(x->n), v_int(y->n));
}

static bool tuple_hash(Vm *vm, Value v, uint64_t *out)
{
    Tuple *t = (Tuple *)v.o;
    uint64_t h = 11, k;

    for (int64_t i = 0; i < t->n; i++) {
        if (!sc_hash(vm, t->v[i], &k))
            return false;
        h = hash_mix(h, k);
    }
    *out = h;
    return true;
}

static Value tuple_binary(Vm *vm, BinOp op, Value a, Value b, bool reflected, bool inplace)
{
    Tuple *x = (Tuple *)a.o, *y = (Tuple *)b.o, *r;
    Value k = reflected ? a : b;
    int64_t n, i;
    int how;

    (void)inplace;
    if (op == OP2_ADD && sc_is(vm, a, C_tuple) && sc_is(vm, b, C_tuple)) {
        r = sc_tuple(vm, x->n + y->n);
        for (i = 0; r && i < x->n; i++)
            r->v[i] = sc_ref(x->v[i]);
        for (i = 0; r && i < y->n; i++)
            r->v[x->n + i] = sc_ref(y->v[i]);
        return v_obj(r);
    }
    if (op != OP2_MUL || !(how = sc_repeat_count(vm, k, &n)))
        return NOTIMPL;
    if (how < 0)
        return NIL;
    x = reflected ? y : x;
    if (!mul_i64(n > 0 ? n : 0, x->n, &n) || n > (int64_t)1 << 40)
        return sc_raise_memory(vm);
    r = sc_tuple(vm, n);
    for (i = 0; r && i < n; i++)
        r->v[i] = sc_ref(x->v[i % x->n]);
    return v_obj(r);
}

static Value tuple_getitem(Vm *vm, Value self, Value key)
{
    Tuple *t = (Tuple *)self.o, *r;
    int64_t i, start, stop, step, n;

    if (sc_is_exact(vm, key, C_slice)) {
        if (!sc_slice_indices(vm, (Slice *)key.o, &t->n, &start, &stop, &step, &n))
            return NIL;
        r = sc_tuple(vm, n);
        for (i = 0; r && i < n; i++)
            r->v[i] = sc_ref(t->v[start + i * step]);
        return v_obj(r);
    }
    if (!sc_to_int(vm, key, &i))
        return !sc_exc_is(vm, C_TypeError) || sc_has_index(vm, key)
                   ? NIL
                   : sc_raise(vm, C_TypeError, "tuple indices must be integers or slices, not %s",
                              sc_type_name(vm, key));
    i += i < 0 ? t->n : 0;
    if (i < 0 || i >= t->n)
        return sc_raise(vm, C_IndexError, "tuple index out of range");
    return sc_ref(t->v[i]);
}

static bool tuple_len(Vm *vm, Value self, int64_t *out)
{
    (void)vm;
    *out = ((Tuple *)self.o)->n;
    return true;
}

static int tuple_contains(Vm *vm, Value self, Value v)
{
    Tuple *t = (Tuple *)self.o;

    for (int64_t i = 0; i < t->n; i++) {
        int e = sc_equal(vm, t->v[i], v);

        if (e)
            return e;
    }
    return 0;
}

static Value tuple_iter(Vm *vm, Value self)
{
    return v_obj(sc_iter_new(vm, C_tuple_iterator, self));
}

static Value tuple_make(Vm *vm, Class *cls, const Args *a)
{
    Tuple *t, *r;

    if (cls == vm->cls[C_tuple])
        return v_obj(a->v[0].tag == T_NIL ? sc_tuple(vm, 0) : sc_tuple_from(vm, a->v[0]));
    t = a->v[0].tag == T_NIL ? sc_tuple(vm, 0) : sc_tuple_from(vm, a->v[0]);
    if (!t)
        return NIL;
    r = sc_gc_new(vm, cls, sizeof *r + (size_t)t->n * sizeof(Value));
    if (r) {
        r->n = t->n;
        for (int64_t i = 0; i < t->n; i++)
            r->v[i] = sc_ref(t->v[i]);
    }
    obj_drop(vm, t);
    return v_obj(r);
}

static Value m_index(Vm *vm, const Args *a)
{
    Tuple *t = (Tuple *)a->v[0].o;
    int64_t i = 0, end = t->n;

    if ((a->v[2].tag != T_NIL && !sc_to_bound(vm, a->v[2], &i)) || (a->v[3].tag != T_NIL && !sc_to_bound(vm, a->v[3], &end)))
        return NIL;
    i = i < 0 ? MAX(i + t->n, 0) : i;
    end = end < 0 ? end + t->n : MIN(end, t->n);
    for (; i < end; i++) {
        int e = sc_equal(vm, t->v[i], a->v[1]);

        if (e < 0)
            return NIL;
        if (e)
            return v_int(i);
    }
    return sc_raise(vm, C_ValueError, "tuple.index(x): x not in tuple");
}

static Value m_count(Vm *vm, const Args *a)
{
    Tuple *t = (Tuple *)a->v[0].o;
    int64_t n = 0;

    for (int64_t i = 0; i < t->n; i++) {
        int e = sc_equal(vm, t->v[i], a->v[1]);

        if (e < 0)
            return NIL;
        n += e;
    }
    return v_int(n);
}

static const NativeDef tuple_methods[] = {
    {"index", m_index, "self,value|start,stop"}, {"count", m_count, "self,value"}, {0}};

const ClassDef sc_tuple_def = {
    .name = "tuple", .size = sizeof(Tuple), .attrs_at = offsetof(Tuple, attrs),
    .make = tuple_make, .make_params = "|iterable", .destroy = tuple_destroy,
    .visit = tuple_visit, .repr = tuple_repr, .compare = tuple_compare, .hash = tuple_hash,
    .binary = tuple_binary, .getitem = tuple_getitem, .len = tuple_len,
    .contains = tuple_contains, .iter = tuple_iter, .methods = tuple_methods,
};

/* ---- range ------------------------------------------------------------------------- */

Value sc_range(Vm *vm, int64_t start, int64_t stop, int64_t step)
{
    Range *r;

    if (step == 0)
        return sc_raise(vm, C_ValueError, "range() arg 3 must not be zero");
    r = (Range *)sc_obj_new(vm, vm->cls[C_range], sizeof *r);
    if (r) {
        r->start = start;
        r->stop = stop;
        r->step = step;
    }
    return v_obj(r);
}

int64_t sc_range_len(const Range *r)
{
    uint64_t d;

    if (r->step > 0 ? r->start >= r->stop : r->start <= r->stop)
        return 0;
    d = r->step > 0 ? (uint64_t)r->stop - (uint64_t)r->start
                    : (uint64_t)r->start - (uint64_t)r->stop;
    d = (d - 1) / (r->step > 0 ? (uint64_t)r->step : 0 - (uint64_t)r->step) + 1;
    return d > INT64_MAX ? INT64_MAX : (int64_t)d;
}

static Value range_make(Vm *vm, Class *cls, const Args *a)
{
    int64_t v[3] = {0, 0, 1};

    (void)cls;
    for (int i = 0; i < 3; i++)
        if (a->v[i].tag != T_NIL && !sc_to_int(vm, a->v[i], &v[i]))
            return NIL;
    return a->v[1].tag == T_NIL ? sc_range(vm, 0, v[0], 1) : sc_range(vm, v[0], v[1], v[2]);
}

static Value range_repr(Vm *vm, Value self)
{
    Range *r = (Range *)self.o;

    return r->step == 1 ? sc_strf(vm, "range(%lld, %lld)", (long long)r->start, (long long)r->stop)
                        : sc_strf(vm, "range(%lld, %lld, %lld)", (long long)r->start,
                                  (long long)r->stop, (long long)r->step);
}

static Value range_getitem(Vm *vm, Value self, Value key)
{
    Range *r = (Range *)self.o;
    int64_t n = sc_range_len(r), i, start, stop, step, count;

    if (sc_is_exact(vm, key, C_slice)) {
        if (!sc_slice_indices(vm, (Slice *)key.o, &n, &start, &stop, &step, &count))
            return NIL;
        return sc_range(vm, r->start + start * r->step, r->start + stop * r->step,
                        r->step * step);
    }
    if (!sc_to_int(vm, key, &i))
        return NIL;
    i += i < 0 ? n : 0;
    if (i < 0 || i >= n)
        return sc_raise(vm, C_IndexError, "range object index out of range");
    return v_int(r->start + i * r->step);
}

static bool range_len(Vm *vm, Value self, int64_t *out)
{
    (void)vm;
    *out = sc_range_len((Range *)self.o);
    return true;
}

static int range_contains(Vm *vm, Value self, Value v)
{
    Range *r = (Range *)self.o;

    (void)vm;
    if (v.tag == T_FLOAT && v.f == (double)(int64_t)v.f)
        v = v_int((int64_t)v.f);
    if (v.tag != T_INT && v.tag != T_BOOL)
        return 0;
    if (r->step > 0 ? v.i < r->start || v.i >= r->stop : v.i > r->start || v.i <= r->stop)
        return 0;
    return (v.i - r->start) % r->step == 0;
}

static Value range_iter(Vm *vm, Value self)
{
    Range *r = (Range *)self.o;
    Iter *it = sc_iter_new(vm, C_range_iterator, NIL);

    if (it) {
        it->i = r->start;
        it->stop = sc_range_len(r); /* how many are left */
        it->step = r->step;
    }
    return v_obj(it);
}

static Value range_compare(Vm *vm, CmpOp op, Value a, Value b)
{
    Range *x = (Range *)a.o, *y = (Range *)b.o;
    int64_t n;
    bool same;

    if ((op != CMP_EQ && op != CMP_NE) || !sc_is_exact(vm, b, C_range))
        return NOTIMPL;
    n = sc_range_len(x);
    same = n == sc_range_len(y) &&
           (n == 0 || (x->start == y->start && (n == 1 || x->step == y->step)));
    return v_bool(same == (op == CMP_EQ));
}

static bool range_hash(Vm *vm, Value v, uint64_t *out)
{
    Range *r = (Range *)v.o;

    (void)vm;
    *out = hash_mix(hash_mix(17, (uint64_t)sc_range_len(r)), (uint64_t)r->start);
    return true;
}

#define RANGE_GET(f)                                                                     \
    static Value range_get_##f(Vm *vm, Value self)                                       \
    {                                                                                    \
        (void)vm;                                                                        \
        return v_int(((Range *)self.o)->f);                                              \
    }
RANGE_GET(start)
RANGE_GET(stop)
RANGE_GET(step)

static const PropertyDef range_properties[] = {{"start", range_get_start, NULL},
                                               {"stop", range_get_stop, NULL},
                                               {"step", range_get_step, NULL},
                                               {0}};

static Value range_index(Vm *vm, const Args *a)
{
    Range *r = (Range *)a->v[0].o;
    Value s;

    if (range_contains(vm, a->v[0], a->v[1]))
        return v_int(((a->v[1].tag == T_FLOAT ? (int64_t)a->v[1].f : a->v[1].i) - r->start) / r->step);
    s = sc_repr(vm, a->v[1]);
    if (s.tag != T_NIL)
        sc_raise(vm, C_ValueError, "%s is not in range", as_str(s)->s);
    sc_drop(vm, s);
    return NIL;
}

static Value range_count(Vm *vm, const Args *a) { return v_int(range_contains(vm, a->v[0], a->v[1])); }

static const NativeDef range_methods[] = {{"index", range_index, "self,value"}, {"count", range_count, "self,value"}, {0}};

const ClassDef sc_range_def = {
    .name = "range", .size = sizeof(Range), .sealed = true, .make = range_make,
    .make_params = "start|stop,step", .repr = range_repr, .getitem = range_getitem,
    .len = range_len, .contains = range_contains, .iter = range_iter,
    .compare = range_compare, .hash = range_hash, .properties = range_properties, .methods = range_methods,
};

/* ---- slice ------------------------------------------------------------------------- */

Value sc_slice(Vm *vm, Value start, Value stop, Value step)
{
    Slice *s = sc_gc_new(vm, vm->cls[C_slice], sizeof *s);

    if (s) {
        s->start = sc_ref(start);
        s->stop = sc_ref(stop);
        s->step = sc_ref(step);
    }
    return v_obj(s);
}

static bool slice_int(Vm *vm, Value v, int64_t *out)
{
    *out = 0;
    if (v.tag == T_NONE || v.tag == T_NIL || sc_to_bound(vm, v, out))
        return true;
    if (sc_exc_is(vm, C_TypeError))
        sc_raise(vm, C_TypeError,
                 "slice indices must be integers or None or have an __index__ method");
    return false;
}

/* The bound i of a slice of n elements, within them; none where it was left out. */
static int64_t bound(Value v, int64_t i, int64_t n, bool back, int64_t none)
{
    int64_t low = back ? -1 : 0, high = back ? n - 1 : n;

    if (v.tag == T_NONE || v.tag == T_NIL)
        return none;
    i += i < 0 ? n : 0;
    return i < low ? low : i > high ? high : i;
}

bool sc_slice_indices(Vm *vm, Slice *s, const int64_t *length, int64_t *start, int64_t *stop,
                      int64_t *step, int64_t *count)
{
    bool back;
    int64_t n;

    *step = 1;
    if (s->step.tag != T_NONE && s->step.tag != T_NIL && !slice_int(vm, s->step, step))
        return false;
    if (*step == 0)
        return sc_fail(vm, C_ValueError, "slice step cannot be zero");
    if (*step < -INT64_MAX)
        *step = -INT64_MAX;
    back = *step < 0;
    if (!slice_int(vm, s->start, start) || !slice_int(vm, s->stop, stop))
        return false;
    n = *length;
    *start = bound(s->start, *start, n, back, back ? n - 1 : 0);
    *stop = bound(s->stop, *stop, n, back, back ? -1 : n);
    *count = back ? (*stop < *start ? (*start - *stop - 1) / -*step + 1 : 0)
                  : (*start < *stop ? (*stop - *start - 1) / *step + 1 : 0);
    return true;
}

static Value slice_make(Vm *vm, Class *cls, const Args *a)
{
    (void)cls;
    if (a->v[1].tag == T_NIL)
        return sc_slice(vm, NONE, a->v[0], NONE);
    return sc_slice(vm, a->v[0], a->v[1], a->v[2].tag == T_NIL ? NONE : a->v[2]);
}

static Value slice_repr(Vm *vm, Value self)
{
    Slice *s = (Slice *)self.o;
    Buf b = {.vm = vm};

    buf_str(&b, "slice(");
    buf_value(&b, s->start, true);
    buf_str(&b, ", ");
    buf_value(&b, s->stop, true);
    buf_str(&b, ", ");
    buf_value(&b, s->step, true);
    buf_char(&b, ')');
    return buf_done(&b);
}

static void slice_destroy(Vm *vm, Obj *o)
{
    Slice *s = (Slice *)o;

    sc_put(vm, &s->start, NIL);
    sc_put(vm, &s->stop, NIL);
    sc_put(vm, &s->step, NIL);
}

static void slice_visit(Obj *o, VisitFn fn, void *user)
{
    Slice *s = (Slice *)o;

    fn(s->start, user);
    fn(s->stop, user);
    fn(s->step, user);
}

/* As the tuple of the three. */
static Value slice_compare(Vm *vm, CmpOp op, Value a, Value b)
{
    const Slice *x = (Slice *)a.o, *y = (Slice *)b.o;

    if (!sc_is_exact(vm, b, C_slice))
        return NOTIMPL;
    for (int i = 0; i < 3; i++) {
        Value p = i == 0 ? x->start : i == 1 ? x->stop : x->step;
        Value q = i == 0 ? y->start : i == 1 ? y->stop : y->step;
        int e = sc_equal(vm, p, q);

        if (e < 0)
            return NIL;
        if (!e)
            return op == CMP_EQ || op == CMP_NE ? v_bool(op == CMP_NE) : sc_compare(vm, op, p, q);
    }
    return v_bool(op == CMP_EQ || op == CMP_LE || op == CMP_GE);
}

static bool slice_hash(Vm *vm, Value v, uint64_t *out)
{
    const Slice *s = (Slice *)v.o;
    uint64_t a, b, c;

    if (!sc_hash(vm, s->start, &a) || !sc_hash(vm, s->stop, &b) || !sc_hash(vm, s->step, &c))
        return false;
    *out = hash_mix(hash_mix(hash_mix(13, a), b), c);
    return true;
}

#define SLICE_GET(f)                                                                     \
    static Value slice_get_##f(Vm *vm, Value self)                                       \
    {                                                                                    \
        (void)vm;                                                                        \
        return sc_ref(((Slice *)self.o)->f);                                             \
    }
SLICE_GET(start)
SLICE_GET(stop)
SLICE_GET(step)

static Value m_indices(Vm *vm, const Args *a)
{
    int64_t n, start, stop, step, count;
    Value v[3];

    if (!sc_to_int(vm, a->v[1], &n) ||
        !sc_slice_indices(vm, (Slice *)a->v[0].o, &n, &start, &stop, &step, &count))
        return NIL;
    v[0] = v_int(start);
    v[1] = v_int(stop);
    v[2] = v_int(step);
    return v_obj(sc_tuple_of(vm, v, 3));
}

static const NativeDef slice_methods[] = {{"indices", m_indices, "self,length"}, {0}};
static const PropertyDef slice_properties[] = {{"start", slice_get_start, NULL},
                                               {"stop", slice_get_stop, NULL},
                                               {"step", slice_get_step, NULL},
                                               {0}};

const ClassDef sc_slice_def = {
    .name = "slice", .size = sizeof(Slice), .sealed = true, .make = slice_make,
    .make_params = "start|stop,step", .repr = slice_repr, .destroy = slice_destroy,
    .visit = slice_visit, .compare = slice_compare, .hash = slice_hash, .properties = slice_properties,
    .methods = slice_methods,
};
