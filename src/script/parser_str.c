/* parser_str.c -- string literals: escapes are decoded here, and f-strings parsed. */
#include "ast.h"

/* ---- strings ----------------------------------------------------------------------- */

typedef struct StrPart { /* one literal of an implicit concatenation */
    const ScToken *t;
    const char *s, *end; /* between the quotes */
    bool raw, is_f, is_b;
    const char *seen, *bol; /* how far lines are counted; where the last begins, or NULL */
    uint32_t line;          /* that one */
} StrPart;

static StrPart open_string(const ScToken *t)
{
    StrPart q = {.t = t, .s = t->s, .seen = t->s, .line = t->line};
    int quotes = 1;

    for (; *q.s != '"' && *q.s != '\''; q.s++) {
        q.raw |= (*q.s | 32) == 'r';
        q.is_f |= (*q.s | 32) == 'f';
        q.is_b |= (*q.s | 32) == 'b';
    }
    if (t->s + t->n - q.s >= 6 && q.s[1] == *q.s && q.s[2] == *q.s)
        quotes = 3;
    q.end = t->s + t->n - quotes;
    q.s += quotes;
    return q;
}

/* Line and column of a place inside a literal that may span lines. Places are asked for
 * mostly in order, so the count goes on from the last. */
static void place_in(StrPart *q, const char *s, uint32_t *line, uint32_t *col)
{
    if (s < q->seen) {
        q->seen = q->t->s;
        q->bol = NULL;
        q->line = q->t->line;
    }
    for (; q->seen < s; q->seen++)
        if (*q->seen == '\n') {
            q->line++;
            q->bol = q->seen + 1;
        }
    *line = q->line;
    *col = q->bol ? (uint32_t)(s - q->bol) + 1 : q->t->col + (uint32_t)(s - q->t->s);
}

static const char *hex_escape(ScParser *p, StrPart *q, const char *s, int digits,
                              uint32_t *out)
{
    uint32_t v = 0, line, col;

    for (int i = 0; i < digits; i++, s++) {
        int c = s < q->end ? *s | 32 : 0;
        int d = *s >= '0' && *s <= '9' ? *s - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;

        if (s >= q->end || d < 0) {
            place_in(q, s, &line, &col);
            unit_error(p->u, C_SyntaxError, line, col, 0, "truncated \\x or \\u escape");
        }
        v = v * 16 + (uint32_t)d;
    }
    *out = v > 0x10FFFF || (v >= 0xD800 && v < 0xE000) ? 0xFFFD : v;
    return s;
}

/* One escape sequence; s is after the backslash. */
static const char *decode_escape(ScParser *p, StrPart *q, const char *s, Text *t)
{
    static const char from[] = "abfnrtv\\'\"", to[] = "\a\b\f\n\r\t\v\\'\"";
    const char *k = memchr(from, *s, sizeof from - 1);
    uint32_t c = 0;
    char out[4];
    int i;

    if (k) {
        text_char(t, to[k - from]);
        return s + 1;
    }
    if (*s == '\n')
        return s + 1;
    if (*s >= '0' && *s <= '7') {
        for (i = 0; i < 3 && s < q->end && *s >= '0' && *s <= '7'; i++, s++)
            c = c * 8 + (uint32_t)(*s - '0');
    } else if (*s == 'x' || (!q->is_b && (*s == 'u' || *s == 'U'))) {
        s = hex_escape(p, q, s + 1, *s == 'x' ? 2 : *s == 'u' ? 4 : 8, &c);
    } else {
        if (*s == 'N' && !q->is_b) {
            uint32_t line, col;

            place_in(q, s, &line, &col);
            unit_error(p->u, C_SyntaxError, line, col, 0, "\\N: the names of characters are outside this language");
        }
        text_char(t, '\\');
        text_char(t, *s);
        return s + 1;
    }
    if (q->is_b)
        text_char(t, (char)c);
    else
        text_addn(t, out, (size_t)sc_utf8_write(out, c));
    return s;
}

static void add_literal(ScParser *p, StrPart *q, const char *s, const char *end,
                        Text *t)
{
    while (s < end) {
        if (*s == '\\' && !q->raw && s + 1 < end) {
            s = decode_escape(p, q, s + 1, t);
        } else if (*s == '\r') {
            s++;
        } else {
            text_char(t, *s++);
        }
    }
}

static Ast *string_node(ScParser *p, const ScToken *at, Text *t, AstKind kind)
{
    Ast *a = ast_new(p, kind, at);

    a->name = arena_strdup(&p->u->arena, "");
    if (t->n)
        a->name = t->s;
    a->n = (uint32_t)t->n;
    a->len = at->n;
    text_init(t, &p->u->arena);
    return a;
}

/* Where the expression of a replacement field ends: at '!', ':', '=' or '}' outside
 * brackets and strings. */
static const char *field_end(ScParser *p, StrPart *q, const char *s)
{
    int depth = 0;
    uint32_t line, col;

    for (; s < q->end; s++) {
        if (*s == '\'' || *s == '"') {
            char c = *s;

            for (s++; s < q->end && *s != c; s++)
                ;
            continue;
        }
        if (*s == '(' || *s == '[' || *s == '{')
            depth++;
        else if (depth > 0 && (*s == ')' || *s == ']' || *s == '}'))
            depth--;
        else if (depth == 0 && (*s == '}' || *s == ':'))
            return s;
        else if (depth == 0 && *s == '!' && s + 1 < q->end && s[1] != '=')
            return s;
        else if (depth == 0 && *s == '=') {
            if (s + 1 < q->end && s[1] == '=') {
                s++;
                continue;
            }
            if (strchr("=!<>", s[-1]))
                continue;
            return s;
        }
    }
    place_in(q, s, &line, &col);
    unit_error(p->u, C_SyntaxError, line, col, 0, "f-string: expecting '}'");
}

static const char *parse_fparts(ScParser *p, StrPart *q, const char *s, bool in_spec,
                                AstList *out, uint32_t *cap, Text *t);

/* { expr [=] [!conv] [:spec] }; s is after the brace. */
static const char *parse_field(ScParser *p, StrPart *q, const char *s, AstList *out,
                               uint32_t *cap, Text *t)
{
    const char *end = field_end(p, q, s), *text = p->u->text;
    ScTokens saved = p->t;
    uint32_t at = p->at, line, col;
    Ast *f;
    bool show = false;

    place_in(q, s, &line, &col);
    if (p->u->text > s || s >= p->u->text + p->u->size)
        unit_error(p->u, C_SyntaxError, line, col, 0, "f-string: nested too deeply");
    p->t = sc_lex(p->u, (size_t)(s - text), (size_t)(end - text), line, col, true);
    p->at = 0;
    for (uint32_t i = 0; i < p->t.n; i++)
        sc_mangle(p, &p->t.v[i]);
    if (tok(p)->kind == TK_EOF)
        unit_error(p->u, C_SyntaxError, line, col, 1, "f-string: empty expression not allowed");
    f = ast_new(p, E_FMT, tok(p));
    f->a = sc_parse_exprs(p);
    f->len = f->a->len;
    if (tok(p)->kind != TK_EOF)
        sc_parse_fail(p, tok(p), "f-string: invalid syntax");
    p->t = saved;
    p->at = at;
    if (*end == '=') {
        const char *e = end + 1;

        show = true;
        while (e < q->end && *e == ' ')
            e++;
        text_addn(t, s, (size_t)(e - s));
        end = e;
    }
    if (*end == '!') {
        f->op = (uint8_t)end[1];
        place_in(q, end, &line, &col);
        if (!strchr("rsa", end[1]) || end[1] == 0)
            unit_error(p->u, C_SyntaxError, line, col, 2,
                       "f-string: invalid conversion character: expected 's', 'r', or 'a'");
        end += 2;
    }
    if (show && !f->op && *end != ':')
        f->op = 'r';
    if (t->n)
        list_push(p, out, cap, string_node(p, q->t, t, E_STR));
    if (*end == ':') {
        Ast *spec = ast_like(p, E_FSTR, f);
        uint32_t scap = 0;
        Text st;

        text_init(&st, &p->u->arena);
        sc_parse_deeper(p);
        end = parse_fparts(p, q, end + 1, true, &spec->list, &scap, &st);
        p->u->depth--;
        f->b = spec;
    }
    if (end >= q->end || *end != '}') {
        place_in(q, end, &line, &col);
        unit_error(p->u, C_SyntaxError, line, col, 0, "f-string: expecting '}'");
    }
    list_push(p, out, cap, f);
    return end + 1;
}

/* The parts of an f-string, or of a format spec up to its closing brace. */
static const char *parse_fparts(ScParser *p, StrPart *q, const char *s, bool in_spec,
                                AstList *out, uint32_t *cap, Text *t)
{
    uint32_t line, col;

    while (s < q->end) {
        const char *k = s;

        if (in_spec && *s == '}')
            break;
        if (*s == '{' && s + 1 < q->end && s[1] == '{' && !in_spec) {
            text_char(t, '{');
            s += 2;
        } else if (*s == '{') {
            s = parse_field(p, q, s + 1, out, cap, t);
        } else if (*s == '}') {
            if (s + 1 >= q->end || s[1] != '}') {
                place_in(q, s, &line, &col);
                unit_error(p->u, C_SyntaxError, line, col, 1,
                           "f-string: single '}' is not allowed");
            }
            text_char(t, '}');
            s += 2;
        } else {
            while (s < q->end && *s != '{' && *s != '}') {
                /* \N{..} is not supported; a backslash protects the next character */
                s += *s == '\\' && !q->raw && s + 1 < q->end && s[1] != '{' && s[1] != '}' ? 2 : 1;
            }
            add_literal(p, q, k, s, t);
        }
    }
    if (t->n && in_spec)
        list_push(p, out, cap, string_node(p, q->t, t, E_STR));
    return s;
}

/* string := STR+ */
Ast *sc_parse_strings(ScParser *p)
{
    const ScToken *first = tok(p);
    Ast *f = ast_new(p, E_FSTR, first), *only;
    uint32_t cap = 0;
    bool is_f = false;
    uint32_t at = p->at;
    AstKind kind = E_STR;
    Text t;

    text_init(&t, &p->u->arena);
    for (; tok(p)->kind == TK_STR; p->at++) {
        StrPart q = open_string(tok(p));

        is_f |= q.is_f;
        for (const char *s = q.s; q.is_b && s < q.end; s++)
            if ((unsigned char)*s >= 128)
                sc_parse_fail(p, tok(p), "bytes can only contain ASCII literal characters");
        if (p->at > at && q.is_b != (kind == E_BYTES))
            sc_parse_fail(p, tok(p), "cannot mix bytes and nonbytes literals");
        if (q.is_b)
            kind = E_BYTES;
        if (q.is_f)
            parse_fparts(p, &q, q.s, false, &f->list, &cap, &t);
        else
            add_literal(p, &q, q.s, q.end, &t);
    }
    if (!is_f || f->list.n == 0) {
        only = string_node(p, first, &t, kind);
        ast_end(p, only);
        return only;
    }
    if (t.n)
        list_push(p, &f->list, &cap, string_node(p, first, &t, E_STR));
    ast_end(p, f);
    return f;
}
