/* regex.c -- the module _re: regular expressions of Python's syntax, compiled and matched; re.py has the rest.
 *
 * A pattern becomes a program of a backtracking machine. Steps are counted; a match that takes many begins
 * again with a memory of which (instruction, place) pairs have failed, so that each is tried once: time is
 * then linear in the text for patterns without back references, lookaround and counted captures.
 */
#include "regex.h"
#include "script/str.h"

#include <stdlib.h>

typedef struct Parse {
    Vm *vm;
    Regex *r;
    const char *s, *start, *end;
    int flags;
    Dict *names; /* of groups */
    bool bytes;
    int depth;
    bool closed[100];
} Parse;

/* ---- parsing ----------------------------------------------------------------------- */

static bool bad(Parse *p, const char *what)
{
    if (!sc_failed(p->vm))
        sc_raise(p->vm, C_ValueError, "%s at position %lld", what, (long long)str_chars_before(
            (const Str *)(const void *)(p->start - offsetof(Str, s)), (size_t)(p->s - p->start)));
    return false;
}

static int32_t emit(Parse *p, Rop op, int x, int32_t a, int32_t b)
{
    if (!sc_grow(p->vm, &p->r->ins, &p->r->capins, p->r->nins + 1, sizeof *p->r->ins))
        return -1;
    p->r->ins[p->r->nins] = (Rins){(uint8_t)op, (uint8_t)x, (p->flags & RE_I) != 0, a, b};
    return (int32_t)p->r->nins++;
}

static bool add_range(Parse *p, uint32_t lo, uint32_t hi)
{
    if (!sc_grow(p->vm, &p->r->ranges, &p->r->capranges, p->r->nranges + 1, sizeof *p->r->ranges))
        return false;
    p->r->ranges[p->r->nranges++] = (Rrange){lo, hi};
    return true;
}

static uint32_t next_char(Parse *p)
{
    int len;
    uint32_t c = sc_utf8_read(p->s, &len);

    p->s += len;
    return c;
}

static bool hex(Parse *p, int n, uint32_t *out)
{
    *out = 0;
    for (int i = 0; i < n; i++, p->s++) {
        int c = p->s < p->end ? *p->s | 32 : 0;
        int d = *p->s >= '0' && *p->s <= '9' ? *p->s - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;

        if (p->s >= p->end || d < 0)
            return bad(p, "incomplete escape");
        *out = *out * 16 + (uint32_t)d;
    }
    return true;
}

/* After a backslash: a character in *c, or a class d D w W s S in *cls */
static bool escape(Parse *p, uint32_t *c, uint32_t *cls)
{
    static const char from[] = "abfnrtv", to[] = "\a\b\f\n\r\t\v";
    const char *k;
    char e;

    *cls = 0;
    if (p->s >= p->end)
        return bad(p, "bad escape (end of pattern)");
    e = *p->s;
    if (strchr("dDwWsS", e)) {
        *cls = (uint32_t)e;
        p->s++;
        return true;
    }
    k = strchr(from, e);
    if (k) {
        *c = (uint32_t)to[k - from];
        p->s++;
        return true;
    }
    if (e == 'x' || e == 'u' || e == 'U') {
        p->s++;
        return hex(p, e == 'x' ? 2 : e == 'u' ? 4 : 8, c);
    }
    if (e == '0') {
        *c = 0;
        for (int i = 0; i < 3 && p->s < p->end && *p->s >= '0' && *p->s <= '7'; i++)
            *c = *c * 8 + (uint32_t)(*p->s++ - '0');
        return true;
    }
    if ((e >= 'a' && e <= 'z') || (e >= 'A' && e <= 'Z'))
        return bad(p, "bad escape");
    *c = next_char(p);
    return true;
}

/* [..]; p is after the bracket */
static bool parse_set(Parse *p)
{
    int32_t first = (int32_t)p->r->nranges;
    bool negate = p->s < p->end && *p->s == '^';
    uint32_t c, hi, cls, cls2;

    p->s += negate;
    for (bool any = false; any || (p->s < p->end); any = false) {
        if (p->s >= p->end)
            return bad(p, "unterminated character set");
        if (*p->s == ']' && (int32_t)p->r->nranges > first)
            break;
        if (*p->s == ']' && p->s[-1] != '[' && !(negate && p->s[-1] == '^'))
            break;
        if (*p->s == '\\') {
            p->s++;
            if (p->s < p->end && *p->s == 'b') {
                c = '\b';
                cls = 0;
                p->s++;
            } else if (p->s < p->end && *p->s >= '1' && *p->s <= '7') {
                c = 0;
                cls = 0;
                for (int i = 0; i < 3 && p->s < p->end && *p->s >= '0' && *p->s <= '7'; i++)
                    c = c * 8 + (uint32_t)(*p->s++ - '0');
            } else if (!escape(p, &c, &cls)) {
                return false;
            }
        } else {
            c = next_char(p);
            cls = 0;
        }
        if (cls) {
            if (!add_range(p, CLASS_OF, cls))
                return false;
            continue;
        }
        hi = c;
        if (p->s + 1 < p->end && *p->s == '-' && p->s[1] != ']') {
            p->s++;
            if (*p->s == '\\') {
                p->s++;
                if (!escape(p, &hi, &cls2))
                    return false;
                if (cls2)
                    return bad(p, "bad character range");
            } else {
                hi = next_char(p);
            }
            if (hi < c)
                return bad(p, "bad character range");
        }
        if (!add_range(p, c, hi))
            return false;
    }
    if (p->s >= p->end)
        return bad(p, "unterminated character set");
    p->s++;
    return emit(p, R_SET, negate, first, (int32_t)p->r->nranges - first) >= 0;
}

static bool parse_alternatives(Parse *p);

/* Letters of flags from s; false: another character */
static int flag_of(char c)
{
    return c == 'i' ? RE_I : c == 'm' ? RE_M : c == 's' ? RE_S : c == 'x' ? RE_X : c == 'a' ? RE_ASCII : c == 'u' || c == 'L' ? 0 : -1;
}

static bool read_name(Parse *p, char close, Value *out)
{
    const char *from = p->s;

    while (p->s < p->end && *p->s != close)
        p->s++;
    if (p->s >= p->end)
        return bad(p, "missing ), unterminated name");
    if (p->s == from)
        return bad(p, "missing group name");
    *out = v_obj(sc_str_n(p->vm, from, (size_t)(p->s - from)));
    p->s++;
    return out->tag != T_NIL;
}

/* The number of a group by its name or digits */
static bool group_number(Parse *p, Value name, int32_t *out)
{
    Value *v = sc_dict_find(p->vm, p->names, name);
    char *end;
    long n = strtol(as_str(name)->s, &end, 10);

    if (v)
        *out = (int32_t)v->i;
    else if (!*end && n > 0 && n < p->r->ngroups)
        *out = (int32_t)n;
    sc_drop(p->vm, name);
    return v || (!*end && n > 0 && n < p->r->ngroups) || bad(p, "unknown group name");
}

static bool need_close(Parse *p)
{
    if (p->s >= p->end || *p->s != ')')
        return bad(p, "missing ), unterminated subpattern");
    p->s++;
    return true;
}

static bool parse_capture(Parse *p, Value name)
{
    int32_t g = p->r->ngroups++;
    bool ok = g < COUNT(p->closed) || bad(p, "too many groups");

    if (ok && name.tag != T_NIL) {
        if (sc_dict_find(p->vm, p->names, name))
            ok = bad(p, "redefinition of group name");
        else
            ok = sc_dict_put(p->vm, p->names, name, v_int(g));
    }
    sc_drop(p->vm, name);
    ok = ok && emit(p, R_SAVE, 0, 2 * g, 0) >= 0 && parse_alternatives(p) && need_close(p) &&
         emit(p, R_SAVE, 0, 2 * g + 1, 0) >= 0;
    if (ok)
        p->closed[g] = true;
    return ok;
}

/* Fixed width of the instructions from .. to, or -1; for lookbehind */
static int32_t width_of(const Regex *r, int32_t from, int32_t to)
{
    int32_t w = 0;

    for (int32_t i = from; i < to; i++) {
        const Rins *k = &r->ins[i];

        switch ((Rop)k->op) {
        case R_CHAR:
        case R_ANY:
        case R_SET: w++; break;
        case R_SPLIT: { /* alternatives of one width: first, jump over the second */
            int32_t end = r->ins[k->b - 1].op == R_JMP ? r->ins[k->b - 1].a : -1, x, y;

            if (end <= k->b)
                return -1;
            x = width_of(r, k->a, k->b - 1);
            y = width_of(r, k->b, end);
            if (x < 0 || x != y)
                return -1;
            w += x;
            i = end - 1;
            break;
        }
        case R_LOOK: i = k->a - 1; break;
        case R_JMP:
        case R_BACK:
        case R_COND:
        case R_EMPTY: return -1;
        default: break;
        }
    }
    return w;
}

static bool parse_look(Parse *p, int x)
{
    int32_t at = emit(p, R_LOOK, x, 0, 0);

    p->r->plain = false;
    if (at < 0 || !parse_alternatives(p) || !need_close(p) || emit(p, R_MATCH, 0, 0, 0) < 0)
        return false;
    p->r->ins[at].a = (int32_t)p->r->nins;
    if (x & 2) {
        p->r->ins[at].b = width_of(p->r, at + 1, (int32_t)p->r->nins - 1);
        if (p->r->ins[at].b < 0)
            return bad(p, "look-behind requires fixed-width pattern");
    }
    return true;
}

static bool parse_condition(Parse *p)
{
    int32_t g, at, jump;
    Value name;

    if (!read_name(p, ')', &name) || !group_number(p, name, &g))
        return false;
    p->r->plain = false;
    at = emit(p, R_COND, 0, g, 0);
    /* yes|no: alternatives of this level */
    int64_t before = p->r->nins;

    if (at < 0 || !parse_alternatives(p) || !need_close(p))
        return false;
    if (p->r->ins[before].op == R_SPLIT && p->r->ins[before].x == 1) { /* its first split: yes, no */
        p->r->ins[at].b = p->r->ins[before].b;
        p->r->ins[before] = (Rins){R_JMP, 0, false, (int32_t)before + 1, 0};
    } else {
        jump = (int32_t)p->r->nins;
        p->r->ins[at].b = jump;
    }
    return true;
}

/* (?..) */
static bool parse_extension(Parse *p)
{
    int on = 0, off = 0, f, saved = p->flags;
    bool minus = false, ok;
    Value name = NIL;
    int32_t g, at;

    switch (p->s < p->end ? *p->s : 0) {
    case ':': p->s++; return parse_alternatives(p) && need_close(p);
    case '=': p->s++; return parse_look(p, 0);
    case '!': p->s++; return parse_look(p, 1);
    case '#':
        while (p->s < p->end && *p->s != ')')
            p->s++;
        return need_close(p);
    case '>':
        p->s++;
        p->r->plain = false;
        at = emit(p, R_ATOM, 0, 0, 0);
        if (at < 0 || !parse_alternatives(p) || !need_close(p) || emit(p, R_MATCH, 0, 0, 0) < 0)
            return false;
        p->r->ins[at].a = (int32_t)p->r->nins;
        return true;
    case '(': p->s++; return parse_condition(p);
    case '<':
        if (p->s + 1 < p->end && (p->s[1] == '=' || p->s[1] == '!')) {
            p->s += 2;
            return parse_look(p, p->s[-1] == '!' ? 3 : 2);
        }
        return bad(p, "unknown extension");
    case 'P':
        p->s++;
        if (p->s < p->end && *p->s == '<') {
            p->s++;
            return read_name(p, '>', &name) && parse_capture(p, name);
        }
        if (p->s < p->end && *p->s == '=') {
            p->s++;
            p->r->plain = false;
            return read_name(p, ')', &name) && group_number(p, name, &g) && emit(p, R_BACK, 0, g, 0) >= 0;
        }
        return bad(p, "unknown extension ?P");
    default: break;
    }
    for (; p->s < p->end && *p->s != ')' && *p->s != ':'; p->s++) {
        if (*p->s == '-' && !minus) {
            minus = true;
            continue;
        }
        f = flag_of(*p->s);
        if (f < 0)
            return bad(p, "unknown extension");
        if (minus)
            off |= f;
        else
            on |= f;
    }
    if (p->s >= p->end)
        return bad(p, "missing -, : or )");
    p->flags = (p->flags | on) & ~off;
    if (*p->s++ == ')') { /* for the whole pattern */
        p->r->flags |= on;
        return true;
    }
    ok = parse_alternatives(p) && need_close(p);
    p->flags = saved;
    return ok;
}

static bool parse_escape_atom(Parse *p)
{
    uint32_t c, cls;
    char e = p->s < p->end ? *p->s : 0;

    if (e == 'A' || e == 'Z' || e == 'b' || e == 'B') {
        p->s++;
        return emit(p, e == 'A' ? R_START : e == 'Z' ? R_END : R_WORD, e == 'B', 0, 0) >= 0;
    }
    if (e >= '1' && e <= '9') {
        int32_t g = 0;

        while (p->s < p->end && *p->s >= '0' && *p->s <= '9' && g < 100)
            g = g * 10 + (*p->s++ - '0');
        if (g >= p->r->ngroups)
            return bad(p, "invalid group reference");
        p->r->plain = false;
        return emit(p, R_BACK, 0, g, 0) >= 0;
    }
    if (!escape(p, &c, &cls))
        return false;
    if (!cls)
        return emit(p, R_CHAR, 0, (int32_t)c, 0) >= 0;
    if (!add_range(p, CLASS_OF, cls))
        return false;
    return emit(p, R_SET, 0, (int32_t)p->r->nranges - 1, 1) >= 0;
}

static bool parse_atom(Parse *p)
{
    char c = *p->s;

    switch (c) {
    case '.': p->s++; return emit(p, R_ANY, (p->flags & RE_S) != 0, 0, 0) >= 0;
    case '^': p->s++; return emit(p, R_BOL, (p->flags & RE_M) != 0, 0, 0) >= 0;
    case '$': p->s++; return emit(p, R_EOL, (p->flags & RE_M) != 0, 0, 0) >= 0;
    case '[': p->s++; return parse_set(p);
    case '\\': p->s++; return parse_escape_atom(p);
    case '*':
    case '+':
    case '?': return bad(p, "nothing to repeat");
    case '(':
        p->s++;
        if (p->s < p->end && *p->s == '?') {
            p->s++;
            return parse_extension(p);
        }
        return parse_capture(p, NIL);
    default: return emit(p, R_CHAR, 0, (int32_t)next_char(p), 0) >= 0;
    }
}

/* {n}, {n,}, {,m}, {n,m}; false without an exception: literal text */
static bool read_counts(Parse *p, int32_t *lo, int32_t *hi)
{
    const char *s = p->s + 1;
    int64_t n[2] = {-1, -1};
    int k = 0;

    for (; s < p->end && *s != '}'; s++) {
        if (*s == ',' && k == 0)
            k = 1;
        else if (*s >= '0' && *s <= '9')
            n[k] = MIN((n[k] < 0 ? 0 : n[k]) * 10 + (*s - '0'), 1000000);
        else
            return false;
    }
    if (s >= p->end || (n[0] < 0 && n[1] < 0))
        return false;
    *lo = n[0] < 0 ? 0 : (int32_t)n[0];
    *hi = k == 0 ? *lo : (int32_t)n[1];
    p->s = s + 1;
    return true;
}

/* Another copy of instructions from .. to at the end; targets inside move along. */
static bool copy_code(Parse *p, int32_t from, int32_t to)
{
    int32_t by = (int32_t)p->r->nins - from;

    for (int32_t i = from; i < to; i++) {
        Rins k = p->r->ins[i];
        int32_t at = emit(p, (Rop)k.op, k.x, k.a, k.b);

        if (at < 0)
            return false;
        p->r->ins[at].fold = k.fold;
        if (k.op == R_SPLIT || k.op == R_JMP || k.op == R_LOOK || k.op == R_ATOM)
            p->r->ins[at].a += by;
        if (k.op == R_SPLIT || k.op == R_COND)
            p->r->ins[at].b += by;
    }
    return true;
}

static bool split(Parse *p, int32_t at, int32_t body, int32_t after, bool lazy)
{
    p->r->ins[at].a = lazy ? after : body;
    p->r->ins[at].b = lazy ? body : after;
    return true;
}

/* The loop x*: L: split body, end; mark; body; leave if empty; jmp L. body at from .. nins is moved in. */
static bool make_star(Parse *p, int32_t from, int32_t to, bool lazy)
{
    int32_t at = emit(p, R_SPLIT, 0, 0, 0), slot = p->r->nslots++;

    if (at < 0 || emit(p, R_MARK, 0, slot, 0) < 0 || !copy_code(p, from, to) || emit(p, R_EMPTY, 0, slot, 0) < 0 ||
        emit(p, R_JMP, 0, at, 0) < 0)
        return false;
    return split(p, at, at + 1, (int32_t)p->r->nins, lazy);
}

static bool make_optional(Parse *p, int32_t from, int32_t to, bool lazy, int32_t times)
{
    int32_t at[1000];

    if (times > COUNT(at))
        return bad(p, "the repetition number is too large");
    for (int32_t i = 0; i < times; i++) {
        at[i] = emit(p, R_SPLIT, 0, 0, 0);
        if (at[i] < 0 || !copy_code(p, from, to))
            return false;
    }
    for (int32_t i = 0; i < times; i++)
        split(p, at[i], at[i] + 1, (int32_t)p->r->nins, lazy);
    return true;
}

/* Moves instructions from .. nins out of the way, so that what is emitted next begins at from. */
static bool apply_repeat(Parse *p, int32_t from, int32_t lo, int32_t hi, char mode)
{
    int32_t n = (int32_t)p->r->nins - from, start, atom = -1;
    Rins *body = sc_alloc(p->vm, (size_t)(n + 1) * sizeof *body);
    bool ok = body != NULL;

    if (!ok)
        return false;
    memcpy(body, p->r->ins + from, (size_t)n * sizeof *body);
    if ((int64_t)n * (lo + (hi < 0 ? 1 : hi - lo)) > 200000) {
        sc_free(p->vm, body, (size_t)(n + 1) * sizeof *body);
        return bad(p, "the repetition number is too large");
    }
    /* keep one copy far behind to copy from: it is cut off again at the end */
    if (mode == '+')
        p->r->plain = false;
    start = (int32_t)p->r->nins;
    if (mode == '+')
        atom = emit(p, R_ATOM, 0, 0, 0);
    for (int32_t i = 0; ok && i < lo; i++)
        ok = copy_code(p, from, from + n);
    if (ok && hi < 0)
        ok = make_star(p, from, from + n, mode == '?');
    else if (ok)
        ok = make_optional(p, from, from + n, mode == '?', hi - lo);
    if (ok && atom >= 0) {
        ok = emit(p, R_MATCH, 0, 0, 0) >= 0;
        p->r->ins[atom].a = (int32_t)p->r->nins;
    }
    if (ok) { /* the original goes: shift all back by n */
        memmove(p->r->ins + from, p->r->ins + start, (size_t)(p->r->nins - start) * sizeof *body);
        p->r->nins -= n;
        for (int64_t i = from; i < p->r->nins; i++) {
            Rins *k = &p->r->ins[i];

            if (k->op == R_SPLIT || k->op == R_JMP || k->op == R_LOOK || k->op == R_ATOM)
                k->a -= n;
            if (k->op == R_SPLIT || k->op == R_COND)
                k->b -= n;
        }
    }
    sc_free(p->vm, body, (size_t)(n + 1) * sizeof *body);
    return ok;
}

static void skip_blank(Parse *p)
{
    while ((p->flags & RE_X) && p->s < p->end) {
        if (*p->s == '#')
            while (p->s < p->end && *p->s != '\n')
                p->s++;
        else if (*p->s == ' ' || (*p->s >= 9 && *p->s <= 13))
            p->s++;
        else
            break;
    }
}

static bool parse_repeats(Parse *p, int32_t from)
{
    int32_t lo, hi;
    char mode;

    skip_blank(p);
    if (p->s >= p->end)
        return true;
    if (*p->s == '*' || *p->s == '+' || *p->s == '?') {
        lo = *p->s == '+';
        hi = *p->s == '?' ? 1 : -1;
        p->s++;
    } else if (*p->s != '{' || !read_counts(p, &lo, &hi)) {
        return true;
    }
    if (hi >= 0 && hi < lo)
        return bad(p, "min repeat greater than max repeat");
    mode = p->s < p->end && (*p->s == '?' || *p->s == '+') ? *p->s++ : 0;
    if (p->s < p->end && (*p->s == '*' || *p->s == '+' || *p->s == '?'))
        return bad(p, "multiple repeat");
    return apply_repeat(p, from, lo, hi, mode);
}

/* alternatives := sequence ('|' sequence)* */
static bool parse_alternatives(Parse *p)
{
    int32_t from = (int32_t)p->r->nins, jumps[200];
    int n = 0, saved = p->flags;

    if (++p->depth > 100)
        return bad(p, "the pattern is nested too deeply");
    for (;;) {
        int32_t begin = (int32_t)p->r->nins;

        while (skip_blank(p), p->s < p->end && *p->s != '|' && *p->s != ')') {
            int32_t at = (int32_t)p->r->nins;

            if (!parse_atom(p) || !parse_repeats(p, at))
                return false;
        }
        if (p->s >= p->end || *p->s != '|')
            break;
        p->s++;
        if (n == COUNT(jumps))
            return bad(p, "too many alternatives");
        /* split before what was read, jump behind it */
        if (emit(p, R_JMP, 0, 0, 0) < 0)
            return false;
        memmove(p->r->ins + begin + 1, p->r->ins + begin, (size_t)(p->r->nins - 1 - begin) * sizeof(Rins));
        for (int64_t i = begin + 1; i < p->r->nins; i++) {
            Rins *k = &p->r->ins[i];

            if ((k->op == R_SPLIT || k->op == R_JMP || k->op == R_LOOK || k->op == R_ATOM) && k->a >= begin)
                k->a++;
            if ((k->op == R_SPLIT || k->op == R_COND) && k->b >= begin)
                k->b++;
        }
        jumps[n] = emit(p, R_JMP, 0, 0, 0);
        if (jumps[n] < 0)
            return false;
        p->r->ins[begin] = (Rins){R_SPLIT, begin == from, false, begin + 1, (int32_t)p->r->nins};
        n++;
    }
    for (int i = 0; i < n; i++)
        p->r->ins[jumps[i]].a = (int32_t)p->r->nins;
    p->flags = p->depth == 1 ? p->flags : saved;
    p->depth--;
    return true;
}

/* ---- the module -------------------------------------------------------------------- */

static void regex_free(Vm *vm, void *p)
{
    Regex *r = p;

    sc_free(vm, r->ins, (size_t)r->capins * sizeof *r->ins);
    sc_free(vm, r->ranges, (size_t)r->capranges * sizeof *r->ranges);
}

/* Program(pattern, flags, names): names gets name: number */
static bool program_init(Vm *vm, Value self, const Args *a)
{
    Regex *r = sc_native_new(vm, self, sizeof *r);
    Parse p = {.vm = vm, .r = r};
    int64_t flags;

    if (!r || !sc_to_int(vm, a->v[1], &flags))
        return false;
    if (!is_str(a->v[0]) || !sc_is(vm, a->v[2], C_dict))
        return sc_fail(vm, C_TypeError, "first argument must be string or compiled pattern");
    p.start = p.s = as_str(a->v[0])->s;
    p.end = p.s + as_str(a->v[0])->n;
    p.flags = r->flags = (int)flags;
    p.names = (Dict *)a->v[2].o;
    r->ngroups = 1;
    r->nslots = 200; /* room for the groups; then those of loops */
    r->plain = true;
    if (emit(&p, R_SAVE, 0, 0, 0) < 0 || !parse_alternatives(&p))
        return false;
    if (p.s < p.end)
        return bad(&p, "unbalanced parenthesis");
    return emit(&p, R_SAVE, 0, 1, 0) >= 0 && emit(&p, R_MATCH, 0, 0, 0) >= 0;
}

static Value get_groups(Vm *vm, Value self)
{
    (void)vm;
    return v_int(((Regex *)sc_native(self))->ngroups - 1);
}

static Value get_flags(Vm *vm, Value self)
{
    (void)vm;
    return v_int(((Regex *)sc_native(self))->flags);
}

static const NativeDef methods[] = {{"find", regex_find, "self,text,start,end,mode"}, {0}};
static const PropertyDef properties[] = {{"groups", get_groups, NULL}, {"flags", get_flags, NULL}, {0}};
static const ClassDef program_def = {.name = "Program", .init = program_init, .init_params = "pattern,flags,names",
                                     .methods = methods, .properties = properties, .native_free = regex_free};

bool open_re(Vm *vm, ScModule *m) { return sc_module_class(vm, m, &program_def, NULL, NULL); }
