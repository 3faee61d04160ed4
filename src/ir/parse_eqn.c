/* parse_eqn.c -- lines of programs: equations, guards, and the places behind them.
 *
 *   line  = guard | eqn .
 *   guard = "guard" dim ( "==" | ">=" | "<=" ) dim .
 *   eqn   = [ result { "," result } "=" ]
 *           OP { NAME } { value } { KEY "=" value } [ place ] .
 */
#include "ir/parse.h"

#include "op/op.h"

/* ---- values ------------------------------------------------------------------------ */

bool parse_value(Parser *p, Val *out)
{
    const char *s;
    uint32_t n;
    Token t;
    NameSlot *slot;

    if (!parse_name(p, "a value", &t, &s, &n))
        return false;
    slot = names_find(&p->vals, s, n);
    if (!slot)
        return parse_fail_unknown(p, t, "value", names_nearest(&p->vals, s, n));
    *out = (Val)slot->value;
    return true;
}

/* Enter v under a name that stands at t; %7 stays a value without name. The table here
 * knows that the name is new, so the builder need not look (b_name). */
bool parse_define_value(Parser *p, Token t, const char *s, uint32_t n, Val v)
{
    Builder *b = p->b;
    NameSlot *old;
    char *name;

    if (!names_add(&p->vals, s, n, v, &old))
        return parse_fail_at(p, t, WF_ERR_NAME, "value '%s' is defined already",
                       token_str(p, t));
    if (t.kind == '%')
        return true;
    name = arena_alloc(&b->arena, n + 1);
    memcpy(name, s, n);
    name[n] = '\0';
    b->vals.v[v].name = b->names.n;
    vec_push(&b->arena, &b->names, name);
    return true;
}

/* ---- places ------------------------------------------------------------------------ */

static bool is_path_byte(char c)
{
    return (unsigned char)c > ' ' && !strchr(":\"#!{}", c);
}

/* ":" INT at *s; false if it is not there or too large. */
static bool scan_colon_int(const char **s, const char *end, uint32_t *out)
{
    bool overflow;
    uint64_t v;
    const char *e;

    if (*s == end || **s != ':' || *s + 1 == end || (*s)[1] < '0' || (*s)[1] > '9')
        return false;
    e = number_parse_u64(*s + 1, end, &v, &overflow);
    if (!e || v > UINT32_MAX)
        return false;
    *s = e;
    *out = (uint32_t)v;
    return true;
}

/* A word of bytes for which ok, or a string; NULL if there is neither. */
static const char *scan_word(Parser *p, const char **s, bool (*ok)(char c))
{
    Lex l = {.at = *s, .end = p->lex.end, .line = p->tok.line, .row = p->tok.row};
    const char *e = *s, *out;
    Token t;
    uint32_t n;

    if (*s < p->lex.end && **s == '"') {
        t = lex_next(&l);
        if (t.kind != TOK_STRING || !string_text(p, t, &out, &n))
            return NULL;
        *s = l.at;
        return out;
    }
    while (e < p->lex.end && ok(*e))
        e++;
    if (e == *s)
        return NULL;
    out = copy_name(p, *s, (uint32_t)(e - *s));
    *s = e;
    return out;
}

static bool is_via_byte(char c) { return c == '/' || name_is_byte((unsigned char)c); }

/* "-" is nowhere. False if there is something else at *s. */
static bool scan_nowhere(const Parser *p, const char **s)
{
    if (*s == p->lex.end || **s != '-' || (*s + 1 < p->lex.end && (*s)[1] > ' '))
        return false;
    ++*s;
    return true;
}

/* Everything behind the "@". */
static bool scan_place(Parser *p, const char **s, Place *out)
{
    const char *end = p->lex.end;
    bool overflow;
    uint64_t v;

    *out = NOWHERE;
    if (scan_nowhere(p, s))
        return true;
    out->file = scan_word(p, s, is_path_byte);
    if (!out->file || !scan_colon_int(s, end, &out->line) ||
        !scan_colon_int(s, end, &out->col) || out->line == 0)
        return false;
    if (*s < end && **s == '+') {
        *s = number_parse_u64(*s + 1, end, &v, &overflow);
        if (!*s || v > UINT32_MAX)
            return false;
        out->len = (uint32_t)v;
    }
    if (*s < end && **s == '!') {
        ++*s;
        out->via = scan_word(p, s, is_via_byte);
        return out->via != NULL;
    }
    return true;
}

/* place = "@" ( "-" | ( PATH | STRING ) ":" LINE ":" COL [ "+" LEN ]
 *         [ "!" ( WORD { "/" WORD } | STRING ) ] ) .
 * Read from the bytes: a path is no token. */
static bool parse_place(Parser *p, Place *out)
{
    const char *s = p->tok.s + 1;

    if (!scan_place(p, &s, out))
        return failed(p->cx)
                   ? false
                   : parse_fail_at(p, p->tok, WF_ERR_SYNTAX, "expected @file:line:column");
    p->lex.at = s;
    p->last = s;
    p->tok = lex_next(&p->lex);
    return true;
}

/* ---- equations --------------------------------------------------------------------- */

typedef struct Result { /* a name to the left of = */
    Token tok;
    const char *s;
    uint32_t n;
    bool typed;
    Lex type_lex; /* its type, read once the equation is there, which may define symbols */
    Token type_tok;
} Result;

#define FEW 8

typedef struct EqnText {
    Token start, op_tok;
    Result few[FEW], *results;
    uint32_t nresults;
    int op;
    bool dot; /* the short form of dot_general */
    void *attr;
    uint64_t given; /* which fields have their value */
    Place place;
} EqnText;

#define OP_SLOTS 512

static uint32_t op_slot(const char *s, uint32_t n)
{
    uint64_t h = n;

    for (uint32_t i = 0; i < n; i++)
        h = h * 31 + (unsigned char)s[i];
    return (uint32_t)((h * 0x9E3779B97F4A7C15u) >> 48) & (OP_SLOTS - 1);
}

const int16_t *parse_make_op_slots(Arena *a)
{
    int16_t *slots = arena_alloc(a, OP_SLOTS * sizeof *slots);

    for (int i = 0; i < OP_SLOTS; i++)
        slots[i] = -1;
    for (int op = 0; op < OP_COUNT; op++) {
        uint32_t k =
            op_slot(op_name((unsigned)op), (uint32_t)strlen(op_name((unsigned)op)));

        while (slots[k] >= 0)
            k = (k + 1) & (OP_SLOTS - 1);
        slots[k] = (int16_t)op;
    }
    return slots;
}

static bool parse_op(Parser *p, EqnText *e)
{
    Token t = p->tok;
    const char *names[OP_COUNT + 1];
    uint32_t k;

    if (t.kind != TOK_NAME)
        return parse_fail_expected(p, "an op");
    e->op_tok = t;
    for (k = op_slot(t.s, t.n); p->ops[k] >= 0; k = (k + 1) & (OP_SLOTS - 1))
        if (token_is(t, op_name((unsigned)p->ops[k]))) {
            e->op = p->ops[k];
            next_token(p);
            return true;
        }
    if (token_is(t, "dot")) {
        e->op = OP_dot_general;
        e->dot = true;
        next_token(p);
        return true;
    }
    for (int i = 0; i < OP_COUNT; i++)
        names[i] = op_name((unsigned)i);
    names[OP_COUNT] = "dot";
    return parse_fail_unknown(p, t, "op", nearest_name(token_str(p, t), names, OP_COUNT + 1));
}

/* Past the tokens of a type; what is wrong with it is said when it is read. */
static bool skip_type(Parser *p)
{
    uint32_t open = 0;

    do {
        if (p->tok.kind == TOK_END || p->tok.kind == TOK_LINE || p->tok.kind == '{' ||
            p->tok.kind == '}' || p->tok.kind == TOK_BAD)
            return parse_fail_expected(p, "a type");
        open += p->tok.kind == '[';
        open -= p->tok.kind == ']' && open;
        next_token(p);
    } while (open || p->tok.kind == '[');
    return true;
}

static void push_result(Parser *p, EqnText *e, Result r)
{
    if (e->nresults >= FEW && (e->nresults & (e->nresults - 1)) == 0) {
        Result *more = arena_array(p->a, (size_t)e->nresults * 2, sizeof *more);

        memcpy(more, e->results, e->nresults * sizeof *more);
        e->results = more;
    }
    e->results[e->nresults++] = r;
}

/* result { "," result } "="        result = NAME [ ":" type ] . */
static bool parse_results(Parser *p, EqnText *e)
{
    char next = lex_peek(&p->lex);
    bool is_value = p->tok.kind == '%';

    if (!is_value && (!name_is_token(p) || (next != '=' && next != ',' && next != ':')))
        return true; /* an op without results */
    do {
        Result r = {.typed = false};

        if (!parse_name(p, "the name of a result", &r.tok, &r.s, &r.n))
            return false;
        if (parse_take(p, ':')) {
            r.typed = true;
            r.type_lex = p->lex;
            r.type_tok = p->tok;
            if (!skip_type(p))
                return false;
        }
        push_result(p, e, r);
    } while (parse_take(p, ','));
    return parse_need(p, '=', "'='");
}

/* A key of the attributes, not an operand. */
static bool at_key(const Parser *p)
{
    return p->tok.kind == TOK_NAME && lex_peek_assign(&p->lex);
}

bool parse_at_end(const Parser *p)
{
    int k = p->tok.kind;

    return k == TOK_LINE || k == TOK_END || k == '}' || k == '@';
}

static bool parse_operands(Parser *p, const EqnText *e)
{
    int nin = op_table[e->op].nin;

    p->in.n = 0;
    while ((nin < 0 || p->in.n < (uint32_t)nin) && name_is_token(p) && !at_key(p)) {
        Val v;

        if (!parse_value(p, &v))
            return false;
        vec_push(p->a, &p->in, v);
    }
    if (nin >= 0 && p->in.n < (uint32_t)nin)
        return parse_fail_at(p, parse_at_end(p) ? e->op_tok : p->tok, WF_ERR_SYNTAX,
                       "%.*s takes %d operand%s, found %u", (int)e->op_tok.n, e->op_tok.s,
                       nin, nin == 1 ? "" : "s", p->in.n);
    return true;
}

/* The fields without keys, after the operands. */
static bool parse_positional(Parser *p, EqnText *e)
{
    const AttrField *fields = op_row((unsigned)e->op)->attrs;

    for (int i = 0; fields && fields[i].name; i++) {
        if (!fields[i].positional)
            continue;
        if (parse_at_end(p) || at_key(p))
            return true;
        if (!parse_field(p, &fields[i], e->attr))
            return false;
        e->given |= UINT64_C(1) << i;
    }
    return true;
}

static int find_field(Parser *p, const EqnText *e)
{
    const AttrField *fields = op_row((unsigned)e->op)->attrs;
    const char *names[64], *near;
    int n = 0;

    for (; fields && fields[n].name && n < 64; n++) {
        if (token_is(p->tok, fields[n].name) && !e->dot)
            return n;
        names[n] = fields[n].name;
    }
    near = e->dot ? NULL : nearest_name(token_str(p, p->tok), names, n);
    parse_fail_at(p, p->tok, WF_ERR_NAME, "%.*s has no attribute '%s'%s%s%s", (int)e->op_tok.n,
            e->op_tok.s, token_str(p, p->tok), near ? "; did you mean '" : "",
            near ? near : "", near ? "'?" : "");
    return -1;
}

/* { KEY "=" value } */
static bool parse_keys(Parser *p, EqnText *e)
{
    while (at_key(p)) {
        int i = find_field(p, e);

        if (i < 0)
            return false;
        if (e->given >> i & 1)
            return parse_fail_at(p, p->tok, WF_ERR_NAME, "attribute '%s' is given twice",
                           token_str(p, p->tok));
        next_token(p);
        next_token(p);
        if (!parse_field(p, &op_row((unsigned)e->op)->attrs[i], e->attr))
            return false;
        e->given |= UINT64_C(1) << i;
    }
    return true;
}

static bool check_given(Parser *p, const EqnText *e)
{
    const AttrField *fields = op_row((unsigned)e->op)->attrs;

    for (int i = 0; fields && fields[i].name; i++)
        if (fields[i].standard == ATTR_REQUIRED && !(e->given >> i & 1) && !e->dot)
            return parse_fail_at(p, e->op_tok, WF_ERR_SYNTAX, "%s needs its attribute '%s'",
                           op_name((unsigned)e->op), fields[i].name);
    return true;
}

/* const = "const" type number, list or tensor . */
static bool parse_const_attr(Parser *p, EqnText *e)
{
    ConstAttr *a = e->attr;

    p->in.n = 0;
    return parse_type(p, &a->type) && parse_const(p, a->type, &a->data, &a->splat);
}

static bool parse_attr(Parser *p, EqnText *e)
{
    const OpRow *row = op_row((unsigned)e->op);

    if (row->attrs) {
        e->attr = arena_zalloc(p->a, row->attr_size);
        attr_set_standard(row->attrs, e->attr);
    }
    if (e->op == OP_const)
        return parse_const_attr(p, e);
    return parse_operands(p, e) && parse_positional(p, e) && parse_keys(p, e) &&
           check_given(p, e);
}

/* The place in this text: from the first token to the last, as far as the line goes. */
static Place own_place(Parser *p, const EqnText *e)
{
    Place place = place_of(p, e->start);
    const char *nl = memchr(e->start.s, '\n', (size_t)(p->last - e->start.s));

    place.len = (uint32_t)MIN((nl ? nl : p->last) - e->start.s, (ptrdiff_t)UINT32_MAX);
    return place;
}

static bool check_result_type(Parser *p, const Result *r, Val v)
{
    Lex lex = p->lex;
    Token tok = p->tok;
    const char *last = p->last;
    Type type;

    p->lex = r->type_lex;
    p->tok = r->type_tok;
    if (!parse_type(p, &type))
        return false;
    if (!type_eq(type, b_type(p->b, v)))
        return parse_fail_at(p, r->type_tok, WF_ERR_TYPE, "'%s' is written as %s, but is %s",
                       token_str(p, r->tok), type_str(&p->b->dims, type, p->a),
                       type_str(&p->b->dims, b_type(p->b, v), p->a));
    p->lex = lex;
    p->tok = tok;
    p->last = last;
    return true;
}

static bool build_eqn(Parser *p, EqnText *e)
{
    uint32_t n;
    Val few[FEW], *out = few;
    DotAttr dot;

    b_at(p->b, e->place);
    if (e->dot) {
        dot_short_attr(p->a, b_type(p->b, p->in.v[0]), b_type(p->b, p->in.v[1]), &dot);
        e->attr = &dot;
    }
    if (op_table[e->op].nout >= 0 && op_table[e->op].nout <= FEW)
        n = b_eqn(p->b, (OpCode)e->op, p->in.v, p->in.n, e->attr, few, FEW);
    else
        out = b_eqn_n(p->b, (OpCode)e->op, p->in.v, p->in.n, e->attr, &n);
    if (failed(p->cx))
        return parse_fail_here(p, e->op_tok);
    if (n != e->nresults)
        return parse_fail_at(p, e->op_tok, WF_ERR_SYNTAX,
                       "%.*s has %u result%s, but %u %s named", (int)e->op_tok.n,
                       e->op_tok.s, n, n == 1 ? "" : "s", e->nresults,
                       e->nresults == 1 ? "is" : "are");
    for (uint32_t i = 0; i < n; i++) {
        const Result *r = &e->results[i];

        if (!parse_define_value(p, r->tok, r->s, r->n, out[i]) ||
            (r->typed && !check_result_type(p, r, out[i])))
            return false;
    }
    return true;
}

/* eqn = [ result { "," result } "=" ]
 *       OP { NAME } { value } { KEY "=" value } [ place ] . */
bool parse_eqn(Parser *p)
{
    EqnText e;

    e.start = p->tok;
    e.results = e.few;
    e.nresults = 0;
    e.dot = false;
    e.attr = NULL;
    e.given = 0;
    if (!parse_results(p, &e) || !parse_op(p, &e) || !parse_attr(p, &e))
        return false;
    e.place = own_place(p, &e);
    if (p->tok.kind == '@' && !parse_place(p, &e.place))
        return false;
    if (!parse_at_end(p) || p->tok.kind == '@') {
        int nin = op_table[e.op].nin;

        if (name_is_token(p) && nin >= 0)
            return parse_fail_at(p, p->tok, WF_ERR_SYNTAX,
                           "%.*s takes %d operand%s, '%s' is one too many",
                           (int)e.op_tok.n, e.op_tok.s, nin, nin == 1 ? "" : "s",
                           token_str(p, p->tok));
        return parse_fail_expected(p, "the end of the equation");
    }
    return build_eqn(p, &e);
}

/* guard = "guard" dim ( "==" | ">=" | "<=" ) dim . */
bool parse_guard(Parser *p)
{
    Token start = p->tok;
    Dim lhs, rhs;
    int rel;

    next_token(p);
    if (!parse_dim(p, &lhs))
        return false;
    rel = p->tok.kind;
    if (rel != TOK_EQ && rel != TOK_GE && rel != TOK_LE)
        return parse_fail_expected(p, "'==', '>=' or '<='");
    next_token(p);
    if (!parse_dim(p, &rhs))
        return false;
    start.n = (uint32_t)(p->last - start.s);
    if (!parse_at_end(p) || p->tok.kind == '@')
        return parse_fail_expected(p, "the end of the guard");
    if (!dim_guard(&p->b->dims, rel == TOK_LE ? rhs : lhs, rel == TOK_EQ,
                   rel == TOK_LE ? lhs : rhs, place_of(p, start)))
        return parse_fail_here(p, start);
    return true;
}
