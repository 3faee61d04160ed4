/* verify.c -- everything a program promises, checked again from scratch.
 *
 *   requires   arrays of the lengths the program states; nothing else is believed
 *   method     First the skeleton: indices in range, operands before their use, symbols
 *              defined once and before their use. Then the program is built again, equation
 *              by equation, and the types that come out are compared; at the end the whole
 *              content and the hash.
 *   cost       linear in the number of equations
 *
 * What fails here is a mistake of the one who made the program, not of its user, so the
 * status is WF_ERR_INTERNAL; a type rule that refuses an equation keeps its own status. The
 * message has the place of the equation and its text.
 */
#include "ir/parse.h"

typedef struct ProgramSet { /* by address, open addressing */
    const Program **v;
    uint32_t n, cap;
} ProgramSet;

typedef struct Verifier {
    wf_ctx *cx;
    Arena *a;
    ProgramSet done; /* programs that were verified */
} Verifier;

typedef struct Check { /* of one program */
    Verifier *v;
    wf_ctx *cx;
    Arena *a;
    const Program *p;
    uint32_t *node_need; /* for each dim node: equations that must come before it */
    uint32_t *sym_at;    /* 1 + the equation that defines the symbol; 0: free */
    ProgramSet subs;     /* that the program holds */
    uint32_t eqn;        /* the one at hand */
    bool ok;
} Check;

/* Where p is in the set, or would be put. */
static uint32_t set_slot(const ProgramSet *s, const Program *p)
{
    uint32_t k = (uint32_t)(hash_mix(1, (uint64_t)(uintptr_t)p) >> 32) & (s->cap - 1);

    while (s->v[k] && s->v[k] != p)
        k = (k + 1) & (s->cap - 1);
    return k;
}

/* Is p new? Then it is put into the set. */
static bool set_add(ProgramSet *s, Arena *a, const Program *p)
{
    uint32_t k;

    if ((s->n + 1) * 2 > s->cap) {
        ProgramSet old = *s;

        s->cap = old.cap ? old.cap * 2 : 16;
        s->v = arena_zalloc(a, s->cap * sizeof *s->v);
        for (uint32_t i = 0; i < old.cap; i++)
            if (old.v[i])
                s->v[set_slot(s, old.v[i])] = old.v[i];
    }
    k = set_slot(s, p);
    if (s->v[k])
        return false;
    s->v[k] = p;
    s->n++;
    return true;
}

/* ---- messages ---------------------------------------------------------------------- */

static bool bad_program(Check *c, const char *what)
{
    return fail(c->cx, WF_ERR_INTERNAL, NOWHERE, "verify: %s: %s", c->p->name, what);
}

/* The place and the text of the equation at hand, whose operands must be in range. */
static bool bad_eqn(Check *c, const char *what)
{
    const Eqn *e = &c->p->eqns[c->eqn];
    Text text;

    text_init(&text, c->a);
    eqn_print(c->p, e, &text);
    return fail(c->cx, WF_ERR_INTERNAL, eqn_place(c->p, e),
                "verify: %s: equation %u, '%s': %s", c->p->name, c->eqn, text_str(&text),
                what);
}

static bool bad_index(Check *c, const char *what)
{
    return fail(c->cx, WF_ERR_INTERNAL, NOWHERE,
                "verify: %s: equation %u (%s): %s is out of range", c->p->name, c->eqn,
                c->p->eqns[c->eqn].op < OP_COUNT ? op_name(c->p->eqns[c->eqn].op) : "?",
                what);
}

/* ---- dims and symbols -------------------------------------------------------------- */

static bool is_dim(const Check *c, Dim d)
{
    return d >= 0 || (d != DIM_NONE && -(d + 1) < (Dim)c->p->dims.nodes.n);
}

static uint32_t need_of(const Check *c, Dim d)
{
    return d >= 0 ? 0 : c->node_need[-d - 1];
}

/* A child of node i: a constant, or a node before it. */
static bool is_child(Dim d, uint32_t i)
{
    return d >= 0 || (d != DIM_NONE && -(d + 1) < (Dim)i);
}

static bool check_node(Check *c, uint32_t i)
{
    const DimNode *n = &c->p->dims.nodes.v[i];
    uint32_t need = 0;

    switch (n->kind) {
    case DIM_SYM:
        if (n->sym >= c->p->dims.syms.n || c->p->dims.syms.v[n->sym].dim != -(Dim)i - 1)
            return bad_program(c, "a dim refers to a symbol that is not there");
        need = c->sym_at[n->sym];
        break;
    case DIM_POLY:
        for (uint32_t k = 0; k < n->nterms; k++)
            for (uint32_t j = 0; j < n->terms[k].natoms; j++) {
                if (n->terms[k].atoms[j] >= 0 || !is_child(n->terms[k].atoms[j], i))
                    return bad_program(c, "a dim refers to one that comes after it");
                need = MAX(need, need_of(c, n->terms[k].atoms[j]));
            }
        break;
    case DIM_FLOORDIV:
    case DIM_MIN:
    case DIM_MAX:
        if (!is_child(n->a, i) || !is_child(n->b, i))
            return bad_program(c, "a dim refers to one that comes after it");
        need = MAX(need_of(c, n->a), need_of(c, n->b));
        break;
    default: return bad_program(c, "a dim of an unknown kind");
    }
    c->node_need[i] = need;
    return true;
}

/* The equations that define symbols, each once. */
static void note_definition(void *user, Dim d, bool defines)
{
    Check *c = user;
    const DimNode *n;

    if (!defines || d == DIM_NONE || !c->ok)
        return;
    n = is_dim(c, d) && d < 0 ? dim_node(&c->p->dims, d) : NULL;
    if (!n || n->kind != DIM_SYM || n->sym >= c->p->dims.syms.n)
        c->ok = bad_index(c, "the symbol it defines");
    else if (c->sym_at[n->sym])
        c->ok = bad_eqn(c, "defines a symbol that is defined already");
    else if (c->p->dims.syms.v[n->sym].origin != SYM_EQN)
        c->ok = bad_eqn(c, "defines a symbol that is free");
    else
        c->sym_at[n->sym] = c->eqn + 1;
}

static void mark_bare(const Check *c, bool *bare)
{
    const Program *p = c->p;

    for (uint32_t i = 1; i <= p->nin; i++) {
        Type t = val_type(p, i);

        for (uint32_t k = 0; k < t.rank; k++)
            if (t.dims[k] < 0 && dim_node(&p->dims, t.dims[k])->kind == DIM_SYM)
                bare[dim_node(&p->dims, t.dims[k])->sym] = true;
    }
}

static bool check_symbols(Check *c)
{
    const Dims *d = &c->p->dims;
    bool *bare = arena_zalloc(c->a, d->syms.n + 1);
    ParseNames names = {.a = c->a};
    NameSlot *old;

    mark_bare(c, bare);
    for (uint32_t i = 0; i < d->syms.n; i++) {
        const Symbol *s = &d->syms.v[i];

        if (s->dim >= 0 || !is_dim(c, s->dim) || dim_node(d, s->dim)->kind != DIM_SYM ||
            dim_node(d, s->dim)->sym != i)
            return bad_program(c, "a symbol without its dim");
        if (!names_add(&names, s->name, (uint32_t)strlen(s->name), 0, &old))
            return bad_program(c, "two symbols of one name");
        if (s->origin == SYM_EQN ? !c->sym_at[i] : bare[i] != (s->origin == SYM_INPUT))
            return fail(c->cx, WF_ERR_INTERNAL, NOWHERE,
                        "verify: %s: symbol '%s' does not come from %s", c->p->name,
                        s->name,
                        s->origin == SYM_EQN     ? "any equation"
                        : s->origin == SYM_INPUT ? "any input"
                                                 : "outside");
    }
    return true;
}

static bool check_dims(Check *c)
{
    const Dims *d = &c->p->dims;

    for (uint32_t i = 0; i < d->nodes.n; i++)
        if (!check_node(c, i))
            return false;
    for (uint32_t i = 0; i < d->guards.n; i++) {
        Guard g = d->guards.v[i];

        if (!is_dim(c, g.lhs) || !is_dim(c, g.rhs))
            return bad_program(c, "a guard without its dims");
        if (need_of(c, g.lhs) || need_of(c, g.rhs))
            return bad_program(c, "a guard on a symbol that is known at run time only");
    }
    return true;
}

/* ---- the skeleton ------------------------------------------------------------------ */

static bool check_types(Check *c)
{
    const Program *p = c->p;

    for (uint32_t i = 0; i < p->ntypes; i++) {
        if (!dtype_is_usable((wf_dtype)p->types[i].dtype) || p->types[i].rank > MAX_RANK)
            return bad_program(c, "a type of no dtype, or of too high a rank");
        for (uint32_t k = 0; k < p->types[i].rank; k++)
            if (!is_dim(c, p->types[i].dims[k]))
                return bad_program(c, "a type without its dims");
    }
    return true;
}

static bool check_values(Check *c)
{
    const Program *p = c->p;
    ParseNames names = {.a = c->a};
    NameSlot *old;

    if (p->nvals < p->nin + 1)
        return bad_program(c, "inputs without values");
    names_reserve(&names, p->nnames);
    for (uint32_t i = 1; i < p->nvals; i++) {
        const ValInfo *v = &p->vals[i];

        if (v->type >= p->ntypes || v->name >= MAX(p->nnames, 1))
            return bad_program(c, "a value without its type or name");
        if ((v->eqn == EQN_INPUT) != (i <= p->nin) || (i > p->nin && v->eqn >= p->neqns))
            return bad_program(c, "a value that nothing defines");
        if (v->name && !names_add(&names, p->names[v->name],
                                  (uint32_t)strlen(p->names[v->name]), i, &old))
            return fail(c->cx, WF_ERR_INTERNAL, NOWHERE,
                        "verify: %s: two values have the name '%s'", p->name,
                        p->names[v->name]);
    }
    return true;
}

static void check_sub_held(void *user, const Sub *s)
{
    Check *c = user;

    if (!c->subs.cap || c->subs.v[set_slot(&c->subs, s->p)] != s->p)
        c->ok = c->ok && bad_eqn(c, "a sub-program that the program does not hold");
    if (s->binds.n != s->p->dims.syms.n)
        c->ok = c->ok && bad_eqn(c, "symbols of a sub-program are not bound");
    for (uint32_t i = 0; c->ok && i < s->binds.n; i++)
        if ((s->binds.v[i] == DIM_NONE) != (s->p->dims.syms.v[i].origin == SYM_EQN))
            c->ok = bad_eqn(c, "symbols of a sub-program are not bound");
}

static bool check_eqn(Check *c, Val next)
{
    const Program *p = c->p;
    const Eqn *e = &p->eqns[c->eqn];

    if (e->op >= OP_COUNT)
        return bad_index(c, "the op");
    if (e->args > p->nargs || e->nin > p->nargs - e->args)
        return bad_index(c, "an operand");
    if (e->out != next || e->nout > p->nvals - next)
        return bad_index(c, "a result");
    if (e->place >= MAX(p->nplaces, 1))
        return bad_index(c, "the place");
    for (uint32_t i = 0; i < e->nin; i++)
        if (eqn_in(p, e)[i] == VAL_NONE || eqn_in(p, e)[i] >= p->nvals)
            return bad_index(c, "an operand");
    for (uint32_t i = 0; i < e->nout; i++)
        if (p->vals[e->out + i].eqn != c->eqn)
            return bad_index(c, "a result");
    if (op_row(e->op)->attrs && !e->attr)
        return bad_index(c, "the attribute");
    for (uint32_t i = 0; i < e->nin; i++)
        if (eqn_in(p, e)[i] >= next)
            return bad_eqn(c, "an operand is used before it is defined");
    attr_each_sub(op_row(e->op), e->attr, check_sub_held, c);
    if (c->ok && op_has(e->op, OPF_DEFINES))
        attr_each_dim(op_row(e->op), e->attr, note_definition, c);
    return c->ok;
}

static bool check_eqns(Check *c)
{
    const Program *p = c->p;
    Val next = p->nin + 1;

    for (c->eqn = 0; c->eqn < p->neqns; c->eqn++) {
        if (!check_eqn(c, next))
            return false;
        next += p->eqns[c->eqn].nout;
    }
    if (next != p->nvals)
        return bad_program(c, "values that no equation defines");
    for (uint32_t i = 0; i < p->nout; i++)
        if (p->outs[i] == VAL_NONE || p->outs[i] >= p->nvals)
            return bad_program(c, "a result that is not there");
    return true;
}

/* ---- symbols before their use ------------------------------------------------------ */

static void check_attr_dim(void *user, Dim d, bool defines)
{
    Check *c = user;

    if (!c->ok || d == DIM_NONE || defines)
        return;
    if (!is_dim(c, d))
        c->ok = bad_index(c, "a dim of the attribute"); /* nor can it be printed */
    else if (need_of(c, d) > c->eqn)
        c->ok = bad_eqn(c, "an attribute uses a symbol before it is defined");
}

static bool check_scopes(Check *c)
{
    const Program *p = c->p;

    for (uint32_t i = 1; i < p->nvals; i++) {
        Type t = val_type(p, i);
        uint32_t known = i <= p->nin ? 0 : p->vals[i].eqn + 1;

        for (uint32_t k = 0; k < t.rank; k++)
            if (need_of(c, t.dims[k]) > known) {
                c->eqn = known ? known - 1 : 0;
                return known
                           ? bad_eqn(c, "the type uses a symbol before it is defined")
                           : bad_program(
                                 c,
                                 "an input's type uses a symbol known at run time only");
            }
    }
    for (c->eqn = 0; p->dims.nodes.n && c->eqn < p->neqns && c->ok; c->eqn++)
        attr_each_dim(op_row(p->eqns[c->eqn].op), p->eqns[c->eqn].attr, check_attr_dim,
                      c);
    return c->ok;
}

/* ---- the program built again ------------------------------------------------------- */

/* Values keep their numbers: inputs first, then results in order. */
static bool rebuild_eqn(Check *c, Copier *copy, const Type *types)
{
    const Program *p = c->p;
    const Eqn *e = &p->eqns[c->eqn];
    const Eqn *made;
    Text text;

    copier_place(copy, e);
    b_eqn(copy->b, (OpCode)e->op, eqn_in(p, e), e->nin, copier_attr(copy, e), NULL, 0);
    if (failed(c->cx)) {
        text_init(&text, c->a);
        eqn_print(p, e, &text);
        return fail_note(c->cx, eqn_place(p, e), "verify: %s: equation %u, '%s'", p->name,
                         c->eqn, text_str(&text));
    }
    made = &copy->b->eqns.v[copy->b->eqns.n - 1];
    if (made->nout != e->nout || made->out != e->out)
        return bad_eqn(c, "the number of results is not the inferred one");
    for (uint32_t i = 0; i < e->nout; i++) {
        Type want = b_type(copy->b, made->out + i),
             have = types[p->vals[e->out + i].type];

        if (have.dtype == WF_INVALID)
            have = copier_type(copy, val_type(p, e->out + i));
        if (!type_eq(want, have))
            return bad_eqn(c, arena_printf(c->a, "result %u has type %s, inferred is %s",
                                           i, type_str(&copy->b->dims, have, c->a),
                                           type_str(&copy->b->dims, want, c->a)));
    }
    return true;
}

static bool rebuild(Check *c)
{
    const Program *p = c->p, *again;
    Builder *b = builder_new(c->cx, p->name, B_VERBATIM);
    Type *types = arena_zalloc(c->a, (p->ntypes + 1) * sizeof *types);
    Copier copy;

    copier_init(&copy, b, p, NULL, NULL);
    copier_inputs(&copy);
    if (failed(c->cx))
        return false;
    for (uint32_t i = 0; i < p->ntypes;
         i++) { /* those without symbols of equations: at once */
        uint32_t need = 0;

        for (uint32_t k = 0; k < p->types[i].rank; k++)
            need = MAX(need, need_of(c, p->types[i].dims[k]));
        if (need == 0)
            types[i] = copier_type(&copy, p->types[i]);
    }
    for (c->eqn = 0; c->eqn < p->neqns; c->eqn++)
        if (!rebuild_eqn(c, &copy, types))
            return false;
    again = builder_finish(b, p->outs, p->nout);
    if (!again)
        return false;
    if (again->effects != p->effects)
        return bad_program(c, "the flag for effects is wrong");
    if (again->depth != p->depth)
        return bad_program(c, "the depth of sub-programs is wrong");
    if (!hash_eq(again->hash, p->hash))
        return bad_program(c, "the content hash is not that of the content");
    return program_equal(again, p) ||
           bad_program(c, "the program is not in canonical form");
}

/* ---- programs ---------------------------------------------------------------------- */

static bool verify(Verifier *v, const Program *p, uint32_t nesting)
{
    Check c = {.v = v, .cx = v->cx, .a = v->a, .p = p, .ok = true};

    if (!set_add(&v->done, v->a, p))
        return true;
    if (nesting > MAX_NESTING)
        return bad_program(&c, "sub-programs nested too deeply");
    for (uint32_t i = 0; i < p->nsubs; i++) {
        if (!verify(v, p->subs[i], nesting + 1))
            return fail_note(v->cx, NOWHERE, "in a sub-program of '%s'", p->name);
        set_add(&c.subs, v->a, p->subs[i]);
    }
    c.node_need = arena_zalloc(v->a, (p->dims.nodes.n + 1) * sizeof *c.node_need);
    c.sym_at = arena_zalloc(v->a, (p->dims.syms.n + 1) * sizeof *c.sym_at);
    return check_types(&c) && check_values(&c) && check_eqns(&c) && check_symbols(&c) &&
           check_dims(&c) && check_scopes(&c) && rebuild(&c);
}

bool program_verify(wf_ctx *cx, const Program *p)
{
    Verifier v = {.cx = cx, .a = &cx->scratch};

    return !failed(cx) && verify(&v, p, 1);
}
