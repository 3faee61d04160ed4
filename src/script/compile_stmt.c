/* compile_stmt.c -- statements to instructions.
 *
 *   requires   scopes are resolved
 *   keeps      between statements no temporary is in use
 *
 * What leaving a statement early means (a finally block, the end of a with, of a loop, of a
 * handler) is on the stack c->exits. break, continue and return run these from the inside
 * out, and cut what they run out of the range that its own handler protects.
 */
#include "compile.h"

/* ---- ways out: finally and with ---------------------------------------------------- */

static void close_range(Comp *c, Exit *e)
{
    if (e->from < c->ins.n) {
        comp_jumps_add(c, &e->ranges, e->from);
        comp_jumps_add(c, &e->ranges, c->ins.n);
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
        comp_block(c, &e->final->list);
    } else if (e->kind == EXIT_WITH) {
        comp_place(c, e->at);
        t = comp_temp(c);
        comp_emit(c, OPC_EXIT, 0, t, e->mgr, NOREG);
        comp_emit(c, OPC_CLEAR, 0, t, 0, 0);
        c->ntemps--;
    } else if (e->kind == EXIT_HANDLER) {
        comp_emit(c, OPC_HANDLED, 0, e->mgr, 0, 0);
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
    int reg = s->list.n == 1 ? comp_var_local(c, s->list.v[0]) : -1, r;

    if (reg >= 0) {
        comp_expr(c, s->a, reg);
        comp_store_name(c, s->list.v[0]->name, reg);
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
                comp_expr(c, v->v[i], comp_temp(c));
            for (i = 0; i < t->n; i++)
                comp_assign(c, t->v[i], TEMP + base + (int)i);
            c->ntemps = base;
            return;
        }
    }
    if (s->list.n == 1) {
        r = comp_operand(c, s->a, ANY);
        comp_assign(c, s->list.v[0], r);
        return;
    }
    reg = comp_hidden(c);
    comp_expr(c, s->a, reg);
    for (i = 0; i < s->list.n; i++)
        comp_assign(c, s->list.v[i], reg);
    comp_emit(c, OPC_CLEAR, 0, reg, 0, 0);
    comp_unhide(c, reg);
}

static void emit_binary(Comp *c, BinOp op, int dst, int l, int r, bool inplace)
{
    static const uint8_t fast[] = {OPC_ADD, OPC_SUB,      OPC_MUL,
                                   OPC_DIV, OPC_FLOORDIV, OPC_MOD};

    if (op <= OP2_MOD)
        comp_emit(c, fast[op], inplace ? BIN_INPLACE : 0, dst, l, r);
    else
        comp_emit(c, OPC_BINOP, (int)op | (inplace ? BIN_INPLACE : 0), dst, l, r);
}

static void compile_aug(Comp *c, Ast *s)
{
    Ast *t = s->a;
    int obj, key, v, r, reg;

    if (t->kind == E_NAME) {
        reg = comp_var_local(c, t);
        if (reg >= 0) {
            if (!c->known[reg]) {
                comp_place(c, t);
                comp_emit(c, OPC_CHECK, 0, reg, 0, 0);
            }
            if (s->b->kind == E_INT && (s->op == OP2_ADD || s->op == OP2_SUB) &&
                s->b->i >= -30000 && s->b->i <= 30000) {
                comp_place(c, s);
                comp_emit(c, OPC_ADDI, (s->op == OP2_SUB) | BIN_INPLACE, reg, reg,
                          (int)(s->op == OP2_SUB ? -s->b->i : s->b->i));
                return;
            }
            r = comp_operand(c, s->b, ANY);
            comp_place(c, s);
            emit_binary(c, (BinOp)s->op, reg, reg, r, true);
            return;
        }
        v = comp_temp(c);
        comp_place(c, t);
        comp_load_name(c, t->name, v);
        r = comp_operand(c, s->b, ANY);
        comp_place(c, s);
        emit_binary(c, (BinOp)s->op, v, v, r, true);
        comp_store_name(c, t->name, v);
        return;
    }
    obj = comp_hidden(c);
    comp_expr(c, t->a, obj);
    key = -1;
    v = comp_temp(c);
    if (t->kind == E_INDEX) {
        key = comp_hidden(c);
        comp_expr(c, t->b, key);
        comp_place(c, t);
        comp_emit(c, OPC_GETITEM, 0, v, obj, key);
    } else {
        comp_place(c, t);
        comp_emit(c, OPC_GETATTR, 0, v, obj, comp_cache(c, t->name));
    }
    r = comp_operand(c, s->b, ANY);
    comp_place(c, s);
    emit_binary(c, (BinOp)s->op, v, v, r, true);
    comp_place(c, t);
    if (key >= 0) {
        comp_emit(c, OPC_SETITEM, 0, obj, key, v);
        comp_emit(c, OPC_CLEAR, 0, key, 0, 0);
        comp_unhide(c, key);
    } else {
        comp_emit(c, OPC_SETATTR, 0, obj, v, comp_cache(c, t->name));
    }
    comp_emit(c, OPC_CLEAR, 0, obj, 0, 0);
    comp_unhide(c, obj);
}

static void compile_annotated(Comp *c, Ast *s)
{
    Ast one = *s;
    Ast *target = s->a;
    size_t n;
    int r;

    if (s->c) {
        one.list = (AstList){&target, 1};
        one.a = s->c;
        compile_assign(c, &one);
        c->ntemps = 0;
    }
    if (c->host->kind == SCOPE_CLASS && target->kind == E_NAME) {
        r = comp_temp(c);
        if (c->u->text_annotations) {
            const char *text = sc_annotation_text(c->u, s->b, "=\n#;", &n);

            comp_emit(c, OPC_LOADK, 0, r, comp_konst_str(c, text, n), 0);
        } else {
            r = comp_expr(c, s->b, r);
        }
        comp_emit(c, OPC_ANNOT, 0, r, comp_konst_str(c, target->name, strlen(target->name)),
                  0);
    }
}

static void compile_delete(Comp *c, Ast *t)
{
    int a, b;

    comp_place(c, t);
    switch (t->kind) {
    case E_NAME: comp_delete_name(c, t->name); break;
    case E_ATTR:
        a = comp_operand(c, t->a, ANY);
        comp_place(c, t);
        comp_emit(c, OPC_DELATTR, 0, a, 0, comp_cache(c, t->name));
        break;
    case E_INDEX:
        a = comp_operand(c, t->a, ANY);
        b = comp_operand(c, t->b, ANY);
        comp_place(c, t);
        comp_emit(c, OPC_DELITEM, 0, a, b, 0);
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
            r = comp_operand(c, s->a, ANY);
        else
            comp_emit(c, OPC_LOADK, 0, r = comp_temp(c), comp_konst(c, NONE), 0);
        comp_place(c, s);
        comp_emit(c, OPC_RET, 0, r, 0, 0);
        return;
    }
    r = comp_hidden(c);
    if (s->a)
        comp_expr(c, s->a, r);
    else
        comp_emit(c, OPC_LOADK, 0, r, comp_konst(c, NONE), 0);
    c->ntemps = 0;
    leave_to(c, NULL);
    comp_place(c, s);
    comp_emit(c, OPC_RET, 0, r, 0, 0);
    reopen(c, NULL);
    comp_unhide(c, r);
}

static void compile_break(Comp *c, Ast *s)
{
    Exit *loop = innermost_loop(c);

    if (!loop)
        comp_error(c, s,
                   s->kind == S_BREAK ? "'break' outside loop"
                                      : "'continue' not properly in loop");
    leave_to(c, loop);
    comp_place(c, s);
    if (s->kind == S_BREAK)
        comp_jumps_add(c, &loop->breaks, comp_emit_jump(c, OPC_JMP, 0));
    else
        jump_back(c, loop->start);
    reopen(c, loop);
}

static void compile_import(Comp *c, Ast *s)
{
    for (uint32_t i = 0; i < s->list.n; i++) {
        Ast *n = s->list.v[i];
        const char *dot = strchr(n->name, '.');
        int r = comp_temp(c);

        comp_place(c, n);
        comp_emit(c, OPC_IMPORT, n->a != NULL, r, comp_konst_str(c, n->name, strlen(n->name)),
                  0);
        comp_store_name(c,
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
    char *dotted;

    if (strcmp(s->name, "__future__") == 0)
        return;
    dotted = arena_alloc(&c->u->arena, s->n + strlen(s->name) + 1);
    memset(dotted, '.', s->n);
    strcpy(dotted + s->n, s->name);
    m = comp_hidden(c);
    comp_emit(c, OPC_IMPORT, 1, m, comp_konst_str(c, dotted, strlen(dotted)), 0);
    if (s->list.n == 0)
        comp_emit(c, OPC_IMPORTSTAR, 0, m, 0, 0);
    for (i = 0; i < s->list.n; i++) {
        Ast *n = s->list.v[i];

        comp_place(c, n);
        r = comp_temp(c);
        comp_emit(c, OPC_IMPORTFROM, 0, r, m, comp_konst_str(c, n->name, strlen(n->name)));
        comp_store_name(c, n->a ? n->a->name : n->name, r);
        c->ntemps--;
    }
    comp_emit(c, OPC_CLEAR, 0, m, 0, 0);
    comp_unhide(c, m);
}

static void compile_assert(Comp *c, Ast *s)
{
    Jumps ok = {0};
    int r = TEMP;

    jump_if(c, s->a, true, &ok);
    if (s->b)
        r = comp_expr(c, s->b, comp_temp(c));
    comp_place(c, s->a);
    comp_emit(c, OPC_ASSERT, s->b != NULL, r, 0, 0);
    comp_patch_all(c, &ok);
}

static void compile_raise(Comp *c, Ast *s)
{
    int a = 0, b = 0, n = 0;

    if (s->a) {
        a = comp_operand(c, s->a, ANY);
        n = 1;
    }
    if (s->b) {
        b = comp_operand(c, s->b, ANY);
        n = 2;
    }
    comp_place(c, s);
    comp_emit(c, OPC_RAISE, n, a, b, 0);
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
    comp_block(c, &s->list);
    if (s->more.n == 0) {
        comp_patch_all(c, &no);
        known_meet(c, before);
        return;
    }
    end = comp_emit_jump(c, OPC_JMP, 0);
    comp_patch_all(c, &no);
    after = known_save(c);
    known_set(c, before);
    comp_block(c, &s->more);
    known_meet(c, after);
    comp_patch(c, end);
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
    comp_block(c, &s->list);
    comp_place(c, s);
    jump_back(c, e.start);
    comp_patch_all(c, &no);
    c->exits = e.outer;
    known_set(c, k);
    comp_block(c, &s->more);
    comp_patch_all(c, &e.breaks);
    known_set(c, k);
}

static void compile_for(Comp *c, Ast *s)
{
    Exit e;
    int it = comp_hidden(c), reg = comp_var_local(c, s->a), v;
    Known k;
    uint32_t out;

    v = comp_operand(c, s->b, ANY);
    comp_place(c, s->b);
    comp_emit(c, OPC_ITER, 0, it, v, 0);
    c->ntemps = 0;
    k = known_save(c);
    push_exit(c, &e, EXIT_LOOP, s);
    e.start = c->ins.n;
    v = reg >= 0 ? reg : comp_temp(c);
    comp_emit(c, OPC_FORITER, 0, it, v, 0);
    out = comp_emit_jump(c, OPC_JMP, 0);
    comp_place(c, s->a);
    comp_assign(c, s->a, v);
    c->ntemps = 0;
    comp_block(c, &s->list);
    comp_place(c, s->b);
    jump_back(c, e.start);
    comp_patch(c, out);
    c->exits = e.outer;
    known_set(c, k);
    comp_block(c, &s->more);
    comp_patch_all(c, &e.breaks);
    known_set(c, k);
    comp_emit(c, OPC_CLEAR, 0, it, 0, 0);
    comp_unhide(c, it);
}

/* try body except .. else ..; the exception is in a hidden local while handled */
static void compile_except(Comp *c, Ast *s)
{
    Exit e;
    Jumps done = {0};
    Known k = known_save(c);
    uint32_t i, pc;
    int exc = comp_hidden(c), before = comp_hidden(c), t;

    comp_emit(c, OPC_GETHANDLED, 0, before, 0, 0);
    /* EXIT_FINALLY with no code: only to have its ranges split by ways out */
    push_exit(c, &e, EXIT_FINALLY, s);
    static const Ast nothing = {.kind = S_BLOCK};
    e.final = &nothing;
    comp_block(c, &s->list);
    close_range(c, &e);
    c->exits = e.outer;
    if (s->a)
        comp_block(c, &s->a->list);
    comp_jumps_add(c, &done, comp_emit_jump(c, OPC_JMP, 0));
    pc = c->ins.n;
    add_handlers(c, &e, pc, exc);
    comp_emit(c, OPC_HANDLED, 0, exc, 0, 0);
    push_exit(c, &e, EXIT_HANDLER, s);
    e.mgr = before;
    for (i = 0; i < s->more.n; i++) {
        Ast *h = s->more.v[i];
        uint32_t next = 0;

        known_set(c, k);
        if (h->a) {
            t = comp_operand(c, h->a, ANY);
            comp_place(c, h->a);
            comp_emit(c, OPC_EXCMATCH, 0, exc, t, 0);
            next = comp_emit_jump(c, OPC_JMP, 0);
            c->ntemps = 0;
        }
        if (h->name) {
            t = comp_temp(c);
            comp_emit(c, OPC_MOVE, 0, t, exc, 0);
            comp_store_name(c, h->name, t);
            c->ntemps = 0;
        }
        comp_block(c, &h->list);
        if (h->name) {
            Scope *sc;
            Var *v = comp_lookup(c, h->name, &sc);

            if (v && v->kind == VAR_LOCAL) {
                comp_emit(c, OPC_CLEAR, 0, (int)v->reg, 0, 0);
                c->known[v->reg] = 0;
            } else if (v && v->kind == VAR_CLASS) { /* set first: the block may have removed it */
                comp_emit(c, OPC_LOADK, 0, t = comp_temp(c), comp_konst(c, NONE), 0);
                comp_store_name(c, h->name, t);
                comp_delete_name(c, h->name);
                c->ntemps = 0;
            }
        }
        comp_emit(c, OPC_HANDLED, 0, before, 0, 0);
        comp_emit(c, OPC_CLEAR, 0, exc, 0, 0);
        comp_jumps_add(c, &done, comp_emit_jump(c, OPC_JMP, 0));
        if (h->a)
            comp_patch(c, next);
    }
    c->exits = e.outer;
    if (s->more.v[s->more.n - 1]->a) {
        comp_emit(c, OPC_HANDLED, 0, before, 0, 0);
        comp_emit(c, OPC_RERAISE, 0, exc, 0, 0);
    }
    comp_patch_all(c, &done);
    comp_emit(c, OPC_CLEAR, 0, before, 0, 0);
    known_set(c, k);
    comp_unhide(c, before);
    comp_unhide(c, exc);
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
    exc = comp_hidden(c);
    before = comp_hidden(c);
    comp_emit(c, OPC_GETHANDLED, 0, before, 0, 0);
    push_exit(c, &e, EXIT_FINALLY, s);
    e.final = s->b;
    if (s->more.n)
        compile_except(c, s);
    else
        comp_block(c, &s->list);
    close_range(c, &e);
    c->exits = e.outer;
    comp_block(c, &s->b->list);
    after = known_save(c);
    end = comp_emit_jump(c, OPC_JMP, 0);
    add_handlers(c, &e, c->ins.n, exc);
    known_set(c, k);
    comp_emit(c, OPC_HANDLED, 0, exc, 0, 0);
    push_exit(c, &e, EXIT_HANDLER, s);
    e.mgr = before;
    comp_block(c, &s->b->list);
    c->exits = e.outer;
    comp_place(c, s);
    comp_emit(c, OPC_HANDLED, 0, before, 0, 0);
    comp_emit(c, OPC_RERAISE, 0, exc, 0, 0);
    comp_patch(c, end);
    comp_emit(c, OPC_CLEAR, 0, before, 0, 0);
    known_set(c, after);
    comp_unhide(c, before);
    comp_unhide(c, exc);
}

/* with item(s): block, the items from i on */
static void compile_with(Comp *c, Ast *s, uint32_t i)
{
    Exit e;
    Ast *item = s->list.v[i];
    int mgr = comp_hidden(c), exc = comp_hidden(c), before = comp_hidden(c), t;
    uint32_t end;

    comp_emit(c, OPC_GETHANDLED, 0, before, 0, 0);
    comp_expr(c, item->a, mgr);
    comp_place(c, item->a);
    t = comp_temp(c);
    comp_emit(c, OPC_ENTER, 0, t, mgr, 0);
    push_exit(c, &e, EXIT_WITH, item->a);
    e.mgr = mgr;
    if (item->b)
        comp_assign(c, item->b, t);
    else
        comp_emit(c, OPC_CLEAR, 0, t, 0, 0);
    c->ntemps = 0;
    Known k = known_save(c);
    if (i + 1 < s->list.n)
        compile_with(c, s, i + 1);
    else
        comp_block(c, &s->more);
    close_range(c, &e);
    run_exit(c, &e);
    c->exits = e.outer;
    end = comp_emit_jump(c, OPC_JMP, 0);
    add_handlers(c, &e, c->ins.n, exc);
    comp_place(c, item->a);
    t = comp_temp(c);
    comp_emit(c, OPC_HANDLED, 0, exc, 0, 0);
    comp_emit(c, OPC_EXIT, 0, t, mgr, exc);
    comp_emit(c, OPC_HANDLED, 0, before, 0, 0);
    {
        uint32_t swallow = comp_emit_jump(c, OPC_JT, t);

        comp_emit(c, OPC_RERAISE, 0, exc, 0, 0);
        comp_patch(c, swallow);
    }
    c->ntemps = 0;
    comp_emit(c, OPC_CLEAR, 0, exc, 0, 0);
    comp_patch(c, end);
    comp_emit(c, OPC_CLEAR, 0, mgr, 0, 0);
    comp_emit(c, OPC_CLEAR, 0, before, 0, 0);
    known_set(c, k);
    comp_unhide(c, before);
    comp_unhide(c, exc);
    comp_unhide(c, mgr);
}

/* ---- any statement --------------------------------------------------------------------------- */

static void compile_stmt(Comp *c, Ast *s)
{
    uint32_t i;
    int r;

    comp_place(c, s);
    switch (s->kind) {
    case S_EXPR:
        if (s->a->kind == E_STR || s->a->kind == E_ELLIPSIS || s->a->kind == E_INT)
            break;
        r = comp_operand(c, s->a, ANY);
        if (r >= TEMP)
            comp_emit(c, OPC_CLEAR, 0, r, 0, 0);
        break;
    case S_ASSIGN: compile_assign(c, s); break;
    case S_AUG: compile_aug(c, s); break;
    case S_ANN: compile_annotated(c, s); break;
    case S_IF: compile_if(c, s); break;
    case S_WHILE: compile_while(c, s); break;
    case S_FOR: compile_for(c, s); break;
    case S_DEF: comp_def(c, s); break;
    case S_CLASS: comp_class(c, s); break;
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

void comp_block(Comp *c, const AstList *l)
{
    for (uint32_t i = 0; i < l->n; i++)
        compile_stmt(c, l->v[i]);
}
