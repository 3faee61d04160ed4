/* compile_expr.c -- expressions to instructions.
 *
 * comp_expr(c, a, want) leaves the value in register want, or, for ANY, in the lowest free
 * temporary. Only the last instruction writes to want, so that `x = f(x)` and an
 * exception half way leave x alone.
 */
#include "compile.h"

static bool is_temp(int r) { return r >= TEMP; }

static int target(Comp *c, int want) { return want == ANY ? comp_temp(c) : want; }

/* dst takes what temporary r holds. */
static int moved(Comp *c, int r, int want)
{
    if (want == ANY || want == r)
        return r;
    comp_emit(c, OPC_MOVE, 0, want, r, 0);
    return want;
}

int comp_operand(Comp *c, Ast *a, int prefer)
{
    int r = c->host->has_walrus || c->scope->has_walrus ? -1 : comp_var_local(c, a);

    if (r >= 0) {
        if (!c->known[r]) {
            comp_place(c, a);
            comp_emit(c, OPC_CHECK, 0, r, 0, 0);
        }
        return r;
    }
    return comp_expr(c, a, prefer != ANY && is_temp(prefer) ? prefer : comp_temp(c));
}

/* ---- operators --------------------------------------------------------------------- */

static bool small_int(const Ast *a)
{
    return a->kind == E_INT && a->i >= -30000 && a->i <= 30000;
}

static int compile_binary(Comp *c, Ast *a, int want)
{
    static const uint8_t fast[] = {OPC_ADD, OPC_SUB,      OPC_MUL,
                                   OPC_DIV, OPC_FLOORDIV, OPC_MOD};
    int dst = target(c, want), mark = c->ntemps, l, r;

    l = comp_operand(c, a->a, dst);
    if ((a->op == OP2_ADD || a->op == OP2_SUB) && small_int(a->b)) {
        comp_place(c, a);
        comp_emit(c, OPC_ADDI, a->op == OP2_SUB, dst, l,
                  (int)(a->op == OP2_SUB ? -a->b->i : a->b->i));
        c->ntemps = mark;
        return dst;
    }
    r = comp_operand(c, a->b, ANY);
    comp_place(c, a);
    if (a->op <= OP2_MOD)
        comp_emit(c, fast[a->op], 0, dst, l, r);
    else
        comp_emit(c, OPC_BINOP, a->op, dst, l, r);
    c->ntemps = mark;
    return dst;
}

static int compile_unary(Comp *c, Ast *a, int want)
{
    int dst = target(c, want), mark = c->ntemps, r = comp_operand(c, a->a, dst);

    comp_place(c, a);
    if (a->op == OP1_NOT)
        comp_emit(c, OPC_NOT, 0, dst, r, 0);
    else
        comp_emit(c, OPC_UNARY, a->op, dst, r, 0);
    c->ntemps = mark;
    return dst;
}

/* a or b: the first is kept if it decides. */
static int compile_logic(Comp *c, Ast *a, int want)
{
    int t = want != ANY && is_temp(want) ? want : comp_temp(c), mark = c->ntemps;
    Jumps end = {0};
    Known k = {0};

    for (uint32_t i = 0; i < a->list.n; i++) {
        comp_expr(c, a->list.v[i], t);
        c->ntemps = mark;
        if (i == 0)
            k = known_save(c);
        if (i + 1 < a->list.n)
            comp_jumps_add(c, &end, comp_emit_jump(c, a->kind == E_AND ? OPC_JKF : OPC_JKT, t));
    }
    known_meet(c, k);
    comp_patch_all(c, &end);
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
    comp_expr(c, a->b, t);
    c->ntemps = mark;
    after = known_save(c);
    end = comp_emit_jump(c, OPC_JMP, 0);
    comp_patch_all(c, &no);
    known_set(c, before);
    comp_expr(c, a->c, t);
    known_meet(c, after);
    c->ntemps = mark;
    comp_patch(c, end);
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
        l = comp_operand(c, a->a, dst);
        r = comp_operand(c, a->list.v[0], ANY);
        comp_place(c, a);
        comp_emit(c, OPC_CMP, a->ops[0], dst, l, r);
        c->ntemps = mark;
        return dst;
    }
    keep[0] = comp_hidden(c);
    keep[1] = comp_hidden(c);
    t = is_temp(dst) ? dst : comp_temp(c);
    mark = c->ntemps;
    comp_expr(c, a->a, keep[0]);
    for (i = 0; i < n; i++) {
        comp_expr(c, a->list.v[i], keep[(i + 1) & 1]);
        c->ntemps = mark;
        comp_place(c, a);
        comp_emit(c, OPC_CMP, a->ops[i], t, keep[i & 1], keep[(i + 1) & 1]);
        if (i + 1 < n)
            comp_jumps_add(c, &end, comp_emit_jump(c, OPC_JKF, t));
    }
    comp_patch_all(c, &end);
    comp_emit(c, OPC_CLEAR, 0, keep[0], 0, 0);
    comp_emit(c, OPC_CLEAR, 0, keep[1], 0, 0);
    comp_unhide(c, keep[0]);
    comp_unhide(c, keep[1]);
    return moved(c, t, want == ANY ? t : want);
}

static void jump_compare(Comp *c, Ast *a, bool when, Jumps *out)
{
    static const uint8_t two[] = {OPC_JLT, OPC_JLE, OPC_JEQ, OPC_JNE, OPC_JGT, OPC_JGE};
    static const uint8_t imm[] = {OPC_JLTI, OPC_JLEI, OPC_JEQI,
                                  OPC_JNEI, OPC_JGTI, OPC_JGEI};
    int mark = c->ntemps, l = comp_operand(c, a->a, ANY), r, op = a->ops[0];

    if (op <= CMP_GE && small_int(a->list.v[0])) {
        comp_place(c, a);
        comp_emit(c, imm[op], op, l, (int)a->list.v[0]->i, when);
    } else {
        r = comp_operand(c, a->list.v[0], ANY);
        comp_place(c, a);
        comp_emit(c, op <= CMP_GE ? two[op] : OPC_JCMP, op, l, r, when);
    }
    comp_jumps_add(c, out, comp_emit_jump(c, OPC_JMP, 0));
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
        comp_patch_all(c, &skip);
    } else {
        r = comp_operand(c, a, ANY);
        comp_place(c, a);
        comp_jumps_add(c, out, comp_emit_jump(c, when ? OPC_JT : OPC_JF, r));
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
    int base = comp_temps(c, 3), mark = c->ntemps, list = comp_hidden(c), dict = -1, v, k;
    uint32_t i;

    comp_expr(c, a->a, base);
    comp_emit(c, OPC_LIST, 0, list, TEMP + mark, 0);
    for (i = 0; i < a->list.n; i++) {
        Ast *e = a->list.v[i];

        if (e->kind == E_KW || e->kind == E_DSTAR) {
            if (dict < 0) {
                dict = comp_hidden(c);
                comp_emit(c, OPC_DICT, 0, dict, TEMP + mark, 0);
            }
            if (e->kind == E_DSTAR) {
                v = comp_operand(c, e->a, ANY);
                comp_place(c, e);
                comp_emit(c, OPC_DICTUPDATE, 1, dict, v, 0);
            } else {
                comp_emit(c, OPC_LOADK, 0, k = comp_temp(c),
                          comp_konst_str(c, e->name, strlen(e->name)), 0);
                v = comp_operand(c, e->a, ANY);
                comp_emit(c, OPC_DICTADD, 1, dict, k, v);
            }
        } else {
            v = comp_operand(c, e->kind == E_STAR ? e->a : e, ANY);
            comp_place(c, e);
            comp_emit(c, e->kind == E_STAR ? OPC_EXTEND : OPC_APPEND, 0, list, v, 0);
        }
        c->ntemps = mark;
    }
    comp_emit(c, OPC_MOVE, 0, base + 1, list, 0);
    comp_emit(c, OPC_CLEAR, 0, list, 0, 0);
    comp_unhide(c, list);
    if (dict >= 0) {
        comp_emit(c, OPC_MOVE, 0, base + 2, dict, 0);
        comp_emit(c, OPC_CLEAR, 0, dict, 0, 0);
        comp_unhide(c, dict);
    } else {
        comp_emit(c, OPC_CLEAR, 0, base + 2, 0, 0);
    }
    comp_place(c, a);
    comp_emit(c, OPC_CALLX, 0, base, 0, 0);
    c->ntemps = base - TEMP + 1;
    if (want != ANY)
        c->ntemps--;
    return moved(c, base, want);
}

static int compile_super(Comp *c, Ast *a, int want)
{
    int dst = target(c, want), mark = c->ntemps, k = comp_temp(c), s = comp_temp(c);
    const char *cls = intern_name(&c->u->names, "__class__");
    FuncDef *d = (FuncDef *)c->code->def;

    if (!d || d->nparams == 0)
        comp_error(c, a, "super(): no arguments");
    comp_place(c, a);
    comp_load_name(c, cls, k);
    comp_load_name(c, d->params[0].name, s);
    comp_emit(c, OPC_SUPER, 0, dst, k, s);
    c->ntemps = mark;
    return dst;
}

static int compile_call(Comp *c, Ast *a, int want)
{
    int base, mark = c->ntemps, n = 0, nkw = 0, kw = 0, obj;
    bool method = a->a->kind == E_ATTR;
    uint32_t i;

    if (a->a->kind == E_NAME && a->list.n == 0 && strcmp(a->a->name, "super") == 0 &&
        c->host->kind == SCOPE_FUNC &&
        sc_scope_find(c->host, intern_name(&c->u->names, "__class__")))
        return compile_super(c, a, want);
    if (has_stars(a))
        return compile_call_stars(c, a, want);
    base = comp_temps(c, method ? 2 : 1);
    if (method) {
        obj = comp_operand(c, a->a->a, base);
        comp_place(c, a->a);
        comp_emit(c, OPC_LOADM, 0, base, obj, comp_cache(c, a->a->name));
        c->ntemps = base - TEMP + 2;
    } else {
        comp_expr(c, a->a, base);
    }
    for (i = 0; i < a->list.n; i++) {
        Ast *e = a->list.v[i];

        comp_expr(c, e->kind == E_KW ? e->a : e, comp_temp(c));
        n += e->kind != E_KW;
        nkw += e->kind == E_KW;
    }
    if (nkw) {
        Tuple *t = sc_tuple(c->vm, nkw);
        int k = 0;

        kw = comp_konst(c, v_obj(t)) + 1;
        for (i = 0; i < a->list.n; i++)
            if (a->list.v[i]->kind == E_KW) {
                Str *s = sc_intern(c->vm, a->list.v[i]->name, strlen(a->list.v[i]->name));

                if (!s)
                    longjmp(c->u->jump, 2);
                t->v[k++] = v_obj(s);
            }
    }
    comp_place(c, a);
    comp_emit(c, OPC_CALL, method, base, n, kw);
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
            comp_expr(c, a->list.v[i], comp_temp(c));
        comp_place(c, a);
        comp_emit(c, op, 0, dst, TEMP + mark, (int)a->list.n);
        c->ntemps = mark;
        return dst;
    }
    acc = comp_hidden(c);
    comp_emit(c, a->kind == E_SET ? OPC_SET : OPC_LIST, 0, acc, TEMP + mark, 0);
    for (i = 0; i < a->list.n; i++) {
        Ast *e = a->list.v[i];

        v = comp_operand(c, e->kind == E_STAR ? e->a : e, ANY);
        comp_place(c, e);
        if (a->kind == E_SET)
            comp_emit(c, e->kind == E_STAR ? OPC_SETUPDATE : OPC_SETADD, 0, acc, v, 0);
        else
            comp_emit(c, e->kind == E_STAR ? OPC_EXTEND : OPC_APPEND, 0, acc, v, 0);
        c->ntemps = mark;
    }
    comp_emit(c, a->kind == E_TUPLE ? OPC_TOTUPLE : OPC_MOVE, 0, dst, acc, 0);
    comp_emit(c, OPC_CLEAR, 0, acc, 0, 0);
    comp_unhide(c, acc);
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
            comp_expr(c, a->list.v[i], comp_temp(c));
            comp_expr(c, a->more.v[i], comp_temp(c));
        }
        comp_place(c, a);
        comp_emit(c, OPC_DICT, 0, dst, TEMP + mark, (int)a->list.n);
        c->ntemps = mark;
        return dst;
    }
    acc = comp_hidden(c);
    comp_emit(c, OPC_DICT, 0, acc, TEMP + mark, 0);
    for (i = 0; i < a->list.n; i++) {
        if (a->list.v[i]) {
            k = comp_operand(c, a->list.v[i], ANY);
            v = comp_operand(c, a->more.v[i], ANY);
            comp_place(c, a->list.v[i]);
            comp_emit(c, OPC_DICTADD, 0, acc, k, v);
        } else {
            v = comp_operand(c, a->more.v[i], ANY);
            comp_place(c, a->more.v[i]);
            comp_emit(c, OPC_DICTUPDATE, 0, acc, v, 0);
        }
        c->ntemps = mark;
    }
    comp_emit(c, OPC_MOVE, 0, dst, acc, 0);
    comp_emit(c, OPC_CLEAR, 0, acc, 0, 0);
    comp_unhide(c, acc);
    return dst;
}

static void comp_element(Comp *c, Ast *a, int acc)
{
    int mark = c->ntemps, v, k;

    switch (a->kind) {
    case E_LISTCOMP:
    case E_SETCOMP:
        v = comp_operand(c, a->a, ANY);
        comp_place(c, a->a);
        comp_emit(c, a->kind == E_LISTCOMP ? OPC_APPEND : OPC_SETADD, 0, acc, v, 0);
        break;
    case E_DICTCOMP:
        k = comp_operand(c, a->a, ANY);
        v = comp_operand(c, a->b, ANY);
        comp_place(c, a->a);
        comp_emit(c, OPC_DICTADD, 0, acc, k, v);
        break;
    default:
        v = comp_operand(c, a->a, ANY);
        comp_place(c, a->a);
        comp_emit(c, OPC_YIELD, 0, k = comp_temp(c), v, 0);
        comp_emit(c, OPC_CLEAR, 0, k, 0, 0);
    }
    c->ntemps = mark;
}

/* Clause i and those after it. first_iter: register with the iterator of the first. */
void comp_comp_loop(Comp *c, Ast *a, uint32_t i, int acc, int first_iter)
{
    Ast *f = a->list.v[i];
    int it = first_iter, mark = c->ntemps, v, reg;
    uint32_t start, out, k;
    Jumps again = {0};
    Known known;

    if (i > 0) {
        it = comp_hidden(c);
        v = comp_operand(c, f->b, ANY);
        comp_place(c, f->b);
        comp_emit(c, OPC_ITER, 0, it, v, 0);
        c->ntemps = mark;
    }
    known = known_save(c);
    start = c->ins.n;
    reg = comp_var_local(c, f->a);
    v = reg >= 0 ? reg : comp_temp(c);
    comp_place(c, f->b);
    comp_emit(c, OPC_FORITER, 0, it, v, 0);
    out = comp_emit_jump(c, OPC_JMP, 0);
    comp_assign(c, f->a, v);
    c->ntemps = mark;
    for (k = 0; k < f->list.n; k++)
        jump_if(c, f->list.v[k], false, &again);
    if (i + 1 < a->list.n)
        comp_comp_loop(c, a, i + 1, acc, -1);
    else
        comp_element(c, a, acc);
    for (k = 0; k < again.n; k++)
        c->ins.v[again.v[k]].jump = (int32_t)c->ins.n - (int32_t)again.v[k] - 1;
    comp_place(c, f->b);
    jump_back(c, start);
    comp_patch(c, out);
    known_set(c, known);
    if (i > 0) {
        comp_emit(c, OPC_CLEAR, 0, it, 0, 0);
        comp_unhide(c, it);
    }
}

static int compile_comprehension(Comp *c, Ast *a, int want)
{
    int dst = target(c, want), mark = c->ntemps, acc = comp_hidden(c),
        it = comp_hidden(c), v;
    Scope *outer = c->scope;

    v = comp_operand(c, a->list.v[0]->b, ANY);
    comp_place(c, a->list.v[0]->b);
    comp_emit(c, OPC_ITER, 0, it, v, 0);
    c->ntemps = mark;
    c->scope = a->scope;
    comp_bind_scope(c, a->scope);
    comp_emit(c,
              a->kind == E_LISTCOMP  ? OPC_LIST
              : a->kind == E_SETCOMP ? OPC_SET
                                     : OPC_DICT,
              0, acc, TEMP + mark, 0);
    comp_comp_loop(c, a, 0, acc, it);
    for (uint32_t i = 0; i < a->scope->n; i++)
        if (a->scope->vars[i].bound)
            comp_emit(c, OPC_CLEAR, 0, (int)a->scope->vars[i].reg, 0, 0);
    c->scope = outer;
    comp_emit(c, OPC_MOVE, 0, dst, acc, 0);
    comp_emit(c, OPC_CLEAR, 0, acc, 0, 0);
    comp_emit(c, OPC_CLEAR, 0, it, 0, 0);
    comp_unhide(c, it);
    comp_unhide(c, acc);
    return dst;
}

static int compile_generator(Comp *c, Ast *a, int want)
{
    int base = comp_temps(c, 2), mark = base - TEMP, v, it = comp_hidden(c);

    v = comp_operand(c, a->list.v[0]->b, ANY);
    comp_place(c, a->list.v[0]->b);
    comp_emit(c, OPC_ITER, 0, it, v, 0);
    comp_place(c, a);
    comp_make_function(c, comp_genexp(c, a), NULL, base);
    comp_emit(c, OPC_MOVE, 0, base + 1, it, 0);
    comp_emit(c, OPC_CLEAR, 0, it, 0, 0);
    comp_unhide(c, it);
    comp_emit(c, OPC_CALL, 0, base, 1, 0);
    c->ntemps = want == ANY ? mark + 1 : mark;
    return moved(c, base, want);
}

/* ---- strings, slices, the rest ----------------------------------------------------- */

static int compile_fstring(Comp *c, Ast *a, int want)
{
    int dst = target(c, want), mark = c->ntemps, t, v, spec;

    for (uint32_t i = 0; i < a->list.n; i++) {
        Ast *e = a->list.v[i];

        t = comp_temp(c);
        if (e->kind == E_STR) {
            comp_emit(c, OPC_LOADK, 0, t, comp_konst_str(c, e->name, e->n), 0);
            continue;
        }
        v = comp_operand(c, e->a, t);
        spec = e->b ? compile_fstring(c, e->b, comp_temp(c)) : NOREG;
        comp_place(c, e);
        comp_emit(c, OPC_FMT, e->op, t, v, spec);
        c->ntemps = t - TEMP + 1;
    }
    comp_place(c, a);
    comp_emit(c, OPC_JOIN, 0, dst, TEMP + mark, (int)a->list.n);
    c->ntemps = mark;
    return dst;
}

static int compile_slice(Comp *c, Ast *a, int want)
{
    int dst = target(c, want), mark = c->ntemps, base = comp_temps(c, 3);
    Ast *part[3] = {a->a, a->b, a->c};

    for (int i = 0; i < 3; i++)
        if (part[i])
            comp_expr(c, part[i], base + i);
        else
            comp_emit(c, OPC_LOADK, 0, base + i, comp_konst(c, NONE), 0);
    comp_place(c, a);
    comp_emit(c, OPC_SLICE, 0, dst, base, 0);
    c->ntemps = mark;
    return dst;
}

static int load_const(Comp *c, Value v, int want)
{
    int dst = target(c, want);

    if (v.tag == T_INT && v.i >= INT32_MIN && v.i <= INT32_MAX) {
        uint32_t at = comp_emit(c, OPC_LOADI, 0, dst, 0, 0);

        c->ins.v[at].jump = (int32_t)v.i;
        return dst;
    }
    comp_emit(c, OPC_LOADK, 0, dst, comp_konst(c, v), 0);
    return dst;
}

static int compile_attr(Comp *c, Ast *a, int want)
{
    int dst = target(c, want), mark = c->ntemps, r = comp_operand(c, a->a, dst);

    comp_place(c, a);
    comp_emit(c, OPC_GETATTR, 0, dst, r, comp_cache(c, a->name));
    c->ntemps = mark;
    return dst;
}

static int compile_index(Comp *c, Ast *a, int want)
{
    int dst = target(c, want), mark = c->ntemps, l = comp_operand(c, a->a, dst), r;

    r = comp_operand(c, a->b, ANY);
    comp_place(c, a);
    comp_emit(c, OPC_GETITEM, 0, dst, l, r);
    c->ntemps = mark;
    return dst;
}

static int compile_yield(Comp *c, Ast *a, int want)
{
    int dst = target(c, want), mark = c->ntemps, v;

    if (a->kind == E_YIELDFROM) {
        int it = comp_hidden(c);

        v = comp_operand(c, a->a, ANY);
        comp_place(c, a);
        comp_emit(c, OPC_ITER, 0, it, v, 0);
        comp_emit(c, OPC_YFROM, 0, dst, it, 0);
        comp_emit(c, OPC_CLEAR, 0, it, 0, 0);
        comp_unhide(c, it);
    } else {
        if (a->a)
            v = comp_operand(c, a->a, ANY);
        else
            comp_emit(c, OPC_LOADK, 0, v = comp_temp(c), comp_konst(c, NONE), 0);
        comp_place(c, a);
        comp_emit(c, OPC_YIELD, 0, dst, v, 0);
    }
    c->ntemps = mark;
    return dst;
}

static int compile_walrus(Comp *c, Ast *a, int want)
{
    int h = comp_hidden(c), dst;

    comp_expr(c, a->b, h);
    comp_store_name(c, a->a->name, h);
    dst = target(c, want);
    comp_emit(c, OPC_MOVE, 0, dst, h, 0);
    comp_emit(c, OPC_CLEAR, 0, h, 0, 0);
    comp_unhide(c, h);
    return dst;
}

int comp_expr(Comp *c, Ast *a, int want)
{
    int dst;

    comp_place(c, a);
    switch (a->kind) {
    case E_NAME:
        dst = target(c, want);
        comp_load_name(c, a->name, dst);
        return dst;
    case E_INT: return load_const(c, v_int(a->i), want);
    case E_FLOAT: return load_const(c, v_float(a->f), want);
    case E_IMAG:
        dst = target(c, want);
        comp_emit(c, OPC_LOADK, 0, dst, comp_konst(c, sc_complex(c->vm, 0, a->f)), 0);
        return dst;
    case E_NONE: return load_const(c, NONE, want);
    case E_TRUE: return load_const(c, v_bool(true), want);
    case E_FALSE: return load_const(c, v_bool(false), want);
    case E_ELLIPSIS: return load_const(c, (Value){T_ELLIPSIS, {0}}, want);
    case E_STR:
        dst = target(c, want);
        comp_emit(c, OPC_LOADK, 0, dst, comp_konst_str(c, a->name, a->n), 0);
        return dst;
    case E_BYTES: return load_const(c, sc_bytes(c->vm, a->name, a->n), want);
    case E_BIG: return load_const(c, sc_long_parse(c->vm, a->name, a->n, 0), want);
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
        comp_make_function(c, comp_function(c, a->def, a), a->def, dst);
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
    comp_temps(c, n);
    comp_place(c, t);
    comp_emit(c, OPC_UNPACK, star, src, TEMP + base, n);
    for (int i = 0; i < n; i++) {
        Ast *e = t->list.v[i];

        comp_assign(c, e->kind == E_STAR ? e->a : e, TEMP + base + i);
    }
    c->ntemps = base;
}

/* target = register src, which if temporary is used up */
void comp_assign(Comp *c, Ast *t, int src)
{
    int a, b, mark = c->ntemps;

    switch (t->kind) {
    case E_NAME:
        comp_place(c, t);
        comp_store_name(c, t->name, src);
        break;
    case E_ATTR:
        a = comp_operand(c, t->a, ANY);
        comp_place(c, t);
        comp_emit(c, OPC_SETATTR, 0, a, src, comp_cache(c, t->name));
        break;
    case E_INDEX:
        a = comp_operand(c, t->a, ANY);
        b = comp_operand(c, t->b, ANY);
        comp_place(c, t);
        comp_emit(c, OPC_SETITEM, 0, a, b, src);
        break;
    case E_TUPLE:
    case E_LIST: assign_list(c, t, src); break;
    default: comp_error(c, t, "cannot assign to this expression");
    }
    c->ntemps = mark;
}
