/* ops_reduce.c -- reduce, reduce_window, select_and_scatter.
 *
 * A region that is one primitive is a reduction of Weft's. argmax and argmin, which JAX writes as a reduction of pairs, are those.
 * Any other region is run: a scan over what is reduced, its body the region on all results at once; for windows, which are
 * small, one application for each place in the window.
 */
#include "stablehlo/stablehlo.h"

#define WINDOW_MOST 1024 /* places of a window whose region is run */

/* ---- what a region does ---------------------------------------------------------------------------------------------- */

int hlo_kind(const Program *p)
{
    const Eqn *e = p->eqns;
    const Val *in;

    if (p->nin != 2 || p->nout != 1)
        return -1;
    if (!p->neqns)
        return p->outs[0] == 2 ? OP_const : -1;
    if (p->neqns != 1 || e->nin != 2 || p->outs[0] != e->out)
        return -1;
    in = eqn_in(p, e);
    if (in[0] == 1 && in[1] == 2)
        return e->op;
    return in[0] == 2 && in[1] == 1 && op_has(e->op, OPF_COMM) ? e->op : -1;
}

static const struct {
    int op, reduce, cum;
} kinds[] = {{OP_add, OP_reduce_sum, OP_cumsum}, {OP_mul, OP_reduce_prod, OP_cumprod}, {OP_max, OP_reduce_max, OP_cummax},
             {OP_min, OP_reduce_min, OP_cummin}, {OP_and, OP_reduce_and, -1}, {OP_or, OP_reduce_or, -1}};

static int kind_row(int op)
{
    for (int k = 0; k < (int)(sizeof kinds / sizeof *kinds); k++)
        if (kinds[k].op == op)
            return k;
    return -1;
}


bool hlo_is_identity(Hlo *h, int op, Val v)
{
    Builder *b = h->s->b;
    wf_dtype t = b_dtype(b, v);
    const void *bits;
    static const unsigned char ones[16] = {255, 255, 255, 255, 255, 255, 255, 255};
    char want[16] = {0};
    size_t n = wf_dtype_size(t);

    if (!b_splat(b, v, &bits))
        return false;
    if (op == OP_add)
        return b_is_number(b, v, 0) || b_is_number(b, v, -0.0);
    if (op == OP_mul)
        return b_is_number(b, v, 1);
    if (op == OP_or || (op == OP_max && t == WF_BOOL))
        return !memcmp(bits, want, n);
    if (op == OP_and || (op == OP_min && t == WF_BOOL))
        return t == WF_BOOL ? *(const unsigned char *)bits == 1 : !memcmp(bits, ones, n);
    if (dtype_is_complex(t) || (op != OP_max && op != OP_min))
        return false;
    if (dtype_is_float(t))
        return element_as_f64(t, bits) == (op == OP_max ? -__builtin_inf() : __builtin_inf());
    if (op == OP_max) {
        if (dtype_is_signed(t))
            want[n - 1] = (char)0x80;
        return !memcmp(bits, want, n);
    }
    memset(want, 255, n);
    if (dtype_is_signed(t))
        want[n - 1] = 0x7f;
    return !memcmp(bits, want, n);
}

/* The region's program: given as a region, or as `applies stablehlo.add`. */
static const Program *reducer(Hlo *h, uint32_t n)
{
    const char *name = hlo_text(h, "applies");
    const HloRule *rule;
    const Program *p = NULL;

    if (h->op->regions.n == 1) {
        p = hlo_region_program(h, h->op->regions.v[0]);
    } else if (n == 1 && *name && (rule = hlo_rule(strncmp(name, "stablehlo.", 10) ? name : name + 10)) != NULL && rule->least == 2) {
        HloParam params[2] = {{.name = "x"}, {.name = "y"}};
        HloName in[2] = {{"x", UINT32_MAX}, {"y", UINT32_MAX}}, out[1] = {{"z", UINT32_MAX}};
        HloResult z = {"z", 1};
        HloType scalar = {.text = "a scalar"};
        HloOp apply = {.name = rule->name, .place = h->op->place}, give = {.name = "return", .place = h->op->place};
        HloOp *ops[2] = {&apply, &give};
        HloRegion r = {0};

        if (!h->op->in_types.n)
            return hlo_op_fail(h, WF_ERR_FORMAT, "no types"), NULL;
        scalar.dtype = h->op->in_types.v[0].dtype;
        params[0].type = params[1].type = scalar;
        apply.results.v = &z, apply.results.n = 1;
        apply.in.v = in, apply.in.n = 2;
        apply.out_types.v = apply.in_types.v = &scalar, apply.out_types.n = apply.in_types.n = 1;
        give.in.v = out, give.in.n = 1;
        r.params.v = params, r.params.n = 2;
        r.ops.v = ops, r.ops.n = 2;
        p = hlo_region_program(h, &r);
    } else {
        hlo_op_fail(h, WF_ERR_UNSUPPORTED, "no region that can be read");
    }
    if (p && (p->nin != 2 * n || p->nout != n))
        return hlo_op_fail(h, WF_ERR_FORMAT, "its region takes %u values and gives %u, needed %u and %u", p->nin, p->nout, 2 * n, n), NULL;
    return p;
}

/* ---- argmax, argmin ------------------------------------------------------------------------------------------------------ */

static const Eqn *made_by(const Program *p, Val v, OpCode op)
{
    uint32_t e = p->vals[v].eqn;

    return e != EQN_INPUT && p->eqns[e].op == op ? &p->eqns[e] : NULL;
}

static bool is_op(const Program *p, Val v, OpCode op, Val x, Val y)
{
    const Eqn *e = made_by(p, v, op);

    return e && ((eqn_in(p, e)[0] == x && eqn_in(p, e)[1] == y) || (op_has(op, OPF_COMM) && eqn_in(p, e)[0] == y && eqn_in(p, e)[1] == x));
}

static bool is_either(const Program *p, Val v, Val *x, Val *y)
{
    const Eqn *e = made_by(p, v, OP_or);

    if (e) {
        *x = eqn_in(p, e)[0];
        *y = eqn_in(p, e)[1];
    }
    return e != NULL;
}

/* (a i) (b j) -> (c ? a : b, d ? i : j), c = a > b or a is NaN, d = c or (a == b and i < j): the inputs are 1 a, 2 i, 3 b, 4 j.
 * Gives OP_gt or OP_lt, 0: it is something else. */
static int arg_kind(const Program *p)
{
    const Eqn *s0, *s1, *tie;
    Val c, d, x, y;
    int kind = 0;

    if (p->nin != 4 || p->nout != 2 || !(s0 = made_by(p, p->outs[0], OP_select)) || !(s1 = made_by(p, p->outs[1], OP_select)))
        return 0;
    if (eqn_in(p, s0)[1] != 1 || eqn_in(p, s0)[2] != 3 || eqn_in(p, s1)[1] != 2 || eqn_in(p, s1)[2] != 4)
        return 0;
    c = eqn_in(p, s0)[0];
    d = eqn_in(p, s1)[0];
    if (!is_either(p, d, &x, &y))
        return 0;
    tie = made_by(p, x == c ? y : x, OP_and);
    if ((x != c && y != c) || !tie)
        return 0;
    x = eqn_in(p, tie)[0];
    y = eqn_in(p, tie)[1];
    if (!(is_op(p, x, OP_eq, 1, 3) && is_op(p, y, OP_lt, 2, 4)) && !(is_op(p, y, OP_eq, 1, 3) && is_op(p, x, OP_lt, 2, 4)))
        return 0;
    for (int turn = 0; turn < 2; turn++) {
        OpCode op = turn ? OP_lt : OP_gt;

        if (is_op(p, c, op, 1, 3) ||
            (is_either(p, c, &x, &y) && ((is_op(p, x, op, 1, 3) && is_op(p, y, OP_ne, 1, 1)) || (is_op(p, y, op, 1, 3) && is_op(p, x, OP_ne, 1, 1)))))
            kind = (int)op;
    }
    return kind;
}

/* Is v the places along an axis? */
static bool is_iota(const Builder *b, Val v, int64_t axis)
{
    const Eqn *e = b->vals.v[v].eqn == EQN_INPUT ? NULL : &b->eqns.v[b->vals.v[v].eqn];

    return e && e->op == OP_iota && ((const IotaAttr *)e->attr)->axis == axis;
}

static bool arg_reduce(Hlo *h, int kind, const Val *in, int64_t axis)
{
    Builder *b = h->s->b;
    wf_dtype place = b_dtype(b, in[1]);
    Val out[2];

    out[1] = b_eqn1(b, kind == OP_gt ? OP_argmax : OP_argmin, in, 1, &(ArgAttr){axis, WF_I64});
    out[1] = b_cast(b, out[1], place);
    out[0] = b_reduce_axis(b, kind == OP_gt ? OP_reduce_max : OP_reduce_min, in[0], (uint32_t)axis);
    return hlo_outs(h, out, 2);
}

/* ---- reduce ----------------------------------------------------------------------------------------------------------------- */

static Val combine(Hlo *h, int op, Val x, Val init)
{
    return b_eqn1(h->s->b, (OpCode)op, (Val[]){hlo_spread(h, init, x), x}, 2, NULL);
}

static Val reduce_one(Hlo *h, int row, Val x, const int64_t *axes, uint32_t n, Val init)
{
    Val y = b_reduce(h->s->b, (OpCode)kinds[row].reduce, x, axes, n);

    return failed(h->cx) || hlo_is_identity(h, kinds[row].op, init) ? y : combine(h, kinds[row].op, y, init);
}

/* Any region: a scan over what is reduced, all results at once. in: n values, then n initial ones. */
static bool reduce_any(Hlo *h, const Program *p, const Val *in, uint32_t n, const int64_t *axes, uint32_t naxes)
{
    Builder *b = h->s->b;
    Type t = b_type(b, in[0]);
    Dim kept[MAX_RANK], rows = 1, count = 1;
    int64_t perm[MAX_RANK];
    uint32_t nkept = 0, k = naxes, got;
    int *axis = arena_zalloc(h->t->a, (2 * n + 1) * sizeof *axis), *out_axis = arena_zalloc(h->t->a, (n + 1) * sizeof *axis);
    bool *want = arena_alloc(h->t->a, n + 1);
    Val *args = arena_array(h->t->a, 2 * n, sizeof *args), *out;
    ScanAttr scan = {.ncarry = n};

    memset(want, true, n);
    for (uint32_t i = 0, j = 0; i < t.rank; i++) {
        if (j < naxes && axes[j] == i) {
            rows *= t.dims[i];
            perm[j++] = i;
        } else {
            count *= t.dims[i];
            kept[nkept++] = t.dims[i];
            perm[k++] = i;
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        args[i] = b_broadcast_scalar(b, in[n + i], &count, 1);
        args[n + i] = b_reshape(b, b_transpose(b, in[i], perm), (Dim[]){rows, count}, 2);
    }
    if (failed(h->cx) || !(scan.body.p = xf_batch(h->cx, p, count, NULL, NULL, axis, want, out_axis)))
        return false;
    scan.length = rows;
    if (!(out = b_eqn_n(b, OP_scan, args, 2 * n, &scan, &got)) || got != n)
        return false;
    for (uint32_t i = 0; i < n; i++)
        out[i] = b_reshape(b, out[i], kept, nkept);
    return hlo_outs(h, out, n);
}

/* The operands: n values of one shape, then n scalars. In the pretty form they alternate. */
static Val *read_operands(Hlo *h, bool alternate, uint32_t *out_n)
{
    uint32_t n = h->op->in.n / 2;
    Val *in = arena_array(h->t->a, 2 * n + 1, sizeof *in);

    *out_n = n;
    if (h->op->in.n % 2)
        return hlo_op_fail(h, WF_ERR_FORMAT, "%u operands", h->op->in.n), NULL;
    for (uint32_t i = 0; i < 2 * n; i++)
        in[i] = hlo_in(h, alternate ? (i < n ? 2 * i : 2 * (i - n) + 1) : i);
    for (uint32_t i = 0; i < 2 * n && !failed(h->cx); i++)
        if (i < n ? !type_same_shape(b_type(h->s->b, in[i]), b_type(h->s->b, in[0])) : b_rank(h->s->b, in[i]) != 0)
            return hlo_op_fail(h, WF_ERR_FORMAT, "operands of other shapes"), NULL;
    return failed(h->cx) ? NULL : in;
}

bool hlo_reduce(Hlo *h, const HloRule *r)
{
    bool pretty = !hlo_get(h, "dimensions") || hlo_get(h, "dimensions")->kind == HLO_LIST;
    int64_t axes[2 * MAX_RANK];
    uint32_t n, naxes;
    const HloAttr *list = hlo_get(h, "dimensions");
    bool alternate = *hlo_text(h, "applies") || h->op->words.n; /* "across" */
    Val *in = read_operands(h, pretty && alternate, &n);
    const Program *p;
    int row, kind;

    (void)r;
    if (!in || !hlo_ints_of(h, list, axes, &naxes) || !(p = reducer(h, n)))
        return false;
    for (uint32_t i = 0; i < naxes; i++)
        if (axes[i] < 0 || axes[i] >= b_rank(h->s->b, in[0]) || (i && axes[i] <= axes[i - 1]))
            return hlo_op_fail(h, WF_ERR_FORMAT, "axis %lld of a value of %u", (long long)axes[i], b_rank(h->s->b, in[0]));
    if (n == 1 && (row = kind_row(hlo_kind(p))) >= 0)
        return hlo_out(h, reduce_one(h, row, in[0], axes, naxes, in[1]));
    if (n == 2 && naxes == 1 && (kind = arg_kind(p)) != 0 && is_iota(h->s->b, in[1], axes[0]) &&
        hlo_is_identity(h, kind == OP_gt ? OP_max : OP_min, in[2]) && b_is_number(h->s->b, in[3], 0) &&
        b_dim(h->s->b, in[0], (uint32_t)axes[0]) > 0)
        return arg_reduce(h, kind, in, axes[0]);
    return reduce_any(h, p, in, n, axes, naxes);
}

/* ---- windows ------------------------------------------------------------------------------------------------------------------ */

typedef struct Window {
    uint32_t rank;
    int64_t size[2 * MAX_RANK], stride[2 * MAX_RANK], base[2 * MAX_RANK], window[2 * MAX_RANK], lo[MAX_RANK], hi[MAX_RANK];
} Window;

static bool window_list(Hlo *h, const char *key, uint32_t rank, int64_t least, int64_t *out)
{
    uint32_t n;

    if (!hlo_ints(h, key, out, &n))
        return false;
    if (n && n != rank)
        return hlo_op_fail(h, WF_ERR_FORMAT, "%s: %u numbers of %u axes", key, n, rank);
    for (uint32_t i = 0; i < rank; i++)
        if ((out[i] = n ? out[i] : 1) < least)
            return hlo_op_fail(h, WF_ERR_FORMAT, "%s: %lld", key, (long long)out[i]);
    return true;
}

static bool read_window(Hlo *h, uint32_t rank, Window *w)
{
    int64_t pads[2 * MAX_RANK];
    uint32_t n;

    w->rank = rank;
    if (!window_list(h, "window_dimensions", rank, 1, w->size) || !window_list(h, "window_strides", rank, 1, w->stride) ||
        !window_list(h, "base_dilations", rank, 1, w->base) || !window_list(h, "window_dilations", rank, 1, w->window) ||
        !hlo_ints(h, "padding", pads, &n))
        return false;
    if (n && n != 2 * rank)
        return hlo_op_fail(h, WF_ERR_FORMAT, "padding: %u numbers of %u axes", n, rank);
    for (uint32_t i = 0; i < rank; i++) {
        w->lo[i] = n ? pads[2 * i] : 0;
        w->hi[i] = n ? pads[2 * i + 1] : 0;
    }
    return true;
}

static WindowAttr window_attr(Hlo *h, const Window *w, Dim *lo, Dim *hi)
{
    for (uint32_t i = 0; i < w->rank; i++) {
        lo[i] = dim_const(&h->s->b->dims, w->lo[i]);
        hi[i] = dim_const(&h->s->b->dims, w->hi[i]);
    }
    return (WindowAttr){.window = {w->rank, w->size}, .stride = {w->rank, w->stride}, .pad_lo = {w->rank, lo}, .pad_hi = {w->rank, hi},
                        .base_dilation = {w->rank, w->base}, .window_dilation = {w->rank, w->window}};
}

/* x with its padding and the gaps of base dilation filled; the window has none of them then. */
static Val pad_window(Hlo *h, Val x, Val init, Window *w)
{
    int64_t inner[MAX_RANK];
    Dim lo[MAX_RANK], hi[MAX_RANK];

    window_attr(h, w, lo, hi);
    for (uint32_t i = 0; i < w->rank; i++) {
        inner[i] = w->base[i] - 1;
        w->base[i] = 1;
        w->lo[i] = w->hi[i] = 0;
    }
    return b_pad(h->s->b, x, init, lo, hi, inner);
}

static bool window_any(Hlo *h, const Program *p, const Val *in, uint32_t n, Window w)
{
    Builder *b = h->s->b;
    Val *x = arena_array(h->t->a, n, sizeof *x), *args = arena_array(h->t->a, 2 * n, sizeof *args), *out = arena_array(h->t->a, n, sizeof *out);
    int64_t start[MAX_RANK], limit[MAX_RANK], size[MAX_RANK], places = 1, at[MAX_RANK] = {0};
    Window plain = w;

    for (uint32_t i = 0; i < n; i++) {
        plain = w;
        x[i] = pad_window(h, in[i], in[n + i], &plain);
    }
    if (failed(h->cx))
        return false;
    for (uint32_t i = 0; i < w.rank; i++) {
        int64_t span;

        if (!mul_i64(places, w.size[i], &places) || places > WINDOW_MOST || !mul_i64(w.size[i] - 1, w.window[i], &span) ||
            !add_i64(span, 1, &span))
            return hlo_op_fail(h, WF_ERR_LIMIT, "a region that is no primitive, in a window of more than %d places", WINDOW_MOST);
        size[i] = b_dim(b, x[0], i) < span ? 0 : (b_dim(b, x[0], i) - span) / w.stride[i] + 1;
    }
    for (uint32_t i = 0; i < n; i++)
        out[i] = b_broadcast_scalar(b, in[n + i], size, w.rank);
    for (int64_t k = 0; k < places; k++) {
        for (uint32_t i = 0; i < w.rank; i++) {
            start[i] = at[i] * w.window[i];
            limit[i] = size[i] ? start[i] + (size[i] - 1) * w.stride[i] + 1 : start[i];
            if (limit[i] > b_dim(b, x[0], i))
                start[i] = limit[i] = 0;
        }
        for (uint32_t i = 0; i < n; i++) {
            args[i] = out[i];
            args[n + i] = b_slice(b, x[i], start, limit, w.stride);
        }
        if (failed(h->cx) || !hlo_apply(h, p, args, 2 * n, out))
            return false;
        for (uint32_t i = w.rank; i-- > 0 && ++at[i] == w.size[i];)
            at[i] = 0;
    }
    return hlo_outs(h, out, n);
}

/* All of the elements up to each one, or from it: JAX's cumsum. Gives the axis, -1: it is not that. */
static int cumulative(const Builder *b, Val x, const Window *w, bool *reverse)
{
    int axis = -1;

    for (uint32_t i = 0; i < w->rank; i++) {
        if (w->stride[i] != 1 || w->base[i] != 1 || w->window[i] != 1)
            return -1;
        if (w->size[i] == 1 && !w->lo[i] && !w->hi[i])
            continue;
        if (axis >= 0 || w->size[i] != b_dim(b, x, i) || w->lo[i] + w->hi[i] != w->size[i] - 1 || (w->lo[i] && w->hi[i]))
            return -1;
        axis = (int)i;
        *reverse = w->hi[i] != 0;
    }
    return axis;
}

static Val flip(Hlo *h, Val x) /* so that the smallest is the largest */
{
    return dtype_is_float(b_dtype(h->s->b, x)) ? b_neg(h->s->b, x) : b_not(h->s->b, x);
}

static Val window_one(Hlo *h, int op, Val x, Window w, Val init)
{
    Builder *b = h->s->b;
    Dim lo[MAX_RANK], hi[MAX_RANK];
    bool known = hlo_is_identity(h, op, init), reverse = false;
    int axis = known ? cumulative(b, x, &w, &reverse) : -1;
    WindowAttr a;
    Val out[2], v = VAL_NONE;

    if (axis >= 0) {
        if (op == OP_max || op == OP_min)
            return b_eqn(b, op == OP_max ? OP_cummax : OP_cummin, &x, 1, &(CumExtremeAttr){axis, reverse, false}, out, 2) ? out[0] : VAL_NONE;
        return b_eqn1(b, op == OP_add ? OP_cumsum : OP_cumprod, &x, 1, &(CumAttr){axis, reverse});
    }
    a = window_attr(h, &w, lo, hi);
    if (op == OP_add) {
        v = b_eqn1(b, OP_reduce_window_sum, &x, 1, &a);
    } else {
        if (op == OP_min)
            x = flip(h, x);
        if (b_eqn(b, OP_reduce_window_max, &x, 1, &a, out, 2))
            v = op == OP_min ? flip(h, out[0]) : out[0];
    }
    return known || failed(h->cx) ? v : combine(h, op, v, init);
}

bool hlo_reduce_window(Hlo *h, const HloRule *r)
{
    uint32_t n;
    Val *in = read_operands(h, false, &n);
    const Program *p;
    Window w;
    int op;
    bool complex;

    (void)r;
    if (!in || !read_window(h, b_rank(h->s->b, in[0]), &w) || !(p = reducer(h, n)))
        return false;
    op = n == 1 ? hlo_kind(p) : -1;
    complex = dtype_is_complex(b_dtype(h->s->b, in[0]));
    if ((op == OP_add && b_dtype(h->s->b, in[0]) != WF_BOOL) || ((op == OP_max || op == OP_min) && !complex) ||
        (op == OP_mul && !complex && hlo_is_identity(h, op, in[1]) && cumulative(h->s->b, in[0], &w, &(bool){0}) >= 0))
        return hlo_out(h, window_one(h, op, in[0], w, in[1]));
    return window_any(h, p, in, n, w);
}

/* The element of each window that a comparison chooses gets the source's added: the gradient of a max pool. */
bool hlo_select_and_scatter(Hlo *h, const HloRule *r)
{
    Builder *b = h->s->b;
    Val x = hlo_in(h, 0), source = hlo_in(h, 1), init = hlo_in(h, 2), out[2], zero, at;
    const Program *choose, *add;
    Window w;
    Dim lo[MAX_RANK], hi[MAX_RANK], count = 1, n = 1;
    Type t;
    WindowAttr a;
    int op;

    (void)r;
    if (failed(h->cx))
        return false;
    if (h->op->regions.n != 2)
        return hlo_op_fail(h, WF_ERR_FORMAT, "needs two regions");
    if (!read_window(h, b_rank(b, x), &w) || !(choose = hlo_region_program(h, h->op->regions.v[0])) ||
        !(add = hlo_region_program(h, h->op->regions.v[1])))
        return false;
    op = hlo_kind(choose);
    if ((op != OP_ge && op != OP_le) || hlo_kind(add) != OP_add)
        return hlo_op_fail(h, WF_ERR_UNSUPPORTED, "regions other than ge or le, and add");
    a = window_attr(h, &w, lo, hi);
    x = op == OP_ge ? x : flip(h, x);
    if (!b_eqn(b, OP_reduce_window_max, &x, 1, &a, out, 2))
        return false;
    if (!type_same_shape(b_type(b, out[0]), b_type(b, source)))
        return hlo_op_fail(h, WF_ERR_FORMAT, "a source of another shape than the windows");
    t = b_type(b, x);
    for (uint32_t i = 0; i < t.rank; i++)
        count *= t.dims[i];
    for (uint32_t i = 0; i < b_rank(b, source); i++)
        n *= b_dim(b, source, i);
    zero = b_broadcast_scalar(b, init, &count, 1);
    at = b_reshape(b, out[1], (Dim[]){n, 1}, 2);
    zero = b_scatter(b, OP_scatter_add, zero, at, b_reshape(b, source, &n, 1),
                     &(ScatterAttr){.inserted = INTS(1, 0), .operand_dims = INTS(1, 0), .mode = INDEX_DROP});
    return !failed(h->cx) && hlo_out(h, b_reshape(b, zero, t.dims, t.rank));
}
