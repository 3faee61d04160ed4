/* compile_code.c -- the code of a module, a function, a class body, a generator expression.
 *
 * While a body is compiled its temporaries are numbered from TEMP on; comp_end knows how many
 * locals there are and puts the temporaries behind them, so that one comparison with nlocals
 * tells a register that is emptied when it is read from one that is not.
 */
#include "compile.h"

/* ---- functions and classes --------------------------------------------------------- */

Comp *comp_begin(Comp *outer, Unit *u, Scope *s, const char *name)
{
    Comp *c = arena_zalloc(&u->arena, sizeof *c);
    Text t;

    *c = (Comp){.u = u, .vm = u->vm, .outer = outer, .scope = s, .host = s};
    c->code = arena_zalloc(&u->arena, sizeof *c->code);
    c->code->unit = u;
    c->code->index = u->codes.n;
    vec_push(&u->arena, &u->codes, c->code);
    c->code->name = unit_str(c, name);
    text_init(&t, &u->arena);
    if (outer && outer->qualname[0]) {
        text_add(&t, outer->qualname);
        text_add(&t, outer->host->kind == SCOPE_FUNC ? ".<locals>." : ".");
    }
    text_add(&t, outer ? name : "");
    c->qualname = text_str(&t);
    c->code->qualname = unit_str(c, c->qualname);
    return c;
}

const char sc_op_kinds[][4] = {
#define OPC(id, k) k,
#include "opcodes.def"
#undef OPC
};

/* Temporaries go behind the locals. */
static void place_temps(Comp *c)
{
    uint16_t base = (uint16_t)c->locals.n;

    for (uint32_t i = 0; i < c->ins.n; i++) {
        Ins *k = &c->ins.v[i];
        const char *q = sc_op_kinds[k->op];

        if (q[0] == 'r' && k->a >= TEMP && k->a != NOREG)
            k->a = (uint16_t)(k->a - TEMP + base);
        if (q[1] == 'r' && k->b >= TEMP && k->b != NOREG)
            k->b = (uint16_t)(k->b - TEMP + base);
        if (q[2] == 'r' && k->c >= TEMP && k->c != NOREG)
            k->c = (uint16_t)(k->c - TEMP + base);
    }
}

const ByteCode *comp_end(Comp *c)
{
    ByteCode *k = c->code;
    int t;

    c->ntemps = 0;
    t = comp_temp(c);
    comp_emit(c, OPC_LOADK, 0, t, comp_konst(c, NONE), 0);
    comp_emit(c, OPC_RET, 0, t, 0, 0);
    place_temps(c);
    k->ins = c->ins.v;
    k->nins = c->ins.n;
    k->pos = c->pos.v;
    k->line = k->line ? k->line : k->pos[0].line;
    k->nlocals = c->locals.n;
    k->nregs = c->locals.n + (uint32_t)c->max_temps + 2;
    k->consts = c->consts.v;
    k->nconsts = c->consts.n;
    k->caches = c->caches.v;
    k->ncaches = c->caches.n;
    k->codes = c->codes.v;
    k->ncodes = c->codes.n;
    k->handlers = c->handlers.v;
    k->nhandlers = c->handlers.n;
    k->local_names = c->locals.v;
    k->nfree = c->host->nfree;
    return k;
}

/* Where the maker of a function finds what is free in it. */
static void find_free(Comp *c, Comp *maker)
{
    Scope *s = c->host, *at;
    uint16_t *from = arena_array(&c->u->arena, s->nfree, sizeof *from);
    const char *name;

    for (uint32_t i = 0; i < s->n; i++) {
        Var *v = &s->vars[i], *o;

        if (v->kind != VAR_FREE)
            continue;
        name = strncmp(v->name, ".free.", 6) ? v->name : intern_name(&c->u->names, v->name + 6);
        o = comp_lookup(maker, name, &at);
        if (o && o->kind == VAR_CLASS)
            o = comp_lookup(maker, comp_passed_name(c, name), &at);
        if (!o || (o->kind != VAR_CELL && o->kind != VAR_FREE))
            unit_error(c->u, C_SyntaxError, c->at.line, c->at.col, 0,
                       "cannot capture variable '%s' here", v->name);
        from[v->reg] = (uint16_t)(o->kind == VAR_CELL ? o->reg : o->reg | FREE_OUTER);
    }
    c->code->free_from = from;
}

static void bind_vars(Comp *c)
{
    Scope *s = c->host;

    for (uint32_t i = 0; i < s->n; i++) {
        Var *v = &s->vars[i];

        if ((v->kind != VAR_LOCAL && v->kind != VAR_CELL) || v->is_param)
            continue;
        v->reg = (uint32_t)comp_new_local(c, v->name);
        if (v->kind == VAR_CELL) {
            comp_emit(c, OPC_NEWCELL, 0, (int)v->reg, 0, 0);
            c->known[v->reg] = 1;
        }
    }
}

void comp_bind_scope(Comp *c, Scope *s)
{
    for (uint32_t i = 0; i < s->n; i++) {
        Var *v = &s->vars[i];

        if (!v->bound)
            continue;
        v->reg = (uint32_t)comp_new_local(c, v->name);
        if (v->kind == VAR_CELL) {
            comp_emit(c, OPC_NEWCELL, 0, (int)v->reg, 0, 0);
            c->known[v->reg] = 1;
        }
    }
}

static void bind_params(Comp *c, FuncDef *d)
{
    static const ParamKind order[] = {PARAM_POS, PARAM_KW, PARAM_STAR, PARAM_DSTAR};
    ByteCode *k = c->code;
    uint32_t n = 0;

    k->param_names = arena_array(&c->u->arena, d->nparams + 1, sizeof *k->param_names);
    for (int o = 0; o < COUNT(order); o++)
        for (uint32_t i = 0; i < d->nparams; i++) {
            Param *p = &d->params[i];
            Var *v = sc_scope_find(c->host, p->name);

            if (p->kind != order[o])
                continue;
            v->reg = (uint32_t)comp_new_local(c, p->name);
            if (!v->deleted)
                c->known[v->reg] = 1;
            k->param_names[n++] = unit_str(c, p->name);
            k->npos += p->kind == PARAM_POS;
            k->nkwonly += p->kind == PARAM_KW;
            k->has_star |= p->kind == PARAM_STAR;
            k->has_dstar |= p->kind == PARAM_DSTAR;
            k->ndefaults += p->kind == PARAM_POS && p->value;
        }
    k->nkwdefaults = k->nkwonly;
    k->nposonly = d->nposonly;
    for (uint32_t i = 0; i < d->nparams; i++) {
        Var *v = sc_scope_find(c->host, d->params[i].name);

        if (v->kind == VAR_CELL)
            comp_emit(c, OPC_MAKECELL, 0, (int)v->reg, 0, 0);
    }
}

const ByteCode *comp_function(Comp *c, FuncDef *d, const Ast *a)
{
    Comp *f = comp_begin(c, c->u, d->scope, d->name);

    f->code->def = d;
    f->code->is_func = true;
    f->code->line = a->line;
    f->code->is_generator = d->is_generator;
    f->at = (CodePos){a->line, a->col, a->len};
    if (d->doc) {
        f->code->doc = sc_str_n(c->vm, d->doc, d->ndoc);
        comp_konst(f, v_obj(f->code->doc));
    }
    bind_params(f, d);
    bind_vars(f);
    find_free(f, c);
    comp_block(f, &d->body);
    return comp_end(f);
}

/* A generator expression: a generator function of the first iterator. */
const ByteCode *comp_genexp(Comp *c, Ast *a)
{
    Comp *f = comp_begin(c, c->u, a->scope, "<genexpr>");
    ByteCode *k = f->code;

    k->line = a->line;
    k->is_generator = true;
    f->at = (CodePos){a->line, a->col, a->len};
    comp_new_local(f, ".0");
    f->known[0] = 1;
    k->npos = 1;
    k->param_names = arena_array(&c->u->arena, 1, sizeof *k->param_names);
    k->param_names[0] = unit_str(f, ".0");
    bind_vars(f);
    find_free(f, c);
    comp_comp_loop(f, a, 0, -1, 0);
    return comp_end(f);
}

/* dst = function of code, with the defaults of d evaluated now */
void comp_make_function(Comp *c, const ByteCode *code, FuncDef *d, int dst)
{
    int base = c->ntemps, first = TEMP + base;
    uint32_t i;

    if (d) {
        for (i = 0; i < d->nparams; i++)
            if (d->params[i].kind == PARAM_POS && d->params[i].value)
                comp_expr(c, d->params[i].value, comp_temp(c));
        for (i = 0; i < d->nparams; i++)
            if (d->params[i].kind == PARAM_KW) {
                int t = comp_temp(c);

                if (d->params[i].value)
                    comp_expr(c, d->params[i].value, t);
                else
                    comp_emit(c, OPC_CLEAR, 0, t, 0, 0);
            }
    }
    comp_emit(c, OPC_FUNC, 0, dst, comp_code_index(c, code), first);
    c->ntemps = base;
}

void comp_def(Comp *c, Ast *s)
{
    int base = c->ntemps, t, n = (int)s->list.n, i;

    for (i = 0; i < n; i++) /* each is called with what stands in the next register */
        comp_expr(c, s->list.v[i], comp_temp(c));
    t = comp_temp(c);
    comp_make_function(c, comp_function(c, s->def, s), s->def, t);
    for (i = n - 1; i >= 0; i--) {
        comp_place(c, s->list.v[i]);
        comp_emit(c, OPC_CALL, 0, TEMP + base + i, 1, 0);
    }
    comp_place(c, s);
    comp_store_name(c, s->def->name, TEMP + base);
    c->ntemps = base;
}

static const ByteCode *compile_class_body(Comp *c, Ast *s)
{
    Comp *f = comp_begin(c, c->u, s->scope, s->name);
    int t;

    f->code->is_class = true;
    f->code->line = s->line;
    f->at = (CodePos){s->line, s->col, s->len};
    bind_vars(f);
    find_free(f, c);
    if (s->more.n && s->more.v[0]->kind == S_EXPR && s->more.v[0]->a->kind == E_STR) {
        t = comp_expr(f, s->more.v[0]->a, comp_temp(f));
        comp_emit(f, OPC_STOREN, 0, t, comp_konst_str(f, "__doc__", 7), 0);
        f->ntemps = 0;
    }
    comp_block(f, &s->more);
    if (s->scope->needs_class) { /* the body gives the cell to be filled */
        Var *v = sc_scope_find(s->scope, intern_name(&c->u->names, "__class__"));

        comp_emit(f, OPC_RET, 0, (int)v->reg, 0, 0);
    }
    return comp_end(f);
}

void comp_class(Comp *c, Ast *s)
{
    int base = c->ntemps, n = s->a ? (int)s->a->list.n : 0, i, b, t, mark;
    bool star = false;
    uint32_t k, npos = 0;

    for (i = 0; i < n; i++)
        comp_expr(c, s->a->list.v[i], comp_temp(c));
    b = comp_temps(c, 2);
    mark = c->ntemps;
    for (k = 0; k < s->list.n; k++)
        star |= s->list.v[k]->kind == E_STAR || s->list.v[k]->kind == E_DSTAR;
    if (star)
        comp_error(c, s, "starred bases are outside this language");
    for (k = 0; k < s->list.n; k++)
        if (s->list.v[k]->kind != E_KW) {
            comp_expr(c, s->list.v[k], comp_temp(c));
            npos++;
        }
    comp_place(c, s);
    comp_emit(c, OPC_TUPLE, 0, b, TEMP + mark, (int)npos);
    c->ntemps = mark;
    comp_emit(c, OPC_DICT, 0, b + 1, TEMP + mark, 0);
    for (k = 0; k < s->list.n; k++)
        if (s->list.v[k]->kind == E_KW) {
            int h = comp_hidden(c), key = comp_temp(c), v;

            comp_emit(c, OPC_MOVE, 0, h, b + 1, 0);
            comp_emit(c, OPC_LOADK, 0, key,
                      comp_konst_str(c, s->list.v[k]->name, strlen(s->list.v[k]->name)), 0);
            v = comp_operand(c, s->list.v[k]->a, ANY);
            comp_emit(c, OPC_DICTADD, 0, h, key, v);
            comp_emit(c, OPC_MOVE, 0, b + 1, h, 0);
            comp_emit(c, OPC_CLEAR, 0, h, 0, 0);
            comp_unhide(c, h);
            c->ntemps = mark;
        }
    comp_place(c, s);
    t = b;
    comp_emit(c, OPC_CLASS, 0, t, comp_code_index(c, compile_class_body(c, s)), b);
    for (i = n - 1; i >= 0; i--) {
        comp_place(c, s->a->list.v[i]);
        comp_emit(c, OPC_CALL, 0, TEMP + base + i, 1, 0);
    }
    comp_place(c, s);
    comp_store_name(c, s->name, TEMP + base);
    c->ntemps = base;
}

/* ---- a module ---------------------------------------------------------------------- */

const ByteCode *sc_compile(Unit *u, Scope *module)
{
    Comp *c = comp_begin(NULL, u, module, "<module>");
    int t;

    if (u->body.n && u->body.v[0]->kind == S_EXPR && u->body.v[0]->a->kind == E_STR) {
        t = comp_expr(c, u->body.v[0]->a, comp_temp(c));
        comp_emit(c, OPC_STOREG, 0, t, comp_konst_str(c, "__doc__", 7), 0);
        c->ntemps = 0;
    }
    comp_block(c, &u->body);
    return comp_end(c);
}
