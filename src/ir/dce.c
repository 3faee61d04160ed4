/* dce.c -- drop equations whose results nobody reads.
 *
 *   requires   operands are defined before use
 *   keeps      order, types and places of what stays; effects; definitions of symbols still in use
 *   breaks     nothing
 */
#include "ir/ir.h"

typedef struct Live {
    const LiveView *v;
    bool *val;  /* needed values */
    bool *node; /* needed dim nodes */
    bool *sym;  /* needed symbols */
} Live;

static void need_dim(Live *l, Dim d)
{
    const DimNode *n;

    if (d >= 0 || d == DIM_NONE || l->node[dim_index(l->v->dims, d)])
        return;
    l->node[dim_index(l->v->dims, d)] = true;
    n = dim_node(l->v->dims, d);
    if (n->kind == DIM_SYM) {
        l->sym[n->sym] = true;
    } else if (n->kind == DIM_POLY) {
        for (uint32_t i = 0; i < n->nterms; i++)
            for (uint32_t j = 0; j < n->terms[i].natoms; j++)
                need_dim(l, n->terms[i].atoms[j]);
    } else {
        need_dim(l, n->a);
        need_dim(l, n->b);
    }
}

static void need_attr_dim(void *user, Dim d, bool defines)
{
    if (!defines)
        need_dim(user, d);
}

static void need_value(Live *l, Val v)
{
    Type t = l->v->types[l->v->vals[v].type];

    l->val[v] = true;
    for (uint32_t i = 0; i < t.rank; i++)
        need_dim(l, t.dims[i]);
}

typedef struct DefinesUse {
    Live *l;
    bool used;
} DefinesUse;

static void check_defined(void *user, Dim d, bool defines)
{
    DefinesUse *u = user;

    if (defines && d != DIM_NONE && u->l->sym[dim_node(u->l->v->dims, d)->sym])
        u->used = true;
}

static bool is_needed(Live *l, const Eqn *e)
{
    DefinesUse use = {l, false};

    for (uint32_t i = 0; i < e->nout; i++)
        if (l->val[e->out + i])
            return true;
    if (op_has(e->op, OPF_DEFINES))
        attr_each_dim(op_row(e->op), e->attr, check_defined, &use);
    return use.used;
}

uint32_t live_equations(Arena *scratch, const LiveView *v, bool *keep)
{
    Live l = {.v = v};
    uint32_t kept = 0;

    l.val = arena_zalloc(scratch, v->nvals + 1);
    l.node = arena_zalloc(scratch, v->dims->nodes.n + 1);
    l.sym = arena_zalloc(scratch, v->dims->syms.n + 1);
    for (uint32_t i = 0; i < v->nouts; i++)
        need_value(&l, v->outs[i]);
    for (uint32_t i = v->neqns; i-- > 0;) {
        const Eqn *e = &v->eqns[i];
        keep[i] = attr_has_effects(e->op, e->attr) || is_needed(&l, e);
        if (!keep[i])
            continue;
        kept++;
        for (uint32_t j = 0; j < e->nin; j++)
            need_value(&l, v->args[e->args + j]);
        for (uint32_t j = 0; j < e->nout && v->dims->nodes.n; j++) {
            Type t = v->types[v->vals[e->out + j].type];
            for (uint32_t k = 0; k < t.rank; k++)
                need_dim(&l, t.dims[k]);
        }
        if (v->dims->nodes.n)
            attr_each_dim(op_row(e->op), e->attr, need_attr_dim, &l);
    }
    return kept;
}

const Program *program_dce(wf_ctx *cx, const Program *p)
{
    LiveView v = {p->eqns, p->neqns, p->args, p->vals, p->nvals, p->types, &p->dims, p->outs, p->nout};
    bool *keep = arena_alloc(&cx->scratch, p->neqns + 1);
    Builder *b = builder_new(cx, p->name, B_VERBATIM);
    Copier c;

    live_equations(&cx->scratch, &v, keep);
    copier_init(&c, b, p, NULL, NULL);
    copier_inputs(&c);
    for (uint32_t i = 0; i < p->neqns; i++)
        if (keep[i])
            copier_eqn(&c, &p->eqns[i]);
    Val *outs = arena_array(&cx->scratch, p->nout, sizeof *outs);
    for (uint32_t i = 0; i < p->nout; i++)
        outs[i] = c.val[p->outs[i]];
    return builder_finish(b, outs, p->nout);
}
