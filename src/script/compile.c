/* compile.c -- statements, functions and classes to instructions.
 *
 * Locals have registers of their own; a value on its way sits in a temporary, which is
 * read exactly once. try, with and finally cost nothing until something is raised: ranges
 * of instructions have handlers, and the code of a finally is copied to each way out.
 * `known` tells which locals are certainly set, so that only the others are checked.
 */
#include "compile.h"

/* ---- emitting ---------------------------------------------------------------------- */

_Noreturn void comp_error(Comp *c, const Ast *a, const char *text)
{
    unit_error(c->u, C_SyntaxError, a->line, a->col, a->len, "%s", text);
}

void comp_place(Comp *c, const Ast *a) { c->at = (CodePos){a->line, a->col, a->len}; }

uint32_t comp_emit(Comp *c, Opcode op, int x, int a, int b, int cc)
{
    Ins i = {.op = (uint8_t)op, .x = (uint8_t)x, .a = (uint16_t)a};

    i.b = (uint16_t)b;
    i.c = (uint16_t)cc;
    vec_push(&c->u->arena, &c->ins, i);
    vec_push(&c->u->arena, &c->pos, c->at);
    return c->ins.n - 1;
}

uint32_t comp_emit_jump(Comp *c, Opcode op, int a) { return comp_emit(c, op, 0, a, 0, 0); }

void comp_patch(Comp *c, uint32_t at)
{
    c->ins.v[at].jump = (int32_t)(c->ins.n - at) - 1;
}

void comp_jumps_add(Comp *c, Jumps *j, uint32_t at) { vec_push(&c->u->arena, j, at); }

void comp_patch_all(Comp *c, Jumps *j)
{
    for (uint32_t i = 0; i < j->n; i++)
        comp_patch(c, j->v[i]);
    j->n = 0;
}

void jump_back(Comp *c, uint32_t to)
{
    uint32_t at = comp_emit_jump(c, OPC_LOOP, 0);

    c->ins.v[at].jump = (int32_t)to - (int32_t)at - 1;
}

int comp_temps(Comp *c, int n)
{
    int t = c->ntemps;

    c->ntemps += n;
    if (c->ntemps > c->max_temps)
        c->max_temps = c->ntemps;
    if (c->max_temps > MAX_REGS)
        unit_error(c->u, C_SyntaxError, c->at.line, c->at.col, 0, "expression too large");
    return TEMP + t;
}

int comp_temp(Comp *c) { return comp_temps(c, 1); }

int comp_new_local(Comp *c, const char *name)
{
    if (c->locals.n >= MAX_REGS)
        unit_error(c->u, C_SyntaxError, c->at.line, c->at.col, 0, "too many variables");
    vec_push(&c->u->arena, &c->locals, name);
    if (c->locals.n > c->cap_known) {
        uint32_t cap = c->cap_known ? c->cap_known * 2 : 32;
        uint8_t *k = arena_zalloc(&c->u->arena, cap);

        if (c->cap_known)
            memcpy(k, c->known, c->cap_known);
        c->known = k;
        c->cap_known = cap;
    }
    c->known[c->locals.n - 1] = 0;
    return (int)c->locals.n - 1;
}

int comp_hidden(Comp *c)
{
    if (c->spare.n)
        return c->spare.v[--c->spare.n];
    return comp_new_local(c, NULL);
}

void comp_unhide(Comp *c, int reg) { vec_push(&c->u->arena, &c->spare, reg); }

static bool same_const(Value a, Value b)
{
    return a.tag == b.tag && (a.tag == T_OBJ ? a.o == b.o : a.i == b.i);
}

int comp_konst(Comp *c, Value v)
{
    uint32_t i,
        from = c->consts.n > 64 && c->consts.n < MAX_INDEX - 100 ? c->consts.n - 64 : 0;

    if (v.tag == T_NIL)
        longjmp(c->u->jump, 2); /* no memory: the exception is pending */
    if (v.tag == T_OBJ)
        vec_push(&c->u->arena, &c->u->consts, v);
    for (i = from; i < c->consts.n; i++)
        if (same_const(c->consts.v[i], v))
            return (int)i;
    if (c->consts.n >= MAX_INDEX)
        unit_error(c->u, C_SyntaxError, c->at.line, c->at.col, 0, "too many constants");
    vec_push(&c->u->arena, &c->consts, v);
    return (int)c->consts.n - 1;
}

int comp_konst_str(Comp *c, const char *s, size_t n)
{
    return comp_konst(c, n <= 64 ? v_obj(sc_intern(c->vm, s, n))
                                 : v_obj(sc_str_n(c->vm, s, n)));
}

Str *unit_str(Comp *c, const char *s)
{
    Str *r = sc_intern(c->vm, s, strlen(s));

    if (!r)
        longjmp(c->u->jump, 2);
    vec_push(&c->u->arena, &c->u->consts, v_obj(r));
    return r;
}

int comp_cache(Comp *c, const char *name)
{
    Str *s = unit_str(c, name);
    Cache k = {.name = s};

    if (c->caches.n >= MAX_INDEX - 100)
        for (uint32_t i = 0; i < c->caches.n; i++)
            if (c->caches.v[i].name == s)
                return (int)i;
    if (c->caches.n >= MAX_INDEX)
        unit_error(c->u, C_SyntaxError, c->at.line, c->at.col, 0, "too many names");
    vec_push(&c->u->arena, &c->caches, k);
    return (int)c->caches.n - 1;
}

int comp_code_index(Comp *c, const ByteCode *code)
{
    vec_push(&c->u->arena, &c->codes, code);
    return (int)c->codes.n - 1;
}

/* ---- which locals are set ---------------------------------------------------------- */

Known known_save(Comp *c)
{
    return (Known){arena_dup(&c->u->arena, c->known, c->cap_known), c->cap_known};
}

/* What was known then; registers made since are not. */
void known_set(Comp *c, Known k)
{
    c->known = arena_zalloc(&c->u->arena, c->cap_known);
    if (k.n)
        memcpy(c->known, k.set, k.n);
}

/* What is known both here and there. */
void known_meet(Comp *c, Known k)
{
    for (uint32_t i = 0; i < c->cap_known; i++)
        c->known[i] = c->known[i] && i < k.n && k.set[i];
}

/* ---- names ------------------------------------------------------------------------- */

/* What a class that binds the name itself calls the variable of that name around it. */
const char *comp_passed_name(Comp *c, const char *name)
{
    Text t;

    text_init(&t, &c->u->arena);
    text_printf(&t, ".free.%s", name);
    return intern_name(&c->u->names, text_str(&t));
}

Var *comp_lookup(Comp *c, const char *name, Scope **out_scope)
{
    Scope *s = c->scope;
    Var *v;

    for (;; s = s->parent) {
        v = sc_scope_find(s, name);
        if (s == c->host || (v && v->bound && s->kind == SCOPE_COMP))
            break;
    }
    *out_scope = s;
    /* a comprehension in a class body does not see the names of the class */
    if (v && v->kind == VAR_CLASS && c->scope->kind == SCOPE_COMP)
        v = sc_scope_find(s, comp_passed_name(c, name));
    return v;
}

int comp_var_local(Comp *c, const Ast *a)
{
    Scope *s;
    Var *v;

    if (a->kind != E_NAME)
        return -1;
    v = comp_lookup(c, a->name, &s);
    return v && v->kind == VAR_LOCAL ? (int)v->reg : -1;
}

void comp_load_name(Comp *c, const char *name, int dst)
{
    Scope *s;
    Var *v = comp_lookup(c, name, &s);

    if (v && v->kind == VAR_LOCAL) {
        if (!c->known[v->reg])
            comp_emit(c, OPC_CHECK, 0, (int)v->reg, 0, 0);
        comp_emit(c, OPC_MOVE, 0, dst, (int)v->reg, 0);
    } else if (v && v->kind == VAR_CELL) {
        comp_emit(c, OPC_LOADCELL, 0, dst, (int)v->reg, 0);
    } else if (v && v->kind == VAR_FREE) {
        comp_emit(c, OPC_LOADFREE, 0, dst, (int)v->reg, 0);
    } else if (v && v->kind == VAR_CLASS) {
        comp_emit(c, OPC_LOADN, 0, dst, comp_konst_str(c, name, strlen(name)), 0);
    } else {
        comp_emit(c, OPC_LOADG, 0, dst, 0, comp_cache(c, name));
    }
}

void comp_store_name(Comp *c, const char *name, int src)
{
    Scope *s;
    Var *v = comp_lookup(c, name, &s);

    if (v && v->kind == VAR_LOCAL) {
        if ((int)v->reg != src)
            comp_emit(c, OPC_MOVE, 0, (int)v->reg, src, 0);
        if (!v->deleted)
            c->known[v->reg] = 1;
    } else if (v && v->kind == VAR_CELL) {
        comp_emit(c, OPC_STORECELL, 0, (int)v->reg, src, 0);
    } else if (v && v->kind == VAR_FREE) {
        comp_emit(c, OPC_STOREFREE, 0, src, (int)v->reg, 0);
    } else if (v && v->kind == VAR_CLASS) {
        comp_emit(c, OPC_STOREN, 0, src, comp_konst_str(c, name, strlen(name)), 0);
    } else {
        comp_emit(c, OPC_STOREG, 0, src, comp_konst_str(c, name, strlen(name)), 0);
    }
}

void comp_delete_name(Comp *c, const char *name)
{
    Scope *s;
    Var *v = comp_lookup(c, name, &s);

    if (v && v->kind == VAR_LOCAL)
        comp_emit(c, OPC_DELLOCAL, 0, (int)v->reg, 0, 0);
    else if (v && v->kind == VAR_CELL)
        comp_emit(c, OPC_DELCELL, 0, (int)v->reg, 0, 0);
    else if (v && v->kind == VAR_FREE)
        comp_emit(c, OPC_DELFREE, 0, 0, (int)v->reg, 0);
    else
        comp_emit(c, v && v->kind == VAR_CLASS ? OPC_DELN : OPC_DELG, 0, 0,
                  comp_konst_str(c, name, strlen(name)), 0);
}
