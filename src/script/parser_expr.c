/* parser_expr.c -- expressions, by recursive descent; the grammar rule stands above each
 * function. parser_str.c has those of strings. */
#include "ast.h"

static Ast *parse_or(ScParser *p);
static Ast *parse_unary(ScParser *p);
static Ast *parse_more_exprs(ScParser *p, const ScToken *start, Ast *e);

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
            sc_parse_fail(p, t, "invalid digit '%c' in integer literal", s[i]);
        if (v > (INT64_MAX - (uint64_t)d) / (uint64_t)base && a->kind == E_INT) {
            a->kind = E_BIG;
            a->name = s;
            a->n = n;
        }
        v = a->kind == E_BIG ? 1 : v * (uint64_t)base + (uint64_t)d;
    }
    if (n == 1 && base == 10 && s[0] < '0')
        sc_parse_fail(p, t, "invalid syntax");
    if (n > 1 && s[0] == '0' && base == 10 && v != 0)
        sc_parse_fail(p, t, "leading zeros in decimal integer literals are not permitted");
    if (a->kind == E_INT)
        a->i = (int64_t)v;
    return a;
}

/* ---- displays and comprehensions --------------------------------------------------- */

static bool at_comp(ScParser *p) { return at_kw(p, KW_for) || at_kw(p, KW_async); }

/* comp_for := 'for' targets 'in' or_test ('if' or_test)* comp_for? */
static void parse_comp(ScParser *p, Ast *comp)
{
    uint32_t cap = 0;

    while (at_comp(p)) {
        Ast *f = ast_new(p, E_FOR, tok(p));
        uint32_t ifcap = 0;

        if (at_kw(p, KW_async) && !p->in_async)
            sc_parse_fail(p, tok(p), "async is outside this language");
        p->at += at_kw(p, KW_async) ? 2 : 1;
        f->a = sc_parse_target_list(p);
        if (!sc_take_kw(p, KW_in))
            sc_parse_fail(p, tok(p), "invalid syntax: expected 'in'");
        f->b = parse_or(p);
        if (at_kw(p, KW_if) && 0)
            return;
        while (sc_take_kw(p, KW_if))
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
    return sc_parse_named(p);
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
        e = sc_parse_exprs(p);
    } else {
        const ScToken *first = tok(p);

        e = parse_item(p);
        if (e->kind != E_STAR && at_comp(p)) {
            g = ast_new(p, E_GENEXP, t);
            g->a = e;
            parse_comp(p, g);
            e = g;
        } else {
            e = parse_more_exprs(p, first, e);
        }
    }
    if (!at_op(p, ')'))
        sc_parse_fail(p, tok(p), "invalid syntax: expected ')'");
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

        if (l->list.n == 0 && at_comp(p)) {
            l->kind = E_LISTCOMP;
            l->a = e;
            parse_comp(p, l);
            break;
        }
        list_push(p, &l->list, &cap, e);
        if (!sc_take_op(p, ','))
            break;
    }
    sc_need_op(p, ']', "']'");
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
        if (d->kind == E_DICT && sc_take_op(p, OPC2('*', '*'))) {
            list_push(p, &d->list, &kcap, NULL);
            list_push(p, &d->more, &vcap, parse_or(p));
        } else {
            k = parse_item(p);
            if (d->list.n == 0 && !at_op(p, ':'))
                d->kind = E_SET;
            if (d->kind == E_DICT) {
                sc_need_op(p, ':', "':' after dictionary key");
                list_push(p, &d->list, &kcap, k);
                list_push(p, &d->more, &vcap, sc_parse_expr(p));
            } else {
                list_push(p, &d->list, &kcap, k);
            }
        }
        if (d->list.n == 1 && at_comp(p)) {
            d->a = d->list.v[0];
            d->b = d->kind == E_DICT ? d->more.v[0] : NULL;
            d->kind = d->kind == E_DICT ? E_DICTCOMP : E_SETCOMP;
            d->list = d->more = (AstList){0};
            parse_comp(p, d);
            break;
        }
        if (!sc_take_op(p, ','))
            break;
    }
    sc_need_op(p, '}', "'}'");
    ast_end(p, d);
    return d;
}

/* ---- atoms and trailers ------------------------------------------------------------ */

/* atom := NAME | NUMBER | STR+ | None | True | False | '...' | paren | list | braces */
Ast *sc_parse_atom(ScParser *p)
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
    case TK_STR: return sc_parse_strings(p);
    case TK_KEYWORD:
        if (t->op == KW_None || t->op == KW_True || t->op == KW_False) {
            a = ast_new(p, t->op == KW_None ? E_NONE : t->op == KW_True ? E_TRUE : E_FALSE, t);
            p->at++;
            ast_end(p, a);
            return a;
        }
        if (t->op == KW_await && p->in_async) {
            p->at++;
            return parse_unary(p);
        }
        if (t->op == KW_await || t->op == KW_async)
            sc_parse_fail(p, t, "async and await are outside this language");
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
        sc_parse_fail(p, t, "invalid syntax: expected an expression");
    if (t->kind == TK_INDENT)
        unit_error(p->u, C_IndentationError, t->line, t->col, 0, "unexpected indent");
    sc_parse_fail(p, t, "invalid syntax");
}

/* args := arg (',' arg)* ','?    arg := named [comp_for] | NAME '=' expr | '*' e | '**' e */
Ast *sc_parse_args(ScParser *p, Ast *call)
{
    uint32_t cap = 0;
    bool kw = false;
    Ast *a;

    while (!at_op(p, ')')) {
        const ScToken *t = tok(p);

        if (sc_take_op(p, OPC2('*', '*')) || sc_take_op(p, '*')) {
            a = ast_new(p, t->op == '*' ? E_STAR : E_DSTAR, t);
            a->a = sc_parse_expr(p);
            kw |= a->kind == E_DSTAR;
        } else if (t->kind == TK_NAME && t[1].kind == TK_OP && t[1].op == '=') {
            a = ast_new(p, E_KW, t);
            a->name = intern_n(&p->u->names, t->s, t->n); /* as written, also in a class: t->name may be mangled */
            p->at += 2;
            a->a = sc_parse_expr(p);
            kw = true;
            for (uint32_t i = 0; i < call->list.n; i++)
                if (call->list.v[i]->kind == E_KW && call->list.v[i]->name == a->name)
                    sc_parse_fail(p, t, "keyword argument repeated: %s", a->name);
        } else {
            a = sc_parse_named(p);
            if (at_comp(p)) {
                Ast *g = ast_like(p, E_GENEXP, a);

                g->a = a;
                parse_comp(p, g);
                ast_end(p, g);
                a = g;
            } else if (at_op(p, '=')) {
                sc_parse_fail(p, t, "expression cannot contain assignment, perhaps you meant \"==\"?");
            }
            if (kw)
                sc_parse_fail(p, t, "positional argument follows keyword argument");
        }
        ast_end(p, a);
        list_push(p, &call->list, &cap, a);
        if (!sc_take_op(p, ','))
            break;
    }
    if (!at_op(p, ')'))
        sc_parse_fail(p, tok(p), "invalid syntax. Perhaps you forgot a comma?");
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
    sc_need_op(p, ':', "':'");
    if (!at_op(p, ':') && !at_op(p, ']') && !at_op(p, ','))
        s->b = sc_parse_expr(p);
    if (sc_take_op(p, ':') && !at_op(p, ']') && !at_op(p, ','))
        s->c = sc_parse_expr(p);
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
    while (sc_take_op(p, ',') && !at_op(p, ']'))
        list_push(p, &tuple->list, &cap, parse_subscript(p));
    ast_end(p, tuple);
    return tuple;
}

/* primary := atom ( '.' NAME | '(' args ')' | '[' subscripts ']' )* */
static Ast *parse_primary(ScParser *p)
{
    const ScToken *start = tok(p);
    Ast *e = sc_parse_atom(p), *n;

    for (;;) {
        if (sc_take_op(p, '.')) {
            if (tok(p)->kind != TK_NAME)
                sc_parse_fail(p, tok(p), "invalid syntax: expected a name after '.'");
            n = ast_new(p, E_ATTR, start);
            n->name = tok(p)->name;
            p->at++;
        } else if (at_op(p, '(')) {
            p->at++;
            n = sc_parse_args(p, ast_new(p, E_CALL, start));
        } else if (sc_take_op(p, '[')) {
            n = ast_new(p, E_INDEX, start);
            n->b = parse_subscripts(p);
            sc_need_op(p, ']', "']'");
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

    if (!sc_take_op(p, OPC2('*', '*')))
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
    sc_parse_deeper(p);
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
    if (sc_take_kw(p, KW_in))
        return CMP_IN;
    if (sc_take_kw(p, KW_is))
        return sc_take_kw(p, KW_not) ? CMP_ISNOT : CMP_IS;
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
    sc_parse_deeper(p);
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
    while (sc_take_kw(p, k))
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
    d->name = intern_name(&p->u->names, "<lambda>");
    d->is_lambda = true;
    p->at++;
    sc_parse_params(p, d, ':');
    p->def = d;
    ret = ast_new(p, S_RETURN, tok(p));
    ret->a = sc_parse_expr(p);
    ast_end(p, ret);
    p->def = outer;
    list_push(p, &d->body, &cap, ret);
    ast_end(p, n);
    return n;
}

/* expr := lambda | or ['if' or 'else' expr] */
Ast *sc_parse_expr(ScParser *p)
{
    const ScToken *start = tok(p);
    Ast *e, *n;

    sc_parse_deeper(p);
    if (at_kw(p, KW_lambda)) {
        e = parse_lambda(p);
    } else {
        e = parse_or(p);
        if (at_kw(p, KW_if)) {
            p->at++;
            n = ast_new(p, E_COND, start);
            n->b = e;
            n->a = parse_or(p);
            if (!sc_take_kw(p, KW_else))
                sc_parse_fail(p, tok(p), "expected 'else' after 'if' expression");
            n->c = sc_parse_expr(p);
            ast_end(p, n);
            e = n;
        }
    }
    p->u->depth--;
    return e;
}

/* named := NAME ':=' expr | expr */
Ast *sc_parse_named(ScParser *p)
{
    const ScToken *t = tok(p);
    Ast *n;

    if (t->kind != TK_NAME || t[1].kind != TK_OP || t[1].op != OPC2(':', '='))
        return sc_parse_expr(p);
    n = ast_new(p, E_WALRUS, t);
    n->a = sc_parse_atom(p);
    p->at++;
    n->b = sc_parse_expr(p);
    ast_end(p, n);
    return n;
}

/* yield := 'yield' ['from' expr | exprs] */
static Ast *parse_yield(ScParser *p)
{
    Ast *n = ast_new(p, E_YIELD, tok(p));

    if (!p->def || p->def->is_lambda)
        sc_parse_fail(p, tok(p), "'yield' outside function");
    p->def->is_generator = true;
    p->at++;
    if (sc_take_kw(p, KW_from)) {
        n->kind = E_YIELDFROM;
        n->a = sc_parse_expr(p);
    } else if (tok(p)->kind != TK_NEWLINE && !at_op(p, ')') && !at_op(p, ']') &&
               !at_op(p, '}') && !at_op(p, '=') && !at_op(p, ';')) {
        n->a = sc_parse_exprs(p);
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
Ast *sc_parse_exprs(ScParser *p)
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
    while (sc_take_op(p, ',') && !ends_exprs(p))
        list_push(p, &tuple->list, &cap, parse_item(p));
    ast_end(p, tuple);
    return tuple;
}

/* targets := ('*'? primary) (',' ..)* ; what may stand between 'for' and 'in' */
Ast *sc_parse_target_list(ScParser *p)
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
    sc_check_target(p, tuple ? tuple : e, "assign to");
    return tuple ? tuple : e;
}
