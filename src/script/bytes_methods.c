/* bytes_methods.c -- methods of bytes and bytearray.
 *
 * What str does to text is done to bytes by str: a byte below 128 is its character, any other a
 * character of the private area (U+E080 to U+E0FF), which is no letter, digit or space. The
 * result goes back the same way. Searching, joining and conversion are done here.
 */
#include "bytes.h"

#include <stdio.h>

#define PRIVATE 0xE000u

static Value to_text(Vm *vm, const uint8_t *p, int64_t n)
{
    Buf b = {.vm = vm};
    char out[4];

    for (int64_t i = 0; i < n; i++)
        if (p[i] < 128)
            buf_char(&b, (char)p[i]);
        else
            buf_add(&b, out, (size_t)sc_utf8_write(out, PRIVATE + p[i]));
    return buf_done(&b);
}

static Value from_text(Vm *vm, Class *cls, Str *s)
{
    Bytes *b = bytes_new(vm, cls, NULL, s->chars);
    int64_t k = 0;
    int len;

    for (uint32_t i = 0; b && i < s->n; i += (uint32_t)len) {
        uint32_t c = sc_utf8_read(s->s + i, &len);

        b->v[k++] = (uint8_t)c;
    }
    return v_obj(b);
}

/* Strings in v, also in a list or tuple, become bytes. Takes v. */
static Value back(Vm *vm, Class *cls, Value v)
{
    Value *e = NULL, r;
    int64_t n = 0;

    if (is_str(v)) {
        r = from_text(vm, cls, as_str(v));
        sc_drop(vm, v);
        return r;
    }
    if (sc_is_exact(vm, v, C_list)) {
        e = ((List *)v.o)->v;
        n = ((List *)v.o)->n;
    } else if (sc_is_exact(vm, v, C_tuple)) {
        e = ((Tuple *)v.o)->v;
        n = ((Tuple *)v.o)->n;
    }
    for (int64_t i = 0; i < n; i++) {
        r = is_str(e[i]) ? from_text(vm, cls, as_str(e[i])) : sc_ref(e[i]);
        if (r.tag == T_NIL) {
            sc_drop(vm, v);
            return NIL;
        }
        sc_put(vm, &e[i], r);
    }
    return v;
}

static Class *plain_class(Vm *vm, Value v)
{
    return sc_is(vm, v, C_bytearray) ? vm->cls[C_bytearray] : vm->cls[C_bytes];
}

/* self.NAME(..) by str's method of the same name */
static Value by_str(Vm *vm, const Args *a)
{
    Value v[8], fn, r = NIL;
    const uint8_t *p;
    int64_t n;
    int i, total = a->n + a->nkw;
    Str *name;

    if (total < 1 || total > COUNT(v))
        return sc_raise(vm, C_TypeError, "%s(): wrong number of arguments", a->def->name);
    for (i = 0; i < total; i++) {
        v[i] = sc_bytes_view(vm, a->v[i], &p, &n) ? to_text(vm, p, n) : sc_ref(a->v[i]);
        if (i > 0 && is_str(a->v[i]))
            sc_raise(vm, C_TypeError, "a bytes-like object is required, not 'str'");
        if (v[i].tag == T_NIL || sc_failed(vm)) {
            total = i + (v[i].tag != T_NIL);
            goto out;
        }
    }
    name = sc_intern(vm, a->def->name, strlen(a->def->name));
    fn = name ? sc_getattr(vm, v[0], name) : NIL;
    if (name)
        obj_drop(vm, name);
    if (fn.tag != T_NIL)
        r = sc_call_args(vm, fn, &(Args){v + 1, a->n - 1, a->nkw, a->names, NULL, NULL});
    sc_drop(vm, fn);
    if (r.tag != T_NIL)
        r = back(vm, plain_class(vm, a->v[0]), r);
out:
    for (i = 0; i < total; i++)
        sc_drop(vm, v[i]);
    return r;
}

/* Where %s or %b takes an argument that is not bytes; such a text is refused. */
static bool takes_only_bytes(Vm *vm, const char *f, int64_t n, Value args)
{
    const Tuple *t = sc_is(vm, args, C_tuple) ? (Tuple *)args.o : NULL;
    const uint8_t *p;
    int64_t at = 0, m;

    for (int64_t i = 0; i < n && !sc_is(vm, args, C_dict); i++) {
        if (f[i] != '%')
            continue;
        for (i++; i < n && strchr("#0- +.*123456789", f[i]); i++)
            at += f[i] == '*';
        if (i >= n || f[i] == '%')
            continue;
        Value v = !t ? args : at < t->n ? t->v[at] : NIL;

        if ((f[i] == 's' || f[i] == 'b') && v.tag != T_NIL && !sc_bytes_view(vm, v, &p, &m) &&
            !(v.tag == T_OBJ && sc_class_find(v.o->cls, vm->known[S_bytes_])))
            return sc_fail(vm, C_TypeError,
                           "%%b requires a bytes-like object, or an object that implements __bytes__, not '%s'",
                           sc_type_name(vm, v));
        at++;
    }
    return true;
}

/* b % args: bytes among the arguments are text, any other value as str has it */
static Value m_percent(Vm *vm, const Args *a)
{
    Value fmt, args = sc_ref(a->v[1]), r = NIL;
    const uint8_t *p;
    int64_t n;
    Tuple *t;

    if (sc_bytes_view(vm, a->v[0], &p, &n) && !takes_only_bytes(vm, (const char *)p, n, args)) {
        sc_drop(vm, args);
        return NIL;
    }
    if (sc_bytes_view(vm, a->v[1], &p, &n)) {
        sc_put(vm, &args, to_text(vm, p, n));
    } else if (sc_is(vm, args, C_tuple)) {
        t = sc_tuple_of(vm, ((Tuple *)args.o)->v, ((Tuple *)args.o)->n);
        for (int64_t i = 0; t && i < t->n; i++)
            if (sc_bytes_view(vm, t->v[i], &p, &n))
                sc_put(vm, &t->v[i], to_text(vm, p, n));
        sc_put(vm, &args, v_obj(t));
    }
    (void)sc_bytes_view(vm, a->v[0], &p, &n);
    fmt = to_text(vm, p, n);
    if (fmt.tag != T_NIL && args.tag != T_NIL)
        r = sc_percent(vm, as_str(fmt), args);
    sc_drop(vm, fmt);
    sc_drop(vm, args);
    return r.tag == T_NIL ? NIL : back(vm, plain_class(vm, a->v[0]), r);
}

/* ---- searching --------------------------------------------------------------------- */

/* Bounds as slices have them; NIL: the whole. */
static bool bounds(Vm *vm, const Args *a, int64_t n, int64_t *from, int64_t *to)
{
    *from = 0;
    *to = n;
    if (a->v[2].tag != T_NIL && a->v[2].tag != T_NONE && !sc_to_bound(vm, a->v[2], from))
        return false;
    if (a->v[3].tag != T_NIL && a->v[3].tag != T_NONE && !sc_to_bound(vm, a->v[3], to))
        return false;
    if (*from < 0)
        *from = MAX(*from + n, 0);
    if (*to < 0)
        *to = MAX(*to + n, 0);
    *to = MIN(*to, n);
    return true;
}

/* What to look for: bytes, or one of them as an int in *one. */
static bool part_of(Vm *vm, Value v, uint8_t *one, const uint8_t **p, int64_t *n)
{
    if (sc_bytes_view(vm, v, p, n))
        return true;
    if (v.tag != T_INT && v.tag != T_BOOL)
        return sc_fail(vm, C_TypeError, "argument should be integer or bytes-like object, not '%s'",
                       sc_type_name(vm, v));
    *p = one;
    *n = 1;
    return bytes_byte(vm, v, one);
}

static int64_t find_part(const Bytes *b, int64_t from, int64_t to, const uint8_t *p, int64_t n, bool last)
{
    if (from > to)
        return -1;
    for (int64_t i = last ? to - n : from; i >= from && n <= to - i; i += last ? -1 : 1) {
        if (n == 0 || memcmp(b->v + i, p, (size_t)n) == 0)
            return i;
        if (!last && n > 0) { /* on to the next byte that could begin it */
            const uint8_t *next = i + 1 < to ? memchr(b->v + i + 1, p[0], (size_t)(to - i - 1)) : NULL;

            if (!next)
                return -1;
            i = next - b->v - 1;
        }
    }
    return -1;
}

static Value search(Vm *vm, const Args *a, bool last, bool must)
{
    Bytes *b = (Bytes *)a->v[0].o;
    int64_t from, to, n, at;
    const uint8_t *p;
    uint8_t one;

    if (!part_of(vm, a->v[1], &one, &p, &n) || !bounds(vm, a, b->n, &from, &to))
        return NIL;
    at = find_part(b, from, to, p, n, last);
    return at < 0 && must ? sc_raise(vm, C_ValueError, "subsection not found") : v_int(at);
}

static Value m_find(Vm *vm, const Args *a) { return search(vm, a, false, false); }
static Value m_rfind(Vm *vm, const Args *a) { return search(vm, a, true, false); }
static Value m_index(Vm *vm, const Args *a) { return search(vm, a, false, true); }
static Value m_rindex(Vm *vm, const Args *a) { return search(vm, a, true, true); }

static Value m_count(Vm *vm, const Args *a)
{
    Bytes *b = (Bytes *)a->v[0].o;
    int64_t from, to, n, k = 0, at;
    const uint8_t *p;
    uint8_t one;

    if (!part_of(vm, a->v[1], &one, &p, &n) || !bounds(vm, a, b->n, &from, &to))
        return NIL;
    if (n == 0)
        return v_int(from <= to ? to - from + 1 : 0);
    while ((at = find_part(b, from, to, p, n, false)) >= 0) {
        k++;
        from = at + n;
    }
    return v_int(k);
}

static int bytes_wanted(Vm *vm, Value v)
{
    sc_raise(vm, C_TypeError, "a bytes-like object is required, not '%s'", sc_type_name(vm, v));
    return -1;
}

static int matches_at(Vm *vm, const Args *a, Value part, bool end)
{
    Bytes *b = (Bytes *)a->v[0].o;
    int64_t from, to, n;
    const uint8_t *p;

    if (sc_is(vm, part, C_tuple)) {
        Tuple *t = (Tuple *)part.o;
        int r = 0;

        for (int64_t i = 0; i < t->n && !r; i++)
            r = sc_is(vm, t->v[i], C_tuple) ? bytes_wanted(vm, t->v[i]) : matches_at(vm, a, t->v[i], end);
        return r;
    }
    if (!sc_bytes_view(vm, part, &p, &n)) {
        sc_raise(vm, C_TypeError, "%s first arg must be bytes or a tuple of bytes, not %s", a->def->name,
                 sc_type_name(vm, part));
        return -1;
    }
    if (!bounds(vm, a, b->n, &from, &to))
        return -1;
    return from <= to && n <= to - from && (n == 0 || memcmp(b->v + (end ? to - n : from), p, (size_t)n) == 0);
}

static Value m_startswith(Vm *vm, const Args *a)
{
    int r = matches_at(vm, a, a->v[1], false);

    return r < 0 ? NIL : v_bool(r);
}

static Value m_endswith(Vm *vm, const Args *a)
{
    int r = matches_at(vm, a, a->v[1], true);

    return r < 0 ? NIL : v_bool(r);
}

/* ---- conversion -------------------------------------------------------------------- */

static Value m_decode(Vm *vm, const Args *a)
{
    Bytes *b = (Bytes *)a->v[0].o;

    return codec_decode(vm, b->v, b->n, a->v[1], a->v[2]);
}

static Value m_hex(Vm *vm, const Args *a)
{
    Bytes *b = (Bytes *)a->v[0].o;
    int64_t group = 1;
    const uint8_t *p;
    char sep = 0;
    int64_t n;
    Buf out = {.vm = vm};

    if (a->v[1].tag != T_NIL) {
        sep = is_str(a->v[1]) ? as_str(a->v[1])->s[0] : sc_bytes_view(vm, a->v[1], &p, &n) && n ? (char)p[0] : 0;
        if (!sep)
            return sc_raise(vm, C_ValueError, "sep must be length 1.");
    }
    if (a->v[2].tag != T_NIL && !sc_to_int(vm, a->v[2], &group))
        return NIL;
    for (int64_t i = 0; i < b->n; i++) {
        int64_t place = group > 0 ? b->n - i : i;

        if (sep && i && group && place % (group > 0 ? group : -group) == 0)
            buf_char(&out, sep);
        buf_char(&out, "0123456789abcdef"[b->v[i] >> 4]);
        buf_char(&out, "0123456789abcdef"[b->v[i] & 15]);
    }
    return buf_done(&out);
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : -1;
}

static Value c_fromhex(Vm *vm, const Args *a)
{
    Bytes *b;
    Str *s;

    if (!sc_to_cstr(vm, a->v[1], "fromhex() argument"))
        return NIL;
    s = as_str(a->v[1]);
    b = bytes_new(vm, (Class *)a->v[0].o, NULL, 0);
    for (uint32_t i = 0; b && i < s->n;) {
        uint8_t byte;

        if (s->s[i] == ' ' || (s->s[i] >= 9 && s->s[i] <= 13)) {
            i++;
            continue;
        }
        if (hex_digit(s->s[i]) < 0 || hex_digit(s->s[i + 1]) < 0) {
            obj_drop(vm, b);
            return sc_raise(vm, C_ValueError, "non-hexadecimal number found in fromhex() arg at position %u",
                            hex_digit(s->s[i]) < 0 ? i : i + 1);
        }
        byte = (uint8_t)(hex_digit(s->s[i]) * 16 + hex_digit(s->s[i + 1]));
        if (!bytes_splice(vm, b, b->n, 0, &byte, 1)) {
            obj_drop(vm, b);
            return NIL;
        }
        i += 2;
    }
    return v_obj(b);
}

static Value c_maketrans(Vm *vm, const Args *a)
{
    const uint8_t *p, *q;
    uint8_t table[256];
    int64_t n, m;

    if (!sc_bytes_view(vm, a->v[1], &p, &n) || !sc_bytes_view(vm, a->v[2], &q, &m) || n != m)
        return sc_raise(vm, C_ValueError, "maketrans arguments must be bytes of the same length");
    for (int i = 0; i < 256; i++)
        table[i] = (uint8_t)i;
    for (int64_t i = 0; i < n; i++)
        table[p[i]] = q[i];
    return sc_bytes(vm, table, 256);
}

static Value m_translate(Vm *vm, const Args *a)
{
    Bytes *b = (Bytes *)a->v[0].o, *r;
    const uint8_t *table = NULL, *gone = NULL;
    int64_t n = 0, m = 0;

    if (a->v[1].tag != T_NONE && (!sc_bytes_view(vm, a->v[1], &table, &n) || n != 256))
        return sc_raise(vm, C_ValueError, "translation table must be 256 characters long");
    if (a->v[2].tag != T_NIL && !sc_bytes_view(vm, a->v[2], &gone, &m))
        return sc_raise(vm, C_TypeError, "a bytes-like object is required, not '%s'", sc_type_name(vm, a->v[2]));
    r = bytes_new(vm, plain_class(vm, a->v[0]), NULL, b->n);
    if (!r)
        return NIL;
    n = 0;
    for (int64_t i = 0; i < b->n; i++)
        if (!m || !memchr(gone, b->v[i], (size_t)m))
            r->v[n++] = table ? table[b->v[i]] : b->v[i];
    r->n = n;
    return v_obj(r);
}

static Value m_join(Vm *vm, const Args *a)
{
    Bytes *b = (Bytes *)a->v[0].o, *r = bytes_new(vm, plain_class(vm, a->v[0]), NULL, 0);
    Value it = r ? sc_iter(vm, a->v[1]) : NIL, v;
    const uint8_t *p;
    int64_t n, k = 0;
    bool ok = it.tag != T_NIL;

    while (ok && (v = sc_next(vm, it)).tag != T_NIL) {
        if (!sc_bytes_view(vm, v, &p, &n))
            ok = sc_fail(vm, C_TypeError, "sequence item %lld: expected a bytes-like object, %s found",
                         (long long)k, sc_type_name(vm, v));
        else
            ok = (!k || bytes_splice(vm, r, r->n, 0, b->v, b->n)) && bytes_splice(vm, r, r->n, 0, p, n);
        k++;
        sc_drop(vm, v);
    }
    sc_drop(vm, it);
    if (r && (!ok || sc_failed(vm))) {
        obj_drop(vm, r);
        return NIL;
    }
    return v_obj(r);
}

static Value m_splitlines(Vm *vm, const Args *a)
{
    Bytes *b = (Bytes *)a->v[0].o;
    List *l = sc_list(vm, 0);
    bool keep = false, ok = l != NULL;

    if (a->v[1].tag != T_NIL && !sc_to_bool(vm, a->v[1], &keep))
        ok = false;
    for (int64_t i = 0, j; ok && i < b->n; i = j) {
        int64_t end;
        Value v;

        for (j = i; j < b->n && b->v[j] != '\n' && b->v[j] != '\r'; j++)
            ;
        end = j;
        if (j < b->n)
            j += b->v[j] == '\r' && j + 1 < b->n && b->v[j + 1] == '\n' ? 2 : 1;
        v = v_obj(bytes_new(vm, plain_class(vm, a->v[0]), b->v + i, (keep ? j : end) - i));
        ok = v.tag != T_NIL && sc_list_push(vm, l, v);
        sc_drop(vm, v);
    }
    if (!ok && l) {
        obj_drop(vm, l);
        return NIL;
    }
    return v_obj(l);
}

/* ---- changing a bytearray ---------------------------------------------------------- */

static Value m_append(Vm *vm, const Args *a)
{
    Bytes *b = (Bytes *)a->v[0].o;
    uint8_t c;

    return bytes_byte(vm, a->v[1], &c) && bytes_splice(vm, b, b->n, 0, &c, 1) ? NONE : NIL;
}

static Value m_extend(Vm *vm, const Args *a)
{
    Bytes *b = (Bytes *)a->v[0].o, *more = bytes_from(vm, vm->cls[C_bytearray], a->v[1]);
    bool ok = more && bytes_splice(vm, b, b->n, 0, more->v, more->n);

    if (more)
        obj_drop(vm, more);
    return ok ? NONE : NIL;
}

static Value m_insert(Vm *vm, const Args *a)
{
    Bytes *b = (Bytes *)a->v[0].o;
    int64_t i;
    uint8_t c;

    if (!sc_to_int(vm, a->v[1], &i) || !bytes_byte(vm, a->v[2], &c))
        return NIL;
    i = i < 0 ? MAX(i + b->n, 0) : MIN(i, b->n);
    return bytes_splice(vm, b, i, 0, &c, 1) ? NONE : NIL;
}

static Value m_pop(Vm *vm, const Args *a)
{
    Bytes *b = (Bytes *)a->v[0].o;
    int64_t i = -1;
    uint8_t c;

    if (a->v[1].tag != T_NIL && !sc_to_int(vm, a->v[1], &i))
        return NIL;
    if (!b->n)
        return sc_raise(vm, C_IndexError, "pop from empty bytearray");
    if (i < 0)
        i += b->n;
    if (i < 0 || i >= b->n)
        return sc_raise(vm, C_IndexError, "pop index out of range");
    c = b->v[i];
    return bytes_splice(vm, b, i, 1, NULL, 0) ? v_int(c) : NIL;
}

static Value m_remove(Vm *vm, const Args *a)
{
    Bytes *b = (Bytes *)a->v[0].o;
    const uint8_t *at;
    uint8_t c;

    if (!bytes_byte(vm, a->v[1], &c))
        return NIL;
    at = b->n ? memchr(b->v, c, (size_t)b->n) : NULL;
    if (!at)
        return sc_raise(vm, C_ValueError, "value not found in bytearray");
    return bytes_splice(vm, b, at - b->v, 1, NULL, 0) ? NONE : NIL;
}

static Value m_clear(Vm *vm, const Args *a)
{
    (void)vm;
    ((Bytes *)a->v[0].o)->n = 0;
    return NONE;
}

static Value m_reverse(Vm *vm, const Args *a)
{
    Bytes *b = (Bytes *)a->v[0].o;

    (void)vm;
    for (int64_t i = 0, j = b->n - 1; i < j; i++, j--) {
        uint8_t c = b->v[i];

        b->v[i] = b->v[j];
        b->v[j] = c;
    }
    return NONE;
}

static Value m_copy(Vm *vm, const Args *a)
{
    Bytes *b = (Bytes *)a->v[0].o;

    return v_obj(bytes_new(vm, vm->cls[C_bytearray], b->v, b->n));
}

#define BY_STR(name) {name, by_str, "*"}
#define SHARED                                                                                   \
    {"decode", m_decode, "self|encoding,errors"}, {"hex", m_hex, "self|sep,bytes_per_sep"},      \
        {"join", m_join, "self,iterable"}, {"find", m_find, "self,sub|start,end"},               \
        {"rfind", m_rfind, "self,sub|start,end"}, {"index", m_index, "self,sub|start,end"},      \
        {"rindex", m_rindex, "self,sub|start,end"}, {"count", m_count, "self,sub|start,end"},    \
        {"startswith", m_startswith, "self,prefix|start,end"},                                   \
        {"endswith", m_endswith, "self,suffix|start,end"},                                       \
        {"splitlines", m_splitlines, "self|keepends"},                                           \
        {"translate", m_translate, "self,table|delete"}, {"_percent", m_percent, "self,args"},   \
        BY_STR("split"), BY_STR("rsplit"), BY_STR("strip"), BY_STR("lstrip"), BY_STR("rstrip"),  \
        BY_STR("replace"), BY_STR("upper"), BY_STR("lower"), BY_STR("title"),                    \
        BY_STR("capitalize"), BY_STR("swapcase"), BY_STR("center"), BY_STR("ljust"),             \
        BY_STR("rjust"), BY_STR("zfill"), BY_STR("partition"), BY_STR("rpartition"),             \
        BY_STR("expandtabs"), BY_STR("removeprefix"), BY_STR("removesuffix"), BY_STR("isalpha"), \
        BY_STR("isalnum"), BY_STR("isdigit"), BY_STR("isspace"), BY_STR("isupper"),              \
        BY_STR("islower"), BY_STR("istitle"), BY_STR("isascii")

const NativeDef bytes_methods[] = {SHARED, {0}};
const NativeDef bytearray_methods[] = {SHARED,
                                       {"append", m_append, "self,item"},
                                       {"extend", m_extend, "self,iterable"},
                                       {"insert", m_insert, "self,index,item"},
                                       {"pop", m_pop, "self|index"},
                                       {"remove", m_remove, "self,value"},
                                       {"clear", m_clear, "self"},
                                       {"reverse", m_reverse, "self"},
                                       {"copy", m_copy, "self"},
                                       {0}};
const NativeDef bytes_classmethods[] = {
    {"fromhex", c_fromhex, "cls,text"}, {"maketrans", c_maketrans, "cls,frm,to"}, {0}};
