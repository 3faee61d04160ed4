/* recognise_codes.c -- products with weights that are codes of 4 bits, two a byte.
 *
 *   W = (code - zero) scale, moved about        y = dot_general x W
 *
 *   method   What only moves elements (reshape, transpose, broadcast, a slice from 0 on, halves of bytes side by side) makes of
 *            every axis a few digits, each of which steps through the source; so where an element comes from is a sum over
 *            its axes. Codes, scales and zeros may come by any such way.
 */
#include "opt/recognise.h"

static bool axes_of(const Program *p, Val v, Moved *out)
{
    Type t = val_type(p, v);
    int64_t step = 1;

    *out = (Moved){.leaf = v, .rank = t.rank};
    for (uint32_t i = t.rank; i-- > 0; step *= t.dims[i]) {
        if (t.rank > MOVED_RANK || !dim_is_const(t.dims[i]) || t.dims[i] < 1 || step > INT32_MAX)
            return false;
        out->axis[i] = (MovedAxis){.n = 1, .size = t.dims[i], .digit = {{t.dims[i], step}}};
    }
    return step <= INT32_MAX;
}

/* Digits from the innermost on that make `size`; what they leave of the next one stays. */
static bool take_digits(MovedDigit *all, uint32_t *n, int64_t size, MovedAxis *out)
{
    MovedDigit found[MOVED_DIGITS];

    *out = (MovedAxis){.size = size};
    while (size > 1) {
        MovedDigit *d;

        if (!*n || out->n == MOVED_DIGITS)
            return false;
        d = &all[*n - 1];
        if (size % d->size == 0) {
            found[out->n++] = *d;
            size /= d->size;
            --*n;
        } else if (d->size % size == 0) {
            found[out->n++] = (MovedDigit){size, d->step};
            *d = (MovedDigit){d->size / size, d->step * size};
            size = 1;
        } else {
            return false;
        }
    }
    for (uint32_t i = 0; i < out->n; i++)
        out->digit[i] = found[out->n - 1 - i];
    return true;
}

static bool reshaped(const Program *p, const Eqn *e, Moved *s)
{
    MovedDigit all[MOVED_RANK * MOVED_DIGITS];
    Type t = val_type(p, e->out);
    uint32_t n = 0;

    for (uint32_t i = 0; i < s->rank; i++)
        for (uint32_t k = 0; k < s->axis[i].n; k++) {
            MovedDigit d = s->axis[i].digit[k];

            if (s->axis[i].cut)
                return false;
            if (d.size == 1)
                continue;
            if (n && all[n - 1].step == d.step * d.size)
                all[n - 1] = (MovedDigit){all[n - 1].size * d.size, d.step};
            else
                all[n++] = d;
        }
    s->rank = t.rank;
    for (uint32_t i = t.rank; i-- > 0;)
        if (t.rank > MOVED_RANK || !dim_is_const(t.dims[i]) || !take_digits(all, &n, t.dims[i], &s->axis[i]))
            return false;
    return n == 0;
}

static bool broadcasted(const Program *p, const Eqn *e, Moved *s)
{
    const BroadcastAttr *a = e->attr;
    Type t = val_type(p, e->out);
    Moved from = *s;

    if (t.rank > MOVED_RANK)
        return false;
    s->rank = t.rank;
    for (uint32_t i = 0; i < t.rank; i++) {
        if (!dim_is_const(t.dims[i]))
            return false;
        s->axis[i] = (MovedAxis){.n = 1, .size = t.dims[i], .digit = {{t.dims[i], 0}}};
    }
    for (uint32_t k = 0; k < a->dims.n; k++)
        if (from.axis[k].size == t.dims[a->dims.v[k]])
            s->axis[a->dims.v[k]] = from.axis[k];
    return true;
}

/* The first elements of each axis. */
static bool sliced(const Program *p, const Eqn *e, Moved *s)
{
    const SliceAttr *a = e->attr;
    Type t = val_type(p, e->out);

    for (uint32_t i = 0; i < s->rank; i++) {
        if (a->start.v[i] != 0 || (a->stride.n && a->stride.v[i] != 1) || !dim_is_const(t.dims[i]))
            return false;
        s->axis[i].cut = s->axis[i].cut || s->axis[i].size != t.dims[i];
        s->axis[i].size = t.dims[i];
    }
    return true;
}

static bool number_is(const Program *p, Val v, double n)
{
    double x;

    return match_number(p, v, &x) && x == n;
}

/* Is v one half of the bytes of *of? high: which. Signed ones are made by shifts that keep the sign. */
static bool half_of(const Program *p, Val v, Val *of, bool *high, bool *is_signed)
{
    const Eqn *e = p->vals[v].eqn == EQN_INPUT ? NULL : &p->eqns[p->vals[v].eqn], *f;
    wf_dtype dtype = (wf_dtype)val_type(p, v).dtype;

    *is_signed = dtype == WF_I8;
    if (!e || e->nin != 2 || (dtype != WF_U8 && dtype != WF_I8))
        return false;
    *of = eqn_in(p, e)[0];
    if (*is_signed) {
        if (e->op != OP_shr_arith || !number_is(p, eqn_in(p, e)[1], 4))
            return false;
        f = match_made(p, *of, OP_shl);
        *high = !f || !number_is(p, eqn_in(p, f)[1], 4);
        if (!*high)
            *of = eqn_in(p, f)[0];
        return true;
    }
    *high = e->op == OP_shr_logical;
    if (*high)
        return number_is(p, eqn_in(p, e)[1], 4);
    if (e->op != OP_and || !number_is(p, eqn_in(p, e)[1], 15))
        return false;
    f = match_made(p, *of, OP_shr_logical);
    if (f && number_is(p, eqn_in(p, f)[1], 4)) {
        *high = true;
        *of = eqn_in(p, f)[0];
    }
    return true;
}

static bool look(const Program *p, Val v, const Moved *at, Moved *out);

static bool moved_same(const Moved *a, const Moved *b)
{
    bool same = a->leaf == b->leaf && a->rank == b->rank;

    for (uint32_t i = 0; same && i < a->rank; i++) {
        same = a->axis[i].n == b->axis[i].n && a->axis[i].size == b->axis[i].size && a->axis[i].cut == b->axis[i].cut;
        for (uint32_t k = 0; same && k < a->axis[i].n; k++)
            same = a->axis[i].digit[k].size == b->axis[i].digit[k].size &&
                   a->axis[i].digit[k].step == b->axis[i].digit[k].step;
    }
    return same;
}

/* Both halves side by side: an axis of size 2 that steps by halves. */
static bool halves(const Program *p, const Eqn *e, Moved *out)
{
    int64_t axis = ((const AxisAttr *)e->attr)->axis;
    Moved high;

    if (e->nin != 2 || !look(p, eqn_in(p, e)[0], NULL, out) || !look(p, eqn_in(p, e)[1], NULL, &high) ||
        out->part != HALF_LOW || high.part != HALF_HIGH || out->is_signed != high.is_signed || out->axis[axis].size != 1 ||
        !moved_same(out, &high))
        return false;
    out->part = HALF_BOTH;
    out->axis[axis] = (MovedAxis){.n = 1, .size = 2, .digit = {{2, 1}}};
    return true;
}

static bool one_half(const Program *p, Val of, bool high, bool is_signed, Moved *out)
{
    if (!look(p, of, NULL, out) || out->part != HALF_NONE)
        return false;
    out->part = high ? HALF_HIGH : HALF_LOW;
    out->is_signed = is_signed;
    for (uint32_t i = 0; i < out->rank; i++)
        for (uint32_t k = 0; k < out->axis[i].n; k++)
            out->axis[i].digit[k].step *= 2;
    return true;
}

/* Integers in a type that has them all. */
static bool widens(const Program *p, const Eqn *e)
{
    wf_dtype from = (wf_dtype)val_type(p, eqn_in(p, e)[0]).dtype, to = (wf_dtype)val_type(p, e->out).dtype;

    return (from == WF_U8 || from == WF_I8) && (to == WF_F32 || to == WF_I32 || to == WF_I16);
}

/* Where the elements of v come from, or of at->leaf as `at` says. What does not move elements is where they come from. */
static bool look(const Program *p, Val v, const Moved *at, Moved *out)
{
    const Eqn *e = p->vals[v].eqn == EQN_INPUT ? NULL : &p->eqns[p->vals[v].eqn];
    unsigned op = e ? e->op : OP_const;
    bool high, is_signed;
    Val of;

    if (at && v == at->leaf) {
        *out = *at;
        out->leaf = at->of;
        return true;
    }
    if (!at && op == OP_concat && halves(p, e, out))
        return true;
    if (!at && half_of(p, v, &of, &high, &is_signed) && one_half(p, of, high, is_signed, out))
        return true;
    if ((op != OP_reshape && op != OP_transpose && op != OP_broadcast && op != OP_slice && op != OP_cast) ||
        (op == OP_cast && !widens(p, e)))
        return !at && axes_of(p, v, out);
    if (!look(p, eqn_in(p, e)[0], at, out))
        return false;
    if (op == OP_cast)
        return out->part == HALF_BOTH || (!at && axes_of(p, v, out));
    if (op == OP_transpose) {
        Moved from = *out;

        for (uint32_t i = 0; i < from.rank; i++)
            out->axis[i] = from.axis[((const TransposeAttr *)e->attr)->perm.v[i]];
        return true;
    }
    if (op == OP_reshape ? reshaped(p, e, out) : op == OP_slice ? sliced(p, e, out) : broadcasted(p, e, out))
        return true;
    return !at && axes_of(p, v, out);
}

/* What stands behind y, if that only moves it. */
static Val unmoved(const Program *p, Val y)
{
    const Eqn *e;

    while (p->vals[y].eqn != EQN_INPUT) {
        e = &p->eqns[p->vals[y].eqn];
        if (e->op != OP_reshape && e->op != OP_transpose && e->op != OP_slice)
            break;
        y = eqn_in(p, e)[0];
    }
    return y;
}

/* What s is over the axes of `whole`, over those of y, which is `whole` moved about. */
static bool move_on(const Program *p, Val whole, Val y, Moved *s)
{
    Moved at = *s;

    at.of = s->leaf;
    at.leaf = whole;
    return look(p, y, &at, s);
}

/* v, which `inside` is made of, over the axes of y: inside is moved about to be part of `whole`, and that to be y. */
static bool look_from(const Program *p, Val v, Val inside, Val part, Val whole, Val y, Moved *out)
{
    return look(p, v, NULL, out) && move_on(p, inside, part, out) && move_on(p, whole, y, out) && out->rank == 2;
}

/* Is `part` code - zero, moved about? */
static bool read_codes(const Program *p, Val part, Val whole, Val y, Codes *c)
{
    Val inside = unmoved(p, part), zero;
    const Eqn *sub = match_made(p, inside, OP_sub), *add = match_made(p, inside, OP_add), *e = sub ? sub : add;

    c->has_zeros = false;
    c->zero_number = 0;
    if (!e)
        return look_from(p, inside, inside, part, whole, y, &c->code) && c->code.part == HALF_BOTH;
    if (!look_from(p, eqn_in(p, e)[0], inside, part, whole, y, &c->code) || c->code.part != HALF_BOTH)
        return false;
    zero = eqn_in(p, e)[1];
    if (match_number(p, zero, &c->zero_number)) {
        c->zero_number = add ? -c->zero_number : c->zero_number;
        return true;
    }
    c->has_zeros = true;
    return sub && look_from(p, zero, inside, part, whole, y, &c->zero) &&
           (c->zero.part == HALF_NONE || c->zero.part == HALF_BOTH);
}

/* (code - zero) scale */
static bool read_weight(const Program *p, Val whole, Val y, Codes *c)
{
    const Eqn *mul = match_made(p, whole, OP_mul);

    for (int i = 0; mul && i < 2; i++) {
        Val scale = eqn_in(p, mul)[1 - i];

        if (read_codes(p, eqn_in(p, mul)[i], whole, y, c) && look_from(p, scale, scale, scale, whole, y, &c->scale) &&
            c->scale.part == HALF_NONE)
            return true;
    }
    return false;
}

static bool is_f32(const Program *p, Val v) { return val_type(p, v).dtype == WF_F32; }

bool opt_codes_find(const Program *p, const Eqn *dot, Codes *out)
{
    const DotAttr *a = dot->attr;
    Val y, whole;
    Type x;

    if (dot->op != OP_dot_general || a->acc != WF_F32 || a->lhs_batch.n || a->lhs.n != 1)
        return false;
    *out = (Codes){.x = eqn_in(p, dot)[0]};
    y = eqn_in(p, dot)[1];
    x = val_type(p, out->x);
    if (!is_f32(p, out->x) || !is_f32(p, y) || val_type(p, y).rank != 2 || a->lhs.v[0] != (int64_t)x.rank - 1)
        return false;
    whole = unmoved(p, y);
    out->sum = (uint32_t)a->rhs.v[0];
    return read_weight(p, whole, y, out) && is_f32(p, out->scale.leaf) &&
           (!out->has_zeros || out->zero.part == HALF_BOTH || is_f32(p, out->zero.leaf));
}

static bool is_input(const Program *p, Val v) { return p->vals[v].eqn == EQN_INPUT; }

bool opt_codes_read(const Program *body, CallKind kind, Codes *out)
{
    return kind == KIND_CODES && body->nout == 1 && !is_input(body, body->outs[0]) &&
           opt_codes_find(body, &body->eqns[body->vals[body->outs[0]].eqn], out) && is_input(body, out->x) &&
           is_input(body, out->code.leaf) && is_input(body, out->scale.leaf) &&
           (!out->has_zeros || is_input(body, out->zero.leaf));
}

int64_t opt_codes_place(const MovedAxis *a, int64_t i)
{
    int64_t at = 0;

    for (uint32_t k = a->n; k-- > 0; i /= a->digit[k].size)
        at += i % a->digit[k].size * a->digit[k].step;
    return at;
}
