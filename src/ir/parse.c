/* parse.c -- programs from text.
 *
 *   file    = [ "weft" INT ] { program } .
 *   program = NAME [ "[" NAME { "," NAME } "]" ] "(" [ param { "," param } ] ")"
 *             "{" { line } "ret" [ NAME { "," NAME } ] "}" .
 *   param   = NAME ":" type .
 *   line    = guard | eqn .
 *
 * docs/ir.md has the whole grammar. The first error stops the reader.
 *
 * Method: one pass finds where each program begins, so that an equation can name a program
 * that comes later; then each is read by recursive descent into a verbatim builder. An
 * equation that names a program not read yet has it read first, nested at most MAX_NESTING
 * deep. Nothing else here recurses on what the text says, but for dims (MAX_PARENS).
 */
#include "ir/parse.h"

#include "op/op.h"

/* ---- errors and tokens ------------------------------------------------------------- */

Place place_of(const Parser *p, Token t)
{
    return (Place){
        .file = p->file, .line = t.row, .col = (uint32_t)(t.s - t.line) + 1, .len = t.n};
}

bool parse_fail_at(Parser *p, Token t, wf_status status, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    fail_list(p->cx, status, place_of(p, t), fmt, ap);
    va_end(ap);
    return false;
}

bool parse_fail_here(Parser *p, Token t)
{
    Place place = place_of(p, t);

    if (failed(p->cx) && p->cx->error.place.line == 0 && p->cx->status < WF_ERR_MEMORY) {
        place.file = arena_strdup(&p->cx->errors, p->file);
        if (place.file)
            p->cx->error.place = place;
        p->cx->rendered = NULL;
    }
    return false;
}

#define SHOWN 40

const char *token_str(Parser *p, Token t)
{
    bool cut = t.n > SHOWN;
    uint32_t n = cut ? SHOWN : t.n;

    while (cut && n &&
           ((unsigned char)t.s[n] & 0xC0) == 0x80) /* not inside a character */
        n--;
    return arena_printf(p->a, "%.*s%s", (int)n, t.s, cut ? "..." : "");
}

static const char *describe(Parser *p, Token t)
{
    if (t.kind == TOK_END)
        return "the end of the text";
    if (t.kind == TOK_LINE)
        return "the end of the line";
    if (t.kind == TOK_BAD && *t.s == '"')
        return "a string without its closing quote";
    if (t.kind == TOK_BAD && (unsigned char)*t.s < 0x20)
        return arena_printf(p->a, "the control character 0x%02x", (unsigned char)*t.s);
    return t.kind == TOK_STRING ? token_str(p, t)
                                : arena_printf(p->a, "'%s'", token_str(p, t));
}

bool parse_fail_expected(Parser *p, const char *what)
{
    return parse_fail_at(p, p->tok, WF_ERR_SYNTAX, "expected %s, found %s", what,
                   describe(p, p->tok));
}

void next_token(Parser *p)
{
    p->last = p->tok.s + p->tok.n;
    p->tok = lex_next(&p->lex);
}

bool parse_take(Parser *p, int kind)
{
    if (p->tok.kind != kind)
        return false;
    next_token(p);
    return true;
}

bool parse_need(Parser *p, int kind, const char *what)
{
    return parse_take(p, kind) || parse_fail_expected(p, what);
}

bool token_is(Token t, const char *word)
{
    return t.kind == TOK_NAME && strlen(word) == t.n && memcmp(t.s, word, t.n) == 0;
}

static void skip_lines(Parser *p)
{
    while (p->tok.kind == TOK_LINE)
        next_token(p);
}

static int hex_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

bool string_text(Parser *p, Token t, const char **out, uint32_t *out_n)
{
    char *to = arena_alloc(p->a, t.n);
    const char *s = t.s + 1, *end = t.s + t.n - 1;
    uint32_t n = 0;

    for (; s < end; s++) {
        char c = *s;

        if (c == '\\') {
            c = *++s;
            if (c == 'n' || c == 't') {
                c = c == 'n' ? '\n' : '\t';
            } else if (c == 'x' && end - s > 2 && hex_value(s[1]) >= 0 &&
                       hex_value(s[2]) >= 0) {
                c = (char)(hex_value(s[1]) * 16 + hex_value(s[2]));
                s += 2;
            } else if (c != '\\' && c != '"') {
                t.s = s - 1;
                t.n = 2;
                return parse_fail_at(p, t, WF_ERR_SYNTAX,
                               "unknown escape; \\n \\t \\\\ \\\" \\xNN exist");
            }
            if (c == '\0')
                return parse_fail_at(p, t, WF_ERR_SYNTAX, "a string cannot hold a zero byte");
        }
        to[n++] = c;
    }
    to[n] = '\0';
    *out = to;
    *out_n = n;
    return true;
}

/* name = NAME | "%" INT | STRING . */
bool parse_name(Parser *p, const char *what, Token *out_tok, const char **out,
                uint32_t *out_n)
{
    Token t = p->tok;

    if (t.kind == '%' && p->lex.at < p->lex.end && *p->lex.at >= '0' &&
        *p->lex.at <= '9') {
        next_token(p);
        t.n = (uint32_t)(p->tok.s + p->tok.n - t.s);
    } else if (t.kind == TOK_STRING) {
        if (!string_text(p, t, out, out_n))
            return false;
        if (*out_n == 0)
            return parse_fail_at(p, t, WF_ERR_SYNTAX, "an empty name");
        if (**out == '%')
            return parse_fail_at(p, t, WF_ERR_SYNTAX, "a name in quotes that begins with %%");
        *out_tok = t;
        next_token(p);
        return true;
    } else if (t.kind != TOK_NAME) {
        return parse_fail_expected(p, what);
    }
    next_token(p);
    *out_tok = t;
    *out = t.s;
    *out_n = t.n;
    return true;
}

bool name_is_token(const Parser *p)
{
    return p->tok.kind == TOK_NAME || p->tok.kind == TOK_STRING || p->tok.kind == '%';
}

const char *copy_name(Parser *p, const char *s, uint32_t n)
{
    char *name = arena_alloc(p->a, n + 1);

    memcpy(name, s, n);
    name[n] = '\0';
    return name;
}

bool parse_fail_unknown(Parser *p, Token t, const char *kind, const char *near)
{
    return parse_fail_at(p, t, WF_ERR_NAME, "unknown %s '%s'%s%s%s", kind, token_str(p, t),
                   near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

/* ---- programs ---------------------------------------------------------------------- */

static bool declare_symbol(Parser *p, const char *s, uint32_t n)
{
    NameSlot *old;
    Dim d;

    if (names_find(&p->syms, s, n))
        return true;
    d = b_symbol(p->b, copy_name(p, s, n));
    if (d == DIM_NONE)
        return false;
    names_add(&p->syms, s, n, d, &old);
    return true;
}

/* symbols = "[" NAME { "," NAME } "]" , after those that inputs have bare. */
static bool parse_symbols(Parser *p)
{
    const char *s;
    uint32_t n;
    Token t;

    if (!parse_take(p, '['))
        return true;
    do {
        if (!parse_name(p, "a symbol", &t, &s, &n))
            return false;
        if (names_find(&p->syms, s, n))
            return parse_fail_at(p, t, WF_ERR_NAME,
                           "symbol '%s' is listed twice, or an input has it bare",
                           token_str(p, t));
        if (!declare_symbol(p, s, n))
            return parse_fail_here(p, t);
    } while (parse_take(p, ','));
    return parse_need(p, ']', "',' or ']'");
}

/* The symbols that stand bare in the types of the inputs, in order: they are known in the
 * types before them too. */
static bool find_bare_symbols(Parser *p)
{
    Lex lex = p->lex;
    Token tok = p->tok;
    uint32_t parens = 0, brackets = 0;
    int before = 0;
    bool ok = true;

    while (p->tok.kind != TOK_END && p->tok.kind != '{' && p->tok.kind != '(')
        next_token(p);
    next_token(p);
    while (ok && p->tok.kind != TOK_END && p->tok.kind != '{' &&
           (parens || p->tok.kind != ')')) {
        Token t = p->tok;
        int kind = t.kind;

        if (brackets && !parens && (before == '[' || before == ',') &&
            (kind == TOK_NAME || kind == TOK_STRING)) {
            Lex ahead = p->lex;
            int next = lex_next(&ahead).kind;

            if (kind == TOK_STRING)
                ok = string_text(p, t, &t.s, &t.n);
            if (ok && (next == ',' || next == ']'))
                ok = declare_symbol(p, t.s, t.n);
        }
        brackets += kind == '[';
        brackets -= kind == ']' && brackets;
        parens += kind == '(';
        parens -= kind == ')';
        before = kind;
        next_token(p);
    }
    p->lex = lex;
    p->tok = tok;
    return ok;
}

/* params = "(" [ param { "," param } ] ")"        param = NAME ":" type . */
static bool parse_params(Parser *p)
{
    if (!parse_need(p, '(', "'(' and the inputs"))
        return false;
    for (bool first = true; p->tok.kind != ')'; first = false) {
        const char *s;
        uint32_t n;
        Token t;
        Type type;
        Val v;

        if (!first && !parse_need(p, ',', "',' or ')'"))
            return false;
        if (!parse_name(p, "an input", &t, &s, &n) || !parse_need(p, ':', "':' and the type") ||
            !parse_type(p, &type))
            return false;
        v = b_input(p->b, NULL, type);
        if (failed(p->cx))
            return parse_fail_here(p, t);
        if (!parse_define_value(p, t, s, n, v))
            return false;
    }
    next_token(p);
    return true;
}

/* "ret" [ NAME { "," NAME } ] "}" , up to the brace. */
static bool parse_ret(Parser *p)
{
    next_token(p);
    p->in.n = 0;
    if (!parse_at_end(p)) {
        do {
            Val v;

            if (!parse_value(p, &v))
                return false;
            vec_push(p->a, &p->in, v);
        } while (parse_take(p, ','));
    }
    skip_lines(p);
    return p->tok.kind == '}' || parse_fail_expected(p, "'}' after ret");
}

static bool parse_body(Parser *p)
{
    if (!parse_need(p, '{', "'{'"))
        return false;
    for (;;) {
        skip_lines(p);
        if (token_is(p->tok, "ret") && !lex_peek_assign(&p->lex))
            return parse_ret(p);
        if (p->tok.kind == '}')
            return parse_fail_expected(p, "ret and the results");
        if (token_is(p->tok, "guard") && !lex_peek_assign(&p->lex) ? !parse_guard(p)
                                                                   : !parse_eqn(p))
            return false;
    }
}

/* A copy of the reader goes through the program; the one it was copied from stays. */
static bool parse_program(const Parser *from, ParseEntry *entry)
{
    Parser inner = *from, *p = &inner;

    p->nesting++;
    if (p->nesting > MAX_NESTING)
        return parse_fail_at(p, p->tok, WF_ERR_LIMIT, "programs nested deeper than %d",
                       MAX_NESTING);
    entry->user = p->entry;
    entry->state = ENTRY_ACTIVE;
    p->entry = entry;
    p->lex = entry->lex;
    p->vals = p->syms = (ParseNames){.a = p->a};
    memset(&p->in, 0, sizeof p->in);
    names_reserve(&p->vals, entry->rows);
    p->b = builder_new(p->cx, entry->text, B_VERBATIM);
    p->file = intern_name(&p->b->strings, p->file);
    p->tok = entry->name;
    next_token(p);
    if (!find_bare_symbols(p) || !parse_symbols(p) || !parse_params(p) || !parse_body(p))
        return false;
    entry->p = builder_finish(p->b, p->in.v, p->in.n);
    if (!entry->p)
        return parse_fail_here(p, entry->name);
    entry->state = ENTRY_DONE;
    entry->lex = p->lex; /* after the brace */
    return true;
}

/* The recursion from entry `to` back to itself, as "f -> g -> f". */
static bool fail_cycle(Parser *p, Token t, const ParseEntry *to)
{
    VEC(const char *) names = {0};
    Text path;

    for (const ParseEntry *e = p->entry; e && e != to; e = e->user)
        vec_push(p->a, &names, e->text);
    text_init(&path, p->a);
    text_add(&path, to->text);
    for (uint32_t i = names.n; i > 0; i--)
        text_printf(&path, " -> %s", names.v[i - 1]);
    return parse_fail_at(p, t, WF_ERR_VALUE, "recursion: %s -> %s", text_str(&path), to->text);
}

bool parse_program_ref(Parser *p, const Program **out)
{
    const char *s;
    uint32_t n;
    Token t;
    NameSlot *slot;
    ParseEntry *entry;

    if (!parse_name(p, "the name of a program", &t, &s, &n))
        return false;
    slot = names_find(&p->programs, s, n);
    if (!slot)
        return parse_fail_unknown(p, t, "program", names_nearest(&p->programs, s, n));
    entry = &p->entries[slot->value];
    if (entry->state == ENTRY_ACTIVE)
        return fail_cycle(p, t, entry);
    if (entry->state == ENTRY_NEW && !parse_program(p, entry)) {
        fail_note(p->cx, place_of(p, t), "used by '%s' here", p->entry->text);
        return false;
    }
    *out = entry->p;
    return true;
}

/* ---- the text ---------------------------------------------------------------------- */

/* Valid UTF-8 without NUL, or an error at the first byte that is not. */
static bool check_bytes(Parser *p)
{
    const char *s = p->lex.at, *end = p->lex.end, *line = s;
    const uint64_t high = UINT64_C(0x8080808080808080),
                   one = UINT64_C(0x0101010101010101);
    uint32_t row = 1;
    uint64_t w;
    Token t;

    while (s < end) {
        int len;

        if (end - s >= 8) {
            memcpy(&w, s, 8);
            if (!((w | ((w - one) & ~w)) & high)) {
                s += 8;
                continue;
            }
        }
        len = *s ? utf8_len(s, (size_t)(end - s)) : 0;
        if (len == 0)
            break;
        s += len;
    }
    if (s == end)
        return true;
    for (const char *q = line; q < s; q++)
        if (*q == '\n') {
            row++;
            line = q + 1;
        }
    t = (Token){.s = s, .line = line, .row = row, .n = 1};
    return parse_fail_at(p, t, WF_ERR_SYNTAX, *s ? "bytes that are not UTF-8" : "a zero byte");
}

/* Past everything up to the given brace; false at the end of the text. */
static bool skip_to(Lex *l, char brace)
{
    for (; l->at < l->end; l->at++) {
        char c = *l->at;

        if (c == brace)
            return true;
        if (c == '\n') {
            l->line = l->at + 1;
            l->row++;
        } else if (c == '#') {
            const char *nl = memchr(l->at, '\n', (size_t)(l->end - l->at));

            l->at = (nl ? nl : l->end) - 1;
        } else if (c == '"') {
            const char *s = l->at;

            lex_next(l); /* the string; a bad one is one byte */
            l->at = MAX(l->at, s + 1) - 1;
        }
    }
    return false;
}

/* The entries: where each program begins. What is wrong with the text in between is left
 * to the reader, which comes there later. */
static bool find_programs(Parser *p)
{
    Lex l = p->lex;
    VEC(ParseEntry) found = {0};

    for (;;) {
        ParseEntry e = {.state = ENTRY_NEW};
        NameSlot *old;
        uint32_t n;

        l.depth = 1; /* lines do not matter here */
        e.name = lex_next(&l);
        if (e.name.kind != TOK_NAME && e.name.kind != TOK_STRING)
            break;
        n = e.name.n;
        e.text = e.name.kind == TOK_NAME ? copy_name(p, e.name.s, n) : NULL;
        if (!e.text && !string_text(p, e.name, &e.text, &n))
            return false;
        e.lex = l;
        e.lex.depth = 0;
        if (!names_add(&p->programs, e.text, n, found.n, &old)) {
            parse_fail_at(p, e.name, WF_ERR_NAME, "program '%s' is defined twice",
                    token_str(p, e.name));
            return fail_note(p->cx, place_of(p, found.v[old->value].name), "first here");
        }
        vec_push(p->a, &found, e);
        if (!skip_to(&l, '{') || !skip_to(&l, '}'))
            break;
        l.at++;
        found.v[found.n - 1].rows = l.row - e.name.row;
    }
    p->entries = found.v;
    p->nentries = found.n;
    return true;
}

/* [ "weft" INT ] */
static bool parse_version(Parser *p)
{
    int64_t v;

    skip_lines(p);
    if (!token_is(p->tok, "weft") || lex_peek(&p->lex) < '0' || lex_peek(&p->lex) > '9')
        return true;
    next_token(p);
    Token t = p->tok;
    if (!parse_int(p, &v))
        return false;
    if (v != TEXT_VERSION)
        return parse_fail_at(p, t, WF_ERR_FORMAT,
                       "text version %lld; this Weft reads version %d", (long long)v,
                       TEXT_VERSION);
    if (p->tok.kind != TOK_LINE && p->tok.kind != TOK_END)
        return parse_fail_expected(p, "the end of the version line");
    return true;
}

bool programs_parse(wf_ctx *cx, const char *name, const char *text, size_t size,
                    const ParseEnv *env, const Program ***out, uint32_t *out_n)
{
    Parser p = {.cx = cx,
                .a = &cx->scratch,
                .file = name ? name : "<text>",
                .env = env,
                .programs = {.a = &cx->scratch},
                .tok = {.s = text},
                .lex = {.at = text, .end = text + size, .line = text, .row = 1}};
    const Program **all;

    *out = NULL;
    *out_n = 0;
    if (failed(cx))
        return false;
    ctx_add_source(cx, p.file, text, size);
    if (!check_bytes(&p))
        return false;
    p.ops = parse_make_op_slots(p.a);
    next_token(&p);
    if (!parse_version(&p))
        return false;
    p.lex.at = p.tok.s;
    p.lex.line = p.tok.line;
    p.lex.row = p.tok.row;
    if (!find_programs(&p))
        return false;
    next_token(&p);
    all = arena_array(p.a, p.nentries, sizeof *all);
    for (uint32_t i = 0; i < p.nentries; i++) {
        ParseEntry *e = &p.entries[i];

        skip_lines(&p);
        if (p.tok.s != e->name.s)
            return parse_fail_expected(&p, "the name of a program");
        if (e->state == ENTRY_NEW && !parse_program(&p, e))
            return false;
        all[i] = e->p;
        p.lex = e->lex;
        next_token(&p);
    }
    skip_lines(&p);
    if (p.tok.kind != TOK_END)
        return parse_fail_expected(&p, "the name of a program");
    *out = all;
    *out_n = p.nentries;
    return true;
}
