/* lists.c -- TensorList and TensorArray: lists of tensors of one type.
 *
 * A list is an OxValue of kind OX_LIST. Its elements are one of
 *   t        one tensor [room, ..], of which the first n elements (nums[0]) are there
 *   items    each by itself, in order (pushed one after the other); nitems of them
 *   neither  n elements of which nothing is known yet: none was set
 * A TensorArray's flow is the list; its handle says nothing.
 */
#include "tensorflow/ops.h"

static OxValue list_value(OxRun *r, wf_tensor t, const OxValue *items, int nitems,
                          OxNum n)
{
    OxNum *num = ox_alloc(&r->mem, 1, sizeof *num);

    if (num)
        *num = n;
    return (OxValue){.kind = OX_LIST,
                     .t = t,
                     .items = items,
                     .nitems = nitems,
                     .nums = num,
                     .nnums = 1};
}

OxValue tg_list_of(OxRun *r, wf_tensor t, OxNum n)
{
    return list_value(r, t, NULL, 0, n);
}

OxNum tg_list_length(OxRun *r, const OxValue *v)
{
    (void)r;
    return v->items ? ox_number(v->nitems) : v->nums ? v->nums[0] : ox_number(0);
}

wf_tensor tg_list_tensor(OxRun *r, const OxValue *v)
{
    wf_tensor *x;

    if (!v->items || !v->nitems)
        return v->t;
    if (!(x = ox_alloc(&r->mem, (size_t)v->nitems, sizeof *x)))
        return WF_NONE;
    for (int i = 0; i < v->nitems; i++)
        x[i] = ox_tensor_of(r, &v->items[i]);
    return ox_ok(r) ? wf_stack(r->c, x, v->nitems, 0) : WF_NONE;
}

static const OxValue *list_in(OxRun *r, size_t i)
{
    const OxValue *v = ox_value(r, i);

    if (v->kind != OX_LIST)
        return ox_fail(r, WF_ERR_UNSUPPORTED, "input %zu is no list of tensors", i), NULL;
    return v;
}

/* The elements that are there, as one tensor. */
static wf_tensor stacked(OxRun *r, const OxValue *v)
{
    wf_tensor t = v ? tg_list_tensor(r, v) : WF_NONE;
    OxNum n = v ? tg_list_length(r, v) : ox_number(0);

    if (!v || !ox_ok(r))
        return WF_NONE;
    if (wf_is_none(t))
        return ox_fail(r, WF_ERR_UNSUPPORTED, "a list whose elements were never set"),
               WF_NONE;
    if (n.kind == OX_DYNAMIC || wf_size_equal(r->c, n.v, wf_size(r->c, t, 0)))
        return t; /* pushed in a loop: full when it is over */
    return wf_index_get(r->c, t, (wf_index[]){wf_at_sizes(0, n.v)}, 1);
}

/* Sizes of an element, where input i says all of them. */
static bool element_dims(OxRun *r, size_t i, int64_t *dims, int *rank)
{
    const OxNum *v;
    int64_t number;

    *rank = 0;
    if (ox_value(r, i)->kind != OX_TENSOR || !(v = ox_nums(r, i, rank)) ||
        *rank > WF_MAX_RANK - 1)
        return false;
    for (int k = 0; k < *rank; k++) {
        if (v[k].kind == OX_DYNAMIC || (ox_is_number(v[k], &number) && number < 0))
            return false;
        dims[k] = v[k].v;
    }
    /* a scalar -1 is a shape of which nothing is known; an empty vector is that of a scalar */
    return ox_value(r, i)->nums || wf_rank(r->c, ox_value(r, i)->t) == 1;
}

/* arg: 0 (element_shape, n), 1 an empty one */
TG_RULE(list_new)
{
    const TgAttr *a = tg_attr(r, "element_dtype");
    int64_t dims[WF_MAX_RANK];
    OxNum count = ox_number(0);
    int rank, n;

    if (op->arg) {
        OxValue v = list_value(r, WF_NONE, NULL, 0, count);

        v.items = ox_alloc(&r->mem, 1, sizeof *v.items);
        return v.items && ox_put_value(r, 0, v);
    }
    const OxNum *v = ox_nums(r, 1, &n);
    if (!v || n != 1)
        return ox_ok(r) ? ox_fail(r, WF_ERR_FORMAT, "how many elements?") : false;
    count = v[0];
    if (element_dims(r, 0, dims + 1, &rank) && a && tg_dtype(a->type) != WF_INVALID) {
        dims[0] = ox_size(r, count);
        return ox_ok(r) &&
               ox_put_value(
                   r, 0,
                   tg_list_of(r, tg_zeros(r, tg_dtype(a->type), dims, rank + 1), count));
    }
    return ox_ok(r) && ox_put_value(r, 0, tg_list_of(r, WF_NONE, count));
}

TG_RULE(list_from)
{
    wf_tensor x = ox_in(r, 0);

    (void)op;
    return ox_ok(r) &&
           ox_put_value(r, 0, tg_list_of(r, x, ox_num_size(wf_size(r->c, x, 0))));
}

TG_RULE(list_stack)
{
    const OxValue *v =
        list_in(r, (size_t)op->arg); /* a TensorArray's flow is its last input */

    return v && ox_put(r, 0, stacked(r, v));
}

static bool place_in(OxRun *r, size_t i, OxNum *out)
{
    int n;
    const OxNum *v = ox_nums(r, i, &n);

    if (!v || n != 1)
        return ox_ok(r) ? ox_fail(r, WF_ERR_SHAPE, "one index is needed") : false;
    *out = v[0];
    return true;
}

static wf_index index_of(OxNum at, wf_tensor t)
{
    return at.kind == OX_NUMBER ? wf_at_int(at.v) : wf_at_tensor(t);
}

/* arg 0: TensorListGetItem(list, index, shape), 1: TensorArrayReadV3(handle, index, flow) */
TG_RULE(list_get)
{
    const OxValue *v = list_in(r, op->arg ? 2 : 0);
    const TgAttr *a = tg_attr(r, op->arg ? "dtype" : "element_dtype");
    int64_t dims[WF_MAX_RANK];
    int rank;
    OxNum at;

    if (!v || !place_in(r, 1, &at))
        return false;
    if (v->items && at.kind == OX_NUMBER) {
        if (at.v < 0 || at.v >= v->nitems)
            return ox_fail(r, WF_ERR_VALUE, "element %lld of %d", (long long)at.v,
                           v->nitems);
        return ox_put_value(r, 0, v->items[at.v]);
    }
    wf_tensor t = tg_list_tensor(r, v);
    if (wf_is_none(t) && ox_ok(r) && !op->arg && element_dims(r, 2, dims, &rank) && a &&
        tg_dtype(a->type) != WF_INVALID)
        return ox_put(
            r, 0, tg_zeros(r, tg_dtype(a->type), dims, rank)); /* one that was not set */
    if (wf_is_none(t))
        return ox_ok(r) ? ox_fail(r, WF_ERR_UNSUPPORTED,
                                  "an element of a list that none was put into")
                        : false;
    return ox_put(
        r, 0, wf_index_get(r->c, t, (wf_index[]){index_of(at, ox_num_tensor(r, at))}, 1));
}

/* [n, ..] of zeros for elements like x */
static wf_tensor room_for(OxRun *r, OxNum n, wf_tensor x)
{
    int64_t dims[WF_MAX_RANK];
    int rank = wf_rank(r->c, x);

    if (rank + 1 > WF_MAX_RANK)
        return ox_fail(r, WF_ERR_LIMIT, "rank %d", rank + 1), WF_NONE;
    dims[0] = ox_size(r, n);
    wf_shape(r->c, x, dims + 1, rank);
    return tg_zeros(r, wf_dtype_of(r->c, x), dims, rank + 1);
}

/* arg 0: TensorListSetItem(list, index, x), 1: TensorArrayWriteV3(handle, index, x, flow) */
TG_RULE(list_set)
{
    const OxValue *v = list_in(r, op->arg ? 3 : 0);
    wf_tensor x = v ? ox_in(r, 2) : WF_NONE, t;
    OxNum at, n;
    int64_t i;

    if (!v || !ox_ok(r) || !place_in(r, 1, &at))
        return false;
    t = tg_list_tensor(r, v);
    n = tg_list_length(r, v);
    if (ox_is_number(at, &i) && n.kind == OX_NUMBER && i >= n.v) { /* it grows */
        wf_tensor more = room_for(r, ox_number(i + 1 - n.v), x);

        t = wf_is_none(t) || n.v == 0 ? more
                                      : wf_concat(r->c, (wf_tensor[]){t, more}, 2, 0);
        if (wf_is_none(tg_list_tensor(r, v)) && n.v > 0)
            t = room_for(r, ox_number(i + 1), x);
        n = ox_number(i + 1);
    }
    if (wf_is_none(t))
        t = room_for(r, n, x);
    if (!ox_ok(r))
        return false;
    return ox_put_value(
        r, 0,
        tg_list_of(
            r,
            wf_index_set(r->c, t, (wf_index[]){index_of(at, ox_num_tensor(r, at))}, 1, x),
            n));
}

TG_RULE(list_length)
{
    const OxValue *v = list_in(r, (size_t)op->arg);
    OxNum *n = ox_alloc(&r->mem, 1, sizeof *n);

    if (!v || !n)
        return false;
    *n = tg_list_length(r, v);
    ox_set_nums(r, 0, n, 1, 0, OX_INT32);
    return ox_ok(r);
}

TG_RULE(list_push)
{
    const OxValue *v = list_in(r, 0);
    wf_tensor x = v ? ox_in(r, 1) : WF_NONE;
    OxNum n;
    OxValue *items;

    (void)op;
    if (!v || !ox_ok(r))
        return false;
    if (v->items) {
        if (v->nitems >= 1 << 20 ||
            !(items = ox_alloc(&r->mem, (size_t)v->nitems + 1, sizeof *items)))
            return ox_ok(r) ? ox_fail(r, WF_ERR_LIMIT, "a list of %d elements", v->nitems)
                            : false;
        if (v->nitems)
            memcpy(items, v->items, (size_t)v->nitems * sizeof *items);
        items[v->nitems] = (OxValue){.kind = OX_TENSOR, .t = x};
        return ox_put_value(
            r, 0, list_value(r, WF_NONE, items, v->nitems + 1, ox_number(v->nitems + 1)));
    }
    n = tg_list_length(r, v);
    return ox_put_value(
        r, 0,
        tg_list_of(r,
                   wf_index_set(r->c, v->t,
                                (wf_index[]){index_of(n, ox_num_tensor(r, n))}, 1, x),
                   ox_num_add(r, n, ox_number(1))));
}

TG_RULE(list_pop)
{
    const OxValue *v = list_in(r, 0);
    OxNum n;
    wf_tensor t;

    (void)op;
    if (!v)
        return false;
    if (v->items) {
        if (!v->nitems)
            return ox_fail(r, WF_ERR_VALUE, "an element of an empty list");
        ox_put_value(r, 1, v->items[v->nitems - 1]);
        return ox_put_value(
            r, 0,
            list_value(r, WF_NONE, v->items, v->nitems - 1, ox_number(v->nitems - 1)));
    }
    t = tg_list_tensor(r, v);
    n = ox_num_sub(r, tg_list_length(r, v), ox_number(1));
    if (wf_is_none(t))
        return ox_fail(r, WF_ERR_UNSUPPORTED,
                       "an element of a list that none was put into");
    ox_put(r, 1,
           wf_index_get(r->c, t, (wf_index[]){index_of(n, ox_num_tensor(r, n))}, 1));
    return ox_put_value(r, 0, tg_list_of(r, t, n));
}

/* arg 0: TensorListGather(list, indices, shape), 1: TensorArrayGatherV3(handle, indices, flow) */
TG_RULE(list_gather)
{
    const OxValue *v = list_in(r, op->arg ? 2 : 0);
    wf_tensor ix = v ? ox_in(r, 1) : WF_NONE, t = v ? stacked(r, v) : WF_NONE;

    return ox_ok(r) && ox_put(r, 0, wf_take(r->c, t, wf_cast(r->c, ix, WF_I64), 0));
}

/* arg 0: TensorListScatterV2(x, indices, shape, n), 1: TensorArrayScatterV3(handle, indices, x, flow),
 * 2: TensorListScatterIntoExistingList(list, x, indices) */
TG_RULE(list_scatter)
{
    wf_tensor x = ox_in(r, op->arg == 0   ? 0
                           : op->arg == 1 ? 2
                                          : 1),
              ix = ox_in(r, op->arg == 2 ? 2 : 1), t = WF_NONE;
    const OxValue *v = op->arg == 0 ? NULL : list_in(r, op->arg == 1 ? 3 : 0);
    OxNum n;

    if (!ox_ok(r))
        return false;
    n = v ? tg_list_length(r, v) : ox_num_size(wf_size(r->c, x, 0));
    t = v ? tg_list_tensor(r, v) : WF_NONE;
    if (n.kind == OX_NUMBER && n.v <= 0)
        n = ox_num_size(wf_size(r->c, x, 0));
    if (wf_is_none(t)) {
        int64_t dims[WF_MAX_RANK];

        wf_shape(r->c, x, dims, wf_rank(r->c, x));
        dims[0] = ox_size(r, n);
        t = tg_zeros(r, wf_dtype_of(r->c, x), dims, wf_rank(r->c, x));
    }
    return ox_ok(r) &&
           ox_put_value(
               r, 0,
               tg_list_of(r, wf_put_slices(r->c, t, wf_cast(r->c, ix, WF_I64), x, 0), n));
}

TG_RULE(list_shape)
{
    const OxValue *v = list_in(r, 0);
    wf_tensor t = v ? tg_list_tensor(r, v) : WF_NONE;
    OxNum *out;
    int rank;

    (void)op;
    if (!v || wf_is_none(t)) /* nothing is known: -1 */
        return v && ox_put(r, 0, wf_from(r->c, WF_I32, NULL, 0, &(int32_t){-1}));
    rank = wf_rank(r->c, t) - 1;
    if (!(out = ox_alloc(&r->mem, (size_t)rank + 1, sizeof *out)))
        return false;
    for (int i = 0; i < rank; i++)
        out[i] = ox_num_size(wf_size(r->c, t, i + 1));
    ox_set_nums(r, 0, out, rank, 1, OX_INT32);
    return ox_ok(r);
}

/* [n, m, ..] -> [n m, ..]: elements of one length */
TG_RULE(list_concat)
{
    const OxValue *v = list_in(r, (size_t)op->arg);
    wf_tensor t = v ? stacked(r, v) : WF_NONE;
    int64_t d[WF_MAX_RANK];
    int rank;

    if (!ox_ok(r) || (rank = wf_rank(r->c, t)) < 2)
        return ox_ok(r) ? ox_fail(r, WF_ERR_SHAPE, "elements without axes") : false;
    wf_shape(r->c, t, d, rank);
    d[1] = wf_size_mul(r->c, d[0], d[1]);
    return ox_put(r, 0, wf_reshape(r->c, t, d + 1, rank - 1));
}

/* TensorArrayV3(size): a handle, which says nothing, and the flow */
TG_RULE(array_new)
{
    const TgAttr *a = tg_attr(r, "dtype"), *shape = tg_attr(r, "element_shape");
    int64_t dims[WF_MAX_RANK];
    bool known = a && tg_dtype(a->type) != WF_INVALID && shape && shape->shape &&
                 !shape->shape->unknown_rank && shape->shape->dims.n < WF_MAX_RANK;
    size_t rank = known ? shape->shape->dims.n : 0;
    OxNum n;

    (void)op;
    if (!place_in(r, 0, &n))
        return false;
    for (size_t i = 0; i < rank; i++)
        known = known && (dims[1 + i] = shape->shape->dims.v[i]->size) >= 0;
    ox_put_value(r, 0, (OxValue){.kind = OX_STRINGS});
    if (!known)
        return ox_put_value(r, 1, tg_list_of(r, WF_NONE, n));
    dims[0] = ox_size(r, n);
    return ox_put_value(
        r, 1, tg_list_of(r, tg_zeros(r, tg_dtype(a->type), dims, (int)rank + 1), n));
}

TG_RULE(array_size)
{
    OxOp inner = *op;

    inner.arg = 1;
    return tgr_list_length(r, &inner);
}
