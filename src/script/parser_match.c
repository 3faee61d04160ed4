/* parser_match.c -- match statements, made into if statements.
 *
 *   match x:                      if (.m := x, ..) and <pattern 1 holds for .m> and guard: block
 *       case pattern if guard:    elif <pattern 2 holds for .m>: ..
 *
 * A capture is an assignment inside the condition. What sequence, mapping and class patterns take apart
 * is asked of built-in functions (__match_sequence__ ..), which give the parts as a list, or None. Names
 * that begin with a dot hold subjects and parts; no program can spell them.
 */
#include "ast.h"

typedef struct Subject { /* a hidden variable, or a part of the list in it */
    const char *name;
    int64_t part; /* -1: the variable itself */
} Subject;

static Ast *parse_pattern(ScParser *p, Subject s);

static const char *hidden_name(ScParser *p)
{
    return intern_name(&p->u->names, arena_printf(&p->u->arena, ".m%u", p->u->nmatch++));
}

static Ast *name_node(ScParser *p, const Ast *at, const char *name)
{
    Ast *n = ast_like(p, E_NAME, at);

    n->name = intern_name(&p->u->names, name);
    return n;
}

static Ast *int_node(ScParser *p, const Ast *at, int64_t i)
{
    Ast *n = ast_like(p, E_INT, at);

    n->i = i;
    return n;
}

static Ast *subject_node(ScParser *p, const Ast *at, Subject s)
{
    Ast *v = name_node(p, at, s.name), *n;

    if (s.part < 0)
        return v;
    n = ast_like(p, E_INDEX, at);
    n->a = v;
    n->b = int_node(p, at, s.part);
    return n;
}

static Ast *compare(ScParser *p, Ast *a, CmpOp op, Ast *b)
{
    Ast *n = ast_like(p, E_CMP, a);
    uint8_t *ops = arena_alloc(&p->u->arena, 1);
    uint32_t cap = 0;

    ops[0] = (uint8_t)op;
    n->a = a;
    n->ops = ops;
    list_push(p, &n->list, &cap, b);
    return n;
}

static Ast *assign(ScParser *p, const Ast *at, const char *name, Ast *value)
{
    Ast *n = ast_like(p, E_WALRUS, at);

    n->a = name_node(p, at, name);
    n->b = value;
    return n;
}

/* a op b op ..; NULL stands for what always holds */
static Ast *join(ScParser *p, AstKind kind, const Ast *at, Ast *a, Ast *b)
{
    Ast *n;
    uint32_t cap = 0;

    if (kind == E_AND && (!a || !b))
        return a ? a : b;
    n = ast_like(p, kind, at);
    list_push(p, &n->list, &cap, a ? a : ast_like(p, E_TRUE, at));
    list_push(p, &n->list, &cap, b ? b : ast_like(p, E_TRUE, at));
    return n;
}

/* name := value, whatever it is: true */
static Ast *capture(ScParser *p, const Ast *at, const char *name, Ast *value)
{
    return join(p, E_OR, at, compare(p, assign(p, at, name, value), CMP_IS, ast_like(p, E_NONE, at)), NULL);
}

static Ast *call(ScParser *p, const Ast *at, const char *fn, Ast *a, Ast *b, Ast *c, Ast *d)
{
    Ast *n = ast_like(p, E_CALL, at), *args[] = {a, b, c, d};
    uint32_t cap = 0;

    n->a = name_node(p, at, fn);
    for (int i = 0; i < COUNT(args); i++)
        if (args[i])
            list_push(p, &n->list, &cap, args[i]);
    return n;
}

/* (.m := helper(..)) is not None */
static Ast *parts(ScParser *p, const Ast *at, const char *name, Ast *helper)
{
    return compare(p, assign(p, at, name, helper), CMP_ISNOT, ast_like(p, E_NONE, at));
}

static const char *need_capture(ScParser *p)
{
    if (tok(p)->kind != TK_NAME)
        sc_parse_fail(p, tok(p), "invalid syntax: expected a name");
    return p->t.v[p->at++].name;
}

static bool is_wild(const char *name) { return strcmp(name, "_") == 0; }

/* Patterns up to the bracket `close` (0: to the ':' or 'if'); one of them may be starred. */
static Ast *parse_sequence(ScParser *p, const Ast *at, Subject s, uint32_t close)
{
    const char *name = hidden_name(p);
    int64_t n = 0, star = -1;
    Ast *all = NULL;

    while (close ? !at_op(p, close) : !at_op(p, ':') && !at_kw(p, KW_if)) {
        if (sc_take_op(p, '*')) {
            const char *rest = need_capture(p);

            if (star >= 0)
                sc_parse_fail(p, tok(p), "multiple starred expressions in sequence pattern");
            star = n;
            if (!is_wild(rest))
                all = join(p, E_AND, at, all, capture(p, at, rest, subject_node(p, at, (Subject){name, n})));
        } else {
            all = join(p, E_AND, at, all, parse_pattern(p, (Subject){name, n}));
        }
        n++;
        if (!sc_take_op(p, ','))
            break;
    }
    if (close)
        sc_need_op(p, close, "a closing bracket");
    return join(p, E_AND, at,
                parts(p, at, name, call(p, at, "__match_sequence__", subject_node(p, at, s), int_node(p, at, n),
                                        int_node(p, at, star), NULL)),
                all);
}

/* '(' pattern ')' is the pattern itself; with a comma, or nothing, a sequence */
static Ast *parse_group(ScParser *p, const Ast *at, Subject s)
{
    uint32_t start = p->at;
    Ast *one;

    if (at_op(p, ')') || at_op(p, '*'))
        return parse_sequence(p, at, s, ')');
    one = parse_pattern(p, s);
    if (sc_take_op(p, ')'))
        return one;
    p->at = start;
    return parse_sequence(p, at, s, ')');
}

static Ast *parse_value(ScParser *p)
{
    const ScToken *t = tok(p);
    bool minus = sc_take_op(p, '-');
    Ast *v = sc_parse_atom(p), *n;

    if (!minus)
        return v;
    n = ast_new(p, E_UN, t);
    n->op = OP1_NEG;
    n->a = v;
    return n;
}

/* NAME ('.' NAME)*, after its first name */
static Ast *parse_dotted_value(ScParser *p)
{
    Ast *v = ast_new(p, E_NAME, tok(p)), *n;

    v->name = need_capture(p);
    while (sc_take_op(p, '.')) {
        n = ast_like(p, E_ATTR, v);
        n->a = v;
        n->name = need_capture(p);
        v = n;
    }
    return v;
}

static Ast *parse_mapping(ScParser *p, const Ast *at, Subject s)
{
    const char *name = hidden_name(p), *rest = NULL;
    Ast *keys = ast_like(p, E_TUPLE, at), *all = NULL, *key;
    uint32_t cap = 0;
    int64_t n = 0;

    while (!at_op(p, '}')) {
        if (sc_take_op(p, OPC2('*', '*'))) {
            rest = need_capture(p);
        } else {
            key = tok(p)->kind == TK_NAME ? parse_dotted_value(p) : parse_value(p);
            list_push(p, &keys->list, &cap, key);
            sc_need_op(p, ':', "':'");
            all = join(p, E_AND, at, all, parse_pattern(p, (Subject){name, n++}));
        }
        if (!sc_take_op(p, ','))
            break;
    }
    sc_need_op(p, '}', "'}'");
    if (rest)
        all = join(p, E_AND, at, all, capture(p, at, rest, subject_node(p, at, (Subject){name, n})));
    return join(p, E_AND, at, parts(p, at, name, call(p, at, "__match_mapping__", subject_node(p, at, s), keys, NULL, NULL)), all);
}

/* Class(pattern, .., name=pattern, ..), after the bracket */
static Ast *parse_class_pattern(ScParser *p, Ast *cls, Subject s)
{
    const char *name = hidden_name(p);
    Ast *names = ast_like(p, E_TUPLE, cls), *all = NULL, *key;
    uint32_t cap = 0;
    int64_t n = 0, positional = 0;

    while (!at_op(p, ')')) {
        if (tok(p)->kind == TK_NAME && tok(p)[1].kind == TK_OP && tok(p)[1].op == '=') {
            key = ast_like(p, E_STR, cls);
            key->name = need_capture(p);
            key->n = (uint32_t)strlen(key->name);
            list_push(p, &names->list, &cap, key);
            p->at++;
        } else {
            if (names->list.n)
                sc_parse_fail(p, tok(p), "positional patterns follow keyword patterns");
            positional++;
        }
        all = join(p, E_AND, cls, all, parse_pattern(p, (Subject){name, n++}));
        if (!sc_take_op(p, ','))
            break;
    }
    sc_need_op(p, ')', "')'");
    return join(p, E_AND, cls,
                parts(p, cls, name, call(p, cls, "__match_class__", subject_node(p, cls, s), cls,
                                         int_node(p, cls, positional), names)),
                all);
}

/* closed := literal | NAME | dotted | '(' .. ')' | '[' .. ']' | '{' .. '}' | dotted '(' .. ')' */
static Ast *parse_closed(ScParser *p, Subject s)
{
    Ast *at = ast_new(p, E_TRUE, tok(p)), *v;
    const char *name;

    if (at_kw(p, KW_None) || at_kw(p, KW_True) || at_kw(p, KW_False))
        return compare(p, subject_node(p, at, s), CMP_IS, sc_parse_atom(p));
    if (sc_take_op(p, '['))
        return parse_sequence(p, at, s, ']');
    if (sc_take_op(p, '('))
        return parse_group(p, at, s);
    if (sc_take_op(p, '{'))
        return parse_mapping(p, at, s);
    if (tok(p)->kind != TK_NAME)
        return compare(p, subject_node(p, at, s), CMP_EQ, parse_value(p));
    name = tok(p)->name;
    v = parse_dotted_value(p);
    if (sc_take_op(p, '('))
        return parse_class_pattern(p, v, s);
    if (v->kind == E_ATTR)
        return compare(p, subject_node(p, at, s), CMP_EQ, v);
    return is_wild(name) ? NULL : capture(p, at, name, subject_node(p, at, s));
}

/* pattern := closed ('|' closed)* ['as' NAME]; NULL: it always holds */
static Ast *parse_pattern(ScParser *p, Subject s)
{
    Ast *at = ast_new(p, E_TRUE, tok(p)), *v;

    sc_parse_deeper(p);
    v = parse_closed(p, s);
    while (sc_take_op(p, '|'))
        v = join(p, E_OR, at, v, parse_closed(p, s));
    if (sc_take_kw(p, KW_as))
        v = join(p, E_AND, at, v, capture(p, at, need_capture(p), subject_node(p, at, s)));
    p->u->depth--;
    return v;
}

/* case := 'case' pattern (',' pattern)* ['if' named]; what must hold */
static Ast *parse_case_head(ScParser *p, Subject s)
{
    Ast *at = ast_new(p, E_TRUE, tok(p)), *v;
    uint32_t start = p->at;

    if (at_op(p, '*')) {
        v = parse_sequence(p, at, s, 0);
    } else {
        v = parse_pattern(p, s);
        if (at_op(p, ',')) {
            p->at = start;
            v = parse_sequence(p, at, s, 0);
        }
    }
    if (sc_take_kw(p, KW_if))
        v = join(p, E_AND, at, v, sc_parse_named(p));
    return v ? v : at;
}

static bool is_word(const ScToken *t, const char *word)
{
    return t->kind == TK_NAME && t->n == strlen(word) && memcmp(t->s, word, t->n) == 0;
}

bool sc_match_begins(ScParser *p)
{
    const ScToken *t = tok(p);

    if (!is_word(t, "match"))
        return false;
    while (t->kind != TK_NEWLINE && t->kind != TK_EOF)
        t++;
    if (t->kind != TK_NEWLINE || t[-1].kind != TK_OP || t[-1].op != ':')
        return false;
    if (t[1].kind == TK_EOF)
        p->u->cut = CUT_BLOCK;
    return t[1].kind == TK_INDENT && is_word(&t[2], "case");
}

Ast *sc_parse_match(ScParser *p, void (*block)(ScParser *p, AstList *out, const char *what, uint32_t line))
{
    const ScToken *t = tok(p);
    Ast *first = ast_new(p, S_IF, t), *s = NULL, *subject;
    Subject of = {hidden_name(p), -1};

    p->at++;
    subject = sc_parse_exprs(p);
    ast_end(p, first);
    sc_need_op(p, ':', "':'");
    p->at += 2; /* the end of the line and the indentation, which sc_match_begins has seen */
    while (is_word(tok(p), "case")) {
        Ast *next = s ? ast_new(p, S_IF, tok(p)) : first;
        uint32_t line = tok(p)->line;

        p->at++;
        next->a = parse_case_head(p, of);
        if (!s)
            next->a = join(p, E_AND, first, capture(p, subject, of.name, subject), next->a);
        else
            list_push(p, &s->more, &(uint32_t){0}, next);
        block(p, &next->list, "'case' statement", line);
        s = next;
    }
    if (tok(p)->kind == TK_DEDENT)
        p->at++;
    else if (tok(p)->kind != TK_EOF)
        sc_parse_fail(p, tok(p), "invalid syntax: expected 'case'");
    return first;
}
