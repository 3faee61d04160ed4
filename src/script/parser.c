/* parser.c -- statements, by recursive descent; the grammar rule stands above each
 * function. The first error jumps out (unit_error); all memory is the unit's arena. */
#include "ast.h"

#include <stdio.h>

static void parse_block(ScParser *p, AstList *out);

_Noreturn void unit_error(Unit *u, KnownClass kind, uint32_t line, uint32_t col,
                          uint32_t len, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    u->error = arena_vprintf(&u->arena, fmt, ap);
    va_end(ap);
    u->error_kind = kind;
    u->line = line;
    u->col = col;
    u->len = len;
    longjmp(u->jump, 1);
}

/* At t something is missing: is that only because the text ends there? */
static void note_end(ScParser *p, const ScToken *t)
{
    while (t->kind == TK_DEDENT)
        t++;
    if (t->kind == TK_EOF)
        p->u->cut = CUT_BLOCK;
}

_Noreturn void sc_parse_fail(ScParser *p, const ScToken *t, const char *fmt, ...)
{
    char text[256];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    note_end(p, t);
    unit_error(p->u, C_SyntaxError, t->line, t->col, t->n, "%s", text);
}

void sc_parse_deeper(ScParser *p)
{
    if (++p->u->depth > AST_MAX_DEPTH)
        sc_parse_fail(p, tok(p), "too deeply nested");
}

/* ---- nodes ------------------------------------------------------------------------- */

Ast *ast_new(ScParser *p, AstKind k, const ScToken *from)
{
    Ast *a = arena_zalloc(&p->u->arena, sizeof *a);

    a->kind = (uint8_t)k;
    a->line = from->line;
    a->col = from->col;
    a->len = from->n;
    return a;
}

Ast *ast_like(ScParser *p, AstKind k, const Ast *from)
{
    Ast *a = arena_zalloc(&p->u->arena, sizeof *a);

    a->kind = (uint8_t)k;
    a->line = from->line;
    a->col = from->col;
    a->len = from->len;
    return a;
}

/* The node ends with the token before the current one, or with its first line. */
void ast_end(ScParser *p, Ast *a)
{
    const ScToken *t;
    const char *s, *nl;

    if (p->at == 0)
        return;
    t = &p->t.v[p->at - 1];
    if (t->line == a->line && !memchr(t->s, '\n', t->n)) {
        a->len = t->col + t->n - a->col;
        return;
    }
    for (t = &p->t.v[p->at - 1]; t > p->t.v && (t->line > a->line || t->col > a->col); t--)
        ;
    s = t->s;
    nl = memchr(s, '\n', (size_t)(p->u->text + p->u->size - s));
    nl = nl ? nl : p->u->text + p->u->size;
    while (nl > s && (nl[-1] == '\r' || nl[-1] == ' '))
        nl--;
    a->len = (uint32_t)(nl - s);
}

void list_push(ScParser *p, AstList *l, uint32_t *cap, Ast *a)
{
    if (l->n == *cap)
        l->v = vec_grow(&p->u->arena, l->v, l->n, cap, 1, sizeof *l->v);
    l->v[l->n++] = a;
}

/* ---- tokens ------------------------------------------------------------------------ */

bool sc_take_op(ScParser *p, uint32_t op)
{
    bool ok = at_op(p, op);

    p->at += ok;
    return ok;
}

bool sc_take_kw(ScParser *p, Keyword k)
{
    bool ok = at_kw(p, k);

    p->at += ok;
    return ok;
}

void sc_need_op(ScParser *p, uint32_t op, const char *what)
{
    if (!sc_take_op(p, op))
        sc_parse_fail(p, tok(p), "invalid syntax: expected %s", what);
}

static const char *need_name(ScParser *p, const char *what)
{
    if (tok(p)->kind != TK_NAME)
        sc_parse_fail(p, tok(p), "invalid syntax: expected %s", what);
    return p->t.v[p->at++].name;
}

/* ---- targets ----------------------------------------------------------------------- */

static const char *describe(const Ast *a)
{
    switch (a->kind) {
    case E_CALL: return "function call";
    case E_INT: case E_FLOAT: case E_IMAG: case E_STR: case E_BYTES: case E_BIG: return "literal";
    case E_NONE: return "None";
    case E_TRUE: return "True";
    case E_FALSE: return "False";
    case E_ELLIPSIS: return "ellipsis";
    case E_FSTR: return "f-string expression";
    case E_LAMBDA: return "lambda";
    case E_COND: return "conditional expression";
    case E_CMP: return "comparison";
    case E_DICT: return "dict literal";
    case E_SET: return "set display";
    case E_LISTCOMP: return "list comprehension";
    case E_GENEXP: return "generator expression";
    case E_YIELD: return "yield expression";
    default: return "expression";
    }
}

void sc_check_target(ScParser *p, Ast *a, const char *verb)
{
    uint32_t i, stars = 0;

    switch (a->kind) {
    case E_NAME:
    case E_ATTR:
    case E_INDEX: return;
    case E_TUPLE:
    case E_LIST:
        for (i = 0; i < a->list.n; i++) {
            Ast *e = a->list.v[i];

            if (e->kind == E_STAR && ++stars > 1)
                unit_error(p->u, C_SyntaxError, e->line, e->col, e->len,
                           "multiple starred expressions in assignment");
            sc_check_target(p, e->kind == E_STAR ? e->a : e, verb);
        }
        return;
    default:
        unit_error(p->u, C_SyntaxError, a->line, a->col, a->len, "cannot %s %s", verb,
                   describe(a));
    }
}

/* ---- simple statements ------------------------------------------------------------- */

static const struct {
    uint32_t op;
    BinOp what;
} aug_ops[] = {
    {OPC2('+', '='), OP2_ADD}, {OPC2('-', '='), OP2_SUB}, {OPC2('*', '='), OP2_MUL},
    {OPC2('/', '='), OP2_DIV}, {OPC3('/', '/', '='), OP2_FLOORDIV},
    {OPC2('%', '='), OP2_MOD}, {OPC3('*', '*', '='), OP2_POW},
    {OPC3('<', '<', '='), OP2_LSHIFT}, {OPC3('>', '>', '='), OP2_RSHIFT},
    {OPC2('&', '='), OP2_AND}, {OPC2('|', '='), OP2_OR}, {OPC2('^', '='), OP2_XOR},
    {OPC2('@', '='), OP2_MATMUL},
};

/* expr_stmt := exprs [ (aug exprs) | (':' expr ['=' exprs]) | ('=' exprs)+ ] */
static Ast *parse_expr_stmt(ScParser *p)
{
    const ScToken *start = tok(p);
    Ast *e = sc_parse_exprs(p), *s;
    uint32_t cap = 0;
    int i;

    if (tok(p)->kind == TK_OP)
        for (i = 0; i < COUNT(aug_ops); i++)
            if (tok(p)->op == aug_ops[i].op) {
                s = ast_new(p, S_AUG, start);
                if (e->kind != E_NAME && e->kind != E_ATTR && e->kind != E_INDEX)
                    unit_error(p->u, C_SyntaxError, e->line, e->col, e->len,
                               "'%s' is an illegal expression for augmented assignment",
                               describe(e));
                s->op = (uint8_t)aug_ops[i].what;
                s->a = e;
                p->at++;
                s->b = sc_parse_exprs(p);
                return s;
            }
    if (at_op(p, ':')) {
        s = ast_new(p, S_ANN, start);
        if (e->kind != E_NAME && e->kind != E_ATTR && e->kind != E_INDEX)
            unit_error(p->u, C_SyntaxError, e->line, e->col, e->len,
                       "only single target (not tuple) can be annotated");
        s->a = e;
        p->at++;
        s->b = sc_parse_expr(p);
        if (sc_take_op(p, '='))
            s->c = sc_parse_exprs(p);
        return s;
    }
    if (!at_op(p, '=')) {
        s = ast_new(p, S_EXPR, start);
        s->a = e;
        if (e->kind == E_STAR)
            sc_parse_fail(p, start, "can't use starred expression here");
        return s;
    }
    s = ast_new(p, S_ASSIGN, start);
    while (sc_take_op(p, '=')) {
        if ((e->kind == E_CMP || e->kind == E_BIN) && !e->paren)
            unit_error(p->u, C_SyntaxError, e->line, e->col, e->len,
                       "cannot assign to %s here. Maybe you meant '==' instead of '='?",
                       describe(e));
        if (e->kind == E_STAR)
            unit_error(p->u, C_SyntaxError, e->line, e->col, e->len,
                       "starred assignment target must be in a list or tuple");
        sc_check_target(p, e, "assign to");
        list_push(p, &s->list, &cap, e);
        e = sc_parse_exprs(p);
    }
    s->a = e;
    return s;
}

/* dotted := NAME ('.' NAME)* */
static const char *parse_dotted(ScParser *p)
{
    Text t;

    text_init(&t, &p->u->arena);
    text_add(&t, need_name(p, "a module name"));
    while (sc_take_op(p, '.')) {
        text_char(&t, '.');
        text_add(&t, need_name(p, "a name after '.'"));
    }
    return intern_name(&p->u->names, text_str(&t));
}

static Ast *parse_as(ScParser *p)
{
    Ast *n;

    if (!sc_take_kw(p, KW_as))
        return NULL;
    n = ast_new(p, E_NAME, tok(p));
    n->name = need_name(p, "a name after 'as'");
    return n;
}

/* import := 'import' dotted ['as' NAME] (',' ..)* */
static Ast *parse_import(ScParser *p)
{
    Ast *s = ast_new(p, S_IMPORT, tok(p));
    uint32_t cap = 0;

    p->at++;
    do {
        Ast *n = ast_new(p, S_ALIAS, tok(p));

        n->name = parse_dotted(p);
        ast_end(p, n);
        n->a = parse_as(p);
        list_push(p, &s->list, &cap, n);
    } while (sc_take_op(p, ','));
    return s;
}

/* from := 'from' '.'* [dotted] 'import' ('*' | ['('] NAME ['as' NAME] (',' ..)* [')']) */
static Ast *parse_from(ScParser *p)
{
    Ast *s = ast_new(p, S_FROM, tok(p));
    uint32_t cap = 0;
    bool paren;
    int dots = 0;

    p->at++;
    for (;; p->at++) {
        if (at_op(p, '.'))
            dots++;
        else if (at_op(p, OPC3('.', '.', '.')))
            dots += 3;
        else
            break;
    }
    s->n = (uint32_t)dots;
    s->name = dots && at_kw(p, KW_import) ? intern_name(&p->u->names, "") : parse_dotted(p);
    if (!sc_take_kw(p, KW_import))
        sc_parse_fail(p, tok(p), "invalid syntax: expected 'import'");
    if (sc_take_op(p, '*')) {
        if (p->def)
            sc_parse_fail(p, tok(p) - 1, "import * only allowed at module level");
        return s;
    }
    paren = sc_take_op(p, '(');
    do {
        Ast *n;

        if (paren && at_op(p, ')'))
            break;
        n = ast_new(p, S_ALIAS, tok(p));
        n->name = need_name(p, "a name");
        n->a = parse_as(p);
        list_push(p, &s->list, &cap, n);
    } while (sc_take_op(p, ','));
    if (paren)
        sc_need_op(p, ')', "')'");
    if (s->list.n == 0)
        sc_parse_fail(p, tok(p), "invalid syntax: expected a name");
    return s;
}

static Ast *parse_names(ScParser *p, AstKind k)
{
    Ast *s = ast_new(p, k, tok(p));
    uint32_t cap = 0;

    p->at++;
    do {
        Ast *n = ast_new(p, E_NAME, tok(p));

        n->name = need_name(p, "a name");
        list_push(p, &s->list, &cap, n);
    } while (sc_take_op(p, ','));
    return s;
}

static Ast *parse_del(ScParser *p)
{
    Ast *s = ast_new(p, S_DEL, tok(p)), *e;
    uint32_t cap = 0, i;

    p->at++;
    e = sc_parse_exprs(p);
    if (e->kind == E_TUPLE || e->kind == E_LIST) {
        for (i = 0; i < e->list.n; i++) {
            sc_check_target(p, e->list.v[i], "delete");
            list_push(p, &s->list, &cap, e->list.v[i]);
        }
    } else {
        sc_check_target(p, e, "delete");
        list_push(p, &s->list, &cap, e);
    }
    return s;
}

static bool at_end(ScParser *p)
{
    return tok(p)->kind == TK_NEWLINE || tok(p)->kind == TK_EOF || at_op(p, ';');
}

/* keyword statements of one line; NULL: not one of them */
static Ast *parse_keyword_stmt(ScParser *p)
{
    ScToken *t = tok(p);
    Ast *s;

    switch (t->op) {
    case KW_pass:
    case KW_break:
    case KW_continue:
        s = ast_new(p, t->op == KW_pass ? S_PASS : t->op == KW_break ? S_BREAK : S_CONTINUE, t);
        if (t->op != KW_pass && p->loops == 0)
            sc_parse_fail(p, t, t->op == KW_break ? "'break' outside loop"
                                               : "'continue' not properly in loop");
        p->at++;
        return s;
    case KW_return:
        s = ast_new(p, S_RETURN, t);
        if (!p->def)
            sc_parse_fail(p, t, "'return' outside function");
        p->at++;
        s->a = at_end(p) ? NULL : sc_parse_exprs(p);
        return s;
    case KW_raise:
        s = ast_new(p, S_RAISE, t);
        p->at++;
        if (!at_end(p)) {
            s->a = sc_parse_expr(p);
            s->b = sc_take_kw(p, KW_from) ? sc_parse_expr(p) : NULL;
        }
        return s;
    case KW_assert:
        s = ast_new(p, S_ASSERT, t);
        p->at++;
        s->a = sc_parse_expr(p);
        s->b = sc_take_op(p, ',') ? sc_parse_expr(p) : NULL;
        return s;
    case KW_import: return parse_import(p);
    case KW_from: return parse_from(p);
    case KW_global: return parse_names(p, S_GLOBAL);
    case KW_nonlocal:
        if (!p->def)
            sc_parse_fail(p, t, "nonlocal declaration not allowed at module level");
        return parse_names(p, S_NONLOCAL);
    case KW_del: return parse_del(p);
    default: return NULL;
    }
}

/* simple_line := simple (';' simple)* ';'? NEWLINE */
static void parse_simple_line(ScParser *p, AstList *out, uint32_t *cap)
{
    do {
        Ast *s = NULL;

        if (at_end(p) && out->n > 0)
            break;
        if (tok(p)->kind == TK_KEYWORD)
            s = parse_keyword_stmt(p);
        if (!s)
            s = parse_expr_stmt(p);
        ast_end(p, s);
        list_push(p, out, cap, s);
    } while (sc_take_op(p, ';'));
    if (tok(p)->kind == TK_EOF)
        return;
    if (tok(p)->kind != TK_NEWLINE) {
        ScToken *t = tok(p), *b = t - (p->at > 0);

        if (t->kind == TK_NAME && b->kind == TK_NAME && b->n == 5 && !memcmp(b->s, "print", 5))
            sc_parse_fail(p, b, "Missing parentheses in call to 'print'. Did you mean print(...)?");
        sc_parse_fail(p, t, "invalid syntax");
    }
    p->at++;
}

/* ---- compound statements ----------------------------------------------------------- */

static void need_colon(ScParser *p)
{
    if (at_op(p, '='))
        sc_parse_fail(p, tok(p), "invalid syntax. Maybe you meant '==' or ':=' instead of '='?");
    if (!sc_take_op(p, ':'))
        sc_parse_fail(p, tok(p), "expected ':'");
}

/* block := ':' (simple_line | NEWLINE INDENT statement+ DEDENT) */
static void parse_block_after(ScParser *p, AstList *out, const char *what, uint32_t line)
{
    uint32_t cap = 0;

    need_colon(p);
    if (tok(p)->kind != TK_NEWLINE) {
        parse_simple_line(p, out, &cap);
        return;
    }
    p->at++;
    if (tok(p)->kind != TK_INDENT) {
        note_end(p, tok(p));
        unit_error(p->u, C_IndentationError, tok(p)->line, tok(p)->col, tok(p)->n,
                   "expected an indented block after %s on line %u", what, line);
    }
    parse_block(p, out);
}

/* if := 'if' named block ('elif' named block)* ['else' block] */
static Ast *parse_if(ScParser *p)
{
    ScToken *t = tok(p);
    Ast *first = ast_new(p, S_IF, t), *s = first;

    for (;;) {
        bool elif = s != first;

        p->at++;
        s->a = sc_parse_named(p);
        ast_end(p, s);
        parse_block_after(p, &s->list, elif ? "'elif' statement" : "'if' statement", t->line);
        t = tok(p);
        if (!at_kw(p, KW_elif))
            break;
        list_push(p, &s->more, &(uint32_t){0}, ast_new(p, S_IF, t));
        s = s->more.v[0];
    }
    if (at_kw(p, KW_else)) {
        p->at++;
        parse_block_after(p, &s->more, "'else' statement", t->line);
    }
    return first;
}

static void parse_loop_rest(ScParser *p, Ast *s, const char *what)
{
    uint32_t line = s->line;

    ast_end(p, s);
    p->loops++;
    parse_block_after(p, &s->list, what, line);
    p->loops--;
    if (at_kw(p, KW_else)) {
        line = tok(p)->line;
        p->at++;
        parse_block_after(p, &s->more, "'else' statement", line);
    }
}

/* while := 'while' named block ['else' block] */
static Ast *parse_while(ScParser *p)
{
    Ast *s = ast_new(p, S_WHILE, tok(p));

    p->at++;
    s->a = sc_parse_named(p);
    parse_loop_rest(p, s, "'while' statement");
    return s;
}

/* for := 'for' targets 'in' exprs block ['else' block] */
static Ast *parse_for(ScParser *p)
{
    Ast *s = ast_new(p, S_FOR, tok(p));

    p->at++;
    s->a = sc_parse_target_list(p);
    if (!sc_take_kw(p, KW_in))
        sc_parse_fail(p, tok(p), "invalid syntax: expected 'in'");
    s->b = sc_parse_exprs(p);
    parse_loop_rest(p, s, "'for' statement");
    return s;
}

/* handler := 'except' [expr ['as' NAME]] block */
static Ast *parse_handler(ScParser *p)
{
    Ast *h = ast_new(p, S_EXCEPT, tok(p));

    p->at++;
    if (at_op(p, '*'))
        sc_parse_fail(p, tok(p), "except* is outside this language");
    if (!at_op(p, ':')) {
        h->a = sc_parse_expr(p);
        if (at_op(p, ','))
            sc_parse_fail(p, tok(p), "multiple exception types must be parenthesized");
        if (sc_take_kw(p, KW_as))
            h->name = need_name(p, "a name after 'as'");
    }
    ast_end(p, h);
    parse_block_after(p, &h->list, "'except' statement", h->line);
    return h;
}

/* try := 'try' block (handler+ ['else' block])? ['finally' block] */
static Ast *parse_try(ScParser *p)
{
    Ast *s = ast_new(p, S_TRY, tok(p));
    uint32_t cap = 0;
    bool bare = false;

    p->at++;
    parse_block_after(p, &s->list, "'try' statement", s->line);
    while (at_kw(p, KW_except)) {
        Ast *h;

        if (bare)
            sc_parse_fail(p, tok(p), "default 'except:' must be last");
        h = parse_handler(p);
        bare = !h->a;
        list_push(p, &s->more, &cap, h);
    }
    if (s->more.n && at_kw(p, KW_else)) {
        s->a = ast_new(p, S_BLOCK, tok(p));
        p->at++;
        parse_block_after(p, &s->a->list, "'else' statement", s->a->line);
    }
    if (at_kw(p, KW_finally)) {
        s->b = ast_new(p, S_BLOCK, tok(p));
        p->at++;
        parse_block_after(p, &s->b->list, "'finally' statement", s->b->line);
    }
    if (!s->more.n && !s->b)
        sc_parse_fail(p, tok(p), "expected 'except' or 'finally' block");
    return s;
}

/* with_item := expr ['as' target] */
static Ast *parse_with_item(ScParser *p)
{
    Ast *i = ast_new(p, S_ITEM, tok(p));

    i->a = sc_parse_expr(p);
    ast_end(p, i);
    if (sc_take_kw(p, KW_as)) {
        uint32_t at = p->at;

        i->b = sc_parse_expr(p);
        if (i->b->kind == E_CMP) /* cannot happen in a valid target */
            p->at = at;
        sc_check_target(p, i->b, "assign to");
    }
    return i;
}

/* with := 'with' (with_item (',' with_item)* | '(' with_item (',' ..)* ','? ')') block */
static Ast *parse_with(ScParser *p)
{
    Ast *s = ast_new(p, S_WITH, tok(p));
    uint32_t cap = 0, at, depth = 0;
    bool paren = false;

    p->at++;
    if (at_op(p, '(')) { /* parenthesised items, if the bracket closes just before ':' */
        for (at = p->at; p->t.v[at].kind != TK_EOF; at++) {
            ScToken *t = &p->t.v[at];

            if (t->kind != TK_OP)
                continue;
            if (t->op == '(' || t->op == '[' || t->op == '{')
                depth++;
            if ((t->op == ')' || t->op == ']' || t->op == '}') && --depth == 0)
                break;
        }
        paren = p->t.v[at].kind == TK_OP && p->t.v[at + 1].kind == TK_OP &&
                p->t.v[at + 1].op == ':';
        p->at += paren;
    }
    do {
        if (paren && at_op(p, ')'))
            break;
        list_push(p, &s->list, &cap, parse_with_item(p));
    } while (sc_take_op(p, ','));
    if (paren)
        sc_need_op(p, ')', "')'");
    ast_end(p, s);
    parse_block_after(p, &s->more, "'with' statement", s->line);
    return s;
}

/* ---- functions and classes --------------------------------------------------------- */

static void check_param(ScParser *p, const FuncDef *d, const ScToken *t)
{
    for (uint32_t i = 0; i < d->nparams; i++)
        if (d->params[i].name == t->name)
            sc_parse_fail(p, t, "duplicate argument '%s' in function definition", t->name);
}

/* params := param (',' param)*   param := ['*'|'**'] NAME [':' expr] ['=' expr] | '*' | '/' */
void sc_parse_params(ScParser *p, FuncDef *d, uint32_t close)
{
    VEC(Param) v = {0};
    bool star = false, dstar = false, defaulted = false, bare = false;

    while (!at_op(p, close)) {
        ScToken *t = tok(p);
        Param q = {.kind = star ? PARAM_KW : PARAM_POS};

        if (dstar)
            sc_parse_fail(p, t, "arguments cannot follow var-keyword argument");
        if (sc_take_op(p, '/')) {
            if (d->nposonly || star || !v.n)
                sc_parse_fail(p, t, "invalid syntax");
            d->nposonly = v.n;
            if (!sc_take_op(p, ','))
                break;
            continue;
        }
        if (sc_take_op(p, OPC2('*', '*'))) {
            q.kind = PARAM_DSTAR;
            dstar = true;
        } else if (sc_take_op(p, '*')) {
            if (star)
                sc_parse_fail(p, t, "* argument may appear only once");
            star = true;
            if (sc_take_op(p, ',')) {
                bare = true;
                if (at_op(p, close))
                    sc_parse_fail(p, t, "named arguments must follow bare *");
                continue;
            }
            q.kind = PARAM_STAR;
        }
        (void)bare;
        t = tok(p);
        q.at = ast_new(p, E_NAME, t);
        q.name = q.at->name = need_name(p, "a parameter name");
        d->params = v.v;
        d->nparams = v.n;
        check_param(p, d, t);
        if (close == ')' && sc_take_op(p, ':'))
            q.ann = sc_parse_expr(p);
        if (at_op(p, '=')) {
            if (q.kind == PARAM_STAR || q.kind == PARAM_DSTAR)
                sc_parse_fail(p, tok(p), "var-%s argument cannot have default value",
                           q.kind == PARAM_STAR ? "positional" : "keyword");
            p->at++;
            q.value = sc_parse_expr(p);
            defaulted |= q.kind == PARAM_POS;
        } else if (defaulted && q.kind == PARAM_POS) {
            sc_parse_fail(p, t, "non-default argument follows default argument");
        }
        vec_push(&p->u->arena, &v, q);
        if (!sc_take_op(p, ','))
            break;
    }
    d->params = v.v;
    d->nparams = v.n;
    if (d->nparams > 250)
        sc_parse_fail(p, tok(p), "more than 250 parameters");
    if (!at_op(p, close))
        sc_parse_fail(p, tok(p), "invalid syntax: expected %s", close == ')' ? "')'" : "':'");
    p->at++;
}

/* def := 'def' NAME '(' params ')' ['->' expr] block */
static Ast *parse_plain_def(ScParser *p)
{
    Ast *s = ast_new(p, S_DEF, tok(p));
    FuncDef *d = arena_zalloc(&p->u->arena, sizeof *d), *outer = p->def;
    int loops = p->loops;
    bool in_class = p->in_class, in_async = p->in_async;

    s->def = d;
    p->at++;
    p->in_async = d->is_async = in_async && p->at >= 2 && p->t.v[p->at - 2].kind == TK_KEYWORD && p->t.v[p->at - 2].op == KW_async;
    d->name = need_name(p, "a function name");
    sc_need_op(p, '(', "'('");
    sc_parse_params(p, d, ')');
    if (sc_take_op(p, OPC2('-', '>')))
        d->returns = sc_parse_expr(p);
    ast_end(p, s);
    p->def = d;
    p->loops = 0;
    p->in_class = false;
    parse_block_after(p, &d->body, "function definition", s->line);
    p->def = outer;
    p->loops = loops;
    p->in_class = in_class;
    p->in_async = in_async;
    if (d->body.n && d->body.v[0]->kind == S_EXPR && d->body.v[0]->a->kind == E_STR) {
        d->doc = d->body.v[0]->a->name;
        d->ndoc = d->body.v[0]->a->n;
    }
    return s;
}

/* Coroutines are outside the language: what a call of one does is say so. */
static void refuse_body(ScParser *p, Ast *s)
{
    static const char text[] = "coroutines are outside this language";
    Ast *r = ast_like(p, S_RAISE, s), *message = ast_like(p, E_STR, s);
    uint32_t cap = 0;

    message->name = text;
    message->n = sizeof text - 1;
    r->a = ast_like(p, E_CALL, s);
    r->a->a = ast_like(p, E_NAME, s);
    r->a->a->name = intern_n(&p->u->names, "NotImplementedError", 19);
    list_push(p, &r->a->list, &cap, message);
    s->def->body = (AstList){0};
    cap = 0;
    list_push(p, &s->def->body, &cap, r);
    s->def->is_generator = false;
}

static Ast *parse_def(ScParser *p)
{
    Ast *s = parse_plain_def(p);

    if (s->def->is_async)
        refuse_body(p, s);
    return s;
}

/* async := 'async' (def | for | with), the last two inside an async def */
static Ast *parse_async(ScParser *p)
{
    bool outer = p->in_async;
    Ast *s;

    p->at++;
    if (at_kw(p, KW_def)) {
        p->in_async = true;
        s = parse_def(p);
        p->in_async = outer;
        return s;
    }
    if (!outer || !(at_kw(p, KW_for) || at_kw(p, KW_with)))
        sc_parse_fail(p, tok(p), "async is outside this language");
    return at_kw(p, KW_for) ? parse_for(p) : parse_with(p);
}

void sc_mangle(ScParser *p, ScToken *t)
{
    const char *cls = p->cls, *name = t->name;

    if (t->kind != TK_NAME || !cls || strncmp(name, "__", 2) != 0 ||
        (strlen(name) > 3 && strcmp(name + strlen(name) - 2, "__") == 0))
        return;
    cls += strspn(cls, "_");
    if (*cls)
        t->name = intern_name(&p->u->names, arena_printf(&p->u->arena, "_%s%s", cls, name));
}

/* The token after the block whose ':' is to come from token i on. */
static uint32_t after_block(ScParser *p, uint32_t i)
{
    const ScToken *t = p->t.v;
    int depth = 0;

    for (; t[i].kind != TK_EOF && !(t[i].kind == TK_OP && t[i].op == ':' && depth == 0); i++)
        if (t[i].kind == TK_OP && t[i].op < 128 && strchr("([{}])", (int)t[i].op))
            depth += strchr("([{", (int)t[i].op) ? 1 : -1;
    while (t[i].kind != TK_EOF && t[i].kind != TK_NEWLINE)
        i++;
    if (t[i].kind == TK_EOF || t[i + 1].kind != TK_INDENT)
        return i;
    for (depth = 0, i++; t[i].kind != TK_EOF; i++) {
        depth += t[i].kind == TK_INDENT ? 1 : t[i].kind == TK_DEDENT ? -1 : 0;
        if (depth == 0)
            break;
    }
    return i;
}

/* The private names of the block that begins here; those of classes in it are theirs. */
static void mangle_block(ScParser *p)
{
    uint32_t end = after_block(p, p->at), inner = 0;

    for (uint32_t i = p->at; i < end; i++) {
        if (p->t.v[i].kind == TK_KEYWORD && p->t.v[i].op == KW_class)
            inner = after_block(p, i);
        if (inner && p->t.v[i].kind == TK_OP && p->t.v[i].op == ':') {
            i = inner;
            inner = 0;
        }
        if (i < end)
            sc_mangle(p, &p->t.v[i]);
    }
}

/* class := 'class' NAME ['(' args ')'] block */
static Ast *parse_class(ScParser *p)
{
    Ast *s = ast_new(p, S_CLASS, tok(p)), *call;
    FuncDef *outer = p->def;
    int loops = p->loops;
    bool in_class = p->in_class;
    const char *cls = p->cls;

    p->at++;
    s->name = need_name(p, "a class name");
    if (sc_take_op(p, '(')) {
        call = sc_parse_args(p, ast_like(p, E_CALL, s));
        s->list = call->list;
    }
    ast_end(p, s);
    p->def = NULL;
    p->loops = 0;
    p->in_class = true;
    p->cls = s->name;
    mangle_block(p);
    parse_block_after(p, &s->more, "class definition", s->line);
    p->cls = cls;
    p->def = outer;
    p->loops = loops;
    p->in_class = in_class;
    return s;
}

/* decorated := ('@' named NEWLINE)+ (def | class) */
static Ast *parse_decorated(ScParser *p)
{
    AstList list = {0};
    uint32_t cap = 0;
    Ast *s;

    while (sc_take_op(p, '@')) {
        list_push(p, &list, &cap, sc_parse_named(p));
        if (tok(p)->kind != TK_NEWLINE)
            sc_parse_fail(p, tok(p), "invalid syntax");
        p->at++;
    }
    if (at_kw(p, KW_def) || at_kw(p, KW_async)) {
        s = at_kw(p, KW_def) ? parse_def(p) : parse_async(p);
        if (s->kind != S_DEF)
            sc_parse_fail(p, tok(p), "invalid syntax: expected a function or a class");
        s->list = list;
    } else if (at_kw(p, KW_class)) {
        s = parse_class(p);
        s->a = ast_like(p, E_TUPLE, s);
        s->a->list = list;
    } else {
        sc_parse_fail(p, tok(p), "invalid syntax: expected a function or a class");
    }
    return s;
}

static Ast *parse_compound(ScParser *p)
{
    if (at_op(p, '@'))
        return parse_decorated(p);
    if (sc_match_begins(p))
        return sc_parse_match(p, parse_block_after);
    if (tok(p)->kind != TK_KEYWORD)
        return NULL;
    switch (tok(p)->op) {
    case KW_if: return parse_if(p);
    case KW_while: return parse_while(p);
    case KW_for: return parse_for(p);
    case KW_try: return parse_try(p);
    case KW_with: return parse_with(p);
    case KW_def: return parse_def(p);
    case KW_class: return parse_class(p);
    case KW_async: return parse_async(p);
    default: return NULL;
    }
}

/* statement := compound | simple_line */
static void parse_statement(ScParser *p, AstList *out, uint32_t *cap)
{
    Ast *s;

    if (tok(p)->kind == TK_INDENT)
        unit_error(p->u, C_IndentationError, tok(p)->line, tok(p)->col, 0,
                   "unexpected indent");
    sc_parse_deeper(p);
    s = parse_compound(p);
    if (s)
        list_push(p, out, cap, s);
    else
        parse_simple_line(p, out, cap);
    p->u->depth--;
}

static void parse_block(ScParser *p, AstList *out)
{
    uint32_t cap = 0;

    p->at++; /* INDENT */
    while (tok(p)->kind != TK_DEDENT && tok(p)->kind != TK_EOF)
        parse_statement(p, out, &cap);
    if (tok(p)->kind == TK_DEDENT)
        p->at++;
}

/* file := statement* EOF */
void sc_parse(Unit *u)
{
    ScParser p = {.u = u};
    uint32_t cap = 0;

    p.t = sc_lex(u, 0, u->size, 1, 1, false);
    while (tok(&p)->kind != TK_EOF)
        parse_statement(&p, &u->body, &cap);
}
