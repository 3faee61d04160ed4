/* common.c -- small things the transforms share: names, checks of arguments, symbols. */
#include "transform/transform.h"

const char *xf_name(wf_ctx *cx, const char *base, const char *suffix)
{
    return arena_printf(&cx->scratch, "%s_%s", base ? base : "f", suffix);
}

const char *xf_val_name(wf_ctx *cx, const Program *p, const char *prefix, Val v)
{
    const char *name = p->names[p->vals[v].name];

    if (!p->vals[v].name)
        return NULL;
    return arena_printf(&cx->scratch, "%s_%s", prefix, name);
}

/* 'x' or its number, for a message */
static const char *input_text(wf_ctx *cx, const Program *p, int i)
{
    ValInfo v = p->vals[program_in(p, (uint32_t)i)];

    if (!v.name)
        return arena_printf(&cx->scratch, "%d", i);
    return arena_printf(&cx->scratch, "'%s'", p->names[v.name]);
}

bool *xf_wrt(wf_ctx *cx, const Program *p, const int *wrt, int nwrt, const char *what)
{
    bool *is = arena_zalloc(&cx->scratch, p->nin + 1);

    if (nwrt < 1) {
        fail(cx, WF_ERR_ARG, NOWHERE,
             "%s: no input to differentiate by, needs at least one", what);
        return NULL;
    }
    for (int k = 0; k < nwrt; k++) {
        int i = wrt[k];
        Type t;

        if (i < 0 || (uint32_t)i >= p->nin) {
            fail(cx, WF_ERR_INDEX, NOWHERE, "%s: input %d, but '%s' has %u inputs", what,
                 i, p->name ? p->name : "f", p->nin);
            return NULL;
        }
        t = val_type(p, program_in(p, (uint32_t)i));
        if (is[i]) {
            fail(cx, WF_ERR_ARG, NOWHERE, "%s: input %s is given twice", what,
                 input_text(cx, p, i));
            return NULL;
        }
        if (!dtype_is_differentiable((wf_dtype)t.dtype)) {
            fail(cx, WF_ERR_TYPE, NOWHERE, "%s: input %s is %s; derivatives need a float",
                 what, input_text(cx, p, i), type_str(&p->dims, t, &cx->scratch));
            return NULL;
        }
        is[i] = true;
    }
    return is;
}

bool xf_bad_rule(Builder *b, unsigned op, const char *rule, Place place, Type got,
                 Type want)
{
    if (b_failed(b))
        return false;
    return fail(b->cx, WF_ERR_INTERNAL, place, "%s: its %s rule gives %s, needs %s",
                op_name(op), rule, type_str(&b->dims, got, &b->cx->scratch),
                type_str(&b->dims, want, &b->cx->scratch));
}

const Dim *xf_binds(Builder *b, const Program *p, const char *fresh_name, Dim fresh)
{
    uint32_t n = p->dims.syms.n;
    Dim *binds = arena_array(&b->arena, n + 1, sizeof *binds);

    for (uint32_t i = 0; i < n; i++) {
        const Symbol *s = &p->dims.syms.v[i];

        if (s->origin == SYM_EQN)
            binds[i] = DIM_NONE;
        else if (fresh_name && !strcmp(s->name, fresh_name))
            binds[i] = fresh;
        else
            binds[i] = dim_find(&b->dims, s->name);
    }
    return binds;
}

/* ---- symbols that equations define ------------------------------------------------- */

void marks_init(SymbolMarks *m, const Program *p, Arena *a)
{
    *m = (SymbolMarks){.p = p};
    m->sym = arena_zalloc(a, p->dims.syms.n + 1u);
    m->node = arena_zalloc(a, p->dims.nodes.n + 1u);
}

static bool is_marked(const SymbolMarks *m, Dim d)
{
    return d < 0 && d != DIM_NONE && m->node[-d - 1];
}

static bool mentions_marked(const SymbolMarks *m, const DimNode *n)
{
    if (n->kind == DIM_SYM)
        return m->sym[n->sym];
    if (n->kind != DIM_POLY)
        return is_marked(m, n->a) || is_marked(m, n->b);
    for (uint32_t i = 0; i < n->nterms; i++)
        for (uint32_t k = 0; k < n->terms[i].natoms; k++)
            if (is_marked(m, n->terms[i].atoms[k]))
                return true;
    return false;
}

static void mark_defined(void *user, Dim d, bool defines)
{
    SymbolMarks *m = user;

    if (defines && d != DIM_NONE)
        m->any = m->sym[dim_node(&m->p->dims, d)->sym] = true;
}

void marks_add(SymbolMarks *m, const Eqn *e)
{
    if (!op_has(e->op, OPF_DEFINES))
        return;
    attr_each_dim(op_row(e->op), e->attr, mark_defined, m);
    for (uint32_t i = 0; i < m->p->dims.nodes.n; i++) /* children come before parents */
        m->node[i] = mentions_marked(m, &m->p->dims.nodes.v[i]);
}

typedef struct Touch {
    const SymbolMarks *m;
    bool any;
} Touch;

static void touch_dim(void *user, Dim d, bool defines)
{
    Touch *t = user;

    t->any |= !defines && is_marked(t->m, d);
}

bool marks_touch(const SymbolMarks *m, const Eqn *e)
{
    Touch t = {m, false};

    if (!m->any)
        return false;
    attr_each_dim(op_row(e->op), e->attr, touch_dim, &t);
    for (uint32_t j = 0; j < e->nout; j++) {
        Type type = val_type(m->p, e->out + j);

        for (uint32_t k = 0; k < type.rank; k++)
            touch_dim(&t, type.dims[k], false);
    }
    return t.any;
}

/* ---- programs ---------------------------------------------------------------------- */

const Program *xf_select(wf_ctx *cx, const Program *p, const uint32_t *outs, uint32_t n)
{
    Builder *b = builder_new(cx, p->name, B_OPTIMISE);
    Val *vals = arena_array(&b->arena, n + 1u, sizeof *vals);
    Copier c;

    copier_init(&c, b, p, NULL, NULL);
    copier_inputs(&c);
    for (uint32_t i = 0; i < p->neqns && !b_failed(b); i++)
        copier_eqn(&c, &p->eqns[i]);
    if (b_failed(b))
        return NULL;
    for (uint32_t j = 0; j < n; j++)
        vals[j] = c.val[p->outs[outs[j]]];
    return builder_finish(b, vals, n);
}

/* ---- xf_close ---------------------------------------------------------------------- */

static bool is_free(const Symbol *s) { return s->origin == SYM_PARAM; }

/* p with carriers bool[N,0] for the free symbols of second as further results */
static const Program *add_carriers_out(wf_ctx *cx, const Program *p,
                                       const Program *second)
{
    Builder *b = builder_new(cx, p->name, B_OPTIMISE);
    uint32_t n = p->nout;
    Val *outs = arena_array(&b->arena, (size_t)n + second->dims.syms.n + 1, sizeof *outs);
    Copier c;

    copier_init(&c, b, p, NULL, NULL);
    copier_inputs(&c);
    for (uint32_t i = 0; i < p->neqns && !b_failed(b); i++)
        copier_eqn(&c, &p->eqns[i]);
    for (uint32_t j = 0; j < p->nout; j++)
        outs[j] = c.val[p->outs[j]];
    for (uint32_t i = 0; i < second->dims.syms.n && !b_failed(b); i++) {
        const Symbol *s = &second->dims.syms.v[i];
        Dim d;

        if (!is_free(s))
            continue;
        if ((d = dim_find(&b->dims, s->name)) == DIM_NONE) {
            fail(cx, WF_ERR_INTERNAL, NOWHERE, "the size %s is not known to '%s'",
                 s->name, p->name);
            return NULL;
        }
        outs[n++] = b_zeros(b, b_make_type(b, WF_BOOL, (Dim[]){d, 0}, 2));
    }
    return builder_finish(b, outs, n);
}

static const Program *add_carriers_in(wf_ctx *cx, const Program *p, uint32_t nres)
{
    Builder *b = builder_new(cx, p->name, B_OPTIMISE);
    Val *outs = arena_array(&b->arena, p->nout + 1u, sizeof *outs);
    Copier c;

    copier_init(&c, b, p, NULL, NULL);
    for (uint32_t i = 0; i <= p->nin && !b_failed(b); i++) {
        Val v = program_in(p, i);

        for (uint32_t k = 0; i == nres && k < p->dims.syms.n; k++)
            if (is_free(&p->dims.syms.v[k]))
                b_input(b, NULL,
                        b_make_type(b, WF_BOOL,
                                    (Dim[]){copier_dim(&c, p->dims.syms.v[k].dim), 0},
                                    2));
        if (i < p->nin)
            c.val[v] =
                b_input(b, p->names[p->vals[v].name], copier_type(&c, val_type(p, v)));
    }
    for (uint32_t i = 0; i < p->neqns && !b_failed(b); i++)
        copier_eqn(&c, &p->eqns[i]);
    for (uint32_t j = 0; j < p->nout && !b_failed(b); j++)
        outs[j] = c.val[p->outs[j]];
    return builder_finish(b, outs, p->nout);
}

bool xf_close(wf_ctx *cx, const Program *first, const Program *second, uint32_t nres,
              const Program **out_first, const Program **out_second)
{
    bool any = false;

    for (uint32_t i = 0; i < second->dims.syms.n; i++)
        any |= is_free(&second->dims.syms.v[i]);
    *out_first = any ? add_carriers_out(cx, first, second) : first;
    *out_second = any ? add_carriers_in(cx, second, nres) : second;
    return *out_first && *out_second;
}
