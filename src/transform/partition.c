/* partition.c -- split a program by what is known first.
 *
 *   requires   a verified program, and which inputs are known
 *   gives      known: (known ins) -> (known outs.., residuals..)
 *              rest:  (residuals.., unknown ins) -> unknown outs
 *   keeps      order, places, effects (in `known` where all operands are known)
 *
 * Method: two builders. An equation whose operands are all known goes to `known`; control
 * flow with some known operands is split by its partition rule; every other equation goes
 * to `rest`, and the known values it reads become residuals, each once. Not kept but made
 * again in `rest` are values without operands (constants, iota, dim), broadcasts (their
 * operand is smaller), and casts, reshapes and the like of what is in `rest` anyway.
 *
 * Symbols have the same names in both programs. One that is defined by an equation of
 * `known` is free in `rest`, where a residual has it bare; what uses one that `rest`
 * defines is not known. To keep the names apart from those of symbols a rule makes, each
 * builder learns the symbols of the other as they appear; a finished program holds only
 * those it uses.
 */
#include "transform/transform.h"

typedef struct Partition {
    PartitionRule rule; /* first: rules are given its address */
    const Program *p;
    Copier ck, cr;      /* into known, into rest; val VAL_NONE: not there */
    VEC(Val) kept;      /* residuals: values of known */
    VEC(Val) kept_in;   /* and the inputs of rest that bring them */
    VEC(Val) brought;   /* known value -> rest value */
    VEC(Dim) to_rest;   /* symbol of known -> dim of rest */
    SymbolMarks marks;  /* symbols that equations of rest define */
    uint32_t first_eqn; /* of known, that the current rule made */
    bool defined;       /* see known_defines */
    uint32_t nk, nr;    /* symbols of known, of rest, that the other has */
} Partition;

/* ---- symbols ----------------------------------------------------------------------- */

static uint32_t symbol_index(const Dims *t, Dim d) { return dim_node(t, d)->sym; }

/* A symbol that a rule made in rest gave itself a name that one of known has: another
 * name for it. */
static void rename_symbol(Builder *rest, const Dims *known, uint32_t i)
{
    Symbol *s = &rest->dims.syms.v[i];
    const char *name;
    uint32_t k = 0;

    do
        name = arena_printf(&rest->arena, "%s_r%u", s->name, ++k);
    while (dim_find(&rest->dims, name) != DIM_NONE || dim_find(known, name) != DIM_NONE);
    s->name = name;
}

/* Let each builder know the symbols the other has made since. */
static void sync_symbols(Partition *x)
{
    Builder *known = x->rule.known, *rest = x->rule.rest;

    if (x->nk == known->dims.syms.n && x->nr == rest->dims.syms.n)
        return;
    for (; x->nk < known->dims.syms.n; x->nk++) {
        const char *name = known->dims.syms.v[x->nk].name;
        Dim d = dim_find(&rest->dims, name);

        if (d != DIM_NONE && symbol_index(&rest->dims, d) >= x->nr) {
            rename_symbol(rest, &known->dims, symbol_index(&rest->dims, d));
            d = DIM_NONE;
        }
        if (d == DIM_NONE)
            d = dim_symbol(&rest->dims, name, SYM_INPUT);
        vec_push(&rest->arena, &x->to_rest, d);
    }
    for (uint32_t i = x->nr; i < rest->dims.syms.n; i++) {
        Symbol s = rest->dims.syms.v[i];

        if (dim_find(&known->dims, s.name) != DIM_NONE)
            continue;
        dim_symbol(&known->dims, s.name, SYM_INPUT);
        vec_push(&rest->arena, &x->to_rest, s.dim);
        x->nk = known->dims.syms.n;
    }
    x->nr = rest->dims.syms.n;
}

/* A symbol that an equation of p defined on one side is known by name on the other. */
static void share_defined(Partition *x)
{
    sync_symbols(x);
    for (uint32_t i = 0; i < x->p->dims.syms.n; i++) {
        if (x->ck.sym[i] != DIM_NONE && x->cr.sym[i] == DIM_NONE)
            x->cr.sym[i] = partition_dim(&x->rule, x->ck.sym[i]);
        else if (x->ck.sym[i] == DIM_NONE && x->cr.sym[i] != DIM_NONE) {
            uint32_t k = symbol_index(&x->rule.rest->dims, x->cr.sym[i]);

            x->ck.sym[i] =
                dim_find(&x->rule.known->dims, x->rule.rest->dims.syms.v[k].name);
        }
    }
}

Dim partition_dim(PartitionRule *r, Dim d)
{
    Partition *x = (Partition *)r;

    if (r->known == r->rest || d == DIM_NONE || dim_is_const(d))
        return d;
    sync_symbols(x);
    return dim_subst(&r->rest->dims, &r->known->dims, d, x->to_rest.v);
}

/* ---- residuals --------------------------------------------------------------------- */

static Val brought(const Partition *x, Val v)
{
    return v < x->brought.n ? x->brought.v[v] : VAL_NONE;
}

static void set_brought(Partition *x, Val v, Val in_rest)
{
    if (v >= x->brought.n) {
        uint32_t more = MAX(v + 1 - x->brought.n, x->brought.n);

        memset(vec_extend(&x->rule.known->arena, &x->brought, more), 0,
               more * sizeof(Val));
    }
    x->brought.v[v] = in_rest;
}

/* Better made again in rest than kept? */
static bool is_remade(const Partition *x, const Eqn *e)
{
    const Builder *k = x->rule.known;

    if (!op_has(e->op, OPF_PURE) || op_has(e->op, OPF_DEFINES) || e->nout != 1)
        return false;
    if (e->nin == 0 || e->op == OP_broadcast)
        return true;
    return op_is_cheap(e->op) && brought(x, k->args.v[e->args]) != VAL_NONE;
}

static Val keep_residual(Partition *x, Val v)
{
    Builder *k = x->rule.known, *rest = x->rule.rest;
    Type t = b_type(k, v);
    Dim dims[MAX_RANK];
    Val r;

    for (uint32_t i = 0; i < t.rank; i++)
        dims[i] = partition_dim(&x->rule, t.dims[i]);
    r = b_input(rest, k->vals.v[v].name ? k->names.v[k->vals.v[v].name] : NULL,
                b_make_type(rest, (wf_dtype)t.dtype, dims, t.rank));
    vec_push(&k->arena, &x->kept, v);
    vec_push(&k->arena, &x->kept_in, r);
    return r;
}

/* A chain of broadcasts longer than this is kept somewhere inside. */
#define MAX_REMADE 8

static Val bring(Partition *x, Val v, int depth)
{
    Builder *k = x->rule.known, *rest = x->rule.rest;
    uint32_t index = k->vals.v[v].eqn;
    Val r = brought(x, v);

    if (r || b_failed(rest))
        return r;
    if (index != EQN_INPUT && depth < MAX_REMADE && is_remade(x, &k->eqns.v[index])) {
        const Eqn *e = &k->eqns.v[index];
        Val in = e->nin ? bring(x, k->args.v[e->args], depth + 1) : VAL_NONE;
        void *attr;

        sync_symbols(x);
        attr = attr_copy(op_row(e->op), e->attr, &rest->arena, &rest->dims, &k->dims,
                         x->to_rest.v);
        r = b_eqn1(rest, (OpCode)e->op, &in, e->nin, attr);
    } else {
        r = keep_residual(x, v);
    }
    set_brought(x, v, r);
    return r;
}

Val partition_residual(PartitionRule *r, Val known_value)
{
    return r->known == r->rest ? known_value : bring((Partition *)r, known_value, 0);
}

/* The value of p in rest, brought there if it is known. */
static Val in_rest(Partition *x, Val v)
{
    if (!x->cr.val[v] && x->ck.val[v])
        x->cr.val[v] = bring(x, x->ck.val[v], 0);
    return x->cr.val[v];
}

/* ---- equations --------------------------------------------------------------------- */

static uint32_t count_known(const Partition *x, const Eqn *e)
{
    const Val *in = eqn_in(x->p, e);
    uint32_t n = 0;

    for (uint32_t i = 0; i < e->nin; i++)
        n += x->ck.val[in[i]] != VAL_NONE;
    return n;
}

/* A view of e in one of the builders, the operands that are not there VAL_NONE. */
static void view_side(Copier *c, const Eqn *e, const Val *only, EqnView *out)
{
    const Val *in = eqn_in(c->from, e);
    Val *vals = arena_array(&c->b->arena, e->nin + 1u, sizeof *vals);

    copier_place(c, e);
    copier_view(c, e, out);
    for (uint32_t i = 0; i < e->nin; i++)
        vals[i] = only && only[in[i]] ? VAL_NONE : c->val[in[i]];
    out->in = vals;
}

typedef struct Definition {
    Dim sym;
    bool found;
} Definition;

static void match_definition(void *user, Dim d, bool defines)
{
    Definition *x = user;

    x->found |= defines && d == x->sym;
}

static void check_definition(void *user, Dim d, bool defines)
{
    Partition *x = user;
    Builder *k = x->rule.known;
    Definition def = {0};

    if (!defines || d == DIM_NONE)
        return;
    def.sym = x->ck.sym[symbol_index(&x->p->dims, d)];
    for (uint32_t i = k->eqns.n; i-- > x->first_eqn && !def.found;)
        if (op_has(k->eqns.v[i].op, OPF_DEFINES))
            attr_each_dim(op_row(k->eqns.v[i].op), k->eqns.v[i].attr, match_definition,
                          &def);
    x->defined &= def.found;
}

/* Has the rule defined, in known, all the symbols that e defines? If not, rest does. */
static bool known_defines(Partition *x, const Eqn *e)
{
    x->defined = true;
    attr_each_dim(op_row(e->op), e->attr, check_definition, x);
    return x->defined;
}

static bool split_eqn(Partition *x, const Eqn *e)
{
    PartitionRule *r = &x->rule;
    Arena *a = &r->known->arena;

    view_side(&x->ck, e, NULL, &r->ek);
    share_defined(x);
    view_side(&x->cr, e, x->ck.val, &r->er);
    share_defined(x);
    r->out_known = arena_zalloc(a, e->nout * sizeof(Val) + 1);
    r->out_rest = arena_zalloc(a, e->nout * sizeof(Val) + 1);
    x->first_eqn = r->known->eqns.n;
    if (!op_rules(e->op)->partition(r))
        return false;
    if (op_has(e->op, OPF_DEFINES) && !known_defines(x, e))
        marks_add(&x->marks, e);
    for (uint32_t j = 0; j < e->nout; j++) {
        x->ck.val[e->out + j] = r->out_known[j];
        x->cr.val[e->out + j] = r->out_known[j] ? VAL_NONE : r->out_rest[j];
    }
    return true;
}

static bool partition_eqn(Partition *x, const Eqn *e)
{
    const Val *in = eqn_in(x->p, e);
    uint32_t nknown = count_known(x, e);
    bool unsized = marks_touch(&x->marks, e), ok; /* of a size only rest knows? */

    if (nknown == e->nin && !unsized) {
        ok = copier_eqn(&x->ck, e);
    } else if (nknown && !unsized && op_rules(e->op)->partition) {
        ok = split_eqn(x, e);
    } else {
        for (uint32_t i = 0; i < e->nin; i++)
            in_rest(x, in[i]);
        ok = copier_eqn(&x->cr, e);
        marks_add(&x->marks, e);
    }
    if (ok && op_has(e->op, OPF_DEFINES))
        share_defined(x);
    return ok;
}

/* ---- the whole program ------------------------------------------------------------- */

static void partition_begin(Partition *x, wf_ctx *cx, const Program *p,
                            const bool *in_known)
{
    memset(x, 0, sizeof *x);
    x->p = p;
    x->rule.cx = cx;
    x->rule.known = builder_new(cx, xf_name(cx, p->name, "known"), B_OPTIMISE);
    x->rule.rest = builder_new(cx, xf_name(cx, p->name, "rest"), B_OPTIMISE);
    copier_init(&x->ck, x->rule.known, p, NULL, NULL);
    copier_init(&x->cr, x->rule.rest, p, NULL, NULL);
    marks_init(&x->marks, p, &x->rule.known->arena);
    x->nr = x->rule.rest->dims.syms.n; /* the free symbols of p, the same on both sides */
    sync_symbols(x);
    for (uint32_t i = 0; i < p->nin && !failed(cx); i++) {
        Val v = program_in(p, i);
        Copier *c = in_known[i] ? &x->ck : &x->cr;

        c->val[v] =
            b_input(c->b, p->names[p->vals[v].name], copier_type(c, val_type(p, v)));
    }
}

/* The inputs of rest that its results and effects need: used[input value]. */
static bool *used_values(Builder *b, const Val *outs, uint32_t nouts)
{
    LiveView v = {b->eqns.v,  b->eqns.n, b->args.v, b->vals.v, b->vals.n,
                  b->types.v, &b->dims,  outs,      nouts};
    bool *keep = arena_alloc(&b->arena, b->eqns.n + 1);
    bool *used = arena_zalloc(&b->arena, b->vals.n + 1);

    live_equations(&b->arena, &v, keep);
    for (uint32_t i = 0; i < b->eqns.n; i++)
        for (uint32_t k = 0; keep[i] && k < b->eqns.v[i].nin; k++)
            used[b->args.v[b->eqns.v[i].args + k]] = true;
    for (uint32_t j = 0; j < nouts; j++)
        used[outs[j]] = true;
    return used;
}

/* Drop the residuals nothing in rest reads. */
static void drop_unused(Partition *x, const Val *outs, uint32_t nouts)
{
    bool *used = used_values(x->rule.rest, outs, nouts);
    uint32_t n = 0;

    for (uint32_t k = 0; k < x->kept.n; k++) {
        if (!used[x->kept_in.v[k]])
            continue;
        x->kept.v[n] = x->kept.v[k];
        x->kept_in.v[n++] = x->kept_in.v[k];
    }
    x->kept.n = x->kept_in.n = n;
}

/* For each residual the input of p it is, or -1. */
static int32_t *find_inputs(const Partition *x, wf_ctx *cx)
{
    int32_t *res = arena_array(&cx->scratch, x->kept.n + 1u, sizeof *res);
    int32_t *of = arena_array(&cx->scratch, x->rule.known->vals.n + 1u, sizeof *of);

    memset(of, -1, (x->rule.known->vals.n + 1) * sizeof *of);
    for (uint32_t i = x->p->nin; i-- > 0;)
        of[x->ck.val[program_in(x->p, i)]] = (int32_t)i;
    of[VAL_NONE] = -1;
    for (uint32_t k = 0; k < x->kept.n; k++)
        res[k] = of[x->kept.v[k]];
    return res;
}

/* Residuals bool[K,0], which hold no bytes, for the symbols K that known defines and the
 * given rest has free: so that known keeps the definition and rest learns the size. Were
 * there any? */
static bool carry_symbols(Partition *x, const Program *rest)
{
    Builder *k = x->rule.known, *r = x->rule.rest;
    uint32_t before = x->kept.n;

    for (uint32_t i = 0; i < rest->dims.syms.n && !b_failed(k); i++) {
        const Symbol *s = &rest->dims.syms.v[i];
        Dim d = s->origin == SYM_PARAM ? dim_find(&k->dims, s->name) : DIM_NONE;

        if (d == DIM_NONE || k->dims.syms.v[symbol_index(&k->dims, d)].origin != SYM_EQN)
            continue;
        Dim in_r = dim_find(&r->dims, s->name);
        vec_push(&k->arena, &x->kept,
                 b_zeros(k, b_make_type(k, WF_BOOL, (Dim[]){d, 0}, 2)));
        vec_push(&k->arena, &x->kept_in,
                 b_input(r, NULL, b_make_type(r, WF_BOOL, (Dim[]){in_r, 0}, 2)));
    }
    return x->kept.n > before;
}

static bool finish_both(Partition *x, wf_ctx *cx, const bool *in_known, Split *out)
{
    const Program *p = x->p;
    Arena *a = &cx->scratch;
    Val *kin = arena_array(a, p->nin + 1u, sizeof *kin);
    Val *rin = arena_array(a, (size_t)p->nin + x->kept.n + 1, sizeof *rin);
    Val *kout = arena_array(a, (size_t)p->nout + x->kept.n + 1, sizeof *kout);
    Val *rout = arena_array(a, p->nout + 1u, sizeof *rout);
    uint32_t nki = 0, nri = 0, nko = 0, nro = 0;

    for (uint32_t j = 0; j < p->nout; j++) {
        Val y = p->outs[j];

        if (out->out_known[j])
            kout[nko++] = x->ck.val[y];
        else
            rout[nro++] = x->cr.val[y];
    }
    out->nres = x->kept.n;
    out->res_input = find_inputs(x, cx);
    for (uint32_t k = 0; k < x->kept.n; k++) {
        kout[nko++] = x->kept.v[k];
        rin[nri++] = x->kept_in.v[k];
    }
    for (uint32_t i = 0; i < p->nin; i++) {
        Val v = program_in(p, i);

        if (in_known[i])
            kin[nki++] = x->ck.val[v];
        else
            rin[nri++] = x->cr.val[v];
    }
    out->known = builder_finish_as(x->rule.known, kin, nki, kout, nko);
    out->rest = builder_finish_as(x->rule.rest, rin, nri, rout, nro);
    return out->known && out->rest;
}

static bool partition_end(Partition *x, wf_ctx *cx, const bool *in_known, Split *out)
{
    const Program *p = x->p;
    Val *rout = arena_array(&cx->scratch, p->nout + 1u, sizeof *rout);
    uint32_t nro = 0;

    for (uint32_t j = 0; j < p->nout; j++)
        if (!out->out_known[j])
            rout[nro++] = x->cr.val[p->outs[j]];
    drop_unused(x, rout, nro);
    if (!finish_both(x, cx, in_known, out))
        return false;
    return !carry_symbols(x, out->rest) || finish_both(x, cx, in_known, out);
}

bool xf_partition(wf_ctx *cx, const Program *p, const bool *in_known,
                  const bool *want_unknown, Split *out)
{
    Partition x;

    memset(out, 0, sizeof *out);
    out->out_known = arena_zalloc(&cx->scratch, p->nout + 1u);
    partition_begin(&x, cx, p, in_known);
    for (uint32_t i = 0; i < p->neqns && !failed(cx); i++)
        partition_eqn(&x, &p->eqns[i]);
    if (failed(cx))
        return false;
    for (uint32_t j = 0; j < p->nout; j++) {
        Val y = p->outs[j];

        out->out_known[j] = x.ck.val[y] && !(want_unknown && want_unknown[j]);
        if (!out->out_known[j])
            in_rest(&x, y);
    }
    return !failed(cx) && partition_end(&x, cx, in_known, out);
}
