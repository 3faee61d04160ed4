/* parser_expr.c -- expressions, by recursive descent; the grammar rule stands above each
 * function. Strings are decoded here, and f-strings parsed. */
#include "ast.h"

static Ast *parse_or(ScParser *p);
static Ast *parse_unary(ScParser *p);
static Ast *parse_more_exprs(ScParser *p, const ScToken *start, Ast *e);

/* ---- strings ----------------------------------------------------------------------- */

typedef struct StrPart { /* one literal of an implicit concatenation */
    const ScToken *t;
    const char *s, *end; /* between the quotes */
    bool raw, is_f;
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
    } else if (*s == 'x' || *s == 'u' || *s == 'U') {
        s = hex_escape(p, q, s + 1, *s == 'x' ? 2 : *s == 'u' ? 4 : 8, &c);
    } else {
        text_char(t, '\\');
        text_char(t, *s);
        return s + 1;
    }
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

static Ast *string_node(ScParser *p, const ScToken *at, Text *t)
{
    Ast *a = ast_new(p, E_STR, at);

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
    if (tok(p)->kind == TK_EOF)
        unit_error(p->u, C_SyntaxError, line, col, 1, "f-string: empty expression not allowed");
    f = ast_new(p, E_FMT, tok(p));
    f->a = parse_exprs(p);
    f->len = f->a->len;
    if (tok(p)->kind != TK_EOF)
        parse_fail(p, tok(p), "f-string: invalid syntax");
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
        list_push(p, out, cap, string_node(p, q->t, t));
    if (*end == ':') {
        Ast *spec = ast_like(p, E_FSTR, f);
        uint32_t scap = 0;
        Text st;

        text_init(&st, &p->u->arena);
        parse_deeper(p);
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
        list_push(p, out, cap, string_node(p, q->t, t));
    return s;
}

/* string := STR+ */
static Ast *parse_strings(ScParser *p)
{
    const ScToken *first = tok(p);
    Ast *f = ast_new(p, E_FSTR, first), *only;
    uint32_t cap = 0;
    bool is_f = false;
    Text t;

    text_init(&t, &p->u->arena);
    for (; tok(p)->kind == TK_STR; p->at++) {
        StrPart q = open_string(tok(p));

        is_f |= q.is_f;
        if (q.is_f)
            parse_fparts(p, &q, q.s, false, &f->list, &cap, &t);
        else
            add_literal(p, &q, q.s, q.end, &t);
    }
    if (!is_f || f->list.n == 0) {
        only = string_node(p, first, &t);
        ast_end(p, only);
        return only;
    }
    if (t.n)
        list_push(p, &f->list, &cap, string_node(p, first, &t));
    ast_end(p, f);
    return f;
}

/* ---- numbers ----------------------------------------------------------------------- */

static Ast *parse_number(ScParser *p)
{
    const ScToken *t = tok(p);
    Ast *a = ast_new(p, t->kind == TK_INT ? E_INT : t->kind == TK_IMAG ? E_IMAG : E_FLOAT, t);
    char *s = arena_alloc(&p->u->arena, t->n + 1u);
    uint32_t n = 0, i;

    for (i = 0; i < t->n; i++)
        if (t->s[i] != '_')
            s[n++] = t->s[i];
    s[n] = 0;
    p->at++;
    ast_end(p, a);
    if (t->kind != TK_INT) {
        number_parse_f64(s, s + n - (t->kind == TK_IMAG), &a->f);
        return a;
    }
    int base = n > 2 && s[0] == '0' ? (s[1] | 32) == 'x'   ? 16
                                      : (s[1] | 32) == 'o' ? 8
                                      : (s[1] | 32) == 'b' ? 2
                                                           : 10
                                    : 10;
    uint64_t v = 0;

    for (i = base == 10 ? 0 : 2; i < n; i++) {
        int c = s[i] | 32, d = s[i] >= '0' && s[i] <= '9' ? s[i] - '0'
                               : c >= 'a' && c <= 'f'     ? c - 'a' + 10
                                                          : 99;

        if (d >= base)
            parse_fail(p, t, "invalid digit '%c' in integer literal", s[i]);
        if (v > (INT64_MAX - (uint64_t)d) / (uint64_t)base)
            parse_fail(p, t, "integer literal too large: ints have 64 bits here");
        v = v * (uint64_t)base + (uint64_t)d;
    }
    if (n == 1 && base == 10 && s[0] < '0')
        parse_fail(p, t, "invalid syntax");
    if (n > 1 && s[0] == '0' && base == 10 && v != 0)
        parse_fail(p, t, "leading zeros in decimal integer literals are not permitted");
    a->i = (int64_t)v;
    return a;
}

/* ---- displays and comprehensions --------------------------------------------------- */

/* comp_for := 'for' targets 'in' or_test ('if' or_test)* comp_for? */
static void parse_comp(ScParser *p, Ast *comp)
{
    uint32_t cap = 0;

    while (at_kw(p, KW_for) || at_kw(p, KW_async)) {
        Ast *f = ast_new(p, E_FOR, tok(p));
        uint32_t ifcap = 0;

        if (at_kw(p, KW_async))
            parse_fail(p, tok(p), "async is outside this language");
        p->at++;
        f->a = parse_target_list(p);
        if (!take_kw(p, KW_in))
            parse_fail(p, tok(p), "invalid syntax: expected 'in'");
        f->b = parse_or(p);
        if (at_kw(p, KW_if) && 0)
            return;
        while (take_kw(p, KW_if))
            list_push(p, &f->list, &ifcap, parse_or(p));
        ast_end(p, f);
        list_push(p, &comp->list, &cap, f);
    }
}

/* item := named | '*' or */
static Ast *parse_item(ScParser *p)
{
    if (at_op(p, '*')) {
        Ast *s = ast_new(p, E_STAR, tok(p));

        p->at++;
        s->a = parse_or(p);
        ast_end(p, s);
        return s;
    }
    return parse_named(p);
}

/* paren := '(' [ named (comp_for | (',' named)* ','?) | yield ] ')' */
static Ast *parse_paren(ScParser *p)
{
    const ScToken *t = tok(p);
    Ast *e, *g;

    p->at++;
    if (at_op(p, ')')) {
        e = ast_new(p, E_TUPLE, t);
        p->at++;
        ast_end(p, e);
        return e;
    }
    if (at_kw(p, KW_yield)) {
        e = parse_exprs(p);
    } else {
        const ScToken *first = tok(p);

        e = parse_item(p);
        if (e->kind != E_STAR && at_kw(p, KW_for)) {
            g = ast_new(p, E_GENEXP, t);
            g->a = e;
            parse_comp(p, g);
            e = g;
        } else {
            e = parse_more_exprs(p, first, e);
        }
    }
    if (!at_op(p, ')'))
        parse_fail(p, tok(p), "invalid syntax: expected ')'");
    p->at++;
    if (e->kind == E_TUPLE || e->kind == E_GENEXP) {
        e->line = t->line;
        e->col = t->col;
        ast_end(p, e);
    }
    e->paren = true;
    return e;
}

/* list := '[' [ item (comp_for | (',' item)* ','?) ] ']' */
static Ast *parse_list(ScParser *p)
{
    Ast *l = ast_new(p, E_LIST, tok(p));
    uint32_t cap = 0;

    p->at++;
    while (!at_op(p, ']')) {
        Ast *e = parse_item(p);

        if (l->list.n == 0 && at_kw(p, KW_for)) {
            l->kind = E_LISTCOMP;
            l->a = e;
            parse_comp(p, l);
            break;
        }
        list_push(p, &l->list, &cap, e);
        if (!take_op(p, ','))
            break;
    }
    need_op(p, ']', "']'");
    ast_end(p, l);
    return l;
}

/* braces := '{' [ pair (comp_for | (',' pair)*) | item (comp_for | (',' item)*) ] '}' */
static Ast *parse_braces(ScParser *p)
{
    Ast *d = ast_new(p, E_DICT, tok(p)), *k;
    uint32_t kcap = 0, vcap = 0;

    p->at++;
    while (!at_op(p, '}')) {
        if (d->kind == E_DICT && take_op(p, OPC2('*', '*'))) {
            list_push(p, &d->list, &kcap, NULL);
            list_push(p, &d->more, &vcap, parse_or(p));
        } else {
            k = parse_item(p);
            if (d->list.n == 0 && !at_op(p, ':'))
                d->kind = E_SET;
            if (d->kind == E_DICT) {
                need_op(p, ':', "':' after dictionary key");
                list_push(p, &d->list, &kcap, k);
                list_push(p, &d->more, &vcap, parse_expr(p));
            } else {
                list_push(p, &d->list, &kcap, k);
            }
        }
        if (d->list.n == 1 && at_kw(p, KW_for)) {
            d->a = d->list.v[0];
            d->b = d->kind == E_DICT ? d->more.v[0] : NULL;
            d->kind = d->kind == E_DICT ? E_DICTCOMP : E_SETCOMP;
            d->list = d->more = (AstList){0};
            parse_comp(p, d);
            break;
        }
        if (!take_op(p, ','))
            break;
    }
    need_op(p, '}', "'}'");
    ast_end(p, d);
    return d;
}

/* ---- atoms and trailers ------------------------------------------------------------ */

/* atom := NAME | NUMBER | STR+ | None | True | False | '...' | paren | list | braces */
static Ast *parse_atom(ScParser *p)
{
    const ScToken *t = tok(p);
    Ast *a;

    switch (t->kind) {
    case TK_NAME:
        a = ast_new(p, E_NAME, t);
        a->name = t->name;
        p->at++;
        ast_end(p, a);
        return a;
    case TK_INT:
    case TK_FLOAT:
    case TK_IMAG: return parse_number(p);
    case TK_STR: return parse_strings(p);
    case TK_KEYWORD:
        if (t->op == KW_None || t->op == KW_True || t->op == KW_False) {
            a = ast_new(p, t->op == KW_None ? E_NONE : t->op == KW_True ? E_TRUE : E_FALSE, t);
            p->at++;
            ast_end(p, a);
            return a;
        }
        if (t->op == KW_await || t->op == KW_async)
            parse_fail(p, t, "async and await are outside this language");
        break;
    case TK_OP:
        if (t->op == '(')
            return parse_paren(p);
        if (t->op == '[')
            return parse_list(p);
        if (t->op == '{')
            return parse_braces(p);
        if (t->op == OPC3('.', '.', '.')) {
            a = ast_new(p, E_ELLIPSIS, t);
            p->at++;
            ast_end(p, a);
            return a;
        }
        break;
    default: break;
    }
    if (t->kind == TK_NEWLINE || t->kind == TK_EOF)
        parse_fail(p, t, "invalid syntax: expected an expression");
    if (t->kind == TK_INDENT)
        unit_error(p->u, C_IndentationError, t->line, t->col, 0, "unexpected indent");
    parse_fail(p, t, "invalid syntax");
}

/* args := arg (',' arg)* ','?    arg := named [comp_for] | NAME '=' expr | '*' e | '**' e */
Ast *parse_args(ScParser *p, Ast *call)
{
    uint32_t cap = 0;
    bool kw = false;
    Ast *a;

    while (!at_op(p, ')')) {
        const ScToken *t = tok(p);

        if (take_op(p, OPC2('*', '*')) || take_op(p, '*')) {
            a = ast_new(p, t->op == '*' ? E_STAR : E_DSTAR, t);
            a->a = parse_expr(p);
            kw |= a->kind == E_DSTAR;
        } else if (t->kind == TK_NAME && t[1].kind == TK_OP && t[1].op == '=') {
            a = ast_new(p, E_KW, t);
            a->name = t->name;
            p->at += 2;
            a->a = parse_expr(p);
            kw = true;
            for (uint32_t i = 0; i < call->list.n; i++)
                if (call->list.v[i]->kind == E_KW && call->list.v[i]->name == a->name)
                    parse_fail(p, t, "keyword argument repeated: %s", a->name);
        } else {
            a = parse_named(p);
            if (at_kw(p, KW_for)) {
                Ast *g = ast_like(p, E_GENEXP, a);

                g->a = a;
                parse_comp(p, g);
                ast_end(p, g);
                a = g;
            } else if (at_op(p, '=')) {
                parse_fail(p, t, "expression cannot contain assignment, perhaps you meant \"==\"?");
            }
            if (kw)
                parse_fail(p, t, "positional argument follows keyword argument");
        }
        ast_end(p, a);
        list_push(p, &call->list, &cap, a);
        if (!take_op(p, ','))
            break;
    }
    if (!at_op(p, ')'))
        parse_fail(p, tok(p), "invalid syntax. Perhaps you forgot a comma?");
    p->at++;
    return call;
}

/* subscript := [expr] ':' [expr] [':' [expr]] | named | '*' or */
static Ast *parse_subscript(ScParser *p)
{
    const ScToken *t = tok(p);
    Ast *e = NULL, *s;

    if (!at_op(p, ':')) {
        e = parse_item(p);
        if (!at_op(p, ':'))
            return e;
    }
    s = ast_new(p, E_SLICE, t);
    s->a = e;
    need_op(p, ':', "':'");
    if (!at_op(p, ':') && !at_op(p, ']') && !at_op(p, ','))
        s->b = parse_expr(p);
    if (take_op(p, ':') && !at_op(p, ']') && !at_op(p, ','))
        s->c = parse_expr(p);
    ast_end(p, s);
    return s;
}

static Ast *parse_subscripts(ScParser *p)
{
    const ScToken *t = tok(p);
    Ast *e = parse_subscript(p), *tuple;
    uint32_t cap = 0;

    if (!at_op(p, ',') && e->kind != E_STAR)
        return e;
    tuple = ast_new(p, E_TUPLE, t);
    list_push(p, &tuple->list, &cap, e);
    while (take_op(p, ',') && !at_op(p, ']'))
        list_push(p, &tuple->list, &cap, parse_subscript(p));
    ast_end(p, tuple);
    return tuple;
}

/* primary := atom ( '.' NAME | '(' args ')' | '[' subscripts ']' )* */
static Ast *parse_primary(ScParser *p)
{
    const ScToken *start = tok(p);
    Ast *e = parse_atom(p), *n;

    for (;;) {
        if (take_op(p, '.')) {
            if (tok(p)->kind != TK_NAME)
                parse_fail(p, tok(p), "invalid syntax: expected a name after '.'");
            n = ast_new(p, E_ATTR, start);
            n->name = tok(p)->name;
            p->at++;
        } else if (at_op(p, '(')) {
            p->at++;
            n = parse_args(p, ast_new(p, E_CALL, start));
        } else if (take_op(p, '[')) {
            n = ast_new(p, E_INDEX, start);
            n->b = parse_subscripts(p);
            need_op(p, ']', "']'");
        } else {
            return e;
        }
        n->a = e;
        ast_end(p, n);
        e = n;
    }
}

/* ---- operators --------------------------------------------------------------------- */

/* power := primary ['**' unary] */
static Ast *parse_power(ScParser *p)
{
    const ScToken *start = tok(p);
    Ast *e = parse_primary(p), *n;

    if (!take_op(p, OPC2('*', '*')))
        return e;
    n = ast_new(p, E_BIN, start);
    n->op = OP2_POW;
    n->a = e;
    n->b = parse_unary(p);
    ast_end(p, n);
    return n;
}

/* unary := ('-' | '+' | '~') unary | power */
static Ast *parse_unary(ScParser *p)
{
    Ast *n;

    if (!at_op(p, '-') && !at_op(p, '+') && !at_op(p, '~'))
        return parse_power(p);
    n = ast_new(p, E_UN, tok(p));
    n->op = at_op(p, '-') ? OP1_NEG : at_op(p, '+') ? OP1_POS : OP1_INVERT;
    p->at++;
    parse_deeper(p);
    if (n->op == OP1_NEG && tok(p)->kind == TK_INT && tok(p)->n == 19 &&
        memcmp(tok(p)->s, "9223372036854775808", 19) == 0) {
        n->kind = E_INT;
        n->i = INT64_MIN;
        p->at++;
        p->u->depth--;
        ast_end(p, n);
        return n;
    }
    n->a = parse_unary(p);
    p->u->depth--;
    ast_end(p, n);
    if (n->op == OP1_NEG && n->a->kind == E_INT && n->a->i != INT64_MIN) {
        n->kind = E_INT;
        n->i = -n->a->i;
    } else if (n->op == OP1_NEG && n->a->kind == E_FLOAT) {
        n->kind = E_FLOAT;
        n->f = -n->a->f;
    }
    return n;
}

static const struct {
    uint32_t op;
    uint8_t level, what;
} binary_ops[] = {
    {'|', 1, OP2_OR}, {'^', 2, OP2_XOR}, {'&', 3, OP2_AND},
    {OPC2('<', '<'), 4, OP2_LSHIFT}, {OPC2('>', '>'), 4, OP2_RSHIFT},
    {'+', 5, OP2_ADD}, {'-', 5, OP2_SUB},
    {'*', 6, OP2_MUL}, {'/', 6, OP2_DIV}, {OPC2('/', '/'), 6, OP2_FLOORDIV},
    {'%', 6, OP2_MOD}, {'@', 6, OP2_MATMUL},
};

static int binary_level(const ScToken *t, uint8_t *what)
{
    if (t->kind == TK_OP)
        for (int i = 0; i < COUNT(binary_ops); i++)
            if (binary_ops[i].op == t->op) {
                *what = binary_ops[i].what;
                return binary_ops[i].level;
            }
    return 0;
}

/* binary := unary (OP binary)*, left to right within a level: | ^ & << + * */
static Ast *parse_binary(ScParser *p, int level)
{
    const ScToken *start = tok(p);
    Ast *e = parse_unary(p), *n;
    uint8_t what = 0;
    int l;

    while ((l = binary_level(tok(p), &what)) >= level && l > 0) {
        p->at++;
        n = ast_new(p, E_BIN, start);
        n->op = what;
        n->a = e;
        n->b = parse_binary(p, l + 1);
        ast_end(p, n);
        e = n;
    }
    return e;
}

static int comparison(ScParser *p)
{
    const ScToken *t = tok(p);

    if (t->kind == TK_OP)
        switch (t->op) {
        case '<': p->at++; return CMP_LT;
        case '>': p->at++; return CMP_GT;
        case OPC2('<', '='): p->at++; return CMP_LE;
        case OPC2('>', '='): p->at++; return CMP_GE;
        case OPC2('=', '='): p->at++; return CMP_EQ;
        case OPC2('!', '='): p->at++; return CMP_NE;
        default: return -1;
        }
    if (take_kw(p, KW_in))
        return CMP_IN;
    if (take_kw(p, KW_is))
        return take_kw(p, KW_not) ? CMP_ISNOT : CMP_IS;
    if (at_kw(p, KW_not) && t[1].kind == TK_KEYWORD && t[1].op == KW_in) {
        p->at += 2;
        return CMP_NOTIN;
    }
    return -1;
}

/* comparison := binary (cmpop binary)* */
static Ast *parse_comparison(ScParser *p)
{
    const ScToken *start = tok(p);
    Ast *e = parse_binary(p, 1), *n;
    VEC(uint8_t) ops = {0};
    uint32_t cap = 0;
    int op = comparison(p);

    if (op < 0)
        return e;
    n = ast_new(p, E_CMP, start);
    n->a = e;
    for (; op >= 0; op = comparison(p)) {
        vec_push(&p->u->arena, &ops, (uint8_t)op);
        list_push(p, &n->list, &cap, parse_binary(p, 1));
    }
    n->ops = ops.v;
    ast_end(p, n);
    return n;
}

/* not := 'not' not | comparison */
static Ast *parse_not(ScParser *p)
{
    Ast *n;

    if (!at_kw(p, KW_not))
        return parse_comparison(p);
    n = ast_new(p, E_UN, tok(p));
    n->op = OP1_NOT;
    p->at++;
    parse_deeper(p);
    n->a = parse_not(p);
    p->u->depth--;
    ast_end(p, n);
    return n;
}

static Ast *parse_logic(ScParser *p, Keyword k, AstKind kind, Ast *(*sub)(ScParser *p))
{
    const ScToken *start = tok(p);
    Ast *e = sub(p), *n;
    uint32_t cap = 0;

    if (!at_kw(p, k))
        return e;
    n = ast_new(p, kind, start);
    list_push(p, &n->list, &cap, e);
    while (take_kw(p, k))
        list_push(p, &n->list, &cap, sub(p));
    ast_end(p, n);
    return n;
}

/* and := not ('and' not)*      or := and ('or' and)* */
static Ast *parse_and(ScParser *p)
{
    return parse_logic(p, KW_and, E_AND, parse_not);
}

static Ast *parse_or(ScParser *p)
{
    return parse_logic(p, KW_or, E_OR, parse_and);
}

/* lambda := 'lambda' params ':' expr */
static Ast *parse_lambda(ScParser *p)
{
    Ast *n = ast_new(p, E_LAMBDA, tok(p)), *ret;
    FuncDef *d = arena_zalloc(&p->u->arena, sizeof *d), *outer = p->def;
    uint32_t cap = 0;

    n->def = d;
    d->name = intern(&p->u->names, "<lambda>");
    d->is_lambda = true;
    p->at++;
    parse_params(p, d, ':');
    p->def = d;
    ret = ast_new(p, S_RETURN, tok(p));
    ret->a = parse_expr(p);
    ast_end(p, ret);
    p->def = outer;
    list_push(p, &d->body, &cap, ret);
    ast_end(p, n);
    return n;
}

/* expr := lambda | or ['if' or 'else' expr] */
Ast *parse_expr(ScParser *p)
{
    const ScToken *start = tok(p);
    Ast *e, *n;

    parse_deeper(p);
    if (at_kw(p, KW_lambda)) {
        e = parse_lambda(p);
    } else {
        e = parse_or(p);
        if (at_kw(p, KW_if)) {
            p->at++;
            n = ast_new(p, E_COND, start);
            n->b = e;
            n->a = parse_or(p);
            if (!take_kw(p, KW_else))
                parse_fail(p, tok(p), "expected 'else' after 'if' expression");
            n->c = parse_expr(p);
            ast_end(p, n);
            e = n;
        }
    }
    p->u->depth--;
    return e;
}

/* named := NAME ':=' expr | expr */
Ast *parse_named(ScParser *p)
{
    const ScToken *t = tok(p);
    Ast *n;

    if (t->kind != TK_NAME || t[1].kind != TK_OP || t[1].op != OPC2(':', '='))
        return parse_expr(p);
    n = ast_new(p, E_WALRUS, t);
    n->a = parse_atom(p);
    p->at++;
    n->b = parse_expr(p);
    ast_end(p, n);
    return n;
}

/* yield := 'yield' ['from' expr | exprs] */
static Ast *parse_yield(ScParser *p)
{
    Ast *n = ast_new(p, E_YIELD, tok(p));

    if (!p->def || p->def->is_lambda)
        parse_fail(p, tok(p), "'yield' outside function");
    p->def->is_generator = true;
    p->at++;
    if (take_kw(p, KW_from)) {
        n->kind = E_YIELDFROM;
        n->a = parse_expr(p);
    } else if (tok(p)->kind != TK_NEWLINE && !at_op(p, ')') && !at_op(p, ']') &&
               !at_op(p, '}') && !at_op(p, '=') && !at_op(p, ';')) {
        n->a = parse_exprs(p);
    }
    ast_end(p, n);
    return n;
}

static bool ends_exprs(ScParser *p)
{
    const ScToken *t = tok(p);

    return t->kind == TK_NEWLINE || t->kind == TK_EOF ||
           (t->kind == TK_KEYWORD && t->op == KW_in) ||
           (t->kind == TK_OP &&
            (t->op == ')' || t->op == ']' || t->op == '}' || t->op == '=' || t->op == ':' ||
             t->op == ';' || (t->n >= 2 && t->s[t->n - 1] == '=')));
}

/* exprs := item (',' item)* ','? | yield */
Ast *parse_exprs(ScParser *p)
{
    const ScToken *start = tok(p);

    if (at_kw(p, KW_yield))
        return parse_yield(p);
    return parse_more_exprs(p, start, parse_item(p));
}

static Ast *parse_more_exprs(ScParser *p, const ScToken *start, Ast *e)
{
    Ast *tuple;
    uint32_t cap = 0;

    if (!at_op(p, ','))
        return e;
    tuple = ast_new(p, E_TUPLE, start);
    list_push(p, &tuple->list, &cap, e);
    while (take_op(p, ',') && !ends_exprs(p))
        list_push(p, &tuple->list, &cap, parse_item(p));
    ast_end(p, tuple);
    return tuple;
}

/* targets := ('*'? primary) (',' ..)* ; what may stand between 'for' and 'in' */
Ast *parse_target_list(ScParser *p)
{
    const ScToken *start = tok(p);
    Ast *e = NULL, *tuple = NULL;
    uint32_t cap = 0;

    for (;;) {
        if (at_op(p, '*')) {
            e = ast_new(p, E_STAR, tok(p));
            p->at++;
            e->a = parse_primary(p);
            ast_end(p, e);
        } else {
            e = parse_primary(p);
        }
        if (tuple)
            list_push(p, &tuple->list, &cap, e);
        if (!at_op(p, ','))
            break;
        p->at++;
        if (!tuple) {
            tuple = ast_new(p, E_TUPLE, start);
            list_push(p, &tuple->list, &cap, e);
        }
        if (at_kw(p, KW_in))
            break;
    }
    if (tuple)
        ast_end(p, tuple);
    check_target(p, tuple ? tuple : e, "assign to");
    return tuple ? tuple : e;
}
