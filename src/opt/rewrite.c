/* rewrite.c -- a program copied equation by equation, with rules applied on the way.
 *
 *   method   Sub-programs first, each once however often it is used. An equation is made
 *            in the new program, then the rule is asked whether its result is better said
 *            in another way; what the rule makes goes through the rule too, so a result is
 *            in its final form when the next equation reads it. Equations left behind are
 *            dropped at the end.
 *   keeps    places, names, effects and their order
 */
#include "opt/opt.h"

#define MAX_RULES_DEEP 24 /* rules within rules; beyond it results are left as they are */
#define MAX_RULES_LONG 64 /* rules applied to one result, one after the other */

/* ---- pointers to pointers ---------------------------------------------------------- */

static uint32_t find_slot(const PtrMap *m, const void *key)
{
    uint32_t i = (uint32_t)(hash_mix(1, (uintptr_t)key) >> 24) & (m->cap - 1);

    while (m->slots[2 * i] && m->slots[2 * i] != key)
        i = (i + 1) & (m->cap - 1);
    return i;
}

const void *ptrmap_get(const PtrMap *m, const void *key)
{
    return m->cap ? m->slots[2 * find_slot(m, key) + 1] : NULL;
}

void ptrmap_put(PtrMap *m, const void *key, const void *value)
{
    uint32_t i;

    if (2 * (m->n + 1) > m->cap) {
        PtrMap old = *m;

        m->cap = old.cap ? 2 * old.cap : 16;
        m->slots = arena_zalloc(m->a, 2 * (size_t)m->cap * sizeof *m->slots);
        for (uint32_t k = 0; k < old.cap; k++)
            if (old.slots[2 * k]) {
                i = find_slot(m, old.slots[2 * k]);
                m->slots[2 * i] = old.slots[2 * k];
                m->slots[2 * i + 1] = old.slots[2 * k + 1];
            }
    }
    i = find_slot(m, key);
    m->n += m->slots[2 * i] == NULL;
    m->slots[2 * i] = key;
    m->slots[2 * i + 1] = value;
}

/* ---- values ------------------------------------------------------------------------ */

static Val settle(Rewriter *r, Val v)
{
    Builder *b = r->b;

    if (!r->rule || r->depth >= MAX_RULES_DEEP)
        return v;
    r->depth++;
    for (int k = 0; k < MAX_RULES_LONG && v != VAL_NONE && !b_failed(b); k++) {
        uint32_t i = b->vals.v[v].eqn;
        Val w = i == EQN_INPUT ? VAL_NONE : r->rule(r, v, b->eqns.v[i]);

        if (w == VAL_NONE || w == v)
            break;
        if (!type_eq(b_type(b, w), b_type(b, v))) {
            fail(r->o->cx, WF_ERR_INTERNAL, b->places.v[b->place],
                 "%s: a rewrite rule gives %s, needs %s", op_name(b->eqns.v[i].op),
                 type_str(&b->dims, b_type(b, w), &b->arena),
                 type_str(&b->dims, b_type(b, v), &b->arena));
            break;
        }
        v = w;
    }
    r->depth--;
    return v;
}

Val rw_eqn(Rewriter *r, OpCode op, const Val *in, uint32_t nin, const void *attr)
{
    return settle(r, b_eqn1(r->b, op, in, nin, attr));
}

Val rw_broadcast(Rewriter *r, Val x, Ints shape, const int64_t *dims)
{
    BroadcastAttr a = {shape, {b_rank(r->b, x), dims}};

    return rw_eqn(r, OP_broadcast, &x, 1, &a);
}

Val rw_reshape(Rewriter *r, Val x, const Dim *dims, uint32_t rank)
{
    return rw_eqn(r, OP_reshape, &x, 1, &(ShapeAttr){{rank, dims}});
}

Val rw_transpose(Rewriter *r, Val x, const int64_t *perm)
{
    return rw_eqn(r, OP_transpose, &x, 1, &(TransposeAttr){{b_rank(r->b, x), perm}});
}

/* ---- equations --------------------------------------------------------------------- */

static bool replace_sub(Builder *b, Sub *s, ReplaceProgram *fn, void *user)
{
    const Program *q;

    if (!s->p)
        return true;
    if (!(q = fn(user, s->p)))
        return false;
    if (q != s->p)
        *s = sub_like(b, s, q);
    return true;
}

bool replace_subs(Builder *b, const OpRow *row, void *attr, ReplaceProgram *fn,
                  void *user)
{
    for (const AttrField *f = row->attrs; f && f->name; f++) {
        void *at = (char *)attr + f->offset;

        if (f->kind == A_SUB && !replace_sub(b, at, fn, user))
            return false;
        if (f->kind != A_SUBS)
            continue;
        Subs *subs = at;
        Sub *v = arena_dup(&b->arena, subs->v, subs->n * sizeof *v);
        for (uint32_t i = 0; i < subs->n; i++)
            if (!replace_sub(b, &v[i], fn, user))
                return false;
        subs->v = v;
    }
    return true;
}

static const Program *rewrite_one(void *r, const Program *p) { return rewrite_apply(r, p); }

static bool apply_before(Rewriter *r, const Eqn *e, const Val *in, const void *attr,
                         Place place, Val *out)
{
    Type *types = arena_array(&r->b->arena, e->nin + 1u, sizeof *types);
    EqnView view = {.op = e->op,
                    .nout = e->nout,
                    .nin = e->nin,
                    .row = op_row(e->op),
                    .in = in,
                    .in_type = types,
                    .attr = attr,
                    .place = place};

    for (uint32_t i = 0; i < e->nin; i++)
        types[i] = b_type(r->b, in[i]);
    return r->before(r, &view, out);
}

static void keep_names(Copier *c, const Eqn *e)
{
    for (uint32_t i = 0; i < e->nout; i++) {
        uint32_t name = c->from->vals[e->out + i].name;
        Val v = c->val[e->out + i];

        if (name && v && !c->b->vals.v[v].name)
            b_name(c->b, v, c->from->names[name]);
    }
}

static bool rewrite_eqn(Rewriter *r, Copier *c, const Eqn *e)
{
    Builder *b = c->b;
    Val few[8], *in = e->nin <= 8 ? few : arena_array(&b->arena, e->nin, sizeof *in);
    Val *out = c->val + e->out;
    const Val *args = eqn_in(c->from, e);
    bool control = op_has(e->op, OPF_CONTROL);
    Place place = copier_place(c, e);
    void *attr;

    for (uint32_t i = 0; i < e->nin; i++)
        in[i] = c->val[args[i]];
    attr = copier_attr(c, e);
    if (control && !replace_subs(b, op_row(e->op), attr, rewrite_one, r))
        return false;
    r->b = b;
    r->from = c->from;
    r->at = e;
    r->c = c;
    if (!(r->before && apply_before(r, e, in, attr, place, out))) {
        b_eqn(b, (OpCode)e->op, in, e->nin, attr, out, e->nout);
        if (e->nout == 1)
            out[0] = settle(r, out[0]);
    }
    if (b_failed(b))
        return false;
    keep_names(c, e);
    return true;
}

const Program *same_or(const Program *p, const Program *q)
{
    return q && hash_eq(p->hash, q->hash) && program_equal(p, q) ? p : q;
}

const Program *rewrite_apply(Rewriter *r, const Program *p)
{
    wf_ctx *cx = r->o->cx;
    const Program *q = ptrmap_get(&r->done, p);
    Builder *b;
    Copier c;
    Val *outs;

    if (q)
        return q;
    b = builder_new(cx, p->name, B_OPTIMISE);
    copier_init(&c, b, p, NULL, NULL);
    copier_inputs(&c);
    for (uint32_t i = 0; i < p->neqns; i++)
        if (!rewrite_eqn(r, &c, &p->eqns[i]))
            return NULL;
    outs = arena_array(&b->arena, p->nout + 1u, sizeof *outs);
    for (uint32_t i = 0; i < p->nout; i++)
        outs[i] = c.val[p->outs[i]];
    q = same_or(p, builder_finish(b, outs, p->nout));
    if (q) {
        ptrmap_put(&r->done, p, q);
        ptrmap_put(&r->origin, q, p);
    }
    return q;
}

const Program *rewrite_with(const Opt *o, const Program *p, RewriteRule *rule,
                            BeforeRule *before)
{
    Arena *a = &o->cx->scratch;
    Rewriter r = {.o = o, .rule = rule, .before = before, .done.a = a, .origin.a = a};

    return rewrite_apply(&r, p);
}
