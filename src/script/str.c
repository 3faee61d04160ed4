/* str.c -- strings: UTF-8 inside, code points outside. */
#include "script.h"

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

Str *sc_str_n(Vm *vm, const char *s, size_t n)
{
    Str *r;
    size_t i, chars = 0;
    bool ascii = true;

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
    for (i = 0; i < n;) {
        int len = (unsigned char)s[i] < 128 ? 1 : utf8_len(s + i, n - i);

        ascii &= (unsigned char)s[i] < 128;
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
    if (ascii)
        r->h.flags |= OBJ_ASCII;
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

uint64_t sc_str_hash(Str *s)
{
    uint64_t h = 0x51ED270B, w;
    uint32_t i;

    if (s->hash)
        return s->hash;
    for (i = 0; i + 8 <= s->n; i += 8) {
        memcpy(&w, s->s + i, 8);
        h = hash_mix(h, w);
    }
    for (w = 0; i < s->n; i++)
        w = w << 8 | (unsigned char)s->s[i];
    h = hash_mix(hash_mix(h, w), s->n);
    return s->hash = h ? h : 1;
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

Str *sc_intern(Vm *vm, const char *s, size_t n) { return intern_owned(vm, sc_str_n(vm, s, n)); }

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
static uint32_t offset_of(Vm *vm, Str *s, int64_t i)
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

static int64_t chars_before(const Str *s, size_t byte)
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
    a = offset_of(vm, s, start);
    b = offset_of(vm, s, stop);
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

void buf_pad(Buf *b, const char *fill, int64_t times)
{
    size_t n = (size_t)utf8_len(fill, strlen(fill));

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

static bool printable(uint32_t c)
{
    return c >= 0xA1 && c != 0xAD && !(c >= 0x2028 && c <= 0x202E) && c != 0x3000 &&
           !(c >= 0x2000 && c <= 0x200F) && !(c >= 0xE000 && c <= 0xF8FF) && c != 0xFEFF && c < 0xE0000;
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
        else if (c < 32 || c == 127 || (c >= 128 && c < 256 && !printable(c)))
            snprintf(esc, sizeof esc, "\\x%02x", c), buf_str(&b, esc);
        else if (c >= 256 && !printable(c))
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
    (void)vm;
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
        return sc_str_concat(vm, as_str(a), as_str(b));
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
        if (step == 1)
            return sc_str_slice(vm, s, start, start + n);
        for (i = 0; i < n && !b.failed; i++) {
            uint32_t at = offset_of(vm, s, start + i * step);

            buf_add(&b, s->s + at, (size_t)utf8_len(s->s + at, s->n - at));
        }
        return buf_done(&b);
    }
    if (key.tag != T_INT && key.tag != T_BOOL)
        return sc_raise(vm, C_TypeError, "string indices must be integers, not '%s'",
                        sc_type_name(vm, key));
    i = key.i + (key.i < 0 ? s->chars : 0);
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

static const char *find_bytes(const Str *s, uint32_t from, uint32_t to, const Str *part)
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
    return find_bytes(as_str(self), 0, as_str(self)->n, as_str(v)) != NULL;
}

static Value str_iter(Vm *vm, Value self) { return v_obj(sc_iter_new(vm, C_str_iterator, self)); }

static Value str_make(Vm *vm, Class *cls, const Args *a)
{
    (void)cls;
    return a->v[0].tag == T_NIL ? v_obj(obj_ref(vm->empty_str)) : sc_to_str(vm, a->v[0]);
}

/* ---- methods ----------------------------------------------------------------------- */

#define SELF as_str(a->v[0])

static Str *need(Vm *vm, Value v, const char *what)
{
    if (is_str(v))
        return as_str(v);
    sc_raise(vm, C_TypeError, "%s must be str, not %s", what, sc_type_name(vm, v));
    return NULL;
}

/* Letters whose cases lie side by side: the upper one is even, or in `odd` odd. */
static bool in_pairs(uint32_t c, bool *odd)
{
    *odd = (c >= 0x139 && c <= 0x148) || (c >= 0x179 && c <= 0x17E) || (c >= 0x1CD && c <= 0x1DC);
    return *odd || (c >= 0x100 && c <= 0x12F) || (c >= 0x132 && c <= 0x137) ||
           (c >= 0x14A && c <= 0x177) || (c >= 0x1DE && c <= 0x1EF) ||
           (c >= 0x1F8 && c <= 0x21F) || (c >= 0x222 && c <= 0x233) ||
           (c >= 0x460 && c <= 0x481) || (c >= 0x48A && c <= 0x4BF) ||
           (c >= 0x4D0 && c <= 0x52F) || (c >= 0x1E00 && c <= 0x1E95) ||
           (c >= 0x1EA0 && c <= 0x1EFF);
}

/* Latin, Greek, Cyrillic and Armenian letters change case; other characters stay. */
static uint32_t upper(uint32_t c)
{
    static const uint32_t alone[][2] = {
        {0xB5, 0x39C},   {0xFF, 0x178},   {0x131, 'I'},    {0x17F, 'S'},   {0x3AC, 0x386},
        {0x3AD, 0x388},  {0x3AE, 0x389},  {0x3AF, 0x38A},  {0x3C2, 0x3A3}, {0x3CC, 0x38C},
        {0x3CD, 0x38E},  {0x3CE, 0x38F},  {0x1C6, 0x1C4},  {0x1C9, 0x1C7}, {0x1CC, 0x1CA},
        {0x1F3, 0x1F1},  {0x1C5, 0x1C4},  {0x1C8, 0x1C7},  {0x1CB, 0x1CA}, {0x1F2, 0x1F1},
    };
    bool odd;

    if ((c >= 'a' && c <= 'z') || (c >= 0xE0 && c <= 0xFE && c != 0xF7) ||
        (c >= 0x3B1 && c <= 0x3CB && c != 0x3C2) || (c >= 0x430 && c <= 0x44F))
        return c - 32;
    if (c < 128)
        return c;
    if (c >= 0x450 && c <= 0x45F)
        return c - 80;
    if (c >= 0x561 && c <= 0x586)
        return c - 48;
    for (int i = 0; i < COUNT(alone); i++)
        if (alone[i][0] == c)
            return alone[i][1];
    return in_pairs(c, &odd) && (c & 1) != odd ? c - 1 : c;
}

static uint32_t lower(uint32_t c)
{
    static const uint32_t alone[][2] = {
        {0x178, 0xFF},  {0x386, 0x3AC},  {0x388, 0x3AD},  {0x389, 0x3AE},  {0x38A, 0x3AF},
        {0x38C, 0x3CC}, {0x38E, 0x3CD},  {0x38F, 0x3CE},  {0x1C4, 0x1C6},  {0x1C7, 0x1C9},
        {0x1CA, 0x1CC}, {0x1F1, 0x1F3},  {0x1C5, 0x1C6},  {0x1C8, 0x1C9},  {0x1CB, 0x1CC},
        {0x1F2, 0x1F3}, {0x1E9E, 0xDF},
    };
    bool odd;

    if ((c >= 'A' && c <= 'Z') || (c >= 0xC0 && c <= 0xDE && c != 0xD7) ||
        (c >= 0x391 && c <= 0x3AB && c != 0x3A2) || (c >= 0x410 && c <= 0x42F))
        return c + 32;
    if (c < 128)
        return c;
    if (c >= 0x400 && c <= 0x40F)
        return c + 80;
    if (c >= 0x531 && c <= 0x556)
        return c + 48;
    for (int i = 0; i < COUNT(alone); i++)
        if (alone[i][0] == c)
            return alone[i][1];
    return in_pairs(c, &odd) && (c & 1) == odd ? c + 1 : c;
}

/* Characters that become several: text of the upper, title or lower form, or NULL. */
static const char *special_case(uint32_t c, bool up, bool title)
{
    static const struct {
        uint32_t c;
        const char *upper, *title;
    } t[] = {
        {0xDF, "SS", "Ss"},     {0x149, "\u02bcN", "\u02bcN"}, {0x1F0, "J\u030c", "J\u030c"},
        {0xFB00, "FF", "Ff"},   {0xFB01, "FI", "Fi"},           {0xFB02, "FL", "Fl"},
        {0xFB03, "FFI", "Ffi"}, {0xFB04, "FFL", "Ffl"},         {0xFB05, "ST", "St"},
        {0xFB06, "ST", "St"},
    };

    for (int i = 0; up && i < COUNT(t); i++)
        if (t[i].c == c)
            return title ? t[i].title : t[i].upper;
    if (up && title && ((c >= 0x1C4 && c <= 0x1CC) || (c >= 0x1F1 && c <= 0x1F3)))
        return c >= 0x1F1 ? "\u01f2" : c >= 0x1CA ? "\u01cb" : c >= 0x1C7 ? "\u01c8" : "\u01c5";
    return !up && c == 0x130 ? "i\u0307" : NULL;
}

static bool is_alpha(uint32_t c)
{
    return c == 0xDF || upper(c) != c || lower(c) != c || (c >= 0x100 && c < 0x2000) || c >= 0x3041;
}
static bool is_num(uint32_t c) { return c >= '0' && c <= '9'; }
static bool is_space(uint32_t c)
{
    return c == ' ' || (c >= 9 && c <= 13) || (c >= 28 && c <= 31) || c == 0x85 || c == 0xA0 ||
           c == 0x3000 || (c >= 0x2000 && c <= 0x200A);
}

enum { CASE_UP, CASE_LOW, CASE_TITLE, CASE_CAPITAL, CASE_SWAP };

static Value change_case(Vm *vm, Str *s, int mode)
{
    Buf b = {.vm = vm};
    bool start = true;
    char out[4];

    for (uint32_t i = 0; i < s->n;) {
        int len;
        uint32_t c = sc_utf8_read(s->s + i, &len);
        bool title = start && (mode == CASE_TITLE || (mode == CASE_CAPITAL && i == 0));
        bool up = mode == CASE_UP || title ||
                  (mode == CASE_SWAP && (lower(c) == c || special_case(c, true, false)));
        const char *text = special_case(c, up, title);

        start = !is_alpha(c);
        if (text)
            buf_str(&b, text);
        else
            buf_add(&b, out, (size_t)sc_utf8_write(out, up ? upper(c) : lower(c)));
        i += (uint32_t)len;
    }
    return buf_done(&b);
}

static Value m_upper(Vm *vm, const Args *a) { return change_case(vm, SELF, CASE_UP); }
static Value m_lower(Vm *vm, const Args *a) { return change_case(vm, SELF, CASE_LOW); }
static Value m_title(Vm *vm, const Args *a) { return change_case(vm, SELF, CASE_TITLE); }
static Value m_capitalize(Vm *vm, const Args *a) { return change_case(vm, SELF, CASE_CAPITAL); }
static Value m_swapcase(Vm *vm, const Args *a) { return change_case(vm, SELF, CASE_SWAP); }

static Value all_chars(const Str *s, bool (*test)(uint32_t c))
{
    int len;

    for (uint32_t i = 0; i < s->n; i += (uint32_t)len)
        if (!test(sc_utf8_read(s->s + i, &len)))
            return v_bool(false);
    return v_bool(s->n > 0);
}

static bool is_alnum(uint32_t c) { return is_alpha(c) || is_num(c); }
static Value m_isdigit(Vm *vm, const Args *a) { (void)vm; return all_chars(SELF, is_num); }
static Value m_isalpha(Vm *vm, const Args *a) { (void)vm; return all_chars(SELF, is_alpha); }
static Value m_isalnum(Vm *vm, const Args *a) { (void)vm; return all_chars(SELF, is_alnum); }
static Value m_isspace(Vm *vm, const Args *a) { (void)vm; return all_chars(SELF, is_space); }

static Value cased(const Str *s, bool up)
{
    bool any = false;
    int len;

    for (uint32_t i = 0; i < s->n; i += (uint32_t)len) {
        uint32_t c = sc_utf8_read(s->s + i, &len);

        if (up ? upper(c) != c : lower(c) != c)
            return v_bool(false);
        any |= up ? lower(c) != c : upper(c) != c;
    }
    return v_bool(any);
}

static Value m_isupper(Vm *vm, const Args *a) { (void)vm; return cased(SELF, true); }
static Value m_islower(Vm *vm, const Args *a) { (void)vm; return cased(SELF, false); }

static Value m_isidentifier(Vm *vm, const Args *a)
{
    Str *s = SELF;

    (void)vm;
    for (uint32_t i = 0; i < s->n; i++) {
        unsigned char c = (unsigned char)s->s[i];

        if (!(is_alpha(c) || c == '_' || c >= 128 || (i > 0 && is_num(c))))
            return v_bool(false);
    }
    return v_bool(s->n > 0);
}

static bool in_set(const Str *set, uint32_t c)
{
    int len;

    if (!set)
        return is_space(c);
    for (uint32_t i = 0; i < set->n; i += (uint32_t)len)
        if (sc_utf8_read(set->s + i, &len) == c)
            return true;
    return false;
}

static Value strip(Vm *vm, const Args *a, bool left, bool right)
{
    Str *s = SELF, *set = NULL;
    uint32_t from = 0, to = s->n, k;
    int len;

    if (a->v[1].tag != T_NIL && a->v[1].tag != T_NONE && !(set = need(vm, a->v[1], "strip arg")))
        return NIL;
    while (left && from < to && in_set(set, sc_utf8_read(s->s + from, &len)))
        from += (uint32_t)len;
    while (right && to > from) {
        for (k = to - 1; k > from && (s->s[k] & 0xC0) == 0x80;)
            k--;
        if (!in_set(set, sc_utf8_read(s->s + k, &len)))
            break;
        to = k;
    }
    return from == 0 && to == s->n ? sc_ref(a->v[0]) : v_obj(sc_str_n(vm, s->s + from, to - from));
}

static Value m_strip(Vm *vm, const Args *a) { return strip(vm, a, true, true); }
static Value m_lstrip(Vm *vm, const Args *a) { return strip(vm, a, true, false); }
static Value m_rstrip(Vm *vm, const Args *a) { return strip(vm, a, false, true); }

static bool push_part(Vm *vm, List *l, const char *s, size_t n)
{
    Value v = v_obj(sc_str_n(vm, s, n));
    bool ok = v.tag != T_NIL && sc_list_push(vm, l, v);

    sc_drop(vm, v);
    return ok;
}

static bool split_space(Vm *vm, Str *s, int64_t max, List *l)
{
    uint32_t i = 0, start;
    int len;

    for (;;) {
        while (i < s->n && is_space(sc_utf8_read(s->s + i, &len)))
            i += (uint32_t)len;
        if (i >= s->n)
            return true;
        start = i;
        if (max-- == 0) {
            uint32_t e = s->n;

            while (e > start && is_space((unsigned char)s->s[e - 1]))
                e--;
            return push_part(vm, l, s->s + start, e - start);
        }
        while (i < s->n && !is_space(sc_utf8_read(s->s + i, &len)))
            i += (uint32_t)len;
        if (!push_part(vm, l, s->s + start, i - start))
            return false;
    }
}

static Value m_split(Vm *vm, const Args *a)
{
    Str *s = SELF, *sep;
    int64_t max = -1;
    List *l;
    const char *at = s->s, *end = s->s + s->n, *hit;
    bool ok = true;

    if (a->v[2].tag != T_NIL && !sc_to_int(vm, a->v[2], &max))
        return NIL;
    l = sc_list(vm, 0);
    if (!l)
        return NIL;
    if (a->v[1].tag == T_NIL || a->v[1].tag == T_NONE) {
        ok = split_space(vm, s, max, l);
    } else if (!(sep = need(vm, a->v[1], "separator")) ||
               (sep->n == 0 && !sc_fail(vm, C_ValueError, "empty separator"))) {
        ok = false;
    } else {
        while (max-- != 0 && ok && (hit = memmem(at, (size_t)(end - at), sep->s, sep->n))) {
            ok = push_part(vm, l, at, (size_t)(hit - at));
            at = hit + sep->n;
        }
        ok = ok && push_part(vm, l, at, (size_t)(end - at));
    }
    if (!ok) {
        obj_drop(vm, l);
        return NIL;
    }
    return v_obj(l);
}

static Value m_rsplit(Vm *vm, const Args *a)
{
    Str *s = SELF, *sep;
    int64_t max = -1;
    List *l;
    uint32_t end = s->n, i;
    bool ok = true;

    if (a->v[2].tag != T_NIL && !sc_to_int(vm, a->v[2], &max))
        return NIL;
    if (max < 0 || a->v[1].tag == T_NIL || a->v[1].tag == T_NONE)
        return m_split(vm, a);
    if (!(sep = need(vm, a->v[1], "separator")))
        return NIL;
    if (!sep->n)
        return sc_raise(vm, C_ValueError, "empty separator");
    l = sc_list(vm, 0);
    if (!l)
        return NIL;
    for (i = end >= sep->n ? end - sep->n + 1 : 0; ok && i-- > 0 && max > 0;)
        if (i + sep->n <= end && memcmp(s->s + i, sep->s, sep->n) == 0) {
            ok = push_part(vm, l, s->s + i + sep->n, end - i - sep->n);
            end = i;
            i = i >= sep->n ? i - sep->n + 1 : 0;
            max--;
        }
    ok = ok && push_part(vm, l, s->s, end);
    for (int64_t p = 0, q = l->n - 1; p < q; p++, q--) {
        Value t = l->v[p];

        l->v[p] = l->v[q];
        l->v[q] = t;
    }
    if (!ok) {
        obj_drop(vm, l);
        return NIL;
    }
    return v_obj(l);
}

/* How many bytes here end a line; 0: none do. s ends with a NUL. */
static int line_end(const char *s)
{
    const unsigned char *c = (const unsigned char *)s;

    if (c[0] == '\r')
        return c[1] == '\n' ? 2 : 1;
    if ((c[0] >= '\n' && c[0] <= '\f') || (c[0] >= 0x1C && c[0] <= 0x1E))
        return 1;
    if (c[0] == 0xC2 && c[1] == 0x85)
        return 2;
    return c[0] == 0xE2 && c[1] == 0x80 && (c[2] == 0xA8 || c[2] == 0xA9) ? 3 : 0;
}

static Value m_splitlines(Vm *vm, const Args *a)
{
    Str *s = SELF;
    List *l = sc_list(vm, 0);
    uint32_t i = 0, start;
    int keep = a->v[1].tag == T_NIL ? 0 : sc_truth(vm, a->v[1]);

    while (l && i < s->n) {
        uint32_t e;

        start = i;
        while (i < s->n && !line_end(s->s + i))
            i++;
        e = i;
        if (i < s->n)
            i += (uint32_t)line_end(s->s + i);
        if (!push_part(vm, l, s->s + start, (keep ? i : e) - start)) {
            obj_drop(vm, l);
            return NIL;
        }
    }
    return v_obj(l);
}

static Value m_join(Vm *vm, const Args *a)
{
    Str *s = SELF;
    Buf b = {.vm = vm};
    Value it = sc_iter(vm, a->v[1]), v;
    int64_t n = 0;

    if (it.tag == T_NIL)
        return NIL;
    while (!b.failed && (v = sc_next(vm, it)).tag != T_NIL) {
        if (!is_str(v)) {
            sc_raise(vm, C_TypeError, "sequence item %lld: expected str instance, %s found",
                     (long long)n, sc_type_name(vm, v));
            b.failed = true;
        } else {
            if (n++)
                buf_add(&b, s->s, s->n);
            buf_add(&b, as_str(v)->s, as_str(v)->n);
        }
        sc_drop(vm, v);
    }
    sc_drop(vm, it);
    b.failed |= sc_failed(vm);
    return buf_done(&b);
}

static Value m_replace(Vm *vm, const Args *a)
{
    Str *s = SELF, *from = need(vm, a->v[1], "replace() argument 1"), *to;
    const char *at = s->s, *end = s->s + s->n, *hit;
    Buf b = {.vm = vm};
    int64_t max = -1;

    if (!from || !(to = need(vm, a->v[2], "replace() argument 2")))
        return NIL;
    if (a->v[3].tag != T_NIL && !sc_to_int(vm, a->v[3], &max))
        return NIL;
    if (from->n == 0) {
        int len;

        for (; max-- != 0; at += len) {
            buf_add(&b, to->s, to->n);
            if (at >= end)
                break;
            sc_utf8_read(at, &len);
            buf_add(&b, at, (size_t)len);
        }
        if (at < end)
            buf_add(&b, at, (size_t)(end - at));
        return buf_done(&b);
    }
    while (max-- != 0 && (hit = memmem(at, (size_t)(end - at), from->s, from->n))) {
        buf_add(&b, at, (size_t)(hit - at));
        buf_add(&b, to->s, to->n);
        at = hit + from->n;
    }
    buf_add(&b, at, (size_t)(end - at));
    return buf_done(&b);
}

/* start and end arguments to bytes */
static bool span(Vm *vm, const Args *a, int at, uint32_t *from, uint32_t *to)
{
    Str *s = SELF;
    int64_t i = 0, j = s->chars;

    if (a->v[at].tag != T_NIL && a->v[at].tag != T_NONE && !sc_to_int(vm, a->v[at], &i))
        return false;
    if (a->v[at + 1].tag != T_NIL && a->v[at + 1].tag != T_NONE && !sc_to_int(vm, a->v[at + 1], &j))
        return false;
    i = i < 0 ? MAX(i + s->chars, 0) : i;
    j = j < 0 ? MAX(j + s->chars, 0) : MIN(j, s->chars);
    *from = i > s->chars ? s->n + 1 : offset_of(vm, s, i);
    *to = offset_of(vm, s, j);
    return true;
}

static Value find(Vm *vm, const Args *a, bool last, bool raise)
{
    Str *s = SELF, *p = need(vm, a->v[1], "argument");
    uint32_t from, to;
    const char *hit, *best = NULL;

    if (!p || !span(vm, a, 2, &from, &to))
        return NIL;
    for (hit = find_bytes(s, from, to, p); hit; hit = find_bytes(s, from, to, p)) {
        best = hit;
        if (!last)
            break;
        from = (uint32_t)(hit - s->s) + 1;
    }
    if (best)
        return v_int(chars_before(s, (size_t)(best - s->s)));
    return raise ? sc_raise(vm, C_ValueError, "substring not found") : v_int(-1);
}

static Value m_find(Vm *vm, const Args *a) { return find(vm, a, false, false); }
static Value m_rfind(Vm *vm, const Args *a) { return find(vm, a, true, false); }
static Value m_index(Vm *vm, const Args *a) { return find(vm, a, false, true); }
static Value m_rindex(Vm *vm, const Args *a) { return find(vm, a, true, true); }

static Value m_count(Vm *vm, const Args *a)
{
    Str *s = SELF, *p = need(vm, a->v[1], "argument");
    uint32_t from, to;
    int64_t n = 0;
    const char *hit;

    if (!p || !span(vm, a, 2, &from, &to))
        return NIL;
    if (!p->n)
        return v_int(s->chars + 1);
    while ((hit = find_bytes(s, from, to, p))) {
        n++;
        from = (uint32_t)(hit - s->s) + p->n;
    }
    return v_int(n);
}

static Value affix(Vm *vm, const Args *a, Value v, bool start)
{
    Str *s = SELF, *p;
    uint32_t from, to;

    if (sc_is(vm, v, C_tuple)) {
        Tuple *t = (Tuple *)v.o;

        for (int64_t i = 0; i < t->n; i++) {
            Value r = affix(vm, a, t->v[i], start);

            if (r.tag == T_NIL || r.i)
                return r;
        }
        return v_bool(false);
    }
    p = need(vm, v, start ? "startswith first arg" : "endswith first arg");
    if (!p || !span(vm, a, 2, &from, &to))
        return NIL;
    if (from > to || p->n > to - from)
        return v_bool(false);
    return v_bool(memcmp(start ? s->s + from : s->s + to - p->n, p->s, p->n) == 0);
}

static Value m_startswith(Vm *vm, const Args *a) { return affix(vm, a, a->v[1], true); }
static Value m_endswith(Vm *vm, const Args *a) { return affix(vm, a, a->v[1], false); }

static Value remove_affix(Vm *vm, const Args *a, bool start)
{
    Str *s = SELF, *p = need(vm, a->v[1], "argument");

    if (!p)
        return NIL;
    if (!p->n || p->n > s->n || memcmp(start ? s->s : s->s + s->n - p->n, p->s, p->n))
        return sc_ref(a->v[0]);
    return v_obj(sc_str_n(vm, s->s + (start ? p->n : 0), s->n - p->n));
}

static Value m_removeprefix(Vm *vm, const Args *a) { return remove_affix(vm, a, true); }
static Value m_removesuffix(Vm *vm, const Args *a) { return remove_affix(vm, a, false); }

static Value justify(Vm *vm, const Args *a, char how)
{
    Str *s = SELF;
    int64_t w, left;
    const char *fill = " ";
    Buf b = {.vm = vm};

    if (!sc_to_int(vm, a->v[1], &w))
        return NIL;
    if (a->v[2].tag != T_NIL) {
        Str *f = need(vm, a->v[2], "fill character");

        if (!f)
            return NIL;
        if (f->chars != 1)
            return sc_raise(vm, C_TypeError, "The fill character must be exactly one character long");
        fill = f->s;
    }
    w -= s->chars;
    if (w <= 0)
        return sc_ref(a->v[0]);
    if (w > 100000000)
        return sc_raise_memory(vm);
    left = how == '<' ? 0 : how == '>' ? w : w / 2 + (w & (w + s->chars) & 1);
    buf_pad(&b, fill, left);
    buf_add(&b, s->s, s->n);
    buf_pad(&b, fill, w - left);
    return buf_done(&b);
}

static Value m_ljust(Vm *vm, const Args *a) { return justify(vm, a, '<'); }
static Value m_rjust(Vm *vm, const Args *a) { return justify(vm, a, '>'); }
static Value m_center(Vm *vm, const Args *a) { return justify(vm, a, '^'); }

static Value m_zfill(Vm *vm, const Args *a)
{
    Str *s = SELF;
    int64_t w;
    uint32_t sign = s->n && (s->s[0] == '-' || s->s[0] == '+');
    Buf b = {.vm = vm};

    if (!sc_to_int(vm, a->v[1], &w))
        return NIL;
    buf_add(&b, s->s, sign);
    buf_pad(&b, "0", MIN(w - s->chars, 100000000));
    buf_add(&b, s->s + sign, s->n - sign);
    return buf_done(&b);
}

static Value partition(Vm *vm, const Args *a, bool last)
{
    Str *s = SELF, *p = need(vm, a->v[1], "separator");
    const char *hit, *best = NULL;
    uint32_t from = 0, at;
    Tuple *t;

    if (!p)
        return NIL;
    if (!p->n)
        return sc_raise(vm, C_ValueError, "empty separator");
    for (hit = find_bytes(s, 0, s->n, p); hit; hit = find_bytes(s, from, s->n, p)) {
        best = hit;
        if (!last)
            break;
        from = (uint32_t)(hit - s->s) + 1;
    }
    t = sc_tuple(vm, 3);
    if (!t)
        return NIL;
    at = best ? (uint32_t)(best - s->s) : last ? 0 : s->n;
    t->v[0] = v_obj(sc_str_n(vm, s->s, at));
    t->v[1] = v_obj(sc_str_n(vm, p->s, best ? p->n : 0));
    t->v[2] = v_obj(sc_str_n(vm, s->s + at + (best ? p->n : 0), s->n - at - (best ? p->n : 0)));
    for (int i = 0; i < 3; i++)
        if (t->v[i].tag == T_NIL) {
            obj_drop(vm, t);
            return NIL;
        }
    return v_obj(t);
}

static Value m_partition(Vm *vm, const Args *a) { return partition(vm, a, false); }
static Value m_rpartition(Vm *vm, const Args *a) { return partition(vm, a, true); }

static Value m_expandtabs(Vm *vm, const Args *a)
{
    Str *s = SELF;
    Buf b = {.vm = vm};
    int64_t col = 0, size = 8;

    if (a->v[1].tag != T_NIL && !sc_to_int(vm, a->v[1], &size))
        return NIL;
    for (uint32_t i = 0; i < s->n; i++) {
        if (s->s[i] == '\t') {
            int64_t k = size > 0 ? size - col % size : 0;

            buf_pad(&b, " ", k);
            col += k;
        } else {
            buf_char(&b, s->s[i]);
            col = s->s[i] == '\n' || s->s[i] == '\r' ? 0 : col + ((s->s[i] & 0xC0) != 0x80);
        }
    }
    return buf_done(&b);
}

static Value m_isascii(Vm *vm, const Args *a)
{
    (void)vm;
    return v_bool(SELF->h.flags & OBJ_ASCII);
}

/* Every word begins with an upper letter, and has no other. */
static Value m_istitle(Vm *vm, const Args *a)
{
    bool inside = false, any = false;

    (void)vm;
    for (uint32_t i = 0; i < SELF->n;) {
        int len;
        uint32_t c = sc_utf8_read(SELF->s + i, &len);
        bool up = lower(c) != c, low = upper(c) != c || special_case(c, true, false);

        if (up ? inside : low && !inside)
            return v_bool(false);
        inside = up || low;
        any |= inside;
        i += (uint32_t)len;
    }
    return v_bool(any);
}

/* What table[ord(c)] says becomes of c: LookupError keeps it, None removes it. */
static Value m_translate(Vm *vm, const Args *a)
{
    Str *s = SELF;
    Buf b = {.vm = vm};

    for (uint32_t i = 0; i < s->n && !b.failed;) {
        int len;
        char out[4];
        Value v = sc_getitem(vm, a->v[1], v_int(sc_utf8_read(s->s + i, &len)));

        if (v.tag == T_NIL && (sc_exc_is(vm, C_KeyError) || sc_exc_is(vm, C_IndexError))) {
            sc_clear_exc(vm);
            buf_add(&b, s->s + i, (size_t)len);
        } else if (v.tag == T_INT && v.i >= 0 && v.i < 0x110000) {
            buf_add(&b, out, (size_t)sc_utf8_write(out, (uint32_t)v.i));
        } else if (is_str(v)) {
            buf_add(&b, as_str(v)->s, as_str(v)->n);
        } else if (v.tag != T_NONE) {
            if (v.tag != T_NIL)
                sc_raise(vm, C_TypeError,
                         "character mapping must return integer, None or str");
            b.failed = true;
        }
        sc_drop(vm, v);
        i += (uint32_t)len;
    }
    return buf_done(&b);
}

/* maketrans(dict) or maketrans(from, to, removed) */
static Value s_maketrans(Vm *vm, const Args *a)
{
    Dict *d = sc_dict(vm);
    Str *from, *to, *gone = NULL;
    DictEntry *e;
    bool ok = d != NULL;

    if (a->v[1].tag == T_NIL) {
        ok = ok && (sc_is(vm, a->v[0], C_dict) ||
                    sc_fail(vm, C_TypeError, "if you give only one argument to maketrans it must be a dict"));
        for (uint32_t i = 0; ok && dict_next((Dict *)a->v[0].o, &i, &e);) {
            int len;
            bool text = is_str(e->key);

            if (text && as_str(e->key)->chars != 1)
                ok = sc_fail(vm, C_ValueError, "string keys in translate table must be of length 1");
            else
                ok = sc_dict_put(vm, d, text ? v_int(sc_utf8_read(as_str(e->key)->s, &len)) : e->key,
                                 e->val);
        }
    } else if (ok && (ok = (from = need(vm, a->v[0], "maketrans argument")) != NULL &&
                           (to = need(vm, a->v[1], "maketrans argument")) != NULL &&
                           (a->v[2].tag == T_NIL ||
                            (gone = need(vm, a->v[2], "maketrans argument")) != NULL))) {
        int len, k;

        if (from->chars != to->chars)
            ok = sc_fail(vm, C_ValueError, "the first two maketrans arguments must have equal length");
        for (uint32_t i = 0, j = 0; ok && i < from->n; i += (uint32_t)len, j += (uint32_t)k)
            ok = sc_dict_put(vm, d, v_int(sc_utf8_read(from->s + i, &len)),
                             v_int(sc_utf8_read(to->s + j, &k)));
        for (uint32_t i = 0; ok && gone && i < gone->n; i += (uint32_t)len)
            ok = sc_dict_put(vm, d, v_int(sc_utf8_read(gone->s + i, &len)), NONE);
    }
    if (!ok && d) {
        obj_drop(vm, d);
        return NIL;
    }
    return v_obj(d);
}

static Value m_encode(Vm *vm, const Args *a)
{
    (void)a;
    return sc_raise(vm, C_TypeError, "bytes are outside this language");
}

static const NativeDef str_methods[] = {
    {"upper", m_upper, "self"}, {"lower", m_lower, "self"}, {"casefold", m_lower, "self"},
    {"title", m_title, "self"}, {"capitalize", m_capitalize, "self"},
    {"swapcase", m_swapcase, "self"},
    {"isdigit", m_isdigit, "self"}, {"isdecimal", m_isdigit, "self"},
    {"isnumeric", m_isdigit, "self"}, {"isalpha", m_isalpha, "self"},
    {"isalnum", m_isalnum, "self"}, {"isspace", m_isspace, "self"},
    {"isupper", m_isupper, "self"}, {"islower", m_islower, "self"},
    {"isidentifier", m_isidentifier, "self"},
    {"strip", m_strip, "self|chars"}, {"lstrip", m_lstrip, "self|chars"},
    {"rstrip", m_rstrip, "self|chars"}, {"split", m_split, "self|sep,maxsplit"},
    {"rsplit", m_rsplit, "self|sep,maxsplit"}, {"splitlines", m_splitlines, "self|keepends"},
    {"join", m_join, "self,iterable"}, {"replace", m_replace, "self,old,new|count"},
    {"find", m_find, "self,sub|start,end"}, {"rfind", m_rfind, "self,sub|start,end"},
    {"index", m_index, "self,sub|start,end"}, {"rindex", m_rindex, "self,sub|start,end"},
    {"count", m_count, "self,sub|start,end"},
    {"startswith", m_startswith, "self,prefix|start,end"},
    {"endswith", m_endswith, "self,suffix|start,end"},
    {"removeprefix", m_removeprefix, "self,prefix"},
    {"removesuffix", m_removesuffix, "self,suffix"},
    {"ljust", m_ljust, "self,width|fillchar"}, {"rjust", m_rjust, "self,width|fillchar"},
    {"center", m_center, "self,width|fillchar"}, {"zfill", m_zfill, "self,width"},
    {"partition", m_partition, "self,sep"}, {"rpartition", m_rpartition, "self,sep"},
    {"expandtabs", m_expandtabs, "self|tabsize"}, {"encode", m_encode, "*"},
    {"isascii", m_isascii, "self"}, {"istitle", m_istitle, "self"},
    {"translate", m_translate, "self,table"},
    {"format", sc_str_format, "*"}, {"format_map", sc_str_format_map, "self,mapping"},
    {0},
};

static const NativeDef str_statics[] = {{"maketrans", s_maketrans, "x|y,z"}, {0}};

const ClassDef sc_str_def = {
    .name = "str", .size = sizeof(Str), .sealed = true, .make = str_make,
    .make_params = "|object", .destroy = str_destroy, .repr = str_repr, .str = str_str,
    .compare = str_compare, .binary = str_binary, .getitem = str_getitem, .len = str_len,
    .contains = str_contains, .iter = str_iter, .methods = str_methods,
    .statics = str_statics,
};
