/* compile_expr.c -- expressions to instructions.
 *
 * expr(c, a, want) leaves the value in register want, or, for ANY, in the lowest free
 * temporary. Only the last instruction writes to want, so that `x = f(x)` and an
 * exception half way leave x alone.
 */
#include "compile.h"

static bool is_temp(int r) { return r >= TEMP; }

static int target(Comp *c, int want) { return want == ANY ? temp(c) : want; }

/* dst takes what temporary r holds. */
static int moved(Comp *c, int r, int want)
{
    if (want == ANY || want == r)
        return r;
    emit(c, OPC_MOVE, 0, want, r, 0);
    return want;
}

int operand(Comp *c, Ast *a, int prefer)
{
    int r = c->host->has_walrus || c->scope->has_walrus ? -1 : var_local(c, a);

    if (r >= 0) {
        if (!c->known[r]) {
            place(c, a);
            emit(c, OPC_CHECK, 0, r, 0, 0);
        }
        return r;
    }
    return expr(c, a, prefer != ANY && is_temp(prefer) ? prefer : temp(c));
}

/* ---- operators --------------------------------------------------------------------- */

static bool small_int(const Ast *a)
{
    return a->kind == E_INT && a->i >= -30000 && a->i <= 30000;
}

static int compile_binary(Comp *c, Ast *a, int want)
{
    static const uint8_t fast[] = {OPC_ADD, OPC_SUB, OPC_MUL, OPC_DIV, OPC_FLOORDIV, OPC_MOD};
    int dst = target(c, want), mark = c->ntemps, l, r;

    l = operand(c, a->a, dst);
    if ((a->op == OP2_ADD || a->op == OP2_SUB) && small_int(a->b)) {
        place(c, a);
        emit(c, OPC_ADDI, a->op == OP2_SUB, dst, l,
             (int)(a->op == OP2_SUB ? -a->b->i : a->b->i));
        c->ntemps = mark;
        return dst;
    }
    r = operand(c, a->b, ANY);
    place(c, a);
    if (a->op <= OP2_MOD)
        emit(c, fast[a->op], 0, dst, l, r);
    else
        emit(c, OPC_BINOP, a->op, dst, l, r);
    c->ntemps = mark;
    return dst;
}

static int compile_unary(Comp *c, Ast *a, int want)
{
    int dst = target(c, want), mark = c->ntemps, r = operand(c, a->a, dst);

    place(c, a);
    if (a->op == OP1_NOT)
        emit(c, OPC_NOT, 0, dst, r, 0);
    else
        emit(c, OPC_UNARY, a->op, dst, r, 0);
    c->ntemps = mark;
    return dst;
}

/* a or b: the first is kept if it decides. */
static int compile_logic(Comp *c, Ast *a, int want)
{
    int t = want != ANY && is_temp(want) ? want : temp(c), mark = c->ntemps;
    Jumps end = {0};
    Known k = {0};

    for (uint32_t i = 0; i < a->list.n; i++) {
        expr(c, a->list.v[i], t);
        c->ntemps = mark;
        if (i == 0)
            k = known_save(c);
        if (i + 1 < a->list.n)
            jumps_add(c, &end, emit_jump(c, a->kind == E_AND ? OPC_JKF : OPC_JKT, t));
    }
    known_meet(c, k);
    patch_all(c, &end);
    return moved(c, t, want);
}

static int compile_cond(Comp *c, Ast *a, int want)
{
    int t = target(c, want), mark = c->ntemps;
    Jumps no = {0};
    uint32_t end;
    Known before, after;

    jump_if(c, a->a, false, &no);
    c->ntemps = mark;
    before = known_save(c);
    expr(c, a->b, t);
    c->ntemps = mark;
    after = known_save(c);
    end = emit_jump(c, OPC_JMP, 0);
    patch_all(c, &no);
    known_set(c, before);
    expr(c, a->c, t);
    known_meet(c, after);
    c->ntemps = mark;
    patch(c, end);
    return t;
}

/* a < b < c: each operand once, stop at the first that fails */
static int compile_compare(Comp *c, Ast *a, int want)
{
    int dst = target(c, want), mark = c->ntemps, l, r;
    uint32_t i, n = a->list.n;
    Jumps end = {0};
    int t, keep[2];

    if (n == 1) {
        l = operand(c, a->a, dst);
        r = operand(c, a->list.v[0], ANY);
        place(c, a);
        emit(c, OPC_CMP, a->ops[0], dst, l, r);
        c->ntemps = mark;
        return dst;
    }
    keep[0] = hidden(c);
    keep[1] = hidden(c);
    t = is_temp(dst) ? dst : temp(c);
    mark = c->ntemps;
    expr(c, a->a, keep[0]);
    for (i = 0; i < n; i++) {
        expr(c, a->list.v[i], keep[(i + 1) & 1]);
        c->ntemps = mark;
        place(c, a);
        emit(c, OPC_CMP, a->ops[i], t, keep[i & 1], keep[(i + 1) & 1]);
        if (i + 1 < n)
            jumps_add(c, &end, emit_jump(c, OPC_JKF, t));
    }
    patch_all(c, &end);
    emit(c, OPC_CLEAR, 0, keep[0], 0, 0);
    emit(c, OPC_CLEAR, 0, keep[1], 0, 0);
    unhide(c, keep[0]);
    unhide(c, keep[1]);
    return moved(c, t, want == ANY ? t : want);
}

static void jump_compare(Comp *c, Ast *a, bool when, Jumps *out)
{
    static const uint8_t two[] = {OPC_JLT, OPC_JLE, OPC_JEQ, OPC_JNE, OPC_JGT, OPC_JGE};
    static const uint8_t imm[] = {OPC_JLTI, OPC_JLEI, OPC_JEQI, OPC_JNEI, OPC_JGTI, OPC_JGEI};
    int mark = c->ntemps, l = operand(c, a->a, ANY), r, op = a->ops[0];

    if (op <= CMP_GE && small_int(a->list.v[0])) {
        place(c, a);
        emit(c, imm[op], op, l, (int)a->list.v[0]->i, when);
    } else {
        r = operand(c, a->list.v[0], ANY);
        place(c, a);
        emit(c, op <= CMP_GE ? two[op] : OPC_JCMP, op, l, r, when);
    }
    jumps_add(c, out, emit_jump(c, OPC_JMP, 0));
    c->ntemps = mark;
}

/* Jump, by way of out, when the truth of a is `when`; else fall through. */
void jump_if(Comp *c, Ast *a, bool when, Jumps *out)
{
    int mark = c->ntemps, r;
    uint32_t i;
    Jumps skip = {0};

    if (a->kind == E_UN && a->op == OP1_NOT) {
        jump_if(c, a->a, !when, out);
    } else if (a->kind == E_CMP && a->list.n == 1) {
        jump_compare(c, a, when, out);
    } else if ((a->kind == E_AND && !when) || (a->kind == E_OR && when)) {
        Known k = {0};

        for (i = 0; i < a->list.n; i++) {
            jump_if(c, a->list.v[i], when, out);
            if (i == 0)
                k = known_save(c);
        }
        known_meet(c, k);
    } else if (a->kind == E_AND || a->kind == E_OR) {
        Known k = {0};

        for (i = 0; i + 1 < a->list.n; i++) {
            jump_if(c, a->list.v[i], !when, &skip);
            if (i == 0)
                k = known_save(c);
        }
        jump_if(c, a->list.v[i], when, out);
        known_meet(c, k);
        patch_all(c, &skip);
    } else {
        r = operand(c, a, ANY);
        place(c, a);
        jumps_add(c, out, emit_jump(c, when ? OPC_JT : OPC_JF, r));
        c->ntemps = mark;
    }
}

/* ---- calls ------------------------------------------------------------------------- */

static bool has_stars(const Ast *call)
{
    for (uint32_t i = 0; i < call->list.n; i++)
        if (call->list.v[i]->kind == E_STAR || call->list.v[i]->kind == E_DSTAR)
            return true;
    return false;
}

/* f(*a, b, **k): a list and a dict are built */
static int compile_call_stars(Comp *c, Ast *a, int want)
{
    int base = temps(c, 3), mark = c->ntemps, list = hidden(c), dict = -1, v, k;
    uint32_t i;

    expr(c, a->a, base);
    emit(c, OPC_LIST, 0, list, TEMP + mark, 0);
    for (i = 0; i < a->list.n; i++) {
        Ast *e = a->list.v[i];

        if (e->kind == E_KW || e->kind == E_DSTAR) {
            if (dict < 0) {
                dict = hidden(c);
                emit(c, OPC_DICT, 0, dict, TEMP + mark, 0);
            }
            if (e->kind == E_DSTAR) {
                v = operand(c, e->a, ANY);
                place(c, e);
                emit(c, OPC_DICTUPDATE, 1, dict, v, 0);
            } else {
                emit(c, OPC_LOADK, 0, k = temp(c), konst_str(c, e->name, strlen(e->name)), 0);
                v = operand(c, e->a, ANY);
                emit(c, OPC_DICTADD, 0, dict, k, v);
            }
        } else {
            v = operand(c, e->kind == E_STAR ? e->a : e, ANY);
            place(c, e);
            emit(c, e->kind == E_STAR ? OPC_EXTEND : OPC_APPEND, 0, list, v, 0);
        }
        c->ntemps = mark;
    }
    emit(c, OPC_MOVE, 0, base + 1, list, 0);
    emit(c, OPC_CLEAR, 0, list, 0, 0);
    unhide(c, list);
    if (dict >= 0) {
        emit(c, OPC_MOVE, 0, base + 2, dict, 0);
        emit(c, OPC_CLEAR, 0, dict, 0, 0);
        unhide(c, dict);
    } else {
        emit(c, OPC_CLEAR, 0, base + 2, 0, 0);
    }
    place(c, a);
    emit(c, OPC_CALLX, 0, base, 0, 0);
    c->ntemps = base - TEMP + 1;
    if (want != ANY)
        c->ntemps--;
    return moved(c, base, want);
}

static int compile_super(Comp *c, Ast *a, int want)
{
    int dst = target(c, want), mark = c->ntemps, k = temp(c), s = temp(c);
    const char *cls = intern(&c->u->names, "__class__");
    FuncDef *d = (FuncDef *)c->code->def;

    if (!d || d->nparams == 0)
        comp_error(c, a, "super(): no arguments");
    place(c, a);
    load_name(c, cls, k);
    load_name(c, d->params[0].name, s);
    emit(c, OPC_SUPER, 0, dst, k, s);
    c->ntemps = mark;
    return dst;
}

static int compile_call(Comp *c, Ast *a, int want)
{
    int base, mark = c->ntemps, n = 0, nkw = 0, kw = 0, obj;
    bool method = a->a->kind == E_ATTR;
    uint32_t i;

    if (a->a->kind == E_NAME && a->list.n == 0 && strcmp(a->a->name, "super") == 0 &&
        c->host->kind == SCOPE_FUNC && scope_find(c->host, intern(&c->u->names, "__class__")))
        return compile_super(c, a, want);
    if (has_stars(a))
        return compile_call_stars(c, a, want);
    base = temps(c, method ? 2 : 1);
    if (method) {
        obj = operand(c, a->a->a, base);
        place(c, a->a);
        emit(c, OPC_LOADM, 0, base, obj, cache(c, a->a->name));
        c->ntemps = base - TEMP + 2;
    } else {
        expr(c, a->a, base);
    }
    for (i = 0; i < a->list.n; i++) {
        Ast *e = a->list.v[i];

        expr(c, e->kind == E_KW ? e->a : e, temp(c));
        n += e->kind != E_KW;
        nkw += e->kind == E_KW;
    }
    if (nkw) {
        Tuple *t = sc_tuple(c->vm, nkw);
        int k = 0;

        kw = konst(c, v_obj(t)) + 1;
        for (i = 0; i < a->list.n; i++)
            if (a->list.v[i]->kind == E_KW) {
                Str *s = sc_intern(c->vm, a->list.v[i]->name, strlen(a->list.v[i]->name));

                if (!s)
                    longjmp(c->u->jump, 2);
                t->v[k++] = v_obj(s);
            }
    }
    place(c, a);
    emit(c, OPC_CALL, method, base, n, kw);
    c->ntemps = want == ANY ? mark + 1 : mark;
    return moved(c, base, want);
}

/* ---- displays, comprehensions ------------------------------------------------------ */

static int compile_display(Comp *c, Ast *a, int want)
{
    Opcode op = a->kind == E_LIST ? OPC_LIST : a->kind == E_TUPLE ? OPC_TUPLE : OPC_SET;
    int dst = target(c, want), mark = c->ntemps, acc, v;
    bool star = a->list.n > 2000;
    uint32_t i;

    for (i = 0; i < a->list.n; i++)
        star |= a->list.v[i]->kind == E_STAR;
    if (!star) {
        for (i = 0; i < a->list.n; i++)
            expr(c, a->list.v[i], temp(c));
        place(c, a);
        emit(c, op, 0, dst, TEMP + mark, (int)a->list.n);
        c->ntemps = mark;
        return dst;
    }
    acc = hidden(c);
    emit(c, a->kind == E_SET ? OPC_SET : OPC_LIST, 0, acc, TEMP + mark, 0);
    for (i = 0; i < a->list.n; i++) {
        Ast *e = a->list.v[i];

        v = operand(c, e->kind == E_STAR ? e->a : e, ANY);
        place(c, e);
        if (a->kind == E_SET)
            emit(c, e->kind == E_STAR ? OPC_SETUPDATE : OPC_SETADD, 0, acc, v, 0);
        else
            emit(c, e->kind == E_STAR ? OPC_EXTEND : OPC_APPEND, 0, acc, v, 0);
        c->ntemps = mark;
    }
    emit(c, a->kind == E_TUPLE ? OPC_TOTUPLE : OPC_MOVE, 0, dst, acc, 0);
    emit(c, OPC_CLEAR, 0, acc, 0, 0);
    unhide(c, acc);
    return dst;
}

static int compile_dict(Comp *c, Ast *a, int want)
{
    int dst = target(c, want), mark = c->ntemps, acc, k, v;
    bool plain = a->list.n <= 500;
    uint32_t i;

    for (i = 0; i < a->list.n; i++)
        plain &= a->list.v[i] != NULL;
    if (plain) {
        for (i = 0; i < a->list.n; i++) {
            expr(c, a->list.v[i], temp(c));
            expr(c, a->more.v[i], temp(c));
        }
        place(c, a);
        emit(c, OPC_DICT, 0, dst, TEMP + mark, (int)a->list.n);
        c->ntemps = mark;
        return dst;
    }
    acc = hidden(c);
    emit(c, OPC_DICT, 0, acc, TEMP + mark, 0);
    for (i = 0; i < a->list.n; i++) {
        if (a->list.v[i]) {
            k = operand(c, a->list.v[i], ANY);
            v = operand(c, a->more.v[i], ANY);
            place(c, a->list.v[i]);
            emit(c, OPC_DICTADD, 0, acc, k, v);
        } else {
            v = operand(c, a->more.v[i], ANY);
            place(c, a->more.v[i]);
            emit(c, OPC_DICTUPDATE, 0, acc, v, 0);
        }
        c->ntemps = mark;
    }
    emit(c, OPC_MOVE, 0, dst, acc, 0);
    emit(c, OPC_CLEAR, 0, acc, 0, 0);
    unhide(c, acc);
    return dst;
}

static void comp_element(Comp *c, Ast *a, int acc)
{
    int mark = c->ntemps, v, k;

    switch (a->kind) {
    case E_LISTCOMP:
    case E_SETCOMP:
        v = operand(c, a->a, ANY);
        place(c, a->a);
        emit(c, a->kind == E_LISTCOMP ? OPC_APPEND : OPC_SETADD, 0, acc, v, 0);
        break;
    case E_DICTCOMP:
        k = operand(c, a->a, ANY);
        v = operand(c, a->b, ANY);
        place(c, a->a);
        emit(c, OPC_DICTADD, 0, acc, k, v);
        break;
    default:
        v = operand(c, a->a, ANY);
        place(c, a->a);
        emit(c, OPC_YIELD, 0, k = temp(c), v, 0);
        emit(c, OPC_CLEAR, 0, k, 0, 0);
    }
    c->ntemps = mark;
}

/* Clause i and those after it. first_iter: register with the iterator of the first. */
void compile_comp_loop(Comp *c, Ast *a, uint32_t i, int acc, int first_iter)
{
    Ast *f = a->list.v[i];
    int it = first_iter, mark = c->ntemps, v, reg;
    uint32_t start, out, k;
    Jumps again = {0};
    Known known;

    if (i > 0) {
        it = hidden(c);
        v = operand(c, f->b, ANY);
        place(c, f->b);
        emit(c, OPC_ITER, 0, it, v, 0);
        c->ntemps = mark;
    }
    known = known_save(c);
    start = c->ins.n;
    reg = var_local(c, f->a);
    v = reg >= 0 ? reg : temp(c);
    place(c, f->b);
    emit(c, OPC_FORITER, 0, it, v, 0);
    out = emit_jump(c, OPC_JMP, 0);
    assign(c, f->a, v);
    c->ntemps = mark;
    for (k = 0; k < f->list.n; k++)
        jump_if(c, f->list.v[k], false, &again);
    if (i + 1 < a->list.n)
        compile_comp_loop(c, a, i + 1, acc, -1);
    else
        comp_element(c, a, acc);
    for (k = 0; k < again.n; k++)
        c->ins.v[again.v[k]].jump = (int32_t)c->ins.n - (int32_t)again.v[k] - 1;
    place(c, f->b);
    jump_back(c, start);
    patch(c, out);
    known_set(c, known);
    if (i > 0) {
        emit(c, OPC_CLEAR, 0, it, 0, 0);
        unhide(c, it);
    }
}

static int compile_comprehension(Comp *c, Ast *a, int want)
{
    int dst = target(c, want), mark = c->ntemps, acc = hidden(c), it = hidden(c), v;
    Scope *outer = c->scope;

    v = operand(c, a->list.v[0]->b, ANY);
    place(c, a->list.v[0]->b);
    emit(c, OPC_ITER, 0, it, v, 0);
    c->ntemps = mark;
    c->scope = a->scope;
    bind_comp_scope(c, a->scope);
    emit(c, a->kind == E_LISTCOMP ? OPC_LIST : a->kind == E_SETCOMP ? OPC_SET : OPC_DICT, 0,
         acc, TEMP + mark, 0);
    compile_comp_loop(c, a, 0, acc, it);
    for (uint32_t i = 0; i < a->scope->n; i++)
        if (a->scope->vars[i].bound)
            emit(c, OPC_CLEAR, 0, (int)a->scope->vars[i].reg, 0, 0);
    c->scope = outer;
    emit(c, OPC_MOVE, 0, dst, acc, 0);
    emit(c, OPC_CLEAR, 0, acc, 0, 0);
    emit(c, OPC_CLEAR, 0, it, 0, 0);
    unhide(c, it);
    unhide(c, acc);
    return dst;
}

static int compile_generator(Comp *c, Ast *a, int want)
{
    int base = temps(c, 2), mark = base - TEMP, v, it = hidden(c);

    v = operand(c, a->list.v[0]->b, ANY);
    place(c, a->list.v[0]->b);
    emit(c, OPC_ITER, 0, it, v, 0);
    place(c, a);
    make_function(c, compile_genexp(c, a), NULL, base);
    emit(c, OPC_MOVE, 0, base + 1, it, 0);
    emit(c, OPC_CLEAR, 0, it, 0, 0);
    unhide(c, it);
    emit(c, OPC_CALL, 0, base, 1, 0);
    c->ntemps = want == ANY ? mark + 1 : mark;
    return moved(c, base, want);
}

/* ---- strings, slices, the rest ----------------------------------------------------- */

static int compile_fstring(Comp *c, Ast *a, int want)
{
    int dst = target(c, want), mark = c->ntemps, t, v, spec;

    for (uint32_t i = 0; i < a->list.n; i++) {
        Ast *e = a->list.v[i];

        t = temp(c);
        if (e->kind == E_STR) {
            emit(c, OPC_LOADK, 0, t, konst_str(c, e->name, e->n), 0);
            continue;
        }
        v = operand(c, e->a, t);
        spec = e->b ? compile_fstring(c, e->b, temp(c)) : NOREG;
        place(c, e);
        emit(c, OPC_FMT, e->op, t, v, spec);
        c->ntemps = t - TEMP + 1;
    }
    place(c, a);
    emit(c, OPC_JOIN, 0, dst, TEMP + mark, (int)a->list.n);
    c->ntemps = mark;
    return dst;
}

static int compile_slice(Comp *c, Ast *a, int want)
{
    int dst = target(c, want), mark = c->ntemps, base = temps(c, 3);
    Ast *part[3] = {a->a, a->b, a->c};

    for (int i = 0; i < 3; i++)
        if (part[i])
            expr(c, part[i], base + i);
        else
            emit(c, OPC_LOADK, 0, base + i, konst(c, NONE), 0);
    place(c, a);
    emit(c, OPC_SLICE, 0, dst, base, 0);
    c->ntemps = mark;
    return dst;
}

static int load_const(Comp *c, Value v, int want)
{
    int dst = target(c, want);

    if (v.tag == T_INT && v.i >= INT32_MIN && v.i <= INT32_MAX) {
        uint32_t at = emit(c, OPC_LOADI, 0, dst, 0, 0);

        c->ins.v[at].jump = (int32_t)v.i;
        return dst;
    }
    emit(c, OPC_LOADK, 0, dst, konst(c, v), 0);
    return dst;
}

static int compile_attr(Comp *c, Ast *a, int want)
{
    int dst = target(c, want), mark = c->ntemps, r = operand(c, a->a, dst);

    place(c, a);
    emit(c, OPC_GETATTR, 0, dst, r, cache(c, a->name));
    c->ntemps = mark;
    return dst;
}

static int compile_index(Comp *c, Ast *a, int want)
{
    int dst = target(c, want), mark = c->ntemps, l = operand(c, a->a, dst), r;

    r = operand(c, a->b, ANY);
    place(c, a);
    emit(c, OPC_GETITEM, 0, dst, l, r);
    c->ntemps = mark;
    return dst;
}

static int compile_yield(Comp *c, Ast *a, int want)
{
    int dst = target(c, want), mark = c->ntemps, v;

    if (a->kind == E_YIELDFROM) {
        int it = hidden(c);

        v = operand(c, a->a, ANY);
        place(c, a);
        emit(c, OPC_ITER, 0, it, v, 0);
        emit(c, OPC_YFROM, 0, dst, it, 0);
        emit(c, OPC_CLEAR, 0, it, 0, 0);
        unhide(c, it);
    } else {
        if (a->a)
            v = operand(c, a->a, ANY);
        else
            emit(c, OPC_LOADK, 0, v = temp(c), konst(c, NONE), 0);
        place(c, a);
        emit(c, OPC_YIELD, 0, dst, v, 0);
    }
    c->ntemps = mark;
    return dst;
}

static int compile_walrus(Comp *c, Ast *a, int want)
{
    int h = hidden(c), dst;

    expr(c, a->b, h);
    store_name(c, a->a->name, h);
    dst = target(c, want);
    emit(c, OPC_MOVE, 0, dst, h, 0);
    emit(c, OPC_CLEAR, 0, h, 0, 0);
    unhide(c, h);
    return dst;
}

int expr(Comp *c, Ast *a, int want)
{
    int dst;

    place(c, a);
    switch (a->kind) {
    case E_NAME:
        dst = target(c, want);
        load_name(c, a->name, dst);
        return dst;
    case E_INT: return load_const(c, v_int(a->i), want);
    case E_FLOAT: return load_const(c, v_float(a->f), want);
    case E_NONE: return load_const(c, NONE, want);
    case E_TRUE: return load_const(c, v_bool(true), want);
    case E_FALSE: return load_const(c, v_bool(false), want);
    case E_ELLIPSIS: return load_const(c, (Value){T_ELLIPSIS, {0}}, want);
    case E_STR:
        dst = target(c, want);
        emit(c, OPC_LOADK, 0, dst, konst_str(c, a->name, a->n), 0);
        return dst;
    case E_FSTR: return compile_fstring(c, a, want);
    case E_BIN: return compile_binary(c, a, want);
    case E_UN: return compile_unary(c, a, want);
    case E_AND:
    case E_OR: return compile_logic(c, a, want);
    case E_CMP: return compile_compare(c, a, want);
    case E_COND: return compile_cond(c, a, want);
    case E_CALL: return compile_call(c, a, want);
    case E_ATTR: return compile_attr(c, a, want);
    case E_INDEX: return compile_index(c, a, want);
    case E_SLICE: return compile_slice(c, a, want);
    case E_TUPLE:
    case E_LIST:
    case E_SET: return compile_display(c, a, want);
    case E_DICT: return compile_dict(c, a, want);
    case E_LISTCOMP:
    case E_SETCOMP:
    case E_DICTCOMP: return compile_comprehension(c, a, want);
    case E_GENEXP: return compile_generator(c, a, want);
    case E_LAMBDA:
        dst = target(c, want);
        make_function(c, compile_function(c, a->def, a), a->def, dst);
        return dst;
    case E_YIELD:
    case E_YIELDFROM: return compile_yield(c, a, want);
    case E_WALRUS: return compile_walrus(c, a, want);
    default: comp_error(c, a, "can't use starred expression here");
    }
}

/* ---- assignment -------------------------------------------------------------------- */

static void assign_list(Comp *c, Ast *t, int src)
{
    int base = c->ntemps, n = (int)t->list.n, star = 0;

    for (int i = 0; i < n; i++)
        if (t->list.v[i]->kind == E_STAR)
            star = i + 1;
    if (star > 250)
        comp_error(c, t, "too many names before the starred one");
    temps(c, n);
    place(c, t);
    emit(c, OPC_UNPACK, star, src, TEMP + base, n);
    for (int i = 0; i < n; i++) {
        Ast *e = t->list.v[i];

        assign(c, e->kind == E_STAR ? e->a : e, TEMP + base + i);
    }
    c->ntemps = base;
}

/* target = register src, which if temporary is used up */
void assign(Comp *c, Ast *t, int src)
{
    int a, b, mark = c->ntemps;

    switch (t->kind) {
    case E_NAME:
        place(c, t);
        store_name(c, t->name, src);
        break;
    case E_ATTR:
        a = operand(c, t->a, ANY);
        place(c, t);
        emit(c, OPC_SETATTR, 0, a, src, cache(c, t->name));
        break;
    case E_INDEX:
        a = operand(c, t->a, ANY);
        b = operand(c, t->b, ANY);
        place(c, t);
        emit(c, OPC_SETITEM, 0, a, b, src);
        break;
    case E_TUPLE:
    case E_LIST: assign_list(c, t, src); break;
    default: comp_error(c, t, "cannot assign to this expression");
    }
    c->ntemps = mark;
}
