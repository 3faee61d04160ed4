/* str.c -- strings: UTF-8 inside, code points outside; interning; growing text.
 *
 * Strings do not change. Interned ones are in a weak table: equal names are one object, so that
 * a lookup by name compares pointers. A string's bytes end with a NUL that is not counted.
 */
#include "script.h"
#include "bytes.h"
#include "str.h"

#include <stdio.h>

/* ---- UTF-8 ------------------------------------------------------------------------- */

uint32_t sc_utf8_read(const char *s, int *len)
{
    const unsigned char *p = (const unsigned char *)s;

    if (p[0] < 0x80) {
        *len = 1;
        return p[0];
    }
    if (p[0] < 0xE0) {
        *len = 2;
        return (uint32_t)(p[0] & 31) << 6 | (p[1] & 63);
    }
    if (p[0] < 0xF0) {
        *len = 3;
        return (uint32_t)(p[0] & 15) << 12 | (uint32_t)(p[1] & 63) << 6 | (p[2] & 63);
    }
    *len = 4;
    return (uint32_t)(p[0] & 7) << 18 | (uint32_t)(p[1] & 63) << 12 |
           (uint32_t)(p[2] & 63) << 6 | (p[3] & 63);
}

int sc_utf8_write(char *out, uint32_t c)
{
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        out[0] = (char)(0xC0 | c >> 6);
        out[1] = (char)(0x80 | (c & 63));
        return 2;
    }
    if (c < 0x10000) {
        out[0] = (char)(0xE0 | c >> 12);
        out[1] = (char)(0x80 | (c >> 6 & 63));
        out[2] = (char)(0x80 | (c & 63));
        return 3;
    }
    out[0] = (char)(0xF0 | c >> 18);
    out[1] = (char)(0x80 | (c >> 12 & 63));
    out[2] = (char)(0x80 | (c >> 6 & 63));
    out[3] = (char)(0x80 | (c & 63));
    return 4;
}

/* ---- making ------------------------------------------------------------------------ */

/* How many bytes at the start are ASCII. */
static size_t ascii_run(const char *s, size_t n)
{
    size_t i = 0;
    uint64_t w;

    for (; i + 8 <= n; i += 8) {
        memcpy(&w, s + i, 8);
        if (w & 0x8080808080808080u)
            break;
    }
    while (i < n && (unsigned char)s[i] < 128)
        i++;
    return i;
}

Str *sc_str_n(Vm *vm, const char *s, size_t n)
{
    Str *r;
    size_t i, chars;

    if (n > UINT32_MAX - 64) {
        sc_raise_memory(vm);
        return NULL;
    }
    if (n == 0 && vm->empty_str)
        return obj_ref(vm->empty_str);
    if (n == 1 && (unsigned char)s[0] < 128 && vm->chars[(int)s[0]])
        return obj_ref(vm->chars[(int)s[0]]);
    r = (Str *)sc_obj_new(vm, vm->cls[C_str], sizeof *r + n + 1);
    if (!r)
        return NULL;
    i = chars = ascii_run(s, n);
    memcpy(r->s, s, i);
    if (i == n)
        r->h.flags |= OBJ_ASCII;
    while (i < n) {
        int len = (unsigned char)s[i] < 128 ? 1 : utf8_len(s + i, n - i);

        if (len) {
            memcpy(r->s + i, s + i, (size_t)len);
        } else {
            r->s[i] = '?';
            len = 1;
        }
        i += (size_t)len;
        chars++;
    }
    r->s[n] = 0;
    r->n = (uint32_t)n;
    r->chars = (uint32_t)chars;
    return r;
}

Str *sc_str(Vm *vm, const char *s) { return sc_str_n(vm, s, strlen(s)); }

Value sc_strf(Vm *vm, const char *fmt, ...)
{
    char text[1024];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return v_obj(sc_str(vm, text));
}

static uint64_t hash_text(const char *s, size_t n)
{
    uint64_t h = 0x51ED270B, w;
    size_t i;

    for (i = 0; i + 8 <= n; i += 8) {
        memcpy(&w, s + i, 8);
        h = hash_mix(h, w);
    }
    for (w = 0; i < n; i++)
        w = w << 8 | (unsigned char)s[i];
    h = hash_mix(hash_mix(h, w), n);
    return h ? h : 1;
}

uint64_t sc_str_hash(Str *s)
{
    if (!s->hash)
        s->hash = hash_text(s->s, s->n);
    return s->hash;
}

bool sc_str_eq(const Str *a, const Str *b)
{
    return a == b || (a->n == b->n && memcmp(a->s, b->s, a->n) == 0);
}

int sc_str_cmp(const Str *a, const Str *b) /* UTF-8 sorts like code points */
{
    int c = memcmp(a->s, b->s, MIN(a->n, b->n));

    return c ? c : a->n < b->n ? -1 : a->n > b->n;
}

/* ---- interning: a weak table ------------------------------------------------------- */

static bool grow_table(Vm *vm)
{
    uint32_t cap = vm->capstrs ? vm->capstrs * 2 : 1024, i, k;
    Str **t = sc_alloc(vm, cap * sizeof *t);

    if (!t)
        return false;
    memset(t, 0, cap * sizeof *t);
    for (i = 0; i < vm->capstrs; i++)
        if (vm->strs[i]) {
            for (k = (uint32_t)sc_str_hash(vm->strs[i]) & (cap - 1); t[k];)
                k = (k + 1) & (cap - 1);
            t[k] = vm->strs[i];
        }
    sc_free(vm, vm->strs, vm->capstrs * sizeof *t);
    vm->strs = t;
    vm->capstrs = cap;
    return true;
}

/* The interned string equal to s, which becomes it if there is none. Owned. */
static Str *intern_owned(Vm *vm, Str *s)
{
    uint32_t k;

    if (!s || (s->h.flags & OBJ_INTERNED))
        return s;
    if ((vm->nstrs + 1) * 2 > vm->capstrs && !grow_table(vm)) {
        obj_drop(vm, s);
        return NULL;
    }
    for (k = (uint32_t)sc_str_hash(s) & (vm->capstrs - 1); vm->strs[k];
         k = (k + 1) & (vm->capstrs - 1))
        if (sc_str_eq(vm->strs[k], s)) {
            obj_drop(vm, s);
            return obj_ref(vm->strs[k]);
        }
    vm->strs[k] = s;
    vm->nstrs++;
    s->h.flags |= OBJ_INTERNED;
    return s;
}

Str *sc_intern(Vm *vm, const char *s, size_t n)
{
    uint64_t h = hash_text(s, n);

    for (uint32_t mask = vm->capstrs - 1, k = (uint32_t)h & mask; vm->capstrs && vm->strs[k]; k = (k + 1) & mask)
        if (vm->strs[k]->hash == h && vm->strs[k]->n == n && memcmp(vm->strs[k]->s, s, n) == 0)
            return obj_ref(vm->strs[k]);
    return intern_owned(vm, sc_str_n(vm, s, n));
}

Str *sc_intern_str(Vm *vm, Str *s)
{
    Str *r;

    if (s->h.flags & OBJ_INTERNED)
        return s;
    r = intern_owned(vm, obj_ref(s));
    if (r)
        obj_drop(vm, r); /* the caller keeps s, or another owner keeps r */
    return r;
}

/* Where every STEP-th code point of a long string starts, made when one is asked for.
 * A few strings have one at a time: the vm keeps them, and OBJ_MARKED says so. */
#define STEP 64

static void drop_marks(Vm *vm, StrMarks *m)
{
    m->of->h.flags &= ~(uint32_t)OBJ_MARKED;
    sc_free(vm, m->at, (m->of->chars / STEP + 1) * sizeof *m->at);
    m->of = NULL;
}

static void str_destroy(Vm *vm, Obj *o)
{
    Str *s = (Str *)o;
    uint32_t mask = vm->capstrs - 1, k, j;

    for (int i = 0; (o->flags & OBJ_MARKED) && i < COUNT(vm->marks); i++)
        if (vm->marks[i].of == s)
            drop_marks(vm, &vm->marks[i]);
    if (o->cls->script) {
        Dict **d = sc_attrs_of(v_obj(o)), *attrs = *d;

        *d = NULL;
        if (attrs)
            obj_drop(vm, attrs);
    }
    if (!(o->flags & OBJ_INTERNED) || !vm->strs)
        return;
    for (k = (uint32_t)s->hash & mask; vm->strs[k] != s; k = (k + 1) & mask)
        if (!vm->strs[k])
            return;
    vm->nstrs--;
    for (;;) { /* close the gap */
        vm->strs[k] = NULL;
        for (j = (k + 1) & mask;; j = (j + 1) & mask) {
            uint32_t home;

            if (!vm->strs[j])
                return;
            home = (uint32_t)vm->strs[j]->hash & mask;
            if (((j - home) & mask) >= ((j - k) & mask))
                break;
        }
        vm->strs[k] = vm->strs[j];
        k = j;
    }
}

/* ---- parts ------------------------------------------------------------------------- */

static const uint32_t *marks_of(Vm *vm, Str *s)
{
    StrMarks *m = vm->marks;
    uint32_t n = 0, *at;

    for (int i = 0; (s->h.flags & OBJ_MARKED) && i < COUNT(vm->marks); i++)
        if (m[i].of == s)
            return m[i].at;
    at = sc_alloc(vm, (s->chars / STEP + 1) * sizeof *at);
    if (!at) {
        sc_clear_exc(vm); /* slower, but no error */
        return NULL;
    }
    for (uint32_t i = 0; i < s->n; i++)
        if ((s->s[i] & 0xC0) != 0x80 && n++ % STEP == 0)
            at[(n - 1) / STEP] = i;
    if (n % STEP == 0)
        at[n / STEP] = s->n;
    m += vm->next_mark++ % COUNT(vm->marks);
    if (m->of)
        drop_marks(vm, m);
    *m = (StrMarks){s, at};
    s->h.flags |= OBJ_MARKED;
    return at;
}

/* Byte offset of code point i. */
uint32_t str_offset(Vm *vm, Str *s, int64_t i)
{
    const uint32_t *marks;
    uint32_t at = 0;
    int len;

    if (s->h.flags & OBJ_ASCII)
        return (uint32_t)i;
    if (i > STEP && (marks = marks_of(vm, s)) != NULL) {
        at = marks[i / STEP];
        i %= STEP;
    }
    for (; i > 0 && at < s->n; i--) {
        sc_utf8_read(s->s + at, &len);
        at += (uint32_t)len;
    }
    return at;
}

int64_t str_chars_before(const Str *s, size_t byte)
{
    int64_t n = 0;

    if (s->h.flags & OBJ_ASCII)
        return (int64_t)byte;
    for (size_t i = 0; i < byte; i++)
        n += (s->s[i] & 0xC0) != 0x80;
    return n;
}

Value sc_str_slice(Vm *vm, Str *s, int64_t start, int64_t stop)
{
    uint32_t a, b;

    if (stop <= start)
        return v_obj(obj_ref(vm->empty_str));
    if (start == 0 && stop == s->chars)
        return v_obj(obj_ref(s));
    a = str_offset(vm, s, start);
    b = str_offset(vm, s, stop);
    return v_obj(sc_str_n(vm, s->s + a, b - a));
}

Value sc_str_char_at(Vm *vm, Str *s, int64_t i) { return sc_str_slice(vm, s, i, i + 1); }

Value sc_str_concat(Vm *vm, Str *a, Str *b)
{
    Str *r;

    if (!a->n)
        return v_obj(obj_ref(b));
    if (!b->n)
        return v_obj(obj_ref(a));
    if ((uint64_t)a->n + b->n > UINT32_MAX - 64)
        return sc_raise_memory(vm);
    r = (Str *)sc_obj_new(vm, vm->cls[C_str], sizeof *r + a->n + b->n + 1);
    if (!r)
        return NIL;
    memcpy(r->s, a->s, a->n);
    memcpy(r->s + a->n, b->s, b->n + 1u);
    r->n = a->n + b->n;
    r->chars = a->chars + b->chars;
    r->h.flags |= a->h.flags & b->h.flags & OBJ_ASCII;
    return v_obj(r);
}

/* ---- Buf --------------------------------------------------------------------------- */

void buf_add(Buf *b, const char *s, size_t n)
{
    if (b->failed || !sc_grow(b->vm, &b->s, &b->cap, b->n + (int64_t)n + 1, 1)) {
        b->failed = true;
        return;
    }
    if (n)
        memcpy(b->s + b->n, s, n);
    b->n += (int64_t)n;
}

void buf_str(Buf *b, const char *s) { buf_add(b, s, strlen(s)); }
void buf_char(Buf *b, char c) { buf_add(b, &c, 1); }

#define PAD_MAX 100000000 /* more is a mistake, and takes too long to find out */

void buf_pad(Buf *b, const char *fill, int64_t times)
{
    size_t n = (size_t)utf8_len(fill, strlen(fill));

    if (times > PAD_MAX && !b->failed) {
        sc_raise_memory(b->vm);
        b->failed = true;
    }
    for (; times > 0 && !b->failed; times--)
        buf_add(b, fill, n ? n : 1);
}

bool buf_value(Buf *b, Value v, bool repr)
{
    Value s;

    if (b->failed)
        return false;
    s = repr ? sc_repr(b->vm, v) : sc_to_str(b->vm, v);
    if (s.tag == T_NIL) {
        b->failed = true;
        return false;
    }
    buf_add(b, as_str(s)->s, as_str(s)->n);
    sc_drop(b->vm, s);
    return !b->failed;
}

void buf_free(Buf *b)
{
    sc_free(b->vm, b->s, (size_t)b->cap);
    b->s = NULL;
    b->cap = b->n = 0;
}

Value buf_done(Buf *b)
{
    Value r = b->failed ? NIL : v_obj(sc_str_n(b->vm, b->s ? b->s : "", (size_t)b->n));

    buf_free(b);
    return r;
}

/* ---- slots ------------------------------------------------------------------------- */

Value str_plain(Vm *vm, Value v)
{
    return sc_is_exact(vm, v, C_str) ? sc_ref(v) : v_obj(sc_str_n(vm, as_str(v)->s, as_str(v)->n));
}

bool str_is_printable(uint32_t c)
{
    return (c >= 32 && c < 127) ||
           (c >= 0xA1 && c != 0xAD && !(c >= 0x2028 && c <= 0x202E) && c != 0x3000 &&
           !(c >= 0x2000 && c <= 0x200F) && !(c >= 0xE000 && c <= 0xF8FF) && c != 0xFEFF && c < 0xE0000);
}

static Value str_repr(Vm *vm, Value self)
{
    Str *s = as_str(self);
    char q = memchr(s->s, '\'', s->n) && !memchr(s->s, '"', s->n) ? '"' : '\'';
    Buf b = {.vm = vm};
    char esc[16];

    buf_char(&b, q);
    for (uint32_t i = 0; i < s->n;) {
        int len;
        uint32_t c = sc_utf8_read(s->s + i, &len);

        if (c == (unsigned char)q || c == '\\')
            buf_char(&b, '\\'), buf_char(&b, (char)c);
        else if (c == '\n' || c == '\t' || c == '\r')
            buf_str(&b, c == '\n' ? "\\n" : c == '\t' ? "\\t" : "\\r");
        else if (c < 32 || c == 127 || (c >= 128 && c < 256 && !str_is_printable(c)))
            snprintf(esc, sizeof esc, "\\x%02x", c), buf_str(&b, esc);
        else if (c >= 256 && !str_is_printable(c))
            snprintf(esc, sizeof esc, c < 65536 ? "\\u%04x" : "\\U%08x", c), buf_str(&b, esc);
        else
            buf_add(&b, s->s + i, (size_t)len);
        i += (uint32_t)len;
    }
    buf_char(&b, q);
    return buf_done(&b);
}

static Value str_str(Vm *vm, Value self)
{
    if (self.o->cls != vm->cls[C_str])
        return v_obj(sc_str_n(vm, as_str(self)->s, as_str(self)->n));
    return sc_ref(self);
}

static Value str_compare(Vm *vm, CmpOp op, Value a, Value b)
{
    int c;

    if (!is_str(b))
        return NOTIMPL;
    if (op == CMP_EQ || op == CMP_NE)
        return v_bool(sc_str_eq(as_str(a), as_str(b)) == (op == CMP_EQ));
    c = sc_str_cmp(as_str(a), as_str(b));
    return v_bool(op == CMP_LT ? c < 0 : op == CMP_LE ? c <= 0 : op == CMP_GT ? c > 0 : c >= 0);
}

static Value repeat_str(Vm *vm, Str *s, int64_t n)
{
    Str *r;
    int64_t total;

    if (n <= 0 || s->n == 0)
        return v_obj(obj_ref(vm->empty_str));
    if (!mul_i64(n, s->n, &total) || total > UINT32_MAX - 64)
        return sc_raise_memory(vm);
    r = (Str *)sc_obj_new(vm, vm->cls[C_str], sizeof *r + (size_t)total + 1);
    if (!r)
        return NIL;
    for (int64_t i = 0; i < n; i++)
        memcpy(r->s + i * s->n, s->s, s->n);
    r->s[total] = 0;
    r->n = (uint32_t)total;
    r->chars = (uint32_t)(s->chars * n);
    r->h.flags |= s->h.flags & OBJ_ASCII;
    return v_obj(r);
}

static Value str_binary(Vm *vm, BinOp op, Value a, Value b, bool reflected, bool inplace)
{
    int64_t n;
    int how;

    (void)inplace;
    if (op == OP2_ADD && is_str(a) && is_str(b))
        return !as_str(a)->n   ? str_plain(vm, b)
               : !as_str(b)->n ? str_plain(vm, a)
                               : sc_str_concat(vm, as_str(a), as_str(b));
    if (op == OP2_MUL && (how = sc_repeat_count(vm, reflected ? a : b, &n)))
        return how < 0 ? NIL : repeat_str(vm, as_str(reflected ? b : a), n);
    if (op == OP2_MOD && !reflected)
        return sc_percent(vm, as_str(a), b);
    return NOTIMPL;
}

static Value str_getitem(Vm *vm, Value self, Value key)
{
    Str *s = as_str(self);
    int64_t i, start, stop, step, n;

    if (sc_is_exact(vm, key, C_slice)) {
        Buf b = {.vm = vm};

        if (!sc_slice_indices(vm, (Slice *)key.o, &(int64_t){s->chars}, &start, &stop, &step, &n))
            return NIL;
        if (step == 1 && n == s->chars)
            return str_plain(vm, self);
        if (step == 1)
            return sc_str_slice(vm, s, start, start + n);
        for (i = 0; i < n && !b.failed; i++) {
            uint32_t at = str_offset(vm, s, start + i * step);

            buf_add(&b, s->s + at, (size_t)utf8_len(s->s + at, s->n - at));
        }
        return buf_done(&b);
    }
    if (!sc_to_int(vm, key, &i))
        return !sc_exc_is(vm, C_TypeError) || sc_has_index(vm, key) ? NIL : sc_raise(vm, C_TypeError, "string indices must be integers, not '%s'", sc_type_name(vm, key));
    i += i < 0 ? s->chars : 0;
    if (i < 0 || i >= s->chars)
        return sc_raise(vm, C_IndexError, "string index out of range");
    return sc_str_char_at(vm, s, i);
}

static bool str_len(Vm *vm, Value self, int64_t *out)
{
    (void)vm;
    *out = as_str(self)->chars;
    return true;
}

const char *str_find_bytes(const Str *s, uint32_t from, uint32_t to, const Str *part)
{
    if (to > s->n)
        to = s->n;
    if (from > to || part->n > to - from)
        return NULL;
    return part->n ? memmem(s->s + from, to - from, part->s, part->n) : s->s + from;
}

static int str_contains(Vm *vm, Value self, Value v)
{
    if (!is_str(v)) {
        sc_raise(vm, C_TypeError, "'in <string>' requires string as left operand, not %s",
                 sc_type_name(vm, v));
        return -1;
    }
    return str_find_bytes(as_str(self), 0, as_str(self)->n, as_str(v)) != NULL;
}

static Value str_iter(Vm *vm, Value self) { return v_obj(sc_iter_new(vm, C_str_iterator, self)); }

/* An instance of a class derived from str: its attributes are kept behind the text. Takes s. */
static Value str_subclass(Vm *vm, Class *cls, Value s)
{
    Str *from = as_str(s), *r = (Str *)sc_obj_new(vm, cls, STR_ATTRS_AT(from->n) + sizeof(Dict *));

    if (r) {
        memcpy(r->s, from->s, from->n + 1u);
        r->n = from->n;
        r->chars = from->chars;
        r->h.flags |= from->h.flags & OBJ_ASCII;
    }
    sc_drop(vm, s);
    return v_obj(r);
}

static bool str_hash(Vm *vm, Value self, uint64_t *out) /* of derived classes; sc_hash knows strings */
{
    (void)vm;
    *out = sc_str_hash(as_str(self));
    return true;
}

static Value str_make(Vm *vm, Class *cls, const Args *a)
{
    const uint8_t *p;
    int64_t n;
    Value s;

    if (a->v[0].tag == T_NIL)
        s = v_obj(obj_ref(vm->empty_str));
    else if ((a->v[1].tag != T_NIL || a->v[2].tag != T_NIL) && sc_bytes_view(vm, a->v[0], &p, &n))
        s = codec_decode(vm, p, n, a->v[1], a->v[2]);
    else if (a->v[1].tag != T_NIL || a->v[2].tag != T_NIL)
        return sc_raise(vm, C_TypeError, "decoding to str: need a bytes-like object, %s found",
                        sc_type_name(vm, a->v[0]));
    else
        s = sc_to_str(vm, a->v[0]);
    return s.tag == T_NIL || cls == vm->cls[C_str] ? s : str_subclass(vm, cls, s);
}

const ClassDef sc_str_def = {
    .name = "str", .size = sizeof(Str), .make = str_make,
    .make_params = "|object,encoding,errors", .destroy = str_destroy, .repr = str_repr, .str = str_str,
    .compare = str_compare, .binary = str_binary, .getitem = str_getitem, .len = str_len,
    .contains = str_contains, .hash = str_hash, .iter = str_iter, .methods = str_methods,
    .statics = str_statics,
};
