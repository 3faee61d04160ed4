/* view.c -- writing through views: what was written into a view is seen by its base, and
 * by other views of it.
 *
 * Concrete   The memory is shared, so numbers need nothing. Histories do: a view knows
 *            the tensor it was made of (root). A recorded value written into a view
 *            makes root's history a scatter of the value into what root was. Other
 *            views notice by root's stamp that their history is old, and take theirs
 *            from root by a gather, when they are used next.
 * Symbolic   There is no memory. A view knows its base and the op that made it. Writing
 *            to it gives the base, and its base, the value with the written part
 *            replaced; other views are made again when they are used next.
 */
#include "tensor/tensor.h"

#include <stdlib.h>

/* ---- concrete ---- */

/* Two of its elements may be one in memory. */
static bool overlaps(const Tensor *t)
{
    bool done[MAX_RANK] = {0};
    int64_t end = 0; /* the last place of the axes looked at, by rising stride */

    for (uint32_t n = 0; n < t->rank && t->count > 1; n++) {
        uint32_t k = 0;
        int64_t s;
        while (done[k])
            k++;
        for (uint32_t j = k + 1; j < t->rank; j++)
            if (!done[j] && llabs(t->strides[j]) < llabs(t->strides[k]))
                k = j;
        done[k] = true;
        s = llabs(t->strides[k]);
        if (t->dims[k] > 1 && s <= end)
            return true;
        end += s * (t->dims[k] - 1);
    }
    return false;
}

/* All elements are one in memory. */
static bool is_splat(const Tensor *t)
{
    for (uint32_t k = 0; k < t->rank; k++)
        if (t->dims[k] > 1 && t->strides[k])
            return false;
    return true;
}

bool view_may_take(const Tensor *x, const Tensor *v)
{
    if (x->packed || is_splat(v))
        return true;
    for (uint32_t k = 0; k < x->rank; k++)
        if (x->dims[k] > 1 && x->strides[k] == 0)
            return false;
    return !overlaps(x);
}

/* Its elements are a piece of memory without gaps, each once, in some order of the axes. */
static bool is_dense(const Tensor *t)
{
    int64_t end = 0;

    for (uint32_t k = 0; k < t->rank; k++) {
        if (t->strides[k] < 0)
            return false;
        end += t->dims[k] > 1 ? t->strides[k] * (t->dims[k] - 1) : 0;
    }
    return end == t->count - 1 && !overlaps(t);
}

bool view_laps(const Tensor *x, const Tensor *v)
{
    const int64_t xs = (int64_t)wf_dtype_size((wf_dtype)x->dtype), vs = (int64_t)wf_dtype_size((wf_dtype)v->dtype);
    const int64_t at = x->offset * xs, end = at + x->count * xs, from = v->offset * vs, to = from + v->count * vs;

    if (x == v || x->symbolic || v->symbolic || !x->store || x->store != v->store || at >= to || from >= end ||
        !is_dense(x) || !is_dense(v))
        return false;
    if (at != from || end != to || x->rank != v->rank)
        return true;
    for (uint32_t k = 0; k < x->rank; k++)
        if (x->dims[k] > 1 && x->strides[k] != v->strides[k])
            return true;
    return false;
}

/* Which element of root, in row-major order, is `place` elements from its first in memory;
 * -1: none. Axes are taken by falling stride. */
static int64_t element_at(const Tensor *root, int64_t place)
{
    bool done[MAX_RANK] = {0};
    int64_t at[MAX_RANK], i = 0;

    if (root->packed)
        return place >= 0 && place < root->count ? place : -1;
    for (uint32_t n = 0; n < root->rank; n++) {
        uint32_t k = 0;
        while (done[k])
            k++;
        for (uint32_t j = k + 1; j < root->rank; j++)
            if (!done[j] && root->strides[j] > root->strides[k])
                k = j;
        done[k] = true;
        at[k] = root->strides[k] > 0 ? MIN(place / root->strides[k], root->dims[k] - 1) : 0;
        place -= at[k] * root->strides[k];
    }
    if (place != 0)
        return -1;
    for (uint32_t k = 0; k < root->rank; k++)
        i = i * root->dims[k] + at[k];
    return i;
}

/* Complex numbers seen as pairs of real ones (`parts`: the root's are), or pairs of real ones as complex numbers
 * (`pairs`: the view's are complex). Where one of these holds, places are those of real numbers. */
typedef struct Parting {
    bool parts, pairs;
} Parting;

static Parting parting_of(const Tensor *t)
{
    bool mine = dtype_is_complex((wf_dtype)t->dtype), its = dtype_is_complex((wf_dtype)t->root->dtype);

    return (Parting){.parts = its && !mine, .pairs = mine && !its};
}

static int64_t parted_element_at(const Tensor *root, Parting s, int64_t place)
{
    int64_t i = place < 0 ? -1 : element_at(root, s.parts ? place / 2 : place);

    return i < 0 || !s.parts ? i : 2 * i + place % 2;
}

/* Where the n elements of the view t are among those of its root, i64[n,1]; 2 n of them for pairs. */
static wf_tensor places_in_root(wf_ctx *c, const Tensor *t, Parting s)
{
    const int64_t unit = s.pairs ? 2 : 1;
    Tensor *p = tensor_new(c, WF_I64, (int64_t[]){t->count * unit, 1}, 2);
    int64_t at[MAX_RANK] = {0}, *out, place = t->offset * unit - t->root->offset * (s.parts ? 2 : 1);

    if (!p)
        return WF_NONE;
    out = tensor_data(p);
    for (int64_t i = 0; i < p->count; i++) {
        if ((out[i] = parted_element_at(t->root, s, place + i % unit)) < 0) {
            tensor_release(c, p);
            return tensor_fail(c, WF_ERR_UNSUPPORTED,
                         "a view reaches memory outside of the tensor whose history it "
                         "shares");
        }
        for (uint32_t k = i % unit == unit - 1 ? t->rank : 0; k-- > 0;) {
            place += t->strides[k] * unit;
            if (++at[k] < t->dims[k])
                break;
            place -= t->strides[k] * t->dims[k] * unit;
            at[k] = 0;
        }
    }
    return tensor_handle(c, p);
}

static wf_tensor shaped(wf_ctx *c, wf_tensor x, const int64_t *dims, uint32_t rank)
{
    return op_1(c, OP_reshape, x, &(ShapeAttr){{rank, dims}});
}

/* n complex numbers as 2 n real ones, and back */
static wf_tensor as_parts(wf_ctx *c, wf_tensor x, int64_t n)
{
    wf_tensor re = shaped(c, op_1(c, OP_real, x, NULL), (int64_t[]){n, 1}, 2);
    wf_tensor im = shaped(c, op_1(c, OP_imag, x, NULL), (int64_t[]){n, 1}, 2);

    return shaped(c, op_2(c, OP_concat, re, im, &(AxisAttr){.axis = 1}), (int64_t[]){2 * n}, 1);
}

static wf_tensor as_pairs(wf_ctx *c, wf_tensor x, int64_t n)
{
    static const int64_t start[] = {0, 1}, step[] = {2};
    int64_t limit[] = {2 * n};
    wf_tensor part[2];

    for (int k = 0; k < 2; k++)
        part[k] = op_1(c, OP_slice, x, &(SliceAttr){{1, start + k}, {1, limit}, {1, step}});
    return op_2(c, OP_complex, part[0], part[1], NULL);
}

static wf_tensor flat_root(wf_ctx *c, const Tensor *t, Parting s)
{
    wf_tensor x = shaped(c, tensor_handle(c, tensor_retain(t->root)), &t->root->count, 1);

    return s.parts ? as_parts(c, x, t->root->count) : x;
}

/* The elements of t, of its root. */
static wf_tensor taken_from_root(wf_ctx *c, const Tensor *t)
{
    static const int64_t axis[] = {0}, one[] = {1};
    GatherAttr a = {.collapsed = {1, axis}, .start_index_map = {1, axis}, .slice_sizes = {1, one}};
    Parting s = parting_of(t);
    wf_tensor x = flat_root(c, t, s);

    if (t->root->count) /* else there is nothing to take */
        x = op_2(c, OP_gather, x, places_in_root(c, t, s), &a);
    return shaped(c, s.pairs ? as_pairs(c, x, t->count) : x, t->dims, t->rank);
}

/* The root with v for the elements of t. */
static wf_tensor put_into_root(wf_ctx *c, const Tensor *t, wf_tensor v)
{
    static const int64_t axis[] = {0};
    ScatterAttr a = {.inserted = {1, axis}, .operand_dims = {1, axis}, .mode = INDEX_DROP};
    Parting s = parting_of(t);
    wf_tensor in[] = {flat_root(c, t, s), places_in_root(c, t, s), shaped(c, v, &t->count, 1)}, x;

    if (s.pairs)
        in[2] = as_parts(c, in[2], t->count);
    x = tensor_op1(c, OP_scatter, in, 3, &a);
    return shaped(c, s.parts ? as_pairs(c, x, t->root->count) : x, t->root->dims, t->root->rank);
}

/* t takes the history of `from`, which has its numbers. */
void history_take(wf_ctx *c, Tensor *t, const Tensor *from)
{
    RecordNode *old = t->node;

    t->node = from ? from->node : NULL;
    t->out = from ? from->out : 0;
    t->need = from ? from->need : 0;
    if (t->node)
        t->node->refs++;
    if (old) {
        if (old->leaf == t)
            old->leaf = NULL;
        node_release(c, old);
    }
}

Tensor *tensor_with_history(wf_ctx *c, wf_tensor h, const char *fn)
{
    Tensor *t = tensor_get(c, h, fn);

    return t && view_is_old(t) && !view_refresh(c, t) ? NULL : t;
}

bool view_write_back(wf_ctx *c, Tensor *x, wf_tensor v)
{
    Tensor *r;

    scope_open(c);
    if ((r = tensor_get(c, put_into_root(c, x, v), "write")) != NULL) {
        if (r->node && r->node->prim)
            r->node->label = "copy_slices";
        history_take(c, x->root, r);
    }
    scope_close_n(c, NULL, 0);
    return !failed(c);
}

bool view_refresh(wf_ctx *c, Tensor *t)
{
    Tensors *s = c->tensors;
    Tensor *y;
    int no_grad = s->no_grad;

    t->stamp = t->root->stamp;
    if (!t->root->node || !(t->root->need & s->recorders)) {
        history_take(c, t, NULL);
        return true;
    }
    s->no_grad = 0;
    scope_open(c);
    y = tensor_get(c, taken_from_root(c, t), "view");
    if (y)
        history_take(c, t, y);
    scope_close_n(c, NULL, 0);
    s->no_grad = no_grad;
    return !failed(c);
}

wf_tensor view_strided(wf_ctx *c, wf_tensor x, wf_dtype dtype, const int64_t *dims, const int64_t *strides,
                       uint32_t rank, int64_t offset)
{
    IN_CALL(c);
    Tensor *t = tensor_with_history(c, x, "view"), *v;

    v = t ? tensor_view(c, t, dtype, dims, strides, rank, offset) : NULL;
    if (!v)
        return WF_NONE;
    v->root = tensor_retain(t->root ? t->root : t);
    v->stamp = v->root->stamp;
    if (!c->tensors->no_grad && t->need & c->tensors->recorders)
        view_refresh(c, v);
    return tensor_handle(c, v);
}

wf_tensor own_result_of(wf_ctx *c, wf_tensor x, wf_tensor y)
{
    Tensor *a = tensor_get(c, x, "copy"), *b = tensor_get(c, y, "copy");

    if (!a || !b)
        return WF_NONE;
    return (b->symbolic ? a == b || b->base : a->store == b->store) ? wf_copy(c, y) : y;
}

/* ---- symbolic ---- */

Tensor *view_top(Tensor *t)
{
    while (t->base)
        t = t->base;
    return t;
}

static bool view_packed_in(Builder *b, const Tensor *t);

/* Strides that t would have in memory, its top being row-major. False: not known. */
static bool strides_of(Builder *b, const Tensor *t, Dim *out)
{
    Dim in[MAX_RANK], n = 1;
    const Tensor *x = t->base;

    if (!x || t->view_op == OP_reshape) {
        if (x && !view_packed_in(b, x))
            return false;
        for (uint32_t k = t->rank; k-- > 0; n = dim_mul(&b->dims, n, t->dims[k]))
            out[k] = n;
        return true;
    }
    if (!strides_of(b, x, in))
        return false;
    switch (t->view_op) {
    case OP_broadcast: {
        const BroadcastAttr *a = t->view_attr;
        memset(out, 0, t->rank * sizeof *out);
        for (uint32_t k = 0; k < x->rank; k++)
            out[a->dims.v[k]] = x->dims[k] == 1 ? 0 : in[k];
        return true;
    }
    case OP_transpose: {
        const TransposeAttr *a = t->view_attr;
        for (uint32_t k = 0; k < t->rank; k++)
            out[k] = in[a->perm.v[k]];
        return true;
    }
    case OP_slice: {
        const SliceAttr *a = t->view_attr;
        for (uint32_t k = 0; k < t->rank; k++)
            out[k] = dim_mul(&b->dims, in[k], a->stride.n ? a->stride.v[k] : 1);
        return true;
    }
    case OP_bitcast: memcpy(out, in, t->rank * sizeof *out); return true;
    case VIEW_PARTS: out[x->rank] = 1; /* fall through */
    case OP_real:
    case OP_imag:
        for (uint32_t k = 0; k < x->rank; k++)
            out[k] = dim_mul(&b->dims, in[k], 2);
        return true;
    default: return false;
    }
}

static bool view_packed_in(Builder *b, const Tensor *t)
{
    Dim s[MAX_RANK], n = 1;

    if (!t->base)
        return true;
    if (!strides_of(b, t, s))
        return false;
    for (uint32_t k = t->rank; k-- > 0; n = dim_mul(&b->dims, n, t->dims[k]))
        if (t->dims[k] != 1 && s[k] != n)
            return false;
    return true;
}

bool view_is_packed(wf_ctx *c, const Tensor *t)
{
    Trace *tr = trace_find(c, t->trace);
    bool packed = false;

    if (!t->base || !tr)
        return true;
    T_ENTER(c, false)
    packed = view_packed_in(tr->b, t);
    T_LEAVE(c);
    return packed;
}

/* Do they differ in axes of size 1 at most? */
static bool same_but_ones(const Dim *a, uint32_t na, const Dim *b, uint32_t nb)
{
    uint32_t i = 0, j = 0;

    for (;; i++, j++) {
        while (i < na && a[i] == 1)
            i++;
        while (j < nb && b[j] == 1)
            j++;
        if (i == na || j == nb)
            return i == na && j == nb;
        if (a[i] != b[j])
            return false;
    }
}

Sharing view_reshapes(Builder *b, const Tensor *t, const Dim *dims, uint32_t rank)
{
    Dim s[MAX_RANK];
    int64_t strides[MAX_RANK];
    Tensor like = {.rank = t->rank, .dims = t->dims, .strides = s, .count = 1};

    if (same_but_ones(t->dims, t->rank, dims, rank) || view_packed_in(b, t))
        return SHARES;
    if (!strides_of(b, t, s))
        return UNSURE;
    for (uint32_t k = 0; k < t->rank; k++) {
        if (t->dims[k] < 0 || s[k] < 0)
            return UNSURE;
        like.count *= t->dims[k];
    }
    for (uint32_t k = 0; k < rank; k++)
        if (dims[k] < 0)
            return UNSURE;
    return reshape_strides(&like, dims, rank, strides) ? SHARES : COPIES;
}

void view_remember(Trace *tr, Tensor *in, Tensor *out, int op, const void *attr)
{
    out->base = tensor_retain(in);
    out->view_op = (uint16_t)op;
    out->view_attr = !attr ? NULL
                           : attr_copy(op_row((OpCode)op), attr, &tr->b->arena, &tr->b->dims,
                                       &tr->b->dims, NULL);
    out->stamp = view_top(in)->stamp;
}

static bool remember_gather(wf_ctx *c, Trace *tr, Tensor *in, Tensor *index,
                            const GatherAttr *a, Tensor *out)
{
    T_ENTER(c, false)
    view_remember(tr, in, out, OP_gather, a);
    out->view_index = trace_value(c, tr, index);
    trace_hold(tr);
    T_LEAVE(c);
    return !failed(c);
}

void view_gathered(wf_ctx *c, wf_tensor x, wf_tensor index, const GatherAttr *a, wf_tensor y)
{
    Tensor *in = tensor_get(c, x, "view"), *ix = tensor_get(c, index, "view"),
           *out = tensor_get(c, y, "view");
    IN_GRAPH_(graph_enter_tensors(c, &in, in ? 1 : 0));
    Trace *tr = c->tensors->trace;

    if (!in || !ix || !out || !tr || !in->symbolic || in->trace != tr->id || out->base)
        return;
    remember_gather(c, tr, in, ix, a, out);
}

/* The parts of complex numbers on a new last axis, and numbers made of a last axis of two */
static Val make_parts(Builder *b, Val x)
{
    Type t = b_type(b, x);
    Val part[2] = {b_eqn1(b, OP_real, &x, 1, NULL), b_eqn1(b, OP_imag, &x, 1, NULL)};
    Dim dims[MAX_RANK];

    memcpy(dims, t.dims, t.rank * sizeof *dims);
    dims[t.rank] = 1;
    for (int k = 0; k < 2; k++)
        part[k] = b_reshape(b, part[k], dims, t.rank + 1);
    return b_concat(b, part, 2, t.rank);
}

static Val make_pairs(Builder *b, Val x)
{
    Type t = b_type(b, x);
    Val part[2];

    for (int k = 0; k < 2; k++)
        part[k] = b_reshape(b, b_slice_axis(b, x, t.rank - 1, k, k + 1), t.dims, t.rank - 1);
    return b_eqn1(b, OP_complex, part, 2, NULL);
}

wf_tensor view_of_parts(wf_ctx *c, wf_tensor x, bool pairs)
{
    Tensor *t = tensor_get(c, x, "view"), *y = NULL;
    IN_GRAPH_(graph_enter_tensors(c, &t, t ? 1 : 0));
    Trace *tr = c->tensors->trace;

    if (!t || !tr || t->trace != tr->id || (!pairs && t->rank == MAX_RANK))
        return WF_NONE;
    T_ENTER(c, WF_NONE)
    Val v = trace_value(c, tr, t);
    y = tensor_symbol(c, tr, pairs ? make_pairs(tr->b, v) : make_parts(tr->b, v));
    if (y)
        view_remember(tr, t, y, pairs ? VIEW_PAIRS : VIEW_PARTS, NULL);
    trace_hold(tr);
    T_LEAVE(c);
    return y ? tensor_handle(c, y) : WF_NONE;
}

void view_make_again(wf_ctx *c, Tensor *t)
{
    uint32_t stamp = view_top(t)->stamp;
    Trace *tr = trace_find(c, t->trace);

    if (!t->base || t->stamp == stamp || !tr)
        return;
    view_make_again(c, t->base);
    if (t->view_op == VIEW_PARTS || t->view_op == VIEW_PAIRS)
        t->val = (t->view_op == VIEW_PARTS ? make_parts : make_pairs)(tr->b, t->base->val);
    else
        t->val = b_eqn1(tr->b, (OpCode)t->view_op, (Val[]){t->base->val, t->view_index},
                    t->view_op == OP_gather ? 2 : 1,
                    hint_attr(c, tr, (OpCode)t->view_op, t->view_attr));
    t->stamp = stamp;
}

/* A concrete tensor as a value of the program. */
static Tensor *as_symbol(wf_ctx *c, Trace *tr, Tensor *t)
{
    Tensor *y = NULL;

    T_ENTER(c, NULL)
    y = tensor_symbol(c, tr, trace_value(c, tr, t));
    trace_hold(tr);
    T_LEAVE(c);
    return y;
}

/* x, which is no longer concrete, of its root r, which is not either: the elements at these places. */
static void look_again(wf_ctx *c, Tensor *x, Tensor *r, int64_t n, wf_tensor places)
{
    static const int64_t axis[] = {0}, one[] = {1};
    GatherAttr a = {.collapsed = {1, axis}, .start_index_map = {1, axis}, .slice_sizes = {1, one}};
    wf_tensor flat = shaped(c, tensor_handle(c, tensor_retain(r)), &n, 1), taken = op_2(c, OP_gather, flat, places, &a);
    Tensor *y;

    view_gathered(c, flat, places, &a, taken);
    if ((y = tensor_get(c, shaped(c, taken, x->dims, x->rank), "write")) != NULL) {
        tensor_become(c, x, y);
        x->view_unsure = false;
    }
}

bool view_lift(wf_ctx *c, Tensor *x)
{
    Tensor *r = x->root ? x->root : x, *y;
    Trace *tr = c->tensors->trace;
    const int32_t users = 1 + (r->array != NULL) + (x == r ? 0 : 1 + (x->array != NULL));
    const int64_t n = r->count;
    wf_tensor places = WF_NONE;
    bool ok;

    if (!tr || x->store->born != tr->id || x->store->refs != users || r->node || x->node || r->wants_grad || r->dtype != x->dtype)
        return false;
    scope_open(c);
    if (x != r)
        places = places_in_root(c, x, (Parting){0});
    if (!failed(c) && (y = as_symbol(c, tr, r)) != NULL) {
        Tensor *root = tensor_retain(r);
        tensor_become(c, root, y);
        tensor_release(c, y);
        if (x != r)
            look_again(c, x, root, n, places);
        tensor_release(c, root);
    }
    ok = !failed(c) && x->symbolic;
    scope_close_n(c, NULL, 0);
    return ok;
}

/* Where along axis k of x the places start, start + step .. of n there are lie, and v with the
 * size of x along it, each of its elements at its place. */
static Val spread_axis(Builder *b, Type t, uint32_t k, Dim start, int64_t step, Val *v)
{
    Type u = b_type(b, *v);
    Dim sizes[MAX_RANK], size = t.dims[k];
    int64_t others[MAX_RANK], axis = k;
    Val one = b_scalar(b, WF_I64, (double)step), zero = b_scalar(b, WF_I64, 0), i, q, on;
    uint32_t n = 0;

    i = b_iota(b, WF_I64, &size, 1, 0);
    i = b_sub(b, i, b_broadcast(b, b_dim_value(b, start), &size, 1, NULL));
    q = b_div(b, i, b_broadcast(b, one, &size, 1, NULL));
    on = b_lt(b, q, b_broadcast(b, b_dim_value(b, u.dims[k]), &size, 1, NULL));
    on = b_and(b, b_ge(b, i, b_broadcast(b, zero, &size, 1, NULL)), on);
    on = b_and(b, b_eq(b, b_mul(b, q, b_broadcast(b, one, &size, 1, NULL)), i), on);
    for (uint32_t j = 0; j < u.rank; j++) {
        sizes[j] = j == k ? 1 : u.dims[j];
        if (j != k)
            others[n++] = j;
    }
    *v = b_gather(b, *v, b_reshape(b, q, (Dim[]){size, 1}, 2),
                  &(GatherAttr){.offset_dims = {n, others},
                                .collapsed = {1, &axis},
                                .start_index_map = {1, &axis},
                                .slice_sizes = {u.rank, sizes},
                                .mode = INDEX_CLIP});
    return b_broadcast(b, on, t.dims, t.rank, &axis);
}

/* x[start : limit : stride] = v, of sizes that are not known */
static Val put_spread(Builder *b, Val x, Val v, const SliceAttr *a)
{
    Type t = b_type(b, x);
    Val mask = VAL_NONE;

    for (uint32_t k = 0; k < t.rank; k++) {
        int64_t step = a->stride.n ? a->stride.v[k] : 1;
        Val on;
        if (step == 1 && b_dim(b, v, k) == t.dims[k])
            continue;
        on = spread_axis(b, t, k, a->start.v[k], step, &v);
        mask = mask ? b_and(b, mask, on) : on;
    }
    return mask ? b_select(b, mask, v, x) : v;
}

/* x[start : limit : stride] = v */
static Val put_slice(Builder *b, Val x, Val v, const SliceAttr *a)
{
    Type t = b_type(b, x), u = b_type(b, v);
    Dim hi[MAX_RANK];
    int64_t interior[MAX_RANK];
    Val starts[MAX_RANK], mask, zero = b_scalar(b, (wf_dtype)t.dtype, 0);
    bool dense = true;

    for (uint32_t k = 0; k < t.rank; k++) {
        int64_t step = a->stride.n ? a->stride.v[k] : 1;
        Dim span = u.dims[k];
        if (span == 0)
            return x;
        dense = dense && step == 1;
        if (step > 1 && (span < 0 || t.dims[k] < 0))
            return put_spread(b, x, v, a);
        interior[k] = step - 1;
        if (step > 1)
            span = (span - 1) * step + 1;
        hi[k] = dim_sub(&b->dims, t.dims[k], dim_add(&b->dims, a->start.v[k], span));
        starts[k] = dense ? b_dim_value(b, a->start.v[k]) : VAL_NONE;
    }
    if (dense)
        return b_dynamic_update_slice(b, x, v, starts);
    mask = b_full(b, b_make_type(b, WF_BOOL, u.dims, u.rank), 1);
    mask = b_pad(b, mask, b_scalar(b, WF_BOOL, 0), a->start.v, hi, interior);
    return b_select(b, mask, b_pad(b, v, zero, a->start.v, hi, interior), x);
}

/* x with v at the places a gather reads. */
static Val put_gathered(Builder *b, Val x, Val index, Val v, const GatherAttr *a)
{
    return b_scatter(b, OP_scatter, x, index, v,
                     &(ScatterAttr){.update_window = a->offset_dims,
                                    .inserted = a->collapsed,
                                    .operand_batching = a->operand_batching,
                                    .indices_batching = a->indices_batching,
                                    .operand_dims = a->start_index_map,
                                    .mode = INDEX_DROP});
}

/* The base with value x whose view, made of it by attr, has become v. */
static Val put_back(wf_ctx *c, const char *fn, Builder *b, const Tensor *view,
                    const void *attr, Val x, Val v)
{
    Type t = b_type(b, x);
    int64_t perm[MAX_RANK];

    switch (view->view_op) {
    case OP_slice: return put_slice(b, x, v, attr);
    case OP_gather: return put_gathered(b, x, view->view_index, v, attr);
    case OP_bitcast: return b_bitcast(b, v, (wf_dtype)t.dtype);
    case OP_real: return b_eqn1(b, OP_complex, (Val[]){v, b_eqn1(b, OP_imag, &x, 1, NULL)}, 2, NULL);
    case OP_imag: return b_eqn1(b, OP_complex, (Val[]){b_eqn1(b, OP_real, &x, 1, NULL), v}, 2, NULL);
    case VIEW_PARTS: return make_pairs(b, v);
    case VIEW_PAIRS: return make_parts(b, v);
    case OP_rev:
        return b_rev(b, v, ((const AxesAttr *)attr)->axes.v,
                     ((const AxesAttr *)attr)->axes.n);
    case OP_transpose:
        for (uint32_t k = 0; k < t.rank; k++)
            perm[((const TransposeAttr *)attr)->perm.v[k]] = k;
        return b_transpose(b, v, perm);
    case OP_broadcast:
        if (dim_prod(&b->dims, t.dims, t.rank) !=
            dim_prod(&b->dims, b_type(b, v).dims, b_rank(b, v))) {
            tensor_fail(c, WF_ERR_UNSUPPORTED,
                  "%s: more than one element of the tensor stands for a single element "
                  "of what it is a view of",
                  fn);
            return VAL_NONE;
        }
        return b_reshape(b, v, t.dims, t.rank);
    case OP_reshape: return b_reshape(b, v, t.dims, t.rank);
    default: return v;
    }
}

bool view_assign(wf_ctx *c, const char *fn, Trace *tr, Tensor *x, Val v)
{
    Tensor *top = view_top(x);

    for (Tensor *t = x; t; t = t->base) {
        if (t->trace != tr->id && t != x) {
            tensor_fail(c, WF_ERR_UNSUPPORTED,
                  "%s: the tensor is a view of one outside of the function being traced",
                  fn);
            return false;
        }
        if (t->view_unsure) {
            tensor_fail(c, WF_ERR_UNSUPPORTED,
                  "%s: whether the tensor shares the memory of what it was made of cannot be "
                  "told in a program; copy it first, or make it a view",
                  fn);
            return false;
        }
        if (t->base)
            view_make_again(c, t->base);
        t->val = v;
        t->trace = tr->id;
        t->stamp = top->stamp + 1;
        if (t->base)
            v = put_back(c, fn, tr->b, t,
                         hint_attr(c, tr, (OpCode)t->view_op, t->view_attr), t->base->val,
                         v);
        if (failed(c))
            return false;
    }
    top->stamp = x->stamp;
    return true;
}
