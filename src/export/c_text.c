/* c_text.c -- names, numbers, sizes and types as C has them. */
#include "export/export.h"

#include <stdio.h>

/* ---- types ------------------------------------------------------------------------- */

bool c_has_dtype(wf_dtype t) { return (t >= WF_BOOL && t <= WF_F64) || dtype_is_complex(t); }

const char *c_type(wf_dtype t)
{
    return t == WF_C64 ? "wx_c64" : t == WF_C128 ? "wx_c128" : render_type(t);
}

const char *c_value(wf_dtype t)
{
    return t == WF_BOOL ? "int" : t == WF_F16 || t == WF_BF16 ? "float" : c_type(t);
}

/* ---- names ------------------------------------------------------------------------- */

/* Words of C, of its headers, and what generated functions call their own. */
static const char *const words[] = {
    "auto",    "break",  "case",     "char",    "const",    "continue", "default",
    "do",      "double", "else",     "enum",    "extern",   "float",    "for",
    "goto",    "if",     "inline",   "int",     "long",     "register", "restrict",
    "return",  "short",  "signed",   "sizeof",  "static",   "struct",   "switch",
    "typedef", "union",  "unsigned", "void",    "volatile", "while",    "asm",
    "bool",    "class",  "delete",   "new",     "private",  "public",   "template",
    "this",    "true",   "false",    "main",    "arena",    "state",    "m",
    "rc",      "memcpy", "memset",   "memmove", "NULL",     "INFINITY", "NAN",
    "signbit", "errno",  "linux",    "unix",    "typeof",   "I",        "go_on",
    "tmp",     "whole",  "best",     "sum",     "row"};

static bool is_word_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '_';
}

static bool is_number_name(const char *s) /* i0, k1, v0, q: what steps declare */
{
    return strchr("bijkopqv", *s) && strspn(s + 1, "0123456789_") == strlen(s + 1) &&
           (s[1] || *s == 'q');
}

const char *c_plain(Arena *a, const char *name)
{
    Text t;

    text_init(&t, a);
    if (!*name || (*name >= '0' && *name <= '9'))
        text_char(&t, 'v');
    for (const char *s = name; *s; s++) {
        bool plain = is_word_char(*s) && *s != '_';

        if (plain || (t.n && t.s[t.n - 1] != '_'))
            text_char(&t, plain ? *s : '_');
    }
    while (t.n && t.s[t.n - 1] == '_')
        t.s[--t.n] = '\0';
    if (!t.n)
        text_char(&t, 'v');
    return text_str(&t);
}

/* Its end, the start of another, ends of lines but '\n', and what joins lines (a backslash, as ??/ too) become spaces. */
const char *c_comment(Arena *a, const char *s)
{
    char *t = arena_printf(a, "%s", s);

    for (char *c = t; *c; c++)
        if ((*c == '*' && c[1] == '/') || (*c == '/' && c[1] == '*') || *c == '\\' || *c == '?' ||
            (((unsigned char)*c < ' ' || *c == 127) && *c != '\n'))
            *c = ' ';
    return t;
}

/* Octal, three digits: what follows cannot belong to it, as it may to \x1b; no ?, which begins trigraphs. */
const char *c_string(Arena *a, const char *s)
{
    Text t;

    text_init(&t, a);
    text_char(&t, '"');
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;

        if (c < ' ' || c >= 127 || c == '"' || c == '\\' || c == '?')
            text_printf(&t, "\\%03o", c);
        else
            text_char(&t, *s);
    }
    text_char(&t, '"');
    return text_str(&t);
}

const char *c_identifier(Arena *a, const char *name)
{
    Text t;

    text_init(&t, a);
    text_add(&t, c_plain(a, name));
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(t.s, words[i])) {
            text_char(&t, '_');
            break;
        }
    if (is_number_name(t.s) || !strncmp(t.s, "wx_", 3) || !strncmp(t.s, "before", 6) ||
        !strncmp(t.s, "after", 5))
        text_char(&t, '_');
    return text_str(&t);
}

const char *c_upper(Arena *a, const char *s)
{
    char *t = arena_strdup(a, s);

    for (char *p = t; *p; p++)
        if (*p >= 'a' && *p <= 'z')
            *p = (char)(*p - 'a' + 'A');
    return t;
}

const char *c_unique(Arena *a, void *names, const char *wish)
{
    Names *taken = names;
    const char *name = wish;

    for (uint32_t n = 2, i = 0; i < taken->n;)
        if (!strcmp(taken->v[i], name)) {
            name = arena_printf(a, "%s_%u", wish, n++);
            i = 0;
        } else {
            i++;
        }
    vec_push(a, taken, name);
    return name;
}

bool c_mentions(const char *text, const char *word)
{
    size_t n = strlen(word);

    for (const char *s = strstr(text, word); s; s = strstr(s + 1, word)) {
        const char *start = s;

        while (start > text && start[-1] != '\n')
            start--;
        start += strspn(start, " ");
        if (strncmp(start, "/*", 2) != 0 && (s == text || !is_word_char(s[-1])) &&
            !is_word_char(s[n]))
            return true;
    }
    return false;
}

/* ---- numbers ----------------------------------------------------------------------- */

static const char *float_literal(Arena *a, wf_dtype t, double x)
{
    char text[64];
    const char *suffix = t == WF_F64 ? "" : "f";

    if (x != x)
        return t == WF_F64 ? "(double)NAN" : "NAN";
    if (x - x != 0)
        return arena_printf(a, "(%s%sINFINITY)", x < 0 ? "-" : "",
                            t == WF_F64 ? "(double)" : "");
    if (t == WF_F64)
        number_f64(text, x);
    else
        number_f32(text, (float)x);
    return arena_printf(a, text[0] == '-' ? "(%s%s%s)" : "%s%s%s", text,
                        strpbrk(text, ".e") ? "" : ".0", suffix);
}

static const char *int_literal(Arena *a, wf_dtype t, const void *element)
{
    switch (t) {
    case WF_U64: {
        uint64_t u;

        memcpy(&u, element, sizeof u);
        return arena_printf(a, "UINT64_C(%llu)", (unsigned long long)u);
    }
    case WF_I64: {
        int64_t i;

        memcpy(&i, element, sizeof i);
        return i == INT64_MIN ? "INT64_MIN"
                              : arena_printf(a, "INT64_C(%lld)", (long long)i);
    }
    default: {
        long long i = (long long)element_as_f64(t, element);

        if (t == WF_I32 && i == INT32_MIN)
            return "INT32_MIN";
        return arena_printf(a, i < 0 ? "(%lld)" : t == WF_U32 ? "%lldu" : "%lld", i);
    }
    }
}

const char *c_literal(Arena *a, wf_dtype t, const void *element)
{
    wf_dtype part = dtype_is_complex(t) ? dtype_part(t) : t;

    if (part != t)
        return arena_printf(a, "{%s, %s}", c_literal(a, part, element),
                            c_literal(a, part, (const char *)element + wf_dtype_size(part)));
    if (dtype_is_float(t))
        return float_literal(a, t == WF_F64 ? t : WF_F32, element_as_f64(t, element));
    return int_literal(a, t, element);
}

const char *c_stored_literal(Arena *a, wf_dtype t, const void *element)
{
    uint16_t half;

    if (t != WF_F16 && t != WF_BF16)
        return c_literal(a, t, element);
    memcpy(&half, element, sizeof half);
    return arena_printf(a, "0x%04x", half);
}

/* ---- sizes ------------------------------------------------------------------------- */

static const char *dim_text(CFile *c, const Dims *t, Dim d, bool atom);

static void add_term(CFile *c, const Dims *t, const DimTerm *m, Text *out)
{
    int64_t coef = m->coef;

    if (out->n)
        text_add(out, coef < 0 ? " - " : " + ");
    else if (coef < 0)
        text_char(out, '-');
    coef = coef < 0 ? -coef : coef;
    if (coef != 1)
        text_printf(out, "%lld * ", (long long)coef);
    for (uint32_t i = 0; i < m->natoms; i++)
        text_printf(out, "%s%s", i ? " * " : "", dim_text(c, t, m->atoms[i], true));
}

static const char *dim_text(CFile *c, const Dims *t, Dim d, bool atom)
{
    const DimNode *n;
    Text out;

    if (d >= 0)
        return arena_printf(c->a, "%lld", (long long)d);
    n = dim_node(t, d);
    switch (n->kind) {
    case DIM_SYM: return t->syms.v[n->sym].name;
    case DIM_FLOORDIV:
        return arena_printf(c->a, "%s(%s, %s)", c_need(c, "floor_div"),
                            dim_text(c, t, n->a, false), dim_text(c, t, n->b, false));
    case DIM_MIN:
    case DIM_MAX:
        return arena_printf(c->a, "%s(%s, %s)",
                            c_need(c, n->kind == DIM_MIN ? "least" : "most"),
                            dim_text(c, t, n->a, false), dim_text(c, t, n->b, false));
    default: break;
    }
    text_init(&out, c->a);
    if (!n->nterms) /* a negative number */
        return arena_printf(c->a, "(%lld)", (long long)n->constant);
    for (uint32_t i = 0; i < n->nterms; i++)
        add_term(c, t, &n->terms[i], &out);
    if (n->constant)
        text_printf(&out, " %c %lld", n->constant < 0 ? '-' : '+',
                    (long long)(n->constant < 0 ? -n->constant : n->constant));
    if (atom &&
        (n->nterms > 1 || n->constant || n->terms[0].coef != 1 || n->terms[0].natoms > 1))
        return arena_printf(c->a, "(%s)", text_str(&out));
    return text_str(&out);
}

const char *c_dim(CFile *c, const Dims *t, Dim d) { return dim_text(c, t, d, true); }

/* Which way a dim goes when symbols grow: 1 up, -1 down, 0 it stays; 2: nobody knows. */
static int direction(const Dims *t, Dim d);

static int term_direction(const Dims *t, const DimTerm *m)
{
    int way = 0;

    for (uint32_t i = 0; i < m->natoms; i++) {
        int one = direction(t, m->atoms[i]);

        if (one == 2 || (way && one && way != one) || (m->natoms > 1 && one < 0))
            return 2;
        way = one ? one : way;
    }
    return m->coef < 0 ? -way : way;
}

static int direction(const Dims *t, Dim d)
{
    const DimNode *n;
    int way = 0, other;

    if (d >= 0)
        return 0;
    n = dim_node(t, d);
    switch (n->kind) {
    case DIM_SYM: return 1;
    case DIM_POLY:
        for (uint32_t i = 0; i < n->nterms; i++) {
            int one = term_direction(t, &n->terms[i]);

            if (one == 2 || (way && one && way != one))
                return 2;
            way = one ? one : way;
        }
        return way;
    case DIM_FLOORDIV: return n->b >= 0 ? direction(t, n->a) : 2;
    default:
        way = direction(t, n->a);
        other = direction(t, n->b);
        return way == 2 || other == 2 || (way && other && way != other) ? 2
               : way                                                    ? way
                                                                        : other;
    }
}

bool c_dim_grows(const Dims *t, Dim d)
{
    int way = direction(t, d);

    return way == 0 || way == 1;
}
