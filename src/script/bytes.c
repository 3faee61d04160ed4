/* bytes.c -- bytes and bytearray: making, items, slices, operators, text form. */
#include "bytes.h"
#include "dunder.h"

#include <stdio.h>

Bytes *bytes_new(Vm *vm, Class *cls, const void *p, int64_t n)
{
    Bytes *b = sc_gc_new(vm, cls, cls->d.size);

    if (b && !bytes_splice(vm, b, 0, 0, p, n)) {
        obj_drop(vm, b);
        return NULL;
    }
    return b;
}

Value sc_bytes(Vm *vm, const void *p, int64_t n)
{
    return v_obj(bytes_new(vm, vm->cls[C_bytes], p, n));
}

bool sc_bytes_view(Vm *vm, Value v, const uint8_t **out, int64_t *n)
{
    if (!sc_is(vm, v, C_bytes) && !sc_is(vm, v, C_bytearray))
        return false;
    *out = ((Bytes *)v.o)->v;
    *n = ((Bytes *)v.o)->n;
    return true;
}

/* p may be NULL: zeros. It may not lie in b. */
bool bytes_splice(Vm *vm, Bytes *b, int64_t at, int64_t gone, const uint8_t *p, int64_t n)
{
    if (n > gone && !sc_grow(vm, &b->v, &b->cap, b->n - gone + n, 1))
        return false;
    if (b->n > at + gone)
        memmove(b->v + at + n, b->v + at + gone, (size_t)(b->n - at - gone));
    if (n && p)
        memcpy(b->v + at, p, (size_t)n);
    else if (n)
        memset(b->v + at, 0, (size_t)n);
    b->n += n - gone;
    return true;
}

bool bytes_byte(Vm *vm, Value v, uint8_t *out)
{
    int64_t i;

    if (!sc_to_int(vm, v, &i))
        return false;
    if (i < 0 || i > 255)
        return sc_fail(vm, C_ValueError, "bytes must be in range(0, 256)");
    *out = (uint8_t)i;
    return true;
}

static bool add_all(Vm *vm, Bytes *b, Value iterable)
{
    Value it = sc_iter(vm, iterable), v;
    uint8_t c;
    bool ok = it.tag != T_NIL;

    while (ok && (v = sc_next(vm, it)).tag != T_NIL) {
        ok = bytes_byte(vm, v, &c) && bytes_splice(vm, b, b->n, 0, &c, 1);
        sc_drop(vm, v);
    }
    sc_drop(vm, it);
    return ok && !sc_failed(vm);
}

Bytes *bytes_from(Vm *vm, Class *cls, Value v)
{
    const uint8_t *p;
    int64_t n;
    Bytes *b;

    if (sc_bytes_view(vm, v, &p, &n))
        return bytes_new(vm, cls, p, n);
    if (is_str(v)) {
        sc_raise(vm, C_TypeError, "string argument without an encoding");
        return NULL;
    }
    if (v.tag == T_FLOAT || v.tag == T_NONE) {
        sc_raise(vm, C_TypeError, "cannot convert '%s' object to bytes", sc_type_name(vm, v));
        return NULL;
    }
    b = bytes_new(vm, cls, NULL, 0);
    if (b && !add_all(vm, b, v)) {
        obj_drop(vm, b);
        return NULL;
    }
    return b;
}

/* bytes(), bytes(n), bytes(iterable), bytes(text, encoding): also for what derives from it */
static Value bytes_make(Vm *vm, Class *cls, const Args *a)
{
    Value v = a->v[0], r;
    Bytes *made;

    if (is_str(v) && a->v[1].tag != T_NIL) {
        r = codec_encode(vm, as_str(v), a->v[1], a->v[2]);
        if (r.tag == T_NIL || cls == vm->cls[C_bytes])
            return r;
        made = bytes_new(vm, cls, ((Bytes *)r.o)->v, ((Bytes *)r.o)->n);
        sc_drop(vm, r);
        return v_obj(made);
    }
    if (a->v[1].tag != T_NIL)
        return sc_raise(vm, C_TypeError, "encoding without a string argument");
    if (v.tag == T_NIL)
        return v_obj(bytes_new(vm, cls, NULL, 0));
    if (v.tag == T_INT || v.tag == T_BOOL) {
        if (v.i < 0)
            return sc_raise(vm, C_ValueError, "negative count");
        return v_obj(bytes_new(vm, cls, NULL, v.i));
    }
    if (v.tag == T_OBJ && v.o->cls->script && !sc_is(vm, v, C_bytes)) {
        Value *f = sc_class_find(v.o->cls, vm->known[S_bytes_]);

        if (f)
            return sc_call(vm, *f, &v, 1);
    }
    return v_obj(bytes_from(vm, cls, v));
}

static void bytes_destroy(Vm *vm, Obj *o)
{
    Bytes *b = (Bytes *)o;
    Dict *d = b->attrs;

    sc_free(vm, b->v, (size_t)b->cap);
    b->v = NULL;
    b->n = b->cap = 0;
    b->attrs = NULL;
    if (d)
        obj_drop(vm, d);
}

static void bytes_visit(Obj *o, VisitFn fn, void *user)
{
    if (((Bytes *)o)->attrs)
        fn(v_obj(((Bytes *)o)->attrs), user);
}

static void repr_into(Buf *out, const Bytes *b)
{
    char quote = b->n && memchr(b->v, '\'', (size_t)b->n) && !memchr(b->v, '"', (size_t)b->n) ? '"' : '\'';
    char esc[8];

    buf_char(out, 'b');
    buf_char(out, quote);
    for (int64_t i = 0; i < b->n; i++) {
        uint8_t c = b->v[i];

        if (c == quote || c == '\\') {
            buf_char(out, '\\');
            buf_char(out, (char)c);
        } else if (c == '\n' || c == '\r' || c == '\t') {
            buf_char(out, '\\');
            buf_char(out, c == '\n' ? 'n' : c == '\r' ? 'r' : 't');
        } else if (c < 32 || c >= 127) {
            snprintf(esc, sizeof esc, "\\x%02x", c);
            buf_str(out, esc);
        } else {
            buf_char(out, (char)c);
        }
    }
    buf_char(out, quote);
}

static Value bytes_repr(Vm *vm, Value self)
{
    Buf b = {.vm = vm};

    repr_into(&b, (Bytes *)self.o);
    return buf_done(&b);
}

static Value bytearray_repr(Vm *vm, Value self)
{
    Buf b = {.vm = vm};

    buf_str(&b, self.o->cls->name->s);
    buf_char(&b, '(');
    repr_into(&b, (Bytes *)self.o);
    buf_char(&b, ')');
    return buf_done(&b);
}

static bool bytes_hash(Vm *vm, Value self, uint64_t *out)
{
    Bytes *b = (Bytes *)self.o;

    (void)vm;
    if (!b->hash) {
        uint64_t h = 7;

        for (int64_t i = 0; i < b->n; i++)
            h = (h ^ b->v[i]) * 0x100000001b3u;
        b->hash = hash_mix(6, h) | 1;
    }
    *out = b->hash;
    return true;
}

static bool bytearray_hash(Vm *vm, Value self, uint64_t *out)
{
    *out = 0;
    return sc_fail(vm, C_TypeError, "unhashable type: '%s'", sc_type_name(vm, self));
}

static Value bytes_compare(Vm *vm, CmpOp op, Value a, Value b)
{
    const uint8_t *p, *q;
    int64_t n, m;
    int c;

    if (!sc_bytes_view(vm, a, &p, &n) || !sc_bytes_view(vm, b, &q, &m))
        return NOTIMPL;
    c = MIN(n, m) ? memcmp(p, q, (size_t)MIN(n, m)) : 0;
    if (!c)
        c = n < m ? -1 : n > m;
    return v_bool(op == CMP_LT   ? c < 0
                  : op == CMP_LE ? c <= 0
                  : op == CMP_EQ ? c == 0
                  : op == CMP_NE ? c != 0
                  : op == CMP_GT ? c > 0
                                 : c >= 0);
}

static bool bytes_at(Vm *vm, const Bytes *b, Value key, int64_t *i)
{
    if (!sc_to_int(vm, key, i))
        return false;
    if (*i < 0)
        *i += b->n;
    if (*i < 0 || *i >= b->n)
        return sc_fail(vm, C_IndexError, "%s out of range",
                       sc_is(vm, v_obj(b), C_bytes) ? "index" : "bytearray index");
    return true;
}

static Value bytes_getitem(Vm *vm, Value self, Value key)
{
    Bytes *b = (Bytes *)self.o, *r;
    Class *cls = sc_is(vm, self, C_bytes) ? vm->cls[C_bytes] : vm->cls[C_bytearray];
    int64_t start, stop, step, n, i;

    if (!sc_is_exact(vm, key, C_slice))
        return bytes_at(vm, b, key, &i) ? v_int(b->v[i]) : NIL;
    if (!sc_slice_indices(vm, (Slice *)key.o, &b->n, &start, &stop, &step, &n))
        return NIL;
    r = bytes_new(vm, cls, step == 1 && n ? b->v + start : NULL, n);
    for (i = 0; r && step != 1 && i < n; i++)
        r->v[i] = b->v[start + i * step];
    return v_obj(r);
}

static bool set_slice(Vm *vm, Bytes *b, Slice *s, Value v)
{
    Bytes *r = bytes_new(vm, vm->cls[C_bytearray], NULL, 0);
    int64_t start, stop, step, n, i;
    bool ok = false;

    if (r && v.tag != T_NIL) {
        obj_drop(vm, r);
        r = bytes_from(vm, vm->cls[C_bytearray], v);
    }
    if (!r)
        return false;
    if (!sc_slice_indices(vm, s, &b->n, &start, &stop, &step, &n)) {
        ok = false;
    } else if (step == 1) {
        ok = bytes_splice(vm, b, start, n, r->v, r->n);
    } else if (v.tag == T_NIL) {
        for (i = 0; i < n; i++) { /* from the end, so that places stay */
            int64_t at = step > 0 ? start + (n - 1 - i) * step : start + i * step;

            (void)bytes_splice(vm, b, at, 1, NULL, 0);
        }
        ok = true;
    } else if (r->n != n) {
        ok = sc_fail(vm, C_ValueError, "attempt to assign bytes of size %lld to extended slice of size %lld",
                     (long long)r->n, (long long)n);
    } else {
        for (i = 0; i < n; i++)
            b->v[start + i * step] = r->v[i];
        ok = true;
    }
    obj_drop(vm, r);
    return ok;
}

static bool bytearray_setitem(Vm *vm, Value self, Value key, Value v)
{
    Bytes *b = (Bytes *)self.o;
    uint8_t c = 0;
    int64_t i;

    if (sc_is_exact(vm, key, C_slice))
        return set_slice(vm, b, (Slice *)key.o, v);
    if (v.tag != T_NIL && !bytes_byte(vm, v, &c))
        return false;
    if (!bytes_at(vm, b, key, &i))
        return false;
    if (v.tag == T_NIL)
        return bytes_splice(vm, b, i, 1, NULL, 0);
    b->v[i] = c;
    return true;
}

static bool bytes_len(Vm *vm, Value self, int64_t *out)
{
    (void)vm;
    *out = ((Bytes *)self.o)->n;
    return true;
}

static int bytes_contains(Vm *vm, Value self, Value v)
{
    Bytes *b = (Bytes *)self.o;
    const uint8_t *p;
    int64_t n;
    uint8_t c = 0;

    if (sc_bytes_view(vm, v, &p, &n)) {
        for (int64_t i = 0; i + n <= b->n; i++)
            if (n == 0 || memcmp(b->v + i, p, (size_t)n) == 0)
                return 1;
        return 0;
    }
    if (!bytes_byte(vm, v, &c)) {
        if (sc_exc_is(vm, C_TypeError))
            sc_raise(vm, C_TypeError, "a bytes-like object is required, not '%s'", sc_type_name(vm, v));
        return -1;
    }
    return b->n && memchr(b->v, c, (size_t)b->n) != NULL;
}

static Value repeat(Vm *vm, Class *cls, Value of, int64_t times)
{
    Bytes *b = (Bytes *)of.o, *r;
    int64_t n;

    if (times < 0)
        times = 0;
    if (!mul_i64(b->n, times, &n))
        return sc_raise_memory(vm);
    r = bytes_new(vm, cls, NULL, n);
    for (int64_t i = 0; r && i < n; i += b->n)
        memcpy(r->v + i, b->v, (size_t)b->n);
    return v_obj(r);
}

static Value bytes_binary(Vm *vm, BinOp op, Value a, Value b, bool reflected, bool inplace)
{
    Class *cls = sc_is(vm, a, C_bytearray) ? vm->cls[C_bytearray] : vm->cls[C_bytes];
    const uint8_t *p, *q;
    int64_t n, m, times;
    Bytes *r;

    if (op == OP2_MOD && !reflected)
        return sc_call_method(vm, a, "_percent", &b, 1);
    if (op == OP2_MUL) {
        Value of = reflected ? b : a, count = reflected ? a : b;
        int k = sc_repeat_count(vm, count, &times);

        cls = sc_is(vm, of, C_bytearray) ? vm->cls[C_bytearray] : vm->cls[C_bytes];
        return k < 0 ? NIL : k ? repeat(vm, cls, of, times) : NOTIMPL;
    }
    if (op != OP2_ADD || reflected || !sc_bytes_view(vm, a, &p, &n))
        return NOTIMPL;
    if (!sc_bytes_view(vm, b, &q, &m))
        return sc_raise(vm, C_TypeError, "can't concat %s to %s", sc_type_name(vm, b), sc_type_name(vm, a));
    if (inplace && cls == vm->cls[C_bytearray] && a.o != b.o)
        return bytes_splice(vm, (Bytes *)a.o, n, 0, q, m) ? sc_ref(a) : NIL;
    r = bytes_new(vm, cls, p, n);
    if (r && !bytes_splice(vm, r, n, 0, q, m)) {
        obj_drop(vm, r);
        r = NULL;
    }
    return v_obj(r);
}

#define COMMON                                                                               \
    .size = sizeof(Bytes), .attrs_at = offsetof(Bytes, attrs), .make = bytes_make,           \
    .make_params = "|source,encoding,errors", .destroy = bytes_destroy, .visit = bytes_visit, \
    .compare = bytes_compare, .getitem = bytes_getitem, .len = bytes_len,                    \
    .contains = bytes_contains, .binary = bytes_binary, .classmethods = bytes_classmethods

const ClassDef sc_bytes_def = {
    .name = "bytes", COMMON, .repr = bytes_repr, .hash = bytes_hash, .methods = bytes_methods};
const ClassDef sc_bytearray_def = {.name = "bytearray", COMMON, .repr = bytearray_repr,
                                   .hash = bytearray_hash, .setitem = bytearray_setitem,
                                   .methods = bytearray_methods};
