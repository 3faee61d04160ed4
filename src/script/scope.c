/* scope.c -- decide for every name of every function which variable it is.
 *
 * First the tree is walked and each scope notes what it binds and what it uses. Then, from
 * the outside in, a use of what an enclosing function binds makes that a cell and the
 * functions between pass it on as a free variable. Comprehensions are scopes whose
 * variables live in registers of the function around them; generator expressions are
 * functions of their own.
 */
#include "ast.h"

typedef struct Scan {
    Unit *u;
    Scope *last; /* of the list of all */
    int depth;   /* of the tree here */
} Scan;

/* This is the first walk over the tree, and the deepest tree it takes is what those after
 * it must be able to recurse over: chains like a+a+a.. or a.x.x.. nest without brackets. */
#define TREE_DEPTH 3000

static void scan_expr(Scan *c, Scope *s, Ast *a);
static void scan_stmts(Scan *c, Scope *s, const AstList *l);

static uint32_t slot_of(const char *name, uint32_t nslots)
{
    return (uint32_t)(hash_mix(0, (uint64_t)(uintptr_t)name) >> 20) & (nslots - 1);
}

Var *sc_scope_find(Scope *s, const char *name)
{
    uint32_t i;

    if (!s->nslots)
        return NULL;
    for (i = slot_of(name, s->nslots); s->slots[i]; i = (i + 1) & (s->nslots - 1))
        if (s->vars[s->slots[i] - 1].name == name)
            return &s->vars[s->slots[i] - 1];
    return NULL;
}

static void rehash(Scan *c, Scope *s)
{
    uint32_t i, k;

    s->nslots = s->nslots ? s->nslots * 2 : 16;
    s->slots = arena_zalloc(&c->u->arena, s->nslots * sizeof *s->slots);
    for (i = 0; i < s->n; i++) {
        for (k = slot_of(s->vars[i].name, s->nslots); s->slots[k];)
            k = (k + 1) & (s->nslots - 1);
        s->slots[k] = i + 1;
    }
}

static Var *scope_add(Scan *c, Scope *s, const char *name)
{
    Var *v = sc_scope_find(s, name);
    uint32_t k;

    if (v)
        return v;
    if ((s->n + 1) * 2 > s->nslots)
        rehash(c, s);
    if (s->n == s->cap)
        s->vars = vec_grow(&c->u->arena, s->vars, s->n, &s->cap, 1, sizeof *s->vars);
    s->vars[s->n] = (Var){.name = name};
    for (k = slot_of(name, s->nslots); s->slots[k];)
        k = (k + 1) & (s->nslots - 1);
    s->slots[k] = ++s->n;
    return &s->vars[s->n - 1];
}

static Scope *scope_new(Scan *c, ScopeKind kind, Scope *parent)
{
    Scope *s = arena_zalloc(&c->u->arena, sizeof *s);

    s->kind = kind;
    s->parent = parent;
    if (c->last)
        c->last->next = s;
    c->last = s;
    return s;
}

static void bind(Scan *c, Scope *s, const char *name, Ast *at)
{
    Var *v = scope_add(c, s, name);

    v->bound = true;
    v->at = at;
}

static void use(Scan *c, Scope *s, const char *name)
{
    scope_add(c, s, name)->used = true;
}

/* A method that says super() or __class__ uses the cell of the class around it. */
static void use_class_cell(Scan *c, Scope *s)
{
    Scope *k;
    const char *name = intern_name(&c->u->names, "__class__");

    for (k = s; k && k->kind != SCOPE_CLASS; k = k->parent)
        ;
    if (!k || s->kind == SCOPE_CLASS)
        return;
    k->needs_class = true;
    bind(c, k, name, NULL);
    use(c, s, name);
}

/* The function, class or module whose registers a scope uses. */
static Scope *host_of(Scope *s)
{
    while (s->kind == SCOPE_COMP)
        s = s->parent;
    return s;
}

/* ---- expressions ------------------------------------------------------------------- */

static void scan_target(Scan *c, Scope *s, Ast *a)
{
    uint32_t i;

    switch (a->kind) {
    case E_NAME: bind(c, s, a->name, a); break;
    case E_STAR: scan_target(c, s, a->a); break;
    case E_TUPLE:
    case E_LIST:
        for (i = 0; i < a->list.n; i++)
            scan_target(c, s, a->list.v[i]);
        break;
    default: scan_expr(c, s, a);
    }
}

static void scan_function(Scan *c, Scope *s, FuncDef *d)
{
    Scope *f;
    uint32_t i;

    for (i = 0; i < d->nparams; i++)
        if (d->params[i].value)
            scan_expr(c, s, d->params[i].value);
    f = scope_new(c, SCOPE_FUNC, s);
    d->scope = f;
    for (i = 0; i < d->nparams; i++) {
        bind(c, f, d->params[i].name, d->params[i].at);
        sc_scope_find(f, d->params[i].name)->is_param = true;
    }
    scan_stmts(c, f, &d->body);
}

/* The first iterable belongs to the scope outside. */
static void scan_comp(Scan *c, Scope *s, Ast *a)
{
    Scope *k;
    uint32_t i, j;

    scan_expr(c, s, a->list.v[0]->b);
    k = scope_new(c, a->kind == E_GENEXP ? SCOPE_FUNC : SCOPE_COMP, s);
    k->is_genexp = a->kind == E_GENEXP;
    a->scope = k;
    for (i = 0; i < a->list.n; i++) {
        Ast *f = a->list.v[i];

        if (i > 0)
            scan_expr(c, k, f->b);
        scan_target(c, k, f->a);
        for (j = 0; j < f->list.n; j++)
            scan_expr(c, k, f->list.v[j]);
    }
    scan_expr(c, k, a->a);
    if (a->b)
        scan_expr(c, k, a->b);
}

/* The name belongs to the function around all comprehensions and generator expressions. A generator
 * expression is a function of its own, to which that name is nonlocal or global. */
static void scan_walrus(Scan *c, Scope *s, Ast *a)
{
    Scope *k = s, *own = host_of(s);
    const char *name = a->a->name;

    while (k->kind == SCOPE_COMP || k->is_genexp)
        k = k->parent;
    if (k != s && k->kind == SCOPE_CLASS)
        unit_error(c->u, C_SyntaxError, a->line, a->col, a->len,
                   "assignment expression within a comprehension cannot be used in a class body");
    scan_expr(c, s, a->b);
    bind(c, k, name, a->a);
    if (k != s)
        use(c, s, name);
    if (own != k) {
        bool global = k->kind == SCOPE_MODULE || sc_scope_find(k, name)->is_global;
        Var *v = scope_add(c, own, name);

        v->is_global = global;
        v->is_nonlocal = !global;
        v->at = a->a;
    }
    k->has_walrus = own->has_walrus = s->has_walrus = true;
}

static void go_deeper(Scan *c, const Ast *a)
{
    if (++c->depth > TREE_DEPTH)
        unit_error(c->u, C_RecursionError, a->line, a->col, a->len,
                   "maximum recursion depth exceeded during compilation");
}

static void scan_list(Scan *c, Scope *s, const AstList *l)
{
    for (uint32_t i = 0; i < l->n; i++)
        if (l->v[i])
            scan_expr(c, s, l->v[i]);
}

static void scan_expr(Scan *c, Scope *s, Ast *a)
{
    switch (a->kind) {
    case E_NAME:
        use(c, s, a->name);
        if (strcmp(a->name, "super") == 0 || strcmp(a->name, "__class__") == 0)
            use_class_cell(c, s);
        return;
    case E_LAMBDA: scan_function(c, s, a->def); return;
    case E_LISTCOMP:
    case E_SETCOMP:
    case E_DICTCOMP:
    case E_GENEXP: scan_comp(c, s, a); return;
    case E_WALRUS: scan_walrus(c, s, a); return;
    default: break;
    }
    go_deeper(c, a);
    if (a->a)
        scan_expr(c, s, a->a);
    if (a->b)
        scan_expr(c, s, a->b);
    if (a->c)
        scan_expr(c, s, a->c);
    scan_list(c, s, &a->list);
    scan_list(c, s, &a->more);
    c->depth--;
}

/* ---- statements -------------------------------------------------------------------- */

static void declare(Scan *c, Scope *s, const Ast *st)
{
    for (uint32_t i = 0; i < st->list.n; i++) {
        Ast *n = st->list.v[i];
        Var *v = scope_add(c, s, n->name);

        if (v->is_param)
            unit_error(c->u, C_SyntaxError, n->line, n->col, n->len,
                       "name '%s' is parameter and %s", n->name,
                       st->kind == S_GLOBAL ? "global" : "nonlocal");
        if (v->bound || v->used)
            unit_error(c->u, C_SyntaxError, st->line, st->col, st->len,
                       "name '%s' is %s prior to %s declaration", n->name,
                       v->bound ? "assigned to" : "used",
                       st->kind == S_GLOBAL ? "global" : "nonlocal");
        if (st->kind == S_GLOBAL)
            v->is_global = true;
        else
            v->is_nonlocal = true;
        v->at = n;
    }
}

static void scan_class(Scan *c, Scope *s, Ast *a)
{
    Scope *k;

    if (a->a)
        scan_list(c, s, &a->a->list);
    scan_list(c, s, &a->list);
    bind(c, s, a->name, a);
    k = scope_new(c, SCOPE_CLASS, s);
    a->scope = k;
    scan_stmts(c, k, &a->more);
}

static const char *first_part(Scan *c, const char *dotted)
{
    const char *dot = strchr(dotted, '.');

    return dot ? intern_n(&c->u->names, dotted, (size_t)(dot - dotted)) : dotted;
}

static void scan_try(Scan *c, Scope *s, Ast *a)
{
    scan_stmts(c, s, &a->list);
    for (uint32_t i = 0; i < a->more.n; i++) {
        Ast *h = a->more.v[i];

        if (h->a)
            scan_expr(c, s, h->a);
        if (h->name)
            bind(c, s, h->name, h);
        scan_stmts(c, s, &h->list);
    }
    if (a->a)
        scan_stmts(c, s, &a->a->list);
    if (a->b)
        scan_stmts(c, s, &a->b->list);
}

static void scan_stmt(Scan *c, Scope *s, Ast *a)
{
    uint32_t i;

    switch (a->kind) {
    case S_ASSIGN:
        scan_expr(c, s, a->a);
        for (i = 0; i < a->list.n; i++)
            scan_target(c, s, a->list.v[i]);
        return;
    case S_AUG:
        scan_expr(c, s, a->a);
        scan_target(c, s, a->a);
        scan_expr(c, s, a->b);
        return;
    case S_ANN:
        if (a->c)
            scan_expr(c, s, a->c);
        if (s->kind == SCOPE_CLASS && !c->u->text_annotations)
            scan_expr(c, s, a->b);
        scan_target(c, s, a->a);
        return;
    case S_FOR:
        scan_expr(c, s, a->b);
        scan_target(c, s, a->a);
        break;
    case S_IF:
    case S_WHILE: scan_expr(c, s, a->a); break;
    case S_DEF:
        scan_list(c, s, &a->list);
        bind(c, s, a->def->name, a);
        scan_function(c, s, a->def);
        return;
    case S_CLASS: scan_class(c, s, a); return;
    case S_TRY: scan_try(c, s, a); return;
    case S_WITH:
        for (i = 0; i < a->list.n; i++) {
            scan_expr(c, s, a->list.v[i]->a);
            if (a->list.v[i]->b)
                scan_target(c, s, a->list.v[i]->b);
        }
        scan_stmts(c, s, &a->more);
        return;
    case S_IMPORT:
        for (i = 0; i < a->list.n; i++) {
            Ast *n = a->list.v[i];

            bind(c, s, n->a ? n->a->name : first_part(c, n->name), n);
        }
        return;
    case S_FROM:
        for (i = 0; i < a->list.n; i++) {
            Ast *n = a->list.v[i];

            if (strcmp(a->name, "__future__") == 0 && strcmp(n->name, "annotations") == 0)
                c->u->text_annotations = true;
            bind(c, s, n->a ? n->a->name : n->name, n);
        }
        return;
    case S_GLOBAL:
    case S_NONLOCAL: declare(c, s, a); return;
    case S_DEL:
        for (i = 0; i < a->list.n; i++) {
            scan_target(c, s, a->list.v[i]);
            if (a->list.v[i]->kind == E_NAME)
                sc_scope_find(s, a->list.v[i]->name)->deleted = true;
        }
        return;
    default:
        if (a->a)
            scan_expr(c, s, a->a);
        if (a->b)
            scan_expr(c, s, a->b);
        return;
    }
    scan_stmts(c, s, &a->list);
    scan_stmts(c, s, &a->more);
}

static void scan_stmts(Scan *c, Scope *s, const AstList *l)
{
    for (uint32_t i = 0; i < l->n; i++) {
        go_deeper(c, l->v[i]);
        scan_stmt(c, s, l->v[i]);
        c->depth--;
    }
}

/* ---- resolving --------------------------------------------------------------------- */

static const char *passed_name(Scan *c, const char *name)
{
    Text t;

    text_init(&t, &c->u->arena);
    text_printf(&t, ".free.%s", name);
    return intern_name(&c->u->names, text_str(&t));
}

/* Make v of scope s a free variable if a function around binds its name. */
static bool resolve_free(Scan *c, Scope *s, const char *name)
{
    Scope *k, *host = host_of(s), *q;
    Var *v = NULL;

    for (k = s->parent; k; k = k->parent) {
        if (k->kind == SCOPE_MODULE)
            return false;
        if (k->kind == SCOPE_CLASS &&
            !(k->needs_class && strcmp(name, "__class__") == 0))
            continue;
        v = sc_scope_find(k, name);
        if (v && v->is_global)
            return false;
        if (v && v->bound && !v->is_nonlocal)
            break;
    }
    if (!k)
        return false;
    if (host_of(k) == host) /* a comprehension's use of its own function's variable */
        return true;
    v->kind = VAR_CELL;
    for (q = host; q != host_of(k); q = host_of(q->parent)) {
        Var *f = scope_add(c, q, name);

        /* a class that binds the name itself still passes the outer one on */
        if (q->kind == SCOPE_CLASS && f->bound && !f->is_nonlocal)
            f = scope_add(c, q, passed_name(c, name));
        if (f->kind == VAR_FREE)
            break;
        f->kind = VAR_FREE;
        f->used = true;
        f->reg = q->nfree++;
    }
    return true;
}

static void resolve(Scan *c, Scope *s)
{
    uint32_t i;

    for (i = 0; i < s->n; i++) {
        Var *v = &s->vars[i];
        const char *name = v->name;

        if (v->is_nonlocal) {
            if (!resolve_free(c, s, name))
                unit_error(c->u, C_SyntaxError, v->at->line, v->at->col, v->at->len,
                           "no binding for nonlocal '%s' found", name);
            continue;
        }
        if (v->is_global || s->kind == SCOPE_MODULE || v->kind == VAR_FREE)
            continue;
        if (v->bound) {
            if (v->kind != VAR_CELL)
                v->kind = s->kind == SCOPE_CLASS ? VAR_CLASS : VAR_LOCAL;
            continue;
        }
        resolve_free(c, s, name);
        v = &s->vars[i];
        if (s->kind == SCOPE_CLASS && v->kind != VAR_FREE)
            v->kind = VAR_CLASS;
    }
}

Scope *sc_scan(Unit *u)
{
    Scan c = {.u = u};
    Scope *top = scope_new(&c, SCOPE_MODULE, NULL), *s;

    scan_stmts(&c, top, &u->body);
    for (s = top; s; s = s->next)
        resolve(&c, s);
    return top;
}
