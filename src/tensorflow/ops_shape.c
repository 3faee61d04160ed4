/* ops_shape.c -- sizes, and tensors in other shapes. */
#include "tensorflow/ops.h"

static wf_tensor i64(OxRun *r, int64_t v) { return wf_from(r->c, WF_I64, NULL, 0, &v); }

bool tg_as(OxRun *r, bool (*rule)(OxRun *r, const OxOp *op), int arg, const int *in,
           int nin, OxAttr *attrs, int nattrs)
{
    const OxNode *node = r->node;
    OxNode *n = ox_alloc(&r->mem, 1, sizeof *n);
    OxOp op = {.name = node->op, .run = rule, .arg = arg};
    bool ok;

    if (!n || !(n->in.v = ox_alloc(&r->mem, (size_t)nin + 1, sizeof *n->in.v)) ||
        !(n->attrs.v = ox_alloc(&r->mem, (size_t)nattrs + 1, sizeof *n->attrs.v)))
        return false;
    n->name = node->name;
    n->op = node->op;
    n->domain = "";
    n->out.v = node->out.v;
    n->out.n = node->out.n;
    n->source = node->source;
    n->in.n = (size_t)nin;
    n->attrs.n = (size_t)nattrs;
    for (int i = 0; i < nin; i++)
        n->in.v[i] = in[i] >= 0 && (size_t)in[i] < node->in.n ? node->in.v[in[i]] : "";
    for (int i = 0; i < nattrs; i++)
        n->attrs.v[i] = &attrs[i];
    r->node = n;
    ok = rule(r, &op) && ox_ok(r);
    r->node = node;
    return ok;
}

OxAttr tg_attr_int(const char *name, int64_t v) { return (OxAttr){.name = name, .i = v}; }
OxAttr tg_attr_text(const char *name, const char *v)
{
    return (OxAttr){.name = name, .s = {v, strlen(v)}};
}

bool tg_dims(OxRun *r, size_t i, int64_t *dims, int *rank)
{
    const OxNum *v = ox_nums(r, i, rank);
    int64_t number;

    if (!v)
        return false;
    if (*rank > WF_MAX_RANK)
        return ox_fail(r, WF_ERR_LIMIT, "rank %d", *rank);
    for (int k = 0; k < *rank; k++)
        dims[k] =
            ox_is_number(v[k], &number) && number == -1 ? WF_INFER : ox_size(r, v[k]);
    return ox_ok(r);
}

bool tg_axis_in(OxRun *r, size_t i, int rank, int *axis)
{
    int64_t v;
    int n;

    if (!ox_numbers(r, i, &v, 1, &n))
        return false;
    if (n != 1)
        return ox_fail(r, WF_ERR_FORMAT, "input %zu is no axis", i);
    return (*axis = ox_axis(r, v, rank)) >= 0;
}

wf_tensor tg_zeros(OxRun *r, wf_dtype dtype, const int64_t *dims, int rank)
{
    return ox_bounded(r, dims, rank, OX_SPREAD)
               ? wf_broadcast_to(r->c, wf_scalar(r->c, dtype, 0), dims, rank)
               : WF_NONE;
}

static OxElem out_elem(OxRun *r, const char *attr)
{
    const TgAttr *a = tg_attr(r, attr);

    return a && tg_elem(a->type) == OX_INT64 ? OX_INT64 : OX_INT32;
}

/* ---- what a tensor is --------------------------------------------------------------------------------------- */

/* arg 1: of each of several */
TG_RULE(shape)
{
    for (size_t k = 0; k < (op->arg ? ox_nin(r) : 1) && ox_ok(r); k++) {
        wf_tensor x = ox_tensor_of(r, ox_value(r, k));
        int rank = ox_ok(r) ? wf_rank(r->c, x) : 0;
        OxNum *v = ox_alloc(&r->mem, (size_t)rank + 1, sizeof *v);

        for (int i = 0; v && i < rank; i++)
            v[i] = ox_num_size(wf_size(r->c, x, i));
        if (v && ox_ok(r))
            ox_set_nums(r, k, v, rank, 1, out_elem(r, "out_type"));
    }
    return ox_ok(r);
}

static bool put_number(OxRun *r, OxNum n, OxElem elem)
{
    OxNum *v = ox_alloc(&r->mem, 1, sizeof *v);

    if (!v || !ox_ok(r))
        return false;
    *v = n;
    ox_set_nums(r, 0, v, 1, 0, elem);
    return ox_ok(r);
}

TG_RULE(size)
{
    wf_tensor x = ox_in(r, 0);
    int64_t n = 1;

    (void)op;
    for (int i = 0; ox_ok(r) && i < wf_rank(r->c, x); i++)
        n = wf_size_mul(r->c, n, wf_size(r->c, x, i));
    return put_number(r, ox_num_size(n), out_elem(r, "out_type"));
}

TG_RULE(rank)
{
    wf_tensor x = ox_in(r, 0);

    (void)op;
    return ox_ok(r) && put_number(r, ox_number(wf_rank(r->c, x)), OX_INT32);
}

/* ---- the same elements ------------------------------------------------------------------------------------- */

TG_RULE(reshape)
{
    OxAttr zero = tg_attr_int("allowzero", 1);

    (void)op;
    return tg_as(r, oxr_reshape, 0, (int[]){0, 1}, 2, &zero, 1);
}

TG_RULE(squeeze)
{
    wf_tensor x = ox_in(r, 0);
    int n, rank = ox_ok(r) ? wf_rank(r->c, x) : 0, axes[WF_MAX_RANK], m = 0;
    const int64_t *dims = tg_ints(r, "squeeze_dims", &n);

    (void)op;
    for (int i = 0; i < n && i < WF_MAX_RANK; i++)
        if ((axes[m++] = ox_axis(r, dims[i], rank)) < 0)
            return false;
    for (int i = 0; !n && i < rank; i++)
        if (wf_size(r->c, x, i) == 1)
            axes[m++] = i;
    return ox_put(r, 0, m ? wf_squeeze(r->c, x, axes, m) : x);
}

TG_RULE(expand_dims)
{
    wf_tensor x = ox_in(r, 0);
    int axis;

    (void)op;
    return ox_ok(r) && tg_axis_in(r, 1, wf_rank(r->c, x) + 1, &axis) &&
           ox_put(r, 0, wf_expand_dims(r->c, x, axis));
}

TG_RULE(transpose)
{
    wf_tensor x = ox_in(r, 0);
    int64_t perm[WF_MAX_RANK];
    int axes[WF_MAX_RANK], n;

    (void)op;
    if (!ox_ok(r) || !ox_numbers(r, 1, perm, WF_MAX_RANK, &n))
        return false;
    for (int i = 0; i < n; i++)
        if ((axes[i] = ox_axis(r, perm[i], wf_rank(r->c, x))) < 0)
            return false;
    return ox_put(r, 0, n ? wf_permute(r->c, x, axes, n) : x);
}

/* ---- joined and taken apart ---------------------------------------------------------------------------------- */

/* arg 0: the axis is the last input, 1: the first */
TG_RULE(concat)
{
    size_t n = ox_nin(r), first = op->arg ? 1 : 0;
    wf_tensor *x = ox_alloc(&r->mem, n + 1, sizeof *x);
    int axis;

    if (!x || n < 2)
        return ox_ok(r) ? ox_fail(r, WF_ERR_FORMAT, "nothing to join") : false;
    for (size_t i = 0; i + 1 < n; i++)
        x[i] = ox_in(r, i + first);
    return ox_ok(r) && tg_axis_in(r, op->arg ? 0 : n - 1, wf_rank(r->c, x[0]), &axis) &&
           ox_put(r, 0, wf_concat(r->c, x, (int)n - 1, axis));
}

TG_RULE(pack)
{
    size_t n = ox_nin(r);
    wf_tensor *x = ox_alloc(&r->mem, n + 1, sizeof *x);
    int axis;

    (void)op;
    for (size_t i = 0; x && i < n; i++)
        x[i] = ox_in(r, i);
    if (!x || !n || !ox_ok(r))
        return ox_ok(r) ? ox_fail(r, WF_ERR_FORMAT, "nothing to join") : false;
    axis = ox_axis(r, tg_int(r, "axis", 0), wf_rank(r->c, x[0]) + 1);
    return axis >= 0 && ox_put(r, 0, wf_stack(r->c, x, (int)n, axis));
}

TG_RULE(unpack)
{
    wf_tensor x = ox_in(r, 0);
    int axis = ox_ok(r) ? ox_axis(r, tg_int(r, "axis", 0), wf_rank(r->c, x)) : -1;

    (void)op;
    for (size_t i = 0; axis >= 0 && i < r->node->out.n && ox_ok(r); i++)
        ox_put(r, i, wf_squeeze(r->c, wf_narrow(r->c, x, axis, (int64_t)i, 1), &axis, 1));
    return ox_ok(r);
}

static bool put_parts(OxRun *r, wf_tensor x, int axis, const int64_t *sizes, int n)
{
    int64_t at = 0;

    for (int i = 0; i < n && ox_ok(r); i++) {
        if (ox_wants(r, (size_t)i))
            ox_put(r, (size_t)i,
                   wf_index_get(
                       r->c, wf_move_axis(r->c, x, axis, 0),
                       (wf_index[]){wf_at_sizes(at, wf_size_add(r->c, at, sizes[i]))},
                       1));
        at = wf_size_add(r->c, at, sizes[i]);
    }
    for (int i = 0; axis && i < n && ox_ok(r); i++)
        if (ox_wants(r, (size_t)i))
            ox_put(r, (size_t)i,
                   wf_move_axis(r->c,
                                ox_tensor_of(r, ox_name_value(r->env, r->node->out.v[i])),
                                0, axis));
    return ox_ok(r);
}

TG_RULE(split)
{
    wf_tensor x = ox_in(r, 1);
    int64_t n = tg_int(r, "num_split", 0), size, *sizes;
    int axis;

    (void)op;
    if (!ox_ok(r) || !tg_axis_in(r, 0, wf_rank(r->c, x), &axis))
        return false;
    if (n < 1 || n > 65536 || !(sizes = ox_alloc(&r->mem, (size_t)n, sizeof *sizes)))
        return ox_ok(r) ? ox_fail(r, WF_ERR_FORMAT, "%lld parts", (long long)n) : false;
    size = wf_size_div(r->c, wf_size(r->c, x, axis), n);
    for (int64_t i = 0; i < n; i++)
        sizes[i] = size;
    return put_parts(r, x, axis, sizes, (int)n);
}

TG_RULE(split_v)
{
    wf_tensor x = ox_in(r, 0);
    int axis, n, rest = -1;
    const OxNum *v = ox_nums(r, 1, &n);
    int64_t *sizes = ox_alloc(&r->mem, (size_t)MAX(n, 0) + 1, sizeof *sizes), number,
            left;

    (void)op;
    if (!v || !sizes || !ox_ok(r) || !tg_axis_in(r, 2, wf_rank(r->c, x), &axis))
        return false;
    left = wf_size(r->c, x, axis);
    for (int i = 0; i < n; i++) {
        if (ox_is_number(v[i], &number) && number == -1) {
            rest = i;
            continue;
        }
        sizes[i] = ox_size(r, v[i]);
        left = wf_size_sub(r->c, left, sizes[i]);
    }
    if (rest >= 0)
        sizes[rest] = left;
    return ox_ok(r) && put_parts(r, x, axis, sizes, n);
}

/* ---- parts ------------------------------------------------------------------------------------------------------ */

/* `length` elements from `start` on, where that is known at run time only */
static wf_tensor part_at(OxRun *r, wf_tensor x, int axis, wf_tensor start, int64_t length)
{
    return wf_take(r->c, x, wf_add(r->c, ox_iota(r, length), start), axis);
}

static wf_tensor part(OxRun *r, wf_tensor x, int axis, OxNum start, int64_t length)
{
    int64_t v;

    if (start.kind == OX_DYNAMIC)
        return part_at(r, x, axis, start.t, length);
    if (ox_is_number(start, &v) && v < 0)
        return ox_fail(r, WF_ERR_VALUE, "a slice that begins at %lld", (long long)v),
               WF_NONE;
    return wf_move_axis(
        r->c,
        wf_index_get(
            r->c, wf_move_axis(r->c, x, axis, 0),
            (wf_index[]){wf_at_sizes(start.v, wf_size_add(r->c, start.v, length))}, 1),
        0, axis);
}

TG_RULE(slice)
{
    wf_tensor x = ox_in(r, 0);
    int n, m;
    const OxNum *from = ox_nums(r, 1, &n), *size = from ? ox_nums(r, 2, &m) : NULL;
    int64_t v;

    (void)op;
    if (!size || n != m || n != wf_rank(r->c, x))
        return ox_ok(r) ? ox_fail(r, WF_ERR_SHAPE, "a slice of %d axes", n) : false;
    for (int i = 0; i < n && ox_ok(r); i++) {
        bool rest = ox_is_number(size[i], &v) && v == -1,
             from_zero = ox_is_number(from[i], &v) && v == 0;

        if (rest && from_zero)
            continue;
        x = part(r, x, i, from[i],
                 ox_size(r, rest
                                ? ox_num_sub(r, ox_num_size(wf_size(r->c, x, i)), from[i])
                                : size[i]));
    }
    return ox_put(r, 0, x);
}

typedef struct Strided { /* the attributes and inputs of a StridedSlice */
    const OxNum *begin, *end;
    int64_t step[WF_MAX_RANK];
    int n;
    int64_t begin_mask, end_mask, ellipsis, new_axis, shrink;
} Strided;

static bool read_strided(OxRun *r, size_t first, Strided *s)
{
    int a, b, c;

    *s = (Strided){.begin_mask = tg_int(r, "begin_mask", 0),
                   .end_mask = tg_int(r, "end_mask", 0),
                   .ellipsis = tg_int(r, "ellipsis_mask", 0),
                   .new_axis = tg_int(r, "new_axis_mask", 0),
                   .shrink = tg_int(r, "shrink_axis_mask", 0)};
    if (!(s->begin = ox_nums(r, first, &a)) || !(s->end = ox_nums(r, first + 1, &b)) ||
        !ox_numbers(r, first + 2, s->step, WF_MAX_RANK, &c))
        return false;
    s->n = a;
    return (a == b && b == c) ||
           ox_fail(r, WF_ERR_SHAPE, "%d, %d and %d numbers for the axes", a, b, c);
}

/* One axis from begin to end. Bounds that are sizes count from 0. */
static wf_tensor one_range(OxRun *r, wf_tensor x, int axis, OxNum begin, OxNum end,
                           bool no_begin, bool no_end, int64_t step)
{
    int64_t b = WF_NOT, e = WF_NOT;

    if (!no_begin && !ox_is_number(begin, &b) && begin.kind == OX_DYNAMIC)
        return step == 1
                   ? part_at(
                         r, x, axis, begin.t,
                         ox_size(
                             r, ox_num_sub(
                                    r, no_end ? ox_num_size(wf_size(r->c, x, axis)) : end,
                                    begin)))
                   : (ox_fail(r, WF_ERR_UNSUPPORTED,
                              "a stride of a slice that comes out of data"),
                      WF_NONE);
    if (!no_end && end.kind == OX_DYNAMIC)
        return step == 1
                   ? part_at(r, x, axis, no_begin ? i64(r, 0) : ox_num_tensor(r, begin),
                             ox_size(r, no_begin ? end : ox_num_sub(r, end, begin)))
                   : (ox_fail(r, WF_ERR_UNSUPPORTED,
                              "a stride of a slice that comes out of data"),
                      WF_NONE);
    x = wf_move_axis(r->c, x, axis, 0);
    if ((!no_begin && begin.kind == OX_SIZE) || (!no_end && end.kind == OX_SIZE)) {
        int64_t size = wf_size(r->c, x, 0), from = no_begin ? 0 : begin.v,
                to = no_end ? size : end.v;

        if (step != 1)
            return ox_fail(r, WF_ERR_UNSUPPORTED,
                           "a stride of a slice with symbolic bounds"),
                   WF_NONE;
        if (!no_begin && begin.kind == OX_NUMBER && begin.v < 0)
            from = wf_size_sub(r->c, size, -begin.v);
        if (!no_end && end.kind == OX_NUMBER && end.v < 0)
            to = wf_size_sub(r->c, size, -end.v);
        x = wf_index_get(r->c, x, (wf_index[]){wf_at_sizes(from, to)}, 1);
    } else {
        if (!no_begin)
            b = begin.v;
        if (!no_end)
            e = end.v;
        x = wf_index_get(r->c, x, (wf_index[]){wf_at_slice_step(b, e, step)}, 1);
    }
    return wf_move_axis(r->c, x, 0, axis);
}

static wf_tensor one_at(OxRun *r, wf_tensor x, int axis, OxNum at)
{
    int64_t v;

    if (ox_is_number(at, &v))
        return wf_index_get(r->c, wf_move_axis(r->c, x, axis, 0),
                            (wf_index[]){wf_at_int(v)}, 1);
    return wf_take(r->c, x, ox_wrap(r, ox_num_tensor(r, at), wf_size(r->c, x, axis)),
                   axis);
}

static wf_tensor take_strided(OxRun *r, wf_tensor x, const Strided *s)
{
    int axis = 0, taken = 0, rank = wf_rank(r->c, x);

    for (int i = 0; i < s->n; i++)
        taken += !(s->new_axis >> i & 1) && !(s->ellipsis >> i & 1);
    for (int i = 0; i < s->n && ox_ok(r); i++) {
        if (s->ellipsis >> i & 1) {
            axis += MAX(0, rank - taken);
        } else if (s->new_axis >> i & 1) {
            x = wf_expand_dims(r->c, x, axis++);
        } else if (axis >= wf_rank(r->c, x)) {
            ox_fail(r, WF_ERR_SHAPE, "more slices than axes");
        } else if (s->shrink >> i & 1) {
            wf_tensor y = one_at(r, x, axis, s->begin[i]);
            x = y;
        } else {
            x = one_range(r, x, axis, s->begin[i], s->end[i], s->begin_mask >> i & 1,
                          s->end_mask >> i & 1, s->step[i]);
            axis++;
        }
    }
    return x;
}

TG_RULE(strided_slice)
{
    wf_tensor x = ox_in(r, 0);
    Strided s;

    (void)op;
    return ox_ok(r) && read_strided(r, 1, &s) && ox_put(r, 0, take_strided(r, x, &s));
}

typedef struct StridedCall {
    OxRun *r;
    const Strided *s;
} StridedCall;

static wf_status strided_call(wf_ctx *c, void *user, const wf_tensor *in, int nin,
                              wf_tensor *out, int nout)
{
    StridedCall *k = user;

    (void)nin, (void)nout;
    out[0] = take_strided(k->r, in[0], k->s);
    return wf_ctx_status(c);
}

TG_RULE(strided_slice_grad)
{
    wf_tensor gy = ox_in(r, 4), x;
    int64_t dims[WF_MAX_RANK];
    int rank;
    Strided s;
    StridedCall k = {r, &s};

    (void)op;
    if (!ox_ok(r) || !tg_dims(r, 0, dims, &rank) || !read_strided(r, 1, &s))
        return false;
    x = tg_zeros(r, wf_dtype_of(r->c, gy), dims, rank);
    return ox_put(r, 0, tg_vjp(r, strided_call, &k, &x, 1, 0, gy));
}

/* ---- filled, reversed, padded ------------------------------------------------------------------------------------ */

/* The edges as in a mirror that stands on the last elements, or (symmetric) behind them. */
static wf_tensor mirror(OxRun *r, wf_tensor x, const int64_t *lo, const int64_t *hi,
                        bool symmetric)
{
    wf_ctx *c = r->c;

    for (int k = 0; ox_ok(r) && k < wf_rank(c, x); k++) {
        wf_tensor size = ox_num_tensor(r, ox_num_size(wf_size(c, x, k))), i, last;
        wf_tensor difference, less;

        if (!lo[k] && !hi[k])
            continue;
        i = wf_sub(c, ox_iota(r, wf_size_add(c, wf_size(c, x, k), lo[k] + hi[k])),
                   i64(r, lo[k]));
        last = wf_sub(c, wf_mul(c, size, i64(r, 2)), i64(r, symmetric ? 1 : 2));
        difference = wf_sub(c, i64(r, symmetric ? -1 : 0), i);
        i = wf_where(c, wf_lt(c, i, i64(r, 0)), difference, i);
        less = wf_sub(c, last, i);
        i = wf_where(c, wf_ge(c, i, size), less, i);
        x = wf_take(c, x, i, k);
    }
    return x;
}

/* arg: 0 zeros, 1 given value, 2 MirrorPad */
TG_RULE(pad)
{
    wf_tensor x = ox_in(r, 0), pads = WF_NONE;
    int64_t lo[WF_MAX_RANK], hi[WF_MAX_RANK], v[2 * WF_MAX_RANK];
    int rank = ox_ok(r) ? wf_rank(r->c, x) : 0, n;
    double value = 0;

    if (!ox_ok(r) || !ox_concrete(r, ox_value(r, 1), &pads) ||
        wf_count(r->c, pads) != 2 * rank)
        return ox_ok(r) ? ox_fail(r, WF_ERR_UNSUPPORTED,
                                  "padding that is not known when the model is opened")
                        : false;
    if (wf_read(r->c, wf_copy(r->c, wf_cast(r->c, pads, WF_I64)), v, (size_t)rank * 16))
        return false;
    for (int i = 0; i < rank; i++) {
        lo[i] = v[2 * i];
        hi[i] = v[2 * i + 1];
        if (lo[i] < 0 || hi[i] < 0 || lo[i] > OX_SPREAD || hi[i] > OX_SPREAD)
            return ox_fail(r, WF_ERR_VALUE, "padding of %lld and %lld", (long long)lo[i],
                           (long long)hi[i]);
    }
    if (op->arg == 1 && !ox_floats(r, 2, &value, 1, &n))
        return false;
    if (op->arg == 2)
        return ox_put(r, 0,
                      mirror(r, x, lo, hi,
                             strcmp(tg_text(r, "mode", "REFLECT"), "SYMMETRIC") == 0));
    return ox_put(r, 0, wf_pad(r->c, x, lo, hi, rank, value));
}

TG_RULE(fill)
{
    int64_t dims[WF_MAX_RANK];
    int rank;
    wf_tensor x = ox_in(r, 1);

    (void)op;
    return tg_dims(r, 0, dims, &rank) && ox_bounded(r, dims, rank, OX_SPREAD) &&
           ox_put(r, 0, wf_broadcast_to(r->c, x, dims, rank));
}

TG_RULE(like)
{
    const OxValue *v = ox_value(r, 0);

    if (v->kind == OX_LIST) /* a gradient that is zero */
        return ox_put_value(r, 0,
                            tg_list_of(r, wf_zeros_like(r->c, tg_list_tensor(r, v)),
                                       tg_list_length(r, v)));
    return ox_put(r, 0,
                  op->arg ? wf_ones_like(r->c, ox_in(r, 0))
                          : wf_zeros_like(r->c, ox_in(r, 0)));
}

TG_RULE(reverse)
{
    wf_tensor x = ox_in(r, 0);
    int axes[WF_MAX_RANK], n;

    (void)op;
    return ox_ok(r) && ox_axes(r, 1, "", wf_rank(r->c, x), axes, &n) &&
           ox_put(r, 0, n > 0 ? wf_flip(r->c, x, axes, n) : x);
}

TG_RULE(roll)
{
    wf_tensor x = ox_in(r, 0);
    int64_t shift[WF_MAX_RANK];
    int axes[WF_MAX_RANK], n, m;

    (void)op;
    if (!ox_ok(r) || !ox_numbers(r, 1, shift, WF_MAX_RANK, &n) ||
        !ox_axes(r, 2, "", wf_rank(r->c, x), axes, &m))
        return false;
    for (int i = 0; i < MIN(n, m); i++)
        x = wf_roll(r->c, x, shift[i], axes[i]);
    return ox_put(r, 0, x);
}

TG_RULE(range) { return tg_as(r, oxr_range, op->arg, (int[]){0, 1, 2}, 3, NULL, 0); }

TG_RULE(lin_space)
{
    wf_ctx *c = r->c;
    wf_tensor from = ox_in(r, 0), to = ox_in(r, 1), step;
    int n;
    const OxNum *count = ox_nums(r, 2, &n);
    int64_t size;
    wf_tensor cast;

    (void)op;
    if (!count || n != 1 || !ox_ok(r))
        return false;
    size = ox_size(r, count[0]);
    if (size == 1)
        return ox_put(r, 0, wf_reshape(c, from, (int64_t[]){1}, 1));
    cast = wf_cast(c, ox_num_tensor(r, ox_num_size(wf_size_sub(c, size, 1))), wf_dtype_of(c, from));
    step = wf_div(c, wf_sub(c, to, from), cast);
    return ox_put(
        r, 0,
        wf_add(c, from,
               wf_mul(c, wf_cast(c, ox_iota(r, size), wf_dtype_of(c, from)), step)));
}

/* [N,H,W,C b b] -> [N,H b,W b,C] (arg 0), and back (1) */
TG_RULE(depth_space)
{
    wf_ctx *c = r->c;
    wf_tensor x = ox_in(r, 0);
    int64_t b = tg_int(r, "block_size", 1), d[4];
    bool first = strcmp(tg_text(r, "data_format", "NHWC"), "NCHW") == 0;

    if (!ox_ok(r) || wf_rank(c, x) != 4 || b < 1 || b > 4096)
        return ox_ok(r) ? ox_fail(r, WF_ERR_SHAPE, "needs rank 4 and a block") : false;
    if (first)
        x = wf_permute(c, x, (int[]){0, 2, 3, 1}, 4);
    wf_shape(c, x, d, 4);
    if (!op->arg) {
        int64_t to[] = {d[0], d[1], d[2], b, b, wf_size_div(c, d[3], b * b)};
        x = wf_permute(c, wf_reshape(c, x, to, 6), (int[]){0, 1, 3, 2, 4, 5}, 6);
        x = wf_reshape(
            c, x,
            (int64_t[]){d[0], wf_size_mul(c, d[1], b), wf_size_mul(c, d[2], b), to[5]},
            4);
    } else {
        int64_t to[] = {d[0], wf_size_div(c, d[1], b), b, wf_size_div(c, d[2], b), b,
                        d[3]};
        x = wf_permute(c, wf_reshape(c, x, to, 6), (int[]){0, 1, 3, 2, 4, 5}, 6);
        x = wf_reshape(c, x, (int64_t[]){d[0], to[1], to[3], wf_size_mul(c, d[3], b * b)},
                       4);
    }
    return ox_put(r, 0, first ? wf_permute(c, x, (int[]){0, 3, 1, 2}, 4) : x);
}

/* SpaceToBatchND (0), BatchToSpaceND (1): blocks [m], pads or crops [m,2] */
TG_RULE(batch_space)
{
    wf_ctx *c = r->c;
    wf_tensor x = ox_in(r, 0), edges = WF_NONE;
    int64_t block[4], v[8], lo[WF_MAX_RANK] = {0}, hi[WF_MAX_RANK] = {0}, d[WF_MAX_RANK],
                            to[WF_MAX_RANK], all = 1;
    int m, rank = ox_ok(r) ? wf_rank(c, x) : 0, perm[WF_MAX_RANK], k = 0, n = 0;

    if (!ox_ok(r) || !ox_numbers(r, 1, block, 4, &m) ||
        !ox_concrete(r, ox_value(r, 2), &edges) || wf_count(c, edges) != 2 * m ||
        rank < m + 1 || rank + m > WF_MAX_RANK ||
        wf_read(c, wf_copy(c, wf_cast(c, edges, WF_I64)), v, (size_t)m * 16))
        return ox_ok(r) ? ox_fail(r, WF_ERR_UNSUPPORTED,
                                  "blocks that are not known when the model is opened")
                        : false;
    for (int i = 0; i < m; i++) {
        lo[1 + i] = v[2 * i];
        hi[1 + i] = v[2 * i + 1];
        all *= block[i] = MAX(1, MIN(block[i], 4096));
        if (lo[1 + i] < 0 || hi[1 + i] < 0 || lo[1 + i] > OX_SPREAD ||
            hi[1 + i] > OX_SPREAD)
            return ox_fail(r, WF_ERR_VALUE, "edges below 0");
    }
    if (!op->arg)
        x = wf_pad(c, x, lo, hi, rank, 0);
    wf_shape(c, x, d, rank);
    if (!op->arg) { /* [N, (H/b, b).., ..] -> [b.., N, H/b.., ..] */
        to[n++] = d[0];
        for (int i = 0; i < m; i++) {
            to[n++] = wf_size_div(c, d[1 + i], block[i]);
            to[n++] = block[i];
            perm[k++] = 2 + 2 * i;
        }
        perm[k++] = 0;
        for (int i = 0; i < m; i++)
            perm[k++] = 1 + 2 * i;
    } else { /* [b.., N, H.., ..] -> [N, (H, b).., ..] */
        for (int i = 0; i < m; i++)
            to[n++] = block[i];
        to[n++] = wf_size_div(c, d[0], all);
        perm[k++] = m;
        for (int i = 0; i < m; i++) {
            to[n++] = d[1 + i];
            perm[k++] = m + 1 + i;
            perm[k++] = i;
        }
    }
    for (int i = 1 + m; i < rank; i++) {
        perm[k++] = n;
        to[n++] = d[i];
    }
    x = wf_permute(c, wf_reshape(c, x, to, n), perm, n);
    d[0] = op->arg ? wf_size_div(c, d[0], all) : wf_size_mul(c, d[0], all);
    for (int i = 0; i < m; i++)
        d[1 + i] = op->arg ? wf_size_mul(c, d[1 + i], block[i])
                           : wf_size_div(c, d[1 + i], block[i]);
    x = wf_reshape(c, x, d, rank);
    for (int i = 0; op->arg && i < m; i++)
        if (lo[1 + i] || hi[1 + i])
            x = wf_narrow(c, x, 1 + i, lo[1 + i],
                          wf_size_sub(c, d[1 + i], lo[1 + i] + hi[1 + i]));
    return ox_put(r, 0, x);
}

TG_RULE(placeholder_default)
{
    (void)op;
    return ox_put_value(r, 0, *ox_value(r, 0));
}

/* ---- shapes of two operands --------------------------------------------------------------------------------------- */

static OxNum dim_at(const OxNum *v, int n, int rank, int i)
{
    return i < rank - n ? ox_number(1) : v[i - (rank - n)];
}

static bool is_one(OxNum n) { return n.kind == OX_NUMBER && n.v == 1; }

static bool same_num(OxRun *r, OxNum a, OxNum b)
{
    return a.kind != OX_DYNAMIC && b.kind != OX_DYNAMIC && wf_size_equal(r->c, a.v, b.v);
}

TG_RULE(broadcast_args)
{
    int n, m;
    const OxNum *a = ox_nums(r, 0, &n), *b = a ? ox_nums(r, 1, &m) : NULL;
    OxNum *out = b ? ox_alloc(&r->mem, (size_t)MAX(n, m) + 1, sizeof *out) : NULL;
    int rank = b ? MAX(n, m) : 0;

    (void)op;
    if (!out)
        return false;
    for (int i = 0; i < rank; i++)
        out[i] =
            is_one(dim_at(a, n, rank, i)) ? dim_at(b, m, rank, i) : dim_at(a, n, rank, i);
    ox_set_nums(r, 0, out, rank, 1, ox_elem_of(r, 0));
    return ox_ok(r);
}

/* Over which axes the derivatives of two operands are summed: where one had size 1, or no axis, and the other has more. */
TG_RULE(broadcast_grad_args)
{
    int n, m;
    const OxNum *a = ox_nums(r, 0, &n), *b = a ? ox_nums(r, 1, &m) : NULL;
    int rank = b ? MAX(n, m) : 0, count[2] = {0, 0};
    OxNum *out[2] = {ox_alloc(&r->mem, (size_t)rank + 1, sizeof **out),
                     ox_alloc(&r->mem, (size_t)rank + 1, sizeof **out)};

    (void)op;
    if (!b || !out[0] || !out[1])
        return false;
    for (int i = 0; i < rank; i++) {
        OxNum x = dim_at(a, n, rank, i), y = dim_at(b, m, rank, i);

        if (is_one(x) && is_one(y)) { /* summing over one element: as TensorFlow has it */
            out[0][count[0]++] = ox_number(i);
            out[1][count[1]++] = ox_number(i);
        } else if (is_one(x)) {
            out[0][count[0]++] = ox_number(i);
        } else if (is_one(y)) {
            out[1][count[1]++] = ox_number(i);
        } else if (!same_num(r, x, y) && (x.kind == OX_DYNAMIC || y.kind == OX_DYNAMIC)) {
            return ox_fail(r, WF_ERR_UNSUPPORTED, "shapes that come out of data");
        }
    }
    for (int k = 0; k < 2; k++)
        ox_set_nums(r, (size_t)k, out[k], count[k], 1, ox_elem_of(r, 0));
    return ox_ok(r);
}

/* Where each operand of a join begins: zeros but for the axis. */
TG_RULE(concat_offset)
{
    int64_t axis;
    int got, n;
    OxNum at = ox_number(0);

    (void)op;
    if (!ox_numbers(r, 0, &axis, 1, &got) || got != 1)
        return ox_ok(r) ? ox_fail(r, WF_ERR_FORMAT, "no axis") : false;
    for (size_t k = 1; k < ox_nin(r) && ox_ok(r); k++) {
        const OxNum *v = ox_nums(r, k, &n);
        OxNum *out = v ? ox_alloc(&r->mem, (size_t)n + 1, sizeof *out) : NULL;

        if (!out)
            return false;
        if (axis < 0)
            axis += n;
        for (int i = 0; i < n; i++)
            out[i] = i == axis ? at : ox_number(0);
        if (axis >= 0 && axis < n)
            at = ox_num_add(r, at, v[axis]);
        ox_set_nums(r, k - 1, out, n, 1, OX_INT32);
    }
    return ox_ok(r);
}

TG_RULE(invert_permutation)
{
    int64_t v[OX_MAX];
    int n;
    OxNum *out;

    (void)op;
    if (!ox_numbers(r, 0, v, OX_MAX, &n) ||
        !(out = ox_alloc(&r->mem, (size_t)n + 1, sizeof *out)))
        return false;
    for (int i = 0; i < n; i++) {
        if (v[i] < 0 || v[i] >= n)
            return ox_fail(r, WF_ERR_VALUE, "%lld of %d", (long long)v[i], n);
        out[v[i]] = ox_number(i);
    }
    ox_set_nums(r, 0, out, n, 1, ox_elem_of(r, 0));
    return ox_ok(r);
}
