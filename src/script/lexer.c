/* lexer.c -- text to tokens, with Python's rules for lines, indentation and brackets.
 *
 * The whole text is read at once into an array. Strings are found but not decoded: the
 * parser does that, because an f-string holds expressions. Errors jump (unit_error).
 */
#include "ast.h"

static const char *const keyword_names[] = {
#define KEYWORD(id) #id,
#include "keywords.def"
#undef KEYWORD
};

const char *sc_keyword_name(Keyword k)
{
    return keyword_names[k];
}

#define MAX_INDENT 100

typedef struct Lexer {
    Unit *u;
    const char *s, *end;
    const char *line_start; /* so that col = s - line_start + 1 */
    uint32_t line;
    int brackets;
    char open[AST_MAX_DEPTH]; /* brackets not yet closed */
    uint32_t open_line[AST_MAX_DEPTH], open_col[AST_MAX_DEPTH];
    uint32_t indents[MAX_INDENT];
    int nindents;
    ScTokens t;
} Lexer;

static uint32_t column(const Lexer *l, const char *s)
{
    return (uint32_t)(s - l->line_start) + 1;
}

static ScToken *push(Lexer *l, TokenKind kind, const char *s, size_t n)
{
    ScToken t = {.kind = (uint8_t)kind, .line = l->line, .col = column(l, s), .s = s,
                 .n = (uint32_t)n};

    vec_push(&l->u->arena, &l->t, t);
    return &l->t.v[l->t.n - 1];
}

#define FAIL_AT(l, s, n, ...)                                                            \
    unit_error((l)->u, C_SyntaxError, (l)->line, column(l, s), (uint32_t)(n), __VA_ARGS__)

static bool is_name_start(int c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c >= 0x80;
}

static bool is_digit(int c) { return c >= '0' && c <= '9'; }

static int peek(const Lexer *l, size_t k)
{
    return (size_t)(l->end - l->s) > k ? (unsigned char)l->s[k] : 0;
}

/* ---- strings ----------------------------------------------------------------------- */

/* At a quote; prefix begins at start. */
static void lex_string(Lexer *l, const char *start)
{
    char q = *l->s;
    bool triple = peek(l, 1) == q && peek(l, 2) == q;
    uint32_t line = l->line, col = column(l, start);
    ScToken *t;
    const char *ls = l->line_start;

    l->s += triple ? 3 : 1;
    for (;; l->s++) {
        if (l->s >= l->end || (*l->s == '\n' && !triple)) {
            l->u->cut = triple ? CUT_TOKEN : CUT_NOT;
            unit_error(l->u, C_SyntaxError, line, col, 1, "unterminated %sstring literal",
                       triple ? "triple-quoted " : "");
        }
        if (*l->s == '\\' && l->s + 1 < l->end) {
            l->s++;
            if (*l->s == '\n') {
                l->line++;
                l->line_start = l->s + 1;
            }
            continue;
        }
        if (*l->s == '\n') {
            l->line++;
            l->line_start = l->s + 1;
        }
        if (*l->s == q && (!triple || (peek(l, 1) == q && peek(l, 2) == q)))
            break;
    }
    l->s += triple ? 3 : 1;
    (void)ls;
    t = push(l, TK_STR, start, (size_t)(l->s - start));
    t->line = line;
    t->col = col;
}

/* A name, a keyword, or the prefix of a string. */
static void lex_name(Lexer *l)
{
    const char *start = l->s;
    size_t n;
    ScToken *t;
    int k;
    static const uint8_t first[] = {0, 0, KW_as, KW_and, KW_None, KW_False, KW_assert,
                                    KW_finally, KW_continue, KW_COUNT};

    while (l->s < l->end && (is_name_start((unsigned char)*l->s) || is_digit(*l->s)))
        l->s++;
    n = (size_t)(l->s - start);
    if (n <= 2 && l->s < l->end && (*l->s == '"' || *l->s == '\'')) {
        size_t i;

        for (i = 0; i < n && strchr("rRfFuUbB", start[i]); i++)
            ;
        if (i == n) {
            lex_string(l, start);
            return;
        }
    }
    if (n >= 2 && n <= 8)
        for (k = first[n]; k < first[n + 1]; k++)
            if (keyword_names[k][0] == *start && memcmp(keyword_names[k], start, n) == 0) {
                push(l, TK_KEYWORD, start, n)->op = (uint32_t)k;
                return;
            }
    for (k = 0; (size_t)k < n;) {
        int len = utf8_len(start + k, n - (size_t)k);

        if (!len)
            FAIL_AT(l, start + k, 1, "the file is not UTF-8 here");
        k += len;
    }
    t = push(l, TK_NAME, start, n);
    t->name = intern_n(&l->u->names, start, n);
}

/* ---- numbers ----------------------------------------------------------------------- */

static void lex_number(Lexer *l)
{
    const char *start = l->s;
    TokenKind kind = TK_INT;

    if (*l->s == '0' && peek(l, 1) && strchr("xXoObB", peek(l, 1))) {
        l->s += 2;
        while (l->s < l->end && (is_digit(*l->s) || is_name_start((unsigned char)*l->s)))
            l->s++;
        push(l, TK_INT, start, (size_t)(l->s - start));
        return;
    }
    while (is_digit(peek(l, 0)) || (peek(l, 0) == '_' && is_digit(peek(l, 1))))
        l->s++;
    if (peek(l, 0) == '.') {
        kind = TK_FLOAT;
        l->s++;
        while (is_digit(peek(l, 0)) || (peek(l, 0) == '_' && is_digit(peek(l, 1))))
            l->s++;
    }
    if ((peek(l, 0) | 32) == 'e' &&
        (is_digit(peek(l, 1)) ||
         ((peek(l, 1) == '+' || peek(l, 1) == '-') && is_digit(peek(l, 2))))) {
        kind = TK_FLOAT;
        for (l->s += 2; is_digit(peek(l, 0)) || (peek(l, 0) == '_' && is_digit(peek(l, 1)));)
            l->s++;
    }
    if ((peek(l, 0) | 32) == 'j') {
        l->s++;
        kind = TK_IMAG;
    }
    if (is_name_start(peek(l, 0))) {
        const char *e = l->s;

        while (e < l->end && is_name_start((unsigned char)*e))
            e++;
        /* 1if x else y is legal, if strange */
        if (!((e - l->s == 2 && (!memcmp(l->s, "if", 2) || !memcmp(l->s, "in", 2) ||
                                 !memcmp(l->s, "or", 2) || !memcmp(l->s, "is", 2))) ||
              (e - l->s == 3 && !memcmp(l->s, "and", 3)) ||
              (e - l->s == 4 && !memcmp(l->s, "else", 4))))
            FAIL_AT(l, start, l->s - start + 1, "invalid decimal literal");
    }
    push(l, kind, start, (size_t)(l->s - start));
}

/* ---- operators --------------------------------------------------------------------- */

static const char *const ops3[] = {"**=", "//=", ">>=", "<<=", "..."};
static const char *const ops2[] = {"**", "//", ">>", "<<", "<=", ">=", "==", "!=", "->",
                                   "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "@=",
                                   ":="};

static void open_bracket(Lexer *l, const char *s)
{
    if (l->brackets >= AST_MAX_DEPTH)
        FAIL_AT(l, s, 1, "too many nested brackets");
    l->open[l->brackets] = *s;
    l->open_line[l->brackets] = l->line;
    l->open_col[l->brackets++] = column(l, s);
}

static void close_bracket(Lexer *l, const char *s)
{
    char want = *s == ')' ? '(' : *s == ']' ? '[' : '{';

    if (l->brackets == 0)
        FAIL_AT(l, s, 1, "unmatched '%c'", *s);
    l->brackets--;
    if (l->open[l->brackets] != want)
        FAIL_AT(l, s, 1, "closing parenthesis '%c' does not match opening parenthesis '%c'",
                *s, l->open[l->brackets]);
}

static void lex_op(Lexer *l)
{
    const char *s = l->s;
    size_t n = 1, left = (size_t)(l->end - s);
    uint32_t op = (unsigned char)*s;
    int i;

    for (i = 0; left >= 3 && i < COUNT(ops3); i++)
        if (memcmp(s, ops3[i], 3) == 0)
            n = 3;
    for (i = 0; left >= 2 && n == 1 && i < COUNT(ops2); i++)
        if (memcmp(s, ops2[i], 2) == 0)
            n = 2;
    if (n == 1 && !memchr("+-*/%@&|^~<>()[]{},:.;=!", *s, 24)) {
        if (*s == '$' || *s == '?' || *s == '`')
            FAIL_AT(l, s, 1, "invalid syntax: '%c'", *s);
        FAIL_AT(l, s, 1, "invalid character");
    }
    if (n == 1 && *s == '!' && l->brackets == 0)
        FAIL_AT(l, s, 1, "invalid syntax: '!' is not an operator; write 'not' or '!='");
    if (n == 1 && strchr("([{", *s))
        open_bracket(l, s);
    else if (n == 1 && strchr(")]}", *s))
        close_bracket(l, s);
    for (i = 1; (size_t)i < n; i++)
        op |= (uint32_t)(unsigned char)s[i] << (8 * i);
    l->s += n;
    push(l, TK_OP, s, n)->op = op;
}

/* ---- lines ------------------------------------------------------------------------- */

/* At the start of a line: blank lines are skipped, others set the indentation. */
static void lex_indent(Lexer *l)
{
    for (;;) {
        const char *start = l->s;
        uint32_t width = 0;

        for (; l->s < l->end && (*l->s == ' ' || *l->s == '\t' || *l->s == '\f'); l->s++)
            width = *l->s == '\t' ? (width / 8 + 1) * 8 : width + 1;
        if (l->s >= l->end)
            return;
        if (*l->s == '#')
            while (l->s < l->end && *l->s != '\n')
                l->s++;
        if (l->s < l->end && *l->s == '\r' && peek(l, 1) == '\n')
            l->s++;
        if (l->s < l->end && *l->s == '\n') {
            l->s++;
            l->line++;
            l->line_start = l->s;
            continue;
        }
        if (l->s >= l->end)
            return;
        (void)start;
        if (width > l->indents[l->nindents - 1]) {
            if (l->nindents == MAX_INDENT)
                unit_error(l->u, C_IndentationError, l->line, column(l, l->s), 0,
                           "too many levels of indentation");
            l->indents[l->nindents++] = width;
            push(l, TK_INDENT, l->s, 0);
        }
        while (width < l->indents[l->nindents - 1]) {
            l->nindents--;
            push(l, TK_DEDENT, l->s, 0);
            if (width > l->indents[l->nindents - 1])
                unit_error(l->u, C_IndentationError, l->line, column(l, l->s), 0,
                           "unindent does not match any outer indentation level");
        }
        return;
    }
}

static void lex_token(Lexer *l)
{
    int c = (unsigned char)*l->s;

    if (c == '#') {
        while (l->s < l->end && *l->s != '\n')
            l->s++;
    } else if (c == '\\' && (peek(l, 1) == '\n' || (peek(l, 1) == '\r' && peek(l, 2) == '\n'))) {
        l->s += peek(l, 1) == '\r' ? 3 : 2;
        if (l->s >= l->end)
            l->u->cut = CUT_TOKEN;
        l->line++;
        l->line_start = l->s;
    } else if (c == ' ' || c == '\t' || c == '\f' || c == '\r') {
        l->s++;
    } else if (is_name_start(c)) {
        lex_name(l);
    } else if (is_digit(c) || (c == '.' && is_digit(peek(l, 1)))) {
        lex_number(l);
    } else if (c == '"' || c == '\'') {
        lex_string(l, l->s);
    } else {
        lex_op(l);
    }
}

static void newline(Lexer *l)
{
    if (l->brackets == 0)
        push(l, TK_NEWLINE, l->s, 0);
    l->s++;
    l->line++;
    l->line_start = l->s;
    if (l->brackets == 0)
        lex_indent(l);
}

ScTokens sc_lex(Unit *u, size_t from, size_t to, uint32_t line, uint32_t col, bool inside)
{
    Lexer *l = arena_zalloc(&u->arena, sizeof *l);

    *l = (Lexer){.u = u, .s = u->text + from, .end = u->text + to, .line = line,
                 .nindents = 1};
    l->line_start = l->s - (col - 1);
    if (inside) {
        l->brackets = 1;
        l->open[0] = '{';
    } else {
        if (to - from >= 3 && memcmp(l->s, "\xEF\xBB\xBF", 3) == 0)
            l->line_start = l->s += 3;
        lex_indent(l);
    }
    while (l->s < l->end) {
        if (*l->s == '\n')
            newline(l);
        else
            lex_token(l);
    }
    if (!inside && l->brackets > 0) {
        u->cut = CUT_TOKEN;
        unit_error(u, C_SyntaxError, l->open_line[l->brackets - 1],
                   l->open_col[l->brackets - 1], 1, "'%c' was never closed",
                   l->open[l->brackets - 1]);
    }
    if (!inside) {
        if (l->t.n && l->t.v[l->t.n - 1].kind != TK_NEWLINE &&
            l->t.v[l->t.n - 1].kind != TK_DEDENT)
            push(l, TK_NEWLINE, l->s, 0);
        for (; l->nindents > 1; l->nindents--)
            push(l, TK_DEDENT, l->s, 0);
    }
    push(l, TK_EOF, l->s, 0);
    return l->t;
}
