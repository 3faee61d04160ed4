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

/* ---- any statement --------------------------------------------------------------------------- */

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
