/* ast.c -- syntax trees as S-expressions, in the words of TorchScript's tree views:
 *
 *   (def
 *     (ident foo)
 *     (decl
 *       (list
 *         (param
 *           (ident len) ..
 *
 * A form that fits in 60 columns stands on one line.
 */
#include "ast.h"

#include <stdio.h>

typedef struct Form { /* an atom, or a list of forms whose first is its name */
    const char *atom;
    VEC(struct Form *) parts;
} Form;

static Arena *arena_of(Text *t) { return t->a; }

static Form *atom(Text *t, const char *s)
{
    Form *f = arena_zalloc(arena_of(t), sizeof *f);

    f->atom = arena_strdup(arena_of(t), s);
    return f;
}

static Form *form(Text *t, const char *name)
{
    Form *f = arena_zalloc(arena_of(t), sizeof *f);

    vec_push(arena_of(t), &f->parts, atom(t, name));
    return f;
}

static void add(Text *t, Form *f, Form *part) { vec_push(arena_of(t), &f->parts, part); }

static Form *with(Text *t, const char *name, Form *part)
{
    Form *f = form(t, name);

    add(t, f, part);
    return f;
}

static Form *expr_form(Text *t, const Ast *a);
static Form *stmts_form(Text *t, const AstList *l);
static Form *def_form(Text *t, const FuncDef *d);

static Form *ident(Text *t, const char *name) { return with(t, "ident", atom(t, name)); }
static Form *option(Text *t, Form *f)
{
    Form *o = form(t, "option");

    if (f)
        add(t, o, f);
    return o;
}

static Form *list_form(Text *t, const AstList *l)
{
    Form *f = form(t, "list");

    for (uint32_t i = 0; i < l->n; i++)
        add(t, f, l->v[i] ? expr_form(t, l->v[i]) : form(t, "none"));
    return f;
}

static Form *one_list(Text *t, const Ast *a) { return with(t, "list", expr_form(t, a)); }

static const char *const bin_names[] = {"+", "-", "*", "/", "//", "%", "**", "<<", ">>",
                                        "&", "|", "^", "@"};
static const char *const cmp_names[] = {"<", "<=", "==", "!=", ">", ">=", "is", "is not",
                                        "in", "not in"};

static Form *two(Text *t, const char *name, Form *a, Form *b)
{
    Form *f = with(t, name, a);

    add(t, f, b);
    return f;
}

static Form *string_form(Text *t, const Ast *a)
{
    Text q;

    text_init(&q, arena_of(t));
    text_quoted(&q, a->name, a->n);
    return with(t, "string_literal", atom(t, text_str(&q)));
}

static Form *compare_form(Text *t, const Ast *a)
{
    Form *f = NULL;
    const Ast *left = a->a;

    for (uint32_t i = 0; i < a->list.n; i++) {
        Form *c = two(t, cmp_names[a->ops[i]], expr_form(t, left), expr_form(t, a->list.v[i]));

        f = f ? two(t, "and", f, c) : c;
        left = a->list.v[i];
    }
    return f;
}

static Form *call_form(Text *t, const Ast *a)
{
    Form *f = with(t, "apply", expr_form(t, a->a)), *args = form(t, "list"),
         *kw = form(t, "list");

    for (uint32_t i = 0; i < a->list.n; i++) {
        const Ast *e = a->list.v[i];

        if (e->kind == E_KW)
            add(t, kw, two(t, "attribute", ident(t, e->name), expr_form(t, e->a)));
        else
            add(t, args, expr_form(t, e));
    }
    add(t, f, args);
    add(t, f, kw);
    return f;
}

static Form *comp_form(Text *t, const Ast *a, const char *name)
{
    Form *f = with(t, name, expr_form(t, a->a)), *c;

    if (a->b)
        add(t, f, expr_form(t, a->b));
    for (uint32_t i = 0; i < a->list.n; i++) {
        c = two(t, "for", expr_form(t, a->list.v[i]->a), expr_form(t, a->list.v[i]->b));
        for (uint32_t k = 0; k < a->list.v[i]->list.n; k++)
            add(t, c, with(t, "if", expr_form(t, a->list.v[i]->list.v[k])));
        add(t, f, c);
    }
    return f;
}

static Form *logic_form(Text *t, const Ast *a, const char *name)
{
    Form *f = expr_form(t, a->list.v[0]);

    for (uint32_t i = 1; i < a->list.n; i++)
        f = two(t, name, f, expr_form(t, a->list.v[i]));
    return f;
}

static Form *slice_part(Text *t, const Ast *a) { return option(t, a ? expr_form(t, a) : NULL); }

static Form *expr_form(Text *t, const Ast *a)
{
    char s[NUMBER_MAX + 4];
    Form *f;

    switch (a->kind) {
    case E_NAME: return with(t, "variable", ident(t, a->name));
    case E_INT:
        number_i64(s, a->i);
        return with(t, "const", atom(t, s));
    case E_FLOAT: {
        int n = number_f64(s, a->f);

        if (!strpbrk(s, ".einf")) {
            memcpy(s + n, ".0", 3);
        }
        return with(t, "const", atom(t, s));
    }
    case E_IMAG:
        memcpy(s + number_f64(s, a->f), "j", 2);
        return with(t, "const", atom(t, s));
    case E_STR:
    case E_BYTES: return string_form(t, a);
    case E_BIG: return with(t, "const", atom(t, a->name));
    case E_NONE: return form(t, "none");
    case E_TRUE: return form(t, "true");
    case E_FALSE: return form(t, "false");
    case E_ELLIPSIS: return form(t, "dots");
    case E_FSTR: return with(t, "format", list_form(t, &a->list));
    case E_FMT: return with(t, "field", expr_form(t, a->a));
    case E_BIN: return two(t, bin_names[a->op], expr_form(t, a->a), expr_form(t, a->b));
    case E_UN:
        return with(t,
                    a->op == OP1_NEG   ? "unary_minus"
                    : a->op == OP1_NOT ? "not"
                    : a->op == OP1_POS ? "unary_plus"
                                       : "~",
                    expr_form(t, a->a));
    case E_AND: return logic_form(t, a, "and");
    case E_OR: return logic_form(t, a, "or");
    case E_CMP: return compare_form(t, a);
    case E_COND:
        f = two(t, "if", expr_form(t, a->a), expr_form(t, a->b));
        add(t, f, expr_form(t, a->c));
        return f;
    case E_CALL: return call_form(t, a);
    case E_ATTR: return two(t, ".", expr_form(t, a->a), ident(t, a->name));
    case E_INDEX: return two(t, "subscript", expr_form(t, a->a), one_list(t, a->b));
    case E_SLICE:
        f = two(t, "slice_expr", slice_part(t, a->a), slice_part(t, a->b));
        add(t, f, slice_part(t, a->c));
        return f;
    case E_TUPLE: return with(t, "tuple_literal", list_form(t, &a->list));
    case E_LIST: return with(t, "list_literal", list_form(t, &a->list));
    case E_SET: return with(t, "set_literal", list_form(t, &a->list));
    case E_DICT: return two(t, "dict_literal", list_form(t, &a->list), list_form(t, &a->more));
    case E_LISTCOMP: return comp_form(t, a, "list_comp");
    case E_SETCOMP: return comp_form(t, a, "set_comp");
    case E_DICTCOMP: return comp_form(t, a, "dict_comp");
    case E_GENEXP: return comp_form(t, a, "generator");
    case E_LAMBDA: return def_form(t, a->def);
    case E_STAR: return with(t, "starred", expr_form(t, a->a));
    case E_DSTAR: return with(t, "double_starred", expr_form(t, a->a));
    case E_YIELD: return with(t, "yield", a->a ? expr_form(t, a->a) : form(t, "none"));
    case E_YIELDFROM: return with(t, "yield_from", expr_form(t, a->a));
    case E_WALRUS: return two(t, ":=", expr_form(t, a->a), expr_form(t, a->b));
    default: return form(t, "expression");
    }
}

static Form *flow_form(Text *t, const Ast *s)
{
    Form *f;

    if (s->kind == S_FOR) {
        f = two(t, "for", one_list(t, s->a), one_list(t, s->b));
        add(t, f, stmts_form(t, &s->list));
    } else {
        f = with(t, s->kind == S_IF ? "if" : "while", expr_form(t, s->a));
        add(t, f, stmts_form(t, &s->list));
    }
    if (s->kind == S_IF || s->more.n)
        add(t, f, stmts_form(t, &s->more));
    return f;
}

static Form *names_form(Text *t, const char *name, const AstList *l)
{
    Form *f = form(t, name);

    for (uint32_t i = 0; i < l->n; i++)
        add(t, f, ident(t, l->v[i]->name));
    return f;
}

static Form *try_form(Text *t, const Ast *s)
{
    Form *f = with(t, "try", stmts_form(t, &s->list)), *h;

    for (uint32_t i = 0; i < s->more.n; i++) {
        const Ast *e = s->more.v[i];

        h = with(t, "except", option(t, e->a ? expr_form(t, e->a) : NULL));
        add(t, h, option(t, e->name ? ident(t, e->name) : NULL));
        add(t, h, stmts_form(t, &e->list));
        add(t, f, h);
    }
    if (s->a)
        add(t, f, with(t, "else", stmts_form(t, &s->a->list)));
    if (s->b)
        add(t, f, with(t, "finally", stmts_form(t, &s->b->list)));
    return f;
}

static Form *with_form(Text *t, const Ast *s)
{
    Form *f = form(t, "with"), *items = form(t, "list");

    for (uint32_t i = 0; i < s->list.n; i++)
        add(t, items,
            two(t, "with_item", expr_form(t, s->list.v[i]->a),
                option(t, s->list.v[i]->b ? expr_form(t, s->list.v[i]->b) : NULL)));
    add(t, f, items);
    add(t, f, stmts_form(t, &s->more));
    return f;
}

static Form *stmt_form(Text *t, const Ast *s)
{
    Form *f;
    char op[8];

    switch (s->kind) {
    case S_EXPR: return with(t, "expression_statement", expr_form(t, s->a));
    case S_ASSIGN:
        f = two(t, "assign", list_form(t, &s->list), option(t, expr_form(t, s->a)));
        add(t, f, option(t, NULL));
        return f;
    case S_ANN:
        f = two(t, "assign", one_list(t, s->a), option(t, s->c ? expr_form(t, s->c) : NULL));
        add(t, f, option(t, expr_form(t, s->b)));
        return f;
    case S_AUG:
        snprintf(op, sizeof op, "%s=", bin_names[s->op]);
        f = two(t, "aug_assign", expr_form(t, s->a), form(t, op));
        add(t, f, expr_form(t, s->b));
        return f;
    case S_IF:
    case S_WHILE:
    case S_FOR: return flow_form(t, s);
    case S_DEF: return def_form(t, s->def);
    case S_CLASS:
        f = two(t, "class_def", ident(t, s->name), list_form(t, &s->list));
        add(t, f, stmts_form(t, &s->more));
        return f;
    case S_RETURN: return with(t, "return", s->a ? expr_form(t, s->a) : form(t, "none"));
    case S_RAISE: return with(t, "raise", s->a ? expr_form(t, s->a) : form(t, "none"));
    case S_TRY: return try_form(t, s);
    case S_WITH: return with_form(t, s);
    case S_ASSERT:
        return two(t, "assert", expr_form(t, s->a), option(t, s->b ? expr_form(t, s->b) : NULL));
    case S_IMPORT: return names_form(t, "import", &s->list);
    case S_FROM: return two(t, "from", ident(t, s->name), names_form(t, "list", &s->list));
    case S_GLOBAL: return names_form(t, "global", &s->list);
    case S_NONLOCAL: return names_form(t, "nonlocal", &s->list);
    case S_DEL: return with(t, "delete", list_form(t, &s->list));
    case S_BREAK: return form(t, "break");
    case S_CONTINUE: return form(t, "continue");
    default: return form(t, "pass");
    }
}

static Form *stmts_form(Text *t, const AstList *l)
{
    Form *f = form(t, "list");

    for (uint32_t i = 0; i < l->n; i++)
        add(t, f, stmt_form(t, l->v[i]));
    return f;
}

static Form *def_form(Text *t, const FuncDef *d)
{
    static const char *const kinds[] = {"param", "star_param", "kw_param", "double_star_param"};
    Form *f = with(t, "def", ident(t, d->name)), *params = form(t, "list"), *p;

    for (uint32_t i = 0; i < d->nparams; i++) {
        const Param *q = &d->params[i];

        p = with(t, kinds[q->kind], ident(t, q->name));
        add(t, p, option(t, q->ann ? expr_form(t, q->ann) : NULL));
        add(t, p, option(t, q->value ? expr_form(t, q->value) : NULL));
        add(t, params, p);
    }
    add(t, f, two(t, "decl", params, option(t, d->returns ? expr_form(t, d->returns) : NULL)));
    add(t, f, stmts_form(t, &d->body));
    return f;
}

/* ---- printing ---------------------------------------------------------------------- */

#define LINE 60

static int width(const Form *f, int limit)
{
    int n = 2;

    if (f->atom)
        return (int)strlen(f->atom);
    for (uint32_t i = 0; i < f->parts.n && n <= limit; i++)
        n += width(f->parts.v[i], limit - n) + (i > 0);
    return n;
}

/* Names and small expressions stay on a line; anything that holds statements does not. */
static bool is_flat(const Form *f, int indent)
{
    const char *name = f->atom ? "" : f->parts.v[0]->atom;

    if (!strcmp(name, "def") || !strcmp(name, "decl") || !strcmp(name, "param") ||
        !strcmp(name, "if") || !strcmp(name, "for") || !strcmp(name, "while") ||
        !strcmp(name, "assign"))
        return false;
    for (uint32_t i = 0; i < f->parts.n; i++)
        if (!is_flat(f->parts.v[i], indent))
            return false;
    if (!strcmp(name, "<") || !strcmp(name, "+") || !strcmp(name, "-"))
        return false;
    return width(f, LINE) + indent <= LINE;
}

static void print_form(const Form *f, int indent, Text *t)
{
    bool flat = is_flat(f, indent);

    if (f->atom) {
        text_add(t, f->atom);
        return;
    }
    text_char(t, '(');
    for (uint32_t i = 0; i < f->parts.n; i++) {
        if (i && flat)
            text_char(t, ' ');
        else if (i) {
            text_char(t, '\n');
            for (int k = 0; k < indent + 2; k++)
                text_char(t, ' ');
        }
        print_form(f->parts.v[i], indent + 2, t);
    }
    text_char(t, ')');
}

void ast_print_def(const FuncDef *d, Text *t) { print_form(def_form(t, d), 0, t); }

void ast_print_stmts(const AstList *l, Text *t) { print_form(stmts_form(t, l), 0, t); }
