/* scale.c -- constant scales and shifts behind a product go into it: batch norm, at
 * inference, is gone.
 *
 *   requires   nothing; a later round of fold computes the new factors
 *   keeps      values but for their last bits
 *   assumes    that x * (w * s), which is computed now, may stand for (x * w) * s: only
 *              where w, s and t are constants, finite, and of 32 or 64 bits, and nobody
 *              reads what is between. x may be anything, NaN and infinities go their way.
 *
 *   method     conv(x, w) and dot(x, w) whose results, one after the other, are added
 *              to, subtracted from, multiplied and divided by constants that differ from
 *              channel to channel only: z * s + t, with s and t of one element a channel.
 *              s goes into w, t is added behind. A single shift is left alone.
 */
#include "opt/opt.h"

#include <math.h>

#define MAX_CHAIN 16

typedef struct Chain { /* a product and what follows it */
    const Eqn *product;
    uint32_t side;             /* the operand that is w */
    const Eqn *link[MAX_CHAIN];
    uint32_t at[MAX_CHAIN];    /* which operand of the link is the chain's */
    uint32_t n;
    int64_t axis[MAX_RANK];    /* axes of the result that are channels, .. */
    int64_t w_axis[MAX_RANK];  /* and those of w */
    uint32_t naxes;
} Chain;

typedef struct Scaler {
    const Program *p;
    uint32_t *uses; /* of each value; results count twice */
    uint32_t *user; /* equation that reads it last */
    Chain **ends;   /* for each equation: the chain that ends there */
    bool *inside;   /* for each equation: part of a chain, not its end */
} Scaler;

static const Eqn *def(const Program *p, Val v)
{
    return p->vals[v].eqn == EQN_INPUT ? NULL : &p->eqns[p->vals[v].eqn];
}

/* ---- constants by channel ---------------------------------------------------------- */

static bool is_finite_const(const Eqn *e)
{
    const ConstAttr *a = e->attr;
    wf_dtype t = (wf_dtype)a->type.dtype;
    size_t size = wf_dtype_size(t);

    for (size_t i = 0; i < a->data->size; i += size)
        if (!isfinite(element_as_f64(t, (const char *)a->data->data + i)))
            return false;
    return true;
}

static bool has_zero(const Eqn *e)
{
    const ConstAttr *a = e->attr;
    size_t size = wf_dtype_size((wf_dtype)a->type.dtype);

    for (size_t i = 0; i < a->data->size; i += size)
        if (element_as_f64((wf_dtype)a->type.dtype, (const char *)a->data->data + i) == 0)
            return true;
    return false;
}

/* The constant that q spreads: over all axes but those of the chain's channels. */
static const Eqn *channel_const(const Program *p, const Chain *c, Val q)
{
    const Eqn *e = def(p, q), *src = e;

    if (e && e->op == OP_broadcast) {
        const BroadcastAttr *a = e->attr;
        Type t = val_type(p, eqn_in(p, e)[0]);

        src = def(p, eqn_in(p, e)[0]);
        for (uint32_t i = 0; i < t.rank; i++)
            if (t.dims[i] != 1 && !ints_have((Ints){c->naxes, c->axis}, a->dims.v[i]))
                return NULL;
    } else if (e && (e->op != OP_const || !((const ConstAttr *)e->attr)->splat)) {
        return NULL;
    }
    return src && src->op == OP_const && is_finite_const(src) ? src : NULL;
}

/* ---- chains ------------------------------------------------------------------------ */

/* The axes of the result that are free axes of operand `side`. */
static void dot_axes(const Program *p, Chain *c)
{
    const DotAttr *a = c->product->attr;
    uint32_t nx = val_type(p, eqn_in(p, c->product)[0]).rank;
    uint32_t rank = val_type(p, eqn_in(p, c->product)[c->side]).rank;
    Ints sum = c->side ? a->rhs : a->lhs, batch = c->side ? a->rhs_batch : a->lhs_batch;
    uint32_t at = c->side ? nx - a->lhs.n : batch.n;

    for (uint32_t i = 0; i < rank; i++)
        if (!ints_have(sum, i) && !ints_have(batch, i)) {
            c->axis[c->naxes] = at++;
            c->w_axis[c->naxes++] = i;
        }
}

static bool is_weight(const Scaler *s, const Eqn *e, uint32_t side)
{
    Val w = eqn_in(s->p, e)[side];
    const Eqn *d = def(s->p, w);
    Type t = val_type(s->p, w), z = val_type(s->p, e->out);

    return d && d->op == OP_const && !((const ConstAttr *)d->attr)->splat &&
           s->uses[w] == 1 && (z.dtype == WF_F32 || z.dtype == WF_F64) &&
           t.dtype == z.dtype;
}

static bool start_chain(const Scaler *s, const Eqn *e, Chain *c)
{
    const ConvAttr *a = e->attr;

    *c = (Chain){.product = e, .side = 1};
    if (e->op == OP_dot_general) {
        c->side = is_weight(s, e, 1);
        dot_axes(s->p, c);
    } else if (e->op == OP_conv_general) {
        c->axis[0] = a->out_spec.n ? a->out_spec.v[1] : 1;
        c->w_axis[0] = a->rhs_spec.n ? a->rhs_spec.v[0] : 0;
        c->naxes = 1;
    } else {
        return false;
    }
    return is_weight(s, e, c->side);
}

/* Is e one more step of the chain that has come to v? */
static bool add_link(const Scaler *s, Chain *c, Val v, const Eqn *e)
{
    const Val *in = eqn_in(s->p, e);
    const Eqn *q;

    if (c->n == MAX_CHAIN || e->nin != 2 || in[0] == in[1] ||
        (e->op != OP_add && e->op != OP_sub && e->op != OP_mul && e->op != OP_div))
        return false;
    c->at[c->n] = in[1] == v;
    q = channel_const(s->p, c, in[in[0] == v]);
    if (!q || (e->op == OP_div && (in[1] == v || has_zero(q))))
        return false;
    c->link[c->n++] = e;
    return true;
}

static void find_chain(Scaler *s, const Eqn *e, Arena *a)
{
    const Program *p = s->p;
    Chain c;
    Val v = e->out;
    bool scaled = false;

    if (!start_chain(s, e, &c))
        return;
    while (s->uses[v] == 1 && add_link(s, &c, v, &p->eqns[s->user[v]])) {
        const Eqn *last = c.link[c.n - 1];

        scaled = scaled || last->op == OP_mul || last->op == OP_div || c.at[c.n - 1];
        v = last->out;
    }
    if (c.n < 2 && !(c.n && scaled))
        return;
    if (c.n == 1 && c.link[0]->op == OP_sub) /* t - z: no less */
        return;
    s->inside[e - p->eqns] = true;
    for (uint32_t i = 0; i + 1 < c.n; i++)
        s->inside[c.link[i] - p->eqns] = true;
    s->ends[c.link[c.n - 1] - p->eqns] = arena_dup(a, &c, sizeof c);
}

/* ---- the new program --------------------------------------------------------------- */

/* The constant of a link, one element for each channel. */
static Val by_channel(Copier *k, const Chain *c, Val q, const Dim *dims)
{
    const Program *p = k->from;
    Builder *b = k->b;
    const Eqn *e = def(p, q);
    int64_t to[MAX_RANK];
    Dim keep[MAX_RANK];
    uint32_t n = 0;
    Val src;

    if (e->op == OP_const)
        return b_splat_bits(b, b_make_type(b, b_dtype(b, k->val[q]), dims, c->naxes),
                            ((const ConstAttr *)e->attr)->data->data);
    src = k->val[eqn_in(p, e)[0]];
    for (uint32_t i = 0; i < b_rank(b, src); i++) {
        int64_t axis = ((const BroadcastAttr *)e->attr)->dims.v[i];

        for (uint32_t j = 0; j < c->naxes; j++)
            if (b_dim(b, src, i) != 1 && c->axis[j] == axis) {
                keep[n] = b_dim(b, src, i);
                to[n++] = j;
            }
    }
    src = b_eqn1(b, OP_reshape, &src, 1, &(ShapeAttr){{n, keep}});
    return b_eqn1(b, OP_broadcast, &src, 1,
                  &(BroadcastAttr){{c->naxes, dims}, {n, to}});
}

static Val two(Builder *b, OpCode op, Val x, Val y)
{
    return b_eqn1(b, op, (Val[]){x, y}, 2, NULL);
}

/* z * s + t becomes what the link makes of it; VAL_NONE: 1 and 0. */
static void apply_link(Builder *b, unsigned op, bool second, Val q, Val *s, Val *t)
{
    switch (op) {
    case OP_add: *t = *t ? two(b, OP_add, *t, q) : q; break;
    case OP_sub:
        if (second) { /* q - z */
            *s = b_eqn1(b, OP_neg, (Val[]){*s ? *s : b_full_like(b, q, 1)}, 1, NULL);
            *t = *t ? two(b, OP_sub, q, *t) : q;
        } else {
            *t = *t ? two(b, OP_sub, *t, q) : b_eqn1(b, OP_neg, &q, 1, NULL);
        }
        break;
    default:
        *s = *s               ? two(b, (OpCode)op, *s, q)
             : op == OP_mul ? q
                              : two(b, OP_div, b_full_like(b, q, 1), q);
        *t = *t ? two(b, (OpCode)op, *t, q) : VAL_NONE;
    }
}

static void emit_chain(Copier *k, const Chain *c)
{
    const Program *p = k->from;
    Builder *b = k->b;
    const Eqn *last = c->link[c->n - 1];
    Type z = copier_type(k, val_type(p, last->out));
    Val in[2], w = k->val[eqn_in(p, c->product)[c->side]], s = VAL_NONE, t = VAL_NONE, y;
    Type wt = b_type(b, w);
    Dim dims[MAX_RANK];

    for (uint32_t i = 0; i < c->naxes; i++)
        dims[i] = wt.dims[c->w_axis[i]];
    for (uint32_t i = 0; i < c->n; i++) {
        Val q = eqn_in(p, c->link[i])[!c->at[i]];

        apply_link(b, c->link[i]->op, c->at[i], by_channel(k, c, q, dims), &s, &t);
    }
    copier_place(k, c->product);
    if (s) {
        s = b_eqn1(b, OP_broadcast, &s, 1,
                   &(BroadcastAttr){{wt.rank, wt.dims}, {c->naxes, c->w_axis}});
        w = two(b, OP_mul, w, s);
    }
    in[c->side] = w;
    in[!c->side] = k->val[eqn_in(p, c->product)[!c->side]];
    y = b_eqn1(b, (OpCode)c->product->op, in, 2, copier_attr(k, c->product));
    copier_place(k, last);
    if (t) {
        t = b_eqn1(b, OP_broadcast, &t, 1,
                   &(BroadcastAttr){{z.rank, z.dims}, {c->naxes, c->axis}});
        y = two(b, OP_add, y, t);
    }
    k->val[last->out] = y;
}

static const Program *emit(const Opt *o, const Scaler *s)
{
    const Program *p = s->p;
    Builder *b = builder_new(o->cx, p->name, B_OPTIMISE);
    Val *outs = arena_array(&o->cx->scratch, p->nout + 1, sizeof *outs);
    Copier c;

    copier_init(&c, b, p, NULL, NULL);
    copier_inputs(&c);
    for (uint32_t i = 0; i < p->neqns && !b_failed(b); i++)
        if (s->ends[i])
            emit_chain(&c, s->ends[i]);
        else if (!s->inside[i])
            copier_eqn(&c, &p->eqns[i]);
    for (uint32_t j = 0; j < p->nout; j++)
        outs[j] = c.val[p->outs[j]];
    return builder_finish(b, outs, p->nout);
}

const Program *opt_scale(const Opt *o, const Program *p)
{
    Arena *a = &o->cx->scratch;
    Scaler s = {.p = p};
    bool any = false;

    if (!p->nconsts)
        return p;
    s.uses = arena_zalloc(a, (p->nvals + 1) * sizeof *s.uses);
    s.user = arena_zalloc(a, (p->nvals + 1) * sizeof *s.user);
    s.ends = arena_zalloc(a, (p->neqns + 1) * sizeof *s.ends);
    s.inside = arena_zalloc(a, p->neqns + 1);
    for (uint32_t i = 0; i < p->neqns; i++)
        for (uint32_t k = 0; k < p->eqns[i].nin; k++) {
            Val v = eqn_in(p, &p->eqns[i])[k];

            s.uses[v]++;
            s.user[v] = i;
        }
    for (uint32_t j = 0; j < p->nout; j++)
        s.uses[p->outs[j]] += 2;
    for (uint32_t i = 0; i < p->neqns; i++)
        find_chain(&s, &p->eqns[i], a);
    for (uint32_t i = 0; i < p->neqns; i++)
        any = any || s.ends[i];
    return any ? emit(o, &s) : p;
}
