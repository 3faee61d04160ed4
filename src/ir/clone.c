/* clone.c -- copying equations between programs: transforms, inlining, substitution of symbols.
 *
 *   keeps   types, names and places (with the transform's name added); symbols by name
 */
#include "op/op.h"

/* ---- symbols ---- */

/* Symbols come over lazily: an equation that defines one does so before anything uses it. */
static void need_symbol(Copier *c, uint32_t i)
{
    const Symbol *s = &c->from->dims.syms.v[i];

    if (c->sym[i] != DIM_NONE)
        return;
    c->sym[i] = dim_symbol(&c->b->dims, s->name, (SymOrigin)s->origin);
    c->b->dims.syms.v[c->b->dims.syms.n - 1].hint = s->hint;
}

static void need_symbols(Copier *c, Dim d)
{
    const DimNode *n;

    if (d >= 0 || d == DIM_NONE || c->memo[-d - 1] != DIM_NONE)
        return;
    n = dim_node(&c->from->dims, d);
    if (n->kind == DIM_SYM) {
        need_symbol(c, n->sym);
        c->memo[-d - 1] = c->sym[n->sym];
    } else if (n->kind == DIM_POLY) {
        for (uint32_t i = 0; i < n->nterms; i++)
            for (uint32_t j = 0; j < n->terms[i].natoms; j++)
                need_symbols(c, n->terms[i].atoms[j]);
    } else {
        need_symbols(c, n->a);
        need_symbols(c, n->b);
    }
}

Dim copier_dim(Copier *c, Dim d)
{
    if (d >= 0 || d == DIM_NONE)
        return d;
    if (c->memo[-d - 1] == DIM_NONE) {
        need_symbols(c, d);
        if (c->memo[-d - 1] == DIM_NONE)
            c->memo[-d - 1] = dim_subst(&c->b->dims, &c->from->dims, d, c->sym);
    }
    return c->memo[-d - 1];
}

void copier_init(Copier *c, Builder *b, const Program *from, const Dim *binds, const char *via)
{
    const Dims *t = &from->dims;

    *c = (Copier){.b = b, .from = from, .via = via};
    c->val = arena_zalloc(&b->arena, from->nvals * sizeof *c->val);
    c->sym = arena_array(&b->arena, t->syms.n + 1, sizeof *c->sym);
    c->memo = arena_array(&b->arena, t->nodes.n + 1, sizeof *c->memo);
    c->type = arena_zalloc(&b->arena, (from->ntypes + 1) * sizeof *c->type);
    for (uint32_t i = 0; i < t->nodes.n; i++)
        c->memo[i] = DIM_NONE;
    for (uint32_t i = 0; i < t->syms.n; i++) {
        c->sym[i] = binds ? binds[i] : DIM_NONE;
        if (!binds && t->syms.v[i].origin != SYM_EQN) { /* a transform: free symbols keep their names */
            Dim there = dim_find(&b->dims, t->syms.v[i].name);
            c->sym[i] = there;
            need_symbol(c, i);
        }
    }
    for (uint32_t i = 0; !binds && i < t->guards.n; i++) {
        Guard g = t->guards.v[i];
        dim_guard(&b->dims, copier_dim(c, g.lhs), g.is_eq, copier_dim(c, g.rhs), NOWHERE);
    }
}

/* ---- types, places, attributes ---- */

Type copier_type(Copier *c, Type t)
{
    Dim dims[MAX_RANK];

    for (uint32_t i = 0; i < t.rank; i++)
        dims[i] = copier_dim(c, t.dims[i]);
    return b_make_type(c->b, (wf_dtype)t.dtype, dims, t.rank);
}

static Type value_type(Copier *c, Val v)
{
    uint32_t i = c->from->vals[v].type;

    if (!c->type[i]) {
        Type t = copier_type(c, c->from->types[i]);
        if (b_failed(c->b))
            return t;
        for (c->type[i] = c->b->types.n; !type_eq(c->b->types.v[c->type[i] - 1], t);)
            c->type[i]--;
    }
    return c->b->types.v[c->type[i] - 1];
}

static void need_attr_symbols(void *user, Dim d, bool defines)
{
    Copier *c = user;

    if (defines && d != DIM_NONE) { /* a fresh symbol for each copy of the definition */
        uint32_t i = dim_node(&c->from->dims, d)->sym;
        if (c->sym[i] == DIM_NONE)
            need_symbol(c, i);
        c->memo[-d - 1] = c->sym[i];
    } else {
        need_symbols(c, d);
    }
}

void *copier_attr(Copier *c, const Eqn *e)
{
    const OpRow *row = op_row(e->op);
    bool symbolic = c->from->dims.nodes.n > 0;

    if (!e->attr)
        return NULL;
    if (symbolic)
        attr_each_dim(row, e->attr, need_attr_symbols, c);
    return attr_copy(row, e->attr, &c->b->arena, &c->b->dims, &c->from->dims, symbolic ? c->sym : NULL);
}

Place copier_place(Copier *c, const Eqn *e)
{
    Place p = eqn_place(c->from, e);

    if (e->place == c->last_place && c->placed) {
        c->b->place = c->placed_as;
        return c->b->places.v[c->b->place];
    }
    if (c->via && p.line)
        p.via = p.via ? arena_printf(&c->b->arena, "%s/%s", p.via, c->via) : c->via;
    b_at(c->b, p);
    c->last_place = e->place;
    c->placed_as = c->b->place;
    c->placed = true;
    return p;
}

/* ---- equations ---- */

static void keep_names(Copier *c, const Eqn *e)
{
    for (uint32_t i = 0; i < e->nout; i++) {
        uint32_t name = c->from->vals[e->out + i].name;
        Val v = c->val[e->out + i];
        if (name && v && !c->b->vals.v[v].name)
            b_name(c->b, v, c->from->names[name]);
    }
}

bool copier_eqn(Copier *c, const Eqn *e)
{
    Val few[8], *in = e->nin <= 8 ? few : arena_array(&c->b->arena, e->nin, sizeof *in);
    const Val *args = eqn_in(c->from, e);

    copier_place(c, e);
    for (uint32_t i = 0; i < e->nin; i++)
        in[i] = c->val[args[i]];
    b_eqn(c->b, (OpCode)e->op, in, e->nin, copier_attr(c, e), c->val + e->out, e->nout);
    if (b_failed(c->b))
        return false;
    keep_names(c, e);
    return true;
}

void copier_view(Copier *c, const Eqn *e, EqnView *out)
{
    Arena *a = &c->b->arena;
    const Val *args = eqn_in(c->from, e);
    Val *in = arena_array(a, e->nin, sizeof *in);
    Type *in_type = arena_array(a, e->nin + e->nout, sizeof *in_type);

    for (uint32_t i = 0; i < e->nin; i++) {
        in[i] = c->val[args[i]];
        in_type[i] = value_type(c, args[i]);
    }
    *out = (EqnView){.op = e->op, .nin = e->nin, .nout = e->nout, .row = op_row(e->op), .in = in,
                     .in_type = in_type, .out_type = in_type + e->nin, .place = copier_place(c, e)};
    out->attr = copier_attr(c, e); /* defines symbols, which the result types use */
    for (uint32_t i = 0; i < e->nout; i++)
        in_type[e->nin + i] = value_type(c, e->out + i);
}

void copier_inputs(Copier *c)
{
    for (uint32_t i = 1; i <= c->from->nin; i++) {
        uint32_t name = c->from->vals[i].name;
        c->val[i] = b_input(c->b, name ? c->from->names[name] : NULL, value_type(c, i));
    }
}

bool b_inline(Builder *b, const Program *p, const Dim *binds, const Val *in, Val *out, const char *via)
{
    Copier c;
    uint32_t place = b->place;

    if (b_failed(b))
        return false;
    copier_init(&c, b, p, binds, via);
    for (uint32_t i = 0; i < p->nin; i++)
        c.val[i + 1] = in[i];
    for (uint32_t i = 0; i < p->neqns; i++)
        if (!copier_eqn(&c, &p->eqns[i]))
            return false;
    for (uint32_t i = 0; i < p->nout; i++)
        out[i] = c.val[p->outs[i]];
    b->place = place;
    return true;
}

bool b_inline_sub(Builder *b, const Sub *s, const Val *in, Val *out, const char *via)
{
    const Dim *binds = s->binds.n ? s->binds.v : NULL;

    if (!binds && s->p->dims.syms.n) { /* not yet inferred: from the shapes of the operands */
        Dim *found = arena_array(&b->arena, s->p->dims.syms.n, sizeof *found);
        for (uint32_t i = 0; i < s->p->dims.syms.n; i++)
            found[i] = DIM_NONE;
        for (uint32_t i = 0; i < s->p->nin; i++) {
            Type t = val_type(s->p, i + 1);
            for (uint32_t k = 0; k < t.rank; k++)
                if (t.dims[k] < 0 && dim_node(&s->p->dims, t.dims[k])->kind == DIM_SYM &&
                    in[i] != VAL_NONE)
                    found[dim_node(&s->p->dims, t.dims[k])->sym] = b_dim(b, in[i], k);
        }
        binds = found;
    }
    return b_inline(b, s->p, binds, in, out, via);
}

/* ---- sub-programs ---- */

Sub sub_like(Builder *b, const Sub *s, const Program *p)
{
    const Dims *t;
    Dim *binds;

    if (!p || !p->dims.syms.n)
        return (Sub){p, {0, NULL}};
    t = &p->dims;
    binds = arena_array(&b->arena, t->syms.n, sizeof *binds);
    for (uint32_t i = 0; i < t->syms.n; i++) {
        binds[i] = DIM_NONE;
        for (uint32_t j = 0; j < s->binds.n && t->syms.v[i].origin != SYM_EQN; j++)
            if (!strcmp(t->syms.v[i].name, s->p->dims.syms.v[j].name))
                binds[i] = s->binds.v[j];
    }
    return (Sub){p, {t->syms.n, binds}};
}

static Type bound_type(TypeRule *t, const Sub *s, Type x)
{
    Dim dims[MAX_RANK];

    for (uint32_t k = 0; k < x.rank; k++)
        dims[k] = dim_subst(t->dims, &s->p->dims, x.dims[k], s->binds.v);
    return b_make_type(t->b, (wf_dtype)x.dtype, dims, x.rank);
}

/* Symbols that stand bare in the inputs take the operands' dims. */
static void infer_binds(TypeRule *t, Sub *s, const Type *in)
{
    const Dims *d = &s->p->dims;
    Dim *binds = arena_array(&t->b->arena, d->syms.n, sizeof *binds);

    for (uint32_t i = 0; i < d->syms.n; i++)
        binds[i] = s->binds.n == d->syms.n ? s->binds.v[i] : DIM_NONE;
    for (uint32_t i = 0; i < s->p->nin; i++) {
        Type x = val_type(s->p, i + 1);
        for (uint32_t k = 0; k < x.rank && x.rank == in[i].rank; k++) {
            if (x.dims[k] >= 0 || dim_node(d, x.dims[k])->kind != DIM_SYM)
                continue;
            Dim *bind = &binds[dim_node(d, x.dims[k])->sym];
            if (*bind == DIM_NONE)
                *bind = in[i].dims[k];
        }
    }
    s->binds = (Ints){d->syms.n, binds};
}

static bool known_at_the_call(const Dims *t, Dim d) { return !dim_mentions(t, d, SYM_EQN); }

/* What a sub-program asks of its sizes the enclosing program asks of its own. */
static bool pass_guard(TypeRule *t, const Sub *s, Guard g)
{
    Dim lhs = dim_subst(t->dims, &s->p->dims, g.lhs, s->binds.v);
    Dim rhs = dim_subst(t->dims, &s->p->dims, g.rhs, s->binds.v);
    uint32_t before = t->dims->guards.n;

    if (!dim_guard(t->dims, lhs, g.is_eq, rhs, t->place))
        return false;
    if (t->dims->guards.n > before && !(known_at_the_call(t->dims, lhs) && known_at_the_call(t->dims, rhs)))
        return type_fail(t, WF_ERR_GUARD, "'%s' needs %s %s %s, which is known only at run time", s->p->name,
                         dim_show(t, lhs), g.is_eq ? "==" : ">=", dim_show(t, rhs));
    return true;
}

bool sub_bind(TypeRule *t, Sub *s, const char *what, const Type *in, uint32_t n, Type *out)
{
    const Program *p = s->p;

    if (!p)
        return type_fail(t, WF_ERR_VALUE, "%s is missing", what);
    if (p->nin != n)
        return type_fail(t, WF_ERR_TYPE, "%s '%s' takes %u inputs, got %u", what, p->name, p->nin, n);
    infer_binds(t, s, in);
    for (uint32_t i = 0; i < p->dims.syms.n; i++)
        if (s->binds.v[i] == DIM_NONE && p->dims.syms.v[i].origin != SYM_EQN)
            return type_fail(t, WF_ERR_SHAPE, "the size %s of %s '%s' is not given by its operands",
                             p->dims.syms.v[i].name, what, p->name);
    for (uint32_t i = 0; i < n; i++) {
        Type want = bound_type(t, s, val_type(p, i + 1));
        if (b_failed(t->b))
            return false;
        if (!type_eq(want, b_make_type(t->b, (wf_dtype)in[i].dtype, in[i].dims, in[i].rank)))
            return type_fail(t, WF_ERR_TYPE, "input %u of %s '%s' needs %s, got %s", i, what, p->name,
                             type_show(t, want), type_show(t, in[i]));
    }
    for (uint32_t i = 0; i < p->dims.guards.n; i++)
        if (!pass_guard(t, s, p->dims.guards.v[i]))
            return false;
    for (uint32_t i = 0; out && i < p->nout; i++) {
        Type y = val_type(p, p->outs[i]);
        for (uint32_t k = 0; k < y.rank; k++)
            if (!known_at_the_call(&p->dims, y.dims[k]))
                return type_fail(t, WF_ERR_SHAPE, "the size %s of result %u of %s '%s' is known only inside it",
                                 dim_str(&p->dims, y.dims[k], &t->b->arena), i, what, p->name);
        out[i] = bound_type(t, s, y);
    }
    return !b_failed(t->b);
}

const Program *program_specialise(wf_ctx *cx, const Program *p, const char *const *names,
                                  const int64_t *values, uint32_t n)
{
    Builder *b = builder_new(cx, p->name, B_OPTIMISE);
    Dim *binds = arena_array(&cx->scratch, p->dims.syms.n + 1, sizeof *binds);
    Val *outs = arena_array(&cx->scratch, p->nout + 1, sizeof *outs);
    Copier c;

    for (uint32_t i = 0; i < p->dims.syms.n; i++) {
        binds[i] = DIM_NONE;
        for (uint32_t j = 0; j < n; j++)
            if (!strcmp(names[j], p->dims.syms.v[i].name))
                binds[i] = values[j];
    }
    copier_init(&c, b, p, binds, NULL);
    for (uint32_t i = 0; i < p->dims.guards.n; i++) {
        Guard g = p->dims.guards.v[i];
        dim_guard(&b->dims, copier_dim(&c, g.lhs), g.is_eq, copier_dim(&c, g.rhs), NOWHERE);
    }
    copier_inputs(&c);
    for (uint32_t i = 0; i < p->neqns && copier_eqn(&c, &p->eqns[i]); i++)
        ;
    for (uint32_t i = 0; i < p->nout; i++)
        outs[i] = c.val[p->outs[i]];
    return builder_finish(b, outs, p->nout);
}
