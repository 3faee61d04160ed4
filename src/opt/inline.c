/* inline.c -- calls become straight-line code.
 *
 *   requires   nothing
 *   keeps      values bit for bit
 *   breaks     derivatives: custom rules, checkpoints, stop_gradient and names are gone
 *
 * A call is replaced by its body when that is small or used nowhere else; so are
 * custom_jvp, custom_vjp (their primal) and checkpoint, which become calls otherwise. A
 * cond whose index is known is its branch; a scan of no turn its first carries, of one
 * turn its body; a while whose condition is false at once its first carries.
 */
#include "opt/opt.h"

#define SMALL 48 /* equations of a body that is copied to every place of use */

/* ---- how often is a program used? -------------------------------------------------- */

typedef struct InlineUses {
    PtrMap count; /* program -> pointer to its count */
    wf_ctx *cx;
} InlineUses;

static void count_program(InlineUses *u, const Program *p);

static void count_sub(void *user, const Sub *s)
{
    InlineUses *u = user;
    uint32_t *n = (uint32_t *)(uintptr_t)ptrmap_get(&u->count, s->p);

    if (!n) {
        n = arena_zalloc(&u->cx->scratch, sizeof *n);
        ptrmap_put(&u->count, s->p, n);
        count_program(u, s->p);
    }
    ++*n;
}

static void count_program(InlineUses *u, const Program *p)
{
    for (uint32_t i = 0; i < p->neqns; i++)
        if (op_has(p->eqns[i].op, OPF_CONTROL))
            attr_each_sub(op_row(p->eqns[i].op), p->eqns[i].attr, count_sub, u);
}

/* q: a program as it is after rewriting */
static bool is_worth(Rewriter *r, const Program *q)
{
    const Program *p = ptrmap_get(&r->origin, q);
    const uint32_t *n = ptrmap_get(&((InlineUses *)r->user)->count, p ? p : q);

    return q->neqns <= SMALL || !n || *n == 1;
}

/* ---- the rules --------------------------------------------------------------------- */

/* out.. = s(in..), in place or as a call */
static bool put_body(Rewriter *r, const Sub *s, const Val *in, uint32_t nin, Val *out,
                     uint32_t nout)
{
    if (is_worth(r, s->p))
        return b_inline_sub(r->b, s, in, out, NULL);
    return b_eqn(r->b, OP_call, in, nin, &(CallAttr){*s, KIND_PLAIN}, out, nout) == nout;
}

/* The first carries, and no rows. */
static bool no_turn(Rewriter *r, const Sub *body, const Val *carry, uint32_t ncarry,
                    Dim length, Val *out)
{
    Builder *b = r->b;

    for (uint32_t j = 0; j < body->p->nout; j++) {
        Type t = op_sub_type(b, body, val_type(body->p, body->p->outs[j]));
        out[j] = j < ncarry ? carry[j] : b_zeros(b, stack_type(b, t, length));
    }
    return true;
}

static bool inline_scan(Rewriter *r, const EqnView *e, Val *out)
{
    const ScanAttr *a = e->attr;
    Builder *b = r->b;
    uint32_t first = (uint32_t)(a->nconst + a->ncarry);
    Val *in;

    if (a->length == 0)
        return no_turn(r, &a->body, e->in + a->nconst, (uint32_t)a->ncarry, 0, out);
    if (a->length != 1)
        return false;
    in = arena_array(&b->arena, e->nin + 1u, sizeof *in);
    for (uint32_t i = 0; i < e->nin; i++)
        in[i] = i < first ? e->in[i] : b_squeeze(b, e->in[i], 0);
    if (!put_body(r, &a->body, in, e->nin, out, e->nout))
        return false;
    for (uint32_t j = (uint32_t)a->ncarry; j < e->nout; j++)
        out[j] = b_expand(b, out[j], 0);
    return true;
}

/* A condition that is false whatever the carries are, or a bound of 0. */
static bool inline_while(Rewriter *r, const EqnView *e, Val *out)
{
    const WhileAttr *a = e->attr;
    const Program *c = a->cond.p;
    const Eqn *made =
        c->vals[c->outs[0]].eqn == EQN_INPUT ? NULL : &c->eqns[c->vals[c->outs[0]].eqn];
    uint32_t first = (uint32_t)(a->ncond + a->nbody);
    bool never = made && made->op == OP_const && !c->effects &&
                 !*(const uint8_t *)((const ConstAttr *)made->attr)->data->data;

    if (a->trips != DIM_NONE || !(never || (a->bound == 0 && !c->effects)))
        return false;
    return no_turn(r, &a->body, e->in + first, e->nin - first, a->bound, out);
}

static bool inline_cond(Rewriter *r, const EqnView *e, Val *out)
{
    const CondAttr *a = e->attr;
    const void *element;
    int64_t i, last = (int64_t)a->branches.n - 1;

    if (!b_splat(r->b, e->in[0], &element))
        return false;
    /* clamped; as u64 may be too large for an i64, compare as a double first */
    double x = element_as_f64((wf_dtype)e->in_type[0].dtype, element);
    i = x <= 0 ? 0 : x >= (double)last ? last : (int64_t)x;
    return put_body(r, &a->branches.v[i], e->in + 1, e->nin - 1, out, e->nout);
}

static bool inline_eqn(Rewriter *r, const EqnView *e, Val *out)
{
    const Sub *s = op_body(e->op, e->attr);

    switch (e->op) {
    case OP_call: return is_worth(r, s->p) && put_body(r, s, e->in, e->nin, out, e->nout);
    case OP_checkpoint:
    case OP_custom_jvp:
    case OP_custom_vjp: return put_body(r, s, e->in, e->nin, out, e->nout);
    case OP_cond: return inline_cond(r, e, out);
    case OP_scan: return inline_scan(r, e, out);
    case OP_while: return inline_while(r, e, out);
    case OP_stop_gradient:
    case OP_pvary:
    case OP_shard:
    case OP_name: out[0] = e->in[0]; return true;
    default: return false;
    }
}

const Program *opt_inline(const Opt *o, const Program *p)
{
    Arena *a = &o->cx->scratch;
    InlineUses uses = {.count.a = a, .cx = o->cx};
    Rewriter r = {
        .o = o, .before = inline_eqn, .user = &uses, .done.a = a, .origin.a = a};

    count_program(&uses, p);
    return rewrite_apply(&r, p);
}
