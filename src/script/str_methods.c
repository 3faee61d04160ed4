/* str_methods.c -- the methods of str, but for those on letters (str_case.c). */
#include "script.h"
#include "bytes.h"
#include "str.h"

#define SELF as_str(a->v[0])

static Str *need(Vm *vm, Value v, const char *what)
{
    if (is_str(v))
        return as_str(v);
    sc_raise(vm, C_TypeError, "%s must be str, not %s", what, sc_type_name(vm, v));
    return NULL;
}

static bool in_set(const Str *set, uint32_t c)
{
    int len;

    if (!set)
        return str_is_space(c);
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
    return from == 0 && to == s->n ? str_plain(vm, a->v[0]) : v_obj(sc_str_n(vm, s->s + from, to - from));
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
        while (i < s->n && str_is_space(sc_utf8_read(s->s + i, &len)))
            i += (uint32_t)len;
        if (i >= s->n)
            return true;
        start = i;
        if (max-- == 0)
            return push_part(vm, l, s->s + start, s->n - start);
        while (i < s->n && !str_is_space(sc_utf8_read(s->s + i, &len)))
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

/* Parts between spaces, from the end, which are put in order afterwards. */
static bool rsplit_space(Vm *vm, Str *s, int64_t max, List *l)
{
    uint32_t end = s->n, at, prev;
    int len;

    for (;;) {
        for (; end > 0; end = prev) { /* spaces behind the part */
            for (prev = end - 1; prev > 0 && ((unsigned char)s->s[prev] & 0xC0) == 0x80;)
                prev--;
            if (!str_is_space(sc_utf8_read(s->s + prev, &len)))
                break;
        }
        if (end == 0)
            return true;
        if (max-- == 0) /* the rest, with the spaces before it */
            return push_part(vm, l, s->s, end);
        for (at = end; at > 0; at = prev) {
            for (prev = at - 1; prev > 0 && ((unsigned char)s->s[prev] & 0xC0) == 0x80;)
                prev--;
            if (str_is_space(sc_utf8_read(s->s + prev, &len)))
                break;
        }
        if (!push_part(vm, l, s->s + at, end - at))
            return false;
        end = at;
    }
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
    if (max < 0)
        return m_split(vm, a);
    bool spaces = a->v[1].tag == T_NIL || a->v[1].tag == T_NONE;

    sep = spaces ? NULL : need(vm, a->v[1], "separator");
    if (!spaces && !sep)
        return NIL;
    if (sep && !sep->n)
        return sc_raise(vm, C_ValueError, "empty separator");
    l = sc_list(vm, 0);
    if (!l)
        return NIL;
    if (spaces)
        ok = rsplit_space(vm, s, max, l);
    for (i = !sep ? 0 : end >= sep->n ? end - sep->n + 1 : 0; ok && i-- > 0 && max > 0;)
        if (i + sep->n <= end && memcmp(s->s + i, sep->s, sep->n) == 0) {
            ok = push_part(vm, l, s->s + i + sep->n, end - i - sep->n);
            end = i;
            i = i >= sep->n ? i - sep->n + 1 : 0;
            max--;
        }
    ok = ok && (spaces || push_part(vm, l, s->s, end));
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

    if (a->v[at].tag != T_NIL && a->v[at].tag != T_NONE && !sc_to_bound(vm, a->v[at], &i))
        return false;
    if (a->v[at + 1].tag != T_NIL && a->v[at + 1].tag != T_NONE && !sc_to_bound(vm, a->v[at + 1], &j))
        return false;
    i = i < 0 ? MAX(i + s->chars, 0) : i;
    j = j < 0 ? MAX(j + s->chars, 0) : MIN(j, s->chars);
    *from = i > s->chars ? s->n + 1 : str_offset(vm, s, i);
    *to = str_offset(vm, s, j);
    return true;
}

static Value find(Vm *vm, const Args *a, bool last, bool raise)
{
    Str *s = SELF, *p = need(vm, a->v[1], "argument");
    uint32_t from, to;
    const char *hit, *best = NULL;

    if (!p || !span(vm, a, 2, &from, &to))
        return NIL;
    for (hit = str_find_bytes(s, from, to, p); hit; hit = str_find_bytes(s, from, to, p)) {
        best = hit;
        if (!last)
            break;
        from = (uint32_t)(hit - s->s) + 1;
    }
    if (best)
        return v_int(str_chars_before(s, (size_t)(best - s->s)));
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
    while ((hit = str_find_bytes(s, from, to, p))) {
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
            Value r = is_str(t->v[i]) ? affix(vm, a, t->v[i], start)
                                      : sc_raise(vm, C_TypeError, "tuple for %s must only contain str, not %s",
                                                 start ? "startswith" : "endswith", sc_type_name(vm, t->v[i]));

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
        return str_plain(vm, a->v[0]);
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
    if (w <= s->chars)
        return str_plain(vm, a->v[0]);
    w -= s->chars;
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
    buf_pad(&b, "0", w <= s->chars ? 0 : w - s->chars);
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
    for (hit = str_find_bytes(s, 0, s->n, p); hit; hit = str_find_bytes(s, from, s->n, p)) {
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
    for (uint32_t i = 0; i < s->n && !b.failed; i++) {
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
    return codec_encode(vm, as_str(a->v[0]), a->v[1], a->v[2]);
}

const NativeDef str_methods[] = {
    {"upper", str_upper, "self"},
    {"lower", str_lower, "self"},
    {"casefold", str_casefold, "self"},
    {"title", str_title, "self"},
    {"capitalize", str_capitalize, "self"},
    {"swapcase", str_swapcase, "self"},
    {"isdigit", str_isdigit, "self"},
    {"isdecimal", str_isdigit, "self"},
    {"isnumeric", str_isdigit, "self"},
    {"isalpha", str_isalpha, "self"},
    {"isalnum", str_isalnum, "self"},
    {"isspace", str_isspace, "self"},
    {"isupper", str_isupper, "self"},
    {"islower", str_islower, "self"},
    {"isidentifier", str_isidentifier, "self"},
    {"isprintable", str_isprintable, "self"},
    {"strip", m_strip, "self|chars"},
    {"lstrip", m_lstrip, "self|chars"},
    {"rstrip", m_rstrip, "self|chars"},
    {"split", m_split, "self|sep,maxsplit"},
    {"rsplit", m_rsplit, "self|sep,maxsplit"},
    {"splitlines", m_splitlines, "self|keepends"},
    {"join", m_join, "self,iterable"},
    {"replace", m_replace, "self,old,new|count"},
    {"find", m_find, "self,sub|start,end"},
    {"rfind", m_rfind, "self,sub|start,end"},
    {"index", m_index, "self,sub|start,end"},
    {"rindex", m_rindex, "self,sub|start,end"},
    {"count", m_count, "self,sub|start,end"},
    {"startswith", m_startswith, "self,prefix|start,end"},
    {"endswith", m_endswith, "self,suffix|start,end"},
    {"removeprefix", m_removeprefix, "self,prefix"},
    {"removesuffix", m_removesuffix, "self,suffix"},
    {"ljust", m_ljust, "self,width|fillchar"},
    {"rjust", m_rjust, "self,width|fillchar"},
    {"center", m_center, "self,width|fillchar"},
    {"zfill", m_zfill, "self,width"},
    {"partition", m_partition, "self,sep"},
    {"rpartition", m_rpartition, "self,sep"},
    {"expandtabs", m_expandtabs, "self|tabsize"},
    {"encode", m_encode, "self|encoding,errors"},
    {"isascii", str_isascii, "self"},
    {"istitle", str_istitle, "self"},
    {"translate", m_translate, "self,table"},
    {"format", sc_str_format, "*"},
    {"format_map", sc_str_format_map, "self,mapping"},
    {0},
};

const NativeDef str_statics[] = {{"maketrans", s_maketrans, "x|y,z"}, {0}};
