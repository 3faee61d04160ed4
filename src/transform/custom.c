/* custom.c -- rules that refer to themselves, and other rewriting of sub-programs in
 * place.
 *
 * A custom_jvp equation inside its own rule (the function applied to something else
 * there, so that second derivatives use the rule again) cannot hold the program it stands
 * in. It is written with `self` and no rule. Who applies the rule calls custom_fill,
 * which gives such equations the rule as it stands, with its own self equations still
 * open: one level is unrolled at each differentiation, so it ends.
 *
 * `self` means the innermost custom op of that name around it: the search goes into
 * branches, loops and primals, not into the rules of other custom ops.
 */
#include "op/control.h"

/* ---- rewriting equations, sub-programs included ---- */

typedef struct Rewrite {
    wf_ctx *cx;
    /* Emits e by c, perhaps changed. */
    bool (*eqn)(struct Rewrite *r, Copier *c, const Eqn *e);
    /* Must this program be rewritten at all? */
    bool (*wanted)(struct Rewrite *r, const Program *p);
    OpCode op;
    const void *attr;
    bool keeps_reverse; /* rules for the reverse keep their effects: they have not run yet */
} Rewrite;

static const Program *rewrite_program(Rewrite *r, const Program *p)
{
    Builder *b;
    Copier c;
    Val *outs;

    if (failed(r->cx) || !r->wanted(r, p))
        return p;
    b = builder_new(r->cx, p->name, B_OPTIMISE);
    outs = NEW(b, p->nout, Val);
    copier_init(&c, b, p, NULL, NULL);
    copier_inputs(&c);
    for (uint32_t i = 0; i < p->neqns && !b_failed(b); i++)
        r->eqn(r, &c, &p->eqns[i]);
    if (b_failed(b))
        return NULL;
    for (uint32_t j = 0; j < p->nout; j++)
        outs[j] = c.val[p->outs[j]];
    return builder_finish(b, outs, p->nout);
}

static Sub rewrite_sub(Rewrite *r, Builder *b, const Sub *s)
{
    const Program *p = s->p ? rewrite_program(r, s->p) : NULL;

    return p && p != s->p ? sub_like(b, s, p) : *s;
}

/* The sub-programs that e runs, rewritten; those that are rules only if all. */
static void rewrite_subs(Rewrite *r, Builder *b, const Eqn *e, void *attr, bool all)
{
    bool custom =
        e->op == OP_custom_jvp || e->op == OP_custom_vjp || e->op == OP_custom_lin;

    for (const AttrField *f = op_row(e->op)->attrs; f && f->name; f++) {
        char *at = (char *)attr + f->offset;

        if (custom && !all && strcmp(f->name, "primal") != 0)
            continue;
        if (custom && r->keeps_reverse && !strcmp(f->name, "bwd"))
            continue;
        if (f->kind == A_SUB) {
            Sub *s = (Sub *)(void *)at;
            *s = rewrite_sub(r, b, s);
        } else if (f->kind == A_SUBS) {
            Subs *s = (Subs *)(void *)at;
            Sub *v = arena_dup(&b->arena, s->v, s->n * sizeof *v);
            for (uint32_t i = 0; i < s->n; i++)
                v[i] = rewrite_sub(r, b, &v[i]);
            s->v = v;
        }
    }
}

/* e with another attribute; results enter the map. */
static bool emit(Copier *c, const Eqn *e, const void *attr)
{
    const Val *in = eqn_in(c->from, e);
    Val *args = NEW(c->b, e->nin, Val), *out;
    uint32_t n;

    for (uint32_t i = 0; i < e->nin; i++)
        args[i] = c->val[in[i]];
    copier_place(c, e);
    out = b_eqn_n(c->b, (OpCode)e->op, args, e->nin, attr, &n);
    for (uint32_t j = 0; j < n; j++)
        c->val[e->out + j] = out[j];
    return !b_failed(c->b);
}

/* ---- without effects ---- */

static bool has_effects(Rewrite *r, const Program *p)
{
    (void)r;
    return p->effects;
}

static bool pure_eqn(Rewrite *r, Copier *c, const Eqn *e)
{
    void *attr;

    if (op_has(e->op, OPF_EFFECT) && e->nout)
        return fail(c->b->cx, WF_ERR_NORULE, NOWHERE, "%s: its results would be computed again, and its effect had twice",
                    op_name(e->op));
    if (op_has(e->op, OPF_EFFECT))
        return true;
    if (!op_has(e->op, OPF_CONTROL))
        return copier_eqn(c, e);
    attr = copier_attr(c, e);
    rewrite_subs(r, c->b, e, attr, true);
    return emit(c, e, attr);
}

bool xf_copy_pure(Copier *c, const Eqn *e)
{
    Rewrite r = {.cx = c->b->cx, .eqn = pure_eqn, .wanted = has_effects};

    return pure_eqn(&r, c, e);
}

const Program *xf_pure(wf_ctx *cx, const Program *p)
{
    Rewrite r = {.cx = cx, .eqn = pure_eqn, .wanted = has_effects, .keeps_reverse = true};

    return p->effects ? rewrite_program(&r, p) : p;
}

/* ---- mixed precision ---- */

static bool everywhere(Rewrite *r, const Program *p)
{
    (void)r;
    (void)p;
    return true;
}

/* A product of f32 rounds its operands; acc says f32, so the result is what it was. */
static bool mixed_eqn(Rewrite *r, Copier *c, const Eqn *e)
{
    const Val *in = eqn_in(c->from, e);
    bool product = e->op == OP_dot_general || e->op == OP_conv_general;
    Val x[2], whole[2];
    bool ok;

    if (op_has(e->op, OPF_CONTROL)) {
        void *attr = copier_attr(c, e);

        rewrite_subs(r, c->b, e, attr, true);
        return emit(c, e, attr);
    }
    if (!product || val_type(c->from, in[0]).dtype != WF_F32 || val_type(c->from, in[1]).dtype != WF_F32)
        return copier_eqn(c, e);
    copier_place(c, e);
    for (int i = 0; i < 2; i++) {
        whole[i] = c->val[in[i]];
        x[i] = b_cast(c->b, whole[i], *(const wf_dtype *)r->attr);
    }
    for (int i = 0; i < 2; i++)
        c->val[in[i]] = x[i];
    ok = emit(c, e, copier_attr(c, e));
    for (int i = 0; i < 2; i++)
        c->val[in[i]] = whole[i];
    return ok;
}

const Program *xf_mixed(wf_ctx *cx, const Program *p, wf_dtype dtype)
{
    Rewrite r = {.cx = cx, .eqn = mixed_eqn, .wanted = everywhere, .attr = &dtype};

    return rewrite_program(&r, p);
}

/* ---- self ---- */

static bool eqn_is_self(const Eqn *e, OpCode op)
{
    if (e->op != op)
        return false;
    return op == OP_custom_jvp ? ((const CustomJvpAttr *)e->attr)->self
                               : ((const CustomVjpAttr *)e->attr)->self;
}

typedef struct Search {
    OpCode op;
    bool found;
} Search;

static void search_sub(void *user, const Sub *s)
{
    Search *search = user;

    if (!search->found)
        search->found = custom_has_self(s->p, search->op);
}

bool custom_has_self(const Program *p, OpCode op)
{
    Search s = {op, false};

    for (uint32_t i = 0; i < p->neqns && !s.found; i++) {
        const Eqn *e = &p->eqns[i];

        if (eqn_is_self(e, op))
            return true;
        if (e->op == OP_custom_jvp)
            search_sub(&s, &((const CustomJvpAttr *)e->attr)->primal);
        else if (e->op == OP_custom_vjp)
            search_sub(&s, &((const CustomVjpAttr *)e->attr)->primal);
        else if (op_has(e->op, OPF_CONTROL) && e->op != OP_custom_lin)
            attr_each_sub(op_row(e->op), e->attr, search_sub, &s);
    }
    return s.found;
}

static bool wants_fill(Rewrite *r, const Program *p) { return custom_has_self(p, r->op); }

/* The rule inside a program made from itself: symbols of the same name, others from the
 * operands. */
static Sub self_sub(Builder *b, const Sub *rule)
{
    const Dims *from = &rule->p->dims;
    Dim *binds = NEW(b, from->syms.n, Dim);

    for (uint32_t i = 0; i < from->syms.n; i++)
        binds[i] = from->syms.v[i].origin == SYM_PARAM
                       ? dim_find(&b->dims, from->syms.v[i].name)
                       : DIM_NONE;
    return (Sub){rule->p, {from->syms.n, binds}};
}

static bool fill_eqn(Rewrite *r, Copier *c, const Eqn *e)
{
    void *attr;

    if (!op_has(e->op, OPF_CONTROL))
        return copier_eqn(c, e);
    attr = copier_attr(c, e);
    rewrite_subs(r, c->b, e, attr, false);
    if (eqn_is_self(e, r->op) && r->op == OP_custom_jvp) {
        CustomJvpAttr *a = attr;
        const CustomJvpAttr *rule = r->attr;
        a->rule = self_sub(c->b, &rule->rule);
        a->self = false;
    } else if (eqn_is_self(e, r->op)) {
        CustomVjpAttr *a = attr;
        const CustomVjpAttr *rule = r->attr;
        a->fwd = self_sub(c->b, &rule->fwd);
        a->bwd = self_sub(c->b, &rule->bwd);
        a->self = false;
    }
    return emit(c, e, attr);
}

const Program *custom_fill(wf_ctx *cx, const Program *p, OpCode op, const void *attr)
{
    Rewrite r = {.cx = cx, .eqn = fill_eqn, .wanted = wants_fill, .op = op, .attr = attr};

    return rewrite_program(&r, p);
}
