/* recognise_attention.c -- softmax(ops(Q K^T)) V, and its gradient, in a program.
 *
 *   method   From the division that makes the weights downwards through scale, masks and
 *            bias to the product of Q and K, upwards to the product with V. Products may
 *            have their operands in any order and their axes in any places: every axis
 *            gets a label, the axis of the scores that it is, and labels must agree.
 *            Of the gradient, all that is between dO and dQ, dK, dV is found from the one
 *            product that makes dS of the exponentials. Operands may be half floats and the
 *            softmax wider: casts between them are part of it.
 *   requires the forms that the other passes leave: transposes in products, broadcasts
 *            without stretching, constants splat
 */
#include "opt/recognise.h"

#define WEIGHTS "div(e=exp(sub(x, along(m))), along(l))"
#define SHIFT   "[select(is_finite(r=reduce_max(x)), r, 0)|reduce_max(x)]"
#define SUM     "reduce_sum(e)"
/* dS / dScores of the softmax; d is dO V^T */
#define SCORES_GRAD                                                                      \
    "mul(add(div(d, along(l)), along(reduce_sum(mul(d, neg(div(p, along(l))))))), e)"

static uint32_t number_of(const Program *p, const Eqn *e)
{
    return (uint32_t)(e - p->eqns);
}

/* ---- casts ------------------------------------------------------------------------- */

static bool is_half(Type t) { return t.dtype == WF_F16 || t.dtype == WF_BF16; }

/* Of half floats to f32, or back. */
static bool widens(const Program *p, const Eqn *e)
{
    return e && e->op == OP_cast && is_half(val_type(p, eqn_in(p, e)[0])) &&
           val_type(p, e->out).dtype == WF_F32;
}

static bool narrows(const Program *p, const Eqn *e)
{
    return e && e->op == OP_cast && is_half(val_type(p, e->out)) &&
           val_type(p, eqn_in(p, e)[0]).dtype == WF_F32;
}

/* ---- labels ------------------------------------------------------------------------ */

static void labels_none(Labelled *x, Val v)
{
    x->v = v;
    memset(x->label, LABEL_NONE, sizeof x->label);
}

static void labels_in_order(Labelled *x, Val v, uint32_t rank)
{
    labels_none(x, v);
    for (uint32_t i = 0; i < rank; i++)
        x->label[i] = (int8_t)i;
}

static bool labels_equal(const Labelled *a, const Labelled *b)
{
    return a->v == b->v && !memcmp(a->label, b->label, sizeof a->label);
}

static int axis_labelled(const Labelled *x, int label)
{
    for (int i = 0; i < MAX_RANK; i++)
        if (x->label[i] == label)
            return i;
    return -1;
}

typedef struct Dot { /* a product with the labels of its operands and its result */
    const Eqn *e;
    Labelled in[2], out;
} Dot;

static bool is_product(const Program *p, const Eqn *e)
{
    const DotAttr *a;

    if (!e || e->op != OP_dot_general)
        return false;
    a = e->attr;
    return a->lhs.n == 1 && (wf_dtype)a->acc == val_type(p, eqn_in(p, e)[0]).dtype &&
           val_type(p, eqn_in(p, e)[0]).dtype == val_type(p, eqn_in(p, e)[1]).dtype;
}

/* Operands' labels from those of the result and of what is summed over. */
static void label_operands(const Program *p, Dot *d, int summed)
{
    const DotAttr *a = d->e->attr;
    Ints batch[2] = {a->lhs_batch, a->rhs_batch}, sum[2] = {a->lhs, a->rhs};
    uint32_t at = a->lhs_batch.n;

    for (int s = 0; s < 2; s++) {
        Val v = eqn_in(p, d->e)[s];

        labels_none(&d->in[s], v);
        for (uint32_t i = 0; i < batch[s].n; i++)
            d->in[s].label[batch[s].v[i]] = d->out.label[i];
        d->in[s].label[sum[s].v[0]] = (int8_t)summed;
        for (uint32_t i = 0; i < val_type(p, v).rank; i++)
            if (!ints_have(batch[s], i) && !ints_have(sum[s], i))
                d->in[s].label[i] = d->out.label[at++];
    }
}

/* The other operand's and the result's labels from those of operand `known`; axes that
 * it does not have get `free`, at most one. */
static bool label_result(const Program *p, Dot *d, int known, int free)
{
    const DotAttr *a = d->e->attr;
    Ints batch[2] = {a->lhs_batch, a->rhs_batch}, sum[2] = {a->lhs, a->rhs};
    Labelled *x = &d->in[known], *y = &d->in[!known];
    uint32_t at = batch[0].n, nfree = 0;

    labels_none(y, eqn_in(p, d->e)[!known]);
    labels_none(&d->out, d->e->out);
    for (uint32_t i = 0; i < batch[0].n; i++)
        d->out.label[i] = y->label[batch[!known].v[i]] = x->label[batch[known].v[i]];
    y->label[sum[!known].v[0]] = x->label[sum[known].v[0]];
    for (int s = 0; s < 2; s++)
        for (uint32_t i = 0; i < val_type(p, d->in[s].v).rank; i++) {
            if (ints_have(batch[s], i) || ints_have(sum[s], i))
                continue;
            if (s != known) {
                y->label[i] = (int8_t)free;
                nfree++;
            }
            d->out.label[at++] = d->in[s].label[i];
        }
    return nfree == 1;
}

/* ---- results: scaled, then transposed ---------------------------------------------- */

static bool follow_result(const Uses *u, Match *m, const Labelled *from, bool scaled,
                          ScaledResult *out)
{
    const Program *p = u->p;
    const Eqn *e;
    double by;

    *out = (ScaledResult){*from, 1};
    e = uses_only(u, out->at.v);
    if (scaled && e && e->op == OP_mul && eqn_in(p, e)[0] != eqn_in(p, e)[1]) {
        Val other = eqn_in(p, e)[eqn_in(p, e)[0] == out->at.v];

        if (match_number(p, other, &by) && match_take(m, number_of(p, e)) &&
            match_take(m, p->vals[other].eqn)) {
            out->times = by;
            out->at.v = e->out;
            e = uses_only(u, out->at.v);
        }
    }
    if (e && e->op == OP_transpose && match_take(m, number_of(p, e))) {
        Ints perm = ((const TransposeAttr *)e->attr)->perm;

        out->at.v = e->out;
        for (uint32_t i = 0; i < perm.n; i++)
            out->at.label[i] = from->label[perm.v[i]];
    }
    return true;
}

/* ---- scores ------------------------------------------------------------------------ */

/* The value a mask is a broadcast of, and its axes as those of the scores. */
static bool read_mask(Match *m, ScoreOp *o, Val v)
{
    const Program *p = m->p;
    const Eqn *e = match_made(p, v, OP_broadcast);
    uint32_t rank = val_type(p, v).rank;

    o->whole = v;
    if (!e) {
        labels_in_order(&o->mask, v, rank);
        return true;
    }
    const BroadcastAttr *a = e->attr;
    Type from = val_type(p, eqn_in(p, e)[0]);

    labels_none(&o->mask, eqn_in(p, e)[0]);
    for (uint32_t i = 0; i < from.rank; i++)
        if (from.dims[i] == a->shape.v[a->dims.v[i]])
            o->mask.label[i] = (int8_t)a->dims.v[i];
    return match_take(m, number_of(p, e));
}

/* select(mask, s, low), either way round. The mask is a triangle, or any. */
static bool read_select(Attention *t, const Eqn *e, int chosen)
{
    Match *m = &t->fore;
    const Program *p = m->p;
    ScoreOp *o = &t->op[t->nops];
    Val mask = eqn_in(p, e)[0];
    Triangle tri;

    o->keep_if = chosen == 1;
    if (!match_number(p, eqn_in(p, e)[3 - chosen], &o->value) ||
        !match_take(m, p->vals[eqn_in(p, e)[3 - chosen]].eqn))
        return false;
    if (match_triangle(p, mask, &tri) && tri.row == t->query && tri.col == t->key &&
        tri.inverse != o->keep_if) {
        o->kind = SCORE_CAUSAL;
        o->offset = tri.offset;
        o->whole = mask;
        return true;
    }
    o->kind = SCORE_KEEP;
    return read_mask(m, o, mask);
}

/* One op of the scores, and on towards the product through operand `way`. */
static bool read_op(Attention *t, const Eqn *e, int way, Val *next)
{
    Match *m = &t->fore;
    const Program *p = m->p;
    const Val *in = eqn_in(p, e);
    ScoreOp *o = &t->op[t->nops];

    *o = (ScoreOp){0};
    if (way >= (int)e->nin || t->nops == ATTENTION_OPS)
        return false;
    *next = in[way];
    switch (e->op) {
    case OP_mul:
    case OP_div:
        if ((e->op == OP_div && way) || !match_number(p, in[!way], &o->value) ||
            !match_take(m, p->vals[in[!way]].eqn))
            return false;
        o->kind = SCORE_SCALE;
        o->value = e->op == OP_div ? 1 / o->value : o->value;
        return true;
    case OP_add: o->kind = SCORE_ADD; return read_mask(m, o, in[!way]);
    case OP_cast: o->kind = SCORE_CAST; return !way && widens(p, e);
    case OP_select: return way && read_select(t, e, way);
    default: return false;
    }
}

static bool read_scores(Attention *t, Val v, int depth)
{
    const Program *p = t->fore.p;
    const Eqn *e = p->vals[v].eqn == EQN_INPUT ? NULL : &p->eqns[p->vals[v].eqn];
    Dot d = {.e = e};

    if (!e || depth > ATTENTION_OPS || !match_take(&t->fore, number_of(p, e)))
        return false;
    if (is_product(p, e)) {
        labels_in_order(&d.out, v, t->rank);
        label_operands(p, &d, LABEL_DEPTH);
        bool swapped = axis_labelled(&d.in[0], (int)t->key) >= 0;

        t->q = d.in[swapped];
        t->k = d.in[!swapped];
        return axis_labelled(&t->k, (int)t->key) >= 0 &&
               axis_labelled(&t->q, (int)t->key) < 0;
    }
    for (int way = 0; way < 3; way++) {
        Match before = t->fore;
        uint32_t nops = t->nops;
        Val next;

        if (read_op(t, e, way, &next)) {
            ScoreOp o = t->op[nops];

            if (read_scores(t, next, depth + 1)) {
                t->op[t->nops++] = o; /* those nearer to the product stand before it */
                return true;
            }
        }
        t->fore = before;
        t->nops = nops;
    }
    return false;
}

#define QUERY_UNKNOWN UINT32_MAX

/* Which axis of the scores do the queries run along? The last that K does not have. Masks
 * can be read only then. */
static bool find_scores(Attention *t)
{
    Match before = t->fore;

    t->query = QUERY_UNKNOWN;
    if (!read_scores(t, t->scores, 0))
        return false;
    for (uint32_t i = 0; i < t->rank; i++)
        if (i != t->key && axis_labelled(&t->k, (int)i) < 0)
            t->query = i;
    t->fore = before;
    t->nops = 0;
    return t->query != QUERY_UNKNOWN && axis_labelled(&t->q, (int)t->query) >= 0 &&
           read_scores(t, t->scores, 0);
}

/* ---- the forward part -------------------------------------------------------------- */

static bool is_weights(Attention *t, const Eqn *e, bool whole)
{
    Match *m = &t->fore;
    const Program *p = m->p;
    uint32_t axis = 0;

    if (!pattern_match(m, WEIGHTS, e->out) || (whole && (!pattern_match(m, SHIFT, m->val[LETTER('m')]) ||
                                                 !pattern_match(m, SUM, m->val[LETTER('l')]))))
        return false;
    while (axis < 32 && m->axes != 1u << axis)
        axis++;
    t->weights = e->out;
    t->rank = val_type(p, e->out).rank;
    t->exps = m->val[LETTER('e')];
    t->scores = m->val[LETTER('x')];
    t->shift = m->val[LETTER('m')];
    t->sum = m->val[LETTER('l')];
    t->key = axis;
    return axis < t->rank && t->rank >= 2 && t->rank <= ATTENTION_RANK &&
           dtype_is_float((wf_dtype)val_type(p, e->out).dtype);
}

/* The product of the weights that sums over the given axis, by labels; the other operand
 * becomes d->in[1]. */
static bool weights_product(const Uses *u, Val w, const Eqn *e, uint32_t axis, Dot *d)
{
    const Program *p = u->p;
    const DotAttr *a = e->attr;
    int side;

    *d = (Dot){.e = e};
    if (!is_product(p, e) || eqn_in(p, e)[0] == eqn_in(p, e)[1])
        return false;
    side = eqn_in(p, e)[1] == w;
    labels_in_order(&d->in[side], w, val_type(p, w).rank);
    if ((side ? a->rhs : a->lhs).v[0] != axis)
        return false;
    if (!label_result(p, d, side, LABEL_WIDTH))
        return false;
    if (side) {
        Labelled other = d->in[0];

        d->in[0] = d->in[1];
        d->in[1] = other;
    }
    return true;
}

static bool is_value(const Attention *t, const Labelled *v)
{
    return axis_labelled(v, (int)t->key) >= 0 && axis_labelled(v, (int)t->query) < 0;
}

/* What the products read: the weights, or what they are cast to. */
static bool find_read(const Uses *u, Attention *t)
{
    t->read = t->weights;
    for (uint32_t k = u->at[t->weights]; k < u->at[t->weights + 1]; k++) {
        const Eqn *e = &u->p->eqns[u->users[k]];

        if (!narrows(u->p, e))
            continue;
        t->read = e->out;
        return match_take(&t->fore, number_of(u->p, e));
    }
    return true;
}

static bool find_out(const Uses *u, Attention *t)
{
    Dot d, found = {0};

    for (uint32_t k = u->at[t->read]; k < u->at[t->read + 1]; k++)
        if (weights_product(u, t->read, &u->p->eqns[u->users[k]], t->key, &d)) {
            if (found.e)
                return false;
            found = d;
        }
    if (!found.e || !is_value(t, &found.in[1]) ||
        !match_take(&t->fore, number_of(u->p, found.e)))
        return false;
    t->v = found.in[1];
    return follow_result(u, &t->fore, &found.out, false, &t->out);
}

/* ---- the gradient ------------------------------------------------------------------ */

static const Eqn *find_user(const Uses *u, Match *m, Val v, const char *pattern)
{
    for (uint32_t k = u->at[v]; k < u->at[v + 1]; k++) {
        const Eqn *e = &u->p->eqns[u->users[k]];

        if (e->nout == 1 && pattern_match(m, pattern, e->out))
            return e;
    }
    return NULL;
}

/* dS through the score's ops, the last first, to the product. */
static bool follow_scores(const Uses *u, Attention *t, Val *ds)
{
    const Program *p = u->p;

    for (uint32_t i = t->nops; i-- > 0;) {
        const ScoreOp *o = &t->op[i];
        const Eqn *e = o->kind == SCORE_ADD ? NULL : uses_only(u, *ds);
        const Val *in = e ? eqn_in(p, e) : NULL;
        bool masked = o->kind == SCORE_KEEP || o->kind == SCORE_CAUSAL;
        double x;
        int other;

        if (o->kind == SCORE_ADD)
            continue;
        if (o->kind == SCORE_CAST && narrows(p, e) && match_take(&t->back, number_of(p, e))) {
            *ds = e->out;
            continue;
        }
        if (!e || e->nin < 2)
            return false;
        other = masked ? 3 - (1 + (in[2] == *ds)) : in[0] == *ds;
        if (masked
                ? e->op != OP_select || in[0] != o->whole || (in[1] == *ds) != o->keep_if
                : e->op != OP_mul && e->op != OP_div)
            return false;
        if (!match_number(p, in[other], &x))
            return false;
        if (e->op == OP_div)
            x = other == 1 ? 1 / x : 0;
        if (x != (masked ? 0 : o->value) || !match_take(&t->back, number_of(p, e)) ||
            !match_take(&t->back, p->vals[in[other]].eqn))
            return false;
        *ds = e->out;
    }
    return true;
}

/* dQ = dS K or dK = dS^T Q: the product of dS that sums over `axis`, with `other`. */
static bool find_side(const Uses *u, Attention *t, Val ds, uint32_t axis,
                      const Labelled *other, ScaledResult *out)
{
    for (uint32_t k = u->at[ds]; k < u->at[ds + 1]; k++) {
        const Eqn *e = &u->p->eqns[u->users[k]];
        Dot d;

        if (!weights_product(u, ds, e, axis, &d))
            continue;
        for (int i = 0; i < MAX_RANK; i++) {
            d.in[1].label[i] =
                d.in[1].label[i] == LABEL_WIDTH ? LABEL_DEPTH : d.in[1].label[i];
            d.out.label[i] = d.out.label[i] == LABEL_WIDTH ? LABEL_DEPTH : d.out.label[i];
        }
        return !out->at.v && labels_equal(&d.in[1], other) &&
               match_take(&t->back, number_of(u->p, e)) &&
               follow_result(u, &t->back, &d.out, true, out);
    }
    return true;
}

/* dO (and V, where it is not known) from the product that makes d = dO V^T. */
static bool find_dout(const Uses *u, Attention *t, Val d)
{
    const Eqn *wide = match_made(u->p, d, OP_cast);
    Dot dot;
    int side;

    if (widens(u->p, wide)) {
        d = eqn_in(u->p, wide)[0];
        if (!match_take(&t->back, number_of(u->p, wide)))
            return false;
    }
    dot = (Dot){.e = match_made(u->p, d, OP_dot_general)};
    if (!is_product(u->p, dot.e))
        return false;
    labels_in_order(&dot.out, d, t->rank);
    label_operands(u->p, &dot, LABEL_WIDTH);
    side = is_value(t, &dot.in[0]);
    t->dout = dot.in[side];
    if (t->v.v == VAL_NONE)
        t->v = dot.in[!side];
    return is_value(t, &t->v) && labels_equal(&dot.in[!side], &t->v) &&
           match_take(&t->back, number_of(u->p, dot.e));
}

static bool find_dv(const Uses *u, Attention *t)
{
    for (uint32_t k = u->at[t->read]; k < u->at[t->read + 1]; k++) {
        const Eqn *e = &u->p->eqns[u->users[k]];
        Dot d;

        if (!weights_product(u, t->read, e, t->query, &d))
            continue;
        return !t->dv.at.v && labels_equal(&d.in[1], &t->dout) &&
               match_take(&t->back, number_of(u->p, e)) &&
               follow_result(u, &t->back, &d.out, true, &t->dv);
    }
    return true;
}

/* All axes of the batch? Else a gradient is summed over what this operand lacks. */
static bool has_batch(const Attention *t, const Labelled *x)
{
    for (uint32_t i = 0; i < t->rank; i++)
        if (i != t->query && i != t->key && axis_labelled(x, (int)i) < 0)
            return false;
    return true;
}

static bool find_gradient(const Uses *u, Attention *t)
{
    Match *m = &t->back;
    Val ds;

    match_init(m, u->p);
    m->val[LETTER('e')] = t->exps;
    m->val[LETTER('p')] = t->weights;
    m->val[LETTER('l')] = t->sum;
    m->axes = 1u << t->key;
    m->axes_known = true;
    const Eqn *e = find_user(u, m, t->exps, SCORES_GRAD);

    if (!e || !find_dout(u, t, m->val[LETTER('d')]) || !find_dv(u, t) ||
        !has_batch(t, &t->q) || !has_batch(t, &t->k) || !has_batch(t, &t->v))
        return false;
    ds = e->out;
    if (!follow_scores(u, t, &ds) || !find_side(u, t, ds, t->key, &t->k, &t->dq) ||
        !find_side(u, t, ds, t->query, &t->q, &t->dk))
        return false;
    return t->gradient = t->dq.at.v || t->dk.at.v;
}

/* ---- both -------------------------------------------------------------------------- */

static bool is_taken(const Attention *t, uint32_t eqn)
{
    for (uint32_t i = 0; i < t->fore.n; i++)
        if (t->fore.eqns[i] == eqn)
            return true;
    for (uint32_t i = 0; t->gradient && i < t->back.n; i++)
        if (t->back.eqns[i] == eqn)
            return true;
    return false;
}

static bool is_result(const Attention *t, Val v)
{
    return v == t->out.at.v ||
           (t->gradient && (v == t->dq.at.v || v == t->dk.at.v || v == t->dv.at.v));
}

/* Is every value between read by what was found alone? Constants may be read by all. */
static bool is_closed(const Uses *u, const Attention *t, const Match *m)
{
    for (uint32_t i = 0; i < m->n; i++) {
        const Eqn *e = &u->p->eqns[m->eqns[i]];

        if (e->op == OP_const || e->op == OP_broadcast || is_result(t, e->out))
            continue;
        if (u->is_out[e->out])
            return false;
        for (uint32_t k = u->at[e->out]; k < u->at[e->out + 1]; k++)
            if (!is_taken(t, u->users[k]))
                return false;
    }
    return true;
}

/* Nobody reads the result, but the gradient needs it: it will be made, [batch.., query, width]. */
static bool find_alone(const Uses *u, Attention *t)
{
    uint32_t n = 0;

    t->out = (ScaledResult){{VAL_NONE, {0}}, 1};
    if (!find_gradient(u, t) || !is_closed(u, t, &t->fore) || !is_closed(u, t, &t->back))
        return false;
    labels_none(&t->out.at, VAL_NONE);
    for (uint32_t i = 0; i < t->rank; i++)
        if (i != t->query && i != t->key)
            t->out.at.label[n++] = (int8_t)i;
    t->out.at.label[n++] = (int8_t)t->query;
    t->out.at.label[n++] = LABEL_WIDTH;
    return true;
}

bool opt_attention_find(const Uses *u, const Eqn *e, Attention *t)
{
    Match before;

    *t = (Attention){.forward = true};
    match_init(&t->fore, u->p);
    if (!is_weights(t, e, true) || !find_scores(t) || !find_read(u, t))
        return false;
    before = t->fore;
    if (!find_out(u, t)) {
        t->fore = before;
        t->v = (Labelled){0};
        return find_alone(u, t);
    }
    if (find_gradient(u, t) && is_closed(u, t, &t->fore) && is_closed(u, t, &t->back))
        return true;
    t->gradient = false;
    return is_closed(u, t, &t->fore);
}

/* Is every result of the body one that the part has? */
static bool has_results(const Program *p, const Attention *t)
{
    const Val fore[3] = {t->out.at.v, t->shift, t->sum};
    const Val back[3] = {t->dq.at.v, t->dk.at.v, t->dv.at.v};
    const Val *has = t->forward ? fore : back;

    for (uint32_t j = 0; j < p->nout; j++)
        if (p->outs[j] != has[0] && p->outs[j] != has[1] && p->outs[j] != has[2])
            return false;
    return true;
}

bool opt_attention_read(Arena *a, const Program *p, CallKind kind, Attention *t)
{
    bool whole = kind == KIND_ATTENTION;
    Uses u;

    if (!whole && kind != KIND_ATTENTION_GRAD)
        return false;
    uses_init(&u, a, p);
    for (uint32_t i = 0; i < p->neqns; i++) {
        if (p->eqns[i].op != OP_div)
            continue;
        *t = (Attention){.forward = whole};
        match_init(&t->fore, p);
        if (is_weights(t, &p->eqns[i], whole))
            return find_scores(t) && find_read(&u, t) &&
                   (whole ? find_out(&u, t) : find_gradient(&u, t)) &&
                   has_results(p, t);
    }
    return false;
}

bool opt_is_attention(Arena *a, const CallAttr *call)
{
    Attention t;

    return call && opt_attention_read(a, call->body.p, (CallKind)call->kind, &t);
}

bool opt_has_step(Arena *a, const CallAttr *call)
{
    Codes codes;

    return opt_is_attention(a, call) || (call && opt_codes_read(call->body.p, (CallKind)call->kind, &codes));
}
