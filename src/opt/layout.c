/* layout.c -- convolutions whose channels are neighbours in memory.
 *
 *   requires   the rounds, which run again behind it and drop what transposes cancel
 *   keeps      values; sums over axes that have moved but for their order
 *   breaks     nothing
 *
 * Libraries of some targets (channels_last) have their fast convolutions for images with the
 * channels last, and turn others themselves, before and after each. Here images are turned
 * once, where they come in, and what happens between convolutions is done on turned images:
 * elementwise work, sums, windows, concatenations, slices, padding.
 *
 *   method   Every value v of the new program may have another, v turned: [n, c, ..] as [n, .., c].
 *            An equation with an operand that has one is made of turned operands, and its
 *            result of that by a transpose, which goes if all that read it do the same.
 *            Values that cost nothing in either order (broadcasts, constants) have both, and
 *            decide nothing (free).
 *
 * The gradient of a maximum over windows is a scatter by places in the flat image; places of
 * turned windows are places in the turned image, and what is scattered there is turned:
 *
 *   scatter_add zeros (place of v's window) g      as above, of flat values
 *
 * If more images would be turned than there are convolutions, the program stays as it was.
 */
#include "opt/opt.h"

typedef struct Turn {
    Val to;    /* the turned value; VAL_NONE: there is none */
    Val place; /* of a window: the places in the turned image */
    bool free;
    bool flat; /* to is what this one is when it has the shape of an image again */
} Turn;

typedef struct Layout { /* of one program */
    const Builder *b;
    Turn *v;
    uint32_t n;
    struct Layout *next;
} Layout;

typedef struct State {
    Arena *a;
    Layout *all;
    uint32_t convs; /* that were turned */
} State;

/* ---- values ------------------------------------------------------------------------ */

static Turn *turn_of(Rewriter *r, Val v)
{
    State *s = r->user;
    Layout *l = s->all;

    while (l && l->b != r->b)
        l = l->next;
    if (!l) {
        l = arena_zalloc(s->a, sizeof *l);
        *l = (Layout){.b = r->b, .next = s->all};
        s->all = l;
    }
    if (v >= l->n) {
        uint32_t n = MAX(2 * l->n, v + 64);
        Turn *t = arena_zalloc(s->a, n * sizeof *t);

        if (l->n)
            memcpy(t, l->v, l->n * sizeof *t);
        l->v = t;
        l->n = n;
    }
    return &l->v[v];
}

static bool is_turned(Rewriter *r, Val v)
{
    const Turn *t = turn_of(r, v);

    return t->to && !t->flat && !t->free;
}

/* Axis i of the image is axis turned_axis(i) of the turned one, and back. */
static int64_t turned_axis(uint32_t rank, int64_t i) { return i == 0 ? 0 : i == 1 ? rank - 1 : i - 1; }
static int64_t plain_axis(uint32_t rank, int64_t i) { return i == 0 ? 0 : i + 1 < rank ? i + 1 : 1; }

static Ints turn_list(Rewriter *r, Ints list)
{
    int64_t *v;

    if (!list.n)
        return list;
    v = arena_array(&r->b->arena, list.n, sizeof *v);
    for (uint32_t i = 0; i < list.n; i++)
        v[i] = list.v[plain_axis(list.n, i)];
    return (Ints){list.n, v};
}

static Type turn_type(Rewriter *r, Type t)
{
    return b_make_type(r->b, (wf_dtype)t.dtype, turn_list(r, (Ints){t.rank, t.dims}).v, t.rank);
}

/* Sorted axes of the image as sorted axes of the turned one. */
static Ints turn_axes(Rewriter *r, Ints axes, uint32_t rank)
{
    int64_t *v = arena_array(&r->b->arena, axes.n + 1u, sizeof *v);
    uint32_t n = 0;

    for (uint32_t i = 0; i < rank; i++)
        for (uint32_t k = 0; k < axes.n; k++)
            if (axes.v[k] == plain_axis(rank, i))
                v[n++] = i;
    return (Ints){n, v};
}

static bool same_dims(Type a, Type b)
{
    return a.rank == b.rank && (!a.rank || !memcmp(a.dims, b.dims, a.rank * sizeof *a.dims));
}

static Val transpose_by(Rewriter *r, Val v, int64_t (*axis)(uint32_t, int64_t))
{
    uint32_t rank = b_rank(r->b, v);
    int64_t perm[MAX_RANK];

    for (uint32_t i = 0; i < rank; i++)
        perm[i] = axis(rank, i);
    return b_transpose(r->b, v, perm);
}

static Val turned(Rewriter *r, Val v)
{
    const Turn *t = turn_of(r, v);

    return t->to && !t->flat ? t->to : transpose_by(r, v, plain_axis);
}

/* The image whose turned form is given. */
static Val image_of(Rewriter *r, Val to)
{
    Val v = transpose_by(r, to, turned_axis);

    *turn_of(r, v) = (Turn){.to = to};
    return v;
}

/* ---- convolutions ------------------------------------------------------------------ */

/* Is it first, second, then the others in order? */
static bool is_spec(Ints spec, uint32_t rank, int64_t first, int64_t second)
{
    for (uint32_t i = 0; i < rank; i++)
        if (conv_axis(spec, i) != (i == 0 ? first : i == 1 ? second : (int64_t)i))
            return false;
    return true;
}

static Ints turn_spec(Rewriter *r, Ints spec, uint32_t rank)
{
    int64_t *v = arena_array(&r->b->arena, rank, sizeof *v);

    for (uint32_t i = 0; i < rank; i++)
        v[i] = turned_axis(rank, conv_axis(spec, i));
    return (Ints){rank, v};
}

static bool has_fast(const ConvAttr *a, Type x, Type w)
{
    return x.dtype == w.dtype && x.rank >= 3 && x.rank <= 5 && a->batch_groups == 1 && a->groups == 1 &&
           (x.dtype == WF_F16 || x.dtype == WF_BF16 ||
            (x.dtype == WF_F32 && a->precision != WF_PRECISION_HIGHEST));
}

/*   y[n,o,..] = x[n,c,..] * w          x and y are images: a convolution, the gradient of its input
 *   w         = x[n,c,..] * y[n,o,..]  the gradient of its filters: n is summed over, as a channel */
static bool turn_conv(Rewriter *r, const EqnView *e, Val *out)
{
    ConvAttr a = *(const ConvAttr *)e->attr;
    uint32_t rank = e->in_type[0].rank;
    Val in[2] = {e->in[0], e->in[1]};
    bool forward = is_spec(a.lhs_spec, rank, 0, 1) && is_spec(a.out_spec, rank, 0, 1);

    if (!has_fast(&a, e->in_type[0], e->in_type[1]) ||
        !(forward || (is_spec(a.lhs_spec, rank, 1, 0) && is_spec(a.rhs_spec, rank, 1, 0))))
        return false;
    ((State *)r->user)->convs++;
    in[0] = turned(r, in[0]);
    a.lhs_spec = turn_spec(r, a.lhs_spec, rank);
    if (forward) {
        a.out_spec = turn_spec(r, a.out_spec, rank);
    } else {
        in[1] = turned(r, in[1]);
        a.rhs_spec = turn_spec(r, a.rhs_spec, rank);
    }
    out[0] = b_conv(r->b, in[0], in[1], &a);
    if (forward && !b_failed(r->b))
        out[0] = image_of(r, out[0]);
    return true;
}

/* ---- what is between them ---------------------------------------------------------- */

typedef struct Operands { /* the images among them */
    bool any;  /* one is turned */
    bool free; /* all have both forms, and no one cares */
} Operands;

static Operands look(Rewriter *r, const EqnView *e, uint32_t n)
{
    Operands o = {.free = n > 0};

    for (uint32_t i = 0; i < n; i++) {
        const Turn *t = turn_of(r, e->in[i]);

        o.any = o.any || is_turned(r, e->in[i]);
        o.free = o.free && t->to && t->free;
    }
    return o;
}

/* The equation with its first n operands turned. If no one cares: both, out first. */
static bool make(Rewriter *r, const EqnView *e, uint32_t n, const void *attr, Val *out)
{
    Operands o = look(r, e, n);
    Val *in = arena_dup(&r->b->arena, e->in, e->nin * sizeof *in), to;

    if (!o.any && !o.free)
        return false;
    for (uint32_t i = 0; i < n; i++)
        in[i] = turned(r, in[i]);
    to = b_eqn1(r->b, (OpCode)e->op, in, e->nin, attr);
    if (b_failed(r->b))
        return true;
    if (o.any) {
        out[0] = image_of(r, to);
        return true;
    }
    out[0] = b_eqn1(r->b, (OpCode)e->op, e->in, e->nin, e->attr);
    if (!b_failed(r->b) && !turn_of(r, out[0])->to)
        *turn_of(r, out[0]) = (Turn){.to = to, .free = true};
    return true;
}

static bool turn_map(Rewriter *r, const EqnView *e, Val *out)
{
    for (uint32_t i = 1; i < e->nin; i++)
        if (!same_dims(e->in_type[i], e->in_type[0]))
            return false;
    return make(r, e, e->nin, e->attr, out);
}

static bool turn_broadcast(Rewriter *r, const EqnView *e, Val *out)
{
    const BroadcastAttr *a = e->attr;
    uint32_t rank = a->shape.n, n = a->dims.n;
    int64_t perm[MAX_RANK], dims[MAX_RANK];
    Val x = e->in[0], to;

    if (rank < 3)
        return false;
    for (uint32_t i = 0, k = 0; i < rank; i++) /* axes of x in the order of the result */
        for (uint32_t j = 0; j < n; j++)
            if (turned_axis(rank, a->dims.v[j]) == i) {
                perm[k] = j;
                dims[k++] = i;
            }
    x = b_transpose(r->b, x, perm);
    to = b_broadcast(r->b, x, turn_list(r, a->shape).v, rank, dims);
    out[0] = b_eqn1(r->b, OP_broadcast, e->in, 1, a);
    if (!b_failed(r->b) && !turn_of(r, out[0])->to)
        *turn_of(r, out[0]) = (Turn){.to = to, .free = true};
    return true;
}

static bool turn_const(Rewriter *r, const EqnView *e, Val *out)
{
    const ConstAttr *a = e->attr;

    if (!a->splat || a->type.rank < 3)
        return false;
    out[0] = b_eqn1(r->b, OP_const, NULL, 0, a);
    if (!b_failed(r->b) && !turn_of(r, out[0])->to)
        *turn_of(r, out[0]) =
            (Turn){.to = b_splat_bits(r->b, turn_type(r, a->type), a->data->data), .free = true};
    return true;
}

static bool turn_reduce(Rewriter *r, const EqnView *e, Val *out)
{
    const ReduceAttr *a = e->attr;
    uint32_t rank = e->in_type[0].rank, n = 0;
    int64_t perm[MAX_RANK];
    ReduceAttr b;

    if (!is_turned(r, e->in[0]))
        return false;
    b.axes = turn_axes(r, a->axes, rank);
    out[0] = b_eqn1(r->b, (OpCode)e->op, (Val[]){turned(r, e->in[0])}, 1, &b);
    for (int64_t i = 0; i < rank; i++) { /* of what is left, where each axis is */
        int64_t at = turned_axis(rank, i), before = at;
        bool gone = false;

        for (uint32_t k = 0; k < b.axes.n; k++) {
            gone = gone || b.axes.v[k] == at;
            before -= b.axes.v[k] < at;
        }
        if (!gone)
            perm[n++] = before;
    }
    if (!b_failed(r->b))
        out[0] = b_transpose(r->b, out[0], perm);
    return true;
}

static WindowAttr turn_window_attr(Rewriter *r, const WindowAttr *a)
{
    return (WindowAttr){.window = turn_list(r, a->window),
                        .stride = turn_list(r, a->stride),
                        .pad_lo = turn_list(r, a->pad_lo),
                        .pad_hi = turn_list(r, a->pad_hi),
                        .base_dilation = turn_list(r, a->base_dilation),
                        .window_dilation = turn_list(r, a->window_dilation)};
}

/* The plain form is made, too, for who reads its places: nobody, where gradients are turned. */
static bool turn_window_max(Rewriter *r, const EqnView *e, Val *out)
{
    WindowAttr a;
    Val to[2], x;

    if (!is_turned(r, e->in[0]))
        return false;
    a = turn_window_attr(r, e->attr);
    x = turned(r, e->in[0]);
    b_eqn(r->b, OP_reduce_window_max, &x, 1, &a, to, 2);
    b_eqn(r->b, OP_reduce_window_max, e->in, 1, e->attr, out, 2);
    if (b_failed(r->b))
        return true;
    out[0] = image_of(r, to[0]);
    *turn_of(r, out[1]) = (Turn){.to = turned(r, e->in[0]), .place = to[1], .flat = true};
    return true;
}

static bool turn_scatter(Rewriter *r, const EqnView *e, Val *out)
{
    const ScatterAttr *a = e->attr;
    Builder *b = r->b;
    Val place = under(b, e->in[1], OP_reshape), zeros = e->in[0], index, flat;
    Type t = e->in_type[2], x, u;
    Turn w;
    Dim dims[MAX_RANK];

    if (place == VAL_NONE || e->in_type[0].rank != 1 || a->update_window.n || a->operand_batching.n ||
        a->mode == INDEX_PROMISED || t.rank + 1u != e->in_type[1].rank || t.rank + 1u > MAX_RANK)
        return false;
    w = *turn_of(r, place);
    if (!w.place || !b_is_number(b, zeros, 0))
        return false;
    u = b_type(b, place); /* of the windows */
    x = b_type(b, w.to);  /* of the turned image */
    if (!same_dims(u, t))
        return false;
    u = b_type(b, w.place);
    memcpy(dims, u.dims, u.rank * sizeof *dims);
    dims[u.rank] = 1;
    index = b_reshape(b, w.place, dims, u.rank + 1u);
    flat = b_scatter(b, (OpCode)e->op, zeros, index, turned(r, e->in[2]), a);
    if (b_failed(b))
        return true;
    flat = b_reshape(b, flat, x.dims, x.rank);
    out[0] = b_reshape(b, image_of(r, flat), e->in_type[0].dims, 1);
    if (!b_failed(b))
        *turn_of(r, out[0]) = (Turn){.to = flat, .flat = true};
    return true;
}

/* A flat image becomes one again. */
static bool turn_reshape(Rewriter *r, const EqnView *e, Val *out)
{
    const ShapeAttr *a = e->attr;
    Turn t = *turn_of(r, e->in[0]);

    if (!t.to || !t.flat || t.place ||
        !same_dims((Type){.rank = (uint8_t)a->dims.n, .dims = turn_list(r, a->dims).v},
                   b_type(r->b, t.to)))
        return false;
    out[0] = image_of(r, t.to);
    return true;
}

static bool turn_eqn(Rewriter *r, const EqnView *e, Val *out)
{
    uint32_t rank = e->nin ? e->in_type[0].rank : 0;

    switch (e->op) {
    case OP_conv_general: return turn_conv(r, e, out);
    case OP_const: return turn_const(r, e, out);
    case OP_broadcast: return turn_broadcast(r, e, out);
    case OP_reshape: return turn_reshape(r, e, out);
    case OP_scatter_add: return turn_scatter(r, e, out);
    case OP_reduce_sum:
    case OP_reduce_prod:
    case OP_reduce_max:
    case OP_reduce_min:
    case OP_reduce_and:
    case OP_reduce_or: return turn_reduce(r, e, out);
    case OP_reduce_window_max: return turn_window_max(r, e, out);
    case OP_reduce_window_sum: {
        WindowAttr a = turn_window_attr(r, e->attr);
        return make(r, e, 1, &a, out);
    }
    case OP_concat: {
        AxisAttr a = {turned_axis(rank, ((const AxisAttr *)e->attr)->axis)};
        return make(r, e, e->nin, &a, out);
    }
    case OP_slice: {
        const SliceAttr *a = e->attr;
        return make(r, e, 1,
                    &(SliceAttr){turn_list(r, a->start), turn_list(r, a->limit),
                                 turn_list(r, a->stride)},
                    out);
    }
    case OP_pad: {
        const PadAttr *a = e->attr;
        return make(r, e, 1,
                    &(PadAttr){turn_list(r, a->lo), turn_list(r, a->hi),
                               turn_list(r, a->interior)},
                    out);
    }
    case OP_rev:
        return make(r, e, 1,
                    &(AxesAttr){turn_axes(r, ((const AxesAttr *)e->attr)->axes, rank)}, out);
    default: return is_map(e->op) && e->nin && e->nout == 1 && turn_map(r, e, out);
    }
}

/* ---- whether it pays --------------------------------------------------------------- */

static uint32_t count_transposes(const Program *p)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < p->neqns; i++)
        n += p->eqns[i].op == OP_transpose && val_type(p, p->eqns[i].out).rank > 2;
    for (uint32_t i = 0; i < p->nsubs; i++)
        n += count_transposes(p->subs[i]);
    return n;
}

const Program *opt_layout(const Opt *o, const Program *p)
{
    State s = {.a = &o->cx->scratch};
    Rewriter r = {.o = o, .before = turn_eqn, .user = &s, .done.a = s.a, .origin.a = s.a};
    const Program *q;

    if (!o->target || !o->target->channels_last)
        return p;
    if (!(q = rewrite_apply(&r, p)))
        return NULL;
    return s.convs < 2 || count_transposes(q) > count_transposes(p) + s.convs ? p : q;
}
