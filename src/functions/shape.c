/* shape.c -- functions that rearrange. Eager results are views where strides allow it. */
#include "functions/functions.h"

const char *broadcast_sizes_text(wf_ctx *c, const Dim *dims, uint32_t rank)
{
    const char *text = "[";

    for (uint32_t i = 0; i < rank; i++)
        text = dims[i] >= 0 ? arena_printf(&c->scratch, "%s%s%lld", text, i ? "," : "", (long long)dims[i])
                            : arena_printf(&c->scratch, "%s%s%s", text, i ? "," : "", dims[i] == WF_INFER ? "-1" : "?");
    return arena_printf(&c->scratch, "%s]", text);
}

static Dim count_of(wf_ctx *c, const Shape *s)
{
    Dim n = 1;

    for (uint32_t i = 0; i < s->rank; i++)
        n = s->d[i] == WF_INFER ? n : size_mul(c, n, s->d[i]);
    return n;
}

/* Are the elements those of the sizes without hints and pins? out_rest: the size that is left over */
static bool is_whole(wf_ctx *c, Dim total, Dim known, int infer, Dim *out_rest)
{
    return infer >= 0 ? size_quotient(c, total, known, out_rest) : wf_size_equal(c, total, known);
}

/* x[n, ..] is asked for [m, ..], which is whole if n and m are one: they become one, which runs check. Sizes that are computed in two
 * ways (of a convolution's result, say) are those that x has. */
static bool agrees(wf_ctx *c, wf_tensor x, Shape *to, int infer)
{
    Shape s;
    bool changed = false;
    Dim rest = 0;

    if (!joining_trace(c) || !shape_of(c, x, "wf_reshape", &s) || is_whole(c, size_prod(c, s.d, s.rank), count_of(c, to), infer, &rest))
        return false;
    for (uint32_t i = 0; i < MIN(s.rank, to->rank) && to->d[i] != WF_INFER; i++) {
        if (s.d[i] >= 0 || to->d[i] >= 0 || s.d[i] == to->d[i])
            continue;
        if (!size_same_or_guarded(c, s.d[i], to->d[i]))
            return changed;
        changed = true;
        if (!shape_of(c, x, "wf_reshape", &s))
            return false;
        to->d[i] = s.d[i];
    }
    return changed;
}

wf_tensor wf_reshape(wf_ctx *c, wf_tensor x, const int64_t *dims, int rank)
{
    IN_CALL(c);
    Shape s, o = {(uint32_t)rank, {0}};
    Dim known, total;
    int infer = -1;

    if (!shape_of(c, x, "wf_reshape", &s))
        return WF_NONE;
    if (rank < 0 || rank > WF_MAX_RANK)
        return tensor_fail(c, WF_ERR_LIMIT, "wf_reshape: rank %d is not in 0..%d", rank,
                     WF_MAX_RANK);
    if (!NEEDS(c, has_n(dims, rank)))
        return WF_NONE;
    for (int i = 0; i < rank; i++) {
        o.d[i] = dims[i];
        if (dims[i] != WF_INFER)
            continue;
        if (infer >= 0)
            return tensor_fail(c, WF_ERR_VALUE, "wf_reshape: only one size can be inferred");
        infer = i;
    }
    if (agrees(c, x, &o, infer) && !shape_of(c, x, "wf_reshape", &s))
        return WF_NONE;
    known = count_of(c, &o);
    total = size_prod(c, s.d, s.rank);
    if (failed(c))
        return WF_NONE;
    if (infer >= 0 && !size_exact(c, total, known, &o.d[infer]))
        return tensor_fail(
            c, WF_ERR_SHAPE,
            "wf_reshape: the elements of %s cannot be divided into %s",
            shape_text(c, tensor_get(c, x, "wf_reshape")), broadcast_sizes_text(c, dims, (uint32_t)rank));
    if (infer < 0 && !size_same(c, total, known) && total >= 0 && known >= 0)
        return tensor_fail(c, WF_ERR_SHAPE,
                     "wf_reshape: %s has %lld elements, but %s needs %lld",
                     shape_text(c, tensor_get(c, x, "wf_reshape")), (long long)total,
                     broadcast_sizes_text(c, dims, (uint32_t)rank), (long long)known);
    return op_1(c, OP_reshape, x, &(ShapeAttr){{o.rank, o.d}});
}

wf_tensor wf_flatten(wf_ctx *c, wf_tensor x, int from, int to)
{
    Shape s, o = {0};
    uint32_t a, b;

    if (!shape_of(c, x, "wf_flatten", &s))
        return WF_NONE;
    if (s.rank == 0)
        return wf_reshape(c, x, (int64_t[]){1}, 1);
    if (!axis_of(c, "wf_flatten", from, s.rank, &a) ||
        !axis_of(c, "wf_flatten", to, s.rank, &b))
        return WF_NONE;
    if (a > b)
        return tensor_fail(c, WF_ERR_VALUE, "wf_flatten: axis %u comes after axis %u", a, b);
    for (uint32_t i = 0; i < s.rank; i++)
        if (i <= a || i > b)
            o.d[o.rank++] = i == a ? size_prod(c, s.d + a, b - a + 1) : s.d[i];
    return wf_reshape(c, x, o.d, (int)o.rank);
}

wf_tensor wf_permute(wf_ctx *c, wf_tensor x, const int *axes, int n)
{
    Shape s;
    int64_t perm[MAX_RANK];
    bool seen[MAX_RANK] = {0}, same = true;

    if (!shape_of(c, x, "wf_permute", &s) ||
        ((axes || n) && !has_count(c, "wf_permute", "axes", axes, n, s.rank)))
        return WF_NONE;
    for (uint32_t i = 0; i < s.rank; i++) {
        uint32_t k = s.rank - 1 - i;
        if (axes && !axis_of(c, "wf_permute", axes[i], s.rank, &k))
            return WF_NONE;
        if (seen[k])
            return tensor_fail(c, WF_ERR_VALUE, "wf_permute: axis %u stands twice", k);
        seen[k] = true;
        perm[i] = k;
        same = same && k == i;
    }
    return same ? x : op_1(c, OP_transpose, x, &(TransposeAttr){{s.rank, perm}});
}

wf_tensor wf_swap_axes(wf_ctx *c, wf_tensor x, int a, int b)
{
    Shape s;
    uint32_t i, j;
    int axes[MAX_RANK];

    if (!shape_of(c, x, "wf_swap_axes", &s) ||
        !axis_of(c, "wf_swap_axes", a, s.rank, &i) ||
        !axis_of(c, "wf_swap_axes", b, s.rank, &j))
        return WF_NONE;
    for (uint32_t k = 0; k < s.rank; k++)
        axes[k] = (int)(k == i ? j : k == j ? i : k);
    return wf_permute(c, x, axes, (int)s.rank);
}

wf_tensor wf_move_axis(wf_ctx *c, wf_tensor x, int from, int to)
{
    Shape s;
    uint32_t i, j, n = 0;
    int axes[MAX_RANK];

    if (!shape_of(c, x, "wf_move_axis", &s) ||
        !axis_of(c, "wf_move_axis", from, s.rank, &i) ||
        !axis_of(c, "wf_move_axis", to, s.rank, &j))
        return WF_NONE;
    for (uint32_t k = 0; k < s.rank; k++) {
        if (n == i)
            n++;
        axes[k] = (int)(k == j ? i : n++);
    }
    return wf_permute(c, x, axes, (int)s.rank);
}

wf_tensor wf_squeeze(wf_ctx *c, wf_tensor x, const int *axes, int n)
{
    Shape s, o = {0};
    bool gone[MAX_RANK] = {0};

    if (!shape_of(c, x, "wf_squeeze", &s) || !NEEDS(c, has_n(axes, n)))
        return WF_NONE;
    for (int i = 0; i < n; i++) {
        uint32_t k;
        if (!axis_of(c, "wf_squeeze", axes[i], s.rank, &k))
            return WF_NONE;
        if (!size_one(c, s.d[k]))
            return tensor_fail(c, WF_ERR_SHAPE, "wf_squeeze: axis %d of %s is not of size 1",
                         axes[i], shape_text(c, tensor_get(c, x, "wf_squeeze")));
        gone[k] = true;
    }
    for (uint32_t i = 0; i < s.rank; i++)
        if (!(n ? gone[i] : size_one(c, s.d[i])))
            o.d[o.rank++] = s.d[i];
    return o.rank == s.rank ? x : wf_reshape(c, x, o.d, (int)o.rank);
}

wf_tensor wf_expand_dims(wf_ctx *c, wf_tensor x, int axis)
{
    Shape s, o;
    uint32_t k;

    if (!shape_of(c, x, "wf_expand_dims", &s))
        return WF_NONE;
    if (s.rank == MAX_RANK)
        return tensor_fail(c, WF_ERR_LIMIT, "wf_expand_dims: the result would have rank %d",
                     MAX_RANK + 1);
    if (!axis_of(c, "wf_expand_dims", axis, s.rank + 1, &k))
        return WF_NONE;
    o.rank = s.rank + 1;
    for (uint32_t i = 0; i < o.rank; i++)
        o.d[i] = i < k ? s.d[i] : i == k ? 1 : s.d[i - 1];
    return wf_reshape(c, x, o.d, (int)o.rank);
}

wf_tensor wf_broadcast_to(wf_ctx *c, wf_tensor x, const int64_t *dims, int rank)
{
    if (rank < 0 || rank > WF_MAX_RANK)
        return tensor_fail(c, WF_ERR_LIMIT, "wf_broadcast_to: rank %d is not in 0..%d", rank,
                     WF_MAX_RANK);
    if (!NEEDS(c, has_n(dims, rank)) || !ts(c))
        return WF_NONE;
    for (int i = 0; i < rank; i++) /* outside a program no size is symbolic */
        if (dims[i] < 0 && !size_is_known(c, dims[i]))
            return tensor_fail(c, WF_ERR_SHAPE, "wf_broadcast_to: size %lld of axis %d is negative",
                         (long long)dims[i], i);
    return broadcast_to(c, "wf_broadcast_to", x, dims, (uint32_t)rank);
}

wf_tensor wf_flip(wf_ctx *c, wf_tensor x, const int *axes, int n)
{
    Shape s;
    bool on[MAX_RANK] = {0};
    int64_t v[MAX_RANK];
    uint32_t m = 0, k;

    if (!shape_of(c, x, "wf_flip", &s) || !NEEDS(c, has_n(axes, n)))
        return WF_NONE;
    for (int i = 0; i < n; i++) {
        if (!axis_of(c, "wf_flip", axes[i], s.rank, &k))
            return WF_NONE;
        on[k] = true;
    }
    for (uint32_t i = 0; i < s.rank; i++)
        if (on[i] || n == 0)
            v[m++] = i;
    return m ? op_1(c, OP_rev, x, &(AxesAttr){{m, v}}) : x;
}

/* Elements start .. limit-1 of one axis. Sizes, not Python's indices. */
wf_tensor slice_axis(wf_ctx *c, wf_tensor x, uint32_t axis, Dim start, Dim limit)
{
    Shape s;
    Dim from[MAX_RANK] = {0};

    if (!shape_of(c, x, "slice", &s))
        return WF_NONE;
    from[axis] = start;
    s.d[axis] = limit;
    return op_1(c, OP_slice, x, &(SliceAttr){{s.rank, from}, {s.rank, s.d}, {0, NULL}});
}

wf_tensor wf_narrow(wf_ctx *c, wf_tensor x, int axis, int64_t start, int64_t length)
{
    Shape s;
    uint32_t k;

    if (!shape_of(c, x, "wf_narrow", &s) || !axis_of(c, "wf_narrow", axis, s.rank, &k))
        return WF_NONE;
    if (!size_is_known(c, start) || !size_is_known(c, length) ||
        (s.d[k] >= 0 && (start > s.d[k] || (start >= 0 && length > s.d[k] - start))))
        return tensor_fail(c, WF_ERR_INDEX,
                     "wf_narrow: %lld elements from %lld do not fit into axis %d of %s",
                     (long long)length, (long long)start, axis,
                     shape_text(c, tensor_get(c, x, "wf_narrow")));
    return slice_axis(c, x, k, start, size_add(c, start, length));
}

wf_tensor wf_concat(wf_ctx *c, const wf_tensor *x, int n, int axis)
{
    wf_tensor *v, r = WF_NONE;
    Shape s, first;
    uint32_t k;

    if (n <= 0)
        return failed(c) || !ts(c)
                   ? WF_NONE
                   : tensor_fail(c, WF_ERR_ARG, "wf_concat: needs at least one tensor");
    if (!NEEDS(c, x) || !shape_of(c, x[0], "wf_concat", &first) ||
        !axis_of(c, "wf_concat", axis, first.rank, &k))
        return WF_NONE;
    v = mem_alloc(&c->al, (size_t)n * sizeof *v);
    if (!v) {
        fail_memory(c);
        return WF_NONE;
    }
    memcpy(v, x, (size_t)n * sizeof *v);
    scope_open(c);
    for (int i = 1; i < n && shape_of(c, x[i], "wf_concat", &s); i++) {
        bool ok = s.rank == first.rank;
        for (uint32_t j = 0; ok && j < s.rank; j++)
            ok = j == k || size_same(c, s.d[j], first.d[j]);
        if (!ok) {
            tensor_fail(c, WF_ERR_SHAPE, "wf_concat: shapes %s and %s differ in more than axis %d",
                  shape_text(c, tensor_get(c, x[0], "wf_concat")),
                  shape_text(c, tensor_get(c, x[i], "wf_concat")), axis);
            break;
        }
    }
    if (!failed(c) && unify_dtypes(c, "wf_concat", v, n))
        r = tensor_op1(c, OP_concat, v, (uint32_t)n, &(AxisAttr){k});
    mem_free(&c->al, v, (size_t)n * sizeof *v);
    return scope_close(c, r);
}

wf_tensor wf_stack(wf_ctx *c, const wf_tensor *x, int n, int axis)
{
    wf_tensor *v, r;
    Shape s;
    uint32_t k = 0;

    if (!NEEDS(c, x && n > 0))
        return WF_NONE;
    v = mem_alloc(&c->al, (size_t)n * sizeof *v);
    if (!v) {
        fail_memory(c);
        return WF_NONE;
    }
    scope_open(c);
    if (shape_of(c, x[0], "wf_stack", &s))
        axis_of(c, "wf_stack", axis, s.rank + 1, &k);
    for (int i = 0; i < n; i++)
        v[i] = wf_expand_dims(c, x[i], (int)k);
    r = failed(c) ? WF_NONE : wf_concat(c, v, n, (int)k);
    mem_free(&c->al, v, (size_t)n * sizeof *v);
    return scope_close(c, r);
}

wf_status wf_split_sizes(wf_ctx *c, wf_tensor x, const int64_t *sizes, int n, int axis,
                         wf_tensor *out)
{
    Shape s;
    uint32_t k;
    Dim at = 0;

    for (int i = 0; sizes && out && i < n; i++)
        out[i] = WF_NONE;
    if (!NEEDS(c, has_n(sizes, n) && has_n(out, n)) ||
        !shape_of(c, x, "wf_split_sizes", &s) ||
        !axis_of(c, "wf_split_sizes", axis, s.rank, &k))
        return ctx_status(c);
    for (int i = 0; i < n; i++)
        at = size_add(c, at, sizes[i]);
    if (!size_same(c, at, s.d[k])) {
        tensor_fail(c, WF_ERR_SHAPE, "wf_split_sizes: the sizes do not add up to axis %d of %s",
              axis, shape_text(c, tensor_get(c, x, "wf_split_sizes")));
        return ctx_status(c);
    }
    at = 0;
    for (int i = 0; i < n; i++) {
        Dim next = size_add(c, at, sizes[i]);
        out[i] = slice_axis(c, x, k, at, next);
        at = next;
    }
    return ctx_status(c);
}

/* Pieces of equal size, as many as out has; the axis must divide. */
wf_status wf_split_equal(wf_ctx *c, wf_tensor x, int axis, wf_tensor *out, int n)
{
    Shape s;
    uint32_t k;
    Dim q = 0;

    for (int i = 0; out && i < n; i++)
        out[i] = WF_NONE;
    if (!NEEDS(c, has_n(out, n)) || !shape_of(c, x, "wf_split_equal", &s) ||
        !axis_of(c, "wf_split_equal", axis, s.rank, &k))
        return ctx_status(c);
    if (n <= 0 || !size_exact(c, s.d[k], n, &q)) {
        tensor_fail(c, WF_ERR_SHAPE,
              "wf_split_equal: axis %d of %s cannot be divided into %d equal parts", axis,
              shape_text(c, tensor_get(c, x, "wf_split_equal")), n);
        return ctx_status(c);
    }
    for (int i = 0; i < n; i++)
        out[i] = slice_axis(c, x, k, size_mul(c, q, i), size_mul(c, q, i + 1));
    return ctx_status(c);
}

/* x repeated reps[i] times along axis i: [2,3] -> [r0,2,r1,3] -> [2 r0, 3 r1] */
wf_tensor wf_tile(wf_ctx *c, wf_tensor x, const int64_t *reps, int n)
{
    Shape s, wide = {0}, out = {0};
    int64_t map[MAX_RANK];
    uint32_t rank;
    wf_tensor r;

    if (!shape_of(c, x, "wf_tile", &s))
        return WF_NONE;
    rank = (uint32_t)MAX(n, (int)s.rank);
    if (n < 0 || 2 * rank > MAX_RANK)
        return tensor_fail(c, WF_ERR_LIMIT, "wf_tile: rank %u is too high", rank);
    if (!NEEDS(c, has_n(reps, n)))
        return WF_NONE;
    for (uint32_t i = 0; i < rank; i++) {
        Dim size = i + s.rank >= rank ? s.d[i + s.rank - rank] : 1;
        int64_t rep = i + (uint32_t)n >= rank ? reps[i + (uint32_t)n - rank] : 1;
        if (rep < 0 && !size_is_known(c, rep))
            return tensor_fail(c, WF_ERR_VALUE, "wf_tile: a count is negative");
        wide.d[2 * i] = rep;
        wide.d[2 * i + 1] = size;
        if (i + s.rank >= rank)
            map[i + s.rank - rank] = 2 * i + 1;
        out.d[i] = size_mul(c, size, rep);
    }
    scope_open(c);
    r = op_1(c, OP_broadcast, x, &(BroadcastAttr){{2 * rank, wide.d}, {s.rank, map}});
    return scope_close(c, own_result_of(c, x, wf_reshape(c, r, out.d, (int)rank)));
}

/* every element n times, one after the other, along the axis */
wf_tensor wf_repeat(wf_ctx *c, wf_tensor x, int64_t n, int axis)
{
    Shape s, wide;
    int64_t map[MAX_RANK];
    uint32_t k;
    wf_tensor r;

    if (!shape_of(c, x, "wf_repeat", &s) || !axis_of(c, "wf_repeat", axis, s.rank, &k))
        return WF_NONE;
    if (n < 0 || s.rank == MAX_RANK)
        return tensor_fail(c, WF_ERR_VALUE,
                     "wf_repeat: the count is negative or the rank too high");
    wide.rank = s.rank + 1;
    for (uint32_t i = 0; i < s.rank; i++) {
        map[i] = i <= k ? i : i + 1;
        wide.d[map[i]] = s.d[i];
    }
    wide.d[k + 1] = n;
    scope_open(c);
    r = op_1(c, OP_broadcast, x, &(BroadcastAttr){{wide.rank, wide.d}, {s.rank, map}});
    s.d[k] = size_mul(c, s.d[k], n);
    return scope_close(c, own_result_of(c, x, wf_reshape(c, r, s.d, (int)s.rank)));
}

wf_tensor wf_roll(wf_ctx *c, wf_tensor x, int64_t shift, int axis)
{
    Shape s;
    uint32_t k;
    int64_t n;
    wf_tensor part[2];

    if (!shape_of(c, x, "wf_roll", &s) || !axis_of(c, "wf_roll", axis, s.rank, &k))
        return WF_NONE;
    if (s.d[k] < 0) { /* element i - shift, counted around */
        scope_open(c);
        part[0] = wf_sub(c, wf_iota(c, WF_I64, &s.d[k], 1, 0), wf_int(c, shift));
        part[0] = wf_remainder(c, part[0], size_tensor(c, s.d[k]));
        return scope_close(c, wf_take(c, x, part[0], (int)k));
    }
    if (s.d[k] == 0 || shift % s.d[k] == 0)
        return wf_copy(c, x);
    n = ((shift % s.d[k]) + s.d[k]) % s.d[k];
    scope_open(c);
    part[0] = slice_axis(c, x, k, s.d[k] - n, s.d[k]);
    part[1] = slice_axis(c, x, k, 0, s.d[k] - n);
    return scope_close(c, failed(c) ? WF_NONE : wf_concat(c, part, 2, (int)k));
}

wf_tensor wf_pad(wf_ctx *c, wf_tensor x, const int64_t *lo, const int64_t *hi, int n,
                 double value)
{
    Shape s;
    wf_tensor v;

    if (!shape_of(c, x, "wf_pad", &s) ||
        !has_count(c, "wf_pad", "paddings", lo, n, s.rank) ||
        !has_count(c, "wf_pad", "paddings", hi, n, s.rank))
        return WF_NONE;
    for (uint32_t i = 0; i < s.rank; i++)
        if (lo[i] < 0 || hi[i] < 0)
            return tensor_fail(c, WF_ERR_VALUE, "wf_pad: padding of axis %u is negative", i);
    scope_open(c);
    v = wf_scalar(c, wf_dtype_of(c, x), value);
    return scope_close(
        c, op_2(c, OP_pad, x, v, &(PadAttr){{s.rank, lo}, {s.rank, hi}, {0, NULL}}));
}

/* keep where row + k >= column (lower), or column - k >= row (upper) */
static wf_tensor triangle(wf_ctx *c, const char *fn, wf_tensor x, int k, bool lower)
{
    Shape s;
    wf_tensor mask, zero;

    if (!shape_of(c, x, fn, &s))
        return WF_NONE;
    if (s.rank < 2)
        return tensor_fail(c, WF_ERR_SHAPE, "%s: needs at least 2 axes, got %s", fn,
                     shape_text(c, tensor_get(c, x, fn)));
    scope_open(c);
    mask = wf_tri(c, WF_BOOL, s.d[s.rank - 2], s.d[s.rank - 1], lower || k == INT32_MIN ? k : k - 1);
    zero = wf_zeros_like(c, x);
    return scope_close(c,
                       lower ? wf_where(c, mask, x, zero) : wf_where(c, mask, zero, x));
}

wf_tensor wf_tril(wf_ctx *c, wf_tensor x, int k)
{
    return triangle(c, "wf_tril", x, k, true);
}
wf_tensor wf_triu(wf_ctx *c, wf_tensor x, int k)
{
    return triangle(c, "wf_triu", x, k, false);
}
