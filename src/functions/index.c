/* index.c -- NumPy indexing in full, read and assign, and the functions that gather and scatter.
 *
 * An index is a list of items: integers, slices of any step, an ellipsis, new axes, integer tensors and
 * masks. The basic ones (integers, slices, new axes) become slice, rev and reshape, so eager results are
 * views; the tensors then become one gather. Axes of the gathered part stand where the first tensor
 * stood if all tensors (and integers, which count as such then) are next to each other, else in front.
 *
 * Assignment finds the places of the elements and scatters there: counted (Reach) where all is known, as a sum where tensors stand for
 * every axis, else by indexing the numbers 0..count-1 in the same way. Where nothing is recorded it writes into the memory itself.
 */
#include "functions/functions.h"

#define MAX_ITEMS 64

typedef struct Item { /* one axis of the result of the basic part */
    uint8_t kind;     /* wf_index_kind: SLICE (kept), NEW, TENSOR */
    Dim size;         /* of the axis in y */
    wf_tensor t;      /* TENSOR: i64 */
    uint32_t axis;    /* of x; none for NEW */
} Item;

typedef struct IndexPlan {
    Shape x;
    uint32_t n; /* axes of y, the basic part */
    Item item[MAX_ITEMS];
    Dim start[MAX_RANK], limit[MAX_RANK];
    int64_t stride[MAX_RANK];
    int64_t rev[MAX_RANK];
    uint32_t nrev;
    bool any_tensor, any_slice; /* any_slice: the basic part is not all of x */
} IndexPlan;

/* ---- masks ---- */

wf_tensor wf_nonzero(wf_ctx *c, wf_tensor x)
{
    IN_CALL(c);
    Tensor *t = tensor_get(c, x, "wf_nonzero"), *out = NULL;
    Trace *tr;
    Dim sym;

    if (!t)
        return WF_NONE;
    if (!t->symbolic)
        return op_1(c, OP_nonzero, x, NULL);
    IN_GRAPH_(graph_enter_tensors(c, &t, 1));
    tr = c->tensors->trace;
    if (!tr)
        return tensor_fail(c, WF_ERR_ARG, "wf_nonzero: the tensor's trace has ended");
    {
        T_ENTER(c, WF_NONE)
        sym = b_symbol(tr->b, "K");
        T_LEAVE(c);
    }
    return trace_emit(c, OP_nonzero, &t, 1, &(SymAttr){sym}, &out, 1)
               ? tensor_handle(c, out)
               : WF_NONE;
}

/* A mask of rank r is r integer tensors: the columns of nonzero. */
static bool add_mask(wf_ctx *c, IndexPlan *p, wf_tensor mask, uint32_t axis)
{
    Shape m, z;
    wf_tensor places;

    if (!shape_of(c, mask, "index", &m))
        return false;
    if (m.rank == 0) {
        tensor_fail(c, WF_ERR_UNSUPPORTED, "index: a single bool as an index is not supported; give it an axis: x[None][mask[None]]");
        return false;
    }
    for (uint32_t k = 0; k < m.rank; k++)
        if (!size_same(c, m.d[k], p->x.d[axis + k])) {
            tensor_fail(c, WF_ERR_INDEX,
                  "index: a mask of shape %s does not fit axis %u of the tensor",
                  shape_text(c, tensor_get(c, mask, "index")), axis + k);
            return false;
        }
    places = wf_nonzero(c, mask);
    if (!shape_of(c, places, "index", &z))
        return false;
    for (uint32_t k = 0; k < m.rank; k++) {
        wf_tensor col = slice_axis(c, places, 1, k, (Dim)k + 1);
        p->item[p->n++] =
            (Item){WF_INDEX_TENSOR, p->x.d[axis + k], wf_reshape(c, col, z.d, 1), axis + k};
        p->start[axis + k] = 0;
        p->limit[axis + k] = p->x.d[axis + k];
    }
    return !failed(c);
}

/* ---- normalising ---- */

/* Python's slice.indices for a constant size. */
static bool resolve_slice(wf_ctx *c, const wf_index *ix, int64_t size, int64_t *start,
                          int64_t *count)
{
    int64_t step = ix->has_step ? ix->step : 1, lo = step < 0 ? -1 : 0,
            hi = step < 0 ? size - 1 : size, a, b;

    if (step == 0) {
        tensor_fail(c, WF_ERR_VALUE, "index: the step of a slice is 0");
        return false;
    }
    a = ix->has_start ? (ix->start < 0 ? ix->start + size : ix->start)
        : step < 0    ? hi
                      : lo;
    b = ix->has_stop ? (ix->stop < 0 ? ix->stop + size : ix->stop) : step < 0 ? lo : hi;
    a = MIN(MAX(a, lo), hi);
    b = MIN(MAX(b, lo), hi);
    if (step > 0)
        *count = b > a ? (b - a - 1) / step + 1 : 0;
    else
        *count = a > b ? 1 - (a - b - 1) / step : 0;
    *start = a;
    return true;
}

/* size >= bound, as a guard where it cannot be shown */
static bool at_least(wf_ctx *c, Dim size, Dim bound)
{
    IN_GRAPH_OF_SIZE(c, MIN(size, bound));
    Trace *tr = c->tensors->trace;
    bool ok;

    T_ENTER(c, false)
    ok = dim_guard(&tr->b->dims, size, false, bound, c->tensors->place);
    T_LEAVE(c);
    return ok;
}

/* A bound of a slice as a size. A symbolic axis is taken to be long enough, which is guarded; in a hinted trace where the
 * example is not, *clamps. */
static Dim slice_bound(wf_ctx *c, bool has, int64_t bound, Dim size, Dim standard,
                       bool *clamps)
{
    int64_t away = bound == INT64_MIN ? INT64_MAX : bound < 0 ? -bound : bound, hint = wf_size_hint(c, size);

    if (!has)
        return standard;
    if (hint >= 0 && away > hint) {
        *clamps = true;
        return 0;
    }
    at_least(c, size, away);
    return bound < 0 ? size_sub(c, size, away) : bound;
}

/* A slice of an axis of symbolic size. True with the size as a number: to be done as any other; false: done, or failed. */
static bool symbolic_slice(wf_ctx *c, IndexPlan *p, const wf_index *ix, uint32_t axis,
                           Dim *size)
{
    int64_t step = ix->has_step ? ix->step : 1;
    bool clamps = false;
    Dim a, b, n;

    if (step == -1 && !ix->has_start && !ix->has_stop) {
        p->rev[p->nrev++] = axis;
        p->item[p->n++] = (Item){WF_INDEX_SLICE, *size, WF_NONE, axis};
        return false;
    }
    if (step > 0) {
        a = slice_bound(c, ix->has_start, ix->start, *size, 0, &clamps);
        b = slice_bound(c, ix->has_stop, ix->stop, *size, *size, &clamps);
        if (!clamps && !failed(c)) {
            n = a == b ? 0 : size_sub_or_zero(c, b, a);
            p->start[axis] = a;
            p->limit[axis] = n ? b : a;
            p->stride[axis] = step;
            p->any_slice = true;
            if (step > 1)
                n = size_div(c, size_add(c, n, step - 1), step);
            p->item[p->n++] = (Item){WF_INDEX_SLICE, n, WF_NONE, axis};
            return false;
        }
    }
    if (failed(c))
        return false;
    if (hinted_trace(c)) {
        *size = wf_size_value(c, *size);
        p->limit[axis] = *size;
        return !failed(c);
    }
    tensor_fail(c, step == 0 ? WF_ERR_VALUE : WF_ERR_SHAPE,
          step == 0
              ? "index: the step of a slice is 0"
              : "index: a slice with a negative step needs a constant size of axis %u",
          axis);
    return false;
}

/* Between two sizes, which may be symbolic and do not count from the end. */
static bool add_sizes(wf_ctx *c, IndexPlan *p, const wf_index *ix, uint32_t axis)
{
    Dim size = p->x.d[axis], stop = ix->has_stop ? ix->stop : size;
    int64_t example = stop < 0 ? wf_size_hint(c, stop) : stop, end = size < 0 ? wf_size_hint(c, size) : size;

    p->start[axis] = ix->has_start ? ix->start : 0;
    p->limit[axis] = stop;
    if (example >= 0 && end >= 0 && example > end) { /* past the end, as runs of these sizes have it */
        wf_size_value(c, stop);
        wf_size_value(c, size);
        p->limit[axis] = end;
    }
    p->stride[axis] = 1;
    p->any_slice = true;
    p->item[p->n++] =
        (Item){WF_INDEX_SLICE, size_sub(c, p->limit[axis], p->start[axis]), WF_NONE, axis};
    return !failed(c);
}

static bool add_slice(wf_ctx *c, IndexPlan *p, const wf_index *ix, uint32_t axis)
{
    int64_t start, count, step = ix->has_step ? ix->step : 1;
    Dim size = p->x.d[axis];

    p->start[axis] = 0;
    p->limit[axis] = size;
    p->stride[axis] = 1;
    if (!ix->has_start && !ix->has_stop && step == 1) {
        p->item[p->n++] = (Item){WF_INDEX_SLICE, size, WF_NONE, axis};
        return true;
    }
    if (size < 0 && !symbolic_slice(c, p, ix, axis, &size))
        return !failed(c);
    if (!resolve_slice(c, ix, size, &start, &count))
        return false;
    p->any_slice = true;
    if (step < 0) {
        p->start[axis] = count ? start + (count - 1) * step : 0;
        p->limit[axis] = count ? start + 1 : 0;
        p->stride[axis] = count > 1 ? -step : 1;
        p->rev[p->nrev++] = axis;
    } else {
        p->start[axis] = count ? start : 0;
        p->limit[axis] = count ? start + (count - 1) * step + 1 : 0;
        p->stride[axis] = step;
    }
    p->item[p->n++] = (Item){WF_INDEX_SLICE, count, WF_NONE, axis};
    return true;
}

static bool add_int(wf_ctx *c, IndexPlan *p, int64_t i, uint32_t axis)
{
    Dim size = p->x.d[axis];

    if (size > 0 && c->semantics->promotion == WF_PROMOTE_JAX) /* moved inside */
        i = i < -size ? -size : i >= size ? size - 1 : i;
    if (size >= 0 && (i < -size || i >= size)) {
        tensor_fail(c, WF_ERR_INDEX, "index: %lld is out of range for axis %u of size %lld",
              (long long)i, axis, (long long)size);
        return false;
    }
    if (p->any_tensor && !c->semantics->strict) { /* counts as a tensor without axes */
        wf_tensor t = wf_cast(c, wf_int(c, i), WF_I64);
        p->start[axis] = 0;
        p->limit[axis] = size;
        if (i < 0)
            t = wf_add(c, t, size_tensor(c, size));
        p->item[p->n++] = (Item){WF_INDEX_TENSOR, size, t, axis};
        return !failed(c);
    }
    p->start[axis] = i >= 0 ? i : size_sub(c, size, -i);
    p->limit[axis] = size_add(c, p->start[axis], 1);
    p->any_slice = true;
    return !failed(c); /* the axis is gone from y */
}

/* Negative numbers count from the end; concrete ones are checked. */
static wf_tensor wrap_indices(wf_ctx *c, wf_tensor t, Dim size, uint32_t axis)
{
    wf_tensor lo, hi, n = size_tensor(c, size);
    wf_tensor sum;

    t = wf_cast(c, t, WF_I64);
    if (failed(c))
        return WF_NONE;
    if (tensor_has_numbers(c, t) && size >= 0 && wf_count(c, t) > 0 &&
        c->semantics->promotion != WF_PROMOTE_JAX) {
        lo = wf_min(c, t, NULL, 0, false);
        hi = wf_max(c, t, NULL, 0, false);
        if (!failed(c) && (wf_item_int(c, lo) < -size || wf_item_int(c, hi) >= size))
            return tensor_fail(c, WF_ERR_INDEX,
                         "index: %lld is out of range for axis %u of size %lld",
                         (long long)(wf_item_int(c, lo) < -size ? wf_item_int(c, lo)
                                                                : wf_item_int(c, hi)),
                         axis, (long long)size);
    }
    if (c->semantics->index_check && (wf_is_symbolic(c, t) || size < 0)) {
        wf_tensor below = wf_lt(c, t, n);

        wf_assert(c, wf_logical_and(c, wf_ge(c, t, wf_neg(c, n)), below),
                  "index: out of range for an axis of size {}", (wf_tensor[]){n}, 1);
    }
    sum = wf_add(c, t, n);
    return wf_where(c, wf_lt(c, t, wf_zeros_like(c, t)), sum, t);
}

/* Numbers of classes and of rows in a table: a negative one is a mistake. */
bool index_from_zero(wf_ctx *c, const char *fn, wf_tensor t)
{
    if (failed(c) || !dtype_is_signed(wf_dtype_of(c, t)))
        return !failed(c);
    if (tensor_has_numbers(c, t) && wf_count(c, t) > 0) {
        int64_t least = wf_item_int(c, wf_min(c, t, NULL, 0, false));

        if (!failed(c) && least < 0)
            tensor_fail(c, WF_ERR_INDEX, "%s: %lld is out of range: nothing counts from the end here", fn, (long long)least);
    } else if (c->semantics->index_check && wf_is_symbolic(c, t)) {
        wf_assert(c, wf_ge(c, t, wf_zeros_like(c, t)), "index: out of range: it is negative", NULL, 0);
    }
    return !failed(c);
}

static bool add_tensor(wf_ctx *c, IndexPlan *p, wf_tensor t, uint32_t axis)
{
    wf_dtype d = wf_dtype_of(c, t);

    if (d == WF_BOOL)
        return add_mask(c, p, t, axis);
    if (!dtype_is_int(d)) {
        tensor_fail(c, WF_ERR_TYPE,
              "index: a tensor used as an index must be of integers or bools, got %s",
              wf_dtype_name(d));
        return false;
    }
    p->start[axis] = 0;
    p->limit[axis] = p->x.d[axis];
    p->item[p->n++] =
        (Item){WF_INDEX_TENSOR, p->x.d[axis], wrap_indices(c, t, p->x.d[axis], axis), axis};
    return !failed(c);
}

static int axes_used(wf_ctx *c, const wf_index *ix)
{
    if (ix->kind == WF_INDEX_NEW || ix->kind == WF_INDEX_ELLIPSIS)
        return 0;
    return ix->kind == WF_INDEX_TENSOR && wf_dtype_of(c, ix->tensor) == WF_BOOL
               ? MAX(wf_rank(c, ix->tensor), 0)
               : 1;
}

static bool make_plan(wf_ctx *c, wf_tensor x, const wf_index *ix, int n, IndexPlan *p)
{
    int used = 0, ellipsis = -1;
    uint32_t axis = 0;

    memset(p, 0, sizeof *p);
    if (!shape_of(c, x, "index", &p->x))
        return false;
    if (!has_n(ix, n))
        return arg_fail(c, "index", "a list of indices");
    if (n + (int)p->x.rank >= MAX_ITEMS) {
        tensor_fail(c, WF_ERR_LIMIT, "index: %d items are too many", n);
        return false;
    }
    for (int i = 0; i < n; i++) {
        if (ix[i].kind == WF_INDEX_ELLIPSIS && ellipsis >= 0) {
            tensor_fail(c, WF_ERR_VALUE, "index: only one ellipsis is possible");
            return false;
        }
        if (ix[i].kind == WF_INDEX_ELLIPSIS)
            ellipsis = i;
        used += axes_used(c, &ix[i]);
        p->any_tensor = p->any_tensor || ix[i].kind == WF_INDEX_TENSOR;
    }
    if (!failed(c) && used > (int)p->x.rank)
        tensor_fail(c, WF_ERR_INDEX, "index: %d indices for a tensor of rank %u", used,
              p->x.rank);
    for (uint32_t k = 0; k < p->x.rank; k++)
        p->stride[k] = 1;
    for (int i = 0; i <= n && !failed(c); i++) {
        uint32_t fill =
            i == ellipsis || (i == n && ellipsis < 0) ? p->x.rank - (uint32_t)used : 0;
        for (uint32_t k = 0; k < fill && !failed(c); k++)
            add_slice(c, p, &(wf_index){.kind = WF_INDEX_SLICE}, axis++);
        if (i == n || i == ellipsis)
            continue;
        switch (ix[i].kind) {
        case WF_INDEX_INT: add_int(c, p, ix[i].start, axis++); break;
        case WF_INDEX_SLICE: add_slice(c, p, &ix[i], axis++); break;
        case WF_INDEX_SIZES: add_sizes(c, p, &ix[i], axis++); break;
        case WF_INDEX_NEW: p->item[p->n++] = (Item){WF_INDEX_NEW, 1, WF_NONE, 0}; break;
        case WF_INDEX_TENSOR:
            add_tensor(c, p, ix[i].tensor, axis);
            axis += (uint32_t)axes_used(c, &ix[i]);
            break;
        default: tensor_fail(c, WF_ERR_ARG, "index: item %d is of no known kind", i);
        }
    }
    if (!failed(c) && p->n > MAX_RANK)
        tensor_fail(c, WF_ERR_LIMIT, "index: the result would have rank %u", p->n);
    return !failed(c);
}

/* ---- reading ---- */

static wf_tensor basic_part(wf_ctx *c, wf_tensor x, const IndexPlan *p)
{
    Dim dims[MAX_ITEMS];
    bool same = p->n == p->x.rank;

    if (p->any_slice)
        x = op_1(c, OP_slice, x,
                 &(SliceAttr){{p->x.rank, p->start},
                              {p->x.rank, p->limit},
                              {p->x.rank, p->stride}});
    if (p->nrev)
        x = op_1(c, OP_rev, x, &(AxesAttr){{p->nrev, p->rev}});
    for (uint32_t k = 0; k < p->n; k++) {
        dims[k] = p->item[k].size;
        same = same && p->item[k].kind != WF_INDEX_NEW;
    }
    return same ? x : op_1(c, OP_reshape, x, &(ShapeAttr){{p->n, dims}});
}

/* The m index tensors in one shape. */
static bool join_indices(wf_ctx *c, wf_tensor *t, int m, Shape *out)
{
    Shape s, all = {0};

    for (int i = 0; i < m && c->semantics->promotion != WF_PROMOTE_JAX && shape_of(c, t[i], "index", &s); i++) {
        for (uint32_t k = 0; k < s.rank; k++) { /* sizes from the last on */
            Dim *d = &all.d[k], size = s.d[s.rank - 1 - k];

            if (k < all.rank && *d > 1 && size >= 0 && size != 1 && size != *d) {
                tensor_fail(c, WF_ERR_INDEX, "shape mismatch: indexing tensors could not be broadcast together with shapes %s, %s",
                            shape_text(c, tensor_get(c, t[0], "index")) + strlen("i64"),
                            shape_text(c, tensor_get(c, t[i], "index")) + strlen("i64"));
                return false;
            }
            if (k >= all.rank || *d == 1)
                *d = size;
        }
        all.rank = MAX(all.rank, s.rank);
    }
    return broadcast_all(c, "index", t, m) && shape_of(c, t[0], "index", out);
}

/* [..S, m]: the index vectors of the m indexed axes */
static wf_tensor index_vectors(wf_ctx *c, const IndexPlan *p, Shape *out_s)
{
    wf_tensor t[MAX_RANK], v[MAX_RANK];
    int m = 0;

    for (uint32_t k = 0; k < p->n; k++)
        if (p->item[k].kind == WF_INDEX_TENSOR)
            t[m++] = p->item[k].t;
    if (!join_indices(c, t, m, out_s))
        return WF_NONE;
    for (int i = 0; i < m; i++)
        v[i] = wf_expand_dims(c, t[i], -1);
    return m == 1 ? v[0] : wf_concat(c, v, m, -1);
}

static wf_tensor gather_part(wf_ctx *c, wf_tensor y, const IndexPlan *p, bool view)
{
    int64_t axes[MAX_RANK], offset[MAX_RANK];
    Dim sizes[MAX_RANK];
    uint32_t m = 0, first = 0, last = 0, no = 0;
    Shape s;
    wf_tensor idx = index_vectors(c, p, &s), r;
    GatherAttr a;
    bool together;

    if (failed(c))
        return WF_NONE;
    for (uint32_t k = 0; k < p->n; k++) {
        bool is = p->item[k].kind == WF_INDEX_TENSOR;
        sizes[k] = is ? 1 : p->item[k].size;
        if (!is)
            continue;
        if (!m)
            first = k;
        last = k;
        axes[m++] = k;
    }
    for (uint32_t i = 0; i < m && !failed(c);
         i++) /* nothing can be taken from an empty axis, if any index is there */
        if (p->item[axes[i]].size == 0) {
            int64_t lo[MAX_RANK] = {0}, hi[MAX_RANK] = {0};
            hi[axes[i]] = 1;
            y = wf_pad(c, y, lo, hi, wf_rank(c, y), 0);
        }
    together = last - first + 1 == m;
    for (uint32_t k = 0; k < p->n - m; k++) {
        uint32_t at = together ? first : 0;
        offset[no] = no < at ? no : no + s.rank;
        no++;
    }
    if (p->n - m + s.rank > MAX_RANK)
        return tensor_fail(c, WF_ERR_LIMIT, "index: the result would have rank %u",
                     p->n - m + s.rank);
    a = (GatherAttr){.offset_dims = {no, offset},
                     .collapsed = {m, axes},
                     .start_index_map = {m, axes},
                     .slice_sizes = {p->n, sizes},
                     .mode = INDEX_CLIP};
    r = op_2(c, OP_gather, y, idx, &a);
    if (view)
        view_gathered(c, y, idx, &a, r);
    return r;
}

wf_tensor index_get(wf_ctx *c, wf_tensor x, const wf_index *ix, int n, bool view)
{
    IndexPlan p;
    wf_tensor y = WF_NONE;

    scope_open(c);
    if (make_plan(c, x, ix, n, &p)) {
        y = basic_part(c, x, &p);
        if (p.any_tensor && !failed(c))
            y = gather_part(c, y, &p, view);
    }
    return scope_close(c, y);
}

wf_tensor wf_index_get(wf_ctx *c, wf_tensor x, const wf_index *ix, int n)
{
    IN_CALL(c);
    return index_get(c, x, ix, n, false);
}

/* ---- assigning ---- */

/* Where the elements are that an index names: those of all axes at one place of the index tensors are a window. */
typedef struct Reach {
    int64_t dims[MAX_RANK]; /* of what reading gives */
    uint32_t rank, first, nat; /* its axes first .. first+nat-1 are those of the index tensors */
    int64_t step[MAX_RANK];    /* along its other axes, in elements */
    const int64_t *at;         /* the first element of each window */
    int64_t n;
} Reach;

/* The first elements of windows: of axes of these strides, from `start` on. */
static bool reach_tensors(wf_ctx *c, const IndexPlan *p, const int64_t *strides, int64_t start, Reach *r)
{
    wf_tensor t[MAX_RANK];
    const Item *of[MAX_RANK];
    Tensor *at, *one;
    int64_t *to;
    Shape s;
    int m = 0;

    for (uint32_t k = 0; k < p->n; k++)
        if (p->item[k].kind == WF_INDEX_TENSOR) {
            of[m] = &p->item[k];
            t[m++] = p->item[k].t;
        }
    if (!join_indices(c, t, m, &s) || s.rank + p->n - (uint32_t)m > MAX_RANK || !(at = tensor_new(c, WF_I64, s.d, s.rank)))
        return false;
    (void)tensor_handle(c, at); /* the scope lets go of it */
    to = tensor_data(at);
    for (int64_t i = 0; i < at->count; i++)
        to[i] = start;
    for (int j = 0; j < m; j++) {
        const int64_t *v;

        if (!(one = tensor_get(c, t[j], "index")) || (!one->packed && !(one = tensor_get(c, wf_copy(c, t[j]), "index"))))
            return false;
        v = tensor_data(one);
        for (int64_t i = 0; i < at->count; i++)
            to[i] += strides[of[j]->axis] * MIN(MAX(v[i], 0), of[j]->size - 1);
    }
    r->at = to;
    r->n = at->count;
    r->nat = s.rank;
    memmove(r->dims + r->first + s.rank, r->dims + r->first, (MAX_RANK - r->first - s.rank) * sizeof *r->dims);
    memmove(r->step + r->first + s.rank, r->step + r->first, (MAX_RANK - r->first - s.rank) * sizeof *r->step);
    memcpy(r->dims + r->first, s.d, s.rank * sizeof *r->dims);
    r->rank += s.rank;
    return true;
}

/* May the host read this index now? */
static bool is_at_hand(wf_ctx *c, wf_tensor t)
{
    const Tensor *x = tensor_has_numbers(c, t) ? tensor_get(c, t, "index") : NULL;

    return x && tensor_is_here(x);
}

/* Of x, whose axes have these strides. False, without an error: something is not known here, or there is nothing to take. */
static bool reach_of(wf_ctx *c, const IndexPlan *p, const int64_t *strides, Reach *r)
{
    int64_t start = 0;
    uint32_t last = 0, m = 0;

    memset(r, 0, sizeof *r);
    for (uint32_t k = 0; k < p->x.rank; k++)
        start += p->start[k] * strides[k];
    for (uint32_t k = 0; k < p->n; k++) {
        const Item *i = &p->item[k];
        int64_t step = i->kind == WF_INDEX_NEW ? 0 : strides[i->axis] * p->stride[i->axis];

        if (i->size < 0 || (i->kind == WF_INDEX_TENSOR && (i->size == 0 || !is_at_hand(c, i->t))))
            return false;
        if (i->kind == WF_INDEX_TENSOR) {
            r->first = m ? r->first : k;
            last = k;
            m++;
            continue;
        }
        for (uint32_t j = 0; j < p->nrev && i->kind != WF_INDEX_NEW; j++)
            if (p->rev[j] == i->axis) {
                start += step * (i->size - 1);
                step = -step;
            }
        r->dims[r->rank] = i->size;
        r->step[r->rank++] = step;
    }
    if (m && last - r->first + 1 != m)
        r->first = 0;
    return m > 0 && reach_tensors(c, p, strides, start, r);
}

/* n elements from place `to` on in steps of ts, and as many of what goes there. */
typedef void Line(void *user, int64_t to, int64_t ts, int64_t from, int64_t fs, int64_t n);

/* Every element that r reaches, windows in the order of the index tensors; what goes there has these strides. */
static void reach_walk(const Reach *r, const int64_t *strides, Line *line, void *user)
{
    uint32_t axis[MAX_RANK], n = 0;
    int64_t i[MAX_RANK] = {0}, from = 0, size, to;

    for (uint32_t k = 0; k < r->rank; k++) {
        if (r->dims[k] == 0)
            return;
        if (k < r->first || k >= r->first + r->nat)
            axis[n++] = k;
    }
    size = n ? r->dims[axis[n - 1]] : 1;
    for (int64_t s = 0; s < r->n; s++) {
        for (to = r->at[s];;) {
            uint32_t j = n;

            line(user, to, n ? r->step[axis[n - 1]] : 0, from, n ? strides[axis[n - 1]] : 0, size);
            for (j = n ? n - 1 : 0; j-- > 0;) {
                uint32_t k = axis[j];

                to += r->step[k];
                from += strides[k];
                if (++i[k] < r->dims[k])
                    break;
                to -= r->step[k] * r->dims[k];
                from -= strides[k] * r->dims[k];
                i[k] = 0;
            }
            if (j == UINT32_MAX)
                break;
        }
        for (uint32_t k = r->first + r->nat; k-- > r->first;) {
            from += strides[k];
            if (++i[k] < r->dims[k])
                break;
            from -= strides[k] * r->dims[k];
            i[k] = 0;
        }
    }
}

static void row_major(const int64_t *dims, uint32_t rank, int64_t *out)
{
    for (int64_t n = 1; rank-- > 0; n *= dims[rank])
        out[rank] = n;
}

static void number_line(void *user, int64_t to, int64_t ts, int64_t from, int64_t fs, int64_t n)
{
    int64_t *out = user;

    for (int64_t i = 0; i < n; i++)
        out[from + i * fs] = to + i * ts;
}

/* Of tensors for every axis, whose numbers are not known yet: the sum of each, within its axis, times the stride. WF_NONE: there are other
 * indices, or sizes that are not known. */
static wf_tensor places_by_sum(wf_ctx *c, const IndexPlan *p, const int64_t *strides)
{
    wf_tensor sum = WF_NONE;

    if (p->n != p->x.rank || p->nrev || p->any_slice)
        return WF_NONE;
    for (uint32_t k = 0; k < p->n; k++)
        if (p->item[k].kind != WF_INDEX_TENSOR || p->item[k].size <= 0)
            return WF_NONE;
    for (uint32_t k = 0; k < p->n; k++) {
        const Item *i = &p->item[k];
        wf_tensor t = wf_clip(c, i->t, wf_int(c, 0), wf_int(c, i->size - 1));

        t = wf_mul(c, t, wf_int(c, strides[i->axis]));
        sum = k ? wf_add(c, sum, t) : t;
    }
    return sum;
}

/* Flat places, as an i64 tensor of the shape that reading gives: counted, or read from an array of all of them. */
static wf_tensor places_of(wf_ctx *c, wf_tensor x, const Shape *s, const wf_index *ix, int n)
{
    Dim total = size_prod(c, s->d, s->rank);
    int64_t strides[MAX_RANK], order[MAX_RANK];
    wf_tensor all;
    Tensor *out;
    IndexPlan p;
    Reach r;

    if (total > 0 && make_plan(c, x, ix, n, &p)) {
        row_major(s->d, s->rank, strides);
        if (reach_of(c, &p, strides, &r)) {
            if (!(out = tensor_new(c, WF_I64, r.dims, r.rank)))
                return WF_NONE;
            row_major(r.dims, r.rank, order);
            reach_walk(&r, order, number_line, tensor_data(out));
            return tensor_handle(c, out);
        }
        all = failed(c) ? WF_NONE : places_by_sum(c, &p, strides);
        if (failed(c) || all.gen)
            return all;
    }
    if (failed(c))
        return WF_NONE;
    all = wf_iota(c, WF_I64, &total, 1, 0);
    return wf_index_get(c, wf_reshape(c, all, s->d, (int)s->rank), ix, n);
}

static wf_tensor scatter_flat(wf_ctx *c, OpCode op, wf_tensor x, wf_tensor places,
                              wf_tensor v, const char *fn)
{
    static const int64_t zero[] = {0};
    Shape s, ps;
    Dim n;
    wf_tensor in[3];

    if (!shape_of(c, x, fn, &s) || !shape_of(c, places, fn, &ps))
        return WF_NONE;
    if (wf_dtype_of(c, v) != wf_dtype_of(c, x))
        v = wf_cast(c, v, wf_dtype_of(c, x));
    v = broadcast_to(c, fn, v, ps.d, ps.rank);
    n = size_prod(c, ps.d, ps.rank);
    in[0] = wf_reshape(c, x, (int64_t[]){size_prod(c, s.d, s.rank)}, 1);
    in[1] = wf_reshape(c, places, (int64_t[]){n, 1}, 2);
    in[2] = wf_reshape(c, v, &n, 1);
    x = tensor_op1(c, op, in, 3,
                   &(ScatterAttr){.inserted = {1, zero},
                                  .operand_dims = {1, zero},
                                  .mode = INDEX_DROP});
    return wf_reshape(c, x, s.d, (int)s.rank);
}

static wf_tensor assign(wf_ctx *c, const char *fn, OpCode op, wf_tensor x,
                        const wf_index *ix, int n, wf_tensor v)
{
    Shape s;
    wf_tensor y = WF_NONE;

    scope_open(c);
    if (!shape_of(c, x, fn, &s) || !tensor_get(c, v, fn))
        ;
    else if (mask_assign(c, fn, op, x, &s, ix, n, v, &y))
        ;
    else
        y = scatter_flat(c, op, x, places_of(c, x, &s, ix, n), v, fn);
    return scope_close(c, y);
}

/* ---- in the memory of the tensor ---- */

typedef struct PutRun {
    char *to;
    const char *from;
    size_t size;
    wf_dtype dtype;
} PutRun;

#define SET_ALL(T)                                          \
    for (int64_t i = 0; i < n; i++)                         \
    ((T *)(void *)l->to)[to + i * ts] = ((const T *)(const void *)l->from)[from + i * fs]
#define ADD_ALL(T)                                          \
    for (int64_t i = 0; i < n; i++)                         \
    ((T *)(void *)l->to)[to + i * ts] += ((const T *)(const void *)l->from)[from + i * fs]

static void set_line(void *user, int64_t to, int64_t ts, int64_t from, int64_t fs, int64_t n)
{
    const PutRun *l = user;
    const int64_t size = (int64_t)l->size;

    if (n > 1 && ts == 1 && fs == 1) {
        memcpy(l->to + to * size, l->from + from * size, (size_t)n * l->size);
        return;
    }
    switch (l->size) {
    case 1: SET_ALL(uint8_t); return;
    case 2: SET_ALL(uint16_t); return;
    case 4: SET_ALL(uint32_t); return;
    case 8: SET_ALL(uint64_t); return;
    default:
        for (int64_t i = 0; i < n; i++)
            memcpy(l->to + (to + i * ts) * size, l->from + (from + i * fs) * size, l->size);
    }
}

static void add_line(void *user, int64_t to, int64_t ts, int64_t from, int64_t fs, int64_t n)
{
    const PutRun *l = user;

    switch (l->dtype) {
    case WF_F32: ADD_ALL(float); return;
    case WF_F64: ADD_ALL(double); return;
    case WF_I32: ADD_ALL(uint32_t); return;
    default: ADD_ALL(uint64_t); return;
    }
}

/* A mask of all axes is cheaper to choose by. */
static bool has_whole_mask(wf_ctx *c, const Shape *s, const wf_index *ix, int n)
{
    for (int i = 0; i < n; i++)
        if (ix[i].kind == WF_INDEX_TENSOR && wf_dtype_of(c, ix[i].tensor) == WF_BOOL &&
            wf_rank(c, ix[i].tensor) == (int)s->rank)
            return true;
    return false;
}

bool index_put_here(wf_ctx *c, OpCode op, wf_tensor x, const wf_index *ix, int n, wf_tensor v)
{
    Tensor *t = tensor_get(c, x, "index"), *u = tensor_get(c, v, "index");
    PutRun l;
    IndexPlan p;
    Reach r;
    Shape s;
    bool done = false;

    if (!t || !u || t->symbolic || u->symbolic || t->layout || !t->count || !tensor_is_here(t) ||
        !tensor_is_here(u) || !shape_of(c, x, "index", &s) || has_whole_mask(c, &s, ix, n))
        return false;
    l = (PutRun){tensor_data(t), NULL, wf_dtype_size((wf_dtype)t->dtype), (wf_dtype)t->dtype};
    if (op != OP_scatter && l.dtype != WF_F32 && l.dtype != WF_F64 && l.dtype != WF_I32 && l.dtype != WF_I64)
        return false;
    scope_open(c);
    if (make_plan(c, x, ix, n, &p) && reach_of(c, &p, t->strides, &r)) {
        if (wf_dtype_of(c, v) != l.dtype)
            v = wf_cast(c, v, l.dtype);
        v = broadcast_to(c, "index", v, r.dims, r.rank);
        if ((u = tensor_get(c, v, "index")) != NULL && u->store == t->store)
            u = tensor_get(c, wf_copy(c, v), "index");
        if (u && tensor_is_here(u)) {
            l.from = tensor_data(u);
            reach_walk(&r, u->strides, op == OP_scatter ? set_line : add_line, &l);
            done = true;
        }
    }
    scope_close_n(c, NULL, 0);
    return done;
}

wf_tensor wf_index_set(wf_ctx *c, wf_tensor x, const wf_index *ix, int n, wf_tensor v)
{
    return assign(c, "wf_index_set", OP_scatter, x, ix, n, v);
}

wf_tensor wf_index_add(wf_ctx *c, wf_tensor x, const wf_index *ix, int n, wf_tensor v)
{
    return assign(c, "wf_index_add", OP_scatter_add, x, ix, n, v);
}

/* ---- along one axis ---- */

wf_tensor wf_take(wf_ctx *c, wf_tensor x, wf_tensor index, int axis)
{
    Shape s;
    uint32_t k;
    wf_index ix[MAX_RANK];

    if (!shape_of(c, x, "wf_take", &s) || !axis_of(c, "wf_take", axis, s.rank, &k))
        return WF_NONE;
    for (uint32_t i = 0; i < k; i++)
        ix[i] = (wf_index){.kind = WF_INDEX_SLICE};
    ix[k] = (wf_index){.kind = WF_INDEX_TENSOR, .tensor = index};
    if (!tensor_get(c, index, "wf_take"))
        return WF_NONE;
    if (wf_dtype_of(c, index) == WF_BOOL)
        return tensor_fail(c, WF_ERR_TYPE, "wf_take: needs integers, got a mask");
    return wf_index_get(c, x, ix, (int)k + 1);
}

/* Index tensors for every axis: iotas of the shape of index, and index itself on its axis. */
static bool along(wf_ctx *c, const char *fn, wf_tensor x, wf_tensor index, int axis,
                  wf_index *ix, uint32_t *out_rank)
{
    Shape s, t;
    uint32_t k;

    if (!shape_of(c, x, fn, &s) || !shape_of(c, index, fn, &t) ||
        !axis_of(c, fn, axis, s.rank, &k))
        return false;
    if (s.rank != t.rank) {
        tensor_fail(c, WF_ERR_SHAPE, "%s: the index must have the rank of %s, got %s", fn,
              shape_text(c, tensor_get(c, x, fn)),
              shape_text(c, tensor_get(c, index, fn)));
        return false;
    }
    for (uint32_t i = 0; i < s.rank; i++) {
        if (i != k && !size_same(c, t.d[i], s.d[i]) &&
            (t.d[i] < 0 || s.d[i] < 0 || t.d[i] > s.d[i])) {
            tensor_fail(c, WF_ERR_SHAPE, "%s: axis %u of the index does not fit that of %s", fn,
                  i, shape_text(c, tensor_get(c, x, fn)));
            return false;
        }
        ix[i] = (wf_index){
            .kind = WF_INDEX_TENSOR,
            .tensor = i == k ? index : wf_iota(c, WF_I64, t.d, (int)t.rank, (int)i)};
    }
    *out_rank = s.rank;
    return !failed(c);
}

wf_tensor wf_take_along(wf_ctx *c, wf_tensor x, wf_tensor index, int axis)
{
    wf_index ix[MAX_RANK];
    uint32_t rank;
    wf_tensor y = WF_NONE;

    scope_open(c);
    if (along(c, "wf_take_along", x, index, axis, ix, &rank))
        y = wf_index_get(c, x, ix, (int)rank);
    return scope_close(c, y);
}

wf_tensor index_put_along(wf_ctx *c, const char *fn, OpCode op, wf_tensor x, wf_tensor index,
                    wf_tensor v, int axis)
{
    wf_index ix[MAX_RANK];
    uint32_t rank;
    wf_tensor y = WF_NONE;

    scope_open(c);
    if (along(c, fn, x, index, axis, ix, &rank))
        y = assign(c, fn, op, x, ix, (int)rank, v);
    return scope_close(c, y);
}

wf_tensor wf_put_along(wf_ctx *c, wf_tensor x, wf_tensor index, wf_tensor v, int axis)
{
    return index_put_along(c, "wf_put_along", OP_scatter, x, index, v, axis);
}

wf_tensor wf_add_along(wf_ctx *c, wf_tensor x, wf_tensor index, wf_tensor v, int axis)
{
    return index_put_along(c, "wf_add_along", OP_scatter_add, x, index, v, axis);
}

/* A matrix with the vector on its k-th diagonal, zero elsewhere. */
wf_tensor wf_diag(wf_ctx *c, wf_tensor x, int k)
{
    const int64_t above = k > 0 ? k : 0, below = k < 0 ? -(int64_t)k : 0;
    Shape s;
    int64_t n;
    wf_tensor on, wide, y;

    if (!shape_of(c, x, "wf_diag", &s))
        return WF_NONE;
    if (s.rank == 2) {
        scope_open(c);
        return scope_close(c, wf_copy(c, wf_diagonal(c, x, k)));
    }
    if (s.rank != 1 || s.d[0] < 0)
        return tensor_fail(c, WF_ERR_SHAPE, "wf_diag: needs a vector or a matrix, got %s",
                     shape_text(c, tensor_get(c, x, "wf_diag")));
    n = s.d[0] + above + below;
    scope_open(c);
    on = wf_eye(c, WF_BOOL, n, n, k); /* first: it says so when there is no room for the matrix */
    wide = failed(c) ? WF_NONE : wf_pad(c, x, &above, &below, 1, 0); /* element of each column */
    y = wf_where(c, on, wide, wf_zeros_like(c, wide));
    return scope_close(c, y);
}
