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

void place(Comp *c, const Ast *a)
{
    c->at = (CodePos){a->line, a->col, a->len};
}

uint32_t emit(Comp *c, Opcode op, int x, int a, int b, int cc)
{
    Ins i = {.op = (uint8_t)op, .x = (uint8_t)x, .a = (uint16_t)a};

    i.b = (uint16_t)b;
    i.c = (uint16_t)cc;
    vec_push(&c->u->arena, &c->ins, i);
    vec_push(&c->u->arena, &c->pos, c->at);
    return c->ins.n - 1;
}

uint32_t emit_jump(Comp *c, Opcode op, int a)
{
    return emit(c, op, 0, a, 0, 0);
}

void patch(Comp *c, uint32_t at)
{
    c->ins.v[at].jump = (int32_t)(c->ins.n - at) - 1;
}

void jumps_add(Comp *c, Jumps *j, uint32_t at)
{
    vec_push(&c->u->arena, j, at);
}

void patch_all(Comp *c, Jumps *j)
{
    for (uint32_t i = 0; i < j->n; i++)
        patch(c, j->v[i]);
    j->n = 0;
}

void jump_back(Comp *c, uint32_t to)
{
    uint32_t at = emit_jump(c, OPC_LOOP, 0);

    c->ins.v[at].jump = (int32_t)to - (int32_t)at - 1;
}

int temps(Comp *c, int n)
{
    int t = c->ntemps;

    c->ntemps += n;
    if (c->ntemps > c->max_temps)
        c->max_temps = c->ntemps;
    if (c->max_temps > MAX_REGS)
        unit_error(c->u, C_SyntaxError, c->at.line, c->at.col, 0, "expression too large");
    return TEMP + t;
}

int temp(Comp *c) { return temps(c, 1); }

static int new_local(Comp *c, const char *name)
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

int hidden(Comp *c)
{
    if (c->spare.n)
        return c->spare.v[--c->spare.n];
    return new_local(c, NULL);
}

void unhide(Comp *c, int reg) { vec_push(&c->u->arena, &c->spare, reg); }

static bool same_const(Value a, Value b)
{
    return a.tag == b.tag && (a.tag == T_OBJ ? a.o == b.o : a.i == b.i);
}

int konst(Comp *c, Value v)
{
    uint32_t i, from = c->consts.n > 64 && c->consts.n < MAX_INDEX - 100 ? c->consts.n - 64 : 0;

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

int konst_str(Comp *c, const char *s, size_t n)
{
    return konst(c, n <= 64 ? v_obj(sc_intern(c->vm, s, n)) : v_obj(sc_str_n(c->vm, s, n)));
}

static Str *unit_str(Comp *c, const char *s)
{
    Str *r = sc_intern(c->vm, s, strlen(s));

    if (!r)
        longjmp(c->u->jump, 2);
    vec_push(&c->u->arena, &c->u->consts, v_obj(r));
    return r;
}

int cache(Comp *c, const char *name)
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

int code_index(Comp *c, const Code *code)
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

Var *lookup(Comp *c, const char *name, Scope **out_scope)
{
    Scope *s = c->scope;
    Var *v;

    for (;; s = s->parent) {
        v = scope_find(s, name);
        if (s == c->host || (v && v->bound && s->kind == SCOPE_COMP))
            break;
    }
    *out_scope = s;
    return v;
}

int var_local(Comp *c, const Ast *a)
{
    Scope *s;
    Var *v;

    if (a->kind != E_NAME)
        return -1;
    v = lookup(c, a->name, &s);
    return v && v->kind == VAR_LOCAL ? (int)v->reg : -1;
}

void load_name(Comp *c, const char *name, int dst)
{
    Scope *s;
    Var *v = lookup(c, name, &s);

    if (v && v->kind == VAR_LOCAL) {
        if (!c->known[v->reg])
            emit(c, OPC_CHECK, 0, (int)v->reg, 0, 0);
        emit(c, OPC_MOVE, 0, dst, (int)v->reg, 0);
    } else if (v && v->kind == VAR_CELL) {
        emit(c, OPC_LOADCELL, 0, dst, (int)v->reg, 0);
    } else if (v && v->kind == VAR_FREE) {
        emit(c, OPC_LOADFREE, 0, dst, (int)v->reg, 0);
    } else if (v && v->kind == VAR_CLASS) {
        emit(c, OPC_LOADN, 0, dst, konst_str(c, name, strlen(name)), 0);
    } else {
        emit(c, OPC_LOADG, 0, dst, 0, cache(c, name));
    }
}

void store_name(Comp *c, const char *name, int src)
{
    Scope *s;
    Var *v = lookup(c, name, &s);

    if (v && v->kind == VAR_LOCAL) {
        if ((int)v->reg != src)
            emit(c, OPC_MOVE, 0, (int)v->reg, src, 0);
        if (!v->deleted)
            c->known[v->reg] = 1;
    } else if (v && v->kind == VAR_CELL) {
        emit(c, OPC_STORECELL, 0, (int)v->reg, src, 0);
    } else if (v && v->kind == VAR_FREE) {
        emit(c, OPC_STOREFREE, 0, src, (int)v->reg, 0);
    } else if (v && v->kind == VAR_CLASS) {
        emit(c, OPC_STOREN, 0, src, konst_str(c, name, strlen(name)), 0);
    } else {
        emit(c, OPC_STOREG, 0, src, konst_str(c, name, strlen(name)), 0);
    }
}

void delete_name(Comp *c, const char *name)
{
    Scope *s;
    Var *v = lookup(c, name, &s);

    if (v && v->kind == VAR_LOCAL)
        emit(c, OPC_DELLOCAL, 0, (int)v->reg, 0, 0);
    else if (v && v->kind == VAR_CELL)
        emit(c, OPC_DELCELL, 0, (int)v->reg, 0, 0);
    else if (v && v->kind == VAR_FREE)
        emit(c, OPC_DELFREE, 0, 0, (int)v->reg, 0);
    else
        emit(c, v && v->kind == VAR_CLASS ? OPC_DELN : OPC_DELG, 0, 0,
             konst_str(c, name, strlen(name)), 0);
}

/* ---- ways out: finally and with ---------------------------------------------------- */

static void close_range(Comp *c, Exit *e)
{
    if (e->from < c->ins.n) {
        jumps_add(c, &e->ranges, e->from);
        jumps_add(c, &e->ranges, c->ins.n);
    }
}

static void push_exit(Comp *c, Exit *e, ExitKind kind, const Ast *at)
{
    *e = (Exit){.kind = kind, .outer = c->exits, .from = c->ins.n, .at = at};
    c->exits = e;
}

static void add_handlers(Comp *c, Exit *e, uint32_t pc, int reg)
{
    for (uint32_t i = 0; i < e->ranges.n; i += 2) {
        Handler h = {e->ranges.v[i], e->ranges.v[i + 1], pc, (uint16_t)reg};

        vec_push(&c->u->arena, &c->handlers, h);
    }
}

/* Run what leaving e means, outside its protection and that of those within it. */
static void run_exit(Comp *c, Exit *e)
{
    Exit *saved = c->exits;
    int t;

    c->exits = e->outer;
    if (e->kind == EXIT_FINALLY) {
        compile_block(c, &e->final->list);
    } else if (e->kind == EXIT_WITH) {
        place(c, e->at);
        t = temp(c);
        emit(c, OPC_EXIT, 0, t, e->mgr, NOREG);
        emit(c, OPC_CLEAR, 0, t, 0, 0);
        c->ntemps--;
    } else if (e->kind == EXIT_HANDLER) {
        emit(c, OPC_HANDLED, 0, e->mgr, 0, 0);
    }
    c->exits = saved;
}

/* Leave all statements up to, but not including, stop. */
static void leave_to(Comp *c, Exit *stop)
{
    Exit *e, *k;

    for (e = c->exits; e != stop; e = e->outer) {
        if (e->kind == EXIT_LOOP)
            continue;
        for (k = c->exits; k != e->outer; k = k->outer)
            if (k->kind != EXIT_LOOP) {
                close_range(c, k);
                k->from = UINT32_MAX;
            }
        run_exit(c, e);
    }
}

static void reopen(Comp *c, Exit *stop)
{
    for (Exit *e = c->exits; e != stop; e = e->outer)
        if (e->kind != EXIT_LOOP)
            e->from = c->ins.n;
}

static Exit *innermost_loop(Comp *c)
{
    Exit *e = c->exits;

    while (e && e->kind != EXIT_LOOP)
        e = e->outer;
    return e;
}

/* ---- simple statements ------------------------------------------------------------- */

static void compile_assign(Comp *c, Ast *s)
{
    uint32_t i;
    int reg = s->list.n == 1 ? var_local(c, s->list.v[0]) : -1, r;

    if (reg >= 0) {
        expr(c, s->a, reg);
        store_name(c, s->list.v[0]->name, reg);
        return;
    }
    if (s->list.n == 1 && s->list.v[0]->kind == E_TUPLE && s->a->kind == E_TUPLE &&
        s->list.v[0]->list.n == s->a->list.n && s->a->list.n <= 4) {
        AstList *t = &s->list.v[0]->list, *v = &s->a->list;
        int base = c->ntemps;
        bool star = false;

        for (i = 0; i < t->n; i++)
            star |= t->v[i]->kind == E_STAR || v->v[i]->kind == E_STAR;
        if (!star) { /* a, b = b, a without a tuple */
            for (i = 0; i < v->n; i++)
                expr(c, v->v[i], temp(c));
            for (i = 0; i < t->n; i++)
                assign(c, t->v[i], TEMP + base + (int)i);
            c->ntemps = base;
            return;
        }
    }
    if (s->list.n == 1) {
        r = operand(c, s->a, ANY);
        assign(c, s->list.v[0], r);
        return;
    }
    reg = hidden(c);
    expr(c, s->a, reg);
    for (i = 0; i < s->list.n; i++)
        assign(c, s->list.v[i], reg);
    emit(c, OPC_CLEAR, 0, reg, 0, 0);
    unhide(c, reg);
}

static void emit_binary(Comp *c, BinOp op, int dst, int l, int r, bool inplace)
{
    static const uint8_t fast[] = {OPC_ADD, OPC_SUB, OPC_MUL, OPC_DIV, OPC_FLOORDIV, OPC_MOD};

    if (op <= OP2_MOD)
        emit(c, fast[op], inplace ? BIN_INPLACE : 0, dst, l, r);
    else
        emit(c, OPC_BINOP, (int)op | (inplace ? BIN_INPLACE : 0), dst, l, r);
}

static void compile_aug(Comp *c, Ast *s)
{
    Ast *t = s->a;
    int obj, key, v, r, reg;

    if (t->kind == E_NAME) {
        reg = var_local(c, t);
        if (reg >= 0) {
            if (!c->known[reg]) {
                place(c, t);
                emit(c, OPC_CHECK, 0, reg, 0, 0);
            }
            if (s->b->kind == E_INT && (s->op == OP2_ADD || s->op == OP2_SUB) &&
                s->b->i >= -30000 && s->b->i <= 30000) {
                place(c, s);
                emit(c, OPC_ADDI, (s->op == OP2_SUB) | BIN_INPLACE, reg, reg,
                     (int)(s->op == OP2_SUB ? -s->b->i : s->b->i));
                return;
            }
            r = operand(c, s->b, ANY);
            place(c, s);
            emit_binary(c, (BinOp)s->op, reg, reg, r, true);
            return;
        }
        v = temp(c);
        place(c, t);
        load_name(c, t->name, v);
        r = operand(c, s->b, ANY);
        place(c, s);
        emit_binary(c, (BinOp)s->op, v, v, r, true);
        store_name(c, t->name, v);
        return;
    }
    obj = hidden(c);
    expr(c, t->a, obj);
    key = -1;
    v = temp(c);
    if (t->kind == E_INDEX) {
        key = hidden(c);
        expr(c, t->b, key);
        place(c, t);
        emit(c, OPC_GETITEM, 0, v, obj, key);
    } else {
        place(c, t);
        emit(c, OPC_GETATTR, 0, v, obj, cache(c, t->name));
    }
    r = operand(c, s->b, ANY);
    place(c, s);
    emit_binary(c, (BinOp)s->op, v, v, r, true);
    place(c, t);
    if (key >= 0) {
        emit(c, OPC_SETITEM, 0, obj, key, v);
        emit(c, OPC_CLEAR, 0, key, 0, 0);
        unhide(c, key);
    } else {
        emit(c, OPC_SETATTR, 0, obj, v, cache(c, t->name));
    }
    emit(c, OPC_CLEAR, 0, obj, 0, 0);
    unhide(c, obj);
}

static void compile_annotated(Comp *c, Ast *s)
{
    Ast one = *s;
    Ast *target = s->a;
    int r;

    if (s->c) {
        one.list = (AstList){&target, 1};
        one.a = s->c;
        compile_assign(c, &one);
        c->ntemps = 0;
    }
    if (c->host->kind == SCOPE_CLASS && target->kind == E_NAME) {
        r = expr(c, s->b, temp(c));
        emit(c, OPC_ANNOT, 0, r, konst_str(c, target->name, strlen(target->name)), 0);
    }
}

static void compile_delete(Comp *c, Ast *t)
{
    int a, b;

    place(c, t);
    switch (t->kind) {
    case E_NAME: delete_name(c, t->name); break;
    case E_ATTR:
        a = operand(c, t->a, ANY);
        place(c, t);
        emit(c, OPC_DELATTR, 0, a, 0, cache(c, t->name));
        break;
    case E_INDEX:
        a = operand(c, t->a, ANY);
        b = operand(c, t->b, ANY);
        place(c, t);
        emit(c, OPC_DELITEM, 0, a, b, 0);
        break;
    default:
        for (uint32_t i = 0; i < t->list.n; i++)
            compile_delete(c, t->list.v[i]);
    }
}

static void compile_return(Comp *c, Ast *s)
{
    Exit *e;
    bool leaves = false;
    int r;

    for (e = c->exits; e; e = e->outer)
        leaves |= e->kind != EXIT_LOOP;
    if (!leaves) {
        if (s->a)
            r = operand(c, s->a, ANY);
        else
            emit(c, OPC_LOADK, 0, r = temp(c), konst(c, NONE), 0);
        place(c, s);
        emit(c, OPC_RET, 0, r, 0, 0);
        return;
    }
    r = hidden(c);
    if (s->a)
        expr(c, s->a, r);
    else
        emit(c, OPC_LOADK, 0, r, konst(c, NONE), 0);
    c->ntemps = 0;
    leave_to(c, NULL);
    place(c, s);
    emit(c, OPC_RET, 0, r, 0, 0);
    reopen(c, NULL);
    unhide(c, r);
}

static void compile_break(Comp *c, Ast *s)
{
    Exit *loop = innermost_loop(c);

    if (!loop)
        comp_error(c, s, s->kind == S_BREAK ? "'break' outside loop"
                                            : "'continue' not properly in loop");
    leave_to(c, loop);
    place(c, s);
    if (s->kind == S_BREAK)
        jumps_add(c, &loop->breaks, emit_jump(c, OPC_JMP, 0));
    else
        jump_back(c, loop->start);
    reopen(c, loop);
}

static void compile_import(Comp *c, Ast *s)
{
    for (uint32_t i = 0; i < s->list.n; i++) {
        Ast *n = s->list.v[i];
        const char *dot = strchr(n->name, '.');
        int r = temp(c);

        place(c, n);
        emit(c, OPC_IMPORT, n->a != NULL, r, konst_str(c, n->name, strlen(n->name)), 0);
        store_name(c,
                   n->a  ? n->a->name
                   : dot ? intern_n(&c->u->names, n->name, (size_t)(dot - n->name))
                         : n->name,
                   r);
        c->ntemps--;
    }
}

static void compile_from(Comp *c, Ast *s)
{
    int m, r;
    uint32_t i;

    if (strcmp(s->name, "__future__") == 0)
        return;
    if (s->n)
        comp_error(c, s, "relative imports are outside this language; name the module");
    m = hidden(c);
    emit(c, OPC_IMPORT, 1, m, konst_str(c, s->name, strlen(s->name)), 0);
    if (s->list.n == 0)
        emit(c, OPC_IMPORTSTAR, 0, m, 0, 0);
    for (i = 0; i < s->list.n; i++) {
        Ast *n = s->list.v[i];

        place(c, n);
        r = temp(c);
        emit(c, OPC_IMPORTFROM, 0, r, m, konst_str(c, n->name, strlen(n->name)));
        store_name(c, n->a ? n->a->name : n->name, r);
        c->ntemps--;
    }
    emit(c, OPC_CLEAR, 0, m, 0, 0);
    unhide(c, m);
}

static void compile_assert(Comp *c, Ast *s)
{
    Jumps ok = {0};
    int r = TEMP;

    jump_if(c, s->a, true, &ok);
    if (s->b)
        r = expr(c, s->b, temp(c));
    place(c, s->a);
    emit(c, OPC_ASSERT, s->b != NULL, r, 0, 0);
    patch_all(c, &ok);
}

static void compile_raise(Comp *c, Ast *s)
{
    int a = 0, b = 0, n = 0;

    if (s->a) {
        a = operand(c, s->a, ANY);
        n = 1;
    }
    if (s->b) {
        b = operand(c, s->b, ANY);
        n = 2;
    }
    place(c, s);
    emit(c, OPC_RAISE, n, a, b, 0);
}

/* ---- compound statements ----------------------------------------------------------- */

static void compile_if(Comp *c, Ast *s)
{
    Jumps no = {0};
    Known before, after;
    uint32_t end;

    jump_if(c, s->a, false, &no);
    c->ntemps = 0;
    before = known_save(c);
    compile_block(c, &s->list);
    if (s->more.n == 0) {
        patch_all(c, &no);
        known_meet(c, before);
        return;
    }
    end = emit_jump(c, OPC_JMP, 0);
    patch_all(c, &no);
    after = known_save(c);
    known_set(c, before);
    compile_block(c, &s->more);
    known_meet(c, after);
    patch(c, end);
}

static void compile_while(Comp *c, Ast *s)
{
    Exit e;
    Jumps no = {0};
    Known k = known_save(c);
    bool forever = s->a->kind == E_TRUE || (s->a->kind == E_INT && s->a->i != 0);

    push_exit(c, &e, EXIT_LOOP, s);
    e.start = c->ins.n;
    if (!forever)
        jump_if(c, s->a, false, &no);
    c->ntemps = 0;
    compile_block(c, &s->list);
    place(c, s);
    jump_back(c, e.start);
    patch_all(c, &no);
    c->exits = e.outer;
    known_set(c, k);
    compile_block(c, &s->more);
    patch_all(c, &e.breaks);
    known_set(c, k);
}

static void compile_for(Comp *c, Ast *s)
{
    Exit e;
    int it = hidden(c), reg = var_local(c, s->a), v;
    Known k;
    uint32_t out;

    v = operand(c, s->b, ANY);
    place(c, s->b);
    emit(c, OPC_ITER, 0, it, v, 0);
    c->ntemps = 0;
    k = known_save(c);
    push_exit(c, &e, EXIT_LOOP, s);
    e.start = c->ins.n;
    v = reg >= 0 ? reg : temp(c);
    emit(c, OPC_FORITER, 0, it, v, 0);
    out = emit_jump(c, OPC_JMP, 0);
    place(c, s->a);
    assign(c, s->a, v);
    c->ntemps = 0;
    compile_block(c, &s->list);
    place(c, s->b);
    jump_back(c, e.start);
    patch(c, out);
    c->exits = e.outer;
    known_set(c, k);
    compile_block(c, &s->more);
    patch_all(c, &e.breaks);
    known_set(c, k);
    emit(c, OPC_CLEAR, 0, it, 0, 0);
    unhide(c, it);
}

/* try body except .. else ..; the exception is in a hidden local while handled */
static void compile_except(Comp *c, Ast *s)
{
    Exit e;
    Jumps done = {0};
    Known k = known_save(c);
    uint32_t i, pc;
    int exc = hidden(c), before = hidden(c), t;

    emit(c, OPC_GETHANDLED, 0, before, 0, 0);
    /* EXIT_FINALLY with no code: only to have its ranges split by ways out */
    push_exit(c, &e, EXIT_FINALLY, s);
    static const Ast nothing = {.kind = S_BLOCK};
    e.final = &nothing;
    compile_block(c, &s->list);
    close_range(c, &e);
    c->exits = e.outer;
    if (s->a)
        compile_block(c, &s->a->list);
    jumps_add(c, &done, emit_jump(c, OPC_JMP, 0));
    pc = c->ins.n;
    add_handlers(c, &e, pc, exc);
    emit(c, OPC_HANDLED, 0, exc, 0, 0);
    push_exit(c, &e, EXIT_HANDLER, s);
    e.mgr = before;
    for (i = 0; i < s->more.n; i++) {
        Ast *h = s->more.v[i];
        uint32_t next = 0;

        known_set(c, k);
        if (h->a) {
            t = operand(c, h->a, ANY);
            place(c, h->a);
            emit(c, OPC_EXCMATCH, 0, exc, t, 0);
            next = emit_jump(c, OPC_JMP, 0);
            c->ntemps = 0;
        }
        if (h->name) {
            t = temp(c);
            emit(c, OPC_MOVE, 0, t, exc, 0);
            store_name(c, h->name, t);
            c->ntemps = 0;
        }
        compile_block(c, &h->list);
        if (h->name) {
            Scope *sc;
            Var *v = lookup(c, h->name, &sc);

            if (v && v->kind == VAR_LOCAL) {
                emit(c, OPC_CLEAR, 0, (int)v->reg, 0, 0);
                c->known[v->reg] = 0;
            }
        }
        emit(c, OPC_HANDLED, 0, before, 0, 0);
        emit(c, OPC_CLEAR, 0, exc, 0, 0);
        jumps_add(c, &done, emit_jump(c, OPC_JMP, 0));
        if (h->a)
            patch(c, next);
    }
    c->exits = e.outer;
    if (s->more.v[s->more.n - 1]->a) {
        emit(c, OPC_HANDLED, 0, before, 0, 0);
        emit(c, OPC_RERAISE, 0, exc, 0, 0);
    }
    patch_all(c, &done);
    emit(c, OPC_CLEAR, 0, before, 0, 0);
    known_set(c, k);
    unhide(c, before);
    unhide(c, exc);
}

static void compile_try(Comp *c, Ast *s)
{
    Exit e;
    uint32_t end;
    int exc, before;
    Known k, after;

    if (!s->b) {
        compile_except(c, s);
        return;
    }
    k = known_save(c);
    exc = hidden(c);
    before = hidden(c);
    emit(c, OPC_GETHANDLED, 0, before, 0, 0);
    push_exit(c, &e, EXIT_FINALLY, s);
    e.final = s->b;
    if (s->more.n)
        compile_except(c, s);
    else
        compile_block(c, &s->list);
    close_range(c, &e);
    c->exits = e.outer;
    compile_block(c, &s->b->list);
    after = known_save(c);
    end = emit_jump(c, OPC_JMP, 0);
    add_handlers(c, &e, c->ins.n, exc);
    known_set(c, k);
    emit(c, OPC_HANDLED, 0, exc, 0, 0);
    push_exit(c, &e, EXIT_HANDLER, s);
    e.mgr = before;
    compile_block(c, &s->b->list);
    c->exits = e.outer;
    place(c, s);
    emit(c, OPC_HANDLED, 0, before, 0, 0);
    emit(c, OPC_RERAISE, 0, exc, 0, 0);
    patch(c, end);
    emit(c, OPC_CLEAR, 0, before, 0, 0);
    known_set(c, after);
    unhide(c, before);
    unhide(c, exc);
}

/* with item(s): block, the items from i on */
static void compile_with(Comp *c, Ast *s, uint32_t i)
{
    Exit e;
    Ast *item = s->list.v[i];
    int mgr = hidden(c), exc = hidden(c), t;
    uint32_t end;

    expr(c, item->a, mgr);
    place(c, item->a);
    t = temp(c);
    emit(c, OPC_ENTER, 0, t, mgr, 0);
    push_exit(c, &e, EXIT_WITH, item->a);
    e.mgr = mgr;
    if (item->b)
        assign(c, item->b, t);
    else
        emit(c, OPC_CLEAR, 0, t, 0, 0);
    c->ntemps = 0;
    Known k = known_save(c);
    if (i + 1 < s->list.n)
        compile_with(c, s, i + 1);
    else
        compile_block(c, &s->more);
    close_range(c, &e);
    run_exit(c, &e);
    c->exits = e.outer;
    end = emit_jump(c, OPC_JMP, 0);
    add_handlers(c, &e, c->ins.n, exc);
    place(c, item->a);
    t = temp(c);
    emit(c, OPC_EXIT, 0, t, mgr, exc);
    {
        uint32_t swallow = emit_jump(c, OPC_JT, t);

        emit(c, OPC_RERAISE, 0, exc, 0, 0);
        patch(c, swallow);
    }
    c->ntemps = 0;
    emit(c, OPC_CLEAR, 0, exc, 0, 0);
    patch(c, end);
    emit(c, OPC_CLEAR, 0, mgr, 0, 0);
    known_set(c, k);
    unhide(c, exc);
    unhide(c, mgr);
}

/* ---- functions and classes --------------------------------------------------------- */

Comp *comp_begin(Comp *outer, Unit *u, Scope *s, const char *name)
{
    Comp *c = arena_zalloc(&u->arena, sizeof *c);
    Text t;

    *c = (Comp){.u = u, .vm = u->vm, .outer = outer, .scope = s, .host = s};
    c->code = arena_zalloc(&u->arena, sizeof *c->code);
    c->code->unit = u;
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

/* Temporaries go behind the locals. */
static void place_temps(Comp *c)
{
    static const char *const kinds[] = {
#define OPC(id, k) k,
#include "opcodes.def"
#undef OPC
    };
    uint16_t base = (uint16_t)c->locals.n;

    for (uint32_t i = 0; i < c->ins.n; i++) {
        Ins *k = &c->ins.v[i];
        const char *q = kinds[k->op];

        if (q[0] == 'r' && k->a >= TEMP && k->a != NOREG)
            k->a = (uint16_t)(k->a - TEMP + base);
        if (q[1] == 'r' && k->b >= TEMP && k->b != NOREG)
            k->b = (uint16_t)(k->b - TEMP + base);
        if (q[2] == 'r' && k->c >= TEMP && k->c != NOREG)
            k->c = (uint16_t)(k->c - TEMP + base);
    }
}

const Code *comp_end(Comp *c)
{
    Code *k = c->code;
    int t;

    c->ntemps = 0;
    t = temp(c);
    emit(c, OPC_LOADK, 0, t, konst(c, NONE), 0);
    emit(c, OPC_RET, 0, t, 0, 0);
    place_temps(c);
    k->ins = c->ins.v;
    k->nins = c->ins.n;
    k->pos = c->pos.v;
    k->nlocals = c->locals.n;
    k->nregs = c->locals.n + (uint32_t)c->max_temps + 2;
    k->consts = c->consts.v;
    k->caches = c->caches.v;
    k->ncaches = c->caches.n;
    k->codes = c->codes.v;
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
    Text t;

    for (uint32_t i = 0; i < s->n; i++) {
        Var *v = &s->vars[i], *o;

        if (v->kind != VAR_FREE)
            continue;
        o = lookup(maker, strncmp(v->name, ".free.", 6) ? v->name : v->name + 6, &at);
        if (o && o->kind == VAR_CLASS) {
            text_init(&t, &c->u->arena);
            text_printf(&t, ".free.%s", v->name);
            o = lookup(maker, intern(&c->u->names, text_str(&t)), &at);
        }
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
        v->reg = (uint32_t)new_local(c, v->name);
        if (v->kind == VAR_CELL) {
            emit(c, OPC_NEWCELL, 0, (int)v->reg, 0, 0);
            c->known[v->reg] = 1;
        }
    }
}

void bind_comp_scope(Comp *c, Scope *s)
{
    for (uint32_t i = 0; i < s->n; i++) {
        Var *v = &s->vars[i];

        if (!v->bound)
            continue;
        v->reg = (uint32_t)new_local(c, v->name);
        if (v->kind == VAR_CELL) {
            emit(c, OPC_NEWCELL, 0, (int)v->reg, 0, 0);
            c->known[v->reg] = 1;
        }
    }
}

static void bind_params(Comp *c, FuncDef *d)
{
    static const ParamKind order[] = {PARAM_POS, PARAM_KW, PARAM_STAR, PARAM_DSTAR};
    Code *k = c->code;
    uint32_t n = 0;

    k->param_names = arena_array(&c->u->arena, d->nparams + 1, sizeof *k->param_names);
    for (int o = 0; o < COUNT(order); o++)
        for (uint32_t i = 0; i < d->nparams; i++) {
            Param *p = &d->params[i];
            Var *v = scope_find(c->host, p->name);

            if (p->kind != order[o])
                continue;
            v->reg = (uint32_t)new_local(c, p->name);
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
        Var *v = scope_find(c->host, d->params[i].name);

        if (v->kind == VAR_CELL)
            emit(c, OPC_MAKECELL, 0, (int)v->reg, 0, 0);
    }
}

const Code *compile_function(Comp *c, FuncDef *d, const Ast *a)
{
    Comp *f = comp_begin(c, c->u, d->scope, d->name);

    f->code->def = d;
    f->code->ast = a;
    f->code->is_generator = d->is_generator;
    f->at = (CodePos){a->line, a->col, a->len};
    if (d->doc) {
        f->code->doc = sc_str_n(c->vm, d->doc, d->ndoc);
        konst(f, v_obj(f->code->doc));
    }
    bind_params(f, d);
    bind_vars(f);
    find_free(f, c);
    compile_block(f, &d->body);
    return comp_end(f);
}

/* A generator expression: a generator function of the first iterator. */
const Code *compile_genexp(Comp *c, Ast *a)
{
    Comp *f = comp_begin(c, c->u, a->scope, "<genexpr>");
    Code *k = f->code;

    k->ast = a;
    k->is_generator = true;
    f->at = (CodePos){a->line, a->col, a->len};
    new_local(f, ".0");
    f->known[0] = 1;
    k->npos = 1;
    k->param_names = arena_array(&c->u->arena, 1, sizeof *k->param_names);
    k->param_names[0] = unit_str(f, ".0");
    bind_vars(f);
    find_free(f, c);
    compile_comp_loop(f, a, 0, -1, 0);
    return comp_end(f);
}

/* dst = function of code, with the defaults of d evaluated now */
void make_function(Comp *c, const Code *code, FuncDef *d, int dst)
{
    int base = c->ntemps, first = TEMP + base;
    uint32_t i;

    if (d) {
        for (i = 0; i < d->nparams; i++)
            if (d->params[i].kind == PARAM_POS && d->params[i].value)
                expr(c, d->params[i].value, temp(c));
        for (i = 0; i < d->nparams; i++)
            if (d->params[i].kind == PARAM_KW) {
                int t = temp(c);

                if (d->params[i].value)
                    expr(c, d->params[i].value, t);
                else
                    emit(c, OPC_CLEAR, 0, t, 0, 0);
            }
    }
    emit(c, OPC_FUNC, 0, dst, code_index(c, code), first);
    c->ntemps = base;
}

static void compile_def(Comp *c, Ast *s)
{
    int base = c->ntemps, t, n = (int)s->list.n, i;

    for (i = 0; i < n; i++) /* each is called with what stands in the next register */
        expr(c, s->list.v[i], temp(c));
    t = temp(c);
    make_function(c, compile_function(c, s->def, s), s->def, t);
    for (i = n - 1; i >= 0; i--) {
        place(c, s->list.v[i]);
        emit(c, OPC_CALL, 0, TEMP + base + i, 1, 0);
    }
    place(c, s);
    store_name(c, s->def->name, TEMP + base);
    c->ntemps = base;
}

static const Code *compile_class_body(Comp *c, Ast *s)
{
    Comp *f = comp_begin(c, c->u, s->scope, s->name);
    int t;

    f->code->is_class = true;
    f->code->ast = s;
    f->at = (CodePos){s->line, s->col, s->len};
    bind_vars(f);
    find_free(f, c);
    if (s->more.n && s->more.v[0]->kind == S_EXPR && s->more.v[0]->a->kind == E_STR) {
        t = expr(f, s->more.v[0]->a, temp(f));
        emit(f, OPC_STOREN, 0, t, konst_str(f, "__doc__", 7), 0);
        f->ntemps = 0;
    }
    compile_block(f, &s->more);
    if (s->scope->needs_class) { /* the body gives the cell to be filled */
        Var *v = scope_find(s->scope, intern(&c->u->names, "__class__"));

        emit(f, OPC_RET, 0, (int)v->reg, 0, 0);
    }
    return comp_end(f);
}

static void compile_class(Comp *c, Ast *s)
{
    int base = c->ntemps, n = s->a ? (int)s->a->list.n : 0, i, b, t, mark;
    bool star = false;
    uint32_t k, npos = 0;

    for (i = 0; i < n; i++)
        expr(c, s->a->list.v[i], temp(c));
    b = temps(c, 2);
    mark = c->ntemps;
    for (k = 0; k < s->list.n; k++)
        star |= s->list.v[k]->kind == E_STAR || s->list.v[k]->kind == E_DSTAR;
    if (star)
        comp_error(c, s, "starred bases are outside this language");
    for (k = 0; k < s->list.n; k++)
        if (s->list.v[k]->kind != E_KW) {
            expr(c, s->list.v[k], temp(c));
            npos++;
        } else if (strcmp(s->list.v[k]->name, "metaclass") == 0) {
            comp_error(c, s->list.v[k], "metaclasses are outside this language");
        }
    place(c, s);
    emit(c, OPC_TUPLE, 0, b, TEMP + mark, (int)npos);
    c->ntemps = mark;
    emit(c, OPC_DICT, 0, b + 1, TEMP + mark, 0);
    for (k = 0; k < s->list.n; k++)
        if (s->list.v[k]->kind == E_KW) {
            int h = hidden(c), key = temp(c), v;

            emit(c, OPC_MOVE, 0, h, b + 1, 0);
            emit(c, OPC_LOADK, 0, key,
                 konst_str(c, s->list.v[k]->name, strlen(s->list.v[k]->name)), 0);
            v = operand(c, s->list.v[k]->a, ANY);
            emit(c, OPC_DICTADD, 0, h, key, v);
            emit(c, OPC_MOVE, 0, b + 1, h, 0);
            emit(c, OPC_CLEAR, 0, h, 0, 0);
            unhide(c, h);
            c->ntemps = mark;
        }
    place(c, s);
    t = b;
    emit(c, OPC_CLASS, 0, t, code_index(c, compile_class_body(c, s)), b);
    for (i = n - 1; i >= 0; i--) {
        place(c, s->a->list.v[i]);
        emit(c, OPC_CALL, 0, TEMP + base + i, 1, 0);
    }
    place(c, s);
    store_name(c, s->name, TEMP + base);
    c->ntemps = base;
}

/* ---- all --------------------------------------------------------------------------- */

static void compile_stmt(Comp *c, Ast *s)
{
    uint32_t i;
    int r;

    place(c, s);
    switch (s->kind) {
    case S_EXPR:
        if (s->a->kind == E_STR || s->a->kind == E_ELLIPSIS || s->a->kind == E_INT)
            break;
        r = operand(c, s->a, ANY);
        if (r >= TEMP)
            emit(c, OPC_CLEAR, 0, r, 0, 0);
        break;
    case S_ASSIGN: compile_assign(c, s); break;
    case S_AUG: compile_aug(c, s); break;
    case S_ANN: compile_annotated(c, s); break;
    case S_IF: compile_if(c, s); break;
    case S_WHILE: compile_while(c, s); break;
    case S_FOR: compile_for(c, s); break;
    case S_DEF: compile_def(c, s); break;
    case S_CLASS: compile_class(c, s); break;
    case S_RETURN: compile_return(c, s); break;
    case S_RAISE: compile_raise(c, s); break;
    case S_TRY: compile_try(c, s); break;
    case S_WITH: compile_with(c, s, 0); break;
    case S_ASSERT: compile_assert(c, s); break;
    case S_IMPORT: compile_import(c, s); break;
    case S_FROM: compile_from(c, s); break;
    case S_DEL:
        for (i = 0; i < s->list.n; i++)
            compile_delete(c, s->list.v[i]);
        break;
    case S_BREAK:
    case S_CONTINUE: compile_break(c, s); break;
    default: break;
    }
    c->ntemps = 0;
}

void compile_block(Comp *c, const AstList *l)
{
    for (uint32_t i = 0; i < l->n; i++)
        compile_stmt(c, l->v[i]);
}

const Code *sc_compile(Unit *u, Scope *module)
{
    Comp *c = comp_begin(NULL, u, module, "<module>");
    int t;

    if (u->body.n && u->body.v[0]->kind == S_EXPR && u->body.v[0]->a->kind == E_STR) {
        t = expr(c, u->body.v[0]->a, temp(c));
        emit(c, OPC_STOREG, 0, t, konst_str(c, "__doc__", 7), 0);
        c->ntemps = 0;
    }
    compile_block(c, &u->body);
    return comp_end(c);
}
